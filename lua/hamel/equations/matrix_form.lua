-- matrix_form.lua: equations as one matrix equation M x' = r + A^T lambda, with the constraints A x' + b = 0 of the same rates.
local Equations = require "hamel.equations"
local Matrix = require "hamel.algebra.matrix"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local MatrixForm = object.class "MatrixForm"

local SECONDS = 3                      -- for the short forms of all entries

local function column(list)
  local rows = {}
  for i, e in ipairs(list) do rows[i] = { e } end
  return Matrix.new(rows)
end

-- A function that gives entries in a short form, as derived when the time is over
local function shortener(seconds)
  local begun = core.host.clock()
  return function(e)
    local left = seconds - (core.host.clock() - begun)
    if left <= 0 or core.tree_size(e) == 1 then return e end
    local short, status = core.simplify(e, "auto", nil, { seconds = left })
    if status == "INTERRUPTED" then object.fail("interrupted") end
    return short
  end
end

local schema = { seconds = { type = "number", above = 0, default = SECONDS, doc = "time for the short forms of all entries" } }

--- The equations as one matrix equation, M rates = r + A^T lambda: N = E:matrix_form() has N.M, N.rates, N.r, and with multipliers N.A, N.lambda
--- and N.b, where A rates + b = 0 are the constraints (false without); all are matrices of expressions, columns where they are vectors. Prints as text;
--- N:latex() is one line of pmatrix.
function Equations:matrix_form(given)
  local o = options.check("matrix_form", schema, given)
  if #self.dyn == 0 then object.fail("matrix_form: the equations have no rates to be solved for") end
  local short = shortener(o.seconds)
  local rates = {}
  for i, e in ipairs(self:rates_of()) do rates[i] = e end
  if #rates ~= #self.M then object.fail("matrix_form: the %s are not linear in one rate per row", self.title) end
  local N = { _title = ("%s: %s"):format(self.system.name, self.title), M = Matrix.new(self.M):map(short), rates = column(rates),
    r = column(self.r):map(short), A = false, b = false, lambda = false }
  if #self.A > 0 then
    N.A, N.b, N.lambda = Matrix.new(self.A):map(short), column(self.b):map(short), column(self.multipliers)
  end
  return setmetatable(N, MatrixForm.meta)
end

function MatrixForm.meta.__tostring(N)
  local out = { N._title, N.A and "M rates = r + A^T lambda, A rates + b = 0" or "M rates = r" }
  for _, name in ipairs{ "rates", "M", "r", "A", "b", "lambda" } do
    if N[name] then
      local vector = N[name].columns == 1 and name ~= "M" and name ~= "A"
      local text = tostring(vector and N[name]:transpose() or N[name])
      out[#out + 1] = ("  %-7s %s"):format(name, (text:gsub("\n", "\n" .. (" "):rep(10))))
    end
  end
  return table.concat(out, "\n")
end

--- The matrix equation in LaTeX; the constraints on the rates behind it.
function MatrixForm:latex()
  local text = ("%s %s = %s"):format(self.M:latex(), self.rates:latex(), self.r:latex())
  if not self.A then return text end
  return ("%s + %s %s"):format(text, self.A:transpose():latex(), self.lambda:latex())
end

options.declare("matrix_form", schema)

return MatrixForm
