-- curves.lua: curves of special points over two parameters: the equations of a branch with both parameters free, and the condition of the special point.
--
-- The condition is a product over eigenvalues or pairs of them (of the determinant for folds, of its bialternate sum or product for Hopf points and tori),
-- which stays smooth where eigenvalues meet. Its derivatives are central differences; the points hold it as exactly as the eigenvalues are known.
-- A touch, a corner or a grazing is a condition at one instant of the motion, whose derivatives come from the variational equations.
-- Source: Kuznetsov, Elements of applied bifurcation theory (2004), 10.2.
local admissible = require "hamel.continuation.admissible"
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"
local curve_places = require "hamel.continuation.curve_places"
local curve_units = require "hamel.continuation.curve_units"
local object = require "hamel.base.object"
local rest_units = require "hamel.continuation.rest_units"
local tangent = require "hamel.analysis.tangent"
local zeros = require "hamel.continuation.zeros"

local fail = object.fail
local curves = {}

local Curve = {}

local DIFFERENCE = 1e-5

function Curve:__index(key) return Curve[key] or self.base[key] end

function Curve:moved(y, d) return self.base:moved(y, d) end

function Curve:difference(to, from) return self.base:difference(to, from) end

function Curve:directions(y, before) return self.base:directions(y, before) end

-- Conditions at one instant of the motion, which come with the equations
local at_instant = { touch = true, corner = true, grazing = true }

-- The condition at a point near the curve
local function condition_at(self, y, before)
  local directions, rows, extra = self.base:directions(y, before), nil, nil
  if not self.base.spectrum_alone then rows, extra = select(2, self.base:equations(y, directions)) end
  return self.base:condition(self.special, { y = y, directions = directions, rows = rows, extra = extra, bare = true })
end

-- The derivatives of the condition by the directions, by central differences
local function differences(self, y, directions)
  local row = {}
  for k, u in ipairs(directions) do
    local ahead, back = {}, {}
    for i, value in ipairs(u) do ahead[i], back[i] = DIFFERENCE*value, -DIFFERENCE*value end
    row[k] = (condition_at(self, self.base:moved(y, ahead), directions) - condition_at(self, self.base:moved(y, back), directions))/(2*DIFFERENCE)
  end
  return row
end

