-- Random identities of rotations: decided as they are on the sphere e.e = 1, simplified without a change of value, none wrong. An identity is a polynomial
-- plus a multiple of e.e - 1, of a row of cosines less one, or a vector identity; beside each a false one with one more term. HML_SEED gives others.
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261123
math.randomseed(seed)

local S = hm.system "identities"
local N = S:frame "N"
local R = S:rotation("R", { rates = "p q r" })
local B = S:rotation("B", { from = R, rates = "u v w" })
local x = S:coordinates "x"

local function pick(list) return list[math.random(#list)] end
local function whole() return pick{ -3, -2, -1, 1, 2, 3 } end

local entries = { {R:quaternion()}, {B:quaternion()} }
local cosines = { R:matrix(N), B:matrix(R) }

local function monomial(degree)
  local e = hm.rational(whole(), pick{ 1, 1, 2 })
  for _ = 1, math.random(0, degree) do
    local which = math.random(2)
    e = e*pick{ pick(entries[which]), cosines[which][math.random(3)][math.random(3)], x }
  end
  return e
end

local function polynomial(terms, degree)
  local sum = hm.rational(0)
  for _ = 1, math.random(terms) do sum = sum + monomial(degree) end
  return sum
end

-- What is zero on the sphere
local relations = {
  function()
    local e = pick(entries)
    return e[1]^2 + e[2]^2 + e[3]^2 + e[4]^2 - 1
  end,
  function()
    local C, i, j, across = pick(cosines), math.random(3), math.random(3), math.random(2) == 1
    local sum = hm.rational(i == j and -1 or 0)
    for k = 1, 3 do sum = sum + (across and C[i][k]*C[j][k] or C[k][i]*C[k][j]) end
    return sum
  end,
  function()
    local k = math.random(2)
    local C, e, i = cosines[k], entries[k], math.random(3)
    local j, l = i % 3 + 1, (i + 1) % 3 + 1
    return C[i][j] - 2*(e[1 + i]*e[1 + j] - e[1]*e[1 + l]) + C[j][j] - (2*(e[1]^2 + e[1 + j]^2) - 1)
  end,
  function()
    local C, i = pick(cosines), math.random(3)
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    return C[i][i] - (C[j][j]*C[k][k] - C[j][k]*C[k][j])
  end,
  function()
    local a, b = R:vector(whole(), x, whole()), B:vector(0, whole(), whole())
    local one, other = a:cross(b), b:cross(a)
    return (one + other):dot(N.x) + one:dot(one) + a:dot(b)^2 - a:dot(a)*b:dot(b)
  end,
}

-- A point on both spheres, for values of an independent route
local function point()
  local from, to = { x }, { 2*math.random() - 1 }
  for _, e in ipairs(entries) do
    local values, size = {}, 0
    for i = 1, 4 do
      values[i] = 2*math.random() - 1
      size = size + values[i]^2
    end
    for i = 1, 4 do from[#from + 1], to[#to + 1] = e[i], values[i]/math.sqrt(size) end
  end
  return from, to
end

local function value(e, from, to) return core.program(from, { S:plain(e) }):eval(to)[1] end

local decided = 0
for k = 1, check.draws(60) do
  local P, zero = polynomial(3, 2), relations[(k - 1) % #relations + 1]()
  local Q = (P + zero*polynomial(2, 1)):expand()
  local from, to = point()
  local what = ("seed %d, draw %d"):format(seed, k)
  check.near(value(P - Q, from, to), 0, 1e-10, what .. ": the identity itself")
  local verdict = (P - Q):is_zero()
  assert(verdict ~= false, what .. ": an identity is refuted")
  if verdict then decided = decided + 1 end
  local more = monomial(2)
  assert((P + more - Q):is_zero() ~= true, what .. ": a false identity is proved")
  local short = Q:simplify()
  check.near(value(short, from, to), value(Q, from, to), 1e-9*(1 + math.abs(value(Q, from, to))), what .. ": a short form")
end
assert(decided >= 0.95*check.draws(60), ("only %d identities are decided"):format(decided))
print(("seed %d: %d identities of rotations decided, none wrong"):format(seed, decided))
