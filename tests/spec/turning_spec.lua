-- Turning bodies: steady motions of rotations by unit quaternions and their first approximation, against closed forms and against angles.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near, raises = check.near, check.raises

local function turned(S, by_angles)
  if not by_angles then return S:rotation("R", { rates = "p q r" }) end
  local psi, theta, phi = S:coordinates "psi theta phi"
  return S:frame():rotate("z", psi):rotate("x", theta):rotate("z", phi)
end

local function top(by_angles)
  local S = hm.system "top"
  local N, R = S:frame "N", turned(S, by_angles)
  local A, C, m, g, c = S:positive "A=1 C=1/2 m=1 g=9.81 c=1/2"
  S:body("top", { at = c*R.z, frame = R, mass = m, inertia = {A, A, C}, about = S.origin })
  S:gravity(-g*N.z)
  return S, N, R
end

local function rolling(shape, inertia, by_angles)
  local S = hm.system "rolling"
  local N, R = S:frame "N", turned(S, by_angles)
  local body = S:body("body", { at = S:point "x y z", frame = R, mass = 1, inertia = inertia, shape = shape })
  S:rolls("roll", body, N:plane())
  S:gravity(-9.81*N.z)
  return S, N, R
end

local function disc(by_angles) return rolling({ "disc", radius = 1 }, { 1/4, 1/4, 1/2 }, by_angles) end

-- Imaginary parts, and the real parts, in order
local function spectrum(L)
  local re, im = {}, {}
  for i, e in ipairs(L.eigenvalues) do re[i], im[i] = e.re, e.im end
  table.sort(re)
  table.sort(im)
  return re, im
end

local function same_spectrum(L, re, im, tolerance, what)
  local a, b = spectrum(L)
  assert.are.equal(#re, #a, what .. ": number of eigenvalues")
  for i = 1, #re do
    near(a[i], re[i], tolerance, what .. ": real part")
    near(b[i], im[i], tolerance, what .. ": imaginary part")
  end
end

local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0 end
  return list
end

describe("S:linearize of turning bodies", function()
  it("gives the rates of a sleeping top in axes that do not spin", function()
    -- A s^2 - i C W s + m g c... : s = i (C W +- sqrt(C^2 W^2 - 4 A m g c))/(2 A)
    local S = top()
    local A, C, K = 1, 0.5, 9.81*0.5
    for _, form in ipairs{ "lagrange", "hamel" } do
      local root = math.sqrt((C*20)^2 - 4*A*K)
      local fast, slow = (C*20 + root)/(2*A), (C*20 - root)/(2*A)
      local L = S:linearize{ q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 20} }, form = form }
      same_spectrum(L, zeros(5), { -fast, -slow, 0, slow, fast }, 1e-12, form)
      assert.are.equal("not decided by the first approximation", L.verdict)
    end
    local slow = S:linearize{ q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 5} } }
    near(slow.largest, math.sqrt(4*A*K - (C*5)^2)/(2*A), 1e-12, "growth")
    assert.are.equal("unstable", slow.verdict)
  end)
  it("gives Euler's frequencies of a satellite about its three axes", function()
    local J = { 1, 2, 2.5 }
    for i = 1, 3 do
      local S = hm.system "satellite"
      S:body("b", { frame = S:rotation "R", inertia = J })
      local w, j, k = { 0, 0, 0 }, i % 3 + 1, (i + 1) % 3 + 1
      w[i] = 3
      local square = 9*(J[i] - J[j])*(J[i] - J[k])/(J[j]*J[k])
      local root = math.sqrt(math.abs(square))
      for _, at in ipairs{ { 1, 0, 0, 0 }, { axis = {1, 2, -1}, angle = 1.1 } } do
        local L = S:linearize{ q = { R = at }, v = { R = w } }
        same_spectrum(L, square < 0 and { -root, 0, root } or zeros(3), square < 0 and zeros(3) or { -root, 0, root }, 1e-11, "axis " .. i)
      end
    end
  end)
  it("gives the same for an upright rolling disc as by angles", function()
    for _, form in ipairs{ "lagrange", "hamel" } do
      local quaternion, angles = disc(), disc(true)
      local L = quaternion:linearize{ q = { x = 0, y = 0, R = {"zxz", 0, math.pi/2, 0} }, v = { R = {0, 0, 2} }, form = form }
      -- theta'' (A + m r^2) = -(C (C + m r^2)/A w^2 - m g r) dtheta (Routh 1884)
      local square = (0.5*1.5/0.25*4 - 9.81)/1.25
      same_spectrum(L, zeros(4), { -math.sqrt(square), 0, 0, math.sqrt(square) }, 1e-10, "quaternion")
      local M = angles:linearize{ q = { x = 0, y = 0, psi = 0, theta = math.pi/2, phi = 0 }, v = { psi = 0, theta = 0, phi = 2 }, form = "hamel" }
      same_spectrum(M, zeros(4), { -math.sqrt(square), 0, 0, math.sqrt(square) }, 1e-10, "angles")
    end
  end)
  it("gives the frequencies of a Chaplygin sphere that spins about a vertical axis", function()
    -- L = J w + D (w - n (n.w)), D = m a^2, stays in space, and with it a vertical L: w1 = (C + D) W n1/(A + D), w2 = (C + D) W n2/(B + D), and
    -- n' = n x w turns at W sqrt((C - A)(C - B)/((A + D)(B + D))); against other directions of L the body turns at W
    local A, B, C, D, W = 0.1, 0.15, 0.2, 0.25, 2
    local S = rolling({ "sphere", radius = 0.5 }, { A, B, C })
    local rate = W*math.sqrt((C - A)*(C - B)/((A + D)*(B + D)))
    for _, form in ipairs{ "lagrange", "hamel" } do
      local L = S:linearize{ q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {0, 0, W} }, form = form }
      same_spectrum(L, zeros(5), { -W, -rate, 0, rate, W }, 1e-11, form)
    end
  end)
  it("refuses motions along which no symmetry goes, and states in axes that turn", function()
    local S = rolling({ "sphere", radius = 0.5 }, { 0.1, 0.15, 0.2 })
    raises({ "not steady", "S:periodic" }, S.linearize, S, { q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {2, 0, 0} } })
    raises({ "not steady" }, S.linearize, S, { q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {1e-7, 0, 2} } })
    local T = top()
    raises({ "states", "turn along" }, T.linearize, T, { q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 20} }, states = { "p" } })
    raises({ "not steady" }, T.linearize, T, { q = { R = { axis = {1, 0, 0}, angle = 1e-5 } }, v = { R = {0, 0, 20} } })
    raises({ "not steady", "lagrange" }, T.linearize, T, { q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 20} }, form = "canonical" })
  end)
