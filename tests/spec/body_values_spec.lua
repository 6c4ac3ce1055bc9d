-- What is asked of runs of bodies: vectors and points in series and pictures, recordings without their system, vectors in starts.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

local function top()
  local S = hm.system "top"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local body = S:body("stone", { at = 0.5*R.z, frame = R, mass = 1, inertia = {1, 1, 0.5}, about = S.origin })
  S:gravity(-9.81*N.z)
  return S:simulate{ q = { R = {"zxz", 0.1, 0.2, 0.3} }, v = { p = 0, q = 0, r = 10 }, t = 1 }, S, body, R, N
end

describe("vectors of a run", function()
  it("in series are lists of components, between expressions", function()
    local run, _, body, R = top()
    local times, z, r, place, omega = run:series(R.z, "r", body.at, body:angular_velocity(), { n = 5 })
    assert.are.equal(5, #times)
    for k, t in ipairs(times) do
      local want, there, turning = run:at(t, R.z, body.at, R:angular_velocity())
      for i = 1, 3 do
        near(z[k][i], want[i], 0, "R.z") near(place[k][i], there[i], 0, "place") near(omega[k][i], turning[i], 0, "omega")
      end
      near(r[k], run:at(t, "r"), 0, "r")
    end
  end)
  it("in pictures are three curves", function()
    local run, _, body, R = top()
    local path = os.tmpname() .. ".svg"
    run:plot("t", R.z, { script = path, file = path:gsub("svg$", "png") })
    local script = io.open(path):read "a"
    os.remove(path)
    os.remove((path:gsub("svg$", "png")))
    for i = 2, 4 do assert.is_truthy(script:find("using 1:" .. i, 1, true)) end
    assert.is_truthy(tostring(run:plot(body.at)) and tostring(hm.plot({ a = run }, "t", body.at)))
  end)
  it("are not taken by the name of a body or a rotation, and the message leads on", function()
    local run, _, body = top()
    raises({ "'R' is a rotation", "R.z:dot(N.x)" }, run.at, run, 0, "R.z")
    raises({ "'stone' is a body", "b:velocity()" }, run.plot, run, "t", "stone.x")
    raises({ "no field 'omega'", "'angular_velocity'" }, function() return body.omega end)
  end)
end)

describe("the accelerations of a state of a run", function()
  it("have the rates of the body rates, as those of S:accelerations and of expressions", function()
    local S = hm.system "turning and sliding"
    local R, x = S:rotation("R", { rates = "p q r" }), S:coordinates "x"
    S:body("stone", { frame = R, inertia = {1, 2, 2.5} })
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2)
    local start = { q = { R = {"zxz", 0.1, 0.2, 0.3}, x = 1 }, v = { R = {0.3, -0.2, 1}, x = 0 } }
    local run = S:simulate{ q = start.q, v = start.v, t = 1 }
    local a, alone = run:at(0).a, S:accelerations(start).a
    local names = 0
    for name, value in pairs(alone) do
      near(a[name], value, 1e-14, name)
      names = names + 1
    end
    assert.are.equal(8, names)
    -- Euler's equations: p' = (B - C)/A q r
    local later = run:at(0.7)
    near(later.a.p, (2 - 2.5)/1*later.v.q*later.v.r, 1e-12, "p'")
    near(later.a.p, run:at(0.7, "p'"), 0, "the expression")
    near(later.a.x, -2*later.x, 1e-12, "x''")
  end)
end)

describe("a run that is loaded without its system", function()
  it("says that lambda needs it", function()
    local run, S = top()
    local path = os.tmpname() .. ".hamel"
    run:save(path)
    local recording, loaded = hm.load(path), hm.load(path, S)
    os.remove(path)
    near(recording:at(1).p, run:at(1).v.p, 1e-11, "p")
    raises({ "no 'lambda'", "hm.load(file, S)" }, function() return recording:at(1).lambda end)
    raises({ "no 'pp'", "hm.load(file, S)" }, function() return recording:at(1).pp end)
    near(loaded:at(1, S.origin.place:norm()), 0, 0, "with the system")
  end)
end)

describe("a vector as the start of a rotation from a frame that turns", function()
  it("counts from that frame, and takes its angular velocity", function()
    local S = hm.system "gimbals"
    local N, F = S:frame "N", S:rotation "F"
    local a = S:coordinates "a"
    local G = F:rotate("x", a)
    local R = S:rotation("R", { from = G, rates = "p q r" })
    for name, frame in pairs{ f = F, g = G, b = R } do S:body(name, { frame = frame, inertia = {1, 2, 2.5} }) end
    local q = { a = 0.4, F = {"zxz", 1, 1, 1}, R = {"zxz", 0.1, 0.2, 0.3} }
    local run = S:simulate{ q = q, v = { a = 2, F = 2*N.x, R = 3*N.z - G:angular_velocity() }, t = 0.1 }
    local omega = run:at(0, R:angular_velocity())
    for i, want in ipairs{ 0, 0, 3 } do near(omega[i], want, 1e-12, "omega in space") end
    omega = S:simulate{ q = q, v = { a = 2, F = 2*N.x, R = 3*N.z }, t = 0.1 }:at(0, R:angular_velocity(G))
    for i, want in ipairs{ 0, 0, 3 } do near(omega[i], want, 1e-12, "omega from G") end
    raises({ "v.R depends on 'a''" }, S.simulate, S, { q = q, v = { F = 2*N.x, R = 3*N.z - G:angular_velocity() }, t = 0.1 })
  end)
end)
