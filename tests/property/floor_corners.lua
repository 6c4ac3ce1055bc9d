-- floor_corners.lua: a body with friction on random floors with kinks, bumps, linear data and parts that begin to move, by several methods.
-- Arbiters: each other, the gap between the points, and the balance of energy. HML_SEED, and HML_SCALE, which multiplies the systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 1
local systems = math.floor(tonumber(arg and arg[2]) or 25*(tonumber(os.getenv "HML_SCALE") or 1))
print(("floor_corners: seed %d, %d systems"):format(seed, systems))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local function data(number)
  local x, y = {}, {}
  for i = 1, 12 do x[i], y[i] = (i - 4)*0.7 + random(-0.2, 0.2), random(-0.1, 0.1) end
  return hm.data{ x = x, y = y, kind = "linear", name = "ground" .. number }
end

-- A part of the floor by place and time, as an expression and as a function of numbers
local function part(number)
  local at, slope, width = random(0.5, 3), random(-0.4, 0.4), 10^random(-2.5, -0.3)
  local kinds = {
    function() return function(m, x) return slope*m.max(0, x - at) end end,
    function() return function(m, x) return 0.3*slope*m.abs(x - at) end end,
    function() return function(m, x) return 0.2*slope*m.max(0, 1 - ((x - at)/width)^2)^2 end end,
    function() return function(m, x) return width*slope*m.max(0, 1 - m.abs((x - at)/width)) end end,
    function() return function(m, _, t) return 0.3*slope*m.max(0, t - at/3) end end,
    function() local ground = data(number) return function(_, x) return ground(x) end end,
  }
  return kinds[whole(1, #kinds)]()
end

local function draw(number)
  local parts = { part(2*number), whole(1, 2) == 1 and part(2*number + 1) or nil }
  local function floor(m, x, t)
    local sum = 0
    for _, p in ipairs(parts) do sum = sum + p(m, x, t) end
    return sum
  end
  local S = hm.system("floor " .. number)
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + random(0.5, 2)*y.dot^2)/2 + random(-0.2, 0.2)*x.dot*y.dot)
  S:force(y, -random(2, 10))
  S:unilateral("floor", y - floor(hm, x, hm.t), { law = hm.moreau(whole(1, 2) == 1 and 0 or random(0.1, 0.6)) })
  if whole(1, 2) == 1 then S:friction("rub", { slip = x.dot, normal = "floor", coefficient = random(0.02, 0.3) }) end
  local start = floor(math, 0, 0)
  local height = whole(1, 2) == 1 and 0 or random(0, 0.3)
  return S, { q = { x = 0, y = start + height }, v = { x = random(0.5, 3), y = 0 }, t = 1.5, rtol = 1e-10, atol = 1e-11 }, floor
end

local impacts, stopped = 0, 0
for number = 1, systems do
  local S, o, floor = draw(number)
  local where, first = ("seed %d, floor %d"):format(seed, number), nil
  for _, method in ipairs{ "dop853", "radau5", "rkf45" } do
    o.method = method
    local run = S:simulate(o)
    local what = where .. " by " .. method
    -- a stop names its reason; that the body comes to rest in a corner of one gap has no mode
    if run.status ~= "OK" then
      local known = run.status == "SINGULAR" or run.status == "NO_CONTACT_MODE" or run.status == "NO_UNIQUE_MOTION"
      assert(known, ("%s: %s: %s"):format(what, run.status, run.reason))
      stopped = stopped + 1
      break
    end
    for i = 0, 400 do
      local t = 1.5*i/400
      local s = run:at(t)
      local gap = s.y - floor(math, s.x, t)
      if gap < -1e-7 then error(("%s: the gap is %.3g at t = %.6g"):format(what, gap, t)) end
    end
    assert(run.energy_drift < 1e-7, ("%s: the energy is off by %.3g"):format(what, run.energy_drift))
    first = first or run
    check.near(run:at(1.5).x, first:at(1.5).x, 1e-5, what)
    check.near(run:at(1.5).y, first:at(1.5).y, 1e-5, what)
    impacts = impacts + #run.impacts
  end
end
print(("  %d impacts, %d runs stopped early"):format(impacts, stopped))
assert(stopped < systems/3)
