-- tangent.lua: the states that matter for perturbations (without coordinates on which nothing depends) and the admissible directions.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"

local tangent = {}

-- symbols in the rates

--- The positions o.q of a guess, with zeros for coordinates that are not given and on which nothing depends in the form o.form.
function tangent.completed(system, o)
  local given, missing = system:by_name(o.q or {}, "q"), false
  for _, name in ipairs(system.coordinate_names) do missing = missing or given[name] == nil end
  if not missing then return o.q end
  local equations = system:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  local ignorable = tangent.ignorable_coordinates(equations)
  for j, symbol in ipairs(equations.kin) do
    local name = core.text(symbol)
    if ignorable[j] and given[name] == nil and object.contains(system.coordinate_names, name) then given[name] = 0 end
  end
  return given
end

--- Coordinates on which neither the other rates nor the constraints depend: their motion is a quadrature
function tangent.ignorable_coordinates(E)
  local uses = {}                      -- coordinate -> the places where it occurs: index of a rate of kin, or "dyn"
  for _, q in ipairs(E.kin) do uses[q] = {} end
  local function note(list, place)
    for _, e in ipairs(list) do
      for _, s in ipairs(core.symbols{ e }) do
        -- it may occur there and cancel
        -- a sign depends on its argument, though its derivative is zero
        if uses[s] and not uses[s][place] and (core.diff(e, s):is_zero() ~= true or pieces.any(e)) then uses[s][place] = true end
      end
    end
  end
  for j, rate in ipairs(E.k) do note({ rate }, j) end
  local rest = {}
  for _, rows in ipairs{ E.M, E.A } do for _, row in ipairs(rows) do table.move(row, 1, #row, #rest + 1, rest) end end
  for _, list in ipairs{ E.r, E.b } do table.move(list, 1, #list, #rest + 1, rest) end
  -- affine constraints may hold coordinates that their derivatives by time, in A and b, do not contain
  for _, part in ipairs{ E.positions, E.velocities } do for _, c in ipairs(part) do rest[#rest + 1] = c.f end end
  note(rest, "dyn")
  local ignorable, changed = {}, true
  while changed do
    changed = false
    for j, q in ipairs(E.kin) do
      if not ignorable[j] then
        local needed = false
        for place in pairs(uses[q]) do needed = needed or place == "dyn" or not (ignorable[place] or place == j) end
        -- a rate that depends on its own coordinate is no quadrature
        if not needed and not uses[q][j] then ignorable[j], changed = true, true end
      end
    end
  end
  return ignorable
end

--- The expressions that the rates of the kept states and the constraints are made of.
function tangent.expressions(E, ignorable)
  local list = {}
  for j, rate in ipairs(E.k) do if not ignorable[j] then list[#list + 1] = rate end end
  for _, rows in ipairs{ E.M, E.A } do for _, row in ipairs(rows) do table.move(row, 1, #row, #list + 1, list) end end
  for _, part in ipairs{ E.r, E.b } do table.move(part, 1, #part, #list + 1, list) end
  for _, part in ipairs{ E.positions, E.velocities } do for _, c in ipairs(part) do list[#list + 1] = c.f end end
  return list
end

--- Those in a list that depend on time explicitly.
function tangent.timed(list)
  local timed = {}
  for _, e in ipairs(list) do
    for _, s in ipairs(core.symbols{ e }) do
      if s == symbols.t and (pieces.any(e) or core.diff(e, s):is_zero() ~= true) then timed[#timed + 1] = e end
    end
  end
  return timed
end

-- ---- the tangent space of holonomic constraints

--- Scalar product of two lists.
function tangent.dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i]*b[i] end
  return sum
end

--- A list with each number times a factor.
function tangent.scaled(list, factor)
  local out = {}
  for i, value in ipairs(list) do out[i] = factor*value end
  return out
end

--- The n unit vectors of as many dimensions, as lists: the rows of the unit matrix.
function tangent.unit_vectors(n)
  local list = {}
  for i = 1, n do
    list[i] = {}
    for k = 1, n do list[i][k] = i == k and 1.0 or 0.0 end
  end
  return list
end

--- a minus its parts along the unit vectors of `basis`, twice for the sake of rounding; its length
function tangent.orthogonal(a, basis)
  for _ = 1, 2 do
    for _, u in ipairs(basis) do
      local part = tangent.dot(a, u)
      -- unit directions along different states are orthogonal as they are
      if part ~= 0 then for i = 1, #a do a[i] = a[i] - part*u[i] end end
    end
  end
  return math.sqrt(tangent.dot(a, a))
end

local function add_unit(a, basis, least)
  local length = tangent.orthogonal(a, basis)
  if length <= least then return false end
  for i = 1, #a do a[i] = a[i]/length end
  basis[#basis + 1] = a
  return true
end

--- Adds unit vectors to `normal` until it spans the rows, of n entries each.
function tangent.add_rows(normal, rows, n)
  for _, row in ipairs(rows) do
    if #normal == n then return end
    local size = math.sqrt(tangent.dot(row, row))
    add_unit(table.move(row, 1, n, 1, {}), normal, 1e-10*size)
  end
end

--- Unit vectors that the rows annihilate.
function tangent.basis(rows, n)
  local normal, all, free = {}, {}, {}
  tangent.add_rows(normal, rows, n)
  table.move(normal, 1, #normal, 1, all)
  for i = 1, n do
    if #all == n then break end
    local e = {}
    for j = 1, n do e[j] = i == j and 1.0 or 0.0 end
    if add_unit(e, all, 1e-6) then free[#free + 1] = all[#all] end
  end
  return free
end

--- Places of the states that are not ignorable, and their names.
function tangent.kept(E, ignorable)
  local kept, names = {}, {}
  for j, q in ipairs(E.kin) do if not ignorable[j] then kept[#kept + 1], names[#names + 1] = j, core.text(q) end end
  for j, s in ipairs(E.dyn) do kept[#kept + 1], names[#names + 1] = #E.kin + j, core.text(s) end
  return kept, names
end

--- One place for each of several directions, so that values there tell how far a combination of them goes: the largest part of any direction first, in which
--- the others then have no part. The list of directions is used up. places: to choose from; least: part of a direction that counts. nil: there is none.
function tangent.pivots(list, places, least)
  local chosen = {}
  while #list > 0 do
    local best, at, part = nil, nil, least
    for k, d in ipairs(list) do
      local size = math.sqrt(tangent.dot(d, d))
      for _, i in ipairs(places) do
        if math.abs(d[i]) > part*size then best, at, part = k, i, math.abs(d[i])/size end
      end
    end
    if not best then return nil end
    local pivot = table.remove(list, best)
    for _, d in ipairs(list) do
      local factor = d[at]/pivot[at]
      for i = 1, #d do d[i] = d[i] - factor*pivot[i] end
    end
    chosen[#chosen + 1] = at
  end
  return chosen
end

--- Adds to a record of equations E with `kept`: view:whole(direction), a direction given over the kept states as one over all, and view:part, back.
function tangent.over_kept(view)
  local size = #view.E.kin + #view.E.dyn
  function view:whole(direction)
    local list = {}
    for i = 1, size do list[i] = 0.0 end
    for i, place in ipairs(self.kept) do list[place] = direction[i] end
    return list
  end
  function view:part(direction)
    local list = {}
    for i, place in ipairs(self.kept) do list[i] = direction[place] end
    return list
  end
  return view
end

--- Unit vectors of a basis, or of combinations of its vectors, that are orthogonal to all columns.
function tangent.beside(basis, columns)
  local rows = {}
  for k, column in ipairs(columns) do
    rows[k] = {}
    for a, u in ipairs(basis) do rows[k][a] = tangent.dot(u, column) end
  end
  local list = {}
  for k, c in ipairs(tangent.basis(rows, #basis)) do
    list[k] = {}
    for i = 1, #basis[1] do
      list[k][i] = 0.0
      for a, u in ipairs(basis) do list[k][i] = list[k][i] + c[a]*u[i] end
    end
  end
  return list
end

--- Rows of constraints on the kept states at the point: positions, and velocities where they are states. evaluate: values of a program at a state; nil: those
--- of the observer.
function tangent.constraint_rows(E, observer, w, t, x, kept, evaluate)
  local rows = {}
  local function values_of(list)
    local p = observer:program(list)
    if evaluate then return evaluate(p, w, t, x) end
    return observer:evaluate(p, w, t, x)
  end
  for _, p in ipairs(E.positions) do
    local gradient = values_of(p.slopes or p.row)
    local row = {}
    for i, place in ipairs(kept) do row[i] = place <= #E.kin and gradient[place] or 0.0 end
    rows[#rows + 1] = row
  end
  for _, v in ipairs(E.velocities) do
    local list = {}
    for j, q in ipairs(E.kin) do list[j] = core.diff(v.f, q) end
    for j, entry in ipairs(v.row) do list[#E.kin + j] = entry end
    local gradient = values_of(list)
    local row = {}
    for i, place in ipairs(kept) do row[i] = gradient[place] end
    rows[#rows + 1] = row
  end
  return rows
end

return tangent
