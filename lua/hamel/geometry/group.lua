-- group.lua: S:symmetry: fields that leave a system unchanged, their momenta and the equations of these (Bloch, Krishnaprasad, Marsden, Murray 1996).
--
-- A field Z leaves the Lagrangian unchanged where its complete lift Z^C has Z^C(L) = 0, and a constraint f where Z^C(f) = 0 on the constraints.
-- A combination Z = xi_a(q) Z_a that the constraints admit (A Z = 0) has the momentum p = Z . dL/dq' with p' = xi_a' p(Z_a) + Q . Z, without reactions.
local affine = require "hamel.algebra.affine"
local attempt = require "hamel.base.attempt"
local constants = require "hamel.geometry.constants"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local one_form = require "hamel.geometry.one_form"
local surface_flow = require "hamel.geometry.surface_flow"
local symmetry_search = require "hamel.geometry.symmetry_search"
local smoothness = require "hamel.geometry.smoothness"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local turning = require "hamel.geometry.turning"

local Symmetry = object.class "Symmetry"

local short = echelon.short

-- ---- what a field changes

-- Verdict on a list of expressions: true: all vanish; false: one does not; nil: not decided
local function all_vanish(list)
  local verdict = true
  for _, e in ipairs(list) do
    local zero = e:is_zero()
    if zero == false then return false end
    if zero == nil then verdict = nil end
  end
  return verdict
end

