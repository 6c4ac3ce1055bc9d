-- manual.lua: hamel manual: the reference out of the docstrings and the tutorials out of their Markdown, as one HTML page.
local core = require "hamel.core"
local files = require "hamel.base.files"
local help = require "hamel.book.help"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"

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
pre { background: #8881; padding: .6rem; overflow-x: auto; font-size: .86rem; } pre.out { border-left: 3px solid #0072B2; }
code { font-size: .92em; background: #8882; } pre code { background: none; } p.page { white-space: pre-wrap; margin: .2rem 0; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
]]

-- ---- Markdown, as much as our documents use: headings, paragraphs, fenced blocks, tables, lists, `code`, **strong**, links

local function anchor(text) return (text:lower():gsub("[^%w]+", "-"):gsub("^%-", ""):gsub("%-$", "")) end

local function inline(text)
  local out, kept = {}, {}
  -- code first: nothing inside it is read
  text = text:gsub("`([^`]+)`", function(code)
    kept[#kept + 1] = "<code>" .. escape(code) .. "</code>"
    return "\1" .. #kept .. "\2"
  end)
  text = escape(text):gsub("%*%*(.-)%*%*", "<strong>%1</strong>"):gsub("%[([^%]]+)%]%(([^%)]+)%)", function(label, target)
    local name = target:match "([%w_]+)%.md$"
    return name and ('<a href="#%s">%s</a>'):format(anchor(name), label) or label
  end)
  out[1] = text:gsub("\1(%d+)\2", function(k) return kept[tonumber(k)] end)
  return out[1]
end

local function cells(line)
  local list = {}
  for cell in line:gsub("^%s*|", ""):gsub("|%s*$", ""):gmatch "[^|]+" do list[#list + 1] = inline(cell:match "^%s*(.-)%s*$") end
  return list
end

local function markdown(text, level)
  local out, paragraph, item, in_table = {}, {}, {}, false
  local function flush()
    if #paragraph > 0 then out[#out + 1] = "<p>" .. inline(table.concat(paragraph, "\n")) .. "</p>" end
    if #item > 0 then out[#out + 1] = "<ul><li>" .. table.concat(item, "</li><li>") .. "</li></ul>" end
    if in_table then out[#out + 1] = "</table>" end
    paragraph, item, in_table = {}, {}, false
  end
  local fence, block = nil, {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local mark, kind = line:match "^(```)(%w*)"
    local hashes, title = line:match "^(#+) (.*)$"
    if fence and mark then
      out[#out + 1] = ('<pre%s><code>%s</code></pre>'):format(fence == "text" and ' class="out"' or "", escape(table.concat(block, "\n")))
      fence, block = nil, {}
    elseif fence then
      block[#block + 1] = line
    elseif mark then
      flush()
      fence = kind
    elseif hashes then
      flush()
      local h = math.min(6, #hashes + level)
      out[#out + 1] = ("<h%d>%s</h%d>"):format(h, inline(title), h)
    elseif line:find "^|" and not line:find "^|%s*%-" then             -- not the rule below the heads
      if not in_table then flush() out[#out + 1] = "<table>" end
      out[#out + 1] = "<tr><td>" .. table.concat(cells(line), "</td><td>") .. "</td></tr>"
      in_table = true
    elseif line:find "^%- " then
      if #paragraph > 0 then flush() end
      item[#item + 1] = inline(line:sub(3))
    elseif line == "" then
      flush()
    elseif not line:find "^|" then
      paragraph[#paragraph + 1] = line:gsub("^    ", "")
    end
  end
  flush()
  return table.concat(out, "\n")
end

-- the reference, by the beginnings of the names

local groups = {
  { "hm", "hm: the library", "^hm" }, { "S", "S: a system", "^S[:.]" }, { "run", "run: a trajectory", "^run" }, { "state", "state of a run", "^state" },
  { "sweep", "sweep: many runs", "^sweep" }, { "e", "e: an expression", "^e[:.]" }, { "matrix", "matrices", "^matrix" },
  { "equations", "equations of motion", "^equations" }, { "other", "further objects", "^[%w_]+[:.]" }, { "forms", "forms, laws, methods", "" },
}

local function reference()
  local out, nav, taken = {}, {}, {}
  for _, group in ipairs(groups) do
    local list = {}
    for _, entry in ipairs(help.entries()) do
      if not taken[entry] and entry.name:find(group[3]) then
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

local function documents()
  local folder = help.examples_folder() or fail("manual: the folder of the examples is not here")
  local out, nav = {}, {}
  for _, part in ipairs{ { "tutorials", "Tutorials" }, { "laws", "Laws of impact and friction" } } do
    local names = core.host.list(folder .. part[1]) or {}
    table.sort(names)
    out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(part[1], part[2])
    nav[#nav + 1] = ('<li><a href="#%s">%s</a></li>'):format(part[1], part[2])
    for _, name in ipairs(names) do
      local text = name:find "%.md$" and read(folder .. part[1] .. "/" .. name)
      if text then
        local stem = name:gsub("%.md$", "")
        out[#out + 1] = ('<section id="%s">%s</section>'):format(anchor(stem), markdown(text, 2))
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

--- hamel manual: reads the command line.
function manual.command(arguments)
  local path = "manual.html"
  if arguments[1] == "-o" then path = arguments[2] or fail("manual: a file name is missing after -o")
  elseif arguments[1] then fail("usage: hamel manual [-o manual.html]") end
  print(("%s: %d KB"):format(path, manual.write(path)//1024))
  return true
end

return manual
