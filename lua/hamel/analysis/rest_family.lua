-- rest_family.lua: families of states of rest, as those of systems with rolling: how many dimensions they have, and what that says of stability.
--
-- At rest the positions q solve r(q) = 0, where some of the equations may hold for all q. If the n_q positions have d dimensions more than there are other
-- equations, and the first approximation has d eigenvalues zero and no more, then the equations are independent, the states of rest form a family of d
-- dimensions, and the zeros belong to shifts along it. If the other eigenvalues have negative real parts, a motion beside the family comes to rest in it
-- (Lyapunov 1892, paragraph 32; Malkin 1952, paragraph 34; of nonholonomic systems Neimark and Fufaev 1972, chapter 5).
local vanishing = require "hamel.algebra.vanishing"

local rest_family = {}

--- At least how many dimensions the states of rest of equations have in the kept states; nil: not told, as with multipliers.
function rest_family.dimension(E, ignorable)
  if #E.A > 0 or #E.positions + #E.velocities > 0 then return nil end
  local count = 0
  for j, rate in ipairs(E.k) do
    if not ignorable[j] then
      if not vanishing.proved(vanishing.without(rate, E.dyn)) then return nil end
      count = count + 1
    end
  end
  for _, r in ipairs(E.r) do if not vanishing.proved(vanishing.without(r, E.dyn)) then count = count - 1 end end
  return count > 0 and count or nil
end

--- Sorts out the eigenvalues { re, im, uncertainty } of a state of rest in a family of so many dimensions: those that are zero become exact, if the real
--- parts of all others are below -margin. The verdict, or nil.
function rest_family.verdict(eigenvalues, dimension, margin)
  local zeros = {}
  for _, e in ipairs(eigenvalues) do if not (e.re < -margin) then zeros[#zeros + 1] = e end end
  if #zeros ~= dimension then return nil end
  for _, e in ipairs(zeros) do e.re, e.im, e.uncertainty = 0.0, 0.0, 0.0 end
  return ("stable: it is one of a family of states of rest with %d dimension%s, in which motions beside it come to rest (Lyapunov and Malkin)"):format(
    dimension, dimension == 1 and "" or "s")
end

return rest_family
