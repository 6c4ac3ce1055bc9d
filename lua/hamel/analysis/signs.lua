-- signs.lua: unit quaternions of periodic motions: e and -e are one attitude, so that a motion closes up to their sign.
local repetition = require "hamel.analysis.repetition"

local signs = {}

-- Do the rates only change the sign of e' where e changes its sign?
local function is_even(flow, places)
  local function flipped(list)
    list = table.move(list, 1, #list, 1, {})
    for _, place in ipairs(places) do list[place] = -list[place] end
    return list
  end
  for _, x in ipairs(repetition.states_near(flow.x)) do
    flow.w:set_state(flow.t, x)
    local rate, size = flow.w:rate(), 0
    flow.w:set_state(flow.t, flipped(x))
    local other = flipped(flow.w:rate())
    for i = 1, flow.size do size = math.max(size, math.abs(rate[i])) end
    for i = 1, flow.size do if not (math.abs(rate[i] - other[i]) <= 1e-10*size) then return false end end
  end
  return true
end

--- Places of the quaternions of a flow whose sign says nothing, by rotation.
function signs.signless(flow)
  local list = {}
  for _, R in ipairs(flow.system._rotations) do
    local places = {}
    for i, q in ipairs(flow.E.kin) do for _, e in ipairs(R.quaternion) do if q == e then places[#places + 1] = i end end end
    if is_even(flow, places) then list[#list + 1] = places end
  end
  return list
end

--- The places to change the sign of, so that the quaternions of a state are near those of another one. flow.signless: see above.
function signs.turned_over(flow, from, to)
  local list = {}
  for _, places in ipairs(flow.signless) do
    local product = 0
    for _, place in ipairs(places) do product = product + from[place]*to[place] end
    if product < 0 then table.move(places, 1, 4, #list + 1, list) end
  end
  return list
end

--- Changes the sign at the places of a list.
function signs.over(list, places)
  for _, place in ipairs(places) do list[place] = -list[place] end
  return list
end

return signs
