-- levels.lua: starts on levels: a velocity that is not given follows from the value of the energy, or of another expression quadratic in velocities. Other
-- velocities follow from conditions that are linear in velocities.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local rows = require "hamel.analysis.sweep.rows"
local symbols = require "hamel.algebra.symbols"
local asked = require "hamel.run.asked"
local protected = require "hamel.base.protected"

local fail = object.fail
local levels = {}

local CLOSE = 1e-9
local PROBE = 0.7310585786300049       -- a velocity that no condition has by chance

-- The energy, or the expression itself
local function expression(system, what)
  if what ~= "energy" then return system:check_expression(what, "the condition on starts", 1) end
  return system:equations("lagrange").energy or fail("sweep: %s has no energy", system.name)
end

local function has_velocities(system, e)
  for _, slope in ipairs(core.gradient(e, system:velocity_list())) do if core.number_value(slope) ~= 0 then return true end end
  return false
end

--- What a level is: { name =, e = expression }; nil: the name is none
function levels.of(system, given)
  if given == "energy" then return { name = "energy", e = expression(system, given) } end
  if core.is_expression(given) and core.kind(given) ~= "symbol" and has_velocities(system, given) then
    return { name = core.text(given), e = expression(system, given) }
  end
  return nil
end

-- Is a condition { e } linear in the velocities? Kept in it, as it is asked for each start
local function is_linear(system, condition)
  if condition.linear == nil then
    local known = {}
    for _, s in ipairs(system:base_velocity_list()) do known[s] = true end
    condition.linear = true
    for _, slope in ipairs(asked.conditions(system, { { condition.e, 0 } })[1].row) do
      for _, s in ipairs(core.symbols{ slope }) do condition.linear = condition.linear and not known[s] end
    end
  end
  return condition.linear
end

-- Conditions as S:velocities takes them
local function listed(conditions)
  local where = {}
  for i, c in ipairs(conditions) do where[i] = { c.e, c.value } end
  return where
end

-- Velocities by name, completed by the constraints and by linear conditions
local function completed(system, q, v, parameters, t, linear)
  if #system.constraints + #system._rotations + #linear == 0 then return v end
  return system:velocities{ q = q, v = v, parameters = parameters, t = t, where = listed(linear) }
end

