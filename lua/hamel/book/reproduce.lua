-- reproduce.lua: hamel reproduce: the scripts of papers and of the library, and scripts of others, each in a process of its own, side by side; one table
-- of verdicts, or a site.
local bundled = require "hamel.book.bundled"
local core = require "hamel.core"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local Paper = require "hamel.show.paper"
local progress = require "hamel.base.progress"
local report = require "hamel.show.report"

local escape, fail, wrong_usage = mathml.escape, object.fail, object.wrong_usage
local reproduce = {}

local USAGE = "usage: hamel reproduce [name | script.lua ...] [--html FOLDER] [--list]"
local SECONDS = 1800                   -- for one script
local TITLE = "Papers and problems reproduced"

-- ---- the pages of a site: their names, and which files they may replace

-- One name for each script, index being taken
local function page_names(scripts)
  local names, taken = {}, { index = true }
  for i, script in ipairs(scripts) do
    local plain = script.name:gsub("%.lua$", ""):gsub("^%.*/+", ""):gsub("[^%w._-]+", "-")
    local name, count = plain, 1
    while taken[name] do
      count = count + 1
      name = plain .. "-" .. count
    end
    taken[name], names[i] = true, name .. ".html"
  end
  return names
end

-- Pages of others are never replaced
local function claim(folder, pages)
  for _, page in ipairs{ "index.html", table.unpack(pages) } do
    local path = folder .. "/" .. page
    local file = io.open(path)
    local text = file and file:read(2000)
    if file then file:close() end
    if file and not (text or ""):find(report.generator, 1, true) then
      fail("reproduce: %s was not made by hamel and is not replaced: name another folder, or remove the file first", path)
    end
  end
  -- a folder that takes no files is noticed before the scripts run
  files.write("reproduce", folder .. "/index.html", report.page(TITLE, { { html = "<p>Not finished.</p>" } }))
end

local above = '<p><a href="index.html">all papers and problems</a></p>\n'

-- ---- one script, in a process of its own

