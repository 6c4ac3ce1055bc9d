-- S:enclosure up to a section: times of closed solutions, in every form. Arbiters: the oscillator, the regular precession of a top, other forms and runs.
local hm, check, core = require "hamel", require "check", require "hamel.core"

if not core.has_arb then
  describe("ball arithmetic", function() pending "skipped: this build has none (HAMEL_ARB)" end)
  return
end

local function with(o, more)
  local result = {}
  for _, list in ipairs{ o, more } do for name, value in pairs(list) do result[name] = value end end
  return result
end

describe("an enclosure up to a section", function()
  it("ends at the crossing that was asked for", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local start = { q = { x = 0 }, v = { x = 1 }, t = 20 }
    local function time(more) return S:enclosure(with(start, more)).time end
    -- the start on the section leaves it first
    assert.is_true(time{ section = x }:contains(2*hm.pi) and time{ section = x, crossing = 2 }:contains(4*hm.pi))
    assert.is_true(time{ section = { when = x, direction = "falling" } }:contains(hm.pi))
    assert.is_true(time{ section = { when = x, direction = "both" }, crossing = 3 }:contains(3*hm.pi))
    assert.is_true(time{ section = x, at = "1/2" }:contains(hm.pi/6))
    local e = S:enclosure(with(start, { section = x.dot, at = "1/2", bits = 100 }))
    assert.is_true(e.time:contains(5*hm.pi/3) and e.q.x:contains(-hm.sqrt(3)/2) and e.v.x:contains(hm.rational(1, 2)) and e.time.radius < 1e-25)
    assert.equal("NO_CROSSING", S:enclosure(with(start, { section = x, t = 6 })).status)
    check.raises({ "either a section or times" }, S.enclosure, S, { q = start.q, v = start.v, section = x, times = { 1 } })
  end)

  -- The axis goes round the vertical at 2 rad/s: A P^2 cos(theta) - C r P + m g c = 0 gives the spin r
  it("takes direction cosines, their rates and body rates in every form", function()
    local S = hm.system "top"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local A, C, m, g, c = S:positive "A=1 C=1/2 m=1 g=9.81 c=1/2"
    S:body("top", { at = c*R.z, frame = R, mass = m, inertia = {A, A, C}, about = S.origin })
    S:gravity(-g*N.z)
    local half = hm.rational(1, 2)
    local spin = 4*hm.cos(half) + hm.number "9.81"/2
    local start = { q = { R = { axis = {1, 0, 0}, angle = half } }, v = { R = 2*N.z + (spin - 2*hm.cos(half))*R.z }, t = 5 }
    local across, q = R.z:dot(N.y), select(2, R:rates())
    for _, form in ipairs{ "lagrange", "hamel", "canonical" } do
      local function time(when, direction)
        local e = S:enclosure(with(start, { section = { when = when, direction = direction }, form = form }))
        assert(e.status == "OK", tostring(e))
        assert.is_true(e.time.radius < 1e-14)
        return e.time
      end
      assert.is_true(time(across, "rising"):contains(hm.pi/4) and time(across, "falling"):contains(3*hm.pi/4), form)
      assert.is_true(time(hm.dt(R.z:dot(N.x)), "falling"):contains(hm.pi/4), form)
      -- the vertical in the body: q = 2 sin(1/2) cos(s t) where the spin relative to the precession is s
      assert.is_true(time(q, "falling"):contains(hm.pi/2/(spin - 2*hm.cos(half))), form)
    end
  end)

  it("divides steps over which the accelerations are not known", function()
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    local m, J = S:positive "m=1 J=1/5"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
    S:potential_energy(x^2/2 + y^2)
    S:constraint("blade", y.dot*hm.cos(theta) - x.dot*hm.sin(theta))
    local start = { q = { x = 1, y = 0, theta = 0 }, v = { theta = 1, x = 1 }, t = 5, section = { when = x.dot, direction = "falling" } }
    local e, other = S:enclosure(with(start, { form = "lagrange" })), S:enclosure(with(start, { form = "hamel" }))
    assert(e.status == "OK" and other.status == "OK", tostring(e))
    assert.is_true(e.time:meets(other.time) and e.q.y:meets(other.q.y) and e.time.radius < 1e-14)
    local run = S:simulate{ q = start.q, v = start.v, t = 1, rtol = 1e-12, atol = 1e-14 }
    check.near(run:at(other.time.lower).v.x, 0, 1e-10)
  end)
end)

describe("prove_equilibrium and prove_periodic", function()
  it("keep direction cosines", function()
    local S = hm.system "top"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = {1, 1, "1/2"}, about = S.origin })
    S:gravity(-9.81*N.z)
    -- hanging at rest, turned about the vertical: any turn is at rest, so the heading chooses one
    local start = { q = { R = { axis = {1, 0, 0}, angle = hm.pi } }, v = { R = 0*N.z } }
    local proof = S:prove_equilibrium(with(start, { keep = { R.x:dot(N.y) } }))
    assert(proof.proved, tostring(proof))
  end)
end)
