-- trig.lua: trigonometric forms on request: e:trig "sum", "double", "tan"; what is returned is proved equal by the exact algebra.
local core = require "hamel.core"
local object = require "hamel.base.object"
local rebuild = require "hamel.algebra.rebuild"

local fail = object.fail
local methods = core.methods
local sin, cos, tan = core.functions.sin, core.functions.cos, core.functions.tan

local MOST, MOST_TERMS = 24, 5000      -- sines and cosines of one product; terms of one sum

-- The sine or cosine in a factor, and its multiplicity; nil: another factor
local function circular(factor)
  local base, k = factor, 1
  if core.kind(factor) == "power" then
    base, k = table.unpack(core.operands(factor))
    k = math.tointeger(core.number_value(k) or 0)
  end
  local name = core.kind(base) == "call" and core.name(base)
  if not k or k < 1 or (name ~= "sin" and name ~= "cos") then return nil end
  return { name = name, angle = core.operands(base)[1], times = k }
end

-- A wave times a sine or cosine, as two waves { weight, name, angle }
local function doubled(wave, name, angle)
  local half, more, less = wave.weight/2, wave.angle + angle, wave.angle - angle
  if wave.name == "cos" and name == "cos" then return { weight = half, name = "cos", angle = less }, { weight = half, name = "cos", angle = more } end
  if wave.name == "sin" and name == "sin" then return { weight = half, name = "cos", angle = less }, { weight = -half, name = "cos", angle = more } end
  if wave.name == "sin" then return { weight = half, name = "sin", angle = more }, { weight = half, name = "sin", angle = less } end
  return { weight = half, name = "sin", angle = more }, { weight = -half, name = "sin", angle = less }
end

