-- functions known by name alone: hm.func, e:define, S:define
local hm = require "hamel"

local function refused(words, f, ...)
  local fine, message = pcall(f, ...)
  assert.is_false(fine)
  assert.is_truthy(tostring(message):find(words, 1, true), tostring(message))
end

local x, y, k = hm.symbols "x y k"
local V, F = hm.func("V", x), hm.func("F_a", x, y)

describe("a function known by name alone", function()
  it("is differentiated by the chain rule", function()
    assert.is_true(V(x^2):diff(x) == 2*x*V:diff(x):subs{ [x] = x^2 })
    assert.is_true(F:diff(x, y) == F:diff(y, x))
    local q = hm.functions_of_time "q"
    local W = hm.func("W", q, hm.t)
    assert.is_true((hm.dt(W) - W:diff(q)*q.dot - hm.partial(W, hm.t)):is_zero())
    assert.is_true(W(q.dot, 0):diff(q) == hm.number(0))
  end)

  -- arbiter: derivatives of the formula
  it("has derivatives that become those of the formula", function()
    local formulas = { function(s) return hm.sin(k*s) + s^3 end, function(s) return 1/(s^2 + k^2) end, function(s) return hm.exp(-s)*s end }
    local e = V(x*y)^2*V + V(V):diff(x) + V:diff(x, x)*F
    for _, f in ipairs(formulas) do
      for _, g in ipairs{ function(s, t) return s*t^2 end, function(s, t) return hm.cos(s + k*t) end } do
        local there = e:define{ [V] = f, [F] = g }
        local by_hand = f(x*y)^2*f(x) + f(f(x)):diff(x) + f(x):diff(x, x)*g(x, y)
        assert.is_true((there - by_hand):is_zero())
        assert.is_true((hm.diff(e, x, y):define{ [V] = f, [F] = g } - by_hand:diff(x, y)):is_zero())
      end
    end
    assert.is_true(hm.define(V(2*y), V, k*x^2) == 4*k*y^2)
  end)

  it("prints as in papers and reads back", function()
    local function latex(e) return e:latex() end
    assert.are.equal("V'(x)", tostring(V:diff(x)))
    assert.are.equal("diff(F_a(x, y), x, x, y)", tostring(F:diff(y, x, x)))
    assert.are.equal("F_a'{1,2}(x^2, y)", tostring((F(x^2, y):diff(x, y)/x/2)))
    assert.are.equal([[V''\left(x\right)]], latex(V:diff(x, x)))
    assert.are.equal([[\frac{\partial^{3} F_{a}}{\partial x^{2} \partial y}]], latex(F:diff(x, x, y)))
    assert.are.equal([[\partial_{1} F_{a}\left(x + y, y\right)]], latex(F:diff(x):subs{ [x] = x + y }))
    assert.are.equal("∂³F_a/(∂x² ∂y) + 1", require "hamel.repl.unicode".dress(tostring(F:diff(x, x, y) + 1)))
    local dress = require "hamel.repl.unicode".dress
    assert.are.equal("x·∂F_a/∂x", dress(tostring(x*F:diff(x))))
    assert.are.equal("(∂F_a/∂x)²/(∂F_a/∂y)", dress(tostring(F:diff(x)^2/F:diff(y))))
    assert.are.equal("(∂F_a/∂y)·∂F_a/∂x", dress(tostring(F:diff(x)*F:diff(y))))
    local e = V
    for n = 1, 8 do
      e = e:diff(x) + F(x, x*y):diff(x)*V(x/y)
      if n % 2 == 0 then e = hm.sin(e)/(1 + F^2) end
      assert.is_true(hm.parse(tostring(e), { x, y, V, F }) == e)
    end
    refused("'{", hm.parse, "F_a'(x, y)", { x, y, F })
    refused("there is no function 'G'", hm.parse, "G(x)", { x, V })
  end)

  it("is an independent atom of the algebra", function()
    assert.is_true((V(hm.sin(x)^2 + hm.cos(x)^2) - V(1)):is_zero())
    assert.is_true((F((x^2 - 1)/(x - 1), y) - F(x + 1, y)):is_zero())
    assert.is_false((V(x) - V(y)):is_zero())
    assert.is_false((V:diff(x, x) + V):is_zero())
    assert.is_false((F(x, y) - F(y, x)):is_zero())
    assert.is_false((V - hm.func("U", x)):is_zero())
    assert.are.equal("V(x) + 1", tostring(((V^2 - 1)/(V - 1)):simplify()))
    assert.are.equal("(x + F_a(x, y))^2", tostring((F^2 + 2*x*F + x^2):factor()))
    assert.are.equal("equal", hm.agree((V + x)^2, V^2 + 2*x*V + x^2).verdict)
    assert.are.equal("different", hm.agree(V:diff(x), V).verdict)
  end)

  it("has no value, and says what to do", function()
    refused("the function 'V' in V'(x) has no formula: give it by S:define(V, ...)", V.eval, V:diff(x), { x = 1 })
    refused("e:define(V, ...)", V.subs, V + V:diff(x), { [V] = x })
    assert.is_true((V + y):subs{ [V] = x } == x + y)
  end)

  it("refuses what it cannot be", function()
    refused("the first argument is a name", hm.func, V)
    refused("the arguments of the function are missing", hm.func, "V")
    refused("function of the library", hm.func, "sin", x)
    refused("cannot name a symbol", hm.func, "V'", x)
    refused("1 to 8 arguments", hm.func, "V", x, x, x, x, x, x, x, x, x)
    refused("V takes 1 argument, not 2", V, x, y)
    refused("contains V itself", V.define, V, V, 2*V)
    refused("its derivative", V.define, V, V:diff(x), x)
    refused("give a Lua function", V.define, V, V(x^2), x)
    refused("defined by each other", V.define, V, { [V] = hm.func("U", x), [hm.func("U", x)] = V(2*x) })
    refused("not by a string", V.define, V, V, "x^2")
  end)
end)

