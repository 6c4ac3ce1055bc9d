-- Four-bar linkages that come to a pose in which all links lie on a line: a row of the constraints vanishes there, or two become one, and the motion may go on
-- in two ways. The run stops there by every elimination. The steps towards the pose are short: on each of them alone the rows, once scaled, keep their size.
local mechanics = require "mechanics"

describe("a run of a linkage that comes to a pose on a line", function()
  for _, case in ipairs{ { 1, 3, 2, 4, t = 0.7626972 }, { 1, 2, 2, 3, t = 1.0711608 } } do
    it(("stops there: %d, %d, %d, %d"):format(table.unpack(case)), function()
      for _, way in ipairs{ "dense", "graph" } do
        for _, rtol in ipairs{ 1e-8, 1e-10, 1e-12 } do
          local run = mechanics.linkage("linkage", case):simulate{ q = { q1 = 0.7 }, v = { q1 = 3 }, t = case.t + 0.05, elimination = way, rtol = rtol,
            atol = rtol }
          assert.equal("DEPENDENT_CONSTRAINTS", run.status)
          assert.is_true(math.abs(run.outcome.t - case.t) < 1e-6, ("%s, rtol = %g: stopped at %.12g"):format(way, rtol, run.outcome.t))
        end
      end
    end)
  end
end)
