-- A double pendulum in space with spherical joints, by relative coordinates and by constraints: the same motion. The second way gives the forces in the joints.
local hm = require "hamel"

local function pendulum(joints)
  local S = hm.system "double pendulum in space"
  local N = S:frame "N"
  local P, R = S:rotation "P", S:rotation "R"
  local J = {1/12, 1/12, 1/1000}
  local knee = S.origin - P.z
  local a = S:body("upper", { at = joints and S:point "x1 y1 z1" or S.origin - P.z/2, frame = P, mass = 1, inertia = J })
  local b = S:body("lower", { at = joints and S:point "x2 y2 z2" or knee - R.z/2, frame = R, mass = 1, inertia = J })
  if joints then
    S:joint("hip", "spherical", S.origin, a:point(0, 0, 0.5))
    S:joint("knee", "spherical", a:point(0, 0, -0.5), b:point(0, 0, 0.5))
  end
  S:gravity(-9.81*N.z)
  local run = S:simulate{ q = { P = { axis = {1, 0, 0}, angle = 0.5 }, R = {1, 0, 0, 0} }, v = { P = {0, 1, 0}, R = {0.5, 0, 0} }, t = 4,
    rtol = 1e-12, atol = 1e-13 }
  print(run)
  return run:at(4, -P.z), run:at(4, -R.z), run
end

local upper, lower, free = pendulum(false)
local other_upper, other_lower, joined = pendulum(true)
for i = 1, 3 do assert(math.abs(upper[i] - other_upper[i]) < 1e-8 and math.abs(lower[i] - other_lower[i]) < 1e-8) end
assert(free.energy_drift < 1e-9 and joined.energy_drift < 1e-9)
local s = joined:at(4)
print(("ends at %.6f %.6f %.6f; force in the hip %.4f %.4f %.4f"):format(upper[1] + lower[1], upper[2] + lower[2], upper[3] + lower[3],
  s.lambda["hip.x"], s.lambda["hip.y"], s.lambda["hip.z"]))
