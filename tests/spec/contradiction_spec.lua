-- Constraints that hold together at the start and no longer later, where algebra cannot tell: every run stops there and names them, sweeps too
local hm = require "hamel"

local function slider(driven, extra)
  local S = hm.system "slider"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:constraint("still", x.dot)
  S:constraint("driven", driven(x, y))
  if extra then S:constraint("extra", extra(x, y)) end
  return S
end

-- y = y0 + t: each leaves the other's motion from the time given on, slowly enough for a start and a first step on both
local cases = {
  { "by time", function(x) return x.dot - hm.t^4 end, 0, 0 },
  { "by the place", function(x, y) return (1 + y^2)*x.dot - hm.max(0, y - 1)^4 end, 0, 1 },
  { "by both", function(x, y) return x.dot - y*hm.t^4 end, 1, 0 },
  { "beside a redundant one", function(x) return x.dot - hm.t^4 end, 0, 0, function(x) return 3*x.dot end },
}

describe("constraints that contradict each other from a time on", function()
  for _, row in ipairs(cases) do
    local name, driven, y0, from, extra = table.unpack(row)
    for _, method in ipairs{ "dop853", "taylor", "auto", "radau5", "msbdf" } do
      it(("stop %s: %s"):format(method, name), function()
        local run = slider(driven, extra):simulate{ q = { x = 0, y = y0 }, v = { y = 1 }, t = 3, method = method }
        assert.equals("CONTRADICTION", run.status)
        assert.truthy(run.reason:find("contradict each other", 1, true), run.reason)
        assert.truthy(run.reason:find("'driven'", 1, true), run.reason)
        -- x' is off by (t - from)^4, which the tolerance allows for a while
        assert.is_true(run.outcome.t >= from and run.outcome.t < from + 0.05, tostring(run.outcome.t))
      end)
    end
    it("stop rows of a sweep: " .. name, function()
      local W = slider(driven, extra):sweep{ over = { { "v.y", { 1, 1.1, 1.2 } } }, q = { x = 0, y = y0 }, t = 3 }
      for _, r in ipairs(W) do
        assert.equals("CONTRADICTION", r.status)
        assert.truthy(r.reason:find("contradict each other", 1, true), r.reason)
      end
    end)
  end

  it("are not those that depend on each other in one place", function()
    local S = hm.system "parallelogram"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("along", hm.cos(a) + 2*hm.cos(b) - hm.cos(c) - 2)
    S:constraint("across", hm.sin(a) + 2*hm.sin(b) - hm.sin(c))
    for _, method in ipairs{ "dop853", "rk4", "gauss4" } do
      local run = S:simulate{ q = { a = 1, b = 0, c = 1 }, v = { a = -1 }, t = 2, method = method, step = method ~= "dop853" and 0.01 or nil }
      assert.equals("DEPENDENT_CONSTRAINTS", run.status)
    end
  end)

  it("are not those that a driven point leaves behind", function()
    local S = hm.system "out of reach"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("rod", x^2 + y^2 - 1)
    S:constraint("guide", x - hm.t)
    local run = S:simulate{ q = { x = 0, y = 1 }, v = { x = 1, y = 0 }, t = 2 }
    assert.equals("DEPENDENT_CONSTRAINTS", run.status)
  end)
end)
