-- The verdict on the energy balance of a run does not depend on a constant of the potential energy, nor on a power that drives nothing.
-- Arbiters: the same system without the constant, and closed forms.
local hm = require "hamel"

local function pendulum(more)
  local S = hm.system "pendulum"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(-hm.cos(x) + more)
  return S
end

local function run(S, method, tolerance, more)
  local o = { q = { x = 1 }, v = { x = 0 }, t = 200, method = method, rtol = tolerance, atol = tolerance, progress = false }
  for key, value in pairs(more or {}) do o[key] = value end
  return S:simulate(o)
end

local METHODS, TOLERANCES = { "dop853", "taylor", "rkf45", "radau5", "rk8pd" }, { 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12 }

describe("the verdict on an energy balance", function()
  it("is the same with every constant of the potential energy", function()
    local off = 0
    for _, method in ipairs(METHODS) do
      for _, tolerance in ipairs(TOLERANCES) do
        local known = run(pendulum(0), method, tolerance)
        off = off + (known.status == "INACCURATE" and 1 or 0)
        for _, constant in ipairs{ 1, -1, 1000, -1e6 } do
          local other = run(pendulum(constant), method, tolerance)
          assert.equal(known.status, other.status, ("%s at %g with %g"):format(method, tolerance, constant))
          assert.equal(known.reason, other.reason)
          assert.is_true(math.abs(other.energy_drift - known.energy_drift) <= 1e-3*known.energy_drift + 1e-14*(1 + math.abs(constant)))
        end
      end
    end
    assert.is_true(off >= 2, off)
  end)

  it("finds a lost motion below a large constant, with all steps, the ends alone and in sweeps", function()
    local S = pendulum(1000)
    assert.equal("INACCURATE", run(S, "rkf45", 1e-3).status)
    assert.equal("INACCURATE", run(S, "rkf45", 1e-3, { record = "ends" }).status)
    local W = S:sweep{ over = { { "x", { 1 } } }, v = { x = 0 }, t = 200, method = "rkf45", rtol = 1e-3, atol = 1e-3, progress = false }
    assert.equal("INACCURATE", W[1].status)
  end)

  it("does not take the rounding of a constant for an error of the motion", function()
    for _, method in ipairs{ "dop853", "taylor" } do
      for _, constant in ipairs{ 1e6, 1e9, 1e12 } do
        for _, record in ipairs{ "steps", "ends" } do
          assert.equal("OK", run(pendulum(constant), method, 1e-13, { t = 20, record = record }).status, ("%s with %g"):format(method, constant))
        end
      end
    end
  end)

  -- V = -cos x + 1000 t: the work of the last term is its change
  it("is the same with a power that does not change the motion", function()
    for _, tolerance in ipairs(TOLERANCES) do
      assert.equal(run(pendulum(0), "rkf45", tolerance).status, run(pendulum(1000*hm.t), "rkf45", tolerance).status, ("at %g"):format(tolerance))
    end
  end)

  it("is the same in every unit of energy", function()
    for _, unit in ipairs{ 1e-12, 1e9 } do
      local S = hm.system "pendulum"
      local x = S:coordinates "x"
      S:kinetic_energy(hm.number(unit)*x.dot^2/2)
      S:potential_energy(hm.number(unit)*(1000 - hm.cos(x)))
      for _, tolerance in ipairs(TOLERANCES) do assert.equal(run(pendulum(0), "rkf45", tolerance).status, run(S, "rkf45", tolerance).status) end
    end
  end)

  -- the kinetic energy of a motion round a circle does not change: no energy is exchanged
  it("passes steady motions and those near them", function()
    local S = hm.system "planet"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(1000 - 1/hm.sqrt(x^2 + y^2))
    local P = hm.system "polar"
    local r, phi = P:coordinates "r phi"
    P:kinetic_energy((r.dot^2 + r^2*phi.dot^2)/2)
    P:potential_energy(-1/r)
    for _, method in ipairs(METHODS) do
      for _, v in ipairs{ 1, 1 + 1e-9, 1 + 1e-5, 1.001 } do
        for _, tolerance in ipairs{ 1e-6, 1e-9, 1e-12 } do
          for _, record in ipairs{ "steps", "ends" } do
            local o = { t = 60, method = method, rtol = tolerance, atol = tolerance, record = record, progress = false }
            o.q, o.v = { x = 1, y = 0 }, { x = 0, y = v }
            assert.equal("OK", S:simulate(o).status, ("%s at %g, %s, v = %.9g"):format(method, tolerance, record, v))
            o.q, o.v = { r = 1, phi = 0 }, { r = 0, phi = v }
            assert.equal("OK", P:simulate(o).status, ("%s at %g, %s, v = %.9g"):format(method, tolerance, record, v))
          end
        end
      end
    end
  end)
end)
