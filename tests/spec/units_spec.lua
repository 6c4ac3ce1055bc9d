-- Units behind values: converted exactly, checked by exponents, shown where numbers are, refused with words.
local check = require "check"
local hm = require "hamel"
local units = require "hamel.algebra.units"

local function same(text, exact)
  local S = hm.system "values"
  S:parameters("p=" .. text)
  assert.equal(exact, tostring(S._exact.p), text)
end

-- A mass on a spring that hangs in a field
local function spring(given)
  local S = hm.system "spring"
  local x = S:coordinates("x", given)
  local m, g, k, d = S:positive "m=2 kg g=9.81 m/s^2 k=3 N/m, d=1"
  S:kinetic_energy(m*x.dot^2/2)
  return S, x, { m = m, g = g, k = k, d = d }
end

describe("a value with a unit", function()
  it("is converted to the SI exactly", function()
    for text, exact in pairs{
      ["30 cm"] = "3/10", ["30cm"] = "3/10", ["300 g"] = "3/10", ["2 kg"] = "2", ["1/3 kN"] = "1000/3", ["1e3 mm"] = "1", ["-5 N"] = "-5",
      ["30 deg"] = "pi/6", ["30°"] = "pi/6", ["3000 rpm"] = "100*pi", ["2 rev"] = "4*pi", ["1 ft"] = "381/1250", ["36 km/h"] = "10", ["2 min"] = "120",
      ["50 rev/s"] = "100*pi",
      ["1 g/cm^3"] = "1000", ["1 g/cm³"] = "1000", ["5 N m"] = "5", ["5 N·m"] = "5", ["5 N*m"] = "5", ["2 kJ/(kg K)"] = "2000", ["3 MPa"] = "3000000",
      ["1 bar"] = "100000", ["7 1/min"] = "7/60", ["4 cm^-2"] = "40000", ["9 mm/s/s"] = "9/1000", ["2 µm"] = "1/500000", ["1 Hz"] = "1", ["4 W"] = "4",
      ["4 (km/h)^2"] = "25/81", ["1 kg m^2 / s^2"] = "1",
    } do same(text, exact) end
  end)

  it("ends at the next name or comma", function()
    local S = hm.system "list"
    local m, l, g, Q, k = S:parameters "m=2 kg l=30 cm g=9.81 m/s^2 Q k=1"
    assert.equal("m l g Q k", table.concat({ tostring(m), tostring(l), tostring(g), tostring(Q), tostring(k) }, " "))
    assert.same({ 2, 0.3, 9.81, nil, 1 }, { S._values.m, S._values.l, S._values.g, S._values.Q, S._values.k })
    local T = hm.system "comma"
    assert.equal(2, select("#", T:parameters "c=1, m"))
    assert.equal(1, select("#", T:parameters "b=1 m"))
    assert.equal(2, select("#", T:parameters "e=1/10 Q"))
  end)

  it("is refused where a name behind a number is probably a misspelt unit: other values have units", function()
    local S = hm.system "misspelt"
    check.raises({ "'gq' behind m=300 is no known unit", "\"m=300, gq\"" }, S.positive, S, "m=300 gq l=30 cm")
    check.raises({ "'kq' behind m=2 is no known unit" }, S.parameters, S, "g=9.81 m/s^2, l=1 m m=2 kq")
    check.raises({ "'ck' behind l=30" }, S.positive, S, "m=1 kg l=30 ck")
    assert.same({}, S.parameter_names)
    assert.equal(3, select("#", S:parameters "e=1/2, mu l=1 m"))
    assert.equal(3, select("#", S:parameters "a=1 nq b=2"))
  end)

  it("may stand in a run and in a sweep", function()
    local S, x, p = spring{ unit = "m" }
    S:potential_energy(p.m*p.g*x + p.k*x^2/2)
    local start = { q = { x = 0 }, v = { x = 1 }, t = 1 }
    local function with(parameters) return S:simulate{ q = start.q, v = start.v, t = 1, parameters = parameters } end
    assert.equal(with{ m = 0.3, g = 9.81 }:at(1).energy, with{ m = "300 g", g = "981 cm/s^2" }:at(1).energy)
    assert.equal(with{ [p.m] = "300 g" }.observer.values[1], 0.3)
    local sweep = S:sweep{ q = start.q, v = start.v, t = 1, over = { { "m", { "300 g", 2 } } } }
    assert.equal(0.3, sweep[1].m)
    local function reference(m) return S:reference{ q = start.q, v = start.v, t = 1, parameters = { m = m } }.x end
    assert.same(reference(0.3), reference "300 g")
    assert.not_same(reference(0.3), reference(2))
  end)

  it("is refused with words where it is none", function()
    for text, words in pairs{
      ["m=1 kgg"] = { "unknown unit 'kgg'", "'kg'" }, ["l=30 cm^x"] = { "an exponent is a number" }, ["q=3 J/kg K"] = { "two ways", "J/(kg K)" },
      ["r=3 /s"] = { "a unit is missing" }, ["v=1 m/(s"] = { "parenthesis" }, ["z=20 degC"] = { "'degC'", "'K'" }, ["e=1 kg^"] = { "exponent" },
      ["f=1 m)"] = { "')' is too much" }, ["h=1 m//s"] = { "missing" }, ["j=1 kg*"] = { "a unit is missing at the end" }, ["n=1 m^(1/0)"] = { "exponent" },
      ["w=1 furlong/day"] = { "unknown unit 'furlong'", "known are kg, g, m" }, ["b=2 hp/s"] = { "unknown unit 'hp': write it as 745.7 W" },
      ["q=1 grad"] = { "'grad' behind q=1 is no unit", "deg, or a gon as 0.9 deg" }, ["z=3 oz"] = { "'oz' behind z=3", "28.349523125 g" },
      ["o=2 rps"] = { "write it as rev/s" }, ["s=2 liters"] = { "dm^3" }, ["i=2 knots"] = { "1.852 km/h" }, ["u=x kg"] = { "the value of 'u'" },
    } do
      check.raises(words, function() hm.system "bad":parameters(text) end)
    end
    local S = hm.system "bad"
    check.raises({ "declared positive", "-0.3" }, S.positive, S, "l=-30 cm")
    check.raises({ "not finite" }, S.parameters, S, "p=1 km^400")
    assert.is_nil(S:unit_label "l" or S:unit_label "p")
  end)

  it("keeps the dimension of its parameter", function()
    local S, x, p = spring{ unit = "m" }
    S:potential_energy(p.k*x^2/2)
    local function run(parameters) return function() S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1, parameters = parameters } end end
    check.raises({ "'m' of spring is in kg", "'cm' does not convert" }, run{ m = "300 cm" })
    check.raises({ "'d' of spring was declared without a unit" }, run{ d = "3 kg/s" })
    check.raises({ "'m' of spring is in kg" }, S.parameters, S, "m=3 s")
    check.raises({ "unknown unit 'gg'" }, S.sweep, S, { q = { x = 0 }, v = { x = 1 }, t = 1, over = { { "m", { "300 gg" } } } })
    S:parameters "m=500 g"
    assert.equal(0.5, S._values.m)
  end)
