-- form.lua: the record of a form, as each file of forms/ returns it, checked when it is read. Its equations get its name and title.
local Equations = require "hamel.equations"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local form = {}

local schema = {
  name = { type = "string", doc = "name for S:equations" },
  title = { type = "string", doc = "heading of the printed equations" },
  source = { type = "string", doc = "author, year, equation" },
  takes = { type = "table", default = {}, doc = "options that derive reads, and what it needs: { dependent = true }" },
  rotations = { type = "boolean", default = false, doc = "true for a form that takes rotations by unit quaternions" },
  own_states = { type = "boolean", default = false, doc = "true for a form in quasi-velocities or momenta, not in velocities of coordinates" },
  another_motion = { type = "boolean", default = false, doc = "true for a model whose motion differs, there for comparison" },
  derive = { type = "function", doc = "derive(system, options, form) returns Equations" },
}

local takes = {
  dependent = "coordinates whose velocities are eliminated",
  mapping = "a linear mapping of the system",
  reactions = "a law of the reactions",
  wall = "a system with one one-sided coordinate",
  bodies = "a system with bodies or rotations",
}

-- The name of the form, where the file that derives it gives no other
local function stamped(equations, record)
  if getmetatable(equations) ~= Equations.meta then
    object.fail("form '%s': derive returned a %s instead of Equations (see hamel.equations)", record.name, type(equations))
  end
  equations.form, equations.title = equations.form or record.name, equations.title or record.title
  -- a system without constraints has none
  if #(equations.multipliers or {}) == 0 then equations.title = equations.title:gsub(" with multipliers", "") end
  return equations
end

--- The record of a form with its defaults; raises an error for missing and for unknown fields.
function form.check(given)
  local record = options.check("form", schema, given)
  for _, name in ipairs{ "name", "title", "derive" } do
    if record[name] == nil then object.fail("form: '%s' is missing (%s)", name, schema[name].doc) end
  end
  for name in pairs(record.takes) do
    if not takes[name] then object.fail("form '%s': takes has no '%s'%s", record.name, tostring(name), object.hint(name, object.keys(takes))) end
  end
  local derive = record.derive
  function record.derive(system, o) return stamped(derive(system, o, record), record) end
  return record
end

return form
