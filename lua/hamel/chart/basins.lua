-- chart/basins.lua: which attractor a motion reaches: given ones, or those found among the points on which the motions settle.
--
-- Found ones: each motion is judged by itself (settling.lua), then the settled ones are compared (attractors.lua). The labels depend neither on threads nor
-- on parts.
local attracting = require "hamel.chart.attractors"
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local growth = require "hamel.chart.growth"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local settling = require "hamel.chart.settling"
local turns = require "hamel.chart.turns"
local unstable = require "hamel.chart.unstable"
local volumes = require "hamel.chart.volumes"

local fail = object.fail
local basins = {}

local LAST, RADIUS, GIVEN = 8, 0.02, 0.1
local FEW_STATES = 8                    -- of a kind, at which it is looked whether volumes are kept
local PORTION = 128                     -- runs whose points are held at once

-- ---- given attractors

-- The difference of values of the state number i; of an angle less whole turns
local function apart(one, other, whole, i)
  local turn = whole and whole.angles[i] or 0
  return math.abs(turn > 0 and turns.less(one - other, turn) or one - other)
end

-- How far values of two motions are from each other, those that both have, up to whole turns and the signs of unit quaternions. one, other: by place
local function distance(one, other, count, whole)
  local most, quaternion, same, opposite = 0, {}, {}, {}
  for k, places in ipairs(whole and whole.signless or {}) do for _, i in ipairs(places) do quaternion[i] = k end end
  for i = 1, count do
    local a, b, k = one[i], other[i], quaternion[i]
    if a and b and k then same[k], opposite[k] = math.max(same[k] or 0, math.abs(a - b)), math.max(opposite[k] or 0, math.abs(a + b))
    elseif a and b then most = math.max(most, apart(a, b, whole, i)) end
  end
  for k, off in pairs(same) do most = math.max(most, math.min(off, opposite[k])) end
  return most
end

-- Given values by the places of their names
local function placed(values, names)
  local list = {}
  for i, state in ipairs(names) do list[i] = values[state] or false end
  return list
end

