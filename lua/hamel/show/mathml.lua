-- mathml.lua: our LaTeX as MathML, which browsers typeset without any script. Reads what print.c writes as LaTeX, and the
-- commands of the manual's formulas.
local mathml = {}

local greek = require "hamel.algebra.greek"
local structure = { frac = true, sqrt = true, mathrm = true, mathbf = true, text = true, quad = true, qquad = true, operatorname = true, left = true,
  right = true }
local accents = { dot = "˙", ddot = "¨", dddot = "⃛", ddddot = "⃜", tilde = "~", hat = "^", bar = "¯", vec = "→" }
local sizes = { bigl = "1.2em", bigr = "1.2em", biggl = "2.2em", biggr = "2.2em" }
local signs = { partial = "∂", square = "□", infty = "∞", nabla = "∇", ell = "ℓ" }
-- with the space of an operator around them
local operators = {
  cdot = "⋅", sum = "∑", int = "∫", le = "≤", ge = "≥", ne = "≠", to = "→", times = "×", pm = "±", mp = "∓", approx = "≈", equiv = "≡",
  ["in"] = "∈", prime = "′", ldots = "…", cdots = "⋯", perp = "⊥", sim = "∼", ll = "≪", gg = "≫", Rightarrow = "⇒", subset = "⊂", mapsto = "↦",
}
local named_functions = {}
for name in ("sin cos tan cot sec exp log ln sinh cosh tanh arcsin arccos arctan arsinh arcosh artanh min max det sgn operatorname"):gmatch "%S+" do
  named_functions[name] = true
end

-- Bytes that are no UTF-8 as the sign for them
local function valid(text)
  local at = 1
  while true do
    local length, wrong = utf8.len(text, at)
    if length then return text end
    text = text:sub(1, wrong - 1) .. "�" .. text:sub(wrong + 1)
    at = wrong + #"�"
  end
end

