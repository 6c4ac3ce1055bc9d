-- chart/periods.lua: after how many points of a section or a stroboscope a motion repeats.
--
-- The period of a row depends on its own run alone: distances are relative to the extent of this motion. Angles are compared up to whole turns (turns.lua).
local beats = require "hamel.chart.beats"
local durations = require "hamel.model.durations"
local growth = require "hamel.chart.growth"
local keeping = require "hamel.chart.keeping"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local slowest = require "hamel.chart.slowest"
local timed = require "hamel.chart.timed"
local turns = require "hamel.chart.turns"
local unstable = require "hamel.chart.unstable"
local volumes = require "hamel.chart.volumes"

local fail = object.fail
local periods = {}

local CLOSE = 1e-6                      -- of the extent: points that are nearer are not told apart by how they come nearer
local FEWEST = 4                        -- points of which a period is read off; with fewer one return could be chance
local NEARLY = 10                       -- times `close`: a motion that settles comes as near after its period, and nearer by chance after a multiple of it
local LEAST = 48                        -- last points that are looked at
local WINDOWS, FEW_EACH = 4, 4          -- of the last points: how their distance after so many points goes on; points in each window at least
local SETTLES, NEAR = 0.8, 0.3          -- from the first window to the last one it changes by more; of the extent: what is near at all
local ALMOST, NARROW = 100, 1e-3        -- times `close`, and of the extent: a motion that comes as near after q points, all the time, drifts or is not accurate
local SURELY = 1.1                      -- times a distance: `close` that is larger for sure
local FINE_ENOUGH, LEAST_RTOL = 1e-3, 1e-14 -- times `close`: rtol whose errors are less over the points that are looked at; the least one
local WAY = 1e-5                        -- of the extent: the way of a motion that drifts, at each step
local MOST_PAIRED, APART = 96, 0.1       -- points of which any two are compared; of the extent: what is not near at all
local LATER = 0.01                      -- of the time to the next point: what is another time
local UNEVEN = 1e-3                    -- of the time between points that repeat: by how much it may differ
local LOOKS = 32                        -- times at which the extent of a motion between section points is measured

-- The number of last points of which it is read off whether a motion has settled
local function looked_at(most) return math.max(3*most, LEAST) end

local function count_of(list) return list.size > 0 and #list.flat//list.size or 0 end

