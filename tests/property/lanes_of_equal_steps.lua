-- Steps of one size in vector lanes against single runs: random systems of one to three coordinates with products, sines and quotients, damped, driven,
-- with constraints met by projection; random steps, times on the way, directions of time. Where no function is called rk4 has the same bits; all
-- else differs by rounding, as far as the motion magnifies it. Verdicts are those of single runs, and numbers do not depend on threads and lanes.
--   build/hamel tests/property/lanes_of_equal_steps.lua [SEED [COUNT]]
local hm, check, lanes = require "hamel", require "check", require "lanes"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(tonumber(arg and arg[2]) or 12)
math.randomseed(seed)
print(("seed %d, %d systems"):format(seed, count))
local random = math.random

local function number() return hm.rational(random(-8, 8), random(5, 20)) end

-- Sums and products alone, or with functions and quotients
local function term(a, b, plain)
  local kind = random(plain and 2 or 5)
  if kind == 1 then return a*b end
  if kind == 2 then return a^2*b end
  if kind == 3 then return hm.cos(a - b) end
  if kind == 4 then return a/(2 + b^2) end
  return hm.sin(a)*b
end

local function system(plain)
  local S = hm.system "random"
  local list = { S:coordinates(({ "a", "a b", "a b c" })[random(1, 3)]) }
  local k = S:parameters "k=1"
  local T, V = hm.rational(0), hm.rational(0)
  for _, q in ipairs(list) do
    T = T + hm.rational(random(5, 15), 10)*q.dot^2/2
    V = V + k*hm.rational(random(5, 15), 10)*q^2/2 + number()*term(q, list[random(#list)], plain)/2 + q^4/4
  end
  if not plain and #list > 1 then T = T + hm.cos(list[1])*list[1].dot*list[2].dot/4 end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local constrained = not plain and #list == 3 and random(3)
  if constrained == 1 then S:constraint("blade", list[1].dot*hm.sin(list[3]) - list[2].dot*hm.cos(list[3])) end
  if constrained == 2 then S:constraint("rod", list[1] - hm.sin(list[2])/2) end
  if not constrained and random(2) == 1 then
    S:force(list[1], -hm.rational(random(1, 6), 20)*list[1].dot + (plain and 0 or hm.cos(hm.t)/5))
  end
  return S, list, constrained
end

local function start_of(S, constrained)
  local q, v = {}, {}
  for i, name in ipairs(S.coordinate_names) do
    if not (constrained == 2 and i == 1) then q[name] = random()*0.8 - 0.4 end
    if not (constrained and constrained < 3 and i == 1) then v[name] = random()*0.8 - 0.4 end
  end
  return q, v
end

local function span()
  local step = ({ 0.01, 0.02, 0.05, 0.1 })[random(4)]*(0.5 + random())
  if random(2) == 1 then return { t = ({ 5, 8, -5 })[random(3)], step = step } end
  local times, t = {}, 0
  for _ = 1, random(4) do
    t = t + random()*2
    times[#times + 1] = t
  end
  return { times = times, step = step }
end

local worst, compared, same, clear = 0, 0, 0, 0
for draw = 1, count do
  local plain = random(2) == 1
  local S, list, constrained = system(plain)
  local q, v = start_of(S, constrained)
  local given = span()
  given.over = { { "k", { 0.8, 1.1, 1.3 } }, { S.coordinate_names[#list], { -0.2, 0.1, 0.25, 0.3 } } }
  given.q, given.v = q, v
  given.method = ({ "rk4", "rk4", "gauss4", "gauss6", "gauss8" })[random(5)]
  if constrained and random(2) == 1 then given.form = "lagrange" end
  local function run(width, threads) return lanes.sweep(S, given, width, threads) end
  local where = ("seed %d, draw %d, %s of %.6g"):format(seed, draw, given.method, given.step)
  local single, four = run(1, 1), run(4, 1)
  for _, wide in ipairs{ four, run(8, 1), run(8, 3), run(4, 2) } do
    for i, row in ipairs(single) do
      local other = wide[i]
      assert(row.status == other.status, ("%s, row %d: %s, in lanes %s (%s)"):format(where, i, row.status, other.status, tostring(other.reason)))
      clear = clear + (row.status == "OK" and 1 or 0)
      lanes.at_times(four[i], other, function(first, beside)
        for _, name in ipairs(S.coordinate_names) do
          assert(beside[name] == first[name], ("%s, row %d: %s differs by lanes or threads"):format(where, i, name))
        end
      end)
      lanes.at_times(row, other, function(one, beside)
        for _, name in ipairs(row.status == "OK" and S.coordinate_names or {}) do
          local off = math.abs(beside[name] - one[name])
          worst, compared = math.max(worst, off), compared + 1
          -- the general route projects in an order of its own, within the tolerance
          assert(off <= (constrained and 1e-9 or 1e-11), ("%s, row %d: %s is off by %.2g"):format(where, i, name, off))
          if plain and given.method == "rk4" then
            assert(off == 0, ("%s, row %d: %s has other bits"):format(where, i, name))
            same = same + 1
          end
        end
      end)
    end
  end
end
print(("%d values differ by at most %.2g, %d of rk4 not at all"):format(compared, worst, same))
assert(clear > 0 and compared > 20*count)
