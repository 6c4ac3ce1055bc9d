-- series.lua: Taylor polynomials of expressions, and why there are none at corners, poles and branch points.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local undefined = require "hamel.algebra.undefined"
local value_at_random = require "hamel.algebra.value_at_random"

local fail, brief, methods = object.fail, undefined.brief, core.methods

local function shortest(e)
  local result, status = core.simplify(e, "auto", nil, {})
  if status == "INTERRUPTED" then fail("interrupted") end
  return result
end

-- Is it proved not to be negative?
local function is_positive(e)
  local n = core.number_value(e)
  if n then return n > 0 end
  return (core.functions.abs(e) - e):is_zero() == true
end

-- Does e vanish, or on a part of its domain: min(0, y) for positive y?
local function vanishes_somewhere(e)
  return e:is_zero() ~= false or value_at_random(e, core.symbols{ e }, 40, function(v) return v == 0 end) ~= nil
end

-- What must not vanish at x = about for a function or power to be smooth there, if there is such a thing. atan2(a, b) jumps where a vanishes and b
-- is not positive; a zero of a denominator may be one of the numerator, too
local function critical(part, x, about)
  local kind, operands = core.kind(part), core.operands(part)
  if kind == "power" then
    local n = core.number_value(operands[2])
    if n and n % 1 == 0 and (n > 0 or operands[1]:subs{ [x] = about }:is_zero() == true) then return nil end
    return operands[1]
  elseif kind == "call" then
    local name = core.name(part)
    if name == "abs" or name == "sign" then return operands[1] end
    if name == "min" or name == "max" then return operands[1] - operands[2] end
    if name == "asin" or name == "acos" then return 1 - operands[1]^2 end
    if name == "acosh" then return operands[1] - 1 end
    if name == "atan2" and not is_positive(operands[2]:subs{ [x] = about }) then return operands[1] end
  end
end

