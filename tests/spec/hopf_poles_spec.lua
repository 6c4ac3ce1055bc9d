-- curves of Hopf points past zero-Hopf points, where the first Lyapunov coefficient has a pole, which is no generalised Hopf point
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

local function number(value) return hm.number(("%.17g"):format(value)) end

-- x'' + x = x' (b - p + k y + c x^2), y'' + y' + p y = s x^2 with Hopf points of x on b = p. With x = r cos t, y has the mean r^2 s/(2 p) and the part with
-- cos 2t that is r^2 s/2 (p - 4)/((p - 4)^2 + 4), and the mean of x' x'' + x x' gives r' = r (b - p)/2 + r^3/2 a(p) with the a below. It is of the sign of l1
local function coefficient(k, s, p) return k*s*(1/(2*p) - (p - 4)/(4*((p - 4)^2 + 4))) end

local function curve_of(k, s, c, size)
  local S = hm.system "pole"
  local x, y = S:coordinates "x y"
  local b, p = S:parameters "b=-1/5 p=1"
  local X, Y = x/number(size), y/number(size)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, -x + (b - p + number(k)*Y + number(c)*X^2)*x.dot)
  S:force(y, number(size)*(-p*Y + number(s)*X^2) - y.dot)
  local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "b", from = -1, to = 2 }
  return S:continue{ hopf = first(B, "hopf"), along = { "b", "p" }, from = { -2.5, -2.5 }, to = { 2.5, 2.5 } }
end

describe("a curve of Hopf points past a zero-Hopf point", function()
  -- the coefficient vanishes at the given p, by the choice of c, and nowhere else between -2.5 and 2.5
  for _, case in ipairs{ { 1, 1, -1.5, 1 }, { -0.8, 1, 2, 1e3 }, { -1.3, 1, 0.03, 1e-2 } } do
    local k, s, at, size = table.unpack(case)
    it(("shows the zero of the first Lyapunov coefficient at p = %g, and not its pole"):format(at), function()
      local C = curve_of(k, s, -4*coefficient(k, s, at), size)
      assert.equal(2, #C.special, tostring(C))
      near(first(C, "zero-Hopf").beside, 0, 1e-10)
      local found = of_kind(C, "generalised Hopf")
      assert.equal(1, #found, tostring(C))
      near(found[1].beside, at, 4e-10)
      near(found[1].value, at, 4e-10)
      assert.is_nil(found[1].doubtful)
    end)
  end

  it("shows no zero where the coefficient has none, with a pole or without one", function()
    for _, case in ipairs{ { 1, 1, 1e-3 }, { 1, 0, 1 } } do
      local k, s, c = table.unpack(case)
      local C = curve_of(k, s, c, 1)
      assert.equal(0, #of_kind(C, "generalised Hopf"), tostring(C))
      assert.equal(1, #of_kind(C, "zero-Hopf"), tostring(C))
    end
  end)
end)
