-- orbit_symmetry.lua: do changes of the states take the equations of a closed orbit to themselves? Reversals of time: changes of signs R with
-- x' = f(x), f(R x) = -R f(x). Symmetries by which an orbit may close: signs and shifts S, S x' = f(S x). Proved by exact algebra from the
-- equations alone.
local core = require "hamel.core"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local vanishing = require "hamel.algebra.vanishing"

local orbit_symmetry = {}

--- Is the mirror of a half orbit a reversal of its equations and constraints? Nothing depends on the states that advance.
function orbit_symmetry.reverses(problem)
  local n, signs, kin_signs, kept, constraints = #problem.kin, {}, {}, {}, {}
  for i = 1, n do kin_signs[i], kept[i] = 1, true end
  for j = 1, #problem.dyn do signs[j] = 1 end
  for _, i in ipairs(problem.mirror) do
    if i <= n then kin_signs[i] = -1 else signs[i - n] = -1 end
  end
  for _, i in ipairs(problem.advance) do if i <= n then kept[i] = false end end
  for _, c in ipairs(problem.conditions) do if c.integral and core.number_value(c.target) == 0 then constraints[#constraints + 1] = c end end
  local view = { kin = problem.kin, dyn = problem.dyn, k = problem.k, M = problem.M, A = problem.A, r = problem.r, b = problem.b, constraints = constraints }
  return orbit_symmetry.reverses_at(view, kept, signs, kin_signs)
end

--- Is x -> R x, which changes the signs of the velocities with the sign -1, a reversal of the equations of a steady state and of its constraints? kept: of
--- which coordinates the rates count. kin_signs: of the coordinates, where some change. With a(R x) = -R a(x): M(R x) = R M R, r(R x) = -R r, and
--- rows of A and b up to a sign each.
function orbit_symmetry.reverses_at(problem, kept, signs, kin_signs)
  local from, to, at, n = {}, {}, 0, #problem.dyn
  for i, s in ipairs(problem.dyn) do from[i], to[i] = s, signs[i] == 1 and s or -s end
  local function same(e, sign)
    local other = core.substitute(e, from, to)
    return vanishing.proved(sign == 1 and other - e or other + e)
  end
  for i, s in ipairs(kin_signs and problem.kin or {}) do from[#from + 1], to[#to + 1] = s, kin_signs[i] == 1 and s or -s end
  local function any_sign(test) return test(1) or test(-1) end
  for i, e in ipairs(problem.k) do if kept[i] and not same(e, kin_signs and -kin_signs[i] or -1) then return false end end
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

local TURNS, NEAR = 360, 1e-14         -- denominators that are tried; how near a double is to a part of pi

-- The part of pi that a number without pi is next to, as text; nil: it is near none
local function part_of_pi(e)
  local value = core.number_value(e)
  if not value or core.text(e):find("pi", 1, true) then return nil end
  for d = 1, TURNS do
    local whole = math.floor(value/math.pi*d + 0.5)
    if whole ~= 0 and math.abs(whole*math.pi/d - value) <= NEAR*math.abs(value) then
      return (whole == 1 and "hm.pi" or ("%d*hm.pi"):format(whole)) .. (d > 1 and ("/%d"):format(d) or "")
    end
  end
end

-- What to write in place of numbers that are next to parts of pi
local function advice(problem)
  for _, one in ipairs(problem.shift) do
    local better = part_of_pi(one[2])
    if better then return ("; %.17g is a number near %s and not equal to it: write %s"):format(core.number_value(one[2]), better, better) end
  end
  return ""
end

-- What the symmetry does, in words: "time gains 3", "R0, R1 have the other sign"
local function changes_of(problem)
  local words, signs = {}, {}
  for i, place in ipairs(problem.flip) do signs[i] = core.text(problem.kin[place]) end
  if #signs > 0 then words[1] = table.concat(signs, ", ") .. " have the other sign" end
  for _, one in ipairs(problem.shift) do words[#words + 1] = ("%s gains %s"):format(core.text(problem.kin[one[1]]), core.text(one[2])) end
  return table.concat(words, " and ")
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
  if not fine then return ("the equations are not shown to be the same when %s"):format(changes_of(problem)) .. advice(problem) end
  for _, c in ipairs(P.conditions) do
    if c.integral and not same(c.f, 1) then return ("'%s' is not shown to be the same when %s"):format(c.name, changes_of(problem)) end
  end
end

return orbit_symmetry
