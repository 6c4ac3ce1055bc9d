-- Functions of whole numbers: each is the number that Lua's function gives, exact where numbers of Lua are not, refused where there is no real
-- value; identities among them are proved, their order is that of the doubles. HML_SEED gives others.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261123
math.randomseed(seed)

local x = hm.symbols "x"
local function whole(a, b) return math.random(a or -30, b or 30) end
local function double(v) return type(v) == "number" and v or v:eval() end

-- arbiter: the functions of doubles
local of_doubles = {
  sqrt = math.sqrt, sin = math.sin, cos = math.cos, tan = math.tan, asin = math.asin, acos = math.acos, atan = math.atan, exp = math.exp, log = math.log,
  abs = math.abs, sinh = function(n) return (math.exp(n) - math.exp(-n))/2 end, tanh = function(n) return 1 - 2/(math.exp(2*n) + 1) end,
}

local function agrees(name, n)
  local expected = of_doubles[name](n)
  local fine, value = pcall(hm[name], n)
  if expected ~= expected or math.abs(expected) == math.huge then return not fine and tostring(value):find("is not a real number", 1, true) end
  if not fine then return false end
  local is_number = math.type(value) == "integer"
  if not is_number and type(value) == "number" then return false end         -- no float: it would be inexact in formulas
  return math.abs(double(value) - expected) <= 1e-13*math.max(1, math.abs(expected))
end

local identities = {
  function(a, b) return hm.sqrt(a)*hm.sqrt(b)*x - hm.sqrt(a*b)*x end,
  function(a) return hm.sqrt(a)^2*x - a*x end,
  function(a, b) return hm.log(a*b)*x - hm.log(a)*x - hm.log(b)*x end,
  function(a, b) return hm.exp(a - b)*x - hm.exp(a)*(x/hm.exp(b)) end,
  function(a) return hm.sin(2*a)*x - 2*hm.sin(a)*(hm.cos(a)*x) end,
  function(a, b) return (a/b)^0.5*x - hm.sqrt(a)*(x/hm.sqrt(b)) end,
  function(a, b) return math.sqrt(a)*(math.sqrt(b)*x) - hm.sqrt(a*b)*x end,
  function(a, b) return math.sqrt(a)/hm.sqrt(b) - hm.sqrt(a*b)/b end,
}

local count, wrong = tonumber(arg and arg[2]) or 2000, 0
local function demand(fine, what, ...)
  if fine then return end
  wrong = wrong + 1
  if wrong <= 5 then print("seed " .. seed .. ": " .. what:format(...)) end
end

local names = {}
for name in pairs(of_doubles) do names[#names + 1] = name end
table.sort(names)
for _ = 1, count do
  local name, n = names[math.random(#names)], whole()
  demand(agrees(name, n), "hm.%s(%d)", name, n)
  local which, a, b = math.random(#identities), whole(1, 60), whole(1, 16)
  local e = identities[which](a, b)
  demand(type(e) == "number" and e == 0 or type(e) ~= "number" and e:is_zero() == true, "identity %d of %d, %d is not proved: %s", which, a, b, tostring(e))
  local p, q = hm.sqrt(whole(2, 60)) + 0*x, hm.log(whole(2, 60)) + whole(-3, 3)
  local distance = double(p) - double(q)
  demand(math.abs(distance) < 1e-9 or ((p < q) == (distance < 0) and (p > q) == (distance > 0)), "order of %s and %s", tostring(p), tostring(q))
end
check.near(wrong, 0)
print(("seed %d: %d draws"):format(seed, count))
