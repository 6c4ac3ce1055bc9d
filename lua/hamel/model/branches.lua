-- branches.lua: corners of the forces, as a run meets them: signs, absolute values, maxima, minima and tables of data in the specification of
-- a model become parameters that hold one side of the corner, so that each step is one of smooth equations.
--
-- A function inside a root, a quotient or a logarithm stays as it is: its formula on one side may have no value on the other. There the
-- corner is continuous, and it is enough that steps end on it; only what jumps, a sign or a derivative of data, is held everywhere. A constraint whose
-- corners a run passes is held whole, so that states beyond a corner, before the step ends there, are brought back to the branch that they follow.
local core = require "hamel.core"
local data = require "hamel.algebra.data"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"

local branches = {}

local signs = { sign = true, abs = true, min = true, max = true }
local angles = { atan = true, asin = true, acos = true, atan2 = true }
local tables = { tabled = 0, tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }
local singular = { log = true, tan = true, asin = true, acos = true, atanh = true, acosh = true, atan2 = true }

local prescribing = { "position_residuals", "position_jacobian", "velocity_residuals", "velocity_jacobian", "rows", "b" }

local ONE = core.rational(1)

local Builder = {}
Builder.__index = Builder

-- Time, states and parameters of the specification, which alone may decide a side
local function known_symbols(spec)
  local known, moving = { [spec.time] = true }, { [spec.time] = true }
  for _, list in ipairs{ spec.kin, spec.dyn } do for _, s in ipairs(list) do known[s], moving[s] = true, true end end
  for _, s in ipairs(spec.parameters) do known[s] = true end
  return known, moving
end

-- Does the argument depend only on symbols whose values guards have?
function Builder:knows(argument)
  for _, s in ipairs(core.symbols{ argument }) do if not self.known[s] then return false end end
  return true
end

-- And does it move?
function Builder:decides(argument)
  local moves = false
  for _, s in ipairs(core.symbols{ argument }) do
    moves = moves or self.moving[s] or false
    if self.left_out[s] then return false end
  end
  return moves and self:knows(argument)
end

function Builder:parameter(value)
  local s = core.symbol("branch_" .. self.count + 1, symbols.EXTERNAL)
  self.count = self.count + 1
  self.parameters[self.count], self.values[self.count] = s, value
  return s
end

-- The parameters of the branch of an argument, the same for all functions of it. What decides the side is read with the corners held that the
-- argument contains, which precede it in the list
function Builder:branch(argument, id)
  local key = id or 0
  local of = self.found[key] or {}
  self.found[key] = of
  if of[argument] or self.complete then return of[argument] end
  local smooth = self:rewrite(argument, false)
  local held, first = {}, self.count + 1
  -- above zero; of a table an interval that holds nothing, so that the first state finds its own
  for i, value in ipairs(id and { 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 } or { 1.0, 1.0, 0.0 }) do held[i] = self:parameter(value) end
  self.list[#self.list + 1] = { text = core.text(argument), table = id or 0, held = first, argument = smooth,
                                guard = id and (smooth - held[1])*(held[2] - smooth) or smooth,
                                of_velocities = self.passed[argument] == "velocities" }
  of[argument] = held
  return held
end

-- Derivative number `order` of the cubic held for a table
local function cubic(held, u, order)
  local w, c0, c1, c2, c3 = u - held[3], held[4], held[5], held[6], held[7]
  if order == 0 then return c0 + w*(c1 + w*(c2 + w*c3)) end
  if order == 1 then return c1 + w*(2*c2 + w*(3*c3)) end
  if order == 2 then return 2*c2 + 6*w*c3 end
  return 6*c3
end

-- atan2(a, b) jumps where a changes its sign with b < 0. Held by the signs of both, it is smooth all around the present quadrant
local function angle(builder, own, operands)
  local a, b = own[1], own[2]
  if not builder:decides(a) or not builder:knows(b) then return nil end
  local side, half, atan2 = builder:branch(a), builder:branch(b), core.functions.atan2
  if not side or not half then return nil end
  return half[2]*atan2(operands[1], operands[2]) + half[3]*(side[1]*math.pi - atan2(operands[1], -operands[2]))
end

-- Inverse functions of sin u, cos u, tan u are angles whose formula changes where the other coordinate changes its sign
local inverses = {
  atan = { tan = function(sin, cos, sides) local s = sides(cos) return core.functions.atan2(s*sin, s*cos) end },
  asin = { sin = function(sin, cos, sides) return core.functions.atan2(sin, sides(cos)*cos) end,
           cos = function(sin, cos, sides) return core.functions.atan2(cos, sides(sin)*sin) end },
  acos = { sin = function(sin, cos, sides) return math.pi/2 - core.functions.atan2(sin, sides(cos)*cos) end,
           cos = function(sin, cos, sides) return math.pi/2 - core.functions.atan2(cos, sides(sin)*sin) end },
}

