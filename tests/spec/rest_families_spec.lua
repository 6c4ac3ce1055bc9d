-- states of rest that come in families, as those of systems with rolling: which value chooses one of them, and what such a branch shows
local hm, check, branches = require "hamel", require "check", require "branches"
local near = check.near

-- z' = y x': every state with y = 0 and x + z/3 = 0 is one of rest
local function trailing()
  local S = hm.system "trailing"
  local x, y, z = S:coordinates "x y z"
  local m, n = S:parameters "m=-0.1 n=1"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(n*x^2/2 + y^2 + z^2/2 + x*z/3)
  S:constraint("c", z.dot - y*x.dot)
  S:force(x, m*x.dot - x.dot^3/3)
  S:force(y, -y.dot/4)
  return S
end

describe("families of states of rest", function()
  local guess = { x = 0, y = 0, z = 0.2 }

  it("of a nonholonomic system: the advice of the refusal works", function()
    local S = trailing()
    local _, message = pcall(S.continue, S, { equilibrium = { q = guess }, along = "m", from = -1, to = 1 })
    local name = message:match "keep = { \"(%a)\" }"
    assert(name == "x" or name == "z", message)
    local B = S:continue{ equilibrium = { q = guess, keep = { name } }, along = "m", from = -1, to = 1 }
    -- at rest the square of the frequency along x is 1 + (1/3) y' = 1 as y = 0, and damping is -m: a Hopf point at m = 0
    local hopf = branches.first(B, "hopf")
    near(hopf.value, 0, 1e-12)
    near(hopf.frequency, 1, 1e-8)
    for _, point in ipairs(B.points) do
      near(point.q.x + point.q.z/3, 0, 1e-9)
      for _, speed in pairs(point.v) do near(speed, 0, 1e-12) end
      if math.abs(point.value) > 1e-3 then assert.equal(point.value < 0, point.stable) end
    end
  end)

  it("the value that is kept, another parameter, and Hopf points over two of them can follow", function()
    local S = trailing()
    local B = S:continue{ equilibrium = { q = guess, keep = { "z" } }, along = "m", from = -1, to = 1 }
    local of_n = S:continue{ equilibrium = B.points[1], along = "n", from = 0.5, to = 2 }
    for _, point in ipairs(of_n.points) do near(point.q.x, -0.2/(3*point.value), 1e-9) end
    local of_z = S:continue{ equilibrium = { q = guess, keep = { "z" } }, along = "z", from = 0, to = 0.5 }
    near(of_z.points[#of_z.points].q.x, -1/6, 1e-9)
    local C = S:continue{ hopf = B.special[1], along = { "m", "n" }, from = { -1, 0.8 }, to = { 1, 1.2 } }
    assert(#C.points > 5)
    for _, point in ipairs(C.points) do near(point.parameters.m, 0, 1e-9) end
  end)

  it("a Hopf point of the family says that no branch of periodic motions need begin there", function()
    local B = trailing():continue{ equilibrium = { q = guess, keep = { "z" } }, along = "m", from = -1, to = 1 }
    check.raises({ "none is known", "no branch of periodic ones begins here" }, B.switch, B, B.special[1])
  end)

  it("values that no state of rest has are refused, also where a steady motion has them", function()
    local S = hm.system "hat"
    local x, y = S:coordinates "x y"
    local a = S:parameters "a=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2 - a)^2)
    check.raises({ "values of `keep`" }, S.continue, S, { equilibrium = { q = { x = 1.2, y = 0 }, keep = { "x" } }, along = "a", to = 2 })
    check.raises({ "a guess has no 'v'" }, S.continue, S, { equilibrium = { q = { x = 1, y = 0 }, v = { x = 0 }, keep = { "x" } }, along = "a", to = 2 })
  end)
end)
