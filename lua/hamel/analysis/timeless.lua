-- timeless.lua: expressions that do not depend on the time although it stands in them, as sin(t)^2 + cos(t)^2, written without it.
local core = require "hamel.core"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"

local timeless = {}

--- Does the time stand in an expression?
function timeless.has_time(e) return core.is_expression(e) and object.contains(core.symbols{ e }, symbols.t) end

-- The limits are those of size, not of time, so that the same equations are always written alike
local LIMITS = { terms = 60, seconds = 7200 }

--- An expression equal to e in which the time does not stand, by exact algebra; e itself where none is found, as where it depends on the time.
function timeless.expression(e)
  if not timeless.has_time(e) or pieces.any(e) or core.diff(e, symbols.t):is_zero() ~= true then return e end
  local fine, at_start = protected(vanishing.without, e, { symbols.t })
  if fine and vanishing.proved(e - at_start) then return at_start end
  local short = core.simplify(e, "auto", nil, LIMITS)
  return timeless.has_time(short) and e or short
end

--- The same for the functions f of conditions, { { f = }, ... }, in place.
function timeless.conditions(list)
  for _, c in ipairs(list) do c.f = timeless.expression(c.f) end
end

local function with_f(c, f)
  local other = {}
  for name, value in pairs(c) do other[name] = value end
  other.f = f
  return other
end

--- The equations E of a form with such expressions, E itself unchanged. Before numbers become symbols: then cos(3 t/10) and a factor 9/100 still cancel.
function timeless.equations(E)
  local function all(list)
    local out = {}
    for i, e in ipairs(list) do out[i] = type(e) == "table" and not e.f and all(e) or type(e) == "table" and with_f(e, timeless.expression(e.f))
      or timeless.expression(e) end
    return out
  end
  local result = { energy = E.energy and timeless.expression(E.energy) }
  for _, name in ipairs{ "k", "M", "A", "r", "b", "positions", "velocities" } do result[name] = E[name] and all(E[name]) end
  return setmetatable(result, { __index = E })
end

return timeless
