-- segments.lua: multiple shooting: a periodic motion cut into segments, each flown from a node of its own.
--
-- A point of a cut motion is the point of the start, then a point of the same length for each node; y.cuts holds the ends of the segments (nil: one
-- segment), as parts of the period for smooth motions; of motions with events see arcs.lua. Entries that are no states (parameters, the period, turns)
-- are unknowns at the start alone; the nodes repeat them. A motion is cut where small changes grow so much that rounding at the start would spoil the end.
-- A problem gives problem.space, problem.places (of the parameters), and for a node on its constraints
--   problem:node_moved(y, i, node, part)   the node i of y, whose repeated entries are new, changed by the direction `part`
--   problem:node_rows(y, i)                rows of the constraints there
-- Source: Ascher, Mattheij and Russell, Numerical solution of boundary value problems for ordinary differential equations (1995), 4.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local segments = {}

local WHOLE, PART = 1e4, 1e3           -- growth up to which a motion is one segment, and of a segment of a cut one
local TURNS = 20                       -- periods of the fastest mode in a segment
local CHANGED = 0.2                    -- of the logarithm of the period
local GRID, MOST = 128, 64             -- places of cuts; segments

--- The number of segments of a point.
function segments.count(y) return y.cuts and #y.cuts or 1 end

--- The parts of the period between which the segment i lies.
function segments.span(y, i)
  if not y.cuts then return 0.0, 1.0 end
  return i == 1 and 0.0 or y.cuts[i - 1], y.cuts[i]
end

local function slice(list, i, n) return table.move(list, (i - 1)*n + 1, i*n, 1, {}) end

--- The node of the segment i as a point of one segment.
function segments.node(problem, y, i) return slice(y, i, problem.space.n) end

-- Nodes count less the more there are, so that the length of a step says the same for any number of segments
local function weight(y) return math.sqrt(segments.count(y)) end

