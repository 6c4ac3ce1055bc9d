-- shards.lua: parts of a sweep on several machines: which runs belong to a part, JSON Lines that survive a kill, hamel merge.
local core = require "hamel.core"
local files = require "hamel.files"
local object = require "hamel.object"

local fail = object.fail
local shards = {}

-- ---- JSON, as much as rows need

local function encode(value)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return "null" end
    return math.type(value) == "integer" and tostring(value) or object.number(value)
  elseif type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local out = {}
  if #value > 0 then
    for i = 1, #value do out[i] = encode(value[i]) end
    return "[" .. table.concat(out, ",") .. "]"
  end
  for _, key in ipairs(object.keys(value)) do out[#out + 1] = encode(key) .. ":" .. encode(value[key]) end
  return "{" .. table.concat(out, ",") .. "}"
end

local decode_at

local function skip(text, at) return text:find("[^ \t]", at) or #text + 1 end

-- nil, nil where the text is no JSON: lines cut by a kill are dropped, never guessed at
local function decode_string(text, at)
  local ends = at + 1
  while true do
    ends = text:find('["\\]', ends)
    if not ends then return nil end
    if text:sub(ends, ends) == '"' then break end
    ends = ends + 2
  end
  local inner = text:sub(at + 1, ends - 1):gsub("\\u(%x%x%x%x)", function(h) return utf8.char(tonumber(h, 16)) end):gsub("\\(.)", "%1")
  return inner, ends + 1
end

local function decode_list(text, at, close, entry)
  at = skip(text, at + 1)
  if text:sub(at, at) == close then return at + 1 end
  while true do
    at = entry(at)
    at = at and skip(text, at)
    if not at then return nil end
    local c = text:sub(at, at)
    if c == close then return at + 1 end
    if c ~= "," then return nil end
    at = skip(text, at + 1)
  end
end

function decode_at(text, at)
  local c = text:sub(at, at)
  if c == '"' then return decode_string(text, at) end
  if c == "{" or c == "[" then
    local result = {}
    local ends = decode_list(text, at, c == "{" and "}" or "]", function(place)
      local key = #result + 1
      if c == "{" then
        key, place = decode_string(text, place)
        place = place and skip(text, place)
        if not place or text:sub(place, place) ~= ":" then return nil end
        place = skip(text, place + 1)
      end
      local value, after = decode_at(text, place)
      if not after then return nil end
      result[key] = value
      return after
    end)
    if not ends then return nil end
    return result, ends
  end
  local word, after = text:match("^(%a+)()", at)
  if word == "null" then return 0/0, after end
  if word == "true" or word == "false" then return word == "true", after end
  local number, ends = text:match("^(-?[%d][%d%.eE+-]*)()", at)
  if not number or not tonumber(number) then return nil end
  return tonumber(number), ends
end

-- A whole line, or nil
local function decode(line)
  local value, ends = decode_at(line, skip(line, 1))
  if not ends or skip(line, ends) <= #line then return nil end
  return value
end
shards.encode, shards.decode = encode, decode

-- ---- parts

--- What the command line says: --shard i/n or --shard auto (Slurm arrays: SLURM_ARRAY_TASK_ID, _MIN, _COUNT), --out part.jsonl.
function shards.from_command_line(words)
  local part, out
  for i, word in ipairs(words or {}) do
    if word == "--shard" then part = words[i + 1] or fail("--shard needs i/n or auto") end
    if word == "--out" then out = words[i + 1] or fail("--out needs a file name") end
  end
  return part, out
end

--- i, n of "i/n" or "auto"; nil where no part is asked for.
function shards.read(part)
  if part == nil then return nil end
  if part == "auto" then
    local id, count, least = os.getenv "SLURM_ARRAY_TASK_ID", os.getenv "SLURM_ARRAY_TASK_COUNT", os.getenv "SLURM_ARRAY_TASK_MIN"
    if not id or not count then fail("sweep: shard 'auto' reads SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT, which are not set") end
    part = ("%d/%d"):format(tonumber(id) - tonumber(least or 0) + (least and 1 or 0), tonumber(count))
  end
  local i, n = tostring(part):match "^(%d+)/(%d+)$"
  i, n = math.tointeger(tonumber(i)), math.tointeger(tonumber(n))
  if not i or not n or i < 1 or i > n then fail("sweep: a shard is i/n with i from 1 to n, as in 3/64, not '%s'", tostring(part)) end
  return i, n
end

-- ---- processes of mpirun (built with -DHAMEL_MPI=ON)

--- Our number from 0 and how many processes we are; 0, 1 without mpirun.
function shards.process()
  if not core.mpi then return 0, 1 end
  return core.mpi()
end

--- The rows of all processes in the order of their numbers, in every process.
function shards.share(rows)
  local lines = {}
  for i, row in ipairs(rows) do lines[i] = encode(row) end
  local all = {}
  for _, text in ipairs(core.mpi_share(table.concat(lines, "\n"))) do
    for line in text:gmatch "[^\n]+" do all[#all + 1] = decode(line) or fail("sweep: a row of another process cannot be read") end
  end
  table.sort(all, function(a, b) return a.index < b.index end)
  return all
end

-- ---- files

-- Lines of a file that are whole rows
local function rows_of(path)
  local file = io.open(path, "rb")
  if not file then return {}, 0 end
  local rows, dropped = {}, 0
  for line in file:lines() do
    local row = decode(line)
    if type(row) == "table" and math.type(row.index) == "integer" then rows[#rows + 1] = row else dropped = dropped + 1 end
  end
  file:close()
  return rows, dropped
end

--- Indices that a file holds with success: they need not run again.
function shards.done(path)
  local done = {}
  for _, row in ipairs(rows_of(path)) do done[row.index] = row.status == "OK" or nil end
  return done
end

--- Appends rows to a file, each a line.
function shards.append(path, rows, total)
  local file, message = io.open(path, "a+b")
  if not file then fail("sweep: cannot write: %s", message) end
  -- a line cut by a kill must not swallow the next one
  local lines, size = {}, file:seek "end"
  if size > 0 then
    file:seek("set", size - 1)
    if file:read(1) ~= "\n" then lines[1] = "\n" end
  end
  for _, row in ipairs(rows) do
    local out = { of = total }
    for key, value in pairs(row) do out[key] = value end
    lines[#lines + 1] = encode(out) .. "\n"
  end
  local written, problem = file:write(table.concat(lines))
  local closed, close_problem = file:close()
  if not written or not closed then fail("sweep: cannot write %s: %s", path, problem or close_problem) end
end

--- Rows of several files in the order of their numbers, the last one counts where a number stands twice; how many are missing, lines dropped.
function shards.collect(paths)
  local by_index, total, dropped = {}, 0, 0
  for _, path in ipairs(paths) do
    local rows, lost = rows_of(path)
    if #rows == 0 and lost == 0 then fail("merge: %s is empty or not there", path) end
    dropped = dropped + lost
    for _, row in ipairs(rows) do
      total = math.max(total, row.of or 0, row.index)
      local known = by_index[row.index]
      if not known or known.status ~= "OK" or row.status == "OK" then by_index[row.index] = row end
    end
  end
  local list, missing, failed = {}, 0, 0
  for i = 1, total do
    list[#list + 1] = by_index[i]
    if not by_index[i] then missing = missing + 1 elseif by_index[i].status ~= "OK" then failed = failed + 1 end
  end
  return list, missing, failed, dropped
end

local function csv(rows)
  local heads, seen = { "index", "status", "t", "steps" }, { index = true, status = true, t = true, steps = true, of = true, reason = true, series = true }
  for _, row in ipairs(rows) do
    for _, key in ipairs(object.keys(row)) do if not seen[key] then heads[#heads + 1], seen[key] = key, true end end
  end
  heads[#heads + 1] = "reason"
  local lines = { table.concat(heads, ",") }
  for _, row in ipairs(rows) do
    local words = {}
    for i, head in ipairs(heads) do
      local value = row[head]
      words[i] = files.field(value == nil and "" or math.type(value) == "float" and object.number(value) or tostring(value))
    end
    lines[#lines + 1] = table.concat(words, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

--- hamel merge part1.jsonl part2.jsonl ... -o all.csv (or .jsonl): one table; true when no run is missing and none failed.
function shards.command(arguments)
  local paths, out, i = {}, nil, 1
  while i <= #arguments do
    if arguments[i] == "-o" then
      out = arguments[i + 1] or fail("merge: a file name is missing after -o")
      i = i + 1
    else
      paths[#paths + 1] = arguments[i]
    end
    i = i + 1
  end
  if #paths == 0 or not out or not (out:find "%.csv$" or out:find "%.jsonl$") then
    fail("usage: hamel merge part1.jsonl part2.jsonl ... -o all.csv (or all.jsonl)")
  end
  local rows, missing, failed, dropped = shards.collect(paths)
  local text
  if out:find "%.csv$" then
    text = csv(rows)
  else
    local lines = {}
    for k, row in ipairs(rows) do lines[k] = encode(row) .. "\n" end
    text = table.concat(lines)
  end
  files.write("merge", out, text)
  print(("%s: %d runs, %d missing, %d failed%s"):format(out, #rows, missing, failed, dropped > 0 and (", %d damaged lines dropped"):format(dropped) or ""))
  return missing == 0 and failed == 0
end

return shards
