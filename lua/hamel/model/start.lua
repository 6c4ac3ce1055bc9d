-- start.lua: from the user's q and v to a consistent state.
local alignment = require "hamel.bodies.alignment"
local attitude = require "hamel.bodies.attitude"
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local start = {}

-- Given values are consistent to this, relative to the size of the terms of a constraint
local TOLERANCE = 1e-9

local SAME = 1e-6                      -- coordinates of one place, relative to 1 + their size

-- How far tables of values that a run gave out are off its constraints, relative to the size of the terms
local allowed = setmetatable({}, { __mode = "k" })

--- Keeps how far a table of values by coordinate is off the constraints, so that it is accepted as a start.
function start.allow(given, off)
  if off > TOLERANCE then allowed[given] = off end
end

local function tolerance_for(q, v) return math.max(TOLERANCE, allowed[q or false] or 0, allowed[v or false] or 0) end

local function read(system, names, given, letter, known, x, offset)
  if given ~= nil and type(given) ~= "table" then
    object.fail("%s is a table of values by coordinate, as in %s = {%s = 0}", letter, letter, names[1])
  end
  given = system:by_name(given, letter)
  local is_coordinate = {}
  for _, name in ipairs(names) do is_coordinate[name] = true end
  for name, value in pairs(given or {}) do
    if type(name) == "number" then
      object.fail("%s: values are given by name, as in %s = {%s = 0}, not by position (of %s)", letter, letter, names[1], table.concat(names, ", "))
    end
    if not is_coordinate[name] then
      object.fail("%s.%s: '%s' is not a coordinate of %s%s", letter, tostring(name), tostring(name), system.name,
        object.hint(name, names))
    end
    local number = symbols.number(value)
    if not number then
      object.fail("%s.%s is %s, not a number", letter, name, core.is_expression(value) and "the expression " .. core.text(value) or "a " .. type(value))
    end
    if number ~= number or number == math.huge or number == -math.huge then object.fail("%s.%s is %s", letter, name, object.number(number)) end
  end
  for i, name in ipairs(names) do
    local value = given and given[name]
    known[offset + i] = value ~= nil
    x[offset + i] = value ~= nil and symbols.number(value) + 0.0 or 0.0
  end
end

local places = setmetatable({}, { __mode = "k" })      -- of the names in their lists

local function places_of(names)
  local known = places[names]
  if known and known.count == #names then return known.of end
  known = { count = #names, of = {} }
  for i, name in ipairs(names) do known.of[name] = i end
  places[names] = known
  return known.of
end

local zeros, SHORT = {}, 100

-- A table with room for so many entries, where these are few
local function room(size)
  for i = #zeros + 1, math.min(size, SHORT) do zeros[i] = 0.0 end
  return size <= SHORT and { table.unpack(zeros, 1, size) } or {}
end

-- The shorter way for finite numbers by name: how many are given; nil: something else is
local function read_numbers(names, given, known, x, offset)
  if type(given) ~= "table" then return nil end
  local place, count = places_of(names), 0
  for i = offset + 1, offset + #names do known[i], x[i] = false, 0.0 end
  for name, value in pairs(given) do
    local i = place[name]
    if not i or math.type(value) == nil or value - value ~= 0 then return nil end
    known[offset + i], x[offset + i], count = true, value + 0.0, count + 1
  end
  return count
end

local function missing(names, known, offset)
  local list = {}
  for i, name in ipairs(names) do if not known[offset + i] then list[#list + 1] = name end end
  return table.concat(list, ", ")
end

-- "q = {x = 0, ...}" for the first of the missing names
local function example(letter, names)
  local first, more = names:match "^([^,]+)(,?)"
  return ("%s = {%s = 0%s}"):format(letter, first, more ~= "" and ", ..." or "")
end

--- State x = (q, v, 0...) with what is not given solved from the constraints, and which entries were given.
---@param conditions integer number of conditions on velocities
---@param parameters table? values in place of the declared ones
---@param direction integer? 1 (default) or -1: of time, in which the motion begins; where constraints have a corner, they hold on the side to which it leads
function start.complete(system, workspace, size, t, q, v, conditions, parameters, direction)
  local known, x, names, rates = room(size), room(size), system.coordinate_names, motion.of(system).names
  local n, off = #names, tolerance_for(q, v)
  if #system._rotations == 0 and not rawget(system, "_joints") then
    local of_q = read_numbers(names, q, known, x, 0)
    local of_v = of_q and read_numbers(rates, v, known, x, n)
    if of_q == n and of_v and (of_v == #rates or conditions > 0) then
      for i = n + #rates + 1, size do known[i], x[i] = true, 0.0 end
      return workspace:complete_start(t, known, x, off, direction or 1), known
    end
  end
  q = attitude.positions(system, q)
  v = attitude.velocities(system, v, q, t, parameters)
  read(system, names, q, "q", known, x, 0)
  read(system, rates, v, "v", known, x, n)
  local guesses = alignment.guesses(system, q, t, parameters)
  for i, name in ipairs(names) do if not known[i] and guesses[name] then x[i] = guesses[name] end end
  local holonomic = #system._rotations + #system:_kept_conditions()
  for _, c in ipairs(system.constraints) do if c.holonomic then holonomic = holonomic + 1 end end
  local no_q, no_v = missing(names, known, 0), missing(rates, known, n)
  if no_q ~= "" and holonomic == 0 then object.fail("start: q is missing for %s; add %s", no_q, example("q", no_q)) end
  if no_v ~= "" and conditions == 0 then object.fail("start: v is missing for %s; add %s", no_v, example("v", no_v)) end
  for i = n + #rates + 1, size do known[i], x[i] = true, 0.0 end
  return workspace:complete_start(t, known, x, off, direction or 1), known
end

local function positions(names, known, x)
  local list = {}
  for i, name in ipairs(names) do if not known[i] then list[#list + 1] = ("q.%s = %.15g"):format(name, x[i]) end end
  return table.concat(list, ", ")
end

-- Are two states the same place? A quaternion and its negative are one attitude
local function same_place(system, x, other)
  local sign, index = {}, {}
  for i, name in ipairs(system.coordinate_names) do index[name] = i end
  for _, R in ipairs(system._rotations) do
    local dot, list = 0, {}
    for k, e in ipairs(R.quaternion) do
      list[k] = index[core.name(e)]
      dot = dot + x[list[k]]*other[list[k]]
    end
    for _, i in ipairs(list) do sign[i] = dot < 0 and -1 or 1 end
  end
  for i = 1, #system.coordinate_names do
    if math.abs(x[i] - (sign[i] or 1)*other[i]) > SAME*(1 + math.abs(x[i])) then return false end
  end
  return true
end

--- A sentence on a completed start whose missing positions the constraints allow to be others, as the second assembly of a linkage; nil where
--- none are missing, or no others were found that the function `holds` of the state takes.
function start.other_assembly(system, workspace, t, x, known, holds)
  local names = system.coordinate_names
  for i = 1, #names + 1 do
    if i > #names then return nil end
    if not known[i] then break end
  end
  local other = workspace:other_assembly(t, known, x, TOLERANCE)
  if not other or same_place(system, x, other) then return nil end
  for i = #names + 1, #x do other[i] = x[i] end
  return holds(other) and ("the constraints leave a choice of the start: %s were computed; for the other assembly give %s"):format(
    positions(names, known, x), positions(names, known, other))
end

return start