-- The first part of e for which test(part) is true; nil: there is none
local function part_with(e, test)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      if test(part) then return part end
      local operands = core.operands(part)
      table.move(operands, 1, #operands, #stack + 1, stack)
    end
  end
end

local function contains(e, x) return object.contains(core.symbols{ e }, x) end

-- The part of e that is not smooth at x = about; nil: none is seen
local function corner(e, x, about)
  return part_with(e, function(part)
    local has_value, argument = protected(critical, part, x, about)
    if not (has_value and argument and contains(argument, x)) then return false end
    local fine, there = protected(core.substitute, argument, { x }, { about })
    return fine and vanishes_somewhere(there)
  end)
end

-- A power whose base may vanish at x = about and whose exponent is no number: whether it has derivatives there depends on the exponent; nil: none
local function undecided_power(e, x, about)
  return part_with(e, function(part)
    local operands = core.operands(part)
    if core.kind(part) ~= "power" or core.number_value(operands[2]) ~= nil or not contains(operands[1], x) then return false end
    local fine, base = protected(core.substitute, operands[1], { x }, { about })
    return not fine or base:is_zero() ~= false
  end)
end

-- 0^a has a value for positive a alone
local function has_power_of_zero(e)
  if core.kind(e) == "power" and core.number_value(core.operands(e)[1]) == 0 then return true end
  for _, part in ipairs(core.operands(e)) do if has_power_of_zero(part) then return true end end
  return false
end

-- The results of f; nil and the reason, without its place in the source, where it fails for the expression
local function attempt(f, ...)
  local results = table.pack(protected(f, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local reason = tostring(results[2])
  if core.host.interrupted() then fail("interrupted") end
  if reason:find("not enough memory", 1, true) then error(results[2], 0) end
  return nil, (reason:gsub("^[^\n]-:%d+: ", ""))
end

-- The value of e at a point; nil and the reason
local function value_at(e, x, about) return attempt(core.substitute, e, { x }, { about }) end

-- What must not vanish, or must be positive, for a node to have a value
local function witness_of_value(part)
  local operands = core.operands(part)
  local n = operands[2] and core.number_value(operands[2])
  if core.kind(part) == "power" and (n == nil or n < 0 or n % 1 ~= 0) then return operands[1] end
  if core.kind(part) ~= "call" then return nil end
  local name = core.name(part)
  return name == "log" and operands[1] or name == "tan" and core.functions.cos(operands[1]) or nil
end

-- Why a value, free of x, may not exist; nil: it does, for some values of the other symbols
local function doubtful(value)
  local reason = undefined.everywhere{ value }
  if reason then return reason end
  if has_power_of_zero(value) then return "it contains a power of zero" end
  local stack, met = { value }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      local witness = witness_of_value(part)
      local decided = not witness or core.kind(witness) == "symbol" or witness:is_zero() == false
      if not decided then return ("it is not decided whether %s is zero"):format(brief(witness)) end
      table.move(core.operands(part), 1, #core.operands(part), #stack + 1, stack)
    end
  end
end

-- The innermost part of e without a value at x = about
local function valueless(e, x, about)
  for _, operand in ipairs(core.operands(e)) do
    local value = value_at(operand, x, about)
    if not value or doubtful(value) then return valueless(operand, x, about) end
  end
  local value, reason = value_at(e, x, about)
  return e, reason or doubtful(value)
end

local function reason_of(e, k, x, about, reason)
  if k > 0 then return ("its derivative of order %d has no value there: %s"):format(k, reason) end
  local part, why = valueless(e, x, about)
  return part == e and why or ("%s has no value there: %s"):format(brief(part), why)
end

local ORDER_OF_DATA = { tabled = 0, tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }

-- A function of measured data in e that jumps at x = about, or ends there; nil: none
local function jump_of_data(e, x, about)
  local operands = core.operands(e)
  local order = core.kind(e) == "call" and ORDER_OF_DATA[core.name(e)]
  if order and object.contains(core.symbols{ operands[2] }, x) then
    local place = value_at(operands[2], x, about)
    local known = place and #core.symbols{ place } == 0
    if known and not core.data_is_continuous(core.number_value(operands[1]), core.value(place, {}, {}), order) then return e end
  end
  for _, operand in ipairs(operands) do
    local found = jump_of_data(operand, x, about)
    if found then return found end
  end
end

-- Taylor coefficients of e about a point up to x^n; nil and the reason where a derivative has no value there
local function taylor(e, x, n, about)
  local list, factorial, derivative = {}, core.rational(1), e
  for k = 0, n do
    if k > 0 then derivative, factorial = core.diff(derivative, x), factorial*k end
    local value, reason = value_at(derivative, x, about)
    reason = reason or doubtful(value)
    local jump = jump_of_data(derivative, x, about)
    if jump then return nil, ("%s jumps or ends there"):format(core.text(jump)) end
    if reason then return nil, reason_of(e, k, x, about, reason) end
    list[k + 1] = shortest(value)/factorial
  end
  return list
end

local ORDER = 12                       -- of a zero of a denominator

-- Coefficients of a quotient whose denominator vanishes there, as of sin(x)/x at 0; nil and the reason, if there is one
local function taylor_of_quotient(e, x, n, about)
  local above, below = attempt(core.fraction, e)
  local b = above and taylor(below, x, ORDER, about)
  local order = 0
  while b and order < ORDER and b[order + 1]:is_zero() == true do order = order + 1 end
  if not b or b[order + 1]:is_zero() ~= false then return nil end
  local a = taylor(above, x, n + order, about)
  b = a and taylor(below, x, n + order, about)
  if not b then return nil end
  for k = 1, order do
    local zero = a[k]:is_zero()
    if zero == false then return nil, "it has a pole there" end
    if zero == nil then return nil, ("it is not decided whether %s is zero"):format(brief(a[k])) end
  end
  local list = {}
  for k = 1, n + 1 do
    list[k] = a[k + order]
    for j = 1, k - 1 do list[k] = list[k] - b[order + 1 + k - j]*list[j] end
    list[k] = shortest(list[k]/b[order + 1])
  end
  return list
end

--- Taylor polynomial in a small parameter: e:series(eps, 2) up to eps^2, about eps = 0 or about the third argument. Where numerator and
--- denominator vanish together, as in sin(x)/x, it continues the quotient. An error, which names the part, where abs, sign, min or max turns a
--- corner there, at poles and branch points, as of sqrt(x) at 0 and acos(x) at 1, and where a part has no real value.
function methods.series(e, x, order, about)
  if not core.is_expression(x) or core.kind(x) ~= "symbol" then fail("series(x, order): x is a symbol") end
  if math.type(order) ~= "integer" or order < 0 then fail("series(x, order): the order is a whole number, not negative") end
  about = about or 0
  local function refuse(reason)
    fail("series: the expression has no Taylor series at %s = %s: %s", core.text(x), tostring(about), reason)
  end
  local power = undecided_power(e, x, about)
  if power then
    fail("series: whether %s has a Taylor series at %s = %s depends on its exponent, since its base vanishes there; give the exponent as a number",
      core.text(power), core.text(x), tostring(about))
  end
  local turning = corner(e, x, about)
  if turning then refuse(core.text(turning) .. " is not smooth there") end
  local list, cause = taylor(e, x, order, about)
  local reason
  if not list then list, reason = taylor_of_quotient(e, x, order, about) end
  if not list then refuse(reason or cause) end
  local sum = core.rational(0)
  for k, coefficient in ipairs(list) do sum = sum + coefficient*(x - about)^(k - 1) end
  return sum
end
