-- gradients.lua: which variables an expression has, and what gradients do not show: values that jump where the derivative is zero everywhere else.
local core = require "hamel.core"

local gradients = {}

local FLAT = { sign = true, tabled_jerk = true }

--- The symbols of a list as the keys of a table, for gradients.contains.
function gradients.set(list)
  local set = {}
  for _, s in ipairs(list) do set[s] = true end
  return set
end

--- Does e contain a symbol of such a table?
function gradients.contains(e, set)
  for _, s in ipairs(core.number_value(e) and {} or core.symbols{ e }) do if set[s] then return true end end
  return false
end

--- Those symbols of a list that e contains, in the order of the list.
function gradients.variables(e, list)
  local inside, found = gradients.set(core.number_value(e) and {} or core.symbols{ e }), {}
  for _, s in ipairs(next(inside) and list or {}) do if inside[s] then found[#found + 1] = s end end
  return found
end

--- A part of e whose value jumps with the symbols of the list though its derivative by them is zero, as sign(x); nil: there is none. An expression
--- with such a part is not linear in them, even if its gradient is constant.
function gradients.jump(e, list)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      if core.kind(part) == "call" and FLAT[core.name(part)] and #gradients.variables(part, list) > 0 then return part end
      table.move(core.operands(part), 1, #core.operands(part), #stack + 1, stack)
    end
  end
end

return gradients
