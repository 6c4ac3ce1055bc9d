-- affine.lua: expressions linear in given symbols, as coefficients and rests.
local core = require "hamel.core"
local vanishing = require "hamel.algebra.vanishing"

local affine = {}

--- Rows M and rests of a list of expressions that are linear in the symbols u: e = M u + rest.
function affine.split(list, u)
  local M, rest = {}, {}
  for s, e in ipairs(list) do M[s], rest[s] = core.gradient(e, u), vanishing.without(e, u) end
  return M, rest
end

--- The same for any expressions; nil and the index of the first that is not proved to be linear in u.
function affine.of(list, u)
  -- before zeros take the place of u, which may stand in a denominator
  for s, e in ipairs(list) do
    for _, entry in ipairs(core.gradient(e, u)) do if not vanishing.all(core.gradient(entry, u)) then return nil, s end end
  end
  return affine.split(list, u)
end

return affine
