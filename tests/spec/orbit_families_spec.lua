-- families of periodic motions whose integrals have no formula that the library knows: values at the start are kept in their place.
local hm = require "hamel"
local check = require "check"

-- Motions of one degree of freedom u, beside which two quantities z follow linear equations dz/du = slopes(u, z), so that their constants are the integrals:
-- the period, and what `rate` grows by in it, by quadrature between the two turning points. square(u, z): u'^2
local function reference(u0, z0, slopes, square, rate)
  local function at(u)
    local n, a, b, v = 60, z0[1], z0[2], u0
    local h = (u - u0)/n
    for _ = 1, n do
      local a1, b1 = slopes(v, a, b)
      local a2, b2 = slopes(v + h/2, a + h/2*a1, b + h/2*b1)
      local a3, b3 = slopes(v + h/2, a + h/2*a2, b + h/2*b2)
      local a4, b4 = slopes(v + h, a + h*a3, b + h*b3)
      a, b, v = a + h/6*(a1 + 2*a2 + 2*a3 + a4), b + h/6*(b1 + 2*b2 + 2*b3 + b4), v + h
    end
    return a, b
  end
  local function value(u) return square(u, at(u)) end
  local function turning(h)
    local inside, outside = u0, u0 + h
    while value(outside) > 0 do inside, outside = outside, outside + h end
    for _ = 1, 60 do
      local middle = (inside + outside)/2
      if value(middle) > 0 then inside = middle else outside = middle end
    end
    return inside
  end
  local low, high = turning(-1e-3), turning(1e-3)
  local period, grown, n = 0, 0, 120
  for k = 1, n do
    local angle = math.pi*((k - 0.5)/n - 0.5)
    local u = (low + high)/2 + (high - low)/2*math.sin(angle)
    local dt = math.pi/n*(high - low)/2*math.cos(angle)/math.sqrt(value(u))
    period, grown = period + 2*dt, grown + 2*rate(u, at(u))*dt
  end
  return period, grown
end

