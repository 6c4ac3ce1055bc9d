-- transitions.lua: Floquet's multipliers of a motion with events: of the matrices of its flights and of its events, one after the other.
--
-- Directions are taken at fixed times across what gives multipliers 1: of autonomous systems the motion itself, and the integrals. An event is a saltation
-- matrix (guards.lua). A flight in which directions grow and shrink by very different factors is cut; small multipliers beside large ones: see products.lua.
local arcs = require "hamel.continuation.arcs"
local floquet = require "hamel.continuation.floquet"
local guards = require "hamel.analysis.nonsmooth.guards"
local object = require "hamel.base.object"
local products = require "hamel.continuation.products"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local states = require "hamel.continuation.states"

local transitions = {}

local HALVINGS = 6                     -- of a flight

--- Rows that hold a state of the mode i at the time t on the constraints, the integrals, and what is no part of a change of it.
function transitions.held_rows(problem, i, t, x)
  local space = problem.spaces[i]
  local y = {}
  for k = 1, space.n do y[k] = k <= #space.kept and x[space.kept[k]] or 0.0 end
  local before = space.flow.t
  space.flow.t = t
  local held = space.constraints(y)
  for _, integral in ipairs(problem.integrals) do held[#held + 1] = select(2, integral.in_mode[i](y)) end
  space.flow.t = before
  for k = #space.kept + 1, space.n do held[#held + 1] = states.axis(k, space.n) end
  for _, place in ipairs(problem.places) do held[#held + 1] = states.axis(place, space.n) end
  return held
end

-- Unit directions across what gives multipliers 1
local function across(problem, i, t, x)
  local held, space = transitions.held_rows(problem, i, t, x), problem.spaces[i]
  if not problem.timed then held[#held + 1] = states.unit(space.part(guards.rate(space.flow, t, x))) end
  return states.directions(held, space.n)
end

local function parts_of(space, wholes)
  local list = {}
  for k, d in ipairs(wholes) do list[k] = space.part(d) end
  return list
end

-- Adds the matrices of a flight; the state and the directions at its end
local function fly(problem, i, t0, t1, x, basis, list, halvings)
  local flow, wholes = problem.segments[i].flow, {}
  for k, u in ipairs(basis) do wholes[k] = problem.space.whole(u) end
  local last, carried = flow:run(t0, t1, x, wholes)
  local end_basis = across(problem, i, t1, last)
  local changes = parts_of(problem.space, carried)
  local A = products.between(end_basis, changes)
  if halvings > 0 and products.is_spread(A, products.longest(products.lengths(changes))) then
    local middle = (t0 + t1)/2
    x, basis = fly(problem, i, t0, middle, x, basis, list, halvings - 1)
    return fly(problem, i, middle, t1, x, basis, list, halvings - 1)
  end
  list[#list + 1] = A
  list.lengths[#list] = products.lengths(changes)
  return last, end_basis
end

-- The extent of the values of a guard with a gradient over states as large as x in the mode i. States count in their units: x also holds parameters, and
-- integrals of which the energy of a heavy body may be of any size
local function extent_of(problem, i, gradient, x)
  local space, slopes, sizes = problem.spaces[i], 0, 0
  for k, place in ipairs(space.kept) do
    if not object.contains(problem.places, k) then
      slopes, sizes = slopes + (gradient[place]*space.scale[k])^2, sizes + (x[place]/space.scale[k])^2
    end
  end
  return math.sqrt(slopes*sizes)
end

-- The matrices from the start on, with list.lengths (products.lengths), the product of the velocities with which the guards pass zero, each as part/sqrt(1 +
-- part^2), and the slowest of them: { name = of its event, number = of the segment that it ends, part = of the extent of its values that it passes in a
-- period }
local function matrices_of(problem, y)
  local list, crossing, N, slowest = { lengths = {} }, 1, segments.count(y), { part = math.huge }
  local start = arcs.state(problem, y, 1)
  local first = across(problem, 1, problem:time(y), start)
  local basis = first
  for a = 1, N do
    local t, x = arcs.time(problem, y, a), arcs.state(problem, y, a)
    for _, piece in ipairs(arcs.pieces(problem, y, a)) do
      local i = piece.segment
      local to = t + (piece.to - piece.from)*y[problem.first + i - 1]
      x, basis = fly(problem, i, t, to, x, basis, list, HALVINGS)
      t = to
      if piece.to == 1 then
        local next_i, final = i % problem.count + 1, i == problem.count
        local met, after, jump = guards.across(problem.segments[i], problem.segments[next_i].flow, t, x)
        local places, wholes = final and signs.turned_over(problem.flow, start, after) or {}, {}
        for k, u in ipairs(basis) do wholes[k] = signs.over(jump(problem.space.whole(u)), places) end
        basis = final and first or across(problem, next_i, t, after)
        local passed, extent = met.speed*problem:period(y), extent_of(problem, i, met.gradient, x)
        local part = passed ~= 0 and passed/extent or 0.0
        crossing = passed ~= 0 and crossing*passed/math.sqrt(passed^2 + extent^2) or 0.0
        if math.abs(part) < slowest.part then slowest = { name = problem.segments[i].event.name, number = i, part = math.abs(part) } end
        local changes = parts_of(problem.space, wholes)
        list[#list + 1] = products.between(basis, changes)
        list.lengths[#list] = products.lengths(changes)
        x = after
      end
    end
  end
  return list, crossing, slowest
end

-- Where an impact has the velocity 0 its matrix is not finite: multipliers pass through infinity
local function is_finite(list)
  for _, A in ipairs(list) do
    for _, row in ipairs(A) do
      for _, value in ipairs(row) do if not (math.abs(value) < math.huge) then return false end end
    end
  end
  return true
end

local function all_infinite(n)
  local list = {}
  for i = 1, n do list[i] = { re = math.huge, im = 0.0 } end
  return list
end

--- The multipliers at a point, kept in it; point.turned: have an odd number of impacts negative velocities? An impact that grazes leads a multiplier
--- through infinity, and point.crossing, a measure of the velocities with which the guards pass zero, through zero. point.slowest: the event whose guard does
--- so most slowly.
function transitions.multipliers(problem, point)
  if point.multipliers then return point.multipliers end
  local list, crossing, slowest = matrices_of(problem, point.y)
  point.turned, point.slowest, point.crossing = crossing < 0, slowest, crossing
  if not is_finite(list) then
    point.multipliers = all_infinite(#list[1][1])
    return point.multipliers
  end
  point.multipliers = floquet.eigenvalues(problem, list, list.lengths)
  return point.multipliers
end

return transitions
