-- chart/unstable.lua: is a state at which a motion rests one that any disturbance makes it leave, or none of rest at all?
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local failure = require "hamel.base.failure"
local protected = require "hamel.base.protected"
local timed = require "hamel.chart.timed"

local unstable = {}

local MARGIN = 1e-7                     -- of the largest eigenvalue: the real part of an unstable one is more
local CELLS, MOST = 1024, 1000          -- cells of a scale at least: states in one have one answer; answers that are kept

-- The parameters by name in one word
local function word_of(system, parameters)
  local words = {}
  for _, name in ipairs(system.parameter_names) do words[#words + 1] = ("%s %.17g"):format(name, parameters[name] or 0/0) end
  return table.concat(words, " ")
end

-- The cell of a state in one word. Its widths are powers of two, so that motions whose scales differ a little share their answers
local function cell_of(state, names, scale)
  local words = {}
  for i in ipairs(names) do
    local width = math.floor(math.log(scale[i]/CELLS, 2))
    words[i] = ("%.0f*2^%.0f"):format(state[i]/2.0^width, width)
  end
  return table.concat(words, " ")
end

-- The state of rest to which Newton's method goes from a state, { coordinates as a list, unstable = is it so? }; { } where it goes on and on, as with forces
-- that vanish like a power of the distance; false: it is not known. verdicts: of states of rest that are known, as many states lead
-- to one; given: the word of the parameters
local function judged(system, state, names, parameters, verdicts, given)
  local q = {}
  for i, name in ipairs(names) do if system._coordinate[name] then q[name] = state[i] end end
  local fine, rest = protected(system.equilibrium, system, { q = q, parameters = parameters })
  if core.host.interrupted() then error(rest, 0) end
  if not fine then return failure.kind(rest) == "no rest" and {} end
  local at, words = {}, { given }
  for i, name in ipairs(names) do at[i] = rest.q[name] or 0.0 end
  for i, value in ipairs(at) do words[i + 1] = ("%.9g"):format(value) end
  local word = table.concat(words, " ")
  if verdicts[word] == nil then
    local known, L = protected(system.linearize, system, rest)
    if core.host.interrupted() then error(L, 0) end
    local size = 0
    for _, e in ipairs(known and L.eigenvalues or {}) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
    -- of equations with a drive of the amplitude zero S:linearize gives no verdict
    verdicts[word] = known and L.largest > MARGIN*size
  end
  at.unstable = verdicts[word]
  return at
end

--- A function of a state, of what its entries are counted in, and of parameters by name: is it within `near` times these of a state of rest that is
--- unstable? names: of the states. Second result: is there no state of rest so near, though the velocities are as small? Then the motion creeps. Equations
--- that depend on the time at these parameters, and contacts, are not judged: false.
function unstable.judge(system, names)
  local depends, answers, verdicts, count = nil, {}, {}, 0
  return function(state, scale, near, parameters)
    depends = depends or contact.any(system) and function() return true end or timed.of(system, system:equations "lagrange")
    for i, name in ipairs(names) do
      if not system._coordinate[name] and math.abs(state[i]) > near*scale[i] then return false end
    end
    if depends(parameters) then return false end
    local given = word_of(system, parameters)
    local key = cell_of(state, names, scale) .. " " .. given
    if answers[key] == nil then
      if count == MOST then answers, verdicts, count = {}, {}, 0 end
      answers[key], count = judged(system, state, names, parameters, verdicts, given), count + 1
    end
    local at = answers[key]
    if not at then return false end
    for i in ipairs(names) do if not at[i] or math.abs(state[i] - at[i]) > near*scale[i] then return false, true end end
    return at.unstable
  end
end

return unstable
