-- certificate.lua: proofs that others wrote, proved again: hm.check_certificate and `hamel verify`.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local equilibrium = require "hamel.analysis.prove_equilibrium"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local fixed_point = require "hamel.analysis.prove_fixed_point"
local fixed_point_statement = require "hamel.analysis.fixed_point_statement"
local object = require "hamel.base.object"
local orbit = require "hamel.analysis.closed_orbit"
local periodic = require "hamel.analysis.prove_periodic"
local stability = require "hamel.analysis.proved_stability"
local steady_statement = require "hamel.analysis.equilibrium_statement"

local fail = object.fail
local certificate = {}

local MORE_BITS = 64

local function centre_of(proof, bits)
  local y = {}
  for i, text in ipairs(proof.centre) do y[i] = exact.ball(text, ("certificate: centre %d"):format(i), bits) end
  return y
end

-- ---- comparison with a system

-- The first line of a list that the other list has not, or has elsewhere
local function first_missing(list, other)
  for i, line in ipairs(list) do if other[i] ~= line then return line end end
end

-- The first line of the equations of one problem that the other one has not; parameters of sections, further integrals and kept values may follow
local function other_line(problem, own, name)
  local states, parameters, rest = certificate_text.equations(problem)
  local own_states, own_parameters, own_rest = certificate_text.equations(own)
  local line = first_missing(own_states, states) or first_missing(own_parameters, parameters) or first_missing(own_rest, rest)
  if line then return ("the line '%s' of %s is missing or other"):format(line, name) end
  for i = #own_parameters + 1, #parameters do
    if not parameters[i]:find "^parameter constant%d+ " then return ("the line '%s' is not one of %s"):format(parameters[i], name) end
  end
  line = first_missing(rest, own_rest) or first_missing(states, own_states)
  if line then return ("the line '%s' is not one of %s"):format(line, name) end
end

-- The values of the parameters that the proof was given in place of those of the system
local function given_parameters(problem)
  local values = {}
  for _, name in ipairs(problem.given) do
    for _, item in ipairs(problem.parameters) do
      if core.text(item[1]) == name then values[name] = item[3] and { item[2], item[3] } or item[2] end
    end
  end
  return values
end

-- Why the certificate cannot be one of the system at a glance; nil: it may be
local function foreign(system, problem)
  if not object.is_a(system, "System") then fail("check_certificate(S, path): this certificate is checked against a system, not against a map") end
  for _, name in ipairs(problem.given) do
    if not system._parameter[name] then return ("'%s' is not a parameter of %s"):format(name, system.name) end
  end
  local n = #problem.kin
  if #system.coordinate_names ~= n then return "the number of coordinates differs" end
  for i, name in ipairs(system.coordinate_names) do
    if core.text(problem.kin[i]) ~= name then return ("coordinate %d is %s, not %s"):format(i, core.text(problem.kin[i]), name) end
  end
end

-- ---- closed orbits

local closed_orbit = { read = orbit.read }

-- true, or false and the reason
function closed_orbit.prove(problem, proof)
  local bits = proof.bits + MORE_BITS
  local found = orbit.prove(problem, centre_of(proof, bits), { bits = bits, order = proof.order > 0 and proof.order or nil, radius = proof.radius,
    iterations = 0 })
  if found.proved then return true end
  if found.reason ~= "" then return false, found.reason end
  if found.rows_fail then return false, "the integrals do not determine the rows left out" end
  return false, ("the image %.3g is not within the radius %.3g"):format(found.image, found.tried)
end

-- An integral that the orbit must have. The level of the energy is a choice
local function line_of(c) return ("%s | %s%s"):format(c.name, core.text(c.f), c.name == "energy" and "" or " = " .. core.text(c.target)) end

-- What differs between the certificate and the system; nil: nothing
function closed_orbit.difference(system, problem, proof)
  local n = #problem.kin
  local other = foreign(system, problem) or #problem.dyn ~= n and "the number of coordinates differs"
  if other then return other end
  local o = { form = "lagrange", q = {}, v = {}, energy = 0, at = 0, integrals = {}, parameters = given_parameters(problem) }
  for i, name in ipairs(system.coordinate_names) do o.q[name], o.v[name] = proof.centre[i], proof.centre[n + i] end
  local m = enclosed.new(system, o, "check_certificate", 0.0)
  if not (m.E.energy and m.conservative) then o.energy = nil end
  local own = periodic.problem_of(system, m, o, core.rational(0))
  other = other_line(problem, own, system.name)
  if other then return other end
  local found = {}
  for _, c in ipairs(problem.conditions) do if c.integral then found[line_of(c)] = true end end
  for _, c in ipairs(own.conditions) do
    -- half orbits are closed on any level of the energy
    if c.integral and not found[line_of(c)] and #problem.mirror == 0 then return ("the condition '%s' is missing or other"):format(line_of(c)) end
  end
end

