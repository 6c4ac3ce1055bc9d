-- symmetry_check.lua: are the symmetries up to which a periodic motion is to close symmetries of the equations?
--
-- A symmetry leads states x to states S x with the rates S' f(x). Both sides are compared at states along the motion and beside it, at several turns S and,
-- along a parameter, at several of its values. Equations that are analytic and agree there agree everywhere.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail

local ALONG, ROUNDS = 12, 2             -- states along the motion; how often each is taken, beside it from the second time on
local BESIDE = 0.3                      -- how far beside it, relative to the sizes of the states
local TURNS = { 0.37, -0.71, 1.9 }      -- in units in which the states turn by their sizes
local AGREE, ROUNDING = 1e-9, 1e-12     -- of the rates; of the sum of the terms of their derivatives
local VALUES = { 0.03, 0.41, 0.97 }     -- places of values of a parameter between its ends
local WIDE = 0.3                        -- how far these are from its value where no ends are given

-- A number between -1 and 1, always the same one for the same places
local function scattered(k, i) return 2*((k*math.sqrt(2) + i*math.sqrt(3) + k*i*math.sqrt(5)) % 1) - 1 end

local function is_finite(list)
  for _, value in ipairs(list) do if value - value ~= 0 then return false end end
  return true
end

-- States { t, x } along the motion from x over a period, the start first; the start alone where the run fails
local function states_along(flow, x, period)
  local list = { { t = flow.t, x = x } }
  local fine, _, _, record = attempt(flow.run, flow, flow.t, flow.t + period, x, {}, true)
  for i = 1, fine and ALONG - 1 or 0 do
    local t = flow.t + period*i/ALONG
    local got, state = attempt(record.raw.at, record.raw, t)
    if got and is_finite(state) then list[#list + 1] = { t = t, x = state } end
  end
  return list
end

-- The sizes of n states: what they sweep over, or their values where they stay
local function sizes_of(list, n)
  local sizes = {}
  for i = 1, n do
    local least, most, value = math.huge, -math.huge, 0
    for _, at in ipairs(list) do
      least, most, value = math.min(least, at.x[i]), math.max(most, at.x[i]), math.max(value, math.abs(at.x[i]))
    end
    sizes[i] = most - least > 1e-9*value and most - least or value
  end
  return sizes
end

-- The turn at which the states move by their sizes, but no more than half a turn: a state that the turn hardly moves there would ask for many
local function unit_of(turn, list, sizes)
  local unit = 0
  for i, size in ipairs(sizes) do
    local fastest = 0
    for _, at in ipairs(list) do fastest = math.max(fastest, math.abs(turn.rates(at.x)[i])) end
    if fastest > 0 then unit = math.max(unit, size/fastest) end
  end
  if unit*turn.fastest > math.pi then unit = math.pi/turn.fastest end
  return unit > 0 and unit or 1
end

-- Rates of n states, and for each the sum of the terms of its derivatives by what the states are and move by
local function rates(flow, t, x, n, moved)
  flow.w:set_state(t, x)
  local rate = flow.w:rate()
  flow.w:set_state(t, x)
  local flat, size, terms = flow.w:jacobian(), flow.model:state_size(), {}
  if not is_finite(rate) or not is_finite(flat) then return nil end
  for i = 1, n do
    terms[i] = 0.0
    for j = 1, n do terms[i] = terms[i] + math.abs(flat[(i - 1)*size + j])*(math.abs(x[j]) + math.abs(moved[j])) end
  end
  return rate, terms
end

-- The rates at a state that is turned, those that are turned, and what rounding may make of them; nil where there are none
local function compared(flow, turn, at, angle, n)
  local x, turned = at.x, table.move(at.x, 1, #at.x, 1, {})
  table.move(turn.state(x, angle), 1, n, 1, turned)
  local moved = {}
  for i = 1, n do moved[i] = turned[i] - x[i] end
  local fine, rate, terms = attempt(rates, flow, at.t, x, n, moved)
  local also, there, more = attempt(rates, flow, at.t, turned, n, moved)
  if not (fine and also and rate and there) then return nil end
  local carried = turn.direction(table.move(rate, 1, n, 1, {}), angle)
  for i = 1, n do terms[i] = math.max(terms[i], more[i]) end
  return { at = at, there = there, carried = carried, terms = terms }
end

local function name_of(E, i)
  return i <= #E.kin and core.text(E.kin[i]) .. "'" or core.text(E.dyn[i - #E.kin]) .. "'"
end

-- Why a symmetry is none, by these states: { what = in words }; nil: it holds there
local function refuted_at(flow, turn, list, sizes, unit)
  local E, n, all, most, terms = flow.E, #sizes, {}, {}, {}
  for _, at in ipairs(list) do
    for _, part in ipairs(TURNS) do all[#all + 1] = compared(flow, turn, at, part*unit, n) end
  end
  for i = 1, n do
    most[i], terms[i] = 0.0, 0.0
    for _, one in ipairs(all) do
      most[i] = math.max(most[i], math.abs(one.carried[i]))
      terms[i] = math.max(terms[i], one.terms[i])
    end
  end
  -- accelerations first, as rates of coordinates only repeat what velocities are
  for k = 1, n do
    local i = k <= #E.dyn and #E.kin + k or k - #E.dyn
    for _, one in ipairs(all) do
      if not (math.abs(one.there[i] - one.carried[i]) <= AGREE*most[i] + ROUNDING*terms[i]) then
        return ("%s becomes %.6g in place of %.6g"):format(name_of(E, i), one.there[i], one.carried[i])
      end
    end
  end
  local every = {}
  for i = 1, n do every[i] = i end
  for _, at in ipairs(list) do
    local field, longest = turn.rates(at.x), 0
    for i = 1, n do longest = math.max(longest, math.abs(field[i])) end
    local fine, rows = attempt(tangent.constraint_rows, E, flow.observer, flow.w, at.t, at.x, every)
    for _, row in ipairs(fine and rows or {}) do
      local largest = 0
      for i = 1, n do largest = math.max(largest, math.abs(row[i])) end
      if math.abs(tangent.dot(row, field)) > AGREE*largest*longest then return "it leads off the constraints" end
    end
  end
end

-- Adds a state to a list, brought onto the constraints, if that is possible
local function add_on_constraints(list, flow, t, x)
  local fine, point = attempt(flow.w.project, flow.w, t, x, 1e-13)
  if fine and is_finite(point) then list[#list + 1] = { t = t, x = point } end
end

-- The states beside those of a list, on the constraints
local function beside(flow, list, sizes, round)
  local near = {}
  for k, at in ipairs(list) do
    local x = table.move(at.x, 1, #at.x, 1, {})
    for i, size in ipairs(sizes) do x[i] = x[i] + BESIDE*size*scattered(round*ALONG + k, i) end
    add_on_constraints(near, flow, at.t, x)
  end
  return near
end

-- The states with values of a parameter, the state at the place `place`, between its ends
local function with_values(flow, list, place, from, to)
  local now, out = list[1].x[place], {}
  from = from or math.min(to or now, now - WIDE*math.abs(now))
  to = to or math.max(from, now + WIDE*math.abs(now))
  for k, at in ipairs(list) do
    local x = table.move(at.x, 1, #at.x, 1, {})
    x[place] = from + VALUES[k % #VALUES + 1]*(to - from)
    add_on_constraints(out, flow, at.t, x)
  end
  return out
end

local function advice(turn)
  return turn.shifted and ("; where the equations repeat after a step of %s alone, leave it out and give advance = { %s = what the motion gains }")
    :format(turn.shifted, turn.shifted) or "; leave it out, or give the rates of a symmetry of the equations"
end

--- Raises where turns do not lead motions into motions: { text =, rates = function of the state, state = function of it and an angle, direction = the same of a
--- direction, fastest = how fast it turns, 0 for a shift, shifted = the name of a coordinate that is only shifted or nil }. x, period: of a motion near which
--- they are needed. held: symbols of the parameters that change along the branch; ends: { { from =, to = }, ... } of their values, as far as they are given.
return function(flow, list, x, period, held, ends)
  local n = #flow.E.kin + #flow.E.dyn
  local along = states_along(flow, x, period)
  local sizes, known = sizes_of(along, n), {}
  for i, s in ipairs(flow.E.kin) do known[core.text(s)] = i end
  for _, s in ipairs(held or {}) do if known[core.text(s)] then sizes[known[core.text(s)]] = 0.0 end end
  for k, turn in ipairs(list) do
    local unit = unit_of(turn, along, sizes)
    local function demand(points, where)
      local what = refuted_at(flow, turn, points, sizes, unit)
      if what then
        fail("continue: symmetry[%d] = { %s } is no symmetry of the equations%s: along it %s%s", k, turn.text, where, what, advice(turn))
      end
    end
    demand(along, "")
    for round = 2, ROUNDS do demand(beside(flow, along, sizes, round), " beside the motion") end
    for h, s in ipairs(held or {}) do
      local place = known[core.text(s)]
      if place then
        demand(with_values(flow, along, place, ends[h].from, ends[h].to), (" where %s has another value"):format(core.text(s)))
      end
    end
  end
end
