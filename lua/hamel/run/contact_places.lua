-- contact_places.lua: places where the geometry of bodies has no single contact point, such as a disc that lies flat: named in starts and in what stopped
-- a run.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local reading = require "hamel.run.reading"
local symbols = require "hamel.algebra.symbols"

local contact_places = {}

local NEAR = 0.05                      -- sines of angles, or parts of a radius, below which the place explains why a run stopped

--- Raises where the given positions, completed or not, are such a place.
function contact_places.check_start(system, observer, q, t)
  for _, touch in ipairs(system._touches or {}) do
    local e = touch.watch and motion.numbers(system, touch.watch.expression)
    local inputs, input = { symbols.t }, { t }
    for i, coordinate in ipairs(system:coordinate_list()) do
      local value = q and symbols.number(q[system.coordinate_names[i]])
      if value then inputs[#inputs + 1], input[#input + 1] = coordinate, value + 0.0 end
    end
    table.move(observer.parameters, 1, #observer.parameters, #inputs + 1, inputs)
    table.move(observer.values, 1, #observer.values, #input + 1, input)
    local known = {}
    for _, s in ipairs(inputs) do known[s] = true end
    for _, s in ipairs(e and core.symbols{ e } or {}) do if not known[s] then e = nil break end end
    local value = e and core.program(inputs, { e }):eval(input)[1]
    if value and not (value > 1e-9) then
      object.fail("the start is singular: %s; start beside it", touch.watch.words)
    end
  end
end

local STOPS = { SINGULAR = true, STEP_COLLAPSED = true, NOT_FINITE = true, DEPENDENT_CONSTRAINTS = true, SINGULAR_MASS = true, NO_CONTACT_MODE = true }

--- Adds the place to the message of a run that stopped near one.
function contact_places.explain(run)
  local outcome, raw = run.outcome, rawget(run, "raw")
  if not STOPS[outcome.status] or not raw or raw:points() == 0 then return end
  for _, touch in ipairs(run.system._touches or {}) do
    local p = touch.watch and run.observer:program{ run.system:plain(touch.watch.expression) }
    local value = p and reading.evaluate(run, p, raw:time(raw:points()), raw:state(raw:points()))[1]
    if value and value < NEAR then outcome.message = ("%s; %s there"):format(outcome.message, touch.watch.words) end
  end
end

return contact_places
