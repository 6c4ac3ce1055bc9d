-- certificate.lua: proofs that others wrote, proved again: hm.check_certificate and `hamel verify`.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local equilibrium = require "hamel.analysis.prove_equilibrium"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local fixed_point = require "hamel.analysis.prove_fixed_point"
local fixed_point_statement = require "hamel.analysis.fixed_point_statement"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbit = require "hamel.analysis.closed_orbit"
local orbit_rest = require "hamel.analysis.orbit_rest"
local periodic = require "hamel.analysis.prove_periodic"
local protected = require "hamel.base.protected"
local repeated_place = require "hamel.analysis.repeated_place"
local stability = require "hamel.analysis.proved_stability"
local steady_statement = require "hamel.analysis.equilibrium_statement"

local fail = object.fail
local certificate = {}

local schema = {
  long = { default = false, type = "boolean", doc = "true: a proof whose certificate claims many steps is repeated though it may take more than a minute" },
}

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
  if line then return ("the line '%s' of %s is missing in it, or differs"):format(line, name) end
  for i = #own_parameters + 1, #parameters do
    if not exact.is_lifted(parameters[i]:match "^parameter (%S+) ") then return ("the line '%s' is not one of %s"):format(parameters[i], name) end
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
local function foreign(system, problem, driven)
  if not object.is_a(system, "System") then fail("check_certificate(S, path): this certificate is checked against a system, not against a map") end
  for _, name in ipairs(problem.given) do
    if not system._parameter[name] then return ("'%s' is not a parameter of %s"):format(name, system.name) end
  end
  local n = #system.coordinate_names
  if #problem.kin ~= n + (driven and 1 or 0) then return "the number of coordinates differs" end
  for i, name in ipairs(system.coordinate_names) do
    if core.text(problem.kin[i]) ~= name then return ("coordinate %d is %s, not %s"):format(i, core.text(problem.kin[i]), name) end
  end
end

-- ---- closed orbits

local closed_orbit = { read = orbit.read }

function closed_orbit.prove(problem, proof, long) return orbit.prove_again(problem, proof, long) end

closed_orbit.seconds = orbit.seconds

-- A condition that has the name of one of the system's own, or that of the energy, and is another one: its name; nil: none has. Names of others are free
local function misnamed(list, own)
  local known = {}
  for _, c in ipairs(own) do known[certificate_text.name_of(c)] = core.text(c.f) end
  for _, c in ipairs(list) do
    local name, f = certificate_text.name_of(c), core.text(c.f)
    if (known[name] or name == "energy") and known[name] ~= f then
      return ("'%s' stands in it as the condition '%s', which is %s of the system"):format(f, name, known[name] and ("'%s'"):format(known[name]) or "none")
    end
  end
end

-- An integral that the orbit must have. The level of the energy is a choice
local function line_of(c)
  return ("%s | %s%s"):format(certificate_text.name_of(c), core.text(c.f), c.name == "energy" and "" or " = " .. core.text(c.target))
end

