-- repeated_place.lua: proofs of steady states and of fixed points that certificates hold, proved again with more bits.
local core = require "hamel.core"
local object = require "hamel.base.object"
local stability = require "hamel.analysis.proved_stability"
local text = require "hamel.analysis.certificate_text"

local fail = object.fail
local repeated_place = {}

-- Which number of the centre is not that of the state found; states that the equations determine at once are no unknowns of the proof
local function displaced(proof, found, centre)
  for i, value in ipairs(centre) do
    local off = core.ball_sum(found.x[i], value, -1)
    local size = off.lower >= 0 and off or core.ball_sum(core.ball("0", 2), off, -1)
    if off:holds(core.ball("0", 2)) == false and not text.at_most(size, proof.images[1]) then
      return ("centre %d is %s, but the state has %s there"):format(i, proof.centre[i], stability.number(found.x[i]))
    end
  end
end

local function repeated(statement, problem, proof)
  local bits = proof.bits + text.MORE_BITS
  local found = statement.prove(problem, text.centre(proof, bits), { bits = bits, radius = core.ball(proof.radii[1], 64), iterations = 0 })
  if not found.proved then return nil, found.reason end
  found.images = { found.image_ball }
  return found
end

--- Proves with more bits what a certificate states, its bounds and its verdict: the result, or nil and the reason.
function repeated_place.prove_again(statement, problem, proof)
  local found, reason = repeated(statement, problem, proof)
  reason = reason or text.exaggerated(proof, found) or displaced(proof, found, text.centre(proof, proof.bits + text.MORE_BITS))
  if reason then return nil, reason end
  if proof.stable ~= "nil" and tostring(found.stable) ~= proof.stable then
    return nil, ("the certificate says 'stable %s', which is not proved again: %s"):format(proof.stable, found.verdict)
  end
  return found
end

--- The text of a certificate. proof: { bits, centre, radii = texts, stable }; its bounds are those of a proof with more bits. Raises where that fails.
function repeated_place.text(statement, problem, proof)
  local found, reason = repeated(statement, problem, proof)
  if not found then fail("save: the proof is not repeated with %d more bits: %s; prove it with more bits", text.MORE_BITS, reason) end
  text.state(proof, found)
  return statement.write(problem, proof)
end

return repeated_place
