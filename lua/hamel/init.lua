-- init.lua: the module that users require: require "hamel" loads the rest in order.
local core = require "hamel.core"
core.library("@" .. debug.getinfo(1, "S").source:match("^@(.*)init%.lua$"))

local answer = require "hamel.base.answer"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"
local algebra = require "hamel.algebra"
require "hamel.algebra.trig"
local where = require "hamel.algebra.where"
local opaque = require "hamel.algebra.opaque"
local pieces = require "hamel.algebra.pieces"
local System = require "hamel.system"
require "hamel.system.classify"
require "hamel.system.energies"
require "hamel.bodies"
local laws = require "hamel.laws"

-- loaded at the first use
for module, names in pairs{
  ["hamel.geometry.free_motion"] = { "free_motion", "multipliers", "mass_matrix", "christoffel" },
  ["hamel.geometry.holonomy"] = { "holonomic", "constraint_integrals", "integrals" }, ["hamel.geometry.derived_flag"] = { "derived_flag" },
  ["hamel.geometry.surface_flow"] = { "is_conserved" }, ["hamel.geometry.conserved"] = { "conserved" },
  ["hamel.geometry.measure"] = { "invariant_measure" }, ["hamel.geometry.commutation"] = { "commutation", "constraint_variation" },
  ["hamel.geometry.mapping"] = { "linear_mapping" }, ["hamel.geometry.two_field"] = { "two_field" }, ["hamel.analysis.compare"] = { "compare" },
  ["hamel.analysis.applicable"] = { "forms" }, ["hamel.analysis.reactions"] = { "reactions" }, ["hamel.analysis.section"] = { "section" },
  ["hamel.analysis.linearize"] = { "linearize" }, ["hamel.analysis.equilibrium"] = { "equilibrium" },
  ["hamel.analysis.export_c"] = { "export_c" }, ["hamel.analysis.sweep"] = { "sweep" },
  ["hamel.analysis.variations"] = { "variations" }, ["hamel.analysis.lyapunov"] = { "lyapunov" }, ["hamel.analysis.periodic"] = { "periodic" },
  ["hamel.continuation"] = { "continue" }, ["hamel.chart"] = { "chart" }, ["hamel.chart.diagram"] = { "diagram" },
  ["hamel.geometry.controllability"] = { "controllability" }, ["hamel.geometry.hamiltonian"] = { "hamiltonian" },
  ["hamel.geometry.group"] = { "symmetry" }, ["hamel.geometry.growth"] = { "growth_vector" },
  ["hamel.analysis.multiplier"] = { "chaplygin_multiplier" }, ["hamel.analysis.routh"] = { "routh", "lift", "eliminated" },
  ["hamel.analysis.steady"] = { "steady" }, ["hamel.analysis.reference"] = { "reference" },
  ["hamel.analysis.enclosure"] = { "enclosure" }, ["hamel.analysis.prove_periodic"] = { "prove_periodic" },
  ["hamel.analysis.prove_equilibrium"] = { "prove_equilibrium" }, ["hamel.analysis.derivation"] = { "derivation" },
  ["hamel.analysis.fit"] = { "fit" }, ["hamel.system.units"] = { "check_units", "unit_labels", "unit_of" }, ["hamel.system.input"] = { "input" },
  ["hamel.system.define"] = { "define" }, ["hamel.forms"] = { "equations" }, ["hamel.equations.nonlinear"] = { "transposition" },
  ["hamel.run.simulate"] = { "simulate" }, ["hamel.system.contact"] = { "unilateral", "set_law", "friction" },
  ["hamel.model.redundant"] = { "_replacing", "_independent", "_on_spheres" }, ["hamel.equations.kinematics"] = { "quasi_velocities" },
  ["hamel.show.portrait"] = { "portrait" }, ["hamel.run.asked"] = { "accelerations", "velocities" },
} do object.later("System", module, names) end
object.later_fields(System, "hamel.model.redundant", { "degrees_of_freedom", "redundant_constraints" })
object.later_fields(System, "hamel.equations.coupling", { "lambda" })
for module, names in pairs{ ["hamel.analysis.section"] = { "section" }, ["hamel.run.save"] = { "save" },
                            ["hamel.run.measures"] = { "keep", "kept" }, ["hamel.show.plot"] = { "plot" },
                            ["hamel.analysis.accuracy"] = { "accuracy" },
                            ["hamel.show.results"] = { "plot_drift" }, ["hamel.show.animate"] = { "animate" },
                            ["hamel.show.film"] = { "film" } } do object.later("Trajectory", module, names) end
for _, class in ipairs{ "Comparison", "Section", "Sweep" } do object.later(class, "hamel.show.results", { "plot" }) end
for _, class in ipairs{ "Branch", "Chart", "Diagram" } do object.later(class, "hamel.show.charts", { "plot" }) end

