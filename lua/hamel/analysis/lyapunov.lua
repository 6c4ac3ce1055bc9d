-- lyapunov.lua: S:lyapunov: Lyapunov exponents, the rates at which neighbouring motions separate.
local attempt = require "hamel.base.attempt"
local averages = require "hamel.analysis.averages"
local core = require "hamel.core"
local course = require "hamel.analysis.nonsmooth.course"
local launched = require "hamel.base.launched"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local System = require "hamel.system"
local quantities = require "hamel.system.quantities"
local simulate = require "hamel.run.simulate"
local tangent = require "hamel.analysis.tangent"
local tolerance = require "hamel.analysis.tolerance"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local Lyapunov = object.class "Lyapunov"

local schema = {
  n = { type = "number", from = 1, whole = true, doc = "number of exponents, the largest first; all when not given" },
  every = { above = 0, type = "number",
    doc = "longest time between orthonormalisations, and time between entries of the history; when not given 1, or t/1000 where t is above 1e4 or below 10" },
  skip = { default = 0, from = 0, type = "number", doc = "time before the average begins" },
}
for name, row in pairs(variations.schema) do schema[name] = row end
schema.step = simulate.run_schema.step
schema.atol = object.copied(schema.atol)
schema.atol.doc = "absolute tolerance of each step; when not given, less where coordinates or velocities are smaller than 0.01"

-- Gram-Schmidt over the kept states: orthonormal directions, the logarithms of their lengths, and the least part of a direction that the
-- directions before it leave
local function orthonormalise(list)
  local basis, logs, least = {}, {}, 1
  for k, d in ipairs(list) do
    local whole = math.sqrt(tangent.dot(d, d))
    local length = tangent.orthogonal(d, basis)
    least = length > 0 and math.min(least, length/whole) or 0
    for i = 1, #d do d[i] = d[i]/length end
    basis[k], logs[k] = d, math.log(length)
  end
  return basis, logs, least
end

