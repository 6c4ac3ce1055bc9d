-- balance.lua: when a sum counts as zero, whatever the units: by the sizes of its terms, and by what a small change of its unknowns explains.
local core = require "hamel.core"

local balance = {
  close = 1e-9,                        -- of 1 and the unknown: so near the point that is meant lies
  roundings = 1e-14,                   -- of the terms of a sum
}

--- The terms of a sum, each without its sign
function balance.sizes_of(e)
  local terms = core.kind(e) == "sum" and core.operands(e) or { e }
  local sum = core.rational(0)
  for _, term in ipairs(terms) do sum = sum + core.functions.abs(term) end
  return sum
end

return balance
