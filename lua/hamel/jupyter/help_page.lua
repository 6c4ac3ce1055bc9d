-- help_page.lua: a page of help as Markdown: what it is about, its options as a table, its text as paragraphs.
local display = require "hamel.show.display"

local help_page = {}

local words = display.words

-- The rows { name, text } of a table, and the lines of the text
local function parts_of(text)
  local rows, prose, in_options = {}, {}, false
  for line in text:gmatch "[^\n]+" do
    local name, about = line:match(in_options and "^    (%S+)%s+(.*)$" or "^  (%S+)  +(%S.*)$")
    if line:find "^  Options:" then in_options = true
    elseif name then rows[#rows + 1] = { name, about }
    elseif in_options and line:find "^     " and #rows > 0 then rows[#rows][2] = rows[#rows][2] .. " " .. line:match "^%s*(.*)$"
    else
      in_options = false
      prose[#prose + 1] = line:match "^%s*(.*)$"
    end
  end
  return rows, prose
end

local function table_of(rows)
  if #rows == 0 then return nil end
  local out = { "| | |", "|:---|:---|" }
  for _, row in ipairs(rows) do out[#out + 1] = ("| **%s** | %s |"):format(words(row[1]), words(row[2])) end
  return table.concat(out, "\n")
end

--- The Markdown of a page of help; in_call: the options come first, since a call is being written.
function help_page.markdown(text, in_call)
  local title, rest = text:match "^([^\n]*)\n?(.*)$"
  local rows, prose = parts_of(rest)
  local out, list = { "**" .. words(title) .. "**" }, table_of(rows)
  if in_call then out[#out + 1] = list end
  if #prose > 0 then out[#out + 1] = words(table.concat(prose, "\n")) end
  if not in_call then out[#out + 1] = list end
  return table.concat(out, "\n\n")
end

return help_page
