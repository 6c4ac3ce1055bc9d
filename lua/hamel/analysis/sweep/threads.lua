-- threads.lua: the runs of a sweep in the threads and vector lanes of the core, and the rows made of their states.
local balance = require "hamel.run.balance"
local coarse = require "hamel.run.coarse"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local faint = require "hamel.run.faint"
local hybrid = require "hamel.run.hybrid"
local lost_digits = require "hamel.run.lost_digits"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local readings = require "hamel.analysis.sweep.readings"
local regularity = require "hamel.model.regularity"
local rows = require "hamel.analysis.sweep.rows"
local simulate = require "hamel.run.simulate"
local single = require "hamel.analysis.sweep.single"
local starts = require "hamel.analysis.sweep.starts"
local Trajectory = require "hamel.run.trajectory"

-- A workspace at a kept state of a run with contacts, whose accelerations and multipliers the core has returned
local Known = {}
Known.__index = Known
function Known:set_state() return self end
function Known:acceleration() return self.a end
function Known:multipliers() return self.lambda end

local SHORT = 100

-- Part number k of a list, with n entries; a short one is a table of the right size from the start
local function part(list, n, k)
  if n > SHORT then return table.move(list, (k - 1)*n + 1, k*n, 1, {}) end
  return { table.unpack(list, (k - 1)*n + 1, k*n) }
end

local function set_parameters(p, values)
  local all = starts.model_values(p, values)
  if #all > 0 then p.reader:set_parameters(all) end
end

local function kept_values(p, program, values, t, x)
  if x[1] ~= x[1] then return nil end
  set_parameters(p, values)
  p.observer.values = values
  return p.observer:evaluate(program, p.reader, t, x)
end

