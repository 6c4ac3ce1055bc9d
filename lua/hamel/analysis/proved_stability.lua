-- proved_stability.lua: verdicts on stability from matrices in balls: of motions near a steady state by its first approximation, of a map near a fixed point.
local core = require "hamel.core"

local stability = {}

local SHOWN, ACCURATE, FEW = 15, 52, 10  -- digits; bits from which all of them are shown; below which the ends of the ball are shown

local function zero() return core.ball("0", 2) end

local function meets_zero(e) return e.re:holds(zero()) ~= false and e.im:holds(zero()) ~= false end

--- A ball as text: its digits where it has many, else with its radius.
function stability.number(x)
  if x:is_exact() or x:accuracy() >= ACCURATE then return x:text(SHOWN) end
  if x:holds(zero()) == false and x:accuracy() < FEW then return ("[%.17g, %.17g]"):format(x.lower, x.upper) end
  return x:holds(zero()) ~= false and ("0 +/- %.2g"):format(math.max(-x.lower, x.upper)) or tostring(x)
end

--- A cluster of eigenvalues as text.
function stability.text(e)
  local s = stability.number(e.re)
  if e.re:is_exact() and e.re:holds(zero()) and not e.im:holds(zero()) then return stability.number(e.im) .. " i" end
  if not (e.im:is_exact() and e.im:holds(zero())) then
    local im = stability.number(e.im)
    if e.re:holds(zero()) ~= false then s = ("(%s)"):format(s) end
    if im:find "^0 " then im = ("(%s)"):format(im) end
    s = im:sub(1, 1) == "-" and ("%s - %s i"):format(s, im:sub(2)) or ("%s + %s i"):format(s, im)
  end
  if e.zero then return e.count > 1 and ("0 (%d times)"):format(e.count) or "0" end
  return e.count > 1 and ("%s (%d of them)"):format(s, e.count) or s
end

local function exact_zeros(count) return { re = zero(), im = zero(), size = zero(), count = count, zero = true } end

