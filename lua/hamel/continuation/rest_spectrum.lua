-- rest_spectrum.lua: eigenvalues of states of rest and steady motions, and how exactly they are known.
--
-- Where they span many orders of magnitude, rounding of the derivatives hides the small ones. Of states of rest that are no family they come from quadruple
-- precision. Elsewhere at least the derivatives do, so that rounding of their last places, and of the directions in which they are taken, is all that is lost.
local exact_directions = require "hamel.analysis.exact_directions"
local protected = require "hamel.base.protected"
local states = require "hamel.continuation.states"
local wide_spectrum = require "hamel.analysis.wide_spectrum"

local rest_spectrum = {}

local UNIT = 2^-52
local MET = 1e-4                        -- of the largest entry of the matrix: rounding of three eigenvalues that meet
local LOOSE = 1e-12                     -- of the largest entry of the matrix: an uncertainty that is much more than rounding

-- The states among the kept ones; nil: there are further unknowns
local function states_of(problem)
  local kept, held = problem.flow.kept, {}
  if problem.space.n ~= #kept then return nil end
  for _, place in ipairs(problem.places) do held[place] = true end
  local list = {}
  for i, place in ipairs(kept) do if not held[i] then list[#list + 1] = place end end
  return list
end

-- Errors of the entries of B^T J B for the directions of a basis B and derivatives J of the rates, row by row, of which each number is rounded: see core.eigen
local function errors_of(space, kept, basis, flat)
  local n, size, left, right = #kept, math.floor(math.sqrt(#flat) + 0.5), {}, {}
  for _, u in ipairs(basis) do table.move(u, 1, n, #left + 1, left) end
  for i, row in ipairs(kept) do
    for _, v in ipairs(basis) do
      local sum = 0.0
      for j, column in ipairs(kept) do sum = sum + math.abs(flat[(row - 1)*size + column]*space.scale[j]*v[j]) end
      right[#right + 1] = sum/space.scale[i]
    end
  end
  return { n, left, right }
end

-- Adds further errors: { left = by rows, right = by rows }
local function add_errors(errors, more)
  local n, m = errors[1], #errors[2]//errors[1]
  local count, left = n + #more.right, {}
  for a = 1, m do
    table.move(errors[2], (a - 1)*n + 1, a*n, #left + 1, left)
    table.move(more.left[a], 1, #more.right, #left + 1, left)
  end
  for _, row in ipairs(more.right) do table.move(row, 1, m, #errors[3] + 1, errors[3]) end
  return { count, left, errors[3] }
end

-- The eigenvalues from derivatives in quadruple precision, rounded to doubles, their matrix, and the point with these derivatives; nil where there are none
local function of_exact_derivatives(problem, point)
  local flow, space = problem.flow, problem.space
  flow.w:set_state(flow.t, space.state(point.y))
  local fine, flat = protected(flow.w.exact_jacobian, flow.w)
  if not fine then return nil end
  local again = { y = point.y, directions = problem:directions(point.y, point.directions) }
  local _
  _, again.rows = problem:equations(point.y, again.directions, flat)
  local basis, more = problem:basis(again)
  local errors = errors_of(space, flow.kept, basis, flat)
  local A = problem:matrix(again)
  return states.known_eigenvalues(A, more and add_errors(errors, more) or errors), A, again
end

-- Eigenvalues that doubles leave in doubt where nothing better is to be had: the small ones are not known to one digit
local function undetermined(list)
  local size = 0
  for _, e in ipairs(list) do size = math.max(size, states.modulus(e)) end
  for _, e in ipairs(list) do
    if wide_spectrum.is_small(e, size) then e.uncertainty = math.max(e.uncertainty, states.modulus(e)) end
  end
  return list
end

--- The eigenvalues { re, im } of a state of rest without what velocities change in forces, at a point { y, directions, rows }; nil where velocities and other
--- states are not apart (see Rest:directions).
function rest_spectrum.undamped(problem, point)
  local still, list = point.directions.still, {}
  if not still then return nil end
  for a, row in ipairs(problem:matrix(point)) do
    list[a] = {}
    for b, value in ipairs(row) do list[a][b] = (still.rows[a] or still.rows[b]) and value or 0.0 end
  end
  return states.eigenvalues(list)
end

local NONE, NO_STIFFNESS = 1e-13, 1e-5  -- of the largest eigenvalue: what may be zero; with damping, and without it

local function count_below(list, part)
  local size, count = 0, 0
  for _, e in ipairs(list) do size = math.max(size, states.modulus(e)) end
  for _, e in ipairs(list) do if states.modulus(e) <= part*size then count = count + 1 end end
  return size > 0 and count or 0
end

--- Do doubles take eigenvalues for zero at a point { y, directions, rows }?
function rest_spectrum.has_zeros(problem, point) return count_below(states.eigenvalues(problem:matrix(point)), NONE) > 0 end

-- How many eigenvalues are zero along a branch, so that others that look like it may be small; nil: any may be zero. So it is beside strong damping, where
-- more of them are small than stiffnesses vanish, or where some look like zero all along (rest_units.lua)
local function zeros_of(problem, point, list)
  if not problem.of_all_states then return nil end
  if not problem.is_overdamped then
    local count = count_below(list, NONE)
    local free = count > 0 and rest_spectrum.undamped(problem, point)
    problem.is_overdamped = free and count > count_below(free, NO_STIFFNESS)//2 or nil
  end
  return problem.is_overdamped and (problem.family or 0) or nil
end

-- By how much errors of the derivatives move the trace of the matrix of a point; nil: they are not known
local function error_of_trace(problem, point)
  local flow, sum = problem.flow, 0.0
  flow.w:set_state(flow.t, problem.space.state(point.y))
  local basis, more = problem:basis(point)
  local errors = errors_of(problem.space, flow.kept, basis, flow.w:jacobian())
  if more then errors = add_errors(errors, more) end
  local count, left, right = table.unpack(errors)
  for a in ipairs(basis) do
    for k = 1, count do sum = sum + math.abs(left[(a - 1)*count + k]*right[(k - 1)*#basis + a]) end
  end
  return UNIT*sum
end

-- The real eigenvalues of a list that are zero along the branch, as a set; nil: others may be zero, too. size: the largest entry of the matrix
local function always_zero(problem, list, size)
  local zeros, count = {}, 0
  for _, e in ipairs(list) do if e.im == 0 and math.abs(e.re) <= MET*size then zeros[e], count = true, count + 1 end end
  return count == (problem.always_zero or 0) and zeros or nil
end

-- Two eigenvalues that nearly meet are known to the root of the rounding alone, but their sum is what the others leave of the trace: the real parts of a pair
-- follow from it. A: the matrix
local function settle_pairs(problem, point, list, A)
  local size, trace, uncertain = 0, 0.0, nil
  for a, row in ipairs(A) do
    for _, value in ipairs(row) do size = math.max(size, math.abs(value)) end
    trace = trace + row[a]
  end
  for _, e in ipairs(list) do
    if e.im > 0 and e.uncertainty > LOOSE*size and not (uncertain and uncertain.uncertainty > e.uncertainty) then uncertain = e end
  end
  local zeros = uncertain and always_zero(problem, list, size)
  if not zeros then return end
  local rest, off, partner = trace, 4*#A*UNIT*size, nil
  for _, e in ipairs(list) do
    if e.re == uncertain.re and e.im == -uncertain.im then partner = e
    elseif e ~= uncertain and not zeros[e] then rest, off = rest - e.re, off + e.uncertainty end
  end
  local fine, more = protected(error_of_trace, problem, point)
  off = fine and (off + more)/2 or math.huge
  if not partner or not (off < uncertain.uncertainty) or math.abs(rest/2 - uncertain.re) > MET*size then return end
  -- the eigenvalues stay: their errors cancel in the coefficients of the characteristic polynomial
  for _, e in ipairs{ uncertain, partner } do e.real_part, e.aside = rest/2, off end
end

--- The eigenvalues of a point of a problem: a list of { re, im, uncertainty (of a bare point none), real_part, aside =
--- the real part and its uncertainty, where they are known better, exact = do they come from quadruple precision? }.
--- list.wide: do they span so many orders of magnitude? problem.least: see wide_spectrum.is_doubted. The second result: does this
--- build leave some in doubt that another one would find?
function rest_spectrum.of(problem, point)
  local A = problem:matrix(point)
  local list, flow = states.known_eigenvalues(A), problem.flow
  local x, zeros = problem.space.state(point.y), zeros_of(problem, point, list)
  if not wide_spectrum.is_doubted(list, problem.least, zeros) and not (flow.w:lost_derivatives(flow.t, x) > 0) then
    settle_pairs(problem, point, list, A)
    return list, false
  end
  local free = problem.of_all_states and states_of(problem)
  local along = free and exact_directions.of(flow.E, flow.observer, free)
  local exact = free and wide_spectrum.alone(flow.w, flow.t, x, free, list, point.bare, along)
  if exact then
    for _, e in ipairs(exact) do e.exact = true end
    exact.wide = true
    return exact, false
  end
  local better, matrix, again = of_exact_derivatives(problem, point)
  list = better or undetermined(list)
  settle_pairs(problem, again or point, list, matrix or A)
  list.wide = true
  return list, free and wide_spectrum.is_doubted(list, problem.least, zeros)
end

return rest_spectrum
