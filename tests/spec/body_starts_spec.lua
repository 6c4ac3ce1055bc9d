-- Starts of bodies: positions between two planes, joints that are turned round, rates that the constraints exclude.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

describe("a start between two planes", function()
  local function wedge(angle, first, second)
    local S = hm.system "wedge"
    local N, R = S:frame "N", S:rotation "R"
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.1} })
    if first then S:constraint("floor", S:gap(ball, N:plane())) end
    if second then S:constraint("wall", S:gap(ball, N:rotate("x", angle):plane())) end
    return S
  end
  it("finds what is missing where cos(math.pi/2) is the number 6e-17", function()
    for _, angle in ipairs{ math.pi/2, hm.pi/2, 3*math.pi/2 } do
      local y = angle == 3*math.pi/2 and 0.1 or -0.1
      for _, q in ipairs{ { x = 0, y = y }, { x = 0, z = 0.1 }, { x = 0 } } do
        q.R = {1, 0, 0, 0}
        local run = wedge(angle, true, true):simulate{ q = q, v = { x = 1, R = {0, 0, 0} }, t = 1 }
        near(run:at(0).y, y, 1e-12, "y") near(run:at(0).z, 0.1, 1e-12, "z")
      end
    end
  end)
  it("does not take that number for a condition on the height", function()
    local S = wedge(math.pi/2, false, true)
    raises({ "z", "give" }, S.simulate, S, { q = { x = 0, y = -0.1, R = {1, 0, 0, 0} }, v = { x = 1, y = 0, z = 0, R = {0, 0, 0} }, t = 1 })
  end)
  it("names the given rate that two rolling contacts exclude", function()
    local S = hm.system "groove"
    local N, R = S:frame "N", S:rotation "R"
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.1} })
    S:rolls("floor", ball, N:plane())
    S:rolls("wall", ball, N:rotate("x", hm.pi/2):plane())
    raises({ "by the given omega1", "remove v.omega1" }, S.simulate, S, { q = { x = 0, R = {1, 0, 0, 0} }, v = { R = {1, 0, 0} }, t = 1 })
    local run = S:simulate{ q = { x = 0, R = {1, 0, 0, 0} }, v = { omega2 = 1, omega3 = 1 }, t = 1 }
    near(run:at(0).omega1, 0, 1e-12, "omega1")
  end)
end)

describe("a joint", function()
  local function joined(kind, given)
    local S = hm.system "joined"
    local _, A, B = S:frame "N", S:rotation "A", S:rotation "B"
    local a = S:body("a", { at = S:point "x1 y1 z1", frame = A, mass = 1, inertia = {1, 2, 2.5} })
    local b = S:body("b", { at = S:point "x2 y2 z2", frame = B, mass = 1, inertia = {1, 2, 2.5} })
    S:joint("j", kind, a:point(1, 0, 0), b:point(0, 0, 0), given(A, B))
    return S
  end
  local function start(e) return { q = { x1 = 0, y1 = 0, z1 = 0, x2 = 1, y2 = 0, z2 = 0, A = {1, 0, 0, 0}, B = e }, t = 1,
    v = { x1 = 0, y1 = 0, z1 = 0, x2 = 0, A = {0, 0, 0}, B_omega1 = 0 } } end
  local function along(A, B) return { axis = {A.x, B.x} } end
  local function parallel(A, B) return { frames = {A, B} } end
  local function sliding(A, B) return { axis = {A.x, B.x}, frames = {A, B} } end
  it("that is turned by half a turn is refused, where the constraints hold as well", function()
    for kind, given in pairs{ fixed = parallel, prismatic = sliding } do
      local S = joined(kind, given)
      for _, e in ipairs{ {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, -0.5, -0.5} } do
        local fine, message = pcall(S.simulate, S, start(e))
        assert.is_false(fine)
        if math.abs(e[1]) < 0.1 then assert.is_truthy(message:find("joint 'j'", 1, true)) end
      end
      assert.are.equal("OK", S:simulate(start{1, 0, 0, 0}).status)
    end
    for _, kind in ipairs{ "revolute", "cylindrical" } do
      local S = joined(kind, along)
      for _, e in ipairs{ {0, 0, 1, 0}, {0, 0, 0, 1} } do raises({ "joint 'j'", "opposite" }, S.simulate, S, start(e)) end
      for _, e in ipairs{ {1, 0, 0, 0}, {0, 1, 0, 0} } do assert.are.equal("OK", S:simulate(start(e)).status) end
      -- the advice: the other sign of one axis
      local T = joined(kind, function(A, B) return { axis = {A.x, -B.x} } end)
      assert.are.equal("OK", T:simulate(start{0, 0, 1, 0}).status)
    end
  end)
  it("is checked in the rows of a sweep", function()
    local S = joined("revolute", along)
    local o = start{0, 0, 1, 0}
    o.over = { { "v.x1", { 0, 1 } } }
    o.v.x1, o.v.x2 = nil, nil
    local sweep = S:sweep(o)
    for i = 1, 2 do
      assert.are.equal("START", sweep[i].status)
      assert.is_truthy(sweep[i].reason:find("opposite", 1, true))
    end
  end)
end)
