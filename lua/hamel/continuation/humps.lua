-- humps.lua: sides of eigenvalues and multipliers that reach the border of stability between two samples of a step and come back (tracks.lua).
local determinants = require "hamel.continuation.determinants"
local fast_parts = require "hamel.continuation.fast_parts"
local hidden_zeros = require "hamel.continuation.hidden_zeros"
local matching = require "hamel.continuation.matching"
local ranks = require "hamel.continuation.ranks"

local humps = {}

local MOST = 60                         -- points that are added to a step
local BEHIND, FARTHER = 2, 2            -- steps before that are looked at; how much farther from the end of a step each sample is that is kept

local function side_of(sample, i) return sample.sides and sample.sides[i] or sample.list[i].side end

-- Sides at samples of a step, as seen from its end, the farthest first: the nearest one, and some that are farther away
local function kept_sides(chain)
  local kept, last = {}, 0
  for k = #chain - 1, 1, -1 do
    local off, sides = chain.to.length - chain[k].length, {}
    if off >= FARTHER*last or k == 1 then
      for i, item in ipairs(chain[k].list) do sides[i] = item.side end
      table.insert(kept, 1, { length = -off, sides = sides })
      last = off
    end
  end
  return kept
end

-- The samples of a chain with those before it, as far as these have as many members. The second result: how many these are
local function with_earlier(chain)
  local list, point, length, count = {}, chain[1].point, 0, #chain[1].list
  for _ = 1, BEHIND do
    local known = point.sides_before and point.sides_before[chain.key]
    if not known or #known[1].sides ~= count or not point.before then break end
    for k = #known, 1, -1 do table.insert(list, 1, { length = known[k].length - length, sides = known[k].sides }) end
    length, point = length + point.length, point.before
  end
  local earlier = #list
  table.move(chain, 1, #chain, earlier + 1, list)
  return list, earlier
end

-- Is a member real at both ends of a part, or does it stay on the border? A determinant shows where real eigenvalues of states of rest pass zero
local function is_left_out(chain, one, other)
  if math.max(math.abs(one.side), math.abs(other.side)) <= math.max(one.coarse, other.coarse) then return true end
  return chain.shown and one.e.im == 0 and other.e.im == 0
end

-- Where a side may pass the border unseen in the part before the sample number k of a list, and the number of its member
local function place(chain, samples, k)
  local low, high = samples[k - 1], samples[k]
  for i, item in ipairs(low.list) do
    local other = high.list[i]
    if item.e.im >= 0 and not is_left_out(chain, item, other) then
      local at, unknown = hidden_zeros.place(samples, k, function(sample) return side_of(sample, i) end, math.max(item.fine, other.fine))
      -- at the start of a branch three samples say nothing of a fourth one
      if unknown then at = (low.length + high.length)/2 end
      if at then return at, i end
    end
  end
  return nil
end

--- Divides the parts of a chain of samples in which a side may reach the border and come back. sample_within(chain, low, high, part): a sample between two;
--- is_crossing(chain, point, width): do closer points than these differ by rounding? Of a part that would be divided further the sample behind it has
--- `unsettled`, the number of the first member that may do so.
function humps.divide(chain, sample_within, is_crossing)
  local problem = chain.problem
  chain.shown = problem.at_rest and determinants.are_clear(problem, chain[1].point, chain.to)
  local samples, earlier = with_earlier(chain)
  local function place_before(k)
    local low, high = chain[k - 1], chain[k]
    local width = high.length - low.length
    if ranks.is_short(chain, low, high) or is_crossing(chain, low.point, width) or is_crossing(chain, high.point, width) then return nil end
    return place(chain, samples, earlier + k)
  end
  local function insert(k, length)
    local low, high = chain[k - 1], chain[k]
    local sample = sample_within(chain, low, high, (length - low.length)/(high.length - low.length))
    if not sample then return false end
    table.insert(chain, k, sample)
    table.insert(samples, earlier + k, sample)
    -- the samples behind keep the order of members
    for j = k + 1, #chain do
      local before, now = chain[j - 1], chain[j]
      now.list = matching.matched(before.list, now.list, now.length - before.length)
    end
    return true
  end
  hidden_zeros.add(chain, fast_parts.within(problem, chain[1].point, chain.to), insert)
  for _, k in ipairs(hidden_zeros.divide(chain, MOST, place_before, insert)) do chain[k].unsettled = select(2, place_before(k)) end
  chain.to.sides_before = chain.to.sides_before or {}
  chain.to.sides_before[chain.key] = kept_sides(chain)
end

return humps
