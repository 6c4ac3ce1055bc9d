-- Runs whose forces have corners, jumps, windows and measured data, by every method
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local methods = { "dop853", "rkf45", "rk8pd", "msadams", "msbdf", "radau5", "auto", "taylor", "rk4", "gauss4", "gauss6", "gauss8" }
local loose = { msadams = 3e-6, msbdf = 3e-6, rkf45 = 1e-7, radau5 = 1e-7, rk4 = 3e-6, gauss4 = 3e-6 }
local fixed = { rk4 = true, gauss4 = true, gauss6 = true, gauss8 = true }

local function body(force, potential)
  local S, x = mechanics.body("body", "x")
  if potential then S:potential_energy(potential(x)) end
  if force then S:force(x, force(x, x.dot)) end
  return S
end

local function run(S, method, t, x, v)
  return S:simulate{ q = { x = x or 0 }, v = { x = v or 0 }, t = t, method = method, step = fixed[method] and 0.01 or nil }
end

-- The position at t is `wanted` by all methods, or by those listed
local function everywhere(S, t, wanted, x, v, which)
  for _, method in ipairs(which or methods) do
    local r = run(S, method, t, x, v)
    -- the work of a multistep method, which is not part of the motion, may be too coarse for the energy balance
    if r.status ~= "OK" and r.status ~= "INACCURATE" then error(method .. ": " .. r.reason) end
    near(r:at(type(t) == "table" and t[2] or t).x, wanted, loose[method] or 3e-9, method)
  end
end

-- x'' = sign(sin(w t)), from rest
local function switched(w, t)
  local x, v, s = 0, 0, 1
  while t > 0 do
    local h = math.min(math.pi/w, t)
    x, v, s, t = x + v*h + s*h*h/2, v + s*h, -s, t - h
  end
  return x
end

describe("a force that is switched", function()
  it("is followed from switch to switch, however long the steps", function()
    for _, w in ipairs{ 5, 50 } do
      everywhere(body(function() return hm.sign(hm.sin(w*hm.t)) end), 10, switched(w, 10))
    end
  end)

  it("is followed backward, from a switch and to a switch", function()
    local S = body(function() return hm.sign(hm.t - 1) end)
    everywhere(S, { 1, 2 }, 1/2)
    everywhere(S, { 0, 1 }, -1/2)
    everywhere(S, { 1, 0 }, -1/2)
    everywhere(S, { 3, 0 }, 1, 3.5, 2)
  end)

  it("has the same values of the acceleration on the run as at its states", function()
    local r = run(body(function(x) return hm.sign(hm.sin(5*hm.t)) - x end), "dop853", 4)
    for k = 0, 40 do
      local t = 0.05 + k/11
      near(r:at(t, "x''"), (math.sin(5*t) > 0 and 1 or -1) - r:at(t).x, 1e-12)
    end
  end)
end)

describe("a force that acts for a moment", function()
  -- the impulse I and the first moment of a hill of half width d give x = I (t - t0)
  it("is met by every method", function()
    for _, half in ipairs{ 0.1, 1e-2, 1e-3 } do
      everywhere(body(function() return hm.max(0, 1 - ((hm.t - 3)/half)^2)/half end), 10, 4/3*7)
    end
    everywhere(body(function() return 100*(hm.sign(hm.t - 3) - hm.sign(hm.t - 3.01))/2 end), 10, 0.01^2/2*100 + 6.99)
  end)

  it("is met in place, too", function()
    local S = body(function(x) return hm.max(0, 1 - ((x - 3)/1e-2)^2) end)
    local v = math.sqrt(1 + 2*4/3*1e-2)                                      -- behind the hill, by the work on it
    for _, method in ipairs(methods) do
      if method ~= "rk4" then near(run(S, method, 10, 0, 1):at(10).v.x, v, loose[method] or 1e-8, method) end
    end
  end)

  it("may be a clipped sine", function()
    local w, x, v, at = 5.861, 0, 0, 0
    local function X(s) return -math.sin(w*s)/w^2 - s*s/4 end
    local function V(s) return -math.cos(w*s)/w - s/2 end
    for k = 0, 9 do
      local a, b = (math.pi/6 + 2*math.pi*k)/w, math.min((5*math.pi/6 + 2*math.pi*k)/w, 10)
      if a < 10 then x, v, at = x + v*(b - at) + X(b) - X(a) - V(a)*(b - a), v + V(b) - V(a), b end
    end
    everywhere(body(function() return hm.max(0, hm.sin(w*hm.t) - 1/2) end), 10, x + v*(10 - at))
  end)
end)

