-- derived_flag.lua: S:derived_flag(): which combinations of linear constraints are integrable although not all of them are.
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local one_form = require "hamel.geometry.one_form"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local Flag = object.class "DerivedFlag"

-- d of each form on each pair of vector fields that the forms annihilate: one row per pair, one column per form
local function brackets(forms, pivots, z)
  local free, is_pivot = {}, {}
  for _, p in ipairs(pivots) do is_pivot[p] = true end
  for j = 1, #z do if not is_pivot[j] then free[#free + 1] = j end end
  -- X_j = d/dz_j - sum a_kj d/dz_p(k)
  local function X(j, e)
    local terms = { core.diff(e, z[j]) }
    for k, p in ipairs(pivots) do terms[#terms + 1] = -forms[k][j]*core.diff(e, z[p]) end
    return core.sum(terms)
  end
  local rows = {}
  for a = 1, #free do
    for b = a + 1, #free do
      local row, j, l = {}, free[a], free[b]
      for k = 1, #forms do row[k] = echelon.short(X(j, forms[k][l]) - X(l, forms[k][j])) end
      rows[#rows + 1] = row
    end
  end
  return rows
end

local function combine(columns, forms, width)
  local list = {}
  for i, c in ipairs(columns) do
    list[i] = {}
    for j = 1, width do
      local terms = {}
      for k, form in ipairs(forms) do terms[k] = c[k]*form[j] end
      list[i][j] = echelon.short(core.sum(terms))
    end
  end
  return list
end

local function forms_of(system)
  for _, c in ipairs(system.constraints) do
    if not c.linear then
      object.fail("derived_flag: '%s' is not linear in the velocities (S:holonomic() tests nonlinear constraints)", c.name)
    end
  end
  local rows, rest = kinematics.velocity_rows(system)
  for k, row in ipairs(rows) do row[#row + 1] = rest[k] end
  return rows
end

--- Returns the derived flag of linear constraints. I_0 is spanned by the constraints as one-forms in (q, t), I_k+1 by those combinations of I_k
--- whose differential vanishes on all motions that I_k admits. The last system is the largest integrable part (Frobenius). Its integrals are
--- constant on every possible motion, although the constraints as a whole are not integrable.
--- Result: { dimensions = {m, ...}, forms = coefficients of dq_1..dq_n, dt of the last system, integrals = { F or false } }. Rank and signs hold
--- where the pivots do not vanish. Raises an error for nonlinear constraints.
function System:derived_flag()
  local z = self:coordinate_list()
  z[#z + 1] = symbols.t
  local declared = forms_of(self)
  local forms, pivots = echelon.reduce(declared, #z - 1)
  local dimensions = { #forms }
  while #forms > 0 do
    local columns = echelon.null_space(brackets(forms, pivots, z), #forms)
    dimensions[#dimensions + 1] = #columns
    if #columns == #forms then break end
    forms, pivots = echelon.reduce(combine(columns, forms, #z), #z - 1)
  end
  -- where all of them are integrable they are shorter as declared
  if #forms == #declared then forms = declared end
  local integrals = {}
  for k, form in ipairs(forms) do integrals[k] = one_form.integral(form, z) or false end
  return setmetatable({ dimensions = dimensions, forms = forms, integrals = integrals, _z = z, _name = self.name }, Flag.meta)
end

function Flag.meta.__tostring(self)
  local out = { ("%s: derived flag %s"):format(self._name, table.concat(self.dimensions, " > ")) }
  if #self.forms == 0 then out[#out + 1] = "  no combination of the constraints is integrable" end
  for k, form in ipairs(self.forms) do
    local terms = {}
    for j, a in ipairs(form) do terms[j] = a*core.symbol("d" .. core.text(self._z[j]), 0) end
    local F = self.integrals[k]
    out[#out + 1] = ("  %s = 0: %s"):format(core.text(core.sum(terms)), F and core.text(F) .. " is constant" or "integrable, integral not found")
  end
  return table.concat(out, "\n")
end

return true
