-- Runs side by side in vector lanes against the same runs one by one: methods, tolerances, bounded and given steps, several times, constraints
-- met and left alone. Lanes step like single runs, so what differs is rounding: far less than the tolerance. At several times lanes begin anew, while single
-- runs read these states between their steps: there the errors of two runs differ. 4 and 8 lanes give the same bits.
local hm, check, lanes = require "hamel", require "check", require "lanes"
local sin, cos = hm.sin, hm.cos

local function sleigh()
  return { system = check.offset_sleigh(hm), over = { { "a", hm.range(0.1, 0.9, 5) }, { "v.theta", hm.range(-2, 2, 5) } }, q = { x = 0, y = 0, theta = 0.1 },
           v = { x = 1, theta = 0.3 }, keep = { "x", "theta" } }
end

local function cart()
  local S = hm.system "pendulum on a cart"
  local p, q = S:coordinates "p q"
  local m, M, l, g = S:positive "m=1 M=2 l=0.7 g=9.81"
  S:kinetic_energy(M*p.dot^2/2 + m*((p.dot + l*cos(q)*q.dot)^2 + (l*sin(q)*q.dot)^2)/2)
  S:potential_energy(-m*g*l*cos(q) + p^2*cos(hm.t))
  return { system = S, over = { { "l", hm.range(0.5, 1.5, 4) }, { "q", hm.range(-1, 1, 6) } }, q = { p = 0.1, q = 0.2 }, v = { p = 0, q = 0.5 },
           keep = { "p", "q" } }
end

local function options_of(case, method, tolerance, extra)
  local o = { over = case.over, q = case.q, v = case.v, keep = case.keep, method = method, rtol = tolerance, atol = tolerance }
  for key, value in pairs(extra) do o[key] = value end
  if not o.times then o.t = 3 end
  return o
end

local worst, between, compared = 0, 0, 0
for _, case in ipairs{ sleigh(), cart() } do
  for _, method in ipairs{ "dop853", "taylor" } do
    for _, tolerance in ipairs{ 1e-6, 1e-9, 1e-12 } do
      for _, extra in ipairs{ {}, { max_step = 0.05 }, { first_step = 1e-3 }, { project = false }, { times = { 0.5, 1, 1, 2.5 } } } do
        local narrow = {}
        lanes.compare(case.system, options_of(case, method, tolerance, extra), function(one, other, width)
          assert(one.status == other.status, one.status)
          lanes.at_times(one, other, function(row, beside)
            for _, name in ipairs(case.keep) do
              local off = math.abs(row[name] - beside[name])/tolerance
              if extra.times then between = math.max(between, off) else worst = math.max(worst, off) end
              compared = compared + 1
            end
          end)
          -- the bits of a run do not depend on what runs beside it, nor on when its lane became free
          if width == 4 then narrow[one.index] = other end
          for _, name in ipairs(case.keep) do assert(other[name] == narrow[one.index][name], name .. " differs by lanes") end
          assert(other.steps == narrow[one.index].steps and other.evaluations == narrow[one.index].evaluations)
        end)
      end
    end
  end
end
print(("%d values of runs in lanes differ from single runs by at most %.3g tolerances, at several times %.3g"):format(compared, worst, between))
assert(compared > 5000 and worst < 1 and between < 10)
