-- Measures of random functions of motions with closed solutions, oscillators and free motion, by all kinds of methods at random tolerances, in single runs
-- and in lanes: a value is that of the solution, or it is refused. Roots are counted on the solution, between the zeros of the rate, so that touches and
-- near misses are known. Refusals where the function stays clear of zero are counted: there must be few.
--   lua tests/property/measures_closed.lua [seed] [rounds]
local hm = require "hamel"
local sin, cos, abs = math.sin, math.cos, math.abs

local seed = math.tointeger(tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261127)
local rounds = math.floor(tonumber(arg and arg[2]) or 16*(tonumber(os.getenv "HML_SCALE") or 1))
math.randomseed(seed, 1)
local function number(a, b) return a + (b - a)*math.random() end
local function any(list) return list[math.random(#list)] end

-- x = a cos w t + b sin w t, z = c + d t
local S = hm.system "oscillator and free particle"
local x, z = S:coordinates "x z"
local w = S:positive "w=1"
S:kinetic_energy((x.dot^2 + z.dot^2)/2)
S:potential_energy(w^2*x^2/2)

local METHODS = { { "dop853" }, { "dop853" }, { "taylor" }, { "rk4", 0.01 }, { "rk4", 0.003 }, { "gauss6", 0.05 }, { "gauss4", 0.02 }, { "radau5" } }

-- A function: expression, value and rate at t of the solution; "flat": zero over an interval; "jump": it jumps, where the function behind it, with this
-- rate, vanishes; "cube": of the function behind it, with this rate
local function drawn(m)
  local X = function(t) return m.a*cos(m.w*t) + m.b*sin(m.w*t) end
  local V = function(t) return m.w*(m.b*cos(m.w*t) - m.a*sin(m.w*t)) end
  local Z = function(t) return m.c + m.d*t end
  local A = math.sqrt(m.a^2 + m.b^2)
  local near = any{ 0, 0, 1e-13, -1e-13, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3 }
  local l = any{ number(-1.2, 1.2)*A, A*(1 + near), -A*(1 + near) }
  return any{
    function() return x - l, function(t) return X(t) - l end, V end,
    function() return x.dot - l*m.w, function(t) return V(t) - l*m.w end, function(t) return -m.w^2*X(t) end end,
    function() return x^2 - l^2, function(t) return X(t)^2 - l^2 end, function(t) return 2*X(t)*V(t) end end,
    function() return (x - l)^3, function(t) return (X(t) - l)^3 end, function(t) return 3*(X(t) - l)^2*V(t) end, "cube", V end,
    function() return x + z/7, function(t) return X(t) + Z(t)/7 end, function(t) return V(t) + m.d/7 end end,
    function() return hm.sin(3*x) - near, function(t) return sin(3*X(t)) - near end, function(t) return 3*V(t)*cos(3*X(t)) end end,
    function() return hm.abs(x - l), function(t) return abs(X(t) - l) end, function(t) return X(t) > l and V(t) or -V(t) end end,
    function() return x.dot^2 + m.w^2*x^2 - m.w^2*A^2, function() return 0 end, function() return 0 end, "flat" end,
    function() return hm.max(x - l, 0), function(t) return math.max(X(t) - l, 0) end, V, "flat" end,
    function() return z.dot - m.d, function() return 0 end, function() return 0 end, "flat" end,
    function() return hm.sign(x - l), function(t) return X(t) > l and 1 or -1 end, V, "jump", function(t) return X(t) - l end end,
    function() return hm.step(x - l) - 0.5, function(t) return X(t) > l and 0.5 or -0.5 end, V, "jump", function(t) return X(t) - l end end,
    function() return hm.atan2(x, -2*A), function(t) return math.atan(X(t), -2*A) end, V, "jump", X end,
    function() return hm.sign(x)*(z + 20), function(t) return (X(t) > 0 and 1 or -1)*(Z(t) + 20) end, V, "jump", X end,
  }()
end

-- Roots of the solution from 0 to `to`, by the zeros of the rate, where the least distance from zero is: times, and that distance (touches and the ends
-- included). A zero at the start does not count
local function solved(g, rate, to)
  local SAMPLES, times, clearance = 4000, {}, math.huge
  local function bisected(f, a, b)
    local at_a = f(a)
    for _ = 1, 80 do
      local middle = (a + b)/2
      if f(middle)*at_a > 0 then a = middle else b = middle end
    end
    return (a + b)/2
  end
  local turns = { 0 }
  for k = 1, SAMPLES do
    local a, b = (k - 1)*to/SAMPLES, k*to/SAMPLES
    if rate(a)*rate(b) < 0 then turns[#turns + 1] = bisected(rate, a, b) elseif rate(b) == 0 then turns[#turns + 1] = b end
  end
  if turns[#turns] ~= to then turns[#turns + 1] = to end
  for k = 2, #turns do
    local from, at = g(turns[k - 1]), g(turns[k])
    clearance = math.min(clearance, abs(at))
    if k > 2 and from*at < 0 or k == 2 and from*at < 0 and abs(from) > 1e-15 then times[#times + 1] = bisected(g, turns[k - 1], turns[k]) end
  end
  return times, clearance
end

local checked, refused, needless, wrong = 0, 0, 0, {}
for round = 1, rounds do
  local m = { w = number(0.5, 2), a = number(-1, 1), b = number(-1, 1), c = number(-2, 2), d = any{ 0.5, -0.5, 0.25 } }
  if math.random() < 0.3 then m.b = 0 end
  local method, tolerance, to = any(METHODS), 10^number(-11, -5), number(3, 25)
  local e, g, rate, kind, behind = drawn(m)
  local times, clearance = solved(g, rate, to)
  if kind == "flat" then clearance = 0 elseif kind == "jump" then times, clearance = {}, select(2, solved(behind, rate, to)) end
  local size, direction = 1 + math.sqrt(m.a^2 + m.b^2), any{ 0, 1, -1 }
  local wanted = {}
  for _, t in ipairs(times) do
    if direction == 0 or (g(t + 1e-5) > 0) == (direction > 0) then wanted[#wanted + 1] = t end
  end
  local keep = { count = hm.count(e, direction), first = hm.first(e, direction), at = hm.at(z, e, direction) }
  local fixed = method[2] ~= nil
  local o = { q = { x = m.a, z = m.c }, v = { x = m.w*m.b, z = m.d }, parameters = { w = m.w }, t = to, rtol = tolerance, atol = tolerance, method = method[1],
              step = method[2] }
  local run = S:simulate(o)
  assert(run.status == "OK", run.reason)
  -- what errors of the run may do to the function: it is refused up to about a thousand tolerances
  local slack = 4e3*size^2*tolerance*(1 + m.w) + (fixed and 40*(run.outcome.step_errors or 0)*size^2 or 0)
  -- a slow root magnifies errors
  local slope = wanted[1] and abs((kind == "cube" and behind or rate)(wanted[1])) or 1
  local function check(where, name, value, expected, why)
    checked = checked + 1
    if why then
      refused = refused + 1
      if clearance > slack then needless = needless + 1 end
      return
    end
    local off = expected and value and abs(value - expected)
    local right = not expected or off and off <= (name == "count" and 0 or slack*math.max(10, 1/slope) + 1e-7)
    local fine = (expected == nil) == (value == nil or value == false) and right
    if not fine then
      wrong[#wrong + 1] = ("seed %d, round %d, %s, %s by %s, %.2g: %s of %s, direction %d: %s, of the solution %s; clearance %.2g"):format(seed, round,
        where, name, method[1], tolerance, name, tostring(e), direction, tostring(value), tostring(expected), clearance)
    end
  end
  local expected = { count = #wanted, first = wanted[1], at = wanted[1] and m.c + m.d*wanted[1] }
  local kept = run:keep(keep)
  local verdicts = {}
  for name in pairs(keep) do
    local fine, value = pcall(function() return kept[name] end)
    verdicts[name] = fine
    check("single", name, fine and value or nil, expected[name], not fine)
  end
  if method[1] ~= "radau5" then
    for _, lanes in ipairs{ 1, 4, 8 } do
      local W = S:sweep{ over = { { w, { m.w, m.w*1.01 } } }, q = o.q, v = o.v, t = to, rtol = tolerance, atol = tolerance, method = method[1],
                         step = method[2], keep = keep, lanes = lanes, threads = 1, progress = false }
      local row = W[1]
      assert(row.status == "OK" or row.status == "UNDECIDED" or row.status == "LIMIT", row.reason)
      for name in pairs(keep) do
        -- a row names the first refusal
        local why = row.status ~= "OK" and row[name] == nil and (name == "count" or verdicts[name] == false)
        check("lanes " .. lanes, name, row[name], expected[name], why)
      end
      if clearance < 1e-2*slack or clearance > 1e2*slack then
        assert((row.count ~= nil) == verdicts.count, ("seed %d, round %d, lanes %d"):format(seed, round, lanes))
      end
    end
  end
end
print(("%d measures of closed solutions: %d refused, %d of them although the function stays clear of zero; %d wrong"):format(checked, refused, needless,
  #wrong))
for i = 1, math.min(#wrong, 10) do print(wrong[i]) end
assert(#wrong == 0 and refused > checked/20 and needless <= 0.02*checked)
