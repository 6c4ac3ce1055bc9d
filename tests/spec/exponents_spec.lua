-- Lyapunov exponents against known ones: with constraints, with long times between orthonormalisations, from a start that is not 0
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near
local cos = hm.cos

-- Pendulum of length 1 in Cartesian coordinates, damped: phi'' = -sin phi - phi'/2 + torque
local function cartesian(torque)
  local S = hm.system "Cartesian pendulum"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(y)
  S:constraint("rod", x^2 + y^2 - 1)
  S:force(x, -x.dot/2 - torque*y)
  S:force(y, -y.dot/2 + torque*x)
  return S
end

-- x'' = x - x'/2: the roots of s^2 + s/2 = 1
local function saddle()
  local S, x = mechanics.body("saddle", "x")
  S:potential_energy(-x^2/2)
  S:force(x, -x.dot/2)
  local root = math.sqrt(17)/4
  return S, { -0.25 + root, -0.25 - root }
end

describe("Lyapunov exponents with a holonomic constraint", function()
  it("are those of the free directions, however long the motion", function()
    local S = cartesian(0)
    for _, form in ipairs{ "lagrange", "maggi" } do
      for _, t in ipairs{ 50, 400 } do
        local l = S:lyapunov{ form = form, q = { x = 0.3, y = -math.sqrt(0.91) }, v = { x = 0, y = 0 }, t = t, skip = 20 }
        assert.equal(2, #l.exponents)
        near(l.exponents[1] + l.exponents[2], -0.5, 1e-6)
        near(l.exponents[1], -0.25, 2/t)
      end
    end
  end)

  it("add up to the contraction of volumes in chaos, as in a coordinate of its own", function()
    local S = cartesian(hm.number "1.5"*cos(2*hm.t/3))
    local l = S:lyapunov{ q = { x = 0, y = -1 }, v = { x = 0.2, y = 0 }, t = 200, every = 2 }
    near(l.exponents[1] + l.exponents[2], -0.5, 2/200)                     -- areas in x, y differ from those in the angle by bounded factors
  end)
end)

describe("all exponents of many coordinates", function()
  it("add up to the divergence, also where a few directions are left out", function()
    for _, n in ipairs{ 2, 3, 4, 5, 7, 12 } do
      local S = hm.system "bodies on springs"
      local names = {}
      for i = 1, n do names[i] = "x" .. i end
      local q, v, before, T, V, sum_of = {}, {}, hm.number(0), hm.number(0), hm.number(0), hm.number(0)
      for i, x in ipairs{ S:coordinates(table.concat(names, " ")) } do
        T, V = T + x.dot^2/2, V + (1 + i)*(x - before)^2/2
        S:force(x, -x.dot*i/10)
        q[names[i]], before, sum_of = 0.1*(i - (n + 1)/2), x, sum_of + x
        if i > 1 then v[names[i]] = 0 end
      end
      S:kinetic_energy(T)
      S:potential_energy(V)
      S:constraint("middle at rest", sum_of)                               -- takes the mean of the dampings away
      local all = S:lyapunov{ q = q, v = v, t = 3 }
      local sum = 0
      for _, e in ipairs(all.exponents) do sum = sum + e end
      assert.equal(2*n - 2, #all.exponents)
      near(sum, -(n - 1)*(n + 1)/20, 1e-6)
      for left = 2*n - 3, math.max(1, 2*n - 5), -1 do                      -- a direction stretches as it did before those that are left out
        for _, e in ipairs(S:lyapunov{ q = q, v = v, t = 3, n = left }.exponents) do
          local nearest = math.huge
          for _, other in ipairs(all.exponents) do nearest = math.min(nearest, math.abs(e - other)) end
          near(nearest, 0, 1e-6)
        end
      end
    end
  end)
end)

describe("a long time between orthonormalisations", function()
  it("is cut where directions outgrow numbers on the way", function()
    local S, x = mechanics.body("inverted", "x")
    S:potential_energy(-1e6*x^2/2)                                         -- roots +-1000: e^1000 is no number
    for _, every in ipairs{ 0.1, 1, 5 } do
      local l = S:lyapunov{ q = { x = 0 }, v = { x = 0 }, t = 5, skip = 1, every = every }
      near(l.exponents[1], 1000, 1e-4)
      near(l.exponents[2], -1000, 1e-4)
    end
    -- one entry says nothing of changes
    local text = tostring(S:lyapunov{ q = { x = 0 }, v = { x = 0 }, t = 0.5, every = 1 })
    assert(text:find("too short, compared with every, to tell how they change", 1, true) and not text:find("changed them by", 1, true), text)
  end)

  it("costs no exponent", function()
    local S, roots = saddle()
    for _, every in ipairs{ 1, 20, 50, 200 } do
      local l = S:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = 200, skip = 20, every = every }
      near(l.exponents[1], roots[1], 2e-6)
      near(l.exponents[2], roots[2], 2e-6)
      assert.equal(every == 200 and 1 or 180//every + (180 % every > 0 and 1 or 0), #l.history)
    end
    local fast, x = mechanics.body("fast and slow", "x")
    fast:potential_energy(100*x^2/2)
    fast:force(x, -101*x.dot)                                              -- roots -1 and -100
    local l = fast:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = 6, skip = 3, every = 3 }
    near(l.exponents[1], -1, 1e-5)
    near(l.exponents[2], -100, 1e-3)
  end)

  -- Liouville: the sum is the divergence, -c, up to any time. radau5 takes long steps, in which directions shrink by many powers of ten
  it("have the divergence as their sum beside strong damping, by methods with short and with long steps", function()
    for _, method in ipairs{ "dop853", "radau5" } do
      for _, c in ipairs{ 10, 100, 1000 } do
        local S, x = mechanics.body("damped", "x")
        S:potential_energy(x^2/2)
        S:force(x, -c*x.dot)
        local l = S:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = 2, method = method }
        near((l.exponents[1] + l.exponents[2])/c, -1, 1e-7)
      end
    end
  end)
end)

