-- algebra/init.lua: exact algebra on expressions: forms, the zero test, cancelled factors, equations, solving.
local answer = require "hamel.base.answer"
local conditions = require "hamel.algebra.conditions"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local inexact = require "hamel.algebra.inexact"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
require "hamel.algebra.series"
require "hamel.algebra.symbols"
local undefined = require "hamel.algebra.undefined"
local value_at_random = require "hamel.algebra.value_at_random"

local fail = object.fail
local methods = core.methods

-- lists of the core, which print their entries
for _, name in ipairs{ "operands", "symbols" } do
  local plain = methods[name]
  methods[name] = function(...) return answer.dressed(plain(...)) end
end
local algebra = {}

local schema = {
  form = { default = "auto", type = "string", choices = { "auto", "fraction", "expanded", "factored", "collected", "normal" },
    doc = "auto, fraction, expanded, factored, collected, normal" },
  by = { type = "table", doc = "symbols to collect by" },
  seconds = { type = "number", above = 0, doc = "time allowed; what ends in time depends on the machine and its load" },
  effort = { type = "number", above = 0, doc = "work allowed, in seconds of a usual machine; 5 without seconds. The same on every machine" },
  terms = { type = "number", above = 0, doc = "terms allowed in one polynomial; 20000" },
  bytes = { type = "number", above = 0, doc = "bytes it may hold at one time; 1e9" },
}

local function as_expression(e, what)
  if type(e) == "number" then return core.number(e) end
  if not core.is_expression(e) then fail("%s: an expression is expected, not %s", what, type(e)) end
  return e
end

local function reduce(e, o)
  local result, status, reason = core.simplify(e, o.form, o.by, o)
  if status == "INTERRUPTED" then fail("interrupted") end
  if reason ~= "" then return result, reason end
  return result
end

-- The same for expressions with inexact numbers
local function reduce_any(e, o)
  local function with(plain, by)
    local request = {}
    for key, value in pairs(o) do request[key] = value end
    request.by = by
    return reduce(plain, request)
  end
  return inexact.through(with, e, o.by)
end

-- The result of a function of exact algebra; an error because the expression is nowhere real names that reason
local function exactly(what, e, f, ...)
  local found = table.pack(protected(f, e, ...))
  if found[1] then return table.unpack(found, 2, found.n) end
  local reason = core.is_expression(e) and not core.host.interrupted() and undefined.everywhere{ e }
  if reason then fail("%s: the expression has no real value anywhere: %s", what, reason) end
  error(found[2], 0)
end

-- Conditions of a formula that has a value somewhere
local function conditions_of(what, e)
  e = as_expression(e, what)
  local reason = undefined.everywhere{ e }
  if reason then fail("%s: the expression has no real value anywhere: %s", what, reason) end
  return conditions.of{ e }
end

-- ---- forms on request

--- The form asked for: e:simplify() (shortest of several equal forms), e:simplify "factored", e:simplify{ form = "collected",
--- by = {x}, seconds = 2 }. The second result is a reason when a limit (effort, seconds, terms, bytes) was reached and e came back unchanged.
--- The form and e have the same value wherever both have one: see e:domain(). Unit quaternions and direction cosines of rotations have unit length in
--- the shortest form.
function methods.simplify(e, given)
  if type(given) == "string" then given = { form = given } end
  local o = options.check("simplify", schema, given)
  if o.form == "collected" and not o.by then fail("simplify: the form 'collected' needs by = {symbols}") end
  local result, reason = reduce_any(e, o)
  if reason then return result, reason end
  return o.form == "auto" and require "hamel.algebra.unit_quaternion".shorter(result) or result
end

--- Products multiplied out; with a second result as e:simplify has it. e:simplify{ form = "expanded", terms = 1e6 } raises the limits.
function methods.expand(e) return reduce_any(e, { form = "expanded" }) end
--- A product of irreducible factors; with a second result as e:simplify has it.
function methods.factor(e) return reduce_any(e, { form = "factored" }) end
--- Collected by symbols or functions as they are written: e:collect{x, y.dot}; with a second result as e:simplify has it.
function methods.collect(e, by)
  if core.is_expression(by) then by = { by } end
  if type(by) ~= "table" then fail("collect takes symbols in a list, as in e:collect{x}") end
  return reduce_any(e, { form = "collected", by = by })
