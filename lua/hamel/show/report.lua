-- report.lua: hamel report: a script run with everything it shows collected into one HTML page: verdicts, equations, pictures, provenance.
local core = require "hamel.core"
local Derivation = require "hamel.analysis.derivation"
local Equations = require "hamel.equations"
local files = require "hamel.base.files"
local listeners = require "hamel.base.listeners"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"

local escape = mathml.escape
local report = {}

local style = [[
:root { color-scheme: light dark; --line: #bbb; --good: #007a52; --bad: #c3390c; --note: #8a6d00; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td.agrees, td.definition { color: var(--good); } td.misprint { color: var(--note); font-weight: 600; } td.FAILED { color: var(--bad); font-weight: 700; }
.detail { font-size: .88rem; opacity: .8; overflow-wrap: anywhere; } pre { overflow-x: auto; background: #8881; padding: .6rem; font-size: .85rem; }
math { font-size: 1.08rem; } .equations { overflow-x: auto; }
.equations li { margin-bottom: .6rem; } .equations li div { margin: .2rem 0 .2rem 1rem; }
.equations td:first-child { opacity: .7; white-space: nowrap; width: 1%; } .equations td { border: 0; }
.continued { margin: .3rem 0 .2rem 2rem; }
figure { margin: 1rem 0; background: #fff; } figure svg { max-width: 100%; height: auto; } .provenance td:first-child { white-space: nowrap; opacity: .7; }
]]

-- collected parts of the page

local WIDTH = 42                       -- of a formula on the page, in em

local function equations_block(E)
  local rows, names = {}, {}
  for i, row in ipairs(E.rows) do names[i] = row.name end
  for _, c in ipairs(E.kinematic and {} or E.system.constraints) do names[#names + 1] = c.name end
  for line in E:latex{ width = WIDTH }:gsub("\\begin{align}\n", ""):gsub("\n\\end{align}", ""):gmatch "[^\n]+" do
    local plain, continued = line:gsub("%s*\\\\$", ""):gsub("%s*\\notag$", ""):gsub("^&\\qquad", "")
    local formula = mathml.of(plain, "row")
    if continued > 0 then rows[#rows] = rows[#rows] .. ('<div class="continued">%s</div>'):format(formula)
    else rows[#rows + 1] = ("<tr><td>%s</td><td>%s"):format(escape(names[#rows + 1] or ""), formula) end
  end
  for i, row in ipairs(rows) do rows[i] = row .. "</td></tr>" end
  return ('<div class="equations"><p>%s: %s</p><table>%s</table></div>'):format(escape(E.system.name), escape(E.title), table.concat(rows, "\n"))
end

local function derivation_block(D)
  local items = {}
  for i, one in ipairs(D) do
    local rows = {}
    for k, row in ipairs(one) do
      local value = core.is_expression(row.value) and core.latex(row.value) or ("\\text{%s}"):format(row.value)
      rows[k] = ("<div>%s</div>"):format(mathml.of(row.latex .. " = " .. value, "row"))
    end
    items[i] = ("<li>%s%s</li>"):format(escape(one.title), table.concat(rows, "\n"))
  end
  return ('<div class="equations"><p>%s: %s, step by step</p><ol>%s</ol></div>'):format(escape(D.system.name), escape(D.title), table.concat(items, "\n"))
end

local function shown(value)
  if getmetatable(value) == Derivation.meta then return derivation_block(value) end
  if getmetatable(value) == Equations.meta then return equations_block(value) end
  if core.is_expression(value) then return "<p>" .. mathml.of(core.latex(value), true) .. "</p>" end
  return nil
end

local Collector = {}
Collector.__index = Collector

function Collector:text(line)
  local last = self.blocks[#self.blocks]
  if last and last.pre then
    last.pre[#last.pre + 1] = line
  else
    self.blocks[#self.blocks + 1] = { pre = { line } }
  end
end

function Collector:html(text) self.blocks[#self.blocks + 1] = { html = text } end

local function print_into(collector)
  return function(...)
    local words, plain = table.pack(...), {}
    for i = 1, words.n do
      local html = shown(words[i])
      if html then collector:html(html)
      elseif rawequal(words[i], collector.picture) and words[i] ~= nil then collector.picture = nil   -- it is in the page already
      else plain[#plain + 1] = tostring(words[i]) end
    end
    if #plain > 0 or words.n == 0 then collector:text(table.concat(plain, "\t")) end
  end
end

-- ---- the page

local function verdict_table(paper, title)
  local above = paper.title ~= title and "<h2>" .. escape(paper.title) .. "</h2>" or ""
  local rows = { "<tr><th>equation</th><th>verdict</th><th>what</th></tr>" }
  for _, line in ipairs(paper.lines) do
    local details = {}
    for i, detail in ipairs(line.details) do details[i] = '<div class="detail">' .. escape(detail) .. "</div>" end
    rows[#rows + 1] = ('<tr><td>%s</td><td class="%s">%s</td><td>%s%s</td></tr>'):format(escape(line.equation), line.verdict, line.verdict,
      escape(line.what), table.concat(details))
  end
  return ("%s<p>%d lines, %d misprints, %d failed</p><table>%s</table>"):format(above, #paper.lines, paper.misprints, paper.failed,
    table.concat(rows, "\n"))
end

local function provenance(collector, path, seconds)
  local rows = {
    { "program", files.program() }, { "script", path }, { "time", os.date "!%Y-%m-%d %H:%M:%S UTC" }, { "took", ("%.2f s"):format(seconds) },
    { "arguments", table.concat(collector.arguments, " ") },
  }
  local out = {}
  for _, r in ipairs(rows) do if r[2] ~= "" then out[#out + 1] = ("<tr><td>%s</td><td>%s</td></tr>"):format(r[1], escape(r[2])) end end
  local runs = {}
  for i, run in ipairs(collector.runs) do
    if i <= 200 then runs[i] = ("<tr><td>%d</td><td>%s</td></tr>"):format(i, escape(run):gsub("\n", "<br>")) end
  end
  local more = #collector.runs > 200 and ("<p>... %d runs more</p>"):format(#collector.runs - 200) or ""
  return '<h2>Provenance</h2><table class="provenance">' .. table.concat(out, "\n") .. "</table>"
    .. (#runs > 0 and ("<details><summary>%d runs: method, tolerances, parameters</summary><table>%s</table>%s</details>"):format(#collector.runs,
      table.concat(runs, "\n"), more) or "")
end

local function page(collector, title, path, seconds, failure)
  local body = { "<h1>" .. escape(title) .. "</h1>" }
  if failure then body[#body + 1] = '<h2>The script failed</h2><pre>' .. escape(failure) .. "</pre>" end
  for _, paper in ipairs(collector.papers) do body[#body + 1] = verdict_table(paper, title) end
  for _, block in ipairs(collector.blocks) do
    body[#body + 1] = block.html or "<pre>" .. escape(table.concat(block.pre, "\n")) .. "</pre>"
  end
  body[#body + 1] = provenance(collector, path, seconds)
  return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title>\n<style>%s</style>'
    .. "</head><body>\n%s\n</body></html>\n"):format(escape(title), style, table.concat(body, "\n"))
end

-- ---- running a script under observation

local leaving = {}                     -- thrown in place of os.exit

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
    listeners.add("picture", function(picture, svg)
      if svg then
        collector:html("<figure>" .. svg:gsub("^.-<svg", "<svg", 1) .. "</figure>")
        collector.picture = picture
      end
    end),
  }
  return function() for _, remove in ipairs(removers) do remove() end end
end

-- The globals of the script and of the modules that it loads: print, os.exit and arg of their own before those of everybody
local function globals_for(collector, path)
  local own = { print = print_into(collector), arg = { [0] = path, table.unpack(collector.arguments) } }
  own._G = own
  own.os = setmetatable({ exit = function(status) error(setmetatable({ status = status }, leaving), 0) end }, { __index = os })
  function own.dofile(name) return assert(loadfile(name, "t", own))() end
  function own.require(name)
    local file = not name:find "^hamel" and package.searchpath(name, package.path)
    local chunk = file and loadfile(file, "t", own)
    if chunk then package.preload[name] = package.preload[name] or function() return chunk(name, file) end end
    return require(name)
  end
  return setmetatable(own, { __index = _G })
end

--- Runs a script and writes what it shows as one self-contained HTML page: equations typeset in MathML, verdicts of hm.paper, pictures of
--- run:plot inline, the rest as text, provenance (version, time, runs with methods, tolerances, parameters). The page is written even when
--- the script fails. Returns true when the script succeeded and no check failed. At the shell: hamel report script.lua [-o page.html] [arguments].
function report.write(path, out, arguments)
  local collector = setmetatable({ blocks = {}, papers = {}, runs = {}, arguments = arguments or {}, picture = nil }, Collector)
  local chunk, message = loadfile(path, "t", globals_for(collector, path))
  if not chunk then object.fail("report: %s", message) end
  local begun, restore = core.host.clock(), observe(collector)
  local status
  local ok, problem = xpcall(chunk, function(e)
    if getmetatable(e) == leaving then return e end
    return debug.traceback(tostring(e), 2)
  end, table.unpack(arguments or {}))
  restore()
  if not ok and getmetatable(problem) == leaving then ok, status = true, problem.status end
  local failed = not ok or (status ~= nil and status ~= true and status ~= 0)
  for _, paper in ipairs(collector.papers) do failed = failed or paper.failed > 0 end
  local title = collector.papers[1] and collector.papers[1].title or path:match "[^/]*$"
  local text = page(collector, title, path, core.host.clock() - begun, not ok and problem or nil)
  files.write("report", out, text)
  return not failed, #text
end

--- hamel report: reads the command line; the exit status.
function report.command(arguments)
  local path, out, rest, i = nil, nil, {}, 1
  while i <= #arguments do
    local word = arguments[i]
    if word == "-o" and not path or word == "-o" and #rest == 0 then
      out = arguments[i + 1] or object.fail("report: a file name is missing after -o")
      i = i + 1
    elseif not path then
      path = word
    else
      rest[#rest + 1] = word
    end
    i = i + 1
  end
  if not path then object.fail("usage: hamel report script.lua [-o page.html] [arguments]") end
  out = out or path:match "[^/]*$":gsub("%.lua$", "") .. ".html"
  local fine, size = report.write(path, out, rest)
  print(("%s: %d KB%s"):format(out, size//1024, fine and "" or ", with failures"))
  return fine
end

return report
