-- What charts of exponents call motions that come to rest, or to a cycle, in a family of such motions, whose spectra have zeros that are no motion.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function regimes(S, over, q, v, t, skip, parameters)
  local C, list = S:chart{ over = over, of = "exponents", q = q, v = v, t = t, skip = skip, parameters = parameters, progress = false }, {}
  for i, row in ipairs(C) do
    assert.equal("OK", row.status, row.reason)
    list[i] = C._about.regime(row)
  end
  return list
end

local function all_are(words, list) for _, text in ipairs(list) do assert.equal(words, text) end end

-- A whole number of tenths from -9 to 9, from a sequence of its own
local function draws(state)
  return function(from, to)
    state = (state*1103515245 + 12345) % 2^31
    return from + math.floor(state/65536) % (to - from + 1)
  end
end

describe("charts of exponents of motions in families", function()
  -- arbiter: energy falls by the damping, and x - y, the radius or nothing has a minimum; runs end with velocities of 1e-15
  it("call rest what comes to rest in a family of states of rest", function()
    local S = hm.system "two damped"
    local x, y = S:coordinates "x y"
    local k = S:parameters "k=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(k*(x - y)^2/2)
    S:force(x, -x.dot)
    S:force(y, -y.dot)
    all_are("rest (0 - - -)", regimes(S, { { "k", { 1, 2 } } }, { x = 0, y = 1 }, { x = 0, y = 0 }, 300, 50))
    local M = hm.system "ring-shaped well"
    local a, b = M:coordinates "a b"
    local h = M:parameters "h=1"
    M:kinetic_energy((a.dot^2 + b.dot^2)/2)
    M:potential_energy(h*(a^2 + b^2 - 1)^2/4)
    M:force(a, -a.dot)
    M:force(b, -b.dot)
    all_are("rest (0 - - -)", regimes(M, { { "h", { 1, 2 } } }, { a = 0.3, b = 0.2 }, { a = 0, b = 0 }, 300, 50))
    local Q = hm.system "damped sleigh"
    local u, w, th = Q:coordinates "u w th"
    local c = Q:parameters "c=1"
    Q:kinetic_energy((u.dot^2 + w.dot^2 + th.dot^2)/2)
    Q:constraint("blade", u.dot*sin(th) - w.dot*cos(th))
    for _, s in ipairs{ u, w, th } do Q:force(s, -c*s.dot) end
    all_are("rest (0 - -)", regimes(Q, { { "c", { 1, 2 } } }, { u = 0, w = 0, th = 0 }, { u = 1, th = 0.3 }, 100, 20))
    -- two free directions
    local U = hm.system "three damped"
    local p, q, r = U:coordinates "p q r"
    local e = U:parameters "e=1"
    U:kinetic_energy((p.dot^2 + q.dot^2 + r.dot^2)/2)
    U:potential_energy(e*(p - q + r)^2/2)
    for _, s in ipairs{ p, q, r } do U:force(s, -s.dot) end
    all_are("rest (0 0 - - - -)", regimes(U, { { "e", { 1, 2 } } }, { p = 0, q = 1, r = 0 }, { p = 0, q = 0, r = 0 }, 300, 50))
  end)

  -- damping takes energy from every velocity, and nothing gives any: all these motions come to rest, sooner or later
  it("call no damped motion anything but rest or undecided, holonomic or not, linear damping or not, however short the time", function()
    local draw, counts = draws(51), {}
    local function part() return hm.rational(draw(-9, 9), 10) end
    for n = 1, 8 do
      for _, bound in ipairs{ true, false } do
        local S = hm.system("drawn " .. n)
        local x, y, z = S:coordinates "x y z"
        local d = S:parameters "d=1"
        S:kinetic_energy((1 + part()^2*sin(y)^2)*x.dot^2/2 + (1 + part()^2*cos(z)^2)*y.dot^2/2 + z.dot^2/2 + part()/3*x.dot*y.dot*cos(z))
        S:potential_energy(n % 2 == 0 and ((x - y)^2 + (y - z)^2)/2 + part()*sin(x - y)/4 or (x^2 + y^2 + z^2)/2 + part()*sin(x + y)/4 + part()*cos(z - x)/3)
        if bound then S:constraint("c", z.dot - (part()*sin(y) + part()*cos(x))*x.dot - (part()*x + part()*sin(z))*y.dot) end
        for _, s in ipairs{ x, y, z } do S:force(s, -d*hm.rational(draw(1, 9), 20)*s.dot*(n % 4 == 3 and s.dot^2 or 1)) end
        local gyroscopic = part()
        S:force(x, gyroscopic*y.dot)
        S:force(y, -gyroscopic*x.dot)
        local size = n % 3 == 2 and 1e-4 or 1
        for _, t in ipairs{ 20, 200, 600 } do
          local list = regimes(S, { { "d", { 0.01, 0.1, 1 } } }, { x = 0.3*size, y = 0.2*size, z = -0.1*size },
            { x = 0.1*size, y = -0.2*size, z = not bound and 0.1*size or nil }, t, t/4)
          for i, text in ipairs(list) do
            local word = text:match "^%a+"
            assert.truthy(word == "rest" or word == "undecided", ("drawn %d, %s, t = %g, row %d: %s"):format(n, tostring(bound), t, i, text))
            counts[word] = (counts[word] or 0) + 1
          end
          -- linear damping of this size has had its time
          if t == 600 and n % 4 ~= 3 then assert.truthy(list[3]:find("rest", 1, true), list[3]) end
        end
      end
    end
    assert.truthy(counts.rest >= 20)
  end)

  -- arbiter: of = "period" says 1; y' vanishes, and z is any number
  it("call a cycle in a family of cycles a cycle, free and driven", function()
    local U = hm.system "cycle in a family"
    local x, y, z = U:coordinates "x y z"
    local m = U:parameters "m=0.2"
    U:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    U:potential_energy(x^2/2 + y^2 + z^2/2 + x*z/3)
    U:constraint("c", z.dot - y*x.dot)
    U:force(x, m*x.dot - x.dot^3/3)
    U:force(y, -y.dot/4)
    local o = { over = { { "m", { 0.2, 0.4 } } }, q = { x = 0.1, y = 0, z = 0.2 }, v = { x = 0.2, y = 0 }, t = 2000, skip = 700, progress = false,
                of = "period", section = { when = x, direction = "rising" } }
    for _, row in ipairs(U:chart(o)) do assert.equal(1, row.period) end
    all_are("cycle (0 0 - - -)", regimes(U, o.over, o.q, o.v, 2000, 200))
    -- linear: what is left of the start shrinks but for the place, and the drive has the period 2 pi
    local G = hm.system "driven pair"
    local a, b = G:coordinates "a b"
    local k = G:parameters "k=1"
    G:kinetic_energy((a.dot^2 + b.dot^2)/2)
    G:potential_energy(k*(a - b)^2/2)
    G:force(a, -a.dot/3 + cos(hm.t))
    G:force(b, -b.dot/2)
    all_are("driven cycle (0 - - -)", regimes(G, { { "k", { 1, 2 } } }, { a = 0, b = 1 }, { a = 0.1, b = 0 }, 300))
  end)

  -- two oscillators that do not know of each other, with frequencies near 1 and sqrt 2
  it("still find tori", function()
    local T = hm.system "two beats"
    local x, y = T:coordinates "x y"
    local m, c = T:parameters "m=0.3 c=0"
    T:kinetic_energy((x.dot^2 + y.dot^2)/2)
    T:potential_energy(x^2/2 + y^2)
    T:force(x, m*(1 - x^2)*x.dot + c*(y - x))
    T:force(y, m*(1 - y^2)*y.dot + c*(x - y))
    all_are("torus (0 0 - -)", regimes(T, { { "c", { 0, 0.05 } } }, { x = 0.3, y = 0.5 }, { x = 0, y = 0 }, 1000, 300))
    -- x'' = m (1 - x^2) x' - x begins near 0, where volumes grow, and comes to a cycle
    local V = hm.system "van der Pol"
    local u = V:coordinates "u"
    local n = V:parameters "n=1"
    V:kinetic_energy(u.dot^2/2)
    V:potential_energy(u^2/2)
    V:force(u, n*(1 - u^2)*u.dot)
    all_are("undecided (0 0)", regimes(V, { { "n", { 0.05 } } }, { u = 0.3 }, { u = 0 }, 50))
    all_are("cycle (0 -)", regimes(V, { { "n", { 0.05, 1, 10 } } }, { u = 0.3 }, { u = 0 }, 1000))
  end)

  -- x^2/2 + l^2/(2 (1 + x^2)) holds x at rest, and th' = l/(1 + x^2) is constant there
  it("call motions of ignorable coordinates alone steady", function()
    local H = hm.system "slider on a turning rod"
    local x, th = H:coordinates "x th"
    local c = H:parameters "c=0.3"
    H:kinetic_energy((x.dot^2 + (1 + x^2)*th.dot^2)/2)
    H:potential_energy(x^2)
    H:force(x, -c*x.dot)
    all_are("steady motion (0 - -)", regimes(H, { { "c", { 0.3, 1 } } }, { x = 0.3, th = 0 }, { x = 0.1, th = 0.5 }, 300))
  end)

  -- linear: all that is left is the answer to the drive, which repeats if its frequencies have a common period
  it("call a motion with two drives without a common period driven, and no cycle", function()
    local S = hm.system "two drives"
    local x = S:coordinates "x"
    local w, F, c = S:parameters "w=2 F=1 c=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*x.dot + F*cos(hm.t) + F*cos(w*hm.t))
    assert.same({ "driven cycle (- -)", "driven cycle (- -)", "driven (- -)" },
      regimes(S, { { "w", { 2, 1.5, math.sqrt(2) } } }, { x = 0 }, { x = 0 }, 300, 50))
    all_are("rest (- -)", regimes(S, { { "w", { 2, math.sqrt(2) } } }, { x = 1 }, { x = 0 }, 300, 50, { F = 0 }))
    -- of x'' + c x' + (1 + 3/10 cos 2t) x = 0 the origin attracts for c > 0.15
    local M = hm.system "swing"
    local y = M:coordinates "y"
    local d = M:parameters "d=1"
    M:kinetic_energy(y.dot^2/2)
    M:potential_energy((1 + hm.rational(3, 10)*cos(2*hm.t))*y^2/2)
    M:force(y, -d*y.dot)
    all_are("rest (- -)", regimes(M, { { "d", { 0.4, 1 } } }, { y = 1 }, { y = 0 }, 200))
  end)
end)
