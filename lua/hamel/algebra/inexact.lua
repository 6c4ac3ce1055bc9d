-- inexact.lua: exact algebra on expressions with inexact numbers: symbols take the places of these meanwhile.
local core = require "hamel.core"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local inexact = {}

local MOST = 40                        -- different numbers; more of them make the algebra long
local FLAGS = symbols.POSITIVE + symbols.EXTERNAL      -- no user symbol has both

-- The inexact numbers in the expressions, and what takes their places: positive symbols and their opposites. nil: there are none or too many, or
-- rounding hides the sign of one
local function places(list)
  local from, to, numbers, names, seen = {}, {}, {}, {}, {}
  local clear = true
  local function take(node)
    local size = core.number_value(node) < 0 and -node or node
    if not core.known_positive(size) then clear = false end
    if not names[size] then
      numbers[#numbers + 1] = size
      names[size] = core.symbol("inexact_" .. #numbers, FLAGS)
    end
    from[#from + 1], to[#to + 1] = node, size == node and names[size] or -names[size]
  end
  local function walk(node)
    if seen[node] then return end
    seen[node] = true
    if core.kind(node) == "float" then return take(node) end
    for _, part in ipairs(core.operands(node)) do walk(part) end
  end
  for _, e in ipairs(list) do walk(e) end
  if #numbers == 0 or #numbers > MOST or not clear then return nil end
  local back = {}
  for i, size in ipairs(numbers) do back[i] = names[size] end
  return from, to, back, numbers
end

--- f(e, by) -> expression, reason, with symbols in place of the inexact numbers of both; by: a list of expressions, or nil. The numbers of the result
--- are computed again: where one leaves the range of doubles, e comes back with that reason.
function inexact.through(f, e, by)
  if not core.is_expression(e) then return f(e, by) end
  local all = { e }
  for _, other in ipairs(by or {}) do if core.is_expression(other) then all[#all + 1] = other end end
  local from, to, back, numbers = places(all)
  if not from then return f(e, by) end
  local plain_by = by and {}
  for i, other in ipairs(by or {}) do plain_by[i] = core.is_expression(other) and core.substitute(other, from, to) or other end
  local result, reason = f(core.substitute(e, from, to), plain_by)
  if reason then return e, reason end
  local fine, again = protected(core.substitute, result, back, numbers)
  if not fine then return e, tostring(again) end
  return again
end

--- f(e) -> a list of expressions, with symbols in place of the inexact numbers of e.
function inexact.parts(f, e)
  local from, to, back, numbers = places{ e }
  if not from then return f(e) end
  local list = f(core.substitute(e, from, to))
  for i, part in ipairs(list) do list[i] = core.substitute(part, back, numbers) end
  return list
end

return inexact