end)

describe("S:steady of turning bodies", function()
  it("finds the precession of a heavy top, by quaternion as by angles", function()
    local S, N, R = top()
    local T, _, Q = top(true)
    local start = { R = {"zxz", 0.3, 0.5, 0} }
    for _, form in ipairs{ "lagrange", "hamel" } do
      local s = S:steady{ q = start, v = { R = N.z + 20*R.z }, keep = { R.z:dot(N.z), "r" }, form = form }
      local a = T:steady{ q = { psi = 0.3, theta = 0.5, phi = 0 }, v = { psi = 1, theta = 0, phi = 20 },
        keep = { "theta", Q:angular_velocity():dot(Q.z) }, form = form }
      -- A cos(theta) psi'^2 - C r psi' + m g c = 0, the slow root
      local r = 20 + math.cos(0.5)
      local root = (0.5*r - math.sqrt((0.5*r)^2 - 4*math.cos(0.5)*9.81*0.5))/(2*math.cos(0.5))
      near(a.v.psi, root, 1e-9, "precession by angles")
      near(math.sqrt(s.v.p^2 + s.v.q^2), root*math.sin(0.5), 1e-9, "precession by quaternion")
      near(s.v.r, r, 1e-12, "spin")
      local L, K = S:linearize{ q = s.q, v = s.v, form = form }, T:linearize{ q = a.q, v = a.v, form = form }
      local re, im = spectrum(K)
      same_spectrum(L, re, im, 1e-8, form)
      local run = S:simulate{ q = s.q, v = s.v, t = 3, rtol = 1e-11, atol = 1e-12 }
      near(run:at(3, R.z:dot(N.z)), math.cos(0.5), 1e-9, "the inclination stays")
    end
  end)
  it("finds a disc that rolls on a circle, by quaternion as by angles", function()
    local S, N, R = disc()
    local T, M, Q = disc(true)
    local keep = function(F, frame) return { F.z:dot(frame.z), F:angular_velocity():dot(F.z) } end
    local s = S:steady{ q = { x = 0, y = 0, R = {"zxz", 0, 1.3, 0} }, v = { R = 4.4*R.z - 0.4*N.z }, keep = keep(R, N) }
    local a = T:steady{ q = { x = 0, y = 0, psi = 0, theta = 1.3, phi = 0 }, v = { psi = -0.4, theta = 0, phi = 4.4 }, keep = keep(Q, M) }
    local by_quaternion, by_angles = S:linearize{ q = s.q, v = s.v }, T:linearize{ q = a.q, v = a.v }
    local re, im = spectrum(by_angles)
    same_spectrum(by_quaternion, re, im, 1e-8, "disc")
    assert(im[4] > 1)
  end)
end)

