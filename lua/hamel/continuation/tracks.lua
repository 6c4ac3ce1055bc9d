-- tracks.lua: eigenvalues and multipliers followed along a step of a branch, and where they reach the border of stability.
--
-- A test function, one number for the whole spectrum, keeps its sign where two eigenvalues pass at once, or one passes and comes back. So each
-- eigenvalue is followed by itself: those of two points are matched, the nearest first, and the step is halved until the side of each on the border is
-- nearly straight between its points, or too far from the border to reach it.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"
local counted_passings = require "hamel.continuation.counted_passings"
local determinants = require "hamel.continuation.determinants"
local humps = require "hamel.continuation.humps"
local matching = require "hamel.continuation.matching"
local meetings = require "hamel.continuation.meetings"
local passing_counts = require "hamel.continuation.passing_counts"
local ranks = require "hamel.continuation.ranks"
local side_zeros = require "hamel.continuation.side_zeros"
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
local NONE = 1e-31                     -- of the largest eigenvalue, from quadruple precision: rounding

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

-- ---- samples of a step

local LIKELY = 4                       -- how much larger than expected a bend may be
local MOST, FEW, NARROW = 500, 120, 1e-13      -- points within a step; where they are dear; the shortest part of it

local is_simple, is_near = zeros.is_simple, zeros.is_near

-- Has a multiplier passed -1 between two lists and come back to the same side of the unit circle?
local function is_odd_one_out(one, other)
  if one.odd == other.odd then return false end
  for i, item in ipairs(one) do if (item.side > 0) ~= (other[i].side > 0) then return false end end
  return true
end

-- The bends of the places of all members along a part with the points low, middle and high
local function bends_between(low, middle, high)
  local bends = {}
  for i, item in ipairs(low.list) do
    local bend, half, other = {}, middle.list[i].place, high.list[i].place
    for k, value in ipairs(item.place) do bend[k] = value - 2*half[k] + other[k] end
    bends[i] = bend
  end
  return bends
end

-- Is every side simple between three points? The second result: is one near zero there. meets: may members that meet near zero pass it?
local function is_resolved(low, middle, high, active, meets)
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
  if meets and meetings.near_border({ low.list, middle.list, high.list }, bends_between(low, middle, high), active) then return false end
  return true, near
end

-- Is this to be expected of a step, from the step before?
local function is_likely(from, list, length, key)
  local before, own = from.before and from.before[key], from[key]
  if not before or not own or #before ~= #list or is_odd_one_out(own, list) then return false end
  local last = from.length
  local function bend_of(old, one, other)
    return LIKELY*((other - one)/length - (one - old)/last)/(last + length)*length^2/2
  end
  local bends, active = {}, {}
  for i, item in ipairs(list) do
    local one, other = own[i].side, item.side
    local bend = math.abs(bend_of(before[i].side, one, other))
    -- what stays on the border is rounding
    local stays = math.max(math.abs(before[i].side), math.abs(one), math.abs(other)) <= item.coarse
    if not stays and (is_near(one, other) or not is_simple(one, other, bend)) then return false end
    bends[i], active[i] = {}, not stays
    for k, value in ipairs(item.place) do bends[i][k] = bend_of(before[i].place[k], own[i].place[k], value) end
  end
  return not meetings.near_border({ own, list }, bends, active)
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

local PLACES = { 0.5, 0.4375 }          -- of a part: where it is divided; where the eigenvalues are not found there, as may be where several meet

-- A sample { length, point, list } between two points; nil: there is none. at: of the part, where it is divided; nil: in its middle
local function sample_within(chain, low, high, at)
  for _, part in ipairs(at and { at } or PLACES) do
    local length = low.length + part*(high.length - low.length)
    local point = corrector.within(chain.problem, chain[1].point, chain.to, length)
    local fine, list = attempt(function() return point and chain.followed(chain.problem, point) end)
    list = fine and list and matching.matched(low.list, list, length - low.length)
    if list then return { length = length, point = point, list = list } end
    if fine then return nil end
  end
  return nil
end

local WIDE = 0.1                        -- of a step: parts of it within which eigenvalues of states of rest that meet may hide that they pass twice

