-- reading.lua: values of expressions along a run, at its stored states or at times between them.
local core = require "hamel.core"
local Note = require "hamel.run.note"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local quantities = require "hamel.system.quantities"
local run_times = require "hamel.run.run_times"
local spatial = require "hamel.bodies.spatial"
local states = require "hamel.run.state"
local symbols = require "hamel.algebra.symbols"

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

--- What stopped a run, without the time: for sentences that say it.
function reading.cause(message) return (message:gsub("^stopped at t = [^:]+: ", "")) end

--- The state at a time of the run, on the constraints, and the time as a number.
function reading.state_at(run, t)
  local time = symbols.number(quantities.time(run.system, t, "run:at"))
  if not time then
    fail("run:at(t) takes a time: a number, or a text with a unit such as \"500 ms\" where the system declares units; not %s",
      core.is_expression(t) and "the expression " .. core.text(t) or type(t) == "string" and ("\"%s\""):format(t) or type(t))
  end
  t = run_times.at_end(reading.raw(run), time)
  if not states.kept_steps(run) and t ~= run.span[1] and t ~= reading.raw(run):time(reading.raw(run):points()) then
    fail("this run kept only its %s (record = \"%s\"): there is nothing at t = %g", run.options.record, run.options.record, t)
  end
  local last = reading.raw(run):time(reading.raw(run):points())
  local beyond = (run.span[2] - run.span[1])*(t - last) > 0
  if beyond and run.outcome.status ~= "OK" then
    fail("the run has no values at t = %.9g: it stopped at t = %.9g, and its last state is that at t = %.9g: %s", t, run.outcome.t, last,
      reading.cause(run.outcome.message))
  end
  return states.on_constraints(run, t, reading.raw(run):at(t)), t
end

--- The i-th stored state, on the constraints.
function reading.stored_state(run, i)
  local r = reading.raw(run)
  return states.on_constraints(run, r:time(i), r:state(i))
end

--- Options: which times.
reading.schema = {
  n = { type = "number", from = 2, to = 10000000, whole = true, doc = "number of equally spaced times; none: the steps of the run" },
  times = { type = "table", list = true, doc = "the times" },
}

--- Times of the stored states, or the given times.
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

--- The values of expressions at time t, nan where one has none.
function reading.values_at(run, t, list)
  local wanted = {}
  for i, what in ipairs(list) do wanted[i] = run.observer:expression(what) end
  local x, time = reading.state_at(run, t)
  return reading.evaluate(run, run.observer:program(wanted), time, x)
end

-- Columns with gaps: a note for each, once
local function note_gaps(run, gaps)
  for _, gap in pairs(gaps) do
    local known = false
    for _, note in ipairs(run.notes) do known = known or note.about == gap.about end
    if not known then run.notes[#run.notes + 1] = Note.new(gap.t, ("columns: %s (nan at %d of %d times)"):format(gap.why, gap.count, gap.of), gap.about) end
  end
end

--- The expressions behind what is asked for, those of a vector or a point by components, and how many each has.
function reading.expressions(run, wanted)
  local list, sizes = {}, {}
  for i, what in ipairs(wanted) do
    local components = spatial.components(run.system, what)
    sizes[i] = components and 3 or 1
    for _, e in ipairs(components or { what }) do list[#list + 1] = run.observer:expression(e) end
  end
  return list, sizes
end

--- The options and the program of run:series("x", e, { n = 200 }), and how many values each thing has.
function reading.request(run, ...)
  local wanted, o = { ... }, {}
  if type(wanted[#wanted]) == "table" and not getmetatable(wanted[#wanted]) then o = options.check("series", reading.schema, table.remove(wanted)) end
  if #wanted == 0 then fail("run:series needs at least one expression") end
  local list, sizes = reading.expressions(run, wanted)
  return o, run.observer:program(list), sizes
end

-- Times within the run, as numbers
local function are_inside(run, times)
  local r = reading.raw(run)
  local first, last = r:time(1), r:time(r:points())
  if first > last then first, last = last, first end
  for i = 1, #times do
    local t = times[i]
    if type(t) ~= "number" or not (t >= first and t <= last) then return false end
  end
  return true
end

-- Does the core compute it by itself, with the bits of `visit`? A whole course needs the side of the wall.
local function is_plain(run, o)
  return states.kept_steps(run) and not run.equations.whole_course and (not o.times or are_inside(run, o.times))
end

--- Times and the values of a program (nil: the states themselves), a block of the core with a column each; nil where only `visit` computes them.
function reading.block(run, o, p)
  if not is_plain(run, o) then return nil end
  local E, tidy = run.equations, states.tidy
  local block = reading.raw(run):series{
    program = p and p.program, workspace = run.hybrid and run.workspace.workspace or run.workspace, contacts = run.hybrid and run.hybrid.core or nil,
    projects = states.are_projected(run), solves = p and p.needs_dynamics, rtol = tidy.rtol, atol = tidy.atol, far = tidy.far,
    states = #E.kin + #E.dyn, rates = #run.observer:rates(), multipliers = #E.multipliers + #(run.observer.reactions or {}), constants = run.observer.values,
    times = o.times, n = o.n,
  }
  local gaps = {}
  for i = 1, p and #p.list or 0 do
    local count, row = block:gaps(i + 1)
    if count > 0 then
      local t = block:value(row, 1)
      local x = not o.times and not o.n and reading.stored_state(run, row) or reading.state_at(run, t)
      local values = reading.evaluate(run, p, t, x)
      gaps[i] = { t = t, about = core.text(p.list[i]), why = run.observer:missing(p, values, run.workspace, t, x, i), count = count, of = block:size() }
    end
  end
  note_gaps(run, gaps)
  return block
end

--- Calls call(k, t, values) at the stored states, or at the given times. Values that are not finite are nan, and a note of the run names them.
function reading.visit(run, o, p, call)
  local stored, times, gaps = not o.times and not o.n, reading.times(run, o), {}
  for k, t in ipairs(times) do
    local x = stored and reading.stored_state(run, k) or not stored and reading.state_at(run, t)
    local values = reading.evaluate(run, p, t, x, stored and k or nil)
    for i = 1, #values do
      if values[i] - values[i] ~= 0 then
        gaps[i] = gaps[i] or { t = t, about = core.text(p.list[i]), why = run.observer:missing(p, values, run.workspace, t, x, i), count = 0, of = #times }
        gaps[i].count, values[i] = gaps[i].count + 1, 0/0
      end
    end
    call(k, t, values)
  end
  note_gaps(run, gaps)
end

return reading
