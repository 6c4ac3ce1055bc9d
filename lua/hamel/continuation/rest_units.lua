-- rest_units.lua: units for the states, rates and parameters of states of rest and steady motions, so that branches and their special points do not depend on
-- those in which a user writes lengths, times, masses and parameters.
--
-- Steps, tolerances and differences are numbers for points whose entries are of the size 1. So a parameter is measured by the span that is asked for, or by its
-- value, a coordinate by its value and by what it changes along that span, a velocity by its coordinates and a mean frequency.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local states = require "hamel.continuation.states"

local rest_units = {}

local NOTHING = 1e-12                   -- a smaller size is that of the rounding of a zero
local LEAST, MOST = 0.1, 10             -- sizes between these keep the unit 1

-- The unit of a size: 1 between two numbers
local function unit_of(size, least, most)
  if not (size > NOTHING and size < math.huge) then return 1 end
  -- what is smaller counts as 1
  if size < (least or LEAST) then return size end
  return math.max(1, size/(most or MOST))
end

--- The unit of a parameter from the span between its ends (nil: none are given), and its value.
function rest_units.of_parameter(span, value)
  if span and span > 0 then return unit_of(span, 1) end
  return unit_of(math.abs(value), LEAST, 1)
end

local VANISHED = 1e-8                   -- of the largest eigenvalue

-- The geometric mean of the eigenvalues that are not zero
local function mean_frequency(self, y)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  local list = states.eigenvalues(self:matrix{ y = y, directions = directions, rows = rows })
  local most, sum, count = 0, 0, 0
  for _, e in ipairs(list) do most = math.max(most, states.modulus(e)) end
  for _, e in ipairs(list) do
    local size = states.modulus(e)
    if size > VANISHED*most then sum, count = sum + math.log(size), count + 1 end
  end
  return count > 0 and math.exp(sum/count) or nil
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

local function set_coordinates(self, y, known)
  local flow, space = self.flow, self.space
  local most, held = changes(self, y), {}
  for _, place in ipairs(self.places) do held[place] = true end
  for i, place in ipairs(flow.kept) do
    local size = math.max(math.abs(y[i]), known and known[name_of(flow, place)] or most[i])
    if not held[i] and place <= #flow.E.kin then space.scale[i] = unit_of(size) end
  end
end

-- A velocity in units in which its coordinates change by their own within the time 1/frequency
local function set_velocities(self, y, frequency)
  local flow, space = self.flow, self.space
  flow.w:set_state(flow.t, space.state(y))
  local flat = flow.w:jacobian()
  local size = math.floor(math.sqrt(#flat) + 0.5)
  for j, column in ipairs(flow.kept) do
    local most = 0
    for i, row in ipairs(flow.kept) do
      if row <= #flow.E.kin and column > #flow.E.kin then most = math.max(most, math.abs(flat[(row - 1)*size + column])/space.scale[i]) end
    end
    if column > #flow.E.kin then space.scale[j] = unit_of(math.max(math.abs(y[j]), most > 0 and frequency and frequency/most or 0)) end
  end
end

local function choose(self, y, spans, known)
  for k, place in ipairs(self.places_of) do
    if place then self.space.scale[place] = rest_units.of_parameter(spans and spans[k], y[place]) end
  end
  local frequency = mean_frequency(self, y)
  set_coordinates(self, y, known)
  set_velocities(self, y, frequency)
  if frequency then self.rate_unit = unit_of(frequency) end
  self.value_per_length = rest_units.of(self, 1)
  self.value_unit = math.min(1, self.value_per_length)
end

--- Chooses the units of a problem near a point. spans: between the ends of its parameters, or nil; known: the sizes of its states along a branch, by names,
--- see rest_units.sizes.
function rest_units.choose(self, y, spans, known)
  local before = table.move(self.space.scale, 1, self.space.n, 1, {})
  if attempt(choose, self, y, spans, known) then return end
  self.space.scale, self.rate_unit, self.value_per_length, self.value_unit = before, 1, nil, nil
end

--- The sizes of the states of a problem, by names.
function rest_units.sizes(self)
  local sizes = {}
  for i, place in ipairs(self.flow.kept) do sizes[name_of(self.flow, place)] = self.space.scale[i] end
  return sizes
end

--- The unit of the number k of the parameters that change; of a kept value 1.
function rest_units.of(self, k)
  local place = self.places_of and self.places_of[k]
  return self.at_rest and place and self.space.scale[place] or 1
end

return rest_units
