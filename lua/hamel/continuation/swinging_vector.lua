-- swinging_vector.lua: the direction in which a pair of eigenvalues +-w i of a matrix swings.
local core = require "hamel.core"

--- A unit vector in the plane of the pair, where A^2 + w^2 is singular. A: a list of rows
return function(A, w)
  local n, flat = #A, {}
  for i = 1, n do
    for k = 1, n do
      local entry = i == k and w^2 or 0.0
      for j = 1, n do entry = entry + A[i][j]*A[j][k] end
      flat[#flat + 1] = entry
    end
  end
  local _, vectors = core.singular(n, n, flat)
  local u = {}
  for i = 1, n do u[i] = vectors[(i - 1)*n + n] end
  return u
end