--- Text that is safe in HTML.
function mathml.escape(text)
  return (valid(tostring(text)):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

--- The text of HTML that mathml.escape made.
function mathml.unescape(html)
  return (html:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&amp;", "&"))
end

-- { kind, text }: command, symbol, number, letter
local function tokens_of(latex)
  local list, at = {}, 1
  local function add(kind, text) list[#list + 1] = { kind = kind, text = text } end
  while at <= #latex do
    local word = latex:match("^\\(%a+)", at)
    local words = latex:match("^\\text{([^{}]*)}", at)
    local number = latex:match("^%d+%.?%d*", at)
    if words then                                                           -- with its blanks
      add("words", words:gsub("\\(.)", "%1"))
      at = at + #"\\text{}" + #words
    elseif word then
      add("command", word)
      at = at + 1 + #word
    elseif number then
      add("number", number)
      at = at + #number
    elseif latex:match("^\\.", at) then                                   -- \, \; \\ and the like
      add("space", latex:sub(at + 1, at + 1))
      at = at + 2
    elseif latex:match("^%s", at) then
      at = at + 1
    else
      local character = latex:match("^" .. utf8.charpattern, at)
      add("letter", character)
      at = at + #character
    end
  end
  return list
end

local function row(parts) return #parts == 1 and parts[1] or "<mrow>" .. table.concat(parts) .. "</mrow>" end

local reader = {}
reader.__index = reader

function reader:peek() return self.list[self.at] end
function reader:take()
  self.at = self.at + 1
  return self.list[self.at - 1]
end

function reader:is(kind, text)
  local t = self:peek()
  return t ~= nil and t.kind == kind and (text == nil or t.text == text)
end

-- { ... }
function reader:group()
  if not self:is("letter", "{") then return self:atom() end
  self:take()
  local inner = self:sequence "}"
  self:take()
  return inner
end

function reader:plain_group()
  local words = {}
  if self:is("letter", "{") then self:take() end
  while self:peek() and not self:is("letter", "}") do words[#words + 1] = self:take().text end
  self:take()
  return table.concat(words)
end

function reader:command(name)
  if name == "frac" then
    local above, below = self:group(), self:group()
    return "<mfrac>" .. above .. below .. "</mfrac>"
  elseif name == "sqrt" then
    return "<msqrt>" .. self:group() .. "</msqrt>"
  elseif accents[name] then
    return "<mover>" .. self:group() .. '<mo stretchy="false">' .. accents[name] .. "</mo></mover>"
  elseif name == "quad" or name == "qquad" then
    return name == "quad" and '<mspace width="1em"/>' or '<mspace width="2em"/>'
  elseif operators[name] then
    return "<mo>" .. operators[name] .. "</mo>"
  elseif name == "mathbf" then
    return '<mi mathvariant="bold" style="font-weight: bold">' .. mathml.escape(self:plain_group()) .. "</mi>"
  elseif name == "mathrm" then
    return "<mtext>" .. mathml.escape(self:plain_group()) .. "</mtext>"
  elseif name == "operatorname" then
    return "<mi>" .. mathml.escape(self:plain_group()) .. "</mi>"
  elseif name == "left" then
    local open = self:take().text
    local inner = self:sequence "right"
    self:take()
    local close = self:take()
    return "<mrow><mo>" .. mathml.escape(open) .. "</mo>" .. inner .. "<mo>" .. mathml.escape(close and close.text or ")") .. "</mo></mrow>"
  elseif sizes[name] then                                                  -- brackets that are broken: one of a pair on a line
    return ('<mo stretchy="true" minsize="%s" maxsize="%s">%s</mo>'):format(sizes[name], sizes[name], mathml.escape(self:take().text))
  elseif greek[name] or signs[name] then
    return "<mi>" .. (greek[name] or signs[name]) .. "</mi>"
  end
  return "<mi>" .. mathml.escape(name) .. "</mi>"                          -- sin, cos, arctan
end

function reader:atom()
  local t = self:take()
  if t.kind == "command" then return self:command(t.text) end
  if t.kind == "words" then return "<mtext>" .. mathml.escape(t.text) .. "</mtext>" end
  if t.kind == "number" then return "<mn>" .. t.text .. "</mn>" end
  if t.kind == "space" then return '<mspace width="0.3em"/>' end
  if t.text == "{" then
    local inner = self:sequence "}"
    self:take()
    return inner
  end
  if t.text == "-" then return "<mo>−</mo>" end
  -- as large as they are written; \left and \right stretch
  if t.text:find "^[%(%)%[%]|]$" then return '<mo stretchy="false">' .. t.text .. "</mo>" end
  if t.text:find "^[%+=,;/<>%*]$" then return "<mo>" .. mathml.escape(t.text) .. "</mo>" end
  return "<mi>" .. mathml.escape(t.text) .. "</mi>"
end

-- Up to the closing brace or \right, which stays
function reader:sequence(close)
  local parts = {}
  while self:peek() do
    if close == "}" and self:is("letter", "}") or close == "right" and self:is("command", "right") then break end
    if self:is("letter", "&") then
      self:take()
    else
      local t = self:peek()
      local is_function = t.kind == "command" and not greek[t.text] and not signs[t.text] and not operators[t.text] and not accents[t.text]
        and not structure[t.text] and not sizes[t.text]
      local base, below, above = self:atom(), nil, nil
      while self:is("letter", "_") or self:is("letter", "^") do
        if self:take().text == "_" then below = self:group() else above = self:group() end
      end
      local limits = t.kind == "command" and (t.text == "sum" or t.text == "max" or t.text == "min")
      if limits and below and above then base = "<munderover>" .. base .. below .. above .. "</munderover>"
      elseif limits and below then base = "<munder>" .. base .. below .. "</munder>"
      elseif below and above then base = "<msubsup>" .. base .. below .. above .. "</msubsup>"
      elseif below then base = "<msub>" .. base .. below .. "</msub>"
      elseif above then base = "<msup>" .. base .. above .. "</msup>" end
      if is_function and #parts > 0 then parts[#parts + 1] = '<mspace width="0.17em"/>' end
      parts[#parts + 1] = base
      if is_function and not self:is("command", "left") then parts[#parts + 1] = '<mspace width="0.17em"/>' end
    end
  end
  return row(parts)
end

--- The first command of a formula that the list above does not have, or nil.
function mathml.unknown(latex)
  for _, t in ipairs(tokens_of(latex)) do
    local name = t.text
    if t.kind == "command" and not (greek[name] or signs[name] or operators[name] or accents[name] or structure[name] or sizes[name]
      or named_functions[name]) then
      return name
    end
  end
end

--- MathML of a formula given as LaTeX; block = true: on a line of its own, "row": as large, but inside the line.
function mathml.of(latex, block)
  local r = setmetatable({ list = tokens_of(latex), at = 1 }, reader)
  local display = block == "row" and ' displaystyle="true"' or block and ' display="block"' or ""
  return ('<math xmlns="http://www.w3.org/1998/Math/MathML"%s>%s</math>'):format(display, r:sequence())
end

return mathml
