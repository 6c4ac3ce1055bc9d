-- curves.lua: curves of special points over two parameters: the equations of a branch with both parameters free, and the condition of the special point.
--
-- The condition is a product over eigenvalues or pairs of them (of the determinant for folds, of its bialternate sum or product for Hopf points and tori),
-- which stays smooth where eigenvalues meet. Its derivatives are central differences; the points hold it as exactly as the eigenvalues are known.
-- A touch, a corner or a grazing is a condition at one instant of the motion, whose derivatives come from the variational equations.
-- Source: Kuznetsov, Elements of applied bifurcation theory (2004), 10.2.
local corrector = require "hamel.continuation.corrector"
local tangent = require "hamel.analysis.tangent"

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
  return self.base:condition(self.special, { y = y, directions = directions, rows = rows, extra = extra })
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

function Curve:value(y) return self.base.observed[1](y) end

--- The value of the second parameter.
function Curve:beside(y) return (self.base.observed[2](y)) end

local STILL = 1e-7                     -- a parameter that keeps its value along the curve changes by the error of the differences

-- Points where a parameter turns back, and where a second condition holds
function Curve:tests(point)
  local list = {}
  for k, observed in ipairs(self.base.observed) do
    local slope = tangent.dot(select(2, observed(point.y)), point.tangent)
    list["turn" .. k] = math.abs(slope) > STILL and slope or 0.0
  end
  for name, value in pairs(self.base.second and self.base:second(self.special, point) or {}) do list[name] = value end
  return list
end

--- All points have eigenvalues on the border, whose side is rounding: those that pass it are not counted, nor followed.
function Curve.growth() return nil end

function Curve.followed() return nil end

local TOGETHER = 1e-4

Curve.unbranched = true

function Curve:confirmed(kind, point)
  local k = tonumber(kind:match "^turn(%d)$")
  if not k then return self.base.second_met and self.base:second_met(self.special, kind, point) or {} end
  local other = self.base.observed[3 - k]
  -- where both parameters stand still at once, the curve has a cusp
  local both = math.abs(tangent.dot(select(2, other(point.y)), point.tangent)) < TOGETHER
  return { kind = both and "cusp" or "turn", of = self.names[k] }
end

function Curve:record(point)
  local record = self.base:record(point)
  record.value, record.beside = (self:value(point.y)), self:beside(point.y)
  record.stable = self.base:stable_at(self.special, record, point)
  return record
end

--- Are two special points one? A cusp is found by the tests of both parameters.
function Curve:is_same(one, other)
  return one.kind == "cusp" and other.kind == "cusp" and corrector.norm(self:difference(one.point.y, other.point.y)) <= TOGETHER
end

--- The problem of special points of a kind on a base problem with two free parameters; and its start near y. names: of the parameters.
function curves.new(base, special, y, names)
  local self = setmetatable({ base = base, special = special, names = names, name = names[1], unit = 1, kind = "curve of " .. special .. " points",
    tolerance = base.tolerance }, Curve)
  local directions = base:directions(y)
  local _, rows, extra, _, row = base:equations(y, directions, at_instant[special] and special or nil)
  if base.prepare then base:prepare(special, { y = y, directions = directions, rows = rows, extra = extra }) end
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

--- The start of a curve: the solution near y, with the tangent of the curve.
function curves.start(self, y)
  local directions = self:directions(y)
  local F, rows = self:equations(y, directions)
  local null = corrector.null_directions({ directions = directions, rows = rows, F = F }, 1)[1]
  return corrector.beside(self, y, null, 0.0)
end

return curves
