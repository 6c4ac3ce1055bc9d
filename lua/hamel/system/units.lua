-- system/units.lua: S:check_units: are energies, forces and constraints homogeneous in their units; units of unknown symbols are inferred.
-- A dimension is linear in the exponents of base units and in those of the unknown ones, whose names begin with "?".
local core = require "hamel.core"
local object = require "hamel.base.object"
local opaque = require "hamel.algebra.opaque"
local symbols = require "hamel.algebra.symbols"
local units = require "hamel.algebra.units"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local combine = units.combine
local NONE, TIME = {}, { s = core.rational(1) }
local ENERGY = { kg = core.rational(1), m = core.rational(2), s = core.rational(-2) }

-- The equations solved so far: values of unknown exponents
local Check = {}
Check.__index = Check

-- A dimension in the unknowns not yet solved
function Check:reduced(dimension)
  local name
  repeat
    name = nil
    for key in pairs(dimension) do if self.solved[key] then name = key end end
    if name then
      local k = dimension[name]
      dimension = combine(combine(dimension, { [name] = k }, -1), self.solved[name], k)
    end
  until not name
  return dimension
end

local function unknown_in(dimension)
  local first
  for name in pairs(dimension) do if name:byte() == 63 and (not first or name < first) then first = name end end
  return first
end

-- Makes two dimensions equal by an unknown one; false where they differ
function Check:equal(a, b)
  local difference = self:reduced(combine(a, b, -1))
  local name = unknown_in(difference)
  if not name then return not next(difference) end
  local k = difference[name]
  self.solved[name] = combine({}, combine(difference, { [name] = k }, -1), -1/k)
  return true
end

-- "m/s"; nothing where it is not known
function Check:text(dimension)
  local d = self:reduced(dimension)
  return not unknown_in(d) and units.text(d) or nil
end

-- Ends the check: the term, and why
function Check:refuse(term, ...)
  error({ term = core.text(term), reason = ("%s: %s"):format(self.where, (...):format(select(2, ...))) }, 0)
end

-- Two dimensions, as words
function Check:against(a, b)
  local one, other = self:text(a), self:text(b)
  if one and other then return ("has the unit %s, not %s"):format(one, other) end
  return ("differs from the others by the factor %s"):format(units.text(self:reduced(combine(a, b, -1))))
end

function Check:demand_number(e, whole, what)
  local d = self:dimension(e)
  if not self:equal(d, NONE) then
    self:refuse(whole, "%s of %s is no number: %s has the unit %s", what, core.text(whole), core.text(e), self:text(d))
  end
end

-- ---- the dimension of an expression, by kind

local of = {}

function of.number() return NONE end
of.float = of.number

function of.symbol(check, e)
  local S, name, order, flags = check.system, core.name(e)
  if flags & symbols.TIME ~= 0 then return TIME end
  local constraint = flags & symbols.EXTERNAL ~= 0 and S._lambda and S._lambda.name[e]
  if constraint then return check:multiplier(constraint) end
  local unit = S._unit[name]
  if not unit then check.unknown["?" .. name] = true end
  return combine(unit and unit.dimension or { ["?" .. name] = core.rational(1) }, TIME, -order)
end

function of.sum(check, e)
  local terms = core.operands(e)
  local first = check:dimension(terms[1])
  for i = 2, #terms do
    local d = check:dimension(terms[i])
    if not check:equal(d, first) then check:refuse(terms[i], "%s beside %s %s", core.text(terms[i]), core.text(terms[1]), check:against(d, first)) end
  end
  return first
end

function of.product(check, e)
  local d = NONE
  for _, factor in ipairs(core.operands(e)) do d = combine(d, check:dimension(factor)) end
  return d
end

function of.power(check, e)
  local base, exponent = table.unpack(core.operands(e))
  if core.kind(exponent) == "number" then return combine(NONE, check:dimension(base), exponent) end
  check:demand_number(exponent, e, "the exponent")
  check:demand_number(base, e, "the base")
  return NONE
end

-- The angle of a frequency f in Hz is 2*pi*f*t
local CIRCULAR = { sin = true, cos = true, tan = true }

local function contains_pi(e)
  if e == core.pi() then return true end
  for _, part in ipairs(core.operands(e) or {}) do if contains_pi(part) then return true end end
  return false
end

function Check:refuse_cycles(argument, whole)
  for _, s in ipairs(core.symbols{ argument }) do
    local unit = self.system._unit[core.name(s)]
    if unit and unit.label == "Hz" and not contains_pi(argument) then
      self:refuse(whole, "%s is in Hz, cycles per second; the angle in %s is 2*pi*%s times the time", core.text(s), core.text(whole), core.text(s))
    end
  end
