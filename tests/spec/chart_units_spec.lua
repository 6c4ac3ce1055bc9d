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
end)
