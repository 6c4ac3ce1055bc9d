-- chart/ending.lua: what does a motion do at the end: does it come to rest, return, still settle, or none of these?
--
-- An exponent that is zero tells of a direction in which nothing shrinks, and not of motion: states of rest of nonholonomic systems, and of bodies that a
-- ring-shaped well holds, fill whole families, and so do cycles. What a motion does is read off its states: off some of the whole run, and where these leave
-- it open, off the points at which a coordinate turns, or an angle passes two places in a turn, of its last part, which is run once more without directions.
local almost = require "hamel.chart.almost"
local contact = require "hamel.system.contact"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local jobs = require "hamel.analysis.sweep.jobs"
local methods = require "hamel.run.methods"
local periods = require "hamel.chart.periods"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"
local turns = require "hamel.chart.turns"
require "hamel.analysis.section"

local ending = {}

local WINDOWS, FEWEST = 8, 4            -- of the whole time; states in each at least
local STILL = 1e-8                      -- of the extents of the motion: by how much a motion at rest changes at most
local ERRORS = 100                      -- times atol: changes that errors make
local FALLS, FAR = 0.1, 0.01            -- over the last half, and in all: by how much the changes of a motion that comes to rest have shrunk at least
local WANES = 0.7                       -- from the second quarter to the last one: what shrinks by more may come to rest
local LOST = 100                        -- times rtol: the part of the energy that errors may take
local HELD = 3                          -- times its change: a velocity that is larger does not vanish
local STEPS = 2000                      -- of the run once more
local MOST, FEW_POINTS, MANY = 16, 16, 200 -- the longest return; points at least and at most
local ENOUGH = 64                       -- points of which it is told whether a motion nearly repeats
local CLOSE, NOISE = 1e-6, 100          -- of the extent: points that are nearer are one; times rtol: errors of points
local LONGEST = 4                       -- times the time of the motion: how long it is followed beyond its end
local NEAR = 0.25                       -- of the extent: what is near, after some number of points, wherever a motion of several frequencies is
local SHRINKS, FALLEN = 0.5, 0.1        -- to how much such distances shrink where it is seen to come to a cycle, and where this alone tells so
local SLOW = 1e-3                       -- of the extent: where it comes to a cycle slowly they are less
local NEARLY = 100                      -- times `close`: points that come nearer may be apart by errors alone
local FINER, LEAST_RTOL = 1e-2, 1e-14   -- times the tolerances of the run: those that tell errors of it; the least one
local PART = 1e-4                       -- of the extent of the motion: what counts of that of the points at least

-- The largest change in each window of the time, over the extents of the motion; nil where a window has too few states. Second result: how small the last
-- one is, over what errors of the run make
local function changes_of(looks, t0, t1, atol)
  local times, flat, size, list = looks.times, looks.flat, looks.size, {}
  local extent = points.extent(looks)
  local from, still = 1, true
  for w = 1, WINDOWS do
    local to = from - 1
    while to < #times and (w == WINDOWS or WINDOWS*(times[to + 1] - t0)/(t1 - t0) < w) do to = to + 1 end
    if to - from + 1 < FEWEST then return nil end
    local most = 0
    for i = 1, size do
      local low, high = math.huge, -math.huge
      for k = from, to do
        local value = flat[(k - 1)*size + i]
        low, high = math.min(low, value), math.max(high, value)
      end
      local scale = math.max(extent[i], ERRORS*atol)
      most = math.max(most, (high - low)/scale)
      if w >= WINDOWS - 1 and high - low > STILL*extent[i] + ERRORS*atol then still = false end
    end
    list[w], from = most, to + 1
  end
  return list, still
end

--- What the states that were looked at tell: the motion has come to "rest", or "wanes", its changes shrink; nil: neither. looks: a flat list with times
function ending.seen(looks, t0, t1, atol)
  local list, still = changes_of(looks, t0, t1, atol)
  if not list then return nil end
  if still then return "rest" end
  local falls, most, half = true, math.max(table.unpack(list)), WINDOWS//2
  for w = half + 2, WINDOWS do falls = falls and list[w] < list[w - 1] end
  if falls and list[WINDOWS] <= FALLS*list[half + 1] and list[WINDOWS] <= FAR*most then return "rest" end
  local before, late = math.max(list[half - 1], list[half]), math.max(list[WINDOWS - 1], list[WINDOWS])
  return late < WANES*before and "wanes" or nil
end

--- Do coordinates at rest among the states leave others moving, which no equation contains, at constant velocities? places: of these velocities
function ending.goes_on(looks, places, atol)
  local flat, size, count = looks.flat, looks.size, #looks.times
  for _, i in ipairs(places) do
    local low, high, most = math.huge, -math.huge, 0
    for k = 1, count do
      local value = flat[(k - 1)*size + i]
      most = math.max(most, math.abs(value))
      if k > count - count//WINDOWS then low, high = math.min(low, value), math.max(high, value) end
    end
    local speed = math.abs(flat[(count - 1)*size + i])
    if speed > HELD*(high - low) and speed > ERRORS*atol + STILL*most then return true end
  end
  return false
