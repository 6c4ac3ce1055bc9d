-- alignment.lua: attitudes that a start leaves out and a joint between frames determines: the first guess keeps its frames parallel, since its
-- constraints hold for frames turned by half a turn, or a third of one, too.
local attempt = require "hamel.base.attempt"
local attitude = require "hamel.bodies.attitude"
local core = require "hamel.core"

local alignment = {}

-- The nearest rotation by a quaternion from which a frame is turned, itself included; nil where there is none
local function rotation_of(frame)
  while frame do
    if frame._rotation then return frame._rotation end
    frame = frame._parent
  end
end

-- Are all entries of the rotation among the values, or none of them?
local function given(R, q)
  local count = 0
  for _, e in ipairs(R.quaternion) do count = count + (q[core.name(e)] ~= nil and 1 or 0) end
  return count == 4, count == 0
end

-- Columns: the axes of one frame along those of another, as a list by rows
local function cosines(of, along)
  local list = {}
  for _, u in ipairs{ along.x, along.y, along.z } do
    for _, w in ipairs{ of.x, of.y, of.z } do list[#list + 1] = u:dot(w) end
  end
  return list
end

-- C times the transposed of D, lists by rows
local function times_transposed(C, D)
  local list = {}
  for i = 0, 2 do
    for j = 0, 2 do list[#list + 1] = C[3*i + 1]*D[3*j + 1] + C[3*i + 2]*D[3*j + 2] + C[3*i + 3]*D[3*j + 3] end
  end
  return list
end

-- The unit quaternion of a matrix of direction cosines by its largest entry (Shepperd 1978)
local function quaternion_of(C)
  local function at(i, j) return C[3*(i - 1) + j] end
  local trace = at(1, 1) + at(2, 2) + at(3, 3)
  local largest, e = 0, {}
  for i = 1, 3 do if at(i, i) > (largest == 0 and trace or at(largest, largest)) then largest = i end end
  if largest == 0 then
    local s = 2*math.sqrt(1 + trace)
    return { s/4, (at(3, 2) - at(2, 3))/s, (at(1, 3) - at(3, 1))/s, (at(2, 1) - at(1, 2))/s }
  end
  local i, j, k = largest, largest % 3 + 1, (largest + 1) % 3 + 1
  local s = 2*math.sqrt(1 + at(i, i) - at(j, j) - at(k, k))
  e[1], e[1 + i], e[1 + j], e[1 + k] = (at(k, j) - at(j, k))/s, s/4, (at(i, j) + at(j, i))/s, (at(i, k) + at(k, i))/s
  return e
end

-- The entries of the rotation R at which `frame`, turned from it, is parallel to `other`; nil where other coordinates without a value decide
local function parallel(system, R, frame, other, q, t, parameters)
  local list = cosines(other, R.frame._parent)
  table.move(cosines(frame, R.frame), 1, 9, 10, list)
  local fine, values = attempt(attitude.evaluated, system, list, q, nil, t, parameters, "a joint")
  return fine and quaternion_of(times_transposed(values, table.move(values, 10, 18, 1, {}))) or nil
end

local function guess_one(system, frame, other, q, t, parameters)
  local R = rotation_of(frame)
  if not R then return false end
  local _, missing = given(R, q)
  local e = missing and parallel(system, R, frame, other, q, t, parameters)
  for i, entry in ipairs(e and R.quaternion or {}) do q[core.name(entry)] = e[i] end
  return e and true or false
end

--- Guesses by name for entries of rotations that a start leaves out and joints between frames determine; q: the positions given, by name.
function alignment.guesses(system, q, t, parameters)
  local values, joints = {}, system:_joints_of_bodies()
  for name, value in pairs(q or {}) do values[name] = value end
  local found = true
  -- along a chain of bodies each guess makes the next one
  while found do
    found = false
    for _, joint in ipairs(joints) do
      local A, B = joint.frames and joint.frames[1], joint.frames and joint.frames[2]
      if A then found = guess_one(system, B, A, values, t, parameters) or guess_one(system, A, B, values, t, parameters) or found end
    end
  end
  return values
end

return alignment
