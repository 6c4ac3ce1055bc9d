-- symbols.lua: names and values from text, methods of expressions, functions on numbers and expressions.
local core = require "hamel.core"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local opaque = require "hamel.algebra.opaque"
local options = require "hamel.base.options"
local units = require "hamel.algebra.units"
require "hamel.base.undefined"

local symbols = { POSITIVE = 1, DYNAMIC = 2, TIME = 4, EXTERNAL = 8 }

symbols.t = core.symbol("t", symbols.TIME)

-- Adds a word behind a value, as in "m=2 kg", to the value; false where it is a name of its own
local function takes_unit(item, word, what)
  local meant = item and item.value and units.elsewhere(word)
  if meant then
    object.fail("%s: '%s' behind %s=%s is no unit of this library; write it as %s (a parameter of that name follows a comma: %s=%s, %s)", what, word,
      item.name, item.value, meant, item.name, item.value, word)
  end
  if not (item and item.value and units.is_meant(word)) then return false end
  item.value = item.value .. " " .. word
  return true
end

local function is_name(list, name)
  for _, item in ipairs(list) do if item.name == name then return true end end
  return false
end

-- "m=1 l=2 g": a single letter behind the only value of the values side by side that has a unit may be a gram or the name g
local function refuse_letter(group, list, what)
  local valued, name, letter, number = 0, nil, nil, nil
  for _, item in ipairs(group) do
    local value, unit = units.parted(item.value or "")
    if value then valued = valued + 1 end
    if unit and letter then return end
    if unit then name, letter, number = item.name, unit, value end
  end
  if valued < 2 or not letter or not letter:find "^%a$" or is_name(list, letter) then return end
  object.fail("%s: '%s' behind %s=%s is a unit or a name, and no other value has a unit: for the unit put commas around it, \"..., %s=%s %s, ...\"; for a "
    .. "parameter %s put one before it, \"%s=%s, %s\"", what, letter, name, number, name, number, letter, letter, name, number, letter)
end

-- "m=300 gg l=30 cm": a name behind a value without a unit, beside values with units, is probably a misspelt unit
local function refuse_bare(groups, what)
  local has_units = false
  for _, group in ipairs(groups) do
    for _, item in ipairs(group) do has_units = has_units or select(2, units.parted(item.value or "")) ~= nil end
  end
  for _, group in ipairs(has_units and groups or {}) do
    for i = 2, #group do
      local before, item = group[i - 1], group[i]
      local number, unit = units.parted(before.value or "")
      if number and not unit and not item.value then
        local near = units.nearest(item.name)
        object.fail("%s: '%s' behind %s=%s is no known unit%s, and other values have units; for a parameter %s put a comma before it, \"%s=%s, %s\"", what,
          item.name, before.name, before.value, near and (" (did you mean '%s'?)"):format(near) or "", item.name, before.name, before.value, item.name)
      end
    end
  end
end

local function refuse_double(what, name, text, seen)
  local other = seen[naming.look(name)]
  if other == name then object.fail("%s: '%s' occurs twice in \"%s\"", what, name, text) end
  if other then object.fail("%s: '%s' would be printed like '%s': choose another name", what, name, other) end
end

-- "m=1,5" and "m=1 000"
local function refuse_rest_of_number(what, before, name)
  if before and before.value and before.value:find "%d$" and name:find "^%d" then
    object.fail("%s: '%s' behind %s=%s begins with a digit and is no name; numbers have decimal points and no gaps, as in %s=1000.5", what, name,
      before.name, before.value, before.name)
  end
end

