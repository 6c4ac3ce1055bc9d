-- system/init.lua: a mechanical system as its user declared it, but for energies and forces (energies.lua); nothing derived, nothing numeric.
-- Methods that do work (equations, simulate, ...) are attached by the modules that own the work.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local naming = require "hamel.algebra.naming"
local opaque = require "hamel.algebra.opaque"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local quantities = require "hamel.system.quantities"
local symbols = require "hamel.algebra.symbols"
local undefined = require "hamel.base.undefined"
local units = require "hamel.algebra.units"

local algebra = require "hamel.algebra"
local protected = require "hamel.base.protected"

local fail = object.fail

local System = object.class "System"

--- A new system.
---@param name string
function System.new(name)
  if type(name) ~= "string" then fail("hm.system takes the name of the system, as in hm.system \"sleigh\"") end
  local function list() return answer.shown{} end
  return setmetatable({
    name = name, coordinate_names = list(), parameter_names = list(), _force_list = list(), constraints = list(),
    gaps = list(), frictions = list(),
    _coordinate = {}, _parameter = {}, _values = {}, _exact = {}, _unit = {}, _changes = 0, _lambda = false, _inputs = {}, _drives = {},
    _defined = {}, _by_hand = {}, _kept = {}, _of_bodies = {}, _rotations = {}, _bodies = {}, _functions = {}, _definitions = {},
    _arities = {},
  }, System.meta)
end

--- The forces declared, a list of { coordinate =, expression = }; those on bodies are turned into generalised ones when they are asked for.
function System.get.force_list(self)
  if self._unsettled then self._unsettled(self) end
  return self._force_list
end

-- What was derived from the system is stale from here on
local function changed(self)
  self._changes = self._changes + 1
end

local function must_be_free(self, name, as)
  if self._coordinate[name] and as ~= "coordinate" then fail("'%s' is already a coordinate of %s", name, self.name) end
  if self._parameter[name] and as ~= "parameter" then fail("'%s' is already a parameter of %s", name, self.name) end
  if self._defined[name] then fail("'%s' is already %s of %s", name, self._defined[name].words, self.name) end
  if name == "t" then fail("'t' is the time: choose another name") end
  if name:find "^_" then fail("'%s': a name that begins with an underscore is the library's own: choose another name", name) end
  if name == "energy" then fail("'energy' is the energy of a run: choose another name") end
  local alike = naming.alike(self, name)
  if alike then fail("'%s' would be printed like '%s' of %s: choose another name", name, alike, self.name) end
end

-- In starts, states and files a rotation stands beside the coordinates, by its own name
local function must_be_no_rotation(self, name)
  for _, R in ipairs(self._rotations) do
    if R.name == name then fail("'%s' is a rotation of %s, and q = {%s = ...} could mean either: choose another name", name, self.name, name) end
  end
end

--- Raises unless a name is free for something new, such as a quasi-velocity.
function System:demand_free(name)
  if type(name) ~= "string" then fail("demand_free takes a name, not %s", type(name)) end
  must_be_free(self, name)
end

local unit_schema = { unit = { type = "string", or_type = "table", doc = "unit of all names, \"m\", or by name: { x = \"m\", theta = \"rad\" }" } }

-- The unit in a text, or the reason why it is none
local function read_unit(text, what, name)
  local unit, reason = units.read(text)
  if not unit then fail("%s: the unit of '%s': %s", what, name, reason) end
  return unit
end

-- Numbers of one symbol have one dimension
local function demand_dimension(self, name, unit, what)
  local known = self._unit[name]
  if known and next(units.combine(known.dimension, unit.dimension, -1)) then
    fail("%s: '%s' of %s is in %s; the unit '%s' does not convert to it", what, name, self.name, known.label ~= "" and known.label or "1", unit.text)
  end
end

local function declare_unit(self, name, unit, what)
  demand_dimension(self, name, unit, what)
  self._unit[name] = self._unit[name] or unit
end

