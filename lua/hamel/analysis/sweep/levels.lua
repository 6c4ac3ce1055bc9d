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

-- The program of an expression for the starts of a study: t, the parameters that have values, coordinates, velocities
local Value = {}
Value.__index = Value

-- The parameters of a start enter the inputs. The program is made anew where other ones have values than at the start before
function Value:set_parameters(parameters)
  local system, input, count, same = self.system, self.input, 0, self.program ~= nil
  for _, name in ipairs(system.parameter_names) do
    local value = compile.parameter_value(system, name, parameters)
    if value then
      count = count + 1
      same = same and self.valued[count] == name
      self.valued[count], input[1 + count] = name, value + 0.0
    end
  end
  if same and self.first == 1 + count then return end
  local inputs = { symbols.t }
  for k = 1, count do inputs[1 + k] = system._parameter[self.valued[k]] end
  for _, list in ipairs{ self.coordinates, self.velocities } do table.move(list, 1, #list, #inputs + 1, inputs) end
  self.input = table.move(self.input, 1, 1 + count, 1, {})
  self.first, self.program = 1 + count, core.program(inputs, { self.e })
end

function Value:fill(offset, values)
  for i, name in ipairs(self.names) do
    local value = values[name]
    self.input[offset + i] = (math.type(value) and value or symbols.number(value)) + 0.0
  end
end

function Value:set_positions(q) self:fill(self.first, q) end
function Value:set_velocities(v) self:fill(self.first + #self.names, v) end
function Value:set_velocity(i, value) self.input[self.first + #self.names + i] = value end
function Value:value() return self.program:value(self.input) end

local function value_of(system, e, t)
  return setmetatable({ system = system, e = e, names = system.coordinate_names, coordinates = system:coordinate_list(), velocities = system:velocity_list(),
    valued = {}, input = { t }, first = 0, program = nil }, Value)
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

-- With one velocity on trial all must be known, where no constraints determine others
local function demand_all(system, v, name)
  local unknown
  for _, other in ipairs(system.coordinate_names) do
    if v[other] == nil and other ~= name then
      unknown = unknown or {}
      unknown[#unknown + 1] = other
    end
  end
  if unknown then
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

-- Velocities at which the level has its value, of those given the one with this name found. constrained: the others are completed by the constraints
local function on_level(system, level, wanted, value, q, v, parameters, t, name, sign, constrained)
  local given, place = object.copied(v), nil
  for i, other in ipairs(system.coordinate_names) do if other == name then place = i end end
  value:set_parameters(parameters)
  value:set_positions(q)
  given[name] = 0.0
  if not constrained then value:set_velocities(given) end
  local function at(s)
    given[name] = s
    if not constrained then
      value:set_velocity(place, s)
      return value:value(), given
    end
    local all = system:velocities{ q = q, v = given, parameters = parameters, t = t }
    value:set_velocities(all)
    return value:value(), all
  end
  local zero, plus, minus = at(0.0), at(1.0), at(-1.0)
  local s, least = root((plus + minus)/2 - zero, (plus - minus)/2, zero - wanted, sign)
  if not s then
    fail("no velocity of %s gives %s = %s at this start%s", name, level.name, object.number(wanted),
      least and (" (%s possible %s)"):format(plus + minus > 2*zero and "least" or "largest", ("%.10g"):format(least + wanted)) or "")
  end
  local found, all = at(s)
  if math.abs(found - wanted) > CLOSE*(1 + math.abs(wanted) + math.abs(zero)) then
    fail("%s is not quadratic in the velocity of %s: give v.%s", level.name, name, name)
  end
  return all
end

--- A function q, v, parameters, values -> the velocities by name at which the levels { name, e } have these values; for all starts of a study at the time t.
--- branch: { name of the velocity found = 1 or -1 }. It raises where there are no such velocities.
function levels.finder(system, list, t, branch)
  if #list > 1 then
    return function(q, v, parameters, values)
      local where = {}
      for i, level in ipairs(list) do where[i] = { level.e, values[i] } end
      return system:velocities{ q = q, v = v, parameters = parameters, t = t, where = where }
    end
  end
  local level, value, constrained = list[1], nil, #system.constraints + #system._rotations > 0
  return function(q, v, parameters, values)
    local name, sign = missing(system, v, branch)
    if not constrained then demand_all(system, v, name) end
    value = value or value_of(system, level.e, t)
    return on_level(system, level, values[1], value, q, v, parameters, t, name, sign, constrained)
  end
end

return levels
