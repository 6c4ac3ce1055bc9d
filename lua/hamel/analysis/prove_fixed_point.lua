-- prove_fixed_point.lua: hm.prove_fixed_point: the proof that a map has a fixed point or a cycle, and whether it is stable.
local ball = require "hamel.analysis.ball"
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local narrower = require "hamel.analysis.narrower"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local repeated_place = require "hamel.analysis.repeated_place"
local stability = require "hamel.analysis.proved_stability"
local statement = require "hamel.analysis.fixed_point_statement"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

local schema = {
  map = { doc = "a function that returns the images of its arguments as expressions, or, with `of`, a list of expressions" },
  of = { type = "table", list = true, doc = "the symbols that the expressions in `map` move, made by hm.symbols \"x y\"" },
  at = { type = "table", list = true, doc = "a guess of the fixed point, or of a point of the cycle" },
  period = { default = 1, from = 1, to = 100, type = "number", whole = true, doc = "length of the cycle" },
  parameters = { type = "table", doc = "values of the other symbols by name; boxes {low, high} are possible" },
  name = { default = "map", type = "string", doc = "name of the map in certificates" },
  bits = { default = 128, from = 40, to = 20000, type = "number", whole = true, doc = "precision of the computation" },
  radius = { type = "number", above = 0, doc = "radius of the box of the proof; chosen where it is missing" },
  iterations = { default = 30, from = 0, to = 200, type = "number", whole = true,
    doc = "steps of Newton's method before the proof; 0: the guess is the centre of the box as it is" },
}

local Proof = object.class "FixedPointProof"

for _, name in ipairs{ "reason", "x", "cycle", "radius", "multipliers", "stable", "verdict", "least" } do Proof.get[name] = function() return nil end end

