-- chart/table.lua: the table that a chart is: rows, the row at a point, regimes, printing.
local object = require "hamel.base.object"
local sweep_rows = require "hamel.analysis.sweep.rows"
local shards = require "hamel.analysis.shards"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local Chart = object.class "Chart"

--- Rows of a sweep as a chart. columns: names of the numbers that were asked for; about: { regime = function(row) -> text }.
function Chart.new(system, o, W, columns, about, t, seconds)
  local chart = { system = system.name, of = type(o.of) == "string" and o.of or type(o.of) == "function" and "a function" or "measures", names = columns,
                  varied = W.varied, seconds = seconds, t = t, _sweep = W, _declared = system, _about = about or {}, interrupted = W.interrupted,
                  total = W.total }
  table.move(W, 1, #W, 1, chart)
  return setmetatable(chart, Chart.meta)
end

--- The row nearest to the given values of the axes, in their order: C:at(0.5, 0.1).
function Chart:at(...)
  local given, best, least = { ... }, nil, math.huge
  if #given ~= #self.varied then fail("chart: at takes a value for each axis: %s", table.concat(self.varied, ", ")) end
  local low, high = {}, {}
  for k, name in ipairs(self.varied) do
    given[k] = symbols.number(given[k]) or fail("chart: at: value %d is no number", k)
    for _, row in ipairs(self) do
      local value = row[name]
      low[k], high[k] = math.min(low[k] or value, value), math.max(high[k] or value, value)
    end
  end
  for _, row in ipairs(self) do
    local distance = 0
    for k, name in ipairs(self.varied) do distance = distance + ((row[name] - given[k])/math.max(high[k] - low[k], 1e-300))^2 end
    if distance < least then best, least = row, distance end
  end
  return best
end

--- One column as a list; nan where a row has no value.
function Chart:column(name)
  local list = {}
  for i, row in ipairs(self) do
    local value = row[name]
    list[i] = value == nil and 0/0 or value
  end
  return list
end

--- Saves the rows as CSV or, under a name that ends in .npz, .json or .mat, as columns of numbers; see sweep:save.
function Chart:save(path)
  local copy = object.copied(self._sweep)
  copy.names = {}
  for _, name in ipairs(self.names) do
    if name ~= "exponents" then copy.names[#copy.names + 1] = name end
  end
  return setmetatable(copy, getmetatable(self._sweep)):save(path)
end

local function size_of(self)
  local counts = {}
  for k, name in ipairs(self.varied) do
    local seen, count = {}, 0
    for _, row in ipairs(self) do
      if row[name] ~= nil and not seen[row[name]] then seen[row[name]], count = true, count + 1 end
    end
    counts[k] = tostring(count)
  end
  return table.concat(counts, " x ")
end

-- How many rows are of each regime, the most frequent first
local function regimes(self)
  local counts, names = {}, {}
  for _, row in ipairs(self) do
    local ended = shards.ended(row)
    local name = row.label == "escaped" and "escaped" or sweep_rows.lacks_value(row) and "no value" or not ended and "failed"
      or self._about.regime and self._about.regime(row)
    if name then
      if not counts[name] then names[#names + 1] = name end
      counts[name] = (counts[name] or 0) + 1
    end
  end
  table.sort(names, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return names, counts
end

-- "exponents 1..2", "period", ...
local function of_words(self)
  local count = 0
  for _, name in ipairs(self.names) do if name:find "^exponent%d+$" then count = count + 1 end end
  return count > 1 and ("exponents 1..%d"):format(count) or count == 1 and "exponent 1" or self.of
end

local MOST_REGIMES = 20                 -- that are printed

function Chart.meta.__tostring(self)
  local escaped, failed, lacking = 0, 0, 0
  for _, row in ipairs(self) do
    if row.label == "escaped" then escaped = escaped + 1
    elseif sweep_rows.lacks_value(row) then lacking = lacking + 1
    elseif not shards.ended(row) then failed = failed + 1 end
  end
  local without = lacking > 0 and (", %d without a value"):format(lacking) or ""
  local lines = { ("chart of %s: %s, %s, t = %g; %d points, %d escaped, %d failed%s, %.3g s%s"):format(
    self.system, size_of(self), of_words(self), self.t, #self,
    escaped, failed, without, self.seconds, self.interrupted and ("; interrupted, %d of %d kept"):format(#self, self.total) or "") }
  local names, counts = regimes(self)
  local width = 6
  for _, name in ipairs(names) do width = math.max(width, #name) end
  if #names > 0 then lines[#lines + 1] = ("  %-" .. width .. "s  points  share"):format("regime") end
  for i = 1, math.min(#names, MOST_REGIMES) do
    lines[#lines + 1] = ("  %-" .. width .. "s  %6d  %4.1f %%"):format(names[i], counts[names[i]], 100*counts[names[i]]/#self)
  end
  if #names > MOST_REGIMES then lines[#lines + 1] = ("  ... %d regimes more"):format(#names - MOST_REGIMES) end
  for _, words in ipairs(self._about.idle or {}) do lines[#lines + 1] = "  " .. words end
  for _, note in ipairs(self._about.twice or {}) do lines[#lines + 1] = "  " .. note end
  local name = self._about.unchosen
  if name then
    lines[#lines + 1] = ("  of two velocities of %s at a level the larger one is taken; branch = { %s = -1 } takes the other"):format(name, name)
  end
  if self._about.note then lines[#lines + 1] = "  " .. self._about.note end
  for _, note in ipairs(self._about.notes or {}) do lines[#lines + 1] = "  " .. note end
  for _, row in ipairs(self) do
    if not shards.ended(row) and row.reason then
      lines[#lines + 1] = ("  row %d, %s: %s"):format(row.index, row.status, row.reason)
      break
    end
  end
  return table.concat(lines, "\n")
end

return Chart
