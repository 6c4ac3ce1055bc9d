-- turning.lua: fields on systems with rotations: shifts of coordinates and turns of bodies, in space or about their own axes; what they leave unchanged.
--
-- A field has one component zeta_s per base velocity w_s. Its lift changes coordinates as motions with w = zeta do, and velocities by
-- delta w = zeta' (+ omega x zeta for the body rates of a rotation), so that the momentum zeta . dL/dw has the rate of L along the lift where no force and
-- no reaction works on zeta (Hamel 1904).
local base = require "hamel.equations.base"
local chart = require "hamel.geometry.chart"
local constants = require "hamel.geometry.constants"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local vanishing = require "hamel.algebra.vanishing"

local turning = {}

local AXES = { "x", "y", "z" }

-- ---- fields by name

local function three(system, given, what)
  if type(given) ~= "table" or #given ~= 3 then object.fail("symmetry: %s is a list of three components", what) end
  local list = {}
  for i = 1, 3 do list[i] = system:admit(given[i], "symmetry: " .. what, 0) end
  return list
end

-- The components of a turn along the body's axes: those given there, or those in space by the direction cosines
local function turn(system, R, given)
  if type(given) == "table" and given.own then return three(system, given.own, R.name .. ".own") end
  local n, list = three(system, given, R.name), {}
  for j = 1, 3 do
    local terms = {}
    for i = 1, 3 do terms[i] = R.cosine_list[(i - 1)*3 + j]*n[i] end
    list[j] = core.sum(terms)
  end
  return list
end

