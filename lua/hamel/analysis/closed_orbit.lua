-- closed_orbit.lua: the statement that a closed orbit exists, as data: equations, conditions and exact numbers; its proof, its text, read back.
--
--   kin, dyn      states, symbols                        parameters   { { symbol, exact expression [, the other end of a box] }, ... }
--   k, M, A, r, b lists of expressions; M its lower triangle, A row by row
--   conditions    { { name, f, target = exact expression, integral = }, ... }: what holds at the start; integrals of the equations behind the others
--   advance       indices of states that need not close: nothing depends on them but the rates of others of their kind.
--   mirror        indices of states that a reversal of time takes to their negatives; then the orbit is followed for half of its period
--   flip, shift   indices of coordinates that come back with the other sign; { { index, exact expression }, ... }: what coordinates gain in a period
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local orbit_symmetry = require "hamel.analysis.orbit_symmetry"
local symbols = require "hamel.algebra.symbols"
local text = require "hamel.analysis.certificate_text"
local unit_quaternion = require "hamel.algebra.unit_quaternion"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local orbit = {
  --- What is said of a period that is not proved to be the least one.
  PERHAPS_MULTIPLE = "perhaps a multiple of the least one",
  --- Why an orbit is not proved although the states close whose equations were taken.
  ROWS_FAIL = "that the last states close, too, should follow from the integrals, but is not shown",
}

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

-- Parameters known within bounds are states at rest, behind the others
local is_box = text.is_box

local function value_of(item, bits)
  return (exact.ball(item[3] and { item[2], item[3] } or item[2], "parameter " .. core.text(item[1]), bits))
end