end)

describe("units of coordinates and of parameters without a value", function()
  it("are given behind the names", function()
    local S = hm.system "u"
    S:coordinates("x theta", { unit = { x = "m", theta = "rad" } })
    S:positive("k", { unit = "kN/m" })
    S:positive("J=2", { unit = "g m^2" })
    assert.equal(0.002, S._values.J)
    assert.is_truthy(tostring(S):find("x [m], theta [rad]", 1, true))
    assert.is_truthy(tostring(S):find("k (no value, in N/m), J = 0.002 kg m^2", 1, true))
    check.raises({ "'y' is computed in the SI", 'unit = "m"' }, S.coordinates, S, "y", { unit = "cm" })
    check.raises({ "unknown unit 'metr'" }, S.coordinates, S, "y", { unit = "metr" })
    check.raises({ "unit: 'z' is not declared here" }, S.coordinates, S, "y", { unit = { z = "m" } })
    check.raises({ "unknown option 'units'", "'unit'" }, S.coordinates, S, "y", { units = "m" })
    check.raises({ "all names in one text" }, S.coordinates, S, "y", "z")
  end)

  it("stand at pictures and in tables", function()
    local S, x, p = spring{ unit = "m" }
    S:potential_energy(p.k*x^2/2)
    local run, file = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1 }, os.tmpname()
    run:save(file .. ".csv", { n = 2 })
    local text = io.open(file .. ".csv"):read "a"
    os.remove(file)
    os.remove(file .. ".csv")
    assert.is_truthy(text:find("# units: t [s], x [m], x' [m/s]", 1, true))
    assert.is_truthy(text:find("m = 2 kg, g = 9.81 m/s^2, k = 3 N/m, d = 1", 1, true))
    assert.same({ t = "s", x = "m", ["x'"] = "m/s", ["x''"] = "m/s^2" }, S:unit_labels())
    assert.same({}, hm.system "none":unit_labels())
  end)
end)