-- The value of an expression at q, v
local function evaluator(system, e, parameters, t)
  local inputs, values = { symbols.t }, { t }
  for _, name in ipairs(system.parameter_names) do
    local value = compile.parameter_value(system, name, parameters)
    if value then inputs[#inputs + 1], values[#values + 1] = system._parameter[name], value + 0.0 end
  end
  local first = #inputs
  for _, list in ipairs{ system:coordinate_list(), system:velocity_list() } do table.move(list, 1, #list, #inputs + 1, inputs) end
  local program = core.program(inputs, { e })
  return function(q, v)
    local input = table.move(values, 1, first, 1, {})
    for _, list in ipairs{ q, v } do
      for _, name in ipairs(system.coordinate_names) do input[#input + 1] = symbols.number(list[name]) + 0.0 end
    end
    return program:eval(input)[1]
  end
end

-- Velocities that are not given: those of `branch`, or all; all of them; those of `branch`
local function missing(system, v, branch)
  local all, chosen = {}, {}
  for _, name in ipairs(system.coordinate_names) do
    local wanted = branch and branch[name]
    if v[name] == nil then
      all[#all + 1] = name
      if wanted then chosen[#chosen + 1] = name end
    elseif wanted then fail("sweep: branch.%s has no effect, as this velocity is given: leave it out of v and over", name) end
  end
  if #all == 0 then fail("sweep: all velocities are given: leave out the one that the level determines") end
  return #chosen > 0 and chosen or all, all, chosen
end

-- With one velocity on trial all must be known
local function demand_all(system, v, name, linear)
  local unknown = {}
  for _, other in ipairs(system.coordinate_names) do if v[other] == nil and other ~= name then unknown[#unknown + 1] = other end end
  if #unknown > 0 and #system.constraints + #system._rotations + #linear == 0 then
    fail("the level determines one velocity, that of %s: give v.%s", name, table.concat(unknown, ", v."))
  end
end

-- The root of a s^2 + b s + c with the sign asked for
local function root(a, b, c, sign)
  if a == 0 then return b ~= 0 and -c/b or nil end
  local d = b*b - 4*a*c
  if d < 0 and d > -1e-12*(b*b + math.abs(4*a*c)) then d = 0 end
  if d < 0 then return nil, c - b*b/(4*a) end
  local r = math.sqrt(d)
  local big = b >= 0 and -(b + r)/2 or (r - b)/2
  local one, other = big/a, big ~= 0 and c/big or 0.0
  if sign > 0 then return math.max(one, other) end
  return math.min(one, other)
end

-- Raises where the other conditions determine all velocities
local function demand_open(system, q, v, level, linear, parameters, t)
  local fine = protected(completed, system, q, v, parameters, t, linear)
  if core.host.interrupted() then error("interrupted", 0) end
  if not fine or #linear == 0 then return end
  local given = object.keys(system:by_name(v, "v"))
  for i, name in ipairs(given) do given[i] = "v." .. name end
  fail("the other conditions on the start determine all velocities, so that none is open for %s: leave out %s", level.name,
    #given > 0 and table.concat(given, " or ") or linear[1].name)
end

-- The velocities as functions of the one that the level determines, the first of the names for which the other conditions leave it free: its name and a
-- function of its value that returns the level and all velocities. nil: there is none; then the first message
local function course_of(system, q, v, names, level, linear, parameters, t)
  local value_at, first = evaluator(system, level.e, parameters, t), nil
  for _, name in ipairs(names) do
    local function at(s)
      local given = object.copied(v)
      given[name] = s
      local all = completed(system, q, given, parameters, t, linear)
      return value_at(q, all), all
    end
    demand_all(system, v, name, linear)
    local fine, message = protected(at, PROBE)
    if fine then return name, at end
    if core.host.interrupted() then error(message, 0) end
    first = first or message
  end
  return nil, first
end

-- The same; raises where there is none
local function demand_course(system, q, v, level, linear, parameters, t, branch)
  local names, all, chosen = missing(system, v, branch)
  local name, at = course_of(system, q, v, names, level, linear, parameters, t)
  for _, other in ipairs(name and chosen or {}) do
    if other ~= name then fail("sweep: branch.%s has no effect: of two velocities of %s one is chosen, and that of %s follows", other, name, other) end
  end
  if name then return name, at end
  local other = #chosen > 0 and course_of(system, q, v, all, level, linear, parameters, t)
  if other then
    fail("sweep: branch.%s has no effect: this velocity follows from the other conditions on the start; branch = { %s = 1 } or -1 chooses between two",
      names[1], other)
  end
  demand_open(system, q, v, level, linear, parameters, t)
  error(at, 0)
end

-- Velocities where there is no level, or there are several: `branch` does not choose among their roots
local function without_branch(system, q, v, parameters, t, list, nonlinear, branch)
  local name, names = next(branch or {}), {}
  if name and #nonlinear == 0 then fail("sweep: branch.%s has no effect: all conditions are linear in the velocities", name) end
  for i, level in ipairs(nonlinear) do names[i] = level.name end
  local advice = ("of the conditions %s, not linear in velocities, keep one and give velocities in place of the others, or give the starts by each"):format(
    table.concat(names, " and "))
  if name then fail("sweep: branch chooses between the two roots of one condition: %s", advice) end
  local fine, found = protected(system.velocities, system, { q = q, v = v, parameters = parameters, t = t, where = listed(list) })
  if fine then return found end
  local choice = not core.host.interrupted() and rows.without_place(found):match "^.*leave a choice, .*; give "
  if choice then fail("%s", (choice:gsub("give $", "")) .. advice) end
  error(found, 0)
end

--- The velocities by name at which each level { name, e, value } has its value. branch: { name of the velocity found = 1 or -1 }. Of a level that is quadratic
--- in velocities, with others linear in them, the second result is the name of the velocity of which there are two. Raises where there is none.
function levels.velocities(system, q, v, parameters, t, list, branch)
  local linear, nonlinear = {}, {}
  for _, level in ipairs(list) do table.insert(is_linear(system, level.condition or level) and linear or nonlinear, level) end
  if #nonlinear ~= 1 then return without_branch(system, q, v, parameters, t, list, nonlinear, branch) end
  local level = nonlinear[1]
  local name, at = demand_course(system, q, v, level, linear, parameters, t, branch)
  local zero, plus, minus = at(0.0), at(1.0), at(-1.0)
  local a, b = (plus + minus)/2 - zero, (plus - minus)/2
  local s, least = root(a, b, zero - level.value, symbols.number(branch and branch[name] or 1))
  if not s then
    fail("no velocity of %s gives %s = %s at this start%s", name, level.name, object.number(level.value),
      least and (" (%s possible %s)"):format(a > 0 and "least" or "largest", ("%.10g"):format(least + level.value)) or "")
  end
  local found, all = at(s)
  if math.abs(found - level.value) > CLOSE*(1 + math.abs(level.value) + math.abs(zero)) then
    fail("%s is not quadratic in the velocity of %s: give v.%s", level.name, name, name)
  end
  return all, a ~= 0 and name or nil
end

return levels
