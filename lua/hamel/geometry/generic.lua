-- generic.lua: ranks of matrices of expressions at a generic point, by values modulo a prime.
local core = require "hamel.core"
local declared = require "hamel.geometry.declared"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"

local generic = {}

local EXTRA = 5                        -- samples more than entries of a column

--- The places of columns that are independent of those before them, at one random point modulo a prime, for the declared values of parameters
--- (generic ones where there are none). That they are independent is proved; that one left out is independent has a chance below 1e-15.
---@param columns table lists of expressions of one length
function generic.independent(system, columns)
  local covector, roots, places = {}, {}, {}
  for i = 1, #columns[1] do covector[i] = core.symbol("_" .. i, 0) end
  for j, column in ipairs(columns) do roots[j], places[j] = kinematics.dot(covector, column), j end
  roots = declared(system)(roots)
  local fixed = {}
  for _, s in ipairs(core.symbols(roots)) do if not object.contains(covector, s) then fixed[#fixed + 1] = s end end
  return (core.sift(core.residues{ roots = roots, fixed = fixed, points = #covector + EXTRA }, places, 0, false))
end

return generic