end

-- Functions of arguments in one unit; their value is in that unit, or a number
local SAME, RATIO = { abs = true, min = true, max = true }, { sign = true, atan2 = true }
local RATES = { tabled = 0, tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }

-- Measured data: the table is an unknown of its own, its rates are divided by the argument
local function of_table(check, e, order)
  local number, argument = table.unpack(core.operands(e))
  local name = "?data " .. core.text(number)
  check.unknown[name] = true
  return combine({ [name] = core.rational(1) }, check:dimension(argument), -order)
end

-- A function known by name alone is an unknown of its own; derivatives are divided by their arguments
local function of_function(check, name, arguments, orders)
  local own = "?function " .. name
  check.unknown[own] = true
  local d = { [own] = core.rational(1) }
  for i, a in ipairs(arguments) do d = combine(d, check:dimension(a), -orders[i]) end
  return d
end

function of.call(check, e)
  local name, arguments = core.name(e), core.operands(e)
  if opaque.parts(e) then return of_function(check, opaque.parts(e)) end
  if RATES[name] then return of_table(check, e, RATES[name]) end
  if not SAME[name] and not RATIO[name] then
    for _, a in ipairs(arguments) do check:demand_number(a, e, "the argument") end
    if CIRCULAR[name] then check:refuse_cycles(arguments[1], e) end
    return NONE
  end
  local first = check:dimension(arguments[1])
  for i = 2, #arguments do
    local d = check:dimension(arguments[i])
    if not check:equal(d, first) then check:refuse(e, "%s in %s %s", core.text(arguments[i]), core.text(e), check:against(d, first)) end
  end
  return SAME[name] and first or NONE
end

-- Parts that several terms share are looked at once
function Check:dimension(e)
  local d = self.memo[e] or of[core.kind(e)](self, e)
  self.memo[e] = d
  return d
end

-- A multiplier times the gradient of its constraint is a force: by velocities where the constraint contains them
function Check:multiplier(name)
  local c, gap = self.system.constraints[name], self.system.gaps[name]
  if not c and not gap then
    self.unknown["?lambda." .. name] = true
    return { ["?lambda." .. name] = core.rational(1) }
  end
  local d = combine(self.energy, self:dimension(c and c.f or gap.gap), -1)
  if c and c.holonomic or gap and not gap.bound then return d end
  return combine(d, TIME, -1)
end

-- ---- the parts of a system

-- Every term of e has the dimension wanted
function Check:demand(where, e, wanted)
  self.where = where
  for _, term in ipairs(core.kind(e) == "sum" and core.operands(e) or { e }) do
    if core.number_value(term) ~= 0 then
      local d = self:dimension(term)
      if not self:equal(d, wanted) then self:refuse(term, "the term %s %s", core.text(term), self:against(d, wanted)) end
    end
  end
end

function Check:homogeneous(where, e)
  self.where = where
  self:dimension(e)
end

-- The unit that the user states is the one of energy over coordinate
function Check:declared_force(item, wanted)
  self.where = "force on " .. core.name(item.coordinate)
  if self:equal(item.unit.dimension, wanted) then return end
  local words = self:against(wanted, item.unit.dimension)
  self:refuse(item.expression, "its unit is given as %s: energy over %s %s", item.unit.text, core.text(item.coordinate), words)
end

local function check_contacts(check, S)
  for _, gap in ipairs(S.gaps) do check:homogeneous(("gap '%s'"):format(gap.name), gap.gap) end
  for _, item in ipairs(S.frictions) do
    for _, mu in ipairs(item.coefficient) do check:demand(("coefficient of friction '%s'"):format(item.name), mu, NONE) end
  end
end

local function check_all(check, S)
  if S._L then check:demand("Lagrangian", S._L, check.energy) end
  if S._T then check:demand("kinetic energy", S._T, check.energy) end
  if S._V then check:demand("potential energy", S._V, check.energy) end
  for _, c in ipairs(S.constraints) do check:homogeneous(("constraint '%s'"):format(c.name), c.f) end
  for _, item in ipairs(S.force_list) do
    local name = item.coordinate and core.name(item.coordinate) or item.name
    local wanted = item.coordinate and combine(check.energy, check:dimension(item.coordinate), -1)
    if item.unit then check:declared_force(item, wanted) end
    if item.call then check.unknown[("the Lua function of the force on %s"):format(name)] = not item.unit or nil
    elseif wanted then check:demand("force on " .. name, item.expression, wanted) end
  end
  check_contacts(check, S)
end

local Units = object.class "Units"

local function new_check(system)
  return setmetatable({ system = system, solved = {}, unknown = {}, memo = {}, energy = { ["?energy"] = core.rational(1) }, where = "" }, Check)
