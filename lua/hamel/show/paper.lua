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

--- A new table of verdicts: hm.paper{ title = "Mei 1994", tolerance = 1e-9 }. Lines are printed as they come.
---@param fields { title: string, tolerance: number?, quiet: boolean? }
function Paper.new(fields)
  fields = options.check("hm.paper", schema, fields)
  if not fields.title then object.fail("hm.paper: the title is missing: hm.paper{ title = \"Mei 1994\" }") end
  local self = setmetatable({
    title = fields.title, tolerance = fields.tolerance, lines = {}, failed = 0, misprints = 0, _quiet = fields.quiet,
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

local function add(self, equation, verdict, what, details)
  local line = { equation = equation, verdict = verdict, what = what, details = details }
  table.insert(self.lines, line)
  if verdict == "FAILED" then self.failed = self.failed + 1 end
  if verdict == "misprint" then self.misprints = self.misprints + 1 end
  if self._quiet then return line end
  print(("%-10s %-10s %s"):format(equation, verdict, wrapped(what, 100, 22)))
  for _, detail in ipairs(details) do print((" "):rep(22) .. wrapped(detail, 98, 24)) end
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

-- How an expression (or a list) that ought to vanish was judged: "algebra" where the program proves it, else numbers
local function judge(list)
  if type(list) ~= "table" then list = { list } end
  if #list == 0 then object.fail("there is nothing to judge: an expression or a number, or a list of them, is expected") end
  local proved, worst = true, 0
  for _, e in ipairs(list) do
    local number = type(e) == "number" and math.abs(e)
    if not number and not core.is_expression(e) then object.fail("an expression or a number is expected to vanish, not a %s", type(e)) end
    if not number and e:is_zero() ~= true then number = Paper.deviation(e) end
    if number then
      -- a comparison with nan is false: it would pass for small
      if number ~= number then return math.huge, "not a number" end
      proved, worst = false, math.max(worst, number)
    end
  end
  if proved then return 0, "algebra: proved" end
  return worst
end

local function how_text(how, worst, proof)
  if proof then return proof .. (how and " (" .. how .. ")" or "") end
  return ("%s: off by %.1e at most"):format(how or "numbers at random states", worst)
end

--- A definition: nothing to check.
function Paper:definition(equation, what, ...) return add(self, equation, "definition", what, { ... }) end

--- `difference` (an expression that ought to vanish, a deviation as a number, or a list of both) must be zero.
--- how: the words behind a number, "run against the closed solution". Further arguments are printed below the line.
function Paper:agrees(equation, what, difference, how, ...)
  local worst, proof = judge(difference)
  local fine = worst <= self.tolerance
  return add(self, equation, fine and "agrees" or "FAILED", what, { how_text(how, worst, proof), ... })
end

--- A formula of the text is wrong: `printed` (its difference from the derivation) must not vanish, `corrected` must.
function Paper:misprint(equation, what, printed, corrected, how, ...)
  local wrong, right, proof = judge(printed), judge(corrected)
  local fine = wrong > 1e-3 and right <= self.tolerance
  return add(self, equation, fine and "misprint" or "FAILED", what, {
    ("as printed: off by %.1e"):format(wrong), "corrected: " .. how_text(how, right, proof), ... })
end

--- Prints the counts. True when there were lines and no check failed; a script ends with os.exit(paper:finish()).
function Paper:finish()
  if not self._quiet then
    print(("\n%d lines, %d misprints, %d failed"):format(#self.lines, self.misprints, self.failed))
  end
  return self.failed == 0 and #self.lines > 0
end

options.declare("paper", schema)

return Paper
