-- Energy balances where a part that is driven works on while the motion has come to rest, and steps become long: the work is no part of the motion, and its
-- quadrature on such steps is off although the motion is right
local hm, check = require "hamel", require "check"

-- A disc that friction brings to rest beside a mass that is driven to and fro; arbiter: w' = exp(-t/10)
local function at_rest_beside_a_drive()
  local S = hm.system "drive"
  local z, w = S:coordinates "z w"
  S:kinetic_energy((z.dot^2 + w.dot^2)/2 + (z + hm.sin(hm.t)).dot^2/2)
  S:constraint("held", z.dot)
  S:force(w, -w.dot/10)
  return S
end

-- Chaplygin's sleigh with a mass that swings across it; the body comes to rest
local function sleigh(nu)
  local S = hm.system "sleigh"
  local x, y, th = S:coordinates "x y th"
  local A = S:parameters "A=1"
  local px, py = x - A*hm.sin(hm.t)*hm.sin(th), y + A*hm.sin(hm.t)*hm.cos(th)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + th.dot^2/4 + hm.rational(3, 20)*(px.dot^2 + py.dot^2))
  S:constraint("blade", x.dot*hm.sin(th) - y.dot*hm.cos(th))
  for _, q in ipairs{ x, y, th } do S:force(q, -nu*q.dot) end
  return S
end

describe("the work of a drive beside a motion at rest", function()
  it("makes no run inaccurate, at any tolerance", function()
    local S = at_rest_beside_a_drive()
    for _, rtol in ipairs{ 1e-6, 1e-9, 1e-12 } do
      local run = S:simulate{ q = {z = 0, w = 0}, v = {w = 1}, t = 1000, rtol = rtol, atol = rtol }
      assert.equal("OK", run.status, run.reason)
      check.near(run:at(20).w, 10*(1 - math.exp(-2)), 1e3*rtol)
      check.near(run:at(1000).w, 10, 1e3*rtol)
      assert.truthy(tostring(run):find("the work in the balance is off", 1, true))
    end
    local W = S:sweep{ over = { { "w'", { 1, 2 } } }, q = {z = 0, w = 0}, t = 1000 }
    for i = 1, 2 do
      assert.equal("OK", W[i].status, W[i].reason)
      check.near(W[i].w, 10*i, 1e-5)
    end
    local C = S:chart{ over = { { "w'", { 1, 2 } } }, q = {z = 0, w = 0}, of = "exponents", t = 1000 }
    for i = 1, 2 do
      assert.equal("OK", C[i].status, C[i].reason)
      check.near(C[i].exponents[1], -0.1, 1e-5)
    end
  end)

  -- Arbiter: the same run with steps that are short for the work, too
  it("makes none of a nonholonomic body inaccurate, and no row of a chart", function()
    local S = sleigh(hm.rational(1, 10))
    local start = { q = {x = 0, y = 0, th = 0}, v = {x = 1, th = 0.3}, t = 300 }
    local run = S:simulate(start)
    assert.equal("OK", run.status, run.reason)
    start.max_step = 0.5
    local short = S:simulate(start)
    assert.equal("OK", short.status, short.reason)
    for _, name in ipairs{ "x", "y", "th" } do check.near(run:at(300)[name], short:at(300)[name], 1e-6) end
    local C = S:chart{ over = { { "A", { 0.5, 1 } } }, q = start.q, v = start.v, of = "exponents", t = 300, skip = 30, form = "lagrange" }
    for i = 1, 2 do assert.equal("OK", C[i].status, C[i].reason) end
  end)
end)
