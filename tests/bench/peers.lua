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
      local times = {}
      for k = 1, 25 do
        local before = core.host.clock()
        times[k] = case.system:simulate(o).outcome.seconds
        assert(core.host.clock() > before)
      end
      table.sort(times)
      print("run", method, tolerance, ("%.4e"):format(times[1]), ("%.3e"):format(worst))
    end
  end
end
