-- printed.lua: a formula as a text prints it, compared with the same formula as it was typed.
local core = require "hamel.core"
local indexed = require "hamel.algebra.indexed"
local judged = require "hamel.show.judged"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local printed = {}

local LONGEST = 200                    -- characters of a formula in a message

--- The beginning of a formula that is too long for a line.
function printed.shortened(text) return #text > LONGEST and text:sub(1, LONGEST) .. " ..." or text end

local reserved = { ranges = true, each = true, repeated = true }

-- Names with meanings are for formulas in index notation, a list of symbols for those of hm.parse
local function has_names(names)
  for key in pairs(names or {}) do if type(key) == "string" then return true end end
  return false
end

-- left = right is left - right
local function parsed(text, known)
  local left, right = text:match "^([^=]*)=([^=]*)$"
  if not left then return core.parse(text, known) end
  return core.parse(left, known) - core.parse(right, known)
end

local function read_plain(text, typed, more)
  local known = core.symbols{ typed }
  for _, symbol in ipairs(more or {}) do known[#known + 1] = symbol end
  local read, e = protected(parsed, text, known)
  if not read then return nil, "the text cannot be read with the symbols of the formula: " .. tostring(e):gsub("^[^'\n]-:%d+: ", "") end
  return { { e = e, list = {} } }
end

local function read_indexed(text, names)
  local meanings = { t = symbols.t }
  for key, value in pairs(names) do if not reserved[key] then meanings[key] = value end end
  local found, why = indexed.read(text, meanings, names.ranges, names.each, names.repeated)
  if not found then return nil, "the text cannot be read: " .. why end
  return found
end

-- The typed formula at one choice of the free indices
local function typed_at(typed, list)
  if type(typed) == "function" then return typed(table.unpack(list)) end
  for _, index in ipairs(list) do typed = type(typed) == "table" and typed[index] end
  return typed
end

-- A table of formulas has no entries beyond the ranges: they would not be compared
local function longer(typed, cases, each)
  if type(typed) ~= "table" then return nil end
  local last = {}
  for _, case in ipairs(cases) do
    local key = table.concat(case.list, ",", 1, #case.list - 1)
    last[key] = math.max(last[key] or 0, case.list[#case.list])
  end
  for key, most in pairs(last) do
    local entries = typed
    for index in key:gmatch "[^,]+" do entries = entries[tonumber(index)] or {} end
    if type(entries) == "table" and #entries > most then
      return ("the typed formulas have %d entries and the range of %s ends at %d: ranges = { ... }"):format(#entries, each, most)
    end
  end
end

--- Compares: nil where text and typed formula agree, else what is wrong. typed: an expression, or for the free indices of names.each a table
--- or a function. names: a list of symbols, or the meanings of the names of a formula in index notation.
function printed.problem(text, typed, names, tolerance)
  local found, why
  if has_names(names) then found, why = read_indexed(text, names) else found, why = read_plain(text, typed, names) end
  if not found then return why end
  if #found == 0 then return ("nothing is compared: the ranges of %s are empty"):format(names.each) end
  local beyond = longer(typed, found, names and names.each)
  if beyond then return beyond end
  for _, case in ipairs(found) do
    local own = typed_at(typed, case.list)
    local where = #case.list > 0 and (" at %s = %s"):format(names.each, table.concat(case.list, ", ")) or ""
    if type(own) == "number" then own = core.number(own) end
    if type(own) ~= "userdata" or not core.is_expression(own) then return ("the typed formula has no value%s"):format(where) end
    local zero = (case.e - own):is_zero()
    if zero ~= true and (zero == false and not judged.is_rounded(case.e - own) or judged.deviation(case.e - own) > tolerance) then
      return ("typed otherwise%s: %s"):format(where, printed.shortened(tostring(own)))
    end
  end
end

return printed
