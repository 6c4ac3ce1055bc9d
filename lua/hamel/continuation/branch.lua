-- branch.lua: a branch of motions: followed from one or two starts, printed, switched.
local arclength = require "hamel.continuation.arclength"
local object = require "hamel.base.object"
local switching = require "hamel.continuation.switching"

local fail = object.fail
local Branch = object.class "Branch"

-- Values given as ends, below and above the start
local function bounds(o, value)
  local from, to
  for _, edge in ipairs{ o.from or false, o.to or false } do
    if edge and edge < value and not (from and from > edge) then from = edge end
    if edge and edge > value and not (to and to < edge) then to = edge end
  end
  -- a start at an end: that way there is nothing to follow, and no way back beyond it
  if o.from == value or o.to == value then
    if to then from = value elseif from then to = value end
  end
  return from, to
end

local function settings(problem, o, value)
  local from, to
  if not problem.bounds then from, to = bounds(o, value) end
  problem.edges = problem.bounds or { { name = problem.name, at = function(y) return problem:value(y) end, from = from, to = to } }
  local range = o.range or math.abs((o.to or value) - (o.from or value))
  if range == 0 then range = 2 end
  local largest = o.largest or range/20
  return { step = math.min(o.step or range/100, largest), largest = largest, least = o.least, points = o.points, locate = o.locate,
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

-- The starts in the directions asked for: first upwards
local function directions(start, o)
  local from, to = bounds(o, start.value)
  local up, down = turned(turned(start)), turned(start)
  local upwards = not (to and to <= start.value) and (to or not from)
  local downwards = from and from < start.value or not to and not upwards
  if o.both == false and upwards and downwards then downwards = false end
  if not upwards and not downwards then fail("continue: the branch starts at %s = %.9g, the end that is given", start.name or "the value", start.value) end
  return upwards and up or down, upwards and downwards and down or nil
end

--- The start with its tangent turned back.
Branch.turned = turned

local function recorded(problem, special)
  local list = {}
  for i, item in ipairs(special) do
    list[i] = { kind = item.kind, value = item.value, frequency = item.frequency, doubtful = item.doubtful, point = problem:record(item.point),
      _at = item.point }
  end
  return list
end

--- The branch through `start`, or, where two are given, from one and from the other away. o: the options of S:continue.
function Branch.follow(system, problem, o, start, other)
  local control = settings(problem, o, start.value)
  local ahead, special, ended = arclength.follow(problem, start, control)
  local behind, special_behind, ended_behind = {}, {}, nil
  if other and ended ~= "the curve is closed" then behind, special_behind, ended_behind = arclength.follow(problem, other, control) end
  local points, marks = {}, {}
  for i = #behind, 1, -1 do points[#points + 1] = problem:record(behind[i]) end
  if other and other.y ~= start.y then points[#points + 1] = problem:record(other) end
  points[#points + 1] = problem:record(start)
  for _, point in ipairs(ahead) do points[#points + 1] = problem:record(point) end
  for _, item in ipairs(recorded(problem, special_behind)) do table.insert(marks, 1, item) end
  table.move(recorded(problem, special), 1, #special, #marks + 1, marks)
  return setmetatable({ points = points, special = marks, ended = { ended_behind or ended, ended_behind and ended or nil }, along = problem.name,
    kind = problem.kind, _system = system, _problem = problem, _options = o, _title = system.name }, Branch.meta)
end

--- The branch of a problem through the solution near y at the value that y has.
function Branch.through(system, problem, o, y)
  local start, why = arclength.at_value(problem, y, function(at) return problem:value(at) end, (problem:value(y)))
  if not start then fail("continue: there is no solution near the start: %s; take a better guess", why) end
  local _, values = arclength.null_directions(start, 1)
  local n = #start.directions
  if n > 2 and values[n - 1] <= 1e-9*values[1] then
    fail("continue: solutions come in families here (%s directions too many): name the integrals, or what is fixed", "one or more")
  end
  return Branch.follow(system, problem, o, directions(start, o))
end

--- Follows the branch that starts at a special point: B:switch(B.special[1], { largest = 0.01, ... }); options as of S:continue in place of those of
--- B. At a branch point the other branch, at a flip the motions of twice the period, at a Hopf point of equilibria the periodic motions.
function Branch:switch(special, given)
  if type(special) ~= "table" or not special._at then fail("switch: which point? B:switch(B.special[1]); %d are known", #self.special) end
  local o = object.copied(self._options)
  for name, value in pairs(given or {}) do
    if not self._system then break end
    o[name] = value
  end
  local problem, start, other = switching.start(self, special, o)
  return Branch.follow(self._system, problem, o, start, other)
end

-- ---- printing

local function worded(special, along)
  local words = { ("  %-8s %s = %.10g"):format(special.kind, along, special.value) }
  if special.frequency then words[#words + 1] = ("frequency %.9g"):format(special.frequency) end
  if special.doubtful then words[#words + 1] = "doubtful: Newton's method fails beside it" end
  return table.concat(words, "   ")
end

-- Spans of the value over which motions are stable, unstable, or not decided
local function spans(self)
  local list = {}
  for _, point in ipairs(self.points) do
    local word = point.stable == true and "stable" or point.stable == false and "unstable" or "not decided"
    local last = list[#list]
    if last and last.word == word then last.to = point.value else list[#list + 1] = { word = word, from = point.value, to = point.value } end
  end
  return list
end

function Branch.meta.__tostring(self)
  local first, last = self.points[1].value, self.points[#self.points].value
  local lines = { ("%s: %s along %s, %d points, %s = %.6g ... %.6g"):format(self._title, self.kind, self.along, #self.points, self.along, first, last) }
  for _, special in ipairs(self.special) do lines[#lines + 1] = worded(special, self.along) end
  for _, span in ipairs(spans(self)) do lines[#lines + 1] = ("  %s for %s in (%.6g, %.6g)"):format(span.word, self.along, span.from, span.to) end
  lines[#lines + 1] = "  ended: " .. table.concat(self.ended, "; ")
  return table.concat(lines, "\n")
end

function Branch.meta.__len(self) return #self.points end

return Branch
