-- chart/timed.lua: do the equations of a motion depend on the time, at the values of its parameters? A drive of the amplitude zero is none.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local tangent = require "hamel.analysis.tangent"

local timed = {}

local MOST = 1000                       -- answers that are kept

--- A function of parameters by name: do these equations depend on the time there?
function timed.of(system, E)
  local list, known, count = tangent.timed(tangent.expressions(E, {})), {}, 0
  return function(parameters)
    if #list == 0 then return false end
    local symbols, values = compile.parameter_values(system, parameters)
    local key = table.concat(values, " ")
    if known[key] == nil then
      if count == MOST then known, count = {}, 0 end
      local numbers, here = {}, {}
      for i, value in ipairs(values) do numbers[i] = core.number(value) end
      for i, e in ipairs(list) do here[i] = core.substitute(e, symbols, numbers) end
      known[key], count = #tangent.timed(here) > 0, count + 1
    end
    return known[key]
  end
end

return timed
