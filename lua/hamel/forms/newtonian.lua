-- Newtonian models: the reactions are a given law R_s(q, q', t): M q'' = Q + R. Constraints are monitored, not enforced:
-- run.constraint_residual shows whether the law keeps them. Guo 1994; Liang 1999 (74)-(76).
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

-- R_s in the order of the coordinates; zero where the law gives none
local function laws(system, reactions)
  if type(reactions) ~= "table" then
    object.fail("the form 'newtonian' needs the law of the reactions: reactions = {%s = expression, ...} ({} for none)", system.coordinate_names[1])
  end
  for name, e in pairs(reactions) do
    if not system._coordinate[name] then
      object.fail("reactions: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    system:check_expression(e, "the reaction on " .. name, 1)
  end
  local R = {}
  for s, name in ipairs(system.coordinate_names) do R[s] = core.number(reactions[name] or 0) end
  return R
end

return {
  name = "newtonian",
  title = "Newton's equations with a law of reactions",
  source = "Guo 1994; Liang 1999 (74)-(76)",
  takes = { reactions = true },
  another_motion = true,
  derive = function(system, options)
    local I, R, Q = kinematics.inertia(system), laws(system, options.reactions), system:generalised_forces()
    local force, r, rows = {}, {}, {}
    for s, q in ipairs(I.q) do
      force[s] = Q[s] + R[s]
      r[s] = force[s] - I.bias[s]
      local left = { I.bias[s] }
      for j = 1, #I.q do left[#left + 1] = I.M[s][j]*I.q[j].ddot end
      rows[s] = { name = core.text(q), left = core.sum(left), right = force[s] }
    end
    local pv = kinematics.dot(I.p, I.v)
    return Equations.new{
      system = system, kin = I.q, dyn = I.v, k = I.v, M = I.M, r = r,
      A = {}, b = {}, multipliers = {}, names = {}, dyn_names = system.coordinate_names, rows = rows, positions = {}, velocities = {},
      energy = pv - I.L, kinetic = system._T or pv/2, power = kinematics.dot(force, I.v) - core.diff(I.L, symbols.t), watched = true,
    }
  end,
}
