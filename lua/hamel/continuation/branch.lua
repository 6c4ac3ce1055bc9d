-- branch.lua: a branch of motions: followed from one or two starts, printed, switched.
local arclength = require "hamel.continuation.arclength"
local answer = require "hamel.base.answer"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local crossings = require "hamel.continuation.crossings"
local doubts = require "hamel.continuation.doubts"
local ends = require "hamel.continuation.ends"
local keeping = require "hamel.continuation.keeping"
local launched = require "hamel.base.launched"
local moduli = require "hamel.analysis.moduli"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local restored = require "hamel.continuation.restored"
local special_points = require "hamel.continuation.special_points"
local switching = require "hamel.continuation.switching"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local Branch = object.class "Branch"

local START = 0.1                       -- the longest first step, of 1 + the value at the start, however far the ends are

local LEAST = 1e-16                     -- the shortest step, in units of what is followed
local SHORTEST = 1e-9                   -- the same where none is given

local AT_END = 1e-9                     -- of the span, or of the value

--- Is a value that of an end? An integral at a start, as the energy of the last point of another branch, is known to the tolerance of Newton's method.
function Branch.is_at_end(o, edge, value)
  return edge ~= nil and math.abs(value - edge) <= AT_END*(o.from and o.to and o.from ~= o.to and math.abs(o.to - o.from) or math.abs(value))
end

-- Values given as ends, below and above the start
local function bounds(o, value)
  local from, to
  for _, edge in ipairs{ o.from or false, o.to or false } do
    local away = edge and not Branch.is_at_end(o, edge, value)
    if away and edge < value and not (from and from > edge) then from = edge end
    if away and edge > value and not (to and to < edge) then to = edge end
  end
  -- a start at an end: that way there is nothing to follow, and no way back beyond it
  if Branch.is_at_end(o, o.from, value) or Branch.is_at_end(o, o.to, value) then
    if to or not from and Branch.is_at_end(o, o.from, value) then from = value else to = value end
  end
  return from, to
end

