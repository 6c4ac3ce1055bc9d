-- branch_starts.lua: the start of a branch near a guess, or why there is none.
local attempt = require "hamel.base.attempt"
local branch_settings = require "hamel.continuation.branch_settings"
local corrector = require "hamel.continuation.corrector"
local failure = require "hamel.base.failure"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local branch_starts = {}

local FREE = 1e-7                      -- singular values below, relative to the largest, count as zero
local BESIDE, SAME = { 1e-3, 1e-2, 1e-1, 1e-4 }, 1e-6  -- how far from a branch point the branch is started, relative to its range; what counts as one value

-- The start at a fold, where the value says nothing: the solution beside y across the tangent of the curve; nil: y is at none
local function at_fold(problem, y)
  local fine, point = attempt(function()
    local list = problem:directions(y)
    local F, rows = problem:equations(y, list)
    return { directions = list, rows = rows, F = F }
  end)
  local list, values = table.unpack(fine and { corrector.null_directions(point, 1, problem.at_rest) } or {})
  local n = fine and #point.directions or 0
  if not list or n > 1 and not (values[n - 1] > FREE*values[1]) then return nil end
  local start = corrector.beside(problem, y, list[1], 0.0)
  local value = problem:value(y)
  return start and math.abs(start.value - value) <= SAME*(corrector.unit(problem) + math.abs(value)) and start or nil
end

-- The direction along a gradient in which the value grows by `change`, to first order
local function towards(gradient, change)
  local square, list = tangent.dot(gradient, gradient), {}
  for i, slope in ipairs(gradient) do list[i] = change*slope/square end
  return list
end

-- The start beside a branch point, where the solution for each value is one; nil: there is none, as where solutions come in families. A branch that goes to
-- one side starts on the other one, so that the branch point is on it
local function beside_branch_point(problem, o, y)
  local value, gradient = problem:value(y)
  local control, side = branch_settings.control(problem, o, value), o.to and not o.from and -1 or 1
  for _, part in ipairs(BESIDE) do
    for way = side, -side, -2*side do
      local wanted = value + way*part*(control.largest*20*corrector.per_length(problem))
      if not (o.from and o.to) or wanted >= o.from and wanted <= o.to then
        -- at the branch point itself the equations are singular
        local fine, moved = attempt(problem.moved, problem, y, towards(gradient, wanted - value))
        local start = fine and corrector.at_value(problem, moved, function(at) return problem:value(at) end, wanted)
        if start and corrector.excess(problem, start.y) == 0 then
          start.moved_from = value
          return start
        end
      end
    end
  end
  return nil
end

local OUTSIDE = 1e-9                    -- of the period: by how much a duration may fall below zero by rounding

-- Newton's method may come to a solution in which an event follows before the one that it has to follow
local function demand_order(problem, start)
  for _, limit in ipairs(problem.limits or {}) do
    local value = limit.name == "duration" and limit.at(start.y)
    if value and value < -OUTSIDE*problem:period(start.y) then
      fail("continue: the solution near the guess is no motion: a duration is %.6g, beyond the place where %s; the sequence of events comes from a run from "
        .. "the guess: if the motion is stable, start from the state of a run after many periods, otherwise give a better guess", value, limit.ends)
    end
  end
end

local ROUNDING = 1e-13                  -- of the largest singular value of the equations

-- Raises where no start was found since doubles do not hold what differs by many orders of magnitude
local function demand_orders(problem, y)
  local fine, orders, open = attempt(function()
    if problem.orders_lost then return problem:orders_lost(y) end
    return nil
  end)
  if fine and open and corrector.excess(problem, y, ROUNDING) == 0 then
    fail("continue: the eigenvalues of this state of rest span so many orders of magnitude that doubles do not decide whether it is alone; a build with ball "
      .. "arithmetic (FLINT) may: start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints")
  end
  if not fine or not orders then return end
  fail("continue: the eigenvalues of this state of rest span %.1f orders of magnitude, too many for its equations in doubles: neither its neighbours "
    .. "nor whether it is alone are decided; start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints; "
    .. "S:linearize gives the stability of single states", orders)
end

local LEVEL, STAYS = 1e-6, 1e-12         -- slope of the value that may be zero; relative change of the value over a step that counts as none

-- The name of what differs most between two records, beside the parameters
local function most_different(one, other)
  local name, most = "t", math.abs((one.t or 0) - (other.t or 0))
  for _, kind in ipairs{ "q", "v" } do
    for key, value in pairs(one[kind] or {}) do
      local off = math.abs(value - (other[kind] or {})[key])
      if off > most then name, most = kind == "v" and key .. "'" or key, off end
    end
  end
  return name
end

-- What to do where solutions come in families, by the problem; nil: it does not know
local function in_families(problem, y)
  if type(problem.in_families) ~= "function" then return problem.in_families end
  return problem:in_families(y)
