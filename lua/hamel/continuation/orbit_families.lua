-- orbit_families.lua: families of periodic motions of which integrals are not known, as of rolling discs: values at the start that are kept choose one motion.
--
-- Along a gradient w of an integral a motion closes by itself, whether a formula of the integral is known or not: w (M - 1) = 0 for the derivatives M of the
-- end by the start. So combinations of the equations that close it depend on the others, as many as there are such integrals: those whose derivatives vanish
-- (dependent_rows.lua). They are left out, and values that are kept take their places; that the motion closes in these combinations, too, and that their
-- derivatives vanish, is checked at every point. How many vanish is decided at the start by the errors of runs: those of two tolerances are compared.
--
-- Multipliers that are 1 by that do not appear: those of the gradients w, and those of directions of the family in which these integrals do not change.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local dependent_rows = require "hamel.continuation.dependent_rows"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local orbit_families = {}

local SMALL, TOLD = 1e-7, 1e-6          -- of the largest singular value: may be zero; of a direction: a part that is rounding
local LEFT = 10                         -- tolerances: how far a motion may be from closing in the combinations that are left out
local COARSER = 100                     -- times the tolerances: those of runs to compare with
local NOISE, CLEAR = 10, 1e3            -- times the change of the equations between the two: zero; certainly not zero
local INSIDE = 1e-6                     -- of a unit direction: its part along the gradients that is none

local function text_of(what) return type(what) == "string" and what or core.text(what) end

--- The place of a name among values that are kept; nil: it is none.
function orbit_families.place(keep, name)
  for i, what in ipairs(keep or {}) do if text_of(what) == name then return i end end
  return nil
end

