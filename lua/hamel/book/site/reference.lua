-- reference.lua: the pages of the reference, out of the docstrings and the declared options.
local help = require "hamel.book.help"
local markdown = require "hamel.book.markdown"
local mathml = require "hamel.show.mathml"

local escape = mathml.escape
local reference = {}

-- By what the names begin with. lead: a sentence on top of the page
local pages = {
  { file = "reference_hm.html", title = "hm: the library", pattern = "^hm[.]",
    lead = "What `require \"hamel\"` returns. At the prompt these names stand without `hm.`; in a script `hm.use()` does it." },
  { file = "reference_system.html", title = "S: a system", pattern = "^S[:.]",
    lead = "A mechanical system, made by `hm.system \"name\"`: declared, looked at, run and studied." },
  { file = "reference_run.html", title = "run: a trajectory", pattern = "^run[:.]",
    lead = "What `S:simulate{...}` returns: states at any time, events, impacts, pictures, files." },
  { file = "reference_expression.html", title = "e: an expression", pattern = "^e[:.]",
    lead = "Coordinates, parameters and everything computed from them by `+ - * / ^` and the functions of `hm`." },
  { file = "reference_matrix.html", title = "matrix, equations", pattern = "^[me][aq][tu][ra]%l*[.:]",
    lead = "Matrices of expressions, and the equations that `S:equations(...)` returns." },
  { file = "reference_bodies.html", title = "F, v, P, b: bodies", pattern = "^[FvPb][:.]",
    lead = "Frames, vectors, points and bodies: `S:frame`, `S:rotation`, `S:point`, `S:body`." },
  { file = "reference_objects.html", title = "Other objects", pattern = "^%l+[:.]",
    lead = "States, sections, sweeps, variations, recordings, data and tables of verdicts." },
}

-- Rooms of the source as headings, in this order
local rooms = {
  { "system", "Declaring" }, { "bodies", "Frames and bodies" },
  { "equations", "Equations" }, { "forms", "Equations" }, { "geometry", "Constraints and geometry" },
  { "model", "Values at a state" }, { "run", "Running" }, { "analysis", "Studies" }, { "show", "Pictures and files" }, { "algebra", "Algebra" },
  { "laws", "Laws of impact" }, { "base", "Other" }, { "book", "Help" },
}

local function heading_of(entry)
  if entry.text:find "^function: " then return "Functions" end
  if entry.text:find "^law of impact: " then return "Laws of impact" end
  local room = entry.source and entry.source:match "hamel/(%l+)/"
  for _, row in ipairs(rooms) do if row[1] == room then return row[2] end end
  return entry.source and entry.source:find "init%.lua$" and "General" or "Basics"
end

