-- held_places.lua: coordinates that dry friction holds in place all along a motion, at any place near.
--
-- In all modes the friction sticks, and by its velocity alone the equations would leave the place free: motions come in families. With keep = { "y" } the place
-- is that of the start.
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local held_places = {}

-- Is the slip of a friction a multiple of the velocity of a coordinate?
local function is_of(item, q)
  if #item.slips ~= 1 then return false end
  local factor = core.diff(item.slips[1], q.dot)
  return core.number_value(factor) ~= nil and core.number_value(factor) ~= 0 and (item.slips[1] - factor*q.dot):is_zero() == true
end

local function sticks(modes, name)
  for _, mode in ipairs(modes) do if mode[name] ~= "stick" then return false end end
  return true
end

-- The friction that holds a coordinate in all modes; nil: there is none
local function friction_of(system, modes, q)
  for _, item in ipairs(system.frictions) do if is_of(item, q) and sticks(modes, item.name) then return item end end
  return nil
end

--- The places that a guess keeps: friction's name -> what is zero there; nil: it keeps none. modes: those of the motion.
function held_places.of(system, guess, modes)
  if not guess.keep then return nil end
  local places, start = {}, system:by_name(guess.q, "q")
  for _, what in ipairs(guess.keep) do
    local name = type(what) == "string" and what or core.text(what)
    local q = system._coordinate[name]
    local item = q and friction_of(system, modes, q)
    if not item then
      fail("continue: keep = { \"%s\" }: motions with contacts keep the energy and momenta that all of them keep, and coordinates that friction holds all "
        .. "along; no friction holds '%s': leave it out", name, name)
    end
    places[item.name] = q - core.number(start[name])
  end
  return places
end

--- What to do where motions in these modes come in families, since friction holds coordinates that `kept` does not name; nil: it holds no others.
function held_places.advice(system, modes, kept)
  local names, frictions = {}, {}
  for _, name in ipairs(system.coordinate_names) do
    local item = friction_of(system, modes, system._coordinate[name])
    if item then names[#names + 1], frictions[#frictions + 1] = name, item.name end
  end
  if #names == 0 or #names == #(kept or {}) then return nil end
  return ("friction holds %s at any place near: keep the place of the start, periodic = { ..., keep = { \"%s\" } }"):format(object.quoted(names),
    table.concat(names, "\", \""))
end

return held_places
