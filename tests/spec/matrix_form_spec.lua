-- matrix_form.lua: M rates = r + A^T lambda
local hm, check = require "hamel", require "check"

describe("the matrix equation", function()
  local S = check.sleigh(hm)

  it("is the equations", function()
    for _, form in ipairs{ "lagrange", "hamel", "voronets" } do
      local E = S:equations(form)
      local N = E:matrix_form()
      local residual = N.M*N.rates - N.r
      if N.A then residual = residual - N.A:transpose()*N.lambda end
      for i = 1, #residual do assert.is_true((residual[i][1] - E[i]):is_zero(), form .. " " .. i) end
    end
  end)

  it("has the constraints on the rates", function()
    local N = S:equations():matrix_form()
    local c = S.constraints[1].f
    assert.is_true(((N.A*N.rates + N.b)[1][1] - hm.dt(c)):is_zero() or ((N.A*N.rates + N.b)[1][1] + hm.dt(c)):is_zero())
    assert.is_false(S:equations "hamel":matrix_form().A)
  end)

  it("prints as text and as LaTeX", function()
    local N = S:equations():matrix_form()
    local text = tostring(N)
    for _, part in ipairs{ "M rates = r + A^T lambda", "  rates   [ x''", "  lambda  [ lambda ]" } do assert.truthy(text:find(part, 1, true), text) end
    assert.equal(5, select(2, N:latex():gsub("\\begin{pmatrix}", "")))
    check.raises({ "secnds", "seconds" }, function() S:equations():matrix_form{ secnds = 1 } end)
  end)
end)
