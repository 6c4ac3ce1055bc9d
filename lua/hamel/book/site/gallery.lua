-- gallery.lua: every example with its picture, what it prints and its source. Each runs in a process of its own, for a limited time.
local core = require "hamel.core"
local dress = require "hamel.algebra.dress"
local help = require "hamel.book.help"
local highlight = require "hamel.show.highlight"
local mathml = require "hamel.show.mathml"
local plain = require "hamel.book.plain"

local escape = mathml.escape
local gallery = {}

local SECONDS = 20                     -- for one example when nothing else is said

-- What is drawn of an example: a system's run by its number among those of the script (-1 the last one), the time at which the curves end, and the
-- columns. The first two coordinates of the longest run where nothing is said.
local drawn = {
  appell_hamel = { title = "The Appell-Hamel problem", run = 1, "t", "x'", "y'", "z'" },
  ball_in_a_cylinder = { title = "A ball in a turning cylinder", run = 1, "t", "z" },
  bicycle = { title = "The benchmark bicycle", run = 1, "t", "lean", "steer" },
  bouncing_ball = { title = "A bouncing ball", run = 1, "h" },
  chaplygin_sphere = { title = "Chaplygin's sphere", run = 1, "x", "y" },
  curling_sleigh = { title = "A sleigh that curls", run = -1, "x", "y" },
  first_steps = { title = "First steps", run = 2, "x", "y" },
  gimballed_gyroscope = { title = "A gyroscope in gimbals", run = 1, to = 0.5, "alpha", "beta" },
  heavy_top = { title = "Lagrange's top", run = 1, to = 6, "t", "p", "q" },
  newtons_cradle = { title = "Newton's cradle", run = -1, "t", "a", "b", "c", "d", "f" },
  nonholonomic_pendulum = { title = "A pendulum below a skate", run = -1, "x", "y" },
  proved_reversal = { title = "A rattleback turns back, proved", run = 1, "t", "theta", "psi" },
  rattleback = { title = "The rattleback", run = 1, "t", "omega3" },
  rocking_block = { title = "A rocking block", run = 1, "theta" },
  roller_racer = { title = "The roller racer", run = -1, "y" },
  rolling_disc_forms = { title = "A rolling disc, two ways", run = 2, "theta" },
  skate_on_a_slope = { title = "A skate on a slope", run = 1, "x" },
  snakeboard = { title = "The snakeboard", run = -1, "x", "y" },
  spatial_pendulum = { title = "A double pendulum in space", run = 2, "x2", "y2" },
  stick_slip_belt = { title = "Stick and slip on a belt", run = 1, "x", "x'" },
  superball = { title = "A superball between walls", run = 1, "x", "y" },
  suslov = { title = "Suslov's problem", run = 1, "t", "psi'", "theta'", "phi'" },
  turntable = { title = "A ball on a turntable", run = 1, "x", "y" },
  woodpecker = { title = "The woodpecker toy", run = 1, "B", "B'" },
}

