-- places of special points on curves over two parameters, against closed forms
local hm, branches, check = require "hamel", require "branches", require "check"
local first, near, of_kind = branches.first, check.near, branches.of_kind

-- A special point at its place, as exactly as is asked for when nothing is said, and without a mark
local function is_at(special, value, beside)
  near(special.value, value, 2e-11)
  near(special.beside, beside, 2e-11)
  assert.is_nil(special.accuracy)
  assert.is_nil(special.accuracy_beside)
  assert.is_nil(special.doubtful)
end

-- u'' = a u' - k u - u^2 u' beside w'' = c w' - l w - w^3; each of a, k, c and l is a function of two parameters p and q
local function modes(p0, q0, coefficients)
  local S = hm.system "modes"
  local u, w = S:coordinates "u w"
  local p, q = S:parameters(("p=%.17g q=%.17g"):format(p0, q0))
  local a, k, c, l = coefficients(p, q)
  S:kinetic_energy((u.dot^2 + w.dot^2)/2)
  S:force(u, a*u.dot - k*u - u^2*u.dot + w)
  S:force(w, c*w.dot - l*w - w^3)
  return S
end

local function hopf_of(S, q0, span)
  return first(S:continue{ equilibrium = { q = { u = 0, w = 0 } }, along = "q", from = q0 - span, to = q0 + span }, "hopf")
end