describe("S:check_units", function()
  local function refused(term, words, declare)
    local S, x, p = spring{ unit = "m" }
    declare(S, x, p)
    local c = S:check_units()
    assert.is_false(c.consistent)
    assert.equal(term, c.term)
    for _, word in ipairs(words) do assert.is_truthy(c.reason:find(word, 1, true), c.reason) end
  end

  it("infers what the equations determine, and says what is open", function()
    local S, x, p = spring()
    S:potential_energy(p.m*p.g*x + p.k*x^2/2)
    S:dissipation(p.d*x.dot^2/2)
    local c = S:check_units()
    assert.is_true(c.consistent)
    assert.same({ x = "m", d = "kg/s" }, c.inferred)
    assert.equal("J", c.energy)
    assert.same({}, c.open)
    local T = hm.system "bare"
    local y = T:coordinates "y"
    local a = T:parameters "a"
    T:kinetic_energy(a*y.dot^2/2)
    local open = T:check_units()
    assert.is_true(open.consistent and open.assumed)
    assert.same({ "a", "y" }, open.open)
  end)

  it("names the first term that does not fit", function()
    refused("k*x/2", { "potential energy", "unit N, not J" }, function(S, x, p) S:potential_energy(p.m*p.g*x + p.k*x/2) end)
    refused("-m*x'", { "force on x", "kg m/s, not N" }, function(S, x, p) S:force(x, -p.m*x.dot) end)
    refused("sin(x)", { "the argument", "x has the unit m" }, function(S, x, p) S:potential_energy(p.m*p.g*p.m*hm.sin(x)) end)
    refused("exp(g*t)", { "g*t has the unit m/s" }, function(S, x, p) S:force(x, p.m*p.g*hm.exp(p.g*hm.t)) end)
    refused("981*m*x/100", { "kg m, not J" }, function(S, x, p) S:potential_energy(9.81*p.m*x) end)
    refused("-1", { "force on x", "unit 1, not N" }, function(S, x) S:force(x, -1) end)
  end)

  it("checks constraints, multipliers and powers", function()
    local function system(f, force)
      local S = hm.system "plane"
      local x, y = S:coordinates("x y", { unit = "m" })
      local th = S:coordinates "theta"
      local m, J, l, mu = S:positive "m=1 kg J=1 kg m^2 l=1 m mu"
      S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2 + J*th.dot^2/2)
      S:constraint("c", f(x, y, th, l))
      if force then S:force(x, force(S, x, mu)) end
      return S:check_units()
    end
    local function blade(x, y, th) return x.dot*hm.sin(th) - y.dot*hm.cos(th) end
    local function friction(S, x, mu) return -mu*hm.abs(S.lambda.c)*hm.sign(x.dot) end
    assert.equal("1", system(blade, friction).inferred.mu)
    assert.equal("1", system(function(x, y, _, l) return hm.sqrt(x^2 + y^2) - l end, friction).inferred.mu)
    -- the multiplier of x^2 + y^2 - l^2 is a force by a length
    assert.equal("m", system(function(x, y, _, l) return x^2 + y^2 - l^2 end, friction).inferred.mu)
    assert.equal("1", system(function(x, y) return x.dot - y.dot end, friction).inferred.mu)
    assert.is_false(system(function(x, y, _, l) return x^2 + y^2 - l end).consistent)
    assert.is_false(system(function(x, y, th) return x.dot - y.dot*th.dot end).consistent)
    assert.is_false(system(function(x, y) return hm.atan2(x, y^2) end).consistent)
    assert.is_true(system(function(x, y, _, l) return hm.atan2(x, y) - hm.abs(x/l)^hm.rational(3, 2) end).consistent)
  end)

  it("looks at shared parts once", function()
    local S = hm.system "shared"
    local x = S:coordinates("x", { unit = "m" })
    local m, l = S:positive "m=1 kg l=1 m"
    local e = x/l
    for _ = 1, 40 do e = hm.sin(e) + hm.cos(e) end
    S:kinetic_energy(m*x.dot^2*(2 + e))
    assert.is_true(S:check_units().consistent)
  end)

  it("compares exponents exactly", function()
    assert.equal("N", units.text(units.read("kg m/s^2").dimension))
    assert.equal("1", units.text(units.read("(m^(1/3))^3/m").dimension))
    assert.equal("kg/m^(1/2)", units.text(units.read("kg m^-0.5").dimension))
  end)
end)

