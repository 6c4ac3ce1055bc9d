-- Arms of many bodies: energies by recursion from frame to frame, so that a joint takes the same number of operations in arms of any length.
local hm, check = require "hamel", require "check"
local number = hm.number

local axes = { "z", "y", "x", "y" }
local OFFSET, CENTRE = { number "0.3", number "-0.1", number "0.2" }, { number "0.15", number "0.02", number "0.1" }
local MOMENTS = { number "0.02", number "0.025", number "0.017" }
local MASS, STRENGTH = number "1.3", number "9.81"

local function coordinates(S, n)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  return { S:coordinates(table.concat(names, " ")) }
end

local function by_bodies(n)
  local S = hm.system "arm"
  local N = S:frame "N"
  local frame, point = N, S.origin
  for i, q in ipairs(coordinates(S, n)) do
    frame = frame:rotate(axes[(i - 1) % #axes + 1], q)
    S:body("b" .. i, { at = point + frame:vector(table.unpack(CENTRE)), frame = frame, mass = MASS, inertia = MOMENTS })
    point = point + frame:vector(table.unpack(OFFSET))
  end
  return S:gravity(-STRENGTH*N.z)
end

local index = { x = 1, y = 2, z = 3 }

-- u in axes turned by q about the i-th
local function turned(i, q, u)
  local j, k = i % 3 + 1, (i + 1) % 3 + 1
  local r, c, s = { u[1], u[2], u[3] }, hm.cos(q), hm.sin(q)
  r[j], r[k] = c*u[j] + s*u[k], c*u[k] - s*u[j]
  return r
end

local function at(u, w, c)
  return { u[1] + w[2]*c[3] - w[3]*c[2], u[2] + w[3]*c[1] - w[1]*c[3], u[3] + w[1]*c[2] - w[2]*c[1] }
end

local function by_hand(n)
  local S = hm.system "arm by hand"
  local zero = number "0"
  local w, u, up, height, T, V = { zero, zero, zero }, { zero, zero, zero }, { zero, zero, number "1" }, zero, zero, zero
  for i, q in ipairs(coordinates(S, n)) do
    local axis = axes[(i - 1) % #axes + 1]
    local k = index[axis]
    u, w, up = turned(k, q, u), turned(k, q, w), turned(k, q, up)
    w[k] = w[k] + q.dot
    local v = at(u, w, CENTRE)
    for a = 1, 3 do T = T + MASS*v[a]^2/2 + MOMENTS[a]*w[a]^2/2 end
    V = V + MASS*STRENGTH*(height + CENTRE[1]*up[1] + CENTRE[2]*up[2] + CENTRE[3]*up[3])
    u, height = at(u, w, OFFSET), height + OFFSET[1]*up[1] + OFFSET[2]*up[2] + OFFSET[3]*up[3]
  end
  return S:kinetic_energy(T):potential_energy(V)
end

local function start(n)
  local q, v = {}, {}
  for i = 1, n do q["q" .. i], v["q" .. i] = 0.1*i, 0.05*i - 0.3 end
  return { q = q, v = v, t = 0.001 }
end

describe("an arm of many bodies", function()
  it("takes the same number of operations for every further joint", function()
    local counts = {}
    for _, n in ipairs{ 12, 24, 36, 48 } do
      local run = by_bodies(n):simulate(start(n))
      assert.is_true(run.model:by_graph())
      counts[#counts + 1] = run.model:operations()
    end
    local first = counts[2] - counts[1]
    for i = 3, 4 do check.near((counts[i] - counts[i - 1])/first, 1, 0.05, "operations of 12 more joints") end
    assert.is_true(counts[4] < 48*400)
  end)

  it("takes as many operations as energies written by recursion by hand, and moves alike", function()
    for _, n in ipairs{ 6, 12, 36 } do
      local one, other = by_bodies(n):simulate(start(n)), by_hand(n):simulate(start(n))
      check.near(one.model:operations()/other.model:operations(), 1, 0.05, ("operations of %d joints"):format(n))
      local size = 0
      for _, a in pairs(other:at(0).a) do size = math.max(size, math.abs(a)) end
      for name, a in pairs(other:at(0).a) do assert.is_true(math.abs(one:at(0).a[name] - a) <= 1e-12*size) end
      check.near(one:at(0).energy, other:at(0).energy, 1e-13, "energy")
    end
  end)

  it("has forces at the tip by their power, in as many operations for every further joint", function()
    local counts = {}
    for k, n in ipairs{ 12, 24, 36 } do
      local pushed, in_field = by_bodies(n), by_bodies(n)
      local tip = pushed._bodies[n]
      local arm = tip.frame:vector(0.2, -0.1, 0.3)
      pushed:force(tip, pushed:frame():vector(3, -2, 1), tip.at + arm)
      -- a couple about the vertical axis of the first joint does work by its angle alone where that frame carries it
      pushed:torque(pushed._bodies[1], pushed:frame():vector(0, 0, 2))
      local other = in_field._bodies[n]
      local place = other.at.place + other.frame:vector(0.2, -0.1, 0.3)
      in_field:potential_energy(-in_field:frame():vector(3, -2, 1):dot(place) - 2*in_field:coordinate_list()[1])
      local one, two, size = pushed:simulate(start(n)), in_field:simulate(start(n)), 0
      for _, a in pairs(two:at(0).a) do size = math.max(size, math.abs(a)) end
      for name, a in pairs(two:at(0).a) do assert.is_true(math.abs(one:at(0).a[name] - a) <= 1e-11*size) end
      counts[k] = one.model:operations()
    end
    check.near((counts[3] - counts[2])/(counts[2] - counts[1]), 1, 0.05, "operations of 12 more joints")
  end)

  it("whose gravity has a parameter of zero in one direction runs", function()
    local S = hm.system "arm"
    local N = S:frame "N"
    local gx, gz = S:parameters "gx=0 gz=9.81"
    local frame = N
    for i, q in ipairs(coordinates(S, 5)) do
      frame = frame:rotate(axes[(i - 1) % #axes + 1], q)
      S:body("b" .. i, { at = S.origin + frame:vector(table.unpack(CENTRE)), frame = frame, mass = 1, inertia = MOMENTS })
    end
    S:gravity(gx*N.x - gz*N.z)
    local run = S:simulate(start(5))
    assert.are.equal("OK", run.status)
    assert.is_true(run.energy_drift < 1e-10)
  end)

  it("has the kinetic energy of its bodies, whichever are declared first", function()
    local S = by_bodies(7)
    local sum = 0
    for _, body in ipairs(S._bodies) do sum = sum + body:kinetic_energy() end
    assert.is_true((S:kinetic_energy() - sum):is_zero())
    -- the first three alone are written by products of vectors
    local short = by_bodies(3)
    assert.is_true((short._bodies[3]:kinetic_energy() - S._bodies[3]:kinetic_energy()):is_zero())
  end)

  it("has the motion of six particles for each body, where it branches, slides, turns about oblique axes and is driven", function()
    -- particles of a sixth of the mass at distances a, b, c on both sides along the axes; velocities are derivatives of positions in the inertial frame
    local half = { number "1/10", number "1/5", number "3/20" }
    local function tree(of_particles)
      local S = hm.system "tree"
      local N = S:frame "N"
      local q1, q2, q3, q4, q5, s = S:coordinates "q1 q2 q3 q4 q5 s"
      local m, rate, none = S:parameters "m=1.3 rate=0.7 none=0"
      local A = N:rotate("z", q1 + rate*hm.t)
      local B = A:rotate(A:vector(1, 2, -2), q2)
      local C = B:rotate("x", hm.sin(rate*hm.t)):rotate("y", 2*q3 - q1)
      local D, E = C:rotate("z", q4), B:rotate("y", number "0.3"):rotate("x", q5)
      local root = S.origin + A:vector(none, number "0.1", number "0.2")
      local elbow = root + B:vector(s, number "-0.2", none*s)
      local T, V = number "0", number "0"
      for i, place in ipairs{ { A, root }, { B, elbow }, { C, elbow + C.x/3 }, { D, elbow + C.x/2 + D:vector(number "0.1", none, number "0.2") },
                              { E, elbow + E:vector(number "0.2", number "0.1", number "-0.3") } } do
        local frame, centre = place[1], place[2]
        if of_particles then
          for k, axis in ipairs{ frame.x, frame.y, frame.z } do
            for side = -1, 1, 2 do
              local r = { (centre + side*half[k]*axis).place:components(N) }
              for c = 1, 3 do T = T + m/12*hm.dt(r[c])^2 end
              V = V + m/6*STRENGTH*r[3]
            end
          end
        else
          local a, b, c = half[1]^2, half[2]^2, half[3]^2
          S:body("b" .. i, { at = centre, frame = frame, mass = m, inertia = { m/3*(b + c), m/3*(a + c), m/3*(a + b) } })
        end
      end
      if of_particles then return S:kinetic_energy(T):potential_energy(V) end
      return S:gravity(-STRENGTH*N.z)
    end
    local q = { q1 = 0.1, q2 = 0.4, q3 = -0.3, q4 = 0.7, q5 = 0.5, s = 0.2 }
    local v = { q1 = 0.5, q2 = -0.8, q3 = 0.3, q4 = 0.6, q5 = -0.4, s = 0.1 }
    for _, elimination in ipairs{ "dense", "graph" } do
      local o = { q = q, v = v, t = { 0.3, 0.4 }, rtol = 1e-11, atol = 1e-12, elimination = elimination }
      local one, other, size = tree(false):simulate(o):at(0.4), tree(true):simulate(o):at(0.4), 0
      for _, a in pairs(other.a) do size = math.max(size, math.abs(a)) end
      for name, a in pairs(other.a) do assert.is_true(math.abs(one.a[name] - a) <= 1e-8*size, elimination .. ": " .. name) end
      check.near(one.energy, other.energy, 1e-9, "energy")
    end
  end)
end)
