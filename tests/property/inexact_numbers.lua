-- Inexact numbers: sums, products, quotients and whole powers of doubles differ from the same of fractions by no more than their bounds, which are
-- small where nothing cancels; they are refused where the result leaves the range of doubles, and never called zero or nonzero wrongly. Identities of
-- functions are never refuted. HML_SEED gives others.
local hm, core, check = require "hamel", require "hamel.core", require "check"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local N = check.draws(3000)
print(("inexact_numbers: seed %d, %d draws"):format(seed, N))
math.randomseed(seed)

-- A number as an expression, and as the fraction that it is: the arbiter
local function leaf()
  if math.random(6) == 1 then
    local q = hm.rational(math.random(-9, 9), math.random(1, 9))
    return q, q
  end
  local scale = math.random(4) == 1 and math.random(-150, 150) or math.random(-2, 2)
  local e = hm.number((2*math.random() - 1)*10.0^scale)
  return e, core.exact_number(e)
end

local draw
local kinds = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a*b end, function(a, b) return a/b end,
  function(a) return a*a - a^2/3 end, function(a, b) return (a + b) - a end, function(a, b) return (a - b)*(a + b) - a^2 end,
}
-- Both computed alike; the expression may be refused, and then the fraction alone is known
function draw(depth)
  if depth == 0 then return leaf() end
  local a, p = draw(depth - 1)
  local b, q = draw(math.random(0, depth - 1))
  local f, k = kinds[math.random(#kinds)], math.random(-3, 4)
  if math.random(5) == 1 then f = function(x) return x^k end end
  local known, exact = pcall(f, p, q)
  if not known then return leaf() end
  local fine, e = pcall(f, a, b)
  if not fine then
    local message = tostring(e)
    assert(message:find("range of doubles", 1, true) or message:find("which may be zero", 1, true) or message:find("division by zero", 1, true), message)
    return leaf()
  end
  return e, exact
end

local refuted, open = 0, 0
for i = 1, N do
  local e, exact = draw(math.random(1, 4))
  local off = e - exact
  local what = ("seed %d, draw %d: %s"):format(seed, i, tostring(e))
  assert(off:is_zero() ~= false, what .. " has a bound of its error that is too small")
  local verdict, is_zero = e:is_zero(), core.number_value(exact) == 0
  assert(verdict == nil or verdict == is_zero, what .. " is called " .. tostring(verdict))
  if verdict == nil then open = open + 1 end
  if verdict == false then refuted = refuted + 1 end
end
-- most numbers are certain
assert(refuted > N/2, refuted)

local identities = {
  function(a) return hm.sin(a)^2 + hm.cos(a)^2 - 1 end, function(a) return hm.cosh(a)^2 - hm.sinh(a)^2 - 1 end,
  function(a) return hm.exp(hm.log(hm.abs(a))) - hm.abs(a) end, function(a) return hm.sqrt(hm.abs(a))^2 - hm.abs(a) end,
  function(a) return hm.tan(a) - hm.sin(a)/hm.cos(a) end, function(a, b) return hm.sin(a + b) - hm.sin(a)*hm.cos(b) - hm.cos(a)*hm.sin(b) end,
  function(a) return hm.sin(hm.asin(hm.tanh(a))) - hm.tanh(a) end, function(a, b) return hm.atan2(a, b) + hm.atan2(b, a) - hm.sign(a*b)*hm.pi/2 end,
  function(a) return hm.acosh(1 + a^2) - 2*hm.asinh(hm.abs(a)/hm.sqrt(2)) end, function(a) return hm.atanh(hm.tanh(a)) - a end,
  function(a) return hm.log(1 + a^2) + hm.log(1/(1 + a^2)) end, function(a, b) return (a + b)^2 - a^2 - 2*a*b - b^2 end,
}
local x = hm.symbols "x"
for _ = 1, N do
  local k = math.random(#identities)
  local a, b = hm.number((1 + 3*math.random())*10.0^-math.random(0, 12)), hm.number(1 + math.random())
  local e = identities[k](a, b)
  local what = ("seed %d, identity %d of %s, %s: %s"):format(seed, k, tostring(a), tostring(b), tostring(e))
  assert(type(e) == "number" and e == 0 or e:is_zero() ~= false, what)
  assert(type(e) == "number" or (e*x):is_zero() ~= false, what)
end
print(("%d numbers certain, %d open, %d identities"):format(refuted, open, N))
