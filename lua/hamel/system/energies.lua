-- energies.lua: the energies, forces and the dissipation of a system as its user declares them.
local core = require "hamel.core"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local quantities = require "hamel.system.quantities"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local undefined = require "hamel.base.undefined"

local fail = object.fail

local replace_schema = { replace = { default = false, type = "boolean", doc = "true: replaces the earlier declaration" } }

for method, what in pairs{ kinetic_energy = "kinetic energy", potential_energy = "potential energy", lagrangian = "Lagrangian" } do
  object.declare_or_read[method] = function()
    fail("the %s is an expression, not nil: %s", what, undefined.words() or "the name in it is not defined, or a value is missing")
  end
end

-- An energy is declared once: a second one neither adds nor replaces by chance
local function demand_first(self, method, given, first, what)
  if not first or options.check(method, replace_schema, given).replace then return end
  local text = core.tree_size(first) <= 60 and (", " .. core.text(first)) or ""
  fail("S:%s: %s has %s already%s; to add, write S:%s(S:%s() + e, { replace = true }), to replace, S:%s(e, { replace = true })", method,
    self.name, what, text, method, method, method)
end

-- The Lagrangian takes the place of both energies
local function demand_no_lagrangian(self, method, given)
  if self._L and not options.check(method, replace_schema, given).replace then
    fail("S:%s: %s has a Lagrangian already, which contains both energies; S:%s(e, { replace = true }) replaces it", method, self.name, method)
  end
end

-- An energy: what was declared by hand (_kept: with rates and direction cosines by their names) and what the bodies have
local function add_up(self, field)
  local by_hand, of_bodies = self._by_hand[field], self._of_bodies[field]
  self[field] = by_hand and of_bodies and by_hand + of_bodies or by_hand or of_bodies
end

-- Declares the energies of all bodies of the system, which are added to those declared by hand; for the room of the bodies.
-- shown: the same in rates and direction cosines, { T, V }
function System:_energies_of_bodies(T, V, shown)
  if self._L then fail("%s has a Lagrangian, which stands for all energies; with bodies declare S:kinetic_energy and S:potential_energy", self.name) end
  self._of_bodies = { _T = T, _V = V, shown = shown }
  add_up(self, "_T")
  add_up(self, "_V")
  self:changed()
end

-- One energy in place of an earlier one
local function declare_energy(self, method, field, e, given, what, max_order)
  options.check(method, replace_schema, given)
  local kept = self:admit(e, what, max_order)
  e = self:plain(kept)
  demand_no_lagrangian(self, method, given)
  demand_first(self, method, given, self._by_hand[field], "a " .. what)
  self._by_hand[field], self._kept[field], self._L = e, kept, nil
  add_up(self, field)
  self:changed()
  return self
end

-- Velocities may have been lost by e:diff(t), or by x.dt
local function demand_velocity(e, what)
  for _, s in ipairs(core.symbols{ e }) do
    local _, order = core.name(s)
    if order > 0 then return end
  end
  fail("the %s %s contains no velocity: velocities are x.dot, the time derivative of an expression is hm.dt(e)", what, core.text(e))
end

--- Kinetic energy of the unconstrained system, in coordinates, velocities and time. It is declared once: a second one is an error, unless
--- it comes with { replace = true }. Without an argument: the expression declared, or nil.
function System:kinetic_energy(e, given)
  if e == nil and given == nil then return self._T end
  e = self:admit(e, "kinetic energy", 1)
  demand_velocity(self:plain(e), "kinetic energy")
  return declare_energy(self, "kinetic_energy", "_T", e, given, "kinetic energy", 1)
end

--- Potential energy, in coordinates and time, declared once; { replace = true } puts another in its place. Without an argument: the
--- expression declared, or nil.
function System:potential_energy(e, given)
  if e == nil and given == nil then return self._V end
  return declare_energy(self, "potential_energy", "_V", e, given, "potential energy", 0)
end

