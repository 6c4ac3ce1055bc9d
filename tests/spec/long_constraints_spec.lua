-- Constraints of long systems: their kinds are found beyond 32 coordinates as below, and declaring one does not look at all pairs of coordinates. Arbiters:
-- the integral that a constraint was made from; counts of the virtual machine's instructions.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function many(n)
  local S, names = hm.system "many", {}
  for i = 1, n do names[i] = "q" .. i end
  return S, { S:coordinates(table.concat(names, " ")) }
end

-- Thousands of instructions that f takes
local function work(f)
  local count = 0
  debug.sethook(function() count = count + 1 end, "", 1000)
  f()
  debug.sethook()
  return count
end

-- Rods on blades
local function snake(n)
  local S, q = many(n + 2)
  local vx, vy = q[n + 1].dot, q[n + 2].dot
  for i = 1, n do
    local a = q[i]
    local cx, cy = vx - sin(a)*a.dot/2, vy + cos(a)*a.dot/2
    S:constraint("blade " .. i, cy*cos(a) - cx*sin(a))
    vx, vy = vx - sin(a)*a.dot, vy + cos(a)*a.dot
  end
  return S
end

describe("a constraint among many coordinates", function()
  it("is integrable if it is a rate times a factor, and not if one sign is another", function()
    for _, n in ipairs{ 6, 40 } do
      for sign, kind in pairs{ [1] = "linear integrable", [-1] = "linear nonholonomic" } do
        local S, q = many(n)
        local f = hm.number(0)
        for i, a in ipairs(q) do f = f + cos(a + i)*a.dot*(i == n and sign*q[1] or q[1])*(i == n and q[2]^2 or 1) end
        -- sum cos(q_i + i) q_i' is a rate; with q_2^2 before its last term alone it is none, whatever the sign
        assert.are.equal("linear nonholonomic", S:constraint("mixed", f).kind)
        local g = hm.dt(sin(q[1])*q[n]^2 + q[2]*q[3])*hm.exp(q[4])
        assert.are.equal(kind, S:constraint("factor", sign > 0 and g or g - 2*hm.exp(q[4])*q[2]*q[3].dot).kind)
      end
    end
  end)

  it("contradicts others as among few", function()
    local S, q = many(40)
    S:constraint("one", q[1].dot*cos(q[2]) - q[40].dot)
    local fine, message = pcall(S.constraint, S, "two", 2*q[1].dot*cos(q[2]) - 2*q[40].dot + 1)
    assert.is_false(fine)
    assert.truthy(tostring(message):find("'two' contradicts 'one'", 1, true))
  end)

  it("is declared without a look at all pairs of coordinates", function()
    local few, more = work(function() snake(16) end), work(function() snake(48) end)
    -- three times the rods: 15 times the work; all pairs for each constraint make it 27 times
    assert.is_true(more <= 18*few, ("%d and %d thousand instructions"):format(few, more))
  end)
end)
