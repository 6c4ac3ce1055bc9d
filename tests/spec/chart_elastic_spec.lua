-- Charts of motions with elastic impacts, which keep volumes of states (Birkhoff 1927): regular ones in closed form, and Sinai's billiard.
local hm = require "hamel"

local elastic = { law = hm.newton(1) }

local function contains(C, words) assert.truthy(tostring(C):find(words, 1, true), tostring(C)) end

-- A point in a box; the wall on top has the name of the time
local function box(height)
  local S = hm.system "billiard"
  local x, z = S:coordinates "x z"
  S:kinetic_energy((x.dot^2 + z.dot^2)/2)
  S:unilateral("left", 1 + x, elastic)
  S:unilateral("right", 1 - x, elastic)
  S:unilateral("bottom", 1 + z, elastic)
  S:unilateral("t", height - z, elastic)
  return S, x, z
end

describe("charts of motions with elastic impacts", function()
  it("call regular ones tori, and Sinai's billiard chaos", function()
    local o = { over = { { "v.x", { 0.5, 0.7, 1.3 } } }, q = { x = 0.8, z = 0.2 }, v = { z = 0.7 }, of = "exponents", t = 100, progress = false }
    contains(box(hm.sqrt(2)):chart(o), "torus (0 0 0 0)       3  100.0 %")
    local S, x, z = box(1)
    S:unilateral("disc", x^2 + z^2 - hm.rational(1, 4), elastic)
    contains(S:chart(o), "chaos (+ 0 0 -)       3  100.0 %")
    -- a ball on a floor beside an oscillator
    local B = hm.system "bounces"
    local a, h = B:coordinates "a h"
    B:kinetic_energy((a.dot^2 + h.dot^2)/2)
    B:potential_energy(a^2/2 + h)
    B:unilateral("floor", h, elastic)
    contains(B:chart{ over = { { "h", { 0.5, 1, 2 } } }, q = { a = 1 }, v = { a = 0, h = 0 }, of = "exponents", t = 200, progress = false },
      "torus (0 0 0 0)       3  100.0 %")
    contains(B:chart{ over = { { "h", { 0.5, 1, 2 } } }, q = { a = 1 }, v = { a = 0, h = 0 }, of = "basin", t = 100, progress = false },
      "nothing attracts")
  end)

  -- the ball loses energy: it comes to rest, and nothing is said of volumes
  it("see what others settle on", function()
    local B = hm.system "bounces"
    local h = B:coordinates "h"
    B:kinetic_energy(h.dot^2/2)
    B:potential_energy(h)
    B:unilateral("floor", h, { law = hm.newton(hm.rational(1, 2)) })
    for _, row in ipairs(B:chart{ over = { { "h", { 0.5, 1 } } }, v = { h = 0 }, of = "basin", t = 50, progress = false }) do assert.equal("1", row.label) end
  end)
end)
