-- No-slip billiard in a strip: a disc whose elastic impacts reverse the velocity of the point of contact. Every orbit stays within bounds.
-- Sources: Broomhead, Gutkin, Physica D 67 (1993) 188-197; Cox, Feres, No-slip billiards in dimension two, Contemp. Math. 698 (2017);
-- Chumley, Cook, Cox, Feres, J. Geom. Mech. 12 (2020) 53-84, arXiv 1808.08448. The periodic orbit of S3 is derived here.
--
--   hamel scripts/library/no-slip-strip.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"

local P = hm.paper{ title = "No-slip billiard in a strip (Broomhead and Gutkin 1993; Cox and Feres 2017)", tolerance = 1e-12 }

-- The centre of the disc runs between y = 0 and y = 1; its moment of inertia is gamma^2 m R^2
local S = hm.system "disc in a strip"
local N = S:frame "N"
local x, y, th = S:coordinates "x y th"
local m, R, square = S:positive "m=1 R=1/4 square=1/3"                     -- square: gamma^2
local I = square*m*R^2
local disc = S:body("disc", { at = S:point(x*N.x + y*N.y), frame = N:rotate("z", th), mass = m, inertia = {I, I, I}, shape = {"sphere", radius = R} })
local below, above = x.dot + R*th.dot, x.dot - R*th.dot
S:unilateral("below", y, { law = hm.newton(1), rough = { below } })
S:unilateral("above", 1 - y, { law = hm.newton(1), rough = { above } })
local function touching(side) return (disc:velocity() + disc:angular_velocity():cross(side*R*N.y)):dot(N.x) end
P:agrees("system", "the velocity reversed is that of the material point that touches", { touching(-1) - below, touching(1) - above })

-- ---- S1: an impact below (side 1) or above (side -1), from momentum about the contact and the reversed slip; b is the angle of the text

local u, w, u1, w1 = hm.symbols "u w u1 w1"                                -- x', th' before and after
local g = hm.symbols "gamma"
local inertia, c, s = g^2*m*R^2, (1 - g^2)/(1 + g^2), 2*g/(1 + g^2)
local maps = {}
local function impact(side)
  local after = hm.solve({ inertia*(w1 - w) - side*m*R*(u1 - u), u1 + side*R*w1 + u + side*R*w }, { u1, w1 })
  local sigma = g*R*w
  maps[side] = hm.matrix{ { c, -side*s }, { -side*s, -c } }
  return { after[1] - (c*u - side*s*sigma), g*R*after[2] - (-side*s*u - c*sigma), m*(after[1]^2 - u^2) + inertia*(after[2]^2 - w^2) }
end
local one, two = impact(1), impact(-1)
P:agrees("S1", "with s = gamma R th': below (x', s) -> (x' cos b - s sin b, -x' sin b - s cos b), above with -b; cos b = (1 - gamma^2)/(1 + gamma^2)",
  { one[1], one[2], two[1], two[2], c^2 + s^2 - 1 }, nil, "from the momentum about the contact and the slip, which is reversed")
P:agrees("S1", "these impacts keep the energy", { one[3], two[3] })

