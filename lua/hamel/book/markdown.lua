-- markdown.lua: our Markdown as HTML: headings, paragraphs, fenced blocks, tables, lists, `code`, *words*, **words**, links, $formulas$.
local highlight = require "hamel.show.highlight"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"

local escape, fail = mathml.escape, object.fail
local markdown = {}

--- The anchor of a heading or a name: "run:at" is "run-at".
function markdown.anchor(text) return (text:lower():gsub("[^%w]+", "-"):gsub("^%-", ""):gsub("%-$", "")) end

-- ---- inside a line

local function formula(latex, block, context)
  local unknown = mathml.unknown(latex)
  if not unknown then return mathml.of(latex, block) end
  if context.lenient then return "<code>" .. escape(latex) .. "</code>" end
  fail("manual: %s: the formula %s has the unknown command \\%s", context.name, latex, unknown)
end

-- Pieces in which nothing is read any more are kept aside under a number
local function inline(text, context)
  local kept = {}
  local function keep(html)
    kept[#kept + 1] = html
    return "\1" .. #kept .. "\2"
  end
  text = text:gsub("`([^`]+)`", function(code)
    local html, place = "<code>" .. escape(code) .. "</code>", context.place and context.place(code)
    return keep(place and ('<a href="%s">%s</a>'):format(place, html) or html)
  end)
  if context.lenient then text = text:gsub("\\%$", function() return keep "$" end) end
  text = text:gsub("%$([^%$\n]+)%$", function(latex) return keep(formula(latex, false, context)) end)
  if context.lenient then
    -- as every reader of Markdown: signs behind a backslash, characters by their numbers
    text = text:gsub("\\(%p)", function(sign) return keep(escape(sign)) end):gsub("&#%d+;", keep):gsub("&%l+;", keep)
  end
  text = escape(text)
  text = text:gsub("!%[([^%]]*)%]%(([^%)]+)%)", function(label, target)
    local where = context.link(target)
    return where and not context.lenient and keep(('<img src="%s" alt="%s">'):format(where, label)) or label
  end)
  text = text:gsub("%[([^%]]+)%]%(([^%)]+)%)", function(label, target)
    local where = context.link(target)
    for k in label:gmatch "\1(%d+)\2" do kept[tonumber(k)] = kept[tonumber(k)]:gsub("</?a[^>]*>", "") end    -- no link in a link
    return where and keep(('<a href="%s">'):format(where)) .. label .. keep "</a>" or label
  end)
  text = text:gsub("%*%*(.-)%*%*", "<strong>%1</strong>"):gsub("%f[%*%w]%*(%a[^%*\n]-)%*", "<em>%1</em>")
  -- kept pieces may hold kept pieces
  local count
  repeat text, count = text:gsub("\1(%d+)\2", function(k) return kept[tonumber(k)] end) until count == 0
  return text
end

local function cells(line, context)
  local list = {}
  for cell in line:gsub("^%s*|", ""):gsub("|%s*$", ""):gmatch "[^|]+" do list[#list + 1] = inline(cell:match "^%s*(.-)%s*$", context) end
  return list
end

-- ---- blocks

local writer = {}
writer.__index = writer

function writer:add(html) self.out[#self.out + 1] = html end

function writer:flush()
  if #self.paragraph > 0 then self:add("<p>" .. inline(table.concat(self.paragraph, "\n"), self.context) .. "</p>") end
  if #self.display > 0 then self:add("<pre class=\"formula\">" .. escape(table.concat(self.display, "\n")) .. "</pre>") end
  if #self.items > 0 then
    local tag = self.ordered and "ol" or "ul"
    for i, item in ipairs(self.items) do self.items[i] = inline(item, self.context) end
    self:add(("<%s><li>%s</li></%s>"):format(tag, table.concat(self.items, "</li>\n<li>"), tag))
  end
  if self.rows then self:add('<div class="wide"><table>' .. table.concat(self.rows, "\n") .. "</table></div>") end
  self.paragraph, self.display, self.items, self.rows = {}, {}, {}, nil
end

function writer:heading(hashes, title)
  self:flush()
  local level = math.min(6, #hashes + self.level)
  local plain = title:gsub("`", ""):gsub("%*", ""):gsub("%$", "")
  local id = self.context.prefix .. markdown.anchor(plain)
  if self.taken[id] then
    self.taken[id] = self.taken[id] + 1
    id = id .. "-" .. self.taken[id]
  else
    self.taken[id] = 1
  end
  local one = { level = #hashes, id = id, title = plain, words = {} }
  self.headings[#self.headings + 1] = one
  -- a heading is no link
  local context = setmetatable({ place = false }, { __index = self.context })
  self:add(('<h%d id="%s">%s</h%d>'):format(level, id, inline(title, context), level))
end

function writer:fenced(kind, lines)
  local text = table.concat(lines, "\n")
  if kind == "math" then
    for line in text:gmatch "[^\n]+" do self:add('<div class="math">' .. formula(line, true, self.context) .. "</div>") end
  elseif kind == "text" then
    self:add('<pre class="out"><code>' .. escape(text) .. "</code></pre>")
  else
    self:add(('<pre class="code"><code>%s</code></pre>'):format(highlight(text, kind)))
  end
end

function writer:row(line)
  if line:find "^|%s*%-" then return end                     -- the rule below the heads
  if not self.rows then
    self:flush()
    self.rows = {}
  end
  local tag = #self.rows == 0 and "th" or "td"
  local sep = ("</%s><%s>"):format(tag, tag)
  self.rows[#self.rows + 1] = ("<tr><%s>%s</%s></tr>"):format(tag, table.concat(cells(line, self.context), sep), tag)
end

function writer:item(text, ordered)
  if #self.items > 0 and self.ordered ~= ordered then self:flush() end
  if #self.items == 0 then self:flush() end
  self.ordered = ordered
  self.items[#self.items + 1] = text
end

function writer:line(line)
  local hashes, title = line:match "^(#+) (.*)$"
  local bullet, numbered = line:match "^%- (.*)$", line:match "^%d+%. (.*)$"
  if hashes then self:heading(hashes, title)
  elseif line == "" then self:flush()
  elseif line:find "^|" then self:row(line)
  elseif bullet or numbered then self:item(bullet or numbered, numbered ~= nil)
  elseif #self.items > 0 and line:find "^%s" then self.items[#self.items] = self.items[#self.items] .. " " .. line:match "^%s*(.*)$"
  elseif line:find "^    " and #self.paragraph == 0 then self.display[#self.display + 1] = line:sub(5)
  else
    if self.rows or #self.display > 0 or #self.items > 0 then self:flush() end
    self.paragraph[#self.paragraph + 1] = line
  end
  local last = self.headings[#self.headings]
  if last and not hashes then table.insert(last.words, line) end
end

--- HTML of a text, and its headings { level, id, title, words }. context: name (for messages), link(target): the address that a link leads to, or nil;
--- place(code): the address of a page about a piece of `code`, or nil; prefix: of the anchors; lenient: formulas that are not known are shown as they are
--- written, images by their names. level: added to that of the headings.
function markdown.html(text, context, level)
  context.prefix = context.prefix or ""
  local w = setmetatable({ out = {}, headings = {}, taken = {}, context = context, level = level or 0, paragraph = {}, display = {}, items = {} }, writer)
  local fence, block
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local mark, kind = line:match "^(```)(%w*)"
    if fence and mark then
      w:fenced(fence, block)
      fence = nil
    elseif fence then block[#block + 1] = line
    elseif mark then
      w:flush()
      fence, block = kind, {}
    else w:line(line) end
  end
  if fence and context.lenient then w:fenced(fence, block)
  elseif fence then fail("manual: %s: a block of ``` has no end", context.name) end
  w:flush()
  return table.concat(w.out, "\n"), w.headings
end

return markdown
