-- Forces that act within a short part of the way or of the time only: bumps, walls, high powers and pulses, met from afar after a motion that shows
-- nothing of them. Every adaptive method, sweeps and S:reference follow them, or say that they cannot. What arbitrates: DOP853 with steps of a
-- thousandth of the way at most.
--   build/hamel tests/property/localised_forces.lua [SEED [ROUNDS]]
local hm = require "hamel"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local rounds = tonumber(arg and arg[2]) or 2*(tonumber(os.getenv "HML_SCALE") or 1)
math.randomseed(seed)
print(("seed %d"):format(seed))
local function between(a, b) return a + (b - a)*math.random() end
local function sign() return math.random(0, 1) == 0 and -1 or 1 end

-- potentials of height 1 about x = 0, s = x/width
local shapes = {
  gauss = function(s, r2) return hm.exp(-s^2 - r2) end,
  pair = function(s, r2) return hm.exp(-s^2 - r2) - hm.exp(-4*(s - 7)^2 - r2) end,
  wall = function(s) return (1 + hm.tanh(s))/2 end,
  step = function(s) return 1/(1 + hm.exp(3*s)) end,
  lorentz = function(s, r2) return 1/(1 + s^2 + r2) end,
  power = function(s, r2) return 1/(1 + s^2 + r2)^8 end,
  bend = function(s) return (hm.sqrt(1 + s^2) - s)/10 end,
  arc = function(s) return 1/2 + hm.atan(s)/math.pi end,
}
local names = {}
for name in pairs(shapes) do names[#names + 1] = name end
table.sort(names)

-- past a bump or over a wall in one, two or three dimensions, with or without a constant force along it
local function flight(name)
  local S, width, away, speed = hm.system(name), 10^between(-1.5, 0), 10^between(0.7, 2.3), between(1.5, 3)
  local n = math.random(1, 3)
  local all = { S:coordinates(("x y z"):sub(1, 2*n - 1)) }
  local T, r2, q, v = hm.number(0), hm.number(0), {}, {}
  for i, x in ipairs(all) do
    T = T + x.dot^2/2
    if i > 1 then
      r2 = r2 + (x/width)^2
      q[("x y z"):sub(2*i - 1, 2*i - 1)], v[("x y z"):sub(2*i - 1, 2*i - 1)] = between(-1, 1)*width, 0
    end
  end
  S:kinetic_energy(T)
  S:potential_energy(between(0.1, 0.9)*sign()*shapes[name](all[1]/width, r2))
  q.x, v.x = -away*width, speed
  return S, q, v, away*width*between(1.1, 3)/speed
end

-- from rest, hit once
local function pulse()
  local S, at, width = hm.system "pulse", between(2, 50), 10^between(-2, 0)
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, between(0.5, 2)*hm.exp(-((hm.t - at)/width)^2)/width)
  return S, { x = between(-1, 1) }, { x = 0 }, at*between(1.2, 2)
end

-- forces that are switched on and off within a short time, by functions that are smooth and flat far from there: u time since, w of the switch, d on
local switches = {
  arc = function(u, w, d) return (hm.atan(u/w) - hm.atan((u - d)/w))/math.pi end,
  tanh = function(u, w, d) return (hm.tanh(u/w) - hm.tanh((u - d)/w))/2 end,
  root = function(u, w, d) return (u/hm.sqrt(w^2 + u^2) - (u - d)/hm.sqrt(w^2 + (u - d)^2))/2 end,
  bend = function(u, w, d) return (hm.sqrt(w^2 + u^2) - 2*hm.sqrt(w^2 + (u - d)^2) + hm.sqrt(w^2 + (u - 2*d)^2))/d end,
  log = function(u, w, d) return hm.log(1 + (u/w)^2) - 2*hm.log(1 + ((u - d)/w)^2) + hm.log(1 + ((u - 2*d)/w)^2) end,
  asinh = function(u, w, d) return hm.asinh(u/w) - 2*hm.asinh((u - d)/w) + hm.asinh((u - 2*d)/w) end,
  nested = function(u, w, d) return hm.tanh(hm.atan(u/w) - hm.atan((u - d)/w)) end,
}
local switch_names = {}
for name in pairs(switches) do switch_names[#switch_names + 1] = name end
table.sort(switch_names)

-- Such a force in time or along the way, on an oscillator, on two bodies whose inertia moves, on a pendulum with a multiplier
local function switched(name, kind)
  local S, d = hm.system(name .. kind), 10^between(-3.3, -1.5)
  local w, in_time = d*10^between(-1.5, -0.3), math.random() < 0.5
  local x, y = S:coordinates "x y"
  S:kinetic_energy(kind == "coupled" and (x.dot^2 + y.dot^2)*(2 + hm.cos(y))/2 + x.dot*y.dot*hm.cos(x - y)/2 or (x.dot^2 + y.dot^2)/2)
  S:potential_energy(kind == "circle" and y or x^2/2 + y^2)
  if kind == "circle" then S:constraint("circle", x^2 + y^2 - 1) end
  local u = in_time and hm.t - between(1, 9) or x - between(-0.4, 0.4)
  S:force(x, (in_time and 0.3 or 0.03)/d*switches[name](u, w, d))
  return S, { x = 0.8, y = -0.6 }, { x = kind ~= "circle" and 0.1 or nil, y = 0 }, 10, d/10
end

-- a narrow bump on the way of an oscillation
local function oscillation()
  local S, place, width = hm.system "oscillation", between(-0.8, 0.8), 10^between(-1.5, -0.5)
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + between(0.01, 0.1)*hm.exp(-((x - place)/width)^2))
  return S, { x = -1.5 }, { x = 0 }, between(4, 8)