end

-- Raises where the value is the same for all solutions through the start: a family at this value alone. At a fold it changes with the square of a step
local function demand_change(problem, o, start)
  if math.abs(corrector.slope(problem, start)) > LEVEL then return end
  local h, size, moved = branch_settings.control(problem, o, start.value).step, o.from and o.to and math.abs(o.to - o.from) or 1 + math.abs(start.value), nil
  for _, way in ipairs{ 1, -1 } do
    local point = corrector.stepped(problem, start, way*h)
    if not point or math.abs(point.value - start.value) > STAYS*size then return end
    local slides = problem.slides and problem:slides(start.y, problem:difference(point.y, start.y))
    moved = moved or slides and "t" or most_different(problem:record(point), problem:record(start))
  end
  local advice
  if moved == "t" then
    advice = "the instant of the start is free, since nothing depends on time there, as with a drive of amplitude 0; leave the drive out of the system, "
      .. "and the period is free instead, or start where it acts"
  else
    local keep = problem.kind == "steady motions" and ("keep = { \"%s\" } at the start, and another quantity along"):format(moved)
    advice = ("%s does not tell them apart, %s does: %s"):format(problem.name, moved, keep or in_families(problem, start.y)
      or "hold it by a constraint or among what is fixed")
  end
  fail("continue: %s is %.9g for all solutions near the start, which differ in %s: %s", problem.name, start.value, moved, advice)
end

-- Raises where solutions come in families. No family has more directions than there are positions and velocities: more singular values that are small beside
-- the largest one, as of an unstable motion in many segments, tell nothing. open: small ones are not zero to rounding, as beside very strong damping
local function refuse_families(system, excess, advice, open)
  if excess > 2*#system.coordinate_names then
    fail("continue: the motion at the start is so unstable that double precision does not decide whether it is alone or in a family; start where it is less "
      .. "unstable, or, if it is one of a family, %s", advice)
  end
  if open then
    fail("continue: the derivatives of the equations at the start span so many orders of magnitude, as with very strong damping or stiffnesses of very "
      .. "different size, that it is not decided whether the solution is alone: take a start or parameters where they span fewer, or leave the fast motions "
      .. "out; if it is one of a family, %s", advice)
  end
  fail("continue: solutions come in families here (%d direction%s too many): %s", excess, excess == 1 and "" or "s", advice)
end

--- The start of a branch: the solution of a problem near y, at the value that y has; moved_from: at a branch point it is started beside it. Refused where
--- there is none, where it is no motion, and where solutions come in families.
function branch_starts.of(system, problem, o, y)
  local start, why, kind = corrector.at_value(problem, y, function(at) return problem:value(at) end, (problem:value(y)))
  local _, values = table.unpack(start and { corrector.null_directions(start, 1, problem.at_rest) } or {})
  local n = start and #start.directions or 0
  if not start or n > 2 and values[n - 1] <= 1e-9*values[1] or start.sign == 0 then
    local excess = corrector.excess(problem, start and start.y or y) or 0
    if excess > 0 then
      start = excess == 1 and beside_branch_point(problem, o, y)
      if not start then
        demand_orders(problem, y)
        refuse_families(system, excess,
          in_families(problem, start and start.y or y)
            or "name the integrals, what is fixed, or the symmetry along which they move: symmetry = { { x = -y, y = x } }; integrals without a formula, "
              .. "as those of a rolling disc, cannot be named: there S:periodic finds single motions",
          problem.orders_lost and (corrector.excess(problem, start and start.y or y, ROUNDING) == 0 or problem:is_alone(y)))
      end
    elseif not start or start.sign == 0 then
      start = at_fold(problem, start and start.y or y)
      -- beside a fold the equations are regular
      if start and start.sign == 0 and problem.at_rest then refuse_families(system, 1, in_families(problem, start.y), true) end
    end
  end
  if not start and problem.unfound then
    failure.raise("no motion", "continue: no periodic motion was found from this guess, in one segment or in several (%s); take a better guess; "
      .. "where the motion is very unstable, follow it from a parameter at which it is less unstable, or give states along it: "
      .. "segments = { { t =, q =, v = }, ... }", why)
  end
  if not start then
    demand_orders(problem, y)
    if corrector.holds(problem, y) then
      fail("continue: the state of rest at the start holds but for rounding, and its forces span so many orders of magnitude that Newton's method finds none "
        .. "near it: start the branch where masses and stiffnesses differ less, or replace the fast motions by constraints; S:linearize gives the stability of "
        .. "single states")
    end
  end
  if not start and kind == "at best" then failure.raise(kind, "continue: %s", why) end
  if not start then fail("continue: there is no solution near the start: %s; take a better guess", why or "Newton's method finds none") end
  demand_order(problem, start)
  demand_change(problem, o, start)
  return start
end

return branch_starts
