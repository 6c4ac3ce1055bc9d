-- surface.lua: points on f_1 = ... = f_m = 0 by Newton steps from random points, and what vanishes there.
local core = require "hamel.core"

local surface = {}

-- Newton steps along the gradients, one function after the other; true when all values are below 1e-12
local function project(functions, slopes, list, point, moved)
  for _ = 1, 400 do
    local worst = 0
    for k, f in ipairs(functions) do
      local value, square, rates = core.value(f, list, point), 0, {}
      for i = 1, #moved do
        rates[i] = core.value(slopes[k][i], list, point)
        square = square + rates[i]^2
      end
      if not (square > 1e-12) then return false end
      worst = math.max(worst, math.abs(value))
      for i, index in ipairs(moved) do point[index] = point[index] - value*rates[i]/square end
    end
    if worst < 1e-14 then break end
  end
  for _, f in ipairs(functions) do if not (math.abs(core.value(f, list, point)) < 1e-12) then return false end end
  return true
end

--- Points where all `functions` vanish: calls visit(list, point) with symbols and values until it returns true or 40 points are drawn.
--- `moved` says which symbols the steps may change (coordinates); all others keep their random values in (0.3, 1.7), which the
--- symbols of `others` get as well.
function surface.points(functions, others, moved, visit)
  local all = table.move(others, 1, #others, #functions + 1, table.move(functions, 1, #functions, 1, {}))
  local list, indices, slopes, random = core.symbols(all), {}, {}, 12345
  for i, s in ipairs(list) do if moved(s) then indices[#indices + 1] = i end end
  for k, f in ipairs(functions) do
    slopes[k] = {}
    for i, index in ipairs(indices) do slopes[k][i] = core.diff(f, list[index]) end
  end
  for _ = 1, 40 do
    local point = {}
    for i = 1, #list do
      random = (random*1103515245 + 12345) % 2147483648
      point[i] = 0.3 + 1.4*random/2147483648
    end
    if project(functions, slopes, list, point, indices) and visit(list, point) then return end
  end
end

--- Does e vanish where all `functions` do? Judged at five points: true, false with the point { {symbol, value}, ... } and the value
--- there, or nil when too few points were found.
function surface.vanishes(functions, e, moved)
  local found, answer, witness, off = 0, nil, nil, nil
  surface.points(functions, { e }, moved, function(list, point)
    local value = core.value(e, list, point)
    if value ~= value then return false end
    if math.abs(value) > 1e-8 then
      answer, witness, off = false, {}, value
      for i, s in ipairs(list) do witness[i] = { s, point[i] } end
      return true
    end
    found = found + 1
    if found == 5 then answer = true end
    return answer
  end)
  return answer, witness, off
end

return surface
