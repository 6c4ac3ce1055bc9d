-- spectrum.lua: spectra that are symmetric, as those of conservative and reversible systems, and where their eigenvalues meet.
--
-- With every eigenvalue goes its opposite (of multipliers its inverse), so that the sum of two never changes its sign. What remains are k numbers
-- z = e^2 (of multipliers z = m + 1/m). Two of them meet where the product of all (z_i - z_j)^2, which is smooth there, changes its sign.
-- Source: Howard and MacKay, J. Math. Phys. 28 (1987), on collisions of multipliers.

local spectrum = {}

local function times(a, b) return { re = a.re*b.re - a.im*b.im, im = a.re*b.im + a.im*b.re } end

local function inverse(a)
  local size = a.re^2 + a.im^2
  return { re = a.re/size, im = -a.im/size }
end

local function distance(a, b) return math.sqrt((a.re - b.re)^2 + (a.im - b.im)^2) end

local SYMMETRIC = 1e-6                 -- of the largest eigenvalue

local NEARLY, KNOWN = 1e-12, 10       -- of the modulus; times the uncertainty of both

local function modulus(a) return math.sqrt(a.re^2 + a.im^2) end

-- How far two eigenvalues may be from partners. Where their uncertainty is not known rounding may be as large as beside a multiple one, the root of eps
local function slack(a, b, size)
  local off = a.uncertainty and b.uncertainty and a.uncertainty + b.uncertainty or math.huge
  return math.min(SYMMETRIC*size, NEARLY*math.max(modulus(a), modulus(b)) + KNOWN*off)
end

