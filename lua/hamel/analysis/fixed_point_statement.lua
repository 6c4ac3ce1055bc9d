-- fixed_point_statement.lua: the statement that a map x -> f(x) has a fixed point or a cycle, as data; its proof in balls, its certificate as text.
--
--   kin           unknowns, symbols                      k            their images
--   parameters    { { symbol, exact expression [, the other end of a box] }, ... }
--   period        length of the cycle
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local degenerate_zero = require "hamel.analysis.degenerate_zero"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local proved_place = require "hamel.analysis.proved_place"
local protected = require "hamel.base.protected"
local stability = require "hamel.analysis.proved_stability"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
--- PERHAPS_PART: what is said of a cycle whose period is not proved to be the least one
local statement = { KIND = "fixed point", PERHAPS_PART = "its points are not proved to differ: the least period may be a part of this one" }

local function append(list, more) return table.move(more, 1, #more, #list + 1, list) end

-- Symbols of the points of the cycle: those of the map for the first one
local function points_of(problem)
  local points = { problem.kin }
  for p = 2, problem.period do
    points[p] = proved_place.fresh(("point%d_"):format(p), #problem.kin, { problem.kin, proved_place.symbols(problem.parameters) })
  end
  return points
end

local function inputs_of(points, problem)
  local inputs = { symbols.t }
  for _, point in ipairs(points) do append(inputs, point) end
  for _, item in ipairs(problem.parameters) do inputs[#inputs + 1] = item[1] end
  return inputs
end

-- f(x_p) - x_(p + 1), and their derivatives
local function equations(points, problem)
  local rows, unknown, slopes = {}, {}, {}
  for p, point in ipairs(points) do
    local following = points[p % #points + 1]
    append(unknown, point)
    for i, e in ipairs(problem.k) do rows[#rows + 1] = core.substitute(e, problem.kin, point) - following[i] end
  end
  for _, row in ipairs(rows) do append(slopes, core.gradient(row, unknown)) end
  return append(rows, slopes)
end

local function values_of(problem, bits)
  local list = {}
  for i, item in ipairs(problem.parameters) do
    list[i] = exact.ball(item[3] and { item[2], item[3] } or item[2], "parameter " .. core.text(item[1]), bits)
  end
  return list
end

-- The product of the derivatives along the cycle
local function derivative(problem, inputs, x, bits)
  local n, product = #problem.kin, nil
  for p, point in ipairs(points_of(problem)) do
    local list = {}
    for _, e in ipairs(problem.k) do append(list, core.gradient(core.substitute(e, problem.kin, point), point)) end
    local flat, rows = core.ball_values(core.program(inputs, list), core.ball("0", 2), x, bits), {}
    for i = 1, n do rows[i] = table.move(flat, (i - 1)*n + 1, i*n, 1, {}) end
    product = p == 1 and rows or core.ball_product(rows, product, bits)
  end
  return product
end

-- Is the period the least one? Where the points for a part of it are apart
local function least_period(x, n, period)
  for part = 1, period - 1 do
    if period % part == 0 then
      local apart = false
      for i = 1, n do apart = apart or not x[i]:meets(x[part*n + i]) end
      if not apart then return nil end
    end
  end
  return true
end

-- Why a fixed point or a cycle near the guess x, balls of all inputs, is not proved, where a multiplier is 1, as far as numbers tell; nil: none is found there
local function of_degenerate(points, problem, inputs, x)
  local rows, n, names, whole, first = equations(points, problem), #problem.kin*problem.period, {}, { 0.0 }, {}
  local program = core.program(inputs, rows)
  for i, ball in ipairs(x) do whole[1 + i] = ball:midpoint().lower end
  for i, s in ipairs(problem.kin) do names[i] = core.text(s) end
  local found = degenerate_zero.near(function(point)
    table.move(point, 1, n, 2, whole)
    local values = program:eval(whole)
    return table.move(values, 1, n, 1, {}), table.move(values, n + 1, #values, 1, {})
  end, table.move(whole, 2, 1 + n, 1, first), names)
  if not found then return nil end
  local what, along = problem.period == 1 and "fixed point" or "cycle", table.concat(found.along, " and along ")
  if found.jumping then
    return ("%s jumps at or near %s, as far as numbers tell, along %s: proofs are for smooth maps"):format(found.jumping == "values" and "the map"
      or "the derivative of the map", found.at, along)
  end
  if found.isolated then
    return ("a degenerate %s lies at or near %s, as far as numbers tell: a multiplier is 1 there, along %s; where it is only nearly degenerate, more "
      .. "iterations and bits help"):format(what, found.at, along)
  end
  return ("a %s at or near %s is not isolated, as far as numbers tell: others lie beside it along %s. Hold a quantity that tells them apart as a parameter of "
    .. "the map"):format(what, found.at, along)
end

--- Tries to prove a fixed point or a cycle near `centre`, balls of its points behind each other. o: { bits, iterations, radius }. Returns { proved, reason, x =
--- balls of all points, tried, image, contraction, radius_ball, image_ball, multipliers, stable, verdict, least = true where no smaller period is possible }.
function statement.prove(problem, centre, o)
  local result, n = { proved = false, x = centre, tried = 0, image = 0, contraction = 0 }, #problem.kin
  local points = points_of(problem)
  local inputs, unknown = inputs_of(points, problem), {}
  for i = 1, n*problem.period do unknown[i] = i end
  local fine, reason = protected(function()
    local x = append(table.move(centre, 1, #centre, 1, {}), values_of(problem, o.bits))
    local found = core.ball_zero{ program = core.program(inputs, equations(points, problem)), t = core.ball("0", 2), x = x, unknown = unknown, bits = o.bits,
      iterations = o.iterations, radius = o.radius and exact.ball(o.radius, "radius", 64) or nil }
    result.tried, result.image, result.contraction = found.tried, found.image, found.contraction
    result.radius_ball, result.image_ball = found.radius, found.images
    result.x = table.move(found.x, 1, n*problem.period, 1, {})
    if not found.proved then
      return of_degenerate(points, problem, inputs, append(table.move(centre, 1, #centre, 1, {}), values_of(problem, o.bits)))
        or proved_place.refusal(found, o.bits)
    end
    local A = derivative(problem, inputs, found.x, o.bits)
    local why
    result.multipliers, result.stable, why = stability.of_map(A, o.bits)
    result.least = least_period(found.x, n, problem.period)
    result.verdict = result.stable and "proved asymptotically stable" or result.stable == false and "proved unstable" or "stability undecided"
    if why then result.verdict = result.verdict .. ": " .. why end
  end)
  if not fine then reason = proved_place.doubt(reason) end
  result.proved, result.reason = reason == nil, reason
  return result
end

-- ---- text

function statement.write(problem, proof)
  local states, parameters, rest = certificate_text.equations(problem)
  local all, lines, put = append(append(states, parameters), rest), {}, certificate_text.put
  put(lines, "period %d", problem.period)
  certificate_text.put_proof(lines, proof)
  put(lines, "stable %s", tostring(proof.stable))
  return certificate_text.whole(problem, statement.KIND, all, lines)
end

local words = {}

-- Unknowns of maps are no functions of time
function words.kin(reader, rest) table.insert(reader.problem.kin, reader:declare(rest, 0)) end
function words.period(reader, rest) reader.problem.period = reader:whole(rest) end
words.stable = certificate_text.stable

--- The problem and the proof of a text; raises where it is no certificate.
function statement.read(source)
  local problem = {}
  local proof = certificate_text.read(source, problem, words, { "kin", "period", "stable" })
  local n, period = #problem.kin, problem.period
  for _, word in ipairs{ "dyn", "M", "A", "r", "b" } do
    if #problem[word] > 0 then fail("certificate: a map has no lines '%s'", word) end
  end
  certificate_text.demand_equations(problem)
  if period < 1 then fail("certificate: the period %d is not positive", period) end
  certificate_text.demand_centre(proof, n*period, ("%d unknowns at %d points of the cycle"):format(n, period), 1)
  if problem.form ~= "map" then fail("certificate: the form of a map is 'map'") end
  return problem, proof
end

return statement
