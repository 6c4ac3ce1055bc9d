-- elimination.lua: planar pendulums on each other and snakes of rods on blades, by the dense elimination and on the graph of velocities:
-- operations, microseconds per evaluation (runs divided by their evaluations), dense over graph.
local hm = require "hamel"
local clock, sin, cos = os.clock, hm.sin, hm.cos              -- of the processor, in all threads

local function chain(n)
  local S, names = hm.system "chain", {}
  for i = 1, n do names[i] = "q" .. i end
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for _, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S, names, {}
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
  return S, names, { x = 1, q1 = 0.4 }
end

local function measure(make, n, elimination)
  local S, names, v = make(n)
  local q, best, run = {}, math.huge, nil
  for i, name in ipairs(names) do
    q[name] = 0.2*i
    if make == chain then v[name] = 0 end
  end
  for _ = 1, 3 do
    local from = clock()
    run = S:simulate{ q = q, v = v, t = 0.2, rtol = 1e-9, elimination = elimination, record = "ends", dense = false }
    best = math.min(best, run.outcome.seconds)
    if clock() - from > 10 then break end
  end
  return run.model:operations(), 1e6*best/run.outcome.evaluations
end

print(("%-8s %4s %18s %18s %8s"):format("system", "n", "dense: operations", "graph: operations", "ratio"))
for _, row in ipairs{ { "chain", chain, { 2, 5, 10, 20, 40 } }, { "snake", snake, { 2, 4, 8, 16 } } } do
  for _, n in ipairs(row[3]) do
    local dense, slow = measure(row[2], n, "dense")
    local graph, fast = measure(row[2], n, "graph")
    print(("%-8s %4d %8d %6.2f us %8d %6.2f us %8.2f"):format(row[1], n, dense, slow, graph, fast, slow/fast))
  end
end
