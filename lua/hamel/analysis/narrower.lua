-- narrower.lua: statements over smaller boxes of parameters, and how much smaller those are that are proved where the given ones are not.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"

local narrower = {}

--- The values of the parameters known within bounds, in words.
function narrower.values(problem)
  local words = {}
  for _, item in ipairs(problem.parameters) do
    local value = core.is_ball(item[2]) and item[2]:text(10) or core.text(item[2])
    if certificate_text.is_box(item) then words[#words + 1] = ("%s = %s"):format(core.text(item[1]), value) end
  end
  return table.concat(words, ", ")
end

--- The same statement with boxes of parameters that are so many times smaller, about their middles; math.huge: the middles alone.
function narrower.problem(problem, times)
  local other, half = setmetatable({ parameters = {} }, { __index = problem }), core.rational(1, 2)
  for i, item in ipairs(problem.parameters) do
    if item[3] then
      local middle = half*(item[2] + item[3])
      local wide = times < math.huge and (item[3] - item[2])*core.rational(1, 2*times) or core.rational(0)
      item = { item[1], middle - wide, middle + wide }
    elseif core.is_ball(item[2]) then
      local middle = item[2]:midpoint()
      local wide = core.ball(("%a"):format(item[2].radius/times), 64)
      item = { item[1], times < math.huge and core.ball_around(middle, wide) or middle }
    end
    other.parameters[i] = item
  end
  return other
end

local MOST_NARROWINGS = 12

--- How many times narrower boxes of the parameters are proved about their middles, where Krawczyk's test had such a contraction; nil, and how much smaller the
--- last ones were: none that were tried. proves(problem): is this one proved?
function narrower.times(problem, contraction, proves)
  local times = 2
  while times < 1.5*contraction and times < 1e6 do times = 2*times end
  for _ = 1, MOST_NARROWINGS do
    if proves(narrower.problem(problem, times)) then return times end
    times = 4*times
  end
  return nil, times/4
end

--- What to do where the statement holds for the middle of the boxes, but is not proved for these, for a cause; the rest: the results of narrower.times.
function narrower.advice(problem, cause, times, tried)
  local boxes = certificate_text.boxes(problem)
  if times then
    return ("for %s: %s; boxes %d times smaller are proved about their middle: several that touch prove the whole"):format(boxes, cause, times)
  end
  return ("for %s: %s; it is proved for %s, the middle, but for no box about it down to one %.2g times smaller"):format(boxes, cause,
    narrower.values(narrower.problem(problem, math.huge)), tried)
end

--- Why the place of a statement with boxes is not proved, with the advice; nil: there are no boxes, or not even their middle is proved, for which other advice
--- holds. found: the result of prove(problem).
function narrower.refusal(problem, found, prove)
  if not certificate_text.boxes(problem) or not prove(narrower.problem(problem, math.huge)).proved then return nil end
  local cause = found.contraction < 1 and found.reason:gsub("; give .*$", "") or ("the contraction is %.2g, not below 1"):format(found.contraction)
  return narrower.advice(problem, cause, narrower.times(problem, found.contraction, function(other) return prove(other).proved end))
end

return narrower
