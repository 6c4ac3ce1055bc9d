-- motions whose numbers are known from closed forms, or from shooting and long integrations by other programs: flips in a row, impacts at one
-- frequency, cycles, exponents
local hm, branches, check = require "hamel", require "branches", require "check"
local sin, cos, near, first = hm.sin, hm.cos, check.near, branches.first

local function duffing()
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  local g = S:parameters "g=1/4"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^4/4 - x^2/2)
  S:force(x, -hm.rational(3, 10)*x.dot + g*cos(hm.rational(6, 5)*hm.t))
  return S, 2*math.pi/1.2
end

describe("x'' + 0.3 x' - x + x^3 = g cos 1.2 t", function()
  it("doubles its period five times, at ratios towards 4.6692 (Feigenbaum)", function()
    local S, drive = duffing()
    local want = { 0.26558178606, 0.28669315782, 0.29108990877, 0.29203100023, 0.2922329746 }
    local B = S:continue{ periodic = { q = { x = 0.4366 }, v = { x = 0.339 }, period = drive }, along = "g", to = 0.3, largest = 0.01, stop = { "flip", 1 } }
    local flips = {}
    for i, value in ipairs(want) do
      local flip = first(B, "flip")
      flips[i] = flip.value
      near(flip.value, value, 1e-10, "flip " .. i)
      near(flip.point.period, 2^(i - 1)*drive, 1e-10)
      if i < #want then B = B:switch(flip, { largest = 0.01/4^i, stop = { "flip", 1 } }) end
    end
    for i, ratio in ipairs{ 4.8016, 4.6720, 4.6595 } do near((flips[i + 1] - flips[i])/(flips[i + 2] - flips[i + 1]), ratio, 6e-5) end
  end)

  it("has two multipliers of the modulus exp(-0.15 T) at g = 0.2", function()
    local S, drive = duffing()
    local orbit = S:periodic{ q = { x = 0.43 }, v = { x = 0.33 }, period = drive, parameters = { g = 0.2 } }
    assert(#orbit.multipliers == 2)
    for _, m in ipairs(orbit.multipliers) do near(math.log(m.re^2 + m.im^2)/(2*drive), -0.15, 1e-9) end
  end)
end)

describe("x'' + 0.2 x' + x = cos wt, x <= 1, e = 0.8, one impact a period", function()
  it("has two motions at w = 3/2, beside the fold at 1.66099", function()
    local S = hm.system "oscillator at a wall"
    local s = S:coordinates "s"
    local w = S:parameters "w=3/2"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:force(s, -s.dot/5 + cos(w*hm.t))
    S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local guess = { q = { s = 1 }, v = { s = -0.8*2.735 }, t = 0.61, period = 2*hm.pi/w }
    local B = S:continue{ periodic = guess, along = "w", from = 1.5, to = 1.8 }
    near(first(B, "fold").value, 1.66099189768828, 1e-11)
    -- the branch begins and ends at w = 3/2
    local ends = { B.points[1], B.points[#B.points] }
    table.sort(ends, function(a, b) return a.impacts[1].velocity > b.impacts[1].velocity end)
    for i, want in ipairs{ { 2.7351868872698, 0.690708496795 }, { 0.482430879063, 4.600466 } } do
      local a, b = table.unpack(ends[i].multipliers)
      near(ends[i].value, 1.5, 1e-12)
      near(ends[i].impacts[1].velocity, want[1], 1e-10)
      near(a.re + b.re, want[2], i == 1 and 1e-9 or 1e-6)
      -- det = e^2 exp(-0.2 T)
      near(a.re*b.re - a.im*b.im, 0.64*math.exp(-0.2*2*math.pi/1.5), 1e-9)
      assert(ends[i].stable == (i == 1))
    end
    near(0.64*math.exp(-0.2*2*math.pi/1.5), 0.276914871375, 1e-12)
  end)
end)

describe("a ball on a table that moves by A sin t", function()
  it("has its fold and flip in closed form for any restitution and number of periods between impacts", function()
    for _, case in ipairs{ { 0.5, 1 }, { 0.8, 1 }, { 0.6, 2 } } do
      local e, n = case[1], case[2]
      local S = hm.system "ball on a table"
      local h = S:coordinates "h"
      local A = S:parameters "A=1"
      S:kinetic_energy(h.dot^2/2)
      S:force(h, -1)
      S:unilateral("table", h - A*sin(hm.t), { law = hm.newton(e) })
      local fold = n*math.pi*(1 - e)/(1 + e)
      local flip = math.sqrt(fold^2 + (2*(1 + e^2)/(1 + e)^2)^2)
      local start = 0.7*fold + 0.3*flip
      local phase = math.acos(fold/start)
      local B = S:continue{ periodic = { q = { h = start*math.sin(phase) }, v = { h = n*math.pi }, t = phase, period = 2*math.pi*n }, along = "A",
                            parameters = { A = start }, from = 0.8*fold, to = 1.1*flip }
      near(first(B, "fold").value, fold, 1e-10)
      near(first(B, "flip").value, flip, 1e-10)
      for _, point in ipairs(B.points) do near(point.v.h, n*math.pi, 1e-9) end
    end
  end)
end)

describe("the towed wheel, m = l = k = 1, c = 1/2, J = 3/4, b = 1/10", function()
  it("swings at v = 9.5 up to q = 0.84078347, where psi = 0.01779448", function()
    local S = hm.system "towed wheel"
    local q, psi = S:coordinates "q psi"
    local b, v = S:parameters "b=1/10 v=10"
    S:kinetic_energy(((v + sin(psi)*psi.dot/2)^2 + (q.dot - cos(psi)*psi.dot/2)^2)/2 + hm.rational(3, 8)*psi.dot^2)
    S:potential_energy(q^2/2)
    S:force(q, -b*q.dot)
    S:constraint("no slip", q.dot*cos(psi) - v*sin(psi) - psi.dot)
    local straight = S:continue{ equilibrium = { q = { q = 0, psi = 0 } }, along = "v", from = 9, to = 10 }
    local cycles = straight:switch(first(straight, "hopf"), { to = 9.5 })
    local last = cycles.points[#cycles.points]
    near(last.period, 4.49747057, 1e-8)
    near(last.multipliers[1].re, 0.99268222, 1e-7)
    local turn = S:section{ when = q.dot, direction = "falling", of = { q, psi }, q = last.q, v = last.v, parameters = last.parameters, t = 5, rtol = 1e-12 }[1]
    near(turn[1], 0.84078347, 1e-8)
    near(turn[2], 0.01779448, 1e-8)
  end)
end)

describe("x'' + x'/2 + sin x = 1.5 cos(2t/3)", function()
  it("is chaotic with the exponent 0.1126, the sum is -1/2", function()
    local S = hm.system "driven pendulum"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-cos(x))
    S:force(x, -x.dot/2 + 1.5*cos(hm.rational(2, 3)*hm.t))
    local C = S:chart{ over = { { "x", hm.range(0.1, 1, 16) } }, v = { x = 0 }, of = "exponents", t = 10000, skip = 300, rtol = 1e-8 }
    local mean = 0
    for _, row in ipairs(C) do
      mean = mean + row.exponent1/#C
      near(row.sum, -0.5, 1e-9)
    end
    -- 16 runs of 1000 periods
    near(mean, 0.1126, 2e-3)
  end)
end)
