-- curve_scales.lua: curves of torus points, of flips of a ball on a table, and of grazing impacts, of random coefficients, in random units of both parameters,
-- the coordinates and time: every point is on the curve, the ends and the special points are those in the units 1, and as many.
-- Arbiters: the product of the multipliers is the exponential of the integral of the damping; the flights of the ball are parabolas; the amplitude of a linear
-- oscillator. Strong resonances and points are compared with those in the units 1.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(1)
io.stdout:setvbuf "line"
print(("curve_scales: seed %d, %d systems of each kind"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function number(value) return hm.number(("%.17g"):format(value)) end

-- P and Q of a system, in units of which p and q are counted
local function parameters(S, p, q, units)
  local P, Q = S:parameters(("P=%.17g Q=%.17g"):format(p*units.p, q*units.q))
  return P/number(units.p), Q/number(units.q)
end

-- Each kind draws coefficients and returns: a function of units to the branch and the curve, and what vanishes on the curve, of p and q
local kinds = {}

function kinds.torus()
  local c, w = random(-0.3, 0.3), random(0.8, 1.2)
  return function(units)
    local S = hm.system "torus"
    local x, y = S:coordinates "x y"
    local p, q = parameters(S, -0.05 - c*0.16, 0.16, units)
    local time, length = number(units.time), number(units.length)
    local force = length/time^2
    local function own(z) return z/length, z.dot*time/length end
    local X, V = own(x)
    local Y, W = own(y)
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, force*((p + number(c)*q - Y/10)*V - q*X - X^3))
    S:force(y, force*(-W - number(w)*Y + hm.cos(hm.t/time)))
    local from, to = -0.05 - c*0.16, 0.05 - c*0.16
    local amplitude = 1/((w - 1)^2 + 1)
    local guess = { q = { x = 0, y = (w - 1)*amplitude*units.length }, v = { x = 0, y = amplitude*units.length/units.time }, period = 2*math.pi*units.time,
      parameters = { P = from*units.p } }
    local B = S:continue{ periodic = guess, along = "P", from = from*units.p, to = to*units.p }
    return S, B, "torus", { -0.6, 0.02 }, { 0.6, 0.23 }
  end, function(p, q) return p + c*q end
end

function kinds.flip()
  local g = random(0.8, 1.2)
  local function fold(e) return math.pi*g*(1 - e)/(1 + e) end
  return function(units)
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local p, q = parameters(S, 1.3*g, 0.5, units)
    local time, length = number(units.time), number(units.length)
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -number(g)*length/time^2)
    S:unilateral("table", h - length*p*hm.sin(hm.t/time), { law = hm.newton(q) })
    local phase = math.acos(fold(0.5)/(1.3*g))
    local guess = { q = { h = 1.3*g*math.sin(phase)*units.length }, v = { h = math.pi*g*units.length/units.time }, t = phase*units.time,
      period = 2*math.pi*units.time }
    local B = S:continue{ periodic = guess, along = "P", from = 1.2*g*units.p, to = 1.6*g*units.p }
    return S, B, "flip", { 0.4*g, 0.3 }, { 3*g, 0.7 }
  end, function(p, q) return p - math.sqrt(fold(q)^2 + (2*g*(1 + q^2)/(1 + q)^2)^2) end
end

function kinds.grazing()
  local f = random(0.95, 1.05)
  return function(units)
    local S = hm.system "oscillator at a wall"
    local x = S:coordinates "x"
    local p, q = parameters(S, 1.5, 0.2, units)
    local time, length = number(units.time), number(units.length)
    S:kinetic_energy(x.dot^2/2)
    S:force(x, length/time^2*(-q*x.dot*time/length - x/length + number(f)*hm.cos(p*hm.t/time)))
    S:unilateral("wall", length - x, { law = hm.newton(0.8) })
    local guess = { q = { x = units.length }, v = { x = -0.8*2.735*units.length/units.time }, t = 0.61*units.time, period = 2*hm.pi*time/p }
    local B = S:continue{ periodic = guess, along = "P", from = 1.3*units.p, to = 1.8*units.p, largest = 0.1*units.p }
    return S, B, "grazing", { 1.2, 0.1 }, { 2, 0.4 }
  end, function(p, q) return (1 - p^2)^2 + (q*p)^2 - f^2 end
end

local function followed(start, units)
  local S, B, kind, low, high = start(units)
  for _, special in ipairs(B.special) do
    if special.kind == kind then
      return S:continue{ [kind] = special, along = { "P", "Q" }, from = { low[1]*units.p, low[2]*units.q }, to = { high[1]*units.p, high[2]*units.q } }
    end
  end
  error("no " .. kind .. " on the branch:\n" .. tostring(B))
end

-- What a curve is in the units 1: its ends and special points, in the order of q
local function outline(C, units)
  local list = {}
  local function add(kind, item) list[#list + 1] = { kind = kind, p = item.value/units.p, q = item.beside/units.q } end
  add("end", C.points[1])
  add("end", C.points[#C.points])
  for _, special in ipairs(C.special) do add(special.doubtful and "doubtful" or special.kind, special) end
  table.sort(list, function(one, other) return one.q < other.q end)
  return list
end

local CLOSE, ENDS = 1e-7, 1e-2          -- of points and special points; of ends before a strong resonance, beyond which there are none
local POWERS = { -6, -4, -2, 0, 2, 4, 6 }
local function unit() return 10.0^POWERS[1 + math.floor(random(0, #POWERS*0.999999))] end

local failures, refused = 0, 0
for i = 1, count do
  for _, name in ipairs{ "torus", "flip", "grazing" } do
    local start, off = kinds[name]()
    local wanted = outline(followed(start, { p = 1, q = 1, length = 1, time = 1 }), { p = 1, q = 1 })
    local units = { p = unit(), q = unit(), length = 10.0^(3*math.floor(random(0, 1.999999))), time = 10.0^(math.floor(random(-1, 1.999999))) }
    local what = ("%s %d, units of p, q, length, time: %g %g %g %g"):format(name, i, units.p, units.q, units.length, units.time)
    local fine, C = pcall(followed, start, units)
    if not fine then
      print(what .. ": refused: " .. tostring(C))
      refused = refused + 1
    else
      local worst, list, alike = 0, outline(C, units), true
      for _, point in ipairs(C.points) do worst = math.max(worst, math.abs(off(point.value/units.p, point.beside/units.q))) end
      for k, item in ipairs(wanted) do
        local other = list[k] or { kind = "none" }
        local within = item.kind == "end" and ENDS or CLOSE
        alike = alike and item.kind == other.kind and math.abs(item.p - other.p) <= within and math.abs(item.q - other.q) <= within
      end
      if not (worst <= CLOSE) or not alike or #list ~= #wanted then
        print(("%s: off by %.3g\n%s"):format(what, worst, tostring(C)))
        for _, item in ipairs(wanted) do print(("  wanted: %s %.10g %.10g"):format(item.kind, item.p, item.q)) end
        failures = failures + 1
      end
    end
  end
end
print(("curve_scales: %d curves, %d refused, %d failures"):format(3*count, refused, failures))
assert(failures == 0)
-- a refusal says what to do, but it is the exception
assert(refused <= count)
