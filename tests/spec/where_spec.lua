-- functions made of pieces: values, derivatives, runs against closed solutions, messages
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

describe("functions made of pieces", function()
  local S = hm.system "s"
  local x = S:coordinates "x"

  local function value(e, at) return e:eval{ [x] = at } end

  it("take the value of the piece, at its ends too", function()
    for _, row in ipairs{ { "lt", 1, 0, 0 }, { "le", 1, 1, 0 }, { "gt", 0, 0, 1 }, { "ge", 0, 1, 1 } } do
      local e = hm.where(x[row[1]](x, 2), 1, 0*x)
      for i, at in ipairs{ 1.5, 2.0, 2.5 } do assert.equal(row[i + 1], value(e, at), row[1] .. " at " .. at) end
    end
    local e = hm.piecewise{ { x^2 + 3, x:lt(0) }, { 2*x, x:le(1) }, 7 }
    for at, want in pairs{ [-2.0] = 7, [0.0] = 0, [0.5] = 1, [1.0] = 2, [1.25] = 7 } do assert.equal(want, value(e, at)) end
    local window = hm.where(x:gt(0) & x:lt(1), 1, 0)
    local outside = hm.where(x:le(0) | ~x:lt(1), 1, 0)
    for _, at in ipairs{ -1.0, 0.0, 0.5, 1.0, 2.0 } do assert.equal(1, value(window + outside, at)) end
  end)

  it("differentiate piece by piece", function()
    local e = hm.where(x:lt(0), x^2, hm.sin(x)):diff(x)
    near(value(e, -1.5), -3, 1e-15)
    near(value(e, 0.5), math.cos(0.5), 1e-15)
    near(value(hm.ramp(x, 1, 3):diff(x), 2), 0.5, 1e-15)
  end)

  it("are forces of runs, whose steps end at the corners", function()
    -- x'' = step(t - 1) + ramp(t, 1, 3): integrated by hand
    local R, y = mechanics.body("ramp", "y")
    R:force(y, hm.step(hm.t - 1) + hm.ramp(hm.t, 1, 3))
    local run = R:simulate{ q = { y = 0 }, v = { y = 0 }, t = 5 }
    assert.equal("OK", run.status)
    local function exact(t)
      local s, r = math.max(t - 1, 0), math.max(t - 3, 0)
      return s^2/2 + s^3/12 - r^3/12
    end
    for _, t in ipairs{ 0.5, 1, 2, 3, 4, 5 } do near(run:at(t).y, exact(t), 1e-12, "y at " .. t) end
  end)

  it("are potentials of runs", function()
    -- a spring that pushes at x < 0 only: half an oscillation, then free motion
    local R, y = mechanics.body("stop", "y")
    R:potential_energy(hm.where(y:lt(0), y^2/2, 0))
    local run = R:simulate{ q = { y = 1 }, v = { y = -1 }, t = 6 }
    assert.equal("OK", run.status)
    near(run:at(6).y, 6 - 1 - math.pi, 1e-8)
  end)

  it("answer mistakes", function()
    check.raises({ "hm.where", "x:lt(0)", "boolean" }, function() return hm.where(x == 1, 1, 0) end)
    check.raises({ "value elsewhere", "not nil" }, function() return hm.where(x:lt(0), 1) end)
    check.raises({ "last entry", "where no condition holds" }, function() return hm.piecewise{ { 1, x:lt(0) }, { 2, x:gt(0) } } end)
    check.raises({ "piece 1 is { value, condition }" }, function() return hm.piecewise{ { 1 }, 2 } end)
    check.raises({ "& joins two conditions" }, function() return x:lt(0) & true end)
    check.raises({ "from = 3 is not below to = 1" }, function() return hm.ramp(hm.t, 3, 1) end)
    assert.equal("(x > 0) & (x < 1)", tostring(x:gt(0) & x:lt(1)))
  end)
end)

describe("short forms of jumps", function()
  local x, y = hm.symbols "x y"
  local forms = {
    simplify = function(e) return (e:simplify()) end, expand = function(e) return (e:expand()) end, factor = function(e) return (e:factor()) end,
    normal = function(e) return (e:simplify "normal") end, collect = function(e) return (e:collect(y)) end,
  }
  local list = {
    hm.where(x:ge(0), 1, 0), hm.where(x:gt(0), y, 0), hm.step(x)*y + hm.step(-x), hm.where((x - y):le(0), x, y), (x + y)*hm.sign(x), (hm.sign(x) + 1)/2,
    y*hm.sign(x) + hm.sign(x)^2*(y + 1)^2, hm.where(x:ge(0), hm.sin(y)^2 + hm.cos(y)^2, 2), hm.sign(x*y) + hm.sign(x),
  }
  for name, form in pairs(forms) do
    it("keep the value at the jump: " .. name, function()
      for _, e in ipairs(list) do
        local short = form(e)
        for _, at in ipairs{ { x = 0, y = 0.75 }, { x = 0.75, y = 0.75 }, { x = -2, y = 0.5 }, { x = 3, y = -0.5 }, { x = 0, y = 0 } } do
          local here = {}
          for _, s in ipairs(short:symbols()) do here[tostring(s)] = at[tostring(s)] end
          local there = {}
          for _, s in ipairs(e:symbols()) do there[tostring(s)] = at[tostring(s)] end
          check.near(short:eval(here), e:eval(there), 1e-12)
        end
      end
    end)
  end

  it("simplify what stands beside them", function()
    assert.equal("sign(x)^2 + 1", tostring((hm.sign(x)^2 + hm.sin(y)^2 + hm.cos(y)^2):simplify()))
    local S = hm.system "s"
    local q = S:coordinates "q"
    S:kinetic_energy(q.dot^2/2)
    S:force(q, hm.where(q:ge(0), 1, 0))
    assert.is_nil(tostring(S:equations()):find("abs", 1, true))
  end)
end)
