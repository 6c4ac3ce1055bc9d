-- wide_spectrum.lua: eigenvalues of a first approximation that span so many orders of magnitude that rounding of its matrix hides the small ones: the matrix
-- comes from derivatives in quadruple precision, and its eigenvalues from as many digits.
local core = require "hamel.core"
local exact_directions = require "hamel.analysis.exact_directions"
local protected = require "hamel.base.protected"

local wide_spectrum = {}

local FINER = 2^-48                    -- of the effect of roundings of doubles: that of constants of 104 bits, with a margin
local UNIT = 2^-52
local FAR = 10                         -- errors of an eigenvalue in doubles: as far off its own may be

local NONE = 1e-40                     -- of the largest eigenvalue: a part that is the rounding of 320 bits

-- Eigenvalues and vectors { {re, im, vector = {{re, im}, ...}}, ... } in the states at `kept`. along: of constraints, see exact_directions.of: then the
-- vectors are over the states that are free, and those over all states at `kept` in `whole`
local function eigenvalues_at(w, t, x, kept, along)
  w:set_state(t, x)
  local high, low = w:exact_jacobian()
  local n, size, a, b = #kept, math.floor(math.sqrt(#high) + 0.5), {}, {}
  for _, row in ipairs(kept) do
    for _, column in ipairs(kept) do
      local place = (row - 1)*size + column
      a[#a + 1], b[#b + 1] = high[place], low[place]
    end
  end
  local directions = along and along(w, t, x)
  if directions then
    n, a, b = #directions.free, exact_directions.reduced(directions, n, a, b)
  end
  local values, vectors = core.eigen_of_sums(n, a, b)
  local list, none = {}, 0
  for _, value in ipairs(values) do none = math.max(none, NONE*math.abs(value)) end
  local function part(value) return math.abs(value) > none and value or 0.0 end
  for k = 1, n do
    list[k] = { re = part(values[2*k - 1]), im = part(values[2*k]), vector = {} }
    local length = 0
    for i = 2*(k - 1)*n + 1, 2*k*n do length = length + vectors[i]^2 end
    length = math.sqrt(length)
    for i = 1, n do list[k].vector[i] = { re = vectors[2*((k - 1)*n + i) - 1]/length, im = vectors[2*((k - 1)*n + i)]/length } end
    list[k].whole = directions and exact_directions.whole(directions, #kept, list[k].vector) or list[k].vector
  end
  return list, a, b
end

local function distance(a, b) return math.sqrt((a.re - b.re)^2 + (a.im - b.im)^2) end

-- For each of a list the nearest of the others, no one twice
local function matched(list, others)
  local free, found = table.move(others, 1, #others, 1, {}), {}
  for k, e in ipairs(list) do
    local best = 1
    for i = 2, #free do if distance(e, free[i]) < distance(e, free[best]) then best = i end end
    found[k] = table.remove(free, best)
  end
  return found
end

local UNSURE = 1e-4                    -- of an eigenvalue: an error by which its side may soon be in doubt
local SPREAD = 1e-2                    -- of the largest eigenvalue: smaller ones may be lost in its rounding
local ROUNDING, DOUBTED = 1e-13, 1e-11 -- of the largest one: smaller ones may be zero; of the eigenvalue: a larger uncertainty is worth quadruple precision

--- Is an eigenvalue so small beside the largest one that rounding of this may hide it?
function wide_spectrum.is_small(e, size) return math.max(math.abs(e.re), math.abs(e.im)) < SPREAD*size end

--- Do eigenvalues { re, im, uncertainty } span so many orders of magnitude that doubles leave some of them in doubt? least (nil: 0): smaller ones need to be
--- known only as exactly as one of this size. zeros (nil: any number): how many eigenvalues are zero, as along a family; others that look like it may be small.
function wide_spectrum.is_doubted(list, least, zeros)
  local size, doubted, none = 0, false, 0
  for _, e in ipairs(list) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
  for _, e in ipairs(list) do
    local modulus = math.max(math.abs(e.re), math.abs(e.im))
    if modulus <= ROUNDING*size then none = none + 1 end
    doubted = doubted or modulus > ROUNDING*size and wide_spectrum.is_small(e, size) and e.uncertainty > DOUBTED*math.max(modulus, least or 0)
  end
  return doubted or size > 0 and none > (zeros or none)
end

-- The eigenvalues at a state beside x, by a rounding of each number; nil where there are none
local function beside(w, t, x, kept, along)
  local moved = {}
  for i, value in ipairs(x) do moved[i] = value*(1 + (i % 2 == 0 and UNIT or -UNIT)) end
  local fine, list = protected(eigenvalues_at, w, t, moved, kept, along)
  w:set_state(t, x)
  return fine and list or nil
end

-- Of an eigenvalue e: by `off` in quadruple precision; other: the same at a state beside
local function uncertainty_of(e, other, off) return off + distance(e, other) + UNIT*(math.abs(e.re) + math.abs(e.im)) end

local LEAST_PRODUCT, ALONE = 1e-12, 10  -- of left and right vectors: less is rounding; times its error an eigenvalue is away from the others

-- What roundings of the matrix in quadruple precision, relative to its norm, move each eigenvalue of a list by, to first order: from its left and right
-- vectors. The second result: for which of them others are so far away that this is all
local function errors_of(n, a, b, list)
  local high, low, norm = {}, {}, 0.0
  for i = 1, n do
    for j = 1, n do
      local from, to = (i - 1)*n + j, (j - 1)*n + i
      high[to], low[to], norm = a[from], b[from], norm + a[from]^2
    end
  end
  local fine, values, vectors = protected(core.eigen_of_sums, n, high, low)
  if not fine then return {}, {} end
  local others, errors, alone = {}, {}, {}
  for k = 1, n do others[k] = { re = values[2*k - 1], im = values[2*k], place = 2*(k - 1)*n } end
  for k, other in ipairs(matched(list, others)) do
    local length, re, im = 0.0, 0.0, 0.0
    for i = 1, n do
      local x, y = vectors[other.place + 2*i - 1], vectors[other.place + 2*i]
      local u = list[k].vector[i]
      length, re, im = length + x^2 + y^2, re + x*u.re - y*u.im, im + x*u.im + y*u.re
    end
    local product = math.sqrt((re^2 + im^2)/length)
    local off = FINER*UNIT*math.sqrt(norm)/product
    errors[k], alone[k] = off, product > LEAST_PRODUCT
    for i, e in ipairs(list) do alone[k] = alone[k] and (i == k or distance(e, list[k]) > ALONE*off) end
  end
  return errors, alone
end

--- The eigenvalues of the derivatives of the rates of the states at `kept`: a list of { re, im, uncertainty,
--- aside = that of the real part of one of a pair }, for states that have a rounding in the last place; nil where the derivatives are not to be had in
--- quadruple precision. known: the same by doubles, in any order; bare: without uncertainties, at half the cost; along: of constraints, see
--- exact_directions.of; nil: there are none
function wide_spectrum.alone(w, t, x, kept, known, bare, along)
  local fine, list, high, low = protected(eigenvalues_at, w, t, x, kept, along)
  if not fine or #list ~= #known then return nil end
  if bare then return list end
  local others = beside(w, t, x, kept, along)
  if not others or #others ~= #list then return nil end
  local size, in_doubt = 0, false
  for _, e in ipairs(list) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
  local near, doubles, all, offs = matched(list, others), matched(list, known), {}, {}
  for k, e in ipairs(list) do
    offs[k] = FINER*math.min(doubles[k].uncertainty, size)
    in_doubt = in_doubt or offs[k] > UNSURE*(math.abs(e.re) + math.abs(e.im))
  end
  -- where doubles take two for one, they say too much
  local errors, alone = {}, {}
  if in_doubt then errors, alone = errors_of(#list, high, low, list) end
  for k, e in ipairs(list) do
    local off = alone[k] and math.min(offs[k], errors[k]) or offs[k]
    -- of a pair the half sum is known better than each, where the two nearly meet
    local aside
    for i, partner in ipairs(e.im ~= 0 and list or {}) do
      if i ~= k and partner.re == e.re and partner.im == -e.im then
        aside = off + math.abs((near[k].re + near[i].re)/2 - e.re) + UNIT*math.abs(e.re)
      end
    end
    all[k] = { re = e.re, im = e.im, uncertainty = uncertainty_of(e, near[k], off), aside = aside }
  end
  list = all
  table.sort(list, function(a, b)
    local p, q = math.abs(a.re) + math.abs(a.im), math.abs(b.re) + math.abs(b.im)
    if p ~= q then return p > q end
    if a.re ~= b.re then return a.re > b.re end
    return a.im > b.im
  end)
  return list
end

--- The eigenvalues of the derivatives of the rates of the states at `kept`, in the order of `known`: a list of { re, im, whole = vector, uncertainty,
--- first_order = what roundings of the matrix move it by to first order }, and the matrix row by row. known: the same by doubles,
--- { re, im, uncertainty }. nil where the derivatives are not to be had in quadruple precision, or the eigenvalues are not those known. bare: without the
--- errors, and whatever they are. along: of constraints, see exact_directions.of; nil: there are none. The uncertainty is for states that have a rounding in
--- the last place.
function wide_spectrum.of(w, t, x, kept, known, bare, along)
  local fine, list, A, low = protected(eigenvalues_at, w, t, x, kept, along)
  if not fine or #list ~= #known then return nil end
  if bare then return matched(known, list) end
  local others = beside(w, t, x, kept, along)
  if not others or #others ~= #list then return nil end
  local errors, alone = errors_of(#list, A, low, list)
  for k, e in ipairs(list) do e.first_order, e.alone = errors[k], alone[k] end
  list = matched(known, list)
  others = matched(list, others)
  for k, e in ipairs(list) do
    local off = known[k].uncertainty
    if not (distance(e, known[k]) <= FAR*off + UNIT*FAR*math.abs(e.re + e.im)) then return nil end
    e.uncertainty = uncertainty_of(e, others[k], e.alone and math.min(e.first_order, FINER*off) or FINER*off)
  end
  return list, A
end

return wide_spectrum
