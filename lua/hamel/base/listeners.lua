-- listeners.lua: who is called when a run ends, a picture is drawn, a file is written, a table of verdicts begins or has something to show. Those who
-- begin them know nobody here.
local listeners = {}

local lists = { run = {}, picture = {}, paper = {}, show = {}, file = {} }

local function list_of(kind) return lists[kind] or error(("there is no kind of event '%s'"):format(tostring(kind)), 3) end

--- Registers f(...) for a kind of event; returns the function that takes it out again.
---@param kind "run"|"picture"|"paper"|"show"|"file"
function listeners.add(kind, f)
  local list = list_of(kind)
  list[#list + 1] = f
  return function()
    for i = #list, 1, -1 do if list[i] == f then return table.remove(list, i) end end
  end
end

--- Calls all of a kind, the first one first.
function listeners.call(kind, ...)
  for _, f in ipairs(list_of(kind)) do f(...) end
end

--- Does anybody listen?
function listeners.any(kind) return #list_of(kind) > 0 end

return listeners