end
--- Numerator of the fraction in lowest terms.
function methods.numerator(e) return (exactly("numerator", e, core.fraction)) end
--- Denominator of the fraction in lowest terms.
function methods.denominator(e) return (select(2, exactly("denominator", e, core.fraction))) end
--- Coefficient of x^power (1 when not given) of an expression polynomial in x, a symbol or a function: e is the sum of coefficient times
--- x^power. A function counts as it is written: sin(a)^2 has no cos(a). Refused: what is not polynomial in x, and functions that hide x, as
--- sin(2*a) does sin(a).
function methods.coefficient(e, x, power)
  return exactly("coefficient", e, core.coefficient, as_expression(x, "coefficient"), power)
end

--- Factors of the denominators of e, as it is written, that may be zero (of tan(x): cos(x)). e:domain() has all conditions.
function methods.assumed_nonzero(e)
  return answer.dressed((conditions.split(conditions_of("assumed_nonzero", e))))
end

--- The conditions under which e, as it is written, has a real value: a list of pairs { expression, relation to zero }, the relation "~=",
--- ">=" or ">"; it prints as x > 0, x - y ~= 0. Powers are merged when they are written: x/x is 1 and sqrt(x)^2 is x, which are defined
--- everywhere.
function methods.domain(e) return conditions_of("domain", e) end

--- Is the expression zero wherever it is defined? true: proved; false: proved not to be; nil and a number: cannot tell, with the
--- largest value (relative to the size of the terms) met at random points. Expressions with inexact numbers that were rounded, as
--- hm.sin(a)^2 + hm.cos(a)^2 - 1 where a is math.sqrt(7)/3, are never proved to be zero. Quaternions of rotations have unit length; direction cosines and
--- body rates are what they are made of.
function methods.is_zero(e)
  local verdict, evidence = require "hamel.algebra.unit_quaternion".decide(e)
  if verdict == "zero" then return true end
  if verdict == "nonzero" then return false end
  return nil, evidence
end

-- ---- LaTeX in lines

local latex_schema = {
  width = { type = "number", above = 8, doc = "width of a line in em, the width of M; lines of any length when not given" },
  short_trig = { type = "boolean", doc = "sin theta as an upright s with the subscript theta, cos theta as c" },
}

local function broken_latex(text, given)
  if given == nil then return text end
  local o = options.check("latex", latex_schema, given)
  return require "hamel.algebra.latex_lines".formula(text, o.width, o.short_trig)
end

--- LaTeX of the expression: dots, Greek letters, fractions. e:latex{ width = 34 } breaks what is wider than 34 em into an aligned environment
--- of amsmath; short_trig = true writes sin theta as an upright s with the subscript theta.
function methods.latex(e, given) return broken_latex(core.latex(e), given) end

options.declare("latex", latex_schema)

--- The text of the expression, or its text for another algebra system: e:text "sympy", "mathematica", "maxima". Coordinates become functions
--- of t, their derivatives Derivative(x(t), t), Derivative[1][x][t], diff(x(t), t, 1). A name that the system reserves gets _ (Mathematica: $)
--- behind it, as lambda_ in SymPy.
function methods.text(e, system)
  return system == nil and core.text(e) or require "hamel.algebra.other_systems".text(e, system)
end

-- ---- equations with two sides

local Equation = object.class "Equation"

--- hm.eq.
function algebra.eq(left, right)
  return setmetatable({ left = as_expression(left, "eq"), right = as_expression(right, "eq") }, Equation.meta)
end

function Equation.meta.__tostring(q) return core.text(q.left) .. " = " .. core.text(q.right) end
--- The equation in LaTeX: q:latex{ width = 34 } breaks it into lines as e:latex does.
function Equation:latex(given) return broken_latex(core.latex(self.left) .. " = " .. core.latex(self.right), given) end
--- The text of the equation, or its text for "sympy", "mathematica" or "maxima", as e:text has it.
function Equation:text(system)
  return system == nil and tostring(self) or require "hamel.algebra.other_systems".equation(self.left, self.right, system)
end
--- left - right.
function Equation:residual() return self.left - self.right end
function Equation:subs(map) return algebra.eq(self.left:subs(map), self.right:subs(map)) end
function Equation:simplify(given) return algebra.eq(self.left:simplify(given), self.right:simplify(given)) end

--- Is this an equation with two sides?
function algebra.is_equation(e) return getmetatable(e) == Equation.meta end

--- What vanishes: an expression as it is, an equation as left - right.
function algebra.residual(e, what)
  if getmetatable(e) == Equation.meta then return e:residual() end
  return as_expression(e, what)
end

-- ---- linear systems

--- The note on a solution whose determinant could not be decided.
function algebra.conditional(determinant)
  return ("holds only if %s is not zero, which could not be decided"):format(core.text(determinant))
