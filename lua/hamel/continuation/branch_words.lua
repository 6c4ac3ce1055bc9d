-- branch_words.lua: a branch as it prints: its special points, where it is stable, why it ended.
local answer = require "hamel.base.answer"
local doubts = require "hamel.continuation.doubts"
local known_digits = require "hamel.continuation.known_digits"
local moduli = require "hamel.analysis.moduli"
local object = require "hamel.base.object"

local branch_words = {}

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
  if special.apart then add(("passings nearer to each other than %.1g are not told apart here"):format(special.apart)) end
  if special.accuracy then add((beside and along .. " " or "") .. ("known to %.1g"):format(special.accuracy)) end
  if special.accuracy_beside then add(("%s known to %.1g"):format(beside, special.accuracy_beside)) end
  if special.doubtful then add("doubtful: " .. (doubts[special.reason] or "Newton's method fails beside it")) end
  return table.concat(words, "   ")
end

--- The branch; its special points print as in the lines of the branch.
function branch_words.added(branch)
  local function text(special) return (worded(special, branch.along, branch.beside):gsub("^ +", "")) end
  for _, special in ipairs(branch.special) do answer.described(special, text) end
  return branch
end

--- "stable", "unstable", "not decided" or "not admissible", of a point.
function branch_words.of_point(point)
  if point.admissible == false then return "not admissible" end
  return point.stable == true and "stable" or point.stable == false and "unstable" or "not decided"
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

local SAME = 1e-9                      -- of the range of a branch: nearer places are one

-- Spans of the value over which the points have the same word, up to the special points between them
local function spans(self)
  local list, key = {}, axis(self)
  local low, high, least = range_of(self, key)
  -- a special point that is a point of the branch is no span, and differs from it by as much as places are located to
  local function is_single(span)
    if span.word ~= "not decided" then return false end
    return span.from == span.to or span.first == span.last and math.abs(span.to - span.from) <= SAME*(high - low)
  end
  for i, point in ipairs(self.points) do
    local word, last = branch_words.of_point(point), list[#list]
    if last and last.word == word then
      last.to, last.last = point[key], i
    else
      local joint = last and self:special_after(i - 1)
      -- without a special point between them a point that is decided stands for what leads to one that is not
      if joint then last.to = joint[key] elseif last and word == "not decided" then last.to = point[key] end
      if last and (joint or last.joint) and #list > 1 and is_single(last) then table.remove(list) end
      local from = joint and joint[key] or last and last.word == "not decided" and last.to or point[key]
      list[#list + 1] = { word = word, from = from, to = point[key], first = i, last = i, joint = joint ~= nil }
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
  return ("  multipliers that are not determined at %d of %d points, first at %s = %.9g: they are zero, or no larger than %.1g, the error "
    .. "of the run"):format(count, #self.points, self.along, first.value, most)
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
    .. "it; a smaller tolerance = ... decides more of them"):format(count, #self.points, self.along, first.value, most)
end

local hidden = {
  pairs = "pairs may meet and part again",
  real = "real eigenvalues may pass zero and come back",
}

-- Steps within which a search gave up: the first, and how many more
local function of_unsearched(self)
  local list, lines = rawget(self, "unsearched") or {}, {}
  for _, what in ipairs{ "pairs", "real" } do
    local first, count = nil, 0
    for _, step in ipairs(list) do
      if step.what == what then first, count = first or step, count + 1 end
    end
    if first then
      local more = count > 1 and (", and in %d more step%s,"):format(count - 1, count == 2 and "" or "s") or ""
      lines[#lines + 1] = ("  between %s = %.6g and %.6g%s %s unseen: the number of points that are added to a step is used up there; a smaller `largest` "
        .. "shows more"):format(self.along, first.from, first.to, more, hidden[what])
    end
  end
  return lines
end

--- The branch as a table of its special points and of the spans over which it is stable.
function branch_words.of(self)
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
    lines[#lines + 1] = ("  from %s = %.10g to %.10g the branch is missing: in double precision such small motions cannot be distinguished "
      .. "from those at other values"):format(self.along, missing.from, missing.to)
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
  for _, line in ipairs(of_unsearched(self)) do lines[#lines + 1] = line end
  if self.partners then lines[#lines + 1] = "  both halves are alike: symmetric partners" end
  local one, other = table.unpack(self.ended)
  lines[#lines + 1] = "  ended: " .. (one == other and one .. " on both sides" or table.concat(self.ended, "; "))
  return table.concat(lines, "\n")
end

return branch_words
