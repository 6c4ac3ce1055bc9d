-- branches of bodies whose attitude is a unit quaternion, against the same motions in one angle
local hm, branches, check = require "hamel", require "branches", require "check"
local sin, cos, near, of_kind = hm.sin, hm.cos, check.near, branches.of_kind

-- The multipliers of the motion in one angle are among those of the body
local function demand_among(few, all, tolerance)
  for _, m in ipairs(few) do
    local least = math.huge
    for _, n in ipairs(all) do least = math.min(least, math.abs(m.re - n.re) + math.abs(m.im - n.im)) end
    assert(least < tolerance, ("the multiplier %.9g + %.9g i"):format(m.re, m.im))
  end
end

describe("a body that a torque drives round an axis", function()
  it("closes up to the sign of its quaternion, with the multipliers of the motion in the angle", function()
    local A = hm.system "angle"
    local a = A:coordinates "a"
    local w = A:parameters "w=1"
    A:kinetic_energy(a.dot^2)
    A:potential_energy(-cos(a)/5)
    A:force(a, (w - a.dot)/2 + cos(w*hm.t)/3)
    local B = hm.system "rotor"
    local N, R = B:frame "N", B:rotation("R", { rates = "p q r" })
    local v = B:parameters "w=1"
    local p, q, r = R:rates()
    local rotor = B:body("rotor", { at = -1*R.z, frame = R, mass = 1, inertia = { 2, 2.5, 0.7 }, about = B.origin })
    B:gravity(hm.rational(-1, 5)*N.z)
    B:torque(rotor, (v - p)/2*R.x - q*R.y - r*R.z + cos(v*hm.t)*N.x/3)
    local state = A:simulate{ q = { a = 0 }, v = { a = 1 }, t = 60*math.pi }:at(60*math.pi)
    local angle = state.q.a - 60*math.pi
    local one = A:continue{ periodic = { q = { a = angle }, v = state.v, period = 2*hm.pi/w }, advance = { a = 2*math.pi }, along = "w", to = 1.5 }
    local other = B:continue{ periodic = { q = { R = { axis = { 1, 0, 0 }, angle = angle } }, v = { p = state.v.a, q = 0, r = 0 }, period = 2*hm.pi/v },
                              along = "w", to = 1.5 }
    for _, k in ipairs{ 1, -1 } do
      local x, y = one.points[k > 0 and 1 or #one.points], other.points[k > 0 and 1 or #other.points]
      near(x.value, y.value, 1e-12)
      near(x.v.a, y.v.p, 1e-9)
      demand_among(x.multipliers, y.multipliers, 1e-7)
      assert(#y.multipliers == 6)
    end
  end)
end)

describe("a body whose attitude is a unit quaternion, at a wall", function()
  local function angle()
    local S = hm.system "angle"
    local a = S:coordinates "a"
    local w = S:parameters "w=1"
    S:kinetic_energy(a.dot^2)
    S:potential_energy(-cos(a))
    S:force(a, -a.dot/5 + cos(w*hm.t))
    S:unilateral("wall", hm.rational(1, 5) - sin(a), { law = hm.newton(0.8) })
    return S
  end
  -- the same in the plane x = 0, free to leave it
  local function body()
    local S = hm.system "body"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local w = S:parameters "w=1"
    local B = S:body("pendulum", { at = -1*R.z, frame = R, mass = 1, inertia = { 2, 2.5, 0.7 }, about = S.origin })
    local p, q, r = R:rates()
    S:gravity(-1*N.z)
    S:torque(B, -p/5*R.x - q/5*R.y - r/5*R.z + cos(w*hm.t)*N.x)
    S:unilateral("wall", R.z:dot(N.y) + hm.rational(1, 5), { law = hm.newton(0.8) })
    return S, p
  end
  local a, v = -0.73297201176618, 1.8753037509053
  local flat = { q = { a = a }, v = { a = v } }

  it("has the flips and multipliers of the motion in one angle, and four more", function()
    local A, B = angle(), body()
    flat.period = 2*hm.pi/A:symbol "w"
    local one = A:continue{ periodic = flat, along = "w", from = 1, to = 1.06 }
    local guess = { q = { R = { axis = { 1, 0, 0 }, angle = a } }, v = { p = v, q = 0, r = 0 }, period = 2*hm.pi/B:symbol "w" }
    local other = B:continue{ periodic = guess, along = "w", from = 1, to = 1.06 }
    near(of_kind(other, "flip")[1].value, of_kind(one, "flip")[1].value, 1e-9)
    local few, all = one.points[1].multipliers, other.points[1].multipliers
    assert(#few == 2 and #all == 6)
    demand_among(few, all, 1e-7)
    local D = B:continue{ periodic = other.points[1], along = "w", from = 1, to = 1.06 }:switch(of_kind(other, "flip")[1], { points = 3 })
    assert(#D.points[3].sequence == 4 and D.points[3].admissible)
  end)

  it("has exponents with the sum of the divergence and the impacts", function()
    local t, B, p = 20, body()
    local given = { q = { R = { axis = { 1, 0, 0 }, angle = a } }, v = { p = v, q = 0, r = 0 }, t = t, rtol = 1e-11 }
    local sum, count = 0, #B:simulate(given).impacts
    for _, e in ipairs(B:lyapunov(given).exponents) do sum = sum + e end
    near(sum, -(1/2 + 1/2.5 + 1/0.7)/5 + 2*count*math.log(0.8)/t, 1e-8)
    assert(count == 6)
    B:friction("rub", { slip = p, normal = 1, coefficient = 0.1 })
    check.raises({ "friction 'rub' beside the rotation 'R'", "three angles" }, B.lyapunov, B, given)
  end)
end)

describe("the free motions of a body whose attitude is a unit quaternion", function()
  -- the sleeping top is stable where r^2 > 4 A m g c/C^2; at the border its energy is C r^2/2 + m g c = 24.525
  it("form a family along the energy and along the period: the top that sleeps, and where it wakes", function()
    local T = hm.system "heavy top"
    local N, R = T:frame "N", T:rotation("R", { rates = "p q r" })
    T:body("top", { at = 0.5*R.z, frame = R, mass = 1, inertia = { 1, 1, 1/2 }, about = T.origin })
    T:gravity(-9.81*N.z)
    local P = T:periodic{ q = { R = { axis = { 1, 0, 0 }, angle = 0.5 } }, v = { R = 2*N.z + 6.66*R.z }, period = 1 }
    local B = T:continue{ periodic = P, along = "energy", from = 15, to = 30 }
    assert.equal(1, #B.special)
    near(B.special[1].value, 24.525, 1e-8)
    -- a turn takes 2 pi/r
    local C = T:continue{ periodic = P, along = "period", from = 0.5, to = 1.2 }
    near(C.special[1].value, 2*math.pi/math.sqrt(4*9.81*0.5/0.25), 1e-9)
  end)
end)
