-- architecture.lua: the page docs/architecture.md is true: its files and C names exist, its drawing is what house.lua prints.
-- With a second argument "write" it puts the drawing into the page.
local root, task = arg[1] or ".", arg[2]
local page = root .. "/docs/architecture.md"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local function output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), command .. " failed")
  return text
end

local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

local text = read(page)
local drawing = output(quoted(arg[-1]) .. " " .. quoted(root .. "/tests/house.lua") .. " " .. quoted(root))
local opening = "tests/house.lua . -->\n```text\n"
local _, head = text:find(opening, 1, true)
assert(head, "the page has lost its drawing")
local tail = assert(text:find("```", head + 1, true))

if task == "write" then
  local file = assert(io.open(page, "w"))
  file:write(text:sub(1, head), drawing, text:sub(tail))
  file:close()
  return
end

local faults = {}
if text:sub(head + 1, tail - 1) ~= drawing then
  faults[1] = "the drawing has changed: lua5.4 tests/architecture.lua . write"
end

local sources = {}
for path in output("find " .. quoted(root .. "/src") .. " -name '*.[ch]'"):gmatch "[^\n]+" do sources[#sources + 1] = read(path) end
sources = table.concat(sources)

local files, names = 0, 0
for code in text:gsub("```.-```", ""):gmatch "`([^`\n]+)`" do
  if code:find "^[%w_/]+/[%w_./]*$" then
    files = files + 1
    local found = os.execute("test -e " .. quoted(root .. "/" .. code))
    if not found then faults[#faults + 1] = "there is no " .. code end
  elseif code:find "^[Hh][Mm][Ll]_[%w_]+$" then
    names = names + 1
    if not sources:find("%f[%w_]" .. code .. "%f[^%w_]") then faults[#faults + 1] = "no source mentions " .. code end
  end
end
assert(files > 40 and names > 3, "the page names hardly anything: is it read rightly?")
for _, fault in ipairs(faults) do io.stderr:write("docs/architecture.md: ", fault, "\n") end
os.exit(#faults == 0)
