-- peers.lua: our side of peers.py: for each system its start, a reference in quadruple precision, and times and errors of our methods.
local core = require "hamel.core"
local systems = require "tests.bench.systems"

local function states(case, q, v)
  local list = {}
  for _, name in ipairs(case.system.coordinate_names) do list[#list + 1] = ("%.17g"):format(tonumber(q[name])) end
  for _, name in ipairs(case.system.coordinate_names) do list[#list + 1] = ("%.17g"):format(tonumber(v[name])) end
  return table.concat(list, " ")
end

for _, case in ipairs(systems.all()) do
  local reference = case.system:reference{ q = case.q, v = case.v, t = case.t, digits = 22 }
  local start = case.system:accelerations{ q = case.q, v = case.v }
  print("system", case.name, case.t)
  print("start", states(case, start.q, start.v))
  print("reference", states(case, reference.q, reference.v))
  for _, method in ipairs{ "dop853", "taylor" } do
    for exponent = 5, 13 do
      local tolerance = 10.0^-exponent
      local o = { q = case.q, v = case.v, t = case.t, rtol = tolerance, atol = tolerance, method = method, dense = false, project = false }
      local run, worst = case.system:simulate(o), 0
      for name, text in pairs(reference.q) do worst = math.max(worst, math.abs(run[#run][name] - tonumber(text))) end
      for name, text in pairs(reference.v) do worst = math.max(worst, math.abs(run[#run].v[name] - tonumber(text))) end
      -- the same run again and again, as the peers repeat theirs: what S:simulate does beside it would leave caches cold
      local best, times, start_state, begun = math.huge, 0, run.raw:state(1), core.host.clock()
      repeat
        local again = {}
        core.run(run.workspace, o, 0, case.t, start_state, again)
        assert(again.outcome.status == "OK" and again.outcome.steps == run.outcome.steps)
        best, times = math.min(best, again.outcome.seconds), times + 1
      until times >= 25 and core.host.clock() - begun > 0.01
      print("run", method, tolerance, ("%.4e"):format(best), ("%.3e"):format(worst))
    end
  end
end
