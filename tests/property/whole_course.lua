-- whole_course.lua: random systems with one elastic wall, and some with restitution by Ivanov's extension: the auxiliary system without
-- impacts moves as the piecewise description does. Arbiter: located impacts.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local systems = check.draws(20)
print(("whole_course: seed %d, %d systems"):format(seed, systems))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function rational(from, to) return hm.rational(whole(from, to), 4) end

-- The wall's coordinate may couple with the others through velocities of constant direction only: then its image is smooth
local function random_system(number)
  local S = hm.system("wall " .. number)
  local n = whole(1, 3)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local T, V = hm.number(0), hm.number(0)
  for i = 1, n do
    T = T + (rational(4, 8) + hm.sin(q[n])^2*rational(0, 2))*q[i].dot^2/2
    V = V + rational(1, 6)*q[i]^2/2
  end
  if n > 2 then T = T + rational(-1, 1)*q[2].dot*q[3].dot end
  V = V + rational(2, 6)*q[1] + (n > 1 and q[1]*hm.cos(q[2])*rational(0, 2) or 0)
  S:kinetic_energy(T)
  S:potential_energy(V)
  if random(0, 1) < 0.5 then S:force(q[n], hm.sin(hm.t)*rational(1, 4)) end
  if random(0, 1) < 0.4 then S:force(q[1], -q[1].dot*rational(0, 1)) end
  local e = number % 4 == 0 and random(0.9, 0.98) or 1
  S:unilateral("wall", q[1], { law = hm.newton(e) })
  return S, n, e
end

local impacts = 0
for number = 1, systems do
  local S, n, e = random_system(number)
  local start = { q = {}, v = {}, t = 4, rtol = 1e-11, atol = 1e-12 }
  for i = 1, n do start.q["q" .. i], start.v["q" .. i] = i == 1 and random(0.5, 1.5) or random(-1, 1), random(-1, 1) end
  local piecewise = S:simulate(start)
  start.method = "whole course"
  local auxiliary = S:simulate(start)
  assert(piecewise.status == "OK" and auxiliary.status == "OK", ("seed %d, system %d: %s; %s"):format(seed, number, piecewise.reason, auxiliary.reason))
  impacts = impacts + #piecewise.impacts
  for k = 1, 40 do
    local a, b = piecewise:at(k/10), auxiliary:at(k/10)
    for i = 1, n do
      check.near(b["q" .. i], a["q" .. i], 1e-7, ("seed %d, system %d (e = %g), q%d at t = %g"):format(seed, number, e, i, k/10))
    end
  end
end
print(("  %d impacts in the piecewise runs"):format(impacts))
assert(impacts > systems)
