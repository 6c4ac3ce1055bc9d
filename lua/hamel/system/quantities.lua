-- quantities.lua: texts with units in starts and times, "30 deg", "3 km/h", "2 min", as exact numbers of the SI.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local units = require "hamel.algebra.units"

local fail = object.fail
local quantities = {}

local LONG = 60                        -- bytes of a text that messages show whole

local function shown(text) return #text <= LONG and text or text:sub(1, LONG):gsub("[\194-\244][\128-\191]*$", "") .. "..." end

local SECOND = { s = core.rational(1) }

-- The exact number in the SI and the unit of a text; nothing where it has no unit
local function parted(text, what)
  local number, unit_text = units.parted(text)
  local fine, value = protected(core.number, number or "none")
  if not fine or not unit_text then return nil end
  local unit, reason = units.read(unit_text)
  if not unit then fail("%s = \"%s\": %s", what, shown(text), reason) end
  return value*unit.factor, unit
end

local function same(a, b) return not next(units.combine(a, b, -1)) end

-- What a coordinate without a unit may have all the same: it is an angle, then
local function is_angle(dimension, order) return same(dimension, units.combine({}, SECOND, -order)) end

-- The dimension of a quasi-velocity; nil where units that are not declared leave it open
local function dimension_of_quasi(system, name)
  for i, known in ipairs(system._quasi and system._quasi.names or {}) do
    if known == name then return require "hamel.system.units".dimension(system, system._quasi.functions[i]) end
  end
end

local function demand(what, text, unit, wanted)
  if same(unit.dimension, wanted) then return end
  fail("%s = \"%s\": it is in %s; the unit '%s' does not convert to it", what, shown(text), units.text(wanted), shown(unit.text))
end

-- Hz counts cycles, and the rate of an angle radians: 1 Hz would be read as 1 rad/s
local function refuse_cycles(what, text, unit, order)
  if order == 1 and unit.label:find "Hz" and is_angle(unit.dimension, 1) then
    fail("%s = \"%s\": Hz counts cycles, one cycle is 2*pi rad: give the rate in rad/s, deg/s or rpm (1 Hz is 60 rpm)", what, shown(text))
  end
end

-- One value of a start
local function start_value(system, name, text, letter)
  local what, order = letter .. "." .. tostring(name), letter == "v" and 1 or 0
  local value, unit = parted(text, what)
  if not value then return text end
  refuse_cycles(what, text, unit, order)
  local known = system._unit[name]
  local wanted = known and units.combine(known.dimension, SECOND, -order) or not system._coordinate[name] and dimension_of_quasi(system, name)
  if wanted then demand(what, text, unit, wanted)
  elseif not system._coordinate[name] or not is_angle(unit.dimension, order) then
    fail("%s = \"%s\": '%s' of %s was declared without a unit: declare it with one, as in S:coordinates(\"x\", { unit = \"m\" }), or give the number "
      .. "alone", what, shown(text), tostring(name), system.name)
  end
  return value
end

--- The number of an angle in radians for a text such as "30 deg"; any other value as it is.
function quantities.angle(text, what)
  if type(text) ~= "string" then return text end
  local value, unit = parted(text, what)
  if not value then return text end
  if not is_angle(unit.dimension, 0) then fail("%s = \"%s\": an angle is in rad or deg", what, shown(text)) end
  return value
end

--- The values of a start by name, with exact numbers of the SI in place of texts with units.
---@param letter string "q" or "v"
function quantities.starts(system, given, letter)
  for name, value in pairs(given) do if type(value) == "string" then given[name] = start_value(system, name, value, letter) end end
  return given
end

-- Options that are times
local TIMES = { "t", "times", "step", "max_step", "first_step", "every", "period" }

local function seconds(system, text, what)
  local value, unit = parted(text, what)
  if not value then return text end
  if not next(system._unit) then
    fail("%s = \"%s\": no symbol of %s has a unit, so that the time need not be in seconds: give the number alone, or declare units", what,
      shown(text), system.name)
  end
  demand(what, text, unit, SECOND)
  return value
end

--- A time in seconds from a text with a unit, "500 ms"; any other value as it is.
function quantities.time(system, given, what) return type(given) == "string" and seconds(system, given, what) or given end

-- Is one of the times a text, or a list that may have some?
local function may_have_units(given)
  for i = 1, #TIMES do
    local value = given[TIMES[i]]
    if value ~= nil and math.type(value) == nil then return true end
  end
  return false
end

--- The options of a study with exact numbers of seconds in place of times with units; the same table where there are none.
function quantities.in_seconds(system, what, given)
  if type(given) ~= "table" or getmetatable(given) or not may_have_units(given) then return given end
  local result = {}
  for key, value in pairs(given) do result[key] = value end
  for _, name in ipairs(TIMES) do
    local value = given[name]
    if type(value) == "string" then result[name] = seconds(system, value, what .. ": " .. name) end
    if type(value) == "table" and not getmetatable(value) then
      local label = what .. ": " .. name
      result[name] = {}
      for i, t in pairs(value) do result[name][i] = type(t) == "string" and seconds(system, t, label) or t end
    end
  end
  return result
end

--- The unit of a generalised force on q, checked as one of the SI; nil where none is given.
function quantities.force_unit(q, text)
  if text == nil then return nil end
  local name = core.name(q)
  local unit, reason = units.read(text)
  if not unit then fail("force on %s: unit: %s", name, reason) end
  if core.number_value(unit.factor) ~= 1 then
    fail("force on %s: it is computed in the SI: write unit = \"%s\" in place of \"%s\"", name, unit.label, shown(text))
  end
  return unit
end

return quantities
