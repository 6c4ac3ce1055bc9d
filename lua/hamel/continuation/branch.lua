-- branch.lua: a branch of motions: followed from one or two starts, switched at special points.
local arclength = require "hamel.continuation.arclength"
local answer = require "hamel.base.answer"
local attempt = require "hamel.base.attempt"
local branch_settings = require "hamel.continuation.branch_settings"
local branch_starts = require "hamel.continuation.branch_starts"
local branch_words = require "hamel.continuation.branch_words"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local crossings = require "hamel.continuation.crossings"
local end_points = require "hamel.continuation.end_points"
local ends = require "hamel.continuation.ends"
local keeping = require "hamel.continuation.keeping"
local launched = require "hamel.base.launched"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local restored = require "hamel.continuation.restored"
local special_points = require "hamel.continuation.special_points"
local switching = require "hamel.continuation.switching"

local fail = object.fail
local Branch = object.class "Branch"

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
      _options = o, _at = item.point, _place = item.place, _test = item.watched or item.test, _problem = problem }
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
  local fine, forth, back = attempt(special_points.pairs_at_start, problem, start, ahead, behind, control, special, special_behind)
  for k, list in ipairs(fine and { forth, back } or {}) do
    for i = #list, 1, -1 do table.insert(k == 1 and special or special_behind, 1, list[i]) end
  end
end

-- How far the ends of both parameters of a curve are from each other; false: of no curve, or where they are not given
local function spans_of(problem)
  local spans = problem.bounds and problem.spans
  return spans and spans[1] < math.huge and spans[2] < math.huge and spans or false
end

-- The points beside a start, ahead and behind it. Where the branch goes to one side alone, the other one is off the branch, and there only where a special
-- point may be at the start; those found beside it that are at the start are added to the list. nil: there is none
local function beside_start(problem, one, other, control, special)
  local ahead, behind = one.points[1], other.points[1]
  if other.start and not other.through then return nil end
  if ahead and behind or not other.is_open or not (ahead or behind) then return ahead, behind end
  local start, first = one.start, ahead or behind
  local fine, off, list = attempt(end_points.behind_start, problem, start, first, ahead and branch_settings.turned(start) or object.copied(start), control)
  if not fine or not off then return nil end
  for _, item in ipairs(list) do item.behind = 0 table.insert(special, 1, item) end
  return ahead or off, behind or off
end

-- Steps within which a search for special points gave up: { from, to = values at their ends, what = of which kind }; false: there are none. lists: points of
-- both sides of the start
local function unsearched(lists)
  local steps = {}
  for _, points in ipairs(lists) do
    for _, point in ipairs(points) do
      local before = point.unsearched and point.before
      if before then
        steps[#steps + 1] = { from = math.min(before.value, point.value), to = math.max(before.value, point.value), what = point.unsearched }
      end
    end
  end
  return #steps > 0 and steps
end

-- The branch from the points of both sides. one, other: { start =, points =, special =, ended = }, the start of the other side may be nil; other.through: is
-- it the same point? other.is_open: may a special point be at a start from which the branch goes to one side alone?
local function assembled(system, problem, o, control, one, other)
  local start, through = one.start, other.through
  -- an interrupt may have come while special points were added: each call has lists of its own
  local special, special_behind = copies(one.special), copies(other.special)
  if through then add_at_start(problem, start, one.points[1], other.points[1], control, special, special_behind) end
  local next_one, next_other = beside_start(problem, one, other, control, special)
  if next_one and next_other then
    special, special_behind = special_points.without_doubtful_at_start(problem, start, special),
      special_points.without_doubtful_at_start(problem, start, special_behind)
  end
  local ahead = arclength.with_points_between(problem, start, one.points, special)
  local behind = arclength.with_points_between(problem, other.start, other.points, special_behind)
  local function record(point) return keeping.record(system, o, problem, point) end
  local points, marks = {}, {}
  for i = #behind, 1, -1 do points[#points + 1] = record(behind[i]) end
  if other.start and not through then points[#points + 1] = record(other.start) end
  points[#points + 1] = record(start)
  local first = #points
  if next_one and next_other then
    local known = table.move(special_behind, 1, #special_behind, #special + 1, object.copied(special))
    for _, item in ipairs(special_points.at_start(problem, start, next_one, next_other, control, known)) do table.insert(special, 1, item) end
  end
  for _, point in ipairs(ahead) do points[#points + 1] = record(point) end
  for _, item in ipairs(recorded(problem, special_behind, record, function(k) return #behind - k end, o)) do table.insert(marks, 1, item) end
  table.move(recorded(problem, special, record, function(k) return first + k end, o), 1, #special, #marks + 1, marks)
  return setmetatable({ points = points, special = marks, unsearched = unsearched{ other.points, one.points },
    ended = { other.ended or one.ended, other.ended and one.ended or nil }, along = problem.name,
    beside = problem.bounds and problem.names[2] or false, spans = spans_of(problem), born = false, missing = false, partners = false,
    family = problem.family or false, kind = problem.kind, interrupted = false, _system = system, _problem = problem, _options = o, _title = system.name,
    _coordinates = system.coordinate_names }, Branch.meta)
end

--- The branch through `start`, or, where two are given, from one and from the other away. o: the options of S:continue. An interrupt ends it, and what was
--- found before is kept: B.interrupted is true then.
function Branch.follow(system, problem, o, start, other, is_open)
  corrector.note_rows(problem, start)
  local control = branch_settings.control(problem, o, start.value, start.moved_from)
  -- each side may choose its unknowns anew on the way
  local one, behind = { start = start }, { start = other, points = {}, special = {}, through = other and other.y == start.y, is_open = is_open }
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
  return branch_words.added(branch)
end

--- What an interrupt is answered with, of a branch.
function Branch.interrupted_words(branch)
  return ("interrupted: the branch holds %d points, %s = %.9g ... %.9g"):format(#branch.points, branch.along, branch.points[1].value,
    branch.points[#branch.points].value)
end

--- The branch of a problem through the solution near y at the value that y has.
function Branch.through(system, problem, o, y)
  local start = branch_starts.of(system, problem, o, y)
  local one, other = branch_settings.directions(problem, start, o)
  local branch = Branch.follow(system, problem, o, one, other, true)
  rawset(branch, "_moved", start.moved_from and { from = start.moved_from, to = start.value })
  return branch
end

-- Is the branch at a special point born where the motions that it leaves are stable, or where they are unstable? { kind, value, side }; nil: neither
local function born(from, special, branch)
  if special.kind == "grazing" or special.kind == "touch" or branch.along ~= from.along then return nil end
  local side, first = {}, branch.points[1]
  for i = special.after, special.after + 1 do
    local point = from.points[i]
    if point and point.value ~= special.value then side[point.value > special.value] = branch_words.of_point(point) end
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

--- The first special point between the points number i and i + 1, or nil.
function Branch:special_after(i)
  for _, special in ipairs(self.special) do if special.after == i then return special end end
  return nil
end

Branch.meta.__tostring = branch_words.of

function Branch.meta.__len(self) return #self.points end

return Branch
