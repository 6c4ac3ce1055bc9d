-- naming.lua: names of the symbols that the library makes (multipliers, momenta, quasi-velocities): none is printed like a name of the system.
local core = require "hamel.core"
local greek = require "hamel.algebra.greek"

local naming = {}

local letters, looks_of = {}, {}
for name, letter in pairs(greek) do letters[letter] = name end

--- How a name looks in print: its TeX, with Greek letters by name, whatever their shape. Two names look alike when these are equal: x1 and
--- x_1, θ and theta, phi and varphi.
function naming.look(name)
  if not looks_of[name] then
    local spelt = name:gsub(utf8.charpattern, letters):gsub("^var(%a)", "%1")
    looks_of[name] = core.latex(core.symbol(spelt, 0))
  end
  return looks_of[name]
end

-- Names of coordinates and parameters by look, kept with the system: these lists only grow
local function declared(system)
  local known = rawget(system, "_looks")
  if not known then
    known = { looks = { [naming.look "t"] = "t" }, coordinates = 0, parameters = 0 }
    rawset(system, "_looks", known)
  end
  local function add(list, from)
    for i = from + 1, #list do known.looks[naming.look(list[i])] = list[i] end
    return #list
  end
  known.coordinates = add(system.coordinate_names, known.coordinates)
  known.parameters = add(system.parameter_names, known.parameters)
  return known.looks
end

-- What else is printed in formulas of the system, by look
local function taken(system)
  local looks = setmetatable({}, { __index = declared(system) })
  local function add(list) for _, name in ipairs(list) do looks[naming.look(name)] = name end end
  add(system._quasi and system._quasi.names or {})
  for _, item in ipairs(system.force_list) do if item.call then add{ (core.name(item.expression)) } end end
  return looks
end

--- The name of the system that is printed like `name`, other than itself; nil where there is none.
function naming.alike(system, name)
  local other = taken(system)[naming.look(name)]
  return other ~= name and other or nil
end

--- The names stem .. suffix, one per suffix, by the first stem that gives none that is taken; beyond the list the last stem with underscores.
function naming.free(system, stems, suffixes)
  local looks = taken(system)
  local function try(stem)
    local list = {}
    for i, suffix in ipairs(suffixes) do
      list[i] = stem .. suffix
      if looks[naming.look(list[i])] then return nil end
    end
    return list
  end
  for _, stem in ipairs(stems) do
    local list = try(stem)
    if list then return list end
  end
  local stem = stems[#stems]
  while true do
    stem = stem .. "_"
    local list = try(stem)
    if list then return list end
  end
end

--- Suffixes "1" to "n"; with `single` a single thing has none.
function naming.numbers(n, single)
  if n == 1 and single then return { "" } end
  local list = {}
  for i = 1, n do list[i] = tostring(i) end
  return list
end

return naming
