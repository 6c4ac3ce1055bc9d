-- certificate.lua: proofs of S:prove_periodic that others wrote, proved again: hm.check_certificate and `hamel verify`.
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local orbit = require "hamel.analysis.closed_orbit"
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

local function names_of(conditions)
  local list = {}
  for i, c in ipairs(conditions) do list[i] = ("%s | %s"):format(c.name, core.text(c.f)) end
  return list
end

-- What differs between the certificate and the system; nil: nothing
local function difference(system, problem, proof)
  local o, n = { form = "lagrange", q = {}, v = {}, energy = 0, at = 0 }, #problem.kin
  if #system.coordinate_names ~= n or #problem.dyn ~= n then return "the number of coordinates differs" end
  for i, name in ipairs(system.coordinate_names) do
    if core.text(problem.kin[i]) ~= name then return ("coordinate %d is %s, not %s"):format(i, core.text(problem.kin[i]), name) end
    o.q[name], o.v[name] = proof.centre[i], proof.centre[n + i]
  end
  local m = enclosed.new(system, o, "check_certificate", 0.0)
  if not (m.E.energy and m.conservative) then o.energy = nil end
  local own, lines = periodic.problem_of(system, m, o, core.rational(0)), {}
  for _, line in ipairs(orbit.equations(problem)) do lines[line] = true end
  for _, line in ipairs(orbit.equations(own)) do
    if not lines[line] then return ("the line '%s' of %s is missing or other"):format(line, system.name) end
    lines[line] = nil
  end
  -- numbers of the section
  for line in pairs(lines) do if not line:find "^parameter constant%d+ " then return ("the line '%s' is not one of %s"):format(line, system.name) end end
  local theirs, ours = names_of(problem.conditions), names_of(own.conditions)
  for i = 2, math.max(#theirs, #ours) do
    if theirs[i] ~= ours[i] then return ("condition %d is '%s', not '%s'"):format(i, tostring(theirs[i]), tostring(ours[i])) end
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
      print(("%s: proved: %s has a closed orbit, period %s +/- %g"):format(path, problem.name, proof.centre[#proof.centre], proof.radius))
      local taken = {}
      for i = 2, #problem.conditions do taken[#taken + 1] = problem.conditions[i].name end
      if #taken > 0 then
        print(("  taken as integrals of these equations: %s; hm.check_certificate(S, path) compares them with a system"):format(table.concat(taken, ", ")))
      end
    else
      print(("%s: not proved: %s"):format(path, reason))
    end
  end
  return all
end

return certificate
