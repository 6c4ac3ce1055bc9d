-- sliders_spec.lua: what sliders of an animation refuse, and what the page holds. browser_spec.lua moves them.
local check = require "check"
local hm = require "hamel"

local function pendulum()
  local S = hm.system "pendulum"
  local phi = S:coordinates "phi"
  local l, g = S:positive "l=1 g=9.81"
  S:kinetic_energy(l^2*phi.dot^2/2)
  S:potential_energy(-g*l*hm.cos(phi))
  return S, phi, l, g
end

local function page(S, shapes, o, run)
  run = run or S:simulate{ q = { [S.coordinate_names[1]] = 0.5 }, v = { [S.coordinate_names[1]] = 0 }, t = 2, rtol = 1e-10, atol = 1e-12 }
  return run:animate(shapes, o).page
end

describe("sliders of an animation", function()
  it("put the equations into the page, which shows their values there alone", function()
    local S, phi, l = pendulum()
    local text = page(S, { { "ball", at = { l*hm.sin(phi), -l*hm.cos(phi) } } }, { sliders = { l = { 0.5, 2 } } })
    for _, part in ipairs{ "function rate(inp, out) {", "function wanted(inp, out) {", "function conditions(inp, out) {", "Math.sin(", '"name":"l"' } do
      assert.truthy(text:find(part, 1, true), part)
    end
    assert.truthy(text:find('"parameters":["g = 9.81"]', 1, true))
    assert.is_nil(text:find("const double", 1, true))
    local without = page(S, { { "ball", at = { l*hm.sin(phi), -l*hm.cos(phi) } } }, {})
    assert.truthy(without:find('"parameters":["l = 1","g = 9.81"]', 1, true))
    assert.is_nil(without:find("function rate(", 1, true))
  end)

  it("refuse ranges and names that mean nothing", function()
    local S, phi, l = pendulum()
    local shapes = { { "ball", at = { l*hm.sin(phi), -l*hm.cos(phi) } } }
    for words, given in pairs{
      ["no parameter of pendulum"] = { m = { 0, 1 } }, ["two numbers, the smaller one first"] = { l = { 2, 1 } },
      ["l = 1 in the run, which is not between"] = { l = { 2, 3 } },
      ["declared positive; its slider begins at 0"] = { l = { 0, 3 } }, ["names parameters"] = {},
    } do check.raises({ "sliders", words }, page, S, shapes, { sliders = given }) end
    check.raises({ "two numbers" }, page, S, shapes, { sliders = { l = 3 } })
  end)

  it("refuse what the page cannot compute", function()
    local S, phi, l = pendulum()
    check.raises({ "its radius depends on l", "sizes are fixed" }, page, S, { { "ball", at = { l*hm.sin(phi), 0 }, radius = l/10 } },
      { sliders = { l = { 0.5, 2 } } })
    local function rod(more)
      local R = hm.system "rod"
      local x, y = R:coordinates "x y"
      local r = R:positive "r=1"
      R:kinetic_energy((x.dot^2 + y.dot^2)/2)
      R:potential_energy(10*y)
      if more then more(R, x, y, r) else R:constraint("rod", x^2 + y^2 - r^2) end
      return R, { { "ball", at = { x, y } } }, x
    end
    local o = { sliders = { r = { 0.5, 2 } } }
    local R, shapes = rod()
    local function swing(T) return T:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 1, rtol = 1e-10, atol = 1e-12 } end
    check.raises({ "'rod' on positions contains r" }, page, R, shapes, o, swing(R))
    R, shapes = rod(function(T, x, y) T:constraint("rod", x^2 + y^2 - 1) end)
    check.raises({ "'lambda.rod' depends on reactions" }, page, R, shapes, { sliders = { r = { 0.5, 2 } }, show = { "lambda.rod" } }, swing(R))
    R, shapes = rod(function(T, _, y) T:unilateral("floor", y + 2, { law = hm.newton(0.5) }) end)
    check.raises({ "contacts and friction" }, page, R, shapes, o, swing(R))
    R, shapes = rod(function(T, x) T:force(x, function() return 1 end) end)
    check.raises({ "forces in Lua" }, page, R, shapes, o, swing(R))
    R, shapes = rod(function(T, x) T:force(x, hm.data{ x = { 0, 1, 2 }, y = { 0, 1, 0 }, name = "u" }(hm.t)) end)
    check.raises({ "measured data" }, page, R, shapes, o, swing(R))
    R, shapes = rod(function(T, x, _, r) T:force(x, -1e14*r*x - 1e8*x.dot) end)
    check.raises({ "the page cannot follow this motion", "stiff" }, page, R, shapes, o,
      R:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 1, method = "radau5", rtol = 1e-6, atol = 1e-8 })
  end)
end)
