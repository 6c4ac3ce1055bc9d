-- scipy_bench.lua: runs of this library for scipy_bench.py: one line "name seconds error" each, error against a run at 1e-13.
local hm = require "hamel"
local core = require "hamel.core"
local sin, cos = hm.sin, hm.cos

local function chain(n)
  local S = hm.system("chain" .. n)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for i = 1, n do
    vx, vy, y = vx + cos(q[i])*q[i].dot, vy + sin(q[i])*q[i].dot, y - cos(q[i])
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local start, rest = {}, {}
  for i = 1, n do start[names[i]], rest[names[i]] = 1 + 0.1*i, 0 end
  return S, start, rest
end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return S, { x = 0, y = 0, theta = 0 }, { x = 1, theta = 0.3 }
end

local function disc()
  local S = hm.system "disc"
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local cx, cy, cz = hm.dt(x - sin(theta)*sin(phi)/2), hm.dt(y + sin(theta)*cos(phi)/2), hm.dt(cos(theta)/2)
  S:kinetic_energy((cx^2 + cy^2 + cz^2)/2 + (theta.dot^2 + (phi.dot*cos(theta))^2)/32 + (psi.dot + phi.dot*sin(theta))^2/16)
  S:potential_energy(hm.number "9.81"*cos(theta)/2)
  S:constraint("roll x", x.dot + psi.dot*cos(phi)/2)
  S:constraint("roll y", y.dot + psi.dot*sin(phi)/2)
  return S, { x = 0, y = 0, phi = 0.2, theta = 0.1, psi = 0 }, { phi = 0.3, theta = 0.1, psi = 6 }
end

local tolerance = tonumber(arg[1] or "1e-9")
for _, case in ipairs{ { "sleigh", 20, sleigh }, { "disc", 5, disc }, { "chain2", 10, chain, 2 }, { "chain5", 5, chain, 5 }, { "chain10", 3, chain, 10 } } do
  local S, q, v = case[3](case[4])
  local function run(tol) return S:simulate{ q = q, v = v, t = case[2], rtol = tol, atol = tol, dense = false } end
  local reference, mine = run(1e-13), run(tolerance)
  local worst = 0
  for name in pairs(q) do worst = math.max(worst, math.abs(mine[#mine][name] - reference[#reference][name])) end
  local best = math.huge
  for _ = 1, 15 do
    local t0 = core.host.clock()
    run(tolerance)
    best = math.min(best, core.host.clock() - t0)
  end
  local line = { case[1], ("%.6e"):format(best), ("%.6e"):format(mine.outcome.seconds), ("%.3e"):format(worst) }
  for i = 1, #S.coordinate_names do line[#line + 1] = ("%.17g"):format(reference[#reference][S.coordinate_names[i]]) end
  print(table.concat(line, " "))
end
