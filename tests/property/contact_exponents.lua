-- Lyapunov exponents of motions with impacts, slip and stick against those of differences of runs: two coupled coordinates, a wall that moves,
-- restitution, friction whose slip changes its sign. Over a short time the exponents are logarithms of the diagonal of R in Phi D = Q R, where D are
-- the first directions and Phi is the derivative of the end state by the start, here by differences of S:simulate. With `skip` their sum is that of Phi
-- from there on, or from where the directions are back which stick took away only in the first half.
local hm = require "hamel"
local Lyapunov = require "hamel.analysis.lyapunov"
local seed, count = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time())), tonumber(arg[2] or 12)
math.randomseed(seed)
local random = math.random

local function between(a, b) return a + (b - a)*random() end

local function random_system()
  local S = hm.system "random"
  local a, b = S:coordinates "a b"
  S:kinetic_energy(a.dot^2/2 + hm.rational(random(8, 15), 10)*b.dot^2/2 + hm.rational(random(-3, 3), 10)*hm.cos(b)*a.dot*b.dot)
  S:potential_energy(hm.rational(random(10, 20), 10)*a^2/2 + hm.rational(random(10, 20), 10)*b^2/2 + hm.rational(random(-3, 3), 10)*a*b)
  S:force(a, hm.rational(random(2, 8), 10)*hm.cos(hm.t*hm.rational(random(8, 20), 10)) - a.dot/10)
  local wall = hm.rational(random(1, 4), 10) + hm.rational(random(0, 2), 20)*hm.sin(hm.t) + hm.rational(random(-1, 1), 5)*b
  S:unilateral("wall", wall - a, { law = hm.newton(hm.rational(random(4, 9), 10)) })
  if random(2) == 1 then S:friction("rub", { slip = b.dot - hm.rational(1, 10), normal = 1, coefficient = random() < 0.5 and 0.05 or 0.3, static = 0.3 }) end
  return S
end

local t1, H, LOST = 6, 1e-6, 1e-6
local names = { "a", "b", "a", "b" }

local function ended(S, x, t0)
  local run = S:simulate{ q = { a = x[1], b = x[2] }, v = { a = x[3], b = x[4] }, t = { t0 or 0, t1 }, rtol = 1e-12, atol = 1e-13 }
  local last = run:at(t1)
  return { last.q.a, last.q.b, last.v.a, last.v.b }, run
end

local function signature(run)
  local words = {}
  for _, impact in ipairs(run.impacts) do words[#words + 1] = impact.name end
  for _, switch in ipairs(run.switches) do words[#words + 1] = switch.name .. switch.from .. switch.to end
  return table.concat(words, " ")
end

-- Logarithms of the diagonal of R over the time, the largest first; nil where the runs beside this one meet other events
local function by_differences(S, x, what, t0)
  local identity, images = {}, {}
  for i = 1, #names do
    identity[i] = {}
    for k = 1, #names do identity[i][k] = i == k and 1.0 or 0.0 end
  end
  for k, d in ipairs(Lyapunov.first_directions(identity, #names, #names)) do
    local ahead, back = {}, {}
    for i = 1, #names do ahead[i], back[i] = x[i] + H*d[i], x[i] - H*d[i] end
    local one, run = ended(S, ahead, t0)
    local other, beside = ended(S, back, t0)
    if signature(run) ~= what or signature(beside) ~= what then return nil end
    images[k] = {}
    for i = 1, #names do images[k][i] = (one[i] - other[i])/(2*H) end
  end
  local basis, list = {}, {}
  for k, d in ipairs(images) do
    for _, u in ipairs(basis) do
      local sum = 0
      for i = 1, #d do sum = sum + d[i]*u[i] end
      for i = 1, #d do d[i] = d[i] - sum*u[i] end
    end
    local length = 0
    for i = 1, #d do length = length + d[i]^2 end
    length = math.sqrt(length)
    -- what stick and contact take away is found by rounding only
    list[k] = length > LOST and math.log(length)/(t1 - (t0 or 0)) or -math.huge
    if length > LOST then
      for i = 1, #d do d[i] = d[i]/length end
      basis[#basis + 1] = d
    end
  end
  table.sort(list, function(p, q) return p > q end)
  return list
end

local function sum_of(list)
  local sum = 0
  for _, e in ipairs(list) do sum = sum + e end
  return sum
end

-- The sum of the exponents after a time that is skipped against that of differences; how often they were compared, and were of a later time than was asked for
local function compare_sums(S, x, run, where)
  local skip = between(0, t1/2)
  local L = S:lyapunov{ q = { a = x[1], b = x[2] }, v = { a = x[3], b = x[4] }, t = t1, skip = skip, rtol = 1e-11, atol = 1e-12 }
  local last, later = run:at(L.began), L.began > skip
  local state = { last.q.a, last.q.b, last.v.a, last.v.b }
  local _, rest = ended(S, state, L.began)
  -- a start in stick has fewer directions
  local sticks = #rest.switches > 0 and rest.switches[1].from == "stick"
  local list = not sticks and by_differences(S, state, signature(rest), L.began)
  if not list then return 0, 0 end
  local one, other = sum_of(L.exponents), sum_of(list)
  assert(one == other or math.abs(one - other) < 1e-4, ("%s: the sum from t = %.9g on is %.9g, by differences %.9g"):format(where, L.began, one, other))
  return 1, later and 1 or 0
end

local compared, refused, impacts, switches, worst, left_out, sums, renewed = 0, 0, 0, 0, 0, 0, 0, 0
for case = 1, count do
  local S = random_system()
  local x = { between(-1, -0.2), between(-0.5, 0.5), between(-0.5, 1), between(0.3, 1) }
  local _, run = ended(S, x)
  local what = signature(run)
  -- where the block sticks from the start there are fewer directions
  local fewer = #run.switches > 0 and run.switches[1].from == "stick"
  local list = not fewer and #run.impacts + #run.switches > 0 and #run.accumulations == 0 and by_differences(S, x, what)
  if list then
    local fine, L = pcall(S.lyapunov, S, { q = { a = x[1], b = x[2] }, v = { a = x[3], b = x[4] }, t = t1, rtol = 1e-11, atol = 1e-12 })
    -- an impact that ends stick has no derivative here
    if not fine then
      assert(tostring(L):find "change at once" and what:find "stick", ("seed %d, case %d: %s"):format(seed, case, tostring(L)))
      refused = refused + 1
    end
    for k, e in ipairs(fine and L.began == 0 and list or {}) do
      local off = e == L.exponents[k] and 0 or math.abs(e - L.exponents[k])
      worst = math.max(worst, off)
      assert(off < 1e-4, ("seed %d, case %d: exponent %d is %.9g, by differences %.9g; %s"):format(seed, case, k, L.exponents[k], e, what))
    end
    if fine then
      local one, later = compare_sums(S, x, run, ("seed %d, case %d"):format(seed, case))
      compared, sums, renewed = compared + 1, sums + one, renewed + later
    end
    impacts, switches = impacts + #run.impacts, switches + #run.switches
  else
    left_out = left_out + 1
  end
end
assert(compared > 0, ("seed %d: nothing was compared"):format(seed))
print(("seed %d: %d motions with %d impacts and %d switches, off by %.1e at most; %d refused, %d left out"):format(seed,
  compared, impacts, switches, worst, refused, left_out))
print(("%d sums after a time that is skipped, %d of them from where directions are back"):format(sums, renewed))
