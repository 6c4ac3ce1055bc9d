-- The table of targets: every figure the design must reach, measured now, beside its target. Ratios are taken within one run of one benchmark.
--   build/hamel tests/bench/table.lua [SECTION ...]   (all of them take some minutes; peers that are not installed are left out)
local mechanisms = require "tests.bench.mechanisms"
local systems = require "tests.bench.systems"

local hamel, missed = arg and arg[-1] or "build/hamel", 0
local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close()
end

-- target: number, reached when below (or above, where `more`)
local function row(what, value, target, unit, more)
  local text = value and (unit or "%.2f"):format(value) or "not measured"
  local reached = value and (more and value >= target or not more and value <= target)
  if not reached then missed = missed + 1 end
  print(("%-74s %14s   %s %-8s %s"):format(what, text, more and ">=" or "<=", (unit or "%.2f"):format(target):match "^%S+", reached and "" or "missed"))
end

-- least of n, each of `runs` in turn: what is compared is measured side by side
local function least(n, runs)
  local best = {}
  for k in pairs(runs) do best[k] = math.huge end
  for _ = 1, n do
    for k, f in pairs(runs) do best[k] = math.min(best[k], f()) end
  end
  return best
end

local function clocked(f, n)
  return function()
    local before = os.clock()
    for _ = 1, n do f() end
    return (os.clock() - before)/n
  end
end

-- Sections that the command line names, or all
local function section(name, rows)
  local wanted = #arg == 0
  for _, word in ipairs(arg) do wanted = wanted or word == name end
  if wanted then rows() end
end

-- ---- right-hand sides
section("sides", function()
  local text = output "build/bench/rhs_bench"
  for name, ours, _, by_hand, closed in text:gmatch "(%w+) +%d+ +(%d+) +(%d+) +([%d.]+) +([%d.-]+)" do
    row(("right-hand side / hand-written C, same algorithm: %s (%s ns)"):format(name, ours), tonumber(by_hand), 1.0)
    if tonumber(closed) then row(("right-hand side / closed form: %s"):format(name), tonumber(closed), name == "disc" and 1.5 or 1.3) end
  end
  local chain_ms, slope = text:match "derivation of 80 links: *([%d.]+) ms *n%^([%d.]+)"
  row("derivation of 80 links, without exact simplification", tonumber(chain_ms), 10, "%.1f ms")
  row("growth of the derivation, power of the number of links", tonumber(slope), 2.3)
end)

-- ---- the elimination on the graph of velocities
section("graph", function()
  local us, counts = {}, {}
  for _, n in ipairs{ 40, 50, 500 } do
    local time, model = mechanisms.evaluation(mechanisms.chain, n, "graph", 6, 1)
    us[n], counts[n] = time, model:operations()
  end
  row("chain: time of an evaluation, 500 links / 50", us[500]/us[50], 10^1.2)
  row(("chain: operations a link, 500 links / 40 (%.1f)"):format(counts[500]/500), counts[500]/500/(counts[40]/40), 1.05)
  for _, case in ipairs{ { "chain", 40, 6 }, { "chain", 160, 30 }, { "snake", 50, 20 } } do
    local name, n, target = table.unpack(case)
    local dense = mechanisms.evaluation(mechanisms[name], n, "dense", 3, n > 100 and 0.1 or 1)
    local graph, model = mechanisms.evaluation(mechanisms[name], n, "cheapest", 6, 1)
    row(("%s of %d: dense / chosen (%.2f us)"):format(name, n, graph), dense/graph, target, nil, true)
    if name == "snake" then row(("%s of %d: operations a link"):format(name, n), model:operations()/n, 80, "%.1f") end
  end
  local text = output("python3 tests/bench/arm_pin.py " .. hamel)
  local pin_us, arm_us = text:match "pin ([%d.]+) us, ours ([%d.]+) us"
  row("arm of 36 joints / articulated-body algorithm of Pinocchio", pin_us and tonumber(arm_us)/tonumber(pin_us), 1)
end)

-- ---- executors
section("executors", function()
  local text = output "build/bench/program_bench"
  for name, ratio in text:gmatch "(chain%d+) +%d+ +%d+ +([%d.]+)" do
    row(("right-hand side with its solve, interpreter / machine code: %s"):format(name), tonumber(ratio), tonumber(name:match "%d+") >= 10 and 5 or 4.5)
  end
  local limits = { 0.1, 0.5, 5 }
  for operations, ms in text:gmatch "machine code of (%d+) operations: ([%d.]+) ms" do
    row(("machine code of %s operations"):format(operations), tonumber(ms), table.remove(limits, 1), "%.2f ms")
  end
end)

