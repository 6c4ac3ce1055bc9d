-- periodic motions whose small changes grow so much that they are flown in segments
local hm, check = require "hamel", require "check"
local products = require "hamel.continuation.products"
local cos, near = hm.cos, check.near

local function ratio(value, wanted, tolerance, what) near(value/wanted, 1, tolerance, what) end

local function segments(point) return 1 + #(point.segments or {}) end

-- x'' = k^2 sin x - x'/5 + cos t, which is never upright at rest
local function inverted()
  local S = hm.system "inverted pendulum"
  local x = S:coordinates "x"
  local k = S:parameters "k=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k^2*cos(x))
  S:force(x, -x.dot/5 + cos(hm.t))
  return S
end

-- The orbit at k = 3, its multipliers: Newton's method and variational equations by Taylor series of order 30 in 40 digits (mpmath)
local AT_3 = { x = -0.10009350005596857, v = 0.0020095643093266310, large = 80850089.104597015891, small = 3.520213106603079854e-9 }

local function upright(S, to)
  return S:continue{ periodic = { q = { x = -0.8 }, v = { x = 0 }, period = 2*math.pi }, along = "k", to = to }
end

describe("eigenvalues of products of matrices", function()
  -- A_i = X_(i+1) D_i X_i^-1 with rotations X: the product has the eigenvalues of the product of the D
  local function turned(angle) return { { math.cos(angle), -math.sin(angle) }, { math.sin(angle), math.cos(angle) } } end
  local function times(A, B)
    local C = {}
    for i = 1, 2 do C[i] = { A[i][1]*B[1][1] + A[i][2]*B[2][1], A[i][1]*B[1][2] + A[i][2]*B[2][2] } end
    return C
  end

  it("are right over hundreds of orders of magnitude", function()
    local list = {}
    for i = 1, 40 do
      list[i] = times(times(turned(i % 40 + 1), { { 1e3, 0 }, { 0, 1e-3 } }), turned(-i))
    end
    local values = products.eigenvalues(list)
    ratio(values[1].re, 1e120, 1e-10)
    ratio(values[2].re, 1e-120, 1e-8)
  end)

  it("are conjugate pairs, and zero where one matrix is singular", function()
    local values = products.eigenvalues{ turned(0.3), turned(0.5), { { 2, 0 }, { 0, 2 } } }
    near(values[1].re, 2*math.cos(0.8), 1e-14)
    near(math.abs(values[1].im), 2*math.sin(0.8), 1e-14)
    local zero = products.eigenvalues{ { { 1, 2 }, { 2, 4 } }, { { 3, 0 }, { 0, 3 } } }
    near(math.max(zero[1].re, zero[2].re), 15, 1e-13)
    near(math.min(zero[1].re, zero[2].re), 0, 1e-13)
  end)
end)

