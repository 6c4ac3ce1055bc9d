-- latex_lines.lua: formulas in LaTeX, broken into lines of a given width: at =, + and -, as high in the tree as they are found. Reads what
-- print.c writes as LaTeX. The lines need amsmath and nothing else.
--
-- Widths are estimates in em of Computer Modern, rather too large than too small. The tree is a list of items:
--   { text=, width=, tall= }         an atom; name = true: a function, which its argument follows
--   { above=, below= }               a fraction           { root= }            a square root
--   { open=, inner=, close= }        brackets             { operator= }        + - = , and "where"
-- scripts: superscripts and subscripts after an item, with their width in script_width.
local lines = {}

local INDENT = 2                                                    -- em of a continuation line: \qquad
local FRACTION, BRACKET, ROOT, SCRIPT = 0.3, 0.62, 1, 0.75          -- em added by a fraction, one bracket, a root; size of scripts
local MINUS = { raised = "^{-1}", width = 0.95 }

local operators = { ["+"] = 1.23, ["-"] = 1.23, ["="] = 1.34, [","] = 0.45, ["\\cdot"] = 0.75 }
local functions = { ["\\sin"] = 1.4, ["\\cos"] = 1.5, ["\\tan"] = 1.6, ["\\sinh"] = 2, ["\\cosh"] = 2.1, ["\\tanh"] = 2.2, ["\\exp"] = 1.7, ["\\log"] = 1.5,
  ["\\arcsin"] = 2.8, ["\\arccos"] = 2.9, ["\\arctan"] = 3, ["\\min"] = 1.9, ["\\max"] = 2.1 }
local accents = { ["\\dot"] = true, ["\\ddot"] = true, ["\\dddot"] = true, ["\\ddddot"] = true, ["\\tilde"] = true }
local spaces = { ["\\quad"] = 1, ["\\qquad"] = 2, ["\\;"] = 0.28, ["\\,"] = 0.17, ["\\:"] = 0.23 }

-- ---- the tree

local token_patterns = { "^\\left[%(%[{.|]", "^\\right[%)%]}.|]", "^\\text%b{}", "^\\mathrm%b{}", "^\\operatorname%b{}", "^\\%a+", "^\\.", "^%d+%.?%d*",
  "^%s+", "^" .. utf8.charpattern }

