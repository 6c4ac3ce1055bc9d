-- bundled.lua: the scripts of papers and of the library that come with the program, scripts of others, and the statements that scripts must check.
local core = require "hamel.core"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local bundled = {}

-- Beside the library in its source tree, or where it was installed
local function folder_of_scripts()
  local folder = debug.getinfo(1, "S").source:match "^@(.*)book/bundled%.lua$"
  for _, path in ipairs{ folder .. "../../scripts/", folder .. "../../../hamel/scripts/", folder .. "../../../../hamel/scripts/" } do
    if core.host.list(path) then return path end
  end
  object.fail("reproduce: the folder of the scripts is not here")
end

--- All scripts that come with the program, papers before the library: a list of { name, path }.
function bundled.all()
  local folder, scripts = folder_of_scripts(), {}
  for _, part in ipairs{ "", "library/" } do
    local list = core.host.list(folder .. part) or {}
    table.sort(list)
    for _, file in ipairs(list) do
      local name = file:match "^(.*)%.lua$"
      if name then scripts[#scripts + 1] = { name = part .. name, path = folder .. part .. file } end
    end
  end
  return scripts
end

local function is_path(word) return word:find "/" ~= nil and not word:find "^library/[^/]*$" or word:find "%.lua$" ~= nil end

local function readable(path)
  local file = io.open(path)
  local first = file and file:read(0)                            -- a folder opens, and cannot be read
  if file then file:close() end
  return first ~= nil
end

-- The scripts that a word of the command line means: a path, a whole name, or a part of names
local function meant_by(word, scripts)
  if word == "" then object.wrong_usage("reproduce: an empty name; hamel reproduce without names runs all scripts") end
  if is_path(word) then
    if readable(word) then return { { name = word, path = word } } end
    local name = word:match "([^/]*)%.lua$" or word:match "[^/]*$"
    for _, script in ipairs(scripts) do
      if script.name:match "[^/]*$" == name then
        object.wrong_usage("reproduce: there is no file %s here; hamel reproduce %s runs the script that comes with the program", word, name)
      end
    end
    if core.host.list(word) then object.wrong_usage("reproduce: %s is a folder; name its scripts, %s/*.lua", word, (word:gsub("/+$", ""))) end
    object.wrong_usage("reproduce: there is no file %s", word)
  end
  local whole, parts, names = {}, {}, {}
  for _, script in ipairs(scripts) do
    local last = script.name:match "[^/]*$"
    names[#names + 1] = last
    if script.name == word or last == word then whole[#whole + 1] = script end
    if script.name:find(word, 1, true) then parts[#parts + 1] = script end
  end
  if #whole > 0 then return whole end
  if #parts > 0 then return parts end
  local near = object.nearest(word, names)
  object.wrong_usage("reproduce: no script's name contains '%s'%s", word,
    near and (" (did you mean '%s'?)"):format(near) or "; hamel reproduce --list prints the names, and a file is given with its ending, text.lua")
end

--- The scripts that the words of a command line mean, each once, in the order of the words; all where there are none.
function bundled.chosen(words)
  local scripts, chosen, seen = bundled.all(), {}, {}
  if #words == 0 then return scripts end
  for _, word in ipairs(words) do
    for _, script in ipairs(meant_by(word, scripts)) do
      local place = core.host.real_path(script.path) or script.path          -- one file may have several names
      if not seen[place] then chosen[#chosen + 1], seen[place] = script, true end
    end
  end
  return chosen
end

--- The statements that a script must check, from statements.json beside it: a list of { id, text, status }; nil where there are none.
function bundled.statements(path)
  local folder, name = path:match "^(.-)([^/]*)%.lua$"
  local text = folder and files.read(folder .. "statements.json", 1 << 24)
  if not text then return nil end
  local fine, all = protected(json.read, text)
  if not fine or type(all) ~= "table" then object.fail("reproduce: %sstatements.json cannot be read: %s", folder, tostring(all)) end
  return all[name]
end

return bundled
