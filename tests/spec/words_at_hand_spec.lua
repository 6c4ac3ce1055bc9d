-- synonyms.lua, concepts.lua, help.lua: what people call things leads to what they are called here
local hm, check = require "hamel", require "check"
local concepts, help, synonyms = require "hamel.book.concepts", require "hamel.book.help", require "hamel.base.synonyms"
local forms = require "hamel.forms"
local complete = require "hamel.repl.complete"

local S = check.offset_sleigh(hm)
local start = { q = { x = 0, y = 0, theta = 0 }, v = { u = 1, omega = 2 } }
local function run(given)
  local o = { q = start.q, v = start.v, t = 1 }
  for key, value in pairs(given or {}) do o[key] = value end
  return S:simulate(o)
end

describe("another word for a thing", function()
  it("is answered with ours, by methods, options and forms", function()
    local x = S:symbol "x"
    local cases = {
      { "kinetic_energy", function() return S:kinetic(x.dot^2) end }, { "quasi_velocities", function() return S:quasi("u", x.dot) end },
      { "simulate", function() return S:run{} end },
      { "multipliers", function() return S:reaction "blade" end },
      { "free_motion", function() return S:free_motions() end }, { "parameters", function() return run{ params = {} } end },
      { "parameters", function() return run{ with = {} } end }, { "'t'", function() return run{ tt = 2 } end }, { "step", function() return run{ dt = 2 } end },
      { "rtol", function() return run{ tol = 2 } end }, { "method", function() return run{ solver = "rk4" } end },
      { "'hamel'", function() return S:equations "boltzmann-hamel" end }, { "'lagrange'", function() return S:equations "chetaev" end },
      { "'appell'", function() return S:equations "gibbs-appell" end }, { "examples", function() return hm.example end },
      { "simulate", function() return S:integrate{} end },
    }
    for _, case in ipairs(cases) do check.raises({ "did you mean", case[1] }, case[2]) end
  end)

  it("for a part of an example's subject leads to those about it", function()
    check.raises({ "ball_in_a_cylinder", "bouncing_ball" }, hm.examples, "ball")
    check.raises({ "bouncing_ball", "chaplygin_sphere" }, hm.examples, "sphere on floor")
    check.raises({ "did you mean 'suslov'" }, hm.examples, "suslv")
  end)

  it("leads to the place where the thing is", function()
    check.raises({ "S:transposition", "S:derivation" }, function() return S:equations "hamel":gamma() end)
    check.raises({ "S:export_c" }, function() return S:equations():c "sleigh.c" end)
    check.raises({ "run:at(t).u" }, function() return run().u(20) end)
    check.raises({ "run:at(t).theta" }, function() return run().theta end)
    check.raises({ "S:compare", "S:reference" }, function() return run():check() end)
    check.raises({ "S:positive \"m\"" }, function()
      local P = hm.system "point"
      return P:kinetic_energy(hm.positive "m"*P:coordinates "x".dot^2/2)
    end)
  end)

  it("names something that is there", function()
    local known = {}
    for _, entry in ipairs(help.entries()) do known[entry.name:match "[.:]([%w_]+)$" or entry.name] = true end
    for _, name in ipairs{ "simulate", "sweep", "save", "unilateral", "friction" } do
      for option in pairs(require("hamel.base.options").of(name) or {}) do known[option] = true end
    end
    for name in pairs(forms) do known[name] = true end
    for word, names in pairs(synonyms) do for _, name in ipairs(names) do assert(known[name], ("%s: %s is not there"):format(word, name)) end end
  end)
end)

describe("help", function()
  it("knows a thing by what it is called", function()
    for word, wanted in pairs{ run = "run:at", S = "S:simulate", events = "run.events", report = "hamel report", Trajectory = "run:at", params = "S:parameters",
                               ["boltzmann-hamel"] = "S:equations \"hamel\"", control = "S:force", units = "S:check_units" } do
      assert(tostring(hm.help(word)):find(wanted, 1, true), word)
    end
  end)

  it("finds concepts, and is honest about those that are not there", function()
    for word, wanted in pairs{ chaos = "S:lyapunov", poincare = "S:section", redundant = "S:constraint", control = "S:force", units = "S:check_units",
                               ["first integral"] = "S:conserved", ["invariant measure"] = "S:invariant_measure",
                               python = "From Python", bifurcation = "S:continue", rotation = "frames" } do
      assert(tostring(hm.apropos(word)):find(wanted, 1, true), word)
    end
  end)

  it("lists the pages of a concept, whichever word is in their texts", function()
    for _, word in ipairs{ "bifurcation", "continuation", "bifurcations", "basin of attraction", "numerical continuation", "period doubling" } do
      for _, f in ipairs{ hm.apropos, hm.help } do
        local text = tostring(f(word))
        for _, page in ipairs{ "\n  S:continue  ", "\n  S:diagram ", "\n  S:chart " } do assert(text:find(page, 1, true), word .. page) end
        assert.is_nil(text:find("\n  S:continue .*\n  S:continue "), word)
      end
    end
  end)

  it("has the pages that concepts point to", function()
    local known = {}
    for _, entry in ipairs(help.entries()) do known[entry.name] = true end
    for _, row in ipairs(concepts) do for _, page in ipairs(row.see) do assert(known[page], page) end end
  end)

  it("does not list what only the library calls", function()
    local text = tostring(hm.help(S))
    for _, name in ipairs{ "S:changed", "S.new", "S:check_expression" } do assert.is_nil(text:find(name, 1, true), name) end
  end)
end)

