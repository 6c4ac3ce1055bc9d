-- What bodies, frames and their contacts say: help for every call, sentences for input that has no meaning, values that must be constant.
local hm, check = require "hamel", require "check"
local raises = check.raises

describe("help", function()
  it("has a page for every call and field of the bodies", function()
    for _, name in ipairs{ "S:frame", "S:rotation", "S:point", "S:body", "S:gravity", "S:rolls", "S:contact", "S:gap", "S:slip", "S:joint", "S:torque",
      "S:force", "S:momentum", "S:angular_momentum", "S.origin", "F:rotate", "F:vector", "F:plane", "F:sphere", "F:cylinder", "F:surface", "F:rates",
      "F:quaternion", "F:matrix", "F:angular_velocity", "F:angular_acceleration", "F.x", "F.y", "F.z", "v:dot", "v:cross", "v:norm", "v:components", "v:dt",
      "v:expand", "P:velocity", "P:acceleration", "P.place", "b:point", "b:velocity", "b:momentum", "b:angular_momentum", "b:angular_velocity",
      "b:kinetic_energy", "roll.point", "roll.normal", "roll.gap" } do
      assert.is_truthy(tostring(hm.help(name)):find(name, 1, true), name)
    end
  end)
  it("finds shapes, joints and rolling by their words", function()
    for _, word in ipairs{ "shape", "torus", "disc", "ellipsoid", "box" } do
      assert.is_truthy(tostring(hm.help(word)):find("{\"torus\", radius, tube}", 1, true), word)
    end
    assert.is_truthy(tostring(hm.help "rolls"):find("roll.x", 1, true))
    assert.is_truthy(tostring(hm.help "rolling"):find("S:contact", 1, true))
    assert.is_truthy(tostring(hm.help "revolute"):find("S:joint", 1, true))
    assert.is_truthy(tostring(hm.help "inertia"):find("xz =", 1, true))
    assert.is_truthy(tostring(hm.help "paraboloid"):find("F:surface", 1, true))
  end)
  it("lists every shape that a body takes", function()
    local S = hm.system "shapes"
    local _, message = pcall(S.body, S, "b", { mass = 1, shape = {"nothing"} })
    local text, count = tostring(hm.help "shape"), 0
    for kind in message:match "known: (.-)%)":gmatch "%a+" do
      count = count + 1
      assert.is_truthy(text:find("{\"" .. kind .. "\"", 1, true), kind)
    end
    assert.are.equal(7, count)
  end)
end)

