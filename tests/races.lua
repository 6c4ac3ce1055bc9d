-- races.lua: sweeps in four threads for the thread sanitizer (preset tsan): contacts, friction in one and two directions, constraints, events,
-- time stepping, series, sweeps without contacts. Every sweep gives the numbers of one thread.
local hm = require "hamel"
local THREADS = 4

local function same(a, b, what)
  if type(a) ~= "table" then
    if a ~= b and (a == a or b == b) then error(("%s: %s in one thread, %s in %d"):format(what, tostring(a), tostring(b), THREADS)) end
    return
  end
  for k, value in pairs(a) do same(value, b[k], what .. "." .. tostring(k)) end
end

local function compare(S, o)
  o.progress = false
  o.threads = THREADS
  local many = S:sweep(o)
  o.threads = 1
  for i, row in ipairs(S:sweep(o)) do same(row, many[i], ("%s, row %d"):format(S.name, i)) end
  print(("%s, %s: %d rows, %d failed"):format(S.name, o.method or "dop853", #many, #many:failed()))
end

-- A disc on a wall and a floor, with friction, falling onto both
local function disc()
  local S = hm.system "disc"
  local x, y, phi = S:coordinates "x y phi"
  local e, mu = S:parameters "e=1/2 mu=3/10"
  S:kinetic_energy((x.dot^2 + y.dot^2 + phi.dot^2/2)/2)
  S:force(y, -9.81)
  S:unilateral("floor", y - 1, { law = hm.poisson(e) })
  S:unilateral("wall", x - 1, { law = hm.newton(e) })
  S:friction("floor slip", { slip = x.dot + phi.dot, normal = "floor", coefficient = mu })
  S:friction("wall slip", { slip = y.dot - phi.dot, normal = "wall", coefficient = mu })
  return S
end

-- A puck that slides in two directions, sticks, and is pulled away again
local function puck()
  local S = hm.system "puck"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, 2*hm.cos(hm.t))
  S:force(y, 2*hm.sin(2*hm.t))
  S:friction("plane", { slip = { x.dot, y.dot }, normal = 10, coefficient = 0.12 })
  return S
end

-- A pendulum in Cartesian coordinates, with a wall or without
local function pendulum(wall)
  local S = hm.system "pendulum"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -9.81)
  S:constraint("rod", x^2 + y^2 - 1)
  if wall then S:unilateral("wall", x + hm.rational(1, 5), { law = hm.newton(0.7) }) end
  return S, x, y
end

local S = disc()
compare(S, { over = { { "e", { 0, 0.5, 0.9 } }, { "mu", { 0.1, 0.6 } }, { "v.x", { -2, 1 } } },
  q = { x = 1.5, y = 2, phi = 0 }, v = { y = 0, phi = 3 }, t = 2,
  keep = { "x", "y", N = "lambda.floor", T = "friction.floor slip", energy = "energy" } })
compare(S, { over = { { "v.x", hm.range(-2, 2, 8) } }, q = { x = 1.5, y = 2, phi = 0 }, v = { y = 0, phi = 3 }, times = { 0.5, 1, 2 },
  keep = { "x", "lambda.wall" } })
compare(puck(), { over = { { "v.x", hm.range(-1, 1, 12) } }, q = { x = 0, y = 0 }, v = { y = 0.3 }, t = 3, keep = { "x", T = "friction.plane" } })
local P = pendulum(true)
for _, method in ipairs{ "dop853", "radau5", "auto" } do
  compare(P, { over = { { "v.x", hm.range(-3, 3, 8) } }, q = { x = 0, y = -1 },
    times = { 1, 2 }, keep = { "x", "lambda.rod", "lambda.wall" }, method = method })
end
-- a whole course, which changes signs in its equations along each run
local C = hm.system "carriage"
local a, b = C:coordinates "a b"
local restitution = C:parameters "e=1/2"
C:kinetic_energy((a.dot^2 + b.dot^2)/2)
C:potential_energy(a^2 + a*b)
C:unilateral("wall", a, { law = hm.newton(restitution) })
C:friction("rub", { slip = b.dot, normal = 1, coefficient = 0.1 })
compare(C, { over = { { "v.a", hm.range(-3, 3, 8) }, { "e", { 0.5, 1 } } }, q = { a = 1, b = 0 }, v = { b = 0.3 }, times = { 1, 2 }, form = "whole course",
  keep = { "a", "a_star", "b''", "friction.rub", "energy" } })
local M = hm.system "stepped"
local z = M:coordinates "z"
M:kinetic_energy(z.dot^2/2)
M:force(z, -10)
M:unilateral("floor", z, { law = hm.moreau(0.5) })
compare(M, { over = { { "z", hm.range(1, 2, 8) } }, v = { z = 0 }, t = 2, keep = { "z", "lambda.floor" }, method = "moreau", step = 0.01 })
local Q, x, y = pendulum(false)
for _, method in ipairs{ "dop853", "taylor", "auto" } do
  compare(Q, { over = { { "v.x", hm.range(-3, 3, 16) } }, q = { x = 0, y = -1 }, t = 2, keep = { "x", "lambda.rod" }, method = method,
    events = { { name = "aside", when = x - y - 3/2, terminal = true } } })
  compare(Q, { over = { { "v.x", hm.range(-3, 3, 16) } }, q = { x = 0, y = -1 }, t = 2, keep = { "x", "lambda.rod" }, method = method })
end
-- starts that are refused, and runs that fail on the way
compare(S, { over = { { "y", { 0.5, 1.5 } }, { "e", { -1, 0.5, 2 } } }, q = { x = 1.5, phi = 0 }, v = { x = 1, y = 0, phi = 3 }, t = 1, max_steps = 20 })
