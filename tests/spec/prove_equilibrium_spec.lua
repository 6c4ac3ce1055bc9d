-- S:prove_equilibrium, hm.prove_fixed_point and their certificates. Arbiters: closed solutions, characteristic polynomials by hand and in symbols
local hm, check, core = require "hamel", require "check", require "hamel.core"
local forged = require "forged"

if not core.has_arb then
  describe("ball arithmetic", function() pending "skipped: this build has none (HAMEL_ARB)" end)
  return
end

local function pendulum(friction)
  local S = hm.system "pendulum"
  local phi = S:coordinates "phi"
  local g = S:positive "g=9.81"
  S:kinetic_energy(phi.dot^2/2)
  S:potential_energy(-g*hm.cos(phi))
  if friction then S:force(phi, -phi.dot) end
  return S, phi
end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=3/10"
  S:kinetic_energy(m/2*(hm.dt(x + a*hm.cos(theta))^2 + hm.dt(y + a*hm.sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S
end

-- x'' = f(x) - c x'
local function line(f, c)
  local S = hm.system "line"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, f(x) - (c or 0)*x.dot)
  return S
end

-- The eigenvalue whose real part is largest
local function largest(p)
  local most
  for _, e in ipairs(p.eigenvalues) do if not most or e.re.lower > most.re.lower then most = e end end
  return most
end

local function rewritten(text, path, from, to)
  local out = assert(io.open(path, "w"))
  local other, count = text:gsub(from, to, 1)
  assert(count == 1, from)
  out:write(forged(other))
  out:close()
end

local function text_of(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

describe("a proof of an equilibrium", function()
  it("holds both states of rest of the pendulum, with their eigenvalues", function()
    local S = pendulum()
    local up, down = S:prove_equilibrium{ q = { phi = 3 } }, S:prove_equilibrium{ q = { phi = 0.1 } }
    assert.is_true(up.proved and up.q.phi:contains(hm.pi) and up.radius < 1e-30)
    assert.is_true(largest(up).re:contains(hm.sqrt(hm.number "9.81")) and largest(up).im:contains(0))
    assert.is_false(up.stable)
    assert.are.equal("proved unstable", up.verdict)
    assert.is_true(down.proved and down.q.phi:contains(0) and down.stable)
    assert.matches("energy has a strict extremum", down.verdict)
    for _, e in ipairs(down.eigenvalues) do assert.is_true(e.re:contains(0) and e.size:contains(hm.sqrt(hm.number "9.81"))) end
    local rubbed = pendulum(true):prove_equilibrium{ q = { phi = 0.1 } }
    assert.are.equal("proved asymptotically stable", rubbed.verdict)
    assert.is_true(largest(rubbed).re:contains(-hm.rational(1, 2)))
    assert.matches("equilibrium proved: phi = ", tostring(down))
  end)

  it("holds for boxes of parameters", function()
    local p = pendulum():prove_equilibrium{ q = { phi = 3 }, parameters = { g = { "9.7", "9.9" } } }
    assert.is_false(p.stable)
    assert.is_true(largest(p).re:contains(hm.sqrt(hm.number "9.7")) and largest(p).re:contains(hm.sqrt(hm.number "9.9")))
    -- x'' = -x - c x': the box holds both signs of the damping
    local S = hm.system "damped"
    local x = S:coordinates "x"
    local c = S:parameters "c=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*x.dot)
    assert.is_true(S:prove_equilibrium{ q = { x = 0 }, parameters = { c = { "1/10", "2/10" } } }.stable)
    local both = S:prove_equilibrium{ q = { x = 0 }, parameters = { c = { "-1/10", "1/10" } } }
    assert.is_true(both.proved and both.stable == nil)
    assert.matches("undecided", both.verdict)
  end)

  it("keeps to constraints, and finds the minimum of the energy on them", function()
    local S = hm.system "point on a rod"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.number "9.81"*y)
    S:constraint("rod", x^2 + y^2 - 1)
    local down, up = S:prove_equilibrium{ q = { x = 0.1, y = -1 } }, S:prove_equilibrium{ q = { x = 0.1, y = 1 } }
    assert.is_true(down.stable and down.q.y:contains(-1) and down.lambda.rod:contains(-hm.number "4.905"))
    assert.is_false(up.stable)
    assert.is_true(largest(up).re:contains(hm.sqrt(hm.number "9.81")))
  end)

  it("knows the families of nonholonomic systems", function()
    local S = sleigh()
    local forth = S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0 }, v = { x = 2, y = 0, theta = 0 } }
    -- straight: eigenvalue -m a v/(J + m a^2), and zeros for the heading and for the speed
    assert.is_true(forth.proved and forth.stable and forth.family == 2)
    assert.is_true(forth.eigenvalues[1].re:contains(-hm.rational(60, 59)) or forth.eigenvalues[2].re:contains(-hm.rational(60, 59)))
    local back = S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0 }, v = { x = -2, y = 0, theta = 0 } }
    assert.is_false(back.stable)
    assert.is_true(largest(back).re:contains(hm.rational(60, 59)))
    local lagrange = S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0 }, v = { x = -2, y = 0, theta = 0 }, form = "lagrange" }
    assert.is_true(largest(lagrange).re:meets(largest(back).re))
    -- the vakonomic sleigh is another system, and agrees with its first approximation in doubles
    local o = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, y = 0, theta = 0 }, form = "vakonomic", mu = { blade = 0 } }
    check.near(largest(S:prove_equilibrium(o)).re.lower, S:linearize(o).largest, 1e-9)
    local rest = S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0.3 } }
    assert.is_true(rest.proved and rest.stable == nil)
  end)

  it("takes bodies with rotations, whose quaternions have the length 1", function()
    local S = hm.system "hanging body"
    local N, R = S:frame "N", S:rotation "R"
    S:body("rod", { at = -R.z, frame = R, mass = 1, inertia = {1, 2, 2.5} })
    S:gravity(-hm.number "9.81"*N.z)
    -- turned about the vertical it rests, too: a family with one parameter, not with two
    local up = S:prove_equilibrium{ q = { R = {0, 1, 0, 0} } }
    assert.is_true(up.proved and up.family == 1 and up.stable == false)
    assert.is_true(largest(up).re:contains(hm.sqrt(hm.number "4.905")))                     -- m g l/(A + m l^2), A = 1
    assert.is_nil(S:prove_equilibrium{ q = { R = {1, 0, 0, 0} } }.stable)
    local path = os.tmpname()
    up:save(path)
    assert.is_true(hm.check_certificate(S, path))
    os.remove(path)
  end)

  it("tells corners from degenerate equilibria", function()
    local function reason(force, more)
      local S = hm.system "line"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(x, force(x))
      S:force(y, -(more or 1)*y)
      return S:prove_equilibrium{ q = { x = 0, y = "1/10" } }.reason
    end
    for _, stiff in ipairs{ 1, 1000000 } do
      -- V = |x|, V = x |x|/2, V = |x|^3/3
      assert.matches("^the equations of rest jump at or near x = 0, y = 0, .* along x:", reason(function(x) return -hm.sign(x) end, stiff))
      assert.matches("^the derivatives of the equations of rest jump at or near x = 0, y = 0", reason(function(x) return -hm.abs(x) end, stiff))
      assert.matches("^a degenerate equilibrium lies at or near x = 0, y = 0", reason(function(x) return -x*hm.abs(x) end, stiff))
      assert.matches("^a degenerate equilibrium lies at or near x = 0, y = 0", reason(function(x) return 1e-3*x^2 - x^4 end, stiff))
    end
    local map = hm.prove_fixed_point{ map = function(u) return u + hm.abs(u) end, at = { 0.3 } }
    assert.matches("^the derivative of the map jumps at or near x = 0", map.reason)
  end)

  it("refuses what is none, and double roots", function()
    local square = line(function(x) return x^2 end)
    local double = square:prove_equilibrium{ q = { x = 0 }, iterations = 0 }
    assert.is_false(double.proved)
    assert.matches("a degenerate equilibrium lies at or near x = 0,.* along x, and at least one eigenvalue is zero", double.reason)
    assert.is_false(square:prove_equilibrium{ q = { x = "1/100" }, iterations = 0 }.proved)
    local none = line(function(x) return x^2 + 1e-6 end):prove_equilibrium{ q = { x = "1/1000" }, iterations = 0 }
    assert.is_false(none.proved)
    local cubic = line(function(x) return -x^3 end)
    assert.is_false(cubic:prove_equilibrium{ q = { x = 0 } }.proved)
    local far = pendulum():prove_equilibrium{ q = { phi = 3 }, iterations = 0, radius = 1e-3 }
    assert.is_false(far.proved)
    assert.matches("exceeds radius", far.reason)
    check.raises({ "nothing was proved" }, far.save, far, "none.cert")
    -- a corner has no first approximation
    assert.matches("branch of sign", line(function(x) return -x - hm.sign(x.dot) end):prove_equilibrium{ q = { x = 0 } }.reason)
    check.raises({ "a guess is missing" }, square.prove_equilibrium, square, {})
    local driven, x = pendulum()
    driven:force(x, hm.cos(hm.t))
    assert.matches("depend on the time", driven:prove_equilibrium{ q = { phi = 0 }, iterations = 0 }.reason)
  end)

  it("tells damping that is critical from none", function()
    local p = line(function(x) return -x end, 2):prove_equilibrium{ q = { x = 0 } }       -- (s + 1)^2
    assert.is_true(p.proved and p.stable)
  end)
