-- page.lua: a notebook run without Jupyter: its texts, its cells and what they show as one page that needs no network.
local cells = require "hamel.jupyter.cells"
local display = require "hamel.show.display"
local escape = require "hamel.show.mathml".escape
local failure = require "hamel.jupyter.failure"
local highlight = require "hamel.show.highlight"
local markdown = require "hamel.book.markdown"
local notebook = require "hamel.jupyter.notebook"
local object = require "hamel.base.object"
local printer = require "hamel.repl.print"
local report = require "hamel.show.report"
local sessions = require "hamel.repl.session"

local page = {}

-- ---- what cells show

-- Types of a value that a page has, the best one first
local shown_as = {
  { "text/html", function(data) return ('<iframe sandbox="allow-scripts" srcdoc="%s"></iframe>'):format(escape(data)) end },
  { "image/svg+xml", function(data) return "<figure>" .. data .. "</figure>" end },
  { "image/png", function(data) return ('<figure><img src="data:image/png;base64,%s"></figure>'):format(data) end },
  { "text/markdown", function(data) return markdown.html(data, page.context("a value"), 2) end },
}

-- The HTML of a value with types of its own (__mime), or of one that notebooks show as Markdown; nil for others
local function html_of(value)
  local types = display.types(value)
  for _, row in ipairs(shown_as) do
    if types[row[1]] then return row[2](types[row[1]]) end
  end
end

local function show(collector, value)
  if collector:show(value) then return end
  local html = html_of(value)
  if html then collector:html(html) else collector:text(printer.text(value)) end
end

-- The values of a cell, without nil at the end
local function show_results(collector, results)
  local last = results.n
  while last > 1 and results[last] == nil do last = last - 1 end
  for i = 1, last do
    if i < last or cells.is_shown(results[i]) then show(collector, results[i]) end
  end
end

-- ---- what cells see

-- Names of the notebook, with print, io and others that write into the page
local function session_for(collector, globals)
  local session = sessions.new()
  for _, name in ipairs{ "print", "io", "os", "arg", "dofile", "require" } do rawset(session, name, globals[name]) end
  function session.display(...)
    for i = 1, select("#", ...) do show(collector, (select(i, ...))) end
  end
  return session
end

-- ---- texts

--- How texts of a notebook are read: formulas that the page cannot set stay as they are written, and nothing is loaded from the network.
function page.context(name)
  return { name = name, lenient = true, link = function(target) return target:find "^https?://" and target or target:find "^#" and target or nil end }
end

-- Signs of Markdown that our reader writes in one way only: formulas between $$, lists of stars, quotations
local function plain_marks(text)
  text = ("\n" .. text .. "\n"):gsub("%$%$(.-)%$%$", function(latex) return "\n```math\n" .. latex:gsub("%s+", " ") .. "\n```\n" end)
  local fenced = false
  return (text:gsub("([^\n]*)\n", function(line)
    if line:find "^```" then fenced = not fenced end
    if fenced then return line .. "\n" end
    line = line:gsub("^(%s*)[*+] ", "%1- "):gsub("^%s+%- ", "- "):gsub("^> ?", ""):gsub("^%-%-%-+%s*$", "")
    return line .. "\n"
  end))
end

-- A text: the heading at its beginning is that of a section, the first one of the notebook its title
local function add_text(collector, text)
  local heading, rest = text:match "^%s*#+ +([^\n]*)(.*)$"
  local title = heading and heading:gsub("[`*$]", "")
  local html = markdown.html(plain_marks(rest or text), page.context("a cell"), 1)
  if title and not collector.title then
    collector.title, title = title, nil
  end
  if html ~= "" or title then collector:html(html, title) end
end

-- ---- the cells

local function add_source(collector, text)
  if text:find "%S" then collector:html(('<pre class="cell"><code>%s</code></pre>'):format(highlight(text, "lua"))) end
end

local function run_cell(collector, session, cell, number)
  local chunk, hidden = cells.compile(cell.text, session, "=cell " .. number)
  if not chunk then error(hidden, 0) end
  local results = table.pack(chunk())
  if results.n > 0 then rawset(session, "ans", results[1]) end
  if results.n > 0 and not hidden then show_results(collector, results) end
end

-- The levels of the user's cells alone
local function trace(message)
  local levels = {}
  for level in debug.traceback("", 3):gmatch "\n\t(cell %d+:%d+: [^\n]*)" do levels[#levels + 1] = "\n\t" .. level end
  return message .. table.concat(levels)
end

local function in_words(message, codes)
  local lines = failure.of(message, codes, "error").traceback
  return (table.concat(lines, "\n"):gsub("\27%[%d*m", ""))
end

local function runner(list, codes)
  return function(collector, globals)
    local session = session_for(collector, globals)
    return function()
      for _, cell in ipairs(list) do
        if cell.kind == "markdown" then
          add_text(collector, cell.text)
        else
          codes[#codes + 1] = cell.text
          collector.main = "=cell " .. #codes
          add_source(collector, cell.text)
          run_cell(collector, session, cell, #codes)
        end
      end
    end
  end
end

-- What os.exit in the last of these cells left out; nil where the notebook was at its end
local function left_out(list, codes, line)
  local missing, at = 0, 0
  for _, cell in ipairs(list) do
    if cell.kind == "code" then at = at + 1 end
    if cell.kind == "code" and at > #codes and cell.text:find "%S" then missing = missing + 1 end
  end
  if missing > 0 then return ("os.exit ended the notebook in cell %d; %d cell%s not run"):format(#codes, missing, missing == 1 and " was" or "s were") end
  local behind = line and report.line_behind(codes[#codes], line)
  return behind and ("os.exit ended the notebook in cell %d, line %d; from line %d on nothing was run"):format(#codes, line, behind)
end

--- Runs the cells of a notebook and writes its texts, its cells and what they show as one page: path, out as in report.write, what it returns too.
---@param text string of the file .ipynb
function page.write(path, text, out, arguments)
  local list, codes = notebook.read(text, path), {}
  if out:find "%.tex$" then
    object.fail("report: a notebook becomes a page (.html or .pdf) or a script (.lua); hamel report script.lua -o %s makes LaTeX", out)
  end
  return report.make({ path = path, arguments = arguments, what = "A cell", source = false, on_demand = true, only_page = true,
    main = false, left_out = function(line) return left_out(list, codes, line) end,
    trace = function(message) return in_words(trace(message), codes) end, chunk = runner(list, codes) }, out)
end

return page
