-- repetition.lua: do equations that depend on time repeat after a period?
local balance = require "hamel.analysis.balance"

local repetition = {}

local TIMES = 24

--- Equations whose mismatch is below this repeat.
repetition.TO = 1e-8

--- A state, and states beside it in no special direction.
function repetition.states_near(x)
  local states = { x }
  for k = 1, 2 do
    states[k + 1] = {}
    for i, value in ipairs(x) do states[k + 1][i] = value + 0.1*(1 + math.abs(value))*math.sin(1.3 + 2.7*k + 1.9*i + 0.7*i*k) end
  end
  return states
end

--- By how much the values of expressions differ between t and t + period, in parts of how much they change with time. fixed: values of states by
--- place, as those of parameters that are states.
function repetition.mismatch(flow, list, period, fixed)
  local terms = {}
  -- a constraint is zero at the states, which satisfy it, and its value is the rounding of its terms
  for i, e in ipairs(list) do terms[i] = balance.sizes_of(e) end
  local worst, program, sizes = 0, flow.observer:program(list), flow.observer:program(terms)
  for _, x in ipairs(repetition.states_near(flow.x)) do
    local low, high, off, size = {}, {}, {}, {}
    x = table.move(x, 1, #x, 1, {})
    for place, value in pairs(fixed or {}) do x[place] = value end
    for k = 1, TIMES do
      local t = flow.t + period*((k*0.6180339887498949) % 1)
      local one, two = flow.observer:evaluate(program, flow.w, t, x), flow.observer:evaluate(program, flow.w, t + period, x)
      local large = flow.observer:evaluate(sizes, flow.w, t, x)
      for i = 1, #list do
        low[i], high[i] = math.min(low[i] or one[i], one[i], two[i]), math.max(high[i] or one[i], one[i], two[i])
        off[i] = math.max(off[i] or 0, math.abs(two[i] - one[i]))
        size[i] = math.max(size[i] or 0, large[i])
      end
    end
    for i = 1, #list do
      -- a difference of rounding is no change
      if off[i] > 1e-13*size[i] then worst = math.max(worst, off[i]/(high[i] - low[i])) end
    end
  end
  return worst
end

return repetition
