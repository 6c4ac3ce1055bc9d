-- eigenvalues of equal frequency that pass the border at once in opposite directions: what is to be found follows from the equations, which are solved by hand
local hm, check = require "hamel", require "check"
local near = check.near

-- n oscillators with the given forces
local function oscillators(n, forces)
  local S, names = hm.system "oscillators", {}
  for i = 1, n do names[i] = "x" .. i end
  local x = table.pack(S:coordinates(table.concat(names, " ")))
  local m, T = S:parameters "m=0", 0
  for i = 1, n do T = T + x[i].dot^2/2 end
  S:kinetic_energy(T)
  for i, force in ipairs(forces(x, m)) do S:force(x[i], force) end
  return S, names
end

local function at_zero(names)
  local q = {}
  for _, name in ipairs(names) do q[name] = 0 end
  return q
end

local function rest_branch(n, from, to, start, forces)
  local S, names = oscillators(n, forces)
  return S:continue{ equilibrium = { q = at_zero(names) }, along = "m", from = from, to = to, parameters = { m = start } }
end

-- The branch has these special points alone: { kind, value, frequency, several }
local function demand(B, list, within)
  assert.equal(#list, #B.special, tostring(B))
  for i, item in ipairs(list) do
    local special = B.special[i]
    assert.equal(item[1], special.kind, tostring(B))
    near(special.value, item[2], within or 1e-9)
    if item[3] then near(special.frequency, item[3], within or 1e-9) end
    assert.equal(item[4], special.several, tostring(B))
    assert(not special.doubtful, tostring(B))
  end
end

describe("eigenvalues that pass the axis at once in opposite directions", function()
  it("are one Hopf point of both pairs, wherever the branch starts", function()
    for _, start in ipairs{ -1, -0.7, 0.1, 0 } do
      demand(rest_branch(2, -1, 1, start, function(x, m) return { m*x[1].dot - x[1], -m*x[2].dot - x[2] } end), { { "hopf", 0, 1, 4 } })
      -- the same in the sum and the difference of the coordinates
      demand(rest_branch(2, -1, 1, start, function(x, m) return { m*x[2].dot - x[1], m*x[1].dot - x[2] } end), { { "hopf", 0, 1, 4 } })
      demand(rest_branch(2, -1, 1, start, function(x, m) return { m*x[1].dot - x[1], -2*m*x[2].dot - x[2] } end), { { "hopf", 0, 1, 4 } })
      -- frequencies that rounding makes equal
      demand(rest_branch(2, -1, 1, start, function(x, m) return { m*x[1].dot - x[1], -m*x[2].dot - hm.number "1.0000000000001"*x[2] } end),
        { { "hopf", 0, 1, 4 } })
    end
    -- four pairs of one frequency, and two beside two
    local function forces(x, m, k)
      local list = {}
      for i = 1, 4 do list[i] = (i % 2 == 0 and -1 or 1)*m*x[i].dot - (i > 2 and k or 1)*x[i] end
      return list
    end
    demand(rest_branch(4, -0.31, 0.4, -0.31, function(x, m) return forces(x, m, 1) end), { { "hopf", 0, 1, 8 } })
    local B = rest_branch(4, -0.31, 0.4, -0.31, function(x, m) return forces(x, m, 4) end)
    table.sort(B.special, function(one, other) return one.frequency < other.frequency end)
    demand(B, { { "hopf", 0, 1, 8 }, { "hopf", 0, 2, 8 } })
  end)

  it("are two Hopf points where they pass one after the other, however near", function()
    for _, off in ipairs{ "1e-5", "1e-7", "1e-8" } do
      local d = hm.number(off)
      demand(rest_branch(2, -0.3, 0.4, -0.3, function(x, m) return { m*x[1].dot - x[1], (d - m)*x[2].dot - x[2] } end),
        { { "hopf", 0, 1 }, { "hopf", tonumber(off), 1 } }, 1e-11)
    end
  end)

  it("are two neutral points where they stay on the axis in between", function()
    -- e^2 = z, z^2 + (2 - m^2 + g^2) z + 1 = 0 has a double root where m^2 = g^2: damping m and -m, gyroscopic forces g
    for _, g in ipairs{ 0.05, 1e-3, 1e-5 } do
      local B = rest_branch(2, -1, 0.9, -1, function(x, m) return { m*x[1].dot + g*x[2].dot - x[1], -m*x[2].dot - g*x[1].dot - x[2] } end)
      demand(B, { { "neutral", -g, 1 }, { "neutral", g, 1 } })
      for _, point in ipairs(B.points) do assert(point.stable == nil or math.abs(point.value) > g) end
    end
  end)

  it("are found where damping is small in the whole range", function()
    demand(rest_branch(1, -1e-7, 1.1e-7, -1e-7, function(x, m) return { m*x[1].dot - x[1] } end), { { "hopf", 0, 1 } }, 1e-12)
    demand(rest_branch(2, -3e-4, 4e-4, -3e-4, function(x, m) return { m*x[1].dot - x[1], -1e6*x[2] } end), { { "hopf", 0, 1 } }, 1e-9)
  end)

  it("leave two pairs alone whose frequencies cross on the axis", function()
    demand(rest_branch(2, -0.3, 0.4, -0.3, function(x, m) return { -(1 + m)*x[1], -(1 - m)*x[2] } end), {})
  end)

  it("are told from two pairs of real ones that meet off the axis, beside pairs that stay on it", function()
    -- z^2 + (m^2 - 5) z + 4 = 0 has double roots at m = 1, where z = 2 is positive, and at m = 3, where z = -2
    local B = rest_branch(4, 0.1, 4, 0.1, function(x, m) return { m*x[2].dot + x[1], 4*x[2] - m*x[1].dot, -3*x[3], -8*x[4] } end)
    demand(B, { { "neutral", 3, math.sqrt(2) } })
  end)

  it("have places that are known as well as it is said, where damping is weak", function()
    -- damping d (m - p) by parts of the frequency down to the rounding of the eigenvalues
    for _, d in ipairs{ 1e-7, 1e-8, 1e-9 } do
      local B = rest_branch(3, -1, 1.1, -1, function(x, m)
        return { d*(m + 0.34865)*x[1].dot - x[1], d*(2*m - 1)*x[2].dot - 3*x[2], -d*(m - 0.871)*x[3].dot + x[1]/10 - 2*x[3] }
      end)
      for i, value in ipairs{ -0.34865, 0.5, 0.871 } do
        assert.equal("hopf", B.special[i].kind)
        near(B.special[i].value, value, 1e-10 + (B.special[i].accuracy or 0))
        assert((B.special[i].accuracy or 0) <= 1e-13/d)
      end
    end
  end)

  it("are told from two pairs that meet and leave the axis beside two others that do so", function()
    -- z^2 + (m^2 - 2) z + 1 = 0 in both copies: double roots at m = 2
    local B = rest_branch(4, 0.1, 3, 0.1, function(x, m)
      return { m*x[2].dot + x[1], x[2] - m*x[1].dot, m*x[4].dot + x[3], x[4] - m*x[3].dot }
    end)
    demand(B, { { "neutral", 2, 1, 4 } }, 1e-10)
  end)
end)

describe("multipliers that pass the unit circle at once in opposite directions", function()
  local function orbits(from, to, start, forces)
    local S, names = oscillators(2, forces)
    local orbit = S:periodic{ q = at_zero(names), v = at_zero(names), period = 2*math.pi, parameters = { m = start } }
    return S:continue{ periodic = orbit, along = "m", from = from, to = to }
  end

  it("are one torus point of both pairs", function()
    local drive = hm.cos(hm.t)
    for _, start in ipairs{ -0.11, 0 } do
      demand(orbits(-0.11, 0.1, start, function(x, m)
        return { drive + m*x[1].dot - hm.number "0.3"*x[1], drive - m*x[2].dot - hm.number "0.3"*x[2] }
      end), { { "torus", 0, 1 - math.sqrt(0.3), 4 } })
    end
  end)

  it("are one flip of both", function()
    local drive, k = hm.cos(hm.t), hm.number "0.25" + hm.number "0.3"*hm.cos(hm.t)
    -- of the first oscillator alone one multiplier passes -1; that of the other one, in reversed time, is its inverse
    local alone = orbits(0.1, 1, 0.1, function(x, m) return { drive - m*x[1].dot - k*x[1], drive - 3*x[2].dot - x[2] } end)
    assert.equal("flip", alone.special[1].kind)
    local value = alone.special[1].value
    for _, start in ipairs{ 0.1, value } do
      demand(orbits(0.1, 1, start, function(x, m) return { drive - m*x[1].dot - k*x[1], drive + m*x[2].dot - k*x[2] } end), { { "flip", value, nil, 2 } })
    end
  end)
end)
