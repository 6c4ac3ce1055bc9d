-- equations.lua: the one shape every formalism ends in: k(x, t); M(x, t) x_dyn' = r + A^T lambda, A x_dyn' + b = 0; printing.
--
-- A form fills in these fields of an Equations object:
--   kin, dyn          state symbols; k: rates of kin as expressions of the state
--   M, r              list of rows, list; A, b: one row and one entry per multiplier
--   multipliers       symbols of the multipliers, names: the constraints behind them (row_names: of the rows of A, if those are others)
--   dyn_names         what stands behind each dyn, for messages
--   rows              what is printed: { name=, left=, right= } per equation
--   positions         { name=, f=, row= } per holonomic constraint; velocities: the same on the level of velocities
--   energy, kinetic, power, multiplier_power (nil: not known, no power); carried: part of the energy whose rate
--                     stands for the work of reactions in `power` (nil: none)
-- and where the states are not the velocities themselves
--   rates             symbols of dyn'; v, a, lambda: q', q'', multipliers in kin, dyn, rates
--   from_velocities   dyn in coordinates, velocities, time and mu, the vakonomic multipliers; mu_of: mu in kin, dyn
--   momenta           dL*/dq' in kin, dyn, where L* is not the system's L
--   kinematic         { left=, right= }: printed with the equations; condition: what must not vanish
--   constants         { symbols=, values= } in place of numbers, see analysis/exact.lua
--   chosen_columns    indices of the dependent velocities where the form chose them and another choice would serve
--   watched           the constraints are not enforced: their residual is a result
local core = require "hamel.core"
local object = require "hamel.object"

local Equations = object.class "Equations"

local optional = { "energy", "kinetic", "power", "multiplier_power", "carried", "rates", "v", "a", "lambda", "from_velocities", "mu", "mu_of",
  "momenta", "kinematic", "condition", "condition_rows", "chosen_columns", "constants", "watched", "whole_course", "row_names" }

--- A new record; used by forms.
function Equations.new(fields)
  for _, name in ipairs(optional) do fields[name] = fields[name] or false end
  return setmetatable(fields, Equations.meta)
end

--- E[i]: left minus right side of the i-th equation.
function Equations.item(self, i)
  local row = self.rows[i]
  return row and row.left - row.right
end

function Equations.meta.__len(self) return #self.rows end

--- Symbols of the rates that the equations are linear in: accelerations where the form keeps the velocities.
function Equations.rates_of(self)
  if self.rates then return self.rates end
  local list = {}
  for i, q in ipairs(self.kin) do list[i] = q.ddot end
  return list
end

-- Rows as they are shown: each side in a short form, or collected by the rates where that is shorter; found once within a second, beyond
-- that as derived
local function shown(self)
  if rawget(self, "_shown") then return self._shown end
  local rates = Equations.rates_of(self)
  local function short(e)
    local plain = core.simplify(e, "auto", nil, { seconds = 1 })
    if core.tree_size(plain) > 2000 then return plain end
    local collected = core.simplify(plain, "collected", rates, { seconds = 1 })
    return #core.text(collected) < #core.text(plain) and collected or plain
  end
  local rows = {}
  for i, row in ipairs(self.rows) do rows[i] = { name = row.name, left = short(row.left), right = short(row.right) } end
  for _, row in ipairs(self.kinematic or {}) do rows[#rows + 1] = { name = "", left = row.left, right = short(row.right) } end
  self._shown = rows
  return rows
end

function Equations.meta.__tostring(self)
  local out = { ("%s: %s"):format(self.system.name, self.title) }
  for _, row in ipairs(shown(self)) do
    out[#out + 1] = ("  %-10s %s = %s"):format(row.name ~= "" and row.name .. ":" or "", core.text(row.left), core.text(row.right))
  end
  if not self.kinematic then
    local note = self.watched and " (watched)" or ""
    for _, c in ipairs(self.system.constraints) do out[#out + 1] = ("  %-10s %s = 0%s"):format(c.name .. ":", core.text(c.f), note) end
  end
  if #self.multipliers > 0 and not self.lambda then
    local names = {}
    for i, s in ipairs(self.multipliers) do names[i] = ("%s of '%s'"):format(core.text(s), self.names[i]) end
    out[#out + 1] = "  reactions + A^T lambda: " .. table.concat(names, ", ")
  end
  return table.concat(out, "\n")
end

--- The equations as an align environment.
function Equations:latex()
  local out = { "\\begin{align}" }
  local lines = {}
  for _, row in ipairs(shown(self)) do lines[#lines + 1] = core.latex(row.left) .. " &= " .. core.latex(row.right) end
  if not self.kinematic then
    for _, c in ipairs(self.system.constraints) do lines[#lines + 1] = core.latex(c.f) .. " &= 0" end
  end
  out[#out + 1] = table.concat(lines, " \\\\\n")
  out[#out + 1] = "\\end{align}"
  return table.concat(out, "\n")
end

return Equations
