-- algebra/init.lua: exact algebra on expressions: forms, the zero test, cancelled factors, series, equations, solving.
local answer = require "hamel.base.answer"
local conditions = require "hamel.algebra.conditions"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local latex_lines = require "hamel.algebra.latex_lines"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local other_systems = require "hamel.algebra.other_systems"
local protected = require "hamel.base.protected"
require "hamel.algebra.symbols"
local unit_quaternion = require "hamel.algebra.unit_quaternion"

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

-- expressions without a value anywhere

local LONG = 300                       -- nodes of a condition that is printed

local function brief(e)
  local size = core.tree_size(e)
  return size <= LONG and core.text(e) or ("an expression of %d nodes"):format(size)
end

local function positive(e) return core.known_positive(e) or core.constant_sign(e) > 0 end
-- The sign is multiplied into a sum, where it is seen
local function negative(e) return core.known_positive(0 - e) or core.constant_sign(e) < 0 end

local function outside(e, ...)
  for _, excess in ipairs{ ... } do if positive(excess) then return ("%s is not a real number"):format(brief(e)) end end
end

-- Why a call has no real value anywhere
local call_rules = {
  log = function(_, a) return (negative(a) or a:is_zero() == true) and ("the logarithm of %s, which is not positive"):format(brief(a)) end,
  asin = function(e, a) return outside(e, a - 1, -1 - a) end,
  atanh = function(e, a) return outside(e, a - 1, -1 - a) or ((a^2 - 1):is_zero() == true and ("%s is infinite"):format(brief(e))) end,
  acosh = function(e, a) return outside(e, 1 - a) end,
  tan = function(e, a) return core.functions.cos(a):is_zero() == true and ("%s is infinite"):format(brief(e)) end,
  atan2 = function(e, a, b) return a:is_zero() == true and b:is_zero() == true and ("%s has no value"):format(brief(e)) end,
}
call_rules.acos = call_rules.asin
for _, name in ipairs{ "tabled", "tabled_rate", "tabled_curve", "tabled_jerk" } do
  call_rules[name] = function(e, _, argument)
    if #core.symbols{ argument } > 0 then return nil end
    local value = core.value(e, {}, {})
    return value ~= value and ("%s is outside of the data"):format(brief(e))
  end
end

-- Why one node has no real value anywhere; nil: none is known
local function undefined_node(e)
  local kind, operands = core.kind(e), core.operands(e)
  local base, exponent = operands[1], operands[2]
  if kind == "power" then
    local n = core.number_value(exponent)
    if n and n < 0 and core.kind(base) ~= "symbol" and base:is_zero() == true then return ("%s vanishes identically and divides"):format(brief(base)) end
    if n and n % 1 ~= 0 and negative(base) then return ("a root of %s, which is negative"):format(brief(base)) end
  elseif kind == "call" then
    local rule = call_rules[core.name(e)]
    return rule and rule(e, base, exponent) or nil
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
  local found = table.pack(protected(f, e, ...))
  if found[1] then return table.unpack(found, 2, found.n) end
  local reason = core.is_expression(e) and not core.host.interrupted() and undefined_everywhere{ e }
  if reason then fail("%s: the expression has no real value anywhere: %s", what, reason) end
  error(found[2], 0)
end

-- Conditions of a formula that has a value somewhere
local function conditions_of(what, e)
  e = as_expression(e, what)
  local reason = undefined_everywhere{ e }
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
  local result, reason = reduce(e, o)
  if reason then return result, reason end
  return o.form == "auto" and unit_quaternion.shorter(result) or result
end

--- Products multiplied out; with a second result as e:simplify has it. e:simplify{ form = "expanded", terms = 1e6 } raises the limits.
function methods.expand(e) return reduce(e, { form = "expanded" }) end
--- A product of irreducible factors; with a second result as e:simplify has it.
function methods.factor(e) return reduce(e, { form = "factored" }) end
--- Collected by symbols or functions as they are written: e:collect{x, y.dot}; with a second result as e:simplify has it.
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

-- Values of the symbols of a list, of some random real points, at which the value of e is `wanted`, and that value; nil: none of the points
local function value_at_random(e, list, points, wanted)
  if #core.opaque_calls{ e } > 0 then return nil end
  local state = 12345
  local function random()
    state = (state*1103515245 + 12345) % 2147483648
    return state/2147483648
  end
  for round = 1, points do
    local values, width = {}, round <= points/4 and 2 or 8
    for i, s in ipairs(list) do
      local _, order, flags = core.name(s)
      values[i] = math.floor(1000*(flags % 2 == 1 and order == 0 and 0.5 + 0.75*width*random() or width*(2*random() - 1)))/1000
    end
    local value = core.value(e, list, values)
    if wanted(value) then return values, value end
  end
end

-- Does e vanish, or on a part of its domain: min(0, y) for positive y?
local function vanishes_somewhere(e)
  return e:is_zero() ~= false or value_at_random(e, core.symbols{ e }, 40, function(v) return v == 0 end) ~= nil
end

