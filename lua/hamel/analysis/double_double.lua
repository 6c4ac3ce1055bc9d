-- double_double.lua: numbers as sums of two doubles, high + low, for about 31 digits.
-- Source: Dekker, A floating-point technique for extending the available precision (1971).
local core = require "hamel.core"

local double_double = {}

local SPLIT = 2^27 + 1

-- a + b exactly
local function two_sum(a, b)
  local s = a + b
  local c = s - a
  return s, (a - (s - c)) + (b - c)
end

-- a b exactly
local function two_product(a, b)
  local p, x, y = a*b, SPLIT*a, SPLIT*b
  local a1, b1 = x - (x - a), y - (y - b)
  local a2, b2 = a - a1, b - b1
  return p, ((a1*b1 - p) + a1*b2 + a2*b1) + a2*b2
end

local function normal(s, e)
  local high = s + e
  return { high, e - (high - s) }
end

--- A double as such a number; low: what else belongs to it (nil: nothing).
function double_double.of(high, low) return { high, low or 0.0 } end

--- a + b
function double_double.sum(a, b)
  local s, e = two_sum(a[1], b[1])
  return normal(s, e + (a[2] + b[2]))
end

--- a b
function double_double.product(a, b)
  local p, e = two_product(a[1], b[1])
  return normal(p, e + (a[1]*b[2] + a[2]*b[1]))
end

--- - a
function double_double.negative(a) return { -a[1], -a[2] } end

--- a/b
function double_double.quotient(a, b)
  local q = { a[1]/b[1], 0.0 }
  for _ = 1, 2 do
    local left = double_double.sum(a, double_double.negative(double_double.product(q, b)))
    q = normal(q[1], q[2] + left[1]/b[1])
  end
  return q
end

local difference                       -- the program of x - y

--- The numbers of texts in decimal digits, as core.program:eval_quad gives them.
function double_double.of_texts(texts)
  if not difference then
    local x, y = core.symbol "x", core.symbol "y"
    difference = core.program({ x, y }, { x - y })
  end
  local list = {}
  for i, text in ipairs(texts) do
    local high = tonumber(text) + 0.0
    local low = high - high == 0 and tonumber(difference:eval_quad{ text, ("%a"):format(high) }[1]) or 0.0
    list[i] = { high, low }
  end
  return list
end

return double_double
