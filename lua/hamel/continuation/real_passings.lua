-- real_passings.lua: where real eigenvalues of a state of rest seem to pass zero and determinants do not tell: does one of them pass, or do two meet and pass
-- as a pair?
--
-- Of y'' + c y' + k y = 0 with a large c the eigenvalues are -c and -k/c. Where c changes its sign they meet and pass the axis as a pair of the frequency
-- sqrt(k), perhaps within the last digits of the parameter, so that only real ones are seen. Their product, k, does not vanish there.
local corrector = require "hamel.continuation.corrector"
local states = require "hamel.continuation.states"

local real_passings = {}

local modulus = states.modulus

local KNOWN = 10                        -- times its uncertainty: a real part whose sign is known
local UNIT, FIRST, WIDER = 2^-52, 4, 4  -- the first distance, in roundings of the value; each one over that before
local ALIKE = 1e-6                      -- of the frequency: what it may differ by on both sides, and at two distances

-- The eigenvalues left and right of the axis at a point; nil where one is not known to be either
local function sides_at(problem, point)
  local left, right = {}, {}
  for _, e in ipairs(problem:known(point)) do
    local off = math.min(e.uncertainty, e.aside or math.huge)
    if not e.exact or not (math.abs(e.re) > KNOWN*off) then return nil end
    local list = e.re < 0 and left or right
    list[#list + 1] = e
  end
  return left, right
end

-- How far from each other two eigenvalues are, relative to their size
local function difference(a, b) return modulus{ re = a.re - b.re, im = a.im - b.im }/math.max(modulus(a), modulus(b)) end

-- Those of a list that continue none of another one, of which there are fewer
local function others(list, fewer)
  local rest = table.move(list, 1, #list, 1, {})
  for _, e in ipairs(fewer) do
    local best = 1
    for i in ipairs(rest) do if difference(e, rest[i]) < difference(e, rest[best]) then best = i end end
    table.remove(rest, best)
  end
  return rest
end

-- Between two points: how many eigenvalues pass, and if two the root of the product of both; nil: not known
local function between(problem, one, other)
  local left, right = sides_at(problem, one)
  local left_after, right_after = sides_at(problem, other)
  if not left or not left_after then return nil end
  local count = #right_after - #right
  if math.abs(count) ~= 2 then return math.abs(count) end
  if count < 0 then left, right, left_after, right_after = left_after, right_after, left, right end
  local before, after = others(left, left_after), others(right_after, right)
  local frequency, again = math.sqrt(modulus(before[1])*modulus(before[2])), math.sqrt(modulus(after[1])*modulus(after[2]))
  if not (math.abs(frequency - again) <= ALIKE*frequency) then return nil end
  return 2, (frequency + again)/2
end

--- What passes the axis at a place { length, point } of the step from one point to another, where a real eigenvalue seems to: "one"; "pair", with its
--- frequency, and how far from the place it may be in the value; nil: it is not known. from, to: points; low, high: lengths between which nothing else passes
function real_passings.kind(problem, from, to, place, low, high)
  local slope = math.max(math.abs(from.slope), math.abs(to.slope), UNIT)
  local d, last = FIRST*UNIT*math.max(corrector.unit(problem), math.abs(place.point.value))/slope, nil
  while place.length - d > low and place.length + d < high do
    local one, other = corrector.within(problem, from, to, place.length - d), corrector.within(problem, from, to, place.length + d)
    local count, frequency
    if one and other then count, frequency = between(problem, one, other) end
    if count == 1 then return "one" end
    if frequency and last and math.abs(frequency - last) <= ALIKE*last then return "pair", frequency, d*slope end
    d, last = WIDER*d, frequency
  end
  return nil
end

return real_passings
