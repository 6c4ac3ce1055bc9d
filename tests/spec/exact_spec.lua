-- exact data: numbers given exactly and starts completed from constraints keep full precision in S:reference; what it prints is right
local hm, check, core = require "hamel", require "check", require "hamel.core"
local mechanics = require "mechanics"
local sin, cos = hm.sin, hm.cos

-- The digits of `text` are those of the closed value, given with more digits: its last digit may be rounded
local function digits_agree(text, wanted)
  local negative = text:sub(1, 1) == "-"
  assert.equal(negative, wanted:sub(1, 1) == "-", text)
  local a, b = text:gsub("^-", ""), wanted:gsub("^-", "")
  assert.equal(b:sub(1, #a - 2), a:sub(1, #a - 2))
  -- the last two digits, rounded
  local got, next_digits = tonumber(a:sub(-2)), tonumber(b:sub(#a - 1, #a) .. "." .. b:sub(#a + 1, #a + 6))
  assert.truthy(math.abs(got - next_digits) <= 0.5000001, text .. " against " .. wanted)
end

if not core.has_quad then return end

describe("exact numbers", function()
  it("in equations, parameters and starts count as they are written", function()
    -- arbiter: cos(10 w)/7 and its derivative, w^2 = 1/3 + 9.81 + pi/5 + sqrt(2)/10, by mpmath with 45 digits
    local S = hm.system "oscillator"
    local u = S:coordinates "u"
    local k = S:positive "k=1/3"
    S:kinetic_energy(u.dot^2/2)
    S:potential_energy((k + hm.number "9.81" + hm.pi/5 + hm.sqrt(hm.number(2))/10)*u^2/2)
    local wanted = { q = "-0.00688562597152878086386876001937031114022603999", v = "-0.471379222144633634571099929771190616027504457" }
    for _, start in ipairs{ "1/7", hm.number "1/7", hm.rational(1, 7) } do
      for _, digits in ipairs{ 30, 25, 16, 8 } do
        local r = S:reference{ q = { u = start }, v = { u = 0 }, t = 10, digits = digits }
        digits_agree(r.q.u, wanted.q)
        digits_agree(r.v.u, wanted.v)
        assert.equal(digits, r.digits)
      end
    end
    -- a parameter by the option, as a text
    digits_agree(S:reference{ q = { u = "1/7" }, v = { u = 0 }, t = 10, parameters = { k = "1/3" } }.q.u, wanted.q)
    -- 0.1 is the decimal, as in expressions; math.sqrt(2) is its double: cos(1) with these starts, omega = 1
    local T, z = mechanics.body("unit", "z")
    T:potential_energy(z^2/2)
    digits_agree(T:reference{ q = { z = 0.1 }, v = { z = 0 }, t = 1 }.q.z, "0.0540302305868139717400936607442976603732")
    digits_agree(T:reference{ q = { z = hm.pi/6 }, v = { z = 0 }, t = 1 }.q.z, "0.282901625805495528281847085500742787379401067")
  end)

  it("may be given to runs in doubles, too", function()
    local S = check.sleigh(hm)
    local run = S:simulate{ q = { x = "1/3", y = hm.rational(1, 2), theta = hm.pi/6 }, v = { x = hm.sqrt(hm.number(3))/2, theta = "0.3" }, t = 1 }
    check.near(run:at(0).theta, math.pi/6, 1e-15)
    check.near(run:at(0).v.y, 0.5, 1e-12)
    check.raises({ "q.x", "expression" }, S.simulate, S, { q = { x = hm.symbols "w", y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
    check.raises({ "q.x", "not a number" }, S.simulate, S, { q = { x = "a", y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
  end)
end)

describe("a start completed from constraints", function()
  it("has the precision of the reference in every form", function()
    -- arbiter: the circle of the sleigh, x(4) = (sin(0.1 + 1.2) - sin 0.1)/0.3, y'(4) = sin(1.3), by mpmath
    local wanted = { x = "2.87908256256788270798178143876", v = "0.963558185417192964701348630040" }
    local function sleigh()
      local S = hm.system "sleigh"
      local x, y, theta = S:coordinates "x y theta"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
      S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
      return S, x, y, theta
    end
    for _, form in ipairs{ "lagrange", "nielsen", "maggi", "chaplygin", "voronets", "hamel", "volterra", "kane", "appell", "canonical" } do
      local S = sleigh()
      local r = S:reference{ form = form, q = { x = 0, y = 0, theta = 0.1 }, v = { x = cos(hm.rational(1, 10)), theta = 0.3 }, t = 4 }
      assert.equal(wanted.x, r.q.x, form)
      assert.equal(wanted.v, (r.v.y .. "0"):sub(1, 32), form)
    end
    local S, x, y, theta = sleigh()
    S:quasi_velocities("u w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
    assert.equal(wanted.x, S:reference{ form = "hamel", q = { x = 0, y = 0, theta = 0.1 }, v = { u = 1, w = 0.3 }, t = 4 }.q.x)
  end)

  it("solves positions as exactly", function()
    -- arbiter: y = -sqrt(8)/3, velocities by x x' + y y' = 0: y' = x'/sqrt(8)
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.number "9.81"*y)
    S:constraint("rod", x^2 + y^2 - 1)
    local r = S:reference{ q = { x = "1/3" }, v = { x = 1 }, times = { 0, 1 } }
    local sign = r[1].q.y:sub(1, 1) == "-" and "-" or ""
    digits_agree(r[1].q.y, sign .. "0.942809041582063365867792482806465385713114583584632")
    digits_agree(r[1].v.y, (sign == "-" and "" or "-") .. "0.353553390593273762200422181052424519642417968844237")
  end)

  it("serves the vakonomic form, velocities included", function()
    -- arbiter: the run in doubles, and the constraint on the digits printed
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
    S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    local o = { form = "vakonomic", q = { x = 0, y = 0, theta = 0.1 }, v = { x = 0.5, theta = 0.3 }, mu = { blade = 0.2 }, t = 1 }
    local r = S:reference(o)
    o.rtol, o.atol = 1e-13, 1e-13
    local s = S:simulate(o):at(1)
    for _, name in ipairs{ "x", "y", "theta" } do
      check.near(tonumber(r.q[name]), s[name], 1e-11)
      check.near(tonumber(r.v[name]), s.v[name], 1e-11)
    end
    check.near(tonumber(r.v.x)*math.sin(tonumber(r.q.theta)) - tonumber(r.v.y)*math.cos(tonumber(r.q.theta)), 0, 1e-15)
  end)
end)

describe("starts of rotations", function()
  -- arbiter: mpmath's odefun with 40 digits and w = (1, 2, 3), (sin 1, sin 2, sin 3); I = diag(1/2, 3/4, 1), t = 1/1024
  local entry = { "0.8618180624666917922351036578652882613574", "0.8620361785081355942974991062749685067496" }
  local rate = { "0.9970691218813162991136033820", "0.8414083673383875855522527593420155958267" }

  it("are exact, as turns, as entries and as axis and angle, with rates as a list or as a vector", function()
    if not core.has_arb then return end
    local S = hm.system "free body"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("body", { frame = R, inertia = { hm.rational(1, 2), hm.rational(3, 4), 1 } })
    local half, quarter = hm.rational(1, 2), hm.rational(3, 16)
    local e = { cos(half)*cos(quarter), sin(half)*cos(quarter), -sin(half)*sin(quarter), cos(half)*sin(quarter) }
    local u = sin(hm.number(1))*R.x + sin(hm.number(2))*R.y + sin(hm.number(3))*R.z
    local axis = { axis = { e[2], e[3], e[4] }, angle = 2*hm.acos(e[1]) }
    for _, attitude in ipairs{ { "zxz", 0, 1, "3/8" }, e, axis } do
      for k, w in ipairs{ { 1, 2, 3 }, u } do
        local r = S:reference{ q = { R = attitude }, v = { R = w }, t = hm.rational(1, 1024) }
        digits_agree(r.q.R0, entry[k])
        if k == 2 then digits_agree(r.x.p, rate[k]) end
        if attitude == e then digits_agree(S:reference{ q = { R = e }, v = { R = w }, t = hm.rational(1, 1024), digits = 24, prove = true }.q.R0, entry[k]) end
      end
    end
  end)
end)

describe("numbers in a mass matrix and in constraints", function()
  -- arbiter: cos(sqrt(3)) by mpmath with 35 digits; 3/7
  it("are divided in full precision", function()
    local S = hm.system "three"
    local x = S:coordinates "x"
    S:kinetic_energy(3*x.dot^2/2)
    S:potential_energy(x^2/2)
    digits_agree(S:reference{ q = { x = 1 }, v = { x = 0 }, t = 3 }.q.x, "-0.16055653857469062740274792907968048")
    local T = hm.system "geared"
    local a, b = T:coordinates "a b"
    T:kinetic_energy((a.dot^2 + b.dot^2)/2)
    T:constraint("gear", 3*b.dot - 7*a.dot)
    digits_agree(T:reference{ q = { a = 0, b = 0 }, v = { b = 1 }, t = 1 }.q.a, "0.42857142857142857142857142857142857")
  end)
end)

describe("the digits printed", function()
  it("become fewer where a motion amplifies errors, and are right", function()
    if not core.has_arb then return end
    -- Henon and Heiles, E = 1/8: chaotic. Arbiter: the same motion asked for with fewer digits and other steps shares what is printed
    local S = mechanics.henon_heiles()
    local function at(t, digits, prove)
      return S:reference{ q = { x = 0, y = "-1/10" }, v = { x = "9/20", y = "1/20" }, t = t, digits = digits, prove = prove }
    end
    local many, few = at(100, 32, false), at(100, 20, false)
    assert.truthy(many.digits < 32 and many.digits >= 20, many.digits)
    check.near(tonumber(few.q.x), tonumber(many.q.x), 1e-12)
    assert.equal(many.q.x:sub(1, few.digits - 2), few.q.x:sub(1, few.digits - 2))
    -- and all of them where they are proved
    local proved = at(100, 32)
    assert.truthy(proved.proved and proved.digits == 32 and proved.radius < 1e-32)
    for name, text in pairs(many.q) do assert.equal(text:sub(1, many.digits - 2), proved.q[name]:sub(1, many.digits - 2)) end
  end)

  it("are evidence, with the reason, where they are not readily proved", function()
    if not core.has_arb then return end
    local function reason(S, o)
      local r = S:reference(o)
      assert.is_false(r.proved)
      return r.reason
    end
    local S = hm.system "power"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    assert.equal("prove = false", reason(S, { q = { x = 1 }, v = { x = 0 }, t = 1, prove = false }))
    -- more states than a proof is quick for
    local names = {}
    for i = 1, 5 do names[i] = "q" .. i end
    local C = hm.system "chain"
    local q, T, V = { C:coordinates(table.concat(names, " ")) }, hm.number(0), hm.number(0)
    for i, s in ipairs(q) do T, V = T + s.dot^2/2, V + (s - (q[i - 1] or 0))^2/2 + s^4/4 end
    C:kinetic_energy(T)
    C:potential_energy(V)
    local start, rest = {}, {}
    for i, name in ipairs(names) do start[name], rest[name] = hm.rational(1, i), 0 end
    assert.matches("10 states", reason(C, { q = start, v = rest, t = "1/10" }))
    local proved = C:reference{ q = start, v = rest, t = "1/10", prove = true }
    for name, text in pairs(C:reference{ q = start, v = rest, t = "1/10", digits = 28 }.q) do digits_agree(text, proved.q[name]) end
    -- more steps than take seconds. Arbiter: x = (e^(-k t) is beyond the digits) 1/k
    local D = hm.system "damped"
    local d = D:coordinates "d"
    D:kinetic_energy(d.dot^2/2)
    D:force(d, -10000*d.dot)
    local r = D:reference{ q = { d = 0 }, v = { d = 1 }, t = 10, digits = 20 }
    assert.matches("a proof takes more than 10714 steps, which end at t = .*; prove = true takes", r.reason)
    digits_agree(r.q.d, "0.0001")
    -- lost: the last of these steps are before a collision
    local K = hm.system "fall"
    local z = K:coordinates "z"
    K:kinetic_energy(z.dot^2/2)
    K:potential_energy(-1/z)
    check.raises({ "z" }, K.reference, K, { q = { z = 1 }, v = { z = 0 }, t = 2 })
  end)

  it("are refused where none is certain", function()
    local S = mechanics.henon_heiles()
    check.raises({ "not one digit", "certain", "shorter time" }, S.reference, S,
      { q = { x = 0, y = "-1/10" }, v = { x = "9/20", y = "1/20" }, t = 900, digits = 4, prove = false })
  end)
end)
