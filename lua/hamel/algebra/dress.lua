-- dress.lua: formulas as text in Unicode: Greek letters, raised exponents, dots between factors.
local greek = require "hamel.algebra.greek"

local dress = {}

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

--- A formula, or a piece of a line without wide gaps, with Greek letters, raised exponents and signs.
function dress.formula(text)
  text = text:gsub("([%w_%)%]\'])%*%f[%w_(]", "%1·")
  text = text:gsub("%^(%d+)(.?)", exponent)
  text = text:gsub("%f[%w_](%a[%w_]*)%f[^%w_]()", function(word, at) return letter(word, text:sub(at, at + 1)) end)
  for ascii, sign in pairs(relations) do text = text:gsub(ascii, sign) end
  return text
end

return dress
