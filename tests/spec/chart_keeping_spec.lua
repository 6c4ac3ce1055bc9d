-- Charts of periods of motions of which volumes.of does not tell whether volumes of states are kept: nonholonomic constraints, bodies with S:rotation.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function chart(S, o)
  o.of, o.progress = "period", false
  return S:chart(o)
end

local function are_without_period(name, C)
  for i, row in ipairs(C) do
    assert.truthy(row.status == "OK" and row.period == 0 and not row.reason, ("%s, row %d: %s %s %s"):format(name, i, row.status, tostring(row.period),
      tostring(row.reason)))
  end
end

-- A motion that settles may be undecided, steady or have a period, and is never without one
local function none_is_without_period(name, C)
  for i, row in ipairs(C) do
    assert.truthy(row.period ~= 0 or row.reason and row.reason:find("steady motion", 1, true), ("%s, row %d has no period"):format(name, i))
  end
end

-- A sleigh whose mass centre is a ahead of the blade
local function sleigh(potential)
  local S = hm.system "sleigh"
  local x, y, th = S:coordinates "x y th"
  local a = S:parameters "a=0.3"
  local X, Y = hm.dt(x + a*cos(th)), hm.dt(y + a*sin(th))
  S:kinetic_energy((X^2 + Y^2 + th.dot^2)/2)
  if potential then S:potential_energy(potential(x, y, th)) end
  S:constraint("blade", x.dot*sin(th) - y.dot*cos(th))
  return S, x, th
end

-- A particle whose constraint has no invariant measure
local function particle()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  local k = S:parameters "k=1"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(k*x^2/2 + y^2 + 3*z^2/2)
  S:constraint("c", z.dot - (sin(y) + cos(x)/2)*x.dot - (x/3 + sin(z))*y.dot)
  return S, x
end

