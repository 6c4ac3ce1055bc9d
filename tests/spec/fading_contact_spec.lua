-- contacts whose pressing force fades away: the motion is right whether they count as closed or open in the end
local hm, check = require "hamel", require "check"
local near = check.near
local plastic = hm.plastic()

local fadings = {
  exp = function() return hm.exp(-hm.t) end,
  gauss = function() return hm.exp(-hm.t^2) end,
  power = function() return 1/(1 + hm.t)^30 end,
}

local function each_fading(body)
  for name, of in pairs(fadings) do
    for _, T in ipairs{ 30, 100, 800 } do
      for _, size in ipairs{ 1, 1e3 } do
        for _, tolerance in ipairs{ 1e-8, 1e-12 } do body(size*of(), T, tolerance, ("%s to t = %g, %g, at %g"):format(name, T, size, tolerance)) end
      end
    end
  end
end

local function plane(coordinates)
  local S = hm.system "fading"
  local list, T = { S:coordinates(coordinates) }, hm.number(0)
  for _, q in ipairs(list) do T = T + q.dot^2/2 end
  S:kinetic_energy(T)
  return S, table.unpack(list)
end

local function run(S, q, v, T, tolerance)
  return S:simulate{ q = q, v = v, t = T, rtol = tolerance, atol = tolerance/10 }
end

describe("a pressing force that fades", function()
  it("holds a rod at rest on two supports, with friction", function()
    each_fading(function(f, T, tolerance, what)
      local S, x, y, a = plane "x y a"
      S:force(y, -f)
      S:force(x, f/10)
      S:unilateral("left", y - hm.sin(a), { law = plastic })
      S:unilateral("right", y + hm.sin(a), { law = plastic })
      S:friction("rub left", { slip = x.dot, normal = "left", coefficient = 0.3 })
      S:friction("rub right", { slip = x.dot, normal = "right", coefficient = 0.3 })
      local r = run(S, { x = 0, y = 0, a = 0 }, { x = 0, y = 0, a = 0 }, T, tolerance)
      assert.equal("OK", r.status, what)
      near(r:at(T).x, 0, 1e-9, what)
    end)
  end)

  it("leaves a body to the other forces, whichever way it turns", function()
    each_fading(function(f, T, tolerance, what)
      local S, x, y = plane "x y"
      S:force(y, -f)
      S:force(x, hm.sin(hm.t))
      S:unilateral("floor", y, { law = plastic })
      S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 1e-9 })
      local r = run(S, { x = 0, y = 0 }, { x = 0.5, y = 0 }, T, tolerance)
      assert.equal("OK", r.status, what)
      -- v = 3/2 - cos t but for friction of 1e-9 times the impulse of f
      near(r:at(T).v.x, 1.5 - math.cos(T), 2e-6 + 1e3*tolerance, what)
    end)
  end)

  it("is nothing beside other forces, where the slip turns round", function()
    local S = hm.system "fading"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + y.dot*z.dot)/2)
    S:force(y, -1e3*hm.exp(-hm.t))
    S:force(z, -hm.exp(-hm.t)/2)
    S:force(x, hm.sin(hm.t))
    S:unilateral("floor", y, { law = plastic })
    S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.3 })
    local r = run(S, { x = 0, y = 0, z = 0 }, { x = 1, y = 0, z = 0 }, 800, 1e-12)
    assert.equal("OK", r.status)
    -- friction is gone after t = 60
    local early = r:at(60).v.x
    near(r:at(800).v.x - early, math.cos(60) - math.cos(800), 1e-7)
  end)
end)
