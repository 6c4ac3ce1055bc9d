-- narrower.lua: statements over smaller boxes of parameters, and how much smaller those are that are proved where the given ones are not.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local symbols = require "hamel.algebra.symbols"

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

local MOST_PROOFS, DEEPEST = 60, 10

-- Both halves of a box across its side that was halved least
local function halves(problem, sides)
  local side = 1
  for i = 2, #sides do if sides[i].cuts < sides[side].cuts then side = i end end
  local item, out = problem.parameters[sides[side].place], {}
  local middle = core.rational(1, 2)*(item[2] + item[3])
  for k, ends in ipairs{ { item[2], middle }, { middle, item[3] } } do
    out[k] = setmetatable({ parameters = table.move(problem.parameters, 1, #problem.parameters, 1, {}) }, { __index = problem })
    out[k].parameters[sides[side].place] = { item[1], table.unpack(ends) }
  end
  local cut = {}
  for i, other in ipairs(sides) do cut[i] = { place = other.place, cuts = other.cuts + (i == side and 1 or 0) } end
  return out, cut
end

--- Halves the boxes until each piece is proved: true and the number of pieces; false and a piece that is not proved though it was halved DEEPEST times; nil
--- where neither is found by MOST_PROOFS proofs, or for balls.
function narrower.pieces(problem, proves)
  local sides, proofs, proved = {}, 0, 0
  for i, item in ipairs(problem.parameters) do
    if item[3] then sides[#sides + 1] = { place = i, cuts = 0 } elseif core.is_ball(item[2]) then return nil end
  end
  local function walk(piece, cuts, depth)
    if proofs == MOST_PROOFS then return nil end
    proofs = proofs + 1
    if depth > 0 and proves(piece) then
      proved = proved + 1
      return true
    elseif depth == DEEPEST then
      return false, piece
    end
    local parts, cut = halves(piece, cuts)
    for _, part in ipairs(parts) do
      local fine, where = walk(part, cut, depth + 1)
      if not fine then return fine, where end
    end
    return true
  end
  local whole, piece = walk(problem, sides, 0)
  return whole, whole and proved or piece
end

-- What boxes in the whole one prove
local function of_pieces(whole, found)
  if whole then return (", and %d pieces that touch prove the whole"):format(found) end
  if whole == false then
    local middle = {}
    for _, item in ipairs(found.parameters) do
      if item[3] then middle[#middle + 1] = ("%s = %.4g"):format(core.text(item[1]), symbols.number(core.rational(1, 2)*(item[2] + item[3]))) end
    end
    return (", but none about %s, down to one %d times smaller: several solutions may come together near there, or there may be none"):format(
      table.concat(middle, ", "), 2^(DEEPEST//#middle))
  end
  return "; several that touch may prove the whole"
end

--- What to do where the statement holds for the middle of the boxes, but is not proved for these, for a cause. times, tried: the results of narrower.times;
--- whole, found: those of narrower.pieces, where these were tried.
function narrower.advice(problem, cause, times, tried, whole, found)
  local boxes = certificate_text.boxes(problem)
  if times then return ("for %s: %s; boxes %d times smaller are proved about their middle%s"):format(boxes, cause, times, of_pieces(whole, found)) end
  return ("for %s: %s; it is proved for %s, the middle, but for no box about it down to one %.2g times smaller"):format(boxes, cause,
    narrower.values(narrower.problem(problem, math.huge)), tried)
end

--- Why the place of a statement with boxes is not proved, with the advice; nil: there are no boxes, or not even their middle is proved, for which other advice
--- holds. found: the result of prove(problem).
function narrower.refusal(problem, found, prove)
  if not certificate_text.boxes(problem) or not prove(narrower.problem(problem, math.huge)).proved then return nil end
  local function proves(other) return prove(other).proved end
  local cause = found.contraction < 1 and found.reason:gsub("; give .*$", "") or ("the contraction is %.2g, not below 1"):format(found.contraction)
  local times, tried = narrower.times(problem, found.contraction, proves)
  if not times then return narrower.advice(problem, cause, times, tried) end
  return narrower.advice(problem, cause, times, tried, narrower.pieces(problem, proves))
end

return narrower
