-- continuation/init.lua: S:continue: branches of equilibria, steady and periodic motions, with their special points.
local answer = require "hamel.base.answer"
local arclength = require "hamel.continuation.arclength"
local attempt = require "hamel.base.attempt"
local Branch = require "hamel.continuation.branch"
local branch_settings = require "hamel.continuation.branch_settings"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local curves = require "hamel.continuation.curves"
local ends = require "hamel.continuation.ends"
local equilibria = require "hamel.continuation.equilibria"
local kinds_of_points = require "hamel.continuation.kinds"
local launched = require "hamel.base.launched"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbit_starts = require "hamel.continuation.orbit_starts"
local periodic_units = require "hamel.continuation.periodic_units"
local restored = require "hamel.continuation.restored"
local rest_units = require "hamel.continuation.rest_units"
local sequence_starts = require "hamel.continuation.sequence_starts"
local start_parameters = require "hamel.continuation.start_parameters"
local steady = require "hamel.continuation.steady"
local System = require "hamel.system"
local variations = require "hamel.analysis.variations"
require "hamel.continuation.doubled_sequences"
require "hamel.continuation.orbit_switches"
require "hamel.continuation.grazing"
require "hamel.continuation.saved"

local fail = object.fail

local schema = {
  equilibrium = { type = "table", doc = "a result of S:equilibrium, a point of a branch, or a guess { q =, t =, keep = }; keep: of families" },
  steady = { type = "table", doc = "a result of S:steady, a point of a branch, or a guess { q =, v =, t =, keep = }" },
  periodic = { type = "table", doc = "a result of S:periodic, a point of a branch, or a guess { q =, v =, t =, period =, segments =, keep = }; with contacts, "
    .. "keep: of coordinates that friction holds all along" },
  fold = { type = "table", doc = "a fold of a branch: the curve of folds over two parameters; steady motions keep what they keep along the branch" },
  hopf = { type = "table", doc = "a Hopf point of a branch: the curve of Hopf points over two parameters; so for steady motions" },
  flip = { type = "table", doc = "a flip of a branch: the curve of flips over two parameters" },
  torus = { type = "table", doc = "a torus point of a branch: the curve of torus points over two parameters" },
  grazing = { type = "table", doc = "a grazing of a branch: the curve over two parameters on which the impact has the velocity 0; also a touch of a gap" },
  touch = { type = "table",
            doc = "a touch of a branch: the curve over two parameters on which a gap or a limit of friction is only reached, at an instant of both sides" },
  corner = { type = "table", doc = "a corner of a branch: the curve over two parameters on which motions only touch a corner of the equations" },
  along = { type = "string", or_type = "table",
            doc = "a parameter; also 'energy', 'period', an integral (periodic); a value in keep (steady); two for curves, each a parameter or in keep" },
  from = { type = "number", or_type = "table", doc = "least value of what changes, below to; for curves two values" },
  to = { type = "number", or_type = "table", doc = "largest value of what changes, above from; for curves two values" },
  step = { type = "number", above = 0, finite = true,
           doc = "first step along the branch; when not given a hundredth of from ... to, at most 0.1 (1 + |value at the start|)" },
  least = { type = "number", above = 0, finite = true, doc = "shortest step; when not given 1e-9 in the unit of what is followed, or the first one" },
  largest = { type = "number", above = 0, finite = true, doc = "longest step; a twentieth of from ... to when not given" },
  points = { type = "number", from = 1, to = 1e6, whole = true, default = 400, doc = "largest number of points, in each direction" },
  both = { type = "boolean", doc = "false: to one side, towards `to` or upwards; true: to both, also where only one of from and to is given" },
  locate = { type = "number", above = 0, below = 0.1, default = 1e-11, doc = "how exactly special points are located, relative to 1 + their value" },
  tolerance = { type = "number", from = 1e-14, below = 0.01, default = 1e-10, doc = "how well the equations hold, relative to the states" },
  fixed = { type = "table", doc = "integrals that keep their value along the branch, by name, also by those of S:conserved: { energy = 0.1 }" },
  integrals = { type = "table", doc = "integrals that S:conserved does not find, by name" },
  advance = { type = "table", doc = "increase of coordinates over a period, by name: { phi = 2*math.pi }" },
  symmetry = { type = "table", list = true,
               doc = "rates of the coordinates along symmetries up to which motions close: { {x = -y, y = x} }; their momenta, where conserved: p_1, p_2" },
  stop = { type = "table", doc = "{ kind, n }: end at the n-th special point of a kind, { \"fold\", 1 }" },
  keep = { type = "table", doc = "measures of the motion over a period at each point, by name: { top = hm.highest(x) }" },
  parameters = { type = "table", doc = "values by name in place of the declared ones, and of those of a point or a result that the branch starts from" },
  form = { type = "string", doc = "formalism" },
}
for _, name in ipairs(variations.run_names) do schema[name] = variations.schema[name] end
schema.rtol = { default = 1e-12, from = 0, below = 0.01, type = "number", doc = "relative tolerance per step of runs" }
schema.atol = { default = 1e-12, above = 0, below = 1, type = "number", doc = "absolute tolerance per step of runs" }