function closed_orbit.say(path, problem, proof)
  print(("%s: proved: the equations in it, of '%s', have a closed orbit; %s is %s +/- %g"):format(path, problem.name,
    #problem.mirror > 0 and "half a period" or "a period", proof.centre[#proof.centre], proof.radius))
  for _, c in ipairs(problem.conditions) do
    print(("  %s: %s = %s%s"):format(c.name, core.text(c.f), core.text(c.target), c.integral and ", shown to be an integral of these equations" or ""))
  end
end

-- ---- states and fixed points, whose proofs have verdicts

-- A proof of the statement with its centre, and with the verdict that it claims
local function prove_with_verdict(statement, problem, proof)
  local bits = proof.bits + MORE_BITS
  local found = statement.prove(problem, centre_of(proof, bits), { bits = bits, radius = proof.radius, iterations = 0 })
  if not found.proved then return false, found.reason end
  if proof.stable ~= "nil" and tostring(found.stable) ~= proof.stable then
    return false, ("the certificate says 'stable %s', which is not proved again: %s"):format(proof.stable, found.verdict)
  end
  return true, nil, found
end

local function say_place(list, found)
  for i, s in ipairs(list) do print(("  %s = %s"):format(core.text(s), stability.number(found.x[i]))) end
end

local steady_state = { read = steady_statement.read }

function steady_state.prove(problem, proof) return prove_with_verdict(steady_statement, problem, proof) end

local function named(list)
  local found = {}
  for _, c in ipairs(list) do found[c.name .. " | " .. core.text(c.f)] = true end
  return found
end

function steady_state.difference(system, problem, proof)
  local other = foreign(system, problem)
  if other then return other end
  local o = { form = problem.form, q = {}, parameters = given_parameters(problem), rest = problem.rest }
  for i, name in ipairs(system.coordinate_names) do o.q[name] = proof.centre[i] end
  local own = equilibrium.problem_of(system, equilibrium.prepared(system, o), o)
  other = other_line(problem, own, system.name)
  if other then return other end
  local here, there = named(problem.constraints), named(own.constraints)
  for line in pairs(there) do if not here[line] then return ("the constraint '%s' is missing or other"):format(line) end end
  for line in pairs(here) do if not there[line] then return ("'%s' is no constraint of %s"):format(line, system.name) end end
end

function steady_state.say(path, problem, _, found)
  print(("%s: proved: the equations in it, of '%s', have a %s; %s"):format(path, problem.name, problem.rest and "state of rest" or "steady motion",
    found.verdict))
  local states = table.move(problem.dyn, 1, #problem.dyn, #problem.kin + 1, table.move(problem.kin, 1, #problem.kin, 1, {}))
  say_place(states, found)
  for _, i in ipairs(found.free) do print(("  nothing depends on %s: the verdict is about the other states"):format(core.text(states[i]))) end
  for _, i in ipairs(found.held) do print(("  %s chooses one of a family of such states"):format(core.text(states[i]))) end
  for _, c in ipairs(problem.keep) do print(("  kept: %s = %s"):format(core.text(c.f), core.text(c.target))) end
  for _, c in ipairs(problem.constraints) do print(("  constraint %s: %s = 0, shown to hold along the motions"):format(c.name, core.text(c.f))) end
end

local point = { read = fixed_point_statement.read }

function point.prove(problem, proof) return prove_with_verdict(fixed_point_statement, problem, proof) end

function point.difference(other, problem)
  local own = fixed_point.problem(other)
  if not own then fail "check_certificate: a certificate of a map is checked against a proof of hm.prove_fixed_point with the same map" end
  if own.period ~= problem.period then return ("the period is %d, not %d"):format(problem.period, own.period) end
  return other_line(problem, own, "the map")
end

function point.say(path, problem, _, found)
  print(("%s: proved: the map in it, '%s', has a %s; %s"):format(path, problem.name,
    problem.period == 1 and "fixed point" or ("cycle of period %d"):format(problem.period), found.verdict))
  say_place(problem.kin, found)
end

-- ---- all of them

local kinds = { ["closed orbit"] = closed_orbit, [steady_statement.KIND] = steady_state, [fixed_point_statement.KIND] = point }

local function read(path)
  if type(path) ~= "string" then fail("check_certificate(S, path) takes the path of a certificate, not %s", object.a and object.a(path) or type(path)) end
  local text, problem = files.read(path)
  if not text then fail("certificate: cannot read %s: %s", path, problem) end
  local name = certificate_text.kind(text)
  local kind = kinds[name]
  if not kind then fail("certificate: the kind '%s' is not known", name) end
  return kind, kind.read(text)
end

--- hm.check_certificate.
function certificate.check(system, path)
  enclosed.demand_balls "check_certificate"
  if not object.is_a(system, "System") and not fixed_point.problem(system) then fail("check_certificate(S, path) takes a system first") end
  local kind, problem, proof = read(path)
  local other = kind.difference(system, problem, proof)
  if other then return false, "the certificate is of another system: " .. other end
  local proved, reason = kind.prove(problem, proof)
  if proved then return true end
  return false, reason
end

--- `hamel verify orbit.cert ...`: proves certificates again, of the equations written in them.
function certificate.command(arguments)
  if #arguments == 0 then object.wrong_usage("usage: hamel verify orbit.cert ...") end
  enclosed.demand_balls "verify"
  local all = true
  for _, path in ipairs(arguments) do
    local kind, problem, proof = read(path)
    local proved, reason, found = kind.prove(problem, proof)
    all = all and proved
    if proved then kind.say(path, problem, proof, found)
    else print(("%s: not proved: %s"):format(path, reason)) end
  end
  return all
end

return certificate
