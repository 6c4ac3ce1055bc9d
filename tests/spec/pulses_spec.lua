-- pulses far shorter than the steps of a run: what rests must notice them. Arbiters: quadrature of the motion within a pulse, which goes with
-- the square of its width
local hm, check = require "hamel", require "check"
local near = check.near

local random = check.generator(tonumber(os.getenv "HML_SEED") or 1)
local WIDTHS = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 }

-- Way, per width squared, of unit mass under 5 exp(-s^2) - 3 from its first root until it rests again
local function way_in_bell()
  local s, v, x, h = -math.sqrt(math.log(5/3)), 0, 0, 1e-5
  repeat
    local a, b, c = 5*math.exp(-s^2) - 3, 5*math.exp(-(s + h/2)^2) - 3, 5*math.exp(-(s + h)^2) - 3
    x, v, s = x + h*v + h^2*(a + 2*b)/6, v + h*(a + 4*b + c)/6, s + h
  until v < 0
  return x
end
local WAY = way_in_bell()

local function bell(at, width) return hm.exp(-((hm.t - at)/width)^2) end

-- Calls body with each width and a time of its own
local function each_pulse(body)
  for _, width in ipairs(WIDTHS) do body(width, random(2, 8)) end
end

local function resting(name, coordinates)
  local S = hm.system(name)
  local q, T = { S:coordinates(coordinates) }, hm.number(0)
  for _, x in ipairs(q) do T = T + x.dot^2/2 end
  S:kinetic_energy(T)
  return S, table.unpack(q)
end

local function run(S, t, start)
  start.t = t
  return S:simulate(start)
end

local function switches(r)
  local list = {}
  for i, s in ipairs(r.switches) do list[i] = s.name .. " " .. s.to end
  return table.concat(list, ", ")
end