end)

describe("the steady rotation of a rattleback", function()
  local V = hm.system "rattleback"
  local N = V:frame "N"
  local x, y, yaw, roll, pitch = V:coordinates "x y yaw roll pitch"
  local m, g, a, b, c, A, B, C = V:positive "m=1 g=1 a=2 b=7/4 c=27/20 A=3/4 B=6/5 C=19/10"
  local D, n = V:parameters "D=-1/100 n=1"
  local F = N:rotate("z", yaw):rotate("x", roll):rotate("y", pitch)
  local g1, g2, g3 = N.z:components(F)
  local height = hm.sqrt((a*g1)^2 + (b*g2)^2 + (c*g3)^2)
  local centre = V:point(x*N.x + y*N.y + height*N.z)
  V:body("stone", { at = centre, frame = F, mass = m, inertia = {A, B, C, xy = D} })
  V:gravity(-g*N.z)
  local slip = centre:velocity() + F:angular_velocity():cross(F:vector(-a^2*g1/height, -b^2*g2/height, -c^2*g3/height))
  V:constraint("x", slip:dot(N.x))
  V:constraint("y", slip:dot(N.y))
  local q = { x = 0, y = 0, yaw = 0, roll = 0, pitch = 0 }

  it("is proved stable above its threshold, and unstable below and the other way round", function()
    -- the other route: the characteristic polynomial in symbols. Its Hurwitz determinant has the sign of its even part at s^2 = -n^2
    local p = V:linearize{ form = "maggi", q = q, v = { yaw = n, roll = 0, pitch = 0 }, symbolic = true }.polynomial
    local values = { [m] = 1, [g] = 1, [a] = 2, [b] = hm.rational(7, 4), [c] = hm.rational(27, 20), [A] = hm.rational(3, 4), [B] = hm.rational(6, 5),
      [C] = hm.rational(19, 10), [D] = -hm.rational(1, 100) }
    local function even(speed)
      local P = {}
      for i = 1, 5 do P[i] = p[i]:subs(values):subs{ [n] = speed } end
      return (P[5]*speed^4 - P[3]*speed^2 + P[1]):eval()*P[5]:eval()
    end
    local low, high = 0.5, 4
    assert(even(low)*even(high) < 0)
    for _ = 1, 40 do
      local middle = (low + high)/2
      if even(middle)*even(low) > 0 then low = middle else high = middle end
    end
    local function proof(speed) return V:prove_equilibrium{ q = q, v = { yaw = speed, roll = 0, pitch = 0 }, keep = { "yaw'" }, form = "maggi" } end
    local above, below = proof(low + 0.01), proof(low - 0.01)
    assert.is_true(above.proved and above.stable == true and above.family == 1)
    assert.is_true(below.proved and below.stable == false)
    assert.is_false(proof(-low - 0.01).stable)
  end)
end)