-- Halves the part of the step between two points, as far as necessary; adds the points behind `low` to the chain. seen: the part was simple as a whole.
-- A side near zero is looked at twice: three points are straight on a cubic, too, that passes zero three times
local function halve(chain, low, high, active, seen)
  local narrow = chain.halved >= (chain.problem.sparing and FEW or MOST) or high.length - low.length <= NARROW*chain.length
  local middle = not narrow and sample_within(chain, low, high)
  if not middle then
    chain[#chain + 1] = { length = high.length, point = high.point, list = matching.matched(low.list, high.list, high.length - low.length), open = true }
    return
  end
  chain.halved = chain.halved + 1
  high = { length = high.length, point = high.point, list = matching.matched(middle.list, high.list, high.length - middle.length) }
  active = active or moving(low, middle, high)
  local meets = chain.problem.sparing or high.length - low.length > WIDE*chain.length
  local resolved, near = is_resolved(low, middle, high, active, meets)
  resolved = resolved and (ranks.is_single(chain, low, middle) and ranks.is_single(chain, middle, high) or ranks.is_short(chain, low, high))
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
  local order = raw and matching.matched(first.list, raw, to.length)
  if not order then return nil end
  local last = { length = to.length, point = to, list = order }
  local chain = { first, problem = problem, followed = followed, key = key, to = to, halved = 0, length = to.length, locate = locate }
  if problem.sparing and is_likely(from, order, to.length, key) then chain[2] = last else halve(chain, first, last) end
  if problem.at_rest or problem.sparing and key == "track" then humps.divide(chain, sample_within, is_crossing) end
  return chain
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
    local partner, place
    for k = #kept, 1, -1 do
      local other = kept[k]
      local near = math.abs(other.length - one.length) <= REAL*(1 + math.abs(one.length)) and math.abs(other.e.re - one.e.re) <= REAL*(1 + modulus(one.e))
      if near and not other.paired and one.e.im ~= 0 and other.e.im ~= 0 and other.member ~= one.member and math.abs(other.e.im) <= REAL*(1 + modulus(one.e))
        and is_upper{ re = one.e.re, im = -one.e.im } then partner, place = other, k end
    end
    if one.e.im < 0 then one.e = { re = one.e.re, im = -one.e.im, uncertainty = one.e.uncertainty, exact = one.e.exact } end
    if not partner then
      kept[#kept + 1] = one
    else
      -- one that reaches the border and turns back says nothing of one that passes
      if partner.touches and not one.touches then kept[place] = one end
      kept[place].paired = true
    end
  end
  return kept
end

-- The members of a periodic motion that pass the border between two samples, each at its place. Matching may take members for each other that come near to each
-- other near the border; the number of those beyond needs none, and has to change as the places say. nil: errors hide the side of one at a sample
local function checked_between(problem, chain, k, locate)
  local high, low = chain[k], chain[k - 1]
  if high.checked ~= nil then return high.checked or nil end
  high.checked = false
  if not problem.sparing or high.list[1] and high.list[1].at then return nil end
  low.count, high.count = counted_passings.at(low, 0), counted_passings.at(high, 0)
  if not (low.count and high.count) then return nil end
  local list = {}
  chain.seen = {}
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if (item.side > 0) ~= (other.side > 0) and (is_upper(item.e) or is_upper(other.e)) then
      local passing = side_zeros.of_member(problem, chain, i, k - 1, k, locate)
      passing.way = other.side > 0 and 1 or -1
      if is_upper(passing.e) then
        passing.member, passing.low, passing.high, list[#list + 1] = i, low.length, high.length, passing
      end
    end
  end
  list = without_partners(list)
  local doubtful, noise = false, 0
  for _, passing in ipairs(list) do doubtful, noise = doubtful or passing.doubtful, math.max(noise, passing.noise or 0) end
  if doubtful or not counted_passings.are_right(chain.seen, low, high, list, noise) then
    local again = counted_passings.between(problem, chain, low, high, locate, noise)
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
        members, least = ranks.counted_between(problem, before, sample)
      end
      if checked then
        -- all that pass in this part, once
        if not checked.added then table.move(checked, 1, #checked, #list + 1, list) end
        checked.added = true
      elseif members and i == members[1] then
        for _, each in ipairs(ranks.between(problem, chain, k, members, least, locate)) do
          each.low, each.high, each.way = before.length, sample.length, now
          if #members == 1 then each.first, each.last = before.length, sample.length end
          list[#list + 1] = each
        end
      elseif passes and upper and not members then
        passing = side_zeros.of_member(problem, chain, i, last, k, locate)
        -- along a part within rounding it may pass more than once
        passing.apart = count > 1 and width or nil
      elseif sign ~= 0 and on and upper and (item.at or 0) == 0 and not says_nothing(on.list[i], old, item) then
        -- m + 1/m reaches 2 or -2 and turns back wherever a pair goes round the circle through 1 or -1
        passing = { length = on.length, point = on.point, e = on.list[i].e, at = item.at, apart = width, touches = true }
      elseif sample.open and upper and is_near(old.side, item.side) and not recedes(chain, i, last, item.side) then
        passing = { length = sample.length, point = sample.point, e = item.e, at = item.at, doubtful = true, touches = true }
      elseif sample.unsettled == i and not passes then
        passing = { length = sample.length, point = sample.point, e = item.e, at = item.at, doubtful = true, touches = true, reason = "many" }
      end
      if passing then passing.low, passing.high, passing.way = before.length, sample.length, now end
      -- a pair passes with both its members: where the number beyond changes by one, a real one passes, and meets its partner beside
      local change = passing and math.abs(passing_counts.beyond(sample) - passing_counts.beyond(before))
      if change == 1 and not passing_counts.partner(before.list, sample.list, i) then passing.first, passing.last = before.length, sample.length end
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

local function in_order(list)
  table.sort(list, function(one, other) return one.length < other.length end)
end

-- Notes how far errors of runs may move the places on a step: where coarser runs show them at one place, they may be as large at others, and show less there by
-- chance; no uncertainty of a multiplier is exceeded
local function add_run_errors(list)
  local noise = 0
  for _, passing in ipairs(list) do noise = math.max(noise, passing.noise or 0) end
  for _, passing in ipairs(list) do
    local most = passing.steepness and math.min(noise, passing.e.uncertainty or 0) or 0
    if most > 0 then passing.run_error = most/passing.steepness end
  end
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
  in_order(list)
  list = without_partners(list)
  add_run_errors(list)
  if problem.at_rest then passing_counts.make_real(list) end
  -- states of rest
  if determinants.are_clear(problem, from, to) then list = without_exchanges(list) end
  if problem.at_rest or problem.sparing and key == "track" then
    passing_counts.check(list, chain)
    in_order(list)
  end
  if (problem.always_zero or 0) > 0 then list = clear_of_zero(list, to) end
  return list, leaving
end

--- Where eigenvalues pass the border on the step from one point to the next, in order: { length, point, e = the eigenvalue with im >= 0, accuracy, doubtful,
--- apart = up to which distance of the value two passings would not be told apart, touches = does it reach the border and turn back }; nil: the problem
--- follows none. o.locate: how exactly.
--- The second result: do eigenvalues leave the border on which they were before?
function tracks.passings(problem, from, to, o) return passings(problem, from, to, o, "track") end

--- The same of the eigenvalues of a symmetric spectrum, each by itself, on a step at whose ends some are off the border: two pairs that meet on it may part
--- again, so that they pass it in opposite directions, and no two squares of eigenvalues come to be real. known: the passings of what is followed of all.
function tracks.passings_of_each(problem, from, to, o, known)
  if not (problem.has_quartets and problem:has_quartets(from) and problem:has_quartets(to)) then return {} end
  local kept, before, any_sum = {}, from.track_of_each or problem:each(from), false
  for _, passing in ipairs(known) do any_sum = any_sum or (passing.at or 0) ~= 0 end
  for _, passing in ipairs(passings(problem, from, to, o, "track_of_each") or {}) do
    local one, other = before[passing.member], to.track_of_each[passing.member]
    -- where its sum with its inverse passes the border a real one comes onto the unit circle, and leaves it where the sum passes it again
    local is_real = one and one.e.im == 0 or other and other.e.im == 0
    if not (is_real and any_sum) then kept[#kept + 1] = passing end
  end
  return kept
end

local function matched_along(one, other, d) return one and other and matching.matched(one, other, d) end

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