local function read(system, F, given, what)
  if type(given) ~= "table" or core.is_expression(given) then
    object.fail("symmetry: %s is a table such as { x = -y, y = x, R = {0, 0, 1} }, R being a turn in space, { own = {0, 0, 1} } about the body's axes", what)
  end
  local Z, place, rotation = vanishing.zeros(#F.base), {}, {}
  for s, w in ipairs(F.base) do if system._coordinate[F.names[s]] then place[(core.name(w))] = s end end
  for _, triple in ipairs(F.triples) do rotation[triple.rotation.name] = triple end
  for name, value in pairs(given) do
    if rotation[name] then
      for i, e in ipairs(turn(system, rotation[name].rotation, value)) do Z[rotation[name][i]] = e end
    elseif place[name] then Z[place[name]] = system:admit(value, ("symmetry: the component along '%s'"):format(name), 0)
    else
      local names = object.keys(place)
      for other in pairs(rotation) do names[#names + 1] = other end
      object.fail("symmetry: '%s' is neither a coordinate nor a rotation of %s%s", tostring(name), system.name, object.hint(tostring(name), names))
    end
  end
  return Z
end

local function text_of_turn(R, value)
  local own, parts = value.own, {}
  for i, e in ipairs(own or value) do
    local number = core.number_value(core.is_expression(e) and e or core.number(e))
    local axis = (own and R.name or "") .. AXES[i]
    if number == 1 then parts[#parts + 1] = axis elseif number ~= 0 then parts[#parts + 1] = ("%s %s"):format(tostring(e), axis) end
  end
  return ("turn of %s about %s%s"):format(R.name, table.concat(parts, " + "), own and "" or " in space")
end

local function text(system, given)
  local list, of = {}, {}
  for _, R in ipairs(system._rotations) do of[R.name] = R end
  for _, name in ipairs(object.keys(given)) do
    local factor = given[name] == 1 and "" or tostring(given[name]) .. " "
    list[#list + 1] = of[name] and text_of_turn(of[name], given[name]) or ("%sd/d%s"):format(factor, name)
  end
  return table.concat(list, " + ")
end

-- ---- lifts

-- Changes of the base velocities by the lift
local function changes(F, Z)
  local list = motion.directional(F, Z, true)
  for _, triple in ipairs(F.triples) do
    for i = 1, 3 do
      local j, k = triple[i % 3 + 1], triple[(i + 1) % 3 + 1]
      list[triple[i]] = list[triple[i]] + F.base[j]*Z[k] - F.base[k]*Z[j]
    end
  end
  return list
end

-- The derivatives of functions of coordinates, cosines and base velocities along the lift of Z, whose changes of velocities are dw
local function lift(F, Z, dw, list)
  local from, to = {}, {}
  local function add(symbols, rates)
    for i, s in ipairs(symbols) do from[#from + 1], to[#to + 1] = s, core.substitute(rates[i], F.base, Z) end
  end
  add(F.q, F.k)
  add(F.cosines, F.cosine_rates)
  table.move(F.base, 1, #F.base, #from + 1, from)
  table.move(dw, 1, #dw, #to + 1, to)
  return core.directional(list, from, to)
end

-- What the lift changes: the verdict and the reason
local function judged(system, flow, F, Z)
  local dw, changed, open = changes(F, Z), {}, {}
  local function take(list, decide, what)
    for _, e in ipairs(list) do
      local zero = decide(e)
      if zero == false then
        changed[#changed + 1] = what
        return
      elseif zero == nil then open[#open + 1] = what end
    end
  end
  local function everywhere(e) return motion.numbers(system, e):is_zero() end
  take(lift(F, Z, dw, { flow.L }), everywhere, "the Lagrangian")
  local Q = flow.put_in(base.forces(system, F))
  local along = lift(F, Z, dw, Q)
  for s, w in ipairs(F.base) do
    for r, force in ipairs(Q) do along[s] = along[s] + force*core.diff(dw[r], w) end
  end
  take(along, everywhere, "the forces")
  for _, c in ipairs(system.constraints) do
    take(lift(F, Z, dw, { motion.in_base(system, c.f) }), function(e) return flow:is_zero(flow:on(e)) end, ("the constraint '%s'"):format(c.name))
  end
  if #changed > 0 then return false, "changes " .. table.concat(changed, ", ") end
  if #open > 0 then return nil, "may change " .. table.concat(open, ", ") .. ": that is not decided" end
  return true
end

-- ---- all of it

-- Shifts and turns of which each is a symmetry
local function natural(system, flow, F)
  local list, together = {}, {}
  for s in ipairs(F.base) do if system._coordinate[F.names[s]] then list[#list + 1] = { [F.names[s]] = 1 } end end
  for _, R in ipairs(system._rotations) do
    for i = 1, 3 do
      local axis = { 0, 0, 0 }
      axis[i] = 1
      list[#list + 1], list[#list + 2] = { [R.name] = axis }, { [R.name] = { own = axis } }
      together[i] = together[i] or {}
      together[i][R.name] = axis
    end
  end
  if #system._rotations > 1 then table.move(together, 1, 3, #list + 1, list) end
  local kept = {}
  for _, given in ipairs(list) do
    if judged(system, flow, F, read(system, F, given, "a field")) then kept[#kept + 1] = given end
  end
  return kept
end

-- Combinations with constant coefficients that the constraints admit
local function admitted(system, flow, F, list)
  local rows, all = {}, {}
  for a in ipairs(list) do
    all[a] = vanishing.zeros(#list)
    all[a][a] = core.rational(1)
  end
  for k, c in ipairs(system.constraints) do
    rows[k] = {}
    local row = base.level(system, F, c).velocity.row
    for a, Z in ipairs(list) do rows[k][a] = motion.numbers(system, kinematics.dot(row, Z)) end
    rows[k] = chart.put(flow:chart(), rows[k])
  end
  return #rows > 0 and #list > 0 and constants.relations(rows, #list) or all
end

--- Judges fields on a system with rotations: { given, fields, texts, invariant, why, horizontal = { generator, momentum, coefficients, text } }.
---@param given table[]? those among the shifts of coordinates and turns of bodies that are symmetries when not given
function turning.symmetry(system, flow, given)
  local F = motion.of(system)
  local result = { given = given or natural(system, flow, F), fields = {}, texts = {}, invariant = true, horizontal = {} }
  for a, item in ipairs(result.given) do
    result.fields[a] = read(system, F, item, "field " .. a)
    result.texts[a] = text(system, item)
  end
  for a, Z in ipairs(result.fields) do
    local fine, why = judged(system, flow, F, Z)
    if not fine then
      result.invariant, result.why = fine, ("the %s %s"):format(result.texts[a], why)
      return result
    end
  end
  local p = core.gradient(flow.L, F.base)
  for _, xi in ipairs(admitted(system, flow, F, result.fields)) do
    local Z, terms, words = vanishing.zeros(#F.base), {}, {}
    for a, field in ipairs(result.fields) do
      for s, e in ipairs(field) do Z[s] = Z[s] + xi[a]*e end
      if core.number_value(xi[a]) ~= 0 then words[#words + 1] = (core.number_value(xi[a]) == 1 and "" or core.text(xi[a]) .. " ") .. result.texts[a] end
    end
    for s, e in ipairs(Z) do terms[s] = e*p[s] end
    local momentum = core.sum(terms)
    -- forces that are carried along may have power on the field
    if flow:is_zero(flow:rate(flow:on(momentum))) then
      table.insert(result.horizontal, { momentum = echelon.short(momentum), coefficients = xi, text = table.concat(words, " + "), _field = Z })
    end
  end
  return result
end

return turning
