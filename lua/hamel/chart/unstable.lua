-- chart/unstable.lua: is a state at which a motion rests one that any disturbance makes it leave?
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local protected = require "hamel.base.protected"
local timed = require "hamel.chart.timed"

local unstable = {}

local MARGIN = 1e-7                     -- of the largest eigenvalue: the real part of an unstable one is more
local CELLS, MOST = 1e3, 1000           -- of a scale: states in one cell have one answer; answers that are kept

-- The state of rest near a state, its coordinates as a list, and whether it is unstable; nil: there is none
local function judged(system, state, names, parameters)
  local q = {}
  for i, name in ipairs(names) do if system._coordinate[name] then q[name] = state[i] end end
  local fine, rest = protected(system.equilibrium, system, { q = q, parameters = parameters })
  local known, L = protected(system.linearize, system, fine and rest or nil)
  if core.host.interrupted() then error(fine and L or rest, 0) end
  if not fine or not known then return false end
  local size = 0
  for _, e in ipairs(L.eigenvalues) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
  -- of equations with a drive of the amplitude zero S:linearize gives no verdict
  if not (L.largest > MARGIN*size) then return false end
  local at = {}
  for i, name in ipairs(names) do at[i] = rest.q[name] or 0.0 end
  return at
end

--- A function of a state, of what its entries are counted in, and of parameters by name: is it within `near` times these of a state of rest that is
--- unstable? names: of the states. Equations that depend on the time at these parameters, and contacts, are not judged: false.
function unstable.judge(system, names)
  local depends, answers, count = nil, {}, 0
  return function(state, scale, near, parameters)
    depends = depends or contact.any(system) and function() return true end or timed.of(system, system:equations "lagrange")
    if depends(parameters) then return false end
    local key = {}
    for i in ipairs(names) do
      key[i] = ("%.0f"):format(state[i]/scale[i]*CELLS)
      if not system._coordinate[names[i]] and math.abs(state[i]) > near*scale[i] then return false end
    end
    for _, name in ipairs(system.parameter_names) do key[#key + 1] = ("%s %.17g"):format(name, parameters[name] or 0/0) end
    key = table.concat(key, " ")
    if answers[key] == nil then
      if count == MOST then answers, count = {}, 0 end
      answers[key], count = judged(system, state, names, parameters), count + 1
    end
    local at = answers[key]
    if not at then return false end
    for i, value in ipairs(at) do if math.abs(state[i] - value) > near*scale[i] then return false end end
    return true
  end
end

return unstable
