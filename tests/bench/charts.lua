-- Charts: time of a point as a ratio to single studies of the same motion (S:lyapunov, every = 1), threads, sections, readings of sweeps, steps of fixed
-- size. Goals stand in brackets. Medians of interleaved rounds.
--   build/hamel tests/bench/charts.lua [rounds]
local hm = require "hamel"
local core = require "hamel.core"
local certified = require "tests.support.certified"

local part = arg and arg[1] == "part"  -- one of the processes that the threads are compared with
local rounds = tonumber(arg and arg[1]) or 5

-- Median seconds of each function, called in turn
local function medians(list)
  local times = {}
  for k in pairs(list) do times[k] = {} end
  for _ = 1, rounds do
    for k, f in pairs(list) do
      local begun = core.host.clock()
      f()
      table.insert(times[k], core.host.clock() - begun)
    end
  end
  for k, all in pairs(times) do
    table.sort(all)
    times[k] = all[(#all + 1)//2]
  end
  return times
end

local function row(what, text) print(("%-58s %s"):format(what, text)) end

local function henon()
  local S = hm.system "Henon-Heiles"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)
  return S, y
end

local function sleigh()
  local S = hm.system "driven sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1, J=1, a=1/2"
  S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2 + J*theta.dot^2/2)
  S:constraint("blade", y.dot*hm.cos(theta) - x.dot*hm.sin(theta) - a*theta.dot)
  S:force(theta, hm.cos(hm.t)/5 - theta.dot/10)
  S:force(x, -x.dot/10)
  S:force(y, -y.dot/10)
  return S
end

local function goal(form, value) return value and (" (%s)"):format(form:format(value)) or "" end

-- A chart against one study of its first motion: milliseconds a point. chart: a function of the number of threads and of points; threads are compared on
-- four times as many. most, least: goals of the time of a point and of the ratio
local function against_study(what, S, chart, study, count, most, least)
  local t = medians{ study = function() S:lyapunov(study) end, chart = function() S:chart(chart(1, count)) end,
    one = function() S:chart(chart(1, 4*count)) end, two = function() S:chart(chart(2, 4*count)) end }
  row(what, ("study %8.2f ms   chart %8.3f ms a point%s, %6.1f x%s   2 threads %4.2f x (>= 1.9)"):format(1e3*t.study, 1e3*t.chart/count,
    goal("<= %g", most), t.study*count/t.chart, goal(">= %g", least), t.one/t.two))
end

local S, y = henon()

