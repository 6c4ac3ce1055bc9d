-- families.lua: solutions that come in a continuous family at each value of the parameter, as states of rest on a circle: one of each family is followed.
--
-- The equations do not determine where in the family a solution is. Newton's method takes the shortest step, which is across the family, so that the points
-- of the branch are as near to each other as the families are. The determinant of the equations is zero along such a branch and shows no branch points;
-- eigenvalues that pass zero do.
local corrector = require "hamel.continuation.corrector"

local families = {}

--- The problem whose solutions come in families with `count` dimensions. Their eigenvalues at zero are on the border by rounding, and are not counted.
function families.of(problem, count) return setmetatable({ family = count, growth = false, count_beyond = false }, { __index = problem }) end

--- The dimensions of the family at a point of a problem of states of rest; 0: the point is alone, or the problem is another one.
function families.dimensions(problem, point)
  if not problem.at_rest then return 0 end
  return corrector.excess(problem, point.y) or 0
end

--- Orthonormal directions of the family with `count` dimensions at a point, across its tangent.
function families.directions(point, count)
  return corrector.across((corrector.null_directions(point, count + 1)), { point.tangent }, count)
end

return families
