-- arcs.lua: parts of a motion with events from node to node: the modes are flown one after the other, for parts of their durations.
--
-- A problem has problem.segments (the modes: flow, guard and reset of the event that ends each), problem.spaces (the points of each mode), problem.first
-- (place of the first duration). y.cuts holds the ends of the arcs, { segment = i, part = of its duration }; part 1 is behind the event.
local guards = require "hamel.analysis.nonsmooth.guards"
local object = require "hamel.base.object"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local arcs = {}

local BACK = 0.1                       -- of the period: how far a flight may go back

local function stop_of(problem, y, a)
  if not y.cuts then return problem.count, 1.0 end
  return y.cuts[a].segment, y.cuts[a].part
end

--- The mode in which an arc starts, by its number, and the part of its duration that is over.
function arcs.start(problem, y, a)
  if a == 1 then return 1, 0.0 end
  local i, part = stop_of(problem, y, a - 1)
  if part == 1 then return i + 1, 0.0 end
  return i, part
end

--- The pieces of an arc in order: { segment = number of the mode, from, to = parts of its duration }; the event follows the part 1.
function arcs.pieces(problem, y, a)
  local i, from = arcs.start(problem, y, a)
  local last, to = stop_of(problem, y, a)
  local list = {}
  for k = i, last do list[#list + 1] = { segment = k, from = k == i and from or 0.0, to = k == last and to or 1.0 } end
  return list
end

--- The sum of the durations before an arc, or of values that are theirs. at: a function of the number of a mode.
function arcs.before(problem, y, a, at)
  local i, part = arcs.start(problem, y, a)
  local sum = part*at(i)
  for k = 1, i - 1 do sum = sum + at(k) end
  return sum
end

--- The time at which an arc starts.
function arcs.time(problem, y, a)
  return problem:time(y) + arcs.before(problem, y, a, function(k) return y[problem.first + k - 1] end)
end

--- The state of the model at the start of an arc.
function arcs.state(problem, y, a) return problem.spaces[arcs.start(problem, y, a)].state(segments.node(problem, y, a)) end

-- How the directions at the start of an arc, its time and the durations change with the directions of a point, by their numbers
local function items_of(problem, y, a, directions)
  local items, space, n = {}, problem.spaces[arcs.start(problem, y, a)], problem.space.n
  for k, u in ipairs(directions) do
    local part, dtau, any = segments.part_at(problem, y, u, a), {}, false
    for i = 1, problem.count do
      dtau[i] = u.node and 0.0 or u[problem.first + i - 1]*problem.space.scale[problem.first + i - 1]
      any = any or dtau[i] ~= 0
    end
    local dt = problem.driven and not u.node and u[problem.time_place]*problem.space.scale[problem.time_place] or 0.0
    if part or any or dt ~= 0 then
      if not part then
        part = {}
        for i = 1, n do part[i] = 0.0 end
      end
      items[#items + 1] = { number = k, d = space.whole(part), dt = dt + arcs.before(problem, y, a, function(i) return dtau[i] end), dtau = dtau }
    end
  end
  return items
end

-- The changes of state and time of items, by the numbers of the directions
local function changes_of(items)
  local list = {}
  for _, item in ipairs(items) do list[item.number] = { d = item.d, dt = item.dt } end
  return list
end

--- Flies an arc: its end as a state of the model, the time there, how it changes with the directions of the point (by their numbers), and what the guards
--- on the way miss: { number of the mode -> { value =, changes = by the numbers of the directions } }.
--- visit(piece, t, last, speed, quicker): called behind each piece, which is then a part of a record, too (whole_records.lua), with the velocity of
--- approach of an impact, and what this changes by with the directions, by their numbers.
function arcs.flown(problem, y, a, directions, visit)
  local x, t, items, met = arcs.state(problem, y, a), arcs.time(problem, y, a), items_of(problem, y, a, directions), {}
  for _, piece in ipairs(arcs.pieces(problem, y, a)) do
    local segment = problem.segments[piece.segment]
    local flow, part, tau = segment.flow, piece.to - piece.from, y[problem.first + piece.segment - 1]
    -- a trial may step over the place where two events fall together
    if not (tau > -BACK*problem:period(y)) then fail("the time before an event would be %.3g", tau) end
    local rate, whole = #items > 0 and guards.rate(flow, t, x), {}
    for k, item in ipairs(items) do whole[k] = guards.added(item.d, rate, -item.dt, flow.size) end
    local begun = visit and changes_of(items)
    local last, carried, record = flow:run(t, t + part*tau, x, whole, visit ~= nil)
    t = t + part*tau
    local end_rate = guards.rate(flow, t, last)
    for k, item in ipairs(items) do
      item.dt = item.dt + part*item.dtau[piece.segment]
      item.d = guards.added(carried[k], end_rate, item.dt, flow.size)
    end
    if visit then
      piece.flow, piece.raw, piece.numbers, piece.begun, piece.ended = flow, record.raw, {}, begun, changes_of(items)
      for k, item in ipairs(items) do piece.numbers[k] = item.number end
    end
    if piece.to == 1 then
      local value, gradient, slope = segment.guard(t, last)
      local after, carry, speed, quicker = segment.reset(t, last)
      local speeds = {}
      met[piece.segment] = { value = value, changes = {} }
      for _, item in ipairs(items) do
        if visit and quicker then speeds[item.number] = quicker(item.d, item.dt) end
        met[piece.segment].changes[item.number] = tangent.dot(gradient, item.d) + slope*item.dt
        item.d = carry(item.d, item.dt)
      end
      if visit then visit(piece, t, last, speed, speeds) end
      x = after
    else
      if visit then visit(piece, t, last) end
      x = last
    end
  end
  local closing = a == segments.count(y)
  local places, changes = closing and signs.turned_over(problem.flow, problem.space.state(y), x) or {}, {}
  for _, item in ipairs(items) do
    changes[item.number] = problem.space.part(signs.over(table.move(item.d, 1, #item.d, 1, {}), places))
  end
  return signs.over(table.move(x, 1, #x, 1, {}), places), t, changes, met
end

return arcs
