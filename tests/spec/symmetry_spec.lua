-- S:symmetry: fields that leave a system unchanged, judged by runs: momentum equations, reconstruction, conserved momenta
local hm, check = require "hamel", require "check"
local sin, cos, near = hm.sin, hm.cos, check.near

local PLANE = function(x, y) return { x = 1 }, { y = 1 }, { x = -y, y = x, theta = 1 } end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=2 J=1/3 a=3/5"
  S:kinetic_energy(m/2*(hm.dt(x + a*cos(theta))^2 + hm.dt(y + a*sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return S, x, y, theta
end

local function snakeboard()
  local S = hm.system "snakeboard"
  local x, y, theta, psi, phi = S:coordinates "x y theta psi phi"
  local m, l, J, R, W = S:positive "m=6 l=1/5 J=1/50 R=1/10 W=1/100"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2 + R/2*(theta.dot + psi.dot)^2
    + W/2*((theta.dot + phi.dot)^2 + (theta.dot - phi.dot)^2))
  S:constraint("front", y.dot*cos(theta + phi) - x.dot*sin(theta + phi) + l*theta.dot*cos(phi))
  S:constraint("rear", y.dot*cos(theta - phi) - x.dot*sin(theta - phi) - l*theta.dot*cos(phi))
  return S, x, y, theta, psi, phi
end

-- The rates of the momenta against differences along a run; the velocities of the group against the reconstruction
local function along(S, G, start)
  start.t, start.rtol, start.atol = 3, 1e-12, 1e-13
  local run, h = S:simulate(start), 1e-3
  local all, from, to = {}, {}, {}
  for _, item in ipairs(G.horizontal) do all[#all + 1] = { of = item.momentum, rate = hm.number(0) } end
  for _, p in ipairs(G.momenta) do all[#all + 1] = p end
  for a, p in ipairs(all) do from[a], to[a] = G.momentum_symbols[a], p.of end
  for _, t in ipairs{ 0.5, 1.7, 2.6 } do
    for _, p in ipairs(all) do
      local slope = (8*(run:at(t + h, p.of) - run:at(t - h, p.of)) - run:at(t + 2*h, p.of) + run:at(t - 2*h, p.of))/(12*h)
      near(slope, run:at(t, p.rate), 1e-7, "momentum equation")
      if p.reduced then
        local e = p.reduced
        for a in ipairs(all) do e = e:subs{ [from[a]] = to[a] } end
        near(run:at(t, e), run:at(t, p.rate), 1e-8, "in momenta")
      end
    end
    for name, e in pairs(G.reconstruction or {}) do
      for a in ipairs(all) do e = e:subs{ [from[a]] = to[a] } end
      near(run:at(t, e), run:at(t).v[name], 1e-8, name .. "'")
    end
  end
end

describe("S:symmetry", function()
  it("takes the shifts along cyclic coordinates", function()
    local S = sleigh()
    local G = S:symmetry()
    assert.equal(2, #G.generators)
    assert(G.invariant == true and G.proof == true and G.kind == "general" and G.principal)
    along(S, G, { q = { x = 0, y = 0, theta = 0.3 }, v = { x = 1, theta = 0.5 } })
    assert(tostring(G):find "d/dx")
    local none = hm.system "pendulum"
    local phi = none:coordinates "phi"
    none:kinetic_energy(phi.dot^2/2)
    none:potential_energy(-cos(phi))
    assert.equal(0, #none:symmetry().generators)
  end)

  it("has the momentum equations of the sleigh under the group of the plane", function()
    local S, x, y = sleigh()
    local G = S:symmetry{ PLANE(x, y) }
    assert(#G.momenta == 2 and #G.horizontal == 0)
    along(S, G, { q = { x = 0.2, y = 0.1, theta = 0.9 }, v = { x = 1, theta = 0.5 } })
    local c = G:structure()
    assert(c[1][3][2] == 1 and c[2][3][1] == -1 and c[1][2][3] == 0 and c[3][1][2] == -1)
  end)

  it("has the momentum equation of the snakeboard", function()
    local S, x, y, theta, psi, phi = snakeboard()
    local shift_x, shift_y, turn = PLANE(x, y)
    local G = S:symmetry{ shift_x, shift_y, turn, { psi = 1 } }
    assert(#G.horizontal == 1 and #G.momenta == 1 and G.principal)
    assert.equal("phi", table.concat(G.shape, " "))
    assert.equal(true, (S:is_conserved(G.horizontal[1].momentum)))
    -- Bloch, Krishnaprasad, Marsden, Murray 1996, section 8.4: the momentum along the admitted motion of the group
    local m, l, J, R, W = S:symbol "m", S:symbol "l", S:symbol "J", S:symbol "R", S:symbol "W"
    local p = G.momenta[1].of
    local known = -l*m*(x.dot*cos(theta) + y.dot*sin(theta))*cos(phi) - ((J + R + 2*W)*theta.dot + R*psi.dot)*sin(phi)
    assert(hm.agree(p^2, known^2).equal)
    along(S, G, { q = { x = 0, y = 0, theta = 0, psi = 0, phi = 0.4 }, v = { theta = 0.3, psi = 1, phi = 0.2 } })
  end)

  it("says what a field changes", function()
    local S, x, y = sleigh()
    local G = S:symmetry{ { theta = 1 } }
    assert(G.invariant == false and G.proof == true)
    assert(G.why:find "the Lagrangian" and G.why:find "'blade'")
    S:force(x, -x)
    G = S:symmetry{ { x = 1 } }
    assert(G.invariant == false and G.why:find "the forces")
    assert(tostring(G):find "no symmetry")
    check.raises({ "field 1: 'z' is not a coordinate" }, S.symmetry, S, { { z = 1 } })
    check.raises({ "field 1 is zero" }, S.symmetry, S, { { x = 0 } })
    check.raises({ "'x' = ..." }, S.symmetry, S, { x = 1 })
    check.raises({ "along 'x'", "only coordinates and time" }, S.symmetry, S, { { x = y.dot } })
  end)

  it("keeps forces that turn with the system, and their work", function()
    local S, x, y = sleigh()
    S:force(x, -x.dot/3)
    S:force(y, -y.dot/3)
    local G = S:symmetry{ PLANE(x, y) }
    assert(G.invariant)
    along(S, G, { q = { x = 0.2, y = 0.1, theta = 0.9 }, v = { x = 1, theta = 0.5 } })
    assert(S:symmetry().momenta[1].rate ~= nil)
  end)

  it("takes a change of the Lagrangian by a derivative: Galilei's shift", function()
    local S = hm.system "free fall"
    local x, y = S:coordinates "x y"
    local m, g = S:positive "m=2 g=10"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
    S:potential_energy(m*g*y)
    local G = S:symmetry{ { x = hm.t }, { y = 1 } }
    assert(G.invariant and #G.horizontal == 2)
    for _, item in ipairs(G.horizontal) do assert.equal(true, (S:is_conserved(item.momentum))) end
    assert(hm.agree(G.horizontal[1].momentum, m*hm.t*x.dot - m*x).equal)
    assert(hm.agree(G.horizontal[2].momentum, m*y.dot + m*g*hm.t).equal)
  end)

  it("knows the structure of rotations, and brackets that lead out of the list", function()
    local S = hm.system "point"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy((x^2 + y^2 + z^2)^2)
    local turns = { { y = -z, z = y }, { z = -x, x = z }, { x = -y, y = x } }
    local G = S:symmetry(turns)
    assert(G.invariant and #G.horizontal == 3)
    local c = G:structure()
    for a = 1, 3 do
      local b, e = a % 3 + 1, (a + 1) % 3 + 1
      assert(c[a][b][e] == -1 and c[b][a][e] == 1 and c[a][b][a] == 0)
    end
    local two = S:symmetry{ turns[1], turns[2] }
    check.raises({ "no combination of the fields" }, two.structure, two)
  end)

  it("finds the group of the plane, and that of the sphere from a function given", function()
    local S = snakeboard()
    local G = S:symmetry{ find = true, angle = 0 }
    assert(#G.generators == 4 and #G.horizontal == 1 and #G.momenta == 1)
    local P = hm.system "sphere"
    local a, b = P:coordinates "a b"
    P:kinetic_energy((a.dot^2 + sin(a)^2*b.dot^2)/2)
    local R = P:symmetry{ find = true, angle = { a = 1, b = 1 }, functions = { cos(a)/sin(a) } }
    assert(#R.generators == 3 and #R.horizontal == 3)
    for _, item in ipairs(R.horizontal) do assert.equal(true, (P:is_conserved(item.momentum))) end
    R:structure()
    check.raises({ "unknowns are more than" }, S.symmetry, S, { find = true, power = 4 })
    check.raises({ "unknown option 'angel'" }, S.symmetry, S, { find = true, angel = 1 })
  end)

  it("refuses what it does not cover", function()
    local S = hm.system "rod"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("c", x^2 + y^2 - 1)
    check.raises({ "holonomic" }, S.symmetry, S)
    local P = hm.system "pursuit"
    local u, v = P:coordinates "u v"
    P:kinetic_energy((u.dot^2 + v.dot^2)/2)
    P:constraint("speed", u.dot^2 + v.dot^2 - 1)
    check.raises({ "'speed' is not linear" }, P.symmetry, P)
  end)
end)

describe("S:growth_vector", function()
  local function vector(S, at) return table.concat(S:growth_vector(at and { at = at }), " ") end

  it("knows the classical ones", function()
    assert.equal("2 3", vector((sleigh())))
    local S = (snakeboard())
    assert.equal("3 4 5", vector(S))
    assert(tostring(S:growth_vector()):find "degree of nonholonomy 3")
    assert.equal("3 4 5", vector(S, { x = 1, y = 0, theta = 0, psi = 0, phi = 0 }))
    -- a car with n trailers: 2 3 ... n + 3
    for trailers = 0, 3 do
      local C = hm.system "car"
      local x, y, steer = C:coordinates "x y steer"
      local list, T = { C:coordinates "a0" }, x.dot^2 + y.dot^2 + steer.dot^2
      for i = 1, trailers do list[i + 1] = C:coordinates("a" .. i) end
      for _, a in ipairs(list) do T = T + a.dot^2 end
      C:kinetic_energy(T)
      local px, py = x, y
      for i = #list, 1, -1 do
        local a = list[i]
        C:constraint("wheels" .. i, hm.dt(px)*sin(a) - hm.dt(py)*cos(a))
        px, py = px + cos(a), py + sin(a)
      end
      local front = list[1] + steer
      C:constraint("front", hm.dt(px)*sin(front) - hm.dt(py)*cos(front))
      local want = {}
      for r = 2, trailers + 4 do want[#want + 1] = r end
      assert.equal(table.concat(want, " "), vector(C))
    end
  end)

  it("falls behind at singular points, and goes on to the rank of generic ones", function()
    local S = hm.system "flat"
    local x, y, z = S:coordinates "x y z"
    local k = S:parameters "k=1"
    S:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
    S:constraint("c", z.dot - k*x^3*y.dot)
    assert.equal("2 3", vector(S))
    assert.equal("2 2 2 3", vector(S, { x = 0, y = 0, z = 0 }))
    assert.equal("2 3", vector(S, { x = 0.1, y = 0, z = 0 }))
    -- for the declared value of a parameter
    S:parameters "k=0"
    assert.equal("2", vector(S))
    assert(tostring(S:growth_vector()):find "1 combination of the constraints is integrable")
  end)

  it("is exact at a point: small values are not zero, and sums that vanish are", function()
    local S = hm.system "cubic"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
    S:constraint("c", z.dot - x^3*y.dot)
    assert.equal("2 2 2 3", vector(S, { x = 0, y = 0, z = 0 }))
    assert.equal("2 3", vector(S, { x = 1e-6, y = 0, z = 0 }))
    assert.equal("2 3", vector(S, { x = hm.sqrt(2)/10^7, y = 0, z = 0 }))
    local A = hm.system "angle"
    local u, v, w = A:coordinates "u v w"
    A:kinetic_energy(u.dot^2 + v.dot^2 + w.dot^2)
    A:constraint("c", w.dot - (sin(u)^2 + cos(u)^2 - u*hm.cos(u/2))*v.dot)
    assert.equal("2 3", vector(A, { u = hm.pi, v = 0, w = 0 }))
    local B = hm.system "square"
    u, v, w = B:coordinates "u v w"
    B:kinetic_energy(u.dot^2 + v.dot^2 + w.dot^2)
    B:constraint("c", w.dot - sin(u)*v.dot)
    -- d sin(u)/du vanishes at pi/2, where a float would not tell
    assert.equal("2 2 3", vector(B, { u = hm.pi/2, v = 0, w = 0 }))
    assert.equal("2 3", vector(B, { u = 1.5707963267, v = 0, w = 0 }))
  end)

  it("takes other columns where a determinant vanishes at the point", function()
    local S = hm.system "turned"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
    S:constraint("c", x*z.dot - y*y.dot)
    assert.equal("2 3", vector(S, { x = 0, y = 1, z = 0 }))
    assert.equal("2 2 3", vector(S, { x = 1, y = 0, z = 0 }))
    check.raises({ "depend on each other at the point" }, S.growth_vector, S, { at = { x = 0, y = 0, z = 0 } })
    check.raises({ "at.z is missing" }, S.growth_vector, S, { at = { x = 0, y = 0 } })
    check.raises({ "'w' is not a coordinate" }, S.growth_vector, S, { at = { x = 0, y = 0, z = 0, w = 0 } })
  end)

  it("is complete exactly where no combination of the constraints is integrable", function()
    local S = hm.system "partly"
    local x, y, z, w = S:coordinates "x y z w"
    S:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2 + w.dot^2)
    S:constraint("a", z.dot - y*x.dot)
    S:constraint("b", w.dot - y*x.dot - hm.exp(x)*x.dot)
    local g, flag = S:growth_vector(), S:derived_flag()
    assert.equal("2 3", table.concat(g, " "))
    assert.equal(4 - g[#g], flag.dimensions[#flag.dimensions])
  end)
end)
