-- hopf_units.lua: how large the motions are that leave a state of rest at a Hopf point. A coordinate that is zero there says nothing of its size, and the
-- linear equations hold for any: the size is that at which the other terms of the equations come to count.
local attempt = require "hamel.base.attempt"
local motion_units = require "hamel.analysis.motion_units"
local segments = require "hamel.continuation.segments"
local tangent = require "hamel.analysis.tangent"

local hopf_units = {}

-- The derivatives of the rates by the states at the state x, times a direction over all states
local function linear_rate(flow, x, d)
  flow.w:set_state(flow.t, x)
  local flat, size, list = flow.w:jacobian(), flow.model:state_size(), {}
  for i = 1, flow.size do
    list[i] = 0.0
    for k = 1, flow.size do if d[k] ~= 0 then list[i] = list[i] + flat[(i - 1)*size + k]*d[k] end end
  end
  return list
end

-- The changes d at several phases of the linear motion: a period later by 1/8, 1/4 and 3/8
local function phases(d, quarter, frequency)
  local list = { d, {}, {}, {} }
  for i, value in ipairs(d) do
    local other = quarter[i]/frequency
    list[2][i], list[3][i], list[4][i] = (value + other)/math.sqrt(2), other, (other - value)/math.sqrt(2)
  end
  return list
end

local DECADES, HALVINGS = 24, 6         -- that are searched; of a decade

-- The multiple of changes of the state x at which the nonlinear part of the rates is as large as the linear one; nil: there is none
local function reach(self, x, changes, frequency)
  local flow, space = self.flow, self.space
  local at_rest, list = segments.rate(flow, flow.t, x), {}
  for k, d in ipairs(changes) do
    local whole = space.part(d)
    list[k] = { d = d, linear = linear_rate(flow, x, d), size = frequency*math.sqrt(tangent.dot(whole, whole)) }
  end
  local function rate_at(d, a)
    local moved = {}
    for i, value in ipairs(x) do moved[i] = value + a*(d[i] or 0.0) end
    return segments.rate(flow, flow.t, moved)
  end
  local function of_change(change, a)
    local ahead, back, even, odd = rate_at(change.d, a), rate_at(change.d, -a), {}, {}
    for i = 1, flow.size do
      even[i], odd[i] = (ahead[i] + back[i])/2 - at_rest[i], (ahead[i] - back[i])/2 - a*change.linear[i]
    end
    even, odd = space.part(even), space.part(odd)
    return math.sqrt(math.max(tangent.dot(even, even), tangent.dot(odd, odd)))/(a*change.size)
  end
  local function is_nonlinear(decade)
    for _, change in ipairs(list) do
      local fine, part = attempt(of_change, change, 10.0^decade)
      if not fine or not (part < 1) then return true end
    end
    return false
  end
  local low, high = 0, 0
  if is_nonlinear(0) then
    repeat low = low - 1 until low < -DECADES or not is_nonlinear(low)
    high = low + 1
  else
    repeat high = high + 1 until high > DECADES or is_nonlinear(high)
    low = high - 1
  end
  if low < -DECADES or high > DECADES then return nil end
  for _ = 1, HALVINGS do
    local middle = (low + high)/2
    if is_nonlinear(middle) then high = middle else low = middle end
  end
  return 10.0^high
end

--- How large a change d of all states of the model is, which leaves the state y, where the equations are no longer linear: a multiple of it; nil: at no size.
--- frequency: of motions beside that state.
function hopf_units.reach(self, y, d, frequency)
  local x = self.space.state(y)
  local fine, found = attempt(reach, self, x, { d }, frequency)
  return fine and found or nil
end

local AT_ZERO = 1e-6                    -- of the size of its motion: the value of a state that says nothing of it

--- Counts the states of a problem that are zero at the state of rest y, from which motions with a frequency leave along d, a change of all states of the
--- model, in units of their sizes on these motions, and gives its runs an absolute tolerance to match. o: the options of S:continue. part: of these sizes,
--- how large the motions become that are followed; nil: 1.
function hopf_units.count_states(self, y, d, frequency, o, part)
  local flow, space = self.flow, self.space
  local x = space.state(y)
  local quarter, held = linear_rate(flow, x, d), {}
  local a = self.hopf_reach
  if not a then
    local fine, found = attempt(reach, self, x, phases(d, quarter, frequency), frequency)
    if not fine or not found then return end
    a, self.hopf_reach = found, found
  end
  for _, place in ipairs(self.places) do held[place] = true end
  local least = math.huge
  for i, place in ipairs(flow.kept) do
    local size = a*math.sqrt(d[place]^2 + (quarter[place]/frequency)^2)
    if not held[i] and size > 0 and math.abs(x[place]) <= AT_ZERO*size then
      space.scale[i] = motion_units.of(math.max((part or 1)*size, math.abs(x[place])))
    end
    if not held[i] then least = math.min(least, space.scale[i]) end
  end
  local units = {}
  for i in ipairs(flow.kept) do units[i] = not held[i] and space.scale[i] or nil end
  if not o.atol_given then motion_units.set_tolerances(flow, flow.kept, units, least, motion_units.ATOL, 2*math.pi/frequency, true) end
end

return hopf_units
