-- Blows that concern one body and leave another one, which touches elsewhere, as it is
local hm, check = require "hamel", require "check"
local near = check.near

-- n bodies above a floor, body i with its own gap and friction; no force and no inertia couples them
local function bodies(n, law, pull)
  local S, T = hm.system "bodies", hm.number(0)
  for i = 1, n do
    local x, z = S:coordinates(("x%d z%d"):format(i, i))
    T = T + (x.dot^2 + z.dot^2)/2 + hm.rational(-1, 5)*x.dot*z.dot
    S:force(z, -10)
    -- the second is pulled by more than its friction in slip, and less than that in stick
    S:force(x, i == 2 and pull or hm.number "0.5")
    S:unilateral("floor" .. i, z, { law = hm[law](0.6) })
    S:friction("rub" .. i, { slip = x.dot, normal = "floor" .. i, coefficient = 0.3, static = 0.6 })
  end
  S:kinetic_energy(T)
  return S
end

local function run(n, law, method, pull, z2)
  local o = { q = { x1 = 0, z1 = 0.5 }, v = { x1 = 1, z1 = 0 }, t = 1.5, method = method, rtol = 1e-10, atol = 1e-11 }
  if n == 2 then o.q.x2, o.q.z2, o.v.x2, o.v.z2 = 0, z2 or 0, 0, 0 end
  return bodies(n, law, pull or hm.number "3.2"):simulate(o)
end

describe("a blow at one body", function()
  it("leaves another one at rest, and keeps its own law", function()
    for _, law in ipairs{ "newton", "poisson", "stronge", "moreau" } do
      for _, method in ipairs{ "dop853", "radau5", "rkf45" } do
        local alone, beside = run(1, law, method), run(2, law, method)
        assert.equal("OK", beside.status, law .. " " .. method)
        assert.equal(#alone.impacts, #beside.impacts, law .. " " .. method)
        for i, impact in ipairs(alone.impacts) do near(beside.impacts[i].impulses.floor1, impact.impulses.floor1, 1e-7, law .. " " .. method) end
        near(beside:at(1.5).x1, alone:at(1.5).x1, 1e-7, law .. " " .. method)
        -- the body at rest has neither moved nor changed its mode
        near(beside:at(1.5).x2, 0, 1e-12, law .. " " .. method)
        for _, switch in ipairs(beside.switches) do assert(switch.name ~= "rub2" and switch.name ~= "floor2", tostring(switch)) end
      end
    end
  end)

  it("is one impact with a blow of the same instant at another", function()
    local both, alone = run(2, "stronge", "dop853", hm.number "0.5", 0.5), run(1, "stronge", "dop853")
    local first, single = both.impacts[1], alone.impacts[1]
    near(first.impulses.floor1, single.impulses.floor1, 1e-12)
    assert(first.impulses.floor2 > 1)                -- its slip is another one
    near(both:at(0.5).z1, alone:at(0.5).z1, 1e-12)
  end)

  it("ends a stick whose slip it changes, though the friction is no part of it", function()
    local S = hm.system "slider"
    local x, z = S:coordinates "x z"
    S:kinetic_energy((x.dot^2 + z.dot^2)/2 + x.dot*z.dot/4)
    S:force(z, -10)
    S:unilateral("floor", z, { law = hm.newton(0.5) })
    S:friction("rub", { slip = x.dot, normal = 4, coefficient = 0.8 })
    local r = S:simulate{ q = { x = 0, z = 0.5 }, v = { x = 0, z = 0 }, t = 0.5 }
    assert.equal("OK", r.status)
    -- M (0, dz') + ... : x' falls by a quarter of what z' rises by
    local impact = r.impacts[1]
    near(r:at(impact.t + 1e-9).v.x, -1.5*math.abs(r:at(impact.t - 1e-9).v.z)/4, 1e-7)
  end)
end)
