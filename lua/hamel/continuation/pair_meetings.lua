-- pair_meetings.lua: points of a step between which pairs of a symmetric spectrum meet once at most. Pairs that meet on the border of stability, leave it and
-- come back within one step have the same test at both of its ends (test_zeros.lua).
--
-- Two of the numbers z that are followed (tracks.lua) are real before they meet and conjugate behind it, or the other way round: the square of their
-- difference passes zero, and is smooth there. The test is the product of all of these squares, which says less: it is small, too, where two others come
-- near to each other.
local corrector = require "hamel.continuation.corrector"
local fast_parts = require "hamel.continuation.fast_parts"
local hidden_zeros = require "hamel.continuation.hidden_zeros"
local matching = require "hamel.continuation.matching"

local pair_meetings = {}

local BEHIND = 2                        -- steps before that help to tell
local MOST, NARROW = 30, 1e-9           -- points that are added to a step; its shortest part
-- Of the square of the larger one: less may be rounding. The frequencies of oscillators that do not act on each other pass each other: the square of their
-- difference comes to zero and goes back, and nothing meets
local NOTHING = 1e-9

-- The numbers of a list, each once
local function numbers_of(list)
  local all = {}
  for i, item in ipairs(list) do if not item.at or item.at == list[1].at then all[i] = item.e end end
  return all
end

-- The squares of the differences, by the numbers of both
local function squares_of(numbers)
  local squares = {}
  for i = 1, #numbers do
    for j = 1, i - 1 do squares[#squares + 1] = (numbers[i].re - numbers[j].re)^2 - (numbers[i].im - numbers[j].im)^2 end
  end
  return squares
end

-- The square of the larger one of each two
local function sizes_of(numbers)
  local sizes = {}
  for i = 1, #numbers do
    for j = 1, i - 1 do
      local a, b = numbers[i], numbers[j]
      sizes[#sizes + 1] = math.max(a.re^2 + a.im^2, b.re^2 + b.im^2)
    end
  end
  return sizes
end

local function sample_of(point, length, list)
  local numbers = numbers_of(list)
  return { length = length, point = point, list = list, squares = squares_of(numbers), sizes = sizes_of(numbers) }
end

-- Samples at the points before a step, in order
local function earlier(from, count)
  local list, length, point = {}, 0, from
  for _ = 1, BEHIND do
    local track = point.before and point.before.track
    if not (track and #track == count and point.before.symmetric and (point.length or 0) > 0) then break end
    length, point = length - point.length, point.before
    table.insert(list, 1, sample_of(point, length, track))
  end
  return list
end

-- Samples of a step at which one of the squares has, in turns, one sign and the other; the farthest from zero of each
local function runs_of(list, number, nothing)
  local runs = {}
  for _, sample in ipairs(list) do
    local value, last = sample.squares[number], runs[#runs]
    if math.abs(value) > nothing then
      if not last or (last.squares[number] > 0) ~= (value > 0) then runs[#runs + 1] = sample
      elseif math.abs(value) > math.abs(last.squares[number]) then runs[#runs] = sample end
    end
  end
  return runs
end

local DEEP, AGREES = 3, 0.5             -- halvings of a step; of the least value beside: how well values are foreseen where nothing is hidden

-- The value at a length of the polynomial through values of some samples
local function foreseen(nodes, length, number)
  local sum = 0
  for i, one in ipairs(nodes) do
    local weight = 1
    for j, other in ipairs(nodes) do
      if i ~= j then weight = weight*(length - other.length)/(one.length - other.length) end
    end
    sum = sum + weight*one.squares[number]
  end
  return sum
end

-- Do some samples foresee the squares at another one, between or behind the last of them? Those that nearly vanish say nothing
local function agrees(nodes, sample, nothing)
  for number, small in ipairs(nothing) do
    local value, least = sample.squares[number], math.abs(sample.squares[number])
    for _, node in ipairs(nodes) do least = math.min(least, math.abs(node.squares[number])) end
    if least > small and math.abs(foreseen(nodes, sample.length, number) - value) > AGREES*least then return false end
  end
  return true
end

-- Halves parts of a coarse step, at whose ends alone the squares say nothing of what lies between them, until each middle is foreseen. before:
-- the samples before the step; insert: see hidden_zeros.divide
local function halve(list, before, nothing, insert)
  local function divide(low, high, deep)
    local k = 2
    while list[k] ~= high do k = k + 1 end
    if deep == 0 or not insert(k, (low.length + high.length)/2) then return end
    local middle, nodes = list[k], { list[k - 2] or before[#before], low, high, list[k + 2] }
    if agrees(nodes[1] and nodes or { low, high }, middle, nothing) then return end
    divide(low, middle, deep - 1)
    divide(middle, high, deep - 1)
  end
  local low, high = list[1], list[2]
  local nodes = table.move(before, 1, #before, 1, {})
  nodes[#nodes + 1] = low
  if not agrees(nodes, high, nothing) then divide(low, high, DEEP) end
end

--- Points of a step, both ends of which are followed already, such that between them pairs meet once at most.
function pair_meetings.cuts(problem, from, to)
  local first, last = from.track or problem.followed and problem:followed(from), to.track
  if not (from.symmetric and to.symmetric and first and last and #first == #last) then return {} end
  local list = { sample_of(from, 0, first), sample_of(to, to.length, last) }
  local samples, nothing = earlier(from, #first), {}
  local count = #samples
  table.move(list, 1, 2, count + 1, samples)
  for number in ipairs(list[1].squares) do nothing[number] = NOTHING*math.max(list[1].sizes[number], list[2].sizes[number]) end
  local function place(k)
    local low, high = list[k - 1], list[k]
    if high.length - low.length <= NARROW*to.length then return nil end
    for number, small in ipairs(nothing) do
      local at, unknown
      if math.max(math.abs(low.squares[number]), math.abs(high.squares[number])) > small then
        at, unknown = hidden_zeros.place(samples, count + k, function(sample) return sample.squares[number] end, small)
      end
      -- of the first step of a branch
      if unknown then at = (low.length + high.length)/2 end
      if at then return at end
    end
    return nil
  end
  local function insert(k, length)
    local point, before = corrector.within(problem, from, to, length), list[k - 1]
    local order = point and matching.matched(before.list, problem:followed(point), length - before.length)
    if not order or not point.symmetric then return false end
    local sample = sample_of(point, length, order)
    table.insert(list, k, sample)
    table.insert(samples, count + k, sample)
    return true
  end
  halve(list, table.move(samples, 1, count, 1, {}), nothing, insert)
  hidden_zeros.add(list, fast_parts.within(problem, from, to), insert)
  if #hidden_zeros.divide(list, MOST, place, insert) > 0 then to.unsearched = "pairs" end
  local cuts = {}
  for number, small in ipairs(nothing) do
    local runs = runs_of(list, number, small)
    for k = 2, #runs - 1 do cuts[#cuts + 1] = runs[k].point end
  end
  return cuts
end

return pair_meetings
