-- registry.lua: a folder of modules as a table of declared things; adding one is adding a file.
local core = require "hamel.core"
local object = require "hamel.base.object"

local registry = {}

--- Loads every module of a folder except `init`; each must return a table with a `name`, of which check, if given, makes a record.
---@param prefix string module prefix, "hamel.forms"
---@param folder string
---@param check? fun(item: table): table
function registry.load(prefix, folder, check)
  local files, message = core.host.list(folder)
  if not files then error("cannot read " .. folder .. ": " .. tostring(message)) end
  table.sort(files)
  local found = {}
  for _, file in ipairs(files) do
    local name = file:match("^([%w_]+)%.lua$")
    if name and name ~= "init" then
      local item = require(prefix .. "." .. name)
      if type(item) ~= "table" or type(item.name) ~= "string" then error(file .. " does not declare a name") end
      if found[item.name] then error(("'%s' is declared twice in %s"):format(item.name, folder)) end
      found[item.name] = check and check(item) or item
    end
  end
  return found
end

--- The item of that name; raises with the nearest known name and all there are.
function registry.find(items, kind, name)
  if type(name) ~= "string" then object.fail("the name of a %s is a text, not a %s; there are %s", kind, type(name), table.concat(object.keys(items), ", ")) end
  return items[name] or object.fail("there is no %s '%s'%s", kind, name, object.known(name, object.keys(items)))
end

return registry
