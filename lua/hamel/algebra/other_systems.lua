-- other_systems.lua: expressions in the notation of other algebra systems: SymPy, Mathematica, Maxima.
--
-- Coordinates and other functions of time become functions: x' is Derivative(x(t), t), Derivative[1][x][t], diff(x(t), t). Other symbols keep
-- their names, except those that the system reserves and, in Mathematica, those with underscores. Numbers are exact where they are exact here.
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local other_systems = {}

-- Names that mean something else in the system; they get "_" or "$" behind
local function words(text)
  local set = {}
  for word in text:gmatch "%S+" do set[word] = true end
  return set
end

local sympy = {
  functions = { asin = "asin", acos = "acos", atan = "atan", atan2 = "atan2", sinh = "sinh", cosh = "cosh", tanh = "tanh", asinh = "asinh",
    acosh = "acosh", atanh = "atanh", exp = "exp", log = "log", abs = "Abs", sign = "sign", min = "Min", max = "Max",
    sin = "sin", cos = "cos", tan = "tan" },
  reserved = words("E I N O Q S C pi oo zoo nan beta gamma zeta lambda and as assert async await break class continue def del elif else except "
    .. "finally for from global if import in is nonlocal not or pass raise return try while with yield None True False Eq Derivative Rational "
    .. "Function symbols sqrt diff"),
  open = "(", close = ")", times = "*", power = "**", equal = function(l, r) return ("Eq(%s, %s)"):format(l, r) end,
  rational = function(n, d) return ("Rational(%s, %s)"):format(n, d) end,
  derivative = function(name, k) return k == 1 and ("Derivative(%s(t), t)"):format(name) or ("Derivative(%s(t), (t, %d))"):format(name, k) end,
  moving = function(name) return name .. "(t)" end,
  root = function(e) return "sqrt(" .. e .. ")" end, pi = "pi", exponent = "e", name = function(name) return name end, mark = "_",
}
local mathematica = {
  functions = { asin = "ArcSin", acos = "ArcCos", atan = "ArcTan", atan2 = "ArcTan", sinh = "Sinh", cosh = "Cosh", tanh = "Tanh", asinh = "ArcSinh",
    acosh = "ArcCosh", atanh = "ArcTanh", exp = "Exp", log = "Log", abs = "Abs", sign = "Sign", min = "Min", max = "Max",
    sin = "Sin", cos = "Cos", tan = "Tan" },
  reserved = words "C D E I K N O", open = "[", close = "]", times = "*", power = "^", equal = function(l, r) return l .. " == " .. r end,
  rational = function(n, d) return ("(%s/%s)"):format(n, d) end,
  derivative = function(name, k) return ("Derivative[%d][%s][t]"):format(k, name) end,
  moving = function(name) return name .. "[t]" end,
  root = function(e) return "Sqrt[" .. e .. "]" end, pi = "Pi", exponent = "*^",
  name = function(name) return (name:gsub("_", "$")) end, mark = "$", swapped = true,            -- ArcTan[x, y] is atan2(y, x)
}

local maxima = {
  functions = { asin = "asin", acos = "acos", atan = "atan", atan2 = "atan2", sinh = "sinh", cosh = "cosh", tanh = "tanh", asinh = "asinh",
    acosh = "acosh", atanh = "atanh", exp = "exp", log = "log", abs = "abs", sign = "signum", min = "min", max = "max",
    sin = "sin", cos = "cos", tan = "tan" },
  reserved = words "beta gamma zeta lambda and or not if then else elseif do for in step thru unless while true false unknown und ind inf minf",
  open = "(", close = ")", times = "*", power = "^", equal = function(l, r) return l .. " = " .. r end,
  rational = function(n, d) return ("(%s/%s)"):format(n, d) end,
  derivative = function(name, k) return ("diff(%s(t), t, %d)"):format(name, k) end,
  moving = function(name) return name .. "(t)" end,
  root = function(e) return "sqrt(" .. e .. ")" end, pi = "%pi", exponent = "e", name = function(name) return name end, mark = "_",
}

local systems = { sympy = sympy, mathematica = mathematica, maxima = maxima }
for _, system in pairs(systems) do for _, name in pairs(system.functions) do system.reserved[name] = true end end

-- ---- one expression

local function number_text(e, to)
  if core.kind(e) == "float" then
    local text = ("%.17g"):format(core.number_value(e))
    if not text:find "[%.e]" then text = text .. ".0" end
    return (text:gsub("e([+-]?)0*(%d)", function(sign, digit) return to.exponent .. (sign == "-" and "-" or "") .. digit end))
  end
  local sign, n, d = core.text(e):match "^(%-?)(%d+)/?(%d*)$"
  return sign .. (d == "" and n or to.rational(n, d))
end

-- `met`: the symbol of each name written so far
local function symbol_text(e, to, met)
  local name, order, flags = core.name(e)
  if not name:find "^[%a_][%w_]*$" then
    object.fail("text: the name '%s' cannot be written in other systems; choose one of letters, digits and _", name)
  end
  local own = to.name(name)
  if to.reserved[own] then own = own .. to.mark end
  if met[own] and met[own].name ~= name then
    object.fail("text: '%s' and '%s' would both be written %s; choose another name for one", met[own].name, name, own)
  end
  met[own] = { name = name, moving = order > 0 or flags & symbols.DYNAMIC ~= 0, positive = core.known_positive(e) }
  if order > 0 then return to.derivative(own, order) end
  return flags & symbols.DYNAMIC ~= 0 and to.moving(own) or own
