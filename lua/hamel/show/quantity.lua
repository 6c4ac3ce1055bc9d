-- quantity.lua: what is drawn, as a reader of a picture sees it: its label, its unit, and whether it is a length or an angle.
local core = require "hamel.core"
local dress = require "hamel.algebra.dress"
local greek = require "hamel.algebra.greek"

local quantity = {}

local CIRCULAR = { sin = true, cos = true, tan = true }

-- Marks the symbols inside of sin, cos and tan
local function mark_angles(e, angles, seen)
  if seen[e] then return end
  seen[e] = true
  if core.kind(e) == "number" or core.kind(e) == "symbol" then return end
  local circular = core.kind(e) == "call" and CIRCULAR[core.name(e)]
  for _, part in ipairs(core.operands(e) or {}) do
    if circular then for _, s in ipairs(core.symbols{ part }) do angles[s] = true end end
    mark_angles(part, angles, seen)
  end
end

--- What the user declared, a list: energies, constraints, forces; false where there is none.
function quantity.declared(system)
  local list = table.pack(system._T or false, system._V or false, system._L or false)
  for _, c in ipairs(system.constraints) do list[#list + 1] = c.f end
  for _, item in ipairs(system.force_list) do list[#list + 1] = item.expression or false end
  return list
end

-- Without a unit a coordinate is an angle if the system takes its sine, cosine or tangent, or if its name is a Greek letter
local function is_angle_by_use(system, q, name)
  if greek[name:match "^%a+"] then return true end
  local angles, seen = {}, {}
  for _, e in ipairs(quantity.declared(system)) do if core.is_expression(e) then mark_angles(e, angles, seen) end end
  return angles[q] or false
end

local function kind_of_coordinate(system, q, name)
  local unit = system._unit[name]
  if unit then return unit.label == "rad" and "angle" or unit.label == "m" and "length" or nil end
  if is_angle_by_use(system, q, name) then return "angle" end
  for _, other in ipairs(system.coordinate_names) do if system._unit[other] then return nil end end
  return "length"
end

-- The coordinate that is meant, and its name
local function coordinate(system, what)
  for i, q in ipairs(system:coordinate_list()) do
    if what == system.coordinate_names[i] or core.is_expression(what) and what == q then return q, system.coordinate_names[i] end
  end
end

-- Without units: is a term a place, a length coordinate or a parameter times sines and cosines of angles? x, a*cos(theta); not m*x, a*theta
local function is_place_term(system, term)
  local lengths, parameters, circular = 0, 0, 0
  for _, factor in ipairs(core.kind(term) == "product" and core.operands(term) or { term }) do
    local kind = core.kind(factor)
    if kind == "symbol" then
      local q, name = coordinate(system, factor)
      if q and kind_of_coordinate(system, q, name) == "length" then lengths = lengths + 1
      elseif not q and system._parameter[core.name(factor)] == factor then parameters = parameters + 1
      else return false end
    elseif kind == "call" and CIRCULAR[core.name(factor)] then circular = circular + 1
    elseif kind ~= "number" then return false end
  end
  return core.kind(term) == "number" or lengths + parameters <= 1 and (lengths == 1 or circular > 0)
end

local function is_place(system, e)
  if next(system._unit) then return false end
  e = e:expand()
  for _, term in ipairs(core.kind(e) == "sum" and core.operands(e) or { e }) do if not is_place_term(system, term) then return false end end
  return true
end

--- "length", "angle" or nil. A coordinate is what its unit says. Without a unit it is an angle if the system takes its sine, cosine or tangent or
--- if its name is a Greek letter; otherwise a length, unless another coordinate has a unit. An expression is a length by its unit. In a system without
--- units it is one if each term is a number, a length coordinate, or a parameter times sines and cosines: x + a*cos(theta).
function quantity.kind(system, what)
  local q, name = coordinate(system, what)
  if q then return kind_of_coordinate(system, q, name) end
  return core.is_expression(what) and (system:unit_of(what) == "m" or is_place(system, what)) and "length" or nil
end

-- Angles have no dimension: their rates are called rad/s by the table of the system
local function unit_of(system, name, what)
  local unit = system:unit_labels()[name] or system:unit_of(what)
  return unit ~= "1" and unit or nil
end

--- A quantity of a system: what is a name or an expression; `expression` is the expression that a name stands for, where the caller has it.
function quantity.of(system, what, expression)
  local name = type(what) == "string" and what or core.text(core.number(what))
  local meant = type(what) == "string" and (name == "energy" or name:find "^lambda%.") and name or expression or what
  return { name = name, kind = quantity.kind(system, what), unit = unit_of(system, name, meant) }
end

-- Columns of tables that have the unit of what stands behind the first word
local MEASURES = { max = true, min = true, mean = true }

-- Is a name that of a body rate? It is a velocity itself, and no coordinate has it
local function is_rate(system, name)
  for _, R in ipairs(system._rotations) do
    for _, rate in ipairs(R.rate_names) do if rate == name then return true end end
  end
  return false
end

-- Did the user give a column its name? keep: what was asked for
local function has_own_name(keep, name)
  local item = type(keep) == "table" and keep[name]
  if not item then return false end
  return (type(item) == "string" and item or core.is_expression(item) and core.text(item) or tostring(item)) ~= name
end

--- A column of a table of runs by its name: a parameter, a start such as q.x, a measure such as "max x", a value that runs keep. keep: what was asked for;
--- under a name of the user's own a value is no quantity of the system, even where it is called like one.
function quantity.of_column(system, name, keep)
  if has_own_name(keep, name) then return { name = name } end
  local kind, of = name:match "^([qv])%.(.+)$"
  if not kind then kind, of = name:match "^(%a+) (.+)$" end
  if kind == "first" then return { name = name, unit = unit_of(system, "t", "t") } end
  if kind == "v" and is_rate(system, of) then
    return { name = name, label = dress.label(of) .. "(0)", unit = unit_of(system, of, of) }
  end
  if kind and (kind == "q" or kind == "v" or MEASURES[kind]) then
    local start = kind == "v" and of .. "'" or of
    return { name = name, unit = unit_of(system, start, system._parameter[start] or start) }
  end
  return quantity.of(system, name, system._parameter[name])
end

--- The label without a unit. plain: the name as it is typed, for characters.
function quantity.name(q, plain) return plain and q.name or q.label or dress.label(q.name) end

--- The words at an axis: the label with its unit. plain: names as they are typed, for characters.
function quantity.text(q, units, plain)
  local label, unit = quantity.name(q, plain), q.unit
  if units and units[q.name] then unit = units[q.name] end
  if not unit then return label end
  return ("%s [%s]"):format(label, plain and unit or dress.formula(unit))
end

return quantity