describe("exact algebra of rotations", function()
  it("proves that the matrix is orthogonal and that lengths stay", function()
    local S = hm.system "algebra"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local B = S:rotation("B", { from = R })
    local x, y, z = S:coordinates "x y z"
    for _, C in ipairs{ R:matrix(N), B:matrix(N) } do
      local product = (C*C:transpose()):simplify()
      assert.is_true(product == hm.matrix{ {1, 0, 0}, {0, 1, 0}, {0, 0, 1} })
      for i = 1, 3 do for j = 1, 3 do assert.are.equal(i == j and "1" or "0", tostring(product[i][j])) end end
    end
    assert.are.equal("1", tostring(R:matrix(N):determinant():simplify()))
    local a, b, c = R:vector(x, y, z):components(N)
    assert.is_true((hm.sqrt(a^2 + b^2 + c^2) - hm.sqrt(x^2 + y^2 + z^2)):is_zero())
    local e0, e1, e2, e3 = R:quaternion()
    assert.are.equal("x", tostring((x*(e0^2 + e1^2 + e2^2 + e3^2)^2):simplify()))
    assert.is_true(hm.agree(e0^2, 1 - e1^2 - e2^2 - e3^2).equal)
    assert.is_false(hm.agree(e0^2, 1 - e1^2 - e2^2).equal)
  end)
  it("keeps what divides by nothing, and simplifies what is left of it", function()
    local S = hm.system "nothing"
    local R = S:rotation "R"
    local e0, e1, e2, e3 = R:quaternion()
    local nothing = e0^2 + e1^2 + e2^2 + e3^2 - 1
    assert.are.equal("0", tostring(nothing:simplify()))
    assert.is_nil((1/nothing):is_zero())
    assert(tostring((1/nothing):simplify()):find("R0^2", 1, true))
    assert.is_true((nothing*(e0 - 1)):is_zero())
    assert.is_false(nothing:subs{ [e0] = 2*e0 }:is_zero())
  end)
  it("knows rates and the derivatives of cosines", function()
    local S = hm.system "rates"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local C, p, q, r = R:matrix(N), R:rates()
    local e0, e1, e2, e3 = R:quaternion()
    assert.is_true((hm.dt(C[3][1]) - (C[3][2]*r - q*C[3][3])):is_zero())
    assert.is_false((hm.dt(C[3][1]) - (C[3][2]*r + q*C[3][3])):is_zero())
    assert.is_true((e0*e0.dot + e1*e1.dot + e2*e2.dot + e3*e3.dot):is_zero())
    assert.is_true((4*(e0.dot^2 + e1.dot^2 + e2.dot^2 + e3.dot^2) - p^2 - q^2 - r^2):is_zero())
    assert.is_true((p.dot - 2*(e0*e1.ddot - e1*e0.ddot - e2*e3.ddot + e3*e2.ddot)):is_zero())
    -- rates of one name in rotations of other names: not proved to differ from what they may be
    local T = hm.system "other"
    T:rotation("Q", { rates = "p2 q2 r2" })
    hm.system("third"):rotation("P", { rates = "p2 q2 r2" })
    local p2, Q = T._rotations[1].frame:rates(), { T._rotations[1].frame:quaternion() }
    assert.is_nil((p2 - 2*(Q[1]*Q[2].dot - Q[2]*Q[1].dot - Q[3]*Q[4].dot + Q[4]*Q[3].dot)):is_zero())
    assert.is_true(T:plain(p2 - 2*(Q[1]*Q[2].dot - Q[2]*Q[1].dot - Q[3]*Q[4].dot + Q[4]*Q[3].dot)):is_zero())
  end)
  it("leaves coordinates of the same names alone", function()
    local S = hm.system "plain"
    local R0, R1, R2, R3 = S:coordinates "R0 R1 R2 R3"
    assert.is_false((R0^2 + R1^2 + R2^2 + R3^2 - 1):is_zero())
    assert.are.equal("R0^2 + R1^2 + R2^2 + R3^2", tostring((R0^2 + R1^2 + R2^2 + R3^2):simplify()))
  end)
  it("refuses constraints that hold in every attitude", function()
    local S = hm.system "idle"
    local N, R = S:frame "N", S:rotation "R"
    local C, e0, e1, e2, e3 = R:matrix(N), R:quaternion()
    raises({ "every attitude" }, S.constraint, S, "unit", e0^2 + e1^2 + e2^2 + e3^2 - 1)
    raises({ "every attitude" }, S.constraint, S, "row", C[3][1]^2 + C[3][2]^2 + C[3][3]^2 - 1)
    raises({ "every attitude" }, S.constraint, S, "sphere", e0*e0.dot + e1*e1.dot + e2*e2.dot + e3*e3.dot)
    assert.are.equal("holonomic", S:constraint("tilt", C[3][3] - 1/2).kind)
  end)
  it("tells the kinds of constraints on rotations", function()
    local function system()
      local S = hm.system "kinds"
      local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
      return S, R:matrix(N), S:coordinates "x", R:rates()
    end
    local function rates_of(S, _, _, ...) return S, ... end
    local S, C, x, p, q, r = system()
    S:constraint("tilt", C[3][1]*q - C[3][2]*p)                                    -- Rzz' = 0
    S:constraint("mixed", (C[3][2]*r - q*C[3][3]) + C[3][1]*x.dot)                 -- Rzx' + Rzx x' = 0, of two degrees in e
    assert.are.equal("linear integrable", S.constraints.tilt.kind)
    assert.are.equal("linear integrable", S.constraints.mixed.kind)
    assert.is_true((S:holonomic()))
    S, C, x, p, q, r = system()
    assert(q)
    S:constraint("spin", r)
    S:constraint("slide", x.dot - C[1][1]*p)
    assert.are.equal("linear nonholonomic", S.constraints.spin.kind)
    assert.are.equal("linear nonholonomic", S.constraints.slide.kind)
    assert.is_false((S:holonomic()))
    S, p, q, r = rates_of(system())
    S:constraint("no turn", p)
    S:constraint("nor this", q)
    S:constraint("nor that", r)
    assert.is_true((S:holonomic()))
    S, p, q, r = rates_of(system())
    S:constraint("speed", p^2 + q^2 + r^2 - 1)
    assert.are.equal("nonlinear nonholonomic", S.constraints.speed.kind)
    local verdict, _, reason = S:holonomic()
    assert.is_nil(verdict)
    assert(reason:find("three angles", 1, true))
  end)
end)

