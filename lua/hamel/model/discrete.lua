-- discrete.lua: the discrete Lagrange-d'Alembert principle as a one-step map: expressions, solved and stepped by the core.
--
-- With the midpoint rule L_d = h L((q0 + q1)/2, (q1 - q0)/h, t0 + h/2) the step (q0, v0) -> (q1, v1) is
--   p0 + h A(q0)^T lambda0 = dL/dv - h/2 (dL/dq + Q)  at the midpoint,     p1 = dL/dv + h/2 (dL/dq + Q) + h A(q1)^T lambda1,
-- p = dL/dv at the ends, lambda0 such that the constraints hold over the step (holonomic ones at q1, others at the midpoint), lambda1 such that
-- they hold on the level of velocities at its end. Holonomic: RATTLE with the midpoint Lagrangian; nonholonomic: Cortes and Martinez,
-- Nonlinearity 14 (2001), with the momentum matched as by Ferraro, Iglesias and Martin de Diego, Nonlinearity 21 (2008). Order 2, reversible.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local discrete = {}

local function fresh(prefix, n)
  local list = {}
  for i = 1, n do list[i] = core.symbol(prefix .. i, symbols.EXTERNAL) end
  return list
end

-- Everything that makes the map of a system for parameter values
local function spec_of(system, parameters, values)
  local q, v, L = system:coordinate_list(), system:velocity_list(), system:lagrangian()
  local n, m, t = #q, #system.constraints, symbols.t
  local h = core.symbol("step_", symbols.EXTERNAL)
  local q1, v1, before, after = fresh("next_q", n), fresh("next_v", n), fresh("impulse_a", m), fresh("impulse_b", m)
  local from = table.move(v, 1, n, n + 1, table.move(q, 1, n, 1, {}))
  from[#from + 1] = t
  local middle, finish = {}, {}
  for i = 1, n do
    middle[i], middle[n + i] = (q[i] + q1[i])/2, (q1[i] - q[i])/h
    finish[i], finish[n + i] = q1[i], v1[i]
  end
  middle[#middle + 1], finish[#finish + 1] = t + h/2, t + h
  local function at(e, to) return core.substitute(e, from, to) end
  local p, push, Q = core.gradient(L, v), core.gradient(L, q), system:generalised_forces()
  local rows, residual = {}, {}
  for k, c in ipairs(system.constraints) do rows[k] = kinematics.levels(c, q, v) end
  for i = 1, n do
    local force = h/2*(at(push[i], middle) + at(Q[i], middle))
    local first, second = { p[i], force, -at(p[i], middle) }, { at(p[i], middle), force, -at(p[i], finish) }
    for k = 1, m do
      first[#first + 1] = h*before[k]*rows[k].velocity.row[i]
      second[#second + 1] = h*after[k]*at(rows[k].velocity.row[i], finish)
    end
    residual[i], residual[n + i] = core.sum(first), core.sum(second)
  end
  for k = 1, m do
    local level = rows[k]
    residual[2*n + k] = level.position and at(level.position.f, finish) or at(level.velocity.f, middle)
    residual[2*n + m + k] = at(level.velocity.f, finish)
  end
  local unknowns, guess, update = {}, {}, {}
  for _, list in ipairs{ q1, v1, before, after } do table.move(list, 1, #list, #unknowns + 1, unknowns) end
  for i = 1, n do
    guess[i], guess[n + i] = q[i] + h*v[i], v[i]
    update[i], update[n + i] = q1[i], v1[i]
  end
  for i = 2*n + 1, 2*n + 2*m do guess[i] = core.rational(0) end
  return { time = t, step = h, states = table.move(v, 1, n, n + 1, table.move(q, 1, n, 1, {})), unknowns = unknowns, parameters = parameters,
           parameter_values = values, residual = residual, update = update, guess = guess }
end

--- The map of a system, for core.discrete_run; raises where the principle does not apply.
function discrete.map(system, override)
  if #system:external_forces() > 0 then fail("simulate: method 'dla' needs forces as expressions; one of %s is a Lua function", system.name) end
  if #system.gaps + #system.frictions > 0 then fail("simulate: method 'dla' does not support contacts; method 'moreau' does") end
  local parameters, values = compile.parameter_values(system, override)
  return core.discrete(spec_of(system, parameters, values))
end

return discrete
