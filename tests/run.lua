-- run.lua: runs busted on one spec in this interpreter (the command `busted` may run another Lua). Files of os.tmpname are removed at the end.
assert(_VERSION == "Lua 5.4", "the specs need Lua 5.4")
local found, runner = pcall(require, "busted.runner")
if not found then
  print("skipped: busted is missing (lua-busted)")
  os.exit(77)
end

local folder, files = nil, 0
local tmpname, exit = os.tmpname, os.exit
os.tmpname = function()  -- luacheck: ignore 122
  if not folder then
    folder = tmpname()
    assert(os.remove(folder) and os.execute("mkdir '" .. folder .. "'"))
  end
  files = files + 1
  local path = ("%s/%d"):format(folder, files)
  assert(io.open(path, "w")):close()
  return path
end
os.exit = function(...)  -- luacheck: ignore 122
  if folder then os.execute("rm -rf '" .. folder .. "'") end
  exit(...)
end

runner{ standalone = false }
