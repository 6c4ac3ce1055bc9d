-- indexed.lua: formulas in index notation, as texts print them: "sum_b mu_b (dA_b/dq_s - dA_bs/dt) - mu_b' A_bs = 0". The text becomes a tree of
-- functions of the values of the indices; the meanings of the names come from the caller.
--
--   q_s, A_bs, q_(e+b), b^i_mu   indexed names: a table, or a function of the indices in the order of the text
--   sum_b ..., sum_(l=1)^e ...   sums that reach to the end of the term; with repeated = true every index that occurs twice in a term is summed
--   q_s', q_s''                  rates; names["q'"] may give the first one a meaning of its own
--   [k, m; s]                    names["[]"], a function of the indices
--   d/dt e, d(e)/dt              total time derivative of the next factor, of the bracket
--   dL/dq_s', dA_bs/dt           partial derivatives
--   a b, a*b, a/b, a^2, sin q    products, quotients from left to right, powers, functions of the next factor
--   ...                          what the text leaves out: names["..."]
--   left = right                 is left - right
local core = require "hamel.core"
local protected = require "hamel.base.protected"

local indexed = {}

local Reader = {}
Reader.__index = Reader

-- Errors that the text causes, told apart from errors of the functions that give the names their meaning
local problem = {}

local function complain(reader, format, ...)
  error(setmetatable({ text = ("at '%s': "):format(reader.text:sub(reader.at, reader.at + 20)) .. format:format(...) }, problem), 0)
end

function Reader:skip() self.at = self.text:match("^%s*()", self.at) end

-- Takes a pattern at the place of reading, and the blanks in front of it
function Reader:take(pattern)
  self:skip()
  local found, behind = self.text:match("^(" .. pattern .. ")()", self.at)
  if found then self.at = behind end
  return found
end

function Reader:expect(pattern, what) return self:take(pattern) or complain(self, "%s is expected", what) end

-- ---- indices

local function not_an_index(reader, word)
  if reader.ranges[word] then complain(reader, "the index %s is neither summed nor free (each = \"%s\")", word, word) end
  complain(reader, "'%s' is no index: ranges = { %s = 2 } gives it a range", word, word)
end

