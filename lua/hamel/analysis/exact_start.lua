-- exact_start.lua: starts of rotations without rounding: the entries of their quaternions and their body rates as expressions.
-- What a start may give, and its errors, are those of attitude.lua, which has read the same start in doubles before.
local attitude = require "hamel.bodies.attitude"
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local quantities = require "hamel.system.quantities"
local symbols = require "hamel.algebra.symbols"
local Vector = require "hamel.bodies.vector"

local exact_start = {}

local function expression(value, what)
  local e = quantities.angle(value, what)
  return core.is_expression(e) and e or core.number(e)
end

local function expressions(list, what)
  local result = {}
  for i, value in ipairs(list) do result[i] = expression(value, what) end
  return result
end

-- A list divided by the root of the sum of its squares
local function scaled(list)
  local squares = {}
  for i, e in ipairs(list) do squares[i] = e^2 end
  local size = core.sqrt(core.sum(squares))
  for i, e in ipairs(list) do list[i] = e/size end
  return list
end

local function about(axis, angle)
  local e = { core.cos(angle/2), core.rational(0), core.rational(0), core.rational(0) }
  e[1 + axis] = core.sin(angle/2)
  return e
end

local function quaternion(given, what)
  if type(given[1]) == "string" then
    local e = about(1, core.rational(0))
    for i = 1, 3 do e = attitude.product(e, about(("xyz"):find(given[1]:sub(i, i), 1, true), expression(given[1 + i], what))) end
    return e
  end
  if not given.axis then return scaled(expressions(given, what)) end
  local u, half = scaled(expressions(given.axis, what)), expression(given.angle, what)/2
  return { core.cos(half), core.sin(half)*u[1], core.sin(half)*u[2], core.sin(half)*u[3] }
end

--- The entries of all quaternions that a start gives by q.R, by name, as expressions without symbols.
function exact_start.positions(system, q)
  local result = {}
  for _, R in ipairs(q and system._rotations or {}) do
    if q[R.name] ~= nil then
      for i, e in ipairs(quaternion(attitude.with_components(system, R, q[R.name]), "q." .. R.name)) do result[core.name(R.quaternion[i])] = e end
    end
  end
  return result
end

-- Components of a vector with the values of a start in place of all symbols
local function components(system, list, places, q, v, t, parameters, what)
  local rate, from, to = {}, { symbols.t }, { expression(t, what) }
  for _, w in ipairs(system:base_velocity_list()) do rate[w] = true end
  for i, e in ipairs(list) do list[i] = motion.numbers(system, e) end
  for _, s in ipairs(core.symbols(list)) do
    local name, _, flags = core.name(s)
    if flags & symbols.TIME == 0 then
      local value = places[name] or q and q[name]
      if rate[s] then value = v[name] end
      if value == nil then value = parameters and parameters[name] end
      if value == nil then value = system._exact[name] or system._values[name] end
      from[#from + 1], to[#to + 1] = s, expression(value, what)
    end
  end
  for i, e in ipairs(list) do list[i] = core.substitute(e, from, to) end
  return list
end

--- The body rates that a start gives by v.R, a list or a vector, by name, as expressions without symbols. places: what exact_start.positions returned.
function exact_start.rates(system, v, q, places, t, parameters)
  local result = {}
  for _, R in ipairs(v and system._rotations or {}) do
    local value, what = v[R.name], "v." .. R.name
    local list = Vector._is_vector(value) and components(system, value:_in_frame(R.frame), places, q, v, t, parameters, what) or value or {}
    for i, name in ipairs(#list == 3 and R.rate_names or {}) do result[name] = expression(list[i], what) end
  end
  return result
end

return exact_start
