-- derivation.lua: S:derivation: the way from the Lagrangian to the equations of a form, in numbered steps as on paper.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local derived_integral = require "hamel.analysis.derived_integral"
local echelon = require "hamel.algebra.echelon"
local of_bodies = require "hamel.analysis.derivation_of_bodies"
local kinematics = require "hamel.equations.kinematics"
local latex_lines = require "hamel.algebra.latex_lines"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local reduced = require "hamel.forms.shared.reduced"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local Derivation = object.class "Derivation"

-- Each expression in its short form, where that is found within a second
local function short(e) return core.is_expression(e) and echelon.short(e) or e end

-- LaTeX of a partial derivative, and of the rate
local function ratio(what, by) return ("\\frac{\\partial %s}{\\partial %s}"):format(what, by) end
local RATE = "\\frac{\\mathrm{d}}{\\mathrm{d} t}"

-- words: the title with its formulas in LaTeX, where it has any
local function step(self, title, words)
  local one = { title = title, words = words }
  self[#self + 1] = one
  return one
end

-- A line `label = value`; the label as text and as LaTeX
local function line(one, text, latex, value)
  one[#one + 1] = { text = text, latex = latex, value = short(value) }
end

local function named(one, symbol, value) line(one, core.text(symbol), core.latex(symbol), value) end

local function partial(what, by)
  return ("d%s/d%s"):format(what, core.text(by)), ratio(what:gsub("%*", "^*"), core.latex(by))
end

local vanishes = vanishing.proved

-- ---- steps that several forms share

local function lagrangian(self, system)
  local one = step(self, system._L and "The Lagrangian" or "Kinetic and potential energy, L = T - V")
  if system._T then line(one, "T", "T", system._T) end
  if system._V then line(one, "V", "V", system._V) end
  if system._L then line(one, "L", "L", system._L) end
  for s, Q in ipairs(system:generalised_forces()) do
    if not vanishes(Q) then
      local name = system.coordinate_names[s]
      line(one, "Q_" .. name, ("Q_{%s}"):format(core.latex(system:coordinate_list()[s])), Q)
    end
  end
end

local function constraints(self, system)
  if #system.constraints == 0 then return end
  local one = step(self, "The constraints f = 0")
  for _, c in ipairs(system.constraints) do line(one, c.name, ("\\text{%s}"):format(c.name), c.f) end
end

local function equations(self, E)
  local one = step(self, "The equations")
  for _, row in ipairs(E.rows) do one[#one + 1] = { text = core.text(short(row.left)), latex = core.latex(short(row.left)), value = short(row.right) } end
  for _, row in ipairs(E.kinematic or {}) do named(one, row.left, row.right) end
end

local function quasi_velocities(self, F)
  local K = F.K
  local one = step(self, K.m > 0 and "Quasi-velocities; the constraints, which are zero, complete the set" or "Quasi-velocities")
  for s = 1, K.n do named(one, K.u[s], kinematics.dot(K.a[s], K.v) + K.a0[s]) end
  one = step(self, "The velocities in them")
  for r, v in ipairs(kinematics.velocities(K, false)) do named(one, K.q[r].dot, v) end
end

-- ---- forms

local forms = {}

function forms.lagrange(self, system)
  local I, Q = kinematics.inertia(system), system:generalised_forces()
  local one = step(self, "Momenta")
  for s, p in ipairs(I.p) do
    local text, latex = partial("L", I.v[s])
    line(one, text, latex, p)
  end
  one = step(self, "Their rates")
  for s = 1, #I.q do
    local text, latex = partial("L", I.v[s])
    line(one, "d/dt " .. text, "\\frac{d}{dt}" .. latex, core.dt(I.p[s]))
  end
  one = step(self, "What drives them: derivatives of L by the coordinates, applied forces")
  for s = 1, #I.q do
    local text, latex = partial("L", I.q[s])
    line(one, text .. " + Q", latex .. " + Q", I.force[s] + Q[s])
  end
  if #system.constraints > 0 then
    one = step(self, "Reactions by Chetaev's rule, one multiplier for each constraint: sum lambda df/dq'",
      ("Reactions by Chetaev's rule, one multiplier for each constraint: $\\sum_{\\beta} \\lambda_{\\beta} %s$")
        :format(ratio("f_{\\beta}", "\\dot{q}_r")))
    local levels = {}
    for k, c in ipairs(system.constraints) do levels[k] = kinematics.levels(c, I.q, I.v) end
    for s = 1, #I.q do
      local terms = {}
      for k, level in ipairs(levels) do terms[k] = self.equations.multipliers[k]*level.velocity.row[s] end
      line(one, "R_" .. system.coordinate_names[s], ("R_{%s}"):format(core.latex(I.q[s])), core.sum(terms))
    end
    one = step(self, "The constraints once more differentiated close the system")
    local accelerations = {}
    for s, q in ipairs(I.q) do accelerations[s] = q.ddot end
    for _, level in ipairs(levels) do line(one, "0", "0", kinematics.dot(level.velocity.row, accelerations) + level.b) end
  end
end

function forms.hamel(self, _, F)
  local I, K = F.inertia, F.K
  quasi_velocities(self, F)
  local L = core.substitute(I.L, I.v, kinematics.velocities(K, false))
  line(step(self, "The Lagrangian in all quasi-velocities"), "L*", "L^*", L)
  local gamma, gamma0 = kinematics.transposition(K)
  local one = step(self, "Hamel's symbols that are not zero: gamma^k_sl = sum (da_kr/dq_m - da_km/dq_r) B_rs B_ml, antisymmetric in s and l",
    ("Hamel's symbols that are not zero: $\\gamma^{k}_{sl} = \\sum_{r, m} \\left( %s - %s \\right) B_{rs} B_{ml}$, antisymmetric in $s$ and $l$")
      :format(ratio("a_{kr}", "q_m"), ratio("a_{km}", "q_r")))
  local function symbol(k, s, l)
    local names = { core.text(K.u[k]), core.text(K.u[s]), l and core.text(K.u[l]) or "0" }
    local latex = ("\\gamma^{%s}_{%s %s}"):format(core.latex(K.u[k]), core.latex(K.u[s]), l and core.latex(K.u[l]) or "0")
    return ("gamma^%s_%s,%s"):format(table.unpack(names)), latex
  end
  for k = 1, K.n do
    for s = 1, K.n do
      for l = s + 1, K.n do
        if not vanishes(gamma[k][s][l]) then
          local text, latex = symbol(k, s, l)
          line(one, text, latex, gamma[k][s][l])
        end
      end
      if not vanishes(gamma0[k][s]) then
        local text, latex = symbol(k, s)
        line(one, text, latex, gamma0[k][s])
      end
    end
  end
  if #one == 0 then one.title = "Hamel's symbols all vanish: the quasi-velocities are rates of coordinates" end
  local constrained, zeros = {}, {}
  for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
  one = step(self, "Derivatives of L*, with the quasi-velocities of the constraints set to zero only now")
  for s, p in ipairs(core.gradient(L, K.u)) do
    local text, latex = partial("L*", K.u[s])
    line(one, text, latex, core.substitute(p, constrained, zeros))
  end
  local by_q = core.gradient(L, K.q)
  for s = 1, K.h do
    local terms = {}
    for r = 1, K.n do terms[r] = K.B[r][s]*core.substitute(by_q[r], constrained, zeros) end
    line(one, ("dL*/dpi_%s"):format(core.text(K.u[s])), ("\\frac{\\partial L^*}{\\partial \\pi_{%s}}"):format(core.latex(K.u[s])), core.sum(terms))
  end
  step(self, "d/dt dL*/dw_s - dL*/dpi_s + sum gamma^k_sl w_l dL*/dw_k = P_s, the forces P_s = sum B_rs Q_r",
    ("$%s %s - %s + \\sum_{k, l} \\gamma^{k}_{sl} \\omega_l %s = P_s$, the forces $P_s = \\sum_r B_{rs} Q_r$"):format(RATE, ratio("L^*", "\\omega_s"),
      ratio("L^*", "\\pi_s"), ratio("L^*", "\\omega_k")))
end

function forms.maggi(self, system, F)
  local K = F.K
  quasi_velocities(self, F)
  local one = step(self, "E_r = d/dt dL/dq_r' - dL/dq_r with these velocities and their rates",
    ("$E_r = %s %s - %s$ with these velocities and their rates"):format(RATE, ratio("L", "\\dot{q}_r"), ratio("L", "q_r")))
  for r, e in ipairs(reduced.inertia_terms(F)) do line(one, "E_" .. system.coordinate_names[r], ("E_{%s}"):format(core.latex(F.q[r])), e) end
  one = step(self, "Along each admissible direction, the column B of the velocities, the reactions do no work: sum B_r (E_r - Q_r) = 0",
    "Along each admissible direction, the column $B$ of the velocities, the reactions do no work: $\\sum_r B_r (E_r - Q_r) = 0$")
  for s = 1, K.h do
    local column, typeset = {}, {}
    for r = 1, K.n do
      local entry = short(K.B[r][s])
      column[r], typeset[r] = core.text(entry), core.latex(entry)
    end
    one[#one + 1] = { text = "B_" .. core.text(K.u[s]), latex = ("B_{%s}"):format(core.latex(K.u[s])), value = "(" .. table.concat(column, ", ") .. ")",
                      value_latex = "\\left( " .. table.concat(typeset, ", \\; ") .. " \\right)" }
  end
end

function forms.appell(self, _, F)
  quasi_velocities(self, F)
  local one = step(self, "The accelerations on the constraints")
  for r, a in ipairs(F.a) do named(one, F.q[r].ddot, a) end
  local S = reduced.acceleration_energy(F)
  one = step(self, "The energy of accelerations with -dL/dq in it, without terms free of quasi-accelerations")
  line(one, "S", "S", S - vanishing.without(S, F.rates))
  one = step(self, "Its derivatives, equal to the forces sum B_rs Q_r",
    "Its derivatives, equal to the forces $\\sum_r B_{rs} Q_r$")
  for s, slope in ipairs(core.gradient(S, F.rates)) do
    local text, latex = partial("S", F.rates[s])
    line(one, text, latex, slope)
  end
end

function forms.chaplygin(self, system)
  local F = reduced.in_velocities(system, self.dependent or nil, "chaplygin")
  local S, I = F.solved, F.inertia
  local one = step(self, "The constraints solved for the dependent velocities")
  for _, j in ipairs(S.dependent) do named(one, F.q[j].dot, F.v[j]) end
  local L = core.substitute(I.L, I.v, F.v)
  line(step(self, "L with the constraints inserted"), "L~", "\\tilde L", L)
  one = step(self, "The momenta of the full L behind the dependent velocities")
  for _, j in ipairs(S.dependent) do
    local text, latex = partial("L", I.v[j])
    line(one, text, latex, core.substitute(I.p[j], I.v, F.v))
  end
  one = step(self, "What the insertion alone would lose: sum_k p_k (d/dt dphi_k/dq_j' - dphi_k/dq_j), subtracted from the left sides",
    ("What the insertion alone would lose: $\\sum_k p_k \\left( %s %s - %s \\right)$, subtracted from the left sides"):format(RATE,
      ratio("\\varphi_k", "\\dot{q}_j"), ratio("\\varphi_k", "q_j")))
  for l, j in ipairs(S.independent) do
    line(one, "lost for " .. system.coordinate_names[j], ("\\text{lost for } %s"):format(core.latex(F.q[j])), core.sum(reduced.lost_terms(F, l)))
  end
end

local schema = { dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities the constraints give" } }
local in_quasi = { hamel = true, maggi = true, appell = true }

-- The steps to the rate of a function of the state
local function of_integral(system, F, given)
  if given ~= nil then object.fail("derivation: of a function there are no options") end
  F = system:check_expression(F, "derivation: the function", 1)
  local D = setmetatable({ system = system, form = false, title = "the rate of a function", equations = false, dependent = false }, Derivation.meta)
  lagrangian(D, system)
  constraints(D, system)
  derived_integral(system, D, F, { step = step, line = line, named = named })
  return D
end

--- Derives the equations in numbered steps, as in a textbook: S:derivation() for Lagrange's equations with multipliers, S:derivation("hamel"),
--- "maggi" or "appell" (linear constraints, in quasi-velocities), or "chaplygin". Options { dependent = {...} } as in S:equations.
--- S:derivation(F) with an expression F shows why it is constant along the motion, or what its rate is.
--- With rotations by unit quaternions the steps are those of vectors: velocities, momenta and their rates, partial velocities.
--- Prints as text. D:latex() gives an enumerated list, and hamel report typesets it. D.equations are the resulting equations; D[i] has title and
--- lines { text, latex, value }. See also: S:equations, hm.agree.
function System:derivation(form, given)
  form = form or "lagrange"
  if core.is_expression(form) then return of_integral(self, form, given) end
  if type(form) ~= "string" or not forms[form] then
    object.fail("derivation: steps are written down for %s, not for '%s'", table.concat(object.keys(forms), ", "), tostring(form))
  end
  local o = options.check("derivation", schema, given)
  if contact.any(self) then
    object.fail("derivation: %s has %s, whose motion is no single system of equations", self.name, contact.described(self))
  end
  local E = self:equations(form, o)
  local D = setmetatable({ system = self, form = form, title = E.title, equations = E, dependent = o.dependent or false }, Derivation.meta)
  if #self._rotations > 0 then
    of_bodies(D, self, E)
    equations(D, E)
    return D
  end
  local F = in_quasi[form] and reduced.in_quasi(self, o.dependent, form)
  if F and F.nonlinear then
    object.fail("derivation: the steps to the form '%s' are written for constraints and quasi-velocities linear in the velocities", form)
  end
  lagrangian(D, self)
  constraints(D, self)
  forms[form](D, self, F)
  equations(D, E)
  return D
end

options.declare("derivation", schema)

--- The value of a row as LaTeX.
function Derivation.latex_of(row)
  return row.value_latex or core.is_expression(row.value) and core.latex(row.value) or ("\\text{%s}"):format(row.value)
end

local function value_text(value) return core.is_expression(value) and core.text(value) or value end

function Derivation.meta.__tostring(self)
  local out = { ("%s: %s, step by step"):format(self.system.name, self.title) }
  for i, one in ipairs(self) do
    out[#out + 1] = ("%d. %s"):format(i, one.title)
    for _, row in ipairs(one) do out[#out + 1] = ("     %s = %s"):format(row.text, value_text(row.value)) end
  end
  return table.concat(out, "\n")
end

local latex_schema = { width = { type = "number", above = 8, doc = "width of a line in em; lines of any length when not given" } }

--- The steps as an enumerate environment, each with its lines in an align*; D:latex{ width = 34 } breaks lines that are wider than 34 em.
function Derivation:latex(given)
  local width = options.check("latex", latex_schema, given).width
  local out = { "\\begin{enumerate}" }
  for _, one in ipairs(self) do
    out[#out + 1] = "\\item " .. (one.words or one.title:gsub("[_^]", "\\%0"))
    local sides, rows = {}, {}
    for i, row in ipairs(one) do sides[i] = { left = row.latex, right = Derivation.latex_of(row) } end
    local broken = width and latex_lines.rows(sides, width)
    for i, side in ipairs(sides) do
      for _, part in ipairs(broken and broken[i] or { side.left .. " &= " .. side.right }) do rows[#rows + 1] = part end
    end
    if #rows > 0 then out[#out + 1] = "\\begin{align*}\n" .. table.concat(rows, " \\\\\n") .. "\n\\end{align*}" end
  end
  out[#out + 1] = "\\end{enumerate}"
  return table.concat(out, "\n")
end

return Derivation
