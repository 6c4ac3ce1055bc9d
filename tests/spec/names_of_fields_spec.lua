-- Coordinates that are called as a field of a state: the field is reached, and so is the coordinate.
local hm, check = require "hamel", require "check"
local near = check.near

-- The same system whatever its coordinates are called: x'' = -x, y = 2x by a constraint
local function pair(x_name, y_name)
  local S = hm.system "pair"
  local x, y = S:coordinates(x_name .. " " .. y_name)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(x^2/2)
  S:constraint("tie", y - 2*x)
  return S, { q = { [x_name] = 1, [y_name] = 2 }, v = { [x_name] = 0.5, [y_name] = 1 }, t = 2 }
end

describe("a coordinate called as a field of a state", function()
  it("hides none of them", function()
    local plain, given = pair("x", "y")
    local want = plain:simulate(given):at(1.3)
    for _, names in ipairs{ { "a", "v" }, { "q", "lambda" }, { "lambda", "a" }, { "mu", "p" }, { "friction", "q" } } do
      local S, o = pair(names[1], names[2])
      local run = S:simulate(o)
      local s = run:at(1.3)
      for k, name in ipairs{ "x", "y" } do
        for _, field in ipairs{ "q", "v", "a" } do near(s[field][names[k]], want[field][name], 1e-15) end
        near(s:values{ names[k] }[1], want[name], 1e-15)
        near(run.q[names[k]][1], o.q[names[k]], 0)
        -- computed with and compared, the field stands for the coordinate
        near(s[names[k]] + 0, want[name], 1e-15)
        near(2/s[names[k]] - s[names[k]]*s[names[k]]^2, 2/want[name] - want[name]^3, 1e-13)
        near(-s[names[k]], -want[name], 1e-15)
        near(s[names[k]] % 0.3 + 2 % s[names[k]], want[name] % 0.3 + 2 % want[name], 1e-13)
        near(s[names[k]]//0.3 + 2//s[names[k]], want[name]//0.3 + 2//want[name], 0)
        assert.equal(s[names[k]] + 0 .. "", s[names[k]] .. "")
        assert.truthy(s[names[k]] < want[name] + 1e-9 and s[names[k]] >= want[name] - 1e-9 and s[names[k]] <= s[names[k]])
      end
      near(s.lambda.tie, want.lambda.tie, 1e-15)
      near(s.energy, want.energy, 1e-15)
      assert.truthy(tostring(s):find(names[1] .. " = ", 1, true))
      local again = S:simulate{ q = s.q, v = s.v, t = 0.7 }
      near(again:at(0.7).q[names[1]], want and plain:simulate(given):at(2).x, 1e-9)
      local r = S:accelerations{ q = o.q, v = o.v }
      near(r.a[names[1]], plain:accelerations{ q = given.q, v = given.v }.a.x, 1e-15)
    end
  end)

  it("is told of where the table of the field is printed", function()
    local S, o = pair("a", "x")
    local s = S:simulate(o):at(1.3)
    assert.truthy(tostring(s.a):find("{a = ", 1, true))
    assert.truthy(tostring(s.a):find("(the table s.a; the value of a is s.q.a)", 1, true))
    assert.falsy(tostring(s.v):find("the table", 1, true))
    local B = hm.system "body"
    local R = B:rotation("R", { rates = "p q r" })
    B:body("top", { frame = R, mass = 0, inertia = { 1, 2, 3 } })
    local turning = B:simulate{ q = { R = { 1, 0, 0, 0 } }, v = { R = { 0.1, 0.2, 0.3 } }, t = 1 }:at(0)
    assert.truthy(tostring(turning.q):find('(the table s.q; the value of q is s:values{ "q" }[1])', 1, true))
    near(turning:values{ "q" }[1], 0.2, 1e-15)
  end)

  it("has multipliers and momenta of a vakonomic run beside it", function()
    local S = hm.system "skate"
    local p, mu, th = S:coordinates "p mu theta"
    S:kinetic_energy((p.dot^2 + mu.dot^2 + th.dot^2)/2)
    S:constraint("blade", hm.sin(th)*p.dot - hm.cos(th)*mu.dot)
    local s = S:simulate{ form = "vakonomic", q = { p = 0, mu = 0, theta = 0.3 }, v = { p = 1, theta = 0.2 }, mu = { blade = 0.1 }, t = 1 }:at(0.5)
    assert.equal("number", type(s.mu.blade))
    assert.equal("number", type(s.p.theta))
    near(s.p - s.q.p, 0, 0)
    near(s.mu - s.q.mu, 0, 0)
  end)
end)
