-- note.lua: what is to be known of a run beside its numbers, with the time it belongs to.
local object = require "hamel.base.object"

local Note = object.class "Note"
function Note.meta.__tostring(n) return ("t = %.9g: %s"):format(n.t, n.text) end

--- about: what the note is about, where one note is enough for it.
function Note.new(t, text, about) return setmetatable({ t = t, text = text, about = about }, Note.meta) end

return Note
