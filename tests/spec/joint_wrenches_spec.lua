-- Joints by Newton and Euler: forces and moments that two bodies need for the motion of a run, by differences of its velocities and momenta. A joint
-- passes on no moment about a direction that it leaves free and no force along one; the outer joint takes no moment about its point.
local hm = require "hamel"

local function cross(a, b) return { a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1] } end
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end
local function plus(a, k, b) return { a[1] + k*b[1], a[2] + k*b[2], a[3] + k*b[3] } end
local function norm(a) return math.sqrt(dot(a, a)) end

local MASS_A, MASS_B, G, H = 1.1, 0.8, 9.81, 5e-4

-- Two bodies on a spherical joint at the origin, and a joint of the kind between them; a force at a point, torques between them and from outside
local function pair_of_bodies(kind)
  local S = hm.system(kind)
  local N, A, B = S:frame "N", S:rotation("A", { rates = "a1 a2 a3" }), S:rotation("B", { rates = "b1 b2 b3" })
  local a = S:body("a", { at = S:point "x1 y1 z1", frame = A, mass = MASS_A, inertia = {1, 1.3, 0.9, xy = 0.1, yz = -0.05} })
  local b = S:body("b", { at = S:point "x2 y2 z2", frame = B, mass = MASS_B, inertia = {0.4, 0.5, 0.3, xz = 0.05} })
  local P, u, v = b:point(-0.5, 0.1, 0.2), A:vector(0, 3, 4), kind == "universal" and B.x or B:vector(0, 3, 4)
  S:joint("hip", "spherical", S.origin, a:point(-1, 0.1, 0))
  S:joint("j", kind, a:point(1, 0, 0.2), P, { axis = kind ~= "spherical" and kind ~= "fixed" and { u, v } or nil,
    frames = (kind == "fixed" or kind == "prismatic") and { A, B } or nil })
  S:gravity(-G*N.z)
  S:torque(b, 0.2*N.x + 0.1*hm.sin(hm.t)*A.y)
  S:torque(a, -0.1*hm.sin(hm.t)*A.y)
  S:force(b, 0.5*A.z, b:point(0.3, 0, 0))
  return S, { a = a, b = b, P = P, u = u, v = v, axis_y = A.y, axis_z = A.z, place = b:point(0.3, 0, 0) }
end

-- Forces and moments about the mass centres that the joints exert on both bodies at time t
local function wrenches(run, m, t)
  local function rate(x)
    local before, after = run:at(t - H, x), run:at(t + H, x)
    return { (after[1] - before[1])/(2*H), (after[2] - before[2])/(2*H), (after[3] - before[3])/(2*H) }
  end
  local acc_a, acc_b = rate(m.a:velocity()), rate(m.b:velocity())
  local pull = run:at(t, m.axis_z)
  local Fa = { MASS_A*acc_a[1], MASS_A*acc_a[2], MASS_A*(acc_a[3] + G) }
  local Fb = plus({ MASS_B*acc_b[1], MASS_B*acc_b[2], MASS_B*(acc_b[3] + G) }, -0.5, pull)
  local motor, arm = run:at(t, m.axis_y), plus(run:at(t, m.place), -1, run:at(t, m.b.at))
  local Ma = plus(rate(m.a:angular_momentum(m.a.at)), 0.1*math.sin(t), motor)
  local Mb = plus(plus(plus(rate(m.b:angular_momentum(m.b.at)), -1, { 0.2, 0, 0 }), -0.1*math.sin(t), motor), -0.5, cross(arm, pull))
  return Fa, Ma, Fb, Mb
end

-- What the joint must not pass on: force F and moment M about its point
local free = {
  spherical = function(_, M) return norm(M) end,
  universal = function(_, M, u, v) return math.abs(dot(M, u)) + math.abs(dot(M, v)) end,
  revolute = function(_, M, u) return math.abs(dot(M, u)) end,
  cylindrical = function(F, M, u) return math.abs(dot(M, u)) + math.abs(dot(F, u)) end,
  prismatic = function(F, _, u) return math.abs(dot(F, u)) end,
  fixed = function() return 0 end,
}

local rates = { spherical = { b1 = 1, b2 = -0.5, b3 = 0.7 }, universal = { b1 = 0.5, b2 = 1 }, revolute = { b3 = 1.5 }, cylindrical = { b3 = 1.5, z2 = 0.2 },
                prismatic = { z2 = 0.2 }, fixed = {} }

-- The run; where its form eliminates velocities that are not determined all along, with those that it names
local function run_of(S, start)
  start.dependent = nil
  local run = S:simulate(start)
  if run.status ~= "SINGULAR" then return run end
  start.dependent = {}
  for name in run.reason:match "dependent = {([^}]+)}":gmatch '"([^"]+)"' do table.insert(start.dependent, name) end
  return S:simulate(start)
end

describe("a joint passes on what its kind does:", function()
  for kind, given in pairs(rates) do
    it(kind, function()
      local S, m = pair_of_bodies(kind)
      local turned = { axis = { 1, 2, 0.5 }, angle = 0.4 }
      local start = { q = { A = turned, B = turned, z2 = given.z2 and 0.3 or nil }, v = { a1 = 0.3, a2 = -0.4, a3 = 0.8 }, t = 1, rtol = 1e-11, atol = 1e-12 }
      for name, value in pairs(given) do start.v[name] = value end
      for _, form in ipairs{ "lagrange", "coordinates", (kind == "spherical" or kind == "prismatic") and "hamel" or nil } do
        start.form = form
        local run = run_of(S, start)
        assert.are.equal("OK", run.status)
        for k = 1, 10 do
          local t = 0.09*k
          local Fa, Ma, Fb, Mb = wrenches(run, m, t)
          local about = plus(Mb, 1, cross(plus(run:at(t, m.b.at), -1, run:at(t, m.P)), Fb))
          local off = free[kind](Fb, about, run:at(t, m.u), run:at(t, m.v))
          assert.is_true(off < 5e-4, ("%s, %s: %.1e passed on at t = %g"):format(kind, form, off, t))
          local whole = plus(plus(plus(Ma, 1, Mb), 1, cross(run:at(t, m.a.at), Fa)), 1, cross(run:at(t, m.b.at), Fb))
          assert.is_true(norm(whole) < 5e-4, ("%s, %s: moment %.1e about the hip"):format(kind, form, norm(whole)))
          local l = run:at(t).lambda
          local hip = plus(plus(Fa, 1, Fb), -1, { l["hip.x"], l["hip.y"], l["hip.z"] })
          assert.is_true(norm(hip) < 5e-4, ("%s, %s: force in the hip off by %.1e"):format(kind, form, norm(hip)))
        end
      end
    end)
  end
end)
