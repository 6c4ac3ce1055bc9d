-- unit_quaternion.lua: the entries of unit quaternions, the direction cosines and body rates made of them, and what e.e = 1 says about expressions.
--
-- Entries and cosines are symbols with flags of their own: R0 to R3 and Rxx to Rzz of a rotation "R" are these for every system, and no coordinate of
-- the same name is. Whether an expression vanishes on the sphere is decided in coordinates of the sphere without its point (-1, 0, 0, 0), by
-- stereographic projection: e0 = (1 - s)/(1 + s), e_i = 2 u_i/(1 + s), s = u.u. An identity of rational functions, roots and sines that holds there holds
-- on the whole sphere wherever both sides are defined.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local cosine_identities = require "hamel.algebra.cosine_identities"
local symbols = require "hamel.algebra.symbols"

local unit_quaternion = {}

local ENTRY, COSINE, RATE = 32, 64, 128
local ANY, SPHERE = ENTRY | COSINE | RATE, ENTRY | RATE
local LETTERS = { "x", "y", "z" }

-- The rotation of a rate by its name; false: systems have given the name to rates of different rotations
local rotation_of_rate = {}

-- ---- symbols

--- The four entries of the unit quaternion of a rotation, scalar first.
function unit_quaternion.entries(name)
  local list = {}
  for i = 0, 3 do list[i + 1] = core.symbol(name .. i, symbols.DYNAMIC | ENTRY) end
  return list
end

--- Is a symbol one of these entries?
function unit_quaternion.is_entry(s) return select(3, core.name(s)) & ENTRY ~= 0 end

--- Flags of the symbols of cosines and rates.
unit_quaternion.COSINE, unit_quaternion.RATE = symbols.DYNAMIC | COSINE, symbols.DYNAMIC | RATE

--- Notes that a name is the i-th rate of a rotation.
function unit_quaternion.note_rate(rate, name, i)
  local known = rotation_of_rate[rate]
  if known == nil then rotation_of_rate[rate] = { name = name, i = i }
  elseif known and (known.name ~= name or known.i ~= i) then rotation_of_rate[rate] = false end
end

-- ---- formulas

--- The direction cosines as polynomials of the unit quaternion, v_from = C v_own (Euler 1770, Rodrigues 1840). They are kept homogeneous: off
--- the unit sphere a turned vector is scaled, not bent.
function unit_quaternion.polynomials(e)
  local e0, e1, e2, e3 = table.unpack(e)
  return { { e0^2 + e1^2 - e2^2 - e3^2, 2*(e1*e2 - e0*e3), 2*(e1*e3 + e0*e2) },
           { 2*(e1*e2 + e0*e3), e0^2 - e1^2 + e2^2 - e3^2, 2*(e2*e3 - e0*e1) },
           { 2*(e1*e3 - e0*e2), 2*(e2*e3 + e0*e1), e0^2 - e1^2 - e2^2 + e3^2 } }
end

--- Body rates in e and e': omega = 2 e* e'.
function unit_quaternion.rates(e)
  local list, d = {}, {}
  for i = 1, 4 do d[i] = core.dt(e[i]) end
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    list[i] = 2*(e[1]*d[1 + i] - e[1 + i]*d[1] - e[1 + j]*d[1 + k] + e[1 + k]*d[1 + j])
  end
  return list
end

--- e' = e omega/2.
function unit_quaternion.velocities(e, w)
  local e0, e1, e2, e3 = table.unpack(e)
  return { -(e1*w[1] + e2*w[2] + e3*w[3])/2, (e0*w[1] + e2*w[3] - e3*w[2])/2, (e0*w[2] + e3*w[1] - e1*w[3])/2, (e0*w[3] + e1*w[2] - e2*w[1])/2 }
end

-- ---- expressions on the sphere