describe("a system with a potential known by name", function()
  local function central()
    local S = hm.system "central"
    local r, phi = S:coordinates "r phi"
    local m = S:positive "m=1"
    local U = hm.func("U", r)
    S:kinetic_energy(m/2*(r.dot^2 + r^2*phi.dot^2))
    S:potential_energy(U)
    return S, U, r, phi
  end

  it("has equations in every form, which agree", function()
    local S = central()
    assert.is_truthy(tostring(S:equations()):find("-U'(r)", 1, true))
    for _, form in ipairs{ "hamel", "appell", "nielsen", "maggi", "kane" } do
      assert.are.equal("equal", hm.agree(S:equations(), S:equations(form)).verdict, form)
    end
    assert.is_truthy(tostring(S:equations "canonical"):find("U'(r)", 1, true))
  end)

  -- arbiter: the same system with the formula from the start
  it("runs once the function is defined, and not before", function()
    local S, U, r = central()
    local start = { q = { r = 1, phi = 0 }, v = { r = 0.1, phi = 1.1 }, t = 10, rtol = 1e-11 }
    refused("the function 'U' in U'(r) has no formula: give it by S:define(U, ...)", S.simulate, S, start)
    assert.are.equal(S, S:define(U, -1/r - 1/(10*r^3)))
    local T = central()
    T:potential_energy(-1/r - 1/(10*r^3), { replace = true })
    local one, other = S:simulate(start), T:simulate(start)
    assert.are.equal("OK", one.status)
    assert.are.equal(other:at(10).r, one:at(10).r)
    assert.are.equal(one:at(7, "U(r)"), one:at(7, U))
    local r7 = one:at(7).r
    assert.is_true(math.abs(one:at(7, "U'(r)") - 1/r7^2 - 0.3/r7^4) < 1e-12)
    refused("defined already", S.define, S, U, r)
  end)

  it("takes the function in forces, constraints, contacts and quasi-velocities", function()
    local function bead(f)
      local S = hm.system "bead"
      local a, b, z = S:coordinates "a b z"
      S:positive "m=1 g=9.81"
      local h = f or hm.func("h", a, b)
      S:kinetic_energy "m/2*(a'^2 + b'^2 + z'^2)"
      S:potential_energy "m*g*z"
      S:constraint("surface", z - (f and f(a, b) or h))
      S:force(a, -hm.diff(f and f(a, b) or h, b)*a.dot/10)
      S:unilateral("wall", 2 + a - (f and f(a, b) or h)/10, { law = hm.newton(1) })
      S:quasi_velocities("u w", { a.dot*(2 + hm.sin(f and f(a, b) or h)), b.dot })
      return S, h
    end
    local function bowl(a, b) return (a^2 + 2*b^2)/2 end
    local S, h = bead()
    assert.are.equal("equal", hm.agree(S:equations(), S:equations "hamel").verdict)
    S:define(h, bowl)
    local start = { q = { a = 1, b = 0.2 }, v = { a = 0, b = 0.5 }, t = 4 }
    local one, other = S:simulate(start), bead(bowl):simulate(start)
    for _, what in ipairs{ "a", "z", "u", "lambda.surface" } do assert.are.equal(other:at(4, what), one:at(4, what), what) end
    assert.are.equal("equal", hm.agree(S:equations "hamel", bead(bowl):equations "hamel").verdict)
  end)

  it("proves a surface wrong where equations differ, by an example of the function", function()
    local S, T = hm.system "a", hm.system "b"
    for i, system in ipairs{ S, T } do
      local a, z = system:coordinates "a z"
      system:kinetic_energy((a.dot^2 + z.dot^2)/2)
      system:potential_energy(z*i)
      system:constraint("curve", z - hm.func("h", a))
    end
    assert.are.equal("different", hm.agree(S:equations(), T:equations()).verdict)
  end)

  it("checks its units", function()
    local S = hm.system "units"
    local a = S:coordinates("a", { unit = "m" })
    local m = S:positive "m=1 kg"
    S:kinetic_energy(m/2*a.dot^2)
    S:potential_energy(hm.func("U", a))
    S:force(a, hm.diff(hm.func("U", a), a)/10)
    assert.is_true(S:check_units().consistent)
    S:force(a, hm.diff(hm.func("U", a), a, a))
    assert.is_false(S:check_units().consistent)
  end)
end)

describe("the argument of a function known by name", function()
  it("is shortened with the formula around it", function()
    local e = V(y/(k*hm.sin(x)^2 + k*hm.cos(x)^2)) + F(x*(x + 1) - x^2, y)
    assert.are.equal("F_a(x, y) + V(y/k)", tostring((e:simplify())))
  end)
end)

describe("a definition by a function of Lua's math library", function()
  it("is refused, with the function of the library to take", function()
    local S = hm.system "s"
    local a = S:coordinates "a"
    local W = hm.func("W", a)
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(W)
    refused("hm.sin", S.define, S, W, math.sin)
    refused("hm.atan", S.define, S, W, math.atan)
    refused("math.floor takes numbers", S.define, S, W, math.floor)
    S:define(W, hm.sin)
    assert.are.equal("sin(a)", tostring(S._V))
  end)
end)