--- Lagrangian L = T - V (or a general one) for both energies, declared once; { replace = true } puts it in place of what was declared.
--- Without an argument: the Lagrangian of the system.
function System:lagrangian(e, given)
  if e == nil and given == nil then
    if self._L then return self._L end
    if not self._T then fail("%s has no kinetic energy yet: S:kinetic_energy(...)", self.name) end
    return self._V and self._T - self._V or self._T
  end
  options.check("lagrangian", replace_schema, given)
  e = self:check_expression(e, "Lagrangian", 1)
  demand_velocity(e, "Lagrangian")
  if next(self._of_bodies) then
    fail("S:lagrangian: %s has bodies, whose energies are added to S:kinetic_energy and S:potential_energy: declare these", self.name)
  end
  local first = self._L or self._T and self:lagrangian() or self._V and -self._V
  demand_first(self, "lagrangian", given, first, self._L and "a Lagrangian" or "its energies")
  self._L, self._T, self._V, self._by_hand, self._kept = e, nil, nil, {}, {}
  self:changed()
  return self
end

-- The same force twice doubles it, which a block that is run again does by chance
local function demand_new_force(self, item, name)
  for _, other in ipairs(self._force_list) do
    if (other.coordinate or other.rate) == (item.coordinate or item.rate) and (other.call or other.expression) == (item.call or item.expression) then
      fail("S:force: this force acts on '%s' already, and forces add; for twice of it write S:force(%s, 2*Q), to replace the forces on '%s' "
        .. "S:force(%s, Q, { replace = true })", name, name, name, name)
    end
  end
end

local force_schema = {
  replace = replace_schema.replace,
  unit = { type = "string", doc = "the unit of Q, such as \"N\" or \"N m\", for S:check_units; Q itself is computed in the SI" },
}

-- The index of a rate of a rotation among the base velocities, and its symbol; nil for others
local function rate_place(self, q)
  local name = core.is_expression(q) and core.kind(q) == "symbol" and core.name(q) or q
  for s, w in ipairs(self:base_velocity_list()) do
    local own, order = core.name(w)
    if own == name and order == 0 and (q == name or q == w) then return s, w end
  end
end

-- Adds a generalised force on a base velocity w, the s-th: a velocity of a coordinate, or a rate of a rotation, which is none.
function System:_add_force(w, s, Q)
  if core.number_value(Q) == 0 then return end
  local name, order = core.name(w)
  table.insert(self._force_list, { base = s, name = name, expression = Q, coordinate = order == 1 and self._coordinate[name] or false })
end

local function drop_forces(self, q)
  local list = self.force_list
  for i = #list, 1, -1 do if (list[i].coordinate or list[i].rate) == q then table.remove(list, i) end end
end

--- Adds a generalised force on coordinate q, or on a body rate of a rotation (a torque along the axis of the rate): an expression in coordinates,
--- velocities, time and multipliers of constraints (S.lambda.name:
--- S:force(x, -mu*hm.abs(S.lambda.wire)*hm.sign(x.dot))), or a Lua function f(t, q, v) of number and tables by name that returns a number
--- (slower: it is called in every evaluation). Forces that contain multipliers are solved together with the accelerations, in the forms
--- 'lagrange' and 'nielsen'; a run stops where they have no solution, or several, with the status NO_UNIQUE_REACTION.
--- S:force(b, F, P) is a vector force F on the body b at the point P (its mass centre when not given), turned into generalised forces.
--- Forces add; the same one given twice is an error. { replace = true } replaces all forces on q, those of S:dissipation too. { unit = "N" }
--- states the unit of Q, which S:check_units compares with Q and with the energies.
function System:force(q, e, given)
  local meta = getmetatable(q)
  local of_body = type(q) == "table" and type(meta) == "table" and rawget(meta, "__force")
  if of_body then return of_body(self, q, e, given) end
  local name = core.is_expression(q) and core.kind(q) == "symbol" and core.name(q)
  if type(q) == "string" and self._coordinate[q] then q, name = self._coordinate[q], q end
  local place, rate = rate_place(self, q)
  if rate then q, name = rate, core.name(rate)
  elseif self._defined[name or q] then
    fail("S:force(q, Q): '%s' is %s, neither a coordinate nor a rate; S:torque(b, M) is a torque on a body, S:force(b, F, P) a force at a point of it",
      name or q, self._defined[name or q].words)
  end
  if not rate and (not name or self._coordinate[name] ~= q) then
    local words = q == nil and undefined.words()
    if words then fail("S:force(q, Q): q is nil: %s", words) end
    fail("S:force(q, Q): '%s' is not a coordinate of %s%s", tostring(q), self.name, object.hint(q, self.coordinate_names))
  end
  if given ~= nil and (type(given) ~= "table" or getmetatable(given)) then
    fail("S:force(q, Q) acts on one coordinate: the third argument is a table of options, not %s",
      core.is_expression(given) and core.text(given) or type(given))
  end
  local o = options.check("force", force_schema, given)
  local item = rate and { base = place, rate = rate, name = name, coordinate = false } or { coordinate = q, unit = quantities.force_unit(q, o.unit) }
  if rate and (type(e) == "function" or o.unit) then
    fail("S:force on the rate '%s' takes an expression, without a unit; a Lua function goes on coordinates", name)
  end
  if type(e) == "function" then
    item.call = e
    self._forces = (self._forces or 0) + 1
    item.expression = core.symbol(naming.free(self, { "F", "Q", "force" }, { ("%d_%s"):format(self._forces, name) })[1], symbols.EXTERNAL)
  else
    item.expression = self:admit(e, "force on " .. name, 1, true)
    for _, s in ipairs(core.symbols{ item.expression }) do
      local other, _, flags = core.name(s)
      if flags & symbols.EXTERNAL ~= 0 and not (self._lambda and self._lambda.name[s]) then
        fail("force on %s: '%s' is no multiplier of %s: write S.lambda.name", name, other, self.name)
      end
    end
  end
  if o.replace then drop_forces(self, q) else demand_new_force(self, item, name) end
  table.insert(self._force_list, item)
  self:changed()
  return self
