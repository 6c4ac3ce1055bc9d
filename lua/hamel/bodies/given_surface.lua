-- given_surface.lua: surfaces given by a function: their form in a frame, and how a point or a sphere touches them.
--
-- The surface is f = 0 with f > 0 on the side of the bodies, n = grad f/|grad f|. A sphere of radius r with its centre at C touches the level surface of f
-- through the point s, where C - s = r n(s); where f(s) = 0 it touches the surface itself. No formula gives s; its components are coordinates of
-- the system with C - s = r n(s) as constraints. They have no inertia, so that their multipliers vanish and the motion of the bodies is the same.
-- The gap f(s)/|grad f(s)| is the distance to first order. s is single wherever the sphere fits into the level surfaces, at any height above the
-- surface: those of a graph are the graph, moved up. The foot of the perpendicular from C would not be, beyond the centres of curvature.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local given_surface = {}

local place = {}
for i, name in ipairs{ "surface_x", "surface_y", "surface_z" } do place[i] = core.symbol(name, symbols.EXTERNAL) end

-- The formula that a function of `count` coordinates returns; nothing in it may move
local function formula(system, f, count, what)
  local fine, e = protected(f, table.unpack(place, 1, count))
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

--- Two directions along the surface at a place of a graph, at right angles and of unit length. Other surfaces have none everywhere.
function given_surface.directions(surface, normal)
  local frame = surface.frame
  local n = normal:_in_frame(frame)
  local first = frame:vector(n[3], 0, -n[1])
  first = first/core.sqrt(n[1]^2 + n[3]^2)
  return first, normal:cross(first)
end

-- The smaller of 1 - r/R of the two principal radii R (positive where the surface curves towards the body) at a place with the normal n: by the trace and
-- the determinant of 1 + r W, W the derivative of n along the surface. tr W = (tr H - n.H n)/|g|, det W = n.adj(H) n/|g|^2, H the second derivatives
-- of f (Goldman, Curvature formulas for implicit curves and surfaces, 2005)
local function room(form, c, n, size, r)
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
  local mean, product = r*core.sum(trace)/(2*size), r^2*core.sum(adjoint)/size^2
  return 1 + mean - core.sqrt(core.functions.abs(mean^2 - product))
end

-- Coordinates of the point s, named after the contact, on the surface for a graph: its components in the frame, and { coordinate, constraint } of each
local function declare_place(system, form, name)
  local prefix = name:gsub("[^%w_]", "_")
  if not prefix:find "^%a" then prefix = "foot_" .. prefix end
  local names, foot = {}, {}
  for i, letter in ipairs(form.height and { "u", "v" } or { "u", "v", "w" }) do
    names[i] = ("%s_%s"):format(prefix, letter)
    system:demand_free(names[i])
    foot[i] = { coordinate = names[i], constraint = ("%s.%s"):format(name, letter) }
  end
  local c = { system:coordinates(table.concat(names, " ")) }
  if form.height then c[3] = core.substitute(form.height, { place[1], place[2] }, { c[1], c[2] }) end
  return c, foot
end

--- Where a sphere touches the surface, or would touch it. Declares the coordinates of the contact point and their conditions, called after the contact.
function given_surface.sphere(body, centre, surface, name)
  local system, r, form, frame = surface.system, body.shape.radius, surface.form, surface.frame
  local c, foot = declare_place(system, form, name)
  local rest, g = (centre - surface.at - frame:vector(c[1], c[2], c[3])):_in_frame(frame), at(form.gradient, c)
  local size = length_of(g)
  local n = unit(g, size)
  for i, item in ipairs(foot) do system:constraint(item.constraint, rest[i] - r*n[i]) end
  -- f(s)/|grad f(s)| + n.(C - s - r n), whose derivatives by s vanish where the sphere touches. A graph has f = 0 at c
  local gap = n[1]*rest[1] + n[2]*rest[2] + n[3]*rest[3] - r
  if not form.height then gap = gap + at({ form.f }, c)[1]/size end
  local normal = frame:vector(n[1], n[2], n[3])
  local watch = { expression = room(form, c, n, size, r), guard = true,
    words = ("the sphere '%s' does not fit into the surface, which is curved as strongly as the sphere"):format(body.name) }
  return { normal = normal, arm = -r*normal, gap = gap, watch = watch, foot = foot }
end

return given_surface
