-- typeset.lua: equations, derivations, declarations, results and expressions as HTML with MathML, in lines that fit a page.
local blocks = require "hamel.show.blocks"
local core = require "hamel.core"
local Derivation = require "hamel.analysis.derivation"
local dress = require "hamel.algebra.dress"
local Equations = require "hamel.equations"
local latex_lines = require "hamel.algebra.latex_lines"
local mathml = require "hamel.show.mathml"

local escape = mathml.escape
local typeset = {}

local WIDTH = 31                       -- of a formula in em: fits a window of 800 pixels

-- A formula in lines of their own, the second and later ones set in
local function lines_of(latex)
  local out = {}
  for i, line in ipairs(latex_lines.split(latex, WIDTH)) do
    local formula = mathml.of(line, "row")
    out[i] = i == 1 and formula or ('<div class="continued">%s</div>'):format(formula)
  end
  return table.concat(out)
end

--- The equations of motion: a table of rows with their names; their title.
function typeset.equations(E)
  local rows, names = {}, {}
  for i, row in ipairs(E.rows) do names[i] = row.name end
  for _, c in ipairs(E.kinematic and {} or E.system.constraints) do names[#names + 1] = c.name end
  for line in E:latex{ width = WIDTH }:gsub("^%%[^\n]*\n", ""):gsub("\\begin{align}\n", ""):gsub("\n\\end{align}", ""):gmatch "[^\n]+" do
    local plain, continued = line:gsub("%s*\\\\$", ""):gsub("%s*\\notag$", ""):gsub("^&\\qquad", "")
    local formula = mathml.of(plain, "row")
    if continued > 0 then rows[#rows] = rows[#rows] .. ('<div class="continued">%s</div>'):format(formula)
    else rows[#rows + 1] = ("<tr><td>%s</td><td>%s"):format(escape(dress.formula(names[#rows + 1] or "")), formula) end
  end
  for i, row in ipairs(rows) do rows[i] = row .. "</td></tr>" end
  return ('<div class="equations numbered"><table>%s</table></div>'):format(table.concat(rows, "\n")), E.system.name .. ": " .. E.title
end

-- What a step does, with the formulas between $ typeset
local function words_of(one)
  if not one.words then return escape(one.title) end
  local out, at = {}, 1
  for from, latex, to in one.words:gmatch "()%$([^$]*)%$()" do
    out[#out + 1] = escape(one.words:sub(at, from - 1)) .. mathml.of(latex, "row")
    at = to
  end
  return table.concat(out) .. escape(one.words:sub(at))
end

--- The steps of S:derivation as a numbered list, and their title.
function typeset.derivation(D)
  local items = {}
  for i, one in ipairs(D) do
    local rows = {}
    for k, row in ipairs(one) do
      rows[k] = ("<div>%s</div>"):format(lines_of(row.latex .. " = " .. Derivation.latex_of(row)))
    end
    items[i] = ("<li>%s%s</li>"):format(words_of(one), table.concat(rows, "\n"))
  end
  return ('<div class="equations step"><ol class="steps">%s</ol></div>'):format(table.concat(items, "\n")),
    ("%s: %s, step by step"):format(D.system.name, D.title)
end

-- ---- results in tables

local function cell_html(cell)
  local out = {}
  for i, piece in ipairs(blocks.pieces(cell)) do
    out[i] = piece.latex and lines_of(piece.latex) or escape(piece.name and dress.formula(piece.name) or piece.words)
  end
  return table.concat(out)
end

local function row_html(tag, cells)
  local out = {}
  for i, cell in ipairs(cells) do out[i] = ("<%s>%s</%s>"):format(tag, cell_html(cell), tag) end
  return "<tr>" .. table.concat(out) .. "</tr>"
end

--- A title, a table and notes as blocks.lua describes them; the title.
function typeset.blocks(b)
  local rows, notes = {}, {}
  if b.head then rows[1] = row_html("th", b.head) end
  for _, row in ipairs(b.rows) do rows[#rows + 1] = row_html("td", row) end
  for i, note in ipairs(b.notes) do notes[i] = '<p class="detail">' .. escape(note) .. "</p>" end
  local list = #rows > 0 and ('<div class="%s"><table>%s</table></div>'):format(b.head and "wide" or "equations", table.concat(rows, "\n")) or ""
  return list .. table.concat(notes, "\n"), b.title
end

--- HTML of a value that has formulas or tables and its title, or nil: equations, derivations, systems, results, expressions (without a title).
function typeset.value(value)
  local meta = getmetatable(value)
  if meta == Derivation.meta then return typeset.derivation(value) end
  if meta == Equations.meta then return typeset.equations(value) end
  if core.is_expression(value) then return "<p>" .. lines_of(core.latex(value)) .. "</p>" end
  local described = blocks.of(value)
  if described then return typeset.blocks(described) end
end

return typeset
