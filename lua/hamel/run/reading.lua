-- reading.lua: values of expressions along a run, at its stored states or at times between them.
local object = require "hamel.base.object"
local states = require "hamel.run.state"

local fail = object.fail
local reading = {}

--- Values of a program of the run's observer at (t, x); point: number of the stored state, where a time is stored twice.
function reading.evaluate(run, p, t, x, point)
  if run.hybrid then run.workspace.point = point or false end
  return run.observer:evaluate(p, run.workspace, t, x)
end

--- The stored states, as the core has them.
function reading.raw(run)
  return rawget(run, "raw") or fail("the run has no states: it never started")
end

--- The state at a time of the run, on the constraints.
function reading.state_at(run, t)
  if type(t) ~= "number" then fail("run:at(t) takes a time, not %s", type(t)) end
  if not states.kept_steps(run) and t ~= run.span[1] and t ~= reading.raw(run):time(reading.raw(run):points()) then
    fail("this run kept only its %s (record = \"%s\"): there is nothing at t = %g", run.options.record, run.options.record, t)
  end
  local last = reading.raw(run):time(reading.raw(run):points())
  local beyond = (run.span[2] - run.span[1])*(t - last) > 0
  if beyond and run.outcome.status ~= "OK" then
    fail("the run stopped at t = %.9g, before t = %g: %s", run.outcome.t, t, run.outcome.message)
  end
  return states.on_constraints(run, t, reading.raw(run):at(t))
end

--- The i-th stored state, on the constraints.
function reading.stored_state(run, i)
  local r = reading.raw(run)
  return states.on_constraints(run, r:time(i), r:state(i))
end

--- Options: which times.
reading.schema = {
  n = { type = "number", from = 2, to = 10000000, whole = true, doc = "number of equally spaced times; none: the steps of the run" },
  times = { type = "table", list = true, doc = "the times asked for" },
}

--- Times of the stored states, or those asked for.
function reading.times(run, o)
  if o.times then return o.times end
  local list, r = {}, reading.raw(run)
  local points = r:points()
  if not o.n then
    for i = 1, points do list[i] = r:time(i) end
    return list
  end
  local first, last = r:time(1), r:time(points)
  for i = 0, o.n - 1 do list[i + 1] = first + (last - first)*i/(o.n - 1) end
  list[#list] = last
  return list
end

--- Calls call(k, t, values) over the stored states, or over the times asked for
function reading.visit(run, o, p, call)
  local stored = not o.times and not o.n
  for k, t in ipairs(reading.times(run, o)) do
    if stored then call(k, t, reading.evaluate(run, p, t, reading.stored_state(run, k), k))
    else call(k, t, reading.evaluate(run, p, t, reading.state_at(run, t))) end
  end
end

return reading
