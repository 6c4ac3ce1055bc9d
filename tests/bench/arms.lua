-- arms.lua: spatial mechanisms by bodies and by hand: an arm of six joints and a chain of five links that swing both ways, derived and run. By hand the
-- energies come from positions and rotation matrices. Ratios of the times, by bodies over by hand.
local hm = require "hamel"
local core = require "hamel.core"
local clock, sin, cos = os.clock, hm.sin, hm.cos              -- of the processor, in all threads

local M, L, G = 1.3, 0.4, 9.81
local J = { 0.02, 0.025, 0.006 }        -- of a link about its mass centre

-- Axes of the joints in turn
local mechanisms = {
  { name = "arm of 6 joints", axes = { "z", "y", "y", "x", "y", "x" }, ends = { 1, 2, 3, 4, 5, 6 } },
  { name = "chain of 5 links", axes = { "x", "y", "x", "y", "x", "y", "x", "y", "x", "y" }, ends = { 2, 4, 6, 8, 10 } },
}

local function names(n)
  local list = {}
  for i = 1, n do list[i] = "q" .. i end
  return table.concat(list, " ")
end

local function by_bodies(mechanism)
  local S = hm.system(mechanism.name)
  local q, frame, knee, k = { S:coordinates(names(#mechanism.axes)) }, S:frame "N", S.origin, 1
  for i, axis in ipairs(mechanism.axes) do
    frame = frame:rotate(axis, q[i])
    if mechanism.ends[k] == i then
      S:body("link" .. k, { at = knee - L/2*frame.z, frame = frame, mass = M, inertia = J })
      knee, k = knee - L*frame.z, k + 1
    end
  end
  S:gravity(-G*S:frame().z)
  return S
end

local function product(A, B)
  local C = { {}, {}, {} }
  for i = 1, 3 do for j = 1, 3 do C[i][j] = A[i][1]*B[1][j] + A[i][2]*B[2][j] + A[i][3]*B[3][j] end end
  return C
end

local about = {
  x = function(a) return { { 1, 0, 0 }, { 0, cos(a), -sin(a) }, { 0, sin(a), cos(a) } } end,
  y = function(a) return { { cos(a), 0, sin(a) }, { 0, 1, 0 }, { -sin(a), 0, cos(a) } } end,
  z = function(a) return { { cos(a), -sin(a), 0 }, { sin(a), cos(a), 0 }, { 0, 0, 1 } } end,
}
local place = { x = 1, y = 2, z = 3 }

local function by_hand(mechanism)
  local S = hm.system(mechanism.name .. " by hand")
  local q, R, k = { S:coordinates(names(#mechanism.axes)) }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, 1
  local knee, w, T, V = { 0, 0, 0 }, { 0, 0, 0 }, {}, {}
  for i, axis in ipairs(mechanism.axes) do
    local A, rate = about[axis](q[i]), {}
    R = product(R, A)
    -- the angular velocity in the turned axes
    for j = 1, 3 do rate[j] = A[1][j]*w[1] + A[2][j]*w[2] + A[3][j]*w[3] end
    rate[place[axis]] = rate[place[axis]] + q[i].dot
    w = rate
    if mechanism.ends[k] == i then
      local v = {}
      for j = 1, 3 do
        v[j] = hm.dt(hm.number(0) + knee[j] - L/2*R[j][3])
        knee[j] = knee[j] - L*R[j][3]
      end
      T[k] = M/2*(v[1]^2 + v[2]^2 + v[3]^2) + (J[1]*w[1]^2 + J[2]*w[2]^2 + J[3]*w[3]^2)/2
      V[k] = M*G*(knee[3] + L/2*R[3][3])
      k = k + 1
    end
  end
  S:kinetic_energy(core.sum(T))
  S:potential_energy(core.sum(V))
  return S
end

local ROUNDS = 12

-- Adds the times of one round to the best so far
local function round(make, mechanism, best)
  local q, v = {}, {}
  for i = 1, #mechanism.axes do q["q" .. i], v["q" .. i] = 0.3 + 0.1*i, 0.2*i - 0.5 end
  collectgarbage()
  local t0 = clock()
  local S = make(mechanism)
  local t1 = clock()
  S:equations "lagrange"
  local t2 = clock()
  S:simulate{ q = q, v = v, t = 1e-6 }
  local t3 = clock()
  local run = S:simulate{ q = q, v = v, t = 10, rtol = 1e-9 }
  local t4 = clock()
  local now = { declared = t1 - t0, derived = t2 - t1, prepared = t3 - t2, ["10 s"] = t4 - t3, rate = (t4 - t3)/run.outcome.evaluations, all = t4 - t0 }
  for what, time in pairs(now) do best[what] = math.min(best[what] or math.huge, time) end
  return run
end

for _, mechanism in ipairs(mechanisms) do
  local one, other, run, hand = {}, {}, nil, nil
  for _ = 1, ROUNDS do                 -- in turn: the machine may be slower for a while
    run = round(by_bodies, mechanism, one)
    hand = round(by_hand, mechanism, other)
  end
  print(("%s: %s"):format(mechanism.name, math.abs(run:at(1).q1 - hand:at(1).q1) < 1e-6 and "the same motion" or "ANOTHER MOTION"))
  for _, what in ipairs{ "declared", "derived", "prepared", "10 s", "all" } do
    print(("  %-9s by bodies %8.1f ms, by hand %8.1f ms, ratio %.2f"):format(what, 1e3*one[what], 1e3*other[what], one[what]/other[what]))
  end
  print(("  %-9s by bodies %8.3f us, by hand %8.3f us, ratio %.2f"):format("a rate", 1e6*one.rate, 1e6*other.rate, one.rate/other.rate))
end
