-- init.lua: the module that users require: require "hamel" loads the rest in order.
local core = require "hamel.core"
core.library("@" .. debug.getinfo(1, "S").source:match("^@(.*)init%.lua$"))

local answer = require "hamel.base.answer"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local algebra = require "hamel.algebra"
local where = require "hamel.algebra.where"
local Matrix = require "hamel.algebra.matrix"
local System = require "hamel.system"
require "hamel.system.classify"
require "hamel.forms"
require "hamel.system.contact"
local laws = require "hamel.laws"
local measures = require "hamel.run.measures"
local simulate = require "hamel.run.simulate"

-- loaded at the first use
for module, names in pairs{
  ["hamel.geometry.free_motion"] = { "free_motion", "multipliers", "mass_matrix", "christoffel" }, ["hamel.geometry.holonomy"] = { "holonomic", "integrals" },
  ["hamel.geometry.derived_flag"] = { "derived_flag" }, ["hamel.geometry.commutation"] = { "commutation", "constraint_variation" },
  ["hamel.geometry.mapping"] = { "linear_mapping" }, ["hamel.geometry.two_field"] = { "two_field" }, ["hamel.analysis.compare"] = { "compare" },
  ["hamel.analysis.applicable"] = { "forms" }, ["hamel.analysis.reactions"] = { "reactions" }, ["hamel.analysis.section"] = { "section" },
  ["hamel.analysis.linearize"] = { "linearize" }, ["hamel.analysis.equilibrium"] = { "equilibrium" },
  ["hamel.analysis.export_c"] = { "export_c" }, ["hamel.analysis.sweep"] = { "sweep" },
  ["hamel.analysis.variations"] = { "variations" }, ["hamel.analysis.lyapunov"] = { "lyapunov" }, ["hamel.analysis.periodic"] = { "periodic" },
  ["hamel.analysis.steady"] = { "steady" }, ["hamel.analysis.reference"] = { "reference" }, ["hamel.analysis.derivation"] = { "derivation" },
  ["hamel.system.units"] = { "check_units", "unit_labels" }, ["hamel.system.input"] = { "input" }, ["hamel.run.asked"] = { "accelerations", "velocities" },
} do object.later("System", module, names) end
for module, names in pairs{ ["hamel.analysis.section"] = { "section" }, ["hamel.run.save"] = { "save" }, ["hamel.show.plot"] = { "plot" },
                            ["hamel.show.results"] = { "plot_drift" }, ["hamel.show.animate"] = { "animate" } } do object.later("Trajectory", module, names) end
for _, class in ipairs{ "Comparison", "Section", "Sweep" } do object.later(class, "hamel.show.results", { "plot" }) end

object.later("Equations", "hamel.equations.matrix_form", { "matrix_form" })

local hm = { version = core.version, t = symbols.t, sqrt = core.sqrt }

-- laws of impact, one function per row of the registry
for name, f in pairs(laws.constructors) do hm[name] = f end

--- A formalism of your own: see own_form.lua.
hm.form = require "hamel.forms.shared.own_form"

-- one function per row of functions.def, on numbers and expressions
for name, f in pairs(core.functions) do if not name:find "^tabled" then hm[name] = f end end

--- A new mechanical system: local S = hm.system "Chaplygin sleigh".
hm.system = System.new
-- Symbols that belong to no system, for algebra: one text, as in S:coordinates.
local function free_symbols(what, flags)
  return function(text, ...)
    local list = {}
    for i, item in ipairs(symbols.split(text, what, ...)) do
      if item.value then object.fail("%s: a symbol without a system has no value: '%s'", what, item.name) end
      list[i] = core.symbol(item.name, flags)
    end
    return table.unpack(list)
  end
