-- rest_curves.lua: curves of folds and of Hopf points of states of rest: what vanishes along them, and what passes zero where a second condition holds.
--
-- A curve of Hopf points follows one pair of eigenvalues: its sum vanishes, and its product, the square of the frequency, tells it from other pairs. Sum and
-- product of two eigenvalues stay smooth where these meet, so that the curve is regular at its end on a double zero, and where another pair, or a real
-- eigenvalue, reaches the axis. A curve of folds keeps the product of all eigenvalues at zero.
-- Source: Kuznetsov, Elements of applied bifurcation theory (2004), 8.1 and 10.2.
local states = require "hamel.continuation.states"

local rest_curves = {}

local modulus = states.modulus

local function added(a, b) return { re = a.re + b.re, im = a.im + b.im } end

-- The product of two eigenvalues, a real number for a pair
local function square_of(a, b) return a.re*b.re - a.im*b.im end

local function size_of(list)
  local size = 0
  for _, e in ipairs(list) do size = math.max(size, modulus(e)) end
  return size
end

-- Do two eigenvalues of a list make a pair: conjugates, or both real?
local function is_pair(a, b) return a.im == 0 and b.im == 0 or a.im ~= 0 and a.im == -b.im and a.re == b.re end

local ROUNDED = 1e-8                   -- of the largest eigenvalue

-- The pair of a list whose sum is nearest to zero and whose product is nearest to `square` (nil: any): { places i and k, sum, square }; nil: there is none
local function followed(list, square)
  -- a double zero is computed as two numbers of the size of the root of the rounding
  local found, best, least = nil, math.huge, (ROUNDED*size_of(list))^2 + 1e-300
  for i, a in ipairs(list) do
    for k = 1, i - 1 do
      local b = list[k]
      if is_pair(a, b) then
        local sum, product = a.re + b.re, square_of(a, b)
        local unit = math.abs(product) + math.abs(square or 0) + least
        local off = math.abs(sum)/math.sqrt(unit) + (square and math.abs(product - square)/unit or a.im == 0 and 2 or 0)
        if off < best then found, best = { i = i, k = k, sum = sum, square = product }, off end
      end
    end
  end
  return found
end

