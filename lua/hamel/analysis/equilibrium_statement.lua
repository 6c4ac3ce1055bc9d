-- equilibrium_statement.lua: what S:prove_equilibrium proves, from its data (see steady_state.lua): the proof with its verdict on stability, its
-- certificate as text, read back.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local is_mirrored = require "hamel.analysis.mirrored_spectrum"
local object = require "hamel.base.object"
local stability = require "hamel.analysis.proved_stability"
local steady_state = require "hamel.analysis.steady_state"

local fail = object.fail
local statement = { KIND = "steady state" }

-- ---- the verdict

-- An integral in words. The names in a certificate are those of its author, and nothing tells that one is the energy
local function words_of(found, F)
  if steady_state.known(found).from_file then return ("the integral called '%s' in the file"):format(F.name) end
  return F.name == "energy" and "the energy" or F.name
end

-- Has an integral a strict minimum or maximum there, on the constraints? Where the rates have a regular Jacobian J, the integral F has dF J = 0 in a
-- steady state, thus dF = 0
local function extremal(found, A, T, bits)
  if found.family > 0 or #A == 0 then return nil end
  local unit = {}
  for i = 1, #A do unit[i] = { core.ball("0", 2) } end
  if not core.ball_solve(A, unit, bits) then return nil end
  for _, F in ipairs(steady_state.integrals(found)) do
    local H = steady_state.hessian(found, F.f, T)
    if H and stability.definite(H, bits) then return words_of(found, F) end
  end
end

-- Has the energy a strict minimum or maximum there on the levels of further integrals I? With V = E - mu I + N (I - I0)^2, N large, it has one on all of the
-- constraints (Finsler), and V is an integral: the theorem of Routh with Lyapunov's supplement
local function extremal_on_levels(found, A, T, bits)
  local energy
  for _, F in ipairs(steady_state.integrals(found)) do if F.name == "energy" then energy = F end end
  if not energy or #A == 0 then return nil end
  local names, list, further = steady_state.levels(found, A, T)
  if not names or #names == 0 then return nil end
  local H = #further.free > 0 and steady_state.hessian(found, energy.f, further, list)
  if #further.free > 0 and not (H and stability.definite(H, bits)) then return nil end
  if steady_state.known(found).from_file then
    for i, name in ipairs(names) do names[i] = ("'%s'"):format(name) end
  end
  return table.concat(names, ", "), words_of(found, energy)
end

local function judged(found, bits)
  local A, T = steady_state.approximation(found)
  if not A then
    found.verdict = "stability undecided: " .. T
    return found
  end
  local eigenvalues, stable, why = stability.of_flow(A, found.family, bits)
  found.eigenvalues, found.stable = eigenvalues, stable
  if stable == nil then
    local name = extremal(found, A, T, bits)
    if name then
      found.stable, found.verdict = true, ("proved stable: %s has a strict extremum there (Lagrange and Dirichlet)"):format(name)
      return found
    end
    local levels, what = extremal_on_levels(found, A, T, bits)
    if levels then
      found.stable = true
      found.verdict = ("proved stable: %s has a strict extremum there among motions with the same %s (Routh and Lyapunov)"):format(what, levels)
      return found
    end
    if eigenvalues and is_mirrored(found) and stability.is_imaginary(eigenvalues) then
      found.spectrally = true
      found.verdict = "spectrally stable: all eigenvalues but zeros are proved simple and imaginary; nonlinear stability undecided"
      return found
    end
  end
  if stable == false then found.verdict = "proved unstable"
  elseif stable == nil then found.verdict = "stability undecided: " .. why
  elseif found.family > 0 then
    found.verdict = ("proved stable: motions near it tend to steady states of its family (%d eigenvalue%s zero)"):format(found.family,
      found.family == 1 and " is" or "s are")
  else found.verdict = "proved asymptotically stable" end
  return found
end

-- Does a coordinate move in the state? true; false: all rates of coordinates are exactly zero; nil: neither is proved
local function moves(found)
  local still = true
  for _, rate in ipairs(steady_state.values(found, steady_state.known(found).k)) do
    if rate:contains(0) == false then return true end
    still = still and rate:is_exact()
  end
  if still then return false end
