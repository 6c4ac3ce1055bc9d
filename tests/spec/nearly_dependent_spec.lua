-- Constraints whose rows differ by little: solved to what their digits allow, or refused by name; units of a constraint decide nothing.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

-- Two rows that differ by d y', the second in units of 1/k: y'' = 1 whatever d and k are
local function pair(d, k)
  local S = hm.system "nearly dependent"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((2*x.dot^2 + 3*y.dot^2 + z.dot^2)/2)
  S:potential_energy(x + 2*y + z)
  S:constraint("one", x.dot + y.dot/3 - z.dot/7)
  S:constraint("two", k*(x.dot + (hm.rational(1, 3) + d)*y.dot - z.dot/7 - d*hm.t))
  return S
end

local start = { q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0, z = 0 } }

-- By hand: z'' = 7 x'' + 7/3; along (1, 0, 7): 2 x'' + 7 z'' = -8; L = lambda_one + k lambda_two = 2 x'' + 1; 3 = -2 + L/3 + d k lambda_two
local ax = (-8 - 49/3)/51
local function of_two(d, k) return (5 - (2*ax + 1)/3)/d/k end

local sizes, units = { 1e-2, 1e-3, 1e-4, 1e-5, 2e-6 }, { 1, 1e8, 1e-100, 1e-200, 1e200 }

describe("nearly dependent constraints", function()
  it("are solved to rounding over the part in which they differ", function()
    for _, k in ipairs(units) do
      for _, d in ipairs(sizes) do
        local r = pair(d, k):accelerations(start)
        local tolerance = 1e-14 + 1e-16/d
        near(r.a.y, 1, tolerance)
        near(r.a.x/ax, 1, tolerance)
        near(r.lambda.two/of_two(d, k), 1, tolerance)
      end
    end
  end)

  it("are refused by name where rounding costs more than a run allows, and never called contradictory", function()
    for _, k in ipairs(units) do
      for power = 7, 11 do
        local S = pair(10.0^-power, k)
        raises({ "'one' and 'two'" }, S.accelerations, S, start)
        local fine, message = pcall(S.simulate, S, { q = start.q, v = start.v, t = 1 })
        assert.is_false(fine)
        assert.is_nil(message:find("contradict", 1, true))
        assert.is_nil(message:find("redundant", 1, true))
      end
    end
    local S = pair(1e-9, 1)
    raises({ "'one' and 'two' differ by a part of 9e-10 only", "declare the difference, divided by its size, in place of 'two'" }, S.accelerations, S, start)
    -- the advice
    local T = hm.system "difference"
    local x, y, z = T:coordinates "x y z"
    T:kinetic_energy((2*x.dot^2 + 3*y.dot^2 + z.dot^2)/2)
    T:potential_energy(x + 2*y + z)
    T:constraint("one", x.dot + y.dot/3 - z.dot/7)
    T:constraint("difference", y.dot - hm.t)
    near(T:accelerations(start).a.x, ax, 1e-14)
  end)

  it("are redundant where they differ by rounding", function()
    local S = hm.system "rounding"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x + 2*y)
    S:constraint("one", 0.3*x.dot + y.dot)
    S:constraint("two", (0.1 + 0.2)*x.dot + y.dot)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 1 }
    assert.equal("OK", run.status)
    assert.truthy(run.notes[1].text:find("redundant", 1, true))
    near(run:at(1).a.x, -(1 - 0.6)/1.09, 1e-12)
  end)
end)

describe("the units of a constraint", function()
  it("decide nothing", function()
    for _, k in ipairs{ 1, 1e-140, 1e-158, 1e-160, 1e-200, 1e-290, 1e150, 1e200, 1e290 } do
      local S = hm.system "units"
      local x, y, z = S:coordinates "x y z"
      S:kinetic_energy((2*x.dot^2 + 3*y.dot^2 + z.dot^2)/2)
      S:potential_energy(x + 2*y + z)
      S:constraint("tie", k*(x.dot + hm.rational(4, 3)*y.dot - z.dot/7 - hm.t))
      local r = S:accelerations(start)
      -- lambda = (1 + 1/2 + 2*4/9 - 1/7)/(1/2 + 16/27 + 1/49)
      local lambda = (1 + 1/2 + 8/9 - 1/7)/(1/2 + 16/27 + 1/49)
      near(r.lambda.tie*k, lambda, 1e-13)
      near(r.a.x, (lambda - 1)/2, 1e-14)
    end
  end)
end)
