-- curves of touches, corners and grazings: the derivatives of their conditions by the variational equations, against differences of whole runs
local hm, check = require "hamel", require "check"
local curves = require "hamel.continuation.curves"

local function first(B, kind)
  for _, item in ipairs(B.special) do if item.kind == kind then return item end end
  error("no " .. kind .. ":\n" .. tostring(B), 2)
end

-- The problem and the start of the curve that a call follows
local function curve_of(S, kind, special, names)
  local start, problem, y = curves.start, nil, nil
  function curves.start(self, at)
    problem, y = self, at
    return start(self, at)
  end
  local fine, why = pcall(S.continue, S, { [kind] = special, along = names, points = 1, both = false })
  curves.start = start
  assert(fine, why)
  return problem.base, y
end

local AWAY, H = 1e-3, 1e-5

-- At the start and beside it in every direction
local function demand_slopes(S, kind, special, names)
  local base, y = curve_of(S, kind, special, names)
  local directions = base:directions(y)
  local away = {}
  for i = 1, #directions[1] do
    away[i] = 0.0
    for k, u in ipairs(directions) do away[i] = away[i] + AWAY*math.cos(k)*u[i] end
  end
  local function value(at) return (select(4, base:equations(at, base:directions(at), kind))) end
  for i, at in ipairs{ y, base:moved(y, away) } do
    -- at a corner itself motions change with the power 3/2 of the distance
    local allowed = kind == "corner" and i == 1 and 1e-4 or 1e-6
    directions = base:directions(at)
    local row, largest = select(5, base:equations(at, directions, kind)), 0
    for k, u in ipairs(directions) do
      local ahead, back = {}, {}
      for e, part in ipairs(u) do ahead[e], back[e] = H*part, -H*part end
      local slope = (value(base:moved(at, ahead)) - value(base:moved(at, back)))/(2*H)
      check.near(row[k], slope, allowed*(1 + math.abs(slope)))
      largest = math.max(largest, math.abs(slope))
    end
    assert(largest > 0.1, "nothing changes the condition")
  end
end

-- x'' + c x' + x = F cos wt before a wall
local function oscillator(cut)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local w, F, c = S:parameters "w=3/2 F=1 c=1/5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, F*hm.cos(w*hm.t) - c*x.dot)
  if cut then S:force(x, 4*hm.max(-x - cut, 0)) end
  S:unilateral("wall", 1 - x, { law = hm.newton(hm.rational(4, 5)) })
  return S, w
end

local hit = { q = { x = 1 }, v = { x = -0.8*2.73518698727 }, t = 0.915864343250/1.5 }

describe("derivatives of the condition", function()
  it("of a touch of motions without impacts, in one segment and in several", function()
    local S, w = oscillator()
    local B = S:continue{ periodic = { q = { x = -0.7 }, v = { x = 0 }, period = 2*math.pi/w }, along = "w", from = 1.3, to = 1.6, parameters = { w = 1.5 } }
    demand_slopes(S, "touch", first(B, "touch"), { "w", "F" })
    local T = 2*math.pi/1.5
    local free = hm.system "free"
    local x = free:coordinates "x"
    free:kinetic_energy(x.dot^2/2)
    free:potential_energy(x^2/2)
    free:force(x, hm.cos(1.5*hm.t) - x.dot/5)
    local run, cuts = free:simulate{ q = { x = 0 }, v = { x = 0 }, t = 80*T, rtol = 1e-11 }, {}
    for k = 1, 2 do
      local at = run:at(79*T + k*T/3)
      cuts[k] = { t = k*T/3, q = { x = at.q.x }, v = { x = at.v.x } }
    end
    local at = run:at(79*T)
    B = S:continue{ periodic = { q = { x = at.q.x }, v = { x = at.v.x }, period = 2*math.pi/w, segments = cuts }, along = "w", from = 1.35, to = 1.5 }
    demand_slopes(S, "touch", first(B, "touch"), { "w", "F" })
  end)

  it("of a grazing", function()
    local S, w = oscillator()
    hit.period = 2*math.pi/w
    local B = S:continue{ periodic = hit, along = "w", from = 1.3, to = 2, step = 0.02, stop = { "grazing", 1 } }
    demand_slopes(S, "grazing", first(B, "grazing"), { "w", "F" })
  end)

  it("of a corner, without impacts and between them", function()
    local S = hm.system "bilinear"
    local x = S:coordinates "x"
    local F, w = S:parameters "F=3/5 w=3/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, F*hm.cos(w*hm.t) - x.dot/10 - 4*hm.max(x - 1, 0))
    local B = S:continue{ periodic = { q = { x = 0.4 }, v = { x = 0 }, period = 2*math.pi/w }, along = "F", from = 0.5, to = 0.8 }
    demand_slopes(S, "corner", first(B, "corner"), { "w", "F" })
    S, w = oscillator(2)
    hit.period = 2*math.pi/w
    B = S:continue{ periodic = hit, along = "w", from = 1.2, to = 1.6, step = 0.02 }
    demand_slopes(S, "corner", first(B, "corner"), { "w", "F" })
  end)

  it("of a limit of friction that ends a slip, and of a wall beside an impact", function()
    local S = hm.system "dry friction"
    local x = S:coordinates "x"
    local F, mu = S:parameters "F=1 mu=3/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, F*hm.cos(0.7*hm.t) - x.dot/10)
    S:friction("f", { slip = x.dot, normal = 1, coefficient = mu })
    local T = 2*math.pi/0.7
    local state = S:simulate{ q = { x = 1.73 }, v = { x = 0.47 }, t = 60*T }:at(59*T + 0.1)
    local B = S:continue{ periodic = { q = { x = state.q.x }, v = { x = state.v.x }, t = 0.1, period = T }, along = "mu", from = 0.55, to = 0.7 }
    local touch = first(B, "touch")
    assert(touch._test:find "^start", touch._test)
    demand_slopes(S, "touch", touch, { "mu", "F" })
    local two = oscillator()
    local d = two:parameters "d=9/4"
    two:unilateral("left", two._coordinate.x + d, { law = hm.newton(hm.rational(4, 5)) })
    hit.period = 2*math.pi/two._parameter.w
    B = two:continue{ periodic = hit, along = "w", from = 1.3, to = 1.6, step = 0.02, parameters = { d = 3 } }
    local stable
    for _, point in ipairs(B.points) do if point.stable and point.value < 1.35 then stable = point end end
    B = two:continue{ periodic = { q = stable.q, v = stable.v, t = stable.t, period = hit.period, parameters = { w = stable.value, d = 9/4 } }, along = "w",
      from = 1.2, to = 1.6, step = 0.02 }
    demand_slopes(two, "touch", first(B, "touch"), { "w", "d" })
  end)
end)
