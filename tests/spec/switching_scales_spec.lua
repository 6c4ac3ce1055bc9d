-- Branches that leave states at which coordinates are zero, and curves of folds, do not depend on the units of length and time. Arbiters: x = L sqrt(p T^2) of
-- a pitchfork, the flip of a parametric oscillator by a Runge-Kutta method (4000 steps), and curves by the same curve in the units 1.
local branches, check = require "branches", require "check"
local hm = require "hamel"
local first, near = branches.first, check.near

local UNITS = { { 1e-7, 1 }, { 1e-8, 1e-5 }, { 1e6, 1e4 }, { 1, 1e6 } }

local function number(value) return hm.number(("%.17g"):format(value)) end

local function parameter(S, name, value) return S:parameters(("%s=%.17g"):format(name, value)) end

describe("in any units of length and time", function()
  it("a branch of states of rest leaves a branch point", function()
    for _, unit in ipairs(UNITS) do
      local L, T = table.unpack(unit)
      local S = hm.system "column"
      local x, p = S:coordinates "x", parameter(S, "p", 0)
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(-p*x^2/2 + number(T^-2*L^-2)*x^4/4)
      S:force(x, -number(0.2/T)*x.dot)
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "p", from = -T^-2, to = T^-2 }
      local C = B:switch(first(B, "branch"))
      for _, point in ipairs(C.points) do near(point.q.x^2/L^2, point.value*T^2, 1e-9) end
      near(math.abs(C.points[1].q.x)/L, 1, 1e-9)
      near(math.abs(C.points[#C.points].q.x)/L, 1, 1e-9)
    end
  end)

  it("swings of twice the period leave the rest of a parametric oscillator", function()
    local function swings(L, T)
      local S = hm.system "parametric"
      local x, a = S:coordinates "x", S:parameters "a=0.05"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy((1 + a*hm.cos(number(2/T)*hm.t))*number(T^-2)*(x^2/2 + x^4/number(4*L^2)))
      S:force(x, -number(0.1/T)*x.dot)
      local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = math.pi*T }, along = "a", from = 0, to = 0.4 }
      near(first(B, "flip").value, 0.2001093421489, 1e-9)
      local C = B:switch(first(B, "flip"))
      assert.equal(1, #C.special)
      local last = C.points[#C.points]
      return first(C, "fold").value, math.sqrt((last.q.x/L)^2 + (last.v.x*T/L)^2)
    end
    local fold, size = swings(1, 1)
    for _, unit in ipairs(UNITS) do
      local at, large = swings(table.unpack(unit))
      near(at, fold, 1e-9)
      near(large, size, 1e-7)
    end
  end)

  it("folds of small motions are followed over two parameters", function()
    local function cusp(L, T)
      local S = hm.system "Duffing"
      local x, w, F = S:coordinates "x", parameter(S, "w", 1.2/T), parameter(S, "F", 0.3*L/T^2)
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(number(T^-2)*x^2/2 + number(T^-2*L^-2)*x^4/4)
      S:force(x, -number(0.2/T)*x.dot + F*hm.cos(w*hm.t))
      local B = S:continue{ periodic = { q = { x = 0.6*L }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 1.1/T, to = 2/T }
      local C = S:continue{ fold = first(B, "fold"), along = { "w", "F" }, from = { 1/T, 0.05*L/T^2 }, to = { 2/T, 0.3*L/T^2 } }
      return first(C, "cusp").value*T
    end
    near(cusp(1e-7, 1), cusp(1, 1), 1e-7)
  end)
end)