-- Balls of these parameters
local function held_of(problem, bits)
  local list = {}
  for _, item in ipairs(problem.parameters) do if is_box(item) then list[#list + 1] = value_of(item, bits) end end
  return list
end

-- The states x with the parameters known within bounds; where `middle`, with their midpoints
local function with_held(problem, x, bits, middle)
  for _, ball in ipairs(held_of(problem, bits)) do x[#x + 1] = middle and ball:midpoint() or ball end
  return x
end

-- An enclosure of the problem with that many bits, with its conditions as outputs
local function open(problem, o, fine)
  local bits = o.bits
  local inputs = append(append({ symbols.t }, problem.kin), problem.dyn)
  local held, fixed, parameters, equations, shown = {}, {}, {}, {}, {}
  for _, item in ipairs(problem.parameters) do
    table.insert(is_box(item) and held or fixed, item[1])
    if not is_box(item) then parameters[#parameters + 1] = value_of(item, enclosed.bits_of_numbers(bits)) end
  end
  append(append(inputs, held), fixed)
  for _, name in ipairs(text.LISTS) do append(equations, problem[name]) end
  -- an integral that could jump is followed along the orbit, where its series proves that it does not
  local followed = append({}, equations)
  for i, condition in ipairs(problem.conditions) do
    shown[i] = condition.f
    if condition.integral and not is_smooth(condition.f) then followed[#followed + 1] = condition.f end
  end
  local dynamics, values = core.program(inputs, followed), core.program(inputs, append(append({}, equations), shown))
  if core.program_uses(values, 1) then fail("prove_periodic: the equations depend on the time; a closed orbit of them is no orbit of an autonomous system") end
  -- only the rates of states that advance may depend on such states
  local seen, advances = {}, {}
  for _, i in ipairs(problem.advance) do advances[i] = true end
  for _, name in ipairs(text.LISTS) do
    for i, e in ipairs(problem[name]) do if name ~= "k" or not advances[i] then seen[#seen + 1] = e end end
  end
  for _, condition in ipairs(problem.conditions) do if condition.integral then seen[#seen + 1] = condition.f end end
  for _, i in ipairs(problem.advance) do
    if core.program_uses(core.program(inputs, seen), 1 + i) then
      fail("prove_periodic: %s has to close: the equations or the integrals depend on it", core.text(inputs[1 + i]))
    end
  end
  return core.enclosure{ dynamics = dynamics, values = values, kin = #problem.kin, dyn = #problem.dyn, multipliers = #problem.b, held = #held,
    parameters = parameters, bits = bits, order = o.order or 0, tangents = true, fine = fine, limit = 1, most_steps = o.most_steps or 0 }
end

--- The same radius for all states and the period.
function orbit.same_radii(problem, radius, bits)
  local list = {}
  for i = 1, #problem.kin + #problem.dyn + 1 do list[i] = exact.ball(radius, "radius", bits) end
  return list
end

-- Why the statement would prove nothing; nil: its integrals are integrals, and its reversal takes motions to motions. Then the matrix that has to be regular
-- for that
local function objection_to(problem)
  local name, square = orbit_integrals.refuted(problem)
  if name then return ("'%s' is not shown to be an integral of the equations"):format(name) end
  local reason = orbit_symmetry.refuted(problem)
  if reason then return reason end
  if #problem.mirror == 0 then return nil, square end
  if #problem.flip + #problem.shift > 0 then return "a half orbit has no signs and shifts after a period" end
  if not orbit_symmetry.reverses(problem) then return "the equations are not shown to be the same under the reversal of time" end
  local free = {}
  for _, i in ipairs(problem.advance) do free[i] = true end
  for _, i in ipairs(problem.mirror) do
    local state, held = problem.kin[i] or problem.dyn[i - #problem.kin], free[i]
    for _, c in ipairs(problem.conditions) do held = held or c.f == state and core.number_value(c.target) == 0 end
    if not held then return ("%s does not vanish at the start of the half orbit"):format(core.text(state)) end
  end
  return nil, square
end

-- Is the matrix that the integrals need regular at the start y of a proved orbit?
local function keeps_integrals(problem, square, y, bits)
  local inputs = append(append({ symbols.t }, problem.kin), problem.dyn)
  local x = table.move(y, 1, #y - 1, 1, {})
  for _, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    x[#x + 1] = value_of(item, bits)
  end
  return orbit_integrals.is_regular(square, function(list) return core.ball_values(core.program(inputs, list), core.ball("0", 2), x, bits) end, bits)
end

--- A state whose rate is 1 and which has to close, as that of time with a stroboscope, and what it gains in a period, which is the period then; nil: none.
function orbit.clock(problem)
  for _, one in ipairs(problem.shift) do
    local rate = problem.k[one[1]]
    if rate and core.number_value(rate) == 1 and not object.contains(problem.advance, one[1]) then return one[1], one[2] end
  end
end

-- The conditions as the core takes them
local function statement(problem, y, bits)
  local outputs, targets, integrals = {}, {}, 0
  for i, condition in ipairs(problem.conditions) do
    outputs[i], targets[i] = i, exact.ball(condition.target, condition.name, enclosed.bits_of_numbers(bits))
    if condition.integral then integrals = integrals + 1 end
  end
  local shift
  if #problem.shift > 0 then
    shift = {}
    for i = 1, #problem.kin + #problem.dyn do shift[i] = core.ball("0", 2) end
    for _, one in ipairs(problem.shift) do shift[one[1]] = exact.ball(one[2], "shift", bits) end
  end
  return { y = y, held = held_of(problem, bits), outputs = outputs, targets = targets, integrals = integrals, advance = problem.advance,
    mirror = problem.mirror, flip = problem.flip, shift = shift, clock = (orbit.clock(problem)) }
end

local MOST_LOOKED_AT = 2000            -- steps of a motion that is only looked at

-- From here on of what the derivatives leave open at the middle of the box, they are computed to more digits
local ROUGH = 0.1

--- Tries to prove the orbit near y, balls of the states and the period. o: { bits, order, radii = balls, iterations, most_steps = of each passage of the
--- orbit }; the result is that of the core.
function orbit.prove(problem, y, o)
  local objection, square = objection_to(problem)
  if objection then return { proved = false, reason = objection, steps = 0, y = y } end
  local given = statement(problem, y, o.bits)
  given.iterations, given.radii = o.iterations, o.radii
  local found = open(problem, o):closed(given)
  if not (found.proved or found.rows_fail or found.least < ROUGH) then
    given.y = found.y
    found = open(problem, o, true):closed(given)
  end
  if found.proved and not keeps_integrals(problem, square, found.y, o.bits) then
    return { proved = false, reason = orbit_integrals.SINGULAR, steps = found.steps, y = found.y }
  end
  return found
end

--- The states at the end of the period y[#y], from the midpoint of y, as balls of few bits; nil where the motion is lost before.
function orbit.finish(problem, y)
  local x, bits = {}, 64
  for i = 1, #y - 1 do x[i] = y[i]:midpoint() end
  local e = open(problem, { bits = bits })
  e:start(core.ball("0", 2), with_held(problem, x, bits, true))
  return (e:run{ y[#y]:midpoint() })[1]
end

-- The largest of the rates of the states that have to close, in numbers; at: states and accelerations, balls
local function rate_of(problem, program, at)
  local n, d, advances, most = #problem.kin, #problem.dyn, {}, 0
  for _, i in ipairs(problem.advance) do advances[i] = true end
  local clock, x = orbit.clock(problem), table.move(at, 1, n + d, 1, {})
  for _, item in ipairs(problem.parameters) do x[#x + 1] = value_of(item, 64):midpoint() end
  local rates = append(core.ball_values(program, core.ball("0", 2), x, 64), table.move(at, n + d + 1, n + 2*d, 1, {}))
  for i, rate in ipairs(rates) do
    if not advances[i] and i ~= clock then most = math.max(most, math.abs(rate.lower), math.abs(rate.upper)) end
  end
  return most
end

--- How fast the motion from the midpoint of y moves, which has the period y[#y]: at the start, and at the multiples `times` of the period that are reached, a
--- list; then the states at these. Bounds in balls of so many bits.
function orbit.rates(problem, y, times, bits)
  local x, inputs, ends = {}, append(append({ symbols.t }, problem.kin), problem.dyn), { core.ball("0", 2) }
  for i = 1, #y - 1 do x[i] = y[i]:midpoint() end
  for _, item in ipairs(problem.parameters) do inputs[#inputs + 1] = item[1] end
  for i, times_period in ipairs(times) do ends[i + 1] = core.ball(("%a"):format(times_period*y[#y]:midpoint().lower), 64) end
  local program = core.program(inputs, problem.k)
  local e = open(problem, { bits = bits, most_steps = MOST_LOOKED_AT })
  e:start(core.ball("0", 2), with_held(problem, x, bits, true))
  local states, rates = e:run(ends), {}
  for i, at in ipairs(states) do rates[i] = rate_of(problem, program, at) end
  return rates, states
end

--- The multipliers of the proved orbit with the start and the period y, without those that are 1 for every orbit of its kind: balls
--- { re =, im =, size = }; nil where they are not proved to be apart.
function orbit.multipliers(problem, y, o)
  local given = statement(problem, y, o.bits)
  -- the direction of the motion, each integral and each state that nothing depends on give a multiplier 1
  given.ones = 1 + given.integrals + #problem.advance
  return open(problem, o, true):multipliers(given)
end

-- Primes up to n
local function primes(n)
  local list = {}
  for p = 2, n do
    local fine = true
    for _, q in ipairs(list) do fine = fine and p % q ~= 0 end
    if fine then list[#list + 1] = p end
  end
  return list
end

-- Numbers in programs are doubles: the divisor is an input
local function divided(x, p, bits)
  local a, b = core.symbol("dividend", symbols.EXTERNAL), core.symbol("divisor", symbols.EXTERNAL)
  return core.ball_values(core.program({ symbols.t, a, b }, { a/b }), core.ball("0", 2), { x, core.ball(tostring(p), bits) }, bits)[1]
end

--- A ball times a number, of which only twice and whole parts are exact.
function orbit.scaled(x, times, bits)
  return times >= 1 and core.ball_sum(x, x, 1) or divided(x, math.floor(1/times + 0.5), bits):midpoint()
end

--- The period of the proved orbit with the start and the period y, as a ball of so many bits, and whether it is known exactly: what a state gains whose
--- rate is 1 and which has to close.
function orbit.period(problem, y, bits)
  local clock, gain = orbit.clock(problem)
  if clock then return exact.ball(gain, "period", bits), true end
  local period = y[#y]
  return #problem.mirror > 0 and core.ball_sum(period, period, 1) or period, false
end

local MOST_PARTS = 4000                -- of a period: beyond, that it is the least one costs more than the proof

-- Is a condition that these four states, from the i-th on, are a unit quaternion? Entries that a certificate names are plain symbols
local function is_unit(problem, i)
  local squares = { core.rational(-1) }
  for k = i, i + 3 do squares[#squares + 1] = problem.kin[k]^2 end
  local whole = core.sum(squares)
  for _, c in ipairs(problem.conditions) do
    if c.integral and core.number_value(c.target) == 0 and vanishing.proved(c.f - whole) then return true end
  end
  return false
end

-- Places of the quaternions among the states, four behind each other
local function quaternions_of(problem)
  local list, i = {}, 1
  while i + 3 <= #problem.kin do
    local found = unit_quaternion.is_entry(problem.kin[i]) or is_unit(problem, i)
    if found then list[#list + 1] = { i, i + 1, i + 2, i + 3 } end
    i = i + (found and 4 or 1)
  end
  return list
end

local function is_apart(x, y, i, sign) return core.ball_sum(x[i], y[i], -sign):holds(core.ball("0", 2)) == false end

-- Is the state x after a part of the period not that of the start y? e and -e are one attitude
local function differs(problem, x, y)
  local skipped = {}
  for _, i in ipairs(problem.advance) do skipped[i] = true end
  for _, places in ipairs(quaternions_of(problem)) do
    local plus, minus = false, false
    for _, i in ipairs(places) do
      plus, minus, skipped[i] = plus or is_apart(x, y, i, 1), minus or is_apart(x, y, i, -1), true
    end
    if plus and minus then return true end
  end
  for i = 1, #y - 1 do if not skipped[i] and is_apart(x, y, i, 1) then return true end end
  return false
end

-- Have the turns of the coordinates no common divisor? Then the orbit is closed after no part of the period: each part has a part of the turns
local function shifts_once(problem)
  local divisor = 0
  for _, one in ipairs(problem.shift) do
    local turns = core.number_value(one[2]/(2*core.pi()))
    if not turns or turns % 1 ~= 0 then return nil end
    local a, b = divisor, math.abs(turns)
    while b > 0 do a, b = b, a % b end
    divisor = a
  end
  return divisor == 1 or nil
end

local PARTS, NEAR = { 5, 4, 3, 2, 1 }, 1e-6

--- After which part 1/p of the period y[#y], p = 1 ... 5, is the motion at its start again? The number p, as far as numbers without a proof tell, or nil.
--- 1 for half orbits and states that gain something, which are not looked at.
function orbit.repeats(problem, y)
  if #problem.mirror + #problem.flip + #problem.shift > 0 then return 1 end
  local bits, x, times, free = 64, {}, {}, {}
  for i = 1, #y - 1 do x[i] = y[i]:midpoint() end
  for k, p in ipairs(PARTS) do times[k] = divided(y[#y]:midpoint(), p, bits) end
  for _, i in ipairs(problem.advance) do free[i] = true end
  local e = open(problem, { bits = bits })
  e:start(core.ball("0", 2), with_held(problem, table.move(x, 1, #x, 1, {}), bits, true))
  for k, at in ipairs((e:run(times))) do
    local near = true
    for i, start in ipairs(x) do near = near and (free[i] or math.abs(at[i].lower - start.lower) < NEAR*(1 + math.abs(start.lower))) end
    if near then return PARTS[k] end
  end
end

--- Is the period of the proved orbit, with the start and the period y, its least one? true, or nil: not proved. The least period is the period divided by a
--- whole number; the orbit does not come back within a time h, so that this number is below T/h, and no state at T/p, p a prime below, is that of the
--- start.
function orbit.least(problem, y, o)
  if #problem.shift > 0 then return shifts_once(problem) end
  local given = statement(problem, y, o.bits)
  given.quaternions = {}
  for _, places in ipairs(quaternions_of(problem)) do append(given.quaternions, places) end
  local e = open(problem, o)
  local h = e:no_return(given)
  local period = orbit.period(problem, y, o.bits)
  local most = h and math.floor(period.upper/h) or math.huge
  if most > MOST_PARTS then return nil end
  local times, x = {}, table.move(y, 1, #y - 1, 1, {})
  for _, p in ipairs(primes(most)) do table.insert(times, 1, divided(period, p, o.bits)) end
  if #times == 0 then return true end
  e:start(core.ball("0", 2), with_held(problem, x, o.bits))
  local found = e:run(times)
  if #found < #times then return nil end
  for _, at in ipairs(found) do if not differs(problem, at, y) then return nil end end
  return true
end

-- ---- repeated proofs

-- Work that a repeated proof takes at most: products of orders of series, of 64 bits each, in all passages of the orbit. Some 1e9 take a second; the first
-- limit is about a minute, the second one holds where a long proof is asked for
local MOST_WORK, MOST_LONG_WORK, A_SECOND = 5e10, 1e12, 1e9
local PASSAGES = 3

-- The work of a proof with so many bits that takes as many steps as the certificate claims, and the order of its series. Nothing is done but what is claimed
local function work_of(problem, proof, bits)
  local order = proof.order > 0 and proof.order or 0.45*bits
  local outputs = #problem.k + #problem.M + #problem.A + #problem.r + #problem.b
  local size = 0
  for _, name in ipairs(text.LISTS) do for _, e in ipairs(problem[name]) do size = size + core.tree_size(e) end end
  return PASSAGES*proof.steps*(size + outputs)*(order + 2)^2*(bits/64)^1.6, order
end

-- Why a proof is too long to be repeated; nil: it is not
local function too_long(problem, proof, bits, long)
  local work, order = work_of(problem, proof, bits)
  local most = long and MOST_LONG_WORK or MOST_WORK
  if work <= most then return nil end
  return ("the certificate claims %d steps of order %d with %d bits, more than is repeated (%.1g operations, at most %.1g%s)"):format(proof.steps,
    math.floor(order), proof.bits, work, most, not long and work <= MOST_LONG_WORK and ("; with --long, or long = true in check_certificate, it is: "
    .. "about %d minutes"):format(math.ceil(work/A_SECOND/60)) or "")
end

-- With more bits than the order given, the steps would be many more
local function more_bits(proof) return proof.order > 0 and math.min(text.MORE_BITS, proof.order) or text.MORE_BITS end

local function repeated(problem, proof, most_steps)
  local bits, radii = proof.bits + more_bits(proof), {}
  for i, radius in ipairs(proof.radii) do radii[i] = core.ball(radius, 64) end
  local found = orbit.prove(problem, text.centre(proof, bits), { bits = bits, order = proof.order > 0 and proof.order or nil, radii = radii,
    iterations = 0, most_steps = most_steps })
  if found.proved then return found end
  if found.reason ~= "" then return nil, found.reason end
  if found.rows_fail then return nil, orbit.ROWS_FAIL end
  return nil, ("the image %.3g is not within the radius %.3g"):format(found.image, found.tried)
end

--- About how many seconds the repeated proof of a certificate takes at most.
function orbit.seconds(problem, proof) return work_of(problem, proof, proof.bits + more_bits(proof))/A_SECOND end

--- Proves with more bits what a certificate states, and that its bounds hold: the result, or nil and the reason. long: it may take many minutes.
function orbit.prove_again(problem, proof, long)
  local refusal = too_long(problem, proof, proof.bits + more_bits(proof), long)
  if refusal then return nil, refusal end
  local found, reason = repeated(problem, proof, proof.steps)
  if not found then return nil, reason end
  reason = text.exaggerated(proof, found)
  if reason then return nil, reason end
  return found
end

local FURTHER_STEPS = 4                -- with other libraries there may be some more, by a quarter too

--- The bounds that a certificate states, those of a proof with more bits: put into `proof`, { bits, order, centre, radii = texts }. The reason where that
--- proof fails.
function orbit.put_bounds(problem, proof)
  local found, reason = repeated(problem, proof, 0)
  if not found then return reason end
  text.state(proof, found)
  proof.steps = found.steps + found.steps//4 + FURTHER_STEPS
end

-- ---- text

--- The text of a certificate. proof: { bits, order, steps, centre, radii, images = texts, contraction = text }
function orbit.write(problem, proof)
  local equations, parameters, rest = text.equations(problem)
  append(append(equations, parameters), rest)
  local lines = {}
  for _, name in ipairs(problem.given or {}) do text.put(lines, "given %s", name) end
  for _, i in ipairs(problem.advance) do text.put(lines, "advance %d", i) end
  for _, i in ipairs(problem.mirror) do text.put(lines, "mirror %d", i) end
  for _, i in ipairs(problem.flip) do text.put(lines, "flip %d", i) end
  for _, one in ipairs(problem.shift) do text.put(lines, "shift %d = %s", one[1], text.one_line(core.text(one[2]))) end
  for _, condition in ipairs(problem.conditions) do text.put_condition(lines, condition.integral and "integral" or "condition", condition) end
  text.put_proof(lines, proof, proof.order or 0)
  text.put(lines, "steps %d", proof.steps)
  return text.whole(problem, nil, equations, lines)
end

local words = {}

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
words.advance, words.mirror, words.flip = place, place, place

function words.shift(reader, rest)
  local i, value = rest:match "^(%d+) = (.+)$"
  if not i then reader:fail("no shift") end
  table.insert(reader.problem.shift, { reader:whole(i), reader:number(value) })
end

function words.steps(reader, rest)
  reader.proof.steps = reader:whole(rest)
  if reader.proof.steps < 1 then reader:fail("%d steps; an orbit takes at least one", reader.proof.steps) end
end

--- The problem and the proof of a text; raises where it is no certificate.
function orbit.read(source)
  local problem = { conditions = {}, advance = {}, mirror = {}, flip = {}, shift = {}, given = {} }
  local proof = text.read(source, problem, words, { "order", "steps" })
  text.demand_equations(problem)
  local n, d = #problem.kin, #problem.dyn
  for _, list in ipairs{ problem.advance, problem.mirror, problem.flip, problem.shift } do
    local seen = {}
    for _, i in ipairs(list) do
      i = type(i) == "table" and i[1] or i
      if i < 1 or i > n + d or seen[i] then fail("certificate: there is no state %d, or it stands twice in a list", i) end
      seen[i] = true
    end
  end
  if #problem.conditions == 0 then fail("certificate: lines are missing: there is no line 'condition' or 'integral'") end
  text.demand_centre(proof, n + d + 1, ("%d states and the period"):format(n + d), n + d + 1)
  text.demand_form(problem)
  for _, radius in ipairs(proof.radii) do
    local wide = core.ball(radius, 64)
    if not (wide:positive() and wide.upper <= 1.0) then fail("certificate: the radius %s is not a number between 0 and 1", radius) end
  end
  return problem, proof
end

return orbit
