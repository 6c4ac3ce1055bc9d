-- attitude.lua: starts of rotations: quaternions from axis and angle or from three turns, body rates from vectors.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local quantities = require "hamel.system.quantities"
local symbols = require "hamel.algebra.symbols"
local Vector = require "hamel.bodies.vector"

local fail = object.fail
local attitude = {}

local SAME = 1e-9                      -- rates that are given twice may differ by so much
local UNIT = 1e-6                      -- a quaternion this near to unit length is scaled, any other refused

local function number(value, what)
  local n = symbols.number(quantities.angle(value, what))
  if not n or n ~= n or math.abs(n) == math.huge then fail("%s is %s, not a finite number", what, tostring(value)) end
  return n
end

-- Hamilton's product of quaternions, scalar first
local function product(a, b)
  return { a[1]*b[1] - a[2]*b[2] - a[3]*b[3] - a[4]*b[4], a[1]*b[2] + a[2]*b[1] + a[3]*b[4] - a[4]*b[3],
           a[1]*b[3] - a[2]*b[4] + a[3]*b[1] + a[4]*b[2], a[1]*b[4] + a[2]*b[3] - a[3]*b[2] + a[4]*b[1] }
end

attitude.product = product

local function about(axis, angle)
  local e = { math.cos(angle/2), 0.0, 0.0, 0.0 }
  e[1 + axis] = math.sin(angle/2)
  return e
end

-- Twelve sequences of body-fixed turns, "zxz" or "xyz"
local function from_turns(given, what)
  local sequence = given[1]
  if not sequence:find "^[xyz][xyz][xyz]$" or sequence:sub(1, 1) == sequence:sub(2, 2) or sequence:sub(2, 2) == sequence:sub(3, 3) then
    fail("%s: \"%s\" is no sequence of turns: three of x, y, z, no neighbours alike, as in {\"zxz\", psi, theta, phi}", what, sequence)
  end
  if #given ~= 4 then fail("%s: {\"%s\", ...} takes three angles", what, sequence) end
  local e = { 1.0, 0.0, 0.0, 0.0 }
  for i = 1, 3 do e = product(e, about(("xyz"):find(sequence:sub(i, i), 1, true), number(given[1 + i], ("%s: angle %d"):format(what, i)))) end
  return e
end

local function from_axis(given, what)
  for key in pairs(given) do if key ~= "axis" and key ~= "angle" then fail("%s has no '%s'; give axis and angle", what, tostring(key)) end end
  if type(given.axis) ~= "table" or #given.axis ~= 3 then fail("%s: axis is a list of three components in the frame it turns from, or a vector", what) end
  local u, largest, size = {}, 0, 0
  for i = 1, 3 do
    u[i] = number(given.axis[i], ("%s: axis[%d]"):format(what, i))
    largest = math.max(largest, math.abs(u[i]))
  end
  if largest == 0 then fail("%s: the axis {0, 0, 0} has no direction", what) end
  -- scaled, so that no square overflows or vanishes
  for i = 1, 3 do
    u[i] = u[i]/largest
    size = size + u[i]^2
  end
  if given.angle == nil then fail("%s: the angle is missing: { axis = {1, 0, 0}, angle = 0.5 }, in radians", what) end
  local half = number(given.angle, what .. ": angle")/2
  local s = math.sin(half)/math.sqrt(size)
  return { math.cos(half), s*u[1], s*u[2], s*u[3] }
end

local function from_entries(given, what)
  if #given ~= 4 then fail("%s takes a unit quaternion {e0, e1, e2, e3}, { axis = {1, 0, 0}, angle = 0.5 } or {\"zxz\", psi, theta, phi}", what) end
  local e, size = {}, 0
  for i = 1, 4 do
    e[i] = number(given[i], ("%s[%d]"):format(what, i))
    size = size + e[i]^2
  end
  size = math.sqrt(size)
  if math.abs(size - 1) > UNIT then
    fail("%s is no unit quaternion (length %.6g); give one, or axis and angle, or {\"zxz\", psi, theta, phi}", what, size)
  end
  for i = 1, 4 do e[i] = e[i]/size end
  return e
