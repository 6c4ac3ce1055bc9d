-- forms/init.lua: the registry of formalisms and S:equations.
local derivation = require "hamel.forms.shared.derivation"
local form_record = require "hamel.forms.shared.form"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local registry = require "hamel.base.registry"
local System = require "hamel.system"

local here = debug.getinfo(1, "S").source:match("^@(.*)init%.lua$")
local forms = registry.load("hamel.forms", here, form_record.check)

local schema = {
  form = { type = "string", doc = "the name of the form: S:equations{ form = \"hamel\" } is S:equations \"hamel\"" },
  dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities are eliminated" },
  reactions = { type = "table", doc = "law of the reactions by coordinate, for the form 'newtonian'" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the forms 'mapping' and 'geodesic'" },
}

--- Derives the equations of motion in the form of that name ("lagrange" by default), once per state of the system.
--- Forms: lagrange, nielsen, coordinates (with multipliers; coordinates: for bodies, with the entries of quaternions as coordinates); chaplygin, voronets
--- (independent velocities); hamel, volterra, maggi, kane, appell, canonical (quasi-velocities); mapping (on the space-time of S:linear_mapping);
--- vakonomic, vakonomic_explicit, lindelof, geodesic, newtonian (other motions, for comparison). S:forms() lists the forms that apply. Option
--- dependent = {"y"}: eliminated velocities. S:equations{ form = "hamel" } is S:equations "hamel".
function System:equations(name, given)
  if type(name) == "table" and given == nil and not getmetatable(name) then name, given = nil, name end
  if type(given) == "table" and given.form ~= nil and name ~= nil then
    object.fail("equations: two forms are given, '%s' and form = '%s'; leave one out", tostring(name), tostring(given.form))
  end
  name = name or type(given) == "table" and given.form or "lagrange"
  local form = registry.find(forms, "form", name)
  local o = options.check("equations", schema, given)
  if #self._rotations > 0 and not form.rotations then
    object.fail("the form '%s' needs coordinates whose velocities are free, and '%s' of %s is a rotation by a unit quaternion: 'hamel' does it, or turn "
      .. "its frame by three angles (N:rotate)", name, self._rotations[1].name, self.name)
  end
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
  local key = name .. "|" .. (form.takes.dependent and o.dependent and table.concat(o.dependent, " ") or "")
    .. (form.takes.mapping and o.mapping and "|" .. tostring(o.mapping.id) or "")
  -- a law of reactions has no name: derived each time
  if form.takes.reactions then
    local equations = form.derive(self, o)
    equations.key = false
    return equations
  end
  if not cache[key] then
    cache[key] = derivation.derive(self, form, o)
    cache[key].key = key
  end
  return cache[key]
end

options.declare("equations", schema)

return forms
