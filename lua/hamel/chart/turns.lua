-- chart/turns.lua: states up to whole turns of angles and the signs of unit quaternions.
--
-- `whole` of a row: { angles = { turn or 0 for each state }, signless = lists of places, axes = for each of these the axis, 1 to 3, about which the body may
-- be turned without any equation seeing it, 4: any, 0: none; nil: not asked for }; nil where states are what they are. It is kept with rows in files.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local protected = require "hamel.base.protected"
local whole_turns = require "hamel.analysis.whole_turns"

local turns = {}

local function places_of(names)
  local list = {}
  for i, name in ipairs(names) do list[name] = i end
  return list
end

-- Places of the quaternions among the states, each with its rates behind it
local function signless_places(signless, place)
  local list = {}
  for _, quaternion in ipairs(signless) do
    local places = {}
    for _, suffix in ipairs{ "", "'" } do
      for _, name in ipairs(quaternion) do places[#places + 1] = place[name .. suffix] end
    end
    -- of a quaternion that nothing depends on no component is compared
    if #places == 8 then list[#list + 1] = places end
  end
  return list
end

-- Places of the coordinates among the states of which no whole turn is known
local function open_places(system, names, angles)
  local open = {}
  for i, name in ipairs(names) do if system._coordinate[name] and not angles[name] then open[#open + 1] = i end end
  return open
end

-- What whole_turns.of has found, as `whole`, at values of the parameters in a list
local function numbers_of(names, found, list, values, axes)
  local angles, signless, any = {}, signless_places(found.signless, places_of(names)), false
  for i, name in ipairs(names) do
    local turn = found.angles[name] and core.program(list, { found.angles[name] }):eval(values)[1] or 0.0
    angles[i] = turn - turn == 0 and math.abs(turn) or 0.0
    any = any or angles[i] > 0
  end
  return (any or #signless > 0) and { angles = angles, signless = signless, axes = #signless > 0 and #axes == #signless and axes or nil } or nil
end

local MOST = 1000                       -- results that are kept

-- A function of values of parameters that keeps the results of another one
local function remembered(system, make)
  local known, count = {}, 0
  return function(parameters)
    local list, values = compile.parameter_values(system, parameters)
    local key = table.concat(values, " ")
    if not known[key] then
      if count == MOST then known, count = {}, 0 end
      known[key], count = { make(list, values) }, count + 1
    end
    return table.unpack(known[key], 1, 2)
  end
end

--- For the states of the given names: { at, exactly, open, unknown }. at(parameters): `whole` at values of parameters by name. open: places of the coordinates
--- of which no whole turn is proved to change nothing; unknown: since a force or a law is a Lua function. exactly(parameters): `whole` and `open` at these
--- values alone, such as zero for what an angle is not periodic in, which takes longer. is_free: bodies are compared up to turns that no equation sees, as
--- ignorable angles are not compared.
function turns.of(system, names, is_free)
  local found = whole_turns.of(system)
  local axes = is_free and #found.signless > 0 and whole_turns.axes(system, found.signless) or {}
  local open, usual = open_places(system, names, found.angles), true
  local T = { open = open, unknown = found.unknown }
  for _, turn in pairs(found.angles) do usual = usual and whole_turns.is_usual(turn) end
  if not found.special then
    local whole = numbers_of(names, found, {}, {}, axes)
    function T.at() return whole, open end
    T.exactly = T.at
    return T
  end
  T.exactly = remembered(system, function(list, values)
    local by_name = {}
    for k, s in ipairs(list) do by_name[core.text(s)] = values[k] end
    local fine, here = protected(whole_turns.of, system, by_name)
    here = fine and here or { angles = {}, signless = found.signless }
    -- what is so for all values is so here, where the equations may have lost the angle
    for name, turn in pairs(found.angles) do here.angles[name] = here.angles[name] or turn end
    return numbers_of(names, here, list, values, axes), open_places(system, names, here.angles)
  end)
  if not usual then
    T.at = T.exactly
    return T
  end
  local whole = numbers_of(names, found, {}, {}, axes)
  function T.at() return whole, open end
  return T
end

--- A value less whole turns, between half a turn back and half a turn on.
local function less_turns(value, turn) return value - turn*math.floor(value/turn + 0.5) end
turns.less = less_turns

-- n e, of the unit vector n of an axis, for four entries of a state at the places from `first` on
local function about(state, places, first, axis)
  local e = {}
  for i = 0, 3 do e[i] = state[places[first + i]] end
  local i, j, k = axis, axis % 3 + 1, (axis + 1) % 3 + 1
  return { [0] = -e[i], [i] = e[0], [j] = -e[k], [k] = e[j] }
end

-- Turns a body in `image` about the axes that no equation sees, to where it is nearest to `other`: e -> (c + s n) e, and its rates with it
local function turn_near(image, other, places, axis)
  local first, last = axis == 4 and 1 or axis, axis == 4 and 3 or axis
  local parts, size = { [0] = 0 }, 0
  for i = 0, 3 do parts[0] = parts[0] + image[places[1 + i]]*other[places[1 + i]] end
  for n = first, last do
    local moved = about(image, places, 1, n)
    parts[n] = 0
    for i = 0, 3 do parts[n] = parts[n] + moved[i]*other[places[1 + i]] end
  end
  for _, part in pairs(parts) do size = size + part^2 end
  if not (size > 0) then return end
  for start = 1, 5, 4 do
    local sum = {}
    for i = 0, 3 do sum[i] = parts[0]*image[places[start + i]] end
    for n = first, last do
      local moved = about(image, places, start, n)
      for i = 0, 3 do sum[i] = sum[i] + parts[n]*moved[i] end
    end
    for i = 0, 3 do image[places[start + i]] = sum[i]/math.sqrt(size) end
  end
end

--- The state nearest to another one of those that differ from it by whole turns, signs, and turns that no equation sees.
function turns.near(whole, state, other)
  if not whole then return state end
  local image = table.move(state, 1, #state, 1, {})
  for i, turn in ipairs(whole.angles) do if turn > 0 then image[i] = other[i] + less_turns(state[i] - other[i], turn) end end
  for k, places in ipairs(whole.signless) do
    local product, axis = 0, whole.axes and whole.axes[k] or 0
    for i = 1, 4 do product = product + state[places[i]]*other[places[i]] end
    if axis > 0 then turn_near(image, other, places, axis)
    elseif product < 0 then for _, i in ipairs(places) do image[i] = -image[i] end end
  end
  return image
end

--- A state with its angles within half a turn of zero.
function turns.reduced(whole, state)
  if not whole then return state end
  local image = table.move(state, 1, #state, 1, {})
  for i, turn in ipairs(whole.angles) do if turn > 0 then image[i] = less_turns(state[i], turn) end end
  return image
end

--- Places of states that are compared up to turns of a body alone: no range of theirs tells where a motion is.
function turns.free_places(whole)
  local set = {}
  for k, places in ipairs(whole and whole.axes and whole.signless or {}) do
    for _, i in ipairs(whole.axes[k] > 0 and places or {}) do set[i] = true end
  end
  return set
end

--- Bounds the extents and sizes of the states of a motion: no two angles are more than a turn apart, and none is more than half a turn away from zero.
function turns.bound(whole, extent, size)
  for i, turn in ipairs(whole and whole.angles or {}) do
    if turn > 0 and extent[i] then extent[i], size[i] = math.min(extent[i], turn), math.min(size[i], turn/2) end
  end
end

--- The shortest arc that holds all angles of a list: a turn less the largest gap between neighbours.
function turns.arc(values, turn)
  local list, gap = {}, 0
  for k, value in ipairs(values) do list[k] = less_turns(value, turn) end
  table.sort(list)
  for k, value in ipairs(list) do gap = math.max(gap, (list[k + 1] or list[1] + turn) - value) end
  return turn - gap
end

--- The numbers of `whole`, if both rows have the same; else nil.
function turns.common(one, other)
  if not one or not other then return nil end
  if one == other then return one end
  if #one.angles ~= #other.angles then return nil end
  for i, turn in ipairs(one.angles) do if turn ~= other.angles[i] then return nil end end
  return one
end

--- For each angle, by name, a function that is zero twice in a turn of it.
function turns.marks(system)
  local list = {}
  for name, turn in pairs(whole_turns.of(system).angles) do list[name] = core.sin(2*core.pi()*system._coordinate[name]/turn) end
  return list
end

return turns
