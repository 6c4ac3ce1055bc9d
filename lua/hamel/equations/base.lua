-- base.lua: the equations of a system in its base velocities w, from its bodies by vectors and from what was declared by hand.
--
-- The row of w_s: sum over bodies of m a.v_s + (h' ).omega_s, with v_s = dv/dw_s, omega_s = domega/dw_s and h = J omega (Jourdain 1909, Kane 1961),
-- and for energies declared by hand d/dt dT/dw_s + (omega x dT/domega)_s - X_s(T - V), X_s f = sum (dq_r'/dw_s) df/dq_r (Boltzmann 1902, Hamel 1904).
local Body = require "hamel.bodies.body"
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local inertia = require "hamel.bodies.inertia"
local motion = require "hamel.bodies.motion"
local Vector = require "hamel.bodies.vector"

local base = {}

local ZERO = core.rational(0)

-- A velocity in the free base velocities, where F has but these
local function inserted(F, v) return F.vector and F.vector(v) or v end

-- ---- from vectors

-- The derivatives of a vector by the base velocities
local function partials(F, v)
  local list = {}
  for s, w in ipairs(F.base) do list[s] = v:_map(function(c) return core.diff(c, w) end) end
  return list
end

-- d/dt of a vector, its angular velocities on the motion F, without the rates of the base velocities
local function still_rate(F, v, N)
  local sum = v:_map(function(c) return motion.directional(F, { c }, true)[1] end)
  for _, term in ipairs(v._terms) do
    if term.frame ~= N then
      sum = sum + inserted(F, term.frame:angular_velocity(N)):cross(Vector.new(v.system, { [term.frame] = { term[1], term[2], term[3] } }))
    end
  end
  return sum
end

-- Adds a part of a body: weights times partial velocities; image(v_s): momentum by the base velocity w_s
local function add_part(rows, momentum, partial, rate)
  for s = 1, #partial do
    for j = 1, s do
      local m = momentum[j]:dot(partial[s])
      rows.M[s][j] = rows.M[s][j] + m
      if j < s then rows.M[j][s] = rows.M[j][s] + m end
    end
    rows.bias[s] = rows.bias[s] + rate:dot(partial[s])
  end
end

-- The velocity of a point and its partial velocities, formed once for mass and weight
local function velocity_of(rows, F, point)
  local known = rows.velocities[point]
  if not known then
    local v = inserted(F, point:velocity())
    known = { v, partials(F, v) }
    rows.velocities[point] = known
  end
  return known[1], known[2]
end

local function add_mass(rows, F, part, N)
  local v, partial = velocity_of(rows, F, part.point)
  local momentum = {}
  for s, v_s in ipairs(partial) do momentum[s] = part.mass*v_s end
  add_part(rows, momentum, partial, part.mass*still_rate(F, v, N))
end

local function add_inertia(rows, F, part, N)
  local system = part.frame.system
  local w = {}
  for i, c in ipairs(Body._turning(part)) do w[i] = F.on and F.on(c) or c end
  local omega = Vector.new(system, { [part.frame] = w })
  local partial, momentum = partials(F, omega), {}
  for s, w_s in ipairs(partial) do momentum[s] = Vector.new(system, { [part.frame] = inertia.times(part.J, w_s:_in_frame(part.frame)) }) end
  add_part(rows, momentum, partial, still_rate(F, Vector.new(system, { [part.frame] = inertia.times(part.J, w) }), N))
end

-- ---- from energies declared by hand

-- omega x p of the rates of each rotation, by base velocity
local function gyroscopic(F, p)
  local extra = {}
  for s = 1, #F.base do extra[s] = ZERO end
  for _, triple in ipairs(F.triples) do
    for i = 1, 3 do
      local j, k = triple[i % 3 + 1], triple[(i + 1) % 3 + 1]
      extra[triple[i]] = F.base[j]*p[k] - F.base[k]*p[j]
    end
  end
  return extra
end

base.gyroscopic = gyroscopic

local function add_by_hand(rows, declared, F)
  local T, V = declared.T, declared.V
  if T then
    T = motion.in_base(declared.system, T)
    local p = core.gradient(T, F.base)
    local M, rate, extra = core.hessian(p, F.base), motion.directional(F, p, true), gyroscopic(F, p)
    for s, w in ipairs(F.base) do
      for j = 1, #F.base do rows.M[s][j] = rows.M[s][j] + M[s][j] end
      rows.bias[s] = rows.bias[s] + rate[s] + extra[s] - motion.along(F, { T }, w)[1]
    end
  end
  for s, w in ipairs(V and F.base or {}) do rows.active[s] = rows.active[s] - motion.along(F, { V }, w)[1] end
end

-- ---- all of it

--- Generalised forces on the base velocities, potential ones apart: Q_s = sum Q_r dq_r'/dw_s of those on coordinates, which may be those of
--- quaternions, as of a dissipation function, and those on body rates.
function base.forces(system, F, lambda)
  local Q, sum = system:generalised_forces(lambda ~= nil, true), {}
  for s, w in ipairs(F.base) do
    local terms = {}
    for r, e in ipairs(Q) do
      if core.number_value(e) ~= 0 then terms[#terms + 1] = e*core.diff(F.k[r], w) end
    end
    sum[s] = core.sum(terms)
  end
  for _, item in ipairs(system:forces_on_rates()) do sum[item[1]] = sum[item[1]] + item[2] end
  if lambda then sum = coupling.inserted(system, sum, lambda) end
  for s = 1, #sum do sum[s] = motion.in_base(system, sum[s]) end
  return sum
end

-- Forces that have a potential: weights of bodies, and V by hand
local function add_gravity(rows, declared, F)
  local g = declared.gravity
  for _, body in ipairs(g and declared.bodies or {}) do
    if core.number_value(body.mass) ~= 0 then
      local _, partial = velocity_of(rows, F, body.at)
      for s, v_s in ipairs(partial) do rows.active[s] = rows.active[s] + body.mass*g:dot(v_s) end
    end
  end
end

local function empty_rows(n)
  local rows = { M = {}, bias = {}, active = {}, velocities = {} }
  for s = 1, n do
    rows.M[s], rows.bias[s], rows.active[s] = {}, ZERO, ZERO
    for j = 1, n do rows.M[s][j] = ZERO end
  end
  return rows
end

--- What the rows are derived from, as it is declared now: { system, bodies, gravity?, frame = the inertial one, T?, V? = by hand }. Rows may be
--- derived later, when the system has more.
function base.declared(system)
  local bodies = table.move(system._bodies, 1, #system._bodies, 1, {})
  return { system = system, bodies = bodies, gravity = rawget(system, "_gravity"), frame = system:frame(), T = system._kept._T, V = system._kept._V }
end

local function body_rows(declared, F)
  local rows = empty_rows(#F.base)
  for _, body in ipairs(declared.bodies) do
    for _, part in ipairs(body._parts) do (part.point and add_mass or add_inertia)(rows, F, part, declared.frame) end
  end
  add_gravity(rows, declared, F)
  return rows
end

local function hand_rows(declared, F)
  local rows = empty_rows(#F.base)
  add_by_hand(rows, declared, F)
  return rows
end

--- M w' + bias = active (+ forces + reactions) of the bodies and gravity. F: motion.of(system), or velocities in free ones.
function base.body_rows(system, F) return body_rows(base.declared(system), F) end

--- The same of the energies declared by hand, in all base velocities.
function base.hand_rows(system) return hand_rows(base.declared(system), motion.of(system)) end

--- Adds the rows of b to those of a.
function base.add(a, b)
  for s, row in ipairs(a.M) do
    for j in ipairs(row) do row[j] = row[j] + b.M[s][j] end
    a.bias[s], a.active[s] = a.bias[s] + b.bias[s], a.active[s] + b.active[s]
  end
  return a
end

--- Both, in all base velocities F = motion.of(system), of what base.declared(system) returned.
function base.rows(declared, F) return base.add(body_rows(declared, F), hand_rows(declared, F)) end

--- Kinetic and potential energy in base velocities.
function base.energies(system)
  local of_bodies = system._of_bodies.shown or {}
  local T, V = of_bodies[1] or ZERO, of_bodies[2] or ZERO
  if system._kept._T then T = T + motion.in_base(system, system._kept._T) end
  if system._kept._V then V = V + system._kept._V end
  return T, V
end

--- A constraint on the level of positions (holonomic ones), velocities and accelerations in base velocities: { name, position = { f, row }?,
--- velocity = { f, row }, b }: row . w' + b = 0. All rows are in base velocities but that of the position, which is in coordinates.
function base.level(system, F, constraint)
  local result, f = { name = constraint.name, constraint = constraint }, constraint.given or constraint.f
  if constraint.holonomic then
    result.position = { f = constraint.f, row = core.gradient(constraint.f, F.q) }
    f = motion.directional(F, { f }, true)[1]
  else f = motion.in_base(system, f) end
  result.velocity = { f = f, row = core.gradient(f, F.base) }
  result.b = motion.directional(F, { f }, true)[1]
  return result
end

-- Do energies and constraints come from bodies, so that the base equations are the ones to derive?
function base.applies(system) return #system._bodies > 0 or #system._rotations > 0 end

--- The same for equations in free velocities: not where quasi-velocities were chosen, or constraints are nonlinear, which the forms in coordinates take.
function base.reduces(system)
  if #system._rotations > 0 then return true end
  if #system._bodies == 0 or system._quasi then return false end
  for _, c in ipairs(system.constraints) do if not c.linear then return false end end
  return true
end

return base
