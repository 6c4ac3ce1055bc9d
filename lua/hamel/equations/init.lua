-- equations/init.lua: the common shape of all equations: x_kin' = k(x, t), M(x, t) x_dyn' = r + A^T lambda, A x_dyn' + b = 0; printing.
--
-- A form fills in these fields of an Equations object:
--   kin, dyn          state symbols; k: rates of kin as expressions of the state
--   M, r              list of rows, list; A, b: one row and one entry per multiplier
--   multipliers       symbols of the multipliers, names: the constraints behind them (row_names: of the rows of A, if those are others)
--   dyn_names         the coordinate of each dyn, for messages
--   rows              the printed equations: { name=, left=, right= } each
--   positions         { name=, f=, row= } per holonomic constraint; velocities: the same on the level of velocities
--   energy, kinetic, power, multiplier_power (nil: not known, no power); carried: part of the energy whose rate
--                     replaces the work of reactions in `power` (nil: none)
-- rows, M, r, energy and kinetic may be functions that derive them when they are read first
-- and where the states are not the velocities themselves
--   rates             symbols of dyn'; v, a, lambda: q', q'', multipliers in kin, dyn, rates
--   from_velocities   dyn in coordinates, velocities, time and mu, the vakonomic multipliers; mu_of: mu in kin, dyn
--   base              true: dyn are the base velocities of a system with rotations, and M, r, A hold for them as for velocities
--   momenta           dL*/dq' in kin, dyn, where L* is not the system's L
--   kinematic         { left=, right= }: printed with the equations; condition: expressions that must not vanish
--   constants         { symbols=, values= } in place of numbers, see analysis/exact.lua
--   chosen_columns    indices of the dependent velocities where the form chose them and another choice is possible
--   eliminated        names of the dependent velocities, where a start chose them
--   redundant         names of constraints that the others imply, removed before the derivation (nil: none)
--   held              parameters that stand behind the coordinates in kin and keep their values
--   lagrangian        M, r, A, b once more: L, with the generalised `forces` and the functions f of `velocities`, where dyn are the velocities
--   watched           the constraints are not enforced: their residual is a result
local abbreviate = require "hamel.equations.abbreviate"
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local files = require "hamel.base.files"
local latex_lines = require "hamel.algebra.latex_lines"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local other_systems = require "hamel.algebra.other_systems"
local printed = require "hamel.equations.rows"

local Equations = object.class "Equations"

local always = { "system", "kin", "dyn", "k", "M", "r", "A", "b", "multipliers", "names", "dyn_names", "rows", "positions", "velocities" }
local optional = { "form", "title", "energy", "kinetic", "power", "multiplier_power", "carried", "rates", "v", "a", "lambda", "from_velocities", "mu", "mu_of",
  "momenta", "base", "redundant", "kinematic", "condition", "condition_rows", "chosen_columns", "constants", "watched", "whole_course", "row_names",
  "held", "key", "eliminated", "lagrangian", "forces" }

local known = {}
for _, list in ipairs{ always, optional } do for _, name in ipairs(list) do known[name] = true end end

local late = { "rows", "M", "r", "energy", "kinetic" }        -- fields that may be functions

--- A new record; used by forms, which need not give its form and title.
function Equations.new(fields)
  for name in pairs(fields) do
    if not known[name] then object.fail("Equations.new: unknown field '%s'%s", tostring(name), object.hint(tostring(name), object.keys(known))) end
  end
  for _, name in ipairs(optional) do fields[name] = fields[name] or false end
  fields._derive = {}
  for _, name in ipairs(late) do
    if type(fields[name]) == "function" then fields._derive[name], fields[name] = fields[name], nil end
  end
  return (answer.dressed(setmetatable(fields, Equations.meta)))
end

-- A field that was given as a function
local function derived(self, name)
  local value = self._derive[name]()
  rawset(self, name, value)
  return value
end

--- The printed equations.
function Equations.get.rows(self) return derived(self, "rows") end

