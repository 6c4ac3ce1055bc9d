-- display.lua: a value as a notebook shows it: formulas as LaTeX, pictures, motions, by media types.
local base64 = require "hamel.base.base64"
local blocks = require "hamel.show.blocks"
local core = require "hamel.core"
local Derivation = require "hamel.analysis.derivation"
local dress = require "hamel.algebra.dress"
local Equations = require "hamel.equations"
local gnuplot = require "hamel.show.gnuplot"
local greek = require "hamel.algebra.greek"
local latex_lines = require "hamel.algebra.latex_lines"
local listeners = require "hamel.base.listeners"
local Matrix = require "hamel.algebra.matrix"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local display = {}

local schema = {
  math = { default = "latex", type = "string", choices = { "latex", "text" }, doc = "formulas: 'latex' (typeset) or 'text'" },
  pictures = { default = "both", type = "string", choices = { "svg", "png", "both" },
    doc = "'svg', 'png' or 'both'; a notebook that is not trusted shows PNG only" },
  width = { default = 50, type = "number", from = 10, to = 1000, doc = "formulas are broken into lines of this width, in em" },
  height = { default = 420, type = "number", from = 50, to = 5000, whole = true, doc = "height of a motion, in pixels" },
}

local settings = options.check("notebook", schema, {})

--- How the following cells of a notebook show values; settings that are not named stay.
function display.notebook(given)
  -- wrong names and types are refused before anything is merged
  options.check("notebook", schema, given)
  local merged = {}
  for name, value in pairs(settings) do merged[name] = value end
  for name, value in pairs(given or {}) do merged[name] = value end
  settings = options.check("notebook", schema, merged)
end

-- ---- formulas

-- A name in a formula: Greek letters as such, others upright
local in_math = { ["\\"] = "\\backslash ", ["^"] = "\\wedge ", ["~"] = "\\sim ", [" "] = "\\ " }
local function named(text)
  local letter, primes = text:match "^(%a+)('*)$"
  if letter and greek[letter] then return "\\" .. letter .. primes end
  return "\\mathrm{" .. text:gsub("[\\{}$%%#&_^~ ]", function(c) return in_math[c] or "\\" .. c end) .. "}"
end

