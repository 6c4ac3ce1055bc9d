-- parts.lua: interrupted calls in a saved session. The script reads the part of a run or a branch that the call kept from a file beside it: the call
-- itself would go on to its end.
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local parts = {}

-- How the file of a part ends, by its kind
local endings = { Trajectory = ".hamel", Branch = ".branch" }

local function kind_of(part)
  for kind in pairs(endings) do if object.is_a(part, kind) then return kind end end
end

local function system_of(part) return rawget(part, "system") or rawget(part, "_system") end

-- The name of a value in the session
local function name_of(session, value)
  local names = {}
  for name, other in next, session do if rawequal(other, value) and type(name) == "string" and name ~= "ans" then names[#names + 1] = name end end
  table.sort(names)
  return names[1]
end

local function is_code(text) return load(text, "=input", "t") ~= nil end

-- The statement that assigns the part, and the text before it; nil where the text is not statements with semicolons or lines between them
local function assignment(text, name)
  local from = 1
  while from do
    local head, word = text:sub(from):match "^%s*(local%s+)([%a_][%w_]*)%s*=[^=]"
    if not word then word = text:sub(from):match "^%s*([%a_][%w_]*)%s*=[^=]" end
    if word == name and is_code(text:sub(1, from - 1)) then return text:sub(1, from - 1), head or "" end
    from = text:find("[;\n]", from)
    from = from and from + 1
  end
end

--- What a saved session needs of an input whose call was interrupted and kept a part: { text =, words =, part =, before = statements that ran, target =,
--- system = }; nil where the part has no file, or the input is no plain assignment.
function parts.of(session, text, words, part)
  local kind = kind_of(part)
  local system = kind and name_of(session, system_of(part))
  if not system then return nil end
  local entry = { text = text, words = words, part = part, ending = endings[kind], system = system }
  if load("return " .. text, "=input", "t") then
    entry.before, entry.target = "", "ans"
    return entry
  end
  local name = name_of(session, part)
  if name then entry.before, entry.head = assignment(text, name) end
  entry.target = name
  return entry.before and entry or nil
end

--- The line at the head of a script with parts: the folder of the script, for the script is run from anywhere.
parts.folder = "local here = (arg and arg[0] or \"\"):match \"^(.*/)\" or \"\""

--- Writes the file of a part beside the script at `path`; the lines of the script for it. number: of the part in this script.
function parts.write(entry, path, number)
  local file = path:gsub("%.lua$", "") .. "." .. number .. entry.ending
  -- a part that no file takes is computed again
  if not protected(entry.part.save, entry.part, file) then return ("-- in the session: %s\n%s"):format(entry.words, entry.text) end
  local lines = { "-- in the session: " .. entry.words, "-- " .. entry.text:gsub("\n", "\n-- ") }
  if entry.before:find "%S" then lines[#lines + 1] = entry.before end
  lines[#lines + 1] = ("%s%s = hm.load(here .. %q, %s)"):format(entry.head or "", entry.target, file:match "[^/]*$", entry.system)
  return table.concat(lines, "\n")
end

return parts
