-- the methods taylor, radau5 and auto on mechanical systems
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local core = require "hamel.core"
local near = check.near

local function pendulum(damping)
  local S, phi = mechanics.body("pendulum", "phi")
  S:potential_energy(-hm.cos(phi))
  if damping then S:force(phi, -damping*phi.dot) end
  return S, phi
end
local start = { q = { phi = 1 }, v = { phi = 0 } }
local function run(S, method, more)
  local o = { q = start.q, v = start.v, t = 10, rtol = 1e-12, atol = 1e-12, method = method }
  for k, value in pairs(more or {}) do o[k] = value end
  return S:simulate(o)
end

describe("taylor", function()
  it("meets dop853 at the points and between them, forward and backward", function()
    local S = pendulum(hm.number "0.1")
    local reference, series = run(S, "dop853", { rtol = 1e-14, atol = 1e-14 }), run(S, "taylor")
    for i = 0, 1000 do near(series:at(i/100).phi, reference:at(i/100).phi, 2e-12) end
    near(series.energy_drift, 0, 1e-11)                                   -- the work of the damper is a quadrature
    local s = series:at(10)
    local back = S:simulate{ q = { phi = s.phi }, v = { phi = s.v.phi }, t = { 10, 0 }, rtol = 1e-12, atol = 1e-12, method = "taylor" }
    near(back:at(0).phi, 1, 1e-10)
    assert.truthy(series.outcome.steps < reference.outcome.steps/3)
  end)

  it("locates events", function()
    local S, phi = pendulum()
    local a = run(S, "taylor", { events = { { name = "low", when = phi } } }).events
    local b = run(S, "dop853", { events = { { name = "low", when = phi } }, rtol = 1e-14, atol = 1e-14 }).events
    assert.equal(#b, #a)
    for i = 1, #a do near(a[i].t, b[i].t, 1e-11) end
  end)

  it("sees a parameter that an event changes, and time in the equations", function()
    local S, x = mechanics.body("driven", "x")
    S:potential_energy(x^2/2)
    S:force(x, hm.sin(2*hm.t))
    -- x'' + x = sin 2t from rest: x = (2 sin t - sin 2t)/3
    local r = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 20, rtol = 1e-13, atol = 1e-13, method = "taylor" }
    for t = 0, 20 do near(r:at(t).x, (2*math.sin(t) - math.sin(2*t))/3, 1e-12) end
  end)

  it("says what it needs", function()
    local S, phi = pendulum()
    S:force(phi, function() return 0 end)
    check.raises({ "taylor", "formulas" }, run, S, "taylor")
    assert.equal("OK", run(S, "auto").status)
  end)
end)

describe("auto", function()
  it("takes the series where the tolerance is tight and the system small", function()
    local S = pendulum()
    local tight, loose = { rtol = 1e-13, atol = 1e-13 }, { rtol = 1e-5, atol = 1e-5 }
    local a, b, c = run(S, "auto", tight), run(S, "taylor", tight), run(S, "auto", loose)
    assert.equal(b:at(7).phi, a:at(7).phi)
    assert.equal(run(S, "dop853", loose):at(7).phi, c:at(7).phi)
  end)

  it("leaves the series where they are held up by a decay", function()
    local S, x = mechanics.body("damper", "x")
    S:force(x, -1e4*(x.dot - hm.cos(hm.t)) - x)
    local o = { q = { x = 1 }, v = { x = 0 }, t = 20, method = "auto", rtol = 1e-10, atol = 1e-10 }
    local r = S:simulate(o)
    o.method = "radau5"
    near(r:at(20).x, S:simulate(o):at(20).x, 1e-9)
    assert.truthy(r.outcome.stiff_steps > 100 and r.outcome.steps < 3000)
  end)

  it("notices a stiff damper and says so", function()
    local S = pendulum(1e6)
    local r = run(S, "auto", { rtol = 1e-7, atol = 1e-7, t = 1000 })
    assert.equal("OK", r.status)
    assert.truthy(r.outcome.stiff_steps > 10 and r.outcome.steps < 3000)
    assert.truthy(tostring(r):find("steps stiff", 1, true))
    -- phi' = -sin(phi)/c in the limit: tan(phi/2) = tan(1/2) exp(-t/c)
    near(r:at(1000).phi, 2*math.atan(math.tan(0.5)*math.exp(-1e-3)), 1e-6)
  end)
end)

