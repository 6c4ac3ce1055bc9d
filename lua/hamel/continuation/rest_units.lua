-- rest_units.lua: units for the states, rates and parameters of states of rest and steady motions, so that branches and their special points do not depend on
-- those in which a user writes lengths, times, masses and parameters.
--
-- Steps, tolerances and differences are numbers for points whose entries are of the size 1. So a parameter is measured by the span that is asked for, or by its
-- value, or near zero by the change by which the states or the eigenvalues would change by their own size; a coordinate by its value and by
-- what it changes along that span, or where it stays zero by those to which the equations couple it (rest_balance.lua), a velocity by its coordinates and a
-- mean frequency.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local hopf_units = require "hamel.continuation.hopf_units"
local rest_balance = require "hamel.continuation.rest_balance"
local rest_spectrum = require "hamel.continuation.rest_spectrum"
local state_units = require "hamel.analysis.state_units"
local states = require "hamel.continuation.states"

local rest_units = {}

local NOTHING = 1e-12                   -- a smaller size is that of the rounding of a zero
local LEAST, MOST = 0.1, 10             -- sizes between these keep the unit 1

local unit_of = state_units.of

--- The unit of a parameter from the span between its ends (nil: none are given), and its value.
function rest_units.of_parameter(span, value)
  if span and span > 0 then return unit_of(span, 1, MOST, 0) end
  return unit_of(math.abs(value), LEAST, 1)
end

local VANISHED = 1e-8                   -- of the largest eigenvalue

-- The geometric mean of the eigenvalues that are not zero. Damping leaves the product of all as it is, and makes some look like zero beside others
local function mean_frequency(self, y)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  local point, most, sum, count = { y = y, directions = directions, rows = rows }, 0, 0, 0
  local list = rest_spectrum.undamped(self, point)
  for _, e in ipairs(list or {}) do most = math.max(most, states.modulus(e)) end
  if most == 0 then list = states.eigenvalues(self:matrix(point)) end
  for _, e in ipairs(list) do most = math.max(most, states.modulus(e)) end
  for _, e in ipairs(list) do
    local size = states.modulus(e)
    if size > VANISHED*most then sum, count = sum + math.log(size), count + 1 end
  end
  return count > 0 and math.exp(sum/count) or nil
end

local BESIDE, SLOWER = 1e-2, 10         -- of the unit of a parameter: how far from the start; times slower than there the start is a special point

