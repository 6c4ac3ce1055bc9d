-- branch_pair_meetings_spec.lua: pairs of multipliers of conservative systems that leave the unit circle and come back within one step of a branch.
-- Arbiter: the roots of a polynomial. For x'' = 2 g y' - (q - g^2) x, y'' = -2 g x' - (q - g^2) y the complex number x + i y has the rates
-- -i g +- sqrt(-q): both pairs meet at q = 0, and are off the unit circle for q < 0. In a frame that turns by half a turn in each period an oscillator with the
-- stiffness k < 0 has two real negative multipliers.
local hm, check = require "hamel", require "check"
local near = check.near

local polynomial = require "branches".polynomial

-- { factor, roots, first step, largest step, g, further factor { 1, c1, c2 } (nil: none) }
local MEETINGS = {
  -- in the first step the frequency of z, which does not act on the others, passes one of theirs
  { 0.27288, { -0.645952, -0.086666, -0.057533, 0.281949 }, 0.19138, 0.26441, 0.36530 },
  { 0.28969, { 0.248246, 0.279776 }, 0.23685, 0.33256, 0.37293, { 1, -0.4707, 1.6956 } },
  { 0.28834, { -0.879251, 0.135771, 0.141840, 0.314146 }, 0.15701, 0.23641, 0.21680 },
  { 0.83257, { 0.145248, 0.178182 }, 0.07790, 0.25183, 0.38262, { 1, -0.0038, 0.6903 } },
  { 0.59357, { -0.203125, -0.197791 }, 0.17365, 0.23273, 0.16933, { 1, 0.0584, 1.6164 } },
  -- in steps of a tenth of the range, whose ends say nothing of what lies between them
  { 0.76511, { -0.071113, -0.058821 }, 0.17803, 0.32957, 0.25729 },
  { 0.61884, { 0.775528, 0.809641 }, 0.08502, 0.34541, 0.19772 },
}
local FLIPS = {
  { 0.27410, { -0.313332, 0.699700, 0.716245, 0.935837 }, 0.08749, 0.23964 },
  { 0.31397, { -0.800476, 0.256614, 0.280294, 0.576899 }, 0.10294, 0.22388 },
  { 0.31302, { -0.675393, -0.305313, -0.285975, 0.256808 }, 0.07199, 0.20889 },
}

-- Three coordinates, of which z is driven alone; the forces on x and y
local function special_points(case, forces)
  local S = hm.system "conservative"
  local p = S:parameters "p=-1"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  local c = case[6] or { 1, 0, 0 }
  local on_x, on_y = forces(x, y, polynomial(p, case[1], case[2])*(c[1] + c[2]*p + c[3]*p^2))
  S:force(x, on_x - x^3)
  S:force(y, on_y - y^3)
  S:force(z, hm.cos(hm.t) - 2.3*z)
  local rest = { x = 0, y = 0, z = 0 }
  return S:continue{ periodic = { q = rest, v = rest, parameters = { p = -1 }, period = 2*hm.pi }, along = "p", from = -1, to = 1, step = case[3],
    largest = case[4] }
end

-- The special points of a kind are at the roots, and none is in doubt
local function demand(B, kind, roots)
  local list = {}
  for _, special in ipairs(B.special) do if special.kind == kind then list[#list + 1] = special end end
  assert.equal(#roots, #list, tostring(B))
  for i, special in ipairs(list) do
    assert.falsy(special.doubtful, tostring(B))
    near(special.value, roots[i], 1e-8 + (special.accuracy or 0))
    assert.truthy((special.accuracy or 0) < 1e-6)
  end
end

describe("pairs of multipliers that leave the unit circle and come back within a step", function()
  it("are two torus points where two pairs meet", function()
    for _, case in ipairs(MEETINGS) do
      local g = case[5]
      demand(special_points(case, function(x, y, q) return 2*g*y.dot - (q - g^2)*x, -2*g*x.dot - (q - g^2)*y end), "torus", case[2])
    end
  end)

  it("are two flips alone where they come onto the circle at -1 and leave it there", function()
    for _, case in ipairs(FLIPS) do
      local B = special_points(case, function(x, y, k)
        local h, c, s = hm.rational(1, 2), hm.cos(hm.t), hm.sin(hm.t)
        local mean, half = (k + 0.43)/2, (k - 0.43)/2
        return 2*h*y.dot + h^2*x - (mean + half*c)*x + half*s*y, -2*h*x.dot + h^2*y + half*s*x - (mean - half*c)*y
      end)
      demand(B, "flip", case[2])
      demand(B, "torus", {})
    end
  end)
end)
