-- prose.lua: formulas in plain text, u' = a w^2 and A_ks, as HTML: italic letters, Greek, raised and lowered parts. Words stay as they are.
local greek = require "hamel.algebra.greek"
local mathml = require "hamel.show.mathml"

local escape = mathml.escape

local LONGEST = 3                      -- letters of a lower index that is no Greek letter
local signs = { ["->"] = "→", ["<="] = "≤", [">="] = "≥", ["~="] = "≠", ["+-"] = "±" }
local articles = { a = true, A = true, I = true }     -- letters that are words, too
local no_symbols = { S = true, P = true }             -- S1 is a statement
local no_index = { dot = true, ddot = true }

local prose

local function italic(text) return "<i>" .. text .. "</i>" end

-- A letter, a Greek letter, a differential of either; or nil
local function letter_of(name)
  if greek[name] then return italic(greek[name]) end
  local differential = name:match "^d(%a+)$"
  if differential and greek[differential] then return italic("d" .. greek[differential]) end
  return (name:find "^%a$" or name == "dt") and italic(name) or nil
end

-- A symbol with its lower index, of a name such as q1, theta, Delta_sl, dq_s, sum_b; nil for a word
local function symbol_of(name)
  local base, index = name:match "^(%a+)_(%w+)$"
  if not base then
    base, index = name:match "^(%a+)(%d+)$"
    if index and no_symbols[base] then return nil end
    if base and not (#base == 1 or greek[base]) then return nil end
    base = base or name:match "^%a+$"
  end
  if not base or index and (no_index[index] or not greek[index] and #index > LONGEST) then return nil end
  local symbol = base == "sum" and index and "∑" or letter_of(base) or index and name:find "_" and #base == 2 and italic(base)
  if not symbol then return nil end
  return symbol .. (index and "<sub>" .. (letter_of(index) or index:find "%d" and index or italic(index)) .. "</sub>" or "")
end

-- Is a letter that is a word, too, part of a formula? Beside it stands a sign of one, or it is a factor between two
local function in_formula(before, behind)
  if before:find "[=+*/^<>%(|]%s*$" or behind:find "^'*%s*[=+*/^<>%)|]" then return true end
  if before:find "%f[%w]%a,%s*$" and behind:find "^[,%)]" then return true end
  local left, right = before:match "%f[%w]([%a%d]+)[%d%^'%)]*%s$", behind:match "^%s(%a+)"
  return left ~= nil and right ~= nil and (letter_of(left) or left:find "^%d+$") ~= nil and letter_of(right) ~= nil
end

-- An index or an exponent without brackets
local function index_html(name)
  local letters = #name <= LONGEST and name:find "^%a+$"
  return symbol_of(name) or letters and italic(name) or escape((name:gsub("^%-", "−")))
end

-- What is raised or lowered behind a ^ or _ at a place: its HTML and the next place; nil where nothing is
local function shifted(text, at)
  local sign = text:match("^[%^_]", at)
  if not sign then return nil end
  local tag = sign == "^" and "sup" or "sub"
  local group = text:match("^(%b())", at + 1) or text:match("^(%b{})", at + 1)
  local plain = not group and (text:match("^%-?%d+", at + 1) or text:match("^%a%w*", at + 1))
  if sign == "_" and plain and not greek[plain] and #plain > LONGEST then return nil end
  if group or plain then return ("<%s>%s</%s>"):format(tag, group and prose(group:sub(2, -2)) or index_html(plain), tag), at + 1 + #(group or plain) end
end

-- A name at a place, with its primes: its HTML and the next place. Methods such as S:reactions are no formulas
local function named(text, at, name)
  local before, behind = text:sub(1, at - 1), text:sub(at + #name)
  if name:find "^d%a$" and (behind:find "^/d" or before:find "/$") then return italic(name), at + 2 end
  local symbol = not behind:find "^:%a" and not before:find "[:%.]$" and not before:find "%a'$" and symbol_of(name)
  if name == "sqrt" and behind:find "^%(" then return "√", at + #name end
  if name == "sum" and behind:find "^_[%({]" then return "∑", at + #name end
  if name:find "^%a%a$" and behind:find "^_[%({]" then return italic(name), at + #name end
  if not symbol or articles[name] and not in_formula(before, behind) then return escape(name), at + #name end
  local primes = before:sub(-1) ~= "'" and behind:match "^'+" or ""
  if behind:find("^%a", #primes + 1) then primes = "" end
  return symbol .. ("′"):rep(#primes), at + #name + #primes
end

-- A name at a place; the _ of q_(e+b) and sum_(l=1) is no part of it
local function name_at(text, at)
  local name = text:match("^%a[%w_]*", at)
  if name and name:find "%a_$" and text:find("^%(", at + #name) then name = name:sub(1, -2) end
  return name
end

-- Is the - at a place, with blanks around it, that of a difference? A dash between words is none
local function is_minus(text, at)
  if not text:find("^ %- %S", at - 1) then return false end
  local left, right = text:sub(1, at - 2):match "([%w_]+)['%)]*$", text:match("^([%w_]+)", at + 2)
  local function part(name) return name ~= nil and (name:find "^%d" or symbol_of(name)) end
  return (text:find("^[%)%]]", at - 2) or part(left)) and (text:find("^[%(%[]", at + 2) or part(right) or right == "sqrt") and true or false
end

-- A sign at a place, as it is set: its HTML and the next place; nil where there is none
local function sign_at(text, at)
  local before, two = at > 1 and text:sub(at - 1, at - 1) or "", signs[text:sub(at, at + 1)]
  if two then return two, at + 2 end
  if before == ")" and text:find("^'", at) and not text:find("^'+%a", at) then return "′", at + 1 end
  if before:find "[%w%)%]']" and text:find("^%*[%w%(]", at) then return "·", at + 1 end
  if at > 2 and is_minus(text, at) then return "−", at + 1 end
  if (at == 1 or before:find "[=%(,%s]") and text:find("^%-[%w%(]", at) then return "−", at + 1 end
  if at > 1 then return shifted(text, at) end
end

--- HTML of a text with formulas.
function prose(text)
  local out, at = {}, 1
  while at <= #text do
    local name, number = name_at(text, at), text:match("^%d+%.?%d*e[+-]?%d+", at) or text:match("^%d[%d%.]*", at)
    local html, behind
    if name then html, behind = named(text, at, name)
    elseif number then html, behind = number, at + #number
    else html, behind = sign_at(text, at) end
    if not html then
      local character = text:match("^[%z\1-\127\194-\244][\128-\191]*", at) or text:sub(at, at)
      html, behind = escape(character), at + #character
    end
    out[#out + 1], at = html, behind
  end
  return table.concat(out)
end

return prose
