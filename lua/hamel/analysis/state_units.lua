-- state_units.lua: units for the states near rest or a steady motion, and for their rates, so that searches do not depend on those in which a user writes
-- lengths, times and masses.
local core = require "hamel.core"

local state_units = {}

local NOTHING = 1e-12                   -- a smaller size is that of the rounding of a zero
local LEAST, MOST = 0.1, 10             -- sizes between these keep the unit 1

--- The unit of a size: 1 between two numbers. nothing: what is the rounding of a zero
function state_units.of(size, least, most, nothing)
  if not (size > (nothing or NOTHING) and size < math.huge) then return 1 end
  -- what is smaller counts as 1
  if size < (least or LEAST) then return size end
  return math.max(1, size/(most or MOST))
end

--- The same of a size of states: large ones count by themselves, so that steps are as long for them.
function state_units.of_state(size, nothing)
  local unit = state_units.of(size, LEAST, MOST, nothing)
  return unit > 1 and size or unit
end

--- Sets the units of velocities in a list of units of the kept states: a velocity has the unit in which its coordinates change by their own within the time
--- 1/frequency. values: of the kept states at x
function state_units.set_velocities(flow, x, values, units, frequency)
  flow.w:set_state(flow.t, x)
  local flat = flow.w:jacobian()
  local size = math.floor(math.sqrt(#flat) + 0.5)
  for j, column in ipairs(flow.kept) do
    local most = 0
    for i, row in ipairs(flow.kept) do
      if row <= #flow.E.kin and column > #flow.E.kin then most = math.max(most, math.abs(flat[(row - 1)*size + column])/units[i]) end
    end
    if column > #flow.E.kin then
      local by_others = most > 0 and frequency and frequency/most or 0
      units[j] = state_units.of_state(math.max(math.abs(values[j]), by_others), by_others > 0 and math.min(by_others, NOTHING)/2 or NOTHING)
    end
  end
end

--- The largest modulus of the eigenvalues of the first approximation over all kept states; nil: they are zero.
function state_units.fastest(flow, x)
  flow.w:set_state(flow.t, x)
  local whole, flat, most = flow.w:jacobian(), {}, 0
  local size = math.floor(math.sqrt(#whole) + 0.5)
  for _, row in ipairs(flow.kept) do
    for _, column in ipairs(flow.kept) do flat[#flat + 1] = whole[(row - 1)*size + column] end
  end
  local values = core.eigen(#flow.kept, flat)
  for k = 1, #flow.kept do most = math.max(most, math.sqrt(values[2*k - 1]^2 + values[2*k]^2)) end
  return most > 0 and most or nil
end

--- The units of the kept states at x from their values and the fastest motion there, and that of a rate in these units.
function state_units.at(flow, x)
  local units, values = {}, {}
  local frequency = state_units.fastest(flow, x)
  for i, place in ipairs(flow.kept) do values[i], units[i] = x[place], state_units.of_state(math.abs(x[place])) end
  state_units.set_velocities(flow, x, values, units, frequency)
  return units, frequency and state_units.of_state(frequency) or 1
end

return state_units