end

-- Are its velocities those of a system with rotations, the rates and no derivatives of quaternions and cosines?
local function in_base_velocities(self, e)
  if #self._rotations == 0 then return false end
  local known = {}
  for _, w in ipairs(self:base_velocity_list()) do known[w] = true end
  for _, s in ipairs(core.symbols{ e }) do
    local _, order = core.name(s)
    if order > 0 and not known[s] then return false end
  end
  return true
end

-- dR/dw by sweeps back through each term, so that what two joints get from a body differs by a factor alone: sums of these share their parts
local function slopes(R, velocities)
  local lists, result = {}, {}
  for s in ipairs(velocities) do lists[s] = {} end
  for _, term in ipairs(core.kind(R) == "sum" and core.operands(R) or { R }) do
    for s, slope in ipairs(core.gradient(term, velocities)) do
      if core.number_value(slope) ~= 0 then table.insert(lists[s], slope) end
    end
  end
  for s, list in ipairs(lists) do result[s] = core.sum(list) end
  return result
end

-- The forces -dR/dw on velocities w. c*x.dot, the force in place of its function, would be a force that does not depend on the velocity
local function damping(velocities, R)
  local moving, forces = {}, {}
  for _, v in ipairs(velocities) do moving[v] = true end
  for s, slope in ipairs(slopes(R, velocities)) do
    local moves = core.number_value(slope) == 0
    for _, symbol in ipairs(core.number_value(slope) and {} or core.symbols{ slope }) do moves = moves or moving[symbol] or false end
    forces[s] = -slope
    if not moves then
      fail("S:dissipation: the force %s on %s does not depend on the velocities; a dissipation is D = c*x.dot^2/2 with the force -dD/dx' = -c*x.dot, "
        .. "S:force takes the force itself", core.text(forces[s]), core.text(core.undot(velocities[s], 0)))
    end
  end
  return forces
end

--- Rayleigh's dissipation function R: adds the forces -dR/dq'.
function System:dissipation(e)
  local kept = self:admit(e, "dissipation", 1)
  if in_base_velocities(self, kept) then
    local base = self:base_velocity_list()
    for s, Q in ipairs(damping(base, kept)) do self:_add_force(base[s], s, Q) end
  else
    local q = self:coordinate_list()
    for s, Q in ipairs(damping(self:every_velocity(), self:plain(kept))) do
      if core.number_value(Q) ~= 0 then table.insert(self._force_list, { coordinate = q[s], expression = Q }) end
    end
  end
  self:changed()
  return self
end

for _, name in ipairs{ "kinetic_energy", "potential_energy", "lagrangian" } do options.declare(name, replace_schema) end
options.declare("force", force_schema)
