-- Lyapunov exponents of a chain with a heavy tip that strikes a wall elastically. Arbiter: volumes of coordinates and momenta stay, across impacts, too
-- (Liouville), so that the sum of the exponents of coordinates and velocities is log(det M(start)/det M(end)) over the time; det M by Cauchy and Binet.
local hm = require "hamel"
local check = require "check"

local g = hm.number "9.81"

local function chain(tip, hit, place)
  local S = hm.system "chain"
  local x, y, vx, vy, T, V, q, v, struck = 0, 0, 0, 0, 0, 0, {}, {}, nil
  for i, a in ipairs{ S:coordinates "q1 q2 q3" } do
    local m = i == 3 and tip or 1
    vx, vy, x, y = vx + hm.cos(a)*a.dot, vy + hm.sin(a)*a.dot, x + hm.sin(a), y - hm.cos(a)
    T, V, q["q" .. i], v["q" .. i] = T + m*(vx^2 + vy^2)/2, V + m*g*y, i/5, i/2
    if i == hit then struck = x end
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:unilateral("wall", hm.number(place) - struck, { law = hm.newton(1) })
  return S, { q = q, v = v, t = 0.05, every = 0.05 }
end

-- The sum over three of the rows of the velocities of the points, of squared determinants by the masses
local function determinant(tip, q)
  local rows, sum = {}, 0
  for k = 1, 3 do
    for _, f in ipairs{ math.cos, math.sin } do
      local row = { mass = k == 3 and tip or 1 }
      for i = 1, 3 do row[i] = i <= k and f(q["q" .. i]) or 0 end
      rows[#rows + 1] = row
    end
  end
  for i = 1, 6 do
    for j = i + 1, 6 do
      for k = j + 1, 6 do
        local a, b, c = rows[i], rows[j], rows[k]
        local d = a[1]*(b[2]*c[3] - b[3]*c[2]) - a[2]*(b[1]*c[3] - b[3]*c[1]) + a[3]*(b[1]*c[2] - b[2]*c[1])
        sum = sum + a.mass*b.mass*c.mass*d^2
      end
    end
  end
  return sum
end

describe("Lyapunov exponents with impacts of very different masses", function()
  it("add up to the change of volume", function()
    for _, case in ipairs{ { 1e4, 3, 1.18, 1 }, { 1e8, 3, 1.18, 1 }, { 1e4, 2, 0.6, 5 }, { 1e6, 2, 0.6, 8 } } do
      local tip = case[1]
      local S, o = chain(tip, case[2], case[3])
      local exponents, sum = S:lyapunov(o).exponents, 0
      local run = S:simulate{ q = o.q, v = o.v, t = 0.05 }
      assert.equal(case[4], #run.impacts)
      for _, e in ipairs(exponents) do sum = sum + 0.05*e end
      assert.is_true(math.abs(sum - math.log(determinant(tip, o.q)/determinant(tip, run:at(0.05).q))) < 1e-6)
    end
  end)

  it("are refused where an impact leaves directions that differ too much, not infinite", function()
    local S = hm.system "ball"
    local h = S:coordinates "h"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, 1)                       -- away from the wall: no contact lasts
    S:unilateral("wall", h, { law = hm.newton(1e-8) })
    check.raises({ "leaves directions that differ by more than seven orders of magnitude", "hm.newton(0)" }, S.lyapunov, S,
      { q = { h = 1 }, v = { h = -3 }, t = 5 })
  end)
end)
