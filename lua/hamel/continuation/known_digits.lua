-- known_digits.lua: values in words, without digits beyond what they are known to.

local MOST = 10                        -- of a printed value

-- The decimal place of the first digit of a number as it is printed
local function place_of(format, number) return tonumber(format:format(number):match "e([+-]%d+)$") end

--- A value that is known to `accuracy` (nil: to all digits) with at most `most` digits (nil: 10).
return function(value, accuracy, most)
  most = most or MOST
  local last = accuracy and place_of("%.0e", accuracy)
  if not last then return ("%%.%dg"):format(most):format(value) end
  local unit = 10.0^last
  if math.abs(value) < unit then value = math.abs(value) < unit/2 and 0 or value < 0 and -unit or unit end
  local digits = value == 0 and 1 or place_of("%.9e", value) - last + 1
  return ("%%.%dg"):format(math.max(1, math.min(most, digits))):format(value)
end
