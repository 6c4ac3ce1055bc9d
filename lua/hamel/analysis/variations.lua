-- variations.lua: S:variations: the state transition matrix: how a motion answers small changes of its start; and the flow other studies share.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local corners = require "hamel.analysis.corners"
local impulses = require "hamel.model.impulses"
local hybrid = require "hamel.run.hybrid"
local lost_digits = require "hamel.run.lost_digits"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local parametric = require "hamel.model.parametric"
local preparation = require "hamel.run.preparation"
local quantities = require "hamel.system.quantities"
local run_times = require "hamel.run.run_times"
local simulate = require "hamel.run.simulate"
local switch_instants = require "hamel.analysis.switch_instants"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail

local LEAST_RTOL = 1e-14
local BEFORE = 1e-7                     -- part of a run
local Variations = object.class "Variations"
local variations = {}

local run_names = { "rtol", "atol", "method", "max_step", "first_step", "max_steps", "project" }
local schema = {}
for name, row in pairs(preparation.schema) do schema[name] = row end
for _, name in ipairs(run_names) do schema[name] = simulate.run_schema[name] end
schema.t = simulate.run_schema.t
--- Options of a state and of the runs from it, for studies by variational equations; the names of the latter.
variations.schema, variations.run_names = schema, run_names
local own_schema = { step = simulate.run_schema.step }
for name, row in pairs(schema) do own_schema[name] = row end

-- The equations, model, workspace, states and observer of a flow
local function prepared(system, o, t0, held)
  local E, model, w, x, observer, spec = preparation.prepare(system, o, t0)
  if not held then return E, model, w, x, observer end
  return parametric.lift(E, o.parameters, x, held, spec.redundant, o.elimination)
end

-- Do accelerations or their derivatives at (t, x) lose digits? In words, or nil
local function lost_at(w, o, t, x, span)
  local part, states = lost_digits.in_run(w, t, x, o, span)
  return part and lost_digits.words(t, part, states, o) or lost_digits.of_derivatives(w, t, x, o)
end

