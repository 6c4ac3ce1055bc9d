-- enclosures.lua: enclosures and proved digits: time, steps and radius of the systems of the design; 200 digits beside 50.
local hm = require "hamel"
local clock = require "hamel.core".host.clock

if not require "hamel.core".has_arb then print "this build has no ball arithmetic" os.exit(77) end

local function pendulum()
  local S = hm.system "double pendulum"
  local a, b = S:coordinates "a b"
  local g = S:positive "g=9.81"
  local x1, y1 = hm.sin(a), -hm.cos(a)
  local x2, y2 = x1 + hm.sin(b), y1 - hm.cos(b)
  S:kinetic_energy((hm.dt(x1)^2 + hm.dt(y1)^2 + hm.dt(x2)^2 + hm.dt(y2)^2)/2)
  S:potential_energy(g*(y1 + y2))
  return S
end

local function sleigh()
  local S = hm.system "offset sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=3/10"
  local X, Y = x + a*hm.cos(theta), y + a*hm.sin(theta)
  S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S
end

local function timed(f)
  local before = clock()
  local result = f()
  return clock() - before, result
end

local swinging, sliding = { q = { a = 2, b = "5/2" }, v = { a = 0, b = 0 }, t = 10 }, { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = "1/2" }, t = 20 }

local function with(o, more)
  local result = {}
  for _, list in ipairs{ o, more } do for name, value in pairs(list) do result[name] = value end end
  return result
end

for _, case in ipairs{ { "pendulum", pendulum(), swinging, { 64, 128, 256 } }, { "sleigh", sleigh(), sliding, { 64, 128, 256 } } } do
  for _, bits in ipairs(case[4]) do
    local seconds, e = timed(function() return case[2]:enclosure(with(case[3], { bits = bits })) end)
    print(("%-9s %4d bits  %6.2f s  %s"):format(case[1], bits, seconds, tostring(e)))
  end
end
for _, case in ipairs{ { "pendulum", pendulum(), swinging }, { "sleigh", sleigh(), sliding } } do
  local evidence = timed(function() return case[2]:reference(with(case[3], { digits = 30 })) end)
  local proved = timed(function() return case[2]:reference(with(case[3], { digits = 30, prove = true })) end)
  print(("%-9s 30 digits: evidence %.2f s, proved %.2f s: ratio %.2f"):format(case[1], evidence, proved, proved/evidence))
end
local fifty = timed(function() return sleigh():reference(with(sliding, { digits = 50 })) end)
local many = timed(function() return sleigh():reference(with(sliding, { digits = 200 })) end)
print(("sleigh, 50 digits %.2f s, 200 digits %.2f s: ratio %.1f"):format(fifty, many, many/fifty))
