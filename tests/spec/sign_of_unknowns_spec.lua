-- A sign has no derivative away from its jump: a gradient does not show it, and what contains the sign of an unknown is not linear in it.
local check = require "check"
local hm = require "hamel"

local x, y, a = hm.symbols "x y a"

local function system(constraint)
  local S = hm.system "S"
  local q, w = S:coordinates "q w"
  S:kinetic_energy((q.dot^2 + w.dot^2)/2)
  S:constraint("c", constraint(q, w))
  return S
end

describe("the sign of an unknown", function()
  it("makes an equation nonlinear", function()
    -- x = 1 solves the linear part alone
    for _, e in ipairs{ hm.sign(x) + x - 1, hm.step(x - 2) + x - 1, hm.sign(x) - 1, x + y*hm.sign(y) } do
      check.raises({ "solve: equation 1 is not linear: it contains sign(" }, hm.solve, { e, x - y }, { x, y })
    end
    assert.is_true((hm.solve({ hm.sign(a)*x - 1 }, { x })[1] - hm.abs(a)/a):is_zero())
  end)

  it("makes a constraint nonlinear in the velocities", function()
    for _, f in ipairs{
      function(q, w) return q.dot - w.dot + hm.sign(q.dot) end, function(q, w) return q.dot*hm.sign(w.dot) - w.dot end,
      function(q, w) return hm.abs(q.dot - 100) - w.dot end, function(q, w) return q.dot - hm.step(w.dot - 50) end,
    } do
      assert.is_false(system(f).constraints.c.linear)
    end
    local S = system(function(q, w) return q.dot - w.dot + hm.sign(q.dot) end)
    for _, form in ipairs{ "maggi", "kane" } do assert.truthy(tostring(S:equations(form)):find("w' = u1 + sign(u1)", 1, true)) end
    assert.is_true(system(function(q, w) return q.dot*hm.sign(q) - w.dot end).constraints.c.linear)
  end)

  it("is no sum of squares", function()
    local S = system(function(q, w) return q^2 + hm.sign(w) + hm.rational(1, 2) end)
    assert.is_true(S.constraints.c.holonomic)
  end)
end)
