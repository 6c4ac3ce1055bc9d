-- report.lua: hamel report: pages of scripts and of notebooks; scripts made of notebooks, and notebooks of scripts.
local files = require "hamel.base.files"
local notebook = require "hamel.jupyter.notebook"
local object = require "hamel.base.object"
local page = require "hamel.jupyter.page"
local report = require "hamel.show.report"

local command = {}

local USAGE = "usage: hamel report script.lua [-o page.html | page.pdf | page.tex | notebook.ipynb] [arguments]\n"
  .. "       hamel report notebook.ipynb [-o page.html | page.pdf | script.lua] [arguments]"

-- What may be made of a script, and of a notebook
local made_of = {
  lua = { html = true, pdf = true, tex = true, ipynb = true },
  ipynb = { html = true, pdf = true, tex = true, lua = true },
}

local function text_of(path)
  local text, problem = files.read(path, 1 << 30)
  return text or object.fail("report: cannot read %s: %s", path, problem)
end

local function counted(n) return ("%d cell%s"):format(n, n == 1 and "" or "s") end

local function convert(path, out, convert_text)
  local text, cells = convert_text(text_of(path), path)
  files.write("report", out, text)
  print(("%s: %s"):format(out, counted(cells)))
  return true
end

local function script_to_notebook(script, path)
  local list = notebook.of_script(script, path)
  return notebook.text(list), #list
end

local function notebook_to_script(text, path)
  local list = notebook.read(text, path)
  return notebook.script(list, path), #list
end

--- hamel report script.lua [-o page.html] [arguments]: what a script or a notebook (.ipynb) shows, as one page (.html, .pdf, .tex). -o a.ipynb makes a
--- notebook of a script, -o a.lua a script of a notebook. True when it succeeded.
function command.command(arguments)
  local path, out, rest = report.words(arguments)
  if not path then object.wrong_usage(USAGE) end
  local from = path:find "%.ipynb$" and "ipynb" or "lua"
  out = out or path:match "[^/]*$":gsub("%.lua$", ""):gsub("%.ipynb$", "") .. ".html"
  local to = out:match "%.(%l+)$"
  if not made_of[from][to] then
    object.wrong_usage("report: -o %s: the name ends in %s", out, from == "lua" and ".html, .pdf, .tex or .ipynb" or ".html, .pdf or .lua")
  end
  if to == "ipynb" then return convert(path, out, script_to_notebook) end
  if to == "lua" then return convert(path, out, notebook_to_script) end
  if from == "ipynb" then return report.tell(out, page.write(path, text_of(path), out, rest)) end
  return report.tell(out, report.write(path, out, rest))
end

return command
