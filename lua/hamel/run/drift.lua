-- drift.lua: how far a run is off its energy balance and its constraints.
local branches = require "hamel.model.branches"
local core = require "hamel.core"
local protected = require "hamel.base.protected"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"
local switches = require "hamel.run.switches"
local Trajectory = require "hamel.run.trajectory"

local TINY = 1e-300                    -- beside the wall of a whole course

-- What the passages of a whole course through its wall change in the energy: list of { t, change }
local function losses(run, energies)
  local whole, list = run.equations.whole_course, {}
  if not whole or not run.hybrid then return list end
  local function beside(record, side)
    local x = table.move(record.state, 1, #record.state, 1, {})
    x[whole.index] = side
    return (energies(record.t, x))
  end
  for _, r in ipairs(run.hybrid.core:records()) do
    local event = r.kind == "event" and run.hybrid.events[r.which]
    if event and event.passage then
      local velocity = r.state[#run.names + 1]         -- w1 = q1*' up to a positive factor
      local side = velocity < 0 and -TINY or TINY
      list[#list + 1] = { t = r.t, change = beside(r, side) - beside(r, -side), side = side }
    end
  end
  return list
end

-- The kinetic energy of velocities as small as atol: errors of the energy of a body at rest are nothing beside it
local function faintest(run, energies, size)
  local r = reading.raw(run)
  local x = table.move(r:state(1), 1, size, 1, {})
  for i = #run.names + 1, size - (run.model:has_work() and 1 or 0) do x[i] = run.options.atol end
  local fine, _, kinetic = protected(energies, r:time(1), x)
  return fine and kinetic and kinetic == kinetic and math.abs(kinetic) or 0
end

local function energies_of_system(system)
  local list = {}
  for _, field in ipairs{ "_L", "_T", "_V" } do list[#list + 1] = system[field] or nil end
  return list
end

local function constraint_functions(system)
  local list = {}
  for i, c in ipairs(system.constraints) do list[i] = c.f end
  return list
end

-- Calls each(t, error of the energy balance, residuals on both levels) for the stored states, every one or one in `stride` and the last; returns
-- the energy of the motion
local function follow_balance(run, each, stride)
  local r, w, energies = reading.raw(run), run.workspace, states.energies_of(run)
  local lost, k = losses(run, energies), 1
  local has_work, size = run.model:has_work(), run.model:state_size()
  local passed, first, offset = 0, nil, nil
  local met = {}
  local carried = run.equations.carried and run.observer:program({ run.equations.carried }, "carried")
  local points, switched, forward = r:points(), 0, run.span[2] < run.span[1] and -1 or 1
  local may_switch = run.equations.keeps_energy and branches.any(energies_of_system(run.system), constraint_functions(run.system))
  local function carried_at(t, x) return carried and run.observer:evaluate(carried, w, t, x)[1] or 0 end
  local function energy_at(t, x)
    local fine, energy = protected(energies, t, x)
    return fine and energy == energy and energy - carried_at(t, x) or nil
  end
  -- on the corner at which an impulse acts the energy has no value
  if run.outcome.status == "IMPULSE" and points > 1 then points = points - 1 end
  for step = 1, points + (stride or 1) - 1, stride or 1 do
    local i = math.min(step, points)
    local x, here, behind = r:state(i), nil, nil
    if may_switch and (i == 1 or r:time(i - 1) ~= r:time(i)) then here, behind = switches.at(energy_at, r:time(i), x, r:time(1), forward, i == 1) end
    w:set_state(r:time(i), x)
    local energy, kinetic = 0, 0
    while k <= #lost and lost[k].t <= r:time(i) do
      passed = passed + lost[k].change
      k = k + 1
    end
    if k > 1 and lost[k - 1].t == r:time(i) then x[run.equations.whole_course.index] = lost[k - 1].side end
    if run.equations.keeps_energy then energy, kinetic = energies(r:time(i), x) end
    local work = (has_work and x[size] or 0) + passed + switched + (here or 0)
    switched = switched + (behind or 0)
    if carried then
      local value = carried_at(r:time(i), x)
      offset = offset or value
      work = work + value - offset
    end
    first = first or energy - work       -- an impact at the start has done work
    core.meet(met, energy, kinetic, work)
    each(r:time(i), energy - first - work, w:residuals())
  end
  return math.max(met.size or 0, run.equations.keeps_energy and faintest(run, energies, size) or 0)
end

-- Largest residual of a constraint and largest error of the energy balance over the stored states
local function drift(run, stride)
  local worst, error_ = 0, 0
  local scale = follow_balance(run, function(_, off, ...)
    error_ = math.max(error_, math.abs(off))
    for _, list in ipairs{ ... } do
      for _, value in ipairs(list) do worst = math.max(worst, math.abs(value)) end
    end
  end, stride)
  return not run.equations.keeps_energy and 0/0 or scale > 0 and error_/scale or error_, worst
end

local function set_drift(run)
  local energy, constraint = drift(run)
  rawset(run, "energy_drift", energy)
  rawset(run, "constraint_drift", constraint)
end

local MOST = 20000                     -- stored states that print(run) looks at: a tenth of a second

--- For print(run): run.energy_drift and run.constraint_drift, of long runs those at MOST of the stored states, with the words on that.
function Trajectory:printed_drift()
  local points = reading.raw(self):points()
  if points <= MOST or rawget(self, "energy_drift") then return self.energy_drift, self.constraint_drift, "" end
  local stride = -(-points//MOST)
  local energy, constraint = drift(self, stride)
  return energy, constraint, (" (at one of %d stored states; run.energy_drift looks at all)"):format(stride)
end

--- What run:plot_drift draws: names, and a row { t, ... } for every stored state: the error of the energy balance relative to the energy of the motion,
--- then the residual of every constraint in its own unit; those of holonomic ones on the level of velocities are called "name'".
function Trajectory:drift()
  local names, rows, E = {}, {}, self.equations
  if E.keeps_energy then names[1] = "energy" end
  for _, c in ipairs(E.positions) do names[#names + 1] = c.name end
  local holonomic = {}
  for _, c in ipairs(E.positions) do holonomic[c.name] = true end
  for _, c in ipairs(E.velocities) do names[#names + 1] = holonomic[c.name] and c.name .. "'" or c.name end
  local scale = follow_balance(self, function(t, off, positions, velocities)
    local row = { t }
    if E.keeps_energy then row[2] = off end
    for _, list in ipairs{ positions or {}, velocities or {} } do table.move(list, 1, #list, #row + 1, row) end
    rows[#rows + 1] = row
  end)
  for _, row in ipairs(rows) do if E.keeps_energy and scale > 0 then row[2] = row[2]/scale end end
  return names, rows
end

--- Largest |E - E(0) - work| over the stored states, relative to the energy of the motion: the largest kinetic energy, or the largest change of the potential
--- energy, if larger; at least the kinetic energy of velocities of atol. A constant of the potential energy does not count up to
--- 1e11 times the energy of the motion; beside a larger one rounding hides the balance, and the number says less, from 1e15 times on nothing. Work of forces,
--- of rheonomic constraints and of explicit time dependence is balanced. E = sum q' dL/dq' - L. nan for models that are not the motion of the system
--- and whose constraints do work (Lindelof's with acatastatic ones).
function Trajectory.get.energy_drift(self)
  set_drift(self)
  return self.energy_drift
end

--- Largest residual of any constraint (holonomic ones on both levels) over the stored states, in the constraint's own unit.
function Trajectory.get.constraint_drift(self)
  set_drift(self)
  return self.constraint_drift
end

--- Largest residual by constraint over the stored states, on the level of velocities too for holonomic ones, in the constraint's own
--- unit. In the form 'newtonian', whose law of reactions need not keep the constraints, it is the result.
function Trajectory.get.constraint_residual(self)
  local names, list, result = {}, {}, {}
  for _, c in ipairs(self.system.constraints) do
    names[#names + 1], list[#list + 1] = c.name, c.f
    if c.holonomic then names[#names + 1], list[#list + 1] = c.name, core.dt(c.f) end
    result[c.name] = 0
  end
  local p, r = self.observer:program(list), reading.raw(self)
  for i = 1, #list > 0 and r:points() or 0 do
    for k, value in ipairs(self.observer:evaluate(p, self.workspace, r:time(i), r:state(i))) do
      result[names[k]] = math.max(result[names[k]], math.abs(value))
    end
  end
  rawset(self, "constraint_residual", result)
  return result
end