-- What S:coordinates, S:parameters and S:positive got behind the text: the units by name
local function units_given(what, items, given)
  if given == nil then return {} end
  local unit = options.check(what, unit_schema, given).unit
  local by_name, known = {}, {}
  for i, item in ipairs(items) do by_name[item.name], known[i] = type(unit) == "string" and unit or nil, item.name end
  for name, text in pairs(type(unit) == "table" and unit or {}) do
    if not object.contains(known, name) then fail("%s: unit: '%s' is not declared here%s", what, tostring(name), object.hint(name, known)) end
    if type(text) ~= "string" then fail("%s: the unit of '%s' is a text such as \"m/s^2\", not %s", what, name, type(text)) end
    by_name[name] = text
  end
  return by_name
end

-- The names in a text with their units; a second text is an error
local function declared(what, text, given, ...)
  if given ~= nil and type(given) ~= "table" or select("#", ...) > 0 then symbols.split(text, what, given, ...) end
  local items = symbols.split(text, what)
  return items, units_given(what, items, given)
end

-- Coordinates, and all that is made of them, are numbers in the SI
local function coordinate_unit(name, text)
  local unit = read_unit(text, "coordinates", name)
  if core.number_value(unit.factor) ~= 1 then
    fail("coordinates: '%s' is computed in the SI: write unit = \"%s\" in place of \"%s\"", name, unit.label, text)
  end
  return unit
end

local function add_coordinate(self, symbol)
  local name = core.name(symbol)
  self._coordinate[name] = symbol
  table.insert(self.coordinate_names, name)
end

--- Declares generalised coordinates: S:coordinates "x y theta" returns them in this order; x.dot and x.ddot are derivatives.
--- S:coordinates("x y", { unit = "m" }) gives them a unit of the SI, for S:check_units, the labels of pictures and the heads of tables; angles
--- have "rad". { unit = { x = "m", theta = "rad" } } gives units by name.
function System:coordinates(text, ...)
  local result = {}
  local items, given = declared("coordinates", text, ...)
  for i, item in ipairs(items) do
    if item.value then fail("coordinates have no value here: '%s=%s'; give starts to S:simulate{ q = ... }", item.name, item.value) end
    must_be_free(self, item.name, "coordinate")
    must_be_no_rotation(self, item.name)
    local unit = given[item.name] and coordinate_unit(item.name, given[item.name])
    if unit then declare_unit(self, item.name, unit, "coordinates") end
    if not self._coordinate[item.name] then add_coordinate(self, core.symbol(item.name, symbols.DYNAMIC)) end
    result[i] = self._coordinate[item.name]
  end
  changed(self)
  return table.unpack(result)
end

-- Declares a symbol made elsewhere, such as an entry of a quaternion, as a coordinate, with a unit or without.
function System:_add_coordinate(symbol, unit)
  local name = core.name(symbol)
  must_be_free(self, name)
  if unit then declare_unit(self, name, coordinate_unit(name, unit), "coordinates") end
  add_coordinate(self, symbol)
  changed(self)
end

-- A text such as "300 g" in the SI, exact, and its unit; the text itself if it is no number with a unit
local function converted(name, text, what)
  local number, unit_text = units.parted(text)
  if not number or not unit_text then return text end
  local fine, value = protected(core.number, number)
  if not fine then return text end
  local unit = read_unit(unit_text, what, name)
  return value*unit.factor, unit
end

--- The exact value of a parameter in the SI for a text with a unit, such as "300 g"; any other value as it is. Raises where the unit does
--- not fit the one of the declaration.
function System:value_in_si(name, value, what)
  if type(value) ~= "string" then return value end
  local result, unit = converted(name, value, what)
  if not unit then return value end
  if not self._unit[name] then
    fail("%s: '%s' of %s was declared without a unit, '%s' has one: declare it with a unit, or give the number alone", what, name, self.name, value)
  end
  demand_dimension(self, name, unit, what)
  return result
end

--- A value that a parameter may take, as a number; raises where it is no finite number, or not positive though declared so. Whatever
--- gives parameters values comes through here. A text may have a unit, "300 g"; numbers without one are in the SI.
---@param what string where the value comes from, for messages
function System:parameter_value(name, value, what)
  value = self:value_in_si(name, value, what)
  local number = symbols.number(value)
  if not number or number ~= number then fail("%s: '%s' = %s is not a number", what, name, tostring(value)) end
  if math.abs(number) == math.huge then fail("%s: '%s' = %s is not finite", what, name, object.number(number)) end
  if number <= 0 and core.known_positive(self._parameter[name]) then
    fail("%s: '%s' is declared positive: it cannot be %s; a parameter of any sign is declared by S:parameters, not by S:positive", what, name,
      object.number(number))
  end
  if number > 0 and number < 0x1p-1022 and core.known_positive(self._parameter[name]) then
    fail("%s: '%s' is declared positive: a value below 2.3e-308 counts as zero; take other units", what, name)
  end
  return number