local order = { "General", "Basics" }
for _, row in ipairs(rooms) do order[#order + 1] = row[2] end
order[#order + 1] = "Functions"

-- ---- docstrings as HTML

local function code(text) return "<code>" .. escape(text) .. "</code>" end

-- What follows a name and belongs to it as code: arguments in brackets, braces or quotation marks, on one line or two
local function call_at(text, at, quoted)
  local arguments = text:match("^%b()", at) or text:match("^ ?%b{}", at) or quoted and text:match('^ "[^"\n]*"', at) or ""
  return #arguments <= 240 and arguments or ""
end

-- A name of the library or of a result with its arguments; statuses; braces with fields: the pieces of a text that are code, with their links
local function code_at(site, text, at)
  local name = text:match("^%a[%w_]*[.:]%a[%w_]*", at)
  if name then
    local call = call_at(text, at + #name, name:find(":", 1, true) or name:find "^hm%.")           -- a field is not called
    local place, whole = site.places[name], name .. call
    local html = place and ('<code><a href="%s">%s</a>%s</code>'):format(place, escape(name), escape(call)) or code(whole)
    return html, #whole
  end
  local status = text:match('^"?%u%u[%u_]+"?', at)
  local place = status and site.places["status " .. status:gsub('"', "")]
  if place then return ('<a href="%s">%s</a>'):format(place, code(status)), #status end
  local quoted = text:match("^`([^`]+)`", at)
  if quoted then return code(quoted), #quoted + 2 end
  local field = text:match("^[%a_][%w_]* = %b{}", at) or text:match("^[%a_][%w_]* = \"[^\"\n]*\"", at) or text:match("^%b{}", at)
  if field and field:find '[="]' and #field <= 240 then return code(field), #field end
end

-- A sentence with its code marked: looked for at every beginning of a word
local function sentence(site, text)
  local out, at, from = {}, 1, 1
  local function plain(to) out[#out + 1] = escape(text:sub(from, to)) end
  while at <= #text do
    local html, length
    if at == 1 or not text:find("^[%w_.:']", at - 1) then html, length = code_at(site, text, at) end
    if html then
      plain(at - 1)
      out[#out + 1] = html
      at = at + length
      from = at
    else
      at = at + 1
    end
  end
  plain(#text)
  return table.concat(out)
end

-- Does a paragraph end with the line? Its last sentence does, and the first word of the next line would have found room.
local function ends_paragraph(line, following)
  local word = following and following:match "^%S+"
  return word ~= nil and line:find "[.:]$" ~= nil and #line + #word < 120
end

--- HTML of a docstring: indented lines are formulas or code, the others flow.
function reference.text(site, text)
  local out, block, display, lines = {}, {}, {}, {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  local function flush()
    if #block > 0 then out[#out + 1] = "<p>" .. sentence(site, table.concat(block, "\n")) .. "</p>" end
    if #display > 0 then out[#out + 1] = '<pre class="formula">' .. escape(table.concat(display, "\n")) .. "</pre>" end
    block, display = {}, {}
  end
  for i, line in ipairs(lines) do
    local indented = line:match "^  +(.*)$"
    if indented and #block == 0 or indented and #display > 0 then display[#display + 1] = indented
    elseif indented then
      flush()
      display[1] = indented
    elseif line == "" then flush()
    else
      if #display > 0 then flush() end
      block[#block + 1] = line
      if ends_paragraph(line, lines[i + 1]) then flush() end
    end
  end
  flush()
  return table.concat(out, "\n")
end

-- ---- options

local function range_of(row)
  local words = { (row.type or "any value") .. (row.or_type and " or " .. row.or_type or "") }
  if row.whole then words[1] = "whole number" end
  if row.list then words[1] = "list" end
  if row.above then words[#words + 1] = "above " .. row.above end
  if row.from then words[#words + 1] = "from " .. row.from end
  if row.to then words[#words + 1] = "to " .. row.to end
  return table.concat(words, " ")
end

local function option_table(site, entry, id)
  local list = help.options_of(entry)
  if #list == 0 then return "" end
  local rows = { "<tr><th>option</th><th>what it is</th><th>type</th><th>default</th></tr>" }
  for _, option in ipairs(list) do
    local row, default = option.row, help.default_text(option.row)
    rows[#rows + 1] = ('<tr id="%s-%s"><td><code>%s</code></td><td>%s</td><td>%s</td><td>%s</td></tr>'):format(id, option.name, escape(option.name),
      sentence(site, row.doc or ""), escape(range_of(row)), default and "<code>" .. escape(default) .. "</code>" or "")
    site:index_entry(id .. "-" .. option.name, option.name, "option of " .. entry.name, row.doc or "")
  end
  return '<div class="wide"><table class="options">' .. table.concat(rows, "\n") .. "</table></div>"
end

local function entry_html(site, page, entry)
  local id = markdown.anchor(entry.name)
  table.insert(page.headings, { level = 3, id = id, title = entry.name })
  site:index_entry(id, entry.name, page.title, entry.text, page)
  return ('<section class="entry"><h3 id="%s"><code>%s</code></h3>\n%s\n%s</section>'):format(id, escape(entry.signature), reference.text(site, entry.text),
    option_table(site, entry, id))
end

-- ---- pages

local function is_elsewhere(entry) return not entry.name:find "^[%a]+[.:]" end      -- forms and methods have pages of theory

local function entries_of(row, taken)
  local list, at = {}, {}
  for _, entry in ipairs(help.entries()) do
    if not taken[entry.name] and not is_elsewhere(entry) and not help.is_internal(entry) and entry.name:find(row.pattern) then
      taken[entry.name] = true
      local heading = heading_of(entry)
      at[heading] = at[heading] or {}
      table.insert(at[heading], entry)
      list[#list + 1] = entry
    end
  end
  return list, at
end

--- Declares the pages, so that links to them are known: site.places[name] is the address of an entry.
function reference.declare(site)
  local part, taken = site:part "Reference", {}
  for _, row in ipairs(pages) do
    local page = site:page(part, { file = row.file, title = row.title, kind = "reference" })
    local list, at = entries_of(row, taken)
    for _, entry in ipairs(list) do site.places[entry.name] = row.file .. "#" .. markdown.anchor(entry.name) end
    page.write = function()
      local out = { ("<h1>%s</h1>\n<p class=\"lead\">%s</p>"):format(escape(row.title), (escape(row.lead):gsub("`(.-)`", "<code>%1</code>"))) }
      local done = {}
      for _, heading in ipairs(order) do
        if at[heading] and not done[heading] then
          done[heading] = true
          local id = markdown.anchor("part " .. heading)
          table.insert(page.headings, { level = 2, id = id, title = heading })
          out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(id, heading)
          for _, entry in ipairs(at[heading]) do out[#out + 1] = entry_html(site, page, entry) end
        end
      end
      return table.concat(out, "\n")
    end
  end
end

return reference