describe("a proof of a fixed point", function()
  local function henon(x, y) return 1 - 1.4*x^2 + y, 0.3*x end

  it("holds the fixed points of Henon's map", function()
    -- 1.4 x^2 + 0.7 x - 1 = 0; multipliers: m^2 + 2.8 x m - 0.3 = 0
    for _, sign in ipairs{ 1, -1 } do
      local x = (sign*hm.sqrt(hm.number "6.09") - hm.number "0.7")/hm.number "2.8"
      local p = hm.prove_fixed_point{ map = henon, at = { sign == 1 and 0.6 or -1.1, sign == 1 and 0.2 or -0.3 } }
      assert.is_true(p.proved and p.x[1]:contains(x) and p.x[2]:contains(hm.number "0.3"*x) and p.radius < 1e-30)
      local root = hm.sqrt((hm.number "1.4"*x)^2 + hm.number "0.3")
      for _, e in ipairs(p.multipliers) do
        assert.is_true(e.re:contains(-hm.number "1.4"*x + root) or e.re:contains(-hm.number "1.4"*x - root))
      end
      assert.is_false(p.stable)
    end
  end)

  it("holds cycles, and says whether the period is the least", function()
    -- the cycle of period 2: 1.96 x^2 - 0.98 x + 0.49 - 1.4 = 0
    local p = hm.prove_fixed_point{ map = henon, at = { 0.98, -0.14 }, period = 2 }
    assert.is_true(p.proved and p.least and #p.cycle == 2)
    local root = hm.sqrt(hm.number "0.98"^2 + 4*hm.number "1.96"*hm.number "0.91")
    assert.is_true(p.x[1]:contains((hm.number "0.98" + root)/hm.number "3.92"))
    local one = hm.prove_fixed_point{ map = henon, at = { 0.6, 0.2 }, period = 2 }
    assert.is_true(one.proved and one.least == nil)
  end)

  it("judges stability by the multipliers alone", function()
    local x, r = hm.symbols "x r"
    local function logistic(value) return hm.prove_fixed_point{ map = { r*x*(1 - x) }, of = { x }, at = { 0.6 }, parameters = { r = value } } end
    assert.is_true(logistic("5/2").stable and logistic("5/2").x[1]:contains(hm.rational(3, 5)))
    assert.is_false(logistic("7/2").stable)
    assert.is_nil(logistic(3).stable)
    assert.is_true(logistic{ "24/10", "26/10" }.stable)
    assert.is_nil(logistic{ "29/10", "31/10" }.stable)
  end)

  it("tells multipliers from 1 at the bits that are asked", function()
    local x, y, a = hm.symbols "x y a"
    local function judged(map, of, bits)
      return hm.prove_fixed_point{ map = map, of = of, at = #of == 1 and { 0 } or { 0, 0 }, parameters = { a = "1e-30" }, bits = bits }
    end
    local inside, outside = { x*(1 - a) }, { -x*(1 + a) }
    local turned = { (1 - a)*(3*x - 4*y)/5, (1 - a)*(4*x + 3*y)/5 }
    assert.is_true(judged(inside, { x }, 1000).stable)
    assert.matches("stable: a multiplier has the size 1 %- 1e%-30", judged(inside, { x }, 1000).verdict)
    assert.is_false(judged(outside, { x }, 1000).stable)
    assert.matches("unstable: a multiplier has the size 1 %+ 1e%-30", judged(outside, { x }, 1000).verdict)
    assert.is_true(judged(turned, { x, y }, 1000).stable)
    assert.is_false(judged({ x/2 + y, y*(1 + a) }, { x, y }, 1000).stable)
    local few = judged(inside, { x }, 64)
    assert.is_nil(few.stable)
    assert.matches("more bits", few.proved and few.verdict or few.reason)
    local even = hm.prove_fixed_point{ map = { -x }, of = { x }, at = { 0 } }
    assert.is_nil(even.stable)
    assert.matches("is 1$", even.verdict)
  end)

  it("judges multiple multipliers by powers of the derivative", function()
    local x, y, c = hm.symbols "x y c"
    local function judged(value) return hm.prove_fixed_point{ map = { c*x + y, c*y }, of = { x, y }, at = { 0, 0 }, parameters = { c = value } } end
    for _, value in ipairs{ "1/2", "-1/2", "999/1000", "-0.999999999" } do assert.is_true(judged(value).stable) end
    for _, value in ipairs{ "5/4", "-5/4", "1001/1000", "-1.000000001" } do assert.is_false(judged(value).stable) end
    assert.is_nil(judged(-1).stable)
    assert.matches("more bits", judged(-1).verdict)
    assert.is_nil(judged{ "-1.1", "-0.9" }.stable)
    -- three in one chain, far from normal
    local p = hm.prove_fixed_point{ map = function(u, v, w) return 0.9*u + 100*v + u^2, 0.9*v + 100*w, 0.9*w - u*v end, at = { 0, 0, 0 } }
    assert.is_true(p.proved and p.stable)
  end)

  it("refuses what is none", function()
    assert.is_false(hm.prove_fixed_point{ map = function(x) return x + x^2 end, at = { 0 } }.proved)       -- a double root
    assert.is_false(hm.prove_fixed_point{ map = function(x) return x end, at = { 1 } }.proved)
    assert.is_false(hm.prove_fixed_point{ map = function(x) return x + 1 + x^2 end, at = { 0.3 } }.proved)
    assert.is_false(hm.prove_fixed_point{ map = function(x) return x/2 + hm.abs(x) end, at = { 0 } }.proved)
    local x, r = hm.symbols "x r"
    check.raises({ "r has no value" }, hm.prove_fixed_point, { map = { r*x }, of = { x }, at = { 1 } })
    check.raises({ "does not depend on a parameter 's'" }, hm.prove_fixed_point, { map = { r*x }, of = { x }, at = { 1 }, parameters = { r = 2, s = 1 } })
    check.raises({ "need `of`" }, hm.prove_fixed_point, { map = { x }, at = { 1 } })
    check.raises({ "its image 2" }, hm.prove_fixed_point, { map = function() return 1, 2 end, at = { 1 } })
    check.raises({ "a guess is missing" }, hm.prove_fixed_point, { map = function(u) return u end })
    check.raises({ "map[1] is a string" }, hm.prove_fixed_point, { map = function() return "1" end, at = { 1 } })
  end)

  it("is proved again from its certificate", function()
    local path = os.tmpname()
    local p = hm.prove_fixed_point{ map = henon, at = { 0.6, 0.2 } }
    p:save(path)
    assert.is_true(hm.check_certificate(p, path))
    local text = text_of(path)
    for _, change in ipairs{ { "centre 0%.631", "centre 0.632", "exceeds" }, { "stable false", "stable true", "not proved again" },
      { "= %-7/5", "= -6/5", "another system" } } do
      rewritten(text, path, change[1], change[2])
      local fine, why = hm.check_certificate(p, path)
      assert.is_false(fine)
      assert.matches(change[3], why)
    end
    -- with thousands of bits the box is smaller than any double
    local fine = hm.prove_fixed_point{ map = henon, at = { 0.6, 0.2 }, bits = 4000 }
    fine:save(path)
    assert.is_true(fine.proved and fine.tried == 0 and #fine.x[1]:text(1100) > 1000 and hm.check_certificate(fine, path))
    rewritten(text, path, "kind fixed point", "kind triangle")
    check.raises({ "kind 'triangle' is not known" }, hm.check_certificate, p, path)
    os.remove(path)
  end)
end)

describe("a state with imaginary eigenvalues", function()
  local sin, cos = hm.sin, hm.cos

  local function heavy_top(A, C, G)
    local S = hm.system "heavy top"
    local psi, theta, phi = S:coordinates "psi theta phi"
    S:kinetic_energy(A/2*(theta.dot^2 + psi.dot^2*sin(theta)^2) + C/2*(phi.dot + psi.dot*cos(theta))^2)
    S:potential_energy(G*cos(theta))
    return S
  end

  local function verified_as(p, S, verdict)
    local path = os.tmpname()
    p:save(path)
    assert.is_true(hm.check_certificate(S, path))
    local fine, said = require "hamel.analysis.certificate".verify(path)
    os.remove(path)
    assert.is_true(fine and said:find(verdict, 1, true) ~= nil, said)
  end

  it("is stable where the energy is definite on the levels of the momenta", function()
    -- steady precession: A w^2 cos + G = C n w; its nutation has the frequency sqrt((A^2 w^4 - 2 A w^2 G cos + G^2))/(A w) (Routh)
    local A, G, w, c = 1, 1, 0.5, math.cos(1)
    local n = (A*w^2*c + G)/(2*w)
    local S = heavy_top(hm.rational(1), hm.rational(2), hm.rational(1))
    local p = S:prove_equilibrium{ q = { psi = 0, theta = 1, phi = 0 }, v = { psi = w, theta = 0, phi = n - w*c }, keep = { "theta", "psi'" } }
    assert.is_true(p.proved and p.stable, p.reason)
    assert.matches("same momentum of psi, momentum of phi %(Routh and Lyapunov%)", p.verdict)
    local nutation = math.sqrt(A^2*w^4 - 2*A*w^2*G*c + G^2)/(A*w)
    local most = 0
    for _, e in ipairs(p.eigenvalues) do most = math.max(most, e.size.upper) end
    check.near(most, nutation, 1e-12)
    verified_as(p, S, "Routh and Lyapunov")
    local P = hm.system "conical"
    local a, b = P:coordinates "a b"
    P:kinetic_energy((a.dot^2 + b.dot^2*sin(a)^2)/2)
    P:potential_energy(-cos(a))
    assert.is_true(P:prove_equilibrium{ q = { a = 1, b = 0 }, v = { a = 0, b = 1/math.sqrt(c) }, keep = { "a" } }.stable)
  end)

  it("is unstable or not decided where the energy is not definite", function()
    -- circles about a centre that pulls with the force 1/a^5: the effective potential p^2/(2 a^2) - 1/(4 a^4) has a maximum
    local P = hm.system "saddle"
    local a, b = P:coordinates "a b"
    P:kinetic_energy((a.dot^2 + b.dot^2*a^2)/2)
    P:potential_energy(-1/(4*a^4))
    local p = P:prove_equilibrium{ q = { a = 1, b = 0 }, v = { a = 0, b = 1 }, keep = { "a" } }
    assert.is_true(p.proved and p.stable == false, tostring(p))
  end)

  -- x'' = 3 y' + x, y'' = -3 x' + (6/5) y: a hill, held by gyroscopic forces (Thomson and Tait)
  local function hill(turn, friction)
    local S = hm.system "hill"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + turn*(x*y.dot - y*x.dot)/2)
    S:potential_energy(-x^2/2 - hm.rational(3, 5)*y^2)
    if friction then S:force(x, -x.dot/100) S:force(y, -y.dot/100) end
    return S
  end

  it("is spectrally stable where a symmetry keeps the eigenvalues on the axis", function()
    local S = hill(3)
    local p = S:prove_equilibrium{ q = { x = 0.01, y = 0 } }
    assert.is_true(p.proved and p.stable == nil and p.spectrally)
    assert.matches("spectrally stable: .* nonlinear stability undecided", p.verdict)
    -- s^4 + (9 - 1 - 6/5) s^2 + 6/5 = 0
    local half = hm.rational(34, 10)
    local root = hm.sqrt(half^2 - hm.rational(6, 5))
    for _, e in ipairs(p.eigenvalues) do
      assert.is_true(e.re:is_exact() and e.re:contains(0))
      assert.is_true(e.size:contains(hm.sqrt(half + root)) or e.size:contains(hm.sqrt(half - root)))
    end
    verified_as(p, S, "spectrally stable")
  end)

  it("is never said to be so without the symmetry, or with eigenvalues that meet", function()
    assert.is_false(hill(1):prove_equilibrium{ q = { x = 0.01, y = 0 } }.stable)                     -- too slow
    assert.is_false(hill(3, true):prove_equilibrium{ q = { x = 0.01, y = 0 } }.stable)               -- friction undoes it
    local S = hm.system "circulatory"                                                                 -- dr/dq is not symmetric
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, -x + y/10)
    S:force(y, -2*y - x/10)
    local p = S:prove_equilibrium{ q = { x = 0.01, y = 0 } }
    -- even this has a reversal of time, by which its velocities change their signs: the spectrum is symmetric
    assert.is_true(p.proved and p.spectrally)
    S:force(x, -x + y)
    S:force(y, -2*y - x)
    assert.is_false(S:prove_equilibrium{ q = { x = 0.01, y = 0 } }.stable)
    local D = hm.system "double"                                                                      -- twice the same eigenvalue: a resonance
    local u, v = D:coordinates "u v"
    D:kinetic_energy((u.dot^2 + v.dot^2)/2)
    D:force(u, -u + v)
    D:force(v, -v)
    local double = D:prove_equilibrium{ q = { u = 0, v = 0 } }
    assert.is_true(double.proved and double.stable == nil and double.spectrally == nil, tostring(double))
  end)

  it("is judged with a rotation, and verified", function()
    local S = hm.system "held body"
    local N = S:frame "N"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("body", { at = S.origin, frame = R, mass = 1, inertia = { 1, 2, 2.5 }, about = S.origin })
    S:potential_energy(-3*R.z:dot(N.z) + 2*R.y:dot(N.x)^2)
    local p = S:prove_equilibrium{ q = { R = { 1, 0, 0, 0 } } }
    assert.is_true(p.proved and p.stable)
    verified_as(p, S, "Lagrange and Dirichlet")
  end)
end)

describe("a certificate of an equilibrium", function()
  local path = os.tmpname()

  it("is proved again, with constraints, families and boxes", function()
    local S = sleigh()
    S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0.1 }, v = { x = 1, theta = 0 } }:save(path)
    assert.is_true(hm.check_certificate(S, path))
    assert.is_true(require "hamel.analysis.certificate".command{ path })
    local P = pendulum()
    P:prove_equilibrium{ q = { phi = 3 }, parameters = { g = { "9.7", "9.9" } } }:save(path)
    assert.is_true(hm.check_certificate(P, path))
    check.raises({ "give it as {low, high}" }, function() P:prove_equilibrium{ q = { phi = 3 }, parameters = { g = hm.ball(9.8, 0.1) } }:save(path) end)
  end)

  it("is not, where anything is other", function()
    local S = pendulum()
    S:prove_equilibrium{ q = { phi = 3 } }:save(path)
    local text = text_of(path)
    for _, change in ipairs{ { "centre 3%.14159", "centre 3.14169", "exceeds" }, { "stable false", "stable true", "not proved again" },
      { "r %-g", "r g", "another system" }, { "= 981/100", "= 982/100", "another system" } } do
      rewritten(text, path, change[1], change[2])
      local fine, why = hm.check_certificate(S, path)
      assert.is_false(fine)
      assert.matches(change[3], why)
    end
    for _, change in ipairs{ { "rest 1\n", "", "lines are missing" }, { "radius [^\n]*", "radius nan", "not a positive number" },
      { "radius [^\n]*", "radius 1e-60", "claims no proof" }, { "bits %d+", "bits 10", "10 bits" }, { "\nform", "\nfrom", "line 4" } } do
      rewritten(text, path, change[1], change[2])
      check.raises({ change[3] }, hm.check_certificate, S, path)
    end
    -- a constraint that the equations do not keep
    rewritten(text, path, "rest 1\n", "constraint bolt | phi = 0\nrest 1\n")
    local fine, why = hm.check_certificate(S, path)
    assert.is_false(fine)
    assert.matches("no constraint", why)
    assert.is_false(require "hamel.analysis.certificate".command{ path })
    -- twice the energy is an integral, too, but not the energy: a name that a file gives is quoted
    S:prove_equilibrium{ q = { phi = 0.1 } }:save(path)
    rewritten(text_of(path), path, "integral energy | [^\n]*", "integral energy | phi'^2 - 2*g*cos(phi)")
    fine, why = hm.check_certificate(S, path)
    assert.is_true(fine == false and why:find("as the condition 'energy'", 1, true) ~= nil, why)
    fine, why = require "hamel.analysis.certificate".verify(path)
    assert.is_true(fine and why:find("the integral called 'energy' in the file has a strict extremum", 1, true) ~= nil, why)
    check.raises({ "takes a system first" }, hm.check_certificate, 1, path)
    os.remove(path)
  end)
