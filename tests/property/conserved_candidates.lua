-- conserved_candidates.lua: random candidates for integrals: none is called conserved that is not, none lost that is kept, and every witness is nonzero.
-- Candidates are random combinations of monomials, functions of integrals in the literature, and such functions with one term more.
-- Arbiter: the rate by the chain rule with accelerations written by hand, at random states.
local hm, check = require "hamel", require "check"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(300)
print(("conserved_candidates: seed %d, %d candidates"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

-- Each system: S, vars = symbols of its states, state() = their values and rates at a random state, known = integrals, atoms = factors of monomials
local systems = {}

function systems.particle()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:constraint("c", z.dot - y*x.dot)
  return { S = S, vars = { x, y, z, x.dot, y.dot, z.dot }, known = { y.dot, x.dot*sqrt(1 + y^2), y.dot*z - x.dot*(1 + y^2) },
    atoms = { x, y, z, x.dot, y.dot, z.dot, sqrt(1 + y^2) }, state = function()
      local q, u, v = { random(-1, 1), random(-1, 1), random(-1, 1) }, random(-1, 1), random(-1, 1)
      local a = -q[2]*v*u/(1 + q[2]^2)
      return { q[1], q[2], q[3], u, v, q[2]*u }, { u, v, q[2]*u, a, 0, v*u + q[2]*a }
    end }
end

function systems.sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local offset = pick{ 0, 0.5 }
  S:kinetic_energy((hm.dt(x + offset*cos(theta))^2 + hm.dt(y + offset*sin(theta))^2)/2 + theta.dot^2/2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  local u, w = x.dot*cos(theta) + y.dot*sin(theta), theta.dot
  return { S = S, vars = { x, y, theta, x.dot, y.dot, w },
    known = offset == 0 and { u, w, w*y + u*cos(theta), w*x - u*sin(theta) } or { u^2 + (1 + offset^2)*w^2, u^2/2 + (1 + offset^2)/2*w^2 },
    atoms = { x, y, sin(theta), cos(theta), x.dot, y.dot, w, u }, state = function()
      local q, a, b = { random(-1, 1), random(-1, 1), random(-3, 3) }, random(-1, 1), random(-1, 1)
      local c, s = math.cos(q[3]), math.sin(q[3])
      local du, dw = offset*b^2, -offset*a*b/(1 + offset^2)
      return { q[1], q[2], q[3], a*c, a*s, b }, { a*c, a*s, b, du*c - a*s*b, du*s + a*c*b, dw }
    end }
end

function systems.pendulum()
  local S = hm.system "spherical pendulum"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(3*z)
  S:constraint("rod", x^2 + y^2 + z^2 - 4)
  return { S = S, vars = { x, y, z, x.dot, y.dot, z.dot },
    known = { x*y.dot - y*x.dot, (x.dot^2 + y.dot^2 + z.dot^2)/2 + 3*z, x^2 + y^2 + z^2, x*x.dot + y*y.dot + z*z.dot },
    atoms = { x, y, z, x.dot, y.dot, z.dot }, state = function()
      local a, b = random(-3, 3), random(-1, 1)
      local r = { 2*math.cos(a)*math.cos(b), 2*math.sin(a)*math.cos(b), 2*math.sin(b) }
      local v, dot = { random(-1, 1), random(-1, 1), random(-1, 1) }, 0
      for i = 1, 3 do dot = dot + r[i]*v[i]/4 end
      local square = 0
      for i = 1, 3 do
        v[i] = v[i] - dot*r[i]
        square = square + v[i]^2
      end
      local k = (3*r[3] - square)/4
      return { r[1], r[2], r[3], v[1], v[2], v[3] }, { v[1], v[2], v[3], k*r[1], k*r[2], k*r[3] - 3 }
    end }
end

local function cross(a, b) return { a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1] } end

function systems.top()
  local S = hm.system "top"
  local R = S:rotation("R", { rates = "p q r" })
  local w, g = { R:rates() }, { S:admit "Rzx", S:admit "Rzy", S:admit "Rzz" }
  local kind = whole(1, 3)
  local I, k = ({ { 2, 3, 4 }, { 2, 2, 1 }, { 2, 2, 1 } })[kind], ({ { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 } })[kind]
  S:kinetic_energy((I[1]*w[1]^2 + I[2]*w[2]^2 + I[3]*w[3]^2)/2)
  S:potential_energy(k[1]*g[1] + k[2]*g[2] + k[3]*g[3])
  local known = { I[1]*w[1]*g[1] + I[2]*w[2]*g[2] + I[3]*w[3]*g[3], g[1]^2 + g[2]^2 + g[3]^2,
    (I[1]*w[1]^2 + I[2]*w[2]^2 + I[3]*w[3]^2)/2 + k[1]*g[1] + k[2]*g[2] + k[3]*g[3] }
  known[4] = ({ 4*w[1]^2 + 9*w[2]^2 + 16*w[3]^2, w[3], (w[1]^2 - w[2]^2 - g[1])^2 + (2*w[1]*w[2] - g[2])^2 })[kind]
  return { S = S, vars = { w[1], w[2], w[3], g[1], g[2], g[3] }, known = known, atoms = { w[1], w[2], w[3], g[1], g[2], g[3] }, state = function()
    local o, n = { random(-1, 1), random(-1, 1), random(-1, 1) }, { random(-1, 1), random(-1, 1), random(-1, 1) }
    local length = math.sqrt(n[1]^2 + n[2]^2 + n[3]^2)
    for i = 1, 3 do n[i] = n[i]/length end
    local turned, torque, slope = cross({ I[1]*o[1], I[2]*o[2], I[3]*o[3] }, o), cross(n, k), cross(n, o)
    -- V = k.n: I o' = I o x o + n x k, n' = n x o
    local rate = {}
    for i = 1, 3 do rate[i] = (turned[i] + torque[i])/I[i] end
    return { o[1], o[2], o[3], n[1], n[2], n[3] }, { rate[1], rate[2], rate[3], slope[1], slope[2], slope[3] }
  end }
end

function systems.oscillators()
  local S, t = hm.system "oscillators", hm.t
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(x^2/2 + 2*y^2)
  return { S = S, vars = { x, y, x.dot, y.dot, t },
    known = { x.dot^2 + x^2, y.dot^2 + 4*y^2, x.dot*cos(t) + x*sin(t), y.dot*sin(2*t) - 2*y*cos(2*t), (x.dot^2 - x^2)*y.dot + 4*x*x.dot*y },
    atoms = { x, y, x.dot, y.dot, sin(t), cos(t), t }, state = function()
      local q = { random(-1, 1), random(-1, 1), random(-1, 1), random(-1, 1) }
      return { q[1], q[2], q[3], q[4], random(-3, 3) }, { q[3], q[4], -q[1], -4*q[2], 1 }
    end }
end

function systems.kepler()
  local S = hm.system "Kepler"
  local x, y = S:coordinates "x y"
  local r = sqrt(x^2 + y^2)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(-1/r)
  local L = x*y.dot - y*x.dot
  return { S = S, vars = { x, y, x.dot, y.dot }, known = { L, (x.dot^2 + y.dot^2)/2 - 1/r, y.dot*L - x/r, -x.dot*L - y/r },
    atoms = { x, y, x.dot, y.dot, r, 1/r }, state = function()
      local q = { random(0.3, 1), random(0.3, 1), random(-1, 1), random(-1, 1) }
      local cube = (q[1]^2 + q[2]^2)^1.5
      return q, { q[3], q[4], -q[1]/cube, -q[2]/cube }
    end }
end

function systems.damped()
  local S, t = hm.system "damped", hm.t
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -x.dot)
  return { S = S, vars = { x, x.dot, t }, known = { x + x.dot, x.dot*hm.exp(t) }, atoms = { x, x.dot, hm.exp(t), t }, state = function()
    local q, v = random(-1, 1), random(-1, 1)
    return { q, v, random(-1, 1) }, { v, -v, 1 }
  end }
end

-- ---- candidates

local function coefficient() return hm.rational(pick{ -3, -2, -1, 1, 2, 3, 5 }, pick{ 1, 1, 2, 3 }) end

local function monomial(list)
  local e = coefficient()
  for _ = 1, whole(1, 3) do e = e*pick(list) end
  return e
end

local function combination(list, terms)
  local e = 0
  for _ = 1, terms do e = e + monomial(list) end
  return e
end

local function candidate(k)
  local kind = random(0, 1)
  if kind < 0.4 then return combination(k.known, whole(1, 3)), "a function of integrals" end
  if kind < 0.7 then return combination(k.known, whole(1, 2)) + monomial(k.atoms)*hm.rational(1, pick{ 1, 10, 10000 }), "with one term more" end
  return combination(k.atoms, whole(1, 4)), "random"
end

-- The largest rate at random states, relative to the size of its terms
local function largest_rate(k, F)
  local slopes, worst, size = {}, 0, 1e-300
  for i, s in ipairs(k.vars) do slopes[i] = hm.partial(F, s) end
  for _ = 1, 4 do
    local values, rates = k.state()
    local at, rate = {}, 0
    for i, s in ipairs(k.vars) do at[s] = values[i] end
    for i, e in ipairs(slopes) do
      local term = e:eval(at)*rates[i]
      rate, size = rate + term, math.max(size, math.abs(term))
    end
    worst = math.max(worst, math.abs(rate))
  end
  return worst/size
end

local names, verdicts = {}, { kept = 0, lost = 0, open = 0 }
for name in pairs(systems) do names[#names + 1] = name end
table.sort(names)
local current, left = nil, 0
for i = 1, count do
  if left == 0 then current, left = systems[pick(names)](), 25 end
  left = left - 1
  local F, kind = candidate(current)
  local answer, rate = current.S:is_conserved(F)
  local evidence = largest_rate(current, F)
  local what = ("seed %d, candidate %d, %s, %s: %s"):format(seed, i, current.S.name, kind, F)
  if answer == true then
    verdicts.kept = verdicts.kept + 1
    assert(evidence < 1e-9, ("%s is called conserved, but has the rate %g"):format(what, evidence))
  elseif answer == false then
    verdicts.lost = verdicts.lost + 1
    assert(evidence > 1e-11 and rate:is_zero() ~= true, ("%s is called lost, but is kept to %g"):format(what, evidence))
  else verdicts.open = verdicts.open + 1 end
  -- what is a function of integrals by its making is found to be one
  assert(kind ~= "a function of integrals" or answer == true, what .. ": " .. tostring(rate))
end
print(("%d conserved, %d not, %d not decided"):format(verdicts.kept, verdicts.lost, verdicts.open))
assert(verdicts.open*50 <= count, "too many are not decided")
print "ok"
