-- Systems of many bodies run from their energies alone: M and the bias are derived where they are read, and everything is the same as with them.
local hm, check = require "hamel", require "check"
local compile = require "hamel.model.compile"
local sin, cos = hm.sin, hm.cos

local MANY = 17

-- Links of length 1 on each other in a plane; the end held; forces: damping and a push by the time
local function chain(n, held)
  local S, names = hm.system "chain", {}
  for i = 1, n do names[i] = "q" .. i end
  local angles = { S:coordinates(table.concat(names, " ")) }
  local m, c = S:positive "m=1.5 c=1/10"
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for _, a in ipairs(angles) do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    T, V = T + m*(vx^2 + vy^2)/2, V + 9.81*m*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  for i, a in ipairs(angles) do S:force(a, -c*a.dot + (i == 2 and sin(hm.t) or 0)) end
  if held then
    S:constraint("end x", vx)
    S:constraint("end y", vy)
  end
  local q, v = {}, {}
  for i, name in ipairs(names) do
    q[name] = 0.3 + 0.2*i % 1.7
    if not held or i <= n - 2 then v[name] = (i % 3 - 1)*0.4 end
  end
  return S, q, v, angles, m
end

local function last(run) return run[#run] end

describe("a system of many bodies", function()
  for _, held in ipairs{ false, true } do
    local name = held and "held at its end" or "free"
    it("runs as by the dense elimination: " .. name, function()
      local S, q, v = chain(MANY, held)
      local o = { q = q, v = v, t = 0.5, rtol = 1e-11, atol = 1e-11 }
      local run = S:simulate(o)
      assert.is_nil(rawget(run.equations, "M"))
      assert.is_nil(rawget(run.equations, "energy"))
      assert.is_true(run.model:by_graph())
      assert.are.equal("OK", run.status)
      assert.is_true(tostring(run):find("graph of velocities", 1, true) ~= nil)
      assert.is_nil(rawget(run.equations, "M"))
      o.elimination = "dense"
      local other = chain(MANY, held):simulate(o)
      assert.is_false(other.model:by_graph())
      for key in pairs(q) do
        check.near(last(run).q[key], last(other).q[key], 1e-9, key)
        check.near(last(run).v[key], last(other).v[key], 1e-9, key)
      end
      check.near(last(run).energy, last(other).energy, 1e-9, "energy")
      assert.are.equal(0, run.outcome.handed_over)
    end)

    it("has its equations when they are asked for: " .. name, function()
      local S, q, v, angles, m = chain(MANY, held)
      S:simulate{ q = q, v = v, t = 0.01 }
      local E = S:equations "lagrange"
      assert.are.equal(MANY, #E.M)
      assert.are.equal(MANY, #E.r)
      local want = m*(MANY + 1 - 3)*cos(angles[1] - angles[3])
      assert.is_true((E.M[1][3] - want):is_zero())
      assert.is_true((E.M[3][1] - want):is_zero())
      assert.is_true((E.energy - S:lagrangian()):is_zero() == false)
    end)
  end

  it("has the numbers of its equations without them: mass matrix, multipliers, energies", function()
    local S = chain(MANY, true)
    local E = S:equations "lagrange"
    local lean, dense = compile.model(E, nil, nil, nil, nil, true), compile.model(E, nil, nil, nil, nil, true, "dense")
    local w, other = compile.workspace(E, lean), compile.workspace(E, dense)
    local x = {}
    for i = 1, 2*MANY do x[i] = 2*math.sin(3.1*i) end
    for i = #x + 1, lean:state_size() do x[i] = 0.0 end
    w:set_state(0.4, x)
    other:set_state(0.4, x)
    for _, what in ipairs{ "rate", "mass_matrix", "multipliers" } do
      local a, b = w[what](w), other[what](other)
      assert.are.equal(#b, #a)
      for i in ipairs(a) do check.near(a[i], b[i], 1e-10*(1 + math.abs(b[i])), what) end
    end
    local energy, kinetic = w:energies()
    local energy2, kinetic2 = other:energies()
    check.near(energy, energy2, 1e-11*math.abs(energy2), "energy")
    check.near(kinetic, kinetic2, 1e-11*math.abs(kinetic2), "kinetic energy")
  end)

  it("takes implicit methods, whose Jacobians need the equations", function()
    local S, q, v = chain(MANY)
    local run = S:simulate{ q = q, v = v, t = 0.1, rtol = 1e-9, atol = 1e-9, method = "radau5" }
    local other = S:simulate{ q = q, v = v, t = 0.1, rtol = 1e-11, atol = 1e-11 }
    assert.are.equal("OK", run.status)
    for key in pairs(q) do check.near(last(run).q[key], last(other).q[key], 1e-6, key) end
  end)

  it("sweeps by threads to the same numbers", function()
    local S, q, v = chain(MANY)
    local function rows(threads, lanes)
      return S:sweep{ q = q, v = v, t = 0.2, over = { { "m", { 0.5, 1, 1.5, 2 } } }, threads = threads, lanes = lanes, keep = { "q1", energy = "energy" } }
    end
    local one, two, alone = rows(1, 1), rows(2, 1), S:simulate{ q = q, v = v, t = 0.2, parameters = { m = 2 } }
    for i = 1, 4 do
      assert.are.equal(one[i].q1, two[i].q1)
      assert.are.equal(one[i].energy, two[i].energy)
    end
    assert.are.equal(last(alone).q.q1, one[4].q1)
    check.near(last(alone).energy, one[4].energy, 1e-13, "energy")
  end)
end)

describe("what energies alone do not settle", function()
  it("few entries in the mass matrix: the elimination by M is looked at too", function()
    local S, names, T, V = hm.system "oscillators", {}, hm.number(0), hm.number(0)
    for i = 1, MANY do names[i] = "x" .. i end
    local x = { S:coordinates(table.concat(names, " ")) }
    for i, a in ipairs(x) do T, V = T + a.dot^2/2, V + (a - (x[i - 1] or 0))^2/2 end
    S:kinetic_energy(T)
    S:potential_energy(V)
    local q, v = {}, {}
    for i, name in ipairs(names) do q[name], v[name] = i/10, 0 end
    local run = S:simulate{ q = q, v = v, t = 1 }
    assert.are.equal("OK", run.status)
    assert.is_false(run.model:by_graph())
  end)

  it("but the inertia of branching trees does: their M has few entries too, and is not derived", function()
    local S, names, n = hm.system "tree", {}, 40
    for i = 1, n do names[i] = "q" .. i end
    local N, q = S:frame "N", { S:coordinates(table.concat(names, " ")) }
    local frames, ends, start = {}, {}, { q = {}, v = {}, t = 1e-6 }
    for i = 1, n do
      frames[i] = (frames[i//2] or N):rotate(i % 2 == 0 and "z" or "y", q[i])
      local joint = ends[i//2] or S.origin
      ends[i] = joint + frames[i]:vector(1, 0, hm.rational(1, 5))
      S:body("b" .. i, { at = joint + frames[i]:vector(hm.rational(1, 2), 0, 0), frame = frames[i], mass = 1, inertia = { 1, 2, 2 } })
      start.q[names[i]], start.v[names[i]] = 0.1*i, 0.1
    end
    S:gravity(-9.81*N.z)
    local run = S:simulate(start)
    assert.is_true(run.model:by_graph())
    assert.is_nil(rawget(run.equations, "M"))
  end)

  it("a moment of inertia that is rounding at the start", function()
    local S, names, T, V = hm.system "spherical", {}, hm.number(0), hm.number(0)
    for i = 1, 9 do names[2*i - 1], names[2*i] = "th" .. i, "ph" .. i end
    local angles = { S:coordinates(table.concat(names, " ")) }
    local v, z = { hm.number(0), hm.number(0), hm.number(0) }, hm.number(0)
    for i = 1, 9 do
      local th, ph = angles[2*i - 1], angles[2*i]
      local along = { sin(th)*cos(ph), sin(th)*sin(ph), -cos(th) }
      for k = 1, 3 do v[k] = v[k] + hm.dt(along[k]) end
      z = z + along[3]
      T, V = T + (v[1]^2 + v[2]^2 + v[3]^2)/2, V + 9*z
    end
    S:kinetic_energy(T)
    S:potential_energy(V)
    local q, rates = {}, {}
    for _, name in ipairs(names) do q[name], rates[name] = 1, 0.1 end
    local run = S:simulate{ q = q, v = rates, t = 0.1 }
    assert.are.equal("OK", run.status)
    assert.is_true(run.model:by_graph())
    assert.is_nil(rawget(run.equations, "M"))
    q.th3 = math.pi
    check.raises({ "the inertia along 'ph3' is rounding at th3" }, S.simulate, S, { q = q, v = rates, t = 0.1 })
  end)
end)