local function tokens_of(latex)
  local list, at = {}, 1
  while at <= #latex do
    local token
    for _, pattern in ipairs(token_patterns) do
      token = latex:match(pattern, at)
      if token then break end
    end
    at = at + #token
    if not token:find "^%s" then list[#list + 1] = token end
  end
  return list
end

local width_of, text_of

-- Widths and heights are found once for each item
local function measure(item)
  if item.width then return item end
  local width, tall
  if item.above then
    width, tall = math.max(width_of(item.above), (width_of(item.below))) + FRACTION, true
  else
    width, tall = width_of(item.root or item.inner)
    width = width + (item.root and ROOT or 2*BRACKET)
  end
  item.width, item.tall = width, tall
  return item
end

-- Width of a list of items, and whether one of them is higher than a line
function width_of(list)
  local width, tall = 0, false
  for i, item in ipairs(list) do
    measure(item)
    width = width + (item.operator and i == 1 and 0.8 or item.width) + (item.script_width or 0)
    tall = tall or item.tall
  end
  return width, tall
end

local function text_of_item(item)
  local text = item.text
  if item.above then text = ("\\frac{%s}{%s}"):format(text_of(item.above), text_of(item.below))
  elseif item.root then text = ("\\sqrt{%s}"):format(text_of(item.root))
  elseif item.inner then text = ("\\left%s%s\\right%s"):format(item.open, text_of(item.inner), item.close) end
  return text .. (item.scripts or "")
end

function text_of(list)
  local out = {}
  for i, item in ipairs(list) do out[i] = text_of_item(item) end
  return table.concat(out, " ")
end

local read

-- { ... }, or one item
local function group(list, at)
  if list[at] ~= "{" then return read(list, at, 1) end
  local inner, after = read(list, at + 1)
  return inner, after + 1
end

local function letter_width(token)
  if token:find "^%d" then return 0.5*#token end
  if token:find "^[mwMW]$" then return 0.95 end
  return token:find "^%u$" and 0.8 or 0.62
end

-- The item that begins at a token
local function item_at(list, at)
  local token = list[at]
  local item
  if token == "\\frac" then
    item = {}
    item.above, at = group(list, at + 1)
    item.below, at = group(list, at)
  elseif token == "\\sqrt" then
    item = {}
    item.root, at = group(list, at + 1)
  elseif token:find "^\\left" then
    item = { open = token:sub(6) }
    item.inner, at = read(list, at + 1)
    item.close, at = list[at]:sub(7), at + 1
  elseif accents[token] then
    local inner
    inner, at = group(list, at + 1)
    item = { text = ("%s{%s}"):format(token, text_of(inner)), width = width_of(inner) }
  elseif operators[token] then
    item, at = { text = token, width = operators[token], operator = token }, at + 1
  elseif token == "\\quad" and (list[at + 1] or ""):find "^\\text" then
    item, at = { text = "\\quad" .. list[at + 1] .. "\\quad", width = 2 + 0.5*(#list[at + 1] - 7), operator = "where" }, at + 3
  elseif spaces[token] then
    item, at = { text = token, width = spaces[token], space = true }, at + 1
  elseif functions[token] or token:find "^\\operatorname" then
    item, at = { text = token, width = functions[token] or 0.55*(#token - 15) + 0.2, name = true }, at + 1
  elseif token:find "^\\%a+{" then
    item, at = { text = token, width = 0.58*(#token:match "{(.*)}") }, at + 1
  else
    item, at = { text = token, width = token:find "^\\" and 0.72 or letter_width(token), prime = token == "'" }, at + 1
  end
  return item, at
end

-- sin theta as s_theta: where the argument is a symbol, or a sum of symbols
local short_names = { ["\\sin"] = "\\mathrm{s}", ["\\cos"] = "\\mathrm{c}" }

local function is_flat(list)
  for _, item in ipairs(list) do if not item.text or item.name or item.operator == "," then return false end end
  return true
end

local function shorten(list)
  local out, i = {}, 1
  while i <= #list do
    local item, argument = list[i], list[i + 1]
    local name = short_names[item.text or ""]
    local inner = name and argument and not (argument.inner and argument.scripts) and (argument.inner or (argument.text and { argument }))
    if inner and is_flat(inner) then
      out[#out + 1] = { text = ("%s_{%s}"):format(name, text_of(inner)), width = 0.45 + SCRIPT*width_of(inner), scripts = item.scripts,
        script_width = item.scripts and 0 }
      i = i + 2
    else
      out[#out + 1], i = item, i + 1
    end
  end
  return out
end

local short_trig = false               -- while one formula is read

-- Items from token `at` on, up to a closing brace or \right, which stays; at most `most`
function read(list, at, most)
  local out = {}
  while at <= #list and #out < (most or math.huge) do
    local token = list[at]
    if token == "}" or token:find "^\\right" then break end
    if (token == "^" or token == "_") and #out > 0 then
      local script
      local base = out[#out]
      script, at = group(list, at + 1)
      base.scripts = ("%s%s{%s}"):format(base.scripts or "", token, text_of(script))
      base.script_width = math.max(base.script_width or 0, SCRIPT*width_of(script) + 0.05)
    elseif token == "{" then                                        -- braces around nothing
      local inner
      inner, at = group(list, at)
      table.move(inner, 1, #inner, #out + 1, out)
    elseif token == "&" then
      at = at + 1
    else
      out[#out + 1], at = item_at(list, at)
    end
  end
  return short_trig and shorten(out) or out, at
end

local function tree_of(latex, short)
  short_trig = short
  local list = read(tokens_of(latex), 1)
  short_trig = false
  return list
end

-- ---- pieces: { text=, width=, cost= of a line that begins with it; nil: none does, first = text at the beginning of a line }

local BREAK = { ["="] = -1, ["+"] = 0, ["-"] = 0, where = -1 }
local DEEPER, PRODUCT = 2, 7                                        -- cost of a break one bracket deeper, and of one between factors

local pieces_of

local function has_sum(list)
  for i, item in ipairs(list) do if i > 1 and (item.operator == "+" or item.operator == "-") then return true end end
end

local function add(out, text, width, cost, first)
  out[#out + 1] = { text = text, width = width, cost = cost, first = first }
end

-- Brackets whose inside may be broken
local function open_brackets(out, item, room, depth, cost, first)
  local tall = select(2, width_of(item.inner))
  local left, right = tall and "\\biggl" or "\\bigl", tall and "\\biggr" or "\\bigr"
  add(out, left .. item.open, BRACKET + 0.1, cost, first and "{}\\cdot " .. left .. item.open)
  local from = #out + 1
  pieces_of(item.inner, room, depth + 1, out)
  if out[from] then out[from].cost = nil end
  add(out, right .. item.close .. (item.scripts or ""), BRACKET + 0.1 + (item.script_width or 0))
end

local function bracketed(list, raised, width)
  return measure{ open = "(", inner = list, close = ")", scripts = raised, script_width = width }
end

-- A fraction wider than a line: 1/D times the numerator, or the numerator times D^-1 where D is too wide as well. The numerator stays in
-- brackets where another factor follows, which the function at its end would take for its argument. `last`: none follows
local function split_fraction(out, item, room, depth, cost, last)
  local narrow = width_of(item.below) + FRACTION <= 0.7*room
  if narrow then add(out, ("\\frac{1}{%s}"):format(text_of(item.below)), width_of(item.below) + FRACTION, cost) end
  if not narrow and text_of(item.above) == "1" then
    return open_brackets(out, bracketed(item.below, MINUS.raised, MINUS.width), room, depth, cost)
  end
  if not narrow or not last or has_sum(item.above) or item.above[1].operator then
    open_brackets(out, bracketed(item.above), room, depth, not narrow and cost or nil)
  else
    pieces_of(item.above, room, depth, out)
  end
  if not narrow then open_brackets(out, bracketed(item.below, MINUS.raised, MINUS.width), room, depth, depth*DEEPER + PRODUCT, true) end
end

-- May a line begin between two factors?
local function between_factors(before, item)
  if not before or before.operator or before.name or before.space or item.operator or item.space or item.prime then return false end
  return not item.inner or before.inner ~= nil or before.above ~= nil
end

local SHORT_END = 1/5                  -- part of a line that stays behind "=" on the line before, rather than alone

-- Cost of a line that begins with the i-th item, an operator; nil: none does
local function break_before(list, i, room, depth)
  local cost = i > 1 and BREAK[list[i].operator]
  if not cost then return nil end
  local short_end = list[i].operator == "=" and width_of(table.move(list, i, #list, 1, {})) < SHORT_END*room
  return (short_end and 1 or cost) + depth*DEEPER
end

--- Appends the pieces of a list of items.
function pieces_of(list, room, depth, out)
  for i, item in ipairs(list) do
    measure(item)
    local product = between_factors(list[i - 1], item)
    local cost = product and depth*DEEPER + PRODUCT or nil
    if item.operator then
      local plain = item.operator == "+" or item.operator == "-"
      add(out, item.text, i == 1 and 0.8 or item.width, break_before(list, i, room, depth), plain and "{}" .. item.text or nil)
    elseif item.inner and item.width > 0.4*room then
      open_brackets(out, item, room, depth, cost, product)
    elseif item.above and item.width > 0.9*room and not item.scripts then
      split_fraction(out, item, room, depth, cost, not list[i + 1] or list[i + 1].operator ~= nil)
    elseif item.root and item.width > 0.9*room then
      open_brackets(out, bracketed(item.root, "^{1/2}", 1.2), room, depth, cost, product)
    else
      local text = text_of_item(item)
      add(out, text, item.width + (item.script_width or 0), cost, product and "{}\\cdot " .. text or nil)
    end
  end
  return out
end

-- ---- lines

local OVERFULL, LINE = 1000, 1                                      -- cost of an em beyond the width, and of a line

-- The places where lines end, at least cost: dynamic programming over the pieces
local function cuts_of(pieces, width)
  local n, best, from, sums = #pieces, { [0] = 0 }, {}, { [0] = 0 }
  for i, piece in ipairs(pieces) do sums[i] = sums[i - 1] + piece.width end
  for j = 1, n do
    best[j] = math.huge
    if j == n or pieces[j + 1].cost then
      for i = j - 1, 0, -1 do
        local room = i > 0 and width - INDENT or width
        local used = sums[j] - sums[i] + (i > 0 and pieces[i + 1].first and 0.6 or 0)
        local slack = j < n and math.max(0, room - used)/room or 0
        local cost = best[i] + OVERFULL*math.max(0, used - room) + slack^2 + LINE + (i > 0 and pieces[i + 1].cost or 0)
        if cost < best[j] then best[j], from[j] = cost, i end
        if used > 2*room and best[j] < math.huge then break end
      end
    end
  end
  return from
end

local function split(list, width)
  if width_of(list) <= width then return { text_of(list) } end
  local pieces = pieces_of(list, width - INDENT, 0, {})
  local from, out, j = cuts_of(pieces, width), {}, #pieces
  while j > 0 do
    local words, i = {}, from[j]
    for k = i + 1, j do words[#words + 1] = k == i + 1 and i > 0 and pieces[k].first or pieces[k].text end
    table.insert(out, 1, table.concat(words, " "))
    j = i
  end
  return out
end

--- Lines of a formula, each at most `width` em where that can be; the second and later ones are two em shorter, to be indented.
--- short: sin theta as s_theta. A formula without a place to break in remains longer.
---@param latex string as e:latex() gives it
---@param width number in em
---@param short boolean?
---@return string[]
function lines.split(latex, width, short) return split(tree_of(latex, short), width) end

--- Estimated width of a formula, in em.
function lines.width(latex) return (width_of(tree_of(latex))) end

--- A formula as one, or as lines in an aligned environment.
function lines.formula(latex, width, short)
  local parts = lines.split(latex, width or math.huge, short)
  if #parts == 1 then return (width or short) and parts[1] or latex end
  return "\\begin{aligned}\n& " .. table.concat(parts, " \\\\\n&\\qquad ") .. "\n\\end{aligned}"
end

local EQUALS, NARROW = 1.34, 1/3                                    -- em of "="; part of the width that left sides may have to be aligned

--- The lines of equations { left=, right= }, for an align environment: a list of lists of lines with "&". All are aligned at "=" where the
--- left sides are short, at the margin otherwise: rows of both kinds would push each other off the page.
function lines.rows(equations, width, short)
  local widest, out = 0, {}
  for _, row in ipairs(equations) do widest = math.max(widest, (width_of(tree_of(row.left, short)))) end
  local at_margin = widest > NARROW*width
  for k, row in ipairs(equations) do
    local left = text_of(tree_of(row.left, short))
    local parts = at_margin and lines.split(row.left .. " = " .. row.right, width, short)
      or lines.split(row.right, width - widest - EQUALS, short)
    for i = 2, #parts do parts[i] = "&\\qquad " .. parts[i] end
    parts[1] = at_margin and "& " .. parts[1] or left .. " &= " .. parts[1]
    out[k] = parts
  end
  return out
end

return lines
