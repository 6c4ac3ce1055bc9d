-- branch_humps_spec.lua: eigenvalues of states of rest that pass the axis and come back within one step of a branch, and multipliers of periodic motions that
-- pass the unit circle and come back. Arbiter: the roots of a polynomial.
local hm, check = require "hamel", require "check"
local near = check.near

local polynomial = require "branches".polynomial

-- { factor, its roots, first step, largest step }: the value is small between two samples, of which the nearest ones do not show that it comes near to zero
local HUMPS = {
  { -0.9295, { 0.274321477565, 0.495199849228, 0.504255718197 }, 0.1679, 0.5 },
  { -1.0, { -0.54656, -0.53656, -0.41720, -0.40845 }, 0.115, 0.211 },
  { -1.0, { -0.45081, -0.23327, -0.14580, -0.13242 }, 0.195, 0.393 },
  { 1.0, { -0.58995, -0.51903, -0.48312, -0.34569 }, 0.215, 0.218 },
  { -1.0, { -0.92287, -0.90182, -0.27241, -0.20851 }, 0.508, 0.521 },
}

-- The branch from a start { equilibrium = or periodic = } has special points of one kind at the roots, and no others
local function expect_roots(S, roots, kind, step, largest, start)
  local o = { along = "p", from = -1, to = 1, step = step, largest = largest }
  for key, value in pairs(start or { equilibrium = { q = { x = 0 } } }) do o[key] = value end
  local B = S:continue(o)
  assert.equal(#roots, #B.special, tostring(B))
  for i, special in ipairs(B.special) do
    assert.equal(kind, special.kind, tostring(B))
    near(special.value, roots[i], 1e-8 + (special.accuracy or 0), "a root")
  end
end

describe("Eigenvalues that pass the axis and come back within a step", function()
  it("shows both Hopf points where the damping has two near roots", function()
    for _, case in ipairs(HUMPS) do
      local S = hm.system "pair"
      local p, x = S:parameters "p=-1", S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, polynomial(p, case[1], case[2])*x.dot - 3*x - x^2*x.dot)
      expect_roots(S, case[2], "hopf", case[3], case[4])
    end
  end)

  it("shows both branch points where the stiffness has two near roots", function()
    local middle, half = 0.68645670173, 0.0071887
    local roots = { middle - half, middle + half }
    local S = hm.system "stiffness"
    local p, x = S:parameters "p=-1", S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    -- no other roots, but a value that is small beside these
    S:force(x, polynomial(p, 0.12196, roots)*((p - 0.94783)^2 + 3.946e-4)*x - x.dot - x^3)
    expect_roots(S, roots, "branch", 0.35155, 0.35388)
  end)

  it("shows those of random polynomials, with roots as near as a fiftieth of a step", function()
    local random = check.generator(54)
    for _ = 1, 12 do
      local step = 0.2*10^random(0, 0.5)
      local middle, half = random(-0.8, 0.8), step*10^random(-1.7, -0.3)/2
      local roots = { middle - half, middle + half }
      for _ = 1, 2 do
        local root = middle + step*random(-1.5, 1.5)
        if math.abs(root) < 0.97 then roots[#roots + 1] = root end
      end
      table.sort(roots)
      local least = math.huge
      for i = 2, #roots do least = math.min(least, roots[i] - roots[i - 1]) end
      if least >= step/50 then
        local S = hm.system "random"
        local p, x = S:parameters "p=-1", S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:force(x, polynomial(p, 10^random(-1, 1), roots)*x.dot - 3*x - x^2*x.dot)
        expect_roots(S, roots, "hopf", step*random(0.3, 1), step)
      end
    end
  end)
end)

describe("Eigenvalues that come near to the axis more often within a step than points are added to it", function()
  it("are doubtful special points where they may pass it unseen", function()
    -- 16000 oscillations of the damping in a unit of p
    local S = hm.system "many"
    local p, x = S:parameters "p=-1", S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -0.1*(1 + 1.4*p + 0.5*hm.sin(100000*p))*x.dot - 2.3*x)
    local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "p", from = -1, to = 1, step = 0.25, largest = 0.5 }
    local count = 0
    for _, special in ipairs(B.special) do
      if special.reason == "many" then
        count = count + 1
        assert.truthy(special.doubtful)
        assert.equal("hopf", special.kind)
      end
    end
    assert.truthy(count > 0, tostring(B))
    assert.truthy(tostring(B):find("a smaller `largest` shows more", 1, true))
  end)
end)

