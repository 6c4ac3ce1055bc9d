-- starts at which an expression of the equations has no value, even where a function round it makes something finite of its infinity
local hm, check = require "hamel", require "check"

local methods = { "dop853", "rkf45", "rk8pd", "radau5", "msadams", "msbdf", "auto", "taylor", "rk4", "gauss4", "dla" }
local steps = { rk4 = 0.01, gauss4 = 0.01, dla = 0.01, moreau = 0.01 }

local function body(force, potential) return check.oscillator(hm, potential or function() return hm.number(0) end, force) end

local function run(S, method, x, t)
  return S:simulate{ q = { x = x }, v = { x = 1 }, t = t or 1, method = method, step = steps[method], progress = false }
end

local lacking = {
  { "1/x", body(function(x) return hm.tanh(1/x) end) },
  { "1/x", body(function(x) return hm.atan(1/x) end) },
  { "1/x", body(function(x) return 1/(1 + 1/x) end) },
  { "1/(x*x)", body(function(x) return hm.exp(-1/x^2) end) },
  { "1/", body(nil, function(x) return hm.tanh(1/x) end) },
  { "1/(x*x)", body(nil, function(x) return hm.atan(1/x) end) },
  { "1/t", body(function(x) return hm.atan(1/hm.t) - x end) },
  { "log(", body(function(x) return hm.tanh(hm.log(x^2 + hm.t)) end) },
}

describe("a start on a pole inside a function", function()
  it("is refused by every method, with the expression", function()
    for _, case in ipairs(lacking) do
      for _, method in ipairs(methods) do
        check.raises({ case[1], "infinite" }, run, case[2], method, 0)
      end
    end
  end)

  it("is refused by sweeps and studies", function()
    for _, case in ipairs(lacking) do
      local S, at = case[2], { q = { x = 0 }, v = { x = 0 } }
      local W = S:sweep{ over = { { "x", { 0, 0, 0, 0, 0 } } }, v = { x = 1 }, t = 1, keep = { "x" }, progress = false }
      for k = 1, 5 do
        assert.equal("NOT_FINITE", W[k].status)
        assert.truthy(W[k].reason:find(case[1], 1, true))
      end
      check.raises({ "" }, S.linearize, S, at)
      check.raises({ "" }, S.reference, S, { q = at.q, v = at.v, t = 1 })
      check.raises({ "" }, S.equilibrium, S, at)
    end
  end)

  it("is none beside the pole, nor where a value is large only", function()
    local S = body(function(x) return hm.tanh(hm.exp(1e6*x)) - 1 end)
    for _, method in ipairs{ "dop853", "rk4" } do
      local r = run(S, method, 1)
      assert.equal("OK", r.status)
      assert.near(2, r:at(1).x, 1e-9)
    end
    assert.equal("OK", run(lacking[1][2], "dop853", 1e-3).status)
  end)

  it("is described without the parameters that hold the sides of corners", function()
    for _, force in ipairs{ function(x) return hm.sign(x - 1)/x end, function(x) return hm.max(x - 1, 2*x + 1)/x^2 end } do
      local fine, message = pcall(run, body(force), "dop853", 0)
      assert.falsy(fine)
      assert.truthy(message:find("infinite", 1, true) and not message:find("branch", 1, true), message)
    end
  end)

  it("is refused by time stepping, too", function()
    local S = hm.system "ball"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, hm.tanh(1/x))
    S:force(y, -9.81)
    S:unilateral("floor", y, { law = hm.moreau(0) })
    check.raises({ "1/x", "infinite" }, S.simulate, S,
      { q = { x = 0, y = 1 }, v = { x = 0, y = 0 }, t = 0.1, method = "moreau", step = 0.01, progress = false })
  end)
end)
