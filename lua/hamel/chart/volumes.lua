-- chart/volumes.lua: how fast volumes of states shrink along a motion: whether it can have settled.
--
-- In coordinates and momenta the divergence of the flow is the sum of dQ_i/dp_i = (inverse of M)_ij dQ_i/dv_j, taken along the constraints: all that is derived from
-- a Lagrangian keeps the volume (Liouville), and only forces Q that depend on velocities change it. Volumes of coordinates and velocities differ from
-- these by the factor det M, which stays between bounds where M does not depend on the time.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local pieces = require "hamel.algebra.pieces"
local points = require "hamel.chart.points"
local symbols = require "hamel.algebra.symbols"

local volumes = {}

local SURE = 3                          -- times the standard error of a mean

local function set_of(list)
  local set = {}
  for _, s in ipairs(list) do set[s] = true end
  return set
end

local function any_in(list, set)
  for _, s in ipairs(core.symbols(list)) do if set[s] then return true end end
  return false
end

-- The matrix dQ/dv; nil where it is not all that the forces do to volumes: they jump with a velocity, or depend on reactions. Second result: is it zero?
local function slopes_of(E)
  local v, zero, C = set_of(E.dyn), true, {}
  if any_in(E.forces, set_of(E.multipliers or {})) then return nil end
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

local function flattened(rows)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #list + 1, list) end
  return list
end

-- A function of a state with its time, and of parameters by name: the divergence there; nil: it is not known
local function rate_of(system, E, C)
  local names, states = points.states(system)
  local n, m, known = #E.dyn, #E.A, set_of(states)
  local lists = { M = flattened(E.M), A = flattened(E.A), C = flattened(C) }
  local all = flattened{ lists.M, lists.A, lists.C }
  local others = {}
  -- what nothing depends on may be any number
  for _, q in ipairs(system:coordinate_list()) do if not known[q] then others[#others + 1] = q end end
  local program, count
  local function values_at(point, given)
    local list, values = compile.parameter_values(system, given)
    local arguments = table.move(point, 1, #names, 1, {})
    for _ in ipairs(others) do arguments[#arguments + 1] = 0.0 end
    arguments[#arguments + 1] = point.t
    table.move(values, 1, #values, #arguments + 1, arguments)
    if not program or count ~= #list then
      program, count = core.program(flattened{ states, others, { symbols.t }, list }, all), #list
    end
    return program:eval(arguments)
  end
  return function(point, given)
    local flat = values_at(point, given)
    local a, c = #lists.M, #lists.M + #lists.A
    return trace_of({ M = table.move(flat, 1, a, 1, {}), A = table.move(flat, a + 1, c, 1, {}), C = table.move(flat, c + 1, #flat, 1, {}) }, n, m)
  end
end

--- What is known of the volumes of states of a system: { kept = are they kept by all motions?, rate = function(state with its time t, parameters by
--- name), freedoms = degrees of freedom }. nil: nothing, as with contacts, conditions on velocities, forces in Lua and forces that jump with a velocity.
function volumes.of(system)
  if contact.any(system) or system:external_forces()[1] or #system:forces_on_rates() > 0 then return nil end
  local E = system:equations "lagrange"
  if not E.forces or #E.dyn ~= #E.forces or #E.velocities > #E.positions or any_in(flattened(E.M), { [symbols.t] = true }) then return nil end
  local C, zero = slopes_of(E)
  if not C then return nil end
  return { kept = zero, rate = not zero and rate_of(system, E, C) or nil, freedoms = #E.dyn - #E.A }
end

--- The mean rate at which volumes grow over states with their times, if it is surely not zero; else 0. Second result: are they kept at each of the states?
--- nil: it is not known. V: see volumes.of.
function volumes.mean(V, states, parameters)
  if not V or #states == 0 then return nil end
  if V.kept then return 0, true end
  local sum, squares, kept = 0, 0, true
  for _, state in ipairs(states) do
    local rate = V.rate(state, parameters)
    if not rate or rate - rate ~= 0 then return nil end
    sum, squares, kept = sum + rate, squares + rate*rate, kept and rate == 0
  end
  local n = #states
  local mean = sum/n
  local variance = math.max(0, squares/n - mean*mean)
  return math.abs(mean) > SURE*math.sqrt(variance/n) and mean or 0, kept
end

return volumes