end

-- A value written in a declaration, as an exact number in the SI
local function written_value(self, item, what)
  local text, unit = converted(item.name, item.value, what)
  local fine, value = protected(core.number, text)
  if not fine then
    fail("%s: the value of '%s': %s, such as 9.81 or 1/2, with or without a unit after it", what, item.name, (value:gsub("^[^\n]-:%d+: ", "")))
  end
  if unit then demand_dimension(self, item.name, unit, what) end
  local number = self:parameter_value(item.name, value, what)
  if unit then declare_unit(self, item.name, unit, what) end
  return value, number
end

local function declare_parameters(self, what, flags, text, ...)
  local result = {}
  local items, given = declared(what, text, ...)
  for i, item in ipairs(items) do
    must_be_free(self, item.name, "parameter")
    local known = self._parameter[item.name]
    -- a positive parameter takes a value from S:parameters, too, and stays positive
    local symbol = known and flags == 0 and known or core.symbol(item.name, flags)
    if known and known ~= symbol then
      fail("%s: '%s' of %s was declared by S:parameters, where it may have any sign; declare it once, by S:positive", what, item.name, self.name)
    end
    local unit = given[item.name] and read_unit(given[item.name], what, item.name)
    if not known then
      table.insert(self.parameter_names, item.name)
      self._parameter[item.name] = symbol
    end
    if unit then
      declare_unit(self, item.name, unit, what)
      if item.value and not select(2, converted(item.name, item.value, what)) then item.value = item.value .. " " .. unit.text end
    end
    if item.value then self._exact[item.name], self._values[item.name] = written_value(self, item, what) end
    result[i] = symbol
  end
  changed(self)
  return table.unpack(result)
end

--- Real parameters with values: S:parameters "c=1/10 Q". A value may come later, with another call or in S:simulate{parameters=...};
--- a parameter that S:positive declared takes a value here and stays positive. Values may have units, "m=2 kg l=30 cm g=9.81 m/s^2", which
--- are converted to the SI exactly; { unit = "kg" } behind the text gives one to names without a value.
function System:parameters(...) return declare_parameters(self, "parameters", 0, ...) end

--- Positive parameters with values: S:positive "m=1 J=1/2"; sqrt(m^2) is m only for these. Values that are not positive are refused
--- wherever they are given. Units as in S:parameters: S:positive "m=2 kg l=30 cm", S:positive("k", { unit = "N/m" }).
function System:positive(...) return declare_parameters(self, "positive", symbols.POSITIVE, ...) end

-- symbols allowed in an expression

