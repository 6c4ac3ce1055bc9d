-- chart/exponent_runs.lua: the exponents of the rows of a chart: in lanes where these carry directions, else of one motion after the other.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local jobs = require "hamel.analysis.sweep.jobs"
local Lyapunov = require "hamel.analysis.lyapunov"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local shards = require "hamel.analysis.shards"
local sweep_rows = require "hamel.analysis.sweep.rows"
local tangent = require "hamel.analysis.tangent"
local volumes = require "hamel.chart.volumes"

local fail = object.fail
local Runs = {}
Runs.__index = Runs

local PORTION = 16                      -- runs one after the other between two looks at an interrupt
local HUGE, SHORTER = 1e30, 0.9         -- a state that has left all bounds; of the time after which a run has ended: what still is well within it
local names_of = { "rtol", "atol", "method", "step", "max_step", "first_step", "max_steps", "project", "form" }

-- "exponent1", ...
local names = setmetatable({}, { __index = function(list, k)
  list[k] = "exponent" .. k
  return list[k]
end })

local function fill(row, list, settled, whole)
  local sum = 0
  for k = 1, #list do
    row[names[k]] = list[k]
    sum = sum + list[k]
  end
  row.exponents, row.sum, row.settled = list, sum, settled
  row.dimension = whole and Lyapunov.dimension(list) or nil
end

-- From the growth of directions in lanes; false: there is none. rate: at which volumes grow, where the last direction was left out
local function from_growth(row, n, whole, rate)
  local lengths = row.growth
  row.growth = nil
  if not lengths then return false end
  local list, changes, settled, change, carried = {}, {}, 0, 0, #lengths//2
  if carried < n and not rate then return false end
  local rest, rest_before = rate, rate
  for k = 1, n do
    local e, before = lengths[k], lengths[carried + k]
    if k > carried then e, before = rest, rest_before end
    if e ~= e or before ~= before then return false end
    if rate then rest, rest_before = rest - e, rest_before - before end
    -- the largest first: there are few
    local place = k
    while place > 1 and list[place - 1] < e do
      list[place], changes[place] = list[place - 1], changes[place - 1]
      place = place - 1
    end
    list[place], changes[place] = e, math.abs(e - before)
    settled, change = math.max(settled, math.abs(e - before)), change + e - before
  end
  fill(row, list, settled, whole)
  row.change, row.changes = math.abs(change), changes
  return true
end

