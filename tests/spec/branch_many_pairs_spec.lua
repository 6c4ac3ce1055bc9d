-- branch_many_pairs_spec.lua: pairs of multipliers and eigenvalues of undamped systems that meet and leave the border of stability beside many others.
-- Arbiters: Floquet's multipliers of chains by another integrator (symplectic steps of fourth order, eigenvalues by numpy), halved to 1e-9; eigenvalues of
-- K + c A by numpy, where two of them cease to be real.
local hm = require "hamel"

local function at_zero(names)
  local q = {}
  for _, name in ipairs(names) do q[name] = 0 end
  return q
end

-- Unit masses x1, x2, ... with the stiffnesses k, neighbours coupled by `link`; extra(x): further terms of the potential energy
local function chain(k, link, extra, forces, parameter)
  local S, names = hm.system "chain", {}
  for i in ipairs(k) do names[i] = "x" .. i end
  local x = { S:coordinates(table.concat(names, " ")) }
  local p, T, V = S:parameters(parameter), 0, 0
  for i, stiffness in ipairs(k) do
    T, V = T + x[i].dot^2/2, V + stiffness*x[i]^2/2
    if i > 1 then V = V + link*(x[i] - x[i - 1])^2/2 end
  end
  S:kinetic_energy(T)
  S:potential_energy(V + (extra and extra(x, p) or 0))
  for i, force in ipairs(forces and forces(x, p) or {}) do S:force(x[i], force) end
  return S, at_zero(names), p
end

-- The branch has special points of a kind at these values, none of them in doubt, and no others but those in narrow places (nil: none)
local function demand(B, kind, wanted, within, narrow)
  local values = {}
  for _, special in ipairs(B.special) do
    if special.kind == kind and not special.doubtful then values[#values + 1] = special.value end
  end
  if not narrow then assert.equal(#wanted, #B.special, tostring(B)) end
  for _, value in ipairs(wanted) do
    local best = math.huge
    for _, found in ipairs(values) do best = math.min(best, math.abs(found - value)) end
    assert(best <= within, ("%.9g is missing: %s"):format(value, tostring(B)))
  end
end

local function driven(k, link, from, to)
  local S, zero, w = chain(k, link, function(x, w) return 0.3*hm.cos(w*hm.t)*x[1]*x[2] end, nil, "w=" .. from)
  return S:continue{ periodic = { q = zero, v = zero, period = 2*hm.pi/w }, along = "w", from = from, to = to }
end

describe("pairs that meet beside many others", function()
  it("are torus points of chains with a coupling that changes periodically", function()
    -- beside these there are tongues that are narrower than a hundredth of a step
    demand(driven({ 2.01, 2.263, 2.931, 2.377 }, 0.05, 2.8, 3.2), "torus", { 2.874981269, 3.066106376 }, 2e-8, true)
    demand(driven({ 1.124, 3.12, 1.101, 2.95 }, 0.05, 2.5, 3.2), "torus", { 2.768375732, 2.984446337 }, 2e-8, true)
    demand(driven({ 2.416, 1.977, 3.055, 3.463, 1.108 }, 0.05, 2.6, 3.4), "torus", { 2.913413857, 3.106410502, 3.350572393, 3.35878324 }, 2e-8, true)
  end)

  it("are torus points whatever else there is that does not act on them, two equal ones, too", function()
    for _, others in ipairs{ {}, { 1.7, 1.7 }, { 1.7, 1.9 }, { 1.7, 1.9, 1.3, 2.2 } } do
      local k = { 1, 3 }
      table.move(others, 1, #others, 3, k)
      demand(driven(k, 0, 2.4, 3.2), "torus", { 2.6170119167, 2.8447527194 }, 1e-8)
    end
  end)

  -- x'' = -2 x - c y, y'' = -3 y + c x lose their stability at c = 1/2; in sums of such pairs the coupling is scaled, so that they do at other values
  local function flutter(k, drive)
    return chain(k, 0, drive, function(x, c)
      local forces = {}
      for i = 1, #k, 2 do forces[i], forces[i + 1] = -c*x[i + 1], c*x[i] end
      return forces
    end, "c=0")
  end

  it("are each a neutral point, however near to each other", function()
    for _, gaps in ipairs{ { 1, 0.9999 }, { 1, 0.97 }, { 1, 0.9, 0.8 }, { 1, 0.8, 0.6 } } do
      local k, wanted = {}, {}
      -- k - 2 = d: the pair meets at c = d/2
      for i, d in ipairs(gaps) do k[2*i - 1], k[2*i], wanted[i] = hm.number(tostring(3 - d)), 3, d/2 end
      local S, zero = flutter(k)
      demand(S:continue{ equilibrium = { q = zero }, along = "c", from = 0, to = 1 }, "neutral", wanted, 1e-10)
    end
  end)

  -- k: stiffnesses; A: the upper half of the antisymmetric matrix of the forces, row by row
  local function demand_across(k, A, wanted, within)
    local S, zero = chain(k, 0.05, nil, function(x, c)
      local forces, n = {}, 0
      for i = 1, #k do forces[i] = 0 end
      for i = 1, #k do
        for j = i + 1, #k do
          n = n + 1
          local a = hm.number(tostring(A[n]))
          forces[i], forces[j] = forces[i] - c*a*x[j], forces[j] + c*a*x[i]
        end
      end
      return forces
    end, "c=0")
    demand(S:continue{ equilibrium = { q = zero }, along = "c", from = 0, to = 4 }, "neutral", wanted, within)
  end

  it("are neutral points of systems with forces across many masses, and no pair on the axis is taken for one that passes it", function()
    demand_across({ 2.626, 3.231, 2.524, 1.163, 4.887, 1.259 },
      { -0.08, -0.051, 0.817, -0.923, 0.46, -0.827, 0.427, -0.045, -0.172, 0.317, 0.634, -0.437, -0.092, 0.933, 0.066 },
      { 0.025998769265, 0.125963345693, 0.275964284288, 0.418541343962, 1.561158829869 }, 1e-9)
    -- at 0.28664 a pair comes back to the axis and at 0.28707 another one leaves it, within one step
    demand_across({ 3.79, 4.866, 1.565, 3.287, 1.748, 4.109, 3.261, 2.45 },
      { -0.473, 0.279, -0.218, -0.835, -0.502, -0.357, 0.004, 0.196, -0.623, -0.606, 0.043, -0.932, -0.067, 0.882, 0.816, 0.291, 0.737, 0.659, -0.637, 0.904,
        0.19, -0.192, -0.022, 0.54, -0.139, -0.269, -0.373, 0.738 },
      { 0.078316478494, 0.107473305352, 0.286638307037, 0.287065989824, 0.581211848424, 1.462797182247 }, 1e-6)
  end)
end)