-- Places of the entries that nodes repeat
local function repeated(problem)
  local list = table.move(problem.places, 1, #problem.places, 1, {})
  for i = #problem.space.kept + 1, problem.space.n do list[#list + 1] = i end
  return list
end

--- f with the flow at the time of the segment i of a smooth motion.
function segments.at_time(problem, y, i, f, ...)
  local flow = problem.flow
  local t = flow.t
  flow.t = t + segments.span(y, i)*problem:period(y)
  local fine, result = attempt(f, ...)
  flow.t = t
  if not fine then error(result, 0) end
  return result
end

--- The point with these nodes, points of one segment. cuts: see above.
function segments.joined(problem, nodes, cuts)
  local y = {}
  for _, node in ipairs(nodes) do
    for _, place in ipairs(repeated(problem)) do node[place] = nodes[1][place] end
    table.move(node, 1, problem.space.n, #y + 1, y)
  end
  y.cuts = #nodes > 1 and cuts or nil
  return y
end

--- y changed by a direction, all nodes back on the constraints.
function segments.moved(problem, y, d)
  if not y.cuts then return problem.space.moved(y, d) end
  local n, nodes, factor = problem.space.n, {}, weight(y)
  nodes[1] = problem.space.moved(slice(y, 1, n), slice(d, 1, n))
  for i = 2, #y.cuts do
    local node, part = slice(y, i, n), slice(d, i, n)
    for _, place in ipairs(repeated(problem)) do node[place] = nodes[1][place] end
    for k = 1, n do part[k] = factor*part[k] end
    nodes[i] = problem:node_moved(y, i, node, part)
  end
  return segments.joined(problem, nodes, y.cuts)
end

--- The direction from one point to another; over the start alone where they are cut differently.
function segments.difference(problem, to, from)
  local n, all = problem.space.n, problem.space.difference(to, from)
  if not from.cuts or to.cuts ~= from.cuts then return all end
  local factor = weight(from)
  for i = 2, #from.cuts do
    local part = problem.space.difference(slice(to, i, n), slice(from, i, n))
    for k = 1, n do all[#all + 1] = part[k]/factor end
  end
  return all
end

--- The states along a motion that a guess gives, its start first, { q, v, t = a number }: guess.segments = { { t =, q =, v = }, ... } holds the others.
function segments.given(guess, period)
  local t = options.number(guess.t or 0) + 0.0
  local list = { { q = guess.q, v = guess.v, t = t } }
  if type(guess.segments or {}) ~= "table" then fail("continue: segments = { { t =, q =, v = }, ... }, states along the motion") end
  for i, at in ipairs(guess.segments or {}) do
    if type(at) ~= "table" or not at.q or not options.number(at.t) then fail("continue: segments = { { t =, q =, v = }, ... }: number %d lacks t or q", i) end
    local here = options.number(at.t) + 0.0
    if not (here > list[i].t and here < t + period) then
      fail("continue: segments: the time %.9g of number %d is not between those of its neighbours within the period", here, i)
    end
    list[i + 1] = { q = at.q, v = at.v, t = here }
  end
  return list
end

-- ---- directions

-- How a node moves at least, so that it stays on the constraints (rows) while entries that it repeats change by the direction u of the start
local function followed(rows, u, own)
  local list, G, side, m = {}, {}, {}, #rows
  for i = 1, #u do list[i] = 0.0 end
  local any = false
  for a, row in ipairs(rows) do
    side[a] = 0.0
    for i in ipairs(u) do if not own[i] then side[a] = side[a] - row[i]*u[i] end end
    any = any or side[a] ~= 0
    for b = 1, m do
      local sum = 0.0
      for i in pairs(own) do sum = sum + row[i]*rows[b][i] end
      G[#G + 1] = sum
    end
  end
  if not any then return list end
  local factors = core.least_squares(m, m, G, side, 1e-12)
  for a, row in ipairs(rows) do for i in pairs(own) do list[i] = list[i] + factors[a]*row[i] end end
  return list
end

-- A direction that is the part d in the block i of `count` blocks; others beside it
local function placed(d, i, count, others)
  local list, n = {}, #d
  for k = 1, count do
    local part = k == i and d or others and others[k]
    for e = 1, n do list[#list + 1] = part and part[e] or 0.0 end
  end
  return list
end

--- The directions of a cut point: those of the start (base), and those of each node (list.nodes[i]) over the block of the node; each knows its node.
function segments.directions(problem, y, base, before)
  if not y.cuts then
    base.base = base
    return base
  end
  local n, count, own = problem.space.n, #y.cuts, {}
  for i = 1, #problem.space.kept do own[i] = true end
  for _, place in ipairs(repeated(problem)) do own[place] = nil end
  local list, factor, rows = { base = base, closing = base.closing, nodes = {} }, weight(y), {}
  for i = 2, count do
    rows[i] = problem:node_rows(y, i)
    local held = table.move(rows[i], 1, #rows[i], 1, {})
    for _, place in ipairs(repeated(problem)) do held[#held + 1] = states.axis(place, n) end
    list.nodes[i] = states.directions(held, n, before and before.nodes and #before.nodes == count and before.nodes[i] or nil)
  end
  -- so that # counts all segments
  list.nodes[1] = base
  for k, u in ipairs(base) do
    local others = {}
    for i = 2, count do
      others[i] = followed(rows[i], u, own)
      for e = 1, n do others[i][e] = others[i][e]/factor end
    end
    list[k] = placed(u, 1, count, others)
  end
  for i = 2, count do
    for _, w in ipairs(list.nodes[i]) do
      local d = placed(w, i, count)
      d.node = i
      list[#list + 1] = d
    end
  end
  return list
end

-- ---- shooting

--- Rates over all states of a flow.
function segments.rate(flow, t, x)
  flow.w:set_state(t, x)
  return flow.w:rate()
end

--- The direction d at the start of the segment i, over the entries of a point; nil: the segment does not start otherwise along it.
function segments.part_at(problem, y, d, i)
  local n = problem.space.n
  if i == 1 then return not d.node and slice(d, 1, n) or nil end
  if d.node and d.node ~= i then return nil end
  local part, factor, any = slice(d, i, n), weight(y), d.node ~= nil
  for k = 1, n do part[k] = factor*part[k] end
  if not d.node then
    for _, place in ipairs(problem.places) do part[place] = d[place] end
    for k = 1, n do any = any or part[k] ~= 0 end
  end
  return any and part or nil
end

--- Flies the segment i: its end as a state of the model, and the changes of the end with the directions, by their numbers; the record;
--- { from, to = the times of the ends, longer = by how much of a longer period the segment grows, numbers = of the directions that are carried in the
--- record }. longer: the change of the period with each direction.
function segments.flown(problem, y, i, directions, longer, dense)
  local flow, space, period = problem.flow, problem.space, problem:period(y)
  local from, to = segments.span(y, i)
  local x = space.state(segments.node(problem, y, i))
  local t0, t1 = flow.t + from*period, flow.t + to*period
  local numbers, wholes = {}, {}
  local at_start = from > 0 and not problem.period_place and #directions > 0 and segments.rate(flow, t0, x)
  for k, d in ipairs(directions) do
    local part = segments.part_at(problem, y, d, i)
    if part or longer[k] ~= 0 then
      local whole = part and space.whole(part) or space.whole(states.axis(0, space.n))
      -- a driven segment starts at another time, too
      if at_start and longer[k] ~= 0 then for s = 1, flow.size do whole[s] = whole[s] - from*longer[k]*at_start[s] end end
      numbers[#numbers + 1], wholes[#wholes + 1] = k, whole
    end
  end
  local last, carried, record = flow:run(t0, t1, x, wholes, dense)
  local changes = {}
  for a, k in ipairs(numbers) do changes[k] = carried[a] end
  return last, changes, record, { from = t0, to = t1, longer = problem.period_place and to - from or to, numbers = numbers }
end

--- Adds the conditions that each segment but the last ends at the next node. lasts: the ends of the segments as directions; all_changes: how they change with
--- the directions, by their numbers.
function segments.add_joints(problem, y, directions, lasts, all_changes, F, rows)
  local n, factor = problem.space.n, weight(y)
  for i = 1, segments.count(y) - 1 do
    local node, gap, changes = problem.space.part(problem.space.state(segments.node(problem, y, i + 1))), {}, all_changes[i]
    for e = 1, n do gap[e] = lasts[i][e] - node[e] end
    for _, u in ipairs(directions.nodes[i + 1]) do
      local row = {}
      for k, d in ipairs(directions) do
        row[k] = changes[k] and tangent.dot(u, changes[k]) or 0.0
        if not d.node or d.node == i + 1 then
          for e = 1, n do if u[e] ~= 0 then row[k] = row[k] - factor*u[e]*d[i*n + e] end end
        end
      end
      F[#F + 1], rows[#rows + 1] = tangent.dot(u, gap), row
    end
  end
end

-- ---- where to cut

-- Angular frequency of the fastest mode at a state
local function fastest(flow, t, x)
  flow.w:set_state(t, x)
  local flat, size, rows, most = flow.w:jacobian(), flow.model:state_size(), {}, 0
  for i = 1, flow.size do rows[i] = table.move(flat, (i - 1)*size + 1, (i - 1)*size + flow.size, 1, {}) end
  for _, e in ipairs(states.eigenvalues(rows)) do most = math.max(most, math.abs(e.im)) end
  return most
end

-- States along the motion: a function of parts of the period
local function states_along(problem, y)
  local flow, period, records = problem.flow, problem:period(y), {}
  for i = 1, segments.count(y) do
    local _, _, record, times = segments.flown(problem, y, i, {}, {}, true)
    records[i] = { raw = record.raw, from = times.from, to = times.to }
  end
  return function(part)
    local t = flow.t + part*period
    local found = records[1]
    for _, each in ipairs(records) do if each.from <= t then found = each end end
    return flow:split(found.raw:at(math.min(t, found.to)), 0)
  end
end

-- Unit directions of the states, but of parameters
local function unit_directions(problem)
  local flow, list, left_out = problem.flow, {}, {}
  for _, place in ipairs(problem.places) do left_out[place] = true end
  for i in ipairs(flow.kept) do
    if not left_out[i] then list[#list + 1] = problem.space.whole(states.axis(i, problem.space.n)) end
  end
  return list
end

local function size_of(problem, whole)
  local d = problem.space.part(whole)
  return math.sqrt(tangent.dot(d, d))
end

-- Ends of segments for the motion, as parts of the period; those of doubled motions are the same in both halves. at: states along the motion
local function cuts_along(problem, y, at)
  local flow, period, halves = problem.flow, problem:period(y), problem.simple and { 0.0, 0.5 } or { 0.0 }
  local cuts, carried, since, fast = {}, {}, 0, 0
  local units = unit_directions(problem)
  for step = 1, GRID do
    local low, high = (step - 1)/GRID/#halves, step/GRID/#halves
    local growth = 0
    for h, first in ipairs(halves) do
      local t = flow.t + (first + low)*period
      local x = at(first + low)
      fast = math.max(fast, fastest(flow, t, x))
      local _, ends = flow:run(t, flow.t + (first + high)*period, x, carried[h] or units)
      carried[h] = ends
      for _, d in ipairs(ends) do growth = math.max(growth, size_of(problem, d)) end
    end
    local slow = (high - since)*period*fast <= 2*math.pi*TURNS
    if (growth > PART or not slow) and step < GRID and #cuts < MOST/#halves - 1 then
      cuts[#cuts + 1], carried, since, fast = high, {}, high, 0
    end
  end
  cuts[#cuts + 1] = 1/#halves
  if #halves == 2 then for k = 1, #cuts do cuts[#cuts + 1] = 0.5 + cuts[k] end end
  return cuts
end

--- The motion cut anew; y itself where it stays as it is.
function segments.cut(problem, y)
  local at = states_along(problem, y)
  local cuts, nodes = cuts_along(problem, y, at), {}
  for i = 1, #cuts do
    nodes[i] = problem.space.point(at(i == 1 and 0.0 or cuts[i - 1]), table.move(y, #problem.space.kept + 1, problem.space.n, 1, {}))
  end
  nodes[1] = segments.node(problem, y, 1)
  return segments.joined(problem, nodes, cuts)
end

-- How much the end of each segment changes with its start
local function growth_of(problem, point)
  local list = {}
  for i, changes in ipairs(point.extra.all_changes) do
    list[i] = 0
    for k, change in pairs(changes) do
      local d, held = point.directions[k], 0
      for _, place in ipairs(problem.places) do held = math.max(held, math.abs(d[place])) end
      if (i == 1) == not d.node and held < 0.5 then
        list[i] = math.max(list[i], math.sqrt(tangent.dot(change, change))/(d.node and weight(point.y) or 1))
      end
    end
  end
  return list
end

--- The same motion cut otherwise, where a segment of the point grows too much or all of them hardly grow; nil: it stays as it is.
function segments.refitted(problem, point)
  local y, most, sum, flow = point.y, 0, 0, problem.flow
  local growth = growth_of(problem, point)
  for _, value in ipairs(growth) do most, sum = math.max(most, value), sum + math.log(math.max(1, value)) end
  local period = problem:period(y)
  -- the fastest mode is looked for again where the period has changed by much
  local fast = problem.fast
  if not fast or math.abs(math.log(period/fast.period)) > CHANGED then
    fast = { period = period, frequency = fastest(flow, flow.t, problem.space.state(y)) }
    problem.fast = fast
  end
  local turns = period*fast.frequency/(2*math.pi*TURNS)
  local few = #growth > 1 and turns < #growth - 1 and sum < math.max(math.log(WHOLE)/2, (#growth - 2)*math.log(PART)/2)
  if most <= WHOLE and not few and (#growth > 1 or turns <= 1) then return nil end
  local new = segments.cut(problem, y)
  return segments.count(new) ~= segments.count(y) and new or nil
end

return segments