-- The names of the attractors whose given values the last points have
local function reached(list, attractors, radius, names, whole)
  local found = {}
  for _, name in ipairs(object.keys(attractors)) do
    local near, values = #list > 0, placed(attractors[name], names)
    for _, point in ipairs(list) do near = near and distance(point, values, #names, whole) <= radius end
    if near then found[#found + 1] = name end
  end
  return found
end

-- The attractors with names for all their values, and what they name beside the states: body rates, entries of rotation matrices, expressions
local function named(system, attractors)
  local beside, known, symbol_of, all = { names = {}, expressions = {} }, {}, {}, {}
  for _, name in ipairs((points.states(system))) do known[name] = true end
  for _, R in ipairs(system._rotations) do
    for i, w in ipairs(R.rates) do symbol_of[R.rate_names[i]] = w end
    for _, c in ipairs(R.cosine_list) do symbol_of[core.text(c)] = c end
  end
  for name, values in pairs(attractors) do
    all[name] = values
    if type(values) == "table" then
      all[name] = {}
      for what, value in pairs(values) do
        local text = core.is_expression(what) and core.text(what) or what
        local e = core.is_expression(what) and system:check_expression(what, ("chart: attractors.%s"):format(tostring(name)), 1) or symbol_of[what]
        if e and not known[text] then
          known[text] = true
          beside.names[#beside.names + 1], beside.expressions[#beside.expressions + 1] = text, e
        end
        all[name][text] = value
      end
    end
  end
  return all, beside, object.keys(symbol_of)
end

local reserved = { "none", "unsettled", "escaped" }

-- others: names that values may have besides
local function check_values(name, values, names, others)
  if object.contains(reserved, name) then fail("chart: attractors: '%s' is the label of motions that reach none; take another name", name) end
  if type(name) ~= "string" then fail("chart: attractors have names: attractors = { left = { %s = -1 } }", names[1]) end
  if type(values) ~= "table" or next(values) == nil then fail("chart: attractors.%s is a table of values, { %s = 0 }", name, names[1]) end
  for state, value in pairs(values) do
    if type(value) ~= "number" or value - value ~= 0 then fail("chart: attractors.%s.%s is no finite number", name, tostring(state)) end
    if not object.contains(names, state) then
      local all = table.move(others, 1, #others, #names + 1, table.move(names, 1, #names, 1, {}))
      fail("chart: attractors.%s: '%s' is none of %s; other values are named by expressions: { [x^2 + y^2] = 1 }", name, tostring(state),
        table.concat(all, ", "))
    end
  end
end

-- A motion near two attractors would belong to the one whose name comes first
local function demand_apart(attractors, radius, names_of_states, whole)
  local names = object.keys(attractors)
  for i, one in ipairs(names) do
    for k = 1, i - 1 do
      local values, others, count = placed(attractors[one], names_of_states), placed(attractors[names[k]], names_of_states), #names_of_states
      local turned = distance(values, others, count) > 2*radius
      if not (distance(values, others, count, whole) > 2*radius) then
        fail("chart: attractors '%s' and '%s' are not apart: no state of both differs by more than 2*radius = %g%s", names[k], one, 2*radius,
          turned and " and whole turns, or signs of quaternions, after which the equations are the same"
          or "; take a smaller radius")
      end
    end
  end
end

local function check(attractors, names, others)
  if next(attractors) == nil then
    fail("chart: attractors = {} names none; leave it out to find them, or give attractors = { left = { %s = -1 } }", names[1])
  end
  for name, values in pairs(attractors) do check_values(name, values, names, others) end
end

-- Times of the last points of a stroboscope, or between the last eighth of the time and its end
local function last_times(o, period, t0, t1)
  if not period then return points.times_within(math.max(t1 - (t1 - t0)/8, t0 + o.skip), t1, LAST) end
  local count, times = math.floor((t1 - t0)/period + 1e-9), {}
  if count < 1 then fail("chart: the stroboscope %g is longer than the time of the runs", period) end
  for k = math.max(count - LAST + 1, math.ceil(o.skip/period - 1e-9), 1), count do times[#times + 1] = t0 + k*period end
  return times
end

local function last_points(system, o, settings, t0, t1, columns, beside)
  if o.section then return points.on_section(system, settings, columns, o.section, t0 + o.skip, { t1 }, nil, beside) end
  if not o.stroboscope then return points.at_times(system, settings, last_times(o, nil, t0, t1), columns, nil, beside) end
  local period, varies = durations.of("chart", "stroboscope", system, o.stroboscope)
  return points.at_stroboscope(system, settings, columns, t1, period, varies, function(T) return last_times(o, T, t0, t1) end, nil, beside)
end

local function with_given(system, o, settings, t0, t1, columns)
  local attractors, beside, others = named(system, o.attractors)
  local take, names = last_points(system, o, settings, t0, t1, columns, beside)
  local radius = o.radius or GIVEN
  check(attractors, names, others)
  local T = turns.of(system, names)
  -- turns may depend on parameters that have values in the rows alone
  local known, whole = protected(T.exactly, system:by_name(o.parameters, "parameters"))
  demand_apart(attractors, radius, names, known and whole or nil)
  return function(row)
    take(row)
    local list = row.points
    row.points, row.looks = nil, nil
    if row.status ~= "OK" then return end
    if #list == 0 then row.status, row.reason = "NO_POINTS", points.none(o, points.after(o)) return end
    local found = reached(table.move(list, math.max(1, #list - LAST + 1), #list, 1, {}), attractors, radius, names,
      (T.exactly(points.parameters_of(system, o, row))))
    row.label = found[1] or "none"
    if #found > 1 then
      row.label, row.status = nil, "UNDECIDED"
      row.reason = ("the attractors %s are whole turns apart with the parameters of this row"):format(table.concat(found, " and "))
    end
  end
end

-- ---- found ones

-- Why a motion that seems to rest may go on, in words, and of which kind the cause is: it is near an unstable state of rest, but not in it from the start
-- on, or near none
local function may_leave(found, looks, radius, parameters, is_unstable)
  if not found.rests or growth.rests(looks) then return nil end
  local leaves, creeps = is_unstable(found.rests, found.scale, radius, parameters)
  if leaves then return "it is near an unstable state of rest, which it may still leave", "unstable" end
  if creeps then return "it still creeps: no state of rest is as near as the radius", "creeps" end
end

-- Are the volumes of states kept at some of the states that were looked at, or of the points? Then nothing attracts (Liouville, Poincare)
local function keeps_volumes(V, all, looks, parameters)
  if not V or V.kept then return V and V.kept or false end
  local list = {}
  for _, states in ipairs{ looks, table.unpack(all.spans[2][2]) } do
    for k = 1, math.min(#states, FEW_STATES) do if states[k].t then list[#list + 1] = states[k] end end
  end
  return select(2, volumes.mean(V, list, parameters)) or false
end

-- Are they kept at all states and times? Then no motion need be seen to settle
local function keeps_all_volumes(V, parameters)
  if not V or V.kept or not V.uniform then return V and V.kept or false end
  local anywhere = { t = 0.0 }
  for i = 1, V.states do anywhere[i] = 0.0 end
  return select(2, volumes.mean(V, { anywhere }, parameters)) or false
end

local KEPT = "volumes of states are kept, so that nothing attracts (Liouville)"

local function with_found(system, o, settings, t0, t1, columns)
  local take, kinds = settling.prepare(system, o, settings, t0, t1, columns)
  if not o.stroboscope then columns.portion = PORTION end
  local radius = o.radius or RADIUS
  if radius >= 1 then fail("chart: radius = %g is relative to the extent of the attractors that are found: take one below 1, such as 0.02", radius) end
  columns.about.radius, columns.about.least, columns.about.part = radius, points.least(o, radius), points.least_part(o, radius)
  columns.about.parameters = table.move(system.parameter_names, 1, #system.parameter_names, 1, {})
  local names = points.states(system)
  local T, V, is_unstable = turns.of(system, names, true), volumes.of(system), unstable.judge(system, names)
  return function(row)
    local all, looks, early = take(row)
    if row.status ~= "OK" then return end
    local parameters, found, why, whole = points.parameters_of(system, o, row), nil, nil, nil
    for _, name in ipairs{ "at", "exactly" } do
      local open
      whole, open = T[name](parameters)
      found, why = settling.verdict(all, looks, early, kinds, radius, columns.about.least, whole,
        { names = names, open = open, part = columns.about.part })
      if found or not why.goes_on then break end
    end
    local leaves, cause
    if found and not keeps_all_volumes(V, parameters) then leaves, cause = may_leave(found, looks, radius, parameters, is_unstable) end
    if not found and why.kind == "no points" then row.status, row.reason = "NO_POINTS", why.words .. " in the last half of the time"
    elseif keeps_all_volumes(V, parameters) then row.label, row.cause, row.reason = "none", "volumes", KEPT
    elseif leaves then row.label, row.cause, row.reason = "unsettled", cause, leaves
    elseif found and keeps_volumes(V, all, looks, parameters) then row.label = "none"
    elseif found then
      row.points, row.spread, row.approached, row.whole = found.points, found.spread, found.approached, whole
      row.faint = found.faint or nil
    else row.label, row.cause, row.goes_on, row.reason = "unsettled", why.kind, why.goes_on, why.words end
  end
end

local FAINT = "it moves by less than its tolerances tell: take a smaller rtol and atol, or count the coordinates from nearer"

-- The causes of labels that have a note of their own
local NOTED = { creeps = true, moves = true, unstable = true, volumes = true }

-- alone: how many settled motions end where no other one does, and of how many; breaks: between how many neighbouring values of the parameters an attractor
-- ends where another one begins
local function notes_of(rows, wide, alone, breaks)
  local found, notes = {}, {}
  for _, row in ipairs(rows) do
    if row.status == "OK" and row.label then
      if row.goes_on then found.on = found.on or row.goes_on
      elseif NOTED[row.cause] then found[row.cause] = true
      else found[row.label] = true end
    end
  end
  if found.unsettled then
    notes[1] = "unsettled: the last points of a motion differ from those before: take a longer t, unless it is chaotic or has several frequencies"
  end
  if found.moves then
    notes[#notes + 1] = "unsettled: motions in which no coordinate turns to and fro are compared at the points of a section or a stroboscope: give one"
  end
  if found.creeps then
    notes[#notes + 1] = "unsettled: some motions creep one way, slower and slower like a power of the time, or through a bottleneck; where they end is not "
      .. "known: name it, as in attractors = { rest = { x = 0 } }, or take a longer t"
  end
  if found.unstable then notes[#notes + 1] = "unsettled: some motions are near an unstable state of rest, which they may still leave: take a longer t" end
  if found.on then
    notes[#notes + 1] = ("unsettled: %s goes on, and it is not proved that the equations repeat in it: give attractors = { on = { [\"%s'\"] = ... } }, the "
      .. "values that such motions reach"):format(found.on, found.on)
  end
  if found.volumes then notes[#notes + 1] = ("none: %s; of = \"period\", or \"exponents\", tells these motions apart"):format(KEPT) end
  if found.none then notes[#notes + 1] = "none: no motion of the chart is seen to arrive there from elsewhere" end
  if alone.count > 2 and 2*alone.count > alone.of then
    notes[#notes + 1] = ("%d of %d motions end where no other one does: each may have an end of its own, and none of them attracts"):format(alone.count,
      alone.of)
  end
  if breaks > 0 then
    notes[#notes + 1] = ("labels: between %d pair%s of neighbouring values of the parameters an attractor ends and another one begins; whether they are one is "
      .. "not decided there: take more values of the parameters, or a larger radius"):format(breaks, breaks == 1 and "" or "s")
  end
  for _, label in ipairs(wide) do
    notes[#notes + 1] = ("%s: some of these motions end apart from each other, within radius: not one attractor, or radius is too large"):format(label)
  end
  return notes
end

--- Puts labels into settled rows: numbers of the attractors in the order of their first rows, "none" where no motion is seen to come from
--- elsewhere. about: { radius =, least =, parameters = names of those that vary }; no radius: the attractors were given. Returns notes on the labels.
function basins.judge(rows, about)
  if not about.radius then return {} end
  local settled, wide, count = {}, {}, 0
  for _, row in ipairs(rows) do
    if row.status == "OK" and row.points and row.spread then settled[#settled + 1], row.label, row.reason = row, nil, nil end
  end
  local alone = { count = 0, of = 0 }
  local list, breaks = attracting.of(settled, about)
  for _, attractor in ipairs(list) do
    if attractor.approached then
      count, alone.of, alone.count = count + 1, alone.of + #attractor, alone.count + (#attractor == 1 and 1 or 0)
    end
    local label = attractor.approached and tostring(count) or "none"
    for _, row in ipairs(attractor) do
      row.label = label
      if row.faint and label == "none" then row.label, row.reason = "unsettled", FAINT end
    end
    if attractor.approached and attractor.wide then wide[#wide + 1] = label end
  end
  return notes_of(rows, wide, alone, breaks)
end

--- Removes from rows what they were compared by.
function basins.forget(rows)
  for _, row in ipairs(rows) do
    row.points, row.spread, row.approached, row.whole, row.faint, row.cause, row.goes_on = nil, nil, nil, nil, nil, nil, nil
  end
end

function basins.chart(system, o, settings, t0, t1, columns)
  points.demand_one("chart", o)
  local put = (o.attractors and with_given or with_found)(system, o, settings, t0, t1, columns)
  function columns.finish(rows)
    for _, row in ipairs(rows) do put(row) end
    return rows
  end
  return { "label" }, { regime = function(row) return row.label end }
end

return basins
