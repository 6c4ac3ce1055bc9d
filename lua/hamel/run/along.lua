-- along.lua: an expression along a run, between the stored states by the dense output: its values, its corners, its integral.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"

local fail = object.fail
local along = {}

--- Raises unless the run kept its steps and their dense output.
function along.demand_steps(run, what)
  if not states.kept_steps(run) or not run.options.dense then
    fail("'%s' of a whole run needs its steps: record = \"steps\", dense = true", tostring(what))
  end
end

--- The expression as a function of time on the dense output; its derivative (nil: it contains accelerations or reactions); its program; the times
--- between the steps where it has a corner or a jump of its own
function along.expression(run, what)
  along.demand_steps(run, what)
  local e = run.observer:expression(what)
  local p = run.observer:program{ e }
  local function value(t) return reading.evaluate(run, p, t, (reading.state_at(run, t)))[1] end
  local turns = {}
  for _, corner in ipairs(pieces.of{ e }) do
    if not core.number_value(corner.g) then
      local roots = run:roots(corner.g)
      table.move(roots, 1, #roots, #turns + 1, turns)
    end
  end
  return value, not p.needs_dynamics and core.dt(e), p, turns
end

--- Calls call(t, value) over the stored states, both sides of jumps included
function along.states(run, p, call) reading.visit(run, {}, p, function(_, t, values) call(t, values[1]) end) end

-- Lobatto's five points on (a, b): the ends, whose values are given, and three between
local INNER = math.sqrt(3/7)
local function lobatto(value, a, b, at_a, at_b)
  local middle, half = (a + b)/2, (b - a)/2
  return half*((at_a + at_b)/10 + 49/90*(value(middle - INNER*half) + value(middle + INNER*half)) + 32/45*value(middle))
end

local CLOSE, DEEPEST, MOST_HALVINGS = 1e-12, 30, 4096

-- The integral between two times, halved until its halves agree with the whole; nil, and where it does not settle. The size of the values grows with
-- those met: within a step they may be far larger than at its ends
local function halved(value, a, b, at_a, at_b, whole, size, depth)
  local middle = (a + b)/2
  local between = value(middle)
  size[1], size.halvings = math.max(size[1], math.abs(between)), size.halvings + 1
  local left, right = lobatto(value, a, middle, at_a, between), lobatto(value, middle, b, between, at_b)
  if depth == 0 or not (math.abs(left + right - whole) > CLOSE*size[1]*math.abs(b - a)) then return left + right end
  if size.halvings > MOST_HALVINGS then return nil, middle end
  local first, where = halved(value, a, middle, at_a, between, left, size, depth - 1)
  if not first then return nil, where end
  local second
  second, where = halved(value, middle, b, between, at_b, right, size, depth - 1)
  return second and first + second, where
end

--- The integral of value(t) between two points { t, value }; nil, and a time near which it does not settle. size: { of the values }, to which the
--- accuracy is relative; it grows.
function along.integral(value, from, to, size)
  local a, b = from[1], to[1]
  if a == b then return 0.0 end
  size.halvings = 0
  return halved(value, a, b, from[2], to[2], lobatto(value, a, b, from[2], to[2]), size, DEEPEST)
end

--- Stored times and values, with the turns between them
function along.points(run, value, p, turns)
  local direction, points, k = run.span[2] < run.span[1] and -1 or 1, {}, 1
  table.sort(turns, function(a, b) return direction*a < direction*b end)
  along.states(run, p, function(t, v)
    while turns[k] and direction*(turns[k] - t) < 0 do
      if points[1] and turns[k] ~= points[#points][1] then points[#points + 1] = { turns[k], value(turns[k]) } end
      k = k + 1
    end
    points[#points + 1] = { t, v }
  end)
  return points
end

return along
