-- given_surface.lua: surfaces given by a function: their form in a frame, and how a point or a sphere touches them.
--
-- The surface is f = 0 with f > 0 on the side of the bodies, n = grad f/|grad f|. A sphere of radius r with its centre at C touches at the foot s of the
-- perpendicular from C: C - s is along n(s), f(s) = 0. No formula gives s; its parameters are coordinates of the system, with the conditions of
-- the perpendicular as constraints. They have no inertia, so that their multipliers vanish and the motion of the bodies is the same.
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local given_surface = {}

local place = {}
for i, name in ipairs{ "surface_x", "surface_y", "surface_z" } do place[i] = core.symbol(name, symbols.EXTERNAL) end

-- The formula that a function of `count` coordinates returns; nothing in it may move
local function formula(system, f, count, what)
  local fine, e = pcall(f, table.unpack(place, 1, count))
  if not fine then
    fail("%s is computed once with symbols for %s and raised: %s; use the functions of hm, as in hm.sin(x)", what, count == 2 and "x, y" or "x, y, z",
      (tostring(e):gsub("^[^\n]-:%d+: ", ""):gsub("\n.*", "")))
  end
  if type(e) == "number" then e = core.number(e) end
  if not core.is_expression(e) then fail("%s returns an expression in its arguments, not a %s", what, type(e)) end
  for _, s in ipairs(core.symbols{ e }) do
    local name, _, flags = core.name(s)
    if flags & (symbols.TIME | symbols.DYNAMIC) ~= 0 then
      fail("%s contains %s: a surface keeps its form; one that moves belongs to a frame that moves", what, core.text(s))
    end
    if not object.contains(place, s) and not system._parameter[name] then fail("%s: '%s' is no parameter of %s", what, name, system.name) end
  end
  return e
end

--- The form of a surface in its frame: { f, gradient, hessian (in the symbols of a place), height (of a graph) }.
function given_surface.read(system, o)
  if (o.height == nil) == (o.equation == nil) then
    fail "F:surface takes one of height = function(x, y) return ... end and equation = function(x, y, z) return ... end"
  end
  local form = { of = o.height, height = o.height and formula(system, o.height, 2, "F:surface: height") or false }
  form.f = form.height and place[3] - form.height or formula(system, o.equation, 3, "F:surface: equation")
  form.gradient = core.gradient(form.f, place)
  if not form.height and form.gradient[1]:is_zero() == true and form.gradient[2]:is_zero() == true and form.gradient[3]:is_zero() == true then
    fail("F:surface: equation contains none of its arguments x, y, z, so that it describes no surface")
  end
  form.hessian = {}
  for i = 1, 3 do form.hessian[i] = core.gradient(form.gradient[i], place) end
  return form
end

-- The formulas of the form at a place given by three expressions
local function at(list, c)
  local result = {}
  for i, e in ipairs(list) do result[i] = core.substitute(e, place, c) end
  return result
end

local function length_of(g) return core.sqrt(core.simplify(g[1]^2 + g[2]^2 + g[3]^2)) end

local function unit(g, size) return { g[1]/size, g[2]/size, g[3]/size } end

--- Where a point touches the surface: the normal is that of the level surface through the point, the gap f/|grad f| its distance to first order.
function given_surface.point(surface, P)
  local c, frame = (P - surface.at):_in_frame(surface.frame), surface.frame
  local g = at(surface.form.gradient, c)
  local size = length_of(g)
  local n = unit(g, size)
  return { normal = frame:vector(n[1], n[2], n[3]), gap = at({ surface.form.f }, c)[1]/size }
end

-- Two directions along the surface at a place of a graph, at right angles and of unit length; nil for other surfaces, which have none everywhere
function given_surface.directions(surface, normal)
  if not surface.form.height then return nil end
  local frame = surface.frame
  local n = normal:_in_frame(frame)
  local first = frame:vector(n[3], 0, -n[1])
  first = first/core.sqrt(n[1]^2 + n[3]^2)
  return first, normal:cross(first)
end

-- The smaller of 1 - d/R of the two principal radii R (positive where the surface curves towards the body) at the distance d along n: by the trace and the
-- determinant of 1 + d W, W the derivative of n along the surface. tr W = (tr H - n.H n)/|g|, det W = n.adj(H) n/|g|^2, H the second derivatives
-- of f (Goldman, Curvature formulas for implicit curves and surfaces, 2005)
local function room(form, c, n, size, d)
  local H = {}
  for i = 1, 3 do H[i] = at(form.hessian[i], c) end
  local trace, adjoint = {}, {}
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    trace[i] = H[i][i]
    for l = 1, 3 do
      local p, q = l % 3 + 1, (l + 1) % 3 + 1
      trace[#trace + 1] = -n[i]*H[i][l]*n[l]
      adjoint[#adjoint + 1] = n[i]*n[l]*(H[j][p]*H[k][q] - H[j][q]*H[k][p])
    end
  end
  local mean, product = d*core.sum(trace)/(2*size), d^2*core.sum(adjoint)/size^2
  return 1 + mean - core.sqrt(core.functions.abs(mean^2 - product))
end

-- Coordinates of the foot, named after the contact, and the conditions that determine them
local function declare_foot(system, surface, centre, name)
  local form, frame, prefix = surface.form, surface.frame, name:gsub("[^%w_]", "_")
  if not prefix:find "^%a" then prefix = "foot_" .. prefix end
  local letters, names = form.height and { "u", "v" } or { "u", "v", "w" }, {}
  for i, letter in ipairs(letters) do
    names[i] = ("%s_%s"):format(prefix, letter)
    system:demand_free(names[i])
  end
  local c = { system:coordinates(table.concat(names, " ")) }
  if form.height then c[3] = core.substitute(form.height, { place[1], place[2] }, { c[1], c[2] }) end
  local rest, g = (centre - surface.at - frame:vector(c[1], c[2], c[3])):_in_frame(frame), at(form.gradient, c)
  local size = length_of(g)
  local n = unit(g, size)
  local distance = n[1]*rest[1] + n[2]*rest[2] + n[3]*rest[3]
  local conditions = {}
  if form.height then
    -- the tangents (1, 0, h_x) and (0, 1, h_y); g = (-h_x, -h_y, 1)
    for i = 1, 2 do conditions[i] = rest[i] - g[i]*rest[3] end
  else
    -- across n the rest vanishes, along n the height f/|g| of the foot
    local height = at({ form.f }, c)[1]/size
    for i = 1, 3 do conditions[i] = rest[i] - n[i]*(distance - height) end
  end
  local foot = {}
  for i, letter in ipairs(letters) do
    foot[i] = { coordinate = names[i], constraint = ("%s.%s"):format(name, letter) }
    system:constraint(foot[i].constraint, conditions[i])
  end
  return c, n, size, distance, foot
end

--- Where a sphere that stays on the surface touches it. Declares the coordinates of the contact point and their conditions, called after the contact.
function given_surface.sphere(body, centre, surface, name)
  local system, r = surface.system, body.shape.radius
  local c, n, size, distance, foot = declare_foot(system, surface, centre, name)
  local normal = surface.frame:vector(n[1], n[2], n[3])
  local watch = { expression = room(surface.form, c, n, size, distance), guard = true,
    words = ("the sphere '%s' does not fit into the surface, which is curved as strongly as the sphere"):format(body.name) }
  return { normal = normal, arm = -r*normal, gap = distance - r, watch = watch, foot = foot }
end

return given_surface
