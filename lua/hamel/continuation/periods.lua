-- periods.lua: the period of a driven motion as a function of parameters.
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local periods = {}

--- A period that depends on the parameters `held`: a function of their values, in this order, to the period and its derivatives
function periods.driven(system, guess, held)
  local given = guess.period
  if not core.is_expression(given) then
    local T, zeros = options.number(given), {}
    for i = 1, #held do zeros[i] = 0.0 end
    return function() return T, zeros end
  end
  local inputs, values = {}, {}
  for _, name in ipairs(system.parameter_names) do
    local p = system._parameter[name]
    if not object.contains(held, p) and system._values[name] then
      inputs[#inputs + 1], values[#values + 1] = p, options.number(guess.parameters[name] or system._values[name])
    end
  end
  local first, list = #inputs, { given }
  table.move(held, 1, #held, first + 1, inputs)
  table.move(core.gradient(given, held), 1, #held, 2, list)
  local program = core.program(inputs, list)
  return function(p)
    local out = program:eval(table.move(p, 1, #held, first + 1, table.move(values, 1, first, 1, {})))
    return out[1], table.move(out, 2, #out, 1, {})
  end
end

return periods
