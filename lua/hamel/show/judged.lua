-- judged.lua: does what ought to vanish vanish, and does what ought not? By the algebra where it decides, else in numbers at random points.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local judged = {}

--- Largest |e| at random real points, relative to the size of its terms; expressions or numbers. Points where e is not
--- defined are drawn again. `given` fixes symbols: { [theta] = 0.3 }.
--- where: the call and the line, for messages.
function judged.deviation(e, given, points, where)
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
  object.fail("%s: %s has no real value at the points that were drawn; the algebra does not decide it, and P:agrees takes a number as well",
    where or "deviation", core.text(e))
end

--- Is there a rounded number in an expression?
function judged.is_rounded(e)
  local seen = {}
  local function within(node)
    if seen[node] then return false end
    seen[node] = true
    local kind = core.kind(node)
    if kind == "float" then return true end
    if kind == "symbol" or kind == "number" then return false end
    for _, operand in ipairs(core.operands(node)) do if within(operand) then return true end end
    return false
  end
  return within(e)
end

-- An equation is judged by the difference of its sides, a matrix by its entries
local function put(entries, value, where)
  if object.is_a(value, "Equation") then value = value.left - value.right end
  if object.is_a(value, "Matrix") then
    for i = 1, #value do for k = 1, value.columns do entries[#entries + 1] = value[i][k] end end
  elseif type(value) == "number" or core.is_expression(value) then
    entries[#entries + 1] = value
  else
    object.fail("%s: an expression or a number is to be judged, not a %s", where, type(value))
  end
end

--- What is to be judged as a list of expressions and numbers, and the tolerance that stands in it. Lists may hold equations and matrices.
--- where: the call and the line, for messages.
function judged.entries(list, where)
  if type(list) ~= "table" or object.is_a(list, "Equation") or object.is_a(list, "Matrix") then list = { list } end
  local count, last, tolerance = 0, 0, nil
  for key, value in pairs(list) do
    if key == "tolerance" then
      tolerance = value
    elseif math.type(key) ~= "integer" then
      object.fail("%s: a list of expressions and numbers is to be judged; '%s' = ... means nothing in it", where, tostring(key))
    else
      count, last = count + 1, math.max(last, key)
    end
  end
  if count == 0 then object.fail("%s: there is nothing to judge: an expression or a number, or a list of them, is expected", where) end
  if count ~= last then object.fail("%s: the list to be judged has a gap: of its %d entries %d are nil", where, last, last - count) end
  local entries = {}
  for _, value in ipairs(list) do put(entries, value, where) end
  return entries, tolerance
end

-- true: it vanishes; false: it does not; nil: the algebra does not decide. What contains rounded numbers is refuted in numbers alone
local function decided(e)
  if type(e) == "number" then return nil end
  local zero = e:is_zero()
  if zero == false and judged.is_rounded(e) then return nil end
  return zero
end

-- A comparison with nan is false: it would pass for small
local function size_of(e, where)
  local size = judged.deviation(e, nil, nil, where)
  return size == size and size or math.huge
end

--- What ought to vanish: { worst = the largest deviation, proved = true where the algebra decides all entries, refuted = the number of the first entry
--- that the algebra proves to differ from zero, or false, numbers = of the entries that are numbers }. where: the call and the line, for messages.
function judged.vanishing(list, where)
  local result = { worst = 0, proved = true, refuted = false, numbers = 0 }
  for i, e in ipairs(list) do
    local zero = decided(e)
    if type(e) == "number" then result.numbers = result.numbers + 1 end
    if zero ~= true then
      result.proved = false
      if zero == false then
        result.refuted = result.refuted or i
      else
        result.worst = math.max(result.worst, size_of(e, where))
      end
    end
  end
  return result
end

--- What ought to differ from zero, each entry: { least = the smallest deviation, holds = the number of the first entry that is not refuted, or false,
--- by_algebra = true where the algebra refutes all }. Numbers and undecided expressions are refuted where they exceed `threshold`.
function judged.differing(list, threshold)
  local result = { least = math.huge, holds = false, by_algebra = true }
  for i, e in ipairs(list) do
    local refuted = decided(e) == false
    local fine, size = protected(size_of, e)
    -- what has no value at real points can be refuted by the algebra alone
    if not fine then size = refuted and math.huge or 0 end
    if not refuted then
      result.by_algebra = false
      if not (size > threshold and size < math.huge) then result.holds = result.holds or i end
    end
    result.least = math.min(result.least, size)
  end
  return result
end

return judged
