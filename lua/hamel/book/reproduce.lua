-- reproduce.lua: hamel reproduce: every paper's script in a process of its own, one table of verdicts.
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local reproduce = {}

local SECONDS = 1800                   -- for one script

-- Beside the library in its source tree, or where it was installed
local function scripts_folder()
  local folder = debug.getinfo(1, "S").source:match "^@(.*)book/reproduce%.lua$"
  for _, path in ipairs{ folder .. "../../scripts/", folder .. "../../../hamel/scripts/", folder .. "../../../../hamel/scripts/" } do
    if core.host.list(path) then return path end
  end
  fail("reproduce: the folder of the scripts is not here")
end

local function run(path)
  local begun = core.host.clock()
  local status, output, errors = core.host.spawn({ "/proc/self/exe", path }, "", SECONDS)
  local lines, misprints, failed = (output or ""):match "(%d+) lines, (%d+) misprints, (%d+) failed%s*$"
  local row = { seconds = core.host.clock() - begun, title = status and output:match "^([^\n]*)" or "", fine = status == 0 and lines ~= nil }
  row.lines, row.misprints, row.failed = lines, misprints, failed
  if not status then row.reason = output
  elseif not lines then row.reason = (errors:match "[^\n]+" or "ended with status " .. status) end
  return row, output
end

--- Runs all papers (or those whose file names contain one of `names`) and prints a table; true when no check failed.
function reproduce.all(names)
  local folder, files = scripts_folder(), {}
  for _, file in ipairs(core.host.list(folder)) do
    local wanted = #names == 0
    for _, name in ipairs(names) do wanted = wanted or file:find(name, 1, true) ~= nil end
    if wanted and file:find "%.lua$" then files[#files + 1] = file end
  end
  table.sort(files)
  if #files == 0 then fail("reproduce: no script's name contains %s", table.concat(names, " or ")) end
  print(("%-32s %6s %10s %7s %8s"):format("script", "lines", "misprints", "failed", "seconds"))
  local fine, lines, misprints, failed = true, 0, 0, 0
  for _, file in ipairs(files) do
    local row = run(folder .. file)
    print(("%-32s %6s %10s %7s %8.1f%s"):format(file:gsub("%.lua$", ""), row.lines or "-", row.misprints or "-", row.failed or "-", row.seconds,
      row.reason and "   " .. row.reason or ""))
    fine = fine and row.fine
    lines, misprints, failed = lines + (row.lines or 0), misprints + (row.misprints or 0), failed + (row.failed or 0)
  end
  print(("%-32s %6d %10d %7d   %s"):format("all", lines, misprints, failed, fine and "every check agrees" or "NOT every check agrees"))
  return fine
end

--- hamel reproduce [name ...]: the exit status.
function reproduce.command(arguments) return reproduce.all(arguments) end

return reproduce