-- ---- methods at equal error, ensembles, events
section("methods", function()
  local text = output(hamel .. " tests/bench/methods.lua")
  for block in text:gmatch "(%w+, t = .-1e%-12 [^\n]*us[^\n]*\n.-1e%-12 [^\n]*)" do
    local name = block:match "^(%w+)"
    local ratios = {}
    for ratio in block:match "1e%-12 +([^\n]*)$":gmatch "us +([%d.]+)" do ratios[#ratios + 1] = tonumber(ratio) end
    if ratios[3] then row(("Taylor / DOP853 at equal error 1e-12: %s"):format(name), ratios[3], name == "sleigh" and 0.4 or 1.0) end
    if ratios[2] then row(("DOP853 / rk8pd at equal error 1e-12: %s"):format(name), 1/ratios[2], 1.0) end
  end
  text = output(hamel .. " tests/bench/ensembles.lua")
  for name, tolerance, block in text:gmatch "(%w+), ([%d.e-]+), %d+ starts[^\n]*\n(.-threads 8 lanes[^\n]*)" do
    row(("8 lanes / 1: %s at %s"):format(name, tolerance), tonumber(block:match "1 thread  8 lanes +[%d.]+ us a run +([%d.]+) x"), 6, nil, true)
    row(("8 lanes x 2 threads / 1: %s at %s"):format(name, tolerance), tonumber(block:match "2 threads 8 lanes +[%d.]+ us a run +([%d.]+) x"), 11, nil, true)
  end
  text = output(hamel .. " tests/bench/events.lua")
  row("one event function that is not met, of a run", tonumber(text:match "not met: ([%d.-]+)"), 8, "%.1f %%")
  row(("one impact (%s plain steps)"):format(text:match "= ([%d.]+) plain"), tonumber(text:match "costs: ([%d.]+) us"), 2, "%.2f us")
  local function instructions(time)
    local out = output(("valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=hml_hybrid_run %s tests/bench/impacts.lua 0 %d")
      :format(hamel, time))
    return tonumber(out:match "(%d+) impacts"), tonumber(out:match "Collected : (%d+)")
  end
  local few, of_few = instructions(2000)
  local many, of_many = instructions(6000)
  row("one impact with its step, instructions (valgrind)", few and of_few and (of_many - of_few)/(many - few), 20000, "%.0f")
end)

-- ---- from formulas to numbers
section("starts", function()
  local function fresh(build)
    return clocked(function()
      local case = build()
      case.system:simulate{ q = case.q, v = case.v, t = 1e-3 }
    end, 1)
  end
  local function first_step(make, n)
    return clocked(function()
      local S, q, v = mechanisms.start(make, n)
      S:simulate{ q = q, v = v, t = 1e-6, record = "ends", dense = false }
    end, 1)
  end
  local step = least(5, { first_step(mechanisms.chain, 80), first_step(mechanisms.chain, 500) })
  row("chain of 80: written, derived, compiled, first step", step[1]*1e3, 10, "%.1f ms")
  row("chain of 500: written, derived, compiled, first step", step[2]*1e3, 100, "%.1f ms")
  row("growth of the first step from 80 to 500 links, power of the number", math.log(step[2]/step[1])/math.log(500/80), 1.2)
  row("sleigh: written, derived, compiled, first step", least(5, { fresh(systems.sleigh) })[1]*1e3, 150, "%.1f ms")
  local text = output(hamel .. " tests/bench/bicycle.lua")
  local derived, compiled = text:match "lagrange +derived in ([%d.]+) s, compiled and solved at one state in ([%d.]+) s"
  row("bicycle size: derived, compiled, solved at a state", derived and tonumber(derived) + tonumber(compiled), 3, "%.3f s")
  local least_start = math.huge                               -- of the processor
  for _ = 1, 9 do
    local user, system = output(("bash -c 'TIMEFORMAT=\"%%3U %%3S\"; time %s -e \"\"'"):format(hamel)):match "([%d.]+) ([%d.]+)%s*$"
    if user then least_start = math.min(least_start, 1e3*(tonumber(user) + tonumber(system))) end
  end
  row("start of hamel -e \"\"", least_start < math.huge and least_start, 20, "%.0f ms")
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
  local text = output("python3 tests/bench/scipy_bench.py " .. hamel)
  for name, ratio in text:gmatch "\n(%w+) +[%d.]+ +[%d.]+ +[%d.]+ +[%d.]+ +%d+ +(%d+)" do
    row(("SciPy + lambdify / ours, 1e-9: %s"):format(name), tonumber(ratio), 250, "%.0f", true)
  end
  text = output("python3 tests/bench/peers.py " .. hamel)
  for name, block in text:gmatch "(%w+), t = [%d.]+\n(.-1e%-12 [^\n]*\n.-1e%-12 [^\n]*)" do
    local labels = {}
    for word in block:match "equal tolerance +([^\n]*)":gmatch "%S+" do labels[#labels + 1] = word end
    local after = block:match "equal error.*"
    for wanted, line in after:gmatch "(1e%-%d+) +([^\n]*)" do
      local k = 0
      for cell in (line .. " "):gmatch "(%S+ us %([%d.]+ x%)) " do
        k = k + 1
        local what = ("%s / our best at equal error %s: %s"):format(labels[k], wanted, name)
        if k > 2 then row(what, tonumber(cell:match "%(([%d.]+)"), 1, nil, true) end
      end
    end
  end
  for name, line in text:gmatch "\n  (%w+)\n    dop853[^\n]*\n.-at error 1e%-11: ([^\n]*)" do
    for width, ratio in line:gmatch "heyoka x(%d) [%d.]+ us %(([%d.]+) x%)" do
      row(("heyoka, batches of %s / our lanes at error 1e-11: %s"):format(width, name), tonumber(ratio), 1, nil, true)
    end
  end
end)

print(missed == 0 and "every target reached" or ("%d targets missed; tests/bench/README.md says what limits them"):format(missed))
