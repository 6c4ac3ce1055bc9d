-- free_motion.lua: motions without reactions. Mei 1994: multipliers in closed form (4), the condition of free motion (6),
-- Christoffel symbols (5), the mass matrix as the paper's A_ks.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local dot = kinematics.dot

local schema = {
  reduce = { default = false, type = "boolean", doc = "put the dependent velocities in" },
  dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities are put in (chosen when not given)" },
  simplify = { default = true, type = "boolean", doc = "bring the result into a short form" },
}

-- Solutions of M X = columns: exact and short where the algebra manages, by plain elimination else
local function solve(rows, columns, simplify)
  local n, A, B = #rows, {}, {}
  for i = 1, n do table.move(rows[i], 1, n, #A + 1, A) end
  for i = 1, n do for k = 1, #columns do B[#B + 1] = columns[k][i] end end
  local fine, X = protected(core.solve_linear, n, A, B)
  if not fine or not simplify then return (linear.solve(rows, columns)) end
  local result = {}
  for k = 1, #columns do
    result[k] = {}
    for i = 1, n do result[k][i] = X[(i - 1)*#columns + k] end
  end
  return result
end

-- The dependent velocities put in, and the short form
local function finished(system, list, o)
  local solved = o.reduce and kinematics.solved(system, o.dependent, "reduce")
  for i, e in ipairs(list) do
    if solved then e = core.substitute(e, system:velocity_list(), solved.v) end
    list[i] = o.simplify and e:simplify() or e
  end
  return list
end

-- Names of the rows of the constraints, in the order of the multipliers
local function labels(e, before)
  local list = {}
  for i, name in ipairs(e.names) do list[i] = not before and name or before .. (name:find "^[%a_][%w_]*$" and "." .. name or ("[%q]"):format(name)) end
  return list
end

--- Returns the residual of each constraint in the motion without reactions, J M^-1 r + b: the left side of Mei's condition (6), with the
--- rheonomic, gyroscopic and T_0 terms. A motion is free if all of them vanish along it. Order: that of the constraints.
--- With { reduce = true } velocities are replaced by their values from the constraints: the sleigh's condition is then Mei's (14).
---@return table list of expressions in coordinates, velocities, time
function System:free_motion(given)
  local o = options.check("free_motion", schema, given)
  local e = self:equations "lagrange"
  if #e.A == 0 then object.fail("%s has no constraints: every motion is free", self.name) end
  local r = coupling.split(e)
  local x = solve(e.M, { r }, o.simplify)[1]                                -- accelerations without reactions
  local list = {}
  for i, row in ipairs(e.A) do list[i] = dot(row, x) + e.b[i] end
  return answer.labelled(finished(self, list, o), labels(e), self.name .. " moves without reactions where these vanish:")
end

--- Multipliers as functions of the state: G lambda = -free_motion with G = J M^-1 J^T. Options as for S:free_motion.
--- Of many constraints they are very long: print leaves out formulas of more than 4000 characters, and S:accelerations{ q =, v = } gives numbers.
---@return table list of expressions in the order of the constraints
function System:multipliers(given)
  local o = options.check("multipliers", schema, given)
  local e = self:equations "lagrange"
  if #e.A == 0 then return answer.labelled({}, {}, nil, self.name .. " has no constraints, and no multipliers") end
  local coupled, coordinate = coupling.any(self)
  if coupled then
    object.fail("multipliers: the force on '%s' depends on the multiplier of '%s', so that there is no closed form; S:accelerations{ q =, v = } gives numbers",
      coordinate, coupled)
  end
  local columns = { e.r, table.unpack(e.A) }
  local X = solve(e.M, columns, o.simplify)                                 -- M^-1 r, M^-1 J^T
  local G, right = {}, {}
  for i, row in ipairs(e.A) do
    G[i] = {}
    for j = 1, #e.A do G[i][j] = dot(row, X[j + 1]) end
    right[i] = -(dot(row, X[1]) + e.b[i])
  end
  return answer.labelled(finished(self, solve(G, { right }, o.simplify)[1], o), labels(e, "lambda"), nil, nil,
    "S:accelerations{ q =, v = } gives values at a state")
end

--- Mass matrix d2L/dq'dq' as a list of rows; of rotations by quaternions by their body rates.
function System:mass_matrix()
  local E = self:equations "lagrange"
  return answer.labelled(table.move(E.M, 1, #E.dyn, 1, {}), E.dyn_names)
end

--- Christoffel symbols of the first kind of the mass matrix: C[k][m][s] = (dA_ks/dq_m + dA_ms/dq_k - dA_km/dq_s)/2, Mei (5).
function System:christoffel()
  self:velocity_list()                 -- raises where there is no basis of velocities
  local M, q = self:mass_matrix(), self:coordinate_list()
  local n, D = #q, {}
  for i = 1, n do
    D[i] = {}
    for j = 1, n do D[i][j] = core.gradient(M[i][j], q) end
  end
  local C = {}
  for k = 1, n do
    C[k] = {}
    for m = 1, n do
      C[k][m] = {}
      for s = 1, n do C[k][m][s] = (D[k][s][m] + D[m][s][k] - D[k][m][s])/2 end
    end
  end
  return answer.entries(C, function(t)
    local rows, names = {}, self.coordinate_names
    for k = 1, n do
      for m = k, n do
        for s = 1, n do
          local e = t[k][m][s]:simplify()
          if core.number_value(e) ~= 0 then rows[#rows + 1] = { ("[%s, %s; %s]"):format(names[k], names[m], names[s]), e } end
        end
      end
    end
    return rows
  end, self.name .. ": Christoffel symbols of the mass matrix that are not zero, symmetric in the first two indices",
    self.name .. ": all Christoffel symbols are zero, since the mass matrix is constant")
end

options.declare("free_motion", schema)
options.declare("multipliers", schema)

return true
