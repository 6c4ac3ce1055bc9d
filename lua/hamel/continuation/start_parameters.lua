-- start_parameters.lua: values of the parameters at the start of a branch or curve, from those of the start itself and those given beside it.
local compile = require "hamel.model.compile"
local object = require "hamel.base.object"

local fail = object.fail
local start_parameters = {}

-- What one and the other table of values set differently, the first by name: name, value, other value; nil: nothing
local function difference(system, one, other)
  for _, name in ipairs(object.keys(other)) do
    local a, b = compile.parameter_value(system, name, one), compile.parameter_value(system, name, other)
    if a ~= b then return name, a, b end
  end
  return nil
end

local function joined(one, other)
  local list = object.copied(one)
  for name, value in pairs(other) do list[name] = value end
  return list
end

--- The values at the start of a branch: those of the start, and in their place those of `parameters`. solved: is the start a solution (a result, a point of a
--- branch)? The second result: does it still hold as one? A guess and `parameters` that differ contradict each other.
function start_parameters.of(system, kind, start, parameters, solved)
  local own, given = system:by_name(start.parameters or {}, "parameters"), system:by_name(parameters or {}, "parameters")
  local named = {}
  for name, value in pairs(given) do if solved or own[name] ~= nil then named[name] = value end end
  local name, value, other = difference(system, own, named)
  if name and not solved then
    fail("continue: the guess in %s = { ... } has %s = %.9g, and parameters has %s = %.9g: give %s in one of them", kind, name, value, name, other, name)
  end
  return joined(own, given), name == nil
end

--- Raises where parameters given beside a special point from which a curve starts contradict it.
function start_parameters.check_curve(system, kind, point, parameters)
  local name, value, other = difference(system, point.parameters or {}, system:by_name(parameters or {}, "parameters"))
  if name then
    fail("continue: the %s has %s = %.9g, and parameters has %s = %.9g: continue a branch with parameters = { %s = %.9g } and take its %s, or leave %s out "
      .. "of parameters", kind, name, value, name, other, name, other, kind, name)
  end
end

return start_parameters