function Curve:equations(y, directions)
  local F, rows, extra, off, row = self.base:equations(y, directions, at_instant[self.special] and self.special or nil)
  if not row then
    off = self.base:condition(self.special, { y = y, directions = directions, rows = rows, extra = extra })
    row = differences(self, y, directions)
  end
  -- where the condition is steeper than at the start, so is its rounding: there it is counted as a distance
  local unit = math.max(self.unit, corrector.norm(row))
  for k, slope in ipairs(row) do row[k] = slope/unit end
  F[#F + 1], rows[#rows + 1] = off/unit, row
  return F, rows, extra
end

--- The condition is a product, which may be small where no factor vanishes: a point has to have the multipliers of its kind.
function Curve:refused(point) return self.base.missed and not at_instant[self.special] and self.base:missed(self.special, point) or nil end

function Curve:value(y) return self.base.observed[1](y) end

--- The value of the second parameter.
function Curve:beside(y) return (self.base.observed[2](y)) end

-- By how much a parameter changes with the length along the tangent at a point
local function slope_of(self, k, point) return tangent.dot(select(2, self.base.observed[k](point.y)), point.tangent) end

--- Does a step lead so far that it may come to another piece of the curve?
function Curve:leaps(from, point) return self.base.leaps ~= nil and self.base:leaps(self.special, from, point) end

local STILL, STILL_OF_RUNS = 1e-9, 1e-7         -- a parameter that keeps its value along the curve changes by the error of the differences
local ROUNDED_OF_RUNS = 1e-8           -- the error of a difference of runs, in units of the equations

-- The error of the tangent at a point: where another curve is near, or the motions are small, it is larger by the least singular value of the equations
local function error_of_tangent(self, point)
  if self.base.at_rest then return STILL end
  local _, values = corrector.null_directions(point, 1)
  local least = values[#point.rows]
  return least > 0 and math.max(STILL_OF_RUNS, ROUNDED_OF_RUNS/least) or math.huge
end

-- Points where a parameter turns back, and where a second condition holds
function Curve:tests(point)
  local list, still = {}, error_of_tangent(self, point)
  for k, observed in ipairs(self.base.observed) do
    local slope = slope_of(self, k, point)/corrector.norm(select(2, observed(point.y)))
    list["turn" .. k] = math.abs(slope) > still and slope or 0.0
  end
  for _, more in ipairs{ "second", "limits_met" } do
    for name, value in pairs(self.base[more] and self.base[more](self.base, self.special, point) or {}) do list[name] = value end
  end
  for name, value in pairs(self.base.images and self.base:images(point) or {}) do list[name] = value end
  return list
end

--- All points have eigenvalues on the border, whose side is rounding: those that pass it are not counted, nor followed.
function Curve.growth() return nil end

function Curve.count_beyond() return nil end

function Curve.followed() return nil end

Curve.unbranched = true

-- Which parameter turns back where a test vanishes; nil: it is that of a second condition
local function turning(name) return tonumber(name:match "^turn(%d)$") end

--- What a special point is called whose test vanishes, before it is located.
function Curve:called(name)
  local k = turning(name)
  if k then return { kind = "turn", of = self.names[k] } end
  local touched = admissible.touched(name)
  return touched and { kind = "touch", name = touched } or { kind = name }
end

--- Does a test change its sign where the curve is followed the other way?
function Curve.is_odd(_, name) return turning(name) ~= nil end

local SAME = 10                        -- times the tolerance of the equations: a parameter that changes by less keeps its value
local CUSP = 1e-4                      -- of its mean slope beside a turn of the other parameter: the slope of a parameter that stands still there, too

local function value_of(self, k) return function(p) return (self.base.observed[k](p.y)) end end

-- Does the parameter number k keep its value beside a place?
local function keeps(self, k, place)
  local value = value_of(self, k)
  local size = self.units and self.units[k] or self.base.at_rest and rest_units.of(self.base, k) or 1 + math.abs(value(place.samples[1].point))
  return curve_places.range(place, value) <= SAME*self.tolerance*size
end

local EVEN = 1e-4                       -- of the change of a parameter beside a place: the difference of both ways that is the error of a polynomial
local LEAST_OF_SIDE, NODES_OF_SIDE = 3, 6              -- samples on a side; the farthest of them, of a polynomial: near ones are rounding

-- The samples beside a place on the side of a sign: u = the root of the change of one parameter, and the value of the other one
local function of_side(place, sign, one, other, base)
  local list = {}
  for _, sample in ipairs(place.samples) do
    if (sample.at - place.at)*sign > 0 then
      local change = one(sample.point) - base
      list[#list + 1] = { u = math.sqrt(math.abs(change)), grows = change > 0, value = other(sample.point) }
    end
  end
  table.sort(list, function(a, b) return a.u < b.u end)
  return list
end

-- Does the curve come back over the same values of both parameters at a place where one stands still? At a cusp the way back is another one. There are the
-- images of the same motions by a symmetry
local function comes_back(self, place)
  local values, ranges = { value_of(self, 1), value_of(self, 2) }, {}
  for k = 1, 2 do ranges[k] = curve_places.range(place, values[k]) end
  local k = ranges[1]/(1 + math.abs(values[1](place.samples[1].point))) >= ranges[2]/(1 + math.abs(values[2](place.samples[1].point))) and 1 or 2
  local one, other = values[k], values[3 - k]
  local base = curve_places.along(place, one)(place.at)
  local ahead, back = of_side(place, 1, one, other, base), of_side(place, -1, one, other, base)
  if #ahead < LEAST_OF_SIDE or #back < LEAST_OF_SIDE then return false end
  if ahead[#ahead].grows ~= back[#back].grows then return false end
  -- the farthest sample that lies within those of the other side
  local most = math.min(ahead[#ahead].u, back[#back].u)
  local near, far = ahead, back
  if ahead[#ahead].u > most then near, far = back, ahead end
  local x, list = {}, {}
  for i = math.max(1, #far - NODES_OF_SIDE + 1), #far do x[#x + 1], list[#list + 1] = far[i].u - most, far[i].value - near[#near].value end
  return math.abs(zeros.extrapolated(x, list)) <= EVEN*ranges[3 - k]
end

local IMAGES = "the motions come to a symmetric one, and beyond it the curve runs through their images"

local SMALL = 0.1                      -- of its largest value at samples: a test that passes zero at a place

-- Does a test of the problem tell that the motions come to one beyond which they follow again, as one at rest?
local function is_told(self, place)
  local least, most = {}, {}
  for _, sample in ipairs(self.base.images and place.samples or {}) do
    for name, value in pairs(self.base:images(sample.point)) do
      least[name], most[name] = math.min(least[name] or math.huge, math.abs(value)), math.max(most[name] or 0, math.abs(value))
    end
  end
  for name, value in pairs(least) do if value < SMALL*most[name] then return true end end
  return false
end

-- Details of the place where the parameter number k stands still: at a cusp of the curve both do; nil: it keeps its value along the curve, or comes back along
-- it at a place that another test finds
local function turn_at(self, k, place)
  if keeps(self, k, place) then return nil end
  local details, other = self:called("turn" .. k), 3 - k
  if not place.at then return details end
  local _, slope, bend = curve_places.along(place, value_of(self, other))(place.at)
  local mean = curve_places.range(place, value_of(self, other))/place.width
  if not keeps(self, other, place) and math.abs(slope) <= CUSP*mean + 10*place.off*math.abs(bend) then details.kind = "cusp" end
  if keeps(self, other, place) or not comes_back(self, place) then return details end
  return not is_told(self, place) and { kind = "end", name = IMAGES, ends = IMAGES } or nil
end

local SETTLED = 0.1                    -- of what is asked for: how exactly places are settled
local AGAIN, SPREAD = 4, 4             -- further rounds of Newton's method; their largest change, so many times, is how far a point may be from the curve

-- How far a point may be from the curve in both parameters: further rounds of Newton's method move it by rounding, and neighbours, which are moved alike, do
-- not show that
local function noise_at(self, step, point, enough)
  local most = { 0, 0 }
  for _ = 1, AGAIN do
    local again, change = corrector.newton(self, point.y, point.directions, { row = step.from.tangent }), 0
    if not again then break end
    for k = 1, 2 do
      local off = math.abs(value_of(self, k)(again) - value_of(self, k)(point))
      most[k], change = math.max(most[k], SPREAD*off), math.max(change, off)
    end
    if change <= enough then break end
    point = again
  end
  return most
end

-- The point at a place beside another one, and how exactly both parameters are known, where this is worse than asked for; nil: it is not found
local function located(self, step, place, point, locate, details)
  local here = place.at and (place.at == 0 and point or corrector.within(self, step.from, step.to, step.length + place.at))
  if not here then return nil end
  local noise = noise_at(self, step, here, SETTLED*locate)
  for k, key in ipairs{ "accuracy", "accuracy_beside" } do
    local value, slope, bend = curve_places.along(place, value_of(self, k))(place.at)
    local off = place.off*math.abs(slope) + place.off^2*math.abs(bend) + noise[k]
    details[key] = off > locate*((self.units and self.units[k] or 1) + math.abs(value)) and off or nil
  end
  return here
end

-- Is a test the velocity of approach of an impact, or the least value of a gap or a force?
local function is_of_contact(name) return name:find "^grazing%d+$" ~= nil or admissible.touched(name) ~= nil end

local BESIDE = 1/2                     -- of a step: how far from a place others are looked at first

--- Details of the special point near a point, at which the test f vanishes: its point, and accuracy and accuracy_beside, of both parameters, where they are
--- known less exactly than asked for; nil: there is none. step: see curve_places.settled; width: of the part of it in which the point is.
function Curve:settled(name, point, step, width, f, locate)
  local k = turning(name)
  local fine, place = attempt(curve_places.settled, self, step, point, k and value_of(self, k) or f, k ~= nil, BESIDE*width, SETTLED*locate)
  local details = is_of_contact(name) and self.base:confirmed(name, point) or self:called(name)
  if k and fine then details = turn_at(self, k, place) end
  if not details then return nil end
  local here = fine and located(self, step, place, point, locate, details)
  if not here then here, details.doubtful = point, true end
  if self.base.vanishes and not self.base:vanishes(name, here, step.from, step.to) then return nil end
  details.point = here
  local met = (k or is_of_contact(name)) and {} or self.base:second_met(self.special, name, here)
  for key, value in pairs(met or {}) do details[key] = value end
  return met and details or nil
end

--- Details of a point at which a second condition is met, by the name of its test; nil: it is none.
function Curve:second_met_at(name, point) return self.base.second_met and self.base:second_met(self.special, name, point) end

function Curve:record(point)
  local record = self.base:record(point)
  record.value, record.beside = (self:value(point.y)), self:beside(point.y)
  record.stable = self.base:stable_at(self.special, record, point)
  if self.base.unsided_at then record.unsided = self.base:unsided_at(self.special, point) end
  return record
end

local TOGETHER = 1e-4

--- Are two special points one? A cusp is found by the tests of both parameters, other kinds by tests of their own; or as along a branch.
function Curve:is_same(one, other)
  if self.base.is_same and self.base.is_same(self.base, one, other) then return true end
  local found_twice = one.kind == other.kind and (one.kind == "cusp" or one.test ~= other.test)
  return found_twice and corrector.norm(self:difference(one.point.y, other.point.y)) <= TOGETHER
end

local LONGEST, WITHOUT_ENDS = 10, 4     -- units of a parameter of a curve of periodic motions: the range that counts for steps, at most; without ends

--- How long the larger of two spans between ends (nil: there are none) is in the lengths of a curve, and a step of the length 1 along the parameter of this
--- span.
function curves.range(problem, spans)
  local units = problem.units
  local one, other = units and units[1] or rest_units.of(problem.base, 1), units and units[2] or rest_units.of(problem.base, 2)
  if not spans then return units and WITHOUT_ENDS or 2, 1/math.max(one, other) end
  local wider = spans[1] >= spans[2]
  local along = 1/(wider and one or other)
  if not units then return along*(wider and spans[1] or spans[2]), along end
  return math.min(LONGEST, math.max(spans[1]/one, spans[2]/other)), along
end

-- Lets a problem note how the condition is taken
local function prepare(base, special, y)
  local directions = base:directions(y)
  local _, rows, extra = base:equations(y, directions)
  base:prepare(special, { y = y, directions = directions, rows = rows, extra = extra })
end

-- Counts both parameters of a curve of periodic motions in units of their own
local function count_in_units(base, special, y, names, spans)
  curve_units.demand_size(base, y)
  local units = curve_units.of(base, special, y, spans, at_instant[special], names)
  for k, place in ipairs(base.places) do base.space.scale[place] = units[k] end
  return units
end

--- The problem of special points of a kind on a base problem with two free parameters; and its start near y. names: of the parameters; spans: between their
--- ends, where these are given.
function curves.new(base, special, y, names, spans)
  local self = setmetatable({ base = base, special = special, names = names, name = names[1], unit = 1, kind = "curve of " .. special .. " points",
    tolerance = base.tolerance, spans = spans }, Curve)
  if base.counts_in_units then
    if base.prepare then prepare(base, special, y) end
    self.units = count_in_units(base, special, y, names, spans)
    self.value_unit = self.units[1]
  end
  local directions = base:directions(y)
  local _, rows, extra, _, row = base:equations(y, directions, at_instant[special] and special or nil)
  if base.prepare and not self.units then base:prepare(special, { y = y, directions = directions, rows = rows, extra = extra }) end
  local u = {}
  for k, d in ipairs(not row and directions or {}) do
    local moved = {}
    for i, value in ipairs(d) do moved[i] = 1e-3*value end
    u[k] = math.abs(condition_at(self, base:moved(y, moved), directions) - base:condition(special, { y = y, directions = directions, rows = rows,
      extra = extra }))/1e-3
  end
  -- the condition changes by about 1 with a change of the point by 1
  self.unit = row and corrector.largest(row) or math.max(table.unpack(u))
  if not (self.unit > 0) then self.unit = 1 end
  return self
end

--- Ends of both parameters: from and to are lists of two numbers, or nil.
function curves.bounds(self, from, to)
  local list = {}
  for k, name in ipairs(self.names) do
    list[k] = { name = name, at = self.base.observed[k], from = from and from[k], to = to and to[k] }
  end
  return list
end

local UNDECIDED = 1e-8                 -- of the largest singular value: as much as the errors of the differences

--- The start of a curve: the solution near y, with the tangent of the curve.
function curves.start(self, y)
  local directions = self:directions(y)
  local F, rows = self:equations(y, directions)
  local null, values = corrector.null_directions({ directions = directions, rows = rows, F = F }, 1)
  if self.base.at_rest and not (values[#values - 1] > UNDECIDED*values[1]) then
    fail("continue: no curve starts from this %s: its condition does not change with '%s' and '%s' there, so that all states near it are such points, or two "
      .. "curves cross; take other parameters, or a %s beside it", self.special, self.names[1], self.names[2], self.special)
  end
  return corrector.beside(self, y, null[1], 0.0)
end

return curves
