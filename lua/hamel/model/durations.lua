-- durations.lua: times given as numbers or as expressions in parameters, as the period of a drive.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local fail = object.fail
local durations = {}

--- A duration above 0 that was given as a number, or as an expression in parameters such as 2*hm.pi/w: a function of the parameters, by name, to it, and
--- whether it depends on parameters. what, option: the call and its option, as messages name them.
function durations.of(what, option, system, given)
  local number = options.number(given)
  if number then
    if not (number > 0 and number < math.huge) then fail("%s: %s = %g must be above 0", what, option, number) end
    return function() return number end, false
  end
  for _, s in ipairs(core.symbols{ given }) do
    if system._parameter[core.text(s)] ~= s then
      fail("%s: %s = %s depends on %s: it is a number or an expression in parameters, such as 2*hm.pi/w", what, option, core.text(given), core.text(s))
    end
  end
  local program
  return function(parameters)
    local list, values = compile.parameter_values(system, parameters)
    program = program or core.program(list, { given })
    local duration = program:eval(values)[1]
    if not (duration > 0 and duration < math.huge) then
      local words = {}
      for i, s in ipairs(list) do words[i] = ("%s = %g"):format(core.text(s), values[i]) end
      fail("%s: %s = %s is %g where %s; it must be above 0", what, option, core.text(given), duration, table.concat(words, ", "))
    end
    return duration
  end, true
end

return durations
