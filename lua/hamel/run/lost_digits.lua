-- lost_digits.lua: accelerations that rounding leaves with too few digits, since masses or forces differ by many orders of magnitude.
local compile = require "hamel.model.compile"
local coupling = require "hamel.equations.coupling"
local methods = require "hamel.run.methods"
local symbols = require "hamel.algebra.symbols"

local lost_digits = {}

--- The part of the largest acceleration that accelerations are off at (t, x); nil: no more than 1e-9 or than the rounding of the state itself brings about. The
--- second result is true where the states do not hold the velocities: momenta of masses that differ. Third: an estimate of the part that rounding may cost.
function lost_digits.at(w, t, x) return w:lost_digits(t, x, 0.0, 0.0, 0.0, 1.0) end

--- The same for a run of that length: nil where the tolerances let it pass over all its time. w: a workspace of the core, or the reader of a run with contacts.
function lost_digits.in_run(w, t, x, o, span) return w:lost_digits(t, x, o.rtol, o.atol, o.rtol, span) end

--- Can the general solve, refined in quadruple precision, give the accelerations? Methods with programs or steps of their own do not take them.
function lost_digits.may_refine(system, o)
  if (o.elimination or "cheapest") ~= "cheapest" or coupling.any(system) or not compile.has_quadruple() then return false end
  return not o.method or not methods.find(o.method).run and o.method ~= "taylor"
end

--- Must the accelerations of a run from (t, x) be refined in quadruple precision? Forces that are functions in Lua are called by the run alone: it is judged
--- when it has ended.
function lost_digits.at_start(system, w, t, x, o)
  if not o.rtol or #system:external_forces() > 0 then return false end
  local to = type(o.t) == "table" and o.t[2] or o.t
  local part, states = lost_digits.in_run(w, t, x, o, math.abs((symbols.number(to) or t) - t))
  return part ~= nil and not states and lost_digits.may_refine(system, o)
end

--- What to do about it, for messages.
function lost_digits.advice(o)
  if o.elimination == "refined" then return "masses, or forces that constraints take up, differ by too many orders of magnitude even for that" end
  return "masses, or forces that the constraints take up and others, differ by many orders of magnitude; take elimination = \"refined\""
    .. (o.method == "taylor" and " and method = \"auto\"" or "")
end

return lost_digits
