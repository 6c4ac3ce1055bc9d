-- measures.lua: measures of a whole run: the highest, lowest and mean value of an expression, its first root, the number of roots. Given by
-- hm.highest, ... or in words, as in keep = { "max theta", "mean energy", "first event" }.
local along = require "hamel.run.along"
local core = require "hamel.core"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local poles = require "hamel.run.poles"
local reading = require "hamel.run.reading"
local readings = require "hamel.run.readings"
local spatial = require "hamel.bodies.spatial"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail
local measures = {}
local Measure = object.class "Measure"

function Measure.meta.__tostring(m)
  if m.word == "own" then return "a number of the run" end
  if m.word == "points" then return "points of a section" end
  local function words(e) return core.is_expression(e) and core.text(e) or e end
  return m.word .. " " .. words(m.of) .. (m.when and " when " .. words(m.when) or "")
end

local PARTS, ROUNDS = 16, 60           -- of a step that is searched; of the golden section
local ASIDE = 1e-12                    -- of the run: from where an expression jumps to its sides
local GOLDEN = (math.sqrt(5) - 1)/2

-- The largest value between a and b of a function with one maximum there
local function golden(value, a, b)
  local c, d = b - GOLDEN*(b - a), a + GOLDEN*(b - a)
  local at_c, at_d = value(c), value(d)
  for _ = 1, ROUNDS do
    if at_c >= at_d then b, d, at_d = d, c, at_c c = b - GOLDEN*(b - a) at_c = value(c)
    else a, c, at_c = c, d, at_d d = a + GOLDEN*(b - a) at_d = value(d) end
  end
  return math.max(at_c, at_d)
end

-- Values where a step that begins at a and ends at b may have its largest
local function search_step(value, a, b, take)
  local times, list = {}, {}
  for k = 1, PARTS - 1 do
    times[k] = a + (b - a)*(k/PARTS)
    list[k] = value(times[k])
    take(list[k])
  end
  for k = 1, PARTS - 1 do
    local before, after = times[k - 1] or a, times[k + 1] or b
    if list[k] >= (list[k - 1] or -math.huge) and list[k] >= (list[k + 1] or -math.huge) then take(golden(value, before, after)) end
  end
end

-- ---- what the core does not read off: expressions with accelerations and reactions, runs of the whole course

local function refusal_of(run, m, status, e, t)
  local state = t and reading.state_at(run, t)
  return readings.refusal(m.word, status, run.observer, e, t, state, function(p, at, x) return reading.evaluate(run, p, at, x) end)
end

-- Roots of a function along the run; nil and the refusal where they cannot be found
local function roots_of(run, g, direction)
  local fine, found = protected(run.roots, run, g, direction)
  if fine then return found end
  if core.host.interrupted() then error(found, 0) end
  return nil, { status = "LIMIT", t = run.span[1], reason = tostring(found) }
end

-- Where the expression may have no value, by the roots of what becomes zero there; nil: nowhere
local function first_pole(run, m, e)
  for _, g in ipairs(poles.of(e)) do
    local times, refusal = roots_of(run, g)
    if refusal then return refusal end
    if times[1] then return refusal_of(run, m, "NOT_FINITE", e, times[1]) end
  end
end

