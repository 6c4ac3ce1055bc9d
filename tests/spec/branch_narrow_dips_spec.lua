-- Two special points in a dip of a part of the equations that is narrower than the steps of a branch.
-- Arbiter: the zeros of the damping, or of the stiffness, in closed form.
local hm, check = require "hamel", require "check"
local near = check.near

local AT, RANGE = 0.2371, 2                              -- of -1 ... 1

local function tanh(x) return (math.exp(2*x) - 1)/(math.exp(2*x) + 1) end

-- Dips of depth 1 of the half width 1 in z, and where they are 1/1.3
local shapes = {
  gauss = { function(z) return hm.exp(-z^2) end, math.sqrt(math.log(1.3)) },
  rational = { function(z) return 1/(1 + z^2) end, math.sqrt(0.3) },
  steps = { function(z) return (hm.tanh(4*(z + 1)) - hm.tanh(4*(z - 1)))/(2*tanh(4)) end },
}

-- The place, of z > 0, where the dip of two steps is 1/1.3, by halving
local function place_of_steps()
  local low, high = 0, 3
  for _ = 1, 60 do
    local z = (low + high)/2
    if (tanh(4*(z + 1)) - tanh(4*(z - 1)))/(2*tanh(4)) > 1/1.3 then low = z else high = z end
  end
  return low
end

shapes.steps[2] = place_of_steps()

-- The branch of a motion of a kind at x = 0, y = 0 of two coupled oscillators, of which c(mu) damps one, or is its stiffness
local function branch_of(motion, is_stiffness, shape, width)
  local S = hm.system "a narrow dip"
  local s, x, y = S:coordinates "s x y"
  local mu, a = S:parameters "mu = -1  a = 0.2371"
  local u, w = 1.3*x + 0.4*y, 1.6*y - 0.3*x
  S:kinetic_energy(s.dot^2/2 + u.dot^2/2 + w.dot^2/2)
  local c = 0.6*(1 - 1.3*shapes[shape][1]((mu - a)/(width*RANGE)))
  local f = is_stiffness and -c*u - 0.5*u.dot - u^3 or -c*u.dot - 2.3*u - u^3
  local g = -1.9*w - 0.7*w.dot
  S:force(x, 1.3*f - 0.3*g)
  S:force(y, 0.4*f + 1.6*g)
  if motion ~= "steady" then S:force(s, -2*s - s.dot + (motion == "periodic" and hm.cos(hm.t) or 0)) end
  local v = { s = motion == "steady" and 1 or 0.5, x = 0, y = 0 }
  return S:continue{ [motion] = { q = { s = motion == "periodic" and 0.5 or 0, x = 0, y = 0 }, v = motion ~= "equilibrium" and v or nil,
    keep = motion == "steady" and { "s'" } or nil, period = motion == "periodic" and 2*math.pi or nil }, along = "mu", from = -1, to = 1 }
end

local function demand_two(branch, kind, off)
  assert.equal(2, #branch.special, tostring(branch))
  for k, special in ipairs(branch.special) do
    assert.equal(kind, special.kind, tostring(branch))
    assert(not special.doubtful and not special.apart, tostring(branch))
    near(special.value, AT + (k == 1 and -off or off), 1e-10, "the zero")
  end
end

describe("a dip of a parameter-dependent part of the equations", function()
  it("that is narrow makes pairs of states of rest pass the axis and come back", function()
    for shape, details in pairs(shapes) do
      for _, width in ipairs{ 2e-4, 1e-3, 3e-3, 1e-2, 1e-1 } do
        demand_two(branch_of("equilibrium", false, shape, width), "hopf", width*RANGE*details[2])
      end
    end
  end)

  it("makes real eigenvalues pass zero and come back", function()
    for shape, details in pairs(shapes) do
      for _, width in ipairs{ 2e-4, 3e-3 } do demand_two(branch_of("equilibrium", true, shape, width), "branch", width*RANGE*details[2]) end
    end
  end)

  it("is seen on branches of steady and of periodic motions", function()
    for _, motion in ipairs{ "steady", "periodic" } do
      local kind = motion == "periodic" and "torus" or "hopf"
      demand_two(branch_of(motion, false, "gauss", 3e-3), kind, 3e-3*RANGE*shapes.gauss[2])
    end
  end)

  it("makes pairs without damping meet and part again", function()
    local S = hm.system "pairs in a dip"
    local x, y = S:coordinates "x y"
    local mu = S:parameters "mu = -1"
    S:kinetic_energy(x.dot^2/2 + y.dot^2/2)
    -- z^2 + 4 z + 3 + c = 0 for the squares z of eigenvalues: both are -2 at c = 1
    local c = 1.3*hm.exp(-((mu - AT)/2e-3)^2)
    S:force(x, -x - c*y)
    S:force(y, x - 3*y)
    demand_two(S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "mu", from = -1, to = 1 }, "neutral", 2e-3*shapes.gauss[2])
  end)

  it("that is repeated more often in a step than points are added to it is named", function()
    local S = hm.system "many dips"
    local x = S:coordinates "x"
    local mu = S:parameters "mu = -1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -(1.00001 - hm.cos(400*mu))*x - 0.3*x.dot)
    local function branch_to(to) return S:continue{ equilibrium = { q = { x = 0 } }, along = "mu", from = -1, to = to } end
    local branch = branch_to(1)
    assert.truthy(branch.unsearched and #branch.unsearched > 0)
    for _, step in ipairs(branch.unsearched) do
      assert.equal("real", step.what)
      assert.truthy(step.from >= -1 and step.from < step.to and step.to <= 1)
    end
    assert.truthy(tostring(branch):find("a smaller `largest` shows more", 1, true), tostring(branch))
    -- with steps a hundred times shorter each is looked through
    branch = branch_to(-0.98)
    assert.equal(false, branch.unsearched)
    assert.falsy(tostring(branch):find("unseen", 1, true))
  end)
end)
