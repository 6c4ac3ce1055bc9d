-- whole_turns.lua: which states are one state of the motion: angles whole turns apart, and unit quaternions of either sign. Proved by exact algebra: the
-- equations, the gaps and the friction are the same with q + P in place of q.
local core = require "hamel.core"
local idle = require "hamel.analysis.idle"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local vanishing = require "hamel.algebra.vanishing"

local whole_turns = {}

local TURNS = { sin = true, cos = true, tan = true }
local LARGEST = 1000                    -- denominator of a factor in a sine

-- The factors of coordinates in the arguments of sines, cosines and tangents: symbol -> list
local function factors_in(list, coordinates)
  local seen, found = {}, {}
  for _, q in ipairs(coordinates) do found[q] = {} end
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    local operands = core.operands(e)
    if core.kind(e) == "call" and TURNS[core.name(e)] then
      for _, s in ipairs(core.symbols{ operands[1] }) do
        if found[s] then table.insert(found[s], core.diff(operands[1], s)) end
      end
    end
    for _, operand in ipairs(operands) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

-- A number as a quotient of whole numbers; nil: it is no short fraction
local function fraction(e)
  local value = core.number_value(e)
  for d = 1, value and math.abs(value) < LARGEST and LARGEST or 0 do
    local n = math.tointeger(math.floor(value*d + 0.5))
    if math.abs(n - value*d) <= 1e-12*math.abs(n) and vanishing.proved(e - core.rational(n, d)) then return n, d end
  end
end

local function greatest_divisor(a, b)
  while b ~= 0 do a, b = b, a % b end
  return math.abs(a)
end

-- The numbers n/d of some factors over a unit, as { n, d }; nil: not all are short fractions
local function parts_of(factors, unit)
  local parts = {}
  for i, factor in ipairs(factors) do
    local n, d = fraction(unit and (factor == unit and core.rational(1) or factor/unit) or factor)
    if not n or n == 0 then return nil end
    parts[i] = { n, d }
  end
  return parts
end

