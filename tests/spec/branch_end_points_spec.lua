-- Special points exactly at an end of the range of a branch, and at its start.
-- Arbiter: modes u and w that do not act on each other, mixed into the coordinates: u passes its special point at mu0, by its equation.
local hm, branches, check = require "hamel", require "branches", require "check"
local near = check.near

local A, B, C, D = 1.3, 0.4, -0.3, 1.6                   -- u = A x + B y, w = C x + D y
local SPAN, MU0 = 0.7, 0.1234567

local function condition(kind, u, part)
  if kind == "hopf" or kind == "torus" then return part*u.dot - 1.7*u - u^2*u.dot end
  if kind == "branch" then return part*u - 0.4*u.dot - u^3 end
  return part - 0.4*u.dot - u^2
end

-- The branch of a motion of a kind ("equilibrium", "steady", "periodic") between two values, from a start
local function branch_of(motion, kind, from, to, start, more)
  local S = hm.system("an end at a " .. kind)
  local s, x, y = S:coordinates "s x y"
  local mu = S:parameters "mu = 1"
  local u, w = A*x + B*y, C*x + D*y
  S:kinetic_energy(s.dot^2/2 + u.dot^2/2 + w.dot^2/2)
  local f, g = condition(kind, u, (mu - MU0)/SPAN), -2.1*w - 0.3*w.dot
  S:force(x, f*A + g*C)
  S:force(y, f*B + g*D)
  if motion ~= "steady" then S:force(s, -2*s - s.dot + (motion == "periodic" and hm.cos(hm.t) or 0)) end
  local at, det = kind == "fold" and math.sqrt((start - MU0)/SPAN) or 0, A*D - B*C
  local o = { along = "mu", from = from, to = to, parameters = { mu = start } }
  for name, value in pairs(more or {}) do o[name] = value end
  local q, v = { s = motion == "periodic" and 0.5 or 0, x = D*at/det, y = -C*at/det }, { s = motion == "equilibrium" and 0 or motion == "steady" and 1 or 0.5,
    x = 0, y = 0 }
  o[motion] = { q = q, v = motion ~= "equilibrium" and v or nil, keep = motion == "steady" and { "s'" } or nil,
    period = motion == "periodic" and 2*math.pi or nil }
  return S:continue(o)
end

local function demand_one(branch, kind)
  assert.equal(1, #branch.special, tostring(branch))
  local special = branch.special[1]
  assert.equal(kind, special.kind, tostring(branch))
  assert(not special.doubtful and not special.apart and not special.several, tostring(branch))
  near(special.value, MU0, 1e-11, "the place")
  assert(special.after >= 1 and special.after < #branch.points, "it is beside the end")
end

describe("a special point", function()
  it("at an end of the range is listed once, whether the branch comes there or starts there", function()
    for _, motion in ipairs{ "equilibrium", "steady", "periodic" } do
      for _, kind in ipairs{ motion == "periodic" and "torus" or "hopf", "branch", "fold" } do
        local starts = { MU0 + SPAN, MU0 + 0.3*SPAN, MU0 }
        -- at a branch point the values that S:steady keeps decide no motion
        if motion == "steady" and kind == "branch" then starts[3] = nil end
        if motion == "periodic" then table.remove(starts, 1) end
        for _, start in ipairs(starts) do demand_one(branch_of(motion, kind, MU0, MU0 + SPAN, start), kind) end
        local lower = kind == "fold" and {} or { MU0 - 0.3*SPAN, motion ~= "periodic" and MU0 - SPAN or nil }
        for _, start in ipairs(lower) do demand_one(branch_of(motion, kind, MU0 - SPAN, MU0, start), kind) end
      end
    end
  end)

  it("is listed where steps come to the end but for rounding", function()
    for _, steps in ipairs{ 4, 8, 20 } do
      demand_one(branch_of("equilibrium", "hopf", MU0 - SPAN, MU0, MU0 - SPAN, { step = SPAN/steps, largest = SPAN/steps }), "hopf")
    end
  end)

  it("at a start from which the branch goes to one side is listed", function()
    for _, kind in ipairs{ "hopf", "branch" } do
      demand_one(branch_of("equilibrium", kind, nil, MU0 + SPAN, MU0), kind)
      demand_one(branch_of("equilibrium", kind, MU0, nil, MU0, { points = 20 }), kind)
    end
  end)

  it("beyond an end, however near, is not listed", function()
    for _, motion in ipairs{ "equilibrium", "periodic" } do
      for _, kind in ipairs{ motion == "periodic" and "torus" or "hopf", "branch" } do
        assert.equal(0, #branch_of(motion, kind, MU0 + 1e-8, MU0 + SPAN, MU0 + SPAN).special)
        assert.equal(0, #branch_of(motion, kind, MU0 + 1e-8, MU0 + SPAN, MU0 + 1e-8).special)
      end
    end
  end)

  it("that is a start inside the range is listed once", function()
    for _, motion in ipairs{ "equilibrium", "steady", "periodic" } do demand_one(branch_of(motion, "fold", -1, MU0 + SPAN, MU0), "fold") end
    demand_one(branch_of("equilibrium", "hopf", -1, MU0 + SPAN, MU0), "hopf")
  end)

  it("that is a fold at the start and at an end has both halves of the branch", function()
    local branch = branch_of("equilibrium", "fold", MU0, MU0 + SPAN, MU0)
    near(branch.points[1].value, MU0 + SPAN, 1e-12, "one half")
    near(branch.points[#branch.points].value, MU0 + SPAN, 1e-12, "the other half")
  end)

  it("that is a fold at the start leaves no span in which the stability is not decided", function()
    local S = hm.system "Duffing"
    local x, F = S:coordinates "x", S:parameters "F=0.1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^4/4)
    S:force(x, -x.dot/10 + F*hm.cos(1.6*hm.t))
    local function followed(start, parameters, from, to)
      local guess = { q = start.q, v = start.v, t = start.t, period = math.pi/0.8, parameters = parameters }
      return S:continue{ periodic = guess, along = "F", from = from, to = to }
    end
    local fold = branches.first(followed({ q = { x = -0.06 }, v = { x = 0 } }, nil, 0.05, 0.95), "fold")
    local branch = followed(fold.point, { F = fold.value }, fold.value - 0.1, fold.value)
    assert.equal(1, #branch.special, tostring(branch))
    assert(not tostring(branch):find("not decided", 1, true), tostring(branch))
  end)

  it("where pairs meet is listed at the start, inside and at an end", function()
    local S = hm.system "pairs that meet"
    local x, y = S:coordinates "x y"
    local mu = S:parameters "mu = 1"
    S:kinetic_energy(x.dot^2/2 + y.dot^2/2)
    -- z^2 + 4 z + 3 + mu = 0 for the squares z of eigenvalues: both are -2 at mu = 1
    S:force(x, -x - mu*y)
    S:force(y, x - 3*y)
    for _, range in ipairs{ { 0, 2, 1 }, { 1, 2, 1 }, { 1, 2, 1.6 }, { 0, 1, 1 }, { 0, 1, 0.3 } } do
      local branch = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "mu", from = range[1], to = range[2], parameters = { mu = range[3] } }
      assert.equal(1, #branch.special, tostring(branch))
      assert.equal("neutral", branch.special[1].kind)
      near(branch.special[1].value, 1, 1e-11, "the place")
      near(branch.special[1].frequency, math.sqrt(2), 1e-9, "the frequency")
    end
  end)
end)
