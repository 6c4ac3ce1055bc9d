-- history.lua: where the prompt keeps its lines between sessions. HAMEL_HISTORY names the file; empty turns it off.
local history = {}

--- File name, or nil when there is none.
function history.path()
  local own = os.getenv "HAMEL_HISTORY"
  if own then return own ~= "" and own or nil end
  local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
  local folder = state and state ~= "" and state or home and home ~= "" and home .. "/.local/state"
  return folder and folder .. "/hamel/history"
end

--- Reads the file into the editor; silent when there is none.
function history.load(editor)
  local path = history.path()
  if path then editor.load_history(path) end
end

--- A function of a block that keeps it: at once in the file too, so that no way of leaving loses it. What cannot be written
--- is reported once, by `tell`.
function history.keeper(editor, tell)
  local path = history.path()
  return function(text)
    local kept, message = editor.remember(text, path)
    if kept then return end
    path = nil
    tell("history is not kept: " .. message)
  end
end

return history
