-- Frames, rotations and bodies: what is refused, starts of attitudes, forces, joints, what is printed and read back.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

local function top()
  local S = hm.system "top"
  local N = S:frame "N"
  local R = S:rotation("R", { rates = "p q r" })
  local body = S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = {1, 1, 0.5}, about = S.origin })
  S:gravity(-9.81*N.z)
  return S, N, R, body
end

describe("frames and vectors", function()
  it("refuse what has no meaning, in one line", function()
    local S, N, R = top()
    raises({ "multiply the expression by a direction" }, function() return N.x + hm.t end)
    raises({ "multiply the expression by a direction" }, function() return 2 - N.x end)
    raises({ "v:dot(w)", "v:cross(w)" }, function() return N.x*N.y end)
    raises({ "divided by an expression" }, function() return 1/N.x end)
    raises({ "'x', 'y', 'z'" }, function() return N:rotate("w", hm.t) end)
    raises({ "not constant in the frame" }, function() return N:rotate(R.z, hm.t) end)
    raises({ "no direction" }, function() return N:rotate(N.x - N.x, hm.t) end)
    raises({ "different systems" }, function() return hm.system("another"):frame().x + N.x end)
    raises({ "has its inertial frame 'N' already" }, function() return S:frame "M" end)
    raises({ "a vector is added to a point" }, function() return S.origin + S.origin end)
    raises({ "no rotation by a quaternion" }, function() return N:rates() end)
  end)
  it("turn about a vector of any length as about the axis", function()
    local S = hm.system "turned"
    local N = S:frame()
    local a = S:coordinates "a"
    local one, other = N:rotate("y", a), N:rotate(3*N.y, a)
    assert.is_true(one.x == other.x and one.z == other.z)
    local u = N:rotate(N:vector(1, 2, 2), a)
    assert.is_true(((u.x:cross(u.y) - u.z):norm()):is_zero())
    assert.is_true((u:angular_velocity():dot(N.x) - a.dot/3):is_zero())
  end)
  it("print as sums of terms in their frames", function()
    local S = hm.system "printed"
    local N = S:frame()
    local x = S:coordinates "x"
    local B = N:rotate("z", x, "B")
    assert.are.equal("x^2*N.x - B.z", tostring(x^2*N.x - B.z))
    assert.are.equal("0", tostring(N.x - N.x))
  end)
end)

