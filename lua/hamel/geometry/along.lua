-- along.lua: linear integrals of systems with one shape coordinate s by a linear differential equation (Chaplygin, Appell, Korteweg).
--
-- Where s' = beta(s) w_1 and w_a' = w_1 sum_b C_ab(s) w_b for a, b >= 2, the functions w_a obey dw_a/ds = sum_b (C_ab/beta) w_b, and K(s) w is constant
-- for the matrix with K' = -K C/beta. The structure is proved; K is computed for a run.
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local object = require "hamel.base.object"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local along = {}

local short = echelon.short
local vanishes = vanishing.proved

-- Is e a function of s and the parameters alone?
local function is_of(flow, e, s)
  for _, x in ipairs(core.symbols{ e }) do
    if x ~= s and not object.contains(flow.parameters, x) then return false end
  end
  return true
end

local function refuse(name, ...) fail("conserved: along = '%s': %s", name, (...):format(select(2, ...))) end

-- The index of w_1 and beta
local function leading(flow, name, s)
  local place, index
  for i, q in ipairs(flow.q) do if q == s then place = i end end
  for a, e in ipairs(flow.B[place]) do
    if not vanishes(e) then
      if index then index = false break end
      index = a
    end
  end
  local beta = index and short(flow.B[place][index])
  if not beta or not vanishes(flow.b[place]) or not is_of(flow, beta, s) then
    refuse(name, "%s' is not a multiple of one quasi-velocity alone by a function of %s", name, name)
  end
  return index, beta
end

--- { coordinate, symbol, matrix = entries C_ab/beta, of = the functions w_a in coordinates and velocities }; raises where the motion has not this structure.
function along.structure(flow, name)
  local s = flow.system._coordinate[name]
  if not s then
    fail("conserved: along = '%s': '%s' is not a coordinate of %s%s", tostring(name), tostring(name), flow.system.name,
      object.hint(tostring(name), flow.system.coordinate_names))
  end
  local first, beta = leading(flow, name, s)
  local others, rates, matrix, of = {}, flow:rates(), {}, {}
  for a = 1, flow.m do if a ~= first then others[#others + 1] = a end end
  for i, a in ipairs(others) do
    local slope, terms = core.diff(rates[a], flow.w[first]), {}
    matrix[i], of[i] = {}, flow.from_velocities[a]
    for j, b in ipairs(others) do
      local C = short(core.diff(slope, flow.w[b]))
      if not is_of(flow, C, s) then refuse(name, "the coefficients of the rate of %s depend on more than %s", core.text(of[i]), name) end
      terms[j], matrix[i][j] = C*flow.w[first]*flow.w[b], short(C/beta)
    end
    if not vanishes(rates[a] - core.sum(terms)) then
      refuse(name, "the rate of %s is not a multiple of %s' by functions linear in the other velocities", core.text(of[i]), name)
    end
  end
  if #others == 0 then refuse(name, "there is no other velocity") end
  return { coordinate = name, symbol = s, matrix = matrix, of = of }
end

--- The integrals as rows K_a1(s) w_1 + ...: expressions in functions known by name.
function along.integrals(A)
  local list = {}
  for i = 1, #A.of do
    local terms = {}
    for j, w in ipairs(A.of) do terms[j] = core.opaque(("K%d%d"):format(i, j), { A.symbol })*w end
    list[i] = core.sum(terms)
  end
  return list
end

-- ---- numbers

local MOST, SHARP = 20000, 1e-14       -- steps between two points; change at which a step is taken

-- One step of K' = -K C from s to s + h by the method of Runge and Kutta of order 4
local function step(slope, K, s, h)
  local function moved(by, rate)
    local result = {}
    for i = 1, #K do result[i] = K[i] + by*rate[i] end
    return result
  end
  local k1 = slope(s, K)
  local k2 = slope(s + h/2, moved(h/2, k1))
  local k3 = slope(s + h/2, moved(h/2, k2))
  local k4 = slope(s + h, moved(h, k3))
  local result = {}
  for i = 1, #K do result[i] = K[i] + h/6*(k1[i] + 2*k2[i] + 2*k3[i] + k4[i]) end
  return result
end

-- K carried from s to `target`: two half steps against one, extrapolated; nan where the steps do not become sharp
local function carried(slope, K, s, target)
  local h = target - s
  for _ = 1, MOST do
    if s == target then return K end
    if math.abs(h) > math.abs(target - s) then h = target - s end
    local whole, half = step(slope, K, s, h), step(slope, step(slope, K, s, h/2), s + h/2, h/2)
    local off, size, better = 0, 1, {}
    for i = 1, #K do
      off, size = math.max(off, math.abs(half[i] - whole[i])), math.max(size, math.abs(half[i]))
      better[i] = half[i] + (half[i] - whole[i])/15
    end
    -- the extrapolated error is smaller by the length of the step once more
    if off <= SHARP^0.8*size then
      s = math.abs(target - s) <= math.abs(h) and target or s + h
      K, h = better, off < SHARP*size and 2*h or h
    else h = h/2 end
  end
  local lost = {}
  for i = 1, #K do lost[i] = 0/0 end
  return lost
end

-- The program of the rates of K, row by row, with the run's values of the parameters
local function slope_of(A, run)
  local flat, n = {}, #A.of
  for _, row in ipairs(A.matrix) do table.move(row, 1, n, #flat + 1, flat) end
  local inputs, values = { A.symbol }, {}
  for _, s in ipairs(core.symbols(flat)) do if s ~= A.symbol then inputs[#inputs + 1] = s end end
  for i = 2, #inputs do values[i] = select(2, run:series(inputs[i]))[1] end
  local program = core.program(inputs, flat)
  return function(s, K)
    values[1] = s
    local C, rate = program:eval(values), {}
    for i = 1, n do
      for j = 1, n do
        local sum = 0.0
        for l = 1, n do sum = sum - K[(i - 1)*n + l]*C[(l - 1)*n + j] end
        rate[(i - 1)*n + j] = sum
      end
    end
    return rate
  end
end

--- Values of the integrals over a run, one list each, with K = 1 at its beginning.
function along.series(A, run)
  local n, K, columns = #A.of, {}, {}
  local series = table.pack(run:series(A.symbol, table.unpack(A.of)))
  local slope, places = slope_of(A, run), series[2]
  for i = 1, n do
    columns[i] = {}
    for j = 1, n do K[(i - 1)*n + j] = i == j and 1.0 or 0.0 end
  end
  for k, s in ipairs(places) do
    if k > 1 then K = carried(slope, K, places[k - 1], s) end
    for i = 1, n do
      local sum = 0.0
      for j = 1, n do sum = sum + K[(i - 1)*n + j]*series[j + 2][k] end
      columns[i][k] = sum
    end
  end
  return columns
end

return along