-- One of these by its branch; nil where the argument is another
local function inverse(builder, e)
  local inner = core.operands(e)[1]
  local row = core.kind(inner) == "call" and inverses[core.name(e)][core.name(inner)]
  local u = row and core.operands(inner)[1]
  if not u or not builder:decides(u) then return nil end
  local v, whole = builder:rewrite(u, false), true
  local function side(of)
    local held = builder:branch(of)
    whole = whole and held ~= nil
    return held and held[1] or 1
  end
  local result = row(core.functions.sin(v), core.functions.cos(v), side)
  return whole and result or nil
end

-- A function of corners by its branch; operands: as they are held
function Builder:held(e, operands, inside)
  local name, own = core.name(e), core.operands(e)
  if self.tables_only and not tables[name] then return nil end
  if inverses[name] then return inverse(self, e) end
  if name == "atan2" then return angle(self, own, operands) end
  local id = tables[name] and core.number_value(own[1])
  local argument = tables[name] and own[2] or own[2] and own[1] - own[2] or own[1]
  if (tables[name] and not id) or not self:decides(argument) then return nil end
  local held = self:branch(argument, id)
  local jumps = name == "sign" or id and data.jumps(id, tables[name])
  if not held or (inside and not jumps and not (self.whole and self.passed[argument])) then return nil end
  if tables[name] then return cubic(held, operands[2], tables[name]) end
  if name == "sign" then return held[1] end
  if name == "abs" then return held[1]*operands[1] end
  local upper, lower = held[2], held[3]
  if name == "min" then upper, lower = lower, upper end
  return upper*operands[1] + lower*operands[2]
end

local function is_singular(e)
  local kind = core.kind(e)
  if kind == "call" then return singular[core.name(e)] or false end
  if kind ~= "power" then return false end
  local n = core.number_value(core.operands(e)[2])
  return not (n and n > 0 and n % 1 == 0)
end

-- A product with |u| sign(u), which is u: so terms over u that cancel do so on the corner too
local function without_sizes(e)
  local list, at = core.operands(e), {}
  for i, factor in ipairs(list) do
    if core.kind(factor) == "call" and core.name(factor) == "sign" then at[core.operands(factor)[1]] = i end
  end
  local found = false
  for i, factor in ipairs(next(at) and list or {}) do
    local u = core.kind(factor) == "call" and core.name(factor) == "abs" and core.operands(factor)[1]
    if u and at[u] then
      list[i], list[at[u]], found = u, ONE, true
      at[u] = nil
    end
  end
  return found and pieces.rebuilt(e, list) or e
end

-- The expression with its corners held; inside: of something that may be singular beyond them
function Builder:rewrite(e, inside)
  local known = self.known_results[inside]
  if known[e] then return known[e] end
  local plain = core.kind(e) == "product" and without_sizes(e) or e
  if plain ~= e then
    known[e] = self:rewrite(plain, inside)
    return known[e]
  end
  local list, changed = core.operands(e), false
  local below = inside or is_singular(e)
  for i, operand in ipairs(list) do
    list[i] = self:rewrite(operand, below)
    changed = changed or list[i] ~= operand
  end
  local corner = core.kind(e) == "call" and (signs[core.name(e)] or tables[core.name(e)] or angles[core.name(e)])
  local result = corner and self:held(e, list, inside) or changed and pieces.rebuilt(e, list) or e
  known[e] = result
  return result
end

local function rewrite_list(builder, list, inside)
  local out = {}
  for i, e in ipairs(list) do out[i] = builder:rewrite(e, inside) end
  return out
end

-- The velocity of row i, with its coefficients and its drift
local function hold_row(builder, contacts, i, n)
  contacts.velocities[i], contacts.drifts[i] = builder:rewrite(contacts.velocities[i], false), builder:rewrite(contacts.drifts[i], false)
  for k = (i - 1)*n + 1, i*n do contacts.rows[k] = builder:rewrite(contacts.rows[k], false) end
end