--- The rows of the mass matrix.
function Equations.get.M(self) return derived(self, "M") end

--- What the mass matrix times the rates is equal to, without reactions.
function Equations.get.r(self) return derived(self, "r") end

--- The energy whose rate is `power`.
function Equations.get.energy(self) return derived(self, "energy") end

--- Is there an energy? Does not derive it.
function Equations.get.keeps_energy(self) return self._derive.energy ~= nil or self.energy ~= false end

--- The kinetic energy.
function Equations.get.kinetic(self) return derived(self, "kinetic") end

--- E[i]: left minus right side of the i-th equation.
function Equations.item(self, i)
  local row = self.rows[i]
  return row and row.left - row.right
end

function Equations.meta.__len(self) return #self.rows end

--- Symbols of the rates that the equations are linear in: accelerations where the form keeps the velocities.
function Equations.rates_of(self)
  if self.rates then return self.rates end
  local list = {}
  for i, q in ipairs(self.kin) do list[i] = q.ddot end
  return list
end

local SECONDS, LONG, HEAD = 3, 4000, 400                     -- for all short forms; characters of a row that is printed whole; of one that is not
local TIRING, PAGE, WORTH = 2000, 8000, 0.75                 -- characters of all rows that are long to read; of those shown with names; share left by names

-- Rows as they are shown, found once; with more time again
local function shown(self, seconds)
  if not rawget(self, "_shown") or (seconds and #self._notes > 0) then self._shown, self._notes, self._positive = printed.shown(self, seconds or SECONDS) end
  return self._shown
end

--- Lists the rows that could not be simplified for printing and are printed as derived: { reason = text, rows = names of equations }; empty if all
--- are short. E:text{ seconds = 60 } allows more time.
function Equations:unsimplified()
  shown(self)
  return self._notes
end

-- The rows as they hold everywhere
local function whole(list)
  local result = {}
  for i, row in ipairs(list) do result[i] = row.whole and { name = row.name, left = row.whole.left, right = row.whole.right, of = row.of } or row end
  return result
end

-- A text that is too long to be read, with its size
local function abridged(text, o)
  if o.whole or #text <= LONG then return text end
  return ("%s ... (%d characters; E:text{ whole = true } returns them all)"):format(text:sub(1, HEAD), #text)
end

local text_schema = {
  whole = { type = "boolean", doc = "rows of any length; without it long ones are abridged" },
  seconds = { type = "number", above = 0, doc = "time for the short forms of all rows; 3 when not given" },
  abbreviate = { type = "boolean", doc = "of equations: names, D1 = ..., for the parts that they share" },
}

-- The shown rows with names for their parts, or, where that is shorter, the rows as derived: rows, parts, characters before and after
local function shortest(self, rows)
  local short, parts, before, after = abbreviate.rows(self.system, rows)
  if after > TIRING and #self._positive == 0 then
    local other, other_parts, _, length = abbreviate.rows(self.system, printed.derived(self))
    if length < after and #other_parts > 0 then return other, other_parts, before, length end
  end
  return short, parts, before, after
end

-- Rows as they are shown, the named parts of them, and a sentence on the length where there are some
local function abbreviated(self, o)
  local rows = shown(self, o.seconds)
  if not o.abbreviate then return rows, {} end
  local short, parts, before, after = shortest(self, rows)
  return short, parts, #parts > 0 and ("%d characters; %d without the names"):format(after, before) or "no part is worth a name"
end

-- Rows for the eye: those too long to be printed with names for their parts where these help, a sentence on the length; of long ones the advice
local function readable(self, rows)
  local length, longest = 0, 0
  for _, row in ipairs(rows) do
    local left, right = #core.text(row.left), #core.text(row.right)
    length, longest = length + left + right, math.max(longest, left, right)
  end
  if length <= TIRING then return rows, {} end
  local short, parts, before, after = shortest(self, rows)
  if #parts == 0 or after > WORTH*before then return rows, {} end
  if longest > LONG and after < PAGE then return short, parts, ("%d characters; E:text{ whole = true } has %d"):format(after, before) end
  return rows, {}, nil, ("long: %d characters; E:text{ abbreviate = true }, with names for the parts of the rows, has %d"):format(before, after)
end

--- Returns the equations as they are printed: E:text(), E:text{ whole = true, seconds = 60 }.
--- Each side is in a short form. Both sides are divided by common positive parameters and numbers, and the highest derivative comes first,
--- without a minus. E[i] remains the row as derived. Rows of a disc that rolls hold on the side of its lying flat that the last line names.
--- Where a side has more than 4000 characters, common parts get names as by abbreviate = true; rows that stay long are abridged.
--- Of rows that are shorter but long to read, a line says how long they are with names. A last line names the rows that could not be
--- simplified in the given time.
--- E:text{ abbreviate = true } gives names, D1 = ..., to common parts of the rows, lists them after the rows and reports both lengths.
--- E:text "sympy" is a script of SymPy that declares the symbols and the list `equations`; "mathematica" and "maxima" give the list.
function Equations:text(given)
  if type(given) == "string" then return other_systems.equations(whole(shown(self)), given) end
  local o = options.check("text", text_schema, given)
  local rows, parts, saved = abbreviated(self, o)
  local advice
  if not o.whole and not o.abbreviate then rows, parts, saved, advice = readable(self, rows) end
  local out = { ("%s: %s%s"):format(self.system.name, self.title, saved and " (" .. saved .. ")" or "") }
  for _, row in ipairs(rows) do
    local note = row.of == "constraint" and self.watched and " (watched)" or ""
    out[#out + 1] = ("  %-10s %s = %s%s"):format(row.name ~= "" and row.name .. ":" or "", abridged(core.text(row.left), o),
      abridged(core.text(row.right), o), note)
  end
  for i, part in ipairs(parts) do
    out[#out + 1] = ("  %-10s %s = %s"):format(i == 1 and "where" or "", core.text(part.symbol), abridged(core.text(part.value), o))
  end
  for _, e in ipairs(self._positive) do out[#out + 1] = ("  %-10s %s > 0"):format("where", core.text(e)) end
  if #self.multipliers > 0 and not self.lambda then
    local names = {}
    for i, s in ipairs(self.multipliers) do names[i] = ("%s of '%s'"):format(core.text(s), self.names[i]) end
    out[#out + 1] = "  reactions + A^T lambda: " .. table.concat(names, ", ")
  end
  if advice then out[#out + 1] = "  " .. advice end
  for _, note in ipairs(self._notes) do
    out[#out + 1] = ("  not simplified (%s): %s"):format(note.reason, table.concat(note.rows, ", "))
  end
  return table.concat(out, "\n")
end

function Equations.meta.__tostring(self) return self:text() end

local latex_schema = {
  width = { type = "number", above = 8, doc = "width of a line in em, as 34 for a page, 24 for a column; lines of any length when not given" },
  number = { type = "boolean", or_type = "string", default = true,
    doc = "of equations; false: no numbers; a text such as \"eq:disc\": labels eq:disc:x by the names of the rows" },
  short_trig = { type = "boolean", doc = "sin theta as an upright s with the subscript theta, cos theta as c" },
  seconds = text_schema.seconds,
  abbreviate = text_schema.abbreviate,
  file = { type = "string", doc = "a file, \"disc.tex\", that gets the text" },
}

-- \label of a row; without characters that TeX would not take
local function label(o, row, k)
  if type(o.number) ~= "string" then return "" end
  local name = row.name ~= "" and row.name or tostring(k)
  return (" \\label{%s:%s}"):format(o.number, (name:gsub("[^%w.]+", "-")))
end

local LETTER = 0.5                     -- em of a letter, on average

-- What could not be simplified, in lines of a width
local function note_lines(note, width)
  local out, line = {}, ""
  for word in ("not simplified (%s): %s"):format(note.reason, table.concat(note.rows, ", ")):gmatch "%S+" do
    local longer = line == "" and word or line .. " " .. word
    if width and line ~= "" and LETTER*#longer > width then out[#out + 1], line = line, word else line = longer end
  end
  out[#out + 1] = line
  for i, text in ipairs(out) do out[i] = ("&\\text{%s}"):format((text:gsub("_", "\\_"))) end
  return out
end

-- How long the LaTeX is, as a comment of TeX: with names for its parts, or without where it is too long to be read; nil: it is short
local function length_comment(text, o, saved)
  if o.abbreviate then return "% " .. saved end
  if #text <= LONG then return nil end
  return ("%% %d characters; E:latex{ abbreviate = true } gives names to the parts that the rows share"):format(#text)
end

-- Direction cosines of rotations with indices: R_{zx}
local function cosines(self, latex)
  for _, R in ipairs(self.system._rotations) do
    local name = core.latex(core.symbol(R.name, 0))
    latex = latex:gsub("\\mathrm{" .. R.name .. "([xyz][xyz])}", function(index) return ("%s_{%s}"):format(name, index) end)
  end
  return latex
end

--- The equations in LaTeX as an align environment, with the rows of E:text(). E:latex{ width = 34, number = "eq:disc", short_trig = true }
--- breaks lines that are wider than 34 em (at =, + and -), labels the equations and writes sines and cosines short. The lines need amsmath,
--- and amssymb where a very long row names its parts by squares.
--- With abbreviate = true the parts that the rows share have names, D1 = ..., whose rows follow. A comment in the first line says how long
--- the rows are with and without the names, and of more than 4000 characters how long they are.
--- A last line names the rows that could not be simplified in the time given. E:latex "disc.tex", or file = "disc.tex", writes the text to a file and
--- returns { file, text, ... }, which prints as one sentence.
function Equations:latex(given)
  local o = options.check("latex", latex_schema, type(given) == "string" and { file = given } or given)
  if o.file and not o.file:find "%.tex$" then object.fail("latex: file = '%s': the name of the file ends in .tex", o.file) end
  local rows, parts, saved = abbreviated(self, o)
  local sides, lines = {}, {}
  for _, part in ipairs(parts) do
    rows[#rows + 1] = { name = core.text(part.symbol), left = part.symbol, right = part.value }
  end
  for k, row in ipairs(rows) do sides[k] = { left = cosines(self, core.latex(row.left)), right = cosines(self, core.latex(row.right)) } end
  local broken = (o.width or o.short_trig) and latex_lines.rows(sides, o.width or math.huge, o.short_trig)
  for k, row in ipairs(rows) do
    local broken_row = broken and broken[k] or { sides[k].left .. " &= " .. sides[k].right }
    for i = 1, #broken_row - 1 do lines[#lines + 1] = broken_row[i] .. (o.number and " \\notag" or "") end
    lines[#lines + 1] = broken_row[#broken_row] .. label(o, row, k)
  end
  for _, e in ipairs(self._positive) do
    lines[#lines + 1] = ("&\\text{where } %s > 0"):format(core.latex(e)) .. (o.number and " \\notag" or "")
  end
  for _, note in ipairs(self._notes) do
    for _, words in ipairs(note_lines(note, o.width)) do lines[#lines + 1] = words .. (o.number and o.width and " \\notag" or "") end
  end
  local environment = o.number and "align" or "align*"
  local text = ("\\begin{%s}\n%s\n\\end{%s}"):format(environment, table.concat(lines, " \\\\\n"), environment)
  local comment = length_comment(text, o, saved)
  text = comment and comment .. "\n" .. text or text
  if not o.file then return text end
  files.write("latex", o.file, text .. "\n")
  local contents = ("%d rows of the %s of %s for \\input, with amsmath"):format(#rows, self.title, self.system.name)
  return files.written(o.file, contents, { text = text, bytes = #text + 1, rows = #rows })
end

options.declare("latex", latex_schema)
options.declare("text", text_schema)

object.seal(Equations, "E")

return Equations
