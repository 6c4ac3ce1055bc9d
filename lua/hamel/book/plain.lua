-- plain.lua: Markdown and its formulas as one line of plain text, for the search and for captions.
local dress = require "hamel.algebra.dress"
local greek = require "hamel.algebra.greek"

local plain = {}

local SIGNS = { partial = "∂", sum = "∑", int = "∫", ldots = "…", dots = "…", cdots = "…", cdot = "·", times = "×", le = "≤", leq = "≤", ge = "≥", geq = "≥",
                ne = "≠", neq = "≠", ["in"] = "∈", to = "→", infty = "∞", pm = "±", sqrt = "√", approx = "≈", equiv = "≡", prime = "'", perp = "⊥", quad = " ",
                varphi = "φ", vartheta = "θ", varepsilon = "ε", ell = "ℓ", nabla = "∇", forall = "∀", langle = "⟨", rangle = "⟩" }
-- Commands about the look of their argument
local LOOK = { left = "", right = "", mathrm = "", mathbf = "", mathcal = "", boldsymbol = "", text = "", operatorname = "", displaystyle = "", big = "",
               bigl = "", bigr = "", Big = "", Bigl = "", Bigr = "" }
local ACCENTS = { dot = "\u{307}", ddot = "\u{308}", hat = "\u{302}", bar = "\u{304}", tilde = "\u{303}", vec = "\u{20D7}" }
local LETTER = "[%z\1-\127\194-\244][\128-\191]*"

local function inner(group) return group:sub(2, -2) end

local function quotient(above, below)
  local function part(group)
    local text = inner(group)
    return text:find "[%s%+%-]" and "(" .. text .. ")" or text
  end
  return part(above) .. "/" .. part(below)
end

local function letter(name)
  if ACCENTS[name] then return nil end
  local sign = SIGNS[name] or LOOK[name] or greek[name]
  return sign or name
end

--- A formula in LaTeX as text with Unicode letters: \dot{q}_r^2 is q̇_r².
function plain.formula(tex)
  tex = tex:gsub("\\[,;:!> ]", ""):gsub("\\\\", " "):gsub("~", " ")
  for _ = 1, 3 do tex = tex:gsub("\\[dt]?frac%s*(%b{})%s*(%b{})", quotient) end
  tex = tex:gsub("\\(%a+)", letter)
  for name, sign in pairs(ACCENTS) do
    tex = tex:gsub("\\" .. name .. "%s*(%b{})", function(group) return inner(group) .. sign end)
    tex = tex:gsub("\\" .. name .. "%s*(" .. LETTER .. ")", "%1" .. sign)
  end
  tex = tex:gsub("%^{(%d+)}", "^%1"):gsub("[{}\\]", ""):gsub("%s+", " ")
  return (dress.formula(tex))
end

-- Single letters with a prime are derivatives, powers are raised: z'^2 = k^2
local function prose(text)
  return (text:gsub("%f[%w_](%a)('+)%f[^%w_']", function(name, primes)
    local sign = ({ ["'"] = ACCENTS.dot, ["''"] = ACCENTS.ddot })[primes]
    return sign and name .. sign
  end):gsub("%^2%f[%D]", "²"):gsub("%^3%f[%D]", "³"))
end

--- Sentences with formulas typed in characters, such as the comment at the head of an example.
plain.prose = prose

--- A piece of Markdown without its marks, on one line.
function plain.text(text)
  text = text:gsub("%$%$?([^$]+)%$%$?", plain.formula)
  text = text:gsub("%[([^%]]+)%]%([^%)]+%)", "%1"):gsub("`", "")
  text = text:gsub("%*%*([^*]+)%*%*", "%1"):gsub("%f[%S*]%*([^%s*][^*]*)%*", "%1")
  text = text:gsub("|[%s:|%-]*%-%-%-[%s:|%-]*|", " "):gsub("|", " "):gsub("\n%s*[%-*] ", " "):gsub("^%s*[%-*] ", "")
  return (text:gsub("%s+", " "):match "^%s*(.-)%s*$")
end

return plain
