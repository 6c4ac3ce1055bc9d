-- Attitudes of starts: those left out that a joint between frames determines, axes of any length, vectors; and what is said of rotations.
local hm, check = require "hamel", require "check"
local near = check.near

local FIRST = { x = 0, y = 0, z = 0, A = {"zxz", 2, 2.5, 0.3} }

local function pair(kind, turned)
  local S = hm.system(kind)
  local A, B = S:rotation "A", S:rotation "B"
  local a = S:body("a", { at = S:point "x y z", frame = A, mass = 1, inertia = {1, 1, 1.5} })
  local b = S:body("b", { at = S:point "X Y Z", frame = B, mass = 1, inertia = {1, 1, 1} })
  local frame = turned and B:rotate("x", 0.7) or B
  S:joint("j", kind, a:point(0, 0, 0), b:point(0, 0, 0), { axis = kind == "prismatic" and { A.z, frame.z } or nil, frames = {A, frame} })
  return S, A, frame, B, b
end

describe("an attitude that a start leaves out", function()
  for _, form in ipairs{ "lagrange", "hamel" } do
    for _, turned in ipairs{ false, true } do
      it("is that of a fixed joint's other body, in " .. form .. (turned and ", for a turned frame" or ""), function()
        local S, A, B = pair("fixed", turned)
        local run = S:simulate{ form = form, q = FIRST, v = { x = 0, y = 0, z = 0, A = {1, 2, 3} }, t = 0.1 }
        for _, u in ipairs{ "x", "y", "z" } do near(run:at(0, A[u]:dot(B[u])), 1, 1e-9) end
        -- the negative quaternion is no second assembly
        assert.are.equal(0, #run.notes)
      end)
    end
  end
  it("is that of a prismatic joint's other body", function()
    local S, A, B = pair "prismatic"
    local run = S:simulate{ q = { x = 0, y = 0, z = 0, A = {1, 0, 0, 0}, Z = 1 }, v = { x = 0, y = 0, z = 0, A = {0, 0, 0}, Z = 1 }, t = 0.1 }
    near(run:at(0, A.x:dot(B.x)), 1, 1e-9)
  end)
  it("follows along a chain of joints", function()
    local S, A, _, B, b = pair "fixed"
    local C = S:rotation("C", { from = B })
    local c = S:body("c", { at = S:point "x3 y3 z3", frame = C, mass = 1, inertia = {1, 1, 1} })
    S:joint("k", "fixed", b:point(0, 0, 1), c:point(0, 0, 0), { frames = {B, C} })
    local run = S:simulate{ q = FIRST, v = { x = 0, y = 0, z = 0, A = {1, 2, 3} }, t = 0.1 }
    near(run:at(0, A.x:dot(C.x)), 1, 1e-9)
    near(run:at(0, A.z:dot(C.z)), 1, 1e-9)
  end)
end)

describe("an attitude by axis and angle", function()
  local function entries(axis)
    local S = hm.system "top"
    local R = S:rotation "R"
    S:body("b", { frame = R, mass = 1, inertia = {1, 1.5, 2} })
    local state = S:simulate{ q = { R = { axis = axis(S:frame(), R), angle = 1 } }, v = { R = {1, 2, 3} }, t = 0.1 }:at(0)
    return { state.R0, state.R1, state.R2, state.R3 }
  end
  it("takes an axis of any length", function()
    for _, size in ipairs{ 1e-200, 1, 1e200 } do
      local e = entries(function() return { 3*size, 0, 4*size } end)
      near(e[1], math.cos(0.5), 1e-14)
      near(e[2], 0.6*math.sin(0.5), 1e-14)
      near(e[4], 0.8*math.sin(0.5), 1e-14)
    end
  end)
  it("takes a vector that the turn leaves as it is", function()
    for _, axis in ipairs{ function(N) return 3*N.x + 4*N.z end, function(_, R) return R:vector(3, 0, 4) end } do
      local e = entries(axis)
      near(e[2], 0.6*math.sin(0.5), 1e-14)
      near(e[4], 0.8*math.sin(0.5), 1e-14)
    end
    check.raises({ "fixed in the frame" }, function() entries(function(N, R) return N.x + R.y end) end)
  end)
end)

describe("names of rotations", function()
  it("are no entries of another quaternion", function()
    local S = hm.system "arm"
    S:rotation "R1"
    local remedy = "names of the same length"
    check.raises({ "rotation 'R10'", "'R10' would be a rotation and an entry of the quaternion of 'R1', R10 to R13", remedy }, S.rotation, S, "R10")
    check.raises({ "'R1' is a rotation of arm", "another name" }, S.coordinates, S, "R1")
    local T = hm.system "arm"
    T:rotation "R10"
    check.raises({ "rotation 'R1'", "'R10' would be a rotation and an entry of the quaternion of 'R1'", remedy }, T.rotation, T, "R1")
    T:coordinates "B"
    check.raises({ "rotation 'B'", "already a coordinate" }, T.rotation, T, "B")
    assert.are.same({ "R100", "R101", "R102", "R103", "B" }, T.coordinate_names)
  end)

  it("of the same length make an arm of any number of bodies", function()
    local S, q, v = hm.system "arm", {}, {}
    for i = 1, 12 do
      local name = ("R%02d"):format(i)
      local R = S:rotation(name)
      S:body(name .. "b", { mass = 1, inertia = { 1, 2, 3 }, frame = R, at = S.origin })
      q[name], v[name] = { axis = { 1, 0, 0 }, angle = i/10 }, { i, 0, 0 }
    end
    local s = S:simulate{ q = q, v = v, t = 0.1 }:at(0)
    for i = 1, 12 do check.near(s[("R%02d"):format(i)][2], math.sin(i/20), 1e-15) end
  end)
end)

describe("words on rotations", function()
  local S = hm.system "top"
  local R = S:rotation "R"
  S:body("b", { frame = R, mass = 1, inertia = {1, 1.5, 2} })
  local start = { q = { R = {1, 0, 0, 0} }, v = { R = {1, 2, 3} }, t = 0.1 }
  local run = S:simulate(start)
  it("name what a frame has", function()
    for _, ask in ipairs{ function() run:series(R) end, function() run:at(0.1, R) end, function() run:plot(R) end } do
      check.raises({ "not a frame: its axes are R.x, R.y, R.z; R:rates()" }, ask)
    end
  end)
  it("refuse a vector as a horizontal axis", function()
    for _, ask in ipairs{ function() run:plot(R.z, R.x) end, function() run:plot(R.z, "omega1") end, function() hm.plot({ run }, R.z, R.x) end } do
      check.raises({ "the horizontal axis, and a vector or a point has three components" }, ask)
    end
  end)
  it("say what is looked at by S:is_conserved", function()
    check.raises({ "S:is_conserved: what is looked at is an expression, not a vector" }, function() S:is_conserved(R.z) end)
  end)
  it("tell where rates by name belong", function()
    check.raises({ "v = {omega1 = 1}" }, function() S:simulate{ q = start.q, v = { R = { omega1 = 1, omega2 = 2, omega3 = 3 } }, t = 0.1 } end)
  end)
end)
