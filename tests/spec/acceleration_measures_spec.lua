-- highest, lowest and mean values of accelerations: arbiters are the accelerations as formulas of the state, solved by hand, and closed solutions
local hm, check = require "hamel", require "check"
local near = check.near

-- Measures of an acceleration, and of the formula for it, in runs and in lanes, agree
local function same(S, o, e, formula)
  local function all(of) return { high = hm.highest(of), low = hm.lowest(of), mean = hm.mean(of^2), corner = hm.lowest(hm.abs(of - hm.rational(1, 8))) } end
  o.keep = all(formula)
  local wanted = S:simulate(o).kept
  o.keep = all(e)
  local got = S:simulate(o).kept
  for name in pairs(o.keep) do near(got[name], wanted[name], 1e-9) end
  o.over, o.threads = { { "one", { 1, 1, 1 } } }, 1
  for _, lanes in ipairs{ 1, 4 } do
    o.lanes = lanes
    local W = S:sweep(o)
    assert.is_nil(tostring(W):find("whole run", 1, true))
    for _, row in ipairs(W) do
      assert.equal("OK", row.status, row.reason)
      for name in pairs(o.keep) do near(row[name], wanted[name], 1e-8) end
    end
  end
end

describe("measures of accelerations", function()
  it("are those of the formula where the mass depends on the position", function()
    local S = hm.system "cart and pendulum"
    local x, a = S:coordinates "x a"
    local one, c, s = S:parameters "one=1", hm.cos(a), hm.sin(a)
    S:kinetic_energy((2*x.dot^2 + a.dot^2)/2*one + x.dot*a.dot*c)
    S:potential_energy(-c)
    -- 2 x'' + a'' cos a = a'^2 sin a, x'' cos a + a'' = - sin a
    local formula = (a.dot^2*s + s*c)/(2 - c^2)
    for _, form in ipairs{ "lagrange", "canonical" } do
      same(S, { q = { x = 0, a = 2 }, v = { x = 0, a = 0.5 }, t = 12, rtol = 1e-12, atol = 1e-12, form = form }, x.ddot, formula)
    end
  end)

  it("are those of the formula under a constraint, by multipliers and without", function()
    local S = hm.system "sleigh"
    local x, y, th = S:coordinates "x y th"
    local one = S:parameters "one=1"
    S:kinetic_energy(one*(x.dot^2 + y.dot^2 + th.dot^2)/2 + th.dot*(y.dot*hm.cos(th) - x.dot*hm.sin(th))/2)
    S:constraint("blade", y.dot*hm.cos(th) - x.dot*hm.sin(th))
    -- with u along the blade: u' = th'^2/2, th'' = - u th'/2
    local u = x.dot*hm.cos(th) + y.dot*hm.sin(th)
    for _, form in ipairs{ "lagrange", "maggi" } do
      same(S, { q = { x = 0, y = 0, th = 0.3 }, v = { th = 0.5, x = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-12, form = form }, th.ddot, -u*th.dot/2)
    end
  end)

  it("find peaks between samples, corners, and poles", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, rtol = 1e-11, atol = 1e-11 }
    local k = run:keep{ narrow = hm.highest(x.ddot + 2*hm.exp(-1e9*(x.ddot - 0.3)^2)), area = hm.mean(hm.exp(-1e6*(x.ddot - 0.3)^2)),
                        corner = hm.lowest(hm.abs(x.ddot - 0.25)), jump = hm.mean(hm.sign(x.ddot)), pole = hm.highest(1/(x.ddot - 0.5)),
                        count = hm.count(x.ddot), first = hm.first(x.ddot) }
    near(k.narrow, 2.3, 1e-7)
    -- x'' = - cos t passes 0.3 three times up to t = 10, each with the rate (1 - 0.09)^(1/2)
    near(k.area, 3*math.sqrt(math.pi)*1e-3/math.sqrt(1 - 0.09)/10, 1e-8)
    near(k.corner, 0, 1e-10)
    -- negative up to pi/2, positive up to 3 pi/2, negative up to 5 pi/2, then positive
    near(k.jump, (-math.pi/2 + math.pi - math.pi + 10 - 5*math.pi/2)/10, 1e-9)
    near(k.first, math.pi/2, 1e-8)
    assert.equal(3, k.count)
    check.raises({ "has no largest value" }, function() return k.pole end)
  end)
end)
