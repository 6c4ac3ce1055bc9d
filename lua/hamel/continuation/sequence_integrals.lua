-- sequence_integrals.lua: integrals of motions with events: momenta and the energy where all modes and all events keep them.
--
-- An impulse at a gap changes no momentum of a coordinate that the gap does not contain, and no energy where the gap does not move and the coefficient of
-- restitution is 1. A switch changes no state.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local integrals = require "hamel.continuation.integrals"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local symbols = require "hamel.algebra.symbols"

local sequence_integrals = {}

local function impacts_of(problem)
  local list = {}
  for _, segment in ipairs(problem.segments) do
    if segment.event.kind == "impact" then list[#list + 1] = problem.system.gaps[segment.event.name] end
  end
  return list
end

local function has(e, symbol) return core.diff(e, symbol):is_zero() ~= true end

-- Is the coefficient of restitution 1, along all of the branch: as a number, or by the value of parameters that do not change?
local function is_elastic(problem, gap)
  local e, flow = core.number(gap.law.restitution or 0), problem.flow
  for _, s in ipairs(core.symbols{ e }) do
    if not object.contains(flow.observer.parameters, s) or object.contains(flow.E.held or {}, s) then return false end
  end
  return flow.observer:evaluate(flow.observer:program{ e }, flow.w, flow.t, flow.x)[1] == 1
end

local function kept_by_impacts(problem, name)
  for _, gap in ipairs(impacts_of(problem)) do
    if name == "energy" then
      if has(gap.gap, symbols.t) or not is_elastic(problem, gap) then return false end
    else
      for _, q in ipairs(problem.flow.E.kin) do if "p_" .. core.text(q) == name and has(gap.gap, q) then return false end end
    end
  end
  return true
end

local function kept_by_modes(problem, e)
  local seen = {}
  for _, segment in ipairs(problem.segments) do
    local mode = segment.flow.system
    if not seen[mode] then
      seen[mode] = true
      local fine, answer = attempt(mode.is_conserved, mode, e)
      if not (fine and answer == true) then return false end
    end
  end
  return true
end

--- The integrals of a problem: { name =, at = function of the point, in_mode = such functions, one for each segment }.
function sequence_integrals.of(problem)
  local list = {}
  for _, integral in ipairs(integrals.of(setmetatable({ period_place = not problem.timed and 0 or nil }, { __index = problem }), {})) do
    if kept_by_impacts(problem, integral.name) and kept_by_modes(problem, integral.e) then
      integral.in_mode = {}
      for i in ipairs(problem.segments) do integral.in_mode[i] = states.observed(problem.spaces[i], integral.e) end
      list[#list + 1] = integral
    end
  end
  return list
end

return sequence_integrals
