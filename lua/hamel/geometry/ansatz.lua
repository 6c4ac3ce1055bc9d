-- ansatz.lua: the functions among whose combinations integrals are searched: functions of the coordinates times monomials of velocities.
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local ansatz = {}

local TURNS = { sin = true, cos = true, tan = true }

local function least_common_multiple(a, b)
  local x, y = a, b
  while y ~= 0 do x, y = y, x % y end
  return a//x*b
end

-- The denominator of an angle's factor, nil where it is no short fraction
local function denominator(slope)
  if core.kind(slope) ~= "number" then return nil end
  local _, d = core.fraction(slope)
  return math.tointeger(tonumber(tostring(d)))
end

--- How the coordinates occur in the field: by symbol { angle = common denominator of the factors in sines and cosines } where it occurs inside these
--- alone, {} where it occurs otherwise, nil where it does not occur.
function ansatz.occurrence(flow)
  local of, seen, is_coordinate = {}, {}, {}
  for _, q in ipairs(flow.q) do is_coordinate[q] = true end
  local function turned(argument)
    for _, q in ipairs(core.symbols{ argument }) do
      local d = is_coordinate[q] and denominator(core.diff(argument, q))
      if is_coordinate[q] then
        of[q] = of[q] or { angle = 1 }
        of[q].angle = d and of[q].angle and least_common_multiple(of[q].angle, d) or nil
      end
    end
  end
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    local kind = core.kind(e)
    if is_coordinate[e] then of[e] = of[e] or {}; of[e].angle = nil
    elseif kind == "call" and TURNS[core.name(e)] then turned(core.operands(e)[1])
    elseif kind ~= "symbol" and kind ~= "number" and kind ~= "float" then
      for _, operand in ipairs(core.operands(e)) do visit(operand) end
    end
  end
  for _, e in ipairs(flow.k) do visit(e) end
  for _, row in ipairs(flow.G) do for _, e in ipairs(row) do visit(e) end end
  for _, e in ipairs(flow.h) do visit(e) end
  -- a coordinate met inside of sines after it was met outside of them
  for _, entry in pairs(of) do if entry.angle == nil then entry.angle = false end end
  return of
end

