-- branches.lua: corners of the forces, as a run meets them: signs, absolute values, maxima, minima and tables of data in the specification of
-- a model become parameters that hold one side of the corner, so that each step is one of smooth equations.
--
-- A function inside a root, a quotient or a logarithm stays as it is: its formula on one side may have no value on the other. There the
-- corner is continuous, and it is enough that steps end on it; only a sign, which jumps, is held everywhere.
local core = require "hamel.core"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"

local branches = {}

local SIGN, TABLE = 3, 7               -- parameters of a branch: hml_branch
local signs = { sign = true, abs = true, min = true, max = true }
local tables = { tabled = 0, tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }
local singular = { log = true, tan = true, asin = true, acos = true, atanh = true, acosh = true, atan2 = true }

local Builder = {}
Builder.__index = Builder

-- Time, states and parameters of the specification, which alone may decide a side
local function known_symbols(spec)
  local known, moving = { [spec.time] = true }, { [spec.time] = true }
  for _, list in ipairs{ spec.kin, spec.dyn } do for _, s in ipairs(list) do known[s], moving[s] = true, true end end
  for _, s in ipairs(spec.parameters) do known[s] = true end
  return known, moving
end

-- Is the place of the corner met along a motion, and known to guards?
function Builder:decides(argument)
  local moves = false
  for _, s in ipairs(core.symbols{ argument }) do
    if not self.known[s] then return false end
    moves = moves or self.moving[s]
  end
  return moves or false
end

function Builder:parameter(value)
  local s = core.symbol("branch_" .. self.count + 1, symbols.EXTERNAL)
  self.count = self.count + 1
  self.parameters[self.count], self.values[self.count] = s, value
  return s
end

-- The parameters of the branch of an argument, the same for all functions of it
function Builder:branch(argument, id)
  local key = id or 0
  local of = self.found[key] or {}
  self.found[key] = of
  if of[argument] then return of[argument] end
  local held, first = {}, self.count + 1
  for i = 1, id and TABLE or SIGN do held[i] = self:parameter(i == 1 and not id and 1.0 or i == 2 and 1.0 or 0.0) end
  self.list[#self.list + 1] = { text = core.text(argument), table = id or 0, held = first, argument = argument,
                                guard = id and (argument - held[1])*(held[2] - argument) or argument }
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

-- A function of corners by its branch; operands: as they are held
function Builder:held(e, operands, inside)
  local name, own = core.name(e), core.operands(e)
  local id = tables[name] and core.number_value(own[1])
  local argument = tables[name] and own[2] or own[2] and own[1] - own[2] or own[1]
  if (tables[name] and not id) or (self.tables_only and not id) or not self:decides(argument) then return nil end
  local held = self:branch(argument, id)
  if inside and name ~= "sign" then return nil end
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

-- The expression with its corners held; inside: of something that may be singular beyond them
function Builder:rewrite(e, inside)
  local known = self.known_results[inside]
  if known[e] then return known[e] end
  local list, changed = core.operands(e), false
  local below = inside or is_singular(e)
  for i, operand in ipairs(list) do
    list[i] = self:rewrite(operand, below)
    changed = changed or list[i] ~= operand
  end
  local corner = core.kind(e) == "call" and (signs[core.name(e)] or tables[core.name(e)])
  local result = corner and self:held(e, list, inside) or changed and pieces.rebuilt(e, list) or e
  known[e] = result
  return result
end

local function rewrite_list(builder, list, inside)
  local out = {}
  for i, e in ipairs(list) do out[i] = builder:rewrite(e, inside) end
  return out
end

--- Holds the corners of the forces in the specification of a model, whose last parameters then are those of the branches.
function branches.hold(spec)
  local builder = setmetatable({ count = #spec.parameters, list = {}, found = {}, known_results = { [true] = {}, [false] = {} },
                                 parameters = table.move(spec.parameters, 1, #spec.parameters, 1, {}),
                                 values = table.move(spec.parameter_values, 1, #spec.parameter_values, 1, {}) }, Builder)
  builder.known, builder.moving = known_symbols(spec)
  spec.k, spec.r, spec.mass = rewrite_list(builder, spec.k, false), rewrite_list(builder, spec.r, false), rewrite_list(builder, spec.mass, true)
  spec.power = spec.power and builder:rewrite(spec.power, false)
  spec.multiplier_power = spec.multiplier_power and rewrite_list(builder, spec.multiplier_power, false)
  -- a corner of a constraint ends a run; of the data of a moving support the rate may jump
  builder.tables_only, builder.known_results = true, { [true] = {}, [false] = {} }
  spec.b = rewrite_list(builder, spec.b, false)
  if #builder.list == 0 then return end
  spec.parameters, spec.parameter_values, spec.branches = builder.parameters, builder.values, builder.list
end

return branches
