-- Ensembles: time per run with lanes and threads as a ratio to single runs of the same method in one thread. 8 lanes need AVX-512; a processor
-- without it takes 4 in their place.
--   build/hamel tests/bench/ensembles.lua
local hm = require "hamel"
local systems = require "tests.bench.systems"

local function grid(case, over, tolerance, project)
  return { over = over, q = case.q, v = case.v, t = case.t, rtol = tolerance, atol = tolerance, project = project, keep = { case.keep }, progress = false }
end

local function measure(case, o)
  local base
  for _, setting in ipairs{ { 1, 1 }, { 1, 4 }, { 1, 8 }, { 2, 1 }, { 2, 8 } } do
    o.threads, o.lanes = setting[1], setting[2]
    local times = {}
    for k = 1, 7 do times[k] = case.system:sweep(o).run_seconds end
    table.sort(times)
    local us = times[4]/(#case.runs)*1e6
    base = base or us
    print(("  %d thread%s %d lane%s   %8.2f us a run   %5.2f x   spread %2.0f %%"):format(setting[1], setting[1] > 1 and "s" or " ", setting[2],
      setting[2] > 1 and "s" or " ", us, base/us, 100*(times[7] - times[1])/times[4]))
  end
end

for _, tolerance in ipairs{ 1e-9, 1e-12 } do
  local chain, sleigh = systems.chain(2, 10), systems.sleigh()
  chain.keep, sleigh.keep = "q1", "x"
  print(("chain2, %g, 2000 starts"):format(tolerance))
  chain.runs = hm.range(1, 2000, 2000)
  measure(chain, grid(chain, { { "q1", hm.range(0.1, 1, 40) }, { "q2", hm.range(0.1, 1, 50) } }, tolerance, true))
  print(("sleigh, %g, 8000 starts, projected onto the blade"):format(tolerance))
  sleigh.runs = hm.range(1, 8000, 8000)
  measure(sleigh, grid(sleigh, { { "v.theta", hm.range(-1, 1, 8000) } }, tolerance, true))
end
