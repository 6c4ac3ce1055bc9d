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
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local orbit = {}

local LISTS = { "k", "M", "A", "r", "b" }

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
  for _, name in ipairs(LISTS) do append(equations, problem[name]) end
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

local function put(lines, ...) lines[#lines + 1] = (...):format(select(2, ...)) end

local function one_line(text) return (tostring(text):gsub("%s+", " ")) end

local function put_symbols(lines, word, list)
  for _, s in ipairs(list) do
    local name, order, flags = core.name(s)
    put(lines, "%s %s %d %d", word, name, order, flags)
  end
end

--- The lines of the equations, the same for the same equations: of the states, of the parameters, of the rest.
function orbit.equations(problem)
  local states, parameters, rest = {}, {}, {}
  put_symbols(states, "kin", problem.kin)
  put_symbols(states, "dyn", problem.dyn)
  for _, item in ipairs(problem.parameters) do
    local name, order, flags = core.name(item[1])
    put(parameters, "parameter %s %d %d = %s", name, order, flags, one_line(core.text(item[2])))
  end
  for _, name in ipairs(LISTS) do
    for _, e in ipairs(problem[name]) do put(rest, "%s %s", name, one_line(core.text(e))) end
  end
  return states, parameters, rest
end

--- A short number of these lines, to tell equations apart (FNV-1a, 64 bits).
function orbit.hash(lines)
  local h = 0xcbf29ce484222325
  for c in (table.concat(lines, "\n")):gmatch "." do h = (h ~ c:byte())*0x100000001b3 end
  return ("%016x"):format(h)
end

--- The text of a certificate. proof: { bits, order, centre = texts, radius = text, image =, contraction = }
function orbit.write(problem, proof)
  local equations, parameters, rest = orbit.equations(problem)
  append(append(equations, parameters), rest)
  local lines = { "hamel certificate 1" }
  put(lines, "system %s", one_line(problem.name))
  put(lines, "form %s", problem.form)
  put(lines, "hash %s", orbit.hash(equations))
  append(lines, equations)
  for _, i in ipairs(problem.advance) do put(lines, "advance %d", i) end
  for _, i in ipairs(problem.mirror) do put(lines, "mirror %d", i) end
  for _, condition in ipairs(problem.conditions) do
    local word = condition.integral and "integral" or "condition"
    local name = one_line(condition.name):gsub("[|=]", " ")
    put(lines, "%s %s | %s = %s", word, name, one_line(core.text(condition.f)), one_line(core.text(condition.target)))
  end
  put(lines, "bits %d", proof.bits)
  put(lines, "order %d", proof.order or 0)
  for _, text in ipairs(proof.centre) do put(lines, "centre %s", text) end
  put(lines, "radius %s", proof.radius)
  put(lines, "image %.3g", proof.image)
  put(lines, "contraction %.3g", proof.contraction)
  return table.concat(lines, "\n") .. "\n"
end

local function whole(text, where) return math.tointeger(tonumber(text)) or fail("certificate: %s: '%s' is not a whole number", where, tostring(text)) end

-- A symbol from its name, the number of its primes and its flags. States have no assumptions of their own, and time is no symbol of a certificate
local function symbol_of(name, order, flags, where, allowed)
  flags = whole(flags, where)
  if flags & ~allowed ~= 0 then fail("certificate: %s: %s has flags that it must not have: %d", where, name, flags) end
  local s = core.symbol(name, flags)
  for _ = 1, whole(order, where) do s = s.dot end
  return s
end

--- The problem and the proof of a text; raises where it is no certificate.
function orbit.read(text)
  local problem = { parameters = {}, conditions = {}, advance = {}, mirror = {}, name = "", form = "" }
  for _, word in ipairs{ "kin", "dyn", table.unpack(LISTS) } do problem[word] = {} end
  local proof, known, number = { centre = {} }, {}, 0
  local function declare(s, where)
    for _, other in ipairs(known) do
      if core.text(other) == core.text(s) then fail("certificate: %s: %s is declared twice", where, core.text(s)) end
    end
    known[#known + 1] = s
    return s
  end
  local function parsed(source, where)
    local fine, e = protected(core.parse, source, known)
    return fine and e or fail("certificate: %s: '%s' is no expression", where, source)
  end
  for line in text:gmatch "[^\r\n]+" do
    number = number + 1
    local where = "line " .. number
    local word, rest = line:match "^(%a+) (.*)$"
    if number == 1 then
      if line ~= "hamel certificate 1" then fail("certificate: the first line is not 'hamel certificate 1'") end
    elseif word == "kin" or word == "dyn" then
      local name, order, flags = rest:match "^(%S+) (%d+) (%d+)$"
      name = name or fail("certificate: %s: no symbol", where)
      table.insert(problem[word], declare(symbol_of(name, order, flags, where, symbols.DYNAMIC), where))
    elseif word == "parameter" then
      local name, order, flags, value = rest:match "^(%S+) (%d+) (%d+) = (.+)$"
      name = name or fail("certificate: %s: no parameter", where)
      local s = symbol_of(name, order, flags, where, symbols.POSITIVE | symbols.EXTERNAL)
      value = parsed(value, where)
      if #core.symbols{ value } > 0 then fail("certificate: %s: the value of %s is no number", where, name) end
      -- algebra takes the root of the square of a positive symbol for the symbol
      if core.known_positive(s) and exact.ball(value, where, 64):positive() ~= true then fail("certificate: %s: %s is declared positive", where, name) end
      table.insert(problem.parameters, { declare(s, where), value })
    elseif object.contains(LISTS, word) then
      table.insert(problem[word], parsed(rest, where))
    elseif word == "condition" or word == "integral" then
      local name, f, target = rest:match "^(.-) | (.-) = (.+)$"
      if not name then fail("certificate: %s: no condition", where) end
      local last = problem.conditions[#problem.conditions]
      if word == "condition" and last and last.integral then fail("certificate: %s: the integrals come behind the other conditions", where) end
      table.insert(problem.conditions, { name = name, f = parsed(f, where), target = parsed(target, where), integral = word == "integral" })
    elseif word == "advance" or word == "mirror" then
      table.insert(problem[word], whole(rest, where))
    elseif word == "centre" then
      table.insert(proof.centre, rest)
    elseif word == "system" or word == "form" or word == "hash" then
      problem[word == "system" and "name" or word] = rest
    elseif word == "bits" or word == "order" then
      proof[word] = whole(rest, where)
    elseif word == "radius" then
      proof.radius = tonumber(rest)
      local fine = proof.radius and proof.radius > 0 and proof.radius < 1
      if not fine then fail("certificate: %s: the radius '%s' is not a number between 0 and 1", where, rest) end
    elseif word ~= "image" and word ~= "contraction" then
      fail("certificate: %s is not understood: '%s'", where, line)
    end
  end
  local n, d, m = #problem.kin, #problem.dyn, #problem.b
  local complete = n + d > 0 and #problem.k == n and #problem.M == d*(d + 1)//2 and #problem.A == m*d and #problem.r == d and #proof.centre == n + d + 1
  if not complete or #problem.conditions == 0 or not proof.bits or not proof.radius then fail("certificate: lines are missing") end
  return problem, proof
end

return orbit
