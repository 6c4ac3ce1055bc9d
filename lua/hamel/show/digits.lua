-- digits.lua: values that a text gives in decimals, compared to the last digit given: P:digits; P:exactly reads quantities at a point of S:reference,
-- P:root gives roots of polynomials.
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local Paper = require "hamel.show.paper"

local fail, number = object.fail, core.number
local FEWEST = 4                       -- significant digits that a value must have to be judged by them

-- What makes a number of a text part of a larger term: 1.2345*10^3, 1.2345 x 10^3, 1.2345 pi, 1.2345 + 2, 12.34%, 1.2345s
local CONTINUED = { "^%s*[*/^%%]", "^%s*·", "^%s*×", "^%s*x?%s*10%^", "^[%a_]", "^%s*%+", "^%s*%-%s*%d", "^%s*±", "^%s*pi%f[%W]", "^%s*sqrt%f[%W]" }

local function is_continued(text)
  for _, pattern in ipairs(CONTINUED) do if text:find(pattern) then return true end end
  return false
end

-- The decimals of a text that are compared: behind an equals sign, or behind another one and a comma, x = 1.2345, 2.3456. Each has its text and the size
-- of one unit of its last digit; 1.5e-3 has the unit 1e-4. No decimal is left out silently. where: the call and the line, for messages
local function decimals_of(what, where)
  local list, at, last = {}, 1, nil
  what = what:gsub("−", "-")
  while true do
    local first, mantissa_end = what:find("%f[%w_.]%d+%.%d+", at)
    if not first then return list end
    local exponent = what:match("^e([+-]?%d+)", mantissa_end + 1)
    local behind = mantissa_end + 1 + (exponent and #exponent + 1 or 0)
    local sign = what:sub(1, first - 1):match "[=(,%s](%-?)$" or ""
    local before, digits = what:sub(1, first - 1 - #sign), what:sub(first, mantissa_end)
    local text = sign .. what:sub(first, behind - 1)
    local significant = digits:gsub("%.", ""):gsub("^0+", "")
    local given = before:find "[^<>~=]=%s*%(?$" or last and before:sub(last):find "^%s*,%s*$"
    if given then
      if #significant < FEWEST then
        fail("%s: %s has only %d digit%s; P:agrees compares it with a tolerance", where, text, #significant, #significant == 1 and "" or "s")
      end
      if is_continued(what:sub(behind)) then
        fail("%s: %s is only a part of the value in \"%s\"; write a single decimal, as 1.2345e-3", where, text, what)
      end
      list[#list + 1] = { text = text, unit = 10.0^((tonumber(exponent) or 0) - #digits:match "%.(%d+)$") }
    elseif #significant >= FEWEST then
      fail("%s: %s stands behind no equals sign in \"%s\" and would not be compared; write name = %s, or put it into a text behind `how`", where, text, what,
        text)
    end
    at, last = behind, given and behind or nil
  end
end

-- The fraction that a double is
local function fraction(x)
  local exponent = 0
  while x ~= math.floor(x) do x, exponent = 2*x, exponent - 1 end
  return number(("%.0f"):format(x))*number(2)^exponent
end

-- |found - given|, found in quadruple precision: a number, a text, or an expression without symbols
local function difference(found, given, where)
  if found ~= found then return math.huge end
  local text = exact.text(found, where .. ": what was found")
  local value = text:find "0x" and fraction(tonumber(text)) or number(text)
  return math.abs(core.number_value(value - number(given)))
end

--- Values as the text gives them: each decimal behind an equals sign of `what`, or behind such a decimal and a comma, is compared with the entry of
--- `found` at its place and may differ by one unit of its last digit, no more. P:digits("S1", "x(10) = 1.2345678901, T = 0.98765, 0.87654",
--- { one.q.x, T1, T2 }, "reference solution"). A decimal of four digits or more that would not be compared is an error.
--- found: numbers, texts such as those of S:reference, or expressions without symbols. how: by what they were found. Texts that follow are shown below.
function Paper:digits(equation, what, found, how, ...)
  local where = ("P:digits: equation %s"):format(tostring(equation))
  if type(what) ~= "string" or type(found) ~= "table" or type(how) ~= "string" then
    fail("%s: a text with values is expected, then a list of those found, then by what they were found", where)
  end
  local given, worst, fine = decimals_of(what, where), 0, true
  if #given == 0 then fail("%s: no decimal stands behind an equals sign in \"%s\"", where, what) end
  if #given ~= #found then fail("%s: %d values are given in \"%s\", and %d found", where, #given, what, #found) end
  for i, value in ipairs(given) do
    local off = difference(found[i], value.text, where)/value.unit
    worst, fine = math.max(worst, off), fine and off <= 1
  end
  return self:holds(equation, what, fine, ("%s: off by %.1f units of the last digit given at most"):format(how, worst), ...)
end

--- A function that reads quantities of S at a point of S:reference, to its digits, for P:digits: local at = P:exactly(S, S:reference{...}); at(T).
function Paper:exactly(system, point)
  local function value_of(symbol)
    local name, order = core.name(symbol)
    if order == 1 then return point.v[name] or point.x[name .. "'"] end
    return order == 0 and (point.q[name] or point.x[name] or system._exact[name] or system._values[name]) or nil
  end
  return function(e)
    e = system:plain(system:admit(e, "P:exactly", 1))
    local from, to = {}, {}
    for _, symbol in ipairs(core.symbols{ e }) do
      local value = value_of(symbol)
      if value then from[#from + 1], to[#to + 1] = symbol, number(value) end
    end
    return core.substitute(e, from, to)
  end
end

local function product(a, b) return { a[1]*b[1] - a[2]*b[2], a[1]*b[2] + a[2]*b[1] } end

-- The coefficients of P:root as they are given, exactly, and its guess in fractions
local function root_arguments(coefficients, re, im)
  if type(coefficients) ~= "table" or #coefficients < 2 then
    fail("P:root: the first argument is the list of coefficients from the power 0 on, as in P:root({ -2, 0, 1 }, 1.414)")
  end
  local list = {}
  for k, value in ipairs(coefficients) do list[k] = exact.number(value, ("P:root: coefficient %d"):format(k)) end
  for _, part in ipairs{ re or false, im } do
    if math.type(part) == nil or part ~= part or math.abs(part) == math.huge then
      fail("P:root: behind the coefficients stands a guess of the root: a number, or real and imaginary part, as in P:root({ 1, 0, 1 }, 0, 1)")
    end
  end
  return list, { number(("%.15g"):format(re)), number(("%.15g"):format(im)) }
end

local CLOSE, STEPS = 1e-20, 60         -- a step of Newton's method this long against the root doubles these digits; a simple root needs far fewer steps

local function length(z) return math.sqrt(core.number_value(z[1])^2 + core.number_value(z[2])^2) end

-- Fractions grow with each step: they are cut to the digits of quadruple precision
local function rounded(value)
  local x = core.symbol("x", symbols.EXTERNAL)
  return number(core.program({ x }, { x }):eval_quad{ exact.text(value, "P:root") }[1])
end

-- One step of Newton's method from z in fractions: the next z and the length of the step
local function newton(list, z)
  local value, slope = { number(0), number(0) }, { number(0), number(0) }
  for k = #list, 1, -1 do
    slope = product(slope, z)
    slope = { slope[1] + value[1], slope[2] + value[2] }
    value = product(value, z)
    value[1] = value[1] + list[k]
  end
  local size = slope[1]^2 + slope[2]^2
  if size == number(0) then return nil end
  local quotient = product(value, { slope[1], -slope[2] })
  local step = { quotient[1]/size, quotient[2]/size }
  return { z[1] - step[1], z[2] - step[2] }, length(step)
end

--- The simple root near re + i im of a polynomial with exact coefficients, a list from the power 0 on: real and imaginary part as fractions, right to
--- more than thirty digits, for P:digits. P:root({ -2, 0, 1 }, 1.414) is the square root of 2.
function Paper:root(coefficients, re, im)
  local list, z = root_arguments(coefficients, re, im or 0)
  for _ = 1, STEPS do
    local found, step = newton(list, z)
    if not found then break end
    if step <= CLOSE*length(found) then return found[1], found[2] end
    z = { rounded(found[1]), rounded(found[2]) }
  end
  fail("P:root: Newton's method finds no simple root near %s; give a guess that is nearer to one", im and ("%s + %s i"):format(re, im) or tostring(re))
end

return Paper
