-- branches and curves end where a parameter declared positive comes to zero; ends of curves have both values
local hm, check = require "hamel", require "check"
local near = check.near

local function only_end(B, value, words)
  local list = {}
  for _, item in ipairs(B.special) do if item.kind == "end" then list[#list + 1] = item end end
  assert.equal(1, #list, tostring(B))
  near(list[1].value, value, 1e-9)
  assert(list[1].name:find(words, 1, true), list[1].name)
  for _, point in ipairs(B.points) do assert(point.value > 0) end
  return list[1]
end

describe("the sides to which a branch is followed", function()
  local S = hm.system "weight on a spring"
  local x = S:coordinates "x"
  local p = S:parameters "p=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 - p*x)
  local function reach(o)
    o.equilibrium, o.along, o.points, o.step, o.largest = { q = { x = 1 } }, "p", 5, 0.1, 0.1
    local B = S:continue(o)
    local one, other = B.points[1].value, B.points[#B.points].value
    local low, high = math.min(one, other), math.max(one, other)
    return low < 0.99, high > 1.01, low, high
  end
  local function demand(below, above, o)
    local is_below, is_above = reach(o)
    assert.equal(below, is_below)
    assert.equal(above, is_above)
  end

  it("are those of the ends that are given, both where none is", function()
    demand(true, true, {})
    demand(true, true, { from = 0.8, to = 1.2 })
    demand(false, true, { to = 1.2 })
    demand(true, false, { from = 0.8 })
    demand(true, false, { to = 0.8 })
    demand(false, true, { from = 1.2 })
  end)

  it("are both or one, as asked for, but none beyond an end", function()
    demand(false, true, { both = false })
    demand(false, true, { from = 0.8, to = 1.2, both = false })
    demand(true, true, { to = 1.2, both = true })
    demand(true, true, { from = 0.8, both = true })
    demand(false, true, { from = 1 })
    demand(true, false, { to = 1 })
    demand(false, true, { from = 1, both = true })
    demand(true, false, { to = 1, both = true })
    demand(false, true, { from = 1, to = 1.2 })
    local _, _, low, high = reach{ from = 0.8, both = true }
    near(low, 0.8, 1e-12)
    near(high, 1.5, 0.1)
  end)
end)

describe("a parameter declared positive bounds a branch", function()
  it("of equilibria, also where it is the mass", function()
    local S = hm.system "line"
    local x = S:coordinates "x"
    local p = S:positive "p=2"
    S:kinetic_energy(p*x.dot^2/2)
    S:force(x, 1 - x - x.dot)
    local words = "'p', declared positive, comes to 0"
    only_end(S:continue{ equilibrium = { q = { x = 1 } }, along = "p", from = 0, to = 3 }, 0, words)
    only_end(S:continue{ equilibrium = { q = { x = 1 } }, along = "p", from = 0 }, 0, words)
    check.raises({ "from = -1", "'p' is declared positive", "S:parameters" }, S.continue, S,
      { equilibrium = { q = { x = 1 } }, along = "p", from = -1, to = 3 })
    check.raises({ "to: 'p' is declared positive: it cannot be -1" }, S.continue, S, { equilibrium = { q = { x = 1 } }, along = "p", to = -1 })
  end)

  it("of periodic motions", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local k = S:positive "k=2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2)
    S:force(x, hm.cos(hm.t) - x.dot/5)
    only_end(S:continue{ periodic = { q = { x = 1 }, v = { x = 0 }, period = 2*hm.pi }, along = "k", from = 0, to = 2.2 }, 0, "'k', declared positive")
  end)

  it("of motions with impacts, and curves, whose other parameter is extrapolated, too", function()
    -- Wiesenfeld and Tufillaro 1987: a ball on a table has one impact per period for A > pi g (1 - e)/(1 + e), a fold
    local function ball(declare)
      local S = hm.system "ball on a table"
      local h = S:coordinates "h"
      local A, e, g = S[declare](S, "A=13/10 e=1/2 g=1")
      S:kinetic_energy(h.dot^2/2)
      S:force(h, -g)
      S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(e) })
      local phase = math.acos(math.pi/3/1.3)
      return S, { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }
    end
    local S, guess = ball "positive"
    only_end(S:continue{ periodic = guess, along = "g", from = 0, to = 1.1 }, 0, "'g', declared positive")
    for _, declare in ipairs{ "positive", "parameters" } do
      S, guess = ball(declare)
      local fold = S:continue{ periodic = guess, along = "A", from = 1, to = 1.4 }.special[1]
      assert.equal("fold", fold.kind)
      if declare == "positive" then
        check.raises({ "from = -1", "'A' is declared positive" }, S.continue, S, { fold = fold, along = { "e", "A" }, from = { 0, -1 }, to = { 1, 4 } })
      end
      local H, found = S:continue{ fold = fold, along = { "A", "e" }, from = { 0, 0 }, to = { 4, 1 } }, {}
      for _, item in ipairs(H.special) do if item.kind == "end" then found[#found + 1] = item end end
      table.sort(found, function(a, b) return a.value < b.value end)
      assert.equal(2, #found, tostring(H))
      near(found[1].value, 0, 1e-8)
      near(found[1].beside, 1, 1e-8)
      near(found[2].value, math.pi, 1e-8)
      near(found[2].beside, 0, 1e-8)
      local file = os.tmpname() .. ".branch"
      H:save(file)
      assert.equal(tostring(H), tostring(hm.load(file, S)))
      os.remove(file)
    end
  end)
end)
