-- what is said of the stability of motions and states of rest, and how exactly it is known: against closed forms, in any units
local hm, check = require "hamel", require "check"
local floquet = require "hamel.continuation.floquet"
local near = check.near

describe("multipliers of motions that swing little about an offset", function()
  -- x'' + 2 z w x' + w^2 (x - X) = f w^2 cos(W t): the multipliers are exp((-z w +- i w sqrt(1 - z^2)) 2 pi/W)
  local function branch(length, time, offset, swing, ratio, z)
    local S = hm.system "offset"
    local x = S:coordinates "x"
    local g = S:parameters "g=1"
    local W, w = 1/time, ratio/time
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -2*z*w*x.dot - w^2*(x - offset*length) + g*length*swing*w^2*hm.cos(W*hm.t))
    return S:continue{ periodic = { q = { x = (offset + swing)*length }, v = { x = 0 }, period = 2*hm.pi/W }, along = "g", from = 0.9, to = 1.1, points = 4 },
      2*math.pi*ratio
  end

  it("are known as exactly as without it, whatever the units, and so is their verdict", function()
    for _, case in ipairs{ { 1, 1e-3, 0.55, 0.1 }, { 1, 1e-6, 0.55, 0.1 }, { 1, 1e-2, 25.3, 1e-4 }, { 0, 1, 1.7, 0.05 }, { 1, 1e-3, 3.1, -0.02 } } do
      local offset, swing, ratio, z = table.unpack(case)
      for _, units in ipairs{ { 0.35, 2 }, { 1e-5, 1e3 } } do
        local B, turn = branch(units[1], units[2], offset, swing, ratio, z)
        local size, angle = math.exp(-z*turn), math.sqrt(1 - z^2)*turn
        for _, point in ipairs(B.points) do
          for _, m in ipairs(point.multipliers) do
            local off = math.sqrt((m.re - size*math.cos(angle))^2 + (math.abs(m.im) - size*math.abs(math.sin(angle)))^2)
            assert(off <= m.uncertainty and m.uncertainty < 1e-7*math.max(1, size), ("%g %g: off by %g, known to %g"):format(swing, ratio, off, m.uncertainty))
          end
          assert.equal(z > 0, point.stable)
        end
      end
    end
  end)
end)

describe("states of rest", function()
  -- two bodies on springs with hardening, in an arm of gyroscopic forces: damped alike by c at each velocity, the energy falls; arbiter: that it does
  local function verdicts(c, gyroscopic, length, time)
    local S = hm.system "springs"
    local x, y = S:coordinates "x y"
    local k = S:parameters "k=1"
    local a, b = x/length, y/length
    S:kinetic_energy((x.dot^2 + 2*y.dot^2)/2)
    S:potential_energy((length/time)^2*(k*(a - 1/3)^2/2 + (b + a - 1/7)^2 + a^4/5 - hm.sin(b)/4))
    S:force(x, (-2*c*x.dot + gyroscopic*y.dot)/time)
    S:force(y, (-4*c*y.dot - gyroscopic*x.dot)/time)
    local B, seen = S:continue{ equilibrium = { q = { x = 0.1*length, y = 0.1*length } }, along = "k", from = 0.5, to = 2, points = 8 }, {}
    for _, point in ipairs(B.points) do seen[#seen + 1] = tostring(point.stable) end
    for _, word in ipairs(seen) do assert.equal(seen[1], word) end
    return seen[1]
  end

  it("are stable or unstable by a damping however weak, as far as their eigenvalues are known, and not decided without, in any units", function()
    for _, units in ipairs{ { 1, 1 }, { 1e-4, 1e3 } } do
      for _, gyroscopic in ipairs{ 0, 3 } do
        for _, c in ipairs{ 1e-9, 1e-12 } do
          assert.equal("true", verdicts(c, gyroscopic, units[1], units[2]))
          assert.equal("false", verdicts(-c, gyroscopic, units[1], units[2]))
        end
        assert.equal("nil", verdicts(0, gyroscopic, units[1], units[2]))
      end
    end
  end)

  it("with two equal frequencies, at places that are no doubles, are not decided without damping", function()
    for _, c in ipairs{ 0, 1e-10 } do
      local S = hm.system "bowl"
      local x, y = S:coordinates "x y"
      local k = S:parameters "k=1"
      S:kinetic_energy((x.dot^2 + y.dot^2 + (x*x.dot + y*y.dot)^2)/2)
      S:potential_energy(k*((x - hm.sqrt(2)/4)^2 + (y - hm.rational(1, 7))^2)/2)
      S:force(x, -c*x.dot)
      S:force(y, -c*y.dot)
      for _, point in ipairs(S:continue{ equilibrium = { q = { x = 0.3, y = 0.1 } }, along = "k", from = 0.5, to = 3, points = 10 }.points) do
        assert.equal(c > 0 and true or nil, point.stable)
      end
    end
  end)
end)

describe("a motion that no direction crosses", function()
  it("is stable: those nearby are periodic, too, and stay as near as they are", function()
    local S = hm.system "pendulum"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(1 - hm.cos(x))
    local B = S:continue{ periodic = { q = { x = 1 }, v = { x = 0 }, period = 6.7 }, along = "energy", to = 1.9, points = 12 }
    for _, point in ipairs(B.points) do
      assert.equal(0, #point.multipliers)
      assert.equal(true, point.stable)
    end
    -- arbiter: the energy of a motion beside it, which is how far from it this is across it
    local point = B.points[#B.points]
    local run = S:simulate{ q = { x = point.q.x + 1e-6 }, v = point.v, t = 100*point.period }
    for t = 0, 100*point.period, 7.3*point.period do
      local s = run:at(t)
      near(s.v.x^2/2 + 1 - math.cos(s.x), point.energy, 2e-6)
    end
  end)
end)

describe("multipliers beside weak damping", function()
  it("meet on the unit circle where they come with their inverses as exactly as they are known, and not where a damping of 1e-8 is left", function()
    local function meets(size, problem)
      local list = {}
      for _, angle in ipairs{ 1, 1 + 1e-4 } do
        for _, sign in ipairs{ 1, -1 } do list[#list + 1] = { re = size*math.cos(angle), im = sign*size*math.sin(angle), uncertainty = 1e-11 } end
      end
      floquet.prepare(problem, "torus", {}, list)
      return problem.meets
    end
    assert.equal(true, meets(1, { tolerance = 1e-10 }))
    assert.equal(false, meets(1 - 1e-8, { tolerance = 1e-10 }))
    -- the equations say that there is none
    assert.equal(true, meets(1 - 1e-8, { tolerance = 1e-10, hamiltonian = true }))
  end)
end)
