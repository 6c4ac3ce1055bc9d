-- Highest, lowest and mean values of functions with poles, logarithms and jumps that an oscillation touches, misses or passes by distances from 0 to 1e-2 of
-- its amplitude, by all kinds of methods at random tolerances, in single runs and in lanes: a value is that of the closed solution, or it is refused. Refusals
-- where the motion stays clear of the place are counted: there must be few.
--
-- x = A cos phase, phase = w t - phase0; the runs take whole periods. With g = l - x and l = A (1 + d) the means of 1/g, log g and 1/sqrt(g) are
-- 1/sqrt(l^2 - A^2), log((l + sqrt(l^2 - A^2))/2) and 1/M(sqrt(l + A), sqrt(l - A)), M the arithmetic-geometric mean (Gauss).
--   lua tests/property/measures_touched.lua [seed] [rounds]
local hm = require "hamel"
local sin, cos, sqrt, pi = math.sin, math.cos, math.sqrt, math.pi

local seed = math.tointeger(tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261128)
local rounds = math.floor(tonumber(arg and arg[2]) or 16*(tonumber(os.getenv "HML_SCALE") or 1))
math.randomseed(seed, 1)
local function number(a, b) return a + (b - a)*math.random() end
local function any(list) return list[math.random(#list)] end

local S = hm.system "oscillator"
local x = S:coordinates "x"
local w = S:positive "w=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(w^2*x^2/2)

local METHODS = { { "dop853" }, { "dop853" }, { "taylor" }, { "rk4", 0.01 }, { "rk4", 0.003 }, { "gauss6", 0.05 }, { "gauss4", 0.02 }, { "radau5" } }

local function agm(a, b)
  for _ = 1, 60 do a, b = (a + b)/2, sqrt(a*b) end
  return a
end

-- Measures with their values; nil: there is none. The last entry: how fast the value changes with the distance, over the value, at a distance
local function drawn(m)
  local A, l, least = m.A, m.l, m.l - m.A
  local g, up = l - x, m.up
  if not up then g = l + x end                             -- touched at the other turning point
  local inside = least > 0
  local root = inside and sqrt((l - A)*(l + A)) or 0
  local function where(value) return inside and value or nil end
  local r2 = x.dot^2/m.w^2 + g^2                           -- A^2 + l^2 - 2 l A cos: least where g is
  local function one(e) return 1/e end
  return any{
    function() return "1/g", hm.highest(1/g), where(1/least), one end,
    function() return "-1/g", hm.lowest(-1/g), where(-1/least), one end,
    function() return "1/g^2", hm.highest(1/g^2), where(1/least^2), function(e) return 2/e end end,
    function() return "1/g^3 lowest", hm.lowest(1/g^3), where(1/(l + A)^3), one, "side" end,
    function() return "1/g^2 lowest", hm.lowest(1/g^2), 1/(l + A)^2, one, "side" end,
    function() return "log", hm.lowest(hm.log(g)), where(inside and math.log(least)), one end,
    function() return "1/sqrt", hm.highest(1/hm.sqrt(g)), where(1/sqrt(least)), one end,
    function() return "1/(x.dot^2 + g^2)", hm.highest(1/r2), l ~= A and 1/least^2 or nil, function(e) return 2/e end, "around" end,
    function() return "atan2", hm.lowest(hm.atan2(g, -1)), inside and math.atan(l + A, -1) or -pi, one, "jump" end,
    function() return "sign", hm.lowest(hm.sign(g)), inside and 1 or -1, one, "jump" end,
    function() return "sinc", hm.highest(hm.sin(g)/g), inside and sin(least)/least or 1, one, "limit" end,
    function() return "mean 1/g", hm.mean(1/g), where(1/root), one end,
    function() return "mean log", hm.mean(hm.log(g)), least >= 0 and math.log((l + root)/2) or nil, function() return 1 end end,
    function() return "mean 1/sqrt", hm.mean(1/hm.sqrt(g)), where(inside and 1/agm(sqrt(l + A), sqrt(l - A))), one end,
    function() return "mean sign", hm.mean(hm.sign(g)), 1 - (inside and 0 or 2*math.acos(l/A)/pi), one, "jump" end,
  }
end

local checked, refused, needless, wrong, near, clear = 0, 0, 0, {}, 0, 0
for round = 1, rounds do
  local A = number(0.3, 3)
  local d = any{ 0, 0, 1e-17, 1e-16, 1e-15, 1e-13, -1e-13, 1e-12, 1e-11, 1e-10, -1e-9, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, -1e-5, 1e-4, 1e-3, 1e-2, -1e-3 }
  local m = { A = A, l = A*(1 + d), w = number(0.5, 2), up = math.random() < 0.7 }
  local phase = any{ 0, pi, number(0, 2*pi), number(0, 2*pi) }
  local start = { phase == 0 and A or phase == pi and -A or A*cos(phase), (phase == 0 or phase == pi) and 0 or m.w*A*sin(phase) }
  -- the amplitude of the start differs from A by rounding: the distance is not known better
  local rounding = (phase == 0 or phase == pi) and 0 or 4e-16*A
  local method, tolerance, periods = any(METHODS), 10^number(-12, -6), math.random(3)
  local to = 2*pi*periods/m.w
  local name, measure, expected, rate, kind = drawn(m)()
  local least = m.l - A
  local fixed = method[2] ~= nil
  local o = { q = { x = start[1] }, v = { x = start[2] }, parameters = { w = m.w }, t = to, rtol = tolerance, atol = tolerance, method = method[1],
              step = method[2] }
  local run = S:simulate(o)
  assert(run.status == "OK", run.reason)
  local size = 1 + A*(1 + m.w)
  -- what errors of the run may do to the distance; what they do as a rule
  local slack = 4e3*size^2*tolerance*(1 + m.w) + (fixed and 40*(run.outcome.step_errors or 0)*size^2 or 0) + rounding
  local off = 30*size^2*tolerance*periods + (fixed and 4*(run.outcome.step_errors or 0)*size^2 or 0) + rounding + 1e-15
  local distance = math.abs(least)
  if distance < slack/1e3 then near = near + 1 elseif distance > slack then clear = clear + 1 end
  local function check(where, value, why)
    checked = checked + 1
    if value == nil then
      refused = refused + 1
      if distance > slack and kind ~= "limit" and (expected ~= nil) and not (least < 0 and kind ~= "jump" and kind ~= "around") then needless = needless + 1 end
      return
    end
    local fine
    if kind == "limit" then fine = math.abs(value - expected) < 1e-6
    elseif expected == nil then fine = false
    else
      local share = kind == "jump" and math.abs(value - expected)/(1e-6 + 10*sqrt(slack)) or math.abs(value - expected)/math.abs(expected)
      local allowed = kind == "jump" and 1 or kind == "side" and 1e-5 + 10*off or 1e-5 + 10*off*rate(math.max(distance, 1e-300))
      fine = share <= math.min(allowed, kind == "jump" and 1 or 0.2)
    end
    if not fine then
      wrong[#wrong + 1] = ("seed %d, round %d, %s, %s by %s, %.2g: %s, of the solution %s; A = %.17g, d = %g, phase %.3g; slack %.2g, %s"):format(seed, round,
        where, name, method[1], tolerance, tostring(value), tostring(expected), A, d, phase, slack/A, tostring(why))
    end
  end
  local kept = run:keep{ value = measure }
  local got, value = pcall(function() return kept.value end)
  check("single", got and value or nil)
  if not got then assert(tostring(value):find " at t = " or tostring(value):find " near t = ", value) end
  if method[1] ~= "radau5" then
    for _, lanes in ipairs{ 1, 4, 8 } do
      local W = S:sweep{ over = { { w, { m.w, m.w*1.01 } } }, q = o.q, v = o.v, t = to, rtol = tolerance, atol = tolerance, method = method[1],
                         step = method[2], keep = { value = measure }, lanes = lanes, threads = 1, progress = false }
      local row = W[1]
      assert(row.status == "OK" or row.status == "UNDECIDED" or row.status == "NOT_FINITE" or row.status == "LIMIT", row.reason)
      assert((row.status == "OK") == (row.value ~= nil), row.reason)
      check("lanes " .. lanes, row.value)
      if distance < 1e-2*slack or distance > 1e2*slack then
        assert((row.value ~= nil) == got, ("seed %d, round %d, lanes %d, %s"):format(seed, round, lanes, name))
      end
    end
  end
end
print(("%d measures near poles and jumps: %d refused, %d of them although the motion stays clear; %d wrong"):format(checked, refused, needless, #wrong))
for i = 1, math.min(#wrong, 10) do print(wrong[i]) end
assert(#wrong == 0 and needless <= 0.02*checked and (rounds < 16 or refused > checked/10))
