-- A gyroscope in gimbals: three turns, rings with inertia of their own, which make the rotor drift when it nods (Magnus 1955): the outer ring turns on the
-- average, though no torque acts on it. With massless rings the momentum of the rotor stays in space and there is no drift.
local hm = require "hamel"

local function gyroscope(Jo, Ji)
  local S = hm.system "gyroscope in gimbals"
  local N = S:frame "N"
  local alpha, beta, gamma = S:coordinates "alpha beta gamma"
  local outer = N:rotate("z", alpha)
  local inner = outer:rotate("x", beta)
  local rotor = inner:rotate("z", gamma)
  if Jo > 0 then S:body("outer ring", { frame = outer, inertia = {Jo, Jo, Jo} }) end
  if Ji > 0 then S:body("inner ring", { frame = inner, inertia = {Ji, Ji, Ji} }) end
  S:body("rotor", { frame = rotor, inertia = {1, 1, 1.5} })
  return S, rotor
end

local function drift(Jo, Ji)
  local S, rotor = gyroscope(Jo, Ji)
  local run = S:simulate{ q = { alpha = 0, beta = 1, gamma = 0 }, v = { alpha = 0, beta = 0.3, gamma = 20 }, t = 200, rtol = 1e-11, atol = 1e-12 }
  assert(run.status == "OK" and run.energy_drift < 1e-9)
  -- the momentum along the outer axis and the spin are constant
  local L = S:angular_momentum()
  local lz = L:dot(S:frame().z)
  local spin = rotor:angular_velocity():dot(rotor.z)
  assert(math.abs(run:at(200, lz) - run:at(0, lz)) < 1e-7 and math.abs(run:at(200, spin) - run:at(0, spin)) < 1e-7)
  -- the mean angle over the last and the first tenth
  local function mean(from) local sum = 0 for k = 0, 999 do sum = sum + run:at(from + k*0.02).alpha/1000 end return sum end
  return mean(180) - mean(0)
end
local with_rings, without = drift(0.5, 0.3), drift(0, 0)
print(("mean angle of the outer ring after 180 s: %.6f rad with rings, %.6f rad without"):format(with_rings, without))
assert(math.abs(with_rings) > 10*math.abs(without))
