-- commutation.lua: the defect of d and delta under Chetaev's rule: d(delta q_k)/dt - delta q_k' for the dependent coordinates.
local core = require "hamel.core"
local kinematics = require "hamel.kinematics"
local object = require "hamel.object"
local System = require "hamel.system"

-- Velocity the constraint is solved for: the last one it contains linearly with a coefficient free of velocities
local function solved_velocity(c, q, v, taken)
  local f = kinematics.levels(c, q, v).velocity.f
  for j = #v, 1, -1 do
    local slope = core.diff(f, v[j])
    local plain = core.number_value(slope) ~= 0
    for _, s in ipairs(core.symbols{ slope }) do
      local _, order = core.name(s)
      if order > 0 then plain = false end
    end
    if plain and not taken[j] then return j, v[j] - f/slope end
  end
  object.fail("commutation: '%s' cannot be solved for one of its velocities", c.name)
end

--- Defects by constraint: D[name][q_j] is the coefficient of delta q_j in d(delta q_k)/dt - delta q_k', where q_k is the coordinate
--- the constraint is solved for (D[name].coordinate) and d, delta commute for the independent coordinates (Suslov's view; Liang 1999
--- (57), (58), (72)): A_j = d/dt dphi/dq_j' - dphi/dq_j - sum_i dphi/dq_i dphi_i/dq_j', q_k' = phi. Coefficients of nonlinear
--- constraints contain accelerations.
function System:commutation()
  local q, v = self:coordinate_list(), self:velocity_list()
  local phi, dependent, taken = {}, {}, {}
  for k, c in ipairs(self.constraints) do
    dependent[k], phi[k] = solved_velocity(c, q, v, taken)
    taken[dependent[k]] = true
  end
  -- dependent velocities inside each other's phi are put in; twice the number of constraints suffices unless they are circular
  local from = {}
  for k, j in ipairs(dependent) do from[k] = v[j] end
  for _ = 1, #phi do
    for k = 1, #phi do phi[k] = core.substitute(phi[k], from, phi) end
  end
  local result = {}
  for k, c in ipairs(self.constraints) do
    local defect = { coordinate = q[dependent[k]] }
    for j = 1, #q do
      if not taken[j] then
        local terms = { core.dt(core.diff(phi[k], v[j])), -core.diff(phi[k], q[j]) }
        for i, d in ipairs(dependent) do terms[#terms + 1] = -core.diff(phi[k], q[d])*core.diff(phi[i], v[j]) end
        defect[q[j]] = core.substitute(core.sum(terms), from, phi)
      end
    end
    result[c.name] = defect
  end
  return result
end

return true
