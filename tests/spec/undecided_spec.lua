-- measures whose value the error of a run does not decide are refused, the same by all methods, in single runs and in lanes
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local METHODS = { { "dop853" }, { "taylor" }, { "rk4", 0.01 }, { "gauss6", 0.05 } }

-- x = cos t, y = sin t
local function circle()
  local S = hm.system "circle"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + y^2)/2)
  return S, x, y, { q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 20 }
end

-- The values of a list in a single run and in lanes, by all methods: each({ name = value or nil }, { name = status }, where)
local function all_ways(S, start, list, each)
  for _, method in ipairs(METHODS) do
    local o = { method = method[1], step = method[2], progress = false }
    for key, value in pairs(start) do o[key] = value end
    local kept, values, refused = S:simulate(o):keep(list), {}, {}
    for name in pairs(list) do
      local fine, value = pcall(function() return kept[name] end)
      values[name], refused[name] = fine and value or nil, not fine and value or nil
    end
    each(values, refused, method[1])
    for name, measure in pairs(list) do
      for _, lanes in ipairs{ 4, 8 } do
        o.over, o.q, o.keep, o.lanes = { { "q.x", { start.q.x, start.q.x } } }, { y = start.q.y }, { [name] = measure }, lanes
        local row = S:sweep(o)[1]
        values[name], refused[name] = row[name], row.status ~= "OK" and row.reason or nil
        if refused[name] then assert.equal("UNDECIDED", row.status) end
      end
      o.over, o.q, o.keep, o.lanes = nil, start.q, nil, nil
    end
    each(values, refused, method[1] .. " in lanes")
  end
end

