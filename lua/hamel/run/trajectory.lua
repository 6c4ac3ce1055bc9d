-- trajectory.lua: a finished run: values of any expression at any time, series over the stored states, printing.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local reading = require "hamel.run.reading"
local readings = require "hamel.run.readings"
local spatial = require "hamel.bodies.spatial"
local states = require "hamel.run.state"

local fail = object.fail

local CREATED = 1e-9                   -- of the kinetic energy at an impact: a gain below it is rounding

local Trajectory = object.class "Trajectory"
Trajectory.meta.__instead = "run:at(t) is its state at time t"

-- run.u, run.theta: a coordinate or velocity has a value at each time
function Trajectory.meta.__elsewhere(self, name)
  local known = object.contains(self.names, name) or name == "energy"
  for _, u in ipairs(self.system._quasi and self.system._quasi.names or {}) do known = known or u == name end
  return known and ("; its value at a time is run:at(t).%s, over the run run:series \"%s\""):format(name, name) or nil
end

--- For sweeps: the tolerances of states that are handed out.
Trajectory.tidy = states.tidy

--- Used by S:simulate: the record exists before the run, so that an interrupted run keeps its completed steps.
function Trajectory.new(fields)
  -- the present name of the system, which may be changed after the run
  fields.names = table.move(fields.system.coordinate_names, 1, #fields.system.coordinate_names, 1, {})
  return setmetatable(fields, Trajectory.meta)
end

-- Consecutive columns of a block as one column of lists
local function components_of(block, first, size)
  local parts, list = {}, {}
  for k = 1, size do parts[k] = block:column(first + k) end
  for i = 1, #parts[1] do
    list[i] = {}
    for k = 1, size do list[i][k] = parts[k][i] end
  end
  return list
end

--- State at a time, a number or a text with a unit such as "500 ms" (dense output): s.x, s.q.x, s.v.x, s.a.x, s.lambda.name, s.energy; of a rotation R the
--- quaternion s.R, its body rates by their names, s.p and s.v.p, and their rates s.a.p. A coordinate that is called q, v, a or lambda is s.q.a (a rate s.v.q):
--- s.a are the accelerations. In arithmetic and comparisons s.a still counts as that coordinate; functions take s.q.a, and print(s.a) says so. Or the values
--- of the expressions given: run:at(2, x.dot^2, "lambda.blade"); an expression that has no finite value there raises an error that names the part without one.
--- A vector comes as the list of its components in the inertial frame, a point as that of its place.
function Trajectory:at(when, ...)
  local x, t = reading.state_at(self, when)
  if select("#", ...) == 0 then return states.new(self, t, x) end
  local list, sizes = reading.expressions(self, { ... })
  local p = self.observer:program(list)
  local values = reading.evaluate(self, p, t, x)
  local why = self.observer:missing(p, values, self.workspace, t, x)
  if why then fail("run:at: %s", why) end
  return table.unpack(spatial.grouped(values, sizes))
end

--- For pictures and tables: the values of expressions at time t, nan where one has none.
function Trajectory:values_at(t, list)
  if type(list) ~= "table" then fail("values_at takes a time and a list: run:values_at(1, { \"x\", x.dot^2 })") end
  return reading.values_at(self, t, list)
end

--- Times at which an expression crosses zero: a list; direction 1 (rising), -1 (falling) or 0 (both).
function Trajectory:roots(what, direction)
  if direction ~= nil and direction ~= 1 and direction ~= -1 and direction ~= 0 then
    fail("roots: direction is 1 (rising), -1 (falling) or 0 (both), not %s", tostring(direction))
  end
  local e = self.observer:expression(what)
  local p = self.observer:program({ e })
  if not states.kept_steps(self) then fail("this run kept only its %s (record = \"%s\")", self.options.record, self.options.record) end
  local function value(t) return self:values_at(t, { what })[1] end
  local size, constants = self.observer:inputs()
  local fine, list = protected(function() return reading.raw(self):roots(p.needs_dynamics and value or p.program, size, constants, direction or 0) end)
  if fine then return list end
  local near = tostring(list):match "cannot be told apart near t = ([^;]+)" or tostring(list):match "roots up to t = ([^;]+)"
  if near then fail("%s", readings.refusal("root", "LIMIT", self.observer, e, tonumber(near)).reason) end
  error(list, 0)
end

--- Number of stored states: accepted steps + 1.
function Trajectory.meta.__len(self) return reading.raw(self):points() end

--- run[i]: the i-th stored state.
function Trajectory.item(self, i)
  if math.type(i) ~= "integer" or i < 1 or i > reading.raw(self):points() then return nil end
  return states.new(self, reading.raw(self):time(i), reading.stored_state(self, i), i)
end

--- Iterates over the stored states: for t, s in run:steps() do ... end
function Trajectory:steps()
  local i, n = 0, reading.raw(self):points()
  return function()
    i = i + 1
    if i <= n then
      local s = self[i]
      return s.t, s
    end
  end
end

--- Returns the values of expressions (or texts: "x", "x'", "lambda.blade", "energy") over the run: a list of times, then one list each.
--- A value that is not finite is nan, and run.notes, which print(run) shows, name the expression and the reason. The last argument may be
--- { n = 200 } for equally spaced times or { times = {...} }. The values of a vector, or of a point, are lists of three components in the inertial
--- frame.
function Trajectory:series(...)
  local o, p, sizes = reading.request(self, ...)
  local block, columns, times = reading.block(self, o, p), {}, {}
  if block then
    local place = 1
    for i, size in ipairs(sizes) do
      columns[i] = size == 1 and block:column(place + 1) or components_of(block, place, size)
      place = place + size
    end
    return block:column(1), table.unpack(columns)
  end
  for i = 1, #sizes do columns[i] = {} end
  reading.visit(self, o, p, function(k, t, values)
    times[k] = t
    for i, value in ipairs(spatial.grouped(values, sizes)) do columns[i][k] = value end
  end)
  return times, table.unpack(columns)
end

--- The verdict on the run. "OK": it reached its end. "INACCURATE": it reached its end, or an event that ends it, but the energy balance or a
--- constraint is off by far more than the tolerances explain. The same holds if they are off by half the energy or a hundredth of the
--- constraint's terms for any reason (project = false included), if more accuracy was lost near a singular place than the tolerances allow, if
--- the accelerations lose digits under large forces that the constraints take up, or if steps of one size leave errors of more
--- than a hundredth of the motion, of each coordinate and velocity its own, in any unit; one that moves less than a millionth of the farthest one counts with
--- that millionth. Adaptive methods bound the error of each step only: see run:accuracy().
--- "PENETRATION": a one-sided constraint is violated inside the run by far more than the tolerances explain. Other names: the reason for which
--- the run stopped.
function Trajectory.get.status(self) return self.outcome.status end
--- What stopped the run or is wrong with it, when and where; nil when the status is "OK".
function Trajectory.get.reason(self) return self.outcome.status ~= "OK" and self.outcome.message or nil end

--- Times of the stored states.
function Trajectory.get.t(self)
  local list = reading.times(self, {})
  rawset(self, "t", list)
  return list
end

-- Series by name over the stored states, computed at the first use
local function series_table(self, what, names, pick)
  local meta = { __name = what }
  function meta.__tostring()
    if #names == 0 then return ("%s of %s: there are none"):format(what, self.equations.system.name) end
    return ("%s of %s, a list over the stored times each: %s"):format(what, self.equations.system.name, table.concat(names, ", "))
  end
  function meta.__names() return names end
  function meta.__index(t, name)
    for i, known in ipairs(names) do
      if known == name then
        local _, values = self:series(pick(i))
        rawset(t, name, values)
        return values
      end
    end
    fail("%s has no series '%s'%s", what, tostring(name), object.hint(tostring(name), names))
  end
  return setmetatable({}, meta)
end

--- run.q.x, run.v.x, run.lambda.blade: values at the stored states, as lists beside run.t.
function Trajectory.get.q(self)
  local q = self.observer.coordinates
  return series_table(self, "run.q", self.names, function(i) return q[i] end)
end
--- Velocities at the stored states, as lists beside run.t: run.v.x; body rates of rotations by their names: run.v.p.
function Trajectory.get.v(self)
  local names, list = states.velocities(self)
  return series_table(self, "run.v", names, function(i) return list[i] end)
end
--- Reactions + A^T lambda at the stored states, as lists beside run.t: run.lambda.blade, also of gaps.
function Trajectory.get.lambda(self)
  local names = table.move(self.equations.names, 1, #self.equations.names, 1, {})
  table.move(self.observer.gap_names or {}, 1, #(self.observer.gap_names or {}), #names + 1, names)
  return series_table(self, "run.lambda", names, function(i) return "lambda." .. names[i] end)
end
--- run.friction["slip x"]: reactions of friction at the stored states; "slip[2]" for the second direction, "slip.spin" for the moment of a spot.
function Trajectory.get.friction(self)
  local names = {}
  for _, item in ipairs(self.observer.frictions or {}) do
    for a, suffix in ipairs(item.suffixes) do names[#names + 1] = item.name .. (a > 1 and suffix or "") end
  end
  return series_table(self, "run.friction", names, function(i) return "friction." .. names[i] end)
end
--- run.rough["wall[1]"]: reactions of the rows of a rough wall while contact lasts, at the stored states.
function Trajectory.get.rough(self)
  local names = {}
  for wall, list in pairs(self.observer.rough or {}) do
    for a = 1, #list do names[#names + 1] = ("%s[%d]"):format(wall, a) end
  end
  table.sort(names)
  return series_table(self, "run.rough", names, function(i) return "rough." .. names[i] end)
end

-- ---- printing

-- What evaluates the equations, and why it is not machine code
local function executor_words(self)
  if self.options.executor == "cc" then return "compiled by cc" end
  if self.model:is_native() then return "native code" end
  local why = self.options.executor ~= "interpreter" and core.native_refusal()
  return why and "interpreted: " .. why or "interpreted"
end

local LEAST_FOR_GRAPH = 100            -- operations from which the other elimination is tried (rate.c)

-- How the accelerations are solved for
local function elimination_words(model)
  local operations, separate = model:operations()
  if model:is_refined() then return ("of %d operations by dense elimination, refined in quadruple precision"):format(operations) end
  if model:by_graph() then return ("of %d operations by elimination on the graph of velocities"):format(operations) end
  local words, obstacle = {}, operations >= LEAST_FOR_GRAPH and compile.obstacle(model)
  if separate then words[1] = "its solve not counted" end
  if obstacle then words[#words + 1] = "the graph of velocities does not take " .. obstacle end
  return ("of %d operations by dense elimination%s"):format(operations, #words > 0 and (" (%s)"):format(table.concat(words, "; ")) or "")
end

local function handed_over_words(outcome)
  local handed, reordered = outcome.handed_over or 0, outcome.reordered or 0
  if handed + reordered == 0 then return nil end
  local words = ("  a pivot was too small at %d states; "):format(handed + reordered)
  if reordered == 0 then return words .. "the solve with complete pivoting took over there" end
  return words .. ("another order of elimination took over at %d of them, the solve with complete pivoting at %d"):format(reordered, handed)
end

-- More than rounding of the kinetic energy at the impact; a step of method 'moreau' holds the work of its forces besides
local function creates_energy(run, impact)
  if not methods.locates_impacts(run.options.method) then return false end
  local _, kinetic = states.energies_of(run)(impact.t, rawget(impact.before, "_x"))
  return impact.energy_change > CREATED*kinetic
end

-- Why the work of a run, and not its motion, leaves the energy balance off
local work_words = {
  ["long steps"] = "  the work in the balance is off on long steps; made again in short parts they end at the same states and hold their balance",
  confirmed = "  the work in the balance is off, not the motion: a run with rtol and atol a hundred times smaller comes to the same states within a hundredth",
}

-- The tolerances bound the error of a step, not that of the run
local function tolerance_words(self)
  local o = self.options
  if methods.is_fixed(o.method) or not o.rtol then return "" end
  return o.rtol == o.atol and (" (each step to %g)"):format(o.rtol) or (" (each step to rtol = %g, atol = %g)"):format(o.rtol, o.atol)
end

function Trajectory.meta.__tostring(self)
  local o = self.outcome
  if not o or not rawget(self, "raw") then return "a run of " .. self.system.name .. " that never started" end
  local energy_drift, constraint_drift, of_states = self:printed_drift()
  local lines = {
    ("%s, %s, %s%s%s, %s"):format(self.system.name, self.equations.form, self.options.method, tolerance_words(self),
      o.stiff_steps > 0 and (" (%d of %d steps stiff)"):format(o.stiff_steps, o.steps) or "", executor_words(self)),
    ("  t = %g to %.9g in %d steps (%d rejected), %d evaluations %s, %.3g s"):format(self.span[1], o.t, o.steps, o.rejected, o.evaluations,
      elimination_words(self.model), o.seconds),
    (self.equations.keeps_energy and ("  energy balance within %.2g (relative), "):format(energy_drift) or "  ")
      .. (self.equations.watched and "constraints watched" or ("constraints within %.2g"):format(constraint_drift)) .. of_states
      .. (o.step_errors and (", errors of the steps about %.2g of the motion"):format(o.step_errors) or ""),
  }
  lines[#lines + 1] = work_words[o.work_is_off]
  lines[#lines + 1] = handed_over_words(o)
  local counts = {}
  for _, pair in ipairs{ { "event", "events" }, { "impact", "impacts" }, { "switch", "switches" } } do
    local singular, what = pair[1], pair[2]
    local n = what == "impacts" and math.max(#self.impacts, o.impacts or 0) or #self[what]
    if n > 0 then counts[#counts + 1] = ("%d %s"):format(n, n == 1 and singular or what) end
  end
  if #counts > 0 then lines[#lines + 1] = "  " .. table.concat(counts, ", ") end
  local gained = 0
  for _, i in ipairs(self.impacts) do if creates_energy(self, i) then gained = gained + 1 end end
  if gained > 0 then lines[#lines + 1] = ("  energy is created by %d impact%s: check the law"):format(gained, gained > 1 and "s" or "") end
  for _, n in ipairs(self.notes) do lines[#lines + 1] = "  note: " .. n.text end
  for _, c in ipairs(self.equations.watched and self.system.constraints or {}) do
    lines[#lines + 1] = ("  '%s' is left by %.2g at most, with reactions by law"):format(c.name, self.constraint_residual[c.name])
  end
  if self.kept then lines[#lines + 1] = "  " .. tostring(self.kept):gsub("\n", "\n  ") end
  if o.status == "INACCURATE" then lines[#lines + 1] = "  inaccurate: " .. o.message
  elseif o.status ~= "OK" then lines[#lines + 1] = ("  stopped before t = %g, at t = %.9g: %s"):format(self.span[2], o.t, reading.cause(o.message)) end
  return table.concat(lines, "\n")
end

options.declare("series", reading.schema)

object.seal(Trajectory, "run")

return Trajectory
