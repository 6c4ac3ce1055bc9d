-- measure.lua: S:invariant_measure{...}: densities rho(q, t) for which rho dq dw is invariant, or the proof that there is none. Fields that keep conditions
-- on q have the same divergence on the surface of these as in all coordinates.
--
-- With the divergence Theta . w + theta0 of q' = B w + b, G w' = h the logarithm sigma of rho obeys B_c . grad sigma = -Theta_c and
-- b . grad sigma = -theta0. Brackets of these fields give further conditions; one that contradicts the others is an obstruction
-- (Kozlov 1988; Fedorov, Garcia-Naranjo, Marrero 2015).
local ansatz = require "hamel.geometry.ansatz"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local in_cosines = require "hamel.geometry.in_cosines"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local one_form = require "hamel.geometry.one_form"
local options = require "hamel.base.options"
local positivity = require "hamel.geometry.positivity"
local sampling = require "hamel.geometry.sampling"
local surface_flow = require "hamel.geometry.surface_flow"
local symbols = require "hamel.algebra.symbols"
local upright = require "hamel.geometry.upright"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local Measure = object.class "InvariantMeasure"

-- Fields that a result may lack
for _, name in ipairs{ "density", "momentum_density", "proof", "obstruction", "single_valued", "positive_where", "why" } do
  Measure.get[name] = function() return nil end
end

local schema = {
  candidates = { type = "table", list = true, doc = "further functions of the coordinates whose powers the density may contain" },
  angles = { type = "table", list = true, doc = "names of coordinates that are angles, in which the density has the period 2 pi" },
  parameters = { type = "string", default = "any", choices = { "any", "declared" },
    doc = "\"any\": for all values of the parameters; \"declared\": for the declared values" },
  obstruction = { type = "boolean", default = false, doc = "true: the condition that cannot be met as an expression, too" },
}

local LONG = 120                       -- characters of a divergence that is printed

local short = echelon.short
local vanishes = vanishing.proved

-- ---- the conditions on sigma

-- A condition field . grad sigma = value
local function condition(field, value, name) return { field = field, value = value, name = name } end

