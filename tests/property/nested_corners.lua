-- Random forces of two coordinates whose corners stand inside each other, in time, place and velocity: all methods agree, or all stop at the same
-- instant, where the motion would slide along a corner. Arbiter: methods that have nothing in common but the corners.
--   build/hamel tests/property/nested_corners.lua [SEED [SYSTEMS]]; HML_SEED, and HML_SCALE, which multiplies the systems
local hm, check = require "hamel", require "check"
local seed = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time()))
local count = math.tointeger(tonumber(arg[2] or 12*(tonumber(os.getenv "HML_SCALE") or 1)))
print(("nested_corners: seed %d, %d systems"):format(seed, count))
local between = check.generator(seed)
local END, NEAR = 6, 1e-6
local methods = { "dop853", "rk8pd", "radau5", "auto", "rkf45" }

local function int(a, b) return math.floor(between(a, b + 1)) end

local function data(name)
  local x, y, kinds = {}, {}, { "linear", "akima", "steffen", "cubic" }
  for i = 1, 9 do x[i], y[i] = (i - 5)*4 + between(-1, 1), between(-1, 1) end
  return hm.data{ x = x, y = y, kind = kinds[int(1, 4)], name = name }
end

-- A smooth expression, mostly one that passes zero
local function smooth(vars)
  local kinds = {
    function() return hm.sin(between(1, 6)*hm.t + between(0, 3)) - between(-0.5, 0.5) end,
    function() return vars[int(1, 4)] - between(-1, 1) end,
    function() return vars[int(1, 4)]*between(-1, 1) + vars[int(1, 5)]*between(-1, 1) - between(-1, 1) end,
    function() return hm.sin(between(1, 5)*vars[int(1, 5)]) + vars[int(1, 4)]*between(-0.5, 0.5) end,
  }
  return kinds[int(1, 4)]()
end

local function force(vars, depth, name)
  local a = depth > 0 and force(vars, depth - 1, name .. "_") or smooth(vars)
  local kinds = {
    function() return between(-1, 1)*hm.sign(smooth(vars)) end,
    function() return between(-1, 1)*hm.abs(a) end,
    function() return hm.max(smooth(vars), a) end,
    function() return hm.min(smooth(vars), a) end,
    function() return hm.sign(smooth(vars))*smooth(vars) end,
    function() return hm.max(0, 1 - (smooth(vars)*between(1, 20))^2) end,
    function() return data(name)(smooth(vars)) end,
    function() return hm.sqrt(1 + hm.abs(a))*between(-1, 1) end,
  }
  return kinds[int(1, 8)]()
end

local function system(k)
  local S = hm.system "corners"
  local x, y = S:coordinates "x y"
  local vars = { x, y, x.dot, y.dot, hm.t }
  S:kinetic_energy((x.dot^2 + 2*y.dot^2 + x.dot*y.dot/2)/2)
  S:potential_energy(between(0.5, 2)*x^2/2 + between(0.5, 2)*y^2/2 + between(-0.3, 0.3)*x*y)
  S:force(x, force(vars, 1, ("first%d"):format(k)))
  S:force(y, force(vars, 2, ("second%d"):format(k)))
  return S
end

local stopped = 0
for k = 1, count do
  local S = system(k)
  local o = { q = { x = between(-1, 1), y = between(-1, 1) }, v = { x = between(-1, 1), y = between(-1, 1) }, t = END, rtol = 1e-11, atol = 1e-11 }
  local first
  for _, method in ipairs(methods) do
    o.method = method
    local run = S:simulate(o)
    local t, what = run.outcome.t, ("system %d of seed %d by %s"):format(k, seed, method)
    local slides = run.status == "SINGULAR" and run.reason:find("from both sides", 1, true) ~= nil
    if not slides and run.status ~= "OK" and run.status ~= "INACCURATE" then error(("%s: %s: %s"):format(what, run.status, run.reason)) end
    first = first or { t = t, slides = slides, x = run:at(math.min(t, END)).x }
    if slides ~= first.slides then error(("%s: it %s, unlike others"):format(what, slides and "slides" or "does not slide")) end
    check.near(t, first.t, NEAR, what)
    check.near(run:at(math.min(t, END)).x, first.x, NEAR, what)
  end
  stopped = stopped + (first.slides and 1 or 0)
end
print(("%d of them slide"):format(stopped))
