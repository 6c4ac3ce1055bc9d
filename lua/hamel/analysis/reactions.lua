-- reactions.lua: generalised reactions R_s = sum_k lambda_k df_k/dq_s' of the constraints, in closed form or at a state.
local core = require "hamel.core"
local compile = require "hamel.model.compile"
local forms = require "hamel.forms"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local Reactions = object.class "Reactions"

local closed = {
  reduce = { default = false, type = "boolean", doc = "put the dependent velocities in" },
  dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities are put in (chosen when not given)" },
  simplify = { default = true, type = "boolean", doc = "bring the result into a short form" },
}
local at_state = {
  q = { type = "table", doc = "coordinates by name" },
  v = { type = "table", doc = "velocities by name; those missing are solved from the constraints" },
  t = { type = "number", doc = "time of the state" },
  form = { type = "string", doc = "formalism the multipliers are taken from" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the form 'mapping'" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}
local schema = {}
for _, part in ipairs{ closed, at_state } do for name, row in pairs(part) do schema[name] = row end end

-- Values of df_k/dq_s' at a state: one list per constraint
local function rows_at(system, e, at, override)
  local inputs, values = { symbols.t }, { at.t }
  for i, q in ipairs(e.kin) do
    local name = system.coordinate_names[i]
    for _, pair in ipairs{ { q, at.q[name] }, { q.dot, at.v[name] } } do inputs[#inputs + 1], values[#values + 1] = pair[1], pair[2] end
  end
  local parameters, numbers = compile.parameter_values(system, override)
  table.move(parameters, 1, #parameters, #inputs + 1, inputs)
  table.move(numbers, 1, #numbers, #values + 1, values)
  local rows = {}
  for k, row in ipairs(e.A) do rows[k] = core.program(inputs, row):eval(values) end
  return rows
end

local function numbers(system, e, given)
  local form = forms[given.form or "lagrange"]
  if form and form.another_motion then
    object.fail("reactions: the form '%s' is another motion, whose multipliers give no reactions of %s", form.name, system.name)
  end
  local at = system:accelerations(given)
  local R, rows = object.named("reactions", {}), rows_at(system, e, at, given.parameters)
  for s, name in ipairs(motion.of(system).names) do
    local sum = 0.0
    for k, row in ipairs(rows) do sum = sum + at.lambda[e.names[k]]*row[s] end
    R[name] = sum
  end
  return R
end

--- Returns the generalised reactions R_s = sum_k lambda_k df_k/dq_s' (Chetaev's rule; df/dq_s of a holonomic constraint). They are on the right
--- of d/dt dL/dq_s' - dL/dq_s = Q_s + R_s (Mei 1994 (2), (3)).
--- S:reactions{ reduce = true }: expressions, R[1], R.x, in the order of the coordinates; options as for S:multipliers.
--- S:reactions{ q = {...}, v = {...}, t = 0, form = "maggi" }: numbers by coordinate; options as for S:accelerations.
--- Rotations have the reactions of their body rates, by the names of these: moments about the axes of the body.
--- Unit: force for a length, moment for an angle. Raises an error for forms of another motion.
function System:reactions(given)
  if type(given) == "string" then
    object.fail("S:reactions takes options, not a name: S:multipliers() gives the multiplier of '%s' as a formula, "
      .. "S:reactions{ reduce = true } the reactions", given)
  end
  local o = options.check("reactions", schema, given, self)
  local e = self:equations "lagrange"
  for name in pairs(given or {}) do
    local numeric = o.q or o.v
    if numeric and closed[name] and name ~= "dependent" then
      object.fail("reactions: '%s' is for the closed form; leave it out, or q and v", name)
    elseif not numeric and at_state[name] then
      object.fail("reactions: '%s' is for the numbers at a state: give q and v, too", name)
    end
  end
  if o.q or o.v then return numbers(self, e, given) end
  local lambda = self:multipliers{ simplify = o.simplify }
  local solved = o.reduce and kinematics.solved(self, o.dependent, "reduce")
  local R = setmetatable({ _system = self, _names = table.move(motion.of(self).names, 1, #e.dyn, 1, {}) }, Reactions.meta)
  for s, name in ipairs(R._names) do
    local terms = {}
    for k, row in ipairs(e.A) do terms[k] = lambda[k]*row[s] end
    local sum = core.sum(terms)
    if solved then sum = core.substitute(sum, e.dyn, solved.v) end
    R[s] = o.simplify and sum:simplify() or sum
    R[name] = R[s]
  end
  return R
end

function Reactions.meta.__tostring(R)
  local out = { ("%s: generalised reactions + A^T lambda"):format(R._system.name) }
  for s, name in ipairs(R._names) do out[#out + 1] = ("  %-10s %s"):format(name .. ":", core.text(R[s])) end
  return table.concat(out, "\n")
end

--- The reactions as an align environment.
function Reactions:latex()
  local lines = {}
  for s, name in ipairs(self._names) do lines[s] = ("R_{%s} &= %s"):format(core.latex(self._system:symbol(name)), core.latex(self[s])) end
  return "\\begin{align}\n" .. table.concat(lines, " \\\\\n") .. "\n\\end{align}"
end

options.declare("reactions", schema)

return Reactions
