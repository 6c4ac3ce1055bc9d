-- Multipliers of periodic motions that pass the unit circle near to each other, within one step of a branch.
-- Arbiter: beside a forced oscillation, a limit cycle or a ball that bounces on a table two coordinates u obey u'' + C u' + K u = 0 with constant matrices,
-- linear in the parameter p, also where they are seen from a frame that turns by half a turn in each period. So branch points (in the turning frame flips) are
-- the roots of det K, a quadratic polynomial, and torus points the zeros of the determinant of Hurwitz, by halving between two values of p.
local hm, check = require "hamel", require "check"
local near = check.near

local function at(c, p) return c[1] + (c[2] or 0)*p end

-- K and C by rows; each entry { value at 0, slope }; torus: values of p near those of torus points
local CASES = {
  ["of a limit cycle, two branch points and a torus point"] = { cycle = true,
    K = { { 0.0049862120886459927, 0.014043821400652894 }, { 0.3253913001070079 }, { -2.3533416955077096e-13 }, { 8.3474077792573436, 23.511027932130823 } },
    C = { { 6.1566435339298682 }, { 0 }, { 0 }, { 0.37295807106853657 } }, torus = { -0.35504222984784845 } },
  ["of a fast forced oscillation, two flips and a torus point"] = { rate = 14, turning = true,
    K = { { 0.02778959573381605, -0.17451100748184284 }, { 0.82848214554685373 }, { -7.1699038485705359e-08 }, { -0.036266560161416918, 0.22642111366194889 } },
    C = { { 6.5856798501239 }, { 4.2238334136495164 }, { 0 }, { 0.44148891583863031 } }, torus = { 0.16022362439018961 } },
  ["of a forced oscillation, two flips and a torus point"] = { turning = true,
    K = { { 1.1244172841614239, 3.8050373254298613 }, { 1 }, { -5.9629486646870196e-10 }, { -0.059651309057854068, -0.20196015330764944 } },
    C = { { 2.8175750353268407 }, { 0 }, { 0 }, { 4.6405623503076185 } }, torus = { -0.2955124114720027 } },
  ["of a slower one, in another order"] = { rate = 4, turning = true,
    K = { { 0.15985956742803797, 2.4574721336479803 }, { 1.6727842521483138 }, { -1.1831636016230553e-10 }, { 0.013906295305988508, 0.21407324361576979 } },
    C = { { 0.53231063972760706 }, { 0 }, { 0 }, { 2.6661452060914663 } }, torus = { -0.06504887121312239 } },
  ["of a limit cycle, a torus point between two branch points, all within one step"] = { cycle = true,
    K = { { -6.5999531176809745, -13.824684408192265 }, { 2.6687259914891315 }, { -0.0092853712350715947 }, { 21.335921009253855, 44.991494629604652 } },
    C = { { 0.47041256445469065 }, { 0.42025712177724334 }, { 0 }, { 0.55924195650802688 } }, torus = { -0.47049277882607 } },
}

local function polynomial(c, p)
  local sum = 0
  for i, value in ipairs(c) do sum = sum + hm.number(("%.17g"):format(value))*p^(i - 1) end
  return sum
end

-- R^T M R of a rotation R whose double angle has the cosine c and the sine s
local function seen_from_frame(M, c, s)
  local mean, half, even, odd = (M[1] + M[4])/2, (M[1] - M[4])/2, (M[2] + M[3])/2, (M[2] - M[3])/2
  return { mean + half*c + even*s, even*c - half*s + odd, even*c - half*s - odd, mean - half*c - even*s }
end