describe("S:periodic of turning bodies", function()
  local function pendulum(by_angles)
    local S = hm.system "pendulum"
    local N = S:frame "N"
    local R
    if by_angles then
      local a, b, c = S:coordinates "a b c"
      R = N:rotate("x", a):rotate("y", b):rotate("z", c)
    else R = S:rotation("R", { rates = "p q r" }) end
    S:body("b", { at = S.origin - 0.5*R.z, frame = R, mass = 1, inertia = {1, 1.2, 0.3}, about = S.origin })
    S:gravity(-9.81*N.z)
    return S
  end
  local function same_multipliers(one, other)
    assert.are.equal(#other.multipliers, #one.multipliers)
    for i, m in ipairs(one.multipliers) do
      local n = other.multipliers[i]
      near(math.sqrt(m.re^2 + m.im^2), math.sqrt(n.re^2 + n.im^2), 1e-4*(1 + math.abs(m.re)), "multiplier " .. i)
    end
  end
  it("closes a turn after which e is -e", function()
    local S, A = pendulum(), pendulum(true)
    local o = S:periodic{ q = { R = {1, 0, 0, 0} }, v = { R = {8, 0, 0} }, period = 0.8 }
    -- p^2 = p0^2 - 4 w^2 sin^2(a/2), w^2 = m g c/A: the period is 4 K(2 w/p0)/p0
    local e, w = o.q, math.sqrt(9.81*0.5)
    local energy = o.v.p^2/2 - w^2*(e.R0^2 - e.R1^2 - e.R2^2 + e.R3^2)
    local p0 = math.sqrt(2*(energy + w^2))
    near(o.period, 4*mechanics.K(2*w/p0)/p0, 1e-9, "period of a rotation")
    assert.are.equal(1, o.repeats)
    local a = A:periodic{ q = { a = 2*math.atan(e.R1, e.R0), b = 0, c = 0 }, v = { a = o.v.p, b = 0, c = 0 }, period = o.period,
      advance = { a = 2*math.pi } }
    same_multipliers(o, a)
    assert.are.equal(2, S:periodic{ q = o.q, v = o.v, period = 2*o.period }.repeats)
  end)
  it("finds an oscillation with the multipliers by angles", function()
    local S, A = pendulum(), pendulum(true)
    local o = S:periodic{ q = { R = { axis = {1, 0, 0}, angle = 0.8 } }, v = { R = {0, 0, 0} }, period = 3 }
    local a = A:periodic{ q = { a = 0.8, b = 0, c = 0 }, v = { a = 0, b = 0, c = 0 }, period = 3 }
    local amplitude = math.acos((o.q.R0^2 - o.q.R1^2) - o.v.p^2/(2*9.81*0.5))
    near(o.period, 4*mechanics.K(math.sin(amplitude/2))/math.sqrt(9.81*0.5), 1e-9, "period")
    assert(a.period > 2)
    same_multipliers(o, A:periodic{ q = { a = 2*math.atan(o.q.R1, o.q.R0), b = 0, c = 0 }, v = { a = o.v.p, b = 0, c = 0 }, period = o.period })
  end)
  it("keeps the sign where the equations are not even in e", function()
    local S = hm.system "odd"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("b", { frame = R, mass = 1, inertia = {1, 1, 1.5} })
    S:potential_energy((R:quaternion())/100)
    local found, o = pcall(S.periodic, S, { q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 2} }, period = math.pi, fixed_period = true })
    local last = found and S:simulate{ q = o.q, v = o.v, t = math.pi, rtol = 1e-11, atol = 1e-12 }:at(math.pi)
    for _, name in ipairs(found and { "R0", "R1", "R2", "R3" } or {}) do near(last[name], o.q[name], 1e-8, name) end
  end)
