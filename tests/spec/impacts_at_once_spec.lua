-- Branches of motions with impacts at once that do not act on each other: two balls on the table A sin t, g = 1, restitution e, one impact each in 2 pi.
--
-- Impacts are at the phase p with A cos p = pi (1 - e)/(1 + e). A ball alone has multipliers with the sum 1 + e^2 - (1 + e)^2 A sin p and the product e^2. With
-- a spring k between equal balls their distance swings at w = sqrt(2k) between impacts, by which it changes as the place of a ball alone: the sum of its
-- multipliers is (1 + e)^2 (1 - A sin p) sin(2 pi w)/(2 pi w) - 2 e cos(2 pi w).
local hm, branches, check = require "hamel", require "branches", require "check"
local near = check.near

local E, PHASE = 0.5, math.acos(math.pi/3/1.3)

-- o: spring, mass of the second ball, coupling = of the velocities, fixed = the amplitude of the second table, lid = on both balls: a third body that is pulled
-- against them, and on none: against the ground
local function balls(o)
  local S = hm.system "balls"
  local a, b = S:coordinates "a b"
  local A, m = S:parameters "A=1.3", o.mass or 1
  S:kinetic_energy((a.dot^2 + m*b.dot^2)/2 + (o.coupling or 0)*a.dot*b.dot)
  S:potential_energy(a + m*b + (o.spring or 0)*(a - b)^2/2)
  S:unilateral("one", a - A*hm.sin(hm.t), { law = hm.newton(E) })
  S:unilateral("other", b - (o.fixed or A)*hm.sin(hm.t), { law = hm.newton(E) })
  local height = 1.3*math.sin(PHASE)
  local guess = { q = { a = height, b = height }, v = { a = math.pi, b = math.pi }, t = PHASE, period = 2*math.pi }
  if o.lid then
    local c = S:coordinates "c"
    local gap = o.lid == "on both" and c - (a + b)/2 or c
    S:kinetic_energy(S:kinetic_energy() + c.dot^2/2, { replace = true })
    S:potential_energy(S:potential_energy() + 3*gap, { replace = true })
    S:unilateral("lid", gap, { law = hm.newton(0) })
    guess.q.c, guess.v.c = o.lid == "on both" and height or 0, o.lid == "on both" and math.pi or 0
  end
  return S:continue{ periodic = guess, along = "A", from = o.from or 1.2, to = o.to or 1.6 }
end

local function sum_of(multipliers)
  local sum = 0
  for _, m in ipairs(multipliers) do sum = sum + m.re end
  return sum
end

local function sum_of_one(A) return 1 + E^2 - (1 + E)^2*A*math.sin(math.acos(math.pi/3/A)) end

describe("impacts at once that do not act on each other", function()
  it("are followed, whatever the masses: the motions of each ball alone", function()
    for _, mass in ipairs{ 1, 3 } do
      local B = balls{ mass = mass }
      assert.equal(1, #B.special, tostring(B))
      near(branches.first(B, "flip").value, math.sqrt((math.pi/3)^2 + (10/9)^2), 1e-9)
      for _, point in ipairs(B.points) do
        assert(point.admissible)
        near(sum_of(point.multipliers), 2*sum_of_one(point.value), 1e-8)
      end
    end
  end)

  it("are followed where a spring acts between the bodies", function()
    local spring = 0.05
    local T, w = 2*math.pi, math.sqrt(2*spring)
    for _, point in ipairs(balls{ spring = spring }.points) do
      local swing = 1 - point.value*math.sin(math.acos(math.pi/3/point.value))
      local apart = (1 + E)^2*swing*math.sin(T*w)/(T*w) - 2*E*math.cos(T*w)
      near(sum_of(point.multipliers), sum_of_one(point.value) + apart, 1e-8)
    end
  end)

  it("end where they come apart in the other order", function()
    local B = balls{ fixed = 1.3, to = 1.45 }
    assert.equal(0, #B.special, tostring(B))
    near(B.points[1].value, 1.2, 1e-9)
    near(B.points[#B.points].value, 1.3, 1e-8)
    assert(B.ended[2]:find("come apart in the other order", 1, true), B.ended[2])
  end)

  it("and those that act on each other are refused", function()
    check.raises({ "'other' and 'one' change at once" }, balls, { coupling = hm.rational(1, 10) })
  end)

  it("and those between which a closed contact acts, too; one beside them changes nothing", function()
    check.raises({ "'one' and 'other' change at once" }, balls, { lid = "on both" })
    near(branches.first(balls{ lid = "on none" }, "flip").value, math.sqrt((math.pi/3)^2 + (10/9)^2), 1e-8)
  end)
end)
