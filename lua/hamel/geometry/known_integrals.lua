-- known_integrals.lua: integrals that theorems give: the energy, momenta of cyclic coordinates, integrals of integrable constraints; and those that
-- one would expect and that are not conserved, with the reason.
local attempt = require "hamel.base.attempt"
local constants = require "hamel.geometry.constants"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local smoothness = require "hamel.geometry.smoothness"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"
require "hamel.geometry.derived_flag"

local short = echelon.short

local vanishes = vanishing.proved

-- What changes the energy
local function loss_of_energy(flow)
  local acatastatic, system = {}, flow.system
  for _, c in ipairs(system.constraints) do if not c.catastatic then acatastatic[#acatastatic + 1] = c.name end end
  if #acatastatic == 1 then return ("the constraint '%s' moves (it is acatastatic): its reaction has power"):format(acatastatic[1]) end
  if #acatastatic > 1 then return ("the constraints %s move (they are acatastatic): their reactions have power"):format(object.quoted(acatastatic)) end
  if not vanishes(core.diff(flow.L, symbols.t)) then return "the Lagrangian depends on time" end
  local forces = flow:forces()
  for _, item in ipairs(system:forces_on_rates()) do forces[#forces + 1] = item[2] end
  if not vanishing.all(flow.put_in(forces)) then return "the applied forces have power" end
  return "the reactions have power"
end

-- Is the kinetic energy a quadratic form and the Lagrangian free of terms linear in the velocities?
local function is_natural(flow)
  local p = core.gradient(flow.L, flow.velocities)
  for _, e in ipairs(p) do if not vanishes(vanishing.without(e, flow.velocities)) then return false end end
  return true
end

local function energy(flow, visit)
  local E = kinematics.dot(core.gradient(flow.L, flow.velocities), flow.velocities) - flow.L
  local on = flow:on(E)
  local fine, rate = attempt(flow.rate, flow, on)
  local zero = fine and flow:is_zero(rate)
  if not zero and flow.E.power and not flow.E.carried then zero = flow.put_in{ flow.E.power }[1]:is_zero() or zero end
  local shown, reduced = short(E), short(flow:off(on))
  if core.tree_size(reduced) < core.tree_size(shown) then shown = reduced end
  visit.set_energy(on, shown)
  if zero then
    local natural = is_natural(flow)
    visit.add({ name = "energy", kind = natural and "energy" or "Jacobi", of = shown, parameters = "any", proof = true,
      why = (#flow.system.constraints > 0 and "the reactions have no power, " or "")
        .. "no force has power, nothing depends on time" }, on)
  elseif zero == false and flow.linear then
    visit.lost("energy", { of = shown, rate = short(flow:off(rate)), why = loss_of_energy(flow) })
  end
end

-- Names of the constraints whose reactions have a component along a coordinate
local function working(flow, i)
  local names = {}
  for _, c in ipairs(flow.system.constraints) do
    if not vanishes(core.diff(kinematics.levels(c, flow.q, flow.system:every_velocity()).velocity.f, flow.q[i].dot)) then names[#names + 1] = c.name end
  end
  return names
end

local function cyclic(flow, visit)
  local system, L, turning = flow.system, flow.L, {}
  for _, R in ipairs(flow.rotations) do for _, e in ipairs(R.quaternion) do turning[e] = true end end
  local Q = flow:forces()
  for i, q in ipairs(flow.q) do
    local p = core.diff(L, q.dot)
    local corner = smoothness.jump{ L } and smoothness.depends(L, q)
    if not turning[q] and vanishes(core.diff(L, q) + Q[i]) and not corner and not vanishes(p) then
      local name, names, on = "p_" .. system.coordinate_names[i], working(flow, i), flow:on(p)
      if #names == 0 then
        visit.add({ name = name, kind = "cyclic", of = short(p), parameters = "any", proof = true,
          generator = { [system.coordinate_names[i]] = core.rational(1) }, why = ("%s is cyclic, and no reaction works on it"):format(core.text(q)) }, on)
      else
        local fine, rate = attempt(flow.rate, flow, on)
        if fine and flow:is_zero(rate) == false then
          visit.lost(name, { of = short(p), rate = short(flow:off(rate)),
            why = ("although %s is cyclic: the reaction%s of %s work%s on it"):format(core.text(q), #names > 1 and "s" or "", object.quoted(names),
              #names > 1 and "" or "s") })
        end
      end
    end
  end
end

-- Does F differ from a function that the holonomic constraints keep zero by a constant?
local function is_condition(flow, F)
  for _, f in ipairs(flow.surfaces) do
    for _, e in ipairs{ short(F - f), short(F + f) } do
      local constant = true
      for _, s in ipairs(core.symbols{ e }) do constant = constant and object.contains(flow.parameters, s) end
      if constant then return true end
    end
  end
  return false
end

local function of_constraints(flow, visit)
  if #flow.system.constraints == 0 or #flow.rotations > 0 then return end
  for k, F in ipairs(flow.system:derived_flag().integrals) do
    if F and not vanishes(F) and not is_condition(flow, F) then
      local on = flow.put_in{ F }[1]
      if vanishes(flow:along({ on })[1]) then
        visit.add({ name = "c" .. k, kind = "constraint", of = F, parameters = "any", proof = true, why = "the constraints are integrable in part" }, on)
      end
    end
  end
end

-- ---- by fields

local function combined_gauge(G, c)
  local terms = {}
  for a, F in ipairs(G._gauge) do terms[a] = c[a]*F end
  return core.sum(terms)
end

-- Combinations c with constant coefficients of the fields that move the constraints as time does: a0 + A Z = 0
local function following(flow, G)
  local A, rest = kinematics.velocity_rows(flow.system)
  local rows, count, list = {}, #G._fields, {}
  for k, row in ipairs(A) do
    rows[k] = {}
    for a, Z in ipairs(G._fields) do rows[k][a] = kinematics.dot(row, Z) end
    rows[k][count + 1] = rest[k]
  end
  if #rows == 0 or count == 0 then return list end
  -- rational coefficients, then any that do not depend on the coordinates
  local relations = constants.relations(rows, count + 1)
  table.move(echelon.null_space(rows, count + 1), 1, count + 1, #relations + 1, relations)
  for _, c in ipairs(relations) do
    local fixed = not vanishes(c[count + 1])
    for a = 1, fixed and count or 0 do
      c[a] = short(c[a]/c[count + 1])
      for _, s in ipairs(core.symbols{ c[a] }) do fixed = fixed and object.contains(flow.parameters, s) end
    end
    if fixed then list[#list + 1] = c end
  end
  return list
end

-- The energy less the momentum of a combination Z of the fields with constant coefficients and a0 + A Z = 0: the energy in a frame that goes with Z.
-- (E - p(Z))' = -(a0 + A Z) . lambda where Z leaves L unchanged (Fasso, Sansonetto 2016)
local function moving_energy(flow, G, E, visit)
  for _, c in ipairs(following(flow, G)) do
    local Z = fields.combined(G._fields, c)
    local p = fields.momentum(flow.system, Z) - combined_gauge(G, c)
    local on = flow:on(E - p)
    if flow:is_zero(flow:rate(on)) then
      visit.add({ name = "moving energy", kind = "moving energy", of = short(E - p), parameters = "any", proof = true,
        generator = fields.named(flow.system, Z), why = ("the energy less the momentum of %s"):format(fields.text(flow.system, Z)) }, on)
      return
    end
  end
end

-- Momenta of symmetries (Noether's theorem for constrained systems), and the moving energy
local function of_fields(flow, G, visit)
  for i, found in ipairs(G.horizontal) do
    local text = found.text or fields.text(flow.system, fields.read(flow.system, found.generator, "conserved"))
    visit.add({ name = "J" .. i, kind = "horizontal", of = found.momentum, parameters = "any", proof = true, generator = found.generator,
      why = ("%s is a symmetry that the constraints admit"):format(text) }, flow:on(found.momentum))
  end
  if not G.invariant then visit.note(("symmetry: the fields are none of the system: %s"):format(G.why or "not decided")) end
  if not visit.has_energy() and #flow.rotations == 0 then moving_energy(flow, G, visit.energy(), visit) end
end

--- Calls visit.add(record, function on the surface), visit.lost(name, record), visit.set_energy(function on the surface, the same as shown).
--- G: what S:symmetry returned, or nil; then also visit.note(text), visit.has_energy() and visit.energy().
return function(flow, visit, G)
  energy(flow, visit)
  if not flow.linear then return end
  cyclic(flow, visit)
  of_constraints(flow, visit)
  if G then of_fields(flow, G, visit) end
end
