-- branch points of periodic motions, where rounding moves Newton's method along the other branch: they are located from both sides
local hm, check = require "hamel", require "check"
local near = check.near

-- Points where a motion loses its symmetry. Arbiter: z(T/2) = -z(0) and its variational equation with scipy's DOP853 (rtol 3e-14), whose equations are
-- regular there; the root in g of det(N^2 - 1), N the map of half a period, by brentq.
local DUFFING, PENDULUM = 2.71579848322147, 1.00431947742647

local function duffing()
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  local g = S:parameters "g=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/4)
  S:force(x, -x.dot/5 + g*hm.cos(hm.t))
  return S, { q = { x = 1 }, v = { x = 0 }, period = 2*hm.pi }
end

local function pendulum()
  local S = hm.system "pendulum"
  local x = S:coordinates "x"
  local g = S:parameters "g=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(-hm.cos(x))
  S:force(x, -x.dot/2 + g*hm.cos(hm.rational(2, 3)*hm.t))
  return S, { q = { x = 0.5 }, v = { x = 0 }, period = 3*hm.pi }
end

-- The first special point is the branch point at `wanted`; the motions are stable up to there
local function demand_pitchfork(B, wanted)
  local first = B.special[1]
  assert(first.kind == "branch" and not first.doubtful and not first.accuracy, tostring(B))
  near(first.value, wanted, 1e-9)
  local one = 0
  for _, m in ipairs(first.point.multipliers) do one = math.max(one, m.re) end
  near(one, 1, 1e-8)
  assert(tostring(B):find(("stable for g in (%.6g, %.6g)\n"):format(B.points[1].value, wanted), 1, true), tostring(B))
  for i, point in ipairs(B.points) do
    if i <= first.after then assert(point.stable and point.value < wanted) end
  end
  local after = B.points[first.after + 1]
  assert(after.stable == false and after.value > wanted)
end

describe("a branch point of periodic motions", function()
  it("does not depend on the steps or on the ends: a driven Duffing oscillator", function()
    local given = { { to = 12 }, { to = 3.5 }, { to = 3.5, largest = 0.1 }, { to = 3.5, largest = 0.02 }, { to = 2.75, largest = 0.5 },
      { to = 4, largest = 1 } }
    for _, o in ipairs(given) do
      local S, guess = duffing()
      demand_pitchfork(S:continue{ periodic = guess, along = "g", from = 1, to = o.to, largest = o.largest }, DUFFING)
    end
  end)

  it("does not depend on the steps: a driven pendulum", function()
    for _, largest in ipairs{ 0.035, 0.02, 0.01 } do
      local S, guess = pendulum()
      demand_pitchfork(S:continue{ periodic = guess, along = "g", to = 1.05, largest = largest }, PENDULUM)
    end
  end)

  it("is where the motions without the symmetry are born, on both sides alike", function()
    local S, guess = duffing()
    local B = S:continue{ periodic = guess, along = "g", from = 1, to = 3 }
    local C = B:switch(B.special[1])
    near(C.born.value, DUFFING, 1e-9)
    assert(C.born.side == "unstable", tostring(C))
    for _, point in ipairs(C.points) do assert(point.value > DUFFING - 1e-9, point.value) end
  end)

  it("says how well it is known where the runs are coarse", function()
    local S, guess = duffing()
    for _, tolerance in ipairs{ 1e-6, 1e-8 } do
      local B = S:continue{ periodic = guess, along = "g", from = 1, to = 3.5, rtol = tolerance, atol = tolerance, tolerance = tolerance }
      local first = B.special[1]
      assert(first.kind == "branch" and first.accuracy < 10*tolerance, tostring(B))
      near(first.value, DUFFING, first.accuracy)
      assert(tostring(B):find("known to ", 1, true))
    end
  end)

  it("keeps its place and its accuracy in a file", function()
    local S, guess = duffing()
    local B = S:continue{ periodic = guess, along = "g", from = 1, to = 3 }
    B.special[1].accuracy = 2.5e-7
    assert(tostring(B):find("known to 2e-07", 1, true), tostring(B))
    local function printed(value, accuracy)
      B.special[1].value, B.special[1].accuracy = value, accuracy
      return (tostring(B):match "branch +g = (%S+)")
    end
    local kept = B.special[1].value
    -- no digit beyond what a place is known to
    for _, case in ipairs{ { 30581038.76, 9, "30581039" }, { 30581038.76, 9.7, "3.058104e+07" }, { 2.123456789123, 2.5e-7, "2.1234568" },
      { -0.00123456, 3e-5, "-0.00123" }, { 2e-9, 1e-7, "0" }, { 0.7e-7, 1e-7, "1e-07" }, { 2.123456789123, 1e-14, "2.123456789" },
      { 2.123456789123, nil, "2.123456789" } } do
      assert.equal(case[3], printed(case[1], case[2]))
    end
    B.special[1].value, B.special[1].accuracy = kept, 2.5e-7
    local path = os.tmpname() .. ".branch"
    B:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    near(again.special[1].value, DUFFING, 1e-9)
    assert(again.special[1].accuracy == 2.5e-7)
  end)
end)

