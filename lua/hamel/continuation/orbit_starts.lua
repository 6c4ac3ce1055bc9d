-- orbit_starts.lua: the periodic motion near a guess as the start of a branch (orbits.lua).
local Orbits = require "hamel.continuation.orbits"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local ends = require "hamel.continuation.ends"
local failure = require "hamel.base.failure"
local guards = require "hamel.analysis.nonsmooth.guards"
local idle = require "hamel.analysis.idle"
local integrals = require "hamel.continuation.integrals"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbit_corners = require "hamel.continuation.orbit_corners"
local orbit_families = require "hamel.continuation.orbit_families"
local periodic_units = require "hamel.continuation.periodic_units"
local periods = require "hamel.continuation.periods"
local reciprocity = require "hamel.continuation.reciprocity"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local turns = require "hamel.continuation.turns"
local variations = require "hamel.analysis.variations"
require "hamel.analysis.periodic"

local fail = object.fail
local orbit_starts = {}

local CLOSE_ENOUGH = 1e-8               -- how well a motion closes from which a branch starts

local function found(system, o, guess, period)
  if guess.orbit then return guess.orbit end
  local given = { q = guess.q, v = guess.v, t = guess.t, period = period, advance = guess.advance, parameters = guess.parameters, form = o.form,
    elsewhere = false }
  local fine, orbit, kind = attempt(system.periodic, system, given)
  -- beside strong instability one shot closes no better: the branch itself holds its tolerance, in segments
  if not fine and kind == "at best" then
    given.tolerance = CLOSE_ENOUGH
    fine, orbit, kind = attempt(system.periodic, system, given)
  end
  if fine then return object.copied(orbit) end
  given.form, given.elsewhere, given.tolerance = o.form or system:default_form(), nil, nil
  -- under a drive that leaves it at rest a state of rest is a motion with the period of the drive
  given.resting = kind == "at rest"
  -- one shot along a motion that is very unstable misses its end: it is cut into segments
  given.unfound = kind == "no motion" and orbit or nil
  return (given.resting or given.unfound) and given or fail("continue: %s", orbit)
end

local function flow_of(system, o, orbit, guess, held)
  local given = { q = orbit.q, v = orbit.v, t = orbit.t, parameters = guess.parameters, form = o.form or (o.symmetry and "lagrange") or orbit.form }
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  return variations.flow(system, "continue", given, (orbit.t or 0) + 0.0, held)
end

