-- kinks.lua: jumps in the equations of a branch, as of sign(x), beside a point at which it stops.
local core = require "hamel.core"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local kinks = {}

local rules = {
  abs = function(u) return u end,
  sign = function(u) return u end,
  min = function(u, v) return u - v end,
  max = function(u, v) return u - v end,
}

-- The functions in formulas that have a corner or jump, as pairs { the function, what vanishes there }, each once
local function listed(expressions)
  local stack, met, list = table.move(expressions, 1, #expressions, 1, {}), {}, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      local operands = core.operands(part)
      local rule = core.kind(part) == "call" and rules[core.name(part)]
      if rule then list[#list + 1] = { part, rule(table.unpack(operands)) } end
      table.move(operands, 1, #operands, #stack + 1, stack)
    end
  end
  return list
end

-- Is a function one of the parameters that change alone? Others are passed on the way, at some time, unless the motions are states of rest
local function is_met(problem, e)
  if problem.at_rest then return true end
  for _, s in ipairs(core.symbols{ e }) do if not object.contains(problem.held or {}, s) then return false end end
  return true
end

local BESIDE, LONGEST = 1e-6, 80        -- distance from a jump in the units of the unknowns; characters of a function that is printed

-- A corner where a function e of the problem vanishes at a point, in words; nil: it does not
local function at_corner(problem, point, text, e)
  local value, gradient = states.part(problem.space, e)(point.y)
  local size = math.sqrt(tangent.dot(gradient, gradient))
  if not (size > 0 and math.abs(value) <= BESIDE*size) or #text > LONGEST then return nil end
  return ("%s is not smooth where %s = 0"):format(text, states.text(problem.flow.E, e))
end

--- The jumps and corners beside a point, in words; nil: there are none.
function kinks.beside(problem, point)
  local words = {}
  for _, item in ipairs(listed(tangent.expressions(problem.flow.E, {}))) do
    local word = is_met(problem, item[2]) and at_corner(problem, point, states.text(problem.flow.E, item[1]), item[2])
    if word and not object.contains(words, word) then words[#words + 1] = word end
  end
  return #words > 0 and table.concat(words, ", ") .. "; begin again on its other side" or nil
end

return kinks
