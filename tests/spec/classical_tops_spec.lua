-- Turning bodies against closed solutions and published figures: Lagrange's top by elliptic functions, Euler's free body, the rattleback of Kane and
-- Levinson (Int. J. Non-Linear Mechanics 17 (1982) 175-186).
local hm, check = require "hamel", require "check"
local near = check.near

-- Jacobi's sn(u, k) and K(k) by Landen's descending sequence (Abramowitz and Stegun 16.4, 17.6)
local function jacobi(u, k)
  local a, c, b, n = { 1 }, { k }, math.sqrt(1 - k*k), 1
  while math.abs(c[n]) > 1e-17 and n < 12 do
    local mean = (a[n] + b)/2
    c[n + 1], b, a[n + 1] = (a[n] - b)/2, math.sqrt(a[n]*b), mean
    n = n + 1
  end
  local phi = 2^(n - 1)*a[n]*(u or 0)
  for i = n, 2, -1 do phi = (phi + math.asin(c[i]/a[i]*math.sin(phi)))/2 end
  return math.sin(phi), math.pi/(2*a[n])
end

-- Real roots of x^3 + b x^2 + c x + d, all of them real, in order
local function cubic(b, c, d)
  local p, q = c - b*b/3, 2*b^3/27 - b*c/3 + d
  local r = 2*math.sqrt(-p/3)
  local phi, list = math.acos(math.max(-1, math.min(1, 3*q/(p*r)))), {}
  for k = 0, 2 do list[k + 1] = r*math.cos((phi - 2*math.pi*k)/3) - b/3 end
  table.sort(list)
  return table.unpack(list)
end

describe("Lagrange's top", function()
  it("nods as elliptic functions say, in every form", function()
    -- u = cos(theta): u'^2 = (1 - u^2)(alpha - beta u) - (b - a u)^2 (Whittaker 1904, 71), u = u1 + (u2 - u1) sn^2
    local A, C, mgc = 1.3, 0.4, 9.81*0.7
    for _, case in ipairs{ { theta = 0.9, psi = 0, phi = 30 }, { theta = 0.6, psi = 2, phi = 40 }, { theta = 2, psi = -1.5, phi = 12 } } do
      local S = hm.system "top"
      local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
      S:body("top", { at = 0.7*R.z, frame = R, mass = 1, inertia = {A, A, C}, about = S.origin })
      S:gravity(-9.81*N.z)
      local u0, sine = math.cos(case.theta), math.sin(case.theta)
      local r = case.phi + case.psi*u0
      local a, b = C*r/A, (A*sine^2*case.psi + C*r*u0)/A
      local alpha, beta = sine^2*case.psi^2 + 2*mgc*u0/A, 2*mgc/A
      -- beta u^3 - (alpha + a^2) u^2 + (2 a b - beta) u + alpha - b^2
      local u1, u2, u3 = cubic(-(alpha + a*a)/beta, (2*a*b - beta)/beta, (alpha - b*b)/beta)
      local k, rate = math.sqrt((u2 - u1)/(u3 - u1)), math.sqrt(beta*(u3 - u1))/2
      local _, quarter = jacobi(0, k)
      local upper = math.abs(u0 - u2) < math.abs(u0 - u1)
      near(upper and u2 or u1, u0, 1e-11, "the start is a turning point")
      for _, form in ipairs{ "lagrange", "hamel", "canonical" } do
        local run = S:simulate{ q = { R = {"zxz", 0.3, case.theta, 0.4} }, v = { R = case.psi*N.z + case.phi*R.z }, t = 4, rtol = 1e-12, atol = 1e-13,
          form = form }
        for _, t in ipairs{ 0.37, 1.21, 2.5, 4 } do
          local sn = jacobi((upper and quarter or 0) - rate*t, k)
          near(run:at(t, R.z:dot(N.z)), u1 + (u2 - u1)*sn^2, 2e-10, form)
        end
        local L = S:angular_momentum()
        near(run:at(4, L:dot(N.z)), A*b, 1e-10, "momentum about the vertical")
      end
    end
  end)
end)

describe("tops over a thousand seconds, through all attitudes", function()
  for _, case in ipairs{ { "Lagrange's", {1, 1, 0.5}, { 1, 0, 0, 0 }, { p = 0.1, q = 0.2, r = 5 } },
                         { "Lagrange's, hanging", {1, 1, 0.5}, { 0, 1, 0, 0 }, { p = 0.4, q = 0.3, r = 6 } },
                         { "one with three moments", {1, 2, 2.5}, { 0.5, 0.5, 0.5, 0.5 }, { p = 3, q = 2, r = 4 } } } do
    it("keep energy and vertical momentum at the level of the tolerance: " .. case[1], function()
      local S = hm.system "top"
      local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
      S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = case[2], about = S.origin })
      S:gravity(-9.81*N.z)
      local vertical = S:angular_momentum():dot(N.z)
      local run = S:simulate{ q = { R = case[3] }, v = case[4], t = 1000, rtol = 1e-11, atol = 1e-13 }
      assert.are.equal("OK", run.status)
      assert.is_true(run.energy_drift < 1e-9 and run.constraint_drift < 1e-12)
      for t = 0, 1000, 50 do near(run:at(t, vertical), run:at(0, vertical), 1e-8, "vertical momentum") end
    end)
  end
