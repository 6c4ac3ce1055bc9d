-- dress.lua: formulas as text in Unicode: Greek letters, raised exponents, dots between factors.
local greek = require "hamel.algebra.greek"

local dress = {}

local DOTS = { ["'"] = "\u{307}", ["''"] = "\u{308}" }         -- combining: above the letter in front

local raised = { ["0"] = "⁰", ["1"] = "¹", ["2"] = "²", ["3"] = "³", ["4"] = "⁴", ["5"] = "⁵", ["6"] = "⁶", ["7"] = "⁷", ["8"] = "⁸", ["9"] = "⁹" }
local relations = { [" >= "] = " ≥ ", [" <= "] = " ≤ ", [" ~= "] = " ≠ " }

local function exponent(digits, behind)
  if behind:find "[%w_.(]" then return end
  return digits:gsub("%d", raised) .. behind
end

-- theta, theta1, theta_2, theta_dot; not alphabet, alpha.csv
local function letter(word, behind)
  local name, rest = word:match "^(%a+)(_?%w*)$"
  local sign = name and greek[name]
  return sign and not behind:find "^%.%a" and sign .. rest or nil
end

local function product_dots(text) return (text:gsub("([%w_%)%]\'])%*%f[%w_(\226]", "%1·")) end                     -- 226 begins a ∂

local function power(k) return k == 1 and "" or tostring(k):gsub("%d", raised) end

-- diff(V(x, y), x, x, y) as papers write it
local function quotient(name, by)
  local order, counts, list = 0, {}, {}
  for x in by:gmatch "[^,%s]+" do
    if not counts[x] then list[#list + 1] = x end
    counts[x], order = (counts[x] or 0) + 1, order + 1
  end
  for i, x in ipairs(list) do list[i] = "∂" .. x .. power(counts[x]) end
  return ("∂%s%s/%s"):format(power(order), name, #list == 1 and list[1] or "(" .. table.concat(list, " ") .. ")")
end

-- In brackets where it would be read as a part of something else: below a line, raised, or before a factor
local function partial(before, name, by, behind)
  local text = quotient(name, by)
  return before .. ((before ~= "" or behind ~= "") and "(" .. text .. ")" or text) .. behind
end

--- A formula, or a piece of a line without wide gaps, with Greek letters, raised exponents and signs.
function dress.formula(text)
  text = text:gsub("(/?)diff%((%a[%w_]*)%([%w_,' ]*%), ([%w_,' ]+)%)([%^*/]?)", partial)
  text = product_dots(text)
  text = text:gsub("%^(%d+)(.?)", exponent)
  text = text:gsub("%f[%w_](%a[%w_]*)%f[^%w_]()", function(word, at) return letter(word, text:sub(at, at + 1)) end)
  for ascii, sign in pairs(relations) do text = text:gsub(ascii, sign) end
  return text
end

local function lowered(digits) return (digits:gsub("%d", function(d) return utf8.char(0x2080 + d) end)) end

-- A name of one letter, with its number below it and the dots of its derivatives above it; primes behind a name of several letters
local function name_with_dots(word, primes)
  local base, digits = word:match "^(%a+)_?(%d*)$"
  local sign = base and (greek[base] or #base == 1 and base)
  if sign and (primes == "" or DOTS[primes]) then return sign .. (DOTS[primes] or "") .. lowered(digits) end
  return word .. primes:gsub("'", "′")
end

-- Names with a part in front, as run:at and sweeps take them: lambda.blade, the start q.x and v.x
local function with_part(text)
  local part, rest = text:match "^(%a+)%.(.+)$"
  if part == "q" then return dress.label(rest) .. "(0)" end
  if part == "v" then return dress.label(rest .. "'") .. "(0)" end
  if part == "lambda" or part == "mu" or part == "p" or part == "friction" or part == "rough" then
    return ("%s (%s)"):format(greek[part] or part, rest)
  end
end

--- The label of a quantity: theta1' is a theta with one dot and the index 1, lambda.blade is λ (blade).
function dress.label(text)
  local whole = with_part(text)
  if whole then return whole end
  text = product_dots(text):gsub("%f[%w_](%a[%w_]*)('*)", name_with_dots)
  return dress.formula(text)
end

return dress
