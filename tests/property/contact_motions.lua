-- contact_motions.lua: random systems with gaps, frictions of every law and two-sided constraints. Arbiters: complementarity and greatest
-- dissipation by their definitions at all stored states, the balance of energy, gaps at places between the steps, and the same motion in other
-- units. HML_SEED, and HML_SCALE, which multiplies the systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 1   -- the nightly runs take other seeds
local systems = check.draws(30)
print(("contact_motions: seed %d, %d systems"):format(seed, systems))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local function dot(a, b)
  local sum = 0
  for i = 1, #b do sum = sum + a[i]*b[i] end
  return sum
end

-- ---- what a system is made of: numbers; all coordinates are lengths

local laws = { function(e) return hm.poisson(e) end, function(e) return hm.stronge(e) end, function(e) return hm.moreau(e) end,
               function() return hm.plastic() end }

local function row(n, from)
  local w = {}
  for i = 1, n do w[i] = i < from and 0 or random(-1, 1) end
  return w
end

local function random_parts()
  local n = whole(2, 4)
  local p = { n = n, M = {}, gaps = {}, frictions = {}, g = {}, q = {}, v = {} }
  for i = 1, n do
    p.M[i] = {}
    for j = 1, n do p.M[i][j] = i == j and random(1, 3) or j < i and p.M[j][i] or random(-0.3, 0.3) end
    p.g[i], p.q[i], p.v[i] = i == 1 and -random(1, 10) or random(-2, 2), random(-1, 1), random(-2, 2)
  end
  -- coordinate 1 is the height over the first floor
  p.n_constraint = n > 3 and whole(0, 1) or 0
  for k = 1, whole(1, 2) do
    local w = row(n, 1)
    w[1] = k == 1 and 1 or w[1]
    for i = 2, n do w[i] = 0.3*w[i] end
    p.gaps[k] = { w = w, offset = random(0, 1) - dot(w, p.q), law = laws[whole(1, #laws)](random(0, 0.9)) }
  end
  -- no more slips than there are directions along the floor: dependent ones share their load in a way that the model does not determine
  local free = n - 1 - p.n_constraint
  for k = 1, whole(1, math.min(2, free)) do
    local kind = ({ "line", "plane", "ellipse", "spot" })[whole(1, free > 1 and 4 or 1)]
    free = free - (kind == "line" and 1 or 2)
    if free < 0 then break end
    local by = whole(1, 3) > 1 and 1 or random(0.5, 5)
    local mu = random(0.05, 0.4)
    local f = { kind = kind, normal = by, mu = mu, rows = { row(n, 2) } }
    if kind ~= "line" then f.rows[2] = row(n, 2) end
    if kind == "ellipse" then f.mu2 = random(0.05, 0.4) end
    p.frictions[k] = f
  end
  return p
end

local function build(p, unit)
  local S, names = hm.system "random contacts", {}
  for i = 1, p.n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local T = hm.number(0)
  for i = 1, p.n do for j = 1, p.n do T = T + p.M[i][j]*q[i].dot*q[j].dot/2 end end
  S:kinetic_energy(T)
  local function linear(w, dotted)
    local sum = hm.number(0)
    for i = 1, p.n do sum = sum + w[i]*(dotted and q[i].dot or q[i]) end
    return sum
  end
  S:potential_energy(-unit*linear(p.g))
  if p.n_constraint == 1 then S:constraint("guide", q[p.n].dot - 0.5*q[p.n - 1].dot) end
  for k, gap in ipairs(p.gaps) do S:unilateral("gap" .. k, linear(gap.w) + unit*gap.offset, { law = gap.law }) end
  for k, f in ipairs(p.frictions) do
    local given = { coefficient = f.mu2 and { f.mu, f.mu2 } or f.mu, normal = f.normal == 1 and "gap1" or unit*f.normal }
    given.slip = { linear(f.rows[1], true), f.kind ~= "spot" and f.rows[2] and linear(f.rows[2], true) or nil }
    if f.kind == "spot" then given.spin, given.radius, given.pressure = linear(f.rows[2], true), 0.5, k == 1 and "hertz" or "uniform" end
    S:friction("rub" .. k, given)
  end
  local start = { q = {}, v = {}, t = 1.5, rtol = 1e-10, atol = unit*1e-11 }
  for i = 1, p.n do
    start.q["q" .. i] = unit*p.q[i]
    if not (p.n_constraint == 1 and i == p.n) then start.v["q" .. i] = unit*p.v[i] end
  end
  return S, start
end

-- ---- the laws at a state

local function list(s, p)
  local q, v = {}, {}
  for i = 1, p.n do q[i], v[i] = s["q" .. i], s.v["q" .. i] end
  return q, v
end

-- Support function of the law and its force against the slip y, per unit of N, from the definitions; spots: bounds only
local function check_friction(f, N, z, y, where)
  local tolerance = 1e-6*(1 + N)
  local work = dot(z, y)
  if work > tolerance then error(("%s: friction drives: %.3g"):format(where, work)) end
  local size = math.sqrt(dot(y, y))
  if f.kind == "spot" then
    -- the force alone, and the moment alone: mu N and 2/3 or 3 pi/16 of mu N R, both below mu N R
    assert(math.abs(z[1]) <= f.mu*N + tolerance and math.abs(z[2]) <= f.mu*N*0.5 + tolerance, where .. ": outside its set")
    return
  end
  local mu = { f.mu, f.mu2 or f.mu }
  local gauge, h = 0, 0
  for a = 1, #z do
    gauge = gauge + (z[a]/mu[a])^2
    h = h + (mu[a]*y[a])^2
  end
  if math.sqrt(gauge) > N + tolerance/f.mu then error(("%s: outside its set: %.9g > %.9g"):format(where, math.sqrt(gauge), N)) end
  if size > 1e-5 then check.near(work, -N*math.sqrt(h), 1e-6, where .. ": greatest dissipation") end
end

-- Reactions that the model does not determine are one choice of many
local function check_state(s, p, where, determined)
  local q, v = list(s, p)
  for k, gap in ipairs(p.gaps) do
    local value, reaction, speed = dot(gap.w, q) + gap.offset, s.lambda["gap" .. k], dot(gap.w, v)
    local here = ("%s, gap%d"):format(where, k)
    if value < -1e-8 then error(("%s is %.3g"):format(here, value)) end
    if reaction < (determined and -1e-8 or -1e-7) then error(("%s pulls: %.3g"):format(here, reaction)) end
    local open = value > 1e-7 or math.abs(speed) > 1e-7
    if reaction > 1e-8 and open then
      error(("%s is open (%.3g, %.3g) and presses by %.3g"):format(here, value, speed, reaction))
    end
  end
  for k, f in ipairs(determined and p.frictions or {}) do
    local z, y = s.friction["rub" .. k], {}
    if type(z) == "number" then z = { z } elseif f.kind == "spot" then z = { z[1], z.spin } end
    for a, w in ipairs(f.rows) do y[a] = dot(w, v) end
    check_friction(f, f.normal == 1 and math.max(s.lambda.gap1, 0) or f.normal, z, y, ("%s, rub%d (%s)"):format(where, k, f.kind))
  end
end

local impacts, switches, stopped = 0, 0, 0
for number = 1, systems do
  local p = random_parts()
  local S, start = build(p, 1)
  local where = ("seed %d, system %d"):format(seed, number)
  local fine, run = pcall(S.simulate, S, start)
  if not fine then error(where .. ": " .. tostring(run)) end
  local energy, last = nil, run[#run].t
  if run.status ~= "OK" then
    -- jams and spirals of accumulating contacts are possible in random systems; a stop names its cause
    stopped = stopped + 1
    assert(run.status == "NO_CONTACT_MODE" and #run.reason > 20, where .. ": " .. run.status .. ", " .. tostring(run.reason))
  end
  -- Moreau's law with friction in several contacts may create energy; the run says so then
  local told, determined = tostring(run):find("energy is created", 1, true), true
  for _, note in ipairs(run.notes) do determined = determined and not note.text:find("not determined", 1, true) end
  for i = 1, #run do
    local s = run[i]
    check_state(s, p, ("%s, t = %.9g"):format(where, s.t), determined)
    if energy and not told and s.energy > energy + 1e-8*(1 + math.abs(energy)) then
      -- a capture takes back at once what friction of the flights that are not followed would not have taken: the way to the limit pays for it
      local paid = i < #run and run:at(math.min(last, s.t + 1e-6*(1 + s.t))).energy <= energy
      if s.energy > energy + 1e-6*(1 + math.abs(energy)) or not paid then
        error(("%s: energy is created at t = %.9g: %.12g after %.12g"):format(where, s.t, s.energy, energy))
      end
    end
    energy = s.energy
  end
  for k = 0, 600 do
    local q = list(run:at(last*k/600), p)
    for g, gap in ipairs(p.gaps) do
      local value = dot(gap.w, q) + gap.offset
      if value < -1e-8 then error(("%s: gap%d is %.3g at t = %.9g, between the steps"):format(where, g, value, last*k/600)) end
    end
  end
  assert(run.energy_drift < (#run.accumulations > 0 and 1e-6 or 1e-7), ("%s: energy balance within %.3g"):format(where, run.energy_drift))
  impacts, switches = impacts + #run.impacts, switches + #run.switches

  -- the same in other units: the same impacts and switches, at the same instants
  for _, unit in ipairs{ 1e3, 1e-3 } do
    if run.status == "OK" then
      local O, other = build(p, unit)
      local again = O:simulate(other)
      assert(again.status == "OK", ("%s, unit %g: %s"):format(where, unit, tostring(again.reason)))
      local off = 0
      for i = 1, p.n do
        off = math.max(off, math.abs(again[#again]["q" .. i]/unit - run[#run]["q" .. i]), math.abs(again[#again].v["q" .. i]/unit - run[#run].v["q" .. i]))
      end
      if off > 1e-6 then error(("%s: with lengths times %g the motion differs by %.3g at the end"):format(where, unit, off)) end
    end
  end
end
print(("  %d impacts, %d switches, %d runs stopped with their cause"):format(impacts, switches, stopped))
assert(impacts > systems/2 and switches > systems/3 and stopped <= systems/5)
