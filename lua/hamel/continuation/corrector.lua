-- corrector.lua: solutions of the equations of a branch: Newton's method beside a border, tangents, null directions. What a problem is: arclength.lua.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local corrector = {}

local ROUNDS, LAST_STEP = 8, 1e-8

--- Euclidean length of a list.
function corrector.norm(list) return math.sqrt(tangent.dot(list, list)) end

--- The largest size of a number in a list; not a number where one is none.
function corrector.largest(list)
  local most = 0
  for _, value in ipairs(list) do
    if not (math.abs(value) <= most) then most = math.abs(value) end
  end
  return most
end

--- The direction with the parts s along the directions.
function corrector.combined(directions, s)
  local sum = {}
  for i = 1, #directions[1] do
    sum[i] = 0.0
    for k, u in ipairs(directions) do sum[i] = sum[i] + s[k]*u[i] end
  end
  return sum
end

--- In what unit the value of a problem counts: the range along which it is followed, where this is shorter than 1.
function corrector.unit(problem) return problem.value_unit or 1 end

--- How far the value changes in a length of 1 along itself.
function corrector.per_length(problem) return problem.value_per_length or corrector.unit(problem) end

--- The derivative of the value by the length, at most about 1.
function corrector.slope(problem, point) return point.slope/corrector.per_length(problem) end

local BY_RUNS = 1e-9                     -- in the units of the equations: what errors of runs and rounding may leave

-- Why Newton's method goes on no further, and the kind of this failure
local function misses(problem, size)
  if size > BY_RUNS then return ("Newton's method misses by %.2g"):format(size) end
  return ("the equations hold to %.2g at best, and tolerance = %.2g asks for more: give tolerance = %.0e"):format(size, problem.tolerance, 10*size), "at best"
end

-- Why Newton's method has not come to an end, and the kind
local function missed(problem, size, step)
  if size <= problem.tolerance then return ("Newton's method does not settle: its last step is %.2g"):format(step) end
  return misses(problem, size)
end

local function parts_of(direction, directions)
  local list = {}
  for k, u in ipairs(directions) do list[k] = tangent.dot(direction, u) end
  return list
end

local NONE = 1e-12                      -- of a row: what is the rounding of a zero

-- The rows of equations of states of rest without what velocities change in forces: as dq/dt = 0 leaves no velocity, damping moves no solution, and has no
-- part in the determinant. Strong damping would hide the rest. still: see Rest:directions; the rows themselves where there is none, or where other things
-- change dq/dt
local function without_damping(rows, still)
  if not still then return rows end
  local list = {}
  for a, row in ipairs(rows) do
    local others, all = 0.0, 0.0
    list[a] = {}
    for k, value in ipairs(row) do
      if still.rows[a] and not still.columns[k] then others = others + value^2 end
      all = all + value^2
      list[a][k] = (still.rows[a] or not still.columns[k]) and value or 0.0
    end
    if others > NONE^2*all then return rows end
  end
  return list
end

