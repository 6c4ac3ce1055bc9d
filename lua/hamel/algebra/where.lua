-- where.lua: functions made of pieces: conditions on expressions, the values where they hold, steps and ramps. They are built of sign, min and
-- max, whose corners runs find; pieces.lua takes such expressions apart.
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local fail, methods = object.fail, core.methods
local where = {}

-- A condition: its indicator is 1 where it holds, else 0
local Condition = object.class "Condition"

local function condition(indicator, text) return setmetatable({ indicator = indicator, text = text }, Condition.meta) end
local function is_condition(c) return getmetatable(c) == Condition.meta end

local function expression(e, what)
  if type(e) == "number" then return core.number(e) end
  return core.is_expression(e) and e or fail("%s is an expression or a number, not %s", what, type(e))
end

-- 1 where e > 0, e < 0, e >= 0, e <= 0, else 0; exact at e = 0, too
local function above(e)
  local s = core.functions.sign(e)
  return (s^2 + s)/2
end
local function below(e) return above(-e) end
local function not_below(e) return 1 - below(e) end
local function not_above(e) return 1 - above(e) end

-- The condition a < b, ... from the indicator of a - b
local function compared(a, operator, b, indicator)
  local left, right = expression(a, "the left side of " .. operator), expression(b == nil and 0 or b, "the right side of " .. operator)
  return condition(indicator(left - right), ("%s %s %s"):format(core.text(left), operator, core.text(right)))
end

--- The condition e < b (b is 0 when not given), for hm.where and hm.piecewise: x:lt(1).
function methods.lt(e, b) return compared(e, "<", b, below) end
--- The condition e <= b.
function methods.le(e, b) return compared(e, "<=", b, not_above) end
--- The condition e > b.
function methods.gt(e, b) return compared(e, ">", b, above) end
--- The condition e >= b.
function methods.ge(e, b) return compared(e, ">=", b, not_below) end

local function both(a, b, what)
  if not is_condition(a) or not is_condition(b) then fail("%s joins two conditions, as in x:gt(0) %s x:lt(1)", what, what) end
end

--- Both conditions: x:gt(0) & x:lt(1).
function Condition.meta.__band(a, b)
  both(a, b, "&")
  return condition(a.indicator*b.indicator, ("(%s) & (%s)"):format(a.text, b.text))
end
--- One of the conditions, or both: x:lt(0) | x:gt(1).
function Condition.meta.__bor(a, b)
  both(a, b, "|")
  return condition(a.indicator + b.indicator - a.indicator*b.indicator, ("(%s) | (%s)"):format(a.text, b.text))
end
--- The opposite of a condition: ~x:lt(0).
function Condition.meta.__bnot(a) return condition(1 - a.indicator, ("~(%s)"):format(a.text)) end
function Condition.meta.__tostring(c) return c.text end

local function demand_condition(c, what)
  if is_condition(c) then return end
  fail("%s: a condition is written x:lt(0), x:le(0), x:gt(0) or x:ge(0), joined by & and |, not %s", what,
    type(c) == "boolean" and "a boolean: < and == compare at once" or type(c))
end

local function chosen(c, a, b) return a*c.indicator + b*(1 - c.indicator) end

--- a where the condition holds, b elsewhere: hm.where(x:lt(0), -k*x, 0). Conditions are x:lt(e), x:le(e), x:gt(e), x:ge(e), joined by & (and),
--- | (or), ~ (not). Both values must be defined everywhere: hm.where(x:gt(0), hm.sqrt(x), 0) has no value at x < 0. The steps of a run end where a
--- condition changes.
function where.where(c, a, b)
  demand_condition(c, "hm.where")
  return chosen(c, expression(a, "hm.where: the value where the condition holds"), expression(b, "hm.where: the value elsewhere"))
end

--- A function of pieces: hm.piecewise{ { x^2, x:lt(0) }, { x, x:lt(1) }, 1 }: the value of the first piece whose condition holds, and the last entry
--- where none does. As by hm.where, all values must be defined everywhere.
function where.piecewise(list)
  if type(list) ~= "table" or core.is_expression(list) or #list < 2 then
    fail("hm.piecewise takes pieces and the value elsewhere: hm.piecewise{ { x^2, x:lt(0) }, { x, x:lt(1) }, 1 }")
  end
  local last = list[#list]
  if type(last) == "table" then fail("hm.piecewise: the last entry is the value where no condition holds, without a condition") end
  local result = expression(last, "hm.piecewise: the last entry")
  for i = #list - 1, 1, -1 do
    local piece = list[i]
    if type(piece) ~= "table" or #piece ~= 2 then fail("hm.piecewise: piece %d is { value, condition }", i) end
    if is_condition(piece[1]) and not is_condition(piece[2]) then
      fail("hm.piecewise: piece %d: the value comes first, then its condition: { x^2, x:lt(0) }", i)
    end
    demand_condition(piece[2], ("hm.piecewise: piece %d"):format(i))
    result = chosen(piece[2], expression(piece[1], ("hm.piecewise: the value of piece %d"):format(i)), result)
  end
  return result
end

--- 0 before e = 0, 1 from there on: hm.step(hm.t - 2) for a force that sets in at t = 2.
function where.step(e) return not_below(expression(e, "hm.step: the argument")) end

--- 0 up to e = from, 1 from e = to on, a straight line between: F*hm.ramp(hm.t, 1, 3).
function where.ramp(e, from, to)
  e, from, to = expression(e, "hm.ramp: the argument"), expression(from, "hm.ramp: its begin"), expression(to, "hm.ramp: its end")
  local length = options.number(to - from)
  if length and length <= 0 then fail("hm.ramp(e, from, to): from = %s is not below to = %s", core.text(from), core.text(to)) end
  return core.functions.max(core.functions.min((e - from)/(to - from), 1), 0)
end

return where
