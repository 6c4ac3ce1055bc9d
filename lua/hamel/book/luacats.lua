-- luacats.lua: hamel luacats: annotations for editors (lua-language-server), made of the docstrings and the declared options.
local core = require "hamel.core"
local files = require "hamel.base.files"
local help = require "hamel.book.help"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local luacats = {}

-- The text before the dot in our pages, as classes of the annotations
local classes = {
  S = "hamel.System", run = "hamel.Trajectory", state = "hamel.State", e = "hamel.Expression", matrix = "hamel.Matrix", equations = "hamel.Equations",
  section = "hamel.Section", sweep = "hamel.Sweep", paper = "hamel.Paper", constraint = "hamel.Constraint", variations = "hamel.Variations",
  recording = "hamel.Recording", comparison = "hamel.Comparison", data = "hamel.Data", hm = "hamel.Library",
  branch = "hamel.Branch", chart = "hamel.Chart", diagram = "hamel.Diagram", picture = "hamel.Picture",
}

-- Classes of the values that calls return; any elsewhere
luacats.returns = {
  ["hm.system"] = "hamel.System", ["hm.data"] = "hamel.Data", ["hm.paper"] = "hamel.Paper", ["hm.matrix"] = "hamel.Matrix", ["hm.identity"] = "hamel.Matrix",
  ["hm.jacobian"] = "hamel.Matrix", ["hm.hessian"] = "hamel.Matrix", ["hm.diff"] = "hamel.Expression", ["hm.dt"] = "hamel.Expression",
  ["hm.partial"] = "hamel.Expression",
  ["hm.number"] = "hamel.Expression", ["hm.rational"] = "hamel.Expression", ["hm.parse"] = "hamel.Expression", ["hm.symbols"] = "hamel.Expression ...",
  ["hm.positive"] = "hamel.Expression ...", ["hm.functions_of_time"] = "hamel.Expression ...", ["hm.range"] = "number[]", ["hm.load"] = "hamel.Trajectory",
  ["S:coordinates"] = "hamel.Expression ...", ["S:positive"] = "hamel.Expression ...", ["S:parameters"] = "hamel.Expression ...",
  ["S:simulate"] = "hamel.Trajectory", ["S:equations"] = "hamel.Equations", ["S:sweep"] = "hamel.Sweep", ["S:compare"] = "hamel.Comparison",
  ["S:section"] = "hamel.Section", ["run:section"] = "hamel.Section", ["S:variations"] = "hamel.Variations", ["run:at"] = "hamel.State",
  ["S:continue"] = "hamel.Branch", ["branch:switch"] = "hamel.Branch", ["S:chart"] = "hamel.Chart", ["S:diagram"] = "hamel.Diagram",
  ["run:plot"] = "hamel.Picture", ["hm.plot"] = "hamel.Picture", ["branch:plot"] = "hamel.Picture", ["chart:plot"] = "hamel.Picture",
  ["diagram:plot"] = "hamel.Picture", ["section:plot"] = "hamel.Picture", ["sweep:plot"] = "hamel.Picture", ["S:portrait"] = "hamel.Picture",
  ["e:simplify"] = "hamel.Expression", ["e:expand"] = "hamel.Expression", ["e:factor"] = "hamel.Expression", ["e:collect"] = "hamel.Expression",
  ["e:partial"] = "hamel.Expression",
  ["e:diff"] = "hamel.Expression", ["e:dt"] = "hamel.Expression", ["e:subs"] = "hamel.Expression", ["e:numerator"] = "hamel.Expression",
  ["e:denominator"] = "hamel.Expression", ["e:coefficient"] = "hamel.Expression", ["e:series"] = "hamel.Expression",
}

local fields = {
  ["hamel.Library"] = { "t hamel.Expression the time", "pi hamel.Expression the exact number", "version string" },
  ["hamel.Expression"] = { "dot hamel.Expression derivative with respect to time", "ddot hamel.Expression second derivative" },
}

local class_lines = {
  ["hamel.Expression"] = { "---@operator unm: hamel.Expression" },
  ["hamel.Data"] = { "---@overload fun(x: number): number", "---@overload fun(x: hamel.Expression): hamel.Expression" },
}
for _, name in ipairs{ "add", "sub", "mul", "div", "pow" } do
  table.insert(class_lines["hamel.Expression"], ("---@operator %s(hamel.Expression|number): hamel.Expression"):format(name))
end

local function comment(lines, text)
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = "---" .. line end
end

