-- chart/settling.lua: has a motion settled, and on which points? Read off its points in the first quarter and in the last half of the time.
--
-- Points: of a section, of a stroboscope, or, without either, where coordinates turn to and fro (q' = 0), which are the same for all motions on a periodic
-- orbit, wherever they start; of an angle that turns on, two places in a turn. Angles are compared up to whole turns (turns.lua, `whole`). A motion has
-- settled if its points in three windows, of which each overlaps the next, are the same: over the last quarter of the time, or over the last half, which
-- periods longer than an eighth of the time need. It has come from elsewhere if its first points are not among the last
-- ones, or its start lies off the last path: a strong attraction brings a motion there before its first point. Both together need a contraction: a slow
-- spiral that changes by less than a tenth of the radius over an eighth of the time has changed by less than the radius since its start, and one that does
-- both is within about the radius of its end. That holds of exponential approaches. A motion that creeps one way like a power of the time, or ever faster,
-- may be far from its end, or at a bottleneck through which it passes: it has not settled.
local durations = require "hamel.model.durations"
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local turns = require "hamel.chart.turns"

local fail = object.fail
local settling = {}

local SAME = 0.1                        -- of the radius: what a settled motion changes by from a window to the next
local EARLY, LATE, MANY = 8, 32, 128     -- states that are looked at in the first quarter, and in the last half without and with a section
local RESOLVED, FAR = 0.1, 0.25         -- of the extent: how near late states are to each other where they show the whole path; what is off the path
local ASIDE, GROWS = 0.05, 5            -- of the extent: what is beside the path at the same time before a point; by how much that of the point may have grown
local RESOLVED_BY = 0.02                -- of the extent: by how much the way between two states may differ from what their velocities say
local ROUNDED = 1e-13                   -- of the size: an extent that may be rounding
local CREEPS, SLOWEST = 1e-5, 5.5       -- of what a settled motion changes by; powers of e in the whole time by which an exponential approach shrinks at least
local STEPS = 8                         -- points of a sequence that tell that it goes one way
local FASTER = 0.25                     -- of the mean speed over the whole run: that of what goes on in the last half, at least
local EVENLY = 0.82                     -- of its way at a constant speed: what a coordinate makes later that goes on; like a power of the time it makes less
local MOST = 250                        -- points of a stroboscope in each window
local FEWEST, BETWEEN = 4, 12           -- the same; states that are looked at between two of them

-- ---- the windows of a run: the first quarter, and three over the last quarter and three over the last half; each holds lists of states by kinds of points

-- times: of points, and of the states that were looked at
-- late: the part of the time that the last half is
local function windows(late) return { first = {}, spans = { { {}, {}, {} }, { {}, {}, {} } }, times = {}, late = late } end

local function add(window, kind, point)
  window[kind] = window[kind] or {}
  table.insert(window[kind], point)
end

-- Puts a point into its windows. s: its place in the run, 0 at the start and 1 at the end; half: where the last half begins
local function place(all, kind, point, s, half)
  if s <= 0.25 then add(all.first, kind, point) end
  for i, from in ipairs{ (1 + half)/2, half } do
    local late = 4*(s - from)/(1 - from)
    for k = 1, 3 do if late >= k - 1 and late <= k + 1 then add(all.spans[i][k], kind, point) end end
  end
end

-- Times at which states are looked at: near the start, in the first quarter, in the last half
local function look_times(t0, t1, half, late)
  local times = { t0 + 1e-6*(t1 - t0) }
  table.move(points.times_within(t0 + 1e-3*(t1 - t0), t0 + (t1 - t0)/4, EARLY), 1, EARLY, 2, times)
  return table.move(points.times_within(t0 + half*(t1 - t0), t1, late), 1, late, #times + 1, times)
end

-- Where points come from: settings of a sweep, and a function that reads the windows of a row, the states that were looked at, and how many of these are early
local function by_measures(system, settings, columns, t0, t1, half, kinds)
  local _, list = points.states(system)
  local times = look_times(t0, t1, half, kinds.turns and LATE or MANY)
  local take, names = points.at_times(system, settings, times, columns)
  local wanted = table.move(list, 1, #list, 1, {})
  wanted[#wanted + 1] = symbols.t
  for k, kind in ipairs(kinds) do settings.keep["_met" .. k] = measures.points(kind.when, kind.direction, wanted, t0) end
  return function(row)
    local all = windows(1 - half)
    for k in ipairs(kinds) do
      for _, met in ipairs(row["_met" .. k] or {}) do
        local t = table.remove(met)
        all.times[met] = t
        place(all, k, met, (t - t0)/(t1 - t0), half)
      end
      row["_met" .. k] = nil
    end
    take(row)
    local looks = row.points
    row.points = nil
    for k, look in ipairs(looks) do all.times[look] = #looks == #times and times[k] or nil end
    return all, looks, EARLY + 1
  end, names
end

local function by_turns(system, settings, columns, t0, t1, half)
  local names = points.states(system)
  local kinds, marks = { turns = true }, turns.marks(system)
  for i, name in ipairs(names) do
    local q = system._coordinate[name]
    if q then kinds[#kinds + 1] = { when = q.dot, direction = "both", place = i } end
    if marks[name] then kinds[#kinds + 1] = { when = marks[name], direction = "both", place = i, mark = true } end
  end
  local take = by_measures(system, settings, columns, t0, t1, half, kinds)
  return take, kinds
end

local function by_section(system, settings, columns, t0, t1, half, section)
  local given = points.checked_section("chart", section)
  local kinds = { { when = given.when, direction = given.direction } }
  local take = by_measures(system, settings, columns, t0, t1, half, kinds)
  return take, kinds
end

-- Times of the stroboscope: `each` points from the start on, and twice as many up to the end. Between the first two and the last two points of all, BETWEEN
-- states each are looked at, which tell how far the motion moves: where it repeats with the stroboscope its points differ by errors alone
local function stroboscope_times(period, t0, t1, half)
  local count = math.floor((t1 - t0)/period + 1e-9)
  local late = count - math.max(math.ceil(half*count), 1) + 1
  local each = math.min(MOST, late//2)
  if each < FEWEST then return nil, count end
  local times = { t0 + 1e-9*period }
  local function add_looks(from)
    local looks = points.times_within(from, from + period, BETWEEN + 1)
    table.move(looks, 1, BETWEEN, #times + 1, times)
  end
  add_looks(t0 + 1e-9*period)
  for k = 2, each do times[#times + 1] = math.max(t0 + (k - 1)*period, times[#times]) end
  for k = count - 2*each + 1, count - 1 do times[#times + 1] = math.max(t0 + k*period, times[#times]) end
  add_looks(math.max(t0 + (count - 1)*period, times[#times]))
  times[#times + 1] = math.max(t0 + count*period, times[#times])
  return times
end

local function by_stroboscope(system, settings, t0, t1, half, period, varies, columns)
  local take = points.at_stroboscope(system, settings, columns, t1, period, varies, function(T)
    local times, count = stroboscope_times(T, t0, t1, half)
    if times then return times end
    fail("chart: %d points of the stroboscope %g in the whole time; of = \"basin\" needs %d in the last half: take a longer t", count, T, 2*FEWEST)
  end)
  return function(row)
    take(row)
    local all, list = windows(), row.points
    row.points = nil
    -- a run that has ended before has no verdict
    if #list <= 2*BETWEEN + 1 then return all, {}, 0 end
    all.between = table.move(list, 2, 1 + BETWEEN, 1, {})
    table.move(list, #list - BETWEEN, #list - 1, BETWEEN + 1, all.between)
    list[#list - BETWEEN] = list[#list]
    table.move(list, 2 + BETWEEN, #list - BETWEEN, 2)
    local total = #list - 2*BETWEEN
    local each = total//3
    all.late = (list[total].t - list[each + 1].t)/(t1 - t0)
    for k = 1, total do
      local point = list[k]
      if k <= each then add(all.first, 1, point) else place(all, 1, point, 0.5 + 0.5*(k - each - 1)/(2*each - 1), 0.5) end
    end
    return all, {}, 0
  end, { {} }
end

--- Settings of a sweep from which the windows of rows are read, and a function that does so. half: where the last half begins, at least 1/2.
--- Second result: the kinds of points.
function settling.prepare(system, o, settings, t0, t1, columns)
  local half = math.max(0.5, o.skip/(t1 - t0))
  if o.section then return by_section(system, settings, columns, t0, t1, half, o.section) end
  if not o.stroboscope then return by_turns(system, settings, columns, t0, t1, half) end
  local period, varies = durations.of("chart", "stroboscope", system, o.stroboscope)
  return by_stroboscope(system, settings, t0, t1, half, period, varies, columns)
end

-- ---- verdicts

-- The nearest point of a list, or one that is near enough, and its distance
local function nearest(point, list, scale, enough, whole)
  local best, least
  for k = #list, 1, -1 do
    local d = points.distance(point, list[k], scale, whole)
    if not least or d < least then best, least = list[k], d end
    if least <= enough then break end
  end
  return best, least
end

-- Are all points of the kinds near points of the other window? Their differences enlarge the spread
local function is_within(one, other, kinds, scale, most, spread, whole)
  for kind in pairs(kinds) do
    for _, point in ipairs(one[kind] or {}) do
      local best, d = nearest(point, other[kind] or {}, scale, most/100, whole)
      if not best or d > most then return false end
      best = turns.near(whole, best, point)
      for i, value in ipairs(point) do spread[i] = math.max(spread[i] or 0, math.abs(value - best[i])) end
    end
  end
  return true
end

-- Does every q-th state of a list go one way, for some q, by more than `least`, and not exponentially? part: of the whole time that the list is over. Of what
-- falls like a power of the time the speed shrinks by few powers of e in the whole time, and at a bottleneck it does not shrink
local function creeps(list, part, least, scale, whole)
  local n = #list
  for q = 1, n//STEPS do
    local last, chosen = list[n], {}
    for k = n - (n - 1)//q*q, n, q do chosen[#chosen + 1] = whole and turns.near(whole, list[k], last) or list[k] end
    local m = #chosen
    local middle = (m + 1)//2
    local slow = math.exp(-SLOWEST*part/2)*(m - middle)/(middle - 1)
    for i in ipairs(last) do
      local early, later = chosen[middle][i] - chosen[1][i], chosen[m][i] - chosen[middle][i]
      local on, sign = math.abs(later) > least*scale[i] and math.abs(later) > slow*math.abs(early), later > 0 and 1 or -1
      for k = 2, on and m or 1 do on = on and sign*(chosen[k][i] - chosen[k - 1][i]) > 0 end
      if on then return true end
    end
  end
  return false
end

-- The same of the points of these kinds in a span of which the windows 1 and 3 are the halves
local function points_creep(span, set, part, least, scale, whole)
  for kind in pairs(set) do
    local list = table.move(span[1][kind] or {}, 1, #(span[1][kind] or {}), 1, {})
    for _, point in ipairs(span[3][kind] or {}) do if point ~= list[#list] then list[#list + 1] = point end end
    if creeps(list, part, least, scale, whole) then return true end
  end
  return false
end

-- Why a motion has not settled: { kind =, words = for people }
local CREEPS_ON = { kind = "creeps", words = "it still creeps one way, and not exponentially" }
local MOVES = { kind = "moves", words = "it still moves, and no coordinate turns to and fro" }
local NO_POINTS = { kind = "no points", words = "the motion does not meet the section" }
local CHANGES = { kind = "changes", words = "its last points differ from those before" }

-- Kinds of points that tell something: a coordinate that hardly swings any more turns at any time. late: states in between, since a coordinate may turn
-- on one side only, as that of a ball between its impacts. Marks of angles tell where these turn on
local function telling(span, kinds, late, scale, most, whole)
  local set = {}
  for k, kind in ipairs(kinds) do
    if not kind.place then set[k] = (span[1][k] or span[3][k]) and true or nil else
      local width = points.extent(span[1][k] or {}, span[3][k] or {}, late)[kind.place]
      local turn = whole and whole.angles[kind.place] or 0
      local least = not kind.mark and most*scale[kind.place] or turn > 0 and turn or math.huge
      if (span[1][k] or span[3][k]) and width > least then set[k] = true end
    end
  end
  return set
end

-- Each point that differs from those before it by more than the spread
local function thinned(window, kinds, spread, whole)
  local list = {}
  for kind in pairs(kinds) do
    local own = {}
    for _, point in ipairs(window[kind]) do
      local known = false
      for _, other in ipairs(own) do
        local inside, image = true, turns.near(whole, other, point)
        for i, value in ipairs(point) do inside = inside and math.abs(value - image[i]) <= spread[i] end
        if inside then known = true break end
      end
      if not known then own[#own + 1] = point end
    end
    for _, point in ipairs(own) do
      local marked = turns.reduced(whole, table.move(point, 1, #point, 1, {}))
      marked[#marked + 1] = kind
      list[#list + 1] = marked
    end
  end
  return list
end

-- A motion whose coordinates do not swing any more: at rest, or it still moves. late: the last of the states that were looked at, `looks`
local function at_rest(looks, late, scale, most, whole)
  if #late == 0 then return nil end
  local last, approached, spread, images = turns.reduced(whole, table.move(late[#late], 1, #late[#late], 1, {})), false, {}, {}
  for k, state in ipairs(late) do images[k] = turns.near(whole, state, last) end
  for i in ipairs(last) do
    spread[i] = 0
    for _, state in ipairs(images) do spread[i] = math.max(spread[i], math.abs(state[i] - last[i])) end
    if spread[i] > most*scale[i] then return nil end
  end
  for i, value in ipairs(turns.near(whole, looks[1], last)) do approached = approached or math.abs(value - last[i]) > most/SAME*scale[i] end
  last[#last + 1] = 0
  return { points = { last }, spread = spread, approached = approached, rests = late[#late], scale = scale }
end

-- How far a value is outside of a range, of an angle whole turns away from it where that is less
local function outside(value, low, high, turn)
  local middle = (low + high)/2
  local off = value - middle
  if turn > 0 then off = turns.less(off, turn) end
  return math.abs(off) - (high - low)/2
end

-- Does the start lie off the path of the late motion, which may have been reached before the first point? Outside of the range of a coordinate, whose ends
-- are turning points, or far from all late states where these show the path
local function starts_off(start, late, lists, kinds, scale, radius, whole)
  if not start or #late == 0 then return false end
  local low, high = {}, {}
  for _, list in ipairs(lists) do
    for _, state in ipairs(list) do
      for i in ipairs(start) do low[i], high[i] = math.min(low[i] or state[i], state[i]), math.max(high[i] or state[i], state[i]) end
    end
  end
  local free = turns.free_places(whole)
  for _, kind in ipairs(kinds) do
    local i = kind.place
    if i and not free[i] and outside(start[i], low[i], high[i], whole and whole.angles[i] or 0) > radius*scale[i] then return true end
  end
  for k, state in ipairs(late) do
    local others = table.move(late, k + 1, #late, k, table.move(late, 1, k - 1, 1, {}))
    local _, d = nearest(state, others, scale, RESOLVED, whole)
    if not d or d > RESOLVED then return false end
  end
  local _, d = nearest(start, late, scale, 0, whole)
  return d > FAR
end

-- The first of the points in the first quarter, and its kind; nil: there is none, or its time is not known
local function first_met(first, kinds, times)
  local best, of
  for kind in pairs(kinds) do
    for _, point in ipairs(first[kind] or {}) do
      if times[point] and (not best or times[point] < times[best]) then best, of = point, kind end
    end
  end
  return best, of
end

-- The times, in order, of the late points that are as near to a point as the nearest one is, and how near these are
local function times_near(point, windows_of, kind, times, scale, most, whole)
  local distance, known, list, near = {}, {}, {}, math.huge
  for _, window in ipairs(windows_of) do
    for _, other in ipairs(window[kind] or {}) do
      if not known[other] then
        known[other], list[#list + 1] = true, other
        distance[other] = points.distance(point, other, scale, whole)
        near = math.min(near, distance[other])
      end
    end
  end
  local at, worst = {}, 0
  for _, other in ipairs(list) do
    if distance[other] <= math.max(most, 2*near) then at[#at + 1], worst = times[other], math.max(worst, distance[other]) end
  end
  table.sort(at)
  return at, worst
end

-- Of states at times after, and before, the nearest of the given times: those nearest to it, and how far from it
local function around(targets, states, times)
  local before, after, less, more
  local k = 1
  for _, state in ipairs(states) do
    local t = times[state]
    while targets[k + 1] and targets[k + 1] <= t do k = k + 1 end
    if targets[k] <= t and (not more or t - targets[k] < more) then after, more = state, t - targets[k] end
    local ahead = targets[k] > t and targets[k] or targets[k + 1]
    if ahead and (not less or ahead - t < less) then before, less = state, ahead - t end
  end
  return before, less, after, more
end

-- Do two states show the path between them? Then each coordinate has gained what its velocities at both say: else it has swung in between
local function show_path(one, other, time, pairs_of, scale)
  for _, pair in ipairs(pairs_of) do
    local q, v = pair[1], pair[2]
    if math.abs(other[q] - one[q] - time*(one[v] + other[v])/2) > RESOLVED_BY*scale[q] then return false end
  end
  return #pairs_of > 0
end

-- Was the motion elsewhere when it was so long before its first point as the late motion is before each such point? Between two late states, one a little
-- earlier and one a little later in that sense, the late path lies near both. The distance counts as far as these differ, and as the first point is off
local function came_to_first_point(start, late, all, span, kinds, scale, radius, whole, pairs_of)
  local times = all.times
  local met, kind = first_met(all.first, kinds, times)
  if not met or not start or not times[start] or times[met] <= times[start] then return false end
  local targets, off = times_near(met, span, kind, times, scale, SAME*radius, whole)
  for k, t in ipairs(targets) do targets[k] = t - (times[met] - times[start]) end
  if #targets == 0 or off > radius then return false end
  local before, less, after, more = around(targets, late, times)
  if not before or not after then return false end
  local one, other = turns.near(whole, before, start), turns.near(whole, after, start)
  if not show_path(one, other, less + more, pairs_of, scale) then return false end
  local apart, width, share = 0, 0, less + more > 0 and less/(less + more) or 0
  for i, value in ipairs(start) do
    apart = math.max(apart, math.abs(value - one[i] - share*(other[i] - one[i]))/scale[i])
    width = math.max(width, math.abs(one[i] - other[i])/scale[i])
  end
  return apart > ASIDE + width + GROWS*off
end

-- A coordinate, of those at the places `open`, that goes on: it only grows, or only shrinks, over a list of states, by more than `least` of each, and in the
-- later half hardly less
local function going_on(list, open, least)
  local n = #list
  for _, i in ipairs(n >= 4 and open or {}) do
    local whole = list[n][i] - list[1][i]
    local sign = whole > 0 and 1 or -1
    local on = math.abs(whole) > least[i]
    for k = 2, on and n or 1 do on = on and sign*(list[k][i] - list[k - 1][i]) > 0 end
    if on and sign*(list[n][i] - list[n//2][i]) > EVENLY*(n - n//2)/(n - 1)*sign*whole then return i end
  end
  return nil
end

-- part: of the whole time that the span is over
local function over_span(span, part, all, kinds, looks, from, scale, radius, whole, pairs_of)
  local first = all.first
  local most, late = SAME*radius, table.move(looks, from, #looks, 1, {})
  local set = telling(span, kinds, late, scale, most, whole)
  if next(set) == nil then
    local rest = at_rest(looks, late, scale, most, whole)
    if rest and creeps(late, part, CREEPS*most, scale, whole) then return nil, CREEPS_ON end
    if rest then return rest end
    return nil, kinds.turns and MOVES or NO_POINTS
  end
  local spread = {}
  for _, pair in ipairs{ { 1, 3 }, { 3, 1 }, { 2, 3 }, { 3, 2 }, { 1, 2 }, { 2, 1 } } do
    if not is_within(span[pair[1]], span[pair[2]], set, scale, most, spread, whole) then return nil, CHANGES end
  end
  if points_creep(span, set, part, CREEPS*most, scale, whole) then return nil, CREEPS_ON end
  -- the last quarter may have too few points to tell
  if span ~= all.spans[2] and points_creep(all.spans[2], set, all.late, CREEPS*most, scale, whole) then return nil, CREEPS_ON end
  local lists = { late }
  for kind in pairs(set) do lists[#lists + 1] = span[3][kind] end
  return { points = thinned(span[3], set, spread, whole), spread = spread,
           approached = not is_within(first, span[3], set, scale, radius, {}, whole)
             or starts_off(looks[1], late, lists, kinds, scale, radius, whole)
             or came_to_first_point(looks[1], late, all, span, set, scale, radius, whole, pairs_of) }
end

-- The places of coordinates and of their velocities among the states
local function with_velocities(names)
  local at, list = {}, {}
  for i, name in ipairs(names) do at[name] = i end
  for i, name in ipairs(names) do if at[name .. "'"] then list[#list + 1] = { i, at[name .. "'"] } end end
  return list
end

-- Does a motion move, but by less than distances of states are relative to, so that it is not seen where it comes from?
local function is_faint(extent, size, scale)
  for i, width in ipairs(extent) do if width > ROUNDED*size[i] and width < scale[i] then return true end end
  return false
end

--- What a motion settles on: { points = states with the kind of the point behind (0: rest), spread = by how much each state still changes, approached =
--- does it come from elsewhere?, faint = does it move by less than tolerances tell? }; nil and why where it has not settled: { kind = "creeps", "moves",
--- "no points" or "changes", goes_on = a coordinate that does, words = for people }. radius: relative to the extent of the motion. about: { names = of the
--- states, open = places of coordinates that are not known to be angles, part = see points.least_part }
function settling.verdict(all, looks, early, kinds, radius, least, whole, about)
  local lists = { looks, all.between }
  for _, window in ipairs{ all.first, table.unpack(all.spans[2]) } do for _, list in pairs(window) do lists[#lists + 1] = list end end
  local extent, size = points.extent(table.unpack(lists))
  turns.bound(whole, extent, size)
  local scale, why, pairs_of = points.scale(extent, size, least, about.part), nil, with_velocities(about.names)
  for i, span in ipairs(all.spans) do
    local found
    found, why = over_span(span, all.late*i/2, all, kinds, looks, early + 1 + (2 - i)*(#looks - early)//2, scale, radius, whole, pairs_of)
    if found then
      found.faint = is_faint(extent, size, scale)
      return found
    end
  end
  local late = table.move(looks, early + 1, #looks, 1, {})
  for k = 1, #late == 0 and #kinds or 0 do late = all.spans[2][2][k] or late end
  local on = why ~= CREEPS_ON and going_on(late, about.open, tangent.scaled(extent, FASTER*all.late))
  if not on and why ~= NO_POINTS and creeps(late, all.late, CREEPS*SAME*radius, scale, whole) then why = CREEPS_ON end
  if not on then return nil, why end
  return nil, { kind = why.kind, goes_on = about.names[on], words = ("%s%s goes on"):format(kinds.turns and "" or why.words .. ": ", about.names[on]) }
end

return settling
