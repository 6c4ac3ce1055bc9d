-- run.lua: runs busted on one spec in this interpreter (the command `busted` may run another Lua).
assert(_VERSION == "Lua 5.4", "the specs need Lua 5.4")
local found, runner = pcall(require, "busted.runner")
if not found then
  print("skipped: busted is missing (lua-busted)")
  os.exit(77)
end
runner{ standalone = false }