-- Gaps and their rates, by which a body moves along its floor. In flight the whole floor counts
local function hold_gaps(builder, contacts, velocities)
  for i, gap in ipairs(contacts.gaps) do
    if gap.level == 0 then gap.gap, gap.whole = builder:rewrite(gap.gap, false), gap.gap end
    hold_row(builder, contacts, i, #velocities)
  end
end

-- Contacts with their corners in time and place held: floors, belts, what presses, and the coefficients. Corners in velocities, as of the size
-- of a slip, stand where slips end or are held at zero: these are met as such
local function hold_contacts(builder, contacts, velocities)
  builder.known_results, builder.left_out = { [true] = {}, [false] = {} }, {}
  for _, s in ipairs(velocities) do builder.left_out[s] = true end
  hold_gaps(builder, contacts, velocities)
  for i = #contacts.gaps + 1, #contacts.velocities do hold_row(builder, contacts, i, #velocities) end
  for _, item in ipairs(contacts.frictions) do
    item.normal = item.normal and builder:rewrite(item.normal, false)
    item.radius = item.radius and builder:rewrite(item.radius, false)
    item.coefficient, item.static = rewrite_list(builder, item.coefficient, false), rewrite_list(builder, item.static, false)
  end
  builder.left_out = {}
end

-- What takes an impulse where it jumps
local function hold_impulse(builder, spec)
  local impulse = spec.impulse
  builder.known_results = { [true] = {}, [false] = {} }
  impulse.values, impulse.reactions = rewrite_list(builder, impulse.values, false), rewrite_list(builder, impulse.reactions, false)
  impulse.velocities = rewrite_list(builder, impulse.velocities, false)
end

-- The constraints, where they may prescribe an impulse, or a run passes their corners
local function hold_constraints(builder, spec)
  if not spec.passed_corners and not (spec.impulse and spec.impulse.prescribed) then return end
  builder.whole, builder.known_results = true, { [true] = {}, [false] = {} }
  for _, field in ipairs(prescribing) do spec[field] = spec[field] and rewrite_list(builder, spec[field], false) end
  builder.whole = nil
end

-- The energies on the sides that the equations hold, so that they have a value on a corner
local function hold_energies(builder, spec)
  builder.complete, builder.known_results = true, { [true] = {}, [false] = {} }
  for _, field in ipairs{ "energy", "kinetic" } do spec[field] = spec[field] and builder:rewrite(spec[field], false) or nil end
end

local function functions_of(lists)
  local all = {}
  for _, list in ipairs(lists) do table.move(list, 1, #list, #all + 1, all) end
  return core.functions_in(all)
end

--- Does a function with a corner, or an angle, which has one where its argument turns, occur in one of these lists of expressions? A system of many bodies
--- is walked through only then.
function branches.any(...)
  for name in pairs(functions_of{ ... }) do
    if signs[name] or tables[name] or angles[name] then return true end
  end
  return false
end

--- Does a function with a corner whatever its argument occur in one of these lists of expressions?
function branches.has_corners(...)
  for name in pairs(functions_of{ ... }) do
    if signs[name] or tables[name] then return true end
  end
  return false
end

--- Are all corners of an expression in time and place, and outside of quotients and roots, so that a run holds them everywhere?
function branches.in_place(e, velocities)
  local of_velocities, fine, seen = {}, true, { [true] = {}, [false] = {} }
  for _, s in ipairs(velocities) do of_velocities[s] = true end
  local function visit(node, inside)
    if seen[inside][node] or not fine then return end
    seen[inside][node] = true
    local name = core.kind(node) == "call" and core.name(node)
    if name and (signs[name] or tables[name]) then
      fine = not inside or name == "sign"
      for _, s in ipairs(core.symbols{ node }) do fine = fine and not of_velocities[s] end
    end
    for _, operand in ipairs(core.operands(node)) do visit(operand, inside or is_singular(node)) end
  end
  visit(e, false)
  return fine
end

--- Holds the corners of the forces in the specification of a model and of its contacts, whose last parameters then are those of the branches.
function branches.hold(spec)
  local equations = { { spec.power }, spec.k, spec.r or {}, spec.mass or {}, spec.b or {}, spec.forces or {}, spec.multiplier_power or {} }
  if not spec.contacts and not spec.impulse and not spec.passed_corners and not branches.any(table.unpack(equations)) then return end
  local builder = setmetatable({ count = #spec.parameters, list = {}, found = {}, left_out = {}, passed = spec.passed_corners or {},
                                 known_results = { [true] = {}, [false] = {} },
                                 parameters = table.move(spec.parameters, 1, #spec.parameters, 1, {}),
                                 values = table.move(spec.parameter_values, 1, #spec.parameter_values, 1, {}) }, Builder)
  builder.known, builder.moving = known_symbols(spec)
  spec.k = rewrite_list(builder, spec.k, false)
  if spec.mass then spec.r, spec.mass = rewrite_list(builder, spec.r, false), rewrite_list(builder, spec.mass, true) end
  if spec.forces then spec.forces, spec.lagrangian = rewrite_list(builder, spec.forces, false), builder:rewrite(spec.lagrangian, false) end
  spec.power = spec.power and builder:rewrite(spec.power, false)
  spec.multiplier_power = spec.multiplier_power and rewrite_list(builder, spec.multiplier_power, false)
  if spec.contacts then hold_contacts(builder, spec.contacts, spec.dyn) end
  if spec.impulse then hold_impulse(builder, spec) end
  hold_constraints(builder, spec)
  -- other corners of a constraint end a run (regularity.lua); of the data of a moving support the rate may jump
  builder.tables_only, builder.known_results = true, { [true] = {}, [false] = {} }
  if spec.b then spec.b = rewrite_list(builder, spec.b, false) end
  if #builder.list == 0 then return end
  builder.tables_only = nil
  hold_energies(builder, spec)
  spec.parameters, spec.parameter_values, spec.branches = builder.parameters, builder.values, builder.list
end

return branches