end

-- An unknown that no equation contains, an equation without unknowns: said by name
local function refuse_idle(A, unknowns)
  local n = #unknowns
  for k = 1, n do
    local in_column, in_row = false, false
    for i = 1, n do
      in_column = in_column or A[(i - 1)*n + k]:is_zero() ~= true
      in_row = in_row or A[(k - 1)*n + i]:is_zero() ~= true
    end
    if not in_column then fail("solve: %s does not occur in the equations", core.text(unknowns[k])) end
    if not in_row then fail("solve: equation %d contains none of the unknowns", k) end
  end
end

--- hm.solve.
function algebra.solve(equations, unknowns)
  if core.is_expression(equations) or getmetatable(equations) == Equation.meta then equations = { equations } end
  if core.is_expression(unknowns) then unknowns = { unknowns } end
  if type(equations) ~= "table" or type(unknowns) ~= "table" then fail("solve takes a list of equations and a list of unknowns") end
  if #equations ~= #unknowns then fail("solve: %d equations for %d unknowns", #equations, #unknowns) end
  if #unknowns == 0 then fail("solve: there is nothing to solve") end
  local A, B, zeros, is_unknown = {}, {}, {}, {}
  for i, x in ipairs(unknowns) do
    if not core.is_expression(x) or core.kind(x) ~= "symbol" then fail("solve: unknown %d is no symbol", i) end
    if is_unknown[x] then fail("solve: %s occurs twice among the unknowns", core.text(x)) end
    zeros[i], is_unknown[x] = 0, true
  end
  for i, equation in ipairs(equations) do
    local e = algebra.residual(equation, "solve")
    local jump = gradients.jump(e, unknowns)
    if jump then fail("solve: equation %d is not linear: it contains %s", i, core.text(jump)) end
    for _, entry in ipairs(core.gradient(e, unknowns)) do
      for _, s in ipairs(core.symbols{ entry }) do
        if is_unknown[s] and entry:simplify():subs{ [s] = s + 1 } ~= entry:simplify() then
          fail("solve: equation %d is not linear in %s", i, core.text(s))
        end
      end
      A[#A + 1] = core.substitute(entry, unknowns, zeros)
    end
    B[i] = -core.substitute(e, unknowns, zeros)
  end
  refuse_idle(A, unknowns)
  local X, determinant, regular = core.solve_linear(#unknowns, A, B)
  local names = {}
  for i, x in ipairs(unknowns) do X[x], names[i] = X[i], core.text(x) end
  answer.labelled(X, names)
  if not regular then return X, determinant, algebra.conditional(determinant) end
  return X, determinant
end

-- ---- do two formulas agree?

local Agreement = object.class "Agreement"
for _, name in ipairs{ "equal", "witness", "difference", "evidence", "what", "reason" } do
  Agreement.get[name] = function(a) return rawget(a, name) end
end

local function conditions_in_words(a)
  local text = {}
  for i, e in ipairs(a.where) do
    local size = core.tree_size(e)
    text[i] = size <= undefined.LONG and core.text(e) .. " ~= 0" or ("a factor of %d nodes does not vanish (.where[%d])"):format(size, i)
  end
  for i, one in ipairs(a.domain) do
    local size = core.tree_size(one[1])
    local left = size <= undefined.LONG and core.text(one[1]) or ("an expression of %d nodes (.domain[%d][1])"):format(size, i)
    text[#text + 1] = ("%s %s 0"):format(left, one[2])
  end
  return text
end

function Agreement.meta.__tostring(a)
  if a.verdict == "equal" then
    local text = conditions_in_words(a)
    return "equal" .. (#text > 0 and " where " .. table.concat(text, ", ") or "")
  elseif a.verdict == "different" then
    local at = {}
    for i, pair in ipairs(a.witness or {}) do at[i] = ("%s = %.6g"):format(core.text(pair[1]), pair[2]) end
    local what = a.what and ": " .. table.concat(a.what, ", ") or ""
    return "different" .. what .. (#at > 0 and ("%s by %.6g at %s"):format(a.what and "," or ":", a.difference, table.concat(at, ", ")) or "")
  end
  if a.verdict == "undefined" then return "undefined: " .. a.reason end
  local what = a.what and " " .. table.concat(a.what, ", ") or ""
  if a.evidence ~= a.evidence or a.evidence == math.huge then return ("undecided:%s no point was met where both have a value"):format(what) end
  if a.evidence == 0 then return ("undecided:%s no difference beyond rounding at random points, not proved"):format(what) end
  return ("undecided:%s within %.1g at random points, not proved"):format(what, a.evidence)
end

local function new_agreement() return setmetatable({ verdict = "equal", equal = true, where = {}, domain = {} }, Agreement.meta) end

--- An empty agreement, for the comparison of several things by name: take_verdict, demand.
algebra.agreement = new_agreement

local rank = { equal = 1, undecided = 2, undefined = 3, different = 4 }

--- Merges the verdict on one part, called `what`, into the whole; the worst verdict is kept, with the witness of its first part.
function algebra.take_verdict(self, one, what)
  if one.verdict == "equal" or rank[one.verdict] < rank[self.verdict] then return end
  if one.verdict ~= self.verdict then
    self.verdict, self.what, self.witness, self.difference, self.evidence = one.verdict, {}, one.witness, one.difference, one.evidence
    self.reason, self.equal = one.reason, nil
    if one.verdict == "different" then self.equal = false end
  end
  if not object.contains(self.what, what) then table.insert(self.what, what) end
end

local function factors_that_vanish(e)
  local list, product = {}, reduce(core.fraction(e), { form = "factored", effort = 1 })
  for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do
    if core.kind(factor) == "power" then factor = core.operands(factor)[1] end
    if core.tree_size(-factor) < core.tree_size(factor) then factor = -factor end
    local harmless = core.number_value(factor) ~= nil or core.known_positive(factor) or core.known_positive(-factor)
    if not harmless then list[#list + 1] = factor end
  end
  return list
end

--- Factors of e (a determinant) that may vanish.
function algebra.critical_factors(e) return inexact.parts(factors_that_vanish, e) end

--- An equality holds where these factors do not vanish.
function Agreement:demand(factors)
  if self.verdict ~= "equal" then return end
  for _, factor in ipairs(factors) do if not object.contains(self.where, factor) then table.insert(self.where, factor) end end
end

--- An equality holds where this expression vanishes.
function Agreement:demand_zero(e)
  if self.verdict ~= "equal" then return end
  table.insert(self.domain, { e, "=" })
end

-- A real point where the expression is clearly not zero; none where functions without a formula have no value, or quaternions are bound to a sphere
local function witness(e)
  if #core.opaque_calls{ e } > 0 or require "hamel.algebra.unit_quaternion".occurs(e) then return nil end
  local list = core.symbols{ e }
  local values, value = value_at_random(e, list, 200, function(v) return v == v and math.abs(v) > 1e-6 and math.abs(v) < math.huge end)
  if not values then return nil end
  local point = {}
  for i, s in ipairs(list) do point[i] = { s, values[i] } end
  return point, value
end

local function agree_one(a, b)
  local verdict, evidence = require "hamel.algebra.unit_quaternion".decide(a - b)
  local result = new_agreement()
  result.verdict, result.evidence = verdict == "zero" and "equal" or verdict == "nonzero" and "different" or "undecided", evidence
  local reason = result.verdict ~= "different" and undefined.everywhere{ a, b }
  if reason then result.verdict, result.reason = "undefined", reason end
  result.equal = nil
  if result.verdict == "equal" then
    result.equal = true
  elseif result.verdict == "different" then
    result.equal = false
    result.witness, result.difference = witness(a - b)
  end
  return result
end

local function is_list(v) return type(v) == "table" and getmetatable(v) ~= Equation.meta end

-- The worst verdict on the parts; all single formulas are entered into `list`
local function agree_parts(a, b, list)
  if is_list(a) ~= is_list(b) then fail("agree: a list and a single formula") end
  if not is_list(a) then
    local one, two = algebra.residual(a, "agree"), algebra.residual(b, "agree")
    list[#list + 1], list[#list + 2] = one, two
    return agree_one(one, two)
  end
  if #a ~= #b then fail("agree: %d formulas and %d", #a, #b) end
  local total = new_agreement()
  for i = 1, #a do
    local one = agree_parts(a[i], b[i], list)
    if one.verdict == "different" then return one end
    if rank[one.verdict] > rank[total.verdict] then total = one end
  end
  return total
end

--- hm.agree of formulas.
function algebra.agree(a, b)
  local list = {}
  local total = agree_parts(a, b, list)
  if total.verdict == "equal" then total.where, total.domain = conditions.split(conditions.of(list)) end
  return total
end

-- for completion at the prompt
debug.getmetatable(core.rational(1)).__names = function()
  local names = object.keys(methods)
  return table.move({ "dot", "ddot" }, 1, 2, #names + 1, names)
end

options.declare("simplify", schema)

return algebra
