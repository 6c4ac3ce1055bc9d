-- positivity.lua: densities are positive: the signs of the factors of a density, judged at random points of the domain.
--
-- With a factor g^c also |g|^c solves Liouville's equation wherever g is not zero, so that the sign of each factor is free.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"

local POINTS = 60                      -- half of them at the declared values of the parameters
local SCALES = { 0.5, 2, 8 }           -- largest values of coordinates

-- ---- factors whose sign matters

-- { base, exponent, is_root = is the exponent no integer }; nil where the factor is positive wherever it is real and not zero
local function sensitive(factor)
  if core.kind(factor) == "call" and core.name(factor) == "exp" then return nil end
  local n, base = 1, factor
  if core.kind(factor) == "power" and core.number_value(core.operands(factor)[2]) then
    base, n = core.operands(factor)[1], core.number_value(core.operands(factor)[2])
  end
  if n % 2 == 0 then return nil end
  return { base = base, exponent = base == factor and core.rational(1) or core.operands(factor)[2], is_root = n % 1 ~= 0 }
end

-- The sensitive factors of a density, and the product of the others
local function split(rho)
  local list, rest = {}, core.rational(1)
  for _, factor in ipairs(core.kind(rho) == "product" and core.operands(rho) or { rho }) do
    local found = sensitive(factor)
    if found then list[#list + 1] = found else rest = rest*factor end
  end
  return list, rest
end

-- ---- points

local function generator()
  local state = 12345
  return function(low, high)
    state = (state*1103515245 + 12345) % 2147483648
    return low + (high - low)*state/2147483648
  end
end

local function value_of(flow, s, declared, random)
  local name = core.name(s)
  if declared and flow.system._values[name] then return flow.system._values[name] end
  if core.known_positive(s) then return 10^random(-1, 1) end
  local scale = SCALES[1 + math.floor(random(0, #SCALES))]
  return random(-scale, scale)
end

-- Functions that vanish on the domain, with their slopes by the coordinates in the list
local function conditions_of(flow, list)
  local functions, slopes, indices = table.move(flow.surfaces, 1, #flow.surfaces, 1, {}), {}, {}
  for _, R in ipairs(flow.rotations) do functions[#functions + 1] = R.unit end
  for i, s in ipairs(list) do if object.contains(flow.q, s) then indices[#indices + 1] = i end end
  for k, f in ipairs(functions) do
    slopes[k] = {}
    for i, index in ipairs(indices) do slopes[k][i] = core.diff(f, list[index]) end
  end
  return functions, slopes, indices
end

-- Values of the expressions at points of the domain, one list for each; declared = at how many of them, the first, parameters have their values
local function values_at_points(flow, expressions)
  local all = table.move(flow.surfaces, 1, #flow.surfaces, #expressions + 1, table.move(expressions, 1, #expressions, 1, {}))
  for _, R in ipairs(flow.rotations) do all[#all + 1] = R.unit end
  local list, rows, random = core.symbols(all), { declared = 0 }, generator()
  local functions, slopes, indices = conditions_of(flow, list)
  for k = 1, POINTS do
    local point, row = {}, {}
    for i, s in ipairs(list) do point[i] = value_of(flow, s, 2*k <= POINTS, random) end
    if surface.project(functions, slopes, list, point, indices) then
      for i, e in ipairs(expressions) do
        local fine, value = attempt(core.value, e, list, point)
        row[i] = fine and value or 0/0
      end
      rows[#rows + 1] = row
      if 2*k <= POINTS then rows.declared = #rows end
    end
  end
  return rows
end

-- ---- signs

-- The first point at which most factors are positive, among those for the declared values of the parameters
local function best_of(rows, count)
  local best, most = nil, -1
  for k = 1, rows.declared do
    local positive, all_real = 0, true
    for i = 1, count do
      local value = rows[k][i]
      if value > 0 then positive = positive + 1 elseif not (value < 0) then all_real = false end
    end
    if all_real and positive > most then best, most = rows[k], positive end
  end
  return best
end

-- Direction cosines are functions of the coordinates
local function is_constant(flow, e)
  for _, s in ipairs(core.symbols{ motion.numbers(flow.system, e) }) do if s == symbols.t or object.contains(flow.q, s) then return false end end
  return true
end

-- Is the value of this place above zero at all points, after its sign was turned?
local function is_positive(rows, place, sign)
  for _, row in ipairs(rows) do if not (sign*row[place] > 0) then return false end end
  return true
end

--- The density with the signs of its factors turned so that it is positive, and the conditions where it is, as a text: nil where it was positive at
--- all points. Factors that do not depend on the coordinates are left out where they may be negative. Raises where it has no real values.
return function(flow, rho)
  local list, product = split(rho)
  if #list == 0 then return rho end
  local bases = {}
  for i, factor in ipairs(list) do bases[i] = motion.numbers(flow.system, factor.base) end
  local rows = values_at_points(flow, bases)
  local best = best_of(rows, #bases) or object.fail("no point of the domain was found where %s has a real value", core.text(rho))
  local texts, odd = {}, core.rational(1)
  for i, factor in ipairs(list) do
    local sign = best[i] < 0 and -1 or 1
    local base, sure = sign*factor.base, is_positive(rows, i, sign)
    if sure or not is_constant(flow, base) then product = product*base^factor.exponent end
    if not sure and not is_constant(flow, base) then
      if factor.is_root then texts[#texts + 1] = core.text(base) .. " > 0" else odd = odd*base end
    end
  end
  if not core.number_value(odd) then texts[#texts + 1] = core.text(odd) .. " > 0" end
  return product, #texts > 0 and table.concat(texts, " and ") or nil
end