-- What differs between the certificate and the system; nil: nothing
function closed_orbit.difference(system, problem, proof)
  local n, period = #problem.kin, nil
  -- a stroboscope makes a state of time
  for _, one in ipairs(problem.shift) do if one[1] == n and n == #system.coordinate_names + 1 then period = one[2] end end
  local rates = motion.of(system).names
  local own_velocities = problem.form ~= "lagrange"
  local other = foreign(system, problem, period ~= nil)
  if not other and not own_velocities and #problem.dyn ~= #rates then other = "the number of velocities differs" end
  if other then return other end
  local o = { form = problem.form, complete = own_velocities or nil, q = {}, v = {}, energy = 0, at = 0, integrals = {},
    parameters = given_parameters(problem), stroboscope = period }
  o.advance = {}
  for i, k in ipairs(problem.advance) do o.advance[i] = system.coordinate_names[k] or "?" end
  for i, name in ipairs(system.coordinate_names) do o.q[name] = proof.centre[i] end
  for i, name in ipairs(rates) do o.v[name] = own_velocities and 0 or proof.centre[n + i] end
  local m = enclosed.new(system, o, "check_certificate", 0.0, nil, period == nil)
  if not (m.E.energy and m.conservative) then o.energy = nil end
  local own = periodic.problem_of(system, m, o, core.rational(0))
  other = other_line(problem, own, system.name)
  if other then return other end
  local found = {}
  for _, c in ipairs(problem.conditions) do if c.integral then found[line_of(c)] = true end end
  for _, c in ipairs(own.conditions) do
    -- half orbits are closed on any level of the energy
    if c.integral and not found[line_of(c)] and #problem.mirror == 0 then return ("the condition '%s' is missing in it, or differs"):format(line_of(c)) end
  end
  local energies, others = {}, {}
  for _, c in ipairs(own.conditions) do if c.name == "energy" then energies[1] = c end end
  for _, c in ipairs(problem.conditions) do if certificate_text.name_of(c) == "energy" then others[#others + 1] = c end end
  return misnamed(others, energies)
end

function closed_orbit.say(put, path, problem, proof, found)
  local period, exactly = orbit.period(problem, found.y, 128)
  local least = orbit.clock(problem) and "that of the stroboscope"
    or orbit.least(problem, found.y, { bits = proof.bits, order = proof.order > 0 and proof.order or nil, most_steps = proof.steps }) and "the least one"
    or orbit.PERHAPS_MULTIPLE
  local boxes = certificate_text.boxes(problem)
  local rest = orbit_rest.of(problem, found.y)
  local what = rest and "a constant solution, a state of rest" or rest == nil and "a closed orbit, perhaps a state of rest" or "a closed orbit"
  put(("%s: proved: the equations in it, of '%s' in the form '%s', have %s%s; a period is %s, %s"):format(path, problem.name, problem.form, what,
    certificate_text.for_every(problem), boxes and not exactly and tostring(period) or period:text(24), least))
  local states, shifts = table.move(problem.dyn, 1, #problem.dyn, #problem.kin + 1, table.move(problem.kin, 1, #problem.kin, 1, {})), {}
  for _, one in ipairs(problem.shift) do shifts[one[1]] = core.text(one[2]) end
  for _, i in ipairs(problem.advance) do
    put(("  %s need not close: nothing depends on it but rates of such states"):format(core.text(states[i])))
  end
  for _, i in ipairs(problem.flip) do put(("  %s comes back with the other sign, which the equations do not see"):format(core.text(states[i]))) end
  for i, s in ipairs(states) do
    if shifts[i] then put(("  %s gains %s in a period, which the equations do not see"):format(core.text(s), shifts[i])) end
  end
  if #problem.mirror > 0 then put "  the equations are the same under a reversal of time, by which half of the orbit gives the other half" end
  for _, c in ipairs(problem.conditions) do
    put(("  %s = %s%s; called '%s' in the file"):format(core.text(c.f), core.text(c.target), c.integral and ", shown to be an integral of these equations"
      or ", at the start", c.name))
  end
end

-- ---- states and fixed points, whose proofs have verdicts

local function say_place(put, list, found)
  for i, s in ipairs(list) do put(("  %s = %s"):format(core.text(s), stability.number(found.x[i]))) end
end

local steady_state = { read = steady_statement.read }

function steady_state.prove(problem, proof)
  local found, reason = repeated_place.prove_again(steady_statement, problem, proof)
  reason = reason or steady_statement.misnamed(problem, found) or steady_statement.false_integral(found)
  if reason then return nil, reason end
  return found
end

local function named(list)
  local found = {}
  for _, c in ipairs(list) do found[certificate_text.name_of(c) .. " | " .. core.text(c.f)] = true end
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
  for line in pairs(there) do if not here[line] then return ("the constraint '%s' is missing in it, or differs"):format(line) end end
  for line in pairs(here) do if not there[line] then return ("'%s' is no constraint of %s"):format(line, system.name) end end
  return misnamed(problem.integrals, own.integrals)
end

function steady_state.say(put, path, problem, _, found)
  put(("%s: proved: the equations in it, of '%s' in the form '%s', have a %s%s; %s"):format(path, problem.name, problem.form,
    steady_statement.name(problem, found), certificate_text.for_every(problem), found.verdict))
  local states = table.move(problem.dyn, 1, #problem.dyn, #problem.kin + 1, table.move(problem.kin, 1, #problem.kin, 1, {}))
  say_place(put, states, found)
  for _, i in ipairs(found.free) do put(("  nothing depends on %s: the verdict is about the other states"):format(core.text(states[i]))) end
  for _, i in ipairs(found.held) do put(("  %s chooses one of a family of such states"):format(core.text(states[i]))) end
  for _, c in ipairs(problem.keep) do put(("  kept: %s = %s"):format(core.text(c.f), core.text(c.target))) end
  for _, c in ipairs(problem.constraints) do put(("  %s = 0, shown to hold along the motions; called '%s' in the file"):format(core.text(c.f), c.name)) end
end

local point = { read = fixed_point_statement.read }

function point.prove(problem, proof) return repeated_place.prove_again(fixed_point_statement, problem, proof) end

function point.difference(other, problem)
  local own = fixed_point.problem(other)
  if not own then fail "check_certificate: a certificate of a map is checked against a proof of hm.prove_fixed_point with the same map" end
  if own.period ~= problem.period then return ("the period is %d, not %d"):format(problem.period, own.period) end
  return other_line(problem, own, "the map")
end

function point.say(put, path, problem, _, found)
  put(("%s: proved: the map in it, '%s', has a %s%s; %s"):format(path, problem.name,
    problem.period == 1 and "fixed point" or ("cycle of period %d"):format(problem.period), certificate_text.for_every(problem), found.verdict))
  say_place(put, problem.kin, found)
  if problem.period > 1 and not found.least then put("  " .. fixed_point_statement.PERHAPS_PART) end
end

-- ---- all of them

local kinds = { ["closed orbit"] = closed_orbit, [steady_statement.KIND] = steady_state, [fixed_point_statement.KIND] = point }

local function read(path)
  if type(path) ~= "string" then fail("check_certificate(S, path) takes the path of a certificate, not %s", object.a and object.a(path) or type(path)) end
  local text, problem = files.read(path)
  if not text then fail("certificate: cannot read %s: %s", path, problem) end
  local name = certificate_text.kind(text)
  local kind = kinds[name]
  if not kind then fail("certificate: the kind '%s' is not known", (name:gsub("%c", "?"))) end
  return kind, kind.read(text)
end

local function without_place(message) return (tostring(message):gsub("^.-:%d+: ", "")) end

-- The result, or nil and the reason: an order that is too low, an expression without a value, and the like among them
local function repeated(kind, problem, proof, long)
  local fine, found, reason = protected(kind.prove, problem, proof, long)
  if not fine then return nil, without_place(found) end
  return found, reason
end

--- hm.check_certificate.
function certificate.check(system, path, given)
  enclosed.demand_balls "check_certificate"
  if not object.is_a(system, "System") and not fixed_point.problem(system) then fail("check_certificate(S, path) takes a system first") end
  local o = options.check("check_certificate", schema, given or {})
  local kind, problem, proof = read(path)
  local other = kind.difference(system, problem, proof)
  if other then return false, "the certificate is of another system: " .. other end
  local found, reason = repeated(kind, problem, proof, o.long)
  if found then return true end
  return false, reason
end

local ANNOUNCED = 10                   -- seconds, from which on standard error says how long a proof may take

--- Proves the certificate in a file again, of the equations written in it: true or false, and what is proved, or why not, as a text. long: it may take many
--- minutes.
function certificate.verify(path, long)
  local kind, problem, proof
  local fine, why = protected(function() kind, problem, proof = read(path) end)
  if not fine then return false, ("%s: not proved: %s"):format(path, without_place(why)) end
  local seconds = kind.seconds and kind.seconds(problem, proof) or 0
  if long and seconds > ANNOUNCED then io.stderr:write(("%s: proved again in at most about %d seconds\n"):format(path, math.ceil(seconds))) end
  local found, reason = repeated(kind, problem, proof, long)
  if not found then return false, ("%s: not proved: %s"):format(path, reason) end
  local lines = {}
  kind.say(function(line) lines[#lines + 1] = line end, path, problem, proof, found)
  lines[#lines + 1] = "  " .. certificate_text.SIMPLIFIED
  return true, table.concat(lines, "\n")
end

--- hamel verify [--long] orbit.cert ...: proves certificates of orbits and equilibria again (p:save); true when all of them hold.
function certificate.command(arguments)
  local long, paths = false, {}
  for _, word in ipairs(arguments) do
    if word == "--long" then long = true else paths[#paths + 1] = word end
  end
  if #paths == 0 then object.wrong_usage("usage: hamel verify [--long] orbit.cert ...") end
  enclosed.demand_balls "verify"
  local all = true
  for _, path in ipairs(paths) do
    local proved, said = certificate.verify(path, long)
    all = all and proved
    print(said)
  end
  return all
end

options.declare("check_certificate", schema)

return certificate
