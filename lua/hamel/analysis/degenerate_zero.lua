-- degenerate_zero.lua: near which zero of equations a proof failed because their derivatives vanish there along some direction. In numbers: nothing is proved.
local core = require "hamel.core"

local degenerate = {}

local ITERATIONS, HALVINGS = 200, 20
local DEPENDENT = 1e-13                -- a singular value that is such a part of the largest is zero in doubles
local FALLEN, SMALL = 1e-4, 1e-6       -- so is one that falls to such a part of that at the guess and is such a part of the largest
local ZERO = 1e-15                     -- of the largest derivative and the size of the unknowns: no value of the equations is larger at a zero
local ASIDE = 1e-2                     -- how far beside the zero others are looked for, in parts of 1 and the size of the unknowns
local NEAR, NEARER = 1e-4, 1e-6        -- how far beside the zero the equations are looked at for a corner, likewise
local NOISE = 1e-12                    -- of the largest derivative and the size of the unknowns: smaller values may be rounding

local function length(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x*x end
  return math.sqrt(sum)
end

local function size(x)
  local most = 1
  for _, value in ipairs(x) do most = math.max(most, math.abs(value)) end
  return most
end

local function moved(x, step, part)
  local out = {}
  for i, value in ipairs(x) do out[i] = value + part*step[i] end
  return out
end

-- Newton's method with the shortest steps, halved where they do not help, from x: the last point, values and derivatives there, and the length of the last
-- whole step. look(x): values, derivatives row by row
local function search(look, x)
  local F, J = look(x)
  local last = 0
  for _ = 1, ITERATIONS do
    local before = length(F)
    if before == 0 then last = 0 end
    if not (before > 0 and before < math.huge) then break end
    local right, part = {}, 1
    for i, value in ipairs(F) do right[i] = -value end
    local step = core.least_squares(#F, #x, J, right, DEPENDENT)
    local other, value, slopes
    repeat
      other = moved(x, step, part)
      value, slopes = look(other)
      part = part/2
    until length(value) < before or part < 2.0^-HALVINGS
    last = length(step)
    if not (length(value) < before) then break end
    x, F, J = other, value, slopes
  end
  return x, F, J, last
end

-- Singular values, largest first, and the right singular vectors
local function singular(J, rows, columns)
  local flat = table.move(J, 1, #J, 1, {})
  for i = #flat + 1, columns*columns do flat[i] = 0.0 end
  local values, vectors = core.singular(math.max(rows, columns), columns, flat)
  local list = {}
  for j = 1, columns do
    list[j] = {}
    for i = 1, columns do list[j][i] = vectors[(i - 1)*columns + j] end
  end
  return values, list
end

-- A basis of the space of these vectors with as many zeros as there may be, each of length 1
local function plain(vectors, n)
  for k, own in ipairs(vectors) do
    local pivot = 1
    for i = 2, n do if math.abs(own[i]) > math.abs(own[pivot]) then pivot = i end end
    for i, other in ipairs(vectors) do
      local factor = i ~= k and other[pivot]/own[pivot] or 0
      for j = 1, n do other[j] = other[j] - factor*own[j] end
    end
  end
  for _, own in ipairs(vectors) do
    local whole, first = length(own), nil
    for i = 1, n do
      own[i] = math.abs(own[i]) > 1e-5*whole and own[i]/whole or 0
      first = first or own[i] ~= 0 and own[i]
    end
    for i = 1, n do own[i] = first < 0 and -own[i] or own[i] end
  end
  return vectors
end

-- "x", or "(x, y) = (0.6, -0.8)"
local function direction(vector, names)
  local list, values = {}, {}
  for i, name in ipairs(names) do
    if vector[i] ~= 0 then list[#list + 1], values[#values + 1] = name, ("%.3g"):format(vector[i]) end
  end
  if #list <= 1 then return list[1] end
  return ("(%s) = (%s)"):format(table.concat(list, ", "), table.concat(values, ", "))
end

-- What of the equations jumps beside a zero along a direction in which their derivatives vanish there: "values", "derivatives"; nil: neither. Without the
-- linear part smooth values fall as the square of the distance, those at a corner as the distance, those at a jump not at all
local function jump(look, zero, F, J, vector, noise)
  local n, whole = #zero, size(zero)
  local function rest(distance)
    local values, list = look(moved(zero, vector, distance)), {}
    for i, value in ipairs(values) do
      local linear = 0
      for j = 1, n do linear = linear + J[(i - 1)*n + j]*vector[j] end
      list[i] = value - F[i] - distance*linear
    end
    return length(list)
  end
  for _, side in ipairs{ 1, -1 } do
    local near, nearer = rest(side*NEAR*whole), rest(side*NEARER*whole)
    if nearer > noise and nearer > near/2 then return "values" end
    if near > noise and nearer > near*NEARER/NEAR/2 then return "derivatives" end
  end
end

--- Looks for a zero near x at which derivatives vanish. look(x): values of the equations and their derivatives row by row, numbers; names: of the first
--- unknowns, which are told. nil: none is found; else { at = "x = 0", along = { "y", ... }, isolated = false where other zeros are found beside it, jumping =
--- "values" or "derivatives" where these of the equations jump there along one of the directions }.
function degenerate.near(look, x, names)
  local n, _, slopes = #x, look(x)
  if not (length(slopes) < math.huge) then return nil end
  local before = singular(slopes, #slopes//n, n)
  local zero, F, J, last = search(look, x)
  -- a flat tail, such as that of exp(x), has no zero, and steps that do not end
  if not (last <= SMALL*size(zero)) or not (length(J) < math.huge and length(F) < math.huge) then return nil end
  local after, vectors = singular(J, #F, n)
  local largest = math.max(before[1], after[1])
  if not (length(F) <= ZERO*largest*size(zero)) then return nil end
  local null = {}
  for j, value in ipairs(after) do
    if value <= DEPENDENT*largest or value <= FALLEN*before[j] and value <= SMALL*largest then null[#null + 1] = vectors[j] end
  end
  if #null == 0 then return nil end
  local found, words = { along = {}, isolated = true }, {}
  for i, name in ipairs(names) do words[i] = ("%s = %.5g"):format(name, math.abs(zero[i]) < 1e-5 and 0 or zero[i]) end
  found.at = table.concat(words, ", ")
  for _, vector in ipairs(plain(null, n)) do
    found.along[#found.along + 1] = direction(vector, names)
    found.jumping = found.jumping or jump(look, zero, F, J, vector, NOISE*largest*size(zero))
    local far = ASIDE*size(zero)
    local other, value = search(look, moved(zero, vector, far))
    local way = length(moved(other, zero, -1))
    if length(value) <= ZERO*largest*size(zero) and way > far/2 and way < 2*far then found.isolated = false end
  end
  return #found.along > 0 and found or nil
end

return degenerate
