-- surface_flow.lua: the motion as a field on the surface of the constraints, q' = B w + b, G w' = h, in the quasi-velocities of the form "hamel".
--
-- (q, w) are free coordinates of that surface, so an identity on it is an identity in (q, w).
local attempt = require "hamel.geometry.attempt"
local core = require "hamel.core"
local declared = require "hamel.geometry.declared"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local smoothness = require "hamel.geometry.smoothness"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local Flow = object.class "SurfaceFlow"
local surface_flow = {}

-- Does a force contain a multiplier?
local function is_coupled(system)
  if not system._lambda then return false end
  for _, item in ipairs(system.force_list) do
    for _, s in ipairs(core.symbols{ item.expression }) do if system._lambda.name[s] then return true end end
  end
  return false
end

-- Why the motion is not one field given by formulas on the surface, nil where it is
local function obstacle(system)
  local item = system:external_forces()[1]
  if item then return ("the force on '%s' is a Lua function: nothing can be proved about it"):format(core.text(item.coordinate)) end
  if #system.gaps > 0 or #system.frictions > 0 then
    return "one-sided constraints, friction and impacts: the motion is not one smooth field; declare a system for each piece"
  end
  if is_coupled(system) then return "a force depends on the reactions, so that the accelerations are no formulas of the state" end
  if #system._rotations > 0 then return "rotations by unit quaternions: describe the rotation by angles" end
end