describe("a right-hand side that jumps", function()
  local function dry()
    local S, x = mechanics.body("dry", "x")
    S:force(x, -2*hm.sign(x))
    return S
  end

  -- arbiter: parabolas, period 4
  it("is followed from jump to jump", function()
    for _, method in ipairs{ "dop853", "auto", "taylor", "radau5", "rk8pd", "msadams" } do
      local r = dry():simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, method = method }
      assert.equal("OK", r.status)
      near(r:at(10).x, -1, method == "msadams" and 1e-6 or 1e-9)
      assert.is_nil(tostring(r):find("jumps", 1, true))
    end
  end)

  it("is refused by reference solutions", function()
    if core.has_quad then assert.error_matches(function() dry():reference{ q = { x = 1 }, v = { x = 0 }, t = 10 } end, "not smooth") end
  end)

  it("and a tolerance that cannot be met end with a reason", function()
    local r = dry():simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, rtol = 1e-14, atol = 1e-300 }
    assert.truthy(r.status == "STEP_COLLAPSED" or r.status == "OK")
    if r.status ~= "OK" then assert.truthy(r.outcome.message:find("still missed the tolerance", 1, true)) end
    assert.error_matches(function() dry():simulate{ q = { x = 1 }, v = { x = 0 }, t = 1, rtol = 1e-16 } end, "below the precision of doubles")
  end)
end)

describe("radau5", function()
  it("runs constrained and forced systems, with exact derivatives and with differences", function()
    local S = check.sleigh(hm)
    local o = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 5, rtol = 1e-9, atol = 1e-9 }
    local reference = S:simulate(o)
    o.method = "radau5"
    local r = S:simulate(o)
    for t = 0, 5 do near(r:at(t).x, reference:at(t).x, 1e-6) end
    local P, phi = pendulum()
    P:force(phi, function(_, q) return -10*q.phi end)
    local exact = pendulum()
    exact:force(exact:symbol "phi", -10*exact:symbol "phi")
    near(run(P, "radau5", { rtol = 1e-8, atol = 1e-8 }):at(9).phi, run(exact, "dop853"):at(9).phi, 1e-5)
  end)
end)

describe("S:reference", function()
  it("gives thirty digits", function()
    if not core.has_quad then return end
    -- Kepler's ellipse, e = 1/2: after a period the start again, half way the apocentre
    local S = mechanics.kepler()
    -- at t = 3 from u - e sin u = t in forty digits, with the start x = 1/2, y' = 1.7320508075688772 (the double)
    local o = { q = { x = 0.5, y = 0 }, v = { x = 0, y = math.sqrt(3) }, t = 3, digits = 30 }
    local r = S:reference(o)
    local series = S:simulate{ q = o.q, v = o.v, t = 3, rtol = 1e-14, atol = 1e-14, method = "taylor" }
    near(tonumber(r.q.x), series:at(3).x, 1e-14)
    assert.truthy(#r.q.x >= 30)
    -- independent: there and back again
    local h, u = mechanics.body("oscillator", "u")
    h:potential_energy(u^2/2)
    -- few digits are as good as they are many: cos(10 sqrt(7/3)) in forty digits
    local H = hm.system "two parameters"
    local w = H:coordinates "w"
    local mass, stiffness = H:positive "m=3 k=7"
    H:kinetic_energy(mass*w.dot^2/2)
    H:potential_energy(stiffness*w^2/2)
    local long = "-0.9078322944516749332906868811968"
    for _, digits in ipairs{ 12, 14, 16, 17, 20, 28 } do
      local text = H:reference{ q = { w = 1 }, v = { w = 0 }, t = 10, digits = digits }.q.w
      assert.equal(long:sub(1, digits + 1), text:sub(1, digits + 1))
    end
    local c = h:reference{ q = { u = 1 }, v = { u = 0 }, times = { 1, 2, 3 }, digits = 32 }
    -- cos 1, cos 2, cos 3 to 34 digits
    local wanted = { "0.540302305868139717400936607442976603", "-0.416146836547142386997568229500762189", "-0.9899924966004454572715727947312613023936" }
    for k = 1, 3 do assert.equal(wanted[k]:sub(1, k == 1 and 31 or 32), c[k].q.u:sub(1, k == 1 and 31 or 32)) end
    near(tonumber(c[3].v.u), -math.sin(3), 1e-15)
  end)

  it("refuses what it cannot do", function()
    local S, phi = pendulum()
    check.raises({ "end time" }, S.reference, S, { q = start.q, v = start.v })
    check.raises({ "one way" }, S.reference, S, { q = start.q, v = start.v, times = { 2, 1, 3 } })
    S:force(phi, function() return 0 end)
    check.raises({ "no formula" }, S.reference, S, { q = start.q, v = start.v, t = 1 })
  end)
end)
