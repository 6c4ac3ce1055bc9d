-- contact_places.lua: places where the geometry of bodies has no single contact point, such as a disc that lies flat: named in starts and in what stopped
-- a run. Starts in which a joint is turned round.
local core = require "hamel.core"
local object = require "hamel.base.object"
local reading = require "hamel.run.reading"
local symbols = require "hamel.algebra.symbols"

local contact_places = {}

local FLAT = 1e-9                      -- sines of angles, or parts of a radius, at which a start is refused
local NEAR = 0.05                      -- and below which the place explains why a run stopped

-- Contacts with such a place, and the program of what vanishes there, made once for the equations; nil where there are none
local function watched(system, observer)
  local touches, list = {}, {}
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    if touch.watch then touches[#touches + 1], list[#list + 1] = touch, system:plain(touch.watch.expression) end
  end
  if #list == 0 then return nil end
  return touches, observer:program(list, "contact places")
end

local function sides(system)
  local list = {}
  for _, joint in ipairs(system:_joints_of_bodies()) do table.move(joint.sides, 1, #joint.sides, #list + 1, list) end
  return list
end

-- Words on a joint whose constraints hold for the other side of a body; nil where there is none
local function turned_round(system, observer, t, x)
  local list, expressions = sides(system), {}
  if #list == 0 then return nil end
  for i, side in ipairs(list) do expressions[i] = system:plain(side.expression) end
  for i, value in ipairs(observer:evaluate(observer:program(expressions, "sides of joints"), nil, t, x)) do
    if not (value > FLAT) then return list[i].words end
  end
end

--- Is no joint turned round at a completed state?
function contact_places.joints_hold(system, observer, t, x) return turned_round(system, observer, t, x) == nil end

--- Has a start of the system to be checked for such places?
function contact_places.any(system)
  if #sides(system) > 0 then return true end
  for _, touch in ipairs(system:_contacts_of_bodies()) do if touch.watch then return true end end
  return false
end

local function refuse(touches, values, skipped)
  for i, value in ipairs(values) do
    if not skipped[i] and not (value > FLAT) then object.fail("the start is singular: %s; start beside it", touches[i].watch.words) end
  end
end

--- Raises where the positions given by name, not yet completed, are such a place.
function contact_places.check_given(system, observer, q, t)
  local touches, p = watched(system, observer)
  if not touches then return end
  local x, unknown, skipped = {}, {}, {}
  for i, name in ipairs(system.coordinate_names) do
    local value = q and symbols.number(q[name])
    x[i] = value and value + 0.0 or 0.0
    if not value then unknown[observer.coordinates[i]] = true end
  end
  for i = #x + 1, (observer:inputs()) do x[i] = 0.0 end
  for i, e in ipairs(p.outputs) do
    for _, s in ipairs(core.symbols{ e }) do skipped[i] = skipped[i] or unknown[s] end
  end
  refuse(touches, observer:evaluate(p, nil, t, x), skipped)
end

--- Raises where a completed state x is such a place, or has a joint turned round.
function contact_places.check_state(system, observer, t, x)
  local words = turned_round(system, observer, t, x)
  if words then object.fail("%s", words) end
  local touches, p = watched(system, observer)
  if touches then refuse(touches, observer:evaluate(p, nil, t, x), {}) end
end

local STOPS = { SINGULAR = true, STEP_COLLAPSED = true, NOT_FINITE = true, DEPENDENT_CONSTRAINTS = true, SINGULAR_MASS = true, NO_CONTACT_MODE = true }

--- Adds the place to the message of a run that stopped near one.
function contact_places.explain(run)
  local outcome, raw = run.outcome, rawget(run, "raw")
  if not STOPS[outcome.status] or not raw or raw:points() == 0 then return end
  local touches, p = watched(run.system, run.observer)
  local values = touches and reading.evaluate(run, p, raw:time(raw:points()), raw:state(raw:points()))
  for i, touch in ipairs(touches or {}) do
    local said = outcome.message:find(touch.watch.words, 1, true)
    if values[i] and values[i] < NEAR and not said then outcome.message = ("%s; %s there"):format(outcome.message, touch.watch.words) end
  end
end

return contact_places
