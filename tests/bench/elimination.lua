-- elimination.lua: the dense elimination, the one on the graph of velocities, and the one that is chosen: operations, microseconds per evaluation
-- (runs divided by their evaluations, best of several in turn). Systems: planar pendulums on each other, the same with the end held, snakes of rods on
-- blades, arms with joints in space, four-bar linkages on each other.
--   build/hamel tests/bench/elimination.lua [quick]
local mechanisms = require "tests.bench.mechanisms"
local clock = os.clock                                        -- of the processor, in all threads
local chain, loop, snake, arm = mechanisms.chain, mechanisms.loop, mechanisms.snake, mechanisms.arm
local quick = arg and arg[1] == "quick"

-- A run that is repeated: its model and microseconds per evaluation. Linkages would fall through folded places
local function prepared(make, n, elimination)
  local S, q, v = mechanisms.start(make, n)
  local o = { q = q, v = v, t = make == mechanisms.linkages and 0.05 or 0.2, rtol = 1e-9, elimination = elimination, record = "ends", dense = false }
  return function()
    local run = S:simulate(o)
    return run.model, 1e6*run.outcome.seconds/run.outcome.evaluations
  end
end

local ways = { "dense", "graph", "cheapest" }

-- Each way in turn, so that what is compared is measured side by side
local function measure(make, n)
  local runs, best, model = {}, {}, {}
  for _, way in ipairs(ways) do runs[way], best[way] = prepared(make, n, way), math.huge end
  local from = clock()
  for _ = 1, quick and 15 or 60 do
    for _, way in ipairs(ways) do
      local one, time = runs[way]()
      model[way], best[way] = one, math.min(best[way], time)
    end
    if clock() - from > (quick and 4 or 15) then break end
  end
  return model, best
end

local rows = { { "chain", chain, { 2, 3, 4, 5, 6, 8, 10, 20, 40, 80, 160 } }, { "loop", loop, { 3, 4, 6, 8, 12, 20 } },
               { "linkages", mechanisms.linkages, { 1, 2, 3, 4, 6, 8 } }, { "snake", snake, { 2, 3, 4, 5, 6, 8, 16, 50 } },
               { "arm", arm, { 2, 3, 4, 7, 12, 36 } } }
print(("%-8s %4s %20s %20s %22s %14s"):format("system", "n", "dense: operations", "graph: operations", "chosen", "dense/chosen"))
for _, row in ipairs(rows) do
  for _, n in ipairs(row[3]) do
    local model, time = measure(row[2], n)
    print(("%-8s %4d %10d %6.2f us %10d %6.2f us %12s %6.2f us %14.2f"):format(row[1], n, model.dense:operations(), time.dense, model.graph:operations(),
      time.graph, model.cheapest:by_graph() and "graph" or "dense", time.cheapest, time.dense/time.cheapest))
  end
end
