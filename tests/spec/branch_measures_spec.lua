-- measures kept along branches of motions with events: over exactly one period, whose start is the state behind an event
local hm = require "hamel"
local near = require "check".near

-- x'' + x'/10 + x = cos 2t between walls at -d and d, each struck once a period
local function between_walls()
  local S = hm.system "two walls"
  local x = S:coordinates "x"
  local d = S:parameters "d=0.5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, -0.1*x.dot + hm.cos(2*hm.t))
  S:unilateral("right", d - x, { law = hm.newton(0.8) })
  S:unilateral("left", x + d, { law = hm.newton(0.8) })
  return S, x
end

describe("measures along a branch of motions with impacts", function()
  it("count the impact at the start once, and are those of a run over a period from elsewhere", function()
    local S, x = between_walls()
    local state = S:simulate{ q = { x = 0.1 }, v = { x = 0.3 }, t = 400*math.pi, rtol = 1e-11, atol = 1e-12 }:at(399.7*math.pi)
    local keep = { right = "count right", left = "count left", mean = hm.mean(x^2), top = "max x'", first = "first impact", start = x.dot }
    local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, t = 0.7*math.pi, period = math.pi }, along = "d", from = 0.4, to = 0.6,
                          points = 3, keep = keep }
    assert.equal(7, #B.points)
    for _, point in ipairs(B.points) do
      assert.equal(1, point.right)
      assert.equal(1, point.left)
      local again = S:simulate{ q = point.q, v = point.v, t = { point.t, point.t + 1.3*math.pi }, parameters = point.parameters, rtol = 1e-12, atol = 1e-13 }
      local from = again:at(point.t + 0.3*math.pi)
      local run = S:simulate{ q = { x = from.x }, v = { x = from.v.x }, t = { from.t, from.t + math.pi }, parameters = point.parameters, rtol = 1e-12,
                              atol = 1e-13, keep = keep }
      near(point.mean, run.kept.mean, 1e-9)
      near(point.top, run.kept.top, 1e-9)
      near(point.first, point.t + point.sequence[1].duration, 1e-9)
      near(point.start, point.v.x, 1e-12)
    end
  end)

  it("in small units too", function()
    local L = 1e-9
    local S = hm.system "small"
    local x = S:coordinates "x"
    local s = S:parameters "s=8e-10"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -0.1*x.dot + L*hm.cos(0.7*hm.t))
    S:unilateral("wall", s - x, { law = hm.newton(0.6) })
    local T = 2*math.pi/0.7
    local state = S:simulate{ q = { x = -0.3*L }, v = { x = 0 }, t = 60*T, rtol = 1e-11, atol = 1e-13*L }:at(59.4*T)
    local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, t = 0.4*T, period = T }, along = "s", from = 0.5*L, to = 0.9*L, points = 2,
                          keep = { n = "count wall", top = hm.highest(x) } }
    for _, point in ipairs(B.points) do
      assert.equal(2, point.n)
      near(point.top/point.parameters.s, 1, 1e-9)
    end
  end)
end)
