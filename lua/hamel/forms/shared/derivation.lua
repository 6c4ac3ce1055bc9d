-- derivation.lua: the derivation of a form's equations: by its file, or by functions that others register around it.
local derivation = {}

--- The equations of a system in a form, which is a record of the registry.
function derivation.derive(system, form, o) return form.derive(system, o) end

--- Registers f(inner, system, form, o), called in place of the derivation so far, which it gets as `inner`.
function derivation.around(f)
  local inner = derivation.derive
  function derivation.derive(system, form, o) return f(inner, system, form, o) end
end

return derivation
