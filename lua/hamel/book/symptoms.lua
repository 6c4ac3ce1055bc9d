-- symptoms.lua: the page on troubleshooting, by the status of a run or by words of a message.
local core = require "hamel.core"
local plain = require "hamel.book.plain"

local symptoms = {}

local COLUMNS = 150

-- Broken at spaces, the later lines indented
local function wrapped(text)
  local lines, line = {}, nil
  for word in text:gmatch "%S+" do
    if line and #line + #word < COLUMNS then
      line = line .. " " .. word
    else
      lines[#lines + 1] = line
      line = word
    end
  end
  lines[#lines + 1] = line
  return "  " .. table.concat(lines, "\n  ")
end

-- Sections of the page: { heading =, text = }
local function sections_of(file)
  local list, section = {}, nil
  for line in file:lines() do
    local level, heading = line:match "^(#+) (.*)$"
    if level then
      section = level == "###" and { heading = plain.text(heading), text = "" } or nil
      list[#list + 1] = section
    elseif section then
      section.text = section.text .. line .. "\n"
    end
  end
  return list
end

-- Is the section about the word: the status of that name, or a message with these words?
local function is_about(section, word)
  if section.heading:upper() == section.heading then
    return (", " .. section.heading .. ", "):find(", " .. word:upper():gsub("[%s%-]+", "_") .. ", ", 1, true) ~= nil
  end
  return #word > 3 and section.heading:lower():find(word:lower(), 1, true) ~= nil
end

--- What the page of that folder of examples says about a word; nil where it says nothing, or where there is no such page.
function symptoms.about(folder, word)
  local file = folder and io.open(folder .. "howto/troubleshooting.md")
  if not file then return nil end
  local sections, parts = sections_of(file), {}
  file:close()
  for _, section in ipairs(sections) do
    if is_about(section, word) then
      local what = core.rows.statuses[section.heading]
      parts[#parts + 1] = ("%s%s\n%s"):format(section.heading, what and " (status): " .. what or "", wrapped(plain.text(section.text)))
    end
  end
  return #parts > 0 and table.concat(parts, "\n\n") or nil
end

return symptoms
