-- files.lua: text files that the library writes: the whole text or one message, and fields of CSV.
local core = require "hamel.core"
local object = require "hamel.object"

local files = {}

--- Writes a text; `what` is who asks, for the message.
function files.write(what, path, text)
  local file, message = io.open(path, "wb")
  if not file then object.fail("%s: cannot write: %s", what, message) end
  local written, problem = file:write(text)
  local closed, close_problem = file:close()
  if not written or not closed then object.fail("%s: cannot write %s: %s", what, path, problem or close_problem) end
end

--- The program that writes, for the first lines of files: version and, where it is known, revision.
function files.program()
  local revision = debug.getregistry()["hamel.revision"]
  return "hamel " .. core.version .. (revision and revision ~= "" and " " .. revision or "")
end

--- Lines `# key: value` in front of a table.
function files.header(lines)
  local out = {}
  for i, line in ipairs(lines) do out[i] = "# " .. line:gsub("[\r\n]+", " ") end
  return out
end

--- A field of CSV: in quotes where it needs them.
function files.field(text) return text:find '[",\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text end

return files
