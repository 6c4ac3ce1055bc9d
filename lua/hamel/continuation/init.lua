-- continuation/init.lua: S:continue: branches of equilibria and of periodic motions, with their special points.
local arclength = require "hamel.continuation.arclength"
local Branch = require "hamel.continuation.branch"
local core = require "hamel.core"
local equilibria = require "hamel.continuation.equilibria"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbits = require "hamel.continuation.orbits"
local System = require "hamel.system"
local variations = require "hamel.analysis.variations"

local fail = object.fail

local schema = {
  equilibrium = { type = "table", doc = "a result of S:equilibrium, or a guess { q =, t = }" },
  periodic = { type = "table", doc = "a result of S:periodic, or a guess { q =, v =, t =, period = }" },
  along = { type = "string", or_type = "userdata", doc = "a parameter; for periodic motions also 'energy' or another integral" },
  from = { type = "number", doc = "least value of what changes" },
  to = { type = "number", doc = "largest value of what changes" },
  step = { type = "number", above = 0, doc = "first step along the branch; a hundredth of from ... to when not given" },
  least = { type = "number", above = 0, default = 1e-9, doc = "shortest step" },
  largest = { type = "number", above = 0, doc = "longest step; a twentieth of from ... to when not given" },
  points = { type = "number", from = 1, whole = true, default = 400, doc = "largest number of points, in each direction" },
  both = { type = "boolean", doc = "false: only towards `to`, or towards `from` where that is not given" },
  locate = { type = "number", above = 0, default = 1e-11, doc = "how exactly special points are located" },
  tolerance = { type = "number", above = 0, default = 1e-10, doc = "how well the equations hold, relative to the states" },
  fixed = { type = "table", doc = "integrals that keep their value along the branch, by name: { energy = 0.1 }" },
  integrals = { type = "table", doc = "integrals that S:conserved does not find, by name" },
  symmetry = { type = "table", list = true, doc = "rates of the coordinates along symmetries up to which motions close: { {x = -y, y = x} }" },
  stop = { type = "table", doc = "{ kind, n }: end at the n-th special point of a kind" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
  form = { type = "string", doc = "formalism" },
}
for _, name in ipairs(variations.run_names) do schema[name] = variations.schema[name] end
schema.rtol = { default = 1e-12, from = 0, type = "number", doc = "relative tolerance per step of runs" }
schema.atol = { default = 1e-12, from = 0, type = "number", doc = "absolute tolerance per step of runs" }

local kinds = { "equilibrium", "periodic" }

local function kind_of(o)
  local found
  for _, kind in ipairs(kinds) do
    if o[kind] then
      if found then fail("continue: %s and %s are given; one branch starts from one of them", found, kind) end
      found = kind
    end
  end
  return found or fail("continue: from where? give equilibrium = { q = ... } or periodic = { q =, v =, period = }, a guess or a result")
end

--- Follows a branch of equilibria or of periodic motions: S:continue{ equilibrium = { q = {y = -1} }, along = "load", from = -1, to = 1 },
--- S:continue{ periodic = orbit, along = "mu", to = 2 }, along = "energy" for the family of a conservative system.
--- Pseudo-arclength, so that folds are passed; Newton's method with exact derivatives. Special points are located where a test function changes its
--- sign: fold, branch, hopf (of equilibria), flip, torus (of periodic motions).
--- Result B: B.points[i] (q, v, period, energy, parameters, eigenvalues or multipliers, stable = true, false or nil where the first approximation does
--- not decide), B.special[j] = { kind =, value =, point =, frequency = }, B.ended; B:switch(special) follows the branch that starts there.
--- Raises an error where there is no solution near the guess. Sources: Keller 1977; Doedel, Keller and Kernevez 1991.
function System:continue(given)
  local o = options.check("continue", schema, given)
  local kind = kind_of(o)
  if not o.along then fail("continue: along what? along = \"%s\", a parameter", self.parameter_names[1] or "mu") end
  local make = kind == "equilibrium" and equilibria.new or orbits.new
  local guess = object.copied(o[kind])
  guess.orbit = object.is_a(o[kind], "Orbit") and o[kind]
  guess.parameters = object.copied(self:by_name(guess.parameters or o.parameters or {}, "parameters"))
  local problem, y = make(self, o, guess, { core.is_expression(o.along) and core.text(o.along) or o.along })
  return Branch.through(self, problem, o, y)
end

options.declare("continue", schema)

return arclength
