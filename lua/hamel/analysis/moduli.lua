-- moduli.lua: the order in which lists of multipliers { re, im, uncertainty } are given, and the digits that are known of them.
local moduli = {}

--- The absolute value of { re, im }, without squares that leave the range of numbers.
function moduli.of(a)
  local one, other = math.abs(a.re), math.abs(a.im)
  local most = math.max(one, other)
  if other == 0 or not (most > 0 and most < math.huge) then return most end
  return most*math.sqrt((one/most)^2 + (other/most)^2)
end

--- How many digits, up to `most`, a number of the absolute value `size` has that is known to `uncertainty`; nil: none.
function moduli.digits(size, uncertainty, most)
  if not (size > uncertainty) then return nil end
  if not (size < math.huge and uncertainty > 0) then return most end
  return math.max(1, math.min(most, math.floor(math.log(size/uncertainty, 10)) + 1))
end

local KNOWN = 3                         -- times the uncertainty of a multiplier: so far off the unit circle its side is known

--- By how much a multiplier is outside the unit circle; 0 where its uncertainty hides on which side it is.
function moduli.off_circle(m)
  local off, unknown = moduli.of(m) - 1, m.uncertainty and m.uncertainty < math.huge and KNOWN*m.uncertainty or 0
  return math.abs(off) > unknown and off or 0
end

--- Is a multiplier not determined, since it is no larger than its uncertainty? Zeros of matrices of fewer dimensions are exact.
function moduli.is_undetermined(m)
  local size, uncertainty = moduli.of(m), m.uncertainty or 0
  return uncertainty > 0 and not (size > uncertainty)
end

--- How many multipliers of a list are not determined; nil: none.
function moduli.undetermined(list)
  local count = 0
  for _, m in ipairs(list) do if moduli.is_undetermined(m) then count = count + 1 end end
  return count > 0 and count or nil
end

--- The list sorted in place: the largest modulus first, then the largest real part, then the largest imaginary part.
function moduli.sort(list)
  local sizes = {}
  for _, m in ipairs(list) do sizes[m] = moduli.of(m) end
  table.sort(list, function(a, b)
    if sizes[a] ~= sizes[b] then return sizes[a] > sizes[b] end
    if a.re ~= b.re then return a.re > b.re end
    return a.im > b.im
  end)
  return list
end

return moduli
