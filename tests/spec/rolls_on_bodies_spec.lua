-- Balls on surfaces of moving bodies: declared in seconds.
local hm = require "hamel"

it("declares a ball in a sphere of a body that turns without long proofs", function()
  local S = hm.system "ball"
  local P, R = S:rotation("P", { rates = "a1 a2 a3" }), S:rotation("R", { rates = "p q r" })
  local big = S:body("big", { at = S:point "X Y Z", frame = P, mass = 3, inertia = {0.5, 0.6, 0.8} })
  local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.2} })
  local before = os.clock()
  S:rolls("roll", ball, P:sphere{ at = big:point(0, 0, 0), radius = 1, inside = true })
  local seconds = os.clock() - before
  assert(seconds < 60, seconds)
  for _, axis in ipairs{ "x", "y", "z" } do assert(S.constraints["roll." .. axis].kind == "linear nonholonomic", axis) end
end)
