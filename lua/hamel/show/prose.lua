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
  local left, right = before:match "%f[%w]([%a%d]+)[%d%^'%)]*%s$", behind:match "^%s(%a+)"
  return left ~= nil and right ~= nil and (letter_of(left) or left:find "^%d+$") ~= nil and letter_of(right) ~= nil
end

-- What is raised behind a ^ at a place: its HTML and the next place; nil where nothing is
local function raised(text, at)
  local group = text:match("^%^(%b())", at) or text:match("^%^(%b{})", at)
  if group then return "<sup>" .. prose(group:sub(2, -2)) .. "</sup>", at + 1 + #group end
  local plain = text:match("^%^(%-?%d+)", at) or text:match("^%^(%a%w*)", at)
  if plain then return "<sup>" .. (symbol_of(plain) or escape(plain)) .. "</sup>", at + 1 + #plain end
end

-- A name at a place, with its primes: its HTML and the next place. Methods such as S:reactions are no formulas
local function named(text, at, name)
  local before, behind = text:sub(1, at - 1), text:sub(at + #name)
  if name:find "^d%a$" and (behind:find "^/d" or before:find "/$") then return italic(name), at + 2 end
  local symbol = not behind:find "^:%a" and not before:find "[:%.]$" and not before:find "%a'$" and symbol_of(name)
  if name == "sqrt" and behind:find "^%(" then return "√", at + #name end
  if not symbol or articles[name] and not in_formula(before, behind) then return escape(name), at + #name end
  local primes = before:sub(-1) ~= "'" and behind:match "^'+" or ""
  if behind:find("^%a", #primes + 1) then primes = "" end
  return symbol .. ("′"):rep(#primes), at + #name + #primes
end

--- HTML of a text with formulas.
function prose(text)
  local out, at = {}, 1
  while at <= #text do
    local name, number = text:match("^%a[%w_]*", at), text:match("^%d+%.?%d*e[+-]?%d+", at) or text:match("^%d[%d%.]*", at)
    local sign = signs[text:sub(at, at + 1)]
    local html, behind
    if name then html, behind = named(text, at, name)
    elseif number then html, behind = number, at + #number
    elseif sign then html, behind = sign, at + 2
    elseif text:find("^[%w%)%]'%*]%*[%w%(%*]", at - 1) then html, behind = "·", at + 1
    elseif text:find("^%-[%w%(]", at) and (at == 1 or text:find("^[=%(,%s]", at - 1)) then html, behind = "−", at + 1
    elseif at > 1 then html, behind = raised(text, at) end
    if not html then
      local character = text:match("^[%z\1-\127\194-\244][\128-\191]*", at) or text:sub(at, at)
      html, behind = escape(character), at + #character
    end
    out[#out + 1], at = html, behind
  end
  return table.concat(out)
end

return prose
