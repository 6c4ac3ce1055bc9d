-- impulses.lua: momenta dL/dq', the energy and the velocities that constraints prescribe, where their formulas may jump along a motion. Such a jump takes an
-- impulse, which no right-hand side shows: runs compare both sides where they pass a corner (src/mechanics/impulse.c).
local branches = require "hamel.model.branches"
local core = require "hamel.core"
local data = require "hamel.algebra.data"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"

local impulses = {}

local ZERO = core.rational(0)
local rates = { tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }

-- The argument at which one call may jump, apart from the pieces of pieces.lua: cuts of angles, and derivatives of data
local function cut(e)
  local name, list = core.name(e), core.operands(e)
  if name == "atan2" then return list[1] end
  if rates[name] then return data.jumps(core.number_value(list[1]), rates[name]) and list[2] or nil end
  local inner = (name == "atan" or name == "asin" or name == "acos") and list[1]
  return inner and core.kind(inner) == "call" and core.name(inner) == "tan" and core.operands(inner)[1] or nil
end

local function add_cuts(e, seen, found)
  if seen[e] then return end
  seen[e] = true
  local u = core.kind(e) == "call" and cut(e)
  if u and pieces.moves(u) then found[#found + 1] = u end
  for _, operand in ipairs(core.operands(e)) do add_cuts(operand, seen, found) end
end

-- Arguments at whose corners an expression may jump along a motion
local function jumps(e)
  if not branches.any{ e } then return {} end
  local found = pieces.jumps{ e }
  add_cuts(e, {}, found)
  return found
end

-- The same of a sum, term by term, so that terms without corners are not formed again
local function jumps_of_sum(e)
  local found = {}
  for _, term in ipairs(core.kind(e) == "sum" and core.operands(e) or { e }) do
    local list = jumps(term)
    table.move(list, 1, #list, #found + 1, found)
  end
  -- terms may jump against each other
  return #found > 0 and jumps(e) or found
end

local function depends_on_place(u)
  for _, s in ipairs(core.symbols{ u }) do
    local _, _, flags = core.name(s)
    if flags & symbols.DYNAMIC ~= 0 then return true end
  end
  return false
end

-- Those arguments that depend on coordinates or velocities
local function in_place(list)
  local found = {}
  for _, u in ipairs(list) do if depends_on_place(u) then found[#found + 1] = u end end
  return found
end

local function dots(system)
  local list = {}
  for i, q in ipairs(system:coordinate_list()) do list[i] = q.dot end
  return list
end

local function lagrangian(system)
  if system._L then return system._L end
  if not system._T then return system._V and -system._V or ZERO end
  return system._V and system._T - system._V or system._T
end

-- The energy p q' - L; nil where neither it nor a momentum can jump. anyway: without a look at them
local function energy_of(L, p, v, anyway)
  local may_jump = anyway
  for _, e in ipairs(p) do may_jump = may_jump or #jumps(e) > 0 end
  if not may_jump and #in_place(jumps_of_sum(L)) == 0 then return nil end
  local terms = { -L }
  for i, e in ipairs(p) do terms[#terms + 1] = e*v[i] end
  return core.sum(terms)
end

-- at: where it may jump, for messages; nil: the places of others
local function add(found, text, e, at)
  found.values[#found.values + 1], found.texts[#found.texts + 1] = e, text
  if at and #at > 0 then found.places[#found.places + 1] = { text = text, at = at } end
end

-- The velocity condition of a constraint, in coordinates
local function on_velocities(c) return c.holonomic and core.dt(c.f) or c.f end

local function add_momenta(found, system, v, anyway)
  -- L of a long system is not formed for this
  if not anyway and not branches.any({ system._L or nil }, { system._T or nil }, { system._V or nil }) then return end
  local L = lagrangian(system)
  local p = core.gradient(L, v)
  local energy = energy_of(L, p, v, anyway)
  if not energy then return end
  for i, e in ipairs(p) do add(found, ("the momentum of '%s'"):format(system.coordinate_names[i]), e, jumps(e)) end
  add(found, "the energy", energy, in_place(jumps_of_sum(L)))
  found.free = #found.values
end

-- A row by which the momenta may jump, and its power
local function add_reaction(found, row, v)
  local power = {}
  for i, e in ipairs(row) do
    found.reactions[#found.reactions + 1] = e
    power[i] = e*v[i]
  end
  found.reactions[#found.reactions + 1] = core.sum(power)
end

local function add_reactions(found, system, v)
  for _, c in ipairs(system.constraints) do add_reaction(found, core.gradient(on_velocities(c), v), v) end
  for _, R in ipairs(system._rotations) do
    local row = {}
    for i, q in ipairs(system:coordinate_list()) do row[i] = object.contains(R.quaternion, q) and q or ZERO end
    add_reaction(found, row, v)
  end
end

local function add_velocity_conditions(found, system)
  for _, c in ipairs(system.constraints) do
    local f = branches.any{ c.f } and on_velocities(c)
    local at = f and jumps(f) or {}
    if #at > 0 then add(found, ("the velocity condition of '%s'"):format(c.name), f, at) end
  end
end

local function add_position_conditions(found, system)
  for _, c in ipairs(system.constraints) do
    local at = c.holonomic and branches.any{ c.f } and jumps(c.f) or {}
    if #at > 0 then add(found, ("the position condition of '%s'"):format(c.name), c.f, at) end
  end
end

-- What the places of the bodies are made of, each once: components, and the matrices of the frames between them and the inertial one
local function places_made_of(system)
  local list, seen = {}, {}
  local function add_row(row)
    for i = 1, 3 do
      local e = row[i]
      if not seen[e] then list[#list + 1], seen[e] = e, true end
    end
  end
  local function add_frames(F)
    while F and F._parent and not seen[F] do
      seen[F] = true
      for _, row in ipairs(F._matrix) do add_row(row) end
      F = F._parent
    end
  end
  for _, body in ipairs(system._bodies) do
    add_frames(body.frame)
    for _, term in ipairs(body.at.place._terms) do
      add_row(term)
      add_frames(term.frame)
    end
  end
  return list
end

-- Bodies whose place or attitude jumps: its rate does not show that
local function add_bodies(found, system)
  if #system._bodies == 0 or not branches.any(places_made_of(system)) then return end
  local N = system:frame()
  for _, body in ipairs(system._bodies) do
    local places = body.at.place:_in_frame(N)
    for _, axis in ipairs{ "x", "y", "z" } do
      if body.frame then table.move(body.frame[axis]:_in_frame(N), 1, 3, #places + 1, places) end
    end
    for i, e in ipairs(places) do
      e = motion.numbers(system, system:plain(e))
      local at = jumps(e)
      if #at > 0 then add(found, (i <= 3 and "the position of '%s'" or "the attitude of '%s'"):format(body.name), e, at) end
    end
  end
end

-- In coordinates and velocities; false: nothing can jump. anyway: momenta and the energy without a look whether they can
local function of_system(system, anyway)
  local found, v = { values = {}, texts = {}, places = {}, free = 0, reactions = {} }, dots(system)
  add_momenta(found, system, v, anyway)
  if found.free > 0 then add_reactions(found, system, v) end
  add_velocity_conditions(found, system)
  local before = #found.values
  add_position_conditions(found, system)
  add_bodies(found, system)
  found.positions = #found.values - before
  found.prescribed = #found.values > found.free
  return #found.values > 0 and found
end

--- What takes an impulse where it jumps in a system: { values =, texts =, free =, positions =, reactions =, prescribed = } (hml_impulse_spec) in coordinates
--- and velocities; nil where nothing can. prescribed: constraints can. anyway: momenta and the energy are among them even if they cannot, for states that do.
--- Found once, as long as the system stays as it is.
function impulses.of_system(system, anyway)
  local known, key = rawget(system, "_impulses"), anyway and "anyway" or "found"
  if not known or known.changes ~= system._changes then
    known = { changes = system._changes }
    rawset(system, "_impulses", known)
  end
  if known[key] == nil then known[key] = of_system(system, anyway or false) end
  return known[key] or nil
end

-- Do the velocities jump at a state of the form that does not?
local function velocities_jump(equations)
  -- those of the whole course change their signs at impacts
  if not equations.v or equations.whole_course or not branches.any(equations.v) then return false end
  for _, e in ipairs(equations.v) do if #jumps(e) > 0 then return true end end
  return false
end

-- A vakonomic motion keeps the momenta of L + mu f, and its constraints have no reactions
local function vakonomic(found, equations, v)
  local list, terms = table.move(found.values, 1, #found.values, 1, {}), {}
  for i, e in ipairs(found.free > 0 and equations.momenta or {}) do
    list[i], terms[i] = e, e*v[i]
  end
  if found.free > 0 then list[found.free] = core.sum(terms) - lagrangian(equations.system) end
  return { values = list, texts = found.texts, places = found.places, free = found.free, positions = found.positions,
           reactions = {}, prescribed = found.prescribed }
end

-- Symbols for the velocities of the side before, and a map to them
local function kept_velocities(v)
  local list, of = {}, {}
  for i, s in ipairs(v) do
    list[i] = core.symbol("velocity_before_" .. i, symbols.EXTERNAL)
    of[s] = list[i]
  end
  return list, of
end

-- A velocity condition with the velocities before: those that follow from the states satisfy the conditions of every side. What decides on a side is
-- translated, so that guards know it
local function with_kept(e, kept, from, to)
  local known = {}
  local function put(node)
    if kept[node] then return kept[node] end
    if known[node] then return known[node] end
    if core.kind(node) == "call" and branches.any{ node } then
      known[node] = core.substitute(node, from, to)
      return known[node]
    end
    local list, changed = core.operands(node), false
    for i, operand in ipairs(list) do
      list[i] = put(operand)
      changed = changed or list[i] ~= operand
    end
    known[node] = changed and pieces.rebuilt(node, list) or node
    return known[node]
  end
  return put(e)
end

--- The same in the states of equations, with the coordinates of the system; first: the text of the first value that may jump.
function impulses.of(equations)
  local found = impulses.of_system(equations.system, velocities_jump(equations))
  if not found then return nil end
  local v = dots(equations.system)
  if equations.momenta then found = vakonomic(found, equations, v) end
  local from, to = equations.v and v or {}, equations.v or {}
  local function translated(list)
    local out = {}
    for i, e in ipairs(list) do out[i] = core.substitute(e, from, to) end
    return out
  end
  local values, kept = translated(found.values), {}
  if equations.v and #values > found.free + found.positions then
    local places
    kept, places = kept_velocities(v)
    for i = found.free + 1, #values - found.positions do values[i] = with_kept(found.values[i], places, from, to) end
  end
  return { values = values, texts = found.texts, free = found.free, positions = found.positions,
           reactions = translated(found.reactions), prescribed = found.prescribed,
           velocities = #kept > 0 and table.move(to, 1, #to, 1, {}) or {}, kept = kept,
           coordinates = equations.system:coordinate_list(), first = found.places[1] and found.places[1].text or found.texts[1] }
end

-- What changes its formula in the expressions: arguments of corners, and of derivatives of data
local function add_arguments(e, seen, known)
  if seen[e] then return end
  seen[e] = true
  local list = core.operands(e)
  if core.kind(e) == "call" then
    known[list[2] and list[1] - list[2] or list[1] or e] = true
    if cut(e) then known[cut(e)] = true end
  end
  for _, operand in ipairs(list) do add_arguments(operand, seen, known) end
end

--- A jump that the expressions of the equations do not show, because the derivative of a step is zero beside it, in words; nil: there is none.
function impulses.hidden(system, list)
  local found, seen, known = impulses.of_system(system), {}, {}
  if not found then return nil end
  for _, e in ipairs(list) do add_arguments(e, seen, known) end
  for _, place in ipairs(found.places) do
    for _, u in ipairs(place.at) do
      if not known[u] then return ("%s may jump where %s = 0, which takes an impulse that the equations do not show"):format(place.text, core.text(u)) end
    end
  end
end

--- The directions (du/dq, -du/dt) in which momenta and energy may jump where an argument u of time and place vanishes; zeros where it contains velocities.
function impulses.normal(u, spec)
  local row, moving = {}, {}
  for _, s in ipairs(spec.dyn) do moving[s] = true end
  local in_velocities = false
  for _, s in ipairs(core.symbols{ u }) do in_velocities = in_velocities or moving[s] or false end
  for i = 1, spec.impulse.free do
    local s = i == spec.impulse.free and spec.time or spec.impulse.coordinates[i]
    row[i] = in_velocities and ZERO or i == spec.impulse.free and -core.diff(u, s) or core.diff(u, s)
  end
  return row
end

return impulses
