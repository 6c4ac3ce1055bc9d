-- lyapunov_coefficients.lua: the first Lyapunov coefficient of a Hopf point: are the periodic motions that leave it stable beside it, or not?
--
-- In the plane of the pair on the axis motions near a Hopf point follow r' = growth r + l1 w r^3: with l1 < 0 (supercritical) the motions that branch off
-- are stable as far as the pair decides, and lie where the state of rest has lost its stability; with l1 > 0 (subcritical) they are unstable. l1 comes from
-- the derivatives of the second and the third order of the rates, each along a line of states: those along any others are sums of these. Along
-- a line they are differences of the eighth order, whose error shows where their step is halved. Constraints are kept by coordinates along the
-- directions at the state of rest, in which the rates are exact.
-- Source: Kuznetsov, Elements of applied bifurcation theory (2004), 5.4, equation (5.62).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local tangent = require "hamel.analysis.tangent"

local lyapunov_coefficients = {}

-- ---- vectors over the directions

local function sum(a, u, b, v)
  local list = {}
  for i = 1, #u do list[i] = a*u[i] + b*v[i] end
  return list
end

local function times(A, u)
  local list = {}
  for i, row in ipairs(A) do list[i] = tangent.dot(row, u) end
  return list
end

local function transposed(A)
  local T = {}
  for i = 1, #A do
    T[i] = {}
    for k = 1, #A do T[i][k] = A[k][i] end
  end
  return T
end