-- y with a parameter moved to one side
local function beside(self, y, place, way)
  local moved = table.move(y, 1, #y, 1, {})
  moved[place] = y[place] + way*BESIDE*self.space.scale[place]
  return moved
end

-- The same, or that beside y where it is much larger: where some eigenvalues vanish, what is left of them may be the damping alone, however weak
local function usual_frequency(self, y)
  local most = mean_frequency(self, y)
  for _, place in ipairs(self.places) do
    for way = -1, 1, 2 do
      local fine, other = attempt(mean_frequency, self, beside(self, y, place, way))
      if fine and other and other > SLOWER*(most or 0) then most = other end
    end
  end
  return most
end

local function looks_like_zero(self, y)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  return rest_spectrum.has_zeros(self, { y = y, directions = directions, rows = rows })
end

-- Do eigenvalues of a state of rest look like zero at y and on both sides of it? At a special point alone one is zero
local function is_overdamped(self, y)
  if not self.of_all_states or not looks_like_zero(self, y) then return nil end
  for _, place in ipairs(self.places) do
    for way = -1, 1, 2 do
      local fine, zero = attempt(looks_like_zero, self, beside(self, y, place, way))
      if fine and not zero then return nil end
    end
  end
  return true
end

local STEEP = 1e3                       -- the largest change of the states per unit of a parameter that says how large they are: more is that of a fold

-- How far the states change at most along the spans of the parameters, by their places
local function changes(self, y)
  local list = {}
  for i = 1, self.space.n do list[i] = 0.0 end
  local directions = self:directions(y)
  local F, rows = self:equations(y, directions)
  for _, place in ipairs(self.places) do
    -- the other parameters, where there are some, keep their values
    local all = table.move(rows, 1, #rows, 1, {})
    for _, other in ipairs(self.places) do
      local row = {}
      if other ~= place then
        for k, u in ipairs(directions) do row[k] = u[other] end
        all[#all + 1] = row
      end
    end
    local fine, null = attempt(corrector.null_directions, { directions = directions, rows = all, F = F }, 1)
    local d = fine and null[1]
    for i = 1, d and self.space.n or 0 do
      local size = self.space.scale[i]*math.abs(d[i]/d[place])
      if math.abs(d[i]) <= STEEP*math.abs(d[place]) then list[i] = math.max(list[i], size) end
    end
  end
  return list
end

-- The name of a kept state
local function name_of(flow, place)
  local count = #flow.E.kin
  return place <= count and core.text(flow.E.kin[place] or 0) or core.text(flow.E.dyn[place - count] or 0)
end

local function set_coordinates(self, y, known, balanced)
  local flow, space = self.flow, self.space
  for i, unit in pairs(balanced) do space.scale[i] = unit end
  local most, held = changes(self, y), {}
  for _, place in ipairs(self.places) do held[place] = true end
  for i, place in ipairs(flow.kept) do
    local size = math.max(math.abs(y[i]), known and known[name_of(flow, place)] or most[i])
    if not held[i] and place <= #flow.E.kin then space.scale[i] = not (size > NOTHING) and balanced[i] or unit_of(size) end
  end
end

local function set_velocities(self, y, frequency)
  state_units.set_velocities(self.flow, self.space.state(y), y, self.space.scale, frequency)
end

local STILL = 0.1                       -- of the mean frequency: rates that hardly change with the states
local PART, TRIES = 1e-3, 30            -- of the first unit: the change that is tried first; changes
local LITTLE, MUCH, MUCH_LESS = 1e-4, 1e-1, 10          -- changes of the eigenvalues from which the unit is read
local FARTHEST = 1e6                    -- between one change and the next
local ROUGH = 100                       -- units between 1/ROUGH and ROUGH count as 1

-- By how much a parameter changes where the state of rest moves by its own size, to first order; math.huge: it does not move
local function unit_by_states(self, y, place, frequency)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  local most = 0.0
  for _, row in ipairs(rows) do
    local gradient = corrector.combined(directions, row)
    local by_parameter = math.abs(gradient[place])
    for _, other in ipairs(self.places) do gradient[other] = 0.0 end
    -- at a fold the rates do not change with the states
    most = math.max(most, by_parameter/math.max(corrector.norm(gradient), STILL*frequency))
  end
  return 1/most
end

-- Sums of the eigenvalues and of their squares, which are smooth where eigenvalues meet, in units of a frequency
local function sums_at(self, y, frequency)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  local one, two = 0.0, 0.0
  for _, e in ipairs(states.eigenvalues(self:matrix{ y = y, directions = directions, rows = rows })) do
    one, two = one + e.re/frequency, two + (e.re^2 - e.im^2)/frequency^2
  end
  return one, two
end

-- By how much a parameter changes where the eigenvalues change by their own size, with the states as they are; math.huge: they do not change. first: the
-- change that is tried first
local function unit_by_eigenvalues(self, y, place, frequency, first)
  local one, two = sums_at(self, y, frequency)
  local d = first
  for _ = 1, TRIES do
    local moved = table.move(y, 1, #y, 1, {})
    moved[place] = y[place] + d
    local fine, now, also = attempt(sums_at, self, moved, frequency)
    local change = fine and math.max(math.abs(now - one), math.abs(also - two)) or math.huge
    if change >= LITTLE and change <= MUCH then return d/change end
    if not (change <= MUCH) then d = d/math.min(MUCH_LESS*math.max(change/MUCH, 1), FARTHEST)
    else d = d*math.min(MUCH/MUCH_LESS/math.max(change, 1/FARTHEST), FARTHEST) end
    if d > FARTHEST^2 or d < 1/FARTHEST^2 then break end
  end
  return math.huge
end

-- The unit of a parameter with a small value and no span, from what changes with it; nil: nothing does
local function unit_near_zero(self, y, place, frequency)
  local value = math.abs(y[place])
  local by_states = unit_by_states(self, y, place, frequency)
  local by_eigenvalues = unit_by_eigenvalues(self, y, place, frequency, PART*(by_states < math.huge and by_states or math.max(value, PART)))
  local size = math.max(value, math.min(by_states, by_eigenvalues))
  if not (size < math.huge) then return nil end
  if size >= 1/ROUGH and size <= ROUGH or size > 1 and value > NOTHING then return 1 end
  return size
end

-- The sizes of the states at a point, and the mean frequency there
local function measure(self, y, known)
  local flow, space = self.flow, self.space
  local frequency = mean_frequency(self, y)
  for i, place in ipairs(flow.kept) do
    if place <= #flow.E.kin then space.scale[i] = unit_of(math.max(math.abs(y[i]), known and known[name_of(flow, place)] or 0)) end
  end
  for _, place in ipairs(self.places) do space.scale[place] = 1 end
  set_velocities(self, y, frequency)
  return frequency
end

local function choose_first(self, y)
  local flow, space, held = self.flow, self.space, {}
  local frequency = state_units.fastest(flow, space.state(y))
  for _, place in ipairs(self.places) do held[place] = true end
  for i, place in ipairs(flow.kept) do
    if held[i] then space.scale[i] = rest_units.of_parameter(nil, y[i])
    elseif place <= #flow.E.kin then space.scale[i] = unit_of(math.abs(y[i])) end
  end
  set_velocities(self, y, frequency)
  if frequency then self.rate_unit = unit_of(frequency) end
end

--- Units in which the values that decide which steady motion it is are counted, before rest_units.choose.
function rest_units.choose_first(self, y)
  local before = table.move(self.space.scale, 1, self.space.n, 1, {})
  if not attempt(choose_first, self, y) then self.space.scale, self.rate_unit = before, 1 end
end

local FREQUENCY = {}                    -- the key of the mean frequency among sizes

local function choose(self, y, spans, known)
  local near_zero
  for k, place in ipairs(self.places_of) do near_zero = near_zero or place and not (spans and spans[k]) and math.abs(y[place]) < LEAST end
  local derived, frequency = {}, near_zero and measure(self, y, known)
  for k, place in ipairs(frequency and self.places_of or {}) do
    if place and not (spans and spans[k]) and math.abs(y[place]) < LEAST then derived[k] = unit_near_zero(self, y, place, frequency) end
  end
  for k, place in ipairs(self.places_of) do
    if place then self.space.scale[place] = derived[k] or rest_units.of_parameter(spans and spans[k], y[place]) end
  end
  -- at a special point eigenvalues may vanish, all of them too: along its branch they do not
  frequency = known and known[FREQUENCY] or usual_frequency(self, y)
  self.frequency = frequency
  set_coordinates(self, y, known, rest_balance.of_zeros(self, y, function(place) return known and known[name_of(self.flow, place)] end))
  set_velocities(self, y, frequency)
  if frequency then self.rate_unit = unit_of(frequency) end
  self.value_per_length = rest_units.of(self, 1, y)
  self.value_unit = math.min(1, self.value_per_length)
  self.is_overdamped = is_overdamped(self, y)
end

--- Chooses the units of a problem near a point. spans: between the ends of its parameters, or nil; known: the sizes of its states along a branch, by names,
--- see rest_units.sizes.
function rest_units.choose(self, y, spans, known)
  local before = table.move(self.space.scale, 1, self.space.n, 1, {})
  if attempt(choose, self, y, spans, known) then return end
  self.space.scale, self.rate_unit, self.value_per_length, self.value_unit = before, 1, nil, nil
end

--- The sizes of the states of a problem, by names, and the mean frequency.
function rest_units.sizes(self)
  local sizes = { [FREQUENCY] = self.frequency }
  for i, place in ipairs(self.flow.kept) do sizes[name_of(self.flow, place)] = self.space.scale[i] end
  return sizes
end

local AT_ZERO = 1e-6                    -- of the size that a coordinate comes to have: a value that says nothing of it

--- The same where coordinates are zero at a point y and change along a direction d: these have the sizes at which the equations are no longer linear; nil:
--- they are linear, or no coordinate is zero. The second result: how many times as large as its unit a coordinate is there.
function rest_units.sizes_along(self, y, d)
  local sizes, whole, factor = rest_units.sizes(self), {}, 0
  for i = 1, self.flow.size do whole[i] = 0.0 end
  for i, place in ipairs(self.flow.kept) do whole[place] = d[i]*self.space.scale[i] end
  for _, place in ipairs(self.places) do whole[self.flow.kept[place]] = 0.0 end
  local reach = self.frequency and hopf_units.reach(self, y, whole, self.frequency)
  if not reach then return nil end
  for i, place in ipairs(self.flow.kept) do
    local size = reach*math.abs(whole[place])
    if place <= #self.flow.E.kin and size > 0 and math.abs(y[i]) <= AT_ZERO*size then
      sizes[name_of(self.flow, place)], factor = size, math.max(factor, size/self.space.scale[i])
    end
  end
  if factor == 0 then return nil end
  return sizes, factor
end

--- The unit of the number k of the parameters that change; of a kept value at y what it changes by along its gradient.
function rest_units.of(self, k, y)
  local place = self.places_of and self.places_of[k]
  if place then return self.at_rest and self.space.scale[place] or 1 end
  if not y or not self.kept then return 1 end
  local _, gradient = self.observed[k](y)
  return unit_of(corrector.norm(gradient))
end

return rest_units
