-- algebra/init.lua: exact algebra on expressions: forms, the zero test, cancelled factors, series, equations, solving.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local latex_lines = require "hamel.algebra.latex_lines"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local other_systems = require "hamel.algebra.other_systems"
require "hamel.algebra.symbols"

local fail = object.fail
local methods = core.methods

-- lists of the core, which print their entries
for _, name in ipairs{ "operands", "symbols" } do
  local plain = methods[name]
  methods[name] = function(...) return answer.dressed(plain(...)) end
end
local algebra = {}

local schema = {
  form = { default = "auto", type = "string", doc = "auto, fraction, expanded, factored, collected, normal" },
  by = { type = "table", doc = "symbols to collect by" },
  seconds = { type = "number", above = 0, doc = "time allowed; 5" },
  terms = { type = "number", above = 0, doc = "terms allowed in one polynomial; 20000" },
  bytes = { type = "number", above = 0, doc = "bytes it may hold at one time; 1e9" },
}
local forms = { "auto", "fraction", "expanded", "factored", "collected", "normal" }

-- Factors cancelled on the way to an expression, by the expression (weak keys)
local cancelled = setmetatable({}, { __mode = "k" })

local function as_expression(e, what)
  if type(e) == "number" then return core.number(e) end
  if not core.is_expression(e) then fail("%s: an expression is expected, not %s", what, type(e)) end
  return e
end

local function reduce(e, o)
  local result, status, reason, factor = core.simplify(e, o.form, o.by, o)
  if status == "INTERRUPTED" then fail("interrupted") end
  if factor and core.number_value(factor) == nil then
    cancelled[result] = cancelled[result] or {}
    table.insert(cancelled[result], factor)
  end
  for _, earlier in ipairs(cancelled[e] or {}) do
    if result ~= e then
      cancelled[result] = cancelled[result] or {}
      table.insert(cancelled[result], earlier)
    end
  end
  if reason ~= "" then return result, reason end
  return result
end

-- expressions without a value anywhere

local LONG = 300                       -- nodes of a condition that is printed

local function brief(e)
  local size = core.tree_size(e)
  return size <= LONG and core.text(e) or ("an expression of %d nodes"):format(size)
end

-- The sign is multiplied into a sum, where it is seen
local function known_negative(e) return core.known_positive(0 - e) end

-- Why one node has no real value anywhere; nil: none is known
local function undefined_node(e)
  local kind, operands = core.kind(e), core.operands(e)
  local base, exponent = operands[1], operands[2]
  if kind == "power" then
    local n = core.number_value(exponent)
    if n and n < 0 and core.kind(base) ~= "symbol" and base:is_zero() == true then return ("%s vanishes identically and divides"):format(brief(base)) end
    if n and n % 1 ~= 0 and known_negative(base) then return ("a root of %s, which is negative"):format(brief(base)) end
  elseif kind == "call" then
    local f, n = core.name(e), core.number_value(base)
    if f == "log" and (known_negative(base) or base:is_zero() == true) then return ("the logarithm of %s, which is not positive"):format(brief(base)) end
    local unit, edge = f == "asin" or f == "acos" or f == "atanh", f == "atanh" and n and math.abs(n) == 1
    local outside = edge or (unit and (core.known_positive(base - 1) or known_negative(base + 1))) or (f == "acosh" and known_negative(base - 1))
    if outside then return ("%s is not a real number"):format(brief(e)) end
  end
end

