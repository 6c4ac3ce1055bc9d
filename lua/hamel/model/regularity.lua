-- regularity.lua: where the vakonomic equations determine the motion: the matrix before (q'', mu') must have an inverse.
-- That is [[W, J^T], [J, 0]] with W = d2(L + mu f)/dq'dq', J = df/dq', or W on the kernel of J in the explicit form. Unlike a mass
-- matrix it depends on mu and can lose its inverse on the way.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"

local regularity = {}

-- A pivot below this part of the largest entry of its matrix, scaled to rows of length one, counts as zero
local SINGULAR = 1e-11

-- A row of J whose rest is below this part of it is a combination of others
local DEPENDENT = 1e-9

local function program_of(equations, observer)
  local list = {}
  for _, row in ipairs(equations.M) do table.move(row, 1, #row, #list + 1, list) end
  return observer:program(list, "regularity")
end

-- Rows of length one; false when a row is empty
local function scaled(values, n)
  local rows = {}
  for i = 1, n do
    local norm = 0
    rows[i] = table.move(values, (i - 1)*n + 1, i*n, 1, {})
    for j = 1, n do norm = norm + rows[i][j]^2 end
    if norm == 0 then return false end
    for j = 1, n do rows[i][j] = rows[i][j]/math.sqrt(norm) end
  end
  return rows
end

-- Sign of the determinant by complete pivoting: -1, 1, or 0 for "no inverse"
local function sign(values, n)
  local rows, result = scaled(values, n), 1
  if not rows then return 0 end
  for k = 1, n do
    local p, c, largest = k, k, 0
    for i = k, n do
      for j = k, n do
        if math.abs(rows[i][j]) > largest then p, c, largest = i, j, math.abs(rows[i][j]) end
      end
    end
    if not (largest > SINGULAR) then return 0 end
    if p ~= k then rows[p], rows[k], result = rows[k], rows[p], -result end
    if c ~= k then
      result = -result
      for i = 1, n do rows[i][c], rows[i][k] = rows[i][k], rows[i][c] end
    end
    if rows[k][k] < 0 then result = -result end
    for i = k + 1, n do
      local factor = rows[i][k]/rows[k][k]
      for j = k, n do rows[i][j] = rows[i][j] - factor*rows[k][j] end
    end
  end
  return result
end

local function sign_at(equations, observer, program, w, t, x)
  return sign(observer:evaluate(program, w, t, x), #equations.M)
end

local function multipliers(equations, observer, w, t, x)
  local values, parts = observer:evaluate(observer:program(equations.mu_of, "mu_of"), w, t, x), {}
  for k, name in ipairs(equations.names) do parts[k] = ("mu.%s = %.9g"):format(name, values[k]) end
  return table.concat(parts, ", ")
end

-- Rows of J at the start made orthogonal one after the other; the first that is a combination of those before it, with what it combines:
-- names of constraints, or nil where all are independent
local function dependent_constraints(rows, names)
  local kept = {}
  for k, row in ipairs(rows) do
    local rest, parts, norm = table.move(row, 1, #row, 1, {}), { [k] = 1 }, 0
    for _, value in ipairs(row) do norm = norm + value*value end
    if norm == 0 then return { names[k] } end
    -- twice, for rounding
    for _ = 1, 2 do
      for _, other in ipairs(kept) do
        local along = 0
        for i = 1, #row do along = along + rest[i]*other.direction[i] end
        for i = 1, #row do rest[i] = rest[i] - along*other.direction[i] end
        for l, part in pairs(other.parts) do parts[l] = (parts[l] or 0) - along*part end
      end
    end
    local length = 0
    for _, value in ipairs(rest) do length = length + value*value end
    if length <= DEPENDENT^2*norm then
      local list = {}
      for l = 1, k do if math.abs(parts[l] or 0) > DEPENDENT then list[#list + 1] = names[l] end end
      return list
    end
    length = math.sqrt(length)
    local direction = {}
    for i = 1, #row do direction[i] = rest[i]/length end
    for l, part in pairs(parts) do parts[l] = part/length end
    kept[k] = { direction = direction, parts = parts }
  end
end

-- The rows df/dq' of the form 'vakonomic', which follow the n rows of the coordinates
local function constraint_rows(equations, values)
  local n, size, rows = #equations.kin, #equations.M, {}
  for k = 1, size - n do rows[k] = table.move(values, (n + k - 1)*size + 1, (n + k - 1)*size + n, 1, {}) end
  return rows
end

-- Why there is no inverse, where no other mu would help
local function refuse_constraints(equations, values)
  if equations.form ~= "vakonomic" then return end
  local list = dependent_constraints(constraint_rows(equations, values), equations.names)
  if not list then return end
  if #list == 1 then
    object.fail("the vakonomic equations are not regular at the start: the derivatives of '%s' by the velocities all vanish there, so that it gives "
      .. "no multiplier: take a function with a gradient where it is zero (for a square its root), or another start", list[1])
  end
  object.fail("the vakonomic equations are not regular at the start: %s depend on each other there; take another start", object.quoted(list))
end

local what = "[[W, J^T], [J, 0]] has no inverse (W = d2(L + mu f)/dq'dq', J = df/dq')"

--- Refuses a start where the equations of a vakonomic form do not determine accelerations and mu'.
function regularity.demand(equations, observer, w, t, x)
  if not equations.mu_of then return end
  local program = program_of(equations, observer)
  if sign_at(equations, observer, program, w, t, x) == 0 then
    refuse_constraints(equations, observer:evaluate(program, w, t, x))
    object.fail("the vakonomic equations are not regular at the start: %s at %s; start from another mu", what,
      multipliers(equations, observer, w, t, x))
  end
end

-- Last time before the change of sign between two stored states
local function bisect(run, program, from, to, before)
  for _ = 1, 60 do
    local middle = (from + to)/2
    if sign_at(run.equations, run.observer, program, run.workspace, middle, run.raw:at(middle)) == before then from = middle else to = middle end
  end
  return from
end

local function sentence(run, t, at, x)
  return ("the vakonomic equations are not regular after t = %.9g: %s at %s"):format(t, what, multipliers(run.equations, run.observer, run.workspace, at, x))
end

--- The sentence for a run of a vakonomic form that the core stopped at its singular place; nil for others.
function regularity.stopped(run)
  local raw = rawget(run, "raw")
  if not run.equations.mu_of or not raw or run.outcome.status ~= "SINGULAR_MASS" then return nil end
  return sentence(run, run.outcome.t, raw:time(raw:points()), raw:state(raw:points()))
end

--- First time at which a run of a vakonomic form lost its regularity, and the sentence for it; nil when it did not. A step across such
--- a place is found by the sign of the determinant; needs the dense output to place it, else it is the state before.
function regularity.lost(run, dense)
  local equations, observer, w, raw = run.equations, run.observer, run.workspace, rawget(run, "raw")
  if not equations.mu_of or not raw then return nil end
  local program, before = program_of(equations, observer), nil
  for i = 1, raw:points() do
    local t, x = raw:time(i), raw:state(i)
    local now = sign_at(equations, observer, program, w, t, x)
    if before and now ~= before then
      local last = raw:time(i - 1)
      if dense then last = bisect(run, program, last, t, before) end
      local state = dense and raw:at(last) or raw:state(i - 1)
      return last, sentence(run, last, last, state)
    end
    before = now
  end
end

-- ---- corners of constraints

local WITHIN = 4                       -- times looked at in a step with dense output

local SAME = 1e-12                     -- of the entries of a row: both sides have the same

local found_kinks = setmetatable({}, { __mode = "k" })

-- Corners at which the derivative of a constraint by the velocities jumps: { { g = argument, name = of the constraint, rows = that may jump,
-- holonomic = }, ... }; found once
local function kinks(equations)
  if found_kinks[equations] then return found_kinks[equations] end
  local list, known, holonomic = {}, {}, {}
  for _, constraint in ipairs(equations.positions or {}) do holonomic[constraint.name] = true end
  for _, level in ipairs{ equations.positions or {}, equations.velocities or {} } do
    for _, constraint in ipairs(level) do
      for _, g in ipairs(pieces.jumps(constraint.row)) do
        local kink = known[g] or { g = g, name = constraint.name, rows = {}, holonomic = false }
        if not known[g] then list[#list + 1], known[g] = kink, kink end
        kink.holonomic = kink.holonomic or holonomic[constraint.name] or false
        table.move(constraint.row, 1, #constraint.row, #kink.rows + 1, kink.rows)
      end
    end
  end
  found_kinks[equations] = list
  return list
end

local function contains(e, list) return gradients.contains(e, gradients.set(list)) end

-- Is the side on which a constraint holds beyond its corner that to which the motion goes, as of forces? Where constraints on places part, it may be one of
-- several; momenta of a vakonomic motion jump with the constraint.
local function is_decided(equations, kink)
  if equations.mu_of or equations.whole_course then return false end
  return not kink.holonomic or not (contains(kink.g, equations.kin) or contains(kink.g, equations.dyn))
end

-- The arguments in velocities of corners of constraints on velocities, in the states of a form into which the constraints are inserted
local function inserted(equations)
  local v, found = {}, {}
  for i, q in ipairs(equations.system:coordinate_list()) do v[i] = q.dot end
  for _, c in ipairs(equations.system.constraints) do
    for _, g in ipairs(not c.holonomic and pieces.any(c.f) and pieces.jumps(core.gradient(c.f, v)) or {}) do
      if contains(g, v) then found[#found + 1] = core.substitute(g, v, equations.v) end
    end
  end
  return found
end

--- Arguments of the corners of constraints at which a run goes on, as at those of forces: argument -> true, "velocities" where it contains velocities;
--- nil: none.
function regularity.passed(equations)
  local passed
  for _, g in ipairs(equations.v and not equations.mu_of and not equations.whole_course and inserted(equations) or {}) do
    passed = passed or {}
    passed[g] = "velocities"
  end
  for _, kink in ipairs(kinks(equations)) do
    if is_decided(equations, kink) then
      passed = passed or {}
      passed[kink.g] = contains(kink.g, equations.dyn) and "velocities" or true
    end
  end
  return passed
end

local open_kinks = setmetatable({}, { __mode = "k" })

-- The corners at which a run of a compiled specification ends: those that it does not hold
local function open(equations, spec)
  if open_kinks[spec] then return open_kinks[spec] end
  local list, left = {}, {}
  for _, field in ipairs(spec.passed_corners and { "position_jacobian", "velocity_jacobian", "velocity_residuals", "rows", "b" } or {}) do
    for _, g in ipairs(pieces.arguments(spec[field] or {})) do left[g] = true end
  end
  for _, kink in ipairs(kinks(equations)) do
    if not (spec.passed_corners and spec.passed_corners[kink.g]) or left[kink.g] then list[#list + 1] = kink end
  end
  open_kinks[spec] = list
  return list
end

--- Has a constraint of these equations corners at which a run of their specification ends?
function regularity.has_corners(equations, spec) return #open(equations, spec) > 0 end

local function arguments(list)
  local out = {}
  for i, kink in ipairs(list) do out[i] = kink.g end
  return out
end

-- Is the derivative the same on both sides of the corner at a state, as where the other part of a condition is false?
local function is_idle(run, kink, t, x)
  kink.sides = kink.sides or { {}, {} }
  local values = {}
  for k, side in ipairs{ 1, -1 } do
    local list = kink.sides[k]
    for i, e in ipairs(#list == 0 and kink.rows or {}) do list[i] = pieces.on_side(e, kink.g, side) end
    values[k] = run.observer:evaluate(run.observer:program(list, "side " .. k .. " of " .. core.text(kink.g)), run.workspace, t, x)
  end
  for i, value in ipairs(values[1]) do
    local other = values[2][i]
    if not (math.abs(value - other) <= SAME*(math.abs(value) + math.abs(other))) then return false end
  end
  return true
end

-- The first argument that is zero, from number k on
local function vanishing(values, k)
  for i = k, #values do if values[i] == 0 then return i end end
end

-- The first argument that has come to zero, or beyond, from number k on
local function changed(before, now, k)
  for i = k, #now do if before[i] ~= 0 and not (before[i]*now[i] > 0) then return i end end
end

-- Last time before argument k changes between two times, and the first behind it; at: values of the arguments at a time
local function between(at, before, k, from, to)
  for _ = 1, 60 do
    local middle = (from + to)/2
    if changed({ before[k] }, { at(middle)[k] }, 1) then to = middle else from = middle end
  end
  return from, to
end

--- Where a constraint of a run passes a corner, as |x| = |y| at the origin, where its derivative jumps and it leaves open how the motion goes
--- on: number of the first stored state beyond, last time before it, and the sentence; nil when it passes none. A start on a corner is number 1.
--- spec: what the model of the run was compiled from.
function regularity.corner(run, spec, dense)
  local raw = rawget(run, "raw")
  local list = open(run.equations, spec)
  if #list == 0 or not raw then return nil end
  local program, before, last = run.observer:program(arguments(list), "corners"), nil, nil
  local function values(t, x) return run.observer:evaluate(program, run.workspace, t, x) end
  local function at(t) return values(t, raw:at(t)) end
  for i = 1, raw:points() do
    for step = (i > 1 and dense) and 1 or WITHIN, WITHIN do
      local t = step == WITHIN and raw:time(i) or raw:time(i - 1) + (raw:time(i) - raw:time(i - 1))*step/WITHIN
      local x = step == WITHIN and raw:state(i) or raw:at(t)
      local now = values(t, x)
      if not before then
        local on = vanishing(now, 1)
        while on and is_idle(run, list[on], t, x) do on = vanishing(now, on + 1) end
        if on then
          return 1, t, ("'%s' has a corner where %s = 0, and the motion starts there: its derivative jumps, so that it leaves open how the motion begins; "
            .. "start beside the corner, declare one branch of the constraint, or a one-sided constraint"):format(list[on].name, core.text(list[on].g))
        end
      else
        local k = changed(before, now, 1)
        while k do
          local from, to = last, t
          if dense then from, to = between(at, before, k, from, to) end
          if not is_idle(run, list[k], to, dense and raw:at(to) or x) then
            return i, from, ("'%s' has a corner where %s = 0, passed after t = %.10g: its derivative jumps there, so that it leaves open how the motion "
              .. "continues; declare one branch of it, or a one-sided constraint"):format(list[k].name, core.text(list[k].g), from)
          end
          k = changed(before, now, k + 1)
        end
      end
      before, last = now, t
    end
  end
end

local AHEAD = 1                        -- times the last step

--- The sentence on a corner of a constraint to which the last step of a stopped run leads; nil when it leads to none.
function regularity.corner_ahead(run, spec)
  local raw = rawget(run, "raw")
  local list = open(run.equations, spec)
  local n = raw and raw:points() or 0
  if #list == 0 or n < 2 then return nil end
  local program = run.observer:program(arguments(list), "corners")
  local function values(i) return run.observer:evaluate(program, run.workspace, raw:time(i), raw:state(i)) end
  local before, now = values(n - 1), values(n)
  for k, value in ipairs(now) do
    if (value + AHEAD*(value - before[k]))*value <= 0 then
      return ("stopped at t = %.15g: '%s' has a corner where %s = 0, which the motion meets next: its derivative jumps there, so that it leaves open how "
        .. "the motion continues; declare one branch of it, or a one-sided constraint"):format(raw:time(n), list[k].name, core.text(list[k].g))
    end
  end
end

return regularity