end

--- Tries to prove the statement near `centre`, as steady_state.prove; further results: eigenvalues, stable, verdict; moves = true: the state is a motion,
--- false: it is at rest, nil: it may be.
function statement.prove(problem, centre, o)
  local found = steady_state.prove(problem, centre, o)
  found.bits = o.bits
  if not found.proved then return found end
  if not problem.rest then found.moves = moves(found) end
  return judged(found, o.bits)
end

--- What the proved state is called.
function statement.name(problem, found)
  return problem.rest and "state of rest" or found.moves and "steady motion" or "steady motion, perhaps a state of rest"
end

--- Why the state is not what the certificate calls it; nil: it is.
function statement.misnamed(problem, found)
  if problem.rest or found.moves ~= false then return nil end
  return "the certificate says 'rest 0', which is a steady motion, but all velocities of the state are zero: that is 'rest 1'"
end

--- Which integral of the statement is none, or has another value at the proved state, as a text; nil: none.
function statement.false_integral(found)
  local problem, shown, list = steady_state.known(found), {}, {}
  for _, c in ipairs(steady_state.shown(found)) do shown[c] = true end
  for i, c in ipairs(problem.integrals) do
    if not shown[c] then return ("'%s' is not shown to be an integral of the equations"):format(c.name) end
    list[i] = c.f
  end
  local values = steady_state.values(found, list)
  for i, c in ipairs(problem.integrals) do
    if c.target and not values[i]:meets(exact.ball(c.target, c.name, found.bits)) then
      return ("the certificate says %s = %s, but the state has %s; the value can be left out"):format(c.name, core.text(c.target),
        stability.number(values[i]))
    end
  end
end

-- ---- text

function statement.write(problem, proof)
  local equations, parameters, rest = certificate_text.equations(problem)
  for _, list in ipairs{ parameters, rest } do table.move(list, 1, #list, #equations + 1, equations) end
  local lines, put = {}, certificate_text.put
  for _, name in ipairs(problem.given) do put(lines, "given %s", name) end
  for _, c in ipairs(problem.constraints) do
    certificate_text.put_condition(lines, "constraint", { name = c.name, f = c.f, target = core.rational(0) })
  end
  -- their level does not matter
  for _, c in ipairs(proof.integrals) do certificate_text.put_condition(lines, "integral", { name = c.name, f = c.f }) end
  for _, c in ipairs(problem.keep) do certificate_text.put_condition(lines, "keep", c) end
  put(lines, "rest %d", problem.rest and 1 or 0)
  certificate_text.put_proof(lines, proof)
  put(lines, "stable %s", tostring(proof.stable))
  return certificate_text.whole(problem, statement.KIND, equations, lines)
end

local words = {}

function words.given(reader, rest) table.insert(reader.problem.given, rest) end
function words.rest(reader, rest)
  if rest ~= "0" and rest ~= "1" then reader:fail("rest is '%s', neither 1 (all velocities are zero) nor 0", rest) end
  reader.problem.rest = rest == "1"
end
function words.constraint(reader, rest) table.insert(reader.problem.constraints, reader:condition(rest)) end
function words.integral(reader, rest) table.insert(reader.problem.integrals, reader:condition(rest, true)) end
function words.keep(reader, rest) table.insert(reader.problem.keep, reader:condition(rest)) end
words.stable = certificate_text.stable

--- The problem and the proof of a text; raises where it is no certificate.
function statement.read(source)
  local problem = { constraints = {}, integrals = {}, keep = {}, given = {}, from_file = true }
  local proof = certificate_text.read(source, problem, words, { "rest", "stable" })
  certificate_text.demand_equations(problem)
  local n, d, m = #problem.kin, #problem.dyn, #problem.b
  certificate_text.demand_centre(proof, n + d + m, ("%d states and %d multipliers"):format(n + d, m), 1)
  certificate_text.demand_form(problem)
  for _, c in ipairs(problem.constraints) do
    if core.number_value(c.target) ~= 0 then fail("certificate: the constraint '%s' is not zero", c.name) end
  end
  return problem, proof
end

return statement
