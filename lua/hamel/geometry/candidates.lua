-- candidates.lua: integrals among the combinations of given functions: found by null vectors modulo a prime, written with the parameters, proved.
local ansatz = require "hamel.geometry.ansatz"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local sampling = require "hamel.geometry.sampling"
local symbols = require "hamel.algebra.symbols"
local upright = require "hamel.geometry.upright"
local vanishing = require "hamel.algebra.vanishing"

local candidates = {}

local HIGHEST = 3                      -- degree in the parameters of the coefficients

local function picked(columns, key)
  local list = {}
  for i, column in ipairs(columns) do list[i] = column[key] end
  return list
end

-- The combination without common denominators of the factors: on the surface, and as it is shown
local function combined(factors, on, shown)
  local scale = core.rational(1)
  for _, factor in ipairs(factors) do scale = scale*(factor*scale):denominator() end
  local left, right = {}, {}
  for i, factor in ipairs(factors) do left[i], right[i] = scale*factor*on[i], scale*factor*shown[i] end
  return core.sum(left), core.sum(right)
end

-- true, false or nil, within the time that is left
local function proved(flow, on, o)
  local left = o.finish - os.clock()
  if left <= 0 then return nil end
  local verdict = flow:decide(flow:rate(on), { seconds = math.min(left, 5) })
  if verdict == "undecided" then return nil end
  return verdict == "zero"
end