end

--- A function of a flat list of states and of parameters by name: do forces take energy at states of the last half, and give none, and does it not rise from
--- one to the next by more than errors of the run make? Then the motion comes to rest: in motions that last energy rises, too. Where it contains coordinates
--- that are not among the states: false. Where it is not known what forces do, the energy must fall, by more than errors make.
function ending.falling(system, list, rtol)
  local E, known = system:equations "lagrange", gradients.set(list)
  local energy, power = E.energy and system:plain(E.energy), core.rational(0)
  for i, Q in ipairs(E.forces or {}) do power = power + Q*E.dyn[i] end
  power = system:plain(power)
  local told = E.forces and #E.forces == #E.dyn and #system:forces_on_rates() == 0 and not system:external_forces()[1] and not contact.any(system)
    and not gradients.contains(power, gradients.set(E.multipliers or {}))
  for _, q in ipairs(energy and system:coordinate_list() or {}) do
    if not known[q] and gradients.contains(energy, { [q] = true }) then energy = nil break end
    told = told and (known[q] or not gradients.contains(power, { [q] = true }))
  end
  if told and power:is_zero() == true then energy = nil end
  local moving = table.move(list, 1, #list, 1, {})
  moving[#moving + 1] = symbols.t
  local program, count
  return function(looks, parameters)
    if not energy then return false end
    local named, values = compile.parameter_values(system, parameters)
    if count ~= #named then
      local fine
      fine, program = protected(core.program, compile.flat{ moving, named }, { energy, told and power or core.rational(0) })
      if not fine then energy = nil return false end
      count = #named
    end
    local first, before, most, taken, slack = nil, math.huge, 0, false, LOST*(rtol or 0)
    for k = #looks.times//2, #looks.times do
      local arguments = points.of_flat(looks, k)
      arguments[#arguments + 1] = looks.times[k]
      local found = program:eval(table.move(values, 1, #values, #arguments + 1, arguments))
      local value = found[1]
      if not (value < before + (told and slack*most or 0) and found[2] <= 0) then return false end
      first, before, most, taken = first or value, value, math.max(most, math.abs(value)), taken or found[2] < 0
    end
    return told and taken or not told and first - before > slack*most
  end
end

-- The run of these options if it is accepted; nil: it is not. Interrupts go on
local function accepted(system, given)
  local fine, run = protected(system.simulate, system, given)
  if core.host.interrupted() then error(run, 0) end
  jobs.rethrow_interrupt(fine, run)
  return fine and run.status == "OK" and run or nil
end

-- Options of a run like those of the chart; form: where it is not theirs
local function late_options(o, parameters, form)
  local given = { parameters = parameters, form = form or o.form }
  for _, name in ipairs{ "rtol", "atol", "method", "step", "max_step" } do given[name] = o[name] end
  return given
end

-- A run of the last part of a motion: from a late state or, where that is not accepted, from the start of the motion. nil: there is none. finer: times its
-- tolerances
local function late_run(about, row, looks, job, parameters, form, finer)
  local system, o, t0, t1 = about.system, about.o, about.t0, about.t1
  local length = math.min((t1 - t0)/2, STEPS*(t1 - t0)/math.max(row.steps or 0, 1))
  local given, at = late_options(o, parameters, form), 1
  if finer then given.rtol, given.atol = finer*o.rtol, finer*o.atol end
  for k, t in ipairs(looks.times) do if t <= t1 - length then at = k end end
  local state = points.of_flat(looks, at)
  given.q, given.v = points.start(about.names, state, system)
  given.t = { looks.times[at], t1 }
  local run = accepted(system, given)
  if run then return run, looks.times[at] end
  given.q, given.v, given.t = job.q, job.v, { t0, t1 }
  return accepted(system, given), t1 - length
end

-- The run of a motion beyond its end, until it has met a section often enough, which it does `pace` times in a unit of time
local function further_run(about, row, looks, parameters, form, pace)
  local t0, t1 = about.t0, about.t1
  local given = late_options(about.o, parameters, form)
  given.q, given.v = points.start(about.names, points.of_flat(looks, #looks.times), about.system)
  given.t = { t1, t1 + math.min(LONGEST*(t1 - t0), STEPS*(t1 - t0)/math.max(row.steps or 0, 1), ENOUGH/pace) }
  return accepted(about.system, given)
end

-- Sections that motions may meet: where a coordinate turns, the one that moves most first, and where an angle passes two places in a turn
local function sections_of(about, looks)
  local late = points.part(looks, #looks.times//2 + 1, #looks.times)
  local extent, whole, list = points.extent(late), points.extent(looks), {}
  local marks = turns.marks(about.system)
  for i, name in ipairs(about.names) do
    local q = about.system._coordinate[name]
    local moves = whole[i] > 0 and extent[i]/whole[i] or 0
    if q then list[#list + 1] = { when = q.dot, moves = moves } end
    if q and marks[name] then list[#list + 1] = { when = marks[name], moves = moves } end
  end
  table.sort(list, function(a, b) return a.moves > b.moves end)
  return list, late
end

-- The points of a run after a time, on that of the sections which it meets often enough, or most often: a flat list; nil: there are too few
local function points_of(about, run, from, sections)
  local best, size, flat = {}, #about.list, {}
  for _, section in ipairs(sections) do
    local fine, met = protected(run.roots, run, section.when, 1)
    if core.host.interrupted() then error(met, 0) end
    local times = {}
    for _, t in ipairs(fine and met or {}) do if t > from then times[#times + 1] = t end end
    if #times > #best then best = times end
    if #best >= FEW_POINTS then break end
  end
  if #best < FEW_POINTS then return nil end
  local asked = table.move(about.list, 1, size, 1, {})
  asked[size + 1] = { times = table.move(best, math.max(1, #best - MANY + 1), #best, 1, {}) }
  local columns = table.pack(run:series(table.unpack(asked)))
  for k = 1, #columns[1] do for i = 1, size do flat[(k - 1)*size + i] = columns[i + 1][k] end end
  return { flat = flat, size = size }
end

-- How points are compared: their scales, `whole` of turns.lua, and the options of periods.settled. late: states of the second half of the motion
local function comparison(about, list, late, parameters)
  local extent, sizes = points.extent(late, list)
  local rtol = about.o.rtol or 0
  local o = { most = math.min(MOST, #list.flat//list.size//2), close = math.max(CLOSE, NOISE*rtol), rtol = rtol, part = PART }
  local whole = turns.of(about.system, about.names).at(parameters)
  turns.bound(whole, extent, sizes)
  -- states that errors alone change do not count
  return points.scale(extent, sizes, ERRORS*about.o.atol), whole, o
end

-- Does each point nearly come again after some number of points, the same for all?
local function nearly_returns(list, o, scale, whole)
  local count = #list.flat//list.size
  for q = 1, o.most do
    local k = 1
    while k <= count - q and points.distance_in(list, k, k + q, scale, whole) <= NEARLY*o.close do k = k + 1 end
    if k > count - q then return true end
  end
  return false
end

--- Does the motion return, "returns", or come nearer to one that does, "settles"? "neither": as on a torus; "unknown": there are too few points, or no run.
--- about: { system =, o = options, names = and list = of the states, t0 =, t1 = }; job: the start of the motion, { q =, v = }; form: of its run, if it is not
--- that of the options. Second result: how many points the motion has in a unit of time. What nearly returns is run once more with smaller tolerances: errors
--- move a motion along families of cycles, as those of a body that rolls
function ending.of(about, row, looks, job, parameters, form)
  local sections, late = sections_of(about, looks)
  local function look(finer)
    local run, from = late_run(about, row, looks, job, parameters, form, finer)
    local list = run and points_of(about, run, from, sections)
    if not list then return "unknown" end
    local scale, whole, o = comparison(about, list, late, parameters)
    local verdict = periods.settled(list, o, false, scale, whole)
    local found = verdict == true and "returns" or verdict == false and "settles" or "neither"
    return found, #list.flat//list.size/(about.t1 - from), found ~= "returns" and nearly_returns(list, o, scale, whole)
  end
  local found, pace, nearly = look()
  local rtol = about.o.rtol
  if not nearly or not rtol or methods.is_fixed(about.o.method) then return found, pace end
  local again, finer_pace = look(math.max(FINER, LEAST_RTOL/rtol))
  if again == "returns" then return again, finer_pace end
  return found, pace
end

--- Does the motion, as it goes on beyond its end, come to no cycle, and nearly repeat after some number of points, wherever it is? One of several frequencies
--- does. A chaotic transient goes on chaotically, or comes to what it comes to. The arguments: as above; pace: points in a unit of time
function ending.is_of_several_frequencies(about, row, looks, parameters, form, pace)
  local run = further_run(about, row, looks, parameters, form, pace)
  local sections, late = sections_of(about, looks)
  local list = run and points_of(about, run, about.t1, sections)
  if not list then return false end
  local scale, whole, o = comparison(about, list, late, parameters)
  o.plain = true
  local verdict, _, period = periods.settled(list, o, false, scale, whole)
  if period then return false end
  local least, ratio = almost.least(list, scale, whole)
  if ratio < FALLEN or verdict == false and (ratio < SHRINKS or least < SLOW) then return false end
  return least < NEAR
end

return ending
