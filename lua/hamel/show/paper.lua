-- paper.lua: verdict lines for scripts that reproduce a published text, one line per numbered equation.
local core = require "hamel.core"
local listeners = require "hamel.base.listeners"
local object = require "hamel.base.object"

local options = require "hamel.base.options"

local Paper = object.class "Paper"
Paper.meta.__plain = true              -- printed formulas are quoted unchanged

local schema = {
  title = { type = "string", doc = "the text" },
  tolerance = { default = 1e-9, from = 0, type = "number", doc = "largest deviation that counts as agreement" },
  quiet = { default = false, type = "boolean", doc = "print nothing" },
}

--- The verdicts in the order of tables: proved by the algebra, computed in numbers, a formula of the text refuted and its correction confirmed, nothing
--- to check, not checked, a check that failed.
Paper.kinds = { "proved", "computed", "misprint", "definition", "not checked", "FAILED" }

--- A new table of verdicts: hm.paper{ title = "Mei 1994", tolerance = 1e-9 }. Lines are printed as they come; P.counts has their number by verdict.
---@param fields { title: string, tolerance: number?, quiet: boolean? }
function Paper.new(fields)
  fields = options.check("hm.paper", schema, fields)
  if not fields.title then object.fail("hm.paper: the title is missing: hm.paper{ title = \"Mei 1994\" }") end
  local counts = {}
  for _, kind in ipairs(Paper.kinds) do counts[kind] = 0 end
  local self = setmetatable({
    title = fields.title, tolerance = fields.tolerance, lines = {}, counts = counts, failed = 0, misprints = 0, _quiet = fields.quiet, _quoted = {},
  }, Paper.meta)
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

local function show(line)
  print(("%-10s %-11s %s"):format(line.equation, line.verdict, wrapped(line.what, 100, 23)))
  for _, detail in ipairs(line.details) do print((" "):rep(23) .. wrapped(tostring(detail), 98, 25)) end
end

-- What P:printed and P:quote gave since the last line belongs to this one; a text that was typed wrongly fails it
local function add(self, equation, verdict, what, details)
  if type(what) ~= "string" then
    object.fail("paper: equation %s: a text that says what the line is about is expected, not %s", tostring(equation), type(what))
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
function Paper.deviation(e, given, points)
  if type(e) == "number" then return math.abs(e) end
  if not core.is_expression(e) then object.fail("deviation takes an expression or a number, not %s", type(e)) end
  if given ~= nil and type(given) ~= "table" then object.fail("deviation: values are given by symbol, as in {[theta] = 0.3}") end
  if points ~= nil and (math.type(points) ~= "integer" or points < 1) then object.fail("deviation: the number of points is %s", tostring(points)) end
  local list, worst, found = core.symbols{ e }, 0, 0
  local terms = core.kind(e) == "sum" and core.operands(e) or { e }
  for _ = 1, 40*(points or 25) do
    local values, size = {}, 1
    for i, s in ipairs(list) do
      local _, order, flags = core.name(s)
      local positive = flags % 2 == 1 and order == 0
      values[i] = given and given[s] or (positive and 0.5 + 1.5*math.random() or 4*math.random() - 2)
    end
    for _, term in ipairs(terms) do size = math.max(size, math.abs(core.value(term, list, values))) end
    local value = core.value(e, list, values)
    if value == value and size < 1e12 then
      worst, found = math.max(worst, math.abs(value)/size), found + 1
      if found == (points or 25) then return worst end
    end
  end
  object.fail("no admissible point was found for %s", core.text(e))
end

-- The largest deviation of expressions and numbers that ought to vanish, and whether the algebra proves all of them zero
local function judge(list)
  if type(list) ~= "table" then list = { list } end
  local count, last = 0, 0
  for key in pairs(list) do
    if math.type(key) ~= "integer" then object.fail("a list of expressions and numbers is to be judged; '%s' = ... means nothing in it", tostring(key)) end
    count, last = count + 1, math.max(last, key)
  end
  if count == 0 then object.fail("there is nothing to judge: an expression or a number, or a list of them, is expected") end
  if count ~= last then object.fail("the list to be judged has a gap: of its %d entries %d are nil", last, last - count) end
  local proved, worst = true, 0
  for _, e in ipairs(list) do
    local number = type(e) == "number" and math.abs(e)
    if not number and not core.is_expression(e) then object.fail("an expression or a number is expected to vanish, not a %s", type(e)) end
    if not number and e:is_zero() ~= true then number = Paper.deviation(e) end
    if number then
      -- a comparison with nan is false: it would pass for small
      if number ~= number then return math.huge, false end
      proved, worst = false, math.max(worst, number)
    end
  end
  return worst, proved
