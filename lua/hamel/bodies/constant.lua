-- constant.lua: masses, moments and lengths of rigid bodies and of surfaces: expressions of parameters.
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local MOVES = symbols.TIME | symbols.DYNAMIC

--- The value as an expression of the system; raises where it changes in time.
return function(system, value, what)
  if type(value) == "number" and (value ~= value or math.abs(value) == math.huge) then
    object.fail("%s is %s, not a finite number", what, object.number(value))
  end
  local e = system:admit(value, what, 0)
  for _, s in ipairs(core.symbols{ e }) do
    local _, _, flags = core.name(s)
    if flags & MOVES ~= 0 then
      object.fail("%s contains %s: bodies and surfaces are rigid; a value that changes belongs to S:kinetic_energy, S:force or a frame that moves", what,
        core.text(s))
    end
  end
  return e
end
