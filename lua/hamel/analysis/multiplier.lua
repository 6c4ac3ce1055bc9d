-- multiplier.lua: S:chaplygin_multiplier: a change of time that makes the reduced equations of a Chaplygin system those of Lagrange (Chaplygin 1911).
--
-- With the constraints solved as q_d' = c(r) r', L on them is l(r, r') and d/dt dl/dr_j' - dl/dr_j = K_j, quadratic in r'. In the time tau with
-- dtau = N dt they are Lagrange's equations of l(r, N dr/dtau) exactly where K_j = phi_j (p . r') - (phi . r') p_j for all r', with p = dl/dr' and
-- phi = d ln N/dr: linear equations for phi at each place.
local affine = require "hamel.algebra.affine"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local declared = require "hamel.geometry.declared"
local echelon = require "hamel.algebra.echelon"
local generic = require "hamel.geometry.generic"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local logarithm = require "hamel.geometry.logarithm"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local reduced = require "hamel.forms.shared.reduced"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local Multiplier = object.class "ChaplyginMultiplier"

local schema = {
  shape = { type = "table", list = true, doc = "names of the coordinates whose velocities are kept; the constraints give the others" },
  candidates = { type = "table", list = true, doc = "functions that may be factors of the multiplier" },
}

local vanishes = vanishing.proved

-- ---- the Chaplygin system

local function names_of_dependent(system, shape)
  if not shape then return nil end
  local kept, names = {}, {}
  for _, given in ipairs(shape) do
    local name = core.is_expression(given) and core.kind(given) == "symbol" and core.name(given) or given
    if not system._coordinate[name] then
      fail("chaplygin_multiplier: shape: '%s' is not a coordinate of %s%s", tostring(given), system.name, object.hint(tostring(given), system.coordinate_names))
    end
    kept[name] = true
  end
  for _, name in ipairs(system.coordinate_names) do if not kept[name] then names[#names + 1] = name end end
  if #names ~= #system.constraints then
    fail("chaplygin_multiplier: shape has %d coordinates, but %d constraints leave %d velocities free", #shape, #system.constraints,
      #system.coordinate_names - #system.constraints)
  end
  return names
end

local function demand_linear(system)
  for _, c in ipairs(system.constraints) do
    if c.holonomic then fail("chaplygin_multiplier: the constraint '%s' is holonomic: choose coordinates that satisfy it", c.name) end
    if not c.linear then fail("chaplygin_multiplier: the constraint '%s' is not linear in the velocities", c.name) end
  end
  if #system.gaps + #system.frictions > 0 then fail("chaplygin_multiplier: %s has one-sided constraints or friction", system.name) end
end

-- The constraints solved for the velocities that are not kept
local function frame_of(system, names)
  local fine, F, kind = attempt(reduced.in_velocities, system, names, "chaplygin_multiplier")
  if fine then return F end
  if kind ~= "singular" then fail("%s", F) end
  fail("chaplygin_multiplier: the constraints do not determine the velocities of %s: take another shape", object.quoted(names))
end

-- Why the reduced system is none of Chaplygin's kind with an energy; nil where it is
local function obstacle(system, F)
  local S, names = F.solved, system.coordinate_names
  for i, Q in ipairs(system:generalised_forces()) do
    if not vanishes(Q) then return ("a force without potential acts on '%s'"):format(names[i]) end
  end
  for k, c0 in ipairs(S.c0) do if not vanishes(c0) then return ("'%s' moves without the others"):format(names[S.dependent[k]]) end end
  local L = core.substitute(F.inertia.L, F.inertia.v, F.v)
  local function depends(e, what)
    if not vanishes(core.diff(e, symbols.t)) then return what .. " depends on time" end
    for _, j in ipairs(S.dependent) do
      if not vanishes(core.diff(e, F.q[j])) then return ("'%s' is not in shape, but %s depends on it"):format(names[j], what) end
    end
  end
  local why = depends(L, "the Lagrangian")
  for k, row in ipairs(S.c) do
    for _, c in ipairs(row) do why = why or depends(c, ("the velocity of '%s' on the constraints"):format(names[S.dependent[k]])) end
  end
  local M, rest = affine.of(core.gradient(L, F.dyn), F.dyn)
  if not M then why = why or ("the momentum of %s is not linear in the velocities"):format(core.text(F.dyn[rest]))
  elseif not vanishing.all(rest) then why = why or "the Lagrangian has terms linear in the velocities" end
  return why, L
end

-- ---- the linear equations

-- Rows of coefficients of phi_1 .. phi_k and the right-hand side, one for each equation j and each product of two velocities
local function rows_of(F, L)
  local k, u, p, rows = #F.dyn, F.dyn, core.gradient(L, F.dyn), {}
  local power = kinematics.dot(p, u)
  for j = 1, k do
    local K = core.sum(reduced.lost_terms(F, j))
    for a = 1, k do
      for b = a, k do
        local function product(e) return core.diff(core.diff(e, u[a]), u[b]) end
        local row = {}
        for i = 1, k do row[i] = product((i == j and power or core.rational(0)) - u[i]*p[j]) end
        row[k + 1] = product(K)
        rows[#rows + 1] = row
      end
    end
  end
  return rows
end

local function columns_of(rows, width)
  local columns = {}
  for c = 1, width do
    columns[c] = {}
    for i, row in ipairs(rows) do columns[c][i] = row[c] end
  end
  return columns
end

-- phi; nil where the equations contradict each other, or where that is not decided (second result: is there none, proved?)
local function gradient_of(system, rows, k)
  local places = generic.independent(system, columns_of(rows, k + 1))
  if places[#places] == k + 1 then return nil, true end
  if #places < k then return nil, false end
  local left = {}
  for i, row in ipairs(rows) do left[i] = table.move(row, 1, k, 1, {}) end
  local A, right = {}, {}
  for i, place in ipairs(generic.independent(system, left)) do A[i], right[i] = left[place], rows[place][k + 1] end
  local phi = linear.solve_exactly(A, { right })[1]
  for i, e in ipairs(phi) do phi[i] = echelon.short(e) end
  for _, row in ipairs(rows) do
    if not vanishes(kinematics.dot(table.move(row, 1, k, 1, {}), phi) - row[k + 1]) then return nil, false end
  end
  return phi
end

-- Is phi the gradient of a function? true, false, nil: not decided
local function closed(phi, r)
  local verdict = true
  for i = 1, #r do
    for j = i + 1, #r do
      local zero = (core.diff(phi[i], r[j]) - core.diff(phi[j], r[i])):is_zero()
      if zero == false then return false end
      if zero == nil then verdict = nil end
    end
  end
  return verdict
end

-- ln N by the rows: { N = }, or { proof =, why = } where there is none or none was found
local function searched(system, rows, r, candidates)
  local phi, none = gradient_of(system, rows, #r)
  if not phi then
    return { proof = none or nil, why = none and "the linear equations for the derivatives of ln N contradict each other"
      or "whether the linear equations for the derivatives of ln N have a solution is not decided" }
  end
  local exact = closed(phi, r)
  if not exact then
    return { proof = exact == false or nil, why = exact == false and "the derivatives of ln N that the equations demand are no gradient"
      or "whether the derivatives of ln N are a gradient is not decided" }
  end
  local N = logarithm.of(phi, r, candidates)
  return N and { N = N } or { why = "a multiplier exists, but no closed form was found; name functions that may occur in it: candidates = {...}" }
end

-- Rows with the declared values of the parameters
local function at_declared(system, rows)
  local put_in, result = declared(system), {}
  for i, row in ipairs(rows) do result[i] = put_in(row) end
  return result
end
-- ---- results

-- The system in r and tau with the Lagrangian l(r, N dr/dtau)
local function in_new_time(system, F, L, N)
  local names, from, to = {}, {}, {}
  for l, j in ipairs(F.solved.independent) do names[l], from[l], to[l] = system.coordinate_names[j], F.dyn[l], N*F.dyn[l] end
  local new, rest = system:_over(system.name .. " (in tau)", names), vanishing.without(L, F.dyn)
  new:kinetic_energy(echelon.short(core.substitute(L - rest, from, to)))
  if not vanishes(rest) then new:potential_energy(-rest) end
  return new
end

local function result(system, found) return setmetatable({ _name = system.name, _whole = system, _found = found }, Multiplier.meta) end

for _, name in ipairs{ "multiplier", "system", "proof", "why", "parameters" } do Multiplier.get[name] = function(self) return self._found[name] end end

--- Looks for Chaplygin's reducing multiplier N of a Chaplygin system: with dtau = N dt the reduced equations are Lagrange's equations in tau.
--- shape: the coordinates whose velocities are kept; the constraints, solved for the others, and the Lagrangian must be free of the others.
--- Result M: M.multiplier (nil where there is none, or none was found), M.proof: is the answer proved? M.why: the reason for no multiplier;
--- M.system: a system in the shape and tau with the Lagrangian l(r, N dr/dtau); M:back(): its equations in the time t, to be compared with
--- S:equations("chaplygin") by hm.agree. A multiplier is determined up to a constant factor; with one shape coordinate every N(r) is one, and 1 is
--- returned. M.parameters: "any", or "declared" where there is one for the declared values only; an absence is proved for these.
--- Raises an error where the system is none of this kind. Source: Chaplygin 1911; Fedorov, Jovanovic 2004.
---@param given table?
function System:chaplygin_multiplier(given)
  local o = options.check("chaplygin_multiplier", schema, given)
  demand_linear(self)
  local F = frame_of(self, names_of_dependent(self, o.shape))
  local why, L = obstacle(self, F)
  if why then fail("chaplygin_multiplier: %s is no Chaplygin system with an energy: %s", self.name, why) end
  local r, k = {}, #F.dyn
  for l, j in ipairs(F.solved.independent) do r[l] = F.q[j] end
  local N, special = core.rational(1), false
  if k > 1 then
    local rows = rows_of(F, L)
    local found = searched(self, rows, r, o.candidates)
    -- special values of the parameters may have a multiplier where others have none
    if not found.N and next(self._exact) then
      special = true
      found = searched(self, at_declared(self, rows), r, o.candidates)
    end
    if not found.N then return result(self, found) end
    N = found.N
  end
  N = echelon.short(N)
  if special then L = at_declared(self, { { L } })[1][1] end
  return result(self, { multiplier = N, proof = true, parameters = special and "declared" or "any", system = in_new_time(self, F, L, N), frame = F })
end

--- The equations of the system in tau, written in the time t: the same coordinates and states as S:equations("chaplygin").
function Multiplier:back()
  local F, N = self._found.frame or fail("back: there is no multiplier: %s", self.why), self.multiplier
  local R, from, to = self.system, {}, {}
  local L, u, r = R:lagrangian(), {}, R:coordinate_list()
  for l, q in ipairs(r) do u[l] = q.dot end
  -- dr/dtau = r'/N, d/dtau = (1/N) d/dt
  for l in ipairs(r) do from[l], to[l] = u[l], F.dyn[l]/N end
  local left, right = {}, {}
  for j, q in ipairs(r) do
    local p = core.substitute(core.diff(L, u[j]), from, to)
    left[j], right[j] = reduced.rate(F, p)/N - core.substitute(core.diff(L, q), from, to), core.rational(0)
  end
  local I = F.inertia
  return reduced.equations{
    system = self._whole, kin = F.q, dyn = F.dyn, rates = F.rates, k = F.v, left = left, right = right, v = F.v, a = F.a,
    lambda = reduced.reactions(self._whole, F.solved, I, F.v, F.a), from_velocities = F.dyn, solved = F.solved, regularity = F.regularity, inertia = I,
    kinematic = reduced.kinematic_rows(F),
  }
end

function Multiplier.meta.__tostring(self)
  if not self.multiplier then return ("%s: no multiplier%s: %s"):format(self._name, self.proof and "" or " found", self.why) end
  return ("%s: reducing multiplier N = %s, dtau = N dt\n%s"):format(self._name, core.text(self.multiplier), tostring(self.system))
end

options.declare("chaplygin_multiplier", schema)

return System
