-- powers of magnitudes: their derivatives have values where they exist, in every form of the equations
local hm, check = require "hamel", require "check"

local half = hm.number(1)/2

-- f(u), and f' f'' as functions of a number
local powers = {
  { "|u|^(5/2)", function(u) return hm.abs(u)^(5*half) end, function(u) return 2.5*math.abs(u)^1.5*(u > 0 and 1 or -1) end,
    function(u) return 3.75*math.abs(u)^0.5 end },
  { "|u|^3", function(u) return hm.abs(u)^3 end, function(u) return 3*u*math.abs(u) end, function(u) return 6*math.abs(u) end },
  { "u |u|", function(u) return u*hm.abs(u) end, function(u) return 2*math.abs(u) end, function(u) return u == 0 and 0 or u > 0 and 2 or -2 end },
  { "u |u|^(3/2)", function(u) return u*hm.abs(u)^(3*half) end, function(u) return 2.5*math.abs(u)^1.5 end,
    function(u) return 3.75*math.abs(u)^0.5*(u > 0 and 1 or -1) end },
  { "u^2 |u|^(1/3)", function(u) return u^2*hm.abs(u)^(hm.number(1)/3) end, function(u) return 7/3*u*math.abs(u)^(1/3) end,
    function(u) return 28/9*math.abs(u)^(1/3) end },
}

local forms = { "lagrange", "hamel", "appell", "nielsen", "maggi", "kane", "volterra", "chaplygin", "voronets", "canonical" }

describe("a power of a magnitude", function()
  it("has first and second derivatives with values at zero and beside it, simplified or not", function()
    local x = hm.system("power"):coordinates "x"
    for _, shift in ipairs{ 0, 1 } do
      for _, row in ipairs(powers) do
        local name, f, slope, curvature = table.unpack(row)
        local u = shift == 0 and x or shift - x
        local first = f(u):diff(x)
        for _, simple in ipairs{ false, true } do
          local d = simple and first:simplify() or first
          local dd = simple and d:diff(x):simplify() or d:diff(x)
          for _, value in ipairs{ -0.7, 0, 0.3 } do
            local at, sign = { x = shift == 0 and value or shift - value }, shift == 0 and 1 or -1
            check.near(d:eval(at), sign*slope(value), 1e-12, name)
            check.near(dd:eval(at), curvature(value), 1e-12, name)
          end
        end
      end
    end
  end)

  it("is a constraint on which motions start at its flat point, alike in all forms", function()
    -- frictionless motion on a curve at constant speed: from (0, 0) with speed 1 the length of the curve to x(1) is 1 (slope 0 at the start)
    for _, shift in ipairs{ 0, 1 } do
      for _, row in ipairs(powers) do
        local name, f, slope = table.unpack(row)
        for _, form in ipairs(forms) do
          local S = hm.system "curve"
          local x, y = S:coordinates "x y"
          S:kinetic_energy((x.dot^2 + y.dot^2)/2)
          S:constraint("c", y - f(x - shift))
          local run = S:simulate{ q = { x = shift }, v = { x = 1 }, t = 1, form = form, rtol = 1e-10, atol = 1e-12 }
          assert.same("OK", run.status, name .. form)
          -- by Simpson's rule in s, x = s^2, which smooths the roots at 0
          local length, n, last = 0, 2000, math.sqrt(run:at(1).x - shift)
          for i = 0, n do
            local s = last*i/n
            local weight = (i == 0 or i == n) and 1 or i % 2 == 1 and 4 or 2
            length = length + weight*math.sqrt(1 + slope(s^2)^2)*2*s
          end
          check.near(length*last/n/3, 1, 1e-7, name .. form)
        end
      end
    end
  end)

  it("keeps what is not defined at zero undefined", function()
    local x = hm.system("power"):coordinates "x"
    assert.same("x/abs(x)", tostring(x/hm.abs(x)))
    assert.same(false, (pcall(function() return (x/hm.abs(x)^(3*half)):eval{ x = 0 } end)))
  end)
end)
