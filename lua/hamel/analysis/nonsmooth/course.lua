-- course.lua: directions along a run with contacts: smooth segments by the equations of their modes, saltation matrices (guards.lua)
-- at impacts and switches. Where impacts accumulate, the product of their matrices converges, as does that in which the last one has no restitution and
-- closes the contact: neighbouring motions have it earlier or later by a time that converges, and its velocity vanishes.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local events = require "hamel.analysis.nonsmooth.events"
local guards = require "hamel.analysis.nonsmooth.guards"
local methods = require "hamel.run.methods"
local modes = require "hamel.analysis.nonsmooth.modes"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local course = {}

-- How far the equations of a mode may be off the run, relative to the state; the least cosine of the angle at which a guard is met
local OFF, TRANSVERSAL = 1e-5, 1e-7
local MOST, COMMUTE = 4, 1e-6           -- impacts at once that are taken in all orders; relative: by how much the orders may differ

-- The run, with all that is read off it
local function run_of(system, what, o, t0, t1)
  local given = { q = o.q, v = o.v, t = { t0, t1 }, parameters = o.parameters, form = "lagrange" }
  for _, name in ipairs(variations.run_names) do given[name] = o[name] end
  local run = system:simulate(given)
  if core.host.interrupted() then error("interrupted", 0) end
  if run.outcome.status ~= "OK" then fail("%s: the run %s", what, run.outcome.message) end
  return run
end

-- The last stored state at an event, its place, and the first one: an event has two points at its time
local function states_at(raw, from, t)
  local i = from
  while raw:time(i) < t do i = i + 1 end
  local last = i
  while last < raw:points() and raw:time(last + 1) <= t do last = last + 1 end
  return raw:state(last), last, raw:state(i)
end

-- Stored coordinates and velocities by name
local function by_name(system, x)
  local q, v, n = {}, {}, #system.coordinate_names
  for i, name in ipairs(system.coordinate_names) do q[name], v[name] = x[i], x[n + i] end
  return q, v
end