end)

describe("S:lyapunov of turning bodies", function()
  it("has six exponents for a body that turns, none of e.e = 1", function()
    local S = top()
    local L = S:lyapunov{ q = { R = { axis = {1, 0, 0}, angle = 0.5 } }, v = { R = {0, 0, 20} }, t = 20, every = 2 }
    assert.are.equal(6, #L.exponents)
    local sum = 0
    for _, e in ipairs(L.exponents) do sum = sum + e end
    near(sum, 0, 1e-3, "the flow keeps the volume")
  end)
end)

describe("S:section of turning bodies", function()
  it("has the body rates as columns", function()
    local S = top()
    local section = S:section{ when = "p", q = { R = { axis = {1, 0, 0}, angle = 0.5 } }, v = { R = {-0.1, 0, 20} }, t = 2 }
    assert.are.equal("R0 R1 R2 R3 p q r", table.concat(section.names, " "))
    assert(#section > 3)
    for _, row in ipairs(section) do near(row[7], 20, 1e-8, "spin") end
  end)
end)

describe("forces on turning bodies", function()
  local function body()
    local S = hm.system "body"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local b = S:body("b", { frame = R, mass = 1, inertia = {1, 2, 2.5}, at = R.z/2, about = S.origin })
    return S, N, R, b
  end
  local function printed(S, form)
    local text = tostring(S:equations(form))
    assert.is_nil(text:find "R%d", text)
    return text
  end
  it("by hand keep rates and cosines in the printed equations", function()
    for _, declare in ipairs{
      function(S, N, R) S:force((R:rates()), -R:rates()/10 - R.x:dot(N.z)) end,
      function(S, _, R) S:dissipation((R:rates())^2/20) end,
      function(S, N, R) S:potential_energy(R.z:dot(N.z)/5) end,
      function(S, _, R)
        local p, q, r = R:rates()
        S:kinetic_energy((p^2 + q*r)/2)
      end,
      function(S, N, R) S:force(S:coordinates "x", R.x:dot(N.z)) S:kinetic_energy(S:coordinates("x").dot^2) end,
    } do
      local S, N, R = body()
      declare(S, N, R)
      for _, form in ipairs{ "lagrange", "hamel" } do printed(S, form) end
    end
    local S, N, R = body()
    S:force("p", -R:rates()/10 - R.x:dot(N.z))
    assert(printed(S, "hamel"):find("p' + q*r/2 = -p/10 - Rzx", 1, true))
    raises({ "acts on 'p' already" }, S.force, S, (R:rates()), -R:rates()/10 - R.x:dot(N.z))
    raises({ "takes an expression" }, S.force, S, (R:rates()), function() return 0 end)
  end)
  it("are the same on a rate, as a torque, and by a dissipation function", function()
    local start, values = { q = { R = { axis = {1, 2, 3}, angle = 0.7 } }, v = { R = {0.3, -0.4, 0.5} } }, {}
    for k, declare in ipairs{ function(S, R) S:force((R:rates()), -R:rates()/10) end, function(S, R, b) S:torque(b, -R:rates()/10*R.x) end,
                              function(S, R) S:dissipation((R:rates())^2/20) end } do
      local S, _, R, b = body()
      declare(S, R, b)
      local a = S:accelerations(start).a
      values[k] = { a.R0, a.R1, a.R2, a.R3 }
    end
    for k = 2, 3 do for i = 1, 4 do near(values[k][i], values[1][i], 1e-14, "R" .. i - 1) end end
  end)
  it("contain inputs, which S:linearize knows, and their functions", function()
    local S, N, R, b = body()
    local u = S:input "u"
    S:torque(b, 2*u*R.x)
    local L = S:linearize{ q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 3} } }
    local size = 0
    for _, row in ipairs(L.B) do size = size + row[1]^2 end
    near(math.sqrt(size), 2, 1e-12, "2 u/A")
    S:input("u", -R:rates()/10 - R.x:dot(N.z))
    assert(printed(S, "hamel"):find("2*u - p/5 - 2*Rzx", 1, true))
    raises({ "input 'u'" }, function() return S.origin + u*N.x end)
    raises({ "input 'u'" }, S.gravity, S, u*N.x)
    raises({ "input 'u'" }, N.rotate, N, N.x + u*N.y, hm.t)
    raises({ "input 'u'" }, S.constraint, S, "c", (u*N.x):dot(R.x))
  end)
  it("contain multipliers, in the form that keeps them", function()
    local S, _, R, b = body()
    local p, q, r = R:rates()
    S:constraint("spin", r - 1)
    S:torque(b, -0.1*S.lambda.spin*R.x)
    -- r' = 0: lambda = p q (B - A); A p' = q r (B - C) - lambda/10
    local s = S:accelerations{ q = { R = {1, 0, 0, 0} }, v = { R = {0.3, 0.4, 1} } }
    near(s.lambda.spin, 0.3*0.4*(2 - 1), 1e-14, "multiplier")
    near(s.a.R1, (0.4*(2 - 2.5) - s.lambda.spin/10)/2 + s.v.R0*0.3/2 + s.v.R2*1/2 - s.v.R3*0.4/2, 1e-14, "p' in e1''")
    near(s.a.p, 0.4*(2 - 2.5) - s.lambda.spin/10, 1e-14, "p'")
    near(s.a.r, 0, 1e-14, "r'")
    near(s.v.p, 0.3, 1e-14, "p")
    near(S:accelerations{ q = s.q, v = s.v }.a.p, s.a.p, 1e-14, "from its own state")
    raises({ "force on 'p'", "multiplier of 'spin'", "lagrange" }, S.equations, S, "hamel")
    assert(p and q)
  end)
end)

