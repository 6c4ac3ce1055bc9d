-- forms that solve constraints for velocities keep signs and magnitudes as they are, so that they have values where their arguments vanish
local hm, check = require "hamel", require "check"

local t = hm.t
local forms = { "lagrange", "nielsen", "chaplygin", "voronets", "maggi", "hamel", "kane", "appell", "volterra", "canonical" }

local function system(declare)
  local S = hm.system "switched"
  declare(S, S:coordinates "x y z w")
  return S
end

describe("a constraint whose speed is switched in time", function()
  local cases = {
    alone = function(_, y) return y.dot - hm.where(t:lt(1), 1, 2) end,
    times_a_velocity = function(x, y) return y.dot - hm.where(t:lt(1), 1, 2)*x.dot end,
    by_a_step = function(x, y) return y.dot - hm.step(t - 1)*x.dot end,
    of_a_place = function(_, y) return y - hm.where(t:lt(1), t, 2*t - 1) end,
  }

  it("ends a run of every form with the same words", function()
    for name, constraint in pairs(cases) do
      local S = system(function(S, x, y, z, w)
        S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + w.dot^2)/2)
        S:constraint("c", constraint(x, y))
      end)
      local reason
      for _, form in ipairs(forms) do
        local run = S:simulate{ q = { x = -1, y = name ~= "of_a_place" and 0 or nil, z = 0, w = 0 }, v = { x = 1, z = 0, w = 0 }, t = 3, form = form }
        assert.same("IMPULSE", run.status, name .. form)
        check.near(run.outcome.t, 1, 1e-9, name .. form)
        reason = reason or run.reason
        assert.same(reason, run.reason, name .. form)
      end
    end
  end)
end)

describe("a constraint whose slope is switched in place", function()
  -- the momenta that the form 'canonical' keeps belong to a velocity that leads back
  it("ends a run of every form with the same words, where kept momenta turn back, too", function()
    local S = system(function(S, x, y, z, w)
      S:kinetic_energy((x.dot^2 + 2*y.dot^2 + z.dot^2 + w.dot^2)/2)
      S:force(x, -0.7)
      S:constraint("c", y.dot - hm.sign(x - hm.rational(1, 4))*x.dot + z.dot)
    end)
    local reason
    for _, form in ipairs(forms) do
      local run = S:simulate{ q = { x = 0, y = 0, z = 0, w = 0 }, v = { x = 1, z = 0.5, w = 0 }, t = 2, form = form }
      assert.same("IMPULSE", run.status, form)
      reason = reason or run.reason:match("the velocity condition of 'c' jumps by %-1%.777")
      assert.same(reason, run.reason:match("the velocity condition of 'c' jumps by %-1%.777"), form)
    end
    assert.is_truthy(reason)
  end)
end)

describe("a constraint whose slope has corners", function()
  -- arbiter: Lagrange's equations with multipliers, which solve no constraint for velocities
  local function agree(declare, starts, without)
    for _, start in ipairs(starts) do
      local value
      for _, form in ipairs(forms) do
        if form ~= without then
          local run = system(declare):simulate{ q = start.q, v = start.v, t = 2, form = form, rtol = 1e-10, atol = 1e-12 }
          assert.same("OK", run.status, ("%s: %s"):format(form, run.reason))
          local x = run:at(2).x
          value = value or x
          check.near(x, value, 1e-7, form)
        end
      end
    end
  end

  it("is the same in every form, through the corner and from it", function()
    local starts = {}
    for _, s in ipairs{ { -1, 1 }, { 0, 1 }, { 0, -1 }, { 0, 0 }, { 0.25, -1 } } do
      starts[#starts + 1] = { q = { x = s[1], y = 0, z = 0.3, w = 0.1 }, v = { x = s[2], z = 0.1, w = 0.2 } }
    end
    agree(function(S, x, y, z, w)
      S:kinetic_energy((x.dot^2 + y.dot^2 + 2*z.dot^2 + w.dot^2)/2)
      S:potential_energy(y/3 + x*z/5 + w*x/7)
      S:constraint("c", y.dot - x*hm.abs(x)*x.dot)
    end, starts)
    agree(function(S, x, y, z, w)
      S:kinetic_energy((x.dot^2 + y.dot^2 + 2*z.dot^2 + w.dot^2)/2)
      S:potential_energy(y/3 + x*z/5 + w*x/7)
      S:constraint("c", y.dot - (x.dot - z.dot)*hm.abs(x.dot - z.dot))
    end, starts, "canonical")
  end)

  it("is not singular where a magnitude is one, as 1/(1 + |x|) written as (1 - |x|)/(1 - x^2) is", function()
    local starts = {}
    for _, s in ipairs{ { -1, 1 }, { 0, 1 }, { 0, -1 }, { 0.25, -1 } } do
      starts[#starts + 1] = { q = { x = s[1], y = 0, z = 0.3, w = 0.1 }, v = { x = s[2], w = 0.2 } }
    end
    agree(function(S, x, y, z, w)
      S:kinetic_energy((x.dot^2 + y.dot^2 + 2*z.dot^2 + w.dot^2)/2)
      S:potential_energy(x*z/5 + w*x/7)
      S:constraint("c", (1 + hm.abs(x))*y.dot - x*hm.abs(x)*x.dot + hm.abs(x)*z.dot)
      S:constraint("d", (1 + hm.abs(x))*z.dot - x.dot*(2 + hm.sign(x)*x))
    end, starts, "chaplygin")
  end)
end)
