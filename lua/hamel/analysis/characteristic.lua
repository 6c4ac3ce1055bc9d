-- characteristic.lua: the first approximation in symbols: matrices, characteristic polynomial, conditions of Routh and Hurwitz.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local Matrix = require "hamel.algebra.matrix"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local tangent = require "hamel.analysis.tangent"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local Characteristic = object.class "Characteristic"
local characteristic = {}

-- ---- the state

local function value_of(system, given, name, what, default)
  local value = given[name]
  if value == nil then return default end
  return system:check_expression(value, ("linearize: %s.%s"):format(what, name), 0)
end

local function demand_names(system, given, what)
  for name in pairs(given) do
    if not system._coordinate[name] then
      fail("linearize: %s.%s: '%s' is not a coordinate of %s%s", what, tostring(name), tostring(name), system.name,
        object.hint(tostring(name), system.coordinate_names))
    end
  end
end

-- Symbols of the state and the expressions that take their place: coordinates that are not given stay, velocities not given are zero
local function state_of(system, E, o)
  local q, v, from, to = system:by_name(o.q or {}, "q"), system:by_name(o.v or {}, "v"), {}, {}
  demand_names(system, q, "q")
  demand_names(system, v, "v")
  for i, name in ipairs(system.coordinate_names) do
    from[i], to[i] = E.kin[i], value_of(system, q, name, "q", E.kin[i])
  end
  if not E.from_velocities then
    for s, name in ipairs(system.coordinate_names) do from[#from + 1], to[#to + 1] = E.dyn[s], value_of(system, v, name, "v", core.rational(0)) end
    return from, to
  end
  local velocities, values, n = {}, {}, #E.kin
  for i, name in ipairs(system.coordinate_names) do velocities[i], values[i] = E.kin[i].dot, value_of(system, v, name, "v", core.rational(0)) end
  for s, u in ipairs(E.dyn) do
    from[n + s] = u
    to[n + s] = core.substitute(core.substitute(E.from_velocities[s], velocities, values), E.kin, table.move(to, 1, n, 1, {}))
  end
  return from, to
end

-- What must vanish for the state to be steady; raises where it is known not to
local function steadiness(list, at)
  local left = {}
  for _, item in ipairs(list) do
    local e = at(item[1]):simplify()
    if e:is_zero() ~= true then
      if core.number_value(e) or core.known_positive(e) or core.known_positive(-e) then
        fail("linearize: the state is not steady: the rate of %s is proportional to %s", item[2], core.text(e))
      end
      left[#left + 1] = e
    end
  end
  return left
end

-- What must vanish for the velocities given to keep the constraints; raises where it is known not to
local function violations(system, o)
  if #system.constraints == 0 then return {} end
  local q, v, from, to, left = system:by_name(o.q or {}, "q"), system:by_name(o.v or {}, "v"), {}, {}, {}
  local base = system:equations "lagrange"
  for i, name in ipairs(system.coordinate_names) do
    local x = base.kin[i]
    from[#from + 1], to[#to + 1] = x.dot, value_of(system, v, name, "v", core.rational(0))
    from[#from + 1], to[#to + 1] = x, value_of(system, q, name, "q", x)
  end
  for _, c in ipairs(base.velocities) do
    local e = core.substitute(c.f, from, to):simplify()
    if e:is_zero() ~= true then
      if core.number_value(e) or core.known_positive(e) or core.known_positive(-e) then
        fail("linearize: the state violates the constraint '%s': it is %s there, not 0; give v that keeps it (velocities not given are zero)",
          c.name, core.text(e))
      end
      left[#left + 1] = e
    end
  end
  return left
end

-- ---- the polynomial

-- Coefficients of a polynomial in s, the constant one first
local function coefficients(e, s, degree)
  local list, factorial = {}, 1
  for k = 0, degree do
    if k > 0 then e, factorial = core.diff(e, s), factorial*k end
    list[k + 1] = (core.substitute(e, { s }, { 0 })/factorial):simplify()
  end
  return list
end

local is_zero = vanishing.proved

-- Without the roots at zero, and with how many these are
local function without_zero_roots(list)
  local zeros = 0
  while zeros < #list - 1 and is_zero(list[zeros + 1]) do zeros = zeros + 1 end
  return table.move(list, zeros + 1, #list, 1, {}), zeros
end

local function is_even(list)
  for k = 2, #list, 2 do if not is_zero(list[k]) then return false end end
  return #list > 2 and #list % 2 == 1
end

-- Of an even polynomial f(s^2), f(s^2) + s f'(s^2): it is Hurwitz where the roots of f are negative and simple (Hermite and Biehler)
local function with_odd_part(list)
  local out = table.move(list, 1, #list, 1, {})
  for k = 3, #list, 2 do out[k - 1] = list[k]*((k - 1)//2) end
  return out
end

-- Hurwitz' determinants of coefficients from the constant one on, with the leading coefficient in front
local function hurwitz(list)
  local n, out = #list - 1, { list[#list] }
  local function a(k) return list[n - k + 1] or core.rational(0) end
  for size = 1, n do
    local rows = {}
    for i = 1, size do
      rows[i] = {}
      for j = 1, size do
        local k = 2*j - i
        rows[i][j] = k >= 0 and k <= n and a(k) or core.rational(0)
      end
    end
    out[size + 1] = Matrix.new(rows):determinant():simplify()
  end
  return out
end

-- ---- matrices

local function derivatives(list, xs, at)
  local rows = {}
  for i, e in ipairs(list) do
    rows[i] = {}
    for j, x in ipairs(xs) do rows[i][j] = at(core.diff(e, x)):simplify() end
  end
  return rows
end

-- s - d(rates): rows of the coordinates kept, then of M u' = r
local function pencil(s, parts)
  local m, n, rows = #parts.kq, #parts.M, {}
  for i = 1, m do
    rows[i] = {}
    for j = 1, m do rows[i][j] = (i == j and s or 0) - parts.kq[i][j] end
    for j = 1, n do rows[i][m + j] = -parts.ku[i][j] end
  end
  for i = 1, n do
    rows[m + i] = {}
    for j = 1, m do rows[m + i][j] = -parts.rq[i][j] end
    for j = 1, n do rows[m + i][m + j] = s*parts.M[i][j] - parts.ru[i][j] end
  end
  return Matrix.new(rows)
end

local function halves(matrix)
  local transposed = matrix:transpose()
  return ((matrix + transposed)/2):simplify(), ((matrix - transposed)/2):simplify()
end

local function demand_analytic(system, E)
  local list = tangent.expressions(E, {})
  if #system:external_forces() > 0 then fail("linearize: forces that are Lua functions have no derivatives; give them as expressions") end
  if contact.any(system) then
    fail("linearize: symbolic = true is for systems without one-sided constraints and friction; %s has %s", system.name, contact.described(system))
  end
  if #tangent.timed(list) > 0 then fail("linearize: the equations depend on time: no first approximation in symbols") end
  for _, e in ipairs(list) do
    if pieces.any(e) then fail("linearize: the equations have corners (%s): symbolic = true requires smooth ones", core.text(e)) end
  end
end

--- The first approximation of the equations E about the state in o, in symbols: see S:linearize.
function characteristic.new(system, E, o)
  if #E.multipliers > 0 or #E.positions > 0 then
    fail("linearize: symbolic = true requires equations without multipliers: take independent coordinates, or form = \"maggi\" for nonholonomic constraints")
  end
  demand_analytic(system, E)
  local from, to = state_of(system, E, o)
  local inputs = {}
  -- inputs are deviations from their functions
  for i, name in ipairs(system._inputs) do inputs[i], from[#from + 1], to[#to + 1] = system:symbol(name), system:symbol(name), core.rational(0) end
  local function at(e) return core.substitute(e, from, to) end
  local ignorable, q, k, rates, free = tangent.ignorable_coordinates(E), {}, {}, {}, {}
  for j, x in ipairs(E.kin) do
    if ignorable[j] then free[#free + 1] = core.text(x)
    else q[#q + 1], k[#k + 1], rates[#rates + 1] = x, E.k[j], { E.k[j], core.text(x) } end
  end
  for i, r in ipairs(E.r) do rates[#rates + 1] = { r, core.text(E.dyn[i]) } end
  local parts = { kq = derivatives(k, q, at), ku = derivatives(k, E.dyn, at), rq = derivatives(E.r, q, at), ru = derivatives(E.r, E.dyn, at), M = {} }
  for i, row in ipairs(E.M) do
    parts.M[i] = {}
    for j, e in ipairs(row) do parts.M[i][j] = at(e):simplify() end
  end
  if #parts.M > 0 and is_zero(Matrix.new(parts.M):determinant()) then
    fail("linearize: some motion has no inertia there: the mass matrix is singular at this state, so that there is no first "
      .. "approximation; take other coordinates")
  end
  local s = core.symbol(naming.free(system, { "s", "sigma", "root" }, { "" })[1], 0)
  local polynomial, zeros = without_zero_roots(coefficients(pencil(s, parts):determinant(), s, #q + #E.dyn))
  local even = is_even(polynomial)
  local steady_if = violations(system, o)
  for _, e in ipairs(steadiness(rates, at)) do if not object.contains(steady_if, e) then steady_if[#steady_if + 1] = e end end
  local result = { steady_if = steady_if, polynomial = polynomial, zero_roots = zeros, even = even, symbol = s, ignorable = free,
                   hurwitz = hurwitz(even and with_odd_part(polynomial) or polynomial), M = Matrix.new(parts.M), _title = system.name }
  if #inputs > 0 then result.B, result.inputs = Matrix.new(derivatives(E.r, inputs, at)), table.move(system._inputs, 1, #inputs, 1, {}) end
  if not E.from_velocities then
    local whole = derivatives(E.r, E.kin, at)
    result.D, result.G = halves(-Matrix.new(parts.ru))
    result.K, result.N = halves(-Matrix.new(whole))
  end
  return setmetatable(result, Characteristic.meta)
end

local function lines_of(out, title, list)
  if #list == 0 then return end
  out[#out + 1] = title
  for _, e in ipairs(list) do out[#out + 1] = "    " .. core.text(e) end
end

-- The conditions that the signs of the parameters leave open, each once; nil where one of them is never met
local function open_conditions(list)
  local left = {}
  for _, e in ipairs(list) do
    if core.known_positive(-e) then return nil end
    if not core.known_positive(e) and not object.contains(left, e) then left[#left + 1] = e end
  end
  return left
end

local function stability_lines(self, out)
  if #self.hurwitz == 0 then return end
  local claim = self.even and "oscillates" or "roots not at zero have negative real parts"
  local left = open_conditions(self.hurwitz)
  if not left then out[#out + 1] = ("  for no values of the parameters: %s"):format(claim)
  elseif #left == 0 then out[#out + 1] = ("  %s for all values of the parameters"):format(claim)
  else lines_of(out, ("  %s where these are positive:"):format(claim), left) end
end

function Characteristic.meta.__tostring(self)
  local out, terms = { self._title .. ": first approximation in symbols" }, {}
  lines_of(out, "  steady where these vanish:", self.steady_if)
  for _, name in ipairs{ "M", "D", "G", "K", "N", "B" } do
    local matrix = rawget(self, name)
    if matrix then out[#out + 1] = ("  %s = %s"):format(name, (tostring(matrix):gsub("\n", "\n      "))) end
  end
  for k, e in ipairs(self.polynomial) do terms[k] = e*self.symbol^(k - 1 + self.zero_roots) end
  out[#out + 1] = "  characteristic polynomial: " .. core.text(core.sum(terms))
  stability_lines(self, out)
  if #self.ignorable > 0 then out[#out + 1] = "  left out, since nothing depends on them: " .. table.concat(self.ignorable, ", ") end
  return table.concat(out, "\n")
end

return characteristic
