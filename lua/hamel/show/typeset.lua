-- typeset.lua: equations, derivations, declarations and expressions as HTML with MathML, in lines that fit a page.
local core = require "hamel.core"
local Derivation = require "hamel.analysis.derivation"
local dress = require "hamel.algebra.dress"
local Equations = require "hamel.equations"
local latex_lines = require "hamel.algebra.latex_lines"
local mathml = require "hamel.show.mathml"
local System = require "hamel.system"

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

-- ---- declarations

local function condition(name, f, sign, text)
  return ("%s: %s%s"):format(escape(name), lines_of(core.latex(f) .. sign), escape(text:match "%s+(%(.*%))$" or ""):gsub("^%(", " ("))
end

-- By the label of a line of print(S): the formula in its place, for the k-th line of that label
local formulas = {
  Lagrangian = function(S) return lines_of(core.latex(S._L)) end,
  ["kinetic energy"] = function(S) return lines_of(core.latex(S._T)) end,
  ["potential energy"] = function(S) return lines_of(core.latex(S._V)) end,
  constraint = function(S, k, text) return condition(S.constraints[k].name, S.constraints[k].f, " = 0", text) end,
  ["one-sided"] = function(S, k, text) return condition(S.gaps[k].name, S.gaps[k].gap, " \\ge 0", text) end,
}

local function force(S, k, text)
  local item = S.force_list[k]
  return item.call and escape(text) or lines_of(core.latex(item.expression))
end

-- Lines of names, with Greek letters in the page
local NAMES = { coordinates = true, parameters = true }

--- What print(S) shows: the declaration of a system, with its formulas typeset.
function typeset.system(S)
  local rows, met, forces = {}, {}, 0
  for line in tostring(S):gmatch "\n([^\n]*)" do
    local label, text = line:match "^  (.-)  +(.*)$"
    if not label then label, text = line:match "^  (.-):? (.*)$" end
    met[label] = (met[label] or 0) + 1
    local html
    if label:find "^force on " then
      forces = forces + 1
      html = force(S, forces, text)
    else
      html = formulas[label] and formulas[label](S, met[label], text) or escape(NAMES[label] and dress.formula(text) or text)
    end
    rows[#rows + 1] = ("<tr><td>%s</td><td>%s</td></tr>"):format(escape(dress.formula(label)), html)
  end
  return ('<div class="equations"><table>%s</table></div>'):format(table.concat(rows, "\n")), S.name .. ": as declared"
end

--- HTML of a value that has formulas and its title, or nil: equations, derivations, systems, expressions (without a title).
function typeset.value(value)
  local meta = getmetatable(value)
  if meta == Derivation.meta then return typeset.derivation(value) end
  if meta == Equations.meta then return typeset.equations(value) end
  if meta == System.meta then return typeset.system(value) end
  if core.is_expression(value) then return "<p>" .. lines_of(core.latex(value)) .. "</p>" end
end

return typeset
