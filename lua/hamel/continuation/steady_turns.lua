-- steady_turns.lua: steady motions that turn or drift along symmetries: their rates vanish beside a motion along these.
--
-- A disc that rolls on a circle does not rest in coordinates that its heading and its velocities belong to. Its rates are those of a motion along the
-- symmetries xi_k of the equations: f(x) = sum w_k xi_k(x). What is left of the rates across the symmetries is the equation of such motions; its derivative at
-- a solution is that of f - sum w_k xi_k, w fixed, taken across, too. Motions that differ by a symmetry are one: where no value kept tells them
-- apart, a phase does, the part of the change from the start along the symmetry.
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local equilibria = require "hamel.continuation.equilibria"
local symmetry = require "hamel.analysis.symmetry"
local tangent = require "hamel.analysis.tangent"

local steady_turns = {}

local SMALL = 1e-6                      -- of the largest: parts of symmetries below it move nothing

-- Up to `most` orthonormal lists that span what the lists span, the longest parts first
local function spanned(lists, most)
  local rest, basis, first = {}, {}, nil
  for k, list in ipairs(lists) do rest[k] = table.move(list, 1, #list, 1, {}) end
  while #basis < most and #rest > 0 do
    local best, length = 1, -1
    for k, list in ipairs(rest) do
      local size = corrector.norm(list)
      if size > length then best, length = k, size end
    end
    first = first or length
    if not (length > SMALL*first) then break end
    local u = table.remove(rest, best)
    tangent.orthogonal(u, basis)
    local size = corrector.norm(u)
    for i = 1, #u do u[i] = u[i]/size end
    basis[#basis + 1] = u
    for _, list in ipairs(rest) do tangent.orthogonal(list, { u }) end
  end
  return basis
end

--- The symmetries along which motions near y may turn: { fields, count = how many directions they have at y, at = these directions }; nil: there are none.
function steady_turns.of(self, y)
  local flow, x = self.flow, self.space.state(y)
  local fields = symmetry.fields(flow, x)
  local columns = {}
  for k, column in ipairs(symmetry.turning_of(flow, x, fields).columns) do columns[k] = self.space.part(flow:whole(column)) end
  local at = spanned(columns, math.huge)
  if #at == 0 then return nil end
  return { fields = fields, count = #at, at = at }
end

-- Takes the parts along the basis from a list
local function across(list, basis)
  for _, u in ipairs(basis) do
    local part = tangent.dot(list, u)
    for i = 1, #list do list[i] = list[i] - part*u[i] end
  end
end

--- As Rest:equations, of motions that may turn along self.turns.
function steady_turns.equations(self, y, directions, flat)
  local flow, space = self.flow, self.space
  local x = space.state(y)
  flat = flat or equilibria.jacobian_at(flow, x)
  local turning = symmetry.turning_of(flow, x, self.turns.fields, flat)
  local F, rows = equilibria.Rest.equations(self, y, directions, symmetry.jacobian_beside(flow, x, turning, flat))
  local columns = {}
  for k, column in ipairs(turning.columns) do
    local part = space.part(flow:whole(column))
    columns[k] = {}
    for a, u in ipairs(directions.fixed) do columns[k][a] = tangent.dot(u, part) end
  end
  local basis = spanned(columns, self.turns.count)
  across(F, basis)
  for k = 1, #directions do
    local column = {}
    for a in ipairs(rows) do column[a] = rows[a][k] end
    across(column, basis)
    for a in ipairs(rows) do rows[a][k] = column[a] end
  end
  return F, rows
end

--- Names of the states that turn at a point.
function steady_turns.names(self, y)
  local x = self.space.state(y)
  return symmetry.turning_names(self.flow, x, symmetry.turning_of(self.flow, x, self.turns.fields))
end

-- The part of a list in positions, where it has one
local function in_positions(self, list)
  local part, flow = {}, self.flow
  for i = 1, #list do part[i] = i <= #flow.kept and flow.kept[i] <= #flow.E.kin and list[i] or 0.0 end
  return corrector.norm(part) > SMALL*corrector.norm(list) and part or list
end

-- Lists of factors, as many as there are directions, whose sums of rows vanish
local function not_told(rows, count)
  local flat = {}
  for _, row in ipairs(rows) do table.move(row, 1, count, #flat + 1, flat) end
  for _ = #rows*count + 1, count*count do flat[#flat + 1] = 0.0 end
  local values, vectors = core.singular(math.max(#rows, count), count, flat)
  local list = {}
  for c = 1, count do
    if not (values[c] > SMALL*math.max(values[1], 1e-300)) then
      list[#list + 1] = {}
      for i = 1, count do list[#list][i] = vectors[(i - 1)*count + c] end
    end
  end
  return list
end

--- Functions of the point, with their gradients, that vanish at y and tell apart motions that a symmetry takes into each other, as far as the functions kept
--- do not.
function steady_turns.phases(self, y, kept)
  local at, rows, phases, space = self.turns.at, {}, {}, self.space
  for i, value in ipairs(kept) do
    local _, gradient = value(y)
    local size = math.max(corrector.norm(gradient), 1e-300)
    rows[i] = {}
    for k, u in ipairs(at) do rows[i][k] = tangent.dot(gradient, u)/size end
  end
  for _, row in ipairs(rows) do
    -- what is rounding of a value that no symmetry changes tells nothing
    for k, value in ipairs(row) do if math.abs(value) <= SMALL then row[k] = 0.0 end end
  end
  for _, factors in ipairs(not_told(rows, #at)) do
    local part, h = in_positions(self, corrector.combined(at, factors)), {}
    for i = 1, #part do h[i] = part[i]/space.scale[i] end
    phases[#phases + 1] = function(point)
      local value, gradient = 0.0, {}
      for i = 1, #h do value, gradient[i] = value + h[i]*(point[i] - y[i]), h[i]*space.scale[i] end
      local size = corrector.norm(gradient)
      for i = 1, #h do gradient[i] = gradient[i]/size end
      return value/size, gradient
    end
  end
  return phases
end

return steady_turns
