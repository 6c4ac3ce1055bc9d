-- ends of curves of folds of periodic motions where the equations hold for any value of the parameters: at rest, and at symmetric motions
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

local function number(value) return hm.number(("%.17g"):format(value)) end

-- x'' = -x - soft x^3 - (mu + f(x, e)) x' in units of length and time. A motion x = r cos t has r' = -r/2 (mu + 2 <f sin^2>)
local function folds(f, soft, e, size, time, along, from, to)
  local S = hm.system "folds"
  local x = S:coordinates "x"
  local mu, slope = S:parameters(("mu=0 e=%.17g"):format(e))
  local L, T = number(size), number(time)
  local X = x/L
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -(x + number(soft)*x*X^2)/T^2 - (mu + f(X, slope))*x.dot/T)
  local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "mu", from = -0.5, to = 0.5 }
  local M = B:switch(first(B, "hopf"), { from = -0.5, to = 0.5 })
  return S:continue{ fold = first(M, "fold"), along = along, from = from, to = to }
end

describe("a curve of folds whose motions shrink to rest", function()
  local function sines(x, e) return e*x^2 - hm.sin(x)^2 end
  local function powers(x, e) return x^4 - e*x^2 end
  -- x^2 and sin^2 x agree to the second order, so that the first Lyapunov coefficient vanishes at e = 1
  local cases = {
    { "sin(x)^2", sines, 1, 0, 0.5476, 1, 1, { "mu", "e" }, { -2.18, 0.25 }, { 2.18, 1.64 } },
    { "sin(x)^2, in far units", sines, 1, 0, 0.5476, 1e3, 1e3, { "mu", "e" }, { -2.18, 0.25 }, { 2.18, 1.64 } },
    { "x^4", powers, 0, 0.4518, 0.7177, 1e-2, 1e-2, { "mu", "e" }, { -2.13, -0.7 }, { 2.13, 1.6 } },
    { "x^4, along e", powers, 0, 0, 0.7177, 1e3, 1e-3, { "e", "mu" }, { -0.7, -2 }, { 0.9, 2 } },
  }
  for _, case in ipairs(cases) do
    local name, f, wanted, soft, e, size, time, along, from, to = table.unpack(case)
    it("has its end at the generalised Hopf point alone: " .. name, function()
      local C = folds(f, soft, e, size, time, along, from, to)
      assert.equal(1, #C.special, tostring(C))
      local last = first(C, "rest")
      assert.match("shrink to rest %(generalised Hopf point%)", tostring(C))
      local mu, slope = last.value, last.beside
      local known = last.accuracy_beside
      if along[1] == "e" then mu, slope, known = slope, mu, last.accuracy end
      near(mu, 0, 1e-10)
      assert((known or 0) < 1e-7, tostring(C))
      near(slope, wanted, math.max(4e-10, known or 0))
      -- r^2 = e, and mu = e^2/8, by the mean over motions
      for _, point in ipairs(f == powers and soft == 0 and C.points or {}) do
        local p = point.parameters
        if p.e < 0.3 then near(p.mu/(p.e^2/8), 1, 1e-3) end
      end
    end)
  end
end)

-- x'' = -c x' + a x + b x^3 - x^5 + F cos w t: the folds of asymmetric motions come to the symmetric motion at which its symmetry breaks with a cubic
-- coefficient of zero. The places are those of 64 Fourier modes, where the matrix of the even ones is singular and the third order of their amplitude vanishes
describe("a curve of folds of asymmetric driven motions", function()
  for _, case in ipairs{ { 1, 0.1, 2, { "a", "b" }, -1.40625137e-06, 0.00250000168 }, { 1, 0.5, 2, { "b", "a" }, -0.00087947564, 0.0625263572 } } do
    local c, F, w, along, a_wanted, b_wanted = table.unpack(case)
    it(("ends at the degenerate pitchfork, and is no turn there: F = %g"):format(F), function()
      local S = hm.system "quintic"
      local x = S:coordinates "x"
      local a, b = S:parameters "a=-1/10 b=1"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, -number(c)*x.dot + a*x + b*x^3 - x^5 + number(F)*hm.cos(number(w)*hm.t))
      local guess = { q = { x = 0.95 }, v = { x = 0 }, period = 2*math.pi/w, parameters = { a = -0.05 } }
      local B = S:continue{ periodic = guess, along = "a", from = -0.5, to = 0.1 }
      local from, to = { -1, -1 }, { 1, 1.2 }
      if along[1] == "b" then from, to = { -1, -1 }, { 1.2, 1 } end
      local C = S:continue{ fold = first(B, "fold"), along = along, from = from, to = to }
      assert.equal(1, #C.special, tostring(C))
      local last = of_kind(C, "end")[1]
      assert.match("degenerate pitchfork", last.name)
      local a_found, b_found, a_known, b_known = last.value, last.beside, last.accuracy, last.accuracy_beside
      if along[1] == "b" then a_found, b_found, a_known, b_known = b_found, a_found, b_known, a_known end
      near(a_found, a_wanted, math.max(2e-10, a_known or 0))
      near(b_found, b_wanted, math.max(2e-10, b_known or 0))
      assert((a_known or 0) < 1e-7 and (b_known or 0) < 5e-6, tostring(C))
      -- one half of the motions alone
      local sign = C.points[1].q.x > 0
      for _, point in ipairs(C.points) do assert.equal(sign, point.q.x > 0) end
    end)
  end
end)
