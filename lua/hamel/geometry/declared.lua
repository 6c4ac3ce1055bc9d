-- declared.lua: expressions at the declared values of the parameters.
local core = require "hamel.core"

--- A function that puts the declared values of the parameters of a system into all expressions of a list; parameters without a value stay.
return function(system)
  local from, to = {}, {}
  for name, value in pairs(system._exact) do from[#from + 1], to[#to + 1] = system:symbol(name), value end
  return function(list)
    local result = {}
    for i, e in ipairs(list) do result[i] = #from > 0 and core.substitute(e, from, to) or e end
    return result
  end
end
