-- the benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (Proc. R. Soc. A 463, 2007, 1955-1982): the published matrices, their algorithm,
-- and the nonlinear model of Whipple linearized here, which knows nothing of either
local check, hm = require "check", require "hamel"
local n = hm.number

-- The parameters of table 1: lengths, masses and moments of inertia of the rear wheel R, rear frame B, front frame H, front wheel F
local p = {
  w = 1.02, c = 0.08, lambda = math.pi/10, g = 9.81,
  rR = 0.3, mR = 2, IRxx = 0.0603, IRyy = 0.12,
  xB = 0.3, zB = -0.9, mB = 85, IBxx = 9.2, IBxz = 2.4, IByy = 11, IBzz = 2.8,
  xH = 0.9, zH = -0.7, mH = 4, IHxx = 0.05892, IHxz = -0.00756, IHyy = 0.06, IHzz = 0.00708,
  rF = 0.35, mF = 3, IFxx = 0.1405, IFyy = 0.28,
}

-- M, C1, K0, K2 of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 in lean and steer, by the algorithm of their appendix A
local function matrices()
  local sine, cosine = math.sin(p.lambda), math.cos(p.lambda)
  local mT = p.mR + p.mB + p.mH + p.mF
  local xT = (p.xB*p.mB + p.xH*p.mH + p.w*p.mF)/mT
  local zT = (-p.rR*p.mR + p.zB*p.mB + p.zH*p.mH - p.rF*p.mF)/mT
  local ITxx = p.IRxx + p.IBxx + p.IHxx + p.IFxx + p.mR*p.rR^2 + p.mB*p.zB^2 + p.mH*p.zH^2 + p.mF*p.rF^2
  local ITxz = p.IBxz + p.IHxz - p.mB*p.xB*p.zB - p.mH*p.xH*p.zH + p.mF*p.w*p.rF
  local ITzz = p.IRxx + p.IBzz + p.IHzz + p.IFxx + p.mB*p.xB^2 + p.mH*p.xH^2 + p.mF*p.w^2
  local mA = p.mH + p.mF
  local xA, zA = (p.xH*p.mH + p.w*p.mF)/mA, (p.zH*p.mH - p.rF*p.mF)/mA
  local IAxx = p.IHxx + p.IFxx + p.mH*(p.zH - zA)^2 + p.mF*(p.rF + zA)^2
  local IAxz = p.IHxz - p.mH*(p.xH - xA)*(p.zH - zA) + p.mF*(p.w - xA)*(p.rF + zA)
  local IAzz = p.IHzz + p.IFxx + p.mH*(p.xH - xA)^2 + p.mF*(p.w - xA)^2
  local uA = (xA - p.w - p.c)*cosine - zA*sine
  local IAll = mA*uA^2 + IAxx*sine^2 + 2*IAxz*sine*cosine + IAzz*cosine^2
  local IAlx, IAlz = -mA*uA*zA + IAxx*sine + IAxz*cosine, mA*uA*xA + IAxz*sine + IAzz*cosine
  local mu, SR, SF = p.c/p.w*cosine, p.IRyy/p.rR, p.IFyy/p.rF
  local ST, SA = SR + SF, mA*uA + mu*mT*xT
  return {
    M = { { ITxx, IAlx + mu*ITxz }, { IAlx + mu*ITxz, IAll + 2*mu*IAlz + mu^2*ITzz } },
    K0 = { { mT*zT, -SA }, { -SA, -SA*sine } },
    K2 = { { 0, (ST - mT*zT)/p.w*cosine }, { 0, (SA + SF*sine)/p.w*cosine } },
    C1 = { { 0, mu*ST + SF*cosine + ITxz/p.w*cosine - mu*mT*zT }, { -(mu*ST + SF*cosine), IAlz/p.w*cosine + mu*(SA + ITzz/p.w*cosine) } },
  }
end

local published = {
  M = { { 80.81722, 2.31941332208709 }, { 2.31941332208709, 0.29784188199686 } },
  K0 = { { -80.95, -2.59951685249872 }, { -2.59951685249872, -0.80329488458618 } },
  K2 = { { 0, 76.59734589573222 }, { 0, 2.65431523794604 } },
  C1 = { { 0, 33.86641391492494 }, { -0.85035641456978, 1.68540397397560 } },
}

-- The matrix of q, q' at the speed v
local function state_matrix(m, v)
  local M, det = m.M, m.M[1][1]*m.M[2][2] - m.M[1][2]*m.M[2][1]
  local A = { { 0, 0, 1, 0 }, { 0, 0, 0, 1 }, {}, {} }
  for j = 1, 2 do
    local function solved(one, two) return -(M[2][2]*one - M[1][2]*two)/det, -(M[1][1]*two - M[2][1]*one)/det end
    A[3][j], A[4][j] = solved(p.g*m.K0[1][j] + v^2*m.K2[1][j], p.g*m.K0[2][j] + v^2*m.K2[2][j])
    A[3][2 + j], A[4][2 + j] = solved(v*m.C1[1][j], v*m.C1[2][j])
  end
  return A