local function kept_with_contacts(p, program, values, t, x, solution)
  if x[1] ~= x[1] then return nil end
  local n = #p.E.dyn
  p.observer.values = values
  local known = setmetatable({ a = table.move(solution, 1, n, 1, {}), lambda = table.move(solution, n + 1, #solution, 1, {}) }, Known)
  return p.observer:evaluate(program, known, t, x)
end

local function has_fixed_steps(o) return methods.is_fixed(o.method) end

-- Times at which the core returns states, and the places of the times of the sweep among them. The others are for checking a run between its
-- kept states. They are whole steps apart, or equal times where step is 0
local function times_with_looks(self, step)
  local LOOKS, times, places, a = 100, {}, {}, self.t0
  local span = math.abs(self.times[#self.times] - a)
  local each = step > 0 and step*math.max(1, math.ceil(span/step/LOOKS)) or span/LOOKS
  for m, b in ipairs(self.times) do
    local direction = b < a and -1 or 1
    for k = 1, each > 0 and math.ceil(math.abs(b - a)/each - 0.5) - 1 or 0 do times[#times + 1] = a + direction*each*k end
    times[#times + 1], places[m], a = b, #times + 1, b
  end
  return times, places
end

-- The initial and the kept states of a run, with the methods that balance.lua uses
local Kept = {}
Kept.__index = Kept
function Kept:points() return #self.states + 1 end
function Kept:time(i) return i == 1 and self.t0 or self.times[i - 1] end
function Kept:state(i)
  local x = i == 1 and self.first or self.states[i - 1]
  return table.move(x, 1, #x, 1, {})
end

-- Ends a run at the corner of a constraint, as S:simulate does. False: it meets none
local function ends_at_corner(self, p, row, raw)
  local i, t, message = regularity.corner({ raw = raw, equations = p.E, observer = p.observer, workspace = p.reader }, p.spec, false)
  if not i then return false end
  row.status, row.reason, row.t = "SINGULAR", ("stopped at t = %.15g: %s"):format(t, message), t
  for _, name in ipairs(self.names) do row[name] = nil end
  for m, time in ipairs(self.times) do
    if row.series and math.abs(time - self.t0) > math.abs(t - self.t0) then row.series[m] = nil end
  end
  return true
end

-- Checks the energy balance and the constraints of a complete run as S:simulate does. raw: its Kept; the reader has its parameters
local function judge(p, o, row, raw)
  local function go(options, from, to, state, into)
    if p.hybrid then p.hybrid.core:run(options, from, to, state, into) else core.run(p.reader, options, from, to, state, into) end
  end
  local outcome = { status = row.status, t = row.t, steps = row.steps, doubt = row.reason }
  -- no row has values between its steps, whose errors would bound these
  local bare = setmetatable({ dense = false }, { __index = o })
  balance.check({ raw = raw, options = bare, workspace = p.reader, model = p.model, equations = p.E, reads = p.observer, looked = true,
    outcome = outcome }, has_fixed_steps(o), go)
  if outcome.status ~= row.status then row.status, row.reason = outcome.status, outcome.message end
end

-- The contacts for the core, built after the first start, which determines the model
local function hybrid_of(system, p)
  if not p.happens then return nil end
  p.hybrid = p.hybrid or hybrid.new(system, p.E, p.spec, p.reader, p.observer, p.events)
  return p.hybrid.core
end

-- Measures take their places among the kept values, at the last time. read: what the core has read; false: at another time. Returns the refusals
local function put_measures(p, kept, values, read, size, given)
  set_parameters(p, values)
  p.observer.values = values
  local found, refusals = {}, {}
  if read then found, refusals = readings.values(given.plan, p, read, size, given.projects) end
  for c, take in ipairs(p.readings.take) do if take then kept[c] = found[c] or nil end end
  return refusals
end

-- The value of an expression at a start; nil: it has none
local function value_at_start(self, p, values, x, e)
  p.at_start = p.at_start or {}
  local fine, program = protected(function() return p.at_start[e] or p.observer:program{ p.observer:expression(e) } end)
  p.at_start[e] = fine and program or nil
  return fine and kept_values(p, program, values, self.t0, x)[1] or nil
end

local function ends_at_start(self, p, values, first)
  return self._columns.ends_at_start(function(e) return value_at_start(self, p, values, first, e) end)
end

-- Must the run from this start be refined in quadruple precision, as S:simulate would choose? The model that all runs share is not
local function must_refine(self, o, p, values, first)
  set_parameters(p, values)
  return lost_digits.refines(p.reader, self.t0, first, o, math.abs(self.times[#self.times] - self.t0))
end

-- Would the run from this start take all its steps since rounding costs its accelerations their digits? S:simulate limits its steps
local function is_limited(self, o, p, values, first)
  set_parameters(p, values)
  return lost_digits.is_hopeless(p.reader, self.t0, first, o, math.abs(self.times[#self.times] - self.t0))
end

-- Ends a row whose directions cannot be carried along from the start
local function refuse_directions(self, row, words)
  row.status, row.reason, row.t, row.steps = "INACCURATE", words .. "; S:lyapunov takes it by itself", self.t0, 0
end

-- Are starts judged by the digits of their accelerations, and may these be refined?
local function starts_may_refine(system, o) return lost_digits.judges_starts(system, o) and lost_digits.may_refine(system, o) end

-- The run from this start, as faint.lua and coarse.lua take it
local function run_of(self, o, p, values)
  set_parameters(p, values)
  return { system = p.E.system, equations = p.E, model = p.model, workspace = p.reader, options = o }, self.times[#self.times]
end

-- The options of the run from this start where S:simulate would choose an absolute tolerance, as its motion is far smaller than the one that all runs share
local function with_own_tolerance(self, o, p, values, first)
  if self._given_atol and not self._columns.chose_atol or p.happens or self._columns.carried then return nil end
  local run, t1 = run_of(self, o, p, values)
  local atol = faint.tolerance(run, self.t0, t1, first)
  local own = atol and object.copied(o)
  if own then own.atol = atol end
  return own
end

-- Ends a row whose motion is smaller than atol (small: it may be), as S:simulate does, or which starts at numbers whose rounding is noise to its steps (large:
-- they may be). False: it is neither, or directions that are carried along bound its steps
local function ends_early(self, o, p, row, values, first, small, large)
  if not (small or large) or p.happens or self._limits_steps or self._columns.carried then return false end
  local run, t1 = run_of(self, o, p, values)
  local stop = small and faint.stop(run, self.t0, t1, first)
  local words = not stop and large and coarse.words(run, self.t0, t1, first)
  if stop then row.status, row.reason, row.t, row.steps = "TOO_MANY_STEPS", stop.reason, stop.t, stop.steps
  elseif words then row.status, row.reason, row.t, row.steps = "START", words, self.t0, 0
  else return false end
  return true
end

-- The places among the starts of runs that do not end at their start and are made together, and how many are not
local function those_that_run(self, system, o, job_of, p, s)
  local place, size, ends = {}, p.model:state_size(), self._columns.ends_at_start
  local may_refine = starts_may_refine(system, o)
  local may_limit = not may_refine and not self._columns.carried and not self._limits_steps and lost_digits.judges_starts(system, o)
  for k, row in ipairs(s.place) do
    local small = faint.may_begin(s.states, (k - 1)*size, size, o)
    local large = coarse.may_be(s.states, (k - 1)*size, size, o)
    local first = (ends or may_refine or may_limit or small or large) and part(s.states, size, k)
    local ended = ends and ends_at_start(self, p, s.values[row], first)
    if ended then rows.ended_at_start(self, row) end
    local own = not ended and small and with_own_tolerance(self, o, p, s.values[row], first)
    ended = ended or not own and ends_early(self, o, p, row, s.values[row], first, small, large)
    if not ended and (own or may_limit and is_limited(self, o, p, s.values[row], first)) then
      single.again(self, system, own or o, job_of, row)
    elseif not ended and not (may_refine and must_refine(self, o, p, s.values[row], first)) then place[#place + 1] = k
    elseif not ended and self._columns.carried then
      refuse_directions(self, row, lost_digits.in_words(p.reader, self.t0, first, o, self.times[#self.times]))
    elseif not ended then single.again(self, system, o, job_of, row) end
  end
  return place, #s.place - #place
end

-- The kept values of all runs, from their states alone, and for each run whether all of them are finite; nil: they are found one by one. list: places of
-- the runs among the starts
local function kept_together(self, p, program, s, list, given)
  if p.happens or given.with_contacts or p.E.whole_course or program.needs_dynamics or p.observer:corners(program) then return nil end
  local constants, size = {}, p.model:state_size()
  local taken, between = #p.E.kin + #p.E.dyn, #p.E.dyn + #p.E.multipliers
  for _, k in ipairs(list) do
    local own = s.values[s.place[k]]
    table.move(own, 1, #own, #constants + 1, constants)
  end
  return program.program:eval_runs(self.times, given.places, #given.times, given.states, size, taken, between, constants)
end

-- The kept values of run number i at time number m; nil: it has not reached it
local function kept_at(self, p, program, values, from, i, m, given)
  local size, times, place = given.size, given.times, given.places and given.places[m] or m
  local first = ((i - 1)*#times + place - 1)*size
  if given.kept then
    if given.states[first + 1] ~= given.states[first + 1] then return nil end
    local n = #self._list
    return part(given.kept, n, (i - 1)*#self.times + m)
  end
  local t, x = p.happens and m == #self.times and from.status[i] == "EVENT" and from.t[i] or self.times[m], part(given.states, size, (i - 1)*#times + place)
  if not given.with_contacts then return kept_values(p, program, values, t, x) end
  return kept_with_contacts(p, program, values, t, x, part(given.solutions, p.solution, (i - 1)*#times + place))
end

-- Do the rates of directions lose digits at the end of a run?
local function directions_are_lost(p, values, t, x, o)
  set_parameters(p, values)
  return lost_digits.of_derivatives(p.reader, t, x, o)
end

-- The status of a row that reached its end, or an event, as S:simulate would give it. on_the_way: the words for digits that rounding costs there
local function judge_end(self, o, p, row, from, s, i, k, given, on_the_way)
  local size, times = given.size, given.times
  if row.status == "EVENT" then
    -- the states in between say nothing of the way to the event: what the core doubts counts
    set_parameters(p, s.values[s.place[k]])
    local words = from.doubted[i] and from.reason[i] or on_the_way
    words = words or lost_digits.in_words(p.reader, from.t[i], part(given.states, size, i*#given.times), o, self.t0)
    if words then row.status, row.reason = "INACCURATE", ("ended by an event at t = %.15g, but %s"):format(from.t[i], words) end
    return
  end
  local values = s.values[s.place[k]]
  row.reason = row.reason or on_the_way
  local words = self._columns.carried and directions_are_lost(p, values, row.t, part(given.states, size, i*#given.times), o)
  if words then row.status, row.reason = "INACCURATE", ("reached t = %.15g, but %s"):format(row.t, words) end
  if words or given.clear and given.clear[i] and not row.reason then return end
  local list = {}
  for m = 1, #times do list[m] = part(given.states, size, (i - 1)*#times + m) end
  set_parameters(p, values)
  local raw = setmetatable({ t0 = self.t0, times = times, first = part(s.states, size, k), states = list }, Kept)
  if not (p.corners and ends_at_corner(self, p, row, raw)) then judge(p, o, row, raw) end
end

-- Run number k among the starts, whose results are number i of given, and entries i of the lists in `from`: the times at which the core returned states,
-- and the places of the times of the sweep among them
local function fill_row(self, o, p, program, row, from, s, i, k, given)
  local values, size, times = s.values[row], given.size, given.times
  local status = from.status[i]
  row.status, row.reason, row.t, row.steps, row.evaluations = status, from.reason[i], from.t[i], from.steps[i], from.evaluations[i]
  if status == "INTERRUPTED" then return end
  local lost = from.lost[i]
  local on_the_way = lost and lost_digits.words(lost.t, lost.part, lost.states, o)
  local last = #self.times
  local at_once = last > 1 and status == "OK" and given.kept and given.finite[i] and not p.corners and self._columns.flat
  if at_once then row.flat = { flat = given.kept, first = (i - 1)*last*#self._list, width = #self._list, times = self.times } end
  for m = at_once and last or 1, last do
    local kept = kept_at(self, p, program, values, from, i, m, given)
    local read = m == #self.times and given.read and given.read[i]
    if read then read.ends = { t0 = self.t0, first = part(s.states, size, k), t1 = times[#times], last = part(given.states, size, i*#times) } end
    local refusals = kept and p.readings and put_measures(p, kept, values, read, size, given) or nil
    rows.keep(self, o, row, m, kept, p.happens and m == #self.times and status == "EVENT", refusals)
  end
  -- whether the run is right is looked at first: a value that is missing says nothing of the others
  local lacking, missing = row.status, row.reason
  row.status, row.reason = status, from.reason[i]
  if p.happens then
    row.impacts, row.switches, row.events = from.impacts[i], from.switches[i], hybrid.counts(p.hybrid.events, from.meetings[i])
    rows.note_start(self, row, from, i)
  end
  if on_the_way and lost_digits.explains(status) and o.elimination ~= "refined" then row.reason = ("%s; %s"):format(row.reason, on_the_way) end
  if row.status ~= "OK" and row.status ~= "EVENT" then return end
  judge_end(self, o, p, row, from, s, i, k, given, on_the_way)
  if row.status == status and missing ~= from.reason[i] then row.status, row.reason = lacking, missing end
end

-- Runs that are clearly fine are not judged one by one
local function find_clear(self, o, p, given, starts_of, parameters)
  if p.happens or p.corners then return nil end
  return balance.clear(p.E, p.model, p.reader, o, has_fixed_steps(o), #parameters > 0 and parameters or nil, self.t0, starts_of, given.times, given.states)
end

-- Calls visit(workspace, state) at the start of each run; states and parameters of the model: flat lists, each: of parameters of a run
local function at_starts(p, states, parameters, each, visit)
  local size = p.model:state_size()
  for i = 1, #states//size do
    if each > 0 then p.reader:set_parameters(part(parameters, each, i)) end
    visit(p.reader, part(states, size, i))
  end
end

-- The runs of the rows in the core, and their results: the states at `times` and what was read off the runs, outcomes, growth of directions. s: starts.
-- way: { only_lanes =, at_once =, tell = }
local function made(self, p, o, s, place, given, way)
  local states, parameters, size, each = s.states, s.parameters, p.model:state_size(), #s.place > 0 and #s.parameters//#s.place or 0
  if #place < #s.place then
    states, parameters = {}, {}
    for _, k in ipairs(place) do
      table.move(s.states, (k - 1)*size + 1, k*size, #states + 1, states)
      table.move(s.parameters, (k - 1)*each + 1, k*each, #parameters + 1, parameters)
    end
  end
  local carried = self._columns.carried and self._columns.carried(p.E, function(visit) at_starts(p, states, parameters, each, visit) end) or nil
  local what
  if given.plan then
    local of_runs = {}
    for i, k in ipairs(place) do of_runs[i] = s.values[s.place[k]] end
    what = readings.for_core(given.plan, p, of_runs)
  end
  local projected, tidy = given.projects, Trajectory.tidy
  local outcomes, growth
  given.states, outcomes, given.solutions, growth, given.read = core.ensemble(p.model, given.options, self.t0, given.times, states,
    #parameters > 0 and parameters or nil, o.threads, o.lanes, way.tell, p.hybrid and p.hybrid.core, projected and tidy.rtol or 0,
    projected and tidy.atol or 0, way.at_once, carried, what, way.only_lanes, lost_digits.parts(o))
  p.solution = #place > 0 and #given.solutions//(#place*#given.times) or 0
  given.size = size
  return outcomes, growth, states, parameters
end

-- The rows of the completed runs of `indices`, and the moment the last run ended
local function in_threads(self, system, o, job_of, indices, tell, p)
  local s = starts.of(self, system, o, job_of, indices, p)
  if not s then return {} end
  if p.readings and not readings.has_programs(p.readings, p) then return single.run(self, system, o, job_of, indices, tell) end
  hybrid_of(system, p)
  local program, run_options, ended = p.observer:program(self._list), {}, {}
  for name in pairs(simulate.run_schema) do run_options[name] = o[name] end
  run_options.keep = nil
  local place, finished = those_that_run(self, system, o, job_of, p, s)
  local function told(done, failed) tell(finished + done, failed) end
  local constrained = not p.E.watched and #p.E.positions + #p.E.velocities > 0
  local plan = p.hybrid and readings.with_ends(system, p.readings, p, p.hybrid.events, self.t0) or p.readings
  local function results(more)
    more.with_contacts, more.options, more.plan, more.projects = contact.any(system), run_options, plan, o.project and constrained
    return more
  end
  local before = core.host.clock()
  -- without projection constraints may drift between kept states; with corners the motion may change to another branch there
  local drifts, fixed = not o.project and constrained, has_fixed_steps(o)
  local looks, may_refine = drifts or p.corners, starts_may_refine(system, o)
  local function fill(given, outcomes, growth, list)
    local each = #list > 0 and #growth//#list or 0
    for i, k in ipairs(list) do
      local row = s.place[k]
      local lost = outcomes.lost[i]
      local stops = lost_digits.stops(outcomes.status[i], lost and not lost.states) and outcomes.steps[i] > 0
      if stops and may_refine and not self._columns.carried then
        single.again(self, system, o, job_of, row)                          -- refined, as S:simulate makes it
      elseif not outcomes.left[i] then
        fill_row(self, o, p, program, row, outcomes, s, i, k, given)
        if each > 0 then row.growth = part(growth, each, i) end
      end
    end
  end
  local since
  local function make(given, list, way)
    local outcomes, growth, states, parameters = made(self, p, o, s, list, given, way)
    since = core.host.clock()
    self.run_seconds = self.run_seconds + since - before
    given.kept, given.finite = kept_together(self, p, program, s, list, given)
    given.clear = find_clear(self, o, p, given, states, parameters)
    fill(given, outcomes, growth, list)
    before = core.host.clock()
    return outcomes
  end
  -- lanes watch the constraints at every step. Only where these drift, or a lane cannot go on, the run is made by itself and looked at in between
  if #place > 0 and drifts and o.lanes ~= 1 and not fixed and not p.corners and not p.happens then
    local outcomes, left = make(results{ times = self.times }, place, { only_lanes = true, tell = tell and told }), {}
    for i, k in ipairs(place) do if outcomes.left[i] then left[#left + 1] = k end end
    place, finished = left, finished + #place - #left
  end
  if #place > 0 and not core.host.interrupted() then
    local given = results{ times = self.times }
    -- exponents are judged by single steps
    if (fixed and not self._columns.carried) or looks then given.times, given.places = times_with_looks(self, fixed and o.step or 0) end
    make(given, place, { at_once = looks and not fixed and not p.happens, tell = tell and told })
  end
  for _, row in ipairs(s.rows) do if row.status and row.status ~= "INTERRUPTED" then ended[#ended + 1] = row end end
  return ended, since
end

return in_threads
