-- Charts of exponents take the last one from the rate at which volumes of states grow, where that is the same at all states.
local hm, check = require "hamel", require "check"

local function row_of(S, o)
  o.of, o.progress = "exponents", false
  return S:chart(o)[1]
end

describe("the last exponent of a chart", function()
  -- of x'' + c x' + x = 0: the real parts of the eigenvalues; those of a direction over t differ from them by at most log(2 c)/t
  it("costs no step for each part of the time in which damping shrinks a direction", function()
    local S = hm.system "stiff"
    local x = S:coordinates "x"
    local c = S:parameters "c=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*x.dot)
    for _, damping in ipairs{ 100, 1000, 10000 } do
      local root = math.sqrt(damping^2/4 - 1)
      local slow = -2/(damping + 2*root)
      local o = { q = { x = 1 }, v = { x = 0 }, t = 20 }
      local row = row_of(S, { over = { { "c", { damping } } }, q = o.q, v = o.v, t = o.t })
      local stiff = row_of(S, { over = { { "c", { damping } } }, q = o.q, v = o.v, t = o.t, method = "radau5" })
      for _, each in ipairs{ row, stiff } do
        check.near(each.exponents[1], slow, math.log(2*damping)/o.t)
        check.near(each.exponents[1] + each.exponents[2], -damping, 1e-12*damping)
        check.near(each.exponents[1], row.exponents[1], 1e-9)
      end
      -- the steps of a run at the same tolerances, whose size only stability limits
      local alone = S:sweep{ over = { { "c", { damping } } }, q = o.q, v = o.v, t = o.t, keep = { "x" }, progress = false }[1]
      assert.truthy(row.steps <= 2*alone.steps, ("%d steps, a run %d"):format(row.steps, alone.steps))
    end
  end)

  -- arbiter: S:lyapunov carries all directions
  it("is that of the direction which is left out, with and without damping, of driven systems, behind skip and with varying inertia", function()
    local S = hm.system "two"
    local x, y = S:coordinates "x y"
    local c = S:parameters "c=1"
    S:kinetic_energy(x.dot^2 + x.dot*y.dot/3 + y.dot^2/2)
    S:potential_energy((x^2 + y^2)/2 + x^4/4 + x^2*y/5)
    S:force(x, -c*x.dot + hm.cos(hm.t))
    S:force(y, -c*y.dot/10 - c*x.dot/20)
    local P = hm.system "varying inertia"
    local a, b = P:coordinates "a b"
    local k = P:parameters "c=1"
    P:kinetic_energy((2*a.dot^2 + b.dot^2)/2 + hm.cos(a - b)*a.dot*b.dot)
    P:potential_energy(-2*hm.cos(a) - hm.cos(b))
    P:force(a, -k*a.dot)
    for _, given in ipairs{ { S, { x = 0.3, y = 0.4 }, { x = 0.1, y = 0.2 } }, { P, { a = 0.3, b = 0.4 }, { a = 0.1, b = 0.2 } } } do
      for _, method in ipairs{ "dop853", "radau5" } do
        for _, damping in ipairs{ 0, 0.3, 5 } do
          local o = { q = given[2], v = given[3], t = 40, skip = 10, method = method, parameters = { c = damping } }
          local L = given[1]:lyapunov(o)
          o.over, o.parameters = { { "c", { damping } } }, nil
          local row = row_of(given[1], o)
          assert.equal(4, #row.exponents)
          for i, e in ipairs(L.exponents) do check.near(row.exponents[i], e, 1e-6) end
          local sum = 0
          for _, e in ipairs(row.exponents) do sum = sum + e end
          check.near(row.sum, sum, 1e-12)
        end
      end
    end
  end)
end)
