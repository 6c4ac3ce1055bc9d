-- A state of a run, or another object, in place of a table of options: the message says what to give, and that works.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

describe("a state given in place of options", function()
  it("is taken, or refused with what to give, which works", function()
    local S, x = mechanics.body("mass", "x")
    S:force(x, -x*hm.t)
    local s = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1 }:at(0.5)
    check.near(S:accelerations(s).a.x, s.a.x, 1e-12)
    check.near(S:accelerations{ q = s.q, v = s.v, t = s.t }.a.x, s.a.x, 1e-12)
    check.raises({ "not a State", "{ q = s.q, v = s.v, t = { s.t, t1 } }" }, function() S:simulate(s) end)
    assert.equals("OK", S:simulate{ q = s.q, v = s.v, t = { s.t, 1 } }.status)
    check.raises({ "not a Trajectory" }, function() S:simulate(S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1 }) end)
  end)
end)
