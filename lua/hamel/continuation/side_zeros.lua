-- side_zeros.lua: where the side of an eigenvalue on the border of stability vanishes between two samples { length, point, list } of a step (tracks.lua), and
-- how exactly this place is known. A chain is a list of samples, in which members of one number continue each other; chain.followed(problem, point) lists
-- those of any point.
local corrector = require "hamel.continuation.corrector"
local matching = require "hamel.continuation.matching"
local zeros = require "hamel.continuation.zeros"

local side_zeros = {}

local function modulus(e) return math.sqrt(e.re*e.re + e.im*e.im) end

local NODES, APART = 4, 0.1             -- samples of a polynomial; of their distance from the place, how far from each other they are at least

-- Is a sample so near to another one of a list that a polynomial through both says nothing at a length? A search comes back to where it was
local function is_close(list, sample, length)
  for _, other in ipairs(list) do
    local farther = math.max(math.abs(sample.length - length), math.abs(other.length - length))
    if math.abs(sample.length - other.length) <= APART*farther then return true end
  end
  return false
end

-- The nearest of some samples to a length, as many as polynomials run through
local function nodes_at(samples, length)
  local all, near = table.move(samples, 1, #samples, 1, {}), {}
  table.sort(all, function(one, other) return math.abs(one.length - length) < math.abs(other.length - length) end)
  for _, sample in ipairs(all) do
    if #near < NODES and not is_close(near, sample, length) then near[#near + 1] = sample end
  end
  return near
end

-- The list expected at a length, on polynomials through the nearest of some samples
local function expected(samples, length)
  local near, list = nodes_at(samples, length), {}
  for i, item in ipairs(near[1].list) do list[i] = { place = {}, facing = item.facing } end
  list.turned = near[1].list.turned
  for a = 1, #near do
    local weight = 1
    for b = 1, #near do
      if a ~= b then weight = weight*(length - near[b].length)/(near[a].length - near[b].length) end
    end
    for i, item in ipairs(near[a].list) do
      for k, value in ipairs(item.place) do list[i].place[k] = (list[i].place[k] or 0) + weight*value end
    end
  end
  return list
end

local NEARLY = 1e-3                    -- of the sides beside it: what the side at a zero may be
local HALVINGS, LEVEL = 60, 1e-3       -- of a part; the least slope of the value that counts
local CERTAIN = 10                     -- sides that count as zero, in units of their rounding

--- What is followed at a point within a step. A search that counts how many members are beyond the border looks at all of these points, chain.seen.
function side_zeros.followed_at(problem, chain, point)
  local list = chain.followed(problem, point)
  if chain.seen and list then chain.seen[#chain.seen + 1] = { length = point.length, point = point, list = list } end
  return list
end

-- Functions of the points between the samples number k - 1 and k that return the side of the member i, and the member itself
local function followed_side(problem, chain, i, k)
  local known, at = {}, {}
  for j = math.max(1, k - 2), math.min(#chain, k + 1) do
    known[#known + 1] = chain[j]
    at[chain[j].point] = chain[j].list[i]
  end
  local function item_at(point)
    if at[point] then return at[point] end
    local list = matching.matched(expected(known, point.length), side_zeros.followed_at(problem, chain, point), 0)
    if not list then return chain[k].list[i] end
    known[#known + 1] = { length = point.length, point = point, list = list }
    at[point] = list[i]
    return list[i]
  end
  return function(point) return item_at(point).side end, item_at
end

--- The zero of a side between two samples by halving, where Newton's method is slow beside it: the point, and how far from it the zero may be
function side_zeros.halved(problem, from, low, high, side)
  local a, b, point, rising = low.length, high.length, high.point, side(high.point) > 0
  for _ = 1, HALVINGS do
    local middle = corrector.within(problem, from, high.point, (a + b)/2)
    if not middle then break end
    if (side(middle) > 0) == rising then b, point = middle.length, middle else a = middle.length end
  end
  return point, (b - a)*math.abs(from.slope)
end

local RESOLVED = 1e-3                   -- of the change of a side over what a place is known to: less rounding does not move it
local WIDENINGS, WIDER = 40, 2
local STEADY = 0.5                      -- of the mean slope

-- How far from a zero at a point the side is certainly not zero, along the step in units of its value: rounding moves the zero by as much. Beside an eigenvalue
-- that meets another one the side changes like a root, so that its slope does not tell. steepness: of the side over the value between low and high. Beside a
-- branch point the first points may not be found: where the side has the mean slope farther away, it has it in between. There errors of the point itself may
-- move the side by more than its rounding: so it has to have the sign that it has farther away, too. rising: does it grow along the step?
local function unsettled(problem, from, low, high, point, item_at, known, steepness, rising)
  local slope, off = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), 0
  for way = -1, 1, 2 do
    local limit = way < 0 and point.length - low.length or high.length - point.length
    local d = known/slope
    for _ = 1, WIDENINGS do
      if d >= limit then
        d = limit
        break
      end
      local beside = corrector.within(problem, from, high.point, point.length + way*d)
      local item = beside and item_at(beside)
      if item and math.abs(item.side) > CERTAIN*item.rounding and (item.side > 0) == (way > 0 == rising) then
        local part = math.abs(item.side)/(steepness*slope*d)
        if part >= STEADY and part <= 1/STEADY then d = math.min(d, CERTAIN*item.rounding/(STEADY*steepness*slope)) end
        break
      end
      d = WIDER*d
    end
    off = math.max(off, d*slope)
  end
  return off
end

-- The eigenvalue of a member; a rate that is zero but for rounding, as where it passes zero beside another one that stays there, without an imaginary part
local function without_rounding(item)
  local e = item.e
  if not item.is_rate then return e end
  local off = e.uncertainty and e.uncertainty < math.huge and CERTAIN*e.uncertainty or 0
  if math.abs(e.im) > off or math.abs(e.re) > off then return e end
  return { re = e.re, im = 0.0, uncertainty = e.uncertainty, exact = e.exact }
end

--- The members of a list, those with the largest side first.
function side_zeros.ranked(list)
  local order = table.move(list, 1, #list, 1, {})
  table.sort(order, function(one, other)
    if one.side ~= other.side then return one.side > other.side end
    return one.e.im > other.e.im
  end)
  return order
end

-- The member of a list that is a member of another one, which differs from it by errors alone: by its rank, or one that is at two places of the border by its
-- own place
local function same_member(list, here, other)
  if not here.at then
    local order, again = side_zeros.ranked(list), side_zeros.ranked(other)
    for rank, item in ipairs(order) do if item == here or item.e == here.e then return again[rank] end end
    return nil
  end
  local nearest, best = nil, math.huge
  for _, item in ipairs(other) do
    local off = item.at == here.at and matching.distance(item, nil, 0, here) or math.huge
    if off < best then nearest, best = item, off end
  end
  return nearest
end

local SAFE = 4                          -- times what coarser runs show

-- By how much errors of runs may move the side of a multiplier at a point, where this moves its place by more than it is located to: they act as coarser runs
-- show, and at most by its uncertainty. nil: they do not move it. The second result: do they hide whether it is real?
local function error_of_side(problem, chain, point, here, steepness, known)
  local most = here.e.uncertainty or 0
  if not problem.coarser or not (most > steepness*known) then return nil end
  local list = problem:coarser(point)
  local other = list and same_member(chain.followed(problem, point), here, list)
  local change = other and SAFE*modulus{ re = other.e.re - here.e.re, im = math.abs(other.e.im) - math.abs(here.e.im) } or most
  return math.min(other and SAFE*math.abs(other.side - here.side) or most, most), here.e.im ~= 0 and math.abs(here.e.im) <= math.min(change, most)
end

local BESIDE, WIDENED = 10, 5           -- times how far errors move a place: where its side is looked at; how often farther away

-- How steep a side is at a place, where errors move the side by `noise`: beside another member it may be less steep than along the part between two samples.
-- A member may be taken for the other one there; the sides of one rank are a continuous function, so that both are looked at
local function local_steepness(problem, chain, low, high, point, item_at, noise, steepness, known)
  local from, here = chain[1].point, item_at(point)
  local slope, least, rank = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), steepness, nil
  for k, item in ipairs(side_zeros.ranked(chain.followed(problem, point))) do if item.e == here.e then rank = k end end
  local function ranked_at(beside) return rank and side_zeros.ranked(chain.followed(problem, beside))[rank] or here end
  for _, member_at in ipairs{ item_at, ranked_at } do
    for way = -1, 1, 2 do
      local d = BESIDE*math.max(noise/steepness, known)/slope
      local limit = way < 0 and low or high
      local room = math.abs(limit.length - point.length)
      for _ = 1, WIDENED do
        local beside = d < room and corrector.within(problem, from, high.point, point.length + way*d)
        if not beside then beside, d = limit.point, room end
        local change = d > 0 and math.abs(member_at(beside).side - here.side) or 0
        if d > 0 and (change > 2*noise or beside == limit.point) then least = math.min(least, math.max(change, noise)/(d*slope)) end
        if change > 2*noise or beside == limit.point then break end
        d = BESIDE*d
      end
    end
  end
  return least
end

--- Does a side have the signs that it has at two samples as near to a place between them as it is known, too?
function side_zeros.is_bracketed(problem, from, low, high, passing, side, locate)
  local slope, unit = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), corrector.unit(problem)
  local d = math.max(passing.accuracy or 0, 10*locate*(unit + math.abs(passing.point.value)))/slope
  local before, after = passing.length - d, passing.length + d
  before = before > low.length and corrector.within(problem, from, high.point, before) or low.point
  after = after < high.length and corrector.within(problem, from, high.point, after) or high.point
  local rising = side(high.point) > 0
  return (side(before) > 0) ~= rising and (side(after) > 0) == rising
end

--- Where a side with the members one and other at two samples passes the border between them; followed: see followed_side. strict: it may be no smooth
-- function, so that a small value does not tell that the zero is near
function side_zeros.between(problem, chain, low, high, one, other, followed, locate, strict)
  local from = chain[1].point
  local steepness = math.abs(other.side - one.side)/(high.length - low.length)/math.max(math.abs(from.slope), LEVEL*corrector.unit(problem))
  local known = 10*locate*(corrector.unit(problem) + math.abs(from.value))
  if math.abs(one.side) <= one.fine then
    local off = math.abs(one.side)/steepness
    return { length = low.length, point = low.point, e = one.e, at = one.at, accuracy = off > known and one.fine/steepness or nil }
  end
  local side, item_at = followed()
  local point, accuracy = zeros.between(problem, from, low.length, low.point, high.length, high.point, side, locate)
  -- beside another eigenvalue that is zero it is known less exactly than at the ends
  local reached = point and steepness*known + math.max(one.rounding, CERTAIN*item_at(point).rounding)
  local missed = not point or math.abs(side(point)) > reached
  local place = point and { length = point.length, point = point, accuracy = accuracy }
  if missed or strict and not side_zeros.is_bracketed(problem, from, low, high, place, side, locate) then
    point, accuracy = side_zeros.halved(problem, from, low, high, side)
  end
  if math.abs(side(point)) > NEARLY*math.max(math.abs(one.side), math.abs(other.side)) + one.fine then
    return { length = high.length, point = high.point, e = other.e, at = other.at, doubtful = true }
  end
  -- where the side changes little, its rounding moves the zero
  local here = item_at(point)
  local off = accuracy or 0
  if here.rounding > RESOLVED*steepness*known then off = math.max(off, unsettled(problem, from, low, high, point, item_at, known, steepness,
    other.side > one.side)) end
  local noise, hides = error_of_side(problem, chain, point, here, steepness, known)
  if noise then
    steepness = local_steepness(problem, chain, low, high, point, item_at, noise, steepness, known)
    -- a member that is taken for another one has a side that jumps across zero
    if missed then off = math.max(off, math.abs(here.side)/steepness) end
  end
  return { length = point.length, point = point, e = without_rounding(here), at = one.at, accuracy = off > known and off or nil, exact = here.e.exact,
    doubtful = hides or nil, reason = hides and "runs" or nil, noise = noise, steepness = steepness }
end

--- Where the member i passes the border between two samples of a chain, number j and k
function side_zeros.of_member(problem, chain, i, j, k, locate)
  local function followed() return followed_side(problem, chain, i, k) end
  return side_zeros.between(problem, chain, chain[j], chain[k], chain[j].list[i], chain[k].list[i], followed, locate)
end

return side_zeros
