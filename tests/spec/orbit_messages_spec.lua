-- what S:periodic and S:continue say of tolerances that cannot be reached, of values that cannot be followed, and of how branches end
local hm, check = require "hamel", require "check"

local function duffing()
  local S = hm.system "Duffing"
  local x, w = S:coordinates "x", S:parameters "w=1.2"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/4)
  S:force(x, -0.1*x.dot + 0.3*hm.cos(w*hm.t))
  return S, { q = { x = 0.4 }, v = { x = 0 }, period = 2*hm.pi/w }
end

local function given(guess, more)
  local o = {}
  for name, value in pairs(guess) do o[name] = value end
  for name, value in pairs(more) do o[name] = value end
  return o
end

describe("tolerances of periodic motions", function()
  it("that cannot be reached are refused with the least that can", function()
    local S, guess = duffing()
    for _, tolerance in ipairs{ 1e-30, 1e-15, 0, -1 } do
      check.raises("must be at least 1e-14", S.periodic, S, given(guess, { tolerance = tolerance }))
      check.raises("must be at least 1e-14", S.continue, S, { periodic = guess, along = "w", tolerance = tolerance })
    end
    check.raises("must be below 0.01", S.periodic, S, given(guess, { tolerance = 1 }))
    check.raises("is nan", S.periodic, S, given(guess, { tolerance = 0/0 }))
    check.raises("rtol = 1e-30 is below the precision of doubles", S.periodic, S, given(guess, { rtol = 1e-30 }))
    check.raises("continue: rtol = 1e-30 is below the precision of doubles", S.continue, S, { periodic = guess, along = "w", rtol = 1e-30 })
    check.raises("'atol' = 0 must be above 0", S.continue, S, { periodic = guess, along = "w", atol = 0 })
  end)

  it("that errors of runs do not allow are refused with what helps, and it does", function()
    local S, guess = duffing()
    local fine, message = pcall(S.periodic, S, given(guess, { tolerance = 1e-14, rtol = 1e-4, atol = 1e-4 }))
    assert.is_false(fine)
    assert.truthy(message:find("give a smaller rtol", 1, true) or message:find("at best", 1, true), message)
    assert.equal("stable in the first approximation", S:periodic(given(guess, { tolerance = 1e-14 })).stability)
  end)

  it("are rough where they are large, but motions are not told to repeat for that", function()
    local S, guess = duffing()
    local orbit = S:periodic(given(guess, { tolerance = 1e-3 }))
    assert.equal(1, orbit.repeats)
    check.near(orbit.q.x, S:periodic(guess).q.x, 1e-3)
  end)
end)

describe("branches of periodic motions say", function()
  it("how many points they were given", function()
    local S, guess = duffing()
    local B = S:continue{ periodic = guess, along = "w", from = 1.1, to = 1.3, points = 1 }
    assert.truthy(tostring(B):find("ended: 1 point on both sides", 1, true), tostring(B))
  end)

  it("that a coordinate is followed where it is kept", function()
    local S, guess = duffing()
    check.raises({ "'x' is neither a parameter nor an integral", "keep = { \"x\", ... }" }, S.continue, S, { periodic = guess, along = "x" })
    check.raises({ "'xx' is neither a parameter nor an integral" }, S.continue, S, { periodic = guess, along = "xx" })
  end)
end)

describe("calls of S:periodic, S:continue and S:linearize with the wrong thing", function()
  local S, guess = duffing()
  local P = hm.system "pendulum"
  local a = P:coordinates "a"
  P:kinetic_energy(a.dot^2/2)
  P:potential_energy(-hm.cos(a))

  it("say what was given and what is wanted", function()
    local rest, orbit = P:equilibrium{ q = { a = 0.1 } }, P:periodic{ q = { a = 1 }, v = { a = 0 }, period = 6.7 }
    check.raises("not an Equilibrium", P.periodic, P, rest)
    check.raises({ "not an Orbit", "S:continue{ periodic = " }, P.continue, P, orbit)
    check.raises("S:linearize(result), or q = result.q", P.linearize, P, { q = rest })
    check.raises("add period = ", P.periodic, P, { q = { a = 1 }, v = { a = 0 } })
    check.raises("declared as a parameter", P.continue, P, { periodic = orbit, along = "g" })
    check.raises("along = \"energy\"", P.continue, P, { periodic = orbit })
    check.raises("ended at a state of rest", P.continue, P, { periodic = { q = { a = 0 }, v = { a = 0 }, period = 6 }, along = "energy" })
    check.raises({ "not steady", "depend on time", "S:periodic{" }, S.linearize, S, { q = { x = 0 } })
    check.raises("fold = B.special[1]", S.continue, S, { fold = S:continue{ periodic = guess, along = "w", to = 1.25 }, along = { "w", "w" } })
  end)
end)
