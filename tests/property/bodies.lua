-- Random bodies in random frames against independent routes: equations by vectors against those from the energies alone, rotations by unit
-- quaternions against three angles, distances against the velocities of material points, vectors differentiated in other frames, and balances
-- of energy on moving surfaces. HML_SEED gives other systems.
local attitude = require "hamel.bodies.attitude"
local hm, check = require "hamel", require "check"
local core = require "hamel.core"
local touching = require "hamel.bodies.touching"
local Surface = require "hamel.bodies.surface"
local product = attitude.product

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261123
math.randomseed(seed)
local function random(from, to) return from + (to - from)*math.random() end
local function decimal(from, to) return hm.rational(math.floor(random(from, to)*100), 100) end
local function pick(list) return list[math.random(#list)] end

local axes = { "x", "y", "z" }

-- Moments with the triangle inequality, sometimes two equal, sometimes with products
local function inertia()
  local a, b, c = random(0.2, 1), random(0.2, 1), random(0.2, 1)
  local J = { decimal(b + c, b + c + 0.01), decimal(a + c, a + c + 0.01), decimal(a + b, a + b + 0.01) }
  local kind = math.random(3)
  if kind == 1 then J[2], J[3] = J[1], decimal(0.1, 0.2) end
  if kind == 2 then J.xy, J.xz, J.yz = decimal(-0.05, 0.05), decimal(-0.05, 0.05), decimal(-0.05, 0.05) end
  return J
end

local function near_lists(one, other, tolerance, what)
  local size = 0
  for i = 1, #one do size = math.max(size, math.abs(one[i]), math.abs(other[i])) end
  for i = 1, #one do
    if not (math.abs(one[i] - other[i]) <= tolerance*(1 + size)) then
      error(("%s (seed %d): entry %d is %.15g by one route, %.15g by the other"):format(what, seed, i, one[i], other[i]), 2)
    end
  end
end

-- ---- 1. trees of simple rotations: vectors against energies

local function random_angle(q)
  local kind = math.random(6)
  if kind == 1 then return q + hm.t*decimal(0.1, 1) end
  if kind == 2 then return 2*q - q^2/5 end
  return q
end

local function random_tree(S, q)
  local N = S:frame "N"
  local frames, points = { N }, { S.origin }
  for i = 1, #q - 1 do
    local parent = pick(frames)
    local about = math.random(5) == 1 and parent:vector(1, 2, 2) or pick(axes)
    frames[#frames + 1] = parent:rotate(about, random_angle(q[i]))
    points[#points + 1] = pick(points) + decimal(0.2, 1)*pick(frames)[pick(axes)] + decimal(0, 1)*q[#q]*pick(frames)[pick(axes)]
  end
  return frames, points
end

local function angle_system()
  local S = hm.system "tree"
  local n = math.random(2, 4)
  local q = { S:coordinates(table.concat({ "a", "b", "c", "d" }, " ", 1, n)) }
  local frames, points = random_tree(S, q)
  for i = 1, math.random(1, 3) do
    local about = math.random(4) == 1 and { point = true }
    local frame, at = pick(frames), pick(points)
    local body = S:body("b" .. i, { at = at, frame = frame, mass = decimal(0.5, 2), inertia = inertia(),
      about = about and at + frame:vector(decimal(0, 0.1), 0, decimal(0, 0.1)) or nil })
    if math.random(2) == 1 then S:force(body, pick(frames):vector(decimal(-1, 1), q[1].dot, decimal(-1, 1)), body:point(decimal(0, 1), 0, 0)) end
    if math.random(2) == 1 and frame ~= frames[1] then S:torque(body, pick(frames):vector(decimal(-1, 1), 0, q[n])) end
  end
  if math.random(2) == 1 then S:gravity(frames[1]:vector(0, decimal(-2, 2), decimal(-10, 0))) end
  -- by hand: keeps the mass matrix regular, too
  local T = 0
  for i = 1, n do T = T + decimal(0.1, 0.5)*q[i].dot^2/2 + decimal(0, 0.1)*q[i].dot*q[1]*q[n].dot end
  S:kinetic_energy(T + q[1].dot^2)
  if math.random(2) == 1 then S:potential_energy(hm.cos(q[1])*q[n]) end
  if n > 2 and math.random(2) == 1 then
    S:constraint("f", q[1].dot + decimal(0.1, 1)*q[2].dot*hm.cos(q[3]) - (math.random(2) == 1 and decimal(0.1, 1) or 0))
  end
  return S, q
end

local function accelerations(S, q, v, form, names)
  local at, list = S:accelerations{ q = q, v = v, form = form, t = 0.3 }, {}
  for i, name in ipairs(names) do list[i] = at.a[name] end
  for _, c in ipairs(S.constraints) do list[#list + 1] = at.lambda[c.name] end
  return list
end

for _ = 1, check.draws(20) do
  local S, q = angle_system()
  local names, state, rates = S.coordinate_names, {}, {}
  for i, name in ipairs(names) do
    state[name] = random(-1.2, 1.2)
    if #S.constraints == 0 or i > 1 then rates[name] = random(-2, 2) end
  end
  local by_energies = accelerations(S, state, rates, "nielsen", names)
  near_lists(accelerations(S, state, rates, "lagrange", names), by_energies, 1e-9, "a tree by vectors and by energies")
  near_lists(accelerations(S, state, rates, "kane", names), by_energies, 1e-9, "a tree in free velocities and by energies")
  local run = S:simulate{ q = state, v = rates, t = 0.5, rtol = 1e-10, atol = 1e-12, form = pick{ "lagrange", "hamel" } }
  if run.status == "OK" then assert(run.energy_drift < 1e-6, ("seed %d: energy is off by %.2g"):format(seed, run.energy_drift)) end
  assert(#q == #names)
end

-- ---- 2. every pair of shape and surface: quaternion against angles

local function plane(N)
  local frame = pick{ N, N:rotate("y", decimal(-0.3, 0.3)), N:rotate("z", decimal(0.1, 1)*hm.t), N:rotate("y", decimal(-0.2, 0.2)):rotate("z", hm.t/3) }
  return frame:plane{ at = frame.system.origin + decimal(-0.2, 0.2)*N.z + (math.random(2) == 1 and hm.sin(hm.t)/5 or 0)*N.x }
end
local function ball() return { "sphere", radius = decimal(0.1, 0.3) } end

local pairs_of = {
  { "sphere on plane", ball, plane },
  { "disc on plane", function() return { "disc", radius = decimal(0.3, 0.6), axis = pick(axes) } end, plane },
  { "torus on plane", function() return { "torus", radius = decimal(0.3, 0.6), tube = decimal(0.05, 0.1), axis = pick(axes) } end, plane },
  { "ellipsoid on plane", function() return { "ellipsoid", decimal(0.3, 0.6), decimal(0.2, 0.4), decimal(0.3, 0.5) } end, plane },
  { "sphere in sphere", ball, function(N) return N:rotate("x", hm.t/2):sphere{ radius = 2, inside = true } end },
  { "sphere on sphere", ball, function(N) return N:sphere{ radius = 1, at = N.system.origin + hm.t/10*N.x } end },
  { "sphere in cylinder", ball, function(N) return N:rotate("x", decimal(-0.5, 0.5)):rotate("z", hm.t/2):cylinder{ radius = 2, inside = true } end },
  { "sphere on cylinder", ball, function(N) return N:cylinder{ radius = 1 } end },
}
local CLOSED = #pairs_of               -- the others have no formula for the distance
pairs_of[CLOSED + 1] = { "sphere over graph", ball, function(N)
  local a, b, c = decimal(-0.5, 0.5), decimal(-0.5, 0.5), decimal(-0.5, 0.5)
  local frame = pick{ N, N:rotate("y", decimal(-0.3, 0.3)), N:rotate("z", decimal(0.1, 1)*hm.t) }
  return frame:surface{ height = function(x, y) return a*x^2 + b*x*y + c*y^2 + hm.sin(x)/4 end, at = N.system.origin + hm.sin(hm.t)/5*N.x }
end }
pairs_of[CLOSED + 2] = { "sphere off equation", ball, function(N)
  local a, b, c = decimal(1, 1.4), decimal(1, 1.4), decimal(1, 1.4)
  return N:rotate("z", hm.t/3):surface{ equation = function(x, y, z) return (x/a)^2 + (y/b)^2 + (z/c)^2 - 1 end }
end }

-- One system by quaternion (R) or by three angles; the same random numbers for both
local function rolling_system(pair, by_angles, draw)
  math.randomseed(draw)
  local S = hm.system "rolling"
  local N = S:frame "N"
  local G = S:point "x y z"
  local frame
  if by_angles then
    local psi, theta, phi = S:coordinates "psi theta phi"
    frame = N:rotate("z", psi):rotate("x", theta):rotate("z", phi)
  else frame = S:rotation("R", { rates = "p q r" }) end
  local shape = pair[2]()
  local centred = math.random(2) == 1
  if shape[1] ~= "sphere" and centred then shape.centre = decimal(-0.05, 0.05)*frame.x + decimal(-0.05, 0.05)*frame.z end
  local body = S:body("body", { at = G, frame = frame, mass = decimal(0.5, 2), inertia = inertia(), shape = shape })
  local surface = pair[3](N)
  S:gravity(-9.81*N.z)
  S:force(body, N:vector(decimal(-1, 1), 0, 0), body:point(0, decimal(0, 0.3), 0))
  return S, body, surface, frame
end

local function turn(axis, angle)
  local e = { math.cos(angle/2), 0, 0, 0 }
  e[axis + 1] = math.sin(angle/2)
  return e
end

-- A point near the surface, so that the missing coordinate is found on the right side
local function start_of(pair, angles, w, by_angles)
  local psi, theta, phi = table.unpack(angles)
  local q, v = {}, {}
  local name = pair[1]
  if name:find "plane" then q.x, q.y = 0.1, -0.2
  elseif name:find "in " then q.y, q.x, q.z = nil, 0.3, 0.2
  else q.x, q.y, q.z = 0.2, 0.1, nil end
  if name == "sphere on cylinder" then q.x, q.y, q.z = 0.3, nil, 0.2 end
  if by_angles then
    q.psi, q.theta, q.phi = psi, theta, phi
    v.theta = w[1]*math.cos(phi) - w[2]*math.sin(phi)
    v.psi = (w[1]*math.sin(phi) + w[2]*math.cos(phi))/math.sin(theta)
    v.phi = w[3] - v.psi*math.cos(theta)
  else
    q.R, v.R = product(product(turn(3, psi), turn(1, theta)), turn(3, phi)), w
  end
  return q, v
end

local function values(S, frame, q, v, form)
  local run = S:simulate{ q = q, v = v, t = 1e-3, form = form }
  local s, list = run:at(0), {}
  for i, c in ipairs(run:at(0, frame:angular_acceleration())) do list[i] = c end
  for _, name in ipairs{ "x", "y", "z" } do list[#list + 1] = s.a[name] end
  for _, c in ipairs(S.constraints) do list[#list + 1] = s.lambda[c.name] end
  return list
end

for k = 1, check.draws(15) do
  local pair = pairs_of[(k - 1) % #pairs_of + 1]
  local draw, angles, w = math.random(1 << 30), { random(-3, 3), random(0.6, 2.4), random(-3, 3) }, { random(-2, 2), random(-2, 2), random(-2, 2) }
  local lists = {}
  for _, by_angles in ipairs{ false, true } do
    local S, body, surface, frame = rolling_system(pair, by_angles, draw)
    S:rolls("roll", body, surface, { rubber = false })
    local q, v = start_of(pair, angles, w, by_angles)
    -- a coordinate left out of the start has two values on a round surface: the same one for both
    if lists.place then q.x, q.y, q.z = lists.place.x, lists.place.y, lists.place.z end
    for _, form in ipairs(by_angles and { "lagrange" } or { "lagrange", "hamel", "canonical" }) do lists[#lists + 1] = values(S, frame, q, v, form) end
    lists.place = lists.place or S:simulate{ q = q, v = v, t = 1e-6 }:at(0).q
    if not by_angles then
      local run = S:simulate{ q = q, v = v, t = 1, rtol = 1e-11, atol = 1e-12, form = pick{ "lagrange", "hamel" } }
      if run.status == "OK" then
        assert(run.energy_drift < 1e-7, ("%s, seed %d: energy is off by %.2g"):format(pair[1], seed, run.energy_drift))
        assert(run.constraint_drift < 1e-9, ("%s, seed %d: constraints are off by %.2g"):format(pair[1], seed, run.constraint_drift))
      end
    end
  end
  near_lists(lists[2], lists[1], 1e-8, pair[1] .. ": eliminated and with multipliers")
  near_lists(lists[3], lists[1], 1e-8, pair[1] .. ": in momenta and with multipliers")
  near_lists(lists[4], lists[1], 1e-8, pair[1] .. ": by angles and by quaternion")
  math.randomseed(seed + k)
end

-- ---- 3. the rate of a distance is the normal velocity of material points

local function evaluated(S, list, state)
  local inputs, input = { hm.t }, { state.t }
  for i, e in ipairs(list) do list[i] = S:plain(e) end
  for _, s in ipairs(core.symbols(list)) do
    local name, order, flags = core.name(s)
    if flags & 4 == 0 then
      inputs[#inputs + 1] = s
      input[#input + 1] = order == 0 and state.q[name] or state.v[name] or error("no value of " .. tostring(s))
    end
  end
  return core.program(inputs, list):eval(input)
end

for k = 1, check.draws(12) do
  local pair = pairs_of[(k - 1) % CLOSED + 1]
  local S, body, surface = rolling_system(pair, false, seed + k)
  local touch = touching.at(body, Surface._demand(surface, S, "test"), "test")
  local e = { random(-1, 1), random(-1, 1), random(-1, 1), random(-1, 1) }
  local size = math.sqrt(e[1]^2 + e[2]^2 + e[3]^2 + e[4]^2)
  local state = { t = 0.3, q = { x = random(0.2, 0.6), y = random(0.2, 0.6), z = random(1, 2) },
    v = { x = random(-1, 1), y = random(-1, 1), z = random(-1, 1) } }
  local w = { 0, random(-1, 1), random(-1, 1), random(-1, 1) }
  for i = 1, 4 do e[i] = e[i]/size end
  for i, rate in ipairs(product(e, w)) do state.q["R" .. (i - 1)], state.v["R" .. (i - 1)] = e[i], rate/2 end
  local got = evaluated(S, { core.dt(S:plain(touch.gap)), touching.sliding(touch, touch.normal), touch.normal:dot(touch.normal) }, state)
  check.near(got[1], got[2], 1e-11, ("%s, seed %d: d/dt of the distance"):format(pair[1], seed))
  check.near(got[3], 1, 1e-13, pair[1] .. ": length of the normal")
  math.randomseed(seed + 1000 + k)
end

-- ---- 4. vectors in random frames: v' seen from A is v' seen from N less omega x v; matrices are orthogonal

for _ = 1, check.draws(60) do
  local S = hm.system "frames"
  local q = { S:coordinates "a b c" }
  local frames = random_tree(S, q)
  if math.random(2) == 1 then frames[#frames + 1] = S:rotation("R", { from = pick(frames) }) end
  local A, B, state = pick(frames), pick(frames), { t = 0.7, q = {}, v = {} }
  local v = decimal(-1, 1)*q[1]*pick(frames)[pick(axes)] + q[2]^2*B.x - hm.t*B.y + pick(frames).z
  local difference = v:dt(A) - v:dt() + A:angular_velocity():cross(v)
  local list = { difference:dot(B.x), difference:dot(B.y), difference:dot(B.z), A.x:dot(A.y), A.z:cross(B.z):dot(B.z), (v:cross(B.x)):dot(v) }
  local omega = B:angular_velocity(A) + A:angular_velocity() - B:angular_velocity()
  for _, axis in ipairs{ A.x, A.y, A.z } do list[#list + 1] = omega:dot(axis) end
  for _, name in ipairs(S.coordinate_names) do state.q[name], state.v[name] = random(-1, 1), random(-1, 1) end
  if S._rotations[1] then
    local e, size = {}, 0
    for i = 1, 4 do
      e[i] = random(-1, 1)
      size = size + e[i]^2
    end
    for i, rate in ipairs(product(e, { 0, 0.3, -0.7, 0.4 })) do
      state.q["R" .. (i - 1)], state.v["R" .. (i - 1)] = e[i]/math.sqrt(size), rate/2/math.sqrt(size)
    end
  end
  for i, value in ipairs(evaluated(S, list, state)) do check.near(value, 0, 1e-12, ("frames, seed %d: identity %d"):format(seed, i)) end
end

print(("seed %d: trees, %d pairs of shape and surface, distances, frames agree"):format(seed, #pairs_of))
