-- Matrices of inexact numbers of any scale: right, or refused; never singular or infinite for their units.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises
local r2, r3 = math.sqrt(2), math.sqrt(3)

-- (r2 k, l; k, r3 l): determinant (r2 r3 - 1) k l
local function matrix(k, l) return hm.matrix{ { r2*k, l*(1 + 2^-40) }, { k, r3*l } } end
local function value(e) return e:eval{} end
local factor = r2*r3 - (1 + 2^-40)

local scales = { 1, 1e-120, 1e120, 1e-200, 1e200, 1e-290, 1e290 }

describe("a matrix of inexact numbers", function()
  it("is solved whatever the scales of its rows and columns", function()
    for _, k in ipairs(scales) do
      for _, l in ipairs(scales) do
        local M = matrix(k, l)
        for _, A in ipairs{ M, M:transpose() } do
          local X = A:solve(hm.matrix{ { A[1][1] }, { A[2][1] } })
          near(value(X[1][1]), 1, 1e-14)
          near(value(X[2][1]), 0, 1e-14)
          if k == l then near(value(A:solve(hm.matrix{ { A[1][1] + A[1][2] }, { A[2][1] + A[2][2] } })[2][1]), 1, 1e-14) end
        end
        local inverse = M:inverse()
        near(value(inverse[1][1])*k, r3/factor, 1e-13)
        near(value(inverse[2][2])*l, r2/factor, 1e-13)
      end
    end
  end)

  it("has a determinant, or the message says why not", function()
    for _, k in ipairs(scales) do
      for _, l in ipairs(scales) do
        local M, power = matrix(k, l), math.log(k, 10) + math.log(l, 10)
        local _, beside = M:inverse()
        if math.abs(power) < 300 then
          near(value(M:determinant())/k/l, factor, 1e-13)
          near(value(beside)/k/l, factor, 1e-13)
        elseif math.abs(power) > 310 then
          raises({ "the determinant, 1e", "is out of the range of inexact numbers", "take other units" }, M.determinant, M)
          assert.is_nil(beside)
        end
      end
    end
  end)

  it("is singular within rounding at every scale", function()
    for _, k in ipairs(scales) do
      for _, l in ipairs(scales) do
        local M = hm.matrix{ { r2*k, r2*l }, { r3*k, r3*l } }
        raises({ "singular", "within rounding" }, M.inverse, M)
        near(value(M:determinant()), 0, 0)
      end
    end
  end)

  it("is refused where a symbol stands among numbers whose products leave the range", function()
    local x = hm.symbols "x"
    for _, k in ipairs{ 1e-200, 1e200 } do
      local M = hm.matrix{ { r2*k*x, r2*k }, { r2*k, r3*k } }
      raises({ "products of 2 numbers", "out of the range of inexact numbers" }, M.determinant, M)
      raises({ "out of the range of inexact numbers" }, M.inverse, M)
    end
    local M = hm.matrix{ { r2*1e-100*x, r2*1e-100 }, { r2*1e-100, r3*1e-100 } }
    near(M:determinant():subs{ [x] = 2 }:eval{}/1e-200, 2*r2*r3 - 2, 1e-13)
  end)

  it("whose solution is out of range is refused", function()
    local M = matrix(1e-200, 1e-200)
    raises({ "entry (1, 1) of the solution is out of the range" }, M.solve, M, hm.matrix{ { r2*1e200 }, { r3*1e200 } })
    local T = hm.matrix{ { r2*1e-300, 0 }, { 0, r3*1e300 } }
    raises({ "the right-hand side has numbers too far apart" }, T.solve, T, hm.matrix{ { r2 }, { r3 } })
  end)
end)
