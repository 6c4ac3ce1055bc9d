-- cosine_identities.lua: sums of products of direction cosines in fewer terms, by C C^T = 1, C^T C = 1 and the cofactors, C = cof C.
--
-- An expanded sum is a table of monomials: a factor without cosines, a list of cosines, a coefficient. A multiple of an identity is added as long as
-- that leaves fewer terms, or as many of a lower degree; so it ends, though not always at the shortest sum.
local core = require "hamel.core"

local LETTERS = { "x", "y", "z" }
local MOST = 80                        -- terms of a sum that is looked at

-- Identities of the cosines C[i][j]: { {sign, a, b}, ... } whose sum is `value`: nil (0), 1 or a cosine
local function identities(C)
  local list = {}
  for i = 1, 3 do
    for j = i, 3 do
      local row, column = { value = i == j and 1 or nil }, { value = i == j and 1 or nil }
      for k = 1, 3 do row[k], column[k] = { 1, C[i][k], C[j][k] }, { 1, C[k][i], C[k][j] } end
      list[#list + 1], list[#list + 2] = row, column
    end
    for j = 1, 3 do
      local k, l, m, n = i % 3 + 1, (i + 1) % 3 + 1, j % 3 + 1, (j + 1) % 3 + 1
      list[#list + 1] = { { 1, C[k][m], C[l][n] }, { -1, C[k][n], C[l][m] }, value = C[i][j] }
    end
  end
  return list
end

-- Terms of an expression, products of sums multiplied out; nil where they are too many
local function terms_of(e)
  local kind, list = core.kind(e), { e }
  if kind == "sum" then
    list = {}
    for _, operand in ipairs(core.operands(e)) do
      local terms = terms_of(operand)
      if not terms or #list + #terms > MOST then return nil end
      table.move(terms, 1, #terms, #list + 1, list)
    end
  elseif kind == "product" then
    list = { core.rational(1) }
    for _, factor in ipairs(core.operands(e)) do
      local terms, products = terms_of(factor), {}
      if not terms or #list*#terms > MOST then return nil end
      for _, a in ipairs(list) do
        for _, b in ipairs(terms) do products[#products + 1] = a*b end
      end
      list = products
    end
  end
  return list
end

-- ---- monomials

-- label: the text of the rest
local function monomial(rest, label, cosines, coefficient)
  table.sort(cosines)
  return { key = label .. "|" .. table.concat(cosines, " "), rest = rest, label = label, cosines = cosines, coefficient = coefficient }
end

local function add(sum, m, sign)
  local known = sum[m.key]
  local c = (known and known.coefficient or core.rational(0)) + sign*m.coefficient
  sum[m.key] = core.number_value(c) ~= 0 and { key = m.key, rest = m.rest, label = m.label, cosines = m.cosines, coefficient = c } or nil
end

-- A term of an expanded sum; cosine: by name
local function read(term, cosine)
  local rest, cosines, coefficient = {}, {}, core.rational(1)
  for _, factor in ipairs(core.kind(term) == "product" and core.operands(term) or { term }) do
    local base, count = factor, 1
    if core.kind(factor) == "power" then base, count = core.operands(factor)[1], core.number_value(core.operands(factor)[2]) end
    local name = core.kind(base) == "symbol" and core.text(base)
    if core.kind(factor) == "number" then coefficient = coefficient*factor
    elseif name and cosine[name] and count and count > 0 and count % 1 == 0 then
      for _ = 1, count do cosines[#cosines + 1] = name end
    else rest[#rest + 1] = factor end
  end
  rest = core.product(rest)
  return monomial(rest, core.text(rest), cosines, coefficient)
end

-- The cosines without one a and one b; nil where they are not among them
local function without(cosines, a, b)
  local left = table.move(cosines, 1, #cosines, 1, {})
  for _, name in ipairs{ a, b } do
    local at
    for i, other in ipairs(left) do if other == name then at = i end end
    if not at then return nil end
    table.remove(left, at)
  end
  return left
end

-- ---- reduction

-- The monomials of `by` times the products of an identity, less its value, with coefficients
local function multiple(identity, by, coefficient)
  local list = {}
  local function append(c, ...)
    local cosines = table.move(by.cosines, 1, #by.cosines, 1, {})
    for _, name in ipairs{ ... } do cosines[#cosines + 1] = name end
    list[#list + 1] = monomial(by.rest, by.label, cosines, c*coefficient)
  end
  for _, product in ipairs(identity) do append(product[1], product[2], product[3]) end
  if identity.value == 1 then append(-1) elseif identity.value then append(-1, identity.value) end
  return list
end

-- The change of the number of terms and of their degree where the list is subtracted from the sum
local function gain(sum, list)
  local terms, degree = 0, 0
  for _, m in ipairs(list) do
    local known = sum[m.key]
    if not known then terms, degree = terms + 1, degree + #m.cosines
    elseif core.number_value(known.coefficient - m.coefficient) == 0 then terms, degree = terms - 1, degree - #m.cosines end
  end
  return terms, degree
end

-- One step: subtracts the multiple of an identity that helps most; false where none does
local function step(sum, list)
  local best, most, least = nil, 0, 0
  for _, m in pairs(sum) do
    for _, identity in ipairs(list) do
      for _, product in ipairs(identity) do
        local left = without(m.cosines, product[2], product[3])
        if left then
          local candidate = multiple(identity, { rest = m.rest, label = m.label, cosines = left }, product[1]*m.coefficient)
          local terms, degree = gain(sum, candidate)
          if terms < most or terms == most and degree < least then best, most, least = candidate, terms, degree end
        end
      end
    end
  end
  for _, m in ipairs(best or {}) do add(sum, m, -1) end
  return best ~= nil
end

local function written(sum, cosine)
  local keys, terms = {}, {}
  for key in pairs(sum) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    local factors = { sum[key].coefficient, sum[key].rest }
    for _, name in ipairs(sum[key].cosines) do factors[#factors + 1] = cosine[name] end
    terms[i] = core.product(factors)
  end
  return core.sum(terms)
end

--- The expression as a sum of fewer terms by the identities of the cosines of a rotation; e itself where there are none.
---@param rotation string its name
---@param flags integer of the symbols of cosines
return function(e, rotation, flags)
  local C, cosine = {}, {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do
      local name = rotation .. LETTERS[i] .. LETTERS[j]
      C[i][j], cosine[name] = name, core.symbol(name, flags)
    end
  end
  local terms, sum = terms_of(e), {}
  if not terms or #terms < 2 then return e end
  for _, term in ipairs(terms) do add(sum, read(term, cosine), 1) end
  local list, changed = identities(C), false
  while step(sum, list) do changed = true end
  return changed and written(sum, cosine) or e
end
