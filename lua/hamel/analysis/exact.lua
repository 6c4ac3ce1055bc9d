-- exact.lua: exact numbers for quadruple precision and for balls: exact values as texts, and equations in which parameters with such values
-- replace all numbers that are not doubles.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local exact = {}

local PI = "3.14159265358979323846264338327950288419716939937510"

-- A rational number, which an inexact one is as well: a double, or a sum or product of doubles to 100 bits and more
local function text_of_number(e)
  if core.is_double(e) then return ("%a"):format(core.number_value(e)) end
  local p, q = core.fraction(core.exact_number(e))
  return ("%s/%s"):format(p, q)
end

-- Is the number a double, and small enough for exact arithmetic with others?
local function is_double(e)
  if core.kind(e) == "float" then return core.is_double(e) end
  local p, q = core.fraction(e)
  local numerator, denominator = math.tointeger(tonumber(tostring(p))), math.tointeger(tonumber(tostring(q)))
  return numerator and denominator and math.abs(numerator) < 2^53 and denominator & (denominator - 1) == 0 or false
end

local SHORT = 2^15                     -- three such numbers in a product, and the whole numbers of a series, are a double still

-- Is the number a double whose products with others like it are doubles? Programs multiply their numbers with each other, each product rounded to a double
local function is_short(e)
  if core.kind(e) == "float" or not is_double(e) then return false end
  local odd = math.abs(math.tointeger(tonumber(tostring((core.fraction(e))))))
  while odd ~= 0 and odd & 1 == 0 do odd = odd >> 1 end
  return odd < SHORT
end

local function is_number(e)
  local kind = core.kind(e)
  return kind == "number" or kind == "float"
end

-- Measured data hold doubles, and their numbers name tables
local function is_table(e) return core.kind(e) == "call" and core.name(e):find "^tabled" ~= nil end

