-- mistakes: what a newcomer types in the first hour is done, or answered by one sentence that leads on; words_spec.lua has more of them
local hm, check = require "hamel", require "check"

local function plane()
  local S = hm.system "plane"
  local x, y = S:coordinates "x y"
  local m = S:positive "m=1"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  return S, x, y, m
end

local rest = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 } }

describe("what newcomers type", function()
  it("is the time derivative of an expression: (x + y).dot", function()
    local _, x, y = plane()
    assert.equal("2*x*x' + y'", tostring((x^2 + y).dot))
  end)

  it("is a start by symbols: q = {[x] = 0}", function()
    local S, x, y = plane()
    local run = S:simulate{ q = { [x] = 0, [y] = 1 }, v = { [x] = 1, [y.dot] = 0 }, t = 1 }
    check.near(run:at(1).x, 1)
  end)

  it("is a start off a holonomic constraint: it names positions, not velocities", function()
    local S, x, y = plane()
    S:constraint("rod", x^2 + y^2 - 1)
    check.raises({ "'rod' is violated by 1", "q.x or q.y" }, S.simulate, S, { q = { x = 1, y = 1 }, v = rest.v, t = 1 })
    assert.equal("OK", S:simulate{ q = { x = 0.6 }, v = { x = 0 }, t = 1 }.status)       -- the advice works
  end)

  it("is a misspelt name where an energy is declared: nothing is read in its place", function()
    local S, x = plane()
    for _, method in ipairs{ "kinetic_energy", "potential_energy", "lagrangian" } do
      check.raises({ "is an expression, not nil: 'heigth' is not defined" }, function() S[method](S, heigth) end)     -- luacheck: ignore 113
    end
    check.raises({ "'heigth' is not defined" }, function() S:force(x, heigth) end)                                    -- luacheck: ignore 113
    check.raises({ "q is nil: 'xx' is not defined" }, function() S:force(xx, 1) end)                                  -- luacheck: ignore 113
    assert.equal("m*(x'^2 + y'^2)/2", tostring(S:kinetic_energy()))
    assert.is_nil(S:potential_energy())
  end)

  it("is parameters that belong to no system: all are named, with their declaration", function()
    local S = hm.system "point"
    local x = S:coordinates "x"
    local k, c, mass = hm.positive "k c mass"
    check.raises({ "'c', 'k' and 'mass' are not parameters of point; declare them: S:positive \"c k mass\"" }, S.kinetic_energy, S, k*c*mass*x.dot^2)
    check.raises({ "'mass' is not a parameter of point; declare it: S:positive \"mass\"" }, S.kinetic_energy, S, mass*x.dot^2)
  end)

  it("is a dependent constraint: accepted, with a note that names it", function()
    local S, x, y = plane()
    S:constraint("a", x.dot - y.dot)
    S:constraint("b", 2*x.dot - 2*y.dot)
    local text = tostring(S:simulate{ q = rest.q, v = rest.v, t = 1 })
    assert.truthy(text:find("'b' holds wherever the other constraints do", 1, true), text)
  end)

  it("is a coordinate that would be printed like another", function()
    local S = hm.system "s"
    S:coordinates "theta"
    check.raises({ "'θ' would be printed like 'theta'" }, S.coordinates, S, "θ")
  end)

  it("is a comparison of expressions", function()
    local _, x = plane()
    check.raises({ "no order" }, function() return x < 0 end)
    check.raises({ "x:lt(0)" }, function() return hm.where(x == 0, 1, 2) end)
  end)

  it("is a format that does not exist", function()
    local S = plane()
    local run = S:simulate{ q = rest.q, v = rest.v, t = 1 }
    for _, name in ipairs{ "run.txt", "run.h5", "run.xlsx", "run" } do check.raises({ name, ".json", ".mat" }, run.save, run, name) end
  end)

  it("is a radius of a shape: parameters are numbers of the run", function()
    local S, x, y, m = plane()
    local run = S:simulate{ q = rest.q, v = rest.v, t = 1 }
    local path = os.tmpname() .. ".html"
    assert.is_true(run:animate(path, { { "ball", at = { x, y }, radius = m/2 } }).bytes > 0)
    os.remove(path)
  end)
end)

describe("a message", function()
  it("holds no address and no sign of nan", function()
    local S = hm.system "plain"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1 }
    local thing, nan = {}, 0/0
    for _, case in ipairs{
      { "argument 2 is a table", function() return x:simplify("auto", thing) end }, { "not a table", function() return hm.identity(thing) end },
      { "'a table' is not a coordinate", function() S:force(thing, x) end }, { "not a table", function() return S:equations({}, thing) end },
      { "'a table'", function() return x[thing] end }, { "t = nan is outside", function() return run:at(nan) end },
      { "value 2 of 'q.x' is nan", function() return S:sweep{ over = { { "q.x", { 0, nan } } }, v = { x = 0 }, t = 1 } end },
      { "point 2 is (nan, 1)", function() return hm.data{ x = { 0, nan, 1 }, y = { 0, 1, 2 } } end },
      { "finite numbers", function() return hm.range(0, nan, 3) end },
    } do
      local fine, message = pcall(case[2])
      assert.is_false(fine)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.is_nil(message:find "0x" or message:find "%-nan", message)
    end
  end)
