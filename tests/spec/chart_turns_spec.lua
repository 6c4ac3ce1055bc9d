-- charts of motions in which angles turn on: states whole turns apart are one
local hm, check = require "hamel", require "check"
local whole_turns = require "hamel.analysis.whole_turns"
local cos = hm.cos

-- a'' + a'/2 + sin a = g cos(2t/3), the torque `more` besides
local function driven_pendulum(more)
  local S = hm.system "driven pendulum"
  local a = S:coordinates "a"
  local g, k = S:parameters "g=3/2 k=0"
  S:kinetic_energy(a.dot^2/2)
  S:potential_energy(-cos(a))
  S:force(a, -a.dot/2 + g*cos(hm.rational(2, 3)*hm.t))
  if more then S:force(a, more(a, k)) end
  return S, a
end

local DRIVE = 3*math.pi

local function periods(S, o)
  o.q, o.v, o.of, o.stroboscope, o.skip, o.rtol, o.atol = o.q or { a = 0.2 }, { a = 0 }, "period", DRIVE, (o.points or 260)*DRIVE, 1e-11, 1e-12
  o.t, o.points = o.skip + 60*DRIVE, nil
  return S:chart(o)
end

describe("whole turns", function()
  it("are those that the equations do not see", function()
    local function turns_of(V, force)
      local S = hm.system "two angles"
      local a, b = S:coordinates "a b"
      local k = S:parameters "k=1"
      S:kinetic_energy(a.dot^2/2 + b.dot^2*(2 + cos(a - b)))
      S:potential_energy(V(a, b, k))
      if force then S:force(a, force(a, k)) end
      local found = whole_turns.of(S)
      local function text(name) return found.angles[name] and tostring(found.angles[name]) or "-" end
      return text "a" .. " " .. text "b"
    end
    local half = hm.rational(1, 2)
    assert.equal("2*pi 2*pi", turns_of(function(a) return -cos(a) end))
    assert.equal("4*pi 2*pi", turns_of(function(a) return -cos(a/2) end))
    assert.equal("2*pi 2*pi", turns_of(function(a) return -cos(2*a) end))
    assert.equal("- 2*pi", turns_of(function(a, _, k) return -cos(k*a) end))
    assert.equal("- -", turns_of(function(a, b) return -cos(a) + (a - b)^2 end))
    assert.equal("- 2*pi", turns_of(function(a, _, k) return -cos(a) + k*a^2 end))
    assert.equal("- -", turns_of(function(a, b) return -cos(a*b) end))
    assert.equal("12*pi 2*pi", turns_of(function(a) return cos(a) end, function(a) return hm.sin(hm.t - half*a) + hm.sign(cos(a/3)) end))
    assert.equal("- 2*pi", turns_of(function(a) return cos(a) end, function(a) return hm.sin(hm.t*a) end))
    local W = hm.system "washboard"
    local x = W:coordinates "x"
    local l = W:parameters "l=2"
    W:kinetic_energy(x.dot^2/2)
    W:potential_energy(cos(2*hm.pi*x/l) + cos(6*hm.pi*x/l))
    assert.equal("l", tostring(whole_turns.of(W).angles.x))
    W:unilateral("end", 10 - x, { law = hm.newton(1/2) })
    assert(whole_turns.of(W).angles.x == nil, "a wall is at one place")
  end)

  it("are no change over the period of a rotation that is locked to its drive", function()
    -- the periods were found by scipy, which compared cos a, sin a and a'
    local C = periods(driven_pendulum(), { over = { { "g", { 0.9, 1.35, 1.4, 1.45, 1.47, 1.5 } } } })
    for i, want in ipairs{ 1, 1, 1, 2, 4, 0 } do
      assert(C[i].period == want and C[i].status == "OK", ("g = %g: %s %s"):format(C[i].g, C[i].period, C[i].status))
    end
  end)

  it("of an angle count where a spring, or a half of the angle, sees them", function()
    local half = driven_pendulum(function(a, k) return -k*hm.sin(a/2) end)
    local C = periods(half, { over = { { "k", { 0, 0.01 } } }, parameters = { g = 1.4 } })
    assert(C[1].period == 1 and C[2].period == 2, "two turns where there is a half of the angle, and one where its factor is zero")
    -- nothing is left of the angle where its factors are zero: it has the turn that it has elsewhere
    local W = hm.system "washboard that vanishes"
    local x = W:coordinates "x"
    local factor = W:parameters "k=0"
    W:kinetic_energy(x.dot^2/2)
    W:potential_energy(factor*cos(x/2))
    W:force(x, 1 - x.dot)
    for _, kind in ipairs{ "period", "basin" } do
      local rows = W:chart{ over = { { "k", { 0, 0.1 } } }, q = { x = 0.1 }, v = { x = 0 }, of = kind, section = { when = hm.sin(x/4) }, t = 400, skip = 200,
                            rtol = 1e-10 }
      for _, row in ipairs(rows) do assert(row.period == 1 or row.label and row.label ~= "unsettled", tostring(rows)) end
    end
    local spring = driven_pendulum(function(a, k) return -k*a end)
    C = periods(spring, { over = { { "k", { 0, 1e-5, 1e-8 } } }, parameters = { g = 1.4 } })
    assert(C[1].period == 1 and C[1].status == "OK")
    -- the spring holds it when it has turned far enough: until then it goes on
    assert(C[2].period == nil and C[2].status == "UNDECIDED" and C[2].reason:find("goes one way", 1, true), C[2].reason)
    -- all but the angle repeats up to `close`
    assert(C[3].period == nil and C[3].status == "UNDECIDED" and C[3].reason:find("all repeats but a, which gains -6.28319", 1, true), C[3].reason)
  end)

  it("are not decided where a force is a Lua function", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    S:force(a, function(_, _, v) return 0.5 - 0.1*v.a end)
    local o = { over = { { "a'", { 0, 3 } } }, q = { a = 0 }, of = "period", section = { when = hm.sin(a) }, t = 200, skip = 100, rtol = 1e-10 }
    local C = S:chart(o)
    assert(C[2].period == nil and C[2].status == "UNDECIDED" and C[2].reason:find("write it as an expression", 1, true), C[2].reason)
    o.of, o.skip = "basin", nil
    C = S:chart(o)
    assert(C[2].label == "unsettled" and tostring(C):find("give attractors = { on = { [\"a'\"] = ... } }", 1, true), tostring(C))
    o.section, o.attractors, o.radius = nil, { on = { ["a'"] = 5 }, rest = { ["a'"] = 0 } }, 1
    C = S:chart(o)
    assert(C[1].label == "rest" and C[2].label == "on")
  end)

  it("are one attractor, of rest and of rotation", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    local T = S:parameters "T=1/2"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    S:force(a, T - a.dot/10)
    -- rest at sin a = 1/2, or a rotation at a rate near T/c = 5
    for _, section in ipairs{ false, { when = hm.sin(a/2) }, { when = hm.sin(a) } } do
      local o = { over = { { "a'", { 0, 1, 3, 6 } } }, q = { a = 0 }, of = "basin", t = 400, section = section or nil }
      local C = S:chart(o)
      for i, label in ipairs{ "1", "1", "2", "2" } do assert(C[i].label == label, tostring(C)) end
    end
    -- without a torque it comes to rest after as many turns as it likes
    local o = { over = { { "a'", { 0.5, 3, 5, 8, -8 } } }, q = { a = 0 }, of = "basin", t = 400, parameters = { T = 0 } }
    for _, row in ipairs(S:chart(o)) do assert(row.label == "1") end
    local counted = S:chart{ over = o.over, q = o.q, t = 400, parameters = o.parameters, of = { "mean a", "max a" } }
    assert(counted[4]["max a"] > 6*math.pi, "several turns")
    o.attractors = { down = { a = 0 } }
    for _, row in ipairs(S:chart(o)) do assert(row.label == "down") end
    o.attractors = { here = { a = 0 }, there = { a = 2*math.pi } }
    check.raises({ "'here' and 'there' are not apart", "whole turns" }, S.chart, S, o)
  end)

  it("have a length of their own on a washboard, which a parameter sets", function()
    local S = hm.system "washboard"
    local x = S:coordinates "x"
    local l = S:parameters "l=2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-cos(2*hm.pi*x/l)/10)
    S:force(x, hm.rational(1, 5) - x.dot/10)
    local C = S:chart{ over = { { "l", { 1, 2 } }, { "x'", { 0, 4 } } }, q = { x = 0.1 }, of = "basin", t = 400 }
    assert(C[1].label ~= C[2].label and C[3].label ~= C[4].label and C[2].label ~= "unsettled" and C[4].label ~= "unsettled", tostring(C))
    local P = S:chart{ over = { { "l", { 1, 2 } } }, v = { x = 4 }, q = { x = 0.1 }, of = "period", section = { when = hm.sin(hm.pi*x/l) }, t = 400, skip = 300,
                       rtol = 1e-10 }
    for _, row in ipairs(P) do assert(row.period == 1, tostring(P)) end
    -- a wave of infinite length has no turn
    local flat = hm.system "flat"
    local y = flat:coordinates "y"
    local k = flat:parameters "k=0"
    flat:kinetic_energy(y.dot^2/2)
    flat:potential_energy(-cos(k*y))
    flat:force(y, 1 - y.dot)
    local F = flat:chart{ over = { { "k", { 0, 1/2 } } }, q = { y = 0.1 }, v = { y = 0 }, of = "basin", t = 100 }
    assert(F[1].label == "unsettled" and F[2].status == "OK" and F[2].label ~= "unsettled", tostring(F))
  end)

  it("of a body by a unit quaternion change its sign alone", function()
    local S = hm.system "turning bob"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local bob = S:body("bob", { at = -1*R.z, frame = R, mass = 1, inertia = { 1.1, 1.1, 0.1 }, about = S.origin })
    S:gravity(-1*N.z)
    local p, q, r = R:rates()
    S:constraint("no q", q)
    S:constraint("no r", r)
    S:torque(bob, (hm.rational(1, 2) - p/10)*R.x)
    assert(#whole_turns.of(S).signless == 1)
    local o = { over = { { "p", { 0, 6 } } }, q = { R = { 1, 0, 0, 0 } }, v = { q = 0, r = 0 }, t = 200, rtol = 1e-10, of = "basin",
                section = { when = R.y:dot(N.z), direction = "both" } }
    o.section.direction, o.of, o.skip = "rising", "period", 150
    local C = S:chart(o)
    assert(C[2].period == 1, tostring(C))
    o.of, o.skip, o.section, o.over = "basin", nil, nil, { { "p", { -1, 0, 3, 6 } } }
    C = S:chart(o)
    assert(C[1].label == C[2].label and C[3].label == C[4].label and C[1].label ~= C[3].label, tostring(C))
  end)
end)
