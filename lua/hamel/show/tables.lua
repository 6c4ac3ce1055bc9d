-- tables.lua: P:save, runs of a reproduction script as tables in a folder that its command line names.
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local Paper = require "hamel.show.paper"
local table_folders = require "hamel.show.table_folders"

--- Saves a run as NAME.csv in the folder of the command line: hamel script.lua --csv DIR; without --csv nothing is saved. The folder is made where it
--- is missing. given: options of run:save. P:save(run, "wall", { n = 501 }).
function Paper:save(run, name, given)
  if type(name) ~= "string" or not name:find "^[^/%z]+$" then
    object.fail("P:save(run, name): the name of the file, without folder and without .csv")
  end
  for _, folder in ipairs(table_folders()) do
    files.folder("P:save", folder)
    run:save(folder .. "/" .. name .. ".csv", given)
  end
end

return Paper
