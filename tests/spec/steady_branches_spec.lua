-- branches of steady motions, and pairs of imaginary eigenvalues that meet, against closed forms and published numbers
local hm, check = require "hamel", require "check"
local sin, cos, near = hm.sin, hm.cos, check.near

local function kinds(branch)
  local list = {}
  for _, special in ipairs(branch.special) do list[#list + 1] = special.kind end
  return table.concat(list, " ")
end

local function disc()
  local S = hm.system "disc"
  local x, y, q1, q2, q3 = S:coordinates "x y q1 q2 q3"
  local g = S:parameters "g=9.81"
  local cx, cy, cz = hm.dt(x + sin(q1)*sin(q2)), hm.dt(y - cos(q1)*sin(q2)), hm.dt(cos(q2))
  S:kinetic_energy((cx^2 + cy^2 + cz^2)/2 + (q2.dot^2 + (q1.dot*cos(q2))^2)/8 + (q3.dot + q1.dot*sin(q2))^2/4)
  S:potential_energy(g*cos(q2))
  S:constraint("roll x", x.dot - q3.dot*cos(q1))
  S:constraint("roll y", y.dot - q3.dot*sin(q1))
  return S
end

describe("steady motions along a value that is kept, or a parameter", function()
  local straight = { q = { x = 0, y = 0, q1 = 0, q2 = 0, q3 = 0 }, v = { q1 = 0, q2 = 0, q3 = 1 }, keep = { "q1'", "q3'" } }

  it("the rolling disc, upright and straight: neutral at psi'^2 = g/(3 r)", function()
    local B = disc():continue{ steady = straight, along = "q3'", from = 1, to = 3 }
    assert.equal("neutral", kinds(B))
    near(B.special[1].value, math.sqrt(9.81/3), 1e-10)
    for _, point in ipairs(B.points) do
      near(point.q.q2, 0, 1e-12)
      assert.equal(2, #point.eigenvalues)
      if point.value < 1.8 then assert.is_false(point.stable) end
      if point.value > 1.82 then assert.is_nil(point.stable) end
    end
  end)

  it("the same in other units of time", function()
    for _, T in ipairs{ 1e-4, 1e-2, 1e3, 1e4 } do
      local g, wanted = 9.81/T^2, math.sqrt(9.81/3)/T
      local start = { q = straight.q, v = { q1 = 0, q2 = 0, q3 = 1/T }, keep = straight.keep, parameters = { g = g } }
      local B = disc():continue{ steady = start, along = "q3'", from = 1/T, to = 3/T, parameters = { g = g } }
      assert.equal("neutral", kinds(B), ("unit of time %g"):format(T))
      near(B.special[1].value/wanted, 1, 1e-10)
    end
  end)

  it("the disc in a circle, along a parameter and along the lean", function()
    local S = disc()
    local function demand(point, g)
      local q2, spin = point.q.q2, point.v.q3 + point.v.q1*math.sin(point.q.q2)
      near(1.5*spin*point.v.q1*math.cos(q2) + g*math.sin(q2) - math.sin(q2)*math.cos(q2)*point.v.q1^2/4, 0, 1e-8)
    end
    local start = S:steady{ q = { x = 0, y = 0, q1 = 0, q2 = 0.3, q3 = 0 }, v = { q1 = 2, q2 = 0, q3 = -3 }, keep = { "q2", "q1'" } }
    local along_lean = S:continue{ steady = start, along = "q2", from = 0.05, to = 1 }
    near(along_lean.points[#along_lean.points].q.q2, 1, 1e-12)
    for _, point in ipairs(along_lean.points) do
      demand(point, 9.81)
      near(point.v.q1, start.v.q1, 1e-9)
    end
    local along_g = S:continue{ steady = start, along = "g", from = 2, to = 20 }
    near(along_g.points[1].parameters.g, 2, 1e-12)
    for _, point in ipairs(along_g.points) do demand(point, point.parameters.g) end
  end)

  it("refuse what does not fit", function()
    local S = disc()
    local function with(keep) return { q = straight.q, v = straight.v, keep = keep } end
    check.raises({ "neither a parameter of disc nor a value in keep", "q3" }, S.continue, S, { steady = with{ "q1'" }, along = "q3'" })
    check.raises({ "1 more value decides which steady motion it is: keep = { \"q3'\", \"q1'\" } would decide" }, S.continue, S,
      { steady = with{ "q3'" }, along = "g" })
    check.raises({ "1 value too many", "\"q2'\" follows from the other values" }, S.continue, S, { steady = with{ "q1'", "q3'", "q2'" }, along = "g" })
  end)
end)

describe("the bicycle, upright", function()
  it("weaves below 4.29 m/s and capsizes beyond 6.02 m/s (Meijaard and others 2007)", function()
    local env = setmetatable({ print = function() end }, { __index = _G })
    local text = assert(io.open("examples/bicycle.lua")):read "a"
    local S = load(text:match "^(.-)%-%- at 5 m/s" .. " return S", "bicycle", "t", env)()
    local q = { x = 0, y = 0, z = 0.3, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 0, front = 0 }
    local B = S:continue{ steady = { q = q, v = { x = 5, y = 0, z = 0, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 5/0.3, front = 5/0.35 },
      keep = { "rear'", "yaw" } }, along = "rear'", from = 3/0.3, to = 8/0.3 }
    local seen = {}
    for _, special in ipairs(B.special) do seen[special.kind] = special.value*0.3 end
    near(seen.hopf, 4.29238253634111, 1e-8)                                     -- table 2 there
    near(seen.neutral, 6.02426201538837, 1e-8)
    for _, point in ipairs(B.points) do
      local v = point.value*0.3
      assert.equal(v > 4.2923 and v < 6.0243, point.stable == true, "at " .. v)
    end
  end)
end)

-- A blade under a body, and a spring on it that the speed u along the blade damps by the rate f(u): straight motions have s'' + f s' + s = 0
describe("a blade whose speed is part of a force", function()
  local function with(f)
    local S = hm.system "blade"
    local x, y, p, s = S:coordinates "x y p s"
    S:kinetic_energy((x.dot^2 + y.dot^2 + p.dot^2 + s.dot^2)/2)
    S:constraint("rear", y.dot*hm.cos(p) - x.dot*hm.sin(p))
    local u = x.dot*hm.cos(p) + y.dot*hm.sin(p)
    S:force(s, -s - f(u)*s.dot)
    S:force(p, -p.dot)
    local start = S:steady{ q = { x = 0, y = 0, p = 0, s = 0 }, v = { x = 1, y = 0, p = 0, s = 0 }, keep = { "x'", "p" } }
    return S:continue{ steady = start, along = "x'", from = -0.5, to = 3 }
  end
  it("is followed down to the speed 0, which the form divides by and the words name by the velocities", function()
    local B = with(function(u) return 1/u - 1/2 end)
    assert.equal("end hopf", kinds(B))
    near(B.special[1].value, 0, 1e-6)
    near(B.special[2].value, 2, 1e-8)
    near(B.special[2].frequency, 1, 1e-8)
    assert.truthy(tostring(B):find("the equations have no value where x' = 0", 1, true), tostring(B))
    for _, point in ipairs(B.points) do
      local f, found = 1/point.value - 1/2, 0
      for _, e in ipairs(point.eigenvalues) do
        -- e^2 + f e + 1
        local re, im = e.re^2 - e.im^2 + f*e.re + 1, 2*e.re*e.im + f*e.im
        if math.abs(re) + math.abs(im) < 1e-8*(1 + f^2) then found = found + 1 end
      end
      assert.equal(2, found, "at " .. point.value)
    end
  end)
end)

describe("imaginary pairs that meet", function()
  it("end the gyroscopic stability of a saddle: 2 G = 1 + 2, frequency 2^(1/2)", function()
    local S = hm.system "gyroscope"
    local x, y = S:coordinates "x y"
    local G = S:parameters "G=2"
    S:lagrangian((x.dot^2 + y.dot^2)/2 + G*(x*y.dot - y*x.dot) + (x^2 + 4*y^2)/2)
    local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "G", from = 1, to = 2 }
    assert.equal("neutral", kinds(B))
    near(B.special[1].value, 1.5, 1e-10)
    near(B.special[1].frequency, math.sqrt(2), 1e-6)
    for _, point in ipairs(B.points) do assert.equal(point.value < 1.5 - 1e-6, point.stable == false) end
  end)
  it("as multipliers, where a motion is driven: the angle is that of the frequency", function()
    local S = hm.system "driven gyroscope"
    local x, y = S:coordinates "x y"
    local G = S:parameters "G=2"
    S:lagrangian((x.dot^2 + y.dot^2)/2 + G*(x*y.dot - y*x.dot) + (x^2 + 4*y^2)/2 + x*cos(4*hm.t)/10)
    local B = S:continue{ periodic = { q = { x = 0.1, y = 0 }, v = { x = 0, y = 0 }, period = hm.pi/2 }, along = "G", from = 1.3, to = 2 }
    assert.equal("torus", kinds(B))
    near(B.special[1].value, 1.5, 1e-9)
    near(B.special[1].frequency, math.sqrt(2), 1e-6)
  end)
end)