describe("periodic motions of a wobbling disc", function()
  -- radius and mass 1, inertia 1/4 and 1/2; oscillator: a further coordinate q that nothing couples to the disc
  local function disc(oscillator, damping)
    local S = hm.system "disc"
    local x, y, psi, th, phi, q = S:coordinates("x y psi th phi" .. (oscillator and " q" or ""))
    local g, c, s = S:positive "g=1", hm.cos, hm.sin
    local T = (x.dot^2 + y.dot^2 + (c(th)*th.dot)^2)/2 + (th.dot^2 + psi.dot^2*s(th)^2)/8 + (phi.dot + psi.dot*c(th))^2/4
    S:kinetic_energy(q and T + q.dot^2/2 or T)
    S:potential_energy(q and g*s(th) + q^2 or g*s(th))
    if damping then S:force(q, -q.dot/10) end
    S:constraint("t", x.dot*c(psi) + y.dot*s(psi) - (phi.dot + psi.dot*c(th)))
    S:constraint("n", -x.dot*s(psi) + y.dot*c(psi) - s(th)*th.dot)
    local guess = { q = { x = 0, y = 0, psi = 0, phi = 0, th = math.pi/2, q = q and 0 }, v = { th = 0.3, phi = 1.2, psi = 0, q = q and 0 },
      period = 2*math.pi/math.sqrt((3*1.2^2 - 1)*4/5) }
    return S, guess
  end

  -- arbiter: by hand. With s = phi' + psi' cos(th) and w = psi' sin(th), ds/dth = 2w/3, dw/dth = 2s - w cot(th), which are Legendre's equation,
  -- and 5/8 th'^2 + w^2/8 + 3/4 s^2 + g sin(th) is constant. psi comes back
  local function demand_right(point)
    local g, v, th = point.parameters.g, point.v, point.q.th
    local s, w = v.phi + v.psi*math.cos(th), v.psi*math.sin(th)
    local E = 5/8*v.th^2 + w^2/8 + 3/4*s^2 + g*math.sin(th)
    local period, grown = reference(th, { s, w }, function(u, a, b) return 2*b/3, 2*a - b/math.tan(u) end,
      function(u, a, b) return (E - b^2/8 - 3/4*a^2 - g*math.sin(u))*8/5 end, function(u, _, b) return b/math.sin(u) end)
    assert.near(period, point.period, 1e-7)
    assert.near(0, grown, 1e-7)
    return s, E
  end

  it("are followed along a parameter, the energy and a value that is kept", function()
    local S, guess = disc()
    guess.keep = { "phi'", "psi" }
    for _, o in ipairs{ { along = "g", from = 0.8, to = 1.01 }, { along = "energy", to = 2.3 }, { along = "phi'", from = 1.18 } } do
      o.periodic, o.largest = guess, 0.2
      local B = S:continue(o)
      assert.is_true(#B.points > 3)
      local first = B.points[1]
      for _, point in ipairs(B.points) do
        local _, E = demand_right(point)
        if o.along ~= "energy" then assert.near(first.energy, E, 1e-8) end
        if o.along ~= "phi'" then assert.near(first.v.phi, point.v.phi, 1e-8) end
        if o.along ~= "g" then assert.near(1, point.parameters.g, 1e-12) end
        assert.near(0, point.q.psi, 1e-8)
        -- no multiplier is left: those of the energy, of two integrals and of turns about the vertical are 1. Others drift along psi
        assert.equal(0, #point.multipliers)
        assert.is_nil(point.stable)
      end
      for _, special in ipairs(B.special) do assert.equal("rest", special.kind) end
    end
  end)

  it("end where they shrink to straight rolling", function()
    local S, guess = disc()
    guess.keep = { "phi'", "psi" }
    local B = S:continue{ periodic = guess, along = "g", from = 0.9, to = 1.5 }
    -- arbiter: by hand. The energy stays, and at rest it is 3/4 phi'^2 + g
    assert.equal("rest", B.special[#B.special].kind)
    assert.truthy(table.concat(B.ended, " "):find("shrink to a steady motion", 1, true))
    local point = B.points[1]
    assert.near(point.energy - 3/4*point.v.phi^2, B.special[#B.special].value, 1e-6)
  end)

  it("have the multipliers of what is beside the family", function()
    -- arbiter: an oscillator that nothing couples to the disc
    for _, damping in ipairs{ false, true } do
      local S, guess = disc(true, damping)
      -- with damping the energy is not known to be constant, and takes part in the choice
      guess.keep = damping and { "phi'", "psi", "th'" } or { "phi'", "psi" }
      local B = S:continue{ periodic = guess, along = "g", from = 0.8, to = 1 }
      assert.equal(0, #B.special)
      for _, point in ipairs(B.points) do
        local c = damping and 0.1 or 0
        local size, angle = math.exp(-c/2*point.period), math.sqrt(2 - c^2/4)*point.period
        assert.equal(2, #point.multipliers)
        for _, m in ipairs(point.multipliers) do
          assert.near(size*math.cos(angle), m.re, 1e-7)
          assert.near(size*math.abs(math.sin(angle)), math.abs(m.im), 1e-7)
        end
      end
    end
  end)

  it("go on from points of a branch, which keep what it kept", function()
    local S, guess = disc()
    guess.keep = { "phi'", "psi" }
    local B = S:continue{ periodic = guess, along = "g", from = 0.9, to = 1 }
    local C = S:continue{ periodic = B.points[1], along = "energy", from = B.points[1].energy, to = B.points[1].energy + 0.01 }
    assert.same({ "phi'", "psi" }, C.points[1].keep)
    for _, point in ipairs(C.points) do
      demand_right(point)
      assert.near(B.points[1].v.phi, point.v.phi, 1e-8)
    end
  end)

  it("are refused where the values do not choose one of them", function()
    local S, guess = disc()
    local function given(keep, along)
      guess.keep = keep
      return { periodic = guess, along = along or "g", to = 1.5 }
    end
    check.raises({ "2 directions too many", "keep = {" }, S.continue, S, given(nil))
    check.raises({ "keep names 1 value, and 2 choose a periodic motion", "keep more" }, S.continue, S, given{ "psi" })
    check.raises({ "keep names 3 values, and 2 choose a periodic motion", "keep fewer" }, S.continue, S, given{ "psi", "phi'", "th" })
    check.raises({ "the values kept do not decide which motion it is", "does" }, S.continue, S, given{ "psi", "psi" })
    check.raises({ "neither a parameter nor an integral" }, S.continue, S, given({ "phi'", "psi" }, "th'"))
    local P = hm.system "pendulum"
    local a = P:coordinates "a"
    P:kinetic_energy(a.dot^2/2)
    P:potential_energy(-hm.cos(a))
    check.raises({ "not in families", "leave keep out" }, P.continue, P,
      { periodic = { q = { a = 1 }, v = { a = 0 }, period = 6.7, keep = { "a'" } }, along = "energy", to = 0 })
  end)
end)

describe("periodic motions of a ball that rolls in a bowl", function()
  -- the centre on z = r^2/2, mass 1, radius rho; a, b, c have the angular velocities about fixed axes as rates, which a ball allows
  local function ball()
    local S = hm.system "ball in a bowl"
    local x, y, a, b, c = S:coordinates "x y a b c"
    local g, rho = S:positive "g=1 rho=0.3"
    local n = hm.sqrt(1 + x^2 + y^2)
    S:kinetic_energy((x.dot^2 + y.dot^2 + (x*x.dot + y*y.dot)^2)/2 + rho^2*(a.dot^2 + b.dot^2 + c.dot^2)/5)
    S:potential_energy(g*(x^2 + y^2)/2)
    S:constraint("rx", x.dot - rho*(b.dot + c.dot*y)/n)
    S:constraint("ry", y.dot + rho*(c.dot*x + a.dot)/n)
    return S
  end

  -- arbiter: Routh's equations, by hand. With the spin about the normal w, the speed along the parallel v, curvatures k and l of meridian and parallel,
  -- dv/dr = -v/r - 2/7 rho k w sqrt(1 + r^2), dw/dr = (k - l) v/rho sqrt(1 + r^2), and 7/10 (u^2 + v^2) + rho^2 w^2/5 + g r^2/2 is constant
  local function demand_right(point)
    local g, rho, q, v = point.parameters.g, point.parameters.rho, point.q, point.v
    local r = math.sqrt(q.x^2 + q.y^2)
    local n = math.sqrt(1 + r^2)
    local across = (q.x*v.y - q.y*v.x)/r
    local spin = (-q.x*v.a - q.y*v.b + v.c)/n
    local inward = (q.x*v.x + q.y*v.y)/r*n
    local E = 7/10*(inward^2 + across^2) + rho^2*spin^2/5 + g*r^2/2
    local period, grown = reference(r, { across, spin }, function(u, a, b)
      local m = math.sqrt(1 + u^2)
      return -a/u - 2/7*rho*b/m^2, (1/m^3 - 1/m)*a/rho*m
    end, function(u, a, b) return ((E - rho^2*b^2/5 - g*u^2/2)*10/7 - a^2)/(1 + u^2) end, function(u, a) return a/u end)
    assert.near(period, point.period, 1e-7)
    assert.near(0, math.sin((grown - point.drift[1])/2), 1e-7)
    return E
  end

  it("close up to a turn, and are followed with two values that are kept", function()
    local S = ball()
    local o = { periodic = { q = { x = 1, y = 0, a = 0, b = 0, c = 0 }, v = { x = 0, y = 0.5, c = 2 }, period = 5.08, keep = { "y'", "c'" } } }
    local x, y, a, b = S:symbol "x", S:symbol "y", S:symbol "a", S:symbol "b"
    o.symmetry = { { x = -y, y = x, a = -b, b = a } }
    for _, along in ipairs{ { "g", 0.98, 1.02 }, { "c'", 1.95, 2.05 } } do
      o.along, o.from, o.to = along[1], along[2], along[3]
      local B = S:continue(o)
      local first = B.points[1]
      assert.equal(0, #B.special)
      for _, point in ipairs(B.points) do
        assert.near(first.energy, demand_right(point), 1e-8)
        assert.near(0.5, point.v.y, 1e-8)
        if o.along ~= "c'" then assert.near(2, point.v.c, 1e-8) end
        -- the family has a motion for all values of energy and integrals
        assert.equal(0, #point.multipliers)
        assert.is_true(point.stable)
      end
    end
  end)
end)
