-- closed_orbit.lua: the statement that a closed orbit exists, as data: equations, conditions and exact numbers; its proof, its text, read back.
--
--   kin, dyn      states, symbols                        parameters   { { symbol, exact expression }, ... }
--   k, M, A, r, b lists of expressions; M its lower triangle, A row by row
--   conditions    { { name, f, target = exact expression, integral = }, ... }: what holds at the start; integrals of the equations behind the others
--   advance       indices of states that need not close: no equation depends on them. mirror: indices of states that a reversal of time takes to their
--                 negatives; then the orbit is followed for half of its period
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local orbit_symmetry = require "hamel.analysis.orbit_symmetry"
local symbols = require "hamel.algebra.symbols"
local text = require "hamel.analysis.certificate_text"

local fail = object.fail
local orbit = {}

local function append(list, more) return table.move(more, 1, #more, #list + 1, list) end

-- Functions without a jump or a pole: an integral made of them needs no look along the orbit
local smooth = { sin = true, cos = true, exp = true, sinh = true, cosh = true, tanh = true, asinh = true, atan = true, pi = true }

local function is_smooth(e)
  local kind, list = core.kind(e), core.operands(e)
  if kind == "call" and not smooth[core.name(e)] then return false end
  if kind == "power" then
    local n = core.number_value(list[2])
    if not (n and n >= 0 and n % 1 == 0) then return false end
  end
  for _, operand in ipairs(list) do if not is_smooth(operand) then return false end end
  return true
end

-- An enclosure of the problem with that many bits, with its conditions as outputs
local function open(problem, bits, order, fine)
  local inputs = append(append({ symbols.t }, problem.kin), problem.dyn)
  local parameters, equations, shown = {}, {}, {}
  for i, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    parameters[i] = exact.ball(item[2], "parameter " .. core.text(item[1]), bits)
  end
  for _, name in ipairs(text.LISTS) do append(equations, problem[name]) end
  -- an integral that could jump is followed along the orbit, where its series proves that it does not
  local followed = append({}, equations)
  for i, condition in ipairs(problem.conditions) do
    shown[i] = condition.f
    if condition.integral and not is_smooth(condition.f) then followed[#followed + 1] = condition.f end
  end
  local dynamics, values = core.program(inputs, followed), core.program(inputs, append(append({}, equations), shown))
  if core.program_uses(values, 1) then fail("prove_periodic: the equations depend on the time; a closed orbit of them is no orbit of an autonomous system") end
  for _, i in ipairs(problem.advance) do
    local integrals = append({}, equations)
    for _, condition in ipairs(problem.conditions) do if condition.integral then integrals[#integrals + 1] = condition.f end end
    if core.program_uses(core.program(inputs, integrals), 1 + i) then
      fail("prove_periodic: %s has to close: the equations or the integrals depend on it", core.text(inputs[1 + i]))
    end
  end
  return core.enclosure{ dynamics = dynamics, values = values, kin = #problem.kin, dyn = #problem.dyn, multipliers = #problem.b, parameters = parameters,
    bits = bits, order = order or 0, tangents = true, fine = fine, limit = 1 }
end

--- Why the statement would prove nothing; nil: its integrals are integrals, and its reversal takes motions to motions.
function orbit.objection(problem)
  local name = orbit_integrals.refuted(problem)
  if name then return ("'%s' is not shown to be an integral of the equations"):format(name) end
  if #problem.mirror == 0 then return nil end
  if not orbit_symmetry.reverses(problem) then return "the equations are not shown to be the same under the reversal of time" end
  for _, i in ipairs(problem.mirror) do
    local state, held = problem.kin[i] or problem.dyn[i - #problem.kin], false
    for _, c in ipairs(problem.conditions) do held = held or c.f == state and core.number_value(c.target) == 0 end
    if not held then return ("%s does not vanish at the start of the half orbit"):format(core.text(state)) end
  end
end

-- The conditions as the core takes them
local function statement(problem, y, bits)
  local outputs, targets, integrals = {}, {}, 0
  for i, condition in ipairs(problem.conditions) do
    outputs[i], targets[i] = i, exact.ball(condition.target, condition.name, bits)
    if condition.integral then integrals = integrals + 1 end
  end
  return { y = y, outputs = outputs, targets = targets, integrals = integrals, advance = problem.advance, mirror = problem.mirror }
end

--- Tries to prove the orbit near y, balls of the states and the period. o: { bits, order, radius, iterations }; the result is that of the core.
function orbit.prove(problem, y, o)
  local objection = orbit.objection(problem)
  if objection then return { proved = false, reason = objection, steps = 0, y = y } end
  local given = statement(problem, y, o.bits)
  given.iterations, given.radius = o.iterations, o.radius or 0
  return open(problem, o.bits, o.order):closed(given)
end

--- The multipliers of the proved orbit with the start and the period y, without those that are 1 for every orbit of its kind: balls
--- { re =, im =, size = }; nil where they are not proved to be apart.
function orbit.multipliers(problem, y, o)
  local given = statement(problem, y, o.bits)
  -- the direction of the motion, each integral and each state that nothing depends on give a multiplier 1
  given.ones = 1 + given.integrals + #problem.advance
  return open(problem, o.bits, o.order, true):multipliers(given)
end

-- ---- text

--- The text of a certificate. proof: { bits, order, centre = texts, radius = text, image =, contraction = }
function orbit.write(problem, proof)
  local equations, parameters, rest = text.equations(problem)
  append(append(equations, parameters), rest)
  local lines = {}
  for _, name in ipairs(problem.given or {}) do text.put(lines, "given %s", name) end
  for _, i in ipairs(problem.advance) do text.put(lines, "advance %d", i) end
  for _, i in ipairs(problem.mirror) do text.put(lines, "mirror %d", i) end
  for _, condition in ipairs(problem.conditions) do text.put_condition(lines, condition.integral and "integral" or "condition", condition) end
  text.put_proof(lines, proof, proof.order or 0)
  return text.whole(problem, nil, equations, lines)
end

local words = {}

function words.parameter(reader, rest) reader:parameter(rest, false) end
function words.given(reader, rest) table.insert(reader.problem.given, rest) end

local function condition(reader, rest, word)
  local conditions = reader.problem.conditions
  local last = conditions[#conditions]
  if word == "condition" and last and last.integral then reader:fail("the integrals come behind the other conditions") end
  local one = reader:condition(rest)
  one.integral = word == "integral"
  table.insert(conditions, one)
end
words.condition, words.integral = condition, condition

local function place(reader, rest, word) table.insert(reader.problem[word], reader:whole(rest)) end
words.advance, words.mirror = place, place

--- The problem and the proof of a text; raises where it is no certificate.
function orbit.read(source)
  local problem = { conditions = {}, advance = {}, mirror = {}, given = {} }
  local proof = text.read(source, problem, words)
  local n, d, m = #problem.kin, #problem.dyn, #problem.b
  local complete = n + d > 0 and #problem.k == n and #problem.M == d*(d + 1)//2 and #problem.A == m*d and #problem.r == d and #proof.centre == n + d + 1
  if not complete or #problem.conditions == 0 or not proof.order then fail("certificate: lines are missing") end
  if not (proof.radius > 0 and proof.radius < 1) then fail("certificate: the radius %g is not a number between 0 and 1", proof.radius) end
  return problem, proof
end

return orbit
