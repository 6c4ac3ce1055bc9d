-- stl.lua: surfaces from STL files, text and binary: points and triangles.
local files = require "hamel.base.files"
local object = require "hamel.base.object"

local fail = object.fail
local stl = {}

local MOST = 200000                    -- triangles
local HEAD, RECORD = 84, 50            -- bytes of a binary file: its head with the count, one triangle

-- Points that several triangles share are stored once
local function collector()
  local points, faces, known = {}, {}, {}
  local function point(x, y, z)
    local key = ("%.9g %.9g %.9g"):format(x, y, z)
    if not known[key] then
      points[#points + 1] = { x, y, z }
      known[key] = #points - 1
    end
    return known[key]
  end
  local function add(p)
    local a, b, c = point(p[1], p[2], p[3]), point(p[4], p[5], p[6]), point(p[7], p[8], p[9])
    if a ~= b and b ~= c and c ~= a then faces[#faces + 1] = { a, b, c } end
  end
  return { points = points, faces = faces }, add
end

local function finite(numbers, path, k)
  for i = 1, 9 do
    local value = numbers[i]
    if not value or value - value ~= 0 then fail("animation: %s: triangle %d has a corner that is no number", path, k) end
  end
  return numbers
end

local function read_binary(bytes, path)
  local count = string.unpack("<I4", bytes, 81)
  if count > MOST then fail("animation: %s has %d triangles, and %d are the most", path, count, MOST) end
  local mesh, add = collector()
  for k = 1, count do
    local p = { string.unpack("<fffffffff", bytes, HEAD + RECORD*(k - 1) + 13) }
    add(finite(p, path, k))
  end
  return mesh
end

local function read_text(bytes, path)
  local mesh, add = collector()
  local corners, count = {}, 0
  for x, y, z in bytes:gmatch "%f[%w]vertex%s+(%S+)%s+(%S+)%s+(%S+)" do
    for _, word in ipairs{ x, y, z } do corners[#corners + 1] = tonumber(word) or 0/0 end
    if #corners == 9 then
      count = count + 1
      if count > MOST then fail("animation: %s has more than %d triangles", path, MOST) end
      add(finite(corners, path, count))
      corners = {}
    end
  end
  if not bytes:find "%f[%w]endsolid" then fail("animation: %s is cut short: 'endsolid' is missing", path) end
  if #corners > 0 then fail("animation: %s ends within triangle %d", path, count + 1) end
  return mesh
end

--- The surface in a file: { points = { {x, y, z}, ... }, faces = { {i, j, k}, ... } }, points counted from 0.
function stl.read(path)
  local bytes, problem = files.read(path, HEAD + RECORD*MOST*8)
  if not bytes then fail("animation: cannot read %s: %s", path, problem) end
  local is_binary = #bytes >= HEAD and HEAD + RECORD*string.unpack("<I4", bytes, 81) == #bytes
  if not is_binary and not bytes:find "^%s*solid" then
    fail("animation: %s is no STL file: neither text that begins with 'solid' nor binary of the right length", path)
  end
  local mesh = (is_binary and read_binary or read_text)(bytes, path)
  if #mesh.faces == 0 then fail("animation: %s holds no triangle", path) end
  return mesh
end

return stl
