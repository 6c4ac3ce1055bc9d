-- domains.lua: e:domain() of random expressions: where all conditions hold, e has a value; where one is violated, it has none. Taylor polynomials
-- leave an error that shrinks with the power of the step.
-- Arbiter: values of the expression itself at random points. Arguments: seed, number of expressions (or HML_SEED; HML_SCALE multiplies the 400).
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(400)
print(("domains: seed %d, %d expressions"):format(seed, count))

local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

local x, y, a = hm.symbols "x y a"
local p = hm.positive "p"
local symbols = { x, y, a, p }
local leaves = { x, y, x, y, a, p, hm.number(2), hm.rational(1, 2), hm.number(3), hm.pi }
local one = { "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "abs", "sign", "sqrt" }
local two = { "atan2", "min", "max" }

local function expression(depth)
  local function part() return expression(depth - 1) end
  if depth == 0 or random(0, 1) < 0.1 then return pick(leaves) end
  local kind = whole(1, 12)
  if kind <= 2 then return part() + part() end
  if kind == 3 then return part() - part() end
  if kind <= 5 then return part()*part() end
  if kind == 6 then return part()/part() end
  if kind == 7 then return part()^whole(-2, 3) end
  if kind == 8 then return part()^hm.rational(whole(-3, 5), whole(2, 3)) end
  if kind == 9 then return hm[pick(two)](part(), part()) end
  if kind == 10 then return part()^pick{ x, y, a, p } end
  return hm[pick(one)](part())
end

local function point() return { random(-1.5, 1.5), random(-1.5, 1.5), random(-2, 2), random(0.3, 1.8) } end
local function is_finite(v) return v == v and math.abs(v) < math.huge end

-- No part is infinite: 1/(1 + 0^y) is 0 in doubles for negative y, and has no value
local function has_value(e, values)
  if not is_finite(core.value(e, symbols, values)) then return false end
  for _, part in ipairs(core.operands(e)) do if not has_value(part, values) then return false end end
  return true
end

local function overflows(e, values)
  if math.abs(core.value(e, symbols, values)) == math.huge then return true end
  for _, part in ipairs(core.operands(e)) do if overflows(part, values) then return true end end
  return false
end

-- true: all conditions hold, false: one is violated, nil: too close to tell
local function holds(domain, values)
  local all = true
  for _, condition in ipairs(domain) do
    local v, relation = core.value(condition[1], symbols, values), condition[2]
    if v ~= v or math.abs(v) < 1e-6 then return nil end
    if relation ~= "~=" and v < 0 then all = false end
  end
  return all
end

local inside, outside = 0, 0
local function check_domain(e)
  local fine, domain = pcall(e.domain, e)
  if not fine then
    assert(domain:find("no real value anywhere", 1, true), ("seed %d: %s: %s"):format(seed, e, domain))
    return
  end
  for _ = 1, 6 do
    local values = point()
    local v, verdict = core.value(e, symbols, values), holds(domain, values)
    local place = ("seed %d: %s, %s, at %s: %g"):format(seed, e, domain, table.concat(values, " "), v)
    if verdict == true then
      assert(v == v or overflows(e, values), place)
      inside = inside + 1
    elseif verdict == false then
      assert(not has_value(e, values), place)
      outside = outside + 1
    end
  end
end

-- The error of a polynomial to x^2 is c x^3: an eighth of it at half the step; nil: too small or too large to tell
local function shrinks(e, sum)
  local values, errors = point(), {}
  for k, h in ipairs{ 1e-3, 5e-4, 2.5e-4, 1e-6 } do
    values[1] = h
    local v, w = core.value(e, symbols, values), core.value(sum, symbols, values)
    if not is_finite(v) or not is_finite(w) then return nil end
    errors[k] = math.abs(v - w)/(1 + math.abs(v))
  end
  local corner_between = errors[4] < 1e-15 and errors[3] > 1e-9
  if errors[1] > 0.1 or corner_between then return nil end
  return errors[3] < 1e-9 or (errors[2] < errors[1]/4 and errors[3] < errors[2]/4)
end

-- One point of four may lie beside a corner of min, max or abs
local series = 0
local function check_series(e)
  local fine, sum = pcall(e.series, e, x, 2)
  if not fine then return end
  local bad = 0
  for _ = 1, 4 do
    local small = shrinks(e, sum)
    if small == false then bad = bad + 1 elseif small then series = series + 1 end
  end
  assert(bad <= 1, ("seed %d: %s, to x^2: %s"):format(seed, e, sum))
end

for _ = 1, count do
  local fine, e = pcall(expression, 4)
  if fine and core.tree_size(e) < 200 then
    check_domain(e)
    check_series(e)
  end
end
assert(inside > count and outside > count/4 and series > count/8, "too few cases were checked")
print(("  %d points inside, %d outside; %d points of Taylor polynomials"):format(inside, outside, series))
