-- switching.lua: from a special point of a branch to the branch that starts there.
local arclength = require "hamel.continuation.arclength"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local switching = {}

local AMPLITUDES = { 0.01, 0.02, 0.005, 0.04, 0.0025, 0.001 }

-- The second direction of solutions at a branch point, orthogonal to the branch
local function second_direction(point)
  for _, d in ipairs(arclength.null_directions(point, 2)) do
    local u = table.move(d, 1, #d, 1, {})
    local length = tangent.orthogonal(u, { point.tangent })
    if length > 0.5 then
      for i = 1, #u do u[i] = u[i]/length end
      return u
    end
  end
  return nil
end

local function at_branch_point(branch, special)
  local problem, at = branch._problem, special._at
  local d = second_direction(at)
  if not d then fail("switch: no second direction at this point") end
  for _, a in ipairs(AMPLITUDES) do
    local one = arclength.beside(problem, at.y, d, a, at.directions)
    local other = arclength.beside(problem, at.y, d, -a, at.directions)
    if one and other then return problem, one, other end
    if one or other then return problem, one or other end
  end
  fail("switch: no second branch within amplitude %g", AMPLITUDES[4])
end

local from = { branch = at_branch_point }

--- The problem and the starts of the branch at a special point.
function switching.start(branch, special, o)
  local start = from[special.kind] or fail("switch: nothing branches off at a %s; known are branch, flip and hopf", special.kind)
  return start(branch, special, o)
end

--- Makes a kind of special points known.
function switching.add(kind, start) from[kind] = start end

switching.AMPLITUDES = AMPLITUDES

return switching