--- Notes what the motions of a problem keep at the start y, but for the value that is followed, if it is one of them.
function orbit_families.observe(self, keep, y)
  if not keep or #keep == 0 then return end
  self.keep, self.kept = keep, {}
  for _, what in ipairs(keep) do
    local at = states.observed(self.space, what)
    if text_of(what) == self.name then self.along = at else self.kept[#self.kept + 1] = { at = at, wanted = (at(y)) } end
  end
end

--- The equations that close a motion without those that depend on the others. directions: these note what the next point needs.
function orbit_families.independent(self, directions, F, rows)
  directions.closing_rows, directions.left = rows, F
  directions.counted = dependent_rows.counted(rows, #directions, #self.keep, directions.closed_before)
  return dependent_rows.applied(directions.counted, F, rows, #directions)
end

--- What the directions of a point hand on to those of the next one.
function orbit_families.handed_on(before) return before and { rows = before.closing_rows, counted = before.counted } end

--- Adds the conditions that values are kept. add: a function of a value and its gradient. rows: the equations without them
function orbit_families.add(self, y, directions, rows, add)
  directions.family_rows = table.move(rows, 1, #rows, 1, {})
  for _, kept in ipairs(self.kept) do
    local value, gradient = kept.at(y)
    add(value - kept.wanted, gradient)
  end
end

local function singular_values(directions) return (select(2, dependent_rows.vanishing(directions.closing_rows, #directions, 0))) end

--- Why a solution is no motion that closes, or none of such a family; nil: it is one.
function orbit_families.refused(self, point)
  local most = corrector.largest(point.directions.left)
  if most > LEFT*self.tolerance then return ("the motion misses its start by %.2g: the family of periodic motions has fewer members here"):format(most) end
  local values = singular_values(point.directions)
  if values[#values - #self.keep + 1] > TOLD*values[1] then return "the family of periodic motions has fewer members here" end
  return nil
end

-- ---- at the start

-- By how much the equations that close a motion change with the tolerances of runs
local function noise_at(self, y, directions)
  local run, before, most = self.flow.options, directions.closing_rows, 0
  local rtol, atol = run.rtol, run.atol
  run.rtol, run.atol = rtol and COARSER*rtol, atol and COARSER*atol
  local fine = attempt(self.equations, self, y, directions)
  run.rtol, run.atol = rtol, atol
  if not fine then return math.huge end
  for a, row in ipairs(directions.closing_rows) do
    for k, value in ipairs(row) do most = math.max(most, math.abs(value - before[a][k])) end
  end
  return most
end

-- How many equations that close the motion at y depend on the others; nil: errors of runs hide it
local function dependent_at(self, y)
  local directions = self:directions(y)
  self:equations(y, directions)
  local values = singular_values(directions)
  local noise, zero, small = noise_at(self, y, directions), 0, 0
  for _, value in ipairs(values) do
    if value <= NOISE*noise then zero = zero + 1 end
    if value <= math.max(CLEAR*noise, SMALL*values[1]) then small = small + 1 end
  end
  return zero == small and zero or nil
end

-- Raises where the number of kept values is not that of the equations that depend on the others at y
local function demand(self, y)
  if y.cuts then
    fail("continue: keep goes with motions of one segment, and this one is so unstable that it is cut into %d; name integrals instead", #y.cuts)
  end
  local count = dependent_at(self, y)
  if not count then
    fail("continue: the errors of the runs are too large to decide how many values choose a periodic motion here: give a smaller rtol = ..., or name the "
      .. "integrals")
  end
  if count == #self.keep then return end
  if count == 0 then fail("continue: periodic motions are not in families here beside the integrals that are known: leave keep out") end
  fail("continue: keep names %d value%s, and %d choose%s a periodic motion beside the integrals that are known: %s", #self.keep,
    #self.keep == 1 and "" or "s", count, count == 1 and "s" or "",
    count < #self.keep and "keep fewer" or "keep more, as a velocity or a coordinate at the start")
end

local function at_value(self, y, value)
  return corrector.at_value(self, y, function(at) return self:value(at) end, value)
end

-- Does the value that is followed belong to those that are kept?
local function follows_kept(self) return #self.kept < #self.keep end

--- The start of a branch near the periodic motion y, of which as many values are kept as there are to choose. guess: the point that the user gave, whose
--- values are kept; nil: y has them.
function orbit_families.start(self, y, guess)
  local point = at_value(self, y, (self:value(y)))
  y = point and point.y or y
  demand(self, y)
  -- where the values do not choose, the families are refused with others
  if not guess or not point or (corrector.excess(self, y) or 0) > 0 then return y end
  local found = {}
  for i, kept in ipairs(self.kept) do found[i], kept.wanted = kept.wanted, (kept.at(guess)) end
  point = at_value(self, y, (self:value(follows_kept(self) and guess or y)))
  if point then return point.y end
  local values, i = {}, 0
  for _, what in ipairs(self.keep) do
    if text_of(what) ~= self.name then
      i = i + 1
      values[i] = ("%s = %.9g"):format(text_of(what), found[i])
    end
  end
  if follows_kept(self) then values[#values + 1] = ("%s = %.9g"):format(self.name, (self:value(y))) end
  fail("continue: no periodic motion with these values of keep is near the guess; one was found with %s at its start: take a guess beside these",
    table.concat(values, ", "))
end

-- ---- multipliers

-- Gradients of the integrals at the start of a point, as unit directions: w R for combinations w of the equations, where the motion closes up to R
local function gradients(self, point)
  local closing, list = point.directions.closing, {}
  local combinations = dependent_rows.vanishing(point.directions.closing_rows, #point.directions, #self.keep)
  local _, turned = self.turns:applied(point.y, closing)
  for a, factors in ipairs(combinations) do
    local w, out = corrector.combined(closing, factors), {}
    for i in ipairs(w) do out[i] = 0.0 end
    for k, u in ipairs(closing) do
      local part = tangent.dot(w, turned[k] or u)
      for i, value in ipairs(u) do out[i] = out[i] + part*value end
    end
    list[a] = states.unit(out)
  end
  return list
end

-- Changes of the start along the family where the parameter and the values of the known integrals stay
local function along_family(self, point)
  local directions, rows = point.directions, table.move(point.directions.family_rows, 1, #point.directions.family_rows, 1, {})
  local function add(gradient)
    local row = {}
    for k, d in ipairs(directions) do row[k] = tangent.dot(gradient, d) end
    rows[#rows + 1] = row
  end
  for _, place in ipairs(self.places) do add(states.axis(place, self.space.n)) end
  if self.free then add((select(2, self.free.at(point.y)))) end
  local list = corrector.null_directions({ directions = directions, rows = rows }, #self.keep)
  for a, d in ipairs(list) do
    for i = #self.space.kept + 1, #d do d[i] = 0.0 end
    list[a] = states.unit(d)
  end
  return list
end

--- Directions that give multipliers 1 at a point: gradients of the integrals whose values choose a motion of the family, and changes along the family that
--- keep these integrals. The second result: how many of the latter there are.
function orbit_families.of_ones(self, point)
  local list = gradients(self, point)
  local family, flat, n = along_family(self, point), {}, #list
  for _, w in ipairs(list) do
    for _, v in ipairs(family) do flat[#flat + 1] = tangent.dot(w, v) end
  end
  local values, vectors = core.singular(n, n, flat)
  local count = 0
  for c = 1, n do
    if values[c] <= INSIDE then
      local d = {}
      for i = 1, self.space.n do
        d[i] = 0.0
        for k, v in ipairs(family) do d[i] = d[i] + vectors[(k - 1)*n + c]*v[i] end
      end
      list[#list + 1], count = d, count + 1
    end
  end
  return list, count
end

--- The product of m - 1 over the multipliers, which passes zero where one is 1; nil where errors hide its sign.
function orbit_families.product(list)
  if #list == 0 then return nil end
  for _, m in ipairs(list) do
    local distance = math.sqrt((m.re - 1)^2 + m.im^2)
    if not (distance > NOISE*math.max(m.uncertainty or 0, SMALL)) then return nil end
  end
  return states.product(list, function(m) return { re = m.re - 1, im = m.im } end)
end

local SINGULAR = 1e-5

--- Is the point a fold or a branch point of its family?
function orbit_families.is_fold_or_branch(self, point)
  local rows = corrector.rows_with_value(self, point.y, point.directions, point.rows)
  for i, row in ipairs(rows) do
    local length = math.sqrt(tangent.dot(row, row))
    rows[i] = length > 0 and tangent.scaled(row, 1/length) or row
  end
  local _, values = dependent_rows.vanishing(rows, #point.directions, 0)
  return not (values[#rows] > SINGULAR*values[1])
end

-- ---- advice

-- Directions along which solutions go on where the value that is followed stays, whatever else is kept
local function along(self, y)
  local directions = self:directions(y)
  local fine, _, rows = attempt(self.equations, self, y, directions)
  if not fine then return {} end
  local all = corrector.rows_with_value(self, y, directions, directions.family_rows or rows)
  local _, values = corrector.null_directions({ directions = directions, rows = all }, 0)
  local count = 0
  for _, value in ipairs(values) do if not (value > SMALL*values[1]) then count = count + 1 end end
  return (corrector.null_directions({ directions = directions, rows = all }, count))
end

-- What a user may keep, by name, with its gradient at y: the free states and, where velocities of a form have no names of the user, those of the coordinates
local function candidates(self, y)
  local list, unnamed = {}, false
  local function add(name)
    local fine, at = attempt(states.observed, self.space, name)
    if fine then list[#list + 1] = { name = name, gradient = select(2, at(y)) } end
    return fine
  end
  for i in ipairs(self.space.kept) do
    if not object.contains(self.places, i) then unnamed = not add(self.flow.names[i]) or unnamed end
  end
  for _, name in ipairs(unnamed and self.flow.system.coordinate_names or {}) do add(name .. "'") end
  return list
end

--- Names of values at the start that tell motions of the family of y apart, for a list in keep; nil: there are none, or not enough.
function orbit_families.names(self, y)
  local list, changes, places, names = candidates(self, y), {}, {}, {}
  for k in ipairs(list) do places[k] = k end
  for a, d in ipairs(y.cuts and {} or along(self, y)) do
    changes[a] = {}
    for k, one in ipairs(list) do changes[a][k] = tangent.dot(one.gradient, d) end
  end
  for k, at in ipairs(tangent.pivots(changes, places, TOLD) or {}) do names[k] = list[at].name end
  return #names > 0 and table.concat(names, "\", \"") or nil
end

return orbit_families
