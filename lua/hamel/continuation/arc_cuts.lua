-- arc_cuts.lua: where a motion with events is cut into arcs: within its flights, where small changes grow so much that rounding at the start would spoil
-- the end.
local arcs = require "hamel.continuation.arcs"
local segments = require "hamel.continuation.segments"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local transitions = require "hamel.continuation.transitions"
local whole_records = require "hamel.continuation.whole_records"

local arc_cuts = {}

local WHOLE, PART = 1e4, 1e3           -- growth up to which a motion is one arc, and of an arc of a cut one
local GRID, LEAST, MOST = 128, 4, 64   -- places of cuts in a period, at least in a flight; arcs

-- The flights from dense output: { t = start, at = state at a part of the duration, after = state behind the event }
local function flights_along(problem, y)
  local list, parts = {}, {}
  for a = 1, segments.count(y) do
    arcs.flown(problem, y, a, {}, function(piece, t, last)
      parts[#parts + 1] = piece
      if piece.to < 1 then return end
      local segment, whole, tau = problem.segments[piece.segment], whole_records.joined(parts), y[problem.first + piece.segment - 1]
      local start, stop = whole:time(1), whole:time(whole:points())
      list[piece.segment] = { t = start, tau = tau, after = (segment.reset(t, last)),
                              at = function(part) return whole:at(math.min(stop, start + part*tau)) end }
      parts = {}
    end)
  end
  return list
end

local function unit_directions(problem, i, t, x)
  local held, list = transitions.held_rows(problem, i, t, x), {}
  for k, u in ipairs(states.directions(held, problem.space.n)) do list[k] = problem.space.whole(u) end
  return list
end

local function largest(problem, wholes)
  local most = 0
  for _, d in ipairs(wholes) do
    local part = problem.space.part(d)
    most = math.max(most, math.sqrt(tangent.dot(part, part)))
  end
  return most
end

-- Ends of arcs; those of doubled motions are the same in both halves
local function ends_along(problem, y, flights)
  local count = problem.simple and problem.count//2 or problem.count
  local shifts, carried, cuts, period = problem.simple and { 0, count } or { 0 }, {}, {}, problem:period(y)
  local most = MOST//#shifts - 1
  for i = 1, count do
    local steps = math.max(LEAST, math.ceil(GRID*flights[i].tau/period))
    for step = 1, steps do
      local growth = 0
      for h, shift in ipairs(shifts) do
        local segment, flight = problem.segments[i + shift], flights[i + shift]
        local flow, from, to = segment.flow, (step - 1)/steps, step/steps
        local t, x = flight.t + from*flight.tau, flight.at(from)
        local _, wholes = flow:run(t, flight.t + to*flight.tau, x, carried[h] or unit_directions(problem, i + shift, t, x))
        growth = math.max(growth, largest(problem, wholes))
        if step == steps then
          local _, carry = segment.reset(flight.t + flight.tau, flight.at(1.0))
          for k, d in ipairs(wholes) do wholes[k] = carry(d, 0.0) end
        end
        carried[h] = wholes
      end
      if growth > PART and step < steps and #cuts < most then cuts[#cuts + 1], carried = { segment = i, part = step/steps }, {} end
    end
  end
  cuts[#cuts + 1] = { segment = count, part = 1.0 }
  if #shifts == 2 then for k = 1, #cuts do cuts[#cuts + 1] = { segment = cuts[k].segment + count, part = cuts[k].part } end end
  return cuts
end

--- The motion cut anew.
function arc_cuts.cut(problem, y)
  local flights = flights_along(problem, y)
  local cuts, nodes = ends_along(problem, y, flights), { segments.node(problem, y, 1) }
  for a = 2, #cuts do
    local stop = cuts[a - 1]
    local x = stop.part == 1 and flights[stop.segment].after or flights[stop.segment].at(stop.part)
    nodes[a] = problem.space.point(x, table.move(y, #problem.space.kept + 1, problem.space.n, 1, {}))
  end
  return segments.joined(problem, nodes, cuts)
end

-- How much the end of each arc changes with its start
local function growth_of(problem, point)
  local list, n = {}, problem.space.n
  for a, changes in ipairs(point.extra.all_changes) do
    list[a] = 0
    for _, u in ipairs(a == 1 and point.directions.closing or point.directions.nodes[a]) do
      local sum = {}
      for e = 1, n do sum[e] = 0.0 end
      for k, d in ipairs(point.directions) do
        -- a change of a node is one of its own directions; a change of the start is made of several
        local part = 0.0
        if a == 1 and not d.node then part = tangent.dot(u, d) elseif d.node == a then part = tangent.dot(u, table.move(d, (a - 1)*n + 1, a*n, 1, {})) end
        if part ~= 0 and changes[k] then
          local factor = part/(a == 1 and 1 or math.sqrt(segments.count(point.y)))
          for e = 1, n do sum[e] = sum[e] + factor*changes[k][e] end
        end
      end
      list[a] = math.max(list[a], math.sqrt(tangent.dot(sum, sum)))
    end
  end
  return list
end

--- The same motion cut otherwise, where an arc of the point grows too much or all of them hardly grow; nil: it stays as it is.
function arc_cuts.refitted(problem, point)
  local most, sum = 0, 0
  local growth = growth_of(problem, point)
  for _, value in ipairs(growth) do most, sum = math.max(most, value), sum + math.log(math.max(1, value)) end
  local few = #growth > 1 and sum < math.max(math.log(WHOLE)/2, (#growth - 2)*math.log(PART)/2)
  if most <= WHOLE and not few then return nil end
  local new = arc_cuts.cut(problem, point.y)
  return segments.count(new) ~= segments.count(point.y) and new or nil
end

return arc_cuts
