-- motions with impacts of systems that conserve the energy or a momentum: families, and what stays along a branch
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first = check.near, branches.first

-- A ball on an elastic floor with a spring k = 1 sideways: T = 2 sqrt(2 E)/g, multipliers exp(+- i T)
local function ball(e)
  local S = hm.system "ball with a spring"
  local h, x = S:coordinates "h x"
  local g = S:parameters "g=1"
  S:kinetic_energy((h.dot^2 + x.dot^2)/2)
  S:potential_energy(g*h + x^2/2)
  S:unilateral("floor", h, { law = hm.newton(e) })
  return S, { q = { h = 1, x = 0 }, v = { h = 0, x = 0 }, period = 2*math.sqrt(2) }
end

describe("elastic impacts", function()
  it("keep the energy: along a parameter it stays, along it lies a family", function()
    local S, guess = ball(1)
    local B = S:continue{ periodic = guess, along = "g", from = 0.8, to = 1.5 }
    for _, point in ipairs(B.points) do
      near(point.energy, 1, 1e-10)
      near(point.period, 2*math.sqrt(2)/point.value, 1e-9)
    end
    local F = S:continue{ periodic = guess, along = "energy", from = 0.5, to = 2 }
    for _, point in ipairs(F.points) do
      local T = 2*math.sqrt(2*point.value)
      near(point.period, T, 1e-9)
      near(point.impacts[1].velocity, math.sqrt(2*point.value), 1e-9)
      assert(#point.multipliers == 2)
      for _, m in ipairs(point.multipliers) do
        near(m.re, math.cos(T), 1e-8)
        near(math.abs(m.im), math.abs(math.sin(T)), 1e-8)
      end
    end
    -- as a parameter whose value is 1 the restitution does the same
    local P = ball(1)
    local e = P:parameters "e=1"
    P:set_law("floor", hm.newton(e))
    local same = P:continue{ periodic = guess, along = "energy", from = 0.5, to = 2 }
    assert.equal(#F.points, #same.points)
    for k, point in ipairs(same.points) do near(point.period, F.points[k].period, 1e-9) end
    check.raises({ "energy" }, P.continue, P, { periodic = guess, along = "e", from = 0.9, to = 1, fixed = { energy = 1 } })
    -- T = pi: both multipliers meet at -1 and stay on the unit circle
    assert(F.points[1].energy < math.pi^2/8 and F.points[#F.points].energy > math.pi^2/8)
    local fixed = S:continue{ periodic = guess, along = "g", to = 1.2, fixed = { energy = 1.1 } }
    near(fixed.points[1].period, 2*math.sqrt(2.2), 1e-9)
  end)

  -- between a flat and a concave mirror of the radius R: half the trace is 1 - 2 L/R for a round trip (optical resonators), L = 1
  it("between mirrors: unstable for R < L", function()
    local S = hm.system "billiard"
    local x, y = S:coordinates "x y"
    local R = S:parameters "R=3/2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("flat", y, { law = hm.newton(1) })
    S:unilateral("concave", 1 - x^2/(2*R) - y, { law = hm.newton(1) })
    local guess = { q = { x = 0, y = 0.5 }, v = { x = 0, y = 1 }, period = 2 }
    local B = S:continue{ periodic = guess, along = "R", from = 0.6, to = 3 }
    near(first(B, "flip").value, 1, 1e-9)
    for _, point in ipairs(B.points) do
      near(point.period, 2, 1e-10)
      local sum = 0
      for _, m in ipairs(point.multipliers) do sum = sum + m.re end
      near(sum, 2 - 4/point.value, 1e-8)
      assert(point.value > 0.999 or point.stable == false)
    end
    local F = S:continue{ periodic = guess, along = "energy", from = 0.2, to = 1 }
    for _, point in ipairs(F.points) do near(point.period, 2/math.sqrt(2*point.value), 1e-9) end
  end)

  it("lose energy at a restitution below 1, so that there is no family", function()
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local A = S:parameters "A=13/10"
    S:kinetic_energy(h.dot^2/2)
    S:potential_energy(h)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(0.5) })
    local phase = math.acos(math.pi/3/1.3)
    check.raises({ "not along 'energy', unless all of them keep it" }, S.continue, S,
      { periodic = { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }, along = "energy", to = 2 })
  end)
end)

describe("impacts inside a free body", function()
  -- masses 1 and 1 that move freely along a line, a stop and a spring between them: the relative motion is that of one mass 1/2
  it("keep its momentum; the relative motion is that of a system with one coordinate", function()
    local function body(whole)
      local S = hm.system "bob in a capsule"
      local x, u
      if whole then x, u = S:coordinates "x u" else u = S:coordinates "u" end
      local w, k = S:parameters "w=3/2 k=1"
      S:kinetic_energy(whole and (x.dot^2 + (x.dot + u.dot)^2)/2 or u.dot^2/4)
      S:potential_energy(k*u^2/2)
      S:force(u, -u.dot/5 + hm.cos(w*hm.t))
      S:unilateral("stop", 0.3 - u, { law = hm.newton(0.7) })
      local rest = { x = whole and 0 or nil, u = 0 }
      local state = S:simulate{ q = rest, v = rest, t = 100*2*math.pi/1.5 }:at(90.2*2*math.pi/1.5)
      return S:continue{ periodic = { q = state.q, v = state.v, t = state.t, period = 2*hm.pi/w }, along = "k", from = 0.8, to = 1.3, step = 0.05 }
    end
    local one, two = body(false), body(true)
    for _, edge in ipairs{ 1, -1 } do
      local a, b = one.points[edge == 1 and 1 or #one.points], two.points[edge == 1 and 1 or #two.points]
      near(b.value, a.value, 1e-12)
      near(b.impacts[1].velocity, a.impacts[1].velocity, 1e-8)
      for i, m in ipairs(a.multipliers) do
        near(b.multipliers[i].re, m.re, 1e-7)
        near(math.abs(b.multipliers[i].im), math.abs(m.im), 1e-7)
      end
    end
  end)
end)
