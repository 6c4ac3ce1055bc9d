-- opaque.lua: functions known by name alone, V = hm.func("V", r): their derivatives are atoms, until a definition takes their place.
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local methods = core.methods
local opaque = {}

local PARAMETER = 2 | 8                -- flags that no symbol of a user has

--- hm.func: the function of that name of the arguments, without derivatives.
function opaque.func(name, ...)
  if type(name) ~= "string" then fail("hm.func(name, argument, ...): the first argument is a name, as in hm.func(\"V\", r)") end
  local arguments = { ... }
  if #arguments == 0 then fail("hm.func: the arguments of the function are missing, as in hm.func(\"V\", r)") end
  return core.opaque(name, arguments)
end

local function key_of(name, arity) return name .. "/" .. arity end

--- The name, the arguments and the orders of the derivative of a call by each, where e is one; nil elsewhere.
opaque.parts = core.opaque_parts

--- V of the calls in a list of expressions, without derivatives, each function once.
function opaque.functions(list)
  local found, known = {}, {}
  for _, call in ipairs(core.opaque_calls(list)) do
    local name, arguments = core.opaque_parts(call)
    local key = key_of(name, #arguments)
    if not known[key] then found[#found + 1], known[key] = core.opaque(name, arguments), true end
  end
  return found
end

--- A function of hm.func has one number of arguments in a system: V(x) beside V(x, y) would be two functions that print alike.
---@param calls any[] calls of such functions
function opaque.demand_one_arity(system, calls, what)
  local counts = {}
  for _, call in ipairs(calls) do
    local name, arguments = core.opaque_parts(call)
    local known = system._arities[name] or counts[name]
    if known and known ~= #arguments then
      fail("%s contains %s: '%s' has %d argument%s in %s; give the other function another name", what, core.text(call), name, known, known == 1 and "" or "s",
        system.name)
    end
    counts[name] = #arguments
  end
  for name, count in pairs(counts) do system._arities[name] = count end
end

-- ---- definitions

local function distinct_symbols(list)
  local seen = {}
  for _, s in ipairs(list) do
    if core.kind(s) ~= "symbol" or seen[s] then return false end
    seen[s] = true
  end
  return true
end

-- The name under which Lua's math library has a function; nil for any other
local function name_in_math(f)
  for name, known in pairs(math) do if known == f then return name end end
end

-- math.sin takes numbers alone
local function refuse_math(what, text, f)
  local name = name_in_math(f)
  if not name then return end
  if not core.functions[name] then fail("%s: %s: math.%s takes numbers, not expressions; write the formula as an expression", what, text, name) end
  fail("%s: %s: math.%s takes numbers, not expressions; write hm.%s", what, text, name, name)
end

-- A Lua function of as many variables as V has arguments
local function demand_arity(what, text, count, f)
  local about = debug.getinfo(f, "u")
  if about.isvararg or about.nparams == count then return end
  fail("%s: %s has %d argument%s, the Lua function of its formula %d; write one variable for each", what, text, count, count == 1 and "" or "s", about.nparams)
end

-- What the user gave as a formula in the parameters
local function body_of(what, V, arguments, parameters, given)
  local text = core.text(V)
  if given == nil then fail("%s: the formula of %s is missing, as in %s(%s, formula in %s)", what, text, what, text, core.text(arguments[1])) end
  if type(given) == "function" then
    refuse_math(what, text, given)
    demand_arity(what, text, #arguments, given)
    given = given(table.unpack(parameters))
  elseif not distinct_symbols(arguments) then
    fail("%s: the arguments of %s are no symbols that a formula could contain: give a Lua function of them, as in function(r) return r^2 end", what, text)
  elseif core.is_expression(given) then
    given = core.substitute(given, arguments, parameters)
  end
  if type(given) == "number" then given = core.number(given) end
  if not core.is_expression(given) then
    fail("%s: %s is defined by an expression, or by a Lua function that returns one, not by a %s", what, text, type(given))
  end
  return given
end

--- A definition of the function V, given as an expression in its arguments or as a Lua function of them.
function opaque.definition(what, V, given)
  local name, arguments, orders = core.opaque_parts(V)
  if not name then fail("%s: what is defined is a function, V = hm.func(\"V\", r), not %s", what, core.is_expression(V) and core.text(V) or "a " .. type(V)) end
  for _, order in ipairs(orders) do
    if order > 0 then fail("%s: define the function %s, not its derivative %s", what, name, core.text(V)) end
  end
  local parameters = {}
  for i = 1, #arguments do parameters[i] = core.symbol("argument_" .. i, PARAMETER) end
  local d = { name = name, key = key_of(name, #arguments), parameters = parameters, derivatives = {} }
  d.body = body_of(what, V, arguments, parameters, given)
  for _, f in ipairs(opaque.functions{ d.body }) do
    local inner, list = core.opaque_parts(f)
    if key_of(inner, #list) == d.key then fail("%s: the formula of %s contains %s itself", what, name, name) end
  end
  return d
end

-- A derivative of the formula
local function derivative(d, orders)
  local key = table.concat(orders, " ")
  if not d.derivatives[key] then
    local e = d.body
    for i, order in ipairs(orders) do for _ = 1, order do e = core.diff(e, d.parameters[i]) end end
    d.derivatives[key] = e
  end
  return d.derivatives[key]
end

-- Every call of a defined function by its formula, once
local function replaced(definitions, list)
  local from, to = {}, {}
  for _, call in ipairs(core.opaque_calls(list)) do                      -- inner ones first
    local name, arguments, orders = core.opaque_parts(call)
    local d = definitions[key_of(name, #arguments)]
    if d then
      for i, a in ipairs(arguments) do arguments[i] = core.substitute(a, from, to) end
      from[#from + 1], to[#to + 1] = call, core.substitute(derivative(d, orders), d.parameters, arguments)
    end
  end
  local out = {}
  for i, e in ipairs(list) do out[i] = #from > 0 and core.substitute(e, from, to) or e end
  return out, #from > 0
end

--- The expressions with formulas in place of the functions that `definitions` (by opaque.definition) define.
---@param definitions table key -> definition
function opaque.applied(what, definitions, list)
  local rounds = 0
  for _ in pairs(definitions) do rounds = rounds + 1 end
  local changed = next(definitions) ~= nil
  while changed do
    list, changed = replaced(definitions, list)
    rounds = rounds - 1
    if changed and rounds < -1 then fail("%s: functions are defined by each other", what) end
  end
  return list
end

local function definitions_of(what, V, given)
  local all = {}
  local function add(f, formula)
    local d = opaque.definition(what, f, formula)
    if all[d.key] then fail("%s: %s is defined twice", what, d.name) end
    all[d.key] = d
  end
  if type(V) ~= "table" then add(V, given)
  else
    if given ~= nil then fail("%s takes a function and its formula, or one table {[V] = formula}", what) end
    for f, formula in pairs(V) do add(f, formula) end
  end
  return all
end

--- The expression with the formula of a function that hm.func made, and its derivatives with those of the formula: e:define(V, k*r^2/2), in the
--- arguments of V, or e:define(V, function(r) return k*r^2/2 end); several at once: e:define{ [V] = ..., [W] = ... }.
function methods.define(e, V, given)
  if not core.is_expression(e) then fail("define(e, V, formula): the first argument is an expression, not a %s", type(e)) end
  return opaque.applied("define", definitions_of("define", V, given), { e })[1]
end

--- Is the function key or one of its derivatives left in e, if exactly the part `call` is replaced? Then the derivative; nil else.
function opaque.left_over(e, call)
  local name, arguments = core.opaque_parts(call)
  if not name then return nil end
  for _, other in ipairs(core.opaque_calls{ e }) do
    local other_name, list = core.opaque_parts(other)
    if other ~= call and other_name == name and #list == #arguments then return other end
  end
end

-- ---- one function of each name

local function waves(name)
  return function(...)
    local state, terms = 7, {}
    for i = 1, #name do state = (state*31 + name:byte(i)) % 65521 end
    for wave = 1, 3 do
      local phase = core.rational(1 + state % 13, 7)
      for i, x in ipairs{ ... } do
        state = (state*171 + 11213 + wave) % 53125
        phase = phase + x*core.rational(5 + state % 11, 10 + i)
      end
      terms[wave] = core.functions.sin(phase)
    end
    return core.sum(terms)
  end
end

--- The expressions with one example of each function that is not defined, to disprove what does not hold for every function.
function opaque.example(list)
  local definitions = {}
  for _, V in ipairs(opaque.functions(list)) do
    local d = opaque.definition("example", V, waves((core.opaque_parts(V))))
    definitions[d.key] = d
  end
  return opaque.applied("example", definitions, list)
end

return opaque
