-- surface_flow.lua: the motion as a field on the surface of the constraints, q' = B w + b, G w' = h, in the quasi-velocities of the form "hamel".
--
-- (q, w) are free coordinates of that surface, so an identity on it is an identity in (q, w). Holonomic constraints and unit quaternions leave
-- conditions on q: the field keeps them, and identities are decided where they hold (chart.lua).
local attempt = require "hamel.base.attempt"
local base = require "hamel.equations.base"
local chart = require "hamel.geometry.chart"
local core = require "hamel.core"
local declared = require "hamel.geometry.declared"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local linear = require "hamel.algebra.linear"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local smoothness = require "hamel.geometry.smoothness"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local unit_quaternion = require "hamel.algebra.unit_quaternion"
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
end

-- What a method does not cover though there is a field: rotations, holonomic constraints
local function uncovered(system, covers)
  if not covers.rotations and #system._rotations > 0 then return "rotations by unit quaternions are not covered: describe the rotation by angles" end
  for _, c in ipairs(system.constraints) do
    if c.holonomic and not covers.holonomic then
      return ("the constraint '%s' is holonomic: choose coordinates that satisfy it"):format(c.name)
    end
  end
end

-- Functions of holonomic constraints, which are surfaces among the coordinates
local function holonomic(system)
  local list = {}
  for _, c in ipairs(system.constraints) do if c.holonomic then list[#list + 1] = c.f end end
  return list
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

-- The velocities of the coordinates, or body rates of rotations, on the surface
local function velocities_of(system, E)
  local list = system:base_velocity_list()
  if #system._rotations == 0 then return list, E.v end
  local of, v = {}, {}
  for _, row in ipairs(E.kinematic) do of[row.left] = motion.numbers(system, row.right) end
  for i, w in ipairs(list) do v[i] = of[w] or w end
  return list, v
end

-- The Lagrangian in the velocities of the flow, with rates and direction cosines by their names
local function lagrangian_of(system)
  if #system._rotations == 0 then return system:lagrangian() end
  local T, V = base.energies(system)
  return T - V
end

-- Nonlinear constraints are conditions on (q, w)
local function add_levels(flow)
  for _, c in ipairs(flow.system.constraints) do
    local on = not c.holonomic and flow:on(c.f)
    if on and not vanishing.proved(on) then flow.surfaces[#flow.surfaces + 1] = on end
  end
end

local EVERYTHING = { rotations = true, holonomic = true }

--- The field of a system: { system, q, w (symbols), k (q' in q, w, t), velocities (of the coordinates, with the body rates of rotations for those of
--- quaternions), v (these on the surface), L (in these), B, b, G, h, n, m = number of w, linear = are constraints and quasi-velocities linear in the
--- velocities, surfaces = functions that vanish, rotations }; nil and the reason where there is none.
---@param covers table? { rotations =, holonomic = }: what the method covers beyond free coordinates
function surface_flow.of(system, covers)
  local reason = obstacle(system) or uncovered(system, covers or {})
  if reason then return nil, reason end
  local known = rawget(system, "_surface_flow")
  if known and known.changes == system._changes then return known end
  local fine, E = attempt(system.equations, system, "hamel")
  if not fine then return nil, ("the form 'hamel' does not apply: %s"):format(E) end
  local put_in, velocities, v = driven(system), velocities_of(system, E)
  local finite, why = attempt(put_in, E.r)
  if not finite then return nil, ("the forces have no values where the inputs are zero: %s"):format(why) end
  local flow = setmetatable({ system = system, changes = system._changes, E = E, q = system:coordinate_list(), velocities = velocities,
    w = E.dyn, k = put_in(E.k), v = put_in(v), G = mapped(E.M, put_in), h = put_in(E.r), A = mapped(E.A, put_in), c = put_in(E.b),
    from_velocities = put_in(E.from_velocities), put_in = put_in, rotations = system._rotations, L = put_in{ lagrangian_of(system) }[1],
    surfaces = put_in(holonomic(system)) }, Flow.meta)
  flow.n, flow.m, flow.parameters = #flow.q, #flow.w, parameters_of(flow)
  local affinely, B, b = attempt(affine, flow.k, flow.w)
  if not affinely then B, b = nil, nil end
  flow.B, flow.b = B or false, b or false
  flow.linear = B ~= nil and #flow.A == 0
  if not flow.linear then add_levels(flow) end
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
--- quasi-velocities, too; covers: as above.
function surface_flow.demand(system, what, of, covers)
  local flow, reason = surface_flow.of(system, covers)
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
  local other = { put_in = put_in, parameters = open, k = put(self.k), v = put(self.v), G = mapped(self.G, put), h = put(self.h),
    A = mapped(self.A, put), c = put(self.c), B = self.B and mapped(self.B, put), b = self.b and put(self.b), L = put{ self.L }[1],
    from_velocities = put(self.from_velocities), surfaces = put(self.surfaces) }
  for _, name in ipairs{ "system", "E", "q", "velocities", "w", "n", "m", "linear", "rotations" } do other[name] = self[name] end
  return setmetatable(other, Flow.meta)
end

-- Derivatives of direction cosines, and velocities, with their values on the surface
local function on_surface(flow)
  local known = rawget(flow, "_on_surface")
  if known then return known end
  known = { from = table.move(flow.velocities, 1, #flow.velocities, 1, {}), to = table.move(flow.v, 1, #flow.v, 1, {}), cosines = {}, rates = {} }
  for _, R in ipairs(flow.rotations) do
    for i, c in ipairs(R.cosine_list) do known.cosines[#known.cosines + 1], known.rates[#known.rates + 1] = c.dot, R.cosine_rate_list[i] end
  end
  rawset(flow, "_on_surface", known)
  return known
end

--- An expression in coordinates, velocities and time, on the surface.
function Flow:on(e)
  local known = on_surface(self)
  e = self.put_in{ e }[1]
  if #self.rotations > 0 then e = core.substitute(motion.in_base(self.system, e), known.cosines, known.rates) end
  return motion.numbers(self.system, core.substitute(e, known.from, known.to))
end

--- An expression of the user in coordinates and velocities up to an order: rates and direction cosines of rotations keep their names.
function Flow:admit(e, what, order) return self.system:admit(e, what, order) end

local function variables_of(flow) return table.move(flow.q, 1, flow.n, flow.m + 1, table.move(flow.w, 1, flow.m, 1, {})) end

--- The chart of the conditions on the coordinates, and on the velocities where constraints are nonlinear in them.
function Flow:chart()
  local known = rawget(self, "_chart")
  if not known then
    known = chart.of(self.surfaces, self.rotations, variables_of(self))
    rawset(self, "_chart", known)
  end
  return known
end

--- Does an expression of the surface vanish where the conditions on the coordinates hold? "zero", "nonzero" or "undecided", and the evidence.
function Flow:decide(e, limits)
  local verdict, evidence = unit_quaternion.decide(e, limits)
  if verdict == "zero" or #self.surfaces == 0 then return verdict, evidence end
  local fine, branches = attempt(self.chart, self)
  if fine then
    local decided, answer = attempt(chart.decide, branches, e, limits)
    if decided and answer ~= "undecided" then return answer, evidence end
  end
  -- a leading coefficient that may vanish would leave a part of the surface out
  local proved, leads = surface.proves(self.surfaces, e)
  return proved and #leads == 0 and "zero" or "undecided", evidence
end

--- The same as true, false or nil.
function Flow:is_zero(e)
  local verdict = self:decide(e)
  if verdict == "undecided" then return nil end
  return verdict == "zero"
end

--- Does the rate of a function vanish along every motion? As is_zero, but "does not vanish" is not said where the constraints or quasi-velocities are
--- not linear in the velocities: the motions may fill a part of the surface alone.
function Flow:is_lasting(rate)
  local zero = self:is_zero(rate)
  if zero == false and not self.linear then return nil end
  return zero
end

--- A clause that says which inputs are zero; "" where there are none.
function Flow:without_inputs()
  local names = self.system._inputs
  return #names == 0 and "" or ("with the input%s %s zero"):format(#names > 1 and "s" or "", object.quoted(names))
end

--- An expression of the surface in coordinates and velocities.
function Flow:off(e) return core.substitute(e, self.w, self.from_velocities) end

-- Entries of M x = right for the rates, with multipliers below where the equations keep some
local function saddle(flow, right)
  local n, g = #flow.G, #flow.A
  if n == 0 then return {} end         -- constraints that determine all velocities leave no rates
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

--- The forces without potential along the coordinates, with inputs zero.
function Flow:forces() return self.put_in(self.system:generalised_forces()) end

--- Momentum of a field Z on the coordinates (a list, or Z by the column of B of a quasi-velocity): Z . dL/dq' on the surface.
function Flow:momentum(Z)
  return self:on(fields.momentum(self.system, Z))
end

--- Z^C(L) + Q . Z with the complete lift Z^C: on every motion d/dt (Z . dL/dq') = Z^C(L) + Q . Z + lambda . (A Z) (Bloch, Krishnaprasad, Marsden,
--- Murray 1996). In coordinates and all velocities; zero: the field leaves the Lagrangian unchanged.
function Flow:lift(Z)
  local system, terms = self.system, {}
  for i, Q in ipairs(self:forces()) do terms[i] = Z[i]*Q end
  return fields.lift(system, Z, { system:lagrangian() })[1] + core.sum(terms)
end

--- The same on the surface: zero for a horizontal field with a conserved momentum.
function Flow:lifted(Z) return self:on(self:lift(Z)) end

--- The field Z with F = Z . dL/dq' of a function linear and homogeneous in w: Z = B G^-1 dF/dw; nil where it is not found in short form, and with
--- rotations, whose rates belong to no coordinate.
function Flow:generator(on)
  if #self.rotations > 0 then return nil end
  local right = core.gradient(on, self.w)
  local fine, X = attempt(linear.solve_exactly, self.G, { right })
  if not fine then return nil end
  local Z = {}
  for i = 1, self.n do
    local terms = {}
    for a = 1, self.m do terms[a] = self.B[i][a]*X[1][a] end
    Z[i] = echelon.short(core.sum(terms))
  end
  return self:is_zero(self:momentum(Z) - on) and Z or nil
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

local schema = { level = { type = "table", list = true, doc = "functions that vanish on the motions looked at, which keep them zero" } }

-- How messages speak of levels: in coordinates and velocities, as they were given
local function words_of_levels(flow)
  return { subject = "the level", verb = "give", variable = "coordinate or velocity", remedy = "give it in another form",
    text = function(e) return core.text(flow:off(e)) end }
end

--- The flow on the level where the functions of a list vanish; nil and the reason where that is not found, or the motion is not proved to stay on it.
function Flow:on_level(list)
  local other = {}
  for name, value in pairs(self) do other[name] = value end
  other = setmetatable(other, Flow.meta)
  other.surfaces = table.move(self.surfaces, 1, #self.surfaces, 1, {})
  for i, e in ipairs(list) do other.surfaces[#other.surfaces + 1] = self:on(self:admit(e, ("is_conserved: level %d"):format(i), 1)) end
  local charted, branches = attempt(chart.of, other.surfaces, self.rotations, variables_of(self), words_of_levels(self))
  if not charted then return nil, branches end
  rawset(other, "_chart", branches)
  for i, e in ipairs(list) do
    if other:decide(self:rate(other.surfaces[#self.surfaces + i])) ~= "zero" then
      return nil, ("the motion is not proved to stay where %s vanishes"):format(core.text(e))
    end
  end
  return other
end

--- Decides whether F, a function of coordinates, velocities, parameters and time, is constant along every motion of the system.
--- true: proved; false: proved not to be, with the rate dF/dt on the constraints as the second result; nil: not decided, with the reason.
--- The rate is formed on the surface of the constraints with the accelerations of the equations of motion, those of d'Alembert's principle (the vakonomic
--- form has other motions), and decided as an identity on it.
--- Body rates and direction cosines of rotations may stand in F. Inputs are zero. S:is_conserved(F, { level = { I } }) decides on the level I = 0 alone,
--- which the motion must keep: I changes only by a multiple of itself. One-sided constraints and friction are not covered (nil and the reason).
--- Example: S:is_conserved(m*x.dot).
---@param given table? { level = expressions }
function System:is_conserved(F, given)
  local e, o = self:admit(F, "S:is_conserved: what is looked at", 1), options.check("is_conserved", schema, given)
  local flow, reason = surface_flow.of(self, EVERYTHING)
  if not flow then return nil, reason end
  local fine, rate = attempt(flow.rate, flow, flow:on(e))
  if not fine then return nil, ("the accelerations are not found as formulas: %s"):format(rate) end
  if o.level then
    flow, reason = flow:on_level(o.level)
    if not flow then return nil, reason end
  end
  local charted, why = true, nil
  if #flow.surfaces > 0 then charted, why = attempt(flow.chart, flow) end
  local verdict, evidence = flow:decide(rate)
  local jump = verdict == "zero" and (smoothness.jump{ e } or smoothness.jump_of_system(self))
  if jump then return nil, ("%s may jump: the rate vanishes on either side, which proves nothing across the jump"):format(core.text(jump)) end
  if verdict == "zero" then return true end
  if not flow.linear then return nil, "the constraints are not linear in the velocities, and the rate was not found to vanish on them" end
  if verdict == "nonzero" then return false, (core.simplify(flow:off(rate), "auto", nil, { effort = 2 })) end
  if not charted then return nil, why end
  return nil, ("whether its rate vanishes is not decided; the largest value met, relative to its terms, is %.2g"):format(evidence or 0)
end

options.declare("is_conserved", schema)

return surface_flow