-- { factor, the roots of the polynomial, first step, largest step }: steps before let expect no special point
local DAMPINGS = {
  { 0.78910, { -0.967928, -0.915486, -0.490003, -0.467010 }, 0.15241, 0.22731 },
  { 1.41546, { -0.813336, -0.677518, -0.594325, -0.585693 }, 0.33457, 0.36249 },
  { 0.67049, { 0.110504, 0.257170, 0.814222, 0.939906 }, 0.17856, 0.31553 },
  { 0.50639, { -0.403554, -0.395719, 0.076544, 0.109553 }, 0.10421, 0.34263 },
  { 1.26830, { -0.953720, -0.496267, -0.456386, 0.295372 }, 0.26437, 0.29987 },
}
-- The same of a stiffness, the damping, and an angle of the coordinates
local FLIPS = {
  { 0.44071, { 0.217974, 0.227624, 0.420150, 0.758079 }, 0.24553, 0.38467, 0.86598, 0.94172 },
  { 0.47955, { -0.528678, -0.410138, -0.286417, -0.276792 }, 0.19284, 0.27515, 1.01954, 1.55285 },
}
local BRANCHES = { { 0.32948, { 0.314136, 0.399414, 0.425428, 0.535175 }, 0.11644, 0.29418, 1.13857, 2.31110 } }

describe("Multipliers of periodic motions that pass the unit circle and come back within a step", function()
  it("show both torus points where the damping has two near roots", function()
    for _, case in ipairs(DAMPINGS) do
      local S = hm.system "pair"
      local p, x = S:parameters "p=-1", S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, hm.cos(hm.t) - polynomial(p, case[1], case[2])*x.dot - 2.3*x)
      expect_roots(S, case[2], "torus", case[3], case[4], { periodic = { q = { x = 0 }, v = { x = 0 }, parameters = { p = -1 }, period = 2*hm.pi } })
    end
  end)

  it("do so beside a ball that bounces on a table, one impact in each period", function()
    local phase = math.acos(math.pi/3/1.3)
    for _, case in ipairs(DAMPINGS) do
      local S = hm.system "beside a ball"
      local p = S:parameters "p=-1"
      local x, h = S:coordinates "x h"
      S:kinetic_energy((x.dot^2 + h.dot^2)/2)
      S:force(x, hm.cos(hm.t) - polynomial(p, case[1], case[2])*x.dot - 2.3*x)
      S:force(h, -1)
      S:unilateral("table", h - hm.number "1.3"*hm.sin(hm.t), { law = hm.newton(0.5) })
      expect_roots(S, case[2], "torus", case[3], case[4], { periodic = { q = { h = 1.3*math.sin(phase), x = 0 }, v = { h = math.pi, x = 0 }, t = phase,
        period = 2*math.pi, parameters = { p = -1 } } })
    end
  end)

  it("show both flips where the stiffness has two near roots in a frame that turns by half a turn in each period", function()
    for _, case in ipairs(FLIPS) do
      local S = hm.system "turning"
      local p = S:parameters "p=-1"
      local x, y, z = S:coordinates "x y z"
      S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
      S:force(z, hm.cos(hm.t) - z.dot - 2*z)
      -- in a frame at rest u1'' + d u1' + k u1 = 0 and u2'' + (d - 0.4) u2' + 2.3 u2 = 0
      local h, d, k, c, s = hm.rational(1, 2), case[5], polynomial(p, case[1], case[2]), hm.cos(hm.t), hm.sin(hm.t)
      local K, k_half, D, d_half = (k + 2.3)/2, (k - 2.3)/2, d - 0.2, 0.2
      local u, v = x.dot - h*y, y.dot + h*x
      S:force(x, 2*h*y.dot + h^2*x - (D + d_half*c)*u + d_half*s*v - (K + k_half*c)*x + k_half*s*y - x^3)
      S:force(y, -2*h*x.dot + h^2*y + d_half*s*u - (D - d_half*c)*v + k_half*s*x - (K - k_half*c)*y - y^3)
      expect_roots(S, case[2], "flip", case[3], case[4], { periodic = { q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0, z = 0 }, parameters = { p = -1 },
        period = 2*hm.pi } })
    end
  end)

  it("show both branch points where the stiffness of a coordinate beside the motion has two near roots", function()
    for _, case in ipairs(BRANCHES) do
      local S = hm.system "beside"
      local p = S:parameters "p=-1"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      local c, s = math.cos(case[6]), math.sin(case[6])
      local u, w = c*x + s*y, c*y - s*x
      local on_u = -case[5]*u.dot - polynomial(p, case[1], case[2])*u - u^3
      local on_w = hm.cos(hm.t) - (case[5] - 0.4)*w.dot - 2.3*w
      S:force(x, c*on_u - s*on_w)
      S:force(y, s*on_u + c*on_w)
      expect_roots(S, case[2], "branch", case[3], case[4], { periodic = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, parameters = { p = -1 },
        period = 2*hm.pi } })
    end
  end)
end)
