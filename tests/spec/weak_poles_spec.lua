-- poles so weak that x' does not show them at any distance that steps resolve: a motion does not go through them all the same
local hm, check = require "hamel", require "check"

local methods = { "dop853", "rkf45", "rk8pd", "radau5", "msadams", "auto", "rk4", "gauss4" }
local steps = { rk4 = 0.01, gauss4 = 0.01 }

local function body(force, potential) return check.oscillator(hm, potential or function() return hm.number(0) end, force) end
local function run(S, method, x, v, t)
  return S:simulate{ q = { x = x }, v = { x = v }, t = t, method = method, step = steps[method], progress = false }
end

describe("a weak pole in the way of a motion", function()
  local weak = {
    function(e) return body(function(x) return e/(1 - x) end) end,
    function(e) return body(function(x) return -e/(1 - x) end) end,
    function(e) return body(function(x) return e*hm.cos(x)/hm.sin(x - 1) - x/10 end) end,
    function(e) return body(function(x) return -e*hm.tan(hm.pi/2*x) end) end,
    function(e) return body(nil, function(x) return -e*hm.log(hm.abs(1 - x)) end) end,
    function(e) return body(nil, function(x) return e/hm.abs(1 - x) end) end,
  }

  it("stops every method there, forward, backward and in sweeps", function()
    for _, strength in ipairs{ 1e-9, 1e-14, 1e-20, 1e-30 } do
      for _, make in ipairs(weak) do
        local S = make(strength)
        for _, method in ipairs(methods) do
          local r = run(S, method, 0, 1, 2)
          assert.equal("SINGULAR", r.status, method)
          assert.truthy(r.reason:find("= 0", 1, true))
          assert.truthy(r.outcome.t < 1.1)
        end
        assert.equal("SINGULAR", run(S, "dop853", 0, -1, { 0, -2 }).status)
        local W = S:sweep{ over = { { "x", { 0, 0, 0, 0, 0 } } }, v = { x = 1 }, t = 2, keep = { "x" }, progress = false }
        for k = 1, 5 do assert.equal("SINGULAR", W[k].status) end
      end
    end
  end)

  it("that would turn the motion back is never gone through", function()
    for _, strength in ipairs{ 1e-8, 1e-14, 1e-20 } do
      local S = body(nil, function(x) return strength/(1 - x)^2 end)
      for _, method in ipairs(methods) do
        local r = run(S, method, 0, 1, 2)
        if r.status == "OK" then check.near(r:at(2).x, 0, 1e-4) end
      end
    end
  end)

  it("is met in the plane, and passed beside it", function()
    local S = hm.system "centre"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-hm.number("1e-14")/hm.sqrt(x^2 + y^2))
    local A = hm.system "head on"
    local a, b = A:coordinates "x y"
    A:kinetic_energy((a.dot^2 + b.dot^2)/2)
    A:force(a, -hm.number("1e-14")/(a^2 + b^2))
    for _, method in ipairs{ "dop853", "rkf45", "radau5", "taylor", "auto" } do
      local o = { q = { x = -1, y = 0 }, v = { x = 1, y = 0 }, t = 2, method = method, progress = false }
      o.q.y = 1e-12                                                                      -- the angle of Rutherford: tan(angle/2) = 1e-14/(b v^2)
      local r = S:simulate(o)
      assert.equal("OK", r.status)
      o.q.y = 0
      assert.equal("SINGULAR", A:simulate(o).status)
      check.near(r:at(2).v.y, -math.sin(2*math.atan(0.01)), 1e-6)
    end
  end)

  it("is none where a function takes the infinity back, or the numerator vanishes, too", function()
    local regular = {
      function(x) return 1/(1 + 1/x) end,
      function(x) return hm.sin(x)/x end,
      function(x) return (1 - hm.cos(x))/x^2 end,
      function(x) return (hm.exp(x) - 1)/hm.sin(x) end,
      function(x) return x^2/hm.abs(x) end,
      function(x) return 1e-14*hm.log(x^2) end,                                          -- its integral is finite: the motion passes
    }
    for _, force in ipairs(regular) do
      local S = body(force)
      local a = run(S, "dop853", -0.513, 1, 1)
      assert.equal("OK", a.status)
      assert.truthy(a:at(1).x > 0)
      assert.near(a:at(1).x, run(S, "rk8pd", -0.513, 1, 1):at(1).x, 1e-8)
    end
  end)
end)