-- { e =, degree = } for 1, cos s, sin s, cos 2 s, ...
local function waves(q, unit, highest)
  local list = { { e = core.rational(1), degree = 0 } }
  for k = 1, highest do
    local argument = core.rational(k, unit)*q
    list[#list + 1] = { e = core.cos(argument), degree = k }
    list[#list + 1] = { e = core.sin(argument), degree = k }
  end
  return list
end

local function powers(x, highest)
  local list = {}
  for k = 0, highest do list[k + 1] = { e = k == 0 and core.rational(1) or x^k, degree = k } end
  return list
end

-- Products of an entry of each list
local function multiplied(a, b)
  local list = {}
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do list[#list + 1] = { e = x.e*y.e, degree = x.degree + y.degree } end
  end
  return list
end

--- Monomials of the entries of a list of expressions up to a degree.
local function monomials(list, degree)
  local result, from = { { e = core.rational(1), degree = 0, last = 1 } }, 1
  for d = 1, degree do
    local to = #result
    for i = from, to do
      for k = result[i].last, #list do result[#result + 1] = { e = result[i].e*list[k], degree = d, last = k } end
    end
    from = to + 1
  end
  return result
end
ansatz.monomials = monomials

-- A number for all coordinates, or by name
local function highest_of(flow, given, what)
  if type(given) ~= "table" then return {} end
  local result = {}
  local rotations = {}
  for _, R in ipairs(flow.rotations) do rotations[R.name] = what == "angle" end
  for name, value in pairs(given) do
    name = type(name) == "string" and name or core.is_expression(name) and core.name(name) or tostring(name)
    local q = flow.system._coordinate[name]
    if not q and not rotations[name] then
      fail("conserved: %s: '%s' is not a coordinate of %s%s", what, name, flow.system.name, object.hint(name, flow.system.coordinate_names))
    end
    if math.type(value) ~= "integer" or value < 0 then fail("conserved: %s: the number for '%s' is a whole number from 0 on", what, name) end
    if q then result[q] = value end
  end
  return result
end

local function checked(flow, list, what)
  local result = {}
  local order = what == "velocities" and 1 or 0
  for i, e in ipairs(list or {}) do result[i] = flow:admit(e, ("conserved: entry %d of %s"):format(i, what), order) end
  return result
end

-- By coordinate and by direction cosine of a rotation: the name of the rotation
local function rotations_of(flow)
  local of = {}
  for _, R in ipairs(flow.rotations) do
    for _, e in ipairs(R.quaternion) do of[e] = R.name end
    for _, c in ipairs(R.cosine_list) do of[c] = R.name end
  end
  return of
end

local ANGLE, POWER, TURNS_OF_BODIES = 2, 2, 1

-- The number of monomials of so many functions up to a degree
local function binomial(functions, degree)
  local count = 1.0
  for k = 1, degree do count = count*(functions + k)/k end
  return count
end

-- A list whose products with those of other parts are the functions: how many entries it has, and what makes it
local function part(count, make, ...) return { count = count, make = make, ... } end

-- Polynomials in the direction cosines of the rotations, whose degree is `angle`
local function attitudes(flow, o, covered, parts, texts)
  for _, R in ipairs(flow.rotations) do
    local degree = type(o.angle) == "table" and o.angle[R.name] or type(o.angle) == "number" and o.angle or TURNS_OF_BODIES
    if math.type(degree) ~= "integer" or degree < 0 then fail("conserved: angle: the number for '%s' is a whole number from 0 on", R.name) end
    if degree > 0 and not covered[R.name] then
      parts[#parts + 1] = part(binomial(#R.cosine_list, degree), monomials, R.cosine_list, degree)
      texts[#texts + 1] = ("direction cosines of %s up to degree %d"):format(R.name, degree)
    end
  end
end

--- What functions of the coordinates and of time are made of: { parts, count = their number, which nothing has built yet, text }.
function ansatz.plan(flow, o)
  local occurs, angle, power = ansatz.occurrence(flow), highest_of(flow, o.angle, "angle"), highest_of(flow, o.power, "power")
  local over, covered, texts, parts = checked(flow, o.over, "over"), {}, {}, {}
  local rotation = rotations_of(flow)
  for _, s in ipairs(core.symbols(over)) do covered[rotation[s] or s] = true end
  attitudes(flow, o, covered, parts, texts)
  local polynomial, separate, total = {}, {}, type(o.power) == "number" and o.power or POWER
  for _, q in ipairs(flow.q) do
    local found = not rotation[q] and occurs[q]
    local turns = angle[q] or (not power[q] and not covered[q] and found and found.angle and (type(o.angle) == "number" and o.angle or ANGLE))
    if turns and turns > 0 then
      parts[#parts + 1] = part(1 + 2*turns, waves, q, found and found.angle or 1, turns)
      texts[#texts + 1] = ("sines and cosines of %s up to %d"):format(core.text(q), turns)
    elseif power[q] then
      separate[#separate + 1] = part(1 + power[q], powers, q, power[q])
      texts[#texts + 1] = ("powers of %s up to %d"):format(core.text(q), power[q])
    elseif not turns and not covered[q] and not rotation[q] and (found or type(o.power) == "number") then polynomial[#polynomial + 1] = q end
  end
  table.move(separate, 1, #separate, #parts + 1, parts)
  if #polynomial > 0 and total > 0 then
    parts[#parts + 1] = part(binomial(#polynomial, total), monomials, polynomial, total)
    local names = {}
    for i, q in ipairs(polynomial) do names[i] = core.text(q) end
    texts[#texts + 1] = ("monomials in %s of degree up to %d"):format(table.concat(names, ", "), total)
  end
  if o.time > 0 then
    parts[#parts + 1] = part(1 + o.time, powers, symbols.t, o.time)
    texts[#texts + 1] = ("powers of t up to %d"):format(o.time)
  end
  if #over > 0 then
    parts[#parts + 1] = part(binomial(#over, o.products), monomials, over, o.products)
    texts[#texts + 1] = ("products of up to %d of the %d functions given"):format(o.products, #over)
  end
  local given = checked(flow, o.functions, "functions")
  if #given > 0 then
    parts[#parts + 1] = part(1 + #given, monomials, given, 1)
    texts[#texts + 1] = ("%d functions given"):format(#given)
  end
  local count = 1.0
  for _, p in ipairs(parts) do count = count*p.count end
  return { parts = parts, count = count, text = #texts > 0 and table.concat(texts, ", ") or "constants" }
end

--- The functions of a plan: a list of { e, on = the same on the surface, degree }.
function ansatz.functions(flow, plan)
  local list = { { e = core.rational(1), degree = 0 } }
  for _, p in ipairs(plan.parts) do list = multiplied(list, p.make(table.unpack(p))) end
  for _, f in ipairs(list) do f.on = flow:on(f.e) end
  return list
end

--- Velocities on the surface with what they are in coordinates and velocities: quasi-velocities, the velocities of the coordinates, those given.
function ansatz.velocities(flow, o)
  local list, seen = {}, {}
  local function add(on, shown)
    if seen[on] or core.number_value(on) then return end
    seen[on], list[#list + 1] = true, { on = on, shown = shown }
  end
  for a, w in ipairs(flow.w) do add(w, flow.from_velocities[a]) end
  for i, v in ipairs(flow.velocities) do add(flow.v[i], v) end
  for _, e in ipairs(checked(flow, o.velocities, "velocities")) do add(flow:on(e), e) end
  return list
end

-- Monomials of degree d exactly, on the surface and as shown
local function velocity_monomials(list, d)
  local on, shown, result = {}, {}, {}
  for i, entry in ipairs(list) do on[i], shown[i] = entry.on, entry.shown end
  local left, right = monomials(on, d), monomials(shown, d)
  for i, entry in ipairs(left) do if entry.degree == d then result[#result + 1] = { on = entry.e, shown = right[i].e } end end
  return result
end

--- The number of unknowns up to a degree in the velocities.
function ansatz.count(functions, velocities, degree)
  return functions*binomial(velocities, degree)
end

--- Columns of the search, simple ones first: { on, shown, degree }, without the constant.
function ansatz.columns(functions, velocities, degree)
  local sorted, result = table.move(functions, 1, #functions, 1, {}), {}
  for i, f in ipairs(sorted) do sorted[i] = { e = f.e, on = f.on, degree = f.degree, place = i } end
  table.sort(sorted, function(a, b)
    if a.degree ~= b.degree then return a.degree < b.degree end
    return a.place < b.place
  end)
  for d = 0, degree do
    local monomial = velocity_monomials(velocities, d)
    for _, f in ipairs(sorted) do
      for _, V in ipairs(monomial) do
        if not (d == 0 and core.number_value(f.e)) then result[#result + 1] = { on = f.on*V.on, shown = f.e*V.shown, degree = d } end
      end
    end
  end
  return result
end

return ansatz
