-- lyapunov_coefficients.lua: the first Lyapunov coefficient of a Hopf point: are the periodic motions that leave it stable beside it, or not?
--
-- In the plane of the pair on the axis motions near a Hopf point follow r' = growth r + l1 w r^3: with l1 < 0 (supercritical) the motions that branch off
-- are stable as far as the pair decides, and lie where the state of rest has lost its stability; with l1 > 0 (subcritical) they are unstable. l1 comes from
-- the derivatives of the second and the third order of the rates, each along a line of states: those along any others are sums of these. They
-- are exact but for rounding, see rate_derivatives.lua.
-- Source: Kuznetsov, Elements of applied bifurcation theory (2004), 5.4, equation (5.62).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local rate_derivatives = require "hamel.continuation.rate_derivatives"
local swinging_vector = require "hamel.continuation.swinging_vector"
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

-- ---- the coefficient

-- l1 from derivatives along lines, and the sum of the sizes of what it is made of, before anything cancels. q = a + b i with
-- A q = w i q, of length 1; p = c + d i its adjoint
local function from_lines(A, w, vectors, lines)
  local a, b, c, d = table.unpack(vectors)
  -- of vectors of the same length, so that rounding of the longer one does not hide the other
  local function B(u, v)
    local one, two = math.sqrt(tangent.dot(u, u)), math.sqrt(tangent.dot(v, v))
    if one == 0 or two == 0 then return tangent.scaled(u, 0.0) end
    local more, less = lines(sum(1/one, u, 1/two, v)), lines(sum(1/one, u, -1/two, v))
    return sum(one*two/4, more, -one*two/4, less)
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
  local a = swinging_vector(A, w)
  local b = tangent.scaled(times(A, a), -1/w)
  local length = math.sqrt(tangent.dot(a, a) + tangent.dot(b, b))
  a, b = tangent.scaled(a, 1/length), tangent.scaled(b, 1/length)
  local T = transposed(A)
  local c = swinging_vector(T, w)
  local d = tangent.scaled(times(T, c), 1/w)
  -- <p, q> = (c - d i).(a + b i), by which p is divided, conjugated
  local re, im = tangent.dot(c, a) + tangent.dot(d, b), tangent.dot(c, b) - tangent.dot(d, a)
  local square = re^2 + im^2
  return a, b, sum(re/square, c, -im/square, d), sum(im/square, c, re/square, d)
end

local ROUNDING = 1e-9                   -- of the sizes of the parts: what counts as rounding below
local SHAKE = 2.0^-44                   -- of the entries of a matrix: more than they are rounded by

local function is_finite(value) return value == value and math.abs(value) < math.huge end

-- The matrix with entries changed by little, by turns up and down
local function shaken(A)
  local list, sign = {}, 1
  for i, row in ipairs(A) do
    list[i] = {}
    for k, entry in ipairs(row) do
      list[i][k] = entry*(1 + sign*SHAKE)
      sign = (i + k) % 3 == 0 and sign or -sign
    end
  end
  return list
end

--- The first Lyapunov coefficient at a point of states of rest with a pair of eigenvalues +-w i: { value, off = how exactly it is known, size = the sum of the
--- sizes of its parts, change = by which rounding of the matrix moves it }; nil: it is not known, as on a corner of a force. q has the length 1 in the units
--- of the problem.
function lyapunov_coefficients.of(problem, point, w)
  if problem.keep or not problem.of_all_states or not (w > 0) then return nil end
  local fine, value, size, change = attempt(function()
    local lines, A = rate_derivatives.at(problem, point), problem:matrix(point)
    if not lines then return nil end
    local l1, parts = from_lines(A, w, { eigenvectors(A, w) }, lines)
    -- beside other eigenvalues near the pair or near zero rounding of the matrix matters more
    local other = shaken(A)
    return l1, parts, math.abs(from_lines(other, w, { eigenvectors(other, w) }, lines) - l1)
  end)
  if not fine or not value or not (is_finite(value) and is_finite(size) and is_finite(change)) then return nil end
  return { value = value, size = size, off = math.max(ROUNDING*size, change), change = change }
end

--- "supercritical" or "subcritical", by a result of lyapunov_coefficients.of; nil: neither is known.
function lyapunov_coefficients.word(found)
  if not found or not (math.abs(found.value) > found.off) then return nil end
  return found.value < 0 and "supercritical" or "subcritical"
end

return lyapunov_coefficients
