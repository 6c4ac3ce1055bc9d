-- chart/volumes.lua: how fast volumes of states shrink along a motion: whether it can have settled.
--
-- In coordinates and momenta the divergence of the flow is the sum of dQ_i/dp_i = (inverse of M)_ij dQ_i/dv_j, taken along the constraints: all that is
-- derived from a Lagrangian keeps the volume (Liouville), and only forces Q that depend on velocities change it. Volumes of coordinates and velocities
-- differ from these by the factor det M, which stays between bounds where M does not depend on the time.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local pieces = require "hamel.algebra.pieces"
local points = require "hamel.chart.points"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"

local volumes = {}

local SURE = 3                          -- times the standard error of a mean
local SHIFTED, FAR = 400, 1e3           -- times far beyond a run, and how far, in units of its time

local function any_in(list, set)
  for _, e in ipairs(list) do if gradients.contains(e, set) then return true end end
  return false
end

-- The matrix dQ/dv; nil where it is not all that the forces do to volumes: they jump with a velocity, or depend on reactions. Second result: is it zero?
local function slopes_of(E)
  local v, zero, C = gradients.set(E.dyn), true, {}
  if any_in(E.forces, gradients.set(E.multipliers or {})) then return nil end
  for i, Q in ipairs(E.forces) do
    for _, g in ipairs(pieces.jumps{ Q }) do if any_in({ g }, v) then return nil end end
    C[i] = core.gradient(Q, E.dyn)
    for _, e in ipairs(C[i]) do zero = zero and e:is_zero() == true end
  end
  return C, zero
end

-- The inverse inertia along the constraints times dQ/dv, its trace: A a = 0 for the accelerations a that a force makes. nil: constraints are redundant
local function trace_of(value, n, m)
  local size, flat, trace = n + m, {}, 0
  for i = 1, size do
    for j = 1, size do
      local e = i <= n and j <= n and value.M[(i - 1)*n + j] or i > n and j <= n and value.A[(i - n - 1)*n + j]
        or j > n and i <= n and value.A[(j - n - 1)*n + i] or 0.0
      flat[(i - 1)*size + j] = e
    end
  end
  for j = 1, n do
    local column, any = {}, false
    for i = 1, size do
      column[i] = i <= n and value.C[(i - 1)*n + j] or 0.0
      any = any or column[i] ~= 0
    end
    local a = any and core.solve(size, flat, column)
    if any and not a then return nil end
    trace = trace + (any and a[j] or 0)
  end
  return trace
end

-- The least rate of damping along the constraints: the least eigenvalue m of the symmetric part of -dQ/dv - m M over the velocities with A v = 0. Amplitudes
-- shrink at half of it at least where no degree of freedom is damped above its critical damping. nil: it is not known
local function least_damping_of(value, n, m)
  local rows, flat = {}, {}
  for i = 1, m do rows[i] = table.move(value.A, (i - 1)*n + 1, i*n, 1, {}) end
  local basis = tangent.basis(rows, n)
  local function form(matrix, a, b)
    local sum = 0
    for i = 1, n do for j = 1, n do sum = sum + a[i]*matrix[(i - 1)*n + j]*b[j] end end
    return sum
  end
  local masses, size = {}, #basis
  for i, a in ipairs(basis) do for j, b in ipairs(basis) do masses[(i - 1)*size + j] = form(value.M, a, b) end end
  for j, b in ipairs(basis) do
    local column = {}
    for i, a in ipairs(basis) do column[i] = -(form(value.C, a, b) + form(value.C, b, a))/2 end
    column = core.solve(size, masses, column)
    if not column then return nil end
    for i = 1, size do flat[(i - 1)*size + j] = column[i] end
  end
  if size == 0 then return nil end
  local values, least = core.eigen(size, flat), math.huge
  for k = 1, size do least = math.min(least, values[2*k - 1]) end
  return least
end