-- Adds sign times the values at places where the largest may be
local function search_run(sign, value, rate, times, turns, take)
  local first, last = math.min(times[1], times[#times]), math.max(times[1], times[#times])
  for _, t in ipairs(turns) do
    for _, aside in ipairs{ -ASIDE, 0, ASIDE } do take(value(math.max(first, math.min(last, t + aside*(last - first))))) end
  end
  if rate then
    for _, t in ipairs(rate) do take(value(t)) end
    return
  end
  for k = 2, #times do
    if times[k] ~= times[k - 1] then search_step(function(t) return sign*value(t) end, times[k - 1], times[k], function(v) take(sign*v) end) end
  end
end

-- The largest of sign*e: at the stored states, and where e.dot vanishes between them
local function extreme(run, m, sign)
  local e = run.observer:expression(m.of)
  local roots, refusal = nil, first_pole(run, m, e)
  if refusal then return nil, refusal end
  local value, rate, p, turns = along.expression(run, m.of)
  if rate then roots, refusal = roots_of(run, rate) end
  if refusal then return nil, refusal end
  local best, odd, times = -math.huge, nil, {}
  local function take(v) if v - v == 0 then best = math.max(best, sign*v) else odd = true end end
  along.states(run, p, function(t, v)
    times[#times + 1] = t
    take(v)
    if odd then refusal = refusal or refusal_of(run, m, "NOT_FINITE", e, t) end
  end)
  search_run(sign, value, roots, times, turns, take)
  if odd then return nil, refusal or refusal_of(run, m, "NOT_FINITE", e, times[1]) end
  return sign*best
end

local function mean(run, m)
  local e = run.observer:expression(m.of)
  local refusal = first_pole(run, m, e)
  if refusal then return nil, refusal end
  local value, _, p, turns = along.expression(run, m.of)
  local points, size, sum = along.points(run, value, p, turns), { 0 }, 0
  for _, point in ipairs(points) do
    if point[2] - point[2] ~= 0 then return nil, refusal_of(run, m, "NOT_FINITE", e, point[1]) end
    size[1] = math.max(size[1], math.abs(point[2]))
  end
  local from, to = points[1], points[#points]
  if from[1] == to[1] then return from[2] end
  for k = 2, #points do
    local part, where = along.integral(value, points[k - 1], points[k], size)
    if not part then return nil, refusal_of(run, m, "LIMIT", e, where) end
    sum = sum + part
  end
  return sum/(to[1] - from[1])
end

-- ---- roots, events, impacts

local function times_of(list, name)
  local times = {}
  for _, item in ipairs(list) do if not name or item.name == name then times[#times + 1] = item.t end end
  return times
end

local function event_names(run)
  local names = {}
  for _, event in ipairs(run.hybrid and run.hybrid.events or {}) do if not event.hidden then names[#names + 1] = event.name end end
  return names
end

-- When it happens: the events or impacts of a name; nil where the name is none of these
local function named_occurrences(run, what)
  if what == "event" then return times_of(run.events) end
  if what == "impact" then return times_of(run.impacts) end
  if object.contains(event_names(run), what) then return times_of(run.events, what) end
  if object.contains(run.observer.gap_names or {}, what) then return times_of(run.impacts, what) end
end

-- The same, or the roots of an expression after the start; nil and a refusal. A root next to a place where the expression has no value need not be one
local function occurrences(run, m, what)
  local named = named_occurrences(run, what)
  if named then return named end
  local e = run.observer:expression(what)
  local start, list, length = run.span[1], {}, math.abs(run.span[2] - run.span[1])
  local near = 1e-14*math.max(math.abs(start), math.abs(run.span[2]))
  local roots, refusal = roots_of(run, what, m.direction)
  for _, t in ipairs(roots or {}) do if math.abs(t - start) > near then list[#list + 1] = t end end
  for _, g in ipairs(#list > 0 and poles.of(e) or {}) do
    local places = roots_of(run, g) or {}
    for _, at in ipairs(places) do
      for _, t in ipairs(list) do if math.abs(t - at) <= ASIDE*length then return nil, refusal_of(run, m, "NOT_FINITE", e, t) end end
    end
  end
  if refusal then return nil, refusal end
  return list
end

local FLIGHTS, AGAIN = 8, 3            -- impacts before an accumulation; occurrences among them that show that all the others have some, too

-- Why a count is none: where impacts accumulate there are infinitely many of them, and of what happens between any two. times: of those that were met
local function endless(run, times)
  if #times < AGAIN then return nil end
  for _, limit in ipairs(run.accumulations) do
    local struck, since = 0, nil
    for i = #run.impacts, 1, -1 do
      local t = run.impacts[i].t
      if t <= limit.t then struck, since = struck + 1, t end
      if struck == FLIGHTS then break end
    end
    local count = 0
    for _, t in ipairs(times) do if since and t >= since and t <= limit.t then count = count + 1 end end
    if count >= AGAIN then
      return { status = "NOT_FINITE", t = limit.t, reason = ("there are infinitely many: the impacts at '%s' accumulate at t = %.9g; end the run before "
        .. "that time, or take a measure that stays finite, such as the first one"):format(limit.name, limit.t) }
    end
  end
end

-- Why impacts are not counted: steps that locate none may hold several of them, or, in lasting contact, one each
local function uncounted(run, m)
  if methods.locates_impacts(run.options.method) or m.of ~= "impact" and not object.contains(run.observer.gap_names or {}, m.of) then return nil end
  return { status = "UNDECIDED", t = run.span[2], reason = ("method '%s' does not locate impacts: a step may hold several, and in lasting contact each step "
    .. "may hold one; take a method that locates them, such as dop853"):format(run.options.method) }
end

-- By Lua, where the core does not read the measure off
local kinds = {
  max = function(run, m) return extreme(run, m, 1) end,
  min = function(run, m) return extreme(run, m, -1) end,
  mean = mean,
  first = function(run, m)
    local times, refusal = occurrences(run, m, m.of)
    return times and times[1], refusal
  end,
  count = function(run, m)
    local refusal = uncounted(run, m)
    if refusal then return nil, refusal end
    local times, problem = occurrences(run, m, m.of)
    refusal = problem or endless(run, times)
    return not refusal and #times or nil, refusal
  end,
  at = function(run, m)
    local times, refusal = occurrences(run, m, m.when)
    local t = times and times[1]
    if not t then return nil, refusal end
    local x = reading.state_at(run, t)
    refusal = readings.unusable(run, m.of, t, x, run.options, function(p, at, state) return reading.evaluate(run, p, at, state) end)
    if refusal then return nil, refusal end
    return run:values_at(t, { m.of })[1]
  end,
  points = function(run, m)
    local all, flat = {}, {}
    for _, t in ipairs(run:roots(m.of, m.direction)) do
      if t >= m.from then all[#all + 1] = run:values_at(t, m.list) end
    end
    if not m.flat then return all end
    for i, point in ipairs(all) do table.move(point, 1, #m.list, (i - 1)*#m.list + 1, flat) end
    return { flat = flat, size = #m.list }
  end,
  own = function(run, m, row) return m.of(run, row) end,
}

-- the texts of users

local directions = { [1] = 1, [-1] = -1, [0] = 0, rising = 1, falling = -1, both = 0 }

local function new(word, name, of, direction)
  if type(of) == "number" then of = core.number(of) end
  if type(of) ~= "string" and not core.is_expression(of) then
    fail("%s takes an expression or a name, as in %s(x) or %s \"energy\", not %s", name, name, name, type(of))
  end
  local sense = directions[direction == nil and 0 or direction]
  if not sense then fail("%s: direction is 1 (\"rising\"), -1 (\"falling\") or 0 (\"both\"), not %s", name, tostring(direction)) end
  return setmetatable({ word = word, of = of, when = false, direction = sense }, Measure.meta)
end

--- The highest value of an expression in a run, for `keep` of S:sweep and run:keep: hm.highest(x); in words "max x". It is found to 1e-10 of the values
--- on the dense output, peaks, corners and jumps within a step included (where the expression is zero or cancels,
--- to the errors of the run); of reactions, and of accelerations in runs with contacts, events or forces that jump or have corners, by 16 samples of each step.
--- It is refused
--- (NOT_FINITE) where the expression grows without bound or has no value: at zeros of divisors and the like. Where it has limits there, as sin(x)/x, these
--- count. It is UNDECIDED where the motion comes to a pole or a jump within the error of the run (see hm.first) and does not clearly pass through, as
--- 1/(1 - x) with x = cos t.
function measures.highest(e) return new("max", "hm.highest", e) end
--- The lowest value of an expression in a run, as hm.highest: hm.lowest(x); in words "min x".
function measures.lowest(e) return new("min", "hm.lowest", e) end
--- The mean value over the time of a run: hm.mean "energy"; in words "mean energy". Its error is bounded by 1e-10 of the largest values, whatever peaks,
--- corners and jumps lie within a step. Accelerations are integrated by parts where their factors allow it, as in hm.mean(x*x.ddot): such a mean is as
--- accurate as the velocities, and sweeps take it in lanes. Of reactions, and of accelerations in runs with contacts, events or forces that jump or
--- have corners, a peak narrower than a fiftieth of a step may be missed: max_step bounds the steps.
--- It is refused where the expression is unbounded or has no value, even if the mean exists as that of hm.log(hm.abs(x)) does, and where 4096 halvings of
--- a step do not settle the integral. It is UNDECIDED as hm.highest.
function measures.mean(e) return new("mean", "hm.mean", e) end
--- When an expression first vanishes after the start, rising (direction 1), falling (-1) or either (0): hm.first(x, 1). Or the time of the first event
--- or impact: hm.first "event", hm.first "impact", hm.first "wall" by name; in words "first event". No value where there is none.
--- The time is as accurate as the motion: it is off by the error of e over the rate of e. No value, and the status UNDECIDED in sweeps, where the error of
--- the run decides: before the first root the expression touches zero or passes it by, is zero for a while, or the run ends near a root, within up to 1000
--- tolerances of the states (more after 1000 steps), or 10 times the errors of steps of one size. A jump through zero is no root. NOT_FINITE where the
--- expression may vanish at a place at which it has no value; LIMIT where its roots cannot be told apart. Errors that grow exponentially, as in chaos, are
--- not known: such a value is that of the computed motion. Of accelerations and reactions sampled roots are taken as they are.
function measures.first(e, direction) return new("first", "hm.first", e, direction) end
--- How often an expression vanishes after the start, or events or impacts happen, as by hm.first; in words "count event". It is refused as hm.first, all
--- over the run: hm.count(x - 1) has no value where x = cos t, which touches 1. Where impacts accumulate there are infinitely many of them (NOT_FINITE), and
--- method = "moreau", which locates no impacts, does not count them (UNDECIDED).
function measures.count(e, direction) return new("count", "hm.count", e, direction) end

--- The value of an expression when another one first vanishes after the start, or at the first event or impact: hm.at(x.dot, "impact"), hm.at(y, x, 1).
--- It is refused where hm.first is, and where the expression has a pole (NOT_FINITE) or a jump (UNDECIDED) at that time.
function measures.at(e, when, direction)
  local m = new("at", "hm.at", e, direction)
  if type(when) ~= "string" and not core.is_expression(when) then
    fail("hm.at: when? hm.at(x, y) is the value of x where y vanishes, hm.at(x, \"event\") that at the first event")
  end
  return setmetatable({ word = "at", of = m.of, when = when, direction = m.direction }, Measure.meta)
end

--- The values of a list of expressions where one vanishes, from a time on: a list of points; flat: { flat = their numbers in one list, size = of a point }.
function measures.points(when, direction, list, from, flat)
  local m = new("points", "section", when, direction)
  rawset(m, "list", list)
  rawset(m, "from", from)
  rawset(m, "flat", flat or false)
  return m
end

--- A number that a function(run, row) reads off the run; row: of a sweep, as far as it is known.
function measures.own(f) return setmetatable({ word = "own", of = f, when = false, direction = 0 }, Measure.meta) end

--- The measure of an item of `keep`; nil where it is an expression or a name.
function measures.of(item)
  if getmetatable(item) == Measure.meta then return item end
  local word, of
  if type(item) == "string" then word, of = item:match "^(%a+)%s+(.+)$" end
  return word ~= "at" and word ~= "own" and word ~= "points" and kinds[word] and new(word, "keep", of) or nil
end

-- Does it stand for events or impacts by name, so that there is no expression?
local function is_named(run, m)
  if m.word == "own" then return true end
  if m.word ~= "first" and m.word ~= "count" then return false end
  return m.of == "event" or m.of == "impact" or object.contains(event_names(run), m.of) or object.contains(run.observer.gap_names or {}, m.of)
end

-- A name that is neither an event, nor a contact, nor a quantity: those that may be counted are named
local function demand_known(run, m)
  if m.word ~= "first" and m.word ~= "count" or type(m.of) ~= "string" or is_named(run, m) then return end
  if not m.of:find "^[%a_][%w_ ]*$" or protected(run.observer.expression, run.observer, m.of) then return end
  local names = { "event", "impact" }
  for _, list in ipairs{ event_names(run), run.observer.gap_names or {}, run.system.coordinate_names } do table.move(list, 1, #list, #names + 1, names) end
  fail("keep: \"%s %s\": there is no event, contact or quantity '%s'%s", m.word, m.of, m.of, object.hint(m.of, names))
end

-- A value that is not finite is refused
local function finite(m, value, refusal)
  if not refusal and type(value) == "number" and value - value ~= 0 and m.word ~= "own" then
    refusal = { status = "NOT_FINITE", reason = ("%s is %s"):format(tostring(m), value == value and "infinite" or "not a real number") }
  end
  return not refusal and value or nil, refusal
end

--- The value of a measure in a run; nil: there is none. Second result: why it is refused, see readings.refusal. row: of a sweep, for measures.own.
function measures.value(run, m, row)
  demand_known(run, m)
  if m.word ~= "own" and m.word ~= "points" and not named_occurrences(run, m.word == "at" and m.when or m.of) then
    along.demand_steps(run, m)
    local read, value, refusal = readings.of_run(run, m)
    if read then return finite(m, value, refusal) end
  end
  return finite(m, kinds[m.word](run, m, row))
end

-- From the values of a measure over runs that follow each other, that over all of them
local joined = {
  max = function(values) return math.max(table.unpack(values)) end,
  min = function(values) return math.min(table.unpack(values)) end,
  mean = function(values, spans)
    local sum, length = 0, 0
    for i, value in ipairs(values) do sum, length = sum + value*spans[i], length + spans[i] end
    return sum/length
  end,
  count = function(values)
    local sum = 0
    for _, value in ipairs(values) do sum = sum + value end
    return sum
  end,
  first = function(values, _, n) for i = 1, n do if values[i] then return values[i] end end end,
}
joined.at = joined.first

--- The value of a measure over runs of which each begins where the one before ends; nil: there is none. Second result: why it is refused. An expression or
--- name has its value at the end.
function measures.over(runs, item)
  local m, values, spans = measures.of(item), {}, {}
  local last = runs[#runs]
  if not m then return last:values_at(reading.raw(last):time(reading.raw(last):points()), { item })[1] end
  for i, run in ipairs(runs) do
    local value, refusal = measures.value(run, m)
    if refusal then return nil, refusal end
    values[i], spans[i] = value, run.span[2] - run.span[1]
  end
  if #runs == 1 then return values[1] end
  return joined[m.word] and joined[m.word](values, spans, #runs) or nil
end

-- A vector or a point by its components in the inertial frame, as axis.x, axis.y, axis.z
local function add_components(names, list, name, spatial_thing)
  for i, component in ipairs(spatial.components(spatial_thing.system, spatial_thing)) do
    names[#names + 1], list[#list + 1] = ("%s.%s"):format(name, ("xyz"):sub(i, i)), component
  end
end

--- Names and items of a `keep` in order: positions first, then names. option: the name of what holds them, "keep" when not given.
function measures.listed(keep, what, option)
  local names, list, named = {}, {}, {}
  option = option or "keep"
  for i, item in ipairs(keep) do
    local m = measures.of(item)
    if spatial.is(item) then
      fail("%s: %s[%d] is a vector or a point; give it a name: %s = { place = ... } keeps place.x, place.y, place.z", what, option, i, option)
    end
    names[i] = type(item) == "string" and item or m and tostring(m) or core.is_expression(item) and core.text(item)
      or fail("%s: %s[%d] is an expression or a name, not a %s", what, option, i, type(item))
    list[i] = m or item
  end
  for name in pairs(keep) do if type(name) == "string" then named[#named + 1] = name end end
  table.sort(named)
  for _, name in ipairs(named) do
    if spatial.is(keep[name]) then add_components(names, list, name, keep[name])
    else names[#names + 1], list[#list + 1] = name, measures.of(keep[name]) or keep[name] end
  end
  if #list == 0 then fail("%s: %s is empty", what, option) end
  return names, list
end

--- Raises where one of the numbers of a `keep` cannot be had from the run, which need not have begun.
function measures.check(run, keep)
  local _, items = measures.listed(keep, "simulate")
  for _, item in ipairs(items) do
    local m = measures.of(item)
    if m then demand_known(run, m) end
    if not m or not is_named(run, m) then run.observer:expression(m and m.of or item) end
    if m and not is_named(run, m) then along.demand_steps(run, m) end
  end
end

local Kept = object.class "Kept"
function Kept.meta.__tostring(kept)
  local lines = {}
  for i, name in ipairs(rawget(kept, "_names")) do
    local value, refusal = rawget(kept, name), rawget(kept, "_refused")[name]
    lines[i] = name .. " = " .. (value and object.number(value) or refusal and "no value: " .. refusal.reason or "none")
  end
  return table.concat(lines, "\n")
end
function Kept.meta.__own(kept, key)
  local refusal = rawget(kept, "_refused")[key]
  if refusal then fail("keep: '%s': %s", key, refusal.reason) end
  if object.contains(rawget(kept, "_names"), key) then return false end
end

--- Returns measures of the whole run by name: k = run:keep{ "max theta", "mean energy", "first event", top = hm.highest(y), "x" }; k["max theta"], k.top.
--- An expression or name alone is its value at the end; a vector or a point takes a name and is kept by its components in the inertial frame: axis = R.z
--- is axis.x, axis.y, axis.z. Words: max, min, mean of an expression; first, count of "event", "impact", the name of an
--- event or wall, or the roots of an expression. The value is false where there is none, such as no first event. A measure that has no value, such as the
--- largest one of 1/x where x becomes zero, is printed with the reason, and reading it raises an error.
function Trajectory:keep(list)
  if type(list) ~= "table" then fail("run:keep takes a list: run:keep{ \"max x\", \"mean energy\" }") end
  local names, items = measures.listed(list, "run:keep")
  local kept, last = { _names = names, _refused = {} }, reading.raw(self):time(reading.raw(self):points())
  for i, name in ipairs(names) do
    if kept[name] ~= nil then fail("run:keep has '%s' twice", name) end
    local m = measures.of(items[i])
    if m then kept[name], kept._refused[name] = measures.value(self, m)
    else kept[name] = self:values_at(last, { items[i] })[1] end
  end
  return setmetatable(kept, Kept.meta)
end

--- What the option keep of S:simulate asked for, as run:keep gives it; nil without that option.
function Trajectory.get.kept(self)
  local asked = self.options.keep
  if not asked or not rawget(self, "raw") then return nil end
  local kept = self:keep(asked)
  rawset(self, "kept", kept)
  return kept
end

return measures
