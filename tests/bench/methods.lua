-- Methods against each other: time at equal tolerance and at equal achieved error, against a reference in quadruple precision.
--   build/hamel tests/bench/methods.lua
local systems = require "tests.bench.systems"

local methods, rounds = { "dop853", "rk8pd", "taylor", "auto" }, 9

local function median(list)
  table.sort(list)
  return list[(#list + 1)//2]
end

local function options_of(case, method, tolerance)
  return { q = case.q, v = case.v, t = case.t, rtol = tolerance, atol = tolerance, method = method, dense = false, project = false }
end

local function error_of(reference, run)
  local worst, last = 0, run[#run]
  for name, text in pairs(reference.q) do worst = math.max(worst, math.abs(last[name] - tonumber(text))) end
  for name, text in pairs(reference.v) do worst = math.max(worst, math.abs(last.v[name] - tonumber(text))) end
  return worst
end

-- us at which a method reaches an error: log-log interpolation over its tolerances; nil where it does not
local function time_to_reach(rows, wanted)
  for i = 1, #rows - 1 do
    local a, b = rows[i], rows[i + 1]
    if a.error >= wanted and b.error <= wanted and b.error > 0 then
      local part = a.error == b.error and 0 or math.log(a.error/wanted)/math.log(a.error/b.error)
      return math.exp(math.log(a.us) + part*(math.log(b.us) - math.log(a.us)))
    end
  end
end

local function cell(value, format) return value and format:format(value) or "-" end

for _, case in ipairs(systems.all()) do
  local reference = case.system:reference{ q = case.q, v = case.v, t = case.t, digits = 25 }
  local rows = {}
  for _, method in ipairs(methods) do rows[method] = {} end
  for exponent = 5, 13 do
    local tolerance, times = 10.0^-exponent, {}
    for _, method in ipairs(methods) do
      local run = case.system:simulate(options_of(case, method, tolerance))
      rows[method][#rows[method] + 1] = { tolerance = tolerance, error = error_of(reference, run), steps = run.outcome.steps,
                                          evaluations = run.outcome.evaluations }
      times[method] = {}
    end
    for _ = 1, rounds do
      for _, method in ipairs(methods) do
        table.insert(times[method], case.system:simulate(options_of(case, method, tolerance)).outcome.seconds*1e6)
      end
    end
    for _, method in ipairs(methods) do rows[method][#rows[method]].us = median(times[method]) end
  end
  print(("%s, t = %g%s"):format(case.name, case.t, ""))
  print("  equal tolerance        " .. ("%22s %22s %22s %22s"):format(table.unpack(methods)))
  for i = 2, 8, 3 do
    local words = {}
    for k, method in ipairs(methods) do
      local r = rows[method][i]
      words[k] = ("%9.1f us %9.1e"):format(r.us, r.error)
    end
    print(("    %-18.0e   "):format(rows.dop853[i].tolerance) .. ("%22s %22s %22s %22s"):format(table.unpack(words)))
  end
  print("  equal error, us, and as a ratio to dop853")
  for _, wanted in ipairs{ 1e-6, 1e-8, 1e-10, 1e-12 } do
    local words, base = {}, time_to_reach(rows.dop853, wanted)
    for k, method in ipairs(methods) do
      local us = time_to_reach(rows[method], wanted)
      words[k] = ("%s %s"):format(cell(us, "%.1f us"), cell(us and base and us/base, "%5.2f"))
    end
    print(("    %-18.0e   "):format(wanted) .. ("%22s %22s %22s %22s"):format(table.unpack(words)))
  end
end
