-- steady_family.lua: which family the steady motions near a start belong to: how many values choose one of them, and whether they turn along symmetries.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local equilibria = require "hamel.continuation.equilibria"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local steady_turns = require "hamel.continuation.steady_turns"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local steady_family = {}

local SMALL, ROUNDING = 1e-8, 1e-13     -- of the largest singular value: those of what the motions do not determine, which rounding may leave as large

-- The rates at y: how many of them depend on the others, how many of these surely, and the least and the largest singular value of those that do not; the
-- directions along which motions go on as steady ones at the same parameters
local function counted(self, y)
  local Problem = self.turns and steady_turns or equilibria.Rest
  local directions = equilibria.Rest.directions(self, y)
  local _, rows = Problem.equations(self, y, directions)
  local n, flat, whole = #rows, {}, equilibria.Rest.full_matrix(self, directions, rows)
  for i = 1, math.max(n, #directions) do for k = 1, n do flat[#flat + 1] = i <= #directions and rows[k][i] or 0.0 end end
  local values = core.singular(math.max(n, #directions), n, flat)
  local count = { free = 0, surely = 0, least = values[1], most = values[1], along = {} }
  for _, value in ipairs(values) do
    if not (value > SMALL*values[1]) then count.free = count.free + 1 end
    if not (value > ROUNDING*values[1]) then count.surely = count.surely + 1 else count.least = value end
  end
  flat = {}
  for _, row in ipairs(whole) do table.move(row, 1, n, #flat + 1, flat) end
  local by_states, vectors = core.singular(n, n, flat)
  for c = 1, n do
    if not (by_states[c] > SMALL*by_states[1]) then
      local s = {}
      for i = 1, n do s[i] = vectors[(i - 1)*n + c] end
      count.along[#count.along + 1] = corrector.combined(directions.fixed, s)
    end
  end
  return count
end

-- ---- values that tell the motions of a family apart

local TOLD = 1e-6                       -- of a gradient along the family: less is rounding

-- The derivatives of a value along the directions of a family, in units of its gradient
local function along(value, y, directions)
  local _, gradient = value(y)
  local size, list = corrector.norm(gradient), {}
  for k, d in ipairs(directions) do list[k] = size > 0 and tangent.dot(gradient, d)/size or 0.0 end
  return list
end

-- Adds a value to those that tell motions apart, unless it follows from them
local function added(basis, list)
  local rest = table.move(list, 1, #list, 1, {})
  local length = #rest > 0 and tangent.orthogonal(rest, basis) or 0
  if not (length > TOLD) then return false end
  for i = 1, #rest do rest[i] = rest[i]/length end
  basis[#basis + 1] = rest
  return true
end

local function quoted(what) return ("\"%s\""):format(type(what) == "string" and what or core.text(what)) end

-- The names of velocities, then of coordinates, that may be kept
local function candidates(self)
  local list, system = {}, self.flow.system
  for _, R in ipairs(system._rotations) do table.move(R.rate_names, 1, #R.rate_names, #list + 1, list) end
  for _, name in ipairs(system.coordinate_names) do list[#list + 1] = name .. "'" end
  return table.move(system.coordinate_names, 1, #system.coordinate_names, #list + 1, list)
end

-- A list of values that decide which motion of a family it is, the ones kept first, as far as these do not follow from each other; those that do; nil where
-- none is found
local function deciding(self, y, directions)
  local basis, list, idle = {}, {}, {}
  for i, what in ipairs(self.keep) do
    local tells = added(basis, along(self.kept[i], y, directions))
    local to = tells and list or idle
    to[#to + 1] = quoted(what)
  end
  for _, phase in ipairs(self.turns and steady_turns.phases(self, y, self.kept) or {}) do added(basis, along(phase, y, directions)) end
  for _, name in ipairs(candidates(self)) do
    if #basis == #directions then break end
    local fine, value = attempt(states.observed, self.space, name)
    if fine and added(basis, along(value, y, directions)) then list[#list + 1] = quoted(name) end
  end
  return #basis == #directions and list or nil, idle
end

-- What to keep in place of what is kept
local function advice(self, y, count)
  local list, idle = deciding(self, y, count.along)
  if not list then return nil end
  local why = #idle > 0 and ("%s %s from the other values and symmetries there; "):format(table.concat(idle, ", "), #idle == 1 and "follows" or "follow") or ""
  return why .. (#list > 0 and ("keep = { %s } would decide"):format(table.concat(list, ", ")) or "leave keep out")
end

-- ---- the family at a start

-- Raises where the number of values kept is not the one that the motions depend on. what: to keep instead
local function demand_count(self, count, is_point, what)
  local given = self.dependent
  if given < count.free and given >= count.surely then
    fail("continue: the derivatives at this steady motion span %.1f orders of magnitude, too many for its equations in doubles: neither its neighbours "
      .. "nor which family it belongs to are decided; start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints",
      math.log(count.most/count.least, 10))
  end
  local off = math.abs(given - count.free)
  if given > count.free then
    fail("continue: keep has %d value%s too many: the steady motions near the start depend on fewer%s", off, off == 1 and "" or "s",
      what and "; " .. what or "")
  elseif given < count.free and not is_point then
    fail("continue: %d more value%s decide%s which steady motion it is: %s", off, off == 1 and "" or "s", off == 1 and "s" or "",
      what or "add them to keep, as in keep = { \"phi'\" }")
  end
end

-- Prepares the problem for motions along symmetries, or for others
local function set(self, y, turns)
  self.turns = turns
  for i = #self.fixed, 1, -1 do if self.fixed[i].is_phase then table.remove(self.fixed, i) end end
  local phases = turns and steady_turns.phases(self, y, self.kept) or {}
  for _, at in ipairs(phases) do self.fixed[#self.fixed + 1] = { at = at, wanted = 0.0, is_phase = true } end
  self.dependent = #self.keep + #phases
  return counted(self, y)
end

-- Does the value stay along the solutions through y?
local function stays(self, y)
  local directions = self:directions(y)
  local _, rows = self:equations(y, directions)
  local list = corrector.null_directions({ directions = directions, rows = rows }, 1)
  local _, gradient = self:value(y)
  return not (math.abs(tangent.dot(gradient, list[1])) > TOLD*corrector.norm(gradient))
end

-- By how many directions too many the solutions near y go on, a value that does not tell them apart counted as one; 0 where y is no solution
local function excess(self, y, changing)
  local count = (corrector.excess(self, y) or changing - 1) - (changing - 1)
  return count == 0 and changing == 1 and stays(self, y) and 1 or count
end

--- Decides whether the motions near y turn along symmetries, and how many rates depend on the others; raises where the values kept do not choose one motion.
--- start: { turning = names of states that turn at the start, along_symmetries = does its branch }; changing: how many values change; is_point: the
--- start is a point of a branch, and may be one where branches cross.
function steady_family.choose(self, y, start, changing, is_point)
  local is_turning = #start.turning > 0
  local count = set(self, y, nil)
  local fits = not is_turning and not rawget(start, "along_symmetries") and self.dependent == count.free
  local many = fits and not is_point and excess(self, y, changing) or 0
  if fits and many <= 0 then return end
  local turns = steady_turns.of(self, y)
  if is_turning and not turns then
    fail("continue: %s turn along with the motion, and no turn or shift of the coordinates goes along with it: take coordinates, or quasi-velocities by "
      .. "S:quasi_velocities and form = \"kane\", that do not turn", table.concat(start.turning, ", "))
  end
  local others, best = turns and set(self, y, turns), nil
  if turns then
    best = advice(self, y, others)
    local fewer = self.dependent == others.free and excess(self, y, changing) <= math.max(0, many - 1)
    if is_turning or rawget(start, "along_symmetries") or fewer or not fits then count = others else count = set(self, y, nil) end
  end
  best = best or advice(self, y, count)
  demand_count(self, count, is_point, best)
  self.in_families = ("the values kept do not decide which steady motion it is%s"):format(best and "; " .. best or ": give others in keep")
end

return steady_family