local function option_class(lines, name, schema)
  lines[#lines + 1] = "---@class hamel.options." .. name
  local keys = object.keys(schema)
  table.sort(keys)
  for _, key in ipairs(keys) do
    local row = schema[key]
    local kind = (row.type or "any") .. (row.or_type and "|" .. row.or_type or "")
    lines[#lines + 1] = ("---@field %s? %s %s"):format(key, kind, (row.doc or ""):gsub("\n", " "))
  end
  lines[#lines + 1] = ""
end

-- "S:simulate" -> S, ":", simulate; nil where it is no name of a call or field
local function parts(entry) return entry.name:match "^([%w_]+)([.:])([%w_]+)$" end

--- Entries of the pages by the class they belong to, and the classes in order.
function luacats.collect()
  local by_class = {}
  for _, entry in ipairs(help.entries()) do
    local owner, separator, name = parts(entry)
    local class = owner and classes[owner]
    if class and entry.name ~= "hm.t" and entry.name ~= "hm.version" then           -- fields of the library, listed above
      by_class[class] = by_class[class] or {}
      local is_call = separator == ":" or entry.signature:find("(", 1, true) ~= nil or class == "hamel.Library"
      table.insert(by_class[class], { entry = entry, separator = separator, name = name, is_call = is_call })
    end
  end
  local order = object.keys(by_class)
  table.sort(order)
  return by_class, order
end

local function head(lines, class, items)
  lines[#lines + 1] = "---@class " .. class
  for _, field in ipairs(fields[class] or {}) do lines[#lines + 1] = "---@field " .. field end
  for _, line in ipairs(class_lines[class] or {}) do lines[#lines + 1] = line end
  for _, item in ipairs(items) do
    if not item.is_call then lines[#lines + 1] = ("---@field %s any %s"):format(item.name, (item.entry.text:match "^[^\n]*")) end
  end
  lines[#lines + 1] = ("local %s = {}\n"):format(class:match "[%w_]+$")
end

--- Names of the arguments; others become ...
function luacats.arguments_of(signature)
  local list = {}
  for word in (signature:match "%((.-)%)%s*$" or "..."):gmatch "[^,]+" do
    word = word:match "^%s*([%a_][%w_]*)%s*$" or "..."
    if word ~= "..." or list[#list] ~= "..." then list[#list + 1] = word end
  end
  return list
end

local function call(lines, class, item)
  local arguments = luacats.arguments_of(item.entry.signature)
  comment(lines, item.entry.text)
  if options.of(item.name) and arguments[1] == "given" then lines[#lines + 1] = ("---@param given? hamel.options.%s"):format(item.name) end
  lines[#lines + 1] = "---@return " .. (luacats.returns[item.entry.name] or "any")
  lines[#lines + 1] = ("function %s%s%s(%s) end\n"):format(class:match "[%w_]+$", item.separator, item.name, table.concat(arguments, ", "))
end

--- The annotations as text: classes with their methods, the options of every call by name, what a call returns where that is another object.
function luacats.text()
  local lines = { "---@meta hamel", "-- Hamel " .. core.version .. ": annotations for lua-language-server. Made by `hamel luacats`; not to be run.", "" }
  local by_class, order = luacats.collect()
  local written = {}
  for _, class in ipairs(order) do
    for _, item in ipairs(by_class[class]) do
      local schema = not written[item.name] and options.of(item.name)
      if schema then
        written[item.name] = true
        option_class(lines, item.name, schema)
      end
    end
  end
  for _, class in ipairs(order) do
    head(lines, class, by_class[class])
    for _, item in ipairs(by_class[class]) do if item.is_call then call(lines, class, item) end end
  end
  lines[#lines + 1] = "return Library"
  return table.concat(lines, "\n") .. "\n"
end

--- hamel luacats [-o hamel.lua]: writes the annotations; the folder they stand in goes into Lua.workspace.library of lua-language-server. A file name
--- that ends in .pyi gets the types of the Python package instead.
function luacats.command(arguments)
  local path = "hamel.lua"
  if arguments[1] == "-o" then path = arguments[2] or object.wrong_usage("luacats: a file name is missing after -o")
  elseif arguments[1] then object.wrong_usage("usage: hamel luacats [-o hamel.lua]") end
  local text = path:find "%.pyi$" and require "hamel.book.stubs".text() or luacats.text()
  files.write("luacats", path, text)
  print(("%s: %d KB of annotations"):format(path, #text//1024))
  return true
end

return luacats
