-- vakonomic_action.lua: vakonomic runs against the stationary point of the discretised action sum h (L + mu f) at midpoints, between the
-- end points of the run. Arbiter: L and f alone, by Newton's method on the gradient; the distance must fall like h^2.
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
print(("vakonomic_action: seed %d"):format(seed))
local random = check.generator(seed)

-- Solves the n x n system A d = b in place by partial pivoting; rows are zero left of `first` entries and right of `band` further ones
local function solve(A, b, band)
  local n = #b
  for k = 1, n do
    local last, p = math.min(n, k + band), k
    for i = k + 1, last do if math.abs(A[i][k]) > math.abs(A[p][k]) then p = i end end
    A[k], A[p], b[k], b[p] = A[p], A[k], b[p], b[k]
    for i = k + 1, last do
      local factor = A[i][k]/A[k][k]
      if factor ~= 0 then
        for j = k, math.min(n, k + 2*band) do A[i][j] = A[i][j] - factor*A[k][j] end
        b[i] = b[i] - factor*b[k]
      end
    end
  end
  for i = n, 1, -1 do
    for j = i + 1, math.min(n, i + 2*band) do b[i] = b[i] - A[i][j]*b[j] end
    b[i] = b[i]/A[i][i]
  end
  return b
end

-- Gradient and second derivatives of h (L + mu f)((a + b)/2, (b - a)/h, mu, t) by (a, mu, b)
local function element(S, L, constraints)
  local q, a, b, mu, h = S:coordinate_list(), {}, {}, {}, hm.symbols "h"
  local from, to = { hm.t }, { hm.symbols "tm" }
  for s = 1, #q do
    a[s], b[s] = hm.symbols("a" .. s), hm.symbols("b" .. s)
    from[#from + 1], to[#to + 1] = q[s], (a[s] + b[s])/2
    from[#from + 1], to[#to + 1] = q[s].dot, (b[s] - a[s])/h
  end
  for k, c in ipairs(constraints) do
    mu[k] = hm.symbols("m" .. k)
    L = L + mu[k]*c
  end
  local action, variables = h*core.substitute(L, from, to), {}
  for _, list in ipairs{ a, mu, b } do table.move(list, 1, #list, #variables + 1, variables) end
  local inputs, outputs = { h, to[1] }, hm.gradient(action, variables)
  table.move(variables, 1, #variables, 3, inputs)
  for i = 1, #variables do table.move(hm.gradient(outputs[i], variables), 1, #variables, i*#variables + 1, outputs) end
  return core.program(inputs, outputs), #q, #constraints
end

-- Path of the stationary point: x holds mu_1, q_1, mu_2, q_2, ..., mu_N with q_0 and q_N given
local function stationary(program, n, g, t1, N, guess, ends)
  local h, width, x = t1/N, 2*n + g, {}
  for i = 1, N do
    for k = 1, g do x[#x + 1] = guess.mu((i - 0.5)*h)[k] end
    if i < N then for s = 1, n do x[#x + 1] = guess.q(i*h)[s] end end
  end
  -- place of an element's variable among the unknowns, nil for a given end
  local function place(i, c)
    local at = (i - 1)*(n + g) - n + c
    return at >= 1 and at <= #x and at or nil
  end
  for _ = 1, 50 do
    local A, b, size = {}, {}, 0
    for i = 1, #x do
      A[i], b[i] = {}, 0
      for j = 1, #x do A[i][j] = 0 end
    end
    for i = 1, N do
      local input = { h, (i - 0.5)*h }
      for c = 1, width do
        local at = place(i, c)
        input[2 + c] = at and x[at] or (i == 1 and c <= n and ends[1][c]) or ends[2][c - n - g]
      end
      local values = program:eval(input)
      for c = 1, width do
        local row = place(i, c)
        if row then
          b[row] = b[row] - values[c]
          for d = 1, width do
            local column = place(i, d)
            if column then A[row][column] = A[row][column] + values[c*width + d] end
          end
        end
      end
    end
    for i, d in ipairs(solve(A, b, width)) do
      x[i] = x[i] + d
      size = math.max(size, math.abs(d))
    end
    if size < 1e-11 then break end
    assert(size < 1e6, "Newton's method on the discretised action leaves the path")
  end
  return x
end

-- Largest distance of the stationary path from the run, coordinates and multipliers
local function distance(run, path, n, g, t1, N, names, multipliers)
  local off, off_mu = 0, 0
  for i = 1, N do
    local base = (i - 1)*(n + g)
    local mu = multipliers and multipliers((i - 0.5)*t1/N)
    for k = 1, mu and g or 0 do off_mu = math.max(off_mu, math.abs(path[base + k] - mu[k])) end
    if i < N then
      local s = run:at(i*t1/N)
      for j = 1, n do off = math.max(off, math.abs(path[base + g + j] - s[names[j]])) end
    end
  end
  return off, off_mu
end

local function compare(title, S, run, t1, other)
  local constraints, names = {}, S.coordinate_names
  for k, c in ipairs(S.constraints) do constraints[k] = c.f end
  local program, n, g = element(S, S:lagrangian(), constraints)
  local function q_at(path) return function(t)
    local s, list = path:at(t), {}
    for i, name in ipairs(names) do list[i] = s[name] end
    return list
  end end
  local function mu_at(t)
    local s, list = run:at(t), {}
    for k, c in ipairs(S.constraints) do list[k] = s.mu[c.name] end
    return list
  end
  local ends, bump = { q_at(run)(0), q_at(run)(t1) }, random(0.01, 0.02)
  local guess = {
    q = function(t)
      local list = q_at(run)(t)
      for i = 1, n do list[i] = list[i] + bump*math.sin(math.pi*t/t1) end
      return list
    end,
    mu = function(t)
      local list = mu_at(t)
      for k = 1, g do list[k] = list[k] + bump end
      return list
    end,
  }
  local before, before_mu
  for _, N in ipairs{ 16, 32, 64 } do
    local path = stationary(program, n, g, t1, N, guess, ends)
    local off, off_mu = distance(run, path, n, g, t1, N, names, mu_at)
    if before then
      local order, order_mu = math.log(before/off, 2), math.log(before_mu/off_mu, 2)
      assert(order > 1.8 and order < 2.2, ("%s: order %.2f in q"):format(title, order))
      assert(order_mu > 1.8 and order_mu < 2.2, ("%s: order %.2f in mu"):format(title, order_mu))
      if N == 64 then
        print(("  %-34s off by %.1e (q), %.1e (mu), orders %.2f, %.2f"):format(title, off, off_mu, order, order_mu))
        -- the Chetaev motion of the same start is no stationary point between its own end points: the distance stays
        local others = stationary(program, n, g, t1, N, { q = q_at(other), mu = mu_at }, { q_at(other)(0), q_at(other)(t1) })
        local off_other = distance(other, others, n, g, t1, N, names)
        assert(off_other > 20*off, ("%s: the Chetaev motion is as near: %.1e"):format(title, off_other))
      end
    end
    before, before_mu = off, off_mu
  end
end

local function tried(title, S, start, mu)
  local o = { rtol = 1e-12, atol = 1e-13, t = start.t, q = start.q, v = start.v }
  local other = S:simulate(o)
  o.form, o.mu = "vakonomic", mu
  local run = S:simulate(o)
  assert(run.status == "OK", run.reason)
  compare(title, S, run, start.t, other)
  return run
end

do
  local S = hm.system "linear, rheonomic"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2*(1 + x^2/4))/2)
  S:potential_energy(y/2 + x*z/3)
  S:constraint("f", y.dot - z*x.dot - hm.sin(hm.t)/3)
  tried("linear, rheonomic", S, { q = { x = 0, y = 0, z = random(0.1, 0.3) }, v = { x = random(0.8, 1.2), z = 1 }, t = 1 }, { f = random(0.4, 0.8) })
end

do
  local S = hm.system "two constraints, one nonlinear"
  local x, y, z, u = S:coordinates "x y z u"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + u.dot^2)/2)
  S:potential_energy(y*u/2)
  S:constraint("one", y.dot - z*x.dot^2/2 - u/3)
  S:constraint("two", u.dot - x*z.dot - y*x.dot/2)
  tried("two constraints, one nonlinear", S, { q = { x = 0, y = 0.2, z = random(0.1, 0.3), u = 0 }, v = { x = random(0.8, 1.2), z = 0.7 }, t = 1 },
    { one = random(0.3, 0.5), two = random(0.3, 0.6) })
end

do
  local S = hm.system "isokinetic"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(y + x^2/2)
  S:constraint("speed", (x.dot^2 + y.dot^2 - 1)/2)
  local angle = random(0.2, 0.6)
  tried("isokinetic", S, { q = { x = 0, y = 0 }, v = { x = math.cos(angle), y = math.sin(angle) }, t = 1 }, { speed = random(0.2, 0.6) })
end
