-- turns.lua: symmetries that a periodic motion may close up to: each is a field of rates of the coordinates, affine in them.
local core = require "hamel.core"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local symmetry_check = require "hamel.continuation.symmetry_check"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local turns = {}

local Turns = {}
Turns.__index = Turns

-- Rates of the states along a field: of velocities the time derivatives of those of the coordinates
local function rates_of(flow, given)
  local system, E, list = flow.system, flow.E, {}
  if E.v then fail("continue: symmetry needs form = \"lagrange\"") end
  given = system:by_name(given, "symmetry")
  for name in pairs(given) do
    if not system._coordinate[name] then fail("continue: symmetry: '%s' is not a coordinate of %s", tostring(name), system.name) end
    if not core.is_expression(given[name]) and type(given[name]) ~= "number" then
      fail("continue: symmetry: the rate of '%s' is an expression or a number, not %s", name, type(given[name]))
    end
  end
  for i, q in ipairs(E.kin) do list[i] = core.is_expression(given[core.text(q)]) and given[core.text(q)] or core.number(given[core.text(q)] or 0) end
  for i in ipairs(E.dyn) do list[#E.kin + i] = core.dt(list[i]) end
  return list
end

local function symbols_of(E)
  local list = {}
  for _, part in ipairs{ E.kin, E.dyn } do table.move(part, 1, #part, #list + 1, list) end
  return list
end

-- A field moves a coordinate that has to close, or its velocity
local function demand_moves(flow, given, rates, k)
  for _, place in ipairs(flow.kept) do if rates[place]:is_zero() ~= true then return end end
  fail("continue: symmetry[%d] moves only %s, on which nothing depends, so that motions need not close there: leave it out", k,
    table.concat(object.keys(flow.system:by_name(given, "symmetry")), " and "))
end

-- A field as it is given, in words
local function text_of(flow, given)
  local parts, by_name = {}, flow.system:by_name(given, "symmetry")
  for i, name in ipairs(object.keys(by_name)) do
    local rate = by_name[name]
    parts[i] = ("%s = %s"):format(name, core.is_expression(rate) and core.text(rate) or ("%.9g"):format(rate))
  end
  return table.concat(parts, ", ")
end

-- The one coordinate that a field moves, where it only shifts it; nil: it does more
local function shifted_by(flow, rates)
  local found
  for i, q in ipairs(flow.E.kin) do
    if rates[i]:is_zero() ~= true then
      if found or not core.number_value(rates[i]) then return nil end
      found = core.text(q)
    end
  end
  return found
end

--- Symmetries over a space of points; first: the place of the first turn among the unknowns.
function turns.new(space, given, first)
  local self = setmetatable({ space = space, first = first, list = {} }, Turns)
  local flow = space.flow
  for k, item in ipairs(given) do
    if type(item) ~= "table" or getmetatable(item) or next(item) == nil then
      fail("continue: symmetry[%d] is a table of rates by coordinate: symmetry = { {x = -y, y = x} }", k)
    end
    local rates, matrix = rates_of(flow, item), {}
    demand_moves(flow, item, rates, k)
    for _, rate in ipairs(rates) do table.move(core.gradient(rate, symbols_of(flow.E)), 1, flow.size, #matrix + 1, matrix) end
    for _, slope in ipairs(matrix) do
      if not core.number_value(slope) then fail("continue: symmetry %d is not affine in the coordinates: a rate has the derivative %s", k, core.text(slope)) end
    end
    self.list[k] = { rates = flow.observer:program(rates), matrix = matrix, text = text_of(flow, item), shifted = shifted_by(flow, rates) }
  end
  return self
end

local function rates_at(self, item, x) return self.space.flow.observer:evaluate(item.rates, self.space.flow.w, self.space.flow.t, x) end

-- The linear part of a field applied to a list over all states
local function linear(item, d)
  local n, out = #d, {}
  for i = 1, n do
    local sum = 0.0
    for j = 1, n do
      local slope = core.number_value(item.matrix[(i - 1)*n + j])
      if slope ~= 0 and d[j] ~= 0 then sum = sum + slope*d[j] end
    end
    out[i] = sum
  end
  return out
end

-- A turn by an angle: the series of the exponential function, whose first term `term` is of the order 1
local function series(item, sum, term, angle)
  for k = 2, 200 do
    local most = 0
    for i, value in ipairs(term) do
      sum[i] = sum[i] + value
      most = math.max(most, math.abs(value))
    end
    if most < 1e-300 then break end
    term = linear(item, term)
    for i, value in ipairs(term) do term[i] = value*angle/k end
  end
  return sum
end

local function turned_direction(item, d, angle)
  local term = linear(item, d)
  for i, value in ipairs(term) do term[i] = value*angle end
  return series(item, table.move(d, 1, #d, 1, {}), term, angle)
end

local function turned_state(self, item, x, angle)
  local term = rates_at(self, item, x)
  for i, value in ipairs(term) do term[i] = value*angle end
  return series(item, table.move(x, 1, #term, 1, {}), term, angle)
end

-- How fast a field turns: its largest slope, 0 of a shift
local function fastest_of(item)
  local fastest = 0
  for _, slope in ipairs(item.matrix) do fastest = math.max(fastest, math.abs(core.number_value(slope))) end
  return fastest
end

--- Raises where a field is no symmetry of the equations (symmetry_check.lua).
function Turns:demand(x, period, held, ends)
  local list = {}
  for k, item in ipairs(self.list) do
    list[k] = { text = item.text, shifted = item.shifted, fastest = fastest_of(item), rates = function(state) return rates_at(self, item, state) end,
      state = function(state, angle) return turned_state(self, item, state, angle) end,
      direction = function(d, angle) return turned_direction(item, d, angle) end }
  end
  if #list > 0 then symmetry_check(self.space.flow, list, x, period, held, ends) end
end

--- The turns at a point, as a list; nil without symmetries.
function Turns:values(y) return #self.list > 0 and table.move(y, self.first, self.first + #self.list - 1, 1, {}) or nil end

--- The fields at a point, as directions.
function Turns:fields(y)
  local list = {}
  for k, item in ipairs(self.list) do list[k] = self.space.part(rates_at(self, item, self.space.state(y))) end
  return list
end

--- The start turned by the turns in y, and how it changes with the directions; both as directions.
function Turns:applied(y, directions)
  local space = self.space
  local x, wholes, parts = space.state(y), {}, {}
  for k, d in ipairs(directions) do wholes[k] = space.whole(d) end
  for i, item in ipairs(self.list) do
    local angle = y[self.first + i - 1]
    x = turned_state(self, item, x, angle)
    local field = rates_at(self, item, x)
    for k, d in ipairs(directions) do
      wholes[k] = turned_direction(item, wholes[k], angle)
      local part = d[self.first + i - 1]
      for s = 1, #field do wholes[k][s] = wholes[k][s] + part*field[s] end
    end
  end
  for k, whole in ipairs(wholes) do parts[k] = space.part(whole) end
  return space.part(x), parts
end

local PLACES, STEPS = 24, 8             -- angles that are tried within a turn; steps by which the best one is refined

--- Gives the turns in y the values with which the start comes nearest to a state `last`, a direction over the kept states.
function Turns:come_near(y, last)
  local space, first, count = self.space, self.first, #self.list
  local function missed()
    local turned, off = self:applied(y, {}), {}
    for i = 1, #space.kept do off[i] = last[i] - turned[i] end
    return off
  end
  local function size() local off = missed() return tangent.dot(off, off) end
  for k, item in ipairs(self.list) do
    local fastest, best, least = fastest_of(item), y[first + k - 1], size()
    for a = 1, fastest > 0 and PLACES - 1 or 0 do
      y[first + k - 1] = 2*math.pi*(a <= PLACES/2 and a or a - PLACES)/PLACES/fastest
      local now = size()
      if now < least then best, least = y[first + k - 1], now end
    end
    y[first + k - 1] = best
  end
  for _ = 1, STEPS do
    local axes, flat = {}, {}
    for k = 1, count do axes[k] = states.axis(first + k - 1, space.n) end
    local _, slopes = self:applied(y, axes)
    for i = 1, #space.kept do for k = 1, count do flat[#flat + 1] = slopes[k][i] end end
    local step = core.least_squares(#space.kept, count, flat, missed(), 1e-9)
    for k = 1, count do y[first + k - 1] = y[first + k - 1] + step[k] end
  end
end

--- Directions at the turned start as they are before it is turned.
function Turns:undone(y, directions)
  local space, list = self.space, {}
  for k, d in ipairs(directions) do
    local whole = space.whole(d)
    for i = #self.list, 1, -1 do whole = turned_direction(self.list[i], whole, -y[self.first + i - 1]) end
    list[k] = space.part(whole)
  end
  return list
end

return turns
