-- how impacts end. A body falls into a trough of two walls, slides along it and comes to rest across it after impacts that accumulate at both walls
-- in turn. Arbiter: the impulses of the walls follow from the momentum across the trough alone; friction along it takes mu times these
local hm, check = require "hamel", require "check"

local walls = { { 0.5, 1, 0.3, 0.5 }, { 1, 1, 0.1, 0.5 }, { 0.3, 2, 0.2, 0.7 }, { 3, 1, 0.5, 0.6 } }

describe("impacts that accumulate at two walls in turn", function()
  for _, law in ipairs{ "newton", "poisson", "moreau" } do
    it("rub as much as they press, with the law " .. law, function()
      for _, wall in ipairs(walls) do
        local a, b, speed, e = table.unpack(wall)
        local T, mu, na, nb = 10, 0.1, math.sqrt(1 + wall[1]^2), math.sqrt(1 + wall[2]^2)
        local left = (speed + b*10*T)/(a + b)
        local right = 10*T - left
        for _, tolerance in ipairs{ 1e-8, 1e-10, 1e-12, 1e-13 } do
          local S = hm.system "trough"
          local x, y, z = S:coordinates "x y z"
          S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
          S:potential_energy(10*y)
          S:unilateral("left", (y - a*x)/na, { law = hm[law](e) })
          S:unilateral("right", (y + b*x)/nb, { law = hm[law](e) })
          S:friction("rub left", { slip = z.dot, normal = "left", coefficient = mu })
          S:friction("rub right", { slip = z.dot, normal = "right", coefficient = mu })
          local r = S:simulate{ q = { x = 0.1, y = 1, z = 0 }, v = { x = speed, y = 0, z = 60 }, t = T, rtol = tolerance, atol = tolerance }
          assert.equal("OK", r.status)
          check.near(r:at(T).v.z, 60 - mu*(left*na + right*nb), 60*tolerance)
        end
      end
    end)
  end
end)

local function ball(law, capture, speed)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(10*y)
  S:unilateral("floor", y, { law = law, capture = capture })
  S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.1 })
  return S, { q = { x = 0, y = speed and 0 or 1 }, v = { x = 10, y = speed or 0 }, t = 5 }
end

describe("a contact that begins to last", function()
  it("accounts for the energy of a flight that the user's capture velocity ends", function()
    for _, capture in ipairs{ 1e-3, 0.1, 1, 3 } do
      local S, start = ball(hm.newton(0.5), capture)
      local r = S:simulate(start)
      assert.equal("OK", r.status)
      check.near(r:at(5).v.x, 10 - 0.1*10*5, 1e-9)
      start.over, start.v.x = { { "v.x", { 10, 12 } } }, nil
      assert.equal("OK", S:sweep(start)[2].status)
    end
  end)

  it("tells of no accumulation where nothing has struck", function()
    for _, speed in ipairs{ 1e-9, 1e-7 } do
      local S, start = ball(hm.newton(0.5), nil, speed)
      local r = S:simulate(start)
      assert.equal("OK", r.status)
      assert.equal(0, #r.accumulations)
      assert.equal(0, #r.impacts)
      assert.is_nil(tostring(r):find("accumulate", 1, true))
    end
  end)
end)
