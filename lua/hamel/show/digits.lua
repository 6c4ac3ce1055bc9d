-- digits.lua: values that a text gives in decimals, compared to the last digit given: P:digits; P:exactly reads quantities at a point of S:reference,
-- P:root gives roots of polynomials.
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local Paper = require "hamel.show.paper"

local fail, number = object.fail, core.number
local FEWEST = 4                       -- significant digits that a value must have to be judged by them

-- The decimals that follow an equals sign, with the size of one unit of the last digit; 1.5e-3 has the unit 1e-4
local function decimals_of(what)
  local list = {}
  for text in what:gmatch "=%s*(%-?%d+%.%d+[%de%-]*)" do
    local digits, exponent = text:match "^%-?([%d%.]+)e?(.*)$"
    local significant = digits:gsub("%.", ""):gsub("^0+", "")
    if #significant < FEWEST then fail("P:digits: %s has only %d digits; P:agrees compares it with a tolerance", text, #significant) end
    list[#list + 1] = { text = text, unit = 10.0^((tonumber(exponent) or 0) - #digits:match "%.(%d+)$") }
  end
  return list
end

-- The fraction that a double is
local function fraction(x)
  local exponent = 0
  while x ~= math.floor(x) do x, exponent = 2*x, exponent - 1 end
  return number(("%.0f"):format(x))*number(2)^exponent
end

-- |found - given|, found in quadruple precision: a number, a text, or an expression without symbols
local function difference(found, given)
  if found ~= found then return math.huge end
  local text = exact.text(found, "P:digits: what was found")
  local value = text:find "0x" and fraction(tonumber(text)) or number(text)
  return math.abs(core.number_value(value - number(given)))
end

--- Values as the text gives them: each decimal behind an equals sign of `what` is compared with the entry of `found` at its place and may differ by one
--- unit of its last digit, no more. P:digits("S1", "x(10) = 1.2345678901, T = 0.98765", { one.q.x, energy }, "reference solution").
--- found: numbers, texts such as those of S:reference, or expressions without symbols. how: by what they were found. Texts that follow are shown below.
function Paper:digits(equation, what, found, how, ...)
  if type(what) ~= "string" or type(found) ~= "table" or type(how) ~= "string" then
    fail("P:digits(equation, what, found, how): a text with values, a list of those found, and by what they were found")
  end
  local given, worst, fine = decimals_of(what), 0, true
  if #given == 0 then fail("P:digits: no decimal stands behind an equals sign in \"%s\"", what) end
  if #given ~= #found then fail("P:digits: %d values are given in \"%s\", and %d found", #given, what, #found) end
  for i, value in ipairs(given) do
    local off = difference(found[i], value.text)/value.unit
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

--- The root near re + i im of a polynomial with exact coefficients, a list from the power 0 on: real and imaginary part as fractions, after two steps of
--- Newton from fifteen digits, for P:digits. P:root({ -2, 0, 1 }, 1.414) is the square root of 2 to more than thirty digits.
function Paper:root(coefficients, re, im)
  local z = { number(("%.15g"):format(re)), number(("%.15g"):format(im or 0)) }
  for _ = 1, 2 do
    local value, slope = { number(0), number(0) }, { number(0), number(0) }
    for k = #coefficients, 1, -1 do
      slope = product(slope, z)
      slope = { slope[1] + value[1], slope[2] + value[2] }
      value = product(value, z)
      value[1] = value[1] + coefficients[k]
    end
    local size, quotient = slope[1]^2 + slope[2]^2, product(value, { slope[1], -slope[2] })
    z = { z[1] - quotient[1]/size, z[2] - quotient[2]/size }
  end
  return z[1], z[2]
end

return Paper
