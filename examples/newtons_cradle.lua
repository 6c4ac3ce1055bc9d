-- Newton's cradle: five balls that touch. What happens when the first strikes is not decided by momentum and energy alone: taken at once
-- (Moreau's law) the struck row moves as one; with gaps, however small, one ball leaves at the other end.
local hm = require "hamel"

local function cradle(e, gap)
  local S = hm.system "cradle"
  local q = { S:coordinates "a b c d f" }
  local T = hm.number(0)
  for i = 1, 5 do T = T + q[i].dot^2/2 end
  S:kinetic_energy(T)
  for i = 1, 4 do S:unilateral("pair" .. i, q[i + 1] - q[i] - 1, { law = hm.newton(e) }) end
  local names, start = { "a", "b", "c", "d", "f" }, { q = {}, v = {}, t = 3, rtol = 1e-12, atol = 1e-13 }
  for i, name in ipairs(names) do start.q[name], start.v[name] = (i - 1)*(1 + gap), 0 end
  start.q.a, start.v.a = -1, 1
  return S, start, names
end
local function speeds(S, start, names)
  local run = S:simulate(start)
  local s, list = run:at(3), {}
  for i, name in ipairs(names) do list[i] = s.v[name] end
  return list, run
end
local function show(what, list, run)
  local text = {}
  for i, v in ipairs(list) do text[i] = ("%8.5f"):format(v) end
  print(("%-34s %s   %d impacts"):format(what, table.concat(text, " "), #run.impacts))
end
local function momentum_and_energy(list)
  local p, energy = 0, 0
  for _, v in ipairs(list) do p, energy = p + v, energy + v*v end
  return p, energy
end

-- 1. With gaps of a millionth: impacts one after the other, and the last ball alone flies off
local list, run = speeds(cradle(1, 1e-6))
show("gaps of 1e-6, elastic", list, run)
for i = 1, 4 do assert(math.abs(list[i]) < 1e-9) end
assert(math.abs(list[5] - 1) < 1e-9 and #run.impacts == 4)

-- 2. Touching, all contacts at once by Moreau's law with e = 1: u+ = -e u- for every pair that carries an impulse. Momentum and energy are kept
--    as well, and the motion is another one
list, run = speeds(cradle(1, 0))
show("touching, Moreau's law, elastic", list, run)
local p, energy = momentum_and_energy(list)
assert(math.abs(p - 1) < 1e-12 and math.abs(energy - 1) < 1e-12)
-- by hand: only the first pair approaches, u- = (-1, 0, 0, 0), and all four carry impulses: u+ = (1, 0, 0, 0), with momentum one: v_1 = -3/5, others 2/5
assert(math.abs(list[1] + 0.6) < 1e-12)
for i = 2, 5 do assert(math.abs(list[i] - 0.4) < 1e-12) end

-- 3. Plastic: they go on together
list, run = speeds(cradle(0, 0))
show("touching, plastic", list, run)
for i = 1, 5 do assert(math.abs(list[i] - 0.2) < 1e-12) end
print "which law is right is a matter of the balls' elasticity: small gaps stand for waves that travel along the row"
