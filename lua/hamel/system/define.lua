-- define.lua: S:define: a formula for a function of hm.func in all that a system declares.
local core = require "hamel.core"
local object = require "hamel.base.object"
local opaque = require "hamel.algebra.opaque"
local System = require "hamel.system"

local fail = object.fail

-- The expressions of a list with formulas
local function applied_to(self, list)
  if list == nil or type(list) ~= "table" or core.is_expression(list) then return core.is_expression(list) and self:defined(list) or list end
  local out = {}
  for i, e in ipairs(list) do out[i] = core.is_expression(e) and self:defined(e) or e end
  return out
end

local function define_energies(self)
  for _, e in ipairs(self._of_bodies.shown or {}) do
    if self:defined(e) ~= e then fail("S:define: bodies of %s depend on the function: define it before they are declared", self.name) end
  end
  for _, field in ipairs{ "_T", "_V", "_L" } do if self[field] then self[field] = self:defined(self[field]) end end
  for field, e in pairs(self._by_hand) do self._by_hand[field], self._kept[field] = self:defined(e), self:defined(self._kept[field]) end
end

local function define_forces(self)
  for _, item in ipairs(self.force_list) do item.expression = self:defined(item.expression) end
  for symbol, drive in pairs(self._drives) do self._drives[symbol] = self:defined(drive) end
end

-- Constraints are classified anew
local function define_constraints(self)
  local old = table.move(self.constraints, 1, #self.constraints, 1, {})
  for _, c in ipairs(old) do self.constraints[c.name] = nil end
  for i = #old, 1, -1 do self.constraints[i] = nil end
  for _, c in ipairs(old) do self:constraint(c.name, c.given or c.f) end
end

local function define_contacts(self)
  for _, gap in ipairs(self.gaps) do
    gap.gap, gap.rough, gap.held = self:defined(gap.gap), applied_to(self, gap.rough), applied_to(self, gap.held)
  end
  for _, item in ipairs(self.frictions) do
    for _, field in ipairs{ "slips", "normal", "coefficient", "static", "radius" } do item[field] = applied_to(self, item[field]) end
  end
end

local function define_quasi_velocities(self)
  local names, functions = self._quasi.names, applied_to(self, self._quasi.functions)
  self._quasi = nil
  self:quasi_velocities(table.concat(names, " "), functions)
end

--- Gives a function that hm.func made its formula, in everything the system declares and in what is asked of it later: S:define(V, k*r^2/2), an
--- expression in the arguments of V, or S:define(V, function(r) return k*r^2/2 end). The equations are derived anew, and runs are possible. A
--- function is defined once.
function System:define(V, given)
  local d = opaque.definition("S:define", V, given)
  opaque.demand_one_arity(self, { V }, "S:define")
  if self._definitions[d.key] then
    fail("S:define: '%s' of %s is defined already; declare the energies and forces again with { replace = true } and another function", d.name, self.name)
  end
  self:check_expression(core.substitute(d.body, d.parameters, select(2, core.opaque_parts(V))), ("the formula of '%s'"):format(d.name), 1)
  self._definitions[d.key] = d
  define_energies(self)
  define_forces(self)
  define_constraints(self)
  define_contacts(self)
  if self._quasi then define_quasi_velocities(self) end
  self:changed()
  return self
end

return System
