-- mirrored_spectrum.lua: is the spectrum of the first approximation of a steady state symmetric about the imaginary axis? Proved by exact algebra from the
-- equations alone, in one of two ways.
--
-- A reversal of time R keeps the equations and the state: velocities that are zero change their signs, nothing else does. With f(R x) = -R f(x) the
-- derivatives J have J R = -R J.
--
-- A state of rest of M q'' = r(q, q') without constraints, dr/dq symmetric and dr/dq' antisymmetric there: the transpose of s^2 M + s G + K is
-- s^2 M - s G + K (Thomson and Tait 1879).
local core = require "hamel.core"
local orbit_symmetry = require "hamel.analysis.orbit_symmetry"
local steady_state = require "hamel.analysis.steady_state"
local vanishing = require "hamel.algebra.vanishing"

local function is_reversible(problem, ignorable, zero)
  local kept, signs = {}, {}
  for i in ipairs(problem.kin) do kept[i] = not ignorable[i] end
  for i, s in ipairs(problem.dyn) do signs[i] = zero[s] and -1 or 1 end
  return orbit_symmetry.reverses_at(problem, kept, signs)
end

local function is_gyroscopic(problem)
  local n = #problem.kin
  if not problem.rest or #problem.b + #problem.constraints + #problem.keep > 0 or #problem.dyn ~= n then return false end
  local function at_rest(e) return vanishing.without(e, problem.dyn) end
  for i = 1, n do
    if problem.dyn[i] ~= problem.kin[i].dot or problem.k[i] ~= problem.dyn[i] then return false end
    for j = 1, i do
      local r, other = problem.r[i], problem.r[j]
      if not vanishing.proved(at_rest(core.diff(r, problem.kin[j])) - at_rest(core.diff(other, problem.kin[i]))) then return false end
      if not vanishing.proved(at_rest(core.diff(r, problem.dyn[j])) + at_rest(core.diff(other, problem.dyn[i]))) then return false end
    end
  end
  return true
end

--- found: a proved steady state.
return function(found)
  local problem, ignorable, zero = steady_state.known(found)
  return is_reversible(problem, ignorable, zero) or is_gyroscopic(problem)
end