-- The eigenvalues of A, `family` of which are exactly zero; the second result: are the others told apart from these?
local function spectrum(A, family, bits)
  local list, apart = core.ball_eigenvalues(A, bits, family)
  if not list or family == 0 then return list, list ~= nil end
  if apart then
    table.insert(list, 1, exact_zeros(family))
    return list, true
  end
  local near, out = 0, { exact_zeros(family) }
  for _, e in ipairs(list) do
    if meets_zero(e) then near = near + e.count else out[#out + 1] = e end
  end
  -- balls that meet zero hold these eigenvalues; where they hold no more, they are exactly zero
  if near == family then return out, true end
  return list, false
end

--- The verdict on a steady state: A rows of balls, `family` of whose eigenvalues are known to be exactly zero, as steady states form a family of that
--- dimension. Returns eigenvalues (clusters { re, im, size, count }, nil where they are not enclosed), stable (true, false, nil: not decided), and why not.
function stability.of_flow(A, family, bits)
  if #A == 0 then return {}, nil, "nothing moves" end
  local list, apart = spectrum(A, family, bits)
  local negative, doubt = apart, nil
  for _, e in ipairs(list or {}) do
    if e.re.lower > 0 then return list, false end
    if not (e.re.upper < 0 or e.zero) then negative, doubt = false, doubt or e end
  end
  if list and negative then return list, true end
  -- eigenvalues that are not told apart may still have signs
  local signs = core.ball_hurwitz(A, family, bits)
  if signs ~= nil then return list, signs end
  if not doubt then return list, nil, "the eigenvalues are not enclosed" end
  return list, nil, ("the real part of the eigenvalue %s is not proved to differ from zero"):format(stability.text(doubt))
end

-- Do two clusters have points in common, the first one mirrored in the imaginary axis?
local function mirror_meets(a, b)
  return core.ball_sum(a.re, b.re, 1):holds(zero()) ~= false and a.im:meets(b.im) ~= false
end

--- Are all eigenvalues but the exact zeros proved simple and imaginary, where the spectrum is known to be symmetric about the imaginary axis? An eigenvalue
--- whose ball meets the mirror image of no other one is its own mirror image. Their real parts become exact zeros then.
function stability.is_imaginary(list)
  for i, a in ipairs(list) do
    if not a.zero then
      if a.count > 1 or not mirror_meets(a, a) then return false end
      for j, b in ipairs(list) do if j ~= i and mirror_meets(a, b) then return false end end
    end
  end
  for _, e in ipairs(list) do
    e.re = zero()
    if not e.zero then
      -- |e| = |im|
      e.size = e.im:positive() == true and e.im or e.im:positive() == false and core.ball_sum(zero(), e.im, -1) or e.size
    end
  end
  return #list > 0
end

--- Is an eigenvalue outside of the unit circle? true, false: inside, or nil: not proved; then by how much, a ball. The ends of the size are doubles, and decide
--- less.
function stability.beyond_circle(e)
  local one = core.ball("1", 2)
  local off = core.ball_sum(e.size, one, -1)
  if off:positive() then return true, off end
  if core.ball_sum(one, e.size, -1):positive() then return false, off end
  return nil, off
end

-- An upper bound of the sums of the rows in size
local function row_bound(A)
  local most = 0.0
  for _, row in ipairs(A) do
    local sum = 0.0
    for _, x in ipairs(row) do sum = sum + math.max(-x.lower, x.upper) end
    most = math.max(most, sum)
  end
  -- sums of doubles are rounded
  return most*(1 + 2*#A*2.0^-52)
end

local function trace(A)
  local sum = zero()
  for i, row in ipairs(A) do sum = core.ball_sum(sum, row[i], 1) end
  return sum
end

local LARGE, MOST_SQUARES = 1e100, 200

-- Are all eigenvalues inside the unit circle, by a power whose norm is below 1 (true), or is one outside, by a power whose trace is larger than the number of
-- eigenvalues (false)? nil: neither is found. The powers are squares of each other; sizes nearer to 1 than about 2^-200 are left
local function by_powers(A, bits)
  for _ = 1, math.min(bits, MOST_SQUARES) do
    local bound, sum = row_bound(A), trace(A)
    if bound < 1 then return true end
    if sum.lower > #A or sum.upper < -#A then return false end
    if not (bound < LARGE) then return nil end
    A = core.ball_product(A, A, bits)
  end
end

-- Where the size of a multiplier is 1 in the digits that are shown
local function near_one(off)
  local size = math.max(math.abs(off.lower), math.abs(off.upper))
  if size < 1e-300 then return "a multiplier has a size within 1e-300 of 1" end
  return size < 10.0^(1 - SHOWN) and ("a multiplier has the size 1 %s %.3g"):format(off.upper < 0 and "-" or "+", size) or nil
end

--- The same for a fixed point of a map with the derivatives A; where it is decided, the third result tells of a multiplier very near the unit circle.
function stability.of_map(A, bits)
  local list = core.ball_eigenvalues(A, bits, 0)
  local inside, doubt, note = list ~= nil, nil, nil
  for _, e in ipairs(list or {}) do
    local outside, off = stability.beyond_circle(e)
    if outside then return list, false, near_one(off) end
    if outside == nil then inside, doubt = false, doubt or e else note = note or near_one(off) end
  end
  if inside then return list, true, note end
  local decided = by_powers(A, bits)
  if decided ~= nil then return list, decided end
  if not list then
    return nil, nil, "the multipliers are not enclosed, as where several are equal, and powers of the derivative decide nothing; more bits may"
  end
  if doubt.size:is_exact() then return list, nil, ("the size of the multiplier %s is 1"):format(stability.text(doubt)) end
  return list, nil, ("the size of the multiplier %s is not proved to differ from 1; where it does, more bits and smaller boxes of parameters show it"):format(
    stability.text(doubt))
end

--- Is a matrix of balls, symmetric, proved positive or negative definite?
function stability.definite(rows, bits)
  if core.ball_definite(rows, bits) then return true end
  local opposite = {}
  for i, row in ipairs(rows) do
    opposite[i] = {}
    for j, x in ipairs(row) do opposite[i][j] = core.ball_sum(zero(), x, -1) end
  end
  return core.ball_definite(opposite, bits)
end

return stability
