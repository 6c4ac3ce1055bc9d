-- hamel manual -o site/: every link leads somewhere, every name has its place, nothing is empty
require "hamel"
local check = require "check"
local core, help, options = require "hamel.core", require "hamel.book.help", require "hamel.base.options"
local markdown, Site = require "hamel.book.markdown", require "hamel.book.site"
local mathml = require "hamel.show.mathml"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local folder = os.tmpname()
os.remove(folder)
folder = folder .. "_site/"
local made = Site.write(folder, { seconds = 120 })           -- sanitizers and busy machines need more than the default
local pages = {}                       -- by file name: text, anchors
for _, name in ipairs(core.host.list(folder)) do
  if name:find "%.html$" then
    local text, ids = read(folder .. name), {}
    for id in text:gmatch ' id="([^"]+)"' do ids[id] = (ids[id] or 0) + 1 end
    pages[name] = { text = text, ids = ids }
  end
end

local function unescaped(text)
  return (text:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&amp;", "&"))
end

-- Is the address, as seen from a page, one that is there?
local function leads_somewhere(from, target)
  local file, anchor = target:match "^([^#?]*)%??[^#]*#?(.*)$"
  file = file == "" and from or file
  if not file:find "%.html$" then return io.open(folder .. file) ~= nil end
  return pages[file] ~= nil and (anchor == "" or pages[file].ids[anchor] ~= nil)
end

describe("the site of the manual", function()
  it("has captions and a search in plain text, without marks of Markdown and LaTeX", function()
    assert.truthy(read(folder .. "gallery_suslov.html"):find("<figcaption>ψ\u{307}, θ\u{307}, ϕ\u{307} over the time</figcaption>", 1, true))
    assert.truthy(read(folder .. "gallery.html"):find("z\u{307}² = k² (x\u{307}² + y\u{307}²)", 1, true))
    local index = read(folder .. "index.js")
    assert.truthy(index:find("q\u{307}_r", 1, true))
    for _, mark in ipairs{ "\\\\dot", "\\\\lambda", "**", "| ---" } do assert.is_nil(index:match("const entries.-\n%];"):find(mark, 1, true), mark) end
  end)

  it("begins with the first steps and has all its parts", function()
    assert.truthy(pages["index.html"].text:find("<h1[^>]*>First steps</h1>"))
    for _, name in ipairs{ "theory.html", "howto.html", "gallery.html", "troubleshooting.html", "c_interface.html", "reference_system.html",
      "theory_methods.html", "law_coulomb.html", "howto_a_force.html", "gallery_suslov.html" } do assert.truthy(pages[name], name) end
    assert.equal(made.pages, (function() local n = 0 for _ in pairs(pages) do n = n + 1 end return n end)())
  end)

  it("has no dead link, no anchor twice, no empty page, no table's address", function()
    local dead, links = {}, 0
    for name, page in pairs(pages) do
      local text = page.text
      for _, attribute in ipairs{ "href", "src" } do
        for target in text:gmatch("%f[%w]" .. attribute .. '="([^"]*)"') do
          target = unescaped(target)
          links = links + 1
          if not target:find "^https?:" and not target:find "^data:" and not leads_somewhere(name, target) then dead[#dead + 1] = name .. ": " .. target end
        end
      end
      for id, count in pairs(page.ids) do assert(count == 1, name .. " has the anchor " .. id .. " twice") end
      local body = text:match "<main>(.*)</main>":gsub("<[^>]+>", " ")
      assert(#body:gsub("%s+", " ") > 150, name .. " is empty")
      for _, bad in ipairs{ "table: 0x", "userdata: 0x", "function: 0x", "\1", "@table", "@program" } do
        assert(not body:find(bad, 1, true), name .. ": " .. bad)
      end
      assert(not body:find "%]%(%w", name .. ": a link that was not read")
    end
    table.sort(dead)
    assert.are.same({}, dead)
    assert(links > 3000, links)
  end)

  it("asks nothing of the network", function()
    for name, page in pairs(pages) do
      for _, pattern in ipairs{ '<script[^>]*src="http', '<link[^>]*href="http', '<img[^>]*src="http', "@import", "fetch%(" } do
        assert(not page.text:find(pattern), name .. " matches " .. pattern)
      end
    end
    assert(not read(folder .. "hamel.js"):find("fetch(", 1, true) and not read(folder .. "hamel.css"):find("url(", 1, true))
  end)

  it("has every public function with every option on a page of the reference", function()
    local reference, missing = {}, {}
    for name, page in pairs(pages) do if name:find "^reference_" then reference[#reference + 1] = page end end
    local function place(id)
      for _, page in ipairs(reference) do if page.ids[id] then return true end end
      return false
    end
    local functions, rows = 0, 0
    for _, entry in ipairs(help.entries()) do
      if entry.name:find "^%a+[.:]" then
        local id = markdown.anchor(entry.name)
        functions = functions + 1
        if place(id) == help.is_internal(entry) then missing[#missing + 1] = entry.name end
        for _, option in ipairs(help.is_internal(entry) and {} or help.options_of(entry)) do
          rows = rows + 1
          if not place(id .. "-" .. option.name) then missing[#missing + 1] = entry.name .. " " .. option.name end
        end
      end
    end
    assert.are.same({}, missing)
    assert(functions > 180 and rows > 150)
    assert.truthy(options.of "simulate".rtol and place "s-simulate-rtol")
  end)

  it("has a page for every form with formulas and a source, and a row for every method", function()
    for name, row in pairs(require "hamel.forms") do
      local page = pages["theory_" .. name:gsub("%s", "_") .. ".html"]
      assert(page, name)
      local text = page.text:match "<main>(.*)</main>"
      assert(select(2, text:gsub("<math", "")) >= 2, name .. " has hardly a formula")
      assert(text:find(mathml.escape(row.source), 1, true), name .. " has no source")
      assert(text:find('class="code"', 1, true), name)
    end
    for name in pairs(require "hamel.run.methods".rows) do assert(pages["theory_methods.html"].ids[markdown.anchor(name)], name) end
    -- derived when the page was made
    assert.truthy(pages["theory_hamel.html"].text:find("step by step", 1, true))
    assert.truthy(pages["theory_voronets.html"].text:find("Chaplygin sleigh: Voronets equations", 1, true))
  end)

  it("has every status and only messages that the sources have", function()
    local text = read(help.examples_folder() .. "howto/troubleshooting.md")
    local statuses = {}
    for line in text:gmatch "\n### (`%u[^\n]*)" do for status in line:gmatch "`([%u_]+)`" do statuses[status] = true end end
    local header = io.open "src/hamel.h"
    if header then
      local count = 0
      for status in header:read "a":match "HML_STATUS_ROWS(.-)clang%-format on":gmatch "ROW%((%u[%u_]*)," do
        count = count + 1
        assert(statuses[status], "troubleshooting.md lacks the status " .. status)
      end
      header:close()
      assert(count > 20)
    end
    local pipe = assert(io.popen "cat src/*/*.c lua/hamel/*.lua lua/hamel/*/*.lua lua/hamel/*/*/*.lua src/hamel.h")
    local sources = pipe:read "a"
    pipe:close()
    local messages = 0
    for message in text:match "## Messages(.-)\n## ":gmatch "\n### `([^`]+)`" do
      messages = messages + 1
      assert(sources:find(message, 1, true), "no source has the message " .. message)
    end
    assert(messages >= 10)
  end)

  it("shows every example with its picture, and says why where there is none", function()
    local has_gnuplot = os.execute "gnuplot --version > /dev/null 2>&1"
    for _, name in ipairs((help.example_names())) do
      local page = pages["gallery_" .. name .. ".html"]
      assert(page and page.text:find(mathml.escape 'examples "' .. name, 1, true) or page.text:find('examples "' .. name, 1, true), name)
    end
    local _, pictures = pages["gallery.html"].text:gsub('<img src="pictures/', "")
    local _, reasons = pages["gallery.html"].text:gsub("no picture: gnuplot is not installed", "")
    assert.equal(#(help.example_names()), has_gnuplot and pictures or reasons)
    assert.truthy(pages["gallery_bouncing_ball.html"].text:find("impacts", 1, true))            -- what it prints
    if has_gnuplot then
      assert.are.same({}, made.notes)
      assert.truthy(read(folder .. "pictures/woodpecker.svg"):find("</svg>", 1, true))
      assert.equal(5, select(2, pages["howto_pictures.html"].text:gsub('<img src="pictures/howto_', "")))
    end
  end)

  it("leaves out examples that take longer than the limit, and says so", function()
    local other = folder:gsub("_site/$", "_short/")
    local short = Site.write(other, { seconds = 0.001 })
    assert.equal(#(help.example_names()), #short.notes)
    for _, note in ipairs(short.notes) do assert.truthy(note:find("it takes more than 0.001 s", 1, true), note) end
    assert.truthy(read(other .. "gallery.html"):find("no picture: it takes more than 0.001 s", 1, true))
    os.execute("rm -r '" .. other .. "'")
  end)

  it("has the C interface", function()
    assert.truthy(pages["c_interface.html"].text:find("hml_context_new", 1, true))
  end)

  it("is searched through an index whose places exist", function()
    local index = read(folder .. "index.js")
    local count = 0
    for file, anchor in index:gmatch '\n%["([^"]+)","([^"]*)",' do
      count = count + 1
      assert(leads_somewhere("index.html", file .. (anchor ~= "" and "#" .. anchor or "")), file .. "#" .. anchor)
    end
    assert(count == made.entries and count > 700, count)
    local all = index:lower()
    for _, word in ipairs{ "poincare", "python", "chaos", "quaternion", "bifurcation", "hml_context_new", "hurwitz" } do
      assert(all:find(word, 1, true), word)
    end
    assert(not index:find("</script", 1, true) and not index:find("table: 0x", 1, true))
  end)
end)

describe("the manual's Markdown", function()
  local function html(text) return (markdown.html(text, { name = "t", link = function(target) return target end })) end

  it("has headings, lists, tables, formulas and code", function()
    assert.equal('<h1 id="a-b">A <em>b</em></h1>', html "# A *b*")
    assert.truthy(html "a `x*y*z` b":find("<code>x*y*z</code>", 1, true))
    assert.truthy(html "$\\sum_k \\gamma^k_{sl}$":find("<munder><mo>∑</mo><mi>k</mi></munder>", 1, true))
    assert.truthy(html "| a | b |\n| --- | --- |\n| 1 | 2 |":find("<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>", 1, true))
    assert.truthy(html "1. one\n2. two":find("<ol><li>one</li>\n<li>two</li></ol>", 1, true))
    assert.truthy(html "- one\n  more\n- two":find("<ul><li>one more</li>\n<li>two</li></ul>", 1, true))
    assert.truthy(html "```lua\nlocal a = \"<b>\" -- c\n```":find('<span class="s">&quot;&lt;b&gt;&quot;</span> <span class="c">-- c</span>', 1, true))
    assert.truthy(html "    a = b":find('<pre class="formula">a = b</pre>', 1, true))
    assert.truthy(html "[a](b.html)":find('<a href="b.html">a</a>', 1, true))
  end)

  it("refuses formulas that it cannot typeset and blocks without an end", function()
    check.raises({ "t", "unknown command \\underbrace" }, html, "$\\underbrace{x}$")
    check.raises({ "```", "has no end" }, html, "```lua\nx = 1")
  end)
end)

describe("hamel manual", function()
  it("writes a site into a folder and one page into a file, and refuses other words", function()
    local manual = require "hamel.book.manual"
    check.raises({ "usage: hamel manual" }, manual.command, { "--what" })
    check.raises({ "a file name or a folder is missing" }, manual.command, { "-o" })
    check.raises({ "a number of seconds" }, manual.command, { "--seconds", "many" })
    check.raises({ "cannot make the folder", "/proc/none" }, Site.write, "/proc/none/site", { seconds = 0 })
  end)
end)

teardown(function() os.execute("rm -r '" .. folder .. "'") end)
