-- Charts of exponents in units of time far from that of the motion: lanes weigh velocities in lengths of directions. Arbiters: S:lyapunov of each motion, and
-- the bits of other numbers of threads and lanes.
local hm = require "hamel"

-- x and y coupled, driven at 1.2/T; all times are T
local function driven()
  local S = hm.system "two driven oscillators"
  local x, y = S:coordinates "x y"
  local g, T = S:parameters "g T"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^4/4 - x^2/2 + y^2/2 + (x - y)^2/4)/T^2)
  S:force(x, -hm.rational(3, 10)*x.dot/T + g/T^2*hm.cos(hm.rational(6, 5)*hm.t/T))
  S:force(y, -hm.rational(3, 10)*y.dot/T)
  return S
end

local function given(T, more)
  local o = { over = { { "g", { 0.1, 0.13, 0.16, 0.19, 0.22, 0.25 } } }, parameters = { T = T }, q = { x = 0.43, y = 0.1 }, v = { x = 0.33/T, y = 0 },
              of = "exponents", t = 100*T, skip = 20*T, atol = 1e-9*math.min(1, 1/T), progress = false }
  for name, value in pairs(more or {}) do o[name] = value end
  return o
end

describe("charts of exponents with weights", function()
  it("have the exponents of single runs, and the bits of any number of threads and lanes", function()
    local S = driven()
    for _, T in ipairs{ 1e-6, 1e5 } do
      for _, how in ipairs{ {}, { method = "gauss6", step = T/20 }, { method = "rk4", step = T/20 } } do
        local C = S:chart(given(T, how))
        how.threads, how.lanes = 2, 4
        local D = S:chart(given(T, how))
        for i, row in ipairs(C) do
          assert.equal("OK", row.status)
          for k = 1, 4 do assert.equal(row.exponents[k], D[i].exponents[k]) end
        end
        local L = S:lyapunov{ q = { x = 0.43, y = 0.1 }, v = { x = 0.33/T, y = 0 }, parameters = { T = T, g = C[3].g }, t = 100*T, skip = 20*T,
                              atol = 1e-9*math.min(1, 1/T), method = how.method, step = how.step }
        for k = 1, 4 do assert.near(L.exponents[k]*T, C[3].exponents[k]*T, 1e-9) end
      end
    end
  end)

  -- a run of S:lyapunov each takes a hundred times as long
  it("are made side by side", function()
    local S, alone, System = driven(), 0, require "hamel.system"
    local own = System.lyapunov
    function System.lyapunov(...)
      alone = alone + 1
      return own(...)
    end
    local fine, C = pcall(S.chart, S, given(1e-6))
    System.lyapunov = own
    assert.is_true(fine, C)
    assert.equal(6, #C)
    assert.equal(0, alone)
  end)

  it("weigh each motion by a time of its own", function()
    local S = hm.system "damped oscillators"
    local x, y = S:coordinates "x y"
    local w = S:parameters "w"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(w^2*(x^4/4 + x^2/2 + y^2 + x^2*y^2/2))
    S:force(x, -w*x.dot/10)
    S:force(y, -w*y.dot/5)
    local C = S:chart{ over = { { "w", { 1e-3, 1e-1, 1, 30, 300 } } }, q = { x = 1, y = 0.5 }, v = { x = 0, y = 0 }, of = "exponents", t = 10, progress = false,
                       atol = 1e-12 }
    for _, row in ipairs(C) do
      assert.equal("OK", row.status)
      local L = S:lyapunov{ q = { x = 1, y = 0.5 }, v = { x = 0, y = 0 }, parameters = { w = row.w }, t = 10, atol = 1e-12 }
      for k = 1, 4 do assert.near(L.exponents[k], row.exponents[k], 1e-8*row.w) end
    end
  end)
end)
