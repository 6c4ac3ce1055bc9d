-- forms/init.lua: the registry of formalisms and S:equations.
local object = require "hamel.object"
local registry = require "hamel.registry"
local System = require "hamel.system"

local here = debug.getinfo(1, "S").source:match("^@(.*)init%.lua$")
local forms = registry.load("hamel.forms", here, {})

--- Equations of motion in the form of that name ("lagrange" when none is given), derived once per state of the system.
function System:equations(name)
  name = name or "lagrange"
  local form = registry.find(forms, "form", name)
  if #self.coordinate_names == 0 then object.fail("%s has no coordinates yet: S:coordinates \"x y\"", self.name) end
  local cache = rawget(self, "_equations")
  if not cache or cache.changes ~= self._changes then
    cache = { changes = self._changes }
    self._equations = cache
  end
  if not cache[name] then cache[name] = form.derive(self) end
  return cache[name]
end

return forms