end)

describe("Newton's method before a proof", function()
  it("says where it does not come to an end", function()
    local V = hm.system "flat"
    local w = V:coordinates "w"
    V:kinetic_energy(w.dot^2/2)
    V:potential_energy(w^4/4)
    assert.matches("a degenerate equilibrium lies at or near w = 0,", V:prove_equilibrium{ q = { w = 0.1 } }.reason)
    local function fixed(f, more)
      local o = { map = f, at = { 0.3 } }
      for name, value in pairs(more or {}) do o[name] = value end
      return hm.prove_fixed_point(o)
    end
    for _, bits in ipairs{ 64, 128, 400 } do
      assert.matches("a degenerate fixed point lies at or near x = 0,.* a multiplier is 1 there", fixed(function(x) return x + x^2 end, { bits = bits }).reason)
      assert.matches("comes near no solution: its last step is", fixed(function(x) return x + 1 + x^2 end, { bits = bits }).reason)
    end
    assert.is_true(fixed(function(x) return x + x^2 - hm.rational(1, 10)^20 end, { iterations = 60 }).proved)
    assert.is_nil(fixed(function(x) return x + 1 + x^2 end).reason:find "inf")
    -- exp(x) > x
    assert.matches("Newton's method does not converge", fixed(function(x) return hm.exp(x) end, { at = { 0.4 } }).reason)
    -- the centre as it is
    assert.matches("exceeds radius .* more iterations", fixed(function(x) return x + 1 + x^2 end, { iterations = 0 }).reason)
  end)
end)