-- Two threads share memory, locks and the collector of one process; two processes share the machine alone, which thus limits both
local function part_of(threads, count)
  S:chart{ over = { { "energy", hm.range(0.05, 0.12, count) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, of = "exponents", t = 2000, rtol = 1e-8,
           threads = threads, progress = false }
end
if part then
  local begun = core.host.clock()
  part_of(1, 64)
  print(core.host.clock() - begun)
  return
end
do
  local function process() return assert(io.popen(("'%s' tests/bench/charts.lua part"):format(arg and arg[-1] or "build/hamel"))) end
  local function seconds(pipe)
    local t = tonumber(pipe:read "l")
    pipe:close()
    return t
  end
  local alone, pair, work = {}, {}, { {}, {} }
  local function in_threads(threads)
    local begun = os.clock()           -- of all threads
    part_of(threads, 128)
    table.insert(work[threads], os.clock() - begun)
  end
  local t = medians{ one = function() in_threads(1) end, two = function() in_threads(2) end, process = function()
    alone[#alone + 1] = seconds(process())
    local first, second = process(), process()
    pair[#pair + 1] = (seconds(first) + seconds(second))/2
  end }
  local function median(list)
    table.sort(list)
    return list[(#list + 1)//2]
  end
  local threads, processes = t.one/t.two, 2*median(alone)/median(pair)
  local form = "%4.2f x and %4.2f x of one (>= 1.9): threads at %3.0f %% of the processes; processor time %4.2f x of one"
  row("two threads, and two processes of one thread", form:format(threads, processes, 100*threads/processes, median(work[2])/median(work[1])))
end
for n, goals in pairs{ [4] = { 1, 80 }, [1] = { 0.4, 100 } } do
  against_study(("Henon-Heiles, %d exponents, t = 1000, 1e-8"):format(n), S, function(threads, count)
    return { over = { { "energy", hm.range(0.05, 0.12, count) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, of = "exponents", n = n, t = 1000, rtol = 1e-8,
             threads = threads, progress = false }
  end, { q = { x = 0, y = 0.1 }, v = { x = 0.3, y = 0.1 }, n = n, t = 1000, rtol = 1e-8 }, 64, goals[1], goals[2])
end
local D = sleigh()
against_study("driven sleigh, 2 exponents, t = 1000, 1e-8", D, function(threads, count)
  return { over = { { "theta'", hm.range(0.1, 1, count) } }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1 }, of = "exponents", n = 2, t = 1000, rtol = 1e-8,
           threads = threads, progress = false }
end, { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.5 }, n = 2, t = 1000, rtol = 1e-8 }, 32, 2, 25)
do
  local R, start = certified.rattleback()
  against_study("rattleback, 5 exponents, t = 100, 1e-8", R, function(threads, count)
    return { over = { { "yaw'", hm.range(-6, -4, count) } }, q = start.q, v = { roll = 0, pitch = 0 }, of = "exponents", form = "maggi", t = 100, rtol = 1e-8,
             threads = threads, progress = false }
  end, { q = start.q, v = start.v, form = "maggi", t = 100, rtol = 1e-8 }, 8, 250, 9)
end

-- a crossing of a section over the bare run, in steps of this run
do
  local given = { q = { x = 0, y = 0.1 }, v = { x = 0.4, y = 0.1 }, t = 2000, rtol = 1e-8, dense = false, record = "ends" }
  local run, points = S:simulate(given), nil
  local section = { when = y, direction = "rising", q = given.q, v = given.v, t = given.t, rtol = given.rtol }
  local t = medians{ bare = function() run = S:simulate(given) end, section = function() points = S:section(section) end }
  local step = t.bare/run.outcome.steps
  row("a crossing of a section over the bare run", ("%.2f steps (%d crossings, %d steps)"):format((t.section - t.bare)/#points/step, #points,
    run.outcome.steps))
end

-- what sweeps read off their runs, over the bare sweep in lanes, whose step is the unit; and the bare sweep over single runs of the same motion
do
  local function sweep(keep, more)
    local o = { over = { { "v.x", hm.range(0.1, 0.4, 64) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, t = 1000, rtol = 1e-8, keep = keep, threads = 1,
                progress = false }
    for name, value in pairs(more or {}) do o[name] = value end
    return S:sweep(o)
  end
  local x, tables, times = S:coordinate_list()[1], {}, {}
  local escape = { events = { out = { when = x^2 + y^2 - 100, direction = "rising", terminal = true } } }
  local points = { over = { { "v.x", hm.range(0.1, 0.4, 64) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, t = 1000, rtol = 1e-8, of = "period",
                   section = { when = y }, threads = 1, progress = false }
  local ways = { bare = function() return sweep{ "x" } end, count = function() return sweep{ c = hm.count(y, 1) } end,
    highest = function() return sweep{ c = hm.highest(y) } end,
    mean = function() return sweep{ c = hm.mean(y^2) } end, wave = function() return sweep{ c = hm.count(hm.sin(y), 1) } end,
    escape = function() return sweep({ "x" }, escape) end }
  for _ = 1, rounds do
    for name, way in pairs(ways) do
      local W = way()
      tables[name], times[name] = W, math.min(times[name] or math.huge, W.run_seconds)
    end
  end
  local steps, crossings = 0, 0
  for i, r in ipairs(tables.bare) do steps, crossings = steps + r.steps, crossings + tables.count[i].c end
  local t = medians{ chart = function() S:chart(points) end, sweep = ways.bare }
  local function more(name) return ("%5.2f of the bare sweep, %6.2f of its steps a crossing (<= 1.5)"):format(times[name]/times.bare,
    (times[name] - times.bare)/crossings/(times.bare/steps)) end
  row("count of crossings in lanes (polynomial)", more "count")
  row("count of crossings in lanes (sine)", more "wave")
  row("highest value in lanes", more "highest")
  row("mean value in lanes", ("%5.2f of the bare sweep"):format(times.mean/times.bare))
  row("escape that does not happen, in lanes", ("%5.2f of the bare sweep"):format(times.escape/times.bare))
  row("chart of periods on a section, rows and all", ("%5.2f of the bare sweep, %6.2f of its steps a crossing"):format(t.chart/t.sweep,
    (t.chart - t.sweep)/crossings/(t.sweep/steps)))
end

-- a step of fixed size in a sweep, the second run by which its errors are judged included: one run after the other, and in lanes
for _, method in ipairs{ "rk4", "gauss6" } do
  local W, least = {}, { [1] = math.huge, [8] = math.huge }
  local function sweep(lanes)
    return function()
      W[lanes] = S:sweep{ over = { { "x", hm.range(0.01, 0.2, 64) } }, q = { y = 0.1 }, v = { x = 0.1, y = 0.1 }, t = 100, method = method, step = 0.02,
        keep = { "x" }, threads = 1, lanes = lanes, progress = false }
      least[lanes] = math.min(least[lanes], W[lanes].run_seconds)
    end
  end
  local t = medians{ [1] = sweep(1), [8] = sweep(8) }
  local steps = 0
  for _, r in ipairs(W[8]) do steps = steps + r.steps end
  row(("%s, 4 states, a step in a sweep"):format(method), ("single %5.0f ns   lanes %5.1f ns (<= %d), %5.1f x   with starts and rows %.0f ns, %.1f x"):format(
    1e9*least[1]/steps, 1e9*least[8]/steps, method == "rk4" and 15 or 120, least[1]/least[8], 1e9*t[8]/steps, t[1]/t[8]))
end

-- readings along series and steps of fixed size: one run after the other, and in lanes
for _, way in ipairs{ { "rk4", 0.02 }, { "gauss6", 0.05 }, { "taylor" } } do
  local least = { [1] = math.huge, [8] = math.huge }
  for _ = 1, rounds do
    for lanes in pairs(least) do
      local W = S:sweep{ over = { { "v.x", hm.range(0.1, 0.4, 64) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, t = 100, method = way[1], step = way[2],
        rtol = way[2] and 1e-6 or 1e-9, keep = { c = hm.count(y, 1), top = hm.highest(y) }, threads = 1, lanes = lanes, progress = false }
      least[lanes] = math.min(least[lanes], W.run_seconds)
    end
  end
  row(("%s, crossings and highest value of 64 runs"):format(way[1]), ("single %6.1f ms   lanes %6.2f ms, %5.1f x"):format(1e3*least[1], 1e3*least[8],
    least[1]/least[8]))
end

-- exponents along steps of fixed size
for _, method in ipairs{ "rk4", "gauss6" } do
  against_study(("Henon-Heiles, 4 exponents, t = 100, %s of 0.05"):format(method), S, function(threads, count)
    return { over = { { "energy", hm.range(0.05, 0.12, count) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 }, of = "exponents", t = 100, method = method,
             step = 0.05, threads = threads, progress = false }
  end, { q = { x = 0, y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 100, method = method, step = 0.05 }, 64)
end
