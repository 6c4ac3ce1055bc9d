-- poles.lua: what becomes zero where an expression has no value: its divisors, the cosines of tangents, the ends of the domains of its functions.
local core = require "hamel.core"
local protected = require "hamel.base.protected"

local poles = {}

local SHARE, LEAST = 1e-12, 1e-13       -- of the inputs by which they are moved, of each and of the largest

-- The function whose zeros are ends of the domain of a call
local ends = {
  tan = function(a) return core.cos(a) end,
  log = function(a) return a end,
  acosh = function(a) return a - 1 end,
  asin = function(a) return 1 - a^2 end,
  acos = function(a) return 1 - a^2 end,
  atanh = function(a) return 1 - a^2 end,
}

local function is_whole_and_positive(n)
  local value = core.number_value(n)
  return value and value > 0 and value % 1 == 0
end

--- The functions whose zeros are places where the expression may have no value, inner ones first.
function poles.of(e)
  local seen, known, found = {}, {}, {}
  local function add(g)
    if known[g] or core.number_value(g) then return end
    known[g], found[#found + 1] = true, g
  end
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    local list = core.operands(node)
    for _, operand in ipairs(list) do visit(operand) end
    if core.kind(node) == "power" and not is_whole_and_positive(list[2]) then add(list[1]) end
    local make = core.kind(node) == "call" and ends[core.name(node)]
    if make then add(make(list[1])) end
  end
  visit(e)
  return found
end

-- How near a function is to zero at (t, x), in units of what a small change of its inputs changes. value_of(t, x)
local function nearness(value_of, t, x)
  local here, change, largest = value_of(t, x), 0, 1
  for _, value in ipairs(x) do largest = math.max(largest, math.abs(value)) end
  local function moved(by, value_there)
    local there = value_there(by)
    if there == there then change = math.max(change, math.abs(there - here)) end
  end
  moved(SHARE*math.abs(t) + LEAST, function(by) return value_of(t + by, x) end)
  for i, value in ipairs(x) do
    moved(SHARE*math.abs(value) + LEAST*largest, function(by)
      local other = table.move(x, 1, #x, 1, {})
      other[i] = value + by
      return value_of(t, other)
    end)
  end
  return math.abs(here)/(change > 0 and change or 1e-300)
end

-- The functions with their nearness. evaluate(program, t, x)
local function judged(observer, e, t, x, evaluate)
  local list = {}
  for _, g in ipairs(poles.of(e)) do
    local fine, program = protected(observer.program, observer, { g })
    if fine then
      local near = nearness(function(at, state) return evaluate(program, at, state)[1] end, t, x)
      if near == near then list[#list + 1] = { g = g, near = near } end
    end
  end
  return list
end

--- The function that is zero at (t, x) within rounding errors, so that the expression has no value there; nil: none is.
function poles.at(observer, e, t, x, evaluate)
  for _, item in ipairs(judged(observer, e, t, x, evaluate)) do if item.near <= 1 then return item.g end end
end

--- The function that is the nearest to zero at (t, x), where the expression has no value; nil: none is near.
function poles.cause(observer, e, t, x, evaluate)
  local best
  for _, item in ipairs(judged(observer, e, t, x, evaluate)) do if not best or item.near < best.near then best = item end end
  return best and best.near < 1e9 and best.g or nil
end

return poles
