-- runs that begin where a wall, a support, a belt or a mass changes at once: on the side to which the motion leads
local hm, check = require "hamel", require "check"

local t, half = hm.t, hm.number "0.5"
local forms = { "lagrange", "nielsen", "maggi", "kane", "hamel", "appell", "canonical" }

local function system(names, declare)
  local S = hm.system "starts"
  declare(S, S:coordinates(names))
  return S
end

-- 0 up to t = 1, then with the speed 1
local corners = {
  max = hm.max(t - 1, 0), where = hm.where(t:lt(1), 0*t, t - 1), ramp = 2*hm.ramp(t, 1, 3), absolute = (t - 1 + hm.abs(t - 1))/2,
  data = hm.data{ x = { 0, 1, 3 }, y = { 0, 0, 2 }, kind = "linear", name = "drive" }(t),
}

describe("a run that begins on the corner of a wall", function()
  it("is struck by the wall that starts to move", function()
    for name, s in pairs(corners) do
      local S = system("h", function(S, h)
        S:kinetic_energy(h.dot^2/2)
        S:force(h, -1)
        S:unilateral("wall", h - s, { law = hm.newton(0.5) })
      end)
      local run = S:simulate{ q = { h = 0 }, v = { h = 0 }, t = { 1, 1.4 } }
      assert.same({ "OK", 1 }, { run.status, #run.impacts }, name)
      check.near(run:at(1.4).h, 1.5*0.4 - 0.4^2/2, 1e-9, name)             -- thrown at 3/2 times the speed of the wall
      local W = S:sweep{ over = { { "v.h", { 0, 2 } } }, q = { h = 0 }, t = { 1, 1.4 }, keep = { "h" } }
      check.near(W[1].h, 1.5*0.4 - 0.4^2/2, 1e-9, name)
      check.near(W[2].h, 2*0.4 - 0.4^2/2, 1e-9, name)
    end
  end)
end)

describe("a run that begins on the corner of a support", function()
  -- q' + s' is the velocity; behind the corner s'' = 0, so that q'' = -q
  local function on(s)
    return system("x", function(S, x)
      S:kinetic_energy(hm.dt(x + s)^2/2)
      S:potential_energy(x^2/2)
    end)
  end

  it("has the rates behind it in every form", function()
    for name, s in pairs(corners) do
      for _, form in ipairs(forms) do
        local run = on(s):simulate{ q = { x = 1 }, v = { x = half }, t = { 1, 1.9 }, form = form }
        assert.same("OK", run.status, name .. form)
        check.near(run:at(1.9).x, math.cos(0.9) + math.sin(0.9)/2, 1e-8, name .. form)
        check.near(run:at(1).v.x, 0.5, 1e-15, name .. form)
        assert(run.energy_drift < 1e-8, name .. form)
      end
    end
  end)

  it("also in sweeps, and backwards the rates before it", function()
    for name, s in pairs(corners) do
      for _, form in ipairs{ "lagrange", "canonical" } do
        local W = on(s):sweep{ over = { { "x", { 1, 2 } } }, v = { x = half }, t = { 1, 1.9 }, form = form, keep = { "x" } }
        assert.same({ "OK", "OK" }, { W[1].status, W[2].status }, name .. form)
        check.near(W[1].x, math.cos(0.9) + math.sin(0.9)/2, 1e-8, name .. form)
        local back = on(s):simulate{ q = { x = 1 }, v = { x = half }, t = { 1, 0.1 }, form = form }
        check.near(back:at(0.1).x, math.cos(0.9) - math.sin(0.9)/2, 1e-8, name .. form)
      end
    end
  end)

  it("and values on it later are those behind it", function()
    local S = on(hm.abs(t - 1))
    -- q' falls at t = 1 by the 2 by which s' grows
    local v = -1.5*math.sin(1) + 0.5*math.cos(1) - 2
    local run = S:simulate{ q = { x = 1.5 }, v = { x = half }, t = 2, form = "canonical" }
    check.near(run:at(1).v.x, v, 1e-8)
    for _, times in ipairs{ { 1 }, { half, 1, 2 } } do
      local W = S:sweep{ form = "canonical", over = { { "x", { 1.5 } } }, v = { x = half }, times = times, keep = { "x'" } }
      check.near(W[1].series[#times == 1 and 1 or 2]["x'"], v, 1e-8)
    end
  end)

  it("where rounding puts the start beside the corner", function()
    local S = on(hm.abs(hm.sin(3*t))/3)                                        -- the speed jumps from -1 to 1 at t = pi/3, where sin(3 t) is 1e-16
    for _, form in ipairs{ "lagrange", "canonical" } do
      local run = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = { math.pi/3, math.pi/3 + 0.5 }, form = form }
      assert.same("OK", run.status, form)
      -- q'' + q = -s'' = 3 sin(3 tau): q = 3/8 (3 sin tau - sin 3 tau)
      check.near(run:at(math.pi/3 + 0.5).x, 3/8*(3*math.sin(0.5) - math.sin(1.5)), 1e-8, form)
    end
  end)

  it("of a constraint, whose velocities are those behind it", function()
    local S = system("x y", function(S, x, y)
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(hm.number "9.81"*y)
      S:constraint("rod", (x - hm.ramp(t, 1, 2))^2 + y^2 - 1)
    end)
    for _, form in ipairs(forms) do
      local run = S:simulate{ q = { x = 0.6, y = -0.8 }, v = { x = 0.3 }, t = { 1, 1.9 }, form = form, rtol = 1e-11 }
      assert.same("OK", run.status, form)
      check.near(run:at(1).v.y, -0.6*(0.3 - 1)/(-0.8), 1e-14, form)
      -- theta'' = -9.81 sin theta from sin theta = 0.6, cos theta theta' = 0.3 - 1; x = 0.9 + sin theta
      check.near(run:at(1.9).x, 0.25130288154, 1e-9, form)
    end
    check.near(S:velocities{ q = { x = 0.6, y = -0.8 }, v = { x = 0.3 }, t = 1 }.y, -0.525, 1e-14)
    check.raises({ "'rod'", "t = 1" }, S.simulate, S, { q = { x = 0.6, y = -0.8 }, v = { x = 0.3, y = 0.225 }, t = { 1, 1.9 } })
  end)

  it("of a mass that jumps in place", function()
    local S = system("x", function(S, x) S:kinetic_energy((1 + hm.step(x))*x.dot^2/2) end)
    for speed, mass in pairs{ [1] = 2, [-1] = 1 } do
      local run = S:simulate{ q = { x = 0 }, v = { x = speed }, t = 2, form = "canonical" }
      check.near(run:at(2).x, 2*speed, 1e-12)
      check.near(run:at(0, "energy"), mass/2, 1e-14)
    end
  end)

  it("is the end of a run before", function()
    local S = on(hm.abs(t - 1)/2)
    local first = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3 }
    assert.same("IMPULSE", first.status)
    local e = first[#first]
    -- the momentum x' + s' stays: x' falls by the 1 by which s' grows
    local second = S:simulate{ q = e.q, v = { x = e.v.x - 1 }, t = { e.t, 3 } }
    assert.same("OK", second.status)
    check.near(second:at(3).x, -math.sin(2), 1e-8)
  end)
end)

describe("a belt whose speed jumps", function()
  local function on(v, more)
    return system("x", function(S, x)
      S:kinetic_energy(x.dot^2/2)
      S:friction("belt", { slip = x.dot - v, normal = 1, coefficient = 0.3 })
      if more then more(S, x) end
    end)
  end

  it("lets go what sticks, and friction takes it along again", function()
    for _, belt in ipairs{ hm.step(t - 1)/10, hm.where(t:lt(1), 0, hm.number "0.1"), (1 + hm.sign(t - 1))/20, hm.max(hm.sign(t - 1), 0)/10 } do
      local S = on(belt)
      for _, form in ipairs{ "lagrange", "nielsen" } do
        local run = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3, form = form }
        assert.same({ "OK", 2 }, { run.status, #run.switches }, form)
        check.near(run:at(3).x, 0.1*2 - 0.1^2/0.6, 1e-9, form)
        check.near(run.switches[2].t, 1 + 0.1/0.3, 1e-9, form)
      end
      local W = S:sweep{ over = { { "x", { 0, 1 } } }, v = { x = 0 }, t = 3, keep = { "x" } }
      check.near(W[2].x, 1 + 0.1*2 - 0.1^2/0.6, 1e-9)
      check.near(S:simulate{ q = { x = 0 }, v = { x = 0 }, t = { 1, 3 } }:at(3).x, 0.1*2 - 0.1^2/0.6, 1e-9)
    end
  end)

  it("turns the friction of what slips", function()
    local run = on(hm.step(t - 1)*2):simulate{ q = { x = 0 }, v = { x = 1 }, t = 3 }
    -- 1 - 0.3 t up to t = 1, then faster at 0.3 up to the end
    check.near(run:at(3).x, 1 - 0.15 + 0.7*2 + 0.15*4, 1e-9)
    assert.same(1, #run.switches)
  end)

  it("stops under a block, which slips to rest on it", function()
    local run = on(1 - hm.step(t - 1)):simulate{ q = { x = 0 }, v = { x = 1 }, t = 6 }
    check.near(run:at(6).x, 1 + 1/0.6, 1e-9)
  end)

  it("jumps under a floor that presses, too", function()
    local S = system("x y", function(S, x, y)
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(y, -1)
      S:unilateral("floor", y, { law = hm.plastic() })
      S:friction("belt", { slip = x.dot - hm.step(t - 1)/10, normal = "floor", coefficient = 0.3 })
    end)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 3 }
    assert.same("OK", run.status)
    check.near(run:at(3).x, 0.1*2 - 0.1^2/0.6, 1e-9)
  end)
end)

describe("a wire with a bend", function()
  it("is passed with the speed along it", function()
    local S = system("x", function(S, x)
      S:kinetic_energy((x.dot^2 + hm.dt(hm.abs(x - 1))^2)/2)
      S:potential_energy(x/10)
    end)
    for _, form in ipairs(forms) do
      local run = S:simulate{ q = { x = 0 }, v = { x = 1.5 }, t = 3, form = form }
      assert.same("OK", run.status, form)
      check.near(run:at(3).x, 1.5*3 - 0.05*9/2, 1e-9, form)
      assert(run.energy_drift < 1e-10, form)
    end
  end)
end)