describe("roots that the error of a run does not decide", function()
  it("are refused where a function touches zero, is zero throughout, or over an interval", function()
    local S, x, y, start = circle()
    local list = { touch = hm.count(x - 1), first = hm.first(x - 1), at = hm.at(y, x - 1), almost = hm.count(x - 1 - 1e-10), square = hm.count(x^2),
                   corner = hm.first(hm.abs(x)), conserved = hm.count(x^2 + y^2 - 1), part = hm.count(hm.max(x - 1/2, 0)),
                   late = hm.first(hm.max(-x - 1/2, 0)) }
    all_ways(S, start, list, function(values, refused, where)
      for name in pairs(list) do
        assert.is_nil(values[name], name .. " by " .. where)
        assert.truthy(refused[name]:find("comes to zero within the error of the run near t = ", 1, true), name .. " by " .. where)
      end
      assert.truthy(refused.touch:find("x - 1 comes to zero within the error of the run near t = 6.283", 1, true), refused.touch)
    end)
  end)

  it("are none where a motion starts on the jump of a sign and leaves it so slowly that the states show it only later", function()
    local S, x = circle()
    local l = 0.49600000000000005
    for _, e in ipairs{ hm.sign(x - l), hm.sign(l - x) } do
      for _, method in ipairs(METHODS) do
        local run = S:simulate{ q = { x = l, y = 0 }, v = { x = 0, y = 0 }, t = 6, method = method[1], step = method[2] }
        assert.equal(0, run:keep{ n = hm.count(e) }.n)
      end
    end
  end)

  it("are found where it passes through zero, and where it misses it clearly", function()
    local S, x, y, start = circle()
    local list = { count = hm.count(x), falling = hm.count(x, -1), turns = hm.count(x.dot), miss = hm.count(x - 1.0001), none = hm.first(x - 1.0001),
                   deep = hm.count(x - 0.9999), cube = hm.count(x^3), bend = hm.count(hm.max(x, 2*x)), before = hm.first(x + 0.5),
                   wave = hm.count(hm.sin(20*x)), at = hm.at(x.dot, y, -1), steep = hm.count(hm.exp(-1e4*(x - 0.3)^2) - 0.5) }
    -- how often cos t passes the levels c for 0 < t <= 20
    local function passages(...)
      local n = 0
      for _, c in ipairs{ ... } do for k = 0, 3 do for sign = -1, 1, 2 do
        local t = 2*math.pi*k + sign*math.acos(c)
        if t > 0 and t <= 20 then n = n + 1 end
      end end end
      return n
    end
    local waves, width = {}, math.sqrt(1e-4*math.log(2))
    for k = -6, 6 do waves[#waves + 1] = k*math.pi/20 end
    local exact = { count = passages(0), falling = 3, turns = 6, miss = 0, deep = passages(0.9999), cube = passages(0), bend = passages(0),
                    before = 2*math.pi/3, wave = passages(table.unpack(waves)), steep = passages(0.3 - width, 0.3 + width), at = 0 }
    all_ways(S, start, list, function(values, refused, where)
      for name in pairs(list) do
        assert.is_nil(refused[name], name .. " by " .. where)
        if exact[name] then near(values[name], exact[name], 1e-7) end
      end
      assert.is_falsy(values.none)
    end)
  end)
end)

describe("jumps", function()
  it("through zero are no roots", function()
    local S, x, y, start = circle()
    local list = { sign = hm.count(hm.sign(x)), step = hm.first(hm.step(x) - 1/2), angle = hm.count(hm.atan2(y, x)), product = hm.count(hm.sign(x)*(3 + y)) }
    all_ways(S, start, list, function(values, refused, where)
      for name in pairs(list) do assert.is_nil(refused[name], name .. " by " .. where) end
      assert.equal(0, values.sign)
      assert.is_falsy(values.step)
      assert.equal(3, values.angle)                                        -- at 2 pi, 4 pi, 6 pi; from pi to -pi it jumps
      assert.equal(0, values.product)
    end)
  end)

  it("are undecided where the argument only touches zero", function()
    local S, x, y, start = circle()
    local list = { sign = hm.count(hm.sign(x - 1)), first = hm.first(hm.sign(x - 1 + 1e-10)), step = hm.count(hm.step(x - 1) - 1/2),
                   angle = hm.count(hm.atan2(x - 1, -2)), product = hm.first((3 + y)*hm.sign(1 - x)) }
    all_ways(S, start, list, function(_, refused, where)
      for name in pairs(list) do
        assert.truthy(refused[name] and refused[name]:find("comes to zero within the error of the run near t = ", 1, true), name .. " by " .. where)
      end
    end)
    local clear = { far = hm.count(hm.sign(x - 1.0001)), deep = hm.count(hm.sign(x - 0.9999)), above = hm.count(hm.sign(x - 1) + 3) }
    all_ways(S, start, clear, function(values, _, where)
      for name in pairs(clear) do assert.equal(0, values[name], name .. " by " .. where) end
    end)
  end)

  it("have no value at the jump", function()
    local S, x, y, start = circle()
    local list = { sign = hm.at(hm.sign(x), x), angle = hm.at(hm.atan2(y, x), y, -1), where = hm.at(hm.where(y:gt(1/2), 1, 2), y - 1/2) }
    all_ways(S, start, list, function(_, refused, where)
      for name in pairs(list) do assert.truthy(refused[name] and refused[name]:find("jumps within the error of the run at t = ", 1, true), name .. where) end
    end)
    local fine = { corner = hm.at(hm.abs(x) + 1, x), elsewhere = hm.at(hm.sign(x - 1/2), x) }
    all_ways(S, start, fine, function(values)
      near(values.corner, 1, 1e-8)
      assert.equal(-1, values.elsewhere)
    end)
  end)
end)

describe("values and ends of runs", function()
  it("that are infinite are refused", function()
    local S, x = mechanics.body("free", "x")
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 10, keep = { top = hm.highest(hm.exp(100*x)) } }
    check.raises({ "keep: 'top': max exp(100*x) is infinite" }, function() return run.kept.top end)
  end)

  it("leave open whether a root lies before the end, but not where the motion ends at the root", function()
    local S, x, y, start = circle()
    start.t = math.pi
    local list = { c = hm.count(y), f = hm.first(y), other = hm.count(x) }
    start.method = "rk4"
    start.step = 0.01
    local kept = S:simulate(start):keep(list)
    check.raises({ "y comes to zero within the error of the run near t = 3.14159265" }, function() return kept.c end)
    check.raises({ "y comes to zero within the error of the run near t = 3.14159265" }, function() return kept.f end)
    assert.equal(1, kept.other)
    start.t, start.events = 20, { { name = "end", when = y, direction = "falling", terminal = true } }
    near(S:simulate(start):keep(list).f, math.pi, 1e-8)
  end)

  it("are those of rows that lack a value, and their lines say so", function()
    local S, x, _, start = circle()
    local W = S:sweep{ over = { { "q.x", { 1, 0.5 } } }, q = { y = 0 }, v = start.v, t = 20, keep = { c = hm.count(x - 1), x = "x" }, progress = false }
    assert.equal("UNDECIDED", W[1].status)
    assert.equal("OK", W[2].status)
    near(W[1].x, math.cos(20), 1e-7)
    assert.truthy(tostring(W):find("sweep of circle: 2 runs, all reached the end, 1 without a value of keep", 1, true), tostring(W))
    local C = S:chart{ over = { { "q.x", { 1, 0.5 } } }, q = { y = 0 }, v = start.v, t = 20, of = { c = hm.count(x - 1) }, progress = false }
    assert.truthy(tostring(C):find("2 points, 0 escaped, 0 failed, 1 without a value", 1, true), tostring(C))
  end)
end)

describe("escape of a chart", function()
  it("ends runs at their start where it is positive, or zero and growing", function()
    local S, x = mechanics.body("slope", "x")
    local k = S:parameters "k=1"
    S:potential_energy(-k*x)
    local function chart(over, more)
      local o = { over = over, q = { x = 1 }, v = { x = 0 }, t = 1, of = { top = hm.highest(x) }, escape = x - 1, progress = false }
      for name, value in pairs(more or {}) do o[name] = value end
      return S:chart(o)
    end
    local C = chart{ { "q.x", { 0.25, 0.75, 1, 1.5 } } }
    assert.equal("OK", C[1].status)
    near(C[1].top, 0.75, 1e-9)
    assert.equal("escaped", C[2].label)
    near(C[2].t, math.sqrt(0.5), 1e-8)
    for i = 3, 4 do                                                      -- on the level, at rest, and pushed out; beyond it
      assert.equal("EVENT", C[i].status)
      assert.equal("escaped", C[i].label)
      assert.equal(0, C[i].t)
      assert.equal(0, C[i].steps)
      assert.is_nil(C[i].top)
    end
    local V = chart({ { "v.x", { -0.25, 0, 0.25 } } }, { t = 0.25, parameters = { k = -1 } })
    assert.equal("OK", V[1].status)
    assert.equal("OK", V[2].status)                                      -- on the level, and pulled back
    assert.equal("escaped", V[3].label)
    assert.equal(0, V[3].t)
  end)
end)
