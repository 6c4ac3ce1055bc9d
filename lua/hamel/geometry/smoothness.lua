-- smoothness.lua: where functions jump: a derivative that vanishes on either side of a jump proves nothing across it.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local pieces = require "hamel.algebra.pieces"

local smoothness = {}

local INVERSE = { atan = true, asinh = true }

local function denominator(e)
  local fine, _, below = attempt(core.fraction, e)
  return fine and below or nil
end

local function is_constant(e) return #core.symbols{ e } == 0 end

local function has_pole(e)
  local below, found = denominator(e), false
  local function visit(node)
    if core.kind(node) == "call" and core.name(node) == "tan" and not is_constant(node) then found = true end
    for _, operand in ipairs(core.operands(node)) do visit(operand) end
  end
  visit(e)
  return found or not below or not is_constant(below)
end

-- The root of an even power, as sqrt(x^2) for the absolute value
local function is_hidden_corner(base, exponent)
  if core.number_value(exponent) == nil or core.number_value(exponent) % 1 == 0 then return false end
  for _, factor in ipairs(core.kind(base) == "product" and core.operands(base) or { base }) do
    local power = core.kind(factor) == "power" and core.number_value(core.operands(factor)[2])
    if power and power % 2 == 0 and not core.known_positive(core.operands(factor)[1]) and not is_constant(factor) then return true end
  end
  return false
end

local function risky(e)
  local kind = core.kind(e)
  if kind == "call" then
    local name, operands = core.name(e), core.operands(e)
    return not is_constant(e) and (name == "atan2" or INVERSE[name] and has_pole(operands[1]))
  end
  return kind == "power" and is_hidden_corner(table.unpack(core.operands(e)))
end

--- The first part of a list of expressions that may jump where it has values on both sides; nil where none does.
function smoothness.jump(list)
  local found
  local seen = {}
  local function visit(e)
    if found or seen[e] then return end
    seen[e] = true
    if risky(e) then found = e end
    for _, operand in ipairs(core.operands(e)) do visit(operand) end
  end
  for _, e in ipairs(list) do
    if #pieces.jumps{ e } > 0 then return e end
    visit(e)
  end
  return found
end

--- The first part of the Lagrangian or of a constraint of a system that may jump, where velocities are not continuous; nil where none does.
function smoothness.jump_of_system(system)
  local list = { system:lagrangian() }
  for _, c in ipairs(system.constraints) do list[#list + 1] = c.f end
  return smoothness.jump(list)
end

--- Does an expression depend on x: by a derivative that does not vanish, or by the place of a corner or a jump?
function smoothness.depends(e, x)
  if core.diff(e, x):is_zero() ~= true then return true end
  for _, corner in ipairs(pieces.of{ e }) do
    for _, s in ipairs(core.symbols{ corner.g }) do if s == x then return true end end
  end
  return false
end

return smoothness
