-- orbit_symmetry.lua: reversals of time: does a change of signs R with x' = f(x), f(R x) = -R f(x) take the equations of a closed orbit to
-- themselves? Proved by exact algebra from the equations alone.
local core = require "hamel.core"
local vanishing = require "hamel.algebra.vanishing"

local orbit_symmetry = {}

-- The sign of each state
local function signs_of(problem)
  local signs = {}
  for i = 1, #problem.kin + #problem.dyn do signs[i] = 1 end
  for _, i in ipairs(problem.mirror) do signs[i] = -1 end
  return signs
end

--- Is R a reversal of the equations? Their velocities are the rates of the coordinates, with opposite signs, and there are no constraints.
function orbit_symmetry.reverses(problem)
  local signs, n = signs_of(problem), #problem.kin
  if #problem.b > 0 or #problem.dyn ~= n then return false end
  local from, to = {}, {}
  for i, s in ipairs(problem.kin) do from[i], to[i] = s, signs[i] == 1 and s or -s end
  for i, s in ipairs(problem.dyn) do
    if signs[n + i] ~= -signs[i] then return false end
    from[n + i], to[n + i] = s, signs[n + i] == 1 and s or -s
  end
  -- the same up to a sign
  local function same(e, sign)
    local other = core.substitute(e, from, to)
    return vanishing.proved(sign == 1 and other - e or other + e)
  end
  local at = 0
  for i = 1, n do
    if not same(problem.k[i], -signs[i]) or not same(problem.r[i], signs[i]) then return false end
    for j = 1, i do
      at = at + 1
      if not same(problem.M[at], signs[i]*signs[j]) then return false end
    end
  end
  return true
end

return orbit_symmetry
