-- shared_cones.lua: random bodies on a floor whose friction shares its cone with a two-sided constraint, which needs a force across the slip.
-- Arbiters: complementarity, the cone and greatest dissipation by their definitions at all stored states, and the balance of energy.
-- HML_SEED, and HML_SCALE, which multiplies the systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 1
local systems = math.floor(tonumber(arg and arg[2]) or 40*(tonumber(os.getenv "HML_SCALE") or 1))
print(("shared_cones: seed %d, %d systems"):format(seed, systems))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end

-- The constraint may need more than the whole cone, or more than a slip leaves: then there is no motion, and the run says so
local function is_narrow(reason)
  return reason:find("cone of friction 'rub'", 1, true) or reason:find("the laws of friction have no solution", 1, true)
end

local narrow, slips, sticks = 0, 0, 0
for number = 1, systems do
  local S = hm.system("shared cone " .. number)
  local z, x, y = S:coordinates "z x y"
  local mu, pull, across = random(0.3, 0.8), random(0, 6), random(0, 4)
  local m = { random(1, 2), random(1, 2), random(1, 2) }
  S:kinetic_energy((m[1]*z.dot^2 + m[2]*x.dot^2 + m[3]*y.dot^2)/2 + random(-0.2, 0.2)*z.dot*x.dot)
  S:force(z, -10)
  S:force(x, pull*hm.sin(2*hm.t))
  S:force(y, across*hm.cos(random(0.5, 3)*hm.t))
  S:unilateral("floor", z, { law = hm.plastic() })
  S:constraint("edge", y.dot - random(-0.3, 0.3)*x.dot)
  S:friction("rub", { slip = x.dot, normal = "floor", coefficient = mu, cone = { "edge" } })
  local fine, run = pcall(S.simulate, S, { q = { x = 0, y = 0, z = 0 }, v = { x = random(-1, 1), z = 0 }, t = 4, rtol = 1e-10, atol = 1e-11 })
  local where = ("seed %d, system %d"):format(seed, number)
  if not fine then
    assert(is_narrow(tostring(run)), where .. ": " .. tostring(run))
    narrow, run = narrow + 1, {}
  elseif run.status ~= "OK" then
    assert(run.status == "NO_CONTACT_MODE" and is_narrow(run.reason), where .. ": " .. tostring(run.reason))
    narrow = narrow + 1
  end
  for i = 1, #run do
    local s = run[i]
    local N, force, edge, here = s.lambda.floor, s.friction.rub, s.lambda.edge, ("%s, t = %.9g"):format(where, s.t)
    assert(s.z >= -1e-9 and N >= -1e-9 and (s.z < 1e-8 or N < 1e-8), here .. ": complementarity")
    local used = math.sqrt(force^2 + edge^2)
    if used > mu*N + 1e-6 then error(("%s: %.9g of a cone of %.9g"):format(here, used, mu*N)) end
    if math.abs(s.v.x) > 1e-5 then
      check.near(used, mu*N, 1e-6, here .. ": a slip uses the whole cone")
      assert(force*s.v.x <= 0, here .. ": friction drives")
      slips = slips + 1
    else
      sticks = sticks + 1
    end
  end
  if fine and run.energy_drift > 1e-7 then error(("%s: energy balance within %.3g"):format(where, run.energy_drift)) end
end
print(("  %d states in slip, %d in stick, %d cones too narrow"):format(slips, sticks, narrow))
assert(slips > systems and sticks > systems/4 and narrow < systems/2)