-- The first directions for the lanes: over the kept states, none special; marks of the other states; places of the kept ones
local function directions_of(E, n)
  local ignorable, size = tangent.ignorable_coordinates(E), #E.kin + #E.dyn
  local kept = tangent.kept(E, ignorable)
  if #E.positions + #E.velocities > 0 then return nil, nil, kept end
  n = math.min(n or #kept, #kept)
  local flat, ignored = {}, {}
  for k, d in ipairs(Lyapunov.first_directions(tangent.unit_vectors(#kept), n, #kept)) do
    for i = 1, size do flat[(k - 1)*size + i] = 0.0 end
    for i, place in ipairs(kept) do flat[(k - 1)*size + place] = d[i] end
  end
  for i = 1, size do ignored[i] = true end
  for _, place in ipairs(kept) do ignored[place] = false end
  return flat, ignored, kept
end

-- Weights of the states in lengths of directions, for each run: a time of its motion for velocities. nil: all are 1
local function weights_of(E, kept, t0, at_starts)
  local list, any = {}, false
  at_starts(function(w, x)
    local time = Lyapunov.time_of(w, kept, t0, x)
    any = any or time ~= nil
    for i = 1, #E.kin + #E.dyn do list[#list + 1] = i > #E.kin and time or 1.0 end
  end)
  return any and list or nil
end

-- The exponents and how settled they are, with the last one, which volumes tell, where it was left out. rate: at which these grow
local function with_last(L, rate)
  local list, settled = L.exponents, Lyapunov.settled(L)
  if not rate then return list, settled, L.dimension end
  local half, last, change = L.history[math.max(1, #L.history//2)], rate, 0
  list = table.move(list, 1, #list, 1, {})
  for k, e in ipairs(list) do last, change = last - e, change + half[k] - e end
  list[#list + 1] = last
  table.sort(list, function(a, b) return a > b end)
  return list, math.max(settled, math.abs(change)), true
end

-- By how much the second half of the time changed the sum of the exponents; nil: it is not known, as where one is minus infinity
local function change_of_sum(L, rate)
  local half, change = L.history[math.max(1, #L.history//2)], 0
  for k, e in ipairs(L.exponents) do change = change + half[k] - e end
  return rate and 0 or change - change == 0 and math.abs(change) or nil
end

-- One motion by itself; false: interrupted. n: exponents that are carried; rate: at which volumes grow, where they tell one more
local function alone(system, o, row, q, v, parameters, t0, t1, form, n, rate)
  local given = { q = q, v = v, t = { t0, t1 }, skip = o.skip, n = n, parameters = parameters }
  for _, name in ipairs(names_of) do given[name] = o[name] end
  given.form = form or o.form
  local fine, L = protected(system.lyapunov, system, given)
  if core.host.interrupted() then return false end
  jobs.rethrow_interrupt(fine, L)
  if not fine then
    row.status, row.reason = "NO_EXPONENTS", sweep_rows.without_place(L)
  else
    fill(row, with_last(L, rate))
    row.change = change_of_sum(L, rate)
    row.status, row.reason, row.t = "OK", nil, t1
    row.open, row.counted = L.open > 0 or nil, L.began > t0 + o.skip and t1 - L.began or nil
    if contact.any(system) and L.exponents[1] > 0 then row.swings = L._path:looks() end
  end
  return true
end

-- Is the time of some of these motions so far from its unit that S:lyapunov weighs velocities?
local function is_weighed(system, o, samples, t0)
  for _, job in ipairs(samples) do
    local given = { q = job.q, v = job.v, t = { t0, t0 + 1 }, parameters = job.parameters, form = o.form, rtol = o.rtol, atol = o.atol }
    if Lyapunov.is_weighed(system, given, t0) then return true end
  end
  return false
end

--- Raises where directions cannot be carried along the motions of a system.
function Runs.demand_formulas(system, o)
  methods.demand_directions("chart", o.method, o.step)
  local force = system:external_forces()[1]
  if force then
    fail("chart: directions need formulas; the force on %s is a Lua function", core.text(force.coordinate))
  end
end

--- The exponents of the rows of a chart, which `columns` describes. samples(): some motions of the chart, see jobs.samples; about: { names = of the states,
--- E = the equations, V = see volumes.of }. Fields: count = of exponents, kept = how many directions the motion has, touching = are there contacts or friction?
function Runs.of(system, o, settings, t0, t1, columns, samples, about)
  local self = setmetatable({ system = system, o = o, settings = settings, t0 = t0, t1 = t1, states = about.names, V = about.V }, Runs)
  self.touching = contact.any(system)
  local E, V, n = about.E, about.V, o.n
  local first, ignored, places = directions_of(E, n)
  local kept, weighed = #places, first and is_weighed(system, o, samples(), t0)
  -- volumes tell the last exponent: a direction that damping shrinks fast takes a step for each part of its own time
  self.told = first and not self.touching and kept > 1 and (n or kept) == kept and E.form == "lagrange" and not methods.is_fixed(o.method) and V
    and V.constant and (V.kept or V.uniform)
  if self.told then first = directions_of(E, kept - 1) end
  if self.touching then first = nil end
  if n and n > kept and not self.touching then fail("chart: n = %d, but the motion has %d independent directions", n, kept) end
  self.kept, self.count = kept, math.min(n or kept, kept)
  if first then
    function columns.carried(_, at_starts)
      return { first = first, ignored = ignored, skip = o.skip + 0.0, weights = weighed and weights_of(E, places, t0, at_starts) or nil }
    end
  else
    columns.portion, columns.alone = PORTION, "the directions are not carried in lanes"
  end
  return self
end

-- At which rate volumes of states grow, where it is constant
local function rate_of_volumes(self, row)
  local anywhere = { t = self.t0 }
  for i = 1, #self.states do anywhere[i] = 0.0 end
  return volumes.constant_rate(self.V, anywhere, points.parameters_of(self.system, self.o, row))
end

--- The start of the motion of a row: { q, v, parameters }.
function Runs:start_of(row)
  self.job_of = self.job_of or jobs.of(self.system, jobs.by_name(self.system, self.settings), {})
  local q, v, parameters, _, late = self.job_of(row.index)
  return { q = q, v = late and late() or v, parameters = parameters }
end

--- Says what to do about a motion that grows beyond what numbers hold: its exponents are known before.
function Runs:advise(row, looks)
  if row.status ~= "NOT_FINITE" or not row.t or #looks.flat == 0 then return end
  local most = 0
  for k = #looks.flat - looks.size + 1, #looks.flat do most = math.max(most, math.abs(looks.flat[k])) end
  if most < HUGE then return end
  local t = self.t0 + SHORTER*(row.t - self.t0)
  row.reason = ("%s: the motion grows beyond what numbers hold; take t = %.4g or less%s, or escape = ..., an expression that becomes positive where it has "
    .. "left, to end its run"):format(row.reason, t, t - self.t0 <= self.o.skip and " and a smaller skip" or "")
end

--- Puts the exponents into a row. form: in which the run was made once more; nil: in the usual one. false: interrupted
function Runs:finish(row, form)
  -- steps of one size are judged as S:lyapunov judges them: no run follows a chaotic motion to its end
  if row.status == "INACCURATE" and methods.is_fixed(self.o.method) then row.status, row.reason = "OK", nil end
  local rate = self.told and rate_of_volumes(self, row) or nil
  if not shards.ended(row) or from_growth(row, self.count, self.count == self.kept, rate) or row.status == "EVENT" then return true end
  if core.host.interrupted() then return false end
  local start = self:start_of(row)
  return alone(self.system, self.o, row, start.q, start.v, start.parameters, self.t0, self.t1, form or self.touching and "lagrange" or nil,
    rate and self.kept - 1 or self.o.n, rate)
end

local ALWAYS = { "exponents", "sum", "dimension", "settled" }

--- The names of the columns that every chart shows.
function Runs.shown() return table.move(ALWAYS, 2, #ALWAYS, 1, {}) end

--- The names of all columns for so many exponents.
function Runs.columns(count)
  local list = table.move(ALWAYS, 1, #ALWAYS, 1, {})
  for k = 1, count do list[#list + 1] = names[k] end
  return list
end

return Runs
