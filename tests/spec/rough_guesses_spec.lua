-- S:periodic from rough guesses. Arbiter: a fourth-order Runge-Kutta method, written here, closes the motions that are found.
local hm, check = require "hamel", require "check"

-- The state after the time `span` from x at t = 0, by so many steps; f(t, x) returns the rates
local function run(f, x, span, steps)
  local h = span/steps
  local function beside(y, k, part)
    local z = {}
    for i = 1, #y do z[i] = y[i] + part*k[i] end
    return z
  end
  for n = 0, steps - 1 do
    local t = n*h
    local k1 = f(t, x)
    local k2 = f(t + h/2, beside(x, k1, h/2))
    local k3 = f(t + h/2, beside(x, k2, h/2))
    local k4 = f(t + h, beside(x, k3, h))
    for i = 1, #x do x[i] = x[i] + h/6*(k1[i] + 2*k2[i] + 2*k3[i] + k4[i]) end
  end
  return x
end

local function demand_closed(f, orbit, unit, time)
  local x = run(f, { orbit.q.x, orbit.v.x }, orbit.period, 4000)
  check.near(x[1]/unit, orbit.q.x/unit, 1e-7)
  check.near(x[2]*time/unit, orbit.v.x*time/unit, 1e-7)
end

local function number(value) return hm.number(("%.17g"):format(value)) end

-- A generator of its own: numbers from -1 to 1
local function drawn(seed)
  return function()
    seed = (1103515245*seed + 12345) % 2^31
    return 2*seed/2^31 - 1
  end
end

local UNITS = { { 1, 1 }, { 1e-7, 1e-3 }, { 1e6, 1e5 } }

describe("S:periodic from a rough guess", function()
  it("finds the motion of a driven Duffing oscillator near resonance, in any units", function()
    for _, unit in ipairs(UNITS) do
      local L, T = table.unpack(unit)
      local S = hm.system "Duffing"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(number(T^-2)*x^2/2 + number(T^-2*L^-2)*x^4/4)
      S:force(x, -number(0.1/T)*x.dot + number(0.3*L/T^2)*hm.cos(number(1.2/T)*hm.t))
      local function rates(t, z) return { z[2], (-0.1*z[2]*T - z[1] - z[1]^3/L^2 + 0.3*L*math.cos(1.2*t/T))/T^2 } end
      local draw, settled = drawn(7), 0
      for _ = 1, 30 do
        local orbit = S:periodic{ q = { x = draw()*L }, v = { x = draw()*L/T }, period = 2*math.pi/1.2*T }
        demand_closed(rates, orbit, L, T)
        if orbit.settled > 0 then settled = settled + 1 end
      end
      assert.is_true(settled > 3)
    end
  end)

  it("finds van der Pol's cycle", function()
    for _, unit in ipairs(UNITS) do
      local L, T = table.unpack(unit)
      local S = hm.system "van der Pol"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(number(T^-2)*x^2/2)
      S:force(x, number(1/T)*(1 - x^2/number(L^2))*x.dot)
      local function rates(_, z) return { z[2], (1 - z[1]^2/L^2)*z[2]/T - z[1]/T^2 } end
      local draw = drawn(3)
      for _ = 1, 20 do
        local orbit = S:periodic{ q = { x = 2*draw()*L }, v = { x = 2*draw()*L/T }, period = (6.5 + 2.5*draw())*T }
        demand_closed(rates, orbit, L, T)
        check.near(orbit.period/orbit.repeats/T, 6.66328685933, 1e-8)
      end
    end
  end)

  it("starts branches, too", function()
    local S = hm.system "van der Pol"
    local x, mu = S:coordinates "x", S:parameters "mu=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, mu*(1 - x^2)*x.dot)
    local draw = drawn(5)
    for _ = 1, 8 do
      local B = S:continue{ periodic = { q = { x = 2*draw() }, v = { x = 2*draw() }, period = 6.5 + 2.5*draw() }, along = "mu", from = 0.95, to = 1 }
      check.near(B.points[1].value, 1, 1e-9)
      -- a guess may be nearer to a whole number of turns
      local turns = math.floor(B.points[1].period/6.6 + 0.5)
      check.near(B.points[1].period/turns, 6.66328685933, 1e-8)
    end
  end)

  it("keeps the size of swings that all have one period", function()
    local S = hm.system "spring pendulum"
    local r, b = S:coordinates "r b"
    S:kinetic_energy((r.dot^2 + r^2*b.dot^2)/2)
    S:potential_energy(20*(r - 1)^2/2 - 9.81*r*hm.cos(b))
    for _, period in ipairs{ 1.3, 1.41, 1.5 } do
      local orbit = S:periodic{ q = { r = 1.8, b = 0 }, v = { r = 0, b = 0 }, period = period }
      check.near(orbit.period, 2*math.pi/math.sqrt(20), 1e-9)
      check.near(orbit.q.r, 1.8, 1e-6)
    end
  end)

  it("stays with it where that is asked for", function()
    local S = hm.system "pendulum"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-hm.cos(x))
    check.raises("state of rest", S.periodic, S, { q = { x = 1.5 }, v = { x = 0.1 }, period = 3.5, elsewhere = false })
  end)

  it("finds a swing of a pendulum from a poor guess of the period", function()
    local S = hm.system "pendulum"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-hm.cos(x))
    for _, period in ipairs{ 3.5, 5, 9 } do
      local orbit = S:periodic{ q = { x = 1.5 }, v = { x = 0.1 }, period = period }
      demand_closed(function(_, z) return { z[2], -math.sin(z[1]) } end, orbit, 1, 1)
    end
  end)

  it("says after how many periods of the drive the motion repeats on which the run settles", function()
    local S = hm.system "pendulum on a shaken pivot"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    -- the rest x = 0 is unstable at this drive, and swings of twice its period attract
    S:potential_energy(-hm.cos(x)*(1 + 0.8*hm.cos(2*hm.t)))
    S:force(x, -0.1*x.dot)
    local guess = { q = { x = 0.4 }, v = { x = 0.3 }, period = math.pi }
    local fine, message = pcall(S.periodic, S, guess)
    assert.is_false(fine)
    local period = message:match "give period = ([%d.]+)"
    if period then
      guess.period = tonumber(period)
      local orbit = S:periodic(guess)
      demand_closed(function(t, z) return { z[2], -0.1*z[2] - math.sin(z[1])*(1 + 0.8*math.cos(2*t)) } end, orbit, 1, 1)
    end
    assert.is_truthy(period or message:find "state of rest")
  end)
end)