local kinds = { "equilibrium", "steady", "periodic", "fold", "hopf", "flip", "torus", "grazing", "touch", "corner" }

local function kind_of(o)
  local found
  for _, kind in ipairs(kinds) do
    if o[kind] then
      if found then fail("continue: %s and %s are given; one branch starts from one of them", found, kind) end
      found = kind
    end
  end
  return found or fail("continue: from where? give equilibrium = { q = ... }, steady = { q =, v =, keep = } or periodic = { q =, v =, period = }, "
    .. "a guess or a result")
end

-- Periodic motions of systems with contacts are sequences of smooth ones
local function periodic(system, ...)
  if contact.any(system) then return sequence_starts.new(system, ...) end
  return orbit_starts.new(system, ...)
end

local makers = { equilibrium = equilibria.new, steady = steady.new, periodic = periodic }

local function check_stop(stop)
  if not stop then return end
  if not object.contains(kinds_of_points, stop[1]) then
    fail("continue: stop = { kind, n }: '%s' is no kind of special points%s", tostring(stop[1]), object.hint(tostring(stop[1]), kinds_of_points))
  end
  if stop[2] ~= nil and (math.type(stop[2]) ~= "integer" or stop[2] < 1) then fail("continue: stop = { \"%s\", n }: n is a whole number from 1", stop[1]) end
end

-- What a guess of each kind holds; results and points of branches hold more
local guesses = { equilibrium = { "q", "t", "keep", "parameters" }, steady = { "q", "v", "t", "keep", "parameters" },
  periodic = { "q", "v", "t", "period", "segments", "advance", "keep", "parameters" } }

local function demand_known(kind, given)
  if getmetatable(given) or given.form or not guesses[kind] then return end
  for _, name in ipairs(object.keys(given)) do
    if not object.contains(guesses[kind], name) then
      fail("continue: %s = { ... }: a guess has no '%s'%s", kind, tostring(name), object.hint(tostring(name), guesses[kind]))
    end
  end
end

-- A branch of motions with events starts from runs, and these follow real motions
local function demand_motion(kind, given)
  if kind ~= "periodic" or rawget(given, "admissible") ~= false then return end
  fail("continue: periodic = { ... }: this point%s of a branch is no real motion, as '%s' is violated on its way; start from a point with "
    .. "admissible = true: the branch from there goes on through such points",
    type(given.value) == "number" and (", at %.9g,"):format(given.value) or "", tostring(given.offender))
end

-- Options of periodic motions
local function demand_effect(kind, given)
  if kind ~= "equilibrium" and kind ~= "steady" then return end
  for _, name in ipairs{ "fixed", "integrals", "advance", "symmetry" } do
    if given[name] ~= nil then fail("continue: '%s' has no effect on a branch from %s = : it belongs to periodic motions", name, kind) end
  end
