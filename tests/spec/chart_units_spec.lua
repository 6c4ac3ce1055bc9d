-- Charts do not depend on the units of lengths and times. Arbiter: the same motions in units in which all sizes are near 1.
local hm = require "hamel"

local UNITS = { { 1, 1 }, { 1e-4, 1 }, { 1e-9, 1 }, { 1e-4, 1e4 }, { 1, 1e8 }, { 1e4, 1e-6 } }

describe("charts in far units", function()
  -- one oscillator excites itself, and the other one is damped
  it("of exponents call a cycle a cycle, and of basins find it", function()
    local S = hm.system "excited and damped"
    local u, w = S:coordinates "u w"
    local l, T = S:positive "l=1 T=1"
    local k = S:parameters "k=1"
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:potential_energy(k*(u^2/2 + w^2)/T^2)
    S:force(u, hm.rational(3, 10)*(1 - (u/l)^2)*u.dot/T)
    S:force(w, -w.dot/T/5)
    for _, unit in ipairs(UNITS) do
      local L, time = table.unpack(unit)
      local o = { over = { { "k", { 1, 1.3 } } }, q = { u = 0.3*L, w = 0.5*L }, v = { u = 0, w = 0 }, t = 300*time, parameters = { l = L, T = time },
                  progress = false, of = "basin" }
      for _, row in ipairs(S:chart(o)) do assert.equal("1", row.label, row.reason) end
      o.of, o.skip = "exponents", 30*time
      local C = S:chart(o)
      for _, row in ipairs(C) do assert.equal("cycle (0 - - -)", C._about.regime(row), ("%g %g"):format(L, time)) end
    end
  end)

  -- frequencies 1 and 2^(1/4), and a driven oscillator that settles
  it("of periods tell tori from motions that repeat", function()
    local S = hm.system "two oscillators"
    local x, y = S:coordinates "x y"
    local T = S:positive "T=1"
    local c = S:parameters "c=0"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + hm.sqrt(2)*y^2)/2/T^2)
    S:force(x, -c*x.dot/T)
    local D = hm.system "driven"
    local z = D:coordinates "z"
    local l, t0 = D:positive "l=1 T=1"
    D:kinetic_energy(z.dot^2/2)
    D:potential_energy(((z - 10*l)^2/2 + (z - 10*l)^4/l^2/4)/t0^2)
    D:force(z, -z.dot/t0/10 + l/t0^2/2*hm.cos(hm.rational(17, 10)*hm.t/t0))
    for _, unit in ipairs(UNITS) do
      local L, time = table.unpack(unit)
      local row = S:chart{ over = { { "c", { 0 } } }, q = { x = 0.3*L, y = 0.5*L }, v = { x = 0, y = 0.2*L/time }, section = { when = x }, t = 300*time,
                           skip = 30*time, parameters = { T = time }, of = "period", progress = false }[1]
      assert.equal(0, row.period, row.reason)
      for _, each in ipairs(D:chart{ over = { { "z", { 9*L, 11*L } } }, v = { z = 0 }, stroboscope = 2*hm.pi*t0/hm.rational(17, 10), t = 600*time,
                                     skip = 300*time, parameters = { l = L, T = time }, of = "period", progress = false }) do
        assert.equal(1, each.period, each.reason)
      end
    end
  end)

  -- a damped pendulum comes to rest from any start but the upright one; cos(pi/2) is 6e-17
  it("take no start at rest, and none that is zero but for rounding, for the size of the motions", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-hm.cos(a))
    S:force(a, -a.dot/5)
    local starts = { math.cos(math.pi/2), 0, math.pi/2, math.pi, 3*math.pi, 1e-20 }
    local C = S:chart{ over = { { "a", starts } }, v = { a = 0 }, of = "basin", t = 200 }
    for i = 1, #C do assert.equal("OK", C[i].status, C[i].reason) end
    for _, alone in ipairs{ math.pi, 0.3 } do
      assert.equal("OK", S:chart{ over = { { "a", { alone } } }, v = { a = 0 }, of = "basin", t = 200 }[1].status)
    end
  end)

  -- x'' = x/T^2 - x^3/T^2 - 0.3 x'/T, a year in seconds: both exponents are -0.15/T; they are calculated in the time of a run, whatever T
  it("follow directions in any unit of time", function()
    local S = hm.system "two wells"
    local x = S:coordinates "x"
    local k, c = S:parameters "k=1 c=0.3"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*(x^4/4 - x^2/2))
    S:force(x, -c*x.dot)
    for _, T in ipairs{ 1e-9, 1, 3e7 } do
      local C = S:chart{ over = { { "x", { 0.5 } } }, v = { x = 0 }, parameters = { k = 1/T^2, c = 0.3/T }, of = "exponents", t = 300*T, skip = 50*T }
      assert.equal("OK", C[1].status, C[1].reason)
      assert.near(-0.3, C[1].sum*T, 1e-9)
      assert.near(-0.15, C[1].exponent1*T, 0.02)
      assert.truthy(tostring(C):find("rest (- -)", 1, true), tostring(C))
    end
  end)

  -- at rest both exponents of x'' = -x/T^2 - x^3/T^2 - d x'/T are -d/(2 T); in lengths of directions that mix x and x' they were off by log(T)/t
  it("measure directions of motions in any unit of time", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local k, c, b = S:parameters "k=1 c=0 b=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2 + b*x^4/4)
    S:force(x, -c*x.dot)
    for _, T in ipairs{ 1e-6, 1e-3, 1, 1e5, 3e7 } do
      for _, d in ipairs{ 0.3, 0 } do
        local C = S:chart{ over = { { "x", { 1 } } }, v = { x = 0 }, parameters = { k = 1/T^2, c = d/T, b = 1/T^2 }, of = "exponents", t = 60*T }
        assert.equal("OK", C[1].status, C[1].reason)
        if d > 0 then for _, e in ipairs(C[1].exponents) do assert.near(-d/2, e*T, 0.012) end end
        assert.truthy(tostring(C):find(d > 0 and "rest (- -)" or "torus (0 0)", 1, true), tostring(C))
      end
    end
  end)
end)
