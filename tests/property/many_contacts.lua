-- many_contacts.lua: random systems with up to three gaps, frictions that may hold the same motion, bounds on velocities, starts at rest in corners,
-- forces in time. Arbiters: the same motion with other tolerances and by another method where the run says nothing of several motions; gaps and
-- reactions that are not negative; impacts of equal restitutions that create no energy. HML_SEED, and HML_SCALE, which multiplies the systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 1   -- the nightly runs take other seeds
local systems = check.draws(40)
print(("many_contacts: seed %d, %d systems"):format(seed, systems))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

local function rows(n, from)
  local w = {}
  for i = 1, n do w[i] = i < from and 0 or random(-1, 1) end
  return w
end

local function add_inertia_and_forces(S, q)
  local n, T, curved, driven = #q, hm.number(0), whole(1, 3) == 1, whole(1, 3) == 1
  for i = 1, n do
    T = T + random(0.5, 2)*q[i].dot^2/2*(curved and 1 + random(0, 0.5)*hm.sin(q[whole(1, n)])^2 or 1)
    for j = 1, i - 1 do T = T + random(-0.2, 0.2)*q[i].dot*q[j].dot end
    local force = i == 1 and -random(1, 10) or random(-2, 2)
    S:force(q[i], force + (driven and random(-4, 4)*hm.sin(random(1, 6)*hm.t) or 0))
  end
  S:kinetic_energy(T)
end

local function add_friction(S, name, q, gaps, linear)
  local n = #q
  local kind = n == 2 and "line" or pick{ "line", "plane", "ellipse", "spot", "line" }
  local first, second, mu = linear(rows(n, 2), true), linear(rows(n, 2), true), random(0.05, 0.4)
  local f = { slip = first, coefficient = mu, normal = whole(1, 4) > 1 and "gap" .. whole(1, gaps) or random(0.5, 4) }
  if kind == "plane" or kind == "ellipse" then f.slip = { first, second } end
  if kind == "ellipse" then f.coefficient = { mu, random(0.05, 0.4) } end
  if kind == "spot" then f.spin, f.radius, f.pressure = second, random(0.1, 0.6), pick{ "hertz", "uniform" } end
  if kind == "line" and whole(1, 3) == 1 then f.static = mu*random(1, 1.6) end
  S:friction(name, f)
end

-- The system, its start, and its gaps as { name = expression }
local function draw(number)
  local n, names = whole(2, 4), {}
  for i = 1, n do names[i] = "q" .. i end
  local S = hm.system("many " .. number)
  local q = { S:coordinates(table.concat(names, " ")) }
  local function linear(w, dotted)
    local sum = hm.number(0)
    for i = 1, n do sum = sum + w[i]*(dotted and q[i].dot or q[i]) end
    return sum
  end
  add_inertia_and_forces(S, q)
  local start, gaps, rests = { q = {}, v = {}, t = random(1, 2) }, {}, whole(1, 3) == 1
  for i = 1, n do start.q[names[i]], start.v[names[i]] = random(-1, 1), rests and 0 or random(-2, 2) end
  local count, e = whole(1, 3), random(0, 0.9)
  for k = 1, count do
    local w, offset = rows(n, 1), rests and (whole(1, 3) == 1 and random(0, 0.5) or 0) or random(0, 1)
    if k == 1 then w[1] = 1 end
    for i = 1, n do offset = offset - w[i]*start.q[names[i]] end
    gaps["gap" .. k] = linear(w) + offset
    S:unilateral("gap" .. k, gaps["gap" .. k], { law = count > 1 and hm.moreau(e) or pick{ hm.newton, hm.poisson, hm.stronge, hm.moreau }(e) })
  end
  for k = 1, whole(0, 2) do add_friction(S, "rub" .. k, q, count, linear) end
  if whole(1, 4) == 1 then
    local i = whole(1, n)
    S:unilateral("governor", math.max(0, start.v[names[i]]) + random(0.1, 1) - q[i].dot)
  end
  return S, start, gaps
end

local function simulate(S, start, method, tolerance)
  start.method, start.rtol, start.atol = method, tolerance, tolerance/10
  local fine, run = pcall(S.simulate, S, start)
  return fine and run.status == "OK" and run, not fine and tostring(run) or tostring(run.reason)
end

local function says(run, text)
  for _, note in ipairs(run.notes) do if note.text:find(text, 1, true) then return true end end
  return false
end

local function check_gaps(run, gaps, where)
  local last = run[#run].t
  for name, gap in pairs(gaps) do
    for k = 0, 200 do
      local value = run:at(last*(k/200), gap)
      if value < -1e-7 then error(("%s: %s is %.3g at t = %.9g"):format(where, name, value, last*(k/200))) end
    end
    for i = 1, #run do
      if run[i].lambda[name] < -1e-6 then error(("%s: %s pulls by %.3g at t = %.9g"):format(where, name, -run[i].lambda[name], run[i].t)) end
    end
  end
end

local stopped, impacts = 0, 0
for number = 1, systems do
  local S, start, gaps = draw(number)
  local where = ("seed %d, system %d"):format(seed, number)
  local run, reason = simulate(S, start, "dop853", 1e-11)
  if not run then
    -- no motion, or one that the tolerances do not follow: said with its cause
    stopped = stopped + 1
    assert(#reason > 20 and not reason:find("must not be negative: the tolerances", 1, true), where .. ": " .. reason)
  else
    impacts = impacts + #run.impacts
    check_gaps(run, gaps, where)
    for _, other in ipairs{ { "dop853", 1e-6 }, { "dop853", 1e-8 }, { "radau5", 1e-8 } } do
      local again = simulate(S, start, other[1], other[2])
      if again and not says(run, "two motions") then
        for name in pairs(start.q) do
          check.near(again:at(start.t)[name], run:at(start.t)[name], 1e4*other[2], ("%s, %s with %g, %s"):format(where, other[1], other[2], name))
        end
      end
    end
  end
end
print(("  %d impacts, %d runs stopped with their cause"):format(impacts, stopped))
assert(impacts > systems and stopped <= 1 + systems/8)
