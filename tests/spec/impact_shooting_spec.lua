-- multiple shooting of motions with impacts: arcs within long flights, multipliers of very different sizes, starts from states along the motion
local hm, branches, check = require "hamel", require "branches", require "check"
local products = require "hamel.continuation.products"
local near, first = check.near, branches.first

local function sinh(x) return (math.exp(x) - math.exp(-x))/2 end
local function cosh(x) return (math.exp(x) + math.exp(-x))/2 end
local function tanh(x) return sinh(x)/cosh(x) end

-- Multipliers by size, largest first
local function sorted(list)
  local sizes = {}
  for i, m in ipairs(list) do sizes[i] = m.im == 0 and m.re or math.sqrt(m.re^2 + m.im^2) end
  table.sort(sizes, function(a, b) return math.abs(a) > math.abs(b) end)
  return sizes
end

-- x'' = k^2 x - (k^2 + 1) P cos t, x <= 1, e = 4/5: x = P cos t + a exp(k s) + b exp(-k s) between impacts; with p = 1 - P cos t at the impact
-- P sin t = -k p tanh(k pi)/9
local function hill(name)
  local S = hm.system(name)
  local x = S:coordinates "x"
  local k, P = S:parameters "k=1 P=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(-k^2*x^2/2)
  S:force(x, -(k^2 + 1)*P*hm.cos(hm.t))
  S:unilateral("wall", 1 - x, { law = hm.newton(0.8) })
  return S
end

local function start(k, p)
  local s = -k*p*tanh(k*math.pi)/9
  return { q = { x = 1 }, v = { x = -0.8*2*k*p*tanh(k*math.pi)/1.8 }, t = math.atan(s, 1 - p), period = 2*math.pi,
           parameters = { k = k, P = math.sqrt((1 - p)^2 + s^2) } }
end

local function arcs(point) return 1 + #(point.segments or {}) end

describe("eigenvalues of products of matrices through several spaces", function()
  it("are those from the smallest space on, the others are zero", function()
    -- from the plane to a line and back, and over a space
    local line = products.eigenvalues{ { { 2, 1 } }, { { 3 }, { 4 } } }
    near(sorted(line)[1], 10, 1e-14)
    near(sorted(line)[2], 0, 1e-300)
    local space = products.eigenvalues{ { { 1e8, 0 }, { 0, 1e-8 }, { 1, 1 } }, { { 1, 0, 0 }, { 0, 1, 0 } } }
    near(sorted(space)[1]/1e8, 1, 1e-14)
    near(sorted(space)[2]/1e-8, 1, 1e-14)
    for _, m in ipairs(products.eigenvalues{ {}, { {}, {} } }) do near(m.re, 0, 1e-300) end
  end)
end)

