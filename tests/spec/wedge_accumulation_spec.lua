-- how impacts end. A body falls into a trough of two walls, slides along it and comes to rest across it after impacts that accumulate at both walls
-- in turn. Arbiter: the impulses of the walls follow from the momentum across the trough alone; friction along it takes mu times these
local hm, check = require "hamel", require "check"

local walls = { { 0.5, 1, 0.3, 0.5 }, { 1, 1, 0.1, 0.5 }, { 0.3, 2, 0.2, 0.7 }, { 3, 1, 0.5, 0.6 } }

describe("impacts that accumulate at two walls in turn", function()
  for _, law in ipairs{ "newton", "poisson", "moreau" } do
    it("rub as much as they press, with the law " .. law, function()
      for _, wall in ipairs(walls) do
        local a, b, speed, e = table.unpack(wall)
        local T, mu, na, nb = 10, 0.1, math.sqrt(1 + wall[1]^2), math.sqrt(1 + wall[2]^2)
        local left = (speed + b*10*T)/(a + b)
        local right = 10*T - left
        for _, tolerance in ipairs{ 1e-8, 1e-10, 1e-12, 1e-13 } do
          local S = hm.system "trough"
          local x, y, z = S:coordinates "x y z"
          S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
          S:potential_energy(10*y)
          S:unilateral("left", (y - a*x)/na, { law = hm[law](e) })
          S:unilateral("right", (y + b*x)/nb, { law = hm[law](e) })
          S:friction("rub left", { slip = z.dot, normal = "left", coefficient = mu })
          S:friction("rub right", { slip = z.dot, normal = "right", coefficient = mu })
          local r = S:simulate{ q = { x = 0.1, y = 1, z = 0 }, v = { x = speed, y = 0, z = 60 }, t = T, rtol = tolerance, atol = tolerance }
          assert.equal("OK", r.status)
          check.near(r:at(T).v.z, 60 - mu*(left*na + right*nb), 60*tolerance)
        end
      end
    end)
  end
end)

-- Instant at which Newton's impacts of a point between the walls y = a x and y = -b x end, by the parabolas of its flights: from (x, y) with the
-- velocities (u, v) at t, on the wall `last`
local function exact_end(a, b, e, x, y, u, v, t, last)
  local slopes, own = { left = -a, right = b }, nil
  for _ = 1, 10000 do
    local first, which = math.huge, nil
    for name, slope in pairs(slopes) do
      -- gap + rate s - 5 s^2 = 0; on the wall itself the rate is known better than the velocities show
      local gap, rate = name == last and 0 or y + slope*x, name == last and own or v + slope*u
      local root = math.sqrt(rate*rate + 20*gap)
      local s = rate >= 0 and (rate + root)/10 or 2*gap/(root - rate)
      if s < first and not (name == last and rate <= 0) then first, which = s, name end
    end
    if t + first == t then return t end
    t, x, y, v = t + first, x + u*first, y + v*first - 5*first*first, v - 10*first
    local slope = slopes[which]
    local w = (v + slope*u)/(1 + slope*slope)
    u, v, own, last = u - (1 + e)*w*slope, v - (1 + e)*w, -e*w*(1 + slope*slope), which
  end
end

-- slopes, restitution, place and speed of the start, tolerance
local turns = {
  { 2.53, 3.95, 0.4, -0.02, -0.91, 1e-8 }, { 2.7, 3.67, 0.35, -0.1, 0.45, 1e-12 }, { 2.68, 2.33, 0.34, 0, -0.2, 1e-10 },
  { 2.66, 1.88, 0.57, 0.04, 0.7, 1e-12 }, { 2.9, 2.45, 0.72, -0.08, -0.25, 1e-12 }, { 3.07, 3.52, 0.61, -0.05, 0.6, 1e-12 },
  { 2.39, 3.93, 0.29, 0.08, -0.47, 1e-10 }, { 2.78, 1.33, 0.36, 0.06, -0.82, 1e-12 },
}

describe("the limit of impacts at two walls in turn", function()
  it("is off by no more than its error", function()
    for _, case in ipairs(turns) do
      local a, b, e, place, speed, tolerance = table.unpack(case)
      local S = hm.system "wedge"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(10*y)
      S:unilateral("left", y - a*x, { law = hm.newton(e) })
      S:unilateral("right", y + b*x, { law = hm.newton(e) })
      local run = S:simulate{ q = { x = place, y = 1 }, v = { x = speed, y = 0 }, t = 4, rtol = tolerance, atol = tolerance }
      assert.equal("OK", run.status)
      local told, before = run.accumulations[1], 0
      for i, impact in ipairs(run.impacts) do if impact.t < told.t then before = i end end
      -- the errors of the run itself grow from impact to impact: its last impacts are judged
      local impact = run.impacts[before - 12]
      local from = impact.after
      local limit = exact_end(a, b, e, from.x, from.y, from.v.x, from.v.y, impact.t, impact.name)
      assert.is_true(math.abs(told.t - limit) <= told.error + 1e-14, ("%.3g, error %.3g"):format(told.t - limit, told.error))
      assert.is_true(told.error < 1e-4*(limit - impact.t) + 1e-5)
    end
  end)
end)

