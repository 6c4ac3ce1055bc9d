-- A narrow well beside a stiff, damped partner: every adaptive method follows the motion through the well, at the ends of its steps and between
-- them, or says that it does not. The energy does not tell: a symmetric well returns what it takes, but the motion behind it is late or early.
-- What arbitrates: DOP853, or Radau IIA where that stops, at 1e-12. Errors count in tolerances times what the motion makes of a small change of
-- its start.
--   build/hamel tests/property/stiff_partners.lua [SEED [SYSTEMS]]; HML_SEED, and HML_SCALE, which multiplies the systems
local check = require "check"
local hm = require "hamel"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local systems = check.draws(10)
math.randomseed(seed)
print(("seed %d"):format(seed))
local function between(a, b) return a + (b - a)*math.random() end

local SAMPLES, ASIDE = 400, 1e-6
local MOST = { dop853 = 1000, taylor = 1000, auto = 1000, radau5 = 300, rk8pd = 1000, rkf45 = 2000 }      -- tolerances
local wells = {
  gauss = function(s) return -hm.exp(-s^2) end,
  lorentz = function(s) return -1/(1 + s^2) end,
  power = function(s) return -1/(1 + s^2)^4 end,
  square = function(s) return (hm.tanh(s - 2) - hm.tanh(s + 2))/2 end,
}
local shapes, methods = {}, {}
for name in pairs(wells) do shapes[#shapes + 1] = name end
for name in pairs(MOST) do methods[#methods + 1] = name end
table.sort(shapes)
table.sort(methods)

-- An oscillator that crosses a well again and again, or a body that flies past it once
local function draw()
  local S, shape, width, rate, once = hm.system "well", shapes[math.random(#shapes)], 10^between(-4, -1), 10^between(1, 3), math.random() < 0.5
  local x, y = S:coordinates "x y"
  local damping, depth, place = 2*rate*10^between(-1, 0.7), 10^between(-1.5, 0.8), between(-0.2, 0.2)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(depth*wells[shape]((x - place)/width) + (once and 0 or between(0.2, 2))*x^2/2 + rate^2*y^2/2
    + (math.random() < 0.5 and between(0.1, 1) or 0)*x*y)
  S:force(y, -damping*y.dot)
  local q, v = { x = between(0.3, 1.4), y = between(-0.5, 0.5) }, { x = between(-2, -0.5), y = between(-1, 1) }
  return S, { q = q, v = v, t = once and between(2, 5) or between(3, 20), progress = false },
    ("%s well of width %.3g, depth %.3g, partner of rate %.3g, damping %.3g"):format(shape, width, depth, rate, damping)
end

local function run_of(S, o, method, tolerance, steps)
  local all = { method = method, rtol = tolerance, atol = tolerance, max_steps = steps }
  for k, value in pairs(o) do all[k] = all[k] or value end
  return S:simulate(all)
end

local function reference_of(S, o)
  local r = run_of(S, o, "dop853", 1e-12, 200000)
  if r.status == "OK" then return r end
  r = run_of(S, o, "radau5", 1e-12, 200000)
  return r.status == "OK" and r or nil
end

local function largest_difference(a, b, times)
  local worst, at = 0, times[1]
  for _, t in ipairs(times) do
    local s, u = a:at(t), b:at(t)
    local off = math.max(math.abs(s.x - u.x), math.abs(s.y - u.y))
    if not (off <= worst) then worst, at = off, t end
  end
  return worst, at
end

local function samples(t)
  local times = {}
  for k = 0, SAMPLES do times[k + 1] = k == SAMPLES and t or t*k/SAMPLES end
  return times
end

-- What the motion makes of a change of the start
local function growth(S, o, reference)
  local most = 1
  for _, of in ipairs{ "q", "v" } do
    local moved = { q = { x = o.q.x, y = o.q.y }, v = { x = o.v.x, y = o.v.y }, t = o.t, progress = false }
    moved[of].x = moved[of].x + ASIDE
    local r = run_of(S, moved, reference.options.method, 1e-11, 200000)
    if r.status == "OK" then most = math.max(most, largest_difference(r, reference, samples(o.t))/ASIDE) end
  end
  return most
end

local runs, refused, wrong = 0, 0, {}
for _ = 1, systems do
  local S, o, what = draw()
  local reference = reference_of(S, o)
  local grows = reference and growth(S, o, reference)
  for _, method in ipairs(reference and methods or {}) do
    for _, tolerance in ipairs{ 1e-6, 1e-7, 1e-8, 1e-9 } do
      local run = run_of(S, o, method, tolerance, 100000)
      runs = runs + 1
      if run.status ~= "OK" then
        refused = refused + 1
      else
        local times = samples(o.t)
        for i = 1, #run do times[#times + 1] = run[i].t end
        local off, at = largest_difference(run, reference, times)
        if not (off <= MOST[method]*grows*tolerance) then
          wrong[#wrong + 1] = ("%s by %s at %g: off by %.3g at t = %.6g, %.3g tolerances, errors grow %.3g times"):format(what, method, tolerance, off, at,
            off/tolerance, grows)
        end
      end
    end
  end
end
if refused > 0.2*runs then wrong[#wrong + 1] = ("%d of %d are refused, which is more than few"):format(refused, runs) end
if #wrong > 0 then error(("seed %d, %d of %d:\n%s"):format(seed, #wrong, runs, table.concat(wrong, "\n", 1, math.min(#wrong, 20))), 0) end
print(("%d runs pass narrow wells beside stiff partners, %d are refused"):format(runs, refused))