-- Does the time occur in the field?
local function is_timed(flow)
  local all = { core.sum(flow.h) }
  table.move(flow.k, 1, flow.n, 2, all)
  for _, row in ipairs(flow.G) do table.move(row, 1, #row, #all + 1, all) end
  for _, s in ipairs(core.symbols(all)) do if s == symbols.t then return true end end
  return false
end

-- Theta and theta0; nil where the divergence is not linear in w
local function parts(flow, divergence)
  local Theta = core.gradient(divergence, flow.w)
  for c, e in ipairs(Theta) do
    for _, second in ipairs(core.gradient(e, flow.w)) do if not flow:is_zero(second) then return nil end end
    Theta[c] = vanishing.without(e, flow.w)
  end
  return Theta, vanishing.without(divergence, flow.w)
end

-- The name of a velocity of the flow
local function velocity_name(flow, a) return core.text(flow.system._quasi and flow.w[a] or flow.from_velocities[a]) end

-- Conditions of the columns of B, of b, and the variables of sigma; the constant term of the divergence where it is a contradiction by itself
local function first_conditions(flow, Theta, theta0)
  local list, z, timed = {}, table.move(flow.q, 1, flow.n, 1, {}), is_timed(flow)
  if timed then z[#z + 1] = symbols.t end
  for c = 1, flow.m do
    local field = {}
    for i = 1, flow.n do field[i] = flow.B[i][c] end
    if timed then field[#z] = core.rational(0) end
    list[c] = condition(field, -Theta[c], velocity_name(flow, c))
  end
  local moving = timed
  for i = 1, flow.n do moving = moving or not flow:is_zero(flow.b[i]) end
  if moving then
    local field = table.move(flow.b, 1, flow.n, 1, {})
    if timed then field[#z] = core.rational(1) end
    list[#list + 1] = condition(field, -theta0, "rest")
  elseif not flow:is_zero(theta0) then
    return list, z, theta0
  end
  return list, z
end

-- [X, Y] with its value X(v_Y) - Y(v_X)
local function bracket(X, Y, z)
  local n, left, right = #z, table.move(Y.field, 1, #z, 1, {}), table.move(X.field, 1, #z, 1, {})
  left[n + 1], right[n + 1] = Y.value, X.value
  left, right = core.directional(left, z, X.field), core.directional(right, z, Y.field)
  local field = {}
  for i = 1, n do field[i] = left[i] - right[i] end
  return condition(field, left[n + 1] - right[n + 1], ("[%s, %s]"):format(X.name, Y.name))
end

-- Ranks of the fields of conditions at one random point: without and with their values
local function ranks(flow, list, o)
  local rows, wide = {}, {}
  for _, entry in ipairs(list) do
    table.move(entry.field, 1, #entry.field, #rows + 1, rows)
    table.move(entry.field, 1, #entry.field, #wide + 1, wide)
    wide[#wide + 1] = entry.value
  end
  local drawn = sampling.draw(flow, wide, 1, o)
  return core.rank_at(drawn.matrix, #list, #wide//#list - 1), core.rank_at(drawn.matrix, #list)
end

-- Takes a condition into the frame; false where it contradicts the others
local function take(flow, frame, entry, o)
  local count = #frame
  frame[count + 1] = entry
  local plain, wide = ranks(flow, frame, o)
  if plain == count then frame[count + 1] = nil end
  return plain > count or wide == plain
end

-- The frame closed under brackets, or nil and the condition that contradicts it
local function closed(flow, list, z, o)
  local frame = {}
  for _, entry in ipairs(list) do if not take(flow, frame, entry, o) then return nil, entry end end
  local j = 2
  while j <= #frame do
    for i = 1, j - 1 do
      local entry = bracket(frame[i], frame[j], z)
      if not take(flow, frame, entry, o) then return nil, entry end
    end
    j = j + 1
  end
  return frame
end

-- ---- density

-- Factors of the numerator and the denominator of an expression, without numbers
local function add_factors(list, known, e)
  local function add(factor)
    if core.kind(factor) == "power" then return add(core.operands(factor)[1]) end
    if #core.symbols{ factor } == 0 or known[factor] then return end
    known[factor], list[#list + 1] = true, factor
  end
  local fine, p, q = attempt(core.fraction, e)
  for _, part in ipairs(fine and { p, q } or { e }) do
    local product = core.simplify(part, "factored", nil, { effort = 2 })
    for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do add(factor) end
  end
end

local function determinant(flow)
  local flat = {}
  for _, row in ipairs(flow.G) do table.move(row, 1, #row, #flat + 1, flat) end
  return core.determinant(flow.m, flat)
end

local function depends_on(e, variables)
  for _, s in ipairs(core.symbols{ e }) do if object.contains(variables, s) then return true end end
  return false
end

-- { rate = of the logarithm along the motion, power(c): the factor of the density with the exponent c, coordinate = in an exponential }
local function factors_of(flow, D, given)
  local list, known, result, occurs = {}, {}, {}, ansatz.occurrence(flow)
  for i, e in ipairs(given or {}) do add_factors(list, known, flow:on(flow:admit(e, ("candidate %d"):format(i), 0))) end
  for _, q in ipairs(flow.q) do
    local unit = occurs[q] and occurs[q].angle
    if unit then
      add_factors(list, known, core.sin(q/unit))
      add_factors(list, known, core.cos(q/unit))
    end
  end
  add_factors(list, known, D)
  for i = 1, flow.n do for c = 1, flow.m do add_factors(list, known, flow.B[i][c]) end end
  for _, g in ipairs(list) do
    local e = upright(flow, g)
    if depends_on(e, flow.q) then result[#result + 1] = { rate = flow:along({ e }, vanishing.zeros(flow.m))[1]/e, power = function(c) return e^c end } end
  end
  local entries = {}
  for _, R in ipairs(flow.rotations) do for _, e in ipairs(R.quaternion) do entries[e] = true end end
  for i, q in ipairs(flow.q) do
    if not entries[q] then result[#result + 1] = { rate = flow.k[i], power = function(c) return core.exp(c*q) end, coordinate = q } end
  end
  if is_timed(flow) then result[#result + 1] = { rate = core.rational(1), power = function(c) return core.exp(c*symbols.t) end } end
  return result
end

-- The density as a product of powers of factors, by the null vector that contains the divergence; and the coordinates in exponentials
local function fitted(flow, divergence, list, o)
  local images = {}
  for j, factor in ipairs(list) do images[j] = factor.rate end
  images[#images + 1] = divergence
  local drawn = sampling.draw(flow, images, #images + 30, o)
  local _, null = core.sift(drawn.matrix, sampling.indices(1, #images), nil, true)
  local vector = null[#null]
  if not vector or vector.columns[#vector.columns] ~= #images then return nil end
  local rho, rate, exponential = core.rational(1), divergence, {}
  for i = 1, #vector.columns - 1 do
    local factor, c = list[vector.columns[i]], core.fraction_of({ drawn.prime }, { vector.residues[i] })
    if not c or core.number_value((c:denominator())) > 1e4 then return nil end
    rho, rate = rho*factor.power(c), rate + c*factor.rate
    if factor.coordinate then exponential[#exponential + 1] = factor.coordinate end
  end
  if flow:is_zero(divergence) then rho = core.rational(1) end
  return rho, flow:is_zero(rate), exponential
end

-- exp(sigma), with g^c for the terms c log(g)
local function with_powers(sigma)
  local rho, rest = core.rational(1), {}
  for _, term in ipairs(core.kind(sigma) == "sum" and core.operands(sigma) or { sigma }) do
    local c, log = core.rational(1), term
    local operands = core.kind(term) == "product" and core.operands(term) or {}
    if #operands == 2 and core.number_value(operands[1]) then c, log = operands[1], operands[2] end
    if core.kind(log) == "call" and core.name(log) == "log" then rho = rho*core.operands(log)[1]^c else rest[#rest + 1] = term end
  end
  return rho*core.exp(core.sum(rest))
end

-- rho from the differential of sigma by elementary rules, where the conditions determine it
local function integrated(frame, z)
  if #frame ~= #z then return nil end
  local rows, right = {}, {}
  for i, entry in ipairs(frame) do rows[i], right[i] = entry.field, entry.value end
  local fine, sigma = attempt(function()
    local a = linear.solve_exactly(rows, { right })[1]
    for i, e in ipairs(a) do a[i] = short(e) end
    return one_form.potential(a, z)
  end)
  return fine and sigma and with_powers(short(sigma)) or nil
end

-- ---- the answer

local function variable_names(flow)
  local names, first = {}, {}
  for _, R in ipairs(flow.rotations) do for i, e in ipairs(R.quaternion) do first[e] = i == 1 and R.name end end
  for _, q in ipairs(flow.q) do if first[q] ~= false then names[#names + 1] = first[q] or core.text(q) end end
  for a in ipairs(flow.w) do names[#names + 1] = velocity_name(flow, a) end
  return names
end

local function is_kinetic(flow)
  return vanishes(vanishing.without(flow.L, flow.velocities)) and vanishes(core.sum(flow.b)) and not is_timed(flow)
end

local function none(M, flow, name, e, words)
  M.exists, M.proof, M.obstruction = false, true, { name = name, value = e }
  if #flow.parameters > 0 then words = words .. " for almost all values of the parameters" end
  M.why = words .. (is_kinetic(flow) and "; without forces none that is smooth in position and velocity near rest either"
    or "; densities that depend on the velocities are not excluded")
  return M
end

local function periodic_coordinates(flow, given)
  local list, occurs = {}, ansatz.occurrence(flow)
  for i, name in ipairs(given or {}) do
    list[i] = flow.system._coordinate[name]
      or fail("invariant_measure: angles: '%s' is not a coordinate of %s%s", tostring(name), flow.system.name, object.hint(name, flow.system.coordinate_names))
  end
  for _, q in ipairs(flow.q) do if occurs[q] and occurs[q].angle then list[#list + 1] = q end end
  return list
end

local function find_density(M, flow, divergence, frame, z, o, given, angles)
  local D = short(determinant(flow))
  local rho, zero, exponential = fitted(flow, divergence, factors_of(flow, D, given.candidates), o)
  if not rho then
    rho, exponential = integrated(frame, z), {}
    zero = rho and flow:is_zero(flow:along({ core.log(rho) }, vanishing.zeros(flow.m))[1] + divergence)
  end
  if not rho or zero == false then
    M.why = "the conditions agree at random points, no density was found in closed form; give functions in candidates = {...}"
    return M
  end
  local fine, density, where = attempt(positivity, flow, in_cosines(flow.rotations, short(rho)))
  if not fine then
    M.why = ("a density must be positive, and %s; give functions in candidates = {...}"):format(density)
    return M
  end
  M.density, M.positive_where, M.proof = density, where, zero == true or nil
  M.momentum_density = positivity(flow, in_cosines(flow.rotations, short(density/D)))
  M.single_valued = true
  for _, q in ipairs(exponential) do
    if object.contains(angles, q) then
      M.single_valued = false
      M.why = ("the density is not periodic in %s: the measure exists on the covering space only"):format(core.text(q))
    end
  end
  return M
end

--- Decides whether the motion has an invariant measure rho(q, t) dq dw with a positive density of the coordinates, and of the time where it occurs in
--- the equations, w being the quasi-velocities or the independent velocities (field `variables`). For a rotation "R" by a unit quaternion dR is the
--- uniform measure of all attitudes. On holonomic constraints f = 0 the measure is rho dS dw, where dS df = dq for all coordinates.
--- Result: exists (true or false), density (nil: not found in closed form), momentum_density (for the momenta G w), proof (true: proved; nil: the conditions
--- agree at random points), positive_where (the conditions under which the density is positive, as a text; nil: it was positive at all random points
--- of the domain; where a factor is negative its negative stands for it in a density), obstruction = { name, value }: the bracket of the
--- fields on which the logarithm of the density would need two rates, single_valued (false: not periodic in an angle), why.
--- The density is searched among products of powers of the factors of det G and of the denominators of the velocities, of sines and cosines, of
--- the functions in `candidates`, and exponentials of coordinates.
--- Errors: constraints that are not linear in the velocities, one-sided constraints, friction.
--- Example: print(S:invariant_measure()).
--- Source: Kozlov 1988; Fedorov, Garcia-Naranjo, Marrero 2015.
function System:invariant_measure(given)
  local o = options.check("invariant_measure", schema, given)
  local flow = surface_flow.demand(self, "invariant_measure", "velocities", { rotations = true, holonomic = true })
  if o.parameters == "declared" then flow = flow:declared() end
  local M = setmetatable({ system = self, variables = variable_names(flow), parameters = o.parameters, exists = true }, Measure.meta)
  local angles = periodic_coordinates(flow, o.angles)
  local settings, divergence = { fixed = flow.parameters }, short(flow:divergence())
  local Theta, theta0 = parts(flow, divergence)
  if not Theta then return none(M, flow, "divergence", divergence, "the divergence is not linear in the velocities") end
  local list, z, constant = first_conditions(flow, Theta, theta0)
  if constant then
    return none(M, flow, "rest", constant, ("the divergence at rest is %s"):format(core.text(constant)))
  end
  local frame, contradiction = closed(flow, list, z, settings)
  if not frame then
    local words = ("on %s the logarithm of a density would need two different rates"):format(contradiction.name)
    M._divergence = short(flow:off(divergence))
    return none(M, flow, contradiction.name, o.obstruction and short(contradiction.value) or nil, words)
  end
  return find_density(M, flow, divergence, frame, z, settings, o, angles)
end

function Measure.meta.__tostring(M)
  local head = M.system.name .. ": "
  if not M.exists then
    local divergence = M._divergence and core.text(M._divergence)
    return ("%sno invariant measure with a density of the coordinates   proved\n  %s%s"):format(head,
      divergence and #divergence <= LONG and "divergence: " .. divergence .. "; " or "", M.why)
  end
  if not M.density then return head .. "invariant measure: not proved\n  " .. M.why end
  local variables = {}
  for i, name in ipairs(M.variables) do variables[i] = "d" .. name end
  local density = core.text(M.density)
  if core.kind(M.density) == "sum" then density = "(" .. density .. ")" end
  local notes = (M.positive_where and "\n  positive where " .. M.positive_where or "") .. (M.why and "\n  " .. M.why or "")
  return ("%sinvariant measure %s %s   %s%s"):format(head, density, table.concat(variables, " "), M.proof and "proved" or "not proved", notes)
end

options.declare("invariant_measure", schema)

return Measure
