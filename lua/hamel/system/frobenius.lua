-- frobenius.lua: is one constraint, linear in the velocities, by itself the rate of a function up to a factor?
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local frobenius = {}

--- f with every velocity zero; nil where that is not defined
function frobenius.at_rest(f, v)
  local zeros = {}
  for i = 1, #v do zeros[i] = 0 end
  local fine, value = protected(core.substitute, f, v, zeros)
  return fine and value or nil
end

local MANY = 5000                      -- triples beyond which the test below is not made
local DOUBTFUL = 1e-6                  -- of the largest terms: what exceeds this at a point is looked at first

-- The directions in which coordinates and time may change: those of each coordinate alone, of a rotation e' = e omega/2 for each body rate alone, of time.
-- along: lists over z; triples: indices of the rates of a rotation
local function directions_of(system, z)
  local list, triples, rotation_of = {}, {}, {}
  local function add(rate, s)
    local along = {}
    for i = 1, #z do along[i] = rate(i, s) end
    list[#list + 1] = along
  end
  for _, R in ipairs(system._rotations) do
    for i, e in ipairs(R.quaternion) do rotation_of[e] = { R = R, i = i } end
  end
  for i, symbol in ipairs(z) do
    local place = rotation_of[symbol]
    if not place then add(function(k) return core.rational(k == i and 1 or 0) end)
    elseif place.i == 1 then
      triples[#triples + 1] = { #list + 1, #list + 2, #list + 3 }
      for _, w in ipairs(place.R.rates) do
        add(function(k)
          local own = rotation_of[z[k]]
          return own and own.R == place.R and core.diff(own.R.quaternion_rates[own.i], w) or core.rational(0)
        end)
      end
    end
  end
  return list, triples
end

-- Brackets of the directions of a rotation: [X_i, X_j] = X_k, i j k in cyclic order; index and sign of what is left, nil: they commute
local function bracket(triples, j, k)
  for _, t in ipairs(triples) do
    for i = 1, 3 do
      local one, two, three = t[i], t[i % 3 + 1], t[(i + 1) % 3 + 1]
      if one == j and two == k then return three, 1 end
      if one == k and two == j then return three, -1 end
    end
  end
end

-- A point at which forms are looked at: random numbers, a unit quaternion for each rotation
local function point_for(system, list)
  local seed, values = 1, {}
  local function random()
    seed = seed*16807 % 2147483647
    return 0.2 + 0.7*seed/2147483647
  end
  for _, R in ipairs(system._rotations) do
    local x, square = {}, 0
    for i = 1, 4 do
      x[i] = random()
      square = square + x[i]^2
    end
    for i, e in ipairs(R.quaternion) do
      x[i] = x[i]/math.sqrt(square)
      values[e] = x[i]
    end
    for i, cosine in ipairs(R.cosine_list) do values[cosine] = core.value(R.polynomials[i], R.quaternion, x) end
  end
  for _, s in ipairs(list) do values[s] = values[s] or random() end
  return values
end

-- The values of a list of expressions at such a point; nil where they have none
local function values_at_a_point(system, list)
  local inputs, values = core.symbols(list), {}
  local point = point_for(system, inputs)
  for i, s in ipairs(inputs) do values[i] = point[s] end
  return attempt(function() return core.program(inputs, list):eval(values) end)
end

-- One triple i < j < k of directions on which a ^ da is not small in numbers, where it has the fewest terms; nil where there is none
local function doubtful_triple(system, a, curl)
  local list, n = table.move(a, 1, #a, 1, {}), #a
  local place = {}
  for j = 1, n do
    place[j] = {}
    for k = j + 1, n do
      list[#list + 1] = curl[j][k]
      place[j][k] = #list
    end
  end
  local fine, value = values_at_a_point(system, list)
  if not fine then return nil end
  local largest = 0
  for _, x in ipairs(value) do largest = math.max(largest, math.abs(x)) end
  local best, fewest
  for i = 1, n do
    for j = i + 1, n do
      for k = j + 1, n do
        local terms = { value[i]*value[place[j][k]], -value[j]*value[place[i][k]], value[k]*value[place[i][j]] }
        local sum, count = 0, 0
        for _, term in ipairs(terms) do
          sum, count = sum + term, count + (math.abs(term) > DOUBTFUL*largest^2 and 1 or 0)
        end
        if math.abs(sum) > DOUBTFUL*largest^2 and (not best or count < fewest) then best, fewest = { i, j, k }, count end
      end
    end
  end
  return best
end

local function on_triple(a, curl, i, j, k) return a[i]*curl[j][k] - a[j]*curl[i][k] + a[k]*curl[i][j] end

--- Is Frobenius' condition on the one-form sum a_j dq_j + a_0 dt proved? a ^ da = 0 on all triples of the directions X, with
--- da(X, Y) = X a(Y) - Y a(X) - a([X, Y]). rest: a_0, rows: a_j, in coordinates q; velocities v that they contain are taken as zero.
function frobenius.holds(system, rest, rows, q, v)
  local z, form, closed = table.move(q, 1, #q, 1, {}), {}, true
  z[#z + 1] = symbols.t
  for i = 1, #v do
    form[i] = frobenius.at_rest(rows[i], v)
    if not form[i] then return false end
  end
  form[#z] = rest
  local X, triples = directions_of(system, z)
  local a, slopes, curl = {}, {}, {}
  local places = {}                                             -- of the components of each direction that are not zero: mostly one
  for k, along in ipairs(X) do
    places[k] = {}
    for i = 1, #z do if core.number_value(along[i]) ~= 0 then table.insert(places[k], i) end end
  end
  local function sum_along(list, k)
    local terms = {}
    for n, i in ipairs(places[k]) do terms[n] = list[i]*X[k][i] end
    return core.sum(terms)
  end
  for k = 1, #X do
    a[k] = sum_along(form, k)
    slopes[k] = core.gradient(a[k], z)
  end
  for j = 1, #X do
    curl[j] = {}
    for k = j + 1, #X do
      local third, sign = bracket(triples, j, k)
      curl[j][k] = sum_along(slopes[k], j) - sum_along(slopes[j], k) - (third and sign*a[third] or 0)
    end
  end
  -- most forms are not integrable, and one triple proves it
  local many = #X*(#X - 1)*(#X - 2)/6 > MANY
  local first = not many and doubtful_triple(system, a, curl)
  if first and on_triple(a, curl, table.unpack(first)):is_zero() == false then return false end
  for j = 1, #X do
    for k = j + 1, #X do
      if core.number_value(curl[j][k]) ~= 0 and curl[j][k]:is_zero() ~= true then closed = false else curl[j][k] = core.rational(0) end
    end
  end
  if closed then return true end
  if many then return false end
  for i = 1, #X do
    for j = i + 1, #X do
      for k = j + 1, #X do
        local sum = on_triple(a, curl, i, j, k)
        if core.number_value(sum) ~= 0 and sum:is_zero() ~= true then return false end
      end
    end
  end
  return true
end

return frobenius
