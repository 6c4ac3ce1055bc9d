-- matrices of expressions
local hm, check = require "hamel", require "check"

describe("a matrix", function()
  local x, y = hm.functions_of_time "x y"
  local R = hm.matrix{ { hm.cos(x), -hm.sin(x) }, { hm.sin(x), hm.cos(x) } }

  it("multiplies, adds, transposes", function()
    assert.is_true((R*R:transpose()):simplify() == hm.identity(2))
    assert.is_true(R + R == 2*R)
    assert.is_true(R - R == 0*R)
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
