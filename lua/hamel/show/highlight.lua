-- highlight.lua: source text as HTML with comments, strings, numbers and key words marked.
local mathml = require "hamel.show.mathml"

local escape = mathml.escape

local keywords = {
  lua = "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  c = "break case char const do double else enum float for if int long return sizeof static struct switch typedef unsigned void while size_t bool",
}
for language, words in pairs(keywords) do
  keywords[language] = {}
  for word in words:gmatch "%S+" do keywords[language][word] = true end
end

-- A text between these marks, in which a backslash takes the next character with it
local function between(mark)
  return function(text, at)
    if text:sub(at, at) ~= mark then return nil end
    local i = at + 1
    while i <= #text do
      local c = text:sub(i, i)
      if c == mark then return text:sub(at, i) end
      if c == "\n" then return nil end
      i = i + (c == "\\" and 2 or 1)
    end
  end
end

-- Patterns or functions by class, tried in this order at each place
local lexers = {
  lua = { { "c", "^%-%-%[%[.-%]%]" }, { "c", "^%-%-[^\n]*" }, { "s", "^%[%[.-%]%]" }, { "s", between '"' }, { "s", between "'" } },
  c = { { "c", "^//[^\n]*" }, { "c", "^/%*.-%*/" }, { "p", "^#%a[^\n]*" }, { "s", between '"' } },
}

-- Each line as a block of its own, so that one which is broken to fit the page continues further right
local function in_lines(html)
  return ((html:gsub("\n$", "") .. "\n"):gsub("([^\n]*)\n", '<span class="l">%1\n</span>'))
end

local ROOM = 84                        -- letters of a line on the page

-- A comment behind a line that is too wide for the page stands closer to it
local function without_gaps(text)
  return (text:gsub("[^\n]+", function(line)
    if utf8.len(line) and utf8.len(line) <= ROOM then return nil end
    return (line:gsub("(%S)   +(%-%-%s)", "%1  %2"):gsub("(%S)   +(//%s)", "%1  %2"))
  end))
end

--- HTML of a text, line by line; language "lua" or "c", plain otherwise.
return function(text, language)
  local lexer, words = lexers[language], keywords[language]
  if not lexer then return in_lines(escape(text)) end
  text = without_gaps(text)
  local out, at = {}, 1
  local function take(class, piece)
    local html = escape(piece)
    -- no mark goes over the end of a line
    out[#out + 1] = class and html:gsub("[^\n]+", function(line) return ('<span class="%s">%s</span>'):format(class, line) end) or html
    at = at + #piece
  end
  while at <= #text do
    local class, piece
    for _, rule in ipairs(lexer) do
      piece = type(rule[2]) == "string" and text:match(rule[2], at) or type(rule[2]) == "function" and rule[2](text, at) or nil
      if piece then
        class = rule[1]
        break
      end
    end
    if not piece then
      piece = text:match("^[%a_][%w_]*", at)
      if piece then class = words[piece] and "k" or nil
      else
        piece = text:match("^%d[%w%.]*", at)
        class = piece and "n" or nil
      end
    end
    take(class, piece or text:sub(at, at))
  end
  return in_lines(table.concat(out))
end
