-- house.lua: the rooms of the house and their order: reads every #include and every name of a module, fails on an arrow to the right, on a
-- door that is passed by, on modules fetched behind require's back and on a bare pcall; prints the rooms, the arrows between them and the knots within.
local root = arg[1] or "."

-- From left to right: a room knows those before it
local c_rooms = {
  { "base", "failures, contexts, memory, growing text, hash tables" },
  { "numeric", "small dense linear algebra on arrays of the caller, sines and cosines" },
  { "expr", "expressions: built, derived, simplified, parsed, printed" },
  { "program", "expressions as straight-line programs, programs as numbers" },
  { "mechanics", "models and what they are at one state" },
  { "contact", "one-sided constraints, friction and impacts at one state" },
  { "integrate", "initial value problems, events, hybrid runs, ensembles" },
  { "lua", "all of this for Lua" },
  { "prompt", "the terminal: interrupts, line editor, history" },
  { "python", "all of this for Python" },
  { "jupyter", "the sockets of a Jupyter kernel" },
  { "main", "the executable" },
}
local lua_rooms = {
  { "core", "the C side, as Lua sees it" },
  { "base", "classes and their messages, declared options, registries, files, the line of progress" },
  { "algebra", "symbols, exact algebra, matrices of expressions, measured data in formulas" },
  { "laws", "laws of impact, one file each" },
  { "system", "a mechanical system as its user declares it, and what kind its constraints are of" },
  { "bodies", "frames, vectors, rotations, bodies, contact by geometry: energies and constraints written from them" },
  { "equations", "the one shape of all equations, and the kinematics they are derived with" },
  { "forms", "the formalisms, one file each; shared: what several of them use" },
  { "geometry", "integrability, integrals and symmetry, free motions, connections and mappings" },
  { "model", "equations as numbers: compiled models, consistent starts, values at a state" },
  { "run", "motions: simulated, continued, kept in files, and read" },
  { "analysis", "studies of motions and of equations, one file each" },
  { "continuation", "branches of equilibria and periodic motions over parameters, and their special points" },
  { "chart", "numbers of motions over grids of parameters and starts" },
  { "show", "pictures and pages of runs and studies, and verdicts of papers" },
  { "book", "help, the manual, annotations for editors, the papers" },
  { "init", "what users see" },
  { "python", "what the Python package asks of the library" },
  { "repl", "the prompt" },
  { "jupyter", "the kernel of notebooks" },
}

