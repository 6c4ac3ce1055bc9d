-- shards.lua: parts of a sweep on several machines: the runs of a part, files in JSON Lines that survive a kill.
local core = require "hamel.core"
local files = require "hamel.base.files"
local launched = require "hamel.base.launched"
local object = require "hamel.base.object"

local fail = object.fail
-- trial(total, run, is_alone) replaces the runs of a sweep; false: it does not
local shards = { trial = false }

-- ---- JSON, as much as rows need

local function encode(value)
  if type(value) == "number" then
    if value ~= value then return "null" end
    if value == math.huge or value == -math.huge then return value > 0 and "1e999" or "-1e999" end   -- reads back as infinite
    if math.type(value) == "integer" then return tostring(value) end
    return (object.number(value):gsub("^%-?%d+$", "%0.0"))               -- is read back with the same type
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

local DEEPEST = 8                      -- lists in lists; rows have two
local decode_at

local function skip(text, at) return text:find("[^ \t]", at) or #text + 1 end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- nil, nil where the text is no JSON: lines cut by a kill are dropped, never guessed at
local function decode_string(text, at)
  local ends = at + 1
  while true do
    ends = text:find('["\\]', ends)
    if not ends then return nil end
    if text:sub(ends, ends) == '"' then break end
    ends = ends + 2
  end
  local inner = text:sub(at + 1, ends - 1):gsub("\\(.)(%x?%x?%x?%x?)", function(c, hex)
    if c == "u" and #hex == 4 then return utf8.char(tonumber(hex, 16)) end
    return (escapes[c] or c) .. hex
  end)
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

function decode_at(text, at, depth)
  if depth > DEEPEST then return nil end
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
      local value, after = decode_at(text, place, depth + 1)
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
  local value, ends = decode_at(line, skip(line, 1), 1)
  if not ends or skip(line, ends) <= #line then return nil end
  return value
end
shards.encode, shards.decode = encode, decode

-- ---- parts

--- Options of the command line: --shard i/n or --shard auto (Slurm arrays: SLURM_ARRAY_TASK_ID, _MIN, _COUNT), --out part.jsonl. words: the table
--- `arg`. hamel puts both into its fields shard and out, so that only the script's own words have numbers; Lua's interpreter leaves them among the words.
function shards.from_command_line(words)
  words = words or {}
  local part, out = words.shard, words.out
  for i, word in ipairs(words) do
    if word == "--shard" then part = words[i + 1] or fail("--shard needs i/n or auto") end
    if word == "--out" then out = words[i + 1] or fail("--out needs a file name") end
  end
  return part, out
end

--- i, n of "i/n" or "auto"; nil without a part.
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

--- Raises where a launcher has started several processes and the program is built without MPI: each would make all runs, and write the same files.
function shards.demand_alone(what)
  local found, value = launched.several()
  if found then
    fail("%s: several processes were started (%s = %s), and this program does not share runs among them (it is built without MPI, or no launcher of MPI "
      .. "started it): each would make all runs and write the same files. Start it once, which takes all cores of a machine; or build it with -DHAMEL_MPI=ON; "
      .. "or give each process its part, --shard i/n --out part-i.jsonl, for hamel merge. shard = \"1/1\" makes all runs in this process all the same",
      what, found, value)
  end
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

-- files: a line that identifies the sweep, then one line for each row

local FORMAT, MOST_BYTES, MOST_RUNS = "sweep 2", 4 << 30, 100000000
-- data that identify a sweep, in the order in which differences are reported
local identity = { "equations", "values", "start", "method", "tolerances", "grid", "times", "keep" }

-- A line of a file: its last field is the checksum of the line without it
local function sealed(value)
  local text = encode(value)
  return ('%s,"checksum":"%s"}'):format(text:sub(1, -2), core.checksum(text))
end

-- The value of a line, or nil where it is cut or damaged
local function unsealed(line)
  local text, sum = line:match '^(.*),"checksum":"(%x+)"}$'
  return text and core.checksum(text .. "}") == sum and decode(text .. "}") or nil
end

--- The first line of a file. parts: the texts of the data that determine the rows, by the names above; total: the number of runs; chart: what the
--- columns of a chart are computed from, nil for a sweep; columns: their names, { varied =, names = }, for the order in tables; about: lines for people.
function shards.header(parts, total, chart, columns, about)
  local header = { hamel = FORMAT, of = total, chart = chart, columns = columns, about = about }
  for _, name in ipairs(identity) do header[name] = core.checksum(parts[name]) end
  return header
