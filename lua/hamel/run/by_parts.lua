-- by_parts.lua: expressions with accelerations as the rate of a function of the state and a rest that has none, for means.
--
-- Where c_i are the coefficients of the accelerations in e, and homogeneous of degree d in the velocities, the rate of F = sum of c_i v_i/(d + 1) has the same
-- accelerations, if c_i is the gradient of a function. Then the mean of e over a run is the change of F over the time, and the mean of e - F'.
local core = require "hamel.core"

local by_parts = {}

local MOST = 2                          -- degree in the velocities that is tried
local LIMITS = { effort = 1 }

local function coefficients_of(e, rates)
  local list, any = {}, false
  for i, a in ipairs(rates) do
    list[i] = (core.simplify(core.diff(e, a), "auto", nil, LIMITS))
    any = any or core.number_value(list[i]) ~= 0
  end
  return list, any
end

--- F and e - F' of an expression in the coordinates of a list, their velocities and accelerations; nil: not found. The rest is nil where it is zero.
function by_parts.split(e, coordinates)
  local rates, velocities, zeros = {}, {}, {}
  for i, q in ipairs(coordinates) do velocities[i], rates[i], zeros[i] = q.dot, q.ddot, core.number(0) end
  local c, any = coefficients_of(e, rates)
  if not any then return nil end
  for degree = 0, MOST do
    local F = core.number(0)
    for i, v in ipairs(velocities) do F = F + c[i]*v/(degree + 1) end
    local rest = e - core.dt(F)
    local _, left = coefficients_of(rest, rates)
    if not left then
      rest = core.simplify(core.substitute(rest, rates, zeros), "auto", nil, LIMITS)
      return F, core.number_value(rest) ~= 0 and rest or nil
    end
  end
end

return by_parts
