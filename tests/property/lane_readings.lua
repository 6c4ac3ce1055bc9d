-- Roots, largest values and means read off runs in lanes against those of runs by themselves and of S:simulate: random functions of the motion, affine,
-- polynomials of low and high degree, waves, bumps and poles, with constraints, drives and escapes, by all methods that have lanes. Steps in lanes are
-- those of single runs up to rounding.
local hm, check, lanes, mechanics = require "hamel", require "check", require "lanes", require "mechanics"
local sin, cos, exp = hm.sin, hm.cos, hm.exp

local function henon()
  local S, x, y = mechanics.henon_heiles()
  return { system = S, symbols = { x, y, x.dot, y.dot }, positions = { x, y },
           over = { { "v.x", hm.range(0.05, 0.4, 9) } }, q = { x = 0, y = 0.1 }, v = { y = 0.1 } }
end

local function sleigh()
  local S = check.offset_sleigh(hm)
  local x, y, theta = table.unpack(S:coordinate_list())
  return { system = S, symbols = { x, y, theta, theta.dot }, positions = { x, y, theta }, over = { { "a", hm.range(0.1, 0.9, 9) } },
           q = { x = 0, y = 0, theta = 0.1 }, v = { x = 1, theta = 0.3 } }
end

local function driven()
  local S = hm.system "driven oscillator"
  local x, z = S:coordinates "x z"
  local k = S:positive "k=1"
  S:kinetic_energy((x.dot^2 + 2*z.dot^2)/2)
  S:potential_energy(k*(x - z)^2/2 + x^4/4)
  S:force(x, cos(hm.t) - x.dot/5)
  return { system = S, symbols = { x, z, x.dot, z.dot }, positions = { x, z },
           over = { { k, hm.range(0.5, 2, 9) } }, q = { x = 0.3, z = 0 }, v = { x = 0, z = 0.2 } }
end

math.randomseed(20, 1)
local function number(a, b) return a + (b - a)*math.random() end
local function any(list) return list[1 + math.floor(number(0, #list - 1e-9))] end

-- A function of the motion, of a kind that single runs follow without loss
local function drawn(case)
  local a, b, level = any(case.symbols), any(case.symbols), number(-0.3, 0.3)
  return any{ a - level, level - a, a + number(-1, 1)*b - level, a*b - level/5, a^2 + b^2 - number(0.01, 0.3), a^3 - a*level, (a - level)^7,
              sin(number(2, 40)*a) - level, exp(-number(10, 1e4)*(a - level)^2) - 0.5, 1/(1 + number(10, 1e4)*(a - level)^2) - 0.5, a - level + cos(3*hm.t)/10,
              a*sin(number(1, 4)*b + hm.t) - level/5, hm.sqrt(a^2 + b^2 + number(0.01, 1)) - 0.5, exp(number(-3, 3)*a) - 1 - b*level,
              a^5 - level*b + hm.abs(b)/10 }
end

-- A measure of a function with poles, corners or jumps, which may have no value
local function of_poles(case)
  local a, b, level = any(case.symbols), any(case.symbols), number(-0.3, 0.3)
  local d = a - level
  return any{ hm.highest(1/d), hm.lowest(1/hm.abs(d)), hm.lowest(b/d^2), hm.mean(1/d), hm.mean(b/(d^2 + number(1e-6, 1))), hm.highest(hm.atan(b/d)),
              hm.at(b/a, d), hm.highest(hm.tan(9*a)), hm.lowest(hm.log(hm.abs(d))), hm.mean(hm.abs(d)*b), hm.highest(b*hm.sign(d)), hm.mean(hm.max(d, b)),
              hm.highest(sin(d)/d), hm.count(b/d), hm.first(1/d + number(1, 9)), hm.highest(hm.atan2(a, b)) }
end

local tolerance, worst, compared, found, ended, refused, methods = 1e-9, 0, 0, 0, 0, 0, {}
for _, case in ipairs{ henon(), sleigh(), driven() } do
  for round = 1, 12 do
    local g, h, e = drawn(case), drawn(case), any(case.positions)
    local keep = { first = hm.first(g), count = hm.count(g, any{ -1, 0, 1 }), others = hm.count(h), at = hm.at(e, h, any{ -1, 0, 1 }), top = hm.highest(e),
                   low = hm.lowest(e^2 - e), mean = hm.mean(e), other = hm.mean(exp(-h^2)), pole = of_poles(case), another = of_poles(case) }
    local o = { over = case.over, q = case.q, v = case.v, t = round % 3 == 0 and { 0, -10 } or 15, keep = keep, rtol = tolerance, atol = tolerance }
    o.method = any{ "dop853", "dop853", "taylor", "rk4", "gauss6" }
    if o.method == "rk4" or o.method == "gauss6" then o.step, methods.fixed = 0.01, (methods.fixed or 0) + 1 end
    methods[o.method] = (methods[o.method] or 0) + 1
    -- every other system ends where a function vanishes; every fourth has nothing else to read
    if round % 2 == 0 then o.events = { out = { when = any{ e - number(0, 0.5), g }, direction = any{ "rising", "falling" }, terminal = true } } end
    if round % 4 == 0 then keep = { e = e } o.keep = keep end
    if round % 8 == 4 then o.t, o.times = nil, { 1, 2, 2, 7 } end
    lanes.compare(case.system, o, function(row, other)
      assert(other.status == row.status, other.status)
      assert(math.abs(other.t - row.t) < 1e-7, ("%.15g, %.15g"):format(other.t, row.t))
      assert((row.events or { out = 0 }).out == (other.events or { out = 0 }).out)
      ended = ended + (row.status == "EVENT" and 1 or 0)
      refused = refused + (row.status == "NOT_FINITE" and 1 or 0)
      for m, at in pairs(row.series or {}) do assert(math.abs(at.e - other.series[m].e) < 1e-5) end
      for name in pairs(keep) do
        assert((row[name] == nil) == (other[name] == nil), ("%s of row %d: %s, %s; %s, %s"):format(name, row.index, row[name], other[name], g, h))
        if row[name] then
          local off = math.abs(row[name] - other[name])/tolerance
          -- where a function comes close to zero and turns, rounding moves its root by much
          assert(off < 1e4, ("%s of row %d: %.15g, %.15g; %s, %s"):format(name, row.index, row[name], other[name], g, h))
          worst, compared, found = math.max(worst, off), compared + 1, found + (name == "count" and row[name] or 0)
        end
      end
    end)
  end
end
print(("%d values read off runs in lanes differ from those of runs by themselves by at most %.3g tolerances; %d roots, %d runs ended by an event, %d refusals")
  :format(compared, worst, found, ended, refused))
assert(compared > 2000 and found > 500 and ended > 50 and refused > 50 and methods.taylor and methods.fixed)
