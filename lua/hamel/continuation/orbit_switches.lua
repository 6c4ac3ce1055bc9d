-- orbit_switches.lua: periodic motions that begin at flips and at Hopf points: B:switch.
local Orbits = require "hamel.continuation.orbits"
local orbit_starts = require "hamel.continuation.orbit_starts"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local floquet = require "hamel.continuation.floquet"
local hopf_starts = require "hamel.continuation.hopf_starts"
local hopf_units = require "hamel.continuation.hopf_units"
local integrals = require "hamel.continuation.integrals"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local periodic_units = require "hamel.continuation.periodic_units"
local periods = require "hamel.continuation.periods"
local rest_units = require "hamel.continuation.rest_units"
local segments = require "hamel.continuation.segments"
local states = require "hamel.continuation.states"
local swinging_vector = require "hamel.continuation.swinging_vector"
local switching = require "hamel.continuation.switching"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail

local function copied(list) return table.move(list, 1, #list, 1, {}) end

-- The same motions with twice the period
local function doubled(self)
  local twice = setmetatable({}, getmetatable(self))
  for key, value in pairs(self) do twice[key] = value end
  twice.simple, twice.last_period = self, 2*self.last_period
  twice.gain, twice.advance = {}, self.advance and {}
  for i, value in ipairs(self.gain) do twice.gain[i] = 2*value end
  for name, value in pairs(self.advance or {}) do twice.advance[name] = 2*options.number(value) end
  if self.period_place then
    twice.space = setmetatable({ scale = copied(self.space.scale) }, { __index = self.space })
  else
    function twice.driven(y) return periods.twice(self.driven(y)) end
    twice.drive = self.drive and ("2*(%s)"):format(self.drive)
  end
  return twice
end

local GROWS = 100                      -- growth over the simple period from which a doubled motion is cut in its middle

local OTHER = 10                        -- sizes that differ by this factor have other units

--- The same problem and its flip `at` in units of the swings that leave it, where the motion there is one at rest under the drive, whose states are zero.
function Orbits:in_units_of_swings(at, o)
  if self.period_place or self.keep or not self.anew then return self, at end
  local fine, fresh, point = attempt(function()
    local fresh = self.anew()
    local before = copied(fresh.space.scale)
    hopf_units.count_states(fresh, at.y, self.space.whole(floquet.reversed(at)[1]), math.pi/self:period(at.y), o)
    for i, value in ipairs(before) do
      local factor = fresh.space.scale[i]/value
      if factor > OTHER or factor < 1/OTHER then
        return fresh, corrector.at_value(fresh, at.y, function(y) return fresh:value(y) end, (self:value(at.y)))
      end
    end
  end)
  if fine and point then return fresh, point end
  return self, at
end

--- The same motions with twice the period, the point there, and the direction in which motions of twice the period leave it.
function Orbits:doubled(at)
  if self.keep then
    fail("switch: motions of twice the period need the integrals of these, which keep values at the start in their place: find one by S:periodic{ q =, v =, "
      .. "period = }, and follow it with what is kept: S:continue{ periodic = { q =, v =, period =, keep = } }")
  end
  local twice, nodes, cuts, d = doubled(self), {}, {}, {}
  local largest, N = 0, segments.count(at.y)
  for _, m in ipairs(floquet.multipliers(self, at)) do largest = math.max(largest, states.modulus(m)) end
  local reversed = floquet.reversed(at)
  for half = 0, 1 do
    for i = 1, N do
      local _, to = segments.span(at.y, i)
      nodes[#nodes + 1], cuts[#cuts + 1] = segments.node(self, at.y, i), (half + to)/2
    end
  end
  if N == 1 and largest < GROWS then nodes[2] = nil end
  for i = 1, #nodes do
    for _, value in ipairs(reversed[(i - 1) % N + 1]) do d[#d + 1] = i == 1 and value or (i > N and -1 or 1)*value/math.sqrt(#nodes) end
  end
  if self.period_place then nodes[1][self.period_place] = 2*nodes[1][self.period_place] end
  return twice, segments.joined(twice, nodes, cuts), states.unit(d)
end

--- The first half of a point of doubled motions as a point of these.
function Orbits:half(y)
  local nodes, cuts = {}, {}
  for i = 1, math.max(1, segments.count(y)//2) do
    local _, to = segments.span(y, i)
    nodes[i], cuts[i] = segments.node(self, y, i), 2*to
  end
  if self.period_place then nodes[1][self.period_place] = nodes[1][self.period_place]/2 end
  return segments.joined(self, nodes, cuts)
end

-- The eigenvector of the pair on the axis: its real part over the states
local function swinging_direction(rest, at, frequency)
  return rest.space.whole(corrector.combined(at.directions.fixed, swinging_vector(rest:whole_matrix(at), frequency)))
end

-- What periodic motions are followed along beside steady motions that are followed along a parameter or a value of keep, by name: they keep only integrals.
-- Where the value is none, the energy, which has other ends and steps: those of the call, given. Puts the integral into o
local function along_integral(system, rest, o, given)
  local name = rest.name
  if system._parameter[name] or (o.integrals or {})[name] then return name end
  local what
  for _, each in ipairs(rest.keep) do if core.text(rest.flow.observer:expression(each)) == name or each == name then what = each end end
  local e = rest.flow.observer:expression(what)
  local fine, conserved = attempt(system.is_conserved, system, e)
  if fine and conserved == true then
    o.integrals = object.copied(o.integrals or {})
    o.integrals[name] = e
    return name
  end
  if not integrals.named(integrals.known(rest.flow, o, #tangent.timed(tangent.expressions(rest.flow.E, rest.flow.ignorable)) > 0), "energy") then
    fail("switch: the steady motions are followed along %s, which is not conserved, so that it has no value on a periodic motion; continue the steady "
      .. "motions along a parameter to this Hopf point, and switch there", name)
  end
  for _, key in ipairs{ "from", "to", "step", "least", "largest" } do o[key] = given[key] end
  return "energy"
end

local PARALLEL = 1e-9

-- Is an integral a function of another one? Then their gradients are parallel, also at points beside y along u
local function is_function_of(self, one, other, y, u)
  for _, part in ipairs{ 0.0, 0.1, -0.2 } do
    local d = {}
    for i, value in ipairs(u) do d[i] = part*value end
    local at = self.space.moved(y, d)
    local a, b = states.unit(select(2, one.at(at))), states.unit(select(2, other.at(at)))
    if math.abs(tangent.dot(a, b)) < 1 - PARALLEL then return false end
  end
  return true
end

-- Periodic motions at a Hopf point of steady motions keep integrals, as many as values are kept there, at their values at this point; a symmetry up to which
-- they close stands for one of the values. u: the direction in which they leave it
local function keep_integrals(self, rest, o, y, u)
  local known, wanted, list = {}, #rest.keep, {}
  for _, integral in ipairs(self.integrals) do
    local is_other = integral == self.free or not self.free or not is_function_of(self, integral, self.free, y, u)
    if is_other and not integral.of_symmetry then list[#list + 1] = integral end
  end
  self.integrals = list
  for i, integral in ipairs(self.integrals) do known[i] = integral.name end
  if #known ~= wanted and #known + #self.turns.list ~= wanted then
    fail("switch: the steady motions keep %d value%s, so that periodic motions beside them need as many integrals, and %s; if there are %s, name them: "
      .. "B:switch(B.special[1], { integrals = { I = ... } }); a value that only tells motions apart which a symmetry leads into each other, as the direction "
      .. "in which something rolls, needs the symmetry in place of an integral: symmetry = { { x = -y, y = x, yaw = 1 } }; without either, motions beside this "
      .. "point shift along the family of steady motions, and in general no branch of periodic ones begins here: S:simulate shows where they go", wanted,
      wanted == 1 and "" or "s", #known == 0 and "none is known" or ("known are: %s"):format(table.concat(known, ", ")), #known == 0 and "some" or "others")
  end
  orbit_starts.settle(self, o, y)
end

local SWING = 0.1                       -- of the sizes of the motions beside a Hopf point: where symmetries are checked

local function at_hopf(branch, special, o, given)
  local rest, at, system = branch._problem, special._at, branch._system
  local record = special.point
  local turning = rawget(record, "turning")
  if turning and #turning > 0 then
    fail("switch: %s turn along with the steady motions, so that the motions beside them close up to a turn alone, and no branch of these starts here: give "
      .. "one of them with the symmetry along which it closes, S:continue{ periodic = { q =, v =, period = }, symmetry = { { x = -y, y = x } } }",
      table.concat(turning, ", "))
  end
  local guess = { q = record.q, v = record.v, t = record.t, parameters = record.parameters, period = 2*math.pi/special.frequency, form = rest.flow.E.form,
    swings = true }
  local name = rest.keep and along_integral(system, rest, o, given) or rest.name
  o = object.copied(o)
  o.sizes = rest_units.sizes(rest)
  local self, y = orbit_starts.problem_of(system, o, guess, guess, { name })
  local swinging = swinging_direction(rest, at, special.frequency)
  -- the direction in which the motions leave, where they become as large as a part of their size at which the equations are no longer linear
  local function leaving(part)
    hopf_units.count_states(self, y, swinging, special.frequency, o, part)
    periodic_units.count_integrals(self, y, o)
    return states.unit(self.space.part(swinging))
  end
  local u = leaving(1)
  if #self.turns.list > 0 then
    self.turns:demand(self.space.state(self.space.moved(y, tangent.scaled(u, SWING))), guess.period, self.held, self.ends_of_held)
  end
  if rest.keep then keep_integrals(self, rest, o, y, u) else self.integrals = {} end
  return self, hopf_starts.find(self, o, y, leaving, special.accuracy)
end

switching.add("hopf", at_hopf)
