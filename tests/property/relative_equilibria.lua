-- Random bodies that turn steadily: the first approximation by unit quaternions against the one by three angles, and the growth of small deviations in
-- runs. HML_SEED gives other systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261123
math.randomseed(seed)
local function random(from, to) return from + (to - from)*math.random() end
local function decimal(from, to) return hm.rational(math.floor(random(from, to)*100), 100) end

local function turned(S, by_angles)
  if not by_angles then return S:rotation("R", { rates = "p q r" }) end
  local psi, theta, phi = S:coordinates "psi theta phi"
  return S:frame():rotate("z", psi):rotate("x", theta):rotate("z", phi)
end

-- Moments of a body that is symmetric about its third axis
local function symmetric()
  local A = decimal(0.2, 1)
  return { A, A, decimal(0.2, 1.8)*A }
end

local function top(by_angles, draw)
  math.randomseed(draw)
  local S = hm.system "top"
  local N, R = S:frame "N", turned(S, by_angles)
  local body = S:body("top", { at = decimal(0.2, 0.7)*R.z, frame = R, mass = decimal(0.5, 2), inertia = symmetric() })
  S:gravity(-9.81*N.z)
  -- a force that goes with the symmetry
  if math.random(2) == 1 then S:torque(body, decimal(0.1, 1)*R.z:cross(N.z)) end
  return S, N, R, {}
end

local function rolling(shape)
  return function(by_angles, draw)
    math.randomseed(draw)
    local S = hm.system(shape[1])
    local N, R = S:frame "N", turned(S, by_angles)
    local body = S:body("body", { at = S:point "x y z", frame = R, mass = decimal(0.5, 2), inertia = symmetric(), shape = shape })
    S:rolls("roll", body, N:plane())
    S:gravity(-9.81*N.z)
    return S, N, R, { x = 0, y = 0 }
  end
end

local cases = { top, rolling{ "disc", radius = 0.6 }, rolling{ "torus", radius = 0.6, tube = 0.1 }, rolling{ "ellipsoid", 0.5, 0.5, 0.3 } }

-- Eigenvalues, each with its nearest of the other list
local function same(one, other, what)
  local size, taken = 1, {}
  for _, e in ipairs(other) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
  assert(#one == #other, ("%s: %d eigenvalues by quaternion, %d by angles"):format(what, #one, #other))
  for _, a in ipairs(one) do
    local best, least = nil, math.huge
    for k, b in ipairs(other) do
      local off = math.sqrt((a.re - b.re)^2 + (a.im - b.im)^2)
      if not taken[k] and off < least then best, least = k, off end
    end
    taken[best] = true
    -- a multiple eigenvalue is exact to the root of the rounding
    assert(least <= 1e-5*size, ("%s: the eigenvalue %.9g %+.9g i is off by %.2g"):format(what, a.re, a.im, least))
  end
end

local found = 0
for k = 1, check.draws(24) do
  local make, draw = cases[(k - 1) % #cases + 1], seed + 1000*k
  local S, N, R, q = make(false, draw)
  local A, M, Q, by_angles = make(true, draw)
  math.randomseed(draw + 1)
  local theta, spin, turn = random(0.5, 2.4), random(-9, 9), random(-2, 2)
  local what = ("%s, seed %d, draw %d"):format(S.name, seed, k)
  q.R = { "zxz", random(-3, 3), theta, 0 }
  by_angles.psi, by_angles.theta, by_angles.phi = q.R[2], theta, 0
  local function keep(F, frame) return { F.z:dot(frame.z), F:angular_velocity():dot(F.z) } end
  local fine, s = pcall(S.steady, S, { q = q, v = { R = turn*N.z + spin*R.z }, keep = keep(R, N) })
  if fine then
    -- the same motion by angles: its own search from the answer of the first
    local w = s.v
    local angles = { psi = math.atan(2*(s.q.R1*s.q.R3 + s.q.R0*s.q.R2), -2*(s.q.R2*s.q.R3 - s.q.R0*s.q.R1)), theta = 0, phi = 0 }
    angles.theta = math.acos(math.max(-1, math.min(1, s.q.R0^2 - s.q.R1^2 - s.q.R2^2 + s.q.R3^2)))
    angles.phi = math.atan(2*(s.q.R1*s.q.R3 - s.q.R0*s.q.R2), 2*(s.q.R2*s.q.R3 + s.q.R0*s.q.R1))
    local rates = { psi = (w.p*math.sin(angles.phi) + w.q*math.cos(angles.phi))/math.sin(angles.theta) }
    rates.theta, rates.phi = w.p*math.cos(angles.phi) - w.q*math.sin(angles.phi), w.r - rates.psi*math.cos(angles.theta)
    local place = { x = by_angles.x, y = by_angles.y, psi = angles.psi, theta = angles.theta, phi = angles.phi }
    local a = A:steady{ q = place, v = rates, keep = keep(Q, M) }
    check.near(a.v.psi, rates.psi, 1e-7, what .. ": precession")
    check.near(a.v.phi, rates.phi, 1e-7, what .. ": spin")
    same(S:linearize{ q = s.q, v = s.v }.eigenvalues, A:linearize{ q = a.q, v = a.v }.eigenvalues, what)
    found = found + 1
  end
end
assert(found >= check.draws(24)/3, ("only %d steady motions were found"):format(found))
print(("seed %d: %d steady motions with the same eigenvalues by quaternion and by angles"):format(seed, found))
