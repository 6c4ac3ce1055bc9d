-- symmetry.lua: turns and shifts of the coordinates that map motions on motions, found by the rates at many states.
--
-- A field c + B q with skew B, carried on to the velocities, is a symmetry where it commutes with the rates: DF Xi = DXi F, and is tangent to
-- the constraints. These conditions are linear in c and B. They are collected at states around a guess, and hold everywhere where the
-- rates are analytic.
local tangent = require "hamel.analysis.tangent"

local symmetry = {}

local SIZE, SPREAD = 8, 0.7

-- Entries of c, then of B above its diagonal
local function generators(n)
  local list = {}
  for i = 1, n do list[#list + 1] = { shift = i } end
  for i = 1, n do for j = i + 1, n do list[#list + 1] = { i, j } end end
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

-- Indices of the coordinates whose velocities the states are; nil where a state is none
local function velocity_places(E)
  local place, list = {}, {}
  for i in ipairs(E.kin) do place[E.k[i]] = i end
  for s, u in ipairs(E.dyn) do list[s] = place[u] or false end
  for _, i in ipairs(list) do if not i then return nil end end
  return list
end

-- Field and the rate of the field along the motion, over all states. velocities, accelerations: of all coordinates
local function field_at(g, x, velocities, accelerations, places)
  local n = #velocities
  local list, rate = apply(g, x, n, true), apply(g, velocities, n)
  local turned, turned_rate = apply(g, velocities, n), apply(g, accelerations, n)
  for s, i in ipairs(places) do list[n + s], rate[n + s] = turned[i], turned_rate[i] end
  return list, rate
end

-- The motion at x: rates, their Jacobian, velocities and accelerations of all coordinates
local function motion_at(flow, x)
  local n, size = #flow.E.kin, flow.model:state_size()
  flow.w:set_state(flow.t, x)
  local rate = flow.w:rate()
  flow.w:set_state(flow.t, x)
  local flat = flow.w:jacobian()
  local accelerations = {}
  for i = 1, n do
    local sum = 0.0
    for j = 1, #rate do sum = sum + flat[(i - 1)*size + j]*rate[j] end
    accelerations[i] = sum
  end
  return rate, flat, table.move(rate, 1, n, 1, {}), accelerations
end

local function finite(list)
  for _, value in ipairs(list) do if value - value ~= 0 then return false end end
  return true
end

-- Conditions on the generators at x, scaled rows
local function add_conditions(rows, flow, list, places, x)
  local rate, flat, velocities, accelerations = motion_at(flow, x)
  if not finite(rate) or not finite(flat) then return false end
  local size, columns, total = flow.model:state_size(), {}, #flow.E.kin + #flow.E.dyn
  local every = {}
  for i = 1, total do every[i] = i end
  local constraints = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, x, every)
  for k, g in ipairs(list) do
    local xi, xi_rate = field_at(g, x, velocities, accelerations, places)
    local column = {}
    for i = 1, total do
      local sum = -xi_rate[i]
      for j = 1, total do sum = sum + flat[(i - 1)*size + j]*xi[j] end
      column[i] = sum
    end
    for _, row in ipairs(constraints) do column[#column + 1] = tangent.dot(row, xi) end
    columns[k] = column
  end
  for i = 1, #columns[1] do
    local row, most = {}, 0
    for k = 1, #list do
      row[k] = columns[k][i]
      most = math.max(most, math.abs(row[k]))
    end
    -- expressions that vanish for all generators do so up to rounding
    if most > 1e-9 then
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
  local fine, point = pcall(flow.w.project, flow.w, flow.t, list, 1e-13)
  return fine and finite(point) and point or nil
end

local Field = {}
Field.__index = Field

--- The field at a point, over all states.
function Field:at(point)
  local _, _, velocities, accelerations = motion_at(self.flow, point)
  return self:sum(function(g) return (field_at(g, point, velocities, accelerations, self.places)) end)
end

--- The derivative of the field at a point along a direction over all states.
function Field:along(point, direction)
  local _, flat = motion_at(self.flow, point)
  local n, size, change = #self.flow.E.kin, self.flow.model:state_size(), {}
  for i = 1, n do
    change[i] = 0.0
    for j = 1, #direction do change[i] = change[i] + flat[(i - 1)*size + j]*direction[j] end
  end
  return self:sum(function(g)
    local list, turned = apply(g, direction, n), apply(g, change, n)
    for s, i in ipairs(self.places) do list[n + s] = turned[i] end
    return list
  end)
end

-- The combination of the values of the generators
function Field:sum(of)
  local sum = {}
  for k, g in ipairs(self.generators) do
    for i, value in ipairs(self.factors[k] ~= 0 and of(g) or {}) do sum[i] = (sum[i] or 0.0) + self.factors[k]*value end
  end
  return sum
end

--- Is the field a symmetry at a point, too?
function Field:holds(point)
  local rows = {}
  if not add_conditions(rows, self.flow, self.generators, self.places, point) then return false end
  for _, row in ipairs(rows) do if math.abs(tangent.dot(row, self.factors)) > 1e-7 then return false end end
  return true
end

--- Symmetries of a flow (see variations.lua) by turns and shifts of its coordinates: list of fields. Empty where the states are not coordinates
--- and velocities, where the rates have corners or contain the time, and for more than 8 coordinates.
function symmetry.fields(flow, x)
  local n, places = #flow.E.kin, velocity_places(flow.E)
  if n > SIZE or not places or #flow.corners > 0 or #tangent.timed(tangent.expressions(flow.E, {})) > 0 then return {} end
  local list, rows, taken = generators(n), {}, 0
  local wanted = 4 + #list
  for k = 1, 3*wanted do
    local point = taken < wanted and neighbour(flow, x, k)
    if point and select(2, pcall(add_conditions, rows, flow, list, places, point)) == true then taken = taken + 1 end
  end
  if taken < wanted then return {} end
  local fields = {}
  for b, factors in ipairs(tangent.basis(rows, #list)) do
    fields[b] = setmetatable({ flow = flow, generators = list, factors = factors, places = places }, Field)
  end
  return fields
end

return symmetry
