-- latex_page.lua: the sections of a report as a LaTeX document, for pdflatex; equations as E:latex gives them, the rest as text.
local core = require "hamel.core"
local Derivation = require "hamel.analysis.derivation"
local Equations = require "hamel.equations"
local greek = require "hamel.algebra.greek"

local latex_page = {}

local WIDTH, COLUMNS = 34, 96          -- of a formula in em, of a line of text in characters

local greek_names = {}
for name, letter in pairs(greek) do greek_names[letter] = greek_names[letter] or name end

-- What pdflatex sets as it is: Greek letters by their names, other signs beyond ASCII as question marks
local function plain(text)
  return (text:gsub(utf8.charpattern, function(letter) return #letter > 1 and (greek_names[letter] or "?") or nil end))
end

local specials = { ["\\"] = "\\textbackslash{}", ["^"] = "\\^{}", ["~"] = "\\~{}", ["<"] = "\\textless{}", [">"] = "\\textgreater{}", ["|"] = "\\textbar{}" }

--- Text that is safe in LaTeX.
function latex_page.escape(text)
  return (plain(text):gsub("[\\{}%$&#%%_^~<>|]", function(c) return specials[c] or "\\" .. c end))
end

--- A block of text, its lines broken where they are too long.
function latex_page.verbatim(text)
  local out = {}
  for line in (plain(text):gsub("\\end{verbatim}", "\\end {verbatim}"):gsub("\t", "    ") .. "\n"):gmatch "([^\n]*)\n" do
    repeat
      out[#out + 1] = line:sub(1, COLUMNS)
      line = "    " .. line:sub(COLUMNS + 1)
    until not line:find "%S"
  end
  return "{\\footnotesize\n\\begin{verbatim}\n" .. table.concat(out, "\n") .. "\n\\end{verbatim}\n}"
end

--- LaTeX of a value that has formulas; nil for others.
function latex_page.value(value)
  local meta = getmetatable(value)
  if meta == Equations.meta then return value:latex{ width = WIDTH } end
  if meta == Derivation.meta then return value:latex{ width = WIDTH - 4 } end
  if core.is_expression(value) then return "\\[ " .. value:latex{ width = WIDTH } .. " \\]" end
end

--- The document: sections { title, tex }.
function latex_page.document(title, sections)
  local out = { "\\documentclass[11pt,a4paper]{article}", "\\usepackage[utf8]{inputenc}", "\\usepackage{amsmath,amssymb}",
    "\\usepackage[margin=24mm]{geometry}", "\\allowdisplaybreaks", "\\title{" .. latex_page.escape(title) .. "}", "\\date{}",
    "\\begin{document}", "\\maketitle", "\\tableofcontents" }
  for _, section in ipairs(sections) do
    if section.title then out[#out + 1] = "\\section{" .. latex_page.escape(section.title) .. "}" end
    out[#out + 1] = section.tex
  end
  out[#out + 1] = "\\end{document}\n"
  return table.concat(out, "\n")
end

return latex_page
