-- rest_verdicts.lua: is a state of rest or a steady motion stable, by its eigenvalues and by how exactly these are known?
--
-- The errors of the matrix and of its eigenvalues are estimated with them. What the errors of the state itself do is found by trial, and only where the
-- verdict hangs on it: from states that differ in the last digits Newton's method leads back, and what the eigenvalues differ by there is not known of them.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local states = require "hamel.continuation.states"

local rest_verdicts = {}

local modulus = states.modulus

local CLEAR = 1e-7                      -- of the largest eigenvalue: a real part that no error of the state turns round
local KNOWN = 10                        -- times what is not known of an eigenvalue: so far off the axis its side is known
local TRIALS, UNIT = 3, 2^-52

-- A state beside that of a point, by last digits, k: one of several; brought back by a step of Newton's method
local function beside(problem, point, k)
  local d, space = {}, problem.space
  for i, value in ipairs(point.y) do d[i] = ((7*i + 5*k) % 5 - 2)*UNIT*value/space.scale[i] end
  local y = problem:moved(point.y, d)
  local directions = problem:directions(y, point.directions)
  local F, rows = problem:equations(y, directions)
  local flat, side = {}, {}
  for a, row in ipairs(rows) do
    for b = 1, #directions do flat[#flat + 1] = row[b] end
    side[a] = -F[a]
  end
  if #rows > 0 then y = problem:moved(y, corrector.combined(directions, core.least_squares(#rows, #directions, flat, side, 1e-12))) end
  local there = { y = y, directions = problem:directions(y, point.directions), bare = true }
  there.F, there.rows = problem:equations(y, there.directions)
  return (problem:known(there))
end

-- How far each eigenvalue of a point is from the one at states beside it, at most
local function scatter(problem, point)
  local list, most = problem:known(point), {}
  for k = 1, TRIALS do
    local fine, other = attempt(beside, problem, point, k)
    local free = fine and table.move(other, 1, #other, 1, {}) or {}
    for _, e in ipairs(list) do
      local nearest, least = nil, math.huge
      for i, a in ipairs(free) do
        local off = modulus{ re = a.re - e.re, im = a.im - e.im }
        if off < least then nearest, least = i, off end
      end
      if nearest then table.remove(free, nearest) end
      most[e] = math.max(most[e] or 0, least)
    end
  end
  return most
end

--- From the eigenvalues of a list, of those that problem:known gives at a point: true where all of them are left of the axis, false where one is right of it;
--- nil: neither, as far as they are known. Where there are none, motions nearby are at rest, or steady, as well.
function rest_verdicts.of(problem, point, list)
  local scale, off = 0, nil
  for _, e in ipairs(problem:known(point)) do scale = math.max(scale, modulus(e)) end
  -- -1, 1: left and right of the axis; 0: not known
  local function side(e)
    local uncertainty = e.uncertainty or 0
    -- the uncertainty of a multiple eigenvalue is not known
    if not (uncertainty < math.huge) then uncertainty = 0 end
    local size = math.abs(e.re)
    local known = size > math.max(CLEAR*scale, uncertainty)
    if not known and e.uncertainty and e.uncertainty < math.huge and size > KNOWN*uncertainty then
      off = off or scatter(problem, point)
      known = size > KNOWN*math.max(uncertainty, off[e])
    end
    return known and (e.re > 0 and 1 or -1) or 0
  end
  local stable = true
  for _, e in ipairs(list) do
    local s = side(e)
    if s > 0 then return false end
    if s == 0 then stable = nil end
  end
  return stable
end

return rest_verdicts