-- Every eigenvalue with its partner; nil where one has none. off: how far two may be from partners
local function paired(list, partner, size, off)
  if #list % 2 == 1 then return nil end
  local taken, found = {}, {}
  for i, a in ipairs(list) do
    if not taken[i] then
      local wanted, best = partner(a), nil
      for j = i + 1, #list do
        if not taken[j] and (not best or distance(list[j], wanted) < distance(list[best], wanted)) then best = j end
      end
      if not best or not (distance(list[best], wanted) <= off(a, list[best], size)) then return nil end
      taken[best], found[#found + 1] = true, { a, list[best] }
    end
  end
  return found
end

local function share(_, _, size) return SYMMETRIC*size end

local function largest(list)
  local most = 0
  for _, a in ipairs(list) do most = math.max(most, math.sqrt(a.re^2 + a.im^2)) end
  return most
end

--- Are there complex eigenvalues off the imaginary axis in a list that is even?
function spectrum.has_quartets(list)
  for _, e in ipairs(list) do
    if e.im ~= 0 and math.abs(e.re) > slack(e, e, largest(list)) then return true end
  end
  return false
end

local function opposite(a) return { re = -a.re, im = -a.im } end

local THREE_MET = 1e-3                 -- uncertainty of three eigenvalues, of the largest of them, from which they may be one triple

-- The same beside zero, where three may nearly meet, so that no part of the largest one is a measure
local function slack_of_three(a, b, size)
  local off = a.uncertainty and b.uncertainty and a.uncertainty + b.uncertainty or math.huge
  if off == math.huge then return SYMMETRIC*size end
  return math.min(size/2, NEARLY*math.max(modulus(a), modulus(b)) + KNOWN*off)
end

-- Two opposite numbers in place of three that meet in zero but for rounding: its third root in each of them, while the sum of their squares stays exact. nil:
-- they do not meet
local function met_in_zero(three)
  local most, off, z = 0, 0, 0
  for _, e in ipairs(three) do
    most, off, z = math.max(most, modulus(e)), math.max(off, e.uncertainty or 0), z + (e.re^2 - e.im^2)/2
  end
  if off < THREE_MET*most or most == 0 then return nil end
  local root = math.sqrt(math.abs(z))
  local e = { re = z > 0 and root or 0.0, im = z > 0 and 0.0 or root, uncertainty = math.min(off, most) }
  return { e, { re = -e.re, im = -e.im, uncertainty = e.uncertainty } }
end

-- The pairs of an odd number of eigenvalues, of which one is zero and has no opposite; nil where another one has none. Where a family of states of rest or of
-- steady motions goes on in a direction that is no value kept, there is a zero all along the branch
local function odd_pairs(list)
  local sorted, size = table.move(list, 1, #list, 1, {}), largest(list)
  table.sort(sorted, function(a, b) return modulus(a) < modulus(b) end)
  local met = #sorted >= 3 and met_in_zero{ sorted[1], sorted[2], sorted[3] }
  if met then
    local found = paired(table.move(sorted, 4, #sorted, 1, {}), opposite, size, slack_of_three)
    if found then found[#found + 1] = met end
    return found
  end
  if #sorted < 3 or not (modulus(sorted[1]) <= slack_of_three(sorted[1], sorted[1], size)) then return nil end
  return paired(table.move(sorted, 2, #sorted, 1, {}), opposite, size, slack_of_three)
end

local function with_opposites(list)
  if #list % 2 == 1 then return odd_pairs(list) end
  return paired(list, opposite, largest(list), slack)
end

--- Do the eigenvalues come with their opposites?
function spectrum.is_even(list) return #list > 0 and with_opposites(list) ~= nil end

-- How exactly a product is known
local function uncertainty_of_product(a, b)
  return a.uncertainty and b.uncertainty and modulus(a)*b.uncertainty + modulus(b)*a.uncertainty + a.uncertainty*b.uncertainty
end

--- The squares of eigenvalues that come with their opposites, each once: from the product of both, which stays exact where they meet. The uncertainties of
--- eigenvalues, where they have one, become those of the squares.
function spectrum.squares(list)
  local squares = {}
  for i, pair in ipairs(with_opposites(list) or {}) do
    squares[i] = opposite(times(pair[1], pair[2]))
    squares[i].uncertainty, squares[i].exact = uncertainty_of_product(pair[1], pair[2]), pair[1].exact
  end
  return squares
end

local OFF_CIRCLE = 1e-5                -- of the square of a modulus: how far from 1 one that is off the unit circle is at least

--- Are there multipliers off the unit circle, complex or negative, in a list that is reciprocal?
function spectrum.has_quartets_of_multipliers(list)
  for _, m in ipairs(list) do
    local square = m.re^2 + m.im^2
    local known = KNOWN*(m.uncertainty or 0)*math.sqrt(square)
    if (m.im ~= 0 or m.re < 0) and square < math.huge and math.abs(square - 1) > OFF_CIRCLE*math.max(1, square) + known then return true end
  end
  return false
end

local RECIPROCAL = 1e-3                -- how far the product of a large and a small multiplier may be from 1

--- Do the multipliers come with their inverses?
function spectrum.is_reciprocal(list)
  for _, a in ipairs(list) do if a.re == 0 and a.im == 0 then return false end end
  local pairs_of = #list > 0 and paired(list, inverse, largest(list), share)
  -- beside a large multiplier all others are near to each other's inverses
  for _, pair in ipairs(pairs_of or {}) do
    local product = times(pair[1], pair[2])
    if not (distance(product, { re = 1, im = 0 }) <= RECIPROCAL) then return false end
  end
  return pairs_of and true or false
end

--- The same as exactly as they are known: by how much the product of two may differ from 1 beside their uncertainties.
function spectrum.is_reciprocal_within(list, off)
  for _, pair in ipairs(paired(list, inverse, largest(list), share) or {}) do
    local one, other = pair[1], pair[2]
    local known = KNOWN*((one.uncertainty or 0)*modulus(other) + (other.uncertainty or 0)*modulus(one))
    if not (distance(times(one, other), { re = 1, im = 0 }) <= off + known) then return false end
  end
  return true
end

--- The sums m + 1/m of multipliers that come with their inverses, each once.
function spectrum.sums(list)
  local sums = {}
  for i, pair in ipairs(paired(list, inverse, largest(list), share) or {}) do sums[i] = { re = pair[1].re + pair[2].re, im = pair[1].im + pair[2].im } end
  return sums
end

--- Is the spectrum symmetric at a point, and was it at all points before? A spectrum that is symmetric at one point alone passes a special point there.
function spectrum.stays(point, symmetric)
  local before = point.before
  -- so does one at the start alone
  if not symmetric and before and not before.before then before.symmetric = false end
  point.symmetric = symmetric and not (before and before.symmetric == false)
  return point.symmetric
end

local LEAST_LOGARITHM = -600           -- so that the sign of the smallest product is seen
local EQUAL = 1e-24                    -- the square of the difference of numbers that are equal but for rounding

-- The product of the squares of the differences between numbers z in a unit (nil: the largest), and the least absolute value of its factors: the product of
-- many is small everywhere. nil for fewer than two
local function meeting_of(numbers, unit)
  local size = unit or largest(numbers)
  if #numbers < 2 or size == 0 then return nil end
  local logarithm, turn, least = 0.0, { re = 1.0, im = 0.0 }, math.huge
  for i, a in ipairs(numbers) do
    for j = 1, i - 1 do
      local b = numbers[j]
      local off = { re = (a.re - b.re)/size, im = (a.im - b.im)/size }
      local factor = times(off, off)
      local amount = modulus(factor)
      least = math.min(least, amount)
      if amount <= EQUAL then return 0.0, 0.0 end
      logarithm, turn = logarithm + math.log(amount), times(turn, { re = factor.re/amount, im = factor.im/amount })
    end
  end
  -- numbers that are not real come in conjugate pairs, so that the product is real
  return turn.re*math.exp(math.max(LEAST_LOGARITHM, math.min(-LEAST_LOGARITHM, logarithm))), least
end

--- A number that changes its sign where two squares of eigenvalues meet, and how near to each other two of them are; nil for fewer than two pairs. Of an odd
--- number one stays zero and meets none.
function spectrum.meeting(eigenvalues) return meeting_of(spectrum.squares(eigenvalues)) end

--- A number that changes its sign where two of m + 1/m meet, and how near to each other two of them are; nil for fewer than two pairs.
function spectrum.meeting_of_multipliers(multipliers) return meeting_of(spectrum.sums(multipliers)) end

--- The product of the squares of the differences between the numbers m + 1/m, which is smooth where two of them meet; nil for fewer than two pairs.
function spectrum.discriminant(multipliers) return (meeting_of(spectrum.sums(multipliers), 1)) end

local ORDERS = { { 1, 1.0 }, { 2, -1.0 }, { 3, -0.5 }, { 4, 0.0 } }

--- Numbers that pass zero at strong resonances, on a curve of special points: by names "strong resonance 1:n". A pair on the unit circle passes an n-th
--- root of 1; beside a multiplier 1 (fold) or -1 (flip) another one has that value.
function spectrum.resonances(kind, multipliers)
  local tests, best, pair = {}, math.huge, nil
  if kind == "torus" then
    for i, a in ipairs(multipliers) do
      for j = 1, i - 1 do
        local b = multipliers[j]
        local product = times(a, b)
        local off = math.abs(product.re - 1) + math.abs(product.im)
        if off < best then best, pair = off, (a.re + b.re)/2 end
      end
    end
    for _, order in ipairs(ORDERS) do tests["strong resonance 1:" .. order[1]] = pair and pair - order[2] or nil end
    return tests
  end
  local border = kind == "fold" and 1 or -1
  -- the sum of the products of all but one, which is smooth where a second one meets that at the border, while each by itself changes like a root
  local factors, re = {}, 0.0
  for i, a in ipairs(multipliers) do
    local size = 1 + math.sqrt(a.re^2 + a.im^2)
    factors[i] = size < math.huge and { re = (a.re - border)/size, im = a.im/size, size = size } or { re = a.re > 0 and 1.0 or -1.0, im = 0.0, size = size }
  end
  for i, left_out in ipairs(factors) do
    local product = { re = 1/left_out.size, im = 0.0 }
    for k, factor in ipairs(factors) do if k ~= i then product = times(product, factor) end end
    re = re + product.re
  end
  if #multipliers > 1 then tests["strong resonance 1:" .. (kind == "fold" and 1 or 2)] = re end
  return tests
end

--- Half the sum of the two of a list that are nearest to each other, and their distance; infinite where there are no two.
function spectrum.nearest_two(list)
  local best, middle = math.huge, nil
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local b = list[j]
      if distance(a, b) < best then best, middle = distance(a, b), { re = (a.re + b.re)/2, im = (a.im + b.im)/2 } end
    end
  end
  return middle, best
end

--- Numbers that pass zero at strong resonances on a curve along which two multipliers of a symmetric spectrum meet on the unit circle, by names.
function spectrum.resonances_of_meeting(multipliers)
  local middle, tests = spectrum.nearest_two(spectrum.sums(multipliers)), {}
  for _, order in ipairs(ORDERS) do tests["strong resonance 1:" .. order[1]] = middle and middle.re/2 - order[2] or nil end
  return tests
end

local MET = 1e-5                       -- how far from the border numbers that meet on it may be computed

--- Where two eigenvalues of the upper half plane meet: the frequency; nil where they meet off the imaginary axis.
function spectrum.meeting_frequency(eigenvalues)
  -- of all squares the two that meet are those nearest to each other
  local middle, size = spectrum.nearest_two(spectrum.squares(eigenvalues)), largest(eigenvalues)
  return middle and middle.re < 0 and math.abs(middle.im) <= MET*size^2 and math.sqrt(-middle.re) > SYMMETRIC*size and math.sqrt(-middle.re) or nil
end

--- Where two multipliers of the upper half plane meet: their angle; nil where they meet off the unit circle, or are farther from each other than `near`
--- (nil: at any distance).
function spectrum.meeting_angle(multipliers, near)
  -- of all sums m + 1/m the two that meet are those nearest to each other
  local middle = spectrum.nearest_two(spectrum.sums(multipliers))
  if not middle or math.abs(middle.im) > MET or not (math.abs(middle.re) < 2) then return nil end
  local angle, upper = math.acos(middle.re/2), {}
  for _, a in ipairs(multipliers) do if a.im > SYMMETRIC then upper[#upper + 1] = a end end
  table.sort(upper, function(a, b) return math.abs(math.atan(a.im, a.re) - angle) < math.abs(math.atan(b.im, b.re) - angle) end)
  if #upper < 2 or near and not (distance(upper[1], upper[2]) <= near) then return nil end
  return angle
end

return spectrum