-- Why a formula has no value anywhere, as far as that is seen
local function undefined_everywhere(list)
  local stack, met = table.move(list, 1, #list, 1, {}), {}
  while #stack > 0 do
    local e = table.remove(stack)
    if not met[e] then
      met[e] = true
      local reason = undefined_node(e)
      if reason then return reason end
      table.move(core.operands(e), 1, #core.operands(e), #stack + 1, stack)
    end
  end
end

-- The result of a function of exact algebra; an error because the expression is nowhere real names that reason
local function exactly(what, e, f, ...)
  local found = table.pack(pcall(f, e, ...))
  if found[1] then return table.unpack(found, 2, found.n) end
  local reason = core.is_expression(e) and not core.host.interrupted() and undefined_everywhere{ e }
  if reason then fail("%s: the expression has no real value anywhere: %s", what, reason) end
  error(found[2], 0)
end

-- ---- forms on request

--- The form asked for: e:simplify() (shortest of several equal forms), e:simplify "factored", e:simplify{ form = "collected",
--- by = {x}, seconds = 2 }. The second result is a reason when a limit (seconds, terms, bytes) was reached and e came back unchanged.
--- Holds where printed and cancelled denominators are not zero: see e:assumed_nonzero().
function methods.simplify(e, given)
  if type(given) == "string" then given = { form = given } end
  local o = options.check("simplify", schema, given)
  if not object.contains(forms, o.form) then fail("simplify: there is no form '%s'%s", o.form, object.hint(o.form, forms)) end
  if o.form == "collected" and not o.by then fail("simplify: the form 'collected' needs by = {symbols}") end
  return reduce(e, o)
end

--- Products multiplied out. The second result is a reason when a limit was reached and e came back unchanged; e:simplify{ form =
--- "expanded", terms = 1e6 } raises the limits.
function methods.expand(e) return reduce(e, { form = "expanded" }) end
--- A product of irreducible factors; with a second result as e:expand has it.
function methods.factor(e) return reduce(e, { form = "factored" }) end
--- Collected by symbols or functions as they are written: e:collect{x, y.dot}; with a second result as e:expand has it.
function methods.collect(e, by)
  if core.is_expression(by) then by = { by } end
  if type(by) ~= "table" then fail("collect takes symbols in a list, as in e:collect{x}") end
  return reduce(e, { form = "collected", by = by })
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

-- Is it proved not to be negative?
local function is_positive(e)
  local n = core.number_value(e)
  if n then return n > 0 end
  return (core.functions.abs(e) - e):is_zero() == true
end

-- What turns a corner or jumps at x = about: the function whose argument may vanish there; nil: none. atan2(a, b) jumps where a vanishes and b is
-- not positive
local function corner(e, x, about)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    local operands = core.operands(part)
    local name = not met[part] and core.kind(part) == "call" and core.name(part)
    local turns = name == "abs" or name == "sign" or name == "min" or name == "max"
    local argument = turns and (operands[2] and operands[1] - operands[2] or operands[1])
    if name == "atan2" then
      local fine, beside = pcall(core.substitute, operands[2], { x }, { about })
      argument = not (fine and is_positive(beside)) and operands[1] or nil
    end
    if argument and object.contains(core.symbols{ argument }, x) then
      local fine, there = pcall(core.substitute, argument, { x }, { about })
      if fine and there:is_zero() ~= false then return part end
    end
    if not met[part] then table.move(operands, 1, #operands, #stack + 1, stack) end
    met[part] = true
  end
end

--- Taylor polynomial in a small parameter: e:series(eps, 2) up to eps^2, about eps = 0 or about the third argument. Where abs, sign, min
--- or max turns a corner there, and where a value is missing, there is none: an error.
function methods.series(e, x, order, about)
  if not core.is_expression(x) or core.kind(x) ~= "symbol" then fail("series(x, order): x is a symbol") end
  if math.type(order) ~= "integer" or order < 0 then fail("series(x, order): the order is a whole number, not negative") end
  about = about or 0
  local turning = corner(e, x, about)
  if turning then
    fail("series: the expression has no Taylor series at %s = %s: %s turns a corner or jumps there", core.text(x), tostring(about), core.text(turning))
  end
  local sum, factorial, derivative = core.rational(0), core.rational(1), e
  for k = 0, order do
    if k > 0 then derivative, factorial = core.diff(derivative, x), factorial*k end
    local fine, coefficient = pcall(core.substitute, derivative, { x }, { about })
    if not fine then fail("series: the expression has no Taylor series at %s = %s", core.text(x), tostring(about)) end
    sum = sum + reduce(coefficient, { form = "auto" })*(x - about)^k/factorial
  end
  return sum
end

--- Factors that were cancelled or occur in a denominator: the expression holds where none of them is zero.
function methods.assumed_nonzero(e)
  e = as_expression(e, "assumed_nonzero")
  local list, seen = {}, {}
  local function add(factor)
    if core.number_value(factor) ~= nil or seen[factor] then return end
    seen[factor] = true
    list[#list + 1] = factor
  end
  local function factors(product)
    if core.kind(product) ~= "product" then return add(core.kind(product) == "power" and core.operands(product)[1] or product) end
    for _, factor in ipairs(core.operands(product)) do
      add(core.kind(factor) == "power" and core.operands(factor)[1] or factor)
    end
  end
  -- as written, cancelled on the way here, and the denominator in lowest terms (tan x hides a cos x)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      local operands = core.operands(part)
      if core.kind(part) == "power" and (core.number_value(operands[2]) or 0) < 0 then
        factors(reduce(operands[1], { form = "factored" }))
      end
      for _, operand in ipairs(operands) do stack[#stack + 1] = operand end
    end
  end
  for _, factor in ipairs(cancelled[e] or {}) do factors(factor) end
  local denominator = select(2, exactly("assumed_nonzero", e, core.fraction))
  factors(reduce(denominator, { form = "factored" }))
  return answer.dressed(list)
end

--- Is the expression zero wherever it is defined? true: proved; false: proved not to be; nil and a number: cannot tell, with the
--- largest value (relative to the size of the terms) met at random points.
function methods.is_zero(e)
  local verdict, evidence = core.decide(e)
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
  return latex_lines.formula(text, o.width, o.short_trig)
end

--- LaTeX of the expression: dots, Greek letters, fractions. e:latex{ width = 34 } breaks what is wider than 34 em into an aligned environment
--- of amsmath; short_trig = true writes sin theta as an upright s with the subscript theta.
function methods.latex(e, given) return broken_latex(core.latex(e), given) end

options.declare("latex", latex_schema)

--- The text of the expression, or its text for another algebra system: e:text "sympy", "mathematica", "maxima". Coordinates become functions
--- of t, their derivatives Derivative(x(t), t), Derivative[1][x][t], diff(x(t), t, 1). A name that the system reserves gets _ (Mathematica: $)
--- behind it, as lambda_ in SymPy.
function methods.text(e, system)
  return system == nil and core.text(e) or other_systems.text(e, system)
end

-- ---- equations with two sides

local Equation = object.class "Equation"

--- An equation: hm.eq(left, right). hm.solve takes equations and expressions that are zero alike.
function algebra.eq(left, right)
  return setmetatable({ left = as_expression(left, "eq"), right = as_expression(right, "eq") }, Equation.meta)
end

function Equation.meta.__tostring(q) return core.text(q.left) .. " = " .. core.text(q.right) end
--- The equation in LaTeX: q:latex{ width = 34 } breaks it into lines as e:latex does.
function Equation:latex(given) return broken_latex(core.latex(self.left) .. " = " .. core.latex(self.right), given) end
--- The text of the equation, or its text for "sympy", "mathematica" or "maxima", as e:text has it.
function Equation:text(system)
  return system == nil and tostring(self) or other_systems.equation(self.left, self.right, system)
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

--- Solves linear equations for as many unknowns: hm.solve({e1, e2}, {x, y}) returns the solutions, by position and by unknown
--- (s[1], s[x]), and the determinant that must not vanish. Equations are expressions that are zero, or hm.eq(left, right).
--- If it cannot be decided whether the determinant vanishes identically, a third result names it as a condition to check.
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
  local X, determinant, regular = core.solve_linear(#unknowns, A, B)
  for i, x in ipairs(unknowns) do X[x] = X[i] end
  return X, determinant, not regular and algebra.conditional(determinant) or nil
end

-- ---- do two formulas agree?

local Agreement = object.class "Agreement"
for _, name in ipairs{ "equal", "witness", "difference", "evidence", "what", "reason" } do
  Agreement.get[name] = function(a) return rawget(a, name) end
end

function Agreement.meta.__tostring(a)
  if a.verdict == "equal" then
    local conditions = {}
    for i, e in ipairs(a.where) do
      local size = core.tree_size(e)
      conditions[i] = size <= LONG and core.text(e) .. " ~= 0" or ("a factor of %d nodes does not vanish (.where[%d])"):format(size, i)
    end
    return "equal" .. (#conditions > 0 and " where " .. table.concat(conditions, ", ") or "")
  elseif a.verdict == "different" then
    local at = {}
    for i, pair in ipairs(a.witness or {}) do at[i] = ("%s = %.6g"):format(core.text(pair[1]), pair[2]) end
    local what = a.what and ": " .. table.concat(a.what, ", ") or ""
    return "different" .. what .. (#at > 0 and ("%s by %.6g at %s"):format(a.what and "," or ":", a.difference, table.concat(at, ", ")) or "")
  end
  if a.verdict == "undefined" then return "undefined: " .. a.reason end
  local what = a.what and " " .. table.concat(a.what, ", ") or ""
  return ("undecided:%s within %.1g at random points, not proved"):format(what, a.evidence)
end

local function new_agreement() return setmetatable({ verdict = "equal", equal = true, where = {} }, Agreement.meta) end

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

--- Factors of e (a determinant) that may vanish.
function algebra.critical_factors(e)
  local list, product = {}, reduce(core.fraction(e), { form = "factored", seconds = 1 })
  for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do
    if core.kind(factor) == "power" then factor = core.operands(factor)[1] end
    if core.tree_size(-factor) < core.tree_size(factor) then factor = -factor end
    local harmless = core.number_value(factor) ~= nil or core.known_positive(factor) or core.known_positive(-factor)
    if not harmless then list[#list + 1] = factor end
  end
  return list
end

--- An equality holds where these factors do not vanish.
function Agreement:demand(factors)
  if self.verdict ~= "equal" then return end
  for _, factor in ipairs(factors) do if not object.contains(self.where, factor) then table.insert(self.where, factor) end end
end

-- A real point where the expression is clearly not zero
local function witness(e)
  local list = core.symbols{ e }
  local state = 12345
  local function random()
    state = (state*1103515245 + 12345) % 2147483648
    return state/2147483648
  end
  for _ = 1, 200 do
    local values, point = {}, {}
    for i, s in ipairs(list) do
      local _, order, flags = core.name(s)
      values[i] = math.floor(1000*(flags % 2 == 1 and order == 0 and 0.5 + 1.5*random() or 4*random() - 2))/1000
      point[i] = { s, values[i] }
    end
    local value = core.value(e, list, values)
    if value == value and math.abs(value) > 1e-6 and math.abs(value) < math.huge then return point, value end
  end
end

local function zeros_of_denominators(a, b)
  local list, seen = {}, {}
  for _, e in ipairs{ a, b } do
    for _, factor in ipairs(e:assumed_nonzero()) do
      if not seen[factor] and not core.known_positive(factor) then
        seen[factor] = true
        list[#list + 1] = factor
      end
    end
  end
  return list
end

local function agree_one(a, b)
  local verdict, evidence = core.decide(a - b)
  local result = { verdict = verdict == "zero" and "equal" or verdict == "nonzero" and "different" or "undecided", evidence = evidence, where = {} }
  local reason = result.verdict ~= "different" and undefined_everywhere{ a, b }
  if reason then
    result.verdict, result.reason = "undefined", reason
  elseif result.verdict == "equal" then
    result.where, result.equal = zeros_of_denominators(a, b), true
  elseif result.verdict == "different" then
    result.equal = false
    result.witness, result.difference = witness(a - b)
  end
  return setmetatable(result, Agreement.meta)
end

local function is_list(v) return type(v) == "table" and getmetatable(v) ~= Equation.meta end

--- Are two formulas the same? Expressions, equations, or lists and matrices of them. The result prints its verdict and has
--- verdict ("equal", "different", "undecided", "undefined"), equal (true, false, nil), where (factors that must not vanish), witness.
function algebra.agree(a, b)
  if is_list(a) ~= is_list(b) then fail("agree: a list and a single formula") end
  if not is_list(a) then return agree_one(algebra.residual(a, "agree"), algebra.residual(b, "agree")) end
  if #a ~= #b then fail("agree: %d formulas and %d", #a, #b) end
  local total = new_agreement()
  local seen = {}
  for i = 1, #a do
    local one = algebra.agree(a[i], b[i])
    if one.verdict == "different" then return one end
    if rank[one.verdict] > rank[total.verdict] then total = one end
    for _, e in ipairs(one.where) do
      if not seen[e] then
        seen[e] = true
        table.insert(total.where, e)
      end
    end
  end
  return total
end

-- for completion at the prompt
debug.getmetatable(core.rational(1)).__names = function()
  local names = object.keys(methods)
  return table.move({ "dot", "ddot" }, 1, 2, #names + 1, names)
end

options.declare("simplify", schema)

return algebra