describe("rotations", function()
  it("start from axis and angle, three turns, or a quaternion", function()
    local S, _, R = top()
    local function axis(q) return S:simulate{ q = { R = q }, v = { R = {0, 0, 1} }, t = 0.01 }:at(0, R.z) end
    for _, q in ipairs{ { axis = {2, 0, 0}, angle = 0.4 }, { "zxz", 0, 0.4, 1.3 }, { "xyz", 0.4, 0, 0.7 }, { math.cos(0.2), math.sin(0.2), 0, 0 } } do
      local z = axis(q)
      near(z[1], 0, 1e-12, "x") near(z[2], -math.sin(0.4), 1e-12, "y") near(z[3], math.cos(0.4), 1e-12, "z")
    end
  end)
  it("refuse other starts, in one line", function()
    local S = top()
    local function start(q, v) return S:simulate{ q = q, v = v or { R = {0, 0, 1} }, t = 1 } end
    raises({ "no unit quaternion", "length 1.41" }, start, { R = {1, 1, 0, 0} })
    raises({ "no sequence of turns" }, start, { R = {"zzx", 1, 2, 3} })
    raises({ "three angles" }, start, { R = {"zxz", 1, 2} })
    raises({ "no direction" }, start, { R = { axis = {0, 0, 0}, angle = 1 } })
    raises({ "not a finite number" }, start, { R = { axis = {1, 0, 0}, angle = 0/0 } })
    raises({ "R0", "given as well" }, start, { R = {1, 0, 0, 0}, R0 = 1 })
    raises({ "three body rates" }, start, { R = {1, 0, 0, 0} }, { R = {1, 2} })
    raises({ "'w' is not a coordinate" }, start, { R = {1, 0, 0, 0} }, { w = 1, p = 0, q = 0, r = 0 })
    raises({ "v is missing for p" }, start, { R = {1, 0, 0, 0} }, { q = 0, r = 1 })
  end)
  it("take the state of a run as a start, by rates or by the quaternion's own rates", function()
    local S, _, R = top()
    local run = S:simulate{ q = { R = { axis = {1, 0, 0}, angle = 0.3 } }, v = { R = {0.1, 0.2, 8} }, t = 2, rtol = 1e-11, atol = 1e-12 }
    local s = run:at(1)
    local onward = S:simulate{ q = s.q, v = s.v, t = {1, 2}, rtol = 1e-11, atol = 1e-12 }
    local by_rates = S:simulate{ q = { R = s.R }, v = { R = { run:at(1, R:rates()) } }, t = {1, 2}, rtol = 1e-11, atol = 1e-12 }
    for i, value in ipairs(run:at(2, R.z)) do
      near(onward:at(2, R.z)[i], value, 1e-9, "by q and v")
      near(by_rates:at(2, R.z)[i], value, 1e-9, "by rates")
    end
    near(s.p, (run:at(1, (R:rates()))), 1e-14, "a rate by its name")
    near(run:at(2, "p"), run:at(2).p, 1e-14, "a rate by text")
  end)
  it("need free names", function()
    local S = hm.system "names"
    S:coordinates "p"
    raises({ "'p' is already a coordinate" }, S.rotation, S, "R", { rates = "p q r" })
    raises({ "three free names" }, S.rotation, S, "R", { rates = "a b" })
    S:rotation "A"
    assert.are.equal("omega1", tostring((S._rotations[1].frame:rates())))
    local B = S:rotation "B"
    assert.are.equal("B_omega1", tostring((B:rates())))
    raises({ "already a rate of the rotation 'A'" }, S.coordinates, S, "omega1")
  end)
  it("are refused by forms and studies that need coordinates with free velocities", function()
    local S = top()
    for _, form in ipairs{ "nielsen", "chaplygin", "voronets", "vakonomic", "lindelof" } do
      raises({ form, "unit quaternion", "hamel" }, S.equations, S, form)
    end
    for _, study in ipairs{ "christoffel", "commutation" } do raises({ "unit quaternion" }, S[study], S) end
    raises({ "unit quaternion" }, S.simulate, S, { method = "dla", step = 0.01, q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 1} }, t = 1 })
  end)
  it("print rates and cosines, no quaternion, where these suffice", function()
    local text = tostring(top():equations "hamel")
    for _, line in ipairs{ "Rzx' = Rzy*r - q*Rzz", "p:" } do assert(text:find(line, 1, true), text) end
    assert.is_nil(text:find "R%d")
  end)
end)

