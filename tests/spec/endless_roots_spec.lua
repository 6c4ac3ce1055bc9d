-- Roots of functions that have no end of them, or are zero to rounding: the search ends, and the message names the function, the time and the cause.
local hm, check = require "hamel", require "check"

describe("the roots of a function along a run", function()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 2 }

  it("that is zero to rounding are refused", function()
    check.raises({ "the roots of x'^2/2 + x^2/2 - 1/2 cannot be told apart near t = 0.0", "zero within rounding" }, run.roots, run,
      x.dot^2/2 + x^2/2 - hm.rational(1, 2))
  end)

  it("that has infinitely many are refused where these lie", function()
    local said = check.message(run.roots, run, x*hm.sin(1/x))
    assert.matches("has no end of them", said)
    check.near(tonumber(said:match "near t = ([%d.]+)"), math.pi/2, 1e-4)
  end)

  it("are found by the tens of thousands", function()
    assert.equal(12732, #run:roots(hm.sin(20000*hm.t) + x/1000))
  end)
end)
