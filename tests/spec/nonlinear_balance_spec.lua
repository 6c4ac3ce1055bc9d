-- the energy balance of forms without multipliers, with nonlinear constraints whose reactions do work
local hm = require "hamel"
local check = require "check"

local function parting()                                                    -- linear in no velocity
  local S = hm.system "parting"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(x^2/3 + y)
  S:constraint("c", y.dot^2 - x.dot^2 - 1 - hm.t)
  return S, { q = { x = 0, y = 0 }, v = { x = 0.5, y = math.sqrt(1.25) } }, { "maggi", "hamel", "kane", "appell", "volterra" }
end

local function driven()                                                     -- linear in z'
  local S = hm.system "driven"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + 2*z.dot^2 + x.dot*z.dot*hm.sin(y)/2)/2)
  S:potential_energy(x^2/3 + y + z^2)
  S:force(x, -x.dot/7 + hm.cos(hm.t))
  S:constraint("c", z.dot - x.dot^2/3 - y.dot^2/3*(1 + hm.t) - hm.rational(1, 2))
  return S, { q = { x = 0, y = 0, z = 0 }, v = { x = 0.5, y = 0.2 } }, { "maggi", "hamel", "kane", "appell", "volterra", "voronets" }
end

describe("the energy balance with nonlinear constraints that work", function()
  for name, make in pairs{ parting = parting, driven = driven } do
    it("is kept in every form: " .. name, function()
      local S, o, forms = make()
      o.t, o.rtol, o.atol = 2, 1e-11, 1e-11
      local lagrange = S:simulate(o)
      local function energies(run) return run:at(0).energy, run:at(2).energy end
      local first, last = energies(lagrange)
      assert(math.abs(last - first) > 0.01)                                 -- the reactions and forces do work
      for _, form in ipairs(forms) do
        o.form = form
        local run = S:simulate(o)
        assert(run.energy_drift < 1e-9, form)
        local a, b = energies(run)
        check.near(b - a, last - first, 1e-8)
      end
    end)
  end
end)