describe("a motion with impacts on a hill", function()
  -- by the saltation matrix: the trace from the acceleration a at the impact, the determinant e^2
  local function wanted(k, t, u, P)
    local a = k^2 - (k^2 + 1)*P*math.cos(t)
    local trace = -1.6*cosh(2*math.pi*k) + 1.8*a/u*sinh(2*math.pi*k)/k
    local large = (trace + (trace > 0 and 1 or -1)*math.sqrt(trace^2 - 4*0.64))/2
    return large, 0.64/large
  end

  it("is followed to multipliers of 3e11 and 2e-12, in arcs; also from a point of a file", function()
    local S = hill "hill beside a wall"
    -- p at P = 1/2 and k = 1: (1 - p)^2 + (p tanh(pi)/9)^2 = 1/4
    local square = 1 + (tanh(math.pi)/9)^2
    local guess = start(1, (1 - math.sqrt(1 - 0.75*square))/square)
    near(guess.parameters.P, 0.5, 1e-14)
    local B = S:continue{ periodic = guess, along = "k", to = 5 }
    assert(arcs(B.points[1]) == 1 and arcs(B.points[#B.points]) >= 4 and B.ended[1] == "k reaches 5")
    for _, point in ipairs(B.points) do
      local k, t, u = point.value, point.t, point.impacts[1].velocity
      local p = 1 - math.cos(t)/2
      near(math.sin(t)/2, -k*p*tanh(k*math.pi)/9, 1e-9)
      near(u, 2*k*p*tanh(k*math.pi)/1.8, 1e-9)
      local large, small = wanted(k, t, u, 0.5)
      near(sorted(point.multipliers)[1]/large, 1, 1e-7)
      near(sorted(point.multipliers)[2]/small, 1, 1e-7)
      assert(point.admissible and not point.stable)
    end
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local points = hm.load(file, S).points
    os.remove(file)
    local again = S:continue{ periodic = points[#points], along = "k", to = 5.2, points = 3 }
    near(again.points[1].q.x, 1, 1e-9)
    near(again.points[1].impacts[1].velocity, points[#points].impacts[1].velocity, 1e-9)
    assert(#again.points == 4 and arcs(again.points[1]) >= 4)
  end)

  it("has fold and flip in closed form, where the multipliers go from 1e6 to -1e6 in a thousandth of the branch", function()
    local k, e = 2, 0.8
    local S = hill "hill beside a wall"
    local B = S:continue{ periodic = start(k, 0.93), along = "P", from = 0.1, to = 0.6 }
    local C, kappa = (1 + e)^2/2*sinh(2*math.pi*k)/(k^2*tanh(math.pi*k)), k*tanh(math.pi*k)/9
    for kind, p in pairs{ fold = 1/(1 + kappa^2), flip = 1/(k^2 + 1 - (2*e*cosh(2*math.pi*k) - 1 - e^2)/C) } do
      local special = first(B, kind)
      near(special.value, math.sqrt((1 - p)^2 + kappa^2*p^2), 1e-10, kind)
      near(special.point.impacts[1].velocity, 2*k*p*tanh(k*math.pi)/1.8, 1e-6, kind)
    end
  end)
end)

-- A ball on a table beside a rod that stands on its end: z'' = k^2 z has the multipliers exp(+- k T) whatever the ball does
local function ball_and_rod(k)
  local S = hm.system "ball and rod"
  local h, z = S:coordinates "h z"
  local A = S:parameters "A=13/10"
  S:kinetic_energy((h.dot^2 + z.dot^2)/2)
  S:potential_energy(h - hm.rational(k^2)*z^2/2)
  S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(0.5) })
  local phase = math.acos(math.pi/3/1.3)
  return S, { q = { h = 1.3*math.sin(phase), z = 0 }, v = { h = math.pi, z = 0 }, t = phase, period = 2*math.pi }
end

describe("flips of a motion in arcs", function()
  it("are where they are without the unstable direction, and lead to motions of twice the period", function()
    local S, guess = ball_and_rod(4)
    local B = S:continue{ periodic = guess, along = "A", from = 1, to = 1.6 }
    near(first(B, "fold").value, math.pi/3, 1e-10)
    local flip = first(B, "flip")
    near(flip.value, math.sqrt(math.pi^2/9 + (10/9)^2), 1e-10)
    local sizes = sorted(flip.point.multipliers)
    near(sizes[1]/math.exp(8*math.pi), 1, 1e-9)
    near(sizes[2], -1, 1e-8)
    near(sizes[3], -0.25, 1e-8)
    near(sizes[4]*math.exp(8*math.pi), 1, 1e-9)
    local D = B:switch(flip, { to = 1.5468, largest = 0.05 })
    local last = D.points[#D.points]
    near(last.value, 1.5468, 1e-12)
    assert(#last.sequence == 2 and arcs(last) > 6)
    near(math.min(last.sequence[1].duration, last.sequence[2].duration)/(2*math.pi), 0.933, 6e-4)
    near(sorted(last.multipliers)[1]/math.exp(16*math.pi), 1, 1e-9)
    near(sorted(last.multipliers)[4]*math.exp(16*math.pi), 1, 1e-9)
  end)
end)

-- Beside the contact a rod stands on its end, z'' = 9 z, so that all flights and contacts are cut; what the contact does has a closed form
describe("stick and slip in arcs", function()
  it("on a belt: period in closed form, the same start along the branch, points of a file are starts", function()
    local S = hm.system "block on a belt, and a rod"
    local r, z = S:coordinates "r z"
    local V = S:parameters "V=1/5"
    S:kinetic_energy((r.dot^2 + z.dot^2)/2)
    S:potential_energy(r^2/2 - 9*z^2/2)
    S:friction("belt", { slip = r.dot - V, normal = 1, coefficient = 0.3, static = 0.5 })
    local guess = { q = { r = 0.3, z = 0 }, v = { r = 0.2, z = 0 }, period = 1.5*math.pi + 2 }
    local B = S:continue{ periodic = guess, along = "V", from = 0.15, to = 0.25 }
    for _, point in ipairs(B.points) do
      local T = 2*math.pi - 2*math.atan(0.2/point.value) + 0.4/point.value
      near(point.period, T, 1e-10)
      local sizes = sorted(point.multipliers)
      near(sizes[1]/math.exp(3*T), 1, 1e-9)
      near(math.abs(sizes[2]*math.exp(3*T)), 1, 1e-9)
      near(point.t, B.points[1].t, 1e-14)
      assert(arcs(point) >= 3)
    end
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local point = hm.load(file, S).points[4]
    os.remove(file)
    local again = S:continue{ periodic = point, along = "V", from = 0.15, to = 0.25, points = 1 }
    near(again.points[2].period, point.period, 1e-10)
  end)

  -- a ball that does not bounce leaves the table A sin t where A sin t = 1
  it("on a moving table: the ball leaves and lands in closed form", function()
    local S = hm.system "plastic ball on a table, and a rod"
    local h, z = S:coordinates "h z"
    local A = S:parameters "A=2"
    S:kinetic_energy((h.dot^2 + z.dot^2)/2)
    S:potential_energy(h - 9*z^2/2)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.plastic() })
    local left = math.asin(0.5)
    local guess = { q = { h = 1, z = 0 }, v = { h = 2*math.cos(left) + 1e-9, z = 0 }, t = left, period = 2*math.pi }
    local B = S:continue{ periodic = guess, along = "A", from = 1.5, to = 2.5, largest = 0.1 }
    for _, point in ipairs(B.points) do
      local A1, begin = point.value, math.asin(1/point.value)
      local flight = point.sequence[point.sequence[1].kind == "impact" and 1 or 2].duration
      near(1 + A1*math.cos(begin)*flight - flight^2/2, A1*math.sin(begin + flight), 1e-9)
      local sizes = sorted(point.multipliers)
      near(sizes[1]/math.exp(6*math.pi), 1, 1e-9)
      near(sizes[2]*math.exp(6*math.pi), 1, 1e-9)
      assert(point.admissible and arcs(point) >= 3)
    end
  end)
end)
