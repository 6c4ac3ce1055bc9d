-- determinants.lua: where determinants of states of rest pass zero within a step, or come to it and go back.
--
-- A real eigenvalue passes zero with a determinant, which is smooth there, also along weak damping, where the eigenvalue is a root of it and changes as fast
-- as a root does. So a step is halved until each determinant is nearly straight between its points, or too far from zero to reach it.
local corrector = require "hamel.continuation.corrector"
local curve_places = require "hamel.continuation.curve_places"
local fast_parts = require "hamel.continuation.fast_parts"
local hidden_zeros = require "hamel.continuation.hidden_zeros"
local zeros = require "hamel.continuation.zeros"

local determinants = {}

local MOST, NARROW = 400, 1e-9         -- points within a step; the shortest part of it
local NOTHING = 1e-7                    -- of the largest value: smaller ones are looked at closer, by polynomials
local TURNED = 0.5                      -- of the largest slope of the value: a smaller one changes fast where the branch turns

-- The sample at a length; nil: no point is found there
local function sample_at(search, length)
  local point = corrector.within(search.problem, search.from, search.to, length)
  if not point then return nil end
  local sample = { length = length, point = point, values = search.values_at(point) }
  for _, name in ipairs(search.names) do search.largest[name] = math.max(search.largest[name], math.abs(sample.values[name])) end
  return sample
end

-- Is each value simple between three samples? The second result: is one near zero there, or does the branch turn
local function is_resolved(search, low, middle, high)
  local near = false
  for _, name in ipairs(search.names) do
    local one, half, other = low.values[name], middle.values[name], high.values[name]
    local most, least = math.max(math.abs(one), math.abs(half), math.abs(other)), math.min(math.abs(one), math.abs(half), math.abs(other))
    if most > NOTHING*search.largest[name] then
      if not zeros.is_simple(one, other, math.abs(one - 2*half + other)) then return false end
      near = near or zeros.is_near(one, other) or name == "fold" and least < TURNED
    end
  end
  return true, near
end

-- Halves the part between two samples, as far as necessary; adds the samples between them. A value near zero is looked at twice, as by tracks.lua
local function halve(search, low, high, seen)
  if #search.list >= MOST then search.to.unsearched = "real" end
  if #search.list >= MOST or high.length - low.length <= NARROW*search.to.length then return end
  local middle = sample_at(search, (low.length + high.length)/2)
  if not middle then return end
  local resolved, near = is_resolved(search, low, middle, high)
  local done = resolved and (seen or not near)
  if not done then halve(search, low, middle, resolved) end
  search.list[#search.list + 1] = middle
  if not done then halve(search, middle, high, resolved) end
end

local MORE = 60                         -- points that are added where a value may come to zero and go back
local CONSTANT = 1e-9                   -- of a value: a smaller change is rounding

-- Does a value change between samples?
local function changes(list, name)
  local least, most = math.huge, -math.huge
  for _, sample in ipairs(list) do least, most = math.min(least, sample.values[name]), math.max(most, sample.values[name]) end
  return most - least > CONSTANT*math.max(math.abs(least), math.abs(most))
end

-- Adds samples where a value may come to zero and go back unseen. The point before the step helps to tell
local function add_hidden(search)
  local list, samples, from = search.list, {}, search.from
  local before = from.before and from.before.tests
  if before and (from.length or 0) > 0 then samples[1] = { length = -from.length, values = before } end
  for _, name in ipairs(search.names) do if samples[1] and not before[name] then samples[1] = nil end end
  local earlier = #samples
  table.move(list, 1, #list, earlier + 1, samples)
  local function place(k)
    local low, high = list[k - 1], list[k]
    if high.length - low.length <= NARROW*search.to.length then return nil end
    for _, name in ipairs(search.names) do
      local nothing = NOTHING*search.largest[name]
      local most = math.max(math.abs(low.values[name]), math.abs(high.values[name]))
      local at, unknown = nil, nil
      if most > nothing then at, unknown = hidden_zeros.place(samples, earlier + k, function(sample) return sample.values[name] end, nothing) end
      if unknown and changes(list, name) then at = (low.length + high.length)/2 end
      if at then return at end
    end
    return nil
  end
  local function insert(k, length)
    local sample = sample_at(search, length)
    if not sample then return false end
    table.insert(list, k, sample)
    table.insert(samples, earlier + k, sample)
    return true
  end
  hidden_zeros.add(list, fast_parts.within(search.problem, from, search.to), insert)
  if #hidden_zeros.divide(list, MORE, place, insert) > 0 then search.to.unsearched = "real" end
end

-- The samples between zeros of a value, and those where it comes to zero within NOTHING and goes back: { sign = beside it, near = the sample }
local function zeros_of(search, name)
  local nothing, best, sign, small, runs, dips = NOTHING*search.largest[name], nil, 0, nil, {}, {}
  for _, sample in ipairs(search.list) do
    local value = sample.values[name]
    if math.abs(value) <= nothing and not sample.certain then
      if not small or math.abs(value) < math.abs(small.values[name]) then small = sample end
    else
      local now = value > 0 and 1 or -1
      if now ~= sign then runs[#runs + 1] = sample
      elseif math.abs(value) > math.abs(best.values[name]) then runs[#runs] = sample end
      if now == sign and small then dips[#dips + 1] = { sign = sign, near = small } end
      best, sign, small = runs[#runs], now, nil
    end
  end
  return table.move(runs, 2, #runs - 1, 1, {}), dips
end

-- A value that comes to zero within NOTHING and goes back: where it passes zero a sample is added beyond it. Returns its place where that is rounding
local function settle(search, name, dip)
  local function f(point) return dip.sign*search.values_at(point)[name] end
  local place = curve_places.least(search.problem, search.from, search.to, f, search.largest[name], dip.near.point)
  if not place or place.least > place.known then return nil end
  if place.least >= -place.known or f(place.point) >= 0 then return place end
  local list, k = search.list, 1
  while list[k].length < place.point.length do k = k + 1 end
  table.insert(list, k, { length = place.point.length, point = place.point, values = search.values_at(place.point), certain = true })
  return nil
end

--- Do determinants show where real eigenvalues pass zero within a step? Where eigenvalues span many orders of magnitude they may be rounding.
function determinants.are_clear(problem, from, to)
  return problem.has_determinants and not problem:has_wide_spectrum(from) and not problem:has_wide_spectrum(to)
end

--- Points of a step such that between them each of some tests passes zero once at most, and places where one comes to zero and goes back, as far as it is
--- known: { name, place = see curve_places.least }. values_at: a function of the point to the values by names.
function determinants.within(problem, from, to, names, values_at)
  local search = { problem = problem, from = from, to = to, names = names, values_at = values_at, largest = {}, list = {} }
  local low, high = { length = 0, point = from, values = from.tests }, { length = to.length, point = to, values = to.tests }
  for _, name in ipairs(names) do search.largest[name] = math.max(math.abs(from.tests[name]), math.abs(to.tests[name])) end
  search.list[1] = low
  halve(search, low, high, false)
  search.list[#search.list + 1] = high
  add_hidden(search)
  local cuts, touches = {}, {}
  for _, name in ipairs(names) do
    for _, dip in ipairs(select(2, zeros_of(search, name))) do
      local place = settle(search, name, dip)
      if place then touches[#touches + 1] = { name = name, place = place } end
    end
  end
  for _, name in ipairs(names) do
    for _, sample in ipairs((zeros_of(search, name))) do cuts[#cuts + 1] = sample.point end
  end
  return cuts, touches
end

return determinants