object.later("Equations", "hamel.equations.matrix_form", { "matrix_form" })

local hm = { version = core.version, t = symbols.t, sqrt = core.sqrt }

-- Functions of a module that is read when one of them is called first; `fields`: those that have another name there
local function at_first_call(module, fields, ...)
  local list = {}
  for i, name in ipairs{ ... } do list[i] = object.at_first_call("hm." .. name, module, fields[name] or name) end
  return table.unpack(list)
end

-- laws of impact, one function per row of the registry
for name, f in pairs(laws.constructors) do hm[name] = f end

object.later("Library", "hamel.forms.shared.own_form", { "form" })   -- for help on its options
--- A formalism of your own: see examples/tutorials/own_form.md.
function hm.form(given) return require "hamel.forms.shared.own_form"(given) end

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
--- A function known by name alone, such as a potential: V = hm.func("V", r), hm.func("F", x, y.dot, hm.t); up to 8 arguments, expressions.
--- V stands for V(r), V(2*r) is its value elsewhere; derivatives are V'(r), of several arguments diff(F(x, y), x), in LaTeX partial derivatives.
--- Energies, forces and constraints may contain it: the equations hold for any V. S:define(V, k*r^2/2) or e:define(V, ...) gives the formula;
--- without one there are no numbers, and a run is refused. hm.parse reads it where V is in the list of names.
hm.func = opaque.func
--- The formula of a function of hm.func in an expression: hm.define(e, V, k*r^2/2) is e:define(V, k*r^2/2).
hm.define = core.methods.define
--- Partial derivative of an expression: hm.diff(e, x), hm.diff(e, x, y). By the time alone it is an error where the expression depends on time
--- only through coordinates: the time derivative is hm.dt(e), the partial one on purpose hm.partial(e, hm.t).
function hm.diff(e, x, ...) return core.methods.diff(e, x, ...) end
--- Partial derivative by coordinates, velocities, parameters and the time alike: hm.partial(e, hm.t) is 0 where the time does not occur.
hm.partial = core.diff
--- Total time derivative of an expression. Where the expression jumps, as hm.step(hm.t) does, its rate is an impulse, which no formula holds: an error.
function hm.dt(e)
  local jump = core.is_expression(e) and core.functions_in{ e }.sign and pieces.jumps{ e }[1]
  if jump then
    object.fail("dt: the expression jumps where %s = 0, and its rate is an impulse there, which formulas do not hold; replace the jump by a change over a "
      .. "short time, as hm.ramp(hm.t, 1, 1.01) is one", core.text(jump))
  end
  return core.dt(e)
end
--- Gradient of e with respect to a list of symbols, as a list, by one reverse sweep.
function hm.gradient(e, list) return answer.dressed(core.gradient(e, list)) end
--- An equation: hm.eq(left, right). hm.solve takes equations and expressions that are zero alike.
function hm.eq(left, right) return algebra.eq(left, right) end
--- Solves linear equations for as many unknowns: hm.solve({e1, e2}, {x, y}) returns the solutions, by position and by unknown
--- (s[1], s[x]), and the determinant that must not vanish. Equations are expressions that are zero, or hm.eq(left, right).
--- A third result says so when it cannot be decided whether the determinant vanishes identically: then it is a condition to be checked.
--- Errors: equations that are not linear, that depend on each other or contradict each other, unknowns that do not occur.
function hm.solve(equations, unknowns) return algebra.solve(equations, unknowns) end
--- Are two formulas the same: expressions, equations, lists and matrices of them; or two sets of equations of motion:
--- hm.agree(S:equations "maggi", S:equations "chaplygin"). Sets are solved for the accelerations, which must agree on the constraints;
--- sets of two systems with the same coordinates may be compared. The result prints its verdict and has verdict ("equal", "different",
--- "undecided", "undefined" for formulas that have no value anywhere), equal (true, false, nil), where (factors that must not vanish),
--- domain (other conditions: pairs { expression, ">", ">=" or "=" }; "=" where one system constrains the
--- velocities alone and another the positions too), reason (of "undefined"), witness, difference (value of first - second
--- there), what (for sets: the accelerations or constraints that differ, or that could not be decided). Formulas that are equal have the
--- same value wherever both have one: log(x^2) and 2*log(x) are "equal where x > 0". The conditions are read off the formulas as they are
--- written, and powers are merged as they are written: x/x is 1 and sqrt(x)^2 is x before they are compared, without a condition.
--- Further arguments are compared with the first, too: hm.agree(S:equations(), S:equations "maggi", S:equations "hamel").
function hm.agree(a, b, ...)
  if b == nil then object.fail("hm.agree(a, b) compares two formulas or sets of equations; the second one is missing") end
  return answer.dressed(require "hamel.analysis.agree"(a, b, ...))
