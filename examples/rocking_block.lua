-- A block that rocks on its corners (Housner 1963). Angular momentum about the new corner is kept through each impact, so that the rate of
-- turning falls by 1 - 3/2 sin^2 alpha; between the impacts the slender block is a pendulum upside down, in closed form.
local hm = require "hamel"

-- about the corner on which it stands, turned by theta: (4/3) m R^2 theta'' = -m g R sin(alpha - theta) for theta > 0; the left half turn is its
-- mirror image, so that one coordinate theta >= 0 and a law of impact serve for both
local S = hm.system "rocking block"
local theta = S:coordinates "theta"
local m, R, g, alpha = S:positive "m=1 R=1 g=9.81 alpha=0.2"
S:kinetic_energy(hm.rational(2, 3)*m*R^2*theta.dot^2)
S:potential_energy(m*g*R*hm.cos(alpha - theta))
local ratio = 1 - 1.5*math.sin(0.2)^2
S:unilateral("other corner", theta, { law = hm.newton(ratio) })

local run = S:simulate{ q = { theta = 0.1 }, v = { theta = 0 }, t = 12, rtol = 1e-12, atol = 1e-13 }
print(run)

-- 1. The ratio, from the angular momentum about the corner that strikes: I w' = (I - m R^2 (1 - cos 2 alpha)) w, I = 4/3 m R^2
local I = 4/3
assert(math.abs((I - (1 - math.cos(0.4)))/I - ratio) < 1e-15)
for _, impact in ipairs(run.impacts) do
  if impact.before.v.theta > -1e-3 then break end
  assert(math.abs(impact.after.v.theta/impact.before.v.theta + ratio) < 1e-12)
end

-- 2. The first quarter: sqrt(I/(2 m g R)) times the integral of dtheta/sqrt(cos(alpha - theta) - cos(alpha - theta_0)), reversed sign; by the
--    substitution theta = 0.1 - s^2 it is regular, and Simpson's rule does it
local function integrand(s)
  local angle = 0.1 - s*s
  local difference = math.cos(0.2 - 0.1) - math.cos(0.2 - angle)       -- positive: it falls
  return s == 0 and 2/math.sqrt(math.sin(0.1)) or 2*s/math.sqrt(difference)
end
local n, top = 2000, math.sqrt(0.1)
local sum = integrand(0) + integrand(top)
for i = 1, n - 1 do sum = sum + (i % 2 == 1 and 4 or 2)*integrand(top*i/n) end
local quarter = math.sqrt(I/(2*9.81))*sum*top/(3*n)
print(("first impact at %.10f, by quadrature %.10f"):format(run.impacts[1].t, quarter))
assert(math.abs(run.impacts[1].t - quarter) < 1e-9)

-- 3. The amplitude after each impact, from the energy: 1 - cos(alpha - theta_k) falls by the square of the ratio
local energy = math.cos(0.1) - math.cos(0.2)
for k = 1, 5 do
  energy = energy*ratio^2
  local top_angle = 0.2 - math.acos(math.cos(0.2) + energy)
  local highest = 0
  local from, to = run.impacts[k].t, run.impacts[k + 1].t
  for i = 0, 400 do highest = math.max(highest, run:at(from + (to - from)*(0.25 + 0.5*i/400)).theta) end
  print(("swing %d: %.8f, by energy %.8f"):format(k, highest, top_angle))
  assert(math.abs(highest - top_angle) < 1e-6)
end
