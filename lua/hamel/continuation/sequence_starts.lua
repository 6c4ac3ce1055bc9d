-- sequence_starts.lua: the periodic motion with impacts and switches near a guess as the start of a branch (sequences.lua).
local admissible = require "hamel.continuation.admissible"
local arc_cuts = require "hamel.continuation.arc_cuts"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local ends = require "hamel.continuation.ends"
local flights = require "hamel.continuation.flights"
local guards = require "hamel.analysis.nonsmooth.guards"
local held_places = require "hamel.continuation.held_places"
local idle = require "hamel.analysis.idle"
local integrals = require "hamel.continuation.integrals"
local modes = require "hamel.analysis.nonsmooth.modes"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local orbit_corners = require "hamel.continuation.orbit_corners"
local periodic_units = require "hamel.continuation.periodic_units"
local periods = require "hamel.continuation.periods"
local segments = require "hamel.continuation.segments"
local Sequence = require "hamel.continuation.sequences"
local sequence_ends = require "hamel.continuation.sequence_ends"
local sequence_integrals = require "hamel.continuation.sequence_integrals"
local sequence_read = require "hamel.continuation.sequence_read"
local signs = require "hamel.analysis.signs"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local sequence_starts = {}

local words = { closed = "contact", open = "open", stick = "stick" }

-- The flow of a mode from a state
local function flow_at(system, o, guess, held, state)
  local given = { q = state.q, v = state.v, t = state.t, parameters = guess.parameters, form = "lagrange" }
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  return variations.flow(system, "continue", given, state.t + 0.0, held)
end

-- Flow of each mode, made once; the systems of the modes
local function flows_of(system, o, guess, held, read)
  local flows, list, systems, places = {}, {}, {}, held_places.of(system, guess, read.modes)
  for i, mode in ipairs(read.modes) do
    local key = modes.key(mode)
    if not flows[key] then
      systems[key] = modes.system(system, mode, "continue", places)
      flows[key] = flow_at(systems[key], o, guess, held, read.states[i])
    end
    list[i], systems[i] = flows[key], systems[key]
  end
  return list, systems
end

-- The unit of a function of the state at an event, from its change along each state by the unit of this
local function unit_along(self, space, change_along)
  local sum = 0
  for k in ipairs(space.kept) do
    if not object.contains(self.places, k) then sum = sum + change_along(space.whole(states.axis(k, space.n)))^2 end
  end
  return motion_units.of(math.sqrt(sum))
end

-- Counts the states and times in units of their own, and so the guards and the velocities of impacts, at the point y
local function count_in_units(self, y, o, flows)
  periodic_units.count_states(self, y, o, flows, nil, periodic_units.of_names(self.flow, o.units_of_branch))
  local unit = motion_units.of(self:period(y)/(2*math.pi))
  for i = self.first, self.space.n do self.space.scale[i] = unit end
  local units = {}
  for i, place in ipairs(self.space.kept) do units[place] = self.space.scale[i] end
  for _, flow in ipairs(flows) do flow.state_units, flow.time_unit = units, unit end
  for _, segment in ipairs(self.segments) do segment.guard_unit, segment.speed_unit, segment.rate_unit = 1, 1, 1/unit end
  attempt(self.flown, self, y, {}, function(piece, t, last, speed)
    if piece.to < 1 then return end
    local segment, space = self.segments[piece.segment], self.spaces[piece.segment]
    local _, gradient = segment.guard(t, last)
    segment.guard_unit = unit_along(self, space, function(d) return tangent.dot(gradient, d) end)
    if not speed then return end
    local _, _, _, quicker = segment.reset(t, last)
    if quicker then segment.speed_unit = unit_along(self, space, function(d) return quicker(d, 0.0) end) end
  end)
end

