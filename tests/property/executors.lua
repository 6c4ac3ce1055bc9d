-- Random equations of motion by three executors: interpreter, machine code, the system's C compiler. Every stored number must have the same bits.
--   build/hamel tests/property/executors.lua [SEED [COUNT]]
local core = require "hamel.core"
local hm, check = require "hamel", require "check"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(20)
math.randomseed(seed)
print(("seed %d, %d systems"):format(seed, count))

local unary = {
  hm.sin, hm.cos, hm.tanh, hm.atan, hm.asinh, hm.abs, hm.sign,
  function(e) return hm.sqrt(1 + e^2) end, function(e) return hm.log(2 + e^2) end, function(e) return hm.exp(-e^2) end,
  function(e) return hm.tan(hm.sin(e)) end, function(e) return hm.asin(hm.tanh(e)/2) end, function(e) return hm.acos(hm.sin(e)/2) end,
  function(e) return hm.sinh(hm.sin(e)) end, function(e) return hm.cosh(hm.cos(e)) end, function(e) return hm.acosh(1 + e^2) end,
  function(e) return hm.atanh(hm.sin(e)/2) end, function(e) return (1 + e^2)^hm.rational(2, 3) end, function(e) return 1/(1 + e^2) end,
}
local binary = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a*b end, function(a, b) return a/(2 + b^2) end,
  hm.min, hm.max, function(a, b) return hm.atan2(a, 2 + b^2) end, function(a, b) return a*b + a end, function(a, b) return (2 + a^2)^hm.sin(b) end,
}

local function random(atoms, depth)
  if depth == 0 then
    local k = math.random(#atoms + 1)
    return atoms[k] or hm.rational(math.random(-9, 9), math.random(1, 7))
  end
  if math.random() < 0.4 then return unary[math.random(#unary)](random(atoms, depth - 1)) end
  return binary[math.random(#binary)](random(atoms, depth - 1), random(atoms, depth - 1))
end

local function system()
  local S = hm.system "random"
  local x, y = S:coordinates "x y"
  local a, b = S:parameters "a=0.7 b=-1.3"
  local atoms = { x, y, x.dot, y.dot, a, b, hm.t }
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + hm.cos(x - y)*x.dot*y.dot/4 + random({ x, y, a }, 2)^2*x.dot^2/8)
  S:force(x, hm.tanh(random(atoms, 4)))
  S:force(y, hm.sin(random(atoms, 4)))
  return S
end

local function run(S, executor)
  local r = S:simulate{ q = { x = 0.3, y = -0.2 }, v = { x = 0.5, y = 0.1 }, t = 0.5, method = "rk4", step = 0.02, executor = executor }
  local words = { r.status }
  for i = 1, #r do words[#words + 1] = ("%a %a %a %a"):format(r[i].x, r[i].y, r[i].v.x, r[i].v.y) end
  return table.concat(words, "\n")
end

local compared = 0
for k = 1, count do
  local S = system()
  local wanted = run(S, "interpreter")
  for _, executor in ipairs{ "native", "cc" } do
    if executor ~= "native" or not core.native_refusal() then
      if run(S, executor) ~= wanted then
        error(("system %d of seed %d: '%s' gives other bits than the interpreter\n%s"):format(k, seed, executor, tostring(S)), 0)
      end
      compared = compared + 1
    end
  end
end
assert(compared >= count)
print(("%d runs of 100 evaluations agree bit for bit with the interpreter"):format(compared))