describe("boxes of parameters that are too wide", function()
  local function smaller(reason) return tonumber(reason:match "boxes (%d+) times smaller are proved about their middle" or error(reason)) end

  it("are refused with how much smaller ones are proved", function()
    local x, r = hm.symbols "x r"
    local function cycle(low, high) return hm.prove_fixed_point{ map = { r*x*(1 - x) }, of = { x }, parameters = { r = { low, high } }, at = { 0.5 } } end
    local times = smaller(cycle("1.5", "2.9").reason)
    assert.is_true(cycle(2.2 - 0.7/times, 2.2 + 0.7/times).proved)
    local S = hm.system "spring"
    local q, k = S:coordinates "q", S:positive "k=1"
    S:kinetic_energy(q.dot^2/2)
    S:potential_energy(k*q^2/2 + q^4/4 - q)
    local function rest(low, high) return S:prove_equilibrium{ q = { q = 0.6 }, parameters = { k = { low, high } } } end
    times = smaller(rest("0.1", "5").reason)
    assert.is_true(rest(2.55 - 2.45/times, 2.55 + 2.45/times).proved)
  end)

  -- V = x^3/3 - mu x: two equilibria +-sqrt(mu) that meet at mu = 0, none below
  local function fold(low, high)
    local S = hm.system "fold"
    local x, mu = S:coordinates "x", S:parameters "mu=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^3/3 - mu*x)
    return S:prove_equilibrium{ q = { x = 0.3 }, parameters = { mu = { low, high } } }
  end

  it("are refused with how many pieces prove the whole", function()
    assert.matches("and 5 pieces that touch prove the whole$", fold("0.01", "0.2").reason)
    local ends = { "0.01", "0.021875", "0.03375", "0.0575", "0.105", "0.2" }
    for i = 1, 5 do assert.is_true(fold(ends[i], ends[i + 1]).proved, ends[i]) end
  end)

  it("are refused with a value about which none is proved", function()
    for _, low in ipairs{ "-0.1", "0" } do
      local reason = fold(low, "0.3").reason
      local at = tonumber(reason:match "but none about mu = (%S+), down to one 1024 times smaller")
      assert.truthy(at and at >= tonumber(low) and at < 4e-4, reason)
      assert.falsy(reason:find("prove the whole", 1, true), reason)
    end
    local u, a = hm.symbols "u a"
    local p = hm.prove_fixed_point{ map = { a*u - u^3 }, of = { u }, parameters = { a = { "0.9", "1.2" } }, at = { 0 } }
    local at = tonumber(p.reason:match "but none about a = ([%d.]+), down to one 1024")
    assert.near(1, at, 1e-3)
  end)
end)

