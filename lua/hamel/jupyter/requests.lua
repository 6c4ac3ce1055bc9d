-- requests.lua: answers to a front end that run no cell: completion, help at the cursor, is the cell complete, history.
local cells = require "hamel.jupyter.cells"
local complete = require "hamel.repl.complete"
local core = require "hamel.core"
local help = require "hamel.book.help"
local help_page = require "hamel.jupyter.help_page"
local json = require "hamel.base.json"
local protected = require "hamel.base.protected"

local requests = {}

--- The content of kernel_info_reply.
function requests.info()
  return {
    status = "ok", protocol_version = "5.3", implementation = "hamel", implementation_version = core.version,
    banner = ("Hamel %s, analytical dynamics in Lua 5.4. hm is the library; help() helps."):format(core.version),
    language_info = { name = "lua", version = _VERSION:match "%d.*", mimetype = "text/x-lua", file_extension = ".lua", pygments_lexer = "lua",
      codemirror_mode = "lua" },
    help_links = {},
  }
end

-- The protocol counts characters, Lua bytes: the number of bytes before the cursor
local function bytes_before(code, cursor)
  if not utf8.len(code) then return math.min(cursor, #code) end
  return (utf8.offset(code, math.min(cursor, utf8.len(code)) + 1)) - 1
end

local function characters(text) return utf8.len(text) or #text end

--- The content of complete_reply.
function requests.complete(content, session)
  local before = content.code:sub(1, bytes_before(content.code, content.cursor_pos or #content.code))
  local word = before:match "[%w_.:]*$"
  local line = before:sub(1, #before - #word)
  local matches = complete.keys(word, line)
  if #matches == 0 then matches = complete.candidates(word, { session, _G, session.hm }, line:match "[^\n]*$") end
  return { status = "ok", matches = matches, metadata = json.empty, cursor_start = characters(line), cursor_end = characters(before) }
end

-- The page of a name as it stands in the code, else of its last part, since S and run may have other names there
local function page_of(word)
  for _, name in ipairs{ word, word:match "[.:]([%w_]+)$" } do
    local fine, text = protected(help.help, name)
    if fine then return tostring(text) end
  end
end

-- The call whose bracket is open at the end of the text
local function open_call(text)
  local depth = 0
  for at = #text, 1, -1 do
    local sign = text:sub(at, at)
    if sign:find "[%)%]}]" then depth = depth + 1 end
    if sign:find "[%(%[{]" then
      local word = depth == 0 and text:sub(1, at - 1):match "([%a_][%w_.:]*)%s*$"
      if word then return word end
      depth = math.max(depth - 1, 0)
    end
  end
end

--- The content of inspect_reply: the page of the name at the cursor, else of the innermost call that is open there.
function requests.inspect(content)
  local at = bytes_before(content.code, content.cursor_pos or #content.code)
  local before = content.code:sub(1, at)
  local word = before:match "[%w_.:]*$" .. content.code:sub(at + 1):match "^[%w_]*"
  local call = open_call(before)
  local own = word:find "%a" and page_of(word)
  local text = own or call and page_of(call) or nil
  local data = text and { ["text/plain"] = text, ["text/markdown"] = help_page.markdown(text, not own) }
  return { status = "ok", found = text ~= nil, metadata = json.empty, data = data or json.empty }
end

--- The content of is_complete_reply.
function requests.is_complete(content)
  local state = cells.state(content.code)
  return { status = state, indent = state == "incomplete" and "  " or "" }
end

-- Does a text match a pattern of the protocol, with * and ?
local function glob(pattern)
  local lua = pattern:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".")
  return function(text) return text:find("^" .. lua .. "$") ~= nil end
end

--- The content of history_reply; entries: { number, text } of this session, which is number 1.
function requests.history(content, entries)
  local kind, list = content.hist_access_type, {}
  local fits = kind == "search" and glob(content.pattern or "*") or function() return true end
  local from, to = 1, math.huge
  if kind == "range" then from, to = content.start or 1, (content.stop or math.huge) - 1 end
  for _, entry in ipairs(entries) do
    if entry[1] >= from and entry[1] <= to and fits(entry[2]) then list[#list + 1] = { 1, entry[1], content.output and { entry[2], false } or entry[2] } end
  end
  local most = (kind == "tail" or kind == "search") and content.n or #list
  return { status = "ok", history = table.move(list, math.max(1, #list - most + 1), #list, 1, {}) }
end

return requests
