-- controllability.lua: S:controllability: what forces reach, by symmetric products of the input fields (Lewis, Murray 1997; Bullo, Lewis 2004).
--
-- On the constraints w' = -Gamma(w, w) + u_a y_a, y_a = G^-1 B^T F_a. The symmetric product of fields with components x, y in w is
-- <x : y> = X(y) + Y(x) + 2 Gamma(x, y), 2 Gamma_ab = -d^2 w'/dw_a dw_b. Velocities that forces produce from rest at first order are spanned by the
-- inputs and their iterated symmetric products; positions by the Lie brackets of all these.
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local generic = require "hamel.geometry.generic"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local surface_flow = require "hamel.geometry.surface_flow"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local Controllability = object.class "Controllability"

local schema = {
  inputs = { type = "table", list = true, doc = "the controlled forces: coordinates they act along, names of S:input, or covectors { theta = 1, psi = -1 }" },
  depth = { type = "number", default = 4, from = 1, to = 8, whole = true, doc = "how deep products and brackets are nested" },
}

local short = echelon.short
local vanishes = vanishing.proved

-- ---- inputs

-- One input as a covector, and its name
local function covector(system, given)
  local F, name = {}, given
  for i = 1, #system.coordinate_names do F[i] = core.rational(0) end
  if core.is_expression(given) and core.kind(given) == "symbol" then name = core.name(given) end
  if type(given) == "table" and not core.is_expression(given) then
    local Z, words = fields.read(system, given, "controllability: an input"), {}
    for i, q in ipairs(system:coordinate_list()) do words[i] = Z[i]*q end
    return Z, core.text(core.sum(words))
  end
  if object.contains(system._inputs, name) then
    for i, Q in ipairs(system:generalised_forces()) do F[i] = core.diff(Q, system._parameter[name]) end
    return F, name
  end
  for i, q in ipairs(system.coordinate_names) do
    if q == name then
      F[i] = core.rational(1)
      return F, name
    end
  end
  local known = table.move(system._inputs, 1, #system._inputs, #system.coordinate_names + 1,
    table.move(system.coordinate_names, 1, #system.coordinate_names, 1, {}))
  fail("controllability: the input '%s' is neither a coordinate nor an input of %s%s", tostring(given), system.name, object.hint(tostring(given), known))
end

-- A force is its input times a direction, which depends on the coordinates alone. What remains of a symbol in the short form counts: derivatives do
-- not see that abs(u) and sign(t) change
local function demand_direction(system, F, name)
  local moving, inputs = system:every_velocity(), {}
  for i, input in ipairs(system._inputs) do inputs[i] = system._parameter[input] end
  for i, e in ipairs(F) do
    F[i] = short(e)
    for _, s in ipairs(core.symbols{ F[i] }) do
      local along = system.coordinate_names[i]
      if object.contains(inputs, s) then
        fail("controllability: the force along '%s' is not linear in the inputs: its slope by '%s' is %s; declare an input for the whole force",
          along, name, core.text(F[i]))
      elseif object.contains(moving, s) then
        fail("controllability: the direction of the input '%s' depends on velocities: along '%s' it is %s; the test is for directions that depend on the "
          .. "coordinates alone", name, along, core.text(F[i]))
      elseif s == symbols.t then fail("controllability: the direction of the input '%s' depends on time: along '%s' it is %s", name, along, core.text(F[i])) end
    end
  end
end

local function covectors_of(system, given)
  local list = {}
  for i, item in ipairs(given) do
    local F, name = covector(system, item)
    demand_direction(system, F, name)
    list[i] = { F = F, name = name }
  end
  return list
end

-- What the theory does not cover: forces and potentials that act without inputs
local function demand_free(system, flow)
  local inputs = {}
  for i, name in ipairs(system._inputs) do inputs[i] = system._parameter[name] end
  for i, Q in ipairs(system:generalised_forces()) do
    if not vanishes(vanishing.without(Q, inputs)) then
      fail("controllability: a force acts on '%s' besides the inputs: the test is for systems without other forces", system.coordinate_names[i])
    end
  end
  local L, v = system:lagrangian(), system:velocity_list()
  for _, x in ipairs(system:coordinate_list()) do
    if not vanishes(vanishing.without(core.diff(L, x), v)) then
      fail("controllability: the potential energy depends on '%s': the test is for systems without potential", core.text(x))
    end
  end
  for i, b in ipairs(flow.b or {}) do
    if not vanishes(b) then fail("controllability: '%s' moves by itself: the constraints are not homogeneous in the velocities", system.coordinate_names[i]) end
  end
  for _, momentum in ipairs(core.gradient(L, v)) do
    if not vanishes(vanishing.without(momentum, v)) then
      fail("controllability: the Lagrangian has terms linear in the velocities, such as %s: the test is for kinetic energies", core.text(momentum))
    end
  end
  local list = { L }
  for _, c in ipairs(system.constraints) do list[#list + 1] = c.f end
  for _, e in ipairs(list) do
    if not vanishes(core.diff(e, symbols.t)) then fail("controllability: %s depends on time: the test is for systems that do not", core.text(e)) end
  end
end

-- ---- fields by their components in w

local function field_of(flow, y)
  local Z = {}
  for i = 1, flow.n do
    local terms = {}
    for a = 1, flow.m do terms[a] = flow.B[i][a]*y[a] end
    Z[i] = short(core.sum(terms))
  end
  return Z
end

-- -d^2 w_c'/dw_a dw_b
local function curvature(flow)
  local list = {}
  for c, e in ipairs(flow:rates()) do
    list[c] = {}
    for a, slope in ipairs(core.gradient(e, flow.w)) do
      list[c][a] = core.gradient(slope, flow.w)
      for b = 1, flow.m do list[c][a][b] = short(-list[c][a][b]) end
    end
  end
  return list
end

local function symmetric_product(P, X, Y)
  local flow, y = P.flow, {}
  local of_y, of_x = fields.along(P.system, X.field, Y.y), fields.along(P.system, Y.field, X.y)
  for c = 1, flow.m do
    local terms = { of_y[c], of_x[c] }
    for a = 1, flow.m do for b = 1, flow.m do terms[#terms + 1] = P.gamma[c][a][b]*X.y[a]*Y.y[b] end end
    y[c] = short(core.sum(terms))
  end
  local counts = {}
  for i = 1, P.inputs do counts[i] = X.counts[i] + Y.counts[i] end
  return { y = y, field = field_of(flow, y), name = ("<%s:%s>"):format(X.name, Y.name), counts = counts, degree = X.degree + Y.degree }
end

-- A product in which every input occurs an even number of times acts in one direction only
local function is_bad(product)
  for _, count in ipairs(product.counts) do if count % 2 == 1 then return false end end
  return true
end

local function components(list)
  local columns = {}
  for i, item in ipairs(list) do columns[i] = item.y end
  return columns
end

local function is_zero(list)
  for _, e in ipairs(list) do if not vanishes(e) then return false end end
  return true
end

-- All symmetric products up to a degree that do not vanish, by degree
local function products(P, inputs, deepest)
  local by_degree, all = { inputs }, table.move(inputs, 1, #inputs, 1, {})
  for degree = 2, deepest do
    by_degree[degree] = {}
    for low = 1, degree//2 do
      for i, X in ipairs(by_degree[low]) do
        for j, Y in ipairs(by_degree[degree - low]) do
          if 2*low < degree or i <= j then
            local Z = symmetric_product(P, X, Y)
            if not is_zero(Z.y) then
              table.insert(by_degree[degree], Z)
              all[#all + 1] = Z
            end
          end
        end
      end
    end
  end
  return all
end

-- Is each bad product a combination of good ones of lower degree at a generic point? The name of the first that is not
local function obstructing(system, all)
  for _, bad in ipairs(all) do
    if is_bad(bad) then
      local lower = {}
      for _, item in ipairs(all) do if item.degree < bad.degree and not is_bad(item) then lower[#lower + 1] = item end end
      local columns = components(lower)
      columns[#columns + 1] = bad.y
      local places = generic.independent(system, columns)
      if places[#places] == #columns then return bad.name end
    end
  end
end

-- The rank that the fields reach with their brackets
local function closure(system, list, n, deepest)
  local all, last = list, list
  local rank = #generic.independent(system, all)
  for _ = 2, deepest do
    if rank == n then break end
    local new = {}
    for _, X in ipairs(list) do
      for _, Y in ipairs(last) do
        if X ~= Y then
          local Z = fields.bracket(system, X, Y)
          for i, e in ipairs(Z) do Z[i] = short(e) end
          if not is_zero(Z) then new[#new + 1] = Z end
        end
      end
    end
    local joined = table.move(new, 1, #new, #all + 1, table.move(all, 1, #all, 1, {}))
    local kept, picked = generic.independent(system, joined), {}
    last = {}
    for i, place in ipairs(kept) do
      picked[i] = joined[place]
      if place > #all then last[#last + 1] = joined[place] end
    end
    if #kept == rank then break end
    all, rank = picked, #kept
  end
  return rank
end

--- What controlled forces reach from rest, for systems without other forces and without potential: S:controllability{ inputs = { "theta", "phi" } },
--- forces along coordinates, names of S:input, or covectors { theta = 1, psi = -1 }.
--- Result C: C.accessible: do the inputs and their iterated symmetric products span all admitted velocities? C.configuration: do these fields and
--- their Lie brackets span all coordinates, so that the positions reached fill an open set? C.small_time: true where the positions reached
--- from rest surround the start: configuration holds, and every product in which all inputs occur an even number of times is a combination of others
--- of lower degree; nil where this sufficient condition fails, with the product in C.obstruction. All at a generic point,
--- for the declared values of the parameters, with products and brackets nested up to C.depth. C.ranks: those of the two spans.
--- Source: Lewis, Murray 1997; Bullo, Lewis 2004.
---@param given table
function System:controllability(given)
  local o = options.check("controllability", schema, given)
  if not o.inputs or #o.inputs == 0 then fail("controllability: inputs = { \"theta\" }: the forces that are controlled") end
  local flow = surface_flow.demand(self, "controllability", "velocities")
  local covectors = covectors_of(self, o.inputs)
  demand_free(self, flow)
  local P, inputs, right = { system = self, flow = flow, gamma = curvature(flow), inputs = #o.inputs }, {}, {}
  for i, item in ipairs(covectors) do
    local F, name = item.F, item.name
    inputs[i], right[i] = { name = name, counts = {}, degree = 1 }, {}
    for j = 1, #o.inputs do inputs[i].counts[j] = i == j and 1 or 0 end
    for a = 1, flow.m do
      local terms = {}
      for s = 1, flow.n do terms[s] = flow.B[s][a]*F[s] end
      right[i][a] = core.sum(terms)
    end
  end
  for i, y in ipairs(linear.solve_exactly(flow.G, right)) do
    for a, e in ipairs(y) do y[a] = short(e) end
    inputs[i].y, inputs[i].field = y, field_of(flow, y)
    if is_zero(y) then fail("controllability: the constraints take up the input '%s' whole: it moves nothing", inputs[i].name) end
  end
  local all, list = products(P, inputs, o.depth), {}
  for i, item in ipairs(all) do list[i] = item.field end
  local velocities, positions = #generic.independent(self, components(all)), closure(self, list, flow.n, o.depth)
  local bad = obstructing(self, all)
  return setmetatable({ inputs = o.inputs, depth = o.depth, accessible = velocities == flow.m, configuration = positions == flow.n,
    ranks = { velocities = velocities, of_velocities = flow.m, positions = positions, of_positions = flow.n }, _obstruction = bad,
    _name = self.name, _products = all }, Controllability.meta)
end

--- true where the sufficient condition holds, else nil.
function Controllability.get.small_time(self) return self.configuration and not self._obstruction and true or nil end
--- The first product that acts in one direction only and is no combination of others of lower degree; nil where there is none.
function Controllability.get.obstruction(self) return self._obstruction end

function Controllability.meta.__tostring(self)
  local r, names = self.ranks, {}
  for i, item in ipairs(self._products) do if item.degree == 1 then names[i] = item.name end end
  local out = { ("%s with inputs %s, from rest at a generic point:"):format(self._name, table.concat(names, ", ")) }
  out[2] = ("  velocities: %d of %d directions%s"):format(r.velocities, r.of_velocities, self.accessible and ", accessible" or "")
  out[3] = ("  positions: %d of %d directions%s"):format(r.positions, r.of_positions, self.configuration and ", accessible" or "")
  if self.small_time then out[4] = "  controllable in small time: every product that acts in one direction only is a combination of others of lower degree"
  elseif self.configuration then out[4] = ("  whether it is controllable is not decided: %s acts in one direction only"):format(self.obstruction) end
  return table.concat(out, "\n")
end

options.declare("controllability", schema)

return System
