-- mapping.lua: S:linear_mapping: constraints, one of them rheonomic, by a linear mapping x' = b pi' of the Euclidean configuration space
-- onto a space-time (Wang 2019 (4)-(9)). Columns of b belong to the free pi (tangent to all constraints), to the fixed ones (pi' = 0,
-- one for each scleronomic constraint) and to the time. space_time.lua computes the geometry of the space-time.
local completion = require "hamel.geometry.completion"
local connection = require "hamel.geometry.connection"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local opaque = require "hamel.algebra.opaque"
local options = require "hamel.base.options"
local Mapping = require "hamel.geometry.space_time"
local Matrix = require "hamel.algebra.matrix"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local fail = object.fail
local dot = kinematics.dot

local schema = {
  names = { type = "string", doc = "names of the pi, one per column" },
  time = { type = "number", doc = "number of the column that belongs to the time" },
  fixed = { type = "table", list = true, doc = "numbers of the columns whose pi do not change: one per scleronomic constraint" },
  b = { type = "table", doc = "rows of b in x' = b pi'; without it, b is completed from the constraints" },
  solved = { type = "userdata", or_type = "number", doc = "the time on the rheonomic constraint, t = f(x)" },
  unit = { default = false, type = "boolean", doc = "completed free columns of length 1" },
}

