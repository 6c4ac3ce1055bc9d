-- wrap.lua: formulas wrapped at the width of the terminal: lines end before + - = and behind commas, outside brackets if that costs
-- little of the line; sentences between words. Continuation lines are indented.
local wrap = {}

local INDENT = 4
local BRACKET = 0.25                   -- part of a line that one pair of brackets left whole is worth

local function length(text) return utf8.len(text) or #text end

-- Where a line may end: list of { to = last byte of the line, from = first byte of the next, depth }
local function breaks_of(line, start)
  local list, depth = {}, 0
  for at = start, #line do
    local byte = line:sub(at, at)
    if byte:find "[%(%[{]" then depth = depth + 1
    elseif byte:find "[%)%]}]" then depth = depth - 1
    elseif byte == " " and line:find("^[^ ]", at + 1) then
      local sign = line:find("^[%+%-=] %S", at + 1)
      local words = line:find("^%l%l", at + 1) and line:find("^%l[%l,;:']", at - 2)
      if (sign and line:find("^%S", at - 1)) or line:find("^,", at - 1) or words then list[#list + 1] = { to = at - 1, from = at + 1, depth = depth } end
    end
  end
  return list
end

-- The break that ends a line at least cost; the first one where all lines are too long
local function best_break(line, breaks, start, room)
  local best, least
  for _, place in ipairs(breaks) do
    local used = place.from > start and length(line:sub(start, place.to))
    if used and used <= room then
      local cost = room - used + place.depth*BRACKET*room
      if not least or cost <= least then best, least = place, cost end
    elseif used and not best then
      return place
    end
  end
  return best
end

local function is_table_row(line) return select(2, line:gsub("%S   +%f[%S]", "")) > 2 end

local function wrapped(line, width)
  if length(line) <= width or is_table_row(line) then return line end
  local label = line:match "^%s*[^%s:]+:%s+" or line:match "^%s*"
  local indent = math.min(#label + INDENT, width//3)
  local breaks = breaks_of(line, #label + 1)
  local out, start, room = {}, 1, width
  while length(line:sub(start)) > room do
    local place = best_break(line, breaks, start + (start == 1 and #label or 0), room - (start == 1 and #label or 0))
    if not place then break end
    out[#out + 1] = line:sub(start, place.to)
    start, room = place.from, width - indent
  end
  out[#out + 1] = line:sub(start)
  return table.concat(out, "\n" .. (" "):rep(indent))
end

--- The text with lines of at most `width` characters, where formulas have places to break in; rows of tables stay whole.
function wrap.text(text, width)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = wrapped(line, width) end
  return table.concat(lines, "\n")
end

-- A line of a page broken between words; what follows a first column stays in its own
local function broken(line, width)
  local label = line:match "^%s*%S.-%s%s+%f[%S]" or line:match "^%s*"
  local indent = length(label) <= width//2 and length(label) or #line:match "^%s*"
  local out, used = {}, 0
  for gap, word in line:gmatch "(%s*)(%S+)" do
    local long = used + #gap + length(word)
    if long > width and used > indent then
      out[#out + 1] = "\n" .. (" "):rep(indent) .. word
      used = indent + length(word)
    else
      out[#out + 1] = gap .. word
      used = long
    end
  end
  return table.concat(out)
end

-- Does a sentence go on in the next line? Lines that are too wide and do not end one are continued at the same depth
local function goes_on(line, following, width)
  return length(line) > width and not line:find "[.:]$" and not line:find "%S  +%S"
    and line:match "^%s*" == following:match "^%s*" and not following:find "%S  +%S"
end

--- The text of a page, such as that of help, with lines of at most `width` characters.
function wrap.prose(text, width)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    if #lines > 0 and goes_on(lines[#lines], line, width) then lines[#lines] = lines[#lines] .. " " .. line:gsub("^%s+", "")
    else lines[#lines + 1] = line end
  end
  for i, line in ipairs(lines) do if length(line) > width then lines[i] = broken(line, width) end end
  return table.concat(lines, "\n")
end

return wrap
