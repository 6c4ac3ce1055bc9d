-- fields.lua: vector fields on the coordinates of a system, as lists of components: read, lifted to velocities, bracketed, printed.
local core = require "hamel.core"
local object = require "hamel.base.object"

local fields = {}

--- The components of a field given by name, { x = -y, theta = 1 }; those missing are zero.
---@param what string for messages
function fields.read(system, given, what)
  if type(given) ~= "table" or core.is_expression(given) then object.fail("%s: a field is a table such as { x = -y, y = x, theta = 1 }", what) end
  local named = system:by_name(given, what)
  for name in pairs(named) do
    if not system._coordinate[name] then
      object.fail("%s: '%s' is not a coordinate of %s%s", what, tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
  end
  local Z = {}
  for i, name in ipairs(system.coordinate_names) do
    Z[i] = named[name] == nil and core.rational(0) or system:check_expression(named[name], ("%s: the component along '%s'"):format(what, name), 0)
  end
  return Z
end

--- The components that do not vanish, by name.
function fields.named(system, Z)
  local result = {}
  for i, name in ipairs(system.coordinate_names) do if core.number_value(Z[i]) ~= 0 then result[name] = Z[i] end end
  return result
end

--- "-y d/dx + x d/dy + d/dtheta".
function fields.text(system, Z)
  local out = {}
  for i, name in ipairs(system.coordinate_names) do
    local value, text = core.number_value(Z[i]), core.text(Z[i])
    if core.kind(Z[i]) == "sum" then text = "(" .. text .. ")" end
    local part = value == 1 and "" or value == -1 and "-" or text .. " "
    if value ~= 0 then out[#out + 1] = ("%sd/d%s"):format(part, name) end
  end
  return (table.concat(out, " + "):gsub("%+ %-", "- "))
end

--- The derivatives of functions of coordinates, velocities and time along the complete lift of Z: Z^i d/dq_i + (dZ^i/dt) d/dq_i'.
function fields.lift(system, Z, list)
  local from, to, q = {}, {}, system:coordinate_list()
  for i, c in ipairs(q) do
    from[i], to[i] = c, Z[i]
    from[#q + i], to[#q + i] = c.dot, core.dt(Z[i])
  end
  return core.directional(list, from, to)
end

--- The derivatives of functions of the coordinates along Z.
function fields.along(system, Z, list) return core.directional(list, system:coordinate_list(), Z) end

--- The Lie bracket [X, Y] = X(Y) - Y(X), component by component, at a fixed time.
function fields.bracket(system, X, Y)
  local of_Y, of_X, result = fields.along(system, X, Y), fields.along(system, Y, X), {}
  for i = 1, #X do result[i] = of_Y[i] - of_X[i] end
  return result
end

--- The momentum Z . dL/dq' of a field, in coordinates and velocities.
function fields.momentum(system, Z)
  local p, terms = core.gradient(system:lagrangian(), system:velocity_list()), {}
  for i = 1, #Z do terms[i] = Z[i]*p[i] end
  return core.sum(terms)
end

--- sum of c_a Z_a.
function fields.combined(list, c)
  local Z = {}
  for i = 1, #list[1] do
    local terms = {}
    for a, field in ipairs(list) do terms[a] = c[a]*field[i] end
    Z[i] = core.sum(terms)
  end
  return Z
end

return fields