-- An expression without symbols as a function of its numbers: inputs, their texts, the expression
local function opened(e)
  local inputs, texts, known = {}, {}, {}
  local function open(node)
    if known[node] then return known[node] end
    local pi = core.kind(node) == "call" and core.name(node) == "pi"
    if is_number(node) or pi then
      inputs[#inputs + 1] = core.symbol("number" .. #inputs, symbols.EXTERNAL)
      texts[#inputs], known[node] = pi and "pi" or text_of_number(node), inputs[#inputs]
      return known[node]
    end
    local list = core.operands(node)
    for i, operand in ipairs(list) do
      -- square roots and whole powers do not change
      local exponent = i == 2 and core.kind(node) == "power" and is_number(operand) and is_double(operand)
      list[i] = exponent and operand or open(operand)
    end
    known[node] = pieces.rebuilt(node, list)
    return known[node]
  end
  return inputs, texts, open(e)
end

-- Value of an expression without symbols: a program of its numbers, in quadruple precision
local function text_of_constant(e)
  if is_number(e) then return text_of_number(e) end
  local inputs, texts, f = opened(e)
  for i, text in ipairs(texts) do if text == "pi" then texts[i] = PI end end
  return core.program(inputs, { f }):eval_quad(texts)[1]
end

-- The same as a ball of that many bits
local function ball_of_constant(e, bits)
  if is_number(e) then return core.ball(text_of_number(e), bits) end
  local inputs, texts, f = opened(e)
  for i, text in ipairs(texts) do texts[i] = core.ball(text, bits + 10) end
  return core.ball_values(core.program({ core.symbol("t", symbols.TIME), table.unpack(inputs) }, { f }), core.ball("0", 2), texts, bits)[1]
end

--- The value of a number, a text or an expression without symbols as a text in quadruple precision: decimals of Lua such as 0.1 are the
--- decimal, as in expressions; numbers that are no short decimals or fractions are the double they are.
---@param what string the place, for messages
function exact.text(value, what) return text_of_constant(exact.number(value, what)) end

--- The same as an expression without symbols.
function exact.number(value, what)
  if type(value) ~= "number" and type(value) ~= "string" and not core.is_expression(value) then fail("%s is a %s, not a number", what, type(value)) end
  if type(value) == "number" and (value ~= value or math.abs(value) == math.huge) then fail("%s is %s", what, object.number(value)) end
  local fine, e = protected(function() return core.is_expression(value) and value or core.number(value) end)
  if not fine then fail("%s: '%s' is not a number", what, tostring(value)) end
  if #core.symbols{ e } > 0 then fail("%s is an expression with symbols, not a number", what) end
  return e
end

--- A ball of that many bits around the exact value of a number, a text or an expression without symbols; a ball is itself, { low, high } the
--- ball between two values. The second result: is it a box of values, not one value?
function exact.ball(value, what, bits)
  if core.is_ball(value) then return value, true end
  if type(value) ~= "table" then return ball_of_constant(exact.number(value, what), bits), false end
  if #value ~= 2 then fail("%s is a table of %d values; a box is { low, high }", what, #value) end
  local low, high = exact.ball(value[1], what, bits), exact.ball(value[2], what, bits)
  if low.upper > high.upper then fail("%s: { low, high } = { %s, %s } goes from the larger to the smaller", what, tostring(value[1]), tostring(value[2])) end
  return core.ball_between(low, high, bits), true
end

local Lifter = {}
Lifter.__index = Lifter

--- Turns numbers into symbols: lifter.symbols, with lifter.values (doubles), lifter.texts and lifter.exact (expressions). taken: lists of symbols and names
--- that the expressions may hold; the new symbols have other names.
function exact.lifter(taken)
  local self = setmetatable({ symbols = {}, values = {}, texts = {}, exact = {}, _known = {}, _taken = {} }, Lifter)
  for _, list in ipairs(taken) do
    for _, s in ipairs(list) do self._taken[core.is_expression(s) and core.name(s) or s] = true end
  end
  return self
end

--- The lifter for equations of a system in several forms.
function exact.lifter_of(system, ...)
  local taken = { system.coordinate_names, system.parameter_names }
  for _, E in ipairs{ ... } do taken[#taken + 1], taken[#taken + 2] = E.dyn, E.multipliers end
  return exact.lifter(taken)
end

--- Is this the name of such a symbol?
function exact.is_lifted(name) return name:find "^constant%d+_*$" ~= nil end

-- The symbol in place of an expression without symbols
function Lifter:constant(e)
  local name = "constant" .. #self.symbols + 1
  while self._taken[name] do name = name .. "_" end
  local symbol = core.symbol(name, symbols.EXTERNAL)
  table.insert(self.symbols, symbol)
  table.insert(self.texts, text_of_constant(e))
  table.insert(self.exact, e)
  table.insert(self.values, core.number_value(core.program({}, { e }):eval{}[1]))
  return symbol
end

--- The expression with symbols in place of the numbers that are no doubles, or whose products with others are none.
function Lifter:expression(e)
  if type(e) == "number" then e = core.number(e) end
  local function lift(node)
    local known = self._known[node]
    if known then return known.e, known.constant end
    local kind, result, constant = core.kind(node), node, true
    if is_number(node) then
      result = is_short(node) and node or self:constant(node)
    elseif kind == "symbol" or is_table(node) then
      constant = false
    else
      local list = core.operands(node)
      for i, operand in ipairs(list) do
        local one = true
        -- square roots and whole powers do not change
        if i ~= 2 or kind ~= "power" or not is_number(operand) or not is_double(operand) then list[i], one = lift(operand) end
        constant = constant and one
      end
      result = constant and self:constant(node) or pieces.rebuilt(node, list)
    end
    self._known[node] = { e = result, constant = constant }
    return result, constant
  end
  return (lift(e))
end

--- The values of the symbols as balls.
function Lifter:balls(bits)
  local list = {}
  for i, e in ipairs(self.exact) do list[i] = ball_of_constant(e, bits) end
  return list
end

--- The equations without numbers that are no doubles, and without their energies, from which a program would round quotients of numbers.
--- names: of fields beyond those of which a model is made.
function Lifter:equations(E, names)
  local fields = { "k", "r", "b", "positions", "velocities", "v", "from_velocities", "mu_of" }
  local plain = { "system", "form", "kin", "dyn", "dyn_names", "multipliers", "names", "row_names", "mu" }
  local result = { constants = self, key = false, whole_course = false }
  for _, name in ipairs(plain) do result[name] = E[name] end
  for _, list in ipairs{ fields, names or {} } do
    for _, name in ipairs(list) do result[name] = E[name] and self:all(E[name]) end
  end
  for _, name in ipairs{ "M", "A" } do result[name] = self:rows(E[name]) end
  result.positions, result.velocities = result.positions or {}, result.velocities or {}
  return result
end

--- The same for every expression in a list, or a list of lists, or a record of them.
function Lifter:all(list)
  if not list then return list end
  if core.is_expression(list) or type(list) == "number" then return self:expression(list) end
  local result = {}
  for key, item in pairs(list) do
    result[key] = (type(item) == "table" or core.is_expression(item)) and self:all(item) or item
  end
  return result
end

--- Rows of coefficients that a linear solve divides by: there every number but zero becomes a symbol, since a program makes quotients of its
--- numbers doubles.
function Lifter:rows(list)
  local result = {}
  for i, row in ipairs(list or {}) do
    result[i] = {}
    for j, e in ipairs(row) do
      e = self:expression(e)
      if is_number(e) and core.number_value(e) ~= 0 then
        self._divisors = self._divisors or {}
        self._divisors[e] = self._divisors[e] or self:constant(e)
        e = self._divisors[e]
      end
      result[i][j] = e
    end
  end
  return list and result
end

return exact
