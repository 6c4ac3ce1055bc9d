-- digits_spec.lua: P:digits, values to the last digit given; P:exactly and P:root, which find them.
local check = require "check"
local hm = require "hamel"

local function quiet() return hm.paper{ title = "a text", quiet = true } end

describe("values in print", function()
  it("agree to one unit of the last digit given", function()
    local P = quiet()
    local function verdict(what, ...) return P:digits("(1)", what, { ... }, "by hand").verdict end
    assert.equal("computed", verdict("x = 3.14159265358979323846", hm.pi))
    assert.equal("computed", verdict("x = -1.4142135623730950488", -hm.sqrt(hm.number(2))))
    assert.equal("computed", verdict("x = 1.4142135623730950489", hm.sqrt(hm.number(2))))
    -- two units are one too many, and so are doubles for twenty digits
    assert.equal("FAILED", verdict("x = 1.4142135623730950490", hm.sqrt(hm.number(2))))
    assert.equal("FAILED", verdict("x = 1.4142135623730950488", math.sqrt(2)))
    assert.equal("computed", verdict("x = 1.41421356", math.sqrt(2)))
    assert.equal("FAILED", verdict("x = 1.41421356", -math.sqrt(2)))
    assert.equal("computed", verdict("x = 1.2345e-7", "1.23452e-7"))
    assert.equal("FAILED", verdict("x = 1.2345e-7", "1.2352e-7"))
    -- each entry at its place
    assert.equal("computed", verdict("x(2) = 0.5000, y = 0.2500 at t = 2", "1/2", hm.rational(1, 4)))
    assert.equal("FAILED", verdict("x(2) = 0.5000, y = 0.2500 at t = 2", hm.rational(1, 4), "1/2"))
    assert.equal("FAILED", verdict("x = 0.5000", math.huge*0))
  end)
  it("show how far they are off", function()
    local line = quiet():digits("(1)", "x = 0.33333", { hm.rational(1, 3) }, "a fraction", "more")
    assert.same({ "a fraction: off by 0.3 units of the last digit given at most", "more" }, line.details)
  end)
  it("are told from a text without values, and from too few digits", function()
    local P = quiet()
    check.raises({ "P:digits", "no decimal" }, function() P:digits("(1)", "x is small", { 0.1 }, "by hand") end)
    check.raises({ "0.1 has only 1 digit", "P:agrees" }, function() P:digits("(1)", "x = 0.1", { 0.1 }, "by hand") end)
    check.raises({ "2 values are given", "1 found" }, function() P:digits("(1)", "x = 0.1234, y = 1.2345", { 0.1234 }, "by hand") end)
    check.raises({ "by what they were found" }, function() P:digits("(1)", "x = 0.1234", { 0.1234 }) end)
    check.raises({ "P:digits", "symbols" }, function() P:digits("(1)", "x = 0.1234", { hm.symbols "a" }, "by hand") end)
  end)
  it("leave no decimal out", function()
    local P = quiet()
    local function verdict(what, ...) return P:digits("(1)", what, { ... }, "by hand").verdict end
    assert.equal("computed", verdict("x = 0.5000, 0.2500, -0.1250 at t = 1, 2, 3", 0.5, 0.25, -0.125))
    assert.equal("computed", verdict("x = (0.5000, −0.2500)", 0.5, -0.25))
    assert.equal("FAILED", verdict("x = (0.5000, 0.2500)", 0.5, -0.25))
    assert.equal("computed", verdict("x = 1.2345e+3", 1234.5))
    check.raises({ "equation (1)", "0.2500 stands behind no equals sign" }, function() verdict("x = 0.5000 and 0.2500 later", 0.5) end)
    for _, sign in ipairs{ "<=", ">=", "~=", "==", "≈" } do
      check.raises({ "0.5000 stands behind no equals sign" }, function() verdict("x " .. sign .. " 0.5000", 0.5) end)
    end
    for _, more in ipairs{ "*10^3", " x 10^3", "·10^3", " 10^-3", "/2", "^2", "%", "s", " pi", " sqrt(2)", " + 1", " - 1", " ± 2" } do
      check.raises({ "only a part of the value" }, function() verdict("x = 0.5000" .. more, 0.5) end)
    end
  end)
  it("are read at a point of a reference solution", function()
    -- x = cos(2 t): energy m (2)^2/2 = 2 m, m = 1/3
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local m = S:positive "m=1/3"
    S:kinetic_energy(m*x.dot^2/2)
    S:potential_energy(2*m*x^2)
    local P = quiet()
    local at = P:exactly(S, S:reference{ q = { x = 1 }, v = { x = 0 }, t = 1, digits = 25 })
    assert.equal("computed", P:digits("(1)", "x = -0.41614683654714238700, E = 0.66666666666666666667",
      { at(x), at(S:kinetic_energy() + S:potential_energy()) }, "reference solution").verdict)
    assert.equal("computed", P:digits("(1)", "x' = -1.8185948536513633908", { at(x.dot) }, "reference solution").verdict)
  end)
  it("are roots of polynomials", function()
    local P = quiet()
    local root, zero = P:root({ -2, 0, 1 }, 1.414)
    assert.equal("computed", P:digits("(1)", "x = 1.4142135623730950488016887242097", { root }, "Newton").verdict)
    assert.is_true(P:root({ 0, 1 }, 3):is_zero())
    check.raises({ "no simple root" }, function() P:root({ 1, -2, 1 }, 1.3) end)          -- a double root
    check.raises({ "no simple root" }, function() P:root({ 1, 0, 1 }, 0.5) end)           -- none is real
    check.raises({ "coefficient 2" }, function() P:root({ 1, "z" }, 0.5) end)
    check.raises({ "list of coefficients" }, function() P:root(1, 0.5) end)
    root = P:root({ -2, 0, 1 }, math.sqrt(2))
    assert.equal("computed", P:digits("(1)", "x = 1.4142135623730950488016887242097", { root }, "Newton").verdict)
    assert.is_true(zero:is_zero())
    -- 1 + i sqrt(2): s^2 - 2 s + 3
    local re, im = P:root({ 3, -2, 1 }, 1, math.sqrt(2))
    assert.equal("computed", P:digits("(1)", "re = 1.00000000000000000000, im = 1.4142135623730950488", { re, im }, "Newton").verdict)
  end)
end)