describe("quasi-velocities and momenta of turning bodies", function()
  local start = { R = { axis = {1, 2, 3}, angle = 0.7 } }
  it("print and run in every form, from starts by any names", function()
    local S, N, R = top()
    local p, q, r = R:rates()
    local plain = S:simulate{ q = start, v = { R = {0.3, -0.4, 5} }, t = 2, rtol = 1e-11, atol = 1e-12 }
    S:quasi_velocities("u1 u2 u3", { p + q, q - p, r + R.z:dot(N.z) })
    local text = tostring(S:equations "hamel")
    for _, line in ipairs{ "u1:", "p = u1/2 - u2/2", "r = u3 - Rzz" } do assert(text:find(line, 1, true), text) end
    assert.is_nil(text:find "R%d")
    for _, form in ipairs{ "lagrange", "hamel", "maggi", "kane", "appell", "volterra", "canonical" } do
      local run = S:simulate{ q = start, v = { u1 = -0.1, q = -0.4, r = 5 }, t = 2, rtol = 1e-11, atol = 1e-12, form = form }
      assert.are.equal("OK", run.status)
      for i, c in ipairs(run:at(2, R.z)) do near(c, plain:at(2, R.z)[i], 1e-8, form) end
      near(run:at(2).u2, run:at(2, q - p), 1e-12, form)
      assert(run.energy_drift < 1e-10)
    end
    raises({ "linear in the velocities and body rates" }, S.quasi_velocities, S, "w1 w2 w3", { p^2, q, r })
    raises({ "2 for 3 degrees of freedom" }, S.quasi_velocities, S, "w1 w2", { p, q })
    raises({ "'w' is neither" }, S.simulate, S, { q = start, v = { u1 = 1, w = 2 }, t = 1 })
  end)
  it("eliminate rolling, and stop where the choice does not determine the velocities", function()
    local S, N, R = disc()
    local p, _, r = R:rates()
    local q, v = { x = 0, y = 0, R = {"zxz", 0.3, 1.3, 0.2} }, { R = {0.3, -0.4, 5} }
    local plain = S:simulate{ q = q, v = v, t = 0.2, rtol = 1e-11, atol = 1e-12 }
    S:quasi_velocities("u v w", { R:angular_velocity():dot(N.z), p, r })
    for _, form in ipairs{ "hamel", "kane", "canonical" } do
      local run = S:simulate{ q = q, v = v, t = 0.2, rtol = 1e-11, atol = 1e-12, form = form }
      for _, name in ipairs{ "x", "y", "z", "p", "r" } do near(run:at(0.2)[name], plain:at(0.2)[name], 1e-8, form .. " " .. name) end
      near(run:at(0.2).lambda["roll.z"], plain:at(0.2).lambda["roll.z"], 1e-7, form)
    end
    local run = S:simulate{ q = q, v = v, t = 2, form = "hamel" }
    assert(run.status ~= "OK" and run.reason:find("singular", 1, true), run.reason)
  end)
  it("are conditions of S:velocities", function()
    local S, N, R = disc()
    local p, _, r = R:rates()
    local v = S:velocities{ q = { x = 0, y = 0, R = {"zxz", 0.3, 1.3, 0.2} }, where = { { R:angular_velocity():dot(N.z), 1 }, { p, 0 }, { r, 2 } } }
    near(v.p, 0, 1e-12, "p")
    near(v.r, 2, 1e-12, "r")
    near(v.q*math.sin(1.3)*math.cos(0.2) + 2*math.cos(1.3), 1, 1e-12, "about the vertical")
  end)
  it("canonical equations of a heavy top are Euler's in momenta", function()
    local S = top()
    local text = tostring(S:equations "canonical")
    for _, line in ipairs{ "P1' = P2*P3/C - P2*P3/A + c*g*m*Rzy", "P3' = 0", "r = P3/C" } do assert(text:find(line, 1, true), text) end
  end)
end)

