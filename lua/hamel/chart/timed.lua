-- chart/timed.lua: do the equations of a motion depend on the time, at the values of its parameters? A drive of the amplitude zero is none.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local tangent = require "hamel.analysis.tangent"
local whole_turns = require "hamel.analysis.whole_turns"

local timed = {}

local MOST = 1000                       -- answers that are kept

-- A function of parameters by name that keeps the answers of another one, for expressions with numbers in place of parameters
local function remembered(system, list, of)
  local known, count = {}, 0
  return function(parameters)
    local symbols, values = compile.parameter_values(system, parameters)
    local key = table.concat(values, " ")
    if known[key] == nil then
      if count == MOST then known, count = {}, 0 end
      local numbers, here = {}, {}
      for i, value in ipairs(values) do numbers[i] = core.number(value) end
      for i, e in ipairs(list) do here[i] = core.substitute(e, symbols, numbers) end
      known[key], count = of(here), count + 1
    end
    return known[key]
  end
end

--- A function of parameters by name: do these equations depend on the time there?
function timed.of(system, E)
  local list = tangent.timed(tangent.expressions(E, {}))
  if #list == 0 then return function() return false end end
  return remembered(system, list, function(here) return #tangent.timed(here) > 0 end)
end

--- A function of parameters by name: are these equations proved to be periodic in the time there? Two frequencies without a common period make no period.
--- more: other expressions that depend on the time
function timed.periodic(system, E, more)
  local list = tangent.expressions(E, {})
  list = tangent.timed(table.move(more, 1, #more, #list + 1, list))
  if whole_turns.of_time(system, list) then return function() return true end end
  return remembered(system, list, function(here)
    here = tangent.timed(here)
    return whole_turns.of_time(system, here) ~= nil
  end)
end

return timed