describe("measured data", function()
  local x, y = { 0, 1, 1.001, 2.5, 4, 4.3, 7 }, { 0, 2, -1, 1, 1, -2, 0.5 }
  -- the integral of (t - s) u(s), exact for pieces of order three
  local function response(u, t)
    local sum = 0
    for i = 2, #x do
      local a, b = x[i - 1], math.min(x[i], t)
      for _, node in ipairs{ -1, 0, 1 } do
        local s = (a + b)/2 + (b - a)/2*node*math.sqrt(3/5)
        if b > a then sum = sum + (b - a)/2*(node == 0 and 8 or 5)/9*(t - s)*u(s) end
      end
    end
    return sum
  end

  it("are followed from point to point", function()
    for _, kind in ipairs{ "linear", "steffen", "akima", "cubic" } do
      local u = hm.data{ x = x, y = y, kind = kind, name = kind .. "_course" }
      local size = kind == "cubic" and 100 or 1                                  -- its overshoot
      for _, t in ipairs{ 7, 5.2 } do everywhere(body(function() return u(hm.t)/size end), t, response(u, t)/size) end
    end
  end)

  it("may be a force of place", function()
    local u = hm.data{ x = { -2, 0, 2 }, y = { 2, 0, -8 }, kind = "linear", name = "bent_spring" }
    -- stiffness 4 above zero, 1 below: half periods pi/2 and pi
    everywhere(body(function(at) return u(at) end), 9*math.pi/4, -1, 1/2)
  end)

  it("stop a run at their end, unless it ends there", function()
    local u = hm.data{ x = { 0, 1, 2 }, y = { 0, 1, 0 }, kind = "linear", name = "ramp" }
    local S = body(function() return u(hm.t) end)
    for _, method in ipairs{ "dop853", "msadams", "radau5", "rk4" } do
      local r = run(S, method, 3)
      assert.equal("NOT_FINITE", r.status)
      near(r.outcome.t, 2, 1e-14)
      assert.truthy(r.reason:find("ramp(t) is not a number from t = 2 on; the points of the data reach from 0 to 2", 1, true))
    end
    everywhere(S, 2, 1)
    everywhere(S, { 2, 0 }, 1)
    check.raises({ "ramp(t)" }, run, S, "dop853", { 2, 3 })
  end)
end)

describe("corners in place", function()
  it("of a potential |x| leave its parabolas", function()
    everywhere(body(nil, hm.abs), 10*math.sqrt(2), -1, 1)                                -- half a period is 2 sqrt 2
  end)

  it("keep the body that rests on them", function()
    for _, method in ipairs(methods) do
      assert.equal(0, run(body(nil, hm.abs), method, 5):at(5).x)
      assert.equal(0, run(body(function(_, v) return -hm.sign(v) end), method, 5):at(5).x)
    end
  end)

  it("and let it go when it is pushed", function()
    local later = body(function(_, v) return hm.abs(v) + hm.max(0, hm.t - 1) end)      -- v' = v + t - 1
    local earlier = body(function(_, v) return -hm.abs(v) - hm.max(0, hm.t - 1) end)
    local wanted = math.exp(2) - 1 - 2 - 2
    everywhere(later, 3, wanted)
    everywhere(earlier, 3, -wanted)
  end)

  it("may stand inside roots and quotients", function()
    local S = body(function(x) return 1000*hm.max(0, -x)^(3/2) - 1 end)                 -- a ball on an elastic floor
    local at = run(S, "dop853", 10, 1):at(10)
    for _, method in ipairs{ "dop853", "rkf45", "rk8pd", "msadams", "auto" } do
      local r = run(S, method, 10, 1):at(10)
      near(r.x, at.x, 1e-5)
      near(r.v.x^2/2 + r.x + 400*math.max(0, -r.x)^2.5, 1, 1e-6, method)
    end
  end)

  it("of angles are met", function()
    local function wrapped(s) return s - 2*math.pi*math.floor(s/(2*math.pi) + 1/2) end
    local sum, t = 0, 4
    for k = 0, 3 do
      local a, b = math.max(0, (2*k - 1)*math.pi/5), math.min(t, (2*k + 1)*math.pi/5)
      for _, node in ipairs{ -1, 1 } do
        local s = (a + b)/2 + (b - a)/2*node/math.sqrt(3)
        if b > a then sum = sum + (b - a)/2*(t - s)*wrapped(5*s) end
      end
    end
    everywhere(body(function() return hm.atan2(hm.sin(5*hm.t), hm.cos(5*hm.t)) end), t, sum)
    everywhere(body(function() return hm.atan(hm.tan(5*hm.t/2)) end), t, sum/2)
  end)
end)

