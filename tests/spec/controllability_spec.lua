-- S:controllability against the examples of Lewis, Murray 1997 and of Lewis, Ostrowski, Murray, Burdick 1994
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local function robotic_leg()
  local S = hm.system "leg"
  local r, theta, psi = S:coordinates "r theta psi"
  local m, J = S:positive "m=1 J=2"
  S:kinetic_energy(m/2*(r.dot^2 + r^2*theta.dot^2) + J/2*psi.dot^2)
  return S, r, theta, psi
end

local function planar_body()
  local S = hm.system "body"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, h = S:positive "m=1 J=2 h=1/2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  return S, { x = cos(theta), y = sin(theta) }, { x = -sin(theta), y = cos(theta), theta = -h }
end

-- accessible, configuration, small_time as a text
local function verdict(S, ...)
  local C = S:controllability{ inputs = { ... } }
  return ("%s %s %s"):format(C.accessible, C.configuration, C.small_time), C
end

describe("S:controllability", function()
  it("knows the robotic leg", function()
    local S = robotic_leg()
    local hip = { theta = 1, psi = -1 }
    -- the angular momentum is kept, so that not all velocities are reached
    assert.equal("false true true", verdict(S, hip, "r"))
    local text, C = verdict(S, hip)
    assert.equal("false true nil", text)
    assert.equal("<theta - psi:theta - psi>", C.obstruction)
    assert.equal("false false nil", verdict(S, "r"))
    assert(tostring(C):find("whether it is controllable is not decided", 1, true))
  end)

  it("knows the planar body with thrust at its edge", function()
    local S, along, across = planar_body()
    assert.equal("true true true", verdict(S, along, across))
    assert.equal("true true nil", verdict(S, across))
    assert.equal("false false nil", verdict(S, along))
  end)

  it("knows the snakeboard with rotor and wheels, by coordinates and by inputs", function()
    local S = hm.system "snakeboard"
    local x, y, theta, psi, phi = S:coordinates "x y theta psi phi"
    local m, l, J, R, W = S:positive "m=6 l=1/5 J=1/50 R=1/10 W=1/100"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2 + R/2*(theta.dot + psi.dot)^2
      + W/2*((theta.dot + phi.dot)^2 + (theta.dot - phi.dot)^2))
    S:constraint("front", y.dot*cos(theta + phi) - x.dot*sin(theta + phi) + l*theta.dot*cos(phi))
    S:constraint("rear", y.dot*cos(theta - phi) - x.dot*sin(theta - phi) - l*theta.dot*cos(phi))
    assert.equal("true true true", verdict(S, psi, "phi"))
    local u, w = S:input "u", S:input "w"
    S:force(psi, u)
    S:force(phi, w)
    assert.equal("true true true", verdict(S, "u", "w"))
    assert.equal("false false nil", verdict(S, "u"))
  end)

  it("finds an integrable part whatever the forces", function()
    local S = hm.system "disc on a rail"
    local x, phi, z = S:coordinates "x phi z"
    S:kinetic_energy((x.dot^2 + phi.dot^2 + z.dot^2)/2)
    S:constraint("roll", x.dot - 2*phi.dot)
    local text, C = verdict(S, "phi", "z")
    assert.equal("true false nil", text)
    assert.equal(2, C.ranks.positions)
  end)

  it("refuses what the theory does not cover", function()
    local S, r, theta = robotic_leg()
    check.raises({ "'fi' is neither a coordinate nor an input" }, S.controllability, S, { inputs = { "fi" } })
    check.raises({ "inputs = " }, S.controllability, S)
    S:potential_energy(r^2)
    check.raises({ "the potential energy depends on 'r'" }, S.controllability, S, { inputs = { "r" } })
    S:potential_energy(hm.number(0), { replace = true })
    S:force(theta, -theta.dot)
    check.raises({ "a force acts on 'theta' besides the inputs" }, S.controllability, S, { inputs = { "r" } })
    local T = hm.system "blocked"
    local x, y = T:coordinates "x y"
    T:kinetic_energy((x.dot^2 + y.dot^2)/2)
    T:constraint("c", x.dot)
    check.raises({ "take up the input 'x' whole" }, T.controllability, T, { inputs = { "x" } })
  end)

  it("refuses inputs that are no constant force along a direction of the coordinates", function()
    local function with(force, given)
      local S = hm.system "pushed"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + (1 + x^2)*y.dot^2)/2)
      S:force(y, force(S:input "u", S:input "w", x))
      return S.controllability, S, { inputs = { given or "u" } }
    end
    for _, force in ipairs{ function(u) return u^2 end, function(u, w) return u*w end, function(u) return hm.abs(u) end, function(u) return hm.sqrt(u^2) end,
                            function(u) return hm.sin(u) end } do
      check.raises({ "along 'y' is not linear in the inputs" }, with(force))
    end
    for _, force in ipairs{ function(u) return 1/u end, function(u) return hm.log(u) end } do
      check.raises({ "no values where the inputs are zero" }, with(force))
    end
    check.raises({ "depends on velocities", "x'" }, with(function(_, w, x) return w*x.dot end, "w"))
    check.raises({ "depends on velocities", "sign" }, with(function(_, w, x) return w*hm.sign(x.dot) end, "w"))
    check.raises({ "depends on time" }, with(function(u) return hm.sign(hm.t)*u end))
    check.raises({ "depends on time" }, with(function(u) return hm.sin(hm.t)*u end))
    -- linear in disguise, and a direction that moves with the coordinates
    local run, S, o = with(function(u, w, x) return (u + 1)^2 - u^2 - 1 + w*x end)
    assert.equal(2, run(S, o).ranks.positions)
  end)
end)
