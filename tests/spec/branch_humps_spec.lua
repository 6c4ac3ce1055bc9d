-- branch_humps_spec.lua: eigenvalues that pass the axis and come back within one step of a branch of states of rest. Arbiter: the roots of a polynomial.
local hm, check = require "hamel", require "check"
local near = check.near

-- factor (p - root) (p - root) ...
local function polynomial(p, factor, roots)
  local product = factor
  for _, root in ipairs(roots) do product = product*(p - root) end
  return product
end

-- { factor, its roots, first step, largest step }: the value is small between two samples, of which the nearest ones do not show that it comes near to zero
local HUMPS = {
  { -0.9295, { 0.274321477565, 0.495199849228, 0.504255718197 }, 0.1679, 0.5 },
  { -1.0, { -0.54656, -0.53656, -0.41720, -0.40845 }, 0.115, 0.211 },
  { -1.0, { -0.45081, -0.23327, -0.14580, -0.13242 }, 0.195, 0.393 },
  { 1.0, { -0.58995, -0.51903, -0.48312, -0.34569 }, 0.215, 0.218 },
  { -1.0, { -0.92287, -0.90182, -0.27241, -0.20851 }, 0.508, 0.521 },
}

-- The branch of states of rest at zero has special points of one kind at the roots, and no others
local function expect_roots(S, roots, kind, step, largest)
  local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "p", from = -1, to = 1, step = step, largest = largest }
  assert.equal(#roots, #B.special, tostring(B))
  for i, special in ipairs(B.special) do
    assert.equal(kind, special.kind, tostring(B))
    near(special.value, roots[i], 1e-8 + (special.accuracy or 0), "a root")
  end
end

describe("Eigenvalues that pass the axis and come back within a step", function()
  it("shows both Hopf points where the damping has two near roots", function()
    for _, case in ipairs(HUMPS) do
      local S = hm.system "pair"
      local p, x = S:parameters "p=-1", S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, polynomial(p, case[1], case[2])*x.dot - 3*x - x^2*x.dot)
      expect_roots(S, case[2], "hopf", case[3], case[4])
    end
  end)

  it("shows both branch points where the stiffness has two near roots", function()
    local middle, half = 0.68645670173, 0.0071887
    local roots = { middle - half, middle + half }
    local S = hm.system "stiffness"
    local p, x = S:parameters "p=-1", S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    -- no other roots, but a value that is small beside these
    S:force(x, polynomial(p, 0.12196, roots)*((p - 0.94783)^2 + 3.946e-4)*x - x.dot - x^3)
    expect_roots(S, roots, "branch", 0.35155, 0.35388)
  end)

  it("shows those of random polynomials, with roots as near as a fiftieth of a step", function()
    local random = check.generator(54)
    for _ = 1, 12 do
      local step = 0.2*10^random(0, 0.5)
      local middle, half = random(-0.8, 0.8), step*10^random(-1.7, -0.3)/2
      local roots = { middle - half, middle + half }
      for _ = 1, 2 do
        local root = middle + step*random(-1.5, 1.5)
        if math.abs(root) < 0.97 then roots[#roots + 1] = root end
      end
      table.sort(roots)
      local least = math.huge
      for i = 2, #roots do least = math.min(least, roots[i] - roots[i - 1]) end
      if least >= step/50 then
        local S = hm.system "random"
        local p, x = S:parameters "p=-1", S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:force(x, polynomial(p, 10^random(-1, 1), roots)*x.dot - 3*x - x^2*x.dot)
        expect_roots(S, roots, "hopf", step*random(0.3, 1), step)
      end
    end
  end)
end)
