-- Energies of long random trees of bodies, which are formed by recursion from frame to frame, against numbers: places and attitudes by products of
-- matrices, velocities by differences of these; and accelerations on the graph of velocities, which come from the energies, against those of the mass
-- matrix, which comes from partial velocities. Joints turn about axes and vectors and slide; bases are fixed, move in time by a given law, or are free with
-- three coordinates and a unit quaternion. HML_SEED gives other systems.
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261127
math.randomseed(seed)
local function random(from, to) return from + (to - from)*math.random() end
local function decimal(from, to) return hm.rational(math.floor(random(from, to)*100), 100) end
local function pick(list) return list[math.random(#list)] end
local function value(e) return core.number_value(e) end

-- ---- numbers

local function product(A, B)
  local C = { {}, {}, {} }
  for i = 1, 3 do for j = 1, 3 do C[i][j] = A[i][1]*B[1][j] + A[i][2]*B[2][j] + A[i][3]*B[3][j] end end
  return C
end

local function times(A, x)
  local y = {}
  for i = 1, 3 do y[i] = A[i][1]*x[1] + A[i][2]*x[2] + A[i][3]*x[3] end
  return y
end

local function quaternion_of(u, angle)
  local s = math.sin(angle/2)/math.sqrt(u[1]^2 + u[2]^2 + u[3]^2)
  return { math.cos(angle/2), s*u[1], s*u[2], s*u[3] }
end

-- By the rotation of the three axes, v + 2 e0 (e x v) + 2 e x (e x v)
local function matrix_of(e)
  local size = math.sqrt(e[1]^2 + e[2]^2 + e[3]^2 + e[4]^2)
  local w, x, y, z = e[1]/size, e[2]/size, e[3]/size, e[4]/size
  local C = { {}, {}, {} }
  for j = 1, 3 do
    local v = { j == 1 and 1 or 0, j == 2 and 1 or 0, j == 3 and 1 or 0 }
    local a = { y*v[3] - z*v[2], z*v[1] - x*v[3], x*v[2] - y*v[1] }
    local b = { y*a[3] - z*a[2], z*a[1] - x*a[3], x*a[2] - y*a[1] }
    for i = 1, 3 do C[i][j] = v[i] + 2*w*a[i] + 2*b[i] end
  end
  return C
end

local directions = { x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 } }

-- ---- trees: each link with the functions of (q, t) that say in numbers where its frame and its place are

-- Products of inertia small enough beside three moments that keep their distance from the triangle inequality
local function inertia()
  local kind, a, b, c = math.random(3), decimal(0.2, 0.3), decimal(0.2, 0.3), decimal(0.2, 0.3)
  if kind == 1 then b = a end
  return { a, b, c, xy = kind == 3 and decimal(-0.02, 0.02) or 0, xz = kind == 3 and decimal(-0.02, 0.02) or 0, yz = kind == 3 and decimal(-0.02, 0.02) or 0 }
end

local function base_of(S, kind)
  local N = S:frame "N"
  if kind == "free" then
    S:point "x y z"
    local point = S.origin + N:vector(table.unpack(S:coordinate_list()))
    return { frame = S:rotation "R", point = point, coordinates = 7,
      numbers = function(q) return matrix_of{ q[4], q[5], q[6], q[7] }, { q[1], q[2], q[3] } end }
  elseif kind == "moving" then
    local rate, height = decimal(0.2, 1), decimal(0.2, 1)
    return { frame = N:rotate("x", rate*hm.t), point = S.origin + height*hm.sin(hm.t)*N.z, coordinates = 0,
      numbers = function(_, t) return matrix_of(quaternion_of({ 1, 0, 0 }, value(rate)*t)), { 0, 0, value(height)*math.sin(t) } end }
  end
  return { frame = N, point = S.origin, coordinates = 0, numbers = function() return matrix_of{ 1, 0, 0, 0 }, { 0, 0, 0 } end }
end

local function offset(zeros)
  local c = { decimal(-0.5, 0.5), decimal(-0.5, 0.5), decimal(-0.5, 0.5) }
  for i = 1, 3 do if math.random(zeros) == 1 then c[i] = hm.number(0) end end
  return c
end

local function numbers_of(c) return { value(c[1]), value(c[2]), value(c[3]) } end

local function moved(p, C, c)
  local d = times(C, c)
  return { p[1] + d[1], p[2] + d[2], p[3] + d[3] }
end

-- A link on a parent: at an offset, turned or slid by the coordinate q, which is the k-th
local function link(parent, q, k)
  local c, slides, about = offset(3), math.random(4) == 1, math.random(5) == 1 and { 1, 2, 2 } or pick{ "x", "y", "z" }
  local axis = directions[about] or about
  local point = parent.point + parent.frame:vector(table.unpack(c))
  local frame = parent.frame
  if slides then point = point + q*frame:vector(table.unpack(axis))
  else frame = frame:rotate(type(about) == "table" and frame:vector(1, 2, 2) or about, q) end
  return { frame = frame, point = point, numbers = function(x, t)
    local C, p = parent.numbers(x, t)
    p = moved(p, C, numbers_of(c))
    if slides then return C, moved(p, C, { axis[1]*x[k], axis[2]*x[k], axis[3]*x[k] }) end
    return product(C, matrix_of(quaternion_of(axis, x[k]))), p
  end }
end

local function add_body(S, name, one)
  one.mass, one.inertia, one.com = decimal(0.5, 2), inertia(), offset(3)
  S:body(name, { at = one.point + one.frame:vector(table.unpack(one.com)), frame = one.frame, mass = one.mass, inertia = one.inertia })
end

local function tree(kind, n)
  local S = hm.system "tree"
  local base = base_of(S, kind)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  local q, links = { S:coordinates(table.concat(names, " ")) }, { base }
  if kind == "free" then add_body(S, "base", base) end
  for i = 1, n do
    -- mostly chains, with branches
    local parent = math.random(4) == 1 and pick(links) or links[#links]
    local one = link(parent, q[i], base.coordinates + i)
    add_body(S, "b" .. i, one)
    links[i + 1] = one
  end
  local g = pick{ { 0, 0, decimal(-10, -9) }, { decimal(-5, 5), 0, decimal(-10, -9) } }
  S:gravity(S:frame():vector(table.unpack(g)))
  return S, links, numbers_of(g)
end

-- ---- energies in numbers

-- The derivative along (v, 1) of a function that returns a list, by four values: the error is of the fourth order in H
local H = 1e-3
local function derivative(f, q, v, t)
  local function at(h)
    local x = {}
    for i = 1, #q do x[i] = q[i] + h*v[i] end
    return f(x, t + h)
  end
  local a, b, c, d, r = at(-2*H), at(-H), at(H), at(2*H), {}
  for i = 1, #a do r[i] = (a[i] - 8*b[i] + 8*c[i] - d[i])/(12*H) end
  return r
end

local function energies(links, g, q, v, t)
  local T, V = 0, 0
  for i = links[1].mass and 1 or 2, #links do
    local one = links[i]
    local m, J = value(one.mass), one.inertia
    local function centre(x, s)
      local C, p = one.numbers(x, s)
      return moved(p, C, numbers_of(one.com))
    end
    local function attitude(x, s)
      local C = one.numbers(x, s)
      return { C[1][1], C[1][2], C[1][3], C[2][1], C[2][2], C[2][3], C[3][1], C[3][2], C[3][3] }
    end
    local u, p, C, rate = derivative(centre, q, v, t), centre(q, t), attitude(q, t), derivative(attitude, q, v, t)
    -- C^T C' is the matrix of the cross product with the angular velocity
    local function entry(a, b) return C[a]*rate[b] + C[a + 3]*rate[b + 3] + C[a + 6]*rate[b + 6] end
    local w = { entry(3, 2), entry(1, 3), entry(2, 1) }
    T = T + m/2*(u[1]^2 + u[2]^2 + u[3]^2) + (value(J[1])*w[1]^2 + value(J[2])*w[2]^2 + value(J[3])*w[3]^2)/2
    T = T + (J.xy == 0 and 0 or value(J.xy)*w[1]*w[2] + value(J.xz)*w[1]*w[3] + value(J.yz)*w[2]*w[3])
    V = V - m*(g[1]*p[1] + g[2]*p[2] + g[3]*p[3])
  end
  return T, V
end

-- ---- comparisons

local function near(one, other, tolerance, what)
  if not (math.abs(one - other) <= tolerance*(1 + math.abs(other))) then
    error(("%s (seed %d): %.15g by recursion, %.15g otherwise"):format(what, seed, one, other), 2)
  end
end

local function random_state(kind, count)
  local q, v = {}, {}
  for i = 1, count do q[i], v[i] = random(-1.5, 1.5), random(-1, 1) end
  if kind == "free" then
    local size, along = 0, 0
    for i = 4, 7 do size = size + q[i]^2 end
    for i = 4, 7 do q[i] = q[i]/math.sqrt(size) end
    for i = 4, 7 do along = along + q[i]*v[i] end
    for i = 4, 7 do v[i] = v[i] - along*q[i] end
  end
  return q, v
end

local function demand_energies(S, links, g, kind, what)
  local list = S:coordinate_list()
  local inputs = { hm.t }
  table.move(list, 1, #list, 2, inputs)
  for i, q in ipairs(list) do inputs[1 + #list + i] = q.dot end
  local program = core.program(inputs, { S:kinetic_energy(), S:potential_energy() })
  for _ = 1, 3 do
    local q, v = random_state(kind, #list)
    local x, t = {}, random(0, 2)
    x[1] = t
    table.move(q, 1, #q, 2, x)
    table.move(v, 1, #v, 2 + #q, x)
    local found, T, V = program:eval(x), energies(links, g, q, v, t)
    near(found[1], T, 1e-8, what .. ": the kinetic energy")
    near(found[2], V, 1e-11, what .. ": the potential energy")
  end
end

local function demand_accelerations(S, what)
  local start = { q = {}, v = {}, t = 1e-4 }
  for _, name in ipairs(S.coordinate_names) do start.q[name], start.v[name] = random(-1.5, 1.5), random(-1, 1) end
  start.elimination = "graph"
  local graph = S:simulate(start)
  start.elimination = "dense"
  local dense, size = S:simulate(start), 0
  for _, a in pairs(dense:at(0).a) do size = math.max(size, math.abs(a)) end
  for name, a in pairs(dense:at(0).a) do
    if not (math.abs(graph:at(0).a[name] - a) <= 1e-9*size) then
      error(("%s (seed %d): %s'' is %.15g by recursion, %.15g by the mass matrix"):format(what, seed, name, graph:at(0).a[name], a))
    end
  end
end

for draw = 1, check.draws(15) do
  local kind = pick{ "fixed", "moving", "free" }
  local S, links, g = tree(kind, math.random(5, 9))
  local what = ("tree %d with a %s base"):format(draw, kind)
  demand_energies(S, links, g, kind, what)
  if kind ~= "free" then demand_accelerations(S, what)
  else
    local q, v = { x = 0.3, y = -0.2, z = 1 }, { x = 0.5, y = 0.1, z = -0.4 }
    for i, name in ipairs(S.coordinate_names) do if i > 7 then q[name], v[name] = random(-1.5, 1.5), random(-1, 1) end end
    q.R, v.R = { axis = { 1, 2, 0.5 }, angle = random(-2, 2) }, { random(-1, 1), random(-1, 1), random(-1, 1) }
    local run = S:simulate{ q = q, v = v, t = 0.2, rtol = 1e-10, atol = 1e-12 }
    assert(run.status == "OK" and run.energy_drift < 1e-7, ("%s (seed %d): %s, energy is off by %.2g"):format(what, seed, run.status, run.energy_drift))
  end
end
print "ok"