-- What must not vanish at x = about for a function or power to be smooth there, if there is such a thing. atan2(a, b) jumps where a vanishes and b
-- is not positive; a zero of a denominator may be one of the numerator, too
local function critical(part, x, about)
  local kind, operands = core.kind(part), core.operands(part)
  if kind == "power" then
    local n = core.number_value(operands[2])
    if n and n % 1 == 0 and (n > 0 or operands[1]:subs{ [x] = about }:is_zero() == true) then return nil end
    return operands[1]
  elseif kind == "call" then
    local name = core.name(part)
    if name == "abs" or name == "sign" then return operands[1] end
    if name == "min" or name == "max" then return operands[1] - operands[2] end
    if name == "asin" or name == "acos" then return 1 - operands[1]^2 end
    if name == "acosh" then return operands[1] - 1 end
    if name == "atan2" and not is_positive(operands[2]:subs{ [x] = about }) then return operands[1] end
  end
end

-- The part of e that is not smooth at x = about; nil: none is seen
local function corner(e, x, about)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      local has_value, argument = protected(critical, part, x, about)
      if has_value and argument and object.contains(core.symbols{ argument }, x) then
        local fine, there = protected(core.substitute, argument, { x }, { about })
        if fine and vanishes_somewhere(there) then return part end
      end
      local operands = core.operands(part)
      table.move(operands, 1, #operands, #stack + 1, stack)
    end
  end
end

-- A power whose base may vanish at x = about and whose exponent is no number: whether it has derivatives there depends on the exponent; nil: none
local function undecided_power(e, x, about)
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    local operands = core.operands(part)
    if not met[part] and core.kind(part) == "power" and core.number_value(operands[2]) == nil and object.contains(core.symbols{ operands[1] }, x) then
      local fine, base = protected(core.substitute, operands[1], { x }, { about })
      if not fine or base:is_zero() ~= false then return part end
    end
    if not met[part] then table.move(operands, 1, #operands, #stack + 1, stack) end
    met[part] = true
  end
end

-- 0^a has a value for positive a alone
local function has_power_of_zero(e)
  if core.kind(e) == "power" and core.number_value(core.operands(e)[1]) == 0 then return true end
  for _, part in ipairs(core.operands(e)) do if has_power_of_zero(part) then return true end end
  return false
end

-- The results of f; nil and the reason, without its place in the source, where it fails for the expression
local function attempt(f, ...)
  local results = table.pack(protected(f, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local reason = tostring(results[2])
  if core.host.interrupted() then fail("interrupted") end
  if reason:find("not enough memory", 1, true) then error(results[2], 0) end
  return nil, (reason:gsub("^[^\n]-:%d+: ", ""))
end

-- The value of e at a point; nil and the reason
local function value_at(e, x, about) return attempt(core.substitute, e, { x }, { about }) end

-- What must not vanish, or must be positive, for a node to have a value
local function witness_of_value(part)
  local operands = core.operands(part)
  local n = operands[2] and core.number_value(operands[2])
  if core.kind(part) == "power" and (n == nil or n < 0 or n % 1 ~= 0) then return operands[1] end
  if core.kind(part) ~= "call" then return nil end
  local name = core.name(part)
  return name == "log" and operands[1] or name == "tan" and core.functions.cos(operands[1]) or nil
end

-- Why a value, free of x, may not exist; nil: it does, for some values of the other symbols
local function doubtful(value)
  local reason = undefined_everywhere{ value }
  if reason then return reason end
  if has_power_of_zero(value) then return "it contains a power of zero" end
  local stack, met = { value }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      local witness = witness_of_value(part)
      local decided = not witness or core.kind(witness) == "symbol" or witness:is_zero() == false
      if not decided then return ("it is not decided whether %s is zero"):format(brief(witness)) end
      table.move(core.operands(part), 1, #core.operands(part), #stack + 1, stack)
    end
  end
end

-- The innermost part of e without a value at x = about
local function valueless(e, x, about)
  for _, operand in ipairs(core.operands(e)) do
    local value = value_at(operand, x, about)
    if not value or doubtful(value) then return valueless(operand, x, about) end
  end
  local value, reason = value_at(e, x, about)
  return e, reason or doubtful(value)
end

local function reason_of(e, k, x, about, reason)
  if k > 0 then return ("its derivative of order %d has no value there: %s"):format(k, reason) end
  local part, why = valueless(e, x, about)
  return part == e and why or ("%s has no value there: %s"):format(brief(part), why)
end

local ORDER_OF_DATA = { tabled = 0, tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }

-- A function of measured data in e that jumps at x = about, or ends there; nil: none
local function jump_of_data(e, x, about)
  local operands = core.operands(e)
  local order = core.kind(e) == "call" and ORDER_OF_DATA[core.name(e)]
  if order and object.contains(core.symbols{ operands[2] }, x) then
    local place = value_at(operands[2], x, about)
    local known = place and #core.symbols{ place } == 0
    if known and not core.data_is_continuous(core.number_value(operands[1]), core.value(place, {}, {}), order) then return e end
  end
  for _, operand in ipairs(operands) do
    local found = jump_of_data(operand, x, about)
    if found then return found end
  end
end

-- Taylor coefficients of e about a point up to x^n; nil and the reason where a derivative has no value there
local function taylor(e, x, n, about)
  local list, factorial, derivative = {}, core.rational(1), e
  for k = 0, n do
    if k > 0 then derivative, factorial = core.diff(derivative, x), factorial*k end
    local value, reason = value_at(derivative, x, about)
    reason = reason or doubtful(value)
    local jump = jump_of_data(derivative, x, about)
    if jump then return nil, ("%s jumps or ends there"):format(core.text(jump)) end
    if reason then return nil, reason_of(e, k, x, about, reason) end
    list[k + 1] = reduce(value, { form = "auto" })/factorial
  end
  return list
end

local ORDER = 12                       -- of a zero of a denominator

-- Coefficients of a quotient whose denominator vanishes there, as of sin(x)/x at 0; nil and the reason, if there is one
local function taylor_of_quotient(e, x, n, about)
  local above, below = attempt(core.fraction, e)
  local b = above and taylor(below, x, ORDER, about)
  local order = 0
  while b and order < ORDER and b[order + 1]:is_zero() == true do order = order + 1 end
  if not b or b[order + 1]:is_zero() ~= false then return nil end
  local a = taylor(above, x, n + order, about)
  b = a and taylor(below, x, n + order, about)
  if not b then return nil end
  for k = 1, order do
    local zero = a[k]:is_zero()
    if zero == false then return nil, "it has a pole there" end
    if zero == nil then return nil, ("it is not decided whether %s is zero"):format(brief(a[k])) end
  end
  local list = {}
  for k = 1, n + 1 do
    list[k] = a[k + order]
    for j = 1, k - 1 do list[k] = list[k] - b[order + 1 + k - j]*list[j] end
    list[k] = reduce(list[k]/b[order + 1], { form = "auto" })
  end
  return list
end

--- Taylor polynomial in a small parameter: e:series(eps, 2) up to eps^2, about eps = 0 or about the third argument. Where numerator and
--- denominator vanish together, as in sin(x)/x, it continues the quotient. An error, which names the part, where abs, sign, min or max turns a
--- corner there, at poles and branch points, as of sqrt(x) at 0 and acos(x) at 1, and where a part has no real value.
function methods.series(e, x, order, about)
  if not core.is_expression(x) or core.kind(x) ~= "symbol" then fail("series(x, order): x is a symbol") end
  if math.type(order) ~= "integer" or order < 0 then fail("series(x, order): the order is a whole number, not negative") end
  about = about or 0
  local function refuse(reason)
    fail("series: the expression has no Taylor series at %s = %s: %s", core.text(x), tostring(about), reason)
  end
  local power = undecided_power(e, x, about)
  if power then
    fail("series: whether %s has a Taylor series at %s = %s depends on its exponent, since its base vanishes there; give the exponent as a number",
      core.text(power), core.text(x), tostring(about))
  end
  local turning = corner(e, x, about)
  if turning then refuse(core.text(turning) .. " is not smooth there") end
  local list, cause = taylor(e, x, order, about)
  local reason
  if not list then list, reason = taylor_of_quotient(e, x, order, about) end
  if not list then refuse(reason or cause) end
  local sum = core.rational(0)
  for k, coefficient in ipairs(list) do sum = sum + coefficient*(x - about)^(k - 1) end
  return sum
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
--- largest value (relative to the size of the terms) met at random points. Quaternions of rotations have unit length; direction cosines and
--- body rates are what they are made of.
function methods.is_zero(e)
  local verdict, evidence = unit_quaternion.decide(e)
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

--- hm.eq.
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
    text[i] = size <= LONG and core.text(e) .. " ~= 0" or ("a factor of %d nodes does not vanish (.where[%d])"):format(size, i)
  end
  for i, one in ipairs(a.domain) do
    local size = core.tree_size(one[1])
    local left = size <= LONG and core.text(one[1]) or ("an expression of %d nodes (.domain[%d][1])"):format(size, i)
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

--- Factors of e (a determinant) that may vanish.
function algebra.critical_factors(e)
  local list, product = {}, reduce(core.fraction(e), { form = "factored", effort = 1 })
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

--- An equality holds where this expression vanishes.
function Agreement:demand_zero(e)
  if self.verdict ~= "equal" then return end
  table.insert(self.domain, { e, "=" })
end

-- A real point where the expression is clearly not zero; none where functions without a formula have no value, or quaternions are bound to a sphere
local function witness(e)
  if #core.opaque_calls{ e } > 0 or unit_quaternion.occurs(e) then return nil end
  local list = core.symbols{ e }
  local values, value = value_at_random(e, list, 200, function(v) return v == v and math.abs(v) > 1e-6 and math.abs(v) < math.huge end)
  if not values then return nil end
  local point = {}
  for i, s in ipairs(list) do point[i] = { s, values[i] } end
  return point, value
end

local function agree_one(a, b)
  local verdict, evidence = unit_quaternion.decide(a - b)
  local result = new_agreement()
  result.verdict, result.evidence = verdict == "zero" and "equal" or verdict == "nonzero" and "different" or "undecided", evidence
  local reason = result.verdict ~= "different" and undefined_everywhere{ a, b }
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
