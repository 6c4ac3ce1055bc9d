-- sequences.lua: periodic motions with impacts and switches as points of a curve: the instants of the events are unknowns.
--
-- Each segment is flown under the equations of its mode, without guards, for its duration; the guard of the event that ends it must vanish there. So
-- nothing is divided by the velocity of an impact, and a branch runs smoothly through grazing. Unknowns: the start right after an event, the
-- parameter, the durations, and of driven systems the time of the start.
-- Saltation: Leine and Nijmeijer, Dynamics and bifurcations of non-smooth mechanical systems (2004), 7.
local admissible = require "hamel.continuation.admissible"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local events = require "hamel.analysis.nonsmooth.events"
local flights = require "hamel.continuation.flights"
local floquet = require "hamel.continuation.floquet"
local guards = require "hamel.analysis.nonsmooth.guards"
local modes = require "hamel.analysis.nonsmooth.modes"
local object = require "hamel.base.object"
local orbits = require "hamel.continuation.orbits"
local periods = require "hamel.continuation.periods"
local signs = require "hamel.analysis.signs"
local spectrum = require "hamel.continuation.spectrum"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local sequences = {}

local Sequence = {}
Sequence.__index = Sequence

-- ---- the points

-- Places of the unknowns: the kept states, the durations of the segments, and of driven systems the time of the start
local function laid_out(self)
  self.count, self.first = #self.segments, self.kept_count + 1
  self.time_place = self.timed and self.kept_count + self.count + 1 or nil
  self.space = states.new(self.flow, self.count + (self.timed and 1 or 0))
  self.places, self.observed = states.watched(self.space, self.names)
end

function Sequence:period(y)
  local sum = 0
  for i = 1, self.count do sum = sum + y[self.first + i - 1] end
  return sum
end

function Sequence:time(y) return self.driven and y[self.time_place] or self.flow.t end

function Sequence:moved(y, d)
  local flow = self.flow
  flow.t = self:time(y) + (self.driven and d[self.time_place]*self.space.scale[self.time_place] or 0)
  return self.space.moved(y, d)
end

function Sequence:difference(to, from) return self.space.difference(to, from) end

function Sequence:value(y) return self.observed[1](y) end

