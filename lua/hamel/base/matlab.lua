-- matlab.lua: tables of numbers in MATLAB's files of level 5 (.mat), as bytes: columns of doubles and lines of text, little-endian, not
-- compressed. Reference: MAT-File Format, The MathWorks, section 1.
local object = require "hamel.base.object"

local matlab = {}

local INT8, UINT16, INT32, UINT32, DOUBLE, MATRIX = 1, 4, 5, 6, 9, 14     -- types of data
local CHARACTERS, DOUBLES = 4, 6                                          -- classes of arrays
local LONGEST = 63                     -- of a name

-- One element: its type, its size, its bytes up to a multiple of 8
local function element(kind, bytes) return string.pack("<I4I4", kind, #bytes) .. bytes .. ("\0"):rep(-#bytes % 8) end

local function array(class, name, rows, columns, data)
  return element(MATRIX, element(UINT32, string.pack("<I4I4", class, 0)) .. element(INT32, string.pack("<i4i4", rows, columns))
    .. element(INT8, name) .. data)
end

local function numbers(name, list)
  local parts = {}
  for i, value in ipairs(list) do parts[i] = string.pack("<d", value) end
  return array(DOUBLES, name, #list, 1, element(DOUBLE, table.concat(parts)))
end

-- Characters are stored by columns: line k is row k. Characters beyond the first plane of Unicode become "?"
local function lines(name, list)
  local codes, longest = {}, 0
  for k, line in ipairs(list) do
    codes[k] = {}
    for _, code in utf8.codes(line) do codes[k][#codes[k] + 1] = code < 0x10000 and code or 63 end
    longest = math.max(longest, #codes[k])
  end
  local parts = {}
  for column = 1, longest do
    for k = 1, #list do parts[#parts + 1] = string.pack("<I2", codes[k][column] or 32) end
  end
  return array(CHARACTERS, name, #list, longest, element(UINT16, table.concat(parts)))
end

-- A name that MATLAB accepts: letters, digits and _, a letter first
local function plain(name)
  local text = name:gsub("''", "_ddot"):gsub("'", "_dot"):gsub("[^%w_]+", "_"):gsub("_+$", "")
  return (text:find "^%a" and text or "x" .. text):sub(1, LONGEST)
end

--- Names for MATLAB, each once: x' is x_dot, lambda.rod is lambda_rod.
function matlab.names(names)
  local result, seen = {}, {}
  for i, name in ipairs(names) do
    local base = plain(name)
    local free, k = base, 1
    while seen[free] do
      k = k + 1
      free = base:sub(1, LONGEST - 1 - #tostring(k)) .. "_" .. k
    end
    seen[free], result[i] = true, free
  end
  return result
end

--- The bytes of a file with the columns { name, list } and one matrix of characters, `about`, with these lines.
function matlab.bytes(columns, about)
  local names = { "about" }
  for i, column in ipairs(columns) do names[i + 1] = column[1] end
  names = matlab.names(names)
  about = table.move(about, 1, #about, 1, {})
  local text = "MATLAB 5.0 MAT-file, written by Hamel"
  local parts = { text .. (" "):rep(116 - #text) .. ("\0"):rep(8) .. string.pack("<I2", 0x0100) .. "IM" }
  for i, column in ipairs(columns) do
    if #column[2] > (1 << 28) - 1 then object.fail("a .mat file holds up to 2^28 - 1 numbers in a column; '%s' has %d", column[1], #column[2]) end
    parts[#parts + 1] = numbers(names[i + 1], column[2])
    about[#about + 1] = ("%s: %s"):format(names[i + 1], column[1])
  end
  parts[#parts + 1] = lines("about", about)
  return table.concat(parts)
end

return matlab
