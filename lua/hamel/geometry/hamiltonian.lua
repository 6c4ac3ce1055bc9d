-- hamiltonian.lua: S:hamiltonian: Legendre's transformation on the surface of the constraints, and the bracket of functions of positions and momenta.
--
-- With q' = B w and L on the constraints l(q, w): p = dl/dw, H = p.w - l. Then f' = {f, H} plus the work of forces without potential, with
-- {q_i, q_j} = 0, {q_i, p_a} = B_ia, {p_a, p_b} = -(dL/dq') . [B_a, B_b] (van der Schaft, Maschke 1994): Poisson's bracket where nothing is constrained.
local affine = require "hamel.algebra.affine"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local surface_flow = require "hamel.geometry.surface_flow"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local Hamiltonian = object.class "Hamiltonian"

local short = echelon.short
local vanishes = vanishing.proved

-- The field of the system, which must be linear and at rest with w
local function flow_of(system)
  local flow = surface_flow.demand(system, "hamiltonian")
  if not flow.linear then fail("hamiltonian: constraints and quasi-velocities must be linear in the velocities; those of %s are not", system.name) end
  for i, e in ipairs(flow.b) do
    if not vanishes(e) then
      fail("hamiltonian: the constraints of %s move: '%s' has the velocity %s though all others are zero", system.name,
        system.coordinate_names[i], core.text(e))
    end
  end
  return flow
end

-- w by the momenta p
local function solved(system, momenta, w, p)
  local M, rest = affine.of(momenta, w)
  if not M then fail("hamiltonian: the momenta of %s are not linear in the velocities: %s", system.name, core.text(momenta[rest])) end
  for a in ipairs(M) do rest[a] = p[a] - rest[a] end
  local fine, X = attempt(linear.solve_exactly, M, { rest })
  if not fine then
    fail("hamiltonian: the momenta of %s do not determine the velocities: some motion has no inertia", system.name)
  end
  for a, e in ipairs(X[1]) do X[1][a] = short(e) end
  return X[1]
end

-- What the velocities w are called: the coordinate whose velocity one is, or the quasi-velocity
local function names_of(flow)
  local names = {}
  for a, e in ipairs(flow.from_velocities) do
    names[a] = core.name(flow.w[a])
    if core.kind(e) == "symbol" and not flow.system._quasi then names[a] = core.name(e) end
  end
  return names
end

--- Legendre's transformation: H = S:hamiltonian(). H.H is the Hamiltonian in coordinates and momenta, H.momenta the momenta in the velocities by name,
--- H.velocities the velocities of all coordinates in the momenta, H.p the symbols of the momenta by name (H.p.theta for the coordinate or
--- quasi-velocity theta, printed p_theta). H:bracket(f, g) is the bracket of functions of coordinates and momenta, H:rate(f) the rate of one along
--- the motion, H:jacobi() tells whether the bracket satisfies Jacobi's identity.
--- With constraints (linear and homogeneous in the velocities) the momenta belong to the quasi-velocities of the system, or to the independent
--- velocities, and the bracket is that of van der Schaft and Maschke 1994; without, it is Poisson's. H.forces: the forces without potential along the
--- momenta. Raises an error for moving and for holonomic constraints, and for Lagrangians that are not quadratic in the velocities.
function System:hamiltonian()
  local flow = flow_of(self)
  local w, names, p = flow.w, names_of(flow), {}
  for a, name in ipairs(naming.free(self, { "p_", "P_", "momentum_" }, names)) do p[a] = core.symbol(name, symbols.DYNAMIC) end
  local on = flow:on(self:lagrangian())
  local momenta = core.gradient(on, w)
  local by_p = solved(self, momenta, w, p)
  local function in_momenta(e) return short(core.substitute(e, w, by_p)) end
  local terms = { -on }
  for a, e in ipairs(w) do terms[#terms + 1] = momenta[a]*e end
  local Q, full = self:generalised_forces(), {}
  for i, e in ipairs(core.gradient(self:lagrangian(), flow.velocities)) do full[i] = core.substitute(flow:on(e), w, by_p) end
  local found = { H = in_momenta(core.sum(terms)), momenta = {}, velocities = {}, p = {}, forces = {} }
  local pushed = {}
  for a, name in ipairs(names) do
    local work = {}
    -- with the rate of B where it depends on time
    for i = 1, flow.n do work[i] = flow.B[i][a]*flow:on(Q[i]) + full[i]*core.diff(flow.B[i][a], symbols.t) end
    pushed[a] = in_momenta(core.sum(work))
    found.p[name], found.momenta[name] = p[a], short(flow:off(momenta[a]))
    local forces = {}
    for i = 1, flow.n do forces[i] = flow.B[i][a]*flow:on(Q[i]) end
    found.forces[name] = in_momenta(core.sum(forces))
  end
  for i, name in ipairs(self.coordinate_names) do found.velocities[name] = in_momenta(flow.k[i]) end
  for _, name in ipairs{ "momenta", "velocities", "p", "forces" } do object.named(name, found[name]) end
  return setmetatable({ _system = self, _flow = flow, _found = found, _p = p, _names = names, _full = full, _by_p = by_p, _pushed = pushed }, Hamiltonian.meta)
end

for _, name in ipairs{ "H", "momenta", "velocities", "p", "forces" } do Hamiltonian.get[name] = function(self) return self._found[name] end end

-- The matrix of the brackets of coordinates and momenta, in that order
local function matrix_of(self)
  local known = rawget(self, "_matrix")
  if known then return known end
  local flow, J, columns = self._flow, {}, {}
  local n, m = flow.n, flow.m
  for i = 1, n + m do
    J[i] = {}
    for j = 1, n + m do J[i][j] = core.rational(0) end
  end
  for a = 1, m do
    columns[a] = {}
    for i = 1, n do
      columns[a][i] = flow.B[i][a]
      J[i][n + a], J[n + a][i] = flow.B[i][a], -flow.B[i][a]
    end
  end
  for a = 1, m do
    for b = a + 1, m do
      local e = short(-kinematics.dot(self._full, fields.bracket(self._system, columns[a], columns[b])))
      J[n + a][n + b], J[n + b][n + a] = e, -e
    end
  end
  rawset(self, "_matrix", J)
  return J
end

local function variables(self)
  local z = self._system:coordinate_list()
  return table.move(self._p, 1, #self._p, #z + 1, z)
end

-- A function of coordinates and momenta; velocities are put in by the momenta. Texts name a coordinate or a momentum
local function admit(self, e, what)
  if type(e) == "number" then return core.number(e) end
  if type(e) == "string" then
    for _, s in ipairs(variables(self)) do if core.text(s) == e then return s end end
  end
  local ours, none = {}, {}
  if core.is_expression(e) then
    for a, s in ipairs(self._p) do ours[a], none[a] = s, 0 end
    -- what is left without the momenta belongs to the system
    self._system:check_expression(core.is_expression(e) and core.substitute(e, ours, none) or e, what, 1)
  else e = self._system:check_expression(e, what, 1) end
  return core.substitute(self._flow:on(e), self._flow.w, self._by_p)
end

-- sum df/dz_i J_ij dg/dz_j
local function bracket(J, z, f, g)
  local df, dg, terms = core.gradient(f, z), core.gradient(g, z), {}
  for i = 1, #z do
    for j = 1, #z do
      if core.number_value(J[i][j]) ~= 0 then terms[#terms + 1] = df[i]*J[i][j]*dg[j] end
    end
  end
  return core.sum(terms)
end

--- The bracket {f, g} of functions of coordinates, momenta (H.p) and time. Velocities are put in by the momenta, "x" and "p_x" name variables.
function Hamiltonian:bracket(f, g)
  return short(bracket(matrix_of(self), variables(self), admit(self, f, "the first function"), admit(self, g, "the second function")))
end

--- The rate of a function of coordinates, momenta and time along the motion: {f, H} + df/dt + the part of the forces without potential.
function Hamiltonian:rate(f)
  f = admit(self, f, "the function")
  local terms = { bracket(matrix_of(self), variables(self), f, self.H), core.diff(f, symbols.t) }
  for a, force in ipairs(self._pushed) do terms[#terms + 1] = core.diff(f, self._p[a])*force end
  return short(core.sum(terms))
end

--- Does the bracket satisfy Jacobi's identity? true; false and three variables with {x, {y, z}} + {y, {z, x}} + {z, {x, y}} ~= 0, and that sum; nil where
--- it is not decided. For constraints linear in the velocities it does so exactly where they are integrable at a fixed time (van der Schaft, Maschke 1994).
function Hamiltonian:jacobi()
  local J, z, verdict = matrix_of(self), variables(self), true
  for a = 1, #z do
    for b = a + 1, #z do
      for c = b + 1, #z do
        local sum = core.rational(0)
        for _, triple in ipairs{ { a, b, c }, { b, c, a }, { c, a, b } } do sum = sum + bracket(J, z, z[triple[1]], J[triple[2]][triple[3]]) end
        local zero = sum:is_zero()
        if zero == false then return false, { z[a], z[b], z[c], sum = short(sum) } end
        if zero == nil then verdict = nil end
      end
    end
  end
  return verdict
end

function Hamiltonian.meta.__tostring(self)
  local out = { ("%s: H = %s"):format(self._system.name, core.text(self.H)) }
  for a, name in ipairs(self._names) do out[#out + 1] = ("  %s = %s"):format(core.text(self._p[a]), core.text(self.momenta[name])) end
  for _, name in ipairs(self._system.coordinate_names) do out[#out + 1] = ("  %s' = %s"):format(name, core.text(self.velocities[name])) end
  for _, p in ipairs(self._p) do out[#out + 1] = ("  %s' = %s"):format(core.text(p), core.text(self:rate(p))) end
  return table.concat(out, "\n")
end

return System