describe("special points on a curve of Hopf points", function()
  -- the curve is q = p^2
  it("are named and located: zero-Hopf, Hopf-Hopf, turn, and the end at a double zero", function()
    local S = modes(0.1, 0.005, function(p, q) return q - p^2, p + 1, p - hm.rational(3, 10), 2 + p*hm.rational(5, 2) end)
    local H = S:continue{ hopf = hopf_of(S, 0.005, 0.02), along = { "p", "q" }, from = { -2, -1 }, to = { 1, 2 } }
    assert.equal(4, #H.special)
    is_at(first(H, "double-zero"), -1, 1)
    is_at(first(H, "zero-Hopf"), -0.8, 0.64)
    is_at(first(H, "turn"), 0, 0)
    is_at(first(H, "Hopf-Hopf"), 0.3, 0.09)
    assert.equal("q", first(H, "turn").of)
    near(first(H, "zero-Hopf").frequency, math.sqrt(0.2), 1e-9)
    near(first(H, "Hopf-Hopf").frequency, math.sqrt(1.3), 1e-9)
    near(H.points[#H.points].value, 1, 1e-12)
    assert(tostring(H):find("zero-Hopf p = -0.8, q = 0.64   frequency 0.447213595", 1, true), tostring(H))
    local path = os.tmpname() .. ".branch"
    H:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    assert.equal(tostring(H), tostring(again))
    for _, branch in ipairs{ H, again } do assert.equal("zero-Hopf p = -0.8, q = 0.64   frequency 0.447213595", tostring(first(branch, "zero-Hopf"))) end
  end)

  it("ask for two values in from and to, and name the parameters", function()
    local S = modes(0.1, 0.005, function(p, q) return q - p^2, p + 1, -1, 2 end)
    local hopf = hopf_of(S, 0.005, 0.02)
    local fine, why = pcall(S.continue, S, { hopf = hopf, along = { "p", "q" }, from = { -2, -1 }, to = 2 })
    assert(not fine and tostring(why):find("a curve over two parameters needs two values in to, of 'p' and 'q': to = { , }", 1, true), tostring(why))
  end)

  it("are found where the curve starts, and are no points of inflection", function()
    for power, turns in pairs{ [2] = 1, [3] = 0 } do
      local S = modes(0, 0, function(p, q) return q - p^power, p + 2, -1, 1 end)
      local H = S:continue{ hopf = hopf_of(S, 0, 0.1), along = { "p", "q" }, from = { -1, -1 }, to = { 1, 2 } }
      assert.equal(turns, #H.special)
      if turns == 1 then is_at(first(H, "turn"), 0, 0) end
    end
  end)

  -- the pair of w stays on the axis, and that of u passes its frequency
  it("are told from pairs that stay on the axis", function()
    local S = modes(0.1, 0.01, function(p, q) return q - p^2, p + 1, 0, hm.rational(3, 2) end)
    local H = S:continue{ hopf = hopf_of(S, 0.01, 0.1), along = { "p", "q" }, from = { -2, -1 }, to = { 1, 2 } }
    assert.equal(2, #H.special)
    is_at(first(H, "double-zero"), -1, 1)
    is_at(first(H, "turn"), 0, 0)
  end)

  it("are no opposite real eigenvalues: where they pass each other nothing is found", function()
    local S = modes(0.1, 0.005, function(p, q) return q - p^2, p + 2, p - hm.rational(3, 10), p - 2 end)
    local H = S:continue{ hopf = hopf_of(S, 0.005, 0.02), along = { "p", "q" }, from = { -0.5, -1 }, to = { 1, 2 } }
    assert.equal(1, #H.special)
    is_at(first(H, "turn"), 0, 0)
  end)

  -- p counts thousands, q hundred-thousandths
  it("are found whatever the units of the parameters", function()
    local S = modes(300, 9e-7, function(p, q) return q*10^5 - (p/1000)^2, 1 + p/2000, -1, (p + 200)/1000 end)
    local H = S:continue{ hopf = hopf_of(S, 9e-7, 1e-7), along = { "p", "q" }, from = { -900, -1e-6 }, to = { 900, 9e-6 } }
    assert.equal(2, #H.special)
    near(first(H, "turn").value, 0, 1e-8)
    near(first(H, "turn").beside, 0, 1e-16)
    near(first(H, "zero-Hopf").value, -200, 1e-11)
    near(first(H, "zero-Hopf").beside*1e5, 0.04, 1e-9)
    assert(#H.points < 100)
  end)

  it("turn in the parameter that is named second at its place, too: the towed wheel", function()
    local S = hm.system "towed wheel"
    local q, psi = S:coordinates "q psi"
    local b, v = S:parameters "b=1/10 v=1/10"
    S:kinetic_energy(((v + hm.sin(psi)*psi.dot/2)^2 + (q.dot - hm.cos(psi)*psi.dot/2)^2)/2 + hm.rational(3, 8)*psi.dot^2)
    S:potential_energy(q^2/2)
    S:force(q, -b*q.dot)
    S:constraint("no slip", q.dot*hm.cos(psi) - v*hm.sin(psi) - psi.dot)
    local B = S:continue{ equilibrium = { q = { q = 0, psi = 0 } }, along = "v", from = 0.1, to = 1 }
    for _, along in ipairs{ { "v", "b" }, { "b", "v" } } do
      local from, to = { 0.1, 0 }, { 12, 1 }
      if along[1] == "b" then from, to = { 0, 0.1 }, { 1, 12 } end
      local H = S:continue{ hopf = first(B, "hopf"), along = along, from = from, to = to }
      assert.equal(1, #of_kind(H, "turn"))
      local turn = first(H, "turn")
      near(turn.point.parameters.v, math.sqrt(2), 2e-11)
      near(turn.point.parameters.b, 1 - 1/math.sqrt(2), 2e-11)
    end
  end)
end)

describe("special points on a curve of folds", function()
  -- u = s: p = 3 s^2, q = - 2 s^3; the damping of u is (1 + 2 u)/2, that of w is 3 - p, so that its pair is on the axis at s = 1
  it("are named and located: cusp, double-zero, zero-Hopf", function()
    local S = hm.system "cusp"
    local u, w = S:coordinates "u w"
    local p, q = S:parameters "p=12/25 q=0"
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:force(u, q + p*u - u^3 - (1 + 2*u)/2*u.dot)
    S:force(w, -(3 - p)*w.dot - 2*w + w*u.dot)
    local B = S:continue{ equilibrium = { q = { u = 0.75, w = 0 } }, along = "q", from = -0.3, to = 0.3 }
    local F = S:continue{ fold = first(B, "fold"), along = { "p", "q" }, from = { -1, -4 }, to = { 4, 4 } }
    is_at(first(F, "cusp"), 0, 0)
    is_at(first(F, "double-zero"), 0.75, 0.25)
    local list = of_kind(F, "zero-Hopf")
    assert.equal(2, #list)
    for _, item in ipairs(list) do
      near(item.value, 3, 2e-11)
      near(math.abs(item.beside), 2, 2e-11)
      near(item.frequency, math.sqrt(2), 1e-9)
    end
    assert.equal(4, #F.special)
  end)
end)

-- x'' = (q - p^2) x' - k x - x^3 beside a driven oscillator, over p and q turned by an angle with the cosine 3/5: the torus points turn back at p = 3/8
describe("special points on a curve of torus points", function()
  it("are located, or say how exactly they are", function()
    local S = hm.system "torus"
    local x, y = S:coordinates "x y"
    local P, Q = S:parameters "P=-19/125 Q=-17/125"
    local p, q = (3*P + 4*Q)/5, (3*Q - 4*P)/5
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, (q - p^2)*x.dot - (hm.rational(3, 20) + p/30)*x - x^3)
    S:force(y, -y.dot - y + hm.cos(hm.t))
    local guess = { q = { x = 0, y = 0 }, v = { x = 0, y = 0.5 }, period = 2*math.pi, parameters = { P = -0.14 } }
    local B = S:continue{ periodic = guess, along = "P", from = -0.2, to = -0.12, largest = 0.02 }
    local C = S:continue{ torus = first(B, "torus"), along = { "P", "Q" }, from = { -0.7, -0.8 }, to = { 0.6, 0.8 } }
    local turn = first(C, "turn")
    assert.equal(1, #of_kind(C, "turn"))
    near(turn.value, 0.1125, 2e-10)
    assert(math.abs(turn.beside - 0.384375) <= (turn.accuracy_beside or 2e-11), tostring(C))
    assert((turn.accuracy_beside or 0) < 1e-6, tostring(C))
  end)
end)

-- x'' = -x - f sign x' + cos w t with w = 1/2: from a turn at x = X to that at -X, half a period of 2 pi later, x = f + a cos t + V cos(t/2) with V = 4/3,
-- where X = V and a = -f. The acceleration at the turn is f + 1 - X, and its rate is -sin(0)/2 there: the motion with f = 1/3 touches the limit of stick at the
-- turn, and the slip behind it goes on by its third rate alone. Beside it along the curve of touches the least slip is the cube of the distance.
describe("a place where motions are beyond a limit only by the third power of the distance", function()
  it("is known to so few digits, and says so for both parameters", function()
    local S = hm.system "Den Hartog"
    local x = S:coordinates "x"
    local f, w = S:parameters "f=0.7 w=0.8"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(w*hm.t))
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = f })
    local B = S:continue{ periodic = { q = { x = 1.5 }, v = { x = 0 }, t = 0.9, period = 2*hm.pi/w }, along = "f", from = 0.6, to = 0.9 }
    local C = S:continue{ touch = first(B, "touch"), along = { "f", "w" }, from = { 0.2, 0.42 }, to = { 1.2, 0.85 } }
    local touch = first(C, "touch")
    assert(touch.accuracy < 4e-3 and math.abs(touch.value - 1/3) <= touch.accuracy, tostring(C))
    assert(touch.accuracy_beside < 2e-3 and math.abs(touch.beside - 1/2) <= touch.accuracy_beside, tostring(C))
  end)
end)
