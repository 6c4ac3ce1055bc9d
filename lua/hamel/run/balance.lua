-- balance.lua: checks a run that reached its end: its energy balance, its constraints and the digits of its accelerations are compared with the effect of
-- errors of the size of the tolerances. What is missing from the energy counts beside the exchanged energy, the range of the kinetic energy along the run,
-- and beside the energy of the motion, such as the largest kinetic energy: neither depends on a constant of the potential energy.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local lost_digits = require "hamel.run.lost_digits"
local parts = require "hamel.run.parts"
local protected = require "hamel.base.protected"
local slips = require "hamel.model.slips"
local symbols = require "hamel.algebra.symbols"
local switches = require "hamel.run.switches"

local balance = {}

local MANY = 128                       -- times of a run in a sweep: more are not looked at together
local TIMES = 10                       -- what may be missing, in units of what the tolerances allow in all steps together
local LEAST, MOST = 1e-3, 0.1          -- of the exchanged energy: what may always be missing; of the motion: what may be with time stepping for many contacts
local MOST_STORED, DENSE = 5e7, 8      -- numbers: no run is made again to store more; times those of the states, with values between the steps
local PER_CENT = 1e-2                  -- of the energy of the motion: what may be missing with other steps of one size
local ONE_STEP = 200                   -- times the errors that the tolerances allow in a step: what it may change of the balance; methods reach 50
local EACH_STEP = 20                   -- times these for each of many steps together; methods reach 13
local PIECES = { 16, 256, 4096 }       -- of a step that is made again, until their quadrature of the work is good
local OF_PARTS = 21                    -- states at which the energies of parts are looked at
local AT_ONCE = 10000                  -- states of which the energies are found in one call
local TIGHTER = 1e-2                   -- of rtol and atol: those of a run that confirms another
local MOST_AGAIN = 20000               -- steps that are made again to find their work
local MORE_STEPS, FEW_STEPS = 20, 100  -- times the steps, and a few: those of a run with such tolerances at most
local LAST_DIGITS = { atol = 0, rtol = 1e-13 }
local FAINTEST, FALLS = 1e-8, 0.5      -- of the energy of the motion: one that begins with less, and whose potential energy does not fall, is at rest
local WHOLE = 0.5                      -- of the energy of the motion: more is never explained, however many steps there are
local FAINT = 0.1                      -- the same of a motion as small as atol, of which a few steps may lose as much
local LOOSE, RTOLS = 1e-2, 20          -- of the exchanged energy, or in units of rtol: more is explained only by the tolerances at the state itself
local CONSTRAINTS = 1e4                -- residual in units of the tolerance
local PART = 1e-2                      -- of the terms of a constraint: allowed residual, unless that is HUNDRED tolerances
local HUNDRED, ASIDE = 100, 1e-6
local ROUNDING = 1e-14                 -- of the terms: no residual is smaller
local NOISE = 100                      -- an event within so many tolerances all the time is zero

-- The ends of a run that stores nothing else, and its marks between them. They are chosen by number, as samples() chooses among all states: so the
-- same states are looked at whatever is stored
local Marked = { marked = true }
Marked.__index = Marked
function Marked:points() return self.raw:marks() + 2 end
function Marked:time(i) return (self:point(i)) end
function Marked:state(i) return select(2, self:point(i)) end
function Marked:point(i)
  if i > 1 and i <= self.raw:marks() + 1 then return self.raw:mark(i - 1) end
  local k = i == 1 and 1 or self.raw:points()
  return self.raw:time(k), self.raw:state(k)
end

local function with_marks(raw)
  local marked = type(raw) == "userdata" and raw:marks() > 0
  return marked and setmetatable({ raw = raw }, Marked) or raw
end

-- Numbers of the states at which the verdict looks
local function samples(raw) return core.samples(raw.marked and raw.raw or raw, raw.marked) end

-- What the core reads states from: a workspace without contacts, and the states; with true, its ends and its marks
local function readable(run, raw)
  local w = run.workspace
  return type(w) == "userdata" and w or w.workspace, raw.marked and raw.raw or raw, raw.marked
end

-- What errors of the tolerances change of the energy at stored states, with_work: and of the work; the largest change of an energy
local function allowed(run, raw, list, o, with_work)
  local reader, states, marked = readable(run, raw)
  return core.allowed(reader, states, list, marked, run.model:has_work(), o.atol, o.rtol, with_work)