end

--- The unit quaternion that a start gives for a rotation.
function attitude.quaternion(given, what)
  if type(given) ~= "table" or getmetatable(given) and getmetatable(given).__name == "Vector" then
    fail("%s takes a table: {axis = {1, 0, 0}, angle = 0.5}, {\"zxz\", psi, theta, phi} or a unit quaternion", what)
  end
  if type(given[1]) == "string" then return from_turns(given, what) end
  if given.axis ~= nil or given.angle ~= nil then return from_axis(given, what) end
  return from_entries(given, what)
end

-- The components of a vector that is given as the axis of a turn: the turn leaves them the same in both frames
local function axis_of(system, R, axis)
  local what = ("q.%s: axis"):format(R.name)
  Vector._demand(axis, system, what)
  local own = #axis._terms == 1 and axis._terms[1].frame == R.frame
  local c = own and axis._terms[1] or axis:_in_frame(R.frame._parent)
  local list = {}
  for i = 1, 3 do
    list[i] = c[i]
    if not symbols.number(c[i]) then
      fail("%s is a vector that is fixed in the frame '%s', from which '%s' turns, or in '%s'", what, R.frame._parent.name, R.name, R.name)
    end
  end
  return list
end

local function with_axis(given, axis)
  local other = {}
  for key, value in pairs(given) do other[key] = value end
  other.axis = axis
  return other
end

--- A rotation's entry of a start, with an axis that is a vector as a list of its components.
function attitude.with_components(system, R, given)
  if type(given) == "table" and Vector._is_vector(given.axis) then return with_axis(given, axis_of(system, R, given.axis)) end
  return given
end

--- Starts of positions with every rotation's entry R = {...} as R0, R1, R2, R3.
function attitude.positions(system, q)
  if #system._rotations == 0 or type(q) ~= "table" then return q end
  local result = {}
  for name, value in pairs(system:by_name(q, "q")) do result[name] = value end
  for _, R in ipairs(system._rotations) do
    local given = result[R.name]
    if given ~= nil then
      result[R.name] = nil
      for i, value in ipairs(attitude.quaternion(attitude.with_components(system, R, given), "q." .. R.name)) do
        local name = core.name(R.quaternion[i])
        if result[name] ~= nil then fail("q.%s: '%s' is given as well; give one of them", R.name, name) end
        result[name] = value
      end
    end
  end
  return result
end

