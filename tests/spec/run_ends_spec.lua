-- Times that are an end of a run but for rounding are that end, to all that reads runs. Arbiter: the stored states at the ends.
local hm = require "hamel"
local check = require "check"

describe("a time beyond an end of a run", function()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -x)

  it("is the end where it differs by rounding, and is refused where it differs by more", function()
    for _, t in ipairs{ -1.49, 7.3 } do
      local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = t }
      local beyond, before = t*(1 + 2^-51), -t*1e-15
      assert.equal(run:at(t).x, run:at(beyond).x)
      assert.equal(1, run:at(before).x)
      assert.equal(run:at(t).x, run:values_at(beyond, { "x" })[1])
      assert.equal(run:at(t).x, select(2, run:series("x", { times = { 0, beyond } }))[2])
      check.raises({ "outside of the run" }, run.at, run, t*(1 + 1e-12))
      check.raises({ "outside of the run" }, run.at, run, -t*1e-12)
    end
  end)
end)
