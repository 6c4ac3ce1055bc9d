-- Lyapunov exponents of driven oscillators with dry friction, a belt or a wall after a time that is skipped: their sum against the determinant of the
-- derivative of the end state by that at the beginning of the average, by differences of S:simulate. It vanishes where contact or stick takes a direction away.
local hm = require "hamel"
local seed, count = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time())), tonumber(arg[2] or 40)*tonumber(os.getenv "HML_SCALE" or 1)
math.randomseed(seed)

local function between(a, b) return a + (b - a)*math.random() end

local H, FINE, NOISE, CLOSE = 1e-6, { rtol = 1e-12, atol = 1e-13 }, 1e-5, 1e-3

local function random_system()
  local S = hm.system "driven"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, hm.cos(between(0.4, 1.6)*hm.t) - x.dot*between(0, 0.1))
  local kind = math.random(3)
  if kind == 1 then S:friction("rub", { slip = x.dot, normal = 1, coefficient = between(0.1, 0.6) }) end
  if kind == 2 then S:friction("belt", { slip = x.dot - between(0.1, 0.5), normal = 1, coefficient = between(0.1, 0.6) }) end
  if kind == 3 then S:unilateral("wall", between(0.2, 1) - x, { law = hm.newton(math.random(2) == 1 and 0 or between(0.2, 0.9)) }) end
  return S, between(-1, 0.1), between(-1, 1)
end

local function signature(run)
  local words = {}
  for _, impact in ipairs(run.impacts) do words[#words + 1] = impact.name end
  for _, switch in ipairs(run.switches) do words[#words + 1] = switch.name .. switch.from .. switch.to end
  return table.concat(words, " ")
end

-- The state at the end of a run from (x, v) at t0, and what happens on the way; nil where it cannot start
local function ended(S, x, v, t0, t1)
  local fine, run = pcall(S.simulate, S, { q = { x = x }, v = { x = v }, t = { t0, t1 }, rtol = FINE.rtol, atol = FINE.atol })
  if not fine then return nil end
  local last = run:at(t1)
  return { last.q.x, last.v.x }, signature(run)
end

-- Their determinant over the size of the columns, below NOISE by errors alone, and its logarithm; nil where the motions beside this one meet other events
local function determinant(S, x, v, t0, t1)
  local _, what = ended(S, x, v, t0, t1)
  local columns, size = {}, 0
  for k = 1, 2 do
    local dx, dv = k == 1 and H or 0, k == 2 and H or 0
    local ahead, one = ended(S, x + dx, v + dv, t0, t1)
    local back, other = ended(S, x - dx, v - dv, t0, t1)
    if not what or one ~= what or other ~= what then return nil end
    columns[k] = { (ahead[1] - back[1])/(2*H), (ahead[2] - back[2])/(2*H) }
    size = math.max(size, columns[k][1]^2 + columns[k][2]^2)
  end
  local value = math.abs(columns[1][1]*columns[2][2] - columns[1][2]*columns[2][1])
  return size > 0 and value/math.sqrt(size) or 0, math.log(value)
end

local compared, taken, renewed, refused, left_out = 0, 0, 0, 0, 0
for case = 1, count do
  local S, x, v = random_system()
  local skip = between(2, 25)
  local t1 = skip + between(5, 20)
  local fine, L = pcall(S.lyapunov, S, { q = { x = x }, v = { x = v }, t = t1, skip = skip, rtol = 1e-11, atol = 1e-12 })
  if fine then
    local run = S:simulate{ q = { x = x }, v = { x = v }, t = t1, rtol = FINE.rtol, atol = FINE.atol }
    local start = run:at(L.began)
    local part, log = determinant(S, start.q.x, start.v.x, L.began, t1)
    local sum = L.exponents[1] + L.exponents[2]
    if part then
      compared, renewed = compared + 1, renewed + (L.began > skip and 1 or 0)
      local where = ("seed %d, case %d: from t = %.9g to %.9g the sum is %.9g"):format(seed, case, L.began, t1, sum)
      if sum == -math.huge then
        taken = taken + 1
        assert(part < NOISE, where .. (", by differences %.9g"):format(log/(t1 - L.began)))
      elseif part > NOISE then
        assert(math.abs(sum - log/(t1 - L.began)) < CLOSE, where .. (", by differences %.9g"):format(log/(t1 - L.began)))
      end
    else
      left_out = left_out + 1
    end
  else
    assert(tostring(L):find "accumulate" or tostring(L):find "no derivative", ("seed %d, case %d: %s"):format(seed, case, tostring(L)))
    refused = refused + 1
  end
end
assert(compared > count/2, ("seed %d: few were compared"):format(seed))
print(("seed %d: %d sums, %d of them minus infinity, %d from where directions are back; %d refused, %d left out"):format(seed, compared, taken, renewed,
  refused, left_out))
