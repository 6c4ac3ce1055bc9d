-- files.lua: text files that the library writes: the whole text or one message, and fields of CSV.
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

--- A field of CSV: in quotes where it needs them.
function files.field(text) return text:find '[",\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text end

return files