end)

describe("an answer", function()
  local S, x, y, run
  before_each(function()
    S, x, y = plane()
    run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 2 }, t = 1 }
  end)

  it("to an unknown field of a state lists what there is", function()
    check.raises({ "'foo'", "a state has x, y, t, q, v, a, lambda and energy" }, function() return run:at(1).foo end)
    check.raises({ "did you mean 'energy'" }, function() return run:at(1).energi end)
    for _, name in ipairs{ "x_dot", "xdot", "dx", "vx", "v_x", "x'" } do
      check.raises({ "the velocity of x is s.v.x" }, function() return run:at(1)[name] end)
    end
  end)

  it("to a time that is none says how one is written", function()
    for _, time in ipairs{ "half", x, {} } do check.raises({ "takes a time", "500 ms" }, run.at, run, time) end
    check.near(run:at(hm.pi/6).y, math.pi/3)
    local P = hm.system "with units"
    P:kinetic_energy(P:positive "m=1 kg"/2*P:coordinates("z", { unit = "m" }).dot^2)
    check.near(P:simulate{ q = { z = 0 }, v = { z = 3 }, t = 1 }:at "500 ms".z, 1.5)
  end)

  it("names all unknown options at once", function()
    check.raises({ "'start' (positions are q = {...}, velocities v = {...})", "'tt' (did you mean 't'?)", "'with' (did you mean 'parameters'?)" },
      S.simulate, S, { with = {}, start = {}, tt = 3 })
    check.raises({ "options are written name = value" }, S.simulate, S, { 10 })
    check.raises({ "S:multipliers()", "reduce = true" }, S.reactions, S, "blade")
  end)

  it("compares more than two sets of equations", function()
    assert.is_true(hm.agree(S:equations(), S:equations "hamel", S:equations "canonical").equal)
    local one = hm.agree(x, x, y)
    assert.equal("different", one.verdict)
    assert.truthy(tostring(one):find("number 3", 1, true))
    check.raises({ "the second one is missing" }, hm.agree, x)
  end)
end)

describe("a note of a run", function()
  it("names a kinetic energy that is negative", function()
    local function first_note(L, values)
      local S = hm.system "sign"
      local x, y = S:coordinates "x y"
      S:lagrangian(L(x, y, S:parameters "m=1"))
      local note = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 0.1, parameters = values }.notes[1]
      return note and note.text
    end
    local function free(x, y, m) return m*(x.dot^2 + y.dot^2)/2 end
    assert.is_nil(first_note(free))
    assert.truthy(first_note(free, { m = -1 }):find("the inertia along 'x' is -1", 1, true))
    -- positive on the diagonal, yet not definite: 1, 1 and 2 beside it
    assert.truthy(first_note(function(x, y) return (x.dot^2 + y.dot^2)/2 + 2*x.dot*y.dot end):find("negative for some velocities", 1, true))
    -- a direction without inertia is no negative one
    assert.is_nil(first_note(function(x, y) return (x.dot + y.dot)^2/2 + (x.dot - y.dot)^2/2e8 - x^2/2 end))
  end)

  it("says that an option has no effect in the form: options may be shared by several", function()
    local S, x, y = plane()
    S:constraint("c", x.dot - 2*y.dot)
    local o = { q = rest.q, v = { x = 2, y = 1 }, t = 1, dependent = { "y" } }
    for form, words in pairs{ lagrange = "dependent = {...} is not used: the form 'lagrange'", maggi = false } do
      o.form = form
      local notes = S:simulate(o).notes
      assert.equal(words and 1 or 0, #notes)
      assert.truthy(not words or notes[1].text:find(words, 1, true))
    end
  end)
end)

describe("a frequency in Hz", function()
  it("counts cycles, and is no rate of an angle", function()
    local S = hm.system "motor"
    local theta = S:coordinates("theta", { unit = "rad" })
    local f, J = S:positive "f=2 Hz, J=1 kg m^2"
    S:kinetic_energy(J*theta.dot^2/2)
    check.raises({ "Hz counts cycles", "rpm" }, S.simulate, S, { q = { theta = 0 }, v = { theta = "2 Hz" }, t = 1 })
    check.near(S:simulate{ q = { theta = 0 }, v = { theta = "60 rpm" }, t = 1 }:at(1).theta, 2*math.pi)
    S:force(theta, J*f^2*hm.sin(2*hm.pi*f*hm.t))
    assert.is_true(S:check_units().consistent)
    S:force(theta, J*f^2*hm.sin(f*hm.t), { replace = true })
    local c = S:check_units()
    assert.is_false(c.consistent)
    assert.truthy(c.reason:find("f is in Hz, cycles per second", 1, true))
  end)
end)

