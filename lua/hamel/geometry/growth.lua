-- growth.lua: S:growth_vector: how iterated Lie brackets of the admitted velocities fill the tangent space (Chow 1939, Vershik and Gershkovich 1994).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local generic = require "hamel.geometry.generic"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local surface_flow = require "hamel.geometry.surface_flow"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local Growth = object.class "GrowthVector"

local schema = { at = { type = "table", doc = "coordinates by name, and t: the ranks at this point in place of those at a generic one" } }

local DEEPEST, MOST = 10, 600          -- brackets nested, brackets of one depth

-- Fields that span the velocities admitted by the constraints at a fixed time; accept: may a determinant be divided by?
local function admitted(system, accept)
  local A = kinematics.velocity_rows(system)
  for _, row in ipairs(A) do for i, entry in ipairs(row) do row[i] = echelon.short(entry) end end
  return echelon.short_null_space(A, #system.coordinate_names, accept)
end

-- ---- ranks

-- The number at a place of `at` as an exact expression
local function exact_value(given, what)
  local e = type(given) == "number" and core.number(given) or given
  if not core.is_expression(e) or #core.symbols{ e } > 0 then object.fail("growth_vector: at.%s is a number", what) end
  return e
end

-- A function of a list of fields: their values at a point, exact constants
local function values_at(system, given)
  local from, to, named = { symbols.t }, { core.rational(0) }, {}
  for key, value in pairs(given) do named[key] = value end
  if named.t then to[1], named.t = exact_value(named.t, "t"), nil end
  named = system:by_name(named, "q")
  for _, name in ipairs(system.coordinate_names) do
    if named[name] == nil then object.fail("growth_vector: at.%s is missing: a point has a value for each coordinate", name) end
    from[#from + 1], to[#to + 1], named[name] = system:symbol(name), exact_value(named[name], name), nil
  end
  if next(named) then
    object.fail("growth_vector: '%s' is not a coordinate of %s%s", tostring(next(named)), system.name,
      object.hint(tostring(next(named)), system.coordinate_names))
  end
  for _, name in ipairs(system.parameter_names) do
    from[#from + 1] = system:symbol(name)
    to[#to + 1] = system._exact[name] or object.fail("growth_vector: '%s' has no value; at a point all parameters need one", name)
  end
  return function(list)
    local rows = {}
    for j, Z in ipairs(list) do
      rows[j] = {}
      for i, e in ipairs(Z) do
        local fine, value = attempt(core.substitute, e, from, to)
        local number = fine and core.number_value(value)
        if not fine or number and number - number ~= 0 then object.fail("growth_vector: %s has no value at the point", core.text(e)) end
        rows[j][i] = value
      end
    end
    return rows
  end
end

-- Is a constant proved not to vanish?
local function is_nonzero(e)
  local value = core.number_value(e)
  if core.kind(e) == "number" then return value ~= 0 end
  return e:is_zero() == false
end

-- Adds rows of constants to an echelon { rows, columns of their pivots }: the rank is the number of its rows. Pivots are proved not to vanish.
local function extend(form, rows)
  for _, given in ipairs(rows) do
    local row = table.move(given, 1, #given, 1, {})
    for k, other in ipairs(form) do
      local factor = row[form.columns[k]]
      if core.number_value(factor) ~= 0 then
        for j = 1, #row do row[j] = echelon.short(row[j] - factor*other[j]) end
      end
    end
    for j, e in ipairs(row) do
      if is_nonzero(e) then
        for l = 1, #row do row[l] = echelon.short(row[l]/e) end
        form[#form + 1], form.columns[#form.columns + 1] = row, j
        break
      end
    end
  end
  return #form
end

-- ---- brackets

-- [X, Y] for X of the first list and Y of the second, simplified, without those that vanish
local function brackets(system, first, last, deep)
  local list = {}
  for a, X in ipairs(first) do
    for b = deep and 1 or a + 1, #last do
      local Z = fields.bracket(system, X, last[b])
      for i, e in ipairs(Z) do Z[i] = echelon.short(e) end
      if not vanishing.all(Z) then list[#list + 1] = Z end
    end
  end
  return list
end

-- At a generic point only brackets that are independent there are followed: with functions for factors they give all others
local function at_generic_point(system, first, n)
  local all, last, vector = first, first, { #first }
  while vector[#vector] < n do
    local new = brackets(system, first, last, #vector > 1)
    local joined = table.move(new, 1, #new, #all + 1, table.move(all, 1, #all, 1, {}))
    local kept = generic.independent(system, joined)
    if #kept == #all then break end
    last, all = {}, table.move(all, 1, #all, 1, {})
    for _, place in ipairs(kept) do
      if place > vector[#vector] then
        last[#last + 1] = joined[place]
        all[#all + 1] = joined[place]
      end
    end
    vector[#vector + 1] = #all
  end
  return vector
end

-- At a given point all brackets count, up to the rank that a generic point reaches; the second result: was it reached?
local function at_point(system, values, reached)
  local first = admitted(system, function(D) return is_nonzero(values{ { D } }[1][1]) end)
    or object.fail("growth_vector: the constraints of %s depend on each other at the point", system.name)
  local form, last = { columns = {} }, first
  local vector = { extend(form, values(first)) }
  while vector[#vector] < reached do
    if #vector == DEEPEST or #first*#last > MOST then return vector, false end
    last = brackets(system, first, last, #vector > 1)
    if #last == 0 then return vector, false end
    vector[#vector + 1] = extend(form, values(last))
  end
  return vector, true
end

--- The growth vector of the velocities that the constraints admit: the ranks of D, D + [D, D], D + [D, D] + [D, [D, D]], ..., a list; its length is the
--- degree of nonholonomy where the last rank is the number of coordinates (g.complete): then every position can be reached from every other
--- (Chow 1939). S:growth_vector{ at = { x = 0, theta = 0 } } gives the ranks at a point, without it those at a generic one.
--- Generic ranks are those at one random point modulo a prime, for the declared values of the parameters: each is proved to be at least the
--- number given; that it is greater has a chance below 1e-15. At a given point ranks are computed exactly, from the numbers as they are
--- written (hm.pi for angles); brackets are nested up to ten deep, and g.reached is false where the generic rank was not met. Time is fixed.
--- Raises an error for nonlinear and for holonomic constraints.
---@param given table?
function System:growth_vector(given)
  local o = options.check("growth_vector", schema, given)
  surface_flow.demand(self, "growth_vector", "constraints")
  local first, n = admitted(self), #self.coordinate_names
  local vector, reached = at_generic_point(self, first, n), true
  local last = vector[#vector]
  if o.at then vector, reached = at_point(self, values_at(self, o.at), last) end
  vector.complete, vector.reached, vector.n, vector._name, vector._at = vector[#vector] == n, reached, n, self.name, o.at
  for _, Z in ipairs(first) do for _, e in ipairs(Z) do vector._timed = vector._timed or core.diff(e, symbols.t):is_zero() ~= true end end
  return setmetatable(vector, Growth.meta)
end

function Growth.meta.__tostring(self)
  local list, missing = {}, self.n - self[#self]
  for i, rank in ipairs(self) do list[i] = ("%d"):format(rank) end
  local text = ("%s: growth vector (%s)%s"):format(self._name, table.concat(list, ", "), self._at and " at the point" or "")
  if self.complete then return ("%s: all %d coordinates, degree of nonholonomy %d"):format(text, self.n, #self) end
  if not self.reached then return text .. ": the rank of generic points is not reached by the brackets that were formed" end
  if self._timed then return ("%s of %d coordinates, by brackets at a fixed time; S:holonomic() takes the time along"):format(text, self.n) end
  return ("%s of %d coordinates: %d combination%s of the constraints %s integrable"):format(text, self.n, missing, missing == 1 and "" or "s",
    missing == 1 and "is" or "are")
end

options.declare("growth_vector", schema)

return System
