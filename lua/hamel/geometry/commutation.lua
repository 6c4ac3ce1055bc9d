-- commutation.lua: d and delta under Chetaev's rule: either d(delta q_k)/dt - delta q_k' for the dependent coordinates (Suslov), or
-- delta f_k where d and delta commute for all (Hoelder).
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local explicit = require "hamel.equations.explicit"
local kinematics = require "hamel.equations.kinematics"
local options = require "hamel.base.options"
local System = require "hamel.system"

-- By constraint, which prints as a line for each coefficient that is not zero
local function listed(system, result, heading, label)
  return answer.entries(result, function(t)
    local rows = {}
    for _, c in ipairs(system.constraints) do
      for _, q in ipairs(t[c.name] and system:coordinate_list() or {}) do
        local coefficient = rawget(t[c.name], q)
        if coefficient and core.number_value(coefficient) ~= 0 then rows[#rows + 1] = { label(c.name, t[c.name], core.text(q)), coefficient } end
      end
    end
    return rows
  end, heading, "d and delta commute: all coefficients are zero")
end

-- Coefficients by the symbols of coordinates, and also by their names
local function by_symbol_or_name(system, coefficients)
  local described = answer.described(coefficients, answer.text_of_table)
  getmetatable(described).__index = function(t, key) return type(key) == "string" and rawget(t, system:symbol(key)) or nil end
  return described
end

local schema = {
  dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities the constraints are solved for (chosen when not given)" },
}

--- Returns the commutation of d and delta after Suslov: they commute for the independent coordinates only. By constraint, D[name][q_j], or
--- D.name.x by the coordinate's name, is the coefficient of delta q_j in d(delta q_k)/dt - delta q_k'. Here q_k = D[name].coordinate is the
--- coordinate whose velocity the constraint gives, q_k' = phi_k (Liang 1999 (57), (58), (72)):
--- A_j = d/dt dphi_k/dq_j' - dphi_k/dq_j - sum_i dphi_k/dq_i dphi_i/dq_j'. Coefficients of constraints that are nonlinear in the velocities
--- contain the accelerations of the independent coordinates. Option dependent = {"y"}.
function System:commutation(given)
  local o = options.check("commutation", schema, given)
  local X, v, result = explicit.solve(self, o.dependent, "commutation"), self:velocity_list(), {}
  for k, phi in ipairs(X.phi) do
    local defect = by_symbol_or_name(self, { coordinate = X.q[X.dependent[k]] })
    for _, j in ipairs(X.independent) do
      local terms = { explicit.rate(X, core.diff(phi, v[j])), -core.diff(phi, X.q[j]) }
      for i, d in ipairs(X.dependent) do terms[#terms + 1] = -core.diff(phi, X.q[d])*core.diff(X.phi[i], v[j]) end
      defect[X.q[j]] = core.sum(terms):simplify()
    end
    result[X.constraint[k].name] = defect
  end
  return listed(self, result, self.name .. ": coefficients of delta q_j in d(delta q_k)/dt - delta q_k'; otherwise d and delta commute",
    function(name, row, q) return ("%s: %s by delta %s"):format(name, core.text(row.coordinate), q) end)
end

--- Returns the variation of the constraints after Hoelder: d and delta commute for all coordinates, and the varied motion leaves the constraints.
--- By constraint, D[name][q_s] is the coefficient of delta q_s in delta f = sum (df/dq_s - d/dt df/dq_s') delta q_s under Chetaev's rule
--- sum df/dq_s' delta q_s = 0 (Liang 1999 (62)). All coordinates occur; velocities are not replaced.
function System:constraint_variation()
  local q, v, result = self:coordinate_list(), self:velocity_list(), {}
  for _, c in ipairs(self.constraints) do
    local row = by_symbol_or_name(self, {})
    local f = kinematics.levels(c, q, v).velocity.f
    for s = 1, #q do row[q[s]] = core.diff(f, q[s]) - core.dt(core.diff(f, v[s])) end
    result[c.name] = row
  end
  return listed(self, result, self.name .. ": coefficients of delta q in the variation of each constraint",
    function(name, _, q_text) return ("delta %s: delta %s"):format(name, q_text) end)
end

options.declare("commutation", schema)

return true