-- A text in Markdown, where signs of Markdown, of formulas and of HTML are themselves
local in_words = { ["$"] = "&#36;", ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;" }
local function words(text) return (text:gsub("[\\`*_{}%[%]#|~$<>&]", function(c) return in_words[c] or "\\" .. c end)) end

display.words = words

local function array(columns, rows) return ("\\begin{array}{%s} %s \\end{array}"):format(columns, table.concat(rows, " \\\\[4pt] ")) end

-- A formula in lines that fit
local function formula(latex)
  local lines = latex_lines.split(latex, settings.width)
  if #lines == 1 then return "\\displaystyle " .. lines[1] end
  for i, line in ipairs(lines) do lines[i] = (i > 1 and "\\qquad " or "") .. "\\displaystyle " .. line end
  return array("l", lines)
end

local function dollars(latex) return "$" .. latex .. "$" end

-- The rows of E:latex beside the names of the equations
local function rows_of(E)
  local rows, names, at = {}, {}, 0
  for i, row in ipairs(E.rows) do names[i] = row.name end
  for _, c in ipairs(E.kinematic and {} or E.system.constraints) do names[#names + 1] = c.name end
  local body = E:latex{ width = settings.width, number = false }:match "\\begin{align%*}\n(.*)\n\\end{align%*}"
  for line in body:gmatch "[^\n]+" do
    local plain, continued = line:gsub("%s*\\\\$", ""):gsub("^&\\qquad", "\\qquad")
    if continued == 0 then at = at + 1 end
    rows[#rows + 1] = ("%s & \\displaystyle %s"):format(continued == 0 and names[at] and named(names[at]) or "", (plain:gsub("&", "")))
  end
  return rows
end

local function equations(E)
  local table_of_rows = dollars(array("ll", rows_of(E)))
  return { ["text/latex"] = table_of_rows, ["text/markdown"] = ("%s: %s\n\n%s"):format(words(E.system.name), words(E.title), table_of_rows) }
end

-- What a step does; formulas between $ are typeset
local function sentence(one)
  if not one.words then return words(one.title) end
  local out, at = {}, 1
  for from, latex, to in one.words:gmatch "()%$([^$]*)%$()" do
    out[#out + 1] = words(one.words:sub(at, from - 1)) .. dollars("\\displaystyle " .. latex)
    at = to
  end
  return table.concat(out) .. words(one.words:sub(at))
end

local function derivation(D)
  local out = { ("%s: %s, step by step"):format(words(D.system.name), words(D.title)) }
  for i, one in ipairs(D) do
    out[#out + 1] = ("**%d.** %s"):format(i, sentence(one))
    for _, row in ipairs(one) do out[#out + 1] = dollars("\\quad " .. formula(row.latex .. " = " .. Derivation.latex_of(row))) end
  end
  return { ["text/markdown"] = table.concat(out, "\n\n") }
end

-- ---- results in tables

local function cell_text(cell)
  local out = {}
  for i, piece in ipairs(blocks.pieces(cell)) do
    -- a bar would end the cell
    out[i] = piece.latex and dollars(formula(piece.latex):gsub("|", "\\vert ")) or words(piece.name and dress.formula(piece.name) or piece.words)
  end
  return (table.concat(out):gsub("\n", " "))
end

local function line_of(cells)
  local out = {}
  for i, cell in ipairs(cells) do out[i] = cell_text(cell) end
  return "| " .. table.concat(out, " | ") .. " |"
end

-- Every cell to the left; a table without heads has empty ones
local function table_of(b)
  local head, rules = b.head or {}, {}
  for i = 1, #(b.head or b.rows[1]) do
    head[i], rules[i] = head[i] or "", ":---"
  end
  local lines = { line_of(head), "|" .. table.concat(rules, "|") .. "|" }
  for _, row in ipairs(b.rows) do lines[#lines + 1] = line_of(row) end
  return table.concat(lines, "\n")
end

local function described(b)
  local out = {}
  if b.title then out[1] = words(b.title) end
  if #b.rows > 0 then out[#out + 1] = table_of(b) end
  for _, note in ipairs(b.notes) do out[#out + 1] = words(note) end
  return { ["text/markdown"] = table.concat(out, "\n\n") }
end

local function typeset(value, meta)
  if meta == Equations.meta then return equations(value) end
  if meta == Derivation.meta then return derivation(value) end
  if meta == Matrix.meta then return { ["text/latex"] = dollars("\\displaystyle " .. value:latex():gsub("\n", " ")) } end
  if core.is_expression(value) then return { ["text/latex"] = dollars(formula(core.latex(value))) } end
  local b = blocks.of(value)
  if b then return described(b) end
end

-- ---- pictures

local drawn = setmetatable({}, { __mode = "k" })         -- the SVG of pictures

--- From here on pictures are drawn for a notebook too.
function display.in_notebook()
  listeners.add("picture", function(picture, svg) drawn[picture] = svg or nil end)
end

-- JupyterLab shows an SVG as wide as it says, also where the cell is narrower: pixels that fit a usual one. Others obey the style
local FITTING, SIZE = '<svg style="max-width: 100%%; height: auto"', ' width="680" height="425"'

local function picture_types(picture)
  local types = {}
  if settings.pictures ~= "png" then types["image/svg+xml"] = drawn[picture]:gsub("^.-<svg", FITTING, 1):gsub(' width="%d+" height="%d+"', SIZE, 1) end
  if settings.pictures ~= "svg" then types["image/png"] = base64(gnuplot.png(picture.script)) end
  return types
end

-- ---- any value

--- A page inside a notebook. One that is not trusted shows the sentence alone.
function display.frame(page)
  return ('<iframe sandbox="allow-scripts" style="width:100%%;height:%dpx;border:1px solid #ccc" srcdoc="%s"></iframe>'
    .. "<p>motion (nothing above? trust this notebook)</p>"):format(settings.height, mathml.escape(page))
end

-- What a __mime of the user's returned: data by media type; those of texts and images are texts
local function checked(types)
  if type(types) ~= "table" then object.fail("__mime returned %s; it returns a table { [\"text/html\"] = text }", type(types)) end
  for key, data in pairs(types) do
    if type(key) ~= "string" or type(data) ~= "string" and (key:find "^text/" or key:find "^image/") then
      object.fail("__mime returned a table with the entry [%s], a %s; media types are texts, and so are data of texts and images", tostring(key),
        type(data))
    end
  end
  return types
end

--- The media types of a value beside its text: { type = data }; those of its metatable's __mime(value), where it has that.
function display.types(value)
  local meta = debug.getmetatable(value)
  local own = type(meta) == "table" and rawget(meta, "__mime")
  if own then return checked(own(value)) end
  if drawn[value] then return picture_types(value) end
  if type(meta) == "table" and rawget(meta, "__name") == "Animation" then return { ["text/html"] = display.frame(value.page) } end
  return settings.math == "latex" and value ~= nil and typeset(value, meta) or {}
end

options.declare("notebook", schema)

return display
