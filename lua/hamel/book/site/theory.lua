-- theory.lua: the theory of the site: a page for every form with its equations, live on an example, and its source; laws, methods.
local core = require "hamel.core"
local forms = require "hamel.forms"
local help = require "hamel.book.help"
local highlight = require "hamel.show.highlight"
local markdown = require "hamel.book.markdown"
local mathml = require "hamel.show.mathml"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local System = require "hamel.system"
local protected = require "hamel.base.protected"
local typeset = require "hamel.show.typeset"

local escape = mathml.escape
local theory = {}

-- From the general to the special; a form that is not here comes last
local order = { "lagrange", "nielsen", "coordinates", "maggi", "kane", "appell", "volterra", "hamel", "canonical", "voronets", "chaplygin", "whole course",
  "mapping", "newtonian", "vakonomic", "vakonomic_explicit", "lindelof", "geodesic" }

-- Notions by their groups: one page for each
local notions = {
  { group = "Integrals and symmetry", "first_integrals", "symmetries", "routh_reduction", "invariant_measures", "reducing_multipliers",
    "hamiltonian_and_brackets", "growth_and_controllability" },
  { group = "Branches and charts", "continuation", "charts" },
}

local function in_order()
  local list, listed = {}, {}
  for _, name in ipairs(order) do
    if forms[name] then
      list[#list + 1] = name
      listed[name] = true
    end
  end
  for _, name in ipairs(object.keys(forms)) do if not listed[name] then list[#list + 1] = name end end
  return list
end

-- Chaplygin's sleigh, on which every form that applies to it is shown
local function sleigh()
  local S = System.new "Chaplygin sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:positive "m J"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*core.sin(theta) - y.dot*core.cos(theta))
  return S
end

local function on_the_sleigh(name)
  local fine, E = protected(System.equations, sleigh(), name)
  if not fine then return "" end                             -- forms that need more than a system say so in their texts
  local stepped, D = protected(System.derivation, sleigh(), name)
  local html, title = typeset.value(stepped and D or E)
  return '<h2 id="on-the-sleigh">On Chaplygin\'s sleigh</h2>\n<p>A knife edge at the mass centre: '
    .. mathml.of("\\dot{x} \\sin \\theta - \\dot{y} \\cos \\theta = 0")
    .. ". What follows was derived when this page was made.</p>\n" .. "<p>" .. escape(title) .. "</p>\n" .. html
end

local function source_of(name, row)
  local file = name:gsub("%s", "_") .. ".lua"
  local text = core.host.read(help.folder .. "forms/" .. file, 1 << 20)
  local literature = row.source and "<p>" .. escape(row.source) .. ".</p>" or ""
  local code = text and ('<details><summary>The form\'s file, <code>forms/%s</code></summary><pre class="code"><code>%s</code></pre></details>')
    :format(file, highlight(text, "lua")) or ""
  return '<h2 id="source">Source</h2>\n' .. literature .. code
end

local function form_page(site, part, name)
  local row, stem = forms[name], name:gsub("%s", "_")
  local path, fields = site.examples .. "theory/" .. stem .. ".md", { file = "theory_" .. stem .. ".html", kind = "form", group = "Forms" }
  local page = site:document(part, path, fields, function()
    local live = on_the_sleigh(name)
    local headings = site.writing.headings
    if live ~= "" then table.insert(headings, { level = 2, id = "on-the-sleigh", title = "On Chaplygin's sleigh" }) end
    table.insert(headings, { level = 2, id = "source", title = "Source" })
    site:index_entry("", name, "form", row.title .. " " .. (row.source or ""))
    return live .. source_of(name, row)
  end)
  site.places[name] = page.file
  return page
end

-- The text with the rows in the place of its line @table
local function with_table(html, rows)
  return (html:gsub("<p>@table</p>", function() return '<div class="wide"><table>' .. table.concat(rows, "\n") .. "</table></div>" end))
end

local function method_page(site, part)
  local page = site:page(part, { file = "theory_methods.html", title = "Methods of integration", kind = "method", group = "Methods" })
  for _, name in ipairs(object.keys(methods.rows)) do site.places[name] = site.places[name] or page.file .. "#" .. markdown.anchor(name) end
  page.write = function()
    local rows = { "<tr><th>method</th><th>what it is</th><th>steps</th></tr>" }
    for _, name in ipairs(object.keys(methods.rows)) do
      local row = methods.rows[name]
      rows[#rows + 1] = ('<tr id="%s"><td><code>%s</code></td><td>%s</td><td>%s</td></tr>'):format(markdown.anchor(name), escape(name), escape(row.title),
        row.fixed and "of one size, <code>step = ...</code>" or "by the tolerances")
      site:index_entry(markdown.anchor(name), name, "method of integration", row.title)
    end
    local text = site:read(site.examples .. "theory/methods.md")
    return with_table(site:markdown(text, "methods.md"), rows)
  end
end

local function overview(site, page, list)
  page.write = function()
    local rows = { "<tr><th>form</th><th>equations</th><th>source</th></tr>" }
    for _, name in ipairs(list) do
      local row = forms[name]
      rows[#rows + 1] = ('<tr><td><a href="%s"><code>%s</code></a></td><td>%s</td><td>%s</td></tr>'):format(site.places[name], escape(name),
        escape(row.title), escape(row.source or ""))
    end
    local text = site:read(site.examples .. "theory/overview.md")
    return with_table(site:markdown(text, "overview.md"), rows)
  end
end

--- The pages of the theory.
function theory.declare(site)
  local part = site:part "Theory"
  local first = site:page(part, { file = "theory.html", title = "The forms at a glance", kind = "theory" })
  local list = in_order()
  for _, name in ipairs(list) do form_page(site, part, name) end
  overview(site, first, list)
  for _, list_of in ipairs(notions) do
    for _, name in ipairs(list_of) do
      site:document(part, site.examples .. "theory/" .. name .. ".md", { file = "theory_" .. name .. ".html", kind = "notion", group = list_of.group })
    end
  end
  for _, name in ipairs(site.names_in(site.examples .. "laws/", "^(.*)%.md$")) do
    site:document(part, site.examples .. "laws/" .. name .. ".md", { file = "law_" .. name .. ".html", kind = "law", group = "Impact and friction" })
  end
  method_page(site, part)
end

return theory
