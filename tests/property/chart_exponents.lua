-- Charts of exponents against S:lyapunov of the same starts: random systems of one to three coordinates, damped, driven, with constraints on velocities
-- and positions, with an ignorable coordinate, over parameters, starts and levels of the energy, by dop853 and by steps of one size. The same sums of
-- logarithms over the same time, so what differs is the error of the steps. Numbers do not depend on threads.
local hm = require "hamel"
local seed, count = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time())), tonumber(arg[2] or 25)
math.randomseed(seed)
local random = math.random

local function coefficient() return hm.rational(random(-8, 8), random(5, 20)) end

local function potential(list)
  local V = hm.rational(0)
  for i, q in ipairs(list) do
    V = V + hm.rational(random(5, 15), 10)*q^2/2 + hm.rational(random(1, 5), 10)*q^4/4
    for k = 1, i - 1 do V = V + coefficient()*q*list[k] end
  end
  return V
end

local function random_system()
  local S = hm.system "random"
  local names = ({ "a", "a b", "a b c" })[random(1, 3)]
  local list = { S:coordinates(names) }
  local k = S:parameters "k=1"
  local T = hm.rational(0)
  for _, q in ipairs(list) do T = T + hm.rational(random(5, 15), 10)*q.dot^2/2 end
  if #list > 1 and random(2) == 1 then T = T + hm.rational(1, 4)*hm.cos(list[1])*list[1].dot*list[2].dot end
  local idle = #list > 1 and random(4) == 1
  local felt = idle and table.move(list, 2, #list, 1, {}) or list
  S:kinetic_energy(T)
  S:potential_energy(k*potential(felt))
  local damped, driven = random(2) == 1, random(2) == 1
  for i, q in ipairs(list) do
    local force = hm.rational(0)
    if damped then force = force - hm.rational(random(1, 6), 20)*q.dot end
    if driven and i == 1 then force = force + hm.rational(random(1, 5), 10)*hm.cos(hm.rational(random(5, 15), 10)*hm.t) end
    if damped or driven then S:force(q, force) end
  end
  local constraint = #list == 3 and random(3) or 3
  if constraint == 1 then S:constraint("blade", list[1].dot*hm.sin(list[3]) - list[2].dot*hm.cos(list[3])) end
  if constraint == 2 then S:constraint("rod", list[1] - hm.sin(list[2])/2) end
  return S, list, { constraint = constraint, level = not driven and constraint == 3 and random(2) == 1 }
end

local function start_of(S, how)
  local q, v = {}, {}
  for i, name in ipairs(S.coordinate_names) do
    if not (how.constraint == 2 and i == 1) then q[name] = random()*0.6 - 0.3 end
    if not (how.constraint ~= 3 and i == 1) and not (how.level and i == 1) then v[name] = random()*0.6 - 0.3 end
  end
  return q, v
end

local compared, worst, refused = 0, 0, 0
for _ = 1, count do
  local S, list, how = random_system()
  local q, v = start_of(S, how)
  local over = { how.level and { "energy", { 0.9, 1.2 } } or { "k", { 0.8, 1.1, 1.3 } } }
  if random(2) == 1 then over[2] = { S.coordinate_names[#list], { -0.2, 0.1, 0.25 } } end
  local o = { over = over, q = q, v = v, t = random() < 0.5 and 12 or { 1, 14 }, rtol = 1e-11, atol = 1e-12, of = "exponents", progress = false }
  if random(3) == 1 then o.n = 1 end
  if random(3) == 1 then o.method, o.step = ({ "rk4", "gauss4", "gauss6", "gauss8" })[random(4)], 0.02 + 0.05*random() end
  local fine, C = pcall(S.chart, S, o)
  if not fine then error(("seed %d: %s"):format(seed, C)) end
  for threads = 1, 3 do
    o.threads = threads
    for i, row in ipairs(S:chart(o)) do
      for k, e in ipairs(C[i].exponents or {}) do
        assert(row.exponents[k] == e, ("seed %d: %d threads change exponent %d of row %d"):format(seed, threads, k, i))
      end
    end
  end
  for _, row in ipairs(C) do
    local given = { q = {}, v = {}, t = o.t, rtol = o.rtol, atol = o.atol, n = o.n, method = o.method, step = o.step, parameters = { k = row.k },
                    form = S:default_form() }
    for name, value in pairs(q) do given.q[name] = value end
    for name, value in pairs(v) do given.v[name] = value end
    if over[2] then given.q[over[2][1]] = over[2][2][1 + (row.index - 1) % #over[2][2]] end
    local L
    if how.level and row.exponents then
      -- the velocity of the energy by S:simulate's start
      local first = S.coordinate_names[1]
      local rest = {}
      for name, value in pairs(given.v) do rest[name] = value end
      local W = S:sweep{ over = { { "energy", { row.energy } } }, q = given.q, v = rest, t = o.t, times = { type(o.t) == "table" and o.t[1] or 0 },
                         keep = { speed = first .. "'" }, progress = false }
      given.v[first] = W[1].speed
    end
    if row.exponents then
      local found
      found, L = pcall(S.lyapunov, S, given)
      -- where a form without constraints is singular the chart takes this one
      if not found and tostring(L):find "singular" then
        given.form = "lagrange"
        found, L = pcall(S.lyapunov, S, given)
      end
      assert(found, ("seed %d: row %d has exponents in the chart; S:lyapunov says: %s"):format(seed, row.index, tostring(L)))
      for k, e in ipairs(row.exponents) do
        local off = math.abs(e - L.exponents[k])
        worst, compared = math.max(worst, off), compared + 1
        assert(off < 1e-6, ("seed %d: exponent %d of row %d is %.12g in the chart, %.12g by S:lyapunov"):format(seed, k, row.index, e, L.exponents[k]))
      end
    else
      refused = refused + 1
      assert(row.status ~= "OK" and row.reason, ("seed %d: row %d has no exponents and no reason"):format(seed, row.index))
    end
  end
end
assert(compared > 2*count, ("seed %d: only %d numbers were compared"):format(seed, compared))
print(("seed %d: %d exponents, off by %.1e at most; %d rows without"):format(seed, compared, worst, refused))