describe("charts of periods", function()
  -- arbiter: the same motion for long comes to the period of the points. All velocities are damped at the rate e: exp(2 e t) makes the volumes invariant
  it("leave open whether a motion settles where only the time makes a measure invariant", function()
    local S = hm.system "damped and driven"
    local a, b, c = S:coordinates "a b c"
    local e = S:parameters "e=0.001"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:potential_energy(a^2/2 + b^2)
    S:constraint("c", c.dot - sin(b)*a.dot/10)
    S:force(a, -e*a.dot + cos(2*hm.t)/10)
    S:force(b, -e*b.dot)
    S:force(c, -e*c.dot)
    assert.truthy(S:invariant_measure().proof)
    local function rows(t, values)
      return chart(S, { over = { { "e", values } }, q = { a = 0.3, b = 0.4, c = 0 }, v = { a = 0.2, b = 0.1 }, stroboscope = hm.pi, t = t, skip = t/2 })
    end
    for _, t in ipairs{ 200, 1000 } do none_is_without_period("t = " .. t, rows(t, { 1e-3, 2e-3 })) end
    assert.equal(1, rows(8000, { 5e-3 })[1].period)
  end)

  -- a proved measure: nothing settles, and the path of the contact precesses by a small angle in each nutation
  it("find no period of a disc that rolls in a wobbling circle", function()
    local S = hm.system "disc"
    local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
    local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
    local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
    S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
    S:potential_energy(m*g*r*cos(theta))
    S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
    S:constraint("roll y", y.dot + r*psi.dot*sin(phi))
    are_without_period("disc", chart(S, { over = { { "v.psi", { 9, 12 } } }, q = { x = 0, y = 0, phi = 0.2, theta = 0.3, psi = 0 },
      v = { phi = 0.5, theta = 0.4 }, section = { when = theta.dot }, t = 200, skip = 20 }))
  end)

  -- two frequencies of nutation and precession, whose ratio is not one of small numbers
  it("find no period of tops", function()
    for _, form in ipairs{ { { 1, 1, 0.5 }, "z" }, { { 2, 2, 1 }, "x" } } do
      local S = hm.system "top"
      local N, g = S:frame "N", S:positive "g=9.81"
      local R = S:rotation("R", { rates = "p q r" })
      S:body("top", { at = R[form[2]]/2, frame = R, mass = 1, inertia = form[1], about = S.origin })
      S:gravity(-g*N.z)
      are_without_period(form[2], chart(S, { over = { { "r", { 5, 8 } } }, q = { R = { axis = { 1, 1, 0 }, angle = 0.5 } }, v = { p = 0.1, q = 0.2 },
        section = { when = hm.dt(R[form[2]]:dot(N.z)) }, t = 200, skip = 50 }))
    end
  end)

  -- no measure with a density of the coordinates exists, by proof. Arbiter: over the last part of a run of 30 times the time the coordinates have the same
  -- ranges as over its first part, to 1 %
  it("find no period of tori of conservative systems without a measure", function()
    local S, x = particle()
    assert.falsy(S:invariant_measure().exists)
    local start = { q = { x = 0.1, y = 0.1, z = 0.05 }, v = { x = 0.05, y = 0.05 } }
    are_without_period("particle", chart(S, { over = { { "k", { 1, 1.7 } } }, q = start.q, v = start.v, section = { when = x }, t = 600, skip = 50 }))
    local run = S:simulate{ q = start.q, v = start.v, parameters = { k = 1.7 }, t = 18000, rtol = 1e-11, atol = 1e-13 }
    local function widths(from, to)
      local list = {}
      for i, name in ipairs{ "x", "y", "z" } do
        local low, high = math.huge, -math.huge
        for k = 0, 20000 do
          local value = run:at(from + (to - from)*k/20000)[name]
          low, high = math.min(low, value), math.max(high, value)
        end
        list[i] = high - low
      end
      return list
    end
    local first, last = widths(0, 3000), widths(15000, 18000)
    for i, width in ipairs(first) do assert.near(1, last[i]/width, 0.01) end
    local B, u = sleigh(function(p, q, th) return p^2/2 + q^2 + th^2 end)
    are_without_period("sleigh", chart(B, { over = { { "a", { 0, 0.01, 0.3 } } }, q = { x = 0.1, y = 0, th = 0.1 }, v = { x = 0, th = 0 },
      section = { when = u }, t = 600, skip = 100 }))
  end)

  -- th' falls to zero for all a > 0, at about the rate a u, and straight motion is left; of a = 0 both velocities are constant
  it("never say that there is no period of a sleigh, or of Suslov's body, that settles, however slowly", function()
    local S, _, th = sleigh()
    for _, t in ipairs{ 60, 300 } do
      for _, u in ipairs{ 1, 0, -1 } do
        for _, w in ipairs{ 1, 0.1 } do
          local o = { over = { { "a", { 0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-7 } } }, q = { x = 0, y = 0, th = 0 }, v = { x = u, th = w }, t = t, skip = t/4 }
          o.stroboscope = 1
          none_is_without_period("stroboscope", chart(S, o))
          o.stroboscope, o.section = nil, { when = sin(th) }
          none_is_without_period("section", chart(S, o))
        end
      end
    end
    local B = hm.system "Suslov's body"
    local N, R, J = B:frame "N", B:rotation("R", { rates = "p q r" }), B:parameters "J=1"
    B:body("body", { at = B.origin, frame = R, mass = 1, inertia = { 2, 3, 4, xz = J } })
    B:constraint("no third rate", select(3, R:rates()))
    for _, t in ipairs{ 60, 300 } do
      for _, section in ipairs{ false, { when = R.x:dot(N.z) } } do
        none_is_without_period("Suslov", chart(B, { over = { { "J", { 1, 0.1, 0.01, 1e-3, 1e-5 } } }, q = { R = { 1, 0, 0, 0 } },
          v = { p = 0.5, q = -0.8, r = 0 }, section = section or nil, stroboscope = not section and 1 or nil, t = t, skip = t/4 }))
      end
    end
  end)
end)
