-- house.lua: the order of the rooms: reads every #include and require, fails on a back arrow, prints the drawing.
local root = arg[1] or "."

local c_rooms = { "base", "numeric", "expr", "program", "mechanics", "contact", "integrate", "lua", "prompt", "main" }
-- the Lua side, from left to right; a name is a module or a folder
local lua_order = {
  { "core", "object", "greek", "undefined", "options", "files", "registry", "progress", "shards" },
  { "naming", "symbols", "linear", "matrix", "algebra", "data", "dependents", "fingerprint", "definite", "pieces" },
  { "system", "classify" },
  { "equations", "rows", "kinematics", "explicit", "nonlinear", "coupling" }, { "forms", "laws", "geometry" }, { "contact", "own_form", "foreign" },
  { "compile", "start", "discrete", "redundant" }, { "observe" },
  { "hybrid", "regularity" }, { "trajectory", "balance", "simulate" },
  { "archive" }, { "analysis", "show", "paper" }, { "help", "repl", "reproduce" }, { "manual", "luacats" }, { "init" },
}

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

local rank, arrows, faults = {}, {}, {}
for i, room in ipairs(c_rooms) do rank[room] = i end

local function arrow(from, to)
  arrows[from] = arrows[from] or {}
  arrows[from][to] = true
end

-- C: "room/file.h" names another room, a bare name the own one
for _, path in ipairs(lines_of("find " .. quoted(root .. "/src") .. " -name '*.[ch]'")) do
  local short = path:sub(#root + 6)
  local room = short:match("^(%w+)/") or (short == "main.c" and "main")
  if room then
    for line in io.lines(path) do
      local header = line:match('^%s*#%s*include%s+"([^"]+)"')
      local other = header and header:match("^(%w+)/")
      if other and rank[other] then
        arrow(room, other)
        if rank[other] > rank[room] then faults[#faults + 1] = ("%s includes %s: an arrow to the right"):format(short, header) end
        local door = header == other .. "/" .. other .. ".h" or other == room or header:match("%.def$") or other == "lua"
        if not door then faults[#faults + 1] = ("%s includes %s: not the door of that room"):format(short, header) end
      elseif header and not other and header ~= "hamel.h" then
        local file = io.open(root .. "/src/" .. room .. "/" .. header)
        if file then file:close() else faults[#faults + 1] = ("%s includes %s: no file of its own room"):format(short, header) end
      end
    end
  end
end

local lua_rank = {}
for i, group in ipairs(lua_order) do for _, name in ipairs(group) do lua_rank[name] = i end end
for _, path in ipairs(lines_of("find " .. quoted(root .. "/lua/hamel") .. " -name '*.lua'")) do
  local short = path:sub(#root + 12)
  local name = short:match("^(%w+)/") or short:match("^([%w_]+)%.lua$")
  if not lua_rank[name] then faults[#faults + 1] = ("lua/hamel/%s has no place in the order of modules"):format(short) end
  for line in io.lines(path) do
    for module in line:gmatch("require%s*%(?%s*[\"']hamel%.?([%w_]*)") do
      local other = module == "" and "init" or module
      if lua_rank[other] and lua_rank[name] and other ~= name then
        arrow("lua:" .. name, "lua:" .. other)
        -- the prompt hands out the whole library
        local allowed = name == "repl" and other == "init"
        if lua_rank[other] > lua_rank[name] and not allowed then
          faults[#faults + 1] = ("lua/hamel/%s requires hamel.%s: an arrow to the right"):format(short, module)
        end
      end
    end
  end
end

local names = {}
for from in pairs(arrows) do names[#names + 1] = from end
table.sort(names)
for _, from in ipairs(names) do
  local to = {}
  for name in pairs(arrows[from]) do if name ~= from then to[#to + 1] = (name:gsub("^lua:", "")) end end
  table.sort(to)
  if #to > 0 then print(("%-16s -> %s"):format(from, table.concat(to, ", "))) end
end
for _, fault in ipairs(faults) do io.stderr:write(fault, "\n") end
os.exit(#faults == 0)
