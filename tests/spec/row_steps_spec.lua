-- Rows store no states between their ends: which single runs take the same steps, as the manual of S:sweep says. At loose tolerances other steps may give
-- another verdict.
local hm = require "hamel"

local function pair(stiffness)
  local S = hm.system "pair"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(x^2/2 + stiffness*y^2/2 + (x - y)^2/2)
  return S, x
end

local function both(stiffness, method, tolerance, dense, more)
  local S, x = pair(stiffness)
  local o = { q = { x = 1, y = 0.5 }, v = { x = 0, y = 0 }, t = 30, rtol = tolerance, atol = tolerance, method = method, dense = dense, progress = false }
  if more == "events" then o.events = { { name = "meets", when = x - 0.3 } } end
  local run = S:simulate(o)
  o.dense, o.q, o.over = nil, { x = 1 }, { y = { 0.5, 0.5 } }
  if more == "measures" then o.keep = { "max y", "y" } end
  return run, S:sweep(o)[1]
end

describe("a row of a sweep", function()
  it("takes the steps of a run without dense output where it keeps the end alone", function()
    local others = 0
    for _, method in ipairs{ "dop853", "auto", "radau5", "rkf45", "msadams" } do
      for _, tolerance in ipairs{ 1e-2, 1e-3, 1e-6 } do
        for _, stiffness in ipairs{ 40, 120 } do
          local run, row = both(stiffness, method, tolerance, false)
          local what = ("%s at %g"):format(method, tolerance)
          assert.equal(run.outcome.steps, row.steps, what)
          assert.equal(run.status, row.status, what)
          assert.near(run:at(30).y, row.y, 1e-9, what)
          others = others + (both(stiffness, method, tolerance, true).outcome.steps ~= row.steps and 1 or 0)
        end
      end
    end
    assert.is_true(others > 0)
  end)

  it("takes those of a run with dense output where it meets events or has measures", function()
    for _, more in ipairs{ "events", "measures" } do
      for _, tolerance in ipairs{ 1e-2, 1e-3 } do
        local run, row = both(120, "dop853", tolerance, true, more)
        assert.equal(run.outcome.steps, row.steps, more)
        assert.near(run:at(30).y, row.y, 1e-12, more)
      end
    end
  end)

  it("has no option by which a single run stores its states, and the message says which run takes its steps", function()
    local S = pair(1)
    for _, name in ipairs{ "dense", "record" } do
      local fine, message = pcall(S.sweep, S, { over = { y = { 0.5 } }, q = { x = 1 }, v = { x = 0, y = 0 }, t = 3, [name] = name == "dense" or "ends" })
      assert.is_false(fine)
      assert.truthy(message:find(("sweep: '%s' is for a single run: rows store no states between their ends"):format(name), 1, true), message)
      assert.truthy(message:find("S:simulate{ dense = false }", 1, true), message)
    end
  end)
end)
