-- levels.lua: starts on levels: a velocity that is not given follows from the value of the energy, or of another expression quadratic in velocities.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
require "hamel.run.asked"

local fail = object.fail
local levels = {}

local CLOSE = 1e-9

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

-- Velocities by name, completed by the constraints
local function completed(system, q, v, parameters, t)
  if #system.constraints + #system._rotations == 0 then return v end
  return system:velocities{ q = q, v = v, parameters = parameters, t = t }
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

-- The velocity that is not given: that of `branch`, or the first one
local function missing(system, v, branch)
  local first
  for _, name in ipairs(system.coordinate_names) do
    if v[name] == nil then
      if branch and branch[name] then return name, branch[name] end
      first = first or name
    end
  end
  return first or fail("sweep: all velocities are given: leave out the one that the level determines"), 1
end

-- With one velocity on trial all must be known
local function demand_all(system, v, name)
  local unknown = {}
  for _, other in ipairs(system.coordinate_names) do if v[other] == nil and other ~= name then unknown[#unknown + 1] = other end end
  if #unknown > 0 and #system.constraints + #system._rotations == 0 then
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

--- The velocities by name at which each level { name, e, value } has its value. branch: { name of the velocity found = 1 or -1 }.
--- Raises where there is none.
function levels.velocities(system, q, v, parameters, t, list, branch)
  if #list > 1 then
    local where = {}
    for i, level in ipairs(list) do where[i] = { level.e, level.value } end
    return system:velocities{ q = q, v = v, parameters = parameters, t = t, where = where }
  end
  local level, name, sign = list[1], missing(system, v, branch)
  demand_all(system, v, name)
  local value_at = evaluator(system, level.e, parameters, t)
  local function at(s)
    local given = object.copied(v)
    given[name] = s
    local all = completed(system, q, given, parameters, t)
    return value_at(q, all), all
  end
  local zero, plus, minus = at(0.0), at(1.0), at(-1.0)
  local s, least = root((plus + minus)/2 - zero, (plus - minus)/2, zero - level.value, sign)
  if not s then
    fail("no velocity of %s gives %s = %s at this start%s", name, level.name, object.number(level.value),
      least and (" (%s possible %s)"):format(plus + minus > 2*zero and "least" or "largest", ("%.10g"):format(least + level.value)) or "")
  end
  local found, all = at(s)
  if math.abs(found - level.value) > CLOSE*(1 + math.abs(level.value) + math.abs(zero)) then
    fail("%s is not quadratic in the velocity of %s: give v.%s", level.name, name, name)
  end
  return all
end

return levels
