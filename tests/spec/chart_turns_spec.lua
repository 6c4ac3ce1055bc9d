-- charts of motions in which angles turn on: states whole turns apart are one
local hm, check = require "hamel", require "check"
local whole_turns = require "hamel.analysis.whole_turns"
local cos, near = hm.cos, check.near

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
end)
