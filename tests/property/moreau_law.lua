-- moreau_law.lua: impacts of several contacts at once on random small problems against a brute-force enumeration of all contact states,
-- written here from the masses and gradients alone. Arbiter: the enumeration.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local problems = check.draws(60)
print(("moreau_law: seed %d, %d problems"):format(seed, problems))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

-- A x = b by elimination with row pivoting; nil where it is singular
local function solve(A, b)
  local n, rows = #b, {}
  for i = 1, n do
    rows[i] = table.move(A[i], 1, n, 1, {})
    rows[i][n + 1] = b[i]
  end
  for k = 1, n do
    local p = k
    for i = k + 1, n do if math.abs(rows[i][k]) > math.abs(rows[p][k]) then p = i end end
    if math.abs(rows[p][k]) < 1e-9 then return nil end
    rows[k], rows[p] = rows[p], rows[k]
    for i = 1, n do
      if i ~= k then
        local factor = rows[i][k]/rows[k][k]
        for j = k, n + 1 do rows[i][j] = rows[i][j] - factor*rows[k][j] end
      end
    end
  end
  local x = {}
  for i = 1, n do x[i] = rows[i][n + 1]/rows[i][i] end
  return x
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i]*b[i] end
  return sum
end

-- Velocities after: every subset of contacts carries impulses that give u+ = -e u-, the others none; the one that is admissible
local function enumerate(M, W, v, e)
  local k, responses = #W, {}
  for i = 1, k do responses[i] = solve(M, W[i]) end
  for set = 0, 2^k - 1 do
    local list, A, b = {}, {}, {}
    for i = 1, k do if set >> (i - 1) & 1 == 1 then list[#list + 1] = i end end
    for r, i in ipairs(list) do
      A[r] = {}
      for c, j in ipairs(list) do A[r][c] = dot(W[i], responses[j]) end
      b[r] = -(1 + e[i])*dot(W[i], v)
    end
    local P = #list == 0 and {} or solve(A, b)
    if P then
      local after, fine = table.move(v, 1, #v, 1, {}), true
      for r, i in ipairs(list) do
        fine = fine and P[r] >= -1e-12
        for s = 1, #v do after[s] = after[s] + responses[i][s]*P[r] end
      end
      for i = 1, k do fine = fine and dot(W[i], after) + e[i]*dot(W[i], v) >= -1e-10 end
      if fine then return after, P, list end
    end
  end
  error "no admissible set"
end

local struck, largest = 0, 0
for number = 1, problems do
  -- the last two have more contacts than the core enumerates: it sweeps
  local many = number > problems - 2
  local n = many and 11 or whole(2, 5)
  local k = many and 11 or whole(1, n)
  local S, names = hm.system("contacts " .. number), {}
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local M, W, v, e, T = {}, {}, {}, {}, hm.number(0)
  for i = 1, n do
    M[i] = {}
    for j = 1, n do M[i][j] = i == j and 2 + random(0, 2) or j < i and M[j][i] or random(-0.4, 0.4) end
  end
  for i = 1, n do for j = 1, n do T = T + M[i][j]*q[i].dot*q[j].dot/2 end end
  S:kinetic_energy(T)
  for c = 1, k do
    W[c], e[c] = {}, random(0, 1)
    local gap = hm.number(0)
    for i = 1, n do
      W[c][i] = random(-1, 1)
      gap = gap + W[c][i]*q[i]
    end
    S:unilateral("c" .. c, gap, { law = hm.newton(e[c]) })
  end
  local start = { q = {}, v = {}, t = 1e-9, rtol = 1e-11, atol = 1e-13 }
  for i = 1, n do
    v[i] = random(-1, 1)
    start.q["q" .. i], start.v["q" .. i] = 0, v[i]
  end
  if many then
    -- all of them approach
    for c = 1, k do
      if dot(W[c], v) > 0 then for i = 1, n do W[c][i] = -W[c][i] end end
    end
    S = hm.system("many contacts " .. number)
    q = { S:coordinates(table.concat(names, " ")) }
    S:kinetic_energy(T)
    for c = 1, k do
      local gap = hm.number(0)
      for i = 1, n do gap = gap + W[c][i]*q[i] end
      S:unilateral("c" .. c, gap, { law = hm.newton(e[c]) })
    end
  end
  local approaching = false
  for c = 1, k do approaching = approaching or dot(W[c], v) < -1e-6 end
  if approaching then
    -- contacts that separate are not struck: only those that approach, and then, in further impacts, those that come to approach
    local hit, active = {}, {}
    for c = 1, k do if dot(W[c], v) < 0 then hit[#hit + 1], active[#active + 1] = W[c], e[c] end end
    local want = enumerate(M, hit, v, active)
    local run = S:simulate(start)
    local first = assert(run.impacts[1], "nothing was struck")
    for i = 1, n do check.near(first.after.v["q" .. i], want[i], 1e-9, ("seed %d, problem %d, q%d"):format(seed, number, i)) end
    struck, largest = struck + 1, math.max(largest, #hit)
  end
end
print(("  %d impacts compared, up to %d contacts at once"):format(struck, largest))
assert(struck > problems/2 and largest == 11)
