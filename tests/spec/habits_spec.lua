-- hints.lua, undefined.lua, __call of objects: what people type who come from Python, MATLAB or Mathematica leads to the words of this library
local hm, check = require "hamel", require "check"
local hints, messages = require "hamel.book.hints", require "hamel.repl.message"

-- The words on a line that Lua refuses, as the prompt gives them
local function refused(text)
  local as_value, as_statements = select(2, load("return " .. text, "=input 1")), select(2, load(text, "=input 1"))
  assert.truthy(as_statements, text .. " is Lua")
  return messages.syntax(text, as_value, as_statements)
end

describe("a line in another language", function()
  for text, words in pairs{
    ["import math"] = "nothing is imported", ["from sympy import *"] = "nothing is imported", ["syms x"] = "S:coordinates \"x y\"",
    ["x++"] = "x = x + 1", ["x += 1"] = "x = x + 1", ["y = x ** 2"] = "a^b, not a**b", ["x != y"] = "a ~= b", ["2x"] = "2*x", ["2(x+1)"] = "2*(x + 1)",
    ["def f(x): return x"] = "function f(x)", ["lambda x: x"] = "function(x)", ["if x == 1: print(x)"] = "then", ["for i in range(10):"] = "for i = 1, 10 do",
    ["print x"] = "print(x)",
    ["a = [1, 2, 3]"] = "{1, 2, 3}", ["help simulate"] = "help \"simulate\"", ["x' = 1"] = "x.dot", ["y = 3 # three"] = "begins with --",
    ["f(x) := x^2"] = "an assignment", ["f = @(x) x^2"] = "function(x)", ["x y"] = "written with *", ["clear all"] = "x = nil",
    ["S:kinetic_energy = T"] = "without =",
    ["S:kinetic_energy T"] = "in parentheses: S:kinetic_energy(T)", ["S:simulate(q = 1, t = 2)"] = "options stand in braces", ["t = 0..10"] = "{0, 10}",
    ["for i = 1, 3 print(i) end"] = "do ... end", ["if x = 3 then y = 1 end"] = "written ==", ["while x < 3 x = 1 end"] = "do ... end",
    ["S:simulate{ q = {x = 0} v = {x = 1}, t = 1 }"] = "separated by commas", ["f(x y)"] = "separated by commas", ["m*x.ddot = -k*x"] = "hm.eq(a, b)",
    ["!ls"] = "os.execute",
    ['S:constraint("rod", a = b)'] = "hm.eq(a, b)", ["a && b"] = "and, or, not",
  } do
    it("is answered: " .. text, function() assert.truthy(refused(text):find(words, 1, true), refused(text)) end)
  end

  it("is no guess where the mistake is one of Lua", function()
    for _, text in ipairs{ "x = = 3", "1 + * 3", "local x y", "f(1, 2", "if x then y" } do assert.is_nil(hints.syntax(text, refused(text)), text) end
  end)
end)

describe("a message of Lua on values", function()
  for text, words in pairs{
    ["local x = 3; return x.dot"] = "S:symbol", ["local f = function(x) return x^2 end; return f 'a'"] = "hm.parse",
    ["local f = function(x) return x^2 end; return f()"] = "x has no value", ["return 1 + nil"] = "a value is missing",
    ["return {} + 1"] = "no arithmetic", ["local t = {}; return t.a.b"] = "nothing called a", ["return (2)(3)"] = "written with *",
  } do
    it("has words behind it: " .. text, function()
      local message = select(2, pcall(load(text, "=input 1")))
      assert.truthy(hints.running(message):find(words, 1, true), message)
    end)
  end
end)

