-- files.lua: the files that the library writes and reads: the whole file or one message; fields of CSV.
local core = require "hamel.core"
local listeners = require "hamel.base.listeners"
local object = require "hamel.base.object"

-- writers: by the ending of the name, the function that run:save calls (with a run and a path); readers: by the first words of the file, the function
-- that hm.load calls (with the path, the text and the system); the module of a format adds its own
local files = { writers = {}, readers = {} }

--- Writes a file of these bytes: beside its place, then renamed, so that a full disk or a kill leaves the one that was there before.
--- `what`: name of the calling function, for the message.
function files.write(what, path, bytes)
  if type(path) ~= "string" or path == "" then object.fail("%s: the path of the file is a string, not %s", what, path == "" and "empty" or type(path)) end
  local written, problem = core.host.write(path, bytes)
  if not written then object.fail("%s: cannot write %s: %s", what, path, problem) end
  listeners.call("file", what, path, bytes)
end

--- Makes a folder, and those above it, where it is missing.
function files.folder(what, path)
  local status, problem, errors = core.host.spawn({ "mkdir", "-p", "--", path }, "", 60)
  if status == 0 then return end
  -- the reason alone, without the words of mkdir
  local reason = ((status and errors or problem):gsub("%s+$", "")):match "[^:]*$":gsub("^%s+", "")
  object.fail("%s: cannot make the folder %s: %s", what, path, reason == "File exists" and "a file of that name is there" or reason)
end

local Written = object.class "Written"

function Written.meta.__tostring(w) return ("wrote %s: %s"):format(w.file, w.contents) end

--- What a method that writes a file returns, { file, contents, bytes, rows = of a table, text = of a program }: it prints as one sentence.
---@param contents string in words, "46 rows of t, x, x'"
function files.written(path, contents, fields)
  local w = { file = path, contents = contents, bytes = false, rows = false, text = false }
  for name, value in pairs(fields) do w[name] = value end
  return setmetatable(w, Written.meta)
end

local FEW = 6                          -- names of columns that are listed

--- "46 rows of t, x, x'".
function files.rows_of(count, names)
  local shown = #names <= FEW and table.concat(names, ", ") or ("%d columns, %s, ..."):format(#names, table.concat(names, ", ", 1, 3))
  return ("%d row%s of %s"):format(count, count == 1 and "" or "s", shown)
end

--- "6.9 kB".
function files.size_text(bytes)
  return bytes < 1000 and bytes .. " bytes" or bytes < 1e6 and ("%.3g kB"):format(bytes/1e3) or ("%.3g MB"):format(bytes/1e6)
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