describe("bodies", function()
  it("are refused where no mass distribution has their moments", function()
    local S, _, R = top()
    local function body(o) return function() o.frame = o.frame or R return S:body("c", o) end end
    raises({ "triangle inequality", "3 > 2" }, body{ inertia = {1, 1, 3} })
    raises({ "not negative" }, body{ inertia = {1, -1, 1} })
    raises({ "three moments" }, body{ inertia = {1, 1} })
    raises({ "symmetric" }, body{ inertia = { {1, 0.1, 0}, {0, 1, 0}, {0, 0, 1} } })
    raises({ "neither mass nor inertia" }, body{})
    raises({ "computed from the shape" }, body{ mass = 1, inertia = "solid" })
    raises({ "computed from the mass" }, body{ inertia = "solid", shape = {"sphere", radius = 1} })
    raises({ "no formula for the shell of a box" }, body{ mass = 1, inertia = "shell", shape = {"box", 1, 2, 3} })
    raises({ "the mass -1 is negative" }, body{ mass = -1 })
    raises({ "'radius' is missing" }, body{ mass = 1, shape = {"sphere"} })
    raises({ "did you mean 'radius'" }, body{ mass = 1, shape = {"sphere", radus = 1} })
    raises({ "not fixed in the body" }, body{ mass = 1, inertia = {1, 1, 1}, about = S.origin + hm.t*R.x })
    raises({ "has a body 'top' already" }, function() S:body("top", { mass = 1 }) end)
    raises({ "has gravity already" }, function() S:gravity(R.x) end)
  end)
  it("of homogeneous shapes have the moments of the handbooks", function()
    local wanted = {
      { { "sphere", radius = 2 }, "solid", { 8/5, 8/5, 8/5 } }, { { "sphere", radius = 2 }, "shell", { 8/3, 8/3, 8/3 } },
      { { "disc", radius = 2, axis = "y" }, "solid", { 1, 2, 1 } }, { { "disc", radius = 2 }, "shell", { 2, 2, 4 } },
      { { "torus", radius = 2, tube = 1 }, "solid", { 2 + 5/8, 2 + 5/8, 4 + 3/4 } }, { { "ellipsoid", 1, 2, 3 }, "solid", { 13/5, 2, 1 } },
      { { "box", 1, 2, 3 }, "solid", { 13/12, 10/12, 5/12 } }, { { "cylinder", radius = 2, length = 3, axis = "x" }, "solid", { 2, 7/4, 7/4 } },
    }
    for _, row in ipairs(wanted) do
      local S = hm.system "shapes"
      local R = S:rotation "R"
      S:body("b", { frame = R, mass = 1, inertia = row[2], shape = row[1] })
      local M = S:mass_matrix()
      for i = 1, 3 do near(M[i][i]:eval{}, row[3][i], 1e-12, row[1][1] .. " " .. row[2]) end
    end
  end)
  it("take forces at points and torques, as by hand", function()
    local function arm(by_hand)
      local S = hm.system "arm"
      local N = S:frame()
      local a = S:coordinates "a"
      local B = N:rotate("z", a)
      local body = S:body("rod", { at = B.x, frame = B, mass = 1, inertia = {0, 1/3, 1/3} })
      if by_hand then S:force(a, 2*3*hm.cos(a) - 0.4*a.dot)
      else
        S:force(body, 3*N.y, S.origin + 2*B.x)
        S:torque(body, -0.4*B:angular_velocity())
      end
      return S:accelerations{ q = { a = 0.3 }, v = { a = 0.5 } }.a.a
    end
    near(arm(true), arm(false), 1e-14, "angular acceleration")
  end)
  it("add to energies declared by hand", function()
    local S = hm.system "mixed"
    local N = S:frame()
    local x, y = S:coordinates "x y"
    S:kinetic_energy(3*y.dot^2/2)
    S:body("b", { at = x*N.x, mass = 2 })
    S:potential_energy(x*y)
    assert.is_true((S:kinetic_energy() - x.dot^2 - 3*y.dot^2/2):is_zero())
    local a = S:accelerations{ q = { x = 1, y = 2 }, v = { x = 0, y = 0 } }.a
    near(a.x, -1, 1e-14, "x''") near(a.y, -1/3, 1e-14, "y''")
    raises({ "has bodies" }, S.lagrangian, S, x.dot^2)
  end)
end)

describe("rolling and contact", function()
  it("name what cannot touch", function()
    local S, N, R = top()
    local G = S:point "x y z"
    local function body(shape) return S:body("b" .. #S._bodies, { at = G, frame = R, mass = 1, inertia = {1, 1, 1}, shape = shape }) end
    raises({ "has no shape" }, S.rolls, S, "a", body(nil), N:plane())
    raises({ "box", "edges" }, S.rolls, S, "a", body{"box", 1, 1, 1}, N:plane())
    raises({ "ellipsoid on cylinder", "planes only" }, S.rolls, S, "a", body{"ellipsoid", 1, 2, 3}, N:cylinder{ radius = 2 })
    raises({ "radius is missing" }, N.cylinder, N)
    local ball = body{"sphere", radius = 1}
    local floor = N:plane()
    S:rolls("roll", ball, floor)
    raises({ "have 'roll' already" }, S.contact, S, "touch", ball, N:plane(), { law = hm.newton(0.5) })
    raises({ "law of impact is missing" }, S.contact, S, "touch", ball, N:plane{ at = S.origin - N.z })
  end)
  it("give the force on the body in the frame of the plane", function()
    local S = hm.system "incline"
    local N = S:frame()
    local F = N:rotate("y", 0.3)
    local ball = S:body("ball", { at = S:point "x y z", frame = S:rotation "R", mass = 2, inertia = "solid", shape = {"sphere", radius = 0.1} })
    S:rolls("roll", ball, F:plane())
    S:gravity(-9.81*N.z)
    local run = S:simulate{ q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {0, 0, 0} }, t = 1, rtol = 1e-11, atol = 1e-12 }
    local s = run:at(0.5)
    near(s.lambda["roll.z"], 2*9.81*math.cos(0.3), 1e-10, "normal force")
    near(s.lambda["roll.x"], -2/7*2*9.81*math.sin(0.3), 1e-10, "force along the slope")
    local place = run:at(1, ball.at)
    near(math.sqrt((place[1] - run:at(0).x)^2 + (place[3] - run:at(0).z)^2), 5/7*9.81*math.sin(0.3)/2, 1e-9, "way")
    assert(run.energy_drift < 1e-10)
  end)
end)

