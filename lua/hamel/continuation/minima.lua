-- minima.lua: times at which the record of a motion is looked at, and least values between them.
local minima = {}

local CLOSER, ROUNDS = 20, 40           -- a place known to 1e-8 of the interval gives the least value to rounding

local RESOLVED = 1e-13                  -- of the times and the span of a record: values at times that are nearer to each other differ by rounding alone

--- Times within the steps of a record, `within` for each, and nearer and nearer to both ends, where what is zero at the end may change its sign shortly before.
function minima.times(raw, within)
  local list, last = { raw:time(1) }, raw:points()
  local first, finish = list[1], raw:time(last)
  local least = RESOLVED*math.max(math.abs(first), math.abs(finish), finish - first)
  local function add(t) if t - list[#list] > least then list[#list + 1] = t end end
  for k = 2, last do
    local from, to = raw:time(k - 1), raw:time(k)
    local part = (to - from)/within
    if k == 2 then for j = CLOSER, 1, -1 do add(from + part/2^j) end end
    for j = 1, within - 1 do add(from + part*j) end
    if k == last then for j = 1, CLOSER do add(to - part/2^j) end end
    add(to)
  end
  if list[#list] < finish then list[math.max(2, #list)] = finish end
  return list
end

local LEVEL = 1e-14                     -- of the unit of values: what rounding may change them by

--- Is there a minimum within a list of values at the number k? On both sides values must come to be higher by more than rounding before a lower one, or an
--- end, follows: where a value is zero at an end, as a gap that is met slowly, rounding makes minima beside it.
function minima.is_at(values, k, unit)
  if not (values[k] <= values[k - 1] and values[k] < values[k + 1]) then return false end
  for way = -1, 1, 2 do
    local j = k + way
    while values[j] and values[j] <= values[k] + LEVEL*unit do
      if values[j] < values[k] then return false end
      j = j + way
    end
    if not values[j] then return false end
  end
  return true
end

--- The least value of f between two times where it has one minimum, and its time, by the golden section.
function minima.between(f, low, high)
  local golden = (3 - math.sqrt(5))/2
  local a, b = low + golden*(high - low), high - golden*(high - low)
  local fa, fb = f(a), f(b)
  for _ = 1, ROUNDS do
    if fa < fb then
      high, b, fb = b, a, fa
      a = low + golden*(high - low)
      fa = f(a)
    else
      low, a, fa = a, b, fb
      b = high - golden*(high - low)
      fb = f(b)
    end
  end
  return math.min(fa, fb), fa < fb and a or b
end

return minima
