-- branches of periodic motions: corners of their equations and walls that they begin to reach, curves of these, and starts that are no motions
local hm, check = require "hamel", require "check"
local near = check.near

-- x'' + x'/10 + x + 4 max(x - 1, 0) = F cos(w t), w = 3/5: up to the amplitude 1 a linear oscillator
local function bilinear(with_wall)
  local S = hm.system "bilinear"
  local x = S:coordinates "x"
  local F, w = S:parameters "F=3/10 w=3/5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, F*hm.cos(w*hm.t) - x.dot/10 + 4*(with_wall and hm.max(-x - 3/2, 0) or -hm.max(x - 1, 0)))
  if with_wall then S:unilateral("wall", 1 - x, { law = hm.newton(hm.rational(1, 2)) }) end
  return S, x, w
end

local function amplitude(w, damping) return 1/math.sqrt((1 - w^2)^2 + (damping*w)^2) end

local function contains(result, words) assert(tostring(result):find(words, 1, true), tostring(result)) end

local function points_of(B, kind)
  local list = {}
  for _, item in ipairs(B.special) do if item.kind == kind then list[#list + 1] = item end end
  return list
end

describe("a corner of the equations", function()
  it("that motions begin to reach is a special point, and these a curve", function()
    local S, _, w = bilinear()
    local B = S:continue{ periodic = { q = { x = 0.4 }, v = { x = 0 }, period = 2*math.pi/w }, along = "F", from = 0.5, to = 0.8,
      parameters = { F = 0.6 } }
    local corners = points_of(B, "corner")
    assert.equal(1, #corners, tostring(B))
    assert.equal(1, #B.special)
    near(corners[1].value, 1/amplitude(0.6, 0.1), 1e-10)
    contains(B, "corner   F = 0.6428063472   the equations have a corner where x - 1 = 0, which the motion only touches")
    local C = S:continue{ corner = corners[1], along = { "w", "F" }, from = { 0.55, 0.5 }, to = { 0.65, 0.8 }, step = 0.05, largest = 0.1 }
    -- drawn in the plane of both parameters
    local script, svg = os.tmpname() .. ".gp", os.tmpname() .. ".svg"
    C:plot{ file = svg, script = script }
    local text, first = assert(io.open(script)):read "a", C.points[1].parameters
    os.remove(script)
    os.remove(svg)
    assert(text:find("set xlabel 'w'", 1, true) and text:find("set ylabel 'F'", 1, true), text)
    assert(text:find(("%.15g %.15g"):format(first.w, first.F), 1, true), text)
    contains(C, "curve of corner points along w and F")
    assert(#C.points >= 3)
    for _, point in ipairs(C.points) do near(point.parameters.F*amplitude(point.parameters.w, 0.1), 1, 1e-9) end
    local path = os.tmpname() .. ".branch"
    B:save(path)
    local read = hm.load(path, S)
    os.remove(path)
    assert.equal("x - 1", points_of(read, "corner")[1].name)
    -- a curve starts from there, too
    local again = S:continue{ corner = points_of(read, "corner")[1], along = { "w", "F" }, from = { 0.55, 0.5 }, to = { 0.65, 0.8 }, step = 0.05,
      largest = 0.1 }
    assert(#again.points >= 3)
    for _, point in ipairs(again.points) do near(point.parameters.F*amplitude(point.parameters.w, 0.1), 1, 1e-9) end
  end)

  it("is found along the energy: x'' + x + max(x - 1, 0) = 0 at 1/2", function()
    local S = hm.system "spring"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + hm.max(x - 1, 0)^2/2)
    local B = S:continue{ periodic = { q = { x = 0.5 }, v = { x = 0 }, period = 2*math.pi }, along = "energy", from = 0.05, to = 1 }
    assert.equal(1, #B.special, tostring(B))
    assert.equal("corner", B.special[1].kind)
    near(B.special[1].value, 0.5, 1e-10)
  end)

  it("is found between impacts", function()
    local S, x, w = bilinear(true)
    local T, set = 2*math.pi/0.6, { F = 0.7 }
    local state = S:simulate{ q = { x = -0.9 }, v = { x = 0 }, t = 60*T, parameters = set }:at(60*T)
    local B = S:continue{ periodic = { q = state.q, v = state.v, period = 2*math.pi/w }, along = "F", from = 0.65, to = 0.7, parameters = set,
      keep = { low = hm.lowest(x) } }
    local corner = points_of(B, "corner")[1]
    assert.equal("-x - 3/2", corner.name, tostring(B))
    near(corner.point.low, -1.5, 1e-9)
    assert.equal(1, #corner.point.impacts)
  end)

  it("at which a parameter alone arrives is one point, or the branch ends there and says so", function()
    for factor, passes in pairs{ [1/100] = true, [3] = false } do
      local S = hm.system "line"
      local x = S:coordinates "x"
      local p, w = S:parameters "p=1/5 w=3/5"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy((1 + factor*hm.abs(p))*x^2/2)
      S:force(x, hm.cos(w*hm.t) - x.dot/5)
      local B = S:continue{ periodic = { q = { x = 0.9 }, v = { x = 0 }, period = 2*math.pi/w }, along = "p", from = -0.1, to = 0.2 }
      if passes then
        assert.equal(1, #B.special, tostring(B))
        assert.equal("corner", B.special[1].kind)
        near(B.special[1].value, 0, 1e-10)
      else
        contains(B, "abs(p) is not smooth where p = 0; begin again on its other side")
      end
    end
  end)
end)

describe("a touch", function()
  local function oscillator()
    local S = hm.system "impact oscillator"
    local x = S:coordinates "x"
    local w, F = S:parameters "w=3/2 F=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, F*hm.cos(w*hm.t) - x.dot/5)
    S:unilateral("wall", 1 - x, { law = hm.newton(hm.rational(4, 5)) })
    return S, w
  end

  it("of a wall starts the curve of grazing motions over two parameters", function()
    local S, w = oscillator()
    local B = S:continue{ periodic = { q = { x = -0.7 }, v = { x = 0 }, period = 2*math.pi/w }, along = "w", from = 1.3, to = 1.6, parameters = { w = 1.5 } }
    local touch = points_of(B, "touch")[1]
    near(touch.value, 1.4, 1e-10)
    for _, kind in ipairs{ "grazing", "touch" } do
      local C = S:continue{ [kind] = touch, along = { "w", "F" }, from = { 1.3, 0.5 }, to = { 1.5, 2 }, step = 0.1, largest = 0.2,
        both = kind == "touch" }
      contains(C, "curve of touch points along w and F")
      assert(#C.points >= 2)
      for _, point in ipairs(C.points) do near(point.parameters.F*amplitude(point.parameters.w, 0.2), 1, 1e-9) end
    end
  end)

  it("of a limit of friction keeps the ratio of friction and force; a start in another order is no motion", function()
    local S = hm.system "dry friction"
    local x = S:coordinates "x"
    local F, mu = S:parameters "F=1 mu=3/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, F*hm.cos(0.7*hm.t) - x.dot/10)
    S:friction("f", { slip = x.dot, normal = 1, coefficient = mu })
    local T = 2*math.pi/0.7
    local o = { periodic = { q = { x = 1.73 }, v = { x = 0.47 }, period = T }, along = "mu", from = 0.55, to = 0.7 }
    -- the run from this start sticks once before it settles to two reversals in a period
    local said = check.message(S.continue, S, o)
    for _, words in ipairs{ "is no motion: a duration is -0.1", "no time is left before the next switch at 'f'", "state of a run after many periods" } do
      contains(said, words)
    end
    local state = S:simulate{ q = o.periodic.q, v = o.periodic.v, t = 60*T }:at(59*T + 0.1)
    o.periodic = { q = { x = state.q.x }, v = { x = state.v.x }, t = 0.1, period = T }
    local B = S:continue(o)
    local touch = points_of(B, "touch")[1]
    assert.equal(2, #B.points[1].sequence)
    check.raises("friction of 'f' is reached, and no gap: touch = in place of grazing = follows it", S.continue, S, { grazing = touch, along = { "mu", "F" } })
    local C = S:continue{ touch = touch, along = { "mu", "F" }, from = { 0.6, 0.9 }, to = { 0.68, 1.1 }, step = 0.04, largest = 0.05 }
    for _, point in ipairs(C.points) do near(point.parameters.mu/point.parameters.F, touch.value, 1e-9) end
  end)
end)
