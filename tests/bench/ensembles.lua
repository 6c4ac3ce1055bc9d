-- Ensembles: time per run with lanes and threads as a ratio to single runs of the same method in one thread. 8 lanes need AVX-512; a processor
-- without it takes 4 in their place. What a second thread can give is what the machine gives to a second process: the last line of each case is two
-- processes that run the same sweep in 8 lanes side by side, so that threads can be compared with that.
--   build/hamel tests/bench/ensembles.lua
local hm = require "hamel"
local measure = require "tests.bench.measure"
local systems = require "tests.bench.systems"

local function grid(case, over, tolerance)
  return { over = over, q = case.q, v = case.v, t = case.t, rtol = tolerance, atol = tolerance, project = true, keep = { case.keep }, progress = false }
end

local cases = {}
for _, tolerance in ipairs{ 1e-9, 1e-12 } do
  local chain, sleigh = systems.chain(2, 10), systems.sleigh()
  chain.keep, sleigh.keep = "q1", "x"
  cases[#cases + 1] = { ("chain2, %g, 2000 starts"):format(tolerance), 2000, chain.system,
    grid(chain, { { "q1", hm.range(0.1, 1, 40) }, { "q2", hm.range(0.1, 1, 50) } }, tolerance) }
  cases[#cases + 1] = { ("sleigh, %g, 8000 starts, projected onto the blade"):format(tolerance), 8000, sleigh.system,
    grid(sleigh, { { "v.theta", hm.range(-1, 1, 8000) } }, tolerance) }
end

-- Microseconds a run, of the integration alone
local function sweep(case, threads, lanes)
  local _, starts, S, o = table.unpack(case)
  o.threads, o.lanes = threads, lanes
  return 1e6*S:sweep(o).run_seconds/starts
end

-- As a second process: the sweep of a case in 8 lanes again and again for the seconds given; prints the median of its times
if arg and arg[1] == "worker" then
  local case, times, from = cases[math.tointeger(arg[2])], {}, os.clock()
  repeat times[#times + 1] = sweep(case, 1, 8) until os.clock() - from > tonumber(arg[3])
  print(measure.figure(times).value)
  return
end

-- Two processes at once. Microseconds a run of both together
local function two_processes(k)
  local pipes, rate = {}, 0
  for i = 1, 2 do pipes[i] = io.popen(("%s tests/bench/ensembles.lua worker %d 1.5"):format(arg[-1], k)) end
  for i = 1, 2 do
    rate = rate + 1/tonumber(pipes[i]:read "a")
    pipes[i]:close()
  end
  return 1/rate
end

local settings = { { 1, 1 }, { 1, 4 }, { 1, 8 }, { 2, 1 }, { 2, 8 } }
local rounds = 9                                              -- three for each of the figures that a ratio comes with

for k, case in ipairs(cases) do
  local best, thirds = {}, { {}, {}, {} }
  local function take(i, round, us)
    local third = thirds[round % 3 + 1]
    best[i], third[i] = math.min(best[i] or us, us), math.min(third[i] or us, us)
  end
  for round = 1, rounds do
    for i, setting in ipairs(settings) do take(i, round, sweep(case, table.unpack(setting))) end
    if round <= 3 then take("processes", round, two_processes(k)) end
  end
  local function ratio(of, to)
    return measure.text(measure.of_least(best, thirds, function(times) return times[of]/times[to] end))
  end
  print(case[1])
  for i, setting in ipairs(settings) do
    print(("  %d thread%s %d lane%s   %8.2f us a run   %s x"):format(setting[1], setting[1] > 1 and "s" or " ", setting[2],
      setting[2] > 1 and "s" or " ", best[i], ratio(1, i)))
  end
  print(("  2 processes of 8 lanes %6.2f us a run   %s x; 2 threads of 8 lanes / these processes %s"):format(best.processes, ratio(1, "processes"),
    ratio("processes", 5)))
end
