-- branches of driven motions whose period is a function of the parameter: they end where it is none, and keep what was found
local hm, check = require "hamel", require "check"
local near = check.near

-- x'' + c x' + x = cos(w t)/2
local function oscillator(c)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local w = S:parameters "w=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, -c*x.dot + hm.cos(w*hm.t)/2)
  return S, { q = { x = 0.6 }, v = { x = 0 }, period = 2*hm.pi/w }
end

-- The periodic motion at t = 0 in closed form: the real part of 1/(1 - w^2 + i c w)/2 exp(i w t)
local function demand_exact(point, c)
  local w = point.parameters.w
  local size = (1 - w^2)^2 + c^2*w^2
  near(point.q.x, (1 - w^2)/size/2, 1e-8)
  near(point.v.x, c*w^2/size/2, 1e-8)
  near(point.period, 2*math.pi/w, 1e-9*point.period)
end

local function demand_words(text, words) assert(text:find(words, 1, true), text) end

describe("a branch along the frequency of its drive", function()
  it("ends where the period goes to infinity, whatever lies beyond", function()
    for _, to in ipairs{ -0.05, -5, 0 } do
      local S, guess = oscillator(1)
      local B = S:continue{ periodic = guess, along = "w", to = to }
      local last = B.special[#B.special]
      assert(#B.special == 1 and last.kind == "end" and not last.doubtful, tostring(B))
      near(last.value, 0.025, 1e-9)
      demand_words(tostring(B), "end      w = 0.025   the period 2*pi/w grows beyond 251.327\n")
      demand_words(tostring(B), "ended: the period 2*pi/w grows beyond 251.327, at w = 0.025")
      for _, point in ipairs(B.points) do
        assert(point.value > 0.025 - 1e-9 and point.stable)
        demand_exact(point, 1)
      end
    end
  end)

  it("ends at both ends of a span that contains no period", function()
    local S, guess = oscillator(0.5)
    local B = S:continue{ periodic = guess, along = "w", from = -1, to = 2 }
    assert(#B.special == 1 and B.special[1].kind == "end" and B.special[1].value == B.points[1].value, tostring(B))
    near(B.points[1].value, 0.025, 1e-9)
    near(B.points[#B.points].value, 2, 1e-9)
    for _, point in ipairs(B.points) do demand_exact(point, 0.5) end
  end)

  it("goes on to an end that asks for a long period", function()
    local S, guess = oscillator(1)
    local B = S:continue{ periodic = guess, along = "w", to = 0.002 }
    assert(#B.special == 0 and B.ended[1] == "w reaches 0.002", tostring(B))
    demand_exact(B.points[#B.points], 1)
  end)

  it("ends where a period shrinks to nothing", function()
    local S = hm.system "fast"
    local x = S:coordinates "x"
    local p = S:parameters "p=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot + hm.cos(hm.exp(p)*hm.t)/2)
    local B = S:continue{ periodic = { q = { x = 0.1 }, v = { x = 0 }, period = 2*hm.pi*hm.exp(-p) }, along = "p", both = false, points = 1000, largest = 1 }
    local last = B.special[#B.special]
    -- exp(1 - p) = 1e-4
    near(last.value, 1 + math.log(1e4), 1e-6)
    demand_words(B.ended[1], "shrinks below")
  end)
end)

describe("an error on the way", function()
  it("ends a branch and keeps its points and special points", function()
    local Orbits = require "hamel.continuation.orbits"
    local tests = Orbits.tests
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local w = S:parameters "w=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^4/4)
    S:force(x, -x.dot/10 + hm.cos(w*hm.t)/2)
    local o = { periodic = { q = { x = 0.6 }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", to = 3 }
    local whole = S:continue(o)
    local calls = 0
    function Orbits.tests(self, point)
      calls = calls + 1
      if calls > 90 then error("the run broke", 0) end
      return tests(self, point)
    end
    local fine, B = pcall(S.continue, S, o)
    Orbits.tests = tests
    assert(fine, B)
    demand_words(B.ended[1], "stopped at w = ")
    demand_words(B.ended[1], "the run broke")
    assert(#B.points > 10 and #B.points < #whole.points, tostring(B))
    for i, point in ipairs(B.points) do assert(point.value == whole.points[i].value) end
    assert(#B.special >= 1 and #B.special <= 2, tostring(B))
    for i, special in ipairs(B.special) do assert(special.value == whole.special[i].value) end
  end)
end)
