-- a ball on a table that vibrates: it bounces until its impacts accumulate, is carried, and leaves the table where that falls away, each turn anew.
-- Arbiter: from the place where it leaves, the flight is a parabola
local hm, check = require "hamel", require "check"

describe("a ball on a vibrating table", function()
  for _, case in ipairs{ { A = 2, g = 1, e = 0.2 }, { A = 5, g = 1, e = 0.3 }, { A = 3, g = 1.5, e = 0.5 }, { A = 12, g = 9.81, e = 0.2 } } do
    it(("is carried and thrown, A = %g, g = %g, e = %g"):format(case.A, case.g, case.e), function()
      local S = hm.system "table"
      local y = S:coordinates "y"
      S:kinetic_energy(y.dot^2/2)
      S:potential_energy(case.g*y)
      S:unilateral("table", y - case.A*hm.sin(hm.t), { law = hm.newton(case.e) })
      for _, tolerance in ipairs{ 1e-9, 1e-11, 1e-12, 1e-13 } do
        local r = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 100, rtol = tolerance, atol = tolerance }
        assert.equal("OK", r.status)
        local thrown = 0
        for _, switch in ipairs(r.switches) do
          if switch.to == "open" and switch.t < 99 then
            thrown = thrown + 1
            local phase, ahead = math.asin(case.g/case.A), 0.5
            local leaves = phase + 2*math.pi*math.floor((switch.t - phase)/(2*math.pi) + 0.5)
            check.near(switch.t, leaves, 1e-6)
            check.near(r:at(leaves + ahead).y, case.g + case.A*math.cos(phase)*ahead - case.g*ahead^2/2, 1e3*tolerance + 1e-11)
          end
        end
        assert.is_true(thrown > 0)
      end
    end)
  end
end)