local faults = {}
local function fault(...) faults[#faults + 1] = string.format(...) end

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  table.sort(list)
  return list
end

local function files_of(folder, pattern)
  return lines_of("find '" .. (root .. folder):gsub("'", "'\\''") .. "' -name '" .. pattern .. "'")
end

local function exists(path)
  local file = io.open(path)
  return file and file:close()
end

-- ---- a side of the house: its rooms, arrows between rooms and between the files of a room

local function side_of(rooms)
  local side = { rooms = rooms, rank = {}, arrows = {}, within = {} }
  for i, room in ipairs(rooms) do side.rank[room[1]], side.arrows[room[1]], side.within[room[1]] = i, {}, {} end
  return side
end

-- `from` and `to`: { room, file }
local function draw(side, from, to, text)
  if from[1] == to[1] then
    local graph = side.within[from[1]]
    graph[from[2]] = graph[from[2]] or {}
    graph[from[2]][to[2]] = from[2] ~= to[2] or nil
    return
  end
  side.arrows[from[1]][to[1]] = true
  if side.rank[to[1]] > side.rank[from[1]] then fault("%s: an arrow to the right", text) end
end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- What can be reached from a file along the arrows of its room
local function reached(graph, from, seen)
  for to in pairs(graph[from] or {}) do
    if not seen[to] then
      seen[to] = true
      reached(graph, to, seen)
    end
  end
  return seen
end

-- Files that reach each other, as lists
local function knots(graph)
  local list, done, reach = {}, {}, {}
  for file in pairs(graph) do reach[file] = reached(graph, file, {}) end
  for _, file in ipairs(sorted(graph)) do
    if reach[file][file] and not done[file] then
      local knot = {}
      for _, other in ipairs(sorted(reach[file])) do
        if reach[other] and reach[other][file] then knot[#knot + 1], done[other] = other, true end
      end
      list[#list + 1] = table.concat(knot, ", ")
    end
  end
  return list
end

local function print_side(title, side)
  print(title)
  for _, room in ipairs(side.rooms) do
    local to = sorted(side.arrows[room[1]])
    print(("  %-10s %s%s"):format(room[1], room[2], #to > 0 and "\n             -> " .. table.concat(to, ", ") or ""))
    for _, knot in ipairs(knots(side.within[room[1]])) do print("             knot: " .. knot) end
  end
end

-- ---- C: "room/file.h" names another room, a bare name the own one

local c = side_of(c_rooms)

local function read_include(room, stem, short, header)
  local other = header:match "^(%w+)/"
  if other and other ~= room and c.rank[other] then
    draw(c, { room, stem }, { other, "" }, short .. " includes " .. header)
    local door = header == other .. "/" .. other .. ".h" or header:match "%.def$" or other == "lua"
    if not door then fault("%s includes %s: not the door of that room", short, header) end
  elseif not other and header ~= "hamel.h" then
    local path = root .. "/src/" .. room .. "/" .. header
    if not exists(path) then fault("%s includes %s: no file of its own room", short, header) end
    -- a header with no code behind it is nobody's knot
    if short:find "%.c$" and exists(path:gsub("%.h$", ".c")) then draw(c, { room, stem }, { room, header:match "^[^.]+" }) end
  end
end

for _, path in ipairs(files_of("/src", "*.[ch]")) do
  local short = path:sub(#root + 6)
  local room, stem = short:match "^(%w+)/(.-)%.%w+$"
  if short == "main.c" then room, stem = "main", "main" end
  if room then
    for line in io.lines(path) do
      local header = line:match '^%s*#%s*include%s+"([^"]+)"'
      if header then read_include(room, stem, short, header) end
    end
  end
end

-- ---- Lua: "hamel.room.file" in quotes is an arrow, whoever loads it and when

local lua = side_of(lua_rooms)

-- Room and file of a module; nil where there is none of that name
local function place_of(module)
  if module == "core" then return { "core", "core" } end
  if module == "" then return { "init", "init" } end
  local path = root .. "/lua/hamel/" .. module:gsub("%.", "/")
  local room = module:match "^(%w+)%."
  if exists(path .. ".lua") then return { room or "init", module } end
  if exists(path .. "/init.lua") then return { room or module, module } end
end

local catches = { ["base/protected.lua"] = true, ["base/attempt.lua"] = true }

-- Phrases that files look for in texts, by number: in files, programs and answers of others, in names, and in messages of the core, which gives no kinds
local phrases = {
  ["algebra/data.lua"] = 1, ["analysis/export_c.lua"] = 1, ["book/site/gallery.lua"] = 1, ["book/site/reference.lua"] = 1, ["chart/submit.lua"] = 1,
  ["continuation/floquet.lua"] = 1, ["continuation/saved.lua"] = 1, ["continuation/special_pairs.lua"] = 1, ["jupyter/notebook.lua"] = 1,
  ["repl/session.lua"] = 1, ["show/blocks.lua"] = 1, ["show/gnuplot.lua"] = 1, ["show/javascript.lua"] = 5, ["show/picture.lua"] = 1,
  -- of the core
  ["algebra/series.lua"] = 1, ["base/attempt.lua"] = 1, ["analysis/enclosed.lua"] = 1, ["analysis/enclosure.lua"] = 1, ["analysis/lyapunov.lua"] = 1,
  ["analysis/orbit_reasons.lua"] = 3, ["analysis/proved_place.lua"] = 4, ["analysis/reference.lua"] = 4, ["equations/rows.lua"] = 1,
  ["run/elimination.lua"] = 1, ["run/trajectory.lua"] = 2,
}
local looked_for = {}

-- What a failure means is told by its kind (base/failure.lua): a message is for people, and its words change
local function count_phrases(short, line)
  for pattern in line:gmatch "[:.]g?[fm][ia][nt][dc]h?[ (]+([\"'].-[\"'])" do
    if pattern:find "%l%l %l%l" then looked_for[short] = (looked_for[short] or 0) + 1 end
  end
end

local function judge_phrases()
  for short, n in pairs(looked_for) do
    if n > (phrases[short] or 0) then fault("lua/hamel/%s looks for phrases in a text: ask for the kind of a failure, see base/failure.lua", short) end
  end
  for short, n in pairs(phrases) do
    if (looked_for[short] or 0) < n then fault("lua/hamel/%s looks for fewer phrases in texts than tests/house.lua allows it", short) end
  end
end

local function read_module(short, from)
  for line in io.lines(root .. "/lua/hamel/" .. short) do
    if line:find "package%.loaded%s*[%[%.]" then fault("lua/hamel/%s takes a module from package.loaded: require it, or be called", short) end
    if line:find "^%s*%-%-" then line = "" end
    count_phrases(short, line)
    -- a call that keeps its part when it is interrupted ends its own work first: code in a chunk without a name passes for the user's, and is stopped
    if line:find "%f[%w_.]load%(" and not line:find ", name, " and not line:find "[\"']t[\"']" and not line:find "function load" then
      fault("lua/hamel/%s: load gives its code no name; the library's own code bears that of its file", short)
    end
    -- a bare pcall takes the interrupt of stock Lua for a failure; texts hold programs of users
    if line:find "%f[%w_.]pcall%f[^%w_]" and not line:find "[\"'].*pcall" and not catches[short] then
      fault("lua/hamel/%s calls pcall: hamel.base.protected or hamel.base.attempt pass interrupts on", short)
    end
    for _, module in line:gmatch "([\"'])hamel%.?([%w_.]*)%1" do
      local to, required = place_of(module), line:find "require"
      if to and (module ~= "" or required) then
        draw(lua, from, to, ("lua/hamel/%s names hamel.%s"):format(short, module))
      elseif required or module:find "%." then
        fault("lua/hamel/%s names hamel.%s: there is no such module", short, module)
      end
    end
  end
end

for _, path in ipairs(files_of("/lua/hamel", "*.lua")) do
  local short = path:sub(#root + 12)
  local module = short:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
  local room = short:match "^(%w+)/" or "init"
  if not lua.rank[room] then fault("lua/hamel/%s stands in no room: see the list in tests/house.lua", short)
  else read_module(short, { room, module }) end
end

judge_phrases()

print_side("C", c)
print_side("Lua", lua)
for _, text in ipairs(faults) do io.stderr:write(text, "\n") end
os.exit(#faults == 0)
