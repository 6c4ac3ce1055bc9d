-- starts on levels of bodies with S:rotation: a body rate follows from the energy, or from another level, against closed forms
local hm, check = require "hamel", require "check"
local near = check.near

local function body()
  local S = hm.system "body"
  local N = S:frame "N"
  local R = S:rotation("R", { rates = "p q r" })
  local p, q, r = R:rates()
  S:kinetic_energy((p^2 + hm.rational(6, 5)*q^2 + hm.rational(3, 2)*r^2)/2)
  S:potential_energy(hm.rational(1, 10)*N.z:dot(R.z))
  return S, N, R
end

-- Rows of a sweep with the rates just after the start
local function starts(S, R, given)
  local p, q, r = R:rates()
  given.keep = { p = p, q = q, r = r }
  given.t = 1e-13
  return S:sweep(given)
end

describe("starts on levels of bodies with a rotation", function()
  local upright = { R = { 1, 0, 0, 0 } }

  it("one body rate follows from the energy: (E - 1/10 - p^2/2)/(3/5) = q^2, with the sign of branch", function()
    local S, _, R = body()
    for _, sign in ipairs{ 1, -1 } do
      local rows = starts(S, R, { over = { { "energy", { 0.4, 0.5 } } }, q = upright, v = { p = 0.1, r = 0 }, branch = { q = sign } })
      for i, E in ipairs{ 0.4, 0.5 } do
        assert.equal("OK", rows[i].status, rows[i].reason)
        near(rows[i].q, sign*math.sqrt((E - 0.1 - 0.005)/0.6), 1e-12)
        near(rows[i].p, 0.1, 1e-14)
      end
    end
  end)

  it("in a chart, too, beside another rate that is varied", function()
    local S = body()
    local C = S:chart{ over = { { "energy", { 0.4, 0.5 } }, { "v.p", { 0.1, 0.2 } } }, q = upright, v = { r = 0 }, of = { E = "energy" }, t = 1 }
    assert.equal(4, #C)
    for i = 1, 4 do
      assert.equal("OK", C[i].status, C[i].reason)
      near(C[i].E, C[i].energy, 1e-8)
    end
  end)

  it("of expressions in the rates, and beside conditions and constraints", function()
    local S, N, R = body()
    local p, q, r = R:rates()
    near(starts(S, R, { over = { { p^2 + q^2 + r^2, { 0.4 } } }, q = upright, v = { p = 0.1, r = 0 } })[1].q, math.sqrt(0.39), 1e-12)
    near(starts(S, R, { over = { { N.z:dot(R:angular_velocity()), { 0.4 } } }, q = upright, v = { p = 0.1, q = 0 } })[1].r, 0.4, 1e-12)
    local row = starts(S, R, { over = { { "energy", { 0.4 } } }, q = upright, v = { p = 0.1 }, where = { { N.z:dot(R:angular_velocity()), 0.3 } } })[1]
    near(row.r, 0.3, 1e-12)
    near(row.q, math.sqrt((0.3 - 0.005 - 0.75*0.09)/0.6), 1e-12)
    S:constraint("c", r)
    near(starts(S, R, { over = { { "energy", { 0.4 } } }, q = upright, v = { p = 0.1 } })[1].q, math.sqrt((0.3 - 0.005)/0.6), 1e-12)
  end)

  it("of a rolling disc, where a constraint gives a position and velocities", function()
    local S = hm.system "disc"
    local N = S:frame "N"
    local R = S:rotation("R", { rates = "p q w" })
    local d = S:body("d", { at = S:point "x y z", frame = R, mass = 1, inertia = { 1/4, 1/4, 1/2 }, shape = { "disc", radius = 1 } })
    S:rolls("roll", d, N:plane())
    S:gravity(-9.81*N.z)
    local _, _, w = R:rates()
    local rows = S:sweep{ over = { { "energy", { 12, 13 } } }, q = { x = 0, y = 0, R = { axis = { 1, 0, 0 }, angle = math.pi/2 - 0.3 } },
      v = { p = 0.3, q = 0.2 }, t = 1e-13, keep = { w = w } }
    for i, E in ipairs{ 12, 13 } do
      assert.equal("OK", rows[i].status, rows[i].reason)
      -- 5/4 p^2/2 + 1/4 q^2/2 + 3/2 w^2/2 + g cos 0.3
      near(rows[i].w, math.sqrt((E - 9.81*math.cos(0.3) - 0.625*0.09 - 0.125*0.04)/0.75), 1e-10)
    end
  end)

  it("a rate that is varied takes the place of that in a list of rates, in charts of exponents, too", function()
    local S, _, R = body()
    local function chart(v)
      return S:chart{ over = { { "r", { 0.5, 2 } } }, q = { R = { axis = { 1, 0, 0 }, angle = 0.1 } }, v = v, of = "exponents", t = 20 }
    end
    local C, by_name = chart{ R = { 0.1, 0, 7 } }, chart{ p = 0.1, q = 0 }
    assert(tostring(C):find("'v.r' is given twice: the values of over are used", 1, true))
    for i = 1, 2 do
      assert.equal("OK", C[i].status, C[i].reason)
      for k, e in ipairs(by_name[i].exponents) do near(C[i].exponents[k], e, 1e-12) end
    end
    near(starts(S, R, { over = { { "r", { 0.5 } } }, q = upright, v = { R = { 0.1, 0, 7 } } })[1].r, 0.5, 1e-12)
  end)

  it("says what is missing, what is too much and what has no effect", function()
    local S, _, R = body()
    local function reason(given)
      given.over, given.q = { { "energy", given.E or { 0.4 } } }, upright
      given.E = nil
      return starts(S, R, given)[1].reason
    end
    local function has(text, given)
      local why = reason(given)
      assert(why and why:find(text, 1, true), tostring(why))
    end
    has("give v.r", { v = { p = 0.1 } })
    has("all velocities are given", { v = { R = { 0.1, 0.2, 0.3 } } })
    has("no velocity of q gives energy = -1", { v = { p = 0.1, r = 0 }, E = { -1 } })
    check.raises({ "neither a coordinate nor a body rate of body" }, S.sweep, S,
      { over = { { "energy", { 1 } } }, q = upright, v = { p = 0, r = 0 }, branch = { R0 = 1 }, t = 1 })
  end)
end)
