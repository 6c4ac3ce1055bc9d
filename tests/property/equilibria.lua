-- equilibria.lua: proofs of equilibria and of fixed points of random systems and maps: the states found in doubles lie near the balls, their eigenvalues near
-- the proved ones, and no verdict contradicts another one.
-- Arbiters: S:linearize and doubles; the same system in other forms; motions that start nearby; maps iterated in doubles; certificates proved again.
local hm, check, core = require "hamel", require "check", require "hamel.core"

if not core.has_arb then os.exit(77) end

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(8)
print(("equilibria: seed %d, %d systems"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function fraction() return hm.rational(whole(-9, 9), whole(3, 11)) end

local function demand(fine, k, what, ...) if not fine then error(("%d: %s"):format(k, what:format(...)), 2) end end

-- Each eigenvalue in doubles is near a proved one, which counts as often as it says; multiple ones are known to the root of the rounding only
local function compare(k, proved, doubles)
  local total = 0
  for _, e in ipairs(proved) do total = total + e.count end
  demand(total == #doubles, k, "%d eigenvalues are proved, %d computed", total, #doubles)
  for _, e in ipairs(doubles) do
    local best = math.huge
    for _, one in ipairs(proved) do
      local re, im = math.max(one.re.lower - e.re, e.re - one.re.upper, 0), math.max(one.im.lower - e.im, e.im - one.im.upper, 0)
      best = math.min(best, math.max(re, im))
    end
    demand(best < 2e-3*(1 + math.abs(e.re) + math.abs(e.im)), k, "the eigenvalue %g + %g i is far from those proved, by %g", e.re, e.im, best)
  end
end

local function forces(S, coordinates)
  local V = 0
  for i, x in ipairs(coordinates) do
    for j = 1, i do V = V + fraction()*x*coordinates[j] + fraction()*hm.cos(x - coordinates[j] + fraction()) end
    V = V + fraction()*x + x^4/8
    if whole(1, 2) == 1 then S:force(x, -hm.rational(whole(1, 9), 10)*x.dot) end
    if whole(1, 4) == 1 then S:force(x, fraction()*coordinates[1].dot) end
  end
  S:potential_energy(V)
end

local function names_at(coordinates, value)
  local list = {}
  for _, x in ipairs(coordinates) do list[core.text(x)] = value() end
  return list
end

-- A motion that starts near a stable equilibrium stays near, for a while; the time in which small deviations grow is not waited for
local function stays(S, p, coordinates)
  local q = {}
  for name, x in pairs(p.q) do q[name] = (x.lower + x.upper)/2 + 1e-7 end
  local run = S:simulate{ q = q, v = names_at(coordinates, function() return 0 end), t = 10, rtol = 1e-10, atol = 1e-13 }
  local finish = run:at(10)
  for name, x in pairs(p.q) do if math.abs(finish.q[name] - (x.lower + x.upper)/2) > 1e-4 then return false end end
  return true
end

local proofs = { true_ = 0, false_ = 0, nil_ = 0, not_ = 0, maps = 0, no_point = 0 }
local path = os.tmpname()

local function check_system(k)
  local S = hm.system("random " .. k)
  local coordinates = { S:coordinates(({ "x", "x y", "x y z" })[whole(1, 3)]) }
  local T = 0
  for i, x in ipairs(coordinates) do T = T + (2 + hm.sin(x*i)/2)*x.dot^2/2 + (i > 1 and x.dot*coordinates[i - 1].dot/5 or 0) end
  S:kinetic_energy(T)
  forces(S, coordinates)
  local guess = names_at(coordinates, function() return random(-2, 2) end)
  local fine, near = pcall(S.equilibrium, S, { q = guess })
  if not fine then return end
  local p = S:prove_equilibrium{ q = guess }
  if not p.proved then
    proofs.not_ = proofs.not_ + 1
    return
  end
  for name, x in pairs(p.q) do
    demand(math.abs((x.lower + x.upper)/2 - near.q[name]) < 1e-7, k, "%s is %s, and %g in doubles", name, tostring(x), near.q[name])
  end
  local L = S:linearize{ q = near.q, v = names_at(coordinates, function() return 0 end) }
  if p.eigenvalues then compare(k, p.eigenvalues, L.eigenvalues) end
  demand(not (p.stable and L.largest > 1e-4), k, "stable is proved, the largest real part is %g", L.largest)
  demand(not (p.stable == false and L.largest < -1e-4), k, "instability is proved, the largest real part is %g", L.largest)
  demand(not p.stable or stays(S, p, coordinates), k, "the motion leaves a state that is proved stable")
  local key = tostring(p.stable) .. "_"
  proofs[key] = proofs[key] + 1
  p:save(path)
  demand(hm.check_certificate(S, path), k, "the certificate is not proved again")
  -- other centres are refused: no state is within the box about them
  local moved = {}
  for name, x in pairs(p.q) do moved[name] = x.lower + 10*p.tried + 1e-3 end
  local other = S:prove_equilibrium{ q = moved, iterations = 0, radius = 1e-4 }
  demand(not other.proved, k, "a state is proved where there is none")
end

-- Sleighs: rest and straight motion, by two forms
local function check_sleigh(k)
  local S = hm.system("sleigh " .. k)
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive(("m=%d J=%d/3 a=%d/7"):format(whole(1, 5), whole(1, 9), whole(1, 9)))
  S:kinetic_energy(m/2*(hm.dt(x + a*hm.cos(theta))^2 + hm.dt(y + a*hm.sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  local speed, angle = whole(1, 9)/4*(whole(1, 2) == 1 and 1 or -1), random(-1, 1)
  local o = { q = { x = 0, y = 0, theta = angle }, v = { x = speed*math.cos(angle), y = speed*math.sin(angle), theta = 0 } }
  local p = S:prove_equilibrium{ q = o.q, v = o.v, form = "maggi" }
  local other = S:prove_equilibrium{ q = o.q, v = o.v, form = "lagrange" }
  demand(p.proved and other.proved and p.stable == (speed > 0) and other.stable == (speed > 0), k, "sleigh: %s, %s", tostring(p), tostring(other))
end

-- Polynomial maps of the plane
local function check_map(k)
  local c = {}
  for i = 1, 10 do c[i] = fraction()/2 end
  local function f(x, y)
    return c[1] + c[2]*x + c[3]*y + c[4]*x^2 + c[5]*x*y, c[6] + c[7]*x + c[8]*y + c[9]*y^2 + c[10]*hm.sin(x)
  end
  local p = hm.prove_fixed_point{ map = f, at = { random(-1, 1), random(-1, 1) } }
  if not p.proved then
    proofs.no_point = proofs.no_point + 1
    return
  end
  proofs.maps = proofs.maps + 1
  for i = 1, 10 do c[i] = c[i]:eval() end
  local function double(x, y)
    return c[1] + c[2]*x + c[3]*y + c[4]*x^2 + c[5]*x*y, c[6] + c[7]*x + c[8]*y + c[9]*y^2 + c[10]*math.sin(x)
  end
  local x, y = (p.x[1].lower + p.x[1].upper)/2, (p.x[2].lower + p.x[2].upper)/2
  local u, w = double(x, y)
  local size = 1 + math.abs(x) + math.abs(y)
  demand(math.abs(u - x) + math.abs(w - y) < 1e-12*size^3, k, "the point (%g, %g) goes to (%g, %g)", x, y, u, w)
  if p.stable == nil then return end
  -- far from the border the iteration shows what is stable
  local largest = 0
  for _, e in ipairs(p.multipliers) do largest = math.max(largest, (e.size.lower + e.size.upper)/2) end
  local v, z = x + 1e-7*size, y - 1e-7*size
  for _ = 1, 200 do v, z = double(v, z) end
  local off = math.abs(v - x) + math.abs(z - y)
  if p.stable and largest < 0.9 then demand(off < 1e-9*size, k, "a stable point is left, by %g", off) end
  if not p.stable and largest > 1.3 then demand(not (off < 1e-7*size), k, "an unstable point attracts: %g", off) end
  p:save(path)
  demand(hm.check_certificate(p, path), k, "the certificate of a map is not proved again")
end

for k = 1, count do
  check_system(k)
  check_sleigh(k)
  for _ = 1, 3 do check_map(k) end
end
os.remove(path)
print(("equilibria: stable %d, unstable %d, undecided %d, not proved %d; fixed points: %d, no proof %d"):format(proofs.true_, proofs.false_, proofs.nil_,
  proofs.not_, proofs.maps, proofs.no_point))
