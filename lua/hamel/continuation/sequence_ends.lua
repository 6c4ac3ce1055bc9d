-- sequence_ends.lua: where a branch of motions with events ends: two events fall together, or a coefficient of restitution leaves 0 to 1.
local core = require "hamel.core"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"

local sequence_ends = {}

local function described(event) return ("%s at '%s'"):format(event.kind == "impact" and "impact" or "switch", event.name) end

-- The durations come to zero
local function add_durations(problem, list)
  for i, segment in ipairs(problem.segments) do
    local before = problem.segments[(i - 2) % problem.count + 1].event
    local one, other = described(before), described(segment.event)
    local place = problem.first + i - 1
    -- between impacts at once that do not act on each other there is none
    if not segment.event.joined then list[#list + 1] = { name = "duration", from = 0.0, at = function(y) return y[place], states.axis(place, #y) end,
      ends = one == other and ("no time is left before the next %s"):format(one) or ("no time is left between the %s and the %s"):format(one, other) } end
  end
end

local function depends_on(e, held)
  for _, s in ipairs(core.symbols{ e }) do if object.contains(held, s) then return true end end
  return false
end

-- Does an expression keep its value along a motion?
local function is_constant(e, flow)
  for _, s in ipairs(core.symbols{ e }) do
    if not object.contains(flow.observer.parameters, s) and not object.contains(flow.E.held or {}, s) then return false end
  end
  return true
end

-- Coefficients of the gaps that are struck, where they depend on the parameters that change alone
local function add_coefficients(problem, list)
  local seen = {}
  for _, segment in ipairs(problem.segments) do
    local gap = segment.event.kind == "impact" and problem.system.gaps[segment.event.name]
    if gap and not seen[gap] and core.is_expression(gap.law.restitution) then
      seen[gap] = true
      local e = gap.law.restitution
      if depends_on(e, problem.held) and is_constant(e, problem.flow) then
        list[#list + 1] = { name = ("the coefficient of restitution of '%s'"):format(gap.name), from = 0.0, to = 1.0, at = states.observed(problem.space, e),
          ends = ("the coefficient of restitution of '%s' would leave the range from 0 to 1"):format(gap.name) }
      end
    end
  end
end

--- The edges at which a branch of a problem of motions with events ends, besides those that it has: see arclength.lua.
function sequence_ends.limits(problem)
  local list = {}
  add_durations(problem, list)
  add_coefficients(problem, list)
  return list
end

--- A function of (t, x) that says whether the coefficient of restitution of an impact is from 0 to 1 there; nil where it is a number.
function sequence_ends.coefficient(system, flow, event)
  local gap = event.kind == "impact" and system.gaps[event.name]
  local e = gap and gap.law.restitution
  if not e or not core.is_expression(e) then return nil end
  local program = flow.observer:program{ flow.observer:translate(e) }
  return function(t, x)
    local value = flow.observer:evaluate(program, flow.w, t, x)[1]
    return value >= 0 and value <= 1
  end
end

return sequence_ends
