-- a body that falls into a trough of two walls, slides along it and comes to rest across it after impacts that accumulate at both walls in turn.
-- Arbiter: the impulses of the walls follow from the momentum across the trough alone; friction along it takes mu times these
local hm, check = require "hamel", require "check"

local walls = { { 0.5, 1, 0.3, 0.5 }, { 1, 1, 0.1, 0.5 }, { 0.3, 2, 0.2, 0.7 }, { 3, 1, 0.5, 0.6 } }

describe("impacts that accumulate at two walls in turn", function()
  for _, law in ipairs{ "newton", "poisson", "moreau" } do
    it("rub as much as they press, with the law " .. law, function()
      for _, wall in ipairs(walls) do
        local a, b, speed, e = table.unpack(wall)
        local T, mu, na, nb = 10, 0.1, math.sqrt(1 + wall[1]^2), math.sqrt(1 + wall[2]^2)
        local left = (speed + b*10*T)/(a + b)
        local right = 10*T - left
        for _, tolerance in ipairs{ 1e-8, 1e-10, 1e-12, 1e-13 } do
          local S = hm.system "trough"
          local x, y, z = S:coordinates "x y z"
          S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
          S:potential_energy(10*y)
          S:unilateral("left", (y - a*x)/na, { law = hm[law](e) })
          S:unilateral("right", (y + b*x)/nb, { law = hm[law](e) })
          S:friction("rub left", { slip = z.dot, normal = "left", coefficient = mu })
          S:friction("rub right", { slip = z.dot, normal = "right", coefficient = mu })
          local r = S:simulate{ q = { x = 0.1, y = 1, z = 0 }, v = { x = speed, y = 0, z = 60 }, t = T, rtol = tolerance, atol = tolerance }
          assert.equal("OK", r.status)
          check.near(r:at(T).v.z, 60 - mu*(left*na + right*nb), 60*tolerance)
        end
      end
    end)
  end
end)