describe("a start or a time with a unit", function()
  local function cart()
    local S = hm.system "cart"
    local x, theta = S:coordinates("x", { unit = "m" }), S:coordinates "theta"
    local m, l, g = S:positive "m=2 kg l=30 cm g=9.81 m/s^2"
    S:kinetic_energy(m/2*(3*x.dot^2 + l^2*theta.dot^2 + 2*l*x.dot*theta.dot*hm.cos(theta)))
    S:potential_energy(-m*g*l*hm.cos(theta))
    return S, x, theta, m, l, g
  end

  it("is the number in the SI", function()
    local S, x, theta = cart()
    local one = S:simulate{ q = { x = "1 cm", [theta] = "30 deg" }, v = { [x.dot] = "3.6 km/h", theta = "90 deg/s" }, t = { "0 s", "1/60 min" },
                            max_step = "100 ms" }
    local other = S:simulate{ q = { x = 0.01, theta = hm.pi/6 }, v = { x = 1, theta = hm.pi/2 }, t = 1, max_step = 0.1 }
    for _, what in ipairs{ "x", "theta", "x'", "energy" } do assert.equal(other:at(1, what), one:at(1, what)) end
    local sweep = S:sweep{ over = { { "theta", { "10 deg", "20 deg" } }, { "v.x", { "1 cm/s" } } }, q = { x = 0 }, v = { theta = 0 }, times = { "1 s", "2 s" } }
    assert.equal(math.pi/9, sweep[2]["q.theta"])
    assert.equal(0.01, sweep[2]["v.x"])
    assert.same({ 1, 2 }, sweep.times)
    local function reference(q, t) return S:reference{ q = q, v = { x = 0, theta = 0 }, t = t }.x end
    assert.same(reference({ x = "1/100", theta = hm.pi/6 }, 1), reference({ x = "1 cm", theta = "30 deg" }, "1 s"))
    S:quasi_velocities("u w", { x.dot, theta.dot })
    assert.equal(1, S:simulate{ q = { x = 0, theta = 0 }, v = { u = "3.6 km/h", w = 0 }, t = 1 }:at(0).v.x)
  end)

  it("is refused where it does not fit", function()
    local S = cart()
    local function refused(words, more)
      local given = { q = { x = 0, theta = 0 }, v = { x = 0, theta = 1 }, t = 1 }
      for key, value in pairs(more) do given[key] = value end
      check.raises(words, S.simulate, S, given)
    end
    refused({ "q.x = \"1 kg\"", "it is in m" }, { q = { x = "1 kg", theta = 0 } })
    refused({ "v.x = \"3 m\"", "it is in m/s" }, { v = { x = "3 m", theta = 0 } })
    refused({ "'theta' of cart was declared without a unit" }, { q = { x = 0, theta = "3 m" } })
    refused({ "unknown unit 'degr'", "'deg'" }, { q = { x = 0, theta = "3 degr" } })
    refused({ "simulate: t = \"3 m\"", "it is in s" }, { t = "3 m" })
    local R = hm.system "plain"
    local r = R:coordinates "r"
    R:kinetic_energy(r.dot^2/2)
    check.raises({ "no symbol of plain has a unit" }, R.simulate, R, { q = { r = 0 }, v = { r = 1 }, t = "1 s" })
    check.raises({ "'r' of plain was declared without a unit" }, R.simulate, R, { q = { r = "1 m" }, v = { r = 1 }, t = 1 })
    assert.is_true(math.abs(R:simulate{ q = { r = 0 }, v = { r = "1/2" }, t = "1" }:at(1).r - 0.5) < 1e-14)
  end)

  it("is stated of forces, which S:check_units compares", function()
    local S, x, theta, m, l, g = cart()
    S:force(x, -m*g*l*x.dot, { unit = "N" })
    assert.equal(false, S:check_units().consistent)
    S:force(x, -m*g, { unit = "N", replace = true })
    assert.equal(true, S:check_units().consistent)
    S:force(theta, function() return 0 end, { unit = "N" })
    local c = S:check_units()
    assert.equal(false, c.consistent)
    assert.is_truthy(c.reason:find("its unit is given as N: energy over theta has the unit J, not N", 1, true), c.reason)
    check.raises({ "computed in the SI", "\"N\"" }, S.force, S, x, m, { unit = "kN" })
    check.raises({ "unknown unit" }, S.force, S, x, m, { unit = "newtons" })
  end)

  it("is told from a name behind a value", function()
    local function values(text)
      local S = hm.system "s"
      S:positive(text)
      return S
    end
    for _, text in ipairs{ "m=1 l=2 g", "m=1 l=2 g k=3", "m=1 g l=2", "k=3, m=1 l=2 s" } do check.raises({ "a unit or a name" }, values, text) end
    assert.are.same({ "m", "l" }, values("m=1, l=2 g").parameter_names)
    assert.are.same({ "m", "l", "g" }, values("m=1 l=2, g").parameter_names)
    assert.are.same({ "m", "l" }, values("m=1 l=2 m").parameter_names)
    assert.are.same({ "m", "l", "mu" }, values("m=1 kg l=2 m mu=0.3").parameter_names)
    assert.are.same({ "m", "l", "w" }, values("m=1 l=2 s w=2 s^-1").parameter_names)
    assert.are.same({ "m" }, values("m=500 g").parameter_names)
    for word, advice in pairs{ eV = "1.602176634e-19 J", kWh = "3.6e6 J", Newton = "N", lbf = "4.4482216152605 N" } do
      check.raises({ "'" .. word .. "'", advice }, values, "p=2 " .. word)
      assert.are.same({ "p" }, values((advice:find "^%d" and "p=" or "p=2 ") .. advice).parameter_names)
    end
  end)
end)