-- The branch that leaves a pitchfork comes in and goes out over the same values
describe("a branch whose parameter turns back", function()
  it("has spans that end where it turns", function()
    local S = hm.system "hoop"
    local a = S:coordinates "a"
    local w = S:parameters "w=1"
    S:kinetic_energy((a.dot^2 + w^2*hm.sin(a)^2)/2)
    S:potential_energy(-hm.cos(a))
    local B = S:continue{ equilibrium = { q = { a = 0 } }, along = "w", from = 0, to = 3 }
    local from, to = tostring(B:switch(B.special[1])):match "not decided for w in %(3, (%S+)%) and %((%S+), 3%)\n"
    assert(from and from == to, tostring(B:switch(B.special[1])))
    check.near(tonumber(from), 1, 1e-3)
  end)
end)

-- x'' = m x - x^3 - x': at m = 0 the branch x = 0 meets x^2 = m
describe("a branch that starts exactly at a pitchfork", function()
  local function bead()
    local S = hm.system "bead"
    local x = S:coordinates "x"
    local m = S:parameters "m=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, m*x - x^3 - x.dot)
    return S
  end

  local function begun(given)
    given.equilibrium, given.along, given.points = { q = { x = 0 } }, "m", 60
    return bead():continue(given)
  end

  it("has the branch point on it, from which the other branch starts, also where one end is given", function()
    for _, given in ipairs{ { to = 1 }, { from = -1 }, { from = -1, to = 1 }, { to = 1, both = true }, { to = 0.001 }, { to = 1, largest = 0.1 } } do
      local edge = given.to or given.from
      local B = begun(given)
      assert(#B.special == 1 and B.special[1].kind == "branch" and not B.special[1].doubtful, tostring(B))
      near(B.special[1].value, 0, 1e-10)
      local last = given.both and B.points[#B.points] or math.abs(B.points[1].value - edge) < 1e-9 and B.points[1] or B.points[#B.points]
      near(last.value, edge, 1e-9)
      assert(tostring(B):find("B:switch(special) follows the others", 1, true), tostring(B))
      local C = B:switch(B.special[1], { from = -1, to = 1, points = 20 })
      for _, point in ipairs(C.points) do near(point.q.x^2, point.value, 1e-8) end
      assert(#C.points > 10)
    end
  end)

  -- rounding decides whether the point is on the branch
  it("has the branch point, or says what to do, where it is an end", function()
    local B = begun{ from = 0, to = 1 }
    if #B.special == 1 then near(B.special[1].value, 0, 1e-10)
    else assert(tostring(B):find("with an end on each side of it, from < 0 < to", 1, true), tostring(B)) end
    assert(tostring(B):find("\n  unstable for m in (0, 1)\n", 1, true), tostring(B))
    assert(not tostring(B):find("\n  stable for", 1, true), tostring(B))
    assert.equal(1, #begun{ from = -0.1, to = 1 }.special)
  end)
end)
