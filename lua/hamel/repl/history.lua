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

--- Appends the n newest lines; the folder is made and the file kept private. Returns nil and a message when that fails.
function history.save(editor, n)
  local path = history.path()
  if not path or n == 0 then return true end
  if not editor.save_history(path, n) then return nil, "cannot write " .. path end
  return true
end

return history