describe("velocities that are given to prove_equilibrium", function()
  it("are those of a state of rest where all are zero", function()
    local S = pendulum()
    local p = S:prove_equilibrium{ q = { phi = 0.1 }, v = { phi = 0 } }
    assert.is_true(p.proved and p.rest)
    assert.matches("pendulum: equilibrium proved: phi = 0", tostring(p))
  end)
end)

describe("prove_equilibrium of a body", function()
  it("takes a direction cosine in keep", function()
    local S = hm.system "top"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    S:body("top", { at = R.z/2, frame = R, mass = 1, inertia = {1, 1, "1/2"}, about = S.origin })
    S:gravity(-9.81*N.z)
    -- hanging at rest, turned about the vertical: any turn is at rest, so the heading chooses one
    local proof = S:prove_equilibrium{ q = { R = { axis = {1, 0, 0}, angle = hm.pi } }, v = { R = 0*N.z }, keep = { R.x:dot(N.y) } }
    assert(proof.proved, tostring(proof))
  end)
end)

describe("a certificate of a contraction just below 1", function()
  it("is accepted", function()
    local S = hm.system "pitchfork"
    local x = S:coordinates "x"
    local a = S:parameters "a=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - a*x^2/2)
    local proof, path = S:prove_equilibrium{ q = { x = 0 }, parameters = { a = {"-1", "-0.001"} } }, os.tmpname()
    assert.is_true(proof.proved and proof.contraction > 0.99)
    proof:save(path)
    assert.is_true((hm.check_certificate(S, path)))
    os.remove(path)
  end)
end)

describe("a contraction of zero", function()
  it("is told and certified as zero", function()
    local S = line(function(x) return -x end)
    local proof, path = S:prove_equilibrium{ q = { x = 0.25 } }, os.tmpname()
    assert.is_true(proof.proved and proof.contraction == 0)
    assert.matches("contraction 0;", tostring(proof))
    proof:save(path)
    assert.is_true((hm.check_certificate(S, path)))
    os.remove(path)
  end)
end)
