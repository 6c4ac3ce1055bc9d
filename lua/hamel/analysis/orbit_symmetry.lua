-- orbit_symmetry.lua: do changes of the states take the equations of a closed orbit to themselves? Reversals of time: changes of signs R with
-- x' = f(x), f(R x) = -R f(x). Symmetries by which an orbit may close: signs and shifts S, S x' = f(S x). Proved by exact algebra from the
-- equations alone.
local core = require "hamel.core"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
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

--- Is x -> R x, which changes the signs of the velocities with the sign -1, a reversal of the equations of a steady state and of its constraints? kept: of
--- which coordinates the rates count. With a(R x) = -R a(x): M(R x) = R M R, r(R x) = -R r, and rows of A and b up to a sign each.
function orbit_symmetry.reverses_at(problem, kept, signs)
  local from, to, at, n = {}, {}, 0, #problem.dyn
  for i, s in ipairs(problem.dyn) do from[i], to[i] = s, signs[i] == 1 and s or -s end
  local function same(e, sign)
    local other = core.substitute(e, from, to)
    return vanishing.proved(sign == 1 and other - e or other + e)
  end
  local function any_sign(test) return test(1) or test(-1) end
  for i, e in ipairs(problem.k) do if kept[i] and not same(e, -1) then return false end end
  for i = 1, n do
    if not same(problem.r[i], -signs[i]) then return false end
    for j = 1, i do
      at = at + 1
      if not same(problem.M[at], signs[i]*signs[j]) then return false end
    end
  end
  for k, b in ipairs(problem.b) do
    local function row(sign)
      for i = 1, n do if not same(problem.A[(k - 1)*n + i], sign*signs[i]) then return false end end
      return same(b, -sign)
    end
    if not any_sign(row) then return false end
  end
  for _, c in ipairs(problem.constraints) do
    if not any_sign(function(sign) return same(c.f, sign) end) then return false end
  end
  return true
end

--- Does S, which changes the signs of the coordinates in `flip` and takes away the shifts, keep the equations and the integrals? The reason where that is
--- not shown.
function orbit_symmetry.refuted(problem)
  if #problem.flip == 0 and #problem.shift == 0 then return nil end
  local P, signs, from, to = orbit_integrals.at_values(problem), {}, {}, {}
  for i, s in ipairs(problem.kin) do signs[i], from[i], to[i] = 1, s, s end
  for _, i in ipairs(problem.flip) do
    if not signs[i] then return "a velocity cannot come back with the other sign" end
    signs[i], to[i] = -1, -problem.kin[i]
  end
  for _, one in ipairs(problem.shift) do
    if not signs[one[1]] then return "a velocity cannot come back with a shift" end
    to[one[1]] = to[one[1]] - one[2]
  end
  local function same(e, sign)
    local other = core.substitute(e, from, to)
    return vanishing.proved(sign == 1 and other - e or other + e)
  end
  local lists = { P.r, P.b }
  for _, rows in ipairs{ P.M, P.A } do table.move(rows, 1, #rows, #lists + 1, lists) end
  local fine = true
  for _, list in ipairs(lists) do for _, e in ipairs(list) do fine = fine and same(e, 1) end end
  for i, e in ipairs(P.k) do fine = fine and same(e, signs[i]) end
  if not fine then return "the equations are not shown to be the same after a period, with the signs or shifts of the states" end
  for _, c in ipairs(P.conditions) do
    if c.integral and not same(c.f, 1) then return ("'%s' is not shown to be the same after a period"):format(c.name) end
  end
end

return orbit_symmetry
