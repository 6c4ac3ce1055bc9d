-- switching.lua: from a special point of a branch to the branch that starts there.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"
local crossings = require "hamel.continuation.crossings"
local families = require "hamel.continuation.families"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local switching = {}

local AMPLITUDES = { 0.01, 0.02, 0.005, 0.04, 0.0025, 0.001, 0.0004, 0.0001, 0.00004, 0.00001 }

--- The second direction of solutions at a branch point { directions, rows }, orthogonal to the tangent of the branch and to others (nil: there are none);
--- nil: there is none.
function switching.second_direction(point, along, others)
  local known = table.move(others or {}, 1, #(others or {}), 2, { along })
  for _, d in ipairs(corrector.null_directions(point, 1 + #known)) do
    local u = table.move(d, 1, #d, 1, {})
    local length = tangent.orthogonal(u, known)
    if length > 0.5 then
      for i = 1, #u do u[i] = u[i]/length end
      return u
    end
  end
  return nil
end

local SLACK = 1e-12                     -- relative to the value, by which a start may miss its range

--- Is a start within the ends of a branch, where there are both? Where one alone was asked for (o.one_end), the branch may also come from beyond it.
function switching.is_within(o, point)
  local slack, value = SLACK*(1 + math.abs(point.value)), point.value
  if not (o.from and o.to) or value >= o.from - slack and value <= o.to + slack then return true end
  return o.one_end and ((value > o.to and o.to or o.from) - value)*point.slope > 0 or false
end

--- Raises for a start that is not.
function switching.refuse_outside(problem, o, point)
  fail("switch: the branch starts at %s = %.9g, outside from = %.9g to %.9g; give ends that it lies between", problem.name, point.value, o.from, o.to)
end

-- The solution beside a branch point; nil also where the equations hold within their tolerance alone, and are singular
local function beside(problem, at, d, a, more)
  local point = corrector.beside(problem, at.y, d, a, at.directions, more)
  return point and point.rounds > 0 and point or nil
end

-- Solutions on both sides of a branch point, of those within the range the first: two, one, or none; as a third value one outside
local function both_sides(problem, o, at, d, a)
  local list, outside = {}, nil
  for _, part in ipairs{ a, -a } do
    local point = beside(problem, at, d, part)
    if point and switching.is_within(o, point) then list[#list + 1] = point else outside = outside or point end
  end
  return list[1], list[2], outside
end

-- The branch from one or two starts; of a continuous family one motion, from one start, since the other side belongs to the same family
local function begun(problem, one, other)
  local count = families.dimensions(problem, one)
  if count == 0 then return problem, one, other end
  local family = families.of(problem, count)
  corrector.add_tangent(family, one, one.tangent)
  return family, one, nil
end

local OTHER = 10                        -- sizes that differ by this factor have other units

-- The same problem, its branch point and the direction d in units of the states that leave it along d, where these are others. record: the branch point
local function in_units_of(problem, at, d, record)
  local sizes, factor = nil, 1
  if problem.sizes_along then sizes, factor = problem:sizes_along(at.y, d) end
  if not sizes or factor < OTHER and factor > 1/OTHER then return problem, at, d end
  local fine, fresh = attempt(problem.anew, record, sizes)
  if not fine then return problem, at, d end
  local directions, along = fresh:directions(at.y), {}
  local F, rows, extra = fresh:equations(at.y, directions)
  for i, value in ipairs(at.tangent) do along[i] = value*problem.space.scale[i]/fresh.space.scale[i] end
  local there = { y = at.y, directions = directions, F = F, rows = rows, extra = extra, tangent = states.unit(along) }
  local other = switching.second_direction(there, there.tangent)
  if not other then return problem, at, d end
  return fresh, there, other
end

local function at_branch_point(branch, special, o)
  local problem, at, outside = branch._problem, special._at, nil
  -- in the directions of the family that is followed no other branch leaves it
  local along = families.directions(at.before or at, problem.family or 0)
  local d = switching.second_direction(at, at.tangent, along)
  if not d then fail("switch: no second direction at this point") end
  local basis = crossings.directions(problem, at)
  if #basis < 2 and (o.which or 1) > 1 then fail("switch: which = %d, but one eigenvalue passes here, and one branch starts", o.which) end
  if #basis < 2 and not problem.family then problem, at, d = in_units_of(problem, at, d, special.point) end
  if #basis < 2 or not o.which then
    for _, a in ipairs(AMPLITUDES) do
      local one, other, beyond = both_sides(problem, o, at, d, a)
      outside = outside or beyond
      if one then return begun(problem, one, other) end
    end
  end
  -- several eigenvalues pass at once: which branches there are shows beside the point alone
  if #basis > 1 then
    local rays = crossings.rays(problem, at, basis)
    local ray, count = rays[o.which or 1], #rays
    if not ray and o.which then fail("switch: which = %d, but %d branch%s found here", o.which, count, count == 1 and " was" or "es were") end
    local inside = {}
    for _, point in ipairs(ray or {}) do
      if switching.is_within(o, point) then inside[#inside + 1] = point else outside = outside or point end
    end
    if inside[1] then return begun(problem, inside[1], inside[2]) end
  end
  if outside then switching.refuse_outside(problem, o, outside) end
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

local function at_flip(branch, special, o)
  local problem, at = branch._problem, special._at
  if problem.in_units_of_swings and #at.y == problem.space.n then problem, at = problem:in_units_of_swings(at, o) end
  local twice, y, u = problem:doubled(at)
  if not u then fail("switch: no second direction at this point") end
  local outside
  for _, a in ipairs(AMPLITUDES) do
    local start = corrector.beside(twice, y, u, a)
    if start and not is_simple(problem, start.y, a) then
      if switching.is_within(o, start) then return twice, start end
      outside = outside or start
    end
  end
  if outside then switching.refuse_outside(twice, o, outside) end
  fail("switch: no motion of twice the period within amplitude %g", AMPLITUDES[4])
end

local from = { branch = at_branch_point, flip = at_flip }

--- The problem and the starts of the branch at a special point. o: the options of the branch, which may become others; given: those of the call among them.
function switching.start(branch, special, o, given)
  local start = from[special.kind]
  if special.kind == "neutral" and branch._problem and branch._problem.period_place then
    fail("switch: no periodic motions with what these keep branch off at a neutral point; others are found by S:periodic{ q =, v =, period = }")
  end
  if special.kind == "neutral" then
    fail("switch: no steady motions with what these keep branch off at a neutral point; motions that turn or drift may: find one by S:periodic{ q =, v =, "
      .. "period =, advance = } and follow it by S:continue{ periodic =, advance = }")
  end
  if not start then fail("switch: nothing branches off here (%s); known are branch, flip, hopf, and with contacts grazing and touch", special.kind) end
  return start(branch, special, o, given)
end

--- Makes a kind of special points known.
function switching.add(kind, start) from[kind] = start end

switching.AMPLITUDES = AMPLITUDES

return switching