describe("multiple shooting", function()
  it("follows a driven saddle to multipliers of 2e16: they are exp(+- k T)", function()
    local S = hm.system "saddle"
    local x = S:coordinates "x"
    local k = S:parameters "k=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, k^2*x + cos(hm.t))
    local B = upright(S, 6)
    assert.equal(1, segments(B.points[1]))
    assert(segments(B.points[#B.points]) > 3)
    for _, point in ipairs(B.points) do
      local rate = 2*math.pi*point.parameters.k
      ratio(point.multipliers[1].re, math.exp(rate), 1e-10)
      ratio(point.multipliers[2].re, math.exp(-rate), 1e-10)
      near(point.q.x, -1/(1 + point.parameters.k^2), 1e-12)
      assert.equal(false, point.stable)
    end
  end)

  it("finds the orbit of an inverted pendulum and its multipliers for any number of segments", function()
    local S = inverted()
    local B = upright(S, 3)
    local last = B.points[#B.points]
    local function check_point(point)
      near(point.q.x, AT_3.x, 1e-12)
      near(point.v.x, AT_3.v, 1e-12)
      ratio(point.multipliers[1].re, AT_3.large, 1e-8)
      ratio(point.multipliers[2].re, AT_3.small, 1e-8)
    end
    check_point(last)
    for _, count in ipairs{ 3, 4, 5, 7 } do
      local list = {}
      for i = 1, count - 1 do
        local t, from = 2*math.pi*i/count, { t = 0, q = last.q, v = last.v }
        for _, at in ipairs(last.segments) do if at.t < t then from = at end end
        local state = S:simulate{ q = from.q, v = from.v, t = { from.t, t }, parameters = { k = 3 }, rtol = 1e-12 }:at(t)
        list[i] = { t = t, q = state.q, v = state.v }
      end
      local guess = { q = last.q, v = last.v, period = 2*math.pi, parameters = { k = 3 }, segments = list }
      local point = S:continue{ periodic = guess, along = "k", from = 3, to = 4, points = 1 }.points[1]
      assert.equal(count, segments(point))
      check_point(point)
    end
  end)

  it("says of segments what is wrong with them", function()
    local S = inverted()
    local function refused(list, text)
      local fine, message = pcall(S.continue, S, { periodic = { q = { x = -0.8 }, v = { x = 0 }, period = 2*math.pi, segments = list }, along = "k", to = 1 })
      assert(not fine and message:find(text, 1, true), message)
    end
    refused({ { q = { x = 0 }, v = { x = 0 } } }, "segments = { { t =, q =, v = }, ... }: number 1 lacks t or q")
    refused({ { t = 7, q = { x = 0 }, v = { x = 0 } } }, "the time 7 of number 1 is not between those of its neighbours within the period")
    refused({ { t = 2, q = { x = 0 }, v = { x = 0 } }, { t = 1, q = { x = 0 }, v = { x = 0 } } }, "the time 1 of number 2")
  end)

  it("says how to get to an orbit that a guess does not reach", function()
    local S = inverted()
    local guess = { q = { x = -0.1 }, v = { x = 0.002 }, period = 2*math.pi, parameters = { k = 3 } }
    local fine, message = pcall(S.continue, S, { periodic = guess, along = "k", to = 4 })
    assert(not fine and message:find("follow it from a parameter at which it is less unstable", 1, true), message)
  end)

  -- motions along the bottom of a valley that falls to both sides: y'' = (25/4) (1 + x^2/2) y beside x'' = - x - x^3; multipliers by Taylor series in
  -- 40 digits (mpmath), periods also by complete elliptic integrals
  it("keeps integrals: a family over its energy", function()
    local S = hm.system "ridge"
    local u, w = S:coordinates "u w"
    local x, y = (u + w)/hm.sqrt(2), (u - w)/hm.sqrt(2)
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:potential_energy(x^2/2 + x^4/4 - hm.rational(25, 4)*y^2*(1 + x^2/2)/2)
    local start = math.sqrt((math.sqrt(1.2) - 1)/2)
    local guess = { q = { u = start, w = start }, v = { u = 0, w = 0 }, period = 6.1 }
    local B = S:continue{ periodic = guess, along = "energy", to = 1 }
    local last = B.points[#B.points]
    assert(segments(last) > 1)
    near(last.period, 4.54833039808216252, 1e-9)
    assert.equal(2, #last.multipliers)
    ratio(last.multipliers[1].re, 404408.668873287488, 1e-8)
    ratio(last.multipliers[2].re, 2.47274620196959201e-6, 1e-8)
  end)

  it("doubles periods beside a saddle: the flips of an oscillator in two wells", function()
    local S = hm.system "Duffing and a saddle"
    local x, z = S:coordinates "x z"
    local g = S:parameters "g=1/4"
    local drive = cos(hm.rational(6, 5)*hm.t)
    S:kinetic_energy((x.dot^2 + z.dot^2)/2)
    S:potential_energy(x^4/4 - x^2/2 - 2*z^2)
    S:force(x, -hm.rational(3, 10)*x.dot + g*drive)
    S:force(z, drive)
    local guess = { q = { x = 0.44, z = -1/5.44 }, v = { x = 0.34, z = 0 }, period = 2*math.pi/1.2 }
    local B = S:continue{ periodic = guess, along = "g", from = 0.25, to = 0.3, largest = 0.01 }
    local flips = { 0.26558178606, 0.28669315782, 0.29108990877 }
    for i, wanted in ipairs(flips) do
      assert.equal("flip", B.special[1].kind)
      near(B.special[1].value, wanted, 1e-9)
      for _, point in ipairs(B.points) do
        ratio(point.multipliers[1].re, math.exp(2*point.period), 1e-9)
        ratio(point.multipliers[4].re, math.exp(-2*point.period), 1e-9)
      end
      if i < #flips then B = B:switch(B.special[1], { largest = 0.01/4^i, to = i == 2 and 0.292 or nil }) end
    end
  end)

  -- z'' = s^2 z + cos(w t) swings with the amplitude 1/(s^2 + w^2); a run over the period would leave it by far
  it("measures the motion from segment to segment", function()
    local S = hm.system "saddle"
    local z = S:coordinates "z"
    local s = S:parameters "s=1/2"
    S:kinetic_energy(z.dot^2/2)
    S:force(z, s^2*z + cos(hm.t))
    local keep = { top = hm.highest(z), least = hm.lowest(z), square = hm.mean(z^2), roots = hm.count(z, 1), first = hm.first(z, 1), speed = hm.at(z.dot, z, 1),
                   "max z" }
    local B = S:continue{ periodic = { q = { z = -0.8 }, v = { z = 0 }, period = 2*math.pi }, along = "s", to = 6, keep = keep }
    assert(segments(B.points[#B.points]) > 3)
    for _, point in ipairs(B.points) do
      local a = 1/(1 + point.parameters.s^2)
      near(point.top, a, 1e-10)
      near(point["max z"], a, 1e-10)
      near(point.least, -a, 1e-10)
      near(point.square, a^2/2, 1e-9)
      assert.equal(1, point.roots)
      near(point.first, math.pi/2, 1e-8)
      near(point.speed, a, 1e-9)
    end
  end)

  it("goes on from a file", function()
    local S = inverted()
    local B = upright(S, 3)
    local path = os.tmpname() .. ".branch"
    B:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    local one, other = B.points[#B.points], again.points[#again.points]
    assert.equal(segments(one), segments(other))
    local C = S:continue{ periodic = other, along = "k", from = 3, to = 3.5 }
    ratio(C.points[1].multipliers[1].re, AT_3.large, 1e-8)
    assert(#C.points > 3)
  end)

  -- arbiter: the same motion in an angle
  it("keeps constraints at all nodes", function()
    local function driven(S, coordinate, force)
      S:force(coordinate, force)
      return S
    end
    local A = hm.system "angle"
    local a = A:coordinates "a"
    local g, l = A:parameters "g=1/4 l=1"
    A:kinetic_energy(l^2*a.dot^2/2)
    A:potential_energy(g*l*cos(a))
    driven(A, a, l*cos(a)*cos(hm.t))
    local R = hm.system "rod"
    local x, y = R:coordinates "x y"
    g, l = R:parameters "g=1/4 l=1"
    R:kinetic_energy((x.dot^2 + y.dot^2)/2)
    R:potential_energy(g*y)
    R:constraint("rod", x^2 + y^2 - l^2)
    driven(R, x, cos(hm.t))
    local function last(B) return B.points[#B.points] end
    -- from guesses farther from it Newton's method comes to other motions
    local B = A:continue{ periodic = { q = { a = -0.7 }, v = { a = 0 }, period = 2*math.pi }, along = "g", to = 9 }
    local first, one = B.points[1], last(B)
    local at = first.q.a
    local guess = { q = { x = math.sin(at), y = math.cos(at) }, v = { x = math.cos(at)*first.v.a }, period = 2*math.pi }
    local other = last(R:continue{ periodic = guess, along = "g", to = 9, form = "lagrange" })
    -- shorter rods are more unstable
    one = last(A:continue{ periodic = one, along = "l", from = 0.8, to = 1 })
    other = last(R:continue{ periodic = other, along = "l", from = 0.8, to = 1, form = "lagrange" })
    near(one.parameters.l, 0.8, 1e-12)
    assert(segments(one) > 1 and segments(other) > 1 and one.multipliers[1].re > 1e8)
    near(other.q.x, 0.8*math.sin(one.q.a), 1e-11)
    for k = 1, 2 do ratio(other.multipliers[k].re, one.multipliers[k].re, 1e-9) end
  end)
end)
