-- A block on a moving belt, held by a spring: it sticks, is torn off, slides back and sticks again. With friction that is larger at rest than
-- in motion the cycle is known in closed form.
local hm = require "hamel"

local S = hm.system "block on a belt"
local x = S:coordinates "x"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(x^2/2)                                 -- mass and spring one: angular frequency one
-- belt at 0.2, pressed by 1: 0.3 in motion, 0.5 at rest
S:friction("belt", { slip = x.dot - hm.rational(1, 5), normal = 1, coefficient = 0.3, static = 0.5 })
local run = S:simulate{ q = { x = 0 }, v = { x = 0.2 }, t = 40, rtol = 1e-12, atol = 1e-13 }
print(run)

-- 1. It is torn off at x = 0.5 and slides on the circle about 0.3 through (0.5, 0.2): x = 0.3 + 0.2 cos s + 0.2 sin s, until x' is 0.2
--    again, at s = 3 pi/2. Then it sticks for (0.5 - 0.1)/0.2 = 2
local slide, stick = 1.5*math.pi, 2
local torn
for _, switch in ipairs(run.switches) do
  if switch.from == "stick" and switch.to == "slip" then
    if torn then
      print(("torn off at %.9f, one cycle after the last: %.9f, in closed form %.9f"):format(switch.t, switch.t - torn, slide + stick))
      assert(math.abs(switch.t - torn - slide - stick) < 1e-9)
    else
      assert(math.abs(switch.t - 2.5) < 1e-12)             -- 0.5 at the speed of the belt
    end
    torn = switch.t
  elseif switch.to == "stick" and torn then
    assert(math.abs(switch.t - torn - slide) < 1e-9)
    assert(math.abs(run:at(switch.t).x - 0.1) < 1e-9)
  end
end
assert(torn and torn > 30)

-- 2. Over a cycle the belt's work is what friction burns: 0.5 x^2 changes from 0.005 to 0.125 while sticking
local from, to = run:at(2.5), run:at(2.5 + slide + stick)
assert(math.abs(from.x - to.x) < 1e-9)
print(("in stick the spring takes %.9f from the belt, in slip the block returns to x = %.9f"):format((0.5^2 - 0.1^2)/2, run:at(2.5 + slide).x))

-- 3. Without the difference between rest and motion the cycle ends: the block rests at x = 0.3 or swings about it
local D = hm.system "no difference"
local y = D:coordinates "y"
D:kinetic_energy(y.dot^2/2)
D:potential_energy(y^2/2)
D:friction("belt", { slip = y.dot - hm.rational(1, 5), normal = 1, coefficient = 0.3 })
local last = D:simulate{ q = { y = 0 }, v = { y = 0.2 }, t = 30, rtol = 1e-11, atol = 1e-12 }
local amplitude = math.sqrt((last:at(30).y - 0.3)^2 + last:at(30).v.y^2)
print(("no difference: a swing about 0.3 with amplitude %.9f, the belt's speed"):format(amplitude))
assert(math.abs(amplitude - 0.2) < 1e-8)
