-- failure.lua: an error as a notebook shows it: the message, and the lines of the user's cells that led there.
local failure = {}

local RED, PLAIN = "\27[31m", "\27[0m"

-- "cell 3, line 2:  x = y.z", the text of the line where the cell is known
local function place(cells, cell, line)
  local k = 0
  for source in ((cells[tonumber(cell)] or "") .. "\n"):gmatch "(.-)\n" do
    k = k + 1
    if k == tonumber(line) then return ("cell %s, line %s:  %s"):format(cell, line, source:match "^%s*(.-)%s*$") end
  end
  return ("cell %s, line %s"):format(cell, line)
end

--- { ename, evalue, traceback } of a message of Lua's with its trace.
---@param cells table the text of the cells by their numbers
---@param name string "error", "syntax", "interrupted"
function failure.of(message, cells, name)
  local first, trace = message:match "^(.-)(\n\t.*)$"
  first, trace = first or message, trace or ""
  local cell, line, rest = first:match "^cell (%d+):(%d+): (.*)$"
  local value = rest or first
  local lines, last = {}, nil
  for shown in (value .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = RED .. shown .. PLAIN end
  local function add(text)
    if text ~= last then lines[#lines + 1] = "  " .. text end
    last = text
  end
  if cell then add(place(cells, cell, line)) end
  for level in trace:gmatch "\n\t([^\n]*)" do
    local number, at = level:match "^cell (%d+):(%d+): "
    add(number and place(cells, number, at) or level)
  end
  return { ename = name, evalue = value, traceback = lines }
end

return failure
