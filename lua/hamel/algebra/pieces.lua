-- pieces.lua: expressions made of pieces: signs, absolute values, maxima and minima, on either side of the zeros of their arguments, and
-- where they jump.
local core = require "hamel.core"
local definite = require "hamel.algebra.definite"
local protected = require "hamel.base.protected"
local rebuild = require "hamel.algebra.rebuild"
local symbols = require "hamel.algebra.symbols"

local pieces = {}

--- The node again with other operands.
pieces.rebuilt = rebuild.node

-- Values where the argument is on the side 1 or -1 of zero
local sides = {
  sign = function(side) return core.rational(side) end,
  abs = function(side, a) return side*a end,
  max = function(side, a, b) return side > 0 and a or b end,
  min = function(side, a, b) return side > 0 and b or a end,
}

local function is_corner(e) return core.kind(e) == "call" and sides[core.name(e)] ~= nil end

-- What changes its sign there
local function argument(e)
  local list = core.operands(e)
  return list[2] and list[1] - list[2] or list[1]
end

--- Arguments of the corners in the expressions, each once; name: of the calls of that function alone.
function pieces.arguments(list, name)
  local seen, found, known = {}, {}, {}
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    if is_corner(e) and (not name or core.name(e) == name) then
      local g = argument(e)
      if not known[g] then found[#found + 1], known[g] = g, true end
    end
    for _, operand in ipairs(core.operands(e)) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

local arguments = pieces.arguments

--- Does the expression contain a corner?
function pieces.any(e) return #arguments{ e } > 0 end

--- The expression where the argument g is on the side 1 or -1 of zero.
function pieces.on_side(e, g, side)
  local known = {}
  local function build(node)
    if known[node] then return known[node] end
    local list, result, changed = core.operands(node), node, false
    local here = is_corner(node) and argument(node) == g
    for i, operand in ipairs(list) do
      list[i] = build(operand)
      changed = changed or list[i] ~= operand
    end
    if here then result = sides[core.name(node)](side, list[1], list[2])
    elseif changed then result = pieces.rebuilt(node, list) end
    known[node] = result
    return result
  end
  return build(e)
end

-- The corners at these arguments
local function of_arguments(list, all)
  local result = {}
  for _, g in ipairs(all) do
    local corner = { g = g, above = {}, below = {} }
    for _, e in ipairs(list) do
      local above, below = pieces.on_side(e, g, 1), pieces.on_side(e, g, -1)
      if above ~= below then table.insert(corner.above, above) table.insert(corner.below, below) end
    end
    if #corner.above > 0 then result[#result + 1] = corner end
  end
  return result
end

--- The corners in a list of expressions: { { g = argument, above = list, below = list }, ... }, the expressions on either side that differ.
function pieces.of(list) return of_arguments(list, arguments(list)) end

-- ---- jumps

-- A symbol in which g is linear, and its value where g vanishes
local function place(g)
  for _, s in ipairs(core.symbols{ g }) do
    local slope = core.diff(g, s)
    if core.number_value(slope) and core.number_value(slope) ~= 0 then return s, core.substitute(g, { s }, { 0 })/-slope end
  end
end

--- Do both sides of a corner agree where g = 0? false: they do not, or this is not shown.
function pieces.is_continuous(corner)
  local s, value = place(corner.g)
  for i, above in ipairs(corner.above) do
    local fine, gap = protected(core.substitute, above - corner.below[i], s and { s } or {}, s and { value } or {})
    if not fine or gap:is_zero() ~= true then return false end
  end
  return true
end

--- Does the expression change along a motion: with the time, a coordinate or a velocity?
function pieces.moves(e)
  for _, s in ipairs(core.symbols{ e }) do
    local _, _, flags = core.name(s)
    if flags & (symbols.DYNAMIC | symbols.TIME) ~= 0 then return true end
  end
  return false
end

local continuous = { abs = true, max = true, min = true, sign = true, sin = true, cos = true, exp = true, sqrt = true, atan = true, tanh = true, sinh = true,
  cosh = true, asinh = true }

-- May a quotient or a function in the expressions be infinite? Then |y|/y is a sign
local function has_poles(list)
  local seen = {}
  local function visit(e)
    if seen[e] then return false end
    seen[e] = true
    local kind, operands = core.kind(e), core.operands(e)
    if kind == "power" and not core.number_value(e) then
      local exponent = core.number_value(operands[2])
      if not exponent or exponent < 0 then return true end
    elseif kind == "call" and not continuous[core.name(e)] then
      return true
    end
    for _, operand in ipairs(operands) do if visit(operand) then return true end end
    return false
  end
  for _, e in ipairs(list) do if visit(e) then return true end end
  return false
end

--- Arguments of the corners across whose zeros one of the expressions jumps. Without poles only signs do: sizes, maxima and minima are continuous.
function pieces.jumps(list)
  local found = {}
  for _, corner in ipairs(of_arguments(list, arguments(list, not has_poles(list) and "sign" or nil))) do
    local passes = pieces.moves(corner.g) and not definite.never_zero(corner.g, core.symbols{ corner.g })
    if passes and not pieces.is_continuous(corner) then found[#found + 1] = corner.g end
  end
  return found
end

local rates = { tabled_rate = true, tabled_curve = true, tabled_jerk = true }

-- A derivative of measured data, which may jump at their points
local function rate_in(e)
  if core.kind(e) == "call" and rates[core.name(e)] then return e end
  for _, operand in ipairs(core.operands(e)) do
    local found = rate_in(operand)
    if found then return found end
  end
end

--- Where expressions jump: a sentence, or nil: nowhere.
function pieces.jump(list)
  local g = pieces.jumps(list)[1]
  if g then return ("a coefficient jumps where %s changes its sign"):format(core.text(g)) end
  for _, e in ipairs(list) do
    local rate = rate_in(e)
    if rate then return ("%s may jump at the points of the data"):format(core.text(rate)) end
  end
end

--- The coefficients of a constraint on velocities: df/dq', and f at rest where it has a value there.
function pieces.coefficients(f, v)
  local list, zeros = core.gradient(f, v), {}
  for i = 1, #v do zeros[i] = 0 end
  local fine, rest = protected(core.substitute, f, v, zeros)
  if fine then list[#list + 1] = rest end
  return list
end

-- The argument of abs, and of its whole powers; others as they are
local function without_sign(e)
  if core.kind(e) == "call" and core.name(e) == "abs" then return core.operands(e)[1] end
  if core.kind(e) ~= "power" then return e end
  local base, n = table.unpack(core.operands(e))
  local value = core.number_value(n)
  return value and value % 1 == 0 and without_sign(base)^n or e
end

--- A function whose square is D: sqrt(D) with x for abs(x) among its factors, which a square does not tell apart.
function pieces.root(D)
  local root, factors = core.sqrt(D), core.rational(1)
  for _, e in ipairs(core.kind(root) == "product" and core.operands(root) or { root }) do factors = factors*without_sign(e) end
  return factors
end

return pieces
