-- tracks.lua: eigenvalues and multipliers followed along a step of a branch, and where they reach the border of stability.
--
-- A test function, one number for the whole spectrum, keeps its sign where two eigenvalues pass at once, or one passes and comes back. So each
-- eigenvalue is followed by itself: those of two points are matched, the nearest first, and the step is halved until the side of each on the border is
-- nearly straight between its points, or too far from the border to reach it.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"
local determinants = require "hamel.continuation.determinants"
local zeros = require "hamel.continuation.zeros"

local tracks = {}

local ROUNDING, FINE, COARSE = 1e-15, 1e-12, 1e-9      -- of the largest eigenvalue: rounding; sides that count as zero; sides of what stays on the border

-- ---- places and sides

local function modulus(e) return math.sqrt(e.re*e.re + e.im*e.im) end

-- A list of { e = eigenvalue, place = of what is matched, side = negative where it is stable, sign, rounding = how well the side is known, fine = up to where
-- it counts as zero, coarse = up to where it stays on the border }; the last three from `limits`, or from known(e)
local function listed(eigenvalues, limits, place_of, known)
  local list = { fine = limits.fine, coarse = limits.coarse }
  for i, e in ipairs(eigenvalues) do
    local place, side = place_of(e)
    local own = known and known(e) or limits
    list[i] = { e = e, place = place, side = side, sign = math.abs(side) <= own.fine and 0 or side > 0 and 1 or -1, rounding = own.rounding, fine = own.fine,
      coarse = own.coarse }
  end
  return list
end

local CERTAIN = 10                     -- sides of exact eigenvalues that count as zero, in units of their uncertainty
local NONE = 1e-28                     -- of the largest eigenvalue, from quadruple precision: rounding

--- Eigenvalues { re, im, uncertainty, aside = of the real part (nil: as much), exact = do they come from quadruple precision? } of rates, whose border is the
--- imaginary axis.
function tracks.of_eigenvalues(eigenvalues)
  local size = 0
  for _, e in ipairs(eigenvalues) do size = math.max(size, modulus(e)) end
  local limits = { rounding = ROUNDING*size, fine = FINE*size, coarse = COARSE*size }
  local list = listed(eigenvalues, limits, function(e) return { e.re, e.im }, e.real_part or e.re end, function(e)
    if not e.uncertainty then return limits end
    local off = math.min(e.uncertainty, e.aside or math.huge)
    local rounding = math.min(math.max(off, (e.exact and NONE or ROUNDING)*size), size)
    if e.exact then return { rounding = rounding, fine = CERTAIN*rounding, coarse = CERTAIN^2*rounding } end
    return { rounding = rounding, fine = math.max(limits.fine, rounding), coarse = math.max(limits.fine, CERTAIN*rounding) }
  end)
  for _, item in ipairs(list) do item.is_rate = true end
  return list
end

-- Are the real multipliers below -1 an odd number? This changes only where one passes -1 or infinity
local function is_odd(multipliers)
  local odd = false
  for _, m in ipairs(multipliers) do if m.im == 0 and m.re < -1 then odd = not odd end end
  return odd
end

--- How far from the unit circle multipliers are that stay on it, but for errors. tolerance: to which they are known.
function tracks.border(tolerance) return math.max(COARSE, 10*tolerance) end

local function limits_of(tolerance) return { rounding = tolerance/10, fine = 10*tolerance, coarse = tracks.border(tolerance) } end

--- Multipliers, whose border is the unit circle: on the sphere, since they may pass infinity. tolerance: to which they are known; turned: has one passed
--- infinity since the start of the branch, or three, and so on? So two steps that end at 1e6 and -1e6 are told apart: through infinity, or through zero.
function tracks.of_multipliers(multipliers, tolerance, turned)
  local list = listed(multipliers, limits_of(tolerance), function(m)
    local square = m.re*m.re + m.im*m.im
    if not (square < math.huge) then return { 0.0, 0.0, 1.0 }, 1.0 end
    local side = (square - 1)/(square + 1)
    return { 2*m.re/(square + 1), 2*m.im/(square + 1), side }, side
  end)
  list.odd = is_odd(multipliers) ~= (turned or false)
  return list
end

--- Squares of eigenvalues of a symmetric spectrum (spectrum.squares), which pass zero.
function tracks.of_squares(squares)
  local list = tracks.of_eigenvalues(squares)
  for _, item in ipairs(list) do item.at = 0 end
  return list
end

-- A sum on the sphere, since an impact that grazes leads it through infinity; its side of 2*at, which has another sign on the other side of infinity
local function sum_on_sphere(z, at)
  local square = z.re*z.re + z.im*z.im + 4
  if not (square < math.huge) then return { 0.0, 0.0, 1.0, at + 0.0 }, 1.0 end
  return { 4*z.re/square, 4*z.im/square, 1 - 8/square, at + 0.0 }, at*(z.re - 2*at)/math.sqrt(square)
