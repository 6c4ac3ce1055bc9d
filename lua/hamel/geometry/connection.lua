-- connection.lua: connections and their curvature in a frame e_mu = b^k_mu d_k that need not belong to coordinates.
local core = require "hamel.core"

local connection = {}

local function sum_over(n, f)
  local terms = {}
  for i = 1, n do terms[i] = f(i) end
  return core.sum(terms)
end
connection.sum_over = sum_over

-- A field with `rank` indices from 1 to n by its entries f(i, j, ...)
local function tensor(n, rank, f, ...)
  if rank == 0 then return f(...):simplify() end
  local result, fixed = {}, { ... }
  for i = 1, n do
    fixed[#fixed + 1] = i
    result[i] = tensor(n, rank - 1, f, table.unpack(fixed))
    fixed[#fixed] = nil
  end
  return result
end
connection.tensor = tensor

--- Derivative of e along the frame vector e_mu: b^k_mu d_k e.
function connection.along(b, q, mu, e)
  local slope = core.gradient(e, q)
  return sum_over(#q, function(k) return b[k][mu]*slope[k] end)
end

--- Gamma^s_(mu nu) = a^s_j b^k_nu d_k b^j_mu (Wang 2019 (9)), the index of differentiation last: what the zero connection of the
--- configuration space becomes, D_nu e_mu = Gamma^s_(mu nu) e_s.
function connection.induced(a, b, q)
  local n = #q
  return tensor(n, 3, function(s, mu, nu)
    return sum_over(n, function(j) return a[s][j]*connection.along(b, q, nu, b[j][mu]) end)
  end)
end

--- Gamma^s_(mu nu) - Gamma^s_(nu mu). Also -C, where [e_mu, e_nu] = C^s_(mu nu) e_s, because the zero connection has no torsion.
function connection.torsion(gamma)
  return tensor(#gamma, 3, function(s, mu, nu) return gamma[s][mu][nu] - gamma[s][nu][mu] end)
end

--- Christoffel symbols {s; mu nu} of the metric g with derivatives along the frame taken as if they commuted.
function connection.levi_civita(g, inverse, b, q)
  local n = #q
  local slope = tensor(n, 3, function(r, mu, nu) return connection.along(b, q, nu, g[r][mu]) end)
  return tensor(n, 3, function(s, mu, nu)
    return sum_over(n, function(r) return inverse[s][r]*(slope[r][mu][nu] + slope[r][nu][mu] - slope[mu][nu][r])/2 end)
  end)
end

--- R^s_(r mu nu) = e_mu(G^s_(r nu)) - e_nu(G^s_(r mu)) + G^s_(l mu) G^l_(r nu) - G^s_(l nu) G^l_(r mu) - C^l_(mu nu) G^s_(r l) of the
--- coefficients G; without `torsion` (which is -C) the last term is left out, as in coordinates.
function connection.curvature(G, b, q, torsion)
  local n = #q
  local function entry(s, r, mu, nu)
    return connection.along(b, q, mu, G[s][r][nu]) - connection.along(b, q, nu, G[s][r][mu]) + sum_over(n, function(l)
      local term = G[s][l][mu]*G[l][r][nu] - G[s][l][nu]*G[l][r][mu]
      return torsion and term + torsion[l][mu][nu]*G[s][r][l] or term
    end)
  end
  -- antisymmetric in the last two
  local field = tensor(n, 4, function(s, r, mu, nu) return mu < nu and entry(s, r, mu, nu) or core.rational(0) end)
  for s = 1, n do
    for r = 1, n do
      for mu = 1, n do for nu = 1, mu - 1 do field[s][r][mu][nu] = -field[s][r][nu][mu] end end
    end
  end
  return field
end

--- Do all entries of a field vanish? true, false, or nil for cannot tell.
function connection.vanishes(field)
  if core.is_expression(field) then return field:is_zero() end
  local answer = true
  for _, part in ipairs(field) do
    local zero = connection.vanishes(part)
    if zero == false then return false end
    if zero == nil then answer = nil end
  end
  return answer
end

return connection
