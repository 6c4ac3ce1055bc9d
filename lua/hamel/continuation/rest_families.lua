-- rest_families.lua: states of rest that come in families at each value of the parameters: coordinates whose values tell the members of a family apart.
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local tangent = require "hamel.analysis.tangent"

local rest_families = {}

local SMALL, TOLD = 1e-8, 1e-6           -- of the largest singular value: zero; of a direction: a part that is rounding

-- Directions along which states of rest go on at the same parameters
local function along(problem, y)
  local directions = problem:directions(y)
  local _, rows = problem:equations(y, directions)
  local n, flat, list = #directions.fixed, {}, {}
  for _, row in ipairs(problem:full_matrix(directions, rows)) do table.move(row, 1, n, #flat + 1, flat) end
  if n == 0 then return list end
  local values, vectors = core.singular(n, n, flat)
  for c = 1, n do
    if not (values[c] > SMALL*values[1]) then
      local s = {}
      for i = 1, n do s[i] = vectors[(i - 1)*n + c] end
      list[#list + 1] = corrector.combined(directions.fixed, s)
    end
  end
  return list
end

-- The place, among some, at which a direction is largest
local function largest(d, places)
  local best
  for _, i in ipairs(places) do if not best or math.abs(d[i]) > math.abs(d[best]) then best = i end end
  return best
end

--- Names of coordinates, as many as the family at y has dimensions, whose values tell its members apart; nil: there are none.
function rest_families.names(problem, y)
  local flow, places, names = problem.flow, {}, {}
  for i, place in ipairs(flow.kept) do
    if place <= #flow.E.kin and flow.system._coordinate[core.text(flow.E.kin[place])] then places[#places + 1] = i end
  end
  local list = along(problem, y)
  while #list > 0 do
    -- the direction with the largest part in a coordinate, which the others then have no part in
    local best, at, part = nil, nil, TOLD
    for k, d in ipairs(list) do
      local i = largest(d, places)
      if i and math.abs(d[i]) > part*math.sqrt(tangent.dot(d, d)) then best, at, part = k, i, math.abs(d[i])/math.sqrt(tangent.dot(d, d)) end
    end
    if not best then return nil end
    local pivot = table.remove(list, best)
    for _, d in ipairs(list) do
      local factor = d[at]/pivot[at]
      for i = 1, #d do d[i] = d[i] - factor*pivot[i] end
    end
    names[#names + 1] = core.text(flow.E.kin[flow.kept[at]])
  end
  return #names > 0 and names or nil
end

return rest_families