-- The flow of each mode, made once
local function flow_of(flows, system, what, o, mode, t, x)
  local key = modes.key(mode)
  if not flows[key] then
    local q, v = by_name(system, x)
    local given = { q = q, v = v, t = t, parameters = o.parameters, form = "lagrange" }
    for _, name in ipairs(variations.run_names) do given[name] = o[name] end
    flows[key] = variations.flow(modes.system(system, mode, what), what, given, t + 0.0)
    flows[#flows + 1] = flows[key]
  end
  return flows[key]
end

-- Largest difference of two states over their size, in the units of the flow where it has some
local function distance(flow, a, b)
  local units, most = flow.state_units, 0
  for i = 1, flow.size do most = math.max(most, math.abs(a[i] - b[i])/((units and units[i] or 1) + math.abs(b[i]))) end
  return most
end

local function counted(n)
  local list = {}
  for k = 1, n do list[k] = k end
  return list
end

local function filled(n, value)
  local list = {}
  for k = 1, n do list[k] = value end
  return list
end

-- The mode in which no gap is closed and every friction slips, in one direction
local function free_mode(mode)
  local free = {}
  for name, what in pairs(mode) do free[name] = (what == "closed" or what == "open") and "open" or 1 end
  return free
end

local Course = {}
Course.__index = Course

function Course:demand_close(flow, x, recorded, t)
  if distance(flow, x, recorded) > OFF then
    fail("%s: the motion between impacts and switches leaves the run near t = %.9g; take a smaller rtol", self.what, t)
  end
end

-- State and directions, over all states, behind one of the events { name, guard, reset } at the end of a segment
function Course:behind(segment, event, x, directions)
  local t, out = segment.to, {}
  local met, after, jump = guards.across({ flow = segment.flow, guard = event.guard, reset = event.reset }, self.segments[segment.index + 1].flow, t, x)
  if math.abs(met.speed) <= TRANSVERSAL*met.size then
    fail("%s: '%s' is only grazed at t = %.9g: there is no derivative there", self.what, event.name, t)
  end
  for k, d in ipairs(directions) do out[k] = jump(d) end
  return after, out
end

-- All orders of the numbers up to n
local function orders_of(n)
  if n == 0 then return { {} } end
  local list = {}
  for _, order in ipairs(orders_of(n - 1)) do
    for place = 1, n do
      local longer = table.move(order, 1, n - 1, 1, {})
      table.insert(longer, place, n)
      list[#list + 1] = longer
    end
  end
  return list
end

-- The largest difference of two lists of directions over their largest entry
local function apart(some, others)
  local most, largest = 0, 0
  for k, d in ipairs(some) do
    for i, value in ipairs(d) do most, largest = math.max(most, math.abs(value - others[k][i])), math.max(largest, math.abs(value)) end
  end
  return most > 0 and most/largest or 0
end

-- The parts of directions that are tangent to the constraints of a flow: what a closing contact takes away is zero, and not what differences leave of it
local function onto_tangents(flow, t, x, directions)
  if #flow.E.positions + #flow.E.velocities == 0 then return directions end
  local basis, parts = flow:tangents(t, guards.state_for(flow, x)), {}
  for k, d in ipairs(directions) do
    parts[k] = filled(#d, 0.0)
    for _, u in ipairs(basis) do
      local part = tangent.dot(d, u)
      for i, value in ipairs(u) do parts[k][i] = parts[k][i] + part*value end
    end
  end
  return parts
end

-- Directions right after the event at the end of a segment. Neighbouring motions have impacts that are at once here in any order: there is a derivative
-- where all orders give the same, as where they do not act on each other
function Course:across(segment, x, directions)
  local following, t, found = self.segments[segment.index + 1], segment.to, nil
  local names, before = segment.event.names or { segment.event.name }, {}
  for k, d in ipairs(directions) do before[k] = segment.flow:whole(d) end
  if #names > MOST then fail("%s: %s change at once at t = %.9g: more than %d are not looked at", self.what, object.quoted(names), t, MOST) end
  for _, order in ipairs(orders_of(#names)) do
    local after, carried = x, before
    for _, k in ipairs(order) do after, carried = self:behind(segment, segment.events[k], after, carried) end
    if #names == 1 then self:demand_close(segment.flow, after, following.x, t) end
    for k, d in ipairs(carried) do carried[k] = following.flow:part(d) end
    if #names > 1 and distance(segment.flow, after, following.x) > OFF or found and apart(found, carried) > COMMUTE then
      fail("%s: %s change at once at t = %.9g: there is no derivative there", self.what, object.quoted(names), t)
    end
    found = found or carried
  end
  return onto_tangents(following.flow, t, following.x, found)
end

-- Raises where directions vanish at an impact that takes none away: they differ by too many orders of magnitude
function Course:demand_taken(segment)
  local following, gap, t = self.segments[segment.index + 1], self.system.gaps[segment.event.name], segment.to
  if segment.event.kind ~= "impact" or segment.event.to == "closed" then return end
  if #following.flow:tangents(t, following.x) < #segment.flow:tangents(t, segment.x) then return end
  local flow = segment.flow
  local program = flow.observer:program{ core.number(gap.law.restitution or 0) }
  if flow.observer:evaluate(program, flow.w, t, guards.state_for(flow, following.x))[1] == 0 then return end
  fail("%s: the impact at '%s' at t = %.9g leaves directions that differ by more than seven orders of magnitude: masses or lengths differ by too many, or the "
    .. "restitution is nearly 0; bring them closer together, take hm.newton(0), or ask for fewer exponents", self.what, segment.event.name, t)
end

-- Which directions are there, and how often each was taken away: a new table
function Course:noted(lost)
  local marks = { lost = table.move(self.marks.lost, 1, self.count, 1, {}), present = filled(self.count, false) }
  for k in pairs(lost) do marks.lost[k] = marks.lost[k] + 1 end
  for _, k in ipairs(self.alive) do marks.present[k] = true end
  return marks
end

--- Begins with these directions, of which `count` are to be carried: contacts may hold the others.
function Course:begin(directions, count)
  self.count, self.alive, self.marks = count, counted(#directions), { lost = filled(count, 0) }
  self.marks = self:noted{}
end

-- Directions right after the event at the end of a segment, and logarithms of their growth. Those that the event takes away are gone until the motion has as
-- many directions again, as where a contact opens: then new ones take their places behind the others, whose growth does not depend on them
function Course:over(segment, x, directions, ways)
  local count, alive, lost = #directions, {}, {}
  local logs, places
  directions, logs, places = ways.rescaled(self:across(segment, x, directions))
  if #places < count then self:demand_taken(segment) end
  for i, place in ipairs(places) do alive[i] = self.alive[place] end
  local growth, present = {}, {}
  for i, place in ipairs(places) do
    growth[alive[i]] = logs[place]
    present[alive[i]] = true
  end
  for _, k in ipairs(self.alive) do if not present[k] then lost[k] = true end end
  if #directions < self.count then
    local following = self.segments[segment.index + 1]
    local basis = following.flow:tangents(segment.to, following.x)
    local gained = math.min(#basis, self.count) - #directions
    if gained > 0 then
      for _, d in ipairs(ways.beside(basis, directions, gained)) do directions[#directions + 1] = d end
      for k = 1, self.count do
        if not present[k] and #alive < #directions then alive[#alive + 1] = k end
      end
    end
  end
  if #alive ~= #self.alive or next(lost) then
    self.alive = alive
    self.marks = self:noted(lost)
  end
  return directions, growth
end

--- Directions from t to `last`. ways: { smooth(flow, t, last, x, directions, piece), which carries them along a segment and returns state, directions,
--- logarithms of growth, piece; rescaled(directions), which makes them orthonormal and returns those that are left, all logarithms, the places of those that
--- are left; beside(basis, directions, n), which returns n new directions of the basis that are orthogonal to these }.
--- Returns what `smooth` returns, the logarithms by places of all directions. self.marks: which of them were taken away, or are not there, see averages.lua.
function Course:carry(t, last, x, directions, piece, ways)
  local sums = filled(self.count, 0.0)
  while true do
    local segment = self.segments[self.at]
    local stop = math.min(segment.to, last)
    if stop > t then
      local logs
      x, directions, logs, piece = ways.smooth(segment.flow, t, stop, guards.state_for(segment.flow, x), directions, piece)
      for i, k in ipairs(self.alive) do sums[k] = sums[k] + logs[i] end
      t = stop
      self:demand_close(segment.flow, x, self.raw:at(t), t)
    end
    if segment.to > last or not segment.event then break end
    local growth
    directions, growth = self:over(segment, x, directions, ways)
    for k, log in pairs(growth) do sums[k] = sums[k] + log end
    self.at = self.at + 1
    x = self.segments[self.at].x
  end
  -- errors of the state do not add up
  if self.segments[self.at].from < t then x = guards.state_for(self.segments[self.at].flow, self.raw:at(t)) end
  return x, directions, sums, piece
end

local LOOKS, RESTS = 200, 1e-9          -- states of a run that are looked at; of the largest extent of a coordinate: a smaller one is that of rest

-- How fast the fastest of n coordinates of a run moves, over its extent: contacts bound free flight, whose equations hold no time
local function fastest_of(raw, n)
  local low, high, widest, fastest = {}, {}, 0.0, 0.0
  for k = 1, raw:points(), math.max(1, raw:points()//LOOKS) do
    for i, value in ipairs(raw:state(k)) do low[i], high[i] = math.min(low[i] or value, value), math.max(high[i] or value, value) end
  end
  for i = 1, n do widest = math.max(widest, high[i] - low[i]) end
  for i = 1, n do
    local extent, speed = high[i] - low[i], high[n + i] - low[n + i]
    if extent > RESTS*math.max(widest, math.abs(high[i])) then fastest = math.max(fastest, speed/extent) end
  end
  return fastest
end

--- All states that the run has stored, on both sides of impacts, and their times: { times, flat, size }.
function Course:looks()
  local looks = { times = {}, flat = {}, size = 2*#self.system.coordinate_names }
  for k = 1, self.raw:points() do
    looks.times[k] = self.raw:time(k)
    table.move(self.raw:state(k), 1, looks.size, (k - 1)*looks.size + 1, looks.flat)
  end
  return looks
end

--- The course of the motion from t0 to t1: { flow of the first segment, flows = of all modes, fastest = change of a coordinate over its extent, in a unit of
--- time, x, names, begin, carry, looks, marks, directions = how many the system has where no contact takes any }.
function course.new(system, what, o, t0, t1)
  modes.check(system, what)
  methods.demand_directions(what, o.method)
  if o.form and o.form ~= "lagrange" then fail("%s: motions with contacts have derivatives in form = \"lagrange\"", what) end
  local run = run_of(system, what, o, t0, t1)
  local walk = events.walk(system, run, t1 - t0, what, true)
  local raw, flows, segments, place = run.raw, {}, {}, 1
  local mode, from, x = walk.mode, t0, raw:state(1)
  for i = 1, #walk.events + 1 do
    local event = walk.events[i]
    segments[i] = { index = i, from = from, to = event and event.t or t1, x = x, event = event, flow = flow_of(flows, system, what, o, mode, from, x) }
    if event then
      local before
      x, place, before = states_at(raw, place, event.last)
      if event.accumulated then x = guards.closed(system, segments[i].flow, event, before) end
      mode, from = event.mode, event.t
    end
  end
  -- what is counted must not depend on the modes that this run meets
  local free = flow_of(flows, system, what, o, free_mode(walk.mode), t0, raw:state(1))
  local kept = guards.kept(flows, guards.expressions(system))
  for _, flow in ipairs(flows) do flow.kept = kept end
  for i = 1, #segments - 1 do
    local flow, next_flow, event = segments[i].flow, segments[i + 1].flow, segments[i].event
    segments[i].events = {}
    for k, name in ipairs(event.names or { event.name }) do
      local one = setmetatable({ name = name }, { __index = event })
      segments[i].events[k] = { name = name, guard = guards.of(system, flow, one), reset = guards.reset(system, flow, next_flow, one) }
    end
  end
  local directions = #free:tangents(t0, guards.state_for(free, raw:state(1)))
  local names, E = {}, flows[1].E
  for k, at in ipairs(kept) do names[k] = core.text(at <= #E.kin and E.kin[at] or E.dyn[at - #E.kin]) end
  return setmetatable({ system = system, what = what, directions = directions, segments = segments, raw = raw, at = 1,
                        flow = segments[1].flow, flows = flows, fastest = fastest_of(raw, #system.coordinate_names), names = names,
                        x = guards.state_for(segments[1].flow, segments[1].x) }, Course)
end

--- Does the system need one?
function course.needed(system) return contact.any(system) end

return course
