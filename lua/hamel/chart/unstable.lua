-- chart/unstable.lua: is a state at which a motion rests one that any disturbance makes it leave?
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local growth = require "hamel.chart.growth"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local timed = require "hamel.chart.timed"
local turns = require "hamel.chart.turns"

local unstable = {}

local MARGIN = 1e-7                     -- of the largest eigenvalue: the real part of an unstable one is more
local CELLS, MOST = 1024, 1000          -- cells of a scale at least: states in one have one answer; answers that are kept

-- The errors of a run, in units of rtol. A motion that passes a saddle at a distance d, of the extent of the motion, comes in at a distance of about d^2 from
-- the way into the saddle: errors decide what follows where they are as large
local ERRORS, LEAST_RTOL = 300, 1e-14

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

-- The state of rest near a state, its coordinates as a list, if it is unstable; else false. verdicts: of states of rest that are known, as many states lead
-- to one; given: the word of the parameters
local function judged(system, state, names, parameters, verdicts, given)
  local q = {}
  for i, name in ipairs(names) do if system._coordinate[name] then q[name] = state[i] end end
  local fine, rest = protected(system.equilibrium, system, { q = q, parameters = parameters })
  if core.host.interrupted() then error(rest, 0) end
  if not fine then return false end
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
  return verdicts[word] and at
end

--- A function of a state, of what its entries are counted in, and of parameters by name: is it within `near` times these of a state of rest that is
--- unstable? names: of the states. Equations that depend on the time at these parameters, and contacts, are not judged: false.
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
    for i, value in ipairs(at) do if math.abs(state[i] - value) > near*scale[i] then return false end end
    return true
  end
end

--- A function of states of one motion with their times, and of parameters by name: does it pass an unstable state of rest so near that errors of the run
--- decide what follows? In words; nil: not at these states. o: { rtol =, atol = }. A motion that rests there from the start on passes nothing.
function unstable.passages(system, names, o)
  local is_unstable, T = unstable.judge(system, names), turns.of(system, names)
  local near = math.sqrt(ERRORS*math.max(o.rtol, LEAST_RTOL))
  return function(states, parameters)
    if #states == 0 or growth.rests(states) then return nil end
    local extent, size = points.extent(states)
    turns.bound(T.at(parameters), extent, size)
    local scale = points.scale(extent, size, points.least(o, near))
    for _, state in ipairs(states) do
      if is_unstable(state, scale, near, parameters) then
        return ("at t = %.6g it passes a state of rest that is unstable so near that errors of the run decide when, and to where, it leaves; take a start or "
          .. "an energy a little off, or a smaller rtol"):format(state.t)
      end
    end
    return nil
  end
end

return unstable
