-- init.lua: the manual as a static site: chapters, how-tos, theory, gallery, reference, search; every link is known before a page is written.
local c_interface = require "hamel.book.site.c_interface"
local core = require "hamel.core"
local concepts = require "hamel.book.concepts"
local files = require "hamel.base.files"
local gallery = require "hamel.book.site.gallery"
local guides = require "hamel.book.site.guides"
local help = require "hamel.book.help"
local look = require "hamel.book.site.look"
local markdown = require "hamel.book.markdown"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local plain = require "hamel.book.plain"
local reference = require "hamel.book.site.reference"
local synonyms = require "hamel.base.synonyms"
local theory = require "hamel.book.site.theory"

local escape, fail = mathml.escape, object.fail
local Site = {}
Site.__index = Site

-- The order of the tutorials; a file that is not here is refused, so that none is forgotten
local chapters = {
  "first_steps", "choosing_a_formalism", "constraints_and_models", "bodies", "integrals_and_symmetry", "impacts_and_friction", "charts_and_branches",
  "accuracy_and_speed", "proving_an_orbit", "the_language", "reproducing_a_paper",
  "exercises", "own_form", "extending_the_core",
}

--- The part of that title, made when it is new.
function Site:part(title)
  for _, part in ipairs(self.parts) do if part.title == title then return part end end
  local part = { title = title }
  self.parts[#self.parts + 1] = part
  return part
end

--- Enters a page { file, title, kind, write = function() return html end } into a part.
function Site:page(part, page)
  if self.by_file[page.file] then fail("manual: two pages are called %s", page.file) end
  page.part, page.headings = part, {}
  self.by_file[page.file] = page
  part[#part + 1] = page
  self.order[#self.order + 1] = page
  return page
end

--- Enters a place of the page that is being written into the index of the search.
function Site:index_entry(anchor, title, kind, text)
  text, title = plain.text(text), plain.text(title)
  if #text > 400 then text = text:sub(1, 400):gsub("[\128-\255]*$", "") end
  self.index[#self.index + 1] = { self.writing.file, anchor, title, kind, text }
end

function Site:read(path)
  local bytes, problem = files.read(path)
  return bytes or fail("manual: cannot read %s: %s", path, problem)
end

--- HTML of a Markdown text on the page that is being written; its headings go into contents and index.
function Site:markdown(text, name)
  local page = self.writing
  local html, headings = markdown.html(text, {
    name = name,
    place = function(code) return self.places["status " .. code] or self.places[code:match "^(%a+[.:][%a_][%w_]*)" or ""] end,
    link = function(target)
      if target:find "^https?://" or target:find "^#" then return target end
      local stem, anchor = target:match "([%w_]+)%.md(#?.*)$"
      return stem and self.stems[stem] and self.stems[stem] .. anchor or target:match "^[%w_]+%.html.*$"
    end,
  })
  for _, h in ipairs(headings) do
    page.headings[#page.headings + 1] = h
    self:index_entry(h.level > 1 and h.id or "", h.level > 1 and h.title or page.title, page.kind, table.concat(h.words, " "))
  end
  return html
end

--- A page that is one Markdown file; more: what follows it.
function Site:document(part, path, page, more)
  local text = self:read(path)
  local stem = path:match "([%w_]+)%.md$"
  page.title = page.title or (text:match "^# ([^\n]*)" or stem):gsub("`", "")
  page.file = page.file or stem .. ".html"
  page.short = page.title:match "^[^:]+"                     -- in the list of pages
  self.stems[stem] = self.stems[stem] or page.file
  page.write = function() return self:markdown(text, path:match "[^/]*$") .. (more and more() or "") end
  return self:page(part, page)
end

local function names_in(folder, pattern)
  local names = {}
  for _, file in ipairs(core.host.list(folder) or {}) do names[#names + 1] = file:match(pattern) end
  table.sort(names)
  return names
end

Site.names_in = names_in

-- ---- parts

local function learn(site)
  local part, folder = site:part "Learn", site.examples .. "tutorials/"
  for _, name in ipairs(chapters) do
    site:document(part, folder .. name .. ".md", { file = name == "first_steps" and "index.html" or nil, kind = "tutorial" })
  end
  for _, name in ipairs(names_in(folder, "^(.*)%.md$")) do
    if not object.contains(chapters, name) then fail("manual: %s.md has no place among the chapters of book/site/init.lua", name) end
  end
end

local function welcome(site)
  local cards = {}
  for _, row in ipairs{
    { "choosing_a_formalism.html", "Learn", "Tutorials in order, each with results that are checked" },
    { "howto.html", "How to", "A force, a law, an event, a file, a film: one page each" },
    { "theory.html", "Theory", "Every form, law and method: equations, conditions, sources" },
    { "gallery.html", "Gallery", "Classical systems with pictures and their source" },
    { "troubleshooting.html", "Troubleshooting", "By status and by message: cause and remedy" },
    { "reference_system.html", "Reference", "Every function and every option" },
    { "c_interface.html", "C interface", "The library from C and C++" },
  } do
    if site.by_file[row[1]] then cards[#cards + 1] = ('<a class="card" href="%s"><b>%s</b><span>%s</span></a>'):format(row[1], row[2], row[3]) end
  end
  return '<p class="lead">Hamel derives, prints, runs and checks the equations of motion of mechanical systems with constraints: nonholonomic, moving, '
    .. 'one-sided, with impacts and friction. This manual begins with the first steps.</p>\n<div class="cards">' .. table.concat(cards, "\n") .. "</div>\n"
end

-- ---- files

local escapes = { ["\\"] = "\\\\", ['"'] = '\\"', ["<"] = "\\u003c", ["\n"] = "\\n", ["\r"] = "" }
local function quoted(text) return '"' .. text:gsub('[\\"<\n\r]', escapes):gsub("%c", " ") .. '"' end

local function concept_entries(site)
  local rows = {}
  for _, row in ipairs(concepts) do
    local place
    for _, name in ipairs(row.see) do place = place or site.places[name] end
    local file, anchor = (place or "index.html"):match "^([^#]*)#?(.*)$"
    rows[#rows + 1] = { file, anchor, row.words:match "^%S+" .. ": " .. row.see[1], "subject", row.words .. ". " .. row.text }
  end
  return rows
end

local function index_script(site)
  local rows, groups = {}, {}
  for _, list in ipairs{ site.index, concept_entries(site) } do
    for _, e in ipairs(list) do
      rows[#rows + 1] = ("[%s,%s,%s,%s,%s]"):format(quoted(e[1]), quoted(e[2]), quoted(e[3]), quoted(e[4]), quoted(e[5]))
    end
  end
  for _, word in ipairs(object.keys(synonyms)) do
    local group = { quoted(word:lower()) }
    for _, other in ipairs(synonyms[word]) do group[#group + 1] = quoted(other:lower()) end
    groups[#groups + 1] = "[" .. table.concat(group, ",") .. "]"
  end
  return "const entries = [\n" .. table.concat(rows, ",\n") .. "\n];\nconst synonyms = [" .. table.concat(groups, ",") .. "];\n", #rows
end

function Site:file(name, bytes)
  files.write("manual", self.folder .. name, bytes)
  self.bytes = self.bytes + #bytes
end

local function new(folder, o)
  local site = setmetatable({ folder = folder:gsub("/*$", "/"), examples = help.examples_folder() or fail("manual: the folder of the examples is not here"),
    options = o, parts = {}, order = {}, by_file = {}, stems = {}, places = {}, index = {}, bytes = 0, notes = {} }, Site)
  learn(site)
  guides.declare_howto(site)
  theory.declare(site)
  gallery.declare(site)
  guides.declare_troubleshooting(site)
  reference.declare(site)
  c_interface.declare(site)
  return site
end

local function write_page(site, i, page)
  site.writing = page
  page.html = page.write()
  if page.file == "index.html" then page.html = page.html:gsub("</h1>", function() return "</h1>\n" .. welcome(site) end, 1) end
  site:file(page.file, look.page(site, page, site.order[i - 1], site.order[i + 1]))
  page.html = nil
end

--- Writes the manual as a site into a folder; o.seconds: for the picture of one example (0: no pictures). Returns { pages, entries, bytes, notes }.
function Site.write(folder, o)
  local site = new(folder, o or {})
  files.folder("manual", site.folder)
  if (site.options.seconds or 1) > 0 then files.folder("manual", site.folder .. "pictures") end
  for i, page in ipairs(site.order) do if not page.late then write_page(site, i, page) end end
  for i, page in ipairs(site.order) do if page.late then write_page(site, i, page) end end
  local index, entries = index_script(site)
  site:file("index.js", index)
  site:file("hamel.js", look.script)
  site:file("hamel.css", look.style)
  return { pages = #site.order, entries = entries, bytes = site.bytes, notes = site.notes }
end

--- The tutorials in the order of reading.
Site.chapters = chapters

--- Words of a page as HTML text.
Site.escape = escape

return Site