describe("an example", function()
  it("keeps its names to itself and can be read", function()
    local plain = print
    print = function() end                                          -- luacheck: ignore
    local ex = hm.examples "suslov"
    print = plain                                                   -- luacheck: ignore
    assert.are.equal("Suslov's problem", ex.S.name)
    assert.are.equal("OK", ex.run.status)
    assert.is_nil(rawget(_G, "S"))
    assert.truthy(tostring(ex):find("S (the system)", 1, true))
    assert.truthy(tostring(hm.show "suslov"):find("hm.system \"Suslov's problem\"", 1, true))
    check.raises({ "there is no 'suslof'", "did you mean 'suslov'" }, hm.show, "suslof")
  end)
end)

describe("completion", function()
  local function of(word, before) return complete.candidates(word, { { S = S, r = run() } }, before or "") end
  it("continues names of forms and constraints", function()
    assert.are.same({ "maggi" }, of("mag", "S:equations \""))
    assert.are.same({ "suslov" }, of("susl", "show \""))
    assert.are.same({ "S.constraints.blade" }, of "S.constraints.")
    assert.are.same({ "r.lambda.blade" }, of "r.lambda.")
    assert.are.same({ "S.lambda.blade" }, of "S.lambda.")
  end)

  it("continues values of options", function()
    assert.are.same({ "dop853" }, of("do", 'S:simulate{ t = 1, method = "'))
    assert.are.same({ "maggi", "mapping" }, of("ma", "S:simulate{ form = '"))
    assert.are.same({ "maggi", "mapping" }, of("ma", 'S:compare{ forms = {"lagrange", "'))
    assert.are.same({ "impacts" }, of("i", 'S:simulate{ q = {x = 0}, record = "'))
    assert.are.same({ "newton(" }, of("new", 'S:unilateral("floor", z, { law = '))
    assert.are.same({ "theta" }, of("th", 'S:simulate{ form = "maggi", dependent = { "x", "'))
    assert.are.same({ "theta", "theta'" }, of("th", 'S:simulate{ keep = { "max '))
  end)

  it("continues names of coordinates, velocities and parameters", function()
    assert.are.same({ "theta = ", "x = ", "y = " }, of("", "S:simulate{ t = 1, q = { "))
    assert.are.same({ "omega = " }, of("om", "r2 = S:simulate{ q = {x = 0, y = (1 + 2)}, v = { u = 1, "))
    assert.are.same({ "a = " }, of("a", "S:simulate{\n  parameters = { I = 1, "))
    assert.are.same({ "theta", "theta'" }, of("th", 'r:plot("t", "'))
    assert.are.same({ "lambda.blade" }, of("lam", 'r:at(2, "'))
    assert.are.same({ "energy" }, of("en", 'r:plot "'))
    assert.are.same({}, of("th", 'nobody:plot("'))
    assert.are.same({}, of("q", 'x = "some te'))
  end)

  it("hides what only the library calls", function()
    for _, word in ipairs{ "S:new", "S:changed", "S:check_expr", "r.raw", "r.observer" } do assert.are.same({}, of(word), word) end
    local E = S:equations()
    for _, name in ipairs(complete.candidates("E.", { { E = E } })) do
      assert.is_nil(({ A = 1, M = 1, dyn = 1, kin = 1, k = 1, rows = 1, watched = 1, mu_of = 1 })[name:sub(3)], name)
    end
  end)
end)

describe("the names of the library", function()
  it("are those of a script after hm.use()", function()
    local status, output = check.script [[
      local hm = require "hamel"
      sin = "mine"
      hm.use()
      local P = system "point"
      print(P.name, sin, cos(0), t == hm.t)]]
    assert.are.equal(0, status or 0)
    assert.truthy(output:find("point\tmine\t1", 1, true))
  end)
end)

describe("a syntax error at the prompt", function()
  it("says how a power is written", function()
    local messages = require "hamel.repl.message"
    local text = "x.dot**2"
    local words = messages.syntax(text, select(2, load("return " .. text, "=input")), select(2, load(text, "=input")))
    assert.is_truthy(words:find("a power is written a^b, not a**b", 1, true), words)
  end)
end)
