-- Branches of motions with impacts in any units of length and time: touches and grazings are the same, and none is missed or added.
--
-- x'' + x'/10 + x = cos(7t/10) at a wall x <= s, e = 3/5, two impacts a period, and x'' + x'/5 + x = cos(wt) at x <= 1. Lengths and times are those of the
-- equations times units. The touch and the grazing of the first are from its closed solutions between the impacts, by Newton's method with 30 digits; the
-- second touches where 1/((1 - w^2)^2 + (w/5)^2) = 1, at w = 7/5, and has the fold of the closed solution with one impact.
local hm, check = require "hamel", require "check"
local near = check.near

local TOUCH, GRAZING = 0.09575664594119708, 0.94186480189386990
local PERIOD = 2*math.pi/0.7

local function walled(L, T)
  local S = hm.system "walled"
  local x = S:coordinates "x"
  local s = S:parameters "s=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/(2*T^2))
  S:force(x, -0.1/T*x.dot + L/T^2*hm.cos(0.7/T*hm.t))
  S:unilateral("wall", s - x, { law = hm.newton(0.6) })
  return S
end

-- Lengths from 1e-9 to 1e9 and times from 1e-6 to 1e8; the first are those in which an absolute threshold of 1e-8 would be passed by gaps or velocities
local function units()
  local list = { { 1e-9, 1 }, { 1, 1e8 }, { 1e-6, 1e4 }, { 1e-9, 1e-6 } }
  math.randomseed(20261128)
  for _ = 1, 2 do list[#list + 1] = { 10^(18*math.random() - 9), 10^(14*math.random() - 6) } end
  return list
end

describe("motions with impacts, in any units of length and time", function()
  it("have the same touches, grazings, folds and flips", function()
    local state = walled(1, 1):simulate{ q = { x = -0.3 }, v = { x = 0 }, t = 60*PERIOD, parameters = { s = 0.8 } }:at(59.4*PERIOD)
    for _, unit in ipairs(units()) do
      local L, T = table.unpack(unit)
      local what = ("length %g, time %g"):format(L, T)
      local guess = { q = { x = L*state.x }, v = { x = L/T*state.v.x }, t = 0.4*PERIOD*T, period = PERIOD*T }
      local B = walled(L, T):continue{ periodic = guess, along = "s", from = 0, to = 3*L, parameters = { s = 0.8*L } }
      local kinds = {}
      for i, special in ipairs(B.special) do kinds[i] = special.kind end
      assert.equal("touch fold grazing flip", table.concat(kinds, " ", 1, 4), what)
      near(B.special[1].value/L, TOUCH, 1e-11)
      near(B.special[3].value/L, GRAZING, 1e-11)
      for _, point in ipairs(B.points) do
        local approach = point.impacts[1].velocity > 0 and point.impacts[2].velocity > 0
        if approach and point.stable then assert.equal(point.value >= B.special[1].value, point.admissible, what) end
      end
    end
  end)

  it("also those that begin to meet the wall, from the position of rest, and the branch with the impact from there", function()
    for _, unit in ipairs{ { 1, 1 }, { 1e-9, 1 }, { 1, 1e8 } } do
      local L, T = table.unpack(unit)
      local S = hm.system "free"
      local x = S:coordinates "x"
      local w = S:parameters(("w=%.17g"):format(2/T))
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/(2*T^2))
      S:force(x, -0.2/T*x.dot + L/T^2*hm.cos(w*hm.t))
      S:unilateral("wall", L - x, { law = hm.newton(0.8) })
      local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 1.2/T, to = 3/T }
      assert.equal(1, #B.special)
      near(B.special[1].value*T, 1.4, 1e-11)
      local hits = B:switch(B.special[1], { from = 1.1/T, to = 2/T })
      assert.equal("fold", hits.special[1].kind)
      near(hits.special[1].value*T, 1.6609918976882678, 1e-10)
    end
  end)
end)

-- Den Hartog (1931): x'' + x = cos(7t/10) - mu sign x' moves without rests where the friction is below a mu in closed form
describe("motions with friction in any unit of length", function()
  it("touch the limit at which they would rest", function()
    local w = 0.7
    local U, V = math.sin(math.pi/w)/(w*(1 + math.cos(math.pi/w))), 1/(1 - w^2)
    -- the amplitude A of these motions has A^2 = V^2 - (mu U)^2, and is mu/w^2 at the limit
    local limit = V/math.sqrt(U^2 + (1/w)^4)
    for _, L in ipairs{ 1, 1e-9 } do
      local S = hm.system "Den Hartog"
      local x = S:coordinates "x"
      local mu = S:parameters "mu=0.6"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      S:force(x, L*hm.cos(w*hm.t))
      S:friction("rub", { slip = x.dot, normal = L, coefficient = mu })
      local T = 2*math.pi/w
      local state = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 60*T, rtol = 1e-11, atol = 1e-12*L }:at(60*T)
      local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, period = T }, along = "mu", from = 0.5, to = 0.8 }
      near(B.special[1].value, limit, 1e-9)
    end
  end)
end)
