-- system.lua: a mechanical system as its user declared it; nothing derived, nothing numeric.
-- Methods that do work (equations, simulate, ...) are attached by the modules that own the work.
local core = require "hamel.core"
local naming = require "hamel.naming"
local object = require "hamel.object"
local symbols = require "hamel.symbols"

local fail = object.fail

local System = object.class "System"

--- A new system.
---@param name string
function System.new(name)
  if type(name) ~= "string" then fail("hm.system takes the name of the system, as in hm.system \"sleigh\"") end
  return setmetatable({
    name = name, coordinate_names = {}, parameter_names = {}, force_list = {}, constraints = {},
    gaps = {}, frictions = {},
    _coordinate = {}, _parameter = {}, _values = {}, _exact = {}, _changes = 0, _lambda = false,
  }, System.meta)
end

-- What was derived from the system is stale from here on
local function changed(self)
  self._changes = self._changes + 1
end

local function must_be_free(self, name, as)
  if self._coordinate[name] and as ~= "coordinate" then fail("'%s' is already a coordinate of %s", name, self.name) end
  if self._parameter[name] and as ~= "parameter" then fail("'%s' is already a parameter of %s", name, self.name) end
  if name == "t" then fail("'t' is the time: choose another name") end
  if name == "energy" then fail("'energy' is the energy of a run: choose another name") end
  local alike = naming.alike(self, name)
  if alike then fail("'%s' would be printed like '%s' of %s: choose another name", name, alike, self.name) end
end

--- Declares generalised coordinates: S:coordinates "x y theta" returns them in this order; x.dot and x.ddot are derivatives.
function System:coordinates(text)
  local result = {}
  for i, item in ipairs(symbols.split(text, "coordinates")) do
    if item.value then fail("coordinates have no value here: '%s=%s'; give starts to S:simulate{ q = ... }", item.name, item.value) end
    must_be_free(self, item.name, "coordinate")
    if not self._coordinate[item.name] then
      self._coordinate[item.name] = core.symbol(item.name, symbols.DYNAMIC)
      table.insert(self.coordinate_names, item.name)
    end
    result[i] = self._coordinate[item.name]
  end
  changed(self)
  return table.unpack(result)
end

local function declare_parameters(self, text, flags, what)
  local result = {}
  for i, item in ipairs(symbols.split(text, what)) do
    must_be_free(self, item.name, "parameter")
    local symbol = core.symbol(item.name, flags)
    local value = item.value and core.number(item.value)
    if value and flags == symbols.POSITIVE and core.number_value(value) <= 0 then
      fail("'%s' is declared positive but its value is %s", item.name, item.value)
    end
    if self._parameter[item.name] and self._parameter[item.name] ~= symbol then
      fail("'%s' is already a parameter of %s with other assumptions", item.name, self.name)
    end
    if not self._parameter[item.name] then table.insert(self.parameter_names, item.name) end
    self._parameter[item.name] = symbol
    if value then self._values[item.name], self._exact[item.name] = core.number_value(value), value end
    result[i] = symbol
  end
  changed(self)
  return table.unpack(result)
end

--- Real parameters with values: S:parameters "c=1/10 Q". A value may come later, with another call or in S:simulate{parameters=...}.
function System:parameters(text) return declare_parameters(self, text, 0, "parameters") end

--- Positive parameters with values: S:positive "m=1 J=1/2"; sqrt(m^2) is m only for these.
function System:positive(text) return declare_parameters(self, text, symbols.POSITIVE, "positive") end

-- ---- what may stand in an expression

--- Raises unless e is made of this system's coordinates, velocities, parameters and the time, with `coupled` of its multipliers too.
function System:check_expression(e, what, max_order, coupled)
  what, max_order = what and tostring(what) or "the expression", math.tointeger(max_order) or 2
  if type(e) == "number" then e = core.number(e) end
  if not core.is_expression(e) then fail("%s is an expression, not %s", what, type(e)) end
  for _, s in ipairs(core.symbols{ e }) do
    local name, order, flags = core.name(s)
    local dynamic = flags & symbols.DYNAMIC ~= 0
    if dynamic and not self._coordinate[name] then
      fail("%s: '%s' is not a coordinate of %s%s", what, name, self.name, object.hint(name, self.coordinate_names))
    elseif dynamic and order > max_order then
      fail("%s contains %s: %s", what, core.text(s), max_order == 0 and "only coordinates and time may stand here"
        or "accelerations may not stand here")
    elseif self._lambda and self._lambda.name[s] and not coupled then
      fail("%s contains the multiplier of '%s': multipliers may stand in S:force alone", what, self._lambda.name[s])
    elseif not dynamic and flags & (symbols.TIME | symbols.EXTERNAL) == 0 and self._parameter[name] ~= s then
      fail("%s: '%s' is not a parameter of %s%s", what, name, self.name, object.hint(name, self.parameter_names))
    end
  end
  return e
end

