-- Steady motions, and periodic ones with a coordinate at rest or a drive that is switched, in far units of time, length and mass. Arbiters: closed forms of the
-- disc that rolls and of the oscillator that a square wave drives, and the same motion from a guess without the coordinate at rest.
local hm, check = require "hamel", require "check"
local near = check.near

local function number(value) return hm.number(("%.17g"):format(value)) end

local function parameter(S, name, value) return S:parameters(("%s=%.17g"):format(name, value)) end

local UNITS = { { 1e-4, 1, 1 }, { 1, 1e4, 1e-4 }, { 1e4, 1e4, 1 } }

local function in_units(f) for _, u in ipairs(UNITS) do f(table.unpack(u)) end end

-- A thin disc of the mass and the radius 1 that rolls on a plane, g = 1
local function disc(T, L, m)
  local S, l = hm.system "disc", number(L)
  local x, y, psi, th, phi = S:coordinates "x y psi th phi"
  local g, c, s = parameter(S, "g", L/T^2), hm.cos, hm.sin
  S:kinetic_energy(number(m)*((x.dot^2 + y.dot^2 + (l*c(th)*th.dot)^2)/2 + l^2*(th.dot^2 + psi.dot^2*s(th)^2)/8 + l^2*(phi.dot + psi.dot*c(th))^2/4))
  S:potential_energy(number(m)*g*l*s(th))
  S:constraint("t", x.dot*c(psi) + y.dot*s(psi) - l*(phi.dot + psi.dot*c(th)))
  S:constraint("n", -x.dot*s(psi) + y.dot*c(psi) - l*s(th)*th.dot)
  return S
end

describe("in far units", function()
  it("the straight rolling of a disc passes its branch point: phi'^2 = g/(3 r)", function()
    in_units(function(T, L, m)
      local S = disc(T, L, m)
      local steady = S:steady{ q = { x = 0, y = 0, psi = 0.4, phi = 0, th = math.pi/2 }, v = { phi = 1/T, psi = 0, th = 0 }, keep = { "phi'", "psi" } }
      local B = S:continue{ steady = steady, along = "phi'", from = 0.1/T, to = 2/T }
      assert.equal(1, #B.special, tostring(B))
      near(B.special[1].value*T, 1/math.sqrt(3), 1e-9)
      assert(#B.points < 60, tostring(B))
    end)
  end)

  -- with the rate W of psi and the spin w = phi' + W cos th: 3/2 w W sin th - W^2 sin th cos th/4 = - g cos th, in units 1
  it("the disc that rolls in a circle is found, and followed", function()
    in_units(function(T, L, m)
      local S = disc(T, L, m)
      local steady = S:steady{ q = { x = 0, y = 0, psi = 0, phi = 0, th = 1.2 }, v = { phi = -1/T, psi = 1/T, th = 0 }, keep = { "th", "psi'" } }
      for _, o in ipairs{ { along = "th", from = 0.8, to = 1.5 }, { along = "g", from = 0.5*L/T^2, to = 2*L/T^2 },
                           { along = "psi'", from = 0.5/T, to = 2/T } } do
        o.steady = steady
        local B = S:continue(o)
        near(B.points[1].value/o.from, 1, 1e-9)
        near(B.points[#B.points].value/o.to, 1, 1e-9)
        assert(#B.points < 200, tostring(B))
        for _, point in ipairs(B.points) do
          local th, W, g = point.q.th, point.v.psi*T, (point.parameters.g or L/T^2)*T^2/L
          local w = point.v.phi*T + W*math.cos(th)
          near((3*w*W*math.sin(th)/2 - W^2*math.sin(th)*math.cos(th)/4 + g*math.cos(th))/g, 0, 1e-8)
        end
      end
    end)
  end)

  -- x'' + x'/10 + x = sign(sin w t) in units 1: half a period from (x, v) leads to (-x, -v)
  it("an oscillator that a square wave drives is followed", function()
    local function closed(w)
      local a, b, h = -0.05, math.sqrt(1 - 0.0025), math.pi/w
      local e, c, s = math.exp(a*h), math.cos(b*h), math.sin(b*h)
      -- x - 1 goes to e (c - a s/b) (x - 1) + e s/b v, v to - e s/b (x - 1) + e (c + a s/b) v
      local p, q, r, u = e*(c - a*s/b), e*s/b, -e*s/b, e*(c + a*s/b)
      -- (p + 1) (x - 1) + q v = -2, r (x - 1) + (u + 1) v = 0
      local D = (p + 1)*(u + 1) - q*r
      return 1 - 2*(u + 1)/D, 2*r/D
    end
    for _, u in ipairs{ { 1e-4, 1, 1 }, { 1e4, 1e-4, 1e4 } } do
      local T, L, m = table.unpack(u)
      local S = hm.system "square wave"
      local x, w = S:coordinates "x", parameter(S, "w", 0.7/T)
      S:kinetic_energy(number(m)*x.dot^2/2)
      S:potential_energy(number(m/T^2)*x^2/2)
      S:force(x, number(m*L/T^2)*hm.sign(hm.sin(w*hm.t)) - number(m/T/10)*x.dot)
      local B = S:continue{ periodic = { q = { x = L }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 0.5/T, to = 0.8/T }
      near(B.points[1].value*T, 0.5, 1e-9)
      near(B.points[#B.points].value*T, 0.8, 1e-9)
      for _, point in ipairs(B.points) do
        local q, v = closed(point.value*T)
        near(point.q.x/L, q, 1e-7)
        near(point.v.x*T/L, v, 1e-7)
      end
    end
  end)
end)

describe("a coordinate that is at rest in a driven motion", function()
  it("may be a little off in the guess", function()
    local wanted
    for _, off in ipairs{ 0, 1e-13, 1e-11, 1e-8, 1e-6 } do
      local S = hm.system "two equal pendulums, by one and the difference"
      local a, d = S:coordinates "a d"
      local w = S:parameters "w=1/2"
      local b = a + d
      local drive = hm.cos(w*hm.t)*hm.number "0.3"
      S:kinetic_energy((a.dot^2 + hm.dt(b)^2)/2)
      S:potential_energy(-hm.cos(a) - hm.cos(b) + d^2/20)
      S:force(a, 2*drive - a.dot/5 - hm.dt(b)/5)
      S:force(d, drive - hm.dt(b)/5)
      local guess = { q = { a = 0.4, d = off }, v = { a = 0, d = 0 }, period = 2*hm.pi/w }
      local orbit = S:periodic(guess)
      wanted = wanted or orbit
      near(orbit.q.a, wanted.q.a, 1e-9)
      near(orbit.q.d, 0, 1e-9)
      for k, multiplier in ipairs(orbit.multipliers) do near(multiplier.re, wanted.multipliers[k].re, 1e-8) end
      local B = S:continue{ periodic = guess, along = "w", from = 0.5, to = 0.6 }
      near(B.points[#B.points].value, 0.6, 1e-12)
    end
  end)
end)
