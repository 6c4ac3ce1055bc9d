-- chart.lua: coordinates of the surface that holonomic constraints and unit quaternions leave of the coordinates: formulas for some of them in the others.
--
-- Unit quaternions are projected stereographically. A constraint is solved for a coordinate in which it is linear or quadratic; of a quadratic one both
-- roots are branches, so that an identity on all branches holds on the surface wherever the leading coefficient does not vanish.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local unit_quaternion = require "hamel.algebra.unit_quaternion"
local vanishing = require "hamel.algebra.vanishing"

local chart = {}

local CONSTRAINTS = { subject = "the constraint", verb = "declare", variable = "coordinate", remedy = "choose coordinates that satisfy it", text = core.text }

local function depends(e, x)
  for _, s in ipairs(core.symbols{ e }) do if s == x then return true end end
  return false
end

-- f = c[1] + c[2] x + c[3] x^2; nil where it is no such polynomial in x
local function quadratic(f, x)
  local slope = core.diff(f, x)
  local second = core.diff(slope, x)
  if depends(second, x) then second = core.simplify(second) end
  if depends(second, x) then return nil end
  local c = { vanishing.without(f, { x }), vanishing.without(slope, { x }), second/2 }
  if not vanishing.proved(f - c[1] - c[2]*x - c[3]*x^2) then return nil end
  if vanishing.proved(c[3]) then c[3] = nil end
  if not c[3] and vanishing.proved(c[2]) then return nil end
  return c
end

-- How well f can be solved for a coordinate: linear before quadratic, constant leading coefficients first
local function cost(c) return #c*10 + (core.number_value(c[#c]) and 0 or 1) + core.tree_size(c[#c])/1000 end

local function best_solution(f, q)
  local best
  for _, x in ipairs(q) do
    if depends(f, x) then
      local c = quadratic(f, x)
      if c and (not best or cost(c) < best.cost) then best = { x = x, c = c, cost = cost(c) } end
    end
  end
  return best
end

-- words: how messages speak of the functions
local function roots(c, f, words)
  if #c == 2 then return { -c[1]/c[2] } end
  local D = core.simplify(c[2]^2 - 4*c[1]*c[3], "auto", nil, { effort = 1 })
  if (core.number_value(D) or 0) < 0 then object.fail("%s %s = 0 holds nowhere", words.subject, words.text(f)) end
  local root = pieces.root(D)
  return { (-c[2] + root)/(2*c[3]), (-c[2] - root)/(2*c[3]) }
end

-- One branch more precise by x = value
local function extended(branch, x, value)
  local from, to = { x }, { value }
  for i, other in ipairs(branch.from) do from[i + 1], to[i + 1] = other, core.substitute(branch.to[i], { x }, { value }) end
  return { from = from, to = to }
end

local function put(branch, e) return #branch.from > 0 and core.substitute(e, branch.from, branch.to) or e end

local function sphere(rotations)
  local branch = { from = {}, to = {} }
  for _, R in ipairs(rotations) do
    for i, e in ipairs(unit_quaternion.projected(R.name)) do
      branch.from[#branch.from + 1], branch.to[#branch.to + 1] = R.quaternion[i], e
    end
  end
  return branch
end

-- Does a factor of a product vanish nowhere? A pole does not
local function never_vanishes(factor)
  local exponent = core.kind(factor) == "power" and core.number_value(core.operands(factor)[2])
  return exponent and exponent < 0
end

-- f without powers; raises where it is a product, whose factors vanish on surfaces of their own
local function single(f, words)
  local product, status = core.simplify(f, "factored", nil, { effort = 2 })
  if status ~= "OK" then object.fail("%s %s = 0 was not factored in time: %s", words.subject, words.text(f), words.remedy) end
  local list, texts = {}, {}
  for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do
    local e = core.kind(factor) == "power" and core.operands(factor)[1] or factor
    if not core.number_value(e) and not core.known_positive(e) and not never_vanishes(factor) then
      list[#list + 1], texts[#texts + 1] = e, words.text(e) .. " = 0"
    end
  end
  if #list > 1 then
    object.fail("%s %s = 0 is a product and holds in branches, %s: %s the one that is meant", words.subject, words.text(f), table.concat(texts, " or "),
      words.verb)
  end
  if #list == 0 and not vanishing.proved(f) then object.fail("%s %s = 0 holds nowhere", words.subject, words.text(f)) end
  return list[1] or f
end

-- The place of the function that is solved most easily on a branch, with its solution; without one where it vanishes there
local function easiest(list, branch, q, words)
  local place, best
  for i, f in ipairs(list) do
    local on = put(branch, f)
    if vanishing.proved(on) then return i end
    local found = best_solution(on, q)
    if found and (not best or found.cost < best.cost) then place, best = i, found end
  end
  if not best then
    object.fail("%s %s = 0 is linear or quadratic in no %s: %s", words.subject, words.text(list[1]), words.variable, words.remedy)
  end
  return place, best
end

--- The chart of the functions f of the coordinates q that vanish: branches { from = coordinates, to = their formulas }. Raises where a function is a
--- product, vanishes nowhere, or is linear or quadratic in no coordinate; words: how messages speak of the functions, as constraints when not given.
---@param words table? { subject, verb, variable, remedy, text = function(e) }
function chart.of(surfaces, rotations, q, words)
  words = words or CONSTRAINTS
  local branches, left = { sphere(rotations) }, {}
  for i, f in ipairs(surfaces) do left[i] = single(f, words) end
  while #left > 0 do
    local place, solved = easiest(left, branches[1], q, words)
    local f, next_branches = table.remove(left, place), {}
    for _, branch in ipairs(solved and branches or {}) do
      for _, value in ipairs(roots(quadratic(put(branch, f), solved.x), f, words)) do next_branches[#next_branches + 1] = extended(branch, solved.x, value) end
    end
    if solved then branches = next_branches end
  end
  return branches
end

--- Expressions on the first branch.
function chart.put(branches, list)
  local result = {}
  for i, e in ipairs(list) do result[i] = put(branches[1], e) end
  return result
end

--- Does e vanish on all branches? "zero", "nonzero" or "undecided".
function chart.decide(branches, e, options)
  local verdict = "zero"
  for _, branch in ipairs(branches) do
    local answer = core.decide(put(branch, e), options)
    if answer == "nonzero" then return answer end
    if answer == "undecided" then verdict = answer end
  end
  return verdict
end

return chart