-- ---- S2: two impacts turn (x', s)

local product = maps[-1]*maps[1]
local c2, s2 = c^2 - s^2, 2*s*c
P:agrees("S2", "below and then above: (x', s) is turned by 2 b", { product[1][1] - c2, product[1][2] + s2, product[2][1] - s2, product[2][2] - c2 },
  nil, "so the places at every second impact add up to |x| <= T v/sin(b/2), T the time of a crossing, v^2 = x'^2 + s^2")
local start = { q = { x = 0, y = 0.5, th = 0 }, v = { x = 0.5, y = 1, th = 3 }, rtol = 1e-13, atol = 1e-14 }
local function run_of(square_value, t, options)
  local o = { t = t, parameters = { square = square_value } }
  for name, value in pairs(options or {}) do o[name] = value end
  for name, value in pairs(start) do o[name] = o[name] or value end
  return S:simulate(o)
end
local within, widest, bounds, off = {}, {}, {}, 0
for i, value in ipairs{ "1/3", "1/2", "2/5", "1/100" } do
  local number = hm.number(value):eval()
  local run = run_of(value, 2000, { record = "impacts" })
  local speed, half = math.sqrt(0.5^2 + number*(3/4)^2), math.acos((1 - number)/(1 + number))/2
  widest[i] = 0
  -- the same by the maps of S1 alone: the first impact is above, after 1/2
  local root = math.sqrt(number)
  local cb, sb = (1 - number)/(1 + number), 2*root/(1 + number)
  local along, spin, place, time, side = 0.5, root*3/4, 0, 0.5, -1
  for number_of, hit in ipairs(run.impacts) do
    widest[i] = math.max(widest[i], math.abs(hit.before.q.x))
    place = place + along*time
    if number_of <= 500 then                                       -- errors grow with the impacts
      off = math.max(off, math.abs(hit.before.q.x - place), math.abs(hit.before.v.x - along), math.abs(hit.before.v.th*root/4 - spin))
    end
    along, spin = cb*along - side*sb*spin, -side*sb*along - cb*spin
    time, side = 1, -side
  end
  bounds[i] = speed/math.sin(half) + 2*speed
  within[i] = { widest[i], "<=", bounds[i] }
end
P:agrees("S2", "place, speed and spin at the first 500 impacts, gamma^2 = 1/3, 1/2, 2/5, 1/100", off, "runs against the maps of S1")
P:holds("S2",
  "2000 impacts at gamma^2 = 1/3, 1/2, 2/5, 1/100 stay within the bound and the way of two crossings, since an orbit does not begin at a wall", within,
  "largest |x| of the runs and bound")

-- ---- S3

local sixty = { [g] = 1/hm.sqrt(3) }
P:agrees("S3", "gamma^2 = 1/3: cos b = 1/2, six impacts turn (x', s) by 360 degrees: period of six impacts",
  { c:subs(sixty) - hm.rational(1, 2), (product*product*product)[1][1]:subs(sixty) - 1, (product*product*product)[1][2]:subs(sixty) })
local run = run_of("1/3", 12)
local list = {}
local function at(t, name, value, v) list[#list + 1] = (v and run:at(t).v or run:at(t).q)[name] - value end
for _, t in ipairs{ 6, 12 } do
  at(t, "x", 0); at(t, "th", 0); at(t, "x", 0.5, true); at(t, "th", 3, true)
end
local hits = run.impacts
for i, row in ipairs{ { 1/4, 3/2 }, { 7/8, -9/2 }, { 1, 3 } } do
  list[#list + 1] = hits[i].after.q.x - row[1]
  list[#list + 1] = hits[i].after.v.th - row[2]
  list[#list + 1] = hits[i].t - (i - 0.5)
end
P:agrees("S3", "x, th, x', th' are back at t = 6 and 12; x = 1/4, 7/8, 1 and th' = 3/2, -9/2, 3 after the impacts at t = 1/2, 3/2, 5/2", list,
  "run against the rotation by 2 b, in fractions")

-- ---- S4: with cos b = p/q, q^n cos(n b) = a(n) is whole, a(n + 1) = 2 p a(n) - q^2 a(n - 1), so that a(n + 1) = 2 p a(n) modulo q. Where 2 p times
-- no residue but 0 is 0 modulo q, as for 1/3, a(n) is never 0 modulo q, and cos(n b) never +-1

local solid = { [g] = 1/hm.sqrt(2) }
local divisible, phase, turn = 0, hm.symbols "phase turn"
local p, q = tostring(c:subs(solid)):match "^(%d+)/(%d+)$"
for residue = 1, q - 1 do if 2*p*residue % q == 0 then divisible = divisible + 1 end end
P:agrees("S4", "gamma^2 = 1/2 (solid disc): b = arccos(1/3) is no rational part of pi: quasi-periodic",
  { c:subs(solid) - hm.rational(1, 3), hm.cos(phase + turn) + hm.cos(phase - turn) - 2*hm.cos(turn)*hm.cos(phase), hm.number(divisible) }, nil,
  "3^n cos(n b) is a whole number that 3 does not divide, n > 0: cos(n b) is never 1 (Niven's theorem)")
local values = {}
for i, squared in ipairs{ "1/2", "1/3", "2/5" } do values[i] = hm.acos(c:subs{ [g] = hm.sqrt(hm.number(squared)) }) end
P:digits("values", "b = 1.2309594173407746821, 1.0471975511965977462, 1.1278852827212576854 at gamma^2 = 1/2, 1/3, 2/5", values, "cos b of S1")

local generic = run_of("1/2", 100)
P:show(S)
P:show(function() return generic:plot("x", "y") end)
local walls = { { "bar", from = {-1, -R, 0}, to = {2, -R, 0} }, { "bar", from = {-1, 1 + R, 0}, to = {2, 1 + R, 0} } }
P:show(function() return run:animate(walls, { view = {0, 90} }) end)
P:save(generic, "no_slip_strip", { n = 2001 })

os.exit(P:finish())