local function settings(problem, o, value)
  local from, to
  if not problem.bounds then from, to = bounds(o, value) end
  problem.edges = problem.bounds or { { name = problem.name, at = function(y) return problem:value(y) end, from = from, to = to } }
  problem.edges = table.move(problem.limits or {}, 1, #(problem.limits or {}), #problem.edges + 1, object.copied(problem.edges))
  -- along a curve all of these are lengths already
  local unit = o.range and 1 or corrector.per_length(problem)
  local range = o.range or math.abs((o.to or value) - (o.from or value))/unit
  if range == 0 then range = 2 end
  local largest = o.largest and o.largest/unit or range/20
  local step = math.min(o.step and o.step/unit or math.min(range/100, START*(1 + math.abs(value))/unit), largest)
  local least = SHORTEST
  if o.least then least = unit > 1 and math.max(o.least/unit, LEAST) or o.least end
  if not o.least then
    least = math.min(least, step)
  elseif least > step then
    fail("continue: least = %g is the shortest step, and the first one is shorter: %g; give a smaller least, or step and largest", o.least, unit*step)
  end
  return { step = step, largest = largest, least = least, points = o.points, locate = o.locate, unit = corrector.unit(problem), grows = not o.largest,
           visit = o.stop and function(_, special)
             local count = 0
             for _, item in ipairs(special) do if item.kind == o.stop[1] then count = count + 1 end end
             return count >= (o.stop[2] or 1)
           end }
end

-- The point with its tangent turned back
local function turned(point)
  local back = {}
  for key, value in pairs(point) do back[key] = value end
  back.tangent, back.slope, back.sign, back.tests = {}, -point.slope, -point.sign, nil
  for i, value in ipairs(point.tangent) do back.tangent[i] = -value end
  return back
end

-- The starts in the directions asked for, first upwards: towards the ends that are given, to both sides where none is, or where both = true
local function directions(start, o)
  local value = start.value
  local from, to = bounds(o, value)
  local up, down = turned(turned(start)), turned(start)
  local free = o.both or not (from or to)
  local upwards, downwards = free or from == value, free or to == value
  if to then upwards = to > value end
  if from then downwards = from < value end
  if o.both == false and upwards and downwards then downwards = false end
  if not upwards and not downwards then fail("continue: the branch starts at %s = %.9g, the end that is given", start.name or "the value", value) end
  return upwards and up or down, upwards and downwards and down or nil
end

--- The start with its tangent turned back.
Branch.turned = turned

-- A special point as a point of the branch; the side of eigenvalues that are on the border there says nothing
local function record_of(problem, item, record)
  local point = record(item.point)
  point.stable = problem:stable_at(item.kind, point, item.point)
  return point
end

-- Special points as users see them; position(k): the place among all points of the one after which k others have been passed; o: options of the branch
local function recorded(problem, special, record, position, o)
  local list = {}
  for i, item in ipairs(special) do
    local point = record_of(problem, item, record)
    list[i] = { kind = item.kind, several = item.several, value = item.value, beside = item.beside or point.beside,
      frequency = item.frequency, doubtful = item.doubtful, reason = item.reason, accuracy = item.accuracy, accuracy_beside = item.accuracy_beside,
      apart = item.apart, criticality = problem.criticality and not problem.bounds and problem:criticality(item) or nil,
      name = item.name, of = item.of, impact = item.impact, after = position(item.behind), point = point,
      _options = o, _at = item.point, _place = item.place, _test = item.test, _problem = problem }
  end
  return list
end

local function copies(list)
  local all = {}
  for i, item in ipairs(list) do all[i] = object.copied(item) end
  return all
end

-- Adds the special points at the start of a branch that goes to both sides, and those that come in pairs beside it
local function add_at_start(problem, start, ahead, behind, control, special, special_behind)
  if not ahead or not behind or not ahead.tests or not behind.tests then return end
  local _, settled = attempt(special_points.settled_at_start, problem, start, ahead, behind, control)
  for _, item in ipairs(type(settled) == "table" and settled or {}) do table.insert(special, 1, item) end
  local fine, forth, back = attempt(special_points.pairs_at_start, problem, start, ahead, behind, control)
  for k, list in ipairs(fine and { forth, back } or {}) do
    for i = #list, 1, -1 do table.insert(k == 1 and special or special_behind, 1, list[i]) end
  end
end

-- How far the ends of both parameters of a curve are from each other; false: of no curve, or where they are not given
local function spans_of(problem)
  local spans = problem.bounds and problem.spans
  return spans and spans[1] < math.huge and spans[2] < math.huge and spans or false
end

-- The branch from the points of both sides. one, other: { start =, points =, special =, ended = }, the start of the other side may be nil; other.through: is
-- it the same point?
local function assembled(system, problem, o, control, one, other)
  local start, through = one.start, other.through
  -- an interrupt may have come while special points were added: each call has lists of its own
  local special, special_behind = copies(one.special), copies(other.special)
  if through then add_at_start(problem, start, one.points[1], other.points[1], control, special, special_behind) end
  local ahead = arclength.with_points_between(problem, start, one.points, special)
  local behind = arclength.with_points_between(problem, other.start, other.points, special_behind)
  local function record(point) return keeping.add(system, o, problem:record(point)) end
  local points, marks = {}, {}
  for i = #behind, 1, -1 do points[#points + 1] = record(behind[i]) end
  if other.start and not through then points[#points + 1] = record(other.start) end
  points[#points + 1] = record(start)
  local first = #points
  if through and ahead[1] and behind[1] then
    local known = table.move(special_behind, 1, #special_behind, #special + 1, object.copied(special))
    for _, item in ipairs(special_points.at_start(problem, start, ahead[1], behind[1], known)) do table.insert(special, 1, item) end
  end
  for _, point in ipairs(ahead) do points[#points + 1] = record(point) end
  for _, item in ipairs(recorded(problem, special_behind, record, function(k) return #behind - k end, o)) do table.insert(marks, 1, item) end
  table.move(recorded(problem, special, record, function(k) return first + k end, o), 1, #special, #marks + 1, marks)
  return setmetatable({ points = points, special = marks, ended = { other.ended or one.ended, other.ended and one.ended or nil }, along = problem.name,
    beside = problem.bounds and problem.names[2] or false, spans = spans_of(problem), born = false, missing = false, partners = false,
    family = problem.family or false, kind = problem.kind, interrupted = false, _system = system, _problem = problem, _options = o, _title = system.name,
    _coordinates = system.coordinate_names }, Branch.meta)
end

--- The branch through `start`, or, where two are given, from one and from the other away. o: the options of S:continue. An interrupt ends it, and what was
--- found before is kept: B.interrupted is true then.
function Branch.follow(system, problem, o, start, other)
  corrector.note_rows(problem, start)
  local control = settings(problem, o, start.value)
  -- each side may choose its unknowns anew on the way
  local one, behind = { start = start }, { start = other, points = {}, special = {}, through = other and other.y == start.y }
  one.points, one.special, one.ended = arclength.follow(problem, start, control)
  if other and one.ended ~= "the curve is closed" and not core.host.interrupted() then
    behind.points, behind.special, behind.ended = arclength.follow(problem, other, control)
  end
  local fine, branch = protected(assembled, system, problem, o, control, one, behind)
  if core.host.interrupted() then
    branch = core.host.finish(assembled, system, problem, o, control, one, behind)
    branch.interrupted = true
  elseif not fine then
    error(branch, 0)
  end
  return Branch.with_words(branch)
end

--- What an interrupt is answered with, of a branch.
function Branch.interrupted_words(branch)
  return ("interrupted: the branch holds %d points, %s = %.9g ... %.9g"):format(#branch.points, branch.along, branch.points[1].value,
    branch.points[#branch.points].value)
end

local FREE = 1e-7                      -- singular values below, relative to the largest, count as zero
local BESIDE, SAME = { 1e-3, 1e-2, 1e-1, 1e-4 }, 1e-6  -- how far from a branch point the branch is started, relative to its range; what counts as one value

-- The start at a fold, where the value says nothing: the solution beside y across the tangent of the curve; nil: y is at none
local function at_fold(problem, y)
  local fine, point = attempt(function()
    local list = problem:directions(y)
    local F, rows = problem:equations(y, list)
    return { directions = list, rows = rows, F = F }
  end)
  local list, values = table.unpack(fine and { corrector.null_directions(point, 1, problem.at_rest) } or {})
  local n = fine and #point.directions or 0
  if not list or n > 1 and not (values[n - 1] > FREE*values[1]) then return nil end
  local start = corrector.beside(problem, y, list[1], 0.0)
  local value = problem:value(y)
  return start and math.abs(start.value - value) <= SAME*(corrector.unit(problem) + math.abs(value)) and start or nil
end

-- The direction along a gradient in which the value grows by `change`, to first order
local function towards(gradient, change)
  local square, list = tangent.dot(gradient, gradient), {}
  for i, slope in ipairs(gradient) do list[i] = change*slope/square end
  return list
end

-- The start beside a branch point, where the solution for each value is one; nil: there is none, as where solutions come in families. A branch that goes to
-- one side starts on the other one, so that the branch point is on it
local function beside_branch_point(problem, o, y)
  local value, gradient = problem:value(y)
  local control, side = settings(problem, o, value), o.to and not o.from and -1 or 1
  for _, part in ipairs(BESIDE) do
    for way = side, -side, -2*side do
      local wanted = value + way*part*(control.largest*20*corrector.per_length(problem))
      if not (o.from and o.to) or wanted >= o.from and wanted <= o.to then
        -- at the branch point itself the equations are singular
        local fine, moved = attempt(problem.moved, problem, y, towards(gradient, wanted - value))
        local start = fine and corrector.at_value(problem, moved, function(at) return problem:value(at) end, wanted)
        if start and corrector.excess(problem, start.y) == 0 then
          start.moved_from = value
          return start
        end
      end
    end
  end
  return nil
end

local OUTSIDE = 1e-9                    -- by how much a duration may fall below zero by rounding

-- Newton's method may come to a solution in which an event follows before the one that it has to follow
local function demand_order(problem, start)
  for _, limit in ipairs(problem.limits or {}) do
    local value = limit.name == "duration" and limit.at(start.y)
    if value and value < -OUTSIDE then
      fail("continue: the solution near the guess is no motion: a duration is %.6g, beyond the place where %s; the sequence of events comes from a run from "
        .. "the guess: if the motion is stable, start from the state of a run after many periods, otherwise give a better guess", value, limit.ends)
    end
  end
end

local ROUNDING = 1e-13                  -- of the largest singular value of the equations

-- Raises where no start was found since doubles do not hold what differs by many orders of magnitude
local function demand_orders(problem, y)
  local fine, orders, open = attempt(function()
    if problem.orders_lost then return problem:orders_lost(y) end
    return nil
  end)
  if fine and open and corrector.excess(problem, y, ROUNDING) == 0 then
    fail("continue: the eigenvalues of this state of rest span so many orders of magnitude that doubles do not decide whether it is alone; a build with ball "
      .. "arithmetic (FLINT) may: start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints")
  end
  if not fine or not orders then return end
  fail("continue: the eigenvalues of this state of rest span %.1f orders of magnitude, too many for its equations in doubles: neither its neighbours "
    .. "nor whether it is alone are decided; start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints; "
    .. "S:linearize tells the stability of single states", orders)
end

local LEVEL, STAYS = 1e-6, 1e-12         -- slope of the value that may be zero; relative change of the value over a step that counts as none

-- The name of what differs most between two records, beside the parameters
local function most_different(one, other)
  local name, most = "t", math.abs((one.t or 0) - (other.t or 0))
  for _, kind in ipairs{ "q", "v" } do
    for key, value in pairs(one[kind] or {}) do
      local off = math.abs(value - (other[kind] or {})[key])
      if off > most then name, most = kind == "v" and key .. "'" or key, off end
    end
  end
  return name
end

-- What to do where solutions come in families, by the problem; nil: it does not know
local function in_families(problem, y)
  if type(problem.in_families) ~= "function" then return problem.in_families end
  return problem:in_families(y)
end

-- Raises where the value is the same for all solutions through the start: a family at this value alone. At a fold it changes with the square of a step
local function demand_change(problem, o, start)
  if math.abs(corrector.slope(problem, start)) > LEVEL then return end
  local h, size, moved = settings(problem, o, start.value).step, o.from and o.to and math.abs(o.to - o.from) or 1 + math.abs(start.value), nil
  for _, way in ipairs{ 1, -1 } do
    local point = corrector.stepped(problem, start, way*h)
    if not point or math.abs(point.value - start.value) > STAYS*size then return end
    local slides = problem.slides and problem:slides(start.y, problem:difference(point.y, start.y))
    moved = moved or slides and "t" or most_different(problem:record(point), problem:record(start))
  end
  local advice
  if moved == "t" then
    advice = "the instant of the start is free, since nothing depends on time there, as with a drive of amplitude 0; leave the drive out of the system, "
      .. "and the period is free instead, or start where it acts"
  else
    local keep = problem.kind == "steady motions" and ("keep = { \"%s\" } at the start, and another quantity along"):format(moved)
    advice = ("%s does not tell them apart, %s does: %s"):format(problem.name, moved, keep or in_families(problem, start.y)
      or "hold it by a constraint or among what is fixed")
  end
  fail("continue: %s is %.9g for all solutions near the start, which differ in %s: %s", problem.name, start.value, moved, advice)
end

-- Raises where solutions come in families. No family has more directions than there are positions and velocities: more singular values that are small beside
-- the largest one, as of an unstable motion in many segments, tell nothing. open: small ones are not zero to rounding, as beside very strong damping
local function refuse_families(system, excess, advice, open)
  if excess > 2*#system.coordinate_names then
    fail("continue: the motion at the start is so unstable that doubles do not tell whether it is alone or one of a family; start where it is less "
      .. "unstable, or, if it is one of a family, %s", advice)
  end
  if open then
    fail("continue: the derivatives of the equations at the start span so many orders of magnitude, as with very strong damping or stiffnesses of very "
      .. "different size, that it is not decided whether the solution is alone: take a start or parameters where they span fewer, or leave the fast motions "
      .. "out; if it is one of a family, %s", advice)
  end
  fail("continue: solutions come in families here (%d direction%s too many): %s", excess, excess == 1 and "" or "s", advice)
end

--- The branch of a problem through the solution near y at the value that y has.
function Branch.through(system, problem, o, y)
  local start, why = corrector.at_value(problem, y, function(at) return problem:value(at) end, (problem:value(y)))
  local _, values = table.unpack(start and { corrector.null_directions(start, 1, problem.at_rest) } or {})
  local n = start and #start.directions or 0
  if not start or n > 2 and values[n - 1] <= 1e-9*values[1] or start.sign == 0 then
    local excess = corrector.excess(problem, start and start.y or y) or 0
    if excess > 0 then
      start = excess == 1 and beside_branch_point(problem, o, y)
      if not start then
        demand_orders(problem, y)
        refuse_families(system, excess,
          in_families(problem, start and start.y or y)
            or "name the integrals, what is fixed, or the symmetry along which they move: symmetry = { { x = -y, y = x } }; integrals without a formula, "
              .. "as those of a rolling disc, cannot be named: there S:periodic finds single motions",
          problem.orders_lost and (corrector.excess(problem, start and start.y or y, ROUNDING) == 0 or problem:is_alone(y)))
      end
    elseif not start or start.sign == 0 then
      start = at_fold(problem, start and start.y or y)
      -- beside a fold the equations are regular
      if start and start.sign == 0 and problem.at_rest then refuse_families(system, 1, in_families(problem, start.y), true) end
    end
  end
  if not start and problem.unfound then
    fail("continue: no periodic motion was found from this guess, in one segment or in several (%s); take a better guess; where the motion is very "
      .. "unstable, follow it from a parameter at which it is less unstable, or give states along it: segments = { { t =, q =, v = }, ... }", why)
  end
  if not start then
    demand_orders(problem, y)
    if corrector.holds(problem, y) then
      fail("continue: the state of rest at the start holds but for rounding, and its forces span so many orders of magnitude that Newton's method finds none "
        .. "near it: start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints; S:linearize tells the stability of "
        .. "single states")
    end
  end
  if not start and why and why:find(corrector.AT_BEST, 1, true) then fail("continue: %s", why) end
  if not start then fail("continue: there is no solution near the start: %s; take a better guess", why or "Newton's method finds none") end
  demand_order(problem, start)
  demand_change(problem, o, start)
  local branch = Branch.follow(system, problem, o, directions(start, o))
  rawset(branch, "_moved", start.moved_from and { from = start.moved_from, to = start.value })
  return branch
end

-- Is the branch at a special point born where the motions that it leaves are stable, or where they are unstable? { kind, value, side }; nil: neither
local function born(from, special, branch)
  if special.kind == "grazing" or special.kind == "touch" or branch.along ~= from.along then return nil end
  local side, first = {}, branch.points[1]
  for i = special.after, special.after + 1 do
    local point = from.points[i]
    if point and point.value ~= special.value then side[point.value > special.value] = Branch.word(point) end
  end
  for _, point in ipairs(branch.points) do
    if math.abs(point.value - special.value) < math.abs(first.value - special.value) then first = point end
  end
  local here, there = side[first.value > special.value], side[first.value < special.value]
  local decided = (here == "stable" or here == "unstable") and (there == "stable" or there == "unstable") and here ~= there
  return decided and first.value ~= special.value and { kind = special.kind, value = special.value, side = here } or nil
end

local ALIKE = 1e-6

local function alike(a, b) return type(a) == type(b) and (type(a) ~= "number" or math.abs(a - b) <= ALIKE*(1 + math.abs(a))) end

-- Are both halves of a branch images of each other? Then all is equal that does not depend on the side: measures, spectrum, period, energy
local function are_partners(branch, start, other)
  local one, two
  for _, point in ipairs(branch.points) do
    if point.value == start.value then one = one or point end
    if point.value == other.value and point ~= one then two = point end
  end
  if not (one and two and alike(one.value, two.value) and alike(one.period, two.period) and alike(one.energy, two.energy)) then return false end
  for name, value in pairs(one.kept or {}) do if not alike(value, two.kept[name]) then return false end end
  local list, others = one.multipliers or one.eigenvalues, two.multipliers or two.eigenvalues
  for k, m in ipairs(list) do if not (alike(m.re, others[k].re) and alike(math.abs(m.im), math.abs(others[k].im))) then return false end end
  return true
end

--- The option of S:continue that starts from points of a branch, and how a guess for it is written. point: one of the branch.
function Branch.start_of(kind, point)
  if point.period then return "periodic", "{ q =, v =, period = }" end
  if kind:find "steady" then return "steady", "{ q =, v =, keep = }" end
  return "equilibrium", "{ q = }"
end

-- Numbers as ends, the lower one first
local function demand_ends(o)
  if type(o.from) == "number" and type(o.to) == "number" and not (o.from < o.to) then
    fail("switch: from = %.9g is not below to = %.9g; from is the least value, to the largest, those of the branch where they are not given", o.from, o.to)
  end
end

local OF_SYMMETRY = "lagrange"          -- the form of motions that close up to symmetries

-- What an interrupt is answered with, and the branch
local function switched(self, special, given)
  launched.demand_alone "switch"
  if self.beside then
    fail("switch: branches start from the special points of a branch along one parameter; continue one from a point of this curve, "
      .. "S:continue{ %s = C.points[1], along = \"%s\" }", (Branch.start_of(self.kind, self.points[1])), self.along)
  end
  if type(special) ~= "table" or not (self._problem and special._at or special._branch == self) then
    fail("switch: which point? B:switch(B.special[1]); %d are known", #self.special)
  end
  options.check("switch", options.of "switch", given)
  -- of a file, and where motions close up to symmetries, which are formulas of velocities: the branch itself and its point are found again
  local origin, place, form = self, special, nil
  if special.kind == "hopf" and (given or {}).symmetry and special.point.form ~= OF_SYMMETRY then form = OF_SYMMETRY end
  if form or not self._problem then origin, place = restored.special("switch", self, special, Branch.start_of, form) end
  local o = object.copied(self._options)
  o.form = form or o.form
  for name, value in pairs(given or {}) do o[name] = value end
  o.atol_given = o.atol_given or (given or {}).atol ~= nil
  demand_ends(o)
  for _, name in ipairs(self.beside and {} or { self.along }) do ends.demand_positive(self._system, name, o.from, o.to, "switch") end
  o.one_end = given and (given.from == nil) ~= (given.to == nil)
  if o.which and special.kind ~= "branch" then fail("switch: one branch starts at a %s: 'which' has no effect", special.kind) end
  local problem, start, other = switching.start(origin, place, o, given or {})
  if not switching.is_within(o, start) then switching.refuse_outside(problem, o, start) end
  local branch = Branch.follow(self._system, problem, o, start, other)
  branch._options = object.copied(o)
  branch._options.which, branch._options.one_end = nil, nil
  branch.born = born(self, special, branch) or false
  -- the directions of one family are no further branches
  local several = special.kind == "branch" and special.several and #crossings.directions(origin._problem, place._at) > 1 and place.several or 0
  branch._beside = several > (problem.family or 0) + 1 and several or false
  branch.missing = start.missing and { from = start.missing, to = start.value } or false
  branch.partners = special.kind == "branch" and other and are_partners(branch, start, other) or false
  return Branch.interrupted_words(branch), branch
end

--- Follows the branch that starts at a special point: B:switch(B.special[1], { largest = 0.01, ... }); options as of S:continue in place of those of
--- B. At a branch point the other branch, at a flip the motions of twice the period, at a Hopf point of equilibria the periodic motions; of steady motions,
--- too, with the values that their integrals have at this point, or along the kept value where this is an integral, else along the energy, with from, to
--- and steps of this call; where a kept value only tells motions apart that a symmetry leads into each other, as the direction in which a bicycle rides,
--- symmetry = { { x = -y, y = x, yaw = 1 } } stands for it. At a grazing the
--- motions without this impact, at a touch of a wall those with an impact more; at a touch of another limit, as of friction, none: a run beyond it tells.
--- Its start lies between from and to, else it is refused; where one of them is given the branch may come from beyond it. Where several eigenvalues pass at
--- once, several branches may start: which = 2 follows another.
--- On a branch that hm.load read with its system the special point is found again first; measures are then those of keep in this call.
--- Ctrl-C keeps the points that were found, as of S:continue.
function Branch:switch(special, given) return core.host.hold(answer.dressing(switched), self, special, given) end

-- ---- printing

local MOST = 4

-- "multipliers 1, 0.3 +- 0.2 i", with the digits that are known
local function of_multipliers(list)
  if not list or #list == 0 or #list > MOST then return nil end
  local words = {}
  for _, m in ipairs(list) do
    local number = "%." .. (moduli.digits(moduli.of(m), m.uncertainty or 0, 6) or 1) .. "g"
    if moduli.is_undetermined(m) then words[#words + 1] = ("0 within %.1g"):format(m.uncertainty)
    elseif m.im == 0 then words[#words + 1] = number:format(m.re)
    elseif m.im > 0 then words[#words + 1] = (number .. " +- " .. number .. " i"):format(m.re, m.im) end
  end
  return "multipliers " .. table.concat(words, ", ")
end

local function largest_velocity(point)
  local most
  for _, impact in ipairs(point.impacts or {}) do most = math.max(most or impact.velocity, impact.velocity) end
  return most
end

local MOST_DIGITS = 10                 -- of a printed value

-- The decimal place of the first digit of a number as it is printed
local function place_of(format, number) return tonumber(format:format(number):match "e([+-]%d+)$") end

-- A value without digits beyond what it is known to
local function known_digits(value, accuracy)
  local last = accuracy and place_of("%.0e", accuracy)
  if not last then return ("%.10g"):format(value) end
  local unit = 10.0^last
  if math.abs(value) < unit then value = math.abs(value) < unit/2 and 0 or value < 0 and -unit or unit end
  local digits = value == 0 and 1 or place_of("%.9e", value) - last + 1
  return ("%%.%dg"):format(math.max(1, math.min(MOST_DIGITS, digits))):format(value)
end

local function worded(special, along, beside)
  local words = { ("  %-8s %s = %s"):format(special.kind, along, known_digits(special.value, special.accuracy)) }
  if beside then words[1] = ("%s, %s = %s"):format(words[1], beside, known_digits(special.beside, special.accuracy_beside)) end
  local function add(word) words[#words + 1] = word or nil end
  if special.frequency then add(("frequency %.9g"):format(special.frequency)) end
  add(special.criticality)
  if special.kind == "grazing" then add(("'%s' is met with velocity 0"):format(special.name))
  elseif special.kind == "touch" then add(("'%s' is touched on the way"):format(special.name))
  elseif special.kind == "corner" then add(("the equations have a corner where %s = 0, which the motion only touches"):format(special.name))
  elseif special.kind == "end" then add(special.name)
  elseif special.name then add(("by '%s'"):format(special.name)) end
  if special.kind ~= "grazing" and special.kind ~= "end" then
    local speed = largest_velocity(special.point)
    if speed then add(("largest velocity %.10g"):format(speed)) end
    add(of_multipliers(special.point.multipliers))
  end
  if special.several then add(("%d %s at once"):format(special.several, special.point.multipliers and "multipliers" or "eigenvalues")) end
  if special.apart then add(("passings nearer than %.1g are not told apart here"):format(special.apart)) end
  if special.accuracy then add((beside and along .. " " or "") .. ("known to %.1g"):format(special.accuracy)) end
  if special.accuracy_beside then add(("%s known to %.1g"):format(beside, special.accuracy_beside)) end
  if special.doubtful then add("doubtful: " .. (doubts[special.reason] or "Newton's method fails beside it")) end
  return table.concat(words, "   ")
end

--- The branch; its special points print as in the lines of the branch.
function Branch.with_words(branch)
  local function text(special) return (worded(special, branch.along, branch.beside):gsub("^ +", "")) end
  for _, special in ipairs(branch.special) do answer.described(special, text) end
  return branch
end

--- "stable", "unstable", "not decided" or "not admissible", of a point.
function Branch.word(point)
  if point.admissible == false then return "not admissible" end
  return point.stable == true and "stable" or point.stable == false and "unstable" or "not decided"
end

--- The first special point between the points number i and i + 1, or nil.
function Branch:special_after(i)
  for _, special in ipairs(self.special) do if special.after == i then return special end end
  return nil
end

local NOTHING = 1e-16                  -- of the largest value of a branch: less is rounding
local KNOWN = 1e-12                    -- of the span between the ends of a parameter of a curve: less is the rounding of one that stays zero

-- The least and the largest value of the points, under a key, and what is rounding beside them
local function range_of(self, key)
  local low, high = math.huge, -math.huge
  for _, point in ipairs(self.points) do low, high = math.min(low, point[key]), math.max(high, point[key]) end
  local spans = rawget(self, "spans")
  local span = spans and spans[key == "beside" and 2 or 1] or 0
  return low, high, math.max(NOTHING*math.max(math.abs(low), math.abs(high)), KNOWN*span)
end

-- Over which of its parameters a curve is told, a key of its points and the name: the second one, where the first keeps its value
local function axis(self)
  local low, high, least = range_of(self, "value")
  if self.beside and high - low <= math.max(least, NOTHING*math.max(math.abs(low), math.abs(high))) then return "beside", self.beside end
  return "value", self.along
end

-- Spans of the value over which the points have the same word, up to the special points between them
local function spans(self)
  local list, key, least = {}, axis(self), select(3, range_of(self, (axis(self))))
  local function is_single(span) return span and span.word == "not decided" and span.from == span.to end
  for i, point in ipairs(self.points) do
    local word, last = Branch.word(point), list[#list]
    if last and last.word == word then
      last.to, last.last = point[key], i
    else
      local joint = last and self:special_after(i - 1)
      -- without a special point between them a point that is decided stands for what leads to one that is not
      if joint then last.to = joint[key] elseif last and word == "not decided" then last.to = point[key] end
      -- a special point that is a point of the branch is no span
      if joint and #list > 1 and is_single(last) then table.remove(list) end
      local from = joint and joint[key] or last and last.word == "not decided" and last.to or point[key]
      list[#list + 1] = { word = word, from = from, to = point[key], first = i, last = i }
    end
  end
  for _, special in ipairs(self.special) do
    if special.kind == "end" and special.after == 0 then list[1].from = special[key]
    elseif special.kind == "end" and special.after == #self.points then list[#list].to = special[key] end
  end
  -- a special point at an end of the branch leaves no span beyond it
  for _, i in ipairs{ #list, 1 } do
    local span = list[i]
    if #list > 1 and span.first == span.last and math.abs(span.to - span.from) <= least then table.remove(list, i) end
  end
  return list
end

local TURN, KEPT = 1e-6, 1e-9          -- of the range of the values of the branch, and of their size: smaller ways back are rounding
local MOST_TURNS = 4                   -- that are listed

-- Where the value turns back between the points number i and k, in turn: at the special point there, else at the point itself
local function turns(self, i, k)
  local points, list, key = self.points, {}, axis(self)
  local low, high = range_of(self, key)
  local least, extreme, direction = math.max(TURN*(high - low), KEPT*math.max(math.abs(low), math.abs(high))), i, 0
  for j = i + 1, k do
    local way = points[j][key] - points[extreme][key]
    if direction == 0 and math.abs(way) > least then direction = way > 0 and 1 or -1 end
    if way*direction >= 0 then
      extreme = j
    elseif math.abs(way) > least then
      local special = self:special_after(extreme) or self:special_after(extreme - 1)
      list[#list + 1] = special and special.kind ~= "end" and special[key] or points[extreme][key]
      extreme, direction = j, -direction
    end
  end
  return list
end

-- A function of values of the branch under a key: zero in place of what is rounding beside the largest one
local function without_rounding(self, key)
  local least = select(3, range_of(self, key))
  return function(value) return math.abs(value) > least and value or 0 end
end

-- "(3, 1) and (1, 3)"
local function of_span(self, span)
  local plain, back = without_rounding(self, (axis(self))), turns(self, span.first, span.last)
  local from, last = plain(span.from), plain(span.to)
  if #back > MOST_TURNS then return ("(%.6g, %.6g), turning back %d times"):format(from, last, #back) end
  local parts = {}
  for i = 1, #back + 1 do
    local to = plain(back[i] or last)
    if #back == 0 or from ~= to then parts[#parts + 1] = ("(%.6g, %.6g)"):format(from, to) end
    from = to
  end
  return table.concat(parts, " and ")
end

local decided = { stable = true, unstable = true }

-- Where along a curve the stability changes between two points and no special point tells where: eigenvalues besides those of its kind are not followed there
local function of_gaps(self, list)
  local lines, _, name = {}, axis(self)
  for i = 2, self.beside and #list or 1 do
    local one, other = list[i - 1], list[i]
    if decided[one.word] and decided[other.word] and one.to ~= other.from then
      lines[#lines + 1] = ("  from %s to %s between %s = %.6g and %.6g: the place is not located on a curve; a branch along %s or %s from a "
        .. "point beside it does"):format(one.word, other.word, name, one.to, other.from, self.along, self.beside)
    end
  end
  return lines
end

local numerals = { "one", "two", "three", "four", "five", "six" }

-- ", one impact at 'wall'", of the sequence at the start
local function of_sequence(point)
  local count, order, words = {}, {}, {}
  for _, event in ipairs(point.sequence or {}) do
    local key = event.kind == "impact" and "impact" or "switch"
    local at = ("%%s %s%%s at '%s'"):format(key, (event.name:gsub("%%", "%%%%")))
    if not count[at] then count[at], order[#order + 1] = 0, at end
    count[at] = count[at] + 1
  end
  for i, at in ipairs(order) do
    local n = count[at]
    words[i] = at:format(numerals[n] or tostring(n), n == 1 and "" or at:find("switch", 1, true) and "es" or "s")
  end
  return #words > 0 and ", " .. table.concat(words, ", ") or ""
end

-- Measures of keep that were refused, each once with the first reason
local function refusals(self)
  local counts, first, lines = {}, {}, {}
  for _, point in ipairs(self.points) do
    for name in pairs(rawget(point, "refused") or {}) do counts[name], first[name] = (counts[name] or 0) + 1, first[name] or point end
  end
  for _, name in ipairs(object.keys(counts)) do
    lines[#lines + 1] = ("  '%s' has no value at %d of %d points; %s = %.9g: %s"):format(name, counts[name], #self.points, self.along, first[name].value,
      first[name].refused[name])
  end
  return lines
end

-- Points with multipliers that are not determined: how many, the first, and how large these may be
local function of_undetermined(self)
  local count, first, most = 0, nil, 0
  for _, point in ipairs(self.points) do
    if rawget(point, "undetermined") then
      count, first = count + 1, first or point
      for _, m in ipairs(point.multipliers) do if moduli.is_undetermined(m) then most = math.max(most, m.uncertainty) end end
    end
  end
  if count == 0 then return nil end
  return ("  multipliers without digits at %d of %d points, first at %s = %.9g: zero, or no larger than %.1g, which the errors of the run hide beside the "
    .. "other ones"):format(count, #self.points, self.along, first.value, most)
end

-- Points with multipliers of which errors hide on which side of the unit circle they are: how many, the first, how large the errors are, and what to do. A
-- single one lies where they pass it, and those beside it tell
local function of_unsided(self)
  local count, first, most = 0, nil, 0
  local function has_any(i) return self.points[i] and rawget(self.points[i], "unsided") end
  for i, point in ipairs(self.points) do
    if has_any(i) and (has_any(i - 1) or has_any(i + 1)) then
      count, first = count + 1, first or point
      for _, m in ipairs(point.multipliers) do
        if moduli.off_circle(m) == 0 and not moduli.is_undetermined(m) then most = math.max(most, m.uncertainty or 0) end
      end
    end
  end
  if count == 0 then return nil end
  return ("  at %d of %d points, first at %s = %.9g, errors of up to %.1g hide on which side of the unit circle some multipliers are, and so where they pass "
    .. "it; a smaller tolerance = ... tells more"):format(count, #self.points, self.along, first.value, most)
end

function Branch.meta.__tostring(self)
  local plain = without_rounding(self, "value")
  local first, last = plain(self.points[1].value), plain(self.points[#self.points].value)
  local names = self.beside and self.along .. " and " .. self.beside or self.along
  local range = ("%s = %.6g ... %.6g"):format(self.along, first, last)
  if self.beside then
    local plain_beside = without_rounding(self, "beside")
    range = ("%s, %s = %.6g ... %.6g"):format(range, self.beside, plain_beside(self.points[1].beside), plain_beside(self.points[#self.points].beside))
  end
  local lines = { ("%s: %s along %s, %d point%s, %s%s"):format(self._title, self.kind, names, #self.points,
    #self.points == 1 and "" or "s", range, of_sequence(self.points[1])) }
  for _, special in ipairs(self.special) do lines[#lines + 1] = worded(special, self.along, self.beside) end
  local list = spans(self)
  for _, span in ipairs(list) do lines[#lines + 1] = ("  %s for %s in %s"):format(span.word, select(2, axis(self)), of_span(self, span)) end
  for _, line in ipairs(of_gaps(self, list)) do lines[#lines + 1] = line end
  if self.born then
    lines[#lines + 1] = ("  born at the %s %s = %.10g, on the side where the motions that it leaves are %s"):format(self.born.kind, self.along, self.born.value,
      self.born.side)
  end
  local missing = self.missing
  if missing then
    lines[#lines + 1] = ("  from %s = %.10g to %.10g the branch is missing: doubles do not tell such small motions from those of other values"):format(
      self.along, missing.from, missing.to)
  end
  if rawget(self, "family") then
    lines[#lines + 1] = ("  one of a continuous family at each value, as on a circle, with %d dimension%s"):format(self.family, self.family == 1 and "" or "s")
  end
  local moved = rawget(self, "_moved")
  if moved then
    local has_it = false
    for _, special in ipairs(self.special) do
      has_it = has_it or special.kind == "branch" and math.abs(special.value - moved.from) < math.abs(moved.to - moved.from)
    end
    lines[#lines + 1] = ("  started at %s = %.9g: at %.9g itself several branches cross, and %s"):format(self.along, moved.to, moved.from,
      has_it and "B:switch(special) follows the others" or ("with an end on each side of it, from < %.9g < to, this branch has the special point from which "
        .. "B:switch(special) follows the others"):format(moved.from))
  end
  if rawget(self, "_beside") then
    lines[#lines + 1] = ("  %d eigenvalues or multipliers pass at once where it starts: which = 2 follows another branch from there"):format(self._beside)
  end
  for _, line in ipairs(refusals(self)) do lines[#lines + 1] = line end
  lines[#lines + 1] = of_undetermined(self)
  lines[#lines + 1] = of_unsided(self)
  if self.partners then lines[#lines + 1] = "  both halves are alike: symmetric partners" end
  local one, other = table.unpack(self.ended)
  lines[#lines + 1] = "  ended: " .. (one == other and one .. " on both sides" or table.concat(self.ended, "; "))
  return table.concat(lines, "\n")
end

function Branch.meta.__len(self) return #self.points end

return Branch