describe("S:derivation of turning bodies", function()
  -- What the rows of the equations are made of
  local function parts(D)
    local found = {}
    for _, one in ipairs(D) do found[one.title:match "^%a+"] = one end
    return found
  end
  it("ends in the equations: inertia less applied forces less reactions", function()
    local ball, _, B = rolling({ "sphere", radius = 0.5 }, { 0.1, 0.15, 0.2 })
    ball:force((B:rates()), -B:rates()/10)
    local heavy, N, R = top()
    heavy:torque(heavy._bodies[1], -R:rates()/10*R.x + N.x)
    heavy:kinetic_energy((R:rates())^2/7)
    for _, S in ipairs{ ball, heavy } do
      for _, form in ipairs{ "lagrange", "hamel", "maggi", "appell" } do
        local D = S:derivation(form)
        local p = parts(D)
        for s = 1, #D.equations.dyn do
          local row = p.Inertia[s].value - p.Applied[s].value - (p.Reactions and p.Reactions[s].value or 0)
          assert.is_true((row - D.equations[s]):is_zero(), S.name .. " " .. form)
        end
      end
    end
  end)
  it("goes from vectors to Euler's equations", function()
    local D = top():derivation()
    local text = tostring(D)
    for _, line in ipairs{ "omega_top = p*R.x + q*R.y + r*R.z", "h_top = A*p*R.x + A*q*R.y + C*r*R.z",
                           "(h_top)' = (A*p' + q*r*(C - A))*R.x + (A*q' + p*r*(A - C))*R.y + C*r'*R.z", "domega_top/dp = R.x",
                           "A_p = c*g*m*Rzy", "Rzx' = Rzy*r - q*Rzz" } do
      assert(text:find(line, 1, true), line .. " is missing in\n" .. text)
    end
    local latex = D:latex()
    assert(#D:latex{ width = 34 } > 0)
    assert(latex:find("\\boldsymbol{\\omega}_{\\text{top}}", 1, true) and latex:find("\\mathbf{R}_{x}", 1, true))
  end)
end)

describe("starts of turning bodies", function()
  it("are refused where they give a rate twice", function()
    local S = top()
    raises({ "v.R", "'r' is given as well" }, S.simulate, S, { q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 1}, r = 2 }, t = 1 })
  end)
  it("are refused where rates and the velocity of the quaternion differ", function()
    local S = top()
    local start = { q = { R = {1, 0, 0, 0} }, v = { R0 = 0, R1 = 0.5, R2 = 0, R3 = 1, p = 1, q = 0, r = 2 }, t = 0.1 }
    assert.are.equal("OK", S:simulate(start).status)
    start.v.r = 3
    raises({ "v.r is 3", "it is 2" }, S.simulate, S, start)
  end)
  it("are varied by single rates in sweeps", function()
    local S, N, R = top()
    local q = { R = { axis = {1, 2, 3}, angle = 0.7 } }
    local sweep = S:sweep{ q = q, v = { R = {0.3, -0.4, 5} }, t = 1, over = { { "r", {1, 2} } }, keep = { "p" } }
    for i, rate in ipairs{ 1, 2 } do
      near(sweep[i].p, S:simulate{ q = q, v = { p = 0.3, q = -0.4, r = rate }, t = 1 }:at(1).p, 1e-9, "row " .. i)
    end
    raises({ "is given as well" }, function()
      local other = S:sweep{ q = q, v = { R = 5*R.z + N.x }, t = 1, over = { { "r", {1, 2} } }, keep = { "p" } }
      error((tostring(other):match "'r' is given as well" or tostring(other):gsub("\n", " ")))
    end)
  end)
  it("are refused by the method 'dla' with another one", function()
    local S = top()
    raises({ "dla", "gauss6" }, S.simulate, S, { method = "dla", step = 0.01, q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 1} }, t = 1 })
  end)
end)

