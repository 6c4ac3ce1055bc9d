-- A pendulum over its amplitude and length: a sweep, whose table is read row by row.
local hm = require "hamel"

local S = hm.system "pendulum"
local phi = S:coordinates "phi"
local m, l, g = S:positive "m=1 l=1 g=9.81"
S:kinetic_energy(m*l^2*phi.dot^2/2)
S:potential_energy(-m*g*l*hm.cos(phi))

local W = S:sweep{ over = { { "phi", { 0.5, 1, 1.5 } }, { "l", { 1, 2 } } }, v = { phi = 0 }, t = 2, keep = { "phi", "max phi'" } }
local starts, lengths, ends, speeds = W:column "q.phi", W:column "l", W:column "phi", W:column "max phi'"
local best = 1
for i, start in ipairs(starts) do
  print(("%g %g %.17g %.17g"):format(start, lengths[i], ends[i], speeds[i]))
  if speeds[i] > speeds[best] then best = i end
end
print(("fastest: l = %g, phi = %g"):format(lengths[best], starts[best]))
