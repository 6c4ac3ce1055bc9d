-- chart/exponents.lua: Lyapunov exponents of each motion of a grid.
local object = require "hamel.base.object"
local measures = require "hamel.run.measures"
require "hamel.analysis.lyapunov"

local names_of = { "rtol", "atol", "method", "max_step", "first_step", "max_steps", "project", "form" }

-- Signs of the exponents, as "chaos (+ 0 -)"
local function regime(row)
  if not row.exponents then return nil end
  local signs, plus, zero = {}, 0, 0
  for k, e in ipairs(row.exponents) do
    local near = math.abs(e) < 3*row.settled + 1e-4
    signs[k] = near and "0" or e > 0 and "+" or "-"
    if signs[k] == "+" then plus = plus + 1 elseif signs[k] == "0" then zero = zero + 1 end
  end
  local word = plus > 1 and "hyperchaos" or plus == 1 and "chaos" or zero > 1 and "torus" or zero == 1 and "cycle" or "rest or driven cycle"
  return ("%s (%s)"):format(word, table.concat(signs, " "))
end

local function settled_of(L)
  local half, last, change = L.history[math.max(1, #L.history//2)], L.history[#L.history], 0
  for k = 1, #L.exponents do change = math.max(change, math.abs(half[k] - last[k])) end
  return change
end

return function(system, o, settings, t0, t1)
  local found = {}
  -- the run itself is short: it serves the start alone
  local t = settings.t
  settings.t = { t0, t0 + 1e-9*(t1 - t0) }
  settings.keep = { start = measures.own(function(run)
    local at = run:at(run.span[1])
    local given = { q = at.q, v = at.v, t = { t0, t1 }, skip = o.skip, n = o.n, parameters = run.options.parameters }
    for _, name in ipairs(names_of) do given[name] = o[name] end
    found[#found + 1] = system:lyapunov(given)
    return #found
  end) }
  local W = system:sweep(settings)
  settings.t = t
  local columns = { "exponents", "sum", "dimension", "settled" }
  for _, row in ipairs(W) do
    local L = found[row.start or 0]
    row.start = nil
    if L then
      row.exponents, row.sum, row.dimension, row.settled, row.t = L.exponents, 0, L.dimension or nil, settled_of(L), t1
      for k, e in ipairs(L.exponents) do
        row["exponent" .. k], row.sum = e, row.sum + e
        if not object.contains(columns, "exponent" .. k) then columns[#columns + 1] = "exponent" .. k end
      end
    end
  end
  return W, columns, { regime = regime, note = "an exponent counts as 0 where it is below three times its change over the second half, and 1e-4" }
end
