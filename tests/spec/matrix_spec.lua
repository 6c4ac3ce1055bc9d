-- matrices of expressions
local hm, check = require "hamel", require "check"

describe("a matrix", function()
  local x, y = hm.functions_of_time "x y"
  local R = hm.matrix{ { hm.cos(x), -hm.sin(x) }, { hm.sin(x), hm.cos(x) } }

  it("multiplies, adds, transposes", function()
    assert.is_true((R*R:transpose()):simplify() == hm.identity(2))
    assert.is_true(R + R == 2*R)
    assert.is_true(R - R == 0*R)
    for _, factor in ipairs{ x, x.dot, hm.sin(y), x + 1, hm.number "1/3", 0.5 } do assert.is_true(factor*R == R*factor) end
    assert.equal("[ x    x^2 ]\n[ x*y  2*x ]", tostring(x*hm.matrix{ { 1, x }, { y, 2 } }))
    assert.equal("1", tostring(R:determinant()))
    assert.is_true(R:inverse() == R:transpose())
    local M = hm.matrix{ { 1, 2, 3 }, { 4, 5, 6 } }
    assert.equal(3, M.columns)
    assert.equal("6", tostring(M:transpose()[3][2]))
  end)

  it("prints aligned and as LaTeX", function()
    assert.equal("[ cos(x)  -sin(x) ]\n[ sin(x)  cos(x)  ]", tostring(R))
    assert.truthy(R:latex():find("pmatrix", 1, true))
  end)

  it("is made of derivatives", function()
    assert.is_true(hm.jacobian({ x*y, x + y }, { x, y }) == hm.matrix{ { y, x }, { 1, 1 } })
    assert.is_true(hm.hessian(x^2*y, { x, y }) == hm.matrix{ { 2*y, 2*x }, { 2*x, 0 } })
  end)

  it("solves large numeric systems exactly", function()
    local rows, n = {}, 9
    for i = 1, n do
      rows[i] = {}
      for j = 1, n do rows[i][j] = hm.rational(1, i + j - 1) end
    end
    local H = hm.matrix(rows)                                                -- Hilbert: integer inverse
    local inverse = H:inverse()
    assert.equal("81", tostring(inverse[1][1]))
    assert.is_true(H*inverse == hm.identity(n))
  end)

  it("takes expressions and numbers on either side", function()
    assert.is_true(x*R == R*x)
    assert.is_true(3*R == R*3)
    assert.is_true(0.1*R == R*0.1)
    assert.is_true(R/2 == hm.rational(1, 2)*R)
    assert.is_true(hm.sin(x)*hm.matrix{ { 1, 0.5 } } == hm.matrix{ { hm.sin(x), hm.sin(x)/2 } })
    check.raises({ "a matrix + something else" }, function() return x + R end)
    check.raises({ "a matrix times a string" }, function() return R*"x" end)
    check.raises({ "a matrix times a table" }, function() return R*{} end)
    check.raises({ "an expression or a number" }, function() return x*{} end)
    check.raises({ "no quotient by a matrix" }, function() return x/R end)
    check.raises({ "no power of a matrix" }, function() return R^2 end)
  end)

  -- the residual arbitrates
  it("of inexact numbers is solved with pivots", function()
    local function near(A, B, bound)
      for i = 1, #A do for j = 1, A.columns do
        local difference = math.abs(A[i][j]:eval() - B[i][j]:eval())
        assert.is_true(difference <= bound, ("entry (%d, %d) differs by %g"):format(i, j, difference))
      end end
    end
    local M = hm.matrix{ { 0.1, 1/3 }, { math.sqrt(2), 0.7 } }
    near(M*M:inverse(), hm.identity(2), 1e-15)
    check.near(M:determinant():eval(), 0.07 - math.sqrt(2)/3, 1e-15)
    math.randomseed(7)
    for n = 1, 12 do
      local rows = {}
      for i = 1, n do
        rows[i] = {}
        for j = 1, n do rows[i][j] = math.random() - 0.5 end
        rows[i][i] = i < n and 0 or rows[i][i]                                 -- a pivot that vanishes where it stands
        for j = 1, n do rows[i][j] = rows[i][j]*10.0^(3*i) end                 -- rows of every size
      end
      local A = hm.matrix(rows)
      if n ~= 2 then near(A:inverse()*A, hm.identity(n), 1e-11) end
    end
    local P = hm.matrix{ { 0, math.pi }, { math.pi, 0 } }
    check.near(P:determinant():eval(), -math.pi^2, 1e-14)
    near(P:solve(hm.matrix{ { 1 }, { 2 } }), hm.matrix{ { 2/math.pi }, { 1/math.pi } }, 1e-15)
    check.raises({ "singular", "within rounding" }, function() return hm.matrix{ { math.pi, 2*math.pi }, { math.pi/3, 2*math.pi/3 } }:inverse() end)
    assert.equal(0, hm.matrix{ { math.pi, 0 }, { 0, 0 } }:determinant():eval())
  end)

  it("with inexact numbers among symbols is solved by determinants", function()
    local M = hm.matrix{ { math.pi*x, 1 }, { 2, y } }
    local product = M*M:inverse()
    for i = 1, 2 do for j = 1, 2 do check.near(product[i][j]:eval{ [x] = 1.3, [y] = 0.7 }, i == j and 1 or 0, 1e-14) end end
    local _, _, condition = M:inverse()
    assert.truthy(condition:find("is not zero", 1, true))
    check.near(M:determinant():eval{ [x] = 1.3, [y] = 0.7 }, math.pi*1.3*0.7 - 2, 1e-14)
  end)

  it("says what is wrong", function()
    check.raises({ "list of rows" }, hm.matrix, { 1, 2 })
    check.raises({ "row 2 has 1 entries" }, hm.matrix, { { 1, 2 }, { 1 } })
    check.raises({ "entry (1, 2) is a string" }, hm.matrix, { { 1, "x" } })
    check.raises({ "2 x 2 times 1 x 2" }, function() return R*hm.matrix{ { 1, 2 } } end)
    check.raises({ "2 x 2 + 1 x 2" }, function() return R + hm.matrix{ { 1, 2 } } end)
    check.raises({ "determinant of a 1 x 2" }, function() return hm.matrix{ { 1, 2 } }:determinant() end)
    check.raises({ "singular" }, function() return hm.matrix{ { x, x }, { x, x } }:inverse() end)
  end)
end)
