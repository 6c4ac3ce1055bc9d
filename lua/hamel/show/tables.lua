-- tables.lua: P:save, runs of a reproduction script as tables in a folder that its command line names.
local object = require "hamel.base.object"
local Paper = require "hamel.show.paper"

--- Saves a run as NAME.csv in the folder of the command line: hamel script.lua --csv DIR; without --csv nothing is saved. given: options of run:save.
--- P:save(run, "wall", { n = 501 }).
function Paper:save(run, name, given)
  if type(name) ~= "string" then object.fail("P:save(run, name): the name of the file, without .csv") end
  local words = arg or {}
  for i, word in ipairs(words) do
    if word == "--csv" then
      local folder = words[i + 1] or object.fail("--csv needs a folder")
      run:save(folder .. "/" .. name .. ".csv", given)
    end
  end
end

return Paper
