-- unicode.lua: formulas as a terminal with Unicode shows them: Greek letters, raised exponents, dots between factors. What is typed stays ASCII.
local core = require "hamel.core"
local greek = require "hamel.algebra.greek"

local unicode = {}

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

-- A piece of a line without wide gaps
local function dressed(text)
  text = text:gsub("(/?)diff%((%a[%w_]*)%([%w_,' ]*%), ([%w_,' ]+)%)([%^*/]?)", partial)
  text = text:gsub("([%w_%)%]\'])%*%f[%w_(\226]", "%1·")                        -- 226 begins a ∂
  text = text:gsub("%^(%d+)(.?)", exponent)
  text = text:gsub("%f[%w_](%a[%w_]*)%f[^%w_]()", function(word, at) return letter(word, text:sub(at, at + 1)) end)
  for ascii, sign in pairs(relations) do text = text:gsub(ascii, sign) end
  return text
end

--- The text with Greek letters, raised exponents and signs. Columns stay where they are: what a piece of a line loses in width, the gap
--- behind it gains.
function unicode.dress(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local out, at = {}, 1
    while at <= #line do
      local from, to = line:find("  +", at)
      local piece = line:sub(at, (from or #line + 1) - 1)
      local new = dressed(piece)
      out[#out + 1] = new
      if not from then break end
      out[#out + 1] = line:sub(from, to) .. (" "):rep((utf8.len(piece) or #piece) - (utf8.len(new) or #new))
      at = to + 1
    end
    lines[#lines + 1] = table.concat(out)
  end
  return table.concat(lines, "\n")
end

--- Does the terminal show Unicode? By its locale (LC_ALL, LC_CTYPE, LANG, the first that is set); HAMEL_ASCII says no.
function unicode.wanted()
  local refused = os.getenv "HAMEL_ASCII"
  if (refused and refused ~= "") or not core.host.is_terminal "stdout" then return false end
  for _, name in ipairs{ "LC_ALL", "LC_CTYPE", "LANG" } do
    local locale = os.getenv(name)
    if locale and locale ~= "" then return locale:lower():find("utf%-?8") ~= nil and os.getenv "TERM" ~= "linux" end
  end
  return false
end

return unicode
