-- linear mappings: geometry, the motion they give, what is refused
local hm, check = require "hamel", require "check"
local sqrt = hm.sqrt

local function cylinder()
  local S = hm.system "particle on a growing cylinder"
  local x, y, z = S:coordinates "x y z"
  local g = S:positive "g=9.81"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:force(z, -g)
  S:constraint("cylinder", x^2 + y^2 - (hm.t + 1)^2)
  return S, x, y, sqrt(x^2 + y^2)
end

describe("a linear mapping", function()
  it("has metric, connection and torsion", function()
    local S, x, y, r = cylinder()
    local M = S:linear_mapping{ names = "p h s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } }
    assert.is_true(M.integrable)
    assert.is_true((M.metric[1][1] - r^2):is_zero())
    assert.equal(0, #M:coupling())
    local N = S:linear_mapping{ names = "p h s", time = 3, b = { { -y/r, 0, x/r }, { x/r, 0, y/r }, { 0, 1, 0 } } }
    assert.is_false(N.integrable)
    assert.truthy(tostring(N):find("not integrable", 1, true))
    local start = { q = { x = 1, y = 0, z = 0 }, v = { y = 0.4, z = 0 }, t = 2, rtol = 1e-10, atol = 1e-10 }
    local want = S:simulate(start):at(2)
    start.form = "mapping"
    for _, mapping in ipairs{ M, N } do
      start.mapping = mapping
      local run = S:simulate(start)
      local got = run:at(2)
      assert.is_true(run.energy_drift < 1e-8)
      check.near(got.x, want.x, 1e-8)
      check.near(got.lambda.cylinder, want.lambda.cylinder, 1e-7)
    end
  end)

  it("refuses what would give another motion", function()
    local S, x, y, r = cylinder()
    local function map(b, names) return S.linear_mapping, S, { names = names or "p h s", time = 3, b = b } end
    check.raises({ "does not keep up", "cylinder" }, map{ { -y, 0, 2*x/r }, { x, 0, 2*y/r }, { 0, 1, 0 } })
    check.raises({ "column 1 ('p') leaves the constraint" }, map{ { x, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } })
    check.raises({ "b[1][1] contains the time" }, map{ { -y/(hm.t + 1), 0, x/r }, { x/(hm.t + 1), 0, y/r }, { 0, 1, 0 } })
    check.raises({ "'x' is already a coordinate" }, map({ { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } }, "x h s"))
    check.raises({ "no inverse" }, map{ { -y, -y, x/r }, { x, x, y/r }, { 0, 0, 0 } })
    check.raises({ "b is 2 x 3" }, map{ { -y, 0, x/r }, { x, 0, y/r } })
    check.raises({ "2 names for 3" }, map({ { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } }, "p h"))
    check.raises({ "needs mapping" }, S.equations, S, "mapping")
    local M = S:linear_mapping{ names = "p h s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } }
    S:force(x, 1)
    check.raises({ "was changed after" }, S.equations, S, "mapping", { mapping = M })
  end)
end)
