-- headers.lua: in hamel.h every function that returns a status names its failures; no header declares a function that nobody calls.
local root = arg[1] or "."
local faults = {}

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

local function files(where, names)
  local list, pipe = {}, assert(io.popen(("cd '%s' && find %s"):format(root:gsub("'", "'\\''"), where .. " " .. names)))
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

-- ---- failures. They stand in the comment before the function or group of functions, or behind the declaration
local text = read(root .. "/src/hamel.h")
local statuses = { UNKNOWN = true }
for name in text:gmatch("ROW%(([%u_]+),") do statuses["HML_" .. name] = true end

-- Groups: lines without a blank one between them; a comment that names failures holds for the declarations that follow it directly
local said, declared, comment, open = nil, 0, "", nil
for line in (text .. "\n"):gmatch("([^\n]*)\n") do
  local code, remark = line:match("^(.-)%s*//%s?(.*)$")
  code, remark = code or line, remark or ""
  local starts = code:match("^HML_API hml_status ([%w_]+)%(")
  if open then                          -- the rest of a declaration of more than one line
    open.remark = open.remark .. " " .. remark
  elseif starts then
    open = { name = starts, remark = remark }
    declared = declared + 1
  elseif code == "" and remark ~= "" then
    comment = (said and "" or comment) .. " " .. remark
    said = nil
  else
    comment, said = "", nil
  end
  if open and code:find(";") then
    local told = (comment .. " " .. open.remark):find("fails:", 1, true)
    if not told then faults[#faults + 1] = ("hamel.h: %s does not say how it fails (fails: ...)"):format(open.name) end
    open, said = nil, true
  end
end
for list in text:gmatch("fails:([^\n]*)") do
  for name in list:gmatch("HML_[%u_]+") do
    if not statuses[name] and name ~= "HML_NATIVE" then faults[#faults + 1] = ("hamel.h: fails: %s is no status"):format(name) end
  end
end
if declared == 0 then faults[#faults + 1] = "hamel.h: no function returns a status" end

-- ---- functions that nobody calls: their names occur where they are declared and defined, and in comments, alone. hamel.h is for others
local uses = {}
for _, path in ipairs(files("src tests", "-name '*.[ch]' -o -name '*.inc' -o -name '*.def'")) do
  local code = read(root .. "/" .. path):gsub("/%*.-%*/", " "):gsub("//[^\n]*", "")
  for word in code:gmatch("[%a_][%w_]*") do uses[word] = (uses[word] or 0) + 1 end
end
local public, functions = {}, 0
for name in text:gmatch("([%w_]+)%(") do public[name] = true end
for _, path in ipairs(files("src", "-name '*.h' ! -name hamel.h")) do
  for line in io.lines(root .. "/" .. path) do
    local inline, name = line:match("^(%l[%w_ ]-)[ *]+([%l_][%w_]*)%(")
    if name and not public[name] and not line:find("^typedef") and not line:find("^return") then
      functions = functions + 1
      if uses[name] <= (inline:find("^static") and 1 or 2) then faults[#faults + 1] = ("%s: nobody calls %s"):format(path, name) end
    end
  end
end
if functions == 0 then faults[#faults + 1] = "no header declares a function" end

for _, fault in ipairs(faults) do print(fault) end
print(("%d functions with a status, %d inner functions"):format(declared, functions))
if #faults > 0 then os.exit(1) end
