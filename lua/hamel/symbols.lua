-- symbols.lua: names and values from text, methods of expressions, functions on numbers and expressions.
local core = require "hamel.core"
local object = require "hamel.object"

local symbols = { POSITIVE = 1, DYNAMIC = 2, TIME = 4, EXTERNAL = 8 }

symbols.t = core.symbol("t", symbols.TIME)

--- Splits "x y theta" or "m=1 J=1/2" into { {name=, value=}, ... }; values stay text.
function symbols.split(text, what)
  if type(text) ~= "string" then object.fail("%s takes names in one text, as in \"x y theta\"; not %s", what, type(text)) end
  local list, seen = {}, {}
  for name, value in text:gsub("%s*=%s*", "="):gsub(",", " "):gmatch("([^%s=]+)=?([^%s]*)") do
    if seen[name] then object.fail("%s: '%s' stands twice in \"%s\"", what, name, text) end
    seen[name] = true
    list[#list + 1] = { name = name, value = value ~= "" and value or nil }
  end
  if #list == 0 then object.fail("%s: no name in \"%s\"", what, text) end
  return list
end

--- Name of a symbol with its primes.
function symbols.text(e)
  return core.text(e)
end

-- ---- methods of expressions: e:diff(x), e:subs{...}, ...
local methods = core.methods

--- Partial derivative; further symbols differentiate again.
methods.diff = core.diff
--- Total time derivative.
methods.dt = core.dt
methods.latex = core.latex
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

--- Replaces expressions simultaneously: e:subs{[x] = 1, [y.dot] = z}. Exactly these parts are replaced: not their derivatives.
function methods.subs(e, map)
  if type(map) ~= "table" then object.fail("subs takes a table, as in e:subs{[x] = 1}") end
  return core.substitute(e, lists(map, "subs"))
end

--- Number at a point: e:eval{[x] = 1, [y.dot] = 2}, or by name where names are unique: e:eval{x = 1, ["y'"] = 2}.
function methods.eval(e, point)
  if point ~= nil and type(point) ~= "table" then object.fail("eval takes a table of values, as in e:eval{x = 1}, not %s", type(point)) end
  local from, to, by_name = {}, {}, {}
  for k, value in pairs(point or {}) do
    if type(value) ~= "number" then object.fail("eval: the value of %s is a %s, not a number", tostring(k), type(value)) end
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
  return core.value(e, from, to)
end

-- An unknown field is an error with the nearest name; modules that come later add methods of their own
setmetatable(methods, { __index = function(_, key)
  local known = { "dot", "ddot" }
  for name in pairs(methods) do known[#known + 1] = name end
  object.fail("expressions have no field '%s'%s", tostring(key), object.hint(key, known))
end })

--- The double of a number, of a text such as "1/3" or "9.81", or of an expression without symbols such as hm.pi/6; nil where there is none.
function symbols.number(value)
  if type(value) == "string" then
    local fine, e = pcall(core.number, value)
    value = fine and e or nil
  end
  if core.is_expression(value) and not core.number_value(value) and #core.symbols{ value } == 0 then return core.program({}, { value }):eval{}[1] end
  return core.number_value(value)
end

return symbols
