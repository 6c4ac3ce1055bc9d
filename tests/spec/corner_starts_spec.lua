-- a start on a corner of a constraint: the point on the ridge of a roof may slide down either side
local hm, check = require "hamel", require "check"

local function point(constraint)
  local S = hm.system "point"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(9.81*y)
  S:constraint("roof", y + constraint(x))
  return S
end

describe("a start on a corner of a constraint", function()
  it("is refused, since the motion is not unique", function()
    for _, roof in ipairs{ hm.abs, function(x) return hm.max(0, x) end } do
      for _, method in ipairs{ "dop853", "taylor", "radau5", "gauss4" } do
        local S, step = point(roof), method == "gauss4" and 0.01 or nil
        check.raises({ "cannot start", "'roof' has a corner where x = 0", "start beside the corner" }, S.simulate, S,
          { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 1, method = method, step = step, progress = false })
      end
    end
  end)

  -- Arbiter: the incline of 45 degrees, along which the acceleration is g/sqrt 2
  it("beside it is not", function()
    for _, side in ipairs{ -1, 1 } do
      local r = point(hm.abs):simulate{ q = { x = side, y = -1 }, v = { x = 0, y = 0 }, t = 1, progress = false }
      assert.equal("OK", r.status)
      check.near(r:at(1).x, side*(1 + 9.81/4), 1e-8)
    end
  end)

  it("met on the way stops the run, since the velocities would jump", function()
    local r = point(hm.abs):simulate{ q = { x = -1, y = -1 }, v = { x = 6 }, t = 1, progress = false }
    assert.equal("IMPULSE", r.status)
    assert.truthy(r.reason:find("at the corner x = 0, the velocity condition of 'roof' jumps", 1, true), r.reason)
  end)
end)

describe("a start on a jump of a force, with friction or a floor,", function()
  local methods = { dop853 = 0, rkf45 = 0, rk8pd = 0, radau5 = 0, auto = 0, rk4 = 0.01, gauss4 = 0.01, moreau = 0.01 }     -- steps; 0: adaptive
  local function body()
    local S = hm.system "body"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    return S, x, y
  end

  -- x at t = 2 from rest in 0
  local cases = {
    pulled = { 5, function(S, x) S:force(x, 3*hm.sign(hm.t)) S:friction("rub", { slip = x.dot, normal = 1, coefficient = 0.5 }) end },
    pulled_in_a_plane = { 5, function(S, x, y)
      S:force(x, 3*hm.sign(hm.t))
      S:friction("rub", { slip = { x.dot, y.dot }, normal = 1, coefficient = 0.5 })
    end },
    pulled_too_little = { 0, function(S, x) S:force(x, hm.sign(hm.t)/3) S:friction("rub", { slip = x.dot, normal = 1, coefficient = 0.5 }) end },
    pushed_to_its_place = { 0, function(S, x) S:force(x, -hm.sign(x)/3) S:friction("rub", { slip = x.dot, normal = 1, coefficient = 0.5 }) end },
    lifted = { 4, function(S, x) S:force(x, 3*hm.sign(hm.t) - 1) S:unilateral("floor", x, { law = hm.newton(0.5) }) end },
  }

  it("follows the side to which the motion leads", function()
    for name, case in pairs(cases) do
      local S, x, y = body()
      case[2](S, x, y)
      for method, step in pairs(methods) do
        local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 2, method = method, step = step > 0 and step or nil, progress = false }
        assert.equal("OK", run.status, name .. " by " .. method)
        check.near(run:at(2).x, case[1], 1e-9)
      end
      local W = S:sweep{ over = { { "x", { 0, 0 } } }, q = { y = 0 }, v = { x = 0, y = 0 }, t = 2, progress = false }
      for k = 1, #W do check.near(W[k].x, case[1], 1e-9) end
    end
  end)
end)