local function without(list, pair)
  local rest = {}
  for i, e in ipairs(list) do if i ~= pair.i and i ~= pair.k then rest[#rest + 1] = e end end
  return rest
end

-- Units of eigenvalues in which products of all of a list, and of the sums of its pairs, are of the size 1, however far the eigenvalues are apart. One near
-- zero counts as `least`
local function units_of(list, least)
  local one, both, pairs_count = 0, 0, 0
  for i, a in ipairs(list) do
    local size = math.max(modulus(a), least)
    one = one + math.log(size)
    for k = 1, i - 1 do both, pairs_count = both + math.log(size^2 + math.max(modulus(list[k]), least)^2)/2, pairs_count + 1 end
  end
  return { each = math.exp(one/math.max(1, #list)), sums = math.exp(both/math.max(1, pairs_count)) }
end

local DIGITS = 1e-3                    -- of the least eigenvalue at the start: smaller ones are known only as exactly as one of this size
local SMALL, NEAR = 1e-2, 1e-4         -- of the square of the first frequency, and of the mean size of all eigenvalues: squares near a double zero

--- Notes how the condition of a curve is taken, in problem.without and problem.square, and the units of what is tested along it; list: the eigenvalues of a
--- point near the curve.
function rest_curves.prepare(problem, kind, list)
  problem.size = math.max(size_of(list), 1e-300)
  problem.without = kind == "hopf" and states.further_pairs(list, added, problem.size) or 0
  local pair = kind == "hopf" and followed(list)
  problem.square = pair and pair.square
  local least = ROUNDED*problem.size
  -- the one that vanishes along a curve is measured by the others
  problem.least = math.huge
  for _, e in ipairs(kind == "fold" and states.without_nearest(list, modulus) or list) do problem.least = math.min(problem.least, DIGITS*modulus(e)) end
  problem.units = units_of(kind == "fold" and states.without_nearest(list, modulus) or pair and without(list, pair) or list, least)
  local mean = units_of(list, least).each
  problem.unit_of_square = math.max(math.abs(problem.square or 0), least^2)
  problem.small = math.max(SMALL*math.abs(problem.square or 0), NEAR*mean^2)
end

local MOST = 4                         -- times larger or smaller the square of a frequency becomes in a step

--- Why a solution belongs to no curve of Hopf points, or to another one than that of the point before; nil: it does. The square of the frequency is smooth
--- along the curve: it passes zero where it is small, and other pairs have another one.
function rest_curves.refused(problem, kind, directions)
  local before, now, small = directions.square_before, directions.square, problem.small
  if kind ~= "hopf" or problem.without ~= 0 or not before or not now then return nil end
  local least, most = before/MOST, MOST*math.max(before, small)
  if before <= small then least = -MOST*small end
  if now >= least and now <= most then return nil end
  return now < 0 and "the pair found beside the step is real, a neutral saddle" or "another pair is on the axis"
end

-- The pair that is followed, from the square at the point before, which the directions carry from point to point
local function pair_at(problem, directions, list)
  local pair = followed(list, directions and directions.square or problem.square)
  if pair and directions then directions.square = pair.square end
  return pair
end

--- The condition of a kind of special points as a number. Where pairs stay on the axis along the whole curve, as those of undamped motions beside damped ones,
--- frequencies do not tell them from the one that passes: the product of all other sums vanishes.
function rest_curves.condition(problem, kind, directions, list)
  if kind == "fold" then return states.product(list, function(e) return e end) end
  if problem.without > 0 then return states.pairs_product(list, added, problem.without) end
  local pair = pair_at(problem, directions, list)
  return pair and pair.sum or 0.0
end

local function scaled(list, size)
  local out = {}
  for i, e in ipairs(list) do out[i] = { re = e.re/size, im = e.im/size } end
  return out
end

local function itself(e) return e end

-- The square of the frequency of the pair that is followed, in units of that at the start, and the eigenvalues without it; where other pairs stay on the
-- axis, the product of the squares of all these, in units of the largest eigenvalue, and the list without them
local function on_axis(problem, directions, list)
  local square, rest = 1, list
  for _ = 0, problem.without do
    local pair = problem.without == 0 and pair_at(problem, directions, rest) or problem.without > 0 and followed(rest)
    if not pair then return nil, rest end
    square, rest = square*pair.square/(problem.without == 0 and problem.unit_of_square or problem.size^2), without(rest, pair)
  end
  return square, rest
end

-- The sum of the products of all but one, which passes zero with the second of two eigenvalues; the first is zero
local function sum_of_products(list)
  local sum = 0.0
  for i in ipairs(list) do
    local rest = table.move(list, 1, #list, 1, {})
    table.remove(rest, i)
    local re, im = 1, 0
    for _, e in ipairs(rest) do re, im = re*e.re - im*e.im, re*e.im + im*e.re end
    sum = sum + re
  end
  return sum
end

--- The frequency of the pair that a curve of Hopf points follows; nil: it is real, or other pairs stay on the axis along the whole curve.
function rest_curves.frequency(problem, directions, list)
  local pair = problem.without == 0 and pair_at(problem, directions, list)
  return pair and pair.square > 0 and math.sqrt(pair.square) or nil
end

--- What passes zero where a second condition holds: by names of kinds, of the size 1 at the start.
function rest_curves.second(problem, kind, directions, list)
  local units = problem.units
  if kind == "fold" then
    local rest = states.without_nearest(list, modulus)
    return {
      ["double-zero"] = #rest > 0 and sum_of_products(scaled(list, units.each)) or nil,
      ["zero-Hopf"] = #rest > 1 and states.pairs_product(scaled(rest, units.sums), added) or nil,
    }
  end
  local square, rest = on_axis(problem, directions, list)
  if not square then return {} end
  return {
    ["double-zero"] = square,
    ["zero-Hopf"] = #rest > 0 and states.product(scaled(rest, units.each), itself) or nil,
    ["Hopf-Hopf"] = #rest > 1 and states.pairs_product(scaled(rest, units.sums), added) or nil,
  }
end

local ON_AXIS = 1e-4                   -- of the modulus of a pair: the real part of one on the axis

-- The frequency of the pair of a list that is nearest to the axis; nil: it is a real one
local function frequency_of(list)
  local best, frequency = math.huge, nil
  for i, a in ipairs(list) do
    for k = 1, i - 1 do
      local b = list[k]
      local sum, square = math.abs(a.re + b.re), square_of(a, b)
      if is_pair(a, b) and sum < best then best, frequency = sum, a.im ~= 0 and sum <= ON_AXIS*math.sqrt(square) and math.sqrt(square) or nil end
    end
  end
  return frequency
end

--- Details of a point where a second condition holds; nil: real eigenvalues are opposite, which is none. Where the pair itself comes to zero a curve of Hopf
--- points ends: beyond, two real eigenvalues are opposite, which makes no oscillations.
function rest_curves.second_met(problem, kind, name, directions, list)
  if kind == "fold" then
    if name ~= "zero-Hopf" then return {} end
    local frequency = frequency_of(states.without_nearest(list, modulus))
    return frequency and { frequency = frequency } or nil
  end
  if name == "double-zero" then return { ends = "the frequency comes to zero, and beyond are saddles with opposite eigenvalues" } end
  local square, rest = on_axis(problem, directions, list)
  if name == "Hopf-Hopf" and not frequency_of(rest) then return nil end
  return { frequency = problem.without == 0 and square and math.sqrt(math.max(square, 0)*problem.unit_of_square) or nil }
end

--- The eigenvalues of a list without a pair on the axis, of which none is zero.
function rest_curves.without_pair(list)
  local pair = followed(list)
  return pair and without(list, pair) or list
end

return rest_curves
