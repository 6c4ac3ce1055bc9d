-- failures have kinds, by which the library decides what to do next; its messages are for people
local hm, check = require "hamel", require "check"
local attempt, failure, object = require "hamel.base.attempt", require "hamel.base.failure", require "hamel.base.object"

local function kind_of(...) return (select(3, attempt(...))) end

local function oscillator(name)
  local S = hm.system(name or "oscillator")
  local x, d = S:coordinates "x", S:parameters "d=1/10"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/4)
  S:force(x, -d*x.dot)
  return S
end

describe("kinds of failures", function()
  it("come with the message, without its place", function()
    local fine, message, kind = attempt(failure.raise, "at best", "closes to %.1f", 0.5)
    assert.is_false(fine)
    assert.equal("closes to 0.5", message)
    assert.equal("at best", kind)
    assert.is_nil(kind_of(failure.raise, nil, "closes to 0.5"))
    check.raises("there is no failure of the kind 'at worst'", failure.raise, "at worst", "closes")
  end)

  it("are not read from words", function()
    assert.is_nil(kind_of(object.fail, "no periodic motion was found, a state of rest at best"))
    assert.equal("no motion", kind_of(failure.raise, "no motion", "nothing"))
    assert.is_nil(kind_of(object.fail, "nothing else"))
  end)

  it("stay with a failure that is raised again", function()
    local function again()
      local _, message, kind = attempt(failure.raise, "at rest", "stands still")
      attempt(object.fail, "another one")
      failure.raise(kind, "%s; push it", message)
    end
    assert.equal("at rest", kind_of(again))
  end)

  it("tell why S:periodic found nothing", function()
    local S, fall = oscillator(), hm.system "fall"
    local x = fall:coordinates "x"
    fall:kinetic_energy(x.dot^2/2)
    fall:potential_energy(x + x^3/3)
    assert.equal("no motion", kind_of(fall.periodic, fall, { q = { x = 1 }, v = { x = 0 }, period = 1, elsewhere = false }))
    assert.equal("no motion", kind_of(fall.periodic, fall, { q = { x = 1 }, v = { x = 0 }, period = 1 }))
    local function of(o) return kind_of(S.periodic, S, o) end
    assert.equal("at rest", of{ q = { x = 0 }, v = { x = 0 }, period = 5 })
    assert.equal("at best", of{ q = { x = 1 }, v = { x = 0 }, period = 4.768, parameters = { d = 0 }, tolerance = 1e-14, rtol = 1e-10, atol = 1e-10 })
    assert.is_nil(of{ q = { x = 1 }, v = { x = 0 }, period = 5, advance = { y = 1 } })
  end)

  it("do not come from names of users", function()
    for _, name in ipairs{ "oscillator", "state of rest", "at best" } do
      local S = oscillator(name)
      local guess = { q = { x = 1 }, v = { x = 0 }, period = 5, advance = { y = 1 } }
      check.raises("continue: periodic: advance: 'y' is not a coordinate of " .. name, S.continue, S, { periodic = guess, along = "d", to = 1 })
    end
  end)
end)
