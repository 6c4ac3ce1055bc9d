-- The table of targets: every figure the design must reach, measured now, beside its target. Ratios are taken within one run of one benchmark.
--   build/hamel tests/bench/table.lua [SECTION ...]   (all of them take ten minutes; peers that are not installed are left out)
-- A figure on a machine with other programs comes with the smallest and the largest of its values; where the target lies between them, or where a value
-- is impossible, the row says "uncertain". Instructions are counted by valgrind, and are the same every time.
local measure = require "tests.bench.measure"
local mechanisms = require "tests.bench.mechanisms"
local systems = require "tests.bench.systems"

local hamel, counts = arg and arg[-1] or "build/hamel", {}
local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close()
end

-- value: a figure (measure.lua) or a number that was counted; target: reached when below (or above, where `more`)
local function row(what, value, target, unit, more)
  local figure = type(value) == "number" and measure.figure{ value } or value or nil
  local verdict = measure.verdict(figure, target, more)
  counts[verdict] = (counts[verdict] or 0) + 1
  print(("%-74s %20s   %s %-8s %s"):format(what, measure.text(figure, unit), more and ">=" or "<=", (unit or "%.2f"):format(target):match "^%S+",
    (verdict == "missed" or verdict == "uncertain") and verdict or ""))
end

-- Rows of a benchmark that runs by itself: parse(text, add) reads what it prints and calls add(what, value, target, unit, more) for every row. It runs
-- twice, and each row has both values, or all those that the benchmark itself gives: a text such as "5.1 to 6.3"
local function rows_of(command, parse)
  local order, found = {}, {}
  for _ = 1, 2 do
    parse(output(command), function(what, value, ...)
      if not found[what] then
        found[what] = { values = {}, target = { ... } }
        order[#order + 1] = what
      end
      for number in tostring(value or ""):gmatch "[%d.eE+-]+" do table.insert(found[what].values, tonumber(number)) end
    end)
  end
  for _, what in ipairs(order) do
    local figure = measure.figure(found[what].values)
    if figure then figure.signed = found[what].target[2] == "%.1f %%" end          -- a share of a run, from a difference, may come out as none
    row(what, figure, table.unpack(found[what].target, 1, 3))
  end
end

-- Instructions of a command by callgrind, of the whole program or of one function and what it calls, nil without valgrind; and what else it printed
local function instructions(command, of)
  local text = output(("valgrind --tool=callgrind --callgrind-out-file=/dev/null %s %s"):format(of and "--toggle-collect=" .. of or "", command))
  return tonumber(text:match "Collected : (%d+)"), text
end

-- Sections that the command line names, or all
local function section(name, rows)
  local wanted = #arg == 0
  for _, word in ipairs(arg) do wanted = wanted or word == name end
  if wanted then rows() end
end

-- ---- right-hand sides
section("sides", function()
  rows_of("build/bench/rhs_bench", function(text, add)
    for name, _, _, by_hand, closed in text:gmatch "(%w+) +%d+ +(%d+) +(%d+) +([%d.]+) +([%d.-]+)" do
      add(("right-hand side / hand-written C, same algorithm: %s"):format(name), by_hand, 1.0)
      if tonumber(closed) then add(("right-hand side / closed form: %s"):format(name), closed, name == "disc" and 1.5 or 1.3) end
    end
    local chain_ms, slope = text:match "derivation of 80 links: *([%d.]+) ms *n%^([%d.]+)"
    add("derivation of 80 links, without exact simplification", chain_ms, 10, "%.1f ms")
    add("growth of the derivation, power of the number of links", slope, 2.3)
  end)
end)

-- ---- the elimination on the graph of velocities
section("graph", function()
  local chain = mechanisms.chain
  local all, thirds, models = mechanisms.evaluations({ [40] = { chain, 40, "graph" }, [50] = { chain, 50, "graph" }, [500] = { chain, 500, "graph" } }, 9)
  row("chain: time of an evaluation, 500 links / 50", measure.of_least(all, thirds, function(us) return us[500]/us[50] end), 10^1.2)
  local a_link = models[500]:operations()/500
  row(("chain: operations a link, 500 links / 40 (%.1f)"):format(a_link), a_link/(models[40]:operations()/40), 1.05)
  for _, case in ipairs{ { "chain", 40, 6 }, { "chain", 160, 30 }, { "snake", 50, 20 } } do
    local name, n, target = table.unpack(case)
    local us, parts, made = mechanisms.evaluations({ dense = { mechanisms[name], n, "dense" }, chosen = { mechanisms[name], n, "cheapest" } }, 9)
    row(("%s of %d: dense / chosen (%.2f us)"):format(name, n, us.chosen),
      measure.of_least(us, parts, function(times) return times.dense/times.chosen end), target, nil, true)
    if name == "snake" then row(("%s of %d: operations a link"):format(name, n), made.chosen:operations()/n, 80, "%.1f") end
  end
  local function operations_of_arm(make)
    local S, q, v = mechanisms.start(make, 36)
    return S:simulate{ q = q, v = v, t = 1e-3 }.model:operations()
  end
  row("arm of 36 joints: operations by S:body / with energies by hand", operations_of_arm(mechanisms.arm_of_bodies)/operations_of_arm(mechanisms.arm), 1.05)
  rows_of("python3 tests/bench/arm_pin.py " .. hamel, function(text, add)
    local pin_us, arm_us = text:match "pin ([%d.-]+) us, ours ([%d.-]+) us"
    add("arm of 36 joints / articulated-body algorithm of Pinocchio", pin_us and tonumber(arm_us)/tonumber(pin_us), 1)
  end)
end)

-- ---- executors
section("executors", function()
  rows_of("build/bench/program_bench", function(text, add)
    for name, ratio in text:gmatch "(chain%d+) +%d+ +%d+ +([%d.]+)" do
      add(("right-hand side with its solve, interpreter / machine code: %s"):format(name), ratio, tonumber(name:match "%d+") >= 10 and 5 or 4.5)
    end
    local limits = { 0.1, 0.5, 5 }
    for operations, ms in text:gmatch "machine code of (%d+) operations: ([%d.]+) ms" do
      add(("machine code of %s operations"):format(operations), ms, table.remove(limits, 1), "%.2f ms")
    end
  end)
end)

-- ---- methods at equal error, ensembles, events
section("methods", function()
  rows_of(hamel .. " tests/bench/methods.lua", function(text, add)
    for block in text:gmatch "(%w+, t = .-1e%-12 [^\n]*us[^\n]*\n.-1e%-12 [^\n]*)" do
      local name = block:match "^(%w+)"
      local ratios = {}
      for ratio in block:match "1e%-12 +([^\n]*)$":gmatch "us +([%d.]+)" do ratios[#ratios + 1] = tonumber(ratio) end
      if ratios[3] then add(("Taylor / DOP853 at equal error 1e-12: %s"):format(name), ratios[3], name == "sleigh" and 0.4 or 1.0) end
      if ratios[2] then add(("DOP853 / rk8pd at equal error 1e-12: %s"):format(name), 1/ratios[2], 1.0) end
    end
  end)
  rows_of(hamel .. " tests/bench/ensembles.lua", function(text, add)
    for name, tolerance, block in text:gmatch "(%w+), ([%d.e-]+), %d+ starts[^\n]*\n(.-2 processes[^\n]*)" do
      local case = ("%s at %s"):format(name, tolerance)
      add("8 lanes / 1: " .. case, block:match "1 thread  8 lanes +[%d.]+ us a run +([^x]+) x", 6, nil, true)
      add("8 lanes x 2 threads / 1: " .. case, block:match "2 threads 8 lanes +[%d.]+ us a run +([^x]+) x", 11, nil, true)
      add("2 processes of 8 lanes / 1: " .. case, block:match "2 processes of 8 lanes +[%d.]+ us a run +([^x]+) x", 11, nil, true)
      add("2 threads / 2 processes, of 8 lanes: " .. case, block:match "these processes ([^\n]+)", 0.9, nil, true)
    end
  end)
  rows_of(hamel .. " tests/bench/events.lua", function(text, add)
    add("one event function that is not met, time, of a run", text:match "not met: ([^%%]+)", 8, "%.1f %%")
    add("one impact", text:match "costs: ([%d.]+) us", 2, "%.2f us")
  end)
  local function of_runs(name)
    local short = instructions(("%s tests/bench/events.lua %s 2000"):format(hamel, name))
    local long = instructions(("%s tests/bench/events.lua %s 6000"):format(hamel, name))
    return short and long and long - short
  end
  local plain, watched = of_runs "plain", of_runs "watched"
  row("one event function that is not met, instructions (valgrind), of a run", plain and 100*(watched/plain - 1), 8, "%.1f %%")
  local function impacts(time)
    local count, text = instructions(("%s tests/bench/impacts.lua 0 %d"):format(hamel, time), "hml_hybrid_run")
    return tonumber(text:match "(%d+) impacts"), count
  end
  local few, of_few = impacts(2000)
  local many, of_many = impacts(6000)
  row("one impact with its step, instructions (valgrind)", few and of_few and (of_many - of_few)/(many - few), 20000, "%.0f")
end)

-- ---- from formulas to numbers
section("starts", function()
  local function fresh(build)
    return function()
      local case = build()
      case.system:simulate{ q = case.q, v = case.v, t = 1e-3 }
    end
  end
  local function first_step(n)
    return function()
      local S, q, v = mechanisms.start(mechanisms.chain, n)
      S:simulate{ q = q, v = v, t = 1e-6, record = "ends", dense = false }
    end
  end
  local all, thirds = measure.least(9, { short = first_step(80), long = first_step(500), sleigh = fresh(systems.sleigh) })
  local function step(f) return measure.of_least(all, thirds, f) end
  row("chain of 80: written, derived, compiled, first step", step(function(t) return 1e3*t.short end), 10, "%.1f ms")
  row("chain of 500: written, derived, compiled, first step", step(function(t) return 1e3*t.long end), 100, "%.1f ms")
  row("growth of the first step from 80 to 500 links, power of the number",
    step(function(t) return math.log(t.long/t.short)/math.log(500/80) end), 1.2)
  row("sleigh: written, derived, compiled, first step", step(function(t) return 1e3*t.sleigh end), 150, "%.1f ms")
  rows_of(hamel .. " tests/bench/bicycle.lua", function(text, add)
    local derived, compiled = text:match "lagrange +derived in ([%d.]+) s, compiled and solved at one state in ([%d.]+) s"
    add("bicycle size: derived, compiled, solved at a state", derived and tonumber(derived) + tonumber(compiled), 3, "%.3f s")
  end)
  local empty = hamel .. " -e \"\""
  local function of_the_processor()
    local user, system = output(("bash -c 'TIMEFORMAT=\"%%3U %%3S\"; time %s'"):format(empty)):match "([%d.]+) ([%d.]+)%s*$"
    return user and tonumber(user) + tonumber(system) or 0/0                     -- without bash no figure
  end
  local least, parts = measure.least(45, { start = of_the_processor })
  row("start of hamel -e \"\", time of the processor", measure.of_least(least, parts, function(t) return 1e3*t.start end), 20, "%.0f ms")
end)

-- ---- drift over a default run
section("drift", function()
  for _, case in ipairs{ systems.sleigh(), systems.disc(), systems.chain(2, 10) } do
    local run = case.system:simulate{ q = case.q, v = case.v, t = 10*case.t }
    row(("energy drift over ten times %g, default tolerance 1e-9: %s"):format(case.t, case.name), math.abs(run.energy_drift), 1e-8, "%.1e")
  end
end)

-- ---- peers
section("peers", function()
  rows_of("python3 tests/bench/scipy_bench.py " .. hamel, function(text, add)
    for name, ratio in text:gmatch "\n(%w+) +[%d.]+ +[%d.]+ +[%d.]+ +[%d.]+ +%d+ +(%d+)" do
      add(("SciPy + lambdify / ours, 1e-9: %s"):format(name), ratio, 250, "%.0f", true)
    end
  end)
  rows_of("python3 tests/bench/peers.py " .. hamel, function(text, add)
    for name, block in text:gmatch "(%w+), t = [%d.]+\n(.-1e%-12 [^\n]*\n.-1e%-12 [^\n]*)" do
      local labels = {}
      for word in block:match "equal tolerance +([^\n]*)":gmatch "%S+" do labels[#labels + 1] = word end
      local after = block:match "equal error.*"
      for wanted, line in after:gmatch "(1e%-%d+) +([^\n]*)" do
        local k = 0
        for cell in (line .. " "):gmatch "(%S+ us %([%d.]+ x%)) " do
          k = k + 1
          local what = ("%s / our best at equal error %s: %s"):format(labels[k], wanted, name)
          if k > 2 then add(what, cell:match "%(([%d.]+)", 1, nil, true) end
        end
      end
    end
    for name, line in text:gmatch "\n  (%w+)\n    dop853[^\n]*\n.-at error 1e%-11: ([^\n]*)" do
      for width, ratio in line:gmatch "heyoka x(%d) [%d.]+ us %(([%d.]+) x%)" do
        add(("heyoka, batches of %s / our lanes at error 1e-11: %s"):format(width, name), ratio, 1, nil, true)
      end
    end
  end)
end)

print(("%d targets reached, %d missed, %d uncertain, %d not measured; tests/bench/README.md says what limits those missed"):format(
  counts.reached or 0, counts.missed or 0, counts.uncertain or 0, counts["not measured"] or 0))
