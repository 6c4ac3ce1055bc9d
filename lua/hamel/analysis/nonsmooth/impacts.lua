-- impacts.lua: the map of velocities at an impact and its exact derivatives.
--
-- M (v+ - v-) = J^T P + A^T L,  J v+ + g_t = -e (J v- + g_t),  A v+ + a = 0 (A v- + a = 0 before). Newton's law at one gap without friction; Poisson's and
-- Moreau's laws are the same there.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
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
  local function solved(flat, side)
    local s = core.least_squares(count, count, flat, side, 1e-13)
    return s
  end
  return function(t, x)
    local zeros = {}
    for i = 1, count do zeros[i] = 0.0 end
    -- the equations are linear in the unknowns
    local input = input_of(t, x, zeros)
    local flat, side = matrix:eval(input), values:eval(input)
    for i, value in ipairs(side) do side[i] = -value end
    local z = solved(flat, side)
    input = input_of(t, x, z)
    local after, approaching, along = table.move(x, 1, #x, 1, {}), approach:eval(input), slopes:eval(input)
    for i = 1, m do after[n + i] = z[i] end
    local function carried(d, dt)
      local rest, out = {}, table.move(d, 1, #d, 1, {})
      for i = 1, count do
        local sum, place = along[(i - 1)*(1 + n + m) + 1]*dt, (i - 1)*(1 + n + m) + 1
        for k = 1, n + m do sum = sum + along[place + k]*d[k] end
        rest[i] = -sum
      end
      local change = solved(flat, rest)
      for i = 1, m do out[n + i] = change[i] end
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
