-- mechanisms.lua: chains, loops, snakes and arms of n links for the benchmarks. Each function returns the system, its coordinates, the number of rows
-- for which a start leaves velocities open, and the velocities at the start that are not zero; the other velocities follow from the constraints.
local hm = require "hamel"
local measure = require "tests.bench.measure"
local sin, cos = hm.sin, hm.cos

local function coordinates(S, first, n)
  local names = {}
  for i = 1, n do names[i] = first .. i end
  return names, { S:coordinates(table.concat(names, " ")) }
end

--- Planar pendulums on each other; held: the end is fixed by two rows.
local function chain(n, held)
  local S = hm.system "chain"
  local names, angles = coordinates(S, "q", n)
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for _, a in ipairs(angles) do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  if held then
    S:constraint("end x", vx)
    S:constraint("end y", vy)
  end
  return S, names, held and 2 or 0
end

local function loop(n) return chain(n, true) end

--- Four-bar linkages on each other: each stands on the middle of the coupler of the one before; three angles and two rows each. The angles at the start
--- close a parallelogram.
local function linkages(n)
  local S, names = hm.system "linkages", {}
  for i = 1, n do for _, letter in ipairs{ "a", "b", "c" } do names[#names + 1] = letter .. i end end
  local q, T, V = { S:coordinates(table.concat(names, " ")) }, hm.number(0), hm.number(0)
  local vx, vy, y = hm.number(0), hm.number(0), hm.number(0)
  local function bar(angle, length, x_rate, y_rate, height)       -- a uniform bar from a point; rates and height of its end
    local rx, ry = -sin(angle)*angle.dot*length, cos(angle)*angle.dot*length
    T = T + ((x_rate + rx/2)^2 + (y_rate + ry/2)^2)/2 + length^2*angle.dot^2/24
    V = V + hm.number "9.81"*(height + sin(angle)*length/2)
    return x_rate + rx, y_rate + ry, height + sin(angle)*length
  end
  for i = 1, n do
    local a, b, c = q[3*i - 2], q[3*i - 1], q[3*i]
    local ax, ay, top = bar(a, 1, vx, vy, y)
    local bx, by = bar(b, 2, ax, ay, top)
    local cx, cy = bar(c, 1, vx, vy, y)                          -- its foot is 2 beside that of a, on a base that does not turn
    S:constraint("x" .. i, bx - cx)
    S:constraint("y" .. i, by - cy)
    vx, vy, y = ax - sin(b)*b.dot, ay + cos(b)*b.dot, top + sin(b)
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local v, angles = {}, {}
  for i = 1, n do v["a" .. i], angles["a" .. i], angles["b" .. i], angles["c" .. i] = 0.3/i, 1.1 + 0.1*i, 0.0, 1.1 + 0.1*i end
  return S, names, #names, v, angles
end

local function snake(n)
  local S, names = hm.system "snake", { "x", "y" }
  for i = 1, n do names[i + 2] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, T = q[1].dot, q[2].dot, hm.number(0)
  for i = 1, n do
    local a = q[i + 2]
    local cx, cy = vx - sin(a)*a.dot/2, vy + cos(a)*a.dot/2
    T = T + (cx^2 + cy^2)/2 + a.dot^2/24
    S:constraint("blade " .. i, cy*cos(a) - cx*sin(a))
    vx, vy = vx - sin(a)*a.dot, vy + cos(a)*a.dot
  end
  S:kinetic_energy(T)
  return S, names, n, { x = 1, q1 = 0.4 }
end

-- a <- R(-angle) a about z or y
local function turned(angle, about_z, a)
  local c, s, x, y, z = cos(angle), sin(angle), a[1], a[2], a[3]
  if about_z then return { c*x + s*y, c*y - s*x, z } end
  return { c*x - s*z, y, s*x + c*z }
end

-- Velocities in the frames of the links, joints about z and y in turn
local function arm(n)
  local S = hm.system "arm"
  local names, angles = coordinates(S, "q", n)
  local zero, length, offset = hm.number(0), hm.number "0.3", hm.number "0.2"
  local w, u, g, height, T, V = { zero, zero, zero }, { zero, zero, zero }, { zero, zero, hm.number(-1) }, zero, zero, zero
  local c = { hm.number "0.15", hm.number "0.02", hm.number "0.1" }
  for i, a in ipairs(angles) do
    local about_z = i % 2 == 1
    if i > 1 then
      height = height - length*g[1] - offset*g[3]
      u = { u[1] + w[2]*offset, u[2] + w[3]*length - w[1]*offset, u[3] - w[2]*length }
    end
    u, w, g = turned(a, about_z, u), turned(a, about_z, w), turned(a, about_z, g)
    w[about_z and 3 or 2] = w[about_z and 3 or 2] + a.dot
    local v = { u[1] + w[2]*c[3] - w[3]*c[2], u[2] + w[3]*c[1] - w[1]*c[3], u[3] + w[1]*c[2] - w[2]*c[1] }
    for k, inertia in ipairs{ "0.02", "0.025", "1/60" } do T = T + 3*v[k]^2/2 + hm.number(inertia)*w[k]^2/2 end
    V = V + hm.number "29.43"*(height - c[1]*g[1] - c[2]*g[2] - c[3]*g[3])
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S, names, 0
end

-- The same arm by bodies
local function arm_of_bodies(n)
  local S = hm.system "arm of bodies"
  local names, angles = coordinates(S, "q", n)
  local N = S:frame "N"
  local frame, joint = N, S.origin
  for i, a in ipairs(angles) do
    if i > 1 then joint = joint + frame:vector(hm.number "0.3", 0, hm.number "0.2") end
    frame = frame:rotate(i % 2 == 1 and "z" or "y", a)
    S:body("link" .. i, { at = joint + frame:vector(hm.number "0.15", hm.number "0.02", hm.number "0.1"), frame = frame, mass = 3,
      inertia = { hm.number "0.02", hm.number "0.025", hm.number "1/60" } })
  end
  S:gravity(-hm.number "9.81"*N.z)
  return S, names, 0
end

--- A start of such a system: angles 0.2 i, velocities zero where they are free.
local function start(make, n)
  local S, names, rows, v, angles = make(n)
  local q = {}
  v = v or {}
  for i, name in ipairs(names) do
    q[name] = angles and angles[name] or 0.2*i
    if make ~= snake and make ~= linkages and i > rows then v[name] = 0 end
  end
  return S, q, v
end

-- Two runs over the same motion, one three times as long, with so many steps that the difference of their times takes 20 ms: a call scatters by less.
-- The steps are short, so that their number does not depend on the motion
local function prepared(make, n, elimination)
  local S, q, v = start(make, n)
  local t, steps, evaluations, model = 0.02, 10, {}, nil
  local function run(k)
    local answer = S:simulate{ q = q, v = v, t = k*t, max_step = t/steps, rtol = 1e-9, elimination = elimination, record = "ends", dense = false }
    evaluations[k], model = answer.outcome.evaluations, answer.model
  end
  local function seconds(k)
    local before = os.clock()
    run(k)
    return os.clock() - before
  end
  seconds(1)
  while seconds(3) - seconds(1) < 0.02 and steps < 100000 do
    steps = 2*steps
    seconds(1)
  end
  return { short = function() run(1) end, long = function() run(3) end, evaluations = evaluations[3] - evaluations[1], model = model }
end

--- Microseconds of one evaluation of x' in a run, without what a run costs at its start. `cases`: { name = { make, n, elimination } }, measured side by
--- side. Returns { name = microseconds }, a list of the same from each third of the rounds (measure.least), and { name = model }.
local function evaluations(cases, rounds)
  local runs, counts, models = {}, {}, {}
  for name, case in pairs(cases) do
    local pair = prepared(table.unpack(case))
    runs[name .. " short"], runs[name .. " long"], counts[name], models[name] = pair.short, pair.long, pair.evaluations, pair.model
  end
  local function microseconds(times)
    local us = {}
    for name in pairs(cases) do us[name] = 1e6*(times[name .. " long"] - times[name .. " short"])/counts[name] end
    return us
  end
  local all, thirds = measure.least(rounds, runs)
  for k, times in ipairs(thirds) do thirds[k] = microseconds(times) end
  return microseconds(all), thirds, models
end

return { evaluations = evaluations, chain = chain, loop = loop, snake = snake, linkages = linkages, arm = arm, arm_of_bodies = arm_of_bodies,
  start = start }
