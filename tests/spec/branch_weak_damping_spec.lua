-- special points at which all eigenvalues vanish but for a weak damping: y'' = -c y' + p y - y^3 at p = 0, a bead on a hoop, a sleigh; closed forms arbitrate
local hm, check = require "hamel", require "check"
local near = check.near

local function pitchfork(c, p0)
  local S = hm.system "pitchfork"
  local y, p = S:coordinates "y", S:parameters("p=" .. p0)
  S:kinetic_energy(y.dot^2/2)
  S:force(y, -c*y.dot + p*y - y^3)
  return S:continue{ equilibrium = { q = { y = 0 } }, along = "p", from = -3, to = 2 }
end

local function hoop(c)
  local S = hm.system "hoop"
  local th, w = S:coordinates "th", S:parameters "w=1"
  S:kinetic_energy((th.dot^2 + w^2*hm.sin(th)^2)/2)
  S:potential_energy(-hm.cos(th))
  S:force(th, -c*th.dot)
  return S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
end

local function demand_one_branch_point(B, value)
  assert.equal(1, #B.special)
  assert.equal("branch", B.special[1].kind)
  near(B.special[1].value, value, 1e-8)
end

describe("beside weak damping a branch", function()
  it("starts at a pitchfork, however weak the damping is", function()
    for _, c in ipairs{ 1e-12, 1e-9, 1e-6, 1e-3, 1 } do
      demand_one_branch_point(pitchfork(c, 0), 0)
      demand_one_branch_point(hoop(c), 1)
    end
  end)

  it("has one eigenvalue that passes at a pitchfork, and one branch that starts there", function()
    for _, c in ipairs{ 1e-9, 1e-8, 1e-6 } do
      for _, p0 in ipairs{ -2, 0, 1 } do
        local B = pitchfork(c, p0)
        demand_one_branch_point(B, 0)
        assert.is_nil(B.special[1].several)
        local other = B:switch(B.special[1])
        assert.is_nil(tostring(other):find("which = 2", 1, true))
        -- the states of rest beside it have y^2 = p
        for _, point in ipairs(other.points) do near(point.q.y^2, point.parameters.p, 1e-8) end
        local fine, why = pcall(B.switch, B, B.special[1], { which = 2 })
        assert.is_false(fine)
        assert.is_truthy(tostring(why):find("one eigenvalue passes here", 1, true))
      end
    end
  end)

  it("has one special point where a single eigenvalue -l v/(1 + l^2) passes zero, whatever its ends", function()
    local S = hm.system "sleigh"
    local x, y, th = S:coordinates "x y th"
    local l = S:parameters "l=1"
    S:kinetic_energy(((x.dot - l*hm.sin(th)*th.dot)^2 + (y.dot + l*hm.cos(th)*th.dot)^2)/2 + th.dot^2/2)
    S:constraint("blade", -x.dot*hm.sin(th) + y.dot*hm.cos(th))
    local motion = { q = { x = 0, y = 0, th = 0 }, v = { x = 1, y = 0, th = 0 } }
    motion.keep = { x.dot*hm.cos(th) + y.dot*hm.sin(th) }
    local start = S:steady(motion)
    for _, ends in ipairs{ { -2, 2 }, { -1.9, 2.2 }, { -0.3, 1.7 }, { -5, 1.1 } } do
      demand_one_branch_point(S:continue{ steady = start, along = "l", from = ends[1], to = ends[2] }, 0)
    end
    motion.keep = { "x'" }
    demand_one_branch_point(S:continue{ steady = S:steady(motion), along = "x'", from = -2, to = 2 }, 0)
  end)

  -- the mean damping of x = a cos t is m + a^2/4 - a^4/8, which vanishes at m = -1/8 for a = 1; averaging is right up to terms in e^2
  it("of cycles has one fold, known as exactly as it says, and no point where a multiplier only grows", function()
    for _, e in ipairs{ 1e-4, 1e-6 } do
      local S = hm.system "cycles"
      local x, m = S:coordinates "x", S:parameters "m=-1/2"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      S:force(x, hm.number(("%.17g"):format(e))*(m + x^2 - x^4)*x.dot)
      local rest = S:continue{ equilibrium = { q = { x = 0 } }, along = "m", from = -0.5, to = 0.5 }
      local B = rest:switch(rest.special[1], { from = -0.5, to = 0.5 })
      assert.equal(1, #B.special, tostring(B))
      local fold = B.special[1]
      assert.equal("fold", fold.kind)
      assert.is_true((fold.accuracy or 0) < 1e-5)
      near(fold.value, -1/8, 1e-9 + e^2 + (fold.accuracy or 0))
    end
  end)
end)