-- Runs an example, then draws; arguments: path of the example, picture, number of the run, time at which the curves end (or nothing), columns
local script = [[
local listeners = require "hamel.base.listeners"
local runs, path, picture, number = {}, arg[1], arg[2], tonumber(arg[3])
local columns = table.pack(table.unpack(arg, 5))
listeners.add("run", function(run) runs[#runs + 1] = run end)
dofile(path)
local run = runs[number < 0 and #runs + 1 + number or number]
if run and picture ~= "" then
  columns[#columns + 1] = { file = picture, size = { 720, 480 }, title = " ", to = tonumber(arg[4]) }
  run:plot(table.unpack(columns))
end
]]

local installed

local function gnuplot_is_installed()
  if installed == nil then installed = core.host.spawn({ "gnuplot", "--version" }, "", 10) == 0 end
  return installed
end

-- Output of the example, and whether its picture is there; the reason where it is not
local function run(site, name, path)
  local limit = site.options.seconds or SECONDS
  if limit <= 0 then return nil, "pictures were not asked for" end
  local row, picture = drawn[name] or {}, ("pictures/%s.svg"):format(name)
  local has_gnuplot = gnuplot_is_installed()
  local words = { "/proc/self/exe", "-", path, has_gnuplot and site.folder .. picture or "", tostring(row.run or -1), tostring(row.to or "") }
  for _, column in ipairs(row) do words[#words + 1] = column end
  local status, output, errors = core.host.spawn(words, script, limit)
  if not status then return nil, output:find "in time" and ("it takes more than %g s"):format(limit) or output end
  if status ~= 0 then return output, (errors or ""):match "[^\n]+" or "it failed" end
  if not has_gnuplot then return output, "gnuplot is not installed" end
  return output, nil, picture
end

local function title_of(name)
  return drawn[name] and drawn[name].title or name:gsub("_", " "):gsub("^%l", string.upper)
end

-- "ẋ, ẏ over t": what is drawn against what
local function caption(row)
  local labels = {}
  for i, column in ipairs(row or {}) do labels[i] = dress.label(column) end
  if #labels < 2 then return labels[1] and labels[1] .. " over the time" or "" end
  return ("%s over %s"):format(table.concat(labels, ", ", 2), labels[1] == "t" and "the time" or labels[1])
end

local function example_page(site, part, name, folder)
  local path = folder .. name .. ".lua"
  local page = site:page(part, { file = "gallery_" .. name .. ".html", title = title_of(name), kind = "example" })
  page.name, page.head = name, plain.prose((help.head_of(path):gsub("\n", " ")))
  page.write = function()
    local output, reason, picture = run(site, name, path)
    page.picture, page.reason = picture, reason
    if reason and reason ~= "pictures were not asked for" then site.notes[#site.notes + 1] = ("no picture of %s: %s"):format(name, reason) end
    site:index_entry("", page.title, "example", page.head)
    page.headings = { { level = 2, id = "output", title = "What it prints" }, { level = 2, id = "program", title = "The program" } }
    local columns = caption(drawn[name])
    return table.concat{ "<h1>", escape(page.title), '</h1>\n<p class="lead">', escape(page.head), "</p>\n",
      picture and ('<figure><img src="%s" alt="%s"><figcaption>%s</figcaption></figure>'):format(picture, escape(columns), escape(columns)) or "",
      '<p>Take it: <code>ex = examples "', name, '"</code> at the prompt, then <code>ex.S</code>.</p>\n',
      '<h2 id="output">What it prints</h2>\n<pre class="out"><code>', escape(output and output:gsub("%s+$", "") or reason or ""), "</code></pre>\n",
      '<h2 id="program">The program</h2>\n<pre class="code"><code>', highlight(site:read(path):gsub("%s+$", ""), "lua"), "</code></pre>" }
  end
  return page
end

--- The pages of the gallery. The overview is written last, when the pictures are there.
function gallery.declare(site)
  local part, pages = site:part "Gallery", {}
  local overview = site:page(part, { file = "gallery.html", title = "Gallery", kind = "example" })
  local names, folder = help.example_names()
  for i, name in ipairs(names) do pages[i] = example_page(site, part, name, folder) end
  overview.late = true
  overview.write = function()
    local cards = {}
    for i, page in ipairs(pages) do
      local picture = page.picture and ('<img src="%s" alt="" loading="lazy">'):format(page.picture)
        or ('<div class="none">no picture: %s</div>'):format(escape(page.reason or ""))
      cards[i] = ('<a class="card" href="%s">%s<b>%s</b><span>%s</span></a>'):format(page.file, picture, escape(page.title),
        escape(page.head:match "^(.-[^A-Z]%.)%s" or page.head))
    end
    site:index_entry("", "Gallery", "example", "classical systems with pictures")
    return '<h1>Gallery</h1>\n<p class="lead">Systems from the literature. Every program checks its own results.</p>\n<div class="cards">'
      .. table.concat(cards, "\n") .. "</div>"
  end
end

return gallery