describe("a slip of a newcomer", function()
  local S, x, y, run, e
  before_each(function()
    S, x, y = plane()
    e = x^2 + y
    run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 2 }, t = 1 }
  end)

  for words, call in pairs{
    ["does not depend on the velocities"] = function() S:dissipation(0.1*x.dot) end,
    ["v: values are given by name, as in v = {x = 0}"] = function() S:simulate{ q = { x = 0, y = 0 }, v = { 0, 0 }, t = 1 } end,
    ['parameters "k=3"'] = function() S:parameters("k", 3) end,
    ['as in "m=1 k=2", not in a table'] = function() S:parameters{ k = 3 } end,
    ["run:at(t, e)"] = function() return e:eval(run:at(1)) end,
    ["run:at(2)"] = function() return e:at(1) end,
    ["run:at(t).energy"] = function() return run.energy end,
    ["S:equations():latex()"] = function() return S:latex() end,
    ["belongs to an Equations"] = function() return S:equations().latex() end,
    ["did you mean 'bar'"] = function() run:animate("a.html", { { "line", from = { 0, 0 }, to = { x, y } } }) end,
    ["value 2 has no name"] = function() run:animate("a.html", { { "ball", x, y } }) end,
    ["the shapes are a list of tables"] = function() run:animate("a.html", { "ball", at = { x, y } }) end,
    ['S:unilateral("floor", gap, { law = hm.newton(0.5) })'] = function() S:unilateral("floor", y, 0.8) end,
    ["the law of impact is an option"] = function() S:unilateral("floor", y, hm.newton(0.5)) end,
    ["'restitution' (did you mean 'law'?)"] = function() S:unilateral("floor", y, { restitution = 0.8 }) end,
    ["it is a condition; write the expression alone"] = function() S:unilateral("floor", y:ge(0)) end,
    ["'mu' (did you mean 'coefficient'?)"] = function() S:friction("slip", { slip = x.dot, normal = 1, mu = 0.2 }) end,
    ["several names needs their order"] = function() S:sweep{ over = { m = { 1, 2 }, x = { 0 } }, q = rest.q, v = rest.v, t = 1 } end,
    ['the symbol is S:symbol "m"'] = function() return S.m end,
    ['run:keep{ "max x" }'] = function() return run:max "x" end,
    ["e:subs(x, 1)"] = function() return e:subs({ [x] = 1 }, 2) end,
    ["write list[1]"] = function() return S:mass_matrix()(1, 2) end,
    ["chaplygin_sphere"] = function() return hm.examples "sphere on floor" end,
  } do
    it("is answered: " .. words, function() check.raises({ words }, call) end)
  end

  it("is none: a substitution of one symbol", function() assert.equal("y + 9", tostring(e:subs(x, 3))) end)

  it("is none: a function at the prompt shows its page", function()
    local printer = require "hamel.repl.print"
    assert.truthy(printer.text(S.simulate):find "^S:simulate%(given%)\n")
    assert.truthy(printer.text(hm.help):find "^hm is the library")
    assert.equal("a function", printer.text(function() end))
  end)

  it("is none: a sweep over one name", function()
    local W = S:sweep{ over = { m = { 1, 2 } }, q = rest.q, v = { x = 1, y = 0 }, t = 1, keep = { "x" } }
    assert.same({ 1, 2 }, { W[1].m, W[2].m })
  end)

  it("is not found where there is none: a moving damper, a dissipation of any power", function()
    S:dissipation((x.dot - 1)^2/2)
    S:dissipation(hm.abs(y.dot)^3)
    S:dissipation(hm.abs(y.dot))
  end)
end)

describe("print of a long run", function()
  it("looks at a bounded number of stored states, and says so", function()
    local S = plane()
    local run = S:simulate{ q = rest.q, v = { x = 1, y = 0 }, t = 100, method = "rk4", step = 1e-3, dense = false }
    assert.equal(100001, #run)
    local text = tostring(run)
    assert.truthy(text:find("at one of 6 stored states; run.energy_drift looks at all", 1, true), text)
    assert.is_true(run.energy_drift < 1e-12)
    assert.is_nil(tostring(run):find("stored states", 1, true))
  end)
end)

describe("a value in a text", function()
  it("with a decimal comma or gaps is refused", function()
    for _, text in ipairs{ "m=1,5", "m=1 000", "m=1, 5", "m=2 k=1,5" } do
      check.raises({ "decimal points and no gaps" }, function() hm.system "u":positive(text) end)
    end
    assert.equal(2, select("#", hm.system "u":positive "m=1, k=5"))
  end)
end)
