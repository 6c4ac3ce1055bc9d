-- batch.lua: our side of the batches of peers.py: starts, end states and the best time of a run in a sweep with lanes, in one thread.
local hm = require "hamel"
local systems = require "tests.bench.systems"

local cases = {
  { systems.sleigh(), { { "v.theta", hm.range(0.1, 1, 400) } } },
  { systems.disc(), { { "v.phi", hm.range(0.1, 1, 400) } } },
  { systems.chain(2, 10), { { "q1", hm.range(0.1, 1, 20) }, { "q2", hm.range(0.1, 1, 20) } } },
}
for _, item in ipairs(cases) do
  local case, keep = item[1], {}
  for i, name in ipairs(case.system.coordinate_names) do keep[i], keep[#case.system.coordinate_names + i] = name, name .. "'" end
  local function sweep(o)
    o.over, o.q, o.v, o.t, o.keep, o.progress, o.threads = item[2], case.q, case.v, case.t, keep, false, 1
    return case.system:sweep(o)
  end
  print("batch", case.name, case.t)
  local start = case.system:sweep{ over = item[2], q = case.q, v = case.v, t = 1e-300, keep = keep, progress = false }
  local reference = sweep{ method = "taylor", lanes = 1, rtol = 1e-14, atol = 1e-14, project = false }
  for i, row in ipairs(start) do
    local words = {}
    for k, name in ipairs(keep) do words[k] = ("%.17g"):format(row[name]) end
    for _, name in ipairs(keep) do words[#words + 1] = ("%.17g"):format(reference[i][name]) end
    print("row", table.concat(words, " "))
  end
  for _, method in ipairs{ "dop853", "taylor" } do
    for exponent = 10, 13 do
      local best, worst, s = math.huge, 0, nil
      for _ = 1, 12 do
        s = sweep{ method = method, rtol = 10.0^-exponent, atol = 10.0^-exponent, project = false }
        best = math.min(best, s.run_seconds)
      end
      for i, row in ipairs(s) do for _, name in ipairs(keep) do worst = math.max(worst, math.abs(row[name] - reference[i][name])) end end
      print("run", method, 10.0^-exponent, ("%.4e"):format(best/#s), ("%.3e"):format(worst))
    end
  end
end
