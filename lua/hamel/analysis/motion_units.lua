-- motion_units.lua: units for the states of periodic motions and for their time, so that results do not depend on those in which a user writes lengths, times
-- and masses.
--
-- Tolerances, differences and ranks are numbers for states of the size 1. So a state is measured by its largest size along the motion, a time by the
-- period. Sizes from 0.1 to 10 keep the unit 1. A coordinate that swings little about a large value has this for its size, and its small velocity says
-- nothing of how exactly it is known: a velocity is measured at least by that at which a coordinate changes by its size within the period.
local attempt = require "hamel.base.attempt"

local motion_units = {}

local NOTHING = 1e-12                   -- a smaller size of a state is that of the rounding of a zero, in units of the largest state of its kind
local LEAST, MOST = 0.1, 10             -- sizes between these keep the unit 1

--- What runs are exact to, where the user does not say so, of the unit of the smallest state.
motion_units.ATOL = 1e-12

local function is_size(value) return value > 0 and value < math.huge end

--- The unit of a size.
function motion_units.of(size)
  if not is_size(size) then return 1 end
  return (size < LEAST or size > MOST) and size or 1
end

--- The unit of the time of motions with a period: small ones count by themselves.
function motion_units.of_time(period) return period < LEAST and period or math.max(1, period) end

--- Sizes of the kept states of a flow where the motion is not known: those of the start, and of what it changes by in a period at its rate there.
function motion_units.sizes_at_start(flow, x, period)
  flow.w:set_state(flow.t, x)
  local rate, list = flow.w:rate(), {}
  for i, place in ipairs(flow.kept) do list[i] = math.max(math.abs(x[place]), math.abs(rate[place])*period/(2*math.pi)) end
  return list
end

--- Makes a list of sizes of the kept states of a flow at least as large as they are at the state x.
function motion_units.enlarge(sizes, flow, x)
  for i, place in ipairs(flow.kept) do sizes[i] = math.max(sizes[i] or 0.0, math.abs(x[place])) end
  return sizes
end

--- Are all sizes of a list finite?
function motion_units.are_finite(sizes)
  for _, value in ipairs(sizes) do if not (value < math.huge) then return false end end
  return true
end

