-- undefined.lua: expressions that have no real value anywhere, and why.
local core = require "hamel.core"

local undefined = {}

undefined.LONG = 300                   -- nodes of an expression that is printed

--- The text of an expression, or how long it is.
function undefined.brief(e)
  local size = core.tree_size(e)
  return size <= undefined.LONG and core.text(e) or ("an expression of %d nodes"):format(size)
end
local brief = undefined.brief

local function positive(e) return core.known_positive(e) or core.constant_sign(e) > 0 end
-- The sign is multiplied into a sum, where it is seen
local function negative(e) return core.known_positive(0 - e) or core.constant_sign(e) < 0 end

local function outside(e, ...)
  for _, excess in ipairs{ ... } do if positive(excess) then return ("%s is not a real number"):format(brief(e)) end end
end

-- Why a call has no real value anywhere
local call_rules = {
  log = function(_, a) return (negative(a) or a:is_zero() == true) and ("the logarithm of %s, which is not positive"):format(brief(a)) end,
  asin = function(e, a) return outside(e, a - 1, -1 - a) end,
  atanh = function(e, a) return outside(e, a - 1, -1 - a) or ((a^2 - 1):is_zero() == true and ("%s is infinite"):format(brief(e))) end,
  acosh = function(e, a) return outside(e, 1 - a) end,
  tan = function(e, a) return core.functions.cos(a):is_zero() == true and ("%s is infinite"):format(brief(e)) end,
  atan2 = function(e, a, b) return a:is_zero() == true and b:is_zero() == true and ("%s has no value"):format(brief(e)) end,
}
call_rules.acos = call_rules.asin
for _, name in ipairs{ "tabled", "tabled_rate", "tabled_curve", "tabled_jerk" } do
  call_rules[name] = function(e, _, argument)
    if #core.symbols{ argument } > 0 then return nil end
    local value = core.value(e, {}, {})
    return value ~= value and ("%s is outside of the data"):format(brief(e))
  end
end

-- Why one node has no real value anywhere; nil: none is known
local function undefined_node(e)
  local kind, operands = core.kind(e), core.operands(e)
  local base, exponent = operands[1], operands[2]
  if kind == "power" then
    local n = core.number_value(exponent)
    if n and n < 0 and core.kind(base) ~= "symbol" and base:is_zero() == true then return ("%s vanishes identically and divides"):format(brief(base)) end
    if n and n % 1 ~= 0 and negative(base) then return ("a root of %s, which is negative"):format(brief(base)) end
  elseif kind == "call" then
    local rule = call_rules[core.name(e)]
    return rule and rule(e, base, exponent) or nil
  end
end

--- Why a list of expressions has no real value anywhere, as far as that is seen; nil: it is not.
function undefined.everywhere(list)
  local stack, met = table.move(list, 1, #list, 1, {}), {}
  while #stack > 0 do
    local e = table.remove(stack)
    if not met[e] then
      met[e] = true
      local reason = undefined_node(e)
      if reason then return reason end
      table.move(core.operands(e), 1, #core.operands(e), #stack + 1, stack)
    end
  end
end

return undefined
