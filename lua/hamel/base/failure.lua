-- failure.lua: the kinds of failures by which callers decide what to do next, raised with the message for people, which says nothing to the library.
local object = require "hamel.base.object"

local failure = {}

--- The kinds, and what they mean.
failure.kinds = {
  ["no motion"] = "a search for a periodic motion came to none from its guess",
  ["at rest"] = "a search for a periodic motion ended at a state of rest",
  ["no rest"] = "a search for a state of rest came to none from its guess",
  ["singular"] = "linear equations have no solution, or many",
  ["at best"] = "the equations hold as well as they can in doubles, and the tolerance asks for more",
}

-- Errors stay texts, which users catch and print: the kind of the last one stands beside it
local text_raised, kind_raised

--- Raises a message as object.fail does, with a kind for callers; nil: of no kind.
function failure.raise(kind, message, ...)
  if kind and not failure.kinds[kind] then error(("there is no failure of the kind '%s'"):format(kind), 2) end
  text_raised, kind_raised = object.placed(message, ...), kind
  error(text_raised, 0)
end

--- The kind of an error that was caught, nil where it has none. Ask before anything else may fail: only that of the last one is known.
function failure.kind(text) return text == text_raised and kind_raised or nil end

return failure