-- By how much the rates of the coordinates change with each state at the start of a flow, row by row, and the length of a row; nil where there is no value
local function rates_by_states(flow)
  local fine, flat = attempt(function()
    flow.w:set_state(flow.t, flow.x)
    return flow.w:jacobian()
  end)
  return fine and flat or nil, fine and math.floor(math.sqrt(#flat) + 0.5) or nil
end

-- The same sizes, of velocities at least that at which the fastest of the coordinates that change with them changes by its own size within the period
local function with_least_velocities(flow, sizes, period, held)
  local flat, columns = rates_by_states(flow)
  local count, list = #flow.E.kin, table.move(sizes, 1, #flow.kept, 1, {})
  for j, column in ipairs(flat and flow.kept or {}) do
    local fastest = 0
    for i, row in ipairs(flow.kept) do
      local size = sizes[i] or 0
      if column > count and row <= count and not (held and held[i]) and is_size(size) then
        fastest = math.max(fastest, math.abs(flat[(row - 1)*columns + column])/size)
      end
    end
    if fastest > 0 and fastest < math.huge then list[j] = math.max(list[j] or 0, 1/(fastest*period)) end
  end
  return list
end

--- The units of the kept states of a flow with these sizes along a motion with this period, and the least of them. held: of the kept states, by their
--- numbers, those that are parameters, which have no unit here. A state that stays zero has the unit of the largest one of its kind. exact: sizes from 0.1 to
--- 10 are units, too, as where distances of motions must be the same in all units.
function motion_units.of_states(flow, sizes, period, held, exact)
  local count, most, units, least = #flow.E.kin, { [true] = 0, [false] = 0 }, {}, math.huge
  sizes = with_least_velocities(flow, sizes, period, held)
  for i, place in ipairs(flow.kept) do
    local size = sizes[i] or 0
    if not (held and held[i]) and is_size(size) then most[place <= count] = math.max(most[place <= count], size) end
  end
  -- coordinates that all stay zero, but for rounding, are measured by the velocities, and these by the coordinates
  local time = period/(2*math.pi)
  local by_others, of_zero = { [true] = most[false]*time, [false] = most[true]/time }, {}
  for kind, size in pairs(most) do of_zero[kind] = size > NOTHING*by_others[kind] and size or by_others[kind] end
  -- at rest nothing has a size: that at which velocities change coordinates by their unit tells theirs
  if most[true] == 0 and most[false] == 0 then of_zero[false] = 1/time end
  for i, place in ipairs(flow.kept) do
    local kind, size = place <= count, sizes[i] or 0
    if not (held and held[i]) then
      local counted = is_size(size) and size > NOTHING*of_zero[kind] and size or of_zero[kind]
      units[i] = exact and is_size(counted) and counted or motion_units.of(counted)
      least = math.min(least, units[i])
    end
  end
  return units, least < math.huge and least or 1
end

local ROUNDING = 1e-16                  -- of a number in doubles
local BITS, NEAR = 2.0^-50, 4           -- how far apart the states are at which rounding is seen, as a part of them, and how many

-- How far rounding scatters the rates of the kept states about the state x
local function scatter_at(flow, kept, x)
  local function rates(at)
    flow.w:set_state(flow.t, at)
    return flow.w:rate()
  end
  local first, list = rates(x), {}
  local flat = flow.w:jacobian()
  local columns = math.floor(math.sqrt(#flat) + 0.5)
  for n = 1, NEAR do
    local near = {}
    for j, value in ipairs(x) do near[j] = value*(1 + BITS*((n*j) % 7 - 3)) end
    local now = rates(near)
    for i, row in ipairs(kept) do
      local off = now[row] - first[row]
      for j = 1, columns do off = off - flat[(row - 1)*columns + j]*(near[j] - x[j]) end
      list[i] = math.max(list[i] or 0, math.abs(off))
    end
  end
  return list
end

local PARTS = { 0.9, -0.7, 0.4 }        -- of the units: the kept states at which rounding is looked at

-- The sizes of numbers of which the rates of the kept states have the rounding, as those of a small difference of two large terms
local function sizes_of_terms(flow, kept, units)
  local sizes = {}
  for k = 1, #PARTS do
    local x = table.move(flow.x, 1, #flow.x, 1, {})
    for i, place in ipairs(kept) do if units[i] then x[place] = PARTS[(k + i) % #PARTS + 1]*units[i] end end
    for i, value in ipairs(scatter_at(flow, kept, x)) do sizes[i] = math.max(sizes[i] or 0, value/ROUNDING) end
  end
  return sizes
end

-- What the kept states change within a time in each other, at most: the changes of the rates with states of the size of their units, directly and by way of
-- another state, and the sizes of the terms of which rates are small differences; nil where there is no value
local function couplings(flow, kept, units, time)
  local flat, columns = rates_by_states(flow)
  local fine, terms = attempt(sizes_of_terms, flow, kept, units)
  if not flat or not fine then return nil end
  local function changes(sizes)
    local list = {}
    for i, row in ipairs(kept) do
      list[i] = 0
      for j, column in ipairs(kept) do
        if i ~= j and units[j] then list[i] = math.max(list[i], math.abs(flat[(row - 1)*columns + column])*sizes[j]*time) end
      end
    end
    return list
  end
  local once, by_terms = changes(units), {}
  for i = 1, #kept do by_terms[i] = terms[i]*time end
  for _, sizes in ipairs{ changes(once), by_terms, changes(by_terms) } do
    for i, size in ipairs(sizes) do once[i] = math.max(once[i], size) end
  end
  return once
end

local SHARE = 1e-5                      -- of what other states change a state by: what a tolerance counts in at least; their rounding is not small beside less

--- Gives runs of a flow absolute tolerances: `atol` of the unit of each kept state, and of the least one for others, no larger than those that it gave before
--- unless `anew`. units, least: see motion_units.of_states. Coordinates of one kind may be lengths and angles: of states that are much smaller than the
--- largest of their kind, those count that change them, too.
function motion_units.set_tolerances(flow, kept, units, least, atol, period, anew)
  local o, list, several = flow.options, {}, false
  anew = anew or not flow.has_tolerances
  flow.has_tolerances = true
  local most, smallest = { [true] = 0, [false] = 0 }, math.huge
  for i, place in ipairs(kept) do
    local kind = place <= #flow.E.kin
    most[kind] = math.max(most[kind], units[i] or 0)
  end
  local changes
  for i = 1, flow.size do list[i] = atol*least end
  for i, place in ipairs(kept) do
    local largest = most[place <= #flow.E.kin]
    if units[i] and units[i] < SHARE*largest then
      changes = changes or couplings(flow, kept, units, period/(2*math.pi)) or {}
      largest = math.min(largest, changes[i] or largest)
    end
    if units[i] then list[place] = atol*math.max(units[i], SHARE*largest) end
  end
  for i, value in ipairs(list) do
    if not anew and o.atol then list[i] = math.min(value, o.atol*(o.units and o.units[i] or 1)) end
    smallest = math.min(smallest, list[i])
  end
  for i, value in ipairs(list) do
    list[i], several = value/smallest, several or value ~= smallest
  end
  o.atol, o.units = smallest, several and list or nil
end

local CLOSE = 1e-13                     -- of the unit of the smallest state: how near to the constraints a state is brought

--- The state x at the time t on the constraints of a flow. least: the least of the units of its states; without one, or where it is not small, 1.
function motion_units.projected(flow, t, x, least)
  if least and least < 1 then
    local fine, on = attempt(flow.w.project, flow.w, t, x, CLOSE, CLOSE*least)
    if fine then return on end
  end
  -- rounding of larger states may be more than that
  return flow.w:project(t, x, CLOSE)
end

return motion_units