-- The least period of the last points: each differs from the last one of its class by no more than `close`, so that a slow drift is none. nil: there is
-- none up to `most`, or up to half of the points
local function period_of(list, most, close, scale, whole)
  local last = count_of(list)
  for p = 1, math.min(most, last//2) do
    local repeats = true
    for k = last - p, math.max(1, last - 3*most), -1 do
      if points.distance_in(list, k, last - (last - k) % p, scale, whole) > close then repeats = false break end
    end
    if repeats then return p end
  end
  return nil
end

-- A divisor of the period p after which the motion nearly repeats: it has not settled, and p is chance. Its largest distance over `close`
local function nearly(list, p, most, close, scale, whole)
  local last = count_of(list)
  for q = 1, p//2 do
    local worst = p % q == 0 and 0 or math.huge
    for k = last - q, math.max(1, last - 3*most), -1 do
      if worst > NEARLY*close then break end
      worst = math.max(worst, points.distance_in(list, k, last - (last - k) % q, scale, whole))
    end
    if worst <= NEARLY*close then return q, worst end
  end
  return nil
end

-- Windows of the distances after q points: the largest in each; nil where one is not below `most`
local function windows_of(list, q, first, last, scale, whole, most)
  local widest, n = {}, last - q - first + 1
  for k = 0, n - 1 do
    local w, d = 1 + k*WINDOWS//n, points.distance_in(list, first + k, first + k + q, scale, whole)
    if not (d < most) then return nil end
    widest[w] = math.max(widest[w] or 0, d)
  end
  return widest
end

-- Do values fall, or rise, all the way?
local function goes_one_way(list, sign)
  for k = 2, #list do if sign*(list[k] - list[k - 1]) <= 0 then return false end end
  return true
end

-- Does one of the states go one way at each step of q points, and by more than errors? On a torus it turns, sooner or later
local function goes_on(list, q, first, last, scale, whole)
  local signs = {}
  for k = first, last - q do
    local here, there = points.of_flat(list, k), points.of_flat(list, k + q)
    there = turns.near(whole, there, here)
    local any = false
    for i, value in ipairs(here) do
      local sign = there[i] > value and 1 or there[i] < value and -1 or 0
      signs[i] = math.abs(there[i] - value) > WAY*scale[i] and (signs[i] or sign) == sign and sign or 0
      any = any or signs[i] ~= 0
    end
    if not any then return false end
  end
  return true
end

-- A number that is at least, or for sign < 0 at most, `value`, with one digit
local function of_one_digit(value, sign)
  local unit = 10.0^math.floor(math.log(value, 10))
  return (sign < 0 and math.floor(value/unit) or math.ceil(value/unit))*unit
end

-- A motion that nearly repeats after q points, each of them `largest` off: how far this adds up, and both values of `close` that decide, with tolerances whose
-- errors are less. In words
local function almost_repeats(list, q, largest, o, kept, scale, whole)
  local last, sum = count_of(list), 0
  local first = math.max(1, last - 3*o.most)
  for k = first, last - 1 do sum = math.max(sum, points.distance_in(list, k, last - (last - k) % q, scale, whole)) end
  local words = ("after %d point%s it is %.2g off, and over the last %d points %.2g%s: it has a second frequency near a fraction of the first, or drifts")
    :format(q, q == 1 and "" or "s", largest, last - first + 1, sum, o.atol and (", more than close = %g"):format(o.close) or "")
  local settles = kept and "" or ("; where it still settles, %s"):format(o.longer or beats.LONGER)
  -- a diagram takes no `close`
  if not o.atol then return words .. settles end
  local finer, with = of_one_digit(largest/(2*ALMOST), -1), " and a smaller step"
  if not methods.is_fixed(o.method) then
    with = (", rtol = %.0e, atol = %.0e"):format(of_one_digit(math.min(o.rtol, math.max(FINE_ENOUGH*finer, LEAST_RTOL)), -1),
      of_one_digit(o.atol*math.min(1, finer/o.close), -1))
  end
  return ("%s; to count it as period %d, take close = %.0e; to count it as no period, take close = %.0e%s%s"):format(words, q,
    of_one_digit(SURELY*sum, 1), finer, with, settles)
end

-- A motion without a period whose distances after q points are small and only shrink, or only grow: it comes to a motion that repeats, or leaves one. Points of
-- chaos or of a torus come as near by chance, but not nearer and nearer. Or it drifts on one way, as along a family of motions, to where it may stay. Where
-- volumes of states are kept nothing settles: there they beat slowly. Or all of these distances are tiny, though not within `close`. In words
local function unsettled(list, o, kept, scale, whole)
  local most, close = o.most, o.close
  local last, tiny = count_of(list), math.min(ALMOST*close, NARROW)
  local first = math.max(1, last - looked_at(most) + 1)
  for q = 1, math.min(most, (last - first + 1 - WINDOWS*FEW_EACH)//2) do
    local widest = windows_of(list, q, first, last, scale, whole, kept and tiny or NEAR)
    if widest then
      local one, other, largest = widest[1], widest[WINDOWS], math.max(table.unpack(widest))
      local shrinks, grows = goes_one_way(widest, -1) and other < SETTLES*one, goes_one_way(widest, 1) and one < SETTLES*other
      local after = ("after %d point%s"):format(q, q == 1 and "" or "s")
      if (shrinks or grows) and not kept then
        return ("no period, but its distance %s only %s, from %.2g to %.2g: it has not settled; %s"):format(after,
          shrinks and "shrinks" or "grows", one, other, o.longer or beats.LONGER)
      elseif largest < tiny or largest <= close then
        return almost_repeats(list, q, largest, o, kept, scale, whole)
      elseif not kept and goes_on(list, q, first, last, scale, whole) then
        return ("no period, but %s it is only a little further on, and goes one way: it drifts, and may settle; %s"):format(after, o.longer or beats.LONGER)
      end
    end
  end
  return nil
end

--- Do all points repeat within `close` times the scales of `wide`, or are they seen to come nearer to such points still, over their extent? true; or false, and
--- why, in words; nil: neither, as in chaos. Third result: after how many points the last ones repeat, if they do. list: see points.flat; o: { most =, close =,
--- rtol =, longer = what to do, in words, part = of `wide`: what counts of their extent at least, plain = is it not looked whether beats shrink? }; kept: are
--- volumes? whole: see turns.lua
function periods.settled(list, o, kept, wide, whole)
  local last, period = count_of(list), period_of(list, o.most, o.close, wide, whole)
  for k = period and last - period or 0, 1, -1 do
    if points.distance_in(list, k, last - (last - k) % period, wide, whole) > o.close then
      return false, ("its last points repeat after %d, its first ones do not yet; %s"):format(period, o.longer or beats.LONGER), period
    end
  end
  if period then return true, nil, period end
  local fine, extent, size = { most = o.most, close = math.min(o.close, CLOSE), rtol = o.rtol, longer = o.longer }, points.extent(list)
  turns.bound(whole, extent, size)
  local scale, many = points.scale(extent, size, 1e-300), last >= 2*o.most and not o.plain
  for i, width in ipairs(wide) do scale[i] = math.max(scale[i], (o.part or 0)*width) end
  local words = unsettled(list, fine, kept, scale, whole) or many and not kept and beats.shrink(list, fine, looked_at(o.most), NEAR, scale, whole)
  if words then return false, words end
  return nil
end

-- The states less what some of them, at the places `open`, gain every p points; these gains
local function without_gains(list, p, open)
  local last, flat, gains = count_of(list), table.move(list.flat, 1, #list.flat, 1, {}), {}
  for k, i in ipairs(open) do
    local at = (last - 1)*list.size + i
    gains[k] = flat[at] - flat[at - p*list.size]
    for j = 1, last do
      local place = (j - 1)*list.size + i
      flat[place] = flat[place] + (last - j)//p*gains[k]
    end
  end
  return { flat = flat, size = list.size }, gains
end

-- The coordinates, of those at the places `open`, that go on: their way from the first point to the last one is most of all that they do
local function going_on(list, extent, open)
  local going, flat, size = {}, list.flat, list.size
  for _, i in ipairs(open) do
    if extent[i] > 0 and math.abs(flat[#flat - size + i] - flat[i]) >= extent[i]/2 then going[#going + 1] = i end
  end
  return going
end

-- The coordinate, of those at the places `open`, that gains the same every p points while all else repeats: its place, its gain and p
local function gaining(list, most, close, scale, whole, open)
  for p = 1, #open > 0 and math.min(most, count_of(list)//2) or 0 do
    local others, gains = without_gains(list, p, open)
    local width = table.move(scale, 1, #scale, 1, {})
    -- the gains of a motion that settles shrink
    for k, i in ipairs(open) do width[i] = math.min(scale[i], math.abs(gains[k])) end
    if period_of(others, p, close, width, whole) == p then
      local best = 1
      for k, i in ipairs(open) do if math.abs(gains[k])/scale[i] > math.abs(gains[best])/scale[open[best]] then best = k end end
      return open[best], gains[best], p
    end
  end
  return nil
end

-- Is the motion steady, so that only ignorable coordinates change? Then the states that are compared return trivially
local function only_ignorable_move(row, scale, o, places)
  for i, width in ipairs(row.extent) do if width > o.close*scale[i] then return false end end
  for _, place in ipairs(places) do if row.size[place] > o.close*scale[place] then return true end end
  return false
end

-- Returns after p points that take different times though the states are the same: the motion passes a state of rest so near that its errors decide when it
-- leaves. In words
local function uneven(row, list, p, most, scale)
  local times, moves = list.times, false
  for i, width in ipairs(row.extent) do moves = moves or width >= scale[i] end
  if not times or not moves then return nil end
  local least, longest = math.huge, 0
  for k = math.max(1, #times - 3*most + 1), #times - p do
    least, longest = math.min(least, times[k + p] - times[k]), math.max(longest, times[k + p] - times[k])
  end
  if longest - least <= UNEVEN*longest then return nil end
  return ("after %d point%s all repeats, but after times from %.6g to %.6g: it passes a state of rest so near that its errors decide when it leaves; in exact "
    .. "numbers it may rest there for ever; take a start or an energy a little off, or a smaller rtol"):format(p, p == 1 and "" or "s", least, longest)
end

-- The numbers, in order, in the cell of a line and in those beside it
local function numbers_near(cells, cell)
  local list = {}
  for c = cell - 1, cell + 1 do
    local own = cells[c]
    if own then table.move(own, 1, #own, #list + 1, list) end
  end
  table.sort(list)
  return list
end

-- Two points that nearly agree and are followed by points, or after times, that are far from each other: errors decide there. In words
local function contradictory(list, o, scale, whole)
  local last, times, near = count_of(list), list.times, math.min(ALMOST*o.close, NARROW)
  local first = math.max(1, last - math.min(MOST_PAIRED, looked_at(o.most)) + 1)
  -- most points differ in one entry already that is compared as it is: those that agree lie in one cell of it, or in cells beside each other
  local flat, size, entry, cells = list.flat, list.size, 1, {}
  while whole and entry <= size and (whole.signless[1] or whole.angles[entry] > 0) do entry = entry + 1 end
  local width = entry <= size and 2*near*scale[entry] or math.huge
  entry = math.min(entry, size) - size
  for j = first, last - 1 do
    local cell = flat[j*size + entry]//width
    local own = cells[cell]
    local earlier = (own or cells[cell - 1] or cells[cell + 1]) and numbers_near(cells, cell) or {}
    cells[cell] = own or {}
    table.insert(cells[cell], j)
    for _, k in ipairs(earlier) do
      local d = points.distance_in(list, j, k, scale, whole)
      if d <= near then
        local one, other = times and times[j + 1] - times[j] or 0, times and times[k + 1] - times[k] or 0
        local late = math.abs(one - other) > LATER*math.max(one, other)
        if late or points.distance_in(list, j + 1, k + 1, scale, whole) > APART then
          return ("no period, but after points that agree to %.2g of the extent the motion %s: errors of the run decide, as where it passes very near a "
            .. "state of rest; take a start or an energy a little off, or a smaller rtol"):format(d,
            late and ("takes times of %.6g and %.6g to the next ones"):format(one, other) or "goes on to others")
        end
      end
    end
  end
  return nil
end

-- A motion that rests at the end, and not from the start on, where rest is unstable: any disturbance makes it leave. In words
local function rests_unstably(row, o, about, scale, parameters)
  local away = false
  for i, width in ipairs((points.extent(row.looks))) do
    away = away or width > o.close*scale[i]
    if row.extent[i] > o.close*scale[i] then return nil end
  end
  if not away or not about.unstable(points.of_flat(row.late, count_of(row.late)), scale, NEARLY*o.close, parameters) then return nil end
  return "it comes to rest where rest is unstable: errors of the run decide whether and when it leaves; take a start a little off"
end

-- A motion without a period that cannot have settled, or never will: it grows, or the volumes of states around it have not shrunk by what brings a start
-- within `close`. Where volumes are kept nothing settles, and a motion has no period. In words
local function not_settled(row, o, about, parameters, mean, kept)
  local t0, t1 = about.t0, about.t1
  local on = growth.grows(row.looks, about.pairs_of, t0, t1)
  if on then
    return ("no period, but %s grows all the time: such a motion does not settle; escape = ..., an expression that becomes positive, ends its run")
      :format(about.names[on])
  end
  if not mean then return slowest.words_of_unknown(row, o, about, parameters) end
  if kept then return nil end
  if mean > 0 then
    return ("no period, but volumes of states grow, by the factor e in a time of %.3g: the motion has not settled, it grows or leaves an unstable one; take a "
      .. "longer t, or escape = ..., an expression that becomes positive, to end runs that grow"):format(1/mean)
  end
  return slowest.words(row, o, about, parameters, mean)
end

-- Why a motion without a period may have one later, in words; nil: it has none
local function without_period(row, list, o, about, parameters, scale, whole)
  row.late = points.listed(row.late)
  local mean, kept = volumes.mean(about.volumes, row.late, parameters)
  local many, unknown = count_of(list) >= 2*o.most, not mean
  if unknown and keeping.by_measure(row, about, parameters, true) then mean, kept = 0, true end
  local words = unsettled(list, o, kept, scale, whole) or many and not kept and beats.shrink(list, o, looked_at(o.most), NEAR, scale, whole) or nil
  if words and unknown and not kept and keeping.by_mean(row, o, about, parameters) then
    mean, kept = 0, true
    words = unsettled(list, o, kept, scale, whole)
  end
  return words or many and not_settled(row, o, about, parameters, mean, kept) or contradictory(list, o, scale, whole)
end

-- The period of the points of a row, nil: there is none; the scale of distances; why there is no answer
local function read(row, o, about, parameters)
  local list, scale, place, gain, p = row.points, nil, nil, nil, nil
  for _, name in ipairs{ "at", "exactly" } do
    local whole, open = about.turns[name](parameters)
    turns.bound(whole, row.extent, row.size)
    scale = points.scale(row.extent, row.size, points.least(o, o.close))
    local period = period_of(list, o.most, o.close, scale, whole)
    local shorter, off = nil, nil
    if period then shorter, off = nearly(list, period, o.most, o.close, scale, whole) end
    if shorter then
      return nil, scale, ("it repeats after %d points, and after %d to %.2g, near close = %g: it has not settled; %s"):format(period, shorter, off, o.close,
        beats.LONGER)
    end
    if period then
      local words = uneven(row, list, period, o.most, scale) or period == 1 and rests_unstably(row, o, about, scale, parameters) or nil
      return not words and period or nil, scale, words
    end
    place, gain, p = gaining(list, o.most, o.close, scale, whole, going_on(list, row.extent, open))
    if not place then return nil, scale, without_period(row, list, o, about, parameters, scale, whole) end
  end
  return nil, scale, ("after %d point%s all repeats but %s, which gains %.6g; that the equations are then the same is not proved%s"):format(p,
    p == 1 and "" or "s", about.names[place], gain, about.turns.unknown and ", since a force or a law is a Lua function: write it as an expression" or "")
end

-- Puts the period into a complete row that has its points and the extent of its motion. about: { left = { names =, places = } of the ignorable
-- coordinates, names = of the states, turns = see turns.lua }
local function judge(row, o, about, parameters)
  local count = count_of(row.points)
  if count < FEWEST then
    row.status = "NO_POINTS"
    row.reason = count == 0 and points.none(o, points.after(o))
      or ("%d point%s%s; a period is read off %d at least: take a longer t"):format(count, count == 1 and "" or "s", points.after(o), FEWEST)
    return
  end
  local scale, undecided
  row.period, scale, undecided = read(row, o, about, parameters)
  if undecided then
    row.status, row.reason, row.period = "UNDECIDED", undecided, nil
  elseif row.period == 1 and only_ignorable_move(row, scale, o, about.left.places) then
    row.period, row.reason = 0, ("steady motion: only %s, which the equations do not contain, changes"):format(table.concat(about.left.names, ", "))
  elseif not row.period and count < 2*o.most then
    row.status = "NO_POINTS"
    row.reason = ("no period up to %d among %d points%s; most = %d takes %d points: take a longer t"):format(count//2, count, points.after(o), o.most, 2*o.most)
  else
    row.period = row.period or 0
  end
end

-- Times at which states are looked at from the start up to a time, and the times given
local function with_looks(t0, from, times) return table.move(times, 1, #times, growth.count + 1, growth.times(t0, from)) end

-- Times of the last points of the stroboscope, with a time between any two of them, from where the extent of the motion is known
local function times_of(o, period, t0, t1)
  local count = math.floor((t1 - t0)/period + 1e-9)
  local first = math.max(math.ceil(o.skip/period - 1e-9), count - looked_at(o.most), 1)
  if count - first + 1 < FEWEST then
    fail("chart: %d points of the stroboscope %g between skip and t; a period is read off %d at least: take a longer t", math.max(count - first + 1, 0), period,
      FEWEST)
  end
  local times = {}
  for k = first, count do
    times[#times + 1] = t0 + k*period
    if k < count then times[#times + 1] = t0 + (k + points.spread(k))*period end
  end
  return with_looks(t0, times[1] - 1e-9*period, times)
end

-- The points of a stroboscope; where its period depends on parameters, each run has times of its own
local function by_stroboscope(system, o, settings, t0, t1, columns)
  local period, varies = durations.of("chart", "stroboscope", system, o.stroboscope)
  local take = points.at_stroboscope(system, settings, columns, t1, period, varies, function(T) return times_of(o, T, t0, t1) end, true)
  return function(row)
    take(row)
    local all, looks = row.points, growth.count
    row.looks, row.points, row.late = all, points.part(all, looks + 1, #all.times, 2), points.part(all, looks + 2, #all.times, 2)
    row.points.times = nil              -- at equal distances, which tell nothing of the motion
    row.extent, row.size = points.extent(row.points, row.late)
  end
end

-- The points of a section, and the extent of the motion around them
local function by_section(system, o, settings, t0, t1, columns)
  local from = t0 + o.skip
  local times = with_looks(t0, from, points.times_within(from, t1, LOOKS))
  local take = points.on_section(system, settings, columns, o.section, from, times, true)
  return function(row)
    take(row)
    row.late = points.part(row.looks, growth.count + 1, #row.looks.times)
    row.extent, row.size = points.extent(row.late, row.points)
  end
end

local function regime(row) return row.period and (row.period > 0 and "period " .. row.period or row.reason and "steady" or "no period") end

function periods.chart(system, o, settings, t0, t1, columns)
  if not o.section and not o.stroboscope then fail("chart: of = \"period\" needs section or stroboscope") end
  points.demand_one("chart", o)
  local make = o.section and by_section or by_stroboscope
  local take = make(system, o, settings, t0, t1, columns)
  local names, list, left = points.states(system)
  local about = { left = left, names = names, list = list, turns = turns.of(system, names), t0 = t0, t1 = t1,
                  pairs_of = growth.pairs_of(names), unstable = unstable.judge(system, names), volumes = volumes.of(system),
                  system = system, timed = timed.of(system, system:equations "lagrange") }
  columns.about.most, columns.about.close, columns.about.least = o.most, o.close, points.least(o, o.close)
  function columns.finish(rows)
    for _, row in ipairs(rows) do
      take(row)
      if row.status == "OK" then judge(row, o, about, points.parameters_of(system, o, row)) end
      row.points, row.looks, row.late, row.extent, row.size, row.kept = nil, nil, nil, nil, nil, nil
    end
    return rows
  end
  return { "period" }, { regime = regime, note = ("period 0: \"no period\" up to most = %d, or \"steady\", only coordinates change that the equations do not "
    .. "contain; a motion at rest has period 1"):format(o.most) }
end

return periods
