-- prove_equilibrium.lua: S:prove_equilibrium: the proof that a state of rest or a steady motion exists, and whether it is stable.
local ball = require "hamel.analysis.ball"
local certificate_text = require "hamel.analysis.certificate_text"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local launched = require "hamel.base.launched"
local narrower = require "hamel.analysis.narrower"
local in_default_form = require "hamel.analysis.default_form"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local quantities = require "hamel.system.quantities"
local stability = require "hamel.analysis.proved_stability"
local repeated_place = require "hamel.analysis.repeated_place"
local statement = require "hamel.analysis.equilibrium_statement"
local steady_state = require "hamel.analysis.steady_state"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local timeless = require "hamel.analysis.timeless"

local fail = object.fail

local schema = {
  keep = { type = "table", list = true, doc = "names or expressions that keep the value of the guess, as of S:steady: they choose one state of a family" },
  integrals = { type = "table", list = true, doc = "integrals of the motion besides the energy; they may prove that dependent rates vanish together" },
  bits = { default = 128, from = 40, to = 20000, type = "number", whole = true, doc = "precision of the computation" },
  radius = { type = "number", above = 0, doc = "radius of the box of the proof; chosen where it is missing" },
  iterations = { default = 30, from = 0, to = 200, type = "number", whole = true,
    doc = "steps of Newton's method before the proof; 0: the guess is the centre of the box as it is" },
}
for _, name in ipairs{ "q", "v", "mu", "parameters" } do schema[name] = preparation.schema[name] end
schema.form = { type = "string", doc = "formalism; the default form of the system where it is missing" }

local Proof = object.class "EquilibriumProof"

for _, name in ipairs{ "reason", "q", "v", "lambda", "x", "radius", "eigenvalues", "stable", "spectrally", "verdict", "held", "free", "family" } do
  Proof.get[name] = function() return nil end
end

local function joined(names, values)
  local words = {}
  for i, name in ipairs(names) do words[i] = ("%s = %s"):format(name, stability.number(values[name])) end
  return table.concat(words, ", ")
end

