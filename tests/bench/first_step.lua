-- The first step of a chain: written, derived, compiled, one step, that many times; for counting instructions.
--   build/hamel tests/bench/first_step.lua LINKS TIMES
local mechanisms = require "tests.bench.mechanisms"
local links, times = math.tointeger(tonumber(arg[1])), math.tointeger(tonumber(arg[2]))
for _ = 1, times do
  local S, q, v = mechanisms.start(mechanisms.chain, links)
  S:simulate{ q = q, v = v, t = 1e-6, record = "ends", dense = false }
end
