-- S:linearize at rest beside nonholonomic constraints. Arbiter: the equations by hand.
local hm, check = require "hamel", require "check"

-- A sleigh in a well, x y psi, with the blade along psi: it rests where the force of the well is across the blade: x = -r sin psi, y = r cos psi, for
-- each r and psi
local function sleigh(k, d, m, J)
  local S = hm.system "sleigh in a well"
  local x, y, psi = S:coordinates "x y psi"
  S:kinetic_energy(hm.number(m)*(x.dot^2 + y.dot^2)/2 + hm.number(J)*psi.dot^2/2)
  S:potential_energy(hm.number(k)*(x^2 + y^2)/2)
  S:force(x, -hm.number(d)*x.dot)
  S:force(y, -hm.number(d)*y.dot)
  S:force(psi, -hm.number(d)*psi.dot)
  S:constraint("blade", hm.sin(psi)*x.dot - hm.cos(psi)*y.dot)
  return S
end

local function at(r, psi) return { x = -r*math.sin(psi), y = r*math.cos(psi), psi = psi } end

local WORDS = "stable: it is one of a family of states of rest with 2 dimensions, in which motions beside it come to rest"

describe("S:linearize at rest beside nonholonomic constraints", function()
  it("needs no velocities, and takes those that are rounding for zero", function()
    local S = sleigh("3", "1/2", "2", "1")
    for _, psi in ipairs{ 0.3, 1.1, -2 } do
      local q = at(0.7, psi)
      local bare = S:linearize{ q = q }
      for _, v in ipairs{ { x = 0, y = 0, psi = 0 }, { x = 8e-18*math.cos(psi), y = 8e-18*math.sin(psi), psi = 0 },
        { x = 0, y = 0, psi = 3e-18 } } do
        local L = S:linearize{ q = q, v = v }
        assert.equal(bare.verdict, L.verdict)
        for i, e in ipairs(bare.eigenvalues) do
          check.near(L.eigenvalues[i].re, e.re, 1e-12)
          check.near(L.eigenvalues[i].im, e.im, 1e-12)
        end
      end
    end
    -- a motion is none, however slow
    check.raises("not steady", S.linearize, S, { q = at(0.7, 0.3), v = { x = 1e-9*math.cos(0.3), y = 1e-9*math.sin(0.3), psi = 0 } })
  end)

  it("is stable as one of a family that motions come to", function()
    local S, k, d, m, J = sleigh("3", "1/2", "2", "1"), 3, 0.5, 2, 1
    local L = S:linearize{ q = at(-0.7, 0.4) }
    assert.truthy(L.verdict:find(WORDS, 1, true), L.verdict)
    local zeros = 0
    for _, e in ipairs(L.eigenvalues) do if e.re == 0 and e.im == 0 then zeros = zeros + 1 end end
    assert.equal(2*3 - 1, #L.eigenvalues)
    assert.equal(2, zeros)
    -- s'' + (d/m) s' + (k/m) s = 0 along the blade, psi'' + (d/J) psi' = 0, since the force on the blade has no moment
    local real, imaginary = -d/m/2, math.sqrt(k/m - (d/m/2)^2)
    local found = {}
    for _, e in ipairs(L.eigenvalues) do found[#found + 1] = ("%.9f %.9f"):format(e.re + 0.0, math.abs(e.im)) end
    local pair = ("%.9f %.9f"):format(real, imaginary)
    assert.truthy(table.concat(found, "\n"):find(pair, 1, true), table.concat(found, "\n"))
    assert.truthy(table.concat(found, "\n"):find(("%.9f %.9f"):format(-d/J, 0), 1, true), table.concat(found, "\n"))
  end)

  it("is unstable, or not decided, where the others are", function()
    local S = hm.system "sleigh on a hill"
    local x, y, psi = S:coordinates "x y psi"
    S:kinetic_energy((x.dot^2 + y.dot^2 + psi.dot^2)/2)
    S:potential_energy(-(x^2 + y^2)/2)
    for _, s in ipairs{ x, y, psi } do S:force(s, -s.dot) end
    S:constraint("blade", hm.sin(psi)*x.dot - hm.cos(psi)*y.dot)
    assert.equal("unstable", S:linearize{ q = at(1, 0.4) }.verdict)
    -- without damping pairs are imaginary
    assert.equal("not decided by the first approximation", sleigh("3", "0", "2", "1"):linearize{ q = at(1, 0.4) }.verdict)
  end)

  it("is stable in the straight motion of Chaplygin's sleigh with the centre of mass ahead", function()
    -- arbiter: Neimark and Fufaev 1972, chapter 2: psi'' = -m a v psi'/(J + m a^2)
    local S = hm.system "Chaplygin's sleigh"
    local x, y, psi = S:coordinates "x y psi"
    local a = S:parameters "a=0.3"
    S:kinetic_energy((x.dot - a*psi.dot*hm.sin(psi))^2/2 + (y.dot + a*psi.dot*hm.cos(psi))^2/2 + psi.dot^2/2)
    S:constraint("blade", hm.sin(psi)*x.dot - hm.cos(psi)*y.dot)
    local function moving(v) return S:linearize{ q = { psi = 0.7 }, v = { x = v*math.cos(0.7), y = v*math.sin(0.7), psi = 0 } } end
    local L = moving(1)
    assert.truthy(L.verdict:find("stable: it is one of a family of steady motions with 2 dimensions", 1, true), L.verdict)
    check.near(L.eigenvalues[3].re, -0.3/(1 + 0.3^2), 1e-12)
    assert.equal("unstable", moving(-1).verdict)
    assert.equal("not decided by the first approximation", moving(0).verdict)
  end)

  it("is stable where a momentum is free and all else is damped", function()
    local S = hm.system "pendulum on a cart"
    local x, b = S:coordinates "x b"
    S:kinetic_energy((x.dot^2 + (x.dot + b.dot*hm.cos(b))^2 + (b.dot*hm.sin(b))^2)/2)
    S:potential_energy(-hm.cos(b))
    S:force(b, -b.dot/10)
    assert.truthy(S:linearize{ q = { b = 0 } }.verdict:find "^stable: it is one of a family of %l+ %l+")
    assert.equal("unstable", S:linearize{ q = { b = math.pi } }.verdict)
  end)
end)
