-- parameters that motions do not depend on, but the energy or measures do: charts, diagrams and branches over them
local hm, check = require "hamel", require "check"
local near = check.near

-- x'' + x + x^3 = 0 with the level p of its potential
local function shifted()
  local S = hm.system "shifted"
  local x = S:coordinates "x"
  local p, m = S:parameters "p=1 m=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/4 + p)
  return S, x, m
end

local function contains(result, words) assert(tostring(result):find(words, 1, true), tostring(result)) end

local function lacks(result, words) assert(not tostring(result):find(words, 1, true), tostring(result)) end

describe("a parameter that the energy alone contains", function()
  it("is counted for each column of a chart, and for levels of its starts", function()
    local S, x = shifted()
    local o = { over = { { "p", { 1, 2 } } }, q = { x = 0.3 }, v = { x = 0 }, t = 10 }
    o.of = { top = hm.highest(x) }
    contains(S:chart(o), "nothing depends on 'p'")
    o.of = { mean = hm.mean "energy" }
    local C = S:chart(o)
    lacks(C, "depend")
    near(C[2].mean - C[1].mean, 1, 1e-9)
    o.of = { top = hm.highest(x), mean = hm.mean "energy" }
    contains(S:chart(o), "of the columns only 'mean' depends on 'p'")
    o.of, o.v, o.over[2] = { top = hm.highest(x) }, nil, { "energy", { 2.5, 3 } }
    C = S:chart(o)
    lacks(C, "depends on")
    assert(C[1].top > C[3].top + 0.1, "a higher level of the potential leaves less")
    o = { along = { "p", { 1, 2 } }, of = "energy", stroboscope = 1, skip = 1, n = 2, q = { x = 0.3 }, v = { x = 0 } }
    lacks(S:diagram(o), "nothing depends")
    o.of = "x"
    contains(S:diagram(o), "nothing depends on 'p'")
  end)

  it("changes motions along a branch that keeps the energy, and none along one that does not", function()
    local S, x, m = shifted()
    local o = { periodic = { q = { x = 0.5 }, v = { x = 0 }, period = 6 }, along = "p", from = 0.5, to = 1.1 }
    local B = S:continue(o)
    for _, point in ipairs(B.points) do
      near(point.energy, B.points[1].energy, 1e-9)
      local E = point.energy - point.parameters.p
      near(point.q.x^2/2 + point.q.x^4/4 + point.v.x^2/2, E, 1e-9)
    end
    assert(B.points[1].period < B.points[#B.points].period - 0.1)
    o.along, o.to, o.from = "m", 2, nil
    check.raises("nothing depends on 'm': the motions do not change with it", S.continue, S, o)
    o.keep, o.points = { moment = hm.highest(m*x) }, 2
    B = S:continue(o)
    near(B.points[#B.points].moment/B.points[1].moment, B.points[#B.points].parameters.m, 1e-9)
    check.raises("'p': the motions do not change with it, only the energy and momenta contain it", S.continue, S,
      { equilibrium = { q = { x = 0.3 } }, along = "p" })
  end)

  it("is followed with a measure where a drive leaves no integral", function()
    local S = hm.system "driven"
    local y = S:coordinates "y"
    local w, p = S:parameters "w=1/2 p=1"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(y^2/2 + p)
    S:force(y, hm.cos(w*hm.t) - y.dot)
    local o = { periodic = { q = { y = 1 }, v = { y = 0 }, period = 2*hm.pi/w }, along = "p", from = 0, to = 2 }
    check.raises("only the energy and momenta contain it", S.continue, S, o)
    o.keep = { mean = hm.mean "energy" }
    local B = S:continue(o)
    -- the amplitude of the force over that of the motion is (1 - w^2) + i w
    local mean = (1 + 1/4)/((9/16 + 1/4)*4)
    for _, point in ipairs(B.points) do near(point.mean, mean + point.parameters.p, 1e-8) end
  end)
end)
