-- crossings.lua: the branches that leave a branch point at which several eigenvalues pass zero at once.
--
-- There the equations say to first order only that the second branches lie in a space of several dimensions. Beside the point they are looked for in many
-- directions of it: Newton's method starts from a parameter moved a little, since at the point itself the equations are singular in the others.
local corrector = require "hamel.continuation.corrector"
local families = require "hamel.continuation.families"
local tangent = require "hamel.analysis.tangent"

local crossings = {}

local FREE = 1e-6                      -- singular values below, relative to the largest, that count as zero
local MOST = 4                         -- dimensions in which branches are looked for
local AMPLITUDES = { 0.01, 0.02, 0.04 }
-- In degenerate cases what the equations miss beside the point is small, though there is no solution
local FINE, FINE_OF_RUNS = 1e-3, 0.1
local ANGLES = 12                      -- directions in a plane
local ALIKE = 1e-3                     -- angle of two directions up to which they are one
local NEAR = 20                        -- amplitudes within which a branch that starts here is

--- Orthonormal directions in which solutions of a problem may leave its branch at a point with a tangent, but for those of the family that is followed: as
--- many as equations are singular there. Of two eigenvalues that are zero and meet there may be one.
function crossings.directions(problem, at)
  -- in the directions of the family no other branch leaves it
  local along = families.directions(at.before or at, problem.family or 0)
  local _, values = corrector.null_directions(at, 0)
  local count = 0
  for _, value in ipairs(values) do if not (value > FREE*values[1]) then count = count + 1 end end
  local list = corrector.null_directions(at, math.min(count, #values))
  return corrector.across(list, table.move(along, 1, #along, 2, { at.tangent }), #list)
end

-- Unit vectors of R^n in many directions, none the opposite of another
local function samples(n)
  local list = {}
  if n == 2 then
    for k = 0, ANGLES - 1 do list[#list + 1] = { math.cos(math.pi*k/ANGLES), math.sin(math.pi*k/ANGLES) } end
    return list
  end
  local all = { {} }
  for _ = 1, n do
    local longer = {}
    for _, start in ipairs(all) do
      for _, part in ipairs{ 0.0, 1.0, -1.0 } do longer[#longer + 1] = table.move({ part }, 1, 1, #start + 1, table.move(start, 1, #start, 1, {})) end
    end
    all = longer
  end
  for _, parts in ipairs(all) do
    local first
    for _, part in ipairs(parts) do if part ~= 0 then first = first or part end end
    if first == 1.0 then
      local length = corrector.norm(parts)
      for i = 1, n do parts[i] = parts[i]/length end
      list[#list + 1] = parts
    end
  end
  return list
end

-- The point with its place in the space of the basis, as a unit vector; nil: it is not beside the branch point
local function placed(problem, at, basis, point, a)
  local away, parts = problem:difference(point.y, at.y), {}
  if not (corrector.norm(away) < NEAR*a) then return nil end
  for i, u in ipairs(basis) do parts[i] = tangent.dot(u, away) end
  local length = corrector.norm(parts)
  for i = 1, #parts do parts[i] = parts[i]/length end
  return { point = point, parts = parts }
end

local function is_new(found, item, sign)
  for _, other in ipairs(found) do
    local angle = {}
    for i, part in ipairs(item.parts) do angle[i] = part - sign*other.parts[i] end
    if corrector.norm(angle) < ALIKE then return false, other end
  end
  return true
end

-- Solutions in different directions at one amplitude
local function around(problem, at, basis, a)
  local found = {}
  for _, parts in ipairs(samples(#basis)) do
    local d = corrector.combined(basis, parts)
    for _, side in ipairs{ a, -a } do
      for _, part in ipairs{ 0, a, -a } do
        local more = {}
        for i, value in ipairs(at.tangent) do more[i] = part*value end
        local point = corrector.beside(problem, at.y, d, side, at.directions, more)
        local item = point and point.rounds > 0 and placed(problem, at, basis, point, a)
        if item and is_new(found, item, 1) then found[#found + 1] = item end
        if item then break end
      end
    end
  end
  return found
end

local WITHIN = 0.05                     -- of a direction: how much of it lies outside the space of a family near its branch point

-- Is a solution one of a family that starts in the space of these directions?
local function is_of(family, parts)
  local rest = table.move(parts, 1, #parts, 1, {})
  return tangent.orthogonal(rest, family) <= WITHIN
end

-- Of the solutions that a symmetry leads into each other, as on a circle, the first alone
local function apart(problem, basis, rays)
  local kept, all = {}, {}
  for _, ray in ipairs(rays) do
    local point, parts = ray[1], ray.parts
    local known = false
    for _, family in ipairs(all) do known = known or is_of(family, parts) end
    local count = known and 0 or families.dimensions(problem, point)
    if count > 0 then
      local family = {}
      for _, d in ipairs{ false, table.unpack(families.directions(point, count)) } do
        local u = d and {} or table.move(parts, 1, #parts, 1, {})
        for i, b in ipairs(d and basis or {}) do u[i] = tangent.dot(b, d) end
        local length = tangent.orthogonal(u, family)
        for i = 1, #u do u[i] = u[i]/length end
        if length > WITHIN then family[#family + 1] = u end
      end
      all[#all + 1] = family
    end
    if not known then kept[#kept + 1] = ray end
  end
  return kept
end

--- The branches at a branch point by solutions on them, { one, the other side of it }. Solutions in a continuous family are one branch.
function crossings.rays(problem, at, basis)
  local found = {}
  problem = setmetatable({ tolerance = (problem.sparing and FINE_OF_RUNS or FINE)*problem.tolerance }, { __index = problem })
  for _, a in ipairs(#basis <= MOST and AMPLITUDES or {}) do
    found = around(problem, at, basis, a)
    if #found > 0 then break end
  end
  local rays, taken = {}, {}
  for _, item in ipairs(found) do
    if not taken[item] then
      taken[item] = true
      local _, opposite = is_new(found, item, -1)
      if opposite then taken[opposite] = true end
      rays[#rays + 1] = { item.point, opposite and opposite.point, parts = item.parts }
    end
  end
  return apart(problem, basis, rays)
end

return crossings