--- Splits "x y theta" or "m=1 J=1/2 kg m^2" into { {name=, value=}, ... }; values stay text. A unit follows its value up to the next name or
--- comma; a single letter that may be either, as in "m=1 l=2 g", is refused, and so is a name behind a number without a unit where other
--- values have units, as in "m=300 gg l=30 cm". Further arguments are an error: all names are in one text.
function symbols.split(text, what, ...)
  if type(text) == "table" and type(next(text)) == "string" then
    object.fail("%s takes names and values in one text, as in \"m=1 k=2\", not in a table", what)
  end
  if type(text) ~= "string" then object.fail("%s takes names in one text, as in \"x y theta\"; not %s", what, type(text)) end
  if select("#", ...) > 0 then
    local more = type((...)) == "string" and text .. " " .. (...) or "x y theta"
    if type(...) == "number" then object.fail("%s takes names and values in one text: %s \"%s=%s\"", what, what, text, tostring((...))) end
    object.fail("%s takes all names in one text: %s \"%s\"", what, what, more)
  end
  local list, seen, groups = {}, {}, {}
  for group in text:gsub("%s*=%s*", "="):gmatch "[^,]+" do
    local last
    local first = #list + 1
    for name, value in group:gmatch "([^%s=]+)=?([^%s]*)" do
      if value ~= "" or not takes_unit(last, name, what) then
        refuse_rest_of_number(what, list[#list], name)
        refuse_double(what, name, text, seen)
        last = { name = name, value = value ~= "" and value or nil }
        seen[naming.look(name)], list[#list + 1] = name, last
      end
    end
    groups[#groups + 1] = table.move(list, first, #list, 1, {})
  end
  for _, group in ipairs(groups) do refuse_letter(group, list, what) end
  refuse_bare(groups, what)
  if #list == 0 then object.fail("%s: no name in \"%s\"", what, text) end
  return list
end

--- Name of a symbol with its primes.
function symbols.text(e)
  return core.text(e)
end

--- A method that answers with `words` where it is taken for a value, as in x.dt^2.
function symbols.method(name, f, words)
  words = ("'%s' is a method: %s"):format(name, words)
  local function refuse() object.fail("%s", words) end
  local meta = { __name = "method", __words = words, __call = function(_, ...) return f(...) end, __tostring = function() return words end }
  for _, operator in ipairs{ "add", "sub", "mul", "div", "pow", "unm", "concat", "lt", "le" } do meta["__" .. operator] = refuse end
  return setmetatable({}, meta)
end

-- ---- methods of expressions: e:diff(x), e:subs{...}, ...
local methods = core.methods

-- Raises where the derivative by t is zero only because x(t) counts as a constant in it
local function refuse_forgotten_motion(e, ...)
  for i = 1, select("#", ...) do
    if select(i, ...) ~= symbols.t then return end
  end
  local moving
  for _, s in ipairs(core.symbols{ e }) do
    if s == symbols.t then return end
    local _, _, flags = core.name(s)
    if flags & symbols.DYNAMIC ~= 0 then moving = moving or core.text(s) end
  end
  if moving then
    object.fail("diff: the partial derivative by hm.t is 0 here, since %s is a function of time; hm.dt(e) is the time derivative, hm.partial(e, hm.t) "
      .. "the partial one", moving)
  end
end

--- Partial derivative: e:diff(x), e:diff(x, y); x may be a velocity x.dot, further symbols differentiate again. By the time alone it is an error
--- where the expression depends on time only through coordinates: the time derivative is hm.dt(e), the partial one on purpose
--- hm.partial(e, hm.t).
function methods.diff(e, x, ...)
  local n = math.tointeger((...))
  if n and core.is_expression(x) then
    object.fail("diff: %d is no symbol; the derivative of order %d is written %s", n, n, n == 2 and "diff(e, x, x)" or "diff(e, x, x, ...), once for each x")
  end
  if core.is_expression(e) and x == symbols.t then refuse_forgotten_motion(e, x, ...) end
  return core.diff(e, x, ...)
end
--- Partial derivative by coordinates, velocities, parameters and the time alike.
methods.partial = symbols.method("partial", core.diff, "the partial derivative by x is e:partial(x)")
--- Total time derivative.
methods.dt = symbols.method("dt", core.dt, "the velocity of a coordinate is x.dot, the time derivative of an expression e:dt()")
--- The symbols inside, accelerations first.
function methods.symbols(e) return core.symbols{ e } end
--- The parts a sum, product, power or call consists of.
methods.operands = core.operands
--- "number", "symbol", "sum", "product", "power" or "call".
methods.kind = core.kind

-- { [expression] = value } as two lists in display order
local function lists(map, what)
  local from, to = {}, {}
  for k in pairs(map) do
    if not core.is_expression(k) then
      object.fail("%s: keys are expressions in brackets, as in {[x] = 1}; '%s' is a %s", what, tostring(k), type(k))
    end
    from[#from + 1] = k
  end
  table.sort(from, function(a, b) return core.compare(a, b) < 0 end)
  for i, k in ipairs(from) do to[i] = map[k] end
  return from, to
end

-- A positive symbol takes positive values alone: simplifications that used its sign are wrong for others
local function refuse_negative(s, value, what)
  if core.kind(s) ~= "symbol" or not core.known_positive(s) then return end
  local n = symbols.number(value)
  if (n and n <= 0) or (core.is_expression(value) and not n and core.known_positive(0 - value)) then
    object.fail("%s: %s is positive and cannot be %s: declare it by hm.symbols if it may be", what, core.text(s), n and tostring(value) or core.text(value))
  end
end

--- Replaces expressions simultaneously: e:subs{[x] = 1, [y.dot] = z}; a single one by e:subs(x, 1). Exactly these parts are replaced: not their
--- derivatives.
function methods.subs(e, map, value)
  if core.is_expression(map) and value ~= nil then map = { [map] = value }
  elseif value ~= nil then object.fail("subs takes one table, as in e:subs{[x] = 1, [y] = 2}, or one expression and what replaces it, e:subs(x, 1)") end
  if type(map) ~= "table" then object.fail("subs takes a table, e:subs{[x] = 1}, or e:subs(x, 1) with a colon") end
  local from, to = lists(map, "subs")
  for i, s in ipairs(from) do
    refuse_negative(s, to[i], "subs")
    local left = opaque.left_over(e, s)
    if left then
      object.fail("subs: %s would stay beside the value of %s: e:define(%s, ...) replaces a function with its derivatives", core.text(left), core.text(s),
        (opaque.parts(s)))
    end
  end
  return core.substitute(e, from, to)
end

local function is_finite(value) return value == value and math.abs(value) < math.huge end

-- The first part of e without a finite value, though its operands have one
local function culprit(e, from, to)
  for _, operand in ipairs(core.operands(e)) do
    if not is_finite(core.value(operand, from, to)) then return culprit(operand, from, to) end
  end
  return e, core.value(e, from, to)
end

local function place_of(part, from, to)
  local at, here = {}, {}
  for _, s in ipairs(core.symbols{ part }) do here[s] = true end
  for i, s in ipairs(from) do if here[s] then at[#at + 1] = ("%s = %.6g"):format(core.text(s), to[i]) end end
  return #at > 0 and " at " .. table.concat(at, ", ") or ""
end

--- Why e has no finite value at a point: which part of it has none.
function symbols.why_no_value(e, from, to)
  local part, value = culprit(e, from, to)
  return ("%s %s%s"):format(core.text(part), value ~= value and "has no real value" or "is infinite, or beyond the range of doubles,",
    place_of(part, from, to))
end

--- Number at a point: e:eval{[x] = 1, [y.dot] = 2}, or by name where names are unique: e:eval{x = 1, ["y'"] = 2}. Where there is no finite real
--- value, or where rounding hides whether there is one, it raises and names the part.
function methods.eval(e, point)
  if type(point) == "table" and getmetatable(point) and object.is_a(point, "State") then
    object.fail("eval takes values by name; the value of an expression at a time of a run is run:at(t, e)")
  end
  if point ~= nil and type(point) ~= "table" then object.fail("eval takes a table of values, as in e:eval{x = 1}, not %s", type(point)) end
  local from, to, by_name = {}, {}, {}
  for k, given in pairs(point or {}) do
    local value = symbols.number(given)
    if not value then
      local words = core.is_expression(given) and "the expression " .. core.text(given) or "a " .. type(given)
      object.fail("eval: the value of %s is %s, not a number", tostring(k), words)
    end
    if not is_finite(value) then object.fail("eval: the value of %s is not a finite number", tostring(k)) end
    if core.is_expression(k) then from[#from + 1], to[#to + 1] = k, value else by_name[k] = value end
  end
  local known = {}
  for _, s in ipairs(core.symbols{ e }) do
    local name = core.text(s)
    known[#known + 1] = name
    if by_name[name] ~= nil then
      from[#from + 1], to[#to + 1] = s, by_name[name]
      by_name[name] = nil
    end
  end
  local stray = next(by_name)
  if stray ~= nil then object.fail("eval: '%s' does not occur in the expression%s", tostring(stray), object.hint(stray, known)) end
  for i, s in ipairs(from) do refuse_negative(s, to[i], "eval") end
  local value = core.value(e, from, to)
  if not is_finite(value) then object.fail("eval: %s", symbols.why_no_value(e, from, to)) end
  local part = core.hidden(e, from, to)
  if part then
    object.fail("eval: the rounding errors hide the value of %s%s; simplify the expression, or take other values", core.text(part), place_of(part, from, to))
  end
  return value
end

--- Once all methods of expressions are there: arguments they would drop are errors.
function symbols.refuse_surplus()
  for name, f in pairs(methods) do if type(f) == "function" then methods[name] = object.strict(name, f, 2) end end
end

-- An unknown field is an error with the nearest name; modules that come later add methods of their own
setmetatable(methods, { __index = function(_, key)
  local known = { "dot", "ddot" }
  for name in pairs(methods) do known[#known + 1] = name end
  object.fail("expressions have no field '%s'%s", tostring(key), object.advice(key, known))
end })

--- The double of a number, of a text such as "1/3" or "9.81", or of an expression without symbols such as hm.pi/6; nil where there is none.
symbols.number = options.number

return symbols
