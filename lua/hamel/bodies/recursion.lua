-- recursion.lua: velocities by recursion from frame to frame, each frame in its own axes. With w and v of the parent A, turned into the axes of B,
--   w_B = C^T w_A + rate,   v_B = C^T v_A + w_B x c + c',
-- where c are the components in B of the place whose part above B moves with v_A. Each step takes a fixed number of operations, and what two places have
-- above a frame is formed once; products of vectors term by term take more with every joint.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local Vector = require "hamel.bodies.vector"

local recursion = {}

local ZERO = core.rational(0)

local function plus(a, b)
  if rawequal(a, ZERO) then return b end
  return rawequal(b, ZERO) and a or a + b
end

local function added(a, b) return { plus(a[1], b[1]), plus(a[2], b[2]), plus(a[3], b[3]) } end

local function is_none(c) return rawequal(c[1], ZERO) and rawequal(c[2], ZERO) and rawequal(c[3], ZERO) end

local NONE = { ZERO, ZERO, ZERO }

--- Components of the angular velocity of a frame in its own axes.
function recursion.turning(frame)
  if not frame._parent then return NONE end
  local known = rawget(frame, "_turning")
  if not known then
    -- the axis of a simple rotation has the same components in the frame and in its parent
    known = added(Vector._turned(recursion.turning(frame._parent), frame, true), frame._rates)
    rawset(frame, "_turning", known)
  end
  return known
end

--- The same in the axes of the parent, for a frame that turns about an axis of its own.
function recursion.turning_in_parent(frame) return added(recursion.turning(frame._parent), frame._rates) end

-- w x c + c' of the components c in a frame
local function own_velocity(frame, c)
  if is_none(c) then return c end
  local rate = {}
  for i = 1, 3 do rate[i] = core.number_value(c[i]) and ZERO or motion.dt(frame.system, c[i]) end
  return added(Vector._crossed(recursion.turning(frame), c), rate)
end

-- ---- places

-- The components of a vector by frame. What lies along the axis about which a frame turns does not turn with it
local function by_frame(v)
  local own = {}
  for _, term in ipairs(v._terms) do
    local frame = term.frame
    local i = frame._axis
    while i and rawequal(term[i % 3 + 1], ZERO) and rawequal(term[(i + 1) % 3 + 1], ZERO) do
      frame = frame._parent
      i = frame._axis
    end
    own[frame] = own[frame] and added(own[frame], term) or { term[1], term[2], term[3] }
  end
  return own
end

-- The frames that lead from the inertial one to those of the components: children by frame, in order
local function paths(own)
  local children = {}
  for frame in pairs(own) do
    while frame._parent do
      local list = children[frame._parent]
      if not list then children[frame._parent] = { frame }
      elseif list[frame] then break
      else list[#list + 1] = frame end
      children[frame._parent][frame] = true
      frame = frame._parent
    end
  end
  for _, list in pairs(children) do table.sort(list, function(a, b) return a._index < b._index end) end
  return children
end

local function entry(t, key)
  local found = t[key]
  if not found then
    found = {}
    t[key] = found
  end
  return found
end

-- The velocity of a place down to a frame: a record kept below that of its part above (false: none)
local function down(above, frame, c)
  local known = above and above.below or entry(frame, "_places")
  local record = entry(entry(entry(entry(known, frame), c[1]), c[2]), c[3])
  if not record.velocity then
    record.below = {}
    local v = above and Vector._turned(above.velocity, frame, true) or NONE
    record.velocity = added(v, own_velocity(frame, c))
  end
  return record
end

-- What the components in a frame and below it contribute, in the axes of the frame
local function up(frame, own, children)
  local v = own[frame] and own_velocity(frame, own[frame]) or NONE
  for _, child in ipairs(children[frame] or {}) do v = added(v, Vector._turned(up(child, own, children), child, false)) end
  return v
end

-- Of several frames on the way the one above `frame`; nil: none is
local function towards(list, frame)
  while frame do
    if list[frame] then return frame end
    frame = frame._parent
  end
end

--- Components of the velocity of the place `v` from the origin, in the axes of a frame on the way to its terms: of the deepest one where they lie on
--- one way. Where ways part that to `frame` is followed, and what the others contribute is a sum of its own, which other places share.
function recursion.velocity(v, frame)
  local own = by_frame(v)
  local children = paths(own)
  local at = v.system:frame()
  local record = down(false, at, own[at] or NONE)
  local sum = record.velocity
  while children[at] do
    local list = children[at]
    local child = #list == 1 and list[1] or towards(list, frame)
    for _, other in ipairs(list) do
      if other ~= child then
        record = nil
        sum = added(sum, Vector._turned(up(other, own, children), other, false))
      end
    end
    if not child then break end
    at = child
    local c = own[at] or NONE
    if record then
      record = down(record, at, c)
      sum = record.velocity
    else
      sum = added(Vector._turned(sum, at, true), own_velocity(at, c))
    end
  end
  return sum
end

--- The number of frames that move with a place or turn: those on the way from the inertial frame to its terms and to `frame`.
function recursion.frames(v, frame)
  local own = by_frame(v)
  own[frame] = own[frame] or NONE
  local count = 0
  for _, list in pairs(paths(own)) do count = count + #list end
  return count
end

return recursion
