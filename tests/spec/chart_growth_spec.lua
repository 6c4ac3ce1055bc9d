-- What charts of exponents say of motions that grow, and of regular ones that seem to: arbitrated by integrable systems and by closed forms.
local hm, check = require "hamel", require "check"

local function chart(S, over, q, v, t, parameters)
  return S:chart{ over = over, of = "exponents", q = q, v = v, t = t, parameters = parameters, progress = false }
end

local function regimes(C)
  local list = {}
  for i, row in ipairs(C) do list[i] = C._about.regime(row) end
  return list
end

local function none_says(words, C)
  for i, text in ipairs(regimes(C)) do
    for _, word in ipairs(words) do assert.falsy(text:find(word, 1, true), ("row %d: %s\n%s"):format(i, text, tostring(C))) end
  end
end

local function planar(V)
  local S = hm.system "planar"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(V(x, y))
  return S
end

describe("charts of exponents", function()
  -- integrable and bounded: Kepler's ellipses, Henon's isochrone, the spherical pendulum, a quartic that separates along the diagonals
  it("call no regular motion growing or chaos, also where it passes near a centre", function()
    local P = hm.system "spherical pendulum"
    local theta, phi = P:coordinates "theta phi"
    P:kinetic_energy((theta.dot^2 + hm.sin(theta)^2*phi.dot^2)/2)
    P:potential_energy(-hm.cos(theta))
    local list = { { planar(function(x, y) return -1/hm.sqrt(x^2 + y^2) end), { "x", 0.5, 2 }, { "v.y", 0.1, 0.9 }, { y = 0.1 }, { x = 0.1 } },
                   { planar(function(x, y) return -1/(1 + hm.sqrt(1 + x^2 + y^2)) end), { "x", 0.3, 2.2 }, { "v.y", 0.1, 0.7 }, { y = 0.008 }, { x = 0.17 } },
                   { planar(function(x, y) return x^4 + 6*x^2*y^2 + y^4 + (x^2 + y^2)/2 end), { "x", -0.6, 0.6 }, { "v.y", 0, 0.8 }, { y = -0.022 },
                     { x = 0.115 } },
                   { P, { "theta", 0.4, 2.5 }, { "v.phi", 0.1, 1.5 }, { phi = 0 }, { theta = 0.3 } } }
    for _, given in ipairs(list) do
      local S, one, other = given[1], given[2], given[3]
      local over = { { one[1], hm.range(one[2], one[3], 10) }, { other[1], hm.range(other[2], other[3], 10) } }
      for _, t in ipairs{ 10, 30 } do none_says({ "growing", "chaos" }, chart(S, over, given[4], given[5], t)) end
    end
  end)

  -- x'' = -x + cos(w t)/3 is bounded but for w = 1: the amplitude is 2/3/|1 - w^2| and what the start adds; its beats may be longer than the time
  it("leave open whether a swing grows for ever or is a part of a beat", function()
    local S = hm.system "beat"
    local x = S:coordinates "x"
    local w, c = S:parameters "w=1 c=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(w*hm.t)/3 - c*x.dot)
    for _, t in ipairs{ 10, 30, 100, 300 } do
      local C = chart(S, { { "w", hm.range(0.9, 1.1, 21) }, { "x", { -0.5, 0, 0.8 } } }, nil, { x = 0.3 }, t)
      none_says({ "growing", "chaos" }, C)
    end
    -- a motion that settles slowly swings wider for long, too
    none_says({ "growing", "chaos" }, chart(S, { { "w", { 1, 1.01 } } }, { x = 0 }, { x = 0 }, 100, { c = 0.01 }))
  end)

  -- x'' = (r^2 + r') x with r = l + b cos(w t) has the solution exp(l t + b sin(w t)/w); volumes stay, and the other exponent is -l
  it("find saddles whose rates vary, and none where they vary about zero", function()
    local S = hm.system "saddle"
    local x = S:coordinates "x"
    local l, b, w = S:parameters "l=0 b=0 w=1"
    local r = l + b*hm.cos(w*hm.t)
    S:kinetic_energy(x.dot^2/2)
    S:force(x, (r^2 - b*w*hm.sin(w*hm.t))*x)
    for _, beat in ipairs{ 0.3, 1, 2.7 } do
      for _, rate in ipairs{ 0.2, 0.5 } do
        local C = chart(S, { { "b", { 0.1, 0.5 } } }, { x = 1 }, { x = rate }, 200, { l = rate, w = beat })
        for i, text in ipairs(regimes(C)) do
          assert.equal("growing (+ -)", text)
          check.near(C[i].exponents[1], rate, (2*C[i].b/beat + 2)/200)
          check.near(C[i].exponents[1] + C[i].exponents[2], 0, 1e-6)
        end
      end
      for _, t in ipairs{ 30, 100 } do
        none_says({ "growing", "chaos" }, chart(S, { { "b", { 0.1, 0.3, 0.5 } }, { "x", { 0.5, 1 } } }, nil, { x = 0.2 }, t, { w = beat }))
      end
    end
  end)

  -- with y = x exp(-C/2), C the integral of c = a + b sin(w t), x'' = -x + c x' is Hill's equation for y; volumes change by exp C, so that the sum of the
  -- exponents up to t is a + b (1 - cos(w t))/(w t)
  it("tell volumes that grow from those that swing, and growth by much from no growth", function()
    local S = hm.system "damping that comes and goes"
    local x = S:coordinates "x"
    local a, b, w = S:parameters "a=0 b=0 w=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, (a + b*hm.sin(w*hm.t))*x.dot)
    for _, t in ipairs{ 30, 100, 300 } do
      local over = { { "a", { -0.5/t, 0, 5/t } }, { "b", { 0.03, 0.3 } }, { "w", { 0.05, 0.09, 0.1, 0.13, 0.21, 0.37, 0.6, 0.83, 1.4, 2.6 } } }
      local C = chart(S, over, { x = 1 }, { x = 0 }, t)
      for i, text in ipairs(regimes(C)) do
        local row = C[i]
        check.near(row.sum, row.a + row.b*(1 - math.cos(row.w*t))/(row.w*t), 1e-7)
        assert.falsy(text:find(row.a > 0 and "torus" or "growing", 1, true), ("a = %g, b = %g, w = %g: %s"):format(row.a, row.b, row.w, text))
      end
    end
    -- where it is the same at all times it is sure at once; else in time
    assert.same({ "growing (0 0)" }, regimes(chart(S, { { "a", { 0.01 } } }, { x = 1 }, { x = 0 }, 100)))
    assert.same({ "growing (+ +)", "growing (+ +)" }, regimes(chart(S, { { "b", { 0.03, 0.3 } } }, { x = 1 }, { x = 0 }, 1000, { a = 0.1, w = 0.37 })))
  end)

  -- the double pendulum at high energies is chaotic; Henon and Heiles: see chart_verdicts_spec
  it("still find chaos", function()
    local S = hm.system "double pendulum"
    local p, r = S:coordinates "p r"
    S:kinetic_energy((2*p.dot^2 + r.dot^2)/2 + hm.cos(p - r)*p.dot*r.dot)
    S:potential_energy(-2*hm.cos(p) - hm.cos(r))
    local C = chart(S, { { "p", hm.range(2, 3, 5) }, { "v.r", hm.range(0.1, 1.5, 4) } }, { r = 1 }, { p = 0.3 }, 300)
    local count = 0
    for _, text in ipairs(regimes(C)) do count = count + (text == "chaos (+ 0 0 -)" and 1 or 0) end
    assert.truthy(count >= 18, tostring(C))
  end)

  -- a linear oscillator, whose swings become t/800 wide; with two frequencies they stay as they are
  it("do not call a motion driven that a drive widens for ever, however few its states are", function()
    local function driven(of_time, t)
      local S = hm.system "widened"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, -x - x.dot/10 + of_time(hm.t))
      return regimes(S:chart{ over = { { "x", { 0 } } }, v = { x = 0 }, of = "exponents", t = t, skip = t/5, progress = false })[1]
    end
    for _, t in ipairs{ 500, 2000, 8000 } do
      assert.equal("undecided (- -)", driven(function(time) return hm.cos(3*time)*time/100 end, t))
      assert.equal("driven (- -)", driven(function(time) return hm.cos(3*time) + hm.cos(hm.sqrt(2)*time) end, t))
    end
  end)
end)
