-- mirrors.lua: mirror images of periodic motions: signs of coordinates under which the equations stay the same, alone or with half a period.
--
-- Where the motions on a curve of special points come to one that is its own image, the curve meets that of the points at which the symmetry breaks, and
-- beyond it runs through the images. There the equations are singular by a power of the distance, so that the place follows from points beside it.
local attempt = require "hamel.base.attempt"
local segments = require "hamel.continuation.segments"
local tangent = require "hamel.analysis.tangent"
local whole_records = require "hamel.continuation.whole_records"

local mirrors = {}

local MOST = 6                          -- coordinates, of which all choices of signs are tried
local STATES, SAME = 4, 1e-9            -- at which the equations are compared; how exactly rates agree, of the largest one
local APART = 1e-3                      -- how far a motion is from its image that is not its own one

-- A state of the model, or its rate, with other signs of coordinates and velocities; these are behind all coordinates, with which parameters that change count
local function mirrored(flow, x, signs)
  local list, first = table.move(x, 1, #x, 1, {}), #flow.E.kin
  for i, sign in ipairs(signs) do list[i], list[first + i] = sign*x[i], sign*x[first + i] end
  return list
end

-- States beside x: within the units in which a motion counts
local function states_beside(problem, x)
  local size, list = {}, {}
  for i in ipairs(x) do size[i] = 1 end
  for i, place in ipairs(problem.space.kept) do size[place] = problem.space.scale[i] end
  for k = 1, STATES do
    list[k] = {}
    -- any places that no symmetry makes alike
    for i, value in ipairs(x) do list[k][i] = value + size[i]*math.sin(1 + 7*k + 3*i^2) end
  end
  return list
end

-- Are rates at the image of each state, later by a time, the images of those there?
local function holds(problem, signs, later, list)
  local flow = problem.flow
  for k, x in ipairs(list) do
    local t = flow.t + later*k/math.pi
    local rate, other = segments.rate(flow, t, x), segments.rate(flow, t + later, mirrored(flow, x, signs))
    local image, most = mirrored(flow, rate, signs), 0
    for _, value in ipairs(rate) do most = math.max(most, math.abs(value)) end
    for i in ipairs(rate) do if not (math.abs(image[i] - other[i]) <= SAME*most) then return false end end
  end
  return true
end

-- What a motion misses its image by
local function gap_of(problem, mirror, y, whole)
  local space, t = problem.space, problem.flow.t
  local x = mirrored(problem.flow, mirror.half and whole:at(t + problem:period(y)/2) or space.state(y), mirror.signs)
  local image, own, gap = space.part(x), space.part(space.state(y)), {}
  for i = 1, #space.kept do gap[i] = image[i] - own[i] end
  return gap
end

local function length(list) return math.sqrt(tangent.dot(list, list)) end

--- The mirror images { name of a test, half = by half a period, signs = of coordinates } of the motion at y that are other motions.
function mirrors.of(problem, y)
  local flow, list = problem.flow, {}
  local count = #flow.E.dyn
  for _, value in ipairs(problem.gain) do if value ~= 0 then return list end end
  if flow.E.v or count > MOST then return list end
  local whole, x = whole_records.of(problem, y), problem.space.state(y)
  local beside = states_beside(problem, x)
  for choice = 1, 2^count - 1 do
    local signs, found, own = {}, {}, false
    for i = 1, count do signs[i] = (choice >> (i - 1)) & 1 == 1 and -1 or 1 end
    for _, half in ipairs{ true, false } do
      local mirror = { half = half, signs = signs }
      local fine, same = attempt(holds, problem, signs, half and problem:period(y)/2 or 0.0, beside)
      if fine and same and length(gap_of(problem, mirror, y, whole)) > APART then found[#found + 1] = mirror
      elseif fine and same then own = true end
    end
    -- the image of a motion that is its own one half a period later is no other motion at once either
    for _, mirror in ipairs(own and {} or found) do
      mirror.name = "image" .. #list + 1
      list[#list + 1] = mirror
    end
  end
  return list
end

--- Adds to tests how far a point is from each image, with a sign that goes on along the curve.
function mirrors.add(problem, point, tests)
  if not problem.mirrors or #problem.mirrors == 0 then return end
  local whole, before = whole_records.of(problem, point.y), point.before and point.before.images
  point.images = {}
  for k, mirror in ipairs(problem.mirrors) do
    local gap, old = gap_of(problem, mirror, point.y, whole), before and before[k]
    local sign = old and old.sign*(tangent.dot(old.gap, gap) < 0 and -1 or 1) or 1
    point.images[k] = { gap = gap, sign = sign }
    tests[mirror.name] = sign*length(gap)
  end
end

--- Is a test one of images?
function mirrors.is_test(name) return name:find "^image%d+$" ~= nil end

return mirrors
