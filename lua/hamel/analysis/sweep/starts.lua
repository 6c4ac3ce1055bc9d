-- starts.lua: the initial states of the runs of a sweep, computed one after the other by one model and workspace.
local ahead = require "hamel.model.ahead"
local attitude = require "hamel.bodies.attitude"
local Body = require "hamel.bodies.body"
local compile = require "hamel.model.compile"
local contact_places = require "hamel.run.contact_places"
local core = require "hamel.core"
local hybrid = require "hamel.run.hybrid"
local impulses = require "hamel.model.impulses"
local jobs = require "hamel.analysis.sweep.jobs"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local redundant = require "hamel.model.redundant"
local regularity = require "hamel.model.regularity"
local rows = require "hamel.analysis.sweep.rows"
local slips = require "hamel.model.slips"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

local starts = {}

local function append(flat, list) table.move(list, 1, #list, #flat + 1, flat) end

-- Parameters that have values in the runs alone: any value, for the model that all runs share
local function stand_ins(system)
  local list = {}
  for _, name in ipairs(system.parameter_names) do if compile.parameter_value(system, name) == nil then list[name] = 1.0 end end
  return list
end

-- The models of sweeps are kept while the system stays as it is, with their machine code and series
local function model_of(system, E, values, executor, names, elimination)
  return preparation.model_of(system, E, values, executor, names, true, elimination, "sweep")
end

-- A workspace that reads states of the runs, those on corners as preparation.prepare does
local function reader_of(E, model, values, direction)
  local w = compile.workspace(E, model, values)
  w:head(direction)
  return w
end

--- One workspace and observer for all starts; parameters are set for each. happens: there are contacts or events. direction: 1, -1: of time
function starts.prepare(system, o, direction)
  local E = system:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  if E.mu then fail("sweep: the form '%s' needs starts of its own multipliers; run it by S:simulate", o.form) end
  local values = stand_ins(system)
  local first = compile.before_implied(E, o.elimination)
  local model, spec = model_of(system, E, values, o.executor, nil, first)
  methods.demand_watched(o.method, spec)
  local base = system:equations "lagrange"
  local base_model = E.from_velocities
    and preparation.model_of(system, base, values, nil, nil, impulses.of_system(system) ~= nil, nil, "sweep") or model
  local symbols_of, values_of = compile.parameter_values(system, values)
  local observer = Observer.new(E, values)
  observer.heading = direction
  return { E = E, model = model, spec = spec, happens = hybrid.needed(system, {}, o.events), events = o.events, atol = o.atol, base = base,
           from_velocities = E.from_velocities, has_own = compile.has_own_parameters(E),
           base_model = base_model, w = compile.workspace(base, base_model, values), reader = reader_of(E, model, values, direction), direction = direction,
           symbols = symbols_of, defaults = values_of, names = system.parameter_names, observer = observer,
           stand_ins = values, executor = o.executor, elimination = o.elimination, provisional = first ~= o.elimination,
           corners = regularity.has_corners(E, spec), at_places = contact_places.any(system), at_angles = slips.has_angles(system) }
end

--- The values of the parameters of the model, from those of the system.
function starts.model_values(p, values) return p.has_own and compile.model_values(p.E, values) or values end

function starts.values_for(system, p, parameters)
  if next(p.stand_ins) == nil and next(parameters) == nil then return p.defaults end
  for name in pairs(p.stand_ins) do compile.demand_value(system, name, parameters, "sweep") end
  return (select(2, compile.parameter_values(system, parameters)))
end

-- Removes constraints that the others imply from the model, at the first start; all other starts must have the same ones
local function leave_out(p, names, open)
  if not names and p.left_out == "" then return end
  local key = table.concat(names or {}, "|")
  if p.left_out and key ~= p.left_out then
    fail("sweep: near this start other constraints are redundant than near the first one (%s); run it by S:simulate", redundant.text(names or { "none" }))
  end
  if p.left_out then return end
  if names then redundant.check(p.E.system, names, open) end
  if names or p.provisional then
    local fine, model, spec = protected(model_of, p.E.system, p.E, p.stand_ins, p.executor, names, p.elimination)
    if not fine then
      p.refusal = model
      error(model, 0)
    end
    p.model, p.spec = model, spec
    p.reader = reader_of(p.E, p.model, p.stand_ins, p.direction)
  end
  p.left_out = key
end

-- The other states of the form at values of time, coordinates, velocities and parameters
local function carried(p, values)
  if not p.carry then
    local inputs = { symbols.t }
    for _, more in ipairs{ p.base.kin, p.base.dyn, p.symbols } do append(inputs, more) end
    p.carry = ahead.carrier(p.E, p.base, inputs)
  end
  return p.carry(values, p.direction)
end

-- The states of the form at a completed start, and the values of the parameters
local function start_of(system, p, t0, q, v, parameters)
  local values = starts.values_for(system, p, parameters)
  if p.happens then v = preparation.by_coordinate(system, { q = q, v = v, parameters = parameters }, t0) end
  if #values > 0 and p.set ~= values then p.w:set_parameters(values) end
  p.set = values
  if #system._bodies > 0 then Body._check_values(system, compile.parameter_values(system, parameters)) end
  local places = p.at_places and Observer.new(p.base, parameters)
  if places then contact_places.check_given(system, places, attitude.positions(system, q), t0) end
  local x = start.complete(system, p.w, p.base_model:state_size(), t0, q, v, #p.base.velocities, parameters, p.direction)
  if places then contact_places.check_state(system, places, t0, x) end
  if p.at_angles then slips.check_angles(system, places or Observer.new(p.base, parameters), t0, x) end
  if p.happens then preparation.demand_inertia(system, p.base, parameters, p.w, t0, x) end
  if not p.from_velocities then
    leave_out(p, redundant.near(p.base, p.w, t0, x))
    return x, values
  end
  redundant.demand(p.E, p.base, p.w, t0, x)
  local inputs, n = { t0 }, #p.base.kin
  table.move(x, 1, n + #p.base.dyn, 2, inputs)
  append(inputs, values)
  local own_states = table.move(x, 1, n, 1, {})
  for _, value in ipairs(carried(p, inputs)) do
    if value ~= value then fail("the form '%s' is singular at the start", p.E.form) end
    own_states[#own_states + 1] = value
  end
  for i = #own_states + 1, p.model:state_size() do own_states[i] = 0.0 end
  if p.E.whole_course then
    p.observer.values = values
    preparation.demand_wall(p.E, p.observer, p.atol, t0, own_states)
  end
  return own_states, values
end

-- The initial states of the runs in flat lists; a run whose start fails has only a row. nil: interrupted
function starts.of(self, system, o, job_of, indices, p)
  local s = { states = {}, parameters = {}, rows = {}, place = {}, values = {}, model_values = {} }
  for _, i in ipairs(indices) do
    if core.host.interrupted() then return nil end
    local q, v, own_parameters, row = jobs.made(self, o, job_of, i)
    local ok, x, values
    if q then ok, x, values = protected(start_of, system, p, self.t0, q, v, own_parameters) end
    if core.host.interrupted() then return nil end
    jobs.rethrow_interrupt(ok or not q, x)
    if p.refusal then error(p.refusal, 0) end          -- of the model that all runs share
    row.index = i
    s.rows[#s.rows + 1] = row
    if ok then
      s.place[#s.place + 1] = row
      append(s.states, x)
      s.values[row] = values
      s.model_values[row] = starts.model_values(p, values)
      append(s.parameters, s.model_values[row])
    elseif q then rows.did_not_start(self, row, i, x) end
  end
  return s
end

return starts
