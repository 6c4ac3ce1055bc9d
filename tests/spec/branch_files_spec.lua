-- branches as objects: kept in files, continued from their points, printed, with measures of their motions
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local cos, near = hm.cos, check.near

local function duffing()
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  local g, w = S:parameters "g=1/4 w=6/5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^4/4 - x^2/2)
  S:force(x, -hm.rational(3, 10)*x.dot + g*cos(w*hm.t))
  return S, x
end

local function oscillator()
  local S = hm.system "oscillator at a wall"
  local s = S:coordinates "s"
  local w = S:parameters "w=3/2"
  S:kinetic_energy(s.dot^2/2)
  S:potential_energy(s^2/2)
  S:force(s, -s.dot/5 + cos(w*hm.t))
  S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
  return S, { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = 2*hm.pi/w }, s
end

local function pendulum()
  local S = hm.system "pendulum"
  local a = S:coordinates "a"
  S:kinetic_energy(a.dot^2/2)
  S:potential_energy(-cos(a))
  return S, a
end

-- Numbers of two points, one by one
local function same(one, other, where)
  assert.equal(type(one), type(other), where)
  if type(one) ~= "table" then return assert(one == other, where .. ": " .. tostring(one) .. " and " .. tostring(other)) end
  for key, value in pairs(one) do same(value, other[key], where .. "." .. tostring(key)) end
  for key in pairs(other) do assert(one[key] ~= nil, where .. "." .. tostring(key) .. " is new") end
end

local function through_file(B, S)
  local path = os.tmpname() .. ".branch"
  assert(tostring(B:save(path)):find("the branch", 1, true))
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  local again = hm.load(path, S)
  os.remove(path)
  return again, text
end

