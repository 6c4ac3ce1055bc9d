-- branches of steady motions that turn along a symmetry, in coordinates that turn with them, against closed forms.
--
-- The thin disc with m = r = 1 and the moments A and C, its plane at the angle th to the ground, psi' = W and w = phi' + W cos th:
--   (A + 1) th'' = A W^2 s c - (C + 1) w W s - g c,   A (W' s + 2 W c th') = C w th',   (C + 1) w' = W s th'
-- (its energy (A + 1) th'^2/2 + A W^2 s^2/2 + (C + 1) w^2/2 + g s is constant by these). A steady motion has th'' = 0, and the deviation from it obeys
-- (A + 1) a'' + K a = 0, K = C (C + 1)/A w^2 - (3 C + 1) w W c + W^2 ((1 + A) s^2 + 3 A c^2) - g s: stable where K > 0, as in O'Reilly 1996 (Nonlinear
-- Dynamics 10).
local hm, check = require "hamel", require "check"
local near = check.near
local A, C = 1/4, 1/2

local function disc()
  local S = hm.system "disc"
  local x, y, psi, th, phi = S:coordinates "x y psi th phi"
  local g, c, s = S:positive "g=1", hm.cos, hm.sin
  S:kinetic_energy((x.dot^2 + y.dot^2 + (c(th)*th.dot)^2)/2 + (th.dot^2 + psi.dot^2*s(th)^2)/8 + (phi.dot + psi.dot*c(th))^2/4)
  S:potential_energy(g*s(th))
  S:constraint("t", x.dot*c(psi) + y.dot*s(psi) - (phi.dot + psi.dot*c(th)))
  S:constraint("n", -x.dot*s(psi) + y.dot*c(psi) - s(th)*th.dot)
  return S
end

local function at(th, W, phi, keep) return { q = { x = 0, y = 0, psi = 0, phi = 0, th = th }, v = { phi = phi, psi = W, th = 0 }, keep = keep } end

-- What vanishes for steady motions, and K, at a point of a branch
local function closed_form(point)
  local th, W, g = point.q.th, point.v.psi, point.parameters.g or 1
  local c, s = math.cos(th), math.sin(th)
  local w = point.v.phi + W*c
  return A*W^2*s*c - (C + 1)*w*W*s - g*c, C*(C + 1)/A*w^2 - (3*C + 1)*w*W*c + W^2*((1 + A)*s^2 + 3*A*c^2) - g*s
end