--- Values of expressions at given positions and, by the names of coordinates and rates, velocities.
function attitude.evaluated(system, list, q, v, t, parameters, what)
  local inputs, input = { symbols.t }, { t }
  local velocities = {}
  for _, w in ipairs(system:base_velocity_list()) do velocities[w] = true end
  for i, e in ipairs(list) do list[i] = motion.numbers(system, e) end
  for _, s in ipairs(core.symbols(list)) do
    local name, order, flags = core.name(s)
    if flags & symbols.TIME == 0 then
      local value = velocities[s] and v[name]
      if not velocities[s] then value = order == 0 and (q and q[name] or parameters and parameters[name] or system._values[name]) end
      if value == nil or value == false then fail("%s depends on '%s', which has no value in this start: give the three rates instead", what, core.text(s)) end
      inputs[#inputs + 1], input[#input + 1] = s, number(value, name)
    end
  end
  return core.program(inputs, list):eval(input)
end

local function by_list(R, value, result)
  if next(value) ~= nil and #value == 0 then
    fail("v.%s is a list of three body rates without names, as in %s = {1, 2, 3}; by name they stand in v itself: v = {%s = 1}", R.name, R.name,
      R.rate_names[1])
  end
  if #value ~= 3 then fail("v.%s takes three body rates {%s}, or a vector", R.name, table.concat(R.rate_names, ", ")) end
  for i = 1, 3 do
    local name = R.rate_names[i]
    if result[name] ~= nil then fail("v.%s: '%s' is given as well; give one of them", R.name, name) end
    result[name] = value[i]
  end
end

--- 2 e* d of each rotation by the names of its rates, for values d by the names of the quaternion: body rates from e', their rates from e''.
function attitude.rates(system, q, d)
  local result = {}
  for _, R in ipairs(system._rotations) do
    local e, x = {}, {}
    for i, symbol in ipairs(R.quaternion) do e[i], x[i] = q[core.name(symbol)], d[core.name(symbol)] end
    local w = product({ e[1], -e[2], -e[3], -e[4] }, x)
    for i, name in ipairs(R.rate_names) do result[name] = 2*w[1 + i] end
  end
  return result
end

-- omega = 2 e* e' from e' by name, as states of runs have it
local function by_quaternion(R, q, result)
  local values, given = {}, 0
  for i, e in ipairs(R.quaternion) do
    values[i] = result[core.name(e)]
    if values[i] ~= nil then given = given + 1 end
  end
  if given == 0 then return end
  if given < 4 then fail("v: give the body rates %s of '%s' (or the rates of all four entries of its quaternion)", table.concat(R.rate_names, ", "), R.name) end
  local at = {}
  for i, e in ipairs(R.quaternion) do
    local name = core.name(e)
    at[i] = number(q and q[name], ("v.%s needs q.%s, which"):format(name, name))
    values[i] = number(values[i], "v." .. name)
    result[name] = nil
  end
  local w = product({ at[1], -at[2], -at[3], -at[4] }, values)
  for i, name in ipairs(R.rate_names) do
    local known = result[name] ~= nil and number(result[name], "v." .. name)
    if known and math.abs(known - 2*w[1 + i]) > SAME*(1 + math.abs(known)) then
      fail("v.%s is %.10g, but by the rates of the quaternion, %s' to %s', it is %.10g; give one of them", name, known, core.name(R.quaternion[1]),
        core.name(R.quaternion[4]), 2*w[1 + i])
    end
    result[name] = 2*w[1 + i]
  end
end

--- Velocities with lists of body rates, R = {p, q, r}, as rates by name, so that single ones can be varied; vectors stay.
function attitude.rates_by_name(system, v)
  if #system._rotations == 0 or type(v) ~= "table" then return v end
  local result = {}
  for name, value in pairs(v) do result[name] = value end
  for _, R in ipairs(system._rotations) do
    local value = result[R.name]
    if type(value) == "table" and not Vector._is_vector(value) then
      result[R.name] = nil
      by_list(R, value, result)
    end
  end
  return result
end

--- Starts of velocities with every rotation's entry R = {p, q, r}, or R = vector, as the body rates by name. q: positions, as attitude.positions returns them.
function attitude.velocities(system, v, q, t, parameters)
  if #system._rotations == 0 or type(v) ~= "table" then return v end
  local result = {}
  for name, value in pairs(system:by_name(v, "v")) do result[name] = value end
  for _, R in ipairs(system._rotations) do
    local value = result[R.name]
    result[R.name] = nil
    for _, name in ipairs(value ~= nil and R.rate_names or {}) do
      if result[name] ~= nil then fail("v.%s: '%s' is given as well; give one of them", R.name, name) end
    end
    if Vector._is_vector(value) then
      Vector._demand(value, system, "v." .. R.name)
      by_list(R, attitude.evaluated(system, value:_in_frame(R.frame), q, result, t, parameters, "v." .. R.name), result)
    elseif type(value) == "table" then by_list(R, value, result)
    elseif value ~= nil then fail("v.%s takes three body rates {%s}, or a vector; not a %s", R.name, table.concat(R.rate_names, ", "), type(value)) end
    by_quaternion(R, q, result)
  end
  return result
end

return attitude