describe("a branch in a file", function()
  it("has the same points, special points and print", function()
    local S, guess, s = oscillator()
    local B = S:continue{ periodic = guess, along = "w", from = 1.3, to = 2, step = 0.02, keep = { low = hm.lowest(s) } }
    local again, text = through_file(B, S)
    assert.equal(tostring(B), tostring(again))
    same(B.points, again.points, "points")
    for i, special in ipairs(B.special) do same(special.point, again.special[i].point, "special") end
    assert(text:find("\n  q s = 1\n", 1, true) and text:find("special fold after", 1, true), "readable")
  end)

  it("says where it was born, and what else it knows of itself", function()
    local S = hm.system "hoop"
    local th = S:coordinates "th"
    local w = S:parameters "w=1/2"
    S:kinetic_energy((th.dot^2 + w^2*hm.sin(th)^2)/2)
    S:potential_energy(-cos(th))
    S:force(th, -th.dot/10)
    local down = S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
    local B = down:switch(down.special[1])
    assert(B.born and B.partners, tostring(B))
    local again, text = through_file(B, S)
    assert.equal(tostring(B), tostring(again))
    same(B.born, again.born, "born")
    assert.equal(true, again.partners)
    -- files of earlier versions have no such lines
    local older = text:gsub("born = [^\n]*\n", ""):gsub("partners = [^\n]*\n", ""):match "^(.*\n)checksum = "
    local function load_text(body)
      local path = os.tmpname() .. ".branch"
      local file = assert(io.open(path, "w"))
      file:write(("%schecksum = %s\nend\n"):format(body, require("hamel.core").checksum(body)))
      file:close()
      local fine, result = pcall(hm.load, path, S)
      os.remove(path)
      return fine and result or error(result, 0)
    end
    local old = load_text(older)
    assert(old.born == false and old.partners == false and #old.points == #B.points)
    check.raises({ "damaged: line", "not understood" }, load_text, (older:gsub("\nkind = ", "\nborn = nowhere, 1, branch\nkind = ", 1)))
    check.raises({ "damaged: line", "is there twice" }, load_text, (older:gsub("\nkind = ", "\npartners = true\npartners = true\nkind = ", 1)))
  end)

  it("keeps why a special point is doubtful", function()
    local S = hm.system "pitchfork"
    local y, p = S:coordinates "y", S:parameters "p=-1"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -hm.rational(1, 5)*y.dot + p*y - y^3)
    local B = S:continue{ equilibrium = { q = { y = 0 } }, along = "p", from = -1, to = 1 }
    for reason, words in pairs{ ["passing by"] = "only pass each other", kind = "may be a Hopf point" } do
      B.special[1].doubtful, B.special[1].reason = true, reason
      local again, text = through_file(B, S)
      assert.equal(reason, again.special[1].reason)
      assert.equal(tostring(B), tostring(again))
      assert(text:find("reason = " .. reason, 1, true) and tostring(again):find(words, 1, true), tostring(again))
    end
  end)

  it("keeps that motions come in families, why measures have no value, and how many branches start there", function()
    local function bowl(potential)
      local S = hm.system "bowl"
      local x, y = S:coordinates "x y"
      local p = S:parameters "p=-1"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(potential(x, y) - p*(x^2 + y^2)/2)
      S:force(x, -x.dot)
      S:force(y, -y.dot)
      local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "p", from = -1, to = 1 }
      local C = B:switch(B.special[1])
      local again = through_file(C, S)
      assert.equal(tostring(C), tostring(again))
      return again
    end
    assert.equal(1, bowl(function(x, y) return (x^2 + y^2)^2/4 end).family)
    assert(tostring(bowl(function(x, y) return x^4/4 + y^4/4 end)):find("which = 2 follows another branch", 1, true))
    local D, s = duffing()
    local guess = { q = { x = 0.4366 }, v = { x = 0.339 }, period = 2*hm.pi/D:symbol "w" }
    local M = D:continue{ periodic = guess, along = "g", to = 0.2505, keep = { root = hm.mean(hm.sqrt(s - 1)), top = hm.highest(s) } }
    assert(tostring(M):find("'root' has no value", 1, true), tostring(M))
    local again = through_file(M, D)
    assert.equal(tostring(M), tostring(again))
    same(M.points, again.points, "points")
  end)

  it("is continued from any of its points, the drive's period with it", function()
    local S = duffing()
    local B = S:continue{ periodic = { q = { x = 0.4366 }, v = { x = 0.339 }, period = 2*hm.pi/S:symbol "w" }, along = "g", to = 0.26, largest = 0.01 }
    local again = through_file(B, S)
    local C = S:continue{ periodic = again.points[3], along = "w", to = 1.3 }
    near(C.points[1].parameters.g, B.points[3].parameters.g, 0)
    for _, point in ipairs(C.points) do near(point.period, 2*math.pi/point.parameters.w, 1e-12) end
    local flips = S:continue{ flip = S:continue{ periodic = again.points[3], along = "g", to = 0.27 }.special[1], along = { "g", "w" }, from = { 0.2, 1.1 },
                              to = { 0.4, 1.3 }, points = 3 }
    assert(#flips.points > 3)
    local flip = S:continue{ periodic = B.points[1], along = "g", from = 0.25, to = 0.27 }
    local restored = through_file(flip, S)
    assert(#restored:switch(restored.special[1], { points = 3 }).points > 1)
    check.raises({ "which point?" }, restored.switch, restored, flip.special[1])
  end)

  it("of equilibria and steady motions, too", function()
    local S = hm.system "spherical pendulum"
    local theta, phi = S:coordinates "theta phi"
    S:kinetic_energy((theta.dot^2 + phi.dot^2*hm.sin(theta)^2)/2)
    S:potential_energy(-cos(theta))
    local B = S:continue{ steady = { q = { theta = 1, phi = 0 }, v = { theta = 0, phi = 1.5 }, keep = { "phi'" } }, along = "phi'", from = 1.2, to = 3 }
    for _, point in ipairs(B.points) do near(math.cos(point.q.theta)*point.v.phi^2, 1, 1e-9) end
    local again, text = through_file(B, S)
    -- what messages advise is taken
    local path = os.tmpname() .. ".branch"
    local function advice(changed)
      local file = assert(io.open(path, "w"))
      file:write(changed)
      file:close()
      local _, message = pcall(hm.load, path)
      return message:match "S:continue{ (%a+) = ({.-})"
    end
    local option, guess = advice((text:gsub("(q theta = %d%.)", "%11", 1)))
    assert(option == "steady" and guess == "{ q =, v =, keep = }", option)
    local E = hm.system "spring under a load"
    local z = E:coordinates "z"
    local load = E:parameters "load=1"
    E:kinetic_energy(z.dot^2/2)
    E:potential_energy(z^2/2 + load*z)
    local rest = E:continue{ equilibrium = { q = { z = -1 } }, along = "load", from = 0.5, to = 2, points = 3 }
    local _, of_rest = through_file(rest, E)
    option, guess = advice((of_rest:gsub("(q z = )%-", "%1", 1)))
    assert(option == "equilibrium" and guess == "{ q = }", option)
    local loaded = hm.load(rest:save(path).file, E)
    check.raises({ "which point?" }, loaded.switch, loaded, {})
    assert(#E:continue{ equilibrium = loaded.points[1], along = "load", to = 2 }.points > 1)
    os.remove(path)
    local C = S:continue{ steady = again.points[4], along = "phi'", to = 4 }
    near(C.points[#C.points].v.phi, 4, 1e-9)
  end)

  it("that is damaged or of another system is refused", function()
    local S = pendulum()
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "energy", to = -0.8, points = 3 }
    local path = os.tmpname() .. ".branch"
    local _, text = through_file(B, S)
    local function with(changed)
      local file = assert(io.open(path, "w"))
      file:write(changed)
      file:close()
      return path
    end
    -- the number of the first line of a value
    local _, before = text:match("^(.-\n)  value = "):gsub("\n", "")
    local understood = ("line %d is not understood"):format(before + 1)
    check.raises({ understood }, hm.load, with((text:gsub("value = ", "worth = ", 1))), S)
    check.raises({ "cut off" }, hm.load, with(text:sub(1, -6)), S)
    check.raises({ "not understood" }, hm.load, with(text .. "more"), S)
    check.raises({ "not understood" }, hm.load, with((text:gsub("q a = [%d.]+", "q a = many", 1))), S)
    check.raises({ "other equations" }, hm.load, with(text), (duffing()))
    assert.equal(#B.points, #hm.load(with(text)).points)
    -- line ends of another kind are no change; numbers, kinds, names and lines are
    same(hm.load(with(text), S).points, hm.load(with((text:gsub("\n", "\r\n"))), S).points, "points")
    check.raises({ "was changed after it was written", "its checksum differs" }, hm.load, with((text:gsub("period = 6%.", "period = 7.", 1))), S)
    check.raises({ "was changed after it was written" }, hm.load, with((text:gsub("admissible = true", "admissible = false", 1))), S)
    for _, value in ipairs{ "nan", "inf", "-inf", "1e999" } do
      check.raises({ understood }, hm.load, with((text:gsub("value = [^\n]+", "value = " .. value, 1))), S)
    end
    check.raises({ ("line %d is there twice"):format(before + 2) }, hm.load, with((text:gsub("(  value = [^\n]+\n)", "%1%1", 1))), S)
    check.raises({ "is there twice" }, hm.load, with((text:gsub("(  q a = [^\n]+\n)", "%1%1", 1))), S)
    check.raises({ "is there twice" }, hm.load, with((text:gsub("(along = [^\n]+\n)", "%1%1", 1))), S)
    check.raises({ "not understood" }, hm.load, with((text:gsub("option tolerance = ", "option thoroughness = ", 1))), S)
    check.raises({ "point 1 lacks q of 'a'" }, hm.load, with((text:gsub("q a = ", "q b = ", 1))), S)
    check.raises({ "the parameter 'k' is not known" }, hm.load, with((text:gsub("\n(  q a = )", "\n  parameters k = 1\n%1", 1))), S)
    check.raises({ "'knee' is no kind of special points" }, hm.load, with((text:gsub("checksum", "special knee after 1\n  value = 1\n  q a = 1\nchecksum"))), S)
    check.raises({ "special point 1 comes after point 90" }, hm.load, with((text:gsub("checksum", "special fold after 90\n  value = 1\nchecksum"))), S)
    check.raises({ "cut off", "checksum" }, hm.load, with((text:gsub("checksum = %x+\n", ""))), S)
    check.raises({ "older version", "without a checksum" }, hm.load, with((text:gsub("hamel branch 3", "hamel branch 1"))), S)
    check.raises({ "older version", "without the values" }, hm.load, with((text:gsub("hamel branch 3", "hamel branch 2"))), S)
    os.remove(path)
    check.raises({ "ends in .branch" }, B.save, B, "pendulum.txt")
  end)
end)

describe("points of branches", function()
  -- The length of the pendulum is declared, and another system declares another one
  local function long(l)
    local S = hm.system "pendulum"
    local a, length = S:coordinates "a", S:parameters("l=" .. l)
    local g = S:parameters "g"
    S:kinetic_energy(length^2*a.dot^2/2)
    S:potential_energy(-g*length*cos(a))
    return S
  end

  it("have the values of all parameters, in files, too", function()
    local path = os.tmpname() .. ".branch"
    local S, other = long(1), long(2)
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4, parameters = { g = 1 } }, along = "period", to = 7 }
    B:save(path)
    local point = hm.load(path, other).points[3]
    assert.same({ g = 1, l = 1 }, point.parameters)
    assert.same({ g = 1, l = 1 }, B.points[3].parameters)
    local run = other:simulate{ q = point.q, v = point.v, t = point.period, parameters = point.parameters }
    near(run:at(point.period).q.a, point.q.a, 1e-8)
    -- branches that start there keep the length, along a parameter that has no other
    local further = other:continue{ periodic = point, along = "period", to = 7.5 }
    near(further.points[1].period, point.period, 1e-9)
    assert.same({ g = 1, l = 1 }, further.points[#further.points].parameters)
    os.remove(path)
  end)

  it("keep the value they were made with when the system declares another one afterwards", function()
    local S = long(1)
    local B = S:continue{ equilibrium = { q = { a = 0 } }, parameters = { g = 1 }, along = "g", from = 1, to = 4 }
    S:parameters "l=3"
    assert.equal(1, B.points[1].parameters.l)
    local E = S:continue{ equilibrium = B.points[1], along = "g", from = 1, to = 4 }
    -- frequency sqrt(g/l)
    near(math.abs(E.points[1].eigenvalues[1].im), 1, 1e-9)
  end)
end)

describe("branches", function()
  it("along the period: the pendulum", function()
    local S = pendulum()
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "period", to = 20, largest = 0.5 }
    near(B.points[#B.points].period, 20, 1e-10)
    -- k from the period: energy = 2 k^2 - 1
    for _, point in ipairs(B.points) do
      near(point.period, 4*mechanics.K(math.sqrt((point.energy + 1)/2)), 1e-8*point.period)
    end
    local D = duffing()
    check.raises({ "that of the drive" }, D.continue, D, { periodic = { q = { x = 0.44 }, v = { x = 0.34 }, period = 2*math.pi/1.2 }, along = "period" })
  end)

  it("stop at the n-th special point of a kind", function()
    local S, guess = oscillator()
    local B = S:continue{ periodic = guess, along = "w", from = 1.3, to = 2, step = 0.02, stop = { "fold", 1 } }
    assert.equal("fold", B.special[#B.special].kind)
    assert(table.concat(B.ended, " "):find("as asked", 1, true))
    check.raises({ "'folds' is no kind", "fold" }, S.continue, S, { periodic = guess, along = "w", stop = { "folds" } })
    check.raises({ "whole number" }, S.continue, S, { periodic = guess, along = "w", stop = { "fold", 0 } })
  end)

  it("keep measures of the motions: the amplitude of the pendulum", function()
    local S, a = pendulum()
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "energy", to = 0.5, keep = { top = hm.highest(a) } }
    for _, point in ipairs(B.points) do near(math.cos(point.top), -point.energy, 1e-8) end
    check.raises({ "a 'period' of their own" }, S.continue, S,
      { periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "energy", keep = { period = hm.highest(a) } })
  end)

  it("print the sequence, spans up to special points, and grazing", function()
    local S, guess = oscillator()
    local text = tostring(S:continue{ periodic = guess, along = "w", from = 1.3, to = 2, step = 0.02 })
    for _, part in ipairs{ "one impact at 'wall'", "grazing  w = 1.4   'wall' is met with velocity 0", "largest velocity 2.459490802   multipliers 1, 0.30",
                           "stable for w in (1.3, 1.66099)", "unstable for w in (1.66099, 1.4)", "not admissible for w in (1.4, 1.3)" } do
      assert(text:find(part, 1, true), part .. " is missing in\n" .. text)
    end
  end)
end)
