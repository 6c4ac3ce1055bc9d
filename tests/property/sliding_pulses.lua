-- Friction that rubs for a moment only, or within a narrow place, on bodies that slide long smooth steps: pulses of the normal force, of the
-- coefficient, and of what presses a floor. Every adaptive method and sweeps. Arbiter: the closed solution, as long as the sense of slip stays:
-- speed falls by mu times the integral of N dt, its square by twice mu N times the integral over the way.
--   build/hamel tests/property/sliding_pulses.lua [SEED [ROUNDS]]
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1] or os.getenv "HML_SEED") or 1
local rounds = tonumber(arg and arg[2]) or check.draws(6)
print(("sliding_pulses: seed %d, %d rounds"):format(seed, rounds))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end
local function pick(list) return list[1 + math.floor(random(0, #list*0.999999))] end

-- shapes of height 1 about s = 0 with their integrals over all s
local shapes = {
  { name = "gauss", of = function(s) return hm.exp(-s^2) end, integral = math.sqrt(math.pi) },
  { name = "window", of = function(s) return hm.max(0, 1 - s^2) end, integral = 4/3 },
  { name = "tent", of = function(s) return hm.max(0, 1 - hm.abs(s)) end, integral = 1 },
  { name = "sech", of = function(s) return 1/hm.cosh(s)^2 end, integral = 2 },
  { name = "power", of = function(s) return 1/(1 + s^2)^20 end, integral = 0.4039626986678677 },   -- sqrt(pi) gamma(19.5)/gamma(20)
}

-- what brings the pulse: the normal force, the coefficient, a load on the floor; each a function of the time, or of the place
local carriers = {
  normal = function(S, x, _, slip, p) S:friction("rub", { slip = slip(x), normal = p, coefficient = 0.5 }) end,
  coefficient = function(S, x, _, slip, p) S:friction("rub", { slip = slip(x), normal = 0.5, coefficient = p }) end,
  load = function(S, x, y, slip, p)
    S:force(y, -p)
    S:unilateral("floor", y, { law = hm.plastic() })
    S:friction("rub", { slip = slip(x), normal = "floor", coefficient = 0.5 })
  end,
}
local kinds = { "normal", "coefficient", "load" }
local methods = { dop853 = 1e4, auto = 1e5, radau5 = 1e5, rk8pd = 1e4, rkf45 = 1e5 }
local names = { "dop853", "auto", "radau5", "rk8pd", "rkf45" }
local wrong, runs, refused = {}, 0, 0

local function expect(value, exact, most, what, ...)
  runs = runs + 1
  if not (math.abs(value - exact) <= most) then wrong[#wrong + 1] = what:format(...) .. (": %.12g is not %.12g"):format(value, exact) end
end

-- A body, in the plane or not, over a floor
local function body(n)
  local S = hm.system "sliding body"
  local x, y, z = S:coordinates(n == 2 and "x y z" or "x y")
  S:kinetic_energy((x.dot^2 + y.dot^2 + (z and z.dot^2 or 0))/2)
  S:potential_energy(0)
  return S, x, y, z
end

local function follow(shape, kind, place)
  local width, at, speed = 10^random(-3.5, -0.7), random(3, 8), random(2, 4)
  local n = pick{ 1, 2 }
  local S, x, y, z = body(n)
  local height = random(0.1, 0.5)/width
  local p = height*shape.of(((place and x/speed or hm.t) - at)/width)
  local function slip() return z and { x.dot, z.dot } or x.dot end
  carriers[kind](S, x, y, slip, p)
  -- along x, or turned by 30 degrees from it
  local c, s = n == 2 and math.sqrt(0.75) or 1, n == 2 and 0.5 or 0
  local impulse, final = 0.5*height*width*shape.integral
  if place then final = math.sqrt(speed^2 - 2*impulse*speed/c) else final = speed - impulse end
  local what = ("%s of width %.3g at %s %.3g in the %s, %d slips"):format(shape.name, width, place and "place" or "time", at, kind, n)
  local T = place and 2*at/c or 2*at
  for _, method in ipairs(names) do
    local tolerance = 10^random(-10, -7)
    local start = { q = { x = 0, y = 0 }, v = { x = speed*c, y = 0 }, t = T, method = method, rtol = tolerance, atol = tolerance, progress = false }
    if z then start.q.z, start.v.z = 0, speed*s end
    local r = S:simulate(start)
    local most = methods[method]*tolerance
    if r.status ~= "OK" then
      refused = refused + 1
      print(("%s by %s at %g: %s"):format(what, method, tolerance, r.reason))
    else expect(r:at(T).v.x, final*c, most, "%s by %s at %g", what, method, tolerance) end
    if method == "dop853" then
      start.over, start.keep, start.v.x = { { "v.x", { speed*c, speed*c } } }, { "x'" }, nil
      local W = S:sweep(start)
      if W[2].status ~= "OK" then refused = refused + 1 else expect(W[2]["x'"], final*c, most, "%s in a sweep at %g", what, tolerance) end
    end
  end
end

for _ = 1, rounds do
  for _, kind in ipairs(kinds) do
    follow(pick(shapes), kind, false)
    follow(pick(shapes), kind, true)
  end
end
if refused > 0.02*runs then wrong[#wrong + 1] = ("%d of %d are refused, which is more than few"):format(refused, runs) end
if #wrong > 0 then error(("seed %d, %d of %d:\n%s"):format(seed, #wrong, runs, table.concat(wrong, "\n", 1, math.min(#wrong, 20))), 0) end
print(("%d runs feel friction that comes and goes, %d are refused"):format(runs, refused))
