-- guides.lua: pages of the site that answer a question: how-tos in groups, troubleshooting by symptom.
local markdown = require "hamel.book.markdown"
local pictures = require "hamel.book.site.pictures"

local guides = {}

-- The how-tos by group, in order; every file of the folder has a place here
local groups = {
  { "Extend it", "a_force", "a_friction_law", "an_impact_law", "a_form", "an_integrator" },
  { "Declare and start", "start_that_fits", "moving_constraint", "measured_data", "rotations", "ten_bodies", "units" },
  { "Run", "events", "stiff_or_tight", "accuracy", "how_fast", "long_runs", "sweep" },
  { "Study", "section", "stability", "first_integrals", "reactions", "fit" },
  { "Take it elsewhere", "files", "pictures", "latex", "export_c", "from_c", "from_python", "lua_and_python", "jupyter", "other_programs", "misprints" },
}

--- The pages How to.
function guides.declare_howto(site)
  local part, folder = site:part "How to", site.examples .. "howto/"
  local overview = site:page(part, { file = "howto.html", title = "How to ...", kind = "how to" })
  local listed, lists = {}, {}
  for _, group in ipairs(groups) do
    local pages = {}
    for i = 2, #group do
      listed[group[i]] = true
      local page = { file = "howto_" .. group[i] .. ".html", kind = "how to", group = group[1] }
      local more = group[i] == "pictures" and function() return pictures.html(site) end or nil
      pages[#pages + 1] = site:document(part, folder .. group[i] .. ".md", page, more)
    end
    lists[#lists + 1] = { group[1], pages }
  end
  for _, name in ipairs(site.names_in(folder, "^(.*)%.md$")) do
    if not listed[name] and name ~= "troubleshooting" then error("manual: howto/" .. name .. ".md has no place among the groups of book/site/guides.lua", 0) end
  end
  overview.write = function()
    local out = { '<h1>How to ...</h1>\n<p class="lead">One task, one page, one program that runs.</p>' }
    for _, list in ipairs(lists) do
      local rows = {}
      for i, page in ipairs(list[2]) do rows[i] = ('<li><a href="%s">%s</a></li>'):format(page.file, site.escape(page.title)) end
      out[#out + 1] = ("<h2>%s</h2>\n<ul>%s</ul>"):format(site.escape(list[1]), table.concat(rows, "\n"))
    end
    site:index_entry("", "How to", "how to", "one task, one page")
    return table.concat(out, "\n")
  end
end

--- The page of symptoms, causes and remedies.
function guides.declare_troubleshooting(site)
  local part = site:part "Troubleshooting"
  local page = site:document(part, site.examples .. "howto/troubleshooting.md", { kind = "symptom" })
  for line in site:read(site.examples .. "howto/troubleshooting.md"):gmatch "\n### (`%u[^\n]*)" do
    for status in line:gmatch "`([%u_]+)`" do site.places["status " .. status] = page.file .. "#" .. markdown.anchor(line) end
  end
end

return guides
