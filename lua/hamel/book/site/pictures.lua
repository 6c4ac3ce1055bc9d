-- pictures.lua: one picture of each kind for the how-to page on pictures, drawn while the site is written, each below the call that made it.
local core = require "hamel.core"
local highlight = require "hamel.show.highlight"

local pictures = {}

-- { file, call as the page shows it, the same call with the file of the site }; free: a pendulum without damping
local function rows(P, run, free)
  local theta = P:symbol "theta"
  return {
    { "curves", 'run:plot("t", "theta", "theta\'", "curves.svg")', function(o) return run:plot("t", "theta", "theta'", o) end },
    { "plane", 'run:plot("theta", "theta\'", { file = "plane.svg", colour = "energy" })', function(o)
        o.colour = "energy"
        return run:plot("theta", "theta'", o)
      end },
    { "place", 'run:plot(l*hm.sin(theta), -l*hm.cos(theta), "place.svg")', function(o)
        local l, sin, cos = P:symbol "l", core.functions.sin, core.functions.cos
        return run:plot(l*sin(theta), -l*cos(theta), o)
      end },
    { "portrait", 'S:portrait{ "theta", "theta\'", n = 12, t = 12, field = true, equilibria = true, file = "portrait.svg" }', function(o)
        o[1], o[2], o.n, o.t, o.field, o.equilibria = "theta", "theta'", 12, 12, true, true
        return free:portrait(o)
      end },
    { "drift", 'run:plot_drift "drift.svg"', function(o) return run:plot_drift(o) end },
  }
end

-- A damped pendulum and one without damping
local function pendulum(damping)
  local P = require "hamel.system".new "pendulum"
  local theta = P:coordinates "theta"
  local m, l, g, c = P:positive "m=1 l=1 g=9.81 c=0.3"
  P:kinetic_energy(m*l^2*theta.dot^2/2)
  P:potential_energy(-m*g*l*core.functions.cos(theta))
  if damping then P:dissipation(c*theta.dot^2/2) end
  return P
end

--- HTML of the pictures; "" where pictures are not asked for or gnuplot is missing.
function pictures.html(site)
  if (site.options.seconds or 1) <= 0 or core.host.spawn({ "gnuplot", "--version" }, "", 10) ~= 0 then return "" end
  local P = pendulum(true)
  local run = P:simulate{ q = { theta = 2.5 }, v = { theta = 0 }, t = 10 }
  local out = { '<h2 id="kinds">One picture of each kind</h2>' }
  table.insert(site.writing.headings, { level = 2, id = "kinds", title = "One picture of each kind" })
  for _, row in ipairs(rows(P, run, pendulum(false))) do
    local name = "pictures/howto_" .. row[1] .. ".svg"
    row[3]{ file = site.folder .. name, size = { 720, 420 } }
    out[#out + 1] = ('<pre class="code"><code>%s</code></pre>\n<figure><img src="%s" alt="%s"></figure>'):format(highlight(row[2], "lua"), name, row[1])
  end
  return table.concat(out, "\n")
end

return pictures
