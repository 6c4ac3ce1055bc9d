-- mistakes: what a newcomer types in the first hour is done, or answered by one sentence that leads on; words_spec.lua has more of them
local hm, check = require "hamel", require "check"

local function plane()
  local S = hm.system "plane"
  local x, y = S:coordinates "x y"
  local m = S:positive "m=1"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  return S, x, y, m
end

local rest = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 } }

describe("what newcomers type", function()
  it("is the time derivative of an expression: (x + y).dot", function()
    local _, x, y = plane()
    assert.equal("2*x*x' + y'", tostring((x^2 + y).dot))
  end)

  it("is a start by symbols: q = {[x] = 0}", function()
    local S, x, y = plane()
    local run = S:simulate{ q = { [x] = 0, [y] = 1 }, v = { [x] = 1, [y.dot] = 0 }, t = 1 }
    check.near(run:at(1).x, 1)
  end)

  it("is a start off a holonomic constraint: it names positions, not velocities", function()
    local S, x, y = plane()
    S:constraint("rod", x^2 + y^2 - 1)
    check.raises({ "'rod' is violated by 1", "q.x or q.y" }, S.simulate, S, { q = { x = 1, y = 1 }, v = rest.v, t = 1 })
    assert.equal("OK", S:simulate{ q = { x = 0.6 }, v = { x = 0 }, t = 1 }.status)       -- the advice works
  end)

  it("is a dependent constraint: accepted, with a note that names it", function()
    local S, x, y = plane()
    S:constraint("a", x.dot - y.dot)
    S:constraint("b", 2*x.dot - 2*y.dot)
    local text = tostring(S:simulate{ q = rest.q, v = rest.v, t = 1 })
    assert.truthy(text:find("'b' holds wherever the other constraints do", 1, true), text)
  end)

  it("is a coordinate that would be printed like another", function()
    local S = hm.system "s"
    S:coordinates "theta"
    check.raises({ "'θ' would be printed like 'theta'" }, S.coordinates, S, "θ")
  end)

  it("is a comparison of expressions", function()
    local _, x = plane()
    check.raises({ "no order" }, function() return x < 0 end)
    check.raises({ "x:lt(0)" }, function() return hm.where(x == 0, 1, 2) end)
  end)

  it("is a format that does not exist", function()
    local S = plane()
    local run = S:simulate{ q = rest.q, v = rest.v, t = 1 }
    for _, name in ipairs{ "run.txt", "run.h5", "run.xlsx", "run" } do check.raises({ name, ".json", ".mat" }, run.save, run, name) end
  end)

  it("is a radius of a shape: parameters are numbers of the run", function()
    local S, x, y, m = plane()
    local run = S:simulate{ q = rest.q, v = rest.v, t = 1 }
    local path = os.tmpname() .. ".html"
    assert.is_true(run:animate(path, { { "ball", at = { x, y }, radius = m/2 } }).bytes > 0)
    os.remove(path)
  end)
end)

describe("a message", function()
  it("holds no address and no sign of nan", function()
    local S = hm.system "plain"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1 }
    local thing, nan = {}, 0/0
    for _, case in ipairs{
      { "argument 2 is a table", function() return x:simplify("auto", thing) end }, { "not a table", function() return hm.identity(thing) end },
      { "'a table' is not a coordinate", function() S:force(thing, x) end }, { "no form 'a table'", function() return S:equations(thing) end },
      { "'a table'", function() return x[thing] end }, { "t = nan is outside", function() return run:at(nan) end },
      { "value 2 of 'q.x' is nan", function() return S:sweep{ over = { { "q.x", { 0, nan } } }, v = { x = 0 }, t = 1 } end },
      { "point 2 is (nan, 1)", function() return hm.data{ x = { 0, nan, 1 }, y = { 0, 1, 2 } } end },
      { "finite numbers", function() return hm.range(0, nan, 3) end },
    } do
      local fine, message = pcall(case[2])
      assert.is_false(fine)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.is_nil(message:find "0x" or message:find "%-nan", message)
    end
  end)
end)

describe("a value in a text", function()
  it("with a decimal comma or gaps is refused", function()
    for _, text in ipairs{ "m=1,5", "m=1 000", "m=1, 5", "m=2 k=1,5" } do
      check.raises({ "decimal points and no gaps" }, function() hm.system "u":positive(text) end)
    end
    assert.equal(2, select("#", hm.system "u":positive "m=1, k=5"))
  end)
end)
