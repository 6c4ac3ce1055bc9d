-- rest_family.lua: families of states of rest, as those of systems with rolling, and of steady motions, as those of a sleigh: how many dimensions they have,
-- and what that says of stability.
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

local NONE = 1e-12                      -- of the largest entry of a Jacobian: one that may be zero

-- Numbers in the list `kept` of states whose change changes no rate to first order; flat: the Jacobian, with rows of so many entries
local function still(kept, flat, size)
  local set, most = {}, 0
  for _, i in ipairs(kept) do for _, j in ipairs(kept) do most = math.max(most, math.abs(flat[(i - 1)*size + j])) end end
  for _, j in ipairs(kept) do
    set[j] = true
    for _, i in ipairs(kept) do set[j] = set[j] and math.abs(flat[(i - 1)*size + j]) <= NONE*most end
  end
  return set
end

--- At least how many dimensions the steady motions of equations have at the state x: where some states change no rate, and the rates are proved to vanish
--- for all their values while the others are zero, as at x; nil: not told.
function rest_family.steady_dimension(E, ignorable, kept, x, flat)
  if #E.A > 0 or #E.positions + #E.velocities > 0 then return nil end
  local set, zeros, count = still(kept, flat, #x), {}, 0
  for _, place in ipairs(kept) do
    if set[place] then count = count + 1
    elseif x[place] ~= 0 then return nil
    else zeros[#zeros + 1] = E.kin[place] or E.dyn[place - #E.kin] end
  end
  if count == 0 then return nil end
  for j, rate in ipairs(E.k) do if not ignorable[j] and not vanishing.proved(vanishing.without(rate, zeros)) then return nil end end
  for _, r in ipairs(E.r) do if not vanishing.proved(vanishing.without(r, zeros)) then return nil end end
  return count
end

--- Sorts out the eigenvalues { re, im, uncertainty } of a state in a family of so many dimensions, of states of rest or of steady motions: those that are
--- zero become exact, if the real parts of all others are below -margin. The verdict, or nil.
function rest_family.verdict(eigenvalues, dimension, margin, at_rest)
  local zeros = {}
  for _, e in ipairs(eigenvalues) do if not (e.re < -margin) then zeros[#zeros + 1] = e end end
  if #zeros ~= dimension then return nil end
  for _, e in ipairs(zeros) do e.re, e.im, e.uncertainty = 0.0, 0.0, 0.0 end
  return ("stable: it is one of a family of %s with %d dimension%s, %s (Lyapunov and Malkin)"):format(at_rest and "states of rest" or "steady motions",
    dimension, dimension == 1 and "" or "s", at_rest and "in which motions beside it come to rest" or "to which motions beside it tend")
end

return rest_family