-- A text as an expression in the names of the system; x.dot may be written for x', as in Lua
local function parsed(self, text, what)
  if text:find("=", 1, true) then fail("%s: '%s' is an equation: write a - b for a = b", what, text) end
  local names = { symbols.t }
  for _, name in ipairs(self.coordinate_names) do names[#names + 1] = self._coordinate[name] end
  for _, name in ipairs(self.parameter_names) do names[#names + 1] = self._parameter[name] end
  for _, name in ipairs(object.keys(self._defined)) do names[#names + 1] = self._defined[name].symbol end
  table.move(self._functions, 1, #self._functions, #names + 1, names)
  local fine, e = protected(core.parse, (text:gsub("%.ddot%f[^%w_]", "''"):gsub("%.dot%f[^%w_]", "'")), names)
  if fine then return e end
  local message, unknown = e:gsub("^[^\n]-:%d+: ", ""), e:match "'([%w_]+)'+ is not a known symbol"
  if not unknown then fail("%s: %s", what, message) end
  for i, s in ipairs(names) do names[i] = opaque.parts(s) or core.name(s) end
  fail("%s: the text '%s' contains '%s', which is no name of %s%s", what, text, unknown, self.name, object.hint(unknown, names))
end

-- Defines a name for an expression in coordinates and velocities, such as a rate of a rotation: the symbol may stand wherever an expression
-- of the system is given, and is kept in derivations.
-- level: 0: a function of the coordinates, 1: of the velocities, too
-- words: what it is, for messages: "a rate of the rotation 'R'"; flags of the symbol
function System:_define(name, value, level, words, flags)
  must_be_free(self, name)
  local symbol = core.symbol(name, flags)
  self._defined[name] = { symbol = symbol, value = value, level = level, words = words }
  changed(self)
  return symbol
end

--- The expression e with defined names replaced by the expressions they stand for.
function System:plain(e)
  local from, to = {}, {}
  for _, s in ipairs(next(self._defined) and core.symbols{ e } or {}) do
    local name, order, flags = core.name(s)
    local defined = flags & symbols.DYNAMIC ~= 0 and self._defined[name]
    if defined then
      local value = defined.value
      for _ = 1, order do value = core.dt(value) end
      from[#from + 1], to[#to + 1] = s, value
    end
  end
  return #from > 0 and core.substitute(e, from, to) or e
end

--- The expression with the formulas of S:define in place of functions known by name alone; their names are known to texts from here on.
function System:defined(e)
  local functions = opaque.functions{ e }
  for _, V in ipairs(functions) do
    local name, arguments = opaque.parts(V)
    local known = false
    for _, other in ipairs(self._functions) do
      local other_name, list = opaque.parts(other)
      known = known or other_name == name and #list == #arguments
    end
    if not known then table.insert(self._functions, V) end
  end
  return #functions > 0 and opaque.applied("S:define", self._definitions, { e })[1] or e
end

--- The expression e, raised unless it is made of this system's coordinates, velocities, parameters and the time, with `coupled` of its
--- multipliers and inputs too. Numbers, texts ("m/2*x'^2") and equations with two sides (left - right) become expressions; defined names, such as the
--- rates of rotations, become what they stand for.
function System:check_expression(e, what, max_order, coupled) return self:plain(self:admit(e, what, max_order, coupled)) end

--- S.m, S.x: a symbol of the system is in the variable that took it, or in S:symbol.
function System.meta.__elsewhere(self, name)
  local known = self._coordinate[name] or self._parameter[name]
  return known and ("; the symbol is S:symbol \"%s\""):format(name) or nil
end

-- Symbols without a value in the system: the nearest parameter where one is spelt alike, else how to declare them all
local function refuse_parameters(self, e, what, first)
  local near = object.nearest(first, self.parameter_names)
  if near then fail("%s: '%s' is not a parameter of %s (did you mean '%s'?)", what, first, self.name, near) end
  local names = {}
  for _, s in ipairs(core.symbols{ e }) do
    local name, _, flags = core.name(s)
    if flags & (symbols.DYNAMIC | symbols.TIME | symbols.EXTERNAL) == 0 and self._parameter[name] ~= s then names[#names + 1] = name end
  end
  table.sort(names)
  fail("%s: %s %s of %s; declare %s: S:positive \"%s\"", what, object.quoted(names), #names == 1 and "is not a parameter" or "are not parameters",
    self.name, #names == 1 and "it" or "them", table.concat(names, " "))
end

--- The same with defined names kept.
function System:admit(e, what, max_order, coupled)
  what, max_order = what and tostring(what) or "the expression", math.tointeger(max_order) or 2
  if type(e) == "number" then e = core.number(e)
  elseif type(e) == "string" then e = parsed(self, e, what)
  elseif type(e) == "boolean" then
    fail("%s is an expression, not a boolean: == compares at once and gives %s; write a - b for a = b, or hm.eq(a, b)", what, tostring(e))
  elseif algebra.is_equation(e) then e = e:residual() end
  if not core.is_expression(e) then
    local meta = debug.getmetatable(e)
    local words = object.is_a(e, "Condition") and "it is a condition; write the expression alone: a gap or a guard is x - 1 for x:ge(1)"
      or e == nil and (undefined.words() or "the name in it is not defined, or a value is missing") or type(meta) == "table" and rawget(meta, "__words")
      or type(e) == "function" and "a method is called with a colon, as in e:simplify()"
    local kind = type(meta) == "table" and rawget(meta, "__kind") or type(e)
    fail("%s is an expression, not %s%s", what, kind, words and ": " .. words or "")
  end
  opaque.demand_one_arity(self, core.opaque_calls{ e }, what)
  e = self:defined(e)
  for _, s in ipairs(core.symbols{ e }) do
    local name, order, flags = core.name(s)
    local dynamic = flags & symbols.DYNAMIC ~= 0
    local defined = dynamic and self._defined[name]
    if defined and order + defined.level > max_order then
      fail("%s contains %s: %s", what, core.text(s), max_order == 0 and "only coordinates and time may stand here"
        or "accelerations may not stand here")
    elseif dynamic and not defined and not self._coordinate[name] then
      fail("%s: '%s' is not a coordinate of %s%s", what, name, self.name, object.hint(name, self.coordinate_names))
    elseif dynamic and order > max_order then
      fail("%s contains %s: %s", what, core.text(s), max_order == 0 and "only coordinates and time are allowed here"
        or "accelerations may not stand here")
    elseif self._lambda and self._lambda.name[s] and not coupled then
      fail("%s contains the multiplier of '%s': multipliers are allowed in S:force and S:torque only", what, self._lambda.name[s])
    elseif not dynamic and self._parameter[name] == s and object.contains(self._inputs, name) and not coupled then
      fail("%s contains the input '%s': inputs are allowed in S:force and S:torque only", what, name)
    elseif not dynamic and flags & (symbols.TIME | symbols.EXTERNAL) == 0 and self._parameter[name] ~= s then
      refuse_parameters(self, e, what, name)
    end
  end
  return e
end

-- ---- questions about the declaration

--- A table of values by coordinate with names as keys: { x = 1 } and { [x] = 1 } are the same, as are { [x.dot] = 1 } and { [x] = 1 } for
--- velocities. Raises where an entry occurs twice; keys that are no symbols of the system stay. Values of starts may have units, "30 deg".
---@param what string the table's name, for messages
function System:by_name(given, what)
  if type(given) ~= "table" then return given end
  local result = {}
  for key, value in pairs(given) do
    local name, order = key, 0
    if core.is_expression(key) then name, order = core.name(key) end
    local own = self._coordinate[name] or self._parameter[name]
    if core.is_expression(key) and not (own and core.kind(key) == "symbol" and (order == 0 or what == "v" and order == 1)) then name = core.text(key) end
    if result[name] ~= nil then fail("%s: '%s' is given twice", what and tostring(what) or "the table", tostring(name)) end
    result[name] = value
  end
  return (what == "q" or what == "v") and quantities.starts(self, result, what) or result
end

--- Coordinates as a list of symbols.
function System:coordinate_list()
  local list = {}
  for i, name in ipairs(self.coordinate_names) do list[i] = self._coordinate[name] end
  return list
end

--- Velocities of all coordinates as a list of symbols. Raises where a rotation is described by a unit quaternion, whose four velocities are not
--- independent: what takes the velocities for a basis would be wrong there.
function System:velocity_list()
  local R = self._rotations[1]
  if R then
    fail("%s has the rotation '%s' by a unit quaternion; this takes coordinates whose velocities are free: turn its frame by three angles "
      .. "(N:rotate), or work with the forms 'lagrange' and 'hamel'", self.name, R.name)
  end
  return self:every_velocity()
end

--- Velocities of all coordinates, with the body rates of a rotation in place of the velocities of its quaternion.
function System:base_velocity_list()
  local list, rotation_of = {}, {}
  for _, R in ipairs(self._rotations) do for i, e in ipairs(R.quaternion) do rotation_of[e] = i == 1 and R.rates or {} end end
  for _, q in ipairs(self:coordinate_list()) do
    local rates = rotation_of[q] or { q.dot }
    table.move(rates, 1, #rates, #list + 1, list)
  end
  return list
end

--- Velocities of all coordinates, those of quaternions among them, for derivatives of expressions.
function System:every_velocity()
  local list = {}
  for i, name in ipairs(self.coordinate_names) do list[i] = self._coordinate[name].dot end
  return list
end

-- A force with the functions of its inputs
local function driven(self, e)
  for symbol, drive in pairs(self._drives) do e = core.substitute(e, { symbol }, { symbol + drive }) end
  return e
end

local function forces_named(self)
  local names = {}
  for i, name in ipairs(self.coordinate_names) do names[i] = "Q_" .. name end
  return names
end

--- Generalised active forces, potential ones apart, one per coordinate. Forms without multipliers cannot hold forces that depend on them;
--- those with multipliers call it with `coupled` = true and put theirs in. kept: with rates and direction cosines by their names. The forces on rates
--- of rotations, which belong to no coordinate, are System:forces_on_rates.
function System:generalised_forces(coupled, kept)
  local sum = {}
  if not coupled then
    for _, item in ipairs(self.force_list) do
      for _, s in ipairs(self._lambda and core.symbols{ item.expression } or {}) do
        if self._lambda.name[s] then
          fail("the force on '%s' depends on the multiplier of '%s': take the form 'lagrange' or 'nielsen', which keeps the multipliers",
            item.coordinate and core.text(item.coordinate) or item.name, self._lambda.name[s])
        end
      end
    end
  end
  local lists = {}
  for _, item in ipairs(self.force_list) do
    if item.coordinate then
      local Q = driven(self, item.expression)
      lists[item.coordinate] = lists[item.coordinate] or {}
      table.insert(lists[item.coordinate], kept and Q or self:plain(Q))
    end
  end
  for i, name in ipairs(self.coordinate_names) do sum[i] = core.sum(lists[self._coordinate[name]] or {}) end
  return answer.labelled(sum, forces_named(self))
end

--- Generalised forces on the rates of rotations: list of { index of the base velocity, expression }.
function System:forces_on_rates()
  local list = {}
  for _, item in ipairs(self.force_list) do
    if not item.coordinate then list[#list + 1] = { item.base, driven(self, item.expression) } end
  end
  return list
end

--- The same for the library, which asks at each run.
function System:_external_forces()
  local unsettled, list = rawget(self, "_unsettled"), {}
  if unsettled then unsettled(self) end
  for _, item in ipairs(self._force_list) do if item.call then list[#list + 1] = item end end
  return list
end

--- Forces given as Lua functions: list of { coordinate, expression (its symbol), call }.
function System:external_forces() return self:_external_forces() end

--- Symbol of a coordinate or parameter by name; raises with the nearest name.
function System:symbol(name)
  local s = self._coordinate[name] or self._parameter[name]
  if s then return s end
  local known = table.move(self.parameter_names, 1, #self.parameter_names, #self.coordinate_names + 1,
    table.move(self.coordinate_names, 1, #self.coordinate_names, 1, {}))
  fail("%s has no coordinate or parameter '%s'%s", self.name, tostring(name), object.hint(name, known))
end

--- The unit in which a coordinate or parameter is computed, as text: "m", "rad", "kg m^2"; nil where none was declared.
function System:unit_label(name)
  local unit = self._unit[name]
  return unit and unit.label ~= "" and unit.label ~= "1" and unit.label or nil
end

--- "0.3 m": a value of a parameter as text, with the unit that was declared.
function System:value_text(name, value)
  if type(value) ~= "number" then fail("value_text takes the name of a parameter and a number, not %s", type(value)) end
  local unit = self:unit_label(name)
  return object.number(value) .. (unit and " " .. unit or "")
end

-- A new system over some of the coordinates of this one: with all its parameters, their values, units, inputs and functions known by name; no
-- energies, forces or constraints
function System:_over(name, coordinate_names)
  local new = System.new(name)
  for _, q in ipairs(coordinate_names) do
    table.insert(new.coordinate_names, q)
    new._coordinate[q], new._unit[q] = self._coordinate[q], self._unit[q]
  end
  for _, p in ipairs(self.parameter_names) do
    table.insert(new.parameter_names, p)
    new._parameter[p], new._exact[p], new._values[p], new._unit[p] = self._parameter[p], self._exact[p], self._values[p], self._unit[p]
  end
  for _, list in ipairs{ "_inputs", "_functions", "_definitions" } do
    for key, value in pairs(self[list]) do new[list][key] = value end
  end
  changed(new)
  return new
end

--- Marks the declaration as changed, so that derived results are derived again.
System.changed = changed

for _, name in ipairs{ "coordinates", "parameters" } do options.declare(name, unit_schema) end
object.seal(System)

return System
