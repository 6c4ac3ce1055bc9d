-- words: what a user may mistype or mistake is answered by the right result or by one sentence that names the way out
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

-- A system in the plane with all of its names
local function world()
  local S = hm.system "plane"
  local x, y, theta = S:coordinates "x y theta"
  local m = S:positive "m=2"
  return { S = S, x = x, y = y, theta = theta, m = m, k = S:parameters "k=1" }
end

local function ready()
  local w = world()
  w.S:kinetic_energy(w.m/2*(w.x.dot^2 + w.y.dot^2 + w.theta.dot^2))
  w.S:potential_energy(w.k*w.x^2/2)
  return w
end

local function run_of(w)
  return w.S:simulate{ q = { x = 1, y = 0, theta = 0 }, v = { x = 0, y = 0, theta = 1 }, t = 1 }
end

-- { what is written, words of the answer, the call }
local rows = {
  -- names and values
  { 'S:coordinates("a", "b")', { "all names in one text", '"a b"' }, function(w) w.S:coordinates("a", "b") end },
  { 'S:positive("m=1", "k=2")', { "all names in one text" }, function(w) w.S:positive("p=1", "n=2") end },
  { 'hm.symbols("a", "b")', { "all names in one text" }, function() hm.symbols("a", "b") end },
  { 'S:positive "l=1 kgg"', { "the unit of 'l'", "unknown unit 'kgg'", "did you mean 'kg'" }, function(w) w.S:positive "l=1 kgg" end },
  { 'S:positive "l=30 cm^x"', { "the unit of 'l'", "an exponent is a number" }, function(w) w.S:positive "l=30 cm^x" end },
  { 'S:parameters "g=nine m"', { "the value of 'g'", "with or without a unit after it" }, function(w) w.S:parameters "g=nine m" end },
  { 'S:coordinates "θ"', { "'θ' would be printed like 'theta'" }, function(w) w.S:coordinates "θ" end },
  { 'S:parameters "ϑ"', { "'ϑ' would be printed like 'theta'" }, function(w) w.S:parameters "ϑ" end },
  { 'S:coordinates "φ phi"', { "'phi' would be printed like 'φ'" }, function() hm.system "s":coordinates "φ phi" end },
  { "S:positive after S:parameters", { "declared by S:parameters", "declare it once" }, function(w) w.S:positive "k=2" end },
  { 'S:parameters "m=-1" of a positive m', { "'m' is declared positive", "-1" }, function(w) w.S:parameters "m=-1" end },
  -- energies and forces
  { "a second potential energy", { "has a potential energy already, k*x", "S:potential_energy() + e", "replace = true" }, function(w)
      w.S:potential_energy(w.k*w.x)
      w.S:potential_energy(w.y)
    end },
  { "a second kinetic energy", { "has a kinetic energy already", "replace = true" }, function(w)
      w.S:kinetic_energy(w.x.dot^2)
      w.S:kinetic_energy(w.y.dot^2)
    end },
  { "a Lagrangian beside T", { "has its energies already", "replace = true" }, function(w)
      w.S:kinetic_energy(w.x.dot^2)
      w.S:lagrangian(w.y.dot^2)
    end },
  { "T beside a Lagrangian", { "has a Lagrangian already", "replace = true" }, function(w)
      w.S:lagrangian(w.x.dot^2)
      w.S:kinetic_energy(w.y.dot^2)
    end },
  { "V beside a Lagrangian", { "has a Lagrangian already" }, function(w)
      w.S:lagrangian(w.x.dot^2)
      w.S:potential_energy(w.y^2)
    end },
  { "the same force twice", { "acts on 'y' already", "forces add", "2*Q", "replace = true" }, function(w)
      w.S:force(w.y, -w.m)
      w.S:force(w.y, -w.m)
    end },
  { "S:force(x, Q, y)", { "the third argument is a table of options, not y" }, function(w) w.S:force(w.x, w.m, w.y) end },
  { "S.kinetic_energy = T", { "'kinetic_energy' is a method", "S:kinetic_energy(...)" }, function(w) w.S.kinetic_energy = w.x.dot^2 end },
  { "S.foo = 3", { "no field 'foo'" }, function(w) w.S.foo = 3 end },
  { "S.constraint = f", { "'constraint' is a method" }, function(w) w.S.constraint = w.x end },
  { "a kinetic energy without velocities", { "contains no velocity", "hm.dt(e)" }, function(w) w.S:kinetic_energy(w.m*w.x^2) end },
  -- expressions
  { "x:diff(hm.t)", { "x is a function of time", "hm.dt(e)" }, function(w) return (w.x:diff(hm.t)) end },
  { "(x^2 + a):diff(hm.t)", { "x is a function of time", "hm.dt(e)" }, function(w) return ((w.x^2 + w.m):diff(hm.t)) end },
  { "hm.diff(x, hm.t)", { "x is a function of time", "hm.dt(e)", "hm.partial" }, function(w) return (hm.diff(w.x, hm.t)) end },
  { "hm.diff(sin(x)^2, hm.t, hm.t)", { "x is a function of time" }, function(w) return (hm.diff(hm.sin(w.x)^2, hm.t, hm.t)) end },
  { "a matrix by hm.t", { "x is a function of time", "hm.dt(e)" }, function(w) return (hm.matrix{ { w.x, 1 } }:diff(hm.t)) end },
  { "hm.diff(e, x, 2)", { "2 is no symbol", "diff(e, x, x)" }, function(w) return (hm.diff(w.x^3, w.x, 2)) end },
  { "x.subs(x, 2)", { "e:subs(x, 1) with a colon" }, function(w) return (w.x.subs(w.x, 2)) end },
  { "a coordinate as an option", { "'x' (a coordinate: q = {x = ...})" }, function(w) w.S:simulate{ x = 1, t = 2 } end },
  { "a parameter as an option", { "'m' (a parameter: parameters = {m = ...})" }, function(w) w.S:linearize{ q = { x = 0 }, m = 2 } end },
  { "a parameter of a sweep as an option", { "over = {m = {1, 2, 3}}" }, function(w) w.S:sweep{ m = { 1, 2 }, q = { x = 1 }, t = 1 } end },
  { "run.final", { "run[#run]" }, function() return run_of(ready()).final end },
  { "S:jacobian()", { "S:linearize{...}.A" }, function(w) w.S:jacobian() end },
  { "S:remove", { "declare the system anew" }, function(w) w.S:remove "c" end },
  { "a piece with its condition first", { "the value comes first" }, function(w) return (hm.piecewise{ { w.x:lt(0), 0 }, 1 }) end },
  { "an option that a function has not", { "unknown option 'm'" }, function(w) w.S:invariant_measure{ m = 2 } end },
  { "hm.diff(x)", { "expression" }, function(w) return (hm.diff(w.x)) end },
  { "x.dot = 0", { "cannot be changed: .dot", "q = {x = 1}" }, function(w) w.x.dot = 0 end },
  { "E[1] = 0", { "the entry [1] cannot be replaced" }, function(w)
      w.S:kinetic_energy(w.x.dot^2 + w.y.dot^2 + w.theta.dot^2)
      w.S:equations()[1] = 0
    end },
  { "run.status = x, run[1] = x", { "'status' is computed" }, function(w)
      w.S:kinetic_energy(w.x.dot^2 + w.y.dot^2 + w.theta.dot^2)
      local run = w.S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, y = 0, theta = 0 }, t = 1 }
      check.raises({ "the entry [1]" }, function() run[1] = 3 end)
      check.raises({ "no field 'foo'" }, function() run:at(1).foo = 3 end)
      run.status = "OK"
    end },
  { "x.dot == y.dot in a constraint", { "not a boolean", "write a - b" }, function(w) w.S:constraint("c", w.x.dot == w.y.dot) end },
  { "x + (x == y)", { "not boolean", "hm.eq(a, b)" }, function(w) return w.x + (w.x == w.y) end },
  { "math.sin(theta)", { "hm.sin" }, function(w) return math.sin(w.theta) end },
  { "math.sqrt(x)", { "hm.sqrt" }, function(w) return math.sqrt(w.x) end },
  { "a misspelt name", { "not nil", "'thteta' is not defined (did you mean 'theta'?)" }, function(w)
      local theta = w.theta
      return theta + thteta                                  -- luacheck: ignore
    end },
  { "a misspelt name in a function", { "not nil", "'lenght' is not defined" }, function(w) return w.x*hm.sin(lenght) end },  -- luacheck: ignore
  { "a misspelt field", { "not nil", "'values.mas' is nil (did you mean 'mass'?)" }, function(w)
      local values = { mass = 3 }
      return w.x*values.mas
    end },
  { "a local that is nil", { "not nil", "'l' is nil" }, function(w)
      local l = nil
      return w.x*l
    end },
  { "x.dt^2", { "'dt' is a method", "x.dot" }, function(w) return w.x.dt^2 end },
  { "m*x.dt", { "'dt' is a method", "x.dot" }, function(w) return w.m*w.x.dt end },
  { "S:constraint(name, x.dt)", { "'dt' is a method", "x.dot" }, function(w) w.S:constraint("c", w.x.dt) end },
  { "m*x.simplify", { "not function", "with a colon" }, function(w) return w.m*w.x.simplify end },
  { "x + 'm*y'", { "not string", "hm.parse" }, function(w) return w.x + "m*y" end },
  { "a text with **", { "a power is written a^b" }, function(w) w.S:kinetic_energy "m/2*x.dot**2" end },
  { "hm.parse with **", { "a power is written a^b" }, function(w) return hm.parse("x**2", { w.x }) end },
  { "a text with an unknown name", { "kinetic energy", "contains 'mm'", "no name of plane" }, function(w) w.S:kinetic_energy "mm*x.dot^2" end },
  { "a text with =", { "is an equation: write a - b" }, function(w) w.S:constraint("c", "x.dot = y.dot") end },
  -- arguments, options, names
  { "S:simulate{ params = }", { "did you mean 'parameters'?" }, function(w) w.S:simulate{ params = {} } end },
  { "S:kinetic(T)", { "did you mean 'kinetic_energy'?" }, function(w) w.S:kinetic(w.x) end },
  { "S:quasi(...)", { "did you mean 'quasi_velocities'?" }, function(w) w.S:quasi(w.x) end },
  { "S:equations 'boltzmann-hamel'", { "did you mean 'hamel'?" }, function(w) w.S:equations "boltzmann-hamel" end },
  { "S:quasi_velocities with one for three", { "1 for 3 degrees of freedom" }, function(w) w.S:quasi_velocities("u", { w.x.dot }) end },
  { "a quasi-velocity named as a coordinate", { "'x' is already a coordinate" }, function(w)
      w.S:quasi_velocities("x u w", { w.x.dot, w.y.dot, w.theta.dot })
    end },
  { 'S:compare("lagrange", "maggi")', { "compare: forms = {...} is missing", "S:compare{ forms" }, function(w) w.S:compare("lagrange", "maggi") end },
  { "S:constraint(name, f, 'holonomic')", { "takes 2 arguments", "argument 3 is holonomic" }, function(w) w.S:constraint("c", w.x, "holonomic") end },
  { 'equations:latex "f.txt"', { "file = 'f.txt'", "ends in .tex" }, function() ready().S:equations():latex "f.txt" end },
  { "equations:latex(7)", { "latex takes a table of options", "number" }, function() ready().S:equations():latex(7) end },
  { 'S:quasi_velocities("u", e, "w", f)', { "one text", "one list", 'S:quasi_velocities("u omega", {expression, expression})' }, function(w)
      w.S:quasi_velocities("u", w.x.dot, "w", w.y.dot)
    end },
  { "hm.simplify(x)", { "it belongs to expressions: e:simplify(...)" }, function(w) return hm.simplify(w.x) end },
  { "S:simulate{ tend = }", { "did you mean 't'?" }, function(w) w.S:simulate{ tend = 1 } end },
  { "a start without positions", { "start: q is missing for y, theta; add q = {y = 0, ...}" }, function()
      ready().S:simulate{ q = { x = 0 }, v = { x = 0, y = 0, theta = 0 }, t = 1 }
    end },
  { "a formula for a name", { 'V = hm.func("V", r)', "not a string" }, function(w) w.S:define("V", w.x) end },
  { "hm.define of no expression", { "the first argument is an expression" }, function(w) hm.define("V", w.x) end },
  { "hm.system(a, b)", { "takes one argument" }, function() hm.system("a", "b") end },
  { "e:simplify(form, x)", { "takes one argument" }, function(w) return w.x:simplify("factored", w.y) end },
  { "equations with an unknown option", { "did you mean 'dependent'?" }, function() ready().S:equations("maggi", { dependant = { "x" } }) end },
  { "an event with an unknown option", { "did you mean 'direction'?" }, function()
      local w = ready()
      w.S:simulate{ q = { x = 1, y = 0, theta = 0 }, v = { x = 0, y = 0, theta = 0 }, t = 1, events = { { name = "e", when = w.x, dirction = "rising" } } }
    end },
  { "run:plot of a list of numbers", { "argument 2 is a list of numbers", "names and expressions" }, function() run_of(ready()):plot("t", { 1, 2 }) end },
  { "run:plot into a.jpg", { "'a.jpg'", ".svg, .png or .pdf" }, function() run_of(ready()):plot("t", "x", "a.jpg") end },
  { "run:plot into z.eps", { "'z.eps'", ".svg, .png or .pdf" }, function() run_of(ready()):plot("t", "x", "z.eps") end },
  -- results
  { "s.q.z", { "q has no 'z'" }, function() return run_of(ready()):at(1).q.z end },
  { "s.v.thta", { "did you mean 'theta'?" }, function() return run_of(ready()):at(1).v.thta end },
  { "s.lambda.rod", { "lambda has no 'rod'" }, function() return run_of(ready()):at(1).lambda.rod end },
  { "reactions at a state", { "reactions has no 'z'" }, function()
      local S = check.sleigh(hm)
      return S:reactions{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 1 } }.z
    end },
  { "S:commutation().blade.z", { "no coordinate or parameter 'z'" }, function() return (check.sleigh(hm)):commutation().blade.z end },
  { "reduce of a nonlinear constraint", { "linear in the velocities", "without reduce" }, function()
      local w = ready()
      w.S:constraint("speed", w.x.dot^2 + w.y.dot^2 - 1)
      w.S:reactions{ reduce = true }
    end },
  -- vakonomic starts
  { "vakonomic with a square", { "derivative of 'sq' vanishes" }, function()
      local w = ready()
      w.S:constraint("sq", (w.y.dot - w.theta*w.x.dot)^2)
      w.S:simulate{ form = "vakonomic", q = { x = 0, y = 0, theta = 0 }, v = { x = 1, y = 0, theta = 1 }, t = 1, mu = { sq = 0 } }
    end },
  { "vakonomic with dependent constraints", { "independent constraints", "'two' holds wherever the others do", "drop it" }, function()
      local w = ready()
      w.S:constraint("one", w.y.dot - w.theta*w.x.dot)
      w.S:constraint("two", 3*w.y.dot - 3*w.theta*w.x.dot)
      w.S:simulate{ form = "vakonomic", q = { x = 0, y = 0, theta = 0 }, v = { x = 1, y = 0, theta = 1 }, t = 1, mu = { one = 0, two = 0 } }
    end },
  { "mu by constraint in the explicit form", { "mu = {y = 0}", "'f' is a constraint" }, function()
      local w = ready()
      w.S:constraint("f", w.y.dot - w.theta*w.x.dot)
      w.S:simulate{ form = "vakonomic_explicit", q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 1 }, t = 1, mu = { f = 0 } }
    end },
  -- extremes, functions that fail late
  { "a mass of 1e-320", { "'m' is declared positive", "counts as zero", "other units" }, function()
      local w = ready()
      w.S:simulate{ q = { x = 1, y = 0, theta = 0 }, v = { x = 0, y = 0, theta = 0 }, t = 1, parameters = { m = 1e-320 } }
    end },
  { "a speed of 1e308", { "leave the range of doubles", "10*x' is infinite" }, function()
      local S = hm.system "oscillator"
      local x = S:coordinates "x"
      S:lagrangian(x.dot^2/2 - 5*x^2)
      S:simulate{ q = { x = 1 }, v = { x = 1e308 }, t = 1, method = "taylor" }
    end },
  { "a force that fails late", { "mine", "after t = 0.", "hm.last_run()" }, function()
      local w = ready()
      w.S:force(w.y, function(t) if t > 0.5 then error "mine" end return 1 end)
      run_of(w)
    end },
}