-- Runs it, writes its page if there is one, prints what came of it as JSON
local function one(path, page)
  core.host.end_with_parent()
  local statements = bundled.statements(path)
  local seen = report.collect(report.script(path), "html")
  if statements and seen.papers[1] then seen.papers[1]:_demand(statements) end
  if page then files.write("reproduce", page, report.page(seen.title, seen.sections(), above)) end
  local lines, failed = {}, 0
  for _, paper in ipairs(seen.papers) do
    failed = failed + paper.failed
    for _, line in ipairs(paper.lines) do lines[#lines + 1] = { equation = line.equation, verdict = line.verdict, what = line.what } end
  end
  -- on a line of its own: a script may write to io.stdout
  print("\n" .. json.text{ title = seen.title, lines = lines, seconds = seen.seconds, fine = seen.fine and failed == 0 and #lines > 0,
    problem = seen.problem or seen.cut })
  return true
end

-- What the process of a script said: title, counts by verdict, seconds, fine, reason
local function row_of(status, output, errors)
  local row = { counts = {}, lines = {}, fine = false, title = "" }
  for _, kind in ipairs(Paper.kinds) do row.counts[kind] = 0 end
  if not status then
    row.reason = output
  elseif status ~= 0 then
    row.reason = (errors:match "[^\n]+" or "ended with status " .. status):gsub("^hamel: ", "")
  else
    local said = json.read(output:match "([^\n]*)\n*$")
    row.title, row.lines, row.seconds, row.fine = said.title, said.lines, said.seconds, said.fine
    for _, line in ipairs(said.lines) do row.counts[line.verdict] = row.counts[line.verdict] + 1 end
    row.reason = said.problem and said.problem:match "[^\n]+" or #said.lines == 0 and "no table of verdicts: hm.paper makes one" or nil
  end
  return row
end

-- ---- the table on the screen

local headings = { "proved", "computed", "misprint", "definition", "not checked", "failed" }

local function text_row(name, lines, counts, last)
  local cells = {}
  for i, kind in ipairs(Paper.kinds) do cells[i] = ("%" .. #headings[i] + 2 .. "s"):format(counts[kind]) end
  return ("%s %5s%s %8s"):format(name .. (" "):rep(34 - (utf8.len(name) or #name)), lines, table.concat(cells), last)
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

-- kind: "heading" for the first row; on a narrow screen every number has its heading beside it, and those that are zero are left out
local function html_row(tag, kind, name, lines, counts, seconds)
  local cells = { ("<%s>%s</%s>"):format(tag, name, tag) }
  local function number(value, label)
    cells[#cells + 1] = ('<%s class="number%s" data-label="%s">%s</%s>'):format(tag, value == 0 and " zero" or "", label, value, tag)
  end
  number(lines, "lines")
  for i, verdict in ipairs(Paper.kinds) do number(counts[verdict], headings[i]) end
  number(seconds, "s")
  return ("<tr%s>%s</tr>"):format(kind and (' class="%s"'):format(kind) or "", table.concat(cells))
end

local function index_page(scripts, pages, rows, total, seconds)
  local heads = {}
  for i, kind in ipairs(Paper.kinds) do heads[kind] = headings[i] end
  local list = { html_row("th", "heading", "text or problem", "lines", heads, "seconds") }
  local failures = {}
  for i, script in ipairs(scripts) do
    local row = rows[i]
    local title = escape(row.title ~= "" and row.title or script.name)
    list[#list + 1] = html_row("td", nil, row.seconds and ('<a href="%s">%s</a>'):format(pages[i], title) or title, #row.lines, row.counts,
      row.seconds and ("%.1f"):format(row.seconds) or "")
    if not row.fine then failures[#failures + 1] = ("<li>%s: %s</li>"):format(escape(script.name), escape(row.reason or row.counts.FAILED .. " failed")) end
  end
  list[#list + 1] = html_row("td", "all", "all", total.lines, total.counts, ("%.1f"):format(seconds))
  local words = #failures == 0 and "<p>Every check agrees.</p>" or "<p>Not every check agrees:</p><ul>" .. table.concat(failures) .. "</ul>"
  return report.page(TITLE, { {
    html = words .. '<div class="wide"><table class="counts">' .. table.concat(list, "\n") .. "</table></div>"
      .. ('<p class="detail">%s, %s. Proved: decided by exact algebra. Computed: compared in numbers, with the deviation. Misprint: the printed formula is '
      .. "refuted and the corrected one confirmed. Definition: nothing to check.</p>"):format(escape(files.program()), os.date "!%Y-%m-%d %H:%M UTC") } })
end

-- ---- all of them

-- Runs them, as many at once as there are processors, and prints their rows in the order of the scripts
local function run_all(scripts, folder, pages)
  local jobs, rows = {}, {}
  for i, script in ipairs(scripts) do jobs[i] = { "/proc/self/exe", "reproduce", "--one", script.path, folder and folder .. "/" .. pages[i] or nil } end
  local printed, ended, failed = 0, 0, 0
  local line <close> = progress.line("reproduce", #jobs, true)
  local whole = core.host.spawn_all(jobs, SECONDS, core.host.processors(), function(i, ...)
    rows[i] = row_of(...)
    ended, failed = ended + 1, failed + (rows[i].fine and 0 or 1)
    line:clear()
    while rows[printed + 1] do
      printed = printed + 1
      print_row(scripts[printed].name, rows[printed])
    end
    line:update(ended, failed)
  end)
  if not whole then fail("reproduce: interrupted: %d of %d scripts have ended", ended, #jobs) end
  return rows
end

--- Runs all scripts, or those that the words mean: paths, names, parts of names; prints a table in the order of the scripts. With a folder, writes a
--- site: index.html, and a page for every script as hamel report makes it. True when no check failed.
function reproduce.all(words, folder)
  local scripts = bundled.chosen(words)
  local pages = page_names(scripts)
  if folder then
    files.folder("reproduce", folder)
    claim(folder, pages)
  end
  print(heading_row())
  local begun = core.host.clock()
  local rows = run_all(scripts, folder, pages)
  local total, seconds = total_of(rows), core.host.clock() - begun
  print(text_row(("all, in %.1f s"):format(seconds), total.lines, total.counts, total.fine and "every check agrees" or "NOT every check agrees"))
  if folder then
    files.write("reproduce", folder .. "/index.html", index_page(scripts, pages, rows, total, seconds))
    print(folder .. "/index.html")
  end
  return total.fine
end

local function print_names()
  for _, script in ipairs(bundled.all()) do print(script.name) end
  return true
end

--- hamel reproduce [name | script.lua ...] [--html FOLDER] [--list]: true when no check failed.
function reproduce.command(arguments)
  local words, folder, list, i = {}, nil, false, 1
  if arguments[1] == "--one" then return one(arguments[2], arguments[3]) end
  while i <= #arguments do
    local word = arguments[i]
    if word == "--html" then
      if folder then wrong_usage("reproduce: --html is given twice; a site has one folder\n%s", USAGE) end
      folder = arguments[i + 1]
      if not folder or folder == "" or folder:find "^%-" then wrong_usage("reproduce: --html needs a folder\n%s", USAGE) end
      folder = folder:find "^/+$" and "/." or folder:gsub("/+$", "")
      i = i + 1
    elseif word == "--list" then
      list = true
    elseif word:find "^%-" then
      wrong_usage("reproduce: unknown option '%s'\n%s", word, USAGE)
    else
      words[#words + 1] = word
    end
    i = i + 1
  end
  if list then return print_names() end
  return reproduce.all(words, folder)
end

return reproduce