end

--- The dimension of an expression by the declared units; nil where they leave it open, or where it is not homogeneous.
function Units.dimension(system, e)
  local check = new_check(system)
  local fine, d = protected(check.dimension, check, e)
  if not fine and type(d) ~= "table" then error(d, 0) end
  d = fine and check:reduced(d)
  return d and not unknown_in(d) and d or nil
end

-- What was found about the unknown units: { name = text }, and the names still open
local function inferences(check)
  local inferred, open = {}, {}
  for key in pairs(check.unknown) do
    local text = key:byte() ~= 63 and "" or check:text{ [key] = core.rational(1) }
    if text and text ~= "" then inferred[key:sub(2)] = text else open[#open + 1] = (key:gsub("^%?", "")) end
  end
  table.sort(open)
  return inferred, open
end

--- Decides by exact exponents whether energies, forces, dissipation and constraints are homogeneous in their units.
--- Angles are numbers, and so are the arguments of sin, exp etc. A frequency f in Hz counts cycles: sin(f*t) is refused, sin(2*pi*f*t) is not.
--- Units of symbols without one are inferred if the equations determine them.
--- Result c: c.consistent; if that is false, c.term, the first term that does not fit, and c.reason; c.inferred, units by name; c.open, names whose
--- unit is not determined; c.energy, the unit of the energies (J in mechanics); c.assumed: it is J because no declared unit determines it.
function System:check_units()
  local check = new_check(self)
  local fine, fault = protected(check_all, check, self)
  if not fine and type(fault) ~= "table" then error(fault, 0) end
  local result = { consistent = fine, term = not fine and fault.term or false, reason = not fine and fault.reason or false }
  -- an energy that nothing determines is taken in joules
  result.assumed = fine and not check:text(check.energy) and check:equal(check.energy, ENERGY)
  result.inferred, result.open = inferences(check)
  result.energy = check:text(check.energy) or false
  return setmetatable(result, Units.meta)
end

function Units.meta.__tostring(c)
  if not c.consistent then return "not homogeneous: " .. c.reason end
  local note = c.assumed and " (assumed: no declared unit determines it)" or c.energy ~= "J" and " (not J)" or ""
  local lines = { ("homogeneous, the energy in %s%s"):format(c.energy, note) }
  for _, name in ipairs(object.keys(c.inferred)) do
    lines[#lines + 1] = ("  %s is %s"):format(name, c.inferred[name] == "1" and "a number" or "in " .. c.inferred[name])
  end
  if #c.open > 0 then lines[#lines + 1] = "  open: " .. table.concat(c.open, ", ") end
  return table.concat(lines, "\n")
end

-- "m" over one second, over two
local function rate(label, order)
  local below = order == 1 and "s" or "s^" .. order
  return label == "" and "1/" .. below or (label:find "/" and "(" .. label .. ")" or label) .. "/" .. below
end

--- The units of the time, of coordinates and of their derivatives by name, as labels of pictures and tables: { t = "s", x = "m", ["x'"] =
--- "m/s" }; empty for a system none of whose symbols has a unit.
function System:unit_labels()
  if not next(self._unit) then return {} end
  local labels = { t = "s" }
  for _, name in ipairs(self.coordinate_names) do
    local unit = self._unit[name]
    if unit then
      labels[name] = unit.label ~= "" and unit.label or "1"
      labels[name .. "'"], labels[name .. "''"] = rate(unit.label, 1), rate(unit.label, 2)
    end
  end
  -- body rates: each is the rate of an entry of the quaternion, of dimension one
  for _, R in ipairs(self._rotations) do
    for i, name in ipairs(R.rate_names) do labels[name] = labels[core.name(R.quaternion[1 + i]) .. "'"] end
  end
  return labels
end

-- The dimension of what is asked for, by an expression or by the names "energy" and "lambda.blade"
local function dimension_of(check, what)
  if core.is_expression(what) then return check:dimension(what) end
  local constraint = type(what) == "string" and what:match "^lambda%.(.+)$"
  return constraint and check:multiplier(constraint) or what == "energy" and check.energy or nil
end

--- The unit of an expression, or of "energy" and "lambda.name", in the SI: "m/s"; "1" for a number. nil where the declared units do not
--- determine it, or where the system is not homogeneous.
function System:unit_of(what)
  if not next(self._unit) then return nil end
  local check = new_check(self)
  local fine = protected(check_all, check, self)
  if not fine then return nil end
  if not check:text(check.energy) then check:equal(check.energy, ENERGY) end
  local known, d = protected(dimension_of, check, what)
  return known and d and check:text(d) or nil
end

return Units