-- A function of parameters by name that returns a function of a state with its time, and of how to read it: trace_of, the divergence there, or
-- least_damping_of; nil: it is not known. Second result: is it the same at all states? Third: at all at one time?
local function rate_of(system, E, C)
  local names, states = points.states(system)
  local n, m, known, others = #E.dyn, #E.A, gradients.set(states), {}
  -- what nothing depends on may be any number
  for _, q in ipairs(system:coordinate_list()) do if not known[q] then others[#others + 1] = q end end
  local M, A, entries = compile.flat(E.M), compile.flat(E.A), compile.flat(C)
  local all, a = compile.flat{ M, A, entries }, #M + #A
  local moving, program, count = compile.flat{ states, others, { symbols.t } }, nil, nil
  return function(given)
    local list, values = compile.parameter_values(system, given)
    if count ~= #list then program, count = core.program(compile.flat{ moving, list }, all), #list end
    return function(point, read)
      local arguments = table.move(point, 1, #names, 1, {})
      for _ in ipairs(others) do arguments[#arguments + 1] = 0.0 end
      arguments[#arguments + 1] = point.t
      local flat = program:eval(table.move(values, 1, #values, #arguments + 1, arguments))
      return read({ M = table.move(flat, 1, #M, 1, {}),
                    A = table.move(flat, #M + 1, a, 1, {}), C = table.move(flat, a + 1, #flat, 1, {}) }, n, m)
    end
  end, not any_in(all, gradients.set(moving)), not any_in(all, gradients.set(compile.flat{ states, others }))
end

-- Are all contacts impacts that take no energy, without friction? They reflect velocities, in the metric of the kinetic energy, and keep volumes
local function reflects(system)
  for _, gap in ipairs(system.gaps) do
    local law = gap.law
    if gap.bound or type(law) ~= "table" or law.restitution ~= 1 or gap.capture > 0 or #gap.rough > 0 or #gap.held > 0 then return false end
  end
  return #system.frictions == 0
end

--- What is known of the volumes of states of a system: { kept = are they kept by all motions?, rate = function(parameters by name) that returns a function
--- of a state with its time t and of what is read there, uniform = is it the same at all states and times?, anywhere = at all states?, timed = does it contain
--- the time?, constant = is there no constraint, and the inertia the same at all states, so that volumes of coordinates and velocities change as those of
--- coordinates and momenta?, freedoms = degrees of freedom, states = their number }. nil: nothing, as with contacts, but for elastic impacts of systems
--- that keep volumes, conditions on velocities, forces in Lua and forces that jump with a velocity.
function volumes.of(system)
  if not reflects(system) or system:external_forces()[1] or #system:forces_on_rates() > 0 then return nil end
  local E = system:equations "lagrange"
  if not E.forces or #E.dyn ~= #E.forces or #E.velocities > #E.positions or any_in(compile.flat(E.M), { [symbols.t] = true }) then return nil end
  local C, zero = slopes_of(E)
  if not C or contact.any(system) and not zero then return nil end
  local rate, uniform, anywhere
  if not zero then rate, uniform, anywhere = rate_of(system, E, C) end
  local constant = #E.A == 0 and not any_in(compile.flat(E.M), gradients.set(compile.flat{ E.kin, E.dyn }))
  return { kept = zero, rate = rate, uniform = uniform, anywhere = anywhere, constant = constant,
           timed = not zero and any_in(compile.flat(C), { [symbols.t] = true }),
           freedoms = #E.dyn - #E.A, states = #points.states(system) }
end

--- The mean rate at which volumes grow over states with their times, if it is surely not zero; else 0. Second result: are they kept at each of the states?
--- nil: it is not known. V: see volumes.of.
function volumes.mean(V, states, parameters)
  if not V or #states == 0 then return nil end
  if V.kept then return 0, true end
  local rate_at, n, sum, squares, kept = V.rate(parameters), V.uniform and 1 or #states, 0, 0, true
  for k = 1, n do
    local rate = rate_at(states[k], trace_of)
    if not rate or rate - rate ~= 0 then return nil end
    sum, squares, kept = sum + rate, squares + rate*rate, kept and rate == 0
  end
  local mean = sum/n
  local variance = math.max(0, squares/n - mean*mean)
  return math.abs(mean) > SURE*math.sqrt(variance/n) and mean or 0, kept
end

--- The rate at which volumes of coordinates and velocities grow, where it is the same at all states; nil: it is not, or not known. anywhere: a state with
--- its time.
function volumes.constant_rate(V, anywhere, parameters)
  if not V or not V.constant then return nil end
  return V.kept and 0.0 or V.uniform and V.rate(parameters)(anywhere, trace_of) or nil
end

--- Do volumes surely grow over states with their times and, where the rate contains the time, at these states for long after, when a slow drive may damp?
function volumes.grow_for_ever(V, states, parameters)
  local mean = volumes.mean(V, states, parameters)
  if not (mean and mean > 0 and V.timed) then return mean and mean > 0 end
  local later, time = {}, states[#states].t - states[1].t
  for k = 1, SHIFTED do
    local state = states[1 + k % #states]
    later[k] = table.move(state, 1, #state, 1, {})
    later[k].t = states[1].t + (k - 1 + points.spread(k))*FAR*time/SHIFTED
  end
  return volumes.mean(V, later, parameters) > 0
end

--- The least rate of damping of all degrees of freedom: its mean over states with their times, and the least one of all; nil: it is not known.
function volumes.least_damping(V, states, parameters)
  local rate_at, n, sum, least = V.rate(parameters), V.uniform and 1 or #states, 0, math.huge
  for k = 1, n do
    local rate = rate_at(states[k], least_damping_of)
    if not rate or rate - rate ~= 0 then return nil end
    sum, least = sum + rate, math.min(least, rate)
  end
  return sum/n, least
end

return volumes
