-- one_form.lua: integrals of one-forms sum a_i dz_i by elementary rules: antiderivatives, potentials, integrating factors.
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local vanishing = require "hamel.algebra.vanishing"

local one_form = {}

local short = echelon.short
local is_zero = vanishing.proved
local function contains(e, x)
  for _, s in ipairs(core.symbols{ e }) do if s == x then return true end end
  return false
end

-- e = c x-free, the factors with x: nil where a factor is a sum that must be multiplied out
local function split(e, x)
  local free, rest = core.rational(1), {}
  for _, factor in ipairs(core.kind(e) == "product" and core.operands(e) or { e }) do
    if contains(factor, x) then rest[#rest + 1] = factor else free = free*factor end
  end
  return free, rest
end

local function product(list)
  local p = core.rational(1)
  for _, e in ipairs(list) do p = p*e end
  return p
end

local antiderivative

-- Antiderivative of a function by its argument
local function of_call(call)
  if core.kind(call) ~= "call" or #core.operands(call) ~= 1 then return nil end
  local u = core.operands(call)[1]
  if call == core.sin(u) then return -core.cos(u), u end
  if call == core.cos(u) then return core.sin(u), u end
  if call == core.tan(u) then return -core.log(core.cos(u)), u end
  if call == core.exp(u) then return call, u end
  if call == core.sinh(u) then return core.cosh(u), u end
  if call == core.cosh(u) then return core.sinh(u), u end
end

-- x^n times a function of a linear argument, by parts
local function by_parts(rest, x)
  local power, call = 0, nil
  for _, factor in ipairs(rest) do
    local base, n = factor, 1
    if core.kind(factor) == "power" then base, n = core.operands(factor)[1], core.number_value(core.operands(factor)[2]) end
    if base == x and n and n > 0 and n == math.floor(n) then
      power = power + n
    elseif not call then
      call = factor
    else
      return nil
    end
  end
  local F, u = of_call(call or x)
  if not F or power == 0 then return nil end
  local slope = short(core.diff(u, x))
  if contains(slope, x) then return nil end
  local remainder = antiderivative(power*x^(power - 1)*F/slope, x)
  return remainder and x^power*F/slope - remainder
end

-- c u' f(u) for one of the factors f(u)
local function of_function(rest, x)
  local whole = product(rest)
  for _, factor in ipairs(rest) do
    local F, u = of_call(factor)
    local slope = F and core.diff(u, x)
    if slope and not is_zero(slope) then
      local c = short(whole/(slope*factor))
      if not contains(c, x) then return c*F end
    end
  end
end

-- c g' g^n for one of the factors g^n
local function of_inner(rest, x)
  local whole = product(rest)
  for _, factor in ipairs(rest) do
    local g, n = factor, core.rational(1)
    if core.kind(factor) == "power" then g, n = table.unpack(core.operands(factor)) end
    local slope = not contains(n, x) and core.diff(g, x)
    if slope and not is_zero(slope) then
      local c = short(whole/(slope*g^n))
      if not contains(c, x) then
        if core.number_value(n) == -1 then return c*core.log(g) end
        return c*g^(n + 1)/(n + 1)
      end
    end
  end
end

-- Sums among the factors multiplied out, one at a time
local function distributed(rest)
  for i, factor in ipairs(rest) do
    local sum, n = factor, 1
    if core.kind(factor) == "power" then sum, n = core.operands(factor)[1], core.number_value(core.operands(factor)[2]) end
    if core.kind(sum) == "sum" and n and n > 0 and n == math.floor(n) then
      local others, terms = core.rational(1), {}
      for k, other in ipairs(rest) do if k ~= i then others = others*other end end
      for k, term in ipairs(core.operands(sum)) do terms[k] = term*sum^(n - 1)*others end
      return terms
    end
  end
end

--- An antiderivative of e along x, or nil: sums, g' g^n, u' f(u), powers times functions of linear arguments.
function antiderivative(e, x)
  if core.number_value(e) == 0 then return e end
  if not contains(e, x) then return e*x end
  if core.kind(e) == "sum" then
    local terms = {}
    for k, term in ipairs(core.operands(e)) do
      terms[k] = antiderivative(term, x)
      if not terms[k] then return nil end
    end
    return core.sum(terms)
  end
  local free, rest = split(e, x)
  local F = of_inner(rest, x) or of_function(rest, x) or by_parts(rest, x)
  if not F then
    local terms = distributed(rest)
    F = terms and antiderivative(core.sum(terms), x)
  end
  return F and free*F
end

-- One variable after the other, from `first` to `last`; verified
local function potential_in_order(a, z, first, last, step)
  local F = core.rational(0)
  for i = first, last, step do
    local part = antiderivative(short(a[i] - core.diff(F, z[i])), z[i])
    if not part then return nil end
    F = F + part
  end
  for i, x in ipairs(z) do if not is_zero(core.diff(F, x) - a[i]) then return nil end end
  return short(F)
end

--- F with dF = sum a_i dz_i, or nil where the form is not closed or an antiderivative is not found.
function one_form.potential(a, z)
  return potential_in_order(a, z, 1, #z, 1) or potential_in_order(a, z, #z, 1, -1)
end

--- exp(F) with n log(u) taken as u^n.
function one_form.exponential(F)
  local factor, rest = core.rational(1), {}
  for _, term in ipairs(core.kind(F) == "sum" and core.operands(F) or { F }) do
    local free, logs = core.rational(1), {}
    for _, part in ipairs(core.kind(term) == "product" and core.operands(term) or { term }) do
      if core.kind(part) == "call" and part == core.log(core.operands(part)[1]) then logs[#logs + 1] = part else free = free*part end
    end
    if #logs == 1 and core.number_value(free) then
      factor = factor*core.operands(logs[1])[1]^free
    else
      rest[#rest + 1] = term
    end
  end
  return #rest > 0 and factor*core.exp(core.sum(rest)) or factor
end

-- Factor that depends on z_k alone: d ln factor/dz_k = (da_k/dz_i - da_i/dz_k)/a_i
local function factor_of_one(a, z, k)
  for i in ipairs(z) do
    if i ~= k and not is_zero(a[i]) then
      local g = short((core.diff(a[k], z[i]) - core.diff(a[i], z[k]))/a[i])
      for j in ipairs(z) do if j ~= k and contains(g, z[j]) then return nil end end
      local F = antiderivative(g, z[k])
      return F and one_form.exponential(F)
    end
  end
end

--- F and a factor with dF = factor sum a_i dz_i; nil when none is found. Factors tried: 1, functions of one variable, 1/a_i, 1/(z_i z_j).
function one_form.integral(a, z)
  local candidates = { core.rational(1) }
  for k in ipairs(z) do candidates[#candidates + 1] = factor_of_one(a, z, k) end
  for i in ipairs(z) do
    if not is_zero(a[i]) then candidates[#candidates + 1] = 1/a[i] end
    for j = i + 1, #z do candidates[#candidates + 1] = 1/(z[i]*z[j]) end
  end
  for _, factor in ipairs(candidates) do
    local scaled = {}
    for i in ipairs(z) do scaled[i] = short(factor*a[i]) end
    local F = one_form.potential(scaled, z)
    if F then return F, factor end
  end
end

return one_form