function Proof.meta.__tostring(p)
  local what = p.rest and "equilibrium" or p.proved and statement.name(p._problem, p._found) or "steady motion"
  if not p.proved then return ("%s not proved: %s"):format(what, p.reason) end
  local out = { ("%s: %s proved%s: %s"):format(p._system.name, what, certificate_text.for_every(p._problem), joined(p._system.coordinate_names, p.q)) }
  if not p.rest then out[#out + 1] = "  velocities: " .. joined(object.keys(p.v), p.v) end
  out[#out + 1] = ("  radius %s, contraction %.2g%s"):format(ball.radius_text(p._found.x), p.contraction, ball.apart_text(p.tried))
  if #p.held > 0 then out[#out + 1] = "  one of a family, chosen by the values of " .. table.concat(p.held, ", ") end
  if #p.free > 0 then out[#out + 1] = "  free, since nothing depends on them: " .. table.concat(p.free, ", ") end
  local roots = {}
  for i, e in ipairs(p.eigenvalues or {}) do roots[i] = stability.text(e) end
  if #roots > 0 then out[#out + 1] = "  eigenvalues: " .. table.concat(roots, ", ") end
  out[#out + 1] = "  " .. p.verdict
  out[#out + 1] = "  " .. certificate_text.SIMPLIFIED
  return table.concat(out, "\n")
end

--- Writes the certificate: the equations, the conditions and the exact numbers of the proof, as a text which hm.check_certificate(S, path) or
--- `hamel verify path` proves again.
---@param path string
function Proof:save(path)
  if not self.proved then fail("save: nothing was proved: %s", self.reason) end
  certificate_text.demand_texts(self._problem)
  self._text.integrals = steady_state.shown(self._found)
  local text = repeated_place.text(statement, self._problem, self._text)
  files.write("save", path, text)
  return files.written(path, "certificate of a steady state", { text = text })
end

-- ---- the statement

-- "theta", "phi'" or an expression: its name, the expression, and the value that the guess gives for it exactly
local function kept(system, o, what, i)
  local where = ("prove_equilibrium: keep[%d]"):format(i)
  if type(what) ~= "string" then return core.text(system:admit(what, where, 1)), system:admit(what, where, 1) end
  local name, prime = what:match "^(.-)('?)$"
  for k, other in ipairs(system.coordinate_names) do
    if other == name then
      local s, list = system:coordinate_list()[k], prime == "" and o.q or o.v
      return what, prime == "" and s or s.dot, list and list[name]
    end
  end
  local e = system:admit(what, where, 1)
  return what, e
end

local function named(list)
  local out = {}
  for i, c in ipairs(list) do out[i] = { name = c.name, f = c.f } end
  return out
end

-- Momenta that may be integrals: M v of coordinates that the mass matrix and the forces do not name. The proof shows whether they are
local function momenta(E)
  local list = {}
  if E.form ~= "lagrange" then return list end
  for _, q in ipairs(E.kin) do
    local v, place = q.dot, nil
    for j, s in ipairs(E.dyn) do if s == v then place = j end end
    local free = place ~= nil
    for j = 1, #E.dyn do
      free = free and core.diff(E.r[j], q):is_zero()
      for k = 1, j do free = free and core.diff(E.M[j][k], q):is_zero() end
    end
    if free then
      local terms = {}
      for j, s in ipairs(E.dyn) do terms[j] = E.M[math.max(place, j)][math.min(place, j)]*s end
      list[#list + 1] = { name = "momentum of " .. core.text(q), f = core.sum(terms) }
    end
  end
  return list
end

-- The statement without `keep`, from the motion prepared by enclosed.new
local function problem_of(system, m, o)
  local E = m.E
  local lower, integrals, constraints = {}, {}, named(E.positions)
  for i = 1, #E.dyn do for j = 1, i do lower[#lower + 1] = E.M[i][j] end end
  for _, c in ipairs(named(E.velocities)) do constraints[#constraints + 1] = c end
  if E.energy and m.conservative then integrals[1] = { name = "energy", f = E.energy } end
  for _, one in ipairs(momenta(E)) do integrals[#integrals + 1] = one end
  for i, e in ipairs(o.integrals or {}) do
    local f = m:expression(system:admit(e, ("prove_equilibrium: integrals[%d]"):format(i), 1))
    integrals[#integrals + 1] = { name = ("integral %d"):format(i), f = f }
  end
  local A, b = m.rows, m.drift
  local problem = { name = system.name, form = m.form, kin = E.kin, dyn = E.dyn, k = E.k, M = lower, A = compile.flat(A), r = E.r, b = b,
    constraints = constraints, integrals = {}, keep = {}, rest = o.rest, given = object.keys(o.parameters or {}), parameters = m:parameters() }
  timeless.conditions(integrals)
  -- an integral that depends on the time says nothing of a state alone
  for _, c in ipairs(integrals) do if not timeless.has_time(c.f) then table.insert(problem.integrals, c) end end
  return problem
end

-- Values at the start of expressions in the states of the form
local function at_start(m, x, parameters, list, bits)
  local values = table.move(parameters, 1, #parameters, #x + 1, table.move(x, 1, #x, 1, {}))
  return core.ball_values(core.program(m:_inputs(m.E.kin, m.E.dyn), list), core.ball("0", 2), values, bits)
end

local function put_keep(system, m, problem, o, x, parameters)
  for i, what in ipairs(o.keep or {}) do
    local name, e, value = kept(system, o.guess, what, i)
    local f = timeless.expression(m:expression(e))
    if timeless.has_time(f) then fail("prove_equilibrium: keep[%d] = %s depends on the time; keep a function of the state", i, name) end
    if value == nil then
      value = at_start(m, x, parameters, { f }, o.bits)[1]:midpoint():text(math.ceil(0.302*o.bits) + 10)
    elseif core.is_ball(value) or type(value) == "table" then
      fail("prove_equilibrium: %s is kept, and its value must be one number, not a box", name)
    end
    problem.keep[i] = { name = name, f = f, target = exact.number(value, name) }
  end
end

-- ---- the guess

-- Numbers near those of boxes, for the search in doubles
local function rough(record)
  local out = {}
  for name, value in pairs(record or {}) do
    if core.is_ball(value) then value = (value.lower + value.upper)/2
    elseif type(value) == "table" and #value == 2 and symbols.number(value[1]) and symbols.number(value[2]) then
      value = (symbols.number(value[1]) + symbols.number(value[2]))/2
    end
    out[name] = value
  end
  return out
end

-- A state near the guess where the rates vanish in doubles
local function improved(system, o)
  if o.iterations == 0 then return o.q, o.v end
  if o.rest then
    local near = system:equilibrium{ q = o.q, parameters = rough(o.parameters) }
    return near.q, nil
  end
  local near = system:steady{ q = o.q, v = o.v, mu = o.mu, keep = o.keep, form = o.form, parameters = rough(o.parameters) }
  if #near.turning > 0 then
    fail("prove_equilibrium: in this motion %s turn along, and the proof is for motions whose states rest; take angles of which one is the turn, or "
      .. "velocities that do not turn, by S:quasi_velocities", table.concat(near.turning, ", "))
  end
  return near.q, near.v
end

local function options_of(system, given)
  if object.is_a(given, "Steady") then
    given = { q = given.q, v = given.v, keep = rawget(given, "keep"), form = rawget(given, "form"), parameters = rawget(given, "parameters") }
  end
  if object.is_a(given, "Equilibrium") then given = { q = given.q, parameters = rawget(given, "parameters") } end
  given = quantities.in_seconds(system, "prove_equilibrium", given)
  local form = type(given) == "table" and given.form
  local o = options.check("prove_equilibrium", schema, given, system)
  if not o.q then fail("prove_equilibrium: a guess is missing: S:prove_equilibrium{ q = {%s = 0} }", system.coordinate_names[1] or "x") end
  o.form = form or nil
  o.q, o.v, o.parameters = system:by_name(o.q, "q"), o.v and system:by_name(o.v, "v"), system:by_name(o.parameters, "parameters")
  for what, record in pairs{ q = o.q, v = o.v, mu = o.mu } do
    for name, value in pairs(record) do
      if core.is_ball(value) or type(value) == "table" and #value == 2 and symbols.number(value[1]) then
        fail("prove_equilibrium: %s.%s is a box; a guess is one number, and only parameters may be boxes", what, tostring(name))
      end
    end
  end
  o.rest = o.v == nil
  o.guess = { q = o.q, v = o.v }
  return o
end

-- ---- the proof

local function described(result, system, m, problem, found, o)
  result.q, result.v, result.lambda, result.x, result.radius = {}, {}, {}, {}, 0.0
  local n, d = #problem.kin, #problem.dyn
  for i, name in ipairs(system.coordinate_names) do result.q[name] = found.x[i] end
  local rates = m.E.v or {}
  if not m.E.v then for i, q in ipairs(problem.kin) do rates[i] = q.dot end end
  for i, value in ipairs(steady_state.values(found, rates)) do result.v[system.coordinate_names[i]] = value end
  for k, name in ipairs(m.multiplier_names) do result.lambda[name] = found.x[n + d + k] end
  for _, x in ipairs(found.x) do result.radius = math.max(result.radius, x.radius) end
  for i, s in ipairs(problem.kin) do result.x[core.text(s)] = found.x[i] end
  for i, s in ipairs(problem.dyn) do result.x[core.text(s)] = found.x[n + i] end
  result.held, result.free = {}, {}
  for i, c in ipairs(problem.keep) do result.held[i] = c.name end
  for _, place in ipairs(found.held) do table.insert(result.held, core.text(problem.kin[place] or problem.dyn[place - n])) end
  for i, place in ipairs(found.free) do result.free[i] = core.text(problem.kin[place]) end
  result.family, result.tried, result.eigenvalues, result.stable, result.verdict = found.family, found.tried, found.eigenvalues, found.stable, found.verdict
  result.spectrally = found.spectrally
  local centre = {}
  for i, x in ipairs(found.x) do centre[i] = x:midpoint():text(certificate_text.decimals(o.bits)) end
  result._found = found
  result._text = { bits = o.bits, centre = centre, radii = { certificate_text.radius(found.radius_ball) }, stable = found.stable }
end

local function at_rest(system)
  local v, turns = {}, {}
  for _, R in ipairs(system._rotations) do
    v[R.name] = { 0, 0, 0 }
    for _, e in ipairs(R.quaternion) do turns[core.name(e)] = true end
  end
  for _, name in ipairs(system.coordinate_names) do if not turns[name] then v[name] = 0 end end
  return v
end

local function prepared(system, o)
  local start = { q = o.q, v = o.v or at_rest(system), mu = o.mu, form = o.form, parameters = o.parameters, complete = true }
  return enclosed.new(system, start, "prove_equilibrium", 0.0, nil, true)
end

local NOTHING_SAID = "; nothing is said about whether there is one"

-- Why a steady state near the guess is not proved, where its derivatives vanish along some direction, as far as numbers tell; nil: none is found there
local function of_degenerate(system, o)
  local fine, found, rest = protected(function()
    local m = o.form and prepared(system, o) or in_default_form(prepared, system, o)
    local problem = problem_of(system, m, o)
    local x, parameters = m:start(core.ball("0", 2), o.bits)
    put_keep(system, m, problem, o, x, parameters)
    return steady_state.degenerate(problem, x, o.bits), problem.rest
  end)
  if not (fine and found) then return nil end
  local what, along = rest and "equilibrium" or "steady motion", table.concat(found.along, " and along ")
  local a = rest and "an" or "a"
  if found.jumping then
    return ("%s%s jump at or near %s, as far as numbers tell, along %s: proofs are for smooth forces; take a smooth function in place of the corner, \z
      such as sqrt(x^2 + w^2) with a small w for |x|"):format(found.jumping == "values" and "the " or "the derivatives of the ",
      rest and "equations of rest" or "rates", found.at, along)
  end
  local roots = #found.along == 1 and "at least one eigenvalue is" or ("at least %d eigenvalues are"):format(#found.along)
  if found.isolated then
    return ("a degenerate %s lies at or near %s, as far as numbers tell: the derivatives of the %s vanish there along %s, and %s zero; where "
      .. "it is only nearly degenerate, more iterations and bits help"):format(what, found.at, rest and "equations of rest" or "rates", along, roots)
  end
  return ("%s %s at or near %s is not isolated, as far as numbers tell: others lie beside it along %s, and %s zero. Choose one by keep, with all velocities in "
    .. "v, and name in `integrals` the momentum that belongs to the symmetry, if there is one"):format(a, what, found.at, along, roots)
end

--- Proves that a state of rest exists, and judges its stability: S:prove_equilibrium{ q = {phi = 3.1} }; with v = {...} a steady motion:
--- S:prove_equilibrium{ q =, v =, keep = {"yaw'"} }, or of the result of S:equilibrium or S:steady. Newton's method improves the guess; Krawczyk's test in ball
--- arithmetic proves that a box about it holds one such state, and only one. The eigenvalues of the first approximation are enclosed.
--- Parameters may be boxes, {"9.80", "9.82"}: then each of their values has such a state, and the verdict holds for all.
--- Returns a proof: proved, reason (where it is not), q, v, lambda, x (balls), radius, contraction, tried (no other state is so near), eigenvalues = list of
--- { re, im, size (balls), count }, stable (true, false, nil where it is undecided), verdict (a sentence), family (dimension of the family of steady states, as
--- nonholonomic systems always have; as many eigenvalues are exactly zero), held (what chooses one of the family), free (coordinates on which nothing
--- depends). p:save(path) writes a certificate.
--- Verdicts: unstable: an eigenvalue has a positive real part. Asymptotically stable: all real parts are negative. Stable, with a family: so are all but those
--- of the family (Lyapunov and Malkin). Stable: the energy, which is constant, has a strict minimum or maximum (Lagrange and Dirichlet), or one on the levels
--- of further integrals, such as the momenta of cyclic coordinates (Routh and Lyapunov). Undecided, with spectrally = true: all eigenvalues are proved simple
--- and imaginary, as a reversal of time takes the equations to themselves; whether motions near it stay near is open then. All of them are about the states
--- on which anything depends, and about the equations as printed.
--- Errors: as S:enclosure; a guess from which no steady state is found.
function System:prove_equilibrium(given)
  launched.demand_alone "prove_equilibrium"
  enclosed.demand_balls "prove_equilibrium"
  local o = options_of(self, given)
  enclosed.demand_formula(self, "prove_equilibrium")
  local guess = setmetatable({ q = o.q, v = o.v }, { __index = o })
  local near, q, v = protected(improved, self, o)
  if not near then
    -- at a degenerate state Newton's method may end before the search calls it one
    local reason = of_degenerate(self, guess)
    if not reason then error(q, 0) end
    return setmetatable({ proved = false, rest = o.rest, bits = o.bits, reason = reason .. NOTHING_SAID }, Proof.meta)
  end
  o.q, o.v = q, v
  local m = o.form and prepared(self, o) or in_default_form(prepared, self, o)
  local problem = problem_of(self, m, o)
  local x, parameters = m:start(core.ball("0", 2), o.bits)
  put_keep(self, m, problem, o, x, parameters)
  local result = { proved = false, rest = o.rest, bits = o.bits, _system = self, _problem = problem }
  local how = { bits = o.bits, iterations = o.iterations, radius = o.radius }
  local found = statement.prove(problem, x, how)
  if found.moves == false then
    -- velocities that were given, but all are zero
    problem.rest, result.rest = true, true
    found = statement.prove(problem, x, how)
  end
  result.proved, result.contraction, result.image = found.proved, found.contraction, found.image
  if found.proved then described(result, self, m, problem, found, o)
  else
    local narrow = not o.radius and narrower.refusal(problem, found, function(other)
      return statement.prove(other, x, { bits = o.bits, iterations = o.iterations })
    end)
    result.reason = narrow or (of_degenerate(self, guess) or found.reason) .. NOTHING_SAID
  end
  return setmetatable(result, Proof.meta)
end

options.declare("prove_equilibrium", schema)

return { problem_of = problem_of, prepared = prepared }
