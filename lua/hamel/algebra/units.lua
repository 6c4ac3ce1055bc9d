-- units.lua: units written behind numbers: their factor to the SI, exact, and their dimension, the exponents of the base units.
-- Angles are dimensionless. system/units.lua assigns units to the symbols of a system.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local units = {}

-- name = { factor, dimension, label of numbers in the SI }
local ROWS = {
  m = { "1", "m" }, g = { "1/1000", "kg", "kg" }, s = { "1", "s" }, A = { "1", "A" }, K = { "1", "K" }, mol = { "1", "mol" },
  rad = { "1", "" }, N = { "1", "kg m s^-2" }, J = { "1", "kg m^2 s^-2" }, W = { "1", "kg m^2 s^-3" }, Pa = { "1", "kg m^-1 s^-2" },
  Hz = { "1", "s^-1" }, C = { "1", "A s" }, V = { "1", "kg m^2 s^-3 A^-1" }, F = { "1", "A^2 s^4 kg^-1 m^-2" }, T = { "1", "kg s^-2 A^-1" },
  H = { "1", "kg m^2 s^-2 A^-2" }, ohm = { "1", "kg m^2 s^-3 A^-2" }, bar = { "100000", "kg m^-1 s^-2", "Pa" },
}
-- Names that take no prefix; pi is the number
local BARE = {
  min = { "60", "s", "s" }, h = { "3600", "s", "s" }, hr = { "3600", "s", "s" }, day = { "86400", "s", "s" },
  deg = { "1/180", "", "rad", true }, rev = { "2", "", "rad", true }, rpm = { "1/30", "s^-1", "rad/s", true },
  ft = { "0.3048", "m", "m" }, ["in"] = { "0.0254", "m", "m" }, lb = { "0.45359237", "kg", "kg" }, Nm = { "1", "kg m^2 s^-2", "N m" },
}
for long, short in pairs{ meters = "m", metres = "m", seconds = "s", radians = "rad", kilograms = "kg" } do BARE[long] = short end
for long, short in pairs{ degrees = "deg", minutes = "min", hours = "h" } do BARE[long] = BARE[short] end
local PREFIXES = { G = "1000000000", M = "1000000", k = "1000", d = "1/10", c = "1/100", m = "1/1000", u = "1/1000000", n = "1/1000000000" }

-- What people write for units that have no factor: the one to take
local REFUSED = { degC = "K", degF = "K" }

-- ---- dimensions: exponents by name of the base unit; a name without an entry has the exponent 0

--- The dimension a + k b, exponents exact.
---@param k any a number or an exact expression; 1 when not given
function units.combine(a, b, k)
  local sum = {}
  for name, exponent in pairs(a) do sum[name] = exponent end
  for name, exponent in pairs(b) do
    local e = (sum[name] or core.rational(0)) + exponent*(k or 1)
    sum[name] = core.number_value(e) ~= 0 and e or nil
  end
  return sum
end

local function dimension_of_row(text)
  local d = {}
  for name, exponent in text:gmatch "(%a+)%^?(%-?%d*)" do d[name] = core.rational(math.tointeger(tonumber(exponent)) or 1) end
  return d
end

local ORDER = { "kg", "m", "s", "A", "K", "mol" }

local function power_text(name, exponent)
  local text = core.text(exponent)
  return text == "1" and name or name .. "^" .. (text:find "/" and "(" .. text .. ")" or text)
end