-- One item of a group: "b", "3", "e+b"; a function of the values of the indices. `used` collects the names of indices
function Reader:index_item(used)
  local parts, sign = {}, 1
  repeat
    local word = self:take "%d+" or self:take "%a+"
    if not word then complain(self, "an index is expected") end
    local number = math.tointeger(tonumber(word)) or (not self.known[word] and math.tointeger(self.names[word]))
    if not number and not self.known[word] then not_an_index(self, word) end
    if not number then used[#used + 1] = word end
    parts[#parts + 1] = { sign = sign, number = number or nil, word = word }
    local operator = self:take "[+-]"
    sign = operator == "-" and -1 or 1
  until not operator
  return function(at)
    local value = 0
    for _, part in ipairs(parts) do value = value + part.sign*(part.number or at[part.word]) end
    return value
  end
end

-- The longest name of an index at a place of letters without brackets
function Reader:index_at(run, at)
  local longest
  for word in pairs(self.known) do
    if run:sub(at, at + #word - 1) == word and (not longest or #word > #longest) then longest = word end
  end
  return longest
end

-- Letters without brackets, "bs" or "mu": the longest names first
function Reader:index_run(run, used)
  local items, at = {}, 1
  while at <= #run do
    local longest = self:index_at(run, at)
    local number = not longest and (math.tointeger(tonumber(run:match("^%d", at))) or math.tointeger(self.names[run:sub(at, at)]))
    if longest then
      used[#used + 1] = longest
      items[#items + 1] = function(values) return values[longest] end
    elseif number then
      items[#items + 1] = function() return number end
    else
      not_an_index(self, run:sub(at, at))
    end
    at = at + (longest and #longest or 1)
  end
  return items
end

-- Is what stands behind a ^ an index, and no exponent?
function Reader:superscript()
  local run = self.text:match("^%^(%a+)", self.at)
  if run then return self:index_at(run, 1) ~= nil end
  for word in (self.text:match("^%^(%b())", self.at) or ""):gmatch "%a+" do
    if self.known[word] then return true end
  end
  return false
end

-- The indices behind a name: functions of the values of the indices
function Reader:indices(used)
  local items = {}
  while self.text:find("^_", self.at) or self:superscript() do
    self.at = self.at + 1
    if self.text:find("^%(", self.at) then
      self.at = self.at + 1
      repeat items[#items + 1] = self:index_item(used) until not (self:take "[,;]" or self.text:find("^%w", self.at))
      self:expect("%)", "a closing bracket")
    else
      local run = self.text:match("^[%a%d]+", self.at) or complain(self, "an index is expected")
      self.at = self.at + #run
      for _, item in ipairs(self:index_run(run, used)) do items[#items + 1] = item end
    end
  end
  return items
end

-- ---- names

local function rate_of(e, times)
  for _ = 1, times do e = core.dt(e) end
  return e
end

local function raised(reader, raw, format, ...)
  error(setmetatable({ text = ("'%s' in '%s' "):format(raw, reader.text) .. format:format(...) }, problem), 0)
end

local function value_of(reader, raw, meaning, indices)
  if type(meaning) == "function" then
    meaning = meaning(table.unpack(indices))
  else
    for position, index in ipairs(indices) do
      if type(meaning) ~= "table" then raised(reader, raw, "has %s", position == 1 and "no index" or ("no more than %d indices"):format(position - 1)) end
      meaning = meaning[index]
    end
  end
  if type(meaning) == "number" then meaning = core.number(meaning) end
  if type(meaning) ~= "userdata" or not core.is_expression(meaning) then
    raised(reader, raw, "has no value at %s", #indices > 0 and table.concat(indices, ", ") or "no index")
  end
  return meaning
end

-- A name with its indices and rates: a function of the values of the indices; nil where none stands here. used: as index_item
function Reader:reference(used)
  self:skip()
  local from = self.at
  local base = self.text:match("^delta%s+%a[%w]*~?", from) or self.text:match("^%a[%w]*~?", from)
  if base and self.names[base:gsub("%s+", " ")] == nil then
    -- "T_0" as a whole may be a name, "q1" is one, "2q" is not
    base = base:match "^%a+$" and base or self.text:match("^%a[%w]*", from)
  end
  local whole = self.text:match("^%a[%w]*_%w+", from)
  if whole and self.names[whole] ~= nil then base = whole end
  base = base and base:gsub("%s+", " ")
  local meaning = base and self.names[base]
  if meaning == nil then return nil end
  self.at = from + #(self.text:match("^" .. base:gsub("%W", "%%%0"):gsub("%% ", "%%s+"), from))
  local items = base == whole and {} or self:indices(used)
  local times = #(self.text:match("^'*", self.at))
  self.at = self.at + times
  for _, item in ipairs(self:indices(used)) do items[#items + 1] = item end       -- pi'_s
  local raw = self.text:sub(from, self.at - 1)
  if times > 0 and self.names[base .. "'"] ~= nil then meaning, times = self.names[base .. "'"], times - 1 end
  return function(at)
    local indices = {}
    for i, item in ipairs(items) do indices[i] = item(at) end
    return rate_of(value_of(self, raw, meaning, indices), times)
  end
end

-- ---- derivatives

local SIGNS = { "d", "∂" }

-- dL/dq_s' or d(e)/dt or d/dt e; nil where none stands here
function Reader:derivative(used)
  self:skip()
  local from = self.at
  for _, sign in ipairs(SIGNS) do
    if self.text:sub(from, from + #sign - 1) == sign then
      self.at = from + #sign
      if self:take "/%s*dt%f[^%w_]" then
        local e = self:factor(used)
        return function(at) return core.dt(e(at)) end
      end
      local bracket = self.text:find("^%(", self.at)
      local mine = {}
      local numerator
      if bracket then
        self.at = self.at + 1
        numerator = self:sum_of_terms(mine)
        self:expect("%)", "a closing bracket")
      else
        numerator = self:reference(mine)
      end
      local total = bracket and numerator and self:take "/%s*dt%f[^%w_]"
      local variable = not total and numerator and self:take("/%s*" .. sign) and self:reference(mine)
      if total or variable then
        for _, word in ipairs(mine) do used[#used + 1] = word end
        return function(at)
          if total then return core.dt(numerator(at)) end
          return core.diff(numerator(at), variable(at))
        end
      end
      self.at = from
    end
  end
end

-- ---- factors, terms, sums

local closing = { ["("] = "%)", ["["] = "%]", ["{"] = "}" }

-- sum_b, sum_(l=1)^e, sum_(b,s): the names and their ranges
function Reader:sum_sign()
  local bound = {}
  local function add(word, first, last)
    if not last and not self.ranges[word] then complain(self, "the sum over %s has no range: ranges = { %s = 2 }", word, word) end
    bound[#bound + 1] = { word = word, first = first or self.ranges[word][1], last = last or self.ranges[word][2] }
    self.known[word] = (self.known[word] or 0) + 1
  end
  local function whole(what)
    local item = self:index_item({})
    return item{} or complain(self, "%s of the sum is expected", what)
  end
  if self:take "%(" then
    repeat
      local word = self:expect("%a+", "an index")
      if self:take "=" then
        local first = whole "the first value"
        self:expect("%)", "a closing bracket")
        self:expect("%^", "the last value of the sum, as in sum_(l=1)^e,")
        add(word, first, whole "the last value")
        return bound
      end
      add(word)
    until not self:take ","
    self:expect("%)", "a closing bracket")
  else
    add(self:expect("%a+", "an index"))
  end
  return bound
end

-- Adds e over all values of the bound indices
local function summed(bound, e)
  return function(at)
    local function over(i)
      if i > #bound then return e(at) end
      local b, before = bound[i], at[bound[i].word]
      local total = core.number(0)
      for value = b.first, b.last do
        at[b.word] = value
        total = total + over(i + 1)
      end
      at[b.word] = before
      return total
    end
    return over(1)
  end
end

-- Without a power
function Reader:atom(used)
  self:skip()
  if self.names["[]"] and self.text:find("^%[%s*%w+%s*[,;]", self.at) then
    self.at = self.at + 1
    local items = {}
    repeat items[#items + 1] = self:index_item(used) until not self:take "[,;]"
    self:expect("%]", "a closing bracket")
    return function(at)
      local indices = {}
      for i, item in ipairs(items) do indices[i] = item(at) end
      return value_of(self, "[]", self.names["[]"], indices)
    end
  end
  local open = self:take "[%(%[{]"
  if open then
    local e = self:sum_of_terms(used)
    self:expect(closing[open], "a closing bracket")
    return e
  end
  local number = self:take "%d+%.?%d*"
  if number then
    local value = core.number(number)
    return function() return value end
  end
  if self:take "%.%.%." then
    local rest = self.names["..."]
    if rest == nil then complain(self, "the text leaves something out: names['...'] says what") end
    return function(at)
      return value_of(self, "...", type(rest) == "function" and function() return rest(at) end or rest, {})
    end
  end
  local e = self:derivative(used) or self:reference(used)
  if e then return e end
  local word = self.text:match("^%a+", self.at)
  if word and core.functions[word] then
    self.at = self.at + #word
    local argument = self:factor(used)
    return function(at) return core.functions[word](argument(at)) end
  end
  complain(self, word and "nothing is known of '%s'" or "a factor is expected", word)
end

function Reader:factor(used)
  local base = self:atom(used)
  if not self:take "%^" then return base end
  local sign = self:take "-" and -1 or 1
  local exponent = self:factor(used)
  return function(at) return base(at)^(sign*exponent(at)) end
end

-- Indices that occur twice in a term and are not given by those outside: their sums; the others remain with those outside
function Reader:repeated_in(mine, used)
  local times, bound = {}, {}
  for _, word in ipairs(mine) do times[word] = (times[word] or 0) + 1 end
  for word, n in pairs(times) do
    if self.repeated and n > 1 and not self.free[word] then
      if not self.ranges[word] then complain(self, "the sum over %s has no range: ranges = { %s = 2 }", word, word) end
      bound[#bound + 1] = { word = word, first = self.ranges[word][1], last = self.ranges[word][2] }
    else
      used[#used + 1] = word
    end
  end
  return bound
end

function Reader:term(used)
  local mine, product = {}, nil
  while true do
    self:skip()
    local operator = product and self:take "[*/]"
    local rest = self.text:sub(self.at)
    if not operator and product and (rest == "" or rest:find "^[-+=%)%]},]") then break end
    local factor
    if rest:find "^sum_" and operator ~= "/" then
      self.at = self.at + 4
      local bound, inner = self:sum_sign(), {}
      factor = summed(bound, self:term(inner))
      for _, b in ipairs(bound) do
        self.known[b.word] = self.known[b.word] > 1 and self.known[b.word] - 1 or nil
        for i = #inner, 1, -1 do if inner[i] == b.word then table.remove(inner, i) end end
      end
      table.move(inner, 1, #inner, #mine + 1, mine)
    else
      factor = self:factor(mine)
    end
    local left = product
    product = not left and factor or operator == "/" and function(at) return left(at)/factor(at) end
      or function(at) return left(at)*factor(at) end
  end
  return summed(self:repeated_in(mine, used), product)
end

function Reader:sum_of_terms(used)
  local sign = self:take "[+-]"
  local total = self:term(used)
  if sign == "-" then
    local first = total
    total = function(at) return -first(at) end
  end
  while true do
    local operator = self:take "[+-]"
    if not operator then return total end
    local left, right = total, self:term(used)
    total = operator == "+" and function(at) return left(at) + right(at) end or function(at) return left(at) - right(at) end
  end
end

function Reader:equation(used)
  local left = self:sum_of_terms(used)
  if not self:take "=" then return left end
  local right = self:sum_of_terms(used)
  return function(at) return left(at) - right(at) end
end

-- ---- what others call

local function ranges_of(given)
  local ranges = {}
  for word, range in pairs(given or {}) do
    ranges[word] = type(range) == "table" and { range[1], range[2] } or { 1, range }
    if not math.tointeger(ranges[word][1]) or not math.tointeger(ranges[word][2]) then
      return nil, ("the range of %s is a whole number n, for 1 to n, or a pair { first, last }"):format(word)
    end
  end
  return ranges
end

local function attempt(f, ...)
  local found = table.pack(protected(f, ...))
  if found[1] then return table.unpack(found, 2, found.n) end
  if getmetatable(found[2]) == problem then return nil, found[2].text end
  return nil, tostring(found[2])
end

--- Reads a formula in index notation. names: name -> expression, number, table or function of its indices; ranges: index -> n or { first, last };
--- each: the free indices, "b s"; repeated: true where indices that occur twice in a term are summed without a sign.
--- Returns a list of { values = { b = 1, s = 2 }, list = {1, 2}, e = expression }, one entry for each choice of the free indices, or nil and the reason.
function indexed.read(text, names, ranges, each, repeated)
  local reason
  ranges, reason = ranges_of(ranges)
  if not ranges then return nil, reason end
  local reader = setmetatable({ text = text, at = 1, names = names, ranges = ranges, known = {}, free = {}, repeated = repeated }, Reader)
  local free = {}
  for word in (each or ""):gmatch "[^%s,]+" do
    if not ranges[word] then return nil, ("the free index %s has no range: ranges = { %s = 2 }"):format(word, word) end
    free[#free + 1], reader.free[word], reader.known[word] = word, true, 1
  end
  if repeated then for word in pairs(ranges) do reader.known[word] = reader.known[word] or 1 end end
  local used = {}
  local formula, why = attempt(function()
    local e = reader:equation(used)
    reader:skip()
    if reader.at <= #text then complain(reader, "the formula has ended here") end
    return e
  end)
  if not formula then return nil, why end
  for _, word in ipairs(used) do
    if not reader.free[word] then return nil, ("the index %s is neither summed nor free (each = \"%s\")"):format(word, word) end
  end
  local found, values = {}, {}
  local function over(i)
    if i > #free then
      local list, copy = {}, {}
      for k, word in ipairs(free) do list[k], copy[word] = values[word], values[word] end
      local e, wrong = attempt(formula, values)
      if not e then return wrong end
      found[#found + 1] = { values = copy, list = list, e = e }
      return nil
    end
    for value = ranges[free[i]][1], ranges[free[i]][2] do
      values[free[i]] = value
      local wrong = over(i + 1)
      if wrong then return wrong end
    end
  end
  local wrong = over(1)
  if wrong then return nil, wrong end
  return found
end

return indexed
