-- hidden_zeros.lua: may a function pass zero more often between two samples than their signs say, as where it passes zero and comes back?
--
-- Between samples at a and b a function is its chord plus q(x)(x - a)(x - b), where q is its second divided difference at a, b and x. Where the third
-- derivative keeps its sign, q lies between its values at a sample on the left and one on the right; it is given some room besides. So two parabolas
-- enclose the function. Without others on one side, q goes on from two samples on the other side.
local hidden_zeros = {}

local CLOSE = 0.1                       -- of a part: samples nearer to its ends say nothing of q but rounding
local ROOM, MORE_ROOM = 0.5, 1          -- of the change of q; where it goes on from one side

-- The nearest sample beside the number k that is not too close to it, or the last one there is; way = -1: on its left, 1: on its right
local function beside(samples, k, way, width)
  local best
  for j = k + way, way < 0 and 1 or #samples, way do
    best = j
    if math.abs(samples[j].length - samples[k].length) >= CLOSE*width then break end
  end
  return best
end

-- The values of q at a sample beside the part from a to b, and where it goes on to at the end that is farther away, with two and with three samples; nil:
-- samples are missing. near: the number of the sample, way: in which direction the others are
local function gone_on(samples, near, way, a, b, q)
  local far = near and beside(samples, near, way, b - a)
  if not far then return nil end
  local x, x_far, end_of_part = samples[near].length, samples[far].length, way < 0 and b or a
  local here, there = q(near), q(far)
  local third = (here - there)/(x - x_far)
  local reached = here + third*(end_of_part - x)
  local farther = beside(samples, far, way, b - a)
  if not farther then return here, reached, reached, math.abs(third) end
  local x_farther = samples[farther].length
  local fourth = (third - (there - q(farther))/(x_far - x_farther))/(x - x_farther)
  local again = reached + fourth*(end_of_part - x)*(end_of_part - x_far)
  return here, reached, again, math.max(math.abs(third), math.abs((again - here)/(end_of_part - x)))
end

-- The values between which q lies in the part between the samples number k - 1 and k, and a bound of its derivative; nil: samples are missing
local function curvatures(samples, k, value_of)
  local a, b = samples[k - 1].length, samples[k].length
  local one, other = value_of(samples[k - 1]), value_of(samples[k])
  local function q(j)
    local x, value = samples[j].length, value_of(samples[j])
    return ((other - one)/(b - a) - (one - value)/(a - x))/(b - x)
  end
  local left, right = beside(samples, k - 1, -1, b - a), beside(samples, k, 1, b - a)
  local first, second, more, third
  if left and right then
    first, second = q(left), q(right)
    more, third = second, math.abs((second - first)/(samples[right].length - samples[left].length))
  else
    first, second, more, third = gone_on(samples, left or right, left and -1 or 1, a, b, q)
    if not first then return nil end
  end
  local least, most, part = math.min(first, second, more), math.max(first, second, more), left and right and ROOM or MORE_ROOM
  local room = part*(most - least)
  return least - room, most + room, (1 + 2*part)*third
end

local INNER = 0.1                       -- of a part: how far from its ends it is divided at least

local function inner(part) return math.max(INNER, math.min(1 - INNER, part)) end

-- Where two positive values with the chord of a slope, which are a width apart, may have zeros between them: a part of the width. least, most: of q.
-- nothing: values that count as zero
local function below(one, other, width, least, most, nothing)
  if not (most > 0) then return nil end
  local slope = (other - one)/width
  local t = (width - slope/most)/2
  if not (t > 0 and t < width) then return nil end
  local lowest = one - most*t*t
  if lowest > (math.min(one, other) <= nothing and -nothing or 0) then return nil end
  local middle = (least + most)/2
  return middle > 0 and inner((1 - slope/middle/width)/2) or 0.5
end

-- The zero of the parabola with the values one < 0 at 0 and the chord of a slope up to a positive value
local function zero_of(one, slope, width, q)
  local b = slope - q*width
  local root = math.sqrt(math.max(0, b*b - 4*q*one))
  return b >= 0 and -2*one/(b + root) or (root - b)/(2*q)
end

-- Where a value that passes from one < 0 to other > 0 may do so three times: a part of the width
local function thrice(one, other, width, least, most, third)
  local slope = (other - one)/width
  local steepest = math.huge
  for _, at in ipairs{ least, most } do
    local t = zero_of(one, slope, width, at)
    for _, q in ipairs{ least, most } do steepest = math.min(steepest, slope + q*(2*t - width)) end
  end
  return not (steepest > third*width*width/4) and 0.5 or nil
end

--- May a function have zeros between the samples { length } number k - 1 and k of a list, in the order of their lengths, that the signs of its values do not
--- show? A length between them at which to look, or nil. value_of(sample): the value; nothing: values that count as zero.
--- The second result: are there too few samples to tell?
function hidden_zeros.place(samples, k, value_of, nothing)
  local low, high = samples[k - 1], samples[k]
  local one, other, width = value_of(low), value_of(high), high.length - low.length
  local least, most, third = curvatures(samples, k, value_of)
  if not least then return nil, true end
  local sign = math.abs(one) > math.abs(other) and (one > 0 and 1 or -1) or (other > 0 and 1 or -1)
  local part
  if sign < 0 then one, other, least, most = -one, -other, -most, -least end
  if one >= -nothing and other >= -nothing then
    part = below(math.max(one, 0), math.max(other, 0), width, least, most, nothing)
  elseif math.min(math.abs(one), math.abs(other)) > nothing then
    if one > 0 then one, other, least, most = -one, -other, -most, -least end
    part = thrice(one, other, width, least, most, third)
  end
  return part and low.length + part*width or nil
end

local APART = 1e-9                      -- of the length of a list: nearer samples are one

--- Adds samples at some lengths, in their order, to a list; insert: see hidden_zeros.divide.
function hidden_zeros.add(list, lengths, insert)
  local k, least = 2, APART*(list[#list].length - list[1].length)
  for _, length in ipairs(lengths) do
    while k < #list and list[k].length <= length do k = k + 1 end
    if length - list[k - 1].length > least and list[k].length - length > least then insert(k, length) end
  end
end

--- Divides the parts between the samples of a list, `most` times at most. place(k): a length in the part before the number k at which to look, or nil;
--- insert(k, length): adds a sample there before the number k, and tells whether there is one. Returns the numbers k of the parts that would be divided
--- further.
function hidden_zeros.divide(list, most, place, insert)
  local k = 2
  while k <= #list and most > 0 do
    local length = place(k)
    if length and insert(k, length) then
      most = most - 1
      -- the part before is known better now, too
      k = math.max(2, k - 1)
    else
      k = k + 1
    end
  end
  local left = {}
  for j = k, most > 0 and 0 or #list do if place(j) then left[#left + 1] = j end end
  return left
end

return hidden_zeros
