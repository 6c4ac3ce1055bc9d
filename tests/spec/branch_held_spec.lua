-- branches of motions with contacts in which dry friction holds a body in place all along: the place of the start is kept
local hm, branches, check = require "hamel", require "branches", require "check"
local near, raises, first = check.near, check.raises, branches.first

local K, MU, W, PLACE = 0.707236, 0.382638, 2.702226, -0.2
local PERIOD = 2*math.pi/W

-- A driven mass at a wall, coupled to one that friction holds; held: as declared, with friction; else a spring to the place where it is
local function masses(held)
  local S = hm.system "masses"
  local x = S:coordinates "x"
  local y = held and S:coordinates "y" or hm.number(PLACE)
  local b = S:parameters "b=1"
  S:kinetic_energy(held and (x.dot^2 + 0.7*y.dot^2)/2 or x.dot^2/2)
  S:potential_energy(x^2/2 + K*(x - y)^2/2 + 0.3*y^2/2)
  S:force(x, -0.167409*x.dot + b*hm.cos(W*hm.t))
  S:unilateral("wall", 0.018038 - x, { law = hm.newton(0.231629) })
  if held then S:friction("rub", { slip = y.dot, normal = 1, coefficient = MU }) end
  return S, x
end

local function state_of(S, q, v)
  return S:simulate{ q = q, v = v, t = 200*PERIOD, rtol = 1e-12, atol = 1e-13 }:at(199.63*PERIOD)
end

describe("a branch of motions in which friction holds a body", function()
  it("is refused with what to keep, and is then that of the system in which the body is fixed, up to the limit of friction", function()
    local S = masses(true)
    local state = state_of(S, { x = -0.3, y = PLACE }, { x = 0, y = 0 })
    local guess = { q = state.q, v = state.v, t = 0.63*PERIOD, period = PERIOD }
    local o = { periodic = guess, along = "b", from = 0.8, to = 2 }
    raises("friction holds 'y' at any place near: keep the place of the start, periodic = { ..., keep = { \"y\" } }", S.continue, S, o)
    guess.keep = { "x" }
    raises("no friction holds 'x'", S.continue, S, o)
    guess.keep = { "y" }
    local B = S:continue(o)
    local touch = first(B, "touch")
    assert.equal("rub", touch.name)

    -- the force on the held mass reaches the limit of friction there
    local F, x = masses(false)
    local fixed, force = state_of(F, { x = -0.3 }, { x = 0 }), K*(x - PLACE) - 0.3*PLACE
    local alone = { q = { x = fixed.x }, v = { x = fixed.v.x }, t = 0.63*PERIOD, period = PERIOD }
    local C = F:continue{ periodic = alone, along = "b", from = 0.8, to = touch.value, keep = { high = hm.highest(force), low = hm.lowest(force) } }
    local last = C.points[1].value > C.points[#C.points].value and C.points[1] or C.points[#C.points]
    near(last.value, touch.value, 1e-12)
    near(math.max(last.high, -last.low), MU, 1e-8)
    for k = 1, 2 do
      near(last.multipliers[k].re, touch.point.multipliers[k].re, 1e-7)
      near(math.abs(last.multipliers[k].im), math.abs(touch.point.multipliers[k].im), 1e-7)
    end
    for _, point in ipairs(B.points) do
      assert.equal(PLACE, point.q.y)
      assert.equal(point.value <= touch.value, point.admissible)
    end

    -- from a point the place is kept, too
    local again = S:continue{ periodic = B.points[5], along = "b", from = 0.8, to = 1.4 }
    near(first(again, "touch").value, touch.value, 1e-10)
  end)
end)
