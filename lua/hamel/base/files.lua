-- files.lua: the files that the library writes and reads: the whole file or one message; fields of CSV.
local core = require "hamel.core"
local object = require "hamel.base.object"

-- writers: by the ending of the name, the function that run:save calls (with a run and a path); the module of a format adds its own
local files = { writers = {} }

--- Writes a file of these bytes: beside its place, then renamed, so that a full disk or a kill leaves the one that was there before.
--- `what`: name of the calling function, for the message.
function files.write(what, path, bytes)
  local written, problem = core.host.write(path, bytes)
  if not written then object.fail("%s: cannot write %s: %s", what, path, problem) end
end

--- The bytes of a regular file of at most `most` bytes (1 GB when not given), or nil and the reason.
function files.read(path, most) return core.host.read(path, most or 1 << 30) end

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