describe("joints", function()
  it("leave the freedoms of their kind", function()
    for kind, freedoms in pairs{ spherical = 3, universal = 2, revolute = 1, cylindrical = 2, prismatic = 1, fixed = 0 } do
      local S = hm.system(kind)
      local N, R = S:frame(), S:rotation "R"
      local body = S:body("b", { at = S:point "x y z", frame = R, mass = 1, inertia = {1, 1, 1} })
      local axis = { N.z, kind == "universal" and R.x or R.z }
      local o = (kind == "spherical" and {}) or (kind == "fixed" and { frames = { N, R } }) or (kind == "prismatic" and { axis = axis, frames = { N, R } })
        or { axis = axis }
      S:joint("pin", kind, S.origin, body:point(0, 0, -1), o)
      assert.are.equal(freedoms, S.degrees_of_freedom, kind)
    end
  end)
  it("say what they need", function()
    local S, N, R, body = top()
    raises({ "no kind of joint", "did you mean 'revolute'" }, S.joint, S, "j", "revolut", S.origin, body.at)
    raises({ "revolute joint needs axis" }, S.joint, S, "j", "revolute", S.origin, body.at)
    raises({ "takes no axis" }, S.joint, S, "j", "spherical", S.origin, body.at, { axis = { N.x, R.x } })
    raises({ "moves in the frame" }, S.joint, S, "j", "revolute", S.origin, body.at, { axis = { hm.t*N.x, R.x } })
  end)
end)