describe("words", function()
  for _, row in ipairs(rows) do
    it("answer " .. row[1], function() check.raises(row[2], row[3], world()) end)
  end

  it("take what can only mean one thing", function()
    local w = world()
    w.S:kinetic_energy "m/2*(x.dot^2 + y'^2) + theta.dot^2"
    assert.is_true((w.S:kinetic_energy() - (w.m/2*(w.x.dot^2 + w.y.dot^2) + w.theta.dot^2)):is_zero())
    w.S:constraint("c", hm.eq(w.x.dot, w.y.dot))
    assert.is_true((w.S.constraints.c.f - (w.x.dot - w.y.dot)):is_zero())
    w.S:parameters "m=3"
    assert.is_true(hm.agree(hm.sqrt(w.m^2), w.m).equal)
    assert.truthy(tostring(w.S):find("m = 3", 1, true))
    -- the partial derivative on purpose, and of what depends on time
    assert.equal("0", tostring(hm.partial(w.x, hm.t)))
    assert.equal("x", tostring((w.x*hm.t):diff(hm.t)))
    assert.equal("0", tostring(w.m:diff(hm.t)))
    assert.equal(w.S:commutation().c[w.y], w.S:commutation().c.y)
  end)

  it("give advice that works", function()
    local w = world()
    w.S:potential_energy(w.k*w.x)
    w.S:potential_energy(w.S:potential_energy() + w.y, { replace = true })
    assert.is_true((w.S:potential_energy() - (w.k*w.x + w.y)):is_zero())
    w.S:force(w.y, -w.m)
    w.S:force(w.y, -2*w.m, { replace = true })
    assert.equal("-2*m", tostring(w.S:generalised_forces()[2]))
    w.S:lagrangian(w.x.dot^2, { replace = true })
    assert.is_nil(w.S:potential_energy())
    w.S:kinetic_energy(w.y.dot^2, { replace = true })
    assert.equal("y'^2", tostring(w.S:lagrangian()))
  end)

  it("answer ** at the prompt", function()
    local text = "y = x**2"
    local _, message = load(text, "=input 1")
    assert.truthy(require("hamel.repl.message").syntax(text, message, message):find("a power is written a^b", 1, true))
  end)

  -- a sum of squares that underflows or overflows is no error estimate
  it("hold at extreme values", function()
    for _, size in ipairs{ 1e-320, 1e-300, 1e-160, 1e160, 1e300 } do
      local S, x = mechanics.body("oscillator", "x")
      S:potential_energy(x^2/2)
      for _, method in ipairs{ "dop853", "taylor" } do
        local run = S:simulate{ q = { x = size }, v = { x = 0 }, t = 1, method = method, atol = 1e-9*size }
        assert.equal("OK", run.status)
        assert.is_true(math.abs(run:at(1).x - size*math.cos(1)) <= 1e-8*size + 1e-322, ("%g by %s"):format(size, method))
      end
    end
  end)
end)
