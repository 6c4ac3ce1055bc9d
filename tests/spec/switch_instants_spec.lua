-- derivatives by parameters on which the instant of a switch in time depends
local hm, check = require "hamel", require "check"
local options = require "hamel.base.options"
local variations = require "hamel.analysis.variations"

local t = hm.t

local function oscillator(force)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local w, c = S:parameters "w=1/2 c=3/10"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, -c*x.dot + force(x, w, c))
  return S, w
end

describe("a switch in time whose instant depends on a parameter", function()
  it("has derivatives of the motion by it, as central differences show", function()
    local cases = {
      { function(_, w) return hm.sign(hm.sin(w*t)) end, 20.0 },
      { function(x, w, c) return hm.step(t - 3*w - c)*(1 + x) end, 5.0 },
      { function(x, w) return (1 + x^2/9)*hm.sign(hm.sin(w*t))*hm.cos(w*t + 1) + hm.step(t - w^2) end, 20.0 },
    }
    for _, case in ipairs(cases) do
      local S, w = oscillator(case[1])
      local function flow(value)
        local given = { q = { x = 0.9 }, v = { x = 0.1 }, parameters = { w = value }, form = "lagrange", rtol = 1e-11, atol = 1e-13 }
        return variations.flow(S, "test", options.check("variations", variations.schema, given, S), 0.0, { w })
      end
      local h, middle, sides = 1e-5, flow(0.5), {}
      local _, carried = middle:run(0.0, case[2], middle.x, { { 0.0, 1.0, 0.0 } })
      for i, sign in ipairs{ 1, -1 } do
        local side = flow(0.5 + sign*h)
        sides[i] = side:run(0.0, case[2], side.x, {})
      end
      for _, place in ipairs{ 1, 3 } do
        local difference = (sides[1][place] - sides[2][place])/2/h
        check.near(carried[1][place], difference, 1e-6*(1 + math.abs(difference)))
      end
    end
  end)

  it("has none where another switch comes at the same instant and does not move with it", function()
    local S, w = oscillator(function(_, w) return hm.step(t - 2*w) + hm.step(t - 1) end)
    local given = options.check("variations", variations.schema, { q = { x = 0.9 }, v = { x = 0.1 }, parameters = { w = 0.5 }, form = "lagrange" }, S)
    local flow = variations.flow(S, "test", given, 0.0, { w })
    local fine, message = pcall(flow.run, flow, 0.0, 3.0, flow.x, { { 0.0, 1.0, 0.0 } })
    assert.same(false, fine)
    assert(tostring(message):find("move these switches apart", 1, true), tostring(message))
    assert((pcall(flow.run, flow, 0.0, 3.0, flow.x, { { 1.0, 0.0, 0.0 } })))
  end)

  it("is followed along the frequency of a square wave", function()
    -- z = (x, x'): between switches z - e turns by the matrix P of half a period, e = (1, 0), and z(T/2) = -z(0): (P + 1) z(0) = (P - 1) e
    local S, w = oscillator(function(_, w) return hm.sign(hm.sin(w*t)) end)
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", to = 0.52 }
    assert(#B.points > 2)
    for _, point in ipairs(B.points) do
      local half, a = math.pi/point.parameters.w, 0.15
      local b = math.sqrt(1 - a^2)
      local decay, cos, sin = math.exp(-a*half), math.cos(b*half), math.sin(b*half)
      local p11, p12, p21, p22 = decay*(cos + a/b*sin), decay*sin/b, -decay*sin/b, decay*(cos - a/b*sin)
      local D = (p11 + 1)*(p22 + 1) - p12*p21
      check.near(point.q.x, ((p11 - 1)*(p22 + 1) - p12*p21)/D, 1e-8)
      check.near(point.v.x, ((p11 + 1)*p21 - p21*(p11 - 1))/D, 1e-8)
      check.near(point.period, 2*half, 1e-12)
    end
  end)
end)
