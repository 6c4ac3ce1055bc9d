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

--- Names of coordinates, as many as the family at y has dimensions, whose values tell its members apart; nil: there are none.
function rest_families.names(problem, y)
  local flow, places, names = problem.flow, {}, {}
  for i, place in ipairs(flow.kept) do
    if place <= #flow.E.kin and flow.system._coordinate[core.text(flow.E.kin[place])] then places[#places + 1] = i end
  end
  for k, at in ipairs(tangent.pivots(along(problem, y), places, TOLD) or {}) do names[k] = core.text(flow.E.kin[flow.kept[at]]) end
  return #names > 0 and names or nil
end

return rest_families
