-- coupling.lua: multipliers in forces: S.lambda.blade as a symbol, and the multiplier of the equations in its place.
local core = require "hamel.core"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local fail = object.fail
local coupling = {}

-- Names by symbol, and symbols by name
local function records(system)
  if not system._lambda then system._lambda = { symbol = {}, name = {} } end
  return system._lambda
end

local function symbol_of(system, name)
  if type(name) ~= "string" then fail("S.lambda.name: the name of a constraint, not a %s", type(name)) end
  local known = records(system)
  if not known.symbol[name] then
    local s = core.symbol(naming.free(system, { "lambda_", "Lambda_" }, { (name:gsub("[^%w_]", "_")) })[1], symbols.EXTERNAL)
    if known.name[s] then fail("the multipliers of '%s' and '%s' would have one name; rename a constraint", name, known.name[s]) end
    known.symbol[name], known.name[s] = s, name
  end
  return known.symbol[name]
end

--- The multipliers of the constraints as symbols for S:force: S.lambda.blade, S.lambda["rear wheel"]. The reaction of a constraint f is
--- lambda df/dq' (sign as printed with the equations); the constraint may be declared later.
function System.get.lambda(self)
  local function names()
    local list = {}
    for i, c in ipairs(self.constraints) do list[i] = c.name end
    return list
  end
  return setmetatable({}, { __index = function(_, name) return symbol_of(self, name) end, __names = names,
                            __tostring = function() return "multipliers of " .. self.name .. ", as symbols: " .. table.concat(names(), ", ") end,
                            __newindex = function() fail("S.lambda.name is a symbol: it cannot be set") end })
end

--- The constraint behind a symbol of S.lambda; nil for any other.
function coupling.constraint_of(system, symbol)
  local known = system._lambda
  return known and known.name[symbol]
end

--- Does the expression contain multipliers?
function coupling.contained(system, e)
  if not system._lambda then return nil end
  for _, s in ipairs(core.symbols{ e }) do
    local name = coupling.constraint_of(system, s)
    if name then return name end
  end
end

--- The first constraint whose multiplier occurs in a force, and the force's coordinate; nil where there is none.
function coupling.any(system)
  for _, item in ipairs(system.force_list) do
    local name = coupling.contained(system, item.expression)
    if name then return name, item.coordinate and core.text(item.coordinate) or item.name end
  end
end

--- Forces with the multipliers `lambda` of the equations, one per constraint, in place of S.lambda.
function coupling.inserted(system, forces, lambda)
  local known, from, to, names = system._lambda, {}, {}, {}
  if not known then return forces end
  for k, c in ipairs(system.constraints) do
    names[k] = c.name
    if known.symbol[c.name] then from[#from + 1], to[#to + 1] = known.symbol[c.name], lambda[k] end
  end
  for s, Q in ipairs(forces) do
    local name = coupling.contained(system, Q)
    if name and not object.contains(names, name) then
      local on = core.name(system:base_velocity_list()[s])
      fail("the force on '%s' contains the multiplier of '%s', which is no two-sided constraint of %s%s", on, name,
        system.name, object.hint(name, names))
    end
  end
  local result = {}
  for s, Q in ipairs(forces) do result[s] = #from > 0 and core.substitute(Q, from, to) or Q end
  return result
end

--- The forces of equations with multipliers: r without multipliers, and dr/dlambda (rows by coordinate) where they depend on some.
function coupling.split(equations)
  local lambda, zeros, r, slopes, any = equations.multipliers, {}, {}, {}, false
  for k = 1, #lambda do zeros[k] = 0 end
  for i, e in ipairs(equations.r) do
    slopes[i], r[i] = core.gradient(e, lambda), core.substitute(e, lambda, zeros)
    for k = 1, #lambda do any = any or core.number_value(slopes[i][k]) ~= 0 end
  end
  return r, any and slopes or nil
end

return coupling
