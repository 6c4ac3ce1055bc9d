-- moduli.lua: the order in which lists of multipliers { re, im } are given.
local moduli = {}

--- The absolute value of { re, im }, without squares that leave the range of numbers.
function moduli.of(a)
  local one, other = math.abs(a.re), math.abs(a.im)
  local most = math.max(one, other)
  if other == 0 or not (most > 0 and most < math.huge) then return most end
  return most*math.sqrt((one/most)^2 + (other/most)^2)
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