function Sequence:directions(y, before)
  self.flow.t = self:time(y)
  local space = self.space
  local rows = space.constraints(y)
  if self.driven then self:add_drift(y, rows) end
  local held = table.move(rows, 1, #rows, 1, {})
  for i = #space.kept + 1, space.n do held[#held + 1] = states.axis(i, space.n) end
  for _, place in ipairs(self.places) do held[#held + 1] = states.axis(place, space.n) end
  local list = states.directions(rows, space.n, before)
  list.closing = states.directions(held, space.n, before and before.closing)
  return list
end

-- Constraints that move with time: their derivatives by the time of the start
function Sequence:add_drift(y, rows)
  local flow, space = self.flow, self.space
  local x, list = space.state(y), {}
  for _, p in ipairs(flow.E.positions) do list[#list + 1] = core.diff(p.f, symbols.t) end
  for _, v in ipairs(flow.E.velocities) do list[#list + 1] = core.diff(v.f, symbols.t) end
  if #list == 0 then return end
  local values = flow.observer:evaluate(flow.observer:program(list), flow.w, flow.t, x)
  for i, row in ipairs(rows) do row[self.time_place] = values[i]*space.scale[self.time_place] end
end

-- The whole sequence from a point: end state and time; guards and their derivatives, how the end changes. directions: { d = over all states, dt = of the
-- start, dtau = of the durations }
local function flown(self, y, directions, visit)
  local x, t = self.space.state(y), self:time(y)
  local list = {}
  for k, item in ipairs(directions) do list[k] = { d = item.d, dt = item.dt, dtau = item.dtau } end
  local met = {}
  for i, segment in ipairs(self.segments) do
    local flow, tau = segment.flow, y[self.first + i - 1]
    if not (tau > 0) then fail("a segment has the duration %.3g", tau) end
    local rate, whole = guards.rate(flow, t, x), {}
    for k, item in ipairs(list) do whole[k] = guards.added(item.d, rate, -item.dt, flow.size) end
    local last, carried, record = flow:run(t, t + tau, x, whole, visit ~= nil)
    t = t + tau
    local end_rate = guards.rate(flow, t, last)
    local value, gradient, slope = segment.guard(t, last)
    local speed_of_guard = slope + tangent.dot(gradient, table.move(end_rate, 1, flow.size, 1, {}))
    local after, carry, speed = segment.reset(t, last)
    if visit then visit(i, segment, record, t, last, speed, speed_of_guard) end
    met[i] = { value = value, changes = {}, speed = speed_of_guard, growth = 0 }
    for k, item in ipairs(list) do
      met[i].growth = math.max(met[i].growth, tangent.dot(carried[k], carried[k])/tangent.dot(whole[k], whole[k]))
      -- without a change of the duration: what the guard misses; an event that is met changes the duration by that
      local dtau = item.dtau and item.dtau[i]
      local arrived = guards.added(carried[k], end_rate, item.dt, flow.size)
      local misses = tangent.dot(gradient, arrived) + slope*item.dt
      if not dtau then dtau = -misses/speed_of_guard end
      arrived = guards.added(arrived, end_rate, dtau, flow.size)
      item.dt = item.dt + dtau
      met[i].changes[k] = misses + speed_of_guard*dtau
      item.d = carry(arrived, item.dt)
    end
    x = after
  end
  local places = signs.turned_over(self.flow, self.space.state(y), x)
  for _, item in ipairs(list) do item.d = signs.over(table.move(item.d, 1, #item.d, 1, {}), places) end
  return signs.over(table.move(x, 1, #x, 1, {}), places), t, met, list
end

function Sequence:equations(y, directions)
  local space, items = self.space, {}
  for k, u in ipairs(directions) do
    local dtau = {}
    for i = 1, self.count do dtau[i] = u[self.first + i - 1]*space.scale[self.first + i - 1] end
    items[k] = { d = space.whole(u), dt = self.driven and u[self.time_place]*space.scale[self.time_place] or 0.0, dtau = dtau }
  end
  local last, t, met, list = flown(self, y, items)
  local F, rows, gap = {}, {}, space.difference(space.point(last, table.move(y, #space.kept + 1, space.n, 1, {})), y)
  local ends = {}
  for k, item in ipairs(list) do ends[k] = space.part(item.d) end
  for _, u in ipairs(directions.closing) do
    F[#F + 1], rows[#rows + 1] = tangent.dot(u, gap), {}
    for k, d in ipairs(directions) do rows[#rows][k] = tangent.dot(u, ends[k]) - tangent.dot(u, d) end
  end
  for _, guard in ipairs(met) do F[#F + 1], rows[#rows + 1] = guard.value, guard.changes end
  if self.driven then
    local period, slopes = self.driven(y)
    F[#F + 1], rows[#rows + 1] = t - self:time(y) - period, {}
    for k, u in ipairs(directions) do
      local change = 0
      for i = 1, self.count do change = change + items[k].dtau[i] end
      for i, place in ipairs(self.places) do change = change - slopes[i]*u[place]*space.scale[place] end
      rows[#rows][k] = change
    end
  end
  return F, rows, {}
end

-- ---- multipliers

-- Those of a matrix; infinite where an impact has the velocity 0, at which they pass through infinity
local function eigenvalues_of(M)
  local finite, list = true, {}
  for a, row in ipairs(M) do
    list[a] = { re = a == 1 and 0.0 or math.huge, im = 0.0 }
    for _, value in ipairs(row) do finite = finite and math.abs(value) < math.huge end
  end
  return finite and states.eigenvalues(M) or list
end

-- Of the map from one event to the same one a period later: changes of the start and of its time; the change along the motion itself has none
local function multipliers_at(self, point)
  if point.multipliers then return point.multipliers end
  local space, closing, items = self.space, point.directions.closing, {}
  self.flow.t = self:time(point.y)
  for k, u in ipairs(closing) do items[k] = { d = space.whole(u), dt = 0.0 } end
  local n = #closing
  if self.driven then
    local zeros = {}
    for i = 1, self.flow.size do zeros[i] = 0.0 end
    items[n + 1] = { d = zeros, dt = 1.0 }
  end
  local _, _, met, list = flown(self, point.y, items)
  local M = {}
  for a = 1, #items do
    M[a] = {}
    for b = 1, #items do M[a][b] = a <= n and tangent.dot(closing[a], space.part(list[b].d)) or list[b].dt end
  end
  local all, least = eigenvalues_of(M), 1
  for i, m in ipairs(all) do if m.re^2 + m.im^2 < all[least].re^2 + all[least].im^2 then least = i end end
  table.remove(all, least)
  point.multipliers, point.growth = all, 1
  for _, guard in ipairs(met) do point.growth = point.growth*math.sqrt(guard.growth) end
  return all
end

local FOLLOWED = 1e4                    -- growth of small changes between the events of a period: beyond it rounding at the start spoils the end

--- What stands in the way of Newton's method at a point, in words; nil: nothing known.
function Sequence:hindrance(point)
  multipliers_at(self, point)
  if not (point.growth > FOLLOWED) then return nil end
  return ("small changes grow %.2g times between the impacts and switches of a period, and such motions are not cut into segments"):format(point.growth)
end

local GRAZES = 1e-8                    -- velocity of approach that counts as zero

function Sequence:visited(point)
  if point.visited then return point.visited end
  local seen = { impacts = {}, offenders = {}, least = {}, places = {} }
  point.visited = seen
  flown(self, point.y, {}, function(i, segment, record, t, _, speed)
    if speed then
      seen.impacts[#seen.impacts + 1] = { name = segment.event.name, t = t, velocity = speed }
      if speed < -GRAZES then seen.offenders[#seen.offenders + 1] = segment.event.name end
    end
    admissible.check(i, segment, record.raw, t, seen)
  end)
  return seen
end

--- A motion of the simple period lies on two branches.
Sequence.undetermined = { halving = true }

function Sequence:tests(point)
  local tests, seen = { halving = switching.halving(self, point) }, self:visited(point)
  for k, impact in ipairs(seen.impacts) do tests["grazing" .. k] = impact.velocity end
  for key, value in pairs(seen.least) do tests[key] = value end
  return tests
end

--- A point costs runs with their variations.
Sequence.sparing = true

--- The multipliers of a point to be followed, see tracks.lua.
function Sequence:followed(point) return tracks.of_multipliers(multipliers_at(self, point), self.tolerance) end

--- Details of the special point at which a multiplier is on the unit circle; nil where it is 1.
function Sequence:passed(point, m) return floquet.passed(m, self:period(point.y)) end

--- The condition of a kind of special points as a number, for curves over two parameters; of a grazing the velocity of the impact number self.grazes.
function Sequence:condition(kind, point)
  if kind ~= "grazing" then return orbits.conditions[kind](multipliers_at(self, point)) end
  return self:speeds(point.y)[self.grazes]
end

function Sequence:confirmed(kind, point)
  local k = kind:match "^grazing(%d+)$"
  local touched = admissible.touched(kind)
  if touched then return { kind = "touch", name = touched, place = self:visited(point).places[kind] } end
  if kind == "halving" then return { ends = switching.HALVED } end
  if k then return { kind = "grazing", impact = tonumber(k), name = self:visited(point).impacts[tonumber(k)].name } end
  return {}
end

function Sequence:record(point)
  local y, t = point.y, self:time(point.y)
  self.flow.t = t
  local record, seen = states.record(self.space, y, t, self.parameters_at(y)), self:visited(point)
  record.period, record.value, record.multipliers = self:period(y), (self:value(y)), multipliers_at(self, point)
  record.stable = states.is_stable(record.multipliers)
  record.drive = self.drive
  record.admissible, record.offender, record.impacts, record.sequence = #seen.offenders == 0, seen.offenders[1], seen.impacts, {}
  for i, segment in ipairs(self.segments) do
    local event = segment.event
    record.sequence[i] = { name = event.name, kind = event.kind == "impact" and "impact" or event.word, duration = y[self.first + i - 1] }
  end
  return record
end

-- ---- twice the period

--- The same motions with the sequence flown twice, the point there, and the direction in which motions of twice the period leave it.
function Sequence:doubled(at)
  local twice = setmetatable({}, Sequence)
  for key, value in pairs(self) do twice[key] = value end
  twice.simple = self
  twice.segments = table.move(self.segments, 1, self.count, self.count + 1, table.move(self.segments, 1, self.count, 1, {}))
  laid_out(twice)
  if self.driven then
    function twice.driven(y) return periods.twice(self.driven(y)) end
    twice.drive = self.drive and ("2*(%s)"):format(self.drive)
  end
  local function repeated(y)
    local list = table.move(y, 1, self.first + self.count - 1, 1, {})
    return table.move(y, self.first, #y, #list + 1, list)
  end
  local y, along = repeated(at.y), repeated(at.tangent)
  -- the doubled equations have a branch point here
  local directions = twice:directions(y)
  local F, rows = twice:equations(y, directions)
  return twice, y, switching.second_direction({ directions = directions, rows = rows, F = F }, states.unit(along))
end

--- The first half of a point of doubled motions as a point of these.
function Sequence:half(y)
  local list = table.move(y, 1, self.first + self.count - 1, 1, {})
  list[self.time_place or 0] = self.time_place and y[#y] or nil
  return list
end

-- ---- the start

--- The sequence at a point, as it is read off a run (events.lua): modes, events, durations, and the states after the events.
function Sequence:read_at(y)
  local first = self.segments[1].flow
  local read = { t = self:time(y), modes = {}, events = {}, durations = table.move(y, self.first, self.first + self.count - 1, 1, {}), states = {} }
  local parameters = self.parameters_at(y)
  read.states[1] = states.named(first, self.space.state(y), read.t, parameters)
  flown(self, y, {}, function(i, segment, _, t, last)
    read.modes[i], read.events[i] = segment.mode, segment.event
    if i < self.count then read.states[i + 1] = states.named(self.segments[i + 1].flow, (segment.reset(t, last)), t, parameters) end
  end)
  return read
end

--- The state at a time within the segment i of a point.
function Sequence:state_at(y, i, at)
  local flow, state = self.segments[i].flow, nil
  flown(self, y, {}, function(k, _, record, t)
    if k == i then state = states.named(flow, flow:split(record.raw:at(math.min(at, t)), 0), at, self.parameters_at(y)) end
  end)
  return state
end

--- What passes zero on a curve of special points where a second condition holds; of motions that graze multipliers are infinite.
function Sequence:second(kind, point) return kind ~= "grazing" and spectrum.resonances(kind, multipliers_at(self, point)) or {} end

--- Velocities of approach of the impacts at a point.
function Sequence:speeds(y)
  local list = {}
  flown(self, y, {}, function(_, _, _, _, _, speed) list[#list + 1] = speed end)
  return list
end

local words = { closed = "contact", open = "open", stick = "stick" }

-- Flow of each mode, made once
local function flows_of(system, o, guess, held, read, first_state)
  local flows, list = {}, {}
  for i, mode in ipairs(read.modes) do
    local key = modes.key(mode)
    if not flows[key] then
      local state = i == 1 and first_state or read.states[i]
      local given = { q = state.q, v = state.v, t = state.t, parameters = guess.parameters, form = "lagrange" }
      for _, option in ipairs(variations.run_names) do given[option] = o[option] end
      flows[key] = variations.flow(modes.system(system, mode, "continue"), "continue", given, state.t + 0.0, held)
    end
    list[i] = flows[key]
  end
  return list
end

-- More than two periods of the motion from the guess, so that one lies behind its first event
local function run_of(system, o, guess, period)
  local t = (guess.t or 0) + 0.0
  local given = { q = guess.q, v = guess.v, t = { t, t + 2.3*period }, parameters = guess.parameters, rtol = math.max(o.rtol, 1e-11),
                  atol = math.max(o.atol, 1e-11) }
  local fine, run = attempt(system.simulate, system, given)
  if not fine then fail("continue: the run from the guess fails: %s", run) end
  if run.status ~= "OK" and run.outcome.status ~= "OK" then fail("continue: the run from the guess ends: %s", run.outcome.message) end
  return run
end

-- The sequence of one period of a run, with the states after the events; without events, the mode
local function read_off(system, run, period)
  local read = events.read(system, run, period)
  if #read.events == 0 then return read end
  read.states = {}
  local at, late = read.t, read.t - periods.early(read.t, period)
  for i = 1, #read.modes do
    local state = run:at(at + 1e-7*period)
    read.states[i] = { q = state.q, v = state.v, t = state.t - late }
    at = at + read.durations[i]
  end
  return read
end

--- The problem of periodic motions with impacts and switches near a guess { q =, v =, t =, period = }, along parameters by name, and its start.
function sequences.new(system, o, guess, names)
  modes.check(system, "continue")
  if guess.advance then fail("continue: advance is for smooth motions; motions with contacts close in all coordinates") end
  if o.form and o.form ~= "lagrange" then fail("continue: motions with contacts are followed in form = \"lagrange\"") end
  local is_family = not system._parameter[names[1]] and (names[1] == "energy" or names[1] == "period" or names[1]:match "^p_" or (o.integrals or {})[names[1]])
  local held = is_family and {} or states.parameters(system, names)
  if not guess.period then fail("continue: a guess of the period is missing: periodic = { q =, v =, period = }") end
  local period_of = periods.driven(system, guess, held)
  local period = periods.at_guess(system, guess, is_family and {} or names, period_of)
  local read = guess.sequence_read or read_off(system, run_of(system, o, guess, period), period)
  if #read.events == 0 then return flights.new(system, o, guess, names, read.modes[1]) end
  if is_family then fail("continue: motions with impacts and switches are followed along a parameter, not along '%s'", names[1]) end
  local flows = flows_of(system, o, guess, held, read, read.states[1])
  local expressions = guards.expressions(system)
  local kept = guards.kept(flows, expressions)
  for _, flow in ipairs(flows) do flow.kept = kept end
  local flow, timed_lists, timed = flows[1], {}, #tangent.timed(expressions) > 0
  for i, each in ipairs(flows) do
    timed_lists[i] = tangent.timed(tangent.expressions(each.E, {}))
    timed = timed or #timed_lists[i] > 0
  end
  table.move(tangent.timed(expressions), 1, #tangent.timed(expressions), #timed_lists[1] + 1, timed_lists[1])
  local self = setmetatable({ flow = flow, kept_count = #kept, name = names[1], names = names, tolerance = o.tolerance, timed = timed,
    kind = "periodic motions", segments = {} }, Sequence)
  for i, event in ipairs(read.events) do
    local next_flow = flows[i + 1] or flows[1]
    event.word = words[event.to] or "slip"
    self.segments[i] = { flow = flows[i], mode = read.modes[i], event = event, guard = guards.of(system, flows[i], event),
                         reset = guards.reset(system, flows[i], next_flow, event), demands = admissible.demands(system, flows[i], read.modes[i]) }
  end
  -- the sign must say nothing in all modes
  flow.signless = signs.signless(flow)
  for _, each in ipairs(flows) do if #signs.signless(each) < #flow.signless then flow.signless = signs.signless(each) end end
  laid_out(self)
  self.parameters_at = states.parameters_at(self, names, guess)
  if timed then
    for i, each in ipairs(flows) do
      local places, now = periods.places{ flow = each, places = self.places }
      periods.demand_repeating(each, timed_lists[i], period_of, places, names, now)
    end
    self.drive = core.is_expression(guess.period) and core.text(guess.period) or nil
    periods.bind(self, guess, period_of, o, select(2, periods.places(self)))
  end
  local behind = table.move(read.durations, 1, self.count, 1, {})
  if timed then behind[self.count + 1] = read.states[1].t end
  return self, self.space.point(flow.x, behind)
end

return sequences