local function branch_of(case)
  local S, W = hm.system "two beside a motion", case.rate or 1
  local x, y, z = S:coordinates "x y z"
  local p = S:parameters "p=-1"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  local c, s
  if case.cycle then
    S:force(z, -W^2*z - (z^2 + (z.dot/W)^2 - 1)*z.dot)
    c, s = z, -z.dot/W
  elseif case.ball then
    -- one impact in each period, at the phase where 1.3 cos(phase) = pi/3, with the velocity pi behind it
    S:force(z, -W^2)
    S:unilateral("table", z - hm.number "1.3"*hm.sin(W*hm.t), { law = hm.newton(0.5) })
    c, s = hm.cos(W*hm.t), hm.sin(W*hm.t)
  else
    S:force(z, W*hm.cos(W*hm.t) - z.dot - W^2*z)
    c, s = hm.cos(W*hm.t), hm.sin(W*hm.t)
  end
  local K, C = {}, {}
  for i = 1, 4 do K[i], C[i] = polynomial(case.K[i], p), polynomial(case.C[i], p) end
  local h = case.turning and hm.rational(W, 2) or 0
  if case.turning then K, C = seen_from_frame(K, c, s), seen_from_frame(C, c, s) end
  -- u = R q, so that R^T u' = q' + h J q and R^T u'' = q'' + 2 h J q' - h^2 q with J (x, y) = (-y, x)
  local u, v = x.dot - h*y, y.dot + h*x
  S:force(x, 2*h*y.dot + h^2*x - C[1]*u - C[2]*v - K[1]*x - K[2]*y - x^3)
  S:force(y, -2*h*x.dot + h^2*y - C[3]*u - C[4]*v - K[3]*x - K[4]*y - y^3)
  local start = { parameters = { p = -1 } }
  local phase = math.acos(math.pi/3/1.3)
  if case.ball then
    start.q, start.v, start.period = { x = 0, y = 0, z = 1.3*math.sin(phase) }, { x = 0, y = 0, z = math.pi*W }, 2*math.pi/W
    start.t = phase/W
  elseif case.cycle then start.q, start.v, start.period = { x = 0, y = 0, z = 1 }, { x = 0, y = 0, z = 0 }, 2*math.pi/W
  else start.q, start.v, start.period = { x = 0, y = 0, z = 0 }, { x = 0, y = 0, z = 1 }, 2*hm.pi/W end
  return S:continue{ periodic = start, along = "p", from = -1, to = 1 }
end

local function roots_of_determinant(K)
  local a = at(K[1], 1) - at(K[1], 0)
  local d = at(K[4], 1) - at(K[4], 0)
  -- (k1 + a p)(k4 + d p) = k2 k3: from the middle of the two zeros on the left
  local one, other = -K[1][1]/a, -K[4][1]/d
  local middle, half = (one + other)/2, math.sqrt((one - other)^2/4 + K[2][1]*K[3][1]/(a*d))
  return middle - half, middle + half
end

local function hurwitz(case, p)
  local K, C = {}, {}
  for i = 1, 4 do K[i], C[i] = at(case.K[i], p), at(case.C[i], p) end
  local a1, a2 = C[1] + C[4], K[1] + K[4] + C[1]*C[4] - C[2]*C[3]
  local a3, a4 = C[1]*K[4] + C[4]*K[1] - C[2]*K[3] - C[3]*K[2], K[1]*K[4] - K[2]*K[3]
  return a1*a2*a3 - a3^2 - a1^2*a4
end

local function torus_near(case, p)
  local low, high = p - 1e-8, p + 1e-8
  local rising = hurwitz(case, high) > 0
  assert((hurwitz(case, low) > 0) ~= rising)
  for _ = 1, 40 do
    local middle = (low + high)/2
    if (hurwitz(case, middle) > 0) == rising then high = middle else low = middle end
  end
  return (low + high)/2
end

