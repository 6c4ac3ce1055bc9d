-- new.lua: hamel new: the beginning of a script, here for the reproduction of a text.
local core = require "hamel.core"
local files = require "hamel.base.files"
local object = require "hamel.base.object"

local fail, wrong_usage = object.fail, object.wrong_usage
local new = {}

local USAGE = "usage: hamel new paper NAME        writes NAME.lua here, a script that runs and waits for the text's equations"

-- TITLE and FILE stand for what is asked for, NAME for the name of the library. The system is a sleigh: a script that runs shows more than one full of gaps.
local paper = [==[
-- TITLE: authors, year, journal, what is reproduced here.
-- One line for every numbered equation: what it is, how it was checked, and the verdict.
--
--   hamel FILE                           exit status 1 when a check fails
--   hamel reproduce FILE                 the counts alone
--   hamel report FILE                    the same as a page
local hm = require "NAME"
local sin, cos = hm.sin, hm.cos

math.randomseed(1)                     -- random states are the same in every run

local P = hm.paper{ title = "TITLE" }

-- 1. The system, as the text defines it. Here: Chaplygin's sleigh; (x, y) is the contact point of its blade, the centre of mass lies a ahead of it
local S = hm.system "sleigh"
local x, y, theta = S:coordinates "x y theta"
local m, J, a = S:positive "m=1 J=1/2 a=1/4"
local vx, vy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
S:kinetic_energy(m/2*(vx^2 + vy^2) + J/2*theta.dot^2)
S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
P:definition("(1)", "no velocity across the blade")

-- 2. Its equations, in the text's variables: u along the blade, w the rate of turn
S:quasi_velocities("u w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
local E = S:equations "hamel"
local u, w = E.dyn[1], E.dyn[2]
local rates = hm.solve({ E[1], E[2] }, { E.rates[1], E.rates[2] })

-- 3. Every printed equation: the difference from what was derived. The algebra decides; "proved" says that it did
P:agrees("(2)", "u' = a w^2", rates[1] - a*w^2)

-- 4. A formula that is wrong in print: the equation as it stands there, which must not hold, then corrected, which must. P:printed keeps the text and
-- compares it with the formula that was typed
local derived = (J + m*a^2)*rates[2]
P:misprint("(3)", "rate of turn: a sign", hm.eq(derived, P:printed("m*a*u*w", m*a*u*w)), hm.eq(derived, -m*a*u*w), nil,
  "corrected: (J + m a^2) w' = -m a u w")

-- Words of the text that are shown with a line, and a statement that the algebra decides
P:quote "the kinetic energy of the sleigh is constant"
P:proves("text", "the energy is constant", S:is_conserved(S:kinetic_energy()) == true, "its rate of change by exact algebra")

-- 5. Results in numbers: a run against an independent solution, here the closed one
local w0, k = 2, 1/4/(1/2 + 1/16)
local c = w0*math.sqrt(1/2 + 1/16)
local run = S:simulate{ form = "hamel", q = { x = 0, y = 0, theta = 0 }, v = { x = 0, theta = w0 }, t = 6, rtol = 1e-11, atol = 1e-12 }
local worst = 0
for i = 0, 60 do
  local s = run:at(i/10)
  worst = math.max(worst, math.abs(s.v.x*math.cos(s.theta) + s.v.y*math.sin(s.theta) - c*hm.tanh(k*c*i/10)))
end
P:agrees("(4)", "u = c tanh(k c t) from rest of the blade", worst, "run against the closed solution")
local late = run:at(6)
local speed = late.v.x*math.cos(late.theta) + late.v.y*math.sin(late.theta)
P:holds("text", "the sleigh ends blade first, u > 0", { speed, ">", 0 }, "the run of (4) at t = 6")

-- Equations, pictures and animations for the page; at the shell they are left out
P:show(E)
P:show(function()
  return run:animate({ { "blade", at = { x, y }, along = { cos(theta), sin(theta) } }, { "trace", of = { x, y } } }, { title = "the sleigh" })
end)

-- 6. What is claimed and not checked here, with the reason
P:not_checked("remark", "all motions end on a straight line", "a limit; the run of (4) shows one of them")

os.exit(P:finish())
]==]

local function paper_file(name)
  if not name:find "^[%w_./][%w_%-./]*$" or not name:find "[%w_][%w_%-.]*$" or name:find "%f[^/%z]%-" then
    wrong_usage("new: a file name of letters, digits, - and _ is expected, as in hamel new paper kozlov1983, not '%s'", name)
  end
  if name:find "^/" or ("/" .. name .. "/"):find("/../", 1, true) then
    wrong_usage("new: the script is written into the current folder or one below it, not to '%s'; go there first", name)
  end
  local file = name:find "%.lua$" and name or name .. ".lua"
  local folder = file:match "^(.*)/"
  if folder and not core.host.list(folder) then fail("new: there is no folder %s; make it first, or choose a name without it", folder) end
  local title = file:match "[^/]*$":gsub("%.lua$", ""):gsub("_", " ")
  local text = paper:gsub("TITLE", title):gsub("FILE", file):gsub("NAME", "hamel")
  local taken = io.open(file)
  if taken then
    taken:close()
    fail("new: %s is there already; nothing was written", file)
  end
  files.write("new", file, text)
  print(("%s: run it by hamel %s, then put the text's equations in place of those of the sleigh"):format(file, file))
  return true
end

--- hamel new paper NAME: true when the script was written.
function new.command(arguments)
  if arguments[1] ~= "paper" or #arguments ~= 2 then
    wrong_usage("new: %s\n%s", arguments[1] and "only papers, with one name" or "nothing is named", USAGE)
  end
  return paper_file(arguments[2])
end

return new
