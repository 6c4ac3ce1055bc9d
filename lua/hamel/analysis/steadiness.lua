-- steadiness.lua: is a state steady? Its rates are rounding, or a steady state lies so near that the first approximation there is the same. Neither
-- depends on the units of lengths, masses and times.
local balance = require "hamel.analysis.balance"
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local fail = object.fail
local steadiness = {}

local SAME = 1e-6                      -- of the largest entry of its kind: a change of the first approximation that is none
local DIGITS = 1e-14                   -- of a state: a change that is rounding
local LEFT = 1e-3                      -- of a rate: what a step to a steady state may leave of it

-- ---- rates that are rounding

-- M x' of the velocities and the sizes of the terms of the sums that it equals, both divided by the root of the inertia, so that all
-- velocities have one unit
local function forces_of(E, observer, w, t, x, rate)
  local list, n = {}, #E.dyn
  for s = 1, n do table.move(E.M[s], 1, n, #list + 1, list) end
  for s = 1, n do list[#list + 1] = balance.sizes_of(E.r[s]) end
  for _, row in ipairs(E.A) do table.move(row, 1, n, #list + 1, list) end
  local values, lambda = observer:evaluate(observer:program(list), w, t, x), w:multipliers()
  local force, size = {}, {}
  for s = 1, n do
    force[s], size[s] = 0.0, values[n*n + s]
    for k = 1, n do force[s] = force[s] + values[(s - 1)*n + k]*rate[#E.kin + k] end
    for k in ipairs(E.A) do size[s] = size[s] + math.abs(values[n*(n + k) + s]*lambda[k]) end
    local inertia = values[(s - 1)*n + s]
    local unit = inertia > 0 and math.sqrt(inertia) or 1
    force[s], size[s] = force[s]/unit, size[s]/unit
  end
  return force, size
end

local function is_rounding(E, observer, w, t, x, rate, kept)
  local sizes = {}
  for i, e in ipairs(E.k) do sizes[i] = balance.sizes_of(e) end
  local flow = #sizes > 0 and observer:evaluate(observer:program(sizes), w, t, x) or {}
  for _, place in ipairs(kept) do
    if place <= #E.kin and not (math.abs(rate[place]) <= balance.roundings*flow[place]) then return false end
  end
  local force, size = forces_of(E, observer, w, t, x, rate)
  -- the solve passes the rounding of one row on to all
  local largest = 0
  for s in ipairs(E.dyn) do largest = math.max(largest, size[s]) end
  for s in ipairs(E.dyn) do if not (math.abs(force[s]) <= balance.roundings*largest) then return false end end
  return true
end

-- ---- a steady state near by

-- The largest entries of the Jacobian by kind: rates of positions and of velocities, by positions and by velocities
local function kinds_of(E, kept, flat, size)
  local largest = { { 0, 0 }, { 0, 0 } }
  local function kind(place) return place <= #E.kin and 1 or 2 end
  for _, i in ipairs(kept) do
    for _, j in ipairs(kept) do
      local row = largest[kind(i)]
      row[kind(j)] = math.max(row[kind(j)], math.abs(flat[(i - 1)*size + j]))
    end
  end
  return largest, kind
end

-- The shortest step to where the rates vanish, along the constraints, in units of time in which both kinds of states move alike, and these units;
-- nil: none does
local function step_to_steady(E, kept, flat, rate, rows, size)
  local largest, kind = kinds_of(E, kept, flat, size)
  local unit = { 1, largest[1][2] > 0 and largest[2][1] > 0 and math.sqrt(largest[2][1]/largest[1][2]) or 1 }
  local matrix, right = {}, {}
  for _, i in ipairs(kept) do
    for _, j in ipairs(kept) do matrix[#matrix + 1] = flat[(i - 1)*size + j]*unit[kind(j)]/unit[kind(i)] end
    right[#right + 1] = -rate[i]/unit[kind(i)]
  end
  for _, row in ipairs(rows) do
    for column, j in ipairs(kept) do matrix[#matrix + 1] = row[column]*unit[kind(j)] end
    right[#right + 1] = 0.0
  end
  local step = core.least_squares(#right, #kept, matrix, right, 1e-12)
  for row in ipairs(kept) do
    local left = -right[row]
    for column in ipairs(kept) do left = left + matrix[(row - 1)*#kept + column]*step[column] end
    local most = 0
    for r in ipairs(kept) do most = math.max(most, math.abs(right[r])) end
    if not (math.abs(left) <= LEFT*most) then return nil end
  end
  local units = {}
  for column, j in ipairs(kept) do units[column] = unit[kind(j)] end
  return step, units
end

local function same_approximation(E, kept, one, other, size)
  local largest, kind = kinds_of(E, kept, one, size)
  for _, i in ipairs(kept) do
    for _, j in ipairs(kept) do
      local place = (i - 1)*size + j
      if not (math.abs(one[place] - other[place]) <= SAME*largest[kind(i)][kind(j)]) then return false end
    end
  end
  return true
end

-- Is a steady state so near that the first approximation there is the same?
local function is_near(E, w, t, x, rate, kept, flat, rows, moved)
  local step, units = step_to_steady(E, kept, moved, rate, rows, #x)
  if not step then return false end
  local there = table.move(x, 1, #x, 1, {})
  for i, place in ipairs(kept) do
    if not (math.abs(step[i]) <= balance.close*(1 + math.abs(x[place])/units[i])) then return false end
    there[place] = x[place] + step[i]*units[i]
  end
  w:set_state(t, there)
  local fine, other = protected(w.jacobian, w)
  w:set_state(t, x)
  return fine and same_approximation(E, kept, flat, other, #x)
end

-- ---- the question

local function fastest(rate, kept, names)
  local worst, most = 1, -1
  for i, place in ipairs(kept) do
    if not (math.abs(rate[place]) <= most) then worst, most = i, math.abs(rate[place]) end
  end
  return names[worst], rate[kept[worst]]
end

-- Are the rates no larger than what changes of the states by their last digits make of them? A state has the size of the largest of its kind
local function is_explained(E, x, rate, kept, flat)
  local size, n = { 0, 0 }, #x
  local function kind(place) return place <= #E.kin and 1 or 2 end
  for _, j in ipairs(kept) do size[kind(j)] = math.max(size[kind(j)], math.abs(x[j])) end
  for _, i in ipairs(kept) do
    local explained = 0
    for _, j in ipairs(kept) do explained = explained + math.abs(flat[(i - 1)*n + j])*size[kind(j)] end
    if not (math.abs(rate[i]) <= DIGITS*explained) then return false end
  end
  return true
end

local function is_noise(rate, noise, kept)
  for _, place in ipairs(kept) do if not (math.abs(rate[place]) <= noise[place]) then return false end end
  return true
end

--- Is the state x steady? kept: places of the states that count; flat: the Jacobian there; rows: of the constraints on the kept states; tolerance:
--- rates up to this count as zero, in place of what is said above; nil: they do not. beside: { rate, flat, noise (errors of the rates) } without a
--- turning that goes on, nil: nothing turns.
function steadiness.holds(E, observer, w, t, x, kept, flat, rows, tolerance, beside)
  w:set_state(t, x)
  local rate, size, steady = beside and beside.rate or w:rate(), 1, true
  for _, place in ipairs(kept) do size = math.max(size, math.abs(x[place])) end
  for _, place in ipairs(kept) do steady = steady and math.abs(rate[place]) <= (tolerance or 0)*size end
  steady = steady or not tolerance and (beside and is_noise(rate, beside.noise, kept))
    or not tolerance and (is_rounding(E, observer, w, t, x, rate, kept) or is_explained(E, x, rate, kept, beside and beside.flat or flat)
      or is_near(E, w, t, x, rate, kept, flat, rows, beside and beside.flat or flat))
  w:set_state(t, x)
  return steady
end

--- Raises: the state x is not steady. names: of the kept states; in_velocities: these are velocities and body rates, for which symmetries are looked for;
--- driven: do the equations depend on time?
function steadiness.refuse(E, w, t, x, kept, names, in_velocities, driven)
  w:set_state(t, x)
  local name, value = fastest(w:rate(), kept, names)
  if driven then
    fail("linearize: the state is not steady: the rate of %s is %.6g, as the equations depend on time (t = %.6g): S:periodic{ q =, v =, period = } finds the "
      .. "motion with the period of the drive and its stability; without the drive, set its amplitude to zero in parameters", name, value, t)
  end
  if #E.system._rotations > 0 and not in_velocities then
    fail("linearize: the state is not steady: the rate of %s is %.6g; turning motions are linearized in velocities and body rates: take form = "
      .. "\"lagrange\", or \"hamel\" without quasi-velocities", name, value)
  end
  if #E.system._rotations > 0 then
    fail("linearize: the state is not steady: the rate of %s is %.6g, and no symmetry of %s goes along with it; S:steady{...} finds a steady motion near "
      .. "a guess, S:periodic{...} one that repeats", name, value, E.system.name)
  end
  fail("linearize: the state is not steady: the rate of %s is %.6g; S:equilibrium{...} finds a state at rest, S:steady{...} a steady motion near a guess, and "
    .. "S:linearize takes their results: S:linearize(S:equilibrium{ q = ... })", name, value)
end

return steadiness
