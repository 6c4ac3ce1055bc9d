-- Roots of runs by steps of one size: their errors are measured by a second run, and the tolerances, however loose, make none
local hm = require "hamel"

local function double_pendulum()
  local S = hm.system "double pendulum"
  local a, b = S:coordinates "a b"
  local x, y = hm.sin(a), -hm.cos(a)
  local u, w = x + hm.sin(b), y - hm.cos(b)
  S:kinetic_energy((hm.dt(x)^2 + hm.dt(y)^2 + hm.dt(u)^2 + hm.dt(w)^2)/2)
  S:potential_energy(hm.number "9.81"*(y + w))
  return S, a, b
end

describe("counts by steps of one size", function()
  -- Arbiter: a run at 1e-12
  it("are decided at loose tolerances, and right where they are decided, by steps short and long", function()
    local S, _, b = double_pendulum()
    local seed, decided, refused = 7, 0, 0
    local function draw(from, to)
      seed = (seed*16807) % 2147483647
      return from + (to - from)*seed/2147483647
    end
    for _ = 1, 12 do
      local start = { q = { a = draw(-0.6, 0.6), b = draw(-0.6, 0.6) }, v = { a = 0, b = draw(-1, 1) }, t = 3 }
      local exact = S:simulate{ q = start.q, v = start.v, t = 3, rtol = 1e-12, atol = 1e-12 }
      local top = exact:keep{ top = hm.highest(b) }.top
      for _, method in ipairs{ { "gauss6", 0.02 }, { "rk4", 0.005 }, { "gauss4", 0.03 }, { "rk4", 0.04 } } do
        local run = S:simulate{ q = start.q, v = start.v, t = 3, method = method[1], step = method[2], rtol = 1e-3, atol = 1e-3 }
        for _, gap in ipairs{ 0.05, 1e-3, 1e-5, 1e-7, -1e-7, -1e-5, -1e-3, -0.05 } do
          local fine, count = pcall(function() return run:keep{ n = hm.count(b - top - gap) }.n end)
          if fine then
            decided = decided + 1
            assert.equal(exact:keep{ n = hm.count(b - top - gap) }.n, count, ("%s, step %g, gap %g"):format(method[1], method[2], gap))
          else
            refused = refused + 1
            assert(math.abs(gap) < 0.01 or method[2] > 0.02, ("%s, step %g, gap %g is refused"):format(method[1], method[2], gap))
          end
        end
      end
    end
    assert(decided > 100 and refused > 10, decided .. " decided, " .. refused .. " refused")
  end)
end)