-- The equations beside a border, row by row
local function bordered(rows, directions, border)
  local flat = {}
  rows = without_damping(rows, directions.still)
  for _, row in ipairs(rows) do table.move(row, 1, #row, #flat + 1, flat) end
  return table.move(border, 1, #border, #flat + 1, flat)
end

local ACROSS = 1e-7                     -- singular values below, relative to the largest, belong to the directions of a family (families.lua)

-- The solution of the bordered equations; where solutions come in families the shortest one. The second and the third result: sign and logarithm of the size
-- of the determinant. nil: there is none
local function solved(problem, flat, side)
  if not problem.family then return core.solve(#side, flat, side) end
  return core.least_squares(#side, #side, flat, side, ACROSS), 0, 0.0
end

local STEEP = 1e4                       -- the length of a row beside which others may look like zero

-- The lengths of rows, those below 1 as 1; nil: they are alike
local function lengths_of(rows)
  local lengths, most = {}, 0.0
  for a, row in ipairs(rows) do
    lengths[a] = math.max(corrector.norm(row), 1)
    most = math.max(most, lengths[a])
  end
  return most > STEEP and most < math.huge and lengths or nil
end

-- The same with each row divided by a length
local function solved_by_rows(problem, flat, side, lengths)
  local n, rows, right, size = #side, {}, {}, 0.0
  for a = 1, n do
    local length = lengths[a] or 1
    for k = (a - 1)*n + 1, a*n do rows[k] = flat[k]/length end
    right[a], size = side[a]/length, size + math.log(length)
  end
  local s, sign, rest = solved(problem, rows, right)
  return s, sign, s and rest + size
end

-- The same, by their own lengths; nil: there is none, or rows are of like length
local function solved_by_own_rows(problem, flat, side)
  local n, rows = #side, {}
  for a = 1, n do rows[a] = table.move(flat, (a - 1)*n + 1, a*n, 1, {}) end
  local lengths = lengths_of(rows)
  if not lengths then return nil end
  return solved_by_rows(problem, flat, side, lengths)
end

--- Notes the lengths of the equations of states of rest at the start of a branch, where they are very different, as beside very different stiffnesses: in these
--- units they are solved along the branch. Where states leave all bounds later, equations are singular in them.
function corrector.note_rows(problem, start)
  problem.row_lengths = problem.at_rest and start.rows and lengths_of(without_damping(start.rows, start.directions.still)) or nil
end

-- The solution of the bordered equations, as solved(); where these are singular only by the different size of stiffnesses, in units of their own
local function solved_along(problem, flat, side)
  local s, sign, size = solved(problem, flat, side)
  if s or not problem.row_lengths then return s, sign, size end
  return solved_by_rows(problem, flat, side, problem.row_lengths)
end

--- The point, unless the problem has conditions besides that it does not meet.
function corrector.accepted(problem, point)
  local why = problem.refused and problem:refused(point)
  if why then return nil, why end
  return point
end

local EPSILON, SEVERAL = 2^-52, 8

-- Do equations of states of rest hold but for rounding? Far from the start states may be large in the units that are taken there
local function holds_but_for_rounding(problem, y, directions, F, rows)
  if not (problem.at_rest and problem.space and #rows == #F) then return false end
  local scale = problem.space.scale
  for a, value in ipairs(F) do
    local gradient, sum = corrector.combined(directions, rows[a]), 0.0
    for i, slope in ipairs(gradient) do sum = sum + math.abs(slope*y[i]/(scale[i] or 1)) end
    if not (math.abs(value) <= math.max(problem.tolerance, SEVERAL*EPSILON*sum)) then return false end
  end
  return true
end

--- Is y a state of rest, as far as rounding lets it be told?
function corrector.holds(problem, y)
  local fine, holds = attempt(function()
    local directions = problem:directions(y)
    local F, rows = problem:equations(y, directions)
    return holds_but_for_rounding(problem, y, directions, F, rows)
  end)
  return fine and holds
end

-- The last step of Newton's method at y with a value that is given: of states of rest that are large in the units taken at the start, their rounding
local function last_step_at(problem, y)
  local scale, most = problem.at_rest and problem.space and problem.space.scale, LAST_STEP
  for i, value in ipairs(scale and y or {}) do most = math.max(most, SEVERAL*EPSILON*math.abs(value)/(scale[i] or 1)) end
  return most
end

--- Newton's method from y; border: { row = a direction, or a function of y that returns one, off = function of y: what it misses (nil: nothing) }.
--- The point { y, directions, rows, F, extra, rounds }, or nil, why there is none, and the kind of this failure (base/failure.lua), where
--- it has one.
function corrector.newton(problem, y, before, border)
  local step, size = math.huge, math.huge
  for round = 0, ROUNDS do
    local fine, directions, kind = attempt(problem.directions, problem, y, before)
    if not fine then return nil, directions, kind end
    local F, rows, extra
    fine, F, rows, extra = attempt(problem.equations, problem, y, directions)
    if not fine then return nil, F end
    local off = border.off and border.off(y) or 0.0
    local now = math.max(corrector.largest(F), math.abs(off))
    if round > 0 and now <= problem.tolerance and step <= LAST_STEP then
      return corrector.accepted(problem, { y = y, directions = directions, rows = rows, F = F, extra = extra, rounds = round })
    end
    local last = border.off and last_step_at(problem, y) or LAST_STEP
    if round > 1 and step <= last and math.abs(off) <= problem.tolerance and holds_but_for_rounding(problem, y, directions, F, rows) then
      return corrector.accepted(problem, { y = y, directions = directions, rows = rows, F = F, extra = extra, rounds = round })
    end
    if round > 2 and not (now <= size) and not (now <= problem.tolerance) then return nil, misses(problem, now) end
    size = now
    local row = type(border.row) == "function" and border.row(y) or border.row
    local side = {}
    for i, value in ipairs(F) do side[i] = -value end
    side[#side + 1] = -off
    local flat = bordered(rows, directions, parts_of(row, directions))
    local s = solved_along(problem, flat, side) or border.off and now > problem.tolerance and solved_by_own_rows(problem, flat, side) or nil
    if not s then
      -- a solution at which another branch crosses
      if now <= problem.tolerance then
        return corrector.accepted(problem, { y = y, directions = directions, rows = rows, F = F, extra = extra, rounds = round })
      end
      return nil, "the equations are singular"
    end
    step = corrector.norm(s)
    local moved
    fine, moved = attempt(problem.moved, problem, y, corrector.combined(directions, s))
    if not fine then return nil, moved end
    y = moved
  end
  return nil, missed(problem, size, step)
end

--- Tangent of the curve at a point, along `forward`; the sign and size of the determinant beside it.
function corrector.add_tangent(problem, point, forward)
  local side = {}
  for i = 1, #point.rows do side[i] = 0.0 end
  side[#side + 1] = 1.0
  local flat = bordered(point.rows, point.directions, parts_of(forward, point.directions))
  local s, sign, size = solved_along(problem, flat, side)
  if not s then s, sign, size = solved_by_own_rows(problem, flat, side) end
  if not s then
    point.tangent, point.sign, point.size = forward, 0, 0.0
  else
    local length = corrector.norm(s)
    for i, value in ipairs(s) do s[i] = value/length end
    point.tangent, point.sign, point.size = corrector.combined(point.directions, s), sign, size + math.log(length)
  end
  local slope
  point.value, slope = problem:value(point.y)
  point.slope = tangent.dot(slope, point.tangent)
  return point
end

--- The opposite direction.
function corrector.negative(list)
  local out = {}
  for i, value in ipairs(list) do out[i] = -value end
  return out
end

--- The solution near y at which f, a function of the point with its gradient, has the value `wanted`, with the tangent along which what is printed
--- grows.
function corrector.at_value(problem, y, f, wanted, before)
  local unit = problem.unit_of_function and problem.unit_of_function(f(y)) or 1
  local function row(at)
    local list = select(2, f(at))
    if unit == 1 then return list end
    local out = {}
    for i, value in ipairs(list) do out[i] = value/unit end
    return out
  end
  local border = { row = row, off = function(at) return (f(at) - wanted)/unit end }
  local point, why, kind = corrector.newton(problem, y, before, border)
  if not point then return nil, why, kind end
  -- of length 1, so that the equations beside it stay regular in any units
  corrector.add_tangent(problem, point, states.unit((select(2, problem:value(point.y)))))
  if point.slope < 0 then point.tangent, point.slope, point.sign = corrector.negative(point.tangent), -point.slope, -point.sign end
  return point
end

--- The solution near y + a d whose change from y has the part a along d, with the tangent away from y. more: a direction that Newton's method starts
--- with besides.
function corrector.beside(problem, y, d, a, before, more)
  local scaled = {}
  for i, value in ipairs(d) do scaled[i] = a*value + (more and more[i] or 0.0) end
  local border = { row = d, off = function(at) return tangent.dot(problem:difference(at, y), d) - a end }
  local point, why = corrector.newton(problem, problem:moved(y, scaled), before, border)
  if not point then return nil, why end
  return corrector.add_tangent(problem, point, a > 0 and d or corrector.negative(d))
end

--- By how much the value of a point changes, to first order, where the equations have the values F there, and the part along d stays; nil: the equations
--- are singular.
function corrector.value_change(problem, point, d, F)
  local side = corrector.negative(F)
  side[#side + 1] = 0.0
  local s = solved_along(problem, bordered(point.rows, point.directions, parts_of(d, point.directions)), side)
  return s and tangent.dot(select(2, problem:value(point.y)), corrector.combined(point.directions, s)) or nil
end

-- A row of at most the length 1
local function shortened(row)
  local size, list = math.max(1, corrector.norm(row)), {}
  for k, value in ipairs(row) do list[k] = value/size end
  return list
end

--- Directions in which the equations at a point have no derivative, and the singular values, least last. balanced: equations with large derivatives count as
--- others, as where the unit of a parameter is large beside what the rates change by.
function corrector.null_directions(point, count, balanced)
  local n, rows = #point.directions, point.rows
  if balanced then
    rows = {}
    for a, row in ipairs(without_damping(point.rows, point.directions.still)) do rows[a] = shortened(row) end
  end
  local flat = bordered(rows, point.directions, {})
  for _ = 1, n - #rows do for _ = 1, n do flat[#flat + 1] = 0.0 end end
  local values, vectors = core.singular(n, n, flat)
  local list = {}
  for k = 1, count do
    local s = {}
    for i = 1, n do s[i] = vectors[(i - 1)*n + n - k + 1] end
    list[k] = corrector.combined(point.directions, s)
  end
  return list, values
end

local SINGLED = 1e-3                    -- of the next singular value: one that singles a combination out
local MISSED = 1e-5                     -- of the tolerance: what equations miss where no solutions cross
local TRIALS, SPREAD = 3, 10            -- states beside that differ in the last digits; times what the combination differs by there

-- Twice the rounding of F and more, as far as the sizes of the unknowns tell
local function rounding_of(problem, point, psi)
  local sum = 0.0
  for a, row in ipairs(point.rows) do
    local gradient = corrector.combined(point.directions, row)
    for i, slope in ipairs(gradient) do sum = sum + math.abs(psi[a]*slope*point.y[i]/(problem.space.scale[i] or 1)) end
  end
  return SEVERAL*EPSILON*sum
end

-- What a combination psi of the equations, `off` at a point, differs by at states that differ in the last digits: sums of large forces are rounded
local function spread_of(problem, point, psi, off)
  local most = 0.0
  for k = 1, TRIALS do
    local d = {}
    for i, value in ipairs(point.y) do d[i] = ((7*i + 5*k) % 5 - 2)*EPSILON*value/(problem.space.scale[i] or 1) end
    local fine, F = attempt(problem.equations, problem, problem:moved(point.y, d), point.directions)
    if not fine or #F ~= #psi then return math.huge end
    most = math.max(most, math.abs(tangent.dot(psi, F) - off))
  end
  return most
end

--- Do the equations miss zero at a branch point of states of rest in the one combination that no step changes there? Then two curves pass each other, as
--- near as the tolerance, and do not cross.
function corrector.passes_by(problem, point)
  local n, m, flat = #point.directions, #point.rows, {}
  local rows = without_damping(point.rows, point.directions.still)
  for k = 1, n do for a = 1, m do flat[#flat + 1] = rows[a][k] end end
  local values, vectors = core.singular(n, m, flat)
  -- where several are zero, no combination is singled out
  if m > 1 and not (values[m] < SINGLED*values[m - 1]) then return false end
  local psi, off = {}, 0.0
  for a = 1, m do
    psi[a] = vectors[(a - 1)*m + m]
    off = off + psi[a]*point.F[a]
  end
  if not (math.abs(off) > math.max(MISSED*problem.tolerance, rounding_of(problem, point, psi))) then return false end
  return math.abs(off) > SPREAD*spread_of(problem, point, psi, off)
end

local FREE = 1e-7                       -- singular values below, relative to the largest, that count as zero

--- How many directions of solutions there are at y beyond that of the curve; nil where y is no solution. least: of the largest singular value, what counts as
--- zero; nil: 1e-7.
function corrector.excess(problem, y, least)
  local directions = problem:directions(y)
  local fine, F, rows = attempt(problem.equations, problem, y, directions)
  if not fine or #directions < 2 or corrector.largest(F) > 1e3*problem.tolerance then return nil end
  local _, values = corrector.null_directions({ directions = directions, rows = rows }, 1, problem.at_rest)
  local count = -1
  for _, value in ipairs(values) do if not (value > (least or FREE)*values[1]) then count = count + 1 end end
  return count
end

--- The solution beside a step of the length h along the tangent at `from`.
function corrector.stepped(problem, from, h)
  local d = {}
  for i, value in ipairs(from.tangent) do d[i] = h*value end
  local fine, y = attempt(problem.moved, problem, from.y, d)
  if not fine then return nil, y end
  local point, why = corrector.newton(problem, y, from.directions, { row = from.tangent })
  if not point then return nil, why end
  point.before, point.length = from, h
  return corrector.add_tangent(problem, point, from.tangent)
end

local CROSSES = math.cos(0.3)          -- two curves whose tangents differ by more are told apart

-- The change from a point, and the tangent, at the length h along the tangent there, on the cubic through this point and another one with their tangents;
-- nil: they are points of different unknowns, or the tangents are too far from each other
local function on_cubic(problem, from, to, h)
  if #from.y ~= #to.y or #from.tangent ~= #to.tangent then return nil end
  local change, along = problem:difference(to.y, from.y), tangent.dot(to.tangent, from.tangent)
  if #change ~= #from.tangent or not (along > CROSSES) then return nil end
  local length = tangent.dot(change, from.tangent)
  if not (length > 0) then return nil end
  local s, d, slope = h/length, {}, {}
  for i, value in ipairs(change) do
    local one, other = from.tangent[i]*length, to.tangent[i]*length/along
    -- what no tangent moves, such as a parameter repeated in a segment, follows from the rest
    if one == 0 and other == 0 then value = 0.0 end
    d[i] = value*s^2*(3 - 2*s) + one*s*(1 - s)^2 - other*s^2*(1 - s)
    slope[i] = (value*6*s*(1 - s) + one*(1 - s)*(1 - 3*s) - other*s*(2 - 3*s))/length
  end
  return d, slope
end

--- The solution beside the length h along the tangent at `from`, on the curve from there to the point `to` behind a step. Near a place at which another
--- branch crosses, Newton's method from the tangent may come to that branch: it starts from the cubic through both points, and a solution with another
--- tangent than the cubic is none.
function corrector.within(problem, from, to, h)
  local d, slope = on_cubic(problem, from, to, h)
  if not d then return corrector.stepped(problem, from, h) end
  local fine, y = attempt(problem.moved, problem, from.y, d)
  if not fine then return nil, y end
  local point, why = corrector.newton(problem, y, from.directions, { row = from.tangent })
  if not point then return nil, why end
  point.before, point.length = from, h
  corrector.add_tangent(problem, point, from.tangent)
  if not (math.abs(tangent.dot(point.tangent, slope)) > CROSSES*corrector.norm(slope)) then return nil, "Newton's method comes to another branch" end
  return point
end

local RETURNED = 1e-2                  -- of a step: how near to its start the way back comes

--- Does the way back from the point behind a step lead to its start? Where another branch is near, a step may come to it; from there the way back goes on
--- along that branch.
function corrector.returns(problem, from, point)
  if #from.y ~= #point.y or #from.tangent ~= #point.tangent then return true end
  local change = problem:difference(from.y, point.y)
  if #change ~= #point.tangent then return true end
  local h, d = tangent.dot(change, point.tangent), {}
  for i, value in ipairs(point.tangent) do d[i] = h*value end
  local fine, y = attempt(problem.moved, problem, point.y, d)
  if not fine then return false end
  local back = corrector.newton(problem, y, point.directions, { row = point.tangent })
  return back ~= nil and corrector.norm(problem:difference(back.y, from.y)) <= RETURNED*point.length
end

return corrector
