-- spatial.lua: vectors and points where numbers of a run are asked for: by their components in the inertial frame.
local Point = require "hamel.bodies.point"
local Vector = require "hamel.bodies.vector"

local spatial = {}

--- Is it a vector or a point?
function spatial.is(what) return Point._is_point(what) or Vector._is_vector(what) end

--- The components of a vector, or of the place of a point, in the inertial frame of the system; nil for anything else.
function spatial.components(system, what)
  if Point._is_point(what) then what = Point._demand(what, system, "the point asked for").place end
  if not Vector._is_vector(what) then return nil end
  return Vector._demand(what, system, "the vector asked for"):_in_frame(system:frame())
end

--- A flat list of values as one entry per thing: a number, or a list of three. sizes: 1 or 3.
function spatial.grouped(values, sizes)
  local result, k = {}, 1
  for i, size in ipairs(sizes) do
    result[i] = size == 1 and values[k] or table.move(values, k, k + size - 1, 1, {})
    k = k + size
  end
  return result
end

return spatial