describe("bodies", function()
  local function system()
    local S = hm.system "S"
    local N, R = S:frame "N", S:rotation "R"
    local x, phi = S:coordinates "x phi"
    return S, N, R, x, phi
  end
  it("name what is wrong with frames, vectors and points", function()
    local S, N, _, x, phi = system()
    local T = hm.system "T"
    local M = T:frame "M"
    raises({ "rotate: the axis is 'x', 'y', 'z' or a vector", "\"w\"" }, N.rotate, N, "w", phi)
    raises({ "+ of a vector and an expression", "x*N.x" }, function() return N.x + x end)
    raises({ "vectors of different systems", "S", "T" }, function() return N.x + M.x end)
    raises({ "rotate: the angle is an expression, not a vector" }, N.rotate, N, "z", N.x)
    raises({ "not nil" }, function() return N.x:cross() end)
    raises({ "frame 'M' belongs to another system" }, function() return N.x:components(M) end)
    raises({ "no difference of a point and the expression x" }, function() return S.origin - x end)
    raises({ "has a rotation 'R' already" }, S.rotation, S, "R")
    raises({ "rates need three free names", "given are 2" }, S.rotation, S, "Q", { rates = "p q" })
  end)
  it("name what cannot roll or touch", function()
    local S, N, R = system()
    local stone = S:body("stone", { at = S:point "u v w", frame = R, mass = 1, inertia = {1, 1, 1} })
    local egg = S:body("egg", { at = S:point "a b c", frame = R, mass = 1, inertia = "solid", shape = {"ellipsoid", 1, 2, 3} })
    local box = S:body("box", { at = S:point "d e f", frame = R, mass = 1, inertia = "solid", shape = {"box", 1, 2, 3} })
    raises({ "S:rolls \"roll\"", "'stone' has no shape", "shape = {\"sphere\", radius = r}" }, S.rolls, S, "roll", stone, N:plane())
    raises({ "has edges", "sphere, disc, torus and ellipsoid" }, S.rolls, S, "roll", box, N:plane())
    raises({ "ellipsoid on cylinder", "planes only" }, S.rolls, S, "roll", egg, N:cylinder{ radius = 1 })
    raises({ "is a surface", "not a frame" }, S.rolls, S, "roll", egg, N)
    raises({ "is a body", "not nil" }, S.rolls, S, "roll")
  end)
  it("name shapes, moments and starts that are none", function()
    local S, _, R = system()
    raises({ "'spere' is no kind of shape", "did you mean 'sphere'" }, S.body, S, "c", { mass = 1, shape = {"spere", 1} })
    raises({ "'tube' is missing" }, S.body, S, "c", { mass = 1, shape = {"torus", radius = 1} })
    raises({ "cuts itself" }, S.body, S, "c", { mass = 1, shape = {"torus", radius = 1, tube = 2} })
    raises({ "body 'c'", "moments 1, 1, 3", "triangle inequality" }, S.body, S, "c", { mass = 1, frame = R, inertia = {1, 1, 3} })
    raises({ "q.R is no unit quaternion", "1.41", "\"zxz\"" }, S.simulate, S, { q = { R = {1, 1, 0, 0}, x = 0, phi = 0 }, v = {}, t = 1 })
  end)
  it("name joints that hold nothing, numbers that are none, and what does not fit, and declare nothing then", function()
    local S, N, R = system()
    local ball = S:body("ball", { at = S:point "u v w", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 1} })
    local at = ball:point(0, 0, 0)
    raises({ "S:joint 'j': axis[1] is zero" }, S.joint, S, "j", "revolute", S.origin, at, { axis = {0*N.z, R.z} })
    raises({ "S:joint 'j'", "both directions belong to the frame 'R'" }, S.joint, S, "j", "revolute", ball:point(1, 0, 0), at, { axis = {R.z, R.z} })
    raises({ "S:joint 'j'", "both frames belong to the frame 'N'" }, S.joint, S, "j", "fixed", S.origin, at, { frames = {N, N} })
    raises({ "body 'c'", "moment 3", "nan" }, S.body, S, "c", { frame = R, mass = 1, inertia = {1, 1, 0/0} })
    raises({ "body 'c'", "radius is", "not a finite number" }, S.body, S, "c", { frame = R, mass = 1, shape = {"sphere", radius = math.huge} })
    raises({ "'ball'", "does not fit into the cylinder of radius 1/2" }, S.rolls, S, "r", ball, N:cylinder{ radius = 0.5, inside = true })
    raises({ "q.R: the angle is missing" }, S.simulate, S, { q = { R = { axis = {0, 0, 1} }, u = 0, v = 0, w = 0, x = 0, phi = 0 }, v = {}, t = 1 })
    assert.are.equal(0, #S.constraints)
  end)
  it("take masses, moments and lengths that stay as they are", function()
    local S, N, R, x, phi = system()
    local B = N:rotate("z", phi)
    raises({ "mass contains x", "rigid" }, S.body, S, "c", { at = x*N.x, mass = 1 + x^2 })
    raises({ "mass contains t" }, S.body, S, "c", { mass = 1 + hm.t })
    raises({ "inertia moment 3 contains x" }, S.body, S, "c", { frame = B, inertia = {1, 1, 1 + x^2} })
    raises({ "radius contains t" }, S.body, S, "c", { frame = R, mass = 1, shape = {"sphere", radius = 1 + hm.t} })
    raises({ "radius contains x" }, N.sphere, N, { radius = x })
    raises({ "centre of its shape is not fixed" }, S.body, S, "c", { frame = R, mass = 1, shape = {"sphere", radius = 1, centre = N.x} })
    raises({ "'about' is not fixed" }, S.body, S, "c", { at = x*N.x, frame = R, mass = 1, inertia = {9, 9, 9}, about = S.origin })
  end)
  it("leave nothing declared where a contact is refused", function()
    local S, N, R = system()
    local ball = S:body("ball", { at = S:point "u v w", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 1} })
    local hollow = N:sphere{ radius = 5, inside = true }
    raises({ "friction on a sphere" }, S.contact, S, "c", ball, hollow, { law = hm.newton(0), friction = 0.1 })
    assert.are.equal(0, #S.gaps)
    S:contact("c", ball, hollow, { law = hm.newton(0) })
    raises({ "name already" }, S.contact, S, "c", ball, N:plane(), { law = hm.newton(0) })
    -- two coaxial cylinders are two surfaces
    S:contact("inner", ball, N:cylinder{ radius = 1 }, { law = hm.newton(0) })
    S:contact("outer", ball, N:cylinder{ radius = 4, inside = true }, { law = hm.newton(0) })
    assert.are.equal(3, #S.gaps)
  end)

  it("masses and lengths are looked at again with the values of a run", function()
    local S = hm.system "tyre"
    local N = S:frame "N"
    local a, b, m = S:parameters "a=2/5 b=1/10 m=1"
    local wheel = S:body("wheel", { at = S:point "x y z", frame = S:rotation "R", mass = m, inertia = { 1, 1, 1.5 }, shape = { "torus", a, b } })
    S:rolls("roll", wheel, N:plane())
    local start = { q = { x = 0, y = 0, R = { axis = { 1, 0, 0 }, angle = 1 } }, v = { R = { 0, 0, 1 } }, t = 0.1 }
    local function with(parameters)
      local o = { parameters = parameters }
      for key, value in pairs(start) do o[key] = value end
      return o
    end
    assert.equal("OK", S:simulate(with{}).status)
    check.raises({ "'wheel' cannot touch itself" }, S.rolls, S, "itself", wheel, wheel)
    check.raises({ "'wheel' is no surface" }, S.gap, S, wheel, wheel)
    check.raises({ "'wheel'", "cuts itself" }, S.simulate, S, with{ b = 0.9 })
    check.raises({ "'wheel'", "radius is -0.4" }, S.simulate, S, with{ a = -0.4 })
    check.raises({ "'wheel'", "the mass is -1" }, S.simulate, S, with{ m = -1 })
    local W = S:sweep{ over = { { "b", { 0.1, 0.9 } } }, q = start.q, v = start.v, t = 0.1 }
    assert(W[1].status == "OK" and W[2].status == "START")
  end)
end)
