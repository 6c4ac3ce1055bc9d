-- certificate.lua: proofs of S:prove_periodic that others wrote, proved again: hm.check_certificate and `hamel verify`.
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local orbit = require "hamel.analysis.closed_orbit"
local certificate_text = require "hamel.analysis.certificate_text"
local periodic = require "hamel.analysis.prove_periodic"

local fail = object.fail
local certificate = {}

local MORE_BITS = 64

local function read(path)
  if type(path) ~= "string" then fail("check_certificate(S, path) takes the path of a certificate, not %s", object.a and object.a(path) or type(path)) end
  local text, problem = files.read(path)
  if not text then fail("certificate: cannot read %s: %s", path, problem) end
  return orbit.read(text)
end

-- true, or false and the reason
local function proved_again(problem, proof)
  local bits, y = proof.bits + MORE_BITS, {}
  for i, text in ipairs(proof.centre) do y[i] = exact.ball(text, ("certificate: centre %d"):format(i), bits) end
  local found = orbit.prove(problem, y, { bits = bits, order = proof.order > 0 and proof.order or nil, radius = proof.radius, iterations = 0 })
  if found.proved then return true end
  if found.reason ~= "" then return false, found.reason end
  if found.rows_fail then return false, "the integrals do not determine the rows left out" end
  return false, ("the image %.3g is not within the radius %.3g"):format(found.image, found.tried)
end

-- An integral that the orbit must have. The level of the energy is a choice
local function line_of(c) return ("%s | %s%s"):format(c.name, core.text(c.f), c.name == "energy" and "" or " = " .. core.text(c.target)) end

-- The first line of a list that the other list has not, or has elsewhere
local function first_missing(list, other)
  for i, line in ipairs(list) do if other[i] ~= line then return line end end
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

-- What differs between the certificate and the system; nil: nothing
local function difference(system, problem, proof)
  for _, name in ipairs(problem.given) do
    if not system._parameter[name] then return ("'%s' is not a parameter of %s"):format(name, system.name) end
  end
  local o, n = { form = "lagrange", q = {}, v = {}, energy = 0, at = 0, integrals = {}, parameters = given_parameters(problem) }, #problem.kin
  if #system.coordinate_names ~= n or #problem.dyn ~= n then return "the number of coordinates differs" end
  for i, name in ipairs(system.coordinate_names) do
    if core.text(problem.kin[i]) ~= name then return ("coordinate %d is %s, not %s"):format(i, core.text(problem.kin[i]), name) end
    o.q[name], o.v[name] = proof.centre[i], proof.centre[n + i]
  end
  local m = enclosed.new(system, o, "check_certificate", 0.0)
  if not (m.E.energy and m.conservative) then o.energy = nil end
  local own = periodic.problem_of(system, m, o, core.rational(0))
  local states, parameters, rest = certificate_text.equations(problem)
  local own_states, own_parameters, own_rest = certificate_text.equations(own)
  local line = first_missing(own_states, states) or first_missing(own_parameters, parameters) or first_missing(own_rest, rest)
  if line then return ("the line '%s' of %s is missing or other"):format(line, system.name) end
  -- numbers of the section and of further integrals
  for i = #own_parameters + 1, #parameters do
    if not parameters[i]:find "^parameter constant%d+ " then return ("the line '%s' is not one of %s"):format(parameters[i], system.name) end
  end
  line = first_missing(rest, own_rest)
  if line then return ("the line '%s' is not one of %s"):format(line, system.name) end
  local found = {}
  for _, c in ipairs(problem.conditions) do if c.integral then found[line_of(c)] = true end end
  for _, c in ipairs(own.conditions) do
    -- half orbits are closed on any level of the energy
    if c.integral and not found[line_of(c)] and #problem.mirror == 0 then return ("the condition '%s' is missing or other"):format(line_of(c)) end
  end
end

--- hm.check_certificate.
function certificate.check(system, path)
  enclosed.demand_balls "check_certificate"
  if not object.is_a(system, "System") then fail("check_certificate(S, path) takes a system first") end
  local problem, proof = read(path)
  local other = difference(system, problem, proof)
  if other then return false, "the certificate is of another system: " .. other end
  return proved_again(problem, proof)
end

--- `hamel verify orbit.cert ...`: proves certificates again, of the equations written in them.
function certificate.command(arguments)
  if #arguments == 0 then object.wrong_usage("usage: hamel verify orbit.cert ...") end
  enclosed.demand_balls "verify"
  local all = true
  for _, path in ipairs(arguments) do
    local problem, proof = read(path)
    local proved, reason = proved_again(problem, proof)
    all = all and proved
    if proved then
      print(("%s: proved: the equations in it, of '%s', have a closed orbit; %s is %s +/- %g"):format(path, problem.name,
        #problem.mirror > 0 and "half a period" or "a period", proof.centre[#proof.centre], proof.radius))
      for _, c in ipairs(problem.conditions) do
        print(("  %s: %s = %s%s"):format(c.name, core.text(c.f), core.text(c.target), c.integral and ", shown to be an integral of these equations" or ""))
      end
    else
      print(("%s: not proved: %s"):format(path, reason))
    end
  end
  return all
end

return certificate
