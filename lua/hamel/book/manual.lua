-- manual.lua: hamel manual: the reference out of the docstrings and the tutorials out of their Markdown, as one HTML page or as a site.
local core = require "hamel.core"
local files = require "hamel.base.files"
local help = require "hamel.book.help"
local markdown = require "hamel.book.markdown"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local Site = require "hamel.book.site"

local escape, fail = mathml.escape, object.fail
local manual = {}

local style = [[
:root { color-scheme: light dark; --line: #bbb; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 74rem; display: flex; gap: 2rem; padding: 0 1rem; }
nav { flex: 0 0 15rem; font-size: .88rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem 0; }
nav ul { list-style: none; padding-left: .6rem; margin: 0; }
main { flex: 1; min-width: 0; padding: 1rem 0 6rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; border-bottom: 1px solid var(--line); margin-top: 3rem; }
h3 { font-size: 1.05rem; margin-top: 1.8rem; } h4 { font-size: 1rem; margin: 1.4rem 0 .2rem; } h4.entry { font-family: ui-monospace, monospace; }
pre { background: #8881; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86rem; } pre.out { border-left: 3px solid #0072B2; }
.l { display: block; padding-left: 4ch; text-indent: -4ch; } .c { opacity: .7; } .k { font-weight: 600; }
pre.formula { background: none; } math { font-size: 1.15em; }
code { font-size: .92em; background: #8882; } pre code { background: none; } p.page { white-space: pre-wrap; margin: .2rem 0; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
]]

local anchor = markdown.anchor

-- the reference, by the beginnings of the names

local groups = {
  { "hm", "hm: the library", "^hm" }, { "S", "S: a system", "^S[:.]" }, { "run", "run: a trajectory", "^run" }, { "state", "state of a run", "^state" },
  { "sweep", "sweep: many runs", "^sweep" }, { "e", "e: an expression", "^e[:.]" }, { "matrix", "matrices", "^matrix" },
  { "equations", "equations of motion", "^equations" }, { "other", "further objects", "^[%w_]+[:.]" },
  { "commands", "commands of the shell", "^hamel " }, { "forms", "forms, laws, methods", "" },
}

local function reference()
  local out, nav, taken = {}, {}, {}
  for _, group in ipairs(groups) do
    local list = {}
    for _, entry in ipairs(help.entries()) do
      if not taken[entry] and not help.is_internal(entry) and entry.name:find(group[3]) then
        taken[entry] = true
        list[#list + 1] = entry
      end
    end
    table.sort(list, function(a, b) return a.name < b.name end)
    if #list > 0 then
      out[#out + 1] = ('<h2 id="%s">%s</h2>'):format("ref-" .. group[1], escape(group[2]))
      nav[#nav + 1] = ('<li><a href="#ref-%s">%s</a></li>'):format(group[1], escape(group[2]))
      for _, entry in ipairs(list) do
        out[#out + 1] = ('<h4 class="entry" id="%s">%s</h4><p class="page">%s</p>'):format(anchor(entry.name), escape(entry.signature),
          escape(entry.text .. help.option_lines(entry)))
      end
    end
  end
  return table.concat(out, "\n"), table.concat(nav, "\n")
end

local function read(path)
  local file = io.open(path)
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

-- Documents are sections of the page; what is elsewhere has no address
local function link_within(target)
  if target:find "^https?://" then return target end
  local stem = target:match "([%w_]+)%.md"
  return stem and "#" .. anchor(stem)
end

local function documents()
  local folder = help.examples_folder() or fail("manual: the folder of the examples is not here")
  local out, nav = {}, {}
  for _, part in ipairs{ { "tutorials", "Tutorials" }, { "laws", "Laws of impact and friction" } } do
    local names = part[1] == "tutorials" and Site.chapters or Site.names_in(folder .. part[1] .. "/", "^(.*)%.md$")
    out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(part[1], part[2])
    nav[#nav + 1] = ('<li><a href="#%s">%s</a></li>'):format(part[1], part[2])
    for _, stem in ipairs(names) do
      local text = read(folder .. part[1] .. "/" .. stem .. ".md")
      if text then
        local html = markdown.html(text, { name = stem, link = link_within, prefix = anchor(stem) .. "--" }, 2)
        out[#out + 1] = ('<section id="%s">%s</section>'):format(anchor(stem), html)
        nav[#nav + 1] = ('<li>&nbsp; <a href="#%s">%s</a></li>'):format(anchor(stem), escape(((text:match "^# ([^\n]*)" or stem):gsub("`", ""))))
      end
    end
  end
  return table.concat(out, "\n"), table.concat(nav, "\n")
end

--- The manual as one HTML page: tutorials and laws (their examples run as tests), the reference out of the docstrings. Returns the bytes written.
--- At the shell: hamel manual [-o manual.html].
function manual.write(path)
  local texts, first = documents()
  local pages, second = reference()
  local title = "Hamel " .. core.version .. ": manual"
  local text = table.concat{ '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>',
    title, "</title>\n<style>", style, "</style></head><body><nav><strong>Hamel ", core.version, "</strong><ul>", first, "\n", second,
    "</ul></nav><main><h1>", title, "</h1>\n", texts, "\n", pages, "</main></body></html>\n" }
  files.write("manual", path, text)
  return #text
end

local usage = "usage: hamel manual [-o manual.html | -o folder/] [--seconds N]"

-- Options of the command line
local function read_arguments(arguments)
  local path, o, i = "manual.html", {}, 1
  while i <= #arguments do
    local word, value = arguments[i], arguments[i + 1]
    if word == "-o" then path = value or object.wrong_usage("manual: a file name or a folder is missing after -o")
    elseif word == "--seconds" then o.seconds = tonumber(value) or object.wrong_usage("manual: a number of seconds is missing after --seconds")
    else object.wrong_usage(usage) end
    i = i + 2
  end
  return path, o
end

--- hamel manual [-o manual.html]: writes the manual as one page. A name with a slash at its end, or without .html, is the folder of a site with search.
function manual.command(arguments)
  local path, o = read_arguments(arguments)
  if path:find "%.html?$" then
    print(("%s: %d KB"):format(path, manual.write(path)//1024))
    return true
  end
  local made = Site.write(path, o)
  for _, note in ipairs(made.notes) do print("note: " .. note) end
  print(("%sindex.html: %d pages, %d entries in the search, %d KB"):format(path:gsub("/*$", "/"), made.pages, made.entries, made.bytes//1024))
  return true
end

return manual
