-- sliders.lua: sliders of parameters for the page of an animation: the equations of motion in JavaScript, which the page integrates anew when one is moved.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local dress = require "hamel.algebra.dress"
local foreign = require "hamel.model.foreign"
local javascript = require "hamel.show.javascript"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local reading = require "hamel.run.reading"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local sliders = {}

local NEAR = 1e-6                      -- how far the steps of the page may be from the run, relative to the size of each state
local MOST_STEPS = 256                 -- in a frame

-- ---- what cannot be had

local function refuse(run)
  local S, what = run.system, nil
  if contact.any(S) then what = "contacts and friction" end
  if S:external_forces()[1] then what = "forces in Lua" end
  if run.options.events and next(run.options.events) then what = "events" end
  if run.equations.whole_course then what = "the form 'whole course'" end
  if what then fail("animation: sliders: the page integrates smooth equations; %s are not among them", what) end
end

-- Sizes of shapes are drawn once
local function demand_fixed_sizes(shapes, chosen)
  for i, shape in ipairs(shapes) do
    for key, value in pairs(shape) do
      if core.is_expression(value) and type(key) == "string" and key ~= "spin" and key ~= "force" then
        for _, s in ipairs(core.symbols{ value }) do
          if chosen[core.text(s)] then
            fail("animation: sliders: shape %d (%s): its %s depends on %s, which has a slider: sizes are fixed; give a number", i, tostring(shape[1]), key,
              core.text(s))
          end
        end
      end
    end
  end
end

-- Positions stay where they are, so that conditions on them must not move
local function demand_fixed_positions(spec, chosen)
  for i, f in ipairs(spec.position_residuals) do
    for _, s in ipairs(core.symbols{ f }) do
      if chosen[core.text(s)] then
        fail("animation: sliders: the constraint '%s' on positions contains %s: the start would no longer fulfil it", spec.position_names[i], core.text(s))
      end
    end
  end
end

-- ---- the sliders

local function range_of(run, name, range, place)
  local low, high = type(range) == "table" and options.number(range[1]), type(range) == "table" and options.number(range[2])
  if not low or not high or not (low < high) or high - low == math.huge then
    fail("animation: sliders = { %s = {from, to} }: two numbers, the smaller one first", tostring(name))
  end
  local value = run.observer.values[place]
  if value < low or value > high then
    fail("animation: sliders: %s = %g in the run, which is not between %g and %g", name, value, low, high)
  end
  if select(3, core.name(run.observer.parameters[place])) % 2 == 1 and not (low > 0) then
    fail("animation: sliders: %s is declared positive; its slider begins at %g", name, low)
  end
  local unit = run.system._unit[name]
  return { name = dress.label(name), low = low, high = high, value = value, place = place - 1, unit = unit and dress.formula(unit.label) or "" }
end

local function read_ranges(run, given)
  local list, chosen, known = {}, {}, {}
  for i, s in ipairs(run.observer.parameters) do known[i] = core.text(s) end
  for _, key in ipairs(object.keys(run.system:by_name(given, "sliders"))) do
    local range = run.system:by_name(given, "sliders")[key]
    local place
    for i, name in ipairs(known) do if name == key then place = i end end
    if not place then fail("animation: sliders: '%s' is no parameter of %s%s", tostring(key), run.system.name, object.hint(tostring(key), known)) end
    list[#list + 1] = range_of(run, key, range, place)
    chosen[key] = true
  end
  if #list == 0 then fail("animation: sliders = { a = {0, 1} } names parameters and their ranges") end
  return list, chosen
end

-- ---- steps

-- Largest distance of the page's steps from the run, relative to 1 and the size of each state. w: a workspace of the page's equations
local function distance(run, w, times, first, count, sizes)
  local from, to, worst, page = times[1], times[#times], 0, {}
  core.run(w, { method = "rk4", step = math.abs(to - from)/((#times - 1)*count), project = false }, from, to, first, page)
  if page.outcome.status == "INTERRUPTED" then fail("interrupted") end
  if page.outcome.status ~= "OK" then return math.huge end   -- too long steps lead to where there are no equations
  for _, t in ipairs(times) do
    local found, wanted = page.raw:at(t), reading.raw(run):at(t)
    for i, size in ipairs(sizes) do
      local off = math.abs(found[i] - wanted[i])/size
      if off ~= off then return math.huge end
      worst = math.max(worst, off)
    end
  end
  return worst
end

-- Steps in a frame with which the page follows the run
local function steps_of(run, w, times, controlled)
  local first, sizes = reading.raw(run):state(1), {}
  for i = 1, controlled do sizes[i] = 1 end
  for _, t in ipairs(times) do
    local x = reading.raw(run):at(t)
    for i = 1, controlled do sizes[i] = math.max(sizes[i], math.abs(x[i])) end
  end
  local count, off = 1, distance(run, w, times, first, 1, sizes)
  while off > NEAR and count < MOST_STEPS do
    count = 2*count
    off = distance(run, w, times, first, count, sizes)
  end
  if off <= NEAR then return count, first end
  fail("animation: sliders: %d steps in a frame are %.1g off the run: the page cannot follow this motion (it is stiff, or chaotic, or too long); "
    .. "take a shorter run, or more frames", MOST_STEPS, off)
end

-- ---- the page's programs

-- The conditions on velocities at the start and their derivatives by the velocities
local function start_program(spec)
  local inputs, outputs = { symbols.t }, {}
  for _, list in ipairs{ spec.kin, spec.dyn, spec.parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  for _, list in ipairs{ spec.velocity_residuals, spec.velocity_jacobian } do table.move(list, 1, #list, #outputs + 1, outputs) end
  return core.program(inputs, outputs)
end

--- What the page needs: a table for its data and the text of its functions. wanted: the expressions of the frames; shapes: those of the animation.
function sliders.of(run, given, times, wanted, shapes)
  refuse(run)
  local list, chosen = read_ranges(run, given)
  demand_fixed_sizes(shapes, chosen)
  local E, names = run.equations, {}
  local model, spec = compile.model(E)
  demand_fixed_positions(spec, chosen)
  for i, what in ipairs(wanted) do names[i] = run.observer:expression(what) end
  local p = run.observer:program(names)
  if p.needs_dynamics then
    for i, e in ipairs(names) do
      if run.observer:program({ e }).needs_dynamics then
        fail("animation: sliders: %s depends on reactions or accelerations, which the page does not compute",
          type(wanted[i]) == "string" and "'" .. wanted[i] .. "'" or core.text(e))
      end
    end
  end
  local written, rate, margins = protected(foreign.text, model, "rate", "animation: sliders")
  if not written then fail("animation: sliders: the page cannot have these equations: %s", (tostring(rate):gsub("^[^\n]-:%d+: ", ""):gsub(" as C", ""))) end
  local controlled, between = #E.kin + #E.dyn, select(2, run.observer:inputs())
  local w = core.workspace(model)
  if #run.observer.values > 0 then w:set_parameters(run.observer.values) end
  local steps, first = steps_of(run, w, times, controlled)
  return {
    sliders = list, parameters = run.observer.values, start = first, controlled = controlled, states = model:state_size(), margins = margins, steps = steps,
    gap = #between - #run.observer.values, kin = #E.kin, rows = #spec.velocity_residuals,
  }, javascript.of{ rate, p.program:c "wanted", start_program(spec):c "conditions" }
end

return sliders