function Proof.meta.__tostring(p)
  local what = p.period == 1 and "fixed point" or ("cycle of period %d"):format(p.period)
  if not p.proved then return ("%s not proved: %s"):format(what, p.reason) end
  local words, roots = {}, {}
  for i, x in ipairs(p.x) do words[i] = ("%s = %s"):format(core.text(p._problem.kin[i]), stability.number(x)) end
  for i, e in ipairs(p.multipliers or {}) do roots[i] = stability.text(e) end
  local out = { ("%s proved%s: %s"):format(what, certificate_text.for_every(p._problem), table.concat(words, ", ")) }
  out[#out + 1] = ("  radius %s, contraction %.2g%s"):format(ball.radius_text(p._found), p.contraction, ball.apart_text(p.tried))
  if p.period > 1 and not p.least then out[#out + 1] = "  " .. statement.PERHAPS_PART end
  if #roots > 0 then out[#out + 1] = "  multipliers: " .. table.concat(roots, ", ") end
  out[#out + 1] = "  " .. p.verdict
  out[#out + 1] = "  " .. certificate_text.SIMPLIFIED
  return table.concat(out, "\n")
end

--- Writes the certificate: the map and the exact numbers of the proof, as a text which hm.check_certificate(p, path) or `hamel verify path` proves again.
---@param path string
function Proof:save(path)
  if not self.proved then fail("save: nothing was proved: %s", self.reason) end
  for _, item in ipairs(self._problem.parameters) do
    if core.is_ball(item[2]) then fail("save: the parameter %s is a ball; give it as {low, high}, which a certificate can hold", core.text(item[1])) end
  end
  local text = repeated_place.text(statement, self._problem, self._text)
  files.write("save", path, text)
  return files.written(path, "certificate of a fixed point", { text = text })
end

-- ---- the map

-- Symbols and their images
local function map_of(o)
  local n = #o.at
  if type(o.map) == "function" then
    if o.of then fail("prove_fixed_point: `of` goes with a list of expressions; leave it out, or give map = {...}") end
    local x = {}
    for i = 1, n do x[i] = core.symbol(n == 1 and "x" or "x" .. i, 0) end
    return x, table.pack(o.map(table.unpack(x)))
  end
  if type(o.map) ~= "table" then fail("prove_fixed_point: map is missing: a function such as function(x) return 1 - x^2 end, or a list of expressions") end
  if not o.of then fail("prove_fixed_point: the expressions in `map` need `of`, the symbols that they move: of = {x, y}") end
  return o.of, table.move(o.map, 1, #o.map, 1, { n = #o.map })
end

local function expression(value, what)
  if type(value) ~= "number" and not core.is_expression(value) then fail("prove_fixed_point: %s is a %s, not an expression", what, type(value)) end
  local fine, e = protected(function() return core.is_expression(value) and value or core.number(value) end)
  return fine and e or fail("prove_fixed_point: %s is not a finite number", what)
end

local function problem_of(o)
  local x, images = map_of(o)
  if #x ~= #o.at or images.n ~= #x then
    fail("prove_fixed_point: a point has %d entries, its image %d, and the guess %d: they must be as many", #x, images.n, #o.at)
  end
  local known, list, parameters = {}, {}, {}
  for i, s in ipairs(x) do
    if not core.is_expression(s) or core.kind(s) ~= "symbol" then
      fail("prove_fixed_point: of[%d] is no symbol; make it by hm.symbols: local x = hm.symbols \"x\"", i)
    end
    local name, order, flags = core.name(s)
    if order ~= 0 or flags ~= 0 then
      fail("prove_fixed_point: %s is a symbol of a system; take one of none: local %s = hm.symbols \"%s\"", core.text(s), name, name)
    end
    if known[s] then fail("prove_fixed_point: %s stands twice in `of`", core.text(s)) end
    known[s] = true
  end
  for i = 1, images.n do list[i] = expression(images[i], ("map[%d]"):format(i)) end
  local given = {}
  for key, value in pairs(o.parameters or {}) do given[core.is_expression(key) and core.text(key) or tostring(key)] = value end
  for _, s in ipairs(core.symbols(list)) do
    local name, _, flags = core.name(s)
    if not known[s] then
      if flags & (symbols.DYNAMIC | symbols.TIME) ~= 0 then fail("prove_fixed_point: the map depends on %s, a function of time", core.text(s)) end
      local value, what = given[name], "parameters." .. name
      if value == nil then fail("prove_fixed_point: %s has no value; add parameters = {%s = ...}", name, name) end
      if core.known_positive(s) and exact.ball(value, what, 64):positive() ~= true then fail("prove_fixed_point: %s must be positive", what) end
      local box = type(value) == "table" and not core.is_ball(value)
      exact.ball(value, what, 64)
      parameters[#parameters + 1] = core.is_ball(value) and { s, value } or { s, exact.number(box and value[1] or value, what),
        box and exact.number(value[2], what) or nil }
      given[name] = nil
    end
  end
  local surplus = object.keys(given)[1]
  if surplus then fail("prove_fixed_point: the map does not depend on a parameter '%s'", surplus) end
  -- numbers that are no doubles become parameters with their exact values
  local lifter = exact.lifter{ x, core.symbols(list) }
  list = lifter:all(list)
  for i, s in ipairs(lifter.symbols) do parameters[#parameters + 1] = { s, lifter.exact[i] } end
  return { name = o.name, form = "map", kin = x, dyn = {}, k = list, M = {}, A = {}, r = {}, b = {}, parameters = parameters, period = o.period }
end

-- The points of the cycle from the first one, near enough for Newton's method
local function guessed(problem, o)
  local inputs, x, all = { symbols.t }, {}, {}
  table.move(problem.kin, 1, #problem.kin, 2, inputs)
  for _, item in ipairs(problem.parameters) do inputs[#inputs + 1] = item[1] end
  local program, parameters = core.program(inputs, problem.k), {}
  for i, item in ipairs(problem.parameters) do
    parameters[i] = exact.ball(item[3] and { item[2], item[3] } or item[2], "parameters", o.bits):midpoint()
  end
  for i, value in ipairs(o.at) do x[i] = exact.ball(value, ("at[%d]"):format(i), o.bits):midpoint() end
  for p = 1, o.period do
    table.move(x, 1, #x, #all + 1, all)
    if p < o.period then
      x = core.ball_values(program, core.ball("0", 2), table.move(parameters, 1, #parameters, #x + 1, x), o.bits)
      for i, value in ipairs(x) do x[i] = value:midpoint() end
    end
  end
  return all
end

local fixed_point = {}

--- The lines of its map, by which certificates are compared.
function fixed_point.problem(proof) return object.is_a(proof, "FixedPointProof") and proof._problem or nil end

--- hm.prove_fixed_point.
function fixed_point.new(given)
  enclosed.demand_balls "prove_fixed_point"
  local o = options.check("prove_fixed_point", schema, given)
  if not o.at or #o.at == 0 then fail("prove_fixed_point: a guess is missing: at = {0.6}") end
  local problem = problem_of(o)
  local guess = guessed(problem, o)
  local found = statement.prove(problem, guess, { bits = o.bits, iterations = o.iterations, radius = o.radius })
  local result = { proved = found.proved, period = o.period, bits = o.bits, contraction = found.contraction, image = found.image, _problem = problem }
  if not found.proved then
    local narrow = not o.radius and narrower.refusal(problem, found, function(other)
      return statement.prove(other, guess, { bits = o.bits, iterations = o.iterations })
    end)
    result.reason = narrow or found.reason .. "; nothing is said about whether there is one"
    return setmetatable(result, Proof.meta)
  end
  local n, centre = #problem.kin, {}
  result.x, result.cycle, result.radius = table.move(found.x, 1, n, 1, {}), {}, 0.0
  for p = 1, o.period do result.cycle[p] = table.move(found.x, (p - 1)*n + 1, p*n, 1, {}) end
  for i, x in ipairs(found.x) do
    result.radius = math.max(result.radius, x.radius)
    centre[i] = x:midpoint():text(certificate_text.decimals(o.bits))
  end
  result.multipliers, result.stable, result.verdict = found.multipliers, found.stable, found.verdict
  result.least, result.tried, result._found = found.least, found.tried, found.x
  result._text = { bits = o.bits, centre = centre, radii = { certificate_text.radius(found.radius_ball) }, stable = found.stable }
  return setmetatable(result, Proof.meta)
end

options.declare("prove_fixed_point", schema)

return fixed_point