describe("prescribed turns at any rate", function()
  it("keep their digits: multiples of an angle are not expanded", function()
    local S = hm.system "blade"
    local N = S:frame()
    local x, y = S:coordinates "x y"
    S:body("b", { at = x*N.x + y*N.y, mass = 1 })
    S:force(x, 1)
    local B = N:rotate("z", hm.rational(22, 25)*hm.t)
    S:constraint("blade", S:point(x*N.x + y*N.y):velocity():dot(B.y) - hm.sin(hm.t)/5)
    local start = { q = { x = 0, y = 0 }, v = { x = 1 }, t = {39, 40}, rtol = 1e-11, atol = 1e-12 }
    local values = {}
    for _, form in ipairs{ "lagrange", "hamel", "maggi" } do
      start.form = form
      local s = S:simulate(start):at(40)
      values[#values + 1] = { s.x, s.y, s.lambda.blade }
    end
    for _, other in ipairs{ 2, 3 } do
      for i = 1, 3 do near(values[other][i], values[1][i], 1e-8, "value " .. i) end
    end
  end)
end)

describe("bodies in pictures", function()
  it("are drawn by their shapes without a word, and beside others", function()
    local S = hm.system "drawn"
    local N = S:frame()
    local R = S:rotation "R"
    for i, form in ipairs{ {"sphere", radius = 0.2}, {"disc", radius = 0.3}, {"torus", radius = 0.3, tube = 0.05}, {"ellipsoid", 0.3, 0.2, 0.1},
                           {"box", 0.3, 0.2, 0.1}, {"cylinder", radius = 0.1, length = 0.4}, false } do
      S:body("b" .. i, { at = S.origin + i*N.x, frame = R, mass = 1, inertia = {1, 1, 1}, shape = form or nil })
    end
    local run = S:simulate{ q = { R = {1, 0, 0, 0} }, v = { R = {0.1, 1, 0.2} }, t = 1 }
    local data = require("hamel.show.motion").read(run, nil, require("hamel.base.options").check("animate", require("hamel.show.motion").schema, {}), 3)
    local kinds = {}
    for i, shape in ipairs(data.shapes) do kinds[i] = shape.kind end
    assert.are.equal("ellipsoid disc wheel ellipsoid box cylinder box trace trace trace trace trace trace trace", table.concat(kinds, " "))
    raises({ "shapes are missing" }, run.animate, run, os.tmpname() .. ".html", nil, { bodies = false })
  end)
end)

describe("forces on rotations", function()
  local function spinning(damp)
    local S = hm.system "spinning"
    local R = S:rotation("R", { rates = "p q r" })
    local body = S:body("b", { frame = R, mass = 1, inertia = {1, 2, 2.5} })
    damp(S, R, body)
    return S
  end
  it("are the same by a dissipation function and by a torque, in every form", function()
    local by_function = spinning(function(S, R)
      local p, q, r = R:rates()
      S:dissipation((p^2 + q^2 + r^2)/2)
    end)
    local by_torque = spinning(function(S, R, body) S:torque(body, -R:angular_velocity()) end)
    local start = { q = { R = { axis = {1, 0.5, 0.2}, angle = 1 } }, v = { R = {0.7, 0.9, 1.1} }, t = 2, rtol = 1e-11, atol = 1e-12 }
    for _, form in ipairs{ "lagrange", "hamel", "kane" } do
      start.form = form
      near(by_function:simulate(start):at(2, "q"), by_torque:simulate(start):at(2, "q"), 1e-9, form)
    end
  end)
  it("by smooth friction turn the body: a sliding ball comes to roll", function()
    local S = hm.system "ball"
    local N, R = S:frame(), S:rotation "R"
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.5} })
    S:contact("floor", ball, N:plane(), { law = hm.newton(0), friction = { coefficient = 0.1, regularised = "tanh", velocity = 0.01, normal = 9.81 } })
    S:gravity(-9.81*N.z)
    local run = S:simulate{ q = { x = 0, y = 0, z = 0.5, R = {1, 0, 0, 0} }, v = { x = 3, y = 0, z = 0, R = {0, 0, 0} }, t = 0.5 }
    -- while it slides: v = 3 - mu g t, spin = 5/2 mu g t/r
    near(run:at(0.5).v.x, 3 - 0.981*0.5, 1e-6, "speed") near(run:at(0.5, R:angular_velocity():dot(N.y)), 2.5*0.981*0.5/0.5, 1e-6, "spin")
  end)
  it("and moments that no mass distribution has are refused with values of parameters, too", function()
    local S = hm.system "values"
    local A, C = S:parameters "A=1 C=1"
    S:body("b", { frame = S:rotation "R", inertia = {A, A, C} })
    raises({ "triangle inequality", "3 > 2" }, S.simulate, S, { q = { R = {1, 0, 0, 0} }, v = { R = {1, 0, 0} }, t = 1, parameters = { C = 3 } })
    raises({ "principal moments", "not negative" }, S.body, S, "c", { frame = S:frame(), inertia = {1, 1, 1, xy = 0.9, yz = -0.9, xz = 0.9} })
  end)
  it("go with bounds on rates and with spots of contact; method 'moreau' is refused", function()
    local S = spinning(function(system, R) system:unilateral("governor", 1 - R:rates()) end)
    local start = { q = { R = {1, 0, 0, 0} }, v = { R = {0.5, 0.9, 1.1} }, t = 2 }
    assert.are.equal("OK", S:simulate(start).status)
    start.method, start.step = "moreau", 0.01
    raises({ "moreau", "unit quaternion" }, S.simulate, S, start)
    local T = hm.system "spot"
    local N, R = T:frame(), T:rotation "R"
    local ball = T:body("ball", { at = T:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.5} })
    T:contact("floor", ball, N:plane(), { law = hm.newton(0), friction = { coefficient = 0.1, spin = R:angular_velocity():dot(N.z), radius = 0.05,
      pressure = "uniform" } })
    T:gravity(-9.81*N.z)
    assert.are.equal("OK", T:simulate{ q = { x = 0, y = 0, z = 0.5, R = {1, 0, 0, 0} }, v = { x = 1, y = 0, z = 0, R = {0, 0, 3} }, t = 1 }.status)
  end)
end)
