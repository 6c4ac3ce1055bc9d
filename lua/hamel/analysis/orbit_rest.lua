-- orbit_rest.lua: is a proved closed orbit a state of rest? With a stroboscope it may be, as there each state of rest is closed after the period.
local core = require "hamel.core"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local vanishing = require "hamel.algebra.vanishing"

local orbit_rest = {}

local LARGEST, TURNS = 60, 12          -- denominators of numbers, of parts of pi, that are tried

-- The number with the smallest denominator in a ball, or part of pi; nil: none is found. Numbers in a ball so wide would be chance
local function simplest(x)
  local middle = (x.lower + x.upper)/2
  for _, unit in ipairs{ { 1, core.rational(1), LARGEST }, { math.pi, core.pi(), TURNS } } do
    for d = 1, unit[3] do
      local whole = math.floor(middle/unit[1]*d + 0.5)
      local value = core.rational(whole, d)*unit[2]
      if math.abs(whole) < 1e6 and math.abs(whole/d*unit[1] - middle) < 1e-9*(1 + math.abs(middle)) and x:contains(value) then return value end
    end
  end
end

-- Does nothing depend on the state of time, and on no condition but its start and the integrals?
local function is_autonomous(P, time)
  for _, c in ipairs(P.conditions) do if not c.integral and c.f ~= time then return false end end
  local lists = { P.k, P.r, P.b }
  for _, rows in ipairs{ P.M, P.A } do table.move(rows, 1, #rows, #lists + 1, lists) end
  for _, list in ipairs(lists) do for _, e in ipairs(list) do if not vanishing.proved(core.diff(e, time)) then return false end end end
  for _, c in ipairs(P.conditions) do if c.integral and not vanishing.proved(core.diff(c.f, time)) then return false end end
  return true
end

-- Is the state with these values at rest at all times?
local function rests_at(P, values, time)
  local from, to = {}, {}
  for i, q in ipairs(P.kin) do if q ~= time then from[#from + 1], to[#to + 1] = q, values[i] end end
  for _, s in ipairs(P.dyn) do from[#from + 1], to[#to + 1] = s, core.rational(0) end
  for _, list in ipairs{ P.k, P.r, P.b } do
    for i, e in ipairs(list) do
      local rate = list == P.k and P.kin[i] == time
      if not rate and not vanishing.proved(core.substitute(e, from, to)) then return false end
    end
  end
  for _, c in ipairs(P.conditions) do
    if c.f ~= time and not vanishing.proved(core.substitute(c.f, from, to) - c.target) then return false end
  end
  return true
end

-- The state of time, whose shift is the period of the stroboscope; nil: there is none
local function time_of(problem)
  local last = problem.kin[#problem.kin]
  for _, c in ipairs(problem.conditions) do if c.name == "start of time" and c.f == last then return last end end
end

--- Is the proved orbit with the start and the period y a state of rest? true; false: a rate is proved not to vanish at its start; nil: not decided. Its box
--- holds no other orbit, so that it is the state of rest where one lies in the box; where nothing depends on time, each other moment of it would start an
--- orbit, too.
function orbit_rest.of(problem, y)
  local time = time_of(problem)
  if not time or #problem.advance > 0 or #problem.mirror > 0 then return false end
  local P = orbit_integrals.at_values(problem)
  if #problem.shift == 1 and #problem.flip == 0 and is_autonomous(P, time) then return true end
  local values, n = {}, #P.kin
  for j = 1, #P.dyn do if not y[n + j]:contains(0) then return false end end
  for i, q in ipairs(P.kin) do
    values[i] = q == time and core.rational(0) or simplest(y[i])
    if not values[i] then return nil end
  end
  return rests_at(P, values, time) or nil
end

return orbit_rest