-- The symbols with flags of this file in an expression: { symbol, kind, name of the rotation, indices, order }, nil: none; whether derivatives occur;
-- whether a rate of unknown rotation does
local function turning_symbols(e)
  local list, derived, unknown
  for _, s in ipairs(core.symbols{ e }) do
    local name, order, flags = core.name(s)
    -- the coordinates of the sphere are free
    if flags & ANY ~= 0 and flags & ANY ~= SPHERE then
      list = list or {}
      local item = { symbol = s, order = order, kind = flags & ANY }
      if item.kind == ENTRY then item.rotation, item.i = name:sub(1, -2), tonumber(name:sub(-1)) + 1
      elseif item.kind == COSINE then
        item.rotation, item.i, item.j = name:sub(1, -3), ("xyz"):find(name:sub(-2, -2), 1, true), ("xyz"):find(name:sub(-1), 1, true)
      else
        local known = rotation_of_rate[name]
        if known then item.rotation, item.i = known.name, known.i else unknown = true end
      end
      derived = derived or item.kind ~= RATE and order > 0
      list[#list + 1] = item
    end
  end
  return list, derived, unknown
end

-- Entries on the sphere
local function projected(name)
  local u, s = {}, 0
  for i = 1, 3 do
    u[i] = core.symbol(name .. i, symbols.DYNAMIC | SPHERE)
    s = s + u[i]^2
  end
  return { (1 - s)/(1 + s), 2*u[1]/(1 + s), 2*u[2]/(1 + s), 2*u[3]/(1 + s) }
end

local function derivative(e, order)
  for _ = 1, order do e = core.dt(e) end
  return e
end

-- What the symbol is for the entries e of its rotation
local function meaning(item, e)
  if item.kind == ENTRY then return e[item.i] end
  if item.kind == COSINE then return unit_quaternion.polynomials(e)[item.i][item.j] end
  return unit_quaternion.rates(e)[item.i]
end

-- e with everything in coordinates of the sphere. Without derivatives of entries and cosines in it, rates are free
local function in_coordinates(e, list, derived)
  local from, to, entries = {}, {}, {}
  for _, item in ipairs(list) do
    if item.kind ~= RATE then
      entries[item.rotation] = entries[item.rotation] or projected(item.rotation)
      from[#from + 1], to[#to + 1] = item.symbol, derivative(meaning(item, entries[item.rotation]), item.order)
    elseif derived and item.rotation then
      entries[item.rotation] = entries[item.rotation] or projected(item.rotation)
      from[#from + 1], to[#to + 1] = item.symbol, derivative(meaning(item, entries[item.rotation]), item.order)
    end
  end
  return #from > 0 and core.substitute(e, from, to) or e
end

-- The powers of symbols from the second on in e: by symbol a list of { node, exponent }
local function powers_of(e)
  local found, seen = {}, {}
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    local operands = core.operands(node)
    local n = core.kind(node) == "power" and core.kind(operands[1]) == "symbol" and core.number_value(operands[2])
    if n and n % 1 == 0 and n >= 2 then
      found[operands[1]] = found[operands[1]] or {}
      table.insert(found[operands[1]], { node, math.tointeger(n) })
    end
    for _, operand in ipairs(operands) do visit(operand) end
  end
  visit(e)
  return found
end

-- e with powers of a symbol written by `square`, the value of its square; nil where that is not defined
local function without_squares(e, symbol, powers, square)
  local from, to = {}, {}
  for i, power in ipairs(powers) do from[i], to[i] = power[1], square^(power[2]//2)*symbol^(power[2] % 2) end
  -- what divides by e.e - 1 has no value
  local fine, other = attempt(core.substitute, e, from, to)
  return fine and other or nil
end

-- Do symbols of a set occur in sums, products and whole powers alone?
local function is_polynomial(e, set)
  local seen = {}
  local function visit(node, inside)
    if set[node] then return inside end
    local kind = core.kind(node)
    if kind == "number" or kind == "symbol" or kind == "float" or seen[node] then return true end
    seen[node] = inside
    local list = core.operands(node)
    local n = kind == "power" and core.number_value(list[2])
    local kept = inside and (kind == "sum" or kind == "product" or n and n > 0 and n % 1 == 0)
    for _, operand in ipairs(list) do if not visit(operand, kept) then return false end end
    return true
  end
  return visit(e, true)
end

-- A polynomial in the entries of rotations, expanded, with the square of the first entry of each as one less the others; nil where it is none
local function remainder(p, rotations)
  for _, entries in pairs(rotations) do
    p = core.simplify(p, "expanded")
    local first, set = entries[1], {}
    for _, e in ipairs(entries) do set[e] = true end
    if not is_polynomial(p, set) then return nil end
    local powers = powers_of(p)[first]
    p = powers and without_squares(p, first, powers, 1 - entries[2]^2 - entries[3]^2 - entries[4]^2) or p
    -- what was too long to be expanded is no remainder
    if core.number_value(core.diff(core.diff(p, first), first)) ~= 0 then return nil end
  end
  return p
end

-- The verdict by division by e.e - 1, which decides where e is a rational function of the entries; "undecided" where it is none, or has no short form.
-- A remainder a + b e0 that is not zero does not vanish on the sphere: neither would a - b e0, so a and b would.
local function by_division(e, list, options)
  local from, to, rotations = {}, {}, {}
  for _, item in ipairs(list) do
    if item.kind ~= RATE then
      rotations[item.rotation] = rotations[item.rotation] or unit_quaternion.entries(item.rotation)
      if item.kind == COSINE then from[#from + 1], to[#to + 1] = item.symbol, meaning(item, rotations[item.rotation]) end
    end
  end
  local fine, above, below = attempt(core.fraction, #from > 0 and core.substitute(e, from, to) or e)
  above, below = fine and remainder(above, rotations), fine and remainder(below, rotations)
  if not above or not below or core.decide(below, options) ~= "nonzero" then return "undecided" end
  return core.decide(above, options)
end

--- Is the expression zero where the quaternions in it have unit length? As core.decide: "zero", "nonzero" or "undecided", and the evidence.
---@param options table? of core.decide
function unit_quaternion.decide(e, options)
  local verdict, evidence = core.decide(e, options)
  if verdict == "zero" then return verdict, evidence end
  local list, derived, unknown = turning_symbols(e)
  if not list then return verdict, evidence end
  if not derived then
    local fine, answer = attempt(by_division, e, list, options)
    if fine and answer ~= "undecided" then return answer, evidence end
  end
  verdict, evidence = core.decide(in_coordinates(e, list, derived), options)
  if verdict == "nonzero" and derived and unknown then return "undecided", evidence end
  return verdict, evidence
end

--- The entries of a unit quaternion in three free symbols, the coordinates of the sphere.
unit_quaternion.projected = projected

--- Does the expression contain entries, cosines or rates of rotations?
function unit_quaternion.occurs(e) return turning_symbols(e) ~= nil end

-- ---- short forms

-- Symbols whose squares add up to one: the entries, rows and columns of cosines of the rotations in the list
local function unit_lists(list)
  local rotations, lists = {}, {}
  for _, item in ipairs(list) do
    if item.rotation and item.order == 0 and item.kind ~= RATE then
      rotations[item.rotation] = (rotations[item.rotation] or 0) | item.kind
    end
  end
  for name, kinds in pairs(rotations) do
    if kinds & ENTRY ~= 0 then lists[#lists + 1] = unit_quaternion.entries(name) end
    for i = 1, kinds & COSINE ~= 0 and 3 or 0 do
      local row, column = {}, {}
      for j = 1, 3 do
        row[j] = core.symbol(name .. LETTERS[i] .. LETTERS[j], unit_quaternion.COSINE)
        column[j] = core.symbol(name .. LETTERS[j] .. LETTERS[i], unit_quaternion.COSINE)
      end
      lists[#lists + 1], lists[#lists + 2] = row, column
    end
  end
  table.sort(lists, function(a, b) return core.compare(a[1], b[1]) < 0 end)
  return lists
end

-- The value of an expression that does not depend on the attitude; nil where it is not known to be one
local function constant(e, list, derived)
  if derived then return nil end
  local from, to = {}, {}
  local identity = { core.rational(1), core.rational(0), core.rational(0), core.rational(0) }
  for _, item in ipairs(list) do
    if item.kind ~= RATE then from[#from + 1], to[#to + 1] = item.symbol, meaning(item, identity) end
  end
  local fine, value = attempt(core.substitute, e, from, to)
  return fine and unit_quaternion.decide(e - value) == "zero" and core.simplify(value) or nil
end

local LARGE = 250                      -- nodes of an expression that is not made shorter by squares

local function length(e) return #core.text(e) end

-- A form of e shorter than `limit` by the unit length of one of the lists; nil: there is none. One square alone is never shorter by those of the others
local function by_units(e, lists, limit)
  local powers = powers_of(e)
  for _, units in ipairs(lists) do
    local count = 0
    for _, symbol in ipairs(units) do count = count + (powers[symbol] and 1 or 0) end
    for _, symbol in ipairs(count > 1 and units or {}) do
      local rest = core.rational(1)
      for _, other in ipairs(units) do if other ~= symbol then rest = rest - other^2 end end
      local other = powers[symbol] and without_squares(e, symbol, powers[symbol], rest)
      other = other and core.simplify(other)
      if other and length(other) < limit then return other end
    end
  end
end

--- A sum in fewer terms by the identities of the direction cosines of each rotation in it; e where there are none.
function unit_quaternion.fewer_terms(e)
  local rotations = {}
  for _, item in ipairs(turning_symbols(e) or {}) do
    if item.kind == COSINE and item.order == 0 then rotations[item.rotation] = true end
  end
  local names = {}
  for name in pairs(rotations) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do e = cosine_identities(e, name, unit_quaternion.COSINE) end
  return e
end

--- A shorter form of e, which has been simplified, by e.e = 1 and by the unit length of rows and columns of cosines; e where there is none.
function unit_quaternion.shorter(e)
  local list, derived = turning_symbols(e)
  if not list or core.tree_size(e) > LARGE then return e end
  local value = constant(e, list, derived)
  if value then return value end
  local lists = unit_lists(list)
  while #lists > 0 do
    local other = by_units(e, lists, length(e)) or by_units(core.simplify(e, "expanded"), lists, length(e))
    if not other then break end
    e = other
  end
  return e
end

return unit_quaternion