end

--- Sums m + 1/m of multipliers of a symmetric spectrum (spectrum.sums), each twice: they pass 2 (item.at = 1) and -2 (item.at = -1). tolerance: to which the
--- multipliers are known; turned: see tracks.of_multipliers. Where this changes, the largest sum has passed infinity, and its sides go on with their other
--- sign (item.facing).
function tracks.of_sums(sums, tolerance, turned)
  local list
  for _, at in ipairs{ 1, -1 } do
    local half = listed(sums, limits_of(tolerance), function(z) return sum_on_sphere(z, at) end)
    for _, item in ipairs(half) do item.at = at end
    if list then table.move(half, 1, #half, #list + 1, list) else list = half end
  end
  list.turned = turned or false
  return list
end

-- Lets the sides of sums go on where one of them has passed infinity since the list before
local function go_on(before, order, turned)
  if turned == nil then return end
  for _, at in ipairs{ 1, -1 } do
    local largest, most = nil, -math.huge
    for i, item in ipairs(order) do
      local height = item.at == at and before.turned ~= turned and item.place[3] + before[i].place[3] or -math.huge
      if height > most then largest, most = i, height end
    end
    for i, item in ipairs(order) do
      if item.at == at then
        local facing = (before[i].facing or 1)*(i == largest and -1 or 1)
        if facing ~= (item.facing or 1) then
          order[i] = { e = item.e, place = item.place, at = at, side = -item.side, sign = -item.sign, facing = facing, rounding = item.rounding,
            fine = item.fine, coarse = item.coarse }
        end
      end
    end
  end
end

-- The square of the distance from where a member is expected, farther by d, to another one
local function distance(a, rate, d, b)
  local sum = 0
  for i, value in ipairs(a.place) do sum = sum + (value + (rate and d*rate[i] or 0) - b.place[i])^2 end
  return sum
end

local function nearest_first(one, other)
  if one.distance ~= other.distance then return one.distance < other.distance end
  return one.i < other.i or one.i == other.i and one.k < other.k
end

local CLEAR = 1/9                      -- square of how much nearer the member that continues another one is than all others

-- Which members of a matched list are clearly those that were expected? Others at the same place do no harm
local function add_clear(order, all)
  order.clear = {}
  for i in ipairs(order) do order.clear[i] = true end
  local own = {}
  for _, pair in ipairs(all) do if pair.item == order[pair.i] then own[pair.i] = pair.distance end end
  for _, pair in ipairs(all) do
    local mine = order[pair.i]
    local is_rival = pair.item ~= mine and distance(mine, nil, 0, pair.item) > order.fine^2
    if is_rival and own[pair.i] > CLEAR*pair.distance then order.clear[pair.i] = false end
  end
end

-- The list `now` in the order in which it continues the list `before`, farther by the length d; nil: it has other members. Two that cross are told apart
-- by their rates
local function matched(before, now, d)
  if #before ~= #now then return nil end
  local all, taken = {}, {}
  local order = { fine = now.fine, coarse = now.coarse, odd = now.odd, rates = {} }
  for i, a in ipairs(before) do
    for k, b in ipairs(now) do all[#all + 1] = { i = i, k = k, item = b, distance = distance(a, before.rates and before.rates[i], d, b) } end
  end
  table.sort(all, nearest_first)
  for _, pair in ipairs(all) do
    if not order[pair.i] and not taken[pair.k] then order[pair.i], taken[pair.k] = now[pair.k], true end
  end
  add_clear(order, all)
  go_on(before, order, now.turned)
  order.turned = now.turned
  for i, item in ipairs(order) do
    local rate = {}
    for k, value in ipairs(item.place) do rate[k] = d > 0 and (value - before[i].place[k])/d or 0.0 end
    order.rates[i] = rate
  end
  return order
end

-- ---- samples of a step

local LIKELY = 4                       -- how much larger than expected a bend may be
local MOST, FEW, NARROW = 500, 120, 1e-13      -- points within a step; where they are dear; the shortest part of it

local LEVEL = 1e-3                      -- the least slope of the value that counts

local is_simple, is_near = zeros.is_simple, zeros.is_near

-- Has a multiplier passed -1 between two lists and come back to the same side of the unit circle?
local function is_odd_one_out(one, other)
  if one.odd == other.odd then return false end
  for i, item in ipairs(one) do if (item.side > 0) ~= (other[i].side > 0) then return false end end
  return true
end

-- Is every side simple between three points? The second result: is one near zero there
local function is_resolved(low, middle, high, active)
  local near = false
  if is_odd_one_out(low.list, middle.list) or is_odd_one_out(middle.list, high.list) then return false end
  for i, item in ipairs(low.list) do
    local one, half, other = item.side, middle.list[i].side, high.list[i].side
    local is_rounding = math.max(math.abs(one), math.abs(half), math.abs(other)) <= middle.list[i].fine
    if active[i] and not is_rounding then
      if not is_simple(one, other, math.abs(one - 2*half + other)) then return false end
      if is_near(one, other) then
        if not (middle.list.clear[i] and high.list.clear[i]) then return false end
        near = true
      end
    end
  end
  return true, near
end

-- Is this to be expected of a step, from the step before?
local function is_likely(from, list, length, key)
  local before, own = from.before and from.before[key], from[key]
  if not before or not own or #before ~= #list or is_odd_one_out(own, list) then return false end
  local last = from.length
  for i, item in ipairs(list) do
    local one, other = own[i].side, item.side
    local bend = math.abs(((other - one)/length - (one - before[i].side)/last)/(last + length))*length^2/2
    -- what stays on the border is rounding
    local stays = math.max(math.abs(before[i].side), math.abs(one), math.abs(other)) <= item.coarse
    if not stays and (is_near(one, other) or not is_simple(one, other, LIKELY*bend)) then return false end
  end
  return true
end

-- Which members of the lists of three points are more than rounding? The others stay on the border
local function moving(low, middle, high)
  local active = {}
  for i, item in ipairs(low.list) do
    active[i] = math.max(math.abs(item.side), math.abs(middle.list[i].side), math.abs(high.list[i].side)) > middle.list[i].coarse
  end
  return active
end

local CROSSING, CLOSE, ROUNDED = 0.05, 1e-3, 10         -- fall of the determinant beside a crossing; parts of a step there; of the root of the tolerance

-- Is a part of the step so near to a place where the branch turns back and another one crosses, as at a pitchfork, that points of a closer one differ by
-- rounding? At a distance d it moves them along that branch by tolerance/d, and an eigenvalue that reaches zero there and goes back seems to pass
local function is_crossing(chain, point, width)
  local first, last = chain[1].point, chain.to
  if not (point.size and first.size and last.size and first.slope*last.slope < 0) then return false end
  if width > math.max(CLOSE*chain.length, ROUNDED*math.sqrt(chain.problem.tolerance)) then return false end
  return point.size < math.max(first.size, last.size) + math.log(CROSSING)
end

-- Does one eigenvalue of a state of rest pass the border between two points at most, or one pair? Several that are straight far away from each other may turn
-- away from each other where they are near, or meet
local function is_single(chain, low, high)
  if not chain.problem.at_rest then return true end
  local count = 0
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if item.sign*other.sign < 0 and not item.at then count = count + (item.e.im == 0 and other.e.im == 0 and 1 or 0.5) end
  end
  return count <= 1
end

-- Is a part of the step as short as places are known?
local function is_short(chain, low, high)
  local unit = corrector.unit(chain.problem)
  local slope = math.max(math.abs(chain[1].point.slope), math.abs(chain.to.slope), LEVEL*unit)
  return (high.length - low.length)*slope <= chain.locate*(unit + math.abs(high.point.value))
end

local PLACES = { 0.5, 0.4375 }          -- of a part: where it is divided; where the eigenvalues are not found there, as may be where several meet

-- A sample { length, point, list } between two points; nil: there is none
local function sample_within(chain, low, high)
  for _, part in ipairs(PLACES) do
    local length = low.length + part*(high.length - low.length)
    local point = corrector.within(chain.problem, chain[1].point, chain.to, length)
    local fine, list = attempt(function() return point and chain.followed(chain.problem, point) end)
    list = fine and list and matched(low.list, list, length - low.length)
    if list then return { length = length, point = point, list = list } end
    if fine then return nil end
  end
  return nil
end

-- Halves the part of the step between two points, as far as necessary; adds the points behind `low` to the chain. seen: the part was simple as a whole.
-- A side near zero is looked at twice: three points are straight on a cubic, too, that passes zero three times
local function halve(chain, low, high, active, seen)
  local narrow = chain.halved >= (chain.problem.sparing and FEW or MOST) or high.length - low.length <= NARROW*chain.length
  local middle = not narrow and sample_within(chain, low, high)
  if not middle then
    chain[#chain + 1] = { length = high.length, point = high.point, list = matched(low.list, high.list, high.length - low.length), open = true }
    return
  end
  chain.halved = chain.halved + 1
  high = { length = high.length, point = high.point, list = matched(middle.list, high.list, high.length - middle.length) }
  active = active or moving(low, middle, high)
  local resolved, near = is_resolved(low, middle, high, active)
  resolved = resolved and (is_single(chain, low, middle) and is_single(chain, middle, high) or is_short(chain, low, high))
  if resolved and (seen or not near) or is_crossing(chain, middle.point, high.length - low.length) then
    chain[#chain + 1] = middle
    chain[#chain + 1] = high
  else
    halve(chain, low, middle, active, resolved)
    -- the order of the points behind is that of the last one
    halve(chain, chain[#chain], high, active, resolved)
  end
end

-- Points { length, point, list } along the step between which every side is simple, each list in the order of the first; nil: nothing is followed there
local function sampled(problem, from, to, key, locate)
  local followed = problem[key == "track" and "followed" or "each"]
  local first = { length = 0, point = from, list = from[key] or followed(problem, from) }
  local raw = first.list and followed(problem, to)
  local order = raw and matched(first.list, raw, to.length)
  if not order then return nil end
  local last = { length = to.length, point = to, list = order }
  if problem.sparing and is_likely(from, order, to.length, key) then return { first, last, followed = followed, key = key } end
  local chain = { first, problem = problem, followed = followed, key = key, to = to, halved = 0, length = to.length, locate = locate }
  halve(chain, first, last)
  return chain
end

-- ---- zeros

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
local HALVINGS = 60                     -- of a part

-- What is followed at a point within a step; a search that counts how many members are beyond the border (counted_passings) looks at all of these points
local function followed_at(problem, chain, point)
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
    local list = matched(expected(known, point.length), followed_at(problem, chain, point), 0)
    if not list then return chain[k].list[i] end
    known[#known + 1] = { length = point.length, point = point, list = list }
    at[point] = list[i]
    return list[i]
  end
  return function(point) return item_at(point).side end, item_at
end

-- The zero of a side between two samples by halving, where Newton's method is slow beside it: the point, and how far from it the zero may be
local function halved(problem, from, low, high, side)
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

-- The members of a list, those with the largest side first
local function ranked(list)
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
    local order, again = ranked(list), ranked(other)
    for rank, item in ipairs(order) do if item == here or item.e == here.e then return again[rank] end end
    return nil
  end
  local nearest, best = nil, math.huge
  for _, item in ipairs(other) do
    local off = item.at == here.at and distance(item, nil, 0, here) or math.huge
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

-- Does a side have the signs that it has at two samples as near to a place between them as it is known, too?
local function is_bracketed(problem, from, low, high, passing, side, locate)
  local slope, unit = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), corrector.unit(problem)
  local d = math.max(passing.accuracy or 0, 10*locate*(unit + math.abs(passing.point.value)))/slope
  local before, after = passing.length - d, passing.length + d
  before = before > low.length and corrector.within(problem, from, high.point, before) or low.point
  after = after < high.length and corrector.within(problem, from, high.point, after) or high.point
  local rising = side(high.point) > 0
  return (side(before) > 0) ~= rising and (side(after) > 0) == rising
end

-- Where a side with the members one and other at two samples passes the border between them; followed: see followed_side. strict: it may be no smooth
-- function, so that a small value does not tell that the zero is near
local function zero_between(problem, chain, low, high, one, other, followed, locate, strict)
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
  if missed or strict and not is_bracketed(problem, from, low, high, { length = point.length, point = point, accuracy = accuracy }, side, locate) then
    point, accuracy = halved(problem, from, low, high, side)
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
  return { length = point.length, point = point, e = without_rounding(here), at = one.at, accuracy = off > known and off or nil, exact = here.e.exact,
    doubtful = hides or nil, noise = noise, run_error = noise and noise/steepness }
end

-- Where the member i passes the border between two samples, number j and k
local function member_between(problem, chain, i, j, k, locate)
  local function followed() return followed_side(problem, chain, i, k) end
  return zero_between(problem, chain, chain[j], chain[k], chain[j].list[i], chain[k].list[i], followed, locate)
end

-- Functions of the points of a part between two samples that return the side of the member of a rank, and the member itself
local function ranked_side(problem, chain, low, high, rank)
  local at = { [low.point] = ranked(low.list)[rank], [high.point] = ranked(high.list)[rank] }
  local function item_at(point)
    at[point] = at[point] or ranked(followed_at(problem, chain, point))[rank]
    return at[point]
  end
  return function(point) return item_at(point).side end, item_at
end

-- The members of a state of rest that pass the border between two samples, all in one direction, and how many members are beyond it before any or after all
-- of them; nil: some pass in opposite directions, or it is not known where one is
local function counted_between(problem, low, high)
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

-- Where members pass the border between two samples, by their ranks: these need no matching. Members that come near to each other near the border, and
-- turn away from each other or meet, may be taken for each other, but the rank of each is a continuous function of the point. members, count: see
-- counted_between
local function ranks_between(problem, chain, low, high, members, count, locate)
  local list, one, other, rank = {}, ranked(low.list), ranked(high.list), count + 1
  while rank <= count + #members do
    local function followed() return ranked_side(problem, chain, low, high, rank) end
    local passing = zero_between(problem, chain, low, high, one[rank], other[rank], followed, locate, true)
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

-- Does the side of the member i recede from zero already before the sample number k of a chain, and still at a value behind? Beside the end of a domain it
-- grows beyond all bounds, and no points between may be found
local function recedes(chain, i, k, value)
  local from = chain[1].point
  local before = k > 1 and chain[k - 1].list or from.before and from.before[chain.key]
  if not before or #before ~= #chain[k].list then return false end
  local one, other = before[i].side, chain[k].list[i].side
  return one*other > 0 and other*value > 0 and math.abs(one) < math.abs(other) and math.abs(other) < math.abs(value)
end

local REAL = 1e-6                       -- of 1 + the modulus: imaginary parts below may be of either sign by rounding

-- Is a member the upper one of a pair, or real, or one that rounding may have exchanged with its partner?
local function is_upper(e) return e.im >= -REAL*(1 + modulus(e)) end

-- Of pairs that are nearly real both members may be in the list: every pair once
local function without_partners(list)
  local kept = {}
  for _, one in ipairs(list) do
    local partner
    for k = #kept, 1, -1 do
      local other = kept[k]
      local near = math.abs(other.length - one.length) <= REAL*(1 + math.abs(one.length)) and math.abs(other.e.re - one.e.re) <= REAL*(1 + modulus(one.e))
      if near and not other.paired and one.e.im ~= 0 and other.e.im ~= 0 and other.member ~= one.member and math.abs(other.e.im) <= REAL*(1 + modulus(one.e))
        and is_upper{ re = one.e.re, im = -one.e.im } then partner = other end
    end
    if partner then
      partner.paired = true
    else
      if one.e.im < 0 then one.e = { re = one.e.re, im = -one.e.im } end
      kept[#kept + 1] = one
    end
  end
  return kept
end

-- How many members of a sample are beyond the border
local function unstable(sample)
  local count = 0
  for _, item in ipairs(sample.list) do if item.side > item.fine then count = count + 1 end end
  return count
end

-- Does the member i pass the border between two lists with a partner, with which it is a pair in both? The number of those beyond may change by one there, too,
-- as where a real one passes in the other direction
local function passes_as_pair(before, after, i)
  local one, other = before[i], after[i]
  if one.e.im == 0 or other.e.im == 0 then return false end
  for j, item in ipairs(before) do
    local now = after[j]
    if j ~= i and item.e.im == -one.e.im and item.e.re == one.e.re and now.e.im == -other.e.im and now.e.re == other.e.re
      and (item.side > 0) ~= (now.side > 0) then return true end
  end
  return false
end

-- The same of all members of a state of rest that pass it between two samples. One of them, or one pair, is followed by itself first: where it passes, as many
-- have to be beyond the border on both sides as at the samples
local function all_between(problem, chain, k, members, count, locate)
  local from, low, high = chain[1].point, chain[k - 1], chain[k]
  if not is_single(chain, low, high) then return ranks_between(problem, chain, low, high, members, count, locate) end
  local upper = members[1]
  for _, i in ipairs(members) do if chain[k].list[i].e.im > chain[k].list[upper].e.im then upper = i end end
  local passing = member_between(problem, chain, upper, k - 1, k, locate)
  local agrees = not passing.doubtful and (#members == 1 or passing.e.im ~= 0)
  for _, rank in ipairs{ count + 1, count + #members } do
    agrees = agrees and is_bracketed(problem, from, low, high, passing, (ranked_side(problem, chain, low, high, rank)), locate)
  end
  if not agrees then return ranks_between(problem, chain, low, high, members, count, locate) end
  passing.member = upper
  if passing.e.im < 0 then passing.e = { re = passing.e.re, im = -passing.e.im, uncertainty = passing.e.uncertainty, exact = passing.e.exact } end
  return { passing }
end

-- How many members are beyond the border at a sample; nil: errors hide the side of one, as far as is known beside a place (noise)
local function count_at(sample, noise)
  local count = 0
  for _, item in ipairs(sample.list) do
    if math.abs(item.side) <= math.max(item.fine, noise) then return nil end
    if item.side > 0 then count = count + 1 end
  end
  return count
end

-- By how much the number of members beyond the border changes at a place
local function change_at(passing) return passing.way*(passing.e.im ~= 0 and 2 or 1) end

-- Are as many members beyond the border at all points that were looked at between two samples as the places found there say?
local function are_counts_right(seen, low, high, list, noise)
  local function expected_at(length)
    local count = low.count
    for _, passing in ipairs(list) do if passing.length < length then count = count + change_at(passing) end end
    return count
  end
  if expected_at(math.huge) ~= high.count then return false end
  for _, sample in ipairs(seen) do
    local count = sample.length > low.length and sample.length < high.length and count_at(sample, noise)
    if count and count ~= expected_at(sample.length) then return false end
  end
  return true
end

local COUNTED = 24                      -- places of a part that are looked for by counts

-- Points between two samples at which it is known how many members are beyond the border, in order, with both
local function counted_points(seen, low, high, noise)
  local list = { low, high }
  for _, sample in ipairs(seen) do
    sample.count = count_at(sample, noise)
    if sample.count and sample.length > low.length and sample.length < high.length then list[#list + 1] = sample end
  end
  table.sort(list, function(one, other) return one.length < other.length end)
  return list
end

local FARTHER = 4

-- The nearest point beside a place between two samples, at the distance d or farther, at which it is known how many members are beyond the border
local function beside(problem, chain, low, high, place, d, noise)
  local limit = d < 0 and low or high
  while math.abs(d) < math.abs(limit.length - place.length) do
    local point = corrector.within(problem, chain[1].point, high.point, place.length + d)
    local list = point and followed_at(problem, chain, point)
    local sample = list and { length = point.length, point = point, list = list }
    if sample then sample.count = count_at(sample, noise) end
    if sample and sample.count then return sample end
    d = FARTHER*d
  end
  return limit
end

-- Adds the members that pass between two points at one place, from the most stable one on
local function add_members(list, low, high, place, passing)
  local least, change, own = math.min(low.count, high.count), math.abs(high.count - low.count), 0
  local order = ranked(place.list)
  for rank = least + 1, least + change do
    local e = order[rank].e
    if e.im >= 0 or rank == least + 1 and change == 1 then
      list[#list + 1] = { length = place.length, point = place.point, e = e.im < 0 and { re = e.re, im = -e.im, uncertainty = e.uncertainty } or e,
        accuracy = passing.accuracy, run_error = passing.run_error, noise = passing.noise, way = high.count > low.count and 1 or -1, member = -rank, low = low.length, high = high.length }
      own = own + (e.im ~= 0 and 2 or 1)
    end
  end
  for k = #list, 1, -1 do
    if list[k].length ~= place.length then break end
    list[k].doubtful = passing.doubtful or own ~= change or nil
  end
end

-- Where members pass the border between two samples, by how many are beyond it: the part is divided at the place of a rank, and beside it, until the number
-- changes within parts alone that are as short as places are known
local function counted_passings(problem, chain, low, high, locate, noise)
  local from, list, settled = chain[1].point, {}, {}
  local slope, unit = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), corrector.unit(problem)
  local function is_settled(one, other)
    for _, part in ipairs(settled) do if one.length >= part[1] and other.length <= part[2] then return true end end
    return false
  end
  local function next_part()
    local points = counted_points(chain.seen, low, high, noise)
    for k = 2, #points do
      if points[k].count ~= points[k - 1].count and not is_settled(points[k - 1], points[k]) then return points[k - 1], points[k] end
    end
    return nil
  end
  for _ = 1, COUNTED do
    local one, other = next_part()
    if not one then break end
    local rank = math.min(one.count, other.count) + 1
    local function followed() return ranked_side(problem, chain, one, other, rank) end
    local passing = zero_between(problem, chain, one, other, ranked(one.list)[rank], ranked(other.list)[rank], followed, locate, true)
    noise = math.max(noise, passing.noise or 0)
    local d = math.max(passing.accuracy or 0, 10*locate*(unit + math.abs(passing.point.value)))/slope
    local place = { length = passing.length, point = passing.point, list = chain.followed(problem, passing.point) }
    local before, after = beside(problem, chain, one, other, place, -d, noise), beside(problem, chain, one, other, place, d, noise)
    settled[#settled + 1] = { before.length, after.length }
    if before.count ~= after.count then add_members(list, before, after, place, passing) end
  end
  if next_part() then
    for _, passing in ipairs(list) do passing.doubtful = true end
  end
  return list
end

-- The members of a periodic motion that pass the border between two samples, each at its place. Matching may take members for each other that come near to each
-- other near the border; the number of those beyond needs none, and has to change as the places say. nil: errors hide the side of one at a sample
local function checked_between(problem, chain, k, locate)
  local high, low = chain[k], chain[k - 1]
  if high.checked ~= nil then return high.checked or nil end
  high.checked = false
  if not problem.sparing or high.list[1] and high.list[1].at then return nil end
  low.count, high.count = count_at(low, 0), count_at(high, 0)
  if not (low.count and high.count) then return nil end
  local list = {}
  chain.seen = {}
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if (item.side > 0) ~= (other.side > 0) and (is_upper(item.e) or is_upper(other.e)) then
      local passing = member_between(problem, chain, i, k - 1, k, locate)
      passing.way = other.side > 0 and 1 or -1
      if is_upper(passing.e) then
        passing.member, passing.low, passing.high, list[#list + 1] = i, low.length, high.length, passing
      end
    end
  end
  list = without_partners(list)
  local doubtful, noise = false, 0
  for _, passing in ipairs(list) do doubtful, noise = doubtful or passing.doubtful, math.max(noise, passing.noise or 0) end
  if doubtful or not are_counts_right(chain.seen, low, high, list, noise) then
    local again = counted_passings(problem, chain, low, high, locate, noise)
    if #again > 0 or not doubtful then list = again end
  end
  chain.seen = nil
  high.checked = list
  return list
end

-- Does a sample within whose rounding a side is zero say nothing about it, since the side is known between two samples and as small there? Eigenvalues come
-- from quadruple precision only where doubles leave them in doubt
local function says_nothing(item, before, after)
  return before.e.exact and after.e.exact and not item.e.exact and math.max(math.abs(before.side), math.abs(after.side)) <= item.fine
end

-- Adds the places where the member i passes the border, or reaches it and turns back, to a list
local function add_passings(list, problem, chain, i, locate)
  local from, last, on, count = chain[1].point, 1, nil, 0
  local sign = chain[1].list[i].sign
  if math.abs(chain[1].list[i].side) <= chain[1].list[i].fine then on = chain[1] end
  for k = 2, #chain do
    local sample, before = chain[k], chain[last]
    local item, old = sample.list[i], before.list[i]
    if math.abs(item.side) <= item.fine then
      count = count + 1
      if not on or math.abs(item.side) < math.abs(on.list[i].side) then on = sample end
    else
      local now, passing = item.side > 0 and 1 or -1, nil
      local width = (sample.length - before.length)*math.abs(from.slope)
      local upper = is_upper(old.e) or is_upper(item.e)
      local passes, members, least, checked = sign ~= 0 and now ~= sign, nil, nil, nil
      if passes and last == k - 1 then
        checked = checked_between(problem, chain, k, locate)
        members, least = counted_between(problem, before, sample)
      end
      if checked then
        -- all that pass in this part, once
        if not checked.added then table.move(checked, 1, #checked, #list + 1, list) end
        checked.added = true
      elseif members and i == members[1] then
        for _, each in ipairs(all_between(problem, chain, k, members, least, locate)) do
          each.low, each.high, each.way = before.length, sample.length, now
          if #members == 1 then each.first, each.last = before.length, sample.length end
          list[#list + 1] = each
        end
      elseif passes and upper and not members then
        passing = member_between(problem, chain, i, last, k, locate)
        -- along a part within rounding it may pass more than once
        passing.apart = count > 1 and width or nil
      elseif sign ~= 0 and on and upper and (item.at or 0) == 0 and not says_nothing(on.list[i], old, item) then
        -- m + 1/m reaches 2 or -2 and turns back wherever a pair goes round the circle through 1 or -1
        passing = { length = on.length, point = on.point, e = on.list[i].e, at = item.at, apart = width, touches = true }
      elseif sample.open and upper and is_near(old.side, item.side) and not recedes(chain, i, last, item.side) then
        passing = { length = sample.length, point = sample.point, e = item.e, at = item.at, doubtful = true, touches = true }
      end
      if passing then passing.low, passing.high, passing.way = before.length, sample.length, now end
      -- a pair passes with both its members: where the number beyond changes by one, a real one passes, and meets its partner beside
      if passing and math.abs(unstable(sample) - unstable(before)) == 1 and not passes_as_pair(before.list, sample.list, i) then
        passing.first, passing.last = before.length, sample.length
      end
      -- a complex number of a symmetric spectrum passes no border
      if passing and is_upper(passing.e) and not (passing.at and passing.e.im ~= 0) then
        passing.member, list[#list + 1] = i, passing
      end
      sign, last, on, count = now, k, nil, 0
    end
  end
  -- the sign goes on to the next step, unless the whole step lies on the border
  local final = chain[#chain].list[i]
  if final.sign == 0 and math.abs(chain[last].list[i].side) > chain[last].list[i].fine then final.sign = sign end
end

local AWAY = 1e-6                       -- a side with which a member that was on the border is clear of it

-- Is there a member that was on the border before the step or, nearer than AWAY, left it in one before, and is off it now?
local function any_leaves(before, now)
  local any = false
  for i, item in ipairs(now) do
    local old = before[i]
    item.left = old.sign == 0 or old.left and math.abs(old.side) < AWAY
    any = any or item.left and item.sign ~= 0
  end
  return any
end

-- The other one of two real eigenvalues that seem to pass each other on the border: along weak damping those of y'' = -k y have the values +-sqrt(-k), so
-- that they have exchanged their sides where k comes near to zero and goes back; nil: there is none
local function other_of_exchange(list, passing)
  for _, other in ipairs(list) do
    if other.way == -passing.way and other.low == passing.low and other.high == passing.high and other.e.im == 0 then return other end
  end
  return nil
end

-- Without real eigenvalues of states of rest that seem to pass the border where no point between confirms it, or reach it and turn back: a determinant, which
-- is smooth there, shows whether one of them passes twice (determinants.lua)
local function without_exchanges(list)
  local left_out, kept = {}, {}
  for _, passing in ipairs(list) do
    if (passing.doubtful or passing.touches) and passing.e.im == 0 then
      local other = not passing.touches and other_of_exchange(list, passing)
      if other then left_out[other] = true end
      if other or passing.touches then left_out[passing] = true end
    end
  end
  for _, passing in ipairs(list) do if not left_out[passing] then kept[#kept + 1] = passing end end
  return kept
end

local CLUSTER, NEAR_IT = 1e-4, 1e-3     -- of the largest eigenvalue: rounding of several that meet; where it may still move one across the border

-- Without those that pass the border at zero, where another eigenvalue is zero all along the branch: they cannot be told from it there, and a test of the
-- problem shows them. Beside zero they are doubtful
local function clear_of_zero(list, to)
  local size, kept = 0, {}
  for _, item in ipairs(to.track or {}) do size = math.max(size, modulus(item.e)) end
  for _, passing in ipairs(list) do
    passing.doubtful = passing.doubtful or modulus(passing.e) <= NEAR_IT*size or nil
    if modulus(passing.e) > CLUSTER*size then kept[#kept + 1] = passing end
  end
  return kept
end

-- See tracks.passings; key: where points keep the list of what is followed
local function passings(problem, from, to, o, key)
  local chain = problem.followed and sampled(problem, from, to, key, o.locate)
  if not chain then return nil end
  local list = {}
  for i in ipairs(chain[1].list) do
    -- how exactly a side is known changes along the step, as where another eigenvalue comes near
    local moves = false
    for _, sample in ipairs(chain) do moves = moves or math.abs(sample.list[i].side) > sample.list[i].coarse end
    if moves then add_passings(list, problem, chain, i, o.locate) end
  end
  to[key] = chain[#chain].list
  local leaving = any_leaves(chain[1].list, to[key])
  table.sort(list, function(one, other) return one.length < other.length end)
  list = without_partners(list)
  -- states of rest
  if determinants.are_clear(problem, from, to) then list = without_exchanges(list) end
  if (problem.always_zero or 0) > 0 then list = clear_of_zero(list, to) end
  return list, leaving
end

--- Where eigenvalues pass the border on the step from one point to the next, in order: { length, point, e = the eigenvalue with im >= 0, accuracy, doubtful,
--- apart = up to which distance of the value two passings would not be told apart, touches = does it reach the border and turn back }; nil: the problem
--- follows none. o.locate: how exactly.
--- The second result: do eigenvalues leave the border on which they were before?
function tracks.passings(problem, from, to, o) return passings(problem, from, to, o, "track") end

--- The same of the eigenvalues of a symmetric spectrum, each by itself, on a step at whose ends some are off the border: two pairs that meet on it may part
--- again, so that they pass it in opposite directions, and no two squares of eigenvalues come to be real.
function tracks.passings_of_each(problem, from, to, o)
  if not (problem.has_quartets and problem:has_quartets(from) and problem:has_quartets(to)) then return {} end
  return (passings(problem, from, to, o, "track_of_each")) or {}
end

local function matched_along(one, other, d) return one and other and matched(one, other, d) end

--- The eigenvalues of a symmetric spectrum, each by itself, that are on the border at the start of a branch that goes to both sides and pass it there.
function tracks.passings_at_start(problem, start, ahead, behind)
  local list = {}
  if not (problem.has_quartets and problem:has_quartets(ahead) and problem:has_quartets(behind)) then return list end
  -- beside the start they have rates, by which those are told apart that are one there
  local before = problem:each(behind)
  local here = matched_along(before, problem:each(start), behind.length)
  local after = matched_along(here, problem:each(ahead), ahead.length)
  for i, item in ipairs(after and here or {}) do
    if item.sign == 0 and before[i].sign*after[i].sign < 0 and item.e.im >= 0 then list[#list + 1] = { point = start, length = 0, e = item.e } end
  end
  return list
end

return tracks
