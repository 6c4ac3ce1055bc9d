-- impacts.lua: the map of velocities at an impact and its exact derivatives.
--
-- M (v+ - v-) = J^T P + A^T L,  J v+ + g_t = -e (J v- + g_t),  A v+ + a = 0 (A v- + a = 0 before). Newton's law at one gap without friction; Poisson's and
-- Moreau's laws are the same there.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local impacts = {}

local function named_symbols(letter, n)
  local list = {}
  for i = 1, n do list[i] = core.symbol(("%s%d"):format(letter, i), symbols.EXTERNAL) end
  return list
end

-- The equations of the impact: left sides, unknowns (velocities after, impulses), the gap's velocity before
local function equations_of(E, gap)
  local n, v, q = #E.dyn, E.dyn, E.kin
  local after, P, L = named_symbols("after", n), named_symbols("impulse", 1)[1], named_symbols("held", #E.A)
  -- the rate of the gap, in velocities that need not be the rates of the coordinates
  local terms = { core.diff(gap.gap, symbols.t) }
  for j = 1, #q do terms[j + 1] = core.diff(gap.gap, q[j])*E.k[j] end
  local before = core.sum(terms)
  local J = core.gradient(before, v)
  local list = {}
  for i = 1, n do
    terms = { -(J[i]*P) }
    for k = 1, n do terms[#terms + 1] = E.M[i][k]*(after[k] - v[k]) end
    for k, row in ipairs(E.A) do terms[#terms + 1] = -(row[i]*L[k]) end
    list[i] = core.sum(terms)
  end
  list[n + 1] = kinematics.dot(J, after) + (before - kinematics.dot(J, v)) + core.number(gap.law.restitution or 0)*before
  for _, row in ipairs(E.A) do
    terms = {}
    for k = 1, n do terms[k] = row[k]*(after[k] - v[k]) end
    list[#list + 1] = core.sum(terms)
  end
  local unknowns = table.move(after, 1, n, 1, {})
  unknowns[n + 1] = P
  table.move(L, 1, #L, n + 2, unknowns)
  return list, unknowns, before
end

local SCALINGS = 10

-- A matrix in units of its rows and columns in which the largest entry of each is 1 nearly, and these units: masses of very different size make no small pivots
local function in_own_units(n, flat)
  local scaled, rows, columns = table.move(flat, 1, n*n, 1, {}), {}, {}
  for i = 1, n do rows[i], columns[i] = 1, 1 end
  for _ = 1, SCALINGS do
    for i = 1, n do
      local of_row, of_column = 0, 0
      for k = 1, n do
        of_row = math.max(of_row, math.abs(flat[(i - 1)*n + k])*columns[k]*rows[i])
        of_column = math.max(of_column, math.abs(flat[(k - 1)*n + i])*rows[k]*columns[i])
      end
      if of_row > 0 then rows[i] = rows[i]/math.sqrt(of_row) end
      if of_column > 0 then columns[i] = columns[i]/math.sqrt(of_column) end
    end
  end
  for i = 1, n do for k = 1, n do scaled[(i - 1)*n + k] = flat[(i - 1)*n + k]*rows[i]*columns[k] end end
  return scaled, rows, columns
end

-- Constraints that depend on each other leave their impulses open, and determine the velocities
local function solved(n, flat, side)
  local scaled, rows, columns = in_own_units(n, flat)
  local right = {}
  for i = 1, n do right[i] = side[i]*rows[i] end
  local s = core.solve(n, scaled, right) or core.least_squares(n, n, scaled, right, 1e-13)
  for k = 1, n do s[k] = s[k]*columns[k] end
  return s
end

local UNIT = 2^-52

-- Numbers as other roundings might leave them: two of them with signs that differ
local function rounded_otherwise(list, sizes)
  local out = {}
  for i, value in ipairs(list) do out[i] = value + ((i*7)%5 < 2 and UNIT or -UNIT)*(sizes and sizes[i] or value) end
  return out
end

local LOST = 1e-6                      -- of the largest component of a direction: what rounding may change in it

--- The impact at a gap on the equations E (of a lifted flow; see parametric.lua): a function of (t, x) that returns the state after, a function of
--- (direction, change of time) that returns the direction after, the velocity of approach, and what this changes by with (direction, change of time).
function impacts.new(flow, gap)
  local E, n, m = flow.E, #flow.E.kin, #flow.E.dyn
  local list, unknowns, before = equations_of(E, gap)
  local inputs = { symbols.t }
  for _, part in ipairs{ E.kin, E.dyn, unknowns, flow.observer.parameters } do table.move(part, 1, #part, #inputs + 1, inputs) end
  local known = { symbols.t }
  for _, part in ipairs{ E.kin, E.dyn } do table.move(part, 1, #part, #known + 1, known) end
  local by_unknowns, by_known = {}, {}
  for _, e in ipairs(list) do
    table.move(core.gradient(e, unknowns), 1, #unknowns, #by_unknowns + 1, by_unknowns)
    table.move(core.gradient(e, known), 1, #known, #by_known + 1, by_known)
  end
  local values, matrix, slopes = core.program(inputs, list), core.program(inputs, by_unknowns), core.program(inputs, by_known)
  local approach = core.program(inputs, { before, table.unpack(core.gradient(before, known)) })
  local count = #unknowns
  local function input_of(t, x, unknown)
    local input = table.move(x, 1, n + m, 2, { t })
    table.move(unknown, 1, count, #input + 1, input)
    return table.move(flow.observer.values, 1, #flow.observer.values, #input + 1, input)
  end
  return function(t, x)
    local zeros = {}
    for i = 1, count do zeros[i] = 0.0 end
    -- the equations are linear in the unknowns
    local input = input_of(t, x, zeros)
    local flat, side = matrix:eval(input), values:eval(input)
    for i, value in ipairs(side) do side[i] = -value end
    local z = solved(count, flat, side)
    input = input_of(t, x, z)
    local after, approaching, along = table.move(x, 1, #x, 1, {}), approach:eval(input), slopes:eval(input)
    for i = 1, m do after[n + i] = z[i] end
    local function carried(d, dt)
      local rest, sizes, out = {}, {}, table.move(d, 1, #d, 1, {})
      for i = 1, count do
        local sum, place = along[(i - 1)*(1 + n + m) + 1]*dt, (i - 1)*(1 + n + m) + 1
        sizes[i] = math.abs(sum)
        for k = 1, n + m do
          sum = sum + along[place + k]*d[k]
          sizes[i] = sizes[i] + math.abs(along[place + k]*d[k])
        end
        rest[i] = -sum
      end
      local change, other = solved(count, flat, rest), solved(count, rounded_otherwise(flat), rounded_otherwise(rest, sizes))
      local largest, off = 0, 0
      for i = 1, m do
        out[n + i] = change[i]
        largest, off = math.max(largest, math.abs(change[i])), math.max(off, math.abs(change[i] - other[i]))
      end
      for i = 1, n do largest = math.max(largest, math.abs(d[i])) end
      if off > LOST*largest then
        object.fail("%s: rounding leaves directions after the impact at '%s' at t = %.9g uncertain by %.1g of the largest: masses or lengths differ by many "
          .. "orders of magnitude", flow.what, gap.name, t, off/largest)
      end
      return out
    end
    local function quicker(d, dt)
      local sum = approaching[2]*dt
      for k = 1, n + m do sum = sum + approaching[2 + k]*d[k] end
      return -sum
    end
    return after, carried, -approaching[1], quicker
  end
end

return impacts
