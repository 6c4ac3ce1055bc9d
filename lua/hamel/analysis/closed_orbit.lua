-- closed_orbit.lua: the statement that a closed orbit exists, as data: equations, conditions and exact numbers; its proof, its text, read back.
--
--   kin, dyn      states, symbols                        parameters   { { symbol, exact expression }, ... }
--   k, M, A, r, b lists of expressions; M its lower triangle, A row by row
--   conditions    { { name, f, target = exact expression or ball }, ... }: the section first, then integrals that the orbit shall have
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local orbit = {}

local LISTS = { "k", "M", "A", "r", "b" }

local function append(list, more) return table.move(more, 1, #more, #list + 1, list) end

-- An enclosure of the problem with that many bits, with its conditions as outputs
local function open(problem, bits, order)
  local inputs = append(append({ symbols.t }, problem.kin), problem.dyn)
  local parameters, equations, shown = {}, {}, {}
  for i, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    parameters[i] = exact.ball(item[2], "parameter " .. core.text(item[1]), bits)
  end
  for _, name in ipairs(LISTS) do append(equations, problem[name]) end
  for i, condition in ipairs(problem.conditions) do shown[i] = condition.f end
  local dynamics, values = core.program(inputs, equations), core.program(inputs, append(append({}, equations), shown))
  if core.program_uses(values, 1) then fail("prove_periodic: the equations depend on the time; a closed orbit of them is no orbit of an autonomous system") end
  return core.enclosure{ dynamics = dynamics, values = values, kin = #problem.kin, dyn = #problem.dyn, multipliers = #problem.b, parameters = parameters,
    bits = bits, order = order or 0, tangents = true, limit = 1 }
end

--- Tries to prove the orbit near y, balls of the states and the period. o: { bits, order, radius, iterations }; the result is that of the core.
function orbit.prove(problem, y, o)
  local e = open(problem, o.bits, o.order)
  local outputs, targets = {}, {}
  for i, condition in ipairs(problem.conditions) do
    outputs[i], targets[i] = i, exact.ball(condition.target, condition.name, o.bits)
  end
  return e:closed{ y = y, outputs = outputs, targets = targets, iterations = o.iterations, radius = o.radius or 0 }
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

--- The lines of the equations: the same for the same equations.
function orbit.equations(problem)
  local lines = {}
  put_symbols(lines, "kin", problem.kin)
  put_symbols(lines, "dyn", problem.dyn)
  for _, item in ipairs(problem.parameters) do
    local name, order, flags = core.name(item[1])
    put(lines, "parameter %s %d %d = %s", name, order, flags, one_line(core.text(item[2])))
  end
  for _, name in ipairs(LISTS) do
    for _, e in ipairs(problem[name]) do put(lines, "%s %s", name, one_line(core.text(e))) end
  end
  return lines
end

--- A short number of these lines, to tell equations apart (FNV-1a, 64 bits).
function orbit.hash(lines)
  local h = 0xcbf29ce484222325
  for c in (table.concat(lines, "\n")):gmatch "." do h = (h ~ c:byte())*0x100000001b3 end
  return ("%016x"):format(h)
end

--- The text of a certificate. proof: { bits, order, centre = texts, radius = text, image =, contraction = }
function orbit.write(problem, proof)
  local equations = orbit.equations(problem)
  local lines = { "hamel certificate 1" }
  put(lines, "system %s", one_line(problem.name))
  put(lines, "form %s", problem.form)
  put(lines, "hash %s", orbit.hash(equations))
  append(lines, equations)
  for _, condition in ipairs(problem.conditions) do
    put(lines, "condition %s | %s = %s", one_line(condition.name):gsub("[|=]", " "), one_line(core.text(condition.f)), one_line(core.text(condition.target)))
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

-- A symbol from its name, the number of its primes and its flags
local function symbol_of(name, order, flags, where)
  local s = core.symbol(name, whole(flags, where))
  for _ = 1, whole(order, where) do s = s.dot end
  return s
end

--- The problem and the proof of a text; raises where it is no certificate.
function orbit.read(text)
  local problem = { kin = {}, dyn = {}, parameters = {}, conditions = {}, k = {}, M = {}, A = {}, r = {}, b = {}, name = "", form = "" }
  local proof, known, number = { centre = {} }, {}, 0
  local function parsed(source, where)
    local fine, e = pcall(core.parse, source, known)
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
      table.insert(problem[word], symbol_of(name or fail("certificate: %s: no symbol", where), order, flags, where))
      known[#known + 1] = problem[word][#problem[word]]
    elseif word == "parameter" then
      local name, order, flags, value = rest:match "^(%S+) (%d+) (%d+) = (.+)$"
      local s = symbol_of(name or fail("certificate: %s: no parameter", where), order, flags, where)
      table.insert(problem.parameters, { s, parsed(value, where) })
      known[#known + 1] = s
    elseif object.contains(LISTS, word) then
      table.insert(problem[word], parsed(rest, where))
    elseif word == "condition" then
      local name, f, target = rest:match "^(.-) | (.-) = (.+)$"
      if not name then fail("certificate: %s: no condition", where) end
      table.insert(problem.conditions, { name = name, f = parsed(f, where), target = parsed(target, where) })
    elseif word == "centre" then
      table.insert(proof.centre, rest)
    elseif word == "system" or word == "form" or word == "hash" then
      problem[word == "system" and "name" or word] = rest
    elseif word == "bits" or word == "order" then
      proof[word] = whole(rest, where)
    elseif word == "radius" then
      proof.radius = tonumber(rest) or fail("certificate: %s: '%s' is not a number", where, rest)
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
