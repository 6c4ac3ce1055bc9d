-- inertia.lua: matrices of inertia as they are declared.
local constant = require "hamel.bodies.constant"
local core = require "hamel.core"
local object = require "hamel.base.object"
local shape = require "hamel.bodies.shape"

local fail = object.fail
local inertia = {}

local ZERO = core.rational(0)

local function entry(system, value, body, name) return constant(system, value, ("body '%s': inertia %s"):format(body, name)) end

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

local ROUNDING = 1e-7                  -- of the largest moment: equal principal moments come out to half of the digits

-- Principal moments in order of their size, by the trigonometric solution of the cubic (Smith 1961)
local function principal(J)
  local mean = (J[1][1] + J[2][2] + J[3][3])/3
  local off = J[1][2]^2 + J[1][3]^2 + J[2][3]^2
  local p = math.sqrt(((J[1][1] - mean)^2 + (J[2][2] - mean)^2 + (J[3][3] - mean)^2 + 2*off)/6)
  if p <= 1e-15*math.abs(mean) then return { mean, mean, mean } end
  local B = {}
  for i = 1, 3 do
    B[i] = {}
    for k = 1, 3 do B[i][k] = (J[i][k] - (i == k and mean or 0))/p end
  end
  local half = (B[1][1]*(B[2][2]*B[3][3] - B[2][3]^2) - B[1][2]*(B[1][2]*B[3][3] - B[2][3]*B[1][3]) + B[1][3]*(B[1][2]*B[2][3] - B[2][2]*B[1][3]))/2
  local angle = math.acos(math.max(-1, math.min(1, half)))/3
  local large, small = mean + 2*p*math.cos(angle), mean + 2*p*math.cos(angle + 2*math.pi/3)
  return { small, 3*mean - large - small, large }
end

-- The values of a matrix of expressions; nil where a symbol in it has none
local function numbers(J, symbols_of, values)
  local known, N = {}, {}
  for _, s in ipairs(symbols_of) do known[s] = true end
  for i = 1, 3 do
    N[i] = {}
    for k = 1, 3 do
      for _, s in ipairs(core.symbols{ J[i][k] }) do if not known[s] then return nil end end
      N[i][k] = core.number_value(J[i][k]) or core.value(J[i][k], symbols_of, values)
    end
  end
  return N
end

--- Raises where the matrix about the mass centre belongs to no mass distribution at these values: a principal moment is negative, or larger than the
--- sum of the others. Does nothing where a parameter has no value yet.
function inertia.check(J, body, symbols_of, values)
  local N = numbers(J, symbols_of, values)
  if not N then return end
  local diagonal = N[1][2] == 0 and N[1][3] == 0 and N[2][3] == 0
  local m = diagonal and { N[1][1], N[2][2], N[3][3] } or principal(N)
  table.sort(m)
  local list = ("%s %.6g, %.6g, %.6g"):format(diagonal and "moments" or "principal moments", diagonal and N[1][1] or m[1], diagonal and N[2][2] or m[2],
    diagonal and N[3][3] or m[3])
  if m[1] < -ROUNDING*math.abs(m[3]) then fail("body '%s': %s about the mass centre: a moment of inertia is not negative", body, list) end
  if m[3] > (m[1] + m[2]) + ROUNDING*m[3] then
    fail("body '%s': %s break the triangle inequality: no mass distribution has %.6g > %.6g", body, list, m[3], m[1] + m[2])
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
  return type(given[1]) == "table" and from_rows(system, given, body) or from_moments(system, given, body)
end

--- J w, by components.
function inertia.times(J, w)
  local h = {}
  for i = 1, 3 do h[i] = J[i][1]*w[1] + J[i][2]*w[2] + J[i][3]*w[3] end
  return h
end

--- The kinetic energy w.J w/2 of the angular velocity w, by components: as squares and products of these, each of which stays one value.
function inertia.energy(J, w)
  local sum = {}
  for i = 1, 3 do
    sum[#sum + 1] = J[i][i]/2*w[i]^2
    for j = 1, i - 1 do sum[#sum + 1] = J[i][j]*(w[i]*w[j]) end
  end
  return core.sum(sum)
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
