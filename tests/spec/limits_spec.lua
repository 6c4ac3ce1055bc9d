-- limits of exact algebra: what is asked for without measure is refused soon, with the reason, and leaves nothing behind
local core, hm, check = require "hamel.core", require "hamel", require "check"
local m, x, y, a, b = hm.symbols "m x y a b"

-- of this process, in megabytes; nil where the system does not say
local function memory(kind)
  local file = io.open "/proc/self/status"
  if not file then return nil end
  local size = file:read("a"):match(kind .. ":%s*(%d+) kB")
  file:close()
  return tonumber(size)/1024
end
local sanitized = (os.getenv "SANITIZE" or "OFF") ~= "OFF"

describe("a limit of exact algebra", function()
  it("holds before a call of the polynomial library", function()
    local cases = {
      { m^777777774 - m, "auto", "a degree higher than 100000" },
      { m^100000002 - m, "factored", "a degree higher than 100000" },
      { m^100000002*x^2 - m*y^2 + 1, "factored", "a degree higher than 100000" },
      { (m^1000000 - 1)/(m - 1), "auto", "a degree higher than 100000" },
      { (x*m^300000 - y)/(x^7*m^200001 - y*x), "auto", "a degree higher than 100000" },
      { hm.sin(x)^777777774 + hm.cos(x)^777777774, "auto", "terms" },
      { (1 + x)^3000, "expanded", "a power is too high" },
      { (x + y + a + b)^50*(x - y)^50, "expanded", "terms" },
      { hm.sin(400*x + y) + hm.sin(x), "expanded", "a multiple of an angle is too high" },
    }
    for _, case in ipairs(cases) do
      local e, form, reason = table.unpack(case)
      local started = os.clock()
      local result, why = e:simplify(form)
      assert.equal(e, result)
      assert.is_true(why ~= nil and why:find(reason, 1, true) ~= nil, tostring(why))
      assert.is_true(os.clock() - started < 30, "too late: " .. tostring(why))
    end
    local size = memory "VmHWM"
    assert.is_true(not size or sanitized or size < 700)
  end)
  it("leaves what needs no polynomial arithmetic alone", function()
    assert.equal("m^777777773", tostring((m^777777774/m):simplify()))
    assert.equal(true, (m^777777774 - m*m^777777773):is_zero())
    assert.equal("m^777777773*x", tostring((m^777777774*x/m):simplify()))
  end)
  it("holds inside of a call, by time and by memory", function()
    for _, e in ipairs{ m^100000 - m, m^30030 - 1, (m^90000 - x^80000)/(m^60000 - 3*x^7), hm.sqrt(1 - hm.cos(x)^2888) } do
      local started = os.clock()
      local _, why = e:simplify{ form = "factored", seconds = 0.1 }
      assert.equal("more than 0.1 s", why)
      assert.is_true(os.clock() - started < 10)
    end
    local _, why = ((x*hm.number(3)^30000 + y*hm.number(7)^30000 + a)^40):simplify{ form = "expanded", bytes = 2e6, seconds = 60 }
    assert.equal("more than 2 MB", why)
    _, why = ((x + y + a + b)^20*(x - y)^10):simplify{ form = "expanded", bytes = 1e6, seconds = 60 }
    assert.equal("more than 1 MB", why)
  end)
  it("may be an effort, the same on every machine", function()
    local e = ((x + y + a + b)^6/(x - y) + (x + a)^5/(y + b)):simplify{ form = "fraction" }
    local before = core.effort()
    local _, why = e:simplify{ form = "factored", effort = 1e-6 }
    assert.equal("more work than 1e-06 s usually take", why)
    local spent = core.effort() - before
    assert.is_true(spent > 1e-6)
    -- the same again
    before = core.effort()
    e:simplify{ form = "factored", effort = 1e-6 }
    assert.equal(spent, core.effort() - before)
  end)
  it("is a gigabyte by default", function()
    -- 16900 terms whose coefficients have 120 kB each
    local p, q = 0, 0
    for i = 1, 130 do p, q = p + x^i, q + y^i end
    local _, why = (hm.number(3)^600000*p*q):simplify{ form = "expanded", seconds = 600 }
    assert.equal("more than 1000 MB", why)
    local size = memory "VmHWM"
    assert.is_true(not size or sanitized or size < 1800)
  end)
  it("loses no memory when it stops a call", function()
    if sanitized or not memory "VmRSS" then return end
    local function stopped(n)
      for i = 1, n do
        local e = i % 2 == 0 and hm.sqrt(1 - hm.cos(x)^2888) or (x*hm.number(3)^999 + y)^60*(m^9000 - m)
        local _, why = e:simplify{ form = "factored", seconds = 0.03 }
        assert.equal("more than 0.03 s", why)
      end
      collectgarbage()
      return memory "VmRSS"
    end
    local before = stopped(10)
    assert.is_true(stopped(60) - before < 15)
    -- and what comes after is right
    assert.equal("x + y", tostring(((x^2 - y^2)/(x - y)):simplify()))
    assert.equal("(x + 1)*(x^6 - x^5 + x^4 - x^3 + x^2 - x + 1)", tostring((x^7 + 1):factor()))
  end)
end)

describe("exact numbers", function()
  it("are refused when they grow without measure", function()
    for text, f in pairs{
      ["too many digits"] = function() return hm.number(3)^1000000000 end,
      ["many digits"] = function() return hm.parse("3^1000000000", {}) end,
      ["at most 5000 digits"] = function() return hm.number "1e999999999" end,
      ["5000 digits"] = function() return hm.number "1e-99999999999999999999999999" end,
      ["most 5000 digits"] = function() return hm.parse("1e999999999*x", { x }) end,
      ["not a number"] = function() return hm.number "1e9223372036854775807" end,
      ["is not a number"] = function() return hm.number("1." .. ("3"):rep(6000) .. "e6000") end,
    } do check.raises({ text }, f) end
  end)
  -- arbiter: arithmetic on digits by hand
  it("are exact beyond 64 bits", function()
    local big = hm.number "123456789012345678901234567890"
    assert.equal("123456789012345678901234567891", tostring(big + 1))
    assert.equal("15241578753238836750495351562536198787501905199875019052100", tostring(big*big))
    assert.equal("1", tostring(big/big))
    assert.equal("-1/123456789012345678901234567890", tostring(-1/big))
    assert.equal("1/10000000000000000000000", tostring(hm.number "1e-22"))
    assert.equal("-25/2", tostring(hm.number "-12.5"))
    assert.equal(1.2345678901234568e29, big:eval{})
    assert.equal(-1/3, (hm.number(-1)/3 + big - big):eval{})
    assert.equal("1", tostring(hm.number(-1)^1000000000000))
  end)
  -- arbiter: 2^500001 3^100001 = (2^250000 3^50000)^2 6
  it("under roots give up what they share at once", function()
    local two, three = hm.number(2), hm.number(3)
    local long, started = two^500001*three^100001, os.clock()
    assert.equal("0", tostring((x*hm.sqrt(long) - two^250000*three^50000*hm.sqrt(hm.number(6))*x):simplify()))
    assert.equal("0", tostring((x*hm.sqrt(long*5) - x*two^250000*three^50000*hm.sqrt(two)*hm.sqrt(three)*hm.sqrt(hm.number(5))):simplify()))
    assert.is_true(os.clock() - started < 60)
  end)
end)
