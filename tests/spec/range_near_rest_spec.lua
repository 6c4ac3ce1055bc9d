-- Families of periodic motions whose range ends before the place where they shrink to rest. Arbiters: the range itself; the period of small swings, which
-- depends on the energy by a straight line beside rest.
local hm, check = require "hamel", require "check"

local drawn = check.drawn

local function number(value) return hm.number(("%.17g"):format(value)) end

-- Two oscillators with quadratic couplings, in coordinates that are turned by an angle: the system, and the guess of a motion of size 0.05
local function oscillators(draw)
  local angle = 6*draw()
  local c, s = math.cos(angle), math.sin(angle)
  local S = hm.system "turned"
  local x, y = S:coordinates "x y"
  local u, w = number(c)*x + number(s)*y, -number(s)*x + number(c)*y
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  local function term(size) return number((2*draw() - 1)*size) end
  S:potential_energy((u^2 + number(2 + draw())*w^2)/2 + term(0.3)*u^3 + term(1)*u^2*w + term(1)*u*w^2 + u^4/4 + w^4/4)
  return S, { q = { x = c/20, y = s/20 }, v = { x = 0, y = 0 }, period = 2*math.pi }
end

describe("S:continue along the energy", function()
  it("meets the end of the range before the place of rest beyond it", function()
    local draw = drawn(8)
    for _ = 1, 6 do
      local S, guess = oscillators(draw)
      for _, from in ipairs{ 1e-7, 1e-6 } do
        local B = S:continue{ periodic = guess, along = "energy", from = from, to = 0.003 }
        local last, slope = nil, nil
        for _, point in ipairs(B.points) do
          if not last or point.energy < last.energy then last = point end
          if not slope and point.energy > 3e-5 and point.energy < 2e-3 then slope = (point.period - 2*math.pi)/point.energy end
        end
        check.near(last.energy/from, 1, 1e-6)
        check.near(last.period, 2*math.pi + slope*last.energy, 1e-7)
        for _, item in ipairs(B.special) do assert.is_true(item.value >= from) end
      end
    end
  end)

  it("comes to rest where the range goes on to there", function()
    local S, guess = oscillators(drawn(8))
    local B = S:continue{ periodic = guess, along = "energy", from = -0.001, to = 0.003 }
    assert.equal("rest", B.special[1].kind)
    check.near(B.special[1].value, 0, 1e-12)
  end)
end)
