-- corners.lua: where equations are not smooth: arguments of signs, absolute values, maxima and minima, and what changes across their zeros.
local core = require "hamel.core"

local corners = {}

local sides = { sign = true, abs = true, max = true, min = true }

local function is_corner(e) return core.kind(e) == "call" and sides[core.name(e)] ~= nil end

local function argument(e)
  local list = core.operands(e)
  return list[2] and list[1] - list[2] or list[1]
end

-- Arguments of the corners in the expressions, each once
local function arguments(list)
  local seen, found, known = {}, {}, {}
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    if is_corner(e) then
      local g = argument(e)
      if not known[g] then found[#found + 1], known[g] = g, true end
    end
    for _, operand in ipairs(core.operands(e)) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

--- Does the expression contain a corner?
function corners.any(e) return #arguments{ e } > 0 end

return corners
