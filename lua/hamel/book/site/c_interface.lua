-- c_interface.lua: the page about C: a whole program, and the header by its parts.
local files = require "hamel.base.files"
local help = require "hamel.book.help"
local highlight = require "hamel.show.highlight"
local markdown = require "hamel.book.markdown"
local mathml = require "hamel.show.mathml"

local escape = mathml.escape
local c_interface = {}

-- In the source tree, or where it was installed
local function header_text()
  for _, path in ipairs{ "../../src/hamel.h", "../../../../include/hamel.h", "../../../../../include/hamel.h" } do
    local text = files.read(help.folder .. path)
    if text then return text end
  end
end

-- Parts of the header { title, text }: the lines `// ---- title ----` part it
local function parts_of(text)
  local parts, current = {}, { title = "conventions", lines = {} }
  for line in text:gmatch "([^\n]*)\n" do
    local title = line:match "^// %-%-%-%- (.-)%s*%-*$"
    if title then
      parts[#parts + 1] = current
      current = { title = title, lines = {} }
    else
      current.lines[#current.lines + 1] = line
    end
  end
  parts[#parts + 1] = current
  return parts
end

local function part_html(site, page, part)
  local short = part.title:match "^[^:]*"
  local id = "c-" .. markdown.anchor(short)
  local text = table.concat(part.lines, "\n"):match "^%s*(.-)%s*$"
  table.insert(page.headings, { level = 2, id = id, title = short })
  for name in text:gmatch "%f[%w](hml_[%w_]+)%(" do
    if not page.functions[name] then
      page.functions[name] = true
      site:index_entry(id, name, "C function", short)
    end
  end
  return ('<h2 id="%s">%s</h2>\n<pre class="code"><code>%s</code></pre>'):format(id, escape(part.title), highlight(text, "c"))
end

--- The page.
function c_interface.declare(site)
  local page = site:page(site:part "C interface", { file = "c_interface.html", title = "The C interface", kind = "C" })
  page.functions = {}
  page.write = function()
    local program = site:read(site.examples .. "c/sleigh.c")
    local out = { site:markdown(site:read(site.examples .. "theory/c_interface.md"), "c_interface.md"):gsub("<p>@program</p>", function()
      return '<pre class="code"><code>' .. highlight(program, "c") .. "</code></pre>"
    end) .. "" }
    local header = header_text()
    if not header then out[2] = '<p class="note">The header hamel.h is not installed beside this library; it comes with the C library.</p>' end
    for _, part in ipairs(header and parts_of(header) or {}) do out[#out + 1] = part_html(site, page, part) end
    return table.concat(out, "\n")
  end
end

return c_interface