--- Kinetic energy of the unconstrained system, in coordinates, velocities and time; replaces an earlier one.
function System:kinetic_energy(e)
  if e == nil then return self._T end
  self._T, self._L = self:check_expression(e, "kinetic energy", 1), nil
  changed(self)
  return self
end

--- Potential energy, in coordinates and time; replaces an earlier one.
function System:potential_energy(e)
  if e == nil then return self._V end
  self._V, self._L = self:check_expression(e, "potential energy", 0), nil
  changed(self)
  return self
end

--- Lagrangian L = T - V (or a general one) in place of both energies.
function System:lagrangian(e)
  if e == nil then
    if self._L then return self._L end
    if not self._T then fail("%s has no kinetic energy yet: S:kinetic_energy(...)", self.name) end
    return self._V and self._T - self._V or self._T
  end
  self._L, self._T, self._V = self:check_expression(e, "Lagrangian", 1), nil, nil
  changed(self)
  return self
end

--- Adds a generalised force on coordinate q: an expression in coordinates, velocities, time and multipliers of constraints (S.lambda.name:
--- S:force(x, -mu*hm.abs(S.lambda.wire)*hm.sign(x.dot))), or a Lua function f(t, q, v) of number and tables by name that returns a number
--- (slower: it is called in every evaluation). Forces that contain multipliers are solved together with the accelerations, in the forms
--- 'lagrange' and 'nielsen'; a run stops where they have no solution, or several, with the status NO_UNIQUE_REACTION.
function System:force(q, e)
  local name = core.is_expression(q) and core.kind(q) == "symbol" and core.name(q)
  if not name or self._coordinate[name] ~= q then
    fail("S:force(q, Q): '%s' is not a coordinate of %s%s", tostring(q), self.name, object.hint(q, self.coordinate_names))
  end
  local item = { coordinate = q }
  if type(e) == "function" then
    item.call = e
    item.expression = core.symbol(naming.free(self, { "F", "Q", "force" }, { ("%d_%s"):format(#self.force_list + 1, name) })[1], symbols.EXTERNAL)
  else
    item.expression = self:check_expression(e, "force on " .. name, 1, true)
    for _, s in ipairs(core.symbols{ item.expression }) do
      local other, _, flags = core.name(s)
      if flags & symbols.EXTERNAL ~= 0 and not (self._lambda and self._lambda.name[s]) then
        fail("force on %s: '%s' is no multiplier of %s: write S.lambda.name", name, other, self.name)
      end
    end
  end
  table.insert(self.force_list, item)
  changed(self)
  return self
end

--- Rayleigh's dissipation function R: adds the forces -dR/dq'.
function System:dissipation(e)
  e = self:check_expression(e, "dissipation", 1)
  for _, name in ipairs(self.coordinate_names) do
    local q = self._coordinate[name]
    local Q = -core.diff(e, q.dot)
    if core.number_value(Q) ~= 0 then table.insert(self.force_list, { coordinate = q, expression = Q }) end
  end
  changed(self)
  return self
end

-- ---- questions about the declaration

--- Coordinates as a list of symbols.
function System:coordinate_list()
  local list = {}
  for i, name in ipairs(self.coordinate_names) do list[i] = self._coordinate[name] end
  return list
end

--- Velocities as a list of symbols.
function System:velocity_list()
  local list = {}
  for i, name in ipairs(self.coordinate_names) do list[i] = self._coordinate[name].dot end
  return list
end

--- Generalised active forces, potential ones apart, one per coordinate. Forms without multipliers cannot hold forces that depend on them;
--- those with multipliers call it with `coupled` = true and put theirs in.
function System:generalised_forces(coupled)
  local sum = {}
  if not coupled then
    for _, item in ipairs(self.force_list) do
      for _, s in ipairs(self._lambda and core.symbols{ item.expression } or {}) do
        if self._lambda.name[s] then
          fail("the force on '%s' depends on the multiplier of '%s': take the form 'lagrange' or 'nielsen', which keeps the multipliers",
            core.text(item.coordinate), self._lambda.name[s])
        end
      end
    end
  end
  for i, name in ipairs(self.coordinate_names) do
    sum[i] = core.rational(0)
    for _, item in ipairs(self.force_list) do
      if item.coordinate == self._coordinate[name] then sum[i] = sum[i] + item.expression end
    end
  end
  return sum
end

--- Forces given as Lua functions: list of { coordinate, expression (its symbol), call }.
function System:external_forces()
  local list = {}
  for _, item in ipairs(self.force_list) do if item.call then list[#list + 1] = item end end
  return list
end

--- Symbol of a coordinate or parameter by name; raises with the nearest name.
function System:symbol(name)
  local s = self._coordinate[name] or self._parameter[name]
  if s then return s end
  local known = table.move(self.parameter_names, 1, #self.parameter_names, #self.coordinate_names + 1,
    table.move(self.coordinate_names, 1, #self.coordinate_names, 1, {}))
  fail("%s has no coordinate or parameter '%s'%s", self.name, tostring(name), object.hint(name, known))
end

--- Marks the declaration as changed, so that what was derived is derived again.
System.changed = changed

return System