describe("S:equilibrium with rotations", function()
  it("finds rest under a torque, and what S:linearize takes", function()
    local S = hm.system "hung"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local body = S:body("b", { at = S.origin - 0.5*R.z, frame = R, mass = 1, inertia = {1, 1.1, 0.3}, about = S.origin })
    S:gravity(-9.81*N.z)
    S:torque(body, 2*N.x)
    local rest = S:equilibrium{ q = { R = {1, 0, 0, 0} } }
    -- m g c sin(angle) = 2
    near(2*math.atan(rest.q.R1, rest.q.R0), math.asin(2/(9.81*0.5)), 1e-10, "angle")
    local L = S:linearize{ q = rest.q, v = { R = {0, 0, 0} } }
    local fastest = 0
    for _, e in ipairs(L.eigenvalues) do fastest = math.max(fastest, e.im) end
    near(fastest, math.sqrt(9.81*0.5*math.cos(math.asin(2/(9.81*0.5)))), 1e-9, "about the axis of the torque")
    assert.are.equal(0, #L.turning)
  end)
end)

describe("axes of steady turning", function()
  local function frequencies(L)
    local list = {}
    for _, e in ipairs(L.eigenvalues) do
      check.near(e.re, 0, 1e-6)
      if e.im > 1e-6 then list[#list + 1] = e.im end
    end
    table.sort(list)
    return list
  end

  it("do not turn about the axis of a body that may turn in itself", function()
    for _, C in ipairs{ 0.5, 0.9, 1.5 } do
      local T = hm.system "sleeping top"
      local N, R = T:frame "N", T:rotation "R"
      T:body("top", { at = R.z/2, frame = R, mass = 1, inertia = { 1, 1, C }, about = T.origin })
      T:gravity(-9.81*N.z)
      local root = math.sqrt(100*C^2 - 4.905)
      local found = frequencies(T:linearize{ q = { R = { 1, 0, 0, 0 } }, v = { R = { 0, 0, 20 } } })
      check.near(found[1], 10*C - root, 1e-7)
      check.near(found[2], 10*C + root, 1e-7)
    end
    local sphere = hm.system "sphere"
    sphere:body("b", { frame = sphere:rotation "R", inertia = { 1, 1, 1 } })
    local still = sphere:linearize{ q = { R = { 1, 0, 0, 0 } }, v = { R = { 1, 2, 5 } } }
    assert.equal(0, #frequencies(still))
    for _, J in ipairs{ { 1, 1, 0.5 }, { 2, 2, 1 }, { 1, 1, 1.5 } } do
      local B = hm.system "free body"
      B:body("b", { frame = B:rotation "R", inertia = J })
      local L = B:linearize{ q = { R = { 1, 0, 0, 0 } }, v = { R = { 0, 0, 5 } } }
      check.near(frequencies(L)[1], 5*J[3]/J[1], 1e-7)
      assert.equal("not decided by the first approximation", L.verdict)
    end
  end)

  it("are the same in any unit of length and in all forms: a ball at the bottom of a sphere", function()
    for _, unit in ipairs{ 1, 100 } do
      for _, form in ipairs{ "lagrange", "hamel", "maggi" } do
        local S = hm.system "bowl"
        local N, R = S:frame "N", S:rotation "R"
        local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = { "sphere", radius = 0.1*unit } })
        S:gravity(-9.81*unit*N.z)
        S:rolls("roll", ball, N:sphere{ radius = unit, inside = true, at = S.origin + unit*N.z })
        local found = frequencies(S:linearize{ q = { x = 0, y = 0, z = 0.1*unit, R = { 1, 0, 0, 0 } }, v = { x = 0, y = 0, R = { 0, 0, 5 } }, form = form })
        -- 7 w^2 -+ 2 n (a/b) w - 5 g/b = 0 with b = 9/10 the distance of the centres, n = 5, a = 1/10
        local half = 5*0.1/0.9/7
        local root = math.sqrt(half^2 + 5*9.81/(7*0.9))
        check.near(found[1], root - half, 1e-6)
        check.near(found[2], root + half, 1e-6)
      end
    end
  end)

  it("are those of S:linearize of what S:steady returns", function()
    local T = hm.system "top"
    local N, R = T:frame "N", T:rotation "R"
    T:body("top", { at = R.z/2, frame = R, mass = 1, inertia = { 1, 1, 0.5 }, about = T.origin })
    T:gravity(-9.81*N.z)
    local st = T:steady{ q = { R = { axis = { 1, 0, 0 }, angle = 0.5 } }, v = { R = { 0, 0.5, 20 } } }
    local by_itself, by_values = T:linearize(st), T:linearize{ q = st.q, v = st.v }
    for i, e in ipairs(by_itself.eigenvalues) do check.near(e.im, by_values.eigenvalues[i].im, 1e-12) end
  end)
end)
