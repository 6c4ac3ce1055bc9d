-- lost_digits.lua: accelerations that rounding leaves with too few digits, since masses or forces differ by many orders of magnitude.
local compile = require "hamel.model.compile"
local coupling = require "hamel.equations.coupling"
local methods = require "hamel.run.methods"
local symbols = require "hamel.algebra.symbols"

local lost_digits = {}

local DIGITS = 1e-9                    -- of the largest acceleration: what all may be off
local UNITS = 8                        -- units in the last place of the states whose effect accelerations may have: no other way to solve for them has less

--- The part of the largest acceleration that accelerations are off at (t, x); nil: no more than `part` of it (1e-9 at least), than the rounding of the state
--- itself brings about, or than `most` in all. The second result is true where the states do not hold the velocities: momenta of masses that differ. w: a
--- workspace of the core, or the reader of a run with contacts.
function lost_digits.at(w, t, x, part, most)
  w:set_state(t, x)
  local off, largest, unit, states = w:digits()
  if states > math.max(DIGITS, part or 0) then return states, true end
  if off > math.max(DIGITS, part or 0)*largest and off > UNITS*unit and off > (most or 0) then return off/largest end
end

--- The same for a run: nil where the tolerances let it pass over all its time.
function lost_digits.in_run(w, t, x, o, span)
  local size = 0
  for k = 1, #x do size = math.max(size, math.abs(x[k])) end
  return lost_digits.at(w, t, x, o.rtol, span > 0 and (o.atol + o.rtol*size)/span or math.huge)
end

--- Can the general solve, refined in quadruple precision, give the accelerations? Methods with programs or steps of their own do not take them.
function lost_digits.may_refine(system, o)
  if (o.elimination or "cheapest") ~= "cheapest" or coupling.any(system) or not compile.has_quadruple() then return false end
  return not o.method or not methods.find(o.method).run and o.method ~= "taylor"
end

--- Must the accelerations of a run from (t, x) be refined in quadruple precision?
function lost_digits.at_start(system, w, t, x, o)
  if not o.rtol or not lost_digits.may_refine(system, o) then return false end
  local to = type(o.t) == "table" and o.t[2] or o.t
  local part, states = lost_digits.in_run(w, t, x, o, math.abs((symbols.number(to) or t) - t))
  return part ~= nil and not states
end

--- What to do about it, for messages.
function lost_digits.advice(o)
  if o.elimination == "refined" then return "masses, or forces that constraints take up, differ by too many orders of magnitude even for that" end
  return "masses, or forces that the constraints take up and others, differ by many orders of magnitude; take elimination = \"refined\""
    .. (o.method == "taylor" and " and method = \"auto\"" or "")
end

return lost_digits
