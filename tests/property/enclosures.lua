-- enclosures.lua: short motions of random systems lie in their balls: those of runs in doubles, in quadruple precision, of other bits,
-- orders and forms, forward and backward in time, up to sections, and all from a box. Steps so long that the bounds of the remainders are most of
-- the radius make a wrong bound visible.
-- Arbiters: runs in doubles within their own errors; S:reference; enclosures with many more bits.
local hm, check, core = require "hamel", require "check", require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"

if not core.has_arb then os.exit(77) end

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(10)
print(("enclosures: seed %d, %d systems"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function fraction() return hm.rational(whole(-9, 9), whole(3, 11)) end

-- A smooth function of these arguments, which lie between -2 and 2
local function smooth(x, y)
  local unit = (x + y)/5
  local makers = {
    function() return hm.sin(x + 2*y) end, function() return x^2*y/3 end, function() return hm.exp(-x^2/3) end,
    function() return hm.log(3 + x*y + x^2 + y^2) end, function() return hm.tan(x/3) end, function() return hm.asin(unit) end,
    function() return hm.sqrt(2 + x^2 + y^2) end, function() return 1/(2 + hm.cos(x)) end, function() return hm.atan(x - y) end,
    function() return hm.tanh(y) end, function() return hm.acos(unit) end, function() return hm.atanh(unit) end,
    function() return (2 + x^2)^hm.rational(1, 3) end, function() return hm.asinh(x*y) end, function() return hm.cosh(x/2) end,
    function() return hm.atan2(x, 3 + y^2) end, function() return hm.acosh(2 + y^2) end, function() return hm.sinh(x - y) end,
    function() return (3 + x)^(y/2) end, function() return hm.abs(4 + x*y/2) end, function() return hm.max(x, 4 + y)*hm.min(y, 5 - x) end,
    function() return 1/(2 + x^2)^2 end, function() return hm.sqrt(2 + hm.sin(x))/(1 + y^2) end,
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

local function start(constrained)
  local q, v = { x = fraction()/2, y = fraction()/2 }, { x = fraction()/2 }
  if not constrained then v.y = fraction()/2 end
  return q, v
end

local k
local function wrong(what, a, b) error(("seed %d, system %d: %s: %s and %s"):format(seed, k, what, tostring(a), tostring(b))) end

-- Does every ball of `outer` meet that of `inner`?
local function compare(what, outer, inner)
  for _, part in ipairs{ "q", "v", "lambda" } do
    for name, x in pairs(outer[part]) do
      -- not every form has the multipliers
      if inner[part][name] and not x:meets(inner[part][name]) then wrong(("%s, %s.%s"):format(what, part, name), x, inner[part][name]) end
    end
  end
  if outer.energy and not outer.energy:meets(inner.energy) then wrong(what .. ", energy", outer.energy, inner.energy) end
end

local function good(e)
  if e.status ~= "OK" then wrong("lost", e, e.reason) end
  return e
end

-- A point of a box: 1 and 2 give its ends, where short motions are farthest from the centre, others a corner or a point within
local function corner(box, which)
  local at = {}
  for name, pair in pairs(box) do
    local along = which <= 2 and which - 1 or whole(0, 3)
    at[name] = along == 0 and pair[1] or along == 1 and pair[2] or pair[1] + (pair[2] - pair[1])*hm.rational(whole(1, 99), 100)
  end
  return at
end

local function around(values, width)
  local box = {}
  for name, value in pairs(values) do box[name] = { value - width, value + width } end
  return box
end

-- What a run has beyond the bits that were asked for, in its remainders (src/integrate/enclose.c)
local GUARD = 12

-- The balls at times, of steps whose remainders may exceed the bits asked for by `slack`; nil where the enclosure is lost, if that is allowed
local function loose(S, o, times, more, may_be_lost)
  more.slack = more.slack and more.slack > 0 and more.slack + GUARD or 0
  local m, balls = enclosed.new(S, o, "loose", 0.0), {}
  for i, t in ipairs(times) do balls[i] = core.ball(t, more.bits) end
  local results, status, message = m:open(core.ball("0", 2), more):run(balls)
  if may_be_lost and (status == "LIMIT" or status == "SINGULAR_MASS") then return nil end
  if status then wrong("lost", status, message) end
  for i, one in ipairs(results) do results[i] = m:read(one) end
  return results
end

local T, SHORT, FINE, lost, crossed = 0.8, 25, 110, 0, 0
local free_forms, held_forms = { "lagrange", "canonical", "nielsen" }, { "lagrange", "hamel", "maggi", "kane", "appell" }

-- Up to where a coordinate has a value that it passes on the way: balls of other bits and another form meet, and those of the motion at that time
local function to_section(S, q, v, list)
  local x, at = S:coordinate_list()[1], q.x + v.x*hm.rational(whole(5, 20), 100)
  local o = { q = q, v = v, section = { when = x, direction = "both" }, at = at, t = "1/2" }
  o.bits, o.form, o.order = 64, list[whole(1, #list)], whole(20, 40)
  local low = S:enclosure(o)
  o.bits, o.form, o.order = FINE, "lagrange", nil
  local high = S:enclosure(o)
  if low.status ~= "OK" or high.status ~= "OK" then
    if (low.status == "NO_CROSSING") ~= (high.status == "NO_CROSSING") then wrong("crossings", low, high) end
    return 0
  end
  if not low.time:meets(high.time) then wrong("time of a crossing", low.time, high.time) end
  compare("at a section", low, high)
  if not high.q.x:contains(at) then wrong("at the section", high.q.x, at) end
  local there = loose(S, { q = q, v = v, form = "lagrange" }, { high.time:midpoint():text(40) }, { bits = FINE })[1]
  for name, value in pairs(there.q) do
    if not value:meets(hm.ball(high.q[name]:midpoint():text(40), "1e-25")) then wrong("at the time of the section, " .. name, value, high.q[name]) end
  end
  return 1
end

for system_number = 1, count do
  k = system_number
  local S, constrained = system(k)
  -- a longer run with the usual order
  local q, v = start(constrained)
  local e, fine = good(S:enclosure{ q = q, v = v, t = T, bits = 64 }), good(S:enclosure{ q = q, v = v, t = T, bits = 128, order = whole(20, 50) })
  compare("other bits", e, fine)
  local run = S:simulate{ q = q, v = v, t = T, rtol = 1e-12, atol = 1e-12 }:at(T)
  local quadruple = false
  if k % 4 == 0 then
    local fine_there, r = pcall(S.reference, S, { q = q, v = v, t = T, digits = 28, prove = false })
    if not fine_there and not tostring(r):find("not smooth", 1, true) then error(r, 0) end       -- max, min, abs
    quadruple = fine_there and r
  end
  for _, part in ipairs{ "q", "v" } do
    for name, x in pairs(e[part]) do
      if not x:meets(hm.ball(run[part][name], 1e-9)) then wrong(part .. "." .. name .. " of the run", x, run[part][name]) end
      local other = quadruple and quadruple[part][name]
      if other and not fine[part][name]:meets(hm.ball(other, "1e-26")) then wrong(name .. ", quadruple", fine[part][name], other) end
      if x.radius > 1e-12 or fine[part][name].radius > 1e-31 then wrong("width", x, fine[part][name]) end
    end
  end
  -- short runs: a step or a few
  for short = 1, SHORT do
    q, v = start(constrained)
    local order, sign, list = whole(2, 12), whole(1, 2) == 1 and "" or "-", constrained and held_forms or free_forms
    local times, form = { (sign .. "0.%03d"):format(whole(1, 99)), (sign .. "0.%03d"):format(whole(100, 300)) }, list[short % 12 == 0 and whole(1, #list) or 1]
    local high = loose(S, { q = q, v = v, form = "lagrange" }, times, { bits = FINE })
    for i, low in ipairs(loose(S, { q = q, v = v, form = form }, times, { bits = 64, order = order, slack = whole(25, 55) })) do
      compare(("%s, order %d, t = %s"):format(form, order, times[i]), low, high[i])
    end
  end
  q, v = start(constrained)
  if k % 3 == 1 and v.x ~= hm.number(0) then crossed = crossed + to_section(S, q, v, constrained and held_forms or free_forms) end
  -- from a box of starts and a parameter: motions from its corners and edges, and from within
  for i = 1, 3 do
    q, v = start(constrained)
    local width, t, wide = hm.rational(1, 10)^whole(1, 4)/2, ("0.%03d"):format(whole(20, 400)), hm.rational(1, 1000)
    local order, slack = i > 1 and whole(2, 12) or nil, i > 1 and whole(25, 50) or 0
    local box_q, box_v, box_m, boxes
    -- the widest boxes cannot always be held, about masses that are powers of the coordinates above all; narrower ones about the same place can
    repeat
      box_q, box_v, box_m = around(q, width), around(v, width), around({ m = hm.rational(11, 10) }, width)
      boxes = loose(S, { q = box_q, v = box_v, form = "lagrange", parameters = box_m }, { t }, { bits = 64, order = order, slack = slack }, width > wide)
      if not boxes then lost, width = lost + 1, width/10 end
    until boxes
    for which = 1, 4 do
      local point = { q = corner(box_q, which), v = corner(box_v, which), form = "lagrange", parameters = corner(box_m, which) }
      compare("box", boxes[1], loose(S, point, { t }, { bits = FINE })[1])
    end
  end
end
print(("enclosures up to a section: %d of %d"):format(crossed, (count + 2)//3))
if crossed < count/6 - 1 then error(("seed %d: only %d enclosures came to a section"):format(seed, crossed)) end
print(("enclosures of boxes that were lost: %d of %d"):format(lost, 3*count))
if lost > 1 + count/4 then error(("seed %d: %d of %d enclosures of boxes were lost"):format(seed, lost, 3*count)) end
