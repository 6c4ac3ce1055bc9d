-- vanishing.lua: what exact algebra proves to vanish, and expressions where symbols vanish.
local core = require "hamel.core"

local vanishing = {}

--- Is e proved to vanish? "Not decided" never counts as zero.
function vanishing.proved(e) return core.number_value(e) == 0 or e:is_zero() == true end

--- Are all expressions of a list proved to vanish?
function vanishing.all(list)
  for _, e in ipairs(list) do if not vanishing.proved(e) then return false end end
  return true
end

--- n exact zeros.
function vanishing.zeros(n)
  local list = {}
  for i = 1, n do list[i] = core.rational(0) end
  return list
end

--- e with zero in place of each symbol of the list.
function vanishing.without(e, symbols) return core.substitute(e, symbols, vanishing.zeros(#symbols)) end

return vanishing