-- The functions of the support times monomials in the parameters, which stand still: null vectors with coefficients polynomial in them
local function with_parameters(flow, columns, support, degree, o)
  local on, shown, images = {}, {}, {}
  local chosen = {}
  for i, c in ipairs(support) do chosen[i] = columns[c] end
  local rates = flow:along(picked(chosen, "on"), sampling.rates(flow))
  for _, monomial in ipairs(ansatz.monomials(flow.parameters, degree)) do
    for i, column in ipairs(chosen) do
      on[#on + 1], shown[#shown + 1], images[#images + 1] = monomial.e*column.on, monomial.e*column.shown, monomial.e*rates[i]
    end
  end
  if #on > o.unknowns then return nil end
  local fine, kernel = attempt(sampling.kernel, flow, on, images, { seconds = sampling.left(o.finish) })
  local vector = fine and kernel.vectors[1]
  if not vector or not vector.factors then return nil end
  local function of(list)
    local result = {}
    for i, c in ipairs(vector.columns) do result[i] = list[c] end
    return result
  end
  return combined(vector.factors, of(on), of(shown))
end

-- Are all the numbers short, as those of a combination without parameters are?
local function are_short(factors)
  for _, factor in ipairs(factors) do
    local p, q = core.fraction(factor)
    if math.abs(core.number_value(p)) > 1e4 or core.number_value(q) > 1e4 then return false end
  end
  return true
end

local function entry(flow, on, shown, parameters, proof)
  return { flow = flow, on = on, shown = echelon.short(shown), parameters = parameters, proof = proof }
end

-- The integral behind a null vector: for all values of the parameters
local function for_any(flow, columns, vector, o)
  local on, shown = {}, {}
  for i, c in ipairs(vector.columns) do on[i], shown[i] = columns[c].on, columns[c].shown end
  if vector.factors and are_short(vector.factors) then
    local F, text = combined(vector.factors, on, shown)
    if proved(flow, F, o) then return entry(flow, F, text, "any", true) end
  end
  for degree = 1, #flow.parameters > 0 and HIGHEST or 0 do
    if os.clock() > o.finish then return nil end
    local F, text = with_parameters(flow, columns, vector.columns, degree, o)
    if F and proved(flow, F, o) then return entry(flow, F, text, "any", true) end
  end
end

-- The same for the declared values; `of` tells whether exact algebra proved it
local function for_declared(flow, columns, vector, of, o)
  if not vector.factors then return nil end
  local on, shown = {}, {}
  for i, c in ipairs(vector.columns) do on[i], shown[i] = columns[c].on, columns[c].shown end
  local F, text = combined(vector.factors, on, shown)
  local zero = proved(flow, F, o)
  if zero == false then return nil end
  return entry(flow, F, text, of, zero == true or nil)
end

-- Columns with the declared values of the parameters
local function declared_columns(flow, columns)
  local list, on, shown = {}, flow.put_in(picked(columns, "on")), flow.put_in(picked(columns, "shown"))
  for i in ipairs(columns) do list[i] = { on = on[i], shown = shown[i] } end
  return list
end

local function kernel_of(flow, columns, o)
  local on = picked(columns, "on")
  return sampling.kernel(flow, on, flow:along(on, sampling.rates(flow)), { fixed = flow.parameters, seconds = sampling.left(o.finish) })
end

-- How many of the functions found are independent, up to constants, at the declared values
local function span(declared, list)
  local values = { core.rational(1) }
  for i, found in ipairs(list) do values[i + 1] = declared.put_in{ found.on }[1] end
  local drawn = sampling.draw(declared, values, #values + 10, { fixed = declared.parameters })
  return #core.sift(drawn.matrix, sampling.indices(1, #values)) - 1
end

--- Integrals among the combinations of columns { on, shown }: { proved, unproved = lists of { flow, on, shown, parameters, proof }, nullity = number of
--- combinations that are constant, independent, complete, reason }. declared: the flow at the declared values. o: parameters, finish (by os.clock), unknowns.
function candidates.find(flow, declared, columns, o)
  local result, generic = { proved = {}, unproved = {} }, nil
  local same = declared == flow
  if o.parameters == "any" or same then
    generic = kernel_of(flow, columns, o)
    for _, vector in ipairs(generic.vectors) do
      local found = for_any(flow, columns, vector, o)
      if found then table.insert(result.proved, found) end
    end
  end
  local fine, special = true, generic
  if not same then
    fine, special = attempt(kernel_of, declared, declared_columns(declared, columns), o)
    if not fine and not generic then object.fail("%s", special) end
  end
  if not fine then
    result.independent, result.reason = generic.independent, ("others are not excluded: the declared values were not searched: %s"):format(special)
    return result
  end
  result.nullity, result.independent = special.nullity, special.independent
  local reached = span(declared, result.proved)
  if reached < special.nullity then
    local own = declared_columns(declared, columns)
    for _, vector in ipairs(special.vectors) do
      local found = for_declared(declared, own, vector, same and "any" or "declared", o)
      if found then table.insert(found.proof and result.proved or result.unproved, found) end
    end
    reached = span(declared, result.proved)
  end
  result.complete = reached == special.nullity and special.atoms or nil
  if not result.complete then
    result.reason = reached < special.nullity and ("%d of at most %d proved"):format(reached, special.nullity)
      or "others are not excluded: the functions of the formulas may depend on each other"
  end
  return result
end

-- ---- what an integral quadratic in the velocities is made of

--- The linear function whose square is a quadratic form of rank one, or its negative, sqrt(H_aa/2) sum_b (H_ab/H_aa) w_b; nil where it is none.
function candidates.root(flow, on)
  local slopes, H, a = core.gradient(on, flow.w), {}, nil
  for i = 1, flow.m do
    H[i] = core.gradient(slopes[i], flow.w)
    if not vanishing.proved(vanishing.without(slopes[i], flow.w)) then return nil end
  end
  if not vanishing.proved(vanishing.without(on, flow.w)) then return nil end
  for i = 1, flow.m do if not a and H[i][i]:is_zero() ~= true then a = i end end
  if not a then return nil end
  for i = 1, flow.m do
    for j = i, flow.m do
      if i ~= a and j ~= a and (H[i][j]*H[a][a] - H[i][a]*H[a][j]):is_zero() ~= true then return nil end
    end
  end
  local terms = {}
  for b = 1, flow.m do terms[b] = echelon.short(H[a][b]/H[a][a])*flow.w[b] end
  local square = upright(flow, (core.simplify(H[a][a]/2, "fraction", nil, { effort = 1 })))
  return pieces.root(square)*core.sum(terms)
end

--- Twice the energy E, a quadratic form, without the squares of m - 1 integrals linear and homogeneous in w: 2 E - I^T (f G^-1 f^T)^-1 I with I = f w,
--- a square and conserved where f G^-1 f^T is constant; nil where it is not.
function candidates.rest_of_energy(flow, energy, integrals)
  if #integrals ~= flow.m - 1 or #integrals == 0 then return nil end
  local rows, gram, terms = {}, {}, { 2*energy }
  for i, I in ipairs(integrals) do rows[i] = core.gradient(I, flow.w) end
  local raised = linear.solve_exactly(flow.G, rows)
  for i in ipairs(rows) do
    gram[i] = {}
    for j in ipairs(rows) do
      local products = {}
      for a = 1, flow.m do products[a] = rows[i][a]*raised[j][a] end
      gram[i][j] = echelon.short(core.sum(products))
      for _, s in ipairs(core.symbols{ gram[i][j] }) do if object.contains(flow.q, s) or s == symbols.t then return nil end end
    end
  end
  local weights = linear.solve_exactly(gram, { integrals })[1]
  for i, I in ipairs(integrals) do terms[#terms + 1] = -I*weights[i] end
  return core.sum(terms)
end

--- c E - F where F has the same quadratic part as c times the energy E and c is a number; nil where it has not.
function candidates.moving_energy(flow, on, energy)
  local H, T = core.hessian(core.gradient(on, flow.w), flow.w), core.hessian(core.gradient(energy, flow.w), flow.w)
  local ratio
  for a = 1, flow.m do
    if T[a][a]:is_zero() ~= true then ratio = (H[a][a]/T[a][a]):simplify() break end
  end
  if not ratio or not core.number_value(ratio) or core.number_value(ratio) == 0 then return nil end
  for a = 1, flow.m do
    for b = a, flow.m do if (H[a][b] - ratio*T[a][b]):is_zero() ~= true then return nil end end
  end
  return energy - on/ratio
end

return candidates
