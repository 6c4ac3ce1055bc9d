-- enclosures.lua: short motions of random systems lie in their balls: those of runs in doubles, of other bits and orders, and all from a box.
-- Arbiters: runs in doubles within their own errors; enclosures with twice the bits.
local hm, check, core = require "hamel", require "check", require "hamel.core"

if not core.has_arb then os.exit(77) end

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(40)
print(("enclosures: seed %d, %d systems"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function fraction() return hm.rational(whole(-9, 9), whole(3, 11)) end

-- A smooth function of these arguments
local function smooth(x, y)
  local makers = {
    function() return hm.sin(x + 2*y) end, function() return x^2*y/3 end, function() return hm.exp(-x^2/3) end,
    function() return hm.log(3 + x*y + x^2 + y^2) end,
    function() return hm.sqrt(2 + x^2 + y^2) end, function() return 1/(2 + hm.cos(x)) end, function() return hm.atan(x - y) end,
    function() return hm.tanh(y) end,
    function() return (2 + x^2)^hm.rational(1, 3) end, function() return hm.asinh(x*y) end, function() return hm.cosh(x/2) end,
    function() return hm.atan2(x, 3 + y^2) end,
  }
  return makers[whole(1, #makers)]()
end

local function system(k)
  local S = hm.system("random " .. k)
  local x, y = S:coordinates "x y"
  local m = S:positive "m=1.1"
  S:kinetic_energy(m*(2 + hm.sin(x)*hm.cos(y))*x.dot^2/2 + (2 + smooth(x, y)^2)*y.dot^2/2 + x.dot*y.dot/5)
  S:potential_energy((x^2 + y^2)/2 + fraction()*smooth(x, y))
  if whole(1, 2) == 1 then S:force(x, fraction()*hm.sin(hm.t) - x.dot/7) end
  local constrained = whole(1, 3) == 1
  if constrained then S:constraint("c", y.dot - hm.sin(x)*x.dot - fraction()*x.dot) end
  return S, constrained
end

local T = 0.8
for k = 1, count do
  local S, constrained = system(k)
  local q, v = { x = fraction()/2, y = fraction()/2 }, { x = fraction()/2 }
  if not constrained then v.y = fraction()/2 end
  local e = S:enclosure{ q = q, v = v, t = T, bits = 64 }
  local fine = S:enclosure{ q = q, v = v, t = T, bits = 128, order = whole(20, 50) }
  assert(e.status == "OK" and fine.status == "OK", ("seed %d, system %d: %s, %s"):format(seed, k, tostring(e), tostring(fine)))
  local run = S:simulate{ q = q, v = v, t = T, rtol = 1e-12, atol = 1e-12 }:at(T)
  local function wrong(what, a, b) error(("seed %d, system %d: %s: %s and %s"):format(seed, k, what, tostring(a), tostring(b))) end
  for _, part in ipairs{ "q", "v" } do
    for name, ball in pairs(e[part]) do
      if not ball:meets(fine[part][name]) then wrong(part .. "." .. name, ball, fine[part][name]) end
      if not ball:meets(hm.ball(run[part][name], 1e-9)) then wrong(part .. "." .. name .. " of the run", ball, run[part][name]) end
      if ball.radius > 1e-12 or fine[part][name].radius > 1e-31 then wrong("width", ball, fine[part][name]) end
    end
  end
  for name, ball in pairs(e.lambda) do if not ball:meets(fine.lambda[name]) then wrong("lambda." .. name, ball, fine.lambda[name]) end end
  if not e.energy:meets(fine.energy) then wrong("energy", e.energy, fine.energy) end
  -- a motion from the box
  local x0 = core.number_value(q.x)
  local box = S:enclosure{ q = { x = hm.ball(q.x, "1e-5"), y = q.y }, v = v, t = T }
  local other = S:enclosure{ q = { x = x0 + random(-0.99e-5, 0.99e-5), y = q.y }, v = v, t = T }
  for name, ball in pairs(box.q) do
    if ball:holds(other.q[name]) == false then wrong("box, " .. name, ball, other.q[name]) end
  end
end
