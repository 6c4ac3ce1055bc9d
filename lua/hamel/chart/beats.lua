-- chart/beats.lua: does a motion come to one that repeats, so slowly that the beats of its distances hide how these shrink?
--
-- Near a motion that repeats after q points the differences after q points follow a linear map: they obey the recurrence that its characteristic
-- polynomial gives, of the order of the modes that are left, and with roots within the unit circle they shrink, however they beat. On a torus they follow
-- one as far as its curve is an ellipse, with roots on the circle. The roots are within it for sure if no change of the coefficients by as much as they may
-- be off moves one onto the circle, where the polynomial is larger then than such a change of it (Rouche). Linear systems do so at any distance, others near
-- that motion.
local core = require "hamel.core"
local points = require "hamel.chart.points"
local turns = require "hamel.chart.turns"

local beats = {}

local MODES, FEW_TIMES = 4, 4           -- the longest recurrence of differences; equations for each of its coefficients at least
local LINEAR, SURE, NOISE = 0.01, 3, 500 -- what a recurrence may leave; times the bound of its error; times rtol: errors of runs in its coefficients
local ANGLES, HALVINGS = 128, 60

--- What to do about a motion that has not settled.
beats.LONGER = "take a longer t and a larger skip"

-- Are all roots of z^n = c1 z^(n-1) + ... + cn within the unit circle? Schur and Cohn
local function roots_within(c)
  local a, n = { [0] = 1.0 }, #c
  for k = 1, n do a[k] = -c[k] end
  for m = n, 1, -1 do
    local ratio, less = a[m]/a[0], {}
    if not (math.abs(ratio) < 1) then return false end
    for k = 0, m - 1 do less[k] = a[k] - ratio*a[m - k] end
    a = less
  end
  return true
end

-- The least modulus of z^n - c1 z^(n-1) - ... - cn on the unit circle: of many angles, then between those beside each that is less than its neighbours
local function least_on_circle(c)
  local function modulus(angle)
    local re, im, n = math.cos(#c*angle), math.sin(#c*angle), #c
    for k = 1, n do re, im = re - c[k]*math.cos((n - k)*angle), im - c[k]*math.sin((n - k)*angle) end
    return math.sqrt(re*re + im*im)
  end
  local step, values, least = math.pi/ANGLES, {}, math.huge
  for k = -1, ANGLES + 1 do values[k] = modulus(k*step) end
  for k = 0, ANGLES do
    if values[k] <= values[k - 1] and values[k] <= values[k + 1] then
      local low, high = (k - 1)*step, (k + 1)*step
      for _ = 1, HALVINGS do
        local one, other = low + (high - low)/3, high - (high - low)/3
        if modulus(one) < modulus(other) then high = other else low = one end
      end
      least = math.min(least, modulus((low + high)/2))
    end
  end
  return least
end

-- The differences of the states after q points, over the scales: a list of lists
local function differences(list, q, first, last, scale, whole)
  local all = {}
  for k = first, last - q do
    local here, there = points.of_flat(list, k), points.of_flat(list, k + q)
    there = turns.near(whole, there, here)
    for i, value in ipairs(here) do here[i] = (there[i] - value)/scale[i] end
    all[#all + 1] = here
  end
  return all
end

-- Is each point near the one that comes q points later?
local function stays_near(list, q, first, last, near, scale, whole)
  for k = first, last - q do if points.distance_in(list, k, k + q, scale, whole) > near then return false end end
  return true
end

-- The recurrence of an order which the differences D follow best, every q points: its coefficients, what is left over relative to the differences,
-- and a bound of what this can have changed in the coefficients, summed over them: |dc| <= |rest| sqrt(inverse of A)
local function recurrence(D, q, order)
  local A, b, total = {}, {}, 0
  for i = 1, order do
    A[i], b[i] = {}, 0
    for j = 1, order do A[i][j] = 0 end
  end
  local before = {}                     -- differences q, 2 q, ... points earlier
  for k = order*q + 1, #D do
    for i = 1, order do before[i] = D[k - i*q] end
    for place, value in ipairs(D[k]) do
      total = total + value*value
      for i = 1, order do
        local one, row = before[i][place], A[i]
        b[i] = b[i] + one*value
        for j = 1, i do row[j] = row[j] + one*before[j][place] end
      end
    end
  end
  for i = 1, order do for j = i + 1, order do A[i][j] = A[j][i] end end
  if not (total > 0) then return nil end
  local bound, rest = 0, 0
  local flat = {}
  for _, row in ipairs(A) do table.move(row, 1, order, #flat + 1, flat) end
  for i = 1, order do
    local unit = {}
    for j = 1, order do unit[j] = i == j and 1 or 0 end
    local column = core.solve(order, flat, unit)
    if not column or column[i] < 0 then return nil end
    bound = bound + math.sqrt(column[i])
  end
  local c = core.solve(order, flat, b)
  if not c then return nil end
  for k = order*q + 1, #D do
    for i = 1, order do before[i] = D[k - i*q] end
    for place, value in ipairs(D[k]) do
      for i = 1, order do value = value - c[i]*before[i][place] end
      rest = rest + value*value
    end
  end
  return c, math.sqrt(rest/total), bound*math.sqrt(rest)
end

--- Do the distances of the points of a motion shrink, though they beat? In words; nil: this is not seen. o: { most =, rtol =, longer = what to do, in
--- words }; count: of the last points; near: what is near, over the scales; whole: see turns.lua.
function beats.shrink(list, o, count, near, scale, whole)
  local last = #list.flat//list.size
  local first = math.max(1, last - count + 1)
  for q = 1, math.min(o.most, (last - first + 1)//4) do
    local D = (q == 1 or stays_near(list, q, first, last, near, scale, whole)) and differences(list, q, first, last, scale, whole) or {}
    local most = math.min(MODES, #D//(q + FEW_TIMES))
    -- a shorter recurrence leaves no less than the longest one
    local _, least = recurrence(D, q, most)
    for order = 1, least and least >= LINEAR and 0 or most do
      local c, rest, bound = recurrence(D, q, order)
      if c and rest < LINEAR and roots_within(c) then
        for _, value in ipairs(c) do bound = bound + NOISE*o.rtol*math.abs(value) end
        if least_on_circle(c) > SURE*bound then
          return ("no period, but it comes to a motion that repeats after %d point%s: its distances shrink, though they beat; it has not settled; %s")
            :format(q, q == 1 and "" or "s", o.longer or beats.LONGER)
        end
      end
    end
  end
  return nil
end

return beats