end
--- Functions made of pieces: conditions x:lt(0), x:le(0), x:gt(0), x:ge(0); steps and ramps.
hm.where, hm.piecewise, hm.step, hm.ramp = where.where, where.piecewise, where.step, where.ramp
--- Matrices of expressions.
hm.matrix, hm.identity, hm.jacobian, hm.hessian = at_first_call("hamel.algebra.matrix", { matrix = "new" }, "matrix", "identity", "jacobian", "hessian")
--- The exact number: hm.sin(hm.pi/6) is 1/2. math.pi is a double like any other.
hm.pi = core.pi()
--- Exact fraction: hm.rational(1, 3).
hm.rational = core.rational
--- A number or decimal text as exact expression: hm.number "0.1". A number of Lua with all digits of a double, as math.sin(0.3), gives an inexact
--- number, and so does all that is computed with it: to about 30 digits, with a bound of the rounding errors. It is printed with 16 digits at
--- least. Where the bound leaves open whether it is zero, tests of zero are undecided and divisions by it are refused; so are numbers beyond
--- the range of doubles.
hm.number = core.number
--- Text to expression: hm.parse("x'^2/2", {x}); names must be among the symbols given, each of them one symbol; hm.parse "1/3" has none. The text of an
--- expression, tostring(e), reads back as e; inexact numbers are read with the digits that are printed.
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
  return core.parse(text, given or {})
end

--- A ball: all numbers within `radius` of `mid`: hm.ball(2, "1e-6"). Numbers, texts such as "9.81" and expressions such as hm.pi/6 count as
--- their exact values. A ball has `lower`, `upper`, `radius` (doubles, rounded outward), b:text(digits), b:contains(x), b:meets(other ball) and
--- b:positive() (true, false, or nil where both signs are in it). As a start or a parameter of S:enclosure it stands for every value in it.
function hm.ball(mid, radius) return require "hamel.analysis.ball".new(mid, radius) end

--- Proves that a map has a fixed point, or a cycle, and judges its stability:
--- hm.prove_fixed_point{ map = function(x, y) return 1 - 1.4*x^2 + y, 0.3*x end, at = {0.6, 0.2}, period = 1 }. The map may also be a list of expressions
--- in symbols: map = {...}, of = {x, y}, parameters = {a = "1.4", b = {"0.29", "0.31"}}; boxes stand for each value in them. Newton's method improves the
--- guess; Krawczyk's test in ball arithmetic proves that a box about it holds one fixed point, and only one.
--- Returns a proof: proved, reason (where it is not), x (balls), cycle (the points), radius, contraction, tried (no other one is so near),
--- multipliers = list of { re, im, size (balls), count }, stable (true, false, nil where it is undecided), verdict, least (true where no smaller period is
--- possible). p:save(path) writes a certificate. Closed orbits as fixed points of the map of a section: S:prove_periodic.
function hm.prove_fixed_point(given) return require "hamel.analysis.prove_fixed_point".new(given) end
options.later("prove_fixed_point", "hamel.analysis.prove_fixed_point")

--- Proves again what a certificate of S:prove_periodic, S:prove_equilibrium or hm.prove_fixed_point says, with more bits:
--- hm.check_certificate(S, "orbit.cert") returns true, or false and the reason. The equations, the parameters and the integrals of the certificate must be
--- those of the system S; parameters that the proof was given may have other values. For maps give a proof of hm.prove_fixed_point in place of S, whose map
--- must be the same. A certificate whose steps would take more than about a minute is refused, unless it is checked with {long = true}, as by
--- `hamel verify --long`. Raises an error where the file is no certificate.
function hm.check_certificate(system, path, given) return require "hamel.analysis.certificate".check(system, path, given) end
options.later("check_certificate", "hamel.analysis.certificate")

--- n equally spaced numbers from a to b: hm.range(0, 1, 11).
function hm.range(a, b, n)
  local from, to = symbols.number(a), symbols.number(b)
  local whole = math.tointeger(n)
  if not from or not to or to - from ~= to - from or math.abs(to - from) == math.huge or not whole or whole < 1 then
    object.fail("hm.range(a, b, n): two finite numbers and how many, a whole number from 1 on; given are %s, %s, %s", tostring(a), tostring(b), tostring(n))
  end
  n = whole
  local list = {}
  for i = 1, n do list[i] = n == 1 and from or from + (to - from)*((i - 1)/(n - 1)) end
  return list
end

