-- paper.lua: verdict lines for scripts that reproduce a published text, one line per numbered equation.
local core = require "hamel.core"
local judged = require "hamel.show.judged"
local listeners = require "hamel.base.listeners"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local printed = require "hamel.show.printed"
local table_folders = require "hamel.show.table_folders"

local Paper = object.class "Paper"
Paper.meta.__plain = true              -- printed formulas are quoted unchanged

local schema = {
  title = { type = "string", doc = "the text" },
  tolerance = { default = 1e-9, from = 0, to = 1e-3, type = "number", doc = "largest deviation that counts as agreement" },
  statements = { type = "table", doc = "statements of the text that need a line each, { S1 = \"the energy is constant\" }" },
  quiet = { default = false, type = "boolean", doc = "print nothing" },
}

--- The verdicts in the order of tables: proved by the algebra, computed in numbers, a formula of the text refuted and its correction confirmed, nothing
--- to check, not checked, a check that failed.
Paper.kinds = { "proved", "computed", "misprint", "definition", "not checked", "FAILED" }

local tables = {}                      -- all of this process, for Paper.failures

-- The statements in the order of their names, S2 before S10: a list of { id, text }
local function statements_of(given)
  local list = {}
  for id, text in pairs(given or {}) do
    if type(id) ~= "string" or type(text) ~= "string" then
      object.fail("hm.paper: statements is a table of names and texts, { S1 = \"the energy is constant\" }")
    end
    list[#list + 1] = { id = id, text = text }
  end
  local function padded(id) return (id:gsub("%d+", function(digits) return ("%09d"):format(math.tointeger(digits) or 0) end)) end
  table.sort(list, function(a, b) return padded(a.id) < padded(b.id) end)
  return list
end

--- A new table of verdicts: hm.paper{ title = "Mei 1994", tolerance = 1e-9 }. Lines are printed as they come; P.counts has their number by verdict.
---@param fields { title: string, tolerance: number?, quiet: boolean? }
function Paper.new(fields)
  fields = options.check("hm.paper", schema, fields)
  table_folders()                                                  -- a mistake there is said before the script computes
  if not fields.title then object.fail("hm.paper: the title is missing: hm.paper{ title = \"Mei 1994\" }") end
  local counts = {}
  for _, kind in ipairs(Paper.kinds) do counts[kind] = 0 end
  local self = setmetatable({
    title = fields.title, tolerance = fields.tolerance, lines = {}, counts = counts, failed = 0, misprints = 0,
    statements = statements_of(fields.statements), _quiet = fields.quiet, _quoted = {},
  }, Paper.meta)
  tables[#tables + 1] = self
  listeners.call("paper", self)
  if not self._quiet then print(self.title .. "\n") end
  return self
end

local function wrapped(text, width, indent)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if #line > 0 and #line + 1 + #word > width then
      lines[#lines + 1], line = line, word
    else
      line = #line > 0 and line .. " " .. word or word
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n" .. (" "):rep(indent))
end

-- A text with blanks up to a number of characters
local function padded(text, width) return text .. (" "):rep(width - (utf8.len(text) or #text)) end

local function show(line)
  print(("%s %-11s %s"):format(padded(tostring(line.equation), 10), line.verdict, wrapped(line.what, 100, 23)))
  for _, detail in ipairs(line.details) do print((" "):rep(23) .. wrapped(tostring(detail), 98, 25)) end
end

-- The call and the line, for messages
local function place(call, equation) return ("P:%s: equation %s"):format(call, tostring(equation)) end

-- What P:printed and P:quote gave since the last line belongs to this one; a text that was typed wrongly fails it
local function add(self, equation, verdict, what, details)
  if type(equation) ~= "string" and type(equation) ~= "number" then
    object.fail("paper: the first argument names the equation, \"(1)\", and is no %s", type(equation))
  end
  if type(what) ~= "string" or not what:find "%S" then
    object.fail("paper: equation %s: a text that says what the line is about is expected, not %s", tostring(equation),
      type(what) == "string" and "an empty one" or type(what))
  end
  for i, quoted in ipairs(self._quoted) do
    if quoted.problem then verdict = "FAILED" end
    table.insert(details, i, (quoted.compared and "in print: " or "quoted: ") .. quoted.text)
    if quoted.problem then table.insert(details, i + 1, quoted.problem) end
  end
  local line = { equation = equation, verdict = verdict, what = what, details = details, quoted = self._quoted }
  self._quoted = {}
  table.insert(self.lines, line)
  self.counts[verdict] = self.counts[verdict] + 1
  self.failed, self.misprints = self.counts.FAILED, self.counts.misprint
  if not self._quiet then show(line) end
  return line
end

--- Largest |e| at random real points, relative to the size of its terms; expressions or numbers. Points where e is not
--- defined are drawn again. `given` fixes symbols: { [theta] = 0.3 }.
function Paper.deviation(e, given, points) return judged.deviation(e, given, points) end

local LARGEST = 0.1                    -- tolerance of a line

-- The tolerance of a line: its own, tolerance = ... in its list, or that of the paper
local function tolerance_of(self, own)
  if own == nil then return self.tolerance end
  if type(own) ~= "number" or not (own >= 0 and own <= LARGEST) then
    object.fail("the tolerance of a line is a number from 0 to %g, not %s", LARGEST, tostring(own))
  end
  return own
end

-- A tolerance that the reader of a line would not expect stands beside its deviation
local function tolerance_text(self, own)
  local tolerance = own or self.tolerance
  return (own or tolerance > schema.tolerance.default) and (", tolerance %.0e"):format(tolerance) or ""
end

-- By what numbers were found that come without words
local function source_of(found) return found.numbers == 0 and "numbers at random states" or found.numbers == 1 and "the number given" or "the numbers given" end

-- Entries that ought to vanish: verdict, and how it was decided in words; nil where the verdict says it all
local function vanishing(self, list, how, where)
  local entries, own = judged.entries(list, where)
  if how ~= nil and type(how) ~= "string" then
    object.fail("%s: the words that say how it was found are a text, not %s; write nil where there are none", where, tostring(how))
  end
  local tolerance, found = tolerance_of(self, own), judged.vanishing(entries, where)
  if found.refuted then
    local which = #entries > 1 and ("entry %d of %d"):format(found.refuted, #entries) or "the difference"
    return "FAILED", ("%s does not vanish, by exact algebra: %s"):format(which, printed.shortened(tostring(entries[found.refuted])))
  end
  if found.proved then return "proved", how end
  return found.worst > tolerance and "FAILED" or "computed",
    ("%s: off by %.1e at most%s"):format(how or source_of(found), found.worst, tolerance_text(self, own))
end

--- A definition: nothing to check.
function Paper:definition(equation, what, ...) return add(self, equation, "definition", what, { ... }) end

--- A statement that is quoted and not checked; `why` says what a check would need.
function Paper:not_checked(equation, what, why, ...)
  if type(why) ~= "string" then object.fail("P:not_checked: equation %s: the reason is missing: what a check would need, as a text", tostring(equation)) end
  return add(self, equation, "not checked", what, { why, ... })
end

--- A formula as the text prints it, kept with the next line and shown there. It returns `typed`, the same formula as an expression, and compares the
--- two: a slip of the finger in either makes the line fail. P:printed("q1'' + q3''*cos(q2)", q1.ddot + q3.ddot*cos(q2)). The text is written as
--- hm.parse reads it, and left = right stands for left - right; `names` lists the symbols that `typed` does not contain.
--- With meanings of names the text is read in index notation: P:printed("sum_b mu_b (dA_b/dq_s - dA_bs/dt)", formula,
--- { mu = mu, A = function(b, s) return s and A[b][s] or A0[b] end, q = q, ranges = { b = 2, s = 4 }, each = "s" }). Indices: ranges gives their last
--- values, or { first, last }; each lists the free ones, and `typed` is then a table or a function of them; repeated = true sums those that occur twice
--- in a term. Names stand for expressions, numbers, tables, or functions of their indices. dL/dq_s' is a partial derivative, d/dt e the total one,
--- names["..."] what the text leaves out.
function Paper:printed(text, typed, names)
  local is_typed = type(typed) == "function" or type(typed) == "table" or type(typed) == "userdata" and core.is_expression(typed)
  if type(text) ~= "string" or not is_typed then
    object.fail("P:printed(text, expression): the formula as a text, then as an expression; with free indices a table or a function of them")
  end
  if names ~= nil and type(names) ~= "table" then
    object.fail("P:printed(text, expression, names): a list of symbols or meanings of names, not %s", type(names))
  end
  for name, kind in pairs{ each = "string", ranges = "table" } do
    if names and names[name] ~= nil and type(names[name]) ~= kind then
      object.fail("P:printed: %s is a %s, as in { ranges = { b = 2, s = 4 }, each = \"s\" }, not a %s", name, kind, type(names[name]))
    end
  end
  if type(typed) ~= "userdata" and not (names and names.each) then
    object.fail("P:printed(text, formulas, names): a table or a function of formulas needs their indices, each = \"s\"")
  end
  table.insert(self._quoted, { text = text, compared = true, typed = typed, problem = printed.problem(text, typed, names, self.tolerance) })
  return typed
end

--- A formula or a sentence as the text prints it, kept with the next line and shown there; it is not compared with anything.
function Paper:quote(text)
  if type(text) ~= "string" then object.fail("P:quote takes a text, not %s", type(text)) end
  table.insert(self._quoted, { text = text, compared = false })
end

--- `difference` (an expression that ought to vanish, a deviation as a number, or a list of both) must be zero. The line says "proved" where the algebra
--- decides it for all of the list, else "computed" with the largest deviation. An exact expression that the algebra proves to differ from zero fails,
--- however small it is. An equation hm.eq(left, right) is left - right, a matrix counts as the list of its entries.
--- A list may have a tolerance of its own: { off, tolerance = 2e-19 }; the line shows it.
--- how: the words behind a number, "run against the closed solution". Further arguments, texts or expressions, are shown below the line.
function Paper:agrees(equation, what, difference, how, ...)
  local verdict, decided = vanishing(self, difference, how, place("agrees", equation))
  local details = { ... }
  if decided then table.insert(details, 1, decided) end
  return add(self, equation, verdict, what, details)
end

local comparisons = {
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
}

-- One side of a comparison: a number, or an expression without symbols; the algebra proves an inequality of integers and exact expressions alone
local function is_side(x) return type(x) == "number" or core.is_expression(x) and #core.symbols{ x } == 0 end
local function is_exact(x) return math.type(x) == "integer" or core.is_expression(x) and not judged.is_rounded(x) end
local function size_of(x) return type(x) == "number" and x or x:eval() end

-- A comparison with as many digits as show it
local function comparison_text(row, holds)
  local a, b, words = size_of(row[1]), size_of(row[3])
  for digits = 3, 17 do
    words = ("%%.%dg %%s %%.%dg"):format(digits, digits):format(a, row[2], b)
    local left, right = words:match "^(%S+) %S+ (%S+)$"
    if left ~= right or a == b then break end
  end
  return words .. (holds and "" or " does not hold")
end

-- { value, "<", bound } or a list of these: whether all hold, and the comparisons in words
local function compared(call, equation, condition)
  local list, words, all = condition, {}, true
  if type(condition[1]) ~= "table" or object.is_a(condition[1], "Matrix") then list = { condition } end
  if #list == 0 then object.fail("%s: there is nothing to compare", place(call, equation)) end
  for i, row in ipairs(list) do
    local compare = type(row) == "table" and #row == 3 and is_side(row[1]) and is_side(row[3]) and comparisons[row[2]]
    if not compare then
      object.fail("%s: a comparison is { number, \"<\", number }, with <, <=, > or >=; an expression without symbols counts as a number",
        place(call, equation))
    end
    if call == "proves" and not (is_exact(row[1]) and is_exact(row[3])) then
      object.fail("%s: a comparison of rounded numbers proves nothing; P:holds takes it, and integers, fractions and exact expressions can be proved",
        place(call, equation))
    end
    local holds = compare(row[1], row[3])
    all, words[i] = all and holds, comparison_text(row, holds)
  end
  return all, table.concat(words, ", ")
end

local function stated(self, call, equation, verdict, what, condition, how, ...)
  local words
  if type(condition) == "table" then condition, words = compared(call, equation, condition) end
  if type(condition) ~= "boolean" then object.fail("%s: true or false is expected, not %s", place(call, equation), type(condition)) end
  if type(how) ~= "string" then object.fail("%s: how it was found is missing, as a text", place(call, equation)) end
  return add(self, equation, condition and verdict or "FAILED", what, { words and how .. ": " .. words or how, ... })
end

--- A statement that is no equation, found in numbers: `condition` is a comparison { value, "<", bound }, which the line shows, a list of comparisons, or
--- true or false; how: the words that say by what. The verdict is "computed".
--- P:holds("S4", "spun fast it turns over", { run:at(200, R.z)[3], "<", -0.99 }, "the axis at t = 200").
function Paper:holds(equation, what, condition, how, ...) return stated(self, "holds", equation, "computed", what, condition, how, ...) end

--- The same for a statement that exact algebra decides, as the proof of a measure or the signs of rational coefficients: the verdict is "proved".
--- A comparison is of integers and exact expressions without symbols, { hm.sqrt(hm.number(2)), "<", hm.rational(3, 2) }; rounded numbers raise an error.
function Paper:proves(equation, what, condition, how, ...) return stated(self, "proves", equation, "proved", what, condition, how, ...) end

-- A number that is to be refuted is larger than this and than a thousand tolerances
local REFUTED = 1e-3

local function is_equation(e) return object.is_a(e, "Equation") end
local function same(a, b) return core.is_expression(a) and core.is_expression(b) and (a - b):is_zero() == true end

-- The side of an equation that is not the formula in print; nil where neither side is that formula
local function derived_side(equation, quoted)
  for _, row in ipairs(quoted) do
    if same(equation.right, row.typed) then return equation.left end
    if same(equation.left, row.typed) then return equation.right end
  end
end

-- A misprint as equations, derived = printed and derived = corrected: what is wrong with them in words; nil where nothing is
local function unrelated(wrong, corrected, quoted)
  if not is_equation(wrong) then return nil end
  local derived = derived_side(wrong, quoted)
  if not derived then return "neither side of the first equation is the formula of P:printed" end
  if is_equation(corrected) and not same(corrected.left, derived) and not same(corrected.right, derived) then
    return "the two equations do not share what was derived: " .. printed.shortened(tostring(derived))
  end
end

--- A formula of the text is wrong: `wrong` (its difference from the derivation, or a list) must not vanish in any entry, `corrected` must vanish. What the
--- text prints is given before by P:printed, which compares it with the typed formula; a line without it fails. As equations,
--- P:misprint("(3)", "a sign", hm.eq(derived, P:printed("m*a*u*w", m*a*u*w)), hm.eq(derived, -m*a*u*w)), the two must share a side, and the other side of
--- the first must be the formula in print; no slip of a sign in a difference can refute a formula that is right.
function Paper:misprint(equation, what, wrong, corrected, how, ...)
  local entries = judged.entries(wrong, place("misprint", equation) .. " as printed")
  local found = judged.differing(entries, math.max(REFUTED, 1000*self.tolerance))
  local verdict, decided = vanishing(self, corrected, how, place("misprint", equation) .. " as corrected")
  local compared_text, confused = false, unrelated(wrong, corrected, self._quoted)
  for _, quoted in ipairs(self._quoted) do compared_text = compared_text or quoted.compared end
  local details = { "corrected: " .. (verdict == "proved" and "proved" .. (how and ", " .. how or "") or decided), ... }
  local refuted
  if found.holds then
    refuted = ("as printed: %s is not refuted"):format(#entries > 1 and ("entry %d of %d"):format(found.holds, #entries) or "the formula")
  elseif found.least < math.huge then
    refuted = ("as printed: off by %.1e%s"):format(found.least, #entries > 1 and " at least, each of " .. #entries or "")
  else
    refuted = "as printed: refuted by exact algebra"
  end
  table.insert(details, 1, refuted)
  if not compared_text then
    table.insert(details, 1, "the text as printed is missing: P:printed(text, formula) before this line compares it with what was typed")
  end
  if confused then table.insert(details, 1, confused) end
  local fine = compared_text and not confused and not found.holds and verdict ~= "FAILED"
  return add(self, equation, fine and "misprint" or "FAILED", what, details)
end

--- Shows a value on the page of hamel report or hamel reproduce: equations, a picture, an animation. At the shell nothing is shown; what takes time is
--- given as a function, which is called for a page alone: P:show(function() return run:animate() end).
function Paper:show(value)
  if value == nil then object.fail("P:show takes a value, or a function that returns one") end
  if not listeners.any "show" then return end
  if type(value) == "function" then value = value() end
  listeners.call("show", value)
end

--- The counts in words: "5 lines: 2 proved, 1 misprint, 2 definitions, 0 failed".
function Paper:summary()
  local words = {}
  for _, kind in ipairs(Paper.kinds) do
    local n = self.counts[kind]
    if kind == "FAILED" then words[#words + 1] = n .. " failed"
    elseif n > 0 then words[#words + 1] = ("%d %s%s"):format(n, kind, n > 1 and (kind == "misprint" or kind == "definition") and "s" or "") end
  end
  return ("%d line%s: %s"):format(#self.lines, #self.lines == 1 and "" or "s", table.concat(words, ", "))
end

--- Does the name of a line contain that of a statement: "S1", "S1, S2", "S1 (a)"?
function Paper._names_statement(equation, id) return tostring(equation):find("%f[%w]" .. id:gsub("%W", "%%%0") .. "%f[%W]") ~= nil end

--- Every statement of a list of { id, text } needs a line whose equation names it; one without fails, and so does a line that names a statement which
--- is not in the list, S9 of eight.
function Paper:_demand(statements)
  local letters, known = {}, {}
  for _, statement in ipairs(statements) do
    known[statement.id] = true
    letters[statement.id:match "^%a+" or ""] = statement.id:find "^%a+%d+$" and true or nil
  end
  local named, foreign = {}, {}
  for _, line in ipairs(self.lines) do
    for _, statement in ipairs(statements) do named[statement.id] = named[statement.id] or Paper._names_statement(line.equation, statement.id) end
    local word = tostring(line.equation):match "^%a+%d+$"
    if word and letters[word:match "^%a+"] and not known[word] then foreign[#foreign + 1] = word end
  end
  self.statements = statements
  for _, statement in ipairs(statements) do
    if not named[statement.id] then add(self, statement.id, "FAILED", "no line checks this statement: " .. statement.text, {}) end
  end
  for _, word in ipairs(foreign) do add(self, word, "FAILED", "a line names a statement that the text does not have", {}) end
end

-- What can be judged at the end alone
local function close(self)
  if #self._quoted > 0 then add(self, "end", "FAILED", "what P:printed or P:quote gave last belongs to no line", {}) end
  if not self._closed then self:_demand(self.statements) end
  self._closed = true
end

-- The other tables that a script has printed and not finished: an exit status that is 0 must not hide their failed lines
local function left_open(self)
  local words = {}
  for _, paper in ipairs(tables) do
    if paper ~= self and not paper._quiet and not paper._closed then
      close(paper)
      if paper.failed > 0 then words[#words + 1] = ("%s: %d failed"):format(paper.title, paper.failed) end
    end
  end
  return words
end

--- Prints the counts. True when there were lines and no check failed, in this table and in those of the script that were not finished before; a script
--- ends with os.exit(paper:finish()). Statements without a line fail.
function Paper:finish()
  close(self)
  local others = self._quiet and {} or left_open(self)
  if not self._quiet then print("\n" .. self:summary()) end
  for _, words in ipairs(others) do print(words) end
  return self.failed == 0 and #self.lines > 0 and #others == 0
end

function Paper.meta.__tostring(self) return self.title .. ": " .. self:summary() end

--- What the program says at the end of a script whose tables have failed lines; nil where no line failed.
function Paper.failures()
  local words = {}
  for _, paper in ipairs(tables) do
    close(paper)
    if paper.failed > 0 then words[#words + 1] = ("%s: %d failed"):format(paper.title, paper.failed) end
  end
  if #words > 0 then return table.concat(words, "; ") .. " (end the script with os.exit(P:finish()))" end
end

options.declare("paper", schema)

return Paper
