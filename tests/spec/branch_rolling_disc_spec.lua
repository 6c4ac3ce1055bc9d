-- the straight rolling of a thin disc, one eigenvalue of which is always zero: what is to be found follows from its equations, which are solved by hand.
-- Upright, with m = r = 1, the lean a and the rate of turning s obey 5/4 a'' + damping a' + 3/2 w s = g a and s' = 2 w a', so that the eigenvalues are zero
-- and the roots of 5/4 z^2 + damping z + 3 w^2 - g = 0
local hm, check = require "hamel", require "check"
local near = check.near

local function disc(damping)
  local S = hm.system "disc"
  local x, y, psi, th, phi = S:coordinates "x y psi th phi"
  local g, c, s = S:positive "g=1", hm.cos, hm.sin
  S:kinetic_energy((x.dot^2 + y.dot^2 + (c(th)*th.dot)^2)/2 + (th.dot^2 + psi.dot^2*s(th)^2)/8 + (phi.dot + psi.dot*c(th))^2/4)
  S:potential_energy(g*s(th))
  if damping then S:force(th, -damping*th.dot) end
  S:constraint("t", x.dot*c(psi) + y.dot*s(psi) - (phi.dot + psi.dot*c(th)))
  S:constraint("n", -x.dot*s(psi) + y.dot*c(psi) - s(th)*th.dot)
  return S, S:steady{ q = { x = 0, y = 0, psi = 0.4, phi = 0, th = math.pi/2 }, v = { phi = 1, psi = 0, th = 0 }, keep = { "phi'", "psi" } }
end

