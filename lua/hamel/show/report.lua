-- report.lua: hamel report: a script run with everything it shows collected into one HTML page: verdicts, equations, pictures, source, provenance.
local answer = require "hamel.base.answer"
local base64 = require "hamel.base.base64"
local core = require "hamel.core"
local files = require "hamel.base.files"
local highlight = require "hamel.show.highlight"
local latex_page = require "hamel.show.latex_page"
local listeners = require "hamel.base.listeners"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local prose = require "hamel.show.prose"
local typeset = require "hamel.show.typeset"

local escape = mathml.escape
local report = {}

local style = [[
:root { color-scheme: light dark; --line: #c8cdd3; --good: #007a52; --bad: #c3390c; --note: #8a6d00; --soft: #5a6570; --link: #0b62a8; --code: #8881;
  --key: #8a2be2; --string: #a2420b; --comment: #5f7280; --number: #0a7a4b; }
@media (prefers-color-scheme: dark) { :root { --line: #3a424c; --good: #4fd1a5; --bad: #ff8a65; --note: #e0b040; --soft: #9aa6b2; --link: #6db3f2;
  --key: #c99bff; --string: #f0a36b; --comment: #8b9aa7; --number: #6fd3a2; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1.2rem; counter-reset: equation; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); text-decoration: none; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td.proved, td.computed { color: var(--good); } td.misprint { color: var(--note); font-weight: 600; } td.FAILED { color: var(--bad); font-weight: 700; }
td.definition, td.not-checked { color: var(--soft); } td.number, th.number { text-align: right; width: 1%; } td.not-checked { white-space: nowrap; }
tr.all td { font-weight: 600; } tr.statement { background: var(--code); } tr.statement td { padding-top: .6rem; color: var(--soft); }
.verdicts sub, .verdicts sup { line-height: 0; font-size: .75em; }
.verdicts i { font-size: 1.06em; font-family: "STIX Two Text", "Libertinus Serif", Cambria, Georgia, serif; }
.detail { font-size: .88rem; opacity: .8; overflow-wrap: anywhere; }
pre { background: var(--code); border-radius: .4rem; padding: .6rem .8rem; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.what { font-weight: 600; margin-bottom: .2rem; }
pre.cell { border-left: 3px solid var(--link); margin-top: 1.6rem; }
math { font-size: 1.15em; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", "DejaVu Math TeX Gyre", math, serif; }
.equations { overflow-x: auto; overflow-y: hidden; padding-block: .4rem; scrollbar-width: thin; }
.equations li { margin-bottom: .6rem; } .equations li div { margin: .3rem 0 .3rem 1rem; }
.equations td { border: 0; padding-block: .35rem; } .equations td:first-child { color: var(--soft); white-space: nowrap; width: 1%; }
.numbered tr { counter-increment: equation; }
.numbered tr::after { content: "(" counter(equation) ")"; display: table-cell; text-align: right; color: var(--soft);
  padding: .35rem 0 0 .6rem; width: 1%; }
.wide { overflow-x: auto; scrollbar-width: thin; }
.continued { margin: .3rem 0 .2rem 2rem; } .equations li .wide { overflow-x: auto; scrollbar-width: thin; }
.continued { margin-left: 2rem; }
.counts th.number { font-size: .85rem; } .counts .number { padding-inline: .4rem; }
.verdicts td:first-child { overflow-wrap: anywhere; min-width: 4rem; }
@media (max-width: 44rem) {
  .verdicts, .counts, .verdicts tbody, .counts tbody { display: block; }
  .verdicts tr, .counts tr { display: block; padding-block: .4rem; border-bottom: 1px solid var(--line); }
  .verdicts td, .counts td { border: 0; display: inline-block; padding: 0 .6rem 0 0; }
  .verdicts td:last-child, .counts td:first-child { display: block; padding: .15rem 0; }
  .verdicts tr.heading, .counts tr.heading, .counts td.zero { display: none; }
  .counts td.number { width: auto; font-size: .85rem; } .counts td.number::after { content: " " attr(data-label); color: var(--soft); }
}
.contents { font-size: .92rem; padding-left: 1.8rem; }
@media (max-width: 64rem) { math { font-size: 1em; } }
figure { margin: 1rem 0; } figure svg, figure img { max-width: 100%; height: auto; background: #fff; border-radius: .4rem; }
iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: .4rem; display: block; }
.provenance td:first-child { white-space: nowrap; color: var(--soft); } .provenance td { overflow-wrap: anywhere; }
.l { display: block; padding-left: 4ch; text-indent: -4ch; }
.k { color: var(--key); } .s { color: var(--string); } .c { color: var(--comment); font-style: italic; } .n { color: var(--number); }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } h2 { break-after: avoid; } figure, tr, li > div { break-inside: avoid; }
  iframe { height: 24rem; } }
]]

-- collected parts of the page

local Collector = {}
Collector.__index = Collector

-- Text as it is written, with its line ends
function Collector:write(text)
  local last = self.blocks[#self.blocks]
  if last and last.pre then
    last.pre[#last.pre + 1] = text
  else
    self.blocks[#self.blocks + 1] = { pre = { text } }
  end
end

function Collector:text(line) self:write(line .. "\n") end

-- title: of the section that begins with it, if it does; tex: the same in LaTeX
function Collector:html(text, title, tex)
  self.blocks[#self.blocks + 1] = { html = text, title = title, tex = tex or "\\emph{(A picture or an animation; the report as a page, page.html, shows it.)}" }
end

local kinds_of_image = { gif = "image/gif", png = "image/png", svg = "image/svg+xml" }

-- A motion is a page within the page
function Collector:motion(page, otherwise)
  self:html(('<figure><iframe title="%s" srcdoc="%s"></iframe></figure>'):format(escape(otherwise), escape(page)),
    not self.on_demand and mathml.unescape(page:match "<title>([^<]*)</title>" or otherwise) .. ": animation" or nil)
end

-- Files that the script wrote and that a page can show: animations as pages within the page, films as images
function Collector:file(what, path, bytes)
  local image = kinds_of_image[path:match "%.(%l+)$" or ""]
  if what == "animate" then
    self:motion(bytes, path)
  elseif what == "film" and image then
    self:html(('<figure><img alt="%s" src="data:%s;base64,%s"></figure>'):format(escape(path), image, base64(bytes)))
  end
end

function Collector:figure(svg) self:html("<figure>" .. svg:gsub("^.-<svg", "<svg", 1) .. "</figure>") end

-- The pictures of a script are shown when they are drawn, those of a cell when they are its value
function Collector:drawn(picture, svg)
  if self.on_demand then
    self.on_demand[picture] = svg
  else
    self:figure(svg)
    self.picture = picture
  end
end

--- Shows a value that a page does not show as text; false for the others.
function Collector:show(value)
  local html, title = typeset.value(value)
  local svg = value ~= nil and self.on_demand and self.on_demand[value]
  -- between the texts of a notebook a value is no section
  if html and self.on_demand then
    self:html((title and ('<p class="what">%s</p>'):format(escape(title)) or "") .. html)
  elseif html then
    self:html(html, title, self.format ~= "html" and (latex_page.value(value) or latex_page.verbatim(tostring(value))))
  elseif svg then
    self:figure(svg)
  elseif value ~= nil and rawequal(value, self.picture) then
    self.picture = nil                                       -- the page has it already
  elseif object.is_a(value, "Animation") then
    self:motion(value.page, "motion")
  else
    return false
  end
  return true
end

local function print_into(collector)
  return function(...)
    local words, plain = table.pack(...), {}
    for i = 1, words.n do
      if not collector:show(words[i]) then
        plain[#plain + 1] = type(words[i]) == "table" and answer.text(words[i]) or tostring(words[i])
      end
    end
    if #plain > 0 or words.n == 0 then collector:text(table.concat(plain, "\t")) end
  end
end

-- io.write into the page, unless io.output names a file
local function io_into(collector)
  local page = setmetatable({}, { __name = "Output" })
  local function write(...)
    for i = 1, select("#", ...) do
      local word = select(i, ...)
      if type(word) ~= "string" and type(word) ~= "number" then
        error(("bad argument #%d to 'write' (string expected, got %s)"):format(i, type(word)), 3)
      end
      collector:write(tostring(word))
    end
    return page
  end
  function page.write(_, ...) return write(...) end
  return setmetatable({ write = function(...)
    if io.output() ~= io.stdout then return io.write(...) end
    return write(...)
  end }, { __index = io })
end

-- ---- the page

local function verdict_text(paper)
  local out = { paper:summary() }
  for _, line in ipairs(paper.lines) do
    out[#out + 1] = ("%-10s %-11s %s"):format(line.equation, line.verdict, line.what)
    for _, detail in ipairs(line.details) do out[#out + 1] = (" "):rep(23) .. tostring(detail) end
  end
  return table.concat(out, "\n")
end

-- The statements of the text that a line is the first one to check, as a row above it
local function statement_rows(paper, line, shown)
  local rows = {}
  for _, statement in ipairs(paper.statements) do
    if not shown[statement.id] and paper._names_statement(line.equation, statement.id) then
      shown[statement.id] = true
      rows[#rows + 1] = ('<tr class="statement"><td>%s</td><td colspan="2">%s%s</td></tr>'):format(escape(statement.id), prose(statement.text),
        statement.status and (' <span class="detail">(%s)</span>'):format(escape(statement.status)) or "")
    end
  end
  return table.concat(rows, "\n")
end

local function verdict_table(paper)
  local rows, shown = { "<tr class=\"heading\"><th>equation</th><th>verdict</th><th>what</th></tr>" }, {}
  for _, line in ipairs(paper.lines) do
    rows[#rows + 1] = statement_rows(paper, line, shown)
    local details = {}
    for i, detail in ipairs(line.details) do
      details[i] = type(detail) ~= "string" and typeset.value(detail) or '<div class="detail">' .. prose(tostring(detail)) .. "</div>"
    end
    rows[#rows + 1] = ('<tr><td>%s</td><td class="%s">%s</td><td>%s%s</td></tr>'):format(escape(line.equation), (line.verdict:gsub(" ", "-")), line.verdict,
      prose(line.what), table.concat(details))
  end
  return ('<p>%s</p><table class="verdicts">%s</table>'):format(paper:summary(), table.concat(rows, "\n"))
end

-- Where somebody keeps a file is nobody else's business: of an absolute path the name alone
local function shown_path(path) return path:find "^/" and path:match "[^/]*$" or path end

local function provenance_rows(collector, path, seconds)
  return {
    { "program", files.program() }, { "script", shown_path(path) }, { "time", os.date "!%Y-%m-%d %H:%M:%S UTC" }, { "took", ("%.2f s"):format(seconds) },
    { "arguments", table.concat(collector.arguments, " ") },
  }
end

local function provenance_text(collector, rows)
  local out = {}
  for _, r in ipairs(rows) do if r[2] ~= "" then out[#out + 1] = ("%-10s %s"):format(r[1], r[2]) end end
  for i = 1, math.min(200, #collector.runs) do out[#out + 1] = ("run %d: %s"):format(i, collector.runs[i]) end
  return table.concat(out, "\n")
end

local function provenance(collector, rows)
  local out = {}
  for _, r in ipairs(rows) do if r[2] ~= "" then out[#out + 1] = ("<tr><td>%s</td><td>%s</td></tr>"):format(r[1], escape(r[2])) end end
  local runs = {}
  for i, run in ipairs(collector.runs) do
    if i <= 200 then runs[i] = ("<tr><td>%d</td><td>%s</td></tr>"):format(i, escape(run):gsub("\n", "<br>")) end
  end
  local more = #collector.runs > 200 and ("<p>... %d runs more</p>"):format(#collector.runs - 200) or ""
  return '<table class="provenance">' .. table.concat(out, "\n") .. "</table>"
    .. (#runs > 0 and ("<details><summary>%d %s: method, tolerances, parameters</summary><table>%s</table>%s</details>"):format(#collector.runs,
      #collector.runs == 1 and "run" or "runs", table.concat(runs, "\n"), more) or "")
end

local function source_of(collector, path)
  return ('<details%s><summary>%s</summary><pre><code>%s</code></pre></details>'):format(collector.format == "pdf" and " open" or "",
    escape(path:match "[^/]*$"), highlight(collector.source, "lua"))
end

local SHOWN, KEPT, WIDEST = 200, 5000, 2000        -- lines that are open, lines of a page in all; characters of a line

-- Printed text; long ones are folded, very long ones cut
local function text_html(text)
  local lines, cut = {}, 0
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    if #lines < KEPT then
      lines[#lines + 1] = #line <= WIDEST and line or line:sub(1, (utf8.offset(line, 0, WIDEST) or WIDEST) - 1) .. " ..."
    else
      cut = cut + 1
    end
  end
  if #lines <= SHOWN then return "<pre>" .. escape(table.concat(lines, "\n")) .. "</pre>" end
  return ("<pre>%s</pre><details><summary>%d lines more</summary><pre>%s</pre></details>%s"):format(escape(table.concat(lines, "\n", 1, SHOWN)),
    #lines - SHOWN, escape(table.concat(lines, "\n", SHOWN + 1)),
    cut > 0 and ("<p>%d further lines are left out; hamel script.lua prints them.</p>"):format(cut) or "")
end

-- Sections with titles and anchors; { title, html, tex }, title nil where the text continues
local function sections_of(collector, title, path, seconds, failure)
  local list = {}
  local function add(html, heading, tex) list[#list + 1] = { html = html, title = heading, tex = tex } end
  local function add_text(text, heading) add(text_html(text), heading, latex_page.verbatim(text)) end
  local folder = path:match "^/.*/"
  if failure and folder then failure = failure:gsub(folder:gsub("%W", "%%%0"), "") end
  if failure then add_text(failure, collector.what .. " failed") end
  for _, paper in ipairs(collector.papers) do
    add(verdict_table(paper), paper.title ~= title and paper.title or "Verdicts", latex_page.verbatim(verdict_text(paper)))
  end
  for _, block in ipairs(collector.blocks) do
    if block.pre then add_text((table.concat(block.pre):gsub("\n$", ""))) else add(block.html, block.title, block.tex) end
  end
  if collector.source then add(source_of(collector, path), "Source", latex_page.verbatim(collector.source)) end
  local rows = provenance_rows(collector, path, seconds)
  add(provenance(collector, rows), "Provenance", latex_page.verbatim(provenance_text(collector, rows)))
  return list
end

--- What the first bytes of every page of ours contain.
report.generator = '<meta name="generator" content="hamel '

--- A page of sections { title, html }; title nil where the text continues. above: HTML before the title, or nil.
function report.page(title, sections, above)
  local body, contents = {}, {}
  for i, section in ipairs(sections) do
    if section.title then
      contents[#contents + 1] = ('<li><a href="#part-%d">%s</a></li>'):format(i, escape(section.title))
      body[#body + 1] = ('<h2 id="part-%d">%s</h2>'):format(i, escape(section.title))
    end
    body[#body + 1] = section.html
  end
  local nav = #contents > 0 and '<nav><ol class="contents">' .. table.concat(contents, "\n") .. "</ol></nav>" or ""
  return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">%s%s">'
    .. "<title>%s</title>\n<style>%s</style></head><body>\n%s<h1>%s</h1>\n%s\n%s\n</body></html>\n"):format(report.generator, escape(core.version),
      escape(title), style, above or "", escape(title), nav, table.concat(body, "\n"))
end

-- ---- PDF, by a browser that prints the page, or by LaTeX

local browsers = { "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser" }

-- The browser or LaTeX that makes a PDF here: its command, and "page" or "tex", what it reads
local function printer(only_page)
  for _, name in ipairs(browsers) do if core.host.spawn({ name, "--version" }, "", 20) == 0 then return name, "page" end end
  if only_page then
    object.fail("report: a PDF of a notebook is made by a browser, and none is installed (Debian: chromium); -o page.html makes a page that any browser prints")
  end
  if core.host.spawn({ "pdflatex", "--version" }, "", 20) == 0 then return "pdflatex", "tex" end
  object.fail("report: a PDF is made by a browser or by LaTeX, and neither is installed (Debian: chromium, or texlive-latex-base); "
    .. "-o page.html makes a page that any browser prints")
end

-- What is run in the folder for a PDF. The sandbox is off since it does not start for root; the page is our own and loads nothing.
local function commands(name, kind, folder)
  if kind == "tex" then
    local run = { name, "-interaction=nonstopmode", "-output-directory=" .. folder, folder .. "/report.tex" }
    return { run, run }                                      -- the second time with the contents
  end
  return { { name, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--user-data-dir=" .. folder .. "/profile",
    "--virtual-time-budget=3000", "--print-to-pdf=" .. folder .. "/report.pdf", "file://" .. folder .. "/report.html" } }
end

-- The bytes of the PDF of a page, or of a LaTeX document
local function pdf_of(text, name, kind)
  local folder, problem = core.host.private_folder()
  if not folder then object.fail("report: no private folder: %s", problem) end
  local bytes
  if core.host.write(folder .. (kind == "tex" and "/report.tex" or "/report.html"), text) then
    for _, command in ipairs(commands(name, kind, folder)) do core.host.spawn(command, "", 120) end
    bytes = files.read(folder .. "/report.pdf")
  end
  core.host.spawn({ "rm", "-r", folder }, "", 60)
  return bytes or object.fail("report: %s made no PDF", name)
end

-- ---- running a script under observation

local leaving = {}                     -- thrown in place of os.exit

-- The line of a chunk that runs, by the name of its source; nil where it is not on the stack, as inside a coroutine
local function line_in(source)
  for level = 2, math.huge do
    local about = debug.getinfo(level, "Sl")
    if not about then return nil end
    if about.what == "main" and about.source == source then return about.currentline end
  end
end

-- Are there words of Lua in a text, besides comments?
local function has_code(text)
  local word, at = 1
  repeat
    at = text:match("^%s*()", word)
    local _, behind_block = text:match("^%-%-%[(=*)%[.-%]%1%]()", at)
    word = behind_block or text:match("^%-%-[^\n]*()", at) or at
  until word == at
  return at <= #text
end

--- The line behind the statement at a line of a text, when there is code from there on: a statement ends where the text up to it is a chunk.
function report.line_behind(text, line)
  text = text:gsub("^#[^\n]*", "")
  local number = 0
  for behind in (text .. "\n"):gmatch "\n()" do
    number = number + 1
    if number >= line and load(text:sub(1, behind - 1), "=text", "t") then return has_code(text:sub(behind)) and number + 1 or nil end
  end
end

local function run_line(run)
  local parameters, o = {}, run.options
  for i, symbol in ipairs(run.observer.parameters) do
    parameters[i] = core.name(symbol) .. " = " .. run.system:value_text(core.name(symbol), run.observer.values[i])
  end
  return ("%s, form %s, method %s, rtol = %s, atol = %s, t = %g to %g\n%s"):format(run.system.name, run.equations.form, o.method, object.number(o.rtol),
    object.number(o.atol), run.span[1], run.span[2], table.concat(parameters, ", "))
end

-- Registers the collector; the function that takes it out again
local function observe(collector)
  local removers = {
    listeners.add("paper", function(paper)
      collector.papers[#collector.papers + 1] = paper
      paper._quiet = true
    end),
    listeners.add("run", function(run) collector.runs[#collector.runs + 1] = run_line(run) end),
    listeners.add("file", function(what, path, bytes) collector:file(what, path, bytes) end),
    listeners.add("show", function(value)
      if not collector:show(value) then collector:text(answer.text(value)) end
    end),
    listeners.add("picture", function(picture, svg)
      if svg then collector:drawn(picture, svg) end
    end),
  }
  return function() for _, remove in ipairs(removers) do remove() end end
end

-- The globals of the script and of the modules that it loads: print, os.exit and arg of their own before those of everybody
local function globals_for(collector, path)
  local own = { print = print_into(collector), io = io_into(collector), arg = { [0] = path, table.unpack(collector.arguments) } }
  own._G = own
  own.os = setmetatable({ exit = function(status)
    error(setmetatable({ status = status, line = line_in(collector.main) }, leaving), 0)
  end }, { __index = os })
  function own.dofile(name) return assert(loadfile(name, "t", own))() end
  function own.require(name)
    local file = not name:find "^hamel" and package.searchpath(name, package.path)
    local chunk = file and loadfile(file, "t", own)
    if chunk then package.preload[name] = package.preload[name] or function() return chunk(name, file) end end
    return require(name)
  end
  return setmetatable(own, { __index = _G })
end

local library = debug.getinfo(1, "S").source:match "^(.*)show/report%.lua$"

-- The message with the lines of the script that led to it, without those of the library
local function with_own_lines(message)
  local lines, level = { message }, 3
  for about in function() return debug.getinfo(level, "Sln") end do
    level = level + 1
    if about.currentline > 0 and about.source:sub(1, #library) ~= library then
      lines[#lines + 1] = ("%s:%d: in %s"):format(about.short_src, about.currentline,
        about.name and "function '" .. about.name .. "'" or about.what == "main" and "main chunk" or "a function")
    end
  end
  return table.concat(lines, "\n\t")
end

-- The title: of the script's first table of verdicts, or of the notebook
local function title_of(collector, path) return collector.title or collector.papers[1] and collector.papers[1].title or path:match "[^/]*$" end

-- A script that os.exit ends before its last statement is said to be cut, whatever the status
local function tell_cut(collector, words)
  if words then collector:html(("<p>%s</p>"):format(escape(words)), "Ended by os.exit", latex_page.verbatim(words)) end
  return words
end

-- Calls the script or the cells: true when they succeeded, the message where they failed, and what os.exit left out
local function run(collector, chunk, arguments)
  local status, cut
  local ok, problem = xpcall(chunk, function(e)
    if getmetatable(e) == leaving then return e end
    return collector.trace(type(e) == "table" and not getmetatable(e) and "the script raised a table as its error" or tostring(e))
  end, table.unpack(arguments))
  if not ok and getmetatable(problem) == leaving then
    ok, status = true, problem.status
    cut = tell_cut(collector, collector.left_out(problem.line))
  end
  local failed = not ok or cut or (status ~= nil and status ~= true and status ~= 0)
  for _, paper in ipairs(collector.papers) do failed = failed or paper.failed > 0 end
  return not failed, not ok and problem or nil, cut
end

--- Runs a job and collects what it shows. job: path; arguments; what = "The script", for messages; source = text shown at the end, or false;
--- on_demand = true where pictures are shown as values alone; only_page = true where there is no LaTeX; trace(message) -> message with its places;
--- left_out(line) -> what os.exit at this line left out in words, or nil; main: the source of the chunk, as debug.getinfo names it;
--- chunk(collector, globals) -> the function that runs, or nil and why not. format: "html", "pdf" or "tex", for what is collected.
--- The result has papers (of hm.paper), title, seconds, fine (it ran to its end and no check failed), problem (the message of a job that failed),
--- cut (what os.exit left out), sections() for report.page.
function report.collect(job, format)
  local collector = setmetatable({ blocks = {}, papers = {}, runs = {}, arguments = job.arguments or {}, picture = nil, source = job.source,
    what = job.what, title = false, trace = job.trace, left_out = job.left_out, main = job.main,
    on_demand = job.on_demand and {}, format = format }, Collector)
  local chunk, message = job.chunk(collector, globals_for(collector, job.path))
  if not chunk then object.fail("report: %s", message) end
  local begun, restore = core.host.clock(), observe(collector)
  local fine, problem, cut = run(collector, chunk, collector.arguments)
  restore()
  local seconds, title = core.host.clock() - begun, title_of(collector, job.path)
  return {
    papers = collector.papers, title = title, seconds = seconds, fine = fine, problem = problem, cut = cut,
    sections = function() return sections_of(collector, title, job.path, seconds, problem) end,
  }
end

--- Makes a page of what a job of report.collect shows while it runs. Returns what report.write does.
function report.make(job, out)
  local format, name, kind = out:match "%.(%l+)$", nil, nil
  if format == "pdf" then name, kind = printer(job.only_page) end         -- refused before the script runs
  local seen = report.collect(job, (format == "pdf" or format == "tex") and format or "html")
  local text = ((format == "tex" or kind == "tex") and latex_page.document or report.page)(seen.title, seen.sections())
  if format == "pdf" then text = pdf_of(text, name, kind) end
  files.write("report", out, text)
  return seen.fine, #text, seen.problem, seen.cut
end

--- The job of report.collect that runs a script.
function report.script(path, arguments)
  local source = files.read(path) or ""
  return {
    path = path, arguments = arguments, what = "The script", source = source, on_demand = false, only_page = false,
    trace = with_own_lines, main = "@" .. path,
    left_out = function(line)
      local behind = line and report.line_behind(source, line)
      return behind and ("os.exit ended the script in line %d; from line %d on nothing was run"):format(line, behind)
    end,
    chunk = function(_, globals) return loadfile(path, "t", globals) end,
  }
end

--- Runs a script and writes what it shows as one self-contained HTML page: equations typeset in MathML, verdicts of hm.paper, pictures of
--- run:plot and animations inline, the rest as text, the script itself, provenance (version, time, runs with methods, tolerances, parameters). A name
--- that ends in .tex gets a LaTeX document without pictures, one in .pdf the page printed by a browser, or by LaTeX where no browser is installed.
--- The page is written even when the script fails. Returns true when the script ran to its end and no check failed, the size of the page in bytes,
--- the message of a script that failed, with its line, and what os.exit left out, which the page says too.
--- At the shell: hamel report script.lua [-o page.html | page.pdf | page.tex] [arguments]; a notebook in place of the script is run without Jupyter.
function report.write(path, out, arguments) return report.make(report.script(path, arguments), out) end

--- The words of the command line: the file that is read, the one that is written (nil when not given), the arguments of the script.
function report.words(arguments)
  local path, out, rest, i = nil, nil, {}, 1
  while i <= #arguments do
    local word = arguments[i]
    if word == "-o" and #rest == 0 then
      out = arguments[i + 1] or object.wrong_usage("report: a file name is missing after -o")
      i = i + 1
    elseif not path then
      path = word
    else
      rest[#rest + 1] = word
    end
    i = i + 1
  end
  return path, out, rest
end

--- Says what report.make or report.write returned; raises the message of a script that failed.
function report.tell(out, fine, size, problem, cut)
  local words = problem and ", up to the line that failed" or cut and "; " .. cut or ", with failures"
  print(("%s: %d KB%s"):format(out, size//1024, fine and "" or words))
  if problem then error((problem:gsub("\n\t.*$", "")), 0) end
  return fine
end

return report
