-- dirichlet.lua: the theorem of Lagrange and Dirichlet: an equilibrium is stable where the energy is constant and has a strict minimum.
--
-- The energy h = sum of v dL/dv, minus L: it is constant where L does not contain the time, the forces do no work, and the constraints are
-- ideal, free of time and homogeneous in the velocities. Coordinates on which nothing depends may run on. Pars, A Treatise on Analytical
-- Dynamics (1965), 9.5, of constraints too.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local vanishing = require "hamel.algebra.vanishing"

local dirichlet = {}

-- a positive number, known to be one in spite of rounding, of a matrix of ones on its diagonal
local LEAST = 1e-8
-- relative error that every coordinate and parameter may have
local DOUBT = 1e-9

local vanishes = vanishing.proved

local function constraints_do_no_work(system, E)
  for _, c in ipairs(system.constraints) do if not (c.linear and c.catastatic) then return false end end
  for _, p in ipairs(E.positions) do if #tangent.timed{ p.f } > 0 or pieces.any(p.f) then return false end end
  for _, c in ipairs(E.velocities) do if pieces.any(c.f) then return false end end
  return true
end

local function forces_do_no_work(system, E, parameters, parameter_values)
  local terms, inputs, values = {}, {}, {}
  for i, symbol in ipairs(parameters) do
    if object.contains(system._inputs, core.text(symbol)) then inputs[#inputs + 1], values[#values + 1] = symbol, parameter_values[i] end
  end
  for s, Q in ipairs(system:generalised_forces(true)) do
    for _, symbol in ipairs(core.symbols{ Q }) do if system._lambda and system._lambda.name[symbol] then return false end end
    terms[s] = core.substitute(Q, inputs, values)*E.dyn[s]
  end
  return vanishes(core.sum(terms))
end

-- The energy at rest as a function of the coordinates
local function energy_at_rest(E, L) return -vanishing.without(L, E.dyn) end

-- Is the symmetric form positive on the directions? Both scaled to ones on the diagonal
local function positive(form, directions)
  local m, n, list, scale = #directions, #form, {}, {}
  local reduced = {}
  for a, u in ipairs(directions) do
    reduced[a] = {}
    for b, v in ipairs(directions) do
      local sum = 0.0
      for i = 1, n do for j = 1, n do sum = sum + u[i]*form[i][j]*v[j] end end
      reduced[a][b] = sum
    end
    if not (reduced[a][a] > 0) then return false end
    scale[a] = math.sqrt(reduced[a][a])
  end
  for a = 1, m do for b = 1, m do list[#list + 1] = (reduced[a][b] + reduced[b][a])/(2*scale[a]*scale[b]) end end
  if m == 0 then return true end
  local values = core.eigen(m, list)
  for k = 1, m do if not (values[2*k - 1] > LEAST) then return false end end
  return true
end

local function square(flat, n, first)
  local rows = {}
  for i = 1, n do rows[i] = table.move(flat, first + (i - 1)*n + 1, first + i*n, 1, {}) end
  return rows
end

-- Multipliers that make the gradient of the energy at rest a combination of the rows; nil where that misses by more than the tolerance
local function multipliers_of(gradient, rows, tolerance)
  local n, m, flat = #gradient, #rows, {}
  for i = 1, n do for k = 1, m do flat[#flat + 1] = rows[k][i] end end
  local lambda, size = m > 0 and core.least_squares(n, m, flat, gradient, 1e-12) or {}, 1
  for i = 1, n do size = math.max(size, math.abs(gradient[i])) end
  for i = 1, n do
    local left = gradient[i]
    for k = 1, m do left = left - lambda[k]*rows[k][i] end
    if not (math.abs(left) <= tolerance*size) then return nil end
  end
  return lambda
end

-- Expressions whose values decide: gradient and second derivatives of the energy at rest and of every position by the kept coordinates, rows of
-- the constraints by the velocities, the inertia
local function deciding(E, U, L, kept, velocity_rows)
  local list, m, n = {}, #kept, #E.dyn
  local function add(f)
    local gradient = core.gradient(f, kept)
    table.move(gradient, 1, m, #list + 1, list)
    for i = 1, m do table.move(core.gradient(gradient[i], kept), 1, m, #list + 1, list) end
  end
  add(U)
  for _, p in ipairs(E.positions) do add(p.f) end
  for _, c in ipairs(velocity_rows) do table.move(c.row, 1, n, #list + 1, list) end
  for _, p in ipairs(core.gradient(L, E.dyn)) do table.move(core.gradient(p, E.dyn), 1, n, #list + 1, list) end
  return list
end

-- Is the energy at a minimum, by the values of these expressions?
local function minimum(values, m, n, positions, velocities, tolerance)
  local block, rows, velocity_rows = m + m*m, {}, {}
  for k = 1, positions do rows[k] = table.move(values, k*block + 1, k*block + m, 1, {}) end
  local lambda = multipliers_of(table.move(values, 1, m, 1, {}), rows, tolerance)
  if not lambda then return false end
  local form = square(values, m, m)
  for k, factor in ipairs(lambda) do
    local second = square(values, m, k*block + m)
    for i = 1, m do for j = 1, m do form[i][j] = form[i][j] - factor*second[i][j] end end
  end
  local first = (1 + positions)*block
  for k = 1, velocities do velocity_rows[k] = table.move(values, first + (k - 1)*n + 1, first + k*n, 1, {}) end
  return positive(form, tangent.basis(rows, m)) and positive(square(values, n, first + velocities*n), tangent.basis(velocity_rows, n))
end

--- Does the theorem prove that the state of rest x is stable? E: Lagrange's equations, x: their state, parameters: symbols and values,
--- ignorable: by index, true for omitted coordinates. The minimum must not depend on the last digits of a coordinate or a parameter.
--- False: not proved.
function dirichlet.proves(system, E, parameters, parameter_values, t, x, ignorable)
  if E.base then return false end      -- the rates of rotations are no velocities of coordinates
  local n, L = #E.kin, system:lagrangian()
  for i = n + 1, 2*n do if math.abs(x[i]) > 1e-12 then return false end end
  if #tangent.timed{ L } > 0 or pieces.any(L) or not constraints_do_no_work(system, E)
    or not forces_do_no_work(system, E, parameters, parameter_values) then return false end
  local kept, inputs = {}, { symbols.t }
  for i, q in ipairs(E.kin) do
    if not ignorable[i] then kept[#kept + 1] = q elseif not vanishes(core.diff(L, q)) then return false end
  end
  for _, list in ipairs{ E.kin, E.dyn, parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  -- where coordinates run on, the inertia bounds all velocities, wherever they are
  local velocity_rows = next(ignorable) and {} or E.velocities
  local program = core.program(inputs, deciding(E, energy_at_rest(E, L), L, kept, velocity_rows))
  local input = table.move(parameter_values, 1, #parameter_values, 2*n + 2, table.move(x, 1, 2*n, 2, { t }))
  local function is_minimum(tolerance) return minimum(program:eval(input), #kept, n, #E.positions, #velocity_rows, tolerance) end
  if not is_minimum(1e-7) then return false end
  for i, value in ipairs(input) do
    for _, side in ipairs(value ~= 0 and { -1, 1 } or {}) do
      input[i] = value*(1 + side*DOUBT)
      if not is_minimum(math.huge) then return false end
    end
    input[i] = value
  end
  return true
end

return dirichlet