local function demand(case)
  local B = branch_of(case)
  local first, second = roots_of_determinant(case.K)
  local list = { { kind = case.turning and "flip" or "branch", value = first }, { kind = case.turning and "flip" or "branch", value = second } }
  for _, p in ipairs(case.torus) do list[#list + 1] = { kind = "torus", value = torus_near(case, p) } end
  table.sort(list, function(one, other) return one.value < other.value end)
  assert.equal(#list, #B.special, tostring(B))
  for i, special in ipairs(B.special) do
    assert.equal(list[i].kind, special.kind)
    assert.falsy(special.doubtful)
    near(special.value, list[i].value, math.max(1e-9, special.accuracy or 0), special.kind)
    assert.truthy((special.accuracy or 0) < 1e-4, tostring(B))
  end
end

describe("multipliers that pass the unit circle near to each other", function()
  for name, case in pairs(CASES) do
    it("are told apart, each at its place: " .. name, function() demand(case) end)
  end
end)

describe("multipliers along a motion whose errors are large beside what tells them apart", function()
  -- one coordinate drives the other 400 times as strongly as it is driven: multipliers change by the root of errors of runs
  it("keep their kind, and places are as exact as is said", function()
    local case = { K = { { 1.0235688869286699 }, { 407.6277860468125 }, { 1.5000140721740222e-09 }, { 1.0152180301210949 } },
      C = { { -0.0035519503829481124, -0.32545339957931996 }, { 0 }, { 0 }, { -0.0026680407613755962, -0.39057377445493691 } } }
    local B = branch_of(case)
    assert.equal(2, #B.special, tostring(B))
    for i, p in ipairs{ -0.010873475137222635, -0.006859497115412966 } do
      assert.equal("torus", B.special[i].kind)
      near(B.special[i].value, torus_near(case, p), math.max(1e-8, B.special[i].accuracy or 0))
    end
  end)

  local FLIPS = {
    ["beside another multiplier"] = { cycle = true, rate = 37, turning = true,
      K = { { -0.0071304970463376242, -0.02038113219879626 }, { 34.55570047771711 }, { -1.875379493764223e-08 },
        { 0.023874532332214083, 0.10345596843421631 } },
      C = { { 7.329118242846393 }, { 0.65798000241499099 }, { 0 }, { 1.0651751673953387 } } },
    -- the multiplier that passes is the less steep one there, though it is the steeper one farther away
    ["where the steeper multiplier is the less steep one beside the place"] = { cycle = true, rate = 16, turning = true,
      K = { { 5.9828101195275316, -11.267561961942707 }, { 2.4285098627955213 }, { 6.866072096714543e-14 },
        { 0.0065867460878598566, -0.012404927130457261 } },
      C = { { 1.4834530860292072 }, { 0.3046218749634535 }, { 0 }, { 2.0721035800455323 } } },
  }
  for name, case in pairs(FLIPS) do
    it("have places with an accuracy that holds: " .. name, function()
      local B = branch_of(case)
      assert.equal(2, #B.special, tostring(B))
      local roots = { roots_of_determinant(case.K) }
      for i, special in ipairs(B.special) do
        assert.equal("flip", special.kind)
        assert.truthy(special.accuracy and special.accuracy < 1e-3, tostring(B))
        near(special.value, roots[i], special.accuracy)
      end
    end)
  end

  it("are several at one place, with an accuracy that takes in all of them, where they are not told apart", function()
    local case = { cycle = true, rate = 27, turning = true,
      K = { { -0.018449484802164781, -0.56404258398822793 }, { 12.958946373818167 }, { 4.1821201779178285e-14 },
        { 0.010322052001259989, 0.31578113238631628 } },
      C = { { 1.2198552886853136 }, { 1.344991972087985 }, { 0 }, { -0.057283436042608195, -0.33043216937040709 } } }
    local B = branch_of(case)
    assert.truthy(#B.special == 2 or #B.special == 1 and B.special[1].several == 2, tostring(B))
    for i, root in ipairs{ roots_of_determinant(case.K) } do
      local special = B.special[i] or B.special[1]
      assert.equal("flip", special.kind)
      assert.truthy((special.accuracy or 0) < 1e-3, tostring(B))
      near(special.value, root, math.max(1e-9, special.accuracy or 0))
    end
  end)
end)

describe("multipliers beside a motion with impacts", function()
  -- in a frame that turns the runs are less exact than what tells the flips apart
  local CASES_OF_IMPACTS = {
    { rate = 14, K = { { -0.00011572, -0.023406 }, { 3.39656 }, { -1.91701e-09 }, { 7.11471e-05, 0.0143904 } },
      C = { { 4.3056 }, { 2.3464 }, { 0 }, { 1.7695 } } },
    { rate = 14, K = { { -0.327726, -0.662444 }, { 17.8333 }, { -1.44124e-10 }, { 7.19214, 14.5377 } },
      C = { { 3.8782 }, { 2.8816 }, { 0 }, { 1.3358 } } },
    { rate = 4, K = { { -0.169364, -2.03552 }, { 0.44139 }, { -3.34102e-12 }, { 0.00305917, 0.036767 } },
      C = { { 2.4377 }, { 1.6997 }, { 0 }, { 3.8770 } } },
  }

  it("pass -1 at places with an accuracy that holds", function()
    for _, case in ipairs(CASES_OF_IMPACTS) do
      case.ball, case.turning = true, true
      local B = branch_of(case)
      local flips = {}
      for _, special in ipairs(B.special) do if special.kind == "flip" then flips[#flips + 1] = special end end
      assert.equal(2, #flips, tostring(B))
      for i, root in ipairs{ roots_of_determinant(case.K) } do
        assert.falsy(flips[i].doubtful)
        assert.truthy((flips[i].accuracy or 0) < 1e-3, tostring(B))
        near(flips[i].value, root, math.max(1e-9, flips[i].accuracy or 0))
      end
    end
  end)
end)
