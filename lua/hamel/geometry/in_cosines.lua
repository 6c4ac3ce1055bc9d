-- in_cosines.lua: functions of a rotation that do not change when it turns about one axis in space, written in the components of that axis on the body.
--
-- With n = (a, b, c) for that axis on the body's x, y, z the attitude e ~ (1 + c, b, -a, 0) has it, and so has every other one a turn about the axis away.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local unit_quaternion = require "hamel.algebra.unit_quaternion"

local HIGHEST = 40                     -- power of an entry

-- The powers of each entry in e become those of the attitude whose vertical is (a, b, c)
local function on_section(e, R, n)
  local a, b, c = table.unpack(n)
  local entries, values = { 1 + c, b, -a, core.rational(0) }, {}
  for i in ipairs(entries) do values[i] = entries[i]/core.sqrt(2*(1 + c)) end
  return core.substitute(e, R.quaternion, values)
end

-- e with a^2 = 1 - b^2 - c^2
local function reduced(e, n)
  local a, square = n[1], 1 - n[2]^2 - n[3]^2
  local from, to = {}, {}
  for k = 2, HIGHEST do from[#from + 1], to[#to + 1] = a^k, square^(k//2)*a^(k % 2) end
  return echelon.short(core.substitute(core.simplify(e, "expanded"), from, to))
end

local function fraction(e, n)
  local above, below = core.fraction(echelon.short(e))
  return echelon.short(reduced(above, n)/reduced(below, n))
end

local function base_of(e)
  if core.kind(e) ~= "power" then return e, core.rational(1) end
  return table.unpack(core.operands(e))
end

-- A function of the vertical of one rotation; nil where it is none
local function of_vertical(e, R)
  local n = { R.cosine_list[7], R.cosine_list[8], R.cosine_list[9] }
  local base, exponent = base_of(e)
  local fine, result = attempt(function() return fraction(on_section(base, R, n), n) end)
  if not fine or unit_quaternion.decide(base - result) ~= "zero" then return nil end
  return result^exponent
end

--- A shorter form of e in direction cosines of the vertical, which is proved to be equal; e where there is none.
return function(rotations, e)
  for _, R in ipairs(rotations) do
    local product = core.rational(1)
    for _, factor in ipairs(core.kind(e) == "product" and core.operands(e) or { e }) do product = product*(of_vertical(factor, R) or factor) end
    if core.tree_size(product) < core.tree_size(e) then e = product end
  end
  return e
end