end

-- How it was decided, in words; nil where the verdict says it all
local function how_text(how, worst, proved)
  if proved then return how end
  return ("%s: off by %.1e at most"):format(how or "numbers at random states", worst)
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
--- hm.parse reads it; `symbols` are those that `typed` does not contain.
function Paper:printed(text, typed, symbols)
  if type(text) ~= "string" or type(typed) ~= "userdata" or not core.is_expression(typed) then
    object.fail("P:printed(text, expression): the formula as a text, then as an expression")
  end
  if symbols ~= nil and type(symbols) ~= "table" then object.fail("P:printed(text, expression, symbols): a list of symbols, not %s", type(symbols)) end
  local known = core.symbols{ typed }
  for _, symbol in ipairs(symbols or {}) do known[#known + 1] = symbol end
  local read, e = pcall(core.parse, text, known)
  local quoted = { text = text, compared = true }
  if not read then quoted.problem = "the text cannot be read with the symbols of the formula: " .. tostring(e)
  elseif (e - typed):is_zero() ~= true and Paper.deviation(e - typed) > self.tolerance then quoted.problem = "typed otherwise: " .. tostring(typed)
  end
  table.insert(self._quoted, quoted)
  return typed
end

--- A formula or a sentence as the text prints it, kept with the next line and shown there; it is not compared with anything.
function Paper:quote(text)
  if type(text) ~= "string" then object.fail("P:quote takes a text, not %s", type(text)) end
  table.insert(self._quoted, { text = text, compared = false })
end

--- `difference` (an expression that ought to vanish, a deviation as a number, or a list of both) must be zero. The line says "proved" where the algebra
--- decides it for all of the list, else "computed" with the largest deviation.
--- how: the words behind a number, "run against the closed solution". Further arguments, texts or expressions, are shown below the line.
function Paper:agrees(equation, what, difference, how, ...)
  local worst, proved = judge(difference)
  local verdict = worst > self.tolerance and "FAILED" or proved and "proved" or "computed"
  local details = { ... }
  local decided = how_text(how, worst, proved)
  if decided then table.insert(details, 1, decided) end
  return add(self, equation, verdict, what, details)
end

local function stated(self, call, equation, verdict, what, condition, how, ...)
  if type(condition) ~= "boolean" then object.fail("P:%s: equation %s: true or false is expected, not %s", call, tostring(equation), type(condition)) end
  if type(how) ~= "string" then object.fail("P:%s: equation %s: how it was found is missing, as a text", call, tostring(equation)) end
  return add(self, equation, condition and verdict or "FAILED", what, { how, ... })
end

--- A statement that is no equation, found in numbers: `condition` is true or false; how: the words that say by what. The verdict is "computed".
--- P:holds("S4", "spun fast it turns over", run:at(200, R.z)[3] < -0.99, "the axis at t = 200").
function Paper:holds(equation, what, condition, how, ...) return stated(self, "holds", equation, "computed", what, condition, how, ...) end

--- The same for a statement that exact algebra decides, as the proof of a measure or the signs of rational coefficients: the verdict is "proved".
function Paper:proves(equation, what, condition, how, ...) return stated(self, "proves", equation, "proved", what, condition, how, ...) end

--- A formula of the text is wrong: `printed` (its difference from the derivation) must not vanish, `corrected` must.
function Paper:misprint(equation, what, printed, corrected, how, ...)
  local wrong, right, proved = judge(printed), judge(corrected)
  -- what has no value is not refuted
  local fine = wrong > 1e-3 and wrong < math.huge and right <= self.tolerance
  return add(self, equation, fine and "misprint" or "FAILED", what, {
    ("as printed: off by %.1e"):format(wrong), "corrected: " .. (proved and "proved" .. (how and ", " .. how or "") or how_text(how, right)), ... })
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

--- Prints the counts. True when there were lines and no check failed; a script ends with os.exit(paper:finish()).
function Paper:finish()
  if #self._quoted > 0 then add(self, "end", "FAILED", "what P:printed or P:quote gave last belongs to no line", {}) end
  if not self._quiet then print("\n" .. self:summary()) end
  return self.failed == 0 and #self.lines > 0
end

options.declare("paper", schema)

return Paper