-- Functions of holonomic constraints, which are surfaces among the coordinates, and the name of the first
local function holonomic(system)
  local list, name = {}, nil
  for _, c in ipairs(system.constraints) do
    if c.holonomic then list[#list + 1], name = c.f, name or c.name end
  end
  return list, name
end

-- A function that substitutes in all expressions of a list
local function substitution(from, to)
  return function(list)
    local result = {}
    for i, e in ipairs(list) do result[i] = #from > 0 and core.substitute(e, from, to) or e end
    return result
  end
end

-- An input is zero: the force that its function makes stands beside it
local function driven(system)
  local from, to = {}, {}
  for i, name in ipairs(system._inputs) do from[i], to[i] = system._parameter[name], core.rational(0) end
  return substitution(from, to)
end

-- Parameters that occur in the field
local function parameters_of(flow)
  local all, own, list = { core.sum(flow.h) }, {}, {}
  table.move(flow.k, 1, #flow.k, 2, all)
  for _, row in ipairs(flow.G) do table.move(row, 1, #row, #all + 1, all) end
  for _, name in ipairs(flow.system.parameter_names) do own[flow.system._parameter[name]] = true end
  for _, s in ipairs(core.symbols(all)) do if own[s] then list[#list + 1] = s end end
  return list
end

local function mapped(rows, f)
  local result = {}
  for i, row in ipairs(rows) do result[i] = f(row) end
  return result
end

-- q' = B w + b where the velocities are linear in w; nil where they are not
local function affine(k, w)
  local B, b = {}, {}
  for i, e in ipairs(k) do
    B[i], b[i] = core.gradient(e, w), vanishing.without(e, w)
    for _, entry in ipairs(B[i]) do
      for _, s in ipairs(core.symbols{ entry }) do if object.contains(w, s) then return nil end end
    end
  end
  return B, b
end

--- The field of a system: { system, q, w (symbols), k (q' in q, w, t), v (velocities of the coordinates), B, b, G, h, n, m = number of w,
--- linear = are constraints and quasi-velocities linear in the velocities }; nil and the reason where there is none.
---@param restricted boolean? also with holonomic constraints: (q, w) are then no free coordinates
function surface_flow.of(system, restricted)
  local reason, _, name = obstacle(system), holonomic(system)
  if reason then return nil, reason end
  if name and not restricted then return nil, ("the constraint '%s' is holonomic: choose coordinates that satisfy it"):format(name) end
  local known = rawget(system, "_surface_flow")
  if known and known.changes == system._changes then return known end
  local fine, E = attempt(system.equations, system, "hamel")
  if not fine then return nil, ("the form 'hamel' does not apply: %s"):format(E) end
  local put_in = driven(system)
  local flow = setmetatable({ system = system, changes = system._changes, E = E, q = system:coordinate_list(), velocities = system:velocity_list(),
    w = E.dyn, k = put_in(E.k), v = put_in(E.v), G = mapped(E.M, put_in), h = put_in(E.r), A = mapped(E.A, put_in), c = put_in(E.b),
    from_velocities = put_in(E.from_velocities), put_in = put_in }, Flow.meta)
  flow.n, flow.m, flow.parameters = #flow.q, #flow.w, parameters_of(flow)
  local affinely, B, b = attempt(affine, flow.k, flow.w)
  if not affinely then B, b = nil, nil end
  flow.B, flow.b = B or false, b or false
  flow.linear = B ~= nil and #flow.A == 0
  rawset(system, "_surface_flow", flow)
  return flow
end

-- Why a constraint or a quasi-velocity is not linear, nil where all are
local function bend(flow, what)
  for _, c in ipairs(what and flow.system.constraints or {}) do
    if not c.linear then return ("the constraint '%s' is not linear in the velocities"):format(c.name) end
  end
  if what == "velocities" and not flow.linear then return "the quasi-velocities are not linear in the velocities" end
end

--- The same; raises with the name of the method where there is none. of: "constraints": these must be linear in the velocities, "velocities": the
--- quasi-velocities, too.
function surface_flow.demand(system, what, of)
  local flow, reason = surface_flow.of(system)
  reason = reason or bend(flow, of)
  if reason then object.fail("%s: %s", what, reason) end
  return flow
end

--- The flow with the declared values of the parameters; those without a value stay in `parameters`.
function Flow:declared()
  local open = {}
  for _, s in ipairs(self.parameters) do if not self.system._exact[(core.name(s))] then open[#open + 1] = s end end
  if #open == #self.parameters then return self end
  local put, before = declared(self.system), self.put_in
  local function put_in(list) return put(before(list)) end
  return setmetatable({ system = self.system, E = self.E, q = self.q, velocities = self.velocities, w = self.w, n = self.n, m = self.m,
    k = put(self.k), v = put(self.v), G = mapped(self.G, put), h = put(self.h), A = mapped(self.A, put), c = put(self.c),
    B = self.B and mapped(self.B, put), b = self.b and put(self.b), linear = self.linear, from_velocities = put(self.from_velocities),
    put_in = put_in, parameters = open }, Flow.meta)
end

--- An expression in coordinates, velocities and time, on the surface.
function Flow:on(e) return core.substitute(self.put_in{ e }[1], self.velocities, self.v) end

--- An expression of the surface in coordinates and velocities.
function Flow:off(e) return core.substitute(e, self.w, self.from_velocities) end

-- Entries of M x = right for the rates, with multipliers below where the equations keep some
local function saddle(flow, right)
  local n, g = #flow.G, #flow.A
  if g == 0 then return linear.solve_exactly(flow.G, { right })[1] end
  local rows, column = {}, {}
  for i = 1, n do
    rows[i] = table.move(flow.G[i], 1, n, 1, {})
    for k = 1, g do rows[i][n + k] = -flow.A[k][i] end
    column[i] = right[i]
  end
  for k = 1, g do
    rows[n + k] = table.move(flow.A[k], 1, n, 1, {})
    for j = 1, g do rows[n + k][n + j] = core.rational(0) end
    column[n + k] = -flow.c[k]
  end
  return linear.solve_exactly(rows, { column })[1]
end

--- The rates w' as formulas of (q, w, t), solved once.
function Flow:rates()
  local solved = rawget(self, "_solved")
  if not solved then
    solved = table.move(saddle(self, self.h), 1, self.m, 1, {})
    rawset(self, "_solved", solved)
  end
  return solved
end

--- Derivatives along the motion of expressions of the surface; rates: what replaces w' (the formulas when not given).
function Flow:along(list, rates)
  rates = rates or self:rates()
  local from, to = { symbols.t }, { core.rational(1) }
  table.move(self.q, 1, self.n, 2, from)
  table.move(self.k, 1, self.n, 2, to)
  table.move(self.w, 1, self.m, self.n + 2, from)
  table.move(rates, 1, self.m, self.n + 2, to)
  return core.directional(list, from, to)
end

--- Derivative along the motion of one expression of the surface.
function Flow:rate(e) return self:along({ e })[1] end

--- Momentum of a field Z on the coordinates (a list, or Z by the column of B of a quasi-velocity): Z . dL/dq' on the surface.
function Flow:momentum(Z)
  return self:on(fields.momentum(self.system, Z))
end

--- Z^C(L) + Q . Z with the complete lift Z^C: on every motion d/dt (Z . dL/dq') = Z^C(L) + Q . Z + lambda . (A Z) (Bloch, Krishnaprasad, Marsden,
--- Murray 1996). In coordinates and all velocities; zero: the field leaves the Lagrangian unchanged.
function Flow:lift(Z)
  local system, terms = self.system, {}
  for i, Q in ipairs(system:generalised_forces()) do terms[i] = Z[i]*Q end
  return fields.lift(system, Z, { system:lagrangian() })[1] + core.sum(terms)
end

--- The same on the surface: zero for a horizontal field with a conserved momentum.
function Flow:lifted(Z) return self:on(self:lift(Z)) end

--- The field Z with F = Z . dL/dq' of a function linear and homogeneous in w: Z = B G^-1 dF/dw; nil where it is not found in short form.
function Flow:generator(on)
  local right = core.gradient(on, self.w)
  local fine, X = attempt(linear.solve_exactly, self.G, { right })
  if not fine then return nil end
  local Z = {}
  for i = 1, self.n do
    local terms = {}
    for a = 1, self.m do terms[a] = self.B[i][a]*X[1][a] end
    Z[i] = echelon.short(core.sum(terms))
  end
  return (self:momentum(Z) - on):is_zero() == true and Z or nil
end

--- A Z, one expression for each constraint: zero for horizontal fields.
function Flow:reaction_work(Z)
  local list = {}
  for k, c in ipairs(self.system.constraints) do
    local terms, row = {}, core.gradient(c.f, self.velocities)
    for i = 1, self.n do terms[i] = row[i]*Z[i] end
    list[k] = self:on(core.sum(terms))
  end
  return list
end

--- dh/dw, a list of rows.
function Flow:slopes() return mapped(self.h, function(e) return core.gradient(e, self.w) end) end

--- The divergence of the field in (q, w): div B w + b + tr(G^-1 dh/dw), since G depends on the coordinates alone.
function Flow:divergence()
  local columns, slopes, terms = {}, self:slopes(), {}
  for c = 1, self.m do
    columns[c] = {}
    for a = 1, self.m do columns[c][a] = slopes[a][c] end
  end
  local X = linear.solve_exactly(self.G, columns)
  for c = 1, self.m do terms[#terms + 1] = X[c][c] end
  for i, q in ipairs(self.q) do terms[#terms + 1] = core.diff(self.k[i], q) end
  return core.sum(terms)
end

-- ---- is a function conserved?

-- Is a rate zero on the surface, on the holonomic constraints where there are some? true, false, or nil and the largest value met
local function vanishes(flow, rate)
  local zero, evidence = rate:is_zero()
  local surfaces = holonomic(flow.system)
  if zero or #surfaces == 0 then return zero, evidence end
  if surface.proves(surfaces, rate) then return true end
  local answer = surface.vanishes(surfaces, rate, function(s) return object.contains(flow.q, s) end)
  if answer == false then return false end
  return nil, evidence
end

--- Decides whether F, a function of coordinates, velocities, parameters and time, is constant along every motion of the system.
--- true: proved; false: proved not to be, with the rate dF/dt on the constraints as the second result; nil: not decided, with the reason.
--- The rate is formed on the surface of the constraints with the accelerations of the equations of motion, and decided as an identity, with
--- holonomic constraints by division. One-sided constraints, friction and rotations by quaternions are not covered (nil and the reason).
--- Example: S:is_conserved(m*x.dot).
function System:is_conserved(F)
  local e = self:check_expression(F, "is_conserved", 1)
  local flow, reason = surface_flow.of(self, true)
  if not flow then return nil, reason end
  local fine, rate = attempt(flow.rate, flow, flow:on(e))
  if not fine then return nil, ("the accelerations are not found as formulas: %s"):format(rate) end
  local zero, evidence = vanishes(flow, rate)
  local jump = zero and (smoothness.jump{ e } or smoothness.jump_of_system(self))
  if jump then return nil, ("%s may jump: the rate vanishes on either side, which proves nothing across the jump"):format(core.text(jump)) end
  if zero then return true end
  if not flow.linear then return nil, "the constraints are not linear in the velocities, and the rate was not found to vanish on them" end
  if zero == false then return false, (core.simplify(flow:off(rate), "auto", nil, { seconds = 2 })) end
  return nil, ("whether its rate vanishes is not decided; the largest value met, relative to its terms, is %.2g"):format(evidence or 0)
end

return surface_flow
