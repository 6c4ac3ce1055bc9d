-- Special points of branches along which masses grow by twelve orders of magnitude: a chain that a spring pushes off the vertical. Arbiter: with the stiffness
-- diag(g m_i) - K (1 1 1)^T (1 1 1), m_i the mass below link i, it is upright where K (1/(g m_1) + 1/(g m_2) + 1/(g m_3)) = 1.
local core = require "hamel.core"
local hm = require "hamel"
local check = require "check"

local g = hm.number "9.81"

local function critical(K)
  local low, high = 1e-3, 1e16
  for _ = 1, 200 do
    local m = math.sqrt(low*high)
    if K*(1/(9.81*(m + 2)) + 1/(9.81*(m + 1)) + 1/(9.81*m)) > 1 then low = m else high = m end
  end
  return low
end

-- By angles; damping: of each; turning: beside a coordinate on which nothing depends
local function by_angles(K, damping, turning)
  local S = hm.system "chain"
  local M = S:parameters "M=1"
  local q, vx, vy, x, y, T, V = {}, 0, 0, 0, 0, 0, 0
  for i, a in ipairs{ S:coordinates(turning and "q1 q2 q3 phi" or "q1 q2 q3") } do
    if i <= 3 then
      local m = i == 3 and M or 1
      vx, vy, x, y = vx + hm.cos(a)*a.dot, vy + hm.sin(a)*a.dot, x + hm.sin(a), y - hm.cos(a)
      T, V = T + m*(vx^2 + vy^2)/2, V + m*g*y
      if damping then S:force(a, -hm.number(damping)*a.dot) end
    else T = T + a.dot^2/2 end
    q[core.text(a)] = 0
  end
  S:kinetic_energy(T)
  S:potential_energy(V - K*x^2/2)
  return S, q
end

-- By points on rods
local function by_points(K)
  local S = hm.system "points"
  local M = S:parameters "M=1"
  local c, q, T, V = { S:coordinates "x1 y1 x2 y2 x3 y3" }, {}, 0, 0
  for i = 1, 3 do
    local x, y, m = c[2*i - 1], c[2*i], i == 3 and M or 1
    T, V = T + m*(x.dot^2 + y.dot^2)/2, V + m*g*y
    S:constraint("rod" .. i, (x - (c[2*i - 3] or 0))^2 + (y - (c[2*i - 2] or 0))^2 - 1)
    q["x" .. i], q["y" .. i] = 0, -i
  end
  S:kinetic_energy(T)
  S:potential_energy(V - K*c[5]^2/2)
  return S, q
end

local function branch_of(S, q)
  return S:continue{ equilibrium = { q = q, parameters = { M = 1 } }, along = "M", from = 1, to = 1e12, points = 200 }
end

-- One branch point, as near to its place as it says, and no other special points
local function demand_right(B, K)
  local place = critical(K)
  assert.equal(1, #B.special)
  assert.equal("branch", B.special[1].kind)
  assert.is_true(math.abs(B.special[1].value - place) <= (B.special[1].accuracy or 2e-9*place))
  return B.special[1].accuracy
end

-- As in a build without ball arithmetic
local function without_balls(f)
  local own = core.eigen_of_sums
  core.eigen_of_sums = function() error("no ball arithmetic", 0) end
  local fine, why = pcall(f)
  core.eigen_of_sums = own
  if not fine then error(why, 0) end
end

describe("a branch along which masses grow by many orders of magnitude", function()
  it("has its special points where they are, or says how well they are known", function()
    if core.has_arb then demand_right(branch_of(by_angles(1e11)), 1e11) end
    for _, K in ipairs{ 1e6, 1e8 } do
      local accuracy = demand_right(branch_of(by_angles(K)), K)
      -- in doubles alone the place is known less well
      if core.has_arb then assert.is_nil(accuracy) else assert.is_true(accuracy < 1e-6*K) end
    end
    demand_right(branch_of(by_points(1e7)), 1e7)
    local S, q = by_angles(1e6, nil, true)
    demand_right(S:continue{ steady = { q = q, v = { q1 = 0, q2 = 0, q3 = 0, phi = 1 }, keep = { "phi'" }, parameters = { M = 1 } }, along = "M", from = 1,
      to = 1e12, points = 200 }, 1e6)
  end)

  it("has no pair of eigenvalues that passes where a real one meets its partner beside zero", function()
    demand_right(branch_of(by_angles(1e8, "0.1")), 1e8)
    -- rounding of the determinant moves its zero by more than the last step of the search did
    for _, K in ipairs{ 1e7, 1e8 } do demand_right(branch_of(by_angles(K, "1")), K) end
    demand_right(branch_of(by_angles(1e9)), 1e9)
  end)

  it("is refused for what doubles do not decide, not for families that there are not", function()
    local S, q = by_angles(1e9, nil, true)
    check.raises({ "the derivatives at this steady motion span 8.2 orders of magnitude" }, S.continue, S,
      { steady = { q = q, v = { q1 = 0, q2 = 0, q3 = 0, phi = 1 }, keep = { "phi'" }, parameters = { M = 1 } }, along = "M", from = 1, to = 1e12 })
    if core.has_arb then check.raises({ "span so many orders of magnitude" }, branch_of, by_angles(1e18)) end
  end)

  it("has none where the place is beyond the end", function()
    assert.is_true(critical(1e15) > 1e12)
    local function demand()
      local B = branch_of(by_angles(1e15))
      assert.equal(0, #B.special)
      for _, point in ipairs(B.points) do if point.value > 1 then assert.is_false(point.stable) end end
    end
    demand()
    without_balls(demand)
  end)

  it("is so in builds without ball arithmetic", function()
    without_balls(function()
      demand_right(branch_of(by_angles(1e6)), 1e6)
      for _, special in ipairs(branch_of(by_angles(1e11)).special) do assert.is_true(special.doubtful) end
    end)
  end)
end)
