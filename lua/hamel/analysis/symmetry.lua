-- symmetry.lua: turns and shifts of the coordinates that map motions on motions, found by the rates at many states.
--
-- A field c + B q with skew B, carried on to the velocities, is a symmetry where it commutes with the rates: DF Xi = DXi F, and is tangent to
-- the constraints. These conditions are linear in c and B. They are collected at states around a guess, and hold everywhere where the
-- rates are analytic. A unit quaternion e turns within its four coordinates: e -> e + a e/2 turns all in space, e -> e + e b/2 the body in itself;
-- the body rates follow as omega = 2 e* e'.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local tangent = require "hamel.analysis.tangent"

local symmetry = {}

-- Plain coordinates at most; how far the states lie around the guess; states in a row that add no condition, after which no other is taken to add one
local SIZE, SPREAD, SETTLED = 20, 0.7, 4

-- The rotation of every coordinate, false for those of none, and its place there
local function blocks_of(system, E)
  local of, list = {}, {}
  for k, R in ipairs(system._rotations) do for i, e in ipairs(R.quaternion) do of[e] = { rotation = k, index = i } end end
  for i, q in ipairs(E.kin) do list[i] = of[q] or false end
  return list
end

-- Entries of c, then of B above its diagonal; quaternions are not shifted, nor mixed with other coordinates, and parameters that are states (see
-- variations.flow) are neither
local function generators(blocks, E)
  local list, n = {}, #blocks
  local function block(i) return blocks[i] and blocks[i].rotation end
  local function is_parameter(i) return object.contains(E.held or {}, E.kin[i]) end
  for i = 1, n do if not blocks[i] and not is_parameter(i) then list[#list + 1] = { shift = i } end end
  for i = 1, n do
    for j = i + 1, n do if block(i) == block(j) and not is_parameter(i) and not is_parameter(j) then list[#list + 1] = { i, j } end end
  end
  return list
end

-- A generator applied to coordinates and to velocities; to their rates without the shift
local function apply(g, values, n, shifted)
  local out = {}
  for i = 1, n do out[i] = 0.0 end
  if g.shift then out[g.shift] = shifted and 1.0 or 0.0
  else out[g[1]], out[g[2]] = -values[g[2]], values[g[1]] end
  return out
end

-- What each velocity state is: the index of the coordinate whose velocity it is, or { first index of a quaternion, component } for a body
-- rate; nil where one is neither
local function velocity_places(E, system)
  local place, list = {}, {}
  for i, q in ipairs(E.kin) do
    place[E.k[i]] = i
    for _, R in ipairs(system._rotations) do
      if R.quaternion[1] == q then for c, w in ipairs(R.rates) do place[w] = { first = i, component = c } end end
    end
  end
  for s, u in ipairs(E.dyn) do list[s] = place[u] or false end
  for _, i in ipairs(list) do if not i then return nil end end
  return list
end

-- A component of 2 a* b of two quaternions, the entries of lists from `first` on
local function rate_of(a, b, place)
  local f, i = place.first, place.component
  local j, k = i % 3 + 1, (i + 1) % 3 + 1
  return 2*(a[f]*b[f + i] - a[f + i]*b[f] - a[f + j]*b[f + k] + a[f + k]*b[f + j])
end

-- Velocity states by bilinear parts: `of` for velocities of coordinates; body rates as the sum of 2 a* b over `products`
local function velocities_by(places, of, products)
  local list = {}
  for s, place in ipairs(places) do
    if type(place) == "number" then list[s] = of[place]
    else
      list[s] = 0.0
      for _, pair in ipairs(products) do list[s] = list[s] + rate_of(pair[1], pair[2], place) end
    end
  end
  return list
end

-- Field and the rate of the field along the motion, over all states. m: velocities, accelerations of all coordinates
local function field_at(g, x, m, places)
  local n = #m.velocities
  local list, rate = apply(g, x, n, true), apply(g, m.velocities, n)
  local turned, turned_rate = rate, apply(g, m.accelerations, n)
  local moved = velocities_by(places, turned, { { list, m.velocities }, { x, turned } })
  local moved_rate = velocities_by(places, turned_rate,
    { { rate, m.velocities }, { list, m.accelerations }, { m.velocities, turned }, { x, turned_rate } })
  local whole, whole_rate = table.move(list, 1, n, 1, {}), table.move(rate, 1, n, 1, {})
  return table.move(moved, 1, #moved, n + 1, whole), table.move(moved_rate, 1, #moved, n + 1, whole_rate)
end

-- Rows of a square matrix; that of the derivatives has the states of the equations, and in doubles those that the model carries besides
local function size_of(flat) return math.floor(math.sqrt(#flat) + 0.5) end

-- The motion at x: rates, their Jacobian (flat: where it is known), velocities and accelerations of all coordinates
local function motion_at(flow, x, flat)
  local n = #flow.E.kin
  flow.w:set_state(flow.t, x)
  local rate = flow.w:rate()
  if not flat then
    flow.w:set_state(flow.t, x)
    flat = flow.w:jacobian()
  end
  local size, accelerations = size_of(flat), {}
  for i = 1, n do
    local sum = 0.0
    for j = 1, math.min(size, #rate) do sum = sum + flat[(i - 1)*size + j]*rate[j] end
    accelerations[i] = sum
  end
  return { rate = rate, flat = flat, velocities = table.move(rate, 1, n, 1, {}), accelerations = accelerations }
end

local function finite(list)
  for _, value in ipairs(list) do if value - value ~= 0 then return false end end
  return true
end

local TURNING = 1e-6                   -- of the square of a body's rates: below it the rates of these are rounding, as where three moments are equal

-- Least sizes of the conditions on rates of body rates, by state
local function floors(x, n, places)
  local squares, list = {}, {}
  for s, place in ipairs(places) do
    if type(place) == "table" then squares[place.first] = (squares[place.first] or 0) + x[n + s]^2 end
  end
  for s, place in ipairs(places) do if type(place) == "table" then list[n + s] = TURNING*squares[place.first] end end
  return list
end

-- Conditions on the generators at x, scaled rows
local function add_conditions(rows, flow, list, places, x)
  local m = motion_at(flow, x)
  local flat = m.flat
  if not finite(m.rate) or not finite(flat) then return false end
  local size, columns, total = flow.model:state_size(), {}, #flow.E.kin + #flow.E.dyn
  local every = {}
  for i = 1, total do every[i] = i end
  local constraints = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, x, every)
  local sizes = floors(x, #flow.E.kin, places)
  for k, g in ipairs(list) do
    local xi, xi_rate = field_at(g, x, m, places)
    local column = {}
    for i = 1, total do
      local sum, terms = -xi_rate[i], math.abs(xi_rate[i])
      for j = 1, total do
        sum = sum + flat[(i - 1)*size + j]*xi[j]
        terms = terms + math.abs(flat[(i - 1)*size + j]*xi[j])
      end
      column[i], sizes[i] = sum, math.max(sizes[i] or 0, terms)
    end
    for c, row in ipairs(constraints) do
      local terms = 0
      for i = 1, total do terms = terms + math.abs(row[i]*xi[i]) end
      column[total + c], sizes[total + c] = tangent.dot(row, xi), math.max(sizes[total + c] or 0, terms)
    end
    columns[k] = column
  end
  for i = 1, #columns[1] do
    local row, most = {}, 0
    for k = 1, #list do
      row[k] = columns[k][i]
      most = math.max(most, math.abs(row[k]))
    end
    -- sums that vanish for all generators do so up to the rounding of their terms
    if most > 1e-9*sizes[i] then
      for k = 1, #list do row[k] = row[k]/most end
      rows[#rows + 1] = row
    end
  end
  return true
end

-- States around x on the constraints, always the same ones
local function neighbour(flow, x, k)
  local list = table.move(x, 1, #x, 1, {})
  for i = 1, #flow.E.kin + #flow.E.dyn do
    local part = (k*math.sqrt(2) + i*math.sqrt(3) + k*i*math.sqrt(5)) % 1
    list[i] = list[i] + SPREAD*(2*part - 1)
  end
  local fine, point = protected(flow.w.project, flow.w, flow.t, list, 1e-13)
  return fine and finite(point) and point or nil
end

local Field = {}
Field.__index = Field

--- The field at a point, over all states. motion: see motion_at.
function Field:at(point, motion)
  local m = motion or motion_at(self.flow, point)
  return self:sum(function(g) return (field_at(g, point, m, self.places)) end)
end

--- The derivative of the field at a point along a direction over all states. m: see motion_at.
function Field:along(point, direction, m)
  local n, size, change = #self.flow.E.kin, size_of(m.flat), {}
  for i = 1, n do
    change[i] = 0.0
    for j = 1, #direction do if direction[j] ~= 0 then change[i] = change[i] + m.flat[(i - 1)*size + j]*direction[j] end end
  end
  return self:sum(function(g)
    local field, list = apply(g, point, n, true), apply(g, direction, n)
    local turned, turned_change = apply(g, m.velocities, n), apply(g, change, n)
    local moved = velocities_by(self.places, turned_change,
      { { list, m.velocities }, { field, change }, { direction, turned }, { point, turned_change } })
    return table.move(moved, 1, #moved, n + 1, table.move(list, 1, n, 1, {}))
  end)
end

--- How much the field turns and shifts in space: its shifts, turns of coordinates and a of e' = a e/2 + e b/2, as a list. A body that turns in
--- itself alone moves nothing in space.
function Field:in_space()
  local list, B = {}, {}
  for k, g in ipairs(self.generators) do
    local block = not g.shift and self.blocks[g[1]]
    if not block then list[#list + 1] = self.factors[k]
    else
      local b = B[block.rotation] or {}
      B[block.rotation] = b
      b[(block.index - 1) .. (self.blocks[g[2]].index - 1)] = self.factors[k]
    end
  end
  -- e' = B e with B_ij = -f, B_ji = f for the pair ij: a = (B_10 + B_32, ...), b = (B_10 - B_32, ...)
  for r = 1, #self.flow.system._rotations do
    local b = B[r] or {}
    local function f(pair) return b[pair] or 0 end
    table.move({ f "01" + f "23", f "02" - f "13", f "03" + f "12" }, 1, 3, #list + 1, list)
  end
  return list
end

-- The combination of the values of the generators
function Field:sum(of)
  local sum = {}
  for k, g in ipairs(self.generators) do
    for i, value in ipairs(self.factors[k] ~= 0 and of(g) or {}) do sum[i] = (sum[i] or 0.0) + self.factors[k]*value end
  end
  return sum
end

-- Does the field meet the conditions at a point?
local function meets(field, point)
  local rows = {}
  if not add_conditions(rows, field.flow, field.generators, field.places, point) then return false end
  for _, row in ipairs(rows) do if math.abs(tangent.dot(row, field.factors)) > 1e-7 then return false end end
  return true
end

local AROUND = 3                        -- states around a point that decide for it

--- Is the field a symmetry at a point, too? At motions that are more symmetric than their neighbours, as of a disc that spins about a diameter, all terms of a
--- condition may vanish but for rounding; then states around the point decide.
function Field:holds(point)
  if meets(self, point) then return true end
  for k = 1, AROUND do
    local beside = neighbour(self.flow, point, k)
    local fine, met = protected(meets, self, beside or point)
    if not (beside and fine and met) then return false end
  end
  return true
end

-- Few enough coordinates: those that may mix, and those of quaternions
local function in_size(blocks)
  local plain = 0
  for _, block in ipairs(blocks) do plain = plain + (block and 0 or 1) end
  return plain <= SIZE and #blocks - plain <= 4*SIZE
end

--- Are the states coordinates, velocities and body rates, so that symmetries can be found?
function symmetry.is_for(E, system) return velocity_places(E, system) ~= nil end

--- Are there few enough coordinates for the search of symmetries?
function symmetry.is_searched(flow) return in_size(blocks_of(flow.system, flow.E)) end

local WHOLE, PARTS = 1e-10, 100         -- errors of factors; denominators

-- A number that is a fraction with a small denominator but for rounding, as this fraction
local function as_fraction(value)
  for q = 1, PARTS do
    local p = math.floor(q*value + 0.5)
    if math.abs(q*value - p) <= WHOLE then return p/q end
  end
  return value
end

-- The space that orthonormal lists of factors span, by orthonormal lists again: where the factors are to each other as small whole numbers, as of turns and
-- shifts of single coordinates, exactly so
local function without_errors(list)
  local rows, pivots = {}, {}
  for k, factors in ipairs(list) do
    local row, pivot = table.move(factors, 1, #factors, 1, {}), 1
    for r, other in ipairs(rows) do
      local part = row[pivots[r]]
      for i = 1, #row do row[i] = row[i] - part*other[i] end
    end
    for i = 1, #row do if math.abs(row[i]) > math.abs(row[pivot]) then pivot = i end end
    local size = row[pivot]
    for i = 1, #row do row[i] = row[i]/size end
    for _, other in ipairs(rows) do
      local part = other[pivot]
      for i = 1, #row do other[i] = other[i] - part*row[i] end
    end
    rows[k], pivots[k] = row, pivot
  end
  local result = {}
  for _, row in ipairs(rows) do for i = 1, #row do row[i] = as_fraction(row[i]) end end
  if #rows > 0 then tangent.add_rows(result, rows, #rows[1]) end
  return result
end

--- Symmetries of a flow (see variations.lua) by turns and shifts of its coordinates: list of fields. Empty where the states are not coordinates
--- and velocities or body rates, where the rates have corners or contain the time, and for more than 20 coordinates or rotations.
function symmetry.fields(flow, x)
  local places, blocks = velocity_places(flow.E, flow.system), blocks_of(flow.system, flow.E)
  if not in_size(blocks) or not places or flow.has_corners or #tangent.timed(tangent.expressions(flow.E, {})) > 0 then return {} end
  local list, normal, settled = generators(blocks, flow.E), {}, 0
  for k = 1, 3*(4 + #list) do
    local point, rows, known = neighbour(flow, x, k), {}, #normal
    if point and select(2, protected(add_conditions, rows, flow, list, places, point)) == true then
      tangent.add_rows(normal, rows, #list)
      settled = #normal == known and settled + 1 or 0
    end
    if settled == SETTLED or #normal == #list then break end
  end
  if settled < SETTLED then return {} end
  local fields = {}
  for b, factors in ipairs(without_errors(tangent.basis(normal, #list))) do
    fields[b] = setmetatable({ flow = flow, generators = list, factors = factors, places = places, blocks = blocks }, Field)
  end
  return fields
end

-- ---- relative equilibria

local function largest(list)
  local most = 0
  for _, value in ipairs(list) do most = math.max(most, math.abs(value)) end
  return most
end

-- Columns of the matrix with these rows
local function transposed(rows, columns)
  local list = {}
  for k = 1, columns do
    list[k] = {}
    for i, row in ipairs(rows) do list[k][i] = row[k] end
  end
  return list
end

-- Of all speeds with the same motion those that turn least in space: the rest is left to turns of bodies in themselves
local function least_in_space(fields, columns, speed)
  local rows, most = {}, 0
  for _, column in ipairs(columns) do most = math.max(most, largest(column)) end
  -- rows of rounding would tie speeds together
  for _, row in ipairs(transposed(columns, #columns[1])) do if largest(row) > 1e-9*most then rows[#rows + 1] = row end end
  local null = tangent.basis(rows, #fields)
  if #null == 0 then return speed end
  local parts, flat, side = {}, {}, {}
  for k, field in ipairs(fields) do parts[k] = field:in_space() end
  for i = 1, #parts[1] do
    side[i] = 0.0
    for k = 1, #fields do side[i] = side[i] - parts[k][i]*speed[k] end
    for _, direction in ipairs(null) do
      local sum = 0.0
      for k = 1, #fields do sum = sum + parts[k][i]*direction[k] end
      flat[#flat + 1] = sum
    end
  end
  local change, result = core.least_squares(#side, #null, flat, side, 1e-9), {}
  for k = 1, #fields do
    result[k] = speed[k]
    for d, direction in ipairs(null) do result[k] = result[k] + change[d]*direction[k] end
  end
  return result
end

--- Symmetries of a flow with the speeds at which they come closest to the rates at x: { fields, columns (over the kept states, of those that move
--- some), speed }; without fields where none moves any. One that moves nothing at x, such as a turn in space less the same turn of the body in
--- itself, still turns the deviations. flat: the Jacobian at x, where it is known.
function symmetry.turning_of(flow, x, fields, flat)
  local columns, moving, motion = {}, {}, #fields > 0 and motion_at(flow, x, flat)
  for k, field in ipairs(fields) do
    columns[k] = flow:part(field:at(x, motion))
    if largest(columns[k]) > 1e-9 then moving[#moving + 1] = columns[k] end
  end
  if #moving == 0 then return { fields = {}, columns = {}, speed = {} } end
  local matrix = {}
  for i = 1, #flow.kept do for k = 1, #fields do matrix[#matrix + 1] = columns[k][i] end end
  local speed = core.least_squares(#flow.kept, #fields, matrix, flow:part(motion.rate), 1e-9)
  return { fields = fields, columns = moving, speed = least_in_space(fields, columns, speed) }
end

--- The same of all symmetries that there are.
function symmetry.turning(flow, x) return symmetry.turning_of(flow, x, symmetry.fields(flow, x)) end

--- Rates of the kept states without the turning.
function symmetry.rates_beside(flow, x, turning)
  flow.w:set_state(flow.t, x)
  local list, motion = flow:part(flow.w:rate()), #turning.fields > 0 and motion_at(flow, x)
  for k, field in ipairs(turning.fields) do
    for i, value in ipairs(turning.speed[k] ~= 0 and flow:part(field:at(x, motion)) or {}) do list[i] = list[i] - turning.speed[k]*value end
  end
  return list
end

-- The symmetries are found up to this part of them
local FOUND = 1e-11

--- What `rates_beside` may differ from zero by its errors, over all states: those of the symmetries times the speed of the turning, in the size of the states
--- that turn together. Shifts have the errors of turns times the way over which both are told apart.
function symmetry.noise(flow, x, turning)
  local speed, size, list = 0, {}, {}
  for _, value in ipairs(turning.speed) do speed = speed + math.abs(value) end
  local n, blocks, places = #flow.E.kin, turning.fields[1].blocks, turning.fields[1].places
  local function kind(i)
    if i <= n then return blocks[i] and blocks[i].rotation or 0 end
    local place = places[i - n]
    return type(place) == "number" and -1 or -1 - blocks[place.first].rotation
  end
  for i = 1, n + #places do size[kind(i)] = math.max(size[kind(i)] or 0, math.abs(x[i]) + (kind(i) == 0 and SPREAD or 0)) end
  flow.w:set_state(flow.t, x)
  local rate = flow.w:rate()
  for i = 1, n + #places do list[i] = FOUND*(speed*size[kind(i)] + (i <= n and math.abs(rate[i]) or 0)) end
  return list
end

--- How the turning changes along each direction over the kept states. flat: the Jacobian at x, where it is known.
function symmetry.turned(flow, x, turning, basis, flat)
  local list, motion = {}, #turning.fields > 0 and motion_at(flow, x, flat)
  for k, u in ipairs(basis) do
    local sum = {}
    for i = 1, #flow.kept do sum[i] = 0.0 end
    for f, field in ipairs(turning.fields) do
      local part = turning.speed[f] ~= 0 and flow:part(field:along(x, flow:whole(u), motion)) or {}
      for i, value in ipairs(part) do sum[i] = sum[i] + turning.speed[f]*value end
    end
    list[k] = sum
  end
  return list
end

--- The Jacobian of the rates without the turning, in the places of the kept states; flat: that of the rates.
function symmetry.jacobian_beside(flow, x, turning, flat)
  local units, result = {}, table.move(flat, 1, #flat, 1, {})
  for a in ipairs(flow.kept) do
    units[a] = {}
    for b in ipairs(flow.kept) do units[a][b] = a == b and 1.0 or 0.0 end
  end
  local columns, size = symmetry.turned(flow, x, turning, units, flat), size_of(flat)
  for b, column in ipairs(flow.kept) do
    for a, row in ipairs(flow.kept) do
      local place = (row - 1)*size + column
      result[place] = result[place] - columns[b][a]
    end
  end
  return result
end

--- Names of the kept states that turn, now or, by the rate of the turning, in a moment
function symmetry.turning_names(flow, x, turning)
  flow.w:set_state(flow.t, x)
  local names, scale, rate = {}, 1e-8*(1 + largest(x)), flow:part(flow.w:rate())
  local rate_of_rate = symmetry.turned(flow, x, turning, { rate })[1]
  for i, value in ipairs(rate) do
    if math.abs(value) > scale or math.abs(rate_of_rate[i]) > scale then names[#names + 1] = flow.names[i] end
  end
  return names
end

return symmetry
