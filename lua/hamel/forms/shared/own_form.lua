-- own_form.lua: hm.form: a formalism written in a script joins those that come with Hamel.
local form = require "hamel.forms.shared.form"
local forms = require "hamel.forms"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local schema = {
  name = { type = "string", doc = "name for S:equations" },
  title = { type = "string", doc = "heading of the printed equations" },
  derive = { type = "function", doc = "derive(system, options) returns Equations" },
  source = { type = "string", doc = "author, year, equation" },
  options = { type = "table", default = {}, doc = "options that it reads: { dependent = true }" },
  another_motion = { type = "boolean", default = false, doc = "true for a model whose motion differs, there for comparison" },
}

--- A form of your own, used like those that come with Hamel (S:equations, S:simulate, S:compare, S:forms): hm.form{ name = "mine",
--- title = "My equations", derive = function(system, options) ... end }; optional: source, options = { dependent = true },
--- another_motion = true. derive returns Equations: Equations.new{...} of `hamel.equations` (its head says the fields), or what
--- `hamel.forms.shared.multiplier_form` or `hamel.forms.shared.quasi_form` make. Raises for a name that is taken. Returns the declaration.
options.declare("form", schema)

return function(given)
  local o = options.check("form", schema, given)
  local record = form.check{ name = o.name, title = o.title, derive = o.derive, source = o.source, takes = o.options, another_motion = o.another_motion }
  if forms[record.name] then object.fail("form: there is a form '%s' already; choose another name", record.name) end
  forms[record.name] = record
  return record
end