-- The turn after which all sines repeat: 2 pi, or a multiple of it where there are parts of the angle, as in sin(q/2). Of other factors, as in sin(k q), the
-- least period
local function candidate(factors)
  if #factors == 0 then return nil end
  local whole = parts_of(factors)
  local parts, common, divisor = whole or parts_of(factors, factors[1]), 1, 0
  if not parts then return nil end
  for _, part in ipairs(parts) do common = common//greatest_divisor(common, part[2])*part[2] end
  if whole then return 2*core.pi()*common end
  for _, part in ipairs(parts) do divisor = greatest_divisor(part[1]*(common//part[2]), divisor) end
  return 2*core.pi()*core.rational(common, divisor)/factors[1]
end

-- Are the expressions the same with others in place of symbols? odd: some that change their sign
local function are_kept(list, from, to, odd)
  for i, e in ipairs(list) do
    local other = core.substitute(e, from, to)
    if (other ~= e or odd and odd[i]) and not vanishing.proved(odd and odd[i] and other + e or other - e) then return false end
  end
  return true
end

local function negated(list)
  local out = {}
  for i, e in ipairs(list) do out[i] = -e end
  return out
end

-- Quaternions whose sign no equation sees: that of their own rates changes with it
local function signless(system, E, list)
  local found = {}
  for _, R in ipairs(system._rotations) do
    local odd = {}
    for i, q in ipairs(E.kin) do for _, e in ipairs(R.quaternion) do if q == e then odd[i] = true end end end
    if are_kept(list, R.quaternion, negated(R.quaternion), odd) then
      local names = {}
      for i, e in ipairs(R.quaternion) do names[i] = core.text(e) end
      found[#found + 1] = names
    end
  end
  return found
end

-- A turn whose angle is no rational part of a whole one, so that what it leaves alone every turn about the axis does: e -> a e, a = (3 + 4 n)/5
local PART, REST = core.rational(3, 5), core.rational(4, 5)

-- a e with the unit vector n of axis 1, 2 or 3
local function turned(e, axis)
  local i, j, k = axis, axis % 3 + 1, (axis + 1) % 3 + 1
  local out = { PART*e[1] - REST*e[1 + i] }
  out[1 + i] = PART*e[1 + i] + REST*e[1]
  out[1 + j] = PART*e[1 + j] - REST*e[1 + k]
  out[1 + k] = PART*e[1 + k] + REST*e[1 + j]
  return out
end

-- About which axis of the frame that it turns from a body may be turned without any other equation seeing it: 1, 2 or 3; 4: about each; 0: none. The rates
-- of the quaternion are linear in it and turn along
local function free_axis(E, list, quaternion)
  local others, free = {}, {}
  for i, e in ipairs(list) do
    local own = E.kin[i] and object.contains(quaternion, E.kin[i])
    if not own then others[#others + 1] = e end
  end
  for axis = 1, 3 do if are_kept(others, quaternion, turned(quaternion, axis)) then free[#free + 1] = axis end end
  return #free > 1 and 4 or free[1] or 0
end

--- About which axis each quaternion whose sign no equation sees may be turned, by the order of `signless`: see free_axis.
function whole_turns.axes(system, names)
  local E, axes = system:equations "lagrange", {}
  local list = tangent.expressions(E, {})
  local touching = idle.expressions_in{ system.gaps, system.frictions }
  table.move(touching, 1, #touching, #list + 1, list)
  for k, quaternion in ipairs(names) do
    local parts = {}
    for i, name in ipairs(quaternion) do parts[i] = system._coordinate[name] end
    axes[k] = free_axis(E, list, parts)
  end
  return axes
end

--- Is the turn 2 pi?
function whole_turns.is_usual(turn) return core.number_value(turn/core.pi()) == 2 end

local function is_constant(system, e)
  for _, s in ipairs(core.symbols{ e }) do if system._parameter[core.text(s)] ~= s then return false end end
  return true
end

-- The expressions with numbers in place of parameters
local function at_values(system, list, values)
  local from, to, out = {}, {}, {}
  for name, value in pairs(values) do
    if system._parameter[name] then from[#from + 1], to[#to + 1] = system._parameter[name], core.number(value) end
  end
  for i, e in ipairs(list) do out[i] = core.substitute(e, from, to) end
  return out
end

--- The time after which expressions that contain it are proved to be the same, an expression in parameters; nil: there is none, or none is found.
function whole_turns.of_time(system, list)
  local turn = candidate(factors_in(list, { symbols.t })[symbols.t])
  return turn and is_constant(system, turn) and are_kept(list, { symbols.t }, { symbols.t + turn }) and turn or nil
end

--- { angles = { name = the turn, an expression in parameters }, signless = lists of the names of a quaternion, special = may there be other turns where
--- parameters have special values? }. unknown = true where there is none since a force or a law is a Lua function. values: of parameters by name, for turns
--- with these values alone.
function whole_turns.of(system, values)
  local E = system:equations "lagrange"
  local result, used = { angles = {}, signless = {} }, idle.names_in{ system.gaps, system.frictions }
  if used.all or system:external_forces()[1] then
    result.unknown = true
    return result
  end
  local list = tangent.expressions(E, {})
  local touching = idle.expressions_in{ system.gaps, system.frictions }
  table.move(touching, 1, #touching, #list + 1, list)
  if values then list = at_values(system, list, values) end
  result.signless = signless(system, E, list)
  local coordinates = system:coordinate_list()
  local factors = factors_in(list, coordinates)
  for i, q in ipairs(coordinates) do
    local turn = candidate(factors[q])
    if turn and is_constant(system, turn) and are_kept(list, { q }, { q + turn }) then result.angles[system.coordinate_names[i]] = turn end
    local found = result.angles[system.coordinate_names[i]]
    if #factors[q] > 0 and not (found and whole_turns.is_usual(found)) then result.special = true end
  end
  return result
end

return whole_turns