end

-- The kinetic energy with which the motion begins
local function energy_at_start(w, raw)
  w:set_state(raw:time(1), raw:state(1))
  local fine, _, kinetic = protected(w.energies, w)
  return fine and math.abs(kinetic) or 0
end

--- The rates of the state x at the time t; nil where they have no value.
function balance.rates_at(w, t, x)
  w:set_state(t, x)
  local fine, rates = protected(w.rate, w)
  return fine and rates or nil
end

-- Is the state x one of rest at the time t, but for rounding of it? n: numbers of it that count; which: those that may move, nil: all of them
local function is_rest(w, t, x, n, which)
  local rates, sizes = balance.rates_at(w, t, x), {}
  if not rates then return true end
  for i = 1, n do
    local kept = x[i]
    x[i] = kept + LAST_DIGITS.rtol*math.abs(kept)
    local moved = x[i] ~= kept and balance.rates_at(w, t, x)
    for k = 1, moved and n or 0 do sizes[k] = (sizes[k] or 0) + math.abs(moved[k] - rates[k]) end
    x[i] = kept
  end
  for i = 1, which and #which or n do
    local k = which and which[i] or i
    if math.abs(rates[k]) > (sizes[k] or 0) then return false end
  end
  return true
end

-- Does a run stay at rest where it begins, at all times of the list? What rounding makes of it there is no motion.
-- Contacts, and forces that are functions in Lua, are in no rate: there the energy tells
local function rests(run, raw, list, met)
  local system, n = run.equations.system, run.model:state_size() - (run.model:has_work() and 1 or 0)
  if contact.any(system) or #system:_external_forces() > 0 then
    return not (energy_at_start(run.workspace, raw) > FAINTEST*met.size or met.drop > FALLS*met.size)
  end
  for k = 1, #list do if not is_rest(run.workspace, raw:time(list[k]), raw:state(1), n) then return false end end
  return true
end

-- The energy at (t, x); nil where it has no value, as beyond the end of measured data
local function energy_at(w, t, x)
  local fine, energy = protected(function()
    w:set_state(t, x)
    return (w:energies())
  end)
  return fine and energy or nil
end