describe("a name of another program", function()
  for name, words in pairs{
    integrate = "S:simulate{...}", expand = "e:expand()", simplify = "e:simplify()", latex = "e:latex()", Eq = "hm.eq(a, b)", lambdify = "e:eval",
    dsolve = "S:simulate{", pprint = "print(e)", dynamicsymbols = "S:coordinates", KanesMethod = "S:equations \"kane\"", odeint = "S:simulate{",
    linspace = "hm.range", sweep = "S:sweep{...}", Matrix = "hm.matrix", collect = "e:collect(...)", Sin = "'sin'", momentum = "S:momentum",
  } do
    it("is answered: " .. name, function()
      local answer = hints.undefined(name, { "sin", "cos", "solve", "print", "select", "eq" })
      assert.truthy(answer:find(words, 1, true), answer)
    end)
  end

  it("is answered in scripts", function()
    for text, words in pairs{
      ["local x = integrate(3)"] = "S:simulate{...}", ["print(cos(0))"] = "it is hm.cos, or cos after hm.use()", ["local x = 3\nx += 1"] = "x = x + 1",
      ["local hm = require 'hamel'\nprint(hm.sin[3])"] = "stand in parentheses: sin(x)", ["local hm = require 'hamel'\nhm.lambdify()"] = "e:eval",
    } do
      local path = check.write(os.tmpname(), text)
      local f, message = loadfile(path)
      if f then message = select(2, pcall(f)) end
      local answer = hints.complete(message)
      os.remove(path)
      assert.truthy(answer:find(words, 1, true), answer)
    end
  end)
end)

describe("a message of the library with the word near in it", function()
  it("is none on syntax", function()
    local path = check.write(os.tmpname(), "for _, x in ipairs{1} do error 'steady: take another guess near a circle: it moves' end")
    local message = select(2, pcall(assert(loadfile(path))))
    assert.are.equal(message, hints.complete(message))
    os.remove(path)
  end)
end)

describe("an operator that formulas do not have", function()
  local x = hm.symbols "x"
  for words, f in pairs{
    ["#e:operands()"] = function() return #x end, ["is written a/b"] = function() return x//2 end, ["has no remainder"] = function() return x % 2 end,
    ["join conditions"] = function() return x & x end, ["x.dot.dot"] = function() return x "" end,
  } do
    it("is answered: " .. words, function() check.raises({ words }, f) end)
  end
end)

describe("an object that is called", function()
  it("says how it is read", function()
    local S = hm.system "called"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1 }
    check.raises({ "run:at(t)" }, function() return run(1) end)
    check.raises({ "an object, not a function" }, function() return S(1) end)
    check.raises({ "list[1]" }, function() return run.events(1) end)
  end)
end)

describe("a name without a value", function()
  local function message_of(text)
    local f = load(text, text)
    local _, message = pcall(f, hm, hm.symbols "x")
    return message
  end
  it("is named alone: neither what the line assigns nor variables of its functions", function()
    assert.truthy(message_of "local hm, x = ...\nlocal u, w = x, x + nowhere":find("not nil: 'nowhere' is not defined$"))
    assert.truthy(message_of "local hm, x = ...\nlocal f = function(r) return r end; local u = x + nowhere":find("not nil: 'nowhere' is not defined$"))
    assert.truthy(message_of "local hm, x = ...\nlocal f = function(a, b) return a*b end; return f(x)":find("not nil: 'b' is nil$"))
  end)
end)

describe("a function of hm.func", function()
  local S, x, y, V
  before_each(function()
    S = hm.system "opaque"
    x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    V = hm.func("V", x)
    S:potential_energy(V)
  end)

  it("is defined by a function of as many variables", function()
    check.raises({ "V(x) has 1 argument", "the Lua function of its formula 2" }, S.define, S, V, function(a, b) return a*b end)
    check.raises({ "the formula of V(x) is missing" }, S.define, S, V)
    S:define(V, function(...) return (...)^2 end)
    assert.equal("x^2", tostring(S:potential_energy()))
  end)

  it("has one number of arguments in a system", function()
    check.raises({ "'V' has 1 argument in opaque", "another name" }, S.force, S, y, hm.func("V", x, y))
    check.raises({ "'V' has 1 argument in opaque" }, S.define, S, hm.func("V", x, y), x*y)
    check.raises({ "'U' has" }, S.force, S, y, hm.func("U", x, y) + hm.func("U", x))
  end)
end)