describe("a force that drives back from both sides", function()
  it("stops the run and names the place", function()
    local S = body(function(x, v) return -hm.sign(v) - x end)                             -- sticks after one swing
    for _, method in ipairs(methods) do
      local r = run(S, method, 20, 2.5)
      assert.equal("SINGULAR", r.status)
      near(r.outcome.t, math.pi, 1e-5)
      assert.truthy(r.reason:find("x' = 0 from both sides", 1, true) and r.reason:find("S:friction", 1, true))
      near(r:at(math.pi - 0.1).x, 1 - 1.5*math.cos(0.1), 3e-5)
    end
  end)

  it("or switches ever faster stops it, too", function()
    local r = run(body(function(x, v) return -hm.sign(v)/2 - hm.sign(x) end), "dop853", 30, 1)
    assert.equal("SINGULAR", r.status)
    assert.truthy(r.reason:find("accumulate", 1, true))
  end)
end)

describe("corners beside other things", function()
  local function driven()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local w = S:parameters "w=5"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, hm.sign(hm.sin(w*hm.t)) - x)
    return S, x
  end

  it("are the same in sweeps, with events, checkpoints and few points", function()
    local S, x = driven()
    local o = { q = { x = 0 }, v = { x = 0 }, t = 10 }
    local wanted = S:simulate(o):at(10).x
    local W = S:sweep{ over = { { "w", { 3, 5, 7 } } }, q = o.q, v = o.v, t = 10 }
    near(W[2].x, wanted, 1e-9)
    near(W[3].x, S:simulate{ q = o.q, v = o.v, t = 10, parameters = { w = 7 } }:at(10).x, 1e-9)
    local r = S:simulate{ q = o.q, v = o.v, t = 10, events = { { name = "top", when = x.dot, direction = "falling" } } }
    near(r:at(10).x, wanted, 1e-12)
    for _, event in ipairs(r.events) do near(r:at(event.t).v.x, 0, 1e-9) end
    near(S:simulate{ q = o.q, v = o.v, t = 10, record = "ends" }:at(10).x, wanted, 1e-12)
    near(S:simulate{ q = o.q, v = o.v, t = 10, dense = false }:at(10).x, wanted, 1e-12)
    for i = 2, r.raw:points() do assert.is_true(r.raw:time(i) > r.raw:time(i - 1)) end
  end)

  -- arbiter: parabolas between switches, impacts and tops
  it("are met between impacts", function()
    local S, y = mechanics.body("ball", "y")
    S:force(y, -10 - 5*hm.sign(hm.sin(7*hm.t)) - hm.sign(y.dot))
    S:unilateral("floor", y, { law = hm.newton(0.8) })
    for _, method in ipairs{ "dop853", "radau5", "rkf45" } do
      local r = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 1.5, method = method }
      near(r:at(1).y, 1.0103815618972, 1e-7, method)
      near(r:at(1.5).y, 0.65317856298332, 1e-7, method)
    end
  end)

  -- arbiter: the work of the pulse, 4/3 of its sign, by hand: v^2 = 9 + 8/3 behind it
  it("are narrower than the step before them: the first step behind a corner is chosen anew", function()
    for _, width in ipairs{ 1e-3, 3.6e-5, 6.6e-6, 1e-6 } do
      for _, sign in ipairs{ 1, -1 } do
        for _, method in ipairs{ "dop853", "radau5", "auto", "rkf45" } do
          local S, x = mechanics.body("body", "x")
          S:force(x, sign/width*hm.max(0, 1 - ((x - 5.03)/width)^2))
          local r = S:simulate{ q = { x = 0 }, v = { x = 3 }, t = 4, method = method }
          local v = math.sqrt(9 + sign*8/3)
          if r.status == "OK" then near(r:at(4).v.x, v, 3e-6, method .. ", width " .. width) end
          near(r:at(3).v.x, v, 1e-3, method .. ", width " .. width)
        end
      end
    end
  end)
end)
