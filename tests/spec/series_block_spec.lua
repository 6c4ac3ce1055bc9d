-- run:series by the core, a column at a time, has the bits of the values computed point by point
local hm, check = require "hamel", require "check"
local reading = require "hamel.run.reading"

-- Arbiter: reading.visit, which asks the observer at each time
local function point_by_point(run, wanted, o)
  local list, times, columns = {}, {}, {}
  for i, what in ipairs(wanted) do list[i], columns[i] = run.observer:expression(what), {} end
  reading.visit(run, o, run.observer:program(list), function(k, t, values)
    times[k] = t
    for i = 1, #values do columns[i][k] = values[i] end
  end)
  return { times, table.unpack(columns) }
end

local function same_bits(run, wanted, o, is_plain)
  local _, program = reading.request(run, table.unpack(wanted))
  local block = reading.block(run, o, program)
  assert.are.equal(is_plain, block ~= nil)
  local expected, found = point_by_point(run, wanted, o), { run:series(table.unpack(wanted)) }
  if next(o) then
    local all = table.move(wanted, 1, #wanted, 1, {})
    all[#all + 1] = o
    found = { run:series(table.unpack(all)) }
  end
  assert.are.equal(#expected, #found)
  for c, column in ipairs(expected) do
    assert.are.equal(#column, #found[c])
    for i, value in ipairs(column) do
      local other = found[c][i]
      if other ~= value and (other == other or value == value) then error(("column %d, row %d: %.17g is not %.17g"):format(c, i, other, value)) end
    end
  end
end

local function in_all_ways(run, wanted, is_plain)
  local last = run.t[#run.t]
  local kinds = { {}, { n = 57 }, { n = 2 }, { times = { last, 0, last/3, last/2, run.t[2], 0 } }, { times = {} } }
  for _, o in ipairs(kinds) do same_bits(run, wanted, o, is_plain) end
end

local function pendulum()
  local S = hm.system "pendulum in the plane"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(10*y)
  S:constraint("rod", x^2 + y^2 - 1)
  return S, x, y
end

describe("run:series", function()
  it("of a constrained motion: states, rates, accelerations, reactions, energy", function()
    local run = check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 20 }
    in_all_ways(run, { "x", "x'", "x''", "lambda.blade", "energy", "t", "x^2 + y^2" }, true)
  end)

  it("of a motion whose states are projected, also backwards and at loose tolerances", function()
    local S, x, y = pendulum()
    for _, t in ipairs{ 5, -5 } do
      local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = t, rtol = 1e-4, atol = 1e-4 }
      in_all_ways(run, { "x", "y'", "lambda.rod", x^2 + y^2 - 1 }, true)
    end
  end)

  it("of a motion with a force in Lua, and of a quasi-velocity form", function()
    local S, x = pendulum()
    S:force(x, function(_, _, v) return -0.1*v.x end)
    in_all_ways(S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 3 }, { "x", "x''", "lambda.rod" }, true)
    local run = check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 5, form = "hamel" }
    in_all_ways(run, { "x", "y'" }, true)
    in_all_ways(run, { "x", "y'", "theta''", "lambda.blade" }, true)    -- the form watches cos(theta), and with it modes
  end)

  it("of stick and slip, of a constraint beside contacts, by adaptive steps, fixed ones and time stepping", function()
    local S = hm.system "block on a belt, and a ball"
    local x, y, z, u = S:coordinates "x y z u"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + u.dot^2)/2)
    S:potential_energy(x^2/2 + 10*y + 10*z)
    S:constraint("tied", u - 2*x)
    S:unilateral("floor", y, { law = hm.newton(0) })
    S:unilateral("ground", z, { law = hm.newton(0.5) })
    S:friction("belt", { slip = x.dot - 1, normal = "floor", coefficient = 0.3 })
    local start = { q = { x = 0, y = 0, z = 0.5 }, v = { x = 0.2, y = 0, z = 0 }, t = 4, method = "dop853" }
    for _, method in ipairs{ "dop853", "rk4", "moreau" } do
      start.method, start.step = method, method ~= "dop853" and 0.01 or nil
      if method == "moreau" then
        S:set_law("floor", hm.moreau(0))
        S:set_law("ground", hm.moreau(0.5))
      end
      local run = S:simulate(start)
      in_all_ways(run, { "x", "x''", "lambda.floor", "lambda.ground", "lambda.tied", "energy" }, true)
      if method ~= "moreau" then assert.are.equal(10, run.lambda.floor[#run.t]) end
    end
  end)

  it("of a ball, with the reactions of the modes of contact", function()
    local S = hm.system "ball"
    local h = S:coordinates "h"
    S:kinetic_energy(h.dot^2/2)
    S:potential_energy(10*h)
    S:unilateral("floor", h, { law = hm.newton(0.5) })
    local run = S:simulate{ q = { h = 1 }, v = { h = 0 }, t = 3 }
    in_all_ways(run, { "h", "h'" }, true)
    in_all_ways(run, { "h", "lambda.floor", "h''" }, true)
  end)

  it("names the values that are not finite once, and where the first of them is", function()
    local S = hm.system "free"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 2 }
    local t, r, x_of = run:series(1/x, x, { times = { 2, 0, 1, 0 } })
    assert.are.same({ true, true, true }, { r[2] ~= r[2], r[4] ~= r[4], r[1] == 1/x_of[1] })
    assert.are.equal(4, #t)
    assert.are.equal(0, x_of[2])
    assert.are.equal(1, #run.notes)
    assert.is_truthy(run.notes[1].text:find("1/x", 1, true) and run.notes[1].text:find("nan at 2 of 4 times", 1, true), run.notes[1].text)
  end)

  it("refuses times outside of the run in words", function()
    local run = check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
    for _, t in ipairs{ -1, 3, 0/0 } do check.raises({ "t = " }, run.series, run, "x", { times = { 0, t } }) end
  end)
end)
