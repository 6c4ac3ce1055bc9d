-- the rattleback at t = 1: a motion of 650 operations in balls, two ways: in turns about axes, with other bits and orders, and as a body with
-- a unit quaternion; runs in doubles by four methods.
local hm, certified, core = require "hamel", require "certified", require "hamel.core"

if not core.has_arb then os.exit(77) end

describe("the rattleback at t = 1", function()
  local S, start = certified.rattleback()
  local fine

  it("is enclosed with 100 and 130 bits, and has the digits that were proved elsewhere", function()
    local e = S:enclosure(certified.with(start, { t = 1, bits = 100 }))
    fine = S:enclosure(certified.with(start, { t = 1, bits = 130, order = 50 }))
    assert.is_true(e.status == "OK" and fine.status == "OK" and e.radius < 1e-14 and fine.radius < 1e-23)
    for _, part in ipairs{ "q", "v" } do
      for name, x in pairs(e[part]) do assert.is_true(x:meets(fine[part][name]), name) end
    end
    local wanted = { yaw = "-4.2670803559483348", roll = "-0.00046094817732810", pitch = "0.025173657384913", x = "0.00112641834876963",
      y = "0.00139544591505782" }
    for name, text in pairs(wanted) do assert(certified.agree(fine.q[name]:text(20), text), fine.q[name]:text(20) .. ", not " .. text) end
    assert.is_true(certified.agree(fine.v.yaw:text(20), "-3.13831228762438"))
  end)

  it("is that of a body with a unit quaternion", function()
    local B, at = certified.rattleback_body()
    local r = B:reference(certified.with(at, { t = 1, digits = 16, prove = true }))
    for _, name in ipairs{ "x", "y" } do assert.is_true(fine.q[name]:meets(hm.ball(r.q[name], "1e-17")), name .. ": " .. r.q[name]) end
    -- the heading of the body: its axes turn by the yaw, then the roll, then the pitch
    local function at_end(f) return f(tonumber(fine.q.yaw:text(17)), tonumber(fine.q.roll:text(17)), tonumber(fine.q.pitch:text(17))) end
    local half = at_end(function(yaw, roll, pitch)
      local c1, s1, c2, s2, c3, s3 = math.cos(yaw/2), math.sin(yaw/2), math.cos(roll/2), math.sin(roll/2), math.cos(pitch/2), math.sin(pitch/2)
      return { c1*c2*c3 - s1*s2*s3, c1*s2*c3 - s1*c2*s3, c1*c2*s3 + s1*s2*c3, s1*c2*c3 + c1*s2*s3 }
    end)
    local sign = tonumber(r.q.R0)*half[1] < 0 and -1 or 1
    for i = 0, 3 do assert(math.abs(tonumber(r.q["R" .. i])*sign - half[i + 1]) < 2e-15, "R" .. i) end
  end)

  it("is that of runs in doubles", function()
    for _, method in ipairs{ "dop853", "taylor", "radau5", "gauss8" } do
      local o = certified.with(start, { t = 1, method = method, rtol = 1e-13, atol = 1e-15 })
      if method == "gauss8" then o.rtol, o.atol, o.step = nil, nil, 5e-4 end
      local at = S:simulate(o):at(1)
      for name, x in pairs(fine.q) do assert(math.abs(at.q[name] - (x.lower + x.upper)/2) < 1e-9, method .. ": " .. name .. " " .. at.q[name]) end
    end
  end)
end)
