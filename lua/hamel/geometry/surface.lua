-- surface.lua: expressions that vanish on f_1 = ... = f_m = 0: proofs by pseudo-division, disproofs at points found by Newton steps.
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local opaque = require "hamel.algebra.opaque"
local protected = require "hamel.base.protected"
local vanishing = require "hamel.algebra.vanishing"

local surface = {}

--- Newton steps of the entries `moved` of a point along the gradients `slopes`, one function after the other; true when all values are below 1e-12.
local function project(functions, slopes, list, point, moved)
  for _ = 1, 400 do
    local worst = 0
    for k, f in ipairs(functions) do
      local value, square, rates = core.value(f, list, point), 0, {}
      for i = 1, #moved do
        rates[i] = core.value(slopes[k][i], list, point)
        square = square + rates[i]^2
      end
      if not (square > 1e-12) then return false end
      worst = math.max(worst, math.abs(value))
      for i, index in ipairs(moved) do point[index] = point[index] - value*rates[i]/square end
    end
    if worst < 1e-14 then break end
  end
  for _, f in ipairs(functions) do if not (math.abs(core.value(f, list, point)) < 1e-12) then return false end end
  return true
end

surface.project = project

--- Points where all `functions` vanish: calls visit(list, point) with symbols and values until it returns true or 40 points are drawn.
--- `moved` says which symbols the steps may change (coordinates); all others keep their random values in (0.3, 1.7), which the
--- symbols of `others` get as well.
function surface.points(functions, others, moved, visit)
  local all = table.move(others, 1, #others, #functions + 1, table.move(functions, 1, #functions, 1, {}))
  local list, indices, slopes, random = core.symbols(all), {}, {}, 12345
  for i, s in ipairs(list) do if moved(s) then indices[#indices + 1] = i end end
  for k, f in ipairs(functions) do
    slopes[k] = {}
    for i, index in ipairs(indices) do slopes[k][i] = core.diff(f, list[index]) end
  end
  for _ = 1, 40 do
    local point = {}
    for i = 1, #list do
      random = (random*1103515245 + 12345) % 2147483648
      point[i] = 0.3 + 1.4*random/2147483648
    end
    if project(functions, slopes, list, point, indices) and visit(list, point) then return end
  end
end

--- Does e vanish where all `functions` do? Judged at five points: true, false with the point { {symbol, value}, ... } and the value
--- there, or nil when too few points were found.
function surface.vanishes(functions, e, moved)
  local found, answer, witness, off = 0, nil, nil, nil
  local examples = opaque.example(table.move(functions, 1, #functions, 2, { e }))
  e, functions = examples[1], table.move(examples, 2, #examples, 1, {})
  surface.points(functions, { e }, moved, function(list, point)
    local value = core.value(e, list, point)
    if value ~= value then return false end
    if math.abs(value) > 1e-8 then
      answer, witness, off = false, {}, value
      for i, s in ipairs(list) do witness[i] = { s, point[i] } end
      return true
    end
    found = found + 1
    if found == 5 then answer = true end
    return answer
  end)
  return answer, witness, off
end

-- ---- proofs

local MOST = 8                          -- degree up to which a function is taken for a polynomial

local is_zero = vanishing.proved

local function contains(e, x)
  for _, s in ipairs(core.symbols{ e }) do if s == x then return true end end
  return false
end

-- Coefficients of a polynomial in x, from the lowest power on; nil where e is none, or of too high a degree
local function polynomial(e, x)
  local degree, derivative = -1, e
  while not is_zero(derivative) do
    degree, derivative = degree + 1, core.diff(derivative, x)
    if degree > MOST then return nil end
  end
  local list = {}
  for k = 0, degree do
    list[k] = core.coefficient(e, x, k)
    if contains(list[k], x) then return nil end
  end
  return list, degree
end

-- The symbol in which f is a polynomial of least degree, constant leading coefficients first
local function main_variable(f)
  local best
  for _, x in ipairs(core.symbols{ f }) do
    local coefficients, degree = polynomial(f, x)
    if coefficients and degree > 0 then
      local cost = degree + (core.number_value(coefficients[degree]) and 0 or 100)
      if not best or cost < best.cost then best = { x = x, coefficients = coefficients, degree = degree, cost = cost } end
    end
  end
  return best
end

-- lead^k e modulo f
local function remainder(e, f)
  local list, degree = polynomial(e, f.x)
  if not list then return e end
  local lead = f.coefficients[f.degree]
  for top = degree, f.degree, -1 do
    local factor = list[top]
    if factor and not is_zero(factor) then
      for k = 0, top - 1 do
        list[k] = list[k]*lead
        local j = k - (top - f.degree)
        if j >= 0 then list[k] = list[k] - factor*f.coefficients[j] end
      end
    end
    list[top] = nil
  end
  local terms = {}
  for k = 0, math.min(degree, f.degree - 1) do if list[k] then terms[#terms + 1] = list[k]*f.x^k end end
  return echelon.short(core.sum(terms))
end

-- Numerator in lowest terms; nil where that is not found within the limits of algebra
local function numerator_of(e)
  local fine, numerator = protected(core.fraction, e)
  if fine then return numerator end
  if tostring(numerator):find("interrupted", 1, true) then error(numerator, 0) end
end

--- Is e proved to vanish where all `functions` do? By pseudo-division of its numerator by each of them, in a symbol in which that function
--- is a polynomial. true and the leading coefficients, which are assumed not to vanish; or false: not proved.
function surface.proves(functions, e)
  local divisors, leads = {}, {}
  for _, f in ipairs(functions) do
    local numerator = numerator_of(f)
    local divisor = numerator and main_variable(numerator)
    if divisor then
      divisors[#divisors + 1] = divisor
      local lead = divisor.coefficients[divisor.degree]
      if not core.number_value(lead) then leads[#leads + 1] = lead end
    end
  end
  local rest = numerator_of(e)
  if not rest then return false end
  for _ = 1, 2 do
    for _, divisor in ipairs(divisors) do
      rest = remainder(rest, divisor)
      if is_zero(rest) then return true, leads end
    end
  end
  return false
end

return surface
