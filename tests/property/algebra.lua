-- algebra.lua: random expressions: every form equals the input at real points, no difference is called nonzero, prints parse back.
-- Arbiter: the value of the input itself.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(500)
print(("algebra: seed %d, %d expressions"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local x, y, z = hm.functions_of_time "x y z"
local m, a = hm.positive "m a"
local leaves = { x, y, z, x.dot, m, a, hm.rational(1, 2), hm.number(2), hm.number(3) }
local angles = { x, y, 2*x, x + y, x - y, 3*x, x/2, 2*x + y, x + hm.pi/3, hm.pi/4 - y, x + y - 5*hm.pi/2, hm.rational(7, 12)*hm.pi }

local function expression(depth)
  local r = random(0, 1)
  if depth == 0 or r < 0.12 then return leaves[whole(1, #leaves)] end
  if r < 0.32 then return expression(depth - 1) + expression(depth - 1) end
  if r < 0.42 then return expression(depth - 1) - expression(depth - 1) end
  if r < 0.66 then return expression(depth - 1)*expression(depth - 1) end
  if r < 0.76 then return expression(depth - 1)/(2 + hm.sin(angles[whole(1, #angles)])) end
  if r < 0.80 then return expression(depth - 1)^2 end
  if r < 0.93 then
    local f = ({ hm.sin, hm.cos, hm.sin, hm.cos, hm.tan })[whole(1, 5)]
    return f(angles[whole(1, #angles)])
  end
  if r < 0.97 then return hm.sqrt(m^2*x^2 + whole(1, 3)*a^2*y^2 + a*m) end
  return hm.exp(angles[whole(1, #angles)])
end

local symbols = { x, y, z, x.dot, m, a }
local function point()
  local p = {}
  for i, s in ipairs(symbols) do p[s] = i > 4 and random(0.5, 2) or random(-1.4, 1.4) end
  return p
end

-- Only the symbols that occur may be given
local function value(e, p)
  local given = {}
  for _, s in ipairs(e:symbols()) do given[s] = p[s] end
  return e:eval(given)
end

-- What changes of the last digits of the point change of a value: terms of a rewritten form may cancel
local function noise(e, p, found)
  local largest = 0
  for _, part in ipairs { -3e-15, -1e-15, 1e-15, 3e-15 } do
    local moved = {}
    for symbol, v in pairs(p) do moved[symbol] = v*(1 + part) end
    largest = math.max(largest, math.abs(value(e, moved) - found))
  end
  return largest
end

local function same(e, other, what, number)
  for _ = 1, 3 do
    local p = point()
    local want, got = value(e, p), value(other, p)
    -- tan may be near a pole: only values of ordinary size say something
    if want == want and math.abs(want) < 1e6 then
      local tolerance = 1e-7
      if math.abs(got - want) > tolerance then tolerance = math.min(math.max(tolerance, 10*noise(other, p, got)), 1e-3) end
      check.near(got, want, tolerance, ("seed %d, expression %d, %s: %s -> %s"):format(seed, number, what, e, other))
    end
  end
end

local proved, undecided, shorter, limits = 0, 0, 0, 0
local core = require "hamel.core"
for number = 1, count do
  local e = hm.number(0) + expression(number % 2 == 0 and 5 or 4)
  -- the short form is the input itself where nothing shorter is found: the fraction is rewritten always
  same(e, (e:simplify()), "simplify", number)
  local s, reason = e:simplify(number % 3 == 0 and "normal" or "fraction")
  same(e, s, "rewritten", number)
  if reason then limits = limits + 1 end
  if core.tree_size((e:simplify())) < core.tree_size(e) then shorter = shorter + 1 end
  local verdict = (e - s):is_zero()
  assert(verdict ~= false, ("seed %d, expression %d: %s - (%s) was called nonzero"):format(seed, number, e, s))
  if verdict then proved = proved + 1 else undecided = undecided + 1 end
  -- something that is certainly not zero must not be called zero
  assert((e - s + hm.rational(1, 1000)*(1 + x^2)):is_zero() ~= true, ("seed %d, expression %d"):format(seed, number))
  if not reason and number % 5 == 0 then
    same(e, (e:expand()), "expand", number)
    same(e, (e:factor()), "factor", number)
    same(e, (e:collect{ x, y }), "collect", number)
    same(e, e:numerator()/e:denominator(), "fraction", number)
  end
  -- beyond 20,000 nodes shared parts have names, which the parser does not read
  local back = core.tree_size(s) > 20000 and s or hm.parse(tostring(s), symbols)
  assert(back == s or (back - s):is_zero() == true, ("seed %d, expression %d: %s reads back as %s"):format(seed, number, s, back))
end
print(("  difference proved zero %d times, undecided %d times; %d short forms found, %d limits reached"):format(proved, undecided, shorter, limits))
assert(proved >= 0.95*count)
