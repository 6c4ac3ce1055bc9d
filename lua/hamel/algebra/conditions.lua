-- conditions.lua: where a formula has a real value, read off the formula as it is written: what may not vanish, what is positive or not negative.
-- Conditions belong to the formula asked about, never to a node: equal formulas share their nodes, whatever they came from.
local core = require "hamel.core"
local symbols = require "hamel.algebra.symbols"

local conditions = {}

local EFFORT, TOGETHER = 0.5, 2        -- for the form of one condition, of all: those that are left stay as they are

-- A form of e, or e where it is not found in time
local function formed(found, e, form)
  if core.effort() - found.start > TOGETHER then return e end
  return (core.simplify(e, form, nil, { effort = EFFORT }))
end

-- What vanishes with a factor: x with x^2 and |x|
local function root(factor)
  local kind = core.kind(factor)
  local inside = kind == "power" or (kind == "call" and core.name(factor) == "abs")
  return inside and root(core.operands(factor)[1]) or factor
end

-- The factors of e, or e as it is where they are not found in time
local function factors(found, e)
  local form, list = formed(found, e, "factored"), {}
  for _, factor in ipairs(core.kind(form) == "product" and core.operands(form) or { form }) do list[#list + 1] = root(factor) end
  return list
end

local function never_zero(e)
  return (core.number_value(e) ~= nil and e:is_zero() == false) or core.known_positive(e) or core.known_positive(0 - e)
end

-- ---- the conditions of one node

-- What has the sign of e: x of x^3 and of p x, p positive
local function same_sign(e)
  local operands, kind = core.operands(e), core.kind(e)
  local n = kind == "power" and core.number_value(operands[2])
  if n and n % 2 == 1 then return same_sign(operands[1]) end
  if kind ~= "product" then return e end
  local rest = core.rational(1)
  for _, factor in ipairs(operands) do
    local value = core.number_value(factor)
    if not core.known_positive(factor) then rest = rest*(value and (value < 0 and -1 or 1) or same_sign(factor)) end
  end
  return rest
end

-- They print as x > 0
local Condition = { __tostring = function(one) return ("%s %s 0"):format(core.text(one[1]), one[2]) end }

local Conditions = { __tostring = function(list)
  local text = {}
  for i, one in ipairs(list) do text[i] = tostring(one) end
  return #text > 0 and table.concat(text, ", ") or "everywhere"
end }

local function demand(found, e, relation)
  local sign = core.constant_sign(e)
  if sign > 0 or (sign < 0 and relation == "~=") then return end
  found[#found + 1] = setmetatable({ e, relation }, Condition)
end

local function demand_nonzero(found, e)
  for _, factor in ipairs(factors(found, e)) do
    if not never_zero(factor) then demand(found, factor, "~=") end
  end
end

local function demand_not_negative(found, e)
  e = formed(found, e, "auto")
  if not core.known_nonnegative(e) then demand(found, same_sign(e), ">=") end
end

local function demand_positive(found, e)
  if core.known_nonnegative(e) then return demand_nonzero(found, e) end
  demand(found, same_sign(e), ">")
end

local by_function = {
  tan = function(found, u) demand_nonzero(found, core.functions.cos(u)) end,
  log = demand_positive,
  asin = function(found, u) demand_not_negative(found, 1 - u^2) end,
  acosh = function(found, u) demand_not_negative(found, u - 1) end,
  atanh = function(found, u) demand_positive(found, formed(found, 1 - u^2, "auto")) end,
}
by_function.acos = by_function.asin
by_function.atan2 = function(found, y, x) if not never_zero(y) and not never_zero(x) then demand_nonzero(found, x^2 + y^2) end end

-- Functions whose values satisfy the condition of the function around them
local inverse = { tan = "atan", atanh = "tanh", acosh = "cosh" }

local function of_power(found, base, exponent)
  local n = core.number_value(exponent)
  if n and n % 1 == 0 then
    if n < 0 then demand_nonzero(found, base) end
  elseif n and n > 0 then
    demand_not_negative(found, base)
  elseif core.number_value(base) == 0 then
    demand_not_negative(found, exponent)
  else
    demand_positive(found, base)
  end
end

local function of_node(found, e)
  local kind, operands = core.kind(e), core.operands(e)
  if kind == "power" then
    of_power(found, operands[1], operands[2])
  elseif kind == "call" then
    local name, inside = core.name(e), operands[1]
    local rule = by_function[name]
    local holds = (core.number_value(inside) ~= nil and name ~= "atan2") or (core.kind(inside) == "call" and core.name(inside) == inverse[name])
    if rule and not holds then rule(found, inside, operands[2]) end
  end
end

-- ---- which of them follow from others

-- One condition for each expression, the strongest; in the order in which they were met
local function merged(found)
  local place, list = {}, {}
  for _, one in ipairs(found) do
    local e, relation = one[1], one[2]
    local k = place[e]
    if not k then
      demand(list, e, relation)
      place[e] = #list
    elseif list[k][2] ~= relation then
      list[k][2] = ">"
    end
  end
  return list
end

-- What replaces the symbols that have one of these relations by positive ones
local function signed(found, relations)
  local from, to = {}, {}
  for i, one in ipairs(found) do
    if relations[one[2]] and core.kind(one[1]) == "symbol" then
      from[#from + 1], to[#to + 1] = one[1], core.symbol("positive_" .. i, symbols.POSITIVE | symbols.EXTERNAL)
    end
  end
  return function(e) return core.substitute(e, from, to) end
end

-- Does a condition follow from those on single symbols? x y > 0 does from x > 0 and y > 0
local function without_implied(found)
  local strict, weak = signed(found, { [">"] = true }), signed(found, { [">"] = true, [">="] = true })
  local follows = {
    ["~="] = function(e) return never_zero(strict(e)) end,
    [">"] = function(e) return core.known_positive(strict(e)) end,
    [">="] = function(e) return core.known_nonnegative(weak(e)) end,
  }
  local kept = {}
  for _, one in ipairs(found) do
    if core.kind(one[1]) == "symbol" or not follows[one[2]](one[1]) then kept[#kept + 1] = one end
  end
  return kept
end

--- The conditions under which all formulas of the list have a real value: pairs { expression, relation to zero }; relation "~=", ">=" or ">".
--- Powers and products are merged when they are written, x/x to 1 and sqrt(x)^2 to x: what is not in the formula leaves no condition.
function conditions.of(list)
  local stack, met, found = {}, {}, { start = core.effort() }
  for i = #list, 1, -1 do stack[#stack + 1] = list[i] end
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      of_node(found, part)
      for _, operand in ipairs(core.operands(part)) do stack[#stack + 1] = operand end
    end
  end
  return setmetatable(without_implied(merged(found)), Conditions)
end

--- The factors among them that may not vanish, and the other conditions.
function conditions.split(found)
  local nonzero, domain = {}, setmetatable({}, Conditions)
  for _, one in ipairs(found) do
    if one[2] == "~=" then nonzero[#nonzero + 1] = one[1] else domain[#domain + 1] = one end
  end
  return nonzero, domain
end

return conditions