local function demand(B)
  assert(#B.points > 10, tostring(B))
  for _, point in ipairs(B.points) do
    local off, K = closed_form(point)
    near(off, 0, 1e-9)
    assert.equal(2, #point.eigenvalues)
    for _, e in ipairs(point.eigenvalues) do near(e.re^2 - e.im^2, -K/(A + 1), 1e-8*(1 + math.abs(K))) end
    if math.abs(K) > 1e-6 then
      local expected
      if K < 0 then expected = false end
      assert.equal(expected, point.stable)
    end
  end
end

describe("steady turning of a disc in coordinates that turn along", function()
  it("along the lean, its rate of turning or gravity, with the eigenvalues of the closed form", function()
    local S = disc()
    demand(S:continue{ steady = S:steady(at(1.2, 1, -1, { "th", "psi'" })), along = "th", from = 0.3, to = 1.5 })
    demand(S:continue{ steady = S:steady(at(1.2, 1, -1, { "th", "psi'" })), along = "psi'", from = 0.2, to = 3 })
    demand(S:continue{ steady = S:steady(at(1.2, 1, -1, { "th", "phi'" })), along = "g", from = 0.5, to = 2 })
  end)

  it("loses its stability where K = 0", function()
    local S = disc()
    local B = S:continue{ steady = S:steady(at(1.5, 1, -0.1, { "th", "psi'" })), along = "psi'", from = 0.05, to = 2 }
    demand(B)
    assert.equal(2, #B.special, tostring(B))
    for _, special in ipairs(B.special) do
      assert.equal("neutral", special.kind)
      near(select(2, closed_form(special.point)), 0, 1e-8)
    end
  end)

  it("as a coin that spins on its edge: from psi'^2 = g/(1 + A) on, also through psi' = 0 and from there", function()
    local S = disc()
    for _, W in ipairs{ 2, 0 } do
      local B = S:continue{ steady = S:steady(at(math.pi/2, W, 0, { "psi'", "phi'" })), along = "psi'", from = -2, to = 2 }
      demand(B)
      assert.equal(2, #B.special, tostring(B))
      for _, special in ipairs(B.special) do
        assert.equal("neutral", special.kind)
        near(special.value^2, 1/(1 + A), 1e-9)
      end
      near(B.special[1].value, -B.special[2].value, 1e-9)
    end
  end)

  it("and as straight rolling that psi' = 0 and phi' describe, wherever its heading is", function()
    local S = disc()
    for _, keep in ipairs{ { "psi'", "phi'" }, { "psi'", "phi'", "psi" }, { "th", "phi'" } } do
      local B = S:continue{ steady = S:steady(at(math.pi/2, 0, 1, keep)), along = "phi'", from = 0.1, to = 2 }
      demand(B)
      assert.equal(1, #B.special, tostring(B))
      near(B.special[1].value, math.sqrt(1/3), 1e-9)
    end
    check.raises({ "1 more value decides", "keep = { \"phi'\", \"psi'\" } would decide" }, S.continue, S,
      { steady = S:steady(at(math.pi/2, 0, 1, { "phi'" })), along = "phi'", from = 0.1, to = 2 })
  end)

  it("goes on from its points, from a file, too", function()
    local S = disc()
    local B = S:continue{ steady = S:steady(at(1.2, 1, -1, { "th", "psi'" })), along = "psi'", from = 0.5, to = 2 }
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local read = hm.load(file, S)
    os.remove(file)
    assert.equal(tostring(B), tostring(read))
    for _, from in ipairs{ B, read } do
      local point = from.points[#from.points//2]
      assert.same({ "psi", "u1", "u2" }, point.turning)
      demand(S:continue{ steady = point, along = "g", from = 0.5, to = 2 })
    end
  end)
end)

describe("steady turning of bodies with attitudes by unit quaternions", function()
  local function turned(S) return S:frame "N", S:rotation("R", { rates = "p q r" }) end

  it("a disc, by the same closed form", function()
    local S = hm.system "rolling"
    local N, R = turned(S)
    local disc_body = S:body("disc", { at = S:point "x y z", frame = R, mass = 1, inertia = { A, A, C }, shape = { "disc", radius = 1 } })
    S:rolls("roll", disc_body, N:plane())
    S:gravity(-9.81*N.z)
    local start = S:steady{ q = { x = 0, y = 0, R = { axis = {1, 0, 0}, angle = 1.2 } }, v = { R = {0, 2, -3} }, keep = { "p", "q" } }
    local B = S:continue{ steady = { q = start.q, v = start.v, keep = { "q", "r" } }, along = "q", from = 1.5, to = 3 }
    assert(#B.points > 10)
    for _, point in ipairs(B.points) do
      local q = point.q
      local c = q.R0^2 - q.R1^2 - q.R2^2 + q.R3^2
      local th = math.acos(c)
      local W = math.sqrt(point.v.p^2 + point.v.q^2)/math.sin(th)
      local off, K = closed_form{ q = { th = th }, v = { psi = W, phi = point.v.r - W*c }, parameters = { g = 9.81 } }
      near(off, 0, 1e-8)
      assert.equal(2, #point.eigenvalues)
      for _, e in ipairs(point.eigenvalues) do near((e.re^2 - e.im^2)/(-K/(A + 1)), 1, 1e-9) end
    end
  end)

  it("a sleeping top falls below r = 2 (A m g c)^(1/2)/C", function()
    local S = hm.system "top"
    local N, R = turned(S)
    S:body("top", { at = hm.rational(1, 2)*R.z, frame = R, mass = 1, inertia = {1, 1, 1/2}, about = S.origin })
    S:gravity(-9.81*N.z)
    local B = S:continue{ steady = S:steady{ q = { R = {1, 0, 0, 0} }, v = { R = {0, 0, 20} }, keep = { "r" } }, along = "r", from = 5, to = 25 }
    assert.equal(1, #B.special, tostring(B))
    near(B.special[1].value, 4*math.sqrt(9.81/2), 1e-8)
    near(B.special[1].frequency, math.sqrt(9.81/2), 1e-6)
  end)

  -- a tippe top with viscous sliding; S:linearize at the points of the curve has a pair on the axis
  it("a tippe top, unstable from a Hopf point on, which is followed over two parameters", function()
    local S = hm.system "tippe top"
    local N, R = turned(S)
    local x, y = S:coordinates "x y"
    local e, c = S:positive "e=1/4 c=1/2"
    local centre = S:point(x*N.x + y*N.y + (1 - e*R.z:dot(N.z))*N.z)
    local top = S:body("top", { at = centre, frame = R, mass = 1, inertia = {2/5, 2/5, 3/8}, shape = { "sphere", radius = 1, centre = e*R.z } })
    S:gravity(-N.z)
    S:force(top, -c*((centre + e*R.z):velocity() - R:angular_velocity():cross(N.z)), centre + e*R.z - N.z)
    local B = S:continue{ steady = S:steady{ q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { x = 0, y = 0, R = {0, 0, 3} }, keep = { "r" } }, along = "r",
      from = 0.5, to = 4 }
    assert.equal(1, #B.special, tostring(B))
    assert.equal("hopf", B.special[1].kind)
    check.raises({ "turn along with the steady motions", "symmetry = " }, B.switch, B, B.special[1])
    local H = S:continue{ hopf = B.special[1], along = { "r", "e" }, from = { 0.5, 0.1 }, to = { 3, 0.4 }, points = 4 }
    for i = 1, #H.points, 2 do
      local point, least = H.points[i], math.huge
      for _, z in ipairs(S:linearize{ q = point.q, v = point.v, parameters = point.parameters }.eigenvalues) do
        if math.abs(z.im) > 1 then least = math.min(least, math.abs(z.re)) end
      end
      near(least, 0, 1e-7)
    end
  end)
end)

describe("the thin disc with body rates that spins about its vertical diameter", function()
  local function spinning()
    local S = hm.system "disc"
    local N = S:frame "N"
    local g, r = S:positive "g=9.81 r=1"
    local R = S:rotation("R", { rates = "p q w" })
    local d = S:body("d", { at = S:point "x y z", frame = R, mass = 1, inertia = { r^2/4, r^2/4, r^2/2 }, shape = { "disc", radius = r } })
    S:rolls("roll", d, N:plane())
    S:gravity(-g*N.z)
    return S, N, { x = 0, y = 0, R = { axis = {1, 0, 0}, angle = math.pi/2 } }
  end

  it("is found whatever of its rates is kept: it is more symmetric than its neighbours", function()
    local S, N, q = spinning()
    for _, keep in ipairs{ { "w" }, { "q" }, { "q", "w" } } do
      local found = S:steady{ q = q, v = { R = 4*N.z }, keep = keep }
      near(found.v.q, 4, 1e-9)
      near(found.v.w, 0, 1e-9)
      near(found.q.z, 1, 1e-12)
    end
  end)

  it("is followed with what the refusal says to keep; it is neutral at W^2 = 4 g/(5 r), where K = 0 above", function()
    local S, N, q = spinning()
    check.raises({ "keep = { \"q\", \"w\" } would decide" }, S.continue, S,
      { steady = S:steady{ q = q, v = { R = 4*N.z }, keep = { "q" } }, along = "g", from = 5, to = 40 })
    local B = S:continue{ steady = S:steady{ q = q, v = { R = 4*N.z }, keep = { "q", "w" } }, along = "g", from = 5, to = 40 }
    assert.equal(1, #B.special, tostring(B))
    assert.equal("neutral", B.special[1].kind)
    near(B.special[1].value, 20, 1e-8)
  end)
end)
