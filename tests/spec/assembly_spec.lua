-- Positions that are left out of a start and computed from the constraints: another assembly is named, and what the note says to give works.
local hm, check = require "hamel", require "check"

local function four_bars()
  local S = hm.system "four bars"
  local a, b, c = S:coordinates "a b c"
  S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
  S:constraint("along", hm.cos(a) + 3*hm.cos(b) - 5/2*hm.cos(c) - 2)
  S:constraint("across", hm.sin(a) + 3*hm.sin(b) - 5/2*hm.sin(c))
  return S, { a = 0.9 }, { a = 1 }
end

local function five_bars()
  local S = hm.system "five bars"
  local a, b, c, d = S:coordinates "a b c d"
  S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2 + d.dot^2)/2)
  S:constraint("along", hm.cos(a) + 2*hm.cos(b) - 2*hm.cos(c) - hm.cos(d) - 1)
  S:constraint("across", hm.sin(a) + 2*hm.sin(b) - 2*hm.sin(c) - hm.sin(d))
  return S, { a = 2, d = 1 }, { a = 1, d = -0.3 }
end

local function rod()
  local S = hm.system "rod"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(y)
  S:constraint("rod", x^2 + y^2 - 1)
  return S, { x = 0.6 }, { x = 0.1 }
end

local function assembly_of(run)
  for _, note in ipairs(run.notes) do
    if note.text:find("leave a choice", 1, true) then return note.text end
  end
end

-- { name = value, ... } of "q.b = 1, q.c = 2" after these words
local function values(text, words)
  local q = {}
  for name, value in text:match(words .. " (.*)"):gsub(" were computed.*", ""):gmatch "q%.(%w+) = ([^,%s]+)" do q[name] = tonumber(value) end
  return q
end

describe("positions computed from the constraints", function()
  it("are noted where there is another assembly, and what the note says to give leads there", function()
    for _, make in ipairs{ four_bars, five_bars, rod } do
      for _, form in ipairs{ "lagrange", "maggi" } do
        local S, q, v = make()
        local run = S:simulate{ q = q, v = v, t = 0.1, form = form }
        local text = assembly_of(run)
        assert.truthy(text and tostring(run):find("for the other assembly give q.", 1, true))
        assert.equal(text, S:accelerations{ q = q, v = v }.note)
        local taken, other, apart = values(text, "start:"), values(text, "give"), 0
        for name, value in pairs(taken) do
          check.near(run[1].q[name], value, 1e-14)
          apart = math.max(apart, math.abs(math.sin((other[name] - value)/2)))
        end
        assert.truthy(apart > 1e-3)
        for name, value in pairs(q) do other[name] = value end
        local there = S:simulate{ q = other, v = v, t = 0.1, form = form }
        assert.equal("OK", there.status)
        assert.is_nil(assembly_of(there))
        for name, value in pairs(values(text, "give")) do check.near(there[1].q[name], value, 1e-12) end
      end
    end
  end)

  it("are not where all positions are given, or one is possible", function()
    local S, q, v = four_bars()
    local full = S:accelerations{ q = q, v = v }
    assert.is_nil(S:accelerations{ q = full.q, v = v }.note)
    local C = hm.system "one root"
    local x, y = C:coordinates "x y"
    C:kinetic_energy((x.dot^2 + y.dot^2)/2)
    C:constraint("curve", y^3 + y - x)
    assert.equal(0, #C:simulate{ q = { x = 2 }, v = { x = 1 }, t = 0.1 }.notes)
    -- an angle and the same some turns later are one place
    local D = hm.system "turns"
    local p, th = D:coordinates "p theta"
    D:kinetic_energy((p.dot^2 + th.dot^2)/2)
    D:constraint("turns", hm.sin(th - p)/(2 + hm.cos(th - p)) - hm.tan((th - p)/2)/3)
    D:constraint("half", hm.tan((th - p - 1)/2) - hm.tan(hm.rational(-1, 2)))
    assert.is_nil(D:accelerations{ q = { p = 0.4 }, v = { p = 1 } }.note)
  end)

  it("of velocities are printed so that they are accepted", function()
    local S = hm.system "isokinetic"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("speed", x.dot^2 + y.dot^2 - 7)
    local fine, message = pcall(S.velocities, S, { q = { x = 0, y = 0 }, v = { x = 1.1 } })
    assert.is_false(fine)
    local first, second = message:match "y' = (%S+) or (%S+); give v.y"
    for _, value in ipairs{ first, second } do
      check.near(S:velocities{ q = { x = 0, y = 0 }, v = { x = 1.1, y = tonumber(value) } }.y, tonumber(value), 0)
    end
  end)
end)
