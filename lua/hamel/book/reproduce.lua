-- reproduce.lua: hamel reproduce: the scripts of papers and of the library, each in a process of its own, side by side; one table of verdicts, or a site.
local core = require "hamel.core"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local Paper = require "hamel.show.paper"
local progress = require "hamel.base.progress"
local report = require "hamel.show.report"

local escape, fail = mathml.escape, object.fail
local reproduce = {}

local USAGE = "usage: hamel reproduce [name ...] [--html FOLDER]"
local SECONDS = 1800                   -- for one script

-- Beside the library in its source tree, or where it was installed
local function scripts_folder()
  local folder = debug.getinfo(1, "S").source:match "^@(.*)book/reproduce%.lua$"
  for _, path in ipairs{ folder .. "../../scripts/", folder .. "../../../hamel/scripts/", folder .. "../../../../hamel/scripts/" } do
    if core.host.list(path) then return path end
  end
  fail("reproduce: the folder of the scripts is not here")
end

-- The names of the scripts that contain one of `wanted`, papers before the library
local function names_of(folder, wanted)
  local names = {}
  for _, part in ipairs{ "", "library/" } do
    local list = core.host.list(folder .. part) or {}
    table.sort(list)
    for _, file in ipairs(list) do
      local name = file:match "^(.*)%.lua$" and part .. file:match "^(.*)%.lua$"
      local chosen = #wanted == 0
      for _, word in ipairs(wanted) do chosen = chosen or name ~= nil and name:find(word, 1, true) ~= nil end
      if name and chosen then names[#names + 1] = name end
    end
  end
  if #names == 0 then
    fail("reproduce: no script's name contains %s; all of them: %s", table.concat(wanted, " or "), table.concat(names_of(folder, {}), ", "))
  end
  return names
end

local function page_name(name) return name:gsub("/", "-") .. ".html" end

local above = '<p><a href="index.html">all papers and problems</a></p>\n'

-- In a process of its own: runs one script, writes its page if there is one, prints what came of it as JSON
local function one(path, page)
  core.host.end_with_parent()
  local seen = report.collect(report.script(path), "html")
  if page then files.write("reproduce", page, report.page(seen.title, seen.sections(), above)) end
  local lines = {}
  for _, paper in ipairs(seen.papers) do
    for _, line in ipairs(paper.lines) do lines[#lines + 1] = { equation = line.equation, verdict = line.verdict, what = line.what } end
  end
  print(json.text{ title = seen.title, lines = lines, seconds = seen.seconds, fine = seen.fine and #lines > 0, problem = seen.problem or seen.cut })
  return true
end

-- What the process of a script said: title, counts by verdict, seconds, fine, reason
local function row_of(status, output, errors)
  local row = { counts = {}, lines = {}, fine = false, title = "" }
  for _, kind in ipairs(Paper.kinds) do row.counts[kind] = 0 end
  if not status then
    row.reason = output
  elseif status ~= 0 then
    row.reason = errors:match "[^\n]+" or "ended with status " .. status
  else
    local said = json.read(output)
    row.title, row.lines, row.seconds, row.fine = said.title, said.lines, said.seconds, said.fine
    for _, line in ipairs(said.lines) do row.counts[line.verdict] = row.counts[line.verdict] + 1 end
    row.reason = said.problem and said.problem:match "[^\n]+" or #said.lines == 0 and "no table of verdicts" or nil
  end
  return row
end

-- ---- the table on the screen

local headings = { "proved", "computed", "misprint", "definition", "not checked", "failed" }

local function text_row(name, lines, counts, last)
  local cells = {}
  for i, kind in ipairs(Paper.kinds) do cells[i] = ("%" .. #headings[i] + 2 .. "s"):format(counts[kind]) end
  return ("%-34s %5s%s %8s"):format(name, lines, table.concat(cells), last)
end

local function heading_row()
  local counts = {}
  for i, kind in ipairs(Paper.kinds) do counts[kind] = headings[i] end
  return text_row("script", "lines", counts, "seconds")
end

local function print_row(name, row)
  print(text_row(name, #row.lines, row.counts, row.seconds and ("%.1f"):format(row.seconds) or "-") .. (row.reason and "   " .. row.reason or ""))
  for _, line in ipairs(row.lines) do
    if line.verdict == "FAILED" then print(("    %-10s FAILED  %s"):format(line.equation, line.what)) end
  end
end

-- The sum over all rows
local function total_of(rows)
  local total = { counts = {}, lines = 0, fine = true, scripts = #rows }
  for _, kind in ipairs(Paper.kinds) do total.counts[kind] = 0 end
  for _, row in ipairs(rows) do
    total.lines, total.fine = total.lines + #row.lines, total.fine and row.fine
    for kind, n in pairs(row.counts) do total.counts[kind] = total.counts[kind] + n end
  end
  return total
end

-- ---- the first page of the site

local function html_row(tag, name, lines, counts, seconds)
  local cells = { ("<%s>%s</%s>"):format(tag, name, tag) }
  local function number(value) cells[#cells + 1] = ('<%s class="number">%s</%s>'):format(tag, value, tag) end
  number(lines)
  for _, kind in ipairs(Paper.kinds) do number(counts[kind]) end
  number(seconds)
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

local function index_page(names, rows, total, seconds)
  local heads = {}
  for i, kind in ipairs(Paper.kinds) do heads[kind] = headings[i] end
  local list = { html_row("th", "text or problem", "lines", heads, "seconds") }
  local failures = {}
  for i, name in ipairs(names) do
    local row = rows[i]
    local title = escape(row.title ~= "" and row.title or name)
    list[#list + 1] = html_row("td", row.seconds and ('<a href="%s">%s</a>'):format(page_name(name), title) or title, #row.lines, row.counts,
      row.seconds and ("%.1f"):format(row.seconds) or "")
    if not row.fine then failures[#failures + 1] = ("<li>%s: %s</li>"):format(escape(name), escape(row.reason or row.counts.FAILED .. " failed")) end
  end
  list[#list + 1] = html_row("th", "all", total.lines, total.counts, ("%.1f"):format(seconds))
  local words = #failures == 0 and "<p>Every check agrees.</p>" or "<p>Not every check agrees:</p><ul>" .. table.concat(failures) .. "</ul>"
  return report.page("Papers and problems reproduced", { {
    html = words .. '<div class="wide"><table>' .. table.concat(list, "\n") .. "</table></div>"
      .. ('<p class="detail">%s, %s. Proved: decided by exact algebra. Computed: compared in numbers, with the deviation. Misprint: the printed formula is '
      .. "refuted and the corrected one confirmed. Definition: nothing to check.</p>"):format(escape(files.program()), os.date "!%Y-%m-%d %H:%M UTC") } })
end

--- Runs all scripts, or those whose names contain one of `wanted`, as many at once as there are processors, and prints a table in the order of
--- their names. With a folder, writes a site: index.html, and a page for every script as hamel report makes it. True when no check failed.
function reproduce.all(wanted, folder)
  local scripts = scripts_folder()
  local names, jobs, rows = names_of(scripts, wanted), {}, {}
  for i, name in ipairs(names) do
    jobs[i] = { "/proc/self/exe", "reproduce", "--one", scripts .. name .. ".lua", folder and folder .. "/" .. page_name(name) or nil }
  end
  -- a folder that takes no files is noticed before the scripts run
  if folder then files.write("reproduce", folder .. "/index.html", report.page("Papers and problems reproduced", { { html = "<p>Not finished.</p>" } })) end
  print(heading_row())
  local begun, printed, failed = core.host.clock(), 0, 0
  do
    local line <close> = progress.line("reproduce", #jobs, true)
    local ended = 0
    local whole = core.host.spawn_all(jobs, SECONDS, core.host.processors(), function(i, ...)
      rows[i] = row_of(...)
      ended, failed = ended + 1, failed + (rows[i].fine and 0 or 1)
      line:clear()
      while rows[printed + 1] do
        printed = printed + 1
        print_row(names[printed], rows[printed])
      end
      line:update(ended, failed)
    end)
    if not whole then fail("reproduce: interrupted: %d of %d scripts have ended", ended, #jobs) end
  end
  local total, seconds = total_of(rows), core.host.clock() - begun
  print(text_row(("all, in %.1f s"):format(seconds), total.lines, total.counts, total.fine and "every check agrees" or "NOT every check agrees"))
  if folder then
    files.write("reproduce", folder .. "/index.html", index_page(names, rows, total, seconds))
    print(folder .. "/index.html")
  end
  return total.fine
end

--- hamel reproduce [name ...] [--html FOLDER]: the exit status.
function reproduce.command(arguments)
  local wanted, folder, i = {}, nil, 1
  if arguments[1] == "--one" then return one(arguments[2], arguments[3]) end
  while i <= #arguments do
    local word = arguments[i]
    if word == "--html" then
      folder = arguments[i + 1] or fail("reproduce: --html needs a folder\n%s", USAGE)
      i = i + 1
    elseif word:find "^%-" then
      fail("reproduce: unknown option '%s'\n%s", word, USAGE)
    else
      wanted[#wanted + 1] = word
    end
    i = i + 1
  end
  if folder then files.folder("reproduce", folder) end
  return reproduce.all(wanted, folder and folder:gsub("/+$", ""))
end

return reproduce