-- Judged at points of the holonomic constraints; nil when too few were found
local function vanishes_on(system, e)
  local functions = {}
  for _, c in ipairs(system.constraints) do if c.holonomic then functions[#functions + 1] = c.f end end
  return (surface.vanishes(functions, e, function(s) return system._coordinate[core.name(s)] == s end))
end

local function moves(c) return not c.catastatic end

-- All constraints on the level of velocities, and which of them sets the clock
local function constraint_levels(system)
  local levels, clock = {}, nil
  for k, c in ipairs(system.constraints) do
    if not c.linear or (not c.holonomic and not (c.catastatic and c.scleronomic)) then
      fail("linear_mapping: takes holonomic constraints, and linear ones without the time: '%s' is %s", c.name, c.kind)
    end
    levels[k] = kinematics.levels(c, system:coordinate_list(), system:velocity_list())
    if moves(c) and not clock then clock = k end
  end
  if #levels == 0 then fail("linear_mapping: %s has no constraint", system.name) end
  return levels, clock
end

-- Names of the pi, none of them taken
local function names_of(system, text, n)
  local names = {}
  for i, item in ipairs(symbols.split(text, "linear_mapping")) do
    names[i] = item.name
    if system._coordinate[item.name] or system._parameter[item.name] then
      fail("linear_mapping: '%s' is already a coordinate or parameter of %s", item.name, system.name)
    end
  end
  if #names ~= n then fail("linear_mapping: %d names for %d coordinates", #names, n) end
  return names
end

-- Which columns are free, from those of the time and the fixed ones
local function free_columns(system, o, n, m, clock)
  local role, free = {}, {}
  local function take(column, what)
    if math.type(column) ~= "integer" or column < 1 or column > n then
      fail("linear_mapping: %s is the number of a column, 1 to %d", what, n)
    end
    if role[column] then fail("linear_mapping: column %d is named twice", column) end
    role[column] = true
  end
  if clock and not o.time then fail("linear_mapping: time = the number of a column is needed: '%s' moves", system.constraints[clock].name) end
  if o.time and not clock then fail("linear_mapping: time: no constraint of %s moves", system.name) end
  if o.time then take(o.time, "time") end
  for _, column in ipairs(o.fixed or {}) do take(column, "fixed") end
  local fixed = #(o.fixed or {})
  if fixed + (clock and 1 or 0) ~= m then
    fail("linear_mapping: %d constraint%s, hence %d fixed column%s, not %d: fixed = {numbers of columns}", m, m == 1 and "" or "s",
      m - (clock and 1 or 0), m - (clock and 1 or 0) == 1 and "" or "s", fixed)
  end
  for mu = 1, n do if not role[mu] then free[#free + 1] = mu end end
  return free
end

-- Rows of the constraints as functions of the coordinates: the time is put in by the clock's constraint (Wang 2019, remark 5)
local function rows_without_time(system, levels, clock, given)
  local q, rows = system:coordinate_list(), {}
  local function is_coordinate(s) return system._coordinate[core.name(s)] == s end
  local time = clock and completion.time_of(system, system.constraints[clock], given, is_coordinate)
  if given and not clock then fail("linear_mapping: solved: no constraint of %s moves", system.name) end
  for k, c in ipairs(system.constraints) do
    if k == clock then rows[k] = core.gradient(time, q)
    elseif c.holonomic then rows[k] = core.gradient(time and core.substitute(c.f, { symbols.t }, { time }) or c.f, q)
    else rows[k] = levels[k].velocity.row end
  end
  return rows
end

-- b by the user, made of the coordinates alone
local function given_columns(system, rows, n)
  local b = Matrix.new(rows)
  if #b ~= n or b.columns ~= n then fail("linear_mapping: b is %d x %d, not %d x %d", #b, b.columns, n, n) end
  return b:map(function(e, i, j)
    if core.number_value(core.diff(e, symbols.t)) ~= 0 then
      fail("linear_mapping: b[%d][%d] contains the time: b is a function of the coordinates", i, j)
    end
    return system:check_expression(e, ("b[%d][%d]"):format(i, j), 0)
  end)
end

local function inverse_of(b)
  local fine, a, determinant = protected(b.inverse, b)
  if not fine then fail("linear_mapping: b has no inverse: %s", tostring(a):gsub("^.-: ", "")) end
  return a, determinant
end

-- Free columns lie in all constraints, that of the time keeps up with them
local function demand_columns(system, levels, b, names, free, time)
  local n, zeros = #names, {}
  local v = system:velocity_list()
  for i = 1, n do zeros[i] = 0 end
  local function fails(e) return e:is_zero() == false and vanishes_on(system, e) == false end
  for _, level in ipairs(levels) do
    local row = level.velocity.row
    if time then
      local rest = dot(row, b:column(time)) + core.substitute(level.velocity.f, v, zeros)
      if fails(rest) then
        fail("linear_mapping: column %d ('%s') does not keep up with the constraint '%s': grad f . b + df/dt = %s must vanish on it", time,
          names[time], level.name, core.text((rest:simplify())))
      end
    end
    for _, mu in ipairs(free) do
      local normal = dot(row, b:column(mu))
      if fails(normal) then
        fail("linear_mapping: column %d ('%s') leaves the constraint '%s': grad f . b = %s", mu, names[mu], level.name,
          core.text((normal:simplify())))
      end
    end
  end
end

-- The mass matrix of a Euclidean configuration space
local function euclidean_metric(system)
  local M = Matrix.new(system:mass_matrix())
  for _, row in ipairs(M) do
    for _, e in ipairs(row) do
      for _, s in ipairs(core.symbols{ e }) do
        if select(3, core.name(s)) & ~symbols.POSITIVE ~= 0 then
          fail("linear_mapping: the configuration space must be Euclidean, but the mass matrix contains %s", core.text(s))
        end
      end
    end
  end
  return M
end

-- Order of rows and columns of a square matrix of numbers by complete pivoting: list of { row, column }
local function pivot_order(A)
  local order, done_row, done_column = {}, {}, {}
  for _ = 1, #A do
    local best, i, k = -1, nil, nil
    for r = 1, #A do
      for c = 1, #A do
        if not done_row[r] and not done_column[c] and math.abs(A[r][c]) > best then best, i, k = math.abs(A[r][c]), r, c end
      end
    end
    done_row[i], done_column[k] = true, true
    order[#order + 1] = { i, k }
    for r = 1, best > 0 and #A or 0 do
      if not done_row[r] then
        local factor = A[r][k]/A[i][k]
        for c = 1, #A do A[r][c] = A[r][c] - factor*A[i][c] end
      end
    end
  end
  return order
end

-- Values of a square list of rows of expressions at a point of the constraints; zeros where none is found
local function values_on_constraints(system, rows)
  local functions, flat, numbers = {}, {}, {}
  for _, c in ipairs(system.constraints) do if c.holonomic then functions[#functions + 1] = c.f end end
  for i, row in ipairs(rows) do
    numbers[i] = {}
    for k, e in ipairs(row) do flat[#flat + 1], numbers[i][k] = e, 0 end
  end
  local examples = opaque.example(table.move(flat, 1, #flat, #functions + 1, table.move(functions, 1, #functions, 1, {})))
  functions, flat = table.move(examples, 1, #functions, 1, {}), table.move(examples, #functions + 1, #examples, 1, {})
  surface.points(functions, flat, function(s) return system._coordinate[core.name(s)] == s end, function(list, point)
    for i, row in ipairs(rows) do
      for k in ipairs(row) do
        local value = core.value(flat[(i - 1)*#row + k], list, point)
        if value ~= value then return false end
        numbers[i][k] = value
      end
    end
    return true
  end)
  return numbers
end

-- Columns and constraints in pairs { column, constraint } whose products row . b_column serve as pivots when the multipliers are
-- solved for: chosen at a point of the constraints, since products that vanish there need not vanish elsewhere
local function reaction_pairs(system, levels, b, free)
  local columns, products, list = {}, {}, {}
  for mu = 1, b.columns do if not object.contains(free, mu) then columns[#columns + 1] = mu end end
  for i, mu in ipairs(columns) do
    products[i] = {}
    for k, level in ipairs(levels) do products[i][k] = dot(level.velocity.row, b:column(mu)) end
  end
  for i, pair in ipairs(pivot_order(values_on_constraints(system, products))) do
    list[i] = { column = columns[pair[1]], constraint = pair[2] }
  end
  return list
end

--- Declares the mapping x' = b pi': S:linear_mapping{ names = "p1 p2 p3", time = 3, b = { {...}, {...}, {...} } }, b in coordinates alone.
--- Constraints may be holonomic, or linear nonholonomic without the time. One column, `time`, moves with rheonomic constraints (pi' = 1). A system
--- with further constraints has fixed = {numbers of columns}, along which pi' = 0 (Wang 2019, remark 5).
--- Without b the mapping is completed by Gram-Schmidt in the mass metric: S:linear_mapping{ names = "p1 p2 s" }; free columns first, then fixed
--- ones, the time last. unit = true makes the free columns unit vectors. solved = f(x) gives t on a rheonomic constraint that is not linear in it
--- (Wang 2019 (3)).
--- Result: b and its inverse, metric[mu][nu], connection[sigma][mu][nu], torsion[sigma][mu][nu] = Gamma^sigma_(mu nu) - Gamma^sigma_(nu mu),
--- integrable (true, false, or nil if it cannot be decided), names, free, fixed, time.
function System:linear_mapping(given)
  local o = options.check("linear_mapping", schema, given)
  local q = self:coordinate_list()
  local n, levels, clock = #q, constraint_levels(self)
  if not o.names then fail("linear_mapping: names are needed, one for each of the %d columns", n) end
  local names, m = names_of(self, o.names, n), #levels
  local M, a, determinant = euclidean_metric(self), nil, nil
  if not o.b then
    if o.time or o.fixed then fail("linear_mapping: time and fixed belong to a given b; without it free columns come first, the time last") end
    o.b, a, determinant = completion.columns(M, rows_without_time(self, levels, clock, o.solved), clock, o.unit)
    o.time, o.fixed = clock and n, {}
    for k = 1, m - (clock and 1 or 0) do o.fixed[k] = n - m + k end
  elseif o.solved or o.unit then
    fail("linear_mapping: solved and unit are for the completion: leave them out, or b")
  end
  local free = free_columns(self, o, n, m, clock)
  local b = given_columns(self, o.b, n)
  if a then a = Matrix.new(a)
  else a, determinant = inverse_of(b) end
  demand_columns(self, levels, b, names, free, o.time)
  local gamma = connection.induced(a, b, q)
  local torsion = connection.torsion(gamma)
  self._mappings = (self._mappings or 0) + 1
  return setmetatable({
    system = self, names = names, free = free, fixed = o.fixed or {}, time = o.time or false, b = b, inverse = a, determinant = determinant,
    metric = (b:transpose()*M*b):simplify(), connection = gamma, torsion = torsion, _integrable = connection.vanishes(torsion),
    id = self._mappings, levels = levels, pairs = reaction_pairs(self, levels, b, free), changes = self._changes, _q = q,
  }, Mapping.meta)
end

options.declare("linear_mapping", schema)

return true
