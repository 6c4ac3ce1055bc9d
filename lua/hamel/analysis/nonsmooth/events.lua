-- events.lua: the impacts and switches of a run in order, and the modes in between.
local modes = require "hamel.analysis.nonsmooth.modes"
local object = require "hamel.base.object"

local fail = object.fail
local events = {}

local CLOSE = 1e-9                      -- of the time: events closer than this are at one instant
local TAIL, APART = 1e-6, 2             -- of the time over which impacts accumulate; times CLOSE: before their end by less they are left out

-- Impacts and switches of a run in order of time: { t, kind = "impact" or "switch", name, to, from, sign }
local function all_of(run)
  local list = {}
  for _, impact in ipairs(run.impacts) do list[#list + 1] = { t = impact.t, kind = "impact", name = impact.name, impulses = impact.impulses } end
  for _, switch in ipairs(run.switches) do
    local to, from = switch.directions.to, switch.directions.from
    list[#list + 1] = { t = switch.t, kind = "switch", name = switch.name, from = switch.from, to = switch.to, sign = to and to[1] > 0 and 1 or to and -1,
                        old = from and from[1] > 0 and 1 or from and -1 }
  end
  for i, item in ipairs(list) do item.order = i end
  table.sort(list, function(a, b)
    if a.t ~= b.t then return a.t < b.t end
    return a.order < b.order
  end)
  return list
end

local function mode_word(item, which)
  if item.accumulated and which == "to" then return "closed" end
  if item.kind == "impact" then return "open" end
  if item[which] == "contact" then return "closed" end
  if item[which] == "slip" then return which == "to" and item.sign or item.old end
  return item[which]
end

-- The mode at the start of a run: what its items leave first, or what they are before the first event
local function mode_at_start(system, run, list)
  local mode = {}
  -- in the middle of the first segment: at the start a gap may be about to open, a slip about to begin
  local t = (run.span[1] + (list[1] and list[1].t or run.span[2]))/2
  local found = run:_contact_mode(t)
  for _, gap in ipairs(system.gaps) do mode[gap.name] = found[gap.name] end
  for _, friction in ipairs(system.frictions) do
    local slip = found[friction.name] ~= "stick" and run:at(t, friction.slips[1]) or 0
    -- where nothing presses there is no force, and a slip that stays zero is as good as a stick
    mode[friction.name] = slip == 0 and "stick" or slip > 0 and 1 or -1
  end
  local seen = {}
  for _, item in ipairs(list) do
    if not seen[item.name] then
      seen[item.name] = true
      mode[item.name] = mode_word(item, "from") or mode[item.name]
    end
  end
  return mode
end

-- Does a group consist of impacts that close no contact and end no stick?
local function only_strikes(group)
  for _, item in ipairs(group) do if item.kind ~= "impact" then return false end end
  return true
end

-- Raises: several contacts change at once
local function refuse(names, t, what)
  local advice = what == "continue" and "; take a start, or parameters, where these are apart" or ""
  fail("%s: %s change at once at t = %.9g: there is no derivative there%s", what, object.quoted(names), t, advice)
end

-- Items at one instant are one event: an impact with what it switches, or, where `together`, several impacts
local function grouped(list, span, what, together)
  local groups = {}
  for _, item in ipairs(list) do
    local last = groups[#groups]
    if last and item.t - last.t <= CLOSE*math.max(math.abs(item.t), span) then
      last[#last + 1] = item
    else
      groups[#groups + 1] = { t = item.t, item }
    end
  end
  for _, group in ipairs(groups) do
    local names, strikes = {}, false
    for _, item in ipairs(group) do strikes = strikes or item.kind == "impact" end
    for _, item in ipairs(group) do
      -- the jump of an impact may turn a slip: the motion after it has the other sign
      local turned = strikes and item.from == "slip" and item.to == "slip"
      if not turned and not object.contains(names, item.name) then names[#names + 1] = item.name end
    end
    if #names > 1 and not (together and only_strikes(group)) then refuse(names, group.t, what) end
    group.name, group.names = names[1], names
  end
  return groups
end

-- An impact at several gaps that were open is one record: names all of them, or raises where they are not taken together
local function name_all(mode, group, what, together)
  for _, item in ipairs(group) do
    for _, name in ipairs(object.keys(item.impulses or {})) do
      if mode[name] == "open" and item.impulses[name] ~= 0 and not object.contains(group.names, name) then
        if not (together and only_strikes(group)) then refuse({ item.name, name }, item.t, what) end
        table.insert(group.names, name)
      end
    end
  end
end

-- Raises: impacts accumulate, and what to do
local function refuse_accumulation(found, what)
  local advice = what == "continue" and "take a guess whose impacts stay apart" or "let the run end before that"
  fail("%s: impacts accumulate at '%s' at t = %.6g; only motions with separate impacts have derivatives: %s, or give the contact a law with restitution 0, "
    .. "hm.newton(0), by which it closes at the first impact", what, found.name, found.t, advice)
end

-- Of impacts that accumulate the last ones are too near to each other to be told apart, or too slow to count: the first of these is marked as one without
-- restitution, which closes the contact, in place of them and of the switch that ends them. span: see events.walk
local function cut_tails(list, accumulations, span)
  for _, limit in ipairs(accumulations) do
    local of_it, ends = {}, nil
    for i = #list, 1, -1 do
      local item = list[i]
      if item.name == limit.name and item.kind == "impact" and item.t <= limit.t and #of_it < limit.impacts then of_it[#of_it + 1] = item
      elseif item.name == limit.name and item.kind == "switch" and item.t >= limit.t then ends = item end
    end
    if not of_it[1] or not ends or ends.to ~= "contact" then return nil end
    local last, left, left_out = of_it[1].t, {}, { [ends] = true }
    local least = math.max(TAIL*(limit.t - of_it[#of_it].t), APART*CLOSE*math.max(math.abs(limit.t), span))
    for k, item in ipairs(of_it) do
      item.accumulated = not of_it[k + 1] or last - of_it[k + 1].t >= least
      if item.accumulated then break end
      left_out[item] = true
    end
    for _, item in ipairs(list) do if not left_out[item] then left[#left + 1] = item end end
    list = left
  end
  return list
end

-- The impacts and switches of a run; raises where impacts accumulate, unless `together` and they do so regularly
local function items_of(run, span, what, together)
  local list = all_of(run)
  for _, limit in ipairs(run.accumulations) do
    if not together or not (limit.ratio < 1) then refuse_accumulation(limit, what) end
  end
  return cut_tails(list, run.accumulations, span) or refuse_accumulation(run.accumulations[1], what)
end

--- The modes and events of a run: { mode at the start, events = { { t, kind, name, from, to, mode after it }, ... } }. span: time in which events that are
--- closer than rounding are one. together: several impacts at once are one event, with `names`, and impacts that accumulate end in one
--- without restitution, with `accumulated`; else they raise an error, unless separate(names, mode) says that impacts at once do not act on each other: then
--- one follows the other, and those behind the first are `joined` to it.
function events.walk(system, run, span, what, together, separate)
  local list = items_of(run, span, what, together)
  local mode = mode_at_start(system, run, list)
  local result = { mode = mode, events = {} }
  for _, group in ipairs(grouped(list, span, what, together or separate)) do
    local kind, before
    name_all(mode, group, what, together or separate)
    local in_order = #group.names > 1 and not together
    if in_order and not separate(group.names, mode) then refuse(group.names, group.t, what) end
    mode = object.copied(mode)
    for _, item in ipairs(group) do
      if item.name == group.name then before = before or mode[item.name] end
      mode[item.name] = mode_word(item, "to")
      if item.name == group.name then kind = kind or item.kind end
    end
    for i = 1, in_order and #group.names - 1 or 0 do
      result.events[#result.events + 1] = { t = group.t, kind = kind, name = group.names[i], from = "open", to = "open", mode = mode, joined = i > 1 or nil }
    end
    if in_order then group.name, group.names = group.names[#group.names], {} end
    local event = { t = group.t, kind = kind, name = group.name, from = before, to = mode[group.name], mode = mode,
                    names = #group.names > 1 and group.names or nil, last = group[#group].t, joined = in_order or nil }
    for _, item in ipairs(group) do event.accumulated = event.accumulated or item.accumulated end
    result.events[#result.events + 1] = event
  end
  return result
end

local function same(one, other)
  return one.kind == other.kind and one.name == other.name and one.from == other.from and modes.key(one.mode) == modes.key(other.mode)
end

-- How far the period of a guess may be off, as a part of it
local OFF = 0.25

-- The event that is the first one again, a period later
local function return_of(list, period)
  local first, last, best = list[1], nil, OFF*period
  for i = 2, #list do
    local off = math.abs(list[i].t - first.t - period)
    if off < best and same(first, list[i]) then last, best = i, off end
  end
  return last
end

--- The sequence of one period: { t = time of its start, modes, events, durations }, where modes[i] holds until events[i]. The first mode begins right
--- after an event; without events it is the only one. separate: see events.walk.
function events.read(system, run, period, separate)
  local walk = events.walk(system, run, period, "continue", false, separate)
  -- no time may be left behind the first event before those that are joined to it
  while walk.events[2] and walk.events[2].joined do table.remove(walk.events, 1) end
  local first = walk.events[1]
  if not first then return { t = run.span[1], modes = { walk.mode }, events = {}, durations = { period } } end
  local last = return_of(walk.events, period)
  if not last then
    fail("continue: the motion from the guess changes at '%s' at t = %.9g, but not again about a period of %.6g later; take a better guess or period; "
      .. "where the motion is very unstable, give states along it, too: segments = { { t =, q =, v = }, ... }", first.name, first.t, period)
  end
  local result = { t = first.t, modes = {}, events = {}, durations = {} }
  for i = 2, last do
    result.modes[i - 1], result.events[i - 1], result.durations[i - 1] = walk.events[i - 1].mode, walk.events[i], walk.events[i].t - walk.events[i - 1].t
  end
  return result
end

return events