end
--- Real symbols for algebra: local a, b = hm.symbols "a b".
hm.symbols = free_symbols("symbols", 0)
--- Positive symbols: hm.sqrt(m^2) is m.
hm.positive = free_symbols("positive", symbols.POSITIVE)
--- Unknown functions of time: f.dot is the derivative. Coordinates of a system of that name are the same symbols.
hm.functions_of_time = free_symbols("functions_of_time", symbols.DYNAMIC)
--- Partial derivative of an expression: hm.diff(e, x), hm.diff(e, x, y).
hm.diff = core.diff
--- Total time derivative of an expression.
hm.dt = core.dt
--- Gradient of e with respect to a list of symbols, as a list, by one reverse sweep.
function hm.gradient(e, list) return answer.dressed(core.gradient(e, list)) end
--- Equation with two sides, linear systems, comparison of formulas: see algebra.lua.
hm.eq, hm.solve, hm.agree = algebra.eq, algebra.solve, function(...) return answer.dressed(require "hamel.analysis.agree"(...)) end
--- Functions made of pieces: conditions x:lt(0), x:le(0), x:gt(0), x:ge(0); steps and ramps.
hm.where, hm.piecewise, hm.step, hm.ramp = where.where, where.piecewise, where.step, where.ramp
--- Matrices of expressions.
hm.matrix, hm.identity, hm.jacobian, hm.hessian = Matrix.new, Matrix.identity, Matrix.jacobian, Matrix.hessian
--- The exact number: hm.sin(hm.pi/6) is 1/2. math.pi is a double like any other.
hm.pi = core.pi()
--- Exact fraction: hm.rational(1, 3).
hm.rational = core.rational
--- A number or decimal text as exact expression: hm.number "0.1".
hm.number = core.number
--- Text to expression: hm.parse("x'^2/2", {x}); names must be among the symbols given, each of them one symbol. The text of an
--- expression, tostring(e), reads back as e.
function hm.parse(text, given)
  local known = {}
  for _, s in ipairs(type(given) == "table" and given or {}) do
    if core.is_expression(s) and core.kind(s) == "symbol" then
      local name, order, flags = core.name(s)
      local other = known[name]
      if other and (other.flags ~= flags or (other.order == order and other.symbol ~= s)) then
        object.fail("parse: two different symbols of the list are called '%s' (a positive symbol differs from one of either sign)", name)
      end
      known[name] = other or { symbol = s, order = order, flags = flags }
    end
  end
  return core.parse(text, given)
end

--- n equally spaced numbers from a to b: hm.range(0, 1, 11).
function hm.range(a, b, n)
  local from, to = core.number_value(a), core.number_value(b)
  local whole = math.tointeger(n)
  if not from or not to or not whole or whole < 1 then
    object.fail("hm.range(a, b, n): two numbers and how many, a whole number from 1 on; given are %s, %s, %s", tostring(a), tostring(b), tostring(n))
  end
  n = whole
  local list = {}
  for i = 1, n do list[i] = n == 1 and from or from + (to - from)*((i - 1)/(n - 1)) end
  return list
end

local data = require "hamel.algebra.data"
--- Tables of numbers from files (CSV, NumPy), measured data as functions in formulas: hm.read "drive.csv", hm.data{ file = "drive.csv" }.
hm.read, hm.data = data.read, data.new

--- A table of verdicts for scripts that reproduce a text: hm.paper{ title = "Mei 1994" }.
hm.paper = function(...) return require "hamel.show.paper".new(...) end

local help = require "hamel.book.help"
--- Pages on everything public: print(hm.help "simulate"), print(hm.apropos "friction"), print(hm.examples()); at the prompt help, apropos, examples.
hm.help, hm.apropos, hm.examples, hm.show = help.help, help.apropos, help.examples, help.show
help.library = hm

--- Numbers of a whole run, for run:keep and the option keep of sweeps: hm.highest(x), hm.mean "energy", hm.first "event".
hm.highest, hm.lowest, hm.mean, hm.first, hm.count = measures.highest, measures.lowest, measures.mean, measures.first, measures.count

--- Several runs in one picture: hm.plot({ a = run1, b = run2 }, "x", "y").
hm.plot = function(...) return require "hamel.show.plot"(...) end

--- A run kept by run:save "x.hamel": hm.load("x.hamel", S).
hm.load = require "hamel.run.archive".load

--- Makes the names of the library names of the script: hm.use(); local S = system "top". Those that have a value stay. At the prompt it is done.
function hm.use()
  for name, value in next, hm do if _G[name] == nil then _G[name] = value end end
end

--- The run begun last, also when it was interrupted or failed; an error when there was none.
function hm.last_run() return simulate.last_run or object.fail("hm.last_run: no run was begun yet; S:simulate{...} begins one") end

for name, f in pairs(hm) do if type(f) == "function" then hm[name] = object.strict("hm." .. name, f, 1) end end
symbols.refuse_surplus()

return setmetatable(hm, { __index = function(_, name)
  object.fail("hm has no field '%s'%s", tostring(name), object.hint(name, object.keys(hm)))
end })