end

local function function_text(e, list, to)
  local name, arguments, orders = core.opaque_parts(e)
  for _, order in ipairs(orders) do
    if order > 0 then
      object.fail("text: the derivative %s cannot be written in other systems; define %s by e:define(%s, ...) first", core.text(e), name, name)
    end
  end
  return name .. to.open .. table.concat(list, ", ", 2, 1 + #arguments) .. to.close
end

local function call_text(e, list, to)
  local name = core.name(e)
  if core.opaque_parts(e) then return function_text(e, list, to) end
  if name == "acos" and core.number_value(core.operands(e)[1]) == -1 then return to.pi end       -- which is pi here
  local theirs = to.functions[name]
  if not theirs then
    object.fail("text: %s cannot be written in other systems", name:find "^tabled" and "a curve of measured data" or "the function '" .. name .. "'")
  end
  if name == "atan2" and to.swapped then list = { list[2], list[1] } end
  return theirs .. to.open .. table.concat(list, ", ") .. to.close
end

local texts = {
  sum = function(_, list) return "(" .. table.concat(list, " + "):gsub("%+ %-", "- ") .. ")" end,
  product = function(_, list, to)
    for i, text in ipairs(list) do if i > 1 and text:find "^%-" then list[i] = "(" .. text .. ")" end end
    if list[1] == "-1" then return "-" .. table.concat(list, to.times, 2) end
    return table.concat(list, to.times)
  end,
  power = function(e, list, to)
    local base, exponent = table.unpack(core.operands(e))
    if core.number_value(exponent) == 0.5 and core.kind(exponent) == "number" then return to.root(list[1]) end
    local simple = core.kind(base) == "symbol" or core.kind(base) == "sum" or core.kind(base) == "call"
    local plain = core.kind(exponent) == "number" and list[2]:find "^%d+$"
    return (simple and list[1] or "(" .. list[1] .. ")") .. to.power .. (plain and list[2] or "(" .. list[2] .. ")")
  end,
  call = call_text,
}

-- Text of an expression; shared parts are written once
local function writer(to)
  local done, met = {}, {}
  local function write(e)
    if done[e] then return done[e] end
    local kind = core.kind(e)
    if kind == "number" or kind == "float" then done[e] = number_text(e, to)
    elseif kind == "symbol" then done[e] = symbol_text(e, to, met)
    else
      local list = {}
      for i, operand in ipairs(core.operands(e)) do list[i] = write(operand) end
      done[e] = texts[kind](e, list, to)
    end
    return done[e]
  end
  return write, met
end

local function bare(text, e) return core.kind(e) == "sum" and text:sub(2, -2) or text end

local function system_of(name)
  if type(name) ~= "string" then object.fail("text takes the name of a system: \"sympy\", \"mathematica\" or \"maxima\"") end
  return systems[name:lower()] or object.fail("text: there is no system '%s'%s", name, object.known(name:lower(), object.keys(systems)))
end

--- The expression in the notation of "sympy", "mathematica" or "maxima".
function other_systems.text(e, name)
  return bare(writer(system_of(name))(e), e)
end

-- Declarations for SymPy: functions of time, positive symbols, others
local function declare_in_python(met)
  local kinds = { { ", cls=Function", {} }, { ", positive=True", {} }, { "", {} } }
  for _, own in ipairs(object.keys(met)) do
    local symbol = met[own]
    if own ~= "t" then table.insert(kinds[symbol.moving and 1 or symbol.positive and 2 or 3][2], own) end
  end
  local lines = { "from sympy import *", "t = symbols('t')" }
  for _, kind in ipairs(kinds) do
    local names = kind[2]
    if #names > 0 then lines[#lines + 1] = ("%s = symbols('%s'%s)"):format(table.concat(names, ", "), table.concat(names, " "), kind[1]) end
  end
  return table.concat(lines, "\n")
end

sympy.list = function(equations, met)
  return ("%s\nequations = [\n    %s,\n]"):format(declare_in_python(met), table.concat(equations, ",\n    "))
end
mathematica.list = function(equations) return ("equations = {\n  %s\n}"):format(table.concat(equations, ",\n  ")) end
maxima.list = function(equations) return ("equations: [\n  %s\n]$"):format(table.concat(equations, ",\n  ")) end

--- The equation left = right in the notation of a system.
function other_systems.equation(left, right, name)
  local to = system_of(name)
  local write = writer(to)
  return to.equal(bare(write(left), left), bare(write(right), right))
end

--- Rows { left=, right= } as a list `equations` in the notation of a system; for SymPy with the declarations of the names.
function other_systems.equations(rows, name)
  local to, list = system_of(name), {}
  local write, met = writer(to)
  for i, row in ipairs(rows) do list[i] = to.equal(bare(write(row.left), row.left), bare(write(row.right), row.right)) end
  return to.list(list, met)
end

return other_systems