describe("a short pulse of force", function()
  for _, method in ipairs{ "dop853", "radau5", "auto", "rkf45" } do
    it("moves a block that friction holds, with " .. method, function()
      each_pulse(function(width, at)
        local S, x = resting("block", "x")
        S:force(x, 5*bell(at, width))
        S:friction("rub", { slip = x.dot, normal = 10, coefficient = 0.3 })
        local r = run(S, 10, { q = { x = 0 }, v = { x = 0 }, method = method, atol = 1e-9*width })
        assert.equal("OK", r.status)
        assert.equal("rub slip, rub stick", switches(r))
        near(r[#r].x/width^2, WAY, 1e-4, ("width %g at t = %.9g"):format(width, at))
      end)
    end)
  end

  it("moves it in a plane, along the pulse", function()
    each_pulse(function(width, at)
      local S, x, y = resting("block", "x y")
      S:force(x, 3*bell(at, width))
      S:force(y, 4*bell(at, width))
      S:friction("rub", { slip = { x.dot, y.dot }, normal = 10, coefficient = 0.3 })
      local r = run(S, 10, { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, atol = 1e-9*width })
      near(r[#r].x/width^2, 0.6*WAY, 1e-4)
      near(r[#r].y/width^2, 0.8*WAY, 1e-4)
    end)
  end)

  it("moves it where the pulse is a window", function()
    each_pulse(function(width, at)
      local S, x = resting("block", "x")
      local s = (hm.t - at)/width
      S:force(x, 5*hm.max(0, 1 - s^2))
      S:friction("rub", { slip = x.dot, normal = 10, coefficient = 0.3 })
      local r = run(S, 10, { q = { x = 0 }, v = { x = 0 }, atol = 1e-9*width })
      assert.equal("rub slip, rub stick", switches(r))
      -- v' = 2 - 5 s^2 from s = -b to 1, then -3
      local b = math.sqrt(0.4)
      local v, way = 2*(1 + b) - 5/3*(1 + b^3), (1 + b)^2 - 5/12*(1 - b^4) - 5/3*b^3*(1 + b)
      near(r[#r].x/width^2, way + v^2/6, 1e-4)
    end)
  end)

  it("lifts a body off its floor, and off a rough wall", function()
    for _, law in ipairs{ "smooth", "rough" } do
      each_pulse(function(width, at)
        local S, x, y = resting("ball", "x y")
        S:potential_energy(3*y)
        S:force(y, 5*bell(at, width))
        S:unilateral("floor", y, { law = hm.plastic(), rough = law == "rough" and { x.dot } or nil })
        local r = run(S, 10, { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, atol = 1e-9*width })
        assert.equal("floor open, floor contact", switches(r), law)
        -- the way up and down again: impulse J over the weight
        local open, closed = r.switches[1].t, r.switches[2].t
        assert.is_true(open < at and closed > at and closed - open < 4*width)
        near((at - open)/width, math.sqrt(math.log(5/3)), 1e-6 + 1e-14*at/width)
      end)
    end
  end)

  it("takes a bounded velocity off its bound", function()
    each_pulse(function(width, at)
      local S, x = resting("governed", "x")
      S:force(x, 3 - 5*bell(at, width))
      S:unilateral("governor", 2 - x.dot)
      local r = run(S, 10, { q = { x = 0 }, v = { x = 2 }, atol = 1e-9*width })
      assert.equal("governor open, governor contact", switches(r))
      near((20 - r[#r].x)/width^2, WAY, 1e-4 + 1e-10/width^2)
    end)
  end)

  it("counts where it weakens what presses", function()
    each_pulse(function(width, at)
      local S, x = resting("block", "x")
      S:force(x, 1)
      S:friction("rub", { slip = x.dot, normal = 10*(1 - bell(at, width)), coefficient = 0.3 })
      local r = run(S, 10, { q = { x = 0 }, v = { x = 0 }, atol = 1e-9*width })
      assert.equal("rub slip, rub stick", switches(r))
    end)
  end)

  it("counts where it acts through a two-sided constraint or within a shared cone", function()
    each_pulse(function(width, at)
      local S, x, y = resting("bead", "x y")
      S:force(x, 1)
      S:force(y, -10 + 10*bell(at, width))
      S:constraint("wire", y.dot)
      S:friction("rub", { slip = x.dot, normal = "wire", coefficient = 0.3 })
      assert.equal("rub slip, rub stick", switches(run(S, 10, { q = { x = 0, y = 0 }, v = { x = 0 }, atol = 1e-9*width })))
      local R, p, s = resting("wheel", "p s")
      R:force(p, 2.5*bell(at, width))
      R:force(s, 2.5*bell(at, width))
      R:constraint("blade", s.dot)
      R:friction("rub", { slip = p.dot, normal = 10, coefficient = 0.3, cone = { "blade" } })
      assert.equal("rub slip, rub stick", switches(run(R, 10, { q = { p = 0, s = 0 }, v = { p = 0 }, atol = 1e-9*width })))
    end)
  end)

  it("counts where it comes from the place of another body", function()
    each_pulse(function(width, at)
      local S, x, y = resting("block and passer-by", "x y")
      S:force(x, 5*hm.exp(-((y - at)/width)^2))
      S:friction("rub", { slip = x.dot, normal = 10, coefficient = 0.3 })
      local r = run(S, 10, { q = { x = 0, y = 0 }, v = { x = 0, y = 1 }, atol = 1e-9*width })
      near(r[#r].x/width^2, WAY, 1e-4)
    end)
  end)

  it("is met each time of many", function()
    local S, x = resting("block", "x")
    S:force(x, 5*hm.exp(-(hm.sin(math.pi*hm.t)/1e-3)^2))
    S:friction("rub", { slip = x.dot, normal = 10, coefficient = 0.3 })
    local r = run(S, 20.5, { q = { x = 0 }, v = { x = 0 }, atol = 1e-13 })
    assert.equal(41, #r.switches)
  end)
end)