--- The flow of a form from a completed start: { E, w, x (states), t, kept, names, ignorable, basis (tangent to the constraints, in the kept
--- states) } and flow:run(t0, t1, x, directions, dense). held: symbols of parameters that are states behind the coordinates. step: of steps of one
--- size, 0: not given; nil: the study makes none.
function variations.flow(system, what, o, t0, held, step)
  if contact.any(system) then
    fail("%s: one-sided constraints and friction have no variational equations here; %s has %s", what, system.name, contact.described(system))
  end
  if #system:external_forces() > 0 then fail("%s: forces that are Lua functions have no derivatives; give them as expressions", what) end
  methods.demand_directions(what, o.method, step)
  if o.rtol and o.rtol > 0 and o.rtol < LEAST_RTOL then
    fail("%s: rtol = %g is below the precision of doubles; take 1e-14 or more", what, o.rtol)
  end
  local E, model, w, x, observer = prepared(system, o, t0, held)
  local function refine()
    o.elimination = "refined"
    E, model, w, x, observer = prepared(system, o, t0, held)
  end
  if lost_at(w, o, t0, x, 1) and lost_digits.may_refine(system, o) then refine() end
  local ignorable = tangent.ignorable_coordinates(E)
  local kept, names = tangent.kept(E, ignorable)
  local run_options = { dense = false }
  for _, name in ipairs(run_names) do run_options[name] = o[name] end
  run_options.step = step
  simulate.check_method(system, { method = o.method, step = step or 0 })
  local flow = { system = system, E = E, model = model, w = w, x = x, t = t0, observer = observer, kept = kept, names = names, ignorable = ignorable,
                 size = #E.kin + #E.dyn, options = run_options, what = what }
  flow.corners, flow.has_corners = corners.of(tangent.expressions(E, {}))
  local states, free = table.move(E.dyn, 1, #E.dyn, #E.kin + 1, table.move(E.kin, 1, #E.kin, 1, {})), {}
  for _, s in ipairs(states) do if not object.contains(E.held or {}, s) then free[#free + 1] = s end end
  corners.add_impulses(flow.corners, impulses.of(E), free)
  flow.corners, flow.instants = corners.by_what_moves(flow.corners, states, E.held or {})
  --- Directions (lists over the kept states) tangent to the constraints at (t, x).
  function flow:tangents(t, point)
    return tangent.basis(tangent.constraint_rows(E, observer, w, t, point, self.kept), #self.kept)
  end
  --- From x at t0 to t1 with directions carried along (lists over all states): end state, directions there, the record of the run.
  function flow:run(from, to, point, directions, dense)
    local last, carried, record = self:run_past(from, to, point, directions, dense)
    if #self.instants > 0 and #directions > 0 then carried = switch_instants.carried(self, from, to, directions, carried, record.raw) end
    return last, carried, record
  end
  -- As `run`, with directions that pass switches in time as they are
  function flow:run_past(from, to, point, directions, dense)
    local flat, record = {}, {}
    for _, d in ipairs(directions) do table.move(d, 1, self.size, #flat + 1, flat) end
    run_options.dense = dense or #self.corners + #self.instants > 0
    core.variation(w, run_options, from, to, point, flat, record)
    local finish = record.outcome.status == "OK" and self:split(record.raw:state(record.raw:points()), #directions)
    -- at the very instant of a switch rounding decides on its side: the digits are those a little before
    local lost = finish and lost_at(w, o, #self.instants > 0 and to - BEFORE*(to - from) or to, finish, math.abs(to - from))
    if lost and lost_digits.may_refine(system, o) then
      refine()
      self.model, self.w, self.observer = model, w, observer
      return self:run_past(from, to, point, directions, dense)
    elseif lost then fail("%s: %s", what, lost) end
    if record.outcome.error ~= nil then error(record.outcome.error, 0) end
    if record.outcome.status ~= "OK" then
      local raw, place = record.raw, nil
      corners.demand_none_ahead(self, raw, what, #directions, BEFORE*(to - from))
      if raw:points() > 0 and not record.outcome.message:find("singular", 1, true) then
        place = hybrid.singular_nearby(E, observer, raw:time(raw:points()), self:split(raw:state(raw:points()), #directions))
      end
      fail("%s: the run %s%s", what, record.outcome.message, place and "; " .. place or "")
    end
    corners.demand_none(self, record.raw, what, #directions)
    local last = record.raw:state(record.raw:points())
    return self:split(last, #directions), self:carried(last, #directions), record
  end
  --- The state of the model in a state of the variational run; the directions in it.
  function flow:split(state, count)
    local point = table.move(state, 1, self.size, 1, {})
    if model:state_size() > self.size then point[self.size + 1] = state[self.size*(1 + count) + 1] end
    return point
  end
  function flow:carried(state, count)
    local list = {}
    for k = 1, count do list[k] = table.move(state, k*self.size + 1, (k + 1)*self.size, 1, {}) end
    return list
  end
  return tangent.over_kept(flow)
end

--- Start and end of a time span: t or { start, end }.
function variations.span(what, t)
  local spans = type(t) == "table"
  local from, to = spans and symbols.number(t[1]) or not spans and 0, symbols.number(spans and t[2] or not spans and t)
  if not from or not to then fail("%s: t is the end time, or {start, end}", what) end
  return from + 0.0, to + 0.0
end

--- Computes the state transition matrix d x(t) / d x(t0) along a motion: S:variations{ q =, v =, t =, form =, rtol =, ... }.
--- Result V: V.names (states), V:matrix(t) (rows over the states at t, columns over those at the start), V:at(t) (the states by name).
--- The variational equations are exact; steps of one size (method = "gauss6", step = 0.05) are differentiated themselves, so that the matrix of a symplectic
--- method is symplectic. With constraints only columns of admissible directions are meaningful.
--- Raises an error if the run does not reach its end, and if the right-hand side jumps on the way where the states say so; switches in time, as
--- hm.sign(hm.sin(hm.t)), are fine.
function System:variations(given)
  local o = options.check("variations", own_schema, quantities.in_seconds(self, "variations", given), self)
  if o.t == nil then fail("variations: the end time t is missing") end
  local t0, t1 = variations.span("variations", o.t)
  local flow = variations.flow(self, "variations", o, t0, nil, o.step)
  local identity, names = {}, {}
  for k = 1, flow.size do
    identity[k] = {}
    for i = 1, flow.size do identity[k][i] = i == k and 1.0 or 0.0 end
  end
  for i, s in ipairs(flow.E.kin) do names[i] = core.text(s) end
  for _, s in ipairs(flow.E.dyn) do names[#names + 1] = core.text(s) end
  local _, _, record = flow:run(t0, t1, flow.x, identity, true)
  return setmetatable({ names = names, span = { t0, t1 }, outcome = record.outcome, _raw = record.raw, _flow = flow }, Variations.meta)
end

--- Rows of d x(t) / d x(t0).
function Variations:matrix(t)
  local n, state, rows = #self.names, self._raw:at(run_times.at_end(self._raw, t + 0.0)), {}
  for i = 1, n do
    rows[i] = {}
    for k = 1, n do rows[i][k] = state[k*n + i] end
  end
  return rows
end

--- The states at t, by name.
function Variations:at(t)
  local state, values = self._raw:at(run_times.at_end(self._raw, t + 0.0)), {}
  for i, name in ipairs(self.names) do values[name] = state[i] end
  return values
end

function Variations.meta.__tostring(self)
  local lines = { ("%s: state transition matrix from t = %g to %g in %s"):format(self._flow.system.name, self.span[1], self.span[2],
    table.concat(self.names, ", ")) }
  for i, row in ipairs(self:matrix(self.span[2])) do
    local words = {}
    for k, value in ipairs(row) do words[k] = ("%12.6g"):format(value) end
    lines[i + 1] = "  " .. table.concat(words, " ")
  end
  return table.concat(lines, "\n")
end

options.declare("variations", own_schema)

return variations