-- The parts of the directions tangent to the constraints at (t, x); the largest part that was not, as runs let them drift off
local function onto_constraints(flow, t, x, list)
  local basis, most = flow:tangents(t, x), 0
  if #basis == #flow.kept then return list, 0 end
  local parts = {}
  for k, d in ipairs(list) do
    local off = table.move(d, 1, #d, 1, {})
    local length = tangent.orthogonal(off, basis)
    most = math.max(most, length/math.sqrt(tangent.dot(d, d)))
    parts[k] = {}
    for i = 1, #d do parts[k][i] = d[i] - off[i] end
  end
  return parts, most
end

-- Times a piece may be halved, growth of a length that a piece may bring, and the part of a direction that may leave the constraints
local HALVINGS, GROWTH, DRIFT = 40, math.log(1e8), 1e-5
-- Without constraints directions are so long at first that the absolute tolerance counts little where they shrink, by so much at most in a piece. With
-- constraints what is told from zero by its size counts on directions of length 1, which shrink by less
local LONG, SHRINKS, SHRINKS_LESS = 2.0^17, math.log(1e6), math.log(30)
local LOST = 1e-7                       -- length that a direction has after an impact or switch that takes it away, found by differences

local MISSED = 0.01                     -- of the motion of a piece: larger errors of steps of one size are refused

-- What the steps of one size of a piece miss, by comparison of some of them with fine ones
local function check_steps(flow, record, t, next_t)
  local missed = record.outcome.step_errors
  if flow.options.step and missed and missed > MISSED then
    fail("lyapunov: from t = %.6g to %.6g the errors of the steps of %g add up to about %.2g of the motion; take a smaller step, or dop853", t,
      next_t, flow.options.step, missed)
  end
end

-- The longest whole number of steps of one size within `time`, at least one; `time` where steps are adaptive
local function whole_steps(step, time)
  return step and step > 0 and step*math.max(1, math.floor(time/step + 1e-6)) or time
end

-- The run of a piece with its directions: state, directions, record. nil and the message where the directions outgrow numbers, which a shorter one avoids
local function carried_on(flow, t, next_t, x, whole)
  local fine, next_x, directions, record = attempt(flow.run, flow, t, next_t, x, whole)
  if fine then return next_x, directions, record end
  if next_x:find("variational equations are not finite", 1, true) then return nil, next_x end
  error(next_x, 0)
end

-- From t to `last` in pieces so short that no direction is lost among the others: state, directions, sums of the logarithms, the last piece
local function carry(flow, t, last, x, directions, piece)
  local sums, resolved, halvings = {}, math.sqrt(math.max(flow.options.rtol, 2.0^-52)), 0
  for k = 1, #directions do sums[k] = 0.0 end
  local is_free = #flow.E.positions + #flow.E.velocities == 0
  local length, shrinks = is_free and LONG or 1, is_free and SHRINKS or SHRINKS_LESS
  while t < last do
    piece = whole_steps(flow.options.step, piece)
    local next_t = t + piece < last - 1e-9*piece and t + piece or last
    if not (next_t > t) then fail("lyapunov: at t = %.10g no time is short enough to carry directions on: end before it, or take another rtol", t) end
    local whole = {}
    for k, d in ipairs(directions) do whole[k] = tangent.scaled(flow:whole(d), length) end
    local next_x, carried, record = carried_on(flow, t, next_t, x, whole)
    local basis, logs, least, drift, growth = nil, nil, 0, 0, math.huge
    if next_x then
      check_steps(flow, record, t, next_t)
      for k, d in ipairs(carried) do carried[k] = flow:part(d) end
      local parts
      parts, drift = onto_constraints(flow, next_t, next_x, carried)
      basis, logs, least = orthonormalise(parts)
      growth = 0
      for k, l in ipairs(logs) do
        logs[k] = l - math.log(length)
        growth = math.max(growth, logs[k], -logs[k]*GROWTH/shrinks)
      end
    end
    if least >= resolved and drift <= DRIFT and growth <= GROWTH then
      for k, l in ipairs(logs) do sums[k] = sums[k] + l end
      t, x, directions, halvings = next_t, next_x, basis, 0
      if least >= math.sqrt(resolved) and drift <= DRIFT/10 and growth <= GROWTH/2 then piece = 2*piece end
    else
      halvings = halvings + 1
      local least_piece = flow.options.step or 0
      piece = (next_t - t)/2
      if halvings > HALVINGS or piece < 0.4*least_piece then
        if not next_x then error(carried, 0) end
        fail("lyapunov: the directions become parallel near t = %.10g, however short the time between orthonormalisations", t)
      end
    end
  end
  return x, directions, sums, piece
end

-- After an impact or a switch: orthonormal directions and the logarithms of their lengths. A direction that the others span there, or that vanishes,
-- has none
local function rescaled(list)
  local left, places, logs = {}, {}, {}
  local basis = {}
  for k, d in ipairs(list) do
    local whole = math.sqrt(tangent.dot(d, d))
    local length = whole > 0 and tangent.orthogonal(d, basis) or 0
    if length > LOST*math.max(1, whole) then
      for i = 1, #d do d[i] = d[i]/length end
      basis[#basis + 1] = d
      left[#left + 1], places[#places + 1], logs[k] = d, k, math.log(length)
    else
      logs[k] = -math.huge
    end
  end
  return left, logs, places
end

local FAR = 100                         -- times faster or slower than one in the unit of time: changes for which velocities are weighed

--- The time by which velocities are weighed in lengths of directions, a power of two: that of the fastest change at a state; nil: it is not far from the unit
--- of time. Else lengths would be those of coordinates or of velocities alone, and directions seem parallel. w: a workspace; kept: places of the states that
--- directions are over; known: the rate of a change that is not seen at the state, or nil.
function Lyapunov.time_of(w, kept, t, x, known)
  w:set_state(t, x)
  local fine, flat = protected(w.jacobian, w)
  if not fine then return nil end
  local size, part, fastest = math.floor(math.sqrt(#flat) + 0.5), {}, known or 0.0
  for _, row in ipairs(kept) do
    for _, column in ipairs(kept) do part[#part + 1] = flat[(row - 1)*size + column] end
  end
  local found, values = protected(core.eigen, #kept, part)
  for k = 1, found and 2*#kept or 0, 2 do fastest = math.max(fastest, math.sqrt(values[k]^2 + values[k + 1]^2)) end
  if not (fastest > 0 and fastest < math.huge) or fastest <= FAR and fastest >= 1/FAR then return nil end
  return 2.0^math.floor(0.5 - math.log(fastest, 2))
end

-- Weighs velocities among directions over the kept states by a time, and in differences, see guards.lua
local function weigh(flow, time)
  local whole, part, tangents, weights = flow.whole, flow.part, flow.tangents, {}
  flow.state_units, flow.time_unit = {}, time
  for i = 1, flow.size do flow.state_units[i] = i <= #flow.E.kin and 1.0 or 1/time end
  for i, place in ipairs(flow.kept) do weights[i] = place <= #flow.E.kin and 1.0 or time end
  local function times(d, power)
    local list = {}
    for i, value in ipairs(d) do list[i] = value*weights[i]^power end
    return list
  end
  function flow:whole(direction) return whole(self, times(direction, -1)) end
  function flow:part(direction) return times(part(self, direction), 1) end
  function flow:tangents(t, point)
    local basis = tangents(self, t, point)
    if #basis == #self.kept then return basis end
    for k, d in ipairs(basis) do basis[k] = times(d, 1) end
    return (orthonormalise(basis))
  end
end

-- The motion of a system without contacts, as a course of one segment
local function smooth_path(system, o, start)
  local flow = variations.flow(system, "lyapunov", o, start, nil, methods.is_fixed(o.method) and o.step or nil)
  flow.time = Lyapunov.time_of(flow.w, flow.kept, start, flow.x)
  if flow.time then weigh(flow, flow.time) end
  local path = { flow = flow, x = flow.x, names = flow.names }
  function path:carry(t, last, x, directions, piece) return carry(self.flow, t, last, x, directions, piece) end
  return path
end

-- The motion of a system with contacts
local function course_of(system, o, start, last)
  local path = course.new(system, "lyapunov", o, start, last)
  local time = Lyapunov.time_of(path.flow.w, path.flow.kept, start, path.x, path.fastest)
  for _, flow in ipairs(time and path.flows or {}) do weigh(flow, time) end
  return path
end

-- Column k of a product of two reflections of R^m, along directions without small entries that are multiples of irrational numbers. The product is
-- orthogonal and has no entry that is zero, so that the columns are independent whatever m is. Sums such as frac(b x + k y) are not: two rows between
-- whose k y no b x lies differ by a constant, and two pairs of such rows depend on each other
local function column(m, k)
  local list = {}
  for b = 1, m do list[b] = b == k and 1.0 or 0.0 end
  for _, number in ipairs{ (1 + math.sqrt(5))/2, math.sqrt(2) } do
    local u, square = {}, 0
    for b = 1, m do
      u[b] = 0.5 + b*number % 1
      square = square + u[b]^2
    end
    local part = 2*tangent.dot(u, list)/square
    for b = 1, m do list[b] = list[b] - part*u[b] end
  end
  return list
end

--- n orthonormal combinations of the orthonormal basis, lists of `size` numbers, none of them special.
function Lyapunov.first_directions(basis, n, size)
  local directions = {}
  for k = 1, n do
    local parts = column(#basis, k)
    directions[k] = {}
    for i = 1, size do
      local sum = 0.0
      for b, u in ipairs(basis) do sum = sum + u[i]*parts[b] end
      directions[k][i] = sum
    end
  end
  return (orthonormalise(directions))
end

--- Kaplan and Yorke's dimension of the attractor.
function Lyapunov.dimension(exponents)
  local sum = 0
  for k, e in ipairs(exponents) do
    if sum + e < 0 then return k - 1 + sum/math.abs(e) end
    sum = sum + e
  end
  return #exponents
end

local ENTRIES = 1000                    -- of the history of a time that is far from usual units

-- The time between entries of the history, where none is given
local function usual_interval(time) return time >= 10 and time <= 1e4 and 1 or time/ENTRIES end

--- The time before the average begins; in steps of one size a whole number of these. what: in the message where no time is left; time: of the run.
function Lyapunov.skipped(what, o, time)
  if not (time > o.skip) then fail("%s: the time %g of the run is not longer than skip = %g", what, time, o.skip) end
  if not (methods.is_fixed(o.method) and o.step and o.step > 0) then return o.skip end
  local skip = o.step*math.ceil(o.skip/o.step - 1e-9)
  if not (time - skip > 1e-9*o.step) then
    fail("%s: the time %g of the run is not longer than skip = %g, which is %g in whole steps of %g", what, time, o.skip, skip, o.step)
  end
  return skip
end

--- Are velocities weighed in lengths of directions of the motion with these options, since its unit of time is far from 1?
function Lyapunov.is_weighed(system, given, start)
  local fine, weighed = protected(function() return smooth_path(system, options.check("lyapunov", schema, given, system), start).flow.time ~= nil end)
  return fine and weighed
end

-- Directions of a basis that are orthogonal to others in it, none of them special
local function beside(basis, directions, n)
  return Lyapunov.first_directions(tangent.beside(basis, directions), n, #basis[1])
end

-- How directions are carried on a course, see course.lua
local ways = { smooth = carry, rescaled = rescaled, beside = beside }

-- The absolute tolerance of a motion where none is given
local function usual_tolerance(system, o, start, last)
  local names, list = {}, {}
  for i, q in ipairs(system:coordinate_list()) do names[i], list[i] = system.coordinate_names[i], q end
  for i = 1, #list do names[#names + 1], list[#list + 1] = names[i] .. "'", list[i].dot end
  return tolerance.of(system, o, { o }, names, list, start, last)
end

--- Computes Lyapunov exponents of a motion: S:lyapunov{ q =, v =, t = 1000, n = 2, every = 1, skip = 100, rtol = 1e-8, ... }.
--- Benettin's method: directions tangent to the constraints follow the exact variational equations. They are made orthonormal and tangent again
--- after each time `every`, or sooner if they would become parallel. Coordinates on which nothing depends are ignored.
--- t is the end time, or {start, end}; skip counts from the start.
--- Steps of one size (method = "gauss6", step = 0.05) are differentiated themselves: the exponents are those of the map that such steps make. They are
--- made whole between orthonormalisations, and refused where their errors come to a hundredth of the motion within `every`, which is rounded down to
--- whole steps, at least one; `skip` is rounded up to whole steps.
--- With one-sided constraints and friction the directions pass impacts and switches by saltation matrices (Leine and Nijmeijer 2004), in lagrange's form.
--- Stick, and contact that lasts, take directions away. When the motion has them back, as at the lift-off, new ones take their places.
--- The exponent -inf says that a direction is taken away in both halves of the time after `skip`, as in every stick phase of a stick-slip cycle (its
--- multiplier is 0), or is gone all the second half. What is taken away in the first half only belongs to the transient: the average begins when all these
--- directions are back (result.began). The number of exponents does not depend on the start.
--- Where impacts accumulate, the last of them closes the contact without restitution. Laws in Lua, friction in impacts, impacts at once that act on each
--- other, and impacts of several contacts that accumulate irregularly, or at once, raise an error.
--- The exponents of a periodic motion converge to log|multiplier|/T like 1/t. Let t be whole periods that end between two impacts: one more or fewer
--- changes the sum by log(e^2)/t, e the coefficient of restitution, and an impact within rounding of the end may count or not.
--- Lengths of directions are those of the states as they are. Where the fastest change at the start is a hundred times faster or slower than one in the unit
--- of time, velocities are weighed by its time, so that exponents over a finite time hardly depend on the unit.
--- Result: exponents (largest first), history = { {t =, exponents...}, ... } for judging the convergence, dimension (Kaplan and Yorke, if all
--- exponents are computed), began (the time at which the average begins), open (how many -inf have not settled: taken away in the second half only, or given
--- back in it). Source: Benettin and others, Meccanica 15 (1980).
function System:lyapunov(given)
  launched.demand_alone "lyapunov"
  local o = options.check("lyapunov", schema, quantities.in_seconds(self, "lyapunov", given), self)
  if o.t == nil then fail("lyapunov: the end time t is missing") end
  local start, last = variations.span("lyapunov", o.t)
  if not (last > start) then fail("lyapunov: the end time %g is not after the start %g", last, start) end
  o.skip = Lyapunov.skipped("lyapunov", o, last - start)
  if given.atol == nil then o.atol = usual_tolerance(self, o, start, last) end
  local path = course.needed(self) and course_of(self, o, start, last) or smooth_path(self, o, start)
  local flow = path.flow
  local basis = flow:tangents(start, path.x)
  local all = path.directions or #basis
  local n = o.n or all
  if n > all then fail("lyapunov: n = %d, but the motion has %d independent directions", n, all) end
  local directions, sums = Lyapunov.first_directions(basis, math.min(n, #basis), #flow.kept), nil
  if path.begin then path:begin(directions, n) end
  local step = flow.options and flow.options.step
  local every = whole_steps(step, o.every or usual_interval(last - start))
  local from = start + o.skip
  local x, t, piece = path.x, start, every < 1 and every or math.max(1, every/ENTRIES)
  while t < last - 1e-12*(last - start) do
    local next_t = math.min(t + every, last)
    if t < from and next_t > from then next_t = from end
    if t >= from and not sums then sums = averages.new(n, t, path.marks) end
    local logs
    x, directions, logs, piece = path:carry(t, next_t, x, directions, math.min(piece, every), ways)
    if sums then sums:add(next_t, logs, path.marks) end
    t = next_t
  end
  local history, began, open = sums:history()
  -- over a short time the first direction need not have grown most
  local exponents, order = {}, {}
  for k = 1, n do order[k] = k end
  table.sort(order, function(a, b) return history[#history][a] > history[#history][b] end)
  for _, entry in ipairs(history) do
    local row = table.move(entry, 1, n, 1, {})
    for k = 1, n do entry[k] = row[order[k]] end
  end
  for k = 1, n do exponents[k] = history[#history][k] end
  local result = { exponents = exponents, history = history, names = path.names, open = #open, began = began, _title = self.name, _t = { began, t },
                   _path = path }
  result.dimension = n == all and Lyapunov.dimension(exponents) or false
  return setmetatable(result, Lyapunov.meta)
end

--- How much the second half of the time changed the exponents, those of minus infinity left out.
function Lyapunov.settled(self)
  local half, last, change = self.history[math.max(1, #self.history//2)], self.history[#self.history], 0
  for k, e in ipairs(self.exponents) do
    if e > -math.huge and half[k] > -math.huge then change = math.max(change, math.abs(half[k] - last[k])) end
  end
  return change
end

function Lyapunov.meta.__tostring(self)
  local words = {}
  for k, e in ipairs(self.exponents) do words[k] = ("%.6g"):format(e) end
  local changed = #self.history < 2 and "too short, compared with every, to tell how they change"
    or ("the second half of it changed them by %.2g"):format(Lyapunov.settled(self))
  if self.open > 0 then
    changed = changed .. "; -inf has not settled: contact or stick takes that direction away in one half of the time only; take a longer t"
  end
  return ("%s: Lyapunov exponents %s\n  over t = %g to %g; %s%s"):format(self._title, table.concat(words, ", "),
    self._t[1], self._t[2], changed, self.dimension and ("; dimension %.4g (Kaplan and Yorke)"):format(self.dimension) or "")
end

options.declare("lyapunov", schema)

return Lyapunov
