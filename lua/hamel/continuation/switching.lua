-- switching.lua: from a special point of a branch to the branch that starts there.
local corrector = require "hamel.continuation.corrector"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local switching = {}

local AMPLITUDES = { 0.01, 0.02, 0.005, 0.04, 0.0025, 0.001, 0.0004, 0.0001, 0.00004, 0.00001 }

--- The second direction of solutions at a branch point { directions, rows }, orthogonal to the tangent of the branch; nil: there is none.
function switching.second_direction(point, along)
  for _, d in ipairs(corrector.null_directions(point, 2)) do
    local u = table.move(d, 1, #d, 1, {})
    local length = tangent.orthogonal(u, { along })
    if length > 0.5 then
      for i = 1, #u do u[i] = u[i]/length end
      return u
    end
  end
  return nil
end

-- The solution beside a branch point; nil also where the equations hold within their tolerance alone, and are singular
local function beside(problem, at, d, a)
  local point = corrector.beside(problem, at.y, d, a, at.directions)
  return point and point.rounds > 0 and point or nil
end

local function at_branch_point(branch, special)
  local problem, at = branch._problem, special._at
  local d = switching.second_direction(at, at.tangent)
  if not d then fail("switch: no second direction at this point") end
  for _, a in ipairs(AMPLITUDES) do
    local one, other = beside(problem, at, d, a), beside(problem, at, d, -a)
    if one and other then return problem, one, other end
    if one or other then return problem, one or other end
  end
  fail("switch: no second branch within amplitude %g", AMPLITUDES[4])
end

--- How far a doubled motion is from having the simple period, with a sign that goes on along the branch: it passes zero at a flip of the simple motions.
--- problem.simple: that of these; nil for motions that are not doubled.
function switching.halving(problem, point)
  local simple, before = problem.simple, point.before or {}
  if not simple then return nil end
  local half = simple:half(point.y)
  point.half_directions = simple:directions(half, before.half_directions)
  local gap, same = simple:equations(half, point.half_directions), 0
  for i, value in ipairs(gap) do same = same + value*(before.half_gap and before.half_gap[i] or value) end
  point.half_gap, point.half_sign = gap, (before.half_sign or 1)*(same < 0 and -1 or 1)
  return point.half_sign*math.sqrt(tangent.dot(gap, gap))
end

--- What there is to say about such a point: the branch ends.
switching.HALVED = "the motions have the simple period again"

-- Does a point of doubled motions have the simple period? Then its first half closes
local function is_simple(problem, y, a)
  local half = problem:half(y)
  for _, gap in ipairs((problem:equations(half, problem:directions(half)))) do if math.abs(gap) > a/100 then return false end end
  return true
end

local function at_flip(branch, special)
  local problem, at = branch._problem, special._at
  local twice, y, u = problem:doubled(at)
  if not u then fail("switch: no second direction at this point") end
  for _, a in ipairs(AMPLITUDES) do
    local start = corrector.beside(twice, y, u, a)
    if start and not is_simple(problem, start.y, a) then return twice, start end
  end
  fail("switch: no motion of twice the period within amplitude %g", AMPLITUDES[4])
end

local from = { branch = at_branch_point, flip = at_flip }

--- The problem and the starts of the branch at a special point.
function switching.start(branch, special, o)
  local start = from[special.kind]
  if not start then fail("switch: nothing branches off here (%s); known are branch, flip, hopf, and with contacts grazing and touch", special.kind) end
  return start(branch, special, o)
end

--- Makes a kind of special points known.
function switching.add(kind, start) from[kind] = start end

switching.AMPLITUDES = AMPLITUDES

return switching
