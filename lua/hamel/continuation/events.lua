-- events.lua: the sequence of impacts and switches of one period, read off a run.
local modes = require "hamel.continuation.modes"
local object = require "hamel.base.object"

local fail = object.fail
local events = {}

local CLOSE = 1e-9                      -- of the time: events closer than this are at one instant

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
  if item.kind == "impact" then return "open" end
  if item[which] == "contact" then return "closed" end
  if item[which] == "slip" then return which == "to" and item.sign or item.old end
  return item[which]
end

-- The mode at the start of a run: what its items leave first, or what they are at the start
local function mode_at_start(system, run, list)
  local mode = {}
  for _, gap in ipairs(system.gaps) do mode[gap.name] = "open" end
  for _, friction in ipairs(system.frictions) do
    local slip = run:at(run.span[1], friction.slips[1])
    mode[friction.name] = math.abs(slip) < 1e-8 and "stick" or slip > 0 and 1 or -1
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

-- Items at one instant are one event: an impact with what it switches
local function grouped(list, span)
  local groups = {}
  for _, item in ipairs(list) do
    local last = groups[#groups]
    if last and item.t - last.t <= CLOSE*math.max(1, math.abs(item.t), span) then
      last[#last + 1] = item
    else
      groups[#groups + 1] = { t = item.t, item }
    end
  end
  for _, group in ipairs(groups) do
    local names = {}
    for _, item in ipairs(group) do if not object.contains(names, item.name) then names[#names + 1] = item.name end end
    if #names > 1 then fail("continue: %s change at once at t = %.9g: there is no derivative there", object.quoted(names), group.t) end
    group.name = names[1]
  end
  return groups
end

-- An open gap that is struck together with another one
local function demand_one_struck(system, mode, item)
  for _, gap in ipairs(item.impulses and system.gaps or {}) do
    if gap.name ~= item.name and mode[gap.name] == "open" and item.impulses[gap.name] ~= 0 then
      fail("continue: '%s' and '%s' are struck at once at t = %.9g: there is no derivative there", item.name, gap.name, item.t)
    end
  end
end

--- The sequence of one period: { start = { t, x }, modes = list of modes, events = { { kind, name, sign }, ... }, durations }, where modes[i] holds until
--- events[i]. The first mode begins right after an event.
function events.read(system, run, period)
  if #run.accumulations > 0 then fail("continue: impacts accumulate at t = %.6g; a sequence must be finite", run.accumulations[1].t) end
  local list = all_of(run)
  local groups = grouped(list, period)
  local first = groups[1]
  if not first then fail("continue: no impact and no switch within two periods of the guess: give a guess that meets one") end
  local mode, result = mode_at_start(system, run, list), { modes = {}, events = {}, durations = {} }
  local function pass(group)
    local kind, before
    mode = object.copied(mode)
    for _, item in ipairs(group) do
      demand_one_struck(system, mode, item)
      before = before or mode[item.name]
      mode[item.name] = mode_word(item, "to")
      kind = kind or item.kind
    end
    return { kind = kind, name = group.name, from = before, to = mode[group.name] }
  end
  pass(first)
  result.t, result.modes[1] = first.t, mode
  local at = first.t
  for i = 2, #groups do
    if groups[i].t > first.t + 1.02*period then break end
    local event = pass(groups[i])
    result.events[#result.events + 1], result.durations[#result.durations + 1] = event, groups[i].t - at
    at, result.modes[#result.modes + 1] = groups[i].t, mode
  end
  if #result.events == 0 then fail("continue: the motion meets no event in the period after t = %.9g", first.t) end
  if modes.key(result.modes[1]) ~= modes.key(result.modes[#result.modes]) then
    fail("continue: the motion does not come back to the contacts it had after t = %.9g within the period", first.t)
  end
  result.modes[#result.modes] = nil
  return result
end

return events
