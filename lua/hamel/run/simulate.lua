-- simulate.lua: S:simulate: the run in one piece or between checkpoints, and the verdicts on its end.
local answer = require "hamel.base.answer"
local archive = require "hamel.run.archive"
local coarse = require "hamel.run.coarse"
local contact_places = require "hamel.run.contact_places"
local core = require "hamel.core"
local elimination = require "hamel.run.elimination"
local balance = require "hamel.run.balance"
local faint = require "hamel.run.faint"
local fingerprint = require "hamel.run.fingerprint"
local hybrid = require "hamel.run.hybrid"
local launched = require "hamel.base.launched"
local listeners = require "hamel.base.listeners"
local lost_digits = require "hamel.run.lost_digits"
local measures = require "hamel.run.measures"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local progress = require "hamel.base.progress"
local quantities = require "hamel.system.quantities"
local regularity = require "hamel.model.regularity"
local run_schema = require "hamel.run.run_schema"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local Trajectory = require "hamel.run.trajectory"
require "hamel.run.drift"
require "hamel.run.records"

local fail = object.fail
local simulate = {}

local function span(t)
  local spans = type(t) == "table"
  if spans and #t > 2 then
    fail("simulate: t = {start, end} has two entries, this one %d; for values at given times call run:at(t) or S:sweep{ times = {...} }", #t)
  end
  local from, to = spans and symbols.number(t[1]) or not spans and 0, symbols.number(spans and t[2] or not spans and t)
  if not from or not to then fail("simulate: t is the end time, or {start, end}") end
  return from + 0.0, to + 0.0
end

-- Options that would do nothing are mistakes
local function check_idle(o)
  if o.every and not o.checkpoint then fail("simulate: every is the time between places of a checkpoint; give checkpoint = \"long.hamel\", or leave it out") end
  if o.reactions and o.form ~= "newtonian" then fail("simulate: reactions belong to the form 'newtonian', not to '%s'; leave them out", o.form) end
end

--- For other studies: the span of times that t = gives, checked.
simulate.span = span

-- Sets o.refuse_several: hml_run_options.refuse_several
local function check_several(system, o)
  o.refuse_several = o.several == "refuse"
  if o.refuse_several and #system.gaps + #system.frictions == 0 then
    fail("several = 'refuse' is for one-sided constraints and friction; %s has none; leave it out", system.name)
  end
end

local function check_method(system, o)
  if o.several then check_several(system, o) end
  methods.check(system, o)
end

local counters = { "seconds", table.unpack(core.rows.counters) }

-- The options of a piece when `made` steps are behind the run; nil: its limit is reached
local function of_piece(o, made)
  if o.max_steps == 0 then return o end
  if made >= o.max_steps then return nil end
  local own = object.copied(o)
  own.max_steps = o.max_steps - made
  return own
end

-- The end of a run with checkpoints at its limit of steps. Its file keeps the last place where the run may be continued
local function stop_at_limit(run, t1)
  local outcome = run.outcome
  outcome.status, outcome.advice = "TOO_MANY_STEPS", "raise max_steps: the same call goes on from the last checkpoint"
  outcome.message = ("stopped at t = %.15g: %d steps were made, the end is t = %.15g"):format(outcome.t, outcome.steps, t1)
end

-- In pieces that begin anew at fixed times, so that a run continued from a file has the same numbers as one that was never stopped
local function in_pieces(run, o, t0, t1, x)
  local held = archive.unkept(run)
  if held then
    fail("simulate: the file of a checkpoint cannot hold %s; remove checkpoint: a run continues from its last state by q = e.q, v = e.v, t = {e.t, ...} "
      .. "with e = run[#run]", held)
  end
  if methods.find(o.method).run then fail("simulate: checkpoints are for runs by steppers, not for method '%s'; leave checkpoint out", o.method) end
  if o.record ~= "steps" then fail("simulate: checkpoints are for runs that store their steps; remove record = '%s', or checkpoint", o.record) end
  if not o.checkpoint:find "%.hamel$" then fail("simulate: checkpoint = '%s': the file's name ends in .hamel", o.checkpoint) end
  local every = o.every or math.abs(t1 - t0)/20
  local direction, sum, from, k = t1 < t0 and -1 or 1, {}, t0, 1
  local raw, before = archive.continued(run, o.checkpoint)
  local due = core.host.clock()
  for _, name in ipairs(counters) do sum[name] = before and before[name] or 0 end
  local doubt = before and before.message:match "^reached t = [^,]+, but (.*)$"     -- the file has it in the message
  if raw then
    rawset(run, "raw", raw)
    from, x = raw:time(raw:points()), raw:state(raw:points())
    run.outcome, before.doubt = before, doubt
    if doubt and from ~= t1 then before.status = "OK" end                              -- with its doubt the run continues
    if before.status == "TOO_MANY_STEPS" then before.status = "OK" end                 -- files of earlier versions have it
    while direction*(t0 + direction*k*every - from) <= 0 do k = k + 1 end
  end
  while from ~= t1 and not (raw and before.status ~= "OK") do
    local to = t0 + direction*k*every
    if direction*(t1 - to) < every*1e-9 then to = t1 end
    local own = of_piece(o, sum.steps)
    if not own then return stop_at_limit(run, t1) end
    if run.hybrid then run.hybrid.core:run(own, from, to, x, run, raw ~= nil, t1 - to)
    else core.run(run.workspace, own, from, to, x, run, raw ~= nil, t1 - to) end
    doubt = doubt or run.outcome.doubt
    run.outcome.doubt = doubt
    for _, name in ipairs(counters) do
      sum[name] = sum[name] + run.outcome[name]
      run.outcome[name] = sum[name]
    end
    raw = run.raw
    if run.outcome.status == "OK" then
      run.outcome.message = ("reached t = %.15g%s"):format(to, doubt and ", but " .. doubt or (" in %d steps"):format(sum.steps))
    end
    if run.outcome.status == "INTERRUPTED" or run.outcome.error ~= nil then return end     -- the file stays at the last checkpoint
    if run.outcome.status == "TOO_MANY_STEPS" then return stop_at_limit(run, t1) end
    -- the whole run is written: not more than a tenth of the time goes there
    local now = core.host.clock()
    if to == t1 or run.outcome.status ~= "OK" or now > due then
      archive.store(run, o.checkpoint)
      local took = core.host.clock() - now
      due = now + took + math.max(0.5, 10*took)
    end
    if run.outcome.status ~= "OK" then return end
    from, x, k, before = to, raw:state(raw:points()), k + 1, run.outcome
  end
end

local running                          -- the line of the continued run
core.on_progress(function(t) if running then running:update_time(t) end end)

local function integrate(run, o, t0, t1, x)
  local line <close> = progress.run(run.system.name, t0, t1, o.progress)
  running, o.progress = line, line.shows
  local method = methods.find(o.method)
  if o.checkpoint then in_pieces(run, o, t0, t1, x)
  elseif method.run then method.run(run, o, t0, t1, x)
  elseif run.hybrid then run.hybrid.core:run(o, t0, t1, x, run)
  else core.run(run.workspace, o, t0, t1, x, run) end
end

-- A vakonomic run is kept up to where its equations stop to determine the motion
local function end_of_regularity(run, o, x)
  local stopped = regularity.stopped(run)
  if stopped then
    run.outcome.message, run.outcome.advice = stopped, "start from another mu"
    return
  end
  local last, message = regularity.lost(run, o.dense)
  if not last then return end
  if last > run.span[1] and last ~= run.raw:time(run.raw:points()) then integrate(run, o, run.span[1], last, x) end
  run.outcome.status, run.outcome.message, run.outcome.advice = "SINGULAR_MASS", message, "start from another mu"
end

-- The step to stored state i again without projection, which may pull its end back onto the corner: where it passes that
local function located(run, spec, o, i)
  local raw = run.raw
  local t, state, till = raw:time(i - 1), raw:state(i - 1), raw:time(i)
  o.project = false
  integrate(run, o, t, till, state)
  o.project = true
  local _, last, message = regularity.corner(run, spec, true)
  return last or t, message
end

-- A run ends before a corner of a constraint; without stored states between its ends only the status reports it
local function end_at_corner(run, spec, o, x)
  if run.outcome.status == "IMPULSE" then return end
  local i, last, message = regularity.corner(run, spec, o.dense)
  local ahead = not i and run.outcome.status == "PROJECTION" and regularity.corner_ahead(run, spec)
  if ahead then run.outcome.status, run.outcome.message, run.outcome.advice = "SINGULAR", ahead, "see the message" end
  if not i then return end
  if i == 1 then integrate(run, o, last, last, x) end
  local again = o.dense and not o.checkpoint and i > 1
  if again and o.project then
    local before, nearer = located(run, spec, o, i)
    last, message = before, nearer or message
  end
  if again and last > run.span[1] then integrate(run, o, run.span[1], last, x) end
  if again then message = ("stopped at t = %.15g: %s"):format(run.outcome.t, message) end
  run.outcome.status, run.outcome.message, run.outcome.advice = "SINGULAR", message, "see the message"
end

--- For sweeps: the options of S:simulate and their check.
simulate.run_schema, simulate.check_method = run_schema, check_method

--- Raises where a study that makes many runs is given a checkpoint, whose file holds one. instead: what to do
function simulate.demand_no_checkpoint(what, given, instead)
  for _, name in ipairs(type(given) == "table" and { "checkpoint", "every" } or {}) do
    if given[name] ~= nil then fail("%s: '%s' is for a single run, and its file holds one; %s", what, name, instead) end
  end
end

-- An interrupt that reached a force or an event in Lua is one of the run
local function mark_interrupted(run)
  local outcome = run.outcome
  if outcome.error == nil or not core.host.interrupted() or not tostring(outcome.error):find("interrupted", 1, true) then return end
  outcome.status, outcome.error, outcome.message = "INTERRUPTED", nil, ("stopped at t = %.15g: interrupted"):format(outcome.t)
end

local function interrupted_text(run)
  local raw = rawget(run, "raw")
  local events = run.hybrid and #run.events + #run.impacts or 0
  return ("interrupted at t = %.6g of %g: the run holds %d states%s"):format(run.outcome.t, run.span[2], raw and raw:points() or 0,
    events > 0 and (" and %d events"):format(events) or "")
end

-- Makes the run again, as balance.check asks for it; nil for methods with a loop of their own
local function repeated_by(run, spec, w)
  if methods.find(run.options.method).run then return nil end
  return function(o, t0, t1, x, into)
    if not run.hybrid then return core.run(w, o, t0, t1, x, into) end
    -- with contacts of its own: the records of the run remain
    hybrid.new(run.system, run.equations, spec, w, run.observer, o.events).core:run(o, t0, t1, x, into)
  end
end

-- What an interrupt is answered with, and the run
local simulated
function simulated(self, given)
  launched.demand_alone "simulate"
  local o = options.check("simulate", run_schema, quantities.in_seconds(self, "simulate", given), self)
  if o.t == nil then fail("simulate: the end time t is missing") end
  local t0, t1 = span(o.t)
  check_idle(o)
  methods.expand(o)
  check_method(self, o)
  if o.max_steps ~= math.floor(o.max_steps) then fail("simulate: max_steps = %g is not a whole number", o.max_steps) end
  local equations, model, w, x, observer, spec, note = preparation.prepare(self, o, t0, true)
  if given.max_steps == nil then o.max_steps = lost_digits.most_steps(w, t0, o) end
  methods.demand_smooth(o.method, spec)
  methods.demand_watched(o.method, spec)
  local run = Trajectory.new{ system = self, equations = equations, model = model, workspace = w, observer = observer, options = o,
                              start = x, span = { t0, t1 }, hybrid = false, forces = fingerprint.forces(self) or false,
                              redundant = spec.redundant or equations.redundant, assembly = note or false }
  if hybrid.needed(self, equations, o.events) then
    run.hybrid = hybrid.new(self, equations, spec, w, observer, o.events)
    run.workspace = hybrid.reader(run.hybrid.core, w, run)
  end
  if o.keep then measures.check(run, o.keep) end
  simulate.last_run = run
  local rough = given.max_steps == nil and not run.hybrid and coarse.words(run, t0, t1, x)
  if rough then fail("simulate: %s", rough) end
  if given.atol == nil and not run.hybrid then o.atol = faint.tolerance(run, t0, t1, x) or o.atol end
  local stop = given.max_steps == nil and not run.hybrid and faint.stop(run, t0, t1, x)
  if stop then o.max_steps = stop.steps end
  local before, other = w:handed_over(), w:reordered()
  integrate(run, o, t0, t1, x)
  if stop and run.outcome.status == "TOO_MANY_STEPS" then run.outcome.message, run.outcome.advice = stop.reason, "see the message" end
  run.outcome.handed_over, run.outcome.reordered = w:handed_over() - before, w:reordered() - other
  -- so that the answer need not be searched for tables
  answer.shown(run.outcome)
  answer.shown_options(o, given)
  mark_interrupted(run)
  contact_places.explain(run)
  elimination.explain(run)
  lost_digits.explain(run)
  listeners.call("run", run)
  if run.outcome.status == "INTERRUPTED" then return core.host.finish(interrupted_text, run), run end
  if lost_digits.calls_for_another(run) then
    local again = object.copied(given)
    again.elimination = "refined"
    return simulated(self, again)
  end
  end_of_regularity(run, o, x)
  end_at_corner(run, spec, o, x)
  local kept = run.outcome.status
  balance.check(run, methods.is_fixed(o.method), repeated_by(run, spec, w))
  if o.checkpoint and run.outcome.status ~= kept then archive.store(run, o.checkpoint) end     -- also in the file
  if run.outcome.error ~= nil then
    local message = run.outcome.error
    if type(message) == "string" then
      message = ("%s (in a function that the run called after t = %.9g; hm.last_run() returns the part before)"):format(message, run.outcome.t)
    end
    error(message, 0)
  end
  -- a place that was found ahead, though no whole step leads to it, ends a run of one point
  local nothing = run.outcome.steps == 0 and run.outcome.t == t0
  if nothing and run.outcome.status ~= "OK" and run.outcome.status ~= "EVENT" then
    local advice = run.outcome.advice
    fail("the run cannot start: %s%s", run.outcome.message, (advice == "" or advice == "see the message") and "" or "; " .. advice)
  end
  return core.host.interrupted() and core.host.finish(interrupted_text, run), run
end

--- Simulates the motion of the system and returns a Trajectory.
---   S:simulate{ q = {...}, v = {...}, t = 10, rtol = 1e-10, method = "dop853", ... }
---
--- Start: missing positions and velocities are computed from the constraints. If the positions have a second solution, a note names that assembly. Starts and
--- times may have units where the symbols have some: q = { theta = "30 deg" }, v = { x = "3 km/h" }, t = "2 min"; they are converted exactly. Rotations
--- start by q = { R = { axis = {1, 0, 0}, angle = 0.5 } } and v = { R = {p, q, r} }; see S:rotation.
---
--- End: a run that stops early keeps all completed steps; run.status and run.reason say when and why it stopped. Every method stops at a singular place:
--- dependent constraints, vanishing inertia, a pole or a corner of the equations. Motions that are not unique are refused, as from rest on the zero of a
--- root, or where a force jumps and the motion may stay or leave; so are starts at which an expression has no value. Ctrl-C stops the run: the completed
--- part is returned and assigned, with run.status "INTERRUPTED", then "interrupted" is raised.
---
--- Accuracy: rtol and atol bound the error of each step; run:accuracy() finds out how many digits of the run are right. A motion that is not much larger
--- than a given atol needs a smaller one: its energy is lost, and far below atol the run stops after 5000 steps. Where atol is not given, a motion that
--- begins below 1e-4 has an atol of 1e-7 of its size in the first steps (run.options.atol), as from theta = cos(pi/2) = 6e-17. The status is "INACCURATE"
--- if the run reached its end with one of these errors: the energy balance is broken; accuracy was lost near a singular place; masses or forces that differ
--- by many orders of magnitude cost digits; fixed steps have errors of more than a hundredth of the motion, positions or velocities; the motion was slow on
--- the way, as where it passes an unstable state of rest, and errors grew to as much behind it. A second run by dop853 at tight tolerances measures the last
--- two; for method "moreau" a run with steps of half the size, which takes twice its time. What the energy balance lacks is compared with the kinetic energy
--- that the motion exchanges, not with constants of the potential energy. Such a constant does not count up to 1e11 times the energy of the motion; from 1e13
--- times on rounding may hide what is lacking, and the status is still "OK". Coordinates on which the others do not act, as of uncoupled oscillators, are
--- judged by their own energy, unless they stay within atol or forces do work. Of coupled ones a small mode may be lost beside a large one: what it lacks is
--- less than the tolerances allow the whole. Choose coordinates of like sizes, or an atol far below the smallest.
---
--- The status "OK" is no bound of the error of a state, since errors of the steps add up along the motion, those of the phase without a change of the energy.
--- Of 749 runs of 15 small systems over up to 50 periods with tolerances from 1e-2 to 1e-4 that were "OK", 86 were off by more than 30 rtol of the motion;
--- by more than a tenth of it one in five at 1e-2, one in 23 at 1e-3 and one in 90 at 1e-4. From 1e-6 on the largest error was 0.014 of the motion. Take
--- rtol = 1e-6 or less, or ask run:accuracy(), where states matter.
---
--- Methods: "moreau" does not locate impacts: all contacts that are closed in the middle of a step get one simultaneous impact. Bodies that would be struck one
--- after the other within a step may therefore part with other velocities: take steps smaller than gap/velocity, or a method that locates impacts, as dop853.
--- Where sign, abs, min, max, atan2 or measured data in the forces change their formula, a step ends and the method restarts. So every method meets forces that
--- are switched or act for a short time only. If a force drives the motion back to such a place from both sides, as dry friction by a sign does in stick,
--- the run stops with the status "SINGULAR". S:friction describes such forces. "taylor" refuses some of these functions inside roots and atan2, as
--- sqrt(1 + abs(x)) and atan2(x, 1 + abs(x)); "auto" and "dop853" take them.
---
--- Long runs: with checkpoint = "long.hamel" a run is saved in that file from time to time; this takes at most a tenth of the time. hm.load reads the file.
--- After a kill or Ctrl-C the same call continues the run, to the same numbers bit for bit, since the method restarts every `every` of time in any case.
--- max_steps counts the steps of the whole run; one that stopped there goes on from its file when the call is repeated with a larger max_steps. Contacts go
--- on in their mode. Runs by method = "moreau" and of the form "whole course" have no checkpoints.
---
--- Numbers of the run: keep = { "max theta", "mean energy", "first event" } names some; run.kept has them, print(run) shows them (see run:keep).
---
--- Accelerations come from the entries of the mass matrix (elimination = "dense") or, for many bodies, from the energies (elimination = "graph"), in operations
--- in proportion to the number of bodies. The one that costs less is taken where both agree at sample states; print(run) says which. Where rounding costs
--- accelerations more digits at the start than the tolerances let pass, or stops the run or its steps, they are corrected in quadruple precision
--- (elimination = "refined"): this takes a hundred times as long and is right for ratios of masses up to about 1e12. Numbers with all digits of a double, as
--- math.sin(0.3), are taken as the doubles that they are, and their sums and products have 30 digits; a double that is the root of a short fraction to its
--- last bit, as math.sqrt(2), is taken as the root. Forces that depend on reactions and the methods "taylor" and "dla" do without it.
---
--- The graph is for the forms "lagrange" and "nielsen". Contacts, friction and forces with corners are included; rotations by unit quaternions (S:rotation),
--- kinetic energies and constraints with corners, and forces that depend on reactions are not: elimination = "graph" is refused there, with the reason. Where
--- a pivot is too small, a solve with complete pivoting takes over; run.outcome.handed_over counts that. Where that happens often, the order of the
--- elimination is chosen anew with the present state among the samples; run.outcome.reordered counts its states.
---
--- Under mpirun or srun with several processes, of which each would make the same run, a program that is built without MPI refuses the run, and other long
--- calls, unless HAMEL_ALONE=1 in the environment says that each process has work of its own.
function System:simulate(given) return core.host.hold(answer.dressing(simulated), self, given) end

options.declare("simulate", run_schema)

return simulate