end

local methods = { dop853 = 1e5, taylor = 1e5, auto = 1e5, radau5 = 1e6, rk8pd = 1e5, rkf45 = 1e6, msadams = 1e8, msbdf = 1e8 }
local order = {}
for method in pairs(methods) do order[#order + 1] = method end
table.sort(order)
local runs, refused, wrong = 0, 0, {}

local function distance(a, b, names_of)
  local worst = 0
  for name in pairs(names_of) do worst = math.max(worst, math.abs(a[name] - b[name])/(1 + math.abs(b[name]))) end
  return worst
end

local function judge(status, error, most, what, ...)
  runs = runs + 1
  if status ~= "OK" then refused = refused + 1
  elseif not (error <= most) then wrong[#wrong + 1] = ("%s: off by %.3g, at most %.3g"):format(what:format(...), error, most) end
end

local function follow(what, S, q, v, t, finest)
  local fine = S:simulate{ q = q, v = v, t = t, rtol = 1e-12, atol = 1e-12, max_step = finest or t/1000, max_steps = 0, progress = false }
  if fine.status ~= "OK" then return end
  local there = fine:at(t)
  for _, method in ipairs(order) do
    local tolerance = 10^between(-10, -6)
    local run = S:simulate{ q = q, v = v, t = t, method = method, rtol = tolerance, atol = tolerance, progress = false }
    judge(run.status, run.status == "OK" and distance(run:at(t), there, q), methods[method]*tolerance, "%s by %s at %g", what, method, tolerance)
    if method == "dop853" or method == "taylor" then
      local W = S:sweep{ over = { { "x", { q.x, q.x } } }, q = q, v = v, t = t, method = method, rtol = tolerance, atol = tolerance, progress = false }
      judge(W[1].status, W[1].status == "OK" and math.abs(W[1].x - there.x)/(1 + math.abs(there.x)), methods[method]*tolerance, "%s in a sweep by %s at %g",
        what, method, tolerance)
    end
  end
  local texts = function(list)
    local out = {}
    for name, value in pairs(list) do out[name] = ("%.17g"):format(value) end
    return out
  end
  local known, r = pcall(S.reference, S, { q = texts(q), v = texts(v), t = ("%.17g"):format(t) })
  if not known then r = { q = {} } end
  local values = {}
  for name in pairs(q) do values[name] = tonumber(r.q[name]) or 0/0 end
  judge(known and "OK" or "refused", known and distance(values, there, q), 1e-6, "%s by S:reference", what)
end

for _ = 1, rounds do
  for _, name in ipairs(names) do follow(name, flight(name)) end
  for _, kind in ipairs{ "oscillator", "coupled", "circle" } do
    local name = switch_names[math.random(#switch_names)]
    follow("switch by " .. name .. " of " .. kind, switched(name, kind))
  end
  follow("pulse", pulse())
  follow("oscillation", oscillation())
end
if refused > 0.1*runs then wrong[#wrong + 1] = ("%d of %d are refused, which is more than few"):format(refused, runs) end
if #wrong > 0 then error(("seed %d, %d of %d:\n%s"):format(seed, #wrong, runs, table.concat(wrong, "\n", 1, math.min(#wrong, 20))), 0) end
print(("%d runs follow forces that come and go, %d are refused"):format(runs, refused))