end

-- The guess of a branch from a start of a kind, with the values of the parameters there
local function guess_of(self, kind, o, given)
  local guess = object.copied(given)
  if type(given) == "table" and not getmetatable(given) and given.q == nil then
    for _, name in ipairs(self.coordinate_names) do
      if given[name] ~= nil then fail("continue: the guess has its coordinates in q: { q = { %s = %s } }", name, tostring(given[name])) end
    end
  end
  local holds
  guess.parameters, holds = start_parameters.of(self, kind, guess, o.parameters, guess.form ~= nil)
  -- a result of S:periodic, or a point of a branch, which closes already
  guess.orbit = holds and guess.multipliers and guess.period and guess.form and object.copied(given)
  guess.given, guess.advance = given, o.advance or guess.advance
  if guess.drive then guess.period = self:check_expression(guess.drive, "drive", 0) end
  return guess
end

-- Between two ends of each parameter a curve starts where its special point is
local function demand_within_both(bounds, kind, y)
  for _, edge in ipairs(bounds) do
    local value = edge.at(y)
    if edge.from and edge.to and not (value >= edge.from and value <= edge.to or branch_settings.is_at_end(edge, edge.from, value)
      or branch_settings.is_at_end(edge, edge.to, value)) then
      fail("continue: the %s has %s = %.9g, outside from = %.9g to %.9g", kind, edge.name, value, edge.from, edge.to)
    end
  end
end