--- A dimension as text: "N", "kg m^2", "m/s^2"; "1" for a number.
function units.text(dimension)
  for _, name in ipairs{ "N", "J", "W", "Pa" } do
    if not next(units.combine(dimension, dimension_of_row(ROWS[name][2]), -1)) then return name end
  end
  local above, below = {}, {}
  for _, name in ipairs(ORDER) do
    local exponent = dimension[name]
    if exponent and core.number_value(exponent) > 0 then above[#above + 1] = power_text(name, exponent)
    elseif exponent then below[#below + 1] = power_text(name, -exponent) end
  end
  local over = #above > 0 and table.concat(above, " ") or "1"
  if #below == 0 then return over end
  local under = table.concat(below, " ")
  return over .. "/" .. (#below > 1 and "(" .. under .. ")" or under)
end

-- ---- names of units

local function unit_of_row(name, row, prefix)
  local factor = core.number(row[1])
  if row[4] then factor = factor*core.pi() end
  if prefix then factor = factor*core.number(prefix) end
  return { factor = factor, dimension = dimension_of_row(row[2]), label = row[3] or name }
end

-- The unit of that name, nil when there is none
local function named(name)
  local row = BARE[name]
  if type(row) == "string" then return named(row) end
  if row then return unit_of_row(name, row) end
  if ROWS[name] then return unit_of_row(name, ROWS[name]) end
  local prefix, rest = name:match "^(%a)(%a+)$"
  if prefix and PREFIXES[prefix] and ROWS[rest] then return unit_of_row(rest, ROWS[rest], PREFIXES[prefix]) end
end

local KNOWN = "kg, g, m, s, min, h, day, rad, deg, rev, rpm, Hz, N, J, W, Pa, bar, A, V, C, F, H, T, ohm, K, mol, ft, in, lb, with prefixes as in mm, ms, kN"

-- Names for suggestions
local function known_names()
  local list = { "kg", "mg", "mm", "cm", "km", "um", "ms", "us", "kN", "MN", "kPa", "MPa", "GPa", "kJ", "MJ", "kW", "MW", "kHz", "MHz", "mA", "mV", "kV" }
  for name in pairs(ROWS) do list[#list + 1] = name end
  for name in pairs(BARE) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- What people write for units that are not known, or known by another name. grad is a degree to some and a gon to others
local ELSEWHERE = {
  Kg = "kg", KG = "kg", kgs = "kg", kilogram = "kg", gram = "g", grams = "g", lbs = "lb", lbm = "lb", pound = "lb", pounds = "lb", oz = "28.349523125 g",
  ounce = "28.349523125 g", ounces = "28.349523125 g", slug = "14.593903 kg", slugs = "14.593903 kg", stone = "6.35029318 kg", ton = "1000 kg",
  tons = "1000 kg", tonne = "1000 kg", tonnes = "1000 kg",
  metre = "m", meter = "m", centimeter = "cm", centimetre = "cm", centimeters = "cm", centimetres = "cm", millimeter = "mm", millimetre = "mm",
  millimeters = "mm", millimetres = "mm", kilometer = "km", kilometre = "km", kilometers = "km", kilometres = "km", micron = "um", microns = "um",
  inch = "in", inches = "in", foot = "ft", feet = "ft", yd = "0.9144 m", yard = "0.9144 m", yards = "0.9144 m",
  mile = "1609.344 m", miles = "1609.344 m", nmi = "1852 m", angstrom = "1e-10 m", AU = "149597870700 m",
  liter = "dm^3", litre = "dm^3", liters = "dm^3", litres = "dm^3", gallon = "3.785411784 dm^3", gal = "3.785411784 dm^3",
  sec = "s", secs = "s", second = "s", usec = "us", msec = "ms", nsec = "ns", minute = "min", mins = "min", hour = "h", hrs = "h", days = "day",
  week = "7 day", weeks = "7 day", year = "365.25 day", years = "365.25 day",
  mph = "0.44704 m/s", kph = "km/h", kmh = "km/h", mps = "m/s", fps = "ft/s", knot = "1.852 km/h", knots = "1.852 km/h",
  kts = "1.852 km/h", gee = "9.80665 m/s^2",
  hz = "Hz", rps = "rev/s", RPM = "rpm", radian = "rad", rads = "rad", degree = "deg", degs = "deg", turn = "rev", turns = "rev", revs = "rev",
  revolution = "rev", revolutions = "rev", cycle = "rev", cycles = "rev", grad = "deg, or a gon as 0.9 deg", grads = "0.9 deg", gon = "0.9 deg",
  gradian = "0.9 deg", gradians = "0.9 deg", arcsec = "1/3600 deg", arcmin = "1/60 deg",
  newton = "N", newtons = "N", lbf = "4.4482216152605 N", kgf = "9.80665 N", dyn = "1e-5 N", dyne = "1e-5 N", dynes = "1e-5 N",
  joule = "J", joules = "J", eV = "1.602176634e-19 J", keV = "1.602176634e-16 J", MeV = "1.602176634e-13 J", cal = "4.184 J", kcal = "4184 J",
  erg = "1e-7 J", ergs = "1e-7 J", Wh = "3600 J", kWh = "3.6e6 J", btu = "1055.05585262 J", Btu = "1055.05585262 J", BTU = "1055.05585262 J",
  watt = "W", watts = "W", hp = "745.7 W", HP = "745.7 W", PS = "735.49875 W", pascal = "Pa", pascals = "Pa", psi = "6894.757 Pa", atm = "101325 Pa",
  torr = "133.322368 Pa", Torr = "133.322368 Pa", mmHg = "133.322387415 Pa",
  volt = "V", volts = "V", amp = "A", amps = "A", ampere = "A", amperes = "A", coulomb = "C", coulombs = "C", farad = "F", henry = "H", tesla = "T",
  gauss = "1e-4 T", Ohm = "ohm", ohms = "ohm", kelvin = "K", percent = "1/100",
}

-- Units that differ from a word in the case of letters alone, "cm" for "cM"; nil: none
local function in_other_case(word)
  local found, low = {}, word:lower()
  for _, name in ipairs(known_names()) do if name:lower() == low then found[#found + 1] = name end end
  return found[1] and table.concat(found, " or ")
end

--- What to write for a word that is meant as a unit and is none; nil for any other word, and for known units.
function units.elsewhere(word)
  if named(word) or #word < 2 then return nil end
  return ELSEWHERE[word] or in_other_case(word) or #word > 3 and ELSEWHERE[word:lower()] or nil
end

--- The known unit nearest to a word; nil where none is near.
function units.nearest(word) return REFUSED[word] or object.nearest(word, known_names()) end

local function complain(...) error({ words = (...):format(select(2, ...)) }, 0) end

local function demand_named(name)
  local unit = named(name)
  if unit then return unit end
  local meant = units.elsewhere(name)
  if meant then complain("unknown unit '%s': write it as %s", name, meant) end
  local near = units.nearest(name)
  complain("unknown unit '%s'%s", name, near and (" (did you mean '%s'?)"):format(near) or "; known are " .. KNOWN)
end

-- ---- the grammar: products by a space or *, quotients, powers with exact exponents, parentheses

local Reader = {}
Reader.__index = Reader

function Reader:take(pattern)
  local found, stop = self.text:match("^%s*(" .. pattern .. ")()", self.at)
  if found then self.at = stop end
  return found
end

local function exponent(r)
  local text = r:take "%-?%d+%.?%d*" or r:take "%(%s*%-?%d+%s*/?%s*%d*%s*%)"
  local fine, value = protected(core.number, text and text:gsub("[()%s]", "") or "none")
  if not fine then complain("an exponent is a number, as in m^2, s^-1 or m^(1/2)") end
  return value
end

local function raised(unit, e)
  local label = unit.label:find "[ /^]" and "(" .. unit.label .. ")" or unit.label
  return { factor = unit.factor^e, dimension = units.combine({}, unit.dimension, e), label = power_text(label, e) }
end

local product

local function factor(r)
  local unit
  if r:take "%(" then
    unit = product(r)
    if not r:take "%)" then complain "a parenthesis is not closed" end
  elseif r:take "1%f[%D]" then
    unit = { factor = core.rational(1), dimension = {}, label = "1" }
  else
    local name = r:take "%a+"
    if not name then complain("a unit is missing%s", r.at <= #r.text and (" before '%s'"):format(r.text:sub(r.at)) or " at the end") end
    unit = demand_named(name)
  end
  return r:take "%^" and raised(unit, exponent(r)) or unit
end

local function divisor_label(label) return label:find "[ /]" and "(" .. label .. ")" or label end

-- J/kg K is read in two ways by different people
function product(r)
  local unit, divided = factor(r), false
  while r.text:find("^%s*[^%s)]", r.at) do
    local over = r:take "/"
    if not over then r:take "%*" end
    if divided and not over then complain("'%s' can be read in two ways: put the divisor in parentheses, as in J/(kg K)", r.text) end
    local other = factor(r)
    divided = divided or over ~= nil
    unit = { factor = over and unit.factor/other.factor or unit.factor*other.factor,
             dimension = units.combine(unit.dimension, other.dimension, over and -1 or 1),
             label = over and unit.label .. "/" .. divisor_label(other.label) or unit.label .. " " .. other.label }
  end
  return unit
end

local SIGNS = { ["²"] = "^2", ["³"] = "^3", ["·"] = " ", ["°"] = "deg", ["µ"] = "u", ["μ"] = "u", ["Ω"] = "ohm" }

--- A unit from its text, "kg m^2/s^2": { factor = exact number that converts to the SI, dimension =, label = the text in the SI, text = };
--- nil and the reason where it is none.
function units.read(text)
  local plain = text
  for sign, word in pairs(SIGNS) do plain = plain:gsub(sign, word) end
  local r = setmetatable({ text = plain, at = 1 }, Reader)
  local fine, unit = protected(product, r)
  if not fine and type(unit) ~= "table" then error(unit, 0) end
  if fine and r.text:find("%S", r.at) then fine, unit = false, { words = ("'%s' is too much"):format(r.text:sub(r.at)) } end
  if not fine then return nil, unit.words end
  unit.text = text
  return unit
end

--- Is a word behind a value meant as a unit? Names are units where they are known, or one letter from a known one of two and more.
function units.is_meant(word)
  if word:find "[/*^()°²³·µμΩ]" then return true end
  if not word:find "^%a+$" then return false end
  if named(word) or REFUSED[word] then return true end
  if #word < 3 then return false end
  local long = {}
  for _, name in ipairs(known_names()) do
    if #name >= 2 and math.abs(#name - #word) == 1 and (word:find(name, 1, true) == 1 or name:find(word, 1, true) == 1) then long[#long + 1] = name end
  end
  return #long > 0
end

--- "9.81 m/s^2" as the text of the number and that of the unit (nil: none); nil where no number begins it.
function units.parted(text)
  local number, rest = text:match "^%s*([+-]?%d*%.?%d*)()"
  if not number:find "%d" then return nil end
  local more = text:match("^[eE][+-]?%d+", rest)
  if more then number, rest = number .. more, rest + #more end
  more = text:match("^%s*/%s*%d+%.?%d*", rest)
  if more then number, rest = number .. more, rest + #more end
  local unit = text:sub(rest):match "^%s*(.-)%s*$"
  return (number:gsub("%s", "")), unit ~= "" and unit or nil
end

return units
