-- read_back.lua: what is printed reads back as the very node that was printed, over random expressions of every kind of node; long sums and
-- products, deep nests, shared parts, inexact numbers, data, quasi-symbols; and TeX in which no two of them look the same.
local core = require "hamel.core"
local hm = require "hamel"

local SEED = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local N = require "check".draws(4000)
print(("read_back: seed %d, %d expressions"):format(SEED, N))
math.randomseed(SEED)

local S = hm.system "s"
local x, y = S:coordinates "x theta_1"
local m, l = S:positive "m l"
local a, b = S:parameters "a a_1"
local atoms = { x, y, x.dot, y.ddot, hm.dt(x.ddot), hm.dt(hm.dt(hm.dt(x.ddot))), m, l, a, b, hm.pi, hm.t }
local curve = hm.data{ x = { 0, 1, 2, 3 }, y = { 0, 2, 1, 4 }, name = "profile" }
local functions = { "sin", "cos", "tan", "exp", "abs", "sign", "atan", "sinh", "tanh", "asinh", "sqrt" }
local known = { x, y, m, l, a, b, hm.t }

local function pick(list) return list[math.random(#list)] end

local function number()
  local kind = math.random(6)
  if kind == 1 then return hm.number(math.random()*10^math.random(-20, 20)) end           -- inexact
  if kind == 2 then return hm.number(math.pi)/hm.number(math.pi)*math.random(9)/8 end     -- inexact with few digits
  if kind == 3 then return hm.rational(math.random(-9, 9), math.random(2, 9)) end
  if kind == 4 then return hm.number(3)^math.random(20, 60) end
  return hm.rational(math.random(-9, 9))
end

local random
local kinds = {
  function(d) return random(d) + random(d) end,
  function(d) return random(d) - random(d) end,
  function(d) return random(d)*random(d) end,
  function(d) return random(d)/random(d) end,
  function(d) return -random(d) end,
  function(d) return random(d)^math.random(-3, 4) end,
  function(d) return random(d)^hm.rational(math.random(-5, 5), math.random(2, 3)) end,
  function(d) return random(d)^random(d) end,
  function(d) return hm[pick(functions)](random(d)) end,
  function(d) return hm.atan2(random(d), random(d)) end,
  function(d) return curve(random(d)) end,
  function(d) return curve(random(d)):diff(x) end,
  function(d) -- long sums and products, flat and as a chain
    local list, chain = {}, random(d)
    for i = 1, math.random(2, 40) do
      list[i] = random(0)*random(0)
      chain = math.random(2) == 1 and chain + list[i] or chain*list[i]
    end
    local kind = math.random(4)
    return kind == 1 and core.sum(list) or kind == 2 and core.product(list) or kind == 3 and 1/core.product(list) or chain
  end,
}
function random(d)
  if d <= 0 then return math.random(4) == 1 and number() or pick(atoms) end
  local fine, e = pcall(pick(kinds), d - 1)
  return fine and e or pick(atoms)
end

-- Products of doubles have more digits than are printed. What is read has the printed ones: the same text, up to the order of terms and factors
local function is_long(text)
  for digits in text:gmatch "%d+%.?%d*" do if #digits >= 15 then return true end end
  return false
end
local function signs_of(text)
  local list = { text:byte(1, -1) }
  table.sort(list)
  return table.concat(list, " ")
end
local function reads_alike(again, text) return is_long(text) and signs_of(tostring(again)) == signs_of(text) end

local texts, tex = 0, {}
local function check(e, what)
  local text = tostring(e)
  local fine, again = pcall(hm.parse, text, known)
  if not fine or again ~= e and not reads_alike(again, text) then
    error(("seed %d, %s: '%s' is read as %s"):format(SEED, what, text:sub(1, 600), tostring(again):sub(1, 600)), 0)
  end
  -- TeX is not read by hm.parse; two nodes that are not the same formula must not look the same
  local latex = e:latex()
  local other = tex[latex]
  if other and other ~= e and (other - e):is_zero() == false and not is_long(text) and not is_long(tostring(other)) then
    error(("seed %d: %s and %s are both %s"):format(SEED, tostring(other):sub(1, 300), text:sub(1, 300), latex:sub(1, 300)), 0)
  end
  tex[latex] = e
  texts = texts + 1
end

for i = 1, N do check(random(i % 6), "expression " .. i) end

-- deep nests, shared parts
local deep = x
for i = 1, 2000 do deep = hm.sin(deep + i)/2 end
check(deep, "a deep nest")
local shared = b
for i = 1, 40 do shared = hm.sin(shared + i)*shared/(1 + shared^2) end
check(shared, "shared parts")
check((x + y)^hm.rational(1, 2)*hm.number(7)^6000, "an integer of 5000 digits")

print(("%d texts read back (seed %d)"):format(texts, SEED))