-- A curve lies over parameters; one of steady motions also over what these keep
local function demand_parameters(self, names, keep)
  local known = table.move(self.parameter_names, 1, #self.parameter_names, 1, {})
  for _, what in ipairs(keep) do known[#known + 1] = type(what) == "string" and what or core.text(what) end
  for k, name in ipairs(names) do
    name = core.is_expression(name) and core.text(name) or name
    if not object.contains(known, name) then
      fail("continue: a curve needs two parameters, and '%s' is no parameter of %s%s%s", tostring(name), self.name,
        #keep > 0 and ", nor a value in keep" or "", object.hint(tostring(name), known))
    end
    names[k] = name
  end
end

local on_the_way = { grazing = true, touch = true, corner = true }

-- A curve of special points over two parameters
local function curve(self, o, kind)
  local special, names = o[kind], type(o.along) == "table" and object.copied(o.along) or o.along
  if type(special) ~= "table" or object.is_a(special, "Branch") or not special.point then
    fail("continue: %s = B.special[1], a special point of a branch B", kind)
  end
  if type(special.kind) ~= "string" then fail("continue: %s = B.special[1], a special point of a branch B", kind) end
  -- a file does not say where on a motion something is met
  if on_the_way[special.kind] and not special._problem and special._branch then
    special = select(2, restored.special("continue", special._branch, special, Branch.start_of))
  end
  -- a motion that touches a wall grazes it, without the impact as a part of it
  if kind == "grazing" and special.kind == "touch" then
    if special._place and not special._place.gap then
      fail("continue: at this touch a limit of contact or friction of '%s' is reached, and no gap: touch = in place of grazing = follows it", special.name)
    end
    kind = "touch"
  end
  if special.kind ~= kind then fail("continue: the point is a %s, not a %s", special.kind, kind) end
  if type(names) ~= "table" or #names ~= 2 then fail("continue: a curve needs two parameters: along = {\"mu\", \"e\"}") end
  if names[1] == names[2] then fail("continue: a curve needs two different parameters, not '%s' twice", tostring(names[1])) end
  demand_parameters(self, names, special.point.keep or {})
  for _, edge in ipairs{ "from", "to" } do
    if o[edge] and (type(o[edge]) ~= "table" or #o[edge] ~= 2) then
      fail("continue: a curve over two parameters needs two values in %s, of '%s' and '%s': %s = { , }", edge, tostring(names[1]), tostring(names[2]), edge)
    end
  end
  for k, name in ipairs(names) do ends.demand_positive(self, name, o.from and options.number(o.from[k]), o.to and options.number(o.to[k]), "continue") end
  local record = special.point
  start_parameters.check_curve(self, kind, record, o.parameters)
  local guess = guess_of(self, kind, o, record)
  local settings, before = object.copied(o), special._options or {}
  settings.form = o.form or record.form
  -- what motions close up to, and what they keep, as along the branch
  for _, name in ipairs{ "symmetry", "integrals" } do
    if record.period and settings[name] == nil then settings[name] = before[name] end
  end
  -- an impact that grazes is not met by runs
  local origin = special._problem
  guess.sequence_read = origin and origin.read_at and origin:read_at(special._at.y, special._at.y and record.t) or nil
  if (kind == "grazing" or kind == "touch" or kind == "corner") and not origin then
    fail("continue: a %s that was read from a file does not say where on the motion it is: continue its branch again, and take it from there", kind)
  end
  if kind == "touch" and not special._test then
    fail("continue: no curve starts from this touch: the limit of '%s' is reached at an instant of the motion that is none on the other side of the touch, and "
      .. "no condition follows it; continue branches along '%s' at several values of '%s', and take their touches", special.name,
      tostring(names[1]), tostring(names[2]))
  end
  local spans = o.from and o.to and { math.abs(o.to[1] - o.from[1]), math.abs(o.to[2] - o.from[2]) }
  spans = spans and spans[1] > 0 and spans[2] > 0 and spans or nil
  settings.units_of_branch = origin and origin.period and origin.space and periodic_units.by_name(origin) or nil
  -- motions of twice the period may come to those of the simple one
  settings.doubled = origin and origin.simple ~= nil
  settings.spans, settings.sizes = spans, origin and origin.at_rest and rest_units.sizes(origin) or nil
  local base, y = makers[record.period and "periodic" or record.keep and "steady" or "equilibrium"](self, settings, guess, names)
  base.grazes, base.watched_test = special.impact, special._test
  local problem = curves.new(base, kind, y, names, spans)
  problem.bounds = curves.bounds(problem, o.from, o.to)
  demand_within_both(problem.bounds, kind, y)
  local range, unit = curves.range(problem, spans)
  settings.range = range
  for _, name in ipairs{ "step", "largest" } do settings[name] = o[name] and unit*o[name] end
  local start, why = curves.start(problem, y)
  if not start then fail("continue: the curve does not start: %s", why) end
  return Branch.follow(self, problem, settings, start, o.both ~= false and branch_settings.turned(start) or nil)
end

local function demand_span(o)
  for _, edge in ipairs{ "from", "to" } do
    if o[edge] and not (math.abs(o[edge]) < math.huge) then
      fail("continue: %s = %s is no value that a branch reaches; leave it out, or give a finite one", edge, o[edge])
    end
  end
  if o.from and o.from == o.to then fail("continue: from and to are both %.9g: there is nothing to follow between them", o.from) end
  if o.from and o.to and o.from > o.to then fail("continue: from = %.9g is above to = %.9g; from is the least value, to the largest", o.from, o.to) end
end

local function demand_steps(o)
  for _, name in ipairs{ "step", "largest" } do
    if o.least and o[name] and o.least > o[name] then fail("continue: least = %g is the shortest step, and %s = %g is shorter", o.least, name, o[name]) end
  end
  if o.step and o.largest and o.step > o.largest then fail("continue: step = %g is the first step, and largest = %g is shorter", o.step, o.largest) end
end

-- Between two ends a branch starts where the guess is
local function demand_within(problem, o, y)
  local value = problem:value(y)
  if not o.from or not o.to or (value >= o.from and value <= o.to) then return end
  if branch_settings.is_at_end(o, o.from, value) or branch_settings.is_at_end(o, o.to, value) then return end
  fail("continue: the guess has %s = %.10g, outside from = %.9g to %.9g; give a guess inside%s", problem.name, value, o.from, o.to,
    problem.flow.system._parameter[problem.name] and (", with parameters = { %s = ... } in it"):format(problem.name) or "")
end

local STILL = 1e-6                      -- of the coordinates: states of rest nearer to each other are one

-- How far two states are from each other, and the largest coordinate of both
local function distance(one, other)
  local off, size = 0, 0
  for name, value in pairs(one) do
    off, size = math.max(off, math.abs(value - other[name])), math.max(size, math.abs(value), math.abs(other[name]))
  end
  return off, size
end

-- The state of rest of a family that has the kept values of a guess: these are followed as steady motions whose velocities are zero
local function of_family(self, o, given)
  local rest, parameters = object.copied(given), (start_parameters.of(self, "equilibrium", given, o.parameters, given.form ~= nil))
  if not given.v then
    local v = {}
    for _, name in ipairs(self.coordinate_names) do v[name] = 0 end
    rest = self:steady{ q = given.q, v = v, t = given.t, keep = given.keep, parameters = parameters, form = o.form }
  end
  local at_rest = self:equilibrium{ q = rest.q, t = rest.t, parameters = parameters }
  local off, size = distance(at_rest.q, rest.q)
  if off > STILL*size then
    fail("continue: no state of rest with these values of keep is near the guess, but a steady motion: take another guess, or steady = in place of "
      .. "equilibrium =")
  end
  return rest
end

-- The branch from a guess along one parameter or value
local function branch_from(self, o, kind, guess)
  local settings = object.copied(o)
  settings.spans = o.from and o.to and { o.to - o.from } or nil
  local problem, y = makers[kind](self, settings, guess, { o.along })
  demand_within(problem, o, y)
  return Branch.through(self, problem, o, y)
end

local LOOKS = 100                       -- at a motion, over its period

-- Does a periodic motion pass near a guess, with each coordinate no farther from it than this changes along the motion?
local function passes_near(self, orbit, guess)
  local run = self:simulate{ q = orbit.q, v = orbit.v, t = { orbit.t, orbit.t + orbit.period }, parameters = orbit.parameters, form = orbit.form }
  local times = {}
  for k = 0, LOOKS do times[k + 1] = orbit.t + orbit.period*k/LOOKS end
  for _, name in ipairs(self.coordinate_names) do
    local value, start = tonumber(guess.q and guess.q[name]), tonumber(orbit.q[name])
    local _, list = run:series(name, { times = times })
    if value and start and math.abs(value - start) > math.max(table.unpack(list)) - math.min(table.unpack(list)) then return false end
  end
  return true
end

-- A periodic motion to which a guess leads from which no branch starts, as a guess of its own; nil: there is none, or values of the guess choose the motion.
-- Second result: the motion that the run from the guess comes to, where it is another one
local function other_guess(self, o, guess)
  if contact.any(self) or guess.orbit or guess.keep or guess.segments or o.symmetry then return nil end
  local fine, orbit = attempt(self.periodic, self, { q = guess.q, v = guess.v, t = guess.t, period = guess.period, advance = guess.advance,
    parameters = guess.parameters, form = o.form })
  if not fine then return nil end
  if orbit.settled > 0 and not passes_near(self, orbit, guess) then return nil, orbit end
  local other = guess_of(self, "periodic", o, orbit)
  other.advance = guess.advance
  return other
end

-- The same of periodic motions, if need be from the motion to which the guess leads
local function branch_of_orbits(self, o, kind, guess)
  local fine, branch, why = attempt(branch_from, self, o, kind, guess)
  if fine then return branch end
  local other, far
  if why == "no motion" or why == "at rest" then other, far = other_guess(self, o, guess) end
  if other then return branch_from(self, o, kind, other) end
  fail("%s%s", branch, far and "; the run from the guess comes to another periodic motion, far from it, which S:periodic with the same guess returns" or "")
end

-- The branch or curve that is asked for
local function branch_of(self, given)
  local class = type(given) == "table" and getmetatable(given) and getmetatable(given).__name
  if class then
    fail("continue takes a table of options, not %s %s: S:continue{ %s = ..., along = \"%s\", to = ... } starts from it", class:find "^[AEIOU]" and "an" or "a",
      class, class == "Orbit" and "periodic" or class == "Steady" and "steady" or class == "Equilibrium" and "equilibrium" or "periodic",
      self.parameter_names[1] or "energy")
  end
  if type(given) == "table" and core.is_expression(given.along) then
    given = object.copied(given)
    given.along = core.text(given.along)
  end
  local o = options.check("continue", schema, given)
  o.atol_given = given ~= nil and given.atol ~= nil
  local kind = kind_of(o)
  if kind == "equilibrium" and rawget(o.equilibrium, "keep") then
    demand_known(kind, o.equilibrium)
    o.steady, o.equilibrium, kind = of_family(self, o, o.equilibrium), nil, "steady"
  end
  methods.demand_directions("continue", o.method)
  check_stop(o.stop)
  demand_steps(o)
  if not o.along then
    fail("continue: along what? %s", self.parameter_names[1] and ("along = \"%s\", a parameter"):format(self.parameter_names[1])
      or "along = \"energy\" follows periodic motions of a conservative system; parameters are declared by S:parameters \"mu=1\"")
  end
  if not makers[kind] then return curve(self, o, kind) end
  demand_effect(kind, given)
  if type(o.along) ~= "string" then
    fail("continue: a branch is followed along one parameter: along = \"%s\", from = 1, to = 2", self.parameter_names[1] or "mu")
  end
  if type(o.from or 0) ~= "number" or type(o.to or 0) ~= "number" then fail("continue: from and to are numbers for a branch along one parameter") end
  demand_span(o)
  local guess = guess_of(self, kind, o, o[kind])
  demand_known(kind, o[kind])
  demand_motion(kind, o[kind])
  ends.demand_positive(self, o.along, o.from, o.to, "continue")
  return (kind == "periodic" and branch_of_orbits or branch_from)(self, o, kind, guess)
end

-- What an interrupt is answered with, and the branch
local function continued(self, given)
  launched.demand_alone "continue"
  local branch = branch_of(self, given)
  return Branch.interrupted_words(branch), branch
end

--- Follows a branch of equilibria, steady motions or periodic motions along a parameter, or a curve of special points over two parameters.
---
--- Starts, each with an example:
---   S:continue{ equilibrium = { q = {y = -1} }, along = "load", from = -1, to = 1 }
---   S:continue{ steady = S:steady{ q =, v =, keep = {"phi'"} }, along = "phi'", to = 3 }
---   S:continue{ periodic = S:periodic{ q =, v =, period = }, along = "mu", to = 2 }
---   S:continue{ periodic = B.points[3], along = "energy" }                           from a point of another branch
---   S:continue{ fold = B.special[1], along = {"mu", "e"}, from = {-1, 0}, to = {1, 2} }    also hopf, flip, torus, grazing, touch, corner
---
--- Ends and steps: from is the least value, to the largest, and the guess lies between them. The branch is followed to both sides; where only one of from
--- and to is given, to that side alone (both = true follows the other side, too). step and largest are changes of the parameter; a small `largest` also
--- makes short steps where the states change and the parameter hardly does. Results do not depend on the units of the system. A branch also ends where
--- the equations have no value or do not determine the accelerations (a special point of the kind "end", whose name says where), where a coordinate grows
--- without bound while the parameter comes to a value, where a parameter declared positive comes to zero, and where the time between two impacts does. A
--- branch of driven motions ends where the period grows beyond 20 times that at the start, unless from or to asks for more, or shrinks below a ten-
--- thousandth. A curve also ends where its motions shrink to rest, and where they come to a symmetric one. B.ended holds the reasons.
---
--- Families: periodic motions of conservative systems come in families. The energy, momenta and those in `integrals` keep their values, but for the one along
--- which the branch goes. For families without formulas of integrals, as of rolling bodies, and for families of rest, keep names the values that choose a
--- member, and one of them may be followed: periodic = { q =, v =, period =, keep = {"phi'", "psi"} }, along = "phi'". Without keep, such a call is
--- refused, counts the values that are missing, and names some that will do. Multipliers that are 1 by these integrals do not appear. Steady motions may
--- turn or drift along symmetries, and those that differ by a symmetry count as one; point.turning names the states that turn.
---
--- Result B: B.points, B.special, B.ended. It prints as a table; B:plot draws it, B:switch(B.special[1]) follows the branch that starts at a special point,
--- B:save "x.branch" keeps it for hm.load.
---
--- B.points[i] has q, v, t, period, energy, parameters, and
---   eigenvalues or multipliers   the largest modulus first; a multiplier has also an estimate of its uncertainty
---   stable                       true, false, or nil where the first approximation does not decide
---   undetermined                 how many multipliers are no larger than their uncertainty; nil: none
---   unsided                      of how many multipliers errors hide on which side of the unit circle they are; a smaller tolerance decides
---   segments                     of very unstable motions: the states at which the segments begin; a guess may give them, too
--- At special points the eigenvalues or multipliers that are not on the border decide about stable.
---
--- B.special[j] has kind, value (of the parameter), beside (of curves: of the second one), point, and where they apply frequency, name, several,
--- criticality ("supercritical" or "subcritical", of Hopf points of states of rest, by the first Lyapunov coefficient), and
---   accuracy, accuracy_beside    how well the values are known, where this is worse than `locate`: the point is there, within so much
---   doubtful, reason             there may be none, between these points: "passing by", "kind", "runs", "counts", "many"; nil: Newton's method fails
---                                beside it. Follow the branch there with a smaller step
---   apart                        two passings nearer to each other than this are not told apart
---   several                      how many eigenvalues or multipliers pass there at once
---
--- B.unsearched lists steps, { from =, to =, what = }, within which the points that are added to a step did not suffice to tell whether "pairs" meet and part
--- again, or "real" eigenvalues pass zero and come back; false: there are none, or the branch was read from a file.
---
--- Kinds: "fold", "branch"; of equilibria and steady motions "hopf", "neutral"; of periodic motions "flip", "torus", "neutral", "rest" (they end at an
--- equilibrium), "halving" (motions of twice the period end at a flip), "grazing", "touch", "corner"; of curves "turn", "cusp", "double-zero", "zero-Hopf",
--- "Hopf-Hopf", "generalised Hopf", "degenerate pitchfork", "strong resonance 1:1" to "strong resonance 1:4", "fold-flip", "fold-torus", "flip-torus",
--- "torus-torus". The theory page Continuation of the manual defines each of them, the reasons of doubt, and the units in which steps are measured.
---
--- Ctrl-C ends the branch: what was found so far is returned and assigned (B.interrupted), then "interrupted" is raised. It goes on from its last point:
--- S:continue{ periodic = B.points[#B.points], along = "mu" }.
--- Raises an error where there is no solution near the guess, and where the value is the same for all solutions there.
--- Method: pseudo-arclength and Newton's method with exact derivatives. Sources: Keller 1977; Doedel, Keller and Kernevez 1991; of segments Ascher, Mattheij
--- and Russell 1995.
function System:continue(given) return core.host.hold(answer.dressing(continued), self, given) end

options.declare("continue", schema)

-- Options of B:switch: what the branch starts from, and along what, is known
local of_switch = object.copied(schema)
for _, kind in ipairs(kinds) do of_switch[kind] = nil end
for _, name in ipairs{ "along", "parameters", "form" } do of_switch[name] = nil end
for name, row in pairs(of_switch) do
  of_switch[name] = object.copied(row)
  of_switch[name].default = nil
end
of_switch.which = { type = "number", from = 1, whole = true, doc = "the number of the branch, where several start at one point" }
options.declare("switch", of_switch)

return arclength
