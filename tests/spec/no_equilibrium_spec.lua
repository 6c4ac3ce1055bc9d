-- a small residual is no equilibrium where the equations have none near
local hm, check, driven = require "hamel", require "check", require "mechanics".driven

describe("S:equilibrium", function()
  it("refuses forces that nearly vanish and do not", function()
    for _, least in ipairs{ "1e-8", "1e-10", "1e-12", "1e-16" } do
      check.raises({ "did not converge" }, function() driven(function(x) return x^2 + hm.number(least) end):equilibrium{ q = { x = 0.5 } } end)
    end
    for _, excess in ipairs{ "1e-9", "1e-11", "1e-12" } do
      check.raises({ "did not converge" }, function() driven(function(x) return 1 + hm.number(excess) - hm.sin(x) end):equilibrium{ q = { x = 1 } } end)
    end
  end)

  it("says that there is none where the forces are constant, and not where they jump", function()
    local sqrt = hm.sqrt
    for _, force in ipairs{ function(x) return -hm.abs(x)/x end, function(x) return -hm.sign(x) end, function(x) return -x/sqrt(x^2) end,
                            function(x) return hm.max(x, 0)/x - 2 end } do
      for _, method in ipairs{ "equilibrium", "prove_equilibrium" } do
        for _, guess in ipairs{ 0.01, -0.01 } do
          local S = driven(force)
          local fine, message = pcall(S[method], S, { q = { x = guess } })
          assert(not fine and message:find "by jumps alone" and message:find "not decided" and not message:find "there is none", message)
        end
      end
    end
    for _, force in ipairs{ function() return 1 end, function(x) return hm.sin(x)^2 + hm.cos(x)^2 end } do
      check.raises({ "there is none", "1 everywhere" }, function() driven(force):equilibrium{ q = { x = 0.01 } } end)
    end
    assert.same({}, driven(function(x) return hm.sign(x) - 1 end):equilibrium{ q = { x = 0.1 } }.free)
  end)

  it("finds simple and double zeros in any units", function()
    for _, unit in ipairs{ "1e-16", "1e-6", "1", "1e12" } do
      check.near(driven(function(x) return -hm.number(unit)*(x - 3) end):equilibrium{ q = { x = 1 } }.q.x, 3, 1e-12)
      check.near(driven(function(x) return hm.number(unit)*x^2 end):equilibrium{ q = { x = 0.5 } }.q.x, 0, 1e-6)
      check.near(driven(function(x) return hm.number(unit)*(1 - hm.sin(x)) end):equilibrium{ q = { x = 1 } }.q.x, math.pi/2, 1e-6)
    end
  end)

  it("stays near a guess where the force is extreme", function()
    for _, guess in ipairs{ hm.pi/2, 1.5, 1.57079632, 1.5708, 1.6, -1.6 } do
      local phi = driven(function(x) return -hm.sin(x) end):equilibrium{ q = { x = guess } }.q.x
      check.near(math.sin(phi), 0, 1e-12)
      assert.is_true(math.abs(phi) < 4)
    end
    for guess = -4, 4 do
      check.raises({ "did not converge" }, function()
        driven(function(x) return -hm.sin(x) - hm.number "1.01" end):equilibrium{ q = { x = guess } }
      end)
    end
    check.raises({ "did not converge" }, function() driven(function(x) return -hm.sin(x) - hm.number "1.01" end):equilibrium{ q = { x = hm.pi/2 } } end)
  end)

  it("says where the guesses run off to infinity, and ends", function()
    local sqrt, log = hm.sqrt, hm.log
    for i, force in ipairs{ function(x) return 1/x end, function(x) return -1/x end, function(x) return 1/(x + 1) end, function(x) return 1/sqrt(x) end,
                            function(x) return 2/x - x.dot end, function(x) return 1/x^2 end, function(x) return 1/log(x + 2) end } do
      for _, method in ipairs{ "equilibrium", i <= 2 and "prove_equilibrium" or nil } do
        local S = driven(force)
        check.raises({ "did not converge", "x runs off to infinity" }, S[method], S, { q = { x = 1 } })
      end
    end
    local S = hm.system "two particles"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(log(1 + x^2 + y^2)/2)
    check.near(S:equilibrium{ q = { x = 0.1, y = 0.2 } }.q.x, 0, 1e-12)
    check.raises({ "did not converge", "runs off to infinity" }, S.equilibrium, S, { q = { x = 3, y = 2 } })
  end)

  it("takes far answers where they are determined alone", function()
    check.raises({ "last digits of x" }, function() driven(function(x) return -hm.sin(x) end):equilibrium{ q = { x = 1e16 } } end)
    check.near(driven(function(x) return -hm.number "1e-12"*(x - hm.number "3e11") end):equilibrium{ q = { x = 1 } }.q.x/3e11, 1, 1e-12)
    check.near(driven(function(x) return 1 - hm.number "1e-12"*x end):equilibrium{ q = { x = 0 } }.q.x, 1e12, 1)
  end)
end)

describe("a steady motion", function()
  it("is looked for near its guess", function()
    local S = hm.system "pendulum"
    local phi = S:coordinates "phi"
    S:kinetic_energy(phi.dot^2/2)
    S:potential_energy(-hm.cos(phi))
    for _, guess in ipairs{ 1.5, 1.57079632, 1.5708, 1.6 } do
      assert(math.abs(S:steady{ q = { phi = guess }, v = { phi = 0 } }.q.phi) < 4, guess)
    end
  end)
end)