-- F with Z^C(L) = dF/dt; nil where there is none
local function gauge_of(system, change)
  local q = system:coordinate_list()
  local rows, rest = affine.of({ change }, system:velocity_list())
  if not rows then return nil end
  local a = rows[1]
  a[#a + 1], q[#q + 1] = rest[1], symbols.t
  return one_form.potential(a, q)
end

-- What Z does to the Lagrangian: verdict, and the function whose derivative is added to it
local function on_lagrangian(system, Z)
  local change = fields.lift(system, Z, { system:lagrangian() })[1]
  local zero = change:is_zero()
  if zero then return true, core.rational(0) end
  local F = gauge_of(system, change)
  if F then
    if smoothness.jump{ F } then return nil end
    return true, F
  end
  return zero
end

-- Are the forces, as a one-form, carried along by Z? Z^C(Q_j) + Q_i dZ^i/dq_j = 0
local function on_forces(system, flow, Z)
  local Q = flow:forces()
  local list = fields.lift(system, Z, Q)
  for j, q in ipairs(system:coordinate_list()) do
    local terms = { list[j] }
    for i, force in ipairs(Q) do terms[#terms + 1] = force*core.diff(Z[i], q) end
    list[j] = core.sum(terms)
  end
  return all_vanish(list)
end

-- What one field changes: the verdict (true: nothing), a sentence, and the gauge function
local function judged(system, flow, Z)
  local kept, F = on_lagrangian(system, Z)
  local changed, open = {}, {}
  local function take(verdict, what)
    if verdict == false then changed[#changed + 1] = what elseif verdict == nil then open[#open + 1] = what end
  end
  take(kept, "the Lagrangian")
  take(on_forces(system, flow, Z), "the forces")
  for _, c in ipairs(system.constraints) do
    take(flow:on(fields.lift(system, Z, { c.f })[1]):is_zero(), ("the constraint '%s'"):format(c.name))
  end
  if #changed > 0 then return false, "changes " .. table.concat(changed, ", ") end
  if #open > 0 then return nil, ("may change %s: that is not decided"):format(table.concat(open, ", ")) end
  return true, nil, F
end

-- Are L, the forces and the constraints free of a coordinate?
local function is_cyclic(system, flow, q)
  local list = flow:forces()
  list[#list + 1] = system:lagrangian()
  for _, c in ipairs(system.constraints) do list[#list + 1] = c.f end
  for _, e in ipairs(list) do if smoothness.depends(e, q) then return false end end
  return true
end

local function shifts(system, flow)
  local list = {}
  for i, q in ipairs(system:coordinate_list()) do
    if is_cyclic(system, flow, q) then
      local Z = {}
      for j = 1, #system.coordinate_names do Z[j] = core.rational(i == j and 1 or 0) end
      list[#list + 1] = Z
    end
  end
  return list
end

-- ---- momenta

-- A Z: one row per constraint, one column per field
local function admitted(A, list)
  local rows = {}
  for k, row in ipairs(A) do
    rows[k] = {}
    for a, Z in ipairs(list) do rows[k][a] = short(kinematics.dot(row, Z)) end
  end
  return rows
end

local function is_whole(e)
  local fine, _, below = attempt(core.fraction, e)
  return fine and core.number_value(below) ~= nil
end

-- The shorter one of an expression and what is left of it on the constraints; the solved constraints must not bring in a denominator
local function shorter(G, e)
  local on = short(G._flow:off(G._flow:on(e)))
  e = short(e)
  return core.tree_size(on) < core.tree_size(e) and (is_whole(on) or not is_whole(e)) and on or e
end

-- The rate of xi_a p(Z_a), less the gauge functions, along the motion
local function rate_of(G, xi, Z)
  local system, terms = G._system, {}
  for a, generator in ipairs(G._fields) do
    terms[#terms + 1] = core.dt(xi[a])*fields.momentum(system, generator) + xi[a]*core.dt(G._gauge[a])
  end
  for i, Q in ipairs(G._flow:forces()) do terms[#terms + 1] = Q*Z[i] end
  return shorter(G, core.sum(terms))
end

local function momentum_of(G, xi)
  local Z = fields.combined(G._fields, xi)
  for i, e in ipairs(Z) do Z[i] = short(e) end
  return { of = shorter(G, fields.momentum(G._system, Z)), rate = rate_of(G, xi, Z), generator = fields.named(G._system, Z), coefficients = xi, _field = Z }
end

-- Those with constant xi, then the others; xi of constant ones are pivots of the null space of A Z
local function add_momenta(G, rows)
  local s, constant = #G._fields, {}
  if #rows == 0 then
    for a = 1, s do
      constant[a] = {}
      for b = 1, s do constant[a][b] = core.rational(a == b and 1 or 0) end
    end
  elseif s > 0 then constant = constants.relations(rows, s) end
  for _, xi in ipairs(constant) do
    local p, F = momentum_of(G, xi), {}
    for a = 1, s do F[a] = xi[a]*G._gauge[a] end
    local kept = short(p.of - core.sum(F))
    local zero = short(p.rate - core.dt(core.sum(F))):is_zero()
    if zero then G.horizontal[#G.horizontal + 1] = { generator = p.generator, momentum = kept, coefficients = xi }
    else G.momenta[#G.momenta + 1] = p end
  end
  -- the rest of the null space: rows of the constants join those that must vanish on what is new
  local space = echelon.short_null_space(rows, s)
  local known = {}
  for i, xi in ipairs(constant) do known[i] = table.move(xi, 1, s, 1, {}) end
  for _, xi in ipairs(space) do
    known[#known + 1] = table.move(xi, 1, s, 1, {})
    if #echelon.reduce(known, s) == #known then G.momenta[#G.momenta + 1] = momentum_of(G, xi)
    else known[#known] = nil end
  end
  return #space
end

-- ---- shape and group

-- Velocities of the coordinates on which the fields act, in those of the others and the momenta
local function reconstruction(G, A, rest)
  local system, group, shape = G._system, {}, {}
  for i, q in ipairs(system:coordinate_list()) do
    local moves = false
    for _, Z in ipairs(G._fields) do moves = moves or core.number_value(Z[i]) ~= 0 end
    table.insert(moves and group or shape, { q = q, i = i })
  end
  for j, item in ipairs(shape) do G.shape[j] = core.name(item.q) end
  local all = {}
  for _, p in ipairs(G.horizontal) do all[#all + 1] = p.momentum end
  for _, p in ipairs(G.momenta) do all[#all + 1] = p.of end
  if #group == 0 or #A + #all ~= #group then
    return nil, ("%d coordinates are moved by the fields, %d constraints and %d momenta determine their velocities"):format(#group, #A, #all)
  end
  local names, v, list = naming.free(system, { "p", "P", "momentum" }, naming.numbers(#all, true)), {}, {}
  for j, item in ipairs(group) do v[j] = item.q.dot end
  for k, row in ipairs(A) do list[k] = kinematics.dot(row, system:velocity_list()) + rest[k] end
  for a, e in ipairs(all) do
    G.momentum_symbols[a] = core.symbol(names[a], symbols.DYNAMIC)
    list[#list + 1] = e - G.momentum_symbols[a]
  end
  local M, right = affine.of(list, v)
  if not M then return nil, "the momenta are not linear in the velocities" end
  for i, e in ipairs(right) do right[i] = -e end
  local fine, X = attempt(linear.solve_exactly, M, { right })
  if not fine then return nil, "the momenta do not determine the velocities" end
  local result = {}
  for j, item in ipairs(group) do result[core.name(item.q)] = short(X[1][j]) end
  for _, p in ipairs(G.momenta) do p.reduced = short(core.substitute(p.rate, v, X[1])) end
  return object.named("reconstruction", result)
end

local function kind_of(dimension, orbit)
  if dimension == orbit then return "horizontal" end
  return dimension == 0 and "purely kinematic" or "general"
end

for _, name in ipairs{ "invariant", "proof", "why", "kind", "principal", "reconstruction", "why_not" } do
  Symmetry.get[name] = function(self) return self._verdict[name] end
end

-- ---- the call

local function read(system, flow, given)
  if given == nil then return shifts(system, flow) end
  if type(given) == "table" and given.find then return symmetry_search.found(system, flow, given) end
  if type(given) ~= "table" or core.is_expression(given) then
    object.fail("symmetry takes a list of fields: S:symmetry{ {x = 1}, {x = -y, y = x, theta = 1} }; without one the cyclic coordinates are taken")
  end
  local list = {}
  for key, item in pairs(given) do
    if math.type(key) ~= "integer" then object.fail("symmetry: '%s' = ...: each field is a table of its own, S:symmetry{ {x = 1} }", tostring(key)) end
    list[key] = fields.read(system, item, "symmetry: field " .. key)
    if all_vanish(list[key]) then object.fail("symmetry: field %d is zero", key) end
  end
  return list
end

-- Judges the fields; the first that changes something gives the reason
local function judge(G, flow)
  for a, Z in ipairs(G._fields) do
    local fine, why, F = judged(G._system, flow, Z)
    if not fine then
      G._verdict = { invariant = fine, proof = fine == false or nil, why = ("%s %s"):format(fields.text(G._system, Z), why) }
      return false
    end
    G._gauge[a] = F
    if core.number_value(F) ~= 0 then G.gauge[a] = F end
  end
  return true
end

-- Systems with rotations: symmetries and conserved momenta, without momentum equations and reconstruction
local function with_rotations(system, given)
  if type(given) == "table" and given.find then object.fail "symmetry: fields are not sought in systems with rotations by quaternions: give them" end
  local flow = surface_flow.demand(system, "symmetry", "constraints", { rotations = true, holonomic = true })
  local found, jump = turning.symmetry(system, flow, given), smoothness.jump_of_system(system)
  local verdict = { invariant = found.invariant, proof = found.invariant ~= nil or nil, why = found.why,
    why_not = "systems with rotations by quaternions have no reconstruction here" }
  if jump then verdict = { why = ("%s may jump: what holds on either side is not proved across the jump"):format(core.text(jump)) } end
  return setmetatable({ generators = found.given, gauge = {}, horizontal = jump and {} or found.horizontal, momenta = {}, shape = {}, momentum_symbols = {},
    _verdict = verdict, _fields = found.fields, _texts = found.texts, _gauge = {}, _system = system, _flow = flow }, Symmetry.meta)
end

--- Symmetries and their momenta. S:symmetry() takes the shifts along the cyclic coordinates; S:symmetry{ {x = 1}, {x = -y, y = x, theta = 1} } takes
--- the fields given, components by coordinate, zero where missing; S:symmetry{ find = true, angle = 1, power = 1 } seeks fields among combinations, with
--- rational coefficients, of sines and cosines of the angles and monomials of the other coordinates up to these degrees. Result G:
--- G.invariant: true where every field leaves the Lagrangian (or changes it by dF/dt with F(q, t), G.gauge), the forces and the constraints
--- unchanged; false with the reason in G.why; nil where that is not decided. G.proof: is the answer proved? G.generators: the fields.
--- G.horizontal: { generator, momentum }: combinations with constant coefficients that the constraints admit and whose momentum is conserved
--- (Noether's theorem for constrained systems). G.momenta: { of, rate, generator }: admitted combinations whose coefficients depend on the coordinates, with
--- the momentum equation p' = rate. G.kind: "horizontal" where the constraints admit every field, "purely kinematic" where they admit none,
--- else "general". G.principal: do the fields and the velocities that the constraints admit span all velocities?
--- G.shape: the coordinates that no field moves; G.reconstruction: velocities of the others in those of the shape and the momenta
--- G.momentum_symbols; nil where these do not determine them, with the reason in G.why_not.
--- G:structure(): the constants c[a][b][e] of [Z_a, Z_b] = c[a][b][e] Z_e.
--- A rotation R by a unit quaternion turns in space by { R = {0, 0, 1} }, components in the frame from which it turns, and about its own axes by
--- { R = { own = {0, 0, 1} } }; S:symmetry() then takes the shifts and turns that are symmetries. Such systems have G.horizontal only.
--- Inputs of S:input are zero, but for their functions. Raises an error for nonlinear constraints, holonomic ones, and contacts.
--- Source: Bloch, Krishnaprasad, Marsden, Murray 1996.
---@param given table[]?
function System:symmetry(given)
  if #self._rotations > 0 then return with_rotations(self, given) end
  local flow = surface_flow.demand(self, "symmetry", "constraints")
  local list = read(self, flow, given)
  local G = setmetatable({ generators = {}, gauge = {}, horizontal = {}, momenta = {}, shape = {}, momentum_symbols = {},
    _verdict = { invariant = true, proof = true }, _fields = list, _gauge = {}, _system = self, _flow = flow }, Symmetry.meta)
  for a, Z in ipairs(list) do G.generators[a] = fields.named(self, Z) end
  if not judge(G, flow) then return G end
  local jump = smoothness.jump_of_system(self)
  if jump then
    G._verdict = { why = ("%s may jump: what holds on either side is not proved across the jump"):format(core.text(jump)) }
    return G
  end
  local A, rest = kinematics.velocity_rows(self)
  local rows = admitted(A, list)
  local dimension = add_momenta(G, rows)
  local independent = #echelon.reduce(list, #self.coordinate_names)
  local found = G._verdict
  found.kind, found.principal = kind_of(dimension - (#list - independent), independent), #echelon.reduce(rows, #list) == #A
  found.reconstruction, found.why_not = reconstruction(G, A, rest)
  return G
end

--- Structure constants of the fields: c[a][b][e] with [Z_a, Z_b] = sum c[a][b][e] Z_e, numbers. Raises an error where a bracket is no combination
--- of the fields with constant rational coefficients.
function Symmetry:structure()
  local list, system, c = self._fields, self._system, {}
  if #system._rotations > 0 then object.fail "structure: systems with rotations by quaternions are not covered" end
  for a = 1, #list do c[a] = {} end
  for a = 1, #list do
    for b = a, #list do
      local bracket, rows = fields.bracket(system, list[a], list[b]), {}
      for i = 1, #bracket do
        rows[i] = {}
        for e, Z in ipairs(list) do rows[i][e] = Z[i] end
        rows[i][#list + 1] = bracket[i]
      end
      local relation
      for _, factors in ipairs(constants.relations(rows, #list + 1)) do
        if core.number_value(factors[#list + 1]) ~= 0 then relation = factors end
      end
      if not relation then
        object.fail("structure: [%s, %s] is no combination of the fields with constant rational coefficients", fields.text(system, list[a]),
          fields.text(system, list[b]))
      end
      c[a][b], c[b][a] = {}, {}
      for e = 1, #list do
        local value = core.number_value(-relation[e]/relation[#list + 1])
        if math.tointeger(value) then value = math.tointeger(value) end
        c[a][b][e] = value
        c[b][a][e] = value == 0 and 0 or -value
      end
    end
  end
  return c
end

function Symmetry.meta.__tostring(self)
  local system, out = self._system, {}
  if #self._fields == 0 then return ("%s: no cyclic coordinate; give fields, as in S:symmetry{ {x = -y, y = x, theta = 1} }"):format(system.name) end
  out[1] = ("%s: %s"):format(system.name, self.invariant and "symmetries" or self.invariant == false and "no symmetry" or "symmetry not decided")
  for a, Z in ipairs(self._fields) do out[#out + 1] = "  " .. (self._texts and self._texts[a] or fields.text(system, Z)) end
  if not self.invariant then
    out[#out + 1] = "  " .. self.why
    return table.concat(out, "\n")
  end
  out[#out + 1] = ("  %s, forces and constraints are unchanged: proved"):format(next(self.gauge) and "L (but for dF/dt, see gauge)" or "L")
  if #system._inputs > 0 then out[#out + 1] = ("  with %s zero"):format(object.quoted(system._inputs)) end
  if #system.constraints > 0 and self.kind then out[#out + 1] = ("  kind: %s%s"):format(self.kind, self.principal and ", principal" or "") end
  local symbol, n = self.momentum_symbols, 0
  local function letter()
    n = n + 1
    return self.reconstruction and core.text(symbol[n]) or #self.horizontal + #self.momenta > 1 and "p" .. n or "p"
  end
  for _, item in ipairs(self.horizontal) do out[#out + 1] = ("  %s = %s is conserved"):format(letter(), core.text(item.momentum)) end
  for _, p in ipairs(self.momenta) do
    local name = letter()
    out[#out + 1] = ("  %s = %s"):format(name, core.text(p.of))
    out[#out + 1] = ("    %s' = %s"):format(name, core.text(p.reduced or p.rate))
  end
  for _, name in ipairs(self.reconstruction and object.keys(self.reconstruction) or {}) do
    out[#out + 1] = ("  %s' = %s"):format(name, core.text(self.reconstruction[name]))
  end
  return table.concat(out, "\n")
end

return System
