-- slips.lua: slips that two-sided constraints determine, so that their friction has nothing to act on.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"

local fail = object.fail
local slips = {}

local PLACES = 3                       -- points at which ranks are compared: columns that depend at all of them depend everywhere
local RANK = 1e-9                      -- of a column of length one: the remainder of a dependent column

-- Columns of length one, as one row-major matrix; nil where a value is not finite
local function matrix_of(values, first, last, size)
  local a, count = {}, last - first + 1
  for k = 1, count do
    local sum = 0
    for i = 1, size do sum = sum + values[(first + k - 2)*size + i]^2 end
    if not (sum < math.huge) then return nil end
    for i = 1, size do a[(i - 1)*count + k] = sum > 0 and values[(first + k - 2)*size + i]/math.sqrt(sum) or 0 end
  end
  return a, count
end

local function rank_of(values, first, last, size)
  local a, count = matrix_of(values, first, last, size)
  if not a then return nil end
  local zeros = {}
  for i = 1, size do zeros[i] = 0 end
  return (select(2, core.least_squares(size, count, a, zeros, RANK)))
end

-- Does one of the slips' columns behind m columns of constraints depend on the others at every place?
local function depends(observer, program, m, count, size)
  local n, seen = #observer.equations.kin + #observer.equations.dyn, false
  for place = 1, PLACES do
    local x = {}
    for i = 1, n do x[i] = 0.3 + (i*0.754877666 + place*0.569840291) % 1 end
    local values = observer:evaluate(program, nil, 0.1*place, x)
    local all, held = rank_of(values, 1, m + count, size), m > 0 and rank_of(values, 1, m, size) or 0
    if all and held then
      if all == held + count then return false end
      seen = true
    end
  end
  return seen
end

--- Raises where two-sided constraints determine the slip of a friction, whose force then has nothing to act on.
function slips.check(system, observer)
  -- a friction by hand on a rotation is judged at the run
  if #system._rotations > 0 then return end
  local q, v, constraints, names = system:coordinate_list(), system:velocity_list(), {}, {}
  for k, c in ipairs(#system.frictions > 0 and system.constraints or {}) do
    names[k] = c.name
    for _, e in ipairs(kinematics.levels(c, q, v).velocity.row) do constraints[#constraints + 1] = e end
  end
  for _, item in ipairs(#names > 0 and system.frictions or {}) do
    local list, texts = table.move(constraints, 1, #constraints, 1, {}), {}
    for i, s in ipairs(item.slips) do
      texts[i] = core.text(s)
      for _, e in ipairs(core.gradient(s, v)) do list[#list + 1] = e end
    end
    if depends(observer, observer:program(list, "slips of " .. item.name), #names, #item.slips, #v) then
      fail("friction '%s': the two-sided constraint%s %s determine%s %s %s; remove the friction, or the slip that does not occur", item.name,
        #names > 1 and "s" or "", object.quoted(names), #names > 1 and "" or "s", #texts > 1 and "a combination of its slips" or "its slip",
        table.concat(texts, ", "))
    end
  end
end

return slips