--- A table of numbers from a file: hm.read "drive.csv" or hm.read "drive.npz" gives a table of lists by column, and their names in order:
--- d.names, d.t, d["x'"]. CSV: fields parted by commas, semicolons or tabs, lines with # skipped, names in the first line (else "column 1", ...).
--- A column holds numbers (nan is one) or texts; numbers have decimal points and no gaps. An empty field among numbers is an error;
--- hm.read("drive.csv", { empty = "nan" }) reads it as nan. NumPy: one list for each array, a list of rows for two dimensions, an empty list
--- where there are no numbers. A name that occurs again becomes "x (2)", and a column called "names" is d["column names"]. Files of up to
--- 1 GB. Errors tell the line and the column, or the array that is damaged.
function hm.read(path, given) return require "hamel.algebra.data".read(path, given) end
options.later("read", "hamel.algebra.data")
--- Measured data as a function: u = hm.data{ x = {0, 1, 2}, y = {0, 0.5, 0.2}, name = "u" } or hm.data{ file = "drive.csv", column = "F" }.
--- u(hm.t) is an expression like any other, with derivatives (u'(t) by hm.dt), for forces, moving supports, parameters that change with time or
--- place; u(0.7) is a number. kind: "cubic" (natural spline), "periodic" (slope and curvature agree at both ends), "akima", "steffen" (without
--- overshoot), "linear". u.from and u.to are the ends; beyond them there is no value, of "periodic" neither: numbers are nan, and a run stops there
--- with the name. The steps of a run end at the points of the curve, where its derivatives may jump.
function hm.data(given) return require "hamel.algebra.data".new(given) end
options.later("data", "hamel.algebra.data")

object.later("Library", "hamel.show.paper", { "paper" })        -- for help on its options
--- A table of verdicts for scripts that reproduce a text: P = hm.paper{ title = "Mei 1994", tolerance = 1e-9 }. Its methods print one line each:
--- P:agrees, P:digits, P:holds and P:proves check equations and statements, P:misprint refutes what P:printed quotes, P:definition and P:not_checked say that
--- nothing was checked, P:quote and P:show add to the next line and to the page, P:save writes tables. os.exit(P:finish()) ends a script.
hm.paper = function(...)
  require "hamel.show.digits"
  return require "hamel.show.tables".new(...)
end

--- Pages on everything public: print(hm.help "simulate"), print(hm.apropos "friction"), print(hm.examples()); at the prompt help, apropos, examples.
hm.help, hm.apropos, hm.examples, hm.show = at_first_call("hamel.book.help", {}, "help", "apropos", "examples", "show")

--- Numbers of a whole run, for run:keep and the option keep of sweeps: hm.highest(x), hm.mean "energy", hm.first "event".
hm.highest, hm.lowest, hm.mean, hm.first, hm.count, hm.at = at_first_call("hamel.run.measures", {}, "highest", "lowest", "mean", "first", "count", "at")

--- Several runs, sections or branches in one picture: hm.plot({ a = run1, b = run2 }, "x", "y"); hm.plot({ B, B2 }, { file = "branches.png" }).
hm.plot = function(...) return require "hamel.show.plot".plot(...) end

--- How the cells of a Jupyter notebook show values from here on: hm.notebook{ math = "latex" or "text", pictures = "both", "svg" or "png", width = 50
--- (of formulas, in em), height = 420 (of motions, in pixels) }. Settings that are not named stay. Outside a notebook it changes nothing.
hm.notebook = function(...) return require "hamel.show.display".notebook(...) end

--- Reads what was saved: hm.load("x.hamel", S) a run that run:save wrote, hm.load("x.branch", S) a branch that B:save wrote. S is the system it was
--- made with. hm.load "x.hamel" without it gives the states of a run alone. Nothing in the file is executed; a damaged file is refused.
function hm.load(path, system) return require "hamel.run.archive".load(path, system) end
local files = require "hamel.base.files"
function files.writers.hamel(...)
  require "hamel.run.archive"
  return files.writers.hamel(...)
end
files.readers["hamel branch"] = function(...)
  require "hamel.continuation.saved"
  return files.readers["hamel branch"](...)
end

--- Makes the names of the library names of the script: hm.use(); local S = system "top". Those that have a value stay. At the prompt it is done.
function hm.use()
  for name, value in next, hm do if _G[name] == nil then _G[name] = value end end
end

--- The run begun last, also when it was interrupted or failed; an error when there was none.
function hm.last_run()
  return require "hamel.run.simulate".last_run or object.fail("hm.last_run: no run was begun yet; S:simulate{...} begins one")
end

for name, f in pairs(hm) do if type(f) == "function" then hm[name] = object.strict("hm." .. name, f, 1) end end
symbols.refuse_surplus()
object.library = hm

local meta = {}

function meta.__index(_, name)
  if rawget(core.methods, name) then object.fail("hm has no field '%s'; it belongs to expressions: e:%s(...)", name, name) end
  object.fail("hm has no field '%s'%s", tostring(name), require "hamel.book.hints".undefined(name, object.keys(hm)))
end

function meta.__tostring() return ("the library Hamel %s; hm.help() is the way in, hm.help \"hm\" lists its functions"):format(core.version) end

return setmetatable(hm, meta)
