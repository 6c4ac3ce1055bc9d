-- The snakeboard: two axles that turn by opposite angles, a rotor, and three gaits.
-- Sources: Lewis, Ostrowski, Murray, Burdick, ICRA (1994) 2391-2397; Ostrowski, PhD thesis, Caltech (1995) (S1); Balseiro, Sansonetto, arXiv
-- 2101.01216. S2 to S4 are derived here.
-- v is the speed along the board, theta its heading, phi the angle of the front axle against the board, -phi of the rear one, psi of the rotor.
--
--   hamel scripts/library/snakeboard.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, tan = hm.sin, hm.cos, hm.tan

local P = hm.paper{ title = "Lewis, Ostrowski, Murray, Burdick 1994: three gaits of the snakeboard", tolerance = 1e-13 }

-- The board; phi and psi are coordinates, or given functions of time
local function snakeboard(given)
  local S = hm.system "snakeboard"
  local N = S:frame "N"
  local x, y, theta = S:coordinates "x y theta"
  local phi, psi = given and given.phi or S:coordinates "phi", given and given.psi or S:coordinates "psi"
  local m, l, J, R, W = S:positive "m=6 l=1/5 J=1/50 R=1/10 W=1/100"
  local board, middle = N:rotate("z", theta), S:point(x*N.x + y*N.y)
  S:body("board", { at = middle, frame = board, mass = m, inertia = {0, J, J} })
  S:body("rotor", { at = middle, frame = board:rotate("z", psi), inertia = {0, R, R} })
  for set, label in ipairs{ "front", "rear" } do
    local side = 3 - 2*set
    local wheels, axle = board:rotate("z", side*phi), middle + side*l*board.x
    S:body(label .. " wheels", { at = axle, frame = wheels, inertia = {0, W, W} })
    S:constraint(label, axle:velocity():dot(wheels.y))
  end
  return S, x.dot*cos(theta) + y.dot*sin(theta), phi, psi, theta
end

P:definition("system", "m = 6, l = 1/5, J = 1/50, rotor R = 1/10, wheels W = 1/100 each; phi = sin(i t)/4, psi = sin(j t), from rest")

-- S1: the equation of v holds for all motions of the axles and the rotor, since virtual displacements leave them alone
do
  local S, v, phi, psi, theta = snakeboard()
  S:quasi_velocities("v c d", { v, phi.dot, psi.dot })
  local m, l, R = S:symbol "m", S:symbol "l", S:symbol "R"
  local K = S:symbol "J" + R + 2*S:symbol "W"
  local E = S:equations "hamel"
  local u, c, rate, turn = E.dyn[1], E.dyn[2], E.rates[1], E.rates[3]
  local inertia = m*l^2 + K*tan(phi)^2
  local law = inertia*rate + K*u*tan(phi)*c/cos(phi)^2 + R*l*tan(phi)*turn
  P:agrees("S1", "K = J + R + 2 W: (m l^2 + K tan^2 phi) v' = -K v tan(phi) phi'/cos^2 phi - R l tan(phi) psi'', for all motions phi, psi", E[1]*l^2 - law)
  P:agrees("S1", "theta' = v tan(phi)/l", { (select(2, S:is_conserved(theta)) - v*tan(phi)/l):subs{ [S:symbol "y".dot] = S:symbol "x".dot*tan(theta) } })
  -- by the product rule (sqrt(M) v)' = -R l tan(phi) psi''/sqrt(M): the change over a period does not depend on v
  P:agrees("S2", "so (M^(1/2) v)' = -R l tan(phi) psi''/M^(1/2) with M = m l^2 + K tan^2 phi: every cycle adds the same to the speed",
    law - (inertia*rate + u*inertia:diff(phi)*c/2 + R*l*tan(phi)*turn))
end

-- ---- the gaits: runs, and the momentum equation by hand beside them