--- The problem of periodic motions with impacts and switches near a guess { q =, v =, t =, period = }, along parameters by name, and its start.
function sequence_starts.new(system, o, guess, names)
  modes.check(system, "continue")
  if guess.advance then fail("continue: advance is for smooth motions; motions with contacts close in all coordinates") end
  if o.form and o.form ~= "lagrange" then fail("continue: motions with contacts are followed in form = \"lagrange\"") end
  local is_family = not system._parameter[names[1]] and (names[1] == "energy" or names[1] == "period" or names[1]:match "^p_" or (o.integrals or {})[names[1]])
  local held, watched = is_family and {} or states.parameters(system, names), is_family and {} or names
  if not guess.period then fail("continue: a guess of the period is missing: periodic = { q =, v =, period = }") end
  local period_of = periods.driven(system, guess, held)
  local period = periods.at_guess(system, guess, watched, period_of)
  local read = guess.sequence_read or sequence_read.from(system, o, guess, period)
  if #read.events == 0 then return flights.new(system, o, guess, names, read.modes[1]) end
  for _, name in ipairs{ "integrals", "symmetry" } do
    if o[name] then fail("continue: %s is for motions without impacts and switches", name) end
  end
  local flows, systems = flows_of(system, o, guess, #held > 0 and held or nil, read)
  local expressions, measured = guards.expressions(system), idle.read_by(system, { o.keep or {} })
  for _, s in ipairs(held) do if measured[core.text(s)] or measured.all then expressions[#expressions + 1] = s end end
  local kept = guards.kept(flows, expressions)
  for _, flow in ipairs(flows) do flow.kept = kept end
  local flow, timed_lists, timed = flows[1], {}, #tangent.timed(expressions) > 0
  for i, each in ipairs(flows) do
    timed_lists[i] = tangent.timed(tangent.expressions(each.E, {}))
    timed = timed or #timed_lists[i] > 0
  end
  table.move(tangent.timed(expressions), 1, #tangent.timed(expressions), #timed_lists[1] + 1, timed_lists[1])
  local self = setmetatable({ flow = flow, kept_count = #kept, name = names[1], names = watched, tolerance = o.tolerance, timed = timed,
    kind = "periodic motions", segments = {}, system = system, held = held, begun = flow.t,
    modes = read.modes, places_kept = guess.keep }, Sequence)
  for i, event in ipairs(read.events) do
    local next_flow, before = flows[i + 1] or flows[1], read.events[i - 1] or read.events[#read.events]
    event.word = words[event.to] or "slip"
    self.segments[i] = { flow = flows[i], mode = read.modes[i], event = event, guard = guards.of(system, flows[i], event),
                         reset = guards.reset(system, flows[i], next_flow, event), demands = admissible.demands(system, flows[i], read.modes[i], before),
                         is_law = sequence_ends.coefficient(system, flows[i], event), corners = orbit_corners.of(flows[i]) }
  end
  -- the sign must say nothing in all modes
  flow.signless = signs.signless(flow)
  for _, each in ipairs(flows) do if #signs.signless(each) < #flow.signless then flow.signless = signs.signless(each) end end
  self:lay_out()
  periodic_units.count_parameter(self, o)
  self.parameters_at = states.parameters_at(self, watched, guess)
  if timed then
    for i, each in ipairs(flows) do
      local places, now = periods.places{ flow = each, places = self.places }
      periods.demand_repeating(each, timed_lists[i], period_of, places, watched, now)
    end
    self.drive = core.is_expression(guess.period) and core.text(guess.period) or nil
    local places, now = periods.places(self)
    periods.bind(self, guess, period_of, o, now)
    self.repetitions = periods.repetitions(flows, timed_lists, period_of(now), places, now)
  end
  local behind = table.move(read.durations, 1, self.count, 1, {})
  if timed then behind[self.count + 1] = read.states[1].t end
  local nodes, cuts = { self.space.point(flow.x, behind) }, {}
  for a, node in ipairs(sequence_read.placed(read)) do
    -- behind the last event of a mode the next one holds
    local mode = node.part == 1 and node.segment + 1 or node.segment
    local x = flow_at(systems[mode], o, guess, #held > 0 and held or nil, node.state).x
    cuts[a], nodes[a + 1] = { segment = node.segment, part = node.part }, self.space.point(x, table.move(behind, 1, #behind, 1, {}))
  end
  cuts[#cuts + 1] = { segment = self.count, part = 1.0 }
  local y = segments.joined(self, nodes, cuts)
  count_in_units(self, y, o, flows)
  self.integrals = sequence_integrals.of(self)
  integrals.demand_independent(self, y)
  if is_family then
    self.free = integrals.named(self.integrals, names[1]) or fail("continue: motions with impacts and switches are followed along a parameter, not along "
      .. "'%s', unless all of them keep it", names[1])
  end
  integrals.fix(self, o, y)
  periodic_units.count_integrals(self, y, o)
  ends.bound(self, system, watched, y)
  if #nodes > 1 then return self, y end
  -- a guess far from the motion may leave it on the way
  local fine, cut = attempt(arc_cuts.cut, self, y)
  return self, fine and cut or y
end

return sequence_starts
