-- curves of folds, flips and tori of motions with impacts, where an impact comes to graze
local hm, branches, check = require "hamel", require "branches", require "check"
local first, near = branches.first, check.near

local function is_at(special, w, d, exact)
  near(special.value, w, exact)
  near(special.beside, d, exact)
  assert.is_nil(special.accuracy)
  assert.is_nil(special.accuracy_beside)
  assert.is_nil(special.doubtful)
end

describe("curves of special points of motions with impacts", function()
  -- x'' + c x' + x = cos w t with a wall at d and one impact in each period. At w^2 = 4 - c^2 a period 2 pi/w is half of one of the free oscillation, over
  -- which free motions change by the factor -r, r = exp(-c pi/w). The state (x, v) before an impact, (x, -e v) behind it and the forced motion (X, V) there
  -- hold
  --   x - X = -r (x - X),   v - V = -r (-e v - V),
  -- so that x = X = d and v = (1 + r)/(1 - r e) V: the largest d, a fold, is the amplitude of the forced motion, where V and v are zero. The multipliers are
  -- those of -r times the matrix of the impact, ((-e, 0), (., -e)) there: they have no pole, and flips come there, too.
  it("report where an impact grazes: folds and flips, in closed form", function()
    local c = 0.1
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local w, d = S:parameters "w=1.95 d=0.1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*x.dot + hm.cos(w*hm.t))
    S:unilateral("wall", d - x, { law = hm.newton(0.6) })
    local settled = 200*2*math.pi/1.95
    local run = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = settled }
    local state = run:at(settled)
    local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, t = settled, period = 2*hm.pi/w }, along = "d", from = 0.1, to = 0.6 }
    local at = math.sqrt(4 - c^2)
    local amplitude = 1/math.sqrt((1 - at^2)^2 + (c*at)^2)
    for _, kind in ipairs{ "fold", "flip" } do
      local C = S:continue{ [kind] = first(B, kind), along = { "w", "d" }, from = { 1.93, 0 }, to = { 2.02, 0.6 } }
      assert.equal(1, #C.special)
      local grazing = first(C, "grazing")
      is_at(grazing, at, amplitude, 1e-10)
      assert.equal("wall", grazing.name)
      assert.equal(1, grazing.impact)
      assert(tostring(C):find("'wall' is met with velocity 0", 1, true), tostring(C))
    end
  end)

  -- closed form of motions with one impact: z = Re(Y exp(i w t)) before it, Y = (1 - E R)^-1 (1 - E) Z with the flow E over a period and the forced amplitude
  -- Z; multipliers of E times the saltation matrix. Where two of them are -1: w = 2.3471651622, d = 0.1920750353 (Newton's method in numpy)
  it("end at a strong resonance close to grazing, and do not come to the piece behind it", function()
    local S = hm.system "two masses"
    local x, y = S:coordinates "x y"
    local w, d = S:parameters "w=2.9751041760667 d=-0.02"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(1.564*x^2/2 + 1.319*y^2/2 - 0.583*x*y)
    S:force(x, -0.154*x.dot - 0.681*hm.cos(w*hm.t))
    S:force(y, -0.154*y.dot + 0.469*hm.cos(w*hm.t))
    S:unilateral("wall", d - x, { law = hm.newton(0.554) })
    local B = S:continue{ periodic = { q = { x = -0.02, y = -0.17971262654783 }, v = { x = -0.24244751026276, y = -0.083153052238199 }, t = 1.945791727122,
      period = 2*hm.pi/w }, along = "w", from = 2.95, to = 3 }
    local C = S:continue{ torus = first(B, "torus"), along = { "w", "d" }, from = { 1.9, -0.1 }, to = { 2.98, 0.6 } }
    is_at(first(C, "strong resonance 1:2"), 2.3471651622, 0.1920750353, 1e-9)
    for _, point in ipairs(C.points) do assert(point.impacts[1].velocity > 0.0053) end
    assert.equal(0, #branches.of_kind(C, "touch"))
    assert(tostring(C):find("the multipliers come to -1", 1, true), tostring(C))
  end)
end)