-- A product of sines and cosines as a sum
local function sum_of(factors)
  local waves = { { weight = core.rational(1), name = "cos", angle = core.rational(0) } }
  for _, f in ipairs(factors) do
    for _ = 1, f.times do
      local new = {}
      for _, wave in ipairs(waves) do new[#new + 1], new[#new + 2] = doubled(wave, f.name, f.angle) end
      waves = new
    end
  end
  local terms = {}
  for i, wave in ipairs(waves) do
    local angle = core.simplify(wave.angle, "expanded")
    terms[i] = wave.weight*(wave.name == "sin" and sin or cos)(angle)
  end
  return core.sum(terms)
end

-- The factors of a product in groups: all circular ones together, or by angle, where there are two and more
local function product_as_sums(e, by_angle)
  local groups, order, rest, count = {}, {}, {}, 0
  for _, factor in ipairs(core.kind(e) == "product" and core.operands(e) or { e }) do
    local f = circular(factor)
    local key = f and (by_angle and f.angle or "all")
    if not f then rest[#rest + 1] = factor
    else
      if not groups[key] then groups[key], order[#order + 1] = { times = 0 }, key end
      table.insert(groups[key], f)
      groups[key].times, count = groups[key].times + f.times, count + f.times
    end
  end
  if count > MOST then return e end
  for _, key in ipairs(order) do rest[#rest + 1] = sum_of(groups[key]) end
  return core.product(rest)
end

-- Sums of waves are multiplied out, so that equal ones meet
local function in_waves(e, by_angle)
  local function terms(x)
    local kind = core.kind(x)
    if kind == "product" or kind == "power" then return product_as_sums(x, by_angle) end
  end
  local list = {}
  for i, part in ipairs(core.kind(e) == "sum" and core.operands(e) or { e }) do list[i] = rebuild.by(terms)(part) end
  return core.sum(list)
end

-- A factor as a base and a power to multiply out: whole powers of sums, and sums; what divides, and powers of anything else, are one factor
local function multiplied(factor)
  if core.kind(factor) ~= "power" then return factor, 1 end
  local base, k = table.unpack(core.operands(factor))
  k = math.tointeger(core.number_value(k) or 0.5)
  if core.kind(base) == "sum" and k and k > 1 and k <= MOST then return base, k end
  return factor, 1
end

local function divides(factor)
  return core.kind(factor) == "power" and (core.number_value(core.operands(factor)[2]) or 0) < 0
end

-- A product with its sums multiplied out; nil where there are too many terms
local function expanded_product(factors)
  local terms, below = { core.rational(1) }, {}
  for _, factor in ipairs(factors) do
    if divides(factor) then below[#below + 1] = factor
    else
      local base, times = multiplied(factor)
      local parts = core.kind(base) == "sum" and core.operands(base) or { base }
      for _ = 1, times do
        local new = {}
        for _, t in ipairs(terms) do for _, part in ipairs(parts) do new[#new + 1] = t*part end end
        if #new > MOST_TERMS then return nil end
        terms = new
      end
    end
  end
  below[#below + 1] = core.sum(terms)
  return core.product(below)
end

-- Products multiplied out, above and below the line each for itself
local function multiply(x)
  if core.kind(x) == "product" then return expanded_product(core.operands(x)) end
  return core.kind(x) == "power" and not divides(x) and expanded_product{ x } or nil
end

local function distributed(e) return rebuild.by(multiply)(e) end

-- ---- tangents

local function angles_of(e)
  local list, known, stack = {}, {}, { e }
  while #stack > 0 do
    local part = table.remove(stack)
    if not known[part] then
      known[part] = true
      local operands = core.operands(part)
      local name = core.kind(part) == "call" and core.name(part)
      if name == "sin" or name == "cos" then
        if not known["angle " .. core.text(operands[1])] then list[#list + 1] = operands[1] end
        known["angle " .. core.text(operands[1])] = true
      end
      table.move(operands, 1, #operands, #stack + 1, stack)
    end
  end
  return list
end

local function power_in(factor, base)
  if factor == base then return 1 end
  if core.kind(factor) ~= "power" then return 0 end
  local b, k = table.unpack(core.operands(factor))
  return b == base and math.tointeger(core.number_value(k) or 0.5) or 0
end

-- T^p cos^q with both exponents positive has sines again
local function with_sines(e, T, angle)
  local c, s = cos(angle), sin(angle)
  return rebuild.by(function(x)
    if core.kind(x) ~= "product" then return nil end
    local p, q = 0, 0
    for _, factor in ipairs(core.operands(x)) do p, q = p + power_in(factor, T), q + power_in(factor, c) end
    local k = math.min(p, q)
    return k > 0 and x*s^k/(T^k*c^k) or nil
  end)(e)
end

local function in_tangents(given)
  local e = given
  for i, angle in ipairs(angles_of(e)) do
    local T = core.symbol("tangent_" .. i, 2 | 8)                          -- no symbol of a user has these flags
    local short = core.simplify(core.substitute(e, { sin(angle) }, { T*cos(angle) }), "auto")
    e = core.substitute(with_sines(short, T, angle), { T }, { tan(angle) })
  end
  return core.tree_size(e) < core.tree_size(given) and e or given
end

local MOST_ROUNDS = 8

-- Sums of waves that stand beside other waves are multiplied out and turned again
local function all_in_waves(e, by_angle)
  for _ = 1, MOST_ROUNDS do
    local new = distributed(in_waves(distributed(e), by_angle))
    if new == e then break end
    e = new
  end
  return e
end

local forms = {
  sum = function(e) return all_in_waves(e, false) end,
  double = function(e) return all_in_waves(e, true) end,
  tan = in_tangents,
}

--- A trigonometric form: e:trig "sum" turns products and powers of sines and cosines into sums, sin(a)*cos(b) into (sin(a + b) + sin(a - b))/2;
--- e:trig "double" does so with those of one angle only, sin(a)*cos(a) into sin(2*a)/2, sin(a)^2 into (1 - cos(2*a))/2, and higher powers into
--- multiples; e:trig "tan" writes quotients of sine and cosine of one angle as its tangent. The form is proved equal to e, wherever both are
--- defined; where that is not possible e comes back, with a reason.
function methods.trig(e, form)
  local names = object.keys(forms)
  if type(form) ~= "string" then fail("trig takes the name of a form: %s", object.quoted(names)) end
  if not forms[form] then fail("trig: there is no form '%s'%s", form, object.known(form, names)) end
  local result = forms[form](e)
  if core.decide(result - e) ~= "zero" then return e, "the form found is not proved to be equal" end
  return result
end

return forms
