-- periodic motions, variations and exponents of drives that are switched in time
local hm, check = require "hamel", require "check"

local t, P = hm.t, 2*math.pi
local drives = {
  sign = hm.sign(hm.sin(t)), where = hm.where(hm.sin(t):gt(0), 1, -1), pulse = hm.step(hm.sin(t) - hm.number "0.5"), off = hm.where(hm.cos(t):lt(0.3), 0, 2),
}

local function driven(drive)
  local S = hm.system "driven"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/4)
  S:force(x, drive - hm.number "0.3"*x.dot)
  return S
end

describe("a drive that is switched in time", function()
  it("has periodic motions: those on which long runs settle", function()
    for name, drive in pairs(drives) do
      local S = driven(drive)
      local orbit = S:periodic{ q = { x = 0.1 }, v = { x = 0.1 }, period = P }
      local closed = S:simulate{ q = orbit.q, v = orbit.v, t = P, rtol = 1e-11, atol = 1e-12 }:at(P)
      check.near(closed.x, orbit.q.x, 1e-8, name)
      check.near(closed.v.x, orbit.v.x, 1e-8, name)
      -- damping fixes the product of the multipliers
      local a, b = orbit.multipliers[1], orbit.multipliers[2]
      check.near(a.re*b.re - a.im*b.im, math.exp(-0.3*P), 1e-7, name)
    end
    local S = driven(drives.sign)
    local orbit = S:periodic{ q = { x = 0.1 }, v = { x = 0.1 }, period = P }
    local late = S:simulate{ q = { x = 0.1 }, v = { x = 0.1 }, t = 40*P, rtol = 1e-11, atol = 1e-12 }:at(40*P)
    check.near(orbit.q.x, late.x, 1e-8)
  end)

  it("has variations: those of motions beside", function()
    for name, drive in pairs(drives) do
      local S, h = driven(drive), 1e-5
      local function x_from(q, v) return S:simulate{ q = { x = q }, v = { x = v }, t = 5, rtol = 1e-12, atol = 1e-13 }:at(5).x end
      local M = S:variations{ q = { x = 0.1 }, v = { x = 0.1 }, t = 5 }:matrix(5)
      check.near(M[1][1], (x_from(0.1 + h, 0.1) - x_from(0.1 - h, 0.1))/(2*h), 1e-6, name)
      check.near(M[1][2], (x_from(0.1, 0.1 + h) - x_from(0.1, 0.1 - h))/(2*h), 1e-6, name)
    end
  end)

  it("but states that switch a force are refused, and momenta that jump in time", function()
    local dry = hm.system "dry"
    local u = dry:coordinates "x"
    dry:kinetic_energy(u.dot^2/2)
    dry:force(u, 1 - hm.sign(u - t/20 - hm.number "0.2"))
    check.raises({ "jumps at t" }, dry.variations, dry, { q = { x = 0.1 }, v = { x = 0.1 }, t = 5 })
    local S = hm.system "mass"
    local x = S:coordinates "x"
    S:kinetic_energy((1 + hm.step(hm.sin(t)))*x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot)
    check.raises({ "momenta" }, S.periodic, S, { q = { x = 0.1 }, v = { x = 0.1 }, period = P })
  end)

  it("tells where to look when a guess is bad", function()
    local S = driven(drives.sign)
    local fine, message = pcall(S.periodic, S, { q = { x = 30 }, v = { x = 0 }, period = P })
    assert(fine or message:find("the end of a long run", 1, true), message)
  end)
end)
