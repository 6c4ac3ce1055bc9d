-- arm_pin.lua: our side of arm_pin.py: microseconds of one evaluation of an arm, then its accelerations at a state.
--   build/hamel tests/bench/arm_pin.lua JOINTS [arm_of_bodies]
local mechanisms = require "tests.bench.mechanisms"
local n = math.tointeger(tonumber(arg[1]))
local make = mechanisms[arg[2] or "arm"]
local S, q, v = mechanisms.start(make, n)
local us = mechanisms.evaluations({ arm = { make, n, "cheapest" } }, 9).arm
for name in pairs(v) do v[name] = 0.1 end
local words = { ("%.4f"):format(us) }
local state = S:accelerations{ q = q, v = v }
for _, name in ipairs(S.coordinate_names) do words[#words + 1] = ("%.17g"):format(state.a[name]) end
print(table.concat(words, " "))
