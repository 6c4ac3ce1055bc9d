-- branches that hm.load reads are switched and followed as the branches that were saved: what arbitrates is the branch itself, before it went through a file
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first = check.near, branches.first

local function with_file(B, f)
  local path = os.tmpname() .. ".branch"
  B:save(path)
  local fine, result = pcall(f, path)
  os.remove(path)
  if not fine then error(result, 0) end
  return result
end

local function through_file(B, S) return with_file(B, function(path) return hm.load(path, S) end) end

-- Has the branch from the special point of a file the places, the special points and the stability of that from the point itself?
local function demand_same(B, S, kind, given)
  local again = through_file(B, S)
  local C, D = B:switch(first(B, kind), given), again:switch(first(again, kind), given)
  assert.equal(#C.special, #D.special)
  for i, special in ipairs(C.special) do
    assert.equal(special.kind, D.special[i].kind)
    near(special.value, D.special[i].value, 1e-9*(1 + math.abs(special.value)))
  end
  near(C.points[1].value, D.points[1].value, 1e-6)
  near(C.points[#C.points].value, D.points[#D.points].value, 1e-6)
  assert.equal(C.kind, D.kind)
  assert.equal(C.born and C.born.side, D.born and D.born.side)
  assert.equal(C.partners, D.partners)
  return D
end

local function hoop()
  local S = hm.system "hoop"
  local th = S:coordinates "th"
  local w = S:parameters "w=1/2"
  S:kinetic_energy((th.dot^2 + w^2*hm.sin(th)^2)/2)
  S:potential_energy(-hm.cos(th))
  S:force(th, -th.dot/10)
  return S
end

local function duffing()
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  local g, w = S:parameters "g=1/4 w=6/5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^4/4 - x^2/2)
  S:force(x, -hm.rational(3, 10)*x.dot + g*hm.cos(w*hm.t))
  return S, 2*hm.pi/w
end

-- x'' + x'/5 + x = cos wt, x <= 1, e = 4/5
local function oscillator()
  local S = hm.system "oscillator at a wall"
  local s = S:coordinates "s"
  local w = S:parameters "w=3/2"
  S:kinetic_energy(s.dot^2/2)
  S:potential_energy(s^2/2)
  S:force(s, -s.dot/5 + hm.cos(w*hm.t))
  S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
  return S, { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = 2*hm.pi/w }
end

describe("a branch that was read from a file is switched", function()
  it("at a branch point: cos th = 1/w^2 on the other branch", function()
    local S = hoop()
    local B = S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
    local C = demand_same(B, S, "branch")
    for _, point in ipairs(C.points) do near(math.cos(point.q.th), 1/point.value^2, 1e-8) end
    near(first(through_file(B, S), "branch").value, 1, 1e-10)
    -- a second file: the branch that was switched is one itself
    assert.equal(tostring(C):gsub("^.-\n", ""), tostring(through_file(C, S)):gsub("^.-\n", ""))
  end)

  it("at a Hopf point: the amplitude of van der Pol's equation x'' + x = (m - x^2) x'", function()
    local S = hm.system "van der Pol"
    local x = S:coordinates "x"
    local m = S:parameters "m=-1/10"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, (m - x^2)*x.dot)
    local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "m", from = -0.1, to = 0.1 }
    local C = demand_same(B, S, "hopf", { to = 0.02 })
    for _, point in ipairs(C.points) do
      local run = S:simulate{ q = point.q, v = point.v, t = point.period, parameters = point.parameters, keep = { "max x" } }
      near(run.kept["max x"], 2*math.sqrt(point.value), 2*point.value^1.5)              -- the next term of the amplitude is of third order
    end
  end)

  it("at a flip, with the options that the branch had", function()
    local S, period = duffing()
    local B = S:continue{ periodic = { q = { x = 0.4366 }, v = { x = 0.339 }, period = period }, along = "g", from = 0.25, to = 0.29, largest = 0.005 }
    local C = demand_same(B, S, "flip")
    near(first(C, "flip").value, 0.28669315782, 1e-8)                              -- the second doubling
  end)

  it("at a grazing and a touch, and starts their curves", function()
    local S, guess = oscillator()
    local B = S:continue{ periodic = guess, along = "w", from = 1.2, to = 2, step = 0.02 }
    local free = demand_same(B, S, "grazing")
    near(first(free, "touch").value, 1.4, 1e-10)
    demand_same(free, S, "touch", { points = 20 })
  end)

  it("or says what to do", function()
    local S = hoop()
    local B = S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
    with_file(B, function(path)
      local alone = hm.load(path)
      local _, message = pcall(alone.switch, alone, alone.special[1])
      assert(message:find('B = hm.load("x.branch", S)', 1, true), message)
      local again = hm.load(path, S)
      check.raises({ "which point" }, again.switch, again, {})
      assert(#again:switch(again.special[1]).points > 10)
    end)
  end)
end)
