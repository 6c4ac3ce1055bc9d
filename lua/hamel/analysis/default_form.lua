-- default_form.lua: a study for which no form is given: in the default form of the system, or in "lagrange" if it fails there.
local core = require "hamel.core"
local protected = require "hamel.base.protected"

-- An interrupt must not be taken for a failure of the form
local function rethrow_interrupt(message)
  if core.host.interrupted() or tostring(message):find("interrupt", 1, true) then error(message, 0) end
end

--- The results of study(system, o), with o.form set.
return function(study, system, o)
  o.form = system:default_form()
  if o.form == "lagrange" then return study(system, o) end
  local results = table.pack(protected(study, system, o))
  if results[1] then return table.unpack(results, 2, results.n) end
  rethrow_interrupt(results[2])
  o.form = "lagrange"
  return study(system, o)
end
