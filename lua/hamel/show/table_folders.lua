-- table_folders.lua: the folders that the command line of a reproduction script names for its tables: hamel script.lua --csv DIR.
local object = require "hamel.base.object"

--- A list of folders; raises an error where a word is missing behind --csv.
return function()
  local words, folders = arg or {}, {}
  for i, word in ipairs(words) do
    if word == "--csv" then
      local folder = words[i + 1]
      if not folder or folder == "" or folder:find "^%-" then object.fail("--csv needs a folder: --csv DIR saves the tables of this script there") end
      folders[#folders + 1] = folder
    end
  end
  return folders
end
