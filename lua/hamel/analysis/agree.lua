-- agree.lua: do two sets of equations of motion describe one motion? Both are solved for the accelerations, which are compared on the
-- constraints. Formulas are compared by algebra/init.lua.
local core = require "hamel.core"
local algebra = require "hamel.algebra"
local coupling = require "hamel.equations.coupling"
local Equations = require "hamel.equations"
local gradients = require "hamel.algebra.gradients"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"

local function is_equations(e) return type(e) == "table" and getmetatable(e) == Equations.meta end

local function product(list)
  local result = core.rational(1)
  for _, e in ipairs(list) do result = result*e end
  return result
end

-- x of K x = right and the determinant; exactly where a pivot of the plain elimination vanishes identically
local function solve(K, right)
  local X, pivots = linear.solve(K, { right })
  for _, pivot in ipairs(pivots) do
    if pivot:is_zero() == true then
      local flat = {}
      for _, row in ipairs(K) do table.move(row, 1, #K, #flat + 1, flat) end
      return core.solve_linear(#K, flat, right)
    end
  end
  return X[1], product(pivots)
end

-- q'' in coordinates, velocities (multipliers of the vakonomic form) and time; expressions that must not vanish
local function solved_accelerations(e)
  local n, m, K, right = #e.dyn, #e.multipliers, {}, {}
  local r, slopes = coupling.split(e)
  for i = 1, n do
    K[i], right[i] = table.move(e.M[i], 1, n, 1, {}), r[i]
    for k = 1, m do K[i][n + k] = slopes and -e.A[k][i] - slopes[i][k] or -e.A[k][i] end
    local jump = gradients.jump(e.r[i], e.multipliers) ~= nil
    for _, s in ipairs(slopes and core.symbols(slopes[i]) or {}) do jump = jump or object.contains(e.multipliers, s) end
    if jump then
      object.fail("agree: a force of %s is not linear in the multipliers, so that the accelerations have no closed form", e.system.name)
    end
  end
  for k = 1, m do
    K[n + k], right[n + k] = table.move(e.A[k], 1, n, 1, {}), -e.b[k]
    for l = 1, m do K[n + k][n + l] = core.rational(0) end
  end
  local x, determinant = solve(K, right)
  local conditions = algebra.critical_factors(determinant)
  for _, pivot in ipairs(e.condition or {}) do
    local more = algebra.critical_factors(pivot)
    table.move(more, 1, #more, #conditions + 1, conditions)
  end
  if not e.v then return table.move(x, 1, n, 1, {}), conditions end
  local a = {}
  for j, expression in ipairs(e.a) do
    a[j] = core.substitute(core.substitute(expression, e.rates, table.move(x, 1, n, 1, {})), e.dyn, e.from_velocities)
  end
  return a, conditions
end

-- The same, found once
local function accelerations(e)
  e._accelerations = rawget(e, "_accelerations") or { solved_accelerations(e) }
  return table.unpack(e._accelerations)
end

-- The velocities given by linear constraints, and the functions that vanish on the remaining constraints
local function constraints_of(system)
  local functions, nonlinear = {}, false
  for _, c in ipairs(system.constraints) do
    if c.holonomic or not c.linear then functions[#functions + 1] = c.f end
    nonlinear = nonlinear or not c.linear
  end
  if not nonlinear then return kinematics.solved(system, nil, "agree").v, functions end
  for _, c in ipairs(system.constraints) do
    if c.linear then
      functions[#functions + 1] = kinematics.levels(c, system:coordinate_list(), system:velocity_list()).velocity.f
    end
  end
  return system:velocity_list(), functions
end

local function is_state(s)
  local _, order, flags = core.name(s)
  return flags & symbols.DYNAMIC ~= 0 and order <= 1
end

-- Verdict on one expression that ought to vanish where `functions` do
local function judge(e, functions)
  if e:is_zero() == true then return { verdict = "equal" } end
  if #functions == 0 then return algebra.agree(e, core.rational(0)) end
  local vanishes, witness, off = surface.vanishes(functions, e, is_state)
  if vanishes == false then return { verdict = "different", witness = witness, difference = off } end
  local proved, leads = surface.proves(functions, e)
  if proved then return { verdict = "equal" }, leads end
  return { verdict = "undecided", evidence = vanishes and 1e-8 or math.huge }
end

local function same_coordinates(a, b)
  for i, name in ipairs(a.coordinate_names) do if b.coordinate_names[i] ~= name then return false end end
  return #a.coordinate_names == #b.coordinate_names
end

local function has_points(functions)
  local found = false
  surface.points(functions, {}, is_state, function()
    found = true
    return true
  end)
  return found
end

-- The verdict on the position level of a constraint whose rate vanishes on all motions: it is constant on each of them. The sets then agree on the
-- motions where it is zero, if there are any; such a level is entered into `functions`
local function judge_level(total, f, name, functions)
  local verdict, leads = judge(f, functions)
  if verdict.verdict == "different" then
    functions[#functions + 1] = f
    if has_points(functions) then
      total:demand_zero(f)
      return
    end
    table.remove(functions)
  end
  algebra.take_verdict(total, verdict, name)
  total:demand(leads or {})
end

-- Constraints of another system on the motions of the first
local function compare_constraints(total, first, second, v, functions)
  for _, c in ipairs(second.constraints) do
    local level, name = kinematics.levels(c, second:coordinate_list(), second:velocity_list()), ("the constraint '%s' of %s"):format(c.name, second.name)
    local rate = core.substitute(level.velocity.f, first:velocity_list(), v)
    local verdict, leads = judge(rate, functions)
    algebra.take_verdict(total, verdict, name)
    total:demand(leads or {})
    if level.position then judge_level(total, level.position.f, name, functions) end
  end
end

-- The constraints of each on the motions of the other, as long as no difference is found
local function compare_systems(total, first, second, v, functions)
  if first == second then return end
  if first.degrees_of_freedom ~= second.degrees_of_freedom then
    local what = ("the degrees of freedom (%d, %d)"):format(first.degrees_of_freedom, second.degrees_of_freedom)
    algebra.take_verdict(total, { verdict = "different" }, what)
  end
  compare_constraints(total, first, second, v, functions)
  if total.verdict == "equal" then compare_constraints(total, second, first, constraints_of(second)) end
end

local function agree_equations(a, b)
  local first, second = a.system, b.system
  if not same_coordinates(first, second) then
    object.fail("agree: the equations are in different coordinates: %s and %s", table.concat(first.coordinate_names, ", "),
      table.concat(second.coordinate_names, ", "))
  end
  local total = algebra.agreement()
  local v, functions = constraints_of(first)
  compare_systems(total, first, second, v, functions)
  local one, conditions = accelerations(a)
  local two, more = accelerations(b)
  for j, q in ipairs(first:coordinate_list()) do
    local verdict, leads = judge(core.substitute(one[j] - two[j], first:velocity_list(), v), functions)
    algebra.take_verdict(total, verdict, core.text(q.ddot))
    total:demand(leads or {})
  end
  total:demand(conditions)
  total:demand(more)
  return total
end

local function agree_two(a, b)
  if is_equations(a) ~= is_equations(b) then object.fail("agree: equations of motion and something else") end
  if is_equations(a) then return agree_equations(a, b) end
  return algebra.agree(a, b)
end

--- hm.agree: formulas, or sets of equations of motion; the others are compared with the first.
local function agree(a, b, ...)
  local others = table.pack(b, ...)
  if others.n == 1 then return agree_two(a, b) end
  local total = algebra.agreement()
  for i = 1, others.n do
    local one = agree_two(a, others[i])
    algebra.take_verdict(total, one, is_equations(others[i]) and ("the form '%s'"):format(others[i].form) or ("number %d"):format(i + 1))
    total:demand(one.where)
    table.move(one.domain, 1, #one.domain, #total.domain + 1, total.domain)
  end
  return total
end

return agree
