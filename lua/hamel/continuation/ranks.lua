-- ranks.lua: where eigenvalues of states of rest pass the border of stability between two samples of a step (tracks.lua), found by their ranks.
--
-- Members that come near to each other near the border, and turn away from each other or meet, may be taken for each other. The members of a list in the
-- order of their sides need no matching: the side of each rank is a continuous function of the point.
local corrector = require "hamel.continuation.corrector"
local passing_counts = require "hamel.continuation.passing_counts"
local side_zeros = require "hamel.continuation.side_zeros"

local ranks = {}

local ranked = side_zeros.ranked

--- Does one eigenvalue of a state of rest pass the border between two points at most, or one pair? Several that are straight far away from each other may turn
--- away from each other where they are near, or meet
function ranks.is_single(chain, low, high)
  if not chain.problem.at_rest then return true end
  local count = 0
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if item.sign*other.sign < 0 and not item.at then count = count + (item.e.im == 0 and other.e.im == 0 and 1 or 0.5) end
  end
  return count <= 1
end

local LEVEL = 1e-3                      -- the least slope of the value that counts

--- Is a part of the step as short as places are known?
function ranks.is_short(chain, low, high)
  local unit = corrector.unit(chain.problem)
  local slope = math.max(math.abs(chain[1].point.slope), math.abs(chain.to.slope), LEVEL*unit)
  return (high.length - low.length)*slope <= chain.locate*(unit + math.abs(high.point.value))
end

--- Functions of the points of a part between two samples that return the side of the member of a rank, and the member itself.
function ranks.side(problem, chain, low, high, rank)
  local at = { [low.point] = ranked(low.list)[rank], [high.point] = ranked(high.list)[rank] }
  local function item_at(point)
    at[point] = at[point] or ranked(side_zeros.followed_at(problem, chain, point))[rank]
    return at[point]
  end
  return function(point) return item_at(point).side end, item_at
end

--- The members of a state of rest that pass the border between two samples, all in one direction, and how many members are beyond it before any or after all
-- of them; nil: some pass in opposite directions, or it is not known where one is
function ranks.counted_between(problem, low, high)
  if not problem.at_rest then return nil end
  local members, before, after = {}, 0, 0
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if item.at or math.abs(item.side) <= item.fine or math.abs(other.side) <= other.fine then return nil end
    if item.side > 0 then before = before + 1 end
    if other.side > 0 then after = after + 1 end
    if (item.side > 0) ~= (other.side > 0) then members[#members + 1] = i end
  end
  if math.abs(after - before) ~= #members then return nil end
  return members, math.min(before, after)
end

-- Where members pass the border between two samples, by their ranks. members, count: see ranks.counted_between
local function ranks_between(problem, chain, low, high, members, count, locate)
  local list, one, other, rank = {}, ranked(low.list), ranked(high.list), count + 1
  while rank <= count + #members do
    local function followed() return ranks.side(problem, chain, low, high, rank) end
    local passing = side_zeros.between(problem, chain, low, high, one[rank], other[rank], followed, locate, true)
    passing.member = members[rank - count]
    list[#list + 1] = passing
    -- both members of a pair pass at one place
    local e = passing.e
    if e.im ~= 0 then rank = rank + 1 end
    if e.im < 0 then passing.e = { re = e.re, im = -e.im, uncertainty = e.uncertainty, exact = e.exact } end
    rank = rank + 1
  end
  return list
end

-- The upper members of the pairs among some members that pass the border between two samples, and the other members
local function apart_from_pairs(low, high, members)
  local uppers, others, taken = {}, {}, {}
  for _, i in ipairs(members) do
    local partner = passing_counts.partner(low.list, high.list, i)
    if not partner then others[#others + 1] = i
    elseif not taken[i] then
      taken[partner] = true
      uppers[#uppers + 1] = high.list[i].e.im > 0 and i or partner
    end
  end
  return uppers, others
end

-- Where members pass the border within a part that is as short as places are known, each by itself: the counts on both sides of the part confirm them all
local function each_between(problem, chain, k, members, locate)
  local uppers, others = apart_from_pairs(chain[k - 1], chain[k], members)
  local list = {}
  local function add(i, e)
    local passing = side_zeros.of_member(problem, chain, i, k - 1, k, locate)
    passing.member, passing.e, passing.doubtful = i, e, nil
    list[#list + 1] = passing
  end
  for _, i in ipairs(uppers) do add(i, chain[k].list[i].e) end
  for _, i in ipairs(others) do
    local e = chain[k].list[i].e
    add(i, { re = e.re, im = 0.0, uncertainty = e.uncertainty, exact = e.exact })
  end
  return list
end

-- The same of any other part, in which several pass: where a pair is not found as one it is not known which pass
local function several_between(problem, chain, k, members, count, locate)
  local low, high, found = chain[k - 1], chain[k], 0
  local list = ranks_between(problem, chain, low, high, members, count, locate)
  for _, passing in ipairs(list) do if passing.e.im ~= 0 then found = found + 1 end end
  if found < #apart_from_pairs(low, high, members) then
    for _, passing in ipairs(list) do passing.doubtful = true end
  end
  return list
end

--- Where members of a state of rest pass the border between the sample number k of a chain and the one before, all of them. One member, or one pair, is
--- followed by itself first: where it passes, as many have to be beyond the border on both sides as at the samples. members, count: see ranks.counted_between
function ranks.between(problem, chain, k, members, count, locate)
  local from, low, high = chain[1].point, chain[k - 1], chain[k]
  if not ranks.is_single(chain, low, high) then
    if ranks.is_short(chain, low, high) then return each_between(problem, chain, k, members, locate) end
    return several_between(problem, chain, k, members, count, locate)
  end
  local upper = members[1]
  for _, i in ipairs(members) do if chain[k].list[i].e.im > chain[k].list[upper].e.im then upper = i end end
  local passing = side_zeros.of_member(problem, chain, upper, k - 1, k, locate)
  local agrees = not passing.doubtful and (#members == 1 or passing.e.im ~= 0)
  for _, rank in ipairs{ count + 1, count + #members } do
    agrees = agrees and side_zeros.is_bracketed(problem, from, low, high, passing, (ranks.side(problem, chain, low, high, rank)), locate)
  end
  if not agrees then return ranks_between(problem, chain, low, high, members, count, locate) end
  passing.member = upper
  if passing.e.im < 0 then passing.e = { re = passing.e.re, im = -passing.e.im, uncertainty = passing.e.uncertainty, exact = passing.e.exact } end
  return { passing }
end

return ranks