local function ball(law, capture, speed)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(10*y)
  S:unilateral("floor", y, { law = law, capture = capture })
  S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.1 })
  return S, { q = { x = 0, y = speed and 0 or 1 }, v = { x = 10, y = speed or 0 }, t = 5 }
end

describe("a contact that begins to last", function()
  it("accounts for the energy of a flight that the user's capture velocity ends", function()
    for _, capture in ipairs{ 1e-3, 0.1, 1, 3 } do
      local S, start = ball(hm.newton(0.5), capture)
      local r = S:simulate(start)
      assert.equal("OK", r.status)
      check.near(r:at(5).v.x, 10 - 0.1*10*5, 1e-9)
      start.over, start.v.x = { { "v.x", { 10, 12 } } }, nil
      assert.equal("OK", S:sweep(start)[2].status)
    end
  end)

  it("tells of no accumulation where nothing has struck", function()
    for _, speed in ipairs{ 1e-9, 1e-7 } do
      local S, start = ball(hm.newton(0.5), nil, speed)
      local r = S:simulate(start)
      assert.equal("OK", r.status)
      assert.equal(0, #r.accumulations)
      assert.equal(0, #r.impacts)
      assert.is_nil(tostring(r):find("accumulate", 1, true))
    end
  end)
end)

-- A contact that comes to rest changes the accelerations, and the velocities, of others that touch: their small flights end at once, or they strike
describe("small flights at two contacts", function()
  local function follow(S, start, gaps)
    for _, method in ipairs{ "dop853", "radau5" } do
      for _, tolerance in ipairs{ 1e-6, 1e-8, 1e-11 } do
        start.rtol, start.atol, start.method = tolerance, tolerance/10, method
        local r = S:simulate(start)
        assert.equal("OK", r.status, ("%s, %g: %s"):format(method, tolerance, tostring(r.reason)))
        for k = 0, 400 do
          for name, gap in pairs(gaps) do
            assert(r:at(start.t*k/400, gap) > -1e-6, ("%s at t = %g"):format(name, start.t*k/400))
          end
        end
        -- at rest in the corner, pressed by both
        for name in pairs(gaps) do
          check.near(r:at(start.t, gaps[name]), 0, 1e-6, name)
          assert(r:at(start.t).lambda[name] > 0.1, name)
        end
      end
    end
  end

  it("end together in a corner that a governor lets them reach slowly", function()
    local S = hm.system "slow corner"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(0.884*x.dot^2*(1 + 0.192*hm.sin(x)^2) - 0.0288*x.dot*y.dot + 0.291*y.dot^2*(1 + 0.486*hm.sin(y)^2))
    S:force(x, -1.912)
    S:force(y, -1.174)
    local gaps = { one = x - 0.767*y - 0.178, other = 0.001215*x + 0.7648*y - 0.6298 }
    S:unilateral("one", gaps.one, { law = hm.moreau(0.591) })
    S:unilateral("other", gaps.other, { law = hm.moreau(0.591) })
    S:unilateral("governor", 0.61 - y.dot)
    follow(S, { q = { x = 0.8784, y = 0.9131 }, v = { x = 0, y = 0 }, t = 1.21 }, gaps)
  end)

  it("end together where one contact is thrown open by the other", function()
    local S = hm.system "rough corner"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(0.36*x.dot^2*(1 + 0.2*hm.sin(y)^2) + 0.05*x.dot*y.dot + 0.85*y.dot^2*(1 + 0.3*hm.sin(x)^2))
    S:force(x, -7.8)
    S:force(y, -1.5 - 0.67*y)
    local gaps = { one = x + 0.99, other = 0.986*y - 0.0165*x - 0.617 }
    S:unilateral("one", gaps.one, { law = hm.moreau(0.244) })
    S:unilateral("other", gaps.other, { law = hm.moreau(0.244) })
    follow(S, { q = { x = -0.99, y = 0.65 }, v = { x = 0, y = 0 }, t = 1.3 }, gaps)
  end)
end)
