-- value_at_random.lua: a random real point at which an expression has a wanted value.
local core = require "hamel.core"

--- Values of the symbols of a list, of some random real points, at which the value of e is `wanted`, and that value; nil: none of the points
return function(e, list, points, wanted)
  if #core.opaque_calls{ e } > 0 then return nil end
  local state = 12345
  local function random()
    state = (state*1103515245 + 12345) % 2147483648
    return state/2147483648
  end
  for round = 1, points do
    local values, width = {}, round <= points/4 and 2 or 8
    for i, s in ipairs(list) do
      local _, order, flags = core.name(s)
      values[i] = math.floor(1000*(flags % 2 == 1 and order == 0 and 0.5 + 0.75*width*random() or width*(2*random() - 1)))/1000
    end
    local value = core.value(e, list, values)
    if wanted(value) then return values, value end
  end
end
