-- mappings.lua: random moving constraints, completed to linear mappings: accelerations and multipliers are those of Lagrange's equations,
-- the connection preserves the metric, its torsion is the commutator of the frame, its curvature vanishes.
local hm, check = require "hamel", require "check"
local connection = require "hamel.geometry.connection"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local systems = check.draws(20)
print(("mappings: seed %d, %d systems"):format(seed, systems))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

-- t = f(x): a plane, bent along some coordinates
local function moment(q)
  local f = hm.number(0)
  for i, x in ipairs(q) do f = f + hm.rational(whole(1, 4), i + 1)*x end
  for _ = 1, whole(0, 2) do
    local x, y = pick(q), pick(q)
    f = f + pick{ x^2/4, x*y/5, hm.sin(x)/3 }
  end
  return f
end

local function random_system(number)
  local S, n = hm.system("random " .. number), whole(2, 3)
  local q, T = { S:coordinates(n == 2 and "x y" or "x y z") }, hm.number(0)
  for _, x in ipairs(q) do T = T + hm.rational(whole(1, 4), 2)*x.dot^2/2 end
  if random(0, 1) < 0.3 then T = T + q[1].dot*q[2].dot/8 end
  S:kinetic_energy(T)
  if random(0, 1) < 0.5 then S:potential_energy(pick(q)^2 + hm.cos(pick(q))) end
  for _, x in ipairs(q) do if random(0, 1) < 0.5 then S:force(x, pick(q).dot/3 + hm.sin(hm.t)) end end
  local f = moment(q)
  S:constraint("moving", f - hm.t)
  if n == 3 and random(0, 1) < 0.5 then S:constraint("plane", q[3].dot - pick{ q[1], hm.sin(q[2]), hm.number(1) }*q[1].dot) end
  return S, q, f
end

-- e at the coordinates
local function value(e, at)
  local point = {}
  for _, s in ipairs(e:symbols()) do point[s] = at[tostring(s)] end
  return e:eval(point)
end

-- Largest entry of a field at the coordinates
local function largest(field, at)
  if type(field) ~= "table" then return math.abs(value(field, at)) end
  local most = 0
  for _, part in ipairs(field) do most = math.max(most, largest(part, at)) end
  return most
end

-- The two sides agree within rounding of terms of the given size
local function same(got, want, size, what)
  if not (math.abs(got - want) <= 1e-9*(1 + size)) then error(("%s: %g and %g, terms of size %g"):format(what, got, want, size)) end
end

local function check_geometry(M, q, at, what)
  local n, g, gamma = #q, M.metric, M.connection
  local R, G = M:curvature(), largest(gamma, at)
  local metric_size, frame_size = G*largest(g, at), largest(M.b, at)^2 + G*largest(M.b, at)
  for mu = 1, n do
    for nu = 1, n do
      for r = 1, n do
        local slope, lowered, commutator = connection.along(M.b, q, nu, g[mu][r]), hm.number(0), hm.number(0)
        for s = 1, n do
          lowered = lowered + g[s][r]*gamma[s][mu][nu] + g[mu][s]*gamma[s][r][nu]
          commutator = commutator - M.torsion[s][mu][nu]*M.b[r][s]
        end
        same(value(slope, at), value(lowered, at), metric_size, what .. ", metricity")
        local bracket = connection.along(M.b, q, mu, M.b[r][nu]) - connection.along(M.b, q, nu, M.b[r][mu])
        same(value(commutator, at), value(bracket, at), frame_size, what .. ", torsion")
        for s = 1, n do same(value(R[s][r][mu][nu], at), 0, G^2, what .. ", curvature") end
      end
    end
  end
end

local integrable = 0
for number = 1, systems do
  local S, q, f = random_system(number)
  local unit = random(0, 1) < 0.5
  local at, v = {}, {}
  for i, name in ipairs(S.coordinate_names) do
    at[name] = random(0.2, 1)
    if i > 1 and i <= S.degrees_of_freedom + 1 then v[name] = random(-1, 1) end
  end
  local names = #q == 2 and "p s" or "p r s"
  local M = S:linear_mapping{ names = names, unit = unit }
  local what = ("seed %d, system %d"):format(seed, number)
  -- (17); what the algebra leaves undecided vanishes by its value
  for _, e in ipairs(M:coupling()) do
    assert(e:is_zero() == nil, what .. ": the metric couples space and time")
    same(value(e, at), 0, largest(M.metric, at), what .. ", block form")
  end
  local state = { q = at, v = v, t = value(f, at) }
  local want = S:accelerations(state)
  state.form, state.mapping = "mapping", M
  local got = S:accelerations(state)
  for name, a in pairs(want.a) do check.near(got.a[name], a, 1e-9, ("%s, %s''"):format(what, name)) end
  for name, l in pairs(want.lambda) do check.near(got.lambda[name], l, 1e-9, ("%s, lambda %s"):format(what, name)) end
  check_geometry(M, q, at, what)
  if M.integrable then integrable = integrable + 1 end
end
print(("  %d integrable, %d not"):format(integrable, systems - integrable))