-- The vector that A^2 + w^2 annihilates: the real part of an eigenvector of the pair +-w i
local function of_pair(A, w)
  local n, flat = #A, {}
  for i = 1, n do
    for k = 1, n do
      local entry = i == k and w^2 or 0.0
      for j = 1, n do entry = entry + A[i][j]*A[j][k] end
      flat[#flat + 1] = entry
    end
  end
  local _, vectors = core.singular(n, n, flat)
  local u = {}
  for i = 1, n do u[i] = vectors[(i - 1)*n + n] end
  return u
end

local function solved(A, b)
  local flat = {}
  for _, row in ipairs(A) do table.move(row, 1, #row, #flat + 1, flat) end
  return (core.solve(#A, flat, b))
end

-- The solution of (2 w i - A) h = b, b complex: real and imaginary part
local function at_twice(A, w, b_re, b_im)
  local n, M, side = #A, {}, table.move(b_im, 1, #b_im, #b_re + 1, table.move(b_re, 1, #b_re, 1, {}))
  for i = 1, n do
    M[i], M[n + i] = {}, {}
    for k = 1, n do
      M[i][k], M[i][n + k] = -A[i][k], i == k and -2*w or 0.0
      M[n + i][k], M[n + i][n + k] = i == k and 2*w or 0.0, -A[i][k]
    end
  end
  local h = solved(M, side)
  return table.move(h, 1, n, 1, {}), table.move(h, n + 1, 2*n, 1, {})
end

-- ---- derivatives along lines

local ROUNDS, CLOSE = 8, 1e-13          -- of what brings a state back onto the constraints at a place of the directions

-- The states of a line from the state of rest along the directions, whose places along these are multiples of d: a function of the multiple. Without
-- constraints they lie on a line themselves
local function states_of(problem, point, d)
  local space, flow, fixed = problem.space, problem.flow, point.directions.fixed
  local whole = corrector.combined(fixed, d)
  if #flow.E.positions + #flow.E.velocities == 0 then
    local x, change = space.state(point.y), {}
    for i in ipairs(flow.kept) do change[i] = space.scale[i]*whole[i] end
    return function(t)
      local moved = table.move(x, 1, #x, 1, {})
      for i, place in ipairs(flow.kept) do moved[place] = x[place] + t*change[i] end
      return moved
    end
  end
  return function(t)
    local step, y = tangent.scaled(whole, t), nil
    for _ = 1, ROUNDS do
      y = space.moved(point.y, step)
      local there, off, most = space.difference(y, point.y), {}, 0
      for a, u in ipairs(fixed) do
        off[a] = t*d[a] - tangent.dot(u, there)
        most = math.max(most, math.abs(off[a]))
      end
      if most <= CLOSE*math.abs(t) then break end
      step = sum(1, step, 1, corrector.combined(fixed, off))
    end
    return space.state(y)
  end
end

-- Weights of central differences of the eighth order: of f(k h) + f(-k h) for the second derivative, beside that of f(0), and of f(k h) - f(-k h) for the
-- third one, of the seventh order (Fornberg, Math. Comp. 51, 1988)
local SECOND, MIDDLE = { 8/5, -1/5, 8/315, -1/560 }, -205/72
local THIRD = { -61/30, 169/120, -3/10, 7/240 }

-- Derivatives of the second and of the third order of the rates along lines: a function of a vector. h: step of the differences along a vector of length 1
local function along_lines(problem, point, h)
  local flow, space, fixed, zeros = problem.flow, problem.space, point.directions.fixed, {}
  for a in ipairs(fixed) do zeros[a] = 0.0 end
  local function rate_at(x)
    flow.w:set_state(flow.t, x)
    return flow.w:rate()
  end
  local at_rest = rate_at(space.state(point.y))
  local function part(rate, factor)
    local whole, list = space.part(rate), {}
    for a, u in ipairs(fixed) do list[a] = factor*tangent.dot(u, whole) end
    return list
  end
  return function(u)
    local length = math.sqrt(tangent.dot(u, u))
    if length == 0 then return zeros, zeros end
    local state_at, second, third = states_of(problem, point, tangent.scaled(u, 1/length)), {}, {}
    for i, value in ipairs(at_rest) do second[i], third[i] = MIDDLE*value, 0.0 end
    for k = 1, #SECOND do
      local ahead, back = rate_at(state_at(k*h)), rate_at(state_at(-k*h))
      for i in ipairs(at_rest) do
        second[i] = second[i] + SECOND[k]*(ahead[i] + back[i])
        third[i] = third[i] + THIRD[k]*(ahead[i] - back[i])
      end
    end
    return part(second, (length/h)^2), part(third, (length/h)^3)
  end
end

-- ---- the coefficient

-- l1 from derivatives along lines, and the sum of the sizes of what it is made of, before anything cancels. q = a + b i with
-- A q = w i q, of length 1; p = c + d i its adjoint
local function from_lines(A, w, vectors, lines)
  local a, b, c, d = table.unpack(vectors)
  local function B(u, v)
    local more, less = lines(sum(1, u, 1, v)), lines(sum(1, u, -1, v))
    return sum(1/4, more, -1/4, less)
  end
  local Baa, Caaa = lines(a)
  local Bbb, Cbbb = lines(b)
  local Bmore, Cmore = lines(sum(1, a, 1, b))
  local Bless, Cless = lines(sum(1, a, -1, b))
  local Bab = sum(1/4, Bmore, -1/4, Bless)
  -- C(q, q, conjugate q)
  local Cabb, Caab = sum(1/6, sum(1, Cmore, 1, Cless), -1/3, Caaa), sum(1/6, sum(1, Cmore, -1, Cless), -1/3, Cbbb)
  local C_re, C_im = sum(1, Caaa, 1, Cabb), sum(1, Caab, 1, Cbbb)
  local steady = solved(A, sum(1, Baa, 1, Bbb))
  local twice_re, twice_im = at_twice(A, w, sum(1, Baa, -1, Bbb), tangent.scaled(Bab, 2))
  -- the real part of <p, f> = c.f_re + d.f_im
  local value, size, adjoint = 0.0, 0.0, math.sqrt(tangent.dot(c, c) + tangent.dot(d, d))
  for _, part in ipairs{ { 1, C_re, C_im }, { -2, B(a, steady), B(b, steady) },
    { 1, sum(1, B(a, twice_re), 1, B(b, twice_im)), sum(1, B(a, twice_im), -1, B(b, twice_re)) } } do
    local factor, re, im = table.unpack(part)
    value = value + factor*(tangent.dot(c, re) + tangent.dot(d, im))/(2*w)
    size = size + math.abs(factor)*adjoint*math.sqrt(tangent.dot(re, re) + tangent.dot(im, im))/(2*w)
  end
  return value, size
end

-- The eigenvector a + b i of the pair, of length 1, and the adjoint one c + d i with <p, q> = 1
local function eigenvectors(A, w)
  local a = of_pair(A, w)
  local b = tangent.scaled(times(A, a), -1/w)
  local length = math.sqrt(tangent.dot(a, a) + tangent.dot(b, b))
  a, b = tangent.scaled(a, 1/length), tangent.scaled(b, 1/length)
  local T = transposed(A)
  local c = of_pair(T, w)
  local d = tangent.scaled(times(T, c), 1/w)
  -- <p, q> = (c - d i).(a + b i), by which p is divided, conjugated
  local re, im = tangent.dot(c, a) + tangent.dot(d, b), tangent.dot(c, b) - tangent.dot(d, a)
  local square = re^2 + im^2
  return a, b, sum(re/square, c, -im/square, d), sum(im/square, c, re/square, d)
end

local FIRST, CLOSER, STEPS = 2.0^30, 2, 56 -- the largest step of differences, in units of the states; each is so many times smaller than the one before
local BEFORE, BEHIND = 2, 3            -- steps about the one that was best at a point before
local ENOUGH, ROUNDING = 1e-10, 1e-9   -- of the sizes of the parts: how exactly it need be known, and what it counts as rounding below
local SAFETY = 4                       -- times the change from step to step

local function is_finite(value) return value == value and math.abs(value) < math.huge end

-- The best of the coefficients by steps, from step number first to last: { value, size, off, step }; nil: none
local function best_of(problem, point, A, w, vectors, first, last)
  local best, before, change_before
  for k = first, last do
    local fine, value, size = attempt(function() return from_lines(A, w, vectors, along_lines(problem, point, FIRST/CLOSER^k)) end)
    if not fine or not is_finite(value) then
      before, change_before = nil, nil
    else
      local change = before and math.abs(value - before)
      -- one change may be small by chance
      local off = change and change_before and SAFETY*math.max(change, change_before)
      if off and (not best or off < best.off) then best = { value = value, size = size, off = off, step = k } end
      before, change_before = value, change
      if best and best.off <= ENOUGH*best.size then break end
    end
  end
  return best
end

--- The first Lyapunov coefficient at a point of states of rest with a pair of eigenvalues +-w i: { value, off = how exactly it is known, size = the sum of the
--- sizes of its parts }; nil: it is not known, as beside a corner of a force. q has the length 1 in the units of the problem. problem.lyapunov_step: step
--- of the differences at a point before.
function lyapunov_coefficients.of(problem, point, w)
  if problem.keep or not problem.of_all_states or not (w > 0) then return nil end
  local A, step = problem:matrix(point), problem.lyapunov_step
  local fine, a, b, c, d = attempt(eigenvectors, A, w)
  if not fine then return nil end
  local vectors = { a, b, c, d }
  local best = best_of(problem, point, A, w, vectors, step and math.max(1, step - BEFORE) or 1, step and step + BEHIND or STEPS)
  problem.lyapunov_step = best and best.step
  if best then best.off = math.max(best.off, ROUNDING*best.size) end
  return best
end

--- "supercritical" or "subcritical", by a result of lyapunov_coefficients.of; nil: neither is known.
function lyapunov_coefficients.word(found)
  if not found or not (math.abs(found.value) > found.off) then return nil end
  return found.value < 0 and "supercritical" or "subcritical"
end

return lyapunov_coefficients