end

local function is_header(line)
  if line.hamel ~= FORMAT or math.type(line.of) ~= "integer" or line.of < 1 or line.of > MOST_RUNS then return false end
  for _, name in ipairs(identity) do if type(line[name]) ~= "string" then return false end end
  return line.chart == nil or type(line.chart) == "table" and type(line.chart.of) == "string"
end

local function is_row(line)
  if math.type(line.index) ~= "integer" or line.index < 1 or type(line.status) ~= "string" then return false end
  for key in pairs(line) do if type(key) ~= "string" then return false end end
  if line.series == nil then return true end
  if type(line.series) ~= "table" then return false end
  for _, values in pairs(line.series) do if type(values) ~= "table" then return false end end
  return true
end

-- What the first of two headers has that the second has not, or nil
local function difference(a, b)
  if encode(a.chart or false) ~= encode(b.chart or false) then return "chart" end
  for _, name in ipairs(identity) do if a[name] ~= b[name] then return name end end
  return a.of ~= b.of and "grid" or nil
end

local REMAKE = "if it is no part of the sweep, leave it out; otherwise remove it, and make this part again"

-- The header and the rows of a file, and how many lines are neither: cut by a kill, damaged; nil, nil, nil, why and what to do where the file has no use (no
-- advice: it was read)
local function usable(what, path)
  local text, problem = files.read(path, MOST_BYTES)
  if not text and core.host.list(path) then return nil, nil, nil, "is a folder", ("name the files in it, as %s/*.jsonl"):format((path:gsub("/+$", ""))) end
  if not text then return nil, nil, nil, ("cannot be read (%s)"):format(problem), "see that it can be read, and merge again" end
  local header, rows, dropped = nil, {}, 0
  for line in text:gmatch "[^\r\n]+" do
    local value = unsealed(line)
    if type(value) == "table" and is_header(value) then
      -- each of several writers may have begun the file
      local differs = header and difference(header, value)
      if differs then fail("%s: %s holds two sweeps (their %s differ)", what, path, differs) end
      header = header or value
    elseif type(value) == "table" and is_row(value) then
      rows[#rows + 1] = value
    else
      dropped = dropped + 1
    end
  end
  -- a first line that was cut by a kill has no end
  if not header and #rows == 0 and text:find "\n" then return nil, nil, nil, "is no file of a sweep, or all of its lines are damaged" end
  if not header and #rows > 0 then
    return nil, nil, nil, "does not say which sweep its rows belong to (its first line is missing or damaged, or an older version wrote it)"
  end
  local known = {}
  for _, row in ipairs(rows) do
    if row.index <= header.of then known[#known + 1] = row else dropped = dropped + 1 end
  end
  return header, known, dropped
end

-- The same of a file that has to be of use
local function contents(what, path)
  local header, rows, dropped, problem, unread = usable(what, path)
  if problem then fail("%s: %s %s; %stake another name, and run the sweep again", what, path, problem, unread and "" or "remove it, or ") end
  return header, rows, dropped
end

local function append(path, text)
  local file, message = io.open(path, "a+b")
  if not file then fail("sweep: cannot write %s", message) end
  -- a line cut by a kill must not swallow the next one
  local size = file:seek "end"
  if size > 0 then
    file:seek("set", size - 1)
    if file:read(1) ~= "\n" then text = "\n" .. text end
  end
  local written, problem = file:write(text)
  local closed, close_problem = file:close()
  if not written or not closed then fail("sweep: cannot write %s: %s", path, problem or close_problem) end
end

--- Did the run of a row end as it should, at its end time or by an event?
function shards.ended(row) return row.status == "OK" or row.status == "EVENT" end

--- Rows by index that a file of just this sweep holds with success: they need not run again. A new file gets its first line; one with lines that are cut
--- or damaged is written again without them.
function shards.begin(path, header)
  local found, rows, dropped = nil, {}, 0
  if core.host.exists(path) then found, rows, dropped = contents("sweep", path) end
  local differs = found and difference(found, header)
  if differs then
    fail("sweep: %s holds rows of another sweep (%s %s): take another name for out, or remove it where its rows are not wanted any more", path, differs,
      differs:find "s$" and "differ" or "differs")
  end
  if dropped > 0 then
    files.write("sweep", path, shards.text_of(header, rows))
    -- the printed table of a part is that of a whole run
    io.stderr:write(("hamel: %s: %d damaged line%s dropped\n"):format(path, dropped, dropped == 1 and "" or "s"))
  elseif not found then
    append(path, sealed(header) .. "\n")
  end
  local done = {}
  for _, row in ipairs(rows) do if shards.ended(row) then done[row.index] = row end end
  return done
end

local headers = {}                     -- of the sweeps that have had a file of the command line, in their order

--- The file of a sweep under --out: the first sweep of a script has "part.jsonl" itself, others "part.2.jsonl", "part.3.jsonl", in the order in
--- which the script makes them; a sweep that is made again has the file that it had. Second result: the number of the sweep.
function shards.file_of(out, header)
  local number = #headers + 1
  for k, known in ipairs(headers) do
    if not difference(known, header) then
      number = k
      break
    end
  end
  headers[number] = header
  return number == 1 and out or (out:gsub("%.jsonl$", (".%d.jsonl"):format(number))), number
end

--- Appends rows to a file, each a line.
function shards.append(path, rows)
  local lines = {}
  for i, row in ipairs(rows) do lines[i] = sealed(row) .. "\n" end
  append(path, table.concat(lines))
end

--- The text of a whole file.
function shards.text_of(header, rows)
  local lines = { sealed(header) }
  for k, row in ipairs(rows) do lines[k + 1] = sealed(row) end
  return table.concat(lines, "\n") .. "\n"
end

local PIECES = 12                      -- of missing rows that are named one by one

-- The numbers from 1 to a total that a table lacks, as "2 to 98 by 3, 150", and how many these are
local function lacking(by_index, total)
  local pieces, count, first, last, step = {}, 0, nil, nil, nil
  local function close()
    if not first then return end
    if last == first then pieces[#pieces + 1] = tostring(first)
    else pieces[#pieces + 1] = ("%d to %d%s"):format(first, last, step == 1 and "" or " by " .. step) end
  end
  for i = 1, total do
    if not by_index[i] then
      count = count + 1
      if first and (last == first or i - last == step) then last, step = i, i - last
      else
        close()
        first, last, step = i, i, nil
      end
    end
  end
  close()
  if #pieces > PIECES then pieces = table.move({ "..." }, 1, 1, PIECES + 1, table.move(pieces, 1, PIECES, 1, {})) end
  return count, table.concat(pieces, ", ")
end

--- Rows of several files of one sweep in the order of their numbers, the last one counts where a number occurs twice; what else there is to say:
--- { header =, missing = how many, lacking = which, in words, failed =, dropped = lines, losses = { { path =, lines = } }, absent = files that are not there
--- or have no first line yet, useless = { { path =, why =, advice = } } }. Raises where no file is of any use.
function shards.collect(paths)
  local by_index, list, header, first, about = {}, {}, nil, nil, { failed = 0, dropped = 0, losses = {}, absent = {}, useless = {} }
  for _, path in ipairs(paths) do
    local found, rows, lost, why, advice
    if core.host.exists(path) then found, rows, lost, why, advice = usable("merge", path) end
    if why then
      about.useless[#about.useless + 1] = { path = path, why = why, advice = advice or REMAKE }
    elseif found then
      local differs = header and difference(header, found)
      if differs then fail("merge: %s and %s are of different sweeps: the %s %s", first, path, differs, differs:find "s$" and "differ" or "differs") end
      header, first, about.dropped = header or found, first or path, about.dropped + lost
      if lost > 0 then about.losses[#about.losses + 1] = { path = path, lines = lost } end
    else
      about.absent[#about.absent + 1] = path
    end
    for _, row in ipairs(found and rows or {}) do
      local known = by_index[row.index]
      if not known or not shards.ended(known) or shards.ended(row) then by_index[row.index] = row end
    end
  end
  local useless = about.useless[1]
  if not header and useless then fail("merge: %s %s; %s", useless.path, useless.why, useless.advice) end
  for _, row in pairs(by_index) do
    list[#list + 1] = row
    if not shards.ended(row) then about.failed = about.failed + 1 end
  end
  table.sort(list, function(a, b) return a.index < b.index end)
  about.header = header
  if header then about.missing, about.lacking = lacking(by_index, header.of) end
  return list, about
end

return shards
