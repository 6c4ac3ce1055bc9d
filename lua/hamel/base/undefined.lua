-- undefined.lua: which name of the user's line has no value, where an operand is nil: Lua does not name it.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local library = debug.getinfo(1, "S").source:match "^(.*)base/undefined%.lua$"

local keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"):gmatch "%a+" do
  keywords[word] = true
end

-- The n-th line of the chunk that contains a function; nil where its text is not available
local function line_of(source, n)
  local text = source
  if source:find "^=" then return nil end
  if source:find "^@" then
    local file = io.open(source:sub(2))
    if not file then return nil end
    text = file:read "a" or ""
    file:close()
  end
  local k = 0
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    k = k + 1
    if k == n then return line end
  end
end

local NOTHING = {}                     -- a value that is nil, as a value of a table

-- Locals and upvalues of a level by name, and its global table
local function scope(level, f)
  local values, i = {}, 1
  while true do
    local name, value = debug.getupvalue(f, i)
    if not name then break end
    values[name] = value == nil and NOTHING or value
    i = i + 1
  end
  i = 1
  while true do
    local name, value = debug.getlocal(level + 1, i)
    if not name then break end
    if not name:find "^%(" then values[name] = value == nil and NOTHING or value end
    i = i + 1
  end
  return values, type(values._ENV) == "table" and values._ENV or _G
end

-- The value of a global; nil also where the table of globals refuses the name
local function global(globals, name)
  local fine, value = protected(function() return globals[name] end)
  return fine and value or nil
end

-- The sentence on one name, with the field behind it where it is a plain table; nil where it has a value
local function missing(name, field, values, globals)
  local value = values[name]
  if value == NOTHING then return ("'%s' is nil"):format(name) end
  if value == nil then value = global(globals, name) end
  if value == nil then
    local known = object.keys(globals)
    for other in pairs(values) do known[#known + 1] = other end
    local near = object.nearest(name, known)
    return ("'%s' is not defined%s"):format(name, near and (" (did you mean '%s'?)"):format(near) or "")
  end
  if field and type(value) == "table" and not getmetatable(value) and value[field] == nil then
    return ("'%s.%s' is nil%s"):format(name, field, object.hint(field, object.keys(value)))
  end
end

-- The line without comments, texts, the variables that it assigns and the functions that it defines, whose own variables have no values yet;
-- inside: the line runs in a function that begins on it
local function bare(line, inside)
  line = line:gsub("%-%-.*$", ""):gsub('"[^"]*"', '""'):gsub("'[^']*'", "''")
  line = line:gsub("^%s*local%s+[%w_%s,<>]+=%f[^=]", ""):gsub("^%s*[%a_][%w_%s,.]*=%f[^=]", "")
  if inside then return line:match "%f[%w_]function%s*[%w_.:]*%s*%b()(.-)%f[%w_]end" or line end
  return (line:gsub("%f[%w_]function%f[^%w_].-%f[%w_]end%f[^%w_]", "nil"))
end

-- All names of a line that have no value
local function missing_in(line, values, globals)
  local list, seen = {}, {}
  for at, name, after in line:gmatch "()%f[%w_]([%a_][%w_]*)()" do
    local before = line:sub(1, at - 1)
    local is_field = before:find "[.:]%s*$" and not before:find "%.%.%s*$"
    -- a key, a variable being assigned, or a function, whose call would have failed by itself
    local is_other = line:find("^%s*=[^=]", after) or line:find("^%s*[({\"']", after)
    if not is_field and not is_other and not keywords[name] and not seen[name] then
      seen[name] = true
      list[#list + 1] = missing(name, line:match("^%s*%.%s*([%a_][%w_]*)", after), values, globals)
    end
  end
  return list
end

-- The sentence on the names without a value in the line of the user that runs now; nil where all have one
local function words()
  local level = 2
  while true do
    local about = debug.getinfo(level, "Slf")
    if not about then return nil end
    if about.currentline > 0 and about.source:sub(1, #library) ~= library then
      local line = line_of(about.source, about.currentline)
      if not line then return nil end
      local list = missing_in(bare(line, about.what ~= "main" and about.linedefined == about.currentline), scope(level, about.func))
      return #list > 0 and table.concat(list, ", ") or nil
    end
    level = level + 1
  end
end

core.undefined_words(words)

return { words = words }