-- What the kept coordinates gain over a period, as a direction
local function gains(space, advance)
  local system, list = space.flow.system, {}
  for i = 1, space.n do list[i] = 0.0 end
  for name, value in pairs(system:by_name(advance or {}, "advance")) do
    if not system._coordinate[name] then
      fail("continue: advance: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    for i, place in ipairs(space.kept) do
      if core.text(space.flow.E.kin[place] or 0) == name then list[i] = options.number(value)/space.scale[i] end
    end
  end
  return list
end

-- Does a name stand for a parameter that changes? An integral keeps all parameters
local function held_by(system, names)
  return system._parameter[names[1]] and states.parameters(system, names) or {}
end

-- Are all parameters that change among the kept states?
local function are_kept(flow, held)
  local names = {}
  for _, place in ipairs(flow.kept) do names[core.text(flow.E.kin[place] or 0)] = true end
  for _, s in ipairs(held) do if not names[core.text(s)] then return false end end
  return true
end

-- Symbols that integrals, which keep their values along the branch, and measures contain
local function symbols_of_values(flow, o, held)
  local list, read = {}, idle.read_by(flow.system, { o.keep or {} })
  local timed = #tangent.timed(tangent.expressions(flow.E, flow.ignorable)) > 0
  for i, integral in ipairs(integrals.known(flow, o, timed)) do list[i] = flow.observer:expression(integral.e) end
  list = core.symbols(list)
  for _, s in ipairs(held) do if read[core.text(s)] or read.all then list[#list + 1] = s end end
  return list
end

-- Keeps the parameters among some symbols, though the rates do not depend on them
local function keep_parameters(flow, symbols)
  local held = {}
  for _, s in ipairs(symbols) do if object.contains(flow.E.held or {}, s) then held[#held + 1] = s end end
  flow.kept = guards.kept({ flow }, held)
end

-- The ends between which parameters change, as far as they are given
local function ends_of_values(o, held)
  local list = {}
  for k in ipairs(held) do
    local from, to = o.from, o.to
    list[k] = { from = type(from) == "table" and from[k] or type(from) == "number" and from or nil,
                to = type(to) == "table" and to[k] or type(to) == "number" and to or nil }
  end
  return list
end

--- The problem with its unknowns and integrals, and its start y.
function orbit_starts.problem_of(system, o, guess, orbit, names, symbols)
  local held = held_by(system, names)
  orbit.t = periods.early(orbit.t or 0.0, options.number(orbit.period))
  held = #held > 0 and held or nil
  local flow = flow_of(system, o, orbit, guess, held)
  if symbols then keep_parameters(flow, symbols) end
  if held and not are_kept(flow, held) then keep_parameters(flow, symbols_of_values(flow, o, held)) end
  flow.signless = signs.signless(flow)
  local timed_list = tangent.timed(tangent.expressions(flow.E, flow.ignorable))
  local timed = #timed_list > 0
  local count = #(o.symmetry or {})
  local space = states.new(flow, count + (timed and 0 or 1))
  local self = setmetatable({ flow = flow, space = space, name = names[1], tolerance = o.tolerance, kind = "periodic motions",
    period_place = not timed and #flow.kept + 1 or nil, held = held }, Orbits)
  self.places, self.observed = states.watched(space, held and names or {})
  periodic_units.count_parameter(self, o)
  self.parameters_at = states.parameters_at(self, held and names or {}, guess)
  local behind, period_of = {}, periods.driven(system, guess, held or {})
  local places, values = periods.places(self)
  periods.bind(self, guess, period_of, o, values)
  if timed then
    periods.demand_repeating(flow, timed_list, period_of, places, names, values)
  end
  if not timed then behind[1], space.scale[self.period_place] = orbit.period, motion_units.of_time(options.number(orbit.period)) end
  for k = 1, count do behind[#behind + 1] = (orbit.drift or {})[k] or 0.0 end
  local y = space.point(flow.x, behind)
  self.unfound, self.resting = orbit.unfound, orbit.resting and not timed
  periodic_units.count_states(self, y, o, { flow }, periodic_units.of_names(flow, o.sizes),
    periodic_units.of_names(flow, o.units_of_branch))
  self.turns = turns.new(space, o.symmetry or {}, #flow.kept + (timed and 1 or 2))
  self.ends_of_held = ends_of_values(o, held or {})
  -- beside a steady motion at which all that swings is zero any field may look like a symmetry
  if not guess.swings then self.turns:demand(flow.x, options.number(orbit.period), held, self.ends_of_held) end
  self.advance, self.gain = guess.advance, gains(space, guess.advance)
  self.integrals = integrals.of(self, o)
  if names[1] == "period" then
    integrals.along_period(self, system)
  elseif not held and not orbit_families.place(guess.keep, names[1]) then
    self.free = integrals.named(self.integrals, names[1]) or fail("continue: '%s' is neither a parameter nor an integral of %s%s", names[1], system.name,
      object.hint(names[1], system.parameter_names))
    self.along = self.free.at
  end
  orbit_families.observe(self, guess.keep, y)
  self.corners = orbit_corners.of(flow)
  self.hamiltonian = reciprocity.of(system, guess.parameters, held)
  self.energy = flow.E.energy and states.observed(space, "energy") or nil
  self.last_period = options.number(orbit.period)
  self.singular = held and ends.of_parameters(space, y, held) or nil
  ends.bound(self, system, held and names or {}, y)
  -- the same problem, whose units may become others
  function self.anew() return (orbit_starts.problem_of(system, o, guess, orbit, names, symbols)) end
  return self, y
end

--- Gives the integrals their values and units.
function orbit_starts.settle(self, o, y)
  integrals.demand_independent(self, y)
  integrals.fix(self, o, y)
  periodic_units.count_integrals(self, y, o)
end

-- Where the motion from y ends, but for its gain, as a direction over the kept states
local function last_of(self, y)
  local last = self.space.part((self.flow:run(self.flow.t, self.flow.t + self:period(y), self.space.state(y), {})))
  for i = 1, #self.space.kept do last[i] = last[i] - self.gain[i] end
  return last
end

local CLOSED = 1e-6                     -- of the state: how far from its start a motion that closes may end

-- Does the motion from y end where it starts, up to the symmetries? The equations leave out the gradients of the integrals, along which it closes by itself
-- only where it ends nearby: with the same energy and momentum it may end at another distance from a centre
local function closes(self, y)
  local turned, last = self.turns:applied(y, {}), last_of(self, y)
  local off, size = 0, 0
  for i = 1, #self.space.kept do off, size = off + (last[i] - turned[i])^2, size + turned[i]^2 end
  return off <= CLOSED^2*(1 + size)
end

-- A start at which the integrals have the values of the guess; nil where none is near. S:periodic knows neither symmetries up to which motions close, nor
-- values that they keep, so that it may end elsewhere, as at rest.
local function near_guess(self, y)
  local function speed(at) return self:speed_across(at) end
  if #self.integrals == 0 and #self.turns.list == 0 then return nil end
  if #self.turns.list > 0 then
    self.turns:come_near(y, last_of(self, y))
  end
  local point = corrector.at_value(self, y, function(at) return self:value(at) end, (self:value(y)))
  if not point or not (speed(point.y) > self.MOVING*speed(y)) then return nil end
  self.open = not closes(self, point.y)
  return point.y
end

-- The problem and its start by the guess as it is given, which closes up to symmetries or has values that are kept; nil where it leads to no motion
local function by_guess(system, o, guess, names, symbols, period)
  local form = o.form or o.symmetry and "lagrange" or system:default_form()
  local given = { q = guess.q, v = guess.v, t = guess.t, period = period, parameters = guess.parameters, form = form }
  local self, y = orbit_starts.problem_of(system, o, guess, given, names, symbols)
  orbit_starts.settle(self, o, y)
  local fine, start = attempt(near_guess, self, y)
  if not (fine and start) then return nil end
  if self.open then
    fail("continue: from this guess with the period %.6g the search ended at a motion that keeps the integrals and does not close: give a better period, "
      .. "as a run of S:simulate shows it", options.number(period))
  end
  return self, start
end

-- The same motions with half the period of the drive that the guess gives
local function halved(self)
  local half = setmetatable({}, getmetatable(self))
  for key, value in pairs(self) do half[key] = value end
  half.simple, half.gain, half.advance = nil, {}, nil
  for i, value in ipairs(self.gain) do half.gain[i] = value/2 end
  function half.driven(y) return periods.half(self.driven(y)) end
  return half
end

local APART = 1e-3                      -- how far a motion of twice the period is from one of the simple period

-- Notes the motions of the simple period, where the equations repeat after half the period of the guess and the motion at y does not: as one that is followed
-- from a flip the branch ends where it comes to them
local function note_simple(self, o, y)
  if y.cuts or self.period_place and not o.doubled then return end
  local list = tangent.timed(tangent.expressions(self.flow.E, self.flow.ignorable))
  local places, values = periods.places(self)
  if not self.period_place and not periods.repeats(self.flow, list, self:period(y)/2, places, values) then return end
  local simple = halved(self)
  local start = simple:half(y)
  local fine, gap = attempt(function() return (simple:equations(start, simple:directions(start))) end)
  if fine and corrector.largest(gap) > APART then self.simple = simple end
end

-- The start cut as the guess is: guess.segments = { { t =, q =, v = }, ... }, the states along the motion from which further segments begin
local function cut_as_given(self, o, guess, y)
  local nodes, cuts, period = { y }, {}, self:period(y)
  local starts = segments.given(guess, period)
  for i = 2, #starts do
    local at = starts[i]
    cuts[i - 1] = (at.t - starts[1].t)/period
    local flow = flow_of(self.flow.system, o, { q = at.q, v = at.v, t = at.t, form = self.flow.E.form }, guess, self.held)
    nodes[i] = self.space.point(flow.x, table.move(y, #self.space.kept + 1, self.space.n, 1, {}))
  end
  cuts[#cuts + 1] = 1.0
  return segments.joined(self, nodes, cuts)
end

-- The start cut into segments where one shot would miss; a guess far from the motion may leave it on the way
local function cut_start(self, o, guess, y)
  if type(guess.segments or {}) ~= "table" or #(guess.segments or {}) > 0 then return cut_as_given(self, o, guess, y) end
  local fine, cut = attempt(segments.cut, self, y)
  if not fine and self.unfound then failure.raise("no motion", "continue: %s", self.unfound) end
  return fine and cut or y
end

-- The state of a guess as a point, with the other unknowns of y
local function point_of(self, o, guess, y)
  local flow = flow_of(self.flow.system, o, { q = guess.q, v = guess.v, t = guess.t, form = self.flow.E.form }, guess, self.held)
  return self.space.point(flow.x, table.move(y, #self.space.kept + 1, self.space.n, 1, {}))
end

--- The problem of periodic motions near a guess, along parameters or an integral, by name, and its start. symbols: what conditions on the motions depend
--- on, beside the equations; nil: there are none.
function orbit_starts.new(system, o, guess, names, symbols)
  local name = names[1]
  local is_known = system._parameter[name] or (o.integrals or {})[name] or orbit_families.place(guess.keep, name)
  if not is_known and name ~= "energy" and name ~= "period" and not name:match "^p_" then
    fail("continue: '%s' is neither a parameter nor an integral of %s%s", name, system.name,
      system._coordinate[(name:gsub("'$", ""))] and ("; in families of motions it is followed where it is one of the values that the guess keeps at the start: "
        .. "periodic = { ..., keep = { \"%s\", ... } }"):format(name) or #system.parameter_names == 0
        and "; a number of the model that changes is declared as a parameter: S:parameters \"g=1\"" or object.hint(name, system.parameter_names))
  end
  if not guess.period then fail("continue: a guess of the period is missing: periodic = { q =, v =, period = }") end
  local drift = #(guess.orbit and guess.orbit.drift or {})
  if drift > #(o.symmetry or {}) then
    fail("continue: the motion closes up to %d symmetr%s, and symmetry names %d; give symmetry = as for the branch that it comes from", drift,
      drift == 1 and "y" or "ies", #(o.symmetry or {}))
  end
  local held = held_by(system, names)
  local period = periods.at_guess(system, guess, #held > 0 and names or {}, periods.driven(system, guess, held))
  local self, y
  if (o.symmetry or guess.keep) and not guess.orbit and not guess.segments then self, y = by_guess(system, o, guess, names, symbols, period) end
  if not self then
    local orbit = found(system, o, guess, period)
    self, y = orbit_starts.problem_of(system, o, guess, orbit, names, symbols)
    if self.resting then
      -- at rest integrals may depend on each other
      local fine, moving = attempt(function()
        orbit_starts.settle(self, o, y)
        return near_guess(self, y)
      end)
      y = fine and moving or failure.raise("at rest", "continue: from this guess with the period %.6g the search ended at a state of rest, not a periodic "
        .. "one: give a better period, as a run of S:simulate shows it, or take equilibrium =", options.number(orbit.period))
    else
      orbit_starts.settle(self, o, y)
    end
  end
  if self.period_place and self:is_along_symmetry(y) then
    fail("continue: from this guess with the period %.6g the search ended at a motion along the symmetry, as a circular one, which closes up to it after any "
      .. "time: give a better period and a guess farther from it, or leave the symmetry out and give the time of a whole turn", options.number(period))
  end
  self.drive = core.is_expression(guess.period) and core.text(guess.period) or nil
  y = cut_start(self, o, guess, y)
  if self.keep then y = orbit_families.start(self, y, not guess.orbit and point_of(self, o, guess, y) or nil) end
  if #held > 0 then note_simple(self, o, y) end
  return self, y
end

return orbit_starts
