-- motion_scales.lua: S:periodic, branches, families and motions from a Hopf point, with and without events, in random units of length, time and mass from 1e-8
-- to 1e8: the same special points, periods and multipliers as in the units 1, and work that does not grow with the units.
-- Arbiter: the same system in the units 1; a change of units is exact but for rounding.
local hm, check = require "hamel", require "check"
local branches = require "branches"
local first = branches.first

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(1)
io.stdout:setvbuf "line"
print(("motion_scales: seed %d, %d units for each system"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function number(value) return hm.number(("%.17g"):format(value)) end
local function parameter(S, name, value) return S:parameters(("%s=%.17g"):format(name, value)) end

-- Each kind: of units of time, length and mass to a list of { what, value in these units, how exactly it is known }, and how many points were needed
local kinds = {}

local EXACT, ON_ORBIT, DOUBLE = 1e-8, 1e-7, 1e-5       -- values; multipliers; those that meet, as at -1 with its inverse

local function orbit_in(list, orbit, T)
  list[#list + 1] = { "period of S:periodic", orbit.period/T, EXACT }
  list[#list + 1] = { "repeats", orbit.repeats, EXACT }
  for _, m in ipairs(orbit.multipliers) do list[#list + 1] = { "multiplier of S:periodic", m.re, ON_ORBIT } end
end

local function branch_in(list, B, unit, T, from_start)
  for _, special in ipairs(B.special) do
    assert(not special.doubtful, tostring(B))
    list[#list + 1] = { special.kind, special.value/unit, EXACT }
    for _, m in ipairs(special.point.multipliers or {}) do list[#list + 1] = { special.kind .. ": multiplier", m.re, DOUBLE } end
  end
  -- a branch from a special point begins where its first amplitude leads
  for _, i in ipairs(from_start and { 1, #B.points } or { #B.points }) do
    local point = B.points[i]
    list[#list + 1] = { "end", point.value/unit, EXACT }
    list[#list + 1] = { "period at the end", point.period/T, EXACT }
    for _, m in ipairs(point.multipliers) do list[#list + 1] = { "multiplier at the end", m.re, ON_ORBIT } end
  end
  return #B.points
end

local function oscillator(name, T, m)
  local S = hm.system(name)
  local x = S:coordinates "x"
  S:kinetic_energy(number(m)*x.dot^2/2)
  S:potential_energy(number(m/T^2)*x^2/2)
  return S, x
end

kinds["van der Pol"] = function(T, L, m)
  local S, x = oscillator("van der Pol", T, m)
  local g, list = parameter(S, "g", m/T), {}
  S:force(x, g*(1 - x^2/number(L^2))*x.dot)
  orbit_in(list, S:periodic{ q = { x = 2*L }, v = { x = 0 }, period = 6.5*T }, T)
  local guess = { q = { x = 2.0086*L }, v = { x = 0 }, period = 6.66*T }
  return list, branch_in(list, S:continue{ periodic = guess, along = "g", from = 0.5*m/T, to = 2*m/T }, m/T, T, true)
end

kinds["Hopf point"] = function(T, L, m)
  local S, x = oscillator("from a Hopf point", T, m)
  local g, list = parameter(S, "g", m/T), {}
  S:force(x, (g - number(m/T)*x^2/number(L^2))*x.dot)
  local B = S:continue{ equilibrium = { q = { x = 0 }, parameters = { g = -0.5*m/T } }, along = "g", from = -m/T, to = m/T }
  return list, branch_in(list, B:switch(first(B, "hopf"), { to = m/T }), m/T, T)
end

kinds["forced Duffing"] = function(T, L, m)
  local S, x = oscillator("forced Duffing", T, m)
  local w, list, k = parameter(S, "w", 0.5/T), {}, number(m/T^2)
  S:force(x, k*number(L)*hm.cos(w*hm.t) - k*x^3/number(L^2) - number(m/T/5)*x.dot)
  orbit_in(list, S:periodic{ q = { x = L }, v = { x = 0 }, period = 4*math.pi*T }, T)
  local B = S:continue{ periodic = { q = { x = L }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 0.5/T, to = 3/T }
  return list, branch_in(list, B, 1/T, T, true)
end

kinds["square wave"] = function(T, L, m)
  local S, x = oscillator("square wave", T, m)
  local list = {}
  S:force(x, number(m/T^2*L)*hm.sign(hm.sin(number(0.7/T)*hm.t)) - number(m/T/10)*x.dot)
  local orbit = S:periodic{ q = { x = L }, v = { x = 0 }, period = 2*math.pi*T/0.7 }
  orbit_in(list, orbit, T)
  list[#list + 1] = { "position", orbit.q.x/L, EXACT }
  return list, orbit.iterations
end

kinds["Henon-Heiles"] = function(T, L, m)
  local S, E, list = hm.system "Henon-Heiles", m*L^2/T^2, {}
  local x, y = S:coordinates "x y"
  S:kinetic_energy(number(m)*(x.dot^2 + y.dot^2)/2)
  S:potential_energy(number(m/T^2)*((x^2 + y^2)/2 + (x^2*y - y^3/3)/number(L)))
  local guess = { q = { x = 0, y = 0.1*L }, v = { x = 0, y = 0 }, period = 2*math.pi*T }
  local B = S:continue{ periodic = guess, along = "energy", from = 0.001*E, to = 0.16*E }
  local points = branch_in(list, B, E, T, true)
  return list, points
end

kinds["ball on a table"] = function(T, L, m)
  local S, list = hm.system "ball", {}
  local h, A = S:coordinates "h", parameter(S, "A", 1.3*L)
  S:kinetic_energy(number(m)*h.dot^2/2)
  S:force(h, -number(m*L/T^2))
  S:unilateral("table", h - A*hm.sin(hm.t/number(T)), { law = hm.newton(hm.rational(1, 2)) })
  local phase = math.acos(math.pi/3/1.3)
  local guess = { q = { h = 1.3*L*math.sin(phase) }, v = { h = math.pi*L/T }, t = phase*T, period = 2*math.pi*T }
  return list, branch_in(list, S:continue{ periodic = guess, along = "A", from = L, to = 2*L }, L, T, true)
end

-- sticks from x = L/10 to L/2, where static friction ends, and slips back on a circle
kinds["block on a belt"] = function(T, L, m)
  local S, list = hm.system "belt", {}
  local x, v = S:coordinates "x", parameter(S, "v", 0.2*L/T)
  S:kinetic_energy(number(m)*x.dot^2/2)
  S:potential_energy(number(m/T^2)*x^2/2)
  S:friction("belt", { slip = x.dot - v, normal = number(m*L/T^2), coefficient = 3/10, static = 1/2 })
  local guess = { q = { x = 0 }, v = { x = 0.2*L/T }, period = (1.5*math.pi + 2)*T }
  return list, branch_in(list, S:continue{ periodic = guess, along = "v", from = 0.15*L/T, to = 0.3*L/T }, L/T, T, true)
end

-- a length and an angle, both zero at rest
kinds["towed wheel"] = function(T, L, m)
  local S, list, l = hm.system "towed wheel", {}, number(L)
  local q, psi = S:coordinates "q psi"
  local v = parameter(S, "v", 0.1*L/T)
  S:kinetic_energy(number(m)*((v + l*hm.sin(psi)*psi.dot/2)^2/2 + (q.dot - l*hm.cos(psi)*psi.dot/2)^2/2 + hm.rational(3, 8)*l^2*psi.dot^2))
  S:potential_energy(number(m/T^2)*q^2/2)
  S:force(q, -number(m/T/10)*q.dot)
  S:constraint("no slip", q.dot*hm.cos(psi) - v*hm.sin(psi) - l*psi.dot)
  local B = S:continue{ equilibrium = { q = { q = 0, psi = 0 } }, along = "v", from = 0.1*L/T, to = 12*L/T }
  for i = 1, 2 do
    list[#list + 1] = { "speed of a Hopf point", first(B, "hopf", i).value*T/L, EXACT }
    list[#list + 1] = { "frequency of a Hopf point", first(B, "hopf", i).frequency*T, EXACT }
  end
  local points = branch_in(list, B:switch(first(B, "hopf", 2), { to = 9.5*L/T }), L/T, T)
  return list, points + #B.points
end

local MORE = 4                         -- times the points in the units 1: sizes from 0.1 to 10 keep the unit 1, so that steps are not the same everywhere

local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local wanted, points = kinds[name](1, 1, 1)
  for _ = 1, count do
    local T, L, m = 10^random(-8, 8), 10^random(-8, 8), 10^random(-8, 8)
    local where = ("%s, units of time %.17g, length %.17g, mass %.17g, seed %d"):format(name, T, L, m, seed)
    local fine, list, used = pcall(kinds[name], T, L, m)
    assert(fine, where .. ": " .. tostring(list))
    assert(#list == #wanted, ("%s: %d numbers, %d in the units 1"):format(where, #list, #wanted))
    for i, item in ipairs(wanted) do
      local what, value, known = table.unpack(item)
      assert(list[i][1] == what, ("%s: %s in place of %s"):format(where, list[i][1], what))
      local off = math.abs(list[i][2] - value)
      assert(off <= known*math.max(1, math.abs(value)), ("%s: %s is %.12g, %.12g in the units 1"):format(where, what, list[i][2], value))
    end
    assert(used <= MORE*points, ("%s: %d points, %d in the units 1"):format(where, used, points))
  end
end
print "motion_scales: the same in all units"
