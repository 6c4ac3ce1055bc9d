-- passing_counts.lua: how many eigenvalues are beyond the border of stability before and behind a part of a step (tracks.lua), and whether the passings that
-- are found there account for the change. A passing is { point, e, way = 1 or -1, low, high = the part in lengths, first = its start where this number
-- changes by one, touches = does it reach the border and turn back }.
local passing_counts = {}

--- How many members of a sample are beyond the border
function passing_counts.beyond(sample)
  local count = 0
  for _, item in ipairs(sample.list) do if item.side > item.fine then count = count + 1 end end
  return count
end

--- The partner with which the member i passes the border between two lists, as a pair in both; nil: there is none. The number of those beyond may change by
--- one there, too, as where a real one passes in the other direction
function passing_counts.partner(before, after, i)
  local one, other = before[i], after[i]
  if one.e.im == 0 or other.e.im == 0 then return nil end
  for j, item in ipairs(before) do
    local now = after[j]
    if j ~= i and item.e.im == -one.e.im and item.e.re == one.e.re and now.e.im == -other.e.im and now.e.re == other.e.re
      and (item.side > 0) ~= (now.side > 0) then return j end
  end
  return nil
end

-- Is it known of every member of a sample on which side of the border it is?
local function is_clear(sample)
  for _, item in ipairs(sample.list) do if item.at or math.abs(item.side) <= item.fine then return false end end
  return true
end

-- The passing of a member that has another side behind a part of the step than before it, where none has been found
local function lost_passing(low, high)
  for i, item in ipairs(high.list) do
    local is_other = (item.side > 0) ~= (low.list[i].side > 0)
    if is_other and item.e.im >= 0 then
      return { length = high.length, point = high.point, e = item.e, doubtful = true, member = i, low = low.length, high = high.length,
        way = item.side > 0 and 1 or -1 }
    end
  end
  return nil
end

--- Makes passings of states of rest real where one more is beyond the border behind the part than before it, or one less: a pair that is seen at such a
--- place is rounding of a real eigenvalue that passes beside another one.
function passing_counts.make_real(list)
  for _, passing in ipairs(list) do
    local e = passing.e
    if passing.first and e.im ~= 0 then passing.e = { re = e.re, im = 0.0, uncertainty = e.uncertainty, exact = e.exact } end
  end
end

-- The passings of a list between two samples, and by how many they change the number beyond the border
local function sum_between(list, low, high)
  local within, sum = {}, 0
  for _, passing in ipairs(list) do
    if not passing.touches and passing.low >= low.length and passing.high <= high.length then
      within[#within + 1], sum = passing, sum + passing.way*(passing.e.im ~= 0 and 2 or 1)
    end
  end
  return within, sum
end

--- Compares the passings of a step with the numbers beyond the border at the samples of a chain. Where they do not add up to the change of this
--- number between two samples they are doubtful; where none has been found there a doubtful one is added.
function passing_counts.check(list, chain)
  local low
  for _, high in ipairs(chain) do
    if is_clear(high) then
      if low then
        local within, sum = sum_between(list, low, high)
        if passing_counts.beyond(high) - passing_counts.beyond(low) ~= sum then
          for _, passing in ipairs(within) do passing.doubtful = true end
          if #within == 0 then list[#list + 1] = lost_passing(low, high) end
        end
      end
      low = high
    end
  end
end

return passing_counts