local function demand(B, value, within)
  assert.equal(1, #B.special, tostring(B))
  local special = B.special[1]
  assert.equal("branch", special.kind, tostring(B))
  near(special.value, value, within)
  assert.equal(nil, special.several, tostring(B))
  assert(not special.doubtful, tostring(B))
end

describe("the straight rolling of a disc", function()
  it("passes one point along its speed, however near its points are", function()
    local S, steady = disc()
    demand(S:continue{ steady = steady, along = "phi'", from = 0.1, to = 2 }, 1/math.sqrt(3), 1e-9)
    demand(S:continue{ steady = steady, along = "phi'", from = 0.1, to = 2, step = 0.02, largest = 0.02 }, 1/math.sqrt(3), 1e-9)
  end)

  it("passes one point along a parameter", function()
    local S, steady = disc()
    demand(S:continue{ steady = steady, along = "g", from = 0.5, to = 5 }, 3, 1e-9)
  end)

  it("passes one point where its lean is damped, known as exactly as it says", function()
    for _, damping in ipairs{ hm.rational(1, 20), hm.rational(1, 100) } do
      local S, steady = disc(damping)
      for _, step in ipairs{ 0.1, 0.023 } do
        local B = S:continue{ steady = steady, along = "phi'", from = 0.1, to = 2, step = step, largest = step }
        demand(B, 1/math.sqrt(3), 1e-8)
        near(B.special[1].value, 1/math.sqrt(3), 1e-10 + (B.special[1].accuracy or 0))
      end
    end
  end)

  it("passes one point, known to all digits, beside weak damping", function()
    for _, damping in ipairs{ hm.rational(1, 100), hm.rational(1, 10000), hm.rational(1, 100000) } do
      local S, steady = disc(damping)
      demand(S:continue{ steady = steady, along = "g", from = 0.5, to = 5 }, 3, 1e-11)
      demand(S:continue{ steady = steady, along = "phi'", from = 0.1, to = 2 }, 1/math.sqrt(3), 1e-11)
    end
  end)

  -- three eigenvalues come to zero at once, and rounding moves pairs across the axis
  it("passes one point, and others are doubtful, beside damping that rounding hides", function()
    local S, steady = disc(hm.rational(1, 100000000))
    for _, o in ipairs{ { along = "g", from = 0.5, to = 5, place = 3 }, { along = "phi'", from = 0.1, to = 2, place = 1/math.sqrt(3) } } do
      local count = 0
      for _, special in ipairs(S:continue{ steady = steady, along = o.along, from = o.from, to = o.to }.special) do
        near(special.value, o.place, 1e-7)
        if not special.doubtful then
          count = count + 1
          assert.equal("branch", special.kind)
        end
      end
      assert.equal(1, count)
    end
  end)

  it("passes one point, known to all digits, where psi' is kept in place of the heading", function()
    for _, damping in ipairs{ hm.rational(1, 20), hm.rational(1, 1000) } do
      local S, steady = disc(damping)
      local B = S:continue{ steady = { q = steady.q, v = steady.v, keep = { "phi'", "psi'" } }, along = "phi'", from = 0.1, to = 2 }
      assert.equal(1, #B.special, tostring(B))
      near(B.special[1].value, 1/math.sqrt(3), 2e-11)
      assert.equal(nil, B.special[1].accuracy)
      assert.equal(nil, B.special[1].doubtful)
      for _, point in ipairs(B.points) do
        assert.equal(2, #point.eigenvalues)
        for _, e in ipairs(point.eigenvalues) do
          local d = damping == hm.rational(1, 20) and 1/20 or 1/1000
          near(1.25*(e.re^2 - e.im^2) + d*e.re + 3*point.value^2 - 1, 0, 1e-9)
        end
      end
    end
  end)
end)

describe("the motions of a disc on circles", function()
  -- With the spin n = phi' + psi' cos th about the axis: 3/2 n psi' sin th - psi'^2 sin th cos th/4 = -g cos th. Source: the balance of moments about the point
  -- of contact
  it("are followed over the lean, which has to be kept", function()
    local S = disc()
    local function steady(keep)
      return S:steady{ q = { x = 0, y = 0, psi = 0, phi = 0, th = 1.2 }, v = { phi = 1, psi = 0.8, th = 0 }, keep = keep }
    end
    local B = S:continue{ steady = steady{ "psi'", "th" }, along = "th", from = 0.6, to = 1.5 }
    for _, point in ipairs(B.points) do
      local c, s, w = math.cos(point.q.th), math.sin(point.q.th), point.v.psi
      near(w, 0.8, 1e-9)
      near(1.5*(point.v.phi + w*c)*w*s - w^2*s*c/4, -c, 1e-8)
    end
    near(B.points[1].q.th + B.points[#B.points].q.th, 2.1, 1e-9)
    check.raises({ "'th' is neither", 'add it to keep = { "th" }' }, S.continue, S, { steady = steady{ "psi'" }, along = "th", from = 0.6, to = 1.5 })
  end)

  it("are followed when they wobble: the values to keep that a refusal names do decide", function()
    local S = disc()
    local orbit = S:periodic{ q = { x = 0, y = 0, psi = 0, phi = 0, th = 1.3 }, v = { psi = 1, phi = 1, th = 0 }, period = 4 }
    local guess = { q = orbit.q, v = orbit.v, period = orbit.period }
    local fine, refusal = pcall(S.continue, S, { periodic = guess, along = "energy", points = 4 })
    assert(not fine)
    guess.keep = {}
    for name in tostring(refusal):match "keep = { (.-) } }$":gmatch '"(.-)"' do guess.keep[#guess.keep + 1] = name end
    assert.equal(2, #guess.keep)
    for _, name in ipairs(guess.keep) do assert(S._coordinate[(name:gsub("'", ""))], name) end
    local B = S:continue{ periodic = guess, along = "energy", points = 4 }
    assert(#B.points > 4)
    for _, point in ipairs(B.points) do
      local late = S:simulate{ q = point.q, v = point.v, t = point.period, rtol = 1e-11, atol = 1e-12 }:at(point.period)
      near(late.th, point.q.th, 1e-7)
      near(late.v.th, point.v.th, 1e-7)
    end
  end)
end)