end)

describe("Euler's free body", function()
  it("turns as elliptic functions say", function()
    -- A < B < C, 2 T B < L^2: p = p0 cn, q = q0 sn, r = r0 dn (Whittaker 1904, 69)
    local A, B, C, p0, r0 = 1, 2, 2.5, 0.3, 1.7
    local S = hm.system "free"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("b", { frame = R, inertia = {A, B, C} })
    local run = S:simulate{ q = { R = { axis = {1, 1, 0}, angle = 2 } }, v = { R = {p0, 0, r0} }, t = 30, rtol = 1e-12, atol = 1e-13 }
    local rate = r0*math.sqrt((C - A)*(C - B)/(A*B))
    local q0 = p0*math.sqrt(A*(C - A)/(B*(C - B)))
    local k = p0/r0*math.sqrt(A*(B - A)/(C*(C - B)))
    assert(k < 1)
    for _, t in ipairs{ 1, 7.3, 19, 30 } do
      local sn = jacobi(rate*t, k)
      near(math.abs(run:at(t, "q")), math.abs(q0*sn), 1e-9, "q")
      near(run:at(t, "p")^2, p0^2*(1 - sn^2), 1e-9, "p^2")
      near(run:at(t, "r"), r0*math.sqrt(1 - k^2*sn^2), 1e-9, "r")
    end
    local start, last = run:at(0, S:angular_momentum()), run:at(30, S:angular_momentum())
    for i = 1, 3 do near(last[i], start[i], 1e-10, "angular momentum in space") end
  end)
end)

describe("the rattleback of Kane and Levinson", function()
  local function stone(by_angles)
    local S = hm.system "rattleback"
    local N = S:frame "N"
    local R
    if by_angles then
      local psi, alpha, beta = S:coordinates "psi alpha beta"
      R = N:rotate("z", psi):rotate("x", alpha):rotate("y", beta)
    else R = S:rotation("R", { rates = "p q r" }) end
    local body = S:body("stone", { at = S:point "x y z", frame = R, mass = 1, inertia = { 2e-4, 1.6e-3, 1.7e-3, xy = -2e-5 },
      shape = { "ellipsoid", 0.2, 0.03, 0.02, centre = 0.01*R.z } })
    S:rolls("roll", body, N:plane())
    S:gravity(-9.81*N.z)
    return S, N, R
  end
  local function parts(L)
    local re, im = {}, {}
    for i, e in ipairs(L.eigenvalues) do re[i], im[i] = e.re, e.im end
    table.sort(re)
    table.sort(im)
    return re, im
  end
  it("is unstable in both senses, with opposite eigenvalues, by quaternion as by angles", function()
    local S, A = stone(), stone(true)
    local growth = {}
    for _, n in ipairs{ -5, 5 } do
      local L = S:linearize{ q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {0, 0, n} }, form = "hamel" }
      local M = A:linearize{ q = { x = 0, y = 0, psi = 0, alpha = 0, beta = 0 }, v = { psi = n, alpha = 0, beta = 0 }, form = "hamel" }
      local re, im = parts(L)
      local re_angles, im_angles = parts(M)
      assert.are.equal(#re_angles, #re)
      for i = 1, #re do
        near(re[i], re_angles[i], 1e-7, "real part")
        near(im[i], im_angles[i], 1e-7, "imaginary part")
      end
      growth[#growth + 1] = { re[1], re[#re] }
    end
    -- reversed velocities turn the motion back: eigenvalues change their sign with the spin
    near(growth[1][2], -growth[2][1], 1e-8, "one way")
    near(growth[1][1], -growth[2][2], 1e-8, "the other way")
    assert(growth[1][2] > 4*growth[2][2], "one sense of spin is lost much sooner")
  end)
  it("turns back once when it is spun the wrong way", function()
    -- tilted by half a degree about both axes; the sense follows from the sign of the product of inertia
    local S, N, R = stone()
    local tilt = 0.5*math.pi/180
    local function run_of(rate)
      return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, tilt, tilt} }, v = { R = rate*N.z }, t = 3, rtol = 1e-11, atol = 1e-13 }
    end
    local function least(rate)
      local _, values = run_of(rate):series(R:angular_velocity():dot(N.z), { n = 601 })
      local first
      for i, value in ipairs(values) do if value*rate < 0 and not first then first = (i - 1)*0.005 end end
      return first
    end
    local back = least(-5)
    assert(back and back > 0.5 and back < 3, tostring(back))
    assert.is_nil(least(5))
  end)
end)
