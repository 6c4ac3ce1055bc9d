-- Values that are none, events that are zero all the time, and derivatives that do not exist are answered with words.
local check = require "check"
local hm = require "hamel"
local mechanics = require "mechanics"

local a, b = hm.symbols "a b"

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, -x)
  return S, x, y
end

describe("the value of an expression", function()
  it("is finite, or refused with the part that has none", function()
    for _, case in ipairs{
      { hm.sinh(a)/hm.cosh(a)^2, { a = 800 }, "sinh(a)", "beyond the range", "a = 800" },
      { b + hm.log(a), { a = -1, b = 3 }, "log(a)", "no real value", "a = -1" },
      { 1/a, { a = 0 }, "1/a", "infinite" }, { hm.exp(a) + 1, { a = 1000 }, "exp(a)", "beyond the range" },
      { hm.asin(b) - a, { a = 1, b = 2 }, "asin(b)", "no real value", "b = 2" }, { hm.sqrt(a - 1)*b, { a = 0, b = 1 }, "no real value" },
      { hm.acosh(a), { a = 0.5 }, "no real value" }, { a^b, { a = -2, b = 0.5 }, "no real value" },
    } do
      local words = table.move(case, 3, #case, 2, { "eval" })
      check.raises(words, function() return case[1]:eval(case[2]) end)
    end
    assert.equal(1, hm.tanh(a):eval{ a = 1000 })
    assert.equal(0, hm.exp(-a):eval{ a = 1000 })
  end)
end)

describe("an event that is zero all the time", function()
  it("is refused where algebra sees it", function()
    local S, x = oscillator()
    for _, when in ipairs{ x - x, hm.sin(x)^2 + hm.cos(x)^2 - 1, (x + 1)^2 - x^2 - 2*x - 1 } do
      check.raises({ "event 'e'", "zero identically" }, S.simulate, S,
        { q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 1, events = { { name = "e", when = when } } })
    end
  end)

  it("makes a run inaccurate where the motion does it", function()
    local S, x, y = oscillator()
    local function status(when)
      return S:simulate{ q = { x = 1, y = 0.3 }, v = { x = 0, y = 0 }, t = 10, events = { { name = "e", when = when } } }
    end
    local energy = status(x^2 + x.dot^2 - 1)
    assert.equal("INACCURATE", energy.status)
    assert.is_truthy(energy.reason:find("the event 'e' is zero from end to end", 1, true))
    for _, when in ipairs{ x, x.dot, y - hm.rational(3, 10) + x*1e-3, x^2 - 1 } do
      assert.equal("OK", status(when).status, tostring(when))
    end
    local C = hm.system "circle"
    local u, w = C:coordinates "u w"
    C:kinetic_energy((u.dot^2 + w.dot^2)/2)
    C:constraint("rod", u^2 + w^2 - 1)
    local run = C:simulate{ q = { u = 1, w = 0 }, v = { w = 1 }, t = 1, events = { { name = "e", when = u^2 + w^2 - 1 } } }
    assert.equal("INACCURATE", run.status)
    check.raises({ "section", "from end to end" }, C.section, C, { when = u^2 + w^2 - 1, of = { u }, q = { u = 1, w = 0 }, v = { w = 1 }, t = 1 })
  end)
end)

describe("linearize at a root", function()
  it("names the root", function()
    for _, f in ipairs{ function(x) return -hm.abs(x)^hm.rational(3, 2)*hm.sign(x) end, function(x) return -(x^2)^hm.rational(3, 4) end } do
      local S, x = mechanics.body("root", "x")
      S:force(x, f(x))
      check.raises({ "linearize", "a root or power of abs(x)", "zero at this state" }, S.linearize, S, { q = { x = 0 }, v = { x = 0 } })
    end
  end)
end)

describe("an expression without a value on the way of a run", function()
  local function flight()
    local S, x = mechanics.body("flight", "x")
    return S, x
  end

  it("is refused by run:at with the part that has none", function()
    local S, x = flight()
    local run = S:simulate{ q = { x = 1 }, v = { x = -1 }, t = 2 }
    check.raises({ "run:at", "t = 1.5", "sqrt(x)", "no real value" }, run.at, run, 1.5, "x", 2 + hm.sqrt(x))
    check.raises({ "run:at", "'acosh(x)'", "no real value" }, run.at, run, 1.5, "acosh(x)")
    assert.near(math.sqrt(0.5), run:at(0.5, hm.sqrt(x)), 1e-12)
  end)

  it("is a gap in columns, which the run has a note on", function()
    local S, x = flight()
    local run = S:simulate{ q = { x = 1 }, v = { x = -1 }, t = 2 }
    local _, positions, roots = run:series("x", hm.sqrt(x), { n = 5 })
    assert.near(-1, positions[5], 1e-12)
    assert.is_true(roots[2] == roots[2] and roots[4] ~= roots[4] and roots[5] ~= roots[5])
    assert.equal(1, #run.notes)
    run:series(hm.sqrt(x), { n = 5 })
    assert.equal(1, #run.notes)
    assert.is_truthy(tostring(run):find("'sqrt(x)' has no value at t = 1", 1, true))
  end)

  it("is left out of a row, and print of the sweep says why", function()
    local S, x = flight()
    local W = S:sweep{ q = { x = 1 }, v = { x = 0 }, over = { { "v.x", { -1, 0.5 } } }, t = 2, keep = { root = hm.sqrt(x) } }
    assert.equal("NOT_FINITE", W[1].status)
    assert.is_nil(W[1].root)
    assert.equal("OK", W[2].status)
    assert.is_truthy(tostring(W):find("row 1, NOT_FINITE: keep: 'root' is not a real number", 1, true))
  end)
end)
