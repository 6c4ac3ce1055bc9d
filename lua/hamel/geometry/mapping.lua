-- mapping.lua: a rheonomic holonomic constraint by a linear mapping x' = b pi' of the Euclidean configuration space onto a space-time:
-- metric, connection, torsion (Wang 2019 (4)-(9)). One pi is the time; the other columns of b are tangent to the constraint.
local core = require "hamel.core"
local object = require "hamel.object"
local options = require "hamel.options"
local Matrix = require "hamel.matrix"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.symbols"
local System = require "hamel.system"

local fail = object.fail
local Mapping = object.class "Mapping"

local schema = {
  names = { type = "string", doc = "names of the pi, one per column" },
  time = { type = "number", doc = "number of the column that belongs to the time" },
  b = { type = "table", doc = "rows of b in x' = b pi'" },
}

local function sum_over(n, f)
  local terms = {}
  for i = 1, n do terms[i] = f(i) end
  return core.sum(terms)
end

-- Gamma^s_(mu nu) = a^s_j b^k_nu d_k b^j_mu, the index of differentiation last
local function connection(a, b, q)
  local n, gamma = #q, {}
  for s = 1, n do gamma[s] = {} end
  for mu = 1, n do
    local slope = {}
    for j = 1, n do slope[j] = core.gradient(b[j][mu], q) end
    for s = 1, n do
      gamma[s][mu] = {}
      for nu = 1, n do
        local e = sum_over(n, function(j) return a[s][j]*sum_over(n, function(k) return b[k][nu]*slope[j][k] end) end)
        gamma[s][mu][nu] = e:simplify()
      end
    end
  end
  return gamma
end

-- Does e vanish on the surface f = 0? Judged at points; nil when none was found
local function vanishes_on(f, e, system)
  return (surface.vanishes({ f }, e, function(s) return system._coordinate[core.name(s)] == s end))
end

local function only_constraint(system)
  local c = system.constraints[1]
  if #system.constraints ~= 1 or not c.holonomic then
    fail("linear_mapping: %s needs exactly one holonomic constraint, it has %s", system.name,
      #system.constraints == 1 and "'" .. c.name .. "', " .. c.kind or tostring(#system.constraints))
  end
  return c
end

--- The mapping x' = b pi': S:linear_mapping{ names = "p1 p2 p3", time = 3, b = { {...}, {...}, {...} } } with b in coordinates alone.
--- The result has b and its inverse, metric[mu][nu], connection[sigma][mu][nu], torsion[sigma][mu][nu] =
--- Gamma^sigma_(mu nu) - Gamma^sigma_(nu mu), integrable (true, false, or nil for cannot tell), names, time.
function System:linear_mapping(given)
  local o = options.check("linear_mapping", schema, given)
  local q, v = self:coordinate_list(), self:velocity_list()
  local n, c = #q, only_constraint(self)
  if not o.names or not o.b or not o.time then fail("linear_mapping: names, time and b are needed") end
  local names = {}
  for i, item in ipairs(symbols.split(o.names, "linear_mapping")) do
    names[i] = item.name
    if self._coordinate[item.name] or self._parameter[item.name] then
      fail("linear_mapping: '%s' is already a coordinate or parameter of %s", item.name, self.name)
    end
  end
  if #names ~= n then fail("linear_mapping: %d names for %d coordinates", #names, n) end
  if math.type(o.time) ~= "integer" or o.time < 1 or o.time > n then fail("linear_mapping: time is the number of a column, 1 to %d", n) end
  local b = Matrix.new(o.b)
  if #b ~= n or b.columns ~= n then fail("linear_mapping: b is %d x %d, not %d x %d", #b, b.columns, n, n) end
  b = b:map(function(e, i, j)
    if core.number_value(core.diff(e, symbols.t)) ~= 0 then fail("linear_mapping: b[%d][%d] contains the time: b is a function of the coordinates", i, j) end
    return self:check_expression(e, ("b[%d][%d]"):format(i, j), 0)
  end)
  local fine, a, determinant = pcall(b.inverse, b)
  if not fine then fail("linear_mapping: b has no inverse: %s", tostring(a):gsub("^.-: ", "")) end
  -- columns of the pi that are not the time lie in the surface
  local slope = core.gradient(c.f, q)
  for mu = 1, n do
    local normal = sum_over(n, function(j) return slope[j]*b[j][mu] end)
    -- along the column of the time the constraint moves with its own rate
    local rest = normal + core.diff(c.f, symbols.t)
    if mu == o.time and rest:is_zero() == false and vanishes_on(c.f, rest, self) == false then
      fail("linear_mapping: column %d ('%s') does not keep up with the constraint '%s': grad f . b + df/dt = %s must vanish on it", mu, names[mu],
        c.name, core.text((rest:simplify())))
    end
    if mu ~= o.time and normal:is_zero() == false and vanishes_on(c.f, normal, self) == false then
      fail("linear_mapping: column %d ('%s') leaves the constraint '%s': grad f . b = %s", mu, names[mu], c.name, core.text((normal:simplify())))
    end
  end
  -- the mass matrix of a Euclidean configuration space
  local M = Matrix.new(self:mass_matrix())
  for i = 1, n do
    for j = 1, n do
      for _, s in ipairs(core.symbols{ M[i][j] }) do
        if select(3, core.name(s)) & ~symbols.POSITIVE ~= 0 then
          fail("linear_mapping: the configuration space must be Euclidean, but the mass matrix contains %s", core.text(s))
        end
      end
    end
  end
  local gamma, torsion, integrable = connection(a, b, q), {}, true
  for s = 1, n do
    torsion[s] = {}
    for mu = 1, n do
      torsion[s][mu] = {}
      for nu = 1, n do
        torsion[s][mu][nu] = (gamma[s][mu][nu] - gamma[s][nu][mu]):simplify()
        local zero = torsion[s][mu][nu]:is_zero()
        if zero == false then integrable = false elseif zero == nil and integrable then integrable = nil end
      end
    end
  end
  self._mappings = (self._mappings or 0) + 1
  return setmetatable({
    system = self, names = names, time = o.time, b = b, inverse = a, determinant = determinant, metric = (b:transpose()*M*b):simplify(),
    connection = gamma, torsion = torsion, integrable = integrable, id = self._mappings, constraint = c, changes = self._changes, _v = v,
  }, Mapping.meta)
end

function Mapping.meta.__tostring(m)
  local lines = { ("linear mapping of %s, %s"):format(m.system.name, m.integrable and "integrable (no torsion)" or m.integrable == false
    and "not integrable" or "integrability not decided") }
  lines[#lines + 1] = "metric"
  lines[#lines + 1] = tostring(m.metric)
  for s, block in ipairs(m.connection) do
    for mu, row in ipairs(block) do
      for nu, e in ipairs(row) do
        if core.number_value(e) ~= 0 then
          lines[#lines + 1] = ("Gamma^%s_(%s %s) = %s"):format(m.names[s], m.names[mu], m.names[nu], core.text(e))
        end
      end
    end
  end
  return table.concat(lines, "\n")
end

--- Block structure (17): does the metric couple the spatial pi with the time? List of the coupling entries that do not vanish.
function Mapping:coupling()
  local list = {}
  for mu = 1, #self.names do
    if mu ~= self.time and self.metric[mu][self.time]:is_zero() ~= true then list[#list + 1] = self.metric[mu][self.time] end
  end
  return list
end

return Mapping
