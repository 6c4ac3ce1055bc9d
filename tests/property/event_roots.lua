-- Random guards along known motions: every root is met, in every method, forward and backward, however long the steps. Arbiters: closed forms
-- where the guard has them, otherwise the signs of the guard along the exact motion at 400000 places.
--   build/hamel tests/property/event_roots.lua [SEED [GUARDS per kind and method]]; HML_SEED, and HML_SCALE, which multiplies the guards
local hm, check = require "hamel", require "check"
local seed = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time()))
local count = check.draws(4)
print(("event_roots: seed %d, %d guards of a kind"):format(seed, count))
local between = check.generator(seed)

-- A free body moves by x = 2 t, y = 30 t - t^2/2 exactly in every method; an oscillator by p = sin t to the tolerance
local function free_body()
  local S = hm.system "free body"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -1)
  return { system = S, q = { x = 0, y = 0 }, v = { x = 2, y = 30 }, t = 50, exact = function(t) return 2*t, 30*t - t^2/2 end, x = x, y = y, near = 1e-9,
           times = function(s) return { s/2 } end }
end
local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + y^2)/2)
  return { system = S, q = { x = 0, y = 1 }, v = { x = 1, y = 0 }, t = 20, exact = function(t) return math.sin(t), math.cos(t) end, x = x, y = y,
           near = 1e-6, times = function(s)
             local list = {}
             if math.abs(s) > 1 then return list end
             for n = -1, 4 do
               list[#list + 1] = math.asin(s) + 2*math.pi*n
               list[#list + 1] = math.pi - math.asin(s) + 2*math.pi*n
             end
             return list
           end }
end

-- A guard: its expression, its value for given t, x, y, and its roots where they are known
local kinds = {
  -- sin(a x + b) sin(c t + d): roots in two combs
  function(m)
    local a, b, c, d = between(0.5, 20), between(0.1, 3), between(0.5, 10), between(0.1, 3)
    local list = {}
    local function add(t) if t > 0 and t < m.t then list[#list + 1] = t end end
    for k = -2000, 2000 do
      for _, t in ipairs(m.times((k*math.pi - b)/a)) do add(t) end
      add((k*math.pi - d)/c)
    end
    return hm.sin(a*m.x + b)*hm.sin(c*hm.t + d), nil, list
  end,
  -- bumps: all of them far narrower than a step
  function(m)
    local width, list, e = between(1e-4, 0.02), {}, -0.5
    local from = m.x
    for k = 1, 4 do
      local at = (k - between(0.2, 0.8))*m.t/4
      list[#list + 1], list[#list + 2] = at - width*math.sqrt(math.log(2)), at + width*math.sqrt(math.log(2))
      e = e + hm.exp(-((hm.t - at)/width)^2)
    end
    return e + 0*from, nil, list
  end,
  -- a polynomial with a close pair of roots
  function(m)
    local r, gap, s = between(0.1, 0.9)*m.t, 10^between(-6, -1), between(0.1, 0.9)*m.t
    if math.abs(r - s) < 1 then s = s < m.t/2 and s + 2 or s - 2 end
    local t = hm.t
    return (t - r)*(t - r - gap)*(t - s), nil, { r, r + gap, s }
  end,
  -- a moving wall, with a hill on it
  function(m)
    local a, w, b = between(0.1, 0.9), between(1, 12), between(0.2, 3)
    return m.x*m.y/10 - a*hm.cos(w*hm.t) - hm.exp(-b*(m.x - 1)^2), function(t, x, y) return x*y/10 - a*math.cos(w*t) - math.exp(-b*(x - 1)^2) end
  end,
  -- corners
  function(m)
    local a, w = between(-0.5, 0.5), between(1, 9)
    return hm.abs(hm.sin(w*m.x)) - hm.max(a, 0.3 + hm.cos(m.y)/5),
           function(_, x, y) return math.abs(math.sin(w*x)) - math.max(a, 0.3 + math.cos(y)/5) end
  end,
}

-- Touching guards, of one sign: even functions of a comb, and sums of them that vanish together. A root of each is one event, without direction
local even = {
  function(s) return s^2 end, function(s) return hm.abs(s) end, function(s) return s^4 end, function(s) return -s^6 end,
  function(s) return hm.sqrt(s^2) + s^2 end, function(s) return hm.abs(s)^hm.rational(3, 2) end,
  function(s) return hm.sqrt(s^2 + (3*s)^4) end,
}
kinds[#kinds + 1] = function(m)
  local a, b = between(0.5, 20), between(0.1, 3)
  local list = {}
  for k = -2000, 2000 do
    for _, t in ipairs(m.times((k*math.pi - b)/a)) do if t > 0 and t < m.t then list[#list + 1] = t end end
  end
  return even[math.random(#even)](hm.sin(a*m.x + b)), nil, list, true
end
-- affine in places and time
kinds[#kinds + 1] = function(m)
  local a, b, c, at = between(-3, 3), between(-3, 3), between(-2, 2), between(0.1, 0.9)*m.t
  local x, y = m.exact(at)
  local d = a*x + b*y + c*at
  return a*m.x + b*m.y + c*hm.t - d, function(t, u, v) return a*u + b*v + c*t - d end
end

local PLACES = 400000
local function by_signs(m, value)
  local list = {}
  local function at(t) local x, y = m.exact(t) return value(t, x, y) end
  local before
  for k = 1, PLACES do
    local t = m.t*(k - 0.5)/PLACES
    local now = at(t)
    if before and before*now < 0 then
      local a, b, fa = t - m.t/PLACES, t, before
      for _ = 1, 60 do
        local c = (a + b)/2
        local fc = at(c)
        if fa*fc > 0 then a, fa = c, fc else b = c end
      end
      list[#list + 1] = b
    end
    before = now
  end
  return list
end

local methods = { { "dop853" }, { "auto" }, { "radau5" }, { "taylor" }, { "rk8pd" }, { "msadams" }, { "rk4", 0.1 }, { "gauss6", 0.5 } }
local functions_of = { [4] = true }    -- smooth enough for samples: given as Lua functions too
local worst, met = 0, 0

local function compare(m, roots, run, what, backward)
  local events = run.events
  if #events ~= #roots then
    error(("%s: %d events, %d roots"):format(what, #events, #roots))
  end
  for k, e in ipairs(events) do
    local wanted = roots[backward and #roots + 1 - k or k]
    worst, met = math.max(worst, math.abs(e.t - wanted)/m.near), met + 1
    if math.abs(e.t - wanted) > m.near*(1 + 10*m.t) then error(("%s: event %d at %.15g, root at %.15g"):format(what, k, e.t, wanted)) end
  end
end

local function options_of(m, method, event)
  local fixed = m.near > 1e-8 and method[2] and 0.01
  return { q = m.q, v = m.v, t = m.t, method = method[1], step = fixed or method[2],
           rtol = not method[2] and 1e-11 or nil, atol = not method[2] and 1e-11 or nil,
           events = { event }, record = "impacts" }
end

for _, m in ipairs{ free_body(), oscillator() } do
  for number, kind in ipairs(kinds) do
    for _ = 1, count do
      local e, value, roots, touches = kind(m)
      roots = roots or by_signs(m, value)
      table.sort(roots)
      for _, method in ipairs(methods) do
        local what = ("%s, kind %d, %s, seed %d: %s"):format(m.system.name, number, method[1], seed, e)
        local skip = number == 5 and method[1] == "msadams" and m.near > 1e-8
        if not skip then
          compare(m, roots, m.system:simulate(options_of(m, method, { name = "e", when = e })), what)
          local rising = #m.system:simulate(options_of(m, method, { name = "e", when = e, direction = "rising" })).events
          local falling = #m.system:simulate(options_of(m, method, { name = "e", when = e, direction = "falling" })).events
          local wanted = touches and 0 or #roots
          if rising + falling ~= wanted or math.abs(rising - falling) > 1 then error(what .. (": %d rise, %d fall"):format(rising, falling)) end
        end
        if functions_of[number] and not method[2] then
          local f = function(t, q) return value(t, q.x, q.y) end
          compare(m, roots, m.system:simulate(options_of(m, method, { name = "e", when = f })), what .. " as a function")
        end
      end
      -- backward: from the end of the motion to its start
      local x, y = m.exact(m.t)
      local back = m.near < 1e-8 and { q = { x = x, y = y }, v = { x = 2, y = 30 - m.t } } or { q = { x = x, y = y }, v = { x = y, y = -x } }
      local o = options_of(m, { "dop853" }, { name = "e", when = e })
      o.q, o.v, o.t, o.rtol, o.atol = back.q, back.v, { m.t, 0 }, 1e-11, 1e-11
      compare(m, roots, m.system:simulate(o), ("%s backward, kind %d, seed %d: %s"):format(m.system.name, number, seed, e), true)
    end
  end
end
print(("%d roots met, the worst off by %.3g of what is allowed at 1"):format(met, worst))
assert(met > 1000)