-- The work of potentials that time switches, where a step ends at the switch or the run begins on it: t and change of the energy there, in all so far
local function switched(run, raw)
  local w, list, sum = run.workspace, {}, 0
  local forward = raw:time(raw:points()) >= raw:time(1) and 1 or -1
  local function energy(t, x) return energy_at(w, t, x) end
  for i = 1, raw:points() do
    local t, here, behind = raw:time(i), nil, nil
    if i == 1 or raw:time(i - 1) ~= t then here, behind = switches.at(energy, t, raw:state(i), raw:time(1), forward, i == 1) end
    if here then
      list[#list + 1] = { i = i, here = sum + here, behind = sum + behind }
      sum = sum + behind
    end
  end
  return list
end

-- Of these, what the energy of stored state i has
local function switched_at(list, i)
  local sum = 0
  for _, one in ipairs(list or {}) do
    if one.i == i then return one.here elseif one.i < i then sum = one.behind end
  end
  return sum
end

-- What the work of a run lacks at stored state i: that of switched potentials, and the errors of its quadrature
local function lacking_at(run, i)
  local errors = rawget(run, "work_errors")
  return switched_at(rawget(run, "switched_work"), i) - (errors and errors[i] or 0)
end

-- The same of all these states; nil where it lacks none
local function lacking_along(run, list)
  if not rawget(run, "switched_work") and not rawget(run, "work_errors") then return nil end
  local sums = {}
  for k, i in ipairs(list) do sums[k] = lacking_at(run, i) end
  return sums
end

-- A stored state and its energy, work and time; nil where the energy is beyond the range of numbers
local function account(run, raw, i)
  local w, t, x = run.workspace, raw:time(i), raw:state(i)
  w:set_state(t, x)
  local fine, energy = protected(w.energies, w)
  return fine and { t = t, x = x, energy = energy, work = (run.model:has_work() and x[#x] or 0) + lacking_at(run, i) } or nil
end

local function change(before, behind) return math.abs(behind.energy - behind.work - before.energy + before.work) end

-- The energies of a run at all states that it keeps, see balances_along of the core; nil where they are beyond the range of numbers
local function energies_met(run, raw)
  local reader, states, marked = readable(run, raw)
  local met, points = {}, raw:points()
  for first = 1, points, AT_ONCE do
    local list = {}
    for i = first, math.min(first + AT_ONCE - 1, points) do list[#list + 1] = i end
    protected(core.balances_along, reader, states, list, marked, run.model:has_work(), lacking_along(run, list), met)
  end
  return met.size and met or nil
end

-- The first of the steps between two stored points that changes the balance by more than the least and than its ends explain, `times` over
local function step_between(run, raw, from, to, times, least)
  local before = account(run, raw, from)
  for i = from + 1, to do
    local behind = account(run, raw, i)
    local off = before and behind and change(before, behind) or 0
    if off > least and off > least + times*math.max(table.unpack((allowed(run, raw, { i - 1, i }, run.options, true)))) then return behind.t, off end
    before = behind
  end
end

-- Does a step pass over a force? Each is looked at in the stretches that change the balance by more than errors of the tolerances at both of their ends
-- explain. Of a run that kept few states a stretch that may hide such a step is enough for a suspicion. Of rows of sweeps, and where no run with all its
-- steps can be made, many steps together may change more.
-- balances: energy less work at the states of the list; largest: the largest change from one to the next; met: the energies
local function step_is_off(run, raw, list, balances, largest, met, suspect)
  local times = suspect and raw.marked and ONE_STEP or math.max(ONE_STEP, EACH_STEP*run.outcome.steps/(raw:points() - 1))
  local least = times*math.max(run.options.rtol, LAST_DIGITS.rtol)*met.exchanged + met.rounding
  if not (largest > least) then return nil end
  local explained = allowed(run, raw, list, run.options, true)
  for k = 2, #list do
    if math.abs(balances[k] - balances[k - 1]) > least + TIMES*math.min(explained[k - 1], explained[k]) then
      local t, off = step_between(run, raw, list[k - 1], list[k], times, least)
      if t or suspect then
        return suspect or ("the step to t = %.6g changes the energy balance by %.2g of the energy of the motion, far more than rtol and atol explain; tighten "
          .. "them, or bound the step by max_step"):format(t, off/met.size)
      end
    end
  end
end

-- The place in the list of the first state where more is missing than a loose run may miss and than errors of the tolerances at this state explain:
-- errors of many steps, each within the tolerances, have added up
local function loose_at(o, subject, missing)
  local met, list = subject.met, subject.list
  -- a motion whose kinetic energy hardly changes, as round a circle, is no worse with errors that another of its size may have
  local most, explained = math.max(math.max(LOOSE, RTOLS*o.rtol)*met.exchanged, LEAST*met.motion) + met.rounding, nil
  for k = 1, #list do
    if missing(k) > most then
      explained = explained or subject.allowed(list, o)
      if missing(k) > most + TIMES*explained[k] then return k end
    end
  end
end

-- What may always be missing. Errors of steps of one size are those of the motion: a steady one exchanges no energy
local function always(met, fixed) return LEAST*(fixed and met.size or met.exchanged) + met.rounding end

-- What is wrong with the energy of a run, or of a part of it. subject: { what = the words for it, list = numbers of the states that are looked at, balances =
-- energies there less work, farthest = the place in the list where these are farthest from the first one, met = the energies, allowed(list, o) = what errors
-- of the tolerances change at states and the largest of that, rests() = is it at rest all the time? }
local function judged(run, raw, fixed, subject)
  local o, list, balances, met = run.options, subject.list, subject.balances, subject.met
  local function missing(k) return math.abs(balances[k] - balances[1]) end
  local worst, at, least = missing(subject.farthest), raw:time(list[subject.farthest]), always(met, fixed)
  if not (worst > least) then return nil end
  local some = {}
  for k = 1, fixed and 0 or #list, #list > OF_PARTS and 10 or 1 do some[#some + 1] = list[k] end
  local _, per_step = subject.allowed(some, o)
  local _, last_digits = subject.allowed(some, LAST_DIGITS)
  local of_steps = per_step*run.outcome.steps
  local limit = fixed and (run.options.method == "moreau" and MOST or PER_CENT)*met.size
    or math.max(least, TIMES*of_steps, math.min(LEAST*met.motion, EACH_STEP*of_steps))
  local explained = not fixed and worst <= limit
  local faint = not (met.size > TIMES*per_step)
  local loose = explained and loose_at(o, subject, missing)
  if loose then at, worst, faint = raw:time(list[loose]), missing(loose), false end
  if explained and not loose and not (worst > (faint and FAINT or WHOLE)*met.size) then return nil end
  -- energies below the tolerances are not compared where they are rounding, as those of a system at rest
  if explained and faint and (not (met.size > last_digits) or subject.rests()) then return nil end
  if fixed and not (worst > limit) then return nil end
  return ("%s is off by %.2g of the energy of the motion at t = %.6g, "):format(subject.what, worst/met.size, at)
    .. (fixed and "take a smaller step"
      or explained and faint and "since errors of the size of rtol and atol are large beside the motion; give a smaller atol and rtol"
      or explained and "rtol and atol are too loose for so many steps; tighten them"
      or "far more than rtol and atol explain; tighten them, or bound the step by max_step")
end

-- What is wrong with the energy of a run; the number of the state with the worst balance, and the energies among the states that are looked at.
-- run.energies_met: those of all states, where they are known
local function energy_is_off(run, raw, fixed, suspect)
  local o, has_work, list, seen = run.options, run.model:has_work(), samples(raw), {}
  local reader, states, marked = readable(run, raw)
  local fine, balances, farthest, largest = protected(core.balances_along, reader, states, list, marked, has_work, lacking_along(run, list), seen)
  if not fine then return nil end        -- beyond the range of numbers, though the motion is not
  -- the work of friction within a step is a quadrature between its ends: such runs are judged as a whole
  local step = not fixed and not contact.any(run.equations.system) and step_is_off(run, raw, list, balances, largest, seen, suspect)
  if step then return step end
  local met = rawget(run, "energies_met") or seen
  if suspect then
    local worst, least = math.abs(balances[farthest] - balances[1]), always(met, fixed)
    if not (worst > least) then return nil end
    local clear = not fixed and worst <= FAINT*met.size
      and worst <= least + TIMES*math.min(table.unpack((allowed(run, raw, { list[1], list[farthest] }, o))))
    return not clear and suspect or nil
  end
  local what = judged(run, raw, fixed, { what = "the energy balance", list = list, balances = balances, farthest = farthest, met = met,
    allowed = function(some, tolerances) return allowed(run, raw, some, tolerances) end, rests = function() return rests(run, raw, list, met) end })
  if what then return what, list[farthest], seen end
end

-- The times and states of a list of numbers
local function states_of(raw, list)
  local times, states = {}, {}
  for k, i in ipairs(list) do times[k], states[k] = raw:time(i), raw:state(i) end
  return times, states
end

-- What is wrong with the energy of one of the parts of a run that do not act on each other
local function part_is_off(run, raw, part, list, rounding, suspect)
  local w, times, states = run.workspace, states_of(raw, list)
  local balances, met = parts.balances(part, w, times, states, run.options.atol, rounding)
  if not balances then return nil end
  local farthest, n = 1, #states[1]//2
  for k = 2, #list do if math.abs(balances[k]) > math.abs(balances[farthest]) then farthest = k end end
  if suspect then return math.abs(balances[farthest]) > always(met) and suspect or nil end
  local members = {}
  for _, i in ipairs(part.members) do members[#members + 1], members[#members + 2] = i, n + i end
  return judged(run, raw, false, { list = list, balances = balances, farthest = farthest, met = met,
    what = ("the energy balance of %s, on which nothing else acts,"):format(table.concat(part.names, ", ")),
    allowed = function(some, o) return parts.allowed(part, w, o, states_of(raw, some)) end,
    rests = function()
      for k = 1, #list do if not is_rest(w, times[k], raw:state(list[1]), 2*n, members) then return false end end
      return true
    end })
end

-- The same of all parts
local function parts_are_off(run, raw, suspect)
  local all = parts.of(run.equations, run.model, run.workspace, raw:time(1), raw:state(1))
  if not all then return nil end
  local many, list, seen = samples(raw), {}, {}
  local looks = math.min(#many, OF_PARTS)
  for k = 1, looks do list[k] = many[1 + (k - 1)*(#many - 1)//math.max(looks - 1, 1)] end
  local reader, states, marked = readable(run, raw)
  if not protected(core.balances_along, reader, states, list, marked, false, nil, seen) then return nil end
  for _, part in ipairs(all) do
    local what = part_is_off(run, raw, part, list, seen.rounding, suspect)
    if what then return what end
  end
end

-- Does a run with tighter tolerances, or half the step, come to state i, too, with an energy that differs by no more than `least`?
local function is_confirmed(run, raw, go, i, least)
  local o, into, t, x = run.options, {}, raw:time(i), raw:state(i)
  local tighter = setmetatable({ record = "ends", dense = false, progress = false, first_step = 0, rtol = math.max(TIGHTER*o.rtol, LAST_DIGITS.rtol),
    atol = TIGHTER*o.atol, step = o.step and o.step/2 }, { __index = o })
  if not protected(go, tighter, raw:time(1), t, raw:state(1), into) or into.outcome.status ~= "OK" then return false end
  local y, start = into.raw:state(into.raw:points()), raw:state(1)
  for k = 1, #x - (run.model:has_work() and 1 or 0) do
    local size = math.max(math.abs(start[k]), math.abs(y[k]))
    if not (math.abs(x[k] - y[k]) <= ONE_STEP*(o.atol + o.rtol*size) + PER_CENT*size) then return false end
  end
  local energy, right = energy_at(run.workspace, t, x), energy_at(run.workspace, t, y)
  return energy and right and math.abs(energy - right) <= least or false
end

-- A step again in many pieces, from one stored state to the next: its work; nil where the end of the step is off, or the pieces cannot be made, and false where
-- they do not hold their balance
local function work_in_pieces(run, go, pieces, before, behind, least)
  local o, into = run.options, {}
  local again = setmetatable({ record = "ends", dense = false, progress = false, first_step = 0, max_step = math.abs(behind.t - before.t)/pieces },
    { __index = o })
  local start = table.move(before.x, 1, #before.x, 1, {})
  start[#start] = 0                    -- the work of the step alone, to all its digits
  if not protected(go, again, before.t, behind.t, start, into) or into.outcome.status ~= "OK" then return nil end
  local t, x = behind.t, into.raw:state(into.raw:points())
  for i = 1, #x - 1 do
    if not (math.abs(x[i] - behind.x[i]) <= ONE_STEP*(o.atol + math.max(o.rtol, LAST_DIGITS.rtol)*math.abs(x[i]))) then return nil end
  end
  local energy = energy_at(run.workspace, t, x)
  return energy and math.abs(energy - before.energy - x[#x]) <= least and x[#x]
end

-- By how much the work of a step is off; nil where that does not explain its balance
local function work_error(run, go, before, behind, least)
  for _, pieces in ipairs(PIECES) do
    local done = work_in_pieces(run, go, pieces, before, behind, least)
    if done == nil then return nil end
    if done then return behind.x[#behind.x] - before.x[#before.x] - done end
  end
end

-- The work is no part of the motion, and its errors bound no step. Where it makes the energy of a run seem off: its errors at all stored states, from steps
-- made again; nil where that is not the reason
local function work_errors(run, raw, go)
  local errors, sum, made, before, met = { 0 }, 0, 0, account(run, raw, 1), energies_met(run, raw)
  if not met then return nil end
  local least = math.max(run.options.rtol, LAST_DIGITS.rtol)*met.states + met.rounding    -- the work itself may be far too large
  for i = 2, raw:points() do
    local behind = account(run, raw, i)
    if not before or not behind then return nil end
    if behind.t ~= before.t and change(before, behind) > least then
      local off = made < MOST_AGAIN and work_error(run, go, before, behind, least)
      if not off then return nil end
      sum, made = sum + off, made + 1
    end
    errors[i], before = sum, behind
  end
  return made > 0 and errors or nil
end

-- Is the balance off only beside the energies of the states that are looked at, which may all be of rest where a long time follows a short motion? Beside the
-- energy of the motion over all states errors of the work are small then; that they are not those of a small motion that remains, another run tells
local function is_small_error(run, raw, fixed, go, worst, seen)
  local met = energies_met(run, raw)
  if not met or not (met.size > seen.size) then return false end
  local whole = setmetatable({ switched_work = rawget(run, "switched_work"), energies_met = met }, { __index = run })
  return not energy_is_off(whole, raw, fixed) and is_confirmed(run, raw, go, worst, (fixed and PER_CENT or LEAST)*seen.size + seen.rounding)
end

-- The largest ways of the coordinates from the first of the states, and the largest velocities
local function sizes_of(states, kin, n)
  local sizes = {}
  for i = 1, n do
    sizes[i] = 0
    for _, x in ipairs(states) do sizes[i] = math.max(sizes[i], math.abs(i <= kin and x[i] - states[1][i] or x[i])) end
  end
  return sizes
end

-- Is the run right to a hundredth of the motion of each coordinate and velocity, by comparison with one at tighter tolerances? Where a force does much more
-- work than remains in the motion, small errors of states add up in the work though those of the states do not
local function motion_is_confirmed(run, raw, go)
  local o, into, list = run.options, {}, samples(raw)
  if run.outcome.steps*run.model:state_size()*DENSE*MORE_STEPS > MOST_STORED then return false end
  local tighter = setmetatable({ record = "steps", dense = true, progress = false, first_step = 0, rtol = math.max(TIGHTER*o.rtol, LAST_DIGITS.rtol),
    atol = TIGHTER*o.atol, max_steps = MORE_STEPS*(run.outcome.steps + FEW_STEPS) }, { __index = o })
  if not protected(go, tighter, raw:time(1), raw:time(raw:points()), raw:state(1), into) or into.outcome.status ~= "OK" then return false end
  local n = run.model:state_size() - (run.model:has_work() and 1 or 0)
  local times, states = states_of(raw, list)
  local sizes = sizes_of(states, #run.equations.kin, n)
  for k, x in ipairs(states) do
    local y = into.raw:at(times[k])
    for i = 1, n do if not (math.abs(x[i] - y[i]) <= PER_CENT*sizes[i]) then return false end end
  end
  return true
end

-- Not for the work of potentials that time switches, nor for that of steps that are right themselves, nor where the states are right: then the second result
-- says so, for print(run). go: nil where steps cannot be made again
local function off_but_for_work(run, raw, fixed, go)
  local what, worst, seen = energy_is_off(run, raw, fixed)
  local list = what and switched(run, raw) or {}
  if #list > 0 then
    run = setmetatable({ switched_work = list }, { __index = run })
    what, worst, seen = energy_is_off(run, raw, fixed)
  end
  if worst and go and is_small_error(run, raw, fixed, go, worst, seen) then return nil end
  local whole = raw:points() > run.outcome.steps and not raw.marked
  if not what or fixed or not go or not whole or not run.model:has_work() or contact.any(run.equations.system) then return what end
  local errors = work_errors(run, raw, go)
  local left = what
  if errors then
    left = energy_is_off(setmetatable({ switched_work = rawget(run, "switched_work"), work_errors = errors }, { __index = run }), raw, fixed)
  end
  if left and motion_is_confirmed(run, raw, go) then return nil, "confirmed" end
  return left, not left and "long steps" or nil
end

-- The same run with all its steps; nil where it ends elsewhere. Errors of values between the steps bound these, too: they are made again where there is room
local function with_steps(run, raw, go)
  local dense = run.options.dense and run.outcome.steps*run.model:state_size()*DENSE <= MOST_STORED
  local into, o = {}, setmetatable({ record = "steps", dense = dense, progress = false }, { __index = run.options })
  go(o, raw:time(1), run.outcome.t, raw:state(1), into)
  if into.outcome.status ~= "OK" and into.outcome.status ~= "EVENT" then return nil end
  return setmetatable({ outcome = into.outcome }, { __index = run }), into.raw
end

local SUSPECT = "suspect"

-- What is wrong with the energy of a run does not depend on what it stored: where the states that are known give a suspicion, which they may do
-- wrongly since all may be at rest or without potential energy, a run with all its steps decides. One of too many steps to be stored is judged as it is
local function judge_energy(run, raw, fixed, go)
  local known, steps = with_marks(raw), run.outcome.steps
  local judges = fixed and off_but_for_work or function(...)
    local what, work_is_off = off_but_for_work(...)
    if what then return what, work_is_off end
    local one, states = ...
    return parts_are_off(one, states), work_is_off
  end
  if not go or raw:points() > steps or steps*run.model:state_size() > MOST_STORED then return judges(run, known, fixed, go) end
  if not energy_is_off(run, known, fixed, SUSPECT) and (fixed or not parts_are_off(run, known, SUSPECT)) then return nil end
  local whole, all = with_steps(run, raw, go)
  return judges(whole or run, all or known, fixed, go)
end

-- Residuals of all constraints at a state, positions first
local function residuals(w, t, x)
  w:set_state(t, x)
  local list, velocities = w:residuals()
  return table.move(velocities, 1, #velocities, #list + 1, table.move(list, 1, #list, 1, {}))
end

-- Sizes of the terms of the constraints at a state: the contribution of each component of the state, to first order
local function terms(w, t, x, at_state)
  local sizes = {}
  for k = 1, #at_state do sizes[k] = 0 end
  for i = 1, #x do
    local kept = x[i]
    x[i] = kept*(1 + ASIDE)
    for k, value in ipairs(residuals(w, t, x)) do sizes[k] = sizes[k] + math.abs(value - at_state[k])/ASIDE end
    x[i] = kept
  end
  return sizes
end

-- States whose residuals exceed the tolerance: { t, tolerance, residuals }, and the largest terms of each constraint
local function broken(run, raw)
  local o, w, list, largest = run.options, run.workspace, {}, {}
  local reader, states, marked = readable(run, raw)
  for _, i in ipairs(core.broken_along(reader, states, samples(raw), marked, o.atol, o.rtol)) do
    local t, x, size = raw:time(i), raw:state(i), 1
    local values = residuals(w, t, x)
    for _, value in ipairs(x) do size = math.max(size, math.abs(value)) end
    list[#list + 1] = { t = t, tolerance = (o.atol + o.rtol*size)*size, values = values }
    for k, part in ipairs(terms(w, t, x, values)) do largest[k] = math.max(largest[k] or 0, part) end
  end
  return list, largest
end

-- With and without projection alike: the constraints hold to many tolerances and to a small part of their terms, or they are broken
local function constraint_is_off(run, raw)
  local list, largest = broken(run, with_marks(raw))
  for _, state in ipairs(list) do
    for k, value in ipairs(state.values) do
      local limit = math.min(CONSTRAINTS*state.tolerance, math.max(PART*largest[k], HUNDRED*state.tolerance))
      -- the tolerances of the components themselves, where the terms are high powers
      limit = math.max(limit, math.min(math.max(run.options.rtol, ROUNDING), PART)*largest[k])
      if math.abs(value) > limit then
        return ("a constraint is off by %.2g at t = %.6g; %stighten rtol and atol, or take a smaller step"):format(math.abs(value), state.t,
          run.options.project and "" or "remove project = false, ")
      end
    end
  end
end

-- Does an event stay within the noise of the tolerances from end to end, as a constraint or an integral does? Its roots are rounding
local function is_noise(run, raw, event)
  local o, w, observer = run.options, run.workspace, run.observer
  local program = observer:program{ event.expression }
  raw = with_marks(raw)
  for _, i in ipairs(samples(raw)) do
    local t, x = raw:time(i), raw:state(i)
    local value, noise = observer:evaluate(program, w, t, x)[1], 0
    for k = 1, #x do
      local kept = x[k]
      x[k] = kept + o.atol + o.rtol*math.abs(kept)
      noise = noise + math.abs(observer:evaluate(program, w, t, x)[1] - value)
      x[k] = kept
    end
    if not (math.abs(value) <= NOISE*noise) then return false end
  end
  return true
end

local function event_is_noise(run, raw)
  local counts = {}
  if not run.hybrid then return nil end
  for _, event in ipairs(run.events) do counts[event.name] = (counts[event.name] or 0) + 1 end
  for _, event in ipairs(run.hybrid.events) do
    if (counts[event.name] or 0) > 1 and event.expression and not event.hidden and is_noise(run, raw, event) then
      return ("the event '%s' is zero from end to end within the tolerances: its %d roots are rounding"):format(event.name, counts[event.name])
    end
  end
end

-- Slips whose directions the motion turns away from right angles
local function slips_are_askew(run, raw)
  if not slips.has_angles(run.equations.system) then return nil end
  for _, i in ipairs(samples(raw)) do
    local words = slips.askew(run.equations.system, run.observer or run.reads, raw:time(i), raw:state(i))
    if words then return words end
  end
end

-- States, about evenly spread, at which a general solve is worth its time: at the ends, and at more of them in a run that is long
local function looks_of(run, raw)
  local all, model, list = samples(raw), run.model, {}
  local n = core.looks(#all, run.outcome.evaluations or 0, model:operations(), model:state_size())
  for k = 0, n - 1 do list[k + 1] = all[1 + k*(#all - 1)//(n - 1)] end
  return list
end

-- Accelerations that rounding leaves with fewer digits than the tolerances let pass. Each state counts by itself: where noise starts a motion, all is
-- large later
local function digits_are_lost(run, raw)
  if rawget(run, "looked") then return nil end    -- the core has looked at them on the way
  local deepest, state
  if type(raw) == "userdata" then deepest, state = raw:deepest() end
  raw = with_marks(raw)
  local looks, worst, all_calm, at, states, seen = looks_of(run, raw), 0, true, nil, nil, {}
  local function look_at(t, x, judge)
    local part, of_states, calm = judge(run.workspace, t, x, run.options, math.abs(run.outcome.t - raw:time(1)))
    all_calm = all_calm and calm
    if part and part > worst then worst, at, states = part, t, of_states end
  end
  local function look(i, judge)
    if seen[i] then return end
    seen[i] = true
    look_at(raw:time(i), raw:state(i), judge)
  end
  look(looks[1], lost_digits.at_first)
  look(looks[#looks], lost_digits.in_run)
  look(looks[(#looks + 1)//2], lost_digits.in_run)
  if deepest then look_at(deepest, state, lost_digits.in_run) end
  if all_calm then return nil end      -- no other states are looked at
  for _, i in ipairs(looks) do look(i, lost_digits.in_run) end
  return at and lost_digits.words(at, worst, states, run.options) or nil
end

-- Does no energy depend on the time?
local function is_timeless(system)
  for _, field in ipairs{ "_L", "_T", "_V" } do if system[field] and #gradients.variables(system[field], { symbols.t }) > 0 then return false end end
  return true
end

--- For each of many runs from t0, whether balance.check would clearly find nothing; nil: it looks at more than their states. starts, states: flat lists, the
--- latter at `times` of each run; parameters: flat list, nil: none
function balance.clear(E, model, workspace, o, fixed, parameters, t0, starts, times, states)
  if #times > MANY or slips.has_angles(E.system) then return nil end
  if not fixed and parts.of(E, model, workspace, t0, table.move(starts, 1, model:state_size(), 1, {})) then return nil end
  return core.rows_hold(workspace, parameters, t0, starts, times, states, {
    balanced = E.keeps_energy and not E.carried and not E.whole_course, constrained = not E.watched, has_work = model:has_work(),
    timeless = is_timeless(E.system),
    explained = fixed and 0 or TIMES, faint = FAINT, whole = LEAST, atol = o.atol, rtol = o.rtol,
    step = fixed and LEAST or math.min(ONE_STEP*math.max(o.rtol, LAST_DIGITS.rtol), LEAST) })
end

--- Gives a run that reached its end, or an event that ends it, the status INACCURATE where a passage close to a singular place left it inaccurate,
--- where its energy balance or its constraints break, or where an event of it is zero all the time. Runs that keep only their ends or impacts
--- are judged by the same states as others; models that are not the motion of the system (nothing balances there) are left alone.
--- go(options, t0, t1, state, into): makes a run as the core does; one with all its steps decides where the few states seem off their energy balance
function balance.check(run, fixed, go)
  local raw = rawget(run, "raw")
  local status = run.outcome.status
  if status ~= "OK" and status ~= "EVENT" or not raw or raw:points() < 2 then return end
  local E, what = run.equations, run.outcome.doubt
  -- without projection a broken constraint takes the energy along
  if not what and not E.watched and not run.options.project then what = constraint_is_off(run, raw) end
  if not what and E.keeps_energy and not E.carried and not E.whole_course then what, run.outcome.work_is_off = judge_energy(run, raw, fixed, go) end
  if not what and not E.watched then what = constraint_is_off(run, raw) end
  what = what or slips_are_askew(run, raw) or digits_are_lost(run, raw)
  local noise = not what and run.observer and event_is_noise(run, raw) or nil      -- rows of sweeps have no events
  what, run.outcome.noise = what or noise, noise and true or nil
  if not what then return end
  run.outcome.status = "INACCURATE"
  run.outcome.message = ("%s t = %.15g, but %s"):format(status == "EVENT" and "ended by an event at" or "reached", run.outcome.t, what)
  run.outcome.advice = "see the message"
end

return balance