end

local function same_eigenvalues(L)
  local e = table.move(L.eigenvalues, 1, #L.eigenvalues, 1, {})
  table.sort(e, function(a, b) return a.re < b.re or (a.re == b.re and a.im < b.im) end)
  check.near(e[1].re, -14.07838969279822, 1e-9)
  check.near(e[2].re, -0.77534188219585, 1e-9)
  check.near(math.abs(e[2].im), 4.46486771378823, 1e-9)
  check.near(e[4].re, -0.32286642900409, 1e-9)
end

describe("the matrices of the benchmark bicycle", function()
  it("follow from its parameters as published", function()
    for name, want in pairs(published) do
      local m = matrices()[name]
      for i = 1, 2 do for j = 1, 2 do check.near(m[i][j], want[i][j], 2e-14*(1 + math.abs(want[i][j]))) end end
    end
  end)
end)

describe("the benchmark bicycle, linear", function()
  local function bicycle()
    local B, m = hm.system "bicycle", matrices()
    local lean, steer = B:coordinates "lean steer"
    local v, g = B:positive "v=5 g=9.81"
    B:kinetic_energy((m.M[1][1]*lean.dot^2 + 2*m.M[1][2]*lean.dot*steer.dot + m.M[2][2]*steer.dot^2)/2)
    B:potential_energy(g*(m.K0[1][1]*lean^2 + 2*m.K0[1][2]*lean*steer + m.K0[2][2]*steer^2)/2)
    B:force(lean, -v*m.C1[1][2]*steer.dot - v^2*m.K2[1][2]*steer)
    B:force(steer, -v*(m.C1[2][1]*lean.dot + m.C1[2][2]*steer.dot) - v^2*m.K2[2][2]*steer)
    return B, v, g
  end

  it("has the published eigenvalues, and is stable between the published weave and capsize speeds", function()
    local B, v, g = bicycle()
    local rest = { q = { lean = 0, steer = 0 }, v = { lean = 0, steer = 0 } }
    same_eigenvalues(B:linearize(rest))
    local L = B:linearize{ q = { lean = 0, steer = 0 }, symbolic = true }
    local function stable(speed)
      for _, condition in ipairs(L.hurwitz) do
        if not (condition:subs{ [v] = n(speed), [g] = n "9.81" }:eval() > 0) then return false end
      end
      return true
    end
    for speed, want in pairs{ ["4.29"] = false, ["4.295"] = true, ["5"] = true, ["6.024"] = true, ["6.025"] = false } do
      assert.are.equal(want, stable(speed), speed)
      rest.parameters = { v = tonumber(speed) }
      assert.are.equal(want, B:linearize(rest).verdict == "asymptotically stable", speed)
    end
  end)
end)

-- ---- the nonlinear model: four bodies, z down; the wheels are knife-edge discs that roll

local function whipple()
  local S = hm.system "bicycle of Whipple"
  local N = S:frame "N"
  local x, y, z, yaw, lean, pitch, steer, rear, front = S:coordinates "x y z yaw lean pitch steer rear front"
  local ground = N:rotate("x", hm.pi):plane()                 -- upwards is -N.z
  local B = N:rotate("z", yaw):rotate("x", lean):rotate("y", pitch)
  local H = B:rotate("y", p.lambda):rotate("z", steer):rotate("y", -p.lambda)
  local hub = S:point(x*N.x + y*N.y + z*N.z)
  local axis = hub + B:vector(p.w + p.c, 0, p.rR)             -- where the steer axis meets the ground, the trail ahead of the contact
  local rear_wheel = S:body("rear wheel", { at = hub, frame = B:rotate("y", rear), mass = p.mR, inertia = {p.IRxx, p.IRyy, p.IRxx},
    shape = {"disc", radius = p.rR, axis = "y"} })
  S:body("rear frame", { at = hub + B:vector(p.xB, 0, p.zB + p.rR), frame = B, mass = p.mB, inertia = {p.IBxx, p.IByy, p.IBzz, xz = p.IBxz} })
  S:body("front frame", { at = axis + H:vector(p.xH - p.w - p.c, 0, p.zH), frame = H, mass = p.mH, inertia = {p.IHxx, p.IHyy, p.IHzz, xz = p.IHxz} })
  local front_wheel = S:body("front wheel", { at = axis + H:vector(-p.c, 0, -p.rF), frame = H:rotate("y", front), mass = p.mF,
    inertia = {p.IFxx, p.IFyy, p.IFxx}, shape = {"disc", radius = p.rF, axis = "y"} })
  S:rolls("rear", rear_wheel, ground)
  S:rolls("front", front_wheel, ground)
  S:gravity(p.g*N.z)
  return S
end

describe("the nonlinear bicycle of Whipple", function()
  it("is linearized, in lean and steer, to the matrices of the benchmark", function()
    local S, m = whipple(), matrices()
    local upright = { x = 0, y = 0, z = -p.rR, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 0, front = 0 }
    for _, v in ipairs{ 3, 5, 8 } do
      local L = S:linearize{ form = "lagrange", q = upright, v = { x = v, y = 0, z = 0, yaw = 0, lean = 0, pitch = 0, steer = 0 },
                             states = { "lean", "steer", "lean'", "steer'" } }
      local want = state_matrix(m, v)
      for i = 1, 4 do for j = 1, 4 do check.near(L.A[i][j], want[i][j], 1e-11*(1 + math.abs(want[i][j]))) end end
      if v == 5 then same_eigenvalues(L) end
    end
  end)

  it("rides in circles: a steady motion but for turning, by each form, which a run keeps", function()
    local S = whipple()
    local guess = { q = { x = 0, y = 0, yaw = 0, lean = 0.1, steer = 0.12, rear = 0, front = 0 }, v = { x = 5, lean = 0, steer = 0 },
      keep = { "lean" } }
    local steer
    for _, form in ipairs{ "lagrange", "hamel" } do
      guess.form = form
      local st = S:steady(guess)
      check.near(st.q.lean, 0.1, 1e-12)
      steer = steer or st.q.steer
      check.near(st.q.steer, steer, 1e-9)
      local run = S:simulate{ q = st.q, v = st.v, t = 2, rtol = 1e-11, atol = 1e-12 }
      local s, radius = run:at(2), math.sqrt(st.v.x^2 + st.v.y^2)/math.abs(st.v.yaw)
      for name, value in pairs{ lean = 0.1, steer = steer, pitch = st.q.pitch } do check.near(s.q[name], value, 1e-9) end
      check.near(s.v.yaw, st.v.yaw, 1e-9)
      -- the chord of the arc through yaw' t
      check.near(math.sqrt((s.q.x - st.q.x)^2 + (s.q.y - st.q.y)^2), 2*radius*math.abs(math.sin(st.v.yaw)), 1e-8)
    end
    local circle, real = S:steady(guess), {}
    for _, form in ipairs{ "lagrange", "hamel" } do
      real[#real + 1] = S:linearize{ q = circle.q, v = circle.v, form = form }.largest
    end
    check.near(real[1], real[2], 1e-7)
    -- lean decides the speed
    guess.keep = { "lean", "rear'" }
    check.raises({ "without `keep` there is one", "lean = ", "keep fewer values" }, S.steady, S, guess)
  end)
end)

describe("the bicycle that weaves", function()
  it("swings periodically below the weave speed: from its Hopf point along the energy, since no speed is conserved", function()
    local env = setmetatable({ print = function() end }, { __index = _G })
    local text = assert(io.open("examples/bicycle.lua")):read "a"
    local S, x, y = load(text:match "^(.-)%-%- at 5 m/s" .. " return S, x, y", "bicycle", "t", env)()
    local q = { x = 0, y = 0, z = 0.3, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 0, front = 0 }
    local B = S:continue{ steady = { q = q, v = { x = 4.3, y = 0, z = 0, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 4.3/0.3, front = 4.3/0.35 },
      keep = { "rear'", "yaw" } }, along = "rear'", from = 4.2/0.3, to = 4.4/0.3 }
    local weave = B.special[1]
    assert.equal("hopf", weave.kind)
    -- the heading is kept since motions of all headings are alike: the message names the option, and it helps
    check.raises({ "symmetry = { { x = -y, y = x, yaw = 1 } }" }, B.switch, B, weave)
    local C = B:switch(weave, { symmetry = { { x = -y, y = x, yaw = 1 } }, points = 4 })
    assert.equal("energy", C.along)
    -- the energy of the upright motion at the published weave speed, by hand: 94 kg, two wheels that turn, and the height of the masses
    local v = 4.29238253634111
    local height = 2*0.3 + 85*0.9 + 4*0.7 + 3*0.35
    local energy = 94*v^2/2 + 0.12*(v/0.3)^2/2 + 0.28*(v/0.35)^2/2 + 9.81*height
    check.near(C.points[1].value, energy, 1e-5*energy)
    check.near(C.points[1].period, 2*math.pi/weave.frequency, 1e-4)
    -- on the side of the smaller energies, where riding straight is unstable, and stable themselves
    local last = C.points[#C.points]
    assert(last.value < energy and last.stable == true and math.abs(last.q.lean) > 1e-3)
    -- a run from there comes back, with the same heading
    local run = S:simulate{ q = last.q, v = last.v, t = { last.t, last.t + last.period }, rtol = 1e-11, atol = 1e-12 }
    local at = run:at(last.t + last.period)
    for _, name in ipairs{ "lean", "pitch", "steer", "yaw" } do check.near(at.q[name], last.q[name], 1e-9) end
    for _, name in ipairs{ "lean", "steer", "yaw", "rear" } do check.near(at.v[name], last.v[name], 1e-8) end
  end)
end)
