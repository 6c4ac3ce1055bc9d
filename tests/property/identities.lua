-- identities.lua: random expressions E, the same rewritten by random valid identities, some of these perturbed: is_zero of the difference.
-- Arbiter: identities_judge.py at 60 to 400 digits where Python and mpmath are installed; without them what is true by construction must
-- not be called nonzero, and what clearly differs in doubles must not be called zero.
-- Arguments: seed, number of lines of each class (or HML_SEED; HML_SCALE multiplies the 300 lines); a third argument names a file for the lines.
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(300)
print(("identities: seed %d, %d lines of each class"):format(seed, count))

local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function chance(p) return random(0, 1) < p end
local function pick(list) return list[whole(1, #list)] end

-- ---- trees: { op, a, b }; op is "num", "sym", "pi", an operator or the name of a function

local function num(n, d) return { "num", n, d or 1 } end
local function sym(name) return { "sym", name } end
local function op(o) return function(a, b) return { o, a, b } end end
local add, sub, mul, div, pow = op "+", op "-", op "*", op "/", op "^"
local function fun(name) return function(a, b) return { name, a, b } end end
local sin, cos, tan, sqrt, abs, sign = fun "sin", fun "cos", fun "tan", fun "sqrt", fun "abs", fun "sign"
local exp, log, sinh, cosh, tanh = fun "exp", fun "log", fun "sinh", fun "cosh", fun "tanh"
local asin, acos, atan, atan2, asinh, max, min = fun "asin", fun "acos", fun "atan", fun "atan2", fun "asinh", fun "max", fun "min"
local one, two, pi = num(1), num(2), { "pi" }
local function neg(a) return mul(num(-1), a) end
local function square(a) return pow(a, two) end
local function half(a) return div(a, two) end

local operators = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["^"] = true }

local function text(e)
  if e[1] == "num" then return e[3] == 1 and (e[2] < 0 and ("(%d)"):format(e[2]) or ("%d"):format(e[2])) or ("(%d/%d)"):format(e[2], e[3]) end
  if e[1] == "sym" then return e[2] end
  if e[1] == "pi" then return "pi" end
  if operators[e[1]] then return ("(%s %s %s)"):format(text(e[2]), e[1], text(e[3])) end
  return e[3] and ("%s(%s, %s)"):format(e[1], text(e[2]), text(e[3])) or ("%s(%s)"):format(e[1], text(e[2]))
end

local function hyperbolic(a) return (math.exp(a) - math.exp(-a))/2, (math.exp(a) + math.exp(-a))/2 end

local functions = {
  sin = math.sin, cos = math.cos, tan = math.tan, sqrt = function(a) return a < 0 and 0/0 or math.sqrt(a) end, abs = math.abs, exp = math.exp,
  sign = function(a) return a > 0 and 1 or a < 0 and -1 or a end, log = function(a) return a > 0 and math.log(a) or 0/0 end,
  sinh = function(a) return (hyperbolic(a)) end, cosh = function(a) return (select(2, hyperbolic(a))) end,
  tanh = function(a) local s, c = hyperbolic(a) return s/c end, asin = math.asin, acos = math.acos, atan = math.atan,
  atan2 = function(a, b) return math.atan(a, b) end,
  asinh = function(a) return (a < 0 and -1 or 1)*math.log(math.abs(a) + math.sqrt(a*a + 1)) end,
  max = function(a, b) return (a ~= a or b ~= b) and 0/0 or math.max(a, b) end, min = function(a, b) return (a ~= a or b ~= b) and 0/0 or math.min(a, b) end,
}

-- In doubles; the second result is the largest magnitude on the way
local function value(e, point)
  local o = e[1]
  if o == "num" then return e[2]/e[3], math.abs(e[2]/e[3]) end
  if o == "sym" then return point[e[2]], math.abs(point[e[2]]) end
  if o == "pi" then return math.pi, math.pi end
  local a, s = value(e[2], point)
  local b, t
  if e[3] then b, t = value(e[3], point) end
  local v
  if o == "+" then v = a + b elseif o == "-" then v = a - b elseif o == "*" then v = a*b elseif o == "/" then v = a/b
  elseif o == "^" then v = (a < 0 and b % 1 ~= 0) and 0/0 or a^b else v = functions[o](a, b) end
  return v, math.max(s, t or 0, math.abs(v))
end

local positive_names = { p = true, q = true }
local function is_positive(e)
  local o = e[1]
  if o == "num" then return e[2] > 0 end
  if o == "sym" then return positive_names[e[2]] end
  if o == "+" or o == "*" or o == "/" then return is_positive(e[2]) and is_positive(e[3]) end
  if o == "^" then return is_positive(e[2]) end
  return o == "exp" or o == "cosh" or o == "pi" or (o == "sqrt" and is_positive(e[2]))
end

-- ---- random expressions

local coordinates, parameters = { sym "x", sym "y", sym "z" }, { sym "p", sym "q" }
local function symbol() return chance(0.7) and pick(coordinates) or pick(parameters) end
local function number() return chance(0.75) and num(whole(1, 5)) or num(whole(1, 5), whole(2, 5)) end
-- with prime factors beyond every table, squares among them
local function root_of_integer() return sqrt(num(chance(0.5) and whole(2, 3000000) or whole(1000, 1100)^2*whole(2, 7))) end
local function leaf() return chance(0.8) and symbol() or chance(0.1) and root_of_integer() or number() end
local shifts = { half(pi), div(pi, num(3)), div(pi, num(4)), pi, div(pi, num(6)), div(pi, num(8)), div(pi, num(5)), mul(num(3), pi) }

-- A linear combination with small coefficients
local function angle()
  local a = pick(coordinates)
  local r = random(0, 1)
  if r < 0.15 then a = mul(two, a) elseif r < 0.25 then a = half(a) elseif r < 0.3 then a = mul(num(3), a) end
  if chance(0.35) then a = (chance(0.5) and add or sub)(a, pick(coordinates)) end
  if chance(0.12) then a = (chance(0.5) and add or sub)(a, pick(shifts)) end
  return a
end

local function sum_of_squares()
  local e = square(symbol())
  for _ = 1, whole(1, 2) do
    local term = chance(0.5) and square(symbol()) or chance(0.5) and square(sin(angle())) or square(add(symbol(), leaf()))
    if chance(0.3) then term = mul(chance(0.5) and number() or square(pick(parameters)), term) end
    e = add(e, term)
  end
  return e
end

local mechanics, general
local function arithmetic(depth, of)
  local r = random(0, 1)
  if r < 0.35 then return add(of(depth - 1), of(depth - 1)) end
  if r < 0.5 then return sub(of(depth - 1), of(depth - 1)) end
  if r < 0.78 then return mul(of(depth - 1), of(depth - 1)) end
  if r < 0.9 then return div(of(depth - 1), of(depth - 1)) end
  return pow(of(depth - 1), num(chance(0.8) and 2 or 3))
end

function mechanics(depth)
  if depth == 0 or chance(0.1) then return leaf() end
  local r = random(0, 1)
  if r < 0.6 then return arithmetic(depth, mechanics) end
  if r < 0.88 then return pick{ sin, cos, sin, cos, tan }(angle()) end
  return sqrt(sum_of_squares())
end

function general(depth)
  if depth == 0 or chance(0.1) then return leaf() end
  local r = random(0, 1)
  if r < 0.5 then return arithmetic(depth, general) end
  if r < 0.62 then return pick{ sin, cos, tan }(chance(0.6) and angle() or general(depth - 1)) end
  if r < 0.72 then return pick{ exp, sinh, cosh, tanh }(chance(0.6) and angle() or general(depth - 1)) end
  if r < 0.8 then return pick{ abs, sign, abs }(general(depth - 1)) end
  if r < 0.86 then return sqrt(chance(0.5) and sum_of_squares() or general(depth - 1)) end
  if r < 0.92 then return log(chance(0.6) and mul(pick(parameters), add(square(leaf()), number())) or general(depth - 1)) end
  if r < 0.97 then return pick{ atan, asin, acos, asinh }(chance(0.5) and pick(coordinates) or general(depth - 1)) end
  if r < 0.98 then return pick{ max, min }(general(depth - 1), general(depth - 1)) end
  if r < 0.99 then return pow(general(depth - 1), chance(0.5) and mul(two, pick(coordinates)) or pick(coordinates)) end
  return atan2(general(depth - 1), general(depth - 1))
end

-- ---- identities: a node to another that is equal wherever both are defined; nil where it does not apply

local function unit()
  local u = angle()
  return add(square(sin(u)), square(cos(u)))
end

local shared = {
  function(e) local b = leaf() return sub(add(e, b), b) end,
  function(e) local b = symbol() return div(mul(e, b), b) end,
  function(e) return mul(e, unit()) end,
  function(e) return add(e, sub(one, unit())) end,
  function(e) return neg(neg(e)) end,
  function(e) if e[1] == "+" then return add(e[3], e[2]) end end,
  function(e) if e[1] == "-" then return neg(sub(e[3], e[2])) end end,
  function(e)
    if e[1] == "*" and (e[3][1] == "+" or e[3][1] == "-") then return { e[3][1], mul(e[2], e[3][2]), mul(e[2], e[3][3]) } end
  end,
  function(e)
    if e[1] == "*" and (e[2][1] == "+" or e[2][1] == "-") then return { e[2][1], mul(e[2][2], e[3]), mul(e[2][3], e[3]) } end
  end,
  function(e) if e[1] == "/" then return mul(e[2], pow(e[3], num(-1))) end end,
  function(e) if e[1] == "/" and (e[2][1] == "+" or e[2][1] == "-") then return { e[2][1], div(e[2][2], e[3]), div(e[2][3], e[3]) } end end,
  function(e)
    if e[1] == "^" and e[3][1] == "num" and e[3][2] == 2 and (e[2][1] == "+" or e[2][1] == "-") then
      local a, b = e[2][2], e[2][3]
      return add({ e[2][1], square(a), mul(two, mul(a, b)) }, square(b))
    end
  end,
  function(e) if e[1] == "^" and e[3][1] == "num" and e[3][2] == 2 then return mul(e[2], e[2]) end end,
  function(e) if e[1] == "^" and e[3][1] == "num" and e[3][2] == 3 then return mul(square(e[2]), e[2]) end end,
  function(e)
    if e[1] == "-" and e[2][1] == "^" and e[3][1] == "^" and e[2][3][2] == 2 and e[3][3][2] == 2 then
      return mul(add(e[2][2], e[3][2]), sub(e[2][2], e[3][2]))
    end
  end,
  function(e)
    if e[1] == "+" and e[2][1] == "/" and e[3][1] == "/" then
      local a, b = e[2], e[3]
      return div(add(mul(a[2], b[3]), mul(b[2], a[3])), mul(a[3], b[3]))
    end
  end,
  function(e) if e[1] == "tan" then return div(sin(e[2]), cos(e[2])) end end,
  function(e) if e[1] == "tan" then return div(sin(mul(two, e[2])), add(one, cos(mul(two, e[2])))) end end,
  function(e) if e[1] == "sin" then return mul(two, mul(sin(half(e[2])), cos(half(e[2])))) end end,
  function(e) if e[1] == "cos" then return sub(one, mul(two, square(sin(half(e[2]))))) end end,
  function(e) if e[1] == "cos" then return sub(square(cos(half(e[2]))), square(sin(half(e[2])))) end end,
  function(e) if e[1] == "sin" then return cos(sub(e[2], half(pi))) end end,
  function(e) if e[1] == "cos" then return sin(add(e[2], half(pi))) end end,
  function(e) if e[1] == "sin" then return neg(sin(neg(e[2]))) end end,
  function(e)
    if (e[1] == "sin" or e[1] == "cos") and (e[2][1] == "+" or e[2][1] == "-") then
      local a, b, plus = e[2][2], e[2][3], e[2][1] == "+"
      if e[1] == "sin" then return (plus and add or sub)(mul(sin(a), cos(b)), mul(cos(a), sin(b))) end
      return (plus and sub or add)(mul(cos(a), cos(b)), mul(sin(a), sin(b)))
    end
  end,
  function(e)
    if e[1] == "*" and e[2][1] == "sin" and e[3][1] == "sin" then
      return half(sub(cos(sub(e[2][2], e[3][2])), cos(add(e[2][2], e[3][2]))))
    end
  end,
  function(e) if e[1] == "sqrt" then return div(e[2], sqrt(e[2])) end end,
  function(e) if e[1] == "sqrt" then local p = pick(parameters) return div(sqrt(mul(square(p), e[2])), p) end end,
  function(e) if e[1] == "sqrt" then return mul(two, sqrt(div(e[2], num(4)))) end end,
  function(e) if e[1] == "^" and e[3][2] == 2 and e[3][1] == "num" then return square(sqrt(square(e[2]))) end end,
  function(e) if e[1] == "sqrt" then return div(sqrt(mul(unit(), mul(e[2], num(9)))), num(3)) end end,
  function(e) if is_positive(e) then return sqrt(square(e)) end end,
}
local more = {
  function(e) if e[1] == "exp" then return div(one, exp(neg(e[2]))) end end,
  function(e) if e[1] == "exp" then return square(exp(half(e[2]))) end end,
  function(e) if e[1] == "exp" and (e[2][1] == "+" or e[2][1] == "-") then return { e[2][1] == "+" and "*" or "/", exp(e[2][2]), exp(e[2][3]) } end end,
  function(e) if e[1] == "sinh" then return half(sub(exp(e[2]), exp(neg(e[2])))) end end,
  function(e) if e[1] == "cosh" then return sqrt(add(one, square(sinh(e[2])))) end end,
  function(e) if e[1] == "tanh" then return div(sinh(e[2]), cosh(e[2])) end end,
  function(e) if e[1] == "tanh" then return sub(one, div(two, add(exp(mul(two, e[2])), one))) end end,
  function(e) if e[1] == "cosh" then return sub(mul(two, square(cosh(half(e[2])))), one) end end,
  function(e) if is_positive(e) then return exp(log(e)) end end,
  function(e) if is_positive(e) then return exp(mul(num(2), log(sqrt(e)))) end end,
  function(e) if e[1] == "log" and e[2][1] == "*" and is_positive(e[2][2]) then return add(log(e[2][2]), log(e[2][3])) end end,
  function(e) if e[1] == "log" then local p = pick(parameters) return sub(log(mul(p, e[2])), log(p)) end end,
  function(e) if e[1] == "log" then return neg(log(div(one, e[2]))) end end,
  function(e) if e[1] == "log" then return mul(two, log(sqrt(e[2]))) end end,
  function(e) if e[1] == "log" then return half(log(square(e[2]))) end end,
  function(e) return log(exp(e)) end,
  function(e) if e[1] == "abs" then return sqrt(square(e[2])) end end,
  function(e) if e[1] == "abs" then return mul(sign(e[2]), e[2]) end end,
  function(e) if e[1] == "sign" then return div(abs(e[2]), e[2]) end end,
  function(e) if e[1] == "sign" then return div(e[2], abs(e[2])) end end,
  function(e) if (e[1] == "abs" or e[1] == "sign") and (e[2][1] == "*" or e[2][1] == "/") then return { e[2][1], { e[1], e[2][2] }, { e[1], e[2][3] } } end end,
  function(e) if e[1] == "max" then return half(add(add(e[2], e[3]), abs(sub(e[2], e[3])))) end end,
  function(e) if e[1] == "min" then return neg(max(neg(e[2]), neg(e[3]))) end end,
  function(e) if e[1] == "min" then return sub(add(e[2], e[3]), max(e[2], e[3])) end end,
  function(e) if e[1] == "asin" then return sub(half(pi), acos(e[2])) end end,
  function(e) if e[1] == "acos" then return sub(half(pi), asin(e[2])) end end,
  function(e) if e[1] == "acos" then return sub(pi, acos(neg(e[2]))) end end,
  function(e) if e[1] == "atan" then return asin(div(e[2], sqrt(add(one, square(e[2]))))) end end,
  function(e) if e[1] == "atan" then return sub(half(mul(sign(e[2]), pi)), atan(div(one, e[2]))) end end,
  function(e) if e[1] == "atan" then return atan2(e[2], one) end end,
  function(e) if e[1] == "atan2" then local p = pick(parameters) return atan2(mul(p, e[2]), mul(p, e[3])) end end,
  function(e) if e[1] == "asinh" then return log(add(e[2], sqrt(add(square(e[2]), one)))) end end,
  function(e) if e[1] == "sym" then return tan(atan(e)) end end,
  function(e) if e[1] == "sym" and positive_names[e[2]] then return tan(atan2(mul(e, square(sym "x")), square(sym "x"))) end end,
  function(e) if e[1] == "sqrt" and e[2][1] == "-" and e[2][3][1] == "^" then return cos(asin(sqrt(sub(one, e[2])))) end end,
}

local function size(e)
  if e[1] == "num" or e[1] == "sym" or e[1] == "pi" then return 1 end
  return 1 + size(e[2]) + (e[3] and size(e[3]) or 0)
end

-- e with f applied to its node number k, in pre-order; nil where f gives nothing
local function at_node(e, k, f)
  if k == 1 then return f(e) end
  k = k - 1
  local n = size(e[2])
  if k <= n then
    local a = at_node(e[2], k, f)
    return a and { e[1], a, e[3] }
  end
  local b = at_node(e[3], k - n, f)
  return b and { e[1], e[2], b }
end

local function rewritten(e, rules)
  for _ = 1, 30 do
    local other = at_node(e, whole(1, size(e)), pick(rules))
    if other then return other end
  end
  return e
end

local perturbations = {
  function(e) return neg(e) end,
  function(e) return add(e, num(1, math.tointeger(10^whole(1, 12)))) end,
  function(e) return mul(e, add(one, num(1, math.tointeger(10^whole(1, 12))))) end,
  function(e) if e[1] == "sin" then return cos(e[2]) elseif e[1] == "cos" then return sin(e[2]) end end,
  function(e) if e[1] == "abs" then return e[2] end end,
  function(e) if e[1] == "sqrt" and e[2][1] == "^" then return e[2][2] end end,
  function(e) if e[1] == "num" then return num(e[2] + 1, e[3]) end end,
  function(e) if e[1] == "+" then return sub(e[2], e[3]) end end,
  -- true of positive bases, and of signs off zero
  function(e) if e[1] == "^" and e[3][1] == "*" then return pow(pow(e[2], e[3][2]), e[3][3]) end end,
  function(e) if not is_positive(e) then local w = pick(coordinates) return pow(pow(e, w), div(one, w)) end end,
  function(e) return mul(e, square(sign(pick(coordinates)))) end,
}

-- ---- the lines

local x, y, z = hm.functions_of_time "x y z"
local p, q = hm.positive "p q"
local symbols = { x, y, z, p, q }

local function point()
  return { x = random(-1.5, 1.5), y = random(-1.5, 1.5), z = random(-1.5, 1.5), p = random(0.3, 2), q = random(0.3, 2) }
end

-- Whole numbers of either sign: there powers of negative numbers are real. No zero and no equal ones, since a proof may leave out single places
local function whole_point()
  local function signed(n) return chance(0.5) and n or -n end
  return { x = signed(1), y = signed(2), z = signed(4), p = 3 + 2*whole(0, 1), q = 7 + 2*whole(0, 1) }
end

-- Do they clearly differ in doubles at several places?
local function clearly_different(a, b)
  local places, seen = 0, {}
  for k = 1, 25 do
    local at = k <= 5 and point() or whole_point()
    local name = ("%.17g %.17g %.17g %.17g %.17g"):format(at.x, at.y, at.z, at.p, at.q)
    local v, s = value(a, at)
    local w, t = value(b, at)
    if not seen[name] and v == v and w == w and math.max(s, t) < 1e6 and math.abs(v - w) > 1e-5 then places = places + 1 end
    seen[name] = true
    if places == 2 then return at end
  end
end

local rules = { mechanics = shared, general = table.move(more, 1, #more, #shared + 1, table.move(shared, 1, #shared, 1, {})) }
local make = { mechanics = mechanics, general = general }
local tally, lines, slowest = {}, {}, 0

local function one_line(class)
  local e = make[class](whole(2, 3))
  local other = e
  for _ = 1, whole(1, 8) do other = size(other) < 150 and rewritten(other, rules[class]) or other end
  local perturbed = chance(0.4)
  if perturbed then other = rewritten(other, perturbations) end
  local t = tally[class]
  local fine, difference = pcall(function() return hm.parse(text(e), symbols) - hm.parse(text(other), symbols) end)
  if not fine then
    t.refused = t.refused + 1
    return
  end
  local start = os.clock()
  local verdict = core.decide(difference)
  slowest = math.max(slowest, os.clock() - start)
  lines[#lines + 1] = table.concat({ class, perturbed and "perturbed" or "identity", verdict, text(e), text(other) }, "\t")
  local name = perturbed and "perturbed" or "identity"
  t[name][verdict] = (t[name][verdict] or 0) + 1
  if verdict == "zero" and perturbed then
    local at = clearly_different(e, other)
    assert(not at, ("seed %d: called zero: %s - (%s)"):format(seed, text(e), text(other)))
  end
  -- identities may be defined in different places, never differ
  assert(perturbed or verdict ~= "nonzero", ("seed %d: called nonzero: %s - (%s)"):format(seed, text(e), text(other)))
end

local undecided_at_most = { mechanics = 0.005, general = 0.05 }
local few = { mechanics = 2, general = 8 }           -- of a short list, whatever their part
for _, class in ipairs{ "mechanics", "general" } do
  tally[class] = { refused = 0, identity = {}, perturbed = {} }
  local start = os.clock()
  for _ = 1, count do one_line(class) end
  local t = tally[class].identity
  local zero, open = t.zero or 0, t.undecided or 0
  print(("  %-10s identities: %d proved, %d undecided (%.2f %%); perturbed: %d different, %d zero, %d undecided; %d refused; %.2f s"):format(class,
    zero, open, 100*open/(zero + open), tally[class].perturbed.nonzero or 0, tally[class].perturbed.zero or 0,
    tally[class].perturbed.undecided or 0, tally[class].refused, os.clock() - start))
  tally[class].open, tally[class].rate = open, open/(zero + open)
end
print(("  slowest decision %.3f s"):format(slowest))

-- ---- the judge

local path = arg and arg[3] or os.tmpname()
local file <close> = assert(io.open(path, "w"))
file:write(table.concat(lines, "\n"), "\n")
file:flush()
local judged = os.execute "python3 -c 'import mpmath' >/dev/null 2>&1"
if judged then
  local judge = debug.getinfo(1, "S").source:sub(2):gsub("identities%.lua$", "identities_judge.py")
  local ok = os.execute(("python3 '%s' '%s' %d"):format(judge, path, seed))
  if not (arg and arg[3]) then os.remove(path) end
  assert(ok, "a verdict is wrong")
else
  print "  skipped: the judge needs Python with mpmath"
  if not (arg and arg[3]) then os.remove(path) end
end
for class, most in pairs(undecided_at_most) do
  assert(tally[class].rate <= most or tally[class].open <= few[class],
    ("seed %d: %.2f %% of the class %s undecided"):format(seed, 100*tally[class].rate, class))
end
