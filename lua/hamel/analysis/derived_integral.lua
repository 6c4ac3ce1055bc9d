-- derived_integral.lua: the steps that show why a function is constant along the motion, or what its rate is.
local affine = require "hamel.algebra.affine"
local core = require "hamel.core"
local fields = require "hamel.geometry.fields"
local smoothness = require "hamel.geometry.smoothness"
local surface_flow = require "hamel.geometry.surface_flow"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"

local vanishes = vanishing.proved

-- Linear and homogeneous in w, with what it is then the momentum of
local function generator_of(flow, on)
  local slopes, rest = affine.of({ on }, flow.w)
  if not slopes or not vanishes(rest[1]) or vanishes(on) then return nil end
  return flow:generator(on)
end

-- F is the momentum of a field that the constraints admit: no accelerations are needed
local function by_field(D, write, flow, Z)
  local system = flow.system
  local one = write.step(D, "F is the momentum Z . dL/dq' of the field Z = " .. fields.text(system, Z))
  for i, q in ipairs(flow.q) do
    if core.number_value(Z[i]) ~= 0 then write.line(one, "Z_" .. core.text(q), ("Z_{%s}"):format(core.latex(q)), Z[i]) end
  end
  if #system.constraints > 0 then
    one = write.step(D, "The constraints admit the field, so that their reactions do no work on it: A Z")
    for k, e in ipairs(flow:reaction_work(Z)) do
      write.line(one, system.constraints[k].name, ("\\text{%s}"):format(system.constraints[k].name), e)
    end
  end
  one = write.step(D, "The rate of F is therefore Z^C(L) + Q . Z on the constraints, with the derivatives of L along the field carried on to the velocities",
    "The rate of $F$ is therefore $Z^C(L) + Q \\cdot Z$ on the constraints, with the derivatives of $L$ along the field carried on to the velocities")
  local rate = flow:off(flow:lifted(Z))
  write.line(one, "F'", "\\dot{F}", rate)
  return rate
end

-- The rate by the accelerations
local function by_accelerations(D, write, flow, on)
  local one = write.step(D, "The velocities on the constraints")
  for i, q in ipairs(flow.q) do write.named(one, q.dot, flow.k[i]) end
  one = write.step(D, "The accelerations on the constraints, from the equations of the form 'hamel'")
  for a, rate in ipairs(flow:rates()) do write.named(one, flow.w[a].dot, rate) end
  one = write.step(D, "The parts of the rate of F: by the coordinates, by the velocities, by the time")
  local dq, dw, parts = core.gradient(on, flow.q), core.gradient(on, flow.w), { {}, {} }
  for i = 1, flow.n do parts[1][i] = dq[i]*flow.k[i] end
  for a, rate in ipairs(flow:rates()) do parts[2][a] = dw[a]*rate end
  local first, second, third = core.sum(parts[1]), core.sum(parts[2]), core.diff(on, symbols.t)
  write.line(one, "dF/dq . q'", "\\frac{\\partial F}{\\partial q} \\cdot \\dot{q}", first)
  write.line(one, "dF/dw . w'", "\\frac{\\partial F}{\\partial w} \\cdot \\dot{w}", second)
  if core.number_value(third) ~= 0 then write.line(one, "dF/dt", "\\frac{\\partial F}{\\partial t}", third) end
  return first + second + third
end

-- What the rate says, as S:is_conserved does
local function verdict_of(flow, F, rate)
  local zero, inputs = flow:is_lasting(rate), flow:without_inputs()
  local where = #flow.surfaces > 0 and not vanishes(rate) and "on the constraints" or "identically"
  if inputs ~= "" then inputs = ", " .. inputs end
  local jump = zero and (smoothness.jump{ F } or smoothness.jump_of_system(flow.system))
  if jump then return ("Its rate vanishes where %s does not jump, which proves nothing across the jumps%s"):format(core.text(jump), inputs) end
  if zero then return ("Its rate vanishes %s: F is constant along every motion%s"):format(where, inputs) end
  if zero == false then return "Its rate does not vanish: F is not conserved" .. inputs end
  return ("Whether its rate vanishes%s is not decided%s"):format(#flow.surfaces > 0 and " on the constraints" or "", inputs)
end

--- Writes the steps for the function F into the derivation D; write: { step, line, named } of derivation.lua.
return function(system, D, F, write)
  local flow = surface_flow.demand(system, "derivation")
  local on = flow:on(F)
  write.line(write.step(D, "The function"), "F", "F", F)
  local Z = flow.linear and generator_of(flow, on)
  local rate = Z and by_field(D, write, flow, Z) or by_accelerations(D, write, flow, on)
  local one = write.step(D, verdict_of(flow, F, rate))
  if not Z and not vanishes(rate) then write.line(one, "F'", "\\dot{F}", flow:off(flow:on(rate))) end
end
