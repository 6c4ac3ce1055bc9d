-- series.lua: Taylor polynomials of random compositions about points where an inner value is, or is near, a pole, a branch point or a corner of the
-- function around it: right or refused.
-- Arbiter: values of the expression itself. On both sides of the point the remainder of order n falls by 2^(n + 1) from h to h/2.
-- Arguments: seed, number of expressions (or HML_SEED; HML_SCALE multiplies the 400).
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(400)
print(("series: seed %d, %d expressions"):format(seed, count))

local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

local x, y = hm.symbols "x y"
local p = hm.positive "p"
local others = { y, p }
local half = hm.rational(1, 2)
local constants = { hm.number(0), hm.number(1), hm.number(-1), half, -half, hm.pi/2, hm.pi, hm.pi/4, hm.number(2), hm.sqrt(hm.number(2))/2, hm.exp(half) }
local points = { hm.number(0), hm.number(0), hm.number(1), hm.number(-1), half, -half, hm.pi/2, hm.pi, -hm.pi/2, hm.number(2), hm.pi/4, hm.exp(half) }
local functions = { "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "abs", "sqrt", "sin",
                    "cos", "tan", "asin", "acos", "log", "sqrt", "atan" }

local function leaf() return random(0, 1) < 0.75 and x or random(0, 1) < 0.7 and pick(constants) or pick(others) end

local function expression(depth)
  local function part() return expression(depth - 1) end
  if depth == 0 then return leaf() end
  local kind = whole(1, 14)
  if kind == 1 then return part() + part() end
  if kind == 2 then return part() - pick(constants) end
  if kind == 3 then return part()*part() end
  if kind == 4 then return part()/part() end
  if kind == 5 then return part()^whole(-2, 3) end
  if kind == 6 then return part()^hm.rational(whole(-3, 5), whole(2, 3)) end
  if kind == 7 then return hm[pick{ "atan2", "min", "max" }](part(), part()) end
  return hm[pick(functions)](part())
end

-- Brings the inner value of an outer function to one of its distinguished points
local function about(e, point)
  local fine, there = pcall(core.substitute, e, { x }, { point })
  if not fine or random(0, 1) < 0.4 then return e end
  return hm[pick(functions)](e - there + pick(constants))
end

local NOISE = 1e-11

-- true: the remainders on one side fall as they should, false: they do not, nil: rounding hides them
local function falls(e, sum, values, place, side, n)
  local before, seen = nil, false
  for k = 2, 16 do
    values[1] = place + side*2.0^-k
    local v, w = core.value(e, { x, y, p }, values), core.value(sum, { x, y, p }, values)
    if v ~= v or w ~= w or math.abs(v) == math.huge then
      before = nil
    else
      local off, noise = math.abs(v - w), NOISE*(1 + math.abs(v))
      if off > noise then
        if before and before > off*2^(n + 0.6) then return true end
        seen, before = k > 9, off
      else
        return nil
      end
    end
  end
  if seen then return false end
end

-- Is a part too large there for the remainders to be seen above the rounding?
local function is_large(e, values)
  if math.abs(core.value(e, { x, y, p }, values)) > 100 then return true end
  for _, part in ipairs(core.operands(e)) do if is_large(part, values) then return true end end
  return false
end

local judged, refused = 0, 0
local function check_series(e, point)
  local n = whole(0, 3)
  local fine, sum = pcall(e.series, e, x, n, point)
  if not fine then
    assert(tostring(sum):find("series: ", 1, true), ("seed %d: %s about %s: %s"):format(seed, e, point, sum))
    refused = refused + 1
    return
  end
  local place = core.value(point, {}, {})
  local wrong = 0
  for _ = 1, 3 do                      -- a corner of the other symbols may lie beside one of the three
    local values, bad = { place, random(-1.5, 1.5), random(0.3, 1.8) }, false
    for _, side in ipairs((is_large(sum, values) or is_large(e, values)) and {} or { -1, 1 }) do
      local verdict = falls(e, sum, values, place, side, n)
      bad = bad or verdict == false
      if verdict then judged = judged + 1 end
    end
    if bad then wrong = wrong + 1 end
  end
  assert(wrong < 2, ("seed %d: %s about %s, to order %d: %s"):format(seed, e, point, n, sum))
end

for _ = 1, count do
  local point = pick(points)
  local fine, e = pcall(expression, 2)
  if fine then fine, e = pcall(about, e, point) end
  if fine and core.is_expression(e) and core.tree_size(e) < 60 then check_series(e, point) end
end
assert(judged > count/8 and refused > count/20, "too few cases were checked")
print(("  %d remainders, %d refused"):format(judged, refused))
