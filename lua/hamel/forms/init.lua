-- forms/init.lua: the registry of formalisms and S:equations.
local object = require "hamel.object"
local options = require "hamel.options"
local registry = require "hamel.registry"
local System = require "hamel.system"

local here = debug.getinfo(1, "S").source:match("^@(.*)init%.lua$")
local forms = registry.load("hamel.forms", here, { reduced = true, multiplier_form = true, quasi_form = true })

local schema = {
  dependent = { type = "table", doc = "names of the coordinates whose velocities are eliminated" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the form 'mapping'" },
}

--- Equations of motion in the form of that name ("lagrange" when none is given), derived once per state of the system:
--- lagrange, nielsen (with multipliers); chaplygin, voronets (independent velocities); hamel, volterra, maggi, kane, appell, canonical
--- (quasi-velocities); vakonomic, lindelof (other motions, for comparison). Option dependent = {"y"}: eliminated velocities.
function System:equations(name, given)
  name = name or "lagrange"
  local form = registry.find(forms, "form", name)
  local o = options.check("equations", schema, given)
  if #self.coordinate_names == 0 then object.fail("%s has no coordinates yet: S:coordinates \"x y\"", self.name) end
  for i, coordinate in ipairs(o.dependent or {}) do
    if type(coordinate) ~= "string" then object.fail("equations: dependent[%d] is the name of a coordinate, not a %s", i, type(coordinate)) end
  end
  local cache = rawget(self, "_equations")
  if not cache or cache.changes ~= self._changes then
    cache = { changes = self._changes }
    self._equations = cache
  end
  -- forms without dependent velocities share one entry
  local key = name .. "|" .. (form.options and form.options.dependent and o.dependent and table.concat(o.dependent, " ") or "")
    .. (form.needs_mapping and o.mapping and "|" .. tostring(o.mapping.id) or "")
  if not cache[key] then
    cache[key] = form.derive(self, o)
    cache[key].key = key
  end
  return cache[key]
end

return forms