local function tight(q, v, t) return { q = q, v = v, t = t, method = "taylor", rtol = 1e-14, atol = 1e-16 } end
local cycle = 2*math.pi
local gaits = {
  { name = "drive", i = 1, j = 1,
    early = { { "x", "0.20172080555243872883" }, { "y", "-0.0024676640484628863897" }, { "theta", "-0.082057699819968911107" } },
    whole = { { "x", "0.20388951128133750473" }, { "y", "-0.0026460892459069819649" }, { "theta", "-0.082102828723092270546" },
      { "v", "0.065572687352988871779" } } },
  { name = "rotate", i = 1, j = 2,
    early = { { "x", "0.00049151820220385909761" }, { "y", "-0.0059741692899215483789" }, { "theta", "0.16417242520189392418" } },
    whole = { { "x", "0.00049150159077566592639" }, { "y", "-0.0059741720418282112197" }, { "theta", "0.16417242576058326602" }, { "v", "0" } } },
  { name = "park", i = 2, j = 3,
    early = { { "x", "1.1358445932540720037e-7" }, { "y", "0.017199066514948801908" }, { "theta", "-7.534671247769347941e-9" } },
    whole = { { "x", "0" }, { "y", "0.017199066514949182292" }, { "theta", "0" }, { "v", "0" } } },
}
for _, gait in ipairs(gaits) do
  local phi, psi = sin(gait.i*hm.t)/4, sin(gait.j*hm.t)
  local S, v = snakeboard{ phi = phi, psi = psi }
  local run = S:simulate(tight({ x = 0, y = 0, theta = 0 }, { x = 0 }, 10*cycle))
  local F = hm.system "momentum equation"
  local x, y, theta, u = F:coordinates "x y theta u"
  F:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2 + u.dot^2)/2)
  local K, tangent = hm.rational(7, 50), tan(phi)
  F:constraint("u", (hm.rational(6, 25) + K*tangent^2)*u.dot + K*u*tangent*hm.dt(tangent) + tangent*hm.dt(hm.dt(psi))/50)
  F:constraint("theta", theta.dot - 5*u*tangent); F:constraint("x", x.dot - u*cos(theta)); F:constraint("y", y.dot - u*sin(theta))
  local second = F:simulate(tight({ x = 0, y = 0, theta = 0, u = 0 }, nil, cycle))
  assert(run.status == "OK" and second.status == "OK")

  -- after 25/4 s and after a cycle, to 20 digits; what is zero after the cycle is judged as a number
  local exact = S:reference{ q = { x = 0, y = 0, theta = 0 }, v = { x = 0 }, times = { "25/4", 2*hm.pi }, digits = 30 }
  for i, list in ipairs{ gait.early, gait.whole } do
    local of, texts, found, none, zeros = P:exactly(S, exact[i]), {}, {}, {}, {}
    for _, row in ipairs(list) do
      local name, text = row[1], row[2]
      local value = of(name == "v" and v or S:symbol(name))
      if text == "0" then none[#none + 1], zeros[#zeros + 1] = name, value:eval()
      else texts[#texts + 1], found[#found + 1] = name .. " = " .. text, value end
    end
    local when = i == 1 and "after 25/4 s" or "after a cycle"
    P:digits(gait.name, when .. ": " .. table.concat(texts, ", "), found, "reference solution")
    if #none > 0 then P:agrees(gait.name, ("%s: zero for %s"):format(when, table.concat(none, ", ")), zeros, "reference solution") end
  end
  local one, by = run:at(cycle), second:at(cycle)
  P:agrees(gait.name, "the bodies and the momentum equation move alike",
    { one.x - by.x, one.y - by.y, one.theta - by.theta, run:at(cycle, v) - by.u }, "two runs")
  gait.run, gait.v = run, v
end

local drive, rotate, park = gaits[1], gaits[2], gaits[3]
local steps = {}
for n = 1, 10 do
  steps[#steps + 1] = drive.run:at(n*cycle, drive.v) - n*0.065572687352988871779
  steps[#steps + 1] = drive.run:at(n*cycle).theta + n*0.082102828723092270546
end
P:agrees("S2", "drive: each of ten cycles adds 0.065572687352988872 to the speed and -0.082102828723092271 to the heading", steps, "run",
  "after ten: 0.65572687353 and -0.821028287231; the speed that is there at the start of a cycle turns the board to and fro alike")
steps = {}
for n = 1, 10 do
  steps[#steps + 1] = rotate.run:at(n*cycle, rotate.v)
  steps[#steps + 1] = rotate.run:at(n*cycle).theta - n*0.16417242576058326602
end
P:agrees("S3", "rotate: v = 0 after every cycle, each adds 0.164172425760583266 to the heading", steps, "run over ten cycles",
  "v: tan(phi) psi''/M^(1/2) changes its sign under t -> pi - t")
steps = {}
for n = 1, 10 do
  local s = park.run:at(n*cycle)
  for _, e in ipairs{ s.x, s.theta, park.run:at(n*cycle, park.v), s.y - n*0.017199066514949182292 } do steps[#steps + 1] = e end
end
P:agrees("S4", "park: v, x and heading return after every cycle, each shifts the board sideways by 0.017199066514949182", steps, "run over ten cycles")

P:show((snakeboard()))
P:show(function() return drive.run:plot("x", "y", { title = "path of the drive gait" }) end)
P:show(function() return drive.run:animate{} end)
os.exit(P:finish())
