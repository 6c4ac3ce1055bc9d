-- Steps that end exactly on a place where constraints become dependent: there the step back onto the constraints has no hold and may land on another
-- branch. What arbitrates: the time at which a free parallelogram is flat, known in closed form, and the methods, which must agree.
local hm = require "hamel"
local mechanics = require "mechanics"

local methods = { "dop853", "taylor", "auto", "radau5", "rk8pd", "rkf45", "msadams", "msbdf" }

-- (lengths of crank and base, inertia of the coupler, start, rate)
local cases = {
  { 0.68318219608241593, 1.5190160363975909, 1.1772052027992899, 0.49026138712551598, -1.5228370455519882 },
  { 0.7, 1.3, 0.6, 1.25, -0.5 },
  { 1.9, 0.8, 1.4, 2.1, 1.7 },
}

local function flat_at(start, rate) return rate < 0 and -start/rate or (math.pi - start)/rate end

describe("steps that end on a flat position", function()
  for number, case in ipairs(cases) do
    local r, l, coupler, start, rate = table.unpack(case)
    local S, time = mechanics.parallelogram(r, l, coupler), flat_at(start, rate)
    for _, method in ipairs(methods) do
      it(("parallelogram %d by %s"):format(number, method), function()
        for _, parts in ipairs{ 1, 2, 3, 7 } do
          for _, tolerance in ipairs{ 1e-4, 1e-9 } do
            local run = S:simulate{ q = { a = start, b = 0, c = start }, v = { a = rate }, t = 2*time, method = method, rtol = tolerance, atol = tolerance,
                                    first_step = time/parts, max_step = time/parts, progress = false }
            assert.equal("DEPENDENT_CONSTRAINTS", run.status)
            assert.near(time, run.outcome.t, 1e-5*math.max(1, time))
          end
        end
      end)
    end
    for _, method in ipairs{ "rk4", "gauss4" } do
      it(("parallelogram %d by %s"):format(number, method), function()
        for _, parts in ipairs{ 2, 3, 14 } do
          local run = S:simulate{ q = { a = start, b = 0, c = start }, v = { a = rate }, t = 2*time, method = method, step = time/parts, progress = false }
          assert.equal("DEPENDENT_CONSTRAINTS", run.status)
        end
      end)
    end
    it(("parallelogram %d in a sweep, and where the motion ends on it"):format(number), function()
      for _, part in ipairs{ 1, 2 } do
        local W = S:sweep{ over = { { "v.a", { rate, rate } } }, q = { a = start, b = 0, c = start }, t = part*time, method = "taylor", rtol = 1e-9,
                           atol = 1e-9, progress = false }
        for _, row in ipairs(W) do assert.equal("DEPENDENT_CONSTRAINTS", row.status) end
      end
    end)
  end
end)

describe("a force with a denominator that falls far and does not vanish", function()
  it("is no singular place, however loose the tolerances", function()
    for _, k in ipairs{ 1e3, 1e5, 1e7 } do
      local S = hm.system "particle"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(1/(1 + k*x^2))
      for _, method in ipairs{ "dop853", "taylor", "radau5", "rk8pd" } do
        for _, tolerance in ipairs{ 1e-3, 1e-5, 1e-8 } do
          local run = S:simulate{ q = { x = -5, y = 0.3 }, v = { x = 2, y = 0 }, t = 2.75, method = method, rtol = tolerance, atol = tolerance,
                                  progress = false }
          assert.not_equal("SINGULAR", run.status)
          local place, _, speed = table.unpack(run.raw:state(run.raw:points()))
          if run.status == "OK" then assert.near(2 + 1/(1 + 25*k), speed^2/2 + 1/(1 + k*place^2), 200*tolerance) end
        end
      end
    end
  end)

  it("is one where it does vanish within the tolerances", function()
    local S = hm.system "particle"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-0.01/(x^2 + y^2))
    local onto = S:simulate{ q = { x = -5, y = 0 }, v = { x = 2, y = 0 }, t = 6, progress = false }
    assert.equal("SINGULAR", onto.status)
    local beside = S:simulate{ q = { x = -5, y = 0.3 }, v = { x = 2, y = 0 }, t = 6, progress = false }
    assert.equal("OK", beside.status)
  end)
end)