describe("the time of S:lyapunov", function()
  it("is an end, or a start and an end", function()
    local S, roots = saddle()
    local l = S:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = { 5, 45 }, skip = 10 }
    near(l.exponents[1], roots[1], 1e-6)
    near(l.history[1].t, 16, 1e-12)
    near(l.history[#l.history].t, 45, 0)
    -- the equations are taken at these times
    local D, x = mechanics.body("drifting", "x")
    D:force(x, -hm.t*x.dot)
    local sum = 0
    for _, e in ipairs(D:lyapunov{ q = { x = 0 }, v = { x = 1 }, t = { 1, 3 } }.exponents) do sum = sum + e end
    near(sum, -2, 1e-6)                                                    -- the mean of -t
    check.raises({ "end time", "start" }, S.lyapunov, S, { q = { x = 1 }, v = { x = 0 }, t = { 3, 1 } })
    check.raises({ "skip" }, S.lyapunov, S, { q = { x = 1 }, v = { x = 0 }, t = { 5, 10 }, skip = 7 })
    check.raises({ "{start, end}" }, S.lyapunov, S, { q = { x = 1 }, v = { x = 0 }, t = { 5 } })
  end)

  -- v^2 + 0.44 w^2 = 0.69 stays, and w falls as e^(-k t) with k = 0.2 v/0.44, v = 0.69^0.5: to less than 1e-300 by t = 2000. Two exponents are 0
  it("goes on where a velocity has died out to the least numbers", function()
    local S = hm.system "sleigh"
    local x, y, a = S:coordinates "x y a"
    S:kinetic_energy(((x.dot - a.dot*hm.sin(a)/5)^2 + (y.dot + a.dot*hm.cos(a)/5)^2)/2 + a.dot^2/5)
    S:constraint("blade", x.dot*hm.sin(a) - y.dot*hm.cos(a))
    local l = S:lyapunov{ q = { x = 0, y = 0, a = 0.3 }, v = { x = 0.5, a = 1 }, t = 2000, skip = 100 }
    near(l.exponents[1], 0, 1e-2)
    near(l.exponents[2], 0, 1e-2)
    near(l.exponents[3], -0.2*math.sqrt(0.69)/0.44, 1e-2)
  end)
end)
