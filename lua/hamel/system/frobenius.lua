-- frobenius.lua: is one constraint, linear in the velocities, by itself the rate of a function up to a factor?
--
-- Its one-form a = sum a_j dq_j + a_0 dt is, where a ^ da = 0. With directions X that span the space, a_j = a(X_j) and
-- c_jk = da(X_j, X_k) = X_j a_k - X_k a_j - a([X_j, X_k]), the condition is a_i c_jk - a_j c_ik + a_k c_ij = 0 for all triples. Where a_p is not zero the
-- triples with p suffice: the vectors X_j - (a_j/a_p) X_p span the directions on which a vanishes, and da of two of them is such a triple over a_p.
-- A constraint between neighbours of a long chain has few a_j, and few c_jk that are not zero by form: only these are written down.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"

local frobenius = {}

local ZERO = core.rational(0)

local function is_none(e) return core.number_value(e) == 0 end

--- f with every velocity zero; nil where that is not defined
function frobenius.at_rest(f, v)
  local from = gradients.variables(f, v)
  if #from == 0 then return f end
  local fine, value = protected(vanishing.without, f, from)
  return fine and value or nil
end

-- ---- directions

-- The directions in which coordinates and time may change: those of each coordinate alone, of a rotation e' = e omega/2 for each body rate alone, of time.
-- Each is a list of { place in z, rate }; triples: indices of the rates of a rotation
local function directions_of(system, z)
  local list, triples, rotation_of, place = {}, {}, {}, {}
  for _, R in ipairs(system._rotations) do
    for i, e in ipairs(R.quaternion) do rotation_of[e] = { R = R, i = i } end
  end
  for i, symbol in ipairs(z) do place[symbol] = i end
  for i, symbol in ipairs(z) do
    local turn = rotation_of[symbol]
    if not turn then list[#list + 1] = { { i, core.rational(1) } }
    elseif turn.i == 1 then
      triples[#triples + 1] = { #list + 1, #list + 2, #list + 3 }
      for _, w in ipairs(turn.R.rates) do
        local along = {}
        for k, e in ipairs(turn.R.quaternion) do along[k] = { place[e], core.diff(turn.R.quaternion_rates[k], w) } end
        list[#list + 1] = along
      end
    end
  end
  return list, triples
end

-- Brackets of the directions of a rotation: [X_i, X_j] = X_k, i j k in cyclic order; all others commute. brackets[i][j]: { k, sign }, i < j
local function brackets_of(triples)
  local brackets = {}
  local function add(i, j, k, sign)
    brackets[i] = brackets[i] or {}
    brackets[i][j] = { k, sign }
  end
  for _, t in ipairs(triples) do
    add(t[1], t[2], t[3], 1)
    add(t[2], t[3], t[1], 1)
    add(t[1], t[3], t[2], -1)
  end
  return brackets
end

-- ---- the form and its derivative

-- { places in z of the symbols in e: derivative }
local function slopes_of(e, place)
  local variables, slopes = {}, {}
  for _, s in ipairs(core.number_value(e) and {} or core.symbols{ e }) do
    if place[s] then variables[#variables + 1] = s end
  end
  if #variables == 0 then return slopes end
  for n, slope in ipairs(core.gradient(e, variables)) do slopes[place[variables[n]]] = slope end
  return slopes
end

-- The c_jk with j < k that are not zero by form: a list of { j, k, value } in order, and the same by c[j][k]
local function derivative_of(a, X, triples, z)
  local place, slopes, users = {}, {}, {}
  for i, symbol in ipairs(z) do place[symbol] = i end
  for k in ipairs(X) do slopes[k] = slopes_of(a[k], place) end
  for j, along in ipairs(X) do for _, part in ipairs(along) do users[part[1]] = users[part[1]] or {} table.insert(users[part[1]], j) end end
  local function sum_along(k, j)
    local terms = {}
    for _, part in ipairs(X[j]) do
      local slope = slopes[k][part[1]]
      if slope then terms[#terms + 1] = slope*part[2] end
    end
    return core.sum(terms)
  end
  local brackets, c, list = brackets_of(triples), {}, {}
  local function add(j, k)
    if j > k then j, k = k, j end
    c[j] = c[j] or {}
    if j == k or c[j][k] then return end
    local bracket = brackets[j] and brackets[j][k]
    c[j][k] = sum_along(k, j) - sum_along(j, k) - (bracket and bracket[2]*a[bracket[1]] or 0)
    if not is_none(c[j][k]) then list[#list + 1] = { j, k, c[j][k] } end
  end
  for k in ipairs(X) do
    for i in pairs(slopes[k]) do for _, j in ipairs(users[i] or {}) do add(j, k) end end
  end
  for j, row in pairs(brackets) do for k in pairs(row) do add(j, k) end end
  table.sort(list, function(x, y) return x[1] ~= y[1] and x[1] < y[1] or x[1] == y[1] and x[2] < y[2] end)
  return list, c
end

-- ---- triples

-- Calls look(j, k) for all triples with p that are not zero by form, some of them twice, until it returns a value, which is returned
local function triples_with(p, a, list, look)
  local function try(j, k) return j ~= p and k ~= p and j ~= k and look(j, k) end
  for _, entry in ipairs(list) do
    local j, k = entry[1], entry[2]
    local other = j == p and k or k == p and j
    local found
    if not other then found = try(j, k)
    else
      for i in ipairs(a) do
        if not is_none(a[i]) then found = found or try(i, other) end
      end
    end
    if found then return found end
  end
end

local function on_triple(a, c, i, j, k)
  local function at(x, y)
    local value = x < y and c[x] and c[x][y] or x > y and c[y] and c[y][x]
    return value and (x < y and value or -value) or ZERO
  end
  return a[i]*at(j, k) - a[j]*at(i, k) + a[k]*at(i, j)
end

-- ---- in numbers

local DOUBTFUL = 1e-6                  -- of the largest terms: what exceeds this at a point is looked at first

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

-- The a_p with the fewest symbols among those that are not small at the point
local function simplest(a, value, largest)
  local best, fewest
  for p in ipairs(a) do
    local count = math.abs(value[p]) > DOUBTFUL*largest and #core.symbols{ a[p] }
    if count and (not best or count < fewest) then best, fewest = p, count end
  end
  return best
end

-- A triple on which a ^ da is not small in numbers, where it has the fewest terms; nil where there is none
local function doubtful_triple(system, a, list)
  local all, n, place = table.move(a, 1, #a, 1, {}), #a, {}
  for m, entry in ipairs(list) do
    all[n + m] = entry[3]
    place[entry[1]] = place[entry[1]] or {}
    place[entry[1]][entry[2]] = n + m
  end
  local fine, value = values_at_a_point(system, all)
  if not fine then return nil end
  local largest = 0
  for _, x in ipairs(value) do largest = math.max(largest, math.abs(x)) end
  local p = simplest(a, value, largest)
  if not p then return nil end
  local function at(j, k)
    local m = j < k and place[j] and place[j][k] or j > k and place[k] and place[k][j]
    return m and (j < k and value[m] or -value[m]) or 0
  end
  local best, fewest
  triples_with(p, a, list, function(j, k)
    local sum, count = 0, 0
    for _, term in ipairs{ value[p]*at(j, k), -value[j]*at(p, k), value[k]*at(p, j) } do
      sum, count = sum + term, count + (math.abs(term) > DOUBTFUL*largest^2 and 1 or 0)
    end
    if math.abs(sum) > DOUBTFUL*largest^2 and (not best or count < fewest) then best, fewest = { p, j, k }, count end
  end)
  return best
end

-- ---- the verdict

local CORNERS = { abs = true, sign = true, min = true, max = true, tabled = true, tabled_rate = true, tabled_curve = true, tabled_jerk = true }

-- Is e zero nowhere but on a set without interior? An analytic function is, unless it vanishes
local function is_dense(e)
  for name in pairs(core.functions_in{ e }) do if CORNERS[name] then return false end end
  return core.number_value(e) or e:is_zero() == false
end

-- Those a_p whose triples decide: one that is dense, or all
local function pivots_of(a)
  local all, best, fewest = {}, nil, nil
  for p, e in ipairs(a) do
    if not is_none(e) then
      all[#all + 1] = p
      local count = core.number_value(e) and 0 or #core.symbols{ e }
      if (not best or count < fewest) and is_dense(e) then best, fewest = p, count end
    end
  end
  return best and { best } or all
end

--- Is the condition proved? rest: a_0, rows: a_j, in coordinates q; velocities v that they contain are taken as zero.
function frobenius.holds(system, rest, rows, q, v)
  local z, form = table.move(q, 1, #q, 1, {}), {}
  z[#z + 1] = symbols.t
  local moving = gradients.set(v)
  for i, row in ipairs(rows) do
    form[i] = row
    if gradients.contains(row, moving) then form[i] = frobenius.at_rest(row, v) end
    if not form[i] then return false end
  end
  form[#z] = rest
  local X, triples = directions_of(system, z)
  local a = {}
  for k, along in ipairs(X) do
    local terms = {}
    for n, part in ipairs(along) do terms[n] = form[part[1]]*part[2] end
    a[k] = core.sum(terms)
  end
  local list, c = derivative_of(a, X, triples, z)
  -- most forms are not integrable, and one triple proves it
  local first = doubtful_triple(system, a, list)
  if first and on_triple(a, c, table.unpack(first)):is_zero() == false then return false end
  local closed = true
  for _, entry in ipairs(list) do
    if entry[3]:is_zero() ~= true then closed = false else c[entry[1]][entry[2]] = ZERO end
  end
  if closed then return true end
  for _, p in ipairs(pivots_of(a)) do
    local against = triples_with(p, a, list, function(j, k)
      local sum = on_triple(a, c, p, j, k)
      return not is_none(sum) and sum:is_zero() ~= true
    end)
    if against then return false end
  end
  return true
end

return frobenius
