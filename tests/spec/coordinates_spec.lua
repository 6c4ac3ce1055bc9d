-- The form "coordinates": bodies by Lagrange's equations with the entries of quaternions as coordinates, against the way by vectors and body rates.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

-- Accelerations and reactions at a state, and the motion, are those of "lagrange"
local function agree(S, start, t)
  local here = { q = start.q, v = start.v, t = start.from }
  local want, got = S:accelerations(here), S:accelerations{ form = "coordinates", q = start.q, v = start.v, t = start.from }
  for name, value in pairs(want.a) do near(got.a[name], value, 1e-9*(1 + math.abs(value)), name .. "''") end
  for name, value in pairs(want.lambda) do near(got.lambda[name], value, 1e-9*(1 + math.abs(value)), "lambda." .. name) end
  local C = S:compare{ forms = { "lagrange", "coordinates" }, q = start.q, v = start.v, t = t, rtol = 1e-11, atol = 1e-12 }
  assert.is_true(C:largest "coordinates" < 1e-7, tostring(C))
  local run = C.runs.coordinates
  assert.are.equal("OK", run.status)
  assert.is_true(run.energy_drift < 1e-9 and run.constraint_drift < 1e-9)
  return run
end

describe("bodies in coordinates", function()
  it("a top with torques, damping and a motor", function()
    local S = hm.system "top"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local p, _, r = R:rates()
    local top = S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = {1, 1.2, 1/2, xy = 0.1}, about = S.origin })
    S:gravity(-9.81*N.z)
    S:torque(top, 0.3*N.x*hm.sin(hm.t) - 0.05*R:angular_velocity())
    S:force(r, 0.2)
    S:force(top, N:vector(0.1, 0.2, 0.3), top:point(0.1, 0, 0.5))
    S:dissipation(0.02*p^2)
    local run = agree(S, { q = { R = {"zxz", 0.3, 0.5, 0.2} }, v = { p = 0.1, q = 0.2, r = 6 } }, 2)
    -- the states have the rates by name, and the multiplier of the unit length is kept apart
    near(run:at(1).p, run:at(1).v.p, 1e-12, "p")
    assert.is_truthy(run:at(1).lambda.R_unit)
  end)
  it("a rolling disc, started where one entry of its quaternion is 1", function()
    local S = hm.system "disc"
    local N, R = S:frame "N", S:rotation "R"
    local disc = S:body("disc", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"disc", radius = 0.5, axis = "y"} })
    S:rolls("roll", disc, N:plane())
    S:gravity(-9.81*N.z)
    agree(S, { q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {0.2, 6, 0.3} } }, 2)
  end)
  it("a ball in a turning cylinder, whose distance is kept without a multiplier", function()
    local S = hm.system "cylinder"
    local N, R = S:frame "N", S:rotation "R"
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.2} })
    local roll = S:rolls("roll", ball, N:rotate("z", 0.8*hm.t):cylinder{ radius = 1, inside = true })
    S:gravity(-9.81*N.z)
    local run = agree(S, { q = { x = 0.8, y = 0, z = 0, R = {1, 0, 0, 0} }, v = { R = {1, 1.5, -4} } }, 3)
    near(run:at(3, roll.gap), 0, 1e-10, "distance")
  end)
  it("a chain by joints, and by relative rotations", function()
    for _, joined in ipairs{ true, false } do
      local S = hm.system "chain"
      local N = S:frame "N"
      local P = S:rotation "P"
      local Q = S:rotation("Q", { from = not joined and P or nil })
      local knee = S.origin - P.z
      local a = S:body("upper", { at = joined and S:point "x1 y1 z1" or S.origin - P.z/2, frame = P, mass = 1, inertia = {1/12, 1/12, 1/1000} })
      local b = S:body("lower", { at = joined and S:point "x2 y2 z2" or knee - Q.z/2, frame = Q, mass = 2, inertia = {1/12, 1/11, 1/100} })
      if joined then
        S:joint("hip", "spherical", S.origin, a:point(0, 0, 0.5))
        S:joint("knee", "spherical", a:point(0, 0, -0.5), b:point(0, 0, 0.5))
      end
      S:gravity(-9.81*N.z)
      agree(S, { q = { P = { axis = {1, 0, 0}, angle = 0.5 }, Q = {1, 0, 0, 0} }, v = { P = {0, 1, 0}, Q = {0.5, 0, 0} } }, 1.5)
    end
  end)
  it("turned by angles: without vectors the same rows as with them", function()
    local S = hm.system "angles"
    local N = S:frame "N"
    local phi, theta, psi = S:coordinates "phi theta psi"
    local R = N:rotate("z", phi):rotate("x", theta):rotate("z", psi)
    local disc = S:body("disc", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"disc", radius = 0.5} })
    S:rolls("roll", disc, N:plane())
    S:gravity(-9.81*N.z)
    agree(S, { q = { x = 0, y = 0, phi = 0.1, theta = 1.2, psi = 0 }, v = { phi = 0.4, theta = 0.1, psi = 5 } }, 2)
  end)
  it("in sweeps, files and C", function()
    local S = hm.system "files"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = {1, 1, 1/2}, about = S.origin })
    S:gravity(-9.81*N.z)
    local start = { q = { R = {"zxz", 0.3, 0.5, 0.2} }, v = { p = 0.1, q = 0.2, r = 6 }, t = 1, rtol = 1e-10, atol = 1e-11 }
    local want = S:simulate(start):at(1)
    start.form = "coordinates"
    local sweep = S:sweep{ over = { { "v.r", { 6, 7 } } }, form = "coordinates", q = start.q, v = { p = 0.1, q = 0.2 }, t = 1, rtol = 1e-10, atol = 1e-11 }
    assert.are.equal("OK", sweep[1].status)
    local path = os.tmpname() .. ".hamel"
    S:simulate(start):save(path)
    local loaded = hm.load(path)
    os.remove(path)
    near(loaded:at(1).R1, want.R1, 1e-8, "loaded")
  end)
  it("is refused where the coordinates of 'lagrange' are the same, and with contacts", function()
    local S = hm.system "plain"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2)
    raises({ "bodies or rotations", "'lagrange'" }, S.equations, S, "coordinates")
    local T = hm.system "floor"
    local N, R = T:frame "N", T:rotation "R"
    local ball = T:body("ball", { at = T:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.2} })
    T:contact("floor", ball, N:plane(), { law = hm.newton(0.5) })
    raises({ "'coordinates' takes no one-sided", "lagrange" }, T.simulate, T, { form = "coordinates", q = { x = 0, y = 0, z = 1, R = {1, 0, 0, 0} },
      v = { x = 0, y = 0, z = 0, R = {0, 0, 0} }, t = 1 })
  end)
end)
