-- inertia.lua: matrices of inertia as they are declared.
local core = require "hamel.core"
local object = require "hamel.base.object"
local shape = require "hamel.bodies.shape"

local fail = object.fail
local inertia = {}

local ZERO = core.rational(0)

local function entry(system, value, body, name) return system:admit(value, ("body '%s': inertia %s"):format(body, name), 0) end

-- Three rows of a symmetric matrix
local function from_rows(system, given, body)
  local J = {}
  for i = 1, 3 do
    if type(given[i]) ~= "table" or #given[i] ~= 3 then fail("body '%s': inertia as a matrix has three rows of three entries", body) end
    J[i] = {}
    for j = 1, 3 do J[i][j] = entry(system, given[i][j], body, ("[%d][%d]"):format(i, j)) end
  end
  for i = 1, 3 do
    for j = 1, i - 1 do
      if (J[i][j] - J[j][i]):is_zero() == false then fail("body '%s': the matrix of inertia is symmetric; [%d][%d] differs from [%d][%d]", body, i, j, j, i) end
    end
  end
  return J
end

local products = { xy = { 1, 2 }, xz = { 1, 3 }, yz = { 2, 3 } }

-- Moments and named products, which are entries of the matrix: xy = - integral of x y dm
local function from_moments(system, given, body)
  if #given ~= 3 then
    fail("body '%s': inertia = {A, B, C} has three moments, with xy =, xz =, yz = where they are not zero; given are %d", body, #given)
  end
  local J = { { ZERO, ZERO, ZERO }, { ZERO, ZERO, ZERO }, { ZERO, ZERO, ZERO } }
  for i = 1, 3 do J[i][i] = entry(system, given[i], body, ("moment %d"):format(i)) end
  for key, value in pairs(given) do
    local place = products[key]
    if place then
      local e = entry(system, value, body, key)
      J[place[1]][place[2]], J[place[2]][place[1]] = e, e
    elseif not math.tointeger(key) then
      fail("body '%s': inertia has no '%s'%s", body, tostring(key), object.hint(tostring(key), object.keys(products)))
    end
  end
  return J
end

-- Moments that are numbers belong to a mass distribution
local function check_numbers(J, body)
  local n = {}
  for i = 1, 3 do n[i] = core.number_value(J[i][i]) end
  if not (n[1] and n[2] and n[3]) then return end
  local list = ("%.6g, %.6g, %.6g"):format(n[1], n[2], n[3])
  for i = 1, 3 do if n[i] < 0 then fail("body '%s': moments %s: a moment of inertia is not negative", body, list) end end
  for i = 1, 3 do
    local others = n[i % 3 + 1] + n[(i + 1) % 3 + 1]
    if n[i] > others*(1 + 1e-12) then
      fail("body '%s': moments %s break the triangle inequality: no mass distribution has %.6g > %.6g", body, list, n[i], others)
    end
  end
end

--- The 3 x 3 matrix of expressions in the body's frame; nil where none is given.
function inertia.read(system, given, body, mass, form)
  if given == nil then return nil end
  if given == "solid" or given == "shell" then
    if not form then fail("body '%s': inertia = \"%s\" is computed from the shape: shape = {\"sphere\", radius = r}", body, given) end
    if core.number_value(mass) == 0 then fail("body '%s': inertia = \"%s\" is computed from the mass: mass = m", body, given) end
    given = shape.moments(form, mass, given, body)
  end
  if type(given) ~= "table" then fail("body '%s': inertia is {A, B, C}, three rows, \"solid\" or \"shell\"; not %s", body, tostring(given)) end
  local J = type(given[1]) == "table" and from_rows(system, given, body) or from_moments(system, given, body)
  check_numbers(J, body)
  return J
end

--- J w, by components.
function inertia.times(J, w)
  local h = {}
  for i = 1, 3 do h[i] = J[i][1]*w[1] + J[i][2]*w[2] + J[i][3]*w[3] end
  return h
end

--- The matrix about a point at rho (components) from the mass centre, moved to the mass centre: J - m (rho.rho I - rho rho^T) (Steiner).
function inertia.to_mass_centre(J, mass, rho)
  local square, M = rho[1]^2 + rho[2]^2 + rho[3]^2, {}
  for i = 1, 3 do
    M[i] = {}
    for j = 1, 3 do M[i][j] = J[i][j] - mass*((i == j and square or ZERO) - rho[i]*rho[j]) end
  end
  return M
end

--- Is the matrix diagonal with equal moments about the two axes other than the i-th?
function inertia.symmetric_about(J, i)
  local j, k = i % 3 + 1, (i + 1) % 3 + 1
  if (J[j][j] - J[k][k]):is_zero() ~= true then return false end
  return core.number_value(J[1][2]) == 0 and core.number_value(J[1][3]) == 0 and core.number_value(J[2][3]) == 0
end

return inertia
