-- note.lua: notes on a run, each with its time.
local object = require "hamel.base.object"

local Note = object.class "Note"
function Note.meta.__tostring(n) return ("t = %.9g: %s"):format(n.t, n.text) end

--- about: the subject of the note, where one note on it is enough.
function Note.new(t, text, about) return setmetatable({ t = t, text = text, about = about }, Note.meta) end

return Note
