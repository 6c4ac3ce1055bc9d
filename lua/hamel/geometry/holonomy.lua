-- holonomy.lua: are the constraints integrable? Frobenius' condition in the form of Voronets' brackets.
local core = require "hamel.core"
local kinematics = require "hamel.kinematics"
local symbols = require "hamel.symbols"
local System = require "hamel.system"

-- beta^k_jl = X_l c_kj - X_j c_kl and beta^k_j0 = X_0 c_kj - X_j c_k0, which all vanish exactly for integrable constraints
local function brackets(system)
  local S = kinematics.solved(system, nil, "holonomic")
  local q = system:coordinate_list()
  local function X(l, e)
    local sum = { l == 0 and core.diff(e, symbols.t) or core.diff(e, q[S.independent[l]]) }
    for i, dependent in ipairs(S.dependent) do sum[#sum + 1] = (l == 0 and S.c0[i] or S.c[i][l])*core.diff(e, q[dependent]) end
    return core.sum(sum)
  end
  local list = {}
  for k = 1, #S.dependent do
    for j = 1, #S.independent do
      list[#list + 1] = X(0, S.c[k][j]) - X(j, S.c0[k])
      for l = j + 1, #S.independent do list[#list + 1] = X(l, S.c[k][j]) - X(j, S.c[k][l]) end
    end
  end
  return list
end

--- Are the constraints, taken together, integrable? true, false, or nil for "cannot tell". Linear constraints: Frobenius' condition
--- on the distribution with time, all other constraints included. The second result lists the brackets that do not vanish.
function System:holonomic()
  local answer, witnesses = true, {}
  for _, bracket in ipairs(brackets(self)) do
    local zero = bracket:is_zero()
    if zero == false then
      answer = false
      witnesses[#witnesses + 1] = bracket
    elseif zero == nil and answer then
      answer = nil
    end
  end
  return answer, witnesses
end

return true
